/* The pairs of a batch, their random poses and motions, and what must hold for every answer: for the tests of batches
 * whose pairs are answered four at a time, in SIMD lanes. */
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

/* The arguments of the programs: test_batch_... [SEED [ROUNDS]]. */
extern uint64_t test_seed;
extern unsigned test_rounds;
void read_arguments(int argc, char **argv);

/* One batch at a time. */
extern batch_pair pairs[BATCH_PAIRS];
extern apart_cache caches[BATCH_PAIRS];
extern apart_result results[BATCH_PAIRS];
extern apart_status statuses[BATCH_PAIRS];

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

/* Asks for pair i alone: the bounds of both answers overlap, the relation is the same but for rounding, and the weights
 * are convex. Returns the single call's answer. */
apart_result compare_with_alone(int i, const apart_result *r);

/* The verdict of apart_verify, which must not be a refutation. */
apart_verdict verify_pair(int i);

/* The bounds of the first pairs hold in rational arithmetic; rounded bodies are left out. Returns how many are
 * disjoint. */
unsigned check_exactly(int most);

/* Spoils four poses of five, and asks again: every pair gets the status of a single call, and a result is not touched
 * by an error. */
void check_bad_poses(random_source *r);

/* The same bits at every level of the CPU, over steps of tracked motion from empty caches. */
void compare_levels(random_source *r, int steps);

#endif
