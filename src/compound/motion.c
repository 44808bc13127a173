/* Moving compounds and rays (Lindemann 2009 sections 3.3 and 5, items L6 and L7): time of impact by branch and bound over pairs of
 * parts. A pair of boxes whose gap at the start exceeds what both can travel holds no contact, nor do boxes whose balls stay apart on the
 * way (track.h); once a contact is known, others are only looked for before it. */
#include "../motion/ray.h"
#include "../parts/track.h"
#include "ray_box.h"

/* ---- time of impact ---- */

typedef struct moving_pair {
    const apart_motion *motion[2];  /* in the query's frame */
    bool translation;
    const apart_motion_options *asked;
    apart_motion_options options;   /* of the moment */
    apart_compound_impact best;
    double lower;                   /* smallest certified gap of all pairs looked at */
} moving_pair;

static apart_status look_at_parts(const ap_part_search *s, const moving_pair *m, const uint32_t part[2], apart_impact *out)
{
    const apart_shape *shape[2];
    apart_motion motion[2];
    apart_pose pose[2];
    apart_cache cache = {.count = 0};
    for (int i = 0; i < 2; i++) {
        shape[i] = ap_search_part(&s->side[i], part[i], &pose[i]);
        motion[i] = s->side[i].parts != NULL ? apart_motion_of_part(m->motion[i], &s->side[i].parts[part[i]].pose) : *m->motion[i];
    }
    if (m->translation) {
        return apart_sweep(shape[0], &pose[0], m->motion[0]->linear, shape[1], &pose[1], m->motion[1]->linear, &m->options, &cache, out);
    }
    return apart_time_of_impact(shape[0], &motion[0], shape[1], &motion[1], &m->options, &cache, out);
}

/* An earlier end beats a later one; without an end, the smaller gap counts. */
static bool is_better(const ap_part_search *s, const apart_impact *found, const apart_impact *best)
{
    if (!s->any) {
        return true;
    }
    const bool ends = found->outcome != APART_OUTCOME_CLEAR, best_ends = best->outcome != APART_OUTCOME_CLEAR;
    if (ends != best_ends) {
        return ends;
    }
    return ends ? found->t < best->t : found->upper < best->upper;
}

static apart_status look_at_motion(ap_part_search *s, const uint32_t part[2])
{
    moving_pair *m = s->context;
    apart_impact found;
    m->options.cutoff = m->asked->cutoff > 0.0 ? ap_min(m->asked->cutoff, s->most) : s->most < INFINITY ? s->most : 0.0;
    const apart_status status = look_at_parts(s, m, part, &found);
    if (status != APART_OK) {
        return status;
    }
    m->best.queries++;
    m->lower = ap_min(m->lower, found.lower);
    if (is_better(s, &found, &m->best.impact)) {
        m->best.impact = found;
        m->best.part_a = part[0];
        m->best.part_b = part[1];
    }
    s->any = true;
    s->open = false;
    if (found.outcome == APART_OUTCOME_CLEAR) {
        s->most = m->options.gap == APART_GAP_NONE ? DBL_MIN : ap_min(s->most, found.upper);
        return APART_OK;
    }
    /* From now on, only contacts before this one matter, and boxes that stay apart do not. */
    s->most = DBL_MIN;
    s->settled = found.outcome == APART_OUTCOME_START || found.t == 0.0;
    m->options.until = found.t;
    if (s->track != NULL) {
        s->track->until = found.t;
    }
    return APART_OK;
}

/* How far a side can get. A half-space that turns gets everywhere. */
static void set_travel(ap_part_search *s, int side, const apart_motion *motion)
{
    const apart_pose *start = &motion->start;
    const double angle = ap_norm(motion->angular);
    s->linear[side] = ap_norm(motion->linear);
    s->turn[side] = ap_min(angle, 2.0);
    s->pivot[side] = ap_apply_transposed(&start->rotation, ap_sub(motion->pivot, start->translation));
    if (s->plane == side && angle > 0.0) {
        s->linear[side] = INFINITY;
    }
}

static apart_motion shifted(const apart_motion *motion, apart_vec3 by)
{
    apart_motion out = *motion;
    out.start.translation = ap_sub(motion->start.translation, by);
    out.pivot = ap_sub(motion->pivot, by);
    return out;
}

static apart_status finish(ap_part_search *s, moving_pair *m, const apart_motion *motion_a, const apart_motion *motion_b,
                           apart_compound_impact *out)
{
    apart_impact *impact = &m->best.impact;
    const apart_vec3 origin = motion_a->start.translation;
    apart_status status = apart_motion_pose(motion_a, impact->t, &impact->pose_a);
    if (status == APART_OK) {
        status = apart_motion_pose(motion_b, impact->t, &impact->pose_b);
    }
    impact->lower = ap_min(m->lower, s->passed);
    impact->at.a = ap_add(impact->at.a, origin);
    impact->at.b = ap_add(impact->at.b, origin);
    if (status == APART_OK) {
        *out = m->best;
    }
    return status;
}

/* From a first pair to all that matter. */
static apart_status look_around(ap_part_search *s, moving_pair *m)
{
    uint32_t first[2];
    ap_search_clear(s);
    ap_search_open(s);
    s->looked_count = 0;
    m->lower = INFINITY;
    ap_search_guess(s, first);
    ap_search_note_look(s, first);
    const apart_status status = look_at_motion(s, first);
    return status == APART_OK ? ap_search_walk(s, look_at_motion) : status;
}

/* Of two parts in all, these. */
static apart_status look_at_only_pair(ap_part_search *s, moving_pair *m)
{
    const uint32_t only[2] = {0, 0};
    ap_search_clear(s);
    s->passed = m->lower = INFINITY;
    return look_at_motion(s, only);
}

/* Of many, first whether any meet: if two do, nobody wants to know how near others come. */
static apart_status look_at_many(ap_part_search *s, moving_pair *m)
{
    ap_track track;
    const double until = m->asked->until > 0.0 && m->asked->until < 1.0 ? m->asked->until : 1.0;
    apart_status status = ap_track_set(&track, s, m->motion, until);
    if (status != APART_OK) {
        return status;
    }
    s->track = &track;
    m->options.gap = APART_GAP_NONE;
    status = look_around(s, m);
    if (status == APART_OK && m->best.impact.outcome == APART_OUTCOME_CLEAR && m->asked->gap != APART_GAP_NONE) {
        m->options.gap = m->asked->gap;
        status = look_around(s, m);
    }
    s->track = NULL;
    return status;
}

static apart_status find_impact(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b,
                                const apart_motion_options *options, bool translation, apart_compound_impact *out)
{
    const apart_vec3 origin = motion_a->start.translation;
    const apart_motion in_a = shifted(motion_a, origin), in_b = shifted(motion_b, origin);
    const apart_motion_options defaults = {0};
    moving_pair m = {.motion = {&in_a, &in_b}, .translation = translation, .asked = options != NULL ? options : &defaults};
    ap_part_search s;
    if (!(m.asked->cutoff >= 0.0) || m.asked->gap > APART_GAP_NONE) { /* the others are checked with every pair */
        return APART_ERR_OPTION;
    }
    m.options = *m.asked;
    ap_search_place(&s, a, &motion_a->start, b, &motion_b->start);
    apart_status status = ap_search_prepare(&s, NULL, NULL);
    if (status != APART_OK) {
        return status;
    }
    ap_search_prepare_others(&s);
    s.context = &m;
    set_travel(&s, 0, &in_a);
    set_travel(&s, 1, &in_b);
    const bool many = ap_solid_has_others(a.compound) || ap_solid_has_others(b.compound);
    status = many ? look_at_many(&s, &m) : look_at_only_pair(&s, &m);
    return status == APART_OK ? finish(&s, &m, motion_a, motion_b, out) : status;
}

static apart_status check_moving(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b, const void *out)
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || motion_a == NULL || motion_b == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = apart_motion_check(motion_a);
    return status == APART_OK ? apart_motion_check(motion_b) : status;
}

apart_status apart_compound_time_of_impact(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b,
                                           const apart_motion_options *options, apart_compound_impact *impact)
{
    const apart_status status = check_moving(a, motion_a, b, motion_b, impact);
    return status == APART_OK ? find_impact(a, motion_a, b, motion_b, options, false, impact) : status;
}

apart_status apart_compound_sweep(apart_solid a, const apart_pose *pose_a, apart_vec3 displacement_a, apart_solid b,
                                  const apart_pose *pose_b,
                                  apart_vec3 displacement_b, const apart_motion_options *options, apart_compound_impact *impact)
{
    if (pose_a == NULL || pose_b == NULL) {
        return APART_ERR_NULL;
    }
    const apart_motion motion_a = apart_motion_translation(pose_a, displacement_a);
    const apart_motion motion_b = apart_motion_translation(pose_b, displacement_b);
    const apart_status status = check_moving(a, &motion_a, b, &motion_b, impact);
    return status == APART_OK ? find_impact(a, &motion_a, b, &motion_b, options, true, impact) : status;
}

/* ---- rays ---- */

/* A ray in the compound's frame, for the boxes; and with the compound's origin taken away, for the parts. */
typedef struct part_ray {
    apart_vec3 origin, direction;
    double slack;
    apart_ray ray;
    apart_pose pose;
} part_ray;

static double node_entry(const part_ray *r, const ap_part_node *node, double length)
{
    const apart_aabb box = {ap_sub(node->center, node->half), ap_add(node->center, node->half)};
    return ap_ray_box(r->origin, r->direction, length, &box, r->slack);
}

static apart_status cast_at_part(const apart_compound *c, const part_ray *r, uint32_t number, apart_ray_hit *best, uint32_t *part)
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
    uint32_t stack[AP_PART_LEVELS + 2];
    size_t count = 1;
    apart_status status = APART_OK;
    stack[0] = 0;
    while (count > 0 && status == APART_OK) {
        const ap_part_node *node = &c->nodes[stack[--count]];
        const double length = best->hit ? best->distance : r->ray.length;
        if (ap_ray_passes(node_entry(r, node, length))) {
            continue;
        }
        if (node->first_child == 0) {
            status = cast_at_part(c, r, node->part, best, part);
            continue;
        }
        const uint32_t first = node->first_child;
        const bool swap = node_entry(r, &c->nodes[first + 1], length) < node_entry(r, &c->nodes[first], length);
        stack[count++] = swap ? first : first + 1;
        stack[count++] = swap ? first + 1 : first;
    }
    return status;
}

apart_status apart_compound_raycast(const apart_ray *ray, apart_solid solid, const apart_pose *pose, apart_ray_hit *hit, uint32_t *part)
{
    if (ray == NULL || pose == NULL || hit == NULL || !ap_solid_is_valid(solid)) {
        return APART_ERR_NULL;
    }
    uint32_t number = 0;
    if (solid.shape != NULL) {
        if (part != NULL) {
            *part = 0;
        }
        return apart_raycast(ray, solid.shape, pose, NULL, hit);
    }
    apart_status status = apart_pose_check(pose);
    if (status == APART_OK) {
        status = ap_ray_check(ray);
    }
    if (status != APART_OK) {
        return status;
    }
    part_ray r = {.ray = *ray, .pose = {pose->rotation, {0.0, 0.0, 0.0}}};
    const double defect = ap_rotation_defect(&pose->rotation);
    r.ray.origin = ap_sub(ray->origin, pose->translation);
    r.origin = ap_apply_transposed(&pose->rotation, r.ray.origin);
    r.direction = ap_apply_transposed(&pose->rotation, ap_unit(ray->direction));
    /* Rounding and the rotation's defect move the ray by this much at the compound; a grazing ray may count as hit within rounding too. */
    r.slack = (64.0 * DBL_EPSILON + 8.0 * defect) * (ap_norm(r.origin) + 2.0 * solid.compound->reach);
    apart_ray_hit best = {.lower = ray->length};
    status = cast_at_compound(solid.compound, &r, &best, &number);
    if (status != APART_OK) {
        return status;
    }
    best.point = ap_add(best.point, pose->translation);
    *hit = best;
    if (part != NULL) {
        *part = number;
    }
    return APART_OK;
}
