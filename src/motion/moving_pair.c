/* Certified bounds on the separation of two moving bodies (Mirtich 1996 bounds the speed along a direction; Tang,
 * Kim and Manocha 2009 call it a directional motion bound). We differ in bounding the second derivative, not the
 * first:
 *
 * Let m(s) be a unit direction, fixed or turning. For any points a, b of the bodies g(s) = m.(b - a) is smooth with
 * g'' <= K, so between two times
 *     g(s) >= chord of g over [t0, t1] - K (s - t0)(t1 - s)/2.
 * The least g over all pairs of points is the separation along m, and the least of chords is at least the chord of
 * the leasts: the separation itself satisfies the same inequality, with supports at t0 and t1 alone. It is a lower
 * bound of the gap for every m.
 *
 * Fixed m: a core point at distance r from the axis through its pivot has m.x'' <= |m x u| rate^2 r; translations
 * have K = 0, and the bound is exact.
 *
 * Turning m, from the normal at t0 to the normal at t1 on a great circle with
 * angular velocity w: the separations at both ends are the gaps themselves. With p the vector between the pivots
 * (constant velocity, or a screw's) and r from a pivot to a point of its body, which turns with angular velocity v,
 *     (m.p)'' <= |w|^2 |p| + 2 |w| |p'| + |p''|,
 *     (m.r)'' <= (|d| |w| + |v| |d x m|) |r|,  d = w - v: zero when the direction turns with the body.
 * The second comes from r at rest and m' = d x m, turned back with the body: its derivative is d x (w x m) - v x (d
 * x m). The rounding spheres of a body add nothing. */
#include "moving_pair.h"

#include <float.h>

#include "../math/center.h"
#include "../pair/tolerance.h"
#include "../shape/support.h"

/* Units of u times the magnitude: AP_TURN_ERROR and 9 for the product with the start's rotation; supports 24
 * (shape/bounds.c) and their transform and dot product 12; sums of the translation 6; the chord and its root 16.
 * Taken together and rounded up. */
#define PLACE_ERROR 128.0
/* Units of u^2 times the coordinates of centres and pivots: the double-double sums and products that place a centre. */
#define CENTER_ERROR 512.0
/* Units of u times the speed: times and their differences are rounded too. */
#define TIME_ERROR 8.0
/* Lengths of this file are sums of a few products. */
#define ROUND_UP (1.0 + 32.0 * AP_UNIT)
/* A body of revolution that rotates about its own axis, to within this angle, does not change; the difference is an
 * error. */
#define ALIGNED 0x1p-40
/* Nor does one whose core is this near to the axis, relative to its distance from the pivot. */
#define INVISIBLE 0x1p-40
/* Directions farther apart than this chord (60 degrees) are not joined by a swivel; below, angle <= chord (1 +
 * chord^2/20). */
#define LONGEST_CHORD 1.0

static double plane_size(const apart_shape *s) { return fabs(s->u.plane.offset) + s->radius; }

/* The corners of a core that has at most eight. Returns their number, 0 for other shapes. */
static int core_corners(const apart_shape *s, apart_vec3 out[8])
{
    const int points = s->kind == APART_SHAPE_POINT      ? 1
                       : s->kind == APART_SHAPE_SEGMENT  ? 2
                       : s->kind == APART_SHAPE_TRIANGLE ? 3
                                                         : 0;
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

/* Is it a body of revolution about z? */
static bool is_revolution(const apart_shape *s)
{
    return s->kind == APART_SHAPE_CYLINDER || s->kind == APART_SHAPE_CONE ||
           (s->kind == APART_SHAPE_ELLIPSOID && s->u.semi_axes.x == s->u.semi_axes.y);
}

/* Bounds how far points of the core are from the pivot and from the axis of rotation. */
static void set_extents(ap_mover *m, double defect)
{
    const apart_mat3 *r = &m->motion->start.rotation;
    const apart_shape *s = m->shape;
    apart_vec3 corner[8];
    const int corners = core_corners(s, corner);
    const double bound = s->bound * (1.0 + 2.0 * defect);
    m->pivot_radius = ap_norm(m->arm) + bound;
    m->axis_radius = ap_norm(ap_cross(m->arm, m->turn.axis)) + bound;
    const double off_axis = ap_norm(ap_cross(r->z, m->turn.axis));
    if (corners > 0) {
        m->axis_radius = 0.0;
        for (int i = 0; i < corners; i++) {
            const apart_vec3 p = ap_add(m->arm, ap_apply(r, ap_sub(corner[i], s->center)));
            m->axis_radius = ap_max(m->axis_radius, ap_norm(ap_cross(p, m->turn.axis)));
        }
    } else if (is_revolution(s) && off_axis <= ALIGNED) {
        m->axis_radius = ap_norm(ap_cross(m->arm, m->turn.axis));
        m->error += 4.0 * (off_axis + defect) * bound;
    }
    /* Rounded lengths of rounded points: the error is relative to the largest vector involved. */
    m->axis_radius = ROUND_UP * (m->axis_radius + 16.0 * AP_UNIT * m->pivot_radius);
    m->pivot_radius *= ROUND_UP;
}

/* Where the centre is at the start, in the world. A half-space has its origin for a centre. */
static ap_dd3 start_center(const ap_mover *m)
{
    return ap_place_sum(ap_place_turned(&m->motion->start.rotation, m->shape->center),
                        ap_dd3_from(m->motion->start.translation));
}

/* A body that does not rotate, or whose rotation does not change it, gets its center as pivot. */
static void drop_invisible_turn(ap_mover *m)
{
    const bool straight = m->motion->path == APART_PATH_STRAIGHT;
    if (m->turn.turns && !(straight && m->axis_radius <= INVISIBLE * m->pivot_radius)) {
        return;
    }
    m->error += m->turn.turns ? 2.0 * m->axis_radius : 0.0;
    m->turn.turns = false;
    m->rate = 0.0;
    m->pivot = start_center(m);
    m->arm = ap_vec(0.0, 0.0, 0.0);
    m->pivot_radius = m->axis_radius = ROUND_UP * AP_ROTATION_STRETCH * m->shape->bound;
}

static void set_mover(ap_mover *m, const apart_shape *shape, const apart_motion *motion)
{
    const double defect = ap_rotation_defect(&motion->start.rotation);
    *m = (ap_mover){.shape = shape, .motion = motion, .turn = ap_turn_of(motion->angular), .vertex = APART_NO_INDEX};
    m->plane = shape->kind == APART_SHAPE_HALF_SPACE;
    m->rate = ROUND_UP * m->turn.angle.hi;
    m->pivot = ap_dd3_from(motion->pivot);
    m->arm = ap_dd3_value(ap_place_between(m->pivot, start_center(m)));
    m->error = shape->error + 2.0 * defect * shape->radius;
    if (m->plane) {
        m->size = plane_size(shape);
    } else {
        m->size = shape->bound + shape->radius;
        set_extents(m, defect);
        drop_invisible_turn(m);
    }
    if (motion->path == APART_PATH_SCREW && m->turn.turns) {
        const double across = ap_norm(ap_cross(m->turn.axis, motion->linear)) + 8.0 * AP_UNIT * ap_norm(motion->linear);
        m->pivot_acceleration = ROUND_UP * (m->rate * across);
    }
}

static bool motion_stays_in_plane(const apart_motion *m)
{
    return m->angular.x == 0.0 && m->angular.y == 0.0 && m->linear.z == 0.0 && m->pivot.z == 0.0;
}

static bool is_straight(const ap_mover *m) { return m->motion->path == APART_PATH_STRAIGHT || !m->turn.turns; }

/* What the double-double sums for a centre are relative to. */
static double far_coordinates(const ap_mover *m)
{
    return ap_norm(m->shape->center) + ap_norm(m->motion->start.translation) + ap_norm(m->motion->pivot);
}

apart_status ap_moving_pair_prepare(ap_moving_pair *pair, const apart_shape *a, const apart_motion *motion_a,
                                    const apart_shape *b, const apart_motion *motion_b)
{
    if (a->dim == 2 && !(motion_stays_in_plane(motion_a) && motion_stays_in_plane(motion_b))) {
        return APART_ERR_DIMENSION;
    }
    set_mover(&pair->a, a, motion_a);
    set_mover(&pair->b, b, motion_b);
    pair->pivot_offset = ap_dd3_value(ap_place_between(pair->a.pivot, pair->b.pivot));
    pair->relative = ap_sub(motion_b->linear, motion_a->linear);
    pair->straight = is_straight(&pair->a) && is_straight(&pair->b);
    pair->turning = pair->a.turn.turns || pair->b.turn.turns;
    const double displacement =
        ROUND_UP * (pair->straight ? ap_norm(pair->relative) : ap_norm(motion_a->linear) + ap_norm(motion_b->linear));
    pair->pivot_distance = displacement;
    const double sizes = pair->a.size + pair->b.size, arms = ap_norm(pair->a.arm) + ap_norm(pair->b.arm);
    const double magnitude = sizes + arms + ap_norm(pair->pivot_offset) + displacement;
    const double coordinates = far_coordinates(&pair->a) + far_coordinates(&pair->b);
    const double far = ap_norm(pair->pivot_offset) + displacement; /* between the pivots, at any time */
    pair->a.pivot_radius = pair->a.plane ? far + pair->b.pivot_radius : pair->a.pivot_radius;
    pair->b.pivot_radius = pair->b.plane ? far + pair->a.pivot_radius : pair->b.pivot_radius;
    const double speed = displacement + pair->a.rate * pair->a.pivot_radius + pair->b.rate * pair->b.pivot_radius;
    pair->speed = speed;
    pair->slack =
        AP_UNIT * (PLACE_ERROR * magnitude + TIME_ERROR * speed + CENTER_ERROR * AP_UNIT * (magnitude + coordinates)) +
        2.0 * (pair->a.error + pair->b.error);
    const double rate = pair->a.rate + pair->b.rate;
    const double fastest = (rate * rate + 1.0) * (magnitude + speed);
    return fastest <= DBL_MAX / 1024.0 ? APART_OK : APART_ERR_OVERFLOW;
}

/* E(t) R and E(t) arm; both exactly as given when the body does not turn. */
static void turn_at(const ap_mover *m, double t, apart_mat3 *rotation, apart_vec3 *arm)
{
    *rotation = m->motion->start.rotation;
    *arm = m->arm;
    if (m->turn.turns && t != 0.0) {
        const apart_mat3 e = ap_turn_matrix(&m->turn, t);
        const apart_mat3 *r = &m->motion->start.rotation;
        *rotation = (apart_mat3){ap_apply(&e, r->x), ap_apply(&e, r->y), ap_apply(&e, r->z)};
        *arm = ap_apply(&e, m->arm);
    }
}

static bool is_origin(apart_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* The translations of the two poses, whose rotations are known. A query needs the difference of the centres,
 * (R_B c_B + t_B) - (R_A c_A + t_A), and computes it in double-double. For centres far away t_B - t_A has more bits than
 * a double: B gets the upper half and A the lower one. */
static void place_bodies(const ap_moving_pair *pair, ap_moment *m)
{
    const apart_vec3 c_a = pair->a.shape->center, c_b = pair->b.shape->center;
    m->shift = ap_vec(0.0, 0.0, 0.0);
    m->a.translation = m->center_a;
    m->b.translation = m->center_b;
    if (is_origin(c_a) && is_origin(c_b)) {
        return;
    }
    const ap_dd3 turned_a = ap_place_turned(&m->a.rotation, c_a), turned_b = ap_place_turned(&m->b.rotation, c_b);
    const ap_dd3 between =
        ap_place_sum(ap_dd3_difference(m->center_b, m->center_a), ap_place_between(turned_b, turned_a));
    m->b.translation = ap_vec(between.x.hi, between.y.hi, between.z.hi);
    m->a.translation = ap_vec(-between.x.lo, -between.y.lo, -between.z.lo);
    m->shift = ap_sub(ap_add(ap_dd3_value(turned_a), m->a.translation), m->center_a);
}

static apart_vec3 pivot_displacement(const ap_mover *m, double t)
{
    return is_straight(m) ? ap_scale(t, m->motion->linear) : ap_turn_displacement(&m->turn, m->motion->linear, t);
}

void ap_moving_pair_at(const ap_moving_pair *pair, double t, ap_moment *out)
{
    const apart_vec3 displacement = pair->straight
                                        ? ap_scale(t, pair->relative)
                                        : ap_sub(pivot_displacement(&pair->b, t), pivot_displacement(&pair->a, t));
    out->t = t;
    turn_at(&pair->a, t, &out->a.rotation, &out->center_a);
    turn_at(&pair->b, t, &out->b.rotation, &out->center_b);
    out->pivot_b = ap_add(pair->pivot_offset, displacement);
    out->center_b = ap_add(out->pivot_b, out->center_b);
    place_bodies(pair, out);
}

/* The support value of a box or a hull in the direction d of its own axes, from its centre; a climb adds what it may
 * have missed. A rounding sphere adds its radius: the body's error covers what the matrix does to it. False: another
 * shape, or a size near the ends of the doubles' range. */
static bool quick_support_value(const apart_shape *shape, apart_vec3 d, uint32_t *vertex, double *value)
{
    if (!(shape->bound > AP_LEAST_UNSCALED && shape->bound < AP_MOST_UNSCALED) || shape->dim != 3) {
        return false;
    }
    if (shape->kind == APART_SHAPE_BOX) {
        const apart_vec3 h = shape->u.half_extents;
        *value = ((fabs(d.x) * h.x + fabs(d.y) * h.y) + fabs(d.z) * h.z) + shape->radius;
        return true;
    }
    if (shape->kind != APART_SHAPE_HULL || !(shape->u.hull->climb_loss <= AP_CLIMB_LOSS_MAX)) {
        return false;
    }
    const apart_hull *h = shape->u.hull;
    *vertex = ap_hull_support(h, APART_SUPPORT_AUTO, *vertex, d, NULL);
    const double loss = h->climb_loss * (2.0 * AP_UNIT) * shape->bound;
    *value = (ap_dot(d, ap_vertex(shape, 1.0, *vertex)) + loss) + shape->radius;
    return true;
}

/* The support value of the body in the direction n of the pair's frame. vertex: where a search starts, and ended. */
static apart_status support_value(const apart_shape *shape, const apart_mat3 *rotation, apart_vec3 center, apart_vec3 n,
                                  uint32_t *vertex, double *out)
{
    const apart_vec3 d = ap_apply_transposed(rotation, n);
    if (quick_support_value(shape, d, vertex, out)) {
        *out += ap_dot(n, center);
        return APART_OK;
    }
    apart_vec3 local;
    const apart_status status = ap_support_from_center(shape, d, &local);
    *out = status == APART_OK ? ap_dot(n, ap_apply(rotation, local)) + ap_dot(n, center) : 0.0;
    return status;
}

apart_status ap_moving_pair_separation(ap_moving_pair *pair, const ap_moment *m, apart_vec3 n, double *out)
{
    if (pair->a.plane || pair->b.plane) {
        apart_result r;
        const apart_status status = apart_distance(pair->a.shape, &m->a, pair->b.shape, &m->b, NULL, NULL, &r);
        *out = status == APART_OK ? r.lower - pair->slack : 0.0;
        return status;
    }
    double far_a, far_b;
    apart_status status = support_value(pair->a.shape, &m->a.rotation, m->center_a, n, &pair->a.vertex, &far_a);
    if (status == APART_OK) {
        status = support_value(pair->b.shape, &m->b.rotation, m->center_b, ap_neg(n), &pair->b.vertex, &far_b);
    }
    *out = status == APART_OK ? (-far_b - far_a) - pair->slack : 0.0;
    return status;
}

/* |n x u|, rounded up, for the axis u of the body's rotation. */
static double sine_to_axis(const ap_mover *m, apart_vec3 n)
{
    return ap_min(1.0, ap_norm(ap_cross(n, m->turn.axis)) + 8.0 * AP_UNIT);
}

static double bounded_curvature(const ap_mover *m, double sine)
{
    return m->turn.turns ? sine * (m->rate * m->rate * m->axis_radius) + m->pivot_acceleration : 0.0;
}

double ap_moving_pair_curvature(const ap_moving_pair *pair, apart_vec3 n)
{
    return ROUND_UP * (bounded_curvature(&pair->a, sine_to_axis(&pair->a, n)) +
                       bounded_curvature(&pair->b, sine_to_axis(&pair->b, n)));
}

bool ap_swivel_between(apart_vec3 from, apart_vec3 to, double span, ap_swivel *out)
{
    const apart_vec3 side = ap_sub(to, from);
    const double chord = ap_norm(side) * ROUND_UP + 4.0 * AP_UNIT;
    if (!(chord <= LONGEST_CHORD)) {
        return false;
    }
    /* |from x to| is the sine, at most the angle; both are within angle^3/6 of it. */
    const double angle = chord * (1.0 + chord * chord / 20.0);
    out->from = from;
    out->rate = ap_scale(1.0 / span, ap_cross(from, side));
    out->excess = (angle * angle * angle / 6.0 + 16.0 * AP_UNIT) / span * ROUND_UP;
    out->span = span;
    return true;
}

/* The share of a body's rotation, for a direction with angular velocity w; `aside` bounds |w x m| all the time. */
static double turning_share(const ap_mover *m, const ap_swivel *w, double aside)
{
    const apart_vec3 v = m->turn.turns ? m->motion->angular : ap_vec(0.0, 0.0, 0.0);
    const apart_vec3 d = ap_sub(w->rate, v);
    const double length = ap_norm(d) + w->excess + 8.0 * AP_UNIT * (m->rate + aside);
    const double across =
        ap_min(length, ap_norm(ap_cross(d, w->from)) + w->excess + length * (aside * w->span + 8.0 * AP_UNIT));
    return (length * aside + m->rate * across) * m->pivot_radius + m->pivot_acceleration;
}

/* The share of the pivots: p'' and p', with a bound of their distance until the end of the span. */
static double pivot_share(const ap_moving_pair *pair, const ap_moment *m, double span, double rate, double aside)
{
    const double far = ap_norm(m->pivot_b) + pair->pivot_distance * span;
    return rate * aside * far + 2.0 * aside * pair->pivot_distance;
}

/* A rotating half-space: the direction is its normal, which need not be perpendicular to its angular velocity. */
static double plane_curvature(const ap_moving_pair *pair, const ap_moment *m, double span, const ap_mover *plane,
                              const ap_mover *body, apart_vec3 n)
{
    const ap_swivel own = {.from = n,
                           .rate = plane->motion->angular,
                           .excess = 8.0 * AP_UNIT * plane->rate,
                           .span = span};
    const double aside = plane->rate * sine_to_axis(plane, n);
    return pivot_share(pair, m, span, plane->rate, aside) + turning_share(body, &own, aside) +
           plane->pivot_acceleration;
}

double ap_moving_pair_swivel_curvature(const ap_moving_pair *pair, const ap_moment *m, const ap_swivel *swivel)
{
    const ap_mover *plane = pair->a.plane ? &pair->a : pair->b.plane ? &pair->b : NULL;
    if (plane != NULL && !plane->turn.turns) {
        return ap_moving_pair_curvature(pair, swivel->from);
    }
    if (plane != NULL) {
        return ROUND_UP *
               plane_curvature(pair, m, swivel->span, plane, plane == &pair->a ? &pair->b : &pair->a, swivel->from);
    }
    const double rate = ROUND_UP * (ap_norm(swivel->rate) + swivel->excess);
    const double turning = turning_share(&pair->a, swivel, rate) + turning_share(&pair->b, swivel, rate);
    return ROUND_UP * (pivot_share(pair, m, swivel->span, rate, rate) + turning);
}

/* The velocity of the body's point that is at p, where the pivot is at `pivot`. */
static apart_vec3 point_velocity(const ap_mover *m, double t, apart_vec3 p, apart_vec3 pivot)
{
    if (!m->turn.turns) {
        return m->motion->linear;
    }
    const apart_vec3 spin = ap_cross(m->motion->angular, ap_sub(p, pivot));
    if (is_straight(m)) {
        return ap_add(m->motion->linear, spin);
    }
    const apart_mat3 e = ap_turn_matrix(&m->turn, t);
    return ap_add(ap_apply(&e, m->motion->linear), spin);
}

double ap_moving_pair_growth(const ap_moving_pair *pair, const ap_moment *m, apart_vec3 n, apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 va = point_velocity(&pair->a, m->t, a, m->shift),
                     vb = point_velocity(&pair->b, m->t, b, ap_add(m->pivot_b, m->shift));
    return ap_dot(n, ap_sub(vb, va));
}
