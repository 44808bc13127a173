/* What the solvers by faces share: the closest point of one face of a simplex, as a candidate among others. */
#ifndef AP_SIMPLEX_SOLVE_SHARED_H
#define AP_SIMPLEX_SOLVE_SHARED_H

#include "simplex.h"

typedef struct ap_candidate {
    unsigned keep;    /* bit i: vertex i takes part */
    double lambda[4]; /* 0 where the bit is not set */
    apart_vec3 v;
} ap_candidate;

static inline ap_candidate ap_candidate_vertex(const ap_simplex *s, int i)
{
    ap_candidate c = {1u << i, {0.0}, s->vertex[i].w};
    c.lambda[i] = 1.0;
    return c;
}

/* The points w, three doubles each. */
static inline void ap_simplex_coordinates(const ap_simplex *s, double *points)
{
    for (int i = 0; i < s->count; i++) {
        points[3 * i] = s->vertex[i].w.x;
        points[3 * i + 1] = s->vertex[i].w.y;
        points[3 * i + 2] = s->vertex[i].w.z;
    }
}

/* Takes over weights found elsewhere (bit i of keep: vertex i). True when the whole of dim + 1 vertices is kept: the origin is inside. */
static inline bool ap_simplex_take(ap_simplex *s, int dim, unsigned keep, const double *lambda)
{
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].lambda = lambda[i];
    }
    ap_simplex_keep(s, keep);
    return s->count == dim + 1;
}

/* The one closer to the origin; the first on a tie. */
static inline ap_candidate ap_candidate_nearer(ap_candidate a, ap_candidate b)
{
    return ap_dot(b.v, b.v) < ap_dot(a.v, a.v) ? b : a;
}

/* The candidate of the nearer end of a segment. */
static inline ap_candidate ap_candidate_nearer_vertex(const ap_simplex *s, int i, int j)
{
    return ap_candidate_nearer(ap_candidate_vertex(s, i), ap_candidate_vertex(s, j));
}

/* Positive weights c_i of the first n of the vertices in `id`, brought to the sum 1: v = sum lambda w. */
static inline ap_candidate ap_candidate_weights(const ap_simplex *s, int n, const int *id, const double *c)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += c[i];
    }
    ap_candidate r = {0u, {0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < n; i++) {
        ap_count_div(1);
        r.keep |= 1u << id[i];
        r.lambda[id[i]] = c[i] / sum;
        r.v = ap_add(r.v, ap_scale(r.lambda[id[i]], s->vertex[id[i]].w));
    }
    return r;
}

/* Writes the candidate into the simplex; true when it is the whole of dim + 1 vertices: the origin is inside, v = 0. */
static inline bool ap_candidate_finish(const ap_candidate *c, int dim, ap_simplex *s, apart_vec3 *v)
{
    const bool inside = ap_simplex_take(s, dim, c->keep, c->lambda);
    *v = inside ? ap_vec(0.0, 0.0, 0.0) : c->v;
    return inside;
}

#endif
