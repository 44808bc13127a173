/* Random numbers for tests: SplitMix64 (Steele, Lea, Flood 2014), the same sequence everywhere. Each test prints its
 * seed; APART_TEST_SEED=<number> in the environment replaces it. */
#ifndef APART_TESTS_RANDOM_H
#define APART_TESTS_RANDOM_H

#include <apart/math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A generator is its state, and every state is good: a seed needs no preparation. */
typedef uint64_t random_source;

/* `usual`, unless the environment gives another seed. */
static inline random_source random_seed_or(const char *test, uint64_t usual)
{
    const char *given = getenv("APART_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : usual;
    printf("%s: seed %" PRIu64 "\n", test, seed);
    return seed;
}

static inline random_source random_seed(const char *test) { return random_seed_or(test, 20240229u); }

static inline uint64_t random_bits(random_source *r)
{
    uint64_t x = *r += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* In [0, 1), with 53 bits. */
static inline double random_unit(random_source *r) { return (double)(random_bits(r) >> 11) * 0x1p-53; }

/* In [-1, 1). */
static inline double random_signed(random_source *r) { return 2.0 * random_unit(r) - 1.0; }

static inline double random_between(random_source *r, double low, double high)
{
    return low + (high - low) * random_unit(r);
}

/* In 0 .. count-1. */
static inline unsigned random_below(random_source *r, unsigned count) { return (unsigned)(random_bits(r) % count); }

/* Coordinates in [-size, size). */
static inline apart_vec3 random_vector(random_source *r, double size)
{
    const double x = random_signed(r), y = random_signed(r), z = random_signed(r);
    return (apart_vec3){size * x, size * y, size * z};
}

#endif
