/** @file
 * apart/io.h: meshes, point lists and case files. A library of its own: link apart-io.
 *
 *     apart_mesh_data mesh;
 *     apart_io_error error;
 *     if (apart_mesh_read("rock.stl", &mesh, &error) != APART_OK)
 *         fprintf(stderr, "%s\n", error.message);        // rock.stl:17: expected three numbers after 'vertex'
 *     ...
 *     apart_mesh_data_free(&mesh);
 *
 * Sizes in file headers are never trusted: memory grows with the data that is really there. Numbers are read
 * in the "C" locale, whatever the program's locale is. There is no global state, so threads may read files at once.
 * Read next: apart/hull.h (a hull from a mesh's points), tests/cases/README.md (case files).
 */
#ifndef APART_IO_H
#define APART_IO_H

#include <stdio.h>

#include "hull.h"
#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The formats of meshes. */
typedef enum apart_mesh_format {
    APART_MESH_AUTO = 0, /**< by file name, then by content */
    APART_MESH_OBJ = 1,
    APART_MESH_STL = 2, /**< text or binary when read, binary when written */
    APART_MESH_PLY = 3, /**< text or binary of either byte order when read, text when written */
    APART_MESH_OFF = 4,
    APART_MESH_POINTS = 5,  /**< one "x y z" on each line, '#' comments */
    APART_MESH_COLLADA = 6, /**< .dae; read by a library that was built with expat */
    APART_MESH_GLTF = 7     /**< .gltf and .glb; read by a library that was built with jansson */
} apart_mesh_format;

/** A polygon mesh or point list as read: coincident vertices of STL are joined, nothing else is changed.
 *
 *  Collada and glTF are scenes: geometry is placed by the nodes of the scene that the file shows (without one: by all
 *  nodes, or all geometry as it is), and each placed geometry is an object, whose name may occur again. Coordinates
 *  are metres: the unit that Collada declares is applied, as ROS's loaders do; glTF has no other. The axes are those
 *  of the file, and `up_axis` says which of them points up: RViz and MoveIt ignore that of Collada, and others
 *  turn the mesh; apart_mesh_data_turn_z_up does that. Read are triangles, polygons, fans and strips; of glTF also
 *  sparse and quantised accessors, and buffers in a .glb, in data: URIs or in files in the folder of the .gltf or below
 *  it. Refused with a message are polygons with holes, lookat and skew elements around geometry, skins, Draco and meshopt
 *  compression, entities, and buffers elsewhere. A scene may repeat its geometry until it has placed 2^20 nodes,
 *  vertices and corners, and 16 more for each byte of the file. */
typedef struct apart_mesh_data {
    double *xyz;             /**< three coordinates for each vertex */
    size_t vertex_count;     /**< number of vertices */
    uint32_t *face_sizes;    /**< face f has face_sizes[f] indices, consecutive in face_indices */
    size_t face_count;       /**< 0 for a point list */
    uint32_t *face_indices;  /**< vertices from 0, face after face */
    size_t face_index_count; /**< number of indices of all faces */
    char **object_names;    /**< names of the objects that have faces, in printable form; of OBJ "o" names, or "g" names
                             *   in files without "o", each once; of scenes the nodes' */
    size_t object_count;    /**< 0 when the file names no objects; if several, the mesh consists of several bodies */
    uint32_t *face_objects; /**< for each face its index in object_names; NULL when object_count is 0 */
    int format;             /**< apart_mesh_format it was read as */
    double unit;            /**< length of the file's unit in metres, already applied; 0: the format does not say */
    char up_axis;           /**< 'X', 'Y' or 'Z': the axis that points up; 0: the format does not say */
} apart_mesh_data;

/** Reads a mesh. Statuses of all readers: APART_OK, APART_ERR_NULL, APART_ERR_MEMORY, APART_ERR_FILE (cannot open or
 *  read, or larger than 1 GiB), APART_ERR_SYNTAX (content), APART_ERR_OPTION (unknown format, or one that is not read).
 *  After an error the mesh is empty and needs no free; the message is set. error may be NULL. */
APART_API apart_status apart_mesh_read(const char *path, apart_mesh_data *mesh, apart_io_error *error);
/** The same from memory; `name` is used in messages and, with APART_MESH_AUTO, for its extension. No other file is
 *  opened: a glTF must hold its buffers itself. */
APART_API apart_status apart_mesh_read_memory(const void *data, size_t size, const char *name, int format,
                                              apart_mesh_data *mesh, apart_io_error *error);
/** Frees what a reader made; an empty mesh and NULL are allowed. */
APART_API void apart_mesh_data_free(apart_mesh_data *mesh);

/** Turns a mesh so that the axis that points up becomes z: (x, y, z) becomes (x, -z, y) where y points up, (-y, -z, x)
 *  where x does, as Collada defines them. A mesh whose file does not say stays as it is; NULL is allowed. */
APART_API void apart_mesh_data_turn_z_up(apart_mesh_data *mesh);

/** How far the mesh is from convex: the largest distance of a vertex or a face's centroid below the surface of its
 *  hull, as a fraction of the hull's bounding radius. It is 0, up to rounding, exactly where all faces of a triangle
 *  mesh lie in the surface of its hull. A mesh without faces has deviation 0. Costs about O((n + f) log f) for n corners
 *  and f faces of the hull. INFINITY when there is no memory for a tree of the hull's faces. */
APART_API double apart_mesh_deviation(const apart_mesh_data *mesh, const apart_hull *hull);

/** Writes a hull as a polygon mesh: to a temporary file beside `path` that is renamed at the end, so nothing is ever
 *  half-written (a device or pipe is written directly). Numbers have 17 significant digits: all but STL, which is
 *  single precision, read back the same vertices. APART_MESH_AUTO: by the extension of `path`. APART_ERR_NULL,
 *  APART_ERR_MEMORY, APART_ERR_FILE, APART_ERR_OPTION (unknown extension or format, or STL for a hull without faces),
 *  APART_ERR_OVERFLOW (a coordinate too large for STL). */
APART_API apart_status apart_hull_write(const apart_hull *hull, const char *path, int format, apart_io_error *error);

/** A body of a case file (format: tests/cases/README.md). Primitives have valid shapes and poses, coordinates are
 *  finite. */
typedef struct apart_case_body {
    int is_points;       /**< 1: coordinates (dim doubles each); 0: shape and pose */
    double *coordinates; /**< of the points */
    size_t count;        /**< number of points */
    apart_shape shape;   /**< the primitive */
    apart_pose pose;     /**< of the primitive */
} apart_case_body;

/** A pair of bodies and, if the file has it, the expected answer. */
typedef struct apart_case {
    char name[128];    /**< CATEGORY.ID */
    size_t dim;        /**< 2 to 6 */
    apart_case_body a; /**< body A */
    apart_case_body b; /**< body B */
    int has_distance;  /**< 1: the file gives the distance */
    double distance;   /**< expected, if has_distance */
    int relation;      /**< expected apart_relation, -1 if not given */
    size_t line;       /**< line at which the case starts */
} apart_case;

/** A case file being read. */
typedef struct apart_case_file apart_case_file;

/** Opens a case file; apart_case_close ends it. Statuses as apart_mesh_read. */
APART_API apart_status apart_case_open(const char *path, apart_case_file **out, apart_io_error *error);
/** The same from memory, which is copied; `name` is used in messages. */
APART_API apart_status apart_case_open_memory(const void *data, size_t size, const char *name, apart_case_file **out,
                                              apart_io_error *error);
/** The next case; *found = 0 at the end. Memory of the case belongs to the file and lives until the next call.
 *  An error ends the file: every further call reports it again. */
APART_API apart_status apart_case_next(apart_case_file *file, apart_case *out, int *found, apart_io_error *error);
/** Frees the file and its last case; NULL is allowed. */
APART_API void apart_case_close(apart_case_file *file);

#ifdef __cplusplus
}
#endif
#endif
