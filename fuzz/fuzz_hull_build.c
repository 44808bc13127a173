/* Any points as a hull, and any faces. */
#include <float.h>

#include "fuzz.h"

enum { MOST_POINTS = 48, MOST_FACES = 24 };

static double dot(apart_vec3 d, const double *p)
{
    return d.x * p[0] + d.y * p[1] + d.z * p[2];
}

/* The hull must reach as far in a direction as the points do. */
static void check_support(const apart_hull *hull, const double *xyz, size_t n, apart_vec3 direction, double size)
{
    const apart_shape shape = apart_hull_shape(hull);
    apart_vec3 s;
    check(apart_support(&shape, direction, &s) == APART_OK, "a hull has a support");
    double farthest = -INFINITY;
    for (size_t i = 0; i < n; i++)
        farthest = dot(direction, xyz + 3 * i) > farthest ? dot(direction, xyz + 3 * i) : farthest;
    const double reached = dot(direction, (const double[3]){s.x, s.y, s.z});
    check(farthest - reached <= 64 * DBL_EPSILON * size, "the hull reaches as far as its points");
}

/* Topology, and that the block survives a copy. */
static void check_hull(const apart_hull *hull, const double *xyz, size_t n)
{
    const uint32_t vertices = apart_hull_vertex_count(hull), edges = apart_hull_edge_count(hull), faces = apart_hull_face_count(hull);
    check(vertices >= 1 && vertices <= n, "vertices come from points");
    for (uint32_t i = 0; i < vertices; i++) {
        const apart_vec3 v = apart_hull_vertex(hull, i);
        const uint32_t input = apart_hull_input_index(hull, i);
        check(input < n, "the input index is in range");
        const double *p = xyz + 3 * (size_t)input;
        check(v.x == p[0] && v.y == p[1] && v.z == p[2], "a vertex is the point it came from");
    }
    if (apart_hull_dimension(hull) == 3)
        check(vertices + faces == edges + 2, "Euler's formula");
    const size_t size = apart_hull_size(hull);
    void *copy = malloc(size);
    const apart_hull *view;
    check(copy != NULL, "there is memory");
    memcpy(copy, hull, size);
    check(apart_hull_view(copy, size, &view) == APART_OK, "a copy of a hull is a hull");
    free(copy);
}

static void check_points(bytes *in, double *xyz, size_t n)
{
    apart_hull *hull = NULL;
    double size = 0;
    for (size_t i = 0; i < 3 * n; i++)
        size = fabs(xyz[i]) > size ? fabs(xyz[i]) : size;
    const apart_status status = apart_hull_build(xyz, n, NULL, &hull);
    if (status != APART_OK) {
        check(hull == NULL, "no hull after an error");
        return;
    }
    check_hull(hull, xyz, n);
    for (int k = 0; k < 4 && size < 1e100 && size > 1e-100; k++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = (int8_t)take_byte(in) / 64.0;
        check_support(hull, xyz, n, (apart_vec3){d[0], d[1], d[2]}, 6 * size);
    }
    apart_hull_free(hull);
}

static void check_faces(bytes *in, const double *xyz, size_t n)
{
    uint32_t sizes[MOST_FACES], indices[4 * MOST_FACES];
    size_t used = 0;
    const size_t count = take_byte(in) % (MOST_FACES + 1);
    for (size_t f = 0; f < count; f++) {
        sizes[f] = take_byte(in) % 5;
        for (uint32_t k = 0; k < sizes[f]; k++)
            indices[used++] = take_byte(in);
    }
    apart_hull *hull = NULL;
    if (apart_hull_from_faces(xyz, n, sizes, count, indices, NULL, &hull) == APART_OK)
        check_hull(hull, xyz, n);
    apart_hull_free(hull);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    double xyz[3 * MOST_POINTS] = {0};
    const int faces = take_byte(&in) & 1;
    const size_t n = take_byte(&in) % (MOST_POINTS + 1);
    for (size_t i = 0; i < 3 * n; i++)
        xyz[i] = take_number(&in);
    if (faces)
        check_faces(&in, xyz, n);
    else
        check_points(&in, xyz, n);
    return 0;
}
