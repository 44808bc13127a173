/* All pairs of parts nearer than a distance: with a mesh by the search in trees of floats (facets/below.c), else by a walk
 * over both trees whose threshold stays (parts/walk.h). */
#include "../api/level.h"
#include "../parts/walk.h"

typedef struct below_search {
    const ap_part_frame *frame;
    double distance;
    apart_options options; /* of a pair */
    apart_vec3 origin;     /* of the query's frame */
    apart_part_list *list;
} below_search;

static uint64_t part_user(const ap_part_side *side, uint32_t part) { return apart_compound_user(side->compound, part); }

/* With the rounding of joined poses. */
static void write_pair(const below_search *s, const apart_result *r, apart_part_pair *out)
{
    out->distance = r->distance;
    out->lower = r->lower - s->frame->widening;
    out->upper = r->upper + s->frame->widening;
    out->point_a = ap_add(r->a, s->origin);
    out->point_b = ap_add(r->b, s->origin);
    out->normal = r->normal;
    const bool open = out->lower != -INFINITY && out->lower <= 0.0 && out->upper >= 0.0;
    out->relation = open ? APART_TOUCHING : r->relation;
}

static apart_status query_parts(below_search *s, const uint32_t part[2])
{
    const ap_part_frame *f = s->frame;
    apart_part_list *list = s->list;
    apart_part_pair found = {.part_a = part[0], .part_b = part[1]};
    apart_pose pose[2];
    apart_result r;
    apart_cache cache = {.count = 0};
    found.user_a = part_user(&f->side[0], part[0]);
    found.user_b = part_user(&f->side[1], part[1]);
    if (list->filter != NULL &&
        list->filter(list->filter_context, found.part_a, found.user_a, found.part_b, found.user_b) == 0) {
        return APART_OK;
    }
    const apart_shape *a = ap_side_part(&f->side[0], part[0], &pose[0]);
    const apart_shape *b = ap_side_part(&f->side[1], part[1], &pose[1]);
    const apart_status status = apart_distance(a, &pose[0], b, &pose[1], &s->options, &cache, &r);
    if (status == APART_OK && r.lower - f->widening < s->distance) {
        write_pair(s, &r, &found);
        if (list->count < list->capacity) {
            list->pairs[list->count++] = found;
        }
        list->total++;
    }
    return status;
}

static apart_status query_on_walk(ap_part_walk *w, const uint32_t part[2]) { return query_parts(w->context, part); }

static apart_status walk_parts(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               double distance, apart_part_list *list)
{
    ap_part_frame frame;
    ap_sides_set(frame.side, a, pose_a, b, pose_b);
    const apart_status status = ap_frame_measure(&frame);
    if (status != APART_OK) {
        return status;
    }
    below_search s = {.frame = &frame,
                      .distance = distance,
                      .options = {.cutoff = ap_max(distance + 2.0 * frame.widening, DBL_MIN),
                                  .tolerance = list->tolerance,
                                  .depth = (uint8_t)list->depth},
                      .origin = pose_a->translation,
                      .list = list};
    if (!ap_has_more_parts(a.compound) && !ap_has_more_parts(b.compound)) {
        const uint32_t only[2] = {0, 0};
        return query_parts(&s, only);
    }
    ap_part_walk walk;
    const ap_queried_pairs none = {.count = 0};
    ap_walk_set(&walk, &frame);
    walk.query = query_on_walk;
    walk.context = &s;
    walk.queried = &none;
    walk.threshold = distance + 2.0 * frame.widening;
    return ap_walk_run(&walk);
}

/* What no query of parts would notice if all of them are far apart. */
static apart_status check_solids(apart_solid a, apart_solid b)
{
    apart_status status = a.shape != NULL ? apart_shape_check(a.shape) : APART_OK;
    status = status == APART_OK && b.shape != NULL ? apart_shape_check(b.shape) : status;
    if (status != APART_OK) {
        return status;
    }
    if (ap_solid_is_half_space(a) && ap_solid_is_half_space(b)) {
        return APART_ERR_HALF_SPACE;
    }
    return ap_solid_dim(a) != ap_solid_dim(b) ? APART_ERR_DIMENSION : APART_OK;
}

static apart_status check_list(const apart_part_list *list, double distance, bool meshes)
{
    if (list == NULL || (list->capacity > 0 && list->pairs == NULL)) {
        return APART_ERR_NULL;
    }
    const bool fine = distance >= (meshes ? 0.0 : -DBL_MAX) && distance <= DBL_MAX && list->tolerance >= 0.0 &&
                      list->tolerance <= DBL_MAX && list->depth >= APART_DEPTH_EXACT && list->depth <= APART_DEPTH_NONE;
    return fine ? APART_OK : APART_ERR_OPTION;
}

apart_status apart_compound_below(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                  double distance, apart_part_list *list)
{
    const bool meshes = a.mesh != NULL || b.mesh != NULL;
    apart_status status = pose_a != NULL && pose_b != NULL ? check_list(list, distance, meshes) : APART_ERR_NULL;
    status = status == APART_OK ? ap_solid_check(a) : status;
    status = status == APART_OK ? ap_solid_check(b) : status;
    status = status == APART_OK ? check_solids(a, b) : status;
    if (status != APART_OK) {
        return status;
    }
    list->count = list->total = 0;
    return meshes ? ap_level_get()->facets->below(a, pose_a, b, pose_b, distance, list)
                  : walk_parts(a, pose_a, b, pose_b, distance, list);
}
