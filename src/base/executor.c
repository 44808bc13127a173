/* The caller's threads are not trusted: a call takes the next part that is left, whatever number it was given, so no part
 * runs twice, and the parts that are done are counted. */
#include "executor.h"

#include "atomic.h"

typedef struct shared_loop {
    size_t count, grain, parts;
    ap_parallel_fn *fn;
    void *context;
    AP_ATOMIC(size_t) next;
    AP_ATOMIC(size_t) done;
} shared_loop;

/* The place of the next part. Plain arithmetic where the compiler has no atomics: there one thread must run all calls. */
static size_t take_part(shared_loop *loop)
{
#if AP_HAVE_ATOMICS
    return atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
#else
    return loop->next++;
#endif
}

static void note_done(shared_loop *loop)
{
#if AP_HAVE_ATOMICS
    atomic_fetch_add_explicit(&loop->done, 1, memory_order_release);
#else
    loop->done++;
#endif
}

static size_t count_done(shared_loop *loop)
{
#if AP_HAVE_ATOMICS
    return atomic_load_explicit(&loop->done, memory_order_acquire);
#else
    return loop->done;
#endif
}

static void run_next_part(void *context, size_t number)
{
    shared_loop *loop = context;
    const size_t part = take_part(loop);
    (void)number;
    if (part >= loop->parts) {
        return;
    }
    const size_t first = part * loop->grain, rest = loop->count - first;
    loop->fn(loop->context, first, rest < loop->grain ? loop->count : first + loop->grain);
    note_done(loop);
}

apart_status ap_executor_for(const apart_executor *executor, unsigned threads, size_t count, size_t grain,
                             ap_parallel_fn *fn, void *context)
{
    const size_t parts = (count + grain - 1) / grain;
    if (executor == NULL || executor->run == NULL || parts <= 1) {
        ap_parallel_for(threads, count, grain, fn, context);
        return APART_OK;
    }
    shared_loop loop = {.count = count, .grain = grain, .parts = parts, .fn = fn, .context = context};
    ap_atomic_store(&loop.next, 0);
    ap_atomic_store(&loop.done, 0);
    executor->run(executor->user, parts, run_next_part, &loop);
    return count_done(&loop) == parts ? APART_OK : APART_ERR_EXECUTOR;
}
