/* Signs of determinants: a filter with Shewchuk's error bound (Adaptive Precision Floating-Point Arithmetic and Fast
 * Robust Geometric Predicates, 1997), then integers. We differ in the second stage: expansions of doubles over- and
 * underflow, integers do not, and with coordinates of similar size they are shorter. All else is made of these signs
 * and of comparisons. */
#include "predicates.h"

/* What underflow adds to the errors of a sum of six triple products, as a multiple of the differences: each of six
 * products errs by 2^-1075, and a difference multiplies two of these. */
#define UNDERFLOW_STEP 0x1p-1072

static int32_t lowest_of(apart_vec3 a)
{
    const int32_t x = ap_lowest_exponent(a.x), y = ap_lowest_exponent(a.y), z = ap_lowest_exponent(a.z);
    const int32_t xy = x < y ? x : y;
    return xy < z ? xy : z;
}

static int32_t lesser(int32_t a, int32_t b) { return a < b ? a : b; }

static void set_difference(ap_integer *out, double a, double b, int32_t exponent)
{
    ap_integer subtrahend;
    ap_integer_set(out, a, exponent);
    ap_integer_set(&subtrahend, b, exponent);
    ap_integer_subtract(out, out, &subtrahend);
}

typedef struct integer_vector {
    ap_integer x, y, z;
} integer_vector;

static void set_vector(integer_vector *out, apart_vec3 a, apart_vec3 b, int32_t exponent)
{
    set_difference(&out->x, a.x, b.x, exponent);
    set_difference(&out->y, a.y, b.y, exponent);
    set_difference(&out->z, a.z, b.z, exponent);
}

/* ax by - ay bx */
static void cross_integers(ap_integer *out, const ap_integer *ax, const ap_integer *ay, const ap_integer *bx,
                           const ap_integer *by)
{
    ap_integer other;
    ap_integer_multiply(out, ax, by);
    ap_integer_multiply(&other, ay, bx);
    ap_integer_subtract(out, out, &other);
}

/* out += factor (ax by - ay bx) */
static void add_minor(ap_integer *out, const ap_integer *factor, const ap_integer *ax, const ap_integer *ay,
                      const ap_integer *bx, const ap_integer *by)
{
    ap_integer minor, product;
    if (factor->sign != 0) {
        cross_integers(&minor, ax, ay, bx, by);
        ap_integer_multiply(&product, factor, &minor);
        ap_integer_add(out, out, &product);
    }
}

void ap_exact_volume(ap_integer *out, apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d, int32_t exponent)
{
    integer_vector u, v, w;
    set_vector(&u, b, a, exponent);
    set_vector(&v, c, a, exponent);
    set_vector(&w, d, a, exponent);
    out->sign = 0;
    out->count = 0;
    add_minor(out, &u.x, &v.y, &v.z, &w.y, &w.z);
    add_minor(out, &u.y, &v.z, &v.x, &w.z, &w.x);
    add_minor(out, &u.z, &v.x, &v.y, &w.x, &w.y);
}

int ap_exact_orient3d(apart_vec3 a, apart_vec3 b, apart_vec3 c, apart_vec3 d)
{
    const apart_vec3 u = ap_sub(b, a), v = ap_sub(c, a), w = ap_sub(d, a);
    const double yz = v.y * w.z, zy = v.z * w.y, zx = v.z * w.x, xz = v.x * w.z, xy = v.x * w.y, yx = v.y * w.x;
    const double det = (u.x * (yz - zy) + u.y * (zx - xz)) + u.z * (xy - yx);
    const double permanent =
        (fabs(u.x) * (fabs(yz) + fabs(zy)) + fabs(u.y) * (fabs(zx) + fabs(xz))) + fabs(u.z) * (fabs(xy) + fabs(yx));
    /* Shewchuk's (7 + 56 u) u, rounded up, and underflow. Where something overflows, no comparison below holds. */
    const double bound = 8.0 * 0x1p-53 * permanent + UNDERFLOW_STEP * (4.0 + ((fabs(u.x) + fabs(u.y)) + fabs(u.z)));
    if (det > bound) {
        return 1;
    }
    if (det < -bound) {
        return -1;
    }
    /* A difference of doubles is zero only if they are equal. */
    if ((u.x == 0.0 && v.x == 0.0 && w.x == 0.0) || (u.y == 0.0 && v.y == 0.0 && w.y == 0.0) ||
        (u.z == 0.0 && v.z == 0.0 && w.z == 0.0)) {
        return 0;
    }
    ap_integer volume;
    ap_exact_volume(&volume, a, b, c, d,
                    lesser(lesser(lowest_of(a), lowest_of(b)), lesser(lowest_of(c), lowest_of(d))));
    return volume.sign;
}

static int orient2d_by_integers(double ax, double ay, double bx, double by, double cx, double cy)
{
    const int32_t exponent = lesser(lowest_of((apart_vec3){ax, ay, bx}), lowest_of((apart_vec3){by, cx, cy}));
    ap_integer ux, uy, vx, vy, cross;
    set_difference(&ux, bx, ax, exponent);
    set_difference(&uy, by, ay, exponent);
    set_difference(&vx, cx, ax, exponent);
    set_difference(&vy, cy, ay, exponent);
    cross_integers(&cross, &ux, &uy, &vx, &vy);
    return cross.sign;
}

int ap_exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy)
{
    const double ux = bx - ax, uy = by - ay, vx = cx - ax, vy = cy - ay;
    const double p = ux * vy, q = uy * vx, det = p - q;
    const double bound = 4.0 * 0x1p-53 * (fabs(p) + fabs(q)) + UNDERFLOW_STEP; /* Shewchuk's (3 + 16 u) u, rounded up */
    if (det > bound) {
        return 1;
    }
    if (det < -bound) {
        return -1;
    }
    if ((ux == 0.0 || vy == 0.0) && (uy == 0.0 || vx == 0.0)) {
        return 0;
    }
    return orient2d_by_integers(ax, ay, bx, by, cx, cy);
}

int ap_exact_orient_without(int axis, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    if (axis == 0) {
        return ap_exact_orient2d(a.y, a.z, b.y, b.z, c.y, c.z);
    }
    return axis == 1 ? ap_exact_orient2d(a.z, a.x, b.z, b.x, c.z, c.x)
                     : ap_exact_orient2d(a.x, a.y, b.x, b.y, c.x, c.y);
}

int ap_triangle_axis(const apart_vec3 t[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (ap_exact_orient_without(axis, t[0], t[1], t[2]) != 0) {
            return axis;
        }
    }
    return -1;
}

/* ---- on one line: points are ordered by x, then y, then z ---- */

static bool comes_before(apart_vec3 a, apart_vec3 b)
{
    if (a.x != b.x) {
        return a.x < b.x;
    }
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

static bool between(double x, double a, double b) { return a <= b ? a <= x && x <= b : b <= x && x <= a; }

/* Is p, which lies on the line through a and b or they coincide, between them? */
static bool on_segment(apart_vec3 p, apart_vec3 a, apart_vec3 b)
{
    return between(p.x, a.x, b.x) && between(p.y, a.y, b.y) && between(p.z, a.z, b.z);
}

/* The segment that corners on one line span. */
static void span_of(const apart_vec3 t[3], apart_vec3 s[2])
{
    s[0] = s[1] = t[0];
    for (int i = 1; i < 3; i++) {
        s[0] = comes_before(t[i], s[0]) ? t[i] : s[0];
        s[1] = comes_before(s[1], t[i]) ? t[i] : s[1];
    }
}

/* ---- in one plane that keeps its dimension without the coordinate `axis` ---- */

static bool in_flat_triangle(int axis, apart_vec3 p, const apart_vec3 t[3])
{
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        const int side = ap_exact_orient_without(axis, t[i], t[i < 2 ? i + 1 : 0], p);
        left = left || side > 0;
        right = right || side < 0;
    }
    return !(left && right);
}

static bool flat_segments_meet(int axis, const apart_vec3 s[2], apart_vec3 t0, apart_vec3 t1)
{
    const int s_of_t[2] = {ap_exact_orient_without(axis, t0, t1, s[0]), ap_exact_orient_without(axis, t0, t1, s[1])};
    const int t_of_s[2] = {ap_exact_orient_without(axis, s[0], s[1], t0),
                           ap_exact_orient_without(axis, s[0], s[1], t1)};
    if (s_of_t[0] * s_of_t[1] < 0 && t_of_s[0] * t_of_s[1] < 0) {
        return true;
    }
    /* They do not cross, so an end of one lies on the other, or they have no common point. */
    return (s_of_t[0] == 0 && on_segment(s[0], t0, t1)) || (s_of_t[1] == 0 && on_segment(s[1], t0, t1)) ||
           (t_of_s[0] == 0 && on_segment(t0, s[0], s[1])) || (t_of_s[1] == 0 && on_segment(t1, s[0], s[1]));
}

static bool flat_segment_meets_triangle(int axis, const apart_vec3 s[2], const apart_vec3 t[3])
{
    return in_flat_triangle(axis, s[0], t) || in_flat_triangle(axis, s[1], t) ||
           flat_segments_meet(axis, s, t[0], t[1]) || flat_segments_meet(axis, s, t[1], t[2]) ||
           flat_segments_meet(axis, s, t[2], t[0]);
}

/* ---- in space ---- */

static bool segments_meet(const apart_vec3 s[2], const apart_vec3 t[2])
{
    if (ap_exact_orient3d(s[0], s[1], t[0], t[1]) != 0) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (ap_exact_orient_without(axis, s[0], s[1], t[0]) != 0 ||
            ap_exact_orient_without(axis, s[0], s[1], t[1]) != 0 ||
            ap_exact_orient_without(axis, t[0], t[1], s[0]) != 0 ||
            ap_exact_orient_without(axis, t[0], t[1], s[1]) != 0) {
            return flat_segments_meet(axis, s, t[0], t[1]);
        }
    }
    const bool s_in_order = !comes_before(s[1], s[0]), t_in_order = !comes_before(t[1], t[0]);
    return !comes_before(s[s_in_order], t[!t_in_order]) && !comes_before(t[t_in_order], s[!s_in_order]);
}

/* A segment whose ends are on these sides of the plane of a triangle with an area. */
static bool segment_crosses(const apart_vec3 s[2], int side0, int side1, const apart_vec3 t[3])
{
    if (side0 * side1 > 0) {
        return false;
    }
    if (side0 == 0 && side1 == 0) {
        return flat_segment_meets_triangle(ap_triangle_axis(t), s, t);
    }
    /* The line meets the plane in one point of the segment: it passes every edge on the same side or through it. */
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        const int side = ap_exact_orient3d(s[0], s[1], t[i], t[i < 2 ? i + 1 : 0]);
        left = left || side > 0;
        right = right || side < 0;
    }
    return !(left && right);
}

bool ap_segment_meets_triangle(const apart_vec3 s[2], const apart_vec3 t[3])
{
    if (ap_triangle_axis(t) < 0) {
        apart_vec3 span[2];
        span_of(t, span);
        return segments_meet(s, span);
    }
    return segment_crosses(s, ap_exact_orient3d(t[0], t[1], t[2], s[0]), ap_exact_orient3d(t[0], t[1], t[2], s[1]), t);
}

bool ap_point_in_triangle(apart_vec3 p, const apart_vec3 t[3])
{
    const apart_vec3 s[2] = {p, p};
    return ap_segment_meets_triangle(s, t);
}

/* The sides of a's corners of the plane of b; false if all are on the same. */
static bool find_sides(const apart_vec3 a[3], const apart_vec3 b[3], int side[3])
{
    for (int i = 0; i < 3; i++) {
        side[i] = ap_exact_orient3d(b[0], b[1], b[2], a[i]);
    }
    return !(side[0] == side[1] && side[1] == side[2] && side[0] != 0);
}

static bool an_edge_meets(const apart_vec3 a[3], const int side[3], const apart_vec3 b[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = i < 2 ? i + 1 : 0;
        const apart_vec3 edge[2] = {a[i], a[j]};
        if (segment_crosses(edge, side[i], side[j], b)) {
            return true;
        }
    }
    return false;
}

bool ap_triangles_meet(const apart_vec3 a[3], const apart_vec3 b[3])
{
    int side_a[3], side_b[3];
    if (!find_sides(a, b, side_a) || !find_sides(b, a, side_b)) {
        return false;
    }
    apart_vec3 span[2];
    if (ap_triangle_axis(a) < 0) {
        span_of(a, span);
        return ap_segment_meets_triangle(span, b);
    }
    if (ap_triangle_axis(b) < 0) {
        span_of(b, span);
        return ap_segment_meets_triangle(span, a);
    }
    /* Each end of what they have in common lies on an edge of one of them, unless one lies in the other. */
    return an_edge_meets(a, side_a, b) || an_edge_meets(b, side_b, a);
}
