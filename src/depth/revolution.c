/* Bodies of revolution about parallel axes: their depth is decided in a plane.
 *
 * The Minkowski difference of two such bodies is a body of revolution itself. The point of its surface nearest to the
 * origin lies in the half plane through the axis and the origin, and directions in that plane have support points in it
 * (but for the direction straight over a flat cap rounding decides which point of its rim is taken: such points are
 * moved into the plane). So directions that tie around the axis (coaxial cylinders, concentric spheroids) cost nothing,
 * and a planar ring closes the bounds where a surface of triangles would need thousands. */
#include "depth_search.h"

/* In units of u: axes this close to parallel have no tilt. */
#define PARALLEL 8.0

/* In units of u: a matrix farther from a rotation than this (say, one in single precision) makes an ellipse of a
 * circle. */
#define ROUND 16.0

/* In units of u * M: what axes that are parallel to rounding only can do to the depth. */
#define REVOLUTION_ERROR 32.0
/* In units of the tilt times M: turning B about a point of its axis by the tilt moves no point of it by more than that
 * times its size. The depth changes by no more, and so does the ring, whose points are those of the tilted body. */
#define TILT_ERROR 2.0
/* In units of the defect: how far the nearest rotation about the same axis may be from a matrix, as an operator. The
 * defect bounds the entries of RtR - I, 3/2 of it the singular values' distances from 1, and as much the turn that
 * brings the axis back. */
#define STRETCH 4.0
/* The steps that invert a matrix with a defect of at most AP_ROTATION_LIMIT; each multiplies the error by it. */
#define INVERSE_STEPS 3

/* What a matrix that is not quite a rotation does to a body of revolution counts as a tilt: 0 up to rounding. */
static double tilt_of_matrix(const apart_mat3 *rotation)
{
    const double defect = ap_rotation_defect(rotation);
    return defect <= ROUND * AP_UNIT_ROUNDOFF ? 0.0 : STRETCH * defect;
}

static bool local_axis(const apart_shape *s, apart_vec3 *axis);

/* The sum of bodies of revolution about parallel axes is one. */
static bool axis_of_sum(const apart_shape *s, apart_vec3 *axis)
{
    apart_vec3 first, second;
    if (!local_axis(s->u.pair.first, &first) || !local_axis(s->u.pair.second, &second)) {
        return false;
    }
    *axis = ap_max_abs(first) > 0.0 ? first : second;
    return ap_max_abs(ap_cross(first, second)) == 0.0;
}

/* The axis of a core in its own frame: 0 means any direction. False: the core is not a body of revolution. */
static bool local_axis(const apart_shape *s, apart_vec3 *axis)
{
    const apart_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, any = {0.0, 0.0, 0.0};
    switch ((apart_shape_kind)s->kind) {
    case APART_SHAPE_SUM: return axis_of_sum(s, axis);
    case APART_SHAPE_POINT: *axis = any; return true;
    case APART_SHAPE_SEGMENT: *axis = ap_sub(s->u.point[1], s->u.point[0]); return true;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE: *axis = z; return true;
    case APART_SHAPE_ELLIPSOID: {
        const apart_vec3 e = s->u.semi_axes;
        *axis = e.x == e.y ? z : e.y == e.z ? x : y;
        return e.x == e.y || e.y == e.z || e.x == e.z;
    }
    default: return false;
    }
}

/* Some point of a core's axis in its own frame, about its own centre, scaled. */
static apart_vec3 local_axis_point(const ap_pair *pair, const apart_shape *shape)
{
    switch ((apart_shape_kind)shape->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT: return ap_vertex(shape, pair->scale, 0);
    case APART_SHAPE_SUM: {
        const apart_shape *first = shape->u.pair.first, *second = shape->u.pair.second;
        const apart_vec3 between = ap_sub(ap_add(first->center, second->center), shape->center);
        return ap_add(ap_scale(pair->scale, between),
                      ap_add(local_axis_point(pair, first), local_axis_point(pair, second)));
    }
    default: return ap_vec(0.0, 0.0, 0.0);
    }
}

static apart_vec3 axis_point_a(const ap_pair *pair)
{
    return ap_apply(pair->rotation_a, local_axis_point(pair, pair->a));
}

static apart_vec3 axis_point_b(const ap_pair *pair)
{
    return ap_add(ap_apply(pair->rotation_b, local_axis_point(pair, pair->b)), pair->offset);
}

AP_RARE bool ap_revolution_plane(const ap_pair *pair, double tilt, ap_plane *plane)
{
    apart_vec3 axis_a, axis_b;
    if (!local_axis(pair->a, &axis_a) || !local_axis(pair->b, &axis_b)) {
        return false;
    }
    const double stretch = tilt_of_matrix(pair->rotation_a) + tilt_of_matrix(pair->rotation_b);
    if (!(stretch <= tilt)) {
        return false;
    }
    axis_a = ap_unit(ap_apply(pair->rotation_a, axis_a));
    axis_b = ap_unit(ap_apply(pair->rotation_b, axis_b));
    const double sine = ap_norm(ap_cross(axis_a, axis_b));
    const double angle = sine > PARALLEL * AP_UNIT_ROUNDOFF ? sine * (1.0 + sine) : 0.0; /* or more; below 1/2 */
    plane->tilt = stretch + angle;
    if (!(plane->tilt <= tilt)) {
        return false;
    }
    plane->g = ap_max_abs(axis_a) > 0.0 ? axis_a : axis_b;
    const apart_vec3 off = ap_sub(axis_point_b(pair), axis_point_a(pair));
    const apart_vec3 radial = ap_sub(off, ap_scale(ap_dot(off, plane->g), plane->g));
    const bool on_axis = ap_norm(radial) <= PARALLEL * AP_UNIT_ROUNDOFF * pair->magnitude;
    plane->f = on_axis ? ap_perpendicular(plane->g) : ap_unit(radial);
    /* once more, so that f is perpendicular to rounding: what is left of g in f would tilt the plane */
    plane->f = ap_unit(ap_sub(plane->f, ap_scale(ap_dot(plane->f, plane->g), plane->g)));
    return ap_max_abs(plane->g) > 0.0;
}

/* p without its part across the plane through an axis: the mirror image of p belongs to the body too, and so does the
 * middle. */
static apart_vec3 flatten(apart_vec3 p, apart_vec3 axis_point, apart_vec3 across)
{
    return ap_sub(p, ap_scale(ap_dot(across, ap_sub(p, axis_point)), across));
}

/* The same for a body whose matrix or axis is not quite right: in the body's frame, where it has mirror images exactly,
 * and into the plane through its own axis. */
static apart_vec3 flatten_within(apart_vec3 p, apart_vec3 axis_point, apart_vec3 across, const apart_mat3 *rotation,
                                 const apart_shape *shape)
{
    apart_vec3 axis, x = {0.0, 0.0, 0.0};
    const apart_vec3 q = ap_sub(p, axis_point);
    for (int i = 0; i < INVERSE_STEPS; i++) {
        x = ap_add(x, ap_apply_transposed(rotation, ap_sub(q, ap_apply(rotation, x))));
    }
    apart_vec3 n = ap_apply_transposed(rotation, across);
    if (local_axis(shape, &axis) && ap_max_abs(axis) > 0.0) {
        axis = ap_unit(axis);
        n = ap_sub(n, ap_scale(ap_dot(n, axis), axis));
    }
    n = ap_unit(n);
    return ap_sub(p, ap_apply(rotation, ap_scale(ap_dot(n, x), n)));
}

AP_RARE void ap_revolution_flatten(ap_depth *d, const ap_pair *pair, const ap_plane *plane)
{
    const apart_vec3 across = ap_cross(plane->f, plane->g), on_a = axis_point_a(pair), on_b = axis_point_b(pair);
    for (int i = 0; i < d->simplex.count; i++) {
        ap_simplex_vertex *v = &d->simplex.vertex[i];
        const bool exact = plane->tilt == 0.0;
        v->a = exact ? flatten(v->a, on_a, across) : flatten_within(v->a, on_a, across, pair->rotation_a, pair->a);
        v->b = exact ? flatten(v->b, on_b, across) : flatten_within(v->b, on_b, across, pair->rotation_b, pair->b);
        v->w = ap_sub(v->b, v->a);
    }
    d->least -= (REVOLUTION_ERROR * AP_UNIT_ROUNDOFF + TILT_ERROR * plane->tilt) * pair->magnitude;
}
