/* A finding about one claim of a result, and what the checks in three and in n dimensions say in the same words. */
#ifndef AP_VERIFY_FINDING_H
#define AP_VERIFY_FINDING_H

#include "body.h"

typedef struct finding {
    apart_verdict verdict;
    const char *reason;
} finding;

static const finding holds = {APART_PROVED, "every claim holds"};

static inline finding refuted_because(const char *reason) { return (finding){APART_REFUTED, reason}; }

static inline finding undecided_because(const char *reason) { return (finding){APART_UNDECIDED, reason}; }

/* The first refutation decides; without one, the first doubt; without either, it is proved. */
static inline finding worse_finding(finding a, finding b)
{
    if (a.verdict == APART_REFUTED || b.verdict == APART_PROVED) {
        return a;
    }
    return b.verdict == APART_REFUTED || a.verdict == APART_PROVED ? b : a;
}

static inline finding check_relation(int relation, double lower, double distance, double upper)
{
    bool fits = false;
    switch (relation) {
    case APART_DISJOINT:
    case APART_BEYOND: fits = lower > 0.0; break;
    case APART_OVERLAPPING: fits = upper < 0.0 || (lower < 0.0 && distance == 0.0 && upper == 0.0); break;
    case APART_TOUCHING: fits = lower <= 0.0 && upper >= 0.0; break;
    default: break;
    }
    return fits ? holds : refuted_because("the relation does not fit the bounds");
}

/* Compares the claimed bounds with the proved ones. */
static inline finding compare_claim(int relation, double lower, double upper, double proved_lower, double proved_upper)
{
    if (lower > proved_upper) {
        return refuted_because("the lower bound exceeds the distance of two points of the bodies, or minus the depth");
    }
    if (upper < proved_lower) {
        return refuted_because("the upper bound is below the separation along a direction");
    }
    if (lower > proved_lower) {
        return undecided_because("no direction was found that proves the lower bound");
    }
    if (upper < proved_upper) {
        return undecided_because("no points were found that prove the upper bound");
    }
    return relation != APART_OVERLAPPING || proved_upper < 0.0 ? holds
                                                               : undecided_because("that they overlap was not shown");
}

/* b - a differs from distance * normal by `off`: rounding is allowed for; a result promises this within its bounds. */
static inline finding judge_fit(double off, double rounding, double width)
{
    if (off <= rounding) {
        return holds;
    }
    return off <= rounding + width ? undecided_because("b - a is distance * normal only as closely as the bounds are")
                                   : refuted_because("b - a is not distance * normal");
}

/* The separation along the normal is below the claimed lower bound by `missing`. */
static inline finding judge_normal(double missing, double rounding, double width)
{
    if (missing <= rounding) {
        return holds;
    }
    return missing <= rounding + width ? undecided_because("the separation along the normal is below the lower bound")
                                       : refuted_because("the lower bound exceeds the separation along the normal");
}

#endif
