/* Gilbert, Johnson and Keerthi's iteration in exact arithmetic: all coordinates are brought to integers by a power of
 * two, the closest point of a simplex is found by trying all its faces with Cramer's rule, and every comparison is one
 * of integers. |v| falls strictly with each step, so the iteration ends. */
#include "exact.h"

#include <gmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    mpz_t c[3];
} ivec;

/* All differences b - a as integers; number i * nb + j. The coordinates are the real ones times 2^shift. */
typedef struct {
    ivec *w;
    size_t count, count_b;
    ivec *a, *b;
    size_t count_a;
    long shift;
} differences;

/* A point sum numerator_i w_i / denominator (> 0) of up to four members of a list. */
typedef struct {
    size_t index[4];
    int count;
    mpz_t numerator[4], denominator;
    ivec x;       /* sum numerator_i w_i */
    mpz_t square; /* x.x */
} combination;

static void *must_allocate(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size);
    if (p == NULL) {
        abort();
    }
    return p;
}

static void vec_init(ivec *v) { mpz_inits(v->c[0], v->c[1], v->c[2], NULL); }

static void vec_clear(ivec *v) { mpz_clears(v->c[0], v->c[1], v->c[2], NULL); }

static ivec *vecs_new(size_t count)
{
    ivec *v = must_allocate(count, sizeof *v);
    for (size_t i = 0; i < count; i++) {
        vec_init(&v[i]);
    }
    return v;
}

static void vecs_free(ivec *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        vec_clear(&v[i]);
    }
    free(v);
}

static void dot(mpz_t out, const ivec *a, const ivec *b)
{
    mpz_t sum;
    mpz_init(sum);
    mpz_mul(sum, a->c[0], b->c[0]);
    mpz_addmul(sum, a->c[1], b->c[1]);
    mpz_addmul(sum, a->c[2], b->c[2]);
    mpz_swap(out, sum);
    mpz_clear(sum);
}

static void sub(ivec *out, const ivec *a, const ivec *b)
{
    for (int k = 0; k < 3; k++) {
        mpz_sub(out->c[k], a->c[k], b->c[k]);
    }
}

static void cross(ivec *out, const ivec *a, const ivec *b)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(out->c[k], a->c[i], b->c[j]);
        mpz_submul(out->c[k], a->c[j], b->c[i]);
    }
}

static bool is_zero(const ivec *v) { return mpz_sgn(v->c[0]) == 0 && mpz_sgn(v->c[1]) == 0 && mpz_sgn(v->c[2]) == 0; }

/* ------------------------------------------------ doubles to integers */

/* The power of two that makes x an integer. */
static long shift_of(double x)
{
    int exponent;
    if (x == 0.0) {
        return -100000;
    }
    (void)frexp(x, &exponent);
    return 53 - exponent;
}

static long larger(long a, long b) { return a > b ? a : b; }

static long shift_of_all(const double *x, size_t count, long shift)
{
    for (size_t i = 0; i < count; i++) {
        shift = larger(shift, shift_of(x[i]));
    }
    return shift;
}

/* x * 2^shift, which must be an integer. */
static void to_integer(mpz_t out, double x, long shift)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    mpz_set_d(out, ldexp(fraction, 53));
    const long up = shift + exponent - 53;
    if (x == 0.0) {
        mpz_set_ui(out, 0);
    } else if (up >= 0) {
        mpz_mul_2exp(out, out, (mp_bitcnt_t)up);
    } else {
        mpz_tdiv_q_2exp(out, out, (mp_bitcnt_t)-up);
    }
}

typedef struct {
    double r[3][3], t[3]; /* r[row][column] */
} placement;

static placement placement_of(const exact_points *p)
{
    placement out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    if (p->pose != NULL) {
        const apart_vec3 columns[3] = {p->pose->rotation.x, p->pose->rotation.y, p->pose->rotation.z};
        for (int k = 0; k < 3; k++) {
            out.r[0][k] = columns[k].x;
            out.r[1][k] = columns[k].y;
            out.r[2][k] = columns[k].z;
        }
        out.t[0] = p->pose->translation.x;
        out.t[1] = p->pose->translation.y;
        out.t[2] = p->pose->translation.z;
    }
    return out;
}

static long shift_of_points(const exact_points *p)
{
    const placement at = placement_of(p);
    const long local = shift_of_all(p->coordinates, p->count * (size_t)p->dim, 0) + shift_of_all(&at.r[0][0], 9, 0);
    return larger(local, shift_of_all(at.t, 3, 0));
}

/* The points in the world times 2^shift. */
static ivec *world_integers(const exact_points *p, long shift)
{
    const placement at = placement_of(p);
    const long shift_p = shift_of_all(p->coordinates, p->count * (size_t)p->dim, 0),
               shift_r = shift_of_all(&at.r[0][0], 9, 0);
    ivec *out = vecs_new(p->count);
    mpz_t r, x;
    mpz_inits(r, x, NULL);
    for (size_t i = 0; i < p->count; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < p->dim; j++) {
                to_integer(r, at.r[k][j], shift_r);
                to_integer(x, p->coordinates[i * (size_t)p->dim + (size_t)j], shift_p);
                mpz_addmul(out[i].c[k], r, x);
            }
            mpz_mul_2exp(out[i].c[k], out[i].c[k], (mp_bitcnt_t)(shift - shift_p - shift_r));
            to_integer(x, at.t[k], shift);
            mpz_add(out[i].c[k], out[i].c[k], x);
        }
    }
    mpz_clears(r, x, NULL);
    return out;
}

static void differences_init(differences *d, const exact_points *a, const exact_points *b)
{
    d->shift = larger(shift_of_points(a), shift_of_points(b));
    d->a = world_integers(a, d->shift);
    d->b = world_integers(b, d->shift);
    d->count_a = a->count;
    d->count_b = b->count;
    d->count = a->count * b->count;
    d->w = vecs_new(d->count);
    for (size_t i = 0; i < d->count; i++) {
        sub(&d->w[i], &d->b[i % b->count], &d->a[i / b->count]);
    }
}

static void differences_clear(differences *d)
{
    vecs_free(d->w, d->count);
    vecs_free(d->a, d->count_a);
    vecs_free(d->b, d->count_b);
}

/* ------------------------------------------------ the closest point of a list's hull */

static void combination_init(combination *c)
{
    memset(c->index, 0, sizeof c->index);
    c->count = 0;
    mpz_inits(c->numerator[0], c->numerator[1], c->numerator[2], c->numerator[3], c->denominator, c->square, NULL);
    vec_init(&c->x);
}

static void combination_clear(combination *c)
{
    mpz_clears(c->numerator[0], c->numerator[1], c->numerator[2], c->numerator[3], c->denominator, c->square, NULL);
    vec_clear(&c->x);
}

/* Numerators 1 .. count-1 and the denominator by Cramer's rule on the differences to the first point. */
static void cramer(combination *c, const ivec *w)
{
    ivec e[3], n;
    for (int i = 0; i < 3; i++) {
        vec_init(&e[i]);
    }
    vec_init(&n);
    const ivec *first = &w[c->index[0]];
    for (int i = 1; i < c->count; i++) {
        sub(&e[i - 1], &w[c->index[i]], first);
    }
    switch (c->count) {
    case 1: mpz_set_ui(c->denominator, 1); break;
    case 2:
        dot(c->denominator, &e[0], &e[0]);
        dot(c->numerator[1], first, &e[0]);
        mpz_neg(c->numerator[1], c->numerator[1]);
        break;
    case 3: {
        ivec t;
        vec_init(&t);
        cross(&n, &e[0], &e[1]);
        dot(c->denominator, &n, &n);
        cross(&t, &e[1], first);
        dot(c->numerator[1], &n, &t);
        cross(&t, first, &e[0]);
        dot(c->numerator[2], &n, &t);
        vec_clear(&t);
        break;
    }
    default:
        for (int i = 0; i < 3; i++) {
            cross(&n, &e[(i + 1) % 3], &e[(i + 2) % 3]);
            dot(c->numerator[i + 1], &n, first);
            if (i == 0) {
                dot(c->denominator, &n, &e[0]);
                mpz_neg(c->denominator, c->denominator);
            }
        }
        if (mpz_sgn(c->denominator) < 0) {
            mpz_neg(c->denominator, c->denominator);
            for (int i = 1; i < 4; i++) {
                mpz_neg(c->numerator[i], c->numerator[i]);
            }
        }
        break;
    }
    for (int i = 0; i < 3; i++) {
        vec_clear(&e[i]);
    }
    vec_clear(&n);
}

/* The closest point of the affine hull of the indexed points; false unless it is a strictly positive combination of
 * them. */
static bool solve_face(combination *c, const ivec *w)
{
    cramer(c, w);
    if (mpz_sgn(c->denominator) <= 0) {
        return false;
    }
    mpz_set(c->numerator[0], c->denominator);
    for (int i = 1; i < c->count; i++) {
        mpz_sub(c->numerator[0], c->numerator[0], c->numerator[i]);
    }
    for (int k = 0; k < 3; k++) {
        mpz_set_ui(c->x.c[k], 0);
    }
    for (int i = 0; i < c->count; i++) {
        if (mpz_sgn(c->numerator[i]) <= 0) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            mpz_addmul(c->x.c[k], c->numerator[i], w[c->index[i]].c[k]);
        }
    }
    dot(c->square, &c->x, &c->x);
    return true;
}

/* |x| / denominator of c less than that of best? */
static bool is_shorter(const combination *c, const combination *best)
{
    mpz_t left, right;
    mpz_inits(left, right, NULL);
    mpz_mul(left, best->denominator, best->denominator);
    mpz_mul(left, left, c->square);
    mpz_mul(right, c->denominator, c->denominator);
    mpz_mul(right, right, best->square);
    const bool shorter = mpz_cmp(left, right) < 0;
    mpz_clears(left, right, NULL);
    return shorter;
}

static void combination_swap(combination *a, combination *b)
{
    const combination t = *a;
    *a = *b;
    *b = t;
}

/* The shortest point of the simplex given by the indices. */
static void solve_simplex(combination *best, const ivec *w, const size_t *index, int count)
{
    combination c;
    combination_init(&c);
    best->count = 0;
    for (unsigned subset = 1; subset < 1u << count; subset++) {
        c.count = 0;
        for (int i = 0; i < count; i++) {
            if (subset >> i & 1u) {
                c.index[c.count++] = index[i];
            }
        }
        if (solve_face(&c, w) && (best->count == 0 || is_shorter(&c, best))) {
            combination_swap(&c, best);
        }
    }
    combination_clear(&c);
}

/* The member of the list farthest against x, and x.w for it. */
static size_t farthest_against(const ivec *x, const ivec *w, size_t count, mpz_t value)
{
    size_t best = 0;
    mpz_t v;
    mpz_init(v);
    dot(value, x, &w[0]);
    for (size_t i = 1; i < count; i++) {
        dot(v, x, &w[i]);
        if (mpz_cmp(v, value) < 0) {
            mpz_swap(v, value);
            best = i;
        }
    }
    mpz_clear(v);
    return best;
}

/* The point of the hull of the list closest to the origin. */
static void shortest(combination *best, const ivec *w, size_t count)
{
    const size_t first = 0;
    mpz_t value;
    mpz_init(value);
    solve_simplex(best, w, &first, 1);
    while (mpz_sgn(best->square) != 0) {
        const size_t next = farthest_against(&best->x, w, count, value);
        mpz_mul(value, value, best->denominator);
        if (mpz_cmp(value, best->square) >= 0) {
            break;
        }
        size_t index[4];
        memcpy(index, best->index, sizeof index);
        index[best->count] = next; /* x != 0: at most three points so far */
        solve_simplex(best, w, index, best->count + 1);
    }
    mpz_clear(value);
}

/* ------------------------------------------------ touching or overlapping */

/* Replaces the members by their images under a map whose kernel is the line through v, or the plane across n. */
static void map_away(ivec *w, size_t count, const ivec *v, bool plane)
{
    ivec t;
    vec_init(&t);
    for (size_t i = 0; i < count; i++) {
        if (plane) {
            dot(t.c[0], v, &w[i]);
            mpz_set_ui(t.c[1], 0);
            mpz_set_ui(t.c[2], 0);
        } else {
            cross(&t, v, &w[i]);
        }
        for (int k = 0; k < 3; k++) {
            mpz_swap(t.c[k], w[i].c[k]);
        }
    }
    vec_clear(&t);
}

/* The dimension of the span of the combination's points and something that spans it: a line's direction, or a plane's
 * normal. */
static int span_of(const combination *c, const ivec *w, ivec *v)
{
    ivec t;
    int rank = 0;
    vec_init(&t);
    for (int i = 0; i < c->count && rank < 1; i++) {
        if (!is_zero(&w[c->index[i]])) {
            rank = 1;
            for (int k = 0; k < 3; k++) {
                mpz_set(v->c[k], w[c->index[i]].c[k]);
            }
        }
    }
    for (int i = 0; i < c->count && rank == 1; i++) {
        cross(&t, v, &w[c->index[i]]);
        if (!is_zero(&t)) {
            rank = 2;
            for (int k = 0; k < 3; k++) {
                mpz_set(v->c[k], t.c[k]);
            }
        }
    }
    for (int i = 0; i < c->count && rank == 2; i++) {
        dot(t.c[0], v, &w[c->index[i]]);
        rank = mpz_sgn(t.c[0]) != 0 ? 3 : 2;
    }
    vec_clear(&t);
    return rank;
}

static size_t drop_zeros(ivec *w, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_zero(&w[i])) {
            const ivec t = w[kept];
            w[kept++] = w[i];
            w[i] = t;
        }
    }
    return kept;
}

/* The origin is in the hull of the list, relatively inside the face spanned by `holds`. It is strictly inside the hull
 * if the directions that can be balanced span the space: balanced directions are divided out, and the rest must be able
 * to balance in turn. Changes the list. */
static bool is_interior(ivec *w, size_t count, int dim, const combination *holds)
{
    combination c;
    ivec v;
    int left = dim;
    combination_init(&c);
    vec_init(&v);
    int rank = span_of(holds, w, &v);
    while (rank < left) {
        if (rank > 0) {
            map_away(w, count, &v, rank == 2);
        }
        left -= rank;
        rank = 0;
        const size_t kept = drop_zeros(w, count);
        if (kept == 0) {
            break;
        }
        shortest(&c, w, kept);
        if (mpz_sgn(c.square) != 0) {
            break;
        }
        rank = span_of(&c, w, &v);
    }
    combination_clear(&c);
    vec_clear(&v);
    return rank >= left;
}

/* ------------------------------------------------ to doubles */

/* The sign of |x| / denominator * 2^-shift - (y + z) / 2 for y, z >= 0. */
static int compare_length(const combination *c, long shift, double y, double z)
{
    mpq_t left, right, other;
    mpq_inits(left, right, other, NULL);
    mpz_set(mpq_numref(left), c->square);
    mpz_mul(mpq_denref(left), c->denominator, c->denominator);
    mpq_canonicalize(left);
    mpq_set_d(right, y);
    mpq_set_d(other, z);
    mpq_add(right, right, other);
    mpq_div_2exp(right, right, 1);
    mpq_mul_2exp(right, right, (mp_bitcnt_t)shift);
    mpq_mul(right, right, right);
    const int sign = mpq_cmp(left, right);
    mpq_clears(left, right, other, NULL);
    return sign;
}

static double quotient(const mpz_t top, const mpz_t bottom, long shift)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_num(q, top);
    mpq_set_den(q, bottom);
    mpq_canonicalize(q);
    mpq_div_2exp(q, q, (mp_bitcnt_t)shift);
    const double d = mpq_get_d(q);
    mpq_clear(q);
    return d;
}

static double approximate_length(const combination *c, long shift)
{
    mpf_t square, denominator;
    mpf_init2(square, 320);
    mpf_init2(denominator, 320);
    mpf_set_z(square, c->square);
    mpf_set_z(denominator, c->denominator);
    mpf_sqrt(square, square);
    mpf_div(square, square, denominator);
    mpf_div_2exp(square, square, (mp_bitcnt_t)shift);
    const double d = mpf_get_d(square);
    mpf_clears(square, denominator, NULL);
    return d;
}

static void round_length(const combination *c, long shift, exact_answer *out)
{
    double d = approximate_length(c, shift), next = nextafter(d, INFINITY);
    while (d > 0.0 && compare_length(c, shift, d, d) < 0) {
        next = d;
        d = nextafter(d, 0.0);
    }
    while (compare_length(c, shift, next, next) >= 0) {
        d = next;
        next = nextafter(d, INFINITY);
    }
    out->below = d;
    out->above = compare_length(c, shift, d, d) == 0 ? d : next;
    out->distance = compare_length(c, shift, d, next) < 0 ? d : next;
}

static void witness(const combination *c, const differences *d, double *a, double *b)
{
    mpz_t sum_a, sum_b;
    mpz_inits(sum_a, sum_b, NULL);
    for (int k = 0; k < 3; k++) {
        mpz_set_ui(sum_a, 0);
        mpz_set_ui(sum_b, 0);
        for (int i = 0; i < c->count; i++) {
            mpz_addmul(sum_a, c->numerator[i], d->a[c->index[i] / d->count_b].c[k]);
            mpz_addmul(sum_b, c->numerator[i], d->b[c->index[i] % d->count_b].c[k]);
        }
        a[k] = quotient(sum_a, c->denominator, d->shift);
        b[k] = quotient(sum_b, c->denominator, d->shift);
    }
    mpz_clears(sum_a, sum_b, NULL);
}

void exact_distance(const exact_points *a, const exact_points *b, exact_answer *out)
{
    differences d;
    combination best;
    differences_init(&d, a, b);
    combination_init(&best);
    shortest(&best, d.w, d.count);
    witness(&best, &d, out->a, out->b);
    out->distance = out->below = out->above = 0.0;
    if (mpz_sgn(best.square) != 0) {
        out->relation = EXACT_DISJOINT;
        round_length(&best, d.shift, out);
    } else {
        out->relation = is_interior(d.w, d.count, a->dim, &best) ? EXACT_OVERLAPPING : EXACT_TOUCHING;
    }
    combination_clear(&best);
    differences_clear(&d);
}

/* Do the bodies meet after B was moved by `step` along an axis? */
static bool meets_moved(const differences *d, int axis, const mpz_t step)
{
    combination best;
    ivec *moved = vecs_new(d->count);
    combination_init(&best);
    for (size_t i = 0; i < d->count; i++) {
        for (int k = 0; k < 3; k++) {
            mpz_set(moved[i].c[k], d->w[i].c[k]);
        }
        mpz_add(moved[i].c[axis], moved[i].c[axis], step);
    }
    shortest(&best, moved, d->count);
    const bool meets = mpz_sgn(best.square) == 0;
    combination_clear(&best);
    vecs_free(moved, d->count);
    return meets;
}

bool exact_meets_within(const exact_points *a, const exact_points *b, double step)
{
    differences d;
    mpz_t length;
    bool meets = true;
    differences_init(&d, a, b);
    mpz_init(length);
    to_integer(length, step, d.shift);
    for (int axis = 0; axis < a->dim && meets; axis++) {
        meets = meets_moved(&d, axis, length);
        mpz_neg(length, length);
        meets = meets && meets_moved(&d, axis, length);
    }
    mpz_clear(length);
    differences_clear(&d);
    return meets;
}
