/* A step of pairs of boxes in lanes: a pair to a lane, four lanes to a vector.
 *
 * A step takes a feature of each pair's TCSO (box_feature.h), finds the point v of its plane, line or vertex that is nearest to the
 * origin, and asks whether the plane across v there supports the TCSO: then v is the answer. Otherwise it says which feature to look at
 * next. Two vectors go through each part of the step together, because most of it is one chain of operations, each waiting for the last.
 *
 * Nothing is decided here but clear cases: bodies that are disjoint beyond rounding, of ordinary sizes, with orthogonal matrices.
 * The bounds are derived in docs/numerics.md, "Boxes in lanes". */
#include "box_lanes.h"

#include <stddef.h>
#include <string.h>

#include "box_feature.h"

/* Errors in units of u * size, for both bounds. */
#define BOUND_ERROR 12.0
/* The gap that is small enough, in the same units. */
#define SHUT_GAP 16.0
/* No pair may take longer. */
#define MOST_STEPS 12u
/* Sizes whose squares and products with lengths near rounding neither overflow nor underflow. */
#define LEAST_SIZE 0x1p-300
#define MOST_SIZE 0x1p+300

/* Of rotations, the squares of all entries sum up to 3 and the determinant is 1; of all other matrices with that determinant the sum is
 * larger. So two numbers tell whether a matrix is one: this far above 3, both matrices together, and this far below 1. */
#define CLEAR_SQUARES 1e-13
#define CLEAR_DETERMINANT 0.5e-13
/* Where they do not tell (matrices in single precision): twice what is summed in defect_of bounds every entry of |RtR - I|. */
#define MOST_DEFECT (0.49 * AP_ROTATION_LIMIT)

_Static_assert(offsetof(apart_result, a) == 24 && offsetof(apart_result, index_a) == 96 && offsetof(apart_result, index_b) == 112 &&
                   offsetof(apart_result, lambda) == 128 && offsetof(apart_result, iterations) == 160 && sizeof(apart_result) == 168,
               "results are written in rows of four doubles");
_Static_assert(sizeof(apart_pose) == 12 * sizeof(double), "a pose is three rows of four doubles");

#define LANES 4u
#define VECTORS (AP_BOX_LANES / LANES)

/* Four pairs during a step. */
typedef struct four_pairs {
    ap_box_lanes box;
    ap_lanes3 origin;      /* A's centre */
    ap_lanes unit;         /* u * size */
    ap_mask ordinary;      /* sizes and matrices are such that the pair can be answered here */
    ap_lanes3 corner;      /* where the feature begins: no step along its free axes */
    ap_lanes3 corner_a;    /* the same on A, from its centre, with the sign turned */
    ap_box_step step;
    ap_lanes distance, inverse, reach; /* |v|, 1/|v|, and the distance of the plane across v that supports the TCSO */
} four_pairs;

/* Of numbers that are not negative: for others AVX2 has no instruction. */
AP_INLINE ap_mask shift_right(ap_mask a, int bits)
{
    typedef uint64_t unsigned_lanes __attribute__((vector_size(32)));
    return (ap_mask)((unsigned_lanes)a >> bits);
}

/* ---- loading ---- */

/* The matrix and translation of four poses; returns the matrices' sums of squares. */
AP_INLINE ap_lanes load_poses(const apart_pose *const pose[LANES], ap_lanes3 axis[3], ap_lanes3 *translation, ap_lanes *determinant)
{
    ap_lanes row[3][LANES];
    for (unsigned r = 0; r < 3; r++) {
        for (unsigned i = 0; i < LANES; i++) {
            row[r][i] = ap_lanes_load((const char *)pose[i] + r * sizeof(ap_lanes));
        }
        ap_lanes_transpose4(&row[r][0], &row[r][1], &row[r][2], &row[r][3]);
    }
    const ap_lanes3 x = {row[0][0], row[0][1], row[0][2]}, y = {row[0][3], row[1][0], row[1][1]}, z = {row[1][2], row[1][3], row[2][0]};
    axis[0] = x;
    axis[1] = y;
    axis[2] = z;
    *translation = (ap_lanes3){row[2][1], row[2][2], row[2][3]};
    *determinant = ap_lanes3_dot(ap_lanes3_cross(x, y), z);
    return (ap_lanes3_dot(x, x) + ap_lanes3_dot(y, y)) + ap_lanes3_dot(z, z);
}


AP_INLINE void load_extents(const apart_shape *const shape[LANES], ap_lanes half[3])
{
    const ap_lanes3 h = ap_lanes_transpose(ap_lanes_load(&shape[0]->u.half_extents), ap_lanes_load(&shape[1]->u.half_extents),
                                           ap_lanes_load(&shape[2]->u.half_extents), ap_lanes_load(&shape[3]->u.half_extents));
    half[0] = h.x;
    half[1] = h.y;
    half[2] = h.z;
}

/* The sum of three absolute values. */
AP_INLINE ap_lanes sum_of(ap_lanes x, ap_lanes y, ap_lanes z) { return (x + y) + z; }

AP_INLINE ap_mask is_ordinary_size(const ap_box_lanes *box)
{
    return (box->size > ap_lanes_all(LEAST_SIZE)) & (box->size < ap_lanes_all(MOST_SIZE));
}

/* How far a matrix is from a rotation: the lengths of two columns and their product, and the third against their cross product. */
AP_INLINE ap_lanes defect_of(const ap_lanes3 axis[3])
{
    const ap_lanes3 x = axis[0], y = axis[1], twist = ap_lanes3_sub(ap_lanes3_cross(x, y), axis[2]);
    const ap_lanes one = ap_lanes_all(1.0);
    const ap_lanes lengths = ap_lanes_abs(ap_lanes3_dot(x, x) - one) + ap_lanes_abs(ap_lanes3_dot(y, y) - one);
    return (lengths + ap_lanes_abs(ap_lanes3_dot(x, y))) + ((ap_lanes_abs(twist.x) + ap_lanes_abs(twist.y)) + ap_lanes_abs(twist.z));
}

/* Looks closer at the matrices, to the limit of all queries. */
static AP_RARE void judge_matrices(four_pairs *q)
{
    const ap_lanes limit = ap_lanes_all(MOST_DEFECT);
    q->ordinary = is_ordinary_size(&q->box) & (defect_of(&q->box.axis[0]) <= limit) & (defect_of(&q->box.axis[3]) <= limit);
}

/* Everything that the pairs say. */
AP_INLINE void load_pairs(four_pairs *q, const ap_box_job *job)
{
    const apart_shape *shape_a[LANES] = {job[0].a, job[1].a, job[2].a, job[3].a};
    const apart_shape *shape_b[LANES] = {job[0].b, job[1].b, job[2].b, job[3].b};
    const apart_pose *pose_a[LANES] = {job[0].pose_a, job[1].pose_a, job[2].pose_a, job[3].pose_a};
    const apart_pose *pose_b[LANES] = {job[0].pose_b, job[1].pose_b, job[2].pose_b, job[3].pose_b};
    ap_box_lanes *box = &q->box;
    ap_lanes3 to;
    ap_lanes determinant_a, determinant_b;
    const ap_lanes squares_a = load_poses(pose_a, &box->axis[0], &q->origin, &determinant_a);
    const ap_lanes squares_b = load_poses(pose_b, &box->axis[3], &to, &determinant_b);
    load_extents(shape_a, &box->half[0]);
    load_extents(shape_b, &box->half[3]);
    const ap_lanes3 d = ap_lanes3_sub(to, q->origin);
    const ap_lanes *h = box->half;
    box->offset = d;
    box->size = (sum_of(h[0], h[1], h[2]) + sum_of(h[3], h[4], h[5])) + sum_of(ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z));
    q->unit = ap_lanes_all(AP_UNIT_ROUNDOFF) * box->size;
    /* a number that is none stands in the squares */
    q->ordinary = is_ordinary_size(box) & (squares_a + squares_b <= ap_lanes_all(6.0 + CLEAR_SQUARES)) &
                  (ap_lanes_min(determinant_a, determinant_b) >= ap_lanes_all(1.0 - CLEAR_DETERMINANT));
    q->step.feature = (ap_mask){job[0].state, job[1].state, job[2].state, job[3].state};
}

/* ---- a step ---- */

/* e.x s0 + e.y s1 + e.z s2 */
AP_INLINE ap_lanes3 combine(const ap_lanes3 e[3], const ap_lanes s[3])
{
    return ap_lanes3_add(ap_lanes3_add(ap_lanes3_scale(s[0], e[0]), ap_lanes3_scale(s[1], e[1])), ap_lanes3_scale(s[2], e[2]));
}

/* v + way[0] free[0] + way[1] free[1], where the ways make that the point nearest to the origin: the normal equations of axes of length 1.
 * Without an axis its way is 0. */
AP_INLINE ap_lanes3 move_in_plane(ap_lanes3 v, const ap_box_step *s, ap_lanes way[2])
{
    const ap_lanes x = ap_lanes3_dot(v, s->free[0]), y = ap_lanes3_dot(v, s->free[1]);
    way[0] = (y * s->cosine - x) * s->inverse_determinant;
    way[1] = (x * s->cosine - y) * s->inverse_determinant;
    return ap_lanes3_add(ap_lanes3_add(v, ap_lanes3_scale(way[0], s->free[0])), ap_lanes3_scale(way[1], s->free[1]));
}

/* Where each lane's feature begins, there and on A. */
AP_INLINE void place_corner(four_pairs *q)
{
    ap_lanes t[AP_BOX_AXES];
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        t[k] = ap_box_end(&q->box, q->step.feature, k);
    }
    const ap_lanes3 a = combine(&q->box.axis[0], &t[0]), b = combine(&q->box.axis[3], &t[3]);
    q->corner_a = a;
    q->corner = ap_lanes3_add(q->box.offset, ap_lanes3_add(b, a));
}

AP_INLINE void find_feature(four_pairs *q)
{
    ap_box_step *s = &q->step;
    s->first = shift_right(s->feature, AP_BOX_FIRST_BIT) & ap_mask_all(7);
    s->second = shift_right(s->feature, AP_BOX_SECOND_BIT) & ap_mask_all(7);
    s->free[0] = ap_box_select_axis(&q->box, s->first, 0, 5, &s->length[0]);
    s->free[1] = ap_box_select_axis(&q->box, s->second, 1, 5, &s->length[1]);
    place_corner(q);
    s->cosine = ap_lanes3_dot(s->free[0], s->free[1]);
    s->determinant = ap_lanes_all(1.0) - s->cosine * s->cosine;
    s->inverse_determinant = ap_lanes_all(1.0) / s->determinant;
}

AP_INLINE void solve(four_pairs *q) { q->step.v = move_in_plane(q->corner, &q->step, q->step.way); }

/* Once more: now v is perpendicular to the free axes to rounding of its own length. */
AP_INLINE void refine(four_pairs *q)
{
    ap_lanes more[2];
    q->step.v = move_in_plane(q->step.v, &q->step, more);
    q->step.way[0] = q->step.way[0] + more[0];
    q->step.way[1] = q->step.way[1] + more[1];
}

/* The supporting plane across v; all of a lane's bits: its boxes are disjoint, and this is their distance. */
AP_INLINE void look_along(four_pairs *q)
{
    const ap_box_lanes *box = &q->box;
    ap_lanes shadow[AP_BOX_AXES];
    for (unsigned k = 0; k < AP_BOX_AXES; k++) {
        q->step.slope[k] = ap_lanes3_dot(box->axis[k], q->step.v);
        shadow[k] = box->half[k] * ap_lanes_abs(q->step.slope[k]);
    }
    const ap_lanes shadows = sum_of(shadow[0], shadow[1], shadow[2]) + sum_of(shadow[3], shadow[4], shadow[5]);
    const ap_lanes product = ap_lanes3_dot(box->offset, q->step.v) - shadows;
    q->step.square = ap_lanes3_dot(q->step.v, q->step.v);
    q->distance = ap_lanes_sqrt(q->step.square);
    q->inverse = ap_lanes_all(1.0) / q->distance;
    q->reach = product * q->inverse;
}

/* Lanes whose boxes are disjoint at the distance found. */
AP_INLINE ap_mask is_answer(const four_pairs *q)
{
    const ap_lanes zero = ap_lanes_all(0.0), *way = q->step.way;
    const ap_mask inside = (way[0] >= zero) & (way[0] <= q->step.length[0]) & (way[1] >= zero) & (way[1] <= q->step.length[1]) &
                           (q->step.determinant > ap_lanes_all(AP_BOX_LEAST_DETERMINANT));
    const ap_mask shut = q->distance - q->reach <= ap_lanes_all(SHUT_GAP) * q->unit;
    return inside & shut & q->ordinary & (q->reach > ap_lanes_all(2.0 * BOUND_ERROR) * q->unit);
}

AP_INLINE ap_mask steps_of(const four_pairs *q) { return shift_right(q->step.feature, AP_BOX_STEPS_BIT); }

/* The lanes without an answer look for another feature. Bit i of the return value: lane i has found one. */
AP_INLINE unsigned choose_features(const four_pairs *q, unsigned open, ap_box_job *job)
{
    ap_mask found;
    const ap_mask next = ap_box_next_features(&q->box, &q->step, open, &found), steps = steps_of(q);
    const ap_mask unsaved = (next & ap_mask_all(AP_BOX_FEATURE_BITS)) | ap_mask_all(1 << AP_BOX_UNSAVED_BIT);
    const ap_mask states = unsaved | (steps + ap_mask_all(1)) << AP_BOX_STEPS_BIT;
    for (unsigned lane = 0; lane < LANES; lane++) {
        job[lane].state = states[lane];
    }
    return ap_mask_bits(found & (steps < ap_mask_all(MOST_STEPS))) & open;
}

/* ---- writing ---- */

/* The end of a result but for its counts: disjoint, converged, default solver, no fallback, 3D. */
static const int64_t fixed_fields = INT64_C(3) << 56;

/* A row of four doubles of every lane. */
typedef struct four_rows {
    ap_lanes lane[LANES];
} four_rows;

AP_INLINE four_rows rows_of(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    ap_lanes_transpose4(&a, &b, &c, &d);
    return (four_rows){{a, b, c, d}};
}

AP_INLINE void store_rows(char *const to[LANES], size_t offset, four_rows rows)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        ap_lanes_store(to[lane] + offset, rows.lane[lane]);
    }
}

AP_INLINE four_rows integer_rows(ap_mask a, ap_mask b, ap_mask c, ap_mask d)
{
    return rows_of((ap_lanes)a, (ap_lanes)b, (ap_lanes)c, (ap_lanes)d);
}

/* The numbers of the vertices on both sides, four times 32 bits each, by lane: the beginning of the feature, one step along the axis with
 * the larger share, and one along both. APART_NO_INDEX where there are fewer. */
AP_INLINE four_rows number_vertices(const four_pairs *q, ap_mask second_first)
{
    const ap_mask none = ap_mask_all(AP_NO_AXIS), last = ap_mask_all(-((int64_t)1 << 32)); /* places that are not used: */
    const ap_mask no_second = (q->step.first == none) & last, no_third = shift_right(q->step.second == none, 32) | last;
    const ap_mask one = ap_mask_all(1), seven = ap_mask_all(7), all = ap_mask_all(63);
    const ap_mask along_first = one << q->step.first & all, along_second = one << q->step.second & all;
    const ap_mask first = (q->step.feature & all) ^ seven;
    const ap_mask second = first ^ (ap_mask)ap_lanes_select((ap_lanes)along_first, (ap_lanes)along_second, second_first);
    const ap_mask third = first ^ along_first ^ along_second;
    return integer_rows((first & seven) | (second & seven) << 32 | no_second, (third & seven) | no_third,
                        shift_right(first, 3) | shift_right(second, 3) << 32 | no_second, shift_right(third, 3) | no_third);
}

AP_INLINE void write_answers(const four_pairs *q, const ap_box_job *job, unsigned answered)
{
    const ap_lanes error = ap_lanes_all(BOUND_ERROR) * q->unit, lower = q->reach - error, upper = q->distance + error;
    const ap_lanes3 v = q->step.v, n = ap_lanes3_scale(q->inverse, v);
    const ap_mask three = ap_mask_all(3), none = ap_mask_all(AP_NO_AXIS);
    const ap_mask count = (three + (q->step.first == none)) + (q->step.second == none);
    const ap_lanes way_first = (ap_lanes)((ap_mask)q->step.way[0] & (q->step.first < three)); /* on A, if the axis is A's */
    const ap_lanes way_second = (ap_lanes)((ap_mask)q->step.way[1] & (q->step.second < three));
    const ap_lanes3 start = ap_lanes3_add(q->corner_a, ap_lanes3_scale(way_first, q->step.free[0]));
    const ap_lanes3 from_a = ap_lanes3_add(start, ap_lanes3_scale(way_second, q->step.free[1]));
    const ap_lanes3 a = ap_lanes3_sub(q->origin, from_a), b = ap_lanes3_add(q->origin, ap_lanes3_sub(v, from_a));
    const ap_lanes x = q->step.way[0] / q->step.length[0], y = q->step.way[1] / q->step.length[1];
    const ap_lanes most = ap_lanes_max(x, y), least = ap_lanes_min(x, y);
    const ap_mask tail = steps_of(q) | count << 16 | ap_mask_all(fixed_fields);
    apart_result unwanted; /* of lanes without an answer: cheaper than asking, and the rows go out as they come */
    char *to[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        to[lane] = (char *)((answered >> lane & 1u) != 0 ? job[lane].result : &unwanted);
    }
    store_rows(to, 0, rows_of(q->distance, lower, upper, a.x));
    store_rows(to, 32, rows_of(a.y, a.z, b.x, b.y));
    store_rows(to, 64, rows_of(b.z, n.x, n.y, n.z));
    store_rows(to, 96, number_vertices(q, y > x));
    store_rows(to, 128, rows_of(ap_lanes_all(1.0) - most, most - least, least, ap_lanes_all(0.0)));
    for (unsigned lane = 0; lane < LANES; lane++) {
        const int64_t rest = tail[lane];
        memcpy(to[lane] + 160, &rest, sizeof rest);
    }
}

/* Keeps the feature and the simplex of an answer. A cache that has the feature already is left alone: its vertices and its direction are as
 * good as new ones. */
static __attribute__((noinline)) void save_feature(const four_pairs *q, unsigned lane, const ap_box_job *job)
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
    cache->flags = (uint16_t)((job->state & AP_BOX_FEATURE_BITS) | AP_BOX_IN_CACHE);
    for (unsigned k = 0; k < 3; k++) {
        cache->direction[k] = q->inverse[lane] * q->step.slope[k][lane];
    }
}

AP_INLINE ap_box_verdict step_jobs(ap_box_job *jobs, unsigned count, unsigned vectors)
{
    four_pairs q[VECTORS];
    for (unsigned i = 0; i < vectors; i++) {
        load_pairs(&q[i], jobs + LANES * i);
    }
    for (unsigned i = 0; i < vectors; i++) {
        find_feature(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        solve(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        refine(&q[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        look_along(&q[i]);
    }
    unsigned answered = 0, open = 0, unsaved = 0;
    for (unsigned i = 0; i < vectors; i++) {
        if (ap_mask_bits(q[i].ordinary) != 15u) {
            judge_matrices(&q[i]);
        }
        answered |= ap_mask_bits(is_answer(&q[i])) << LANES * i;
        open |= ap_mask_bits(q[i].ordinary) << LANES * i;
        unsaved |= ap_mask_bits(q[i].step.feature << (63 - AP_BOX_UNSAVED_BIT)) << LANES * i;
    }
    answered &= (1u << count) - 1u;
    open &= ~answered & ((1u << count) - 1u);
    ap_box_verdict verdict = {answered, 0};
    for (unsigned i = 0; i < vectors; i++) {
        write_answers(&q[i], jobs + LANES * i, answered >> LANES * i & 15u);
    }
    for (unsigned rest = unsaved & answered; rest != 0; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        save_feature(&q[i / LANES], i % LANES, &jobs[i]);
    }
    for (unsigned i = 0; i < vectors; i++) {
        if ((open >> LANES * i & 15u) == 0) {
            continue;
        }
        verdict.again |= choose_features(&q[i], open >> LANES * i & 15u, jobs + LANES * i) << LANES * i;
    }
    return verdict;
}

ap_box_verdict ap_box_lanes_step(ap_box_job *jobs, unsigned count)
{
    return count <= LANES ? step_jobs(jobs, count, 1) : step_jobs(jobs, count, VECTORS);
}
