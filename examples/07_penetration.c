/* A box is pushed into a rock, through contact: one signed number, and the shortest displacement that separates them.
 *
 * The distance is positive before contact, 0 at contact, and minus the depth after it; it has no jump.
 * Moving B by a - b separates overlapping bodies, and no shorter move does. The bodies move little from query to query, so both caches
 * are used.
 * Build: cc 07_penetration.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

/* The signed distance after B is moved by `displacement`. */
static double distance_after(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, apart_pose pose_b,
                             apart_vec3 displacement)
{
    apart_result r;
    pose_b.translation.x += displacement.x;
    pose_b.translation.y += displacement.y;
    pose_b.translation.z += displacement.z;
    return apart_distance(a, pose_a, b, &pose_b, NULL, NULL, &r) == APART_OK ? r.distance : NAN;
}

int main(void)
{
    const double xyz[][3] = {{-1, -1, -1},      {1.2, -0.8, -1},  {0.9, 1.1, -0.7}, {-1.1, 0.9, -1},
                             {-0.6, -0.7, 0.8}, {0.8, -0.5, 0.9}, {0.2, 0.9, 1}};
    apart_hull *hull = NULL;
    if (apart_hull_build(&xyz[0][0], sizeof xyz / sizeof xyz[0], NULL, &hull) != APART_OK) {
        return 1;
    }
    const apart_shape rock = apart_hull_shape(hull), box = apart_box((apart_vec3){0.4, 0.3, 0.5});
    const apart_pose still = apart_pose_identity();

    /* Memory for the surface that proves a depth: the next query of the same pair starts from it. */
    static double memory[APART_DEPTH_CACHE_BYTES(64) / sizeof(double)];
    apart_depth_cache *surface = NULL;
    apart_cache cache = {.count = 0};
    if (apart_depth_cache_init(memory, sizeof memory, &surface) != APART_OK) {
        apart_hull_free(hull);
        return 1;
    }
    const apart_options options = {.depth_cache = surface};
    int good = 1, inside = 0;
    double before = INFINITY;
    printf("   x      distance  relation      displacement out\n");
    for (int step = 0; step <= 24; step++) {
        const double x = 2.0 - 0.1 * step;
        apart_pose moving;
        apart_result r;
        if (apart_pose_from_rpy(0.3, 0.2, 0.5, (apart_vec3){x, 0.1, 0.2}, &moving) != APART_OK ||
            apart_distance(&rock, &still, &box, &moving, &options, &cache, &r) != APART_OK) {
            apart_hull_free(hull);
            return 1;
        }
        const apart_vec3 displacement = {r.a.x - r.b.x, r.a.y - r.b.y, r.a.z - r.b.z};
        printf("%5.2f  %10.6f  %-12s", x, r.distance, apart_relation_name(r.relation));
        if (r.relation == APART_OVERLAPPING) {
            const apart_vec3 less = {0.99 * displacement.x, 0.99 * displacement.y, 0.99 * displacement.z};
            printf("  (%.3f %.3f %.3f)", displacement.x, displacement.y, displacement.z);
            good = good && fabs(distance_after(&rock, &still, &box, moving, displacement)) < 1e-14 &&
                   distance_after(&rock, &still, &box, moving, less) < 0.0;
            inside++;
        }
        printf("\n");
        /* A push of 0.1 changes the distance by no more than that. */
        good = good && (step == 0 || fabs(r.distance - before) <= 0.1 + 1e-14);
        before = r.distance;
    }
    apart_hull_free(hull);
    printf("%s\n", good ? "every displacement out leads to contact" : "a displacement out is wrong");
    return good && inside > 10 ? 0 : 1;
}
