/* The supports of the shapes that queries meet most (point, segment, box, hull), inlined into the query code; the others by call.
 * Accuracy: as for point sets (point_set.c); a box is exact. */
#ifndef AP_SHAPE_SUPPORT_LANES_H
#define AP_SHAPE_SUPPORT_LANES_H

#include "support.h"

/* scale * (the i-th given point - centre) of a point, segment or triangle. */
AP_INLINE ap_lanes ap_corner_lanes(const apart_shape *shape, double scale, uint32_t i)
{
    ap_count_mul(3);
    return ap_lanes_all(scale) * (ap_lanes_load(&shape->u.point[i]) - ap_lanes_load(&shape->center));
}

AP_INLINE ap_lanes ap_support_segment_lanes(const apart_shape *shape, double scale, ap_search_count *count, ap_lanes d, uint32_t *vertex)
{
    const ap_lanes p = ap_corner_lanes(shape, scale, 0), q = ap_corner_lanes(shape, scale, 1);
    ap_search_add(count, 2, 0);
    *vertex = ap_lanes_dot(q, d) > ap_lanes_dot(p, d) ? 1u : 0u;
    return *vertex == 1u ? q : p;
}

/* Corners are numbered by their signs: bit k of the number set means + on axis k. planar: the shape is 2D. */
AP_INLINE ap_lanes ap_box_corner_lanes(const apart_shape *shape, bool planar, double scale, uint32_t vertex)
{
    static const double sign[8][4] = {{-1, -1, -1, 0}, {1, -1, -1, 0}, {-1, 1, -1, 0}, {1, 1, -1, 0},
                                      {-1, -1, 1, 0},  {1, -1, 1, 0},  {-1, 1, 1, 0},  {1, 1, 1, 0}};
    ap_count_mul(3);
    const uint32_t signs = planar ? vertex | 4u : vertex; /* of zero: the same bits as the support's */
    return (ap_lanes_all(scale) * ap_lanes_load(&shape->u.half_extents)) * ap_lanes_load(sign[signs & 7u]);
}

/* Adding zero turns -0 into +0, so the sign bit alone says d >= 0: no branch to mispredict. */
AP_INLINE ap_lanes ap_support_box_lanes(const apart_shape *shape, bool planar, double scale, ap_lanes d, uint32_t *vertex)
{
    const ap_lanes toward = d + ap_lanes_all(0.0);
    ap_count_mul(3);
    *vertex = ~ap_mask_bits((ap_mask)toward) & (planar ? 3u : 7u);
    return ap_lanes_with_sign(ap_lanes_all(scale) * ap_lanes_load(&shape->u.half_extents), toward);
}

/* The lane behind the point is the caller's number. */
AP_INLINE ap_lanes ap_hull_vertex_lanes(const apart_shape *shape, double scale, uint32_t vertex)
{
    ap_count_mul(3);
    return ap_lanes_all(scale) * ap_lanes_load(&ap_hull_corners(shape->u.hull)[vertex]);
}

AP_INLINE ap_lanes ap_support_hull_lanes(const apart_shape *shape, double scale, int search, ap_search_count *count, ap_lanes d,
                                         uint32_t *vertex)
{
    *vertex = ap_hull_search(shape->u.hull, search, *vertex, ap_lanes_vec(d), count);
    return ap_hull_vertex_lanes(shape, scale, *vertex);
}

/* What the compiler knows of a query. Constant wherever these functions are inlined. */
typedef struct ap_known {
    int kind_a, kind_b; /* of the shapes; APART_SHAPE_NONE: any */
    bool plain;         /* searches are as by default and not counted */
    bool yes_no;        /* only yes or no is asked */
    int laid;           /* hulls have at most so many vertices, which are laid out beforehand; 0: any number, searched */
    bool careful;       /* bodies of known kinds may be rounded, far from their own origins, or turned by matrices in single precision */
} ap_known;

/* Bodies of known kinds live in space. */
AP_INLINE int ap_known_dim(ap_known known, int dim) { return known.kind_a != APART_SHAPE_NONE || known.kind_b != APART_SHAPE_NONE ? 3 : dim; }

AP_INLINE bool ap_is_polytope(int kind) { return kind == APART_SHAPE_BOX || kind == APART_SHAPE_HULL || kind == APART_SHAPE_SEGMENT; }

AP_INLINE bool ap_known_polytopes(ap_known known) { return ap_is_polytope(known.kind_a) && ap_is_polytope(known.kind_b); }

AP_INLINE bool ap_known_boxes(ap_known known) { return known.kind_a == APART_SHAPE_BOX && known.kind_b == APART_SHAPE_BOX; }

/* No support is searched for along edges, or guessed. */
AP_INLINE bool ap_known_scanned(ap_known known) { return ap_known_boxes(known) || known.laid > 0; }

/* Bodies of known kinds with vertices are of ordinary size, and computed with as they are. */
AP_INLINE double ap_known_scale(ap_known known, double scale) { return ap_known_polytopes(known) ? 1.0 : scale; }

#define AP_NOTHING_KNOWN ((ap_known){APART_SHAPE_NONE, APART_SHAPE_NONE, false, false, 0, false})

/* ap_support (support.h) in lanes. kind: the shape's if it is known. */
AP_INLINE ap_lanes ap_support_lanes(const apart_shape *shape, int kind, ap_known known, ap_support_context *context, ap_lanes d, uint32_t *vertex)
{
    const double scale = ap_known_scale(known, context->scale);
    switch (kind != APART_SHAPE_NONE ? kind : shape->kind) {
    case APART_SHAPE_BOX:
        return ap_support_box_lanes(shape, kind == APART_SHAPE_NONE && shape->dim == 2, scale, d, vertex);
    case APART_SHAPE_HULL:
        return ap_support_hull_lanes(shape, scale, known.plain ? APART_SUPPORT_AUTO : context->search,
                                                   known.plain ? NULL : &context->count, d, vertex);
    case APART_SHAPE_SEGMENT:
        return ap_support_segment_lanes(shape, scale, known.plain ? NULL : &context->count, d, vertex);
    case APART_SHAPE_POINT:
        *vertex = 0;
        return ap_corner_lanes(shape, context->scale, 0);
    default:
        return ap_lanes_from(ap_support_rare(shape, context, ap_lanes_vec(d), vertex));
    }
}

/* ap_vertex (support.h) in lanes. */
AP_INLINE ap_lanes ap_vertex_lanes(const apart_shape *shape, int kind, double scale, uint32_t vertex)
{
    switch (kind != APART_SHAPE_NONE ? kind : shape->kind) {
    case APART_SHAPE_BOX:
        return ap_box_corner_lanes(shape, kind == APART_SHAPE_NONE && shape->dim == 2, scale, vertex);
    case APART_SHAPE_HULL:
        return ap_hull_vertex_lanes(shape, scale, vertex);
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_POINT:
    case APART_SHAPE_TRIANGLE:
        return ap_corner_lanes(shape, scale, vertex);
    default:
        return ap_lanes_from(ap_vertex_rare(shape, scale, vertex));
    }
}

#endif
