/* Watching the algorithm: every iteration of a query, with the bounds that close in on the answer.
 *
 * Build: cc 05_trace.c $(pkg-config --cflags --libs apart) */
#include <stdio.h>

#include <apart/apart.h>

enum { MOST_STEPS = 64 };

int main(void)
{
    const apart_shape tower = apart_box((apart_vec3){1.0, 1.0, 2.0}), box = apart_box((apart_vec3){1.0, 1.5, 0.5});
    const apart_pose upright = apart_pose_identity();
    apart_pose tilted;
    apart_pose_from_rpy(0.4, 0.9, 0.2, (apart_vec3){3.0, 2.0, 1.0}, &tilted);

    /* The caller owns the memory; steps beyond the capacity are counted but not stored. */
    apart_trace_step steps[MOST_STEPS];
    apart_trace trace = {.steps = steps, .capacity = MOST_STEPS};
    const apart_options options = {.trace = &trace};
    apart_result r;
    const apart_status status = apart_distance(&tower, &upright, &box, &tilted, &options, NULL, &r);
    if (status != APART_OK || trace.count == 0 || trace.count > MOST_STEPS) {
        return 1;
    }

    /* Each step has a simplex of 1 to 4 point pairs; its point v nearest to the origin bounds the distance from above,
     * and the support pair in the direction of v bounds it from below. */
    double best_lower = 0.0, best_upper = steps[0].upper;
    printf("step  points  lower               upper\n");
    for (uint32_t i = 0; i < trace.count; i++) {
        best_lower = steps[i].lower > best_lower ? steps[i].lower : best_lower;
        best_upper = steps[i].upper < best_upper ? steps[i].upper : best_upper;
        printf("%4u  %6u  %-18.15g  %-18.15g\n", (unsigned)i + 1, (unsigned)steps[i].count, best_lower, best_upper);
    }
    printf("distance      %.15g, %s after %u iterations\n", r.distance, apart_stop_name(r.stop),
           (unsigned)r.iterations);

    /* The trace speaks of the cores; these two shapes have no rounding radius, so it must end where the result is. */
    const double gap = best_upper - best_lower;
    return r.relation == APART_DISJOINT && gap < 1e-12 && r.distance >= best_lower - 1e-12 &&
                   r.distance <= best_upper + 1e-12
               ? 0
               : 1;
}
