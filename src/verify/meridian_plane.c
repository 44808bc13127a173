/* Bodies of revolution about parallel axes: their depth is decided in one plane.
 *
 * The support value of a body of revolution along n depends on the part of n along its axis and on the length of the
 * rest alone, plus n.c for a point c of the axis. So for two of them about parallel axes, s(n) = min n.w over the
 * Minkowski difference is a function of these two numbers plus n.(c_b - c_a): of all n with the same two, one in the
 * plane of the axes has the largest. Directions that tie all around the axis, of which a search over all directions
 * would have to cover each, are one direction of that plane.
 *
 * Axes are parallel and matrices are rotations only up to rounding. A matrix whose stretch is e differs from some
 * rotation by e, as an operator, and the axis that it gives from that rotation's by as much: some rotation that maps the
 * axis to exactly the one used here differs from the matrix by 2 e, and for B by the angle between the axes more. So the
 * bodies are within that times their distance from a point of their axes of exact bodies of revolution about parallel
 * axes through the same points, which changes the largest s(n) by no more, once on the way to these and once back to
 * the directions that are searched. The argument is made from the shapes alone: nothing is shared with the query
 * code. */
#include "body.h"

/* Larger angles, stretches included, are not worth the slack. */
#define LARGEST_TILT 0x1p-20
/* Relative error of several operations in double-double arithmetic. */
#define ROUNDING 0x1p-96

/* An axis of a core in its own frame: the direction (0: any) and a point. */
typedef struct axis_line {
    ap_dd3 direction, point;
} axis_line;

static bool core_axis(const apart_shape *shape, double scale, axis_line *out);

static bool is_null(ap_dd3 v) { return ap_max_abs(ap_dd3_value(v)) == 0.0; }

/* The sum of bodies of revolution about parallel axes; directions of children are parallel exactly or not at all. */
static bool axis_of_sum(const apart_shape *shape, double scale, axis_line *out)
{
    axis_line second;
    if (!core_axis(shape->u.pair.first, scale, out) || !core_axis(shape->u.pair.second, scale, &second)) {
        return false;
    }
    const bool parallel = is_null(ap_dd3_cross(out->direction, second.direction));
    out->point = ap_dd3_add(out->point, second.point);
    out->direction = is_null(out->direction) ? second.direction : out->direction;
    return parallel;
}

/* The axis about which a core is a body of revolution. False: none, or it is not known here. */
static bool core_axis(const apart_shape *shape, double scale, axis_line *out)
{
    const apart_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, none = {0.0, 0.0, 0.0};
    const apart_vec3 e = shape->u.semi_axes;
    *out = (axis_line){ap_dd3_from(z), ap_dd3_from(none)};
    switch ((apart_shape_kind)shape->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
        out->point = ap_dd3_from(ap_scale(scale, shape->u.point[0]));
        out->direction = shape->kind == APART_SHAPE_POINT ? ap_dd3_from(none)
                                                          : ap_dd3_difference(shape->u.point[1], shape->u.point[0]);
        return true;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE: return true;
    case APART_SHAPE_ELLIPSOID:
        out->direction = ap_dd3_from(e.x == e.y && e.y == e.z ? none : e.x == e.y ? z : e.y == e.z ? x : y);
        return e.x == e.y || e.y == e.z || e.z == e.x;
    case APART_SHAPE_SUM: return axis_of_sum(shape, scale, out);
    default: return false;
    }
}

/* No point of the core is farther from a point of its frame. */
static double core_extent(const ap_verify_body *body, ap_dd3 point)
{
    const ap_dd3 between = ap_dd3_sub(ap_dd3_from(ap_scale(body->scale, body->shape->center)), point);
    return (body->scale * body->shape->bound + ap_norm(ap_dd3_value(between))) * (1.0 + 0x1p-50);
}

/* The axis in the frame of the check, with a direction of unit length or 0, and how far the core is from its points. */
static bool body_axis(const ap_verify_body *body, axis_line *out, double *extent)
{
    if (!core_axis(body->shape, body->scale, out)) {
        return false;
    }
    *extent = core_extent(body, out->point);
    out->point = ap_dd3_add(ap_dd3_apply(&body->rotation, out->point), body->offset);
    if (!is_null(out->direction)) {
        out->direction = ap_dd3_unit(ap_dd3_apply(&body->rotation, ap_dd3_to_unit_size(out->direction)));
    }
    return true;
}

/* A unit vector across the unit vector g: along v as far as that goes, or any. */
static ap_dd3 unit_across(ap_dd3 g, ap_dd3 v)
{
    ap_dd3 f = ap_dd3_sub(v, ap_dd3_scale(ap_dd3_dot(g, v), g));
    if (!(ap_norm(ap_dd3_value(f)) > ROUNDING * ap_norm(ap_dd3_value(v)))) {
        f = ap_dd3_from(ap_perpendicular(ap_dd3_value(g)));
    }
    for (int i = 0; i < 2; i++) { /* again, for what rounding has left of g */
        f = ap_dd3_unit(ap_dd3_sub(f, ap_dd3_scale(ap_dd3_dot(g, f), g)));
    }
    return f;
}

bool ap_verify_meridian_plane(const ap_verify_body *a, const ap_verify_body *b, ap_verify_plane *plane)
{
    axis_line of_a, of_b;
    double extent_a, extent_b;
    if (a->shape->dim != 3 || !body_axis(a, &of_a, &extent_a) || !body_axis(b, &of_b, &extent_b)) {
        return false;
    }
    const bool first = !is_null(of_a.direction);
    const double sine = ap_norm(ap_dd3_value(ap_dd3_cross(of_a.direction, of_b.direction)));
    if ((!first && is_null(of_b.direction)) || !(sine + a->stretch + b->stretch <= LARGEST_TILT)) {
        return false;
    }
    const ap_dd3 between = ap_dd3_sub(of_b.point, of_a.point);
    const double change = 2.0 * a->stretch * extent_a + (2.0 * b->stretch + sine) * extent_b;
    const double size = extent_a + extent_b + ap_norm(ap_dd3_value(between));
    plane->g = first ? of_a.direction : of_b.direction;
    plane->f = unit_across(plane->g, between);
    plane->slack = 2.0 * change * (1.0 + 4.0 * LARGEST_TILT) + ROUNDING * size;
    return true;
}
