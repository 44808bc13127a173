/* Robots in URDF and MJCF: what is read makes a cell whose motions have ordered bounds, which hold at the positions on
 * the way that are looked at. */
#include <apart/robot_io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

enum { MOST_VARIABLES = 64, MOST_PAIRS = 200 };

/* No position between the two has a pair nearer than the certified bound. */
static void check_way(apart_robot_work *work, const double *q0, const double *q1, double lower)
{
    const size_t count = apart_robot_variable_count(apart_robot_cell_robot(apart_robot_work_cell(work)));
    for (int i = 0; i <= 8; i++) {
        double q[MOST_VARIABLES];
        apart_robot_near near;
        for (size_t k = 0; k < count; k++)
            q[k] = q0[k] + i / 8.0 * (q1[k] - q0[k]);
        if (apart_robot_set(work, q) == APART_OK && apart_robot_nearest(work, &near) == APART_OK)
            check(near.at.result.upper >= lower - 1e-9 * (1.0 + fabs(lower)), "the motion keeps its lower bound");
    }
}

static void check_motion(const apart_robot_cell *cell)
{
    double q0[MOST_VARIABLES], q1[MOST_VARIABLES];
    uint64_t seed = 1;
    const apart_robot_motion_options options = {.most_intervals = 500};
    apart_robot_work *work;
    apart_robot_gap gap;
    if (apart_robot_work_create(cell, &work) != APART_OK) {
        return;
    }
    apart_robot_random(apart_robot_cell_robot(cell), &seed, q0);
    apart_robot_random(apart_robot_cell_robot(cell), &seed, q1);
    if (apart_robot_motion(work, q0, q1, &options, &gap) == APART_OK) {
        check(gap.lower <= gap.upper, "the bounds are in order");
        check_way(work, q0, q1, gap.lower);
    }
    apart_robot_work_free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apart_robot *robot = NULL;
    apart_robot_cell *cell = NULL;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_robot_read_memory(data, size, "fuzz.urdf", NULL, &robot, &error);
    if (status != APART_OK) {
        check(robot == NULL && error.message[0] != '\0', "a robot or a message");
        return 0;
    }
    if (apart_robot_variable_count(robot) <= MOST_VARIABLES &&
        apart_robot_cell_create(robot, NULL, &cell) == APART_OK) {
        if (apart_robot_pair_count(cell) <= MOST_PAIRS) {
            check_motion(cell);
        }
        apart_robot_cell_free(cell);
    }
    apart_robot_free(robot);
    return 0;
}
