/* Questions to certified motions. */
#include <math.h>
#include <string.h>

#include "../robot/robot.h"
#include "plan.h"

/* An edge that so many looks at pairs cannot decide is refused. */
static const uint64_t MOST_INTERVALS = 1 << 16;

void ap_plan_fill(const ap_planner *p, const double *node, double *q)
{
    for (size_t i = 0; i < p->width; i++) {
        q[p->moving[i]] = node[i];
    }
}

void ap_plan_begin(const ap_planner *p, ap_plan_lane *lane)
{
    apart_robot_work_reset(lane->work);
    for (size_t i = p->hot_count; i-- > 0;) {
        ap_robot_to_front(lane->work, p->hot[i]);
    }
}

void ap_plan_note_hot(ap_planner *p, size_t pair)
{
    size_t place = 0;
    while (place < p->hot_count && p->hot[place] != pair) {
        place++;
    }
    if (place == p->hot_count && p->hot_count < AP_PLAN_HOT) {
        p->hot_count++;
    } else if (place == p->hot_count) {
        place--;
    }
    memmove(p->hot + 1, p->hot, place * sizeof *p->hot);
    p->hot[0] = pair;
}

static apart_status ask(const ap_planner *p, ap_plan_lane *lane, bool *is_free, size_t *refused_by)
{
    const apart_robot_motion_options options = {.has_limit = 1, .limit = p->keep, .most_intervals = MOST_INTERVALS};
    apart_robot_gap gap;
    const apart_status status = apart_robot_motion(lane->work, lane->q0, lane->q1, &options, &gap);
    *is_free = status == APART_OK && gap.lower >= p->keep;
    *refused_by = *is_free ? APART_ROBOT_NONE : gap.pair;
    return status;
}

apart_status ap_plan_is_free(const ap_planner *p, ap_plan_lane *lane, const double *a, const double *b, bool *is_free,
                             size_t *refused_by)
{
    ap_plan_fill(p, a, lane->q0);
    ap_plan_fill(p, b, lane->q1);
    return ask(p, lane, is_free, refused_by);
}

apart_status ap_plan_is_free_at(const ap_planner *p, ap_plan_lane *lane, const double *at, bool *is_free,
                                size_t *refused_by)
{
    return ap_plan_is_free(p, lane, at, at, is_free, refused_by);
}
