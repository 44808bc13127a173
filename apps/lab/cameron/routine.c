/* Source: S. Cameron, Enhancing GJK, ICRA 1997: section 3 (the loop), 3.1 (best_simplex), 3.2 (hill climbing), 3.3
 * (Johnson's sub-algorithm with subsets numbered by their bits), 3.4 (refine_simplex).
 *
 * Legend: x_i points of the TCSO, Y a set of them as a number, z_Y its lowest element, v the closest point, w a new
 * support point.
 *     Delta_x({x}) = 1        Delta_x(Y + x) = sum over y in Y of Delta_y(Y) (y.z_Y - y.x)
 * We differ in: interference is that all Delta of the full tetrahedron are positive (the printed sign is wrong); when
 * rounding lets no set pass, the set with the shortest v among those with positive Deltas is taken; the stop is a
 * parameter, because the printed test needs exact arithmetic. A body's vertices stay in its own frame: directions are
 * turned into it, support points out of it; these multiplications are counted apart, since the paper assumes
 * coordinates in the world. */
#include "routine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text.h"

/* The relative gap of LAB_STOP_GAP: some tens of roundings. */
#define CLOSED 1e-14
#define MOST_LOOPS 100

typedef struct point {
    apart_vec3 a, b, x; /* on the bodies, and x = b - a */
    uint32_t index_a, index_b;
} point;

static void count(uint64_t *where, unsigned n) { *where += n; }

lab_polytope lab_polytope_of(const apart_hull *hull)
{
    lab_polytope p = {.count = apart_hull_vertex_count(hull)};
    const uint32_t *list;
    p.vertex = lab_allocate(p.count, sizeof *p.vertex);
    p.first = lab_allocate(p.count + 1, sizeof *p.first);
    p.neighbour = lab_allocate(2 * (size_t)apart_hull_edge_count(hull), sizeof *p.neighbour);
    for (uint32_t i = 0; i < p.count; i++) {
        const uint32_t degree = apart_hull_neighbours(hull, i, &list);
        p.vertex[i] = apart_hull_vertex(hull, i);
        p.first[i + 1] = p.first[i] + degree;
        memcpy(p.neighbour + p.first[i], list, degree * sizeof *list);
    }
    return p;
}

void lab_polytope_free(lab_polytope *polytope)
{
    free(polytope->vertex);
    free(polytope->first);
    free(polytope->neighbour);
}

/* ---- supports ---- */

static uint32_t scan(const lab_polytope *body, apart_vec3 d, lab_operations *ops)
{
    const uint32_t n = body->count;
    uint32_t best = 0;
    double value = -INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        const double product = apart_vec3_dot(d, body->vertex[i]);
        if (product > value) {
            value = product;
            best = i;
        }
    }
    ops->visited += n;
    count(&ops->support, 3 * n);
    count(&ops->additions, 3 * n);
    count(&ops->indices, n);
    return best;
}

static uint32_t climb(const lab_polytope *body, apart_vec3 d, uint32_t start, lab_operations *ops)
{
    uint32_t best = start;
    double value = apart_vec3_dot(d, body->vertex[start]);
    unsigned visited = 1;
    for (;;) {
        const uint32_t here = best, end = body->first[here + 1];
        for (uint32_t i = body->first[here]; i < end; i++) {
            const double product = apart_vec3_dot(d, body->vertex[body->neighbour[i]]);
            if (product > value) {
                value = product;
                best = body->neighbour[i];
            }
        }
        visited += end - body->first[here];
        if (best == here) {
            ops->visited += visited;
            count(&ops->support, 3 * visited);
            count(&ops->additions, 3 * visited);
            count(&ops->indices, 2 * visited); /* the neighbour's number, and its coordinates */
            return best;
        }
        ops->edges++;
    }
}

static uint32_t support(const lab_polytope *body, const apart_pose *pose, apart_vec3 d, bool climbs, uint32_t start,
                        lab_operations *ops)
{
    const apart_vec3 local = apart_pose_rotate_inverse(pose, d);
    count(&ops->transforms, 9);
    ops->support_calls++;
    return climbs ? climb(body, local, start, ops) : scan(body, local, ops);
}

static void place(point *p, const lab_polytope *a, const apart_pose *pose_a, const lab_polytope *b,
                  const apart_pose *pose_b, lab_operations *ops)
{
    p->a = apart_pose_apply(pose_a, a->vertex[p->index_a]);
    p->b = apart_pose_apply(pose_b, b->vertex[p->index_b]);
    p->x = apart_vec3_sub(p->b, p->a);
    ops->transformed += 2;
    count(&ops->transforms, 18);
    count(&ops->additions, 3); /* b - a; those of the transforms are not counted, like their products */
    count(&ops->indices, 2);
}

/* The support pair along v, each body's from its last one. */
static point search(const lab_polytope *a, const apart_pose *pose_a, const lab_polytope *b, const apart_pose *pose_b,
                    apart_vec3 v, const lab_routine_options *o, lab_routine_cache *cache, lab_operations *ops)
{
    point next;
    for (int again = 0; again <= o->supports_twice; again++) {
        next.index_a = support(a, pose_a, v, o->climb, cache->last_a, ops);
        next.index_b = support(b, pose_b, apart_vec3_neg(v), o->climb, cache->last_b, ops);
    }
    cache->last_a = next.index_a;
    cache->last_b = next.index_b;
    return next;
}

/* ---- Johnson's sub-algorithm ---- */

void lab_johnson_dots(unsigned n, const apart_vec3 *x, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX],
                      lab_operations *ops)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = i; j < n; j++) {
            dots[i][j] = dots[j][i] = apart_vec3_dot(x[i], x[j]);
        }
    }
    count(&ops->solver, 3 * (n * (n + 1) / 2));
    count(&ops->additions, 2 * (n * (n + 1) / 2));
}

static unsigned lowest(unsigned set)
{
    unsigned i = 0;
    while (!(set >> i & 1u)) {
        i++;
    }
    return i;
}

unsigned lab_johnson_table(unsigned n, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], double (*delta)[LAB_JOHNSON_MAX],
                           lab_operations *ops)
{
    unsigned values = n, products = 0;
    for (unsigned i = 0; i < n; i++) {
        delta[1u << i][i] = 1.0;
    }
    for (unsigned set = 1; set < 1u << n; set++) {
        const unsigned z = lowest(set);
        const bool single = (set & (set - 1u)) == 0u; /* its Delta is 1: no multiplication */
        for (unsigned x = 0; x < n; x++) {
            if (set >> x & 1u) {
                continue;
            }
            double sum = 0.0;
            for (unsigned y = z; y < n; y++) {
                if (set >> y & 1u) {
                    const double factor = dots[y][z] - dots[y][x];
                    sum += single ? factor : delta[set][y] * factor;
                    products += !single;
                }
            }
            delta[set | 1u << x][x] = sum;
            values++;
        }
    }
    count(&ops->solver, products);
    count(&ops->additions, 2 * products + values);
    count(&ops->indices, 3 * products + values);
    return values;
}

static bool is_legal(unsigned n, double (*delta)[LAB_JOHNSON_MAX], unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if ((set >> x & 1u) && !(delta[set][x] > 0.0)) {
            return false;
        }
    }
    return true;
}

/* x in S <=> Delta_x(S + x) > 0. */
static bool passes(unsigned n, double (*delta)[LAB_JOHNSON_MAX], unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if (!(set >> x & 1u) && delta[set | 1u << x][x] > 0.0) {
            return false;
        }
    }
    return is_legal(n, delta, set);
}

static void weigh(unsigned n, double (*delta)[LAB_JOHNSON_MAX], unsigned set, double *lambda, lab_operations *ops)
{
    double sum = 0.0;
    for (unsigned x = 0; x < n; x++) {
        lambda[x] = set >> x & 1u ? delta[set][x] : 0.0;
        sum += lambda[x];
    }
    for (unsigned x = 0; x < n; x++) {
        if (set >> x & 1u) {
            lambda[x] /= sum;
            ops->divisions++;
        }
    }
}

static double square_of(unsigned n, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], const double *lambda,
                        lab_operations *ops)
{
    double sum = 0.0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            sum += lambda[i] * lambda[j] * dots[i][j];
        }
    }
    count(&ops->solver, 2 * n * n);
    return sum;
}

/* Rounding let no set pass. */
static unsigned backup(unsigned n, double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], double (*delta)[LAB_JOHNSON_MAX],
                       double *lambda, lab_operations *ops)
{
    unsigned best = 1;
    double shortest = INFINITY;
    for (unsigned set = 1; set < 1u << n; set++) {
        if (is_legal(n, delta, set)) {
            weigh(n, delta, set, lambda, ops);
            const double square = square_of(n, dots, lambda, ops);
            if (square < shortest) {
                shortest = square;
                best = set;
            }
        }
    }
    weigh(n, delta, best, lambda, ops);
    return best;
}

/* Keeps the points that v needs; witness points by their weights. True: the origin is inside a tetrahedron. */
static bool solve(point *p, int *points, apart_vec3 *on_a, apart_vec3 *on_b, lab_operations *ops)
{
    double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], delta[1u << 4][LAB_JOHNSON_MAX], lambda[4];
    apart_vec3 x[4];
    const unsigned n = (unsigned)*points;
    unsigned set = 1;
    for (unsigned i = 0; i < n; i++) {
        x[i] = p[i].x;
    }
    lab_johnson_dots(n, x, dots, ops);
    lab_johnson_table(n, dots, delta, ops);
    while (set < 1u << n && !passes(n, delta, set)) {
        set++;
    }
    if (set < 1u << n) {
        weigh(n, delta, set, lambda, ops);
    } else {
        set = backup(n, dots, delta, lambda, ops);
    }
    *on_a = *on_b = (apart_vec3){0, 0, 0};
    *points = 0;
    for (unsigned i = 0; i < n; i++) {
        if (set >> i & 1u) {
            *on_a = apart_vec3_add_scaled(*on_a, lambda[i], p[i].a);
            *on_b = apart_vec3_add_scaled(*on_b, lambda[i], p[i].b);
            count(&ops->solver, 6);
            count(&ops->additions, 6);
            p[(*points)++] = p[i];
        }
    }
    return set == 15u;
}

/* ---- the loop ---- */

static bool recurs(const point *p, int points, const point *next)
{
    for (int i = 0; i < points; i++) {
        if (p[i].index_a == next->index_a && p[i].index_b == next->index_b) {
            return true;
        }
    }
    return false;
}

/* best_simplex: is there nothing nearer? */
static bool is_best(lab_stop stop, double square, double product, bool recurring, double shortest)
{
    switch (stop) {
    case LAB_STOP_GAP: return recurring || square - product <= CLOSED * square;
    case LAB_STOP_RECURRENCE: return recurring;
    case LAB_STOP_ZERO: return square - product <= 0.0;
    default: return square >= shortest;
    }
}

static int start(point p[4], const lab_routine_cache *cache)
{
    const int points = cache->count > 0 ? cache->count : 1;
    for (int i = 0; i < points; i++) {
        p[i].index_a = cache->index_a[i];
        p[i].index_b = cache->index_b[i];
    }
    return points;
}

void lab_routine(const lab_polytope *a, const apart_pose *pose_a, const lab_polytope *b, const apart_pose *pose_b,
                 const lab_routine_options *options, lab_routine_cache *cache, lab_operations *ops,
                 lab_routine_answer *answer)
{
    lab_operations ignored;
    point p[4], next;
    double shortest = INFINITY;
    ops = ops != NULL ? ops : memset(&ignored, 0, sizeof ignored);
    int points = start(p, cache);
    for (int i = 0; i < points; i++) {
        place(&p[i], a, pose_a, b, pose_b, ops);
    }
    ops->queries++;
    for (answer->loops = 1;; answer->loops++) {
        ops->loops++;
        answer->interferes = solve(p, &points, &answer->a, &answer->b, ops);
        const apart_vec3 v = apart_vec3_sub(answer->b, answer->a);
        const double square = apart_vec3_dot(v, v);
        count(&ops->test, 3);
        answer->distance = answer->interferes ? 0.0 : sqrt(square);
        if (answer->interferes || square == 0.0) {
            break;
        }
        next = search(a, pose_a, b, pose_b, v, options, cache, ops);
        place(&next, a, pose_a, b, pose_b, ops);
        const double product = apart_vec3_dot(v, next.x);
        count(&ops->test, 3);
        if (is_best(options->stop, square, product, recurs(p, points, &next), shortest)) {
            break;
        }
        if (answer->loops == MOST_LOOPS) {
            ops->limits++;
            break;
        }
        shortest = square;
        if (points < 4 && !recurs(p, points, &next)) {
            p[points++] = next; /* refine_simplex */
        }
    }
    cache->count = points;
    for (int i = 0; i < points; i++) {
        cache->index_a[i] = p[i].index_a;
        cache->index_b[i] = p[i].index_b;
    }
}
