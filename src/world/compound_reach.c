/* Which parts reach far along a direction: branch and bound over groups of four boxes. A group is one line of arithmetic in lanes, so
 * that the compound queries can afford to ask it of both bodies after every pair of parts. */
#include "../hull/block.h"
#include "../shape/support.h"
#include "../simd/lanes.h"
#include "solid.h"

/* Two levels of the tree make one of groups, each of which leaves at most three behind. */
enum { GROUP_STACK = 3 * (AP_PART_LEVELS / 2) + 4 };

static ap_lanes reaches(const ap_part_group *g, const ap_lanes3 *d, const ap_lanes3 *size)
{
    const ap_lanes3 center = {ap_lanes_load(g->center[0]), ap_lanes_load(g->center[1]), ap_lanes_load(g->center[2])};
    const ap_lanes3 half = {ap_lanes_load(g->half[0]), ap_lanes_load(g->half[1]), ap_lanes_load(g->half[2])};
    return ap_lanes3_dot(*d, center) + ap_lanes_min(ap_lanes3_dot(*size, half), ap_lanes_load(g->radius));
}

/* Above this, a hull's own search is faster than a scan. */
#define SCANNED_VERTICES 64u

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

/* Boxes and balls are too large to tell neighbours apart: the shape itself is asked. */
double ap_part_reach(const apart_part *part, apart_vec3 direction)
{
    const apart_shape *shape = &part->shape;
    const apart_vec3 d = ap_apply_transposed(&part->pose.rotation, direction);
    const double core = core_reach(shape, d);
    return ap_dot(direction, part->pose.translation) + ap_dot(d, shape->center) + core + (shape->radius * AP_STRETCH + shape->error);
}

uint32_t ap_compound_far_part(const apart_compound *compound, apart_vec3 direction)
{
    const ap_lanes3 d = ap_lanes3_all(direction);
    const ap_lanes3 size = {ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z)};
    uint32_t at = 0;
    while (at < AP_PART_LEAF) {
        const ap_part_group *g = &compound->groups[at];
        const ap_lanes reach = reaches(g, &d, &size);
        const unsigned low = reach[1] > reach[0] ? 1u : 0u, high = reach[3] > reach[2] ? 3u : 2u;
        at = g->child[reach[high] > reach[low] && high < g->count ? high : low]; /* unused lanes repeat the first */
    }
    return at - AP_PART_LEAF;
}

/* Squares of the distances of a point from four boxes. */
static ap_lanes squared_gaps(const ap_part_group *g, const ap_lanes3 *point)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes x = ap_lanes_max(ap_lanes_abs(point->x - ap_lanes_load(g->center[0])) - ap_lanes_load(g->half[0]), zero);
    const ap_lanes y = ap_lanes_max(ap_lanes_abs(point->y - ap_lanes_load(g->center[1])) - ap_lanes_load(g->half[1]), zero);
    const ap_lanes z = ap_lanes_max(ap_lanes_abs(point->z - ap_lanes_load(g->center[2])) - ap_lanes_load(g->half[2]), zero);
    return (x * x + y * y) + z * z;
}

uint32_t ap_compound_near_part(const apart_compound *compound, apart_vec3 point)
{
    const ap_lanes3 p = ap_lanes3_all(point);
    uint32_t stack[GROUP_STACK] = {0}, count = 1, best = 0;
    double bounds[GROUP_STACK] = {0.0}, least = INFINITY;
    while (count > 0) {
        count--;
        if (!(bounds[count] < least)) {
            continue;
        }
        const ap_part_group *g = &compound->groups[stack[count]];
        const ap_lanes gaps = squared_gaps(g, &p);
        const uint32_t base = count;
        for (uint32_t lane = 0; lane < g->count; lane++) {
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

uint32_t ap_compound_beyond(const apart_compound *compound, apart_vec3 direction, double beyond, uint32_t except, uint32_t *list,
                            uint32_t capacity)
{
    const ap_lanes3 d = ap_lanes3_all(direction);
    const ap_lanes3 size = {ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z)};
    uint32_t stack[GROUP_STACK], count = 1, found = 0;
    stack[0] = 0;
    while (count > 0) {
        const ap_part_group *g = &compound->groups[stack[--count]];
        unsigned farther = ap_lanes_above(reaches(g, &d, &size), ap_lanes_all(beyond)) & ((1u << g->count) - 1u);
        for (unsigned lane = 0; farther != 0; farther >>= 1, lane++) {
            const uint32_t child = g->child[lane], part = child - AP_PART_LEAF;
            if (!(farther & 1u) || part == except) {
                continue;
            }
            if (child < AP_PART_LEAF) {
                stack[count++] = child;
            } else if (ap_part_reach(&compound->parts[part], direction) > beyond) {
                if (found == capacity) {
                    return capacity + 1;
                }
                list[found++] = part;
            }
        }
    }
    return found;
}
