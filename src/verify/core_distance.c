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
    double radii; /* the least that the rounding balls reach together, along any direction */
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

/* The separation of the cores along d. */
static ap_dd core_separation(const core_pair *p, ap_dd3 d, ap_dd3 w)
{
    return ap_dd_sub(ap_dd_div(ap_dd3_dot(d, w), ap_dd3_norm(d)), ap_dd_from(p->slack));
}

/* What the rounding balls reach together along d. */
static ap_dd radii_along(const core_pair *p, ap_dd3 d)
{
    return p->b == NULL ? ap_dd_from(0.0) : ap_dd_add(ap_verify_radius_along(p->a, d), ap_verify_radius_along(p->b, d));
}

static void raise_lower(const core_pair *p, ap_dd3 d, ap_dd3 w, ap_verify_bounds *bounds)
{
    const ap_dd core = core_separation(p, d, w);
    bounds->core_lower = ap_max(bounds->core_lower, ap_dd_below(core));
    bounds->lower = ap_max(bounds->lower, ap_dd_below(ap_dd_sub(core, radii_along(p, d))));
}

/* The origin is inside a simplex of dim + 1 points, and every point within its least height over a side is, too: the
 * cores overlap by that much. Only heights far above rounding count. */
static double enclosing_radius(const core_pair *p, const dd_simplex *s)
{
    double least = INFINITY;
    for (int i = 0; i < s->count; i++) {
        const ap_dd3 *w = s->w;
        const int j = (i + 1) % s->count, k = (i + 2) % s->count, l = (i + 3) % s->count;
        const ap_dd3 side = ap_dd3_sub(w[k], w[j]);
        const ap_dd3 up = ap_dd3_from(ap_vec(0.0, 0.0, 1.0));
        const ap_dd3 n = ap_dd3_to_unit_size(ap_dd3_cross(side, p->dim == 3 ? ap_dd3_sub(w[l], w[j]) : up));
        const ap_dd corner = ap_dd3_dot(n, ap_dd3_sub(w[i], w[j])), height = ap_dd_neg(ap_dd3_dot(n, w[j]));
        const double above = corner.hi > 0.0 ? height.hi : -height.hi, length = ap_norm(ap_dd3_value(n));
        least = ap_min(least, length > 0.0 ? above / length : 0.0);
    }
    return least;
}

/* The bounds when the simplex has dim + 1 points. The heights are computed with errors of 2^-100 over the sines of the
 * simplex, which are at least its heights: 2^-30 leaves far more than that. */
static void lower_upper_by_enclosure(const core_pair *p, const dd_simplex *s, ap_verify_bounds *bounds)
{
    const double radius = enclosing_radius(p, s);
    if (radius > 0x1p-30 && radius > 4.0 * p->slack) {
        bounds->upper = ap_min(bounds->upper, -((1.0 - 0x1p-30) * radius - 2.0 * p->slack) - p->radii);
    }
}

static ap_verify_bounds search_distance(const core_pair *p, ap_dd3 start, ap_verify_goal goal)
{
    ap_verify_bounds bounds = {.lower = -INFINITY, .upper = INFINITY, .core_lower = -INFINITY};
    dd_simplex s = {.count = 0};
    ap_dd3 d = ap_dd3_to_unit_size(start);
    for (int step = 0; step < MAX_STEPS; step++) {
        ap_dd3 w;
        if (!support_difference(p, d, &w)) {
            bounds.failed = true;
            return bounds;
        }
        raise_lower(p, d, w, &bounds);
        if (has_point(&s, w)) {
            return bounds;
        }
        s.w[s.count++] = w;
        const subset_point best = reduce_simplex(&s, p->dim);
        const ap_dd reach = ap_dd_sub(ap_dd_add(best.length, ap_dd_from(p->slack)), ap_dd_from(p->radii));
        bounds.upper = ap_min(bounds.upper, ap_dd_above(reach));
        if (s.count > p->dim) {
            lower_upper_by_enclosure(p, &s, &bounds);
            return bounds;
        }
        d = ap_dd3_to_unit_size(best.direction);
        if (ap_verify_goal_reached(goal, bounds) || ap_max_abs(ap_dd3_value(d)) == 0.0) {
            return bounds;
        }
    }
    return bounds;
}

static core_pair pair_of_bodies(const ap_verify_body *a, const ap_verify_body *b)
{
    const double least = a->radius * (1.0 - a->stretch) + b->radius * (1.0 - b->stretch);
    return (core_pair){.a = a,
                       .b = b,
                       .slack = a->slack + b->slack,
                       .radii = least * (1.0 - 0x1p-51),
                       .dim = a->shape->dim};
}

ap_verify_bounds ap_verify_nearest(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 start, ap_verify_goal goal)
{
    const core_pair p = pair_of_bodies(a, b);
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

bool ap_verify_separation(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 d, double *bodies, double *cores)
{
    const core_pair p = pair_of_bodies(a, b);
    ap_dd3 w;
    if (!support_difference(&p, d, &w)) {
        return false;
    }
    ap_verify_bounds along = {.lower = -INFINITY, .core_lower = -INFINITY};
    raise_lower(&p, d, w, &along);
    *bodies = along.lower;
    *cores = along.core_lower;
    return true;
}
