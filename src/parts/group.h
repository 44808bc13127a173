/* Four nodes of a compound's tree at once. */
#ifndef AP_PARTS_GROUP_H
#define AP_PARTS_GROUP_H

#include "../simd/lanes.h"
#include "solid.h"

/* Two levels of the tree make one of groups, each of which leaves at most three behind. */
enum { AP_GROUP_STACK = 3 * (AP_PART_LEVELS / 2) + 4 };

/* A direction as a sum of three that groups know: with x >= y >= z >= 0 it is (x - y) (1, 0, 0) + (y - z) (1, 1, 0) + z (1, 1, 1), and so
 * for other signs and orders. */
typedef struct ap_group_direction {
    unsigned number[3];
    ap_lanes factor[3];
} ap_group_direction;

/* step, or -step for a negative x. */
AP_INLINE int ap_group_step(double x, int step)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int sign = (int)(bits >> 63);
    return (step ^ sign) - sign;
}

/* Without branches, which of a new direction would be guessed wrong half the time. Of equal components any may be the larger. */
AP_INLINE ap_group_direction ap_group_direction_of(apart_vec3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int step[3] = {ap_group_step(d.x, 9), ap_group_step(d.y, 3), ap_group_step(d.z, 1)};
    const double larger = ap_max(x, y), smaller = ap_min(x, y);
    const int at_larger = y > x, at_smaller = 1 - at_larger;
    const double most = ap_max(larger, z), least = ap_min(smaller, z), middle = ap_max(smaller, ap_min(larger, z));
    const int first = 13 + step[z > larger ? 2 : at_larger], third = 13 + step[0] + step[1] + step[2];
    const int second = third - step[z < smaller ? 2 : at_smaller];
    return (ap_group_direction){{(unsigned)first, (unsigned)second, (unsigned)third},
                                {ap_lanes_all(most - middle), ap_lanes_all(middle - least), ap_lanes_all(least)}};
}

/* How far what is in the nodes reaches along a direction, at most. */
AP_INLINE ap_lanes ap_group_reaches(const ap_part_group *g, const ap_group_direction *d)
{
    return (d->factor[0] * ap_lanes_load(g->reach[d->number[0]]) + d->factor[1] * ap_lanes_load(g->reach[d->number[1]])) +
           d->factor[2] * ap_lanes_load(g->reach[d->number[2]]);
}

/* A shape's ball, in all lanes. */
AP_INLINE void ap_set_shape_balls(ap_part_balls *balls, const apart_shape *shape)
{
    ap_lanes_store(balls->center[0], ap_lanes_all(shape->center.x));
    ap_lanes_store(balls->center[1], ap_lanes_all(shape->center.y));
    ap_lanes_store(balls->center[2], ap_lanes_all(shape->center.z));
    ap_lanes_store(balls->radius, ap_lanes_all(shape->bound + shape->radius + shape->error));
}

#endif
