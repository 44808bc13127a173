/* An independent check of a result.
 *
 * The signed distance of two convex bodies is the largest separation over all directions: max over unit n of min_B
 * n.x - max_A n.x. So one direction bounds it from below, and two points of the bodies bound it from above; both
 * are searched for independently (core_distance.c), starting from the normal that the result claims. For
 * overlapping cores the upper bound comes from all the normals that matter (exhaustive_depth.c), if the cores are
 * polytopes with not too many of them, and else from a search over all directions (cone_search.c).
 *
 * The claimed bounds are proved only if they enclose the bounds found here, and refuted if they exclude them; nothing is
 * allowed for. What the result says of its points and its normal holds up to rounding (the constants below); farther
 * off, but by no more than its bounds are apart, they are neither proved nor refuted. */
#include "finding.h"

#include <float.h>

#define EPS DBL_EPSILON
/* How far a unit vector's length may be from 1. */
#define UNIT_TOLERANCE (8.0 * EPS)
/* The error of a witness point in units of the pair's size: 37.2 u, derived in docs/numerics.md. */
#define POINT_ERROR (20.0 * EPS)
/* The same in units of the largest world coordinate. */
#define WORLD_ERROR (4.0 * EPS)
/* What a half-space adds to that, in units of the size and the plane's offset: 52 u. */
#define PLANE_ERROR (26.0 * EPS)
/* A rounded unit normal is within 4 u of a direction that proves the lower bound. */
#define NORMAL_ERROR (8.0 * EPS)
/* The normal of a half-space: cofactors and their product with the plane's normal (14 u), length and division (4 u). */
#define HALF_SPACE_NORMAL_ERROR (16.0 * EPS)
/* Relative error of several operations in double-double arithmetic. */
#define ROUNDING 0x1p-96
/* If world coordinates round to more than this many times the pair's size, nothing can be checked. */
#define TOO_COARSE 0x1p+100
/* A witness point with larger scaled coordinates cannot be a point of the bodies. */
#define FAR_AWAY 0x1p+60

/* A pair in the frame of the check, and the claims of the result there (lengths scaled). */
typedef struct result_check {
    const apart_result *result;
    ap_verify_body a, b;
    apart_vec3 origin;
    double scale, size;         /* scale * size is about 1 */
    double plane;               /* the size and the offset of a half-space, else 0 */
    double lower, upper, width; /* the width is 0 if there is no lower bound */
    double rounding;            /* of the witness points */
    double proved_lower, proved_upper;
    bool unbounded; /* an overlap without a depth: lower = -infinity */
    bool failed;    /* a support point could not be computed */
} result_check;

static const char too_far_out[] = "the pair is so small for its place in the world that points cannot be told apart";

/* Does the pose keep a 2D body in its plane? */
static bool pose_keeps_plane(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return r->x.z == 0.0 && r->y.z == 0.0 && r->z.x == 0.0 && r->z.y == 0.0 && r->z.z == 1.0 &&
           pose->translation.z == 0.0;
}

static apart_status check_inputs(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                 const apart_pose *pose_b)
{
    apart_status status = apart_shape_check(a);
    status = status == APART_OK ? apart_shape_check(b) : status;
    status = status == APART_OK ? apart_pose_check(pose_a) : status;
    status = status == APART_OK ? apart_pose_check(pose_b) : status;
    if (status != APART_OK) {
        return status;
    }
    if (a->dim != b->dim || (a->dim == 2 && !(pose_keeps_plane(pose_a) && pose_keeps_plane(pose_b)))) {
        return APART_ERR_DIMENSION;
    }
    return a->kind == APART_SHAPE_HALF_SPACE && b->kind == APART_SHAPE_HALF_SPACE ? APART_ERR_HALF_SPACE : APART_OK;
}

/* Refutes numbers that no query returns, whatever the bodies are. */
static finding check_result_numbers(const apart_result *r, int dim)
{
    if (!isfinite(r->distance) || !isfinite(r->upper) || !ap_finite(r->a) || !ap_finite(r->b) ||
        !ap_finite(r->normal)) {
        return refuted_because("a number is not finite");
    }
    const bool unbounded = r->lower == -INFINITY && r->relation == APART_OVERLAPPING;
    if (!isfinite(r->lower) && !unbounded) {
        return refuted_because("the lower bound is not finite");
    }
    if (!(r->lower <= r->distance && r->distance <= r->upper)) {
        return refuted_because("the distance is not between its bounds");
    }
    if (fabs(ap_norm(r->normal) - 1.0) > UNIT_TOLERANCE) {
        return refuted_because("the normal is not of unit length");
    }
    if (dim == 2 && (r->normal.z != 0.0 || r->a.z != 0.0 || r->b.z != 0.0)) {
        return refuted_because("a point or the normal leaves the plane");
    }
    return r->dim == dim && r->count >= 1 && r->count <= 4
               ? holds
               : refuted_because("the dimension or the number of simplex points is impossible");
}

/* Chooses an origin near the bounded bodies, and the scale by the size of the pair; false: that exceeds the range
 * of doubles. */
static bool choose_frame(result_check *c, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                         const apart_pose *pose_b)
{
    const bool plane_a = a->kind == APART_SHAPE_HALF_SPACE, plane_b = b->kind == APART_SHAPE_HALF_SPACE;
    const apart_vec3 center_a = apart_pose_apply(pose_a, a->center), center_b = apart_pose_apply(pose_b, b->center);
    double size = a->radius + b->radius;
    c->plane = 0.0;
    c->origin = plane_a ? center_b : center_a;
    if (plane_a || plane_b) {
        const apart_shape *plane = plane_a ? a : b;
        const apart_vec3 local = apart_pose_apply_inverse(plane_a ? pose_a : pose_b, c->origin);
        size += (plane_a ? b : a)->bound + fabs(ap_dot(plane->u.plane.normal, local) - plane->u.plane.offset);
        c->plane = size + fabs(plane->u.plane.offset);
    } else {
        const apart_vec3 between = ap_sub(center_b, center_a);
        size += (a->bound + b->bound) + ((fabs(between.x) + fabs(between.y)) + fabs(between.z));
    }
    /* Points that coincide have no size; their coordinates give the scale. */
    c->scale = ap_power_of_two_scale(size > 0.0 ? size : ap_max(ap_max_abs(a->center), ap_max_abs(b->center)));
    c->size = size;
    return size <= DBL_MAX / 4.0 && ap_finite(c->origin);
}

static void set_claims(result_check *c, const apart_result *r, const apart_pose *pose_a, const apart_pose *pose_b)
{
    const double most_world = ap_max(ap_max(ap_max_abs(r->a), ap_max_abs(r->b)),
                                     ap_max(ap_max_abs(pose_a->translation), ap_max_abs(pose_b->translation)));
    const double stretched = c->a.stretch * c->a.radius + c->b.stretch * c->b.radius;
    c->result = r;
    c->unbounded = r->lower == -INFINITY;
    c->lower = c->scale * r->lower;
    c->upper = c->scale * r->upper;
    c->width = c->unbounded ? 0.0 : c->upper - c->lower;
    c->rounding = (POINT_ERROR * (c->scale * c->size) + PLANE_ERROR * (c->scale * c->plane)) +
                  WORLD_ERROR * (c->scale * most_world) + (4.0 * stretched + 2.0 * (c->a.slack + c->b.slack));
    c->proved_lower = -INFINITY;
    c->proved_upper = INFINITY;
    c->failed = false;
}

/* Checks b - a = distance * normal. */
static finding check_fit(const result_check *c)
{
    const apart_result *r = c->result;
    if (c->unbounded) {
        return holds;
    }
    const ap_dd3 between = ap_verify_to_frame(r->b, r->a, c->scale);
    const ap_dd3 along = ap_dd3_scale(ap_dd_from(c->scale * r->distance), ap_dd3_from(r->normal));
    const ap_dd3 rest = ap_dd3_sub(between, along);
    return judge_fit(ap_norm(ap_dd3_value(rest)), c->rounding, c->width);
}

/* A support point is not finite: the fault of a callback if there is one. */
static finding without_support(result_check *c)
{
    c->failed = true;
    return undecided_because("a support could not be computed");
}

static finding check_member(result_check *c, const ap_verify_body *body, apart_vec3 point, const char *outside,
                            const char *unknown)
{
    const ap_dd3 p = ap_verify_to_frame(point, c->origin, c->scale);
    if (!(ap_max_abs(ap_dd3_value(p)) < FAR_AWAY)) {
        return refuted_because(outside);
    }
    const ap_verify_bounds found = ap_verify_outside(body, p, c->rounding);
    if (found.failed) {
        return without_support(c);
    }
    if (found.lower > c->rounding) {
        return refuted_because(outside);
    }
    return found.upper <= c->rounding ? holds : undecided_because(unknown);
}

/* The vertex that a simplex index names, of a shape with numbered vertices. False: there is no such vertex. */
static bool numbered_vertex(const apart_shape *shape, uint32_t index, apart_vec3 *out)
{
    const apart_vec3 h = shape->u.half_extents;
    switch (shape->kind) {
    case APART_SHAPE_BOX:
        *out = ap_vec(index & 1u ? h.x : -h.x, index & 2u ? h.y : -h.y, index & 4u ? h.z : -h.z);
        return index < 8;
    case APART_SHAPE_POINTS: {
        const double *p = shape->u.points.coordinates + (size_t)shape->dim * index;
        if (index >= shape->u.points.count) {
            return false;
        }
        *out = ap_vec(p[0], p[1], shape->dim == 3 ? p[2] : 0.0);
        return true;
    }
    case APART_SHAPE_HULL:
        for (uint32_t i = 0; i < apart_hull_vertex_count(shape->u.hull); i++) {
            if (apart_hull_input_index(shape->u.hull, i) == index) {
                *out = apart_hull_vertex(shape->u.hull, i);
                return true;
            }
        }
        return false;
    default: /* point, segment, triangle */
        if (index >= shape->kind) {
            return false;
        }
        *out = shape->u.point[index];
        return true;
    }
}

static bool has_numbered_vertices(const apart_shape *shape)
{
    const int k = shape->kind;
    return k == APART_SHAPE_POINT || k == APART_SHAPE_SEGMENT || k == APART_SHAPE_TRIANGLE || k == APART_SHAPE_BOX ||
           k == APART_SHAPE_POINTS || k == APART_SHAPE_HULL;
}

/* Checks a = sum lambda_i a_i + radius * normal (B: - radius * normal), with the caller's vertices. */
static finding check_simplex_side(const result_check *c, const ap_verify_body *body, const uint32_t *index,
                                  apart_vec3 witness, double side)
{
    ap_dd3 sum = ap_dd3_from(ap_vec(0.0, 0.0, 0.0));
    for (int i = 0; i < c->result->count; i++) {
        apart_vec3 vertex;
        if (!numbered_vertex(body->shape, index[i], &vertex)) {
            return refuted_because("a simplex index names no vertex");
        }
        const ap_dd3 moved =
            ap_dd3_add(ap_dd3_apply(&body->rotation, ap_dd3_from(ap_scale(c->scale, vertex))), body->offset);
        sum = ap_dd3_add(sum, ap_dd3_scale(ap_dd_from(c->result->lambda[i]), moved));
    }
    const ap_dd3 rounding = ap_dd3_from(ap_scale(side * body->radius, c->result->normal));
    const ap_dd3 rest = ap_dd3_sub(ap_verify_to_frame(witness, c->origin, c->scale), ap_dd3_add(sum, rounding));
    return ap_norm(ap_dd3_value(rest)) <= c->rounding
               ? holds
               : refuted_because("the simplex and its weights do not give the witness point");
}

static finding check_simplex(const result_check *c)
{
    const apart_result *r = c->result;
    double sum = 0.0;
    for (int i = 0; i < r->count; i++) {
        if (!(r->lambda[i] >= 0.0 && r->lambda[i] <= 1.0)) {
            return refuted_because("a weight is not between 0 and 1");
        }
        sum += r->lambda[i];
    }
    if (fabs(sum - 1.0) > 16.0 * EPS) {
        return refuted_because("the weights do not sum to 1");
    }
    finding found = has_numbered_vertices(c->a.shape) ? check_simplex_side(c, &c->a, r->index_a, r->a, 1.0) : holds;
    if (found.verdict == APART_PROVED && has_numbered_vertices(c->b.shape)) {
        found = check_simplex_side(c, &c->b, r->index_b, r->b, -1.0);
    }
    return found;
}

static finding compare_bounds(const result_check *c)
{
    return compare_claim(c->result->relation, c->lower, c->upper, c->proved_lower, c->proved_upper);
}

static finding check_normal_separation(result_check *c, ap_dd3 normal)
{
    double separation, cores;
    if (!ap_verify_separation(&c->a, &c->b, normal, &separation, &cores)) {
        return without_support(c);
    }
    c->proved_lower = separation;
    if (separation > c->upper) {
        return refuted_because("the upper bound is below the separation along the normal");
    }
    const double rounding = NORMAL_ERROR * (c->scale * c->size) + 2.0 * (c->a.slack + c->b.slack);
    return c->unbounded ? holds : judge_normal(c->lower - separation, rounding, c->width);
}

/* The Minkowski difference of the cores for cone_search.c. */
static bool support_of_difference(const result_check *c, ap_dd3 d, ap_dd3 *difference)
{
    ap_dd3 a, b;
    if (!ap_verify_support(&c->a, d, &a) || !ap_verify_support(&c->b, ap_dd3_neg(d), &b)) {
        return false;
    }
    *difference = ap_dd3_sub(b, a);
    return true;
}

static bool support_of_cores(const void *check, const ap_dd *n, ap_dd *w)
{
    const result_check *c = check;
    const int dim = c->a.shape->dim;
    ap_dd3 difference;
    if (!support_of_difference(c, (ap_dd3){n[0], n[1], dim == 3 ? n[2] : ap_dd_from(0.0)}, &difference)) {
        return false;
    }
    w[0] = difference.x;
    w[1] = difference.y;
    if (dim == 3) {
        w[2] = difference.z;
    }
    return true;
}

/* The same in the coordinates of a plane of directions. */
typedef struct plane_check {
    const result_check *check;
    ap_verify_plane plane;
} plane_check;

static bool support_in_plane(const void *check, const ap_dd *n, ap_dd *w)
{
    const plane_check *p = check;
    const ap_dd3 d = ap_dd3_add(ap_dd3_scale(n[0], p->plane.f), ap_dd3_scale(n[1], p->plane.g));
    ap_dd3 difference;
    if (!support_of_difference(p->check, d, &difference)) {
        return false;
    }
    w[0] = ap_dd3_dot(p->plane.f, difference);
    w[1] = ap_dd3_dot(p->plane.g, difference);
    return true;
}

/* Bounds of the signed distance of overlapping cores, from all directions, or from those of the plane that decides. */
static ap_verify_bounds search_directions(const result_check *c, double known, double target)
{
    double memory[AP_CONE_MEMORY(3)];
    const apart_vec3 n = c->result->normal;
    const double axis[3] = {n.x, n.y, n.z}, axis_in_plane[2] = {1.0, 0.0};
    plane_check p = {.check = c};
    ap_cone_problem problem = {.dim = c->a.shape->dim,
                               .support = support_of_cores,
                               .bodies = c,
                               .slack = c->a.slack + c->b.slack,
                               .cost = ap_verify_support_cost(c->a.shape) + ap_verify_support_cost(c->b.shape),
                               .known = known,
                               .target = target,
                               .axis = axis,
                               .memory = memory};
    if (ap_verify_meridian_plane(&c->a, &c->b, &p.plane)) {
        problem.dim = 2;
        problem.support = support_in_plane;
        problem.bodies = &p;
        problem.slack += p.plane.slack;
        problem.axis = axis_in_plane;
    }
    return ap_cone_search(&problem);
}

/* Checks the bounds of overlapping cores. */
static finding check_depth(result_check *c, double known)
{
    const double more = c->a.radius * c->a.stretch + c->b.radius * c->b.stretch;
    const double radii = c->a.radius + c->b.radius;
    const double radii_least = radii * (1.0 - 2.0 * EPS) - more, radii_most = radii * (1.0 + 2.0 * EPS) + more;
    ap_verify_bounds depth = ap_verify_depth(&c->a, &c->b, known);
    if (depth.failed) {
        /* A lower bound that no direction proves is perhaps false; an upper bound below it shows that. */
        const double wanted = c->lower > c->proved_lower ? c->lower * (1.0 + 2.0 * EPS) : c->upper;
        const double rounded = wanted + radii_least - 8.0 * EPS * (fabs(wanted) + radii);
        depth = search_directions(c, ap_max(known, depth.lower), ap_min(rounded, -c->a.slack - c->b.slack));
    }
    c->proved_lower = ap_max(c->proved_lower, (depth.lower - radii_most) * (1.0 + 2.0 * EPS));
    c->proved_upper = ap_min(c->proved_upper, (depth.upper - radii_least) * (1.0 - 2.0 * EPS));
    if (depth.failed) {
        return without_support(c);
    }
    const finding found = compare_bounds(c);
    return found.verdict == APART_UNDECIDED && c->lower <= c->proved_lower
               ? undecided_because("the search over all directions ended before it proved the upper bound")
               : found;
}

static finding check_bounded_pair(result_check *c)
{
    const ap_dd3 normal = ap_dd3_from(c->result->normal);
    const finding along = check_normal_separation(c, normal);
    if (along.verdict == APART_REFUTED || c->failed) {
        return along;
    }
    const ap_verify_goal goal = {.lower = c->lower, .upper = c->upper, .least = c->lower, .most = c->upper};
    const ap_verify_bounds core = ap_verify_nearest(&c->a, &c->b, normal, goal);
    c->proved_lower = ap_max(c->proved_lower, core.lower);
    c->proved_upper = core.upper;
    if (core.failed) {
        return without_support(c);
    }
    const finding found = compare_bounds(c);
    const bool deeper = found.verdict == APART_UNDECIDED && core.core_lower <= 0.0;
    return worse_finding(deeper ? check_depth(c, core.core_lower) : found, along);
}

/* The outward normal of a half-space in the frame: the inverse transpose of the matrix applied to it. */
static ap_dd3 half_space_normal(const ap_verify_body *plane)
{
    const ap_dd3 x = ap_dd3_from(plane->rotation.x), y = ap_dd3_from(plane->rotation.y),
                 z = ap_dd3_from(plane->rotation.z);
    const ap_dd3 yz = ap_dd3_cross(y, z), zx = ap_dd3_cross(z, x), xy = ap_dd3_cross(x, y);
    const apart_vec3 n = plane->shape->u.plane.normal;
    const ap_dd3 sum = ap_dd3_add(ap_dd3_add(ap_dd3_scale(ap_dd_from(n.x), yz), ap_dd3_scale(ap_dd_from(n.y), zx)),
                                  ap_dd3_scale(ap_dd_from(n.z), xy));
    return ap_dd3_scale(ap_dd_div(ap_dd_from(1.0), ap_dd3_dot(x, yz)), sum);
}

/* Against a half-space the signed distance is the height of the body's lowest point, which gives both bounds. */
static finding check_half_space(result_check *c, const ap_verify_body *plane, const ap_verify_body *body, double side)
{
    const ap_dd3 m = half_space_normal(plane);
    const ap_dd length = ap_dd3_norm(m);
    ap_dd3 lowest;
    if (!ap_verify_support(body, ap_dd3_neg(m), &lowest)) {
        return without_support(c);
    }
    const ap_dd offset =
        ap_dd_add(ap_dd_from(c->scale * plane->shape->u.plane.offset),
                  ap_dd_mul(ap_dd_from(plane->radius), ap_dd3_norm(ap_dd3_from(plane->shape->u.plane.normal))));
    const ap_dd height = ap_dd_sub(ap_dd3_dot(m, ap_dd3_sub(lowest, plane->offset)), offset);
    const ap_dd value = ap_dd_sub(ap_dd_div(height, length), ap_verify_radius_along(body, m));
    const double terms = fabs(offset.hi) + ap_norm(ap_dd3_value(ap_dd3_sub(lowest, plane->offset)));
    const ap_dd slack = ap_dd_from((c->a.slack + c->b.slack) + ROUNDING * terms);
    c->proved_lower = ap_dd_below(ap_dd_sub(value, slack));
    c->proved_upper = ap_dd_above(ap_dd_add(value, slack));
    const ap_dd3 unit = ap_dd3_scale(ap_dd_div(ap_dd_from(side), length), m);
    const double turned = ap_norm(ap_dd3_value(ap_dd3_sub(unit, ap_dd3_from(c->result->normal))));
    if (turned > HALF_SPACE_NORMAL_ERROR) {
        return refuted_because("the normal is not the half-space's");
    }
    return compare_bounds(c);
}

static finding check_bounds(result_check *c)
{
    if (c->a.shape->kind == APART_SHAPE_HALF_SPACE) {
        return check_half_space(c, &c->a, &c->b, 1.0);
    }
    if (c->b.shape->kind == APART_SHAPE_HALF_SPACE) {
        return check_half_space(c, &c->b, &c->a, -1.0);
    }
    return check_bounded_pair(c);
}

static finding check_claims(result_check *c)
{
    const apart_result *r = c->result;
    finding found = check_fit(c);
    found = worse_finding(found, check_member(c, &c->a, r->a, "the witness point a is outside A",
                                              "whether the point a is in A was not decided"));
    found = worse_finding(found, check_member(c, &c->b, r->b, "the witness point b is outside B",
                                              "whether the point b is in B was not decided"));
    found = worse_finding(found, check_simplex(c));
    return worse_finding(found, check_bounds(c));
}

/* A bound in the caller's units; one that becomes subnormal is rounded outwards. */
static double in_units(const result_check *c, double bound, double outwards)
{
    const double x = bound / c->scale;
    return x * c->scale == bound ? x : nextafter(x, outwards);
}

apart_status apart_verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, const apart_result *result, apart_proof *proof)
{
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || result == NULL || proof == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = check_inputs(a, pose_a, b, pose_b);
    if (status != APART_OK) {
        return status;
    }
    result_check c;
    if (!choose_frame(&c, a, pose_a, b, pose_b)) {
        return APART_ERR_OVERFLOW;
    }
    finding found = check_result_numbers(result, a->dim);
    if (found.verdict == APART_PROVED) {
        found = check_relation(result->relation, result->lower, result->distance, result->upper);
    }
    if (found.verdict != APART_PROVED) {
        *proof = (apart_proof){.verdict = (uint8_t)found.verdict,
                               .lower = -INFINITY,
                               .upper = INFINITY,
                               .reason = found.reason};
        return APART_OK;
    }
    ap_verify_body_set(&c.a, a, pose_a, c.origin, c.scale);
    ap_verify_body_set(&c.b, b, pose_b, c.origin, c.scale);
    set_claims(&c, result, pose_a, pose_b);
    if (!(c.rounding < TOO_COARSE)) {
        *proof =
            (apart_proof){.verdict = APART_UNDECIDED, .lower = -INFINITY, .upper = INFINITY, .reason = too_far_out};
        return APART_OK;
    }
    found = check_claims(&c);
    if (c.failed && (a->kind == APART_SHAPE_CALLBACK || b->kind == APART_SHAPE_CALLBACK)) {
        return APART_ERR_CALLBACK;
    }
    *proof = (apart_proof){.verdict = (uint8_t)found.verdict,
                           .lower = in_units(&c, c.proved_lower, -INFINITY),
                           .upper = in_units(&c, c.proved_upper, INFINITY),
                           .reason = found.reason};
    return APART_OK;
}

const char *apart_verdict_name(int verdict)
{
    switch (verdict) {
    case APART_PROVED: return "proved";
    case APART_REFUTED: return "refuted";
    case APART_UNDECIDED: return "undecided";
    default: return "?";
    }
}
