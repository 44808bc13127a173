/* Tracked pairs of tiny hulls in lanes, for batches: a pair to a lane.
 *
 * Only the usual case is answered here: the hulls are apart, and nearest where they were last time. What a lane leaves
 * is the query's for one pair, so what a pair gets depends on nothing but the pair. */
#ifndef AP_LANES_ROOM_HULL_LANES_H
#define AP_LANES_ROOM_HULL_LANES_H

#include <stdbool.h>

#include "../shape/family.h"
#include "box_lanes.h"
#include "lane_job.h"
#include "../pair/pair.h"

/* Pairs of a step. */
#define AP_HULL_LANES 4u

/* A step takes simplices of one kind: vertices, edges or triangles. */
#define AP_HULL_SIMPLICES 3u

/* Is the shape a hull in space of at most AP_ALWAYS_SCANNED vertices, for lanes? */
AP_INLINE bool ap_is_tiny_hull(const apart_shape *shape)
{
    return AP_HAVE_PAIR_LANES && ap_shape_is(shape, APART_SHAPE_HULL, AP_SMALL_HULL);
}

/* Zero: neither a radius nor a centre of its own. */
AP_INLINE uint64_t ap_hull_extras(const apart_shape *shape)
{
    const size_t center = offsetof(apart_shape, center);
    return ap_word_at(shape, offsetof(apart_shape, radius)) | ap_word_at(shape, center) |
           ap_word_at(shape, center + 8) | ap_word_at(shape, center + 16);
}

/* Negative: one of the numbers is none of a vertex. Those behind the last of the simplex are 0 in a cache that a query
 * has filled. */
AP_INLINE int64_t ap_check_vertices(const uint32_t *index, uint32_t count)
{
    const int64_t last = (int64_t)count - 1;
    return (last - index[0]) | (last - index[1]) | (last - index[2]);
}

/* Can a lane look at this pair, which has a cache with one to AP_HULL_SIMPLICES vertex pairs? */
AP_INLINE bool ap_hull_job_fits(const ap_lane_job *job)
{
    const apart_cache *cache = job->cache;
    if (!ap_is_tiny_hull(job->a) || !ap_is_tiny_hull(job->b) ||
        (ap_hull_extras(job->a) | ap_hull_extras(job->b)) != 0) {
        return false;
    }
    const uint32_t count_a = job->a->u.hull->vertex_count, count_b = job->b->u.hull->vertex_count;
    return cache->tag == ap_cache_tag(APART_SHAPE_HULL, APART_SHAPE_HULL, 3, count_a, count_b) && cache->flags == 0 &&
           (ap_check_vertices(cache->index_a, count_a) | ap_check_vertices(cache->index_b, count_b)) >= 0;
}

/* Looks at AP_HULL_LANES pairs that fit, whose caches name so many vertex pairs. Bit i of the return value: pair i has
 * its result, as the default query answers it, and its cache is as that would leave it. Of the others neither is
 * touched: another vertex may be nearer, or the hulls touch, overlap or are not usual. */
typedef unsigned ap_hull_step_fn(const ap_lane_job *jobs, unsigned vertices);
ap_hull_step_fn ap_hull_lanes_step;

#endif
