/* Memory of large arrays: on Linux in huge pages, because giving out small ones took longer than filling them. */
#ifdef __linux__
#define _DEFAULT_SOURCE
#endif
#include "apy.h"

#include <stdlib.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

void *apy_allocate(size_t count, size_t size)
{
    const size_t page = (size_t)1 << 21, bytes = (count + 1) * size; /* counts are those of arrays that exist */
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * page) {
        void *memory = aligned_alloc(page, (bytes + page - 1) / page * page);
        if (memory != NULL) {
            (void)madvise(memory, (bytes + page - 1) / page * page, MADV_HUGEPAGE); /* a wish; without it all works */
        }
        return memory;
    }
#endif
    (void)page;
    return malloc(bytes);
}
