/* The fallback solver, in double-double arithmetic: it solves every feature of the simplex and takes the nearest legal
 * one. It runs only when the certificate of the chosen solver does not close (docs/numerics.md).
 *
 * There are no region tests: each vertex, edge and face gives the point of its affine hull closest to the origin, which
 * is legal when all its weights are positive, and the one with the smallest |v| is taken. Differences of doubles are
 * exact and products carry 106 bits, so the normal of a needle whose width is 1e-15 of its length still has 15 correct
 * digits. */
#include "solvers.h"

/* Features whose squared size is below this (the pair has size 1) are skipped in favour of their vertices: the errors
 * of products would underflow. */
#define LEAST_SQUARE 0x1p-860

typedef struct dd_candidate {
    ap_dd3 v;
    ap_dd squared;
    unsigned keep;
    ap_dd lambda[4];
} dd_candidate;

/* Two lengths |v| whose relative difference is smaller than this count as equal: near contact v can turn a lot while
 * |v| hardly changes. */
#define SAME_LENGTH 0x1p-48

/* Is c better than the best candidate so far? A legal feature is at least as near as the features that bound it. Of two
 * that are equally near, the one with the newest (last) vertex is better: without that vertex the loop would find the
 * same support point again. */
static bool is_better_candidate(const dd_candidate *c, const dd_candidate *best, unsigned newest)
{
    const unsigned common = best->keep & c->keep;
    if (common == best->keep || common == c->keep) {
        return common == best->keep;
    }
    const ap_dd difference = ap_dd_sub(c->squared, best->squared);
    if (fabs(difference.hi) <= SAME_LENGTH * best->squared.hi && ((c->keep ^ best->keep) & newest) != 0) {
        return (c->keep & newest) != 0;
    }
    return difference.hi < 0.0;
}

/* Takes c if it is better. */
static void offer_candidate(dd_candidate *best, const dd_candidate *c, unsigned newest)
{
    if (is_better_candidate(c, best, newest)) {
        *best = *c;
    }
}

/* Each of the following offers the closest point of one feature if that is legal. */
static void try_vertex(const ap_simplex *s, int i, dd_candidate *best)
{
    dd_candidate c = {.v = ap_dd3_from(s->vertex[i].w), .keep = 1u << i};
    c.squared = ap_dd3_dot(c.v, c.v);
    c.lambda[i] = ap_dd_from(1.0);
    offer_candidate(best, &c, 1u << (s->count - 1));
}

static void try_edge(const ap_simplex *s, int i, int j, dd_candidate *best)
{
    const bool first = ap_max_abs(s->vertex[i].w) <= ap_max_abs(s->vertex[j].w);
    const ap_dd3 p = ap_dd3_from(s->vertex[i].w), q = ap_dd3_from(s->vertex[j].w);
    const ap_dd3 e = ap_dd3_difference(s->vertex[j].w, s->vertex[i].w);
    const ap_dd to_q = ap_dd_neg(ap_dd3_dot(p, e)), to_p = ap_dd3_dot(q, e);
    if (!ap_dd_positive(to_q) || !ap_dd_positive(to_p)) {
        return;
    }
    const ap_dd length = ap_dd3_dot(e, e);
    if (!(length.hi > LEAST_SQUARE)) {
        return;
    }
    dd_candidate c = {.keep = 1u << i | 1u << j};
    c.v = ap_dd3_scale(ap_dd_div(ap_dd_from(1.0), length), ap_dd3_cross(e, ap_dd3_cross(first ? p : q, e)));
    c.squared = ap_dd3_dot(c.v, c.v);
    c.lambda[i] = ap_dd_div(to_p, length);
    c.lambda[j] = ap_dd_div(to_q, length);
    offer_candidate(best, &c, 1u << (s->count - 1));
}

static ap_dd3 subtract_dd3(ap_dd3 a, ap_dd3 b)
{
    return (ap_dd3){ap_dd_sub(a.x, b.x), ap_dd_sub(a.y, b.y), ap_dd_sub(a.z, b.z)};
}

/* The corner nearest to the origin: the edges that leave it give the normal with the least cancellation. */
static int nearest_corner(const ap_simplex *s, const int id[3])
{
    int nearest = 0;
    for (int t = 1; t < 3; t++) {
        nearest = ap_max_abs(s->vertex[id[t]].w) < ap_max_abs(s->vertex[id[nearest]].w) ? t : nearest;
    }
    return nearest;
}

static void try_face(const ap_simplex *s, const int id[3], dd_candidate *best)
{
    const int base = nearest_corner(s, id);
    const apart_vec3 p = s->vertex[id[base]].w, next = s->vertex[id[(base + 1) % 3]].w,
                     last = s->vertex[id[(base + 2) % 3]].w;
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(next, p), ap_dd3_difference(last, p));
    const ap_dd nn = ap_dd3_dot(n, n);
    if (!(nn.hi > LEAST_SQUARE)) {
        return;
    }
    dd_candidate c = {.keep = 1u << id[0] | 1u << id[1] | 1u << id[2]};
    c.v = ap_dd3_scale(ap_dd_div(ap_dd3_dot(n, ap_dd3_from(p)), nn), n);
    ap_dd3 q[3];
    for (int t = 0; t < 3; t++) {
        q[t] = subtract_dd3(ap_dd3_from(s->vertex[id[t]].w), c.v);
    }
    for (int t = 0; t < 3; t++) {
        const ap_dd area = ap_dd3_dot(n, ap_dd3_cross(q[(t + 1) % 3], q[(t + 2) % 3]));
        if (!ap_dd_positive(area)) {
            return;
        }
        c.lambda[id[t]] = ap_dd_div(area, nn);
    }
    c.squared = ap_dd3_dot(c.v, c.v);
    offer_candidate(best, &c, 1u << (s->count - 1));
}

/* Is the origin inside the full simplex (triangle in 2D, tetrahedron in 3D), that is, are all its barycentric
 * coordinates positive? */
static bool try_inside(const ap_simplex *s, int dim, dd_candidate *best)
{
    ap_dd part[4], sum = ap_dd_from(0.0);
    if (s->count != dim + 1) {
        return false;
    }
    for (int k = 0; k < s->count; k++) {
        const ap_dd3 p = ap_dd3_from(s->vertex[(k + 1) % s->count].w), q = ap_dd3_from(s->vertex[(k + 2) % s->count].w);
        if (dim == 2) {
            part[k] = ap_dd3_cross(p, q).z;
        } else {
            const ap_dd volume = ap_dd3_dot(p, ap_dd3_cross(q, ap_dd3_from(s->vertex[(k + 3) % 4].w)));
            part[k] = k % 2 == 0 ? volume : ap_dd_neg(volume); /* cyclic order of four is an odd permutation */
        }
        sum = ap_dd_add(sum, part[k]);
    }
    dd_candidate c = {.keep = (1u << s->count) - 1u};
    for (int k = 0; k < s->count; k++) {
        if (!(fabs(sum.hi) > LEAST_SQUARE) || !ap_dd_positive(sum.hi > 0.0 ? part[k] : ap_dd_neg(part[k]))) {
            return false;
        }
        c.lambda[k] = ap_dd_div(part[k], sum);
    }
    *best = c;
    return true;
}

AP_RARE bool ap_solve_double_double(ap_simplex *s, int dim, apart_vec3 *v)
{
    dd_candidate best = {.keep = 0};
    const bool inside = try_inside(s, dim, &best);
    for (int i = 0; i < s->count && !inside; i++) {
        try_vertex(s, i, &best);
        for (int j = i + 1; j < s->count; j++) {
            try_edge(s, i, j, &best);
            for (int k = j + 1; k < s->count; k++) {
                const int id[3] = {i, j, k};
                try_face(s, id, &best);
            }
        }
    }
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].lambda = ap_dd_value(best.lambda[i]);
    }
    ap_simplex_keep(s, best.keep);
    *v = ap_dd3_value(best.v);
    return inside;
}
