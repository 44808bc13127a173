/* A loop on the caller's own threads (apart_executor), or on the library's. */
#ifndef AP_BASE_EXECUTOR_H
#define AP_BASE_EXECUTOR_H

#include <apart/base.h>
#include <stdbool.h>

#include "parallel.h"

/* As ap_parallel_for; `threads` does not count where the caller gives an executor. APART_ERR_EXECUTOR: that executor
 * left parts out or returned before they were done. No part runs twice, whatever numbers the executor passes. */
apart_status ap_executor_for(const apart_executor *executor, unsigned threads, size_t count, size_t grain,
                             ap_parallel_fn *fn, void *context);

#endif
