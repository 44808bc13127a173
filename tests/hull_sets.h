/* Point sets for the hull tests: regular bodies, random ones, lattices. Each returns how many points it wrote (x y z
 * each). */
#ifndef HULL_SETS_H
#define HULL_SETS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* xorshift64: the same numbers everywhere. */
static inline double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static inline void put(double *xyz, size_t i, double x, double y, double z)
{
    xyz[3 * i] = x;
    xyz[3 * i + 1] = y;
    xyz[3 * i + 2] = z;
}

static inline size_t cube_points(double *xyz)
{
    for (size_t i = 0; i < 8; i++) {
        put(xyz, i, i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    }
    return 8;
}

static inline size_t octahedron_points(double *xyz)
{
    for (size_t i = 0; i < 6; i++) {
        const double s = i % 2 == 0 ? 1.0 : -1.0;
        put(xyz, i, i / 2 == 0 ? s : 0.0, i / 2 == 1 ? s : 0.0, i / 2 == 2 ? s : 0.0);
    }
    return 6;
}

static inline size_t dodecahedron_points(double *xyz)
{
    const double g = 0.5 * (1.0 + sqrt(5.0)), r = 1.0 / g;
    size_t n = cube_points(xyz);
    for (size_t i = 0; i < 4; i++) {
        const double s = i & 1 ? 1.0 : -1.0, t = i & 2 ? 1.0 : -1.0;
        put(xyz, n++, 0.0, s * r, t * g);
        put(xyz, n++, s * r, t * g, 0.0);
        put(xyz, n++, s * g, 0.0, t * r);
    }
    return n;
}

static inline size_t prism_points(double *xyz, size_t sides)
{
    for (size_t i = 0; i < sides; i++) {
        const double a = 2.0 * acos(-1.0) * (double)i / (double)sides;
        put(xyz, 2 * i, cos(a), sin(a), -0.5);
        put(xyz, 2 * i + 1, cos(a), sin(a), 0.5);
    }
    return 2 * sides;
}

static inline size_t sphere_points(double *xyz, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n;) {
        const double x = uniform(seed), y = uniform(seed), z = uniform(seed), r = sqrt(x * x + y * y + z * z);
        if (r > 0.1 && r <= 1.0) {
            put(xyz, i++, x / r, y / r, z / r);
        }
    }
    return n;
}

static inline size_t ball_points(double *xyz, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        put(xyz, i, uniform(seed), uniform(seed), uniform(seed));
    }
    return n;
}

static inline size_t lattice_points(double *xyz, int side)
{
    size_t n = 0;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            for (int k = 0; k < side; k++) {
                put(xyz, n++, i, j, k);
            }
        }
    }
    return n;
}

/* x -> scale * (R x) + offset with a rotation of no special angle. */
static inline void move_points(double *xyz, size_t n, double scale, double offset)
{
    const double r[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    for (size_t i = 0; i < n; i++) {
        const double *p = xyz + 3 * i;
        const double x = p[0], y = p[1], z = p[2];
        for (size_t k = 0; k < 3; k++) {
            xyz[3 * i + k] = scale * (r[k][0] * x + r[k][1] * y + r[k][2] * z) + offset;
        }
    }
}

static inline void scale_points(double *xyz, size_t n, double x, double y, double z)
{
    for (size_t i = 0; i < n; i++) {
        put(xyz, i, x * xyz[3 * i], y * xyz[3 * i + 1], z * xyz[3 * i + 2]);
    }
}

#endif
