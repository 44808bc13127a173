/* The depth of overlapping bodies of any kind, by a search over all directions with proved bounds.
 *
 * The signed distance is the largest of s(n) = min over w of n.w over all unit vectors n, where w are the points b - a of
 * the Minkowski difference. All directions are covered by cones with dim corners u_j (unit vectors). For any point w of
 * the Minkowski difference with u_j.w < 0 at all corners, s <= max_j u_j.w in the whole cone: a unit vector in it is
 * n = sum beta_j u_j with beta >= 0 and sum beta >= 1, so s(n) <= n.w = sum beta_j u_j.w <= max_j u_j.w. The best w is a
 * blend of support points; its weights solve a small matrix game (cone_game.c), and a direction that the game names gives
 * the next support point (Kelley 1960: cutting planes). A cone whose bound is above the target is cut in two at the
 * middle of its longest edge. What is lost is |s| (1 - cos(width of the cone)), so a cone at the largest s must have a
 * width of about the root of the accuracy wanted, and the others may be wider the farther they are from it. A circle of
 * directions that are all equally good has no such others: the work limit ends it.
 *
 * The corners are exact: a cone is a simplex in the surface of a cross-polytope, in the coordinates c of a basis; halves
 * of sums of a few binary digits are exact in doubles, and any basis without a null vector will do. So no direction falls
 * between the cones. The cones wait on a stack in the caller's memory; no order is better, because all must be proved.
 * The method is ours. */
#include "body.h"

#include <string.h>

#define D AP_CONE_MAX_DIM
/* The limit of work, in dot products in double-double arithmetic, and what a game costs in them. */
#define WORK_LIMIT 1.5e6
#define GAME_WORK 30.0
/* Relative error of the sums below in double-double arithmetic: at most about forty operations of 2^-103 each. */
#define ROUNDING 0x1p-96
/* The share of the work that a search for the target may take; the rest is for the best bound that can be had. */
#define TARGET_SHARE 0.5
/* The gaps that passes ask for in units of the depth: the first one, and how much smaller each is than the one before. */
#define FIRST_GAP 0.5
#define NARROWER 0.125
/* The support points that a cone may ask for in addition to those of its corners. */
#define CUTS(dim) (2 * (dim))

/* A point of the Minkowski difference. */
typedef struct {
    ap_dd x[D];
} difference_point;

/* A cone: its corners c in the basis, their unit vectors u, the points known. The first dim are those of the corners. */
typedef struct {
    double c[D][D];
    ap_dd u[D][D];
    difference_point w[AP_GAME_MAX];
    int count;
    double alpha[D];
} direction_cone;

typedef struct {
    const ap_cone_problem *p;
    double basis[D][D];
    double target;
    double best; /* the largest separation found */
    double best_direction[D];
    double work; /* done */
    int waiting; /* cones on the stack */
    bool failed;
} cone_search;

static ap_dd dd_dot(int dim, const ap_dd *a, const ap_dd *b)
{
    ap_dd sum = ap_dd_mul(a[0], b[0]);
    for (int k = 1; k < dim; k++) {
        sum = ap_dd_add(sum, ap_dd_mul(a[k], b[k]));
    }
    return sum;
}

/* Finds the support point along a unit vector, and keeps the separation if it is the largest. */
static bool look_along_unit(cone_search *s, const ap_dd *u, difference_point *w)
{
    const int dim = s->p->dim;
    s->work += s->p->cost;
    if (!s->p->support(s->p->bodies, u, w->x)) {
        s->failed = true;
        return false;
    }
    const double separation = ap_dd_below(ap_dd_sub(dd_dot(dim, u, w->x), ap_dd_from(s->p->slack)));
    if (separation > s->best) {
        s->best = separation;
        for (int k = 0; k < dim; k++) {
            s->best_direction[k] = u[k].hi;
        }
    }
    return true;
}

/* Divides v by its length. */
static void dd_normalise(int dim, ap_dd *v)
{
    const ap_dd inverse = ap_dd_div(ap_dd_from(1.0), ap_dd_sqrt(dd_dot(dim, v, v)));
    for (int k = 0; k < dim; k++) {
        v[k] = ap_dd_mul(inverse, v[k]);
    }
}

/* The unit vector of a corner. */
static void set_corner_unit(const cone_search *s, direction_cone *cone, int j)
{
    const int dim = s->p->dim;
    for (int k = 0; k < dim; k++) {
        ap_dd sum = ap_dd_from(0.0);
        for (int i = 0; i < dim; i++) {
            sum = ap_dd_add(sum, ap_two_product(cone->c[j][i], s->basis[i][k]));
        }
        cone->u[j][k] = sum;
    }
    dd_normalise(dim, cone->u[j]);
}

/* What the blend of the known points with the weights mu proves for the whole cone. */
static double bound_by_blend(const cone_search *s, const direction_cone *cone, const double *mu)
{
    const int dim = s->p->dim;
    difference_point blend;
    ap_dd sum = ap_dd_from(0.0);
    for (int i = 0; i < cone->count; i++) {
        sum = ap_dd_add(sum, ap_dd_from(mu[i]));
    }
    for (int k = 0; k < dim; k++) {
        blend.x[k] = ap_dd_from(0.0);
        for (int i = 0; i < cone->count; i++) {
            if (mu[i] > 0.0) {
                blend.x[k] = ap_dd_add(blend.x[k], ap_dd_mul(ap_dd_from(mu[i]), cone->w[i].x[k]));
            }
        }
        blend.x[k] = ap_dd_div(blend.x[k], sum);
    }
    ap_dd most = dd_dot(dim, cone->u[0], blend.x);
    for (int j = 1; j < dim; j++) {
        const ap_dd value = dd_dot(dim, cone->u[j], blend.x);
        most = ap_dd_less(most, value) ? value : most;
    }
    const double bound = ap_dd_above(ap_dd_add(most, ap_dd_from(s->p->slack + ROUNDING)));
    return bound < 0.0 ? bound : INFINITY;
}

/* The direction sum alpha_j u_j, of unit length; `flat` is its length before. */
static void blend_corners(int dim, const direction_cone *cone, ap_dd *n, double *flat)
{
    for (int k = 0; k < dim; k++) {
        n[k] = ap_dd_from(0.0);
        for (int j = 0; j < dim; j++) {
            n[k] = ap_dd_add(n[k], ap_dd_mul(ap_dd_from(cone->alpha[j]), cone->u[j][k]));
        }
    }
    *flat = sqrt(ap_dd_value(dd_dot(dim, n, n)));
    dd_normalise(dim, n);
}

static double play_game(cone_search *s, direction_cone *cone)
{
    const int dim = s->p->dim;
    double value[AP_GAME_MAX][D], mu[AP_GAME_MAX];
    const ap_dd middle = dd_dot(dim, cone->u[0], cone->w[0].x);
    for (int i = 0; i < cone->count; i++) {
        for (int j = 0; j < dim; j++) {
            value[i][j] = ap_dd_value(ap_dd_sub(dd_dot(dim, cone->u[j], cone->w[i].x), middle));
        }
    }
    s->work += GAME_WORK;
    ap_cone_game(dim, cone->count, value, mu, cone->alpha);
    return bound_by_blend(s, cone, mu);
}

/* Is s at most the target in the whole cone? */
static bool cone_is_proved(cone_search *s, direction_cone *cone)
{
    const int dim = s->p->dim;
    cone->count = dim;
    for (int cut = 0;; cut++) {
        if (play_game(s, cone) <= s->target) {
            return true;
        }
        if (cut == CUTS(dim) || s->best > s->target) {
            return false;
        }
        ap_dd n[D];
        double flat;
        difference_point *w = &cone->w[cone->count];
        blend_corners(dim, cone, n, &flat);
        if (!look_along_unit(s, n, w) || flat * ap_dd_value(dd_dot(dim, n, w->x)) > s->target) {
            return false; /* no further cut can prove it: the cone is too wide */
        }
        cone->count++;
    }
}

static double edge_square(int dim, const direction_cone *cone, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < dim; k++) {
        const double d = cone->c[i][k] - cone->c[j][k];
        sum += d * d;
    }
    return sum;
}

static void longest_edge(int dim, const direction_cone *cone, int *from, int *to)
{
    double most = -1.0;
    for (int i = 0; i < dim; i++) {
        for (int j = i + 1; j < dim; j++) {
            if (edge_square(dim, cone, i, j) > most) {
                most = edge_square(dim, cone, i, j);
                *from = i;
                *to = j;
            }
        }
    }
}

/* The stack keeps corners and their points: 3 dim * dim doubles a cone. */
static void push_cone(cone_search *s, const direction_cone *cone)
{
    const size_t dim = (size_t)s->p->dim;
    double *to = s->p->memory + (size_t)s->waiting++ * 3 * dim * dim;
    for (size_t j = 0; j < dim; j++, to += 3 * dim) {
        memcpy(to, cone->c[j], dim * sizeof *to);
        memcpy(to + dim, cone->w[j].x, 2 * dim * sizeof *to);
    }
}

static void pop_cone(cone_search *s, direction_cone *cone)
{
    const size_t dim = (size_t)s->p->dim;
    const double *from = s->p->memory + (size_t)--s->waiting * 3 * dim * dim;
    for (size_t j = 0; j < dim; j++, from += 3 * dim) {
        memcpy(cone->c[j], from, dim * sizeof *from);
        memcpy(cone->w[j].x, from + dim, 2 * dim * sizeof *from);
        set_corner_unit(s, cone, (int)j);
    }
}

/* Cuts a cone in two; false: it is as narrow as doubles can tell, the stack is full, or a support failed. */
static bool split_cone(cone_search *s, direction_cone *cone)
{
    const int dim = s->p->dim;
    int from = 0, to = 0;
    double middle[D];
    longest_edge(dim, cone, &from, &to);
    if (s->waiting + 2 > AP_CONE_CELLS || !(edge_square(dim, cone, from, to) > 0x1p-90)) {
        return false;
    }
    for (int k = 0; k < dim; k++) {
        middle[k] = 0.5 * (cone->c[from][k] + cone->c[to][k]);
    }
    direction_cone half = *cone;
    memcpy(half.c[from], middle, sizeof middle);
    set_corner_unit(s, &half, from);
    if (!look_along_unit(s, half.u[from], &half.w[from])) {
        return false;
    }
    memcpy(cone->c[to], middle, sizeof middle);
    cone->w[to] = half.w[from];
    push_cone(s, cone);
    push_cone(s, &half);
    return true;
}

/* A basis whose first vector is the axis: the reflection that exchanges it with a coordinate axis. */
static void set_basis(cone_search *s, const double *axis)
{
    const int dim = s->p->dim;
    double v[D], square = 0.0;
    for (int k = 0; k < dim; k++) {
        v[k] = axis[k] + (k == 0 ? (axis[0] < 0.0 ? -1.0 : 1.0) : 0.0);
        square += v[k] * v[k];
    }
    for (int i = 0; i < dim; i++) {
        for (int k = 0; k < dim; k++) {
            s->basis[i][k] = i == 0 ? axis[k] : (i == k ? 1.0 : 0.0) - 2.0 * v[i] * v[k] / square;
        }
    }
}

/* The cone of an orthant: bit i of `signs` set for a negative coordinate. */
static bool set_orthant(cone_search *s, direction_cone *cone, unsigned signs)
{
    const int dim = s->p->dim;
    for (int j = 0; j < dim; j++) {
        memset(cone->c[j], 0, sizeof cone->c[j]);
        cone->c[j][j] = signs >> j & 1u ? -1.0 : 1.0;
        set_corner_unit(s, cone, j);
        if (!look_along_unit(s, cone->u[j], &cone->w[j])) {
            return false;
        }
    }
    return true;
}

/* Proves s <= target for all directions, with the best direction as the axis, or gives up when the work is done. */
static bool search_all_cones(cone_search *s, double target, double work)
{
    direction_cone cone;
    double axis[D];
    memcpy(axis, s->best_direction, sizeof axis);
    set_basis(s, axis);
    s->target = target;
    for (unsigned signs = 0; signs < 1u << s->p->dim; signs++) {
        s->waiting = 0;
        if (!set_orthant(s, &cone, signs)) {
            return false;
        }
        push_cone(s, &cone);
        while (s->waiting > 0) {
            pop_cone(s, &cone);
            if (!cone_is_proved(s, &cone) &&
                (s->failed || s->best > target || s->work > work || !split_cone(s, &cone))) {
                return false;
            }
        }
    }
    return true;
}

/* Lowers the upper bound by passes with smaller and smaller gaps, down to a gap or until the work is done. */
static double narrow_gap(cone_search *s, double upper, double least_gap)
{
    for (double gap = FIRST_GAP; gap >= least_gap && s->best < 0.0 && !s->failed && s->work <= WORK_LIMIT;) {
        const double target = s->best + gap * fabs(s->best);
        if (target >= upper || search_all_cones(s, target, WORK_LIMIT)) {
            upper = ap_min(upper, target);
            gap *= NARROWER;
        } else if (s->best <= target) {
            break;
        }
    }
    return upper;
}

ap_verify_bounds ap_cone_search(const ap_cone_problem *p)
{
    cone_search s = {.p = p, .best = p->known};
    memcpy(s.best_direction, p->axis, (size_t)p->dim * sizeof *p->axis);
    double upper = narrow_gap(&s, INFINITY, FIRST_GAP);
    const bool open = upper > p->target && s.best <= p->target && !s.failed;
    if (open && search_all_cones(&s, p->target, TARGET_SHARE * WORK_LIMIT)) {
        upper = p->target;
    }
    if (upper > p->target) { /* the best that can be had; a coarse one if the target is below the truth */
        upper = narrow_gap(&s, upper, s.best > p->target ? FIRST_GAP * NARROWER : 0x1p-52);
    }
    return (ap_verify_bounds){.lower = s.best, .upper = upper, .failed = s.failed};
}
