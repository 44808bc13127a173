/* What the tests of motions and of impacts share. */
#ifndef TEST_MOTION_CHECKS_H
#define TEST_MOTION_CHECKS_H

#include <apart/apart.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const apart_vec3 zero = {0.0, 0.0, 0.0};

static inline apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }

static inline uint64_t seed_of(const char *test)
{
    const char *given = getenv("APART_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 20240511u;
    printf("%s: seed %" PRIu64 "\n", test, seed);
    return seed;
}

#endif
