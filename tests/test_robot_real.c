/* Real robots: certified minima of random motions, by hulls, by triangles and of splines, against dense sampling.
 *     test_robot_real [MOTIONS [SAMPLES [NAME [SEED]]]]     (make campaign-robots: 1000 10000, of five robots)
 * The robots are data of others beside the source tree; where they are missing the test says so. */
#include <check.h>

#include <string.h>

#include "robots.h"
#include "run_suite.h"

static uint64_t motions = 6, samples = 300;
static const char *only = "";
static uint64_t first_seed = 7;

static const struct {
    const char *name, *file, *srdf;
    size_t links, variables;
} robots[] = {
    {"Panda", "panda_vamp/panda.urdf", "panda_vamp/panda.srdf", 13, 7},
    {"UR5 with gripper", "ur5_robotiq/ur5.urdf", "ur5_robotiq/ur5.srdf", 22, 6},
    {"Fetch", "fetch/fetch.urdf", "fetch/fetch.srdf", 17, 8},
    {"TALOS", "talos/example-robot-data/robots/talos_data/robots/talos_reduced.urdf",
     "talos/example-robot-data/robots/talos_data/srdf/talos.srdf", 60, 32},
    {"Panda in MJCF", "panda_mjcf/panda.xml", NULL, 12, 8},
    {"WX250s in MJCF", "wx250s_mjcf/scene.xml", NULL, 10, 7},
    {"Baxter in Collada", "baxter_collada/example-robot-data/robots/baxter_description/urdf/baxter.urdf", NULL, 57, 17},
    {"Jaco in glTF", "jaco_gltf/drake_models/jaco_description/urdf/j2s7s300.urdf", NULL, 16, 10},
};

static apart_robot *load(size_t i, uint8_t as)
{
    const apart_robot_read_options options = {.as = as};
    char path[500];
    apart_robot *r = NULL;
    apart_io_error error;
    snprintf(path, sizeof path, "%s/%s", TEST_ROBOTS, robots[i].file);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        printf("skipped: %s is missing\n", path);
        return NULL;
    }
    fclose(file);
    ck_assert_msg(apart_robot_read(path, &options, &r, &error) == APART_OK, "%s", error.message);
    snprintf(path, sizeof path, "%s/%s", TEST_ROBOTS, robots[i].srdf != NULL ? robots[i].srdf : "");
    ck_assert_msg(robots[i].srdf == NULL || apart_robot_read_srdf(path, NULL, r, &error) == APART_OK, "%s",
                  error.message);
    return r;
}

/* The first five robots are looked at by triangles too. */
enum { MOST_VARIABLES = 64, TRIANGLE_ROBOTS = 5 };

/* A random motion, and where its numbers are. */
typedef struct motion {
    double q0[MOST_VARIABLES], q1[MOST_VARIABLES], v0[MOST_VARIABLES], v1[MOST_VARIABLES], a0[MOST_VARIABLES],
        a1[MOST_VARIABLES];
    apart_robot_segment segment;
} motion;

/* Over the whole range, a tenth and a hundredth of it. Velocities and accelerations at the ends of a spline are of the
 * size of the way. */
static void draw_motion(const apart_robot *r, uint64_t number, int degree, uint64_t *seed, motion *m)
{
    const double share = number % 3 == 0 ? 1.0 : (number % 3 == 1 ? 0.1 : 0.01);
    double *const rows[6] = {m->q0, m->q1, m->v0, m->v1, m->a0, m->a1};
    const size_t n = apart_robot_variable_count(r);
    for (int k = 0; k < 6; k++) {
        apart_robot_random(r, seed, rows[k]);
    }
    for (size_t v = 0; v < n; v++) {
        for (int k = 1; k < 6; k++) {
            rows[k][v] = (k == 1 ? m->q0[v] : 0.0) + share * (rows[k][v] - m->q0[v]);
        }
    }
    m->segment = (apart_robot_segment){degree, 1.5, m->q0, m->q1, m->v0, m->v1, m->a0, m->a1};
}

/* The smallest distance of all pairs at many moments; only pairs that may be nearer than the best are looked at. */
static double sample(apart_robot_work *work, const apart_robot *r, const apart_robot_segment *segment)
{
    double least = INFINITY, q[MOST_VARIABLES];
    for (uint64_t i = 0; i <= samples; i++) {
        apart_robot_near near;
        apart_robot_segment_at(r, segment, (double)i / (double)samples, q);
        ck_assert_int_eq(apart_robot_set(work, q), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(work, &near), APART_OK);
        least = fmin(least, near.at.result.lower);
    }
    return least;
}

/* How far a sample may be above the minimum between samples: half a step, as fast as any pair may move. */
static double between_samples(apart_robot_work *work, const apart_robot_segment *segment, size_t pair)
{
    return apart_robot_speed_bound(work, pair, segment, 0.5, 0.5) * 0.5 / (double)samples;
}

static void check_motions(const apart_robot *r, apart_robot_work *work, const char *name, int degree, bool may_be_late)
{
    const double tolerance = 1e-3 * apart_robot_reach(r);
    const apart_robot_motion_options options = {.tolerance = tolerance};
    double widest = 0.0, closest = INFINITY;
    uint64_t seed = first_seed, late = 0;
    for (uint64_t i = 0; i < motions; i++) {
        apart_robot_gap gap;
        motion m;
        draw_motion(r, i, degree, &seed, &m);
        ck_assert_int_eq(apart_robot_segment_motion(work, &m.segment, &options, &gap), APART_OK);
        const double sampled = sample(work, r, &m.segment);
        ck_assert_msg(gap.lower <= sampled, "%s, degree %d, motion %d: certified %.17g, sampled %.17g", name, degree,
                      (int)i, gap.lower, sampled);
        late += gap.upper - gap.lower > tolerance * (1.0 + 1e-9);
        ck_assert_msg(sampled - gap.upper <= between_samples(work, &m.segment, gap.pair),
                      "%s, degree %d, motion %d: certified to be at most %.17g, sampled %.17g", name, degree, (int)i,
                      gap.upper, sampled);
        widest = fmax(widest, sampled - gap.lower);
        closest = fmin(closest, sampled - gap.lower);
    }
    printf("%s, degree %d: %zu pairs, %d motions; the sampled minimum is above the certified one by %.3g to %.3g, "
           "tolerance %.3g, not reached by %d\n",
           name, degree, apart_robot_pair_count(apart_robot_work_cell(work)), (int)motions, closest, widest, tolerance,
           (int)late);
    ck_assert(may_be_late || late == 0);
}

static void check_robot(const apart_robot *r, const char *name, bool splines)
{
    apart_robot_cell *cell;
    apart_robot_work *work;
    ck_assert_uint_le(apart_robot_variable_count(r), MOST_VARIABLES);
    ck_assert_int_eq(apart_robot_cell_create(r, NULL, &cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(cell, &work), APART_OK);
    for (int degree = 1; degree <= (splines ? 5 : 1); degree += 2) {
        check_motions(r, work, name, degree, !splines);
    }
    apart_robot_work_free(work);
    apart_robot_cell_free(cell);
}

START_TEST(certified_minima_of_real_robots_hold)
{
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        apart_robot *r = strstr(robots[i].name, only) != NULL ? load(i, APART_AS_AUTO) : NULL;
        if (r != NULL) {
            ck_assert_uint_eq(apart_robot_link_count(r), robots[i].links);
            ck_assert_uint_eq(apart_robot_variable_count(r), robots[i].variables);
            check_robot(r, robots[i].name, true);
        }
        apart_robot_free(r);
    }
}
END_TEST

/* Surfaces, triangle by triangle. Where they overlap, their depth is not known to the tolerance. */
START_TEST(certified_minima_by_triangles_hold)
{
    for (size_t i = 0; i < TRIANGLE_ROBOTS; i++) {
        char name[100];
        apart_robot *r = strstr(robots[i].name, only) != NULL ? load(i, APART_AS_SURFACE) : NULL;
        snprintf(name, sizeof name, "%s by triangles", robots[i].name);
        if (r != NULL) {
            check_robot(r, name, false);
        }
        apart_robot_free(r);
    }
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite = suite_create("robot_real");
    TCase *all = tcase_create("robot_real");
    motions = argc > 1 ? strtoull(argv[1], NULL, 10) : motions;
    samples = argc > 2 ? strtoull(argv[2], NULL, 10) : samples;
    only = argc > 3 ? argv[3] : only;
    first_seed = argc > 4 ? strtoull(argv[4], NULL, 10) : first_seed;
    tcase_set_timeout(all, 0);
    tcase_add_test(all, certified_minima_of_real_robots_hold);
    tcase_add_test(all, certified_minima_by_triangles_hold);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
