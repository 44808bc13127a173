/* bench_compound: compounds far apart beside the one pair of parts that decides. For each number of parts: apart_compound_distance, cold
 * and tracked, against apart_distance of the deciding parts with their poses joined beforehand; the pairs of parts that were looked at.
 *
 * usage: bench_compound                        a table of times
 *        bench_compound PARTS MODE ROUNDS      MODE: cold, tracked, pair-cold, pair-tracked; for callgrind: prints the queries of a round
 *
 * Two bodies of PARTS hulls of 20 vertices each, strewn over a ball of radius 1; centres 5 apart; in a step B moves by 0.01 and turns by
 * about half a degree. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "random.h"

enum { VERTICES = 20, PAIRS = 20, STEPS = 20, MAX_ROUNDS = 3, REPEATS = 25 };

static const unsigned part_counts[] = {1, 2, 10, 50, 200};

typedef enum mode { COLD, TRACKED, PAIR_COLD, PAIR_TRACKED, MODES } mode;
static const char *const mode_names[] = {"cold", "tracked", "pair-cold", "pair-tracked"};

/* One question: the bodies, and the parts that decide. */
typedef struct question {
    apart_pose pose_a, pose_b;
    const apart_shape *part_a, *part_b;
    apart_pose joined_a, joined_b;
} question;

typedef struct scene {
    apart_hull *hull[PAIRS];
    apart_compound *body[2 * PAIRS];
    question asked[PAIRS][STEPS];
    double queries[2], boxes[2]; /* a call, cold and tracked */
} scene;

static void check(apart_status status)
{
    if (status != APART_OK) {
        fprintf(stderr, "bench_compound: %s\n", apart_status_message(status));
        exit(2);
    }
}

static apart_hull *make_hull(bench_random *r, double radius)
{
    double xyz[3 * VERTICES];
    apart_hull *hull = NULL;
    for (int i = 0; i < VERTICES; i++) {
        const apart_vec3 p = random_direction(r);
        xyz[3 * i] = radius * p.x;
        xyz[3 * i + 1] = radius * p.y;
        xyz[3 * i + 2] = radius * p.z;
    }
    check(apart_hull_build(xyz, VERTICES, NULL, &hull));
    return hull;
}

/* Parts take about as much room as they would in a body taken apart: radius 0.5 for ten. */
static apart_compound *make_body(bench_random *r, const scene *s, unsigned parts)
{
    apart_part *part = bench_allocate(parts, sizeof *part);
    apart_compound *body = NULL;
    for (unsigned i = 0; i < parts; i++) {
        const apart_vec3 d = random_direction(r);
        const double away = cbrt(random_between(r, 0.0, 1.0));
        const apart_pose pose = random_pose(r, (apart_vec3){away * d.x, away * d.y, away * d.z});
        part[i] = (apart_part){apart_hull_shape(s->hull[random_below(r, PAIRS)]), pose};
    }
    check(apart_compound_build(part, parts, NULL, &body));
    free(part);
    return body;
}

static void set_question(question *q, const scene *s, int pair, const apart_compound_result *r)
{
    const apart_part *a = apart_compound_part(s->body[2 * pair], r->part_a), *b = apart_compound_part(s->body[2 * pair + 1], r->part_b);
    q->part_a = &a->shape;
    q->part_b = &b->shape;
    q->joined_a = apart_pose_compose(&q->pose_a, &a->pose);
    q->joined_b = apart_pose_compose(&q->pose_b, &b->pose);
}

static void answer(const scene *s, int pair, const question *q, apart_compound_cache *cache, apart_compound_result *r)
{
    check(apart_compound_distance(apart_solid_compound(s->body[2 * pair]), &q->pose_a, apart_solid_compound(s->body[2 * pair + 1]),
                                  &q->pose_b, NULL, cache, r));
}

static scene *make_scene(unsigned parts)
{
    scene *s = bench_allocate(1, sizeof *s);
    bench_random r = {1};
    for (int i = 0; i < PAIRS; i++) {
        s->hull[i] = make_hull(&r, random_between(&r, 0.4, 1.0) / cbrt((double)parts));
    }
    for (int i = 0; i < PAIRS; i++) {
        apart_compound_cache cache = {.part_a = 0};
        apart_pose turn, at = random_pose(&r, (apart_vec3){0, 0, 0});
        const apart_vec3 away = random_direction(&r), way = random_direction(&r), axis = random_direction(&r);
        s->body[2 * i] = make_body(&r, s, parts);
        s->body[2 * i + 1] = make_body(&r, s, parts);
        const apart_pose fixed = random_pose(&r, (apart_vec3){0, 0, 0});
        check(apart_pose_from_axis_angle(axis, 0.01, (apart_vec3){0, 0, 0}, &turn));
        for (int k = 0; k < STEPS; k++) {
            question *q = &s->asked[i][k];
            apart_compound_result cold, tracked;
            at.rotation = apart_pose_compose(&turn, &at).rotation;
            q->pose_a = fixed;
            const double step = 0.01 * k;
            q->pose_b = (apart_pose){at.rotation, {5.0 * away.x + step * way.x, 5.0 * away.y + step * way.y, 5.0 * away.z + step * way.z}};
            answer(s, i, q, NULL, &cold);
            answer(s, i, q, &cache, &tracked);
            set_question(q, s, i, &cold);
            s->queries[COLD] += (double)cold.queries / (PAIRS * STEPS);
            s->boxes[COLD] += (double)cold.boxes / (PAIRS * STEPS);
            s->queries[TRACKED] += k > 0 ? (double)tracked.queries / (PAIRS * (STEPS - 1)) : 0.0;
            s->boxes[TRACKED] += k > 0 ? (double)tracked.boxes / (PAIRS * (STEPS - 1)) : 0.0;
        }
    }
    return s;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        apart_compound_free(s->body[i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        apart_hull_free(s->hull[i]);
    }
    free(s);
}

/* Steps `first` to `end` of all pairs, with the caches as they are. */
static void ask(const scene *s, mode how, apart_compound_cache *caches, int first, int end)
{
    const bool pairs_alone = how == PAIR_COLD || how == PAIR_TRACKED, tracked = how == TRACKED || how == PAIR_TRACKED;
    for (int k = first; k < end; k++) {
        for (int i = 0; i < PAIRS; i++) {
            const question *q = &s->asked[i][k];
            if (pairs_alone) {
                apart_result r;
                check(apart_distance(q->part_a, &q->joined_a, q->part_b, &q->joined_b, NULL, tracked ? &caches[i].cache : NULL, &r));
                bench_sink += r.distance + r.a.x + r.normal.y;
            } else {
                apart_compound_result r;
                answer(s, i, q, tracked ? &caches[i] : NULL, &r);
                bench_sink += r.result.distance + r.result.a.x + r.result.normal.y;
            }
        }
    }
}

static double thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double measure(const scene *s, mode how)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        apart_compound_cache caches[PAIRS] = {{.part_a = 0}};
        ask(s, how, caches, 0, 1);
        const double start = thread_ns();
        ask(s, how, caches, 1, STEPS);
        best = fmin(best, (thread_ns() - start) / (PAIRS * (STEPS - 1)));
    }
    return best;
}

static void show_table(void)
{
    puts("parts       pair ns   compound ns   ratio   part queries   boxes");
    for (size_t i = 0; i < sizeof part_counts / sizeof *part_counts; i++) {
        scene *s = make_scene(part_counts[i]);
        for (int how = COLD; how <= TRACKED; how++) {
            const double alone = measure(s, how == COLD ? PAIR_COLD : PAIR_TRACKED), both = measure(s, (mode)how);
            printf("%5u %-8s %6.0f %13.0f %7.2f %14.2f %7.1f\n", part_counts[i], mode_names[how], alone, both, both / alone,
                   s->queries[how], s->boxes[how]);
        }
        free_scene(s);
    }
}

static int complain(void)
{
    fputs("usage: bench_compound [PARTS cold|tracked|pair-cold|pair-tracked ROUNDS]   ROUNDS: 0 to 3\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        show_table();
        return 0;
    }
    const int parts = argc == 4 ? atoi(argv[1]) : 0, rounds = argc == 4 ? atoi(argv[3]) : 0;
    int how = 0;
    while (argc == 4 && how < MODES && strcmp(argv[2], mode_names[how]) != 0) {
        how++;
    }
    if (parts <= 0 || how == MODES || rounds < 0 || rounds > MAX_ROUNDS) {
        return complain();
    }
    scene *s = make_scene((unsigned)parts);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        apart_compound_cache caches[PAIRS] = {{.part_a = 0}};
        ask(s, (mode)how, caches, 0, 1);
        ask(s, (mode)how, caches, 1, round < rounds ? STEPS : 1);
    }
    printf("%d\n", PAIRS * (STEPS - 1));
    free_scene(s);
    return 0;
}
