/* Where a ray from the origin leaves the polytope: which triangle, and where in it.
 *
 * Neighbouring triangles are tried with weights in doubles first. Where a triangle is too thin for these, the walk goes
 * by determinants with error bounds, and the weights are computed in double-double. */
#include "polytope.h"

/* In units of u over the sine of the triangle: weights in doubles this far below 0 are 0. */
#define WEIGHT_NOISE 8.0
/* How many triangles are tried with weights in doubles. */
#define ROUNDED_STEPS 32

/* det(d, q, r) for the three half-edges q r of a face: all are >= 0 when the ray along d passes through it. Returns the
 * least. */
static int worst_edge(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    int worst = 0;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 q = ap_polytope_corner_point(p, 4 * f + i), r = ap_polytope_corner_point(p, 4 * f + i + 1);
        side[i] = ap_determinant(d, q, r, &noise[i]);
        worst = side[i] < side[worst] ? i : worst;
    }
    return worst;
}

int ap_polytope_walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    for (int step = 0; step < p->face_count; step++) {
        const int worst = worst_edge(p, f, d, side, noise);
        if (side[worst] >= -noise[worst]) {
            return f;
        }
        f = p->twin[4 * f + worst] >> 2;
    }
    /* Only a surface that rounding left dented can make a walk go round: all faces are tested then. */
    int best = f;
    double least = -INFINITY;
    for (f = 0; f < p->face_count; f++) {
        const int worst = worst_edge(p, f, d, side, noise);
        if (side[worst] > least) {
            least = side[worst];
            best = f;
        }
    }
    worst_edge(p, best, d, side, noise);
    return best;
}

/* Barycentric weights of the ray along d in a face, in double-double: a thin triangle needs them for its witness
 * points. */
static void weights_in_double_double(const ap_polytope *p, int f, apart_vec3 d, double weight[3])
{
    ap_dd part[3], sum = ap_dd_from(0.0);
    for (int i = 0; i < 3; i++) {
        const int h = ap_polytope_next(4 * f + i); /* opposite corner i */
        const ap_dd3 q = ap_dd3_from(ap_polytope_corner_point(p, h));
        const ap_dd3 r = ap_dd3_from(ap_polytope_corner_point(p, h + 1));
        part[i] = ap_dd3_dot(ap_dd3_from(d), ap_dd3_cross(q, r));
        part[i] = ap_dd_positive(part[i]) ? part[i] : ap_dd_from(0.0);
        sum = ap_dd_add(sum, part[i]);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = ap_dd_positive(sum) ? ap_dd_value(ap_dd_div(part[i], sum)) : 1.0 / 3.0;
    }
}

/* m (m.p) - p up to a multiple of m: from p to where the ray passes, without the rounding of the products. */
static apart_vec3 to_ray(apart_vec3 m, apart_vec3 p)
{
    const double h = ap_dot(m, p);
    const ap_dd x = ap_two_product(m.x, h), y = ap_two_product(m.y, h), z = ap_two_product(m.z, h);
    return ap_vec((x.hi - p.x) + x.lo, (y.hi - p.y) + y.lo, (z.hi - p.z) + z.lo);
}

/* Barycentric weights in doubles, by cross products relative to the first corner, and their noise. False: the triangle,
 * seen along m, is too thin. */
static bool weights_in_doubles(const ap_polytope *p, int f, apart_vec3 m, double weight[3], double *noise)
{
    const apart_vec3 first = ap_polytope_corner_point(p, 4 * f);
    const apart_vec3 e = ap_sub(ap_polytope_corner_point(p, 4 * f + 1), first);
    const apart_vec3 g = ap_sub(ap_polytope_corner_point(p, 4 * f + 2), first);
    const apart_vec3 x = to_ray(m, first);
    const double area = ap_dot(m, ap_cross(e, g)), edges = ap_max_abs(e) * ap_max_abs(g);
    if (!(area > 0.0 && area * area > AP_FACE_THIN * (edges * edges))) {
        return false;
    }
    const double inverse = 1.0 / area;
    *noise = WEIGHT_NOISE * AP_UNIT_ROUNDOFF * (edges * inverse);
    weight[1] = ap_dot(m, ap_cross(x, g)) * inverse;
    weight[2] = ap_dot(m, ap_cross(e, x)) * inverse;
    weight[0] = (1.0 - weight[1]) - weight[2];
    return true;
}

/* Makes negative weights 0 and their sum 1. */
static void normalize_weights(double weight[3])
{
    for (int i = 0; i < 3; i++) {
        weight[i] = weight[i] > 0.0 ? weight[i] : 0.0;
    }
    const double sum = (weight[0] + weight[1]) + weight[2];
    for (int i = 0; sum != 1.0 && i < 3; i++) {
        weight[i] /= sum;
    }
}

int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3])
{
    int f = face;
    double noise_of_weight;
    for (int step = 0; step < ROUNDED_STEPS && weights_in_doubles(p, f, d, weight, &noise_of_weight); step++) {
        const int least = weight[0] < weight[1] ? (weight[0] < weight[2] ? 0 : 2) : weight[1] < weight[2] ? 1 : 2;
        if (weight[least] >= -noise_of_weight) {
            normalize_weights(weight);
            return f;
        }
        f = p->twin[ap_polytope_next(4 * f + least)] >> 2; /* across the edge opposite that corner */
    }
    double side[3], noise[3];
    f = ap_polytope_walk(p, face, d, side, noise);
    weights_in_double_double(p, f, d, weight);
    return f;
}
