/* The search over all faces of the Minkowski difference {b - a}. Its faces are faces of one body, or come from an edge
 * of each; the depth is the least support value h(m)/|m| over their normals m. Directions that are not the normal of a
 * face do no harm: the value of a direction is never below the depth.
 *
 * A first pass in doubles with an error bound for each direction rules out most; the rest is decided in integers: all
 * coordinates are multiplied by one power of two, and h1/|m1| < h2/|m2| is a comparison of h1^2 m2.m2 with
 * h2^2 m1.m1. */
#include "minkowski_depth.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_ROUNDOFF 0x1p-53
/* Errors of the first pass with coordinates up to 1 in units of u. Rounded coordinates err by 2, edges e, f by 6, e x f
 * by 52 (|e| + |f|), the unit normal by twice that over |e x f|, which the farthest point (3.5) multiplies; and the dot
 * products by themselves. */
#define NORMAL_ERROR 512.0
#define VALUE_ERROR 64.0
#define ROOT_BITS 512

typedef struct {
    mpz_t c[3];
} ivec;

/* A body: integers, and the same as doubles up to 1 about a common origin. */
typedef struct {
    ivec *point;
    double (*rounded)[3];
    size_t count;
} body;

/* A direction: perpendicular to two edges (p[0] p[1] of body from[0], p[2] p[3] of body from[1]); in the plane to the
 * first alone. */
typedef struct {
    size_t p[4];
    int from[2];
    double low; /* no less than this, by the first pass */
} candidate;

typedef struct {
    body body[2];
    int dim;
    long shift;  /* integers are coordinates times 2^shift */
    double high; /* the least upper bound so far */
    candidate *kept;
    size_t kept_count, kept_capacity, tried;
} search;

/* The best direction: h / |m|. */
typedef struct {
    ivec m;
    mpz_t h, square; /* m.m */
    bool known;
} face;

static void *must(void *p)
{
    if (p == NULL) {
        abort();
    }
    return p;
}

static void vec_init(ivec *v) { mpz_inits(v->c[0], v->c[1], v->c[2], NULL); }

static void vec_clear(ivec *v) { mpz_clears(v->c[0], v->c[1], v->c[2], NULL); }

/* ------------------------------------------------ exact coordinates */

/* x = significand * 2^exponent with an odd significand; false for 0. */
static bool take_apart(double x, mpz_t significand, long *exponent)
{
    int e;
    mpz_set_d(significand, ldexp(frexp(x, &e), 53));
    if (mpz_sgn(significand) == 0) {
        return false;
    }
    const mp_bitcnt_t zeros = mpz_scan1(significand, 0);
    mpz_tdiv_q_2exp(significand, significand, zeros);
    *exponent = e - 53 + (long)zeros;
    return true;
}

/* sum += x y 2^shift; the shift is large enough. In a first round (sum NULL) only finds out how large it must be. */
static void add_product(ivec *sum, int k, double x, double y, long *shift, mpz_t p, mpz_t q)
{
    long ex, ey;
    if (!take_apart(x, p, &ex) || !take_apart(y, q, &ey)) {
        return;
    }
    if (sum == NULL) {
        *shift = *shift > -(ex + ey) ? *shift : -(ex + ey);
        return;
    }
    mpz_mul(p, p, q);
    mpz_mul_2exp(p, p, (mp_bitcnt_t)(*shift + ex + ey));
    mpz_add(sum->c[k], sum->c[k], p);
}

/* rotation * x + translation, added to the points; points NULL: only the shift. */
static void place_points(const exact_points *from, ivec *points, long *shift)
{
    apart_pose pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    pose = from->pose != NULL ? *from->pose : pose;
    const double column[4][3] = {{pose.rotation.x.x, pose.rotation.x.y, pose.rotation.x.z},
                                 {pose.rotation.y.x, pose.rotation.y.y, pose.rotation.y.z},
                                 {pose.rotation.z.x, pose.rotation.z.y, pose.rotation.z.z},
                                 {pose.translation.x, pose.translation.y, pose.translation.z}};
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    for (size_t i = 0; i < from->count; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < from->dim; j++) {
                add_product(points != NULL ? &points[i] : NULL, k, column[j][k],
                            from->coordinates[i * (size_t)from->dim + (size_t)j], shift, p, q);
            }
            add_product(points != NULL ? &points[i] : NULL, k, column[3][k], 1.0, shift, p, q);
        }
    }
    mpz_clears(p, q, NULL);
}

static void body_init(body *out, const exact_points *from, long shift)
{
    out->count = from->count;
    out->point = must(malloc(from->count * sizeof *out->point));
    out->rounded = must(malloc(from->count * sizeof *out->rounded));
    for (size_t i = 0; i < from->count; i++) {
        vec_init(&out->point[i]);
    }
    place_points(from, out->point, &shift);
}

static void body_clear(body *b)
{
    for (size_t i = 0; i < b->count; i++) {
        vec_clear(&b->point[i]);
    }
    free(b->point);
    free(b->rounded);
}

/* Moves both bodies so that A's first point is the origin, and rounds them to doubles of size 1. */
static void round_points(search *s)
{
    size_t bits = 1;
    ivec origin;
    vec_init(&origin);
    for (int k = 0; k < 3; k++) {
        mpz_set(origin.c[k], s->body[0].point[0].c[k]);
    }
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < s->body[which].count; i++) {
            for (int k = 0; k < 3; k++) {
                mpz_ptr x = s->body[which].point[i].c[k];
                mpz_sub(x, x, origin.c[k]);
                bits = mpz_sizeinbase(x, 2) > bits ? mpz_sizeinbase(x, 2) : bits;
            }
        }
    }
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < s->body[which].count; i++) {
            for (int k = 0; k < 3; k++) {
                long exponent;
                const double fraction = mpz_get_d_2exp(&exponent, s->body[which].point[i].c[k]);
                const long down = exponent - (long)bits;
                s->body[which].rounded[i][k] = down < -1000 ? 0.0 : ldexp(fraction, (int)down);
            }
        }
    }
    vec_clear(&origin);
}

/* ------------------------------------------------ the first pass, in doubles */

static double dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

/* The direction as a unit vector; returns how far it may be off, at most 2. */
static double rounded_normal(const search *s, const candidate *c, double m[3])
{
    double e[3], f[3] = {0.0, 0.0, 1.0}, size = 1.0;
    const double(*first)[3] = (const double(*)[3])s->body[c->from[0]].rounded,
          (*second)[3] = (const double(*)[3])s->body[c->from[1]].rounded;
    for (int k = 0; k < 3; k++) {
        e[k] = first[c->p[1]][k] - first[c->p[0]][k];
        f[k] = s->dim == 3 ? second[c->p[3]][k] - second[c->p[2]][k] : f[k];
    }
    m[0] = e[1] * f[2] - e[2] * f[1];
    m[1] = e[2] * f[0] - e[0] * f[2];
    m[2] = e[0] * f[1] - e[1] * f[0];
    size = sqrt(dot(e, e)) + sqrt(dot(f, f));
    const double length = sqrt(dot(m, m));
    const double error = length > 0.0 ? NORMAL_ERROR * UNIT_ROUNDOFF * size / length : 2.0;
    for (int k = 0; k < 3; k++) {
        m[k] = length > 0.0 ? m[k] / length : 0.0;
    }
    return error < 2.0 ? error : 2.0;
}

/* The lesser of h(m) and h(-m); stops when both exceed `enough`. */
static double rounded_support(const search *s, const double m[3], double enough)
{
    double most[2] = {-INFINITY, -INFINITY}, least[2] = {INFINITY, INFINITY}, value = -INFINITY;
    const size_t longer = s->body[0].count > s->body[1].count ? s->body[0].count : s->body[1].count;
    for (size_t i = 0; i < longer && !(value > enough); i++) {
        for (int which = 0; which < 2; which++) {
            if (i < s->body[which].count) {
                const double x = dot(m, s->body[which].rounded[i]);
                most[which] = x > most[which] ? x : most[which];
                least[which] = x < least[which] ? x : least[which];
            }
        }
        const double ahead = most[1] - least[0], behind = most[0] - least[1];
        value = ahead < behind ? ahead : behind;
    }
    return value;
}

/* Keeps the direction unless doubles prove that another one has a smaller value. */
static void try_direction(search *s, candidate c)
{
    double m[3];
    const double error = rounded_normal(s, &c, m) + VALUE_ERROR * UNIT_ROUNDOFF;
    const double value = rounded_support(s, m, s->high + error);
    s->tried++;
    if (value > s->high + error) {
        return;
    }
    if (error < 2.0 && value + error < s->high) {
        s->high = value + error;
    }
    if (s->kept_count == s->kept_capacity) {
        s->kept_capacity = 2 * s->kept_capacity + 64;
        s->kept = must(realloc(s->kept, s->kept_capacity * sizeof *s->kept));
    }
    c.low = error < 2.0 ? value - error : -INFINITY;
    s->kept[s->kept_count++] = c;
}

/* All normals of triangles (in the plane: edges) of one body. */
static void try_faces(search *s, int which)
{
    const size_t n = s->body[which].count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (s->dim == 2) {
                try_direction(s, (candidate){.p = {i, j, 0, 0}, .from = {which, which}});
            }
            for (size_t k = j + 1; s->dim == 3 && k < n; k++) {
                try_direction(s, (candidate){.p = {i, j, i, k}, .from = {which, which}});
            }
        }
    }
}

static void try_edge_pairs(search *s)
{
    const size_t na = s->body[0].count, nb = s->body[1].count;
    for (size_t i = 0; i < na; i++) {
        for (size_t j = i + 1; j < na; j++) {
            for (size_t k = 0; k < nb; k++) {
                for (size_t l = k + 1; l < nb; l++) {
                    try_direction(s, (candidate){.p = {i, j, k, l}, .from = {0, 1}});
                }
            }
        }
    }
}

/* ------------------------------------------------ the second pass, in integers */

static void difference(ivec *out, const ivec *a, const ivec *b)
{
    for (int k = 0; k < 3; k++) {
        mpz_sub(out->c[k], a->c[k], b->c[k]);
    }
}

static void exact_dot(mpz_t out, const ivec *a, const ivec *b)
{
    mpz_mul(out, a->c[0], b->c[0]);
    mpz_addmul(out, a->c[1], b->c[1]);
    mpz_addmul(out, a->c[2], b->c[2]);
}

/* Numbers of the second pass that are used again and again. */
typedef struct {
    ivec e, f;
    mpz_t x, most[2], least[2], left, right;
} scratch;

static void scratch_init(scratch *t)
{
    vec_init(&t->e);
    vec_init(&t->f);
    mpz_inits(t->x, t->most[0], t->most[1], t->least[0], t->least[1], t->left, t->right, NULL);
}

static void scratch_clear(scratch *t)
{
    vec_clear(&t->e);
    vec_clear(&t->f);
    mpz_clears(t->x, t->most[0], t->most[1], t->least[0], t->least[1], t->left, t->right, NULL);
}

static void exact_normal(const search *s, const candidate *c, scratch *t, ivec *m)
{
    const ivec *first = s->body[c->from[0]].point, *second = s->body[c->from[1]].point;
    difference(&t->e, &first[c->p[1]], &first[c->p[0]]);
    if (s->dim == 2) {
        mpz_set(m->c[0], t->e.c[1]);
        mpz_neg(m->c[1], t->e.c[0]);
        mpz_set_ui(m->c[2], 0);
        return;
    }
    difference(&t->f, &second[c->p[3]], &second[c->p[2]]);
    for (int k = 0; k < 3; k++) {
        mpz_mul(m->c[k], t->e.c[(k + 1) % 3], t->f.c[(k + 2) % 3]);
        mpz_submul(m->c[k], t->e.c[(k + 2) % 3], t->f.c[(k + 1) % 3]);
    }
}

/* h(m), with m turned to the side where it is the lesser. */
static void exact_support(const search *s, scratch *t, ivec *m, mpz_t h)
{
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < s->body[which].count; i++) {
            exact_dot(t->x, m, &s->body[which].point[i]);
            if (i == 0 || mpz_cmp(t->x, t->most[which]) > 0) {
                mpz_set(t->most[which], t->x);
            }
            if (i == 0 || mpz_cmp(t->x, t->least[which]) < 0) {
                mpz_set(t->least[which], t->x);
            }
        }
    }
    mpz_sub(h, t->most[1], t->least[0]);
    mpz_sub(t->x, t->most[0], t->least[1]);
    if (mpz_cmp(t->x, h) < 0) {
        mpz_swap(t->x, h);
        for (int k = 0; k < 3; k++) {
            mpz_neg(m->c[k], m->c[k]);
        }
    }
}

static void face_init(face *f)
{
    vec_init(&f->m);
    mpz_inits(f->h, f->square, NULL);
    f->known = false;
}

static void face_clear(face *f)
{
    vec_clear(&f->m);
    mpz_clears(f->h, f->square, NULL);
}

/* Is h/|m| of the first below that of the second? The first is positive. */
static bool is_nearer(const face *a, const face *b, scratch *t)
{
    mpz_mul(t->left, a->h, a->h);
    mpz_mul(t->left, t->left, b->square);
    mpz_mul(t->right, b->h, b->h);
    mpz_mul(t->right, t->right, a->square);
    return mpz_cmp(t->left, t->right) < 0;
}

/* The best of the kept directions; false when the support value of one is not positive, or there is none. */
static bool find_face(const search *s, face *best, size_t *evaluated)
{
    scratch t;
    face next;
    bool inside = true;
    scratch_init(&t);
    face_init(&next);
    for (size_t i = 0; i < s->kept_count && inside; i++) {
        if (s->kept[i].low > s->high) {
            continue;
        }
        exact_normal(s, &s->kept[i], &t, &next.m);
        exact_dot(next.square, &next.m, &next.m);
        if (mpz_sgn(next.square) == 0) {
            continue;
        }
        ++*evaluated;
        exact_support(s, &t, &next.m, next.h);
        inside = mpz_sgn(next.h) > 0;
        if (inside && (!best->known || is_nearer(&next, best, &t))) {
            const face swap = *best;
            *best = next;
            next = swap;
            best->known = true;
        }
    }
    face_clear(&next);
    scratch_clear(&t);
    return inside && best->known;
}

/* sqrt(h^2 / m.m) 2^-shift; a root of ROOT_BITS bits is exact when the depth is a double. */
static void round_depth(const search *s, const face *f, minkowski_answer *out)
{
    mpf_t top, bottom;
    mpf_init2(top, ROOT_BITS);
    mpf_init2(bottom, ROOT_BITS);
    mpf_set_z(top, f->h);
    mpf_set_z(bottom, f->square);
    mpf_mul(top, top, top);
    mpf_div(top, top, bottom);
    mpf_sqrt(top, top);
    if (s->shift >= 0) {
        mpf_div_2exp(top, top, (mp_bitcnt_t)s->shift);
    } else {
        mpf_mul_2exp(top, top, (mp_bitcnt_t)-s->shift);
    }
    out->least = mpf_get_d(top); /* rounds towards 0 */
    out->most = mpf_cmp_d(top, out->least) == 0 ? out->least : nextafter(out->least, INFINITY);
    mpf_clears(top, bottom, NULL);
}

/* -m/|m|: m points out of the Minkowski difference, and B leaves A along the opposite direction. */
static void round_normal(const face *f, double normal[3])
{
    long exponent[3], largest = 0;
    double m[3];
    for (int k = 0; k < 3; k++) {
        m[k] = mpz_get_d_2exp(&exponent[k], f->m.c[k]);
        largest = exponent[k] > largest ? exponent[k] : largest;
    }
    for (int k = 0; k < 3; k++) {
        m[k] = largest - exponent[k] > 1000 ? 0.0 : ldexp(m[k], (int)(exponent[k] - largest));
    }
    const double length = sqrt(dot(m, m));
    for (int k = 0; k < 3; k++) {
        normal[k] = -m[k] / length;
    }
}

void minkowski_depth(const exact_points *a, const exact_points *b, minkowski_answer *out)
{
    search s = {.dim = a->dim, .shift = -100000, .high = INFINITY};
    face best;
    place_points(a, NULL, &s.shift);
    place_points(b, NULL, &s.shift);
    body_init(&s.body[0], a, s.shift);
    body_init(&s.body[1], b, s.shift);
    round_points(&s);
    try_faces(&s, 0);
    try_faces(&s, 1);
    if (s.dim == 3) {
        try_edge_pairs(&s);
    }
    *out = (minkowski_answer){.candidates = s.tried};
    face_init(&best);
    if (find_face(&s, &best, &out->evaluated)) {
        out->inside = true;
        round_depth(&s, &best, out);
        round_normal(&best, out->normal);
    }
    face_clear(&best);
    free(s.kept);
    body_clear(&s.body[0]);
    body_clear(&s.body[1]);
}
