/* Sixty bodies, all 1770 pairs, step by step: one call a step, with a cache for every pair, on two threads.
 *
 * The bodies' shapes and poses lie in the program's own structures, and so do the pairs: a batch reads and writes them
 * where they are. (Among many bodies most pairs need no query: see 10_world.c.)
 * Build: cc 11_batch.c $(pkg-config --cflags --libs apart) -lm */
#include <stdio.h>

#include <apart/apart.h>

enum { BODIES = 60, PAIRS = BODIES * (BODIES - 1) / 2, STEPS = 20 };

typedef struct body {
    apart_shape shape;
    apart_pose pose;
    double turn; /* a step, radians */
} body;

typedef struct pair {
    uint32_t a, b;
    apart_cache cache; /* zeros at first */
    apart_result result;
} pair;

static body bodies[BODIES];
static pair pairs[PAIRS];

static void make_bodies(void)
{
    size_t count = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const apart_shape shapes[] = {apart_box((apart_vec3){0.5, 0.4, 0.3}), apart_capsule(0.2, 0.5),
                                      apart_cone(0.4, 0.4)};
        bodies[i] = (body){shapes[i % 3], apart_pose_translation(1.2 * (i % 4), 1.2 * (i / 4 % 4), 1.2 * (i / 16)),
                           0.02 * (i % 7)};
        for (uint32_t k = 0; k < i; k++) {
            pairs[count++] = (pair){.a = k, .b = i};
        }
    }
}

static void turn_bodies(void)
{
    for (int i = 0; i < BODIES; i++) {
        apart_pose step;
        apart_pose_from_axis_angle((apart_vec3){1, 2, 3}, bodies[i].turn, (apart_vec3){0, 0, 0}, &step);
        bodies[i].pose = apart_pose_compose(&bodies[i].pose, &step);
    }
}

int main(void)
{
    apart_batch_bodies a = {.shapes = &bodies[0].shape,
                            .shape_stride = sizeof(body),
                            .poses = &bodies[0].pose,
                            .pose_stride = sizeof(body),
                            .indices = &pairs[0].a,
                            .index_stride = sizeof(pair),
                            .count = BODIES};
    apart_batch_bodies b = a;
    b.indices = &pairs[0].b;
    const apart_batch batch = {.count = PAIRS,
                               .a = a,
                               .b = b,
                               .caches = &pairs[0].cache,
                               .cache_stride = sizeof(pair),
                               .results = &pairs[0].result,
                               .result_stride = sizeof(pair),
                               .threads = 2};
    make_bodies();
    for (int step = 0; step <= STEPS; step++, turn_bodies()) {
        if (apart_distance_batch(&batch, NULL, NULL) != APART_OK) {
            return 1;
        }
        size_t nearest = 0;
        for (size_t i = 1; i < PAIRS; i++) {
            nearest = pairs[i].result.distance < pairs[nearest].result.distance ? i : nearest;
        }
        const body *first = &bodies[pairs[nearest].a], *second = &bodies[pairs[nearest].b];
        apart_result alone;
        if (apart_distance(&first->shape, &first->pose, &second->shape, &second->pose, NULL, NULL, &alone) !=
                APART_OK ||
            alone.lower > pairs[nearest].result.upper || alone.upper < pairs[nearest].result.lower) {
            return 1;
        }
        if (step % 5 == 0) {
            printf("step %2d: bodies %2u and %2u are nearest, %+.6f\n", step, pairs[nearest].a, pairs[nearest].b,
                   pairs[nearest].result.distance);
        }
    }
    return 0;
}
