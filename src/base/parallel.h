/* A loop on several threads. Which thread runs which part is open, so a part may write only what no other part reads or
 * writes; then the result is the same for any number of threads. */
#ifndef AP_BASE_PARALLEL_H
#define AP_BASE_PARALLEL_H

#include <stddef.h>

/* Handles the items first .. end - 1. */
typedef void ap_parallel_fn(void *context, size_t first, size_t end);

/* Calls fn for parts of at most `grain` items that cover 0 .. count - 1. threads 0 or 1: in order, in the caller's
 * thread. */
void ap_parallel_for(unsigned threads, size_t count, size_t grain, ap_parallel_fn *fn, void *context);

#endif
