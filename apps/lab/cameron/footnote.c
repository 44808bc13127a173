/* The counts of Cameron 1997's footnote 2 (item C6): Johnson's sub-algorithm on n points has n 2^(n-1) values, and
 * costs n (n - 1) (2^(n-2) - 1) multiplications that are not by 1 and n (n + 1) / 2 dot products. */
#include "../experiments.h"
#include "../kit.h"
#include "../random.h"

/* The table's answer is used too: the sub-algorithm's distance must be that of the library on the same points. */
static void check_answers(lab_section *s)
{
    lab_random r = lab_random_stream(s->settings->seed, 6);
    lab_scene scene = {.kind = LAB_HULLS,
                       .n_a = 4,
                       .n_b = 4,
                       .pairs = lab_size(s, 200, 50),
                       .steps = 4,
                       .wander = 1,
                       .distance = 3,
                       .step = 0.2,
                       .turn = 60,
                       .seed = lab_random_bits(&r)};
    const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN, LAB_JOHNSON_SCAN};
    uint64_t wrong[2] = {0, 0};
    lab_check_scene(s, &scene, ids, 2, false, scene.pairs * scene.steps, wrong);
    lab_must(s, wrong[0] == 0, "the sub-algorithm finds the proved distance of %u pairs of tetrahedra: %llu differ",
             scene.pairs * scene.steps, (unsigned long long)wrong[0]);
}

static void run(lab_section *s)
{
    lab_random r = lab_random_stream(s->settings->seed, 5);
    static double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], delta[1u << LAB_JOHNSON_MAX][LAB_JOHNSON_MAX];
    apart_vec3 x[LAB_JOHNSON_MAX];
    bool all = true;
    lab_table t;
    lab_paper(s, "Footnote 2: for n points Johnson's sub-algorithm has n·2<sup>n−1</sup> values in total, requiring "
                 "n(n−1)(2<sup>n−2</sup>−1) non-trivial multiplications and n(n+1)/2 dot products.");
    lab_here(s,
             "The table is computed for 1 to %d random points and its operations are counted; a dot product is 3 "
             "multiplications. The library's own solver is held to the same numbers by its test "
             "<code>johnson_counts</code>.",
             LAB_JOHNSON_MAX);
    lab_table_init(&t, "Johnson's table",
                   "points|values|by the footnote|multiplications|by the footnote|dot products|by the footnote");
    FILE *csv = lab_csv_open(
        s, "footnote",
        "points,values,values_formula,multiplications,multiplications_formula,dot_products,dot_products_formula");
    for (unsigned n = 1; n <= LAB_JOHNSON_MAX; n++) {
        lab_operations ops = {0};
        for (unsigned i = 0; i < n; i++) {
            x[i] = lab_random_direction(&r);
        }
        lab_johnson_dots(n, x, dots, &ops);
        const unsigned products = (unsigned)ops.solver / 3;
        ops.solver = 0;
        const unsigned values = lab_johnson_table(n, dots, delta, &ops), multiplications = (unsigned)ops.solver;
        const unsigned expected[3] = {n << (n - 1), n < 2 ? 0 : n * (n - 1) * ((1u << (n - 2)) - 1), n * (n + 1) / 2};
        all = all && values == expected[0] && multiplications == expected[1] && products == expected[2];
        lab_table_row(&t, "%u|%u|%u|%u|%u|%u|%u", n, values, expected[0], multiplications, expected[1], products,
                      expected[2]);
        fprintf(csv, "%u,%u,%u,%u,%u,%u,%u\n", n, values, expected[0], multiplications, expected[1], products,
                expected[2]);
    }
    lab_csv_close(csv);
    lab_show_table(s, &t);
    lab_must(s, all, "all three counts are the footnote's, exactly, for 1 to %d points", LAB_JOHNSON_MAX);
    check_answers(s);
    lab_conclude_answers(s);
    lab_progress(s, 1.0);
}

const lab_experiment lab_footnote = {"footnote", "footnote2", "Cameron 1997, footnote 2 (C6)",
                                     "What Johnson's sub-algorithm costs", run};
