/* Seeded pairs of moving bodies for the tests of motion: translation, tumbling, fast spin, screws, grazing, sliding,
 * thin plates, half-spaces, the plane, starts in contact, extreme scales and offsets. Only public headers are used. */
#ifndef TESTS_MOVING_PAIRS_H
#define TESTS_MOVING_PAIRS_H

#include <apart/apart.h>

#include "pairs.h"

typedef enum moving_family {
    MOVING_TRANSLATION,
    MOVING_TUMBLE,
    MOVING_SPIN,    /* up to 25 turns */
    MOVING_BETWEEN, /* start and end pose */
    MOVING_SCREW,
    MOVING_GRAZE, /* translation, closest approach near 0 */
    MOVING_GRAZE_TURNING,
    MOVING_SLIDE, /* parallel faces */
    MOVING_HALF_SPACE,
    MOVING_PLANAR, /* 2D */
    MOVING_PLATE,  /* a bullet and a thin plate */
    MOVING_START,  /* in contact or in overlap */
    MOVING_FAMILIES
} moving_family;

extern const char *const moving_family_name[MOVING_FAMILIES];

/* One pair. Shapes may point into it: do not copy it. */
typedef struct moving_pair {
    apart_shape a, b, child[4];
    apart_motion motion_a, motion_b;
    double points[2][3 * PAIR_POINTS_MAX];
    double tolerance; /* 0: the default */
    double scale;     /* sizes are about this */
    moving_family family;
} moving_pair;

/* Everything but the closest approach of grazing pairs: moving_graze does that. */
void moving_generate(moving_pair *pair, random_source *r, const hull_pool *pool);

/* For a grazing pair: B is shifted along its normal at the closest approach, found by the caller with gap `smallest`,
 * so that the gap there is about 0. */
void moving_graze(moving_pair *pair, random_source *r, apart_vec3 normal_a_to_b, double smallest);

/* The exact path by other code (quaternions and libm in long double), rounded once; in a frame that moves with A's
 * pivot, as in apart/motion.h. */
void moving_poses(const moving_pair *pair, double t, apart_pose *pose_a, apart_pose *pose_b);

/* What rounding of these poses is relative to. */
double moving_magnitude(const moving_pair *pair);

#endif
