/* Which hulls can be joined, as the excess allows it? First the two whose common hull seems nearest to the mesh. */
#include "cover.h"

#include "../base/array.h"

enum { PAIR_BUDGET = 2000 };

/* Two groups that might be joined. */
typedef struct pair {
    uint32_t a, b;
    double excess, growth; /* of their common hull: its excess as it looks, and its volume less the sum of theirs */
} pair;

static apart_aabb hull_box(const apart_hull *hull)
{
    apart_aabb box = {apart_hull_vertex(hull, 0), apart_hull_vertex(hull, 0)};
    for (uint32_t v = 1; v < apart_hull_vertex_count(hull); v++) {
        const apart_vec3 p = apart_hull_vertex(hull, v);
        box.min = ap_vec(ap_min(box.min.x, p.x), ap_min(box.min.y, p.y), ap_min(box.min.z, p.z));
        box.max = ap_vec(ap_max(box.max.x, p.x), ap_max(box.max.y, p.y), ap_max(box.max.z, p.z));
    }
    return box;
}

static bool boxes_meet(const apart_aabb *a, const apart_aabb *b, double slack)
{
    return a->min.x <= b->max.x + slack && b->min.x <= a->max.x + slack && a->min.y <= b->max.y + slack &&
           b->min.y <= a->max.y + slack && a->min.z <= b->max.z + slack && b->min.z <= a->max.z + slack;
}

static bool list_hulls(ap_cover_work *work, uint32_t a, uint32_t b)
{
    work->xyz_count = 0;
    return ap_cover_add_hull(work, work->group[a].hull) && ap_cover_add_hull(work, work->group[b].hull);
}

static apart_status measure_pair(ap_cover_work *work, pair *p)
{
    if (!list_hulls(work, p->a, p->b)) {
        return APART_ERR_MEMORY;
    }
    p->growth = -(work->group[p->a].space + work->group[p->b].space);
    return ap_cover_look(work, &p->growth, work->stopped ? NULL : &p->excess);
}

/* How much space a group's hull takes. */
static apart_status measure_group(ap_cover_work *work, ap_cover_group *group)
{
    work->xyz_count = 0;
    group->space = 0;
    return ap_cover_add_hull(work, group->hull) ? ap_cover_look(work, &group->space, NULL) : APART_ERR_MEMORY;
}

static bool is_better(const pair *a, const pair *b)
{
    return a->excess != b->excess ? a->excess < b->excess : a->growth < b->growth;
}

/* A hull that is above the goal is not joined: the common hull would be, too. */
static bool may_join(const ap_cover_work *work, uint32_t group)
{
    return work->group[group].hull != NULL && work->group[group].excess <= work->goal;
}

/* Adds the pairs of a group with those before `end` that it meets. */
static apart_status add_pairs(ap_cover_work *work, ap_array *pairs, uint32_t a, uint32_t end)
{
    const double slack = 0x1p-40 * work->mesh.magnitude;
    for (uint32_t b = 0; b < end && may_join(work, a); b++) {
        const bool meet = b != a && may_join(work, b) && boxes_meet(&work->group[a].box, &work->group[b].box, slack);
        if (meet) {
            pair p = {.a = a < b ? a : b, .b = a < b ? b : a};
            const apart_status status = measure_pair(work, &p);
            if (status != APART_OK || !ap_array_reserve(pairs, work->allocator, pairs->count + 1)) {
                return status != APART_OK ? status : APART_ERR_MEMORY;
            }
            ((pair *)pairs->items)[pairs->count++] = p;
        }
    }
    return APART_OK;
}

static void drop_pairs(ap_array *pairs, uint32_t a, uint32_t b)
{
    pair *p = pairs->items;
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        if (p[i].a != a && p[i].b != a && p[i].a != b && p[i].b != b) {
            p[kept++] = p[i];
        }
    }
    pairs->count = kept;
}

/* Joins the groups of a pair into the first, and says so; not if the excess may be above the goal. */
static apart_status join(ap_cover_work *work, ap_array *pairs, pair p, bool *joined)
{
    apart_vec3 farthest;
    double excess = 0;
    apart_hull *joint = NULL;
    ap_cover_group *a = &work->group[p.a], *b = &work->group[p.b];
    apart_status status = list_hulls(work, p.a, p.b) ? ap_cover_build_hull(work, &joint) : APART_ERR_MEMORY;
    status = status == APART_OK ? ap_cover_bound(work, joint, PAIR_BUDGET, &excess, &farthest) : status;
    *joined = status == APART_OK && !(excess > work->goal);
    if (!*joined) {
        apart_hull_free(joint);
        return status;
    }
    apart_hull_free(a->hull);
    apart_hull_free(b->hull);
    *a = (ap_cover_group){.hull = joint, .box = hull_box(joint), .cut = a->cut || b->cut, .excess = excess};
    work->excess = ap_max(work->excess, excess);
    b->hull = NULL;
    for (uint32_t i = 0; i < work->cell_count; i++) {
        work->cell[i].group = work->cell[i].group == p.b ? p.a : work->cell[i].group;
    }
    drop_pairs(pairs, p.a, p.b);
    status = measure_group(work, a);
    return status != APART_OK ? status : add_pairs(work, pairs, p.a, work->group_count);
}

/* Every cell with a hull is a group at first. */
static void start_groups(ap_cover_work *work)
{
    work->group_count = 0;
    for (uint32_t i = 0; i < work->cell_count; i++) {
        ap_cover_cell *cell = &work->cell[i];
        cell->group = APART_COVER_NOTHING;
        if (cell->hull != NULL) {
            cell->group = work->group_count;
            work->group[work->group_count++] =
                (ap_cover_group){cell->hull, hull_box(cell->hull), 0, cell->excess, cell->cut};
            cell->hull = NULL;
        }
    }
}

static pair *best_pair(const ap_array *pairs)
{
    pair *p = pairs->items, *best = NULL;
    for (size_t i = 0; i < pairs->count; i++) {
        best = best == NULL || is_better(&p[i], best) ? &p[i] : best;
    }
    return best;
}

apart_status ap_cover_merge(ap_cover_work *work)
{
    ap_array pairs = {.size = sizeof(pair)};
    apart_status status = APART_OK;
    start_groups(work);
    for (uint32_t a = 0; a < work->group_count && status == APART_OK; a++) {
        status = measure_group(work, &work->group[a]);
        status = status == APART_OK ? add_pairs(work, &pairs, a, a) : status;
    }
    while (status == APART_OK && !work->stopped) {
        bool joined;
        pair *best = best_pair(&pairs);
        if (best == NULL || best->excess > work->goal) {
            break;
        }
        const size_t number = (size_t)(best - (pair *)pairs.items);
        status = join(work, &pairs, *best, &joined);
        if (!joined) {
            ((pair *)pairs.items)[number].excess = INFINITY;
        }
        ap_cover_report(work, 0.95);
    }
    ap_array_free(&pairs, work->allocator);
    return status;
}
