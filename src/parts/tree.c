/* Support values of parts, and searches in one tree: the part nearest to a point, and a part far along a direction. */
#include "../hull/block.h"
#include "../shape/support.h"
#include "tree.h"

/* For more vertices, a hull's own search is faster than a scan of all of them. */
#define SCANNED_VERTICES 128u

/* The largest product of a direction with a vertex; which vertex it is does not matter. */
static double scan_vertices(const apart_hull *hull, apart_vec3 direction)
{
    const double *x = ap_hull_x(hull), *y = x + hull->padded_count, *z = y + hull->padded_count;
    const ap_lanes3 d = ap_lanes3_all(direction);
    ap_lanes most = ap_lanes_all(-INFINITY);
    for (uint32_t i = 0; i < hull->padded_count; i += 4) {
        const ap_lanes3 p = {ap_lanes_load(x + i), ap_lanes_load(y + i), ap_lanes_load(z + i)};
        most = ap_lanes_max(ap_lanes3_dot(d, p), most);
    }
    return ap_max(ap_max(ap_lanes_at(most, 0), ap_lanes_at(most, 1)),
                  ap_max(ap_lanes_at(most, 2), ap_lanes_at(most, 3)));
}

/* The support value of the shape's core, relative to its centre. */
static double core_support_value(const apart_shape *shape, apart_vec3 d)
{
    if (shape->kind == APART_SHAPE_HULL && shape->u.hull->padded_count <= SCANNED_VERTICES) {
        return scan_vertices(shape->u.hull, d);
    }
    const double scale = ap_power_of_two_scale(shape->bound);
    ap_support_context context = {.scale = scale, .search = APART_SUPPORT_AUTO};
    uint32_t vertex = APART_NO_INDEX;
    const double loss = shape->kind == APART_SHAPE_HULL ? shape->u.hull->climb_loss * DBL_EPSILON * shape->bound : 0.0;
    return ap_dot(d, ap_support(shape, &context, d, &vertex)) / scale + loss;
}

double ap_shape_support_value(const apart_shape *shape, apart_vec3 direction)
{
    return ap_dot(direction, shape->center) + core_support_value(shape, direction) +
           (shape->radius * AP_ROTATION_STRETCH + shape->error);
}

double ap_part_support_value(const apart_part *part, apart_vec3 direction)
{
    const apart_vec3 own = ap_apply_transposed(&part->pose.rotation, direction);
    return ap_dot(direction, part->pose.translation) + ap_shape_support_value(&part->shape, own);
}

uint32_t ap_compound_farthest_part(const apart_compound *compound, apart_vec3 direction)
{
    const ap_node_direction d = ap_node_direction_of(direction);
    uint32_t at = 0;
    while (at < AP_PART_LEAF) {
        const ap_part_node *node = &compound->nodes[at];
        const ap_lanes value = ap_node_support_values(node, &d);
        const unsigned low = ap_lanes_at(value, 1) > ap_lanes_at(value, 0) ? 1u : 0u,
                       high = ap_lanes_at(value, 3) > ap_lanes_at(value, 2) ? 3u : 2u;
        at = node->child[ap_lanes_at(value, high) > ap_lanes_at(value, low)
                             ? high
                             : low]; /* unused lanes repeat the first, and are not larger */
    }
    return at - AP_PART_LEAF;
}

/* How far a coordinate is outside of four intervals, by the numbers of the directions. */
AP_INLINE ap_lanes distance_outside(const ap_part_node *node, ap_lanes x, unsigned up, unsigned down)
{
    const ap_lanes above = ap_lanes_sub(x, ap_lanes_load(node->support[up])),
                   below = ap_lanes_sub(ap_lanes_neg(x), ap_lanes_load(node->support[down]));
    return ap_lanes_max(ap_lanes_max(above, below), ap_lanes_all(0.0));
}

/* Squared distances of a point from the boxes of four children. */
static ap_lanes squared_distances(const ap_part_node *node, const ap_lanes3 *point)
{
    const ap_lanes x = distance_outside(node, point->x, AP_DIRECTION(1, 0, 0), AP_DIRECTION(-1, 0, 0));
    const ap_lanes y = distance_outside(node, point->y, AP_DIRECTION(0, 1, 0), AP_DIRECTION(0, -1, 0));
    const ap_lanes z = distance_outside(node, point->z, AP_DIRECTION(0, 0, 1), AP_DIRECTION(0, 0, -1));
    return ap_lanes_sum3(ap_lanes_mul(x, x), ap_lanes_mul(y, y), ap_lanes_mul(z, z));
}

uint32_t ap_compound_nearest_part(const apart_compound *compound, apart_vec3 point)
{
    const ap_lanes3 p = ap_lanes3_all(point);
    uint32_t stack[AP_NODE_STACK], count = 1, best = 0;
    double bounds[AP_NODE_STACK], least = INFINITY;
    stack[0] = 0;
    bounds[0] = 0.0;
    while (count > 0) {
        count--;
        if (!(bounds[count] < least)) {
            continue;
        }
        const ap_part_node *node = &compound->nodes[stack[count]];
        const ap_lanes squares = squared_distances(node, &p);
        const uint32_t base = count;
        for (uint32_t lane = 0; lane < 4 && node->used >> lane != 0; lane++) {
            const uint32_t child = node->child[lane];
            const double square = ap_lanes_at(squares, lane);
            if (child < AP_PART_LEAF && square < least) {
                /* The nearest one is put on top. */
                const bool below = count > base && bounds[count - 1] < square;
                stack[count] = below ? stack[count - 1] : child;
                bounds[count] = below ? bounds[count - 1] : square;
                stack[count - below] = child;
                bounds[count - below] = square;
                count++;
            } else if (child >= AP_PART_LEAF && square < least) {
                least = square;
                best = child - AP_PART_LEAF;
            }
        }
    }
    return best;
}
