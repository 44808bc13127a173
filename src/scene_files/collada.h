/* A Collada document in memory: what mesh_collada.c reads from the XML and mesh_collada_place.c makes a mesh of.
 * Strings are offsets in one pool, numbers are ranges of three, and references are resolved when all is read, since
 * scenes may precede the geometry they name. */
#ifndef AP_SCENE_FILES_COLLADA_H
#define AP_SCENE_FILES_COLLADA_H

#include "scene.h"

typedef struct collada_range {
    size_t start, count;
} collada_range;

/* <source> with its <float_array> and <accessor>. */
typedef struct collada_source {
    size_t id, array_id;
    collada_range numbers;
    size_t count, offset, stride; /* of the accessor; stride 0: there is none */
    size_t axes[3];               /* where x, y and z lie within the stride */
    size_t axis_count, param_count;
    size_t line;
} collada_source;

/* <vertices>: the source of its POSITION input. */
typedef struct collada_vertices {
    size_t id, position;
} collada_vertices;

typedef enum collada_kind {
    COLLADA_TRIANGLES,
    COLLADA_POLYGONS,
    COLLADA_POLYLIST,
    COLLADA_FANS,
    COLLADA_STRIPS
} collada_kind;

/* <triangles> and its like. */
typedef struct collada_faces {
    collada_kind kind;
    collada_range sizes;       /* of polygons, fans or strips, in corners */
    collada_range indices;     /* of <p> */
    size_t vertex, vertex_set; /* offset and source of the VERTEX input; 0: there is none */
    size_t stride;             /* indices of one corner */
    size_t line;
} collada_faces;

typedef struct collada_geometry {
    size_t id, name;
    collada_range faces;
} collada_geometry;

typedef enum collada_item_kind {
    COLLADA_CHILD,
    COLLADA_INSTANCE_GEOMETRY,
    COLLADA_INSTANCE_NODE,
    COLLADA_INSTANCE_CONTROLLER
} collada_item_kind;

/* What stands in a node, in the order of the file. */
typedef struct collada_item {
    collada_item_kind kind;
    size_t target; /* a child's index, or the name of what is instanced */
    size_t next;   /* item of the same node, SIZE_MAX: the last */
    size_t line;
} collada_item;

/* <node> or <visual_scene>. */
typedef struct collada_node {
    size_t id, name;
    ap_affine transform;
    const char *unread; /* a transformation that is not read, or NULL */
    size_t unread_line;
    size_t first, last; /* items */
} collada_node;

typedef enum collada_id_kind { COLLADA_SOURCE, COLLADA_VERTICES, COLLADA_GEOMETRY, COLLADA_NODE } collada_id_kind;

typedef struct collada_id {
    size_t name, index;
    const char *text; /* set when all is read */
    collada_id_kind kind;
} collada_id;

typedef struct collada_document {
    char *strings;
    double *numbers;
    uint32_t *sizes, *indices;
    collada_source *sources;
    collada_vertices *vertices;
    collada_faces *faces;
    collada_geometry *geometries;
    collada_item *items;
    collada_node *nodes;
    collada_id *ids;
    size_t string_count, number_count, size_count, index_count, source_count, vertices_count, faces_count,
        geometry_count, item_count, node_count, id_count;
    size_t string_room, number_room, size_room, index_room, source_room, vertices_room, faces_room, geometry_room,
        item_room, node_room, id_room;
    size_t scene;       /* the name of the scene that is shown; 0: not said */
    size_t first_scene; /* node; SIZE_MAX: there is none */
    size_t scene_line;
    double unit; /* metres */
    char up_axis;
} collada_document;

/* Builds the mesh of the document's scene. `bytes` is the size of the file. */
apart_status ap_collada_place(ap_mesh_builder *b, collada_document *d, size_t bytes);

#endif
