/* What the tests of known depths share: what a depth, its normal and its witness points mean, and bodies in several
 * forms. */
#ifndef APART_TESTS_DEPTH_ANSWERS_H
#define APART_TESTS_DEPTH_ANSWERS_H

#include <apart/apart.h>
#include <stdbool.h>

#include "pairs.h"

#define TIGHT 1e-14  /* of the size 1: polytopes, spheres, whatever has a closed form */
#define CURVED 1e-10 /* of the size 1: the promise for curved bodies */
#define ROOT_2 1.4142135623730951
#define ROOT_3 1.7320508075688772

/* minus h(m): the separation along n. */
double separation(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                  apart_vec3 n);

apart_pose moved(const apart_pose *pose, apart_vec3 by);

/* The witness points lie on the support planes, differ by distance * normal, and moving B by a - b leaves mere
 * contact. */
void check_way_out(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                   const apart_result *r, double tolerance);

/* The witness points belong to the bodies (bounded ones). */
void check_members(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                   const apart_result *r, double tolerance);

/* The M of the numerical rules: both radii and the distance of the centres. */
double magnitude(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b);

/* A cylinder, cone or ellipsoid. Not spheres and capsules: these are rounded points and segments. */
bool is_curved(const apart_shape *s);

/* Asks for the distance, which is `expected` to the tolerance, and checks all of the answer, and the swapped query's
 * distance. */
apart_result check_depth(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                         double expected, double tolerance);

void check_normal(const apart_result *r, double x, double y, double z, double tolerance);

/* The 8 corners of a box with these half extents. */
void cube_points(double *xyz, apart_vec3 h);

/* One box as a box, as points, as a hull. */
typedef struct box_forms {
    double xyz[24];
    apart_hull *hull;
    apart_shape shape[3];
} box_forms;

/* The caller frees the hull. */
void make_forms(box_forms *f, apart_vec3 h);

/* A body of random size about 1, of one of 8 kinds: 0 to 6 are round, 7 is a box. */
apart_shape curved_body(random_source *r, int kind);

#endif
