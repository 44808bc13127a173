/* How far is a point outside a body? By the body's own closed form where it has one, otherwise by the check's own
 * search. All in the shape's own frame, so that the pose's matrix, taken exactly as it is, plays no further part. */
#include "body.h"

#define MAX_NEWTON_STEPS 200

/* A semi-axis below this share of the pair's size counts as zero: its square would underflow. */
#define AXIS_MIN 0x1p-400

static ap_dd dd_zero(void) { return ap_dd_from(0.0); }

static ap_dd dd_abs(ap_dd a) { return a.hi < 0.0 ? ap_dd_neg(a) : a; }

static ap_dd positive_part(ap_dd a) { return ap_dd_positive(a) ? a : dd_zero(); }

static ap_dd length_2(ap_dd x, ap_dd y) { return ap_dd3_norm((ap_dd3){x, y, dd_zero()}); }

/* |coordinate| - half extent if that is positive, otherwise 0. */
static ap_dd excess_over(ap_dd coordinate, double half)
{
    return positive_part(ap_dd_sub(dd_abs(coordinate), ap_dd_from(half)));
}

static ap_dd outside_box(apart_vec3 half, ap_dd3 q)
{
    return ap_dd3_norm((ap_dd3){excess_over(q.x, half.x), excess_over(q.y, half.y), excess_over(q.z, half.z)});
}

static ap_dd outside_cylinder(double radius, double half_height, ap_dd3 q)
{
    return length_2(excess_over(length_2(q.x, q.y), radius), excess_over(q.z, half_height));
}

static ap_dd outside_segment(ap_dd3 p, ap_dd3 end, ap_dd3 q)
{
    const ap_dd3 e = ap_dd3_sub(end, p), r = ap_dd3_sub(q, p);
    const ap_dd ee = ap_dd3_dot(e, e);
    ap_dd t = dd_zero();
    if (ap_dd_positive(ee)) {
        t = positive_part(ap_dd_div(ap_dd3_dot(e, r), ee));
        t = t.hi > 1.0 ? ap_dd_from(1.0) : t;
    }
    return ap_dd3_norm(ap_dd3_sub(r, ap_dd3_scale(t, e)));
}

/* In the half plane (distance from the axis, z) the cone is a right triangle; only its slanted side and its base
 * matter. */
static ap_dd outside_cone(double radius, double half_height, ap_dd3 q)
{
    const ap_dd rho = length_2(q.x, q.y);
    const ap_dd3 p = {rho, q.z, dd_zero()};
    const ap_dd3 axis_foot = ap_dd3_from(ap_vec(0.0, -half_height, 0.0));
    const ap_dd3 rim = ap_dd3_from(ap_vec(radius, -half_height, 0.0)),
                 apex = ap_dd3_from(ap_vec(0.0, half_height, 0.0));
    const ap_dd above_base = ap_dd_add(q.z, ap_dd_from(half_height));
    /* The slanted side's outward normal is (2h, r). */
    const ap_dd side = ap_dd_add(ap_dd_mul(ap_dd_from(2.0 * half_height), rho),
                                 ap_dd_mul(ap_dd_from(radius), ap_dd_sub(q.z, ap_dd_from(half_height))));
    const bool degenerate = radius == 0.0 || half_height == 0.0;
    if (!degenerate && above_base.hi >= 0.0 && !ap_dd_positive(side)) {
        return dd_zero();
    }
    const ap_dd slant = outside_segment(rim, apex, p), base = outside_segment(axis_foot, rim, p);
    const ap_dd nearer = ap_dd_less(slant, base) ? slant : base;
    const ap_dd axis = outside_segment(axis_foot, apex, p);
    return ap_dd_less(axis, nearer) ? axis : nearer;
}

/* sum (s_i q_i / (s_i^2 + t))^2 - 1 and its derivative. */
static ap_dd secular(const ap_dd *s, const ap_dd *q, ap_dd t, ap_dd *derivative)
{
    ap_dd value = ap_dd_from(-1.0);
    *derivative = dd_zero();
    for (int i = 0; i < 3; i++) {
        if (s[i].hi > 0.0) {
            const ap_dd bottom = ap_dd_add(ap_dd_mul(s[i], s[i]), t);
            const ap_dd term = ap_dd_div(ap_dd_mul(s[i], q[i]), bottom);
            const ap_dd square = ap_dd_mul(term, term);
            value = ap_dd_add(value, square);
            *derivative = ap_dd_sub(*derivative, ap_dd_mul(ap_dd_from(2.0), ap_dd_div(square, bottom)));
        }
    }
    return value;
}

/* The point of the ellipsoid closest to q >= 0 outside: x_i = s_i^2 q_i / (s_i^2 + t) with the root t of the
 * secular equation, which is convex and falling: Newton's method approaches it from the left without overshooting. */
static void ellipsoid_nearest(const ap_dd *s, const ap_dd *q, ap_dd *x)
{
    ap_dd t = dd_zero(), derivative;
    for (int i = 0; i < 3; i++) {
        const ap_dd alone = ap_dd_mul(s[i], ap_dd_sub(q[i], s[i]));
        t = ap_dd_less(t, alone) ? alone : t;
    }
    for (int step = 0; step < MAX_NEWTON_STEPS; step++) {
        const ap_dd value = secular(s, q, t, &derivative);
        if (!(value.hi > 0x1p-95) || !(derivative.hi < 0.0)) {
            break;
        }
        t = ap_dd_sub(t, ap_dd_div(value, derivative));
    }
    for (int i = 0; i < 3; i++) {
        const ap_dd square = ap_dd_mul(s[i], s[i]);
        x[i] = square.hi > 0.0 ? ap_dd_div(ap_dd_mul(square, q[i]), ap_dd_add(square, t)) : dd_zero();
    }
}

static ap_dd ellipsoid_level(const ap_dd *s, const ap_dd *x)
{
    ap_dd level = dd_zero();
    for (int i = 0; i < 3; i++) {
        if (s[i].hi > 0.0) {
            const ap_dd ratio = ap_dd_div(x[i], s[i]);
            level = ap_dd_add(level, ap_dd_mul(ratio, ratio));
        }
    }
    return level;
}

static ap_dd semi_axis(double s) { return ap_dd_from(s > AXIS_MIN ? s : 0.0); }

/* Upper bound: the distance to a point that certainly belongs to the ellipsoid. Lower: the plane through that
 * point, perpendicular to the displacement. */
static ap_verify_bounds outside_ellipsoid(const ap_verify_body *local, ap_dd3 point)
{
    const apart_vec3 axes = ap_scale(local->scale, local->shape->u.semi_axes);
    const ap_dd s[3] = {semi_axis(axes.x), semi_axis(axes.y), semi_axis(axes.z)};
    const ap_dd q[3] = {dd_abs(point.x), dd_abs(point.y), dd_abs(point.z)};
    ap_dd x[3] = {s[0].hi > 0.0 ? q[0] : dd_zero(), s[1].hi > 0.0 ? q[1] : dd_zero(), s[2].hi > 0.0 ? q[2] : dd_zero()};
    if (ap_dd_less(ap_dd_from(1.0), ellipsoid_level(s, x))) {
        ellipsoid_nearest(s, q, x);
        const ap_dd level = ap_dd_sqrt(ellipsoid_level(s, x));
        for (int i = 0; i < 3 && level.hi > 1.0; i++) {
            x[i] = ap_dd_div(x[i], level);
        }
    }
    const ap_dd3 away = {ap_dd_sub(q[0], x[0]), ap_dd_sub(q[1], x[1]), ap_dd_sub(q[2], x[2])};
    const ap_dd length = ap_dd3_norm(away);
    ap_verify_bounds bounds = {.lower = 0.0, .upper = ap_dd_value(length)};
    ap_dd3 farthest;
    if (ap_dd_positive(length) && ap_verify_support(local, away, &farthest)) {
        const ap_dd3 beyond_plane = ap_dd3_sub((ap_dd3){q[0], q[1], q[2]}, farthest);
        bounds.lower = ap_dd_value(ap_dd_div(ap_dd3_dot(away, beyond_plane), length));
    }
    return bounds;
}

static ap_verify_bounds outside_half_space(const ap_verify_body *local, ap_dd3 q)
{
    const ap_dd3 normal = ap_dd3_from(local->shape->u.plane.normal);
    const ap_dd height = ap_dd_sub(ap_dd3_dot(normal, q), ap_dd_from(local->scale * local->shape->u.plane.offset));
    const double d = ap_dd_value(positive_part(ap_dd_div(height, ap_dd3_norm(normal))));
    return (ap_verify_bounds){.lower = d, .upper = d};
}

/* The distance from the core. */
static ap_verify_bounds outside_core(const ap_verify_body *local, ap_dd3 q, double tolerance)
{
    const apart_shape *shape = local->shape;
    const double scale = local->scale;
    double d;
    switch (shape->kind) {
    case APART_SHAPE_POINT:
        d = ap_dd_value(ap_dd3_norm(ap_dd3_sub(q, ap_dd3_from(ap_scale(scale, shape->u.point[0])))));
        break;
    case APART_SHAPE_SEGMENT: {
        const ap_dd3 p = ap_dd3_from(ap_scale(scale, shape->u.point[0])),
                     end = ap_dd3_from(ap_scale(scale, shape->u.point[1]));
        d = ap_dd_value(outside_segment(p, end, q));
        break;
    }
    case APART_SHAPE_BOX: d = ap_dd_value(outside_box(ap_scale(scale, shape->u.half_extents), q)); break;
    case APART_SHAPE_CYLINDER:
        d = ap_dd_value(outside_cylinder(scale * shape->u.round.radius, scale * shape->u.round.half_height, q));
        break;
    case APART_SHAPE_CONE:
        d = ap_dd_value(outside_cone(scale * shape->u.round.radius, scale * shape->u.round.half_height, q));
        break;
    case APART_SHAPE_ELLIPSOID: return outside_ellipsoid(local, q);
    case APART_SHAPE_HALF_SPACE: return outside_half_space(local, q);
    default: {
        const ap_verify_goal goal = {.lower = -INFINITY,
                                     .upper = local->radius + 0.5 * tolerance,
                                     .least = -INFINITY,
                                     .most = local->radius + 2.0 * tolerance};
        return ap_verify_nearest_point(local, q, goal);
    }
    }
    return (ap_verify_bounds){.lower = d, .upper = d};
}

ap_verify_bounds ap_verify_outside(const ap_verify_body *body, ap_dd3 point, double tolerance)
{
    const ap_verify_body local = ap_verify_body_unposed(body);
    ap_verify_bounds bounds = outside_core(&local, ap_verify_to_local(body, point), tolerance);
    /* Lengths in the two frames differ by what the matrix stretches. */
    bounds.lower = ap_max(0.0, bounds.lower - local.radius - body->slack) * (1.0 - body->stretch);
    bounds.upper = ap_max(0.0, bounds.upper - local.radius + body->slack) * (1.0 + body->stretch);
    return bounds;
}
