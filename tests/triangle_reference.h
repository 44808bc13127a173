/* The distance of two sets of triangles by brute force over all pairs, in long double arithmetic, for tests only.
 * Shares nothing with the library. */
#ifndef TESTS_TRIANGLE_REFERENCE_H
#define TESTS_TRIANGLE_REFERENCE_H

#include <apart/math.h>

/* Triangles with indices into vertices, moved by the pose exactly as it is (NULL: not moved). */
typedef struct reference_mesh {
    const apart_vec3 *vertices;
    size_t vertex_count;
    const uint32_t (*triangles)[3];
    size_t triangle_count;
    const apart_pose *pose;
} reference_mesh;

typedef struct reference_answer {
    long double distance; /* of the surfaces; 0 if they meet */
    long double a[3], b[3];
    uint32_t triangle_a, triangle_b;
    int meets; /* an edge of one passes through a triangle of the other */
} reference_answer;

/* Pairs of triangles, and of groups of them, whose bounding spheres are farther apart than the best pair so far are
 * passed over, no others; the search ends where they meet. A common offset of the bodies is taken away with twice the digits of a double; with 64 bits of
 * mantissa the distance is within about 1e-17 of the size of the bodies and of their distance. Aborts when memory is
 * short. */
void reference_distance(const reference_mesh *a, const reference_mesh *b, reference_answer *out);

/* The same for two triangles, nine coordinates each. */
void reference_triangles(const long double a[3][3], const long double b[3][3], reference_answer *out);

#endif
