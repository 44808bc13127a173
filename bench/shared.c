/* What the benchmark and the instruction counter share. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

volatile double bench_sink;

void *bench_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    return memory;
}
