/* Public queries about one shape: its support point, its bounding box under a pose, its bounding sphere. */
#include "family.h"

/* Covers the rounding of a support point (6 eps of the bound), of two dot products and of four sums, each relative to
 * the sum of the sizes. */
static const double box_rounding = 12.0 * DBL_EPSILON;

static apart_status check_is_bounded(const apart_shape *shape)
{
    const apart_status status = apart_shape_check(shape);
    if (status != APART_OK) {
        return status;
    }
    return shape->kind == APART_SHAPE_HALF_SPACE ? APART_ERR_HALF_SPACE : APART_OK;
}

/* The support point of the core relative to the centre, in the shape's unit. */
static apart_status find_core_support(const apart_shape *shape, apart_vec3 d, apart_vec3 *out)
{
    ap_support_context context = {ap_power_of_two_scale(shape->bound), APART_SUPPORT_SCAN, {0, 0}};
    uint32_t vertex = APART_NO_INDEX;
    *out = ap_scale(1.0 / context.scale, ap_support(shape, &context, d, &vertex));
    return ap_finite(*out) ? APART_OK : APART_ERR_CALLBACK;
}

/* An upper bound of the world coordinate on the axis that `row` of the rotation belongs to. */
static apart_status find_largest_coordinate(const apart_shape *shape, apart_vec3 row, double translation, double *out)
{
    apart_vec3 x;
    const apart_status status = find_core_support(shape, row, &x);
    if (status != APART_OK) {
        return status;
    }
    const double size = shape->bound + shape->radius + ap_norm(shape->center) + fabs(translation);
    const double margin = box_rounding * size + shape->error * AP_ROTATION_STRETCH;
    *out = ap_dot(row, x) + (ap_dot(row, shape->center) + translation) + shape->radius * ap_norm(row) + margin;
    return isfinite(*out) ? APART_OK : APART_ERR_OVERFLOW;
}

/* The interval of the body's coordinates on a world axis. */
static apart_status find_interval(const apart_shape *shape, apart_vec3 row, double translation, double *min,
                                  double *max)
{
    const apart_status status = find_largest_coordinate(shape, row, translation, max);
    if (status != APART_OK) {
        return status;
    }
    double minus_min;
    const apart_status other = find_largest_coordinate(shape, ap_neg(row), -translation, &minus_min);
    *min = -minus_min;
    return other;
}

apart_status ap_support_from_center(const apart_shape *shape, apart_vec3 direction, apart_vec3 *out)
{
    apart_status status = check_is_bounded(shape);
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(direction)) {
        return APART_ERR_NONFINITE;
    }
    const double s = ap_power_of_two_scale(ap_max_abs(direction));
    const apart_vec3 d = {s * direction.x, s * direction.y, shape->dim == 3 ? s * direction.z : 0.0};
    apart_vec3 x;
    status = find_core_support(shape, d, &x);
    if (status != APART_OK) {
        return status;
    }
    const apart_vec3 point = ap_add(x, ap_along(shape->radius, d));
    if (!ap_finite(point)) {
        return APART_ERR_OVERFLOW;
    }
    *out = point;
    return APART_OK;
}

apart_status apart_support(const apart_shape *shape, apart_vec3 direction, apart_vec3 *out)
{
    apart_vec3 x;
    const apart_status status = ap_support_from_center(shape, direction, &x);
    if (status != APART_OK) {
        return status;
    }
    if (out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_vec3 point = ap_add(x, shape->center);
    if (!ap_finite(point)) {
        return APART_ERR_OVERFLOW;
    }
    *out = point;
    return APART_OK;
}

apart_status apart_shape_aabb(const apart_shape *shape, const apart_pose *pose, apart_aabb *out)
{
    apart_status status = check_is_bounded(shape);
    if (status == APART_OK) {
        status = out == NULL ? APART_ERR_NULL : apart_pose_check(pose);
    }
    if (status == APART_OK && shape->dim == 2 && !ap_pose_is_planar(pose)) {
        status = APART_ERR_DIMENSION;
    }
    if (status != APART_OK) {
        return status;
    }
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 t = pose->translation;
    apart_aabb box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    status = find_interval(shape, ap_vec(r->x.x, r->y.x, r->z.x), t.x, &box.min.x, &box.max.x);
    if (status == APART_OK) {
        status = find_interval(shape, ap_vec(r->x.y, r->y.y, r->z.y), t.y, &box.min.y, &box.max.y);
    }
    if (status == APART_OK && shape->dim == 3) {
        status = find_interval(shape, ap_vec(r->x.z, r->y.z, r->z.z), t.z, &box.min.z, &box.max.z);
    }
    if (status == APART_OK) {
        *out = box;
    }
    return status;
}

apart_status apart_shape_ball(const apart_shape *shape, apart_vec3 *center, double *radius)
{
    const apart_status status = check_is_bounded(shape);
    if (status != APART_OK) {
        return status;
    }
    if (center == NULL || radius == NULL) {
        return APART_ERR_NULL;
    }
    const double size = ap_round_up(shape->bound + shape->radius + shape->error);
    if (!isfinite(size)) {
        return APART_ERR_OVERFLOW;
    }
    *center = shape->center;
    *radius = size;
    return APART_OK;
}
