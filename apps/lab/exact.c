/* Exact answers. Coordinates, matrices and translations are doubles, so a power of two makes all of them whole numbers,
 * and everything below is decided by the signs of whole numbers. The direction of a simplex's closest point is kept as
 * N / D.
 *
 * Distance: Gilbert, Johnson, Keerthi 1988; the closest point of a simplex by trying all its faces. |v| falls strictly,
 * so it ends. Depth: Cameron and Culley 1986: the faces of the Minkowski difference have normals that are face normals of a body or
 * products of two edges. Doubles choose the few normals whose value could be below the claim; those are decided in
 * whole numbers. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>

#include "integer.h"
#include "text.h"

/* Beyond this many bits behind the point a coordinate is too fine for LAB_INTEGER_LIMBS: 3-vectors of products of six
 * coordinates occur. */
#define FINEST 150
/* Iterations; each shortens v, and tens are the rule. */
#define MOST_STEPS 500
/* Largest number of edge pairs for the exhaustive depth. */
#define MOST_PAIRS 30000u
/* Bounds with more bits behind the point than this are not compared. */
#define FINEST_BOUND 300
/* Relative margin of the choice in doubles: 1e6 times what rounding does to unit-sized bodies. */
#define MARGIN 1e-9

typedef struct side {
    const apart_hull *hull;
    const apart_pose *pose;
    uint32_t count;
    int vertex_shift, rotation_shift;
    lab_integer_vec column[3], translation; /* translation * 2^shift */
} side;

typedef struct problem {
    side a, b;
    int shift; /* world coordinates are multiples of 2^-shift */
} problem;

static int larger(int a, int b) { return a > b ? a : b; }

static int shift_of(apart_vec3 v)
{
    return larger(lab_integer_shift(v.x), larger(lab_integer_shift(v.y), lab_integer_shift(v.z)));
}

static void set_vec(lab_integer_vec *out, apart_vec3 v, int shift)
{
    lab_integer_set(&out->c[0], v.x, shift);
    lab_integer_set(&out->c[1], v.y, shift);
    lab_integer_set(&out->c[2], v.z, shift);
}

static int measure(side *out, const apart_hull *hull, const apart_pose *pose)
{
    *out = (side){.hull = hull, .pose = pose, .count = apart_hull_vertex_count(hull)};
    for (uint32_t i = 0; i < out->count; i++) {
        out->vertex_shift = larger(out->vertex_shift, shift_of(apart_hull_vertex(hull, i)));
    }
    const apart_mat3 *r = &pose->rotation;
    out->rotation_shift = larger(shift_of(r->x), larger(shift_of(r->y), shift_of(r->z)));
    return larger(out->vertex_shift + out->rotation_shift, shift_of(pose->translation));
}

static void convert(side *out, int shift)
{
    set_vec(&out->column[0], out->pose->rotation.x, out->rotation_shift);
    set_vec(&out->column[1], out->pose->rotation.y, out->rotation_shift);
    set_vec(&out->column[2], out->pose->rotation.z, out->rotation_shift);
    set_vec(&out->translation, out->pose->translation, shift);
}

/* A vertex in the world, times 2^shift. */
static void world_vertex(lab_integer_vec *out, const problem *p, const side *body, uint32_t vertex)
{
    const apart_vec3 x = apart_hull_vertex(body->hull, vertex);
    const double coordinate[3] = {x.x, x.y, x.z};
    lab_integer scaled, product;
    *out = body->translation;
    for (int k = 0; k < 3; k++) {
        lab_integer_set(&scaled, coordinate[k], p->shift - body->rotation_shift);
        for (int i = 0; i < 3; i++) {
            lab_integer_mul(&product, &body->column[k].c[i], &scaled);
            lab_integer_add(&out->c[i], &out->c[i], &product);
        }
    }
}

/* The vertex with the largest (sign 1) or smallest (-1) product with a world direction: turned into the body's frame
 * once. */
static uint32_t extreme_vertex(const side *body, const lab_integer_vec *direction, int sign)
{
    lab_integer_vec local, x;
    lab_integer best = {.sign = 0}, value;
    uint32_t found = 0;
    for (int k = 0; k < 3; k++) {
        lab_integer_dot(&local.c[k], &body->column[k], direction);
    }
    for (uint32_t i = 0; i < body->count; i++) {
        set_vec(&x, apart_hull_vertex(body->hull, i), body->vertex_shift);
        lab_integer_dot(&value, &local, &x);
        if (i == 0 || lab_integer_compare(&value, &best) * sign > 0) {
            best = value;
            found = i;
        }
    }
    return found;
}

/* ---- distance ---- */

/* Up to four points of the Minkowski difference, and the closest point N / D of their hull. */
typedef struct simplex {
    int count;
    uint32_t index_a[4], index_b[4];
    lab_integer_vec w[4];
    lab_integer_vec n;
    lab_integer d;
} simplex;

static void set_point(simplex *s, int i, const problem *p, uint32_t index_a, uint32_t index_b)
{
    lab_integer_vec a;
    s->index_a[i] = index_a;
    s->index_b[i] = index_b;
    world_vertex(&a, p, &p->a, index_a);
    world_vertex(&s->w[i], p, &p->b, index_b);
    lab_integer_vec_sub(&s->w[i], &s->w[i], &a);
}

static bool closest_of_edge(const lab_integer_vec *p, const lab_integer_vec *q, lab_integer_vec *n, lab_integer *d)
{
    lab_integer_vec e, along;
    lab_integer t, rest;
    lab_integer_vec_sub(&e, q, p);
    lab_integer_dot(d, &e, &e);
    lab_integer_dot(&rest, q, &e); /* D lambda_p */
    lab_integer_sub(&t, d, &rest); /* D lambda_q */
    if (d->sign == 0 || t.sign < 0 || rest.sign < 0) {
        return false;
    }
    lab_integer_vec_scale(n, d, p);
    lab_integer_vec_scale(&along, &t, &e);
    for (int k = 0; k < 3; k++) {
        lab_integer_add(&n->c[k], &n->c[k], &along.c[k]);
    }
    return true;
}

static bool closest_of_triangle(const lab_integer_vec *const w[3], lab_integer_vec *n, lab_integer *d)
{
    lab_integer_vec e1, e2, normal, product;
    lab_integer height, weight;
    lab_integer_vec_sub(&e1, w[1], w[0]);
    lab_integer_vec_sub(&e2, w[2], w[0]);
    lab_integer_cross(&normal, &e1, &e2);
    lab_integer_dot(d, &normal, &normal);
    for (int i = 0; i < 3; i++) {
        lab_integer_cross(&product, w[(i + 1) % 3], w[(i + 2) % 3]);
        lab_integer_dot(&weight, &normal, &product);
        if (weight.sign < 0) {
            return false;
        }
    }
    lab_integer_dot(&height, &normal, w[0]);
    lab_integer_vec_scale(n, &height, &normal);
    return d->sign != 0;
}

/* No point of the simplex lies before the plane through N / D: N.w D >= N.N. */
static bool is_closest(const simplex *s, const lab_integer_vec *n, const lab_integer *d)
{
    lab_integer square, value;
    lab_integer_dot(&square, n, n);
    for (int i = 0; i < s->count; i++) {
        lab_integer_dot(&value, n, &s->w[i]);
        lab_integer_mul(&value, &value, d);
        if (lab_integer_compare(&value, &square) < 0) {
            return false;
        }
    }
    return true;
}

/* Reduces the simplex to the face that holds its closest point. False: the origin is inside a tetrahedron. */
static bool reduce(simplex *s)
{
    for (unsigned set = 1; set < 1u << s->count; set++) {
        int member[4], count = 0;
        for (int i = 0; i < s->count; i++) {
            if (set >> i & 1u) {
                member[count++] = i;
            }
        }
        bool inside = count == 1;
        if (count == 1) {
            s->n = s->w[member[0]];
            lab_integer_set(&s->d, 1.0, 0);
        } else if (count == 2) {
            inside = closest_of_edge(&s->w[member[0]], &s->w[member[1]], &s->n, &s->d);
        } else if (count == 3) {
            const lab_integer_vec *const w[3] = {&s->w[member[0]], &s->w[member[1]], &s->w[member[2]]};
            inside = closest_of_triangle(w, &s->n, &s->d);
        }
        if (inside && is_closest(s, &s->n, &s->d)) {
            for (int i = 0; i < count; i++) {
                s->index_a[i] = s->index_a[member[i]];
                s->index_b[i] = s->index_b[member[i]];
                s->w[i] = s->w[member[i]];
            }
            s->count = count;
            return true;
        }
    }
    return false;
}

/* The closest point of the Minkowski difference. False: the origin is in it, or no end. */
static bool find_closest(const problem *p, simplex *s)
{
    lab_integer square, value;
    for (int step = 0; step < MOST_STEPS; step++) {
        if (!reduce(s)) {
            return false;
        }
        lab_integer_dot(&square, &s->n, &s->n);
        if (square.sign == 0) {
            return false;
        }
        simplex *next = s;
        const uint32_t index_a = extreme_vertex(&p->a, &s->n, 1), index_b = extreme_vertex(&p->b, &s->n, -1);
        set_point(next, s->count, p, index_a, index_b);
        lab_integer_dot(&value, &s->n, &s->w[s->count]);
        lab_integer_mul(&value, &value, &s->d);
        if (lab_integer_compare(&value, &square) >= 0) {
            return true;
        }
        s->count++;
    }
    return false;
}

/* Sign of bound - |N| / D, and the error (x^2 - |v|^2) / (x + |v|) of a claimed length x. */
static int compare_length(const problem *p, const simplex *s, double x, double length, double *error)
{
    const int fine = larger(lab_integer_shift(x), 0);
    lab_integer square, scaled, one, denominator;
    lab_integer_dot(&square, &s->n, &s->n);
    lab_integer_set(&scaled, x, fine);
    lab_integer_set(&one, 1.0, p->shift);
    lab_integer_mul(&scaled, &scaled, &one); /* x 2^(fine + shift) */
    lab_integer_mul(&scaled, &scaled, &s->d);
    lab_integer_mul(&scaled, &scaled, &scaled);
    lab_integer_set(&one, 1.0, fine);
    lab_integer_mul(&square, &square, &one);
    lab_integer_mul(&square, &square, &one);
    lab_integer_set(&denominator, 1.0, fine + p->shift);
    lab_integer_mul(&denominator, &denominator, &s->d);
    lab_integer_mul(&denominator, &denominator, &denominator);
    lab_integer_sub(&scaled, &scaled, &square);
    *error = lab_integer_ratio(&scaled, &denominator) / (x + length);
    return x < 0.0 ? -1 : scaled.sign;
}

static double length_of(const problem *p, const simplex *s)
{
    lab_integer square, denominator, one;
    lab_integer_dot(&square, &s->n, &s->n);
    lab_integer_set(&one, 1.0, p->shift);
    lab_integer_mul(&denominator, &s->d, &one);
    lab_integer_mul(&denominator, &denominator, &denominator);
    return sqrt(lab_integer_ratio(&square, &denominator));
}

/* The hull's own number of a caller's vertex. */
static uint32_t own_index(const apart_hull *hull, uint32_t input)
{
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        if (apart_hull_input_index(hull, i) == input) {
            return i;
        }
    }
    return 0;
}

static lab_exact_outcome check_distance(const problem *p, const apart_result *r, lab_exact_answer *answer)
{
    simplex *s = lab_allocate(1, sizeof *s);
    double ignored;
    s->count = r->count > 3 || r->count < 1 ? 1 : r->count;
    for (int i = 0; i < s->count; i++) {
        set_point(s, i, p, own_index(p->a.hull, r->index_a[i]), own_index(p->b.hull, r->index_b[i]));
    }
    const bool disjoint = find_closest(p, s);
    lab_exact_outcome outcome = LAB_EXACT_FAILS;
    if (disjoint) {
        answer->distance = length_of(p, s);
        compare_length(p, s, fabs(r->distance), answer->distance, &answer->error);
        outcome = compare_length(p, s, r->lower, answer->distance, &ignored) <= 0 &&
                          compare_length(p, s, r->upper, answer->distance, &ignored) >= 0
                      ? LAB_EXACT_HOLDS
                      : LAB_EXACT_FAILS;
    } else if (r->lower <= 0.0) {
        outcome = LAB_EXACT_HOLDS; /* a claim of contact, and there is contact */
        answer->distance = 0.0;
        answer->error = r->distance > 0.0 ? r->distance : 0.0;
    }
    free(s);
    return outcome;
}

/* ---- depth ---- */

typedef struct edges {
    uint32_t count, (*ends)[2];
    apart_vec3 *direction; /* in the world, in doubles */
} edges;

static edges edges_of(const side *body)
{
    edges e = {.count = apart_hull_edge_count(body->hull)};
    e.ends = lab_allocate(e.count, sizeof *e.ends);
    e.direction = lab_allocate(e.count, sizeof *e.direction);
    for (uint32_t i = 0; i < e.count; i++) {
        apart_hull_edge(body->hull, i, e.ends[i]);
        const apart_vec3 p = apart_hull_vertex(body->hull, e.ends[i][0]),
                         q = apart_hull_vertex(body->hull, e.ends[i][1]);
        e.direction[i] = apart_pose_rotate(body->pose, apart_vec3_sub(q, p));
    }
    return e;
}

/* max d.(b - a) in doubles: the support value of the Minkowski difference. */
static double support_value(const problem *p, apart_vec3 d)
{
    const apart_vec3 local_a = apart_pose_rotate_inverse(p->a.pose, d),
                     local_b = apart_pose_rotate_inverse(p->b.pose, d);
    double least_a = INFINITY, most_b = -INFINITY;
    for (uint32_t i = 0; i < p->a.count; i++) {
        least_a = fmin(least_a, apart_vec3_dot(local_a, apart_hull_vertex(p->a.hull, i)));
    }
    for (uint32_t i = 0; i < p->b.count; i++) {
        most_b = fmax(most_b, apart_vec3_dot(local_b, apart_hull_vertex(p->b.hull, i)));
    }
    return most_b + apart_vec3_dot(d, p->b.pose->translation) - least_a - apart_vec3_dot(d, p->a.pose->translation);
}

/* What the exhaustive search knows. */
typedef struct search {
    const problem *problem;
    const apart_result *result;
    bool below;   /* a normal whose value is less than the claimed least depth: refuted */
    bool reached; /* one whose value is not above the claimed most */
    double depth, error;
} search;

/* Sign of x |d| - h for h = max d.(b - a) > 0, both sides squared. */
static int compare_support(const problem *p, const lab_integer *h, const lab_integer *square, double x)
{
    const int fine = lab_integer_shift(x);
    lab_integer left, right, one;
    lab_integer_set(&left, x, fine);
    lab_integer_mul(&left, &left, &left);
    lab_integer_mul(&left, &left, square);
    lab_integer_set(&one, 1.0, p->shift);
    lab_integer_mul(&left, &left, &one);
    lab_integer_mul(&left, &left, &one);
    lab_integer_mul(&right, h, h);
    lab_integer_set(&one, 1.0, fine);
    lab_integer_mul(&right, &right, &one);
    lab_integer_mul(&right, &right, &one);
    return x < 0.0 ? -1 : lab_integer_compare(&left, &right);
}

/* One direction, exactly: its value against the claimed bounds. */
static void decide(search *s, const lab_integer_vec *direction)
{
    const problem *p = s->problem;
    lab_integer_vec w, a;
    lab_integer h, square, one;
    world_vertex(&a, p, &p->a, extreme_vertex(&p->a, direction, -1));
    world_vertex(&w, p, &p->b, extreme_vertex(&p->b, direction, 1));
    lab_integer_vec_sub(&w, &w, &a);
    lab_integer_dot(&h, direction, &w);
    lab_integer_dot(&square, direction, direction);
    if (square.sign == 0) {
        return;
    }
    if (h.sign <= 0 || compare_support(p, &h, &square, -s->result->upper) > 0) {
        s->below = true;
    }
    s->reached = s->reached || compare_support(p, &h, &square, -s->result->lower) >= 0;
    lab_integer_set(&one, 1.0, p->shift);
    lab_integer_mul(&square, &square, &one);
    lab_integer_mul(&square, &square, &one);
    lab_integer_mul(&h, &h, &h);
    const double value = sqrt(lab_integer_ratio(&h, &square));
    if (value < s->depth) {
        s->depth = value;
        s->error = s->result->distance + value;
    }
}

/* Both senses of a direction; doubles rule out those that are clearly above the claim. */
static void consider(search *s, apart_vec3 d, const uint32_t first[2], const side *body_1, const uint32_t second[2],
                     const side *body_2)
{
    const double length = apart_vec3_norm(d);
    lab_integer_vec p, q, e1, e2, normal, zero = {0};
    for (int sign = -1; sign <= 1 && length > 0.0; sign += 2) {
        const double value = support_value(s->problem, apart_vec3_scale(sign / length, d));
        if (value > -s->result->lower * (1.0 + MARGIN) + MARGIN) {
            continue;
        }
        world_vertex(&p, s->problem, body_1, first[0]);
        world_vertex(&q, s->problem, body_1, first[1]);
        lab_integer_vec_sub(&e1, &q, &p);
        world_vertex(&p, s->problem, body_2, second[0]);
        world_vertex(&q, s->problem, body_2, second[1]);
        lab_integer_vec_sub(&e2, &q, &p);
        lab_integer_cross(&normal, &e1, &e2);
        if (sign < 0) {
            lab_integer_vec_sub(&normal, &zero, &normal);
        }
        decide(s, &normal);
    }
}

static void consider_faces(search *s, const side *body)
{
    for (uint32_t f = 0; f < apart_hull_face_count(body->hull); f++) {
        const uint32_t *v;
        apart_hull_face(body->hull, f, &v);
        const uint32_t first[2] = {v[0], v[1]}, second[2] = {v[0], v[2]};
        consider(s, apart_pose_rotate(body->pose, apart_hull_face_normal(body->hull, f)), first, body, second, body);
    }
}

static lab_exact_outcome check_depth(const problem *p, const apart_result *r, lab_exact_answer *answer)
{
    edges a = edges_of(&p->a), b = edges_of(&p->b);
    search s = {.problem = p, .result = r, .depth = INFINITY};
    consider_faces(&s, &p->a);
    consider_faces(&s, &p->b);
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t j = 0; j < b.count; j++) {
            consider(&s, apart_vec3_cross(a.direction[i], b.direction[j]), a.ends[i], &p->a, b.ends[j], &p->b);
        }
    }
    free(a.ends);
    free(a.direction);
    free(b.ends);
    free(b.direction);
    *answer = (lab_exact_answer){.distance = -s.depth, .error = s.error};
    return s.reached && !s.below ? LAB_EXACT_HOLDS : LAB_EXACT_FAILS;
}

lab_exact_outcome lab_exact_check(const apart_hull *a, const apart_pose *pose_a, const apart_hull *b,
                                  const apart_pose *pose_b, const apart_result *result, lab_exact_answer *answer)
{
    problem *p = lab_allocate(1, sizeof *p);
    const int shift_a = measure(&p->a, a, pose_a), shift_b = measure(&p->b, b, pose_b);
    const bool deep = result->upper < 0.0;
    lab_exact_outcome outcome = LAB_EXACT_BEYOND;
    p->shift = larger(shift_a, shift_b);
    *answer = (lab_exact_answer){.distance = result->distance, .error = NAN};
    const uint64_t pairs = (uint64_t)apart_hull_edge_count(a) * apart_hull_edge_count(b);
    const bool solid = apart_hull_dimension(a) == 3 && apart_hull_dimension(b) == 3;
    const int bound = larger(lab_integer_shift(result->lower),
                             larger(lab_integer_shift(result->upper), lab_integer_shift(result->distance)));
    if (isfinite(result->lower) && bound <= FINEST_BOUND && p->shift <= 2 * FINEST && p->a.vertex_shift <= FINEST &&
        p->b.vertex_shift <= FINEST && (!deep || (solid && pairs <= MOST_PAIRS))) {
        convert(&p->a, p->shift);
        convert(&p->b, p->shift);
        outcome = deep ? check_depth(p, result, answer) : check_distance(p, result, answer);
    }
    free(p);
    return outcome;
}
