/* Support points of several faces' normals at once, for two hulls of few vertices. */
#ifndef AP_NARROW_DEPTH_PROBE_H
#define AP_NARROW_DEPTH_PROBE_H

#include "../simd/lanes.h"
#include "polytope.h"

/* Hulls up to this size are asked four directions at a time. */
#define AP_PROBE_VERTICES 16u

/* Two hulls at their poses. The scale is a power of two: it may as well be multiplied into the matrix. */
typedef struct ap_hull_frame {
    ap_lanes a[3], b[3]; /* scaled columns of both rotations */
    ap_lanes offset;
    const ap_hull_vertex *records_a, *records_b;
} ap_hull_frame;

/* A vector in lanes, its last component twice. */
AP_INLINE ap_lanes ap_lanes_twice(apart_vec3 v) { return (ap_lanes){v.x, v.y, v.z, v.z}; }

AP_INLINE ap_hull_frame ap_hull_frame_of(const ap_pair *pair)
{
    const apart_mat3 *a = pair->rotation_a, *b = pair->rotation_b;
    const apart_hull *hull_a = pair->a->u.hull, *hull_b = pair->b->u.hull;
    const ap_lanes s = ap_lanes_all(pair->scale);
    return (ap_hull_frame){.a = {s * ap_lanes_twice(a->x), s * ap_lanes_twice(a->y), s * ap_lanes_twice(a->z)},
                           .b = {s * ap_lanes_twice(b->x), s * ap_lanes_twice(b->y), s * ap_lanes_twice(b->z)},
                           .offset = ap_lanes_twice(pair->offset),
                           .records_a = ap_hull_records(hull_a),
                           .records_b = ap_hull_records(hull_b)};
}

/* The TCSO vertex of two vertex numbers: w of ap_pair_vertex with the coordinates in lanes. */
AP_INLINE ap_lanes ap_hull_frame_vertex(const ap_hull_frame *f, uint32_t index_a, uint32_t index_b)
{
    const double *a = f->records_a[index_a].point, *b = f->records_b[index_b].point;
    const ap_lanes at_a = (f->a[0] * ap_lanes_all(a[0]) + f->a[1] * ap_lanes_all(a[1])) + f->a[2] * ap_lanes_all(a[2]);
    const ap_lanes at_b = (f->b[0] * ap_lanes_all(b[0]) + f->b[1] * ap_lanes_all(b[1])) + f->b[2] * ap_lanes_all(b[2]);
    return (at_b + f->offset) - at_a;
}

/* Are both bodies hulls, and are they to be scanned? */
static inline bool ap_pair_has_few_vertices(const ap_pair *pair)
{
    return pair->a->kind == APART_SHAPE_HULL && pair->b->kind == APART_SHAPE_HULL && pair->count_a <= AP_PROBE_VERTICES &&
           pair->count_b <= AP_PROBE_VERTICES && (pair->context.search == APART_SUPPORT_AUTO || pair->context.search == APART_SUPPORT_SCAN);
}

/* The support point along a face's normal, for a pair of few vertices; asks for those of some faces beside it as well and keeps them
 * with the surface. Fills w and both numbers of `found`. */
void ap_probe_face(ap_pair *pair, const ap_hull_frame *frame, ap_polytope *p, int face, ap_simplex_vertex *found);

#endif
