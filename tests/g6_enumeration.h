/* Faces and edges of a hull from its bare vertices (item G6, section 4.2 and appendix): every triple of vertices that
 * has all others on one side spans a support plane; coplanar triples are merged; the vertices of a face are put in
 * angular order, which gives the edges and the vicinity matrix. O(n^4), at most 64 vertices; shares nothing with the
 * builders. */
#ifndef G6_ENUMERATION_H
#define G6_ENUMERATION_H

#include <apart/math.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { g6_max = 64, g6_max_faces = 2 * g6_max };

typedef struct g6_body {
    uint32_t n, face_count, edge_count;
    uint64_t face_set[g6_max_faces]; /* bit v: vertex v is in the face */
    uint32_t face_size[g6_max_faces];
    uint32_t face[g6_max_faces][g6_max]; /* counter-clockwise from outside, the lowest first */
    bool vicinity[g6_max][g6_max];
} g6_body;

/* The vertices in the plane (n, through p) if all others are below it, else 0. */
static inline uint64_t g6_support_plane(const apart_vec3 *v, uint32_t count, apart_vec3 p, apart_vec3 n,
                                        double tolerance)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double h = apart_vec3_dot(n, apart_vec3_sub(v[i], p));
        if (h > tolerance) {
            return 0;
        }
        set |= h >= -tolerance ? (uint64_t)1 << i : 0;
    }
    return set;
}

/* Vertices of a face in angular order around its middle. */
static inline void g6_order_face(const apart_vec3 *v, g6_body *body, uint32_t f, apart_vec3 normal)
{
    apart_vec3 middle = {0, 0, 0};
    uint32_t *face = body->face[f], m = 0;
    double angle[g6_max];
    for (uint32_t i = 0; i < body->n; i++) {
        if (body->face_set[f] >> i & 1) {
            middle = apart_vec3_add(middle, v[i]);
            face[m++] = i;
        }
    }
    middle = (apart_vec3){middle.x / m, middle.y / m, middle.z / m};
    const apart_vec3 u = apart_vec3_sub(v[face[0]], middle), w = apart_vec3_cross(normal, u);
    const double lw = apart_vec3_norm(w), lu = apart_vec3_norm(u);
    for (uint32_t i = 0; i < m; i++) {
        const apart_vec3 d = apart_vec3_sub(v[face[i]], middle);
        const double a = atan2(apart_vec3_dot(d, w) / lw, apart_vec3_dot(d, u) / lu);
        angle[i] = i == 0 ? 0.0 : a < 0.0 ? a + 2.0 * acos(-1.0) : a;
    }
    for (uint32_t i = 1; i < m; i++) {
        for (uint32_t k = i; k > 1 && angle[k] < angle[k - 1]; k--) {
            const double a = angle[k];
            const uint32_t x = face[k];
            angle[k] = angle[k - 1], angle[k - 1] = a;
            face[k] = face[k - 1], face[k - 1] = x;
        }
    }
    body->face_size[f] = m;
    for (uint32_t i = 0; i < m; i++) {
        body->vicinity[face[i]][face[(i + 1) % m]] = body->vicinity[face[(i + 1) % m]][face[i]] = true;
    }
}

static inline void g6_add_plane(const apart_vec3 *v, g6_body *body, apart_vec3 p, apart_vec3 n, double tolerance)
{
    const uint64_t set = g6_support_plane(v, body->n, p, n, tolerance);
    for (uint32_t f = 0; f < body->face_count; f++) {
        if (body->face_set[f] == set) {
            return;
        }
    }
    if (set != 0 && body->face_count < g6_max_faces) {
        body->face_set[body->face_count] = set;
        g6_order_face(v, body, body->face_count++, n);
    }
}

/* Strictly extreme vertices of a solid body of the size of 1; planes that differ by less than `tolerance` are one. */
static inline void g6_enumerate(const apart_vec3 *v, uint32_t n, double tolerance, g6_body *body)
{
    memset(body, 0, sizeof *body);
    body->n = n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            for (uint32_t k = j + 1; k < n; k++) {
                apart_vec3 normal = apart_vec3_cross(apart_vec3_sub(v[j], v[i]), apart_vec3_sub(v[k], v[i]));
                const double length = apart_vec3_norm(normal);
                if (length > 0.0) {
                    normal = (apart_vec3){normal.x / length, normal.y / length, normal.z / length};
                    g6_add_plane(v, body, v[i], normal, tolerance);
                    g6_add_plane(v, body, v[i], (apart_vec3){-normal.x, -normal.y, -normal.z}, tolerance);
                }
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            body->edge_count += body->vicinity[i][j];
        }
    }
}

#endif
