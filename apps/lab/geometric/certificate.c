/* Where each algorithm's answers go wrong without the certificate (items G7, G8), counted over kinds of trouble. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"
#include "../pair.h"

static const lab_algorithm_id ids[] = {LAB_PRINTED_SCAN,  LAB_PRINTED_CLIMB,
                                       LAB_JOHNSON_SCAN,  LAB_GEOMETRIC_SCAN,
                                       LAB_JOHNSON_CLIMB, LAB_GEOMETRIC_CLIMB,
                                       LAB_VORONOI_SCAN,  LAB_LEAST_SQUARES_SCAN,
                                       LAB_VOLUMES_SCAN,  LAB_OURS};
enum { COUNT = sizeof ids / sizeof ids[0], OURS = COUNT - 1, KINDS = 9 };

static const struct {
    lab_trouble trouble;
    double amount;
    const char *name;
} kinds[KINDS] = {
    {LAB_TROUBLE_NONE, 0, "random hulls of 20"},         {LAB_TROUBLE_NEAR, 1e-9, "gap of 1e-9"},
    {LAB_TROUBLE_TILT, 1e-9, "faces tilted by 1e-9"},    {LAB_TROUBLE_TILT, 0, "parallel faces"},
    {LAB_TROUBLE_LATTICE, 0, "boxes on a lattice"},      {LAB_TROUBLE_NEEDLE, 1e-7, "needles, width 1e-7"},
    {LAB_TROUBLE_PLATE, 1e-9, "plates, thickness 1e-9"}, {LAB_TROUBLE_SCALE, 1e-6, "sizes 1 and 1e-6"},
    {LAB_TROUBLE_OFFSET, 1e8, "offset of 1e8"},
};

/* Wrong: off by more than 1e-9 of the size, contact where there is none, or none where there is. Open: the library's
 * own bounds show it. */
typedef struct tally {
    uint64_t wrong, told, pairs;
} tally;

static void ask(const lab_pair *p, int i, apart_result *r)
{
    const lab_algorithm *a = &lab_algorithms[ids[i]];
    if (a->printed) {
        const lab_routine_options how = {.climb = a->climb, .stop = LAB_STOP_GAP};
        lab_routine_cache cold = {0};
        lab_routine_answer answer;
        lab_routine(&p->polytope_a, &p->pose_a, &p->polytope_b, &p->pose_b, &how, &cold, NULL, &answer);
        *r = (apart_result){.distance = answer.distance,
                            .lower = answer.distance,
                            .upper = answer.distance,
                            .relation = answer.interferes ? APART_OVERLAPPING : APART_DISJOINT};
        return;
    }
    const apart_options o = {.solver = a->solver,
                             .support = a->support,
                             .depth = APART_DEPTH_NONE,
                             .no_fallback = i != OURS};
    apart_distance(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, &o, NULL, r);
}

static void judge_pair(lab_section *s, const lab_pair *p, bool exactly, tally out[COUNT])
{
    apart_result ours, r;
    const apart_options o = {.depth = APART_DEPTH_EXACT};
    apart_distance(&p->shape_a, &p->pose_a, &p->shape_b, &p->pose_b, &o, NULL, &ours);
    lab_check_result(s, p->a, &p->shape_a, &p->pose_a, p->b, &p->shape_b, &p->pose_b, &ours, exactly);
    const double size = lab_pair_size(p), expected = fmax(ours.distance, 0.0);
    for (int i = 0; i < COUNT; i++) {
        ask(p, i, &r);
        const double shown = r.relation == APART_OVERLAPPING ? 0.0 : r.distance;
        const bool false_contact = r.relation == APART_OVERLAPPING && ours.lower > 0.0,
                   missed = r.relation == APART_DISJOINT && r.lower > 0.0 && ours.upper < 0.0;
        const bool wrong = !(fabs(shown - expected) <= LAB_WRONG * size) || false_contact || missed;
        out[i].wrong += wrong;
        out[i].told += wrong && !(r.upper - r.lower <= LAB_WRONG * size);
        out[i].pairs++;
    }
}

/* What the paper claims, and which numbers bear it out. */
enum { ROBUST };
static const lab_claim claims[] = {
    [ROBUST] = {"G7-right-everywhere",
                "Geometric §4",
                "the four algorithms compute the distance",
                "right",
                "wrong answers on degenerate pairs, without the certificate [%]",
                {0, 0},
                {0, 0.1}},
};

static void run(lab_section *s)
{
    static tally t[KINDS][COUNT];
    const uint32_t pairs = lab_size(s, 2000, 100);
    uint64_t all[COUNT] = {0}, told = 0, wrong = 0;
    lab_paper(s, "The comparisons of the geometric improvement give times only. GJK's answers are right in exact "
                 "arithmetic whatever the solver; the papers do not say what rounding does to them.");
    lab_here(s,
             "%u pairs of each of %d kinds, from scratch. Every algorithm of the library runs without its "
             "certificate's fallback (<code>no_fallback</code>), beside the routine as printed; “apart” is the library "
             "as it is used. Wrong is an answer that is off by more than 1e-9 of the pair's size, or a contact where "
             "there is a proved gap, or the other way round.",
             pairs, KINDS);
    FILE *csv = lab_csv_open(s, "certificate", "kind,algorithm,wrong,told_by_bounds,pairs");
    for (int k = 0; k < KINDS; k++) {
        lab_random r = lab_random_stream(s->settings->seed, 3000 + (uint64_t)k);
        for (uint32_t i = 0; i < pairs; i++) {
            lab_pair p = lab_pair_draw(&r, kinds[k].trouble, kinds[k].amount);
            judge_pair(s, &p, i % 10 == 0, t[k]);
            lab_pair_free(&p);
        }
        for (int i = 0; i < COUNT; i++) {
            fprintf(csv, "\"%s\",%s,%llu,%llu,%llu\n", kinds[k].name, lab_algorithms[ids[i]].name,
                    (unsigned long long)t[k][i].wrong, (unsigned long long)t[k][i].told,
                    (unsigned long long)t[k][i].pairs);
            all[i] += t[k][i].wrong;
            told += lab_algorithms[ids[i]].printed ? 0 : t[k][i].told;
            wrong += lab_algorithms[ids[i]].printed ? 0 : t[k][i].wrong;
        }
        lab_progress(s, (k + 1.0) / KINDS);
    }
    lab_csv_close(csv);
    lab_table table;
    char *title = lab_format("Wrong answers of %u pairs without the certificate", pairs);
    lab_table_init(&table, title,
                   "pairs|printed, scan|printed, climbing|johnson + scan|geometric + scan|johnson + climbing|geometric "
                   "+ climbing|voronoi|least squares|volumes|apart, certified");
    for (int k = 0; k < KINDS; k++) {
        lab_text row = {NULL, 0, 0};
        lab_text_add(&row, "%s", kinds[k].name);
        for (int i = 0; i < COUNT; i++) {
            lab_text_add(&row, "|%llu", (unsigned long long)t[k][i].wrong);
        }
        lab_table_row(&table, "%s", row.data);
        lab_text_free(&row);
    }
    free(title);
    lab_show_table(s, &table);
    lab_must(s, all[OURS] == 0, "the certified answers are right in every kind: %llu wrong",
             (unsigned long long)all[OURS]);
    lab_must(s, t[0][2].wrong + t[0][3].wrong + t[0][4].wrong + t[0][5].wrong == 0,
             "on random hulls the four are right without the certificate too");
    lab_judge(s, &claims[ROBUST], 100.0 * (double)(all[2] + all[3] + all[4] + all[5]) / (4.0 * KINDS * pairs),
              100.0 * (double)(all[2] + all[3] + all[4] + all[5]) / (4.0 * KINDS * pairs),
              "wrong are %llu (johnson + scan), "
              "%llu (geometric + scan), %llu (johnson + climbing) and %llu (geometric + climbing)",
              (unsigned long long)all[2], (unsigned long long)all[3], (unsigned long long)all[4],
              (unsigned long long)all[5]);
    lab_words(s, "the bounds that the library returns with an answer tell of every wrong one: %llu of %llu",
              (unsigned long long)told, (unsigned long long)wrong);
    lab_conclude_answers(s);
}

const lab_experiment lab_certificate = {"certificate", NULL, "The geometric improvement, section 4 (G7, G8)",
                                        "Where answers go wrong without the certificate", run};
