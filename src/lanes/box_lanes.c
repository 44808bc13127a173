/* One step of the distance query for eight pairs of boxes: one pair per SIMD lane, four lanes per vector.
 *
 * A step takes a feature of each pair's Minkowski difference (box_feature.h) and finds the point v of its plane, line
 * or vertex that is nearest to the origin. If the plane perpendicular to v supports the Minkowski difference there, v
 * is the shortest vector. Otherwise the step chooses the next feature. Two vectors go through each part of the step
 * together, because most of it is one dependency chain.
 *
 * Only bodies that are disjoint beyond rounding, with sizes in range and orthogonal matrices, are decided here; all
 * other pairs fall back to the scalar query. The bounds are derived in docs/numerics.md, "Boxes in lanes". */
#include "box_lanes.h"

#include "box_feature.h"
#include "pair_lanes.h"

/* Errors in units of u * size, for both bounds. */
#define BOUND_ERROR 12.0
/* The largest duality gap that counts as closed, in the same units. */
#define CLOSED_GAP 16.0
/* Pairs that need more steps fall back to the scalar query. */
#define MOST_STEPS 12u
/* The range of sizes whose squares, and products with lengths near rounding, neither overflow nor underflow. */
#define LEAST_SIZE 0x1p-300
#define MOST_SIZE 0x1p+300

#define VECTORS (AP_BOX_LANES / AP_VECTOR_LANES)

/* Four pairs during a step. */
typedef struct four_box_pairs {
    ap_box_lanes box;
    ap_lanes3 origin;   /* A's centre */
    ap_lanes unit;      /* u * size */
    ap_mask eligible;   /* the size is in range and the matrices are rotations */
    ap_lanes3 corner;   /* where the feature begins: position 0 along its free axes */
    ap_lanes3 corner_a; /* the same on A, relative to its centre, negated */
    ap_box_step step;
    ap_lanes distance, inverse, plane_distance; /* |v|, 1/|v|, v.w/|v| of the support point w */
} four_box_pairs;

/* ---- loading ---- */

AP_INLINE void load_extents(const apart_vec3 *const of[AP_VECTOR_LANES], ap_lanes half[3])
{
    const ap_lanes3 h =
        ap_lanes_transpose(ap_lanes_load(of[0]), ap_lanes_load(of[1]), ap_lanes_load(of[2]), ap_lanes_load(of[3]));
    half[0] = h.x;
    half[1] = h.y;
    half[2] = h.z;
}

AP_INLINE ap_mask is_size_in_range(const ap_box_lanes *box)
{
    return ap_mask_and(ap_lanes_greater(box->size, ap_lanes_all(LEAST_SIZE)),
                       ap_lanes_less(box->size, ap_lanes_all(MOST_SIZE)));
}

/* Checks the matrices again with the limit of the scalar query, which is wider than that of the quick test. */
static AP_RARE void recheck_box_rotations(four_box_pairs *q)
{
    q->eligible = ap_mask_and(is_size_in_range(&q->box), ap_rotation4_are_legal(&q->box.axis[0], &q->box.axis[3]));
}

/* Loads shapes, poses and features. */
AP_INLINE void load_box_pairs(four_box_pairs *q, const ap_lane_job *job)
{
    const apart_vec3 *half_a[AP_VECTOR_LANES] = {job[0].half_a, job[1].half_a, job[2].half_a, job[3].half_a};
    const apart_vec3 *half_b[AP_VECTOR_LANES] = {job[0].half_b, job[1].half_b, job[2].half_b, job[3].half_b};
    const apart_pose *pose_a[AP_VECTOR_LANES] = {job[0].pose_a, job[1].pose_a, job[2].pose_a, job[3].pose_a};
    const apart_pose *pose_b[AP_VECTOR_LANES] = {job[0].pose_b, job[1].pose_b, job[2].pose_b, job[3].pose_b};
    ap_box_lanes *box = &q->box;
    ap_lanes3 to;
    const ap_rotation4 rotation_a = ap_lanes_load_poses(pose_a, &box->axis[0], &q->origin);
    const ap_rotation4 rotation_b = ap_lanes_load_poses(pose_b, &box->axis[3], &to);
    load_extents(half_a, &box->half[0]);
    load_extents(half_b, &box->half[3]);
    const ap_lanes3 d = ap_lanes3_sub(to, q->origin);
    const ap_lanes *h = box->half;
    box->offset = d;
    const ap_lanes between = ap_lanes_sum3(ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z));
    box->size = ap_lanes_sum3(ap_lanes_sum3(h[0], h[1], h[2]), ap_lanes_sum3(h[3], h[4], h[5]), between);
    q->unit = ap_lanes_scale(AP_UNIT_ROUNDOFF, box->size);
    q->eligible = ap_mask_and(is_size_in_range(box), ap_rotation4_are_exact(rotation_a, rotation_b));
    q->step.feature = ap_mask_of(job[0].state, job[1].state, job[2].state, job[3].state);
}

/* ---- a step ---- */

/* v + shift[0] free[0] + shift[1] free[1], with the shifts that make it the point nearest to the origin: the normal
 * equations for axes of unit length. The shift of AP_NO_AXIS is 0. */
AP_INLINE ap_lanes3 step_in_feature_plane(ap_lanes3 v, const ap_box_step *s, ap_lanes shift[2])
{
    const ap_lanes x = ap_lanes3_dot(v, s->free[0]), y = ap_lanes3_dot(v, s->free[1]);
    shift[0] = ap_lanes_mul(ap_lanes_sub(ap_lanes_mul(y, s->cosine), x), s->inverse_determinant);
    shift[1] = ap_lanes_mul(ap_lanes_sub(ap_lanes_mul(x, s->cosine), y), s->inverse_determinant);
    return ap_lanes3_add(ap_lanes3_add(v, ap_lanes3_scale(shift[0], s->free[0])),
                         ap_lanes3_scale(shift[1], s->free[1]));
}

/* Sets where each lane's feature begins, in the Minkowski difference and on A. */
AP_INLINE void set_feature_corner(four_box_pairs *q)
{
    ap_lanes t[AP_BOX_AXES];
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        t[k] = ap_box_end(&q->box, q->step.feature, k);
    }
    const ap_lanes3 a = ap_lanes3_combine(&q->box.axis[0], t[0], t[1], t[2]),
                    b = ap_lanes3_combine(&q->box.axis[3], t[3], t[4], t[5]);
    q->corner_a = a;
    q->corner = ap_lanes3_add(q->box.offset, ap_lanes3_add(b, a));
}

AP_INLINE void load_feature(four_box_pairs *q)
{
    ap_box_step *s = &q->step;
    s->first = ap_mask_and(ap_mask_shift_right(s->feature, AP_BOX_FIRST_BIT), ap_mask_all(7));
    s->second = ap_mask_and(ap_mask_shift_right(s->feature, AP_BOX_SECOND_BIT), ap_mask_all(7));
    s->free[0] = ap_box_select_axis(&q->box, s->first, 0, 5, &s->length[0]);
    s->free[1] = ap_box_select_axis(&q->box, s->second, 1, 5, &s->length[1]);
    set_feature_corner(q);
    s->cosine = ap_lanes3_dot(s->free[0], s->free[1]);
    s->determinant = ap_lanes_sub(ap_lanes_all(1.0), ap_lanes_mul(s->cosine, s->cosine));
    s->inverse_determinant = ap_lanes_div(ap_lanes_all(1.0), s->determinant);
}

AP_INLINE void project_origin_on_feature(four_box_pairs *q)
{
    q->step.v = step_in_feature_plane(q->corner, &q->step, q->step.position);
}

/* Projects once more: now v is perpendicular to the free axes to rounding of its own length. */
AP_INLINE void refine_projection(four_box_pairs *q)
{
    ap_lanes more[2];
    q->step.v = step_in_feature_plane(q->step.v, &q->step, more);
    q->step.position[0] = ap_lanes_add(q->step.position[0], more[0]);
    q->step.position[1] = ap_lanes_add(q->step.position[1], more[1]);
}

/* Evaluates the supporting plane perpendicular to v. */
AP_INLINE void evaluate_box_plane(four_box_pairs *q)
{
    const ap_box_lanes *box = &q->box;
    ap_lanes shadow[AP_BOX_AXES];
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        q->step.slope[k] = ap_lanes3_dot(box->axis[k], q->step.v);
        shadow[k] = ap_lanes_mul(box->half[k], ap_lanes_abs(q->step.slope[k]));
    }
    const ap_lanes shadows =
        ap_lanes_add(ap_lanes_sum3(shadow[0], shadow[1], shadow[2]), ap_lanes_sum3(shadow[3], shadow[4], shadow[5]));
    const ap_lanes product = ap_lanes_sub(ap_lanes3_dot(box->offset, q->step.v), shadows);
    q->step.square = ap_lanes3_dot(q->step.v, q->step.v);
    q->distance = ap_lanes_sqrt(q->step.square);
    q->inverse = ap_lanes_div(ap_lanes_all(1.0), q->distance);
    q->plane_distance = ap_lanes_mul(product, q->inverse);
}

/* The lanes whose boxes are proved to be disjoint at the distance found. */
AP_INLINE ap_mask is_box_distance_certified(const four_box_pairs *q)
{
    const ap_lanes zero = ap_lanes_all(0.0), *position = q->step.position;
    const ap_mask inside =
        ap_mask_and(ap_mask_and(ap_mask_and(ap_mask_and(ap_lanes_at_least(position[0], zero),
                                                        ap_lanes_at_most(position[0], q->step.length[0])),
                                            ap_lanes_at_least(position[1], zero)),
                                ap_lanes_at_most(position[1], q->step.length[1])),
                    ap_lanes_greater(q->step.determinant, ap_lanes_all(AP_BOX_LEAST_DETERMINANT)));
    const ap_mask closed =
        ap_lanes_at_most(ap_lanes_sub(q->distance, q->plane_distance), ap_lanes_scale(CLOSED_GAP, q->unit));
    return ap_mask_and(ap_mask_and(ap_mask_and(inside, closed), q->eligible),
                       ap_lanes_greater(q->plane_distance, ap_lanes_scale(2.0 * BOUND_ERROR, q->unit)));
}

AP_INLINE ap_mask steps_of(const four_box_pairs *q) { return ap_mask_shift_right(q->step.feature, AP_BOX_STEPS_BIT); }

/* Chooses the next feature of the open lanes. Bit i of the return value: lane i has one. */
AP_INLINE unsigned choose_features(const four_box_pairs *q, unsigned open, ap_lane_job *job)
{
    ap_mask found;
    const ap_mask next = ap_box_next_features(&q->box, &q->step, open, &found), steps = steps_of(q);
    const ap_mask unsaved =
        ap_mask_or(ap_mask_and(next, ap_mask_all(AP_BOX_FEATURE_BITS)), ap_mask_all(1 << AP_BOX_UNSAVED_BIT));
    const ap_mask states =
        ap_mask_or(unsaved, ap_mask_shift_left(ap_mask_add(steps, ap_mask_all(1)), AP_BOX_STEPS_BIT));
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        job[lane].state = ap_mask_at(states, lane);
    }
    return ap_mask_bits(ap_mask_and(found, ap_mask_less(steps, ap_mask_all(MOST_STEPS)))) & open;
}

/* ---- results ---- */

/* The vertex numbers on both bodies, four times 32 bits each, by lane: the beginning of the feature, the vertex across
 * the axis with the larger share, and the one across both axes. Unused places hold APART_NO_INDEX. */
AP_INLINE ap_four_rows box_vertex_numbers(const four_box_pairs *q, ap_mask second_first)
{
    const ap_mask none = ap_mask_all(AP_NO_AXIS), last = ap_mask_all(-((int64_t)1 << 32)); /* for unused places */
    const ap_mask no_second = ap_mask_and(ap_mask_equal(q->step.first, none), last),
                  no_third = ap_mask_or(ap_mask_shift_right(ap_mask_equal(q->step.second, none), 32), last);
    const ap_mask one = ap_mask_all(1), seven = ap_mask_all(7), all = ap_mask_all(63);
    const ap_mask along_first = ap_mask_and(ap_mask_shift_left_by(one, q->step.first), all),
                  along_second = ap_mask_and(ap_mask_shift_left_by(one, q->step.second), all);
    const ap_mask first = ap_mask_xor(ap_mask_and(q->step.feature, all), seven);
    const ap_mask second =
        ap_mask_xor(first, ap_mask_of_lanes(ap_lanes_select(ap_lanes_of_mask(along_first),
                                                            ap_lanes_of_mask(along_second), second_first)));
    const ap_mask third = ap_mask_xor(ap_mask_xor(first, along_first), along_second);
    return ap_integer_rows(ap_mask_or(ap_mask_or(ap_mask_and(first, seven),
                                                 ap_mask_shift_left(ap_mask_and(second, seven), 32)),
                                      no_second),
                           ap_mask_or(ap_mask_and(third, seven), no_third),
                           ap_mask_or(ap_mask_or(ap_mask_shift_right(first, 3),
                                                 ap_mask_shift_left(ap_mask_shift_right(second, 3), 32)),
                                      no_second),
                           ap_mask_or(ap_mask_shift_right(third, 3), no_third));
}

AP_INLINE void write_box_results(const four_box_pairs *q, const ap_lane_job *job, unsigned answered)
{
    const ap_lanes error = ap_lanes_scale(BOUND_ERROR, q->unit), lower = ap_lanes_sub(q->plane_distance, error),
                   upper = ap_lanes_add(q->distance, error);
    const ap_lanes3 v = q->step.v, n = ap_lanes3_scale(q->inverse, v);
    const ap_mask three = ap_mask_all(3), none = ap_mask_all(AP_NO_AXIS);
    const ap_mask count =
        ap_mask_add(ap_mask_add(three, ap_mask_equal(q->step.first, none)), ap_mask_equal(q->step.second, none));
    const ap_lanes position_first =
        ap_lanes_of_mask(ap_mask_and(ap_mask_of_lanes(q->step.position[0]),
                                     ap_mask_less(q->step.first, three))); /* on A, if the axis is A's */
    const ap_lanes position_second =
        ap_lanes_of_mask(ap_mask_and(ap_mask_of_lanes(q->step.position[1]), ap_mask_less(q->step.second, three)));
    const ap_lanes3 start = ap_lanes3_add(q->corner_a, ap_lanes3_scale(position_first, q->step.free[0]));
    const ap_lanes3 from_a = ap_lanes3_add(start, ap_lanes3_scale(position_second, q->step.free[1]));
    const ap_lanes3 a = ap_lanes3_sub(q->origin, from_a), b = ap_lanes3_add(q->origin, ap_lanes3_sub(v, from_a));
    const ap_lanes x = ap_lanes_div(q->step.position[0], q->step.length[0]),
                   y = ap_lanes_div(q->step.position[1], q->step.length[1]);
    const ap_lanes most = ap_lanes_max(x, y), least = ap_lanes_min(x, y);
    const ap_lane_answers answers = {.distance = q->distance,
                                     .lower = lower,
                                     .upper = upper,
                                     .a = a,
                                     .b = b,
                                     .normal = n,
                                     .numbers = box_vertex_numbers(q, ap_lanes_greater(y, x)),
                                     .lambda = {ap_lanes_sub(ap_lanes_all(1.0), most), ap_lanes_sub(most, least),
                                                least},
                                     .steps = steps_of(q),
                                     .count = count};
    ap_write_lanes(&answers, job, answered);
}

/* Saves the feature and the simplex of a result. It is not called for a cache that has the feature already: its
 * vertices and its direction are as good as new ones. */
static AP_NOINLINE void save_feature(const four_box_pairs *q, unsigned lane, const ap_lane_job *job)
{
    const apart_result *result = job->result;
    apart_cache *cache = job->cache;
    if (cache == NULL) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        cache->index_a[i] = i < result->count ? result->index_a[i] : 0;
        cache->index_b[i] = i < result->count ? result->index_b[i] : 0;
    }
    cache->tag = ap_box_tag();
    cache->count = result->count;
    cache->flags = (uint16_t)((job->state & AP_BOX_FEATURE_BITS) | AP_BOX_HAS_FEATURE);
    for (unsigned k = 0; k < 3; k++) {
        cache->direction[k] = ap_lanes_at(q->inverse, lane) * ap_lanes_at(q->step.slope[k], lane);
    }
}

AP_INLINE ap_lane_verdict step_box_jobs(ap_lane_job *jobs, unsigned count, unsigned vectors)
{
    four_box_pairs q[VECTORS];
    for (unsigned i = 0; i < vectors; i++) {
        load_box_pairs(&q[i], jobs + AP_VECTOR_LANES * i);
    }
    for (unsigned i = 0; i < vectors; i++) {
        load_feature(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        project_origin_on_feature(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        refine_projection(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        evaluate_box_plane(&q[i]);
    }
    unsigned answered = 0, open = 0, unsaved = 0;
    for (unsigned i = 0; i < vectors; i++) {
        if (ap_mask_bits(q[i].eligible) != 15u) {
            recheck_box_rotations(&q[i]);
        }
        answered |= ap_mask_bits(is_box_distance_certified(&q[i])) << AP_VECTOR_LANES * i;
        open |= ap_mask_bits(q[i].eligible) << AP_VECTOR_LANES * i;
        unsaved |= ap_mask_bits(ap_mask_shift_left(q[i].step.feature, 63 - AP_BOX_UNSAVED_BIT)) << AP_VECTOR_LANES * i;
    }
    answered &= (1u << count) - 1u;
    open &= ~answered & ((1u << count) - 1u);
    ap_lane_verdict verdict = {answered, 0};
    for (unsigned i = 0; i < vectors; i++) {
        write_box_results(&q[i], jobs + AP_VECTOR_LANES * i, answered >> AP_VECTOR_LANES * i & 15u);
    }
    for (unsigned rest = unsaved & answered; rest != 0; rest &= rest - 1) {
        const unsigned i = ap_lowest_bit(rest);
        save_feature(&q[i / AP_VECTOR_LANES], i % AP_VECTOR_LANES, &jobs[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        if ((open >> AP_VECTOR_LANES * i & 15u) == 0) {
            continue;
        }
        verdict.again |= choose_features(&q[i], open >> AP_VECTOR_LANES * i & 15u, jobs + AP_VECTOR_LANES * i)
                         << AP_VECTOR_LANES * i;
    }
    return verdict;
}

ap_lane_verdict ap_box_lanes_step(ap_lane_job *jobs, unsigned count)
{
    return count <= AP_VECTOR_LANES ? step_box_jobs(jobs, count, 1) : step_box_jobs(jobs, count, VECTORS);
}
