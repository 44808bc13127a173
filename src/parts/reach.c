/* How far parts reach along a direction, and which part is near: branch and bound over groups of four boxes. */
#include "../hull/block.h"
#include "../shape/support.h"
#include "group.h"

/* Above this, a hull's own search is faster than a scan. */
#define SCANNED_VERTICES 128u

/* The largest product of a direction with a vertex; which one is not asked. */
static double scan(const apart_hull *hull, apart_vec3 direction)
{
    const double *x = ap_hull_x(hull), *y = x + hull->padded_count, *z = y + hull->padded_count;
    const ap_lanes3 d = ap_lanes3_all(direction);
    ap_lanes most = ap_lanes_all(-INFINITY);
    for (uint32_t i = 0; i < hull->padded_count; i += 4) {
        const ap_lanes3 p = {ap_lanes_load(x + i), ap_lanes_load(y + i), ap_lanes_load(z + i)};
        most = ap_lanes_max(ap_lanes3_dot(d, p), most);
    }
    return ap_max(ap_max(most[0], most[1]), ap_max(most[2], most[3]));
}

/* Of the core, from the shape's centre. */
static double core_reach(const apart_shape *shape, apart_vec3 d)
{
    if (shape->kind == APART_SHAPE_HULL && shape->u.hull->padded_count <= SCANNED_VERTICES) {
        return scan(shape->u.hull, d);
    }
    const double scale = ap_power_of_two_scale(shape->bound);
    ap_support_context context = {.scale = scale, .search = APART_SUPPORT_AUTO};
    uint32_t vertex = APART_NO_INDEX;
    const double loss = shape->kind == APART_SHAPE_HULL ? shape->u.hull->climb_loss * DBL_EPSILON * shape->bound : 0.0;
    return ap_dot(d, ap_support(shape, &context, d, &vertex)) / scale + loss;
}

double ap_shape_reach(const apart_shape *shape, apart_vec3 direction)
{
    return ap_dot(direction, shape->center) + core_reach(shape, direction) + (shape->radius * AP_STRETCH + shape->error);
}

/* Groups are too coarse to tell neighbours apart: the shape itself is asked. */
double ap_part_reach(const apart_part *part, apart_vec3 direction)
{
    return ap_dot(direction, part->pose.translation) + ap_shape_reach(&part->shape, ap_apply_transposed(&part->pose.rotation, direction));
}

uint32_t ap_compound_far_part(const apart_compound *compound, apart_vec3 direction)
{
    const ap_group_direction d = ap_group_direction_of(direction);
    uint32_t at = 0;
    while (at < AP_PART_LEAF) {
        const ap_part_group *g = &compound->groups[at];
        const ap_lanes reach = ap_group_reaches(g, &d);
        const unsigned low = reach[1] > reach[0] ? 1u : 0u, high = reach[3] > reach[2] ? 3u : 2u;
        at = g->child[reach[high] > reach[low] ? high : low]; /* unused lanes repeat the first, and are not larger */
    }
    return at - AP_PART_LEAF;
}

/* How far a coordinate is outside of four intervals, by the numbers of the directions. */
AP_INLINE ap_lanes outside(const ap_part_group *g, ap_lanes x, unsigned up, unsigned down)
{
    const ap_lanes above = x - ap_lanes_load(g->reach[up]), below = -x - ap_lanes_load(g->reach[down]);
    return ap_lanes_max(ap_lanes_max(above, below), ap_lanes_all(0.0));
}

/* Squares of the distances of a point from four boxes. */
static ap_lanes squared_gaps(const ap_part_group *g, const ap_lanes3 *point)
{
    const ap_lanes x = outside(g, point->x, 22, 4), y = outside(g, point->y, 16, 10), z = outside(g, point->z, 14, 12);
    return (x * x + y * y) + z * z;
}

uint32_t ap_compound_near_part(const apart_compound *compound, apart_vec3 point)
{
    const ap_lanes3 p = ap_lanes3_all(point);
    uint32_t stack[AP_GROUP_STACK], count = 1, best = 0;
    double bounds[AP_GROUP_STACK], least = INFINITY;
    stack[0] = 0;
    bounds[0] = 0.0;
    while (count > 0) {
        count--;
        if (!(bounds[count] < least)) {
            continue;
        }
        const ap_part_group *g = &compound->groups[stack[count]];
        const ap_lanes gaps = squared_gaps(g, &p);
        const uint32_t base = count;
        for (uint32_t lane = 0; lane < 4 && g->used >> lane != 0; lane++) {
            const uint32_t child = g->child[lane];
            const double gap = gaps[lane];
            if (child < AP_PART_LEAF && gap < least) {
                /* The nearest one is put on top. */
                const bool below = count > base && bounds[count - 1] < gap;
                stack[count] = below ? stack[count - 1] : child;
                bounds[count] = below ? bounds[count - 1] : gap;
                stack[count - below] = child;
                bounds[count - below] = gap;
                count++;
            } else if (child >= AP_PART_LEAF && gap < least) {
                least = gap;
                best = child - AP_PART_LEAF;
            }
        }
    }
    return best;
}
