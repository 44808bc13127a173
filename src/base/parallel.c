/* The one place that starts threads: OpenMP, where the compiler has it.
 *
 * A child of fork() has none of its parent's threads, but libgomp's list of them: its next parallel region waits for them
 * for ever. So a child of a process that has used threads here works on one, with the same answers.
 *
 * ThreadSanitizer does not see the locks inside the OpenMP run-time libraries, so the test for races replaces this file
 * by a plain one with POSIX threads (tests/parallel_posix.c): the loops that are shared out are the same. */
#include "compiler.h"
#include "parallel.h"

#include <stdbool.h>

#include "atomic.h"

#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
#include <unistd.h>

/* May this process start threads? The first one that asks, and not its children. */
static bool may_start_threads(void)
{
    static AP_ATOMIC(long) owner;
    const long self = (long)getpid();
    long first = 0;
    while (first == 0) {
        if (ap_atomic_exchange_known(&owner, &first, self)) {
            return true;
        }
    }
    return first == self;
}
#else
static bool may_start_threads(void) { return true; }
#endif

void ap_parallel_for(unsigned threads, size_t count, size_t grain, ap_parallel_fn *fn, void *context)
{
    const size_t parts = (count + grain - 1) / grain;
    if (threads <= 1 || parts <= 1 || !may_start_threads()) {
        if (count > 0) {
            fn(context, 0, count);
        }
        return;
    }
#if defined(_OPENMP) && AP_HAVE_ATOMICS
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 1)
#endif
    for (size_t part = 0; part < parts; part++) {
        const size_t first = part * grain, end = count - first < grain ? count : first + grain;
        fn(context, first, end);
    }
}
