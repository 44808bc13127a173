/* Exact signs of determinants by expansions (J. R. Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast
 * Robust Geometric Predicates, 1997). We differ in having two stages only: a filter with his error bound, and the exact
 * sum of all partial products. Distances are computed in double-double arithmetic. */
#include "grid_predicates.h"

/* An exact sum of doubles whose bits do not overlap, in ascending order: its sign is that of the last one. */
typedef struct expansion {
    int count;
    double term[6 * 8 * 4 + 1]; /* six products of three two-part numbers, four terms each */
} expansion;

/* Adds b without rounding. */
static void grow(expansion *e, double b)
{
    int n = 0;
    double q = b;
    for (int i = 0; i < e->count; i++) {
        const ap_dd s = ap_two_sum(q, e->term[i]);
        if (s.lo != 0.0) {
            e->term[n++] = s.lo;
        }
        q = s.hi;
    }
    if (q != 0.0) {
        e->term[n++] = q;
    }
    e->count = n;
}

static int expansion_sign(const expansion *e)
{
    if (e->count == 0) {
        return 0;
    }
    return e->term[e->count - 1] > 0.0 ? 1 : -1;
}

/* The sum rounded to double. */
static double expansion_value(const expansion *e)
{
    double sum = 0.0;
    for (int i = 0; i < e->count; i++) {
        sum += e->term[i];
    }
    return sum;
}

static void add_product(expansion *e, double a, double b)
{
    const ap_dd p = ap_two_product(a, b);
    grow(e, p.lo);
    grow(e, p.hi);
}

/* Adds sign * a * b * c without rounding. */
static void add_triple(expansion *e, double sign, ap_dd a, ap_dd b, ap_dd c)
{
    const double pa[2] = {sign * a.lo, sign * a.hi}, pb[2] = {b.lo, b.hi}, pc[2] = {c.lo, c.hi};
    for (int i = 0; i < 8; i++) {
        const double x = pa[i & 1], y = pb[i >> 1 & 1], z = pc[i >> 2];
        if (x != 0.0 && y != 0.0 && z != 0.0) {
            const ap_dd p = ap_two_product(x, y);
            add_product(e, p.lo, z);
            add_product(e, p.hi, z);
        }
    }
}

/* Six times the volume of a tetrahedron. */
static expansion orient3d_exact(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d)
{
    const ap_dd3 u = ap_dd3_difference(b, a), v = ap_dd3_difference(c, a), w = ap_dd3_difference(d, a);
    expansion e;
    e.count = 0;
    add_triple(&e, 1.0, u.x, v.y, w.z);
    add_triple(&e, -1.0, u.x, v.z, w.y);
    add_triple(&e, 1.0, u.y, v.z, w.x);
    add_triple(&e, -1.0, u.y, v.x, w.z);
    add_triple(&e, 1.0, u.z, v.x, w.y);
    add_triple(&e, -1.0, u.z, v.y, w.x);
    return e;
}

static int orient2d_exact(ap_dd ux, ap_dd uy, ap_dd vx, ap_dd vy)
{
    const ap_dd one = {1.0, 0.0};
    expansion e;
    e.count = 0;
    add_triple(&e, 1.0, ux, vy, one);
    add_triple(&e, -1.0, uy, vx, one);
    return expansion_sign(&e);
}

int ap_orient3d(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d)
{
    const apart_vec3 u = ap_sub(b, a), v = ap_sub(c, a), w = ap_sub(d, a);
    const double yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z, xy = v.x * w.y, yx = v.y * w.x;
    const double det = (u.x * (yz - zy) + u.y * (zx - xz)) + u.z * (xy - yx);
    const double permanent =
        (fabs(u.x) * (fabs(yz) + fabs(zy)) + fabs(u.y) * (fabs(zx) + fabs(xz))) + fabs(u.z) * (fabs(xy) + fabs(yx));
    const double bound = 8.0 * 0x1p-53 * permanent; /* Shewchuk's (7 + 56 u) u, rounded up */
    if (det > bound) {
        return 1;
    }
    if (det < -bound) {
        return -1;
    }
    const expansion e = orient3d_exact(a, b, c, d);
    return expansion_sign(&e);
}

int ap_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    const ap_dd ux = ap_two_sum(bx, -ax), uy = ap_two_sum(by, -ay), vx = ap_two_sum(cx, -ax), vy = ap_two_sum(cy, -ay);
    const double p = ux.hi * vy.hi, q = uy.hi * vx.hi, det = p - q;
    const double bound = 4.0 * 0x1p-53 * (fabs(p) + fabs(q)); /* Shewchuk's (3 + 16 u) u, rounded up */
    if (det > bound) {
        return 1;
    }
    return det < -bound ? -1 : orient2d_exact(ux, uy, vx, vy);
}

apart_vec3 ap_normalised(apart_vec3 a)
{
    const double largest = ap_max_abs(a);
    if (largest == 0.0) {
        return a;
    }
    const apart_vec3 s = ap_scale(ap_power_of_two_scale(largest), a);
    return ap_scale(1.0 / sqrt(ap_dot(s, s)), s);
}

apart_vec3 ap_triangle_normal(apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    return ap_normalised(ap_dd3_value(ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a))));
}

double ap_point_segment(apart_vec3 p, apart_vec3 a, apart_vec3 b)
{
    const ap_dd3 e = ap_dd3_difference(b, a), d = ap_dd3_difference(p, a);
    if (!ap_dd_positive(ap_dd3_dot(d, e))) {
        return ap_norm(ap_dd3_value(d));
    }
    const ap_dd3 f = ap_dd3_difference(p, b);
    if (ap_dd_positive(ap_dd3_dot(f, e))) {
        return ap_norm(ap_dd3_value(f));
    }
    return ap_norm(ap_dd3_value(ap_dd3_cross(e, d))) / ap_norm(ap_dd3_value(e));
}

/* Is p on the inner side of the edge from a to b of a triangle with normal n? */
static bool inside_edge(apart_vec3 p, apart_vec3 a, apart_vec3 b, ap_dd3 n)
{
    return !ap_dd_positive(ap_dd_neg(ap_dd3_dot(ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(p, a)), n)));
}

double ap_point_triangle(apart_vec3 p, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const double sides =
        ap_min(ap_min(ap_point_segment(p, a, b), ap_point_segment(p, b, c)), ap_point_segment(p, c, a));
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a));
    const double doubled_area = ap_norm(ap_dd3_value(n));
    if (doubled_area == 0.0 || !inside_edge(p, a, b, n) || !inside_edge(p, b, c, n) || !inside_edge(p, c, a, n)) {
        return sides;
    }
    /* Double-double arithmetic decides whether a point is inside the edges up to an error of 2^-102 over the sine of
     * the angle at a. */
    const double unsure =
        0x1p-102 * ap_norm(ap_sub(b, a)) * ap_norm(ap_sub(c, a)) * ap_norm(ap_sub(p, a)) / doubled_area;
    return ap_min(sides, ap_point_plane(p, a, b, c) + unsure);
}

double ap_point_plane(apart_vec3 p, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a));
    const expansion volume = orient3d_exact(a, b, c, p);
    return fabs(expansion_value(&volume)) / ap_norm(ap_dd3_value(n));
}
