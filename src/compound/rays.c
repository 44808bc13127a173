/* Rays against compounds (Lindemann 2009 section 5, item L7): the first part on a ray, by a depth-first search of the
 * tree, nearer boxes first. */
#include "../mesh/block.h"
#include "../motion/ray.h"
#include "../parts/tree.h"
#include "mesh_ray.h"
#include "ray_box.h"

/* A ray in the compound's frame, for the boxes; and with the compound's origin taken away, for the parts. */
typedef struct part_ray {
    apart_vec3 origin, direction;
    double slack;
    apart_ray ray;
    apart_pose pose;
} part_ray;

/* A child that the ray may enter, and where at the earliest. */
typedef struct waiting_child {
    uint32_t child;
    double entry;
} waiting_child;

static double entry_of(const part_ray *r, const ap_part_node *node, uint32_t lane, double length)
{
    enum { X = AP_DIRECTION(1, 0, 0), Y = AP_DIRECTION(0, 1, 0), Z = AP_DIRECTION(0, 0, 1), OPPOSITE = 26 };
    const double(*h)[4] = node->support;
    const apart_aabb box = {{-h[OPPOSITE - X][lane], -h[OPPOSITE - Y][lane], -h[OPPOSITE - Z][lane]},
                            {h[X][lane], h[Y][lane], h[Z][lane]}};
    return ap_ray_box(r->origin, r->direction, length, &box, r->slack);
}

/* Puts the children of a node that the ray may enter on the stack, above `base`, so that the nearest comes last. */
static uint32_t push_children(const part_ray *r, const ap_part_node *node, double length, waiting_child *stack,
                              uint32_t base)
{
    uint32_t count = base;
    for (uint32_t lane = 0; lane < 4 && node->used >> lane != 0; lane++) {
        const waiting_child next = {node->child[lane], entry_of(r, node, lane, length)};
        if (ap_ray_misses(next.entry)) {
            continue;
        }
        uint32_t at = count++;
        for (; at > base && stack[at - 1].entry < next.entry; at--) {
            stack[at] = stack[at - 1];
        }
        stack[at] = next;
    }
    return count;
}

static apart_status cast_at_part(const apart_compound *c, const part_ray *r, uint32_t number, apart_ray_hit *best,
                                 uint32_t *part)
{
    apart_ray_hit found;
    apart_ray ray = r->ray;
    const apart_pose pose = apart_pose_compose(&r->pose, &c->parts[number].pose);
    ray.length = best->hit ? best->distance : ray.length;
    const apart_status status = apart_raycast(&ray, &c->parts[number].shape, &pose, NULL, &found);
    if (status != APART_OK) {
        return status;
    }
    const bool tie = best->hit && found.distance == best->distance;
    const bool better = found.hit && (!best->hit || found.distance < best->distance || (tie && number < *part));
    const double lower = ap_min(best->lower, found.lower);
    const uint16_t iterations = (uint16_t)(best->iterations + found.iterations);
    *best = better ? found : *best;
    *part = better ? number : *part;
    best->lower = lower;
    best->iterations = iterations;
    return APART_OK;
}

static apart_status cast_at_compound(const apart_compound *c, const part_ray *r, apart_ray_hit *best, uint32_t *part)
{
    waiting_child stack[AP_NODE_STACK];
    uint32_t count = push_children(r, &c->nodes[0], r->ray.length, stack, 0);
    apart_status status = APART_OK;
    while (count > 0 && status == APART_OK) {
        const waiting_child next = stack[--count];
        const double length = best->hit ? best->distance : r->ray.length;
        if (next.entry > length) {
            continue;
        }
        if (next.child >= AP_PART_LEAF) {
            status = cast_at_part(c, r, next.child - AP_PART_LEAF, best, part);
        } else {
            count = push_children(r, &c->nodes[next.child], length, stack, count);
        }
    }
    return status;
}

/* The ray and the pose have been checked. */
static apart_status cast_at_parts(const apart_ray *ray, const apart_compound *compound, const apart_pose *pose,
                                  apart_ray_hit *hit, uint32_t *part)
{
    part_ray r = {.ray = *ray, .pose = {pose->rotation, {0.0, 0.0, 0.0}}};
    const double defect = ap_rotation_defect(&pose->rotation);
    r.ray.origin = ap_sub(ray->origin, pose->translation);
    r.origin = ap_apply_transposed(&pose->rotation, r.ray.origin);
    r.direction = ap_apply_transposed(&pose->rotation, ap_unit(ray->direction));
    /* Rounding and the rotation's defect move the ray by this much at the compound; within rounding a grazing ray may
     * count as a hit, too. */
    r.slack = (64.0 * DBL_EPSILON + 8.0 * defect) * (ap_norm(r.origin) + 2.0 * compound->extent);
    apart_ray_hit best = {.lower = ray->length};
    const apart_status status = cast_at_compound(compound, &r, &best, part);
    if (status != APART_OK) {
        return status;
    }
    best.point = ap_add(best.point, pose->translation);
    *hit = best;
    return APART_OK;
}

static apart_status cast_at_solid(const apart_ray *ray, apart_solid solid, const apart_pose *pose, apart_ray_hit *hit,
                                  uint32_t *part)
{
    if (solid.shape != NULL) {
        return apart_raycast(ray, solid.shape, pose, NULL, hit);
    }
    apart_status status = apart_pose_check(pose);
    if (status == APART_OK) {
        status = ap_ray_check(ray);
    }
    if (status != APART_OK) {
        return status;
    }
    if (solid.compound != NULL) {
        return cast_at_parts(ray, solid.compound, pose, hit, part);
    }
    status = ap_solid_check(solid);
    return status != APART_OK ? status : ap_mesh_raycast(ray, solid.mesh, solid.surface != 0, pose, hit, part);
}

apart_status apart_compound_raycast(const apart_ray *ray, apart_solid solid, const apart_pose *pose, apart_ray_hit *hit,
                                    uint32_t *part)
{
    if (ray == NULL || pose == NULL || hit == NULL || !ap_solid_is_valid(solid)) {
        return APART_ERR_NULL;
    }
    uint32_t number = 0;
    const apart_status status = cast_at_solid(ray, solid, pose, hit, &number);
    if (status == APART_OK && part != NULL) {
        *part = number;
    }
    return status;
}
