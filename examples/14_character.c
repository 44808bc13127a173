/* A character controller: a capsule in a level of thousands of convex parts. It is freed from wherever it was put, by all
 * the planes around it, and then walks: cast, move, slide.
 *
 * usage: 14_character [PARTS [STARTS]]
 * Build: cc 14_character.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <apart/apart.h>

/* How near the character may come to anything. */
static const double skin = 0.01;

enum { MOST_PLANES = 64, PUSHES = 32, SWEEPS = 40 };

static double random_between(double low, double high)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

typedef struct game {
    apart_compound *level;
    apart_solid level_solid, body;
    apart_pose origin;
} game;

/* ---- out of what it is in ---- */

/* The planes of all parts nearer than the skin, the deepest first. */
static size_t find_planes(const game *g, const apart_pose *at, apart_part_pair planes[MOST_PLANES])
{
    apart_part_list list = {.pairs = planes, .capacity = MOST_PLANES};
    const apart_status status = apart_compound_below(g->body, at, g->level_solid, &g->origin, skin, &list);
    return status == APART_OK ? list.count : MOST_PLANES;
}

/* The shortest way, nearly, to the other side of all planes: each in turn pushes as far as it has to, again and again. */
static apart_vec3 way_out(const apart_part_pair *planes, size_t count)
{
    apart_vec3 way = {0, 0, 0};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < count; i++) {
            /* The normal leads from the character to the part. */
            const double gap = planes[i].distance - apart_vec3_dot(planes[i].normal, way);
            way = apart_vec3_add_scaled(way, gap < skin ? -1.01 * (skin - gap) : 0.0, planes[i].normal);
        }
    }
    return way;
}

static int is_free(const game *g, const apart_pose *at)
{
    int overlap = 1;
    return apart_compound_overlap(g->body, at, g->level_solid, &g->origin, NULL, NULL, &overlap, NULL) == APART_OK &&
           !overlap;
}

/* Moves the character to a free place near where it is. Planes know the parts around, and not what is behind them: where
 * pushing leads from one corner into the next, it is tried again from places farther and farther away. */
static int set_free(const game *g, apart_pose *at, unsigned *pushes)
{
    static apart_part_pair planes[MOST_PLANES];
    const apart_vec3 start = at->translation;
    for (int attempt = 0; attempt < 1000; attempt++) {
        const double away = 0.02 * attempt;
        const apart_vec3 from = {random_between(-away, away), random_between(-away, away), random_between(0, away)};
        at->translation = apart_vec3_add(start, from);
        for (int push = 0; push < PUSHES; push++) {
            if (is_free(g, at)) {
                return 1;
            }
            const size_t count = find_planes(g, at, planes);
            at->translation = apart_vec3_add(at->translation, way_out(planes, count));
            ++*pushes;
        }
    }
    return 0;
}

/* ---- cast, move, slide ---- */

/* Walks as far as the level allows, along what it meets; up to four parts a step. */
static int walk(const game *g, apart_pose *at, apart_vec3 way)
{
    const apart_vec3 still = {0, 0, 0};
    const apart_motion_options options = {.tolerance = 1e-4};
    for (int n = 0; n < 4 && apart_vec3_norm(way) > 1e-6; n++) {
        apart_compound_impact hit;
        if (apart_compound_sweep(g->body, at, way, g->level_solid, &g->origin, still, &options, &hit) != APART_OK) {
            return 0;
        }
        if (hit.impact.outcome == APART_OUTCOME_CLEAR) {
            at->translation = apart_vec3_add(at->translation, way);
            return 1;
        }
        /* To a little before the contact, and on along the wall. */
        const double t = fmax(0.0, hit.impact.t - 1e-3 / apart_vec3_norm(way));
        const apart_vec3 n_out = apart_vec3_neg(hit.impact.at.normal);
        at->translation = apart_vec3_add_scaled(at->translation, t, way);
        way = apart_vec3_scale(1.0 - t, way);
        way = apart_vec3_add_scaled(way, fmax(0.0, -apart_vec3_dot(way, n_out)), n_out);
    }
    return 1;
}

/* ---- the level ---- */

static apart_compound *make_level(size_t count, double side, apart_hull *rocks[8])
{
    apart_compound *level = NULL;
    apart_part *parts = calloc(count, sizeof *parts);
    for (int k = 0; parts != NULL && k < 8; k++) {
        double xyz[36];
        for (int i = 0; i < 36; i++) {
            xyz[i] = random_between(-0.5, 0.5);
        }
        apart_hull_build(xyz, 12, NULL, &rocks[k]);
    }
    for (size_t i = 0; parts != NULL && i < count; i++) {
        const apart_vec3 at = {random_between(0, side), random_between(0, side), random_between(0, 1.5)};
        const apart_vec3 half = {random_between(0.1, 0.4), random_between(0.1, 0.4), random_between(0.1, 0.6)};
        parts[i].shape = i % 4 == 0   ? apart_hull_shape(rocks[i / 4 % 8])
                         : i % 4 == 1 ? apart_cylinder(0.1, 0.6)
                                      : apart_box(half);
        apart_pose_from_quat_xyzw(0, 0, random_between(-1, 1), 1, at, &parts[i].pose);
    }
    if (parts == NULL || apart_compound_build(parts, count, NULL, &level) != APART_OK) {
        level = NULL;
    }
    free(parts);
    return level;
}

int main(int argc, char **argv)
{
    const size_t parts = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000,
                 starts = argc > 2 ? strtoul(argv[2], NULL, 10) : 50;
    const double side = sqrt((double)parts);
    const apart_shape capsule = apart_capsule(0.3, 0.5);
    apart_hull *rocks[8] = {NULL};
    game g = {.level = make_level(parts, side, rocks), .origin = apart_pose_identity()};
    g.level_solid = apart_solid_compound(g.level);
    g.body = apart_solid_shape(&capsule);
    if (g.level == NULL) {
        return 1;
    }
    size_t stuck = 0, freed = 0, kept_free = 0;
    unsigned pushes = 0;
    for (size_t i = 0; i < starts; i++) {
        const double x = random_between(0, side), y = random_between(0, side), z = random_between(0, 1);
        apart_pose at = apart_pose_translation(x, y, z);
        stuck += !is_free(&g, &at);
        freed += (size_t)set_free(&g, &at, &pushes);
        int good = 1;
        for (int step = 0; step < 20; step++) {
            const apart_vec3 way = {random_between(-0.3, 0.3), random_between(-0.3, 0.3), -0.05};
            good = good && walk(&g, &at, way);
        }
        kept_free += (size_t)(good && is_free(&g, &at));
    }
    printf("%zu parts: %zu of %zu starts were inside something; %zu are free, after %.1f pushes each\n", parts, stuck,
           starts, freed, (double)pushes / (double)starts);
    printf("%zu walked twenty steps and are still free\n", kept_free);
    apart_compound_free(g.level);
    for (int k = 0; k < 8; k++) {
        apart_hull_free(rocks[k]);
    }
    return freed == starts && kept_free == starts ? 0 : 1;
}
