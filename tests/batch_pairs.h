/* The pairs of a batch, how they lie and move, and what is asked of every answer: for the tests of batches that go through lanes. */
#ifndef APART_TESTS_BATCH_PAIRS_H
#define APART_TESTS_BATCH_PAIRS_H

#include <apart/apart.h>
#include <stdbool.h>

#include "pairs.h"

enum { BATCH_PAIRS = 1000 };

typedef struct batch_pair {
    apart_shape a, b;
    apart_pose pose_a, pose_b;
} batch_pair;

/* One batch at a time. */
extern batch_pair pairs[BATCH_PAIRS];
extern apart_cache caches[BATCH_PAIRS];
extern apart_result results[BATCH_PAIRS];
extern apart_status statuses[BATCH_PAIRS];

apart_vec3 times(double s, apart_vec3 v);
apart_vec3 plus(apart_vec3 a, apart_vec3 b);
double length(apart_vec3 v);

/* Rotations of both bodies, the second any, the first's, or turned a little away from it. */
void turn_pair(batch_pair *p, random_source *r);

/* Half of the places are on a lattice, where bodies touch. */
apart_vec3 random_place(random_source *r);

/* Up to six degrees and a twentieth of the distance; one in eight stays where it is. */
void move_pairs(random_source *r);

/* All matrices in single precision. */
void round_rotations(void);

/* All pairs, with their caches or without. */
apart_batch whole_batch(bool cached);
void run_batch(bool cached);

/* The bodies' bounds and the distance of their centres. */
double magnitude(const batch_pair *p);

/* What rounding may do to an answer. */
double answer_slack(const batch_pair *p);

/* Asks pair i alone; both answers' bounds hold, so they meet, the relation is the same but for rounding, and the weights are weights.
 * Returns the single call's answer. */
apart_result compare_with_alone(int i, const apart_result *r);

/* The check's verdict, which is no refutation. */
apart_verdict verify_pair(int i);

#endif
