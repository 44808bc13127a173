/* Moving bodies: a tumbling box falls on a table, a bullet meets a thin plate, a ray hits both.
 *
 * The time of impact comes with a promise: at every moment before it the gap is positive. So the bodies may be moved
 * there, however fast they are.
 * Build: cc 08_motion.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

int main(void)
{
    const apart_vec3 center = {0, 0, 0};
    const apart_shape box = apart_box((apart_vec3){0.5, 0.3, 0.2}), table = apart_box((apart_vec3){2, 2, 0.1}),
                      bullet = apart_sphere(0.01), plate = apart_box((apart_vec3){1, 1, 0}); /* no thickness at all */
    const apart_pose high = apart_pose_translation(0, 0, 2), here = apart_pose_identity(),
                     far = apart_pose_translation(-500, 0, 0);
    apart_impact hit;

    /* The box's centre moves straight down by 3 while the box turns by 5 radians. */
    const apart_motion fall = apart_motion_velocity(&high, (apart_vec3){0, 0, -3}, (apart_vec3){4, 3, 0}, center);
    const apart_motion rest = apart_motion_rest(&here);
    if (apart_time_of_impact(&box, &fall, &table, &rest, NULL, NULL, &hit) != APART_OK) {
        return 1;
    }
    printf("the box meets the table at t = %.9f, after %u distance queries\n", hit.t, (unsigned)hit.iterations);
    printf("  at (%.6f, %.6f, %.6f), gap at most %.1e\n", hit.at.b.x, hit.at.b.y, hit.at.b.z, hit.upper);
    int good = hit.outcome == APART_OUTCOME_HIT && hit.upper <= hit.tolerance;

    /* No sample of the path before finds a contact: that is what the certificate says of every moment. */
    for (int i = 0; i < 1000; i++) {
        apart_pose pose;
        apart_result r;
        if (apart_motion_pose(&fall, hit.t * i / 1000, &pose) != APART_OK ||
            apart_distance(&box, &pose, &table, &here, NULL, NULL, &r) != APART_OK) {
            return 1;
        }
        good = good && r.lower > 0.0;
    }

    /* 1000 units in one step, through a plate without thickness, which turns: nothing is missed. */
    apart_pose upright;
    if (apart_pose_from_rpy(0, 1.2, 0, center, &upright) != APART_OK) {
        return 1;
    }
    const apart_motion shot = apart_motion_translation(&far, (apart_vec3){1000, 0, 0});
    const apart_motion swing = apart_motion_velocity(&upright, center, (apart_vec3){0, 0, 0.5}, center);
    if (apart_time_of_impact(&bullet, &shot, &plate, &swing, NULL, NULL, &hit) != APART_OK) {
        return 1;
    }
    printf("the bullet meets the plate at t = %.9f, after %u\n", hit.t, (unsigned)hit.iterations);
    good = good && hit.outcome == APART_OUTCOME_HIT && fabs(hit.t - 0.5) < 1e-4;

    /* A miss: how near do they come? */
    if (apart_sweep(&bullet, &far, (apart_vec3){1000, 0, 0}, &box, &high, center, NULL, NULL, &hit) != APART_OK) {
        return 1;
    }
    printf("the bullet passes the box in a distance of %.9f to %.9f\n", hit.lower, hit.upper);
    good = good && hit.outcome == APART_OUTCOME_CLEAR && hit.lower <= 1.79 && hit.upper >= 1.79;

    /* What does a ray from above see? */
    const apart_ray down = {{0.1, 0.1, 5}, {0, 0, -1}, INFINITY};
    apart_ray_hit seen;
    if (apart_raycast(&down, &box, &high, NULL, &seen) != APART_OK) {
        return 1;
    }
    printf("the ray meets the box after %g, on %s %u\n", seen.distance, apart_feature_name(seen.feature.kind),
           (unsigned)seen.feature.number);
    good = good && seen.hit == 1 && fabs(seen.distance - 2.8) < 1e-14;
    return good ? 0 : 1;
}
