/* The closed forms of rays: against exact arithmetic on small polytopes with integer coordinates, whose rays meet edges,
 * vertices and parallel faces all the time; and against the general search, which answers for the identical affine
 * image of a body. */
#include <apart/apart.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poses.h"
#include "random.h"
#include "run_suite.h"

/* ------------------------------------------------ exact: integers below 2^63 */

enum { POINTS_MAX = 12, PLANES_MAX = 256 };

typedef struct int_vec {
    int64_t x, y, z;
} int_vec;

/* n.x <= offset */
typedef struct int_plane {
    int_vec n;
    int64_t offset;
} int_plane;

typedef struct int_body {
    int_vec point[POINTS_MAX];
    int points;
    int_plane plane[PLANES_MAX];
    int planes;
    double size;
} int_body;

static int_vec int_sub(int_vec a, int_vec b) { return (int_vec){a.x - b.x, a.y - b.y, a.z - b.z}; }

static int64_t int_dot(int_vec a, int_vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static int_vec int_cross(int_vec a, int_vec b)
{
    return (int_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static bool same_plane(const int_plane *p, const int_plane *q)
{
    const int_vec c = int_cross(p->n, q->n);
    return c.x == 0 && c.y == 0 && c.z == 0 && int_dot(p->n, q->n) > 0;
}

/* Every plane through three points that has all others behind it. */
static void find_planes(int_body *b)
{
    b->planes = 0;
    for (int i = 0; i < b->points; i++) {
        for (int j = 0; j < b->points; j++) {
            for (int k = 0; k < b->points; k++) {
                int_plane p = {.n = int_cross(int_sub(b->point[j], b->point[i]), int_sub(b->point[k], b->point[i]))};
                p.offset = int_dot(p.n, b->point[i]);
                bool outer = p.n.x != 0 || p.n.y != 0 || p.n.z != 0;
                for (int m = 0; m < b->points && outer; m++) {
                    outer = int_dot(p.n, b->point[m]) <= p.offset;
                }
                for (int m = 0; m < b->planes && outer; m++) {
                    outer = !same_plane(&b->plane[m], &p);
                }
                if (outer && b->planes < PLANES_MAX) {
                    b->plane[b->planes++] = p;
                }
            }
        }
    }
}

/* The part of a line that is in the body: between the fractions enters and leaves of the direction. */
typedef struct int_span {
    double enters, leaves;
    int64_t enters_num, enters_den, leaves_num, leaves_den; /* denominators > 0; 0: none */
    int face, ties;                                         /* entered last, and how many planes with it */
    bool beside;                                            /* parallel to a plane, and outside it or in it */
    bool inside, on;                                        /* the origin: not outside; on a plane */
} int_span;

static int_span clip_exactly(const int_body *b, int_vec o, int_vec d)
{
    int_span s = {.enters = -INFINITY, .leaves = INFINITY, .inside = true};
    for (int i = 0; i < b->planes; i++) {
        const int64_t above = int_dot(b->plane[i].n, o) - b->plane[i].offset, rate = int_dot(b->plane[i].n, d);
        s.inside = s.inside && above <= 0;
        s.on = s.on || above == 0;
        if (rate == 0) {
            s.beside = s.beside || above >= 0;
        } else if (rate < 0) {
            const int64_t more = s.enters_den == 0 ? 1 : above * s.enters_den - s.enters_num * -rate;
            s.ties = more > 0 ? 1 : s.ties + (more == 0);
            if (more > 0) {
                s.enters_num = above;
                s.enters_den = -rate;
                s.face = i;
            }
        } else if (s.leaves_den == 0 || -above * s.leaves_den < s.leaves_num * rate) {
            s.leaves_num = -above;
            s.leaves_den = rate;
        }
    }
    if (s.enters_den > 0) {
        s.enters = (double)s.enters_num / (double)s.enters_den;
    }
    if (s.leaves_den > 0) {
        s.leaves = (double)s.leaves_num / (double)s.leaves_den;
    }
    return s;
}

/* The sign of leaves - enters. */
static int width_sign(const int_span *s)
{
    const int64_t width = s->leaves_num * s->enters_den - s->enters_num * s->leaves_den;
    return (width > 0) - (width < 0);
}

static apart_vec3 to_vec(int_vec a) { return vec((double)a.x, (double)a.y, (double)a.z); }

static int_vec random_grid(random_source *r, int size)
{
    const unsigned side = 2u * (unsigned)size + 1u;
    const int64_t x = random_below(r, side), y = random_below(r, side), z = random_below(r, side);
    return (int_vec){x - size, y - size, z - size};
}

/* Checks the hit of a ray that enters the body at a positive distance. */
static void check_exact_hit(const int_body *b, const int_span *s, int_vec o, int_vec d, const apart_ray_hit *hit)
{
    const apart_vec3 n = to_vec(b->plane[s->face].n), dir = to_vec(d);
    const double speed = apart_vec3_norm(dir), true_distance = s->enters * speed;
    const double cosine = fabs(apart_vec3_dot(n, dir)) / (apart_vec3_norm(n) * speed);
    const double unit = DBL_EPSILON * (b->size + 2.0 * apart_vec3_norm(to_vec(o)) + true_distance);
    ck_assert_msg(hit->hit == 1 && hit->inside == 0, "a hit at %g was missed", true_distance);
    /* The quotient of the two integers has been rounded once. */
    ck_assert_msg(hit->lower <= true_distance * (1.0 + 4.0 * DBL_EPSILON), "lower %.17g, entry %.17g", hit->lower,
                  true_distance);
    ck_assert_msg(fabs(hit->distance - true_distance) <= 64.0 * unit / cosine, "distance %.17g, entry %.17g",
                  hit->distance, true_distance);
    ck_assert_double_le(true_distance - hit->lower, 256.0 * unit / cosine);
    if (s->ties == 1) {
        const apart_vec3 off = apart_vec3_add_scaled(hit->normal, -1.0 / apart_vec3_norm(n), n);
        ck_assert_msg(apart_vec3_norm(off) <= 1e-10, "the normal is off by %g", apart_vec3_norm(off));
    }
}

static void check_exact_ray(const int_body *b, const apart_shape *shape, random_source *r)
{
    const int_vec o = random_grid(r, 12), t = random_grid(r, 5);
    const int_vec d = random_below(r, 3) == 0 ? random_grid(r, 2) : int_sub(t, o);
    if (d.x == 0 && d.y == 0 && d.z == 0) {
        return;
    }
    const int_vec shift = random_grid(r, 100);
    const apart_pose pose = at((double)shift.x, (double)shift.y, (double)shift.z);
    const apart_ray ray = {{(double)(o.x + shift.x), (double)(o.y + shift.y), (double)(o.z + shift.z)},
                           to_vec(d),
                           random_below(r, 2) == 0 ? INFINITY : 9.0};
    const int_span s = clip_exactly(b, o, d);
    apart_ray_hit hit;
    ck_assert_int_eq(apart_raycast(&ray, shape, &pose, NULL, &hit), APART_OK);
    const double far = s.enters * apart_vec3_norm(to_vec(d));
    const bool passes = s.beside || width_sign(&s) < 0 || s.leaves_num < 0 || far > ray.length + 1e-6;
    if (s.inside) {
        ck_assert_msg(hit.hit == 1 && hit.inside == 1 && hit.distance == 0.0 && hit.lower == 0.0, "not inside");
    } else if (width_sign(&s) > 0 && !s.beside && s.leaves_num >= 0 && far < ray.length - 1e-6) {
        check_exact_hit(b, &s, o, d, &hit);
    } else if (passes && !(s.beside && hit.hit)) { /* a ray in a face's plane may count as hit */
        ck_assert_msg(hit.hit == 0 && hit.lower == ray.length, "a miss was hit at %g", hit.distance);
    }
}

static void make_int_body(int_body *b, random_source *r, bool box, double half[3])
{
    b->points = box ? 8 : 4 + (int)random_below(r, POINTS_MAX - 3);
    const int_vec h = {1 + random_below(r, 4), 1 + random_below(r, 4), 1 + random_below(r, 4)};
    b->size = 0.0;
    for (int i = 0; i < b->points; i++) {
        const int_vec corner = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
        b->point[i] = box ? corner : random_grid(r, 5);
        b->size = fmax(b->size, apart_vec3_norm(to_vec(b->point[i])));
    }
    half[0] = (double)h.x;
    half[1] = (double)h.y;
    half[2] = (double)h.z;
    find_planes(b);
}

START_TEST(exact_rays)
{
    random_source r = random_seed("exact_rays");
    static int_body b;
    for (int i = 0; i < 600; i++) {
        double half[3], xyz[3 * POINTS_MAX];
        make_int_body(&b, &r, i % 3 == 0, half);
        for (int k = 0; k < b.points; k++) {
            xyz[3 * k] = (double)b.point[k].x;
            xyz[3 * k + 1] = (double)b.point[k].y;
            xyz[3 * k + 2] = (double)b.point[k].z;
        }
        apart_hull *hull = NULL;
        ck_assert_int_eq(apart_hull_build(xyz, (size_t)b.points, NULL, &hull), APART_OK);
        const apart_shape as_hull = apart_hull_shape(hull), as_box = apart_box(vec(half[0], half[1], half[2]));
        for (int k = 0; k < 300 && apart_hull_dimension(hull) == 3; k++) {
            check_exact_ray(&b, i % 3 == 0 && k % 2 == 0 ? &as_box : &as_hull, &r);
        }
        apart_hull_free(hull);
    }
}
END_TEST

/* ------------------------------------------------ the general search */

/* A pose whose matrix is exact to double or to single precision. */
static apart_pose random_pose(random_source *r, double distance, bool single)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_quat_wxyz(random_signed(r), random_signed(r), random_signed(r), random_signed(r),
                                               random_vector(r, distance), &pose),
                     APART_OK);
    double *m = &pose.rotation.x.x;
    for (int i = 0; i < 9 && single; i++) {
        m[i] = (double)(float)m[i];
    }
    return pose;
}

/* Casts a ray at a body and at its image under the identity, which the general search answers. The distances may differ by
 * their errors, which a grazing ray multiplies. */
static void compare_ray(const apart_shape *body, double size, random_source *r, const char *name)
{
    const apart_mat3 identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const apart_shape image = apart_affine(body, identity, vec(0, 0, 0));
    const bool single = random_below(r, 4) == 0;
    const apart_pose pose = random_pose(r, random_below(r, 4) == 0 ? 1e4 * size : 0.5 * size, single);
    const apart_vec3 from = random_vector(r, random_below(r, 4) == 0 ? 50.0 * size : 3.0 * size),
                     to = random_vector(r, size);
    const apart_ray ray = {apart_vec3_add_scaled(pose.translation, 1.0, from), apart_vec3_add_scaled(to, -1.0, from),
                           random_below(r, 8) == 0 ? 2.0 * size : INFINITY};
    apart_ray_hit hit, other;
    ck_assert_int_eq(apart_raycast(&ray, body, &pose, NULL, &hit), APART_OK);
    ck_assert_int_eq(apart_raycast(&ray, &image, &pose, NULL, &other), APART_OK);
    ck_assert_msg(hit.hit == other.hit && hit.inside == other.inside, "%s: %d %d, but %d %d", name, hit.hit, hit.inside,
                  other.hit, other.inside);
    if (!hit.hit || hit.inside) {
        ck_assert(hit.lower == (hit.hit ? 0.0 : ray.length));
        return;
    }
    const double cosine = -apart_vec3_dot(hit.normal, ray.direction) / apart_vec3_norm(ray.direction);
    const double unit = DBL_EPSILON * (8.0 * size + 2.0 * apart_vec3_norm(from) + (single ? 0.0 : 0.0) +
                                       2.0 * apart_vec3_norm(pose.translation));
    ck_assert_msg(cosine > 0.0 && fabs(hit.distance - other.distance) <= 128.0 * unit / cosine,
                  "%s: %.17g, but %.17g, cosine %g", name, hit.distance, other.distance, cosine);
    ck_assert_msg(hit.lower <= hit.distance && hit.distance - hit.lower <= 256.0 * unit / cosine,
                  "%s: lower %.17g of %.17g", name, hit.lower, hit.distance);
    ck_assert_double_eq_tol(apart_vec3_norm(hit.normal), 1.0, 4.0 * DBL_EPSILON);
    ck_assert_msg(apart_vec3_distance(hit.normal, other.normal) <= 2e-7, "%s: the normals differ by %g", name,
                  apart_vec3_distance(hit.normal, other.normal));
}

static apart_hull *round_hull(random_source *r, int points, double size)
{
    double *xyz = malloc(3 * (size_t)points * sizeof *xyz);
    for (int i = 0; i < points; i++) {
        const apart_vec3 p = random_vector(r, 1.0);
        const double norm = apart_vec3_norm(p);
        xyz[3 * i] = size * p.x / norm;
        xyz[3 * i + 1] = 0.7 * size * p.y / norm;
        xyz[3 * i + 2] = 0.4 * size * p.z / norm;
    }
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, (size_t)points, NULL, &hull), APART_OK);
    free(xyz);
    return hull;
}

START_TEST(like_the_general_search)
{
    random_source r = random_seed("like_the_general_search");
    static const int points[] = {8, 20, 40, 100, 500, 2000};
    for (int k = 0; k < 3; k++) {
        const double s = k == 0 ? 1.0 : k == 1 ? 0x1p-300 : 0x1p300;
        apart_shape body[12] = {apart_box(vec(s, 0.5 * s, 0.75 * s)),
                                apart_cylinder(0.5 * s, 0.75 * s),
                                apart_cone(0.75 * s, 0.5 * s),
                                apart_ellipsoid(vec(s, 0.25 * s, 0.5 * s)),
                                apart_sphere(0.75 * s),
                                apart_capsule(0.25 * s, 0.75 * s)};
        apart_hull *hull[6];
        for (int i = 0; i < 6; i++) {
            hull[i] = round_hull(&r, points[i], s);
            body[6 + i] = apart_hull_shape(hull[i]);
        }
        for (int i = 0; i < 12; i++) {
            const int rays = i < 9 ? 1500 : 300;
            for (int j = 0; j < (k == 0 ? rays : rays / 10); j++) {
                compare_ray(&body[i], s, &r, apart_shape_name(&body[i]));
            }
        }
        for (int i = 0; i < 6; i++) {
            apart_hull_free(hull[i]);
        }
    }
}
END_TEST

/* ------------------------------------------------ the cost */

/* Queries are what the general search makes: of ordinary rays at these bodies none. */
START_TEST(no_queries)
{
    random_source r = random_seed("no_queries");
    apart_hull *hull = round_hull(&r, 500, 1.0), *small = round_hull(&r, 8, 1.0);
    const apart_shape body[] = {apart_box(vec(1, 0.5, 0.75)),  apart_sphere(1),
                                apart_capsule(0.5, 0.5),       apart_cylinder(0.5, 0.5),
                                apart_ellipsoid(vec(1, 2, 3)), apart_hull_shape(hull),
                                apart_hull_shape(small)};
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < 200; k++) {
            const apart_vec3 from = random_vector(&r, 1.0), to = random_vector(&r, 0.7);
            const double out = 5.0 / apart_vec3_norm(from);
            const apart_vec3 o = vec(out * from.x, out * from.y, out * from.z);
            const apart_ray ray = {o, apart_vec3_add_scaled(to, -1.0, o), INFINITY};
            const apart_pose pose = random_pose(&r, 0.1, k % 2 == 0 && i != 1 && i != 2);
            apart_ray_hit hit;
            ck_assert_int_eq(apart_raycast(&ray, &body[i], &pose, NULL, &hit), APART_OK);
            ck_assert_msg(hit.iterations == 0, "%s, ray %d: %u queries", apart_shape_name(&body[i]), k, hit.iterations);
        }
    }
    apart_hull_free(hull);
    apart_hull_free(small);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rays");
    TCase *t = tcase_create("rays");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, exact_rays);
    tcase_add_test(t, like_the_general_search);
    tcase_add_test(t, no_queries);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
