/* Immutable blocks of memory: a header, then arrays that are reached by their offsets from its start. They can be
 * copied and mapped. */
#ifndef AP_BASE_BLOCK_H
#define AP_BASE_BLOCK_H

#include <stdint.h>

#include "compiler.h"

/* The array at this offset of a block. */
static inline const void *ap_at(const void *block, uint64_t offset) { return (const char *)block + offset; }

#endif
