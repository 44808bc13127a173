/* The loop of an engine: bodies with user data and collision masks, poses in, contact manifolds and events out, on the
 * engine's own job system, and a click of the mouse.
 *
 * Debris falls through rain: both meet the ground, rain meets no rain. Nothing here knows mechanics; a real engine would
 * solve the contacts (docs/simulation.md).
 * Build: cc 13_engine_loop.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

enum { BODIES = 400, STEPS = 90, ROOM = 2000 };
enum { GROUND = 1, DEBRIS = 2, RAIN = 4 };

/* What the engine knows of a body: its user data is the number of one of these. */
typedef struct entity {
    apart_body_id body;
    apart_pose pose;
    unsigned touches;
} entity;

static entity entities[BODIES];
static unsigned long jobs;

/* The engine's job system: this one has a single worker. */
static void run_jobs(void *user, size_t count, apart_task *task, void *context)
{
    *(unsigned long *)user += count;
    for (size_t i = 0; i < count; i++) {
        task(context, i);
    }
}

static double random_between(double low, double high)
{
    static uint64_t state = 3;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static int add_bodies(apart_world *world)
{
    const apart_shape ground = apart_half_space((apart_vec3){0, 0, 1}, 0),
                      debris[] = {apart_box((apart_vec3){0.3, 0.2, 0.25}), apart_cylinder(0.2, 0.3)},
                      drop = apart_sphere(0.1);
    for (unsigned i = 0; i < BODIES; i++) {
        const apart_shape *shape = i == 0 ? &ground : i % 2 ? &debris[i / 2 % 2] : &drop;
        const apart_vec3 at = {random_between(0, 8), random_between(0, 8), random_between(0.5, 6)};
        entities[i].pose = apart_pose_identity();
        if (i > 0) {
            apart_pose_from_quat_wxyz(1, random_between(-1, 1), random_between(-1, 1), 0, at, &entities[i].pose);
        }
        const apart_body_def def = {.solid = apart_solid_shape(shape),
                                    .pose = entities[i].pose,
                                    .user = i,
                                    .category = i == 0  ? GROUND
                                                : i % 2 ? DEBRIS
                                                        : RAIN,
                                    .mask = i == 0 || i % 2 ? 0 : GROUND | DEBRIS};
        if (apart_world_add(world, &def, &entities[i].body) != APART_OK) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    static apart_world_contact contacts[ROOM];
    static apart_world_touch begin[ROOM], end[ROOM];
    const apart_world_options options = {.executor = {run_jobs, &jobs}};
    const apart_contact_options near = {.margin = 0.01};
    apart_world *world = NULL;
    size_t begun = 0, ended = 0, points = 0;
    if (apart_world_create(&options, &world) != APART_OK || !add_bodies(world)) {
        return 1;
    }
    for (int step = 0; step < STEPS; step++) {
        for (unsigned i = 1; i < BODIES; i++) {
            entities[i].pose.translation.z -= i % 2 ? 0.01 : 0.04;
            if (apart_world_move(world, entities[i].body, &entities[i].pose) != APART_OK) {
                return 1;
            }
        }
        apart_world_contact_list list = {.contacts = contacts, .capacity = ROOM};
        apart_world_event_list events = {.begin = begin, .begin_capacity = ROOM, .end = end, .end_capacity = ROOM};
        if (apart_world_contacts(world, &near, &list) != APART_OK || list.total > list.count ||
            apart_world_events(world, near.margin, &events) != APART_OK) {
            return 1;
        }
        for (size_t i = 0; i < list.count; i++) { /* here a solver would push */
            points += contacts[i].manifold.count;
        }
        for (size_t i = 0; i < events.begin_count; i++) { /* and here a sound would play */
            entities[begin[i].user_a].touches++;
            entities[begin[i].user_b].touches++;
        }
        begun += events.begin_count;
        ended += events.end_count;
        if (step % 30 == 29) {
            printf("step %2d: %3zu contacts; so far %4zu began and %4zu ended\n", step + 1, list.count, begun, ended);
        }
    }

    /* What is under the mouse, rain apart? */
    const apart_ray mouse = {{4, -3, 3}, {0, 1, -0.4}, 100};
    const apart_probe solid_things = {.mask = GROUND | DEBRIS};
    apart_world_ray_hit first;
    apart_world_ray_list hits = {.hits = &first, .capacity = 1};
    if (apart_world_raycast_all(world, &mouse, &solid_things, &hits) != APART_OK) {
        return 1;
    }
    printf("the mouse is on body %u, %.3f away; %zu bodies are on its line\n", (unsigned)first.user, first.hit.distance,
           hits.total);
    printf("%lu jobs; the ground was touched %u times\n", jobs, entities[0].touches);
    const int good = begun >= ended && points > 0 && jobs > 0 && entities[0].touches > 0 && first.hit.hit;
    apart_world_free(world);
    return good ? 0 : 1;
}
