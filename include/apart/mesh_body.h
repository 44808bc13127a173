/** @file
 * apart/mesh_body.h: a body from a mesh that was read from a file. Part of the library apart-io.
 *
 *     apart_mesh_data data;
 *     apart_io_error error;
 *     apart_mesh_body *part = NULL;
 *     apart_mesh_read("part.stl", &data, &error);
 *     apart_mesh_body_build(&data, NULL, &part);                 // the hull, the solid or the surface: part->as
 *     apart_compound_distance(part->solid, &pose_a, other->solid, &pose_b, NULL, &cache, &r);
 *     apart_mesh_body_free(part);
 *     apart_mesh_data_free(&data);
 *
 * A mesh can stand for four bodies: its *surface* (the triangles alone), the *solid* that they enclose (watertight
 * meshes only), its convex *hull*, or a *cover*, a few hulls that are proved to contain it. Without a wish it becomes
 * what loses nothing: the hull if the mesh is convex, else the solid if it is watertight, else the surface.
 * Read next: docs/meshes.md, apart/compound.h (the queries), apart/cover.h.
 */
#ifndef APART_MESH_BODY_H
#define APART_MESH_BODY_H

#include "compound.h"
#include "cover.h"
#include "io.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a mesh stands for as a body. */
typedef enum apart_mesh_as {
    APART_AS_AUTO = 0,    /**< the hull if the mesh is convex, else the solid if it is watertight, else the surface */
    APART_AS_SURFACE = 1, /**< its triangles alone */
    APART_AS_SOLID = 2,   /**< what they enclose, and the triangles */
    APART_AS_HULL = 3,    /**< its convex hull */
    APART_AS_COVER = 4    /**< convex hulls that contain it: the solid if it is watertight, else the surface */
} apart_mesh_as;

/** The number of values of apart_mesh_as. */
#define APART_AS_COUNT 5

/** "auto", "surface", "solid", "hull", "cover"; static storage. */
APART_API const char *apart_mesh_as_name(int as);

/** Options of apart_mesh_body_build. All bytes zero: the defaults. */
typedef struct apart_mesh_body_options {
    uint8_t as;                /**< apart_mesh_as */
    uint32_t threads;          /**< for the tree of a surface or solid, as in apart_mesh_options */
    apart_cover_options cover; /**< of a cover; `solid` and `allocator` are not used */
    uint8_t surface_cover;     /**< 1: the cover is one of the surface, also of a watertight mesh */
} apart_mesh_body_options;

/** A body made of a mesh. It owns all that it points to, and keeps nothing of the apart_mesh_data. */
typedef struct apart_mesh_body {
    uint8_t as;               /**< what it became; never APART_AS_AUTO */
    uint8_t convex;           /**< 1: the mesh was found convex; only with APART_AS_AUTO is that asked */
    apart_solid solid;        /**< for queries, as long as the body lives */
    apart_shape shape;        /**< of a hull: the same as a shape */
    apart_hull *hull;         /**< of a hull, else NULL */
    apart_mesh *mesh;         /**< of a surface or solid, else NULL. Triangles are numbered as in `triangles` */
    apart_cover *cover;       /**< of a cover, else NULL */
    apart_compound *compound; /**< of a cover: its hulls are the parts */
    uint32_t *triangles;   /**< three of the file's vertices each, from 0: the faces, as fans from their first corner */
    uint32_t *faces;       /**< the face of each triangle; NULL where faces and triangles have the same numbers */
    size_t triangle_count; /**< 0 for a point list */
    double deviation;      /**< as apart_mesh_deviation, of a hull; else 0 */
} apart_mesh_body;

/** Makes a body of a mesh or, as a hull only, of a point list. options may be NULL. Free it with apart_mesh_body_free.
 *  The mesh is convex if it is watertight, all corners and middles of its faces lie within 1e-6 of its size of its
 *  hull's surface, and it fills 99.9 % of its hull. Cost: of a surface or solid that of apart_mesh_build, of a hull
 *  apart_hull_build and apart_mesh_deviation, of a cover apart_cover_build.
 *  APART_ERR_NULL, APART_ERR_OPTION, APART_ERR_EMPTY (a point list as anything but a hull, or nothing at all),
 *  APART_ERR_NOT_WATERTIGHT (as a solid), or a status of the calls named. */
APART_API apart_status apart_mesh_body_build(const apart_mesh_data *data, const apart_mesh_body_options *options,
                                             apart_mesh_body **out);

/** Frees a body; NULL is allowed. */
APART_API void apart_mesh_body_free(apart_mesh_body *body);

/** One convex part of the body in the body's own frame: a triangle, a hull of the cover, or the hull. `part` is what
 *  queries call part_a or part_b. APART_ERR_NULL, APART_ERR_ID (no such part). */
APART_API apart_status apart_mesh_body_part(const apart_mesh_body *body, uint32_t part, apart_part *out);

#ifdef __cplusplus
}
#endif
#endif
