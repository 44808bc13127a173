/* A closed triangulated surface around the origin, with vertices on the TCSO: the workspace of the depth search.
 *
 * Invariant: the triangles form a closed surface (every edge is shared by two), and each has the origin strictly inside, det(p, q, r) > 0
 * beyond its own rounding. Then every ray from the origin meets the surface, all of it lies in the convex TCSO, and the ball up to
 * its nearest triangle does too: depth >= the least distance of a triangle, whether or not the surface is convex.
 *
 * Half-edges are numbered 4 * face + i, i = 0..2: that of a face from its corner i to the next one, counter-clockwise seen from outside.
 *
 * Legend: n = (q - p) x (r - p) a triangle's normal, not unit; d the least of n.p, n.q, n.r; its distance from the origin is d/|n|. */
#ifndef AP_DEPTH_POLYTOPE_H
#define AP_DEPTH_POLYTOPE_H

#include "../pair/pair.h"

#define AP_POLYTOPE_VERTICES 256 /* of the built-in workspace */
#define AP_POLYTOPE_FACES(vertices) (2 * (vertices)-4)
/* A vertex (32 + 8) and two faces (32 + 8 + 16 each); where vertices have no numbers, their points on A as well. */
#define AP_POLYTOPE_BYTES 152
#define AP_POLYTOPE_BYTES_WITH_POINTS (AP_POLYTOPE_BYTES + 24)

/* So that half-edges are numbered in 16 bits. */
#define AP_POLYTOPE_MOST_VERTICES 8192

/* Arrays by capacity in one piece of memory. */
typedef struct ap_polytope {
    int vertex_count, face_count;
    int capacity;      /* vertices */
    bool changed;      /* the triangles are not those that were stored */
    bool aside;        /* some faces are set aside: their key is infinite */
    double noise_unit; /* what rounding can do to a plane, per product of two edges' lengths */
    double *w;         /* four a vertex: x, y, z, and z again */
    double *plane;     /* four a face: n, d */
    double *key;       /* a face: the square of its distance; infinite ones follow the last face */
    uint32_t *index;   /* two a vertex: its numbers on A and on B */
    uint16_t *corner;  /* four a face: at half-edge h 4 * the vertex it begins at; the fourth is the first again */
    uint16_t *twin;    /* four a face: at half-edge h the half-edge the other way; the fourth: 0, or 1 while growing */
    apart_vec3 *a;     /* the vertices on A, where they have no numbers; else NULL */
} ap_polytope;

/* The workspace of a query that brings none, on the stack. */
typedef struct ap_polytope_storage {
    double memory[AP_POLYTOPE_VERTICES * AP_POLYTOPE_BYTES_WITH_POINTS / sizeof(double)];
} ap_polytope_storage;

/* Lays an empty surface out in memory of 8-byte alignment: capacity times the bytes above (with points unless pair->vertices). */
void ap_polytope_init(ap_polytope *p, void *memory, int capacity, const ap_pair *pair);

static inline apart_vec3 ap_polytope_point(const ap_polytope *p, int vertex)
{
    const double *w = &p->w[4 * vertex];
    return ap_vec(w[0], w[1], w[2]);
}

/* The normal of a face, not unit. */
static inline apart_vec3 ap_polytope_direction(const ap_polytope *p, int face)
{
    const double *plane = &p->plane[4 * face];
    return ap_vec(plane[0], plane[1], plane[2]);
}

/* The vertex at corner i of a face. */
static inline int ap_polytope_corner(const ap_polytope *p, int face, int i) { return p->corner[4 * face + i] >> 2; }

/* The unit normal of a face, and its distance from the origin along that. */
static inline apart_vec3 ap_polytope_normal(const ap_polytope *p, int face, double *distance)
{
    const apart_vec3 n = ap_polytope_direction(p, face);
    const double square = ap_dot(n, n);
    if (!(square > 0.0)) { /* a triangle without area, which no test lets pass */
        *distance = 0.0;
        return ap_vec(1.0, 0.0, 0.0);
    }
    const double inverse = 1.0 / sqrt(square);
    *distance = ap_max(p->plane[4 * face + 3], 0.0) * inverse;
    return ap_scale(inverse, n);
}

/* The vertices have moved: computes all planes anew. False: a triangle no longer has the origin clearly inside. */
bool ap_polytope_refresh(ap_polytope *p);

/* Two poles and a ring of 3 or 4 vertices around their axis, counter-clockwise seen from the first pole. False: the origin is not clearly inside. */
bool ap_polytope_bipyramid(ap_polytope *p, const ap_simplex_vertex pole[2], const ap_simplex_vertex *ring, int ring_count);

/* Four points around the origin. False: it is not clearly inside. */
bool ap_polytope_tetrahedron(ap_polytope *p, const ap_simplex_vertex vertex[4]);

/* The face whose plane is nearest to the origin; the lowest number wins ties. Faces set aside are left out; -1 if that is all. */
int ap_polytope_nearest(const ap_polytope *p);

/* Leaves a face out of the growth, until a flip or a split makes it anew; and takes all such faces back. */
void ap_polytope_set_aside(ap_polytope *p, int face);
void ap_polytope_take_back(ap_polytope *p);

/* The face that the ray from the origin along d (unit) leaves through; starts looking at `face`. weight: barycentric in that face, >= 0, sum 1. */
int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3]);

/* Adds a point beyond `face` and makes the surface convex around it. least: no face is nearer to the origin than this, but those set aside.
 * False: no room, or rounding forbids it; nothing changed then. */
bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point, double least);

/* A vertex as one of a simplex, with both points on the bodies. */
void ap_polytope_vertex(const ap_polytope *p, ap_pair *pair, int vertex, double lambda, ap_simplex_vertex *out);

#endif
