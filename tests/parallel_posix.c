/* ap_parallel_for with POSIX threads, which ThreadSanitizer sees through, in place of src/base/parallel.c (OpenMP):
 * parts are handed out one by one, as there. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/parallel.h"

enum { MOST_THREADS = 64 };

typedef struct shared_loop {
    size_t count, grain;
    ap_parallel_fn *fn;
    void *context;
    atomic_size_t next;
} shared_loop;

static void *work(void *argument)
{
    shared_loop *loop = argument;
    for (;;) {
        const size_t first = loop->grain * atomic_fetch_add(&loop->next, 1);
        if (first >= loop->count) {
            return NULL;
        }
        loop->fn(loop->context, first, loop->count - first < loop->grain ? loop->count : first + loop->grain);
    }
}

void ap_parallel_for(unsigned threads, size_t count, size_t grain, ap_parallel_fn *fn, void *context)
{
    pthread_t started[MOST_THREADS];
    shared_loop loop = {.count = count, .grain = grain, .fn = fn, .context = context};
    unsigned others = threads > 1 ? threads - 1 : 0;
    others = others < MOST_THREADS ? others : MOST_THREADS;
    for (unsigned i = 0; i < others; i++) {
        if (pthread_create(&started[i], NULL, work, &loop) != 0) {
            abort();
        }
    }
    work(&loop);
    for (unsigned i = 0; i < others; i++) {
        pthread_join(started[i], NULL);
    }
}
