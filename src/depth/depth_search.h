/* What the parts of a depth search share: the question, what is known so far, and the steps. depth.c puts the steps in
 * order. */
#ifndef AP_DEPTH_DEPTH_SEARCH_H
#define AP_DEPTH_DEPTH_SEARCH_H

#include "depth.h"
#include "polytope.h"

/* The question: for which bodies, and when it is answered. */
typedef struct ap_depth_search {
    ap_pair *pair;
    const ap_vertex_sets *vertices; /* the transformed vertices of small hulls, else NULL */
    apart_trace *trace;             /* may be NULL */
    int kind;                       /* apart_depth */
    bool guess;   /* points of direction tables beyond a face will do: they need not be support points */
    double tilt;  /* bodies of revolution whose axes are this close to parallel are searched in a plane */
    double close; /* bounds this close to each other answer the question, */
    double deep;  /* and so does a lower bound above this */
} ap_depth_search;

/* The plane of a planar search: coordinates (f.w, g.w); f, g unit and perpendicular. */
typedef struct ap_plane {
    apart_vec3 f, g;
    double tilt; /* of bodies of revolution: how far they are from having parallel axes, an angle */
} ap_plane;

/* The tilt that counts as rounding, as products of rotations have it: 64 u. */
#define AP_PARALLEL 0x1p-47

/* Points of the Minkowski difference around the origin: in 3D two poles (0, 1) and a ring of 3 or 4 (2 ...), or a
 * tetrahedron; in a plane a ring. And the least support value of all directions evaluated so far, which is an upper
 * bound of the depth. */
typedef struct ap_enclosure {
    int count; /* 0: not enclosed */
    bool tetrahedron;
    ap_simplex_vertex point[6];
    apart_vec3 least_direction; /* unit */
    double least_value;
} ap_enclosure;

/* ---- start.c ---- */

/* A solid around the origin to expand: the polytope p, or in a plane the ring in e. section: the plane that decides the
 * depth of bodies of revolution, else NULL. g: the state in which GJK ended; the loop may be run again. False: the
 * bodies touch, to rounding; e->least_direction is then the separating direction that was found. */
bool ap_depth_start(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_plane *section, ap_gjk *g);

/* The same from the simplex of g as it is, without running GJK again; and only for pairs that no such plane decides. */
bool ap_depth_enclose(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_gjk *g);

/* Do the four points in which GJK ended make the overlap certain? Then the nearest of their faces bounds the depth: d is
 * filled, or without a depth (kind: apart_depth) only d->normal and d->enclosed. */
bool ap_depth_is_certain(ap_depth *d, ap_pair *pair, const ap_gjk *g, int kind);

/* The support point of the Minkowski difference along m (unit); returns its support value. e keeps the least one. */
double ap_depth_support(ap_enclosure *e, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found);

/* Runs GJK again; `out`: the direction in which the Minkowski difference extends least beyond the origin, as far as is
 * known. */
void ap_depth_restart_gjk(ap_gjk *g, ap_pair *pair, apart_vec3 out);

/* Searches for a supporting plane of the Minkowski difference close to the origin, which is near its boundary. */
void ap_depth_find_contact_plane(ap_enclosure *e, ap_pair *pair);

/* ---- expand.c, planar.c, revolution.c ---- */

/* Expands the polytope until its bounds answer the question. */
void ap_depth_expand(ap_depth *d, ap_enclosure *e, ap_polytope *p, const ap_depth_search *s);

/* Expands the ring in the enclosure, within the plane. The memory of p holds it. */
void ap_depth_expand_ring(ap_depth *d, ap_enclosure *e, ap_polytope *p, const ap_plane *plane,
                          const ap_depth_search *s);

/* Where the bounds stay apart: makes the direction with the least support value of all the normal, if its value is
 * below d->most. Returns true if it did. */
bool ap_depth_take_least(ap_depth *d, const ap_enclosure *e);

/* The depth of such an answer: how far the ray along the normal stays in what was built of the Minkowski difference. */
void ap_depth_measure(ap_depth *d);

/* Are the cores bodies of revolution about axes that are parallel to within the tilt? Then the plane through the origin
 * and the axis of their Minkowski difference decides the depth. Only for cores in 3D of which one has no numbered
 * vertices. */
bool ap_revolution_plane(const ap_pair *pair, double tilt, ap_plane *plane);

/* Moves the witness points that a search in that plane has found into the plane, and lowers the lower bound by what
 * the rounded or tilted axes can do to it. */
void ap_revolution_flatten(ap_depth *d, const ap_pair *pair, const ap_plane *plane);

/* ---- directions.c ---- */

/* The depth of cores that are sums of ellipsoids, of images of such, and of points, in 3D. plane: the one that decides
 * the depth of bodies of revolution, else NULL. The memory of p holds what waits. False: the cores are others, or too little
 * is proved; d is undefined then. */
bool ap_depth_search_directions(ap_depth *d, ap_pair *pair, const ap_plane *plane, const ap_polytope *p);

/* ---- depth_cache.c ---- */

/* What the memory of the caller holds. */
struct apart_depth_cache {
    uint32_t tag;      /* of the pair; 0: empty */
    uint32_t capacity; /* vertices */
    int32_t vertex_count, face_count;
    int32_t fresh_count; /* vertices after the last fresh build */
    uint32_t reserved[9];
    uint64_t seal; /* of the combinatorics as they were stored */
};                 /* 64 bytes, then the arrays of the polytope */

/* Makes an empty polytope in the memory of the cache. False: the search is planar, or the built-in workspace is larger
 * and the vertices have no numbers, so that nothing can be kept. */
bool ap_depth_cache_open(apart_depth_cache *cache, const ap_pair *pair, ap_polytope *p);

/* Does the cache keep a polytope of such a pair? */
bool ap_depth_cache_fits(const apart_depth_cache *cache, const ap_pair *pair);

/* That polytope at the new poses. vertices: as in ap_depth_search. False: it is damaged, or no longer around the
 * origin. */
bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, const ap_vertex_sets *vertices, ap_polytope *p);

/* Keeps the polytope, which is in the memory of the cache, for the next query. */
void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh);

/* Leaves the nearest face to the next query, in the vertex numbers of the simplex of GJK, with the vertex behind it that
 * gives the origin the most room: where the overlap is shallow, that tetrahedron proves the next depth by itself. */
void ap_depth_keep_face(const ap_polytope *p, ap_gjk *g);

/* ---- trace.c ---- */

/* A step of a trace: the face at which the polytope is expanded next. most: the upper bound, infinite where a guess
 * gave none. */
void ap_depth_trace_face(const ap_depth_search *s, const ap_polytope *p, const ap_nearest_face *face, double most);

/* The same for the edge of a ring. */
void ap_depth_trace_edge(const ap_depth_search *s, const ap_simplex_vertex *ring, int count, int edge,
                         const ap_depth *d);

#endif
