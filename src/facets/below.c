/* All pairs of parts that are near: for lists, and for moving solids (compound/mesh_motion.c). Nothing is known of a
 * nearest pair here, so that bounds alone exclude pairs. */
#include "../query/query.h"
#include "facets.h"
#include "pairs.h"

/* ---- a list of pairs below a distance ---- */

typedef struct below_search {
    ap_facet_frame frame;
    ap_facet_poses poses;
    ap_facet_search search;
    apart_options options;
    double distance;
    apart_part_list *list;
    apart_vec3 origin; /* of the query's frame */
    apart_status status;
} below_search;

static uint64_t part_user(const below_search *s, int side, uint32_t part)
{
    const apart_compound *c = s->frame.side[side].compound;
    return c != NULL ? c->users[part] : 0;
}

static bool admits(const below_search *s, const uint32_t part[2])
{
    const apart_part_list *list = s->list;
    return list->filter == NULL || list->filter(list->filter_context, part[0], part_user(s, 0, part[0]), part[1],
                                                part_user(s, 1, part[1])) != 0;
}

static void write_pair(const below_search *s, const uint32_t part[2], const apart_result *r, apart_part_pair *out)
{
    *out = (apart_part_pair){.part_a = part[0],
                             .part_b = part[1],
                             .distance = r->distance,
                             .lower = r->lower - s->poses.widening,
                             .upper = r->upper + s->poses.widening,
                             .point_a = ap_add(r->a, s->origin),
                             .point_b = ap_add(r->b, s->origin),
                             .normal = r->normal,
                             .relation = r->relation,
                             .user_a = part_user(s, 0, part[0]),
                             .user_b = part_user(s, 1, part[1])};
}

/* The triangles with the vertices of one in the tree, beside itself: repeated[0 .. count - 1]. */
static uint32_t repeated_triangles(const apart_mesh *m, uint32_t triangle, const uint32_t **repeated)
{
    if (m == NULL || m->tree_count == m->triangle_count) {
        return 0;
    }
    const uint32_t *twins = ap_mesh_twin_numbers(m), count = m->triangle_count - m->tree_count;
    uint32_t first = 0, end = count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        *(twins[middle] < triangle ? &first : &end) = twins[middle] < triangle ? middle + 1 : middle;
    }
    for (end = first; end < count && twins[end] == triangle; end++) {}
    *repeated = ap_mesh_order(m) + m->tree_count + first;
    return end - first;
}

/* A pair, and those of the triangles in the same places. A filter is asked about each; without one, pairs that do not
 * fit are counted at once. */
static void add_pair(below_search *s, const uint32_t part[2], const apart_result *r)
{
    const uint32_t *repeated[2] = {NULL, NULL};
    uint32_t count[2];
    apart_part_list *list = s->list;
    const bool filtered = list->filter != NULL;
    for (int i = 0; i < 2; i++) {
        count[i] = 1 + repeated_triangles(s->frame.side[i].mesh, part[i], &repeated[i]);
    }
    list->total += filtered ? 0 : (size_t)count[0] * count[1];
    for (uint32_t i = 0; i < count[0] && (filtered || list->count < list->capacity); i++) {
        for (uint32_t j = 0; j < count[1] && (filtered || list->count < list->capacity); j++) {
            const uint32_t both[2] = {i > 0 ? repeated[0][i - 1] : part[0], j > 0 ? repeated[1][j - 1] : part[1]};
            if (!admits(s, both)) {
                continue;
            }
            list->total += filtered ? 1 : 0;
            if (list->count < list->capacity) {
                write_pair(s, both, r, &list->pairs[list->count++]);
            }
        }
    }
}

static bool is_repeated(const below_search *s, int side, uint32_t part)
{
    const uint32_t *repeated;
    return repeated_triangles(s->frame.side[side].mesh, part, &repeated) > 0;
}

static bool list_pair(ap_facet_search *search, const uint32_t part[2])
{
    below_search *s = search->context;
    ap_facet_part a, b;
    apart_result r;
    apart_cache cache = {.count = 0};
    if (!admits(s, part) && !is_repeated(s, 0, part[0]) && !is_repeated(s, 1, part[1])) {
        return true;
    }
    ap_facet_part_get(&s->frame, &s->poses, 0, part[0], &a);
    ap_facet_part_get(&s->frame, &s->poses, 1, part[1], &b);
    s->status = ap_query_distance(a.shape, a.pose, b.shape, b.pose, &s->options, &cache, &r);
    if (s->status == APART_OK && r.lower - s->poses.widening < s->distance) {
        add_pair(s, part, &r);
    }
    return s->status == APART_OK;
}

apart_status ap_facets_below(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                             double distance, apart_part_list *list)
{
    below_search s = {.distance = distance, .list = list, .search = {.visit = list_pair, .context = &s}};
    const apart_status status = ap_facet_frame_set(&s.frame, a, pose_a, b, pose_b);
    if (status != APART_OK) {
        return status;
    }
    ap_facet_poses_set(&s.poses, &s.frame);
    s.origin = s.poses.joined ? pose_a->translation : ap_vec(0.0, 0.0, 0.0);
    s.options = (apart_options){.tolerance = list->tolerance, .depth = (uint8_t)list->depth};
    s.options.cutoff = ap_max(distance + 2.0 * s.poses.widening, DBL_MIN);
    ap_facet_search_set(&s.search, &s.frame, s.options.cutoff);
    s.search.any = true;
    list->count = list->total = 0;
    ap_facet_search_run(&s.search);
    return s.status;
}

/* ---- pairs for others ---- */

typedef struct offer {
    ap_facets_take_fn *take;
    void *context;
} offer;

static bool offer_pair(ap_facet_search *search, const uint32_t part[2])
{
    const offer *o = search->context;
    double threshold = search->threshold;
    const bool goes_on = o->take(o->context, part, &threshold);
    if (threshold != search->threshold) {
        ap_facet_set_threshold(search, threshold);
    }
    return goes_on;
}

apart_status ap_facets_offer(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                             double threshold, ap_facets_take_fn *take, void *context)
{
    ap_facet_frame frame;
    offer o = {take, context};
    ap_facet_search search = {.visit = offer_pair, .context = &o};
    const apart_status status = ap_facet_frame_set(&frame, a, pose_a, b, pose_b);
    if (status != APART_OK) {
        return status;
    }
    ap_facet_search_set(&search, &frame, threshold);
    search.any = true;
    ap_facet_search_run(&search);
    return APART_OK;
}
