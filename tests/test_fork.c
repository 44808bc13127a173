/* A child of fork() after calls on several threads: it answers as its parent did. Without the check in
 * base/parallel.c, it waits for ever for threads that only its parent has. */
#define _POSIX_C_SOURCE 200809L
#include <apart/apart.h>
#include <check.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run_suite.h"

enum { PAIRS = 2000, BODIES = 400, THREADS = 2, PATIENCE = 20 };

typedef struct answers {
    apart_result pairs[PAIRS];
    apart_world_pair near[BODIES];
    size_t found;
} answers;

static answers before, after;
static apart_world *world;

/* All pairs in a batch, and the near pairs of a world, which keeps no pairs: every call has all of the work. */
static void answer(answers *out)
{
    const apart_shape a = apart_cylinder(1.0, 1.0), b = apart_cone(1.0, 1.0);
    const apart_pose at_origin = apart_pose_identity();
    apart_pose away[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        away[i] = apart_pose_translation(3.0 + 1e-3 * i, 1.0, 0.0);
    }
    const apart_batch batch = {.count = PAIRS,
                               .a = {.shapes = &a, .poses = &at_origin},
                               .b = {.shapes = &b, .poses = away, .pose_stride = sizeof *away},
                               .results = out->pairs,
                               .result_stride = sizeof *out->pairs,
                               .threads = THREADS};
    size_t failed = PAIRS;
    ck_assert_int_eq(apart_distance_batch(&batch, NULL, &failed), APART_OK);
    ck_assert_uint_eq(failed, 0);
    apart_world_list list = {.pairs = out->near, .capacity = BODIES};
    ck_assert_int_eq(apart_world_below(world, 0.6, &list), APART_OK);
    out->found = list.count;
}

static void make_world(void)
{
    const apart_world_options options = {.threads = THREADS, .max_pairs = 1};
    ck_assert_int_eq(apart_world_create(&options, &world), APART_OK);
    for (int i = 0; i < BODIES; i++) {
        const apart_shape sphere = apart_sphere(0.25);
        const apart_body_def def = {.solid = apart_solid_shape(&sphere), .pose = apart_pose_translation(i, 0.0, 0.0)};
        apart_body_id id;
        ck_assert_int_eq(apart_world_add(world, &def, &id), APART_OK);
    }
}

START_TEST(a_child_answers_as_its_parent)
{
    make_world();
    answer(&before);
    ck_assert_uint_eq(before.found, BODIES - 1);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(PATIENCE);
        answer(&after);
        _exit(memcmp(&before, &after, sizeof before) == 0 ? 0 : 1);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFSIGNALED(status), "the child was ended by signal %d", WTERMSIG(status));
    ck_assert_msg(WEXITSTATUS(status) == 0, "the child's answers differ");
    answer(&after); /* the parent still has its threads */
    ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
    apart_world_free(world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fork");
    TCase *test_case = tcase_create("fork");
    suite_add_tcase(suite, test_case);
    tcase_set_timeout(test_case, 4 * PATIENCE);
    tcase_add_test(test_case, a_child_answers_as_its_parent);
    return run_suite(suite);
}
