/* Spheres, capsules and boxes whose distance has a closed form. */
#ifndef AP_KERNELS_CLOSED_FORM_H
#define AP_KERNELS_CLOSED_FORM_H

#include "../pair/query.h"
#include "../shape/family.h"

/* Is it a valid 3D shape of this kind? One comparison decides. */
AP_INLINE bool ap_is_leaf(const apart_shape *shape, uint8_t kind) { return ap_shape_is(shape, kind, 0); }

/* Is it a capsule or a sphere? A sphere is a capsule of length 0. */
AP_INLINE bool ap_is_capsule(const apart_shape *shape)
{
    return ap_is_leaf(shape, APART_SHAPE_SEGMENT) || ap_is_leaf(shape, APART_SHAPE_POINT);
}

/* Default queries of shapes that ap_is_leaf and ap_is_capsule have accepted. Their arguments fit into the six argument
 * registers: with an ap_query in memory, a sphere and a box take 7 % more instructions. */
typedef apart_status ap_closed_form_fn(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                       const apart_pose *pose_b, apart_result *result, apart_cache *cache);
ap_closed_form_fn ap_distance_of_sphere_and_box;
ap_closed_form_fn ap_distance_of_box_and_sphere;
ap_closed_form_fn ap_distance_of_capsules;

/* The general forms: any rotation, segment and tolerance. */
ap_query_fn ap_distance_of_segments;
ap_query_fn ap_distance_of_point_and_box;
ap_query_fn ap_distance_of_box_and_point;

/* Answer the queries whose closed form does not close the gap between the bounds (query/distance.c). */
ap_query_fn ap_distance_by_kind;
ap_query_fn ap_distance_of_vertices;

#endif
