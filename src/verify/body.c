/* The check's own support mappings (Lindemann 2009 section 3.3 gives the closed forms, item L1 of docs/papers.md):
 * every vertex is visited, and every closed form is evaluated in double-double arithmetic. This is slow and simple
 * on purpose: we differ from the query code in everything. */
#include "body.h"

/* Affine maps with larger entries are not evaluated. */
#define LARGEST_MAP 0x1p+200

/* Relative error of a support point: about twenty operations of 2^-103 each. */
#define ROUNDING 0x1p-96

/* apart_shape.flags of composites: the children's rounding radii belong to the core; otherwise they are part of the
 * composite's own radius. */
#define CHILD_RADII 1u

typedef bool core_support_fn(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out);

static core_support_fn dd_core_support;

static ap_dd3 scaled_point(double scale, apart_vec3 p) { return ap_dd3_from(ap_scale(scale, p)); }

/* Keeps p if it is farther in direction d than what was found before. */
static void keep_farther(ap_dd3 d, ap_dd3 p, bool first, ap_dd *best, ap_dd3 *out)
{
    const ap_dd value = ap_dd3_dot(d, p);
    if (first || ap_dd_less(*best, value)) {
        *best = value;
        *out = p;
    }
}

/* The support mappings below write the farthest point in direction d. False: a callback gave a
 * point that is not finite. */
static bool support_points(const apart_vec3 *points, int count, double scale, ap_dd3 d, ap_dd3 *out)
{
    ap_dd best = ap_dd_from(0.0);
    for (int i = 0; i < count; i++) {
        keep_farther(d, scaled_point(scale, points[i]), i == 0, &best, out);
    }
    return true;
}

static bool support_point_set(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const double *c = shape->u.points.coordinates;
    ap_dd best = ap_dd_from(0.0);
    for (size_t i = 0; i < shape->u.points.count; i++) {
        const double *p = c + i * shape->dim;
        keep_farther(d, scaled_point(scale, ap_vec(p[0], p[1], shape->dim == 3 ? p[2] : 0.0)), i == 0, &best, out);
    }
    return true;
}

static bool support_hull(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const apart_hull *hull = shape->u.hull;
    const uint32_t count = apart_hull_vertex_count(hull);
    ap_dd best = ap_dd_from(0.0);
    for (uint32_t i = 0; i < count; i++) {
        keep_farther(d, scaled_point(scale, apart_hull_vertex(hull, i)), i == 0, &best, out);
    }
    return true;
}

static double signed_like(double size, ap_dd d) { return d.hi < 0.0 ? -size : size; }

static bool support_box(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const apart_vec3 h = shape->u.half_extents;
    *out = scaled_point(scale, ap_vec(signed_like(h.x, d.x), signed_like(h.y, d.y),
                                      shape->dim == 3 ? signed_like(h.z, d.z) : 0.0));
    return true;
}

/* The point of the circle of radius r about z that is farthest in d; the center if d is parallel to z. */
static ap_dd3 circle_support(double r, double z, ap_dd3 d)
{
    const ap_dd3 across = ap_dd3_to_unit_size((ap_dd3){d.x, d.y, ap_dd_from(0.0)});
    const ap_dd length = ap_dd3_norm(across);
    if (!ap_dd_positive(length)) {
        return ap_dd3_from(ap_vec(0.0, 0.0, z));
    }
    const ap_dd factor = ap_dd_div(ap_dd_from(r), length);
    return (ap_dd3){ap_dd_mul(factor, across.x), ap_dd_mul(factor, across.y), ap_dd_from(z)};
}

static bool support_cylinder(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    *out = circle_support(scale * shape->u.round.radius, signed_like(scale * shape->u.round.half_height, d.z), d);
    return true;
}

static bool support_cone(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const double h = scale * shape->u.round.half_height;
    ap_dd best = ap_dd_from(0.0);
    keep_farther(d, ap_dd3_from(ap_vec(0.0, 0.0, h)), true, &best, out);
    keep_farther(d, circle_support(scale * shape->u.round.radius, -h, d), false, &best, out);
    return true;
}

/* x = S (S d) / |S d| with S the diagonal matrix of the semi-axes. */
static bool support_ellipsoid(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const ap_dd3 s = scaled_point(scale, shape->u.semi_axes);
    const ap_dd3 image = {ap_dd_mul(s.x, d.x), ap_dd_mul(s.y, d.y), ap_dd_mul(s.z, d.z)};
    const ap_dd3 y = ap_dd3_to_unit_size(image);
    const ap_dd length = ap_dd3_norm(y);
    if (!ap_dd_positive(length)) {
        *out = ap_dd3_from(ap_vec(0.0, 0.0, 0.0));
        return true;
    }
    *out = (ap_dd3){ap_dd_div(ap_dd_mul(s.x, y.x), length), ap_dd_div(ap_dd_mul(s.y, y.y), length),
                    ap_dd_div(ap_dd_mul(s.z, y.z), length)};
    return true;
}

/* core + radius * d / |d| */
static bool full_support(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    if (!dd_core_support(shape, scale, d, out)) {
        return false;
    }
    const ap_dd length = ap_dd3_norm(d);
    if (shape->radius > 0.0 && ap_dd_positive(length)) {
        *out = ap_dd3_add(*out, ap_dd3_scale(ap_dd_div(ap_dd_from(scale * shape->radius), length), d));
    }
    return true;
}

/* The support mapping of the children that the composite's core uses. */
static core_support_fn *composite_child_support(const apart_shape *shape)
{
    return shape->flags & CHILD_RADII ? full_support : dd_core_support;
}

static bool support_sum(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    core_support_fn *child = composite_child_support(shape);
    ap_dd3 first, second;
    if (!child(shape->u.pair.first, scale, d, &first) || !child(shape->u.pair.second, scale, d, &second)) {
        return false;
    }
    *out = ap_dd3_add(first, second);
    return true;
}

static bool support_hull_of_two(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    core_support_fn *child = composite_child_support(shape);
    ap_dd3 first, second;
    if (!child(shape->u.pair.first, scale, d, &first) || !child(shape->u.pair.second, scale, d, &second)) {
        return false;
    }
    *out = ap_dd_less(ap_dd3_dot(d, first), ap_dd3_dot(d, second)) ? second : first;
    return true;
}

/* support(L X + t, d) = L support(X, L^T d) + t */
static bool support_affine(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const apart_mat3 *linear = &shape->u.affine.linear;
    if (ap_max(ap_max_abs(linear->x), ap_max(ap_max_abs(linear->y), ap_max_abs(linear->z))) > LARGEST_MAP) {
        return false; /* its products leave the range in which double-double errors hold */
    }
    const ap_dd3 inner = ap_dd3_to_unit_size(ap_dd3_apply_transposed(linear, d));
    ap_dd3 p;
    if (!composite_child_support(shape)(shape->u.affine.child, scale, inner, &p)) {
        return false;
    }
    *out = ap_dd3_add(ap_dd3_apply(linear, p), scaled_point(scale, shape->u.affine.offset));
    return true;
}

static bool support_callback(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    const apart_callback *callback = &shape->u.callback;
    const apart_vec3 p = callback->support(callback->user, ap_dd3_value(d));
    *out = scaled_point(scale, p);
    return ap_finite(p);
}

static bool dd_core_support(const apart_shape *shape, double scale, ap_dd3 d, ap_dd3 *out)
{
    switch (shape->kind) {
    case APART_SHAPE_POINT: return support_points(shape->u.point, 1, scale, d, out);
    case APART_SHAPE_SEGMENT: return support_points(shape->u.point, 2, scale, d, out);
    case APART_SHAPE_TRIANGLE: return support_points(shape->u.point, 3, scale, d, out);
    case APART_SHAPE_BOX: return support_box(shape, scale, d, out);
    case APART_SHAPE_CYLINDER: return support_cylinder(shape, scale, d, out);
    case APART_SHAPE_CONE: return support_cone(shape, scale, d, out);
    case APART_SHAPE_ELLIPSOID: return support_ellipsoid(shape, scale, d, out);
    case APART_SHAPE_HULL: return support_hull(shape, scale, d, out);
    case APART_SHAPE_POINTS: return support_point_set(shape, scale, d, out);
    case APART_SHAPE_SUM: return support_sum(shape, scale, d, out);
    case APART_SHAPE_HULL_OF_TWO: return support_hull_of_two(shape, scale, d, out);
    case APART_SHAPE_AFFINE: return support_affine(shape, scale, d, out);
    case APART_SHAPE_CALLBACK: return support_callback(shape, scale, d, out);
    default: return false;
    }
}

/* The error of support points because of callbacks: their stated error, and the rounding of the direction that they
 * get to doubles. */
static double callback_slack(const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_CALLBACK: return shape->u.callback.error + 0x1p-50 * shape->u.callback.radius;
    case APART_SHAPE_SUM: return callback_slack(shape->u.pair.first) + callback_slack(shape->u.pair.second);
    case APART_SHAPE_HULL_OF_TWO:
        return ap_max(callback_slack(shape->u.pair.first), callback_slack(shape->u.pair.second));
    case APART_SHAPE_AFFINE: {
        const apart_mat3 *m = &shape->u.affine.linear;
        return (ap_norm(m->x) + ap_norm(m->y) + ap_norm(m->z)) * callback_slack(shape->u.affine.child);
    }
    default: return 0.0;
    }
}

/* The largest coordinates that appear in the computation of a support point. */
static double largest_coordinate(const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_HALF_SPACE: return 0.0;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        return largest_coordinate(shape->u.pair.first) + largest_coordinate(shape->u.pair.second);
    case APART_SHAPE_AFFINE: {
        const apart_mat3 *m = &shape->u.affine.linear;
        return (ap_norm(m->x) + ap_norm(m->y) + ap_norm(m->z)) * largest_coordinate(shape->u.affine.child) +
               ap_norm(shape->u.affine.offset);
    }
    default: return ap_norm(shape->center) + shape->bound + shape->radius;
    }
}

double ap_verify_support_cost(const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_HULL: return 8.0 + apart_hull_vertex_count(shape->u.hull);
    case APART_SHAPE_POINTS: return 8.0 + (double)shape->u.points.count;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        return 8.0 + ap_verify_support_cost(shape->u.pair.first) + ap_verify_support_cost(shape->u.pair.second);
    case APART_SHAPE_AFFINE: return 16.0 + ap_verify_support_cost(shape->u.affine.child);
    default: return 16.0;
    }
}

ap_dd3 ap_verify_to_frame(apart_vec3 p, apart_vec3 origin, double scale)
{
    const ap_dd3 d = ap_dd3_difference(p, origin);
    return (
        ap_dd3){{scale * d.x.hi, scale * d.x.lo}, {scale * d.y.hi, scale * d.y.lo}, {scale * d.z.hi, scale * d.z.lo}};
}

/* The singular values s of R have |s^2 - 1| <= F, the Frobenius norm of R^T R - I, so |s - 1| <= F/2 + F^2 for F < 1. */
static double matrix_stretch(const apart_mat3 *m)
{
    const ap_dd3 c[3] = {ap_dd3_from(m->x), ap_dd3_from(m->y), ap_dd3_from(m->z)};
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        const ap_dd entry = ap_dd_sub(ap_dd3_dot(c[i / 3], c[i % 3]), ap_dd_from(i / 3 == i % 3 ? 1.0 : 0.0));
        sum += ap_dd_value(entry) * ap_dd_value(entry);
    }
    const double f = sqrt(sum);
    return sum > 0.0 ? (0.5 * f + f * f) * (1.0 + 0x1p-40) + ROUNDING : 0.0;
}

ap_dd ap_verify_radius_along(const ap_verify_body *body, ap_dd3 d)
{
    if (body->radius == 0.0) {
        return ap_dd_from(0.0);
    }
    const ap_dd ratio = ap_dd_div(ap_dd3_norm(ap_dd3_apply_transposed(&body->rotation, d)), ap_dd3_norm(d));
    return ap_dd_mul(ap_dd_from(body->radius), ratio);
}

void ap_verify_body_set(ap_verify_body *body, const apart_shape *shape, const apart_pose *pose, apart_vec3 origin,
                        double scale)
{
    body->shape = shape;
    body->rotation = pose->rotation;
    body->offset = ap_verify_to_frame(pose->translation, origin, scale);
    body->scale = scale;
    body->radius = scale * shape->radius;
    body->slack = scale * callback_slack(shape) + ROUNDING * (scale * (largest_coordinate(shape) + shape->radius) +
                                                              ap_norm(ap_dd3_value(body->offset)));
    body->callback = callback_slack(shape) > 0.0;
    body->stretch = matrix_stretch(&pose->rotation);
}

ap_verify_body ap_verify_body_unposed(const ap_verify_body *body)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    ap_verify_body local = *body;
    local.rotation = (apart_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    local.offset = ap_dd3_from(zero);
    local.stretch = 0.0;
    return local;
}

bool ap_verify_support(const ap_verify_body *body, ap_dd3 d, ap_dd3 *out)
{
    ap_dd3 p;
    if (!dd_core_support(body->shape, body->scale, ap_dd3_apply_transposed(&body->rotation, d), &p)) {
        return false;
    }
    *out = ap_dd3_add(ap_dd3_apply(&body->rotation, p), body->offset);
    return ap_dd3_finite(*out);
}

/* x = R^-1 (p - offset) by Cramer's rule: the rows of the inverse are cross products of the columns over the
 * determinant. */
ap_dd3 ap_verify_to_local(const ap_verify_body *body, ap_dd3 p)
{
    const ap_dd3 q = ap_dd3_sub(p, body->offset);
    const ap_dd3 x = ap_dd3_from(body->rotation.x), y = ap_dd3_from(body->rotation.y),
                 z = ap_dd3_from(body->rotation.z);
    const ap_dd3 yz = ap_dd3_cross(y, z), zx = ap_dd3_cross(z, x), xy = ap_dd3_cross(x, y);
    const ap_dd det = ap_dd3_dot(x, yz);
    return (ap_dd3){ap_dd_div(ap_dd3_dot(yz, q), det), ap_dd_div(ap_dd3_dot(zx, q), det),
                    ap_dd_div(ap_dd3_dot(xy, q), det)};
}
