/* How a cover is made, and which file answers which question:
 *   input.c     is the mesh legal, and closed?
 *   clip.c      which part of a triangle lies in a box?
 *   surface.c   of which triangles is the surface of a hull made?
 *   planes.c    does a hull contain a point, for certain?
 *   nearest.c   which triangle is nearest to a point, and is the point inside?
 *   look.c      what would the hull of some points be like?
 *   excess.c    how far is the farthest point of a hull from the mesh?
 *   split.c     space is cut into boxes, until the hulls of what lies in them are many or good enough
 *   merge.c     which hulls can be joined, as the excess allows it?
 *   prove.c     do the hulls contain the mesh?
 *   build.c     the steps in a row; hulls are enlarged until the proof succeeds
 * docs/decisions/0011-covers.md says why the proof holds. */
#ifndef AP_COVER_COVER_H
#define AP_COVER_COVER_H

#include <apart/cover.h>

#include "../base/memory.h"
#include "../math/vec.h"

/* The mesh as given. */
typedef struct ap_cover_mesh {
    const apart_allocator *allocator;
    apart_vec3 *point;
    uint32_t (*triangle)[3];
    uint32_t point_count, triangle_count;
    double magnitude; /* the largest absolute coordinate */
    apart_aabb box;   /* of all triangles */
} ap_cover_mesh;

/* Copies and checks a mesh; ap_cover_mesh_close frees the copy. Statuses as apart_cover_check. */
apart_status ap_cover_mesh_open(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                                const apart_allocator *allocator, ap_cover_mesh *mesh);
void ap_cover_mesh_close(ap_cover_mesh *mesh);

/* How a mesh is closed: not at all; every edge has an even number of triangles; and as many in either direction. */
enum { AP_COVER_OPEN, AP_COVER_EVEN, AP_COVER_BALANCED };

/* The order of places; equal zeros of different signs are equal. */
int ap_cover_compare_points(apart_vec3 a, apart_vec3 b);

apart_status ap_cover_mesh_closed(const ap_cover_mesh *mesh, int *closed);

/* ---- clip.c ---- */

enum { AP_CLIP_POINTS = 12 }; /* nine, but for rounding */

/* A convex polygon and an error: what was to be clipped lies within `error` of the polygon. */
typedef struct ap_cover_polygon {
    apart_vec3 point[AP_CLIP_POINTS];
    int count;
    double error; /* 0: the points are corners of the triangle */
} ap_cover_polygon;

/* Is some of the triangle to be covered in the box of a leaf, for all that whole coordinates say? */
bool ap_cover_meets(const ap_cover_mesh *mesh, uint32_t triangle, const apart_aabb *box);

/* A polygon around the part of a triangle in a box. */
void ap_cover_clip(const ap_cover_mesh *mesh, uint32_t triangle, const apart_aabb *box, ap_cover_polygon *out);

/* ---- surface.c ---- */

/* Triangles of three vertices of a hull each. */
typedef struct ap_cover_surface {
    uint32_t (*triangle)[3];
    uint32_t count; /* 0: the vertices lie in a plane */
    bool closed;    /* every edge has its partner */
    double near;    /* vertices that were left out are within this distance of the body */
} ap_cover_surface;

/* The surface of a hull's vertices, of which those may be left out that are within the tolerance of the body. The
 * caller releases the triangles. */
apart_status ap_cover_surface_open(const apart_hull *hull, double tolerance, const apart_allocator *allocator,
                                   ap_cover_surface *s);

/* ---- planes.c ---- */

typedef struct ap_cover_plane {
    apart_vec3 a, b, c;
    apart_vec3 normal; /* (b - a) x (c - a), outwards */
    apart_vec3 error;  /* normal . d, computed, errs by at most error . |d| */
    double length;     /* at least |normal| */
} ap_cover_plane;

/* The surface of a hull as triangles. */
typedef struct ap_cover_planes {
    ap_cover_plane *plane;
    uint32_t count;
    bool solid; /* closed, with a point that lies properly below all planes */
} ap_cover_planes;

apart_status ap_cover_planes_open(const apart_hull *hull, const apart_allocator *allocator, ap_cover_planes *out);
void ap_cover_planes_close(ap_cover_planes *planes, const apart_allocator *allocator);

/* Is everything within `margin` of the point in the hull, for certain? */
bool ap_cover_planes_hold(const ap_cover_planes *planes, apart_vec3 point, double margin);

/* ---- nearest.c ---- */

typedef struct ap_cover_branch {
    double low[3], high[3];
    uint32_t first, count; /* triangles order[first], ...; */
    uint32_t child;        /* the first of two children; 0: a leaf */
} ap_cover_branch;

typedef struct ap_cover_tree {
    const ap_cover_mesh *mesh;
    ap_cover_branch *branch;
    uint32_t *order; /* one triangle of each place */
    int32_t *weight; /* by triangle: how often its place has it, less how often turned over */
    uint8_t *odd;    /* by triangle: 1 if its place has an odd number of triangles */
    uint32_t count;
    int closed;
} ap_cover_tree;

apart_status ap_cover_tree_open(const ap_cover_mesh *mesh, int closed, ap_cover_tree *tree);
void ap_cover_tree_close(ap_cover_tree *tree);

/* The distance of a point from a triangle, up to a few u of the coordinates. */
double ap_cover_distance(const ap_cover_mesh *mesh, uint32_t triangle, apart_vec3 p);

/* The nearest triangle, or one that is as near up to rounding. */
double ap_cover_nearest(const ap_cover_tree *tree, apart_vec3 p, uint32_t *triangle);

/* Does the mesh enclose the point? 1: yes; -1: no; 0: it lies on the surface. Exact. */
int ap_cover_side(const ap_cover_tree *tree, apart_vec3 p);

/* The surface's layer below the face of a tetrahedron that is opposite the apex, corner 3, as a share of the height of
 * the apex: what lies deeper, and 2^-30 of the height inside the other faces, meets no triangle. 1 if that were more than
 * `most`, or the tetrahedron is too flat. */
double ap_cover_layer(const ap_cover_tree *tree, const apart_vec3 corners[4], double most);

/* ---- excess.c ---- */

/* The search for the farthest point of hulls: no more than `budget` parts of a hull are looked at, and it ends when the
 * bounds are within a share `tolerance` of each other, or the upper one is below `floor`. */
typedef struct ap_cover_search {
    const ap_cover_tree *tree;
    bool solid;
    uint32_t budget;
    double tolerance, floor;
    double least;        /* a distance that was found; also that of an earlier hull */
    apart_vec3 farthest; /* where */
} ap_cover_search;

/* No point of the hull is farther than *upper from the mesh. */
apart_status ap_cover_excess_of(ap_cover_search *search, const apart_hull *hull, double *upper);

/* ---- split.c, merge.c ---- */

/* A part of space and what the mesh has in it. */
typedef struct ap_cover_cell {
    apart_aabb box;
    uint32_t node;      /* of the tree of cuts */
    uint32_t *triangle; /* those that meet the box */
    uint32_t count;
    uint32_t group;   /* of cells that share a hull */
    bool cut;         /* some triangle reaches out of the box */
    bool uncuttable;  /* it is too small */
    apart_hull *hull; /* NULL: there is nothing in it, or the group has it */
    double excess;    /* no point of the hull is farther from the mesh */
    apart_vec3 farthest;
} ap_cover_cell;

/* Cells that share a hull. */
typedef struct ap_cover_group {
    apart_hull *hull; /* NULL: joined to another group */
    apart_aabb box;   /* of the hull */
    double space;     /* that it takes (look.c) */
    double excess;    /* as of a cell */
    bool cut;         /* some cell of it is cut */
} ap_cover_group;

typedef struct ap_cover_work {
    const apart_allocator *allocator;
    const apart_cover_options *options;
    ap_cover_mesh mesh;
    ap_cover_tree tree;
    apart_cover_node *node;
    ap_cover_cell *cell;
    ap_cover_group *group;
    uint32_t *stamp; /* for each vertex of the mesh: when it was listed last */
    uint32_t now;
    double *xyz; /* points of a hull to be built */
    size_t xyz_count, xyz_room;
    uint32_t node_count, cell_count, group_count;
    double goal;    /* hulls whose excess is at most this are not cut */
    double size;    /* the diagonal of the mesh's box */
    double excess;  /* no point of the hulls of all cells is farther from the mesh */
    double moved;   /* no point of an enlarged hull is farther from the hull as it was */
    double share;   /* of the work, as it was told last */
    uint32_t hulls; /* wanted */
    bool solid, stopped;
} ap_cover_work;

/* Cuts space into up to `cells` cells, of which up to work->hulls have a hull. */
apart_status ap_cover_split(ap_cover_work *work, uint32_t cells);

/* Joins cells to groups while their joint excess is at most options->excess. */
apart_status ap_cover_merge(ap_cover_work *work);

/* ---- build.c ---- */

/* Points of the hull to be built; false: no memory. */
bool ap_cover_add_point(ap_cover_work *work, apart_vec3 p);
bool ap_cover_add_hull(ap_cover_work *work, const apart_hull *hull);
apart_status ap_cover_build_hull(ap_cover_work *work, apart_hull **out);

/* An upper bound of a hull's excess, from at most `budget` parts of it, and the farthest point that was seen. */
apart_status ap_cover_bound(ap_cover_work *work, const apart_hull *hull, uint32_t budget, double *excess,
                            apart_vec3 *farthest);

/* Tells the caller how far the work is; he may stop it. */
void ap_cover_report(ap_cover_work *work, double share);

/* ---- look.c ---- */

/* A look at the hull of the points that are listed. Adds to *space its volume, where the mesh's size is between 1 and 2,
 * and next to nothing for its area. *distance, unless NULL, gets at least its old value, and what was seen of the
 * distance from the mesh. A hull without volume adds nothing. */
apart_status ap_cover_look(ap_cover_work *work, double *space, double *distance);

/* ---- prove.c ---- */

/* Proves a claim about a mesh: failed[h] becomes 1 for hulls for which there is no proof; failed may be NULL, to end at
 * the first of them. */
apart_status ap_cover_prove(const ap_cover_mesh *mesh, const ap_cover_tree *tree, const apart_cover_claim *claim,
                            uint8_t *failed, apart_cover_proof *proof);

#endif
