/* A closed triangulated surface around the origin, with vertices on the TCSO: the workspace of the depth search.
 *
 * Invariant: the triangles form a closed sphere (every edge is shared by two), and each has the origin strictly inside, det(p, q, r) > 0
 * beyond its own rounding. Then rays from the origin meet the surface once, all of it lies in the convex TCSO, and the ball up to
 * its nearest triangle does too: depth >= the least distance of a triangle, whether or not the surface is convex. */
#ifndef AP_NARROW_POLYTOPE_H
#define AP_NARROW_POLYTOPE_H

#include "pair.h"

#define AP_POLYTOPE_VERTICES 256 /* of the built-in workspace */
#define AP_POLYTOPE_FACES(vertices) (2 * (vertices)-4)

typedef struct ap_polytope_vertex {
    apart_vec3 w, a;           /* b = w + a */
    uint32_t index_a, index_b;
} ap_polytope_vertex; /* 56 bytes */

typedef struct ap_polytope_face {
    uint16_t vertex[3];    /* counter-clockwise seen from outside */
    uint16_t neighbour[3]; /* across the edge opposite vertex[i] */
    float noise;           /* what rounding can do to the height of a point above the plane; < 0: the face is set aside */
    apart_vec3 normal;     /* unit, outward */
    double distance;       /* no point of the triangle is nearer to the origin */
} ap_polytope_face; /* 48 bytes */

typedef struct ap_polytope {
    int vertex_count, face_count;
    int capacity; /* vertices */
    ap_polytope_vertex *vertex;
    ap_polytope_face *face; /* AP_POLYTOPE_FACES(capacity) */
} ap_polytope;

/* The workspace of a query that brings none: about 40 kB on the stack. */
typedef struct ap_polytope_storage {
    ap_polytope_vertex vertex[AP_POLYTOPE_VERTICES];
    ap_polytope_face face[AP_POLYTOPE_FACES(AP_POLYTOPE_VERTICES)];
} ap_polytope_storage;

/* The vertices have moved: computes all planes anew. False: a triangle no longer has the origin clearly inside. */
bool ap_polytope_refresh(ap_polytope *p);

/* Every vertex and neighbour number is in range and every edge is shared by just two triangles, in opposite directions. */
bool ap_polytope_is_closed(const ap_polytope *p);

/* Two poles and a ring of 3 or 4 vertices around their axis, counter-clockwise seen from the first pole. False: the origin is not clearly inside. */
bool ap_polytope_bipyramid(ap_polytope *p, const ap_simplex_vertex pole[2], const ap_simplex_vertex *ring, int ring_count);

/* Four points around the origin. False: it is not clearly inside. */
bool ap_polytope_tetrahedron(ap_polytope *p, const ap_simplex_vertex vertex[4]);

/* The face whose plane is nearest to the origin; the lowest number wins ties. growing: faces set aside are left out; -1 if that is all. */
int ap_polytope_nearest(const ap_polytope *p, bool growing);

/* Leaves a face out of the growth, until a flip or a split makes it anew. */
void ap_polytope_set_aside(ap_polytope *p, int face);

/* The face that the ray from the origin along d leaves through; starts looking at `face`. weight: barycentric in that face, >= 0, sum 1. */
int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3]);

/* Adds a point beyond `face` and makes the surface convex around it by flips. False: no room, or rounding forbids it; nothing changed then. */
bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point);

#endif
