/* A cache never makes a query of bodies that overlap dearer: what the queries of a moving pair count, cold and with a
 * cache, for every depth and many shapes. Times are the benchmark's; here are iterations and support calls. */
#include "depth_answers.h"
#include "depth_checks.h"
#include "run_suite.h"

enum { PAIRS = 12, STEPS = 20 };

/* Counts of the queries after the first, on average. */
typedef struct counts {
    double iterations, supports;
} counts;

typedef struct course {
    apart_vec3 axis, way;
    double degrees; /* a step */
} course;

static apart_pose pose_of(const course *c, int step) { return turned(c->axis, c->degrees * step, c->way); }

static course random_course(random_source *r, double distance)
{
    const apart_vec3 way = random_in_ball(r);
    return (course){.axis = random_vector(r, 1.0),
                    .way = apart_vec3_scale(distance / apart_vec3_norm(way), way),
                    .degrees = 2.0};
}

/* Follows b on its course. With a cache the answers are those of cold queries, within the bounds of both. */
static counts follow(const apart_shape *a, const apart_shape *b, const course *c, int depth, bool warm)
{
    const apart_pose here = at(0, 0, 0);
    apart_cache cache = {.count = 0};
    apart_stats stats = {.queries = 0};
    counts sum = {0.0, 0.0};
    for (int step = 0; step < STEPS; step++) {
        const apart_pose there = pose_of(c, step);
        const apart_options plain = {.depth = (uint8_t)depth},
                            counted = {.depth = (uint8_t)depth, .stats = step > 0 ? &stats : NULL};
        apart_cache copy = cache;
        const apart_result r = query(a, &here, b, &there, &plain, warm ? &cache : NULL),
                           cold = query(a, &here, b, &there, &plain, NULL);
        ck_assert_int_eq(r.relation, cold.relation);
        ck_assert(r.lower <= cold.upper && cold.lower <= r.upper);
        query(a, &here, b, &there, &counted, warm ? &copy : NULL);
        sum.iterations += step > 0 ? r.iterations : 0;
    }
    return (counts){sum.iterations / (STEPS - 1), (double)stats.support_calls / (STEPS - 1)};
}

/* The averages over several pairs. */
static void compare(const apart_shape *a, const apart_shape *b, random_source *r, double distance, int depth,
                    counts average[2])
{
    average[0] = average[1] = (counts){0.0, 0.0};
    for (int i = 0; i < PAIRS; i++) {
        const course c = random_course(r, distance);
        for (int warm = 0; warm < 2; warm++) {
            const counts now = follow(a, b, &c, depth, warm == 1);
            average[warm].iterations += now.iterations / PAIRS;
            average[warm].supports += now.supports / PAIRS;
        }
    }
}

/* A hull of n points on the unit sphere. The caller frees it. */
static apart_hull *round_hull(random_source *r, size_t n)
{
    double xyz[3 * 500];
    apart_hull *hull = NULL;
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = random_in_ball(r), on = apart_vec3_scale(1.0 / apart_vec3_norm(p), p);
        xyz[3 * i] = on.x;
        xyz[3 * i + 1] = on.y;
        xyz[3 * i + 2] = on.z;
    }
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &hull), APART_OK);
    return hull;
}

START_TEST(hulls_that_overlap_stay_in_their_tetrahedron)
{
    /* Supports of a query with a cache, at most: for the depth those of a cold one, less what GJK asked for; one pair for
     * bounds; none to know that they overlap. */
    static const double most_supports[3] = {INFINITY, 2.0, 0.0};
    static const unsigned sizes[4] = {8, 20, 100, 500};
    random_source r = random_seed("hulls_that_overlap_stay_in_their_tetrahedron");
    for (int i = 0; i < 4; i++) {
        apart_hull *h[2];
        apart_shape body[2];
        for (int k = 0; k < 2; k++) {
            h[k] = round_hull(&r, sizes[i]);
            body[k] = apart_hull_shape(h[k]);
        }
        for (int depth = 0; depth < 3; depth++) {
            counts average[2];
            compare(&body[0], &body[1], &r, sizes[i] == 8 ? 0.3 : 0.8, depth, average);
            const counts cold = average[0], tracked = average[1];
            printf("n %3u depth %d: iterations %.2f -> %.2f, supports %.1f -> %.1f\n", sizes[i], depth, cold.iterations,
                   tracked.iterations, cold.supports, tracked.supports);
            ck_assert(tracked.iterations <= 1.3);
            ck_assert(tracked.supports <= most_supports[depth] + 1.0);
            ck_assert(tracked.supports <= cold.supports - 4.0);
        }
        apart_hull_free(h[0]);
        apart_hull_free(h[1]);
    }
}
END_TEST

/* Bodies that begin to overlap, as contacts do: the deciding face and a vertex behind it prove the depth by themselves
 * mostly, with one search for a support pair. */
START_TEST(shallow_overlaps_are_proved_by_their_face)
{
    random_source r = random_seed("shallow_overlaps_are_proved_by_their_face");
    static const unsigned sizes[3] = {8, 20, 100};
    for (int i = 0; i < 3; i++) {
        counts sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
        for (int pair = 0; pair < PAIRS; pair++) {
            apart_hull *h[2] = {round_hull(&r, sizes[i]), round_hull(&r, sizes[i])};
            const apart_shape a = apart_hull_shape(h[0]), b = apart_hull_shape(h[1]);
            course c = random_course(&r, 3.0);
            const apart_pose here = at(0, 0, 0), there = pose_of(&c, STEPS / 2);
            const apart_result apart = query(&a, &here, &b, &there, NULL, NULL);
            c.way = apart_vec3_add_scaled(c.way, -(apart.distance + 0.03), apart.normal);
            c.degrees = 0.05;
            c.axis = vec(1, 0, 0);
            for (int warm = 0; warm < 2; warm++) {
                const counts now = follow(&a, &b, &c, APART_DEPTH_EXACT, warm == 1);
                sum[warm].supports += now.supports / PAIRS;
            }
            apart_hull_free(h[0]);
            apart_hull_free(h[1]);
        }
        printf("n %3u: supports %.1f -> %.1f\n", sizes[i], sum[0].supports, sum[1].supports);
        ck_assert(sum[1].supports <= 0.5 * sum[0].supports);
    }
}
END_TEST

START_TEST(curved_bodies_are_never_dearer_with_a_cache)
{
    random_source r = random_seed("curved_bodies_are_never_dearer_with_a_cache");
    const apart_shape bodies[6] = {apart_capsule(0.6, 0.4),
                                   apart_box(vec(0.5, 0.6, 0.7)),
                                   apart_cylinder(0.6, 0.5),
                                   apart_cone(0.6, 0.5),
                                   apart_ellipsoid(vec(0.5, 0.6, 0.8)),
                                   apart_sphere(0.5)};
    static const double distances[2] = {0.5, 2.5}; /* overlapping, apart */
    double all[2] = {0.0, 0.0};
    for (int i = 0; i < 6; i++) {
        for (int k = 2; k < 5; k++) {
            for (int d = 0; d < 2; d++) {
                counts average[2];
                compare(&bodies[i], &bodies[k], &r, distances[d], APART_DEPTH_NONE, average);
                printf("%d %d %g: iterations %.2f -> %.2f\n", i, k, distances[d], average[0].iterations,
                       average[1].iterations);
                /* one GJK step more at most, where Newton's method was left out that took several */
                ck_assert(average[1].iterations <= average[0].iterations + (d == 0 ? 1.0 : 0.0));
                all[0] += d == 1 ? average[0].iterations : 0.0;
                all[1] += d == 1 ? average[1].iterations : 0.0;
            }
        }
    }
    ck_assert(all[1] <= 0.8 * all[0]); /* the features of the last step save the steps that found them */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("depth_tracked");
    TCase *tests = tcase_create("tracked");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, hulls_that_overlap_stay_in_their_tetrahedron);
    tcase_add_test(tests, shallow_overlaps_are_proved_by_their_face);
    tcase_add_test(tests, curved_bodies_are_never_dearer_with_a_cache);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
