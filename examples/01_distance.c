/* How far apart are a sphere and a box? The smallest use of apart.
 *
 * Build: cc 01_distance.c $(pkg-config --cflags --libs apart) */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

int main(void)
{
    /* A shape is a plain value in its own frame; a pose puts it into the world. */
    const apart_shape ball = apart_sphere(1.0);
    const apart_shape box = apart_box((apart_vec3){0.5, 1.0, 0.25}); /* half extents */
    const apart_pose pose_ball = apart_pose_identity();
    const apart_pose pose_box = apart_pose_translation(3.0, 0.0, 0.0);

    apart_result r;
    apart_status status = apart_distance(&ball, &pose_ball, &box, &pose_box, NULL, NULL, &r);
    if (status != APART_OK) {
        fprintf(stderr, "%s\n", apart_status_message(status));
        return 1;
    }
    printf("distance  %.17g (%s)\n", r.distance, apart_relation_name(r.relation));
    printf("bounds    %.17g to %.17g\n", r.lower, r.upper);
    printf("on ball   (%g, %g, %g)\n", r.a.x, r.a.y, r.a.z);
    printf("on box    (%g, %g, %g)\n", r.b.x, r.b.y, r.b.z);
    printf("normal    (%g, %g, %g), from A to B\n", r.normal.x, r.normal.y, r.normal.z);
    if (fabs(r.distance - 1.5) > 1e-14 || r.lower > 1.5 || r.upper < 1.5) {
        return 1;
    }

    /* Moved together until they overlap, the distance goes below zero: minus the length of the shortest displacement that separates them. */
    const apart_pose closer = apart_pose_translation(1.25, 0.0, 0.0);
    status = apart_distance(&ball, &pose_ball, &box, &closer, NULL, NULL, &r);
    if (status != APART_OK) {
        return 1;
    }
    printf("closer    %.17g (%s)\n", r.distance, apart_relation_name(r.relation));
    return fabs(r.distance + 0.25) < 1e-14 && r.relation == APART_OVERLAPPING ? 0 : 1;
}
