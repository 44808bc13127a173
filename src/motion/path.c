/* Certified bounds on the separation of two moving bodies (Mirtich 1996 bounds the speed along a direction; Tang, Kim and Manocha 2009 call it
 * a directional motion bound). We differ in bounding the second derivative, not the first:
 *
 * For a fixed direction n and any points a, b of the bodies, g(s) = n.(b(s) - a(s)) is smooth with |g''| <= K, so between two times
 *     g(s) >= chord of g over [t0, t1] - K (s - t0)(t1 - s)/2.
 * The least g over all pairs of points is the separation along n, and the least of chords is at least the chord of the leasts: the
 * separation itself satisfies the same inequality, with supports at t0 and t1 alone. Translations have K = 0: nothing is lost.
 *
 * K: a core point at distance r from the axis through its pivot has n.x'' <= |n x u| rate^2 r. A rounding ball does not turn. */
#include "path.h"

#include <float.h>

/* Units of u times the magnitude: AP_TURN_ERROR and 9 for the product with the start's rotation; supports 24 (shape/bounds.c) and their transform and
 * dot product 12; sums of the translation 6; the chord and its root 16. Taken together and rounded up. */
#define PLACE_ERROR 128.0
/* Units of u times the speed: times and their differences are rounded too. */
#define TIME_ERROR 8.0
/* Lengths of this file are sums of a few products. */
#define ROUND_UP (1.0 + 32.0 * AP_UNIT)
/* A body of revolution turning about its own axis to this angle keeps its place; the rest is an error. */
#define ALIGNED 0x1p-40

static double plane_size(const apart_shape *s) { return fabs(s->u.plane.offset) + s->radius; }

/* The corners of a core that has few. */
static int corners_of(const apart_shape *s, apart_vec3 out[8])
{
    const int points = s->kind == APART_SHAPE_POINT ? 1 : s->kind == APART_SHAPE_SEGMENT ? 2 : s->kind == APART_SHAPE_TRIANGLE ? 3 : 0;
    for (int i = 0; i < points; i++) {
        out[i] = s->u.point[i];
    }
    if (s->kind != APART_SHAPE_BOX) {
        return points;
    }
    const apart_vec3 h = s->u.half_extents;
    for (int i = 0; i < 8; i++) {
        out[i] = ap_vec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    }
    return 8;
}

/* Revolution about z. */
static bool is_round(const apart_shape *s)
{
    return s->kind == APART_SHAPE_CYLINDER || s->kind == APART_SHAPE_CONE ||
           (s->kind == APART_SHAPE_ELLIPSOID && s->u.semi_axes.x == s->u.semi_axes.y);
}

/* How far the core reaches from the pivot and from the axis of the turn. */
static void set_extents(ap_mover *m, double defect)
{
    const apart_mat3 *r = &m->motion->start.rotation;
    const apart_shape *s = m->shape;
    apart_vec3 corner[8];
    const int corners = corners_of(s, corner);
    const double bound = s->bound * (1.0 + 2.0 * defect);
    const apart_vec3 center = ap_add(m->arm, ap_apply(r, s->center));
    m->reach = ap_norm(center) + bound;
    m->swing = ap_norm(ap_cross(center, m->turn.axis)) + bound;
    const double off_axis = ap_norm(ap_cross(r->z, m->turn.axis));
    if (corners > 0) {
        m->swing = 0.0;
        for (int i = 0; i < corners; i++) {
            const apart_vec3 p = ap_add(m->arm, ap_apply(r, corner[i]));
            m->swing = ap_max(m->swing, ap_norm(ap_cross(p, m->turn.axis)));
        }
    } else if (is_round(s) && off_axis <= ALIGNED) {
        m->swing = ap_norm(ap_cross(center, m->turn.axis));
        m->error += 4.0 * (off_axis + defect) * bound;
    }
    /* Rounded lengths of rounded points: the error is relative to the largest vector involved. */
    m->swing = ROUND_UP * (m->swing + 16.0 * AP_UNIT * m->reach);
    m->reach *= ROUND_UP;
}

static void set_mover(ap_mover *m, const apart_shape *shape, const apart_motion *motion)
{
    bool proper;
    const double defect = ap_rotation_defect(&motion->start.rotation, &proper);
    *m = (ap_mover){.shape = shape, .motion = motion, .turn = ap_turn_of(motion->angular)};
    m->plane = shape->kind == APART_SHAPE_HALF_SPACE;
    m->rate = ROUND_UP * m->turn.angle.hi;
    m->arm = ap_sub(motion->start.translation, motion->pivot);
    m->error = shape->error + 2.0 * defect * shape->radius;
    if (m->plane) {
        m->size = plane_size(shape);
    } else {
        m->size = ap_norm(shape->center) + shape->bound + shape->radius;
        set_extents(m, defect);
    }
    if (motion->path == APART_PATH_SCREW && m->turn.turns) {
        m->bend = ROUND_UP * (m->rate * ap_norm(ap_cross(m->turn.axis, motion->linear)) + 8.0 * AP_UNIT * m->rate * ap_norm(motion->linear));
    }
}

static bool stays_in_plane(const apart_motion *m)
{
    return m->angular.x == 0.0 && m->angular.y == 0.0 && m->linear.z == 0.0 && m->pivot.z == 0.0;
}

static bool is_straight(const ap_mover *m) { return m->motion->path == APART_PATH_STRAIGHT || !m->turn.turns; }

apart_status ap_path_prepare(ap_path *path, const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                             const apart_motion *motion_b)
{
    if (a->dim == 2 && !(stays_in_plane(motion_a) && stays_in_plane(motion_b))) {
        return APART_ERR_DIMENSION;
    }
    set_mover(&path->a, a, motion_a);
    set_mover(&path->b, b, motion_b);
    path->apart = ap_sub(motion_b->pivot, motion_a->pivot);
    path->relative = ap_sub(motion_b->linear, motion_a->linear);
    path->straight = is_straight(&path->a) && is_straight(&path->b);
    const double way = ROUND_UP * (path->straight ? ap_norm(path->relative) : ap_norm(motion_a->linear) + ap_norm(motion_b->linear));
    path->way = way;
    const double magnitude = path->a.size + path->b.size + ap_norm(path->a.arm) + ap_norm(path->b.arm) + ap_norm(path->apart) + way;
    const double far = ap_norm(path->apart) + way; /* between the pivots, at any time */
    path->a.reach = path->a.plane ? far + path->b.reach : path->a.reach;
    path->b.reach = path->b.plane ? far + path->a.reach : path->b.reach;
    const double speed = way + path->a.rate * path->a.reach + path->b.rate * path->b.reach;
    path->slack = AP_UNIT * (PLACE_ERROR * magnitude + TIME_ERROR * speed) + 2.0 * (path->a.error + path->b.error);
    const double rate = path->a.rate + path->b.rate;
    const double fastest = (rate * rate + 1.0) * (magnitude + speed);
    return fastest <= DBL_MAX / 1024.0 ? APART_OK : APART_ERR_OVERFLOW;
}

/* E(t) R and E(t) arm; both exactly as given when the body does not turn. */
static void place(const ap_mover *m, double t, apart_pose *out)
{
    if (!m->turn.turns || t == 0.0) {
        *out = (apart_pose){m->motion->start.rotation, m->arm};
        return;
    }
    const apart_mat3 e = ap_turn_matrix(&m->turn, t);
    const apart_mat3 *r = &m->motion->start.rotation;
    out->rotation = (apart_mat3){ap_apply(&e, r->x), ap_apply(&e, r->y), ap_apply(&e, r->z)};
    out->translation = ap_apply(&e, m->arm);
}

static apart_vec3 way_of(const ap_mover *m, double t)
{
    return is_straight(m) ? ap_scale(t, m->motion->linear) : ap_turn_way(&m->turn, m->motion->linear, t);
}

void ap_path_at(const ap_path *path, double t, ap_moment *out)
{
    const apart_vec3 way = path->straight ? ap_scale(t, path->relative) : ap_sub(way_of(&path->b, t), way_of(&path->a, t));
    out->t = t;
    place(&path->a, t, &out->a);
    place(&path->b, t, &out->b);
    out->pivot_b = ap_add(path->apart, way);
    out->b.translation = ap_add(out->pivot_b, out->b.translation);
}

/* How far the body reaches along the world direction n. */
static apart_status extent(const apart_shape *shape, const apart_pose *pose, apart_vec3 n, double *out)
{
    apart_vec3 local;
    const apart_status status = apart_support(shape, ap_apply_transposed(&pose->rotation, n), &local);
    *out = status == APART_OK ? ap_dot(n, ap_apply(&pose->rotation, local)) + ap_dot(n, pose->translation) : 0.0;
    return status;
}

apart_status ap_path_separation(const ap_path *path, const ap_moment *m, apart_vec3 n, double *out)
{
    if (path->a.plane || path->b.plane) {
        apart_result r;
        const apart_status status = apart_distance(path->a.shape, &m->a, path->b.shape, &m->b, NULL, NULL, &r);
        *out = status == APART_OK ? r.lower - path->slack : 0.0;
        return status;
    }
    double far_a, far_b;
    apart_status status = extent(path->a.shape, &m->a, n, &far_a);
    if (status == APART_OK) {
        status = extent(path->b.shape, &m->b, ap_neg(n), &far_b);
    }
    *out = status == APART_OK ? (-far_b - far_a) - path->slack : 0.0;
    return status;
}

/* |n x u|, or 1 where n turns. */
static double lean(const ap_mover *m, apart_vec3 n) { return ap_min(1.0, ap_norm(ap_cross(n, m->turn.axis)) + 8.0 * AP_UNIT); }

static double bounded_curvature(const ap_mover *m, double leaning)
{
    return m->turn.turns ? leaning * (m->rate * m->rate * m->swing) + m->bend : 0.0;
}

/* A turning half-space: its normal N turns with it, so with w = b - its pivot, (N.w)'' = N''.w + 2 N'.w' + N.w''. */
static double plane_curvature(const ap_path *path, const ap_mover *plane, const ap_mover *body, apart_vec3 n)
{
    if (!plane->turn.turns) {
        return bounded_curvature(body, lean(body, n)) + plane->bend;
    }
    const double fast = path->way + body->rate * body->swing;
    const double leaning = lean(plane, n);
    return leaning * plane->rate * (plane->rate * plane->reach + 2.0 * fast) + bounded_curvature(body, 1.0) + plane->bend;
}

double ap_path_curvature(const ap_path *path, apart_vec3 n)
{
    double k = 0.0;
    if (path->a.plane) {
        k = plane_curvature(path, &path->a, &path->b, n);
    } else if (path->b.plane) {
        k = plane_curvature(path, &path->b, &path->a, n);
    } else {
        k = bounded_curvature(&path->a, lean(&path->a, n)) + bounded_curvature(&path->b, lean(&path->b, n));
    }
    return ROUND_UP * k;
}

/* The velocity of the body's point that is at p, where the pivot is at `pivot`. */
static apart_vec3 velocity(const ap_mover *m, double t, apart_vec3 p, apart_vec3 pivot)
{
    const apart_vec3 spin = ap_cross(m->motion->angular, ap_sub(p, pivot));
    if (is_straight(m)) {
        return ap_add(m->motion->linear, spin);
    }
    const apart_mat3 e = ap_turn_matrix(&m->turn, t);
    return ap_add(ap_apply(&e, m->motion->linear), spin);
}

double ap_path_growth(const ap_path *path, const ap_moment *m, apart_vec3 n, apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 pivot_a = {0.0, 0.0, 0.0};
    const apart_vec3 va = velocity(&path->a, m->t, a, pivot_a), vb = velocity(&path->b, m->t, b, m->pivot_b);
    return ap_dot(n, ap_sub(vb, va));
}
