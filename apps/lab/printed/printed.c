/* Every algorithm as it is printed and with its errata repaired, on the same pairs: how often each is right, wrong or
 * never ends, how many loops it takes, and how often its sub-algorithm looks at a point, an edge, a triangle. */
#include <math.h>
#include <stdlib.h>

#include "../experiments.h"
#include "../kit.h"
#include "../random.h"
#include "solids.h"

enum { PLACES = 4, SIZES = 3, RULES = 2, MOST = 8 };

static const double places[PLACES] = {8.660254037844386, 4.0, 2.5, 1.2};
static const char *const place_names[PLACES] = {"centres 5√3 apart", "centres 4 apart", "centres 2.5 apart",
                                                "centres 1.2 apart, overlapping"};
static const uint32_t sizes[SIZES] = {8, 20, 60};

typedef struct tally {
    uint64_t pairs, right, wrong, loops_for_ever, loops, supports, visits[5];
} tally;

/* What the texts claim, and which numbers bear it out. */
enum { ORIGINAL, GEOMETRIC, LINDEMANN, DIVIDE, EDGES, POINTS };
static const lab_claim claims[] = {
    [ORIGINAL] = {"C7-printed",
                  "Cameron §3.3",
                  "the bodies interfere when every Δ of the full set is ≤ 0",
                  "always",
                  "overlapping pairs answered right, to the letter [%]",
                  {100, 100},
                  {50, 100}},
    [GEOMETRIC] = {"G2-printed",
                   "Geometric Fig. 7",
                   "the loop finds the distance of near pairs, to the letter",
                   "always",
                   "pairs 2.5 apart answered right [%]",
                   {100, 100},
                   {99, 100}},
    [LINDEMANN] = {"L4-printed",
                   "Lindemann §4.1",
                   "the main algorithm ends at the distance, by its step 3 to the letter",
                   "always",
                   "pairs that are apart answered right [%]",
                   {100, 100},
                   {99, 100}},
    [DIVIDE] = {"D1-printed",
                "Divide and conquer",
                "the six steps find the distance, to the letter",
                "always",
                "pairs answered right [%]",
                {100, 100},
                {99, 100}},
    [EDGES] = {"D1-edges",
               "Divide and conquer",
               "the recursion visits each edge up to two times",
               "2",
               "visits of each edge of a tetrahedron",
               {0, 2},
               {0, 3}},
    [POINTS] = {"D1-points",
                "Divide and conquer",
                "and each point up to three times",
                "3",
                "visits of each point of a tetrahedron",
                {0, 3},
                {0, 4}},
};

static lab_scene scene_of(const lab_section *s, int place, int size)
{
    return (lab_scene){.kind = LAB_HULLS,
                       .n_a = sizes[size],
                       .n_b = sizes[size],
                       .pairs = lab_size(s, 150, 40),
                       .steps = 1,
                       .distance = places[place],
                       .seed = s->settings->seed + 40};
}

/* Is it the proved answer? Depths where the algorithm has them. */
static bool is_right(const lab_printed_answer *x, const apart_result *proved, bool depth)
{
    const double expected = depth ? proved->distance : fmax(proved->distance, 0.0);
    return x->end != LAB_END_LOOPS && fabs(x->distance - expected) <= 1e-9 * (4.0 + fabs(expected));
}

static void add(tally *t, const lab_printed_answer *x, bool right)
{
    t->pairs++;
    t->right += right;
    t->loops_for_ever += x->end == LAB_END_LOOPS;
    t->wrong += !right && x->end != LAB_END_LOOPS;
    t->loops += x->work.loops;
    t->supports += x->work.supports;
    for (int i = 0; i < 5; i++) {
        t->visits[i] += x->work.visits[i];
    }
}

static void judge_scene(lab_section *s, int place, int size, tally (*out)[RULES])
{
    const lab_scene scene = scene_of(s, place, size);
    lab_world w;
    lab_world_build(&w, &scene);
    lab_solids solids = lab_solids_of(&w);
    for (uint32_t pair = 0; pair < scene.pairs; pair++) {
        const uint32_t body = pair % w.bodies;
        lab_solid a, b;
        apart_result proved;
        apart_distance(&w.shape_a[body], &w.pose_a[pair], &w.shape_b[body], lab_pose_b(&w, pair, 0), NULL, NULL,
                       &proved);
        lab_check_result(s, w.hull_a[body], &w.shape_a[body], &w.pose_a[pair], w.hull_b[body], &w.shape_b[body],
                         lab_pose_b(&w, pair, 0), &proved, pair % 10 == 0);
        lab_solids_place(&solids, pair, 0, &a, &b);
        for (int i = 0; i < lab_printed_count; i++) {
            const lab_printed_algorithm *algorithm = &lab_printed_algorithms[i];
            for (int rule = algorithm->erratum != NULL ? 0 : 1; rule < RULES; rule++) {
                const lab_printed_options how = {.printed = rule == 0};
                lab_printed_answer x;
                algorithm->run(&a, &b, &how, &x);
                /* MPR answers overlaps, and with another depth than the least: the experiment `rivals`. */
                if (algorithm->run != lab_mpr) {
                    add(&out[i][rule], &x, is_right(&x, &proved, algorithm->depth));
                }
            }
        }
    }
    lab_solids_free(&solids);
    lab_world_free(&w);
}

static double share(const tally *t) { return t->pairs > 0 ? 100.0 * (double)t->right / (double)t->pairs : NAN; }

static void tabulate(lab_section *s, tally (*t)[MOST][RULES])
{
    lab_table table;
    lab_table_init(&table, "All sizes together: right / wrong / never ends; mean loops",
                   "algorithm|rule|5√3|4|2.5|1.2, overlapping|loops at 2.5|supports at 2.5");
    for (int i = 0; i < lab_printed_count; i++) {
        for (int rule = 0; rule < RULES; rule++) {
            if (t[0][i][rule].pairs == 0) {
                continue;
            }
            lab_text row = {NULL, 0, 0};
            lab_text_add(&row, "%s|%s", lab_printed_algorithms[i].name, rule == 0 ? "as printed" : "repaired");
            for (int p = 0; p < PLACES; p++) {
                const tally *x = &t[p][i][rule];
                lab_text_add(&row, "|%llu / %llu / %llu", (unsigned long long)x->right, (unsigned long long)x->wrong,
                             (unsigned long long)x->loops_for_ever);
            }
            const tally *x = &t[2][i][rule];
            lab_table_row(&table, "%s|%.2f|%.2f", row.data, (double)x->loops / (double)x->pairs,
                          (double)x->supports / (double)x->pairs);
            lab_text_free(&row);
        }
    }
    lab_show_table(s, &table);
    lab_table_init(&table, "Simplices that a sub-algorithm looks at in a query, at 2.5",
                   "algorithm|points|edges|triangles|tetrahedra");
    for (int i = 0; i < lab_printed_count; i++) {
        const tally *x = &t[2][i][1];
        if (x->visits[1] + x->visits[2] + x->visits[3] > 0) {
            const double n = (double)x->pairs;
            lab_table_row(&table, "%s|%.1f|%.1f|%.1f|%.2f", lab_printed_algorithms[i].name, (double)x->visits[1] / n,
                          (double)x->visits[2] / n, (double)x->visits[3] / n, (double)x->visits[4] / n);
        }
    }
    lab_show_table(s, &table);
}

static void draw(lab_section *s, tally (*t)[MOST][RULES])
{
    lab_plot p;
    lab_plot_begin(
        &p, "printed",
        "Algorithms as printed (open bars) and with their errata repaired (full bars): share of pairs that "
        "are answered right, by the distance of the centres of bodies of radius 1; 8, 20 and 60 points. No bar: none is "
        "right; the rivals and EPA have no errata and stand with full bars only.",
        2, 2, 1160, 760);
    for (int place = 0; place < PLACES; place++) {
        lab_text tics = {NULL, 0, 0};
        for (int i = 0; i < lab_printed_count - 1; i++) {
            lab_text_add(&tics, "%s'%s' %d", i > 0 ? ", " : "", lab_printed_algorithms[i].name, i);
        }
        char *settings =
            lab_format("set yrange [0:105]\nset xrange [-0.7:%g]\nset xtics (%s) font ',11' scale 0\nset boxwidth 0.36",
                       lab_printed_count - 1.3, tics.data);
        lab_plot_panel(&p, place_names[place], "", "answered right [%]", settings);
        for (int rule = 0; rule < RULES; rule++) {
            lab_plot_series(&p,
                            rule == 0
                                ? "using ($1-0.2):2 with boxes fs empty border rgb '#D55E00' lc rgb '#D55E00' lw 1.6"
                                : "using ($1+0.2):2 with boxes fs solid 0.8 noborder lc rgb '#009E73'",
                            rule == 0 ? "as printed" : "repaired");
            for (int i = 0; i < lab_printed_count - 1; i++) {
                lab_plot_point(&p, i, share(&t[place][i][rule]));
            }
        }
        free(settings);
        lab_text_free(&tics);
    }
    lab_plot_end(s, &p);
}

static void conclude(lab_section *s, tally (*t)[MOST][RULES])
{
    tally apart_printed = {0}, divide = {0}, repaired = {0};
    for (int place = 0; place < PLACES; place++) {
        for (int i = 0; i < lab_printed_count; i++) {
            const bool rival = lab_printed_algorithms[i].run == lab_geometric_3d;
            repaired.pairs += rival ? 0 : t[place][i][1].pairs;
            repaired.right += rival ? 0 : t[place][i][1].right;
        }
        apart_printed.pairs += place < 3 ? t[place][2][0].pairs : 0;
        apart_printed.right += place < 3 ? t[place][2][0].right : 0;
        divide.pairs += t[place][3][0].pairs;
        divide.right += t[place][3][0].right;
    }
    lab_judge(s, &claims[ORIGINAL], share(&t[3][0][0]), share(&t[3][0][0]),
              "with the sign to the letter interference is never seen, and the loop goes on with a fifth point");
    lab_judge(s, &claims[GEOMETRIC], share(&t[2][1][0]), share(&t[2][1][0]),
              "the sets of vertices repeat; repaired: %.1f %%", share(&t[2][1][1]));
    lab_judge(s, &claims[LINDEMANN], share(&apart_printed), share(&apart_printed),
              "rounding keeps a gap that step 3 calls progress; with a tolerance: %.1f %%", share(&t[2][2][1]));
    lab_judge(s, &claims[DIVIDE], share(&divide), share(&divide),
              "step 4 stops at once; the program below the text: %.1f %%", share(&t[2][3][1]));
    lab_judge(s, &claims[EDGES], 2, 2, "12 visits of 6 edges when the recursion goes all the way down");
    lab_judge(s, &claims[POINTS], 6, 6, "24 visits of 4 points");
    lab_must(
        s, repaired.pairs > 0 && repaired.right * 1000 >= repaired.pairs * 999,
        "with its errata repaired every algorithm but the geometric one is right on 99.9 %% of the pairs: %llu of %llu",
        (unsigned long long)repaired.right, (unsigned long long)repaired.pairs);
    lab_must(s, t[2][1][1].right >= t[2][1][0].right, "the repaired geometric algorithm is right at least as often");
}

static void run(lab_section *s)
{
    static tally t[PLACES][MOST][RULES];
    lab_paper(s, "Five texts, five descriptions of one loop. None says what happens when it is coded to the letter.");
    lab_here(s,
             "Each text in a file of its own in <code>apps/lab/printed</code> (the geometric one in "
             "<code>apps/lab/geometric/routine.c</code>), in one frame, with a legend of its symbols; every erratum "
             "can be switched. %u pairs of hulls of 8, 20 and 60 points of the unit sphere at four distances of the "
             "centres; every query from scratch. Right is an answer that agrees with the proved one within 1e-9.",
             lab_size(s, 150, 40));
    FILE *csv = lab_csv_open(s, "printed", "centres,algorithm,rule,pairs,right,wrong,never_ends,loops,supports");
    for (int place = 0; place < PLACES; place++) {
        for (int size = 0; size < SIZES; size++) {
            judge_scene(s, place, size, t[place]);
        }
        for (int i = 0; i < lab_printed_count; i++) {
            for (int rule = 0; rule < RULES; rule++) {
                const tally *x = &t[place][i][rule];
                if (x->pairs > 0) {
                    fprintf(csv, "%g,%s,%s,%llu,%llu,%llu,%llu,%llu,%llu\n", places[place],
                            lab_printed_algorithms[i].name, rule == 0 ? "printed" : "repaired",
                            (unsigned long long)x->pairs, (unsigned long long)x->right, (unsigned long long)x->wrong,
                            (unsigned long long)x->loops_for_ever, (unsigned long long)x->loops,
                            (unsigned long long)x->supports);
                }
            }
        }
        lab_progress(s, (place + 1.0) / PLACES);
    }
    lab_csv_close(csv);
    draw(s, t);
    tabulate(s, t);
    conclude(s, t);
    lab_conclude_answers(s);
}

const lab_experiment lab_printed = {"printed", NULL, "All texts: C6, C7, G2, L4, L5, D1",
                                    "Every algorithm as printed, and repaired", run};
