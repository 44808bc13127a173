/* The planes of the surface's triangles: four at a time where that is clear, one by one in more precision where it is not. */
#ifndef AP_DEPTH_POLYTOPE_FACE_H
#define AP_DEPTH_POLYTOPE_FACE_H

#include "../simd/lanes.h"
#include "polytope.h"

/* In units of u * M * |e||f| for a triangle with edges e, f (largest components): the components of n = e x f err by 8, so n.x - n.p for
 * |x|, |p| <= M errs by 3 * 8 * 2 from n and 2 * 10 from the dot products; n.p alone, which is the determinant, by half of that. */
#define AP_FACE_NOISE 72.0
/* The least |n|/(|e||f|), squared, of a triangle whose plain normal is good enough: sines above 1/64. */
#define AP_FACE_THIN 0x1p-12
/* So |e||f| <= 64 |n| for these, and a normal from double-double is better than that: what rounding can do to n.x - d, per |n|. */
#define AP_FACE_NOISE_OF_NORMAL 64.0

/* Four triangles' planes. */
typedef struct ap_planes4 {
    ap_lanes3 n;
    ap_lanes d, key;
    unsigned unclear; /* bit i: the origin is not clearly inside triangle i, or it is too thin for its plain normal */
} ap_planes4;

AP_INLINE ap_planes4 ap_planes4_of(ap_lanes3 p, ap_lanes3 q, ap_lanes3 r, double noise_unit)
{
    const ap_lanes3 e = ap_lanes3_sub(q, p), f = ap_lanes3_sub(r, p);
    const ap_lanes edges = ap_lanes3_max_abs(e) * ap_lanes3_max_abs(f);
    ap_planes4 out = {.n = ap_lanes3_cross(e, f)};
    out.d = ap_lanes_min(ap_lanes3_dot(out.n, p), ap_lanes_min(ap_lanes3_dot(out.n, q), ap_lanes3_dot(out.n, r)));
    const ap_lanes square = ap_lanes3_dot(out.n, out.n);
    out.key = out.d * out.d / square;
    const ap_mask clear = (out.d > ap_lanes_all(noise_unit) * edges) & (square > ap_lanes_all(AP_FACE_THIN) * (edges * edges));
    out.unclear = ap_mask_bits(~clear);
    return out;
}

/* Four vertices, given times 4, as lanes. */
AP_INLINE ap_lanes3 ap_lanes3_gather(const double *w, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3)
{
    ap_lanes a = ap_lanes_load(&w[v0]), b = ap_lanes_load(&w[v1]), c = ap_lanes_load(&w[v2]), d = ap_lanes_load(&w[v3]);
    ap_lanes_transpose4(&a, &b, &c, &d);
    return (ap_lanes3){a, b, c};
}

/* The planes as rows of four, and what goes with them, one after the other. */
AP_INLINE void ap_planes4_store(const ap_planes4 *planes, double *plane, double *key)
{
    ap_lanes a = planes->n.x, b = planes->n.y, c = planes->n.z, d = planes->d;
    ap_lanes_transpose4(&a, &b, &c, &d);
    ap_lanes_store(plane, a);
    ap_lanes_store(plane + 4, b);
    ap_lanes_store(plane + 8, c);
    ap_lanes_store(plane + 12, d);
    ap_lanes_store(key, planes->key);
}

/* det(p, q, r) and how far rounding can have moved it: plain first, with error-free products where that cannot tell the sign. */
double ap_determinant(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *noise);

static inline bool ap_clearly_positive(apart_vec3 p, apart_vec3 q, apart_vec3 r)
{
    double noise;
    return ap_determinant(p, q, r, &noise) > noise;
}

/* The plane of one triangle of any shape. */
void ap_polytope_set_plane(ap_polytope *p, int face);

/* Corners a, b, c (vertices) and plane; twins are left. */
void ap_polytope_set_face(ap_polytope *p, int f, int a, int b, int c);

/* Makes two half-edges each other's twins. */
static inline void ap_polytope_join(ap_polytope *p, int h, int t)
{
    p->twin[h] = (uint16_t)t;
    p->twin[t] = (uint16_t)h;
}

/* The next half-edge of the same face. */
static inline int ap_polytope_next(int h) { return (h & 3) == 2 ? h - 2 : h + 1; }

/* Keys beyond the last face are infinite: a search for the least may take four at a time. */
static inline void ap_polytope_set_face_count(ap_polytope *p, int count)
{
    p->face_count = count;
    ap_lanes_store(&p->key[count], ap_lanes_all(INFINITY));
}

static inline void ap_polytope_put_vertex(ap_polytope *p, int i, const ap_simplex_vertex *s)
{
    ap_lanes_store(&p->w[4 * i], ap_lanes_load(&s->w));
    p->index[2 * i] = s->index_a;
    p->index[2 * i + 1] = s->index_b;
    if (p->a != NULL) {
        p->a[i] = s->a;
    }
}

/* Is x clearly above the plane of the face? Decided in double-double where the stored plane cannot tell. */
bool ap_polytope_is_above_exactly(const ap_polytope *p, int face, apart_vec3 x);

/* A corner's point. */
static inline apart_vec3 ap_polytope_corner_point(const ap_polytope *p, int h)
{
    const double *w = &p->w[p->corner[h]];
    return ap_vec(w[0], w[1], w[2]);
}

static inline bool ap_polytope_is_above(const ap_polytope *p, int face, apart_vec3 x)
{
    const double *plane = &p->plane[4 * face];
    const double height = ap_dot(ap_vec(plane[0], plane[1], plane[2]), x) - plane[3];
    const double size = (fabs(plane[0]) + fabs(plane[1])) + fabs(plane[2]);
    return fabs(height) > AP_FACE_NOISE_OF_NORMAL * p->noise_unit * size ? height > 0.0 : ap_polytope_is_above_exactly(p, face, x);
}

/* Walks from face to face towards d; side: det(d, q, r) for the three half-edges q r of the last one, and their noise. */
int ap_polytope_walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3]);

/* Lawson's loop over faces whose corner 0 is a new point. */
void ap_polytope_make_convex(ap_polytope *p, const int *start, int count);

/* The careful way to insert a point: one split, then flips. */
bool ap_polytope_insert_by_flips(ap_polytope *p, int face, const ap_simplex_vertex *point);

#endif
