/* Counting of multiplications and divisions (Cameron 1997 section 4, item C8). Free unless APART_INSTRUMENT is defined. */
#ifndef AP_MATH_OP_COUNT_H
#define AP_MATH_OP_COUNT_H

#include <stdint.h>

#include "../base/compiler.h"

#ifdef APART_INSTRUMENT
typedef struct ap_operations {
    uint64_t multiplications, divisions;
    uint64_t solver; /* of both, those in files that are compiled with AP_COUNT_SOLVER: the simplex solvers */
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
