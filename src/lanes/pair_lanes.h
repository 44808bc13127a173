/* What the SIMD batch kernels share, whatever the shapes: one pair per lane, four lanes per vector. Loads and checks
 * poses, writes results. */
#ifndef AP_LANES_ROOM_PAIR_LANES_H
#define AP_LANES_ROOM_PAIR_LANES_H

#include <stddef.h>

#include "../pair/result.h"
#include "lane_job.h"

_Static_assert(sizeof(apart_pose) == 12 * sizeof(double), "a pose is three rows of four doubles");

#define AP_VECTOR_LANES 4u

/* ---- poses ---- */

/* Loads the matrices and translations of four poses. */
AP_INLINE ap_rotation4 ap_lanes_load_poses(const apart_pose *const pose[AP_VECTOR_LANES], ap_lanes3 axis[3],
                                           ap_lanes3 *translation)
{
    ap_lanes row[3][AP_VECTOR_LANES];
    for (unsigned r = 0; r < 3; r++) {
        for (unsigned i = 0; i < AP_VECTOR_LANES; i++) {
            row[r][i] = ap_lanes_load((const char *)pose[i] + r * sizeof(ap_lanes));
        }
        ap_lanes_transpose4(&row[r][0], &row[r][1], &row[r][2], &row[r][3]);
    }
    const ap_lanes3 x = {row[0][0], row[0][1], row[0][2]}, y = {row[0][3], row[1][0], row[1][1]},
                    z = {row[1][2], row[1][3], row[2][0]};
    axis[0] = x;
    axis[1] = y;
    axis[2] = z;
    *translation = (ap_lanes3){row[2][1], row[2][2], row[2][3]};
    return ap_rotation4_of(x, y, z);
}

/* e[0] s0 + e[1] s1 + e[2] s2: rotates points given in the axes e. */
AP_INLINE ap_lanes3 ap_lanes3_combine(const ap_lanes3 e[3], ap_lanes s0, ap_lanes s1, ap_lanes s2)
{
    return ap_lanes3_add(ap_lanes3_add(ap_lanes3_scale(s0, e[0]), ap_lanes3_scale(s1, e[1])),
                         ap_lanes3_scale(s2, e[2]));
}

/* ---- results ---- */

/* Writes the results of the lanes whose bits are set. */
AP_INLINE void ap_write_lanes(const ap_lane_answers *answers, const ap_lane_job *job, unsigned answered)
{
    apart_result unwanted; /* target of the lanes without a result: cheaper than a branch around the stores */
    apart_result *to[AP_VECTOR_LANES];
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        to[lane] = (answered >> lane & 1u) != 0 ? job[lane].result : &unwanted;
    }
    ap_result_write_lanes(answers, to);
}

#endif
