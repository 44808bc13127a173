/* bench_compound: compounds far apart beside the one pair of parts that decides. For each number of parts:
 * apart_compound_distance, cold and tracked, against apart_distance of the deciding parts, with their poses joined
 * beforehand and with the two calls of apart_pose_compose that a user of bare parts has to make; the pairs of parts
 * that were evaluated.
 *
 * usage: bench_compound                               a table of times; another one of yes or no, times of impact and rays
 *        bench_compound PARTS MODE ROUNDS [SCENE]     MODE: cold, tracked, pair-cold, pair-tracked, join-cold, join-tracked;
 *                                                     SCENE: dense, sparse, touching, deep; for callgrind: prints the queries of
 *                                                     a round
 *
 * dense: two bodies of PARTS hulls of 20 vertices each, spread over a sphere of radius 1; centres 5 apart; in a step B
 * moves by 0.01 and turns by about half a degree. Further rows have 1 and 10 parts that cost more: hulls of 100
 * vertices, and cylinders with boxes.
 *
 * sparse: parts that are far apart, of radius 0.06 to 0.1, on a grid of spacing 1 and up to 0.15 off it in each
 * coordinate, so that gaps are several times their size; the nearest parts of the two bodies are 0.5 apart at first; in a
 * step B moves by 0.01, and as much at its rim by turning.
 *
 * touching: the same with parts that are 0.05 deep in each other at first, and mostly stay so.
 *
 * deep: dense bodies with centres 1 apart, so that many parts of one are in many of the other. */
#define _POSIX_C_SOURCE 200112L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "../apps/lab/random.h"

enum { MOST_VERTICES = 100, PAIRS = 20, STEPS = 20, MAX_ROUNDS = 3, REPEATS = 25 };

static const unsigned part_counts[] = {1, 2, 10, 50, 200};

/* What the parts are: hulls of that many vertices, or 0: cylinders on A and boxes on B. */
static const struct {
    const char *name;
    int vertices;
} kinds[] = {{"hull-20", 20}, {"hull-100", 100}, {"cylinder-box", 0}};

typedef enum layout { DENSE, SPARSE, TOUCHING, DEEP, LAYOUTS } layout;
static const char *const layout_names[] = {"dense", "sparse", "touching", "deep"};

static bool is_strewn(layout where) { return where == DENSE || where == DEEP; }

typedef enum mode { COLD, TRACKED, PAIR_COLD, PAIR_TRACKED, JOIN_COLD, JOIN_TRACKED, MODES } mode;
static const char *const mode_names[] = {"cold", "tracked", "pair-cold", "pair-tracked", "join-cold", "join-tracked"};

/* One question: the bodies, and the parts that decide. */
typedef struct question {
    apart_pose pose_a, pose_b;
    const apart_part *part_a, *part_b;
    apart_pose joined_a, joined_b;
} question;

typedef struct scene {
    apart_hull *hull[PAIRS];     /* NULL: none */
    apart_shape shape[2][PAIRS]; /* of A's parts, and of B's */
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

static apart_hull *make_hull(lab_random *r, double radius, int vertices)
{
    double xyz[3 * MOST_VERTICES];
    apart_hull *hull = NULL;
    for (int i = 0; i < vertices; i++) {
        const apart_vec3 p = lab_random_direction(r);
        xyz[3 * i] = radius * p.x;
        xyz[3 * i + 1] = radius * p.y;
        xyz[3 * i + 2] = radius * p.z;
    }
    check(apart_hull_build(xyz, (size_t)vertices, NULL, &hull));
    return hull;
}

/* Parts take about as much room as they would in a body taken apart: radius 0.5 for ten. */
static void make_shapes(scene *s, lab_random *r, unsigned parts, int vertices, layout where)
{
    for (int i = 0; i < PAIRS; i++) {
        const double dense = lab_random_between(r, 0.4, 1.0) / cbrt((double)parts);
        const double radius = is_strewn(where) ? dense : lab_random_between(r, 0.06, 0.1);
        s->hull[i] = vertices > 0 ? make_hull(r, radius, vertices) : NULL;
        s->shape[0][i] = vertices > 0 ? apart_hull_shape(s->hull[i]) : apart_cylinder(0.6 * radius, 0.8 * radius);
        s->shape[1][i] =
            vertices > 0 ? s->shape[0][i] : apart_box((apart_vec3){0.5 * radius, 0.6 * radius, 0.6 * radius});
    }
}

static apart_vec3 place_dense(lab_random *r)
{
    const apart_vec3 d = lab_random_direction(r);
    const double away = cbrt(lab_random_between(r, 0.0, 1.0));
    return (apart_vec3){away * d.x, away * d.y, away * d.z};
}

/* Near the i-th point of the grid, around the origin. */
static apart_vec3 place_sparse(lab_random *r, unsigned i, unsigned parts)
{
    const unsigned side = (unsigned)ceil(cbrt((double)parts) - 1e-9);
    const double middle = 0.5 * (side - 1.0);
    const double x = lab_random_between(r, -0.15, 0.15), y = lab_random_between(r, -0.15, 0.15),
                 z = lab_random_between(r, -0.15, 0.15);
    return (apart_vec3){i % side - middle + x, i / side % side - middle + y, i / (side * side) - middle + z};
}

static apart_compound *make_body(lab_random *r, const apart_shape shapes[PAIRS], unsigned parts, layout where)
{
    apart_part *part = bench_allocate(parts, sizeof *part);
    apart_compound *body = NULL;
    for (unsigned i = 0; i < parts; i++) {
        const apart_pose pose = lab_random_pose(r, is_strewn(where) ? place_dense(r) : place_sparse(r, i, parts));
        part[i] = (apart_part){shapes[lab_random_below(r, PAIRS)], pose};
    }
    check(apart_compound_build(part, parts, NULL, &body));
    free(part);
    return body;
}

static void set_question(question *q, const scene *s, int pair, const apart_compound_result *r)
{
    const apart_part *a = apart_compound_part(s->body[2 * pair], r->part_a),
                     *b = apart_compound_part(s->body[2 * pair + 1], r->part_b);
    q->part_a = a;
    q->part_b = b;
    q->joined_a = apart_pose_compose(&q->pose_a, &a->pose);
    q->joined_b = apart_pose_compose(&q->pose_b, &b->pose);
}

static void answer(const scene *s, int pair, const question *q, apart_compound_cache *cache, apart_compound_result *r)
{
    check(apart_compound_distance(apart_solid_compound(s->body[2 * pair]), &q->pose_a,
                                  apart_solid_compound(s->body[2 * pair + 1]), &q->pose_b, NULL, cache, r));
}

/* Where B has to be for a gap, if it comes along a line that leads a part of it to one of A's: never beyond the gap, as
 * distances change by no more than B moves. */
static apart_vec3 place_at_gap(const scene *s, int pair, const question *first, apart_vec3 away, double gap)
{
    const apart_vec3 a = apart_pose_apply(&first->pose_a, apart_compound_part(s->body[2 * pair], 0)->pose.translation);
    const apart_vec3 b =
        apart_pose_apply(&first->pose_b, apart_compound_part(s->body[2 * pair + 1], 0)->pose.translation);
    question q = *first;
    double at = 50.0;
    for (int i = 0; i < 100; i++) {
        apart_compound_result r;
        q.pose_b.translation = (apart_vec3){a.x - b.x + at * away.x, a.y - b.y + at * away.y, a.z - b.z + at * away.z};
        answer(s, pair, &q, NULL, &r);
        at -= r.result.distance - gap;
    }
    return q.pose_b.translation;
}

/* How a body moves. */
typedef struct course {
    apart_pose at, turn;
    apart_vec3 start, way;
} course;

static course make_course(const scene *s, lab_random *r, int pair, const apart_pose *pose_a, layout where)
{
    course c = {.at = lab_random_pose(r, (apart_vec3){0, 0, 0}), .way = lab_random_direction(r)};
    const apart_vec3 away = lab_random_direction(r);
    apart_vec3 center;
    c.start = apart_vec3_scale(where == DEEP ? 1.0 : 5.0, away);
    double radius = 1.0;
    if (!is_strewn(where)) {
        check(apart_solid_ball(apart_solid_compound(s->body[2 * pair + 1]), &center, &radius));
        c.start =
            place_at_gap(s, pair, &(question){.pose_a = *pose_a, .pose_b = c.at}, away, where == SPARSE ? 0.5 : -0.05);
    }
    check(
        apart_pose_from_axis_angle(lab_random_direction(r), 0.01 / fmax(radius, 1.0), (apart_vec3){0, 0, 0}, &c.turn));
    return c;
}

static void set_step(scene *s, int pair, int step, const course *c, apart_compound_cache *cache)
{
    question *q = &s->asked[pair][step];
    const apart_vec3 from = c->start, moved = apart_vec3_scale(0.01 * step, c->way);
    apart_compound_result cold, tracked;
    q->pose_b = (apart_pose){c->at.rotation, {from.x + moved.x, from.y + moved.y, from.z + moved.z}};
    answer(s, pair, q, NULL, &cold);
    answer(s, pair, q, cache, &tracked);
    set_question(q, s, pair, &cold);
    s->queries[COLD] += (double)cold.queries / (PAIRS * STEPS);
    s->boxes[COLD] += (double)cold.boxes / (PAIRS * STEPS);
    s->queries[TRACKED] += step > 0 ? (double)tracked.queries / (PAIRS * (STEPS - 1)) : 0.0;
    s->boxes[TRACKED] += step > 0 ? (double)tracked.boxes / (PAIRS * (STEPS - 1)) : 0.0;
}

static scene *make_scene(unsigned parts, int vertices, layout where)
{
    scene *s = bench_allocate(1, sizeof *s);
    lab_random r = {1};
    make_shapes(s, &r, parts, vertices, where);
    for (int i = 0; i < PAIRS; i++) {
        apart_compound_cache cache = {.part_a = 0};
        s->body[2 * i] = make_body(&r, s->shape[0], parts, where);
        s->body[2 * i + 1] = make_body(&r, s->shape[1], parts, where);
        const apart_pose fixed = lab_random_pose(&r, (apart_vec3){0, 0, 0});
        course c = make_course(s, &r, i, &fixed, where);
        for (int k = 0; k < STEPS; k++) {
            c.at.rotation = apart_pose_compose(&c.turn, &c.at).rotation;
            s->asked[i][k].pose_a = fixed;
            set_step(s, i, k, &c, &cache);
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

static void answer_part(const question *q, mode how, apart_cache *cache)
{
    apart_result r;
    if (how == JOIN_COLD || how == JOIN_TRACKED) {
        const apart_pose a = apart_pose_compose(&q->pose_a, &q->part_a->pose),
                         b = apart_pose_compose(&q->pose_b, &q->part_b->pose);
        check(apart_distance(&q->part_a->shape, &a, &q->part_b->shape, &b, NULL, cache, &r));
    } else {
        check(apart_distance(&q->part_a->shape, &q->joined_a, &q->part_b->shape, &q->joined_b, NULL, cache, &r));
    }
    bench_sink += r.distance + r.a.x + r.normal.y;
}

/* Steps `first` to `end` of all pairs, with the caches as they are. */
static void ask(const scene *s, mode how, apart_compound_cache *caches, int first, int end)
{
    const bool tracked = how == TRACKED || how == PAIR_TRACKED || how == JOIN_TRACKED;
    for (int k = first; k < end; k++) {
        for (int i = 0; i < PAIRS; i++) {
            const question *q = &s->asked[i][k];
            if (how != COLD && how != TRACKED) {
                answer_part(q, how, tracked ? &caches[i].cache : NULL);
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

/* The best of all repeats, of the compounds, of the pairs alone, and of the pairs with joining, in turn: what else the
 * machine does hits all three. */
static void measure(const scene *s, bool tracked, double best[3])
{
    best[0] = best[1] = best[2] = INFINITY;
    for (int i = 0; i < 3 * REPEATS; i++) {
        const mode how = (mode)(2 * (i % 3) + (tracked ? 1 : 0));
        apart_compound_cache caches[PAIRS] = {{.part_a = 0}};
        ask(s, how, caches, 0, 1);
        const double start = thread_ns();
        ask(s, how, caches, 1, STEPS);
        best[i % 3] = fmin(best[i % 3], (thread_ns() - start) / (PAIRS * (STEPS - 1)));
    }
}

static void show_rows(unsigned parts, const char *name, int vertices, layout where)
{
    scene *s = make_scene(parts, vertices, where);
    for (int how = COLD; how <= TRACKED; how++) {
        double ns[3];
        measure(s, how == TRACKED, ns);
        printf("%-8s %5u %-13s %-8s %8.0f %14.0f %13.0f %7.2f %14.2f %14.2f %7.1f\n", layout_names[where], parts, name,
               mode_names[how], ns[1], ns[2], ns[0], ns[0] / ns[1], ns[0] / ns[2], s->queries[how], s->boxes[how]);
    }
    free_scene(s);
}

static void show_all_counts(layout where)
{
    for (size_t i = 0; i < sizeof part_counts / sizeof *part_counts; i++) {
        show_rows(part_counts[i], kinds[0].name, kinds[0].vertices, where);
    }
}

static void show_table(void)
{
    puts(
        "scene    parts                         pair ns   with joining   compound ns   ratio   with joining   part queries   boxes");
    show_all_counts(DENSE);
    for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++) {
        show_rows(1, kinds[i].name, kinds[i].vertices, DENSE);
        show_rows(10, kinds[i].name, kinds[i].vertices, DENSE);
    }
    for (layout where = SPARSE; where <= DEEP; where++) {
        show_all_counts(where);
    }
}

/* ---- other questions ---- */

/* What one round of a question takes and finds, for all pairs. */
typedef struct tally {
    unsigned asked, found;
    double looked_at; /* pairs of parts */
} tally;

typedef tally question_fn(const scene *s);

static tally ask_overlaps(const scene *s)
{
    tally t = {0, 0, 0.0};
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < STEPS; k++) {
            const question *q = &s->asked[i][k];
            int overlap;
            check(apart_compound_overlap(apart_solid_compound(s->body[2 * i]), &q->pose_a,
                                         apart_solid_compound(s->body[2 * i + 1]), &q->pose_b, NULL, NULL, &overlap,
                                         NULL));
            t.asked++;
            t.found += overlap != 0;
        }
    }
    return t;
}

/* B crosses to the other side of A, and turns by a radian meanwhile. */
static tally ask_impacts(const scene *s)
{
    tally t = {0, 0, 0.0};
    for (int i = 0; i < PAIRS; i++) {
        const question *q = &s->asked[i][0];
        const apart_motion rest = apart_motion_rest(&q->pose_a);
        const apart_motion crossing = apart_motion_velocity(&q->pose_b, apart_vec3_scale(-2.0, q->pose_b.translation),
                                                            (apart_vec3){0, 0.6, 0.8}, q->pose_b.translation);
        apart_compound_impact impact;
        check(apart_compound_time_of_impact(apart_solid_compound(s->body[2 * i]), &rest,
                                            apart_solid_compound(s->body[2 * i + 1]), &crossing, NULL, &impact));
        t.asked++;
        t.found += impact.impact.outcome == APART_OUTCOME_HIT;
        t.looked_at += impact.queries;
    }
    return t;
}

/* From where B is, to places in the ball around A. */
static tally ask_rays(const scene *s)
{
    tally t = {0, 0, 0.0};
    lab_random r = {2};
    for (int i = 0; i < PAIRS; i++) {
        const apart_solid body = apart_solid_compound(s->body[2 * i]);
        const question *q = &s->asked[i][0];
        const apart_vec3 from = apart_vec3_scale(2.0, q->pose_b.translation);
        apart_vec3 center;
        double radius;
        check(apart_solid_ball(body, &center, &radius));
        center = apart_pose_apply(&q->pose_a, center);
        for (int k = 0; k < STEPS; k++) {
            const apart_vec3 to = apart_vec3_scale(radius, place_dense(&r));
            const apart_ray ray = {from,
                                   {center.x + to.x - from.x, center.y + to.y - from.y, center.z + to.z - from.z},
                                   INFINITY};
            apart_ray_hit hit;
            check(apart_compound_raycast(&ray, body, &q->pose_a, &hit, NULL));
            t.asked++;
            t.found += hit.hit;
        }
    }
    return t;
}

static void show_question(const scene *s, question_fn *ask_all, const char *name, unsigned parts, layout where)
{
    double best = INFINITY;
    tally t = {0, 0, 0.0};
    for (int i = 0; i < REPEATS; i++) {
        const double start = thread_ns();
        t = ask_all(s);
        best = fmin(best, (thread_ns() - start) / t.asked);
    }
    printf("%-8s %5u %-9s %12.0f %9.2f", layout_names[where], parts, name, best, (double)t.found / t.asked);
    printf(t.looked_at > 0.0 ? " %14.1f\n" : "\n", t.looked_at / t.asked);
}

/* Yes or no, cold; time of impact; rays. */
static void show_other_questions(void)
{
    puts("\nscene    parts question            ns     found   part queries");
    for (layout where = DENSE; where <= SPARSE; where++) {
        for (size_t i = 2; i < sizeof part_counts / sizeof *part_counts; i++) {
            scene *s = make_scene(part_counts[i], kinds[0].vertices, where);
            show_question(s, ask_overlaps, "overlap", part_counts[i], where);
            show_question(s, ask_impacts, "impact", part_counts[i], where);
            show_question(s, ask_rays, "ray", part_counts[i], where);
            free_scene(s);
        }
    }
}

static int complain(void)
{
    fputs(
        "usage: bench_compound [PARTS [pair-|join-]cold|tracked ROUNDS [dense|sparse|touching|deep]]   ROUNDS: 0 to 3\n",
        stderr);
    return 2;
}

/* The number of a word in a list, or `count`. */
static int find_word(const char *word, const char *const *words, int count)
{
    int i = 0;
    while (i < count && strcmp(word, words[i]) != 0) {
        i++;
    }
    return i;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        show_table();
        show_other_questions();
        return 0;
    }
    if (argc < 4 || argc > 5) {
        return complain();
    }
    const int parts = atoi(argv[1]), how = find_word(argv[2], mode_names, MODES), rounds = atoi(argv[3]);
    const int where = find_word(argc == 5 ? argv[4] : layout_names[DENSE], layout_names, LAYOUTS);
    if (parts <= 0 || how == MODES || rounds < 0 || rounds > MAX_ROUNDS || where == LAYOUTS) {
        return complain();
    }
    scene *s = make_scene((unsigned)parts, kinds[0].vertices, (layout)where);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        apart_compound_cache caches[PAIRS] = {{.part_a = 0}};
        ask(s, (mode)how, caches, 0, 1);
        ask(s, (mode)how, caches, 1, round < rounds ? STEPS : 1);
    }
    printf("%d\n", PAIRS * (STEPS - 1));
    free_scene(s);
    return 0;
}
