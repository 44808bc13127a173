/* Two hundred bodies drift through a box of air: all pairs nearer than 0.1, step by step, without looking at 19900
 * pairs each time.
 *
 * The world keeps the pairs that are near, and a bound of how far every body can have moved. A pair whose last
 * certified distance exceeds that is not looked at again; the last lines say how often.
 * Build: cc 10_world.c $(pkg-config --cflags --libs apart) -lm */
#include <stdio.h>

#include <apart/apart.h>

enum { BODIES = 200, STEPS = 50, ROOM = 1000 };

/* A small generator, so that the example prints the same everywhere. */
static double random_between(double low, double high)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

int main(void)
{
    const apart_shape shapes[] = {apart_sphere(0.3), apart_box((apart_vec3){0.3, 0.2, 0.1}), apart_capsule(0.1, 0.3),
                                  apart_cone(0.2, 0.3)};
    static apart_world_pair near[ROOM];
    static apart_body_id ids[BODIES];
    static apart_pose poses[BODIES];
    static apart_vec3 speed[BODIES];
    apart_world *world = NULL;
    if (apart_world_create(NULL, &world) != APART_OK) {
        return 1;
    }
    for (int i = 0; i < BODIES; i++) {
        const apart_vec3 at = {random_between(0, 6), random_between(0, 6), random_between(0, 6)};
        speed[i] = (apart_vec3){random_between(-0.02, 0.02), random_between(-0.02, 0.02), random_between(-0.02, 0.02)};
        apart_pose_from_quat_wxyz(1.0, random_between(-1, 1), random_between(-1, 1), random_between(-1, 1), at,
                                  &poses[i]);
        const apart_body_def def = {.solid = apart_solid_shape(&shapes[i % 4]), .pose = poses[i], .user = (uint64_t)i};
        if (apart_world_add(world, &def, &ids[i]) != APART_OK) {
            return 1;
        }
    }
    apart_world_list list = {.pairs = near, .capacity = ROOM};
    for (int step = 0; step <= STEPS; step++) {
        if (apart_world_move_many(world, ids, poses, BODIES) != APART_OK ||
            apart_world_below(world, 0.1, &list) != APART_OK) {
            return 1;
        }
        if (step % 10 == 0) {
            apart_world_pair first;
            apart_world_list nearest = {.pairs = &first, .capacity = 1};
            if (apart_world_nearest(world, 0, &nearest) != APART_OK) {
                return 1;
            }
            printf("step %2d: %2zu pairs nearer than 0.1; nearest: bodies %3u and %3u at %+.6f\n", step, list.total,
                   first.a.slot, first.b.slot, first.distance);
        }
        for (int i = 0; i < BODIES; i++) {
            poses[i].translation.x += speed[i].x;
            poses[i].translation.y += speed[i].y;
            poses[i].translation.z += speed[i].z;
        }
    }
    apart_world_stats stats;
    apart_world_get_stats(world, &stats);
    const double all = 0.5 * BODIES * (BODIES - 1) * (STEPS + 1);
    printf("of %.0f pairs %llu were looked at (%.2f %%); motion bounds saved %llu looks, %llu pairs are kept\n", all,
           (unsigned long long)stats.queries, 100.0 * (double)stats.queries / all, (unsigned long long)stats.saved,
           (unsigned long long)stats.pairs);
    apart_world_free(world);
    return stats.saved > stats.queries / 4 ? 0 : 1;
}
