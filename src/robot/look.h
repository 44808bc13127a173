/* What a search along a motion knows, and what a look at one pair at one moment says of an interval around it. */
#ifndef AP_ROBOT_LOOK_H
#define AP_ROBOT_LOOK_H

#include "robot.h"

/* A pair at a moment, and the interval that it is looked at for. */
typedef struct ap_robot_look {
    size_t number;
    const ap_robot_pair *pair;
    ap_robot_moment *m;
    double before, after, half; /* the interval from the moment, and the longer of its two sides */
    double speed, bend, jolt, rounding, slack;
    double rates, changes; /* of the moment */
} ap_robot_look;

typedef struct ap_robot_search {
    apart_robot_work *w;
    apart_robot_gap best;
    double tolerance, limit; /* limit: infinite without */
    uint64_t most_intervals;
    bool ends_low,
        ends_late;  /* of the pair looked at last: lower where the interval ends; of the interval's lowest pair */
    bool is_fine;   /* of the pair looked at last: the motion in the interval loses so little that halving is useless */
    bool is_close;  /* of the pair looked at last: the second bound counts */
    uint32_t pairs; /* the first so many of the list count */
    size_t segment, best_segment;
} ap_robot_search;

/* Intervals whose distances, less the margin, are at least this are settled. */
double ap_robot_wanted(const ap_robot_search *s);
/* Moves both bodies of the pair, and bounds their motions. */
ap_robot_look ap_robot_begin_look(ap_robot_search *s, size_t pair, ap_robot_moment *m, double before, double after);
/* A lower bound of a pair's distance, less its margin, on the interval around a moment. */
apart_status ap_robot_look_at_pair(ap_robot_search *s, size_t pair, ap_robot_moment *m, double before, double after,
                                   double *bound);

#endif
