#include "moving_pairs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const moving_family_name[MOVING_FAMILIES] = {"translation", "tumble", "spin",           "between",
                                                         "screw",       "graze",  "graze, turning", "slide",
                                                         "half-space",  "planar", "plate",          "start"};

static const apart_vec3 zero = {0.0, 0.0, 0.0};

static double size_of(random_source *r, double s) { return s * random_between(r, 0.2, 1.0); }

/* One random number a statement: the order of evaluation within an expression is the compiler's. */
static apart_vec3 sizes_of(random_source *r, double s)
{
    const double x = size_of(r, s);
    const double y = size_of(r, s);
    const double z = size_of(r, s);
    return (apart_vec3){x, y, z};
}

static apart_vec3 in_sphere(random_source *r, double s) { return apart_vec3_scale(s, random_in_ball(r)); }

static apart_shape point_set(random_source *r, double s, double *xyz)
{
    const size_t n = random_body(r, xyz);
    for (size_t i = 0; i < 3 * n; i++) {
        xyz[i] *= s;
    }
    return apart_points(xyz, n);
}

/* Any bounded shape of size about s. */
static apart_shape any_shape(random_source *r, double s, moving_pair *pair, int side, const hull_pool *pool)
{
    apart_shape *child = &pair->child[2 * side];
    const apart_vec3 h = sizes_of(r, s);
    const apart_vec3 p = in_sphere(r, s);
    const apart_vec3 q = in_sphere(r, s);
    const apart_vec3 o = in_sphere(r, s);
    const double k = random_below(r, 4) == 0 ? random_magnitude(r, -6.0, -1.0) : 1.0; /* thin ones too */
    switch (random_below(r, 15)) {
    case 0: return apart_sphere(h.x);
    case 1: return apart_capsule(k * h.x, h.y);
    case 2: return apart_cylinder(h.x, k * h.y);
    case 3: return apart_cone(h.x, h.y);
    case 4: return apart_ellipsoid((apart_vec3){h.x, h.y, fmax(k, 0.05) * h.z});
    case 5: return apart_segment(p, q);
    case 6: return apart_triangle(p, q, o);
    case 7: return point_set(r, s, pair->points[side]);
    case 8: return apart_rounded(apart_box(h), 0.1 * s);
    case 9: child[0] = apart_box(h), child[1] = apart_cylinder(h.y, h.z); return apart_sum(&child[0], &child[1]);
    case 10:
        child[0] = apart_hull_shape(pool->hulls[random_below(r, HULL_POOL_SIZE)]);
        return apart_affine(&child[0], (apart_mat3){{s, 0, 0}, {0, s, 0}, {0, 0, s}}, apart_vec3_scale(0.5, p));
    case 11: return apart_point(p);
    default: return apart_box((apart_vec3){h.x, h.y, k * h.z});
    }
}

static apart_shape planar_shape(random_source *r, double s, double *xy)
{
    const apart_vec3 h = sizes_of(r, s);
    switch (random_below(r, 5)) {
    case 0: return apart_circle(h.x);
    case 1: return apart_rectangle(h.x, h.y);
    case 2: return apart_rounded(apart_segment_2d(-s, 0.0, h.x, h.y), 0.05 * s);
    case 3: return apart_rectangle(h.x, 1e-6 * s);
    default:
        for (int i = 0; i < 12; i++) {
            xy[i] = random_between(r, -s, s);
        }
        return apart_polygon(xy, 6);
    }
}

static apart_pose pose_at(random_source *r, apart_vec3 p)
{
    apart_pose pose = {random_rotation(r), p};
    if (random_below(r, 8) == 0) { /* a rotation of single precision */
        apart_vec3 *column[] = {&pose.rotation.x, &pose.rotation.y, &pose.rotation.z};
        for (int i = 0; i < 3; i++) {
            *column[i] = (apart_vec3){(float)column[i]->x, (float)column[i]->y, (float)column[i]->z};
        }
    }
    return pose;
}

/* A moves past or into B, which may move and turn itself. */
static void aim(moving_pair *p, random_source *r, double turns)
{
    const double s = p->scale, rate = 6.28318530717958 * turns;
    const double far = random_between(r, 2.0, 6.0);
    const apart_vec3 from = in_sphere(r, s * far);
    const double miss = random_between(r, 0.0, 3.0);
    const apart_vec3 to = in_sphere(r, s * miss);
    const bool drifts = random_below(r, 3) == 0;
    const apart_vec3 drift = in_sphere(r, drifts ? 2.0 * s : 0.0);
    const apart_pose pose_a = pose_at(r, from);
    const apart_pose pose_b = pose_at(r, zero);
    const double share = random_between(r, 0.5, 2.5);
    const apart_vec3 displacement = apart_vec3_add(apart_vec3_scale(share, apart_vec3_sub(to, from)), drift);
    const apart_vec3 spin_a = in_sphere(r, rate);
    const apart_vec3 center = in_sphere(r, 0.3 * s);
    const bool turns_b = random_below(r, 2) == 0;
    const apart_vec3 spin_b = in_sphere(r, turns_b ? rate : 0.0);
    p->motion_a = apart_motion_velocity(&pose_a, displacement, spin_a, center);
    p->motion_b = apart_motion_velocity(&pose_b, drift, spin_b, zero);
}

/* Both with start and end poses, as straight or screw motions. */
static void go_between(moving_pair *p, random_source *r, bool screw)
{
    apart_motion *motion[] = {&p->motion_a, &p->motion_b};
    for (int i = 0; i < 2; i++) {
        const double far = p->scale * (i == 0 ? 5.0 : 1.0);
        const apart_pose start = pose_at(r, in_sphere(r, far));
        const apart_pose end = pose_at(r, in_sphere(r, far));
        const apart_vec3 center = in_sphere(r, 0.5 * p->scale);
        const apart_status status =
            screw ? apart_motion_screw(&start, &end, motion[i]) : apart_motion_between(&start, &end, center, motion[i]);
        if (status != APART_OK) {
            *motion[i] = apart_motion_rest(&start);
        }
    }
}

/* Faces stay parallel at a small gap; spinning about their normal does not change that. */
static void slide(moving_pair *p, random_source *r)
{
    const double s = p->scale;
    const apart_vec3 ha = sizes_of(r, s);
    const apart_vec3 hb = sizes_of(r, s);
    const double small = random_magnitude(r, -9.0, -3.0);
    const unsigned kind = random_below(r, 4);
    const double gap = s * (kind < 2 ? small : kind == 2 ? 0.0 : -1e-9);
    const double x = random_between(r, -4.0, -2.5);
    const double y = random_between(r, -1.0, 1.0);
    const double aside = random_between(r, -1.0, 1.0);
    const double rate = random_between(r, -20.0, 20.0);
    const double spin = random_below(r, 2) == 0 ? 0.0 : rate;
    const apart_pose pose_a = apart_pose_translation(x * s, y * s, ha.z + hb.z + gap);
    const apart_pose pose_b = apart_pose_identity();
    p->a = apart_box(ha);
    p->b = apart_box(hb);
    p->motion_a =
        apart_motion_velocity(&pose_a, (apart_vec3){6.0 * s, aside * s, 0.0}, (apart_vec3){0.0, 0.0, spin}, zero);
    p->motion_b = apart_motion_rest(&pose_b);
}

static void use_half_space(moving_pair *p, random_source *r, const hull_pool *pool)
{
    const double s = p->scale;
    const apart_vec3 normal = random_in_ball(r);
    const apart_shape plane = apart_half_space(normal, random_between(r, -1.0, 1.0) * s);
    const apart_shape body = any_shape(r, s, p, 0, pool);
    const bool first = random_below(r, 2) == 0;
    p->a = first ? plane : body;
    p->b = first ? body : plane;
    aim(p, r, random_below(r, 3) == 0 ? 3.0 : 0.5);
    if (random_below(r, 2) == 0) { /* mostly the plane is the ground */
        apart_motion *of_plane = first ? &p->motion_a : &p->motion_b;
        *of_plane = apart_motion_rest(&of_plane->start);
    }
}

/* Turned by 2 atan t; without sine and cosine of the C library, whose last bits are its own. */
static apart_pose planar_pose(double t, double x, double y)
{
    const double c = (1.0 - t * t) / (1.0 + t * t), s = 2.0 * t / (1.0 + t * t);
    return (apart_pose){{{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}}, {x, y, 0.0}};
}

static void stay_planar(moving_pair *p, random_source *r)
{
    const double s = p->scale;
    apart_motion *motion[] = {&p->motion_a, &p->motion_b};
    p->a = planar_shape(r, s, p->points[0]);
    p->b = planar_shape(r, s, p->points[1]);
    for (int i = 0; i < 2; i++) {
        const apart_vec3 at = in_sphere(r, i == 0 ? 4.0 * s : s);
        const apart_vec3 displacement = apart_vec3_scale(-random_between(r, 0.5, 2.0), at);
        const double half_tangent = random_between(r, -4.0, 4.0);
        const double rate = random_between(r, -15.0, 15.0);
        const double spin = random_below(r, 3) == 0 ? 0.0 : rate;
        const apart_pose pose = planar_pose(half_tangent, at.x, at.y);
        *motion[i] = apart_motion_velocity(&pose, (apart_vec3){displacement.x, displacement.y, 0.0},
                                           (apart_vec3){0.0, 0.0, spin}, zero);
    }
}

/* A bullet of a thousand times the thickness a step, and more. */
static void shoot(moving_pair *p, random_source *r, const hull_pool *pool)
{
    const double s = p->scale;
    const double far = s * random_magnitude(r, 1.0, 3.0);
    const apart_pose at = pose_at(r, in_sphere(r, far));
    const apart_pose here = pose_at(r, zero);
    const apart_vec3 target = in_sphere(r, 1.5 * s);
    const apart_shape other = any_shape(r, 0.02 * s, p, 0, pool);
    const apart_vec3 spin = in_sphere(r, random_below(r, 2) == 0 ? 0.0 : 10.0);
    const apart_vec3 sway = in_sphere(r, random_below(r, 2) == 0 ? 0.0 : 3.0);
    p->a = random_below(r, 2) == 0 ? apart_sphere(0.01 * s) : other;
    p->b = apart_box((apart_vec3){s, s, s * random_magnitude(r, -12.0, -3.0)});
    p->motion_a = apart_motion_velocity(&at, apart_vec3_scale(2.0, apart_vec3_sub(target, at.translation)), spin, zero);
    p->motion_b = apart_motion_velocity(&here, zero, sway, zero);
}

static void choose_tolerance(moving_pair *p, random_source *r)
{
    p->tolerance = random_below(r, 2) == 0 ? 0.0 : p->scale * random_magnitude(r, -9.0, -2.0);
}

/* A common offset and a common velocity, for pairs of the space. */
static void carry_along(moving_pair *p, random_source *r)
{
    const double far = p->scale * random_magnitude(r, 1.0, 5.0);
    const double fast = p->scale * random_magnitude(r, 0.0, 3.0);
    const apart_vec3 offset = in_sphere(r, far);
    const apart_vec3 velocity = in_sphere(r, fast);
    apart_motion *motion[] = {&p->motion_a, &p->motion_b};
    for (int i = 0; i < 2; i++) {
        motion[i]->start.translation = apart_vec3_add(motion[i]->start.translation, offset);
        motion[i]->pivot = apart_vec3_add(motion[i]->pivot, offset);
        motion[i]->linear =
            motion[i]->path == APART_PATH_STRAIGHT ? apart_vec3_add(motion[i]->linear, velocity) : motion[i]->linear;
    }
}

void moving_generate(moving_pair *p, random_source *r, const hull_pool *pool)
{
    p->family = (moving_family)random_below(r, MOVING_FAMILIES);
    p->scale = random_below(r, 4) == 0 ? random_magnitude(r, -100.0, 100.0) : 1.0;
    p->a = any_shape(r, p->scale, p, 0, pool);
    const double share = random_below(r, 4) == 0 ? 0.05 : 1.0;
    p->b = any_shape(r, p->scale * share, p, 1, pool);
    switch (p->family) {
    case MOVING_TRANSLATION:
    case MOVING_GRAZE: aim(p, r, 0.0); break;
    case MOVING_TUMBLE:
    case MOVING_GRAZE_TURNING: aim(p, r, 1.0); break;
    case MOVING_SPIN: aim(p, r, random_magnitude(r, 0.0, 1.4)); break;
    case MOVING_BETWEEN: go_between(p, r, false); break;
    case MOVING_SCREW: go_between(p, r, true); break;
    case MOVING_SLIDE: slide(p, r); break;
    case MOVING_HALF_SPACE: use_half_space(p, r, pool); break;
    case MOVING_PLANAR: stay_planar(p, r); break;
    case MOVING_PLATE: shoot(p, r, pool); break;
    default:
        aim(p, r, 1.0);
        p->motion_a.start.translation = p->motion_a.pivot = in_sphere(r, 0.7 * p->scale);
        break;
    }
    if (p->family != MOVING_PLANAR && random_below(r, 4) == 0) {
        carry_along(p, r);
    }
    choose_tolerance(p, r);
}

void moving_graze(moving_pair *p, random_source *r, apart_vec3 n, double smallest)
{
    static const double wanted[] = {0.0, 0.25, -0.25, 1.0, -1.0, 4.0, -4.0, 1e-3, -1e-3, 40.0};
    const double tolerance = p->tolerance > 0.0 ? p->tolerance : 1e-6 * p->scale;
    const double shift = wanted[random_below(r, 10)] * tolerance - smallest;
    p->motion_b.start.translation = apart_vec3_add_scaled(p->motion_b.start.translation, shift, n);
    p->motion_b.pivot = apart_vec3_add_scaled(p->motion_b.pivot, shift, n);
}

/* The exact path in long double, with a quaternion for the turn and closed integrals for a screw. */
typedef struct precise {
    long double x, y, z;
} precise;

static precise widen(apart_vec3 v) { return (precise){v.x, v.y, v.z}; }

static precise plus(precise a, precise b) { return (precise){a.x + b.x, a.y + b.y, a.z + b.z}; }

static precise times(long double s, precise a) { return (precise){s * a.x, s * a.y, s * a.z}; }

static precise cross(precise a, precise b)
{
    return (precise){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(precise a, precise b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* q v conj(q) with q = (w, q) for the turn by t |angular|. */
static precise turned(precise angular, double t, precise v)
{
    const long double rate = sqrtl(dot(angular, angular));
    if (rate == 0.0L) {
        return v;
    }
    const precise q = times(sinl(0.5L * rate * t) / rate, angular);
    const long double w = cosl(0.5L * rate * t);
    const precise c = cross(q, v);
    return plus(v, plus(times(2.0L * w, c), times(2.0L, cross(q, c))));
}

/* The integral of the turned velocity from 0 to t: t v + (1 - cos x)/w^2 (w x v) + (x - sin x)/w^3 (w x (w x v)) with x
 * = w t; series for small x. */
static precise pivot_path(const apart_motion *m, double t)
{
    const precise v = widen(m->linear), angular = widen(m->angular);
    const long double rate = sqrtl(dot(angular, angular)), x = rate * t, z = x * x, tt = t;
    if (m->path == APART_PATH_STRAIGHT || rate == 0.0L) {
        return times(t, v);
    }
    const bool small = x < 1e-2L;
    const long double once = small ? tt * tt * (0.5L - z / 24.0L * (1.0L - z / 30.0L * (1.0L - z / 56.0L)))
                                   : (1.0L - cosl(x)) / (rate * rate);
    const long double twice = small
                                  ? tt * tt * tt * (1.0L / 6.0L - z / 120.0L * (1.0L - z / 42.0L * (1.0L - z / 72.0L)))
                                  : (x - sinl(x)) / (rate * rate * rate);
    const precise aside = cross(angular, v);
    return plus(plus(times(tt, v), times(once, aside)), times(twice, cross(angular, aside)));
}

static apart_vec3 rounded(precise v) { return (apart_vec3){(double)v.x, (double)v.y, (double)v.z}; }

static precise origin_at(const apart_motion *m, double t, precise anchor)
{
    const precise arm = plus(widen(m->start.translation), times(-1.0L, widen(m->pivot)));
    const precise pivot = plus(widen(m->pivot), times(-1.0L, anchor));
    return plus(plus(pivot, pivot_path(m, t)), turned(widen(m->angular), t, arm));
}

static apart_mat3 rotation_at(const apart_motion *m, double t)
{
    const apart_mat3 *r = &m->start.rotation;
    const precise w = widen(m->angular);
    return (apart_mat3){rounded(turned(w, t, widen(r->x))), rounded(turned(w, t, widen(r->y))),
                        rounded(turned(w, t, widen(r->z)))};
}

void moving_poses(const moving_pair *pair, double t, apart_pose *pose_a, apart_pose *pose_b)
{
    const apart_motion *a = &pair->motion_a, *b = &pair->motion_b;
    const precise anchor = plus(widen(a->pivot), pivot_path(a, t));
    *pose_a = (apart_pose){rotation_at(a, t), rounded(origin_at(a, t, anchor))};
    *pose_b = (apart_pose){rotation_at(b, t), rounded(origin_at(b, t, anchor))};
    if (pair->family == MOVING_PLANAR) {
        pose_a->rotation.z = pose_b->rotation.z = (apart_vec3){0.0, 0.0, 1.0};
    }
}

double moving_magnitude(const moving_pair *pair)
{
    const apart_motion *a = &pair->motion_a, *b = &pair->motion_b;
    const apart_vec3 between = apart_vec3_sub(b->pivot, a->pivot);
    const double arms =
        apart_vec3_distance(a->start.translation, a->pivot) + apart_vec3_distance(b->start.translation, b->pivot);
    const double lengths = a->path == APART_PATH_STRAIGHT && b->path == APART_PATH_STRAIGHT
                               ? apart_vec3_distance(b->linear, a->linear)
                               : apart_vec3_norm(a->linear) + apart_vec3_norm(b->linear);
    return 8.0 * pair->scale + apart_vec3_norm(between) + arms + lengths;
}
