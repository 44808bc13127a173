/* Seeded numbers: SplitMix64 (Steele, Lea, Flood 2014). Same numbers everywhere. */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

#include <apart/math.h>

typedef struct bench_random {
    uint64_t state;
} bench_random;

static inline uint64_t random_bits(bench_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double random_between(bench_random *r, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(r) >> 11) * 0x1p-53);
}

static inline uint32_t random_below(bench_random *r, uint32_t count)
{
    return (uint32_t)(((random_bits(r) >> 32) * count) >> 32);
}

/* Uniform on the unit sphere. */
static inline apart_vec3 random_direction(bench_random *r)
{
    for (;;) {
        const apart_vec3 p = {random_between(r, -1, 1), random_between(r, -1, 1), random_between(r, -1, 1)};
        const double square = p.x * p.x + p.y * p.y + p.z * p.z;
        if (square <= 1.0 && square > 0.01) {
            const double scale = 1.0 / sqrt(square);
            return (apart_vec3){p.x * scale, p.y * scale, p.z * scale};
        }
    }
}

/* A uniformly distributed rotation, at `translation`. */
static inline apart_pose random_pose(bench_random *r, apart_vec3 translation)
{
    double q[4], square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1.0 || square < 0.01);
    apart_pose pose;
    apart_pose_from_quat_wxyz(q[0], q[1], q[2], q[3], translation, &pose);
    return pose;
}

#endif
