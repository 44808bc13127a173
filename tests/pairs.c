#include "pairs.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Random numbers are drawn in declarations, one after the other: the order of a call's arguments is the compiler's
 * choice. */

void random_bytes(random_source *r, void *bytes, size_t count)
{
    unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        byte[i] = (unsigned char)random_bits(r);
    }
}

double random_magnitude(random_source *r, double low, double high)
{
    const double u = random_between(r, low, high);
    const double whole = floor(u);
    double power = 1.0 + 9.0 * (u - whole);
    for (double i = 0.0; i < fabs(whole); i += 1.0) {
        power = whole < 0.0 ? power / 10.0 : power * 10.0;
    }
    return power;
}

static apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

apart_vec3 random_in_ball(random_source *r)
{
    for (;;) {
        const double x = random_between(r, -1, 1), y = random_between(r, -1, 1), z = random_between(r, -1, 1);
        const apart_vec3 p = vec(x, y, z);
        if (apart_vec3_dot(p, p) <= 1.0) {
            return p;
        }
    }
}

static apart_vec3 random_direction(random_source *r)
{
    for (;;) {
        const apart_vec3 p = random_in_ball(r);
        if (apart_vec3_dot(p, p) > 0.01) {
            return apart_vec3_scale(1.0 / apart_vec3_norm(p), p);
        }
    }
}

static const apart_mat3 identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* Signed permutations of the axes, and turns by a 3-4-5 triangle (whose cosine and sine are no doubles). */
static apart_mat3 exact_rotation(random_source *r)
{
    static const apart_mat3 some[6] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                       {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                                       {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
                                       {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
                                       {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}},
                                       {{1, 0, 0}, {0, 0.28, 0.96}, {0, -0.96, 0.28}}};
    return some[random_below(r, 6)];
}

apart_mat3 random_rotation(random_source *r)
{
    if (random_below(r, 3) == 0) {
        return exact_rotation(r);
    }
    apart_pose pose;
    const apart_vec3 zero = {0, 0, 0};
    for (;;) {
        const apart_vec3 u = random_in_ball(r);
        if (apart_pose_from_quat_wxyz(random_between(r, -1, 1), u.x, u.y, u.z, zero, &pose) == APART_OK) {
            return pose.rotation;
        }
    }
}

/* A turn about `axis` (0..2) with sine s, |s| <= 1. */
static apart_mat3 tilt(int axis, double s)
{
    const double c = sqrt(1.0 - s * s);
    switch (axis) {
    case 0: return (apart_mat3){{1, 0, 0}, {0, c, s}, {0, -s, c}};
    case 1: return (apart_mat3){{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
    default: return (apart_mat3){{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
    }
}

/* ------------------------------------------------ bodies of size about 1 */

static void set_point(double *xyz, size_t i, apart_vec3 p)
{
    xyz[3 * i] = p.x;
    xyz[3 * i + 1] = p.y;
    xyz[3 * i + 2] = p.z;
}

static apart_vec3 get_point(const double *xyz, size_t i) { return vec(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]); }

static size_t fill_ball(random_source *r, double *xyz, apart_vec3 extents)
{
    const size_t n = 1 + random_below(r, 30);
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = random_in_ball(r);
        set_point(xyz, i, vec(p.x * extents.x, p.y * extents.y, p.z * extents.z));
    }
    return n;
}

static size_t fill_lattice(random_source *r, double *xyz)
{
    const size_t n = 1 + random_below(r, 20);
    const unsigned span = 1 + random_below(r, 4);
    for (size_t i = 0; i < n; i++) {
        const unsigned x = random_below(r, span + 1), y = random_below(r, span + 1), z = random_below(r, span + 1);
        set_point(xyz, i, vec(x, y, z));
    }
    return n;
}

static size_t fill_corners(double *xyz, apart_vec3 h)
{
    for (size_t i = 0; i < 8; i++) {
        set_point(xyz, i, vec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
    }
    return 8;
}

/* A prism over points of a circle with rational coordinates: its top and bottom are parallel, its sides have no round
 * numbers. */
static size_t fill_prism(random_source *r, double *xyz)
{
    const size_t n = 3 + random_below(r, 10);
    const double height = random_between(r, 0.1, 1.0);
    for (size_t i = 0; i < n; i++) {
        const double t = random_between(r, -4, 4), q = 1.0 + t * t;
        set_point(xyz, 2 * i, vec((1.0 - t * t) / q, 2.0 * t / q, -height));
        set_point(xyz, 2 * i + 1, vec((1.0 - t * t) / q, 2.0 * t / q, height));
    }
    return 2 * n;
}

/* Repeats some points, exactly or one unit in the last place away. */
static size_t add_repetitions(random_source *r, double *xyz, size_t n)
{
    for (unsigned extra = random_below(r, 6); extra > 0 && n < PAIR_POINTS_MAX; extra--) {
        apart_vec3 p = get_point(xyz, random_below(r, (unsigned)n));
        if (random_below(r, 2) == 0) {
            p.x = nextafter(p.x, random_between(r, -2, 2));
        }
        set_point(xyz, n++, p);
    }
    return n;
}

static apart_vec3 random_extents(random_source *r)
{
    const double x = random_between(r, 0.1, 1), y = random_between(r, 0.1, 1), z = random_between(r, 0.1, 1);
    const double thin = random_magnitude(r, -9, 0), thinner = random_magnitude(r, -12, 0);
    switch (random_below(r, 5)) {
    case 0: /* needle */ return vec(thin, thinner, 1.0);
    case 1: /* plate */ return vec(1.0, y, thinner);
    case 2: /* flat */ return vec(x, 1.0, 0.0);
    case 3: return vec(1.0, 1.0, 1.0);
    default: return vec(x, y, z);
    }
}

size_t random_body(random_source *r, double *xyz)
{
    size_t n;
    switch (random_below(r, 5)) {
    case 0: n = fill_lattice(r, xyz); break;
    case 1: n = fill_corners(xyz, random_extents(r)); break;
    case 2: n = fill_prism(r, xyz); break;
    default: n = fill_ball(r, xyz, random_extents(r)); break;
    }
    return random_below(r, 3) == 0 ? add_repetitions(r, xyz, n) : n;
}

static void scale_points(double *xyz, size_t n, double scale, apart_vec3 offset)
{
    for (size_t i = 0; i < n; i++) {
        set_point(xyz, i, apart_vec3_add(apart_vec3_scale(scale, get_point(xyz, i)), offset));
    }
}

/* A body times `scale`; point sets are moved by `offset` within their own frame. */
static apart_shape make_body(random_source *r, const hull_pool *pool, double *xyz, double scale, apart_vec3 offset)
{
    const unsigned pick = random_below(r, 10);
    if (pick < 3) {
        return apart_box(apart_vec3_scale(scale, random_extents(r)));
    }
    if (pick < 5 && pool != NULL && scale == 1.0) {
        return apart_hull_shape(pool->hulls[random_below(r, HULL_POOL_SIZE)]);
    }
    if (pick == 5) {
        const apart_vec3 p = apart_vec3_scale(scale, random_in_ball(r)), q = apart_vec3_scale(scale, random_in_ball(r)),
                         s = apart_vec3_scale(scale, random_in_ball(r));
        const unsigned which = random_below(r, 3);
        return which == 0 ? apart_point(p) : which == 1 ? apart_segment(p, q) : apart_triangle(p, q, s);
    }
    const size_t n = random_body(r, xyz);
    scale_points(xyz, n, scale, offset);
    return apart_points(xyz, n);
}

size_t shape_vertices(const apart_shape *shape, double *xyz)
{
    size_t n = 0;
    switch (shape->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE:
        for (n = 0; n < shape->kind; n++) {
            set_point(xyz, n, shape->u.point[n]);
        }
        return n;
    case APART_SHAPE_BOX: return fill_corners(xyz, shape->u.half_extents);
    case APART_SHAPE_POINTS:
        memcpy(xyz, shape->u.points.coordinates, 3 * shape->u.points.count * sizeof *xyz);
        return shape->u.points.count;
    case APART_SHAPE_HULL:
        for (uint32_t i = 0; i < apart_hull_vertex_count(shape->u.hull); i++) {
            set_point(xyz, n++, apart_hull_vertex(shape->u.hull, i));
        }
        return n;
    default: return 0;
    }
}

double pair_magnitude(const test_pair *pair)
{
    const apart_vec3 ca = apart_pose_apply(&pair->pose_a, pair->a.center),
                     cb = apart_pose_apply(&pair->pose_b, pair->b.center);
    double m = pair->a.bound + pair->b.bound + apart_vec3_distance(cb, ca);
    if (memcmp(&pair->pose_a.rotation, &identity, sizeof identity) != 0) {
        m += apart_vec3_norm(pair->a.center);
    }
    if (memcmp(&pair->pose_b.rotation, &identity, sizeof identity) != 0) {
        m += apart_vec3_norm(pair->b.center);
    }
    return m;
}

/* ------------------------------------------------ the poses of the two */

/* The largest n.x of the moved body (without its translation, so that small gaps can be set). */
static double support_value(const apart_shape *shape, const apart_mat3 *rotation, apart_vec3 n, apart_vec3 *where)
{
    double xyz[3 * PAIR_VERTICES_MAX], best = -INFINITY;
    const size_t count = shape_vertices(shape, xyz);
    const apart_pose turn = {*rotation, {0, 0, 0}};
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 p = apart_pose_rotate(&turn, get_point(xyz, i));
        if (apart_vec3_dot(n, p) > best) {
            best = apart_vec3_dot(n, p);
            *where = p;
        }
    }
    return best;
}

/* Moves B so that the bodies' supports along n are `gap` apart and face each other, or are only level. */
static void place_at_gap(test_pair *pair, apart_vec3 n, double gap, bool facing)
{
    apart_vec3 on_a, on_b;
    const double a = support_value(&pair->a, &pair->pose_a.rotation, n, &on_a);
    const double b = support_value(&pair->b, &pair->pose_b.rotation, apart_vec3_neg(n), &on_b);
    pair->pose_b.translation =
        facing ? apart_vec3_add_scaled(apart_vec3_sub(on_a, on_b), gap, n) : apart_vec3_scale(a + b + gap, n);
}

static apart_vec3 axis_vector(unsigned axis) { return vec(axis == 0, axis == 1, axis == 2); }

/* Both bodies in nearly the same orientation, one above the other. */
static void lay_parallel(test_pair *pair, random_source *r, double size)
{
    const unsigned axis = random_below(r, 3);
    const apart_mat3 common = random_rotation(r);
    const double sine = random_below(r, 4) == 0 ? 0.0 : random_magnitude(r, -17, -1);
    const apart_mat3 small = tilt((int)random_below(r, 3), sine);
    const apart_pose turn = {common, {0, 0, 0}}, turn_small = {small, {0, 0, 0}};
    pair->pose_a.rotation = common;
    pair->pose_b = apart_pose_compose(&turn, &turn_small);
    const apart_vec3 n = apart_pose_rotate(&turn, axis_vector(axis));
    const bool facing = random_below(r, 2) == 0;
    place_at_gap(pair, n, size * random_magnitude(r, -16, 1), facing);
    pair->family = "parallel";
}

static void lay_random(test_pair *pair, random_source *r, double size)
{
    pair->pose_a.rotation = random_rotation(r);
    pair->pose_b.rotation = random_rotation(r);
    const apart_vec3 direction = random_direction(r);
    pair->pose_b.translation = apart_vec3_scale(size * random_between(r, 0.0, 4.0), direction);
    pair->family = "random";
}

static void lay_near(test_pair *pair, random_source *r, double size)
{
    pair->pose_a.rotation = random_rotation(r);
    pair->pose_b.rotation = random_rotation(r);
    const apart_vec3 n = random_below(r, 2) == 0 ? random_direction(r) : axis_vector(random_below(r, 3));
    place_at_gap(pair, n, size * random_magnitude(r, -16, 0), true);
    pair->family = "near";
}

/* Unrotated and displaced by round numbers: exact ties everywhere. */
static void lay_aligned(test_pair *pair, random_source *r, double size)
{
    pair->pose_a.rotation = identity;
    pair->pose_b.rotation = identity;
    const double unit = size * 0.25;
    const int x = (int)random_below(r, 33) - 16, y = (int)random_below(r, 33) - 16, z = (int)random_below(r, 33) - 16;
    pair->pose_b.translation = vec(unit * x, unit * y, unit * z);
    pair->family = "aligned";
}

static double random_scale(random_source *r)
{
    switch (random_below(r, 8)) {
    case 0: return random_magnitude(r, -150, -100);
    case 1: return random_magnitude(r, 80, 120);
    case 2: return random_magnitude(r, -9, 9);
    default: return 1.0;
    }
}

/* A common offset of both bodies, in their translations. */
static void move_both(test_pair *pair, apart_vec3 offset)
{
    pair->pose_a.translation = apart_vec3_add(pair->pose_a.translation, offset);
    pair->pose_b.translation = apart_vec3_add(pair->pose_b.translation, offset);
}

void pair_generate(test_pair *pair, random_source *r, const hull_pool *pool)
{
    const double scale = random_scale(r), ratio = random_below(r, 8) == 0 ? random_magnitude(r, -12, 0) : 1.0;
    const bool far_frames = random_below(r, 12) == 0; /* point sets far from their own origin, unrotated */
    const apart_vec3 direction = random_direction(r);
    const apart_vec3 offset =
        far_frames ? apart_vec3_scale(scale * random_magnitude(r, 0, 8), direction) : vec(0, 0, 0);
    pair->pose_a = pair->pose_b = apart_pose_identity();
    pair->a = make_body(r, pool, pair->points_a, scale, offset);
    pair->b = make_body(r, pool, pair->points_b, scale * ratio, offset);
    switch (random_below(r, 4)) {
    case 0: lay_parallel(pair, r, scale * ratio); break;
    case 1: lay_random(pair, r, scale); break;
    case 2: lay_near(pair, r, scale * ratio); break;
    default: lay_aligned(pair, r, scale); break;
    }
    if (far_frames) {
        pair->pose_a.rotation = pair->pose_b.rotation = identity;
        pair->family = "far frames";
    } else if (random_below(r, 8) == 0) {
        move_both(pair, apart_vec3_scale(scale * random_magnitude(r, 2, 8), direction));
        pair->family = "offset";
    }
}

void hull_pool_free(hull_pool *pool)
{
    for (int i = 0; i < HULL_POOL_SIZE; i++) {
        apart_hull_free(pool->hulls[i]);
    }
}
