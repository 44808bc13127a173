/* Moving compounds (Lindemann 2009 sections 3.3 and 5, items L6 and L7): time of impact by a walk over pairs of parts
 * (parts/walk.h). A pair whose gap at the start exceeds what both can move does not meet, nor do pairs whose spheres
 * stay apart on the path; once a contact is known, others are only searched for before it.
 *
 * The walk starts without a first pair: a search for the pair that may meet first saves one to four queries, and
 * costs more than that with many parts. Measured (W9 of bench/, us a call without and with it): sparse bodies of 10,
 * 50 and 200 parts 141 and 121, 129 and 242, 236 and 436; dense ones 38 and 37, 108 and 161, 321 and 470. */
#include "../parts/walk.h"
#include "mesh_motion.h"

/* What one question about moving solids carries from one pair of parts to the next. */
typedef struct impact_search {
    const ap_part_frame *frame;
    const apart_motion *motion[2]; /* in the query's frame */
    bool translation;
    const apart_motion_options *asked;
    apart_motion_options options; /* of the next pair */
    ap_part_motion *paths;        /* NULL: there is only one pair */
    apart_compound_impact best;
    double lower; /* smallest certified gap of all pairs that were queried */
    double upper; /* pairs that stay farther apart do not matter */
    bool any;     /* a pair has been queried, and what comes before is valid */
    bool decided; /* nothing can change the answer any more */
} impact_search;

/* ---- pairs of parts ---- */

static apart_status query_parts(const impact_search *s, const uint32_t part[2], apart_impact *out)
{
    const apart_shape *shape[2];
    apart_motion motion[2];
    apart_pose pose[2];
    apart_cache cache = {.count = 0};
    for (int i = 0; i < 2; i++) {
        const ap_part_side *side = &s->frame->side[i];
        const apart_compound *c = side->compound;
        shape[i] = ap_side_part(side, part[i], &pose[i]);
        motion[i] = c != NULL ? apart_motion_of_part(s->motion[i], &c->parts[part[i]].pose) : *s->motion[i];
    }
    if (s->translation) {
        return apart_sweep(shape[0], &pose[0], s->motion[0]->linear, shape[1], &pose[1], s->motion[1]->linear,
                           &s->options, &cache, out);
    }
    return apart_time_of_impact(shape[0], &motion[0], shape[1], &motion[1], &s->options, &cache, out);
}

/* An earlier end beats a later one; without an end, the smaller gap counts. */
static bool is_better(const apart_impact *found, const apart_impact *best)
{
    const bool ends = found->outcome != APART_OUTCOME_CLEAR, best_ends = best->outcome != APART_OUTCOME_CLEAR;
    if (ends != best_ends) {
        return ends;
    }
    return ends ? found->t < best->t : found->upper < best->upper;
}

static apart_status query_impact(impact_search *s, const uint32_t part[2])
{
    apart_impact found;
    const double limit = s->upper < INFINITY ? s->upper : 0.0;
    s->options.cutoff = s->asked->cutoff > 0.0 ? ap_min(s->asked->cutoff, s->upper) : limit;
    const apart_status status = query_parts(s, part, &found);
    if (status != APART_OK) {
        return status;
    }
    s->lower = ap_min(s->lower, found.lower);
    if (!s->any || is_better(&found, &s->best.impact)) {
        s->best.impact = found;
        s->best.part_a = part[0];
        s->best.part_b = part[1];
    }
    s->best.queries++;
    s->any = true;
    if (found.outcome == APART_OUTCOME_CLEAR) {
        s->upper = s->options.gap == APART_GAP_NONE ? DBL_MIN : ap_min(s->upper, found.upper);
        return APART_OK;
    }
    /* From now on, only contacts before this one matter, and pairs that stay apart do not. */
    s->upper = DBL_MIN;
    s->decided = found.outcome == APART_OUTCOME_START || found.t == 0.0;
    s->options.until = found.t;
    if (s->paths != NULL) {
        s->paths->until = found.t;
    }
    return APART_OK;
}

static apart_status query_on_walk(ap_part_walk *w, const uint32_t part[2])
{
    impact_search *s = w->context;
    const apart_status status = query_impact(s, part);
    w->threshold = s->upper;
    w->decided = s->decided;
    return status;
}

/* ---- paths ---- */

static void set_side_path(ap_part_motion *p, int side, const apart_motion *motion, bool is_half_space)
{
    const apart_vec3 pivot = ap_sub(motion->pivot, motion->start.translation);
    p->rate[side] = ap_norm(motion->angular);
    p->drift[side] = motion->path == APART_PATH_SCREW ? ap_norm(motion->linear) : 0.0;
    p->pivot[side] = ap_apply_transposed(&motion->start.rotation, pivot);
    p->chord[side] = ap_min(p->rate[side], 2.0);
    p->displacement[side] = is_half_space && p->rate[side] > 0.0 ? INFINITY : ap_norm(motion->linear);
}

/* How far the numbers of a side's path go beyond the frame's scope. */
static double path_scope(const ap_part_side *side, const apart_motion *motion)
{
    const apart_vec3 pivot = ap_sub(motion->pivot, motion->start.translation);
    return ap_norm(motion->linear) + 2.0 * (ap_norm(pivot) + side->size);
}

/* The steps from 0 to `until`; motions in the query's frame, which have been checked. */
static apart_status set_paths(ap_part_motion *p, const ap_part_frame *f, const apart_motion *const motion[2],
                              double until)
{
    apart_status status = APART_OK;
    const double scope = f->scope + path_scope(&f->side[0], motion[0]) + path_scope(&f->side[1], motion[1]);
    set_side_path(p, 0, motion[0], f->plane == 0);
    set_side_path(p, 1, motion[1], f->plane == 1);
    p->slack = (AP_MOTION_ROUNDING + AP_DEFECT_SHARE * f->defect) * scope;
    const double strides = ceil(until * ap_max(p->rate[0], p->rate[1]) / (AP_MOTION_STRIDE * AP_MOTION_ANGLE));
    const uint32_t most = AP_MOTION_STEPS / AP_MOTION_STRIDE;
    p->steps = strides < 1.0 ? 1 : AP_MOTION_STRIDE * (strides > most ? most : (uint32_t)strides);
    p->step = until / p->steps;
    p->until = until;
    for (uint32_t i = 0; i <= p->steps && status == APART_OK; i++) {
        status = apart_motion_pose(motion[0], i * p->step, &p->pose[i][0]);
        status = status == APART_OK ? apart_motion_pose(motion[1], i * p->step, &p->pose[i][1]) : status;
    }
    return status;
}

/* ---- time of impact ---- */

static void start_search(impact_search *s)
{
    s->any = s->decided = false;
    s->lower = s->upper = INFINITY;
}

/* Queries all pairs that matter. */
static apart_status walk_parts(impact_search *s)
{
    ap_part_walk walk;
    const ap_queried_pairs none = {.count = 0};
    start_search(s);
    ap_walk_set(&walk, s->frame);
    walk.query = query_on_walk;
    walk.context = s;
    walk.queried = &none;
    walk.motion = s->paths;
    const apart_status status = ap_walk_run(&walk);
    s->lower = ap_min(s->lower, walk.passed);
    return status;
}

/* The first walk asks whether any parts meet: if two do, it does not matter how near others come. */
static apart_status search_parts(impact_search *s)
{
    ap_part_motion paths;
    const double until = s->asked->until > 0.0 && s->asked->until < 1.0 ? s->asked->until : 1.0;
    apart_status status = set_paths(&paths, s->frame, s->motion, until);
    if (status != APART_OK) {
        return status;
    }
    s->paths = &paths;
    s->options.gap = APART_GAP_NONE;
    status = walk_parts(s);
    if (status == APART_OK && s->best.impact.outcome == APART_OUTCOME_CLEAR && s->asked->gap != APART_GAP_NONE) {
        s->options.gap = s->asked->gap;
        status = walk_parts(s);
    }
    s->paths = NULL;
    return status;
}

static apart_status query_only_pair(impact_search *s)
{
    const uint32_t only[2] = {0, 0};
    start_search(s);
    return query_impact(s, only);
}

/* The answer from the query's frame to the world. */
static apart_status write_impact(const impact_search *s, const apart_motion *motion_a, const apart_motion *motion_b,
                                 apart_compound_impact *out)
{
    apart_compound_impact found = s->best;
    const apart_vec3 origin = motion_a->start.translation;
    apart_status status = apart_motion_pose(motion_a, found.impact.t, &found.impact.pose_a);
    status = status == APART_OK ? apart_motion_pose(motion_b, found.impact.t, &found.impact.pose_b) : status;
    found.impact.lower = s->lower;
    found.impact.at.a = ap_add(found.impact.at.a, origin);
    found.impact.at.b = ap_add(found.impact.at.b, origin);
    if (status == APART_OK) {
        *out = found;
    }
    return status;
}

static apart_motion shifted(const apart_motion *motion, apart_vec3 by)
{
    apart_motion out = *motion;
    out.start.translation = ap_sub(motion->start.translation, by);
    out.pivot = ap_sub(motion->pivot, by);
    return out;
}

static apart_status find_impact(apart_solid a, const apart_motion *motion_a, apart_solid b,
                                const apart_motion *motion_b, const apart_motion_options *options, bool translation,
                                apart_compound_impact *out)
{
    if (a.mesh != NULL || b.mesh != NULL) {
        return ap_mesh_impact(a, motion_a, b, motion_b, options, out);
    }
    const apart_vec3 origin = motion_a->start.translation;
    const apart_motion in_a = shifted(motion_a, origin), in_b = shifted(motion_b, origin);
    const apart_motion_options defaults = {0}, *asked = options != NULL ? options : &defaults;
    ap_part_frame frame;
    if (!(asked->cutoff >= 0.0) || asked->gap > APART_GAP_TOLERANCE) { /* the others are checked with every pair */
        return APART_ERR_OPTION;
    }
    impact_search s = {.frame = &frame,
                       .motion = {&in_a, &in_b},
                       .translation = translation,
                       .asked = asked,
                       .options = *asked};
    ap_sides_set(frame.side, a, &motion_a->start, b, &motion_b->start);
    apart_status status = ap_frame_measure(&frame);
    if (status != APART_OK) {
        return status;
    }
    const bool many = ap_has_more_parts(a.compound) || ap_has_more_parts(b.compound);
    status = many ? search_parts(&s) : query_only_pair(&s);
    return status == APART_OK ? write_impact(&s, motion_a, motion_b, out) : status;
}

static apart_status check_moving(apart_solid a, const apart_motion *motion_a, apart_solid b,
                                 const apart_motion *motion_b, const void *out)
{
    if (motion_a == NULL || motion_b == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_solid_check(a);
    status = status == APART_OK ? ap_solid_check(b) : status;
    status = status == APART_OK ? apart_motion_check(motion_a) : status;
    return status == APART_OK ? apart_motion_check(motion_b) : status;
}

apart_status apart_compound_time_of_impact(apart_solid a, const apart_motion *motion_a, apart_solid b,
                                           const apart_motion *motion_b, const apart_motion_options *options,
                                           apart_compound_impact *impact)
{
    const apart_status status = check_moving(a, motion_a, b, motion_b, impact);
    return status == APART_OK ? find_impact(a, motion_a, b, motion_b, options, false, impact) : status;
}

apart_status apart_compound_sweep(apart_solid a, const apart_pose *pose_a, apart_vec3 displacement_a, apart_solid b,
                                  const apart_pose *pose_b, apart_vec3 displacement_b,
                                  const apart_motion_options *options, apart_compound_impact *impact)
{
    if (pose_a == NULL || pose_b == NULL) {
        return APART_ERR_NULL;
    }
    const apart_motion motion_a = apart_motion_translation(pose_a, displacement_a);
    const apart_motion motion_b = apart_motion_translation(pose_b, displacement_b);
    const apart_status status = check_moving(a, &motion_a, b, &motion_b, impact);
    return status == APART_OK ? find_impact(a, &motion_a, b, &motion_b, options, true, impact) : status;
}
