/* Tracked pairs of tiny hulls in SIMD lanes, for batches: one pair per lane.
 *
 * Only the most frequent case is decided here: the hulls are disjoint, and their nearest features are the cached ones.
 * All other pairs fall back to the scalar query, so the result of a pair depends on the pair only. */
#ifndef AP_LANES_ROOM_HULL_LANES_H
#define AP_LANES_ROOM_HULL_LANES_H

#include <stdbool.h>

#include "../shape/family.h"
#include "box_lanes.h"
#include "lane_job.h"
#include "../pair/pair.h"

/* The number of pairs in a step. */
#define AP_HULL_LANES 4u

/* The kinds of simplices: vertices, edges, triangles. A step takes simplices of one kind. */
#define AP_HULL_SIMPLICES 3u

/* Is the shape a 3D hull of at most AP_ALWAYS_SCANNED vertices? */
AP_INLINE bool ap_is_tiny_hull(const apart_shape *shape) { return ap_shape_is(shape, APART_SHAPE_HULL, AP_SMALL_HULL); }

/* Zero if the shape has neither a rounding radius nor a centre off its origin. */
AP_INLINE uint64_t ap_hull_extras(const apart_shape *shape)
{
    const size_t center = offsetof(apart_shape, center);
    return ap_word_at(shape, offsetof(apart_shape, radius)) | ap_word_at(shape, center) |
           ap_word_at(shape, center + 8) | ap_word_at(shape, center + 16);
}

/* Negative if one of the numbers is not that of a vertex. Unused numbers are 0 in a cache that a query has filled. */
AP_INLINE int64_t ap_check_vertices(const uint32_t *index, uint32_t count)
{
    const int64_t last = (int64_t)count - 1;
    return (last - index[0]) | (last - index[1]) | (last - index[2]);
}

/* Can a lane take this pair? Its cache has one to AP_HULL_SIMPLICES vertex pairs. */
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

/* Queries AP_HULL_LANES pairs that fit, whose caches each hold `vertices` vertex pairs. Bit i of the return value: pair
 * i has the result of the default query, and its cache is up to date. Results and caches of the other pairs are
 * untouched: another vertex may be nearer, the hulls may touch or overlap, or size or rotation is out of range. */
typedef unsigned ap_hull_step_fn(const ap_lane_job *jobs, unsigned vertices);
ap_hull_step_fn ap_hull_lanes_step;

#endif
