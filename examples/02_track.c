/* Two bodies that move a little between queries: a cache makes the next answer cheap.
 *
 * The cache belongs to one pair. It starts as zeros, and whatever is in it can cost time but never change the answer.
 * Build: cc 02_track.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

enum { POINTS = 200, STEPS = 100 };

/* Points on a sphere, evenly spread along a spiral: their hull is nearly a sphere, with 200 vertices. */
static void spiral(double xyz[3 * POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / POINTS, radius = sqrt(1.0 - z * z), angle = 2.4 * i;
        xyz[3 * i] = radius * cos(angle);
        xyz[3 * i + 1] = radius * sin(angle);
        xyz[3 * i + 2] = z;
    }
}

int main(void)
{
    double xyz[3 * POINTS];
    apart_hull *hull = NULL;
    spiral(xyz);
    if (apart_hull_build(xyz, POINTS, NULL, &hull) != APART_OK) {
        return 1;
    }
    /* A hull is immutable: both bodies, and any number of threads, may share it. */
    const apart_shape ball = apart_hull_shape(hull);
    const apart_pose still = apart_pose_identity();
    apart_cache cache = {0};
    apart_stats cold = {0}, tracked = {0};
    double nearest = INFINITY;

    for (int step = 0; step < STEPS; step++) {
        apart_pose moving;
        apart_result without, with;
        /* B flies past A, turning. */
        apart_pose_from_rpy(0.0, 0.02 * step, 0.01 * step, (apart_vec3){4.0 - 0.08 * step, 2.5, 0.0}, &moving);
        if (apart_distance(&ball, &still, &ball, &moving, &(apart_options){.stats = &cold}, NULL, &without) !=
                APART_OK ||
            apart_distance(&ball, &still, &ball, &moving, &(apart_options){.stats = &tracked}, &cache, &with) !=
                APART_OK) {
            return 1;
        }
        /* Both answers are certified: their intervals must meet. */
        if (with.lower > without.upper || without.lower > with.upper) {
            return 1;
        }
        nearest = with.distance < nearest ? with.distance : nearest;
    }
    printf("nearest approach            %.6f\n", nearest);
    printf("iterations a query, cold    %.2f\n", (double)cold.iterations / STEPS);
    printf("iterations a query, tracked %.2f\n", (double)tracked.iterations / STEPS);
    apart_hull_free(hull);
    return nearest > 0.5 && nearest < 0.6 && tracked.iterations < cold.iterations ? 0 : 1;
}
