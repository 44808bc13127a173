/* What the tests of apart_distance share: a query that must run, and what every answer must satisfy. */
#ifndef APART_TESTS_DISTANCE_CHECKS_H
#define APART_TESTS_DISTANCE_CHECKS_H

#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>

#include "poses.h"

#define EPS DBL_EPSILON

static inline apart_result query(const apart_shape *a, apart_pose pose_a, const apart_shape *b, apart_pose pose_b,
                                 const apart_options *options)
{
    apart_result r;
    const apart_status status = apart_distance(a, &pose_a, b, &pose_b, options, NULL, &r);
    ck_assert_msg(status == APART_OK, "%s", apart_status_message(status));
    return r;
}

/* Of the bounds; 0 if there is no lower one. */
static inline double width(const apart_result *r) { return isfinite(r->lower) ? r->upper - r->lower : 0.0; }

/* What every result must satisfy. */
static inline void check_form(const apart_result *r)
{
    ck_assert(isfinite(r->distance) && isfinite(r->upper) && !isnan(r->lower));
    ck_assert(r->lower <= r->distance && r->distance <= r->upper);
    ck_assert_double_eq_tol(apart_vec3_norm(r->normal), 1.0, 4.0 * EPS);
    const double most = fmax(fmax(apart_vec3_norm(r->a), apart_vec3_norm(r->b)), fabs(r->distance));
    const double slack = isfinite(r->lower) ? r->upper - r->lower : INFINITY;
    ck_assert_double_le(apart_vec3_norm(apart_vec3_add_scaled(apart_vec3_sub(r->b, r->a), -r->distance, r->normal)),
                        4.0 * EPS * most + slack);
    ck_assert(r->count >= 1 && r->count <= 4);
    switch (r->relation) {
    case APART_DISJOINT:
    case APART_BEYOND: ck_assert(r->lower > 0.0); break;
    case APART_OVERLAPPING: ck_assert(r->upper < 0.0 || r->lower == -INFINITY); break;
    default: ck_assert(r->lower <= 0.0 && r->upper >= 0.0); break;
    }
}

/* The expected value within the bounds (it is a rounded number itself), and the bounds a few dozen eps of `size`
 * apart. */
static inline void check_distance(const apart_result *r, double expected, double size, const char *what)
{
    check_form(r);
    const double own = 2.0 * EPS * size;
    ck_assert_msg(fabs(r->distance - expected) <= 64.0 * EPS * size, "%s: %.17g, expected %.17g", what, r->distance,
                  expected);
    ck_assert_msg(r->lower <= expected + own && r->upper >= expected - own, "%s: [%.17g, %.17g] misses %.17g", what,
                  r->lower, r->upper, expected);
    ck_assert_msg(r->upper - r->lower <= 256.0 * EPS * size, "%s: bounds %.3g wide", what, r->upper - r->lower);
}

#endif
