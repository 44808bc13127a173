/* What some items of the papers mean, where tests of answers alone cannot fail: which vertex a query begins with, when
 * it may stop, what a warm start may claim, where a witness point lies (docs/papers.md: G3, G4, G5, C3, C5, C6, C9). */
#include <apart/apart.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "hull/search.h"
#include "hull_sets.h"
#include "run_suite.h"
#include "solvers/solvers.h"

static double xyz[3 * 2000];

/* A hull of points on the unit sphere. */
static apart_hull *sphere_hull(size_t n, uint64_t *seed)
{
    apart_hull *h = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, sphere_points(xyz, n, seed), NULL, &h), APART_OK);
    return h;
}

static apart_pose turned(double angle, apart_vec3 at)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_rpy(0.3 * angle, 0.7 * angle, angle, at, &pose), APART_OK);
    return pose;
}

/* ---- G3: the first support pair is the one of the direction from A's centre to B's ---- */

START_TEST(first_vertices_face_each_other)
{
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) {
        apart_hull *h[2] = {sphere_hull(30, &seed), sphere_hull(30, &seed)};
        const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
        apart_vec3 d = {uniform(&seed), uniform(&seed), uniform(&seed)};
        d = apart_vec3_scale(4.0 / apart_vec3_norm(d), d);
        const apart_pose pose_a = turned(0.1 * i, (apart_vec3){1.0, 2.0, 3.0});
        const apart_pose pose_b = turned(-0.2 * i, apart_vec3_add(pose_a.translation, d));
        apart_trace_step step[64];
        apart_trace trace = {.steps = step, .capacity = 64};
        const apart_options options = {.trace = &trace};
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, &options, NULL, &r), APART_OK);
        ck_assert(trace.count >= 1 && step[0].count == 1);
        /* Spheres of 30 points reach beyond 0.3 in every direction. */
        const apart_vec3 center = apart_vec3_sub(pose_a.translation, trace.origin);
        ck_assert(apart_vec3_dot(apart_vec3_sub(step[0].point_a[0], center), d) > 0.3 * 4.0);
        ck_assert(apart_vec3_dot(apart_vec3_sub(apart_vec3_sub(step[0].point_b[0], center), d), d) < -0.3 * 4.0);
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
}
END_TEST

/* ---- G5: the geometric algorithm stops when the support pair is already in the simplex ---- */

/* Prisms of 12 sides face to face: the support point is any corner of a face, often one that the simplex lacks. */
START_TEST(geometric_solver_stops_by_recurrence)
{
    uint64_t seed = 5;
    apart_hull *h = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, prism_points(xyz, 12), NULL, &h), APART_OK);
    const apart_shape prism = apart_hull_shape(h);
    for (int i = 0; i < 300; i++) {
        apart_pose pose_b;
        const apart_vec3 at = {uniform(&seed), uniform(&seed), 1.5 + 0.25 * uniform(&seed)};
        ck_assert_int_eq(apart_pose_from_rpy(0.0, 0.0, (double)i, at, &pose_b), APART_OK);
        const apart_pose pose_a = apart_pose_identity();
        apart_trace_step step[64];
        apart_trace trace = {.steps = step, .capacity = 64};
        const apart_options options = {.solver = APART_SOLVER_GEOMETRIC, .trace = &trace, .no_fallback = 1};
        apart_result r;
        ck_assert_int_eq(apart_distance(&prism, &pose_a, &prism, &pose_b, &options, NULL, &r), APART_OK);
        ck_assert(trace.count >= 1 && trace.count <= 64);
        if (r.stop != APART_STOP_CONVERGED) {
            continue;
        }
        const apart_trace_step *last = &step[trace.count - 1];
        int recurs = 0;
        for (uint32_t k = 0; k < last->count; k++) {
            recurs |= last->index_a[k] == last->support_index_a && last->index_b[k] == last->support_index_b;
        }
        ck_assert_msg(recurs, "pair %d stopped at a support pair that is not in its simplex", i);
    }
    apart_hull_free(h);
}
END_TEST

/* ---- C5: a climb begins at the vertex that the simplex has, not anywhere ---- */

/* Slow motions of hulls of 1000 vertices: from the last vertex there is next to nothing to climb; from any other, some
 * 15 edges. */
START_TEST(climbs_begin_at_the_last_vertex)
{
    uint64_t seed = 7;
    apart_hull *h[2] = {sphere_hull(1000, &seed), sphere_hull(1000, &seed)};
    const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
    const uint8_t searches[2] = {APART_SUPPORT_CLIMB, APART_SUPPORT_AUTO};
    for (int s = 0; s < 2; s++) {
        apart_cache cache = {.count = 0};
        apart_stats stats = {.queries = 0};
        for (int i = 0; i < 300; i++) {
            const apart_options options = {.support = searches[s], .stats = i > 0 ? &stats : NULL};
            const apart_pose pose_a = apart_pose_identity();
            const apart_pose pose_b = turned(1e-3 * i, (apart_vec3){3.0, 0.001 * i, -0.001 * i});
            apart_result r;
            ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, &options, &cache, &r), APART_OK);
        }
        ck_assert_msg(stats.edges_climbed <= stats.support_calls / 2, "%llu edges in %llu searches",
                      (unsigned long long)stats.edges_climbed, (unsigned long long)stats.support_calls);
    }
    apart_hull_free(h[0]);
    apart_hull_free(h[1]);
}
END_TEST

/* A search that is given a vertex looks at the rings of the vertices that it passes, and at no table of directions. */
START_TEST(a_tracked_search_looks_at_no_direction_table)
{
    uint64_t seed = 8;
    apart_hull *h = sphere_hull(1000, &seed);
    for (int i = 0; i < 200; i++) {
        const apart_vec3 d = {uniform(&seed), uniform(&seed), uniform(&seed)};
        const uint32_t farthest = ap_hull_support(h, APART_SUPPORT_SCAN, APART_NO_INDEX, d, NULL);
        ap_search_count there = {0, 0}, climb = {0, 0}, automatic = {0, 0};
        ck_assert_uint_eq(ap_hull_support(h, APART_SUPPORT_AUTO, farthest, d, &there), farthest);
        ck_assert_uint_eq(there.climbed, 0);
        const uint32_t start = (uint32_t)(7 * i) % 1000;
        ap_hull_support(h, APART_SUPPORT_CLIMB, start, d, &climb);
        ap_hull_support(h, APART_SUPPORT_AUTO, start, d, &automatic);
        ck_assert_uint_eq(automatic.visited, climb.visited);
        ck_assert_uint_eq(automatic.climbed, climb.climbed);
    }
    apart_hull_free(h);
}
END_TEST

/* ---- C3: what the cache keeps are all the pairs of the last simplex ---- */

START_TEST(a_cache_keeps_the_whole_simplex)
{
    uint64_t seed = 9;
    int kept[5] = {0};
    for (int i = 0; i < 300; i++) {
        apart_hull *h[2] = {sphere_hull(30, &seed), sphere_hull(30, &seed)};
        const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
        const apart_pose pose_a = apart_pose_identity();
        const apart_pose pose_b = turned(0.1 * i, (apart_vec3){2.2, 0.2 * uniform(&seed), 0.2 * uniform(&seed)});
        apart_cache cache = {.count = 0};
        apart_result cold, warm;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, &cache, &cold), APART_OK);
        ck_assert_uint_eq(cache.count, cold.count);
        kept[cache.count]++;
        /* At rest the simplex is the answer: one iteration. */
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, &cache, &warm), APART_OK);
        ck_assert_uint_eq(warm.iterations, 1);
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
    ck_assert_int_gt(kept[2], 10);
    ck_assert_int_gt(kept[3], 50);
}
END_TEST

/* A cache of other bodies of the same sizes may name vertices that are not there. */
START_TEST(vertices_that_are_not_there_are_not_used)
{
    uint64_t seed = 10;
    apart_hull *h = sphere_hull(20, &seed);
    const apart_shape a = apart_hull_shape(h);
    const apart_pose pose_a = apart_pose_identity(), pose_b = turned(1.0, (apart_vec3){3.0, 0.1, 0.2});
    for (uint32_t wrong = 20; wrong < 40; wrong++) {
        apart_cache cache = {.count = 0};
        apart_result cold, r;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &a, &pose_b, NULL, &cache, &cold), APART_OK);
        *(wrong % 2 == 0 ? &cache.index_a[0] : &cache.index_b[0]) = wrong;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &a, &pose_b, NULL, &cache, &r), APART_OK);
        ck_assert_msg(r.lower <= cold.upper && cold.lower <= r.upper, "vertex %u of 20 was used", wrong);
    }
    apart_hull_free(h);
}
END_TEST

/* ---- C4: the loop ends where no vertex is nearer, not before ---- */

START_TEST(the_bounds_of_an_end_meet)
{
    uint64_t seed = 14;
    for (int i = 0; i < 300; i++) {
        apart_hull *h[2] = {sphere_hull(40, &seed), sphere_hull(40, &seed)};
        const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
        const apart_pose pose_a = apart_pose_identity(), pose_b = turned(0.1 * i, (apart_vec3){2.5, 0.3, 0.2});
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
        /* C4 itself: no pair of vertices is before the plane through the closest point. */
        double nearest = INFINITY;
        for (uint32_t j = 0; j < 40; j++) {
            const apart_vec3 p = apart_pose_apply(&pose_a, apart_hull_vertex(h[0], j));
            for (uint32_t k = 0; k < 40; k++) {
                const apart_vec3 q = apart_pose_apply(&pose_b, apart_hull_vertex(h[1], k));
                nearest = fmin(nearest, apart_vec3_dot(apart_vec3_sub(q, p), r.normal));
            }
        }
        ck_assert_msg(r.distance - nearest <= 1e-13, "pair %d: a vertex is %g nearer", i, r.distance - nearest);
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
}
END_TEST

/* ---- C6: the backup rule takes the best of the legal sets ---- */

/* Flat tetrahedra on a line that passes the origin: Johnson's condition often fails for all sets. Whatever is chosen
 * may not be farther than the nearest edge or vertex, within what rounding makes of such edges. */
START_TEST(backup_rule_takes_the_nearest_set)
{
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        ap_simplex s = {.count = 4};
        const apart_vec3 along = {uniform(&seed), uniform(&seed), uniform(&seed)};
        const double thickness = pow(10.0, -14.0 - (double)(i % 3));
        double nearest = INFINITY;
        for (int k = 0; k < 4; k++) {
            const apart_vec3 noise = {uniform(&seed), uniform(&seed), uniform(&seed)};
            const double t = 0.5 + (double)k + 0.5 * uniform(&seed);
            s.vertex[k].w = apart_vec3_add(apart_vec3_scale(t, along), apart_vec3_scale(thickness, noise));
            nearest = fmin(nearest, apart_vec3_norm(s.vertex[k].w));
        }
        apart_vec3 v;
        if (!ap_solve_johnson(&s, 3, &v)) {
            ck_assert_msg(apart_vec3_norm(v) <= 1.01 * nearest, "simplex %d: %g is not nearest, %g is", i,
                          apart_vec3_norm(v), nearest);
        }
    }
}
END_TEST

/* Needles across the way to the origin, their ends doubled to rounding: the Deltas of the doubles are noise, so that the
 * condition often fails for all sets, and the nearest of the legal ones is an edge. It can also hold for a wrong set:
 * that is Johnson's known weakness, and what the share allows for. */
START_TEST(backup_rule_takes_an_edge_before_its_ends)
{
    uint64_t seed = 12;
    int asked = 0, wrong = 0;
    for (int i = 0; i < 20000; i++) {
        ap_simplex s = {.count = 4};
        const apart_vec3 offset = {uniform(&seed), uniform(&seed), uniform(&seed)};
        const apart_vec3 other = {uniform(&seed), uniform(&seed), uniform(&seed)};
        const apart_vec3 along = apart_vec3_cross(offset, other);
        const double size = apart_vec3_norm(along), distance = apart_vec3_norm(offset);
        if (size < 0.1 || distance < 0.1) {
            continue;
        }
        for (int k = 0; k < 4; k++) {
            const apart_vec3 noise = {uniform(&seed), uniform(&seed), uniform(&seed)};
            const double t = (k % 2 == 0 ? 3.0 : -2.0) / size;
            s.vertex[k].w = apart_vec3_add_scaled(apart_vec3_add_scaled(offset, t, along), 0x1p-52, noise);
        }
        apart_vec3 v;
        if (!ap_solve_johnson(&s, 3, &v)) {
            asked++;
            wrong += !(apart_vec3_norm(v) <= 1.01 * distance);
        }
    }
    ck_assert_int_gt(asked, 10000);
    ck_assert_msg(wrong < asked / 140, "%d of %d are not nearest", wrong, asked);
}
END_TEST

/* ---- C9: vertices of a warm start are climbed again before they bound the depth ---- */

START_TEST(warm_bounds_enclose_the_depth_of_turning_bodies)
{
    uint64_t seed = 13;
    int overlapping = 0;
    for (int i = 0; i < 100; i++) {
        apart_hull *h[2] = {sphere_hull(20, &seed), sphere_hull(20, &seed)};
        const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
        const apart_pose pose_a = apart_pose_identity();
        apart_cache cache = {.count = 0};
        for (int k = 0; k < 20; k++) {
            const apart_pose pose_b = turned(0.3 * k, (apart_vec3){1.2 - 0.05 * k, 0.1, 0.05});
            apart_penetration p;
            apart_result r;
            ck_assert_int_eq(apart_penetration_bounds(&a, &pose_a, &b, &pose_b, NULL, &cache, &p), APART_OK);
            ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
            if (r.relation == APART_OVERLAPPING) {
                overlapping++;
                ck_assert_msg(p.least <= -r.lower && p.most >= -r.upper, "[%g, %g] misses the depth %g", p.least,
                              p.most, -r.distance);
            }
        }
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
    ck_assert_int_gt(overlapping, 1000);
}
END_TEST

/* A search that runs out of room says so, and its bounds are those of the best direction that it met: a shift of about
 * two radii ends the overlap of two such bodies in any direction. */
START_TEST(a_search_without_room_has_bounds)
{
    uint64_t seed = 17;
    int unfinished = 0;
    for (int i = 0; i < 3; i++) {
        apart_hull *h[2] = {sphere_hull(2000, &seed), sphere_hull(2000, &seed)};
        const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
        const apart_pose pose_a = apart_pose_identity(), pose_b = turned(0.1 * i, (apart_vec3){0.001, 0.0, 0.0});
        apart_result r;
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
        ck_assert_msg(r.lower >= -2.01 && r.upper <= -1.5, "a depth in [%g, %g]", -r.upper, -r.lower);
        ck_assert(r.lower <= r.distance && r.distance <= r.upper);
        unfinished += r.stop == APART_STOP_WORKSPACE;
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
    ck_assert_int_eq(unfinished, 3);
}
END_TEST

/* ---- G4: the closest feature is the smallest that contains the witness point ---- */

/* How far p is from the line through two points, as a share of their distance; INFINITY beyond the ends. */
static double off_segment(apart_vec3 p, apart_vec3 from, apart_vec3 to)
{
    const apart_vec3 along = apart_vec3_sub(to, from), way = apart_vec3_sub(p, from);
    const double square = apart_vec3_dot(along, along), t = apart_vec3_dot(way, along) / square;
    return t < -1e-9 || t > 1.0 + 1e-9
               ? INFINITY
               : apart_vec3_norm(apart_vec3_sub(way, apart_vec3_scale(t, along))) / sqrt(square);
}

/* The vertex, edge or face of a hull that a point of its surface lies on, by looking at all of them; INTERIOR: none. */
static int find_feature(const apart_hull *h, apart_vec3 p, uint32_t *number)
{
    const double near = 1e-9;
    for (uint32_t i = 0; i < apart_hull_vertex_count(h); i++) {
        if (apart_vec3_norm(apart_vec3_sub(p, apart_hull_vertex(h, i))) < near) {
            *number = i;
            return APART_FEATURE_VERTEX;
        }
    }
    for (uint32_t e = 0; e < apart_hull_edge_count(h); e++) {
        uint32_t ends[2];
        apart_hull_edge(h, e, ends);
        if (off_segment(p, apart_hull_vertex(h, ends[0]), apart_hull_vertex(h, ends[1])) < near) {
            *number = e;
            return APART_FEATURE_EDGE;
        }
    }
    for (uint32_t f = 0; f < apart_hull_face_count(h); f++) {
        const uint32_t *vertices;
        apart_hull_face(h, f, &vertices);
        const apart_vec3 way = apart_vec3_sub(p, apart_hull_vertex(h, vertices[0]));
        if (fabs(apart_vec3_dot(way, apart_hull_face_normal(h, f))) < near) {
            *number = f;
            return APART_FEATURE_FACE;
        }
    }
    return APART_FEATURE_INTERIOR;
}

static void check_feature(const apart_hull *h, const apart_pose *pose, apart_vec3 witness, const apart_feature *f,
                          int pair)
{
    uint32_t number = APART_NO_INDEX;
    const int kind = find_feature(h, apart_pose_apply_inverse(pose, witness), &number);
    ck_assert_msg(f->kind == kind, "pair %d: %s, expected %s", pair, apart_feature_name(f->kind),
                  apart_feature_name(kind));
    ck_assert_msg(f->number == number, "pair %d: %s %u, expected %u", pair, apart_feature_name(kind), f->number,
                  number);
}

static void check_features_of_pair(uint64_t *seed, double distance, int pair, int seen[3][3])
{
    apart_hull *h[2] = {sphere_hull(12, seed), sphere_hull(12, seed)};
    const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
    const apart_pose pose_a = turned(0.4 * pair, (apart_vec3){0.5, -0.25, 1.0});
    const apart_vec3 to_b = {distance, 0.3 * uniform(seed), 0.3 * uniform(seed)};
    const apart_pose pose_b = turned(-0.3 * pair, apart_vec3_add(pose_a.translation, to_b));
    apart_result r;
    apart_feature on_a, on_b;
    ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
    ck_assert_int_eq(apart_features(&a, &pose_a, &b, &pose_b, &r, &on_a, &on_b), APART_OK);
    check_feature(h[0], &pose_a, r.a, &on_a, pair);
    check_feature(h[1], &pose_b, r.b, &on_b, pair);
    seen[on_a.kind][on_b.kind]++;
    apart_hull_free(h[0]);
    apart_hull_free(h[1]);
}

START_TEST(features_of_random_hulls)
{
    const double distances[2] = {2.5, 1.2}; /* apart, and overlapping */
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 15;
        int seen[3][3] = {{0}};
        for (int pair = 0; pair < 1000; pair++) {
            check_features_of_pair(&seed, distances[k], pair, seen);
        }
        ck_assert_int_gt(seen[APART_FEATURE_EDGE][APART_FEATURE_EDGE], 50);
        ck_assert_int_gt(seen[APART_FEATURE_VERTEX][APART_FEATURE_FACE], 50);
        ck_assert_int_gt(seen[APART_FEATURE_FACE][APART_FEATURE_VERTEX], 50);
        ck_assert_msg(k == 1 || seen[APART_FEATURE_VERTEX][APART_FEATURE_VERTEX] > 20, "vertex before vertex: %d",
                      seen[APART_FEATURE_VERTEX][APART_FEATURE_VERTEX]);
    }
}
END_TEST

/* A ball before each face of a box, deep inside it too: the face's number, and corners that lie on it. */
START_TEST(faces_of_a_box_have_their_numbers)
{
    const apart_shape box = apart_box((apart_vec3){1.0, 2.0, 3.0}), ball = apart_sphere(0.5);
    const apart_pose here = apart_pose_identity();
    const double half[3] = {1.0, 2.0, 3.0}, places[2] = {0.75, -0.1};
    for (int side = 0; side < 6; side++) {
        for (int deep = 0; deep < 2; deep++) {
            double at[3] = {0.11, 0.12, 0.13};
            at[side / 2] = (side % 2 ? 1.0 : -1.0) * (half[side / 2] + places[deep]);
            const apart_pose there = apart_pose_translation(at[0], at[1], at[2]);
            apart_result r;
            apart_feature f;
            ck_assert_int_eq(apart_distance(&box, &here, &ball, &there, NULL, NULL, &r), APART_OK);
            ck_assert_int_eq(apart_features(&box, &here, &ball, &there, &r, &f, NULL), APART_OK);
            ck_assert_int_eq(f.kind, APART_FEATURE_FACE);
            ck_assert_int_eq((int)f.number, side);
            for (int i = 0; i < f.count; i++) {
                ck_assert_int_eq((int)(f.index[i] >> (side / 2) & 1u), side % 2);
            }
        }
    }
}
END_TEST

/* A point of weight 0 carries nothing: the feature is that of the others. */
START_TEST(points_of_weight_zero_carry_nothing)
{
    uint64_t seed = 16;
    apart_hull *h[2] = {sphere_hull(12, &seed), sphere_hull(12, &seed)};
    const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
    for (int i = 0; i < 300; i++) {
        const apart_pose pose_a = apart_pose_identity(), pose_b = turned(0.1 * i, (apart_vec3){2.5, 0.1, 0.2});
        apart_result r;
        apart_feature before[2], after[2];
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r), APART_OK);
        ck_assert_int_eq(apart_features(&a, &pose_a, &b, &pose_b, &r, &before[0], &before[1]), APART_OK);
        ck_assert_int_lt(r.count, 4);
        r.lambda[r.count] = 0.0;
        r.index_a[r.count] = (r.index_a[0] + 1) % 12;
        r.index_b[r.count] = (r.index_b[0] + 5) % 12;
        r.count++;
        ck_assert_int_eq(apart_features(&a, &pose_a, &b, &pose_b, &r, &after[0], &after[1]), APART_OK);
        for (int side = 0; side < 2; side++) {
            ck_assert_int_eq(after[side].kind, before[side].kind);
            ck_assert_uint_eq(after[side].number, before[side].number);
            ck_assert_int_eq(after[side].count, before[side].count);
        }
    }
    apart_hull_free(h[0]);
    apart_hull_free(h[1]);
}
END_TEST

/* ---- C9: every direction that the search asks bounds the depth, and the answer keeps the least of them ---- */

START_TEST(a_search_that_ends_early_keeps_its_least_bound)
{
    static _Alignas(64) unsigned char memory[APART_DEPTH_CACHE_BYTES(8)];
    uint64_t seed = 19;
    apart_hull *h[2] = {sphere_hull(60, &seed), sphere_hull(60, &seed)};
    const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
    int early = 0;
    for (int i = 0; i < 400; i++) {
        const apart_vec3 off = {0.5 * uniform(&seed), 0.5 * uniform(&seed), 0.5 * uniform(&seed)};
        const apart_pose pose_a = turned(3.0 * uniform(&seed), (apart_vec3){0}),
                         pose_b = turned(3.0 * uniform(&seed), off);
        apart_trace_step step[100];
        apart_trace trace = {.steps = step, .capacity = 100};
        apart_depth_cache *cache = NULL;
        apart_result r;
        ck_assert_int_eq(apart_depth_cache_init(memory, sizeof memory, &cache), APART_OK);
        const apart_options options = {.trace = &trace, .depth_cache = cache};
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, &options, NULL, &r), APART_OK);
        ck_assert(trace.count <= trace.capacity);
        for (uint32_t k = 0; k < trace.count; k++) {
            if (step[k].upper < 0.0) { /* a face of the surface, not yet a step of GJK */
                ck_assert_msg(r.lower >= step[k].lower - 1e-9, "%d: depth up to %.17g, a face had %.17g", i, -r.lower,
                              -step[k].lower);
            }
        }
        early += r.stop == APART_STOP_WORKSPACE;
    }
    ck_assert_int_gt(early, 100);
    apart_hull_free(h[0]);
    apart_hull_free(h[1]);
}
END_TEST

/* ---- C11: a query of large hulls transforms the vertices that it finds, and no others ---- */

START_TEST(vertices_are_transformed_on_demand)
{
    uint64_t seed = 29;
    apart_hull *h[2] = {sphere_hull(400, &seed), sphere_hull(400, &seed)};
    const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
    for (int i = 0; i < 100; i++) {
        const apart_pose pose_a = turned(0.3 * i, (apart_vec3){0}),
                         pose_b = turned(-0.2 * i, (apart_vec3){3.0, 1.0, 0.5});
        apart_stats stats = {0};
        apart_result r;
        const apart_options options = {.solver = APART_SOLVER_JOHNSON, .support = APART_SUPPORT_CLIMB, .stats = &stats};
        ck_assert_int_eq(apart_distance(&a, &pose_a, &b, &pose_b, &options, NULL, &r), APART_OK);
        ck_assert_msg(stats.vertices_transformed >= stats.support_calls &&
                          stats.vertices_transformed <= stats.support_calls + 8,
                      "%d: %llu transformed for %llu searches", i, (unsigned long long)stats.vertices_transformed,
                      (unsigned long long)stats.support_calls);
    }
    apart_hull_free(h[0]);
    apart_hull_free(h[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("paper_items");
    TCase *tc = tcase_create("items");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, first_vertices_face_each_other);
    tcase_add_test(tc, geometric_solver_stops_by_recurrence);
    tcase_add_test(tc, climbs_begin_at_the_last_vertex);
    tcase_add_test(tc, a_tracked_search_looks_at_no_direction_table);
    tcase_add_test(tc, a_cache_keeps_the_whole_simplex);
    tcase_add_test(tc, vertices_that_are_not_there_are_not_used);
    tcase_add_test(tc, the_bounds_of_an_end_meet);
    tcase_add_test(tc, backup_rule_takes_the_nearest_set);
    tcase_add_test(tc, backup_rule_takes_an_edge_before_its_ends);
    tcase_add_test(tc, warm_bounds_enclose_the_depth_of_turning_bodies);
    tcase_add_test(tc, a_search_without_room_has_bounds);
    tcase_add_test(tc, a_search_that_ends_early_keeps_its_least_bound);
    tcase_add_test(tc, features_of_random_hulls);
    tcase_add_test(tc, faces_of_a_box_have_their_numbers);
    tcase_add_test(tc, points_of_weight_zero_carry_nothing);
    tcase_add_test(tc, vertices_are_transformed_on_demand);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
