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
    const real distance = sqrtl(dot(d, d));
    if (distance < best->distance) {
        best->distance = distance;
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

static void segment_segment(const real p0[3], const real p1[3], const real q0[3], const real q1[3],
                            reference_answer *best)
{
    point_segment(p0, q0, q1, 0, best);
    point_segment(p1, q0, q1, 0, best);
    point_segment(q0, p0, p1, 1, best);
    point_segment(q1, p0, p1, 1, best);
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
            segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3], out);
        }
    }
    for (int i = 0; i < 3; i++) {
        piercing(a[i], a[(i + 1) % 3], b, out);
        piercing(b[i], b[(i + 1) % 3], a, out);
    }
}

/* ---- all pairs ---- */

typedef struct placed_triangle {
    real corner[3][3], center[3], radius;
} placed_triangle;

static void place(const apart_pose *pose, apart_vec3 v, real out[3])
{
    const real p[3] = {v.x, v.y, v.z};
    if (pose == NULL) {
        memcpy(out, p, sizeof p);
        return;
    }
    const apart_mat3 *m = &pose->rotation;
    out[0] = m->x.x * p[0] + m->y.x * p[1] + m->z.x * p[2] + pose->translation.x;
    out[1] = m->x.y * p[0] + m->y.y * p[1] + m->z.y * p[2] + pose->translation.y;
    out[2] = m->x.z * p[0] + m->y.z * p[1] + m->z.z * p[2] + pose->translation.z;
}

static placed_triangle *place_all(const reference_mesh *mesh)
{
    placed_triangle *placed = malloc((mesh->triangle_count + 1) * sizeof *placed);
    if (placed == NULL) {
        abort();
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        placed_triangle *t = &placed[i];
        for (int k = 0; k < 3; k++) {
            place(mesh->pose, mesh->vertices[mesh->triangles[i][k]], t->corner[k]);
        }
        t->radius = 0;
        for (int k = 0; k < 3; k++) {
            t->center[k] = (t->corner[0][k] + t->corner[1][k] + t->corner[2][k]) / 3;
        }
        for (int k = 0; k < 3; k++) {
            real d[3];
            difference(t->corner[k], t->center, d);
            t->radius = fmaxl(t->radius, sqrtl(dot(d, d)));
        }
    }
    return placed;
}

/* Whether the spheres are farther apart than `distance`, without a root. */
static int is_beyond(const placed_triangle *a, const placed_triangle *b, real distance)
{
    real d[3];
    difference(b->center, a->center, d);
    const real reach = (distance + a->radius + b->radius) * 1.0000001L;
    return dot(d, d) > reach * reach;
}

void reference_distance(const reference_mesh *a, const reference_mesh *b, reference_answer *out)
{
    placed_triangle *first = place_all(a), *second = place_all(b);
    *out = (reference_answer){.distance = HUGE_VALL};
    for (size_t i = 0; i < a->triangle_count; i++) {
        for (size_t j = 0; j < b->triangle_count; j++) {
            if (is_beyond(&first[i], &second[j], out->distance)) {
                continue;
            }
            reference_answer found;
            reference_triangles((const real(*)[3])first[i].corner, (const real(*)[3])second[j].corner, &found);
            if (found.distance < out->distance || (found.meets && !out->meets)) {
                *out = found;
                out->triangle_a = (uint32_t)i;
                out->triangle_b = (uint32_t)j;
            }
        }
    }
    free(first);
    free(second);
}
