/* A half-space against a bounded body: one support gives the exact signed distance. */
#ifndef AP_KERNELS_HALF_SPACE_H
#define AP_KERNELS_HALF_SPACE_H

#include "../pair/pair.h"

/* Either body may be the half-space, not both (APART_ERR_HALF_SPACE). Arguments as apart_distance, options not NULL. */
apart_status ap_half_space_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                    const apart_options *options, apart_result *result);

#endif
