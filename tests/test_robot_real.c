/* Real robots: certified minima of random motions against dense sampling.
 *     test_robot_real [MOTIONS [SAMPLES]]     (1000 10000: the full campaign)
 * The robots are data of others beside the source tree; where they are missing the test says so. */
#include <check.h>

#include "robots.h"
#include "run_suite.h"

static uint64_t motions = 6, samples = 300;

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

static apart_robot *load(size_t i)
{
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
    ck_assert_msg(apart_robot_read(path, NULL, &r, &error) == APART_OK, "%s", error.message);
    snprintf(path, sizeof path, "%s/%s", TEST_ROBOTS, robots[i].srdf != NULL ? robots[i].srdf : "");
    ck_assert_msg(robots[i].srdf == NULL || apart_robot_read_srdf(path, NULL, r, &error) == APART_OK, "%s",
                  error.message);
    return r;
}

/* The smallest distance of all pairs at many moments; only pairs that may be nearer than the best are looked at. */
static double sample(apart_robot_work *work, const double *q0, const double *q1, size_t n)
{
    double least = INFINITY, q[64];
    for (uint64_t i = 0; i <= samples; i++) {
        apart_robot_near near;
        for (size_t v = 0; v < n; v++) {
            q[v] = q0[v] + (double)i / (double)samples * (q1[v] - q0[v]);
        }
        ck_assert_int_eq(apart_robot_set(work, q), APART_OK);
        ck_assert_int_eq(apart_robot_nearest(work, &near), APART_OK);
        least = fmin(least, near.at.result.lower);
    }
    return least;
}

static void check_robot(const apart_robot *r, const char *name)
{
    apart_robot_cell *cell;
    apart_robot_work *work;
    double q0[64], q1[64], widest = 0.0, closest = INFINITY;
    uint64_t seed = 7;
    const size_t n = apart_robot_variable_count(r);
    const double tolerance = 1e-3 * apart_robot_reach(r);
    const apart_robot_motion_options options = {.tolerance = tolerance};
    ck_assert_int_eq(apart_robot_cell_create(r, NULL, &cell), APART_OK);
    ck_assert_int_eq(apart_robot_work_create(cell, &work), APART_OK);
    for (uint64_t i = 0; i < motions; i++) {
        apart_robot_gap gap;
        const double share = i % 3 == 0 ? 1.0 : (i % 3 == 1 ? 0.1 : 0.01);
        apart_robot_random(r, &seed, q0);
        apart_robot_random(r, &seed, q1);
        for (size_t v = 0; v < n; v++) {
            q1[v] = q0[v] + share * (q1[v] - q0[v]);
        }
        ck_assert_int_eq(apart_robot_motion(work, q0, q1, &options, &gap), APART_OK);
        const double sampled = sample(work, q0, q1, n);
        ck_assert_msg(gap.lower <= sampled, "%s, motion %d: certified %.17g, sampled %.17g", name, (int)i, gap.lower,
                      sampled);
        ck_assert_double_le(gap.upper - gap.lower, tolerance * (1.0 + 1e-9));
        widest = fmax(widest, sampled - gap.lower);
        closest = fmin(closest, sampled - gap.lower);
    }
    printf("%s: %zu pairs; the sampled minimum is above the certified one by %.3g to %.3g, tolerance %.3g\n", name,
           apart_robot_pair_count(cell), closest, widest, tolerance);
    apart_robot_work_free(work);
    apart_robot_cell_free(cell);
}

START_TEST(certified_minima_of_real_robots_hold)
{
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        apart_robot *r = load(i);
        if (r != NULL) {
            ck_assert_uint_eq(apart_robot_link_count(r), robots[i].links);
            ck_assert_uint_eq(apart_robot_variable_count(r), robots[i].variables);
            check_robot(r, robots[i].name);
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
    tcase_set_timeout(all, 0);
    tcase_add_test(all, certified_minima_of_real_robots_hold);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
