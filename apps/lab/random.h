/* Seeded numbers: SplitMix64 (Steele, Lea, Flood 2014). The same numbers everywhere, for the experiments
 * and the benchmarks. */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include <math.h>
#include <stdint.h>

#include <apart/math.h>

#define LAB_PI 3.14159265358979323846

typedef struct lab_random {
    uint64_t state;
} lab_random;

static inline uint64_t lab_random_bits(lab_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A stream of its own for every (seed, number), so that a scene is the same whichever others were drawn before it. */
static inline lab_random lab_random_stream(uint64_t seed, uint64_t number)
{
    lab_random r = {seed * UINT64_C(0xd1342543de82ef95) + number};
    r.state = lab_random_bits(&r);
    return r;
}

static inline double lab_random_between(lab_random *r, double low, double high)
{
    return low + (high - low) * ((double)(lab_random_bits(r) >> 11) * 0x1p-53);
}

/* In 0 .. count-1. */
static inline uint32_t lab_random_below(lab_random *r, uint32_t count)
{
    return (uint32_t)(((lab_random_bits(r) >> 32) * count) >> 32);
}

/* Uniform on the unit sphere. */
static inline apart_vec3 lab_random_direction(lab_random *r)
{
    for (;;) {
        const double x = lab_random_between(r, -1, 1), y = lab_random_between(r, -1, 1),
                     z = lab_random_between(r, -1, 1);
        const double square = x * x + y * y + z * z;
        if (square <= 1.0 && square > 0.01) {
            const double scale = 1.0 / sqrt(square);
            return (apart_vec3){x * scale, y * scale, z * scale};
        }
    }
}

/* A uniformly distributed rotation, at `translation`. */
static inline apart_pose lab_random_pose(lab_random *r, apart_vec3 translation)
{
    double q[4], square;
    do {
        square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = lab_random_between(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1.0 || square < 0.01);
    apart_pose pose;
    apart_pose_from_quat_wxyz(q[0], q[1], q[2], q[3], translation, &pose);
    return pose;
}

#endif
