/* Two small meshes, as surfaces and as solids where they are closed: the answer is that of the nearest pair of triangles,
 * and the independent check does not refute it. */
#include <float.h>

#include <apart/mesh.h>
#include <apart/verify.h>

#include "fuzz_bodies.h"

enum { MOST_VERTICES = 12, MOST_TRIANGLES = 16 };

typedef struct body {
    apart_mesh *mesh;
    apart_pose pose;
    double xyz[3 * MOST_VERTICES], size;
    uint32_t triangles[3 * MOST_TRIANGLES];
    size_t count;
} body;

/* A tetrahedron of the first four vertices is closed; other triangles are any. */
static int take_mesh(bytes *in, body *b)
{
    static const uint32_t closed[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const size_t vertices = 4 + take_byte(in) % (MOST_VERTICES - 3);
    b->count = take_byte(in) % MOST_TRIANGLES + 1;
    b->size = 0.0;
    for (size_t i = 0; i < 3 * vertices; i++) {
        b->xyz[i] = take_number(in);
        b->size = fmax(b->size, fabs(b->xyz[i]));
    }
    for (size_t i = 0; i < 3 * b->count; i++)
        b->triangles[i] = b->count == 4 ? closed[i] : take_byte(in) % (uint32_t)vertices;
    b->pose = take_pose(in, 3);
    b->size = 2.0 * b->size + length_of(b->pose.translation);
    const apart_vertices list = {.data = b->xyz, .count = vertices};
    return apart_mesh_build(&list, b->triangles, b->count, NULL, &b->mesh) == APART_OK;
}

static apart_shape triangle_of(const body *b, size_t t)
{
    const double *p = b->xyz + 3 * (size_t)b->triangles[3 * t], *q = b->xyz + 3 * (size_t)b->triangles[3 * t + 1],
                 *r = b->xyz + 3 * (size_t)b->triangles[3 * t + 2];
    return apart_triangle((apart_vec3){p[0], p[1], p[2]}, (apart_vec3){q[0], q[1], q[2]},
                          (apart_vec3){r[0], r[1], r[2]});
}

/* Bounds of the distance of the surfaces; false: a pair of triangles cannot be asked. */
static int ask_triangles(const body *a, const body *b, double *lower, double *upper)
{
    *lower = *upper = INFINITY;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t k = 0; k < b->count; k++) {
            const apart_shape x = triangle_of(a, i), y = triangle_of(b, k);
            const apart_options yes_or_no = {.depth = APART_DEPTH_NONE};
            apart_result r;
            if (apart_distance(&x, &a->pose, &y, &b->pose, &yes_or_no, NULL, &r) != APART_OK)
                return 0;
            *lower = fmin(*lower, fmax(r.lower, 0.0));
            *upper = fmin(*upper, fmax(r.upper, 0.0));
        }
    }
    return 1;
}

static void check_pair(apart_solid x, const body *a, apart_solid y, const body *b, int surfaces)
{
    apart_compound_result r;
    double lower, upper;
    if (apart_compound_distance(x, &a->pose, y, &b->pose, NULL, NULL, &r) != APART_OK)
        return;
    const double noise = 1024.0 * DBL_EPSILON * (a->size + b->size);
    check(r.result.lower <= r.result.upper, "the bounds are in order");
    if (surfaces && ask_triangles(a, b, &lower, &upper)) {
        check(fmax(r.result.lower, 0.0) <= upper + noise, "no triangles are nearer than the lower bound");
        check(fmax(r.result.upper, 0.0) >= lower - noise, "triangles are as near as the upper bound");
    }
    apart_proof proof;
    if (apart_verify_solids(x, &a->pose, y, &b->pose, &r, &proof) == APART_OK) {
        check(proof.verdict != APART_REFUTED, proof.reason);
        apart_compound_result lie = r; /* false by more than both sets of bounds admit */
        const double off = 1e-6 * (a->size + b->size) + (r.result.upper - r.result.lower);
        if (r.result.lower > 0.0 && isfinite(off) && off > 0.0 && proof.verdict == APART_PROVED) {
            lie.result.lower = r.result.upper + off;
            lie.result.distance = lie.result.upper = r.result.upper + 2.0 * off;
            check(apart_verify_solids(x, &a->pose, y, &b->pose, &lie, &proof) != APART_OK ||
                      proof.verdict != APART_PROVED,
                  "a false claim is not proved");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    body a = {.mesh = NULL}, b = {.mesh = NULL};
    const int there = take_mesh(&in, &a) && take_mesh(&in, &b);
    if (there) {
        check_pair(apart_solid_surface(a.mesh), &a, apart_solid_surface(b.mesh), &b, 1);
        check_pair(apart_solid_mesh(a.mesh), &a, apart_solid_surface(b.mesh), &b, 0);
        check_pair(apart_solid_mesh(a.mesh), &a, apart_solid_mesh(b.mesh), &b, 0);
    }
    apart_mesh_free(a.mesh);
    apart_mesh_free(b.mesh);
    return 0;
}
