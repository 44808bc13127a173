/* Moving meshes: the first contact, and the smallest gap.
 *
 * While the bodies are farther apart than a share of a triangle, conservative advancement takes the whole gap for a step:
 * nothing approaches faster than the greatest speed (Mirtich 1996). Nearer than that, the steps would shrink with the
 * gap, so time goes on by *slabs* in which the bodies move by such a share: the pairs of triangles that can come
 * near within the slab are asked one by one for their own time of impact (motion/time_of_impact.c), whose second-order
 * bounds pass along each other without creeping. We differ from the sources in that, and in bounds that include rounding.
 *
 * A gap below the level is looked for: half the tolerance for a contact; for the smallest gap, in a second pass, the
 * least upper bound so far minus a share of the tolerance. Solids need nothing else: a body that is apart from a solid at
 * the start cannot come inside without crossing its surface. */
#include "mesh_motion.h"

#include "../api/level.h"
#include "../motion/impact.h"
#include "../parts/walk.h"

/* Shares of the tolerance, as in motion/time_of_impact.c. */
#define CONTACT_SHARE 0.9375
#define LEVEL_SHARE 0.5
#define NARROW_SHARE 0.75
#define DROP_SHARE 0.125
#define SLACK_SHARE 16.0
#define DEFAULT_TOLERANCE 1e-6
#define DEFAULT_ITERATIONS (1u << 20)

/* A slab is as long as it takes to move by this share of the parts' sizes. Measured for meshes of 6 000 and 70 000 triangles,
 * microseconds for 2, 1/2, 1/16 and 1/64: 550, 190, 115, 120 and 1650, 420, 250, 235; passing bodies are fastest with 1/16. */
#define SLAB_SHARE 0.0625

/* Of a step that the gap allows, this much is taken, so that its end is before the level. */
#define STEP_SHARE 0.9990234375

/* Local searches for the smallest gap: steps of a golden section, and its first width in the whole motion. */
#define GOLDEN 0.6180339887498949
#define SECTIONS 40
#define SECTION_SHARE 0.0625

/* Sums and products of a few lengths. */
#define ROUND_UP (1.0 + 64.0 * DBL_EPSILON)

typedef struct mesh_impact {
    apart_solid solid[2];
    apart_motion motion[2]; /* relative to the first body's start */
    const apart_motion_options *asked;
    apart_motion_options options; /* of pairs of parts */
    apart_compound_cache cache;
    double speed; /* nothing approaches faster */
    double slack; /* what rounding can do to a distance at a time */
    double tolerance, until, grain;
    double level;  /* of the pass */
    double from;   /* start of the slab */
    double lowest; /* certified gap from 0 to the present */
    double best_upper, best_t;
    apart_impact hit; /* outcome CLEAR: none */
    uint32_t limit, iterations, separations, queries;
    apart_status status;
} mesh_impact;

/* ---- what the paths say ---- */

static double radius_of(apart_solid solid)
{
    apart_vec3 center;
    double radius = 0.0;
    return !ap_solid_is_half_space(solid) && apart_solid_ball(solid, &center, &radius) == APART_OK ? radius : 0.0;
}

/* The distance that no point of a body exceeds from its axis of rotation. */
static double axis_radius(apart_solid solid, const apart_motion *m)
{
    apart_vec3 center = {0.0, 0.0, 0.0};
    double radius = 0.0;
    const double rate = ap_norm(m->angular);
    if (!(rate > 0.0) || apart_solid_ball(solid, &center, &radius) != APART_OK) {
        return 0.0;
    }
    const apart_vec3 arm = ap_sub(apart_pose_apply(&m->start, center), m->pivot);
    const double error = 64.0 * DBL_EPSILON * (ap_norm(center) + ap_norm(m->pivot) + ap_norm(m->start.translation));
    return (ap_norm(ap_cross(arm, ap_scale(1.0 / rate, m->angular))) + radius * AP_ROTATION_STRETCH + error) * ROUND_UP;
}

/* A half-space turns about points as far from its pivot as the other body can be. */
static double plane_radius(const mesh_impact *s, int body)
{
    apart_vec3 center = {0.0, 0.0, 0.0};
    double radius = 0.0;
    if (apart_solid_ball(s->solid[body], &center, &radius) != APART_OK) {
        return INFINITY;
    }
    const double arm = ap_norm(ap_sub(apart_pose_apply(&s->motion[body].start, center), s->motion[body].pivot));
    return (ap_norm(ap_sub(s->motion[0].pivot, s->motion[1].pivot)) + ap_norm(s->motion[0].linear) +
            ap_norm(s->motion[1].linear) + arm + 2.0 * radius) *
           ROUND_UP;
}

static double greatest_speed(const mesh_impact *s)
{
    const apart_motion *a = &s->motion[0], *b = &s->motion[1];
    const bool straight = a->path == APART_PATH_STRAIGHT && b->path == APART_PATH_STRAIGHT;
    double speed = straight ? ap_norm(ap_sub(b->linear, a->linear)) : ap_norm(a->linear) + ap_norm(b->linear);
    for (int i = 0; i < 2; i++) {
        const double rate = ap_norm(s->motion[i].angular);
        const double radius =
            ap_solid_is_half_space(s->solid[i]) ? plane_radius(s, 1 - i) : axis_radius(s->solid[i], &s->motion[i]);
        speed += rate > 0.0 ? rate * radius : 0.0;
    }
    return speed * ROUND_UP;
}

/* No coordinate of a solid in its own frame is larger. */
static double extent_of(apart_solid solid)
{
    if (ap_solid_is_half_space(solid)) {
        return fabs(solid.shape->u.plane.offset);
    }
    return solid.mesh != NULL       ? solid.mesh->extent
           : solid.compound != NULL ? solid.compound->extent
                                    : ap_norm(solid.shape->center) + solid.shape->bound + solid.shape->radius;
}

/* As for compounds (compound/motion.c): all lengths that positions on the paths are computed from. */
static double rounding_slack(const mesh_impact *s)
{
    double scope = ap_norm(ap_sub(s->motion[1].start.translation, s->motion[0].start.translation)), defect = 0.0;
    for (int i = 0; i < 2; i++) {
        const apart_motion *m = &s->motion[i];
        const double arm = ap_norm(ap_sub(m->pivot, m->start.translation)), extent = extent_of(s->solid[i]);
        scope += extent + ap_norm(m->linear) + 2.0 * (arm + extent);
        defect = ap_max(defect, ap_rotation_defect(&m->start.rotation));
    }
    return (AP_MOTION_ROUNDING + AP_DEFECT_SHARE * defect) * scope;
}

/* About the size of a part. */
static double part_size(apart_solid solid)
{
    const double count = solid.mesh != NULL       ? solid.mesh->triangle_count
                         : solid.compound != NULL ? solid.compound->count
                                                  : 1.0;
    return radius_of(solid) / sqrt(count);
}

/* ---- pairs of parts ---- */

/* A part and its path. */
static const apart_shape *part_at(const mesh_impact *s, int side, uint32_t number, apart_shape *memory,
                                  apart_motion *path)
{
    const apart_solid solid = s->solid[side];
    *path = s->motion[side];
    if (solid.mesh != NULL) {
        const uint32_t *corners = ap_mesh_corners(solid.mesh, number);
        *memory = apart_triangle(ap_mesh_vertex(solid.mesh, corners[0]), ap_mesh_vertex(solid.mesh, corners[1]),
                                 ap_mesh_vertex(solid.mesh, corners[2]));
        return memory;
    }
    if (solid.compound != NULL) {
        *path = apart_motion_of_part(&s->motion[side], &solid.compound->parts[number].pose);
        return &solid.compound->parts[number].shape;
    }
    return solid.shape;
}

static void note_upper(mesh_impact *s, double upper, double t)
{
    if (upper < s->best_upper) {
        s->best_upper = upper;
        s->best_t = t;
    }
}

/* Two parts in the slab. False: an error, or nothing can come earlier. */
static bool take_pair(void *context, const uint32_t part[2], double *threshold)
{
    mesh_impact *s = context;
    apart_shape memory[2];
    apart_motion path[2];
    apart_impact found;
    const apart_shape *a = part_at(s, 0, part[0], &memory[0], &path[0]);
    const apart_shape *b = part_at(s, 1, part[1], &memory[1], &path[1]);
    (void)threshold;
    s->options.cutoff = s->options.gap == APART_GAP_NONE ? 0.0 : ap_max(s->level, DBL_MIN);
    s->status = ap_impact_between(a, &path[0], b, &path[1], s->from, &s->options, &found);
    if (s->status != APART_OK) {
        return false;
    }
    s->queries++;
    s->iterations += found.iterations;
    s->separations += found.separations;
    s->lowest = ap_min(s->lowest, found.lower);
    if (found.outcome == APART_OUTCOME_CLEAR) {
        note_upper(s, found.upper, found.t);
    } else if (s->hit.outcome == APART_OUTCOME_CLEAR || found.t < s->hit.t) {
        s->hit = found;
        s->options.until = found.t;
    }
    return s->hit.outcome == APART_OUTCOME_CLEAR || s->hit.t > s->from;
}

/* ---- at a time ---- */

/* The distance at a time. A gap that is known to be above `enough` need not be known better. */
static apart_status query_at(mesh_impact *s, double t, double enough, apart_compound_result *r)
{
    const apart_options options = {.depth = APART_DEPTH_NONE, .cutoff = enough, .stats = s->asked->stats};
    apart_pose pose[2];
    s->iterations++;
    for (int i = 0; i < 2 && s->status == APART_OK; i++) {
        s->status = apart_motion_pose(&s->motion[i], t, &pose[i]);
    }
    if (s->status == APART_OK) {
        s->status = apart_compound_distance(s->solid[0], &pose[0], s->solid[1], &pose[1], &options, &s->cache, r);
    }
    if (s->status == APART_OK) {
        note_upper(s, r->result.upper + s->slack, t);
    }
    return s->status;
}

/* All pairs of parts that can come nearer than the level from s->from to `end`. */
static apart_status look_at_slab(mesh_impact *s, double end)
{
    apart_pose pose[2];
    const double middle = s->from + 0.5 * (end - s->from), span = ap_max(middle - s->from, end - middle);
    s->options.until = end;
    for (int i = 0; i < 2 && s->status == APART_OK; i++) {
        s->status = apart_motion_pose(&s->motion[i], middle, &pose[i]);
    }
    if (s->status != APART_OK) {
        return s->status;
    }
    const double threshold = (s->level + s->speed * span) * ROUND_UP + s->slack;
    const apart_status status =
        ap_level_get()->facets->offer(s->solid[0], &pose[0], s->solid[1], &pose[1], threshold, take_pair, s);
    s->status = s->status == APART_OK ? status : s->status;
    s->lowest = ap_min(s->lowest, s->level);
    return s->status;
}

/* ---- passes ---- */

typedef enum pass_verdict { PASSES, MEETS, STOPPED } pass_verdict;

/* Lowers the best upper bound by a golden section about the time t. It proves nothing. */
static void search_nearby(mesh_impact *s, double t, double width)
{
    double low = ap_max(0.0, t - width), high = ap_min(s->until, t + width), value[2];
    double at[2] = {high - GOLDEN * (high - low), low + GOLDEN * (high - low)};
    apart_compound_result r;
    for (int i = 0; i < 2; i++) {
        value[i] = query_at(s, at[i], 0.0, &r) == APART_OK ? r.result.distance : 0.0;
    }
    for (int n = 0; n < SECTIONS && s->status == APART_OK; n++) {
        const int next = value[0] < value[1] ? 0 : 1;
        if (s->speed * (high - low) < DROP_SHARE * s->tolerance) {
            return;
        }
        *(next == 0 ? &high : &low) = at[1 - next];
        at[1 - next] = at[next];
        value[1 - next] = value[next];
        at[next] = next == 0 ? high - GOLDEN * (high - low) : low + GOLDEN * (high - low);
        value[next] = query_at(s, at[next], 0.0, &r) == APART_OK ? r.result.distance : 0.0;
    }
}

static double gap_level(const mesh_impact *s)
{
    const double level = s->best_upper - NARROW_SHARE * s->tolerance;
    return s->asked->cutoff > 0.0 ? ap_min(level, s->asked->cutoff + s->slack) : level;
}

/* What a pass does at the time t, given the distance there: *next is the time until which it has looked. */
static pass_verdict step_from(mesh_impact *s, double t, const apart_result *r, double *next)
{
    const double lower = r->lower - s->slack, left = s->until - t;
    const double free = s->speed > 0.0 ? STEP_SHARE * ((lower - s->level) / s->speed) : INFINITY;
    if (free >= left && lower > s->level) {
        s->lowest = ap_min(s->lowest, lower - s->speed * left);
        return PASSES;
    }
    if (free * s->speed >= s->grain) {
        s->lowest = ap_min(s->lowest, s->level);
        *next = t + free;
        return STOPPED;
    }
    const double length = s->grain / s->speed;
    s->from = t;
    *next = length < left ? t + length : s->until;
    if (look_at_slab(s, *next) != APART_OK) {
        return STOPPED;
    }
    return s->hit.outcome != APART_OUTCOME_CLEAR ? MEETS : *next >= s->until ? PASSES : STOPPED;
}

/* Goes from 0 to the end, or to the first contact. *t: how far it came. */
static pass_verdict run_pass(mesh_impact *s, bool for_gap, double *t)
{
    double known = s->best_upper;
    *t = 0.0;
    s->lowest = INFINITY;
    while (s->iterations < s->limit) {
        apart_compound_result r;
        double next = *t;
        s->level = for_gap ? gap_level(s) : LEVEL_SHARE * s->tolerance;
        if (query_at(s, *t, (s->level + 2.0 * s->slack + s->speed * (s->until - *t)) * (1.0 + 1.0 / 512.0), &r) !=
            APART_OK) {
            return STOPPED;
        }
        if (for_gap && s->best_upper < known - DROP_SHARE * s->tolerance) {
            search_nearby(s, *t, s->grain / s->speed);
            known = s->best_upper;
            s->level = gap_level(s);
        }
        if (!for_gap && r.result.upper + s->slack <= CONTACT_SHARE * s->tolerance) {
            s->hit = (apart_impact){.outcome = APART_OUTCOME_HIT, .t = *t, .upper = r.result.upper + s->slack};
            s->lowest = ap_min(s->lowest, ap_max(r.result.lower - s->slack, 0.0));
            return MEETS;
        }
        const pass_verdict v = s->status == APART_OK ? step_from(s, *t, &r.result, &next) : STOPPED;
        if (v != STOPPED || s->status != APART_OK || !(next > *t)) {
            return v;
        }
        *t = next;
    }
    return STOPPED;
}

/* ---- the answer ---- */

static apart_status begin_impact(mesh_impact *s)
{
    const apart_motion_options *o = s->asked;
    const apart_status status = ap_motion_options_check(o);
    if (status != APART_OK) {
        return status;
    }
    s->speed = greatest_speed(s);
    s->slack = rounding_slack(s);
    if (!(s->speed <= DBL_MAX / 1024.0) || !(s->slack <= DBL_MAX / 1024.0)) {
        return APART_ERR_OVERFLOW;
    }
    const double asked =
        o->tolerance > 0.0 ? o->tolerance : DEFAULT_TOLERANCE * (radius_of(s->solid[0]) + radius_of(s->solid[1]));
    s->tolerance = ap_max(asked, SLACK_SHARE * s->slack);
    s->until = o->until > 0.0 ? o->until : 1.0;
    s->limit = o->max_iterations > 0 ? o->max_iterations : DEFAULT_ITERATIONS;
    s->grain = ap_max(SLAB_SHARE * (part_size(s->solid[0]) + part_size(s->solid[1])), s->tolerance);
    s->options = (apart_motion_options){.tolerance = s->tolerance, .stats = o->stats};
    s->best_upper = s->lowest = INFINITY;
    return APART_OK;
}

/* The second pass; `t` of the first is where nothing was found. */
static void find_smallest_gap(mesh_impact *s, apart_impact *out)
{
    double t;
    const double before = s->lowest;
    if (s->asked->cutoff > 0.0 && before >= s->asked->cutoff) {
        return;
    }
    search_nearby(s, s->best_t, SECTION_SHARE * s->until);
    s->options.gap = APART_GAP_TOLERANCE;
    const pass_verdict v = s->status == APART_OK ? run_pass(s, true, &t) : STOPPED;
    out->stop = v != STOPPED                ? APART_STOP_CONVERGED
                : s->iterations >= s->limit ? APART_STOP_ITERATIONS
                                            : APART_STOP_ROUNDING;
    s->lowest = v == PASSES ? ap_max(before, s->lowest) : before;
    if (v == PASSES && s->best_upper - s->lowest > s->tolerance) {
        out->stop = s->asked->cutoff > 0.0 && s->lowest >= s->asked->cutoff ? APART_STOP_CUTOFF : APART_STOP_ROUNDING;
    }
}

static void find_contact(mesh_impact *s, apart_impact *out)
{
    double t;
    const pass_verdict v = run_pass(s, false, &t);
    if (s->status != APART_OK) {
        return;
    }
    if (v == MEETS) {
        *out = s->hit;
        out->outcome = s->hit.outcome == APART_OUTCOME_LIMIT ? APART_OUTCOME_LIMIT : APART_OUTCOME_HIT;
    } else if (v == PASSES) {
        *out = (apart_impact){.outcome = APART_OUTCOME_CLEAR};
        if (s->asked->gap == APART_GAP_TOLERANCE) {
            find_smallest_gap(s, out);
        }
        out->t = s->best_t;
        out->upper = s->best_upper;
    } else {
        *out = (apart_impact){.outcome = APART_OUTCOME_LIMIT, .t = t, .upper = INFINITY};
        out->stop = s->iterations >= s->limit ? APART_STOP_ITERATIONS : APART_STOP_ROUNDING;
    }
    out->lower = s->lowest;
}

/* The bodies at the time of the answer, in the world. */
static apart_status write_answer(mesh_impact *s, const apart_motion *motion_a, const apart_motion *motion_b,
                                 apart_impact *out, apart_compound_impact *impact)
{
    const apart_options options = {.stats = s->asked->stats};
    apart_compound_result r;
    out->tolerance = s->tolerance;
    apart_status status = apart_motion_pose(motion_a, out->t, &out->pose_a);
    status = status == APART_OK ? apart_motion_pose(motion_b, out->t, &out->pose_b) : status;
    if (status == APART_OK) {
        status = apart_compound_distance(s->solid[0], &out->pose_a, s->solid[1], &out->pose_b, &options, &s->cache, &r);
    }
    if (status == APART_OK) {
        out->at = r.result;
        out->iterations = s->iterations + 1;
        out->separations = s->separations;
        *impact = (apart_compound_impact){*out, r.part_a, r.part_b, s->queries};
    }
    return status;
}

static apart_motion moved_by(const apart_motion *motion, apart_vec3 by)
{
    apart_motion out = *motion;
    out.start.translation = ap_sub(motion->start.translation, by);
    out.pivot = ap_sub(motion->pivot, by);
    return out;
}

apart_status ap_mesh_impact(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b,
                            const apart_motion_options *options, apart_compound_impact *impact)
{
    static const apart_motion_options defaults;
    const apart_vec3 origin = motion_a->start.translation;
    mesh_impact s = {.solid = {a, b}, .motion = {moved_by(motion_a, origin), moved_by(motion_b, origin)}};
    const apart_options at_start = {.depth = APART_DEPTH_NONE};
    apart_compound_result first;
    apart_impact out = {.outcome = APART_OUTCOME_START};
    s.asked = options != NULL ? options : &defaults;
    s.hit.outcome = APART_OUTCOME_CLEAR;
    apart_status status =
        apart_compound_distance(a, &motion_a->start, b, &motion_b->start, &at_start, &s.cache, &first);
    status = status == APART_OK ? begin_impact(&s) : status;
    if (status != APART_OK) {
        return status;
    }
    out.lower = first.result.lower;
    out.upper = first.result.upper;
    if (first.result.relation == APART_DISJOINT) {
        find_contact(&s, &out);
        status = s.status;
    }
    return status == APART_OK ? write_answer(&s, motion_a, motion_b, &out, impact) : status;
}
