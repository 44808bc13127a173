/* Random numbers for tests: splitmix64 (Steele, Lea, Flood 2014), the same sequence everywhere. Each test prints its seed;
 * APART_TEST_SEED=<number> in the environment replaces it. */
#ifndef APART_TESTS_RANDOM_H
#define APART_TESTS_RANDOM_H

#include <apart/math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t random_seed(const char *test)
{
    const char *given = getenv("APART_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20240229u;
    printf("%s: seed %" PRIu64 "\n", test, seed);
    return seed;
}

static inline uint64_t random_bits(uint64_t *seed)
{
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* In [0, 1). */
static inline double random_unit(uint64_t *seed) { return (double)(random_bits(seed) >> 11) * 0x1p-53; }

/* In [-1, 1). */
static inline double random_signed(uint64_t *seed) { return 2.0 * random_unit(seed) - 1.0; }

/* Coordinates in [-size, size). */
static inline apart_vec3 random_vector(uint64_t *seed, double size)
{
    const double x = random_signed(seed), y = random_signed(seed), z = random_signed(seed);
    return (apart_vec3){size * x, size * y, size * z};
}

#endif
