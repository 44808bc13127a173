/* The planes of the surface's triangles: four at a time where that is clear, one by one in more precision where it is not. */
#ifndef AP_NARROW_POLYTOPE_FACE_H
#define AP_NARROW_POLYTOPE_FACE_H

#include "depth_lanes.h"
#include "polytope.h"

/* In units of u * M * |e||f| for a triangle with edges e, f (largest components): the components of n = e x f err by 8, so n.x - n.p for
 * |x|, |p| <= M errs by 3 * 8 * 2 from n and 2 * 10 from the dot products; n.p alone, which is the determinant, by half of that. */
#define AP_FACE_NOISE 72.0
/* The least |n|/(|e||f|), squared, of a triangle whose plain normal is good enough: sines above 1/64. */
#define AP_FACE_THIN 0x1p-12
/* Added to a noise before it is rounded to a float, so that it stays above 0. */
#define AP_NOISE_FLOOR 0x1p-120

/* Four triangles' planes. */
typedef struct ap_planes4 {
    ap_points4 n;
    ap_v4 d, key, noise;
    unsigned unclear; /* bit i: the origin is not clearly inside triangle i, or it is too thin for its plain normal */
} ap_planes4;

AP_LANE_INLINE ap_planes4 ap_planes4_of(ap_points4 p, ap_points4 q, ap_points4 r, double noise_unit)
{
    const ap_points4 e = ap_points4_sub(q, p), f = ap_points4_sub(r, p);
    const ap_v4 edges = ap_points4_max_abs(e) * ap_points4_max_abs(f);
    ap_planes4 out = {.n = ap_points4_cross(e, f)};
    out.d = ap_v4_min(ap_points4_dot(out.n, p), ap_v4_min(ap_points4_dot(out.n, q), ap_points4_dot(out.n, r)));
    out.noise = ap_v4_all(noise_unit) * edges + ap_v4_all(AP_NOISE_FLOOR);
    const ap_v4 square = ap_points4_dot(out.n, out.n);
    out.key = out.d * out.d / square;
    const ap_v4_mask clear = (out.d > out.noise) & (square > ap_v4_all(AP_FACE_THIN) * (edges * edges));
    out.unclear = ap_v4_bits(~clear);
    return out;
}

/* Four vertices as lanes. */
AP_LANE_INLINE ap_points4 ap_points4_gather(const double *w, const int vertex[4])
{
    ap_v4 a = ap_v4_load(&w[4 * vertex[0]]), b = ap_v4_load(&w[4 * vertex[1]]);
    ap_v4 c = ap_v4_load(&w[4 * vertex[2]]), d = ap_v4_load(&w[4 * vertex[3]]);
    ap_v4_transpose(&a, &b, &c, &d);
    return (ap_points4){a, b, c};
}

/* The planes as rows of four, and what goes with them, one after the other. */
AP_LANE_INLINE void ap_planes4_store(const ap_planes4 *planes, double *plane, double *key, float *noise)
{
    ap_v4 a = planes->n.x, b = planes->n.y, c = planes->n.z, d = planes->d;
    ap_v4_transpose(&a, &b, &c, &d);
    ap_v4_store(plane, a);
    ap_v4_store(plane + 4, b);
    ap_v4_store(plane + 8, c);
    ap_v4_store(plane + 12, d);
    ap_v4_store(key, planes->key);
    typedef float v4_float __attribute__((vector_size(16)));
    const v4_float narrow = __builtin_convertvector(planes->noise, v4_float);
    memcpy(noise, &narrow, sizeof narrow);
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

static inline void ap_polytope_set_link(ap_polytope *p, int f, int a, int b, int c, int across_a, int across_b, int across_c)
{
    p->link[f] = (ap_polytope_link){{(uint16_t)a, (uint16_t)b, (uint16_t)c}, {(uint16_t)across_a, (uint16_t)across_b, (uint16_t)across_c}};
}

/* Link and plane together. */
void ap_polytope_set_face(ap_polytope *p, int f, int a, int b, int c, int across_a, int across_b, int across_c);

/* Keys beyond the last face are infinite: a search for the least may take four at a time. */
static inline void ap_polytope_set_face_count(ap_polytope *p, int count)
{
    p->face_count = count;
    ap_v4_store(&p->key[count], ap_v4_all(INFINITY));
}

void ap_polytope_put_vertex(ap_polytope *p, int i, const ap_simplex_vertex *s);

/* Is x clearly above the plane of the face? Decided in double-double where the stored plane cannot tell. */
bool ap_polytope_is_above_exactly(const ap_polytope *p, int face, apart_vec3 x);

static inline bool ap_polytope_is_above(const ap_polytope *p, int face, apart_vec3 x)
{
    const double *plane = &p->plane[4 * face];
    const double height = ap_dot(ap_vec(plane[0], plane[1], plane[2]), x) - plane[3];
    return fabs(height) > (double)p->noise[face] ? height > 0.0 : ap_polytope_is_above_exactly(p, face, x);
}

/* Walks from face to face towards d; side: det(d, q, r) for the three edges of the last one, and their noise. */
int ap_polytope_walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3]);

/* Lawson's loop over faces whose corner 0 is a new point. */
void ap_polytope_make_convex(ap_polytope *p, const int *start, int count);

/* The careful way to insert a point: one split, then flips. */
bool ap_polytope_insert_by_flips(ap_polytope *p, int face, const ap_simplex_vertex *point);

#endif
