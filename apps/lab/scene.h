/* Pairs of random bodies on their paths, drawn from a seed, and the algorithms that run on them. */
#ifndef LAB_SCENE_H
#define LAB_SCENE_H

#include <apart/apart.h>

#include "cameron/routine.h"

typedef enum lab_kind {
    LAB_HULLS,         /* of points random on the unit sphere */
    LAB_BOXES,         /* half extents 0.3 to 1, any orientation */
    LAB_ALIGNED_BOXES, /* the same with axes parallel to the world's at the start */
    LAB_BALLS,         /* hulls of points random in the unit ball: few of them are vertices */
    LAB_FLAT,          /* points on the unit sphere, one axis shrunk to a tenth */
    LAB_LONG           /* two axes shrunk to a tenth */
} lab_kind;

/* A scene is these numbers: the counting program draws the same bodies from them. */
typedef struct lab_scene {
    uint32_t kind, n_a, n_b; /* points of a hull */
    uint32_t pairs, steps;
    uint32_t
        wander; /* 1: a new direction and a turn by exactly `turn` a step; 0: a straight path, turns up to `turn` */
    double distance, spread; /* of the centres in the middle of the path: distance +- spread */
    double step, turn;       /* per step: length; degrees about a new random axis through the centre */
    uint64_t seed;
} lab_scene;

typedef struct lab_world {
    lab_scene scene;
    /* Borrowed from a store that keeps the last few sets of bodies: the same ones serve many motions. */
    uint32_t bodies; /* different ones for each side; pair i has bodies i % bodies */
    apart_hull **hull_a, **hull_b;
    lab_polytope *polytope_a, *polytope_b;
    apart_shape *shape_a, *shape_b; /* the hulls */
    apart_shape *box_a, *box_b;     /* the boxes as boxes */
    apart_pose *pose_a;             /* of a pair */
    apart_pose *pose_b;             /* of a pair and a step */
} lab_world;

void lab_world_build(lab_world *world, const lab_scene *scene);
void lab_world_free(lab_world *world);
static inline const apart_pose *lab_pose_b(const lab_world *w, uint32_t pair, uint32_t step)
{
    return &w->pose_b[pair * w->scene.steps + step];
}

/* ---- algorithms ---- */

typedef enum lab_algorithm_id {
    LAB_PRINTED_SCAN, /* the routine as printed */
    LAB_PRINTED_CLIMB,
    LAB_JOHNSON_SCAN, /* the library's query with the paper's solver and search: certificate included */
    LAB_GEOMETRIC_SCAN,
    LAB_JOHNSON_CLIMB,
    LAB_GEOMETRIC_CLIMB,
    LAB_OURS,       /* the library's default */
    LAB_OURS_BOX,   /* the same on box shapes */
    LAB_OURS_DEPTH, /* the same, and the exact depth where bodies overlap */
    LAB_VORONOI_SCAN,
    LAB_LEAST_SQUARES_SCAN,
    LAB_VOLUMES_SCAN,
    LAB_ALGORITHM_COUNT
} lab_algorithm_id;

typedef struct lab_algorithm {
    const char *name;  /* in CSV files */
    const char *label; /* in legends */
    const char *color; /* one per solver, Okabe and Ito's palette */
    int dash, symbol;  /* gnuplot's: scans are dashed */
    bool printed, climb, box;
    uint8_t solver, support, depth;
} lab_algorithm;

extern const lab_algorithm lab_algorithms[LAB_ALGORITHM_COUNT];

/* What an algorithm remembers of a pair. */
typedef struct lab_memory {
    apart_cache cache;
    lab_routine_cache routine;
} lab_memory;

/* What a query cost. */
typedef struct lab_tally {
    apart_stats stats;
    lab_operations operations;
} lab_tally;

typedef struct lab_query_options {
    bool no_fallback; /* the library's answers without the certificate */
    lab_tally *tally;
} lab_query_options;

/* One query; memory NULL: cold. The routine's answers come as results with distance, points and relation only. */
void lab_query(const lab_world *world, lab_algorithm_id id, uint32_t pair, uint32_t step,
               const lab_query_options *options, lab_memory *memory, apart_result *result);

/* Averages per query. */
typedef struct lab_counts {
    double loops, support_calls, visited, edges, transformed;
    double multiplications, divisions; /* with the transforms */
    double transforms;                 /* multiplications of them: 9 a vertex, and for the routine 9 a direction */
    double support;                    /* of the operations: 3 a vertex that was visited */
    double solver;                     /* of the sub-algorithm; for the routine without its divisions */
    double limits;                     /* share of the routine's queries that ran into its limit of loops */
} lab_counts;

static inline double lab_operations_of(const lab_counts *c)
{
    return c->multiplications + c->divisions - c->transforms;
}

/* Every query of the scene, tracked along each path or all cold. `first`: those that start a path; `later`: the
 * others. */
void lab_count_here(const lab_world *world, lab_algorithm_id id, bool tracked, lab_tally *first, lab_tally *later);
lab_counts lab_counts_of(const lab_tally *tally);
void lab_tally_add(lab_tally *sum, const lab_tally *more);

/* ---- times (measure.c) ---- */

typedef struct lab_times {
    double all;   /* nanoseconds per query, the first of each path included */
    double later; /* without the first */
} lab_times;

double lab_seconds(void);
double lab_processor_seconds(void);
/* All algorithms in turn, again and again for about `seconds` each; of each the best round counts. */
void lab_measure(const lab_world *world, const lab_algorithm_id *ids, size_t count, bool tracked, double seconds,
                 lab_times *times);

#endif
