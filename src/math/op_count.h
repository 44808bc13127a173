/* Counts multiplications and divisions, as Cameron 1997 does to compare algorithms (section 4; item C8 of
 * docs/papers.md).
 *
 * Arithmetic that is to be counted calls ap_count_mul(n) and ap_count_div(n) beside it; a square root counts as a
 * division. The calls compile to nothing unless APART_INSTRUMENT is defined; apart-lab-count (lab/) is built with
 * it. */
#ifndef AP_MATH_OP_COUNT_H
#define AP_MATH_OP_COUNT_H

#include <stdint.h>

#include "../base/compiler.h"

#ifdef APART_INSTRUMENT

typedef struct ap_operations {
    uint64_t multiplications, divisions;
    uint64_t solver; /* the part of both that was counted in files compiled with AP_COUNT_SOLVER, the simplex solvers */
} ap_operations;

extern _Thread_local ap_operations ap_operation_count;

static inline void ap_count_solver(unsigned n)
{
#ifdef AP_COUNT_SOLVER
    ap_operation_count.solver += n;
#else
    (void)n;
#endif
}
#endif

/* Each is defined once for both builds: coverage reports refuse a function that stands on two lines. */
static inline void ap_count_mul(unsigned n)
{
#ifdef APART_INSTRUMENT
    ap_operation_count.multiplications += n;
    ap_count_solver(n);
#else
    (void)n;
#endif
}

static inline void ap_count_div(unsigned n)
{
#ifdef APART_INSTRUMENT
    ap_operation_count.divisions += n;
    ap_count_solver(n);
#else
    (void)n;
#endif
}

#endif
