/* The least of: vertices and triangles, edges and edges; each candidate is a pair of points of the two triangles, so
 * none is too small but for rounding. */
#include "triangle_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

static void difference(const real a[3], const real b[3], real out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static real dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const real a[3], const real b[3], real out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static real clamped(real x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* Keeps the pair of points if it is the nearest so far. */
static void offer(reference_answer *best, const real a[3], const real b[3])
{
    real d[3];
    difference(b, a, d);
    const real square = dot(d, d);
    if (square < best->distance * best->distance) {
        best->distance = sqrtl(square);
        memcpy(best->a, a, sizeof best->a);
        memcpy(best->b, b, sizeof best->b);
    }
}

static void offer_swapped(reference_answer *best, const real a[3], const real b[3], int swapped)
{
    if (swapped) {
        offer(best, b, a);
    } else {
        offer(best, a, b);
    }
}

/* The point of a segment at parameter t, from its nearer end. */
static void on_segment(const real p[3], const real q[3], real t, real out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = t < 0.5L ? p[i] + t * (q[i] - p[i]) : q[i] + (1 - t) * (p[i] - q[i]);
    }
}

static void point_segment(const real p[3], const real q0[3], const real q1[3], int swapped, reference_answer *best)
{
    real e[3], d[3], c[3];
    difference(q1, q0, e);
    difference(p, q0, d);
    const real square = dot(e, e);
    on_segment(q0, q1, square > 0 ? clamped(dot(d, e) / square) : 0, c);
    offer_swapped(best, p, c, swapped);
}

/* The foot of p on the triangle, if it lies inside: weights of the corners by areas. */
static void point_triangle(const real p[3], const real (*t)[3], int swapped, reference_answer *best)
{
    real u[3], v[3], d[3], n[3], c1[3], c2[3];
    difference(t[1], t[0], u);
    difference(t[2], t[0], v);
    difference(p, t[0], d);
    cross(u, v, n);
    const real square = dot(n, n);
    if (!(square > 0)) {
        return;
    }
    cross(d, v, c1);
    cross(u, d, c2);
    const real s = dot(c1, n) / square, r = dot(c2, n) / square;
    if (s >= 0 && r >= 0 && s + r <= 1) {
        real foot[3];
        for (int i = 0; i < 3; i++) {
            foot[i] = t[0][i] + (s * u[i] + r * v[i]);
        }
        offer_swapped(best, p, foot, swapped);
    }
}

/* The points of two segments that are nearest each other, if they lie between the ends. */
static void segment_segment(const real p0[3], const real p1[3], const real q0[3], const real q1[3],
                            reference_answer *best)
{
    real u[3], v[3], w[3], n[3], c[3];
    difference(p1, p0, u);
    difference(q1, q0, v);
    difference(q0, p0, w);
    cross(u, v, n);
    const real square = dot(n, n);
    if (square > 0) {
        cross(w, v, c);
        const real s = dot(c, n) / square;
        cross(w, u, c);
        const real t = dot(c, n) / square;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
            real a[3], b[3];
            on_segment(p0, p1, s, a);
            on_segment(q0, q1, t, b);
            offer(best, a, b);
        }
    }
}

/* Does the segment pass through the triangle? Then the point of it is offered with distance 0. */
static void piercing(const real p[3], const real q[3], const real (*t)[3], reference_answer *best)
{
    real u[3], v[3], n[3], d[3], e[3], at[3], c1[3], c2[3];
    difference(t[1], t[0], u);
    difference(t[2], t[0], v);
    cross(u, v, n);
    difference(p, t[0], d);
    difference(q, t[0], e);
    const real above = dot(d, n), below = dot(e, n), square = dot(n, n);
    if (!(square > 0) || !((above > 0 && below < 0) || (above < 0 && below > 0))) {
        return;
    }
    on_segment(p, q, above / (above - below), at);
    difference(at, t[0], d);
    cross(d, v, c1);
    cross(u, d, c2);
    const real s = dot(c1, n) / square, r = dot(c2, n) / square;
    if (s >= 0 && r >= 0 && s + r <= 1) {
        best->meets = 1;
        best->distance = 0;
        memcpy(best->a, at, sizeof best->a);
        memcpy(best->b, at, sizeof best->b);
    }
}

void reference_triangles(const long double a[3][3], const long double b[3][3], reference_answer *out)
{
    *out = (reference_answer){.distance = HUGE_VALL};
    for (int i = 0; i < 3; i++) {
        point_triangle(a[i], b, 0, out);
        point_triangle(b[i], a, 1, out);
        for (int j = 0; j < 3; j++) {
            point_segment(a[i], b[j], b[(j + 1) % 3], 0, out);
            point_segment(b[i], a[j], a[(j + 1) % 3], 1, out);
            segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], out);
        }
    }
    for (int i = 0; i < 3; i++) {
        piercing(a[i], a[(i + 1) % 3], b, out);
        piercing(b[i], b[(i + 1) % 3], a, out);
    }
}

/* ---- all pairs ---- */

enum { GROUP = 32 };

typedef struct placed_triangle {
    real corner[3][3], center[3];
    uint32_t number;
    uint64_t order;
} placed_triangle;

/* Around a triangle, or a group of triangles that stand behind each other. */
typedef struct sphere {
    double center[3], radius;
} sphere;

typedef struct placed_mesh {
    placed_triangle *triangles;
    sphere *spheres, *groups;
    size_t count, group_count;
} placed_mesh;

/* A sum of doubles and products of doubles with twice their digits. */
typedef struct long_sum {
    double high, low;
} long_sum;

static void add(long_sum *s, double x)
{
    const double high = s->high + x, part = high - s->high;
    s->low += (s->high - (high - part)) + (x - part);
    s->high = high;
}

static void add_product(long_sum *s, double x, double y)
{
    const double product = x * y;
    add(s, product);
    s->low += fma(x, y, -product);
}

/* The vertex in the world, less the origin: a common offset costs no digits. */
static void place(const apart_pose *pose, apart_vec3 v, apart_vec3 origin, real out[3])
{
    const apart_pose identity = apart_pose_identity();
    const apart_pose *p = pose == NULL ? &identity : pose;
    const double *x = &p->rotation.x.x, *y = &p->rotation.y.x, *z = &p->rotation.z.x, *t = &p->translation.x;
    for (int i = 0; i < 3; i++) {
        long_sum s = {-(&origin.x)[i], 0};
        add(&s, t[i]);
        add_product(&s, x[i], v.x);
        add_product(&s, y[i], v.y);
        add_product(&s, z[i], v.z);
        out[i] = (real)s.high + (real)s.low;
    }
}

static real length_between(const real a[3], const real b[3])
{
    real d[3];
    difference(a, b, d);
    return sqrtl(dot(d, d));
}

/* Every third bit of a number below 2^16. */
static uint64_t spread_bits(real share)
{
    const uint64_t x = (uint64_t)(clamped(share) * 65535);
    uint64_t spread = 0;
    for (int bit = 0; bit < 16; bit++) {
        spread |= (x >> bit & 1) << 3 * bit;
    }
    return spread;
}

static int by_order(const void *a, const void *b)
{
    const placed_triangle *s = a, *t = b;
    return s->order != t->order ? (s->order < t->order ? -1 : 1) : s->number < t->number ? -1 : s->number > t->number;
}

/* Neighbours in space become neighbours in the list. */
static void sort(placed_triangle *t, size_t count)
{
    real low[3], high[3];
    memcpy(low, t[0].center, sizeof low);
    memcpy(high, t[0].center, sizeof high);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            low[k] = fminl(low[k], t[i].center[k]);
            high[k] = fmaxl(high[k], t[i].center[k]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const real width = high[k] - low[k];
            t[i].order |= spread_bits(width > 0 ? (t[i].center[k] - low[k]) / width : 0) << k;
        }
    }
    qsort(t, count, sizeof *t, by_order);
}

/* A sphere around the corners of triangles; its radius is a little too large. */
static sphere surround(const placed_triangle *t, size_t count)
{
    sphere out = {.radius = 0};
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            out.center[k] += (double)(t[i].center[k] / (real)count);
        }
    }
    const real center[3] = {out.center[0], out.center[1], out.center[2]};
    for (size_t i = 0; i < 3 * count; i++) {
        out.radius = fmax(out.radius, (double)length_between(center, t[i / 3].corner[i % 3]));
    }
    out.radius *= 1.0000001;
    return out;
}

static placed_mesh place_all(const reference_mesh *mesh, apart_vec3 origin)
{
    placed_mesh m = {.count = mesh->triangle_count, .group_count = (mesh->triangle_count + GROUP - 1) / GROUP};
    m.triangles = calloc(m.count + 1, sizeof *m.triangles);
    m.spheres = calloc(m.count + 1, sizeof *m.spheres);
    m.groups = calloc(m.group_count + 1, sizeof *m.groups);
    if (m.triangles == NULL || m.spheres == NULL || m.groups == NULL) {
        abort();
    }
    for (size_t i = 0; i < m.count; i++) {
        placed_triangle *t = &m.triangles[i];
        t->number = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            place(mesh->pose, mesh->vertices[mesh->triangles[i][k]], origin, t->corner[k]);
        }
        for (int k = 0; k < 3; k++) {
            t->center[k] = (t->corner[0][k] + t->corner[1][k] + t->corner[2][k]) / 3;
        }
    }
    if (m.count > 0) {
        sort(m.triangles, m.count);
    }
    for (size_t i = 0; i < m.count; i++) {
        m.spheres[i] = surround(m.triangles + i, 1);
    }
    for (size_t g = 0; g < m.group_count; g++) {
        const size_t left = m.count - g * GROUP;
        m.groups[g] = surround(m.triangles + g * GROUP, left < GROUP ? left : GROUP);
    }
    return m;
}

static double square_between(const sphere *a, const sphere *b)
{
    const double x = b->center[0] - a->center[0], y = b->center[1] - a->center[1], z = b->center[2] - a->center[2];
    return x * x + y * y + z * z;
}

/* Whether the spheres are farther apart than `distance`, without a root; no, where rounding leaves it open. */
static int is_beyond(const sphere *a, const sphere *b, double distance)
{
    const double reach = (distance + a->radius + b->radius) * 1.0000001;
    return square_between(a, b) > reach * reach;
}

static void compare_groups(const placed_mesh *a, size_t group_a, const placed_mesh *b, size_t group_b,
                           reference_answer *out)
{
    const size_t end_a = (group_a + 1) * GROUP, end_b = (group_b + 1) * GROUP;
    for (size_t i = group_a * GROUP; i < end_a && i < a->count && !out->meets; i++) {
        for (size_t j = group_b * GROUP; j < end_b && j < b->count && !out->meets; j++) {
            if (is_beyond(&a->spheres[i], &b->spheres[j], (double)out->distance)) {
                continue;
            }
            const placed_triangle *first = &a->triangles[i], *second = &b->triangles[j];
            reference_answer found;
            reference_triangles((const real(*)[3])first->corner, (const real(*)[3])second->corner, &found);
            if (found.distance < out->distance || (found.meets && !out->meets)) {
                *out = found;
                out->triangle_a = first->number;
                out->triangle_b = second->number;
            }
        }
    }
}

/* The groups whose spheres are nearest: a good answer to begin with. */
static void nearest_groups(const placed_mesh *a, const placed_mesh *b, size_t *group_a, size_t *group_b)
{
    double least = HUGE_VAL;
    *group_a = *group_b = 0;
    for (size_t i = 0; i < a->group_count; i++) {
        for (size_t j = 0; j < b->group_count; j++) {
            const double gap = square_between(&a->groups[i], &b->groups[j]);
            if (gap < least) {
                least = gap;
                *group_a = i;
                *group_b = j;
            }
        }
    }
}

static void place_free(const placed_mesh *m)
{
    free(m->triangles);
    free(m->spheres);
    free(m->groups);
}

void reference_distance(const reference_mesh *a, const reference_mesh *b, reference_answer *out)
{
    apart_vec3 origin = {0, 0, 0};
    if (a->triangle_count > 0) {
        real corner[3];
        place(a->pose, a->vertices[a->triangles[0][0]], origin, corner);
        origin = (apart_vec3){(double)corner[0], (double)corner[1], (double)corner[2]};
    }
    const placed_mesh first = place_all(a, origin), second = place_all(b, origin);
    size_t near_a, near_b;
    *out = (reference_answer){.distance = HUGE_VALL};
    nearest_groups(&first, &second, &near_a, &near_b);
    compare_groups(&first, near_a, &second, near_b, out);
    for (size_t i = 0; i < first.group_count && !out->meets; i++) {
        for (size_t j = 0; j < second.group_count && !out->meets; j++) {
            if (!is_beyond(&first.groups[i], &second.groups[j], (double)out->distance)) {
                compare_groups(&first, i, &second, j, out);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        out->a[k] += (&origin.x)[k];
        out->b[k] += (&origin.x)[k];
    }
    place_free(&first);
    place_free(&second);
}
