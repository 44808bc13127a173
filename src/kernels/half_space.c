/* A half-space against a bounded body.
 *
 * The image of {n.x <= o} under a pose has the normal R^-T n, the cofactors of R times n, so that a matrix that is a
 * rotation only up to rounding is used as given. The Minkowski difference is a half-space, too: the other body's
 * support point against the normal gives distance and depth alike. */
#include "half_space.h"

#include <float.h>

#include "../pair/result.h"

/* The unit normal in the world and the scaled offset along it from the pose's translation. The shape's rounding radius
 * moves the plane outwards. */
static apart_vec3 world_plane(const apart_shape *plane, const apart_mat3 *r, double scale, double *offset)
{
    const apart_vec3 n = plane->u.plane.normal;
    const apart_mat3 cofactors = {ap_cross(r->y, r->z), ap_cross(r->z, r->x), ap_cross(r->x, r->y)};
    const double determinant = ap_dot(r->x, cofactors.x);
    const apart_vec3 image = ap_apply(&cofactors, n);
    const double length = ap_norm(image);
    *offset = (scale * plane->u.plane.offset) * (determinant / length) + scale * plane->radius;
    return ap_scale(1.0 / length, image);
}

static void write_plane_result(apart_result *r, const ap_pair *pair, apart_vec3 normal, double signed_distance,
                               double error, const ap_simplex_vertex *nearest)
{
    const double inverse = pair->inverse_scale, radius = pair->radius;
    const double slack =
        AP_RESULT_ROUNDING * AP_UNIT_ROUNDOFF * (radius + inverse * fabs(signed_distance)) + pair->widening;
    const double distance = inverse * signed_distance - radius;
    const double lower = (inverse * (signed_distance - error) - radius) - slack,
                 upper = (inverse * (signed_distance + error) - radius) + slack;
    const apart_vec3 b = ap_sub(ap_pair_world(pair, nearest->b), ap_scale(radius, normal));
    *r = (apart_result){.count = 1, .iterations = 1, .dim = (uint8_t)pair->dim, .stop = APART_STOP_CONVERGED};
    ap_result_put(r, distance, lower, upper, ap_lanes_from(ap_sub(b, ap_scale(distance, normal))), ap_lanes_from(b),
                  ap_lanes_from(normal));
    for (int i = 0; i < 4; i++) {
        r->index_a[i] = APART_NO_INDEX;
        r->index_b[i] = i == 0 ? ap_input_index(pair->b, nearest->index_b) : APART_NO_INDEX;
    }
    r->lambda[0] = 1.0;
    r->relation = ap_result_relation(lower, upper);
}

static apart_status distance_to_plane(const ap_query *q)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    const apart_shape *plane = q->a, anchor = plane->dim == 2 ? apart_point_2d(0.0, 0.0) : apart_point(zero);
    const ap_query anchored = {&anchor, q->pose_a, q->b, q->pose_b, q->options, NULL, q->result};
    ap_pair pair;
    if (plane->status != APART_OK) {
        return (apart_status)plane->status;
    }
    const apart_status status = ap_pair_prepare(&pair, &anchored, q->options->support);
    if (status != APART_OK) {
        return status;
    }
    double offset;
    const apart_vec3 normal = world_plane(plane, &q->pose_a->rotation, pair.scale, &offset);
    if (!(fabs(plane->u.plane.offset) + plane->radius <= DBL_MAX / 4.0) || !isfinite(offset)) {
        return APART_ERR_OVERFLOW;
    }
    ap_simplex_vertex nearest = {.index_a = APART_NO_INDEX, .index_b = APART_NO_INDEX};
    if (pair.confirm) {
        ap_pair_scan(&pair);
    }
    ap_pair_support(&pair, normal, &nearest);
    if (pair.broken) {
        return ap_pair_status(&pair);
    }
    const double error = pair.lower_error + AP_PLANE_ERROR * AP_UNIT_ROUNDOFF * (pair.magnitude + fabs(offset));
    write_plane_result(q->result, &pair, normal, ap_dot(normal, nearest.w) - offset, error, &nearest);
    q->result->solver = q->options->solver;
    if (q->options->stats != NULL) {
        q->options->stats->queries++;
        q->options->stats->support_calls++;
    }
    return APART_OK;
}

apart_status ap_distance_to_half_space(const ap_query *q)
{
    if (q->a->kind == q->b->kind) {
        return APART_ERR_HALF_SPACE;
    }
    if (q->a->kind == APART_SHAPE_HALF_SPACE) {
        return distance_to_plane(q);
    }
    const ap_query swapped = ap_query_swapped(q);
    const apart_status status = distance_to_plane(&swapped);
    if (status == APART_OK) {
        ap_result_swap(q->result);
    }
    return status;
}
