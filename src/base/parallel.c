/* The one place that starts threads: OpenMP, where the compiler has it.
 *
 * ThreadSanitizer does not see the locks inside the OpenMP run-time libraries, so the test for races replaces this file
 * by a plain one with POSIX threads (tests/parallel_posix.c): the loops that are shared out are the same. */
#include "compiler.h"
#include "parallel.h"

void ap_parallel_for(unsigned threads, size_t count, size_t grain, ap_parallel_fn *fn, void *context)
{
    const size_t parts = (count + grain - 1) / grain;
    if (threads <= 1 || parts <= 1) {
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
