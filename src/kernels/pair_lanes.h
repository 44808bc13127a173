/* What pairs in lanes have in common, whatever their shapes: a pair to a lane, four lanes to a vector. Poses come in and are checked,
 * results go out in rows. */
#ifndef AP_KERNELS_PAIR_LANES_H
#define AP_KERNELS_PAIR_LANES_H

#include <stddef.h>

#include "../simd/lanes.h"
#include "lane_job.h"

_Static_assert(offsetof(apart_result, a) == 24 && offsetof(apart_result, index_a) == 96 && offsetof(apart_result, index_b) == 112 &&
                   offsetof(apart_result, lambda) == 128 && offsetof(apart_result, iterations) == 160 && sizeof(apart_result) == 168,
               "results are written in rows of four doubles");
_Static_assert(sizeof(apart_pose) == 12 * sizeof(double), "a pose is three rows of four doubles");

#define AP_VECTOR_LANES 4u

/* Of rotations, the squares of all entries sum up to 3 and the determinant is 1; of all other matrices with that determinant the sum is
 * larger. So two numbers tell whether a matrix is one: this far above 3, both matrices together, and this far below 1. */
#define AP_CLEAR_SQUARES 1e-13
#define AP_CLEAR_DETERMINANT 0.5e-13
/* Where they do not tell (matrices in single precision): twice what is summed in ap_lanes_defect bounds every entry of |RtR - I|. */
#define AP_MOST_DEFECT (0.49 * AP_ROTATION_LIMIT)

typedef uint64_t ap_unsigned_lanes __attribute__((vector_size(32)));

/* Of numbers that are not negative: for others AVX2 has no instruction. */
AP_INLINE ap_mask ap_mask_shift_right(ap_mask a, int bits) { return (ap_mask)((ap_unsigned_lanes)a >> bits); }

/* What goes beyond the sign is lost. */
AP_INLINE ap_mask ap_mask_shift_left(ap_mask a, int bits) { return (ap_mask)((ap_unsigned_lanes)a << bits); }

/* In this order everywhere. */
AP_INLINE ap_lanes ap_lanes_sum3(ap_lanes x, ap_lanes y, ap_lanes z) { return (x + y) + z; }

/* ---- poses ---- */

/* The two numbers that tell rotations, of four matrices. */
typedef struct ap_rotation_lanes {
    ap_lanes squares, determinant;
} ap_rotation_lanes;

/* The matrix and translation of four poses. */
AP_INLINE ap_rotation_lanes ap_lanes_load_poses(const apart_pose *const pose[AP_VECTOR_LANES], ap_lanes3 axis[3], ap_lanes3 *translation)
{
    ap_lanes row[3][AP_VECTOR_LANES];
    for (unsigned r = 0; r < 3; r++) {
        for (unsigned i = 0; i < AP_VECTOR_LANES; i++) {
            row[r][i] = ap_lanes_load((const char *)pose[i] + r * sizeof(ap_lanes));
        }
        ap_lanes_transpose4(&row[r][0], &row[r][1], &row[r][2], &row[r][3]);
    }
    const ap_lanes3 x = {row[0][0], row[0][1], row[0][2]}, y = {row[0][3], row[1][0], row[1][1]}, z = {row[1][2], row[1][3], row[2][0]};
    axis[0] = x;
    axis[1] = y;
    axis[2] = z;
    *translation = (ap_lanes3){row[2][1], row[2][2], row[2][3]};
    return (ap_rotation_lanes){(ap_lanes3_dot(x, x) + ap_lanes3_dot(y, y)) + ap_lanes3_dot(z, z), ap_lanes3_dot(ap_lanes3_cross(x, y), z)};
}

/* Lanes whose two matrices are rotations at a glance. A number that is none stands in the squares. */
AP_INLINE ap_mask ap_lanes_rotate(ap_rotation_lanes a, ap_rotation_lanes b)
{
    return (a.squares + b.squares <= ap_lanes_all(6.0 + AP_CLEAR_SQUARES)) &
           (ap_lanes_min(a.determinant, b.determinant) >= ap_lanes_all(1.0 - AP_CLEAR_DETERMINANT));
}

/* How far a matrix is from a rotation: the lengths of two columns and their product, and the third against their cross product. */
AP_INLINE ap_lanes ap_lanes_defect(const ap_lanes3 axis[3])
{
    const ap_lanes3 x = axis[0], y = axis[1], twist = ap_lanes3_sub(ap_lanes3_cross(x, y), axis[2]);
    const ap_lanes one = ap_lanes_all(1.0);
    const ap_lanes lengths = ap_lanes_abs(ap_lanes3_dot(x, x) - one) + ap_lanes_abs(ap_lanes3_dot(y, y) - one);
    const ap_lanes twists = ap_lanes_sum3(ap_lanes_abs(twist.x), ap_lanes_abs(twist.y), ap_lanes_abs(twist.z));
    return (lengths + ap_lanes_abs(ap_lanes3_dot(x, y))) + twists;
}

/* The same on a closer look, to the limit of all queries. */
AP_INLINE ap_mask ap_lanes_rotate_closely(const ap_lanes3 a[3], const ap_lanes3 b[3])
{
    const ap_lanes limit = ap_lanes_all(AP_MOST_DEFECT);
    return (ap_lanes_defect(a) <= limit) & (ap_lanes_defect(b) <= limit);
}

/* e.x s0 + e.y s1 + e.z s2: a point in a matrix's axes taken out of them. */
AP_INLINE ap_lanes3 ap_lanes3_combine(const ap_lanes3 e[3], ap_lanes s0, ap_lanes s1, ap_lanes s2)
{
    return ap_lanes3_add(ap_lanes3_add(ap_lanes3_scale(s0, e[0]), ap_lanes3_scale(s1, e[1])), ap_lanes3_scale(s2, e[2]));
}

/* ---- results ---- */

/* The end of a result but for its counts: disjoint, converged, default solver, no fallback, 3D. */
#define AP_FIXED_FIELDS (INT64_C(3) << 56)

/* A row of four doubles of every lane. */
typedef struct ap_four_rows {
    ap_lanes lane[AP_VECTOR_LANES];
} ap_four_rows;

AP_INLINE ap_four_rows ap_rows_of(ap_lanes a, ap_lanes b, ap_lanes c, ap_lanes d)
{
    ap_lanes_transpose4(&a, &b, &c, &d);
    return (ap_four_rows){{a, b, c, d}};
}

AP_INLINE ap_four_rows ap_integer_rows(ap_mask a, ap_mask b, ap_mask c, ap_mask d)
{
    return ap_rows_of((ap_lanes)a, (ap_lanes)b, (ap_lanes)c, (ap_lanes)d);
}

/* What a lane answers. */
typedef struct ap_lane_answers {
    ap_lanes distance, lower, upper;
    ap_lanes3 a, b, normal;
    ap_four_rows numbers; /* of the vertices on both sides, four times 32 bits each */
    ap_lanes lambda[3];
    ap_mask steps, count;
} ap_lane_answers;

AP_INLINE void ap_store_rows(char *const to[AP_VECTOR_LANES], size_t offset, ap_four_rows rows)
{
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        ap_lanes_store(to[lane] + offset, rows.lane[lane]);
    }
}

/* Writes the results of the lanes whose bits are set. */
AP_INLINE void ap_write_lanes(const ap_lane_answers *r, const ap_lane_job *job, unsigned answered)
{
    const ap_mask tail = r->steps | r->count << 16 | ap_mask_all(AP_FIXED_FIELDS);
    apart_result unwanted; /* of lanes without an answer: cheaper than asking, and the rows go out as they come */
    char *to[AP_VECTOR_LANES];
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        to[lane] = (char *)((answered >> lane & 1u) != 0 ? job[lane].result : &unwanted);
    }
    ap_store_rows(to, 0, ap_rows_of(r->distance, r->lower, r->upper, r->a.x));
    ap_store_rows(to, 32, ap_rows_of(r->a.y, r->a.z, r->b.x, r->b.y));
    ap_store_rows(to, 64, ap_rows_of(r->b.z, r->normal.x, r->normal.y, r->normal.z));
    ap_store_rows(to, 96, r->numbers);
    ap_store_rows(to, 128, ap_rows_of(r->lambda[0], r->lambda[1], r->lambda[2], ap_lanes_all(0.0)));
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        const int64_t rest = tail[lane];
        memcpy(to[lane] + 160, &rest, sizeof rest);
    }
}

#endif
