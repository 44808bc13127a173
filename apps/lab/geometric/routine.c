/* Source: the geometric improvement of GJK (docs/papers.md, G1, G2, G3, G5): Fig. 3 and section 3.1 for the plane,
 * Fig. 7, Table 1, Fig. 8 and section 3.2 for space; section 2.1 for the stop.
 *
 * Legend, after the text: K = {s - t} the Minkowski difference; V the set of dim points; nu its nearest point
 * (nu_compute); S the support vertex of -nu and H its value (support_functions); refine_set discards one point of V + S:
 * the one that a face through the others separates from the origin, and of several "the farthest". lambda_i = Delta_i /
 * Delta.
 *
 * Where the text is silent or wrong we say what is done: the first direction is c2 - c1 (the printed difference of the
 * centroids points away from the origin, docs/errata.md); the other initial points are drawn from a seed; a triangle
 * without area takes the best of its edges; the loop ends also where a set of vertex pairs is met again, which it would
 * repeat for ever. */
#include "routine.h"

#include <math.h>

#include "../random.h"

#define CLOSED 1e-12
enum { MOST_LOOPS = 200, MOST_POINTS = 4 };

/* A point of the difference, and the vertices that it comes from. */
typedef struct vertex {
    apart_vec3 y;
    uint32_t a, b;
} vertex;

typedef struct set {
    vertex v[MOST_POINTS];
    int count;
} set;

/* A nearest point as weights of the points of a set. */
typedef struct nearest {
    double lambda[MOST_POINTS];
    apart_vec3 nu;
} nearest;

/* ---- support_functions ---- */

static uint32_t farthest(const lab_points *p, apart_vec3 d, double sign)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        const double value = sign * apart_vec3_dot(p->point[i], d);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

static vertex vertex_of(const lab_points *a, const lab_points *b, uint32_t i, uint32_t k)
{
    return (vertex){apart_vec3_sub(a->point[i], b->point[k]), i, k};
}

static vertex support(const lab_points *a, const lab_points *b, apart_vec3 d)
{
    return vertex_of(a, b, farthest(a, d, 1.0), farthest(b, d, -1.0));
}

static bool is_in(const set *s, const vertex *v)
{
    for (int i = 0; i < s->count; i++) {
        if (s->v[i].a == v->a && s->v[i].b == v->b) {
            return true;
        }
    }
    return false;
}

/* ---- nu_compute ---- */

static nearest blend(const set *s, const double *lambda)
{
    nearest n = {.nu = {0, 0, 0}};
    for (int i = 0; i < s->count; i++) {
        n.lambda[i] = lambda[i];
        n.nu = apart_vec3_add_scaled(n.nu, lambda[i], s->v[i].y);
    }
    return n;
}

static nearest at_vertex(const set *s, int i)
{
    double lambda[MOST_POINTS] = {0};
    lambda[i] = 1.0;
    return blend(s, lambda);
}

/* Section 3.1(c): Delta_1 = X2.X2 - X2.X1, Delta_2 = X1.X1 - X1.X2, divided by their sum. */
static void edge_weights(const set *s, int i, int j, double lambda[2])
{
    const apart_vec3 x1 = s->v[i].y, x2 = s->v[j].y;
    const double cross = apart_vec3_dot(x1, x2), d1 = apart_vec3_dot(x2, x2) - cross,
                 d2 = apart_vec3_dot(x1, x1) - cross;
    lambda[0] = d1 + d2 > 0.0 ? d1 / (d1 + d2) : 1.0;
    lambda[1] = d1 + d2 > 0.0 ? d2 / (d1 + d2) : 0.0;
}

/* "nu should be the point X1 (or X2)" if the other's weight is negative. */
static nearest on_edge(const set *s, int i, int j)
{
    double w[2], lambda[MOST_POINTS] = {0};
    edge_weights(s, i, j, w);
    if (w[1] < 0.0) {
        return at_vertex(s, i);
    }
    if (w[0] < 0.0) {
        return at_vertex(s, j);
    }
    lambda[i] = w[0];
    lambda[j] = w[1];
    return blend(s, lambda);
}

static double square(const nearest *n) { return apart_vec3_dot(n->nu, n->nu); }

static nearest shorter(nearest x, nearest y) { return square(&y) < square(&x) ? y : x; }

/* (4): the Deltas of a triangle from those of its edges. */
static void triangle_deltas(const set *s, double delta[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = i == 0 ? 1 : 0, k = i == 2 ? 1 : 2;
        const apart_vec3 x = s->v[i].y, y = s->v[j].y, z = s->v[k].y;
        const double of_y = apart_vec3_dot(z, z) - apart_vec3_dot(z, y),
                     of_z = apart_vec3_dot(y, y) - apart_vec3_dot(y, z);
        delta[i] =
            of_y * (apart_vec3_dot(y, y) - apart_vec3_dot(y, x)) + of_z * (apart_vec3_dot(z, y) - apart_vec3_dot(z, x));
    }
}

/* Table 1 (C), Fig. 8(b): P3 has the positive weight. The regions (i) to (v) in the order of the text. */
static nearest around_vertex(const set *s, int p1, int p2, int p3)
{
    double e[2], f[2]; /* lambda_1,P1P3 and lambda_2,P1P3; lambda_1,P2P3 and lambda_2,P2P3 */
    edge_weights(s, p1, p3, e);
    edge_weights(s, p2, p3, f);
    if (e[1] < 0.0) {
        return at_vertex(s, p1);
    }
    if (e[0] > 0.0 && e[1] > 0.0) {
        return on_edge(s, p1, p3);
    }
    if (f[0] <= 0.0) {
        return at_vertex(s, p3);
    }
    return f[1] > 0.0 ? on_edge(s, p2, p3) : at_vertex(s, p2);
}

/* Table 1: (A) all weights positive; (B) one negative, Fig. 8(a); (C) two negative. */
static nearest on_triangle(const set *s)
{
    double delta[3], lambda[MOST_POINTS] = {0};
    triangle_deltas(s, delta);
    const double sum = delta[0] + delta[1] + delta[2];
    if (!(sum > 0.0)) {
        return shorter(shorter(on_edge(s, 0, 1), on_edge(s, 0, 2)), on_edge(s, 1, 2));
    }
    int negative = 0, odd = 0;
    for (int i = 0; i < 3; i++) {
        lambda[i] = delta[i] / sum;
        negative += lambda[i] < 0.0;
    }
    for (int i = 0; i < 3; i++) {
        odd = (lambda[i] < 0.0) == (negative == 1) ? i : odd;
    }
    const int p1 = odd == 0 ? 1 : 0, p2 = odd == 2 ? 1 : 2;
    return negative == 0 ? blend(s, lambda) : negative == 1 ? on_edge(s, p1, p2) : around_vertex(s, p1, p2, odd);
}

static nearest nu_compute(const set *s) { return s->count == 2 ? on_edge(s, 0, 1) : on_triangle(s); }

/* ---- refine_set ---- */

/* The set without one of its points, in order. */
static set without(const set *s, int rest)
{
    set face = {.count = 0};
    for (int i = 0; i < s->count; i++) {
        if (i != rest) {
            face.v[face.count++] = s->v[i];
        }
    }
    return face;
}

/* Is the origin on the other side of the face than the point? (The text's Z.N < 0 reads K.N < 0.) */
static bool separates(const set *face, apart_vec3 rest)
{
    const apart_vec3 p = face->v[0].y, e = apart_vec3_sub(face->v[1].y, p);
    const apart_vec3 normal =
        face->count == 2 ? (apart_vec3){-e.y, e.x, 0.0} : apart_vec3_cross(e, apart_vec3_sub(face->v[2].y, p));
    const double k = -apart_vec3_dot(normal, p), n = apart_vec3_dot(normal, rest) + k;
    return k * n < 0.0;
}

/* Discards a point of the set. False: no face separates. */
static bool refine_set(set *s, bool nearest_face)
{
    set kept = {.count = 0};
    double best = 0.0;
    for (int i = 0; i < s->count; i++) {
        const set face = without(s, i);
        if (!separates(&face, s->v[i].y)) {
            continue;
        }
        const nearest n = nu_compute(&face);
        const double value = nearest_face ? -square(&n) : apart_vec3_dot(s->v[i].y, s->v[i].y);
        if (kept.count == 0 || value > best) {
            kept = face;
            best = value;
        }
    }
    const bool found = kept.count > 0;
    if (found) {
        *s = kept;
    }
    return found;
}

/* ---- the loop ---- */

static apart_vec3 centroid(const lab_points *p)
{
    apart_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        sum = apart_vec3_add(sum, p->point[i]);
    }
    return apart_vec3_scale(1.0 / p->count, sum);
}

/* initial_set: the support vertex towards the origin (3.1(b)), and others, distinct but arbitrary. */
static set initial_set(const lab_points *a, const lab_points *b, const lab_geometric_options *o)
{
    lab_random r = lab_random_stream(o->seed, 1);
    set s = {.count = 1};
    s.v[0] = support(a, b, apart_vec3_sub(centroid(b), centroid(a)));
    while (s.count < o->dim) {
        const vertex v = vertex_of(a, b, lab_random_below(&r, a->count), lab_random_below(&r, b->count));
        if (!is_in(&s, &v)) {
            s.v[s.count++] = v;
        }
    }
    return s;
}

static bool same_set(const set *x, const set *y)
{
    bool same = x->count == y->count;
    for (int i = 0; i < x->count && same; i++) {
        same = is_in(y, &x->v[i]);
    }
    return same;
}

void lab_geometric(const lab_points *a, const lab_points *b, const lab_geometric_options *options,
                   lab_geometric_answer *answer)
{
    set s = initial_set(a, b, options), met[MOST_LOOPS];
    *answer = (lab_geometric_answer){.end = LAB_GEOMETRIC_LOOPS};
    for (uint32_t i = 0; i < MOST_LOOPS; i++) {
        const nearest n = nu_compute(&s);
        const vertex next = support(a, b, apart_vec3_scale(-1.0, n.nu));
        const double gap = square(&n) - apart_vec3_dot(n.nu, next.y);
        answer->loops = i + 1;
        answer->distance = sqrt(square(&n));
        answer->a = answer->b = (apart_vec3){0, 0, 0};
        for (int k = 0; k < s.count; k++) {
            answer->a = apart_vec3_add_scaled(answer->a, n.lambda[k], a->point[s.v[k].a]);
            answer->b = apart_vec3_add_scaled(answer->b, n.lambda[k], b->point[s.v[k].b]);
        }
        if (is_in(&s, &next) || fabs(gap) <= CLOSED * fmax(1.0, square(&n))) {
            answer->end = LAB_GEOMETRIC_RECURRED;
            return;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (same_set(&met[k], &s)) {
                return;
            }
        }
        met[i] = s;
        s.v[s.count++] = next;
        if (!refine_set(&s, options->nearest)) {
            answer->end = LAB_GEOMETRIC_INSIDE;
            answer->distance = 0.0;
            return;
        }
    }
}

/* Fig. 7 in the frame that all algorithms as printed share. */
void lab_geometric_3d(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    const lab_geometric_options how = {.dim = 3, .nearest = !o->printed, .seed = 1};
    lab_geometric_answer found;
    lab_geometric(&a->points, &b->points, &how, &found);
    *answer = (lab_printed_answer){.distance = found.distance,
                                   .a = found.a,
                                   .b = found.b,
                                   .end = found.end == LAB_GEOMETRIC_LOOPS    ? LAB_END_LOOPS
                                          : found.end == LAB_GEOMETRIC_INSIDE ? LAB_END_INSIDE
                                                                              : LAB_END_FOUND,
                                   .work = {.loops = found.loops, .supports = 2 * found.loops + 2}};
}
