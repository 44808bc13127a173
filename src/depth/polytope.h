/* The polytope of EPA: a closed triangulated surface around the origin with vertices in the Minkowski difference.
 *
 * Invariant: the triangles form a closed surface (every edge is shared by two), and each has the origin strictly
 * inside: det(p, q, r) > 0 beyond its own rounding. Then every ray from the origin meets the surface, all of the
 * surface lies in the convex Minkowski difference, and so does the sphere up to its nearest triangle: depth >= the
 * least distance of a triangle, whether or not the surface is convex.
 *
 * Half-edges are numbered 4 * face + i, i = 0..2: half-edge i of a face runs from its corner i to the next corner,
 * counter-clockwise seen from outside.
 *
 * Legend: n = (q - p) x (r - p) is the normal of a triangle, not unit; d is the least of n.p, n.q, n.r; the distance of
 * the triangle from the origin is d/|n|. */
#ifndef AP_DEPTH_POLYTOPE_H
#define AP_DEPTH_POLYTOPE_H

#include "../pair/pair.h"
#include "../simd/lanes.h"

#define AP_POLYTOPE_VERTICES 256 /* of the built-in workspace */
#define AP_POLYTOPE_FACES(vertices) (2 * (vertices)-4)
/* A vertex (32 + 8) and two faces (32 + 8 + 16 each); where vertices have no numbers, their points on A as well. */
#define AP_POLYTOPE_BYTES 152
#define AP_POLYTOPE_BYTES_WITH_POINTS (AP_POLYTOPE_BYTES + 24)

/* With no more vertices than this, the number of a half-edge fits 16 bits. */
#define AP_POLYTOPE_MOST_VERTICES 8192

/* In units of u * M * |e||f| for a triangle with edges e, f (largest components): the components of n = e x f err by 8,
 * so n.x - n.p for |x|, |p| <= M errs by 3 * 8 * 2 from n and 2 * 10 from the dot products; n.p alone, which is the
 * determinant, by half of that. */
#define AP_FACE_NOISE 72.0
/* The least |n|/(|e||f|), squared, of a triangle whose normal in doubles is accurate enough: sines above 1/64. */
#define AP_FACE_THIN 0x1p-12
/* So |e||f| <= 64 |n| for these, and thinner triangles have a normal from double-double, which is better than that:
 * what rounding can do to n.x - d, per |n|. */
#define AP_FACE_NOISE_OF_NORMAL 64.0

/* Arrays by capacity in one piece of memory. */
typedef struct ap_polytope {
    int vertex_count, face_count;
    int capacity;      /* vertices */
    bool changed;      /* the triangles are not those that were stored */
    bool aside;        /* some faces are set aside: their key is infinite */
    double noise_unit; /* what rounding can do to a plane, per product of the lengths of two edges */
    double *w;         /* four numbers a vertex: x, y, z, and z again */
    double *plane;     /* four numbers a face: n, d */
    double *key;       /* a face: the square of its distance; infinite keys follow the last face */
    uint32_t *index;   /* two numbers a vertex: its index on A and on B */
    uint16_t *corner;  /* four a face: at half-edge h 4 * the vertex it begins at; the fourth is the first again */
    uint16_t *twin;    /* four a face: at half-edge h the opposite half-edge; the fourth: 1 for a seen face, else 0 */
    apart_vec3 *a;     /* the points on A, where vertices have no numbers; else NULL */
} ap_polytope;

/* The workspace of a query that brings none, on the stack. */
typedef struct ap_polytope_storage {
    double memory[AP_POLYTOPE_VERTICES * AP_POLYTOPE_BYTES_WITH_POINTS / sizeof(double)];
} ap_polytope_storage;

/* The face at which the polytope is expanded. */
typedef struct ap_nearest_face {
    apart_vec3 n;    /* its normal, not unit */
    apart_vec3 unit; /* its unit normal */
    double distance; /* from the origin along the unit normal */
    int index;       /* -1: every face is set aside; nothing else is set then */
} ap_nearest_face;

/* ---- memory, planes and the nearest face: polytope.c ---- */

/* Makes an empty polytope in memory of 8-byte alignment: capacity times the bytes above (with points unless
 * pair->vertices). */
void ap_polytope_init(ap_polytope *p, void *memory, int capacity, const ap_pair *pair);

/* Makes the polytope a tetrahedron. False: the origin is not clearly inside. */
bool ap_polytope_tetrahedron(ap_polytope *p, const ap_simplex_vertex vertex[4]);

/* Makes the polytope a solid of two poles and a ring of 3 or 4 vertices around their axis, counter-clockwise seen from
 * the first pole. False: the origin is not clearly inside. */
bool ap_polytope_bipyramid(ap_polytope *p, const ap_simplex_vertex pole[2], const ap_simplex_vertex *ring,
                           int ring_count);

/* The vertices have moved: computes all planes anew. False: a triangle no longer has the origin clearly inside. */
bool ap_polytope_refresh(ap_polytope *p);

/* The face whose plane is nearest to the origin; the lowest number wins ties. Faces set aside are left out. */
void ap_polytope_nearest(const ap_polytope *p, ap_nearest_face *out);

/* Leaves a face out of the growth until a flip or a split makes it anew; and takes all such faces back. */
void ap_polytope_set_aside(ap_polytope *p, int face);
void ap_polytope_take_back(ap_polytope *p);

/* A vertex as one of a simplex, with both points on the bodies. */
void ap_polytope_vertex(const ap_polytope *p, ap_pair *pair, int vertex, double lambda, ap_simplex_vertex *out);

/* det(p, q, r) and how far rounding can have moved it: in doubles first, with error-free products where that leaves the
 * sign open. */
double ap_determinant(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *noise);

/* Sets the corners a, b, c (vertices) and the plane of a face of any shape; its twins are left. */
void ap_polytope_set_face(ap_polytope *p, int f, int a, int b, int c);

/* ---- growth: polytope_grow.c, and polytope_flip.c where rounding leaves a decision open ---- */

/* Adds a point beyond `face` and makes the surface convex around it. least: no face is nearer to the origin than this,
 * except those set aside. False: no room, or rounding forbids it; nothing has changed then. */
bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point, double least);

/* The same by one split of a triangle or an edge, then flips. */
bool ap_polytope_insert_by_flips(ap_polytope *p, int face, const ap_simplex_vertex *point);

/* Flips edges (Lawson's loop) of faces whose corner 0 is a new point until the surface is convex there. */
void ap_polytope_make_convex(ap_polytope *p, const int *start, int count);

/* Is x clearly above the plane of the face? Decided in double-double. */
bool ap_polytope_is_above_exactly(const ap_polytope *p, int face, apart_vec3 x);

/* ---- rays from the origin: polytope_locate.c ---- */

/* The face that the ray from the origin along d (unit) leaves through; the search starts at `face`. weight: barycentric
 * in that face, >= 0, sum 1. */
int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3]);

/* Walks from face to face to the one that the ray along d leaves through. side: det(d, q, r) for its three half-edges
 * q r; noise: how far rounding can have moved these. */
int ap_polytope_walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3]);

/* ---- access ---- */

/* The point of a vertex. */
static inline apart_vec3 ap_polytope_point(const ap_polytope *p, int vertex)
{
    const double *w = &p->w[4 * vertex];
    return ap_vec(w[0], w[1], w[2]);
}

/* The vertex at corner i of a face. */
static inline int ap_polytope_corner(const ap_polytope *p, int face, int i) { return p->corner[4 * face + i] >> 2; }

/* The point at which half-edge h begins. */
static inline apart_vec3 ap_polytope_corner_point(const ap_polytope *p, int h)
{
    const double *w = &p->w[p->corner[h]];
    return ap_vec(w[0], w[1], w[2]);
}

/* The next half-edge of the same face. */
static inline int ap_polytope_next(int h) { return (h & 3) == 2 ? h - 2 : h + 1; }

/* Makes two half-edges each other's twins. */
static inline void ap_polytope_join(ap_polytope *p, int h, int t)
{
    p->twin[h] = (uint16_t)t;
    p->twin[t] = (uint16_t)h;
}

/* Keys beyond the last face are infinite, so that a search for the least key may take four at a time. */
static inline void ap_polytope_set_face_count(ap_polytope *p, int count)
{
    p->face_count = count;
    ap_lanes_store(&p->key[count], ap_lanes_all(INFINITY));
}

/* Writes vertex i. */
static inline void ap_polytope_put_vertex(ap_polytope *p, int i, const ap_simplex_vertex *s)
{
    ap_lanes_store(&p->w[4 * i], ap_lanes_load(&s->w));
    p->index[2 * i] = s->index_a;
    p->index[2 * i + 1] = s->index_b;
    if (p->a != NULL) {
        p->a[i] = s->a;
    }
}

/* Is det(p, q, r) > 0 beyond its rounding: does the triangle have the origin strictly inside? */
static inline bool ap_clearly_positive(apart_vec3 p, apart_vec3 q, apart_vec3 r)
{
    double noise;
    return ap_determinant(p, q, r, &noise) > noise;
}

/* ---- four triangles at a time ---- */

/* Four points. */
AP_INLINE ap_lanes3 ap_lanes3_transposed(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    ap_lanes_transpose4(&a, &b, &c, &d);
    return (ap_lanes3){a, b, c};
}

/* The points of four vertices, whose numbers are given times 4. */
AP_INLINE ap_lanes3 ap_polytope_gather(const ap_polytope *p, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3)
{
    const double *w = p->w;
    return ap_lanes3_transposed(ap_lanes_load(&w[v0]), ap_lanes_load(&w[v1]), ap_lanes_load(&w[v2]),
                                ap_lanes_load(&w[v3]));
}

/* Writes the planes of the triangles p q r as rows of four numbers, and their keys. Returns bit i where the origin is
 * not clearly inside triangle i, or where that is too thin for its normal in doubles. */
AP_INLINE unsigned ap_planes4_set(ap_lanes3 p, ap_lanes3 q, ap_lanes3 r, double noise_unit, double *plane, double *key)
{
    const ap_lanes3 e = ap_lanes3_sub(q, p), f = ap_lanes3_sub(r, p), n = ap_lanes3_cross(e, f);
    const ap_lanes edges = ap_lanes_mul(ap_lanes3_max_abs(e), ap_lanes3_max_abs(f));
    const ap_lanes distance = ap_lanes_min(ap_lanes3_dot(n, p), ap_lanes_min(ap_lanes3_dot(n, q), ap_lanes3_dot(n, r)));
    const ap_lanes square = ap_lanes3_dot(n, n);
    const ap_mask inside = ap_lanes_greater(distance, ap_lanes_scale(noise_unit, edges));
    const ap_mask wide = ap_lanes_greater(square, ap_lanes_scale(AP_FACE_THIN, ap_lanes_mul(edges, edges)));
    ap_lanes a = n.x, b = n.y, c = n.z, d = distance;
    ap_lanes_transpose4(&a, &b, &c, &d);
    ap_lanes_store(plane, a);
    ap_lanes_store(plane + 4, b);
    ap_lanes_store(plane + 8, c);
    ap_lanes_store(plane + 12, d);
    ap_lanes_store(key, ap_lanes_div(ap_lanes_mul(distance, distance), square));
    return ap_mask_bits(ap_mask_not(ap_mask_and(inside, wide)));
}

#endif
