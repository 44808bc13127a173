/* Random bodies and paths (Cameron 1997 section 4, items C8 and G8): hulls of points on the unit sphere, so
 * that every point is a vertex; boxes; straight paths with turns up to an angle, or wandering ones. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "text.h"

/* Different bodies of a side: more pairs than this share them in other positions. */
#define MOST_BODIES 50u

/* ---- bodies ---- */

static apart_hull *build_hull(const double *xyz, size_t n)
{
    apart_hull *hull = NULL;
    const apart_status status = apart_hull_build(xyz, n, NULL, &hull);
    if (status != APART_OK) {
        fprintf(stderr, "apart: lab: a hull of %zu points: %s\n", n, apart_status_message(status));
        exit(2);
    }
    return hull;
}

static apart_hull *random_hull(lab_random *r, uint32_t kind, uint32_t n)
{
    double *xyz = lab_allocate(3 * (size_t)n, sizeof *xyz);
    for (uint32_t i = 0; i < n; i++) {
        apart_vec3 p = lab_random_direction(r);
        if (kind == LAB_BALLS) {
            p = apart_vec3_scale(cbrt(lab_random_between(r, 0, 1)), p);
        }
        xyz[3 * i] = p.x;
        xyz[3 * i + 1] = kind == LAB_LONG ? 0.1 * p.y : p.y;
        xyz[3 * i + 2] = kind == LAB_LONG || kind == LAB_FLAT ? 0.1 * p.z : p.z;
    }
    apart_hull *hull = build_hull(xyz, n);
    free(xyz);
    return hull;
}

static apart_hull *random_box(lab_random *r, apart_shape *box)
{
    const double x = lab_random_between(r, 0.3, 1), y = lab_random_between(r, 0.3, 1),
                 z = lab_random_between(r, 0.3, 1);
    double xyz[24];
    *box = apart_box((apart_vec3){x, y, z});
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = i & 1 ? x : -x;
        xyz[3 * i + 1] = i & 2 ? y : -y;
        xyz[3 * i + 2] = i & 4 ? z : -z;
    }
    return build_hull(xyz, 8);
}

/* ---- the store of bodies ---- */

/* Enough for the sizes of an experiment that goes through them again for every motion. */
enum { STORED = 12 };

typedef struct body_set {
    uint32_t kind, n_a, n_b, count;
    uint64_t seed, used;
    apart_hull **hull[2];
    lab_polytope *polytope[2];
    apart_shape *shape[2], *box[2];
} body_set;

static body_set store[STORED];
static uint64_t uses;

static void empty_set(body_set *set)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < set->count; i++) {
            apart_hull_free(set->hull[side][i]);
            lab_polytope_free(&set->polytope[side][i]);
        }
        free(set->hull[side]);
        free(set->polytope[side]);
        free(set->shape[side]);
        free(set->box[side]);
    }
    *set = (body_set){.count = 0};
}

static void fill_set(body_set *set)
{
    lab_random r = lab_random_stream(set->seed, set->kind * 100000007u + set->n_a * 1009u + set->n_b);
    for (int side = 0; side < 2; side++) {
        set->hull[side] = lab_allocate(set->count, sizeof *set->hull[side]);
        set->polytope[side] = lab_allocate(set->count, sizeof *set->polytope[side]);
        set->shape[side] = lab_allocate(set->count, sizeof *set->shape[side]);
        set->box[side] = lab_allocate(set->count, sizeof *set->box[side]);
        for (uint32_t i = 0; i < set->count; i++) {
            const bool box = set->kind == LAB_BOXES || set->kind == LAB_ALIGNED_BOXES;
            set->hull[side][i] =
                box ? random_box(&r, &set->box[side][i]) : random_hull(&r, set->kind, side == 0 ? set->n_a : set->n_b);
            set->polytope[side][i] = lab_polytope_of(set->hull[side][i]);
            set->shape[side][i] = apart_hull_shape(set->hull[side][i]);
        }
    }
}

/* The scene's bodies: from the store, or built in the place of the set that was not used for longest. */
static const body_set *bodies_of(const lab_scene *s)
{
    const uint32_t count = s->pairs < MOST_BODIES ? s->pairs : MOST_BODIES;
    body_set *oldest = &store[0];
    for (int i = 0; i < STORED; i++) {
        body_set *set = &store[i];
        if (set->count == count && set->kind == s->kind && set->n_a == s->n_a && set->n_b == s->n_b &&
            set->seed == s->seed) {
            set->used = ++uses;
            return set;
        }
        oldest = set->used < oldest->used ? set : oldest;
    }
    empty_set(oldest);
    *oldest =
        (body_set){.kind = s->kind, .n_a = s->n_a, .n_b = s->n_b, .count = count, .seed = s->seed, .used = ++uses};
    fill_set(oldest);
    return oldest;
}

/* ---- paths ---- */

/* The next orientation: a turn about a new axis through the body's centre. */
static apart_pose turn(lab_random *r, const apart_pose *pose, double degrees, bool exactly)
{
    const apart_vec3 axis = lab_random_direction(r);
    const double share = lab_random_between(r, 0, 1);
    apart_pose change, next = *pose;
    apart_pose_from_axis_angle(axis, LAB_PI / 180 * degrees * (exactly ? 1.0 : share), (apart_vec3){0, 0, 0}, &change);
    next.translation = (apart_vec3){0, 0, 0};
    if (degrees > 0.0) {
        next = apart_pose_compose(&change, &next);
    }
    next.translation = pose->translation;
    return next;
}

static apart_pose first_pose(const lab_scene *s, lab_random *r)
{
    const apart_pose pose = lab_random_pose(r, (apart_vec3){0, 0, 0});
    return s->kind == LAB_ALIGNED_BOXES ? apart_pose_identity() : pose;
}

/* A path whose middle has the wanted distance. */
static void draw_path(const lab_scene *s, lab_random *r, apart_vec3 center, apart_pose *way)
{
    const double distance = s->distance + lab_random_between(r, -s->spread, s->spread);
    const apart_vec3 from = apart_vec3_scale(distance, lab_random_direction(r)), along = lab_random_direction(r);
    apart_pose pose = first_pose(s, r);
    pose.translation = apart_vec3_add(center, from);
    if (!s->wander) {
        pose.translation = apart_vec3_add_scaled(pose.translation, -0.5 * s->step * (s->steps - 1), along);
    }
    for (uint32_t i = 0; i < s->steps; i++) {
        way[i] = pose;
        pose = turn(r, &pose, s->turn, s->wander);
        pose.translation =
            apart_vec3_add_scaled(pose.translation, s->step, s->wander ? lab_random_direction(r) : along);
    }
}

void lab_world_build(lab_world *w, const lab_scene *scene)
{
    const body_set *set = bodies_of(scene);
    lab_random r = lab_random_stream(scene->seed, 17u + scene->kind * 100000007u + scene->n_a * 1009u + scene->n_b);
    *w = (lab_world){.scene = *scene,
                     .bodies = set->count,
                     .hull_a = set->hull[0],
                     .hull_b = set->hull[1],
                     .polytope_a = set->polytope[0],
                     .polytope_b = set->polytope[1],
                     .shape_a = set->shape[0],
                     .shape_b = set->shape[1],
                     .box_a = set->box[0],
                     .box_b = set->box[1]};
    w->pose_a = lab_allocate(scene->pairs, sizeof *w->pose_a);
    w->pose_b = lab_allocate((size_t)scene->pairs * scene->steps, sizeof *w->pose_b);
    for (uint32_t i = 0; i < scene->pairs; i++) {
        w->pose_a[i] = first_pose(scene, &r);
        draw_path(scene, &r, w->pose_a[i].translation, w->pose_b + i * scene->steps);
    }
}

void lab_world_free(lab_world *w)
{
    free(w->pose_a);
    free(w->pose_b);
}
