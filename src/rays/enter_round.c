/* Where a ray enters a sphere, capsule, cylinder, cone or ellipsoid: the roots of a quadratic, Newton steps against
 * their rounding, and a certificate.
 *
 * A root only proposes a point. What is certified are tangent planes, with the body's support value along their
 * normals: the ray is outside before it meets the plane where it enters; it misses if it leaves one plane before it
 * enters another, or stays above one for as long as it can meet the body at all. What is too close to call, and an
 * origin inside, is left to the general search. */
#include "ray_frame.h"

/* Newton steps from a root to the surface. */
#define ROUND_STEPS 3
/* Errors of the support values and of balls under a matrix that is accepted here, in eps * size. */
#define ROUND_ERROR 16.0

/* A part of the surface: of a ball about an end of the segment, the barrel of a capsule or cylinder, ... */
typedef enum round_side { LOW_BALL, HIGH_BALL, BARREL, CONE_SIDE, EGG, LOW_CAP, HIGH_CAP } round_side;

/* Where a ray is behind all sides, as far as that is known, and which side it meets first and last. */
typedef struct round_span {
    double enters, leaves;
    round_side first, last;
} round_span;

static double across(apart_vec3 v) { return sqrt(v.x * v.x + v.y * v.y); }

static apart_vec3 end_of(const apart_shape *s, int i) { return ap_sub(s->u.point[i], s->center); }

/* The point of the axis p + t e that is nearest to x, for any t or for t in [0, 1]. */
static apart_vec3 axis_point(const apart_shape *s, apart_vec3 x, bool bounded)
{
    const apart_vec3 p = end_of(s, 0), e = ap_sub(end_of(s, 1), p);
    const double t = ap_dot(ap_sub(x, p), e) / ap_dot(e, e);
    return ap_add(p, ap_scale(bounded ? ap_min(ap_max(t, 0.0), 1.0) : t, e));
}

/* ---- tangent planes ---- */

/* The largest n.x of the body, which is relative to its centre. */
static double round_support(const apart_shape *s, apart_vec3 n)
{
    const double h = s->u.round.half_height, radius = s->u.round.radius;
    const apart_vec3 a = s->u.semi_axes;
    switch (s->kind) {
    case APART_SHAPE_CYLINDER: return radius * across(n) + h * fabs(n.z);
    case APART_SHAPE_CONE: return ap_max(h * n.z, radius * across(n) - h * n.z);
    case APART_SHAPE_ELLIPSOID: return ap_norm(ap_vec(a.x * n.x, a.y * n.y, a.z * n.z));
    case APART_SHAPE_SEGMENT: return ap_max(ap_dot(n, end_of(s, 0)), ap_dot(n, end_of(s, 1))) + s->radius;
    default: return ap_dot(n, end_of(s, 0)) + s->radius;
    }
}

/* The outward unit normal of a side at a point near it. */
static apart_vec3 round_normal(const apart_shape *s, round_side side, apart_vec3 x)
{
    const apart_vec3 a = s->u.semi_axes;
    const double least = ap_min(ap_min(a.x, a.y), a.z), height = 2.0 * s->u.round.half_height, around = across(x);
    switch (side) {
    case LOW_CAP: return ap_vec(0.0, 0.0, -1.0);
    case HIGH_CAP: return ap_vec(0.0, 0.0, 1.0);
    case EGG: return ap_unit(ap_vec(x.x / a.x * (least / a.x), x.y / a.y * (least / a.y), x.z / a.z * (least / a.z)));
    case CONE_SIDE: return ap_unit(ap_vec(height * (x.x / around), height * (x.y / around), s->u.round.radius));
    case LOW_BALL: return ap_unit(ap_sub(x, end_of(s, 0)));
    case HIGH_BALL: return ap_unit(ap_sub(x, end_of(s, 1)));
    default: break;
    }
    return ap_unit(s->kind == APART_SHAPE_SEGMENT ? ap_sub(x, axis_point(s, x, false)) : ap_vec(x.x, x.y, 0.0));
}

static ap_ray_plane touch(const ap_ray_frame *r, const apart_shape *s, round_side side, double t, apart_vec3 *n)
{
    *n = round_normal(s, side, ap_ray_at(r, t));
    return ap_ray_see(r, *n, round_support(s, *n));
}

/* ---- roots ---- */

/* m + u d is within a quadric where a u^2 + 2 b u + c <= 0. */
typedef struct quadratic {
    double a, b, c;
} quadratic;

static quadratic about_point(apart_vec3 x, apart_vec3 d, double radius)
{
    const double far = ap_norm(x);
    return (quadratic){ap_dot(d, d), ap_dot(x, d), (far - radius) * (far + radius)};
}

/* m: a point of the ray near the body. */
static quadratic side_quadratic(const apart_shape *s, round_side side, apart_vec3 m, apart_vec3 d)
{
    const apart_vec3 a = s->u.semi_axes;
    const double radius = s->u.round.radius;
    switch (side) {
    case LOW_BALL: return about_point(ap_sub(m, end_of(s, 0)), d, s->radius);
    case HIGH_BALL: return about_point(ap_sub(m, end_of(s, 1)), d, s->radius);
    case EGG: return about_point(ap_vec(m.x / a.x, m.y / a.y, m.z / a.z), ap_vec(d.x / a.x, d.y / a.y, d.z / a.z), 1.0);
    case CONE_SIDE: {
        const double k = radius / (2.0 * s->u.round.half_height), below = k * (s->u.round.half_height - m.z);
        return (quadratic){d.x * d.x + d.y * d.y - k * d.z * (k * d.z), m.x * d.x + m.y * d.y + below * (k * d.z),
                           (across(m) - below) * (across(m) + below)};
    }
    default: break;
    }
    if (s->kind == APART_SHAPE_SEGMENT) {
        const apart_vec3 e = ap_sub(end_of(s, 1), end_of(s, 0));
        const apart_vec3 aside = ap_sub(d, ap_scale(ap_dot(d, e) / ap_dot(e, e), e));
        return about_point(ap_sub(m, axis_point(s, m, false)), aside, s->radius);
    }
    return about_point(ap_vec(m.x, m.y, 0.0), ap_vec(d.x, d.y, 0.0), radius);
}

/* Narrows a span by a root at t: the ray enters where it runs against the normal. */
static void add_root(const ap_ray_frame *r, const apart_shape *s, round_side side, double t, round_span *span)
{
    const apart_vec3 x = ap_ray_at(r, t);
    const double rate = ap_dot(round_normal(s, side, x), ap_lanes_vec(r->direction));
    if (side == CONE_SIDE && x.z > s->u.round.half_height) {
        return; /* of the cone's other half */
    }
    if (rate < 0.0 && t > span->enters) {
        span->enters = t;
        span->first = side;
    } else if (rate > 0.0 && t < span->leaves) {
        span->leaves = t;
        span->last = side;
    }
}

/* Narrows a span by a curved side. False: the ray passes it, nearest at *nearest. */
static bool add_curved(const ap_ray_frame *r, const apart_shape *s, round_side side, round_span *span, double *nearest)
{
    const apart_vec3 d = ap_lanes_vec(r->direction);
    const double middle = -ap_lanes_dot(r->origin, r->direction) / (r->speed * r->speed);
    const quadratic q = side_quadratic(s, side, ap_ray_at(r, middle), d);
    const double square = q.b * q.b - q.a * q.c;
    *nearest = middle - q.b / q.a;
    if (!(square >= 0.0)) {
        return false;
    }
    const double larger = -(q.b + copysign(sqrt(square), q.b));
    add_root(r, s, side, middle + larger / q.a, span);
    add_root(r, s, side, middle + q.c / larger, span);
    return true;
}

static void add_cap(const ap_ray_frame *r, const apart_shape *s, round_side side, round_span *span)
{
    const double z = side == HIGH_CAP ? s->u.round.half_height : -s->u.round.half_height;
    add_root(r, s, side, (z - ap_lanes_at(r->origin, 2)) / ap_lanes_at(r->direction, 2), span);
}

/* ---- the answer ---- */

/* Is x in the body, to rounding? Where a cone is sharp, it must be certain. */
static bool round_holds(const apart_shape *s, round_side side, apart_vec3 x, double on)
{
    const double h = s->u.round.half_height;
    switch (s->kind) {
    case APART_SHAPE_CYLINDER: return across(x) - s->u.round.radius <= on && fabs(x.z) - h <= on;
    case APART_SHAPE_CONE: {
        const apart_vec3 n = round_normal(s, CONE_SIDE, x);
        const double over = ap_dot(n, x) - h * n.z, under = -h - x.z;
        return side == CONE_SIDE ? over <= on && under <= -on && x.z <= h - on : under <= on && over <= -on;
    }
    case APART_SHAPE_ELLIPSOID: {
        const apart_vec3 a = s->u.semi_axes;
        return (ap_norm(ap_vec(x.x / a.x, x.y / a.y, x.z / a.z)) - 1.0) * ap_norm(x) <= on;
    }
    case APART_SHAPE_SEGMENT: return ap_norm(ap_sub(x, axis_point(s, x, true))) - s->radius <= on;
    default: return ap_norm(ap_sub(x, end_of(s, 0))) - s->radius <= on;
    }
}

static void set_round_feature(const apart_shape *s, round_side side, apart_feature *f)
{
    const bool cap = side == LOW_CAP || side == HIGH_CAP;
    *f = (apart_feature){.kind = cap ? APART_FEATURE_FACE : APART_FEATURE_CURVED};
    f->number = cap ? (side == LOW_CAP ? 1u : 2u) : side == HIGH_BALL ? 1u : 0u;
    for (uint32_t i = 0; i < 4; i++) {
        f->index[i] = APART_NO_INDEX;
    }
    if (side == LOW_BALL || side == HIGH_BALL) {
        f->count = 1;
        f->index[0] = f->number;
    } else if (s->kind == APART_SHAPE_SEGMENT) {
        f->count = 2;
        f->index[0] = 0;
        f->index[1] = 1;
    }
}

/* The ray enters at the start of the span, if anything. */
static ap_ray_verdict enter_side(const ap_ray_frame *r, const apart_shape *s, const round_span *span,
                                 ap_ray_entry *entry)
{
    double t = span->enters;
    ap_ray_plane plane = {0.0, 0.0};
    bool on_plane = false;
    for (int i = 0; i < ROUND_STEPS && !on_plane; i++) {
        plane = touch(r, s, span->first, t, &entry->normal);
        const double off = plane.above + t * plane.rate;
        on_plane = fabs(off) <= 0.5 * ap_ray_on(r, t);
        t = on_plane ? t : plane.above / -plane.rate;
    }
    entry->at = t;
    entry->lower = ap_ray_earliest(r, plane);
    if (entry->lower > r->end) {
        return AP_RAY_MISSES;
    }
    const double on = ap_ray_on(r, t);
    if (on_plane && entry->lower > 0.0 && round_holds(s, span->first, ap_ray_at(r, t), on)) {
        set_round_feature(s, span->first, entry->feature);
        return AP_RAY_ENTERS;
    }
    if (!(span->leaves < INFINITY)) {
        return AP_RAY_OPEN;
    }
    apart_vec3 n;
    const double latest = ap_ray_latest(r, touch(r, s, span->last, span->leaves, &n));
    return ap_max(entry->lower, 0.0) > latest ? AP_RAY_MISSES : AP_RAY_OPEN;
}

/* Does the ray stay above the plane that touches the side where it is nearest, as long as it is near the body? */
static ap_ray_verdict pass_side(const ap_ray_frame *r, const apart_shape *s, round_side side, double nearest)
{
    apart_vec3 n;
    const ap_ray_plane plane = touch(r, s, side, ap_max(nearest, 0.0), &n);
    return ap_ray_earliest(r, plane) > r->end ? AP_RAY_MISSES : AP_RAY_OPEN;
}

/* A ray that enters the endless barrel beyond an end of a capsule meets the ball there, or nothing. */
static ap_ray_verdict enter_capsule(const ap_ray_frame *r, const apart_shape *s, ap_ray_entry *entry)
{
    const apart_vec3 p = end_of(s, 0), q = end_of(s, 1), e = ap_sub(q, p);
    round_span span = {-INFINITY, INFINITY, BARREL, BARREL}, ball = span;
    double nearest;
    if (!add_curved(r, s, BARREL, &span, &nearest)) {
        return pass_side(r, s, BARREL, nearest);
    }
    const double along = ap_dot(ap_sub(ap_ray_at(r, span.enters), p), e);
    if (along >= 0.0 && along <= ap_dot(e, e)) {
        return enter_side(r, s, &span, entry);
    }
    const round_side end = along < 0.0 ? LOW_BALL : HIGH_BALL;
    return add_curved(r, s, end, &ball, &nearest) ? enter_side(r, s, &ball, entry) : pass_side(r, s, end, nearest);
}

/* The side that is not a cap. */
static round_side curved_side(const apart_shape *body)
{
    switch (body->kind) {
    case APART_SHAPE_CYLINDER: return BARREL;
    case APART_SHAPE_CONE: return CONE_SIDE;
    case APART_SHAPE_ELLIPSOID: return EGG;
    default: return LOW_BALL;
    }
}

ap_ray_verdict ap_ray_enter_round(const ap_ray_frame *ray, const apart_shape *body, ap_ray_entry *entry)
{
    ap_ray_frame r = *ray;
    round_span span = {-INFINITY, INFINITY, LOW_BALL, LOW_BALL};
    double nearest;
    const bool ball = body->kind == APART_SHAPE_POINT || body->kind == APART_SHAPE_SEGMENT;
    if (ball != (body->radius > 0.0) || (ball && !(r.defect <= AP_RAY_DEFECT))) {
        return AP_RAY_OPEN;
    }
    r.error += ROUND_ERROR * DBL_EPSILON * r.size;
    if (body->kind == APART_SHAPE_SEGMENT) {
        return enter_capsule(&r, body, entry);
    }
    const round_side side = curved_side(body);
    if (!add_curved(&r, body, side, &span, &nearest)) {
        return pass_side(&r, body, side, nearest);
    }
    if (side == BARREL || side == CONE_SIDE) {
        add_cap(&r, body, LOW_CAP, &span);
    }
    if (side == BARREL) {
        add_cap(&r, body, HIGH_CAP, &span);
    }
    return enter_side(&r, body, &span, entry);
}
