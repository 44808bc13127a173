/* The fixed queries whose results must have the same bits everywhere; test_golden.c compares their hash natively,
 * test_wasm.mjs in node. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

/* The hash over all results; with motions, times of impact, rays and batches of boxes follow. Ends the program when a
 * query fails. */
uint64_t golden_hash(bool motions);

#endif
