/* From points or a finished surface to one relocatable block (see block.h). */
#ifndef AP_HULL_ASSEMBLE_H
#define AP_HULL_ASSEMBLE_H

#include "block.h"
#include "surface.h"

/* Marks points that are probably vertices: candidate[i] = 1. Points are distinct, centred, of the size of 1, and span three dimensions. */
typedef void ap_hull_propose(const apart_vec3 *points, uint32_t count, uint8_t *candidate);

/* The hull of n points (use[i] != 0; NULL: all), with the caller's coordinates unchanged in it. propose may be NULL.
 * APART_ERR_EMPTY, APART_ERR_NONFINITE, APART_ERR_SIZE, APART_ERR_OVERFLOW, APART_ERR_MEMORY. */
apart_status ap_hull_assemble_points(const double *xyz, size_t n, const uint8_t *use, ap_hull_propose *propose,
                                     const apart_allocator *allocator, apart_hull **out);

/* The block of a surface over the caller's points. */
apart_status ap_hull_assemble(const ap_surface *surface, const double *xyz, apart_hull **out);

/* Memory for a hull of `size` bytes, 64-byte aligned, all zero, with the allocator's record in front; NULL without memory. */
apart_hull *ap_hull_allocate(const apart_allocator *allocator, size_t size);

#endif
