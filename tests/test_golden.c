/* The same bits everywhere: a hash over the results of fixed queries, cold and tracked, must not depend on the
 * compiler, its optimisation, the level for the CPU at hand, or anything else. golden_matrix.sh builds this test in
 * many ways.
 *
 * usage: test_golden [hash|all [LEVEL]]   "hash" prints the hash instead of comparing it, "all" that of motions, rays and batches
 *                                        too; LEVEL: baseline or avx2, instead of the best
 *
 * When an intended change of the arithmetic changes the hash, put the printed value below, in a commit that says
 * why. */
#include "golden.h"
#include "run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/level.h"

#define GOLDEN_HASH UINT64_C(0xb0385216f30788de)

START_TEST(every_level_gives_the_golden_hash)
{
    static const char *const names[] = {"baseline", "avx2"};
    int run = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ap_level_force(names[i])) {
            const uint64_t hash = golden_hash(false);
            ck_assert_msg(hash == GOLDEN_HASH, "%s: 0x%016" PRIx64 ", expected 0x%016" PRIx64, names[i], hash,
                          GOLDEN_HASH);
            run++;
        }
    }
    ap_level_force(NULL);
    ck_assert_int_gt(run, 0);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "hash") == 0 || strcmp(argv[1], "all") == 0)) {
        if (argc > 2 && !ap_level_force(argv[2])) {
            fprintf(stderr, "test_golden: no level %s here\n", argv[2]);
            return EXIT_FAILURE;
        }
        printf("0x%016" PRIx64 "\n", golden_hash(strcmp(argv[1], "all") == 0));
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("golden");
    TCase *t = tcase_create("golden");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, every_level_gives_the_golden_hash);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
