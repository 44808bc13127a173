/* Distances in closed form, where both cores are so simple: two points or segments (spheres and capsules), a point and a box.
 *
 * Source: Ericson, Real-Time Collision Detection (2005), 5.1.3 and 5.1.9, for the nearest points. We differ in not believing them: the
 * points give the upper bound, the plane across their difference the lower one, evaluated over the bodies as they are, matrices as
 * given. Where the two do not meet to rounding (bodies that touch or overlap, segments so close to parallel that the formula loses
 * its digits) the general query answers.
 *
 * Legend: everything is relative to A's centre and not scaled; D B's centre; v from A's point to B's. */
#include "closed_form.h"

#include <float.h>

/* Sizes between these are squared without a thought. */
#define LEAST_SIZE 0x1p-400
#define LARGEST_SIZE 0x1p+400

/* In units of u * M: the gap between the bounds that counts as closed: the errors of one evaluation of either. */
#define GAP_LIMIT 32.0

/* What is asked, made ready. */
typedef struct simple_pair {
    const apart_shape *a, *b;
    const apart_mat3 *rotation_a, *rotation_b;
    ap_lanes3 rows_b;
    apart_vec3 between;  /* D */
    double magnitude;    /* M */
    double radius, widening;
} simple_pair;

/* The nearest points, and the vertices and weights that make them. */
typedef struct simple_answer {
    apart_vec3 a, b;
    uint32_t index_a[3], index_b[3];
    double lambda[3];
    int count;
} simple_answer;

/* False: something is out of the ordinary, or wrong; the general query will say what. */
AP_INLINE bool take_simple(simple_pair *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    ap_lanes3 rows_a;
    ap_lanes defect_a, defect_b;
    const bool rotates_a = take_rotation(pose_a, &rows_a, &defect_a), rotates_b = take_rotation(pose_b, &p->rows_b, &defect_b);
    p->a = a;
    p->b = b;
    p->rotation_a = &pose_a->rotation;
    p->rotation_b = &pose_b->rotation;
    p->between = ap_sub(pose_b->translation, pose_a->translation);
    p->magnitude = (a->bound + b->bound) + ((fabs(p->between.x) + fabs(p->between.y)) + fabs(p->between.z));
    p->radius = a->radius + b->radius;
    p->widening = widen(a, defect_a, b, defect_b);
    return rotates_a && rotates_b && p->magnitude > LEAST_SIZE && p->magnitude < LARGEST_SIZE && p->radius < LARGEST_SIZE &&
           (a->status | b->status) == APART_OK && all_zero(&a->center) && all_zero(&b->center);
}

/* Writes the answer if the plane across v proves it: `reach` is the least v.w over all of the TCSO, divided by |v|. */
AP_INLINE bool write_simple(const simple_pair *p, const simple_answer *s, const apart_pose *pose_a, apart_vec3 v, double length, double reach,
                            apart_result *r)
{
    const double unit = AP_UNIT_ROUNDOFF * p->magnitude;
    if (!(length - reach <= GAP_LIMIT * unit) || !(length > GAP_LIMIT * unit)) {
        return false;
    }
    const double slack = 4.0 * AP_UNIT_ROUNDOFF * (p->radius + length) + p->widening;
    const apart_vec3 normal = ap_scale(1.0 / length, v), origin = pose_a->translation;
    r->lower = ((reach - AP_LOWER_ERROR * unit) - p->radius) - slack;
    r->upper = ((length + AP_UPPER_ERROR * unit) - p->radius) + slack;
    r->distance = ap_min(ap_max(length - p->radius, r->lower), r->upper);
    r->a = ap_add(ap_add(origin, s->a), ap_scale(p->a->radius, normal));
    r->b = ap_sub(ap_add(origin, s->b), ap_scale(p->b->radius, normal));
    r->normal = normal;
    memset(r->index_a, 0xff, sizeof r->index_a + sizeof r->index_b);
    memset(r->lambda, 0, sizeof r->lambda);
    for (int i = 0; i < s->count; i++) {
        r->index_a[i] = s->index_a[i];
        r->index_b[i] = s->index_b[i];
        r->lambda[i] = s->lambda[i];
    }
    r->count = (uint8_t)s->count;
    r->iterations = 1;
    r->relation = r->lower > 0.0 ? APART_DISJOINT : r->upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
    r->stop = APART_STOP_CONVERGED;
    r->solver = APART_SOLVER_DEFAULT;
    r->fallback = 0;
    r->dim = 3;
    return true;
}

/* ---- two points or segments ---- */

/* The ends of a core in query axes. */
AP_INLINE void take_ends(const apart_shape *shape, const apart_mat3 *rotation, apart_vec3 ends[2])
{
    ends[0] = ap_apply(rotation, shape->u.point[0]);
    ends[1] = shape->kind == APART_SHAPE_SEGMENT ? ap_apply(rotation, shape->u.point[1]) : ends[0];
}

AP_INLINE double clamp_share(double numerator, double denominator)
{
    return !(numerator > 0.0) ? 0.0 : numerator < denominator ? numerator / denominator : 1.0;
}

/* Shares s of the way along p, t along q of the nearest points. */
AP_INLINE void nearest_shares(apart_vec3 along_p, apart_vec3 along_q, apart_vec3 from_q, double *s, double *t)
{
    const double pp = ap_dot(along_p, along_p), qq = ap_dot(along_q, along_q), pq = ap_dot(along_p, along_q);
    const double pr = ap_dot(along_p, from_q), qr = ap_dot(along_q, from_q);
    const double determinant = pp * qq - pq * pq;
    *s = determinant > 0.0 ? clamp_share(pq * qr - pr * qq, determinant) : 0.0;
    *t = clamp_share(pq * *s + qr, qq);
    *s = clamp_share(pq * *t - pr, pp);
}

/* Three vertex pairs that make both points: the weights of one end are those of the other where they go together. */
AP_INLINE void write_shares(simple_answer *answer, const simple_pair *p, double s, double t)
{
    const bool a_leads = s >= t;
    const uint32_t indices_a[3] = {0, a_leads ? 1u : 0u, 1}, indices_b[3] = {0, a_leads ? 0u : 1u, 1};
    const double weights[3] = {1.0 - (a_leads ? s : t), a_leads ? s - t : t - s, a_leads ? t : s};
    answer->count = 0;
    for (int i = 0; i < 3; i++) {
        if (weights[i] > 0.0) {
            answer->index_a[answer->count] = p->a->kind == APART_SHAPE_SEGMENT ? indices_a[i] : 0;
            answer->index_b[answer->count] = p->b->kind == APART_SHAPE_SEGMENT ? indices_b[i] : 0;
            answer->lambda[answer->count++] = weights[i];
        }
    }
}

static bool distance_of_segments(const simple_pair *p, const apart_pose *pose_a, apart_result *result)
{
    apart_vec3 a[2], b[2];
    double s, t;
    simple_answer answer;
    take_ends(p->a, p->rotation_a, a);
    take_ends(p->b, p->rotation_b, b);
    b[0] = ap_add(b[0], p->between);
    b[1] = ap_add(b[1], p->between);
    const apart_vec3 along_a = ap_sub(a[1], a[0]), along_b = ap_sub(b[1], b[0]);
    nearest_shares(along_a, along_b, ap_sub(a[0], b[0]), &s, &t);
    answer.a = ap_add(a[0], ap_scale(s, along_a));
    answer.b = ap_add(b[0], ap_scale(t, along_b));
    write_shares(&answer, p, s, t);
    const apart_vec3 v = ap_sub(answer.b, answer.a);
    const double length = sqrt(ap_dot(v, v));
    const double reach = ap_min(ap_dot(v, b[0]), ap_dot(v, b[1])) - ap_max(ap_dot(v, a[0]), ap_dot(v, a[1]));
    return write_simple(p, &answer, pose_a, v, length, reach / length, result);
}

/* ---- a point and a box ---- */

/* The corners and weights that make the point q of the box: along an axis where q is on a face, that face's corners alone. In a face, the
 * triangle of three corners that q lies in. */
AP_INLINE void write_box_weights(simple_answer *answer, const double h[3], const double q[3])
{
    uint32_t corner = 0, axis[2] = {0, 0};
    double share[2] = {0.0, 0.0};
    int free_axes = 0;
    for (uint32_t k = 0; k < 3; k++) {
        if (q[k] >= h[k]) {
            corner |= 1u << k;
        } else if (q[k] > -h[k] && free_axes < 2) {
            share[free_axes] = (q[k] + h[k]) / (2.0 * h[k]);
            axis[free_axes++] = k;
        }
    }
    const uint32_t first = 1u << axis[0], second = 1u << axis[1];
    const bool beyond = free_axes == 2 && share[0] + share[1] > 1.0; /* of the diagonal */
    const uint32_t corners[3] = {beyond ? corner | first | second : corner, corner | first, corner | second};
    const double weights[3] = {beyond ? (share[0] + share[1]) - 1.0 : (1.0 - share[0]) - share[1], beyond ? 1.0 - share[1] : share[0],
                               beyond ? 1.0 - share[0] : share[1]};
    answer->count = 0;
    for (int i = 0; i <= free_axes; i++) {
        if (weights[i] > 0.0) {
            answer->index_a[answer->count] = 0;
            answer->index_b[answer->count] = corners[i];
            answer->lambda[answer->count++] = weights[i];
        }
    }
}

static bool distance_of_point_and_box(const simple_pair *p, const apart_pose *pose_a, apart_result *result)
{
    const apart_vec3 half = p->b->u.half_extents;
    const double h[3] = {half.x, half.y, half.z};
    const ap_lanes foot = -ap_lanes_apply(&p->rows_b, ap_lanes_from(p->between));
    double q[3];
    for (int k = 0; k < 3; k++) {
        q[k] = ap_min(ap_max(foot[k], -h[k]), h[k]);
    }
    simple_answer answer = {.a = {0.0, 0.0, 0.0}};
    answer.b = ap_add(ap_apply(p->rotation_b, ap_vec(q[0], q[1], q[2])), p->between);
    const apart_vec3 v = answer.b;
    const double length = sqrt(ap_dot(v, v));
    const ap_lanes turned = ap_lanes_abs(ap_lanes_apply(&p->rows_b, ap_lanes_from(v)));
    const double reach = ap_dot(v, p->between) - ((h[0] * turned[0] + h[1] * turned[1]) + h[2] * turned[2]);
    if (!(length > 0.0)) {
        return false;
    }
    write_box_weights(&answer, h, q);
    return write_simple(p, &answer, pose_a, v, length, reach / length, result);
}

static bool is_point_or_segment(const apart_shape *shape) { return shape->kind == APART_SHAPE_POINT || shape->kind == APART_SHAPE_SEGMENT; }

/* A point at its own origin: what a sphere is. */
static bool is_centre(const apart_shape *shape)
{
    return shape->kind == APART_SHAPE_POINT && all_zero(&shape->u.point[0]);
}

bool ap_closed_form(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, apart_result *result)
{
    simple_pair p;
    if (a->dim != 3 || b->dim != 3) {
        return false;
    }
    if (is_point_or_segment(a) && is_point_or_segment(b)) {
        return take_simple(&p, a, pose_a, b, pose_b) && distance_of_segments(&p, pose_a, result);
    }
    if (is_centre(a) && b->kind == APART_SHAPE_BOX) {
        return take_simple(&p, a, pose_a, b, pose_b) && distance_of_point_and_box(&p, pose_a, result);
    }
    if (a->kind == APART_SHAPE_BOX && is_centre(b)) {
        apart_result seen_from_b;
        if (!take_simple(&p, b, pose_b, a, pose_a) || !distance_of_point_and_box(&p, pose_b, &seen_from_b)) {
            return false;
        }
        ap_result_swap(&seen_from_b);
        *result = seen_from_b;
        return true;
    }
    return false;
}
