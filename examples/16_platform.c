/* A platform game in the plane: the ground is a half-space, the level are polygons and platforms that let one jump through
 * from below, the hero is a capsule, bullets are circles.
 *
 * Poses come from angles with the library's own sine and cosine: a replay has the same bits on every machine.
 * Build: cc 16_platform.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

enum { GROUND = 1, SLOPE = 2, PLATFORM = 4, COIN = 8 };

typedef struct hero {
    apart_shape shape;
    apart_pose pose;
    apart_vec3 speed;
    int on_ground;
} hero;

static apart_pose at(double angle, double x, double y)
{
    apart_pose pose;
    apart_pose_from_angle_2d(angle, x, y, &pose);
    return pose;
}

/* Platforms count only for a hero who comes from above: his lowest point is over them. */
static int admit(void *context, apart_body_id body, uint64_t user)
{
    const hero *h = context;
    (void)body;
    return user != PLATFORM || (h->speed.y <= 0.0 && h->pose.translation.y > 2.0 + 0.7);
}

/* Moves the hero for a step: to what is in his way, then along it. */
static int move_hero(const apart_world *world, hero *h, double dt)
{
    apart_vec3 way = apart_vec3_scale(dt, h->speed);
    const apart_motion_options options = {.tolerance = 1e-4};
    h->on_ground = 0;
    for (int n = 0; n < 3 && apart_vec3_norm(way) > 1e-9; n++) {
        const apart_probe probe = {.solid = apart_solid_shape(&h->shape),
                                   .pose = h->pose,
                                   .mask = GROUND | SLOPE | PLATFORM,
                                   .filter = admit,
                                   .filter_context = h};
        apart_world_cast_hit hit;
        if (apart_world_cast(world, &probe, way, &options, &hit) != APART_OK) {
            return 0;
        }
        if (hit.impact.impact.outcome == APART_OUTCOME_CLEAR) {
            h->pose.translation = apart_vec3_add(h->pose.translation, way);
            return 1;
        }
        const apart_vec3 out = apart_vec3_neg(hit.impact.impact.at.normal);
        const double t = hit.impact.impact.t;
        /* To the contact, and a little off it. */
        h->pose.translation = apart_vec3_add_scaled(h->pose.translation, t, way);
        h->pose.translation = apart_vec3_add_scaled(h->pose.translation, 1e-3 - hit.impact.impact.at.distance, out);
        way = apart_vec3_scale(1.0 - t, way);
        way = apart_vec3_add_scaled(way, fmax(0.0, -apart_vec3_dot(way, out)), out);
        h->speed = apart_vec3_add_scaled(h->speed, fmax(0.0, -apart_vec3_dot(h->speed, out)), out);
        h->on_ground = h->on_ground || out.y > 0.7;
    }
    return 1;
}

/* Coins are collected where they overlap the hero. */
static int collect(void *context, apart_body_id body, uint64_t user, uint32_t part)
{
    (void)user, (void)part;
    *(apart_body_id *)context = body;
    return 0;
}

int main(void)
{
    const double ramp[] = {4, 0, 8, 0, 8, 2};
    const apart_shape ground = apart_half_space_2d(0, 1, 0), slope = apart_polygon(ramp, 3),
                      platform = apart_rectangle(1, 0.1), coin = apart_circle(0.2);
    const struct {
        const apart_shape *shape;
        apart_pose pose;
        uint64_t kind;
    } level[] = {{&ground, at(0, 0, 0), GROUND}, {&slope, at(0, 0, 0), SLOPE}, {&platform, at(0, 1, 2), PLATFORM},
                 {&coin, at(0, 6, 2.1), COIN},   {&coin, at(0, 1, 2.5), COIN}, {&platform, at(0, 10, 2), PLATFORM}};
    apart_world *world = NULL;
    if (apart_world_create(NULL, &world) != APART_OK) {
        return 1;
    }
    for (size_t i = 0; i < sizeof level / sizeof level[0]; i++) {
        const apart_body_def def = {.solid = apart_solid_shape(level[i].shape),
                                    .pose = level[i].pose,
                                    .user = level[i].kind,
                                    .category = level[i].kind};
        if (apart_world_add(world, &def, NULL) != APART_OK) {
            return 1;
        }
    }
    hero h = {.shape = apart_capsule_2d(0.3, 0.4), .pose = at(0, 1, 0.8)};
    int coins = 0, landed = 0;
    double highest = 0.0;
    for (int step = 0; step < 360; step++) {
        h.speed.x = step < 120 ? 0.0 : 3.0;
        h.speed.y -= 9.81 / 60;
        if (step == 20 && h.on_ground) {
            h.speed.y = 7.5; /* up through the platform */
        }
        if (!move_hero(world, &h, 1.0 / 60)) {
            return 1;
        }
        landed = landed || (step < 120 && h.on_ground && h.pose.translation.y > 2.5);
        highest = fmax(highest, h.pose.translation.y);
        apart_body_id found = {0, 0};
        const apart_probe reach = {.solid = apart_solid_shape(&h.shape), .pose = h.pose, .mask = COIN};
        if (apart_world_overlap(world, &reach, collect, &found) != APART_OK) {
            return 1;
        }
        if (found.generation != 0) {
            coins++;
            apart_world_remove(world, found);
            printf("step %3d: a coin at x = %.3f, y = %.3f\n", step, h.pose.translation.x, h.pose.translation.y);
        }
    }
    printf("the hero jumped through the platform%s, was at most %.3f high and is at (%.3f, %.3f)\n",
           landed ? " and stood on it" : "", highest, h.pose.translation.x, h.pose.translation.y);
    apart_world_free(world);
    return coins == 2 && landed && h.pose.translation.x > 8.0 ? 0 : 1;
}
