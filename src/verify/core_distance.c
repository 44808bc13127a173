/* The distance of two cores: the check's own search for the point of the Minkowski difference {b - a} closest to
 * the origin, in double-double arithmetic. It is the iteration of Gilbert, Johnson and Keerthi (1988), and every
 * subset of the at most four points is tried, because simplicity matters here and speed does not.
 *
 * No proof relies on the solutions being accurate. Whatever direction comes out of a step, the separation along it
 * bounds the distance from below; whatever weights come out, once they are non-negative and sum to 1 their point
 * bounds it from above. */
#include "body.h"

#define MAX_STEPS 400

/* A simplex of dim + 1 points that contains the origin must give a point this close to it; otherwise it is too flat
 * to be believed. */
#define REACHED 0x1p-70

/* Two bodies, or a body and a point if b is NULL. */
typedef struct {
    const ap_verify_body *a, *b;
    ap_dd3 point;
    double slack;
    int dim;
} core_pair;

typedef struct {
    int count;
    ap_dd3 w[4];
} dd_simplex;

/* A candidate: the point of the affine hull of a subset closest to the origin. */
typedef struct {
    ap_dd3 v, direction;
    ap_dd length;
    unsigned subset;
} subset_point;

/* The support point w = b - a of the Minkowski difference in direction -d. */
static bool support_difference(const core_pair *p, ap_dd3 d, ap_dd3 *w)
{
    ap_dd3 a, b = p->point;
    if (!ap_verify_support(p->a, d, &a) || (p->b != NULL && !ap_verify_support(p->b, ap_dd3_neg(d), &b))) {
        return false;
    }
    *w = ap_dd3_sub(b, a);
    return true;
}

/* Weights of the point of the line through w0, w1 closest to the origin, and the direction to it: e x (w0 x e). */
static bool closest_on_line(const ap_dd3 *w, ap_dd *lambda, ap_dd3 *direction)
{
    const ap_dd3 e = ap_dd3_sub(w[1], w[0]);
    const ap_dd ee = ap_dd3_dot(e, e);
    if (!ap_dd_positive(ee)) {
        return false;
    }
    lambda[1] = ap_dd_div(ap_dd_neg(ap_dd3_dot(w[0], e)), ee);
    lambda[0] = ap_dd_sub(ap_dd_from(1.0), lambda[1]);
    *direction = ap_dd3_cross(e, ap_dd3_cross(w[0], e));
    return true;
}

static bool closest_on_plane(const ap_dd3 *w, ap_dd *lambda, ap_dd3 *direction)
{
    const ap_dd3 e1 = ap_dd3_sub(w[1], w[0]), e2 = ap_dd3_sub(w[2], w[0]);
    const ap_dd3 n = ap_dd3_cross(e1, e2);
    const ap_dd nn = ap_dd3_dot(n, n);
    if (!ap_dd_positive(nn)) {
        return false;
    }
    lambda[1] = ap_dd_div(ap_dd3_dot(n, ap_dd3_cross(e2, w[0])), nn);
    lambda[2] = ap_dd_div(ap_dd3_dot(n, ap_dd3_cross(w[0], e1)), nn);
    lambda[0] = ap_dd_sub(ap_dd_sub(ap_dd_from(1.0), lambda[1]), lambda[2]);
    *direction = ap_dd_positive(ap_dd3_dot(n, w[0])) ? n : ap_dd3_neg(n);
    return true;
}

static bool origin_in_space(const ap_dd3 *w, ap_dd *lambda, ap_dd3 *direction)
{
    const ap_dd3 e1 = ap_dd3_sub(w[1], w[0]), e2 = ap_dd3_sub(w[2], w[0]), e3 = ap_dd3_sub(w[3], w[0]);
    const ap_dd det = ap_dd_neg(ap_dd3_dot(e1, ap_dd3_cross(e2, e3)));
    if (det.hi == 0.0) {
        return false;
    }
    lambda[1] = ap_dd_div(ap_dd3_dot(w[0], ap_dd3_cross(e2, e3)), det);
    lambda[2] = ap_dd_div(ap_dd3_dot(w[0], ap_dd3_cross(e3, e1)), det);
    lambda[3] = ap_dd_div(ap_dd3_dot(w[0], ap_dd3_cross(e1, e2)), det);
    lambda[0] = ap_dd_sub(ap_dd_sub(ap_dd_sub(ap_dd_from(1.0), lambda[1]), lambda[2]), lambda[3]);
    *direction = ap_dd3_from(ap_vec(0.0, 0.0, 0.0));
    return true;
}

/* The closest point of a subset's affine hull, if it is in the convex hull of the subset. */
static bool solve_subset(const dd_simplex *s, int dim, unsigned subset, subset_point *out)
{
    ap_dd3 w[4] = {{{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}};
    ap_dd lambda[4] = {{1.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        if (subset >> i & 1u) {
            w[n++] = s->w[i];
        }
    }
    out->direction = w[0];
    if ((n == 2 && !closest_on_line(w, lambda, &out->direction)) ||
        (n == 3 && !closest_on_plane(w, lambda, &out->direction)) ||
        (n == 4 && !origin_in_space(w, lambda, &out->direction))) {
        return false;
    }
    ap_dd sum = ap_dd_from(0.0);
    ap_dd3 v = ap_dd3_from(ap_vec(0.0, 0.0, 0.0));
    for (int i = 0; i < n; i++) {
        if (!(lambda[i].hi >= 0.0)) {
            return false;
        }
        sum = ap_dd_add(sum, lambda[i]);
        v = ap_dd3_add(v, ap_dd3_scale(lambda[i], w[i]));
    }
    out->v = ap_dd3_scale(ap_dd_div(ap_dd_from(1.0), sum), v);
    out->length = ap_dd3_norm(out->v);
    out->subset = subset;
    return isfinite(out->length.hi) && (n <= dim || out->length.hi <= REACHED);
}

/* Finds the closest point of the simplex, and reduces the simplex to the subset that contains it. */
static subset_point reduce_simplex(dd_simplex *s, int dim)
{
    subset_point best = {.subset = 0};
    for (unsigned subset = 1; subset < 1u << s->count; subset++) {
        subset_point c;
        if (solve_subset(s, dim, subset, &c) && (best.subset == 0 || ap_dd_less(c.length, best.length))) {
            best = c;
        }
    }
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        if (best.subset >> i & 1u) {
            s->w[n++] = s->w[i];
        }
    }
    s->count = n;
    return best;
}

static bool has_point(const dd_simplex *s, ap_dd3 w)
{
    for (int i = 0; i < s->count; i++) {
        const ap_dd3 d = ap_dd3_sub(s->w[i], w);
        if (ap_max_abs(ap_dd3_value(d)) == 0.0) {
            return true;
        }
    }
    return false;
}

static double core_separation(const core_pair *p, ap_dd3 d, ap_dd3 w)
{
    return ap_dd_value(ap_dd_div(ap_dd3_dot(d, w), ap_dd3_norm(d))) - p->slack;
}

static ap_verify_bounds search_distance(const core_pair *p, ap_dd3 start, ap_verify_goal goal)
{
    ap_verify_bounds bounds = {.lower = -INFINITY, .upper = INFINITY};
    dd_simplex s = {.count = 0};
    ap_dd3 d = ap_dd3_to_unit_size(start);
    for (int step = 0; step < MAX_STEPS; step++) {
        ap_dd3 w;
        if (!support_difference(p, d, &w)) {
            bounds.failed = true;
            return bounds;
        }
        bounds.lower = ap_max(bounds.lower, core_separation(p, d, w));
        if (has_point(&s, w)) {
            return bounds;
        }
        s.w[s.count++] = w;
        const subset_point best = reduce_simplex(&s, p->dim);
        bounds.upper = ap_min(bounds.upper, ap_dd_value(best.length) + p->slack);
        const bool known = bounds.upper - bounds.lower <= 4.0 * p->slack;
        const bool reached = bounds.lower >= goal.lower && bounds.upper <= goal.upper;
        d = ap_dd3_to_unit_size(best.direction);
        if (known || reached || s.count > p->dim || ap_max_abs(ap_dd3_value(d)) == 0.0) {
            return bounds;
        }
    }
    return bounds;
}

ap_verify_bounds ap_verify_nearest(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 start, ap_verify_goal goal)
{
    const core_pair p = {.a = a, .b = b, .slack = a->slack + b->slack, .dim = a->shape->dim};
    return search_distance(&p, start, goal);
}

ap_verify_bounds ap_verify_nearest_point(const ap_verify_body *a, ap_dd3 point, ap_verify_goal goal)
{
    const core_pair p = {.a = a, .point = point, .slack = a->slack, .dim = a->shape->dim};
    ap_dd3 inner;
    const ap_dd3 any = ap_dd3_from(ap_vec(1.0, 0.0, 0.0));
    if (!ap_verify_support(a, any, &inner)) {
        return (ap_verify_bounds){.lower = -INFINITY, .upper = INFINITY, .failed = true};
    }
    const ap_dd3 start = ap_dd3_sub(point, inner);
    return search_distance(&p, ap_max_abs(ap_dd3_value(start)) > 0.0 ? start : any, goal);
}

bool ap_verify_separation(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 d, double *separation)
{
    const core_pair p = {.a = a, .b = b, .slack = a->slack + b->slack, .dim = a->shape->dim};
    ap_dd3 w;
    if (!support_difference(&p, d, &w)) {
        return false;
    }
    *separation = core_separation(&p, d, w);
    return true;
}
