/* Primitives: their constructors, and the support points of curved bodies in closed form (Lindemann 2009 section 3.3,
 * item L1 of docs/papers.md).
 *
 * Accuracy: every coordinate below is a product or quotient of few numbers and has a relative error of at most 4 eps
 * (ellipsoid; 2 eps on a rim). So the point is within 4 eps * bound of the body, and its value d . x, whose terms are
 * all positive, is within 4 eps * bound * |d| of the maximum. A cone may return the rim instead of the apex, or the
 * apex instead of the rim, if their values differ by less than 4 eps * bound. We differ from the closed forms in the
 * paper in that the direction is multiplied by a power of two before it is squared, so that short directions and
 * slender bodies keep their accuracy. */
#include "family.h"

/* APART_OK when all sizes are finite and not negative. */
static apart_status check_extents(apart_vec3 sizes)
{
    if (!ap_finite(sizes)) {
        return APART_ERR_NONFINITE;
    }
    return sizes.x < 0.0 || sizes.y < 0.0 || sizes.z < 0.0 ? APART_ERR_NEGATIVE_SIZE : APART_OK;
}

/* A body around the origin whose core has no point farther from it than the given corner. */
static apart_shape finish_centred(apart_shape shape, apart_vec3 corner)
{
    shape.bound = ap_round_up(ap_norm(corner));
    return ap_shape_finish(&shape);
}

/* The largest distance of n points from c. */
static double farthest_from(const apart_vec3 *points, int n, apart_vec3 c)
{
    double distance = 0.0;
    for (int i = 0; i < n; i++) {
        distance = ap_max(distance, ap_norm(ap_sub(points[i], c)));
    }
    return distance;
}

/* The middle of the interval of three numbers. */
static double middle_of_three(double a, double b, double c)
{
    return 0.5 * ap_min(ap_min(a, b), c) + 0.5 * ap_max(ap_max(a, b), c);
}

/* The point, segment or triangle of the first n of three points; the others repeat one of them. */
static apart_shape make_simplex(apart_shape_kind kind, int dim, int n, const apart_vec3 p[3])
{
    if (!ap_finite(p[0]) || !ap_finite(p[1]) || !ap_finite(p[2])) {
        return ap_shape_invalid(kind, dim, APART_ERR_NONFINITE);
    }
    apart_shape shape = ap_shape_new(kind, dim);
    for (int i = 0; i < 3; i++) {
        shape.u.point[i] = p[i];
    }
    const apart_vec3 own = ap_vec(middle_of_three(p[0].x, p[1].x, p[2].x), middle_of_three(p[0].y, p[1].y, p[2].y),
                                  middle_of_three(p[0].z, p[1].z, p[2].z));
    ap_shape_place(&shape, own, farthest_from(p, n, own), farthest_from(p, n, ap_vec(0.0, 0.0, 0.0)));
    return ap_shape_finish(&shape);
}

static apart_shape make_segment(int dim, apart_vec3 p, apart_vec3 q)
{
    return make_simplex(APART_SHAPE_SEGMENT, dim, 2, (const apart_vec3[3]){p, q, q});
}

/* A sphere or a circle: a rounded point. */
static apart_shape make_sphere(int dim, double radius)
{
    const apart_status status = check_extents(ap_vec(radius, 0.0, 0.0));
    if (status != APART_OK) {
        return ap_shape_invalid(APART_SHAPE_POINT, dim, status);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_POINT, dim);
    shape.radius = radius;
    return shape;
}

static apart_shape make_box(int dim, apart_vec3 half_extents)
{
    const apart_status status = check_extents(half_extents);
    if (status != APART_OK) {
        return ap_shape_invalid(APART_SHAPE_BOX, dim, status);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_BOX, dim);
    shape.u.half_extents = half_extents;
    return finish_centred(shape, half_extents);
}

/* A body of revolution about the z axis. */
static apart_shape make_revolved(apart_shape_kind kind, double radius, double half_height)
{
    const apart_vec3 corner = ap_vec(radius, 0.0, half_height);
    const apart_status status = check_extents(corner);
    if (status != APART_OK) {
        return ap_shape_invalid(kind, 3, status);
    }
    apart_shape shape = ap_shape_new(kind, 3);
    shape.u.round.radius = radius;
    shape.u.round.half_height = half_height;
    return finish_centred(shape, corner);
}

/* Splits off the part of a direction across the z axis: returns its length and sets (x, y) to its unit vector, or to
 * (0, 0) if it is 0. */
static double split_across(apart_vec3 d, double *x, double *y)
{
    const double largest = ap_max(fabs(d.x), fabs(d.y));
    *x = *y = 0.0;
    if (largest == 0.0) {
        return 0.0;
    }
    const double s = ap_power_of_two_scale(largest);
    const double sx = s * d.x, sy = s * d.y;
    const double length = sqrt(sx * sx + sy * sy);
    ap_count_mul(4);
    ap_count_div(4);
    *x = sx / length;
    *y = sy / length;
    return length / s;
}

/* A point on the rim of the cap that the direction points to; the centre of the cap for a direction along the axis. */
apart_vec3 ap_support_cylinder(const apart_shape *shape, double scale, apart_vec3 d)
{
    const double r = scale * shape->u.round.radius, h = scale * shape->u.round.half_height;
    double x, y;
    split_across(d, &x, &y);
    ap_count_mul(4);
    return ap_vec(r * x, r * y, d.z >= 0.0 ? h : -h);
}

/* The apex, a point on the rim of the base, or the centre of the base for a direction straight down. The apex wins
 * ties. */
apart_vec3 ap_support_cone(const apart_shape *shape, double scale, apart_vec3 d)
{
    const double r = scale * shape->u.round.radius, h = scale * shape->u.round.half_height;
    double x, y;
    const double slope = split_across(d, &x, &y);
    ap_count_mul(7);
    /* The value of the apex is h d.z, that of the rim r slope - h d.z. */
    if (2.0 * h * d.z >= r * slope && d.z >= 0.0) {
        return ap_vec(0.0, 0.0, h);
    }
    return ap_vec(r * x, r * y, -h);
}

/* The point (a^2 dx, b^2 dy, c^2 dz) / |(a dx, b dy, c dz)|; the centre when the ellipsoid is flat across the
 * direction. */
apart_vec3 ap_support_ellipsoid(const apart_shape *shape, double scale, apart_vec3 d)
{
    const apart_vec3 axes = ap_scale(scale, shape->u.semi_axes);
    const apart_vec3 unit = ap_along(1.0, ap_vec(axes.x * d.x, axes.y * d.y, axes.z * d.z));
    ap_count_mul(6);
    return ap_vec(axes.x * unit.x, axes.y * unit.y, axes.z * unit.z);
}

apart_shape apart_point(apart_vec3 p) { return make_simplex(APART_SHAPE_POINT, 3, 1, (const apart_vec3[3]){p, p, p}); }

apart_shape apart_segment(apart_vec3 p, apart_vec3 q) { return make_segment(3, p, q); }

apart_shape apart_triangle(apart_vec3 p, apart_vec3 q, apart_vec3 r)
{
    return make_simplex(APART_SHAPE_TRIANGLE, 3, 3, (const apart_vec3[3]){p, q, r});
}

apart_shape apart_sphere(double radius) { return make_sphere(3, radius); }

apart_shape apart_box(apart_vec3 half_extents) { return make_box(3, half_extents); }

apart_shape apart_capsule(double radius, double half_height)
{
    const apart_status status = check_extents(ap_vec(radius, half_height, 0.0));
    if (status != APART_OK) {
        return ap_shape_invalid(APART_SHAPE_SEGMENT, 3, status);
    }
    return apart_rounded(make_segment(3, ap_vec(0.0, 0.0, -half_height), ap_vec(0.0, 0.0, half_height)), radius);
}

apart_shape apart_cylinder(double radius, double half_height)
{
    return make_revolved(APART_SHAPE_CYLINDER, radius, half_height);
}

apart_shape apart_cone(double radius, double half_height)
{
    return make_revolved(APART_SHAPE_CONE, radius, half_height);
}

apart_shape apart_ellipsoid(apart_vec3 semi_axes)
{
    const apart_status status = check_extents(semi_axes);
    if (status != APART_OK) {
        return ap_shape_invalid(APART_SHAPE_ELLIPSOID, 3, status);
    }
    if (semi_axes.x == semi_axes.y && semi_axes.y == semi_axes.z) {
        return apart_sphere(semi_axes.x); /* a rounded point is exact and cheaper */
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_ELLIPSOID, 3);
    shape.u.semi_axes = semi_axes;
    return finish_centred(shape, ap_vec(ap_max_abs(semi_axes), 0.0, 0.0));
}

static apart_shape make_half_space(int dim, apart_vec3 normal, double offset)
{
    if (!ap_finite(normal) || !isfinite(offset)) {
        return ap_shape_invalid(APART_SHAPE_HALF_SPACE, dim, APART_ERR_NONFINITE);
    }
    if (ap_max_abs(normal) == 0.0) {
        return ap_shape_invalid(APART_SHAPE_HALF_SPACE, dim, APART_ERR_NORMAL);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_HALF_SPACE, dim);
    shape.bound = INFINITY;
    shape.u.plane.normal = ap_along(1.0, normal);
    shape.u.plane.offset = offset;
    return shape;
}

apart_shape apart_half_space(apart_vec3 normal, double offset) { return make_half_space(3, normal, offset); }

/* The caller's numbers of a box's corners: bit k of a corner's number says that it lies at the upper end of axis k. */
static void number_corners(const apart_hull *hull, const ap_hull_box *box, uint32_t corners[8])
{
    for (uint32_t i = 0; i < 8; i++) {
        const apart_vec3 p = ap_hull_local(hull, i);
        const uint32_t corner =
            (p.x > box->middle[0] ? 1u : 0u) | (p.y > box->middle[1] ? 2u : 0u) | (p.z > box->middle[2] ? 4u : 0u);
        corners[corner] = (uint32_t)ap_hull_corners(hull)[i].input;
    }
}

/* Hulls that are boxes are queried as boxes. Where the middle is not a double in the shape's frame they are not. */
static void note_box(apart_shape *shape, const apart_hull *hull)
{
    const ap_hull_box *box = ap_hull_as_box(hull);
    if (box == NULL) {
        return;
    }
    double middle[3];
    for (int k = 0; k < 3; k++) {
        const ap_dd sum = ap_two_sum(hull->center[k], box->middle[k]);
        if (sum.lo != 0.0) {
            return;
        }
        middle[k] = sum.hi;
    }
    shape->flags |= AP_BOX_HULL;
    shape->u.box_hull.half_extents = ap_vec(box->half[0], box->half[1], box->half[2]);
    shape->u.box_hull.middle = ap_vec(middle[0], middle[1], middle[2]);
    number_corners(hull, box, shape->u.box_hull.corners);
}

apart_shape apart_hull_shape(const apart_hull *hull)
{
    if (hull == NULL) {
        return ap_shape_invalid(APART_SHAPE_HULL, 3, APART_ERR_NULL);
    }
    if (hull->magic != AP_HULL_MAGIC) {
        return ap_shape_invalid(APART_SHAPE_HULL, 3, APART_ERR_BLOCK);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_HULL, 3);
    shape.u.hull = hull;
    shape.flags = hull->vertex_count <= AP_ALWAYS_SCANNED ? AP_SMALL_HULL : 0u;
    shape.center = ap_vec(hull->center[0], hull->center[1], hull->center[2]);
    shape.bound = hull->bound;
    note_box(&shape, hull);
    shape.error = hull->dropped; /* input points that the builder left out may be this far outside the hull */
    return ap_shape_finish(&shape);
}

apart_shape apart_point_2d(double x, double y)
{
    const apart_vec3 p = {x, y, 0.0};
    return make_simplex(APART_SHAPE_POINT, 2, 1, (const apart_vec3[3]){p, p, p});
}

apart_shape apart_segment_2d(double px, double py, double qx, double qy)
{
    return make_segment(2, ap_vec(px, py, 0.0), ap_vec(qx, qy, 0.0));
}

apart_shape apart_capsule_2d(double radius, double half_height)
{
    if (!isfinite(half_height) || half_height < 0.0) {
        return ap_shape_invalid(APART_SHAPE_SEGMENT, 2,
                                isfinite(half_height) ? APART_ERR_NEGATIVE_SIZE : APART_ERR_NONFINITE);
    }
    return apart_rounded(apart_segment_2d(0.0, -half_height, 0.0, half_height), radius);
}

apart_shape apart_half_space_2d(double normal_x, double normal_y, double offset)
{
    return make_half_space(2, ap_vec(normal_x, normal_y, 0.0), offset);
}

apart_shape apart_circle(double radius) { return make_sphere(2, radius); }

apart_shape apart_rectangle(double half_x, double half_y) { return make_box(2, ap_vec(half_x, half_y, 0.0)); }
