/* A hash over times of impact, smallest gaps and rays, for test_golden: same bits everywhere. The value is compared
 * between builds, not pinned: it follows that of the distance queries. */
#ifndef TESTS_GOLDEN_MOTION_H
#define TESTS_GOLDEN_MOTION_H

#include "pairs.h"

uint64_t golden_motions(uint64_t hash, const hull_pool *pool);

#endif
