/* Shared by the readers of scenes (Collada, glTF): geometry that nodes place, as often as they name it. */
#ifndef AP_SCENE_FILES_SCENE_H
#define AP_SCENE_FILES_SCENE_H

#include "../mesh_files/builder.h"

/* Nodes may be nested so deep; more is taken for a cycle. */
enum { AP_SCENE_DEPTH = 64 };

/* An affine map: the first three rows of a 4x4 matrix. */
typedef struct ap_affine {
    double m[12];
} ap_affine;

/* A mesh being put together from placed geometry. Naming geometry again costs a file a few bytes and the reader all
 * its vertices, so what is placed is limited by the size of the file. */
typedef struct ap_scene {
    ap_mesh_builder *b;
    uint64_t budget; /* nodes, vertices and corners that may still be placed */
    size_t name_capacity, face_object_capacity;
    const char *object; /* the name of the object that the next faces belong to */
    int object_pending; /* it has no face yet */
    ap_affine to_scene; /* of that object */
    int mirrored;
} ap_scene;

static const ap_affine ap_affine_identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

ap_affine ap_affine_compose(const ap_affine *outer, const ap_affine *inner);

/* `bytes` is the size of all data of the file. */
void ap_scene_open(ap_scene *s, ap_mesh_builder *b, size_t bytes);

/* Takes `amount` off the budget; APART_ERR_SYNTAX when it is used up. */
apart_status ap_scene_charge(ap_scene *s, uint64_t amount);

/* Starts a placed geometry. `name` must live until the next object. */
void ap_scene_begin_object(ap_scene *s, const char *name, const ap_affine *to_scene);

/* Adds a vertex in the object's coordinates. APART_ERR_SYNTAX, with the line if it is not 0, when its place is not
 * finite. */
apart_status ap_scene_add_vertex(ap_scene *s, const double xyz[3], size_t line);

/* Adds a face of the mesh's vertices; one that a mirroring placement turns inside out is turned back. */
apart_status ap_scene_add_face(ap_scene *s, const uint64_t *indices, size_t size);

#endif
