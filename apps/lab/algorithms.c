/* The algorithms side by side, and what their queries cost. One colour per solver everywhere (Okabe and Ito 2008, told
 * apart by the colour-blind), dashed lines for scans. */
#include <stdlib.h>

#include "scene.h"

const lab_algorithm lab_algorithms[LAB_ALGORITHM_COUNT] = {
    [LAB_PRINTED_SCAN] = {"printed-scan", "as printed, scan", "#000000", 2, 4, .printed = true},
    [LAB_PRINTED_CLIMB] = {"printed-climb", "as printed, climbing", "#000000", 1, 5, .printed = true, .climb = true},
    [LAB_JOHNSON_SCAN] = {"johnson-scan", "apart, johnson + scan", "#0072B2", 2, 6, .solver = APART_SOLVER_JOHNSON,
                          .support = APART_SUPPORT_SCAN, .depth = APART_DEPTH_NONE},
    [LAB_GEOMETRIC_SCAN] = {"geometric-scan", "apart, geometric + scan", "#E69F00", 2, 8,
                            .solver = APART_SOLVER_GEOMETRIC, .support = APART_SUPPORT_SCAN, .depth = APART_DEPTH_NONE},
    [LAB_JOHNSON_CLIMB] = {"johnson-climb", "apart, johnson + climbing", "#0072B2", 1, 7,
                           .solver = APART_SOLVER_JOHNSON, .support = APART_SUPPORT_CLIMB, .depth = APART_DEPTH_NONE},
    [LAB_GEOMETRIC_CLIMB] = {"geometric-climb", "apart, geometric + climbing", "#E69F00", 1, 9,
                             .solver = APART_SOLVER_GEOMETRIC, .support = APART_SUPPORT_CLIMB,
                             .depth = APART_DEPTH_NONE},
    [LAB_OURS] = {"apart", "apart", "#009E73", 1, 13, .depth = APART_DEPTH_NONE},
    [LAB_OURS_BOX] = {"apart-box", "apart, box shapes", "#009E73", 3, 12, .box = true, .depth = APART_DEPTH_NONE},
    [LAB_OURS_DEPTH] = {"apart-depth", "apart, with exact depth", "#009E73", 4, 15, .depth = APART_DEPTH_EXACT},
    [LAB_VORONOI_SCAN] = {"voronoi-scan", "apart, voronoi + scan", "#CC79A7", 2, 10, .solver = APART_SOLVER_VORONOI,
                          .support = APART_SUPPORT_SCAN, .depth = APART_DEPTH_NONE},
    [LAB_LEAST_SQUARES_SCAN] = {"least-squares-scan", "apart, least squares + scan", "#D55E00", 2, 3,
                                .solver = APART_SOLVER_LEAST_SQUARES, .support = APART_SUPPORT_SCAN,
                                .depth = APART_DEPTH_NONE},
    [LAB_VOLUMES_SCAN] = {"volumes-scan", "apart, volumes + scan", "#56B4E9", 2, 11, .solver = APART_SOLVER_VOLUMES,
                          .support = APART_SUPPORT_SCAN, .depth = APART_DEPTH_NONE},
};

static void ask_routine(const lab_world *w, const lab_algorithm *algorithm, uint32_t pair, const apart_pose *pose_b,
                        const lab_query_options *options, lab_memory *memory, apart_result *result)
{
    const lab_routine_options how = {.climb = algorithm->climb, .stop = LAB_STOP_GAP};
    const uint32_t body = pair % w->bodies;
    lab_routine_answer answer;
    lab_routine_cache cold = {0};
    lab_routine(&w->polytope_a[body], &w->pose_a[pair], &w->polytope_b[body], pose_b, &how,
                memory != NULL ? &memory->routine : &cold,
                options != NULL && options->tally != NULL ? &options->tally->operations : NULL, &answer);
    *result = (apart_result){.distance = answer.distance,
                             .lower = answer.distance,
                             .upper = answer.distance,
                             .a = answer.a,
                             .b = answer.b,
                             .iterations = (uint16_t)answer.loops,
                             .relation = answer.interferes ? APART_OVERLAPPING : APART_DISJOINT};
}

void lab_query(const lab_world *w, lab_algorithm_id id, uint32_t pair, uint32_t step, const lab_query_options *options,
               lab_memory *memory, apart_result *result)
{
    const lab_algorithm *algorithm = &lab_algorithms[id];
    const uint32_t body = pair % w->bodies;
    const apart_pose *pose_b = lab_pose_b(w, pair, step);
    if (algorithm->printed) {
        ask_routine(w, algorithm, pair, pose_b, options, memory, result);
        return;
    }
    const apart_options o = {.solver = algorithm->solver,
                             .support = algorithm->support,
                             .depth = algorithm->depth,
                             .no_fallback = options != NULL && options->no_fallback,
                             .stats = options != NULL && options->tally != NULL ? &options->tally->stats : NULL};
    const apart_shape *a = algorithm->box ? &w->box_a[body] : &w->shape_a[body],
                      *b = algorithm->box ? &w->box_b[body] : &w->shape_b[body];
    apart_distance(a, &w->pose_a[pair], b, pose_b, &o, memory != NULL ? &memory->cache : NULL, result);
}

void lab_count_here(const lab_world *w, lab_algorithm_id id, bool tracked, lab_tally *first, lab_tally *later)
{
    *first = *later = (lab_tally){0};
    for (uint32_t pair = 0; pair < w->scene.pairs; pair++) {
        lab_memory memory = {0};
        for (uint32_t step = 0; step < w->scene.steps; step++) {
            const lab_query_options o = {.tally = step == 0 ? first : later};
            apart_result result;
            lab_query(w, id, pair, step, &o, tracked ? &memory : NULL, &result);
        }
    }
}

void lab_tally_add(lab_tally *sum, const lab_tally *more)
{
    uint64_t *to[2] = {(uint64_t *)&sum->stats, (uint64_t *)&sum->operations};
    const uint64_t *from[2] = {(const uint64_t *)&more->stats, (const uint64_t *)&more->operations};
    const size_t size[2] = {sizeof sum->stats / sizeof(uint64_t), sizeof sum->operations / sizeof(uint64_t)};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < size[k]; i++) {
            to[k][i] += from[k][i];
        }
    }
}

static lab_counts counts_of_stats(const apart_stats *s)
{
    const double q = s->queries > 0 ? (double)s->queries : 1.0;
    return (lab_counts){.loops = (double)s->iterations / q,
                        .support_calls = (double)s->support_calls / q,
                        .visited = (double)s->vertices_visited / q,
                        .edges = (double)s->edges_climbed / q,
                        .transformed = (double)s->vertices_transformed / q,
                        .multiplications = (double)s->multiplications / q,
                        .divisions = (double)s->divisions / q,
                        .transforms = 9.0 * (double)s->vertices_transformed / q,
                        .support = 3.0 * (double)s->vertices_visited / q,
                        .solver = (double)s->solver_operations / q};
}

lab_counts lab_counts_of(const lab_tally *tally)
{
    const lab_operations *o = &tally->operations;
    const double q = (double)o->queries;
    if (o->queries == 0) {
        return counts_of_stats(&tally->stats);
    }
    return (lab_counts){.loops = (double)o->loops / q,
                        .support_calls = (double)o->support_calls / q,
                        .visited = (double)o->visited / q,
                        .edges = (double)o->edges / q,
                        .transformed = (double)o->transformed / q,
                        .multiplications = (double)(o->support + o->solver + o->test + o->transforms) / q,
                        .divisions = (double)o->divisions / q,
                        .transforms = (double)o->transforms / q,
                        .support = (double)o->support / q,
                        .solver = (double)o->solver / q,
                        .limits = (double)o->limits / q};
}
