/* The first contact on a part of the way, for bodies of many parts. */
#ifndef AP_MOTION_IMPACT_H
#define AP_MOTION_IMPACT_H

#include <apart/motion.h>

/* apart_time_of_impact from `from` to options->until, 0 <= from < until, of motions that have been checked. The impact
 * has no poses, and nothing in `at`. An outcome of APART_OUTCOME_START means contact at `from`. */
apart_status ap_impact_between(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                               const apart_motion *motion_b, double from, const apart_motion_options *options,
                               apart_impact *impact);

/* APART_OK or APART_ERR_OPTION. */
apart_status ap_motion_options_check(const apart_motion_options *options);

#endif
