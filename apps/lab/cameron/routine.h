/* Cameron's enhanced GJK as it is printed (1997, sections 3 and 5; items C3 to C7), with its operations counted: what
 * the figures of that paper measured. It has no certificate and works in plain doubles. The library's query is measured
 * beside it. */
#ifndef LAB_CAMERON_ROUTINE_H
#define LAB_CAMERON_ROUTINE_H

#include <apart/apart.h>
#include <stdbool.h>

/* Vertices and their neighbours as arrays: what the routine walks on. */
typedef struct lab_polytope {
    uint32_t count;
    apart_vec3 *vertex;
    uint32_t *first; /* neighbours of vertex i: neighbour[first[i]] up to first[i + 1] */
    uint32_t *neighbour;
} lab_polytope;

lab_polytope lab_polytope_of(const apart_hull *hull);
void lab_polytope_free(lab_polytope *polytope);

/* When the loop ends. */
typedef enum lab_stop {
    LAB_STOP_GAP,        /* |v|^2 - v.w <= 1e-14 |v|^2 */
    LAB_STOP_RECURRENCE, /* the new support pair is in the simplex already (item G5) */
    LAB_STOP_ZERO,       /* |v|^2 - v.w <= 0, as the formula says */
    LAB_STOP_LENGTH,     /* |v| did not decrease */
    LAB_STOP_COUNT
} lab_stop;

/* Multiplications and divisions by where they are spent, and what the loop did. Added to, never reset. */
typedef struct lab_operations {
    uint64_t queries, loops, support_calls, visited, edges, transformed;
    uint64_t support, solver, test; /* multiplications: of searches, of Johnson's sub-algorithm, of the test */
    uint64_t divisions;
    uint64_t transforms; /* multiplications of turning directions and vertices: what the paper takes as given */
    uint64_t additions;  /* and subtractions and comparisons of numbers, beside the multiplications above */
    uint64_t indices;    /* look-ups of a vertex, of a neighbour, of a Delta by its subset */
    uint64_t limits;     /* queries that ran into the limit of loops */
} lab_operations;

/* What tracking keeps; zeroed is a cold start. */
typedef struct lab_routine_cache {
    int count;
    uint32_t index_a[4], index_b[4];
    uint32_t last_a, last_b; /* the last support vertices */
} lab_routine_cache;

typedef struct lab_routine_options {
    bool climb;
    lab_stop stop;
    bool supports_twice; /* every search is done twice: what that costs more is the time of the searches */
} lab_routine_options;

typedef struct lab_routine_answer {
    double distance; /* 0 when they interfere */
    apart_vec3 a, b; /* witness points */
    bool interferes;
    int loops;
} lab_routine_answer;

/* ops may be NULL. */
void lab_routine(const lab_polytope *a, const apart_pose *pose_a, const lab_polytope *b, const apart_pose *pose_b,
                 const lab_routine_options *options, lab_routine_cache *cache, lab_operations *ops,
                 lab_routine_answer *answer);

/* Johnson's sub-algorithm in pieces, for the footnote's counts (item C6): n points of the space, n at most
 * LAB_JOHNSON_MAX. */
enum { LAB_JOHNSON_MAX = 9 };
void lab_johnson_dots(unsigned n, const apart_vec3 *x, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX],
                      lab_operations *ops);
/* Delta_x(Y): delta[Y][x] for x in Y. Returns how many values it wrote. */
unsigned lab_johnson_table(unsigned n, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], double (*delta)[LAB_JOHNSON_MAX],
                           lab_operations *ops);

#endif
