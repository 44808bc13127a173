/* Random bodies and ways (Cameron 1997 section 4, items C8 and G8): hulls of points on the unit sphere by Qhull, so that every point is a
 * vertex; boxes; straight ways with turns up to an angle, or wandering ones. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "text.h"
#include "vector.h"

/* Different bodies of a side: more pairs than this share them in other positions. */
#define MOST_BODIES 50u

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

static apart_hull *random_hull(lab_random *r, uint32_t n)
{
    double *xyz = lab_allocate(3 * (size_t)n, sizeof *xyz);
    for (uint32_t i = 0; i < n; i++) {
        const apart_vec3 p = lab_random_direction(r);
        xyz[3 * i] = p.x;
        xyz[3 * i + 1] = p.y;
        xyz[3 * i + 2] = p.z;
    }
    apart_hull *hull = build_hull(xyz, n);
    free(xyz);
    return hull;
}

static apart_hull *random_box(lab_random *r, apart_shape *box)
{
    const double x = lab_random_between(r, 0.3, 1), y = lab_random_between(r, 0.3, 1), z = lab_random_between(r, 0.3, 1);
    double xyz[24];
    *box = apart_box((apart_vec3){x, y, z});
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = i & 1 ? x : -x;
        xyz[3 * i + 1] = i & 2 ? y : -y;
        xyz[3 * i + 2] = i & 4 ? z : -z;
    }
    return build_hull(xyz, 8);
}

static void build_bodies(lab_world *w, lab_random *r, uint32_t n, apart_hull ***hulls, lab_polytope **polytopes, apart_shape **shapes,
                         apart_shape **boxes)
{
    *hulls = lab_allocate(w->bodies, sizeof **hulls);
    *polytopes = lab_allocate(w->bodies, sizeof **polytopes);
    *shapes = lab_allocate(w->bodies, sizeof **shapes);
    *boxes = lab_allocate(w->bodies, sizeof **boxes);
    for (uint32_t i = 0; i < w->bodies; i++) {
        (*hulls)[i] = w->scene.kind == LAB_HULLS ? random_hull(r, n) : random_box(r, &(*boxes)[i]);
        (*polytopes)[i] = lab_polytope_of((*hulls)[i]);
        (*shapes)[i] = apart_hull_shape((*hulls)[i]);
    }
}

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

/* A way whose middle has the wanted distance. */
static void draw_way(const lab_scene *s, lab_random *r, apart_vec3 center, apart_pose *way)
{
    const double distance = s->distance + lab_random_between(r, -s->spread, s->spread);
    const apart_vec3 from = lab_scale(distance, lab_random_direction(r)), along = lab_random_direction(r);
    apart_pose pose = first_pose(s, r);
    pose.translation = lab_add(center, from);
    if (!s->wander) {
        pose.translation = lab_add(pose.translation, lab_scale(-0.5 * s->step * (s->steps - 1), along));
    }
    for (uint32_t i = 0; i < s->steps; i++) {
        way[i] = pose;
        pose = turn(r, &pose, s->turn, s->wander);
        pose.translation = lab_add(pose.translation, lab_scale(s->step, s->wander ? lab_random_direction(r) : along));
    }
}

void lab_world_build(lab_world *w, const lab_scene *scene)
{
    lab_random r = lab_random_stream(scene->seed, scene->kind * 100000007u + scene->n_a * 1009u + scene->n_b);
    *w = (lab_world){.scene = *scene};
    w->bodies = scene->pairs < MOST_BODIES ? scene->pairs : MOST_BODIES;
    build_bodies(w, &r, scene->n_a, &w->hull_a, &w->polytope_a, &w->shape_a, &w->box_a);
    build_bodies(w, &r, scene->n_b, &w->hull_b, &w->polytope_b, &w->shape_b, &w->box_b);
    w->pose_a = lab_allocate(scene->pairs, sizeof *w->pose_a);
    w->pose_b = lab_allocate((size_t)scene->pairs * scene->steps, sizeof *w->pose_b);
    for (uint32_t i = 0; i < scene->pairs; i++) {
        w->pose_a[i] = first_pose(scene, &r);
        draw_way(scene, &r, w->pose_a[i].translation, w->pose_b + i * scene->steps);
    }
}

void lab_world_free(lab_world *w)
{
    for (uint32_t i = 0; i < w->bodies; i++) {
        apart_hull_free(w->hull_a[i]);
        apart_hull_free(w->hull_b[i]);
        lab_polytope_free(&w->polytope_a[i]);
        lab_polytope_free(&w->polytope_b[i]);
    }
    free(w->hull_a);
    free(w->hull_b);
    free(w->polytope_a);
    free(w->polytope_b);
    free(w->shape_a);
    free(w->shape_b);
    free(w->box_a);
    free(w->box_b);
    free(w->pose_a);
    free(w->pose_b);
}
