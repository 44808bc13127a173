/* Support mappings of all shapes (Lindemann 2009 sections 3.3 and 3.4, items L1 and L3), for the query code.
 *
 * Everything here works on the *core* of a shape (its rounding radius left out), relative to shape->center, multiplied
 * by `scale`, a power of two that brings the pair to unit size: sizes are scaled before any product or square is taken,
 * so 1e-150 and 1e+120 work like 1. Directions may have any length as long as their squares neither over- nor
 * underflow.
 *
 * A computed support is within 6 eps * bound + shape->error of the body and of its support plane; a hull that is
 * climbed, not scanned, may miss the plane by its climb_loss as well (inside a composite that is part of the
 * composite's error). */
#ifndef AP_SHAPE_SUPPORT_H
#define AP_SHAPE_SUPPORT_H

#include <apart/distance.h>

#include "../hull/search.h"

/* How a query wants its supports searched, and what it counts. */
typedef struct ap_support_context {
    double scale;
    int search;            /* apart_support_search */
    ap_search_count count; /* added to */
} ap_support_context;

/* scale * (farthest point of the core in direction d - center). *vertex: in, the vertex to start from or APART_NO_INDEX
 * (any other number is taken for it); out, the vertex found, or APART_NO_INDEX for a curved or callback core. Never NaN
 * for finite input with |d| > 0, unless a callback returns one; a zero d gives some point of the core. */
apart_vec3 ap_support(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex);

/* The same for the shapes that support_lanes.h does not inline. */
apart_vec3 ap_support_rare(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex);

/* The farthest point of the whole body in direction d, less its centre: a body far from its own origin loses nothing.
 * Fails with the statuses of apart_support. */
apart_status ap_support_from_center(const apart_shape *shape, apart_vec3 d, apart_vec3 *out);

/* How many vertices the core has (0: curved, callback, or more than 2^32 - 2). Vertices are numbered 0 .. count-1:
 * segment and triangle in the given order; box: bit k of the number set means + on axis k; points: the caller's order;
 * hull: its own; affine image: the child's; sum: i * count(second) + j; hull of two: i, or count(first) + j. */
uint32_t ap_vertex_count(const apart_shape *shape);

/* scale * (vertex - center), bit for bit what ap_support returns for this vertex. */
apart_vec3 ap_vertex(const apart_shape *shape, double scale, uint32_t vertex);

/* The same for the shapes that support_lanes.h does not inline. */
apart_vec3 ap_vertex_rare(const apart_shape *shape, double scale, uint32_t vertex);

/* The caller's number of a vertex: a hull's input index; the same formulas as in ap_vertex_count for composites, where
 * they stay unambiguous (second of a sum and first of a hull of two without hulls); else the vertex. APART_NO_INDEX if
 * there is no such vertex. */
uint32_t ap_input_index(const apart_shape *shape, uint32_t vertex);

#endif
