/* The supports of the shapes that queries meet most (point, segment, box, hull), inlined into the query code; the
 * others by call. Accuracy: as for point sets (point_set.c); a box is exact. */
#ifndef AP_SHAPE_SUPPORT_LANES_H
#define AP_SHAPE_SUPPORT_LANES_H

#include "support.h"

/* scale * (the i-th given point - centre) of a point, segment or triangle. */
AP_INLINE ap_lanes ap_corner_lanes(const apart_shape *shape, double scale, uint32_t i)
{
    ap_count_mul(3);
    return ap_lanes_scale(scale, ap_lanes_sub(ap_lanes_load(&shape->u.point[i]), ap_lanes_load(&shape->center)));
}

AP_INLINE ap_lanes ap_support_segment_lanes(const apart_shape *shape, double scale, ap_lanes d, uint32_t *vertex)
{
    const ap_lanes p = ap_corner_lanes(shape, scale, 0), q = ap_corner_lanes(shape, scale, 1);
    *vertex = ap_lanes_dot(q, d) > ap_lanes_dot(p, d) ? 1u : 0u;
    return *vertex == 1u ? q : p;
}

/* Corners are numbered by their signs: bit k of the number set means + on axis k. planar: the shape is 2D. */
AP_INLINE ap_lanes ap_box_corner_lanes(const apart_shape *shape, bool planar, double scale, uint32_t vertex)
{
    static const double sign[8][4] = {{-1, -1, -1, 0}, {1, -1, -1, 0}, {-1, 1, -1, 0}, {1, 1, -1, 0},
                                      {-1, -1, 1, 0},  {1, -1, 1, 0},  {-1, 1, 1, 0},  {1, 1, 1, 0}};
    ap_count_mul(3);
    const uint32_t signs = planar ? vertex | 4u : vertex; /* the sign of a zero: the same bits as the support's */
    return ap_lanes_mul(ap_lanes_scale(scale, ap_lanes_load(&shape->u.half_extents)), ap_lanes_load(sign[signs & 7u]));
}

/* Adding zero turns -0 into +0, so the sign bit alone says d >= 0: no branch to mispredict. */
AP_INLINE ap_lanes ap_support_box_lanes(const apart_shape *shape, bool planar, double scale, ap_lanes d,
                                        uint32_t *vertex)
{
    const ap_lanes toward = ap_lanes_add(d, ap_lanes_all(0.0));
    ap_count_mul(3);
    *vertex = ~ap_mask_bits(ap_mask_of_lanes(toward)) & (planar ? 3u : 7u);
    return ap_lanes_with_sign(ap_lanes_scale(scale, ap_lanes_load(&shape->u.half_extents)), toward);
}

/* ap_vertex (support.h) in lanes. kind: the shape's if it is known, else APART_SHAPE_NONE. The lane behind a hull's
 * vertex is the caller's number of it. */
AP_INLINE ap_lanes ap_vertex_lanes(const apart_shape *shape, int kind, double scale, uint32_t vertex)
{
    switch (kind != APART_SHAPE_NONE ? kind : shape->kind) {
    case APART_SHAPE_BOX: return ap_box_corner_lanes(shape, kind == APART_SHAPE_NONE && shape->dim == 2, scale, vertex);
    case APART_SHAPE_HULL:
        ap_count_mul(3);
        return ap_lanes_scale(scale,
                              ap_lanes_load((const ap_hull_corner *)ap_at(shape->u.hull, shape->u.hull->corners) +
                                            vertex));
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_POINT:
    case APART_SHAPE_TRIANGLE: return ap_corner_lanes(shape, scale, vertex);
    default: return ap_lanes_from(ap_vertex_rare(shape, scale, vertex));
    }
}

/* ap_support (support.h) in lanes. default_search: search as by default and count nothing, whatever the context
 * says. */
AP_INLINE ap_lanes ap_support_lanes(const apart_shape *shape, int kind, double scale, bool default_search,
                                    ap_support_context *context, ap_lanes d, uint32_t *vertex)
{
    ap_search_count *count = default_search ? NULL : &context->count;
    switch (kind != APART_SHAPE_NONE ? kind : shape->kind) {
    case APART_SHAPE_BOX:
        return ap_support_box_lanes(shape, kind == APART_SHAPE_NONE && shape->dim == 2, scale, d, vertex);
    case APART_SHAPE_HULL: {
        const int search = default_search ? APART_SUPPORT_AUTO : context->search;
        *vertex = AP_HULL_SEARCH(shape->u.hull, search, *vertex, ap_lanes_vec(d), count);
        return ap_vertex_lanes(shape, APART_SHAPE_HULL, scale, *vertex);
    }
    case APART_SHAPE_SEGMENT:
        if (count != NULL) {
            count->visited += 2;
        }
        return ap_support_segment_lanes(shape, scale, d, vertex);
    case APART_SHAPE_POINT: *vertex = 0; return ap_corner_lanes(shape, scale, 0);
    default: return ap_lanes_from(ap_support_rare(shape, context, ap_lanes_vec(d), vertex));
    }
}

#endif
