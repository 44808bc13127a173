/* What is proved of the edges of the path that is returned: bounds of the smallest distance, and the nearest pair. */
#include <math.h>

#include "plan.h"

/* Lowered by the tolerance, so that whoever checks the claim has that much room for bounds of his own; and not below
 * the limit, which the edge was proved to keep with the tolerance to spare. */
static apart_status prove_edge(ap_planner *p, ap_plan_lane *lane, const double *q0, const double *q1,
                               apart_plan_edge *out)
{
    const double limit = p->task->limit, tolerance = p->options.tolerance;
    apart_robot_gap gap;
    ap_plan_begin(p, lane);
    apart_status status = apart_robot_motion(lane->work, q0, q1, NULL, &gap);
    if (status != APART_OK) {
        return status;
    }
    *out = (apart_plan_edge){.lower = gap.lower - tolerance, .upper = gap.upper, .s = gap.s, .pair = gap.pair};
    if (out->lower >= limit) {
        return APART_OK;
    }
    /* Too near the limit for these bounds. Its ends may be rounded points of an edge that was proved: half the
     * tolerance is far more than that. */
    const apart_robot_motion_options options = {.has_limit = 1, .limit = limit + 0.5 * tolerance};
    ap_plan_begin(p, lane);
    status = apart_robot_motion(lane->work, q0, q1, &options, &gap);
    if (status == APART_OK && gap.lower >= limit) {
        out->lower = limit;
    }
    return status;
}

apart_status ap_plan_prove(ap_planner *p)
{
    apart_plan *out = p->out;
    apart_status status = APART_OK;
    p->hot_count = 0;
    for (size_t i = 0; i + 1 < out->count && status == APART_OK; i++) {
        status = prove_edge(p, &p->lanes[0], out->q + i * p->all, out->q + (i + 1) * p->all, &out->edges[i]);
        if (status == APART_OK && out->edges[i].lower < p->task->limit) {
            out->outcome = APART_PLAN_GAVE_UP; /* more intervals than a motion has: never seen */
        }
    }
    return status;
}
