/* Axis-aligned boxes: union, overlap, and lower bounds of their distance that rounding cannot spoil. */
#ifndef AP_PARTS_BOX_H
#define AP_PARTS_BOX_H

#include <float.h>

#include "../math/vec.h"

static inline apart_aabb ap_box_union(const apart_aabb *a, const apart_aabb *b)
{
    return (apart_aabb){{ap_min(a->min.x, b->min.x), ap_min(a->min.y, b->min.y), ap_min(a->min.z, b->min.z)},
                        {ap_max(a->max.x, b->max.x), ap_max(a->max.y, b->max.y), ap_max(a->max.z, b->max.z)}};
}

/* Half the circumference: the measure that the tree keeps small. Unlike the area it neither overflows nor vanishes for
 * flat boxes. */
static inline double ap_box_size(const apart_aabb *a)
{
    return (a->max.x - a->min.x) + (a->max.y - a->min.y) + (a->max.z - a->min.z);
}

static inline bool ap_box_overlap(const apart_aabb *a, const apart_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

/* A value that is x or larger although x + 1 may be rounded down: one rounding made up for. */
static inline double ap_up(double x) { return x + fabs(x) * DBL_EPSILON; }

/* Grown by `by` >= 0 on all sides, never too little: each sum is off by half an eps of itself. */
static inline apart_aabb ap_box_grow(const apart_aabb *a, double by)
{
    return (apart_aabb){{-ap_up(by - a->min.x), -ap_up(by - a->min.y), -ap_up(by - a->min.z)},
                        {ap_up(a->max.x + by), ap_up(a->max.y + by), ap_up(a->max.z + by)}};
}

/* The gap of two intervals; negative or zero when they meet. */
static inline double ap_interval_gap(double min_a, double max_a, double min_b, double max_b)
{
    return ap_max(min_b - max_a, min_a - max_b);
}

/* |g| of a vector of gaps, where negative ones count as zero, rounded down: three squares, two sums and a root are off
 * by less than 4 eps. Where squares overflow, the largest gap alone is a bound too. */
static inline double ap_gap_norm(double x, double y, double z)
{
    const double gx = ap_max(x, 0.0), gy = ap_max(y, 0.0), gz = ap_max(z, 0.0);
    const double squares = (gx * gx + gy * gy) + gz * gz;
    const double length = squares <= DBL_MAX ? sqrt(squares) : ap_max(ap_max(gx, gy), gz);
    return length * (1.0 - 8.0 * DBL_EPSILON);
}

/* A lower bound of the distance of what lies in two boxes. */
static inline double ap_box_gap(const apart_aabb *a, const apart_aabb *b)
{
    return ap_gap_norm(ap_interval_gap(a->min.x, a->max.x, b->min.x, b->max.x),
                       ap_interval_gap(a->min.y, a->max.y, b->min.y, b->max.y),
                       ap_interval_gap(a->min.z, a->max.z, b->min.z, b->max.z));
}

#endif
