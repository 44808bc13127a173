/* Which pairs always overlap, and which never come near? Random joint positions decide, as a proposal for an SRDF. */
#include <math.h>
#include <stdlib.h>

#include "motion.h"

/* splitmix64 (Steele, Lea, Flood 2014). */
static double random_unit(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void robot_random_positions(const robot *r, uint64_t *seed, double *q)
{
    for (size_t v = 0; v < r->variable_count; v++) {
        const robot_joint *joint = &r->joints[r->variables[v]];
        const double share = random_unit(seed);
        const bool limited = isfinite(joint->lower) && isfinite(joint->upper);
        const double turn = acos(-1.0);
        const double lower = limited ? joint->lower : (joint->kind == ROBOT_SLIDING ? 0.0 : -turn);
        const double upper = limited ? joint->upper : (joint->kind == ROBOT_SLIDING ? 0.0 : turn);
        q[v] = lower + share * (upper - lower);
    }
}

apart_status robot_propose(robot_cell *cell, uint64_t samples, uint64_t seed, robot_proposal *out)
{
    double *q = calloc(cell->robot->variable_count + 1, sizeof *q);
    apart_status status = q != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t p = 0; p < cell->pair_count; p++) {
        out[p] = (robot_proposal){.least = INFINITY, .most = -INFINITY};
    }
    for (uint64_t i = 0; i < samples && status == APART_OK; i++) {
        robot_random_positions(cell->robot, &seed, q);
        robot_cell_set(cell, q);
        for (size_t p = 0; p < cell->pair_count && status == APART_OK; p++) {
            apart_compound_result r;
            status = robot_cell_distance(cell, p, &r);
            if (status == APART_OK) {
                const double d = r.result.distance;
                out[p].samples++;
                out[p].overlaps += d < 0.0;
                out[p].least = d < out[p].least ? d : out[p].least;
                out[p].most = d > out[p].most ? d : out[p].most;
            }
        }
    }
    free(q);
    return status;
}
