/* Spheres, capsules and boxes by closed forms: every region and both orders, near and far, all sizes, with rotations
 * that are orthonormal to rounding, that are rounded to single precision, and matrices that are not rotations. Each
 * answer is proved by apart_verify, and its simplex must make the witness points. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "poses.h"
#include "random.h"
#include "run_suite.h"

#define EPS DBL_EPSILON

static apart_pose random_pose(uint64_t *seed, apart_vec3 where)
{
    apart_pose pose;
    apart_status status;
    do {
        const double w = random_signed(seed), x = random_signed(seed), y = random_signed(seed), z = random_signed(seed);
        status = apart_pose_from_quat_wxyz(w, x, y, z, where, &pose);
    } while (status != APART_OK);
    return pose;
}

static double *entry_of(apart_pose *pose, int i) { return &(&pose->rotation.x.x)[i]; }

static apart_pose in_single_precision(apart_pose pose)
{
    for (int i = 0; i < 9; i++) {
        *entry_of(&pose, i) = (double)(float)*entry_of(&pose, i);
    }
    return pose;
}

static apart_pose scaled_matrix(apart_pose pose, double factor)
{
    for (int i = 0; i < 9; i++) {
        *entry_of(&pose, i) *= factor;
    }
    return pose;
}

/* Vertex i of a box, a segment or a point. */
static apart_vec3 vertex_of(const apart_shape *shape, uint32_t i)
{
    const apart_vec3 h = shape->u.half_extents;
    if (shape->kind == APART_SHAPE_BOX) {
        return vec((i & 1) != 0 ? h.x : -h.x, (i & 2) != 0 ? h.y : -h.y, (i & 4) != 0 ? h.z : -h.z);
    }
    return shape->u.point[i];
}

/* The weighted vertices of one body, moved outwards by its radius, must be its witness point. */
static void check_blend(const apart_result *r, const apart_shape *shape, const apart_pose *pose, const uint32_t *index,
                        double outwards, apart_vec3 witness, double size, const char *what)
{
    apart_vec3 sum = {0, 0, 0};
    for (int i = 0; i < r->count; i++) {
        const uint32_t vertices = shape->kind == APART_SHAPE_BOX ? 8u : shape->kind == APART_SHAPE_SEGMENT ? 2u : 1u;
        ck_assert_msg(index[i] < vertices, "%s: index %u", what, index[i]);
        const apart_vec3 v = vertex_of(shape, index[i]);
        sum = vec(sum.x + r->lambda[i] * v.x, sum.y + r->lambda[i] * v.y, sum.z + r->lambda[i] * v.z);
    }
    const apart_vec3 p = apart_pose_apply(pose, sum), n = r->normal;
    const double radius = outwards * shape->radius;
    const apart_vec3 off = {p.x + radius * n.x - witness.x, p.y + radius * n.y - witness.y,
                            p.z + radius * n.z - witness.z};
    ck_assert_msg(fmax(fabs(off.x), fmax(fabs(off.y), fabs(off.z))) <= 32.0 * EPS * size,
                  "%s: the simplex makes another point", what);
}

static void check_simplex(const apart_result *r, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, double size, const char *what)
{
    double sum = 0.0;
    ck_assert(r->count >= 1 && r->count <= 3);
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(r->lambda[i] >= 0.0 && (i < r->count || r->lambda[i] == 0.0), "%s: weight %d is %g", what, i,
                      r->lambda[i]);
        ck_assert_msg(i < r->count || (r->index_a[i] == APART_NO_INDEX && r->index_b[i] == APART_NO_INDEX),
                      "%s: index %d", what, i);
        sum += r->lambda[i];
    }
    ck_assert_double_eq_tol(sum, 1.0, 4.0 * EPS);
    check_blend(r, a, pose_a, r->index_a, 1.0, r->a, size, what);
    check_blend(r, b, pose_b, r->index_b, -1.0, r->b, size, what);
}

/* One query. Returns the result after all checks. */
static apart_result ask(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                        const char *what)
{
    apart_result r;
    apart_proof proof;
    const apart_vec3 ta = pose_a->translation, tb = pose_b->translation;
    const double places = fabs(ta.x) + fabs(ta.y) + fabs(ta.z) + fabs(tb.x) + fabs(tb.y) + fabs(tb.z);
    const apart_vec3 ca = a->center, cb = b->center;
    const double centers = fabs(ca.x) + fabs(ca.y) + fabs(ca.z) + fabs(cb.x) + fabs(cb.y) + fabs(cb.z);
    const double size = 2.0 * places + 2.0 * centers + a->bound + b->bound + a->radius + b->radius;
    ck_assert_int_eq(apart_distance(a, pose_a, b, pose_b, NULL, NULL, &r), APART_OK);
    ck_assert_int_eq(apart_verify(a, pose_a, b, pose_b, &r, &proof), APART_OK);
    ck_assert_msg(proof.verdict == APART_PROVED, "%s: %s", what, proof.reason);
    ck_assert_msg(r.lower <= r.distance && r.distance <= r.upper, "%s: bounds", what);
    ck_assert_double_eq_tol(apart_vec3_norm(r.normal), 1.0, 4.0 * EPS);
    ck_assert_int_eq(r.relation, r.lower > 0.0 ? APART_DISJOINT : r.upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING);
    ck_assert_int_eq(r.dim, 3);
    ck_assert_int_eq(r.stop, APART_STOP_CONVERGED);
    if (r.distance + a->radius + b->radius > 1e-6 * size) {
        check_simplex(&r, a, pose_a, b, pose_b, size, what);
    }
    return r;
}

/* Both orders; the width of the bounds in eps of the size, and the distance. */
static apart_result ask_both(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, double expected, double size, double defect, const char *what)
{
    const apart_result r = ask(a, pose_a, b, pose_b, what), back = ask(b, pose_b, a, pose_a, what);
    const double room = 64.0 * EPS * size + 8.0 * defect * size;
    ck_assert_msg(fabs(r.distance - expected) <= room, "%s: %.17g, expected %.17g", what, r.distance, expected);
    ck_assert_msg(fabs(back.distance - expected) <= room, "%s, swapped: %.17g, expected %.17g", what, back.distance,
                  expected);
    ck_assert_msg(r.upper - r.lower <= 2.0 * room, "%s: bounds are %g of the size apart", what,
                  (r.upper - r.lower) / size);
    /* The general loop may end on an edge of a face that is slender beside its own size, and not in the other order. */
    ck_assert_msg(r.count == back.count || size > 100.0 * (a->radius + b->radius), "%s: %d and %d vertices", what,
                  r.count, back.count);
    ck_assert(r.normal.x * back.normal.x + r.normal.y * back.normal.y + r.normal.z * back.normal.z < -1.0 + 1e-6);
    return r;
}

/* ------------------------------------------------ a sphere and a box */

/* A coordinate in, below or above the extent: how far outside, and the coordinate. */
static double place(double h, int side, double gap, double inside)
{
    return side == 0 ? inside * h : side * (h + gap * h);
}

static void check_regions(uint64_t *seed, double scale, double gap, apart_vec3 extents, double box_radius, bool rounded)
{
    const apart_vec3 h = {scale * extents.x, scale * extents.y, scale * extents.z};
    const double bound = apart_vec3_norm(h);
    const apart_shape box = apart_rounded(apart_box(h), scale * box_radius), sphere = apart_sphere(0.25 * scale);
    for (int region = 0; region < 27; region++) {
        const int sx = region % 3 - 1, sy = region / 3 % 3 - 1, sz = region / 9 - 1;
        if ((sx == 0 || h.x == 0.0) && (sy == 0 || h.y == 0.0) && (sz == 0 || h.z == 0.0)) {
            continue;
        }
        const double inside = random_signed(seed);
        const apart_vec3 local = {place(h.x, sx, gap, inside), place(h.y, sy, gap, -0.5 * inside),
                                  place(h.z, sz, gap, 0.75 * inside)};
        const double x = fmax(fabs(local.x) - h.x, 0.0), y = fmax(fabs(local.y) - h.y, 0.0),
                     z = fmax(fabs(local.z) - h.z, 0.0);
        const double distance = sqrt(x * x + y * y + z * z);
        apart_pose pose_box = random_pose(seed, vec(scale * random_signed(seed), scale * random_signed(seed),
                                                    scale * random_signed(seed)));
        pose_box = rounded ? in_single_precision(pose_box) : pose_box;
        apart_pose pose = random_pose(seed, apart_pose_apply(&pose_box, local));
        pose = rounded ? in_single_precision(pose) : pose;
        char what[96];
        snprintf(what, sizeof what, "region %d %d %d, gap %g, scale %g", sx, sy, sz, gap, scale);
        const apart_result r = ask_both(&sphere, &pose, &box, &pose_box, distance - (0.25 + box_radius) * scale,
                                        4.0 * bound + 4.0 * distance + 4.0 * scale, rounded ? 1e-6 : 0.0, what);
        const int free_axes = (x == 0.0 && h.x > 0.0) + (y == 0.0 && h.y > 0.0) + (z == 0.0 && h.z > 0.0);
        ck_assert_msg(rounded || extents.z > 1.0 || r.count == free_axes + 1, "%s: %d vertices", what, r.count);
    }
}

START_TEST(sphere_and_box_in_every_region)
{
    uint64_t seed = random_seed("regions");
    const double scales[] = {1.0, 0x1p-150, 0x1p+150, 0x1p-300, 0x1p+300, 3e-7, 1e9},
                 gaps[] = {3.0, 1.0, 0.3, 1e-3, 1e-9};
    const apart_vec3 extents[] = {{1, 1, 1}, {0.3, 0.9, 0.6}, {0, 0.5, 1}, {0.7, 0, 0}, {1e-6, 1, 1e3}};
    for (int round = 0; round < 4; round++) {
        for (int s = 0; s < 7; s++) {
            for (int g = 0; g < 5; g++) {
                for (int e = 0; e < 5; e++) {
                    check_regions(&seed, scales[s], gaps[g], extents[e], 0.0, false);
                    check_regions(&seed, scales[s], gaps[g], extents[e], 0.125, false);
                    check_regions(&seed, scales[s], gaps[g], extents[e], 0.0, true);
                }
            }
        }
    }
}
END_TEST

/* Exact numbers: the middle of a face, of an edge, a corner, and the middle again where a corner's weight vanishes. */
START_TEST(sphere_over_the_middle)
{
    const apart_shape box = apart_box(vec(1, 2, 3)), sphere = apart_sphere(1);
    const apart_pose here = at(0, 0, 0);
    const struct {
        apart_vec3 where;
        double distance;
        int count;
    } rows[] = {{{9, 0, 0}, 7, 3},  {{0, -10, 0}, 7, 3},   {{0, 0, 11}, 7, 3}, {{4, 6, 0}, 4, 2},
                {{0, 5, -7}, 4, 2}, {{-13, 0, -8}, 12, 2}, {{3, 4, 4}, 2, 1},  {{9, 1, 1}, 7, 3},
                {{9, -1, 1}, 7, 3}, {{1.5, 0, 0}, -0.5, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const apart_pose there = at(rows[i].where.x, rows[i].where.y, rows[i].where.z);
        const apart_result r = ask_both(&sphere, &there, &box, &here, rows[i].distance, 16.0, 0.0, "middle");
        ck_assert_int_eq(r.count, rows[i].count);
        ck_assert(r.distance == rows[i].distance);
    }
}
END_TEST

/* A point need not be at its body's origin, near it or far away. */
START_TEST(points_off_their_origin)
{
    uint64_t seed = random_seed("points");
    const apart_shape box = apart_box(vec(0.5, 1, 1.5));
    for (int i = 0; i < 300; i++) {
        const double far = i % 3 == 0 ? 1e4 : 1.0;
        const apart_shape point = apart_rounded(apart_point(random_vector(&seed, far)), 0.25);
        const apart_pose pose_box = random_pose(&seed, vec(0, 0, 0));
        apart_pose pose = random_pose(&seed, vec(0, 0, 0));
        const apart_vec3 there = random_vector(&seed, 8.0), moved = apart_pose_apply(&pose, point.u.point[0]);
        pose.translation = vec(there.x - moved.x, there.y - moved.y, there.z - moved.z);
        const apart_result r = ask(&point, &pose, &box, &pose_box, "point"),
                           back = ask(&box, &pose_box, &point, &pose, "point, swapped");
        ck_assert_double_eq_tol(r.distance, back.distance, 64.0 * EPS * (far + 16.0));
    }
}
END_TEST

/* ------------------------------------------------ segments */

typedef struct long_vec {
    long double x, y, z;
} long_vec;

static long_vec long_difference(apart_vec3 a, apart_vec3 b)
{
    return (long_vec){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}

static long double long_dot(long_vec a, long_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* |w + s u| for the best s in [0, 1]. */
static long double to_segment(long_vec w, long_vec u)
{
    const long double uu = long_dot(u, u), s = uu > 0 ? fminl(fmaxl(-long_dot(w, u) / uu, 0), 1) : 0;
    const long_vec v = {w.x + s * u.x, w.y + s * u.y, w.z + s * u.z};
    return sqrtl(long_dot(v, v));
}

/* The distance of two segments: the least of the four ends', and that of the lines where both feet are inside. */
static double least_distance(const apart_vec3 p[2], const apart_vec3 q[2])
{
    const long_vec u = long_difference(p[1], p[0]), v = long_difference(q[1], q[0]), w = long_difference(p[0], q[0]);
    const long double uu = long_dot(u, u), vv = long_dot(v, v), uv = long_dot(u, v), uw = long_dot(u, w),
                      vw = long_dot(v, w);
    long double best =
        fminl(fminl(to_segment(w, u), to_segment(long_difference(p[0], q[1]), u)),
              fminl(to_segment(long_difference(q[0], p[0]), v), to_segment(long_difference(q[0], p[1]), v)));
    const long double det = uu * vv - uv * uv, s = (uv * vw - uw * vv) / det, t = (uu * vw - uv * uw) / det;
    if (det > 0 && s >= 0 && s <= 1 && t >= 0 && t <= 1) {
        const long_vec d = {w.x + s * u.x - t * v.x, w.y + s * u.y - t * v.y, w.z + s * u.z - t * v.z};
        best = fminl(best, sqrtl(long_dot(d, d)));
    }
    return (double)best;
}

static void check_segments(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                           const apart_pose *pose_b, double room, const char *what)
{
    const apart_vec3 p[2] = {apart_pose_apply(pose_a, a->u.point[0]), apart_pose_apply(pose_a, a->u.point[1])};
    const apart_vec3 q[2] = {apart_pose_apply(pose_b, b->u.point[0]), apart_pose_apply(pose_b, b->u.point[1])};
    const double expected = least_distance(p, q) - (a->radius + b->radius);
    const apart_result r = ask(a, pose_a, b, pose_b, what), back = ask(b, pose_b, a, pose_a, what);
    ck_assert_msg(fabs(r.distance - expected) <= room, "%s: %.17g, expected %.17g", what, r.distance, expected);
    ck_assert_msg(fabs(r.distance - back.distance) <= room, "%s: %.17g, swapped %.17g", what, r.distance,
                  back.distance);
}

/* Capsules along z, points, and segments anywhere. */
static apart_shape random_segment(uint64_t *seed, double scale)
{
    const apart_vec3 p = random_vector(seed, scale), q = random_vector(seed, scale);
    const double r = 0.2 * scale * random_unit(seed), h = scale * random_unit(seed);
    switch (random_bits(seed) % 8) {
    case 0: return apart_sphere(r);
    case 1: return apart_rounded(apart_segment(p, q), r);
    case 2: return apart_rounded(apart_segment(p, p), r);
    case 3: return apart_rounded(apart_segment(vec(0, 0, h), vec(0, 0, -h)), r);
    case 4: return apart_capsule(r, 0.0);
    case 5: return apart_rounded(apart_segment(vec(p.x, p.y, -h), vec(q.x, 0, h)), r);
    case 6: return apart_rounded(apart_segment(vec(p.x, p.y, 1e3 * scale), vec(p.x, p.y, 1e3 * scale + h)), r);
    default: return apart_capsule(r, h);
    }
}

START_TEST(segments_of_all_kinds)
{
    uint64_t seed = random_seed("segments");
    const double scales[] = {1.0, 0x1p-150, 0x1p+150, 0x1p-300, 0x1p+300};
    for (int i = 0; i < 3000; i++) {
        const double scale = scales[i % 5];
        const apart_shape a = random_segment(&seed, scale), b = random_segment(&seed, scale);
        apart_pose pose_a = random_pose(&seed, random_vector(&seed, 2.0 * scale));
        apart_pose pose_b = random_pose(&seed, random_vector(&seed, 2.0 * scale));
        if (i % 4 == 0) {
            pose_a = in_single_precision(pose_a);
            pose_b = in_single_precision(pose_b);
        }
        check_segments(&a, &pose_a, &b, &pose_b, (i % 4 == 0 ? 1e-3 : 1e-12) * scale, "segments");
    }
}
END_TEST

/* End to end, end to side, side to side, crossing, parallel side by side and one behind the other, nearly parallel. */
START_TEST(capsules_in_every_region)
{
    uint64_t seed = random_seed("capsules");
    const apart_shape a = apart_capsule(0.25, 1.0), b = apart_capsule(0.5, 2.0);
    const struct {
        apart_pose pose;
        double distance;
        int count;
    } rows[] = {{turned(vec(1, 0, 0), 90, vec(4, 0, 0)), 3.25, 3},
                {turned(vec(1, 0, 0), 90, vec(4, 3, 0)), 3.373105625617661, 2},
                {turned(vec(1, 0, 0), 90, vec(4, 6, 4)), 5.653124237432849, 1},
                {turned(vec(0, 1, 0), 90, vec(0, 0, 4)), 2.25, 2},
                {at(0, 0, 7), 3.25, 1},
                {at(3, 0, 4), 2.4122776601683795, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const apart_pose here = random_pose(&seed, random_vector(&seed, 5.0)),
                         there = apart_pose_compose(&here, &rows[i].pose);
        const apart_result r = ask_both(&a, &here, &b, &there, rows[i].distance, 16.0, 0.0, "capsules");
        ck_assert_msg(r.count == rows[i].count, "capsules %zu: %d vertices", i, r.count);
    }
    for (int i = 0; i < 60; i++) { /* parallel, and ever less so */
        const double shift = random_signed(&seed) * 3.0, degrees = i == 0 ? 0.0 : 90.0 * pow(0.5, i);
        const apart_pose here = random_pose(&seed, random_vector(&seed, 5.0)),
                         local = turned(vec(1, 0.5, 0), degrees, vec(3, 0, shift));
        const apart_pose there = apart_pose_compose(&here, &local);
        check_segments(&a, &here, &b, &there, 1e-14, "parallel");
    }
}
END_TEST

/* ------------------------------------------------ what is wrong, or nearly */

static void check_refused(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, apart_status expected, const char *what)
{
    apart_result r, untouched;
    memset(&r, 0x5a, sizeof r);
    untouched = r;
    const apart_status status = apart_distance(a, pose_a, b, pose_b, NULL, NULL, &r);
    ck_assert_msg(status == expected, "%s: %s", what, apart_status_message(status));
    ck_assert_msg(memcmp(&r, &untouched, sizeof r) == 0, "%s: the result was written", what);
}

START_TEST(bad_poses_are_refused)
{
    uint64_t seed = random_seed("bad poses");
    const apart_shape shapes[3] = {apart_sphere(0.5), apart_box(vec(1, 2, 3)), apart_capsule(0.5, 1.0)};
    const int pairs[5][2] = {{0, 1}, {1, 0}, {2, 2}, {0, 2}, {0, 0}};
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 5; k++) {
        const apart_shape *a = &shapes[pairs[k][0]], *b = &shapes[pairs[k][1]];
        for (int body = 0; body < 2; body++) {
            for (int i = 0; i < 12; i++) {
                for (int j = 0; j < 3; j++) {
                    apart_pose poses[2] = {random_pose(&seed, vec(1, 2, 3)), random_pose(&seed, vec(9, 8, 7))};
                    *entry_of(&poses[body], i) = bad[j];
                    check_refused(a, &poses[0], b, &poses[1], APART_ERR_NONFINITE, "not finite");
                }
            }
            for (int i = 0; i < 9; i++) {
                apart_pose poses[2] = {random_pose(&seed, vec(1, 2, 3)), random_pose(&seed, vec(9, 8, 7))};
                *entry_of(&poses[body], i) += 1e-4;
                check_refused(a, &poses[0], b, &poses[1], APART_ERR_ROTATION, "a number changed");
            }
            for (int i = 0; i < 3; i++) { /* a column or all of them turned round: mirrored */
                apart_pose poses[2] = {random_pose(&seed, vec(1, 2, 3)), random_pose(&seed, vec(9, 8, 7))};
                apart_vec3 *column = &(&poses[body].rotation.x)[i];
                *column = vec(-column->x, -column->y, -column->z);
                check_refused(a, &poses[0], b, &poses[1], APART_ERR_ROTATION, "mirrored");
                apart_pose both[2] = {scaled_matrix(at(0, 0, 0), -1.0), scaled_matrix(at(9, 0, 0), -1.0)};
                check_refused(a, &both[0], b, &both[1], APART_ERR_ROTATION, "both mirrored");
            }
            const double factors[3] = {0.0, 1.0 + 1e-5, 2.0};
            for (int i = 0; i < 3; i++) {
                apart_pose poses[2] = {random_pose(&seed, vec(1, 2, 3)), random_pose(&seed, vec(9, 8, 7))};
                poses[body] = scaled_matrix(poses[body], factors[i]);
                check_refused(a, &poses[0], b, &poses[1], APART_ERR_ROTATION, "scaled");
            }
        }
    }
}
END_TEST

START_TEST(bad_shapes_are_refused)
{
    const apart_pose here = at(0, 0, 0), there = at(9, 0, 0);
    const apart_shape sphere = apart_sphere(0.5), box = apart_box(vec(1, 2, 3)), capsule = apart_capsule(0.5, 1.0);
    const apart_shape circle = apart_circle(0.5);
    const apart_shape no_sphere = apart_sphere(-1.0), no_box = apart_box(vec(1, -1, 1)),
                      no_capsule = apart_capsule(1.0, NAN);
    const apart_shape *rows[][2] = {{&no_sphere, &box},
                                    {&sphere, &no_box},
                                    {&no_capsule, &capsule},
                                    {&capsule, &no_capsule}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const apart_status expected =
            (apart_status)(rows[i][0]->status != APART_OK ? rows[i][0]->status : rows[i][1]->status);
        check_refused(rows[i][0], &here, rows[i][1], &there, expected, "a bad shape");
        check_refused(rows[i][1], &here, rows[i][0], &there, expected, "a bad shape");
    }
    check_refused(&circle, &here, &box, &there, APART_ERR_DIMENSION, "a circle and a box");
    check_refused(&box, &here, &circle, &there, APART_ERR_DIMENSION, "a box and a circle");
    const apart_shape huge = apart_sphere(DBL_MAX), huge_capsule = apart_capsule(DBL_MAX, 1.0);
    check_refused(&huge, &here, &box, &there, APART_ERR_OVERFLOW, "a sphere without end");
    check_refused(&huge_capsule, &here, &huge_capsule, &there, APART_ERR_OVERFLOW, "capsules without end");
    const apart_pose far = at(DBL_MAX, 0, 0), farther = at(-DBL_MAX, 0, 0);
    check_refused(&sphere, &far, &box, &farther, APART_ERR_OVERFLOW, "too far");
    check_refused(&capsule, &far, &capsule, &farther, APART_ERR_OVERFLOW, "too far");
}
END_TEST

/* Matrices that are not quite rotations are taken as they are: the bounds must hold for the body under them. */
START_TEST(rotations_that_are_not_quite)
{
    uint64_t seed = random_seed("defects");
    const apart_shape sphere = apart_sphere(0.5), box = apart_box(vec(1, 0.5, 0.25)), capsule = apart_capsule(0.5, 1.0);
    for (int i = 0; i < 2000; i++) {
        const double defect = pow(2.0, -21.5 - i % 32);
        apart_pose poses[2] = {random_pose(&seed, vec(0, 0, 0)), random_pose(&seed, random_vector(&seed, 4.0))};
        *entry_of(&poses[i % 2], i / 2 % 9) += defect * random_signed(&seed);
        poses[1 - i % 2] = scaled_matrix(poses[1 - i % 2], 1.0 + 0.5 * defect * random_signed(&seed));
        ask(&sphere, &poses[0], &box, &poses[1], "sphere and box");
        ask(&box, &poses[0], &sphere, &poses[1], "box and sphere");
        ask(&capsule, &poses[0], &capsule, &poses[1], "capsules");
    }
}
END_TEST

/* Rounded parts may touch and overlap while the cores are apart. */
START_TEST(relations)
{
    const apart_shape sphere = apart_sphere(2), box = apart_box(vec(1, 1, 1)), capsule = apart_capsule(2, 1);
    const double gaps[] = {1.0, 0.0, -1.0};
    const int expected[] = {APART_DISJOINT, APART_TOUCHING, APART_OVERLAPPING};
    const apart_pose here = at(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        const apart_pose there = at(3 + gaps[i], 0, 0), side = at(4 + gaps[i], 0, 0);
        ck_assert_int_eq(ask(&sphere, &there, &box, &here, "relation").relation, expected[i]);
        ck_assert_int_eq(ask(&box, &here, &sphere, &there, "relation").relation, expected[i]);
        ck_assert_int_eq(ask(&capsule, &here, &capsule, &side, "relation").relation, expected[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("closed_form");
    TCase *t = tcase_create("closed_form");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, sphere_and_box_in_every_region);
    tcase_add_test(t, sphere_over_the_middle);
    tcase_add_test(t, points_off_their_origin);
    tcase_add_test(t, segments_of_all_kinds);
    tcase_add_test(t, capsules_in_every_region);
    tcase_add_test(t, bad_poses_are_refused);
    tcase_add_test(t, bad_shapes_are_refused);
    tcase_add_test(t, rotations_that_are_not_quite);
    tcase_add_test(t, relations);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
