/* An independent check of a result in n dimensions. The proofs are those of verify.c: directions from below, points from
 * above (nd_search.c), and for overlapping sets in up to APART_ND_DEPTH_DIM dimensions the search over all directions
 * (cone_search.c). Above AP_VERIFY_ND_DIM dimensions only the result's own normal and simplex are tried. */
#include <float.h>

#include "finding.h"
#include "nd_points.h"

#define EPS DBL_EPSILON

_Static_assert(AP_CONE_MAX_DIM >= APART_ND_DEPTH_DIM, "depths are searched in as many dimensions as the library's");

typedef struct {
    ap_verify_nd points;
    const apart_result_nd *result;
    double lower, upper, width; /* scaled */
    double rounding;            /* of the witness points, of the normal: docs/numerics.md */
    double normal_rounding;
    double proved_lower, proved_upper;
    bool unbounded;
} nd_check;

static apart_status check_set(size_t dim, const apart_points_nd *p)
{
    if (p == NULL || p->coordinates == NULL) {
        return APART_ERR_NULL;
    }
    if (p->count == 0) {
        return APART_ERR_EMPTY;
    }
    for (size_t i = 0; i < p->count * dim; i++) {
        if (!isfinite(p->coordinates[i])) {
            return APART_ERR_NONFINITE;
        }
    }
    return APART_OK;
}

static bool finite_vector(size_t dim, const double *x)
{
    for (size_t k = 0; k < dim && x != NULL; k++) {
        if (!isfinite(x[k])) {
            return false;
        }
    }
    return true;
}

static double largest_entry(size_t dim, const double *x)
{
    double most = 0.0;
    for (size_t k = 0; k < dim && x != NULL; k++) {
        most = ap_max(most, fabs(x[k]));
    }
    return most;
}

static bool has_simplex(const apart_result_nd *r)
{
    return r->index_a != NULL && r->index_b != NULL && r->lambda != NULL;
}

/* |x - origin| of the farthest point; infinity where a difference overflows. */
static double farthest(size_t dim, const apart_points_nd *p, const double *origin, double scale)
{
    double most = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < dim; k++) {
            const double d = scale * (p->coordinates[i * dim + k] - origin[k]);
            sum += d * d;
        }
        most = ap_max(most, sum);
    }
    return sqrt(most) * (1.0 + 0x1p-30);
}

static double largest_difference(size_t dim, const apart_points_nd *p, const double *origin)
{
    double most = 0.0;
    for (size_t i = 0; i < p->count * dim; i++) {
        most = ap_max(most, fabs(p->coordinates[i] - origin[i % dim]));
    }
    return most;
}

/* Chooses the frame; false: the size exceeds the range of doubles. */
static bool set_nd_frame(ap_verify_nd *v, size_t dim, const apart_points_nd *a, const apart_points_nd *b)
{
    const double *origin = a->coordinates;
    const double side = ap_max(largest_difference(dim, a, origin), largest_difference(dim, b, origin));
    *v = (ap_verify_nd){.dim = dim, .a = a, .b = b, .origin = origin, .scale = ap_power_of_two_scale(side)};
    if (!(side <= DBL_MAX / 64.0)) {
        return false;
    }
    v->reach = ap_max(farthest(dim, a, origin, v->scale), farthest(dim, b, origin, v->scale));
    v->slack = 0x1p-98 * (double)(dim + 8) * v->reach;
    return true;
}

static finding check_nd_numbers(size_t dim, const apart_result_nd *r)
{
    if (!isfinite(r->distance) || !isfinite(r->upper) || !finite_vector(dim, r->a) || !finite_vector(dim, r->b) ||
        !finite_vector(dim, r->normal)) {
        return refuted_because("a number is not finite");
    }
    if (!isfinite(r->lower) && !(r->lower == -INFINITY && r->relation == APART_OVERLAPPING)) {
        return refuted_because("the lower bound is not finite");
    }
    if (!(r->lower <= r->distance && r->distance <= r->upper)) {
        return refuted_because("the distance is not between its bounds");
    }
    double square = 0.0;
    for (size_t k = 0; k < dim && r->normal != NULL; k++) {
        square += r->normal[k] * r->normal[k];
    }
    if (r->normal != NULL && !(fabs(square - 1.0) <= 2.0 * EPS * (double)(dim + 8))) {
        return refuted_because("the normal is not of unit length");
    }
    return r->count >= 1 && r->count <= dim + 1 ? holds : refuted_because("the number of simplex points is impossible");
}

/* A point errs by n + 8 roundings of its size and by those of its world coordinates. */
static void set_nd_claims(nd_check *c, const apart_result_nd *r)
{
    const size_t dim = c->points.dim;
    const double n = (double)dim, world = ap_max(largest_entry(dim, r->a), largest_entry(dim, r->b));
    c->result = r;
    c->unbounded = r->lower == -INFINITY;
    c->lower = c->points.scale * r->lower;
    c->upper = c->points.scale * r->upper;
    c->width = c->unbounded ? 0.0 : c->upper - c->lower;
    c->normal_rounding = 2.0 * EPS * (n + 8.0) * c->points.reach;
    c->rounding = c->normal_rounding + 4.0 * EPS * sqrt(n) * (c->points.scale * world);
    c->proved_lower = -INFINITY;
    c->proved_upper = INFINITY;
}

static finding check_nd_weights(const nd_check *c)
{
    const apart_result_nd *r = c->result;
    double sum = 0.0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (!(r->lambda[i] >= 0.0 && r->lambda[i] <= 1.0)) {
            return refuted_because("a weight is not between 0 and 1");
        }
        if (r->index_a[i] >= c->points.a->count || r->index_b[i] >= c->points.b->count) {
            return refuted_because("a simplex index names no vertex");
        }
        sum += r->lambda[i];
    }
    return fabs(sum - 1.0) <= EPS * (double)(c->points.dim + 16) ? holds
                                                                 : refuted_because("the weights do not sum to 1");
}

/* One coordinate of sum lambda x / sum lambda. */
static ap_dd blended_coordinate(const nd_check *c, const apart_points_nd *set, const uint32_t *index, size_t k)
{
    const apart_result_nd *r = c->result;
    ap_dd sum = ap_dd_from(0.0), weights = ap_dd_from(0.0);
    for (uint32_t i = 0; i < r->count; i++) {
        const ap_dd x = ap_verify_nd_coordinate(&c->points, set->coordinates + index[i] * c->points.dim, k);
        sum = ap_dd_add(sum, ap_dd_mul(ap_dd_from(r->lambda[i]), x));
        weights = ap_dd_add(weights, ap_dd_from(r->lambda[i]));
    }
    return ap_dd_div(sum, weights);
}

/* How far a witness point is from what the simplex gives. */
static double off_simplex(const nd_check *c, const apart_points_nd *set, const uint32_t *index, const double *witness)
{
    double sum = 0.0;
    for (size_t k = 0; k < c->points.dim && witness != NULL; k++) {
        const double d = ap_dd_value(
            ap_dd_sub(blended_coordinate(c, set, index, k), ap_verify_nd_coordinate(&c->points, witness, k)));
        sum += d * d;
    }
    return sqrt(sum);
}

/* The simplex: its weights, the witness points it gives, and the distance of those from above. */
static finding check_nd_simplex(nd_check *c)
{
    const apart_result_nd *r = c->result;
    const finding weights = check_nd_weights(c);
    if (weights.verdict != APART_PROVED) {
        return weights;
    }
    ap_dd square = ap_dd_from(0.0);
    for (size_t k = 0; k < c->points.dim; k++) {
        const ap_dd d = ap_dd_sub(blended_coordinate(c, c->points.b, r->index_b, k),
                                  blended_coordinate(c, c->points.a, r->index_a, k));
        square = ap_dd_add(square, ap_dd_mul(d, d));
    }
    const ap_dd reach = ap_dd_add(ap_dd_sqrt(square), ap_dd_from(c->points.slack));
    c->proved_upper = ap_min(c->proved_upper, ap_dd_above(reach));
    const bool fits = off_simplex(c, c->points.a, r->index_a, r->a) <= c->rounding &&
                      off_simplex(c, c->points.b, r->index_b, r->b) <= c->rounding;
    return fits ? holds : refuted_because("the simplex and its weights do not give the witness point");
}

/* Checks b - a = distance * normal. */
static finding check_nd_fit(const nd_check *c)
{
    const apart_result_nd *r = c->result;
    if (r->a == NULL || r->b == NULL || r->normal == NULL || c->unbounded) {
        return holds;
    }
    double sum = 0.0;
    for (size_t k = 0; k < c->points.dim; k++) {
        const ap_dd along = ap_two_product(c->points.scale * r->distance, r->normal[k]);
        const ap_dd between =
            ap_dd_sub(ap_verify_nd_coordinate(&c->points, r->b, k), ap_verify_nd_coordinate(&c->points, r->a, k));
        const double d = ap_dd_value(ap_dd_sub(between, along));
        sum += d * d;
    }
    return judge_fit(sqrt(sum), c->rounding, c->width);
}

/* Is the witness point in the convex hull of the set? */
static finding check_nd_member(const nd_check *c, const apart_points_nd *set, const double *witness,
                               const char *outside, const char *unknown)
{
    if (witness == NULL) {
        return holds;
    }
    if (c->points.dim > AP_VERIFY_ND_DIM) {
        return has_simplex(c->result) ? holds : undecided_because(unknown); /* the simplex proved it */
    }
    const apart_points_nd single = {witness, 1};
    ap_verify_nd v = c->points;
    v.a = set;
    v.b = &single;
    v.reach = ap_max(v.reach, farthest(v.dim, &single, v.origin, v.scale));
    v.slack = 0x1p-98 * (double)(v.dim + 8) * v.reach;
    const ap_verify_goal goal = {.lower = -INFINITY,
                                 .upper = 0.5 * c->rounding,
                                 .least = -INFINITY,
                                 .most = c->rounding};
    const ap_verify_bounds found = ap_verify_nd_nearest(&v, NULL, goal);
    if (found.lower > c->rounding) {
        return refuted_because(outside);
    }
    return found.upper <= c->rounding ? holds : undecided_because(unknown);
}

static finding check_nd_normal(nd_check *c)
{
    const apart_result_nd *r = c->result;
    if (r->normal == NULL || c->points.dim > AP_VERIFY_ND_DIM) {
        return holds;
    }
    ap_dd d[AP_VERIFY_ND_DIM];
    size_t index_a = 0, index_b = 0;
    for (size_t k = 0; k < c->points.dim; k++) {
        d[k] = ap_dd_from(r->normal[k]);
    }
    const double separation = ap_verify_nd_separation(&c->points, d, &index_a, &index_b);
    c->proved_lower = ap_max(c->proved_lower, separation);
    return c->unbounded ? holds : judge_normal(c->lower - separation, c->normal_rounding, c->width);
}

/* n.x of a set's least point, in many dimensions: no vector is stored. */
static double separation_along_normal(const nd_check *c)
{
    const ap_verify_nd *v = &c->points;
    const double *n = c->result->normal;
    ap_dd most_a = ap_dd_from(-INFINITY), least_b = ap_dd_from(INFINITY), square = ap_dd_from(0.0);
    for (size_t i = 0; i < v->a->count + v->b->count; i++) {
        const bool in_a = i < v->a->count;
        const double *x = in_a ? v->a->coordinates + i * v->dim : v->b->coordinates + (i - v->a->count) * v->dim;
        ap_dd sum = ap_dd_from(0.0);
        for (size_t k = 0; k < v->dim; k++) {
            sum = ap_dd_add(sum, ap_dd_mul(ap_dd_from(n[k]), ap_verify_nd_coordinate(v, x, k)));
        }
        most_a = in_a && (most_a.hi == -INFINITY || ap_dd_less(most_a, sum)) ? sum : most_a;
        least_b = !in_a && (least_b.hi == INFINITY || ap_dd_less(sum, least_b)) ? sum : least_b;
    }
    for (size_t k = 0; k < v->dim; k++) {
        square = ap_dd_add(square, ap_two_product(n[k], n[k]));
    }
    const ap_dd value = ap_dd_div(ap_dd_sub(least_b, most_a), ap_dd_sqrt(square));
    return ap_dd_below(ap_dd_sub(value, ap_dd_from(v->slack)));
}

static bool support_of_sets(const void *points, const ap_dd *n, ap_dd *w)
{
    const ap_verify_nd *v = points;
    size_t i = 0, j = 0;
    (void)ap_verify_nd_separation(v, n, &i, &j);
    for (size_t k = 0; k < v->dim; k++) {
        w[k] = ap_dd_sub(ap_verify_nd_coordinate(v, v->b->coordinates + j * v->dim, k),
                         ap_verify_nd_coordinate(v, v->a->coordinates + i * v->dim, k));
    }
    return true;
}

static finding compare_nd(const nd_check *c)
{
    return compare_claim(c->result->relation, c->lower, c->upper, c->proved_lower, c->proved_upper);
}

/* Searches all directions for the depth. */
static finding check_nd_depth(nd_check *c)
{
    double memory[AP_CONE_MEMORY(AP_CONE_MAX_DIM)], axis[AP_CONE_MAX_DIM] = {1.0};
    const ap_verify_nd *v = &c->points;
    if (v->dim > APART_ND_DEPTH_DIM) {
        return undecided_because("depths are not searched in so many dimensions");
    }
    for (size_t k = 0; k < v->dim && c->result->normal != NULL; k++) {
        axis[k] = c->result->normal[k];
    }
    const double wanted = c->lower > c->proved_lower ? c->lower * (1.0 + 2.0 * EPS) : c->upper;
    const ap_cone_problem problem = {.dim = (int)v->dim,
                                     .support = support_of_sets,
                                     .bodies = v,
                                     .slack = v->slack,
                                     .cost = (double)((v->a->count + v->b->count) * v->dim) / 3.0,
                                     .known = c->proved_lower,
                                     .target = ap_min(wanted, -v->slack),
                                     .axis = axis,
                                     .memory = memory};
    const ap_verify_bounds found = ap_cone_search(&problem);
    c->proved_lower = ap_max(c->proved_lower, found.lower);
    c->proved_upper = ap_min(c->proved_upper, found.upper);
    return compare_nd(c);
}

static finding check_nd_bounds(nd_check *c)
{
    const apart_result_nd *r = c->result;
    if (c->points.dim > AP_VERIFY_ND_DIM) {
        c->proved_lower = r->normal != NULL ? separation_along_normal(c) : -INFINITY;
        return compare_nd(c);
    }
    const ap_verify_goal goal = {.lower = c->lower, .upper = c->upper, .least = c->lower, .most = c->upper};
    const ap_verify_bounds found = ap_verify_nd_nearest(&c->points, r->normal, goal);
    c->proved_lower = ap_max(c->proved_lower, found.lower);
    c->proved_upper = ap_min(c->proved_upper, found.upper);
    const finding compared = compare_nd(c);
    return compared.verdict == APART_UNDECIDED && c->proved_lower <= 0.0 ? check_nd_depth(c) : compared;
}

static finding check_nd_claims(nd_check *c)
{
    const apart_result_nd *r = c->result;
    finding found = check_nd_fit(c);
    if (has_simplex(r)) {
        found = worse_finding(found, check_nd_simplex(c));
    }
    found = worse_finding(found, check_nd_member(c, c->points.a, r->a, "the witness point a is outside A",
                                                 "whether the point a is in A was not decided"));
    found = worse_finding(found, check_nd_member(c, c->points.b, r->b, "the witness point b is outside B",
                                                 "whether the point b is in B was not decided"));
    found = worse_finding(found, check_nd_normal(c));
    return worse_finding(found, check_nd_bounds(c));
}

/* A bound in the caller's units; one that becomes subnormal is rounded outwards. */
static double in_units(const nd_check *c, double bound, double outwards)
{
    const double x = bound / c->points.scale;
    return x * c->points.scale == bound ? x : nextafter(x, outwards);
}

apart_status apart_verify_nd(size_t dim, const apart_points_nd *a, const apart_points_nd *b,
                             const apart_result_nd *result, apart_proof *proof)
{
    if (a == NULL || b == NULL || result == NULL || proof == NULL) {
        return APART_ERR_NULL;
    }
    if (dim < 1 || dim > APART_ND_MAX_DIM) {
        return APART_ERR_DIMENSION;
    }
    apart_status status = check_set(dim, a);
    status = status == APART_OK ? check_set(dim, b) : status;
    nd_check c;
    if (status != APART_OK || !set_nd_frame(&c.points, dim, a, b)) {
        return status != APART_OK ? status : APART_ERR_OVERFLOW;
    }
    set_nd_claims(&c, result);
    finding found = check_nd_numbers(dim, result);
    if (found.verdict == APART_PROVED) {
        found = check_relation(result->relation, result->lower, result->distance, result->upper);
    }
    if (found.verdict == APART_PROVED) {
        found = check_nd_claims(&c);
    }
    *proof = (apart_proof){.verdict = (uint8_t)found.verdict,
                           .lower = in_units(&c, c.proved_lower, -INFINITY),
                           .upper = in_units(&c, c.proved_upper, INFINITY),
                           .reason = found.reason};
    return APART_OK;
}
