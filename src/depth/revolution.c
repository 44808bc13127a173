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

static bool keeps_circles(const apart_mat3 *rotation)
{
    return ap_rotation_defect(rotation) <= ROUND * AP_UNIT_ROUNDOFF;
}

/* The axis of a core in its own frame: 0 means any direction. False: the core is not a body of revolution. */
static bool local_axis(const apart_shape *s, apart_vec3 *axis)
{
    const apart_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, any = {0.0, 0.0, 0.0};
    switch ((apart_shape_kind)s->kind) {
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

/* Some point of a core's axis, about its own centre. */
static apart_vec3 axis_point(const ap_pair *pair, const apart_shape *shape, const apart_mat3 *rotation)
{
    const bool off_center = shape->kind == APART_SHAPE_POINT || shape->kind == APART_SHAPE_SEGMENT;
    return off_center ? ap_apply(rotation, ap_vertex(shape, pair->scale, 0)) : ap_vec(0.0, 0.0, 0.0);
}

static apart_vec3 axis_point_a(const ap_pair *pair) { return axis_point(pair, pair->a, pair->rotation_a); }

static apart_vec3 axis_point_b(const ap_pair *pair)
{
    return ap_add(axis_point(pair, pair->b, pair->rotation_b), pair->offset);
}

bool ap_revolution_plane(const ap_pair *pair, double tilt, ap_plane *plane)
{
    apart_vec3 axis_a, axis_b;
    if (!local_axis(pair->a, &axis_a) || !local_axis(pair->b, &axis_b) || !keeps_circles(pair->rotation_a) ||
        !keeps_circles(pair->rotation_b)) {
        return false;
    }
    axis_a = ap_unit(ap_apply(pair->rotation_a, axis_a));
    axis_b = ap_unit(ap_apply(pair->rotation_b, axis_b));
    const double sine = ap_norm(ap_cross(axis_a, axis_b));
    plane->tilt = sine > PARALLEL * AP_UNIT_ROUNDOFF ? sine * (1.0 + sine) : 0.0; /* at least the angle, below 1/2 */
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

void ap_revolution_flatten(ap_depth *d, const ap_pair *pair, const ap_plane *plane)
{
    const apart_vec3 across = ap_cross(plane->f, plane->g), on_a = axis_point_a(pair), on_b = axis_point_b(pair);
    for (int i = 0; i < d->simplex.count; i++) {
        ap_simplex_vertex *v = &d->simplex.vertex[i];
        v->a = flatten(v->a, on_a, across);
        v->b = flatten(v->b, on_b, across);
        v->w = ap_sub(v->b, v->a);
    }
    d->least -= (REVOLUTION_ERROR * AP_UNIT_ROUNDOFF + TILT_ERROR * plane->tilt) * pair->magnitude;
}
