/* One side of a query with a mesh: a mesh, a compound or a shape as a tree of volumes in local floats (mesh/block.h), so
 * that one search serves all of them. A mesh has its tree in its block; nodes of compounds and the volume of a shape are
 * written to the caller's memory when they are asked for.
 *
 * An *item* is a node, or AP_MESH_LEAF plus a leaf of a mesh, a part of a compound, or 0 for a shape. */
#ifndef AP_FACETS_SIDE_H
#define AP_FACETS_SIDE_H

#include "../mesh/block.h"
#include "../parts/frame.h"
#include "../simd/floats.h"

typedef struct ap_facet_side {
    const apart_mesh *mesh; /* exactly one of the three is there */
    const apart_compound *compound;
    const apart_shape *shape;
    const apart_pose *pose;
    ap_part_side part;  /* of compounds and shapes, by parts/frame.h */
    apart_vec3 center;  /* origin of local coordinates, in the side's own frame */
    double local_scale; /* a power of two: local coordinates are (own - center) * local_scale */
    double radius;      /* no point is farther from the centre, in own units; INFINITY for half-spaces */
    double extent;      /* nor from the origin */
    float scale;        /* a power of two: query units in a local unit */
    ap_mesh_volume own; /* of a shape */
} ap_facet_side;

/* Everything but the scale. The solid is valid. */
void ap_facet_side_set(ap_facet_side *side, apart_solid solid, const apart_pose *pose);

/* side->part, with the body's origin in the query's frame; nothing for a mesh. */
AP_INLINE void ap_part_side_of(ap_facet_side *side, apart_solid solid, apart_vec3 origin)
{
    if (solid.mesh == NULL) {
        ap_side_set(&side->part, solid, side->pose, origin);
    }
}

/* Of compounds: nodes and volumes. */
void ap_facet_part_node(const ap_facet_side *side, uint32_t node, ap_mesh_node *out);
void ap_facet_part_volume(const ap_facet_side *side, uint32_t item, ap_mesh_volume *out);

/* A node, in the block or in *memory. */
AP_INLINE const ap_mesh_node *ap_facet_node(const ap_facet_side *side, uint32_t node, ap_mesh_node *memory)
{
    if (side->mesh != NULL) {
        return &ap_mesh_nodes(side->mesh)[node];
    }
    ap_facet_part_node(side, node, memory);
    return memory;
}

/* The volume of an item, in the block, the side or in *memory. */
AP_INLINE const ap_mesh_volume *ap_facet_volume(const ap_facet_side *side, uint32_t item, ap_mesh_volume *memory)
{
    if (side->mesh != NULL) {
        return item >= AP_MESH_LEAF ? &ap_mesh_leaves(side->mesh)[item - AP_MESH_LEAF].volume
                                    : &ap_mesh_nodes(side->mesh)[item].volume;
    }
    if (side->shape != NULL) {
        return &side->own;
    }
    ap_facet_part_volume(side, item, memory);
    return memory;
}

/* The first item: a shape is its only leaf. */
AP_INLINE uint32_t ap_facet_root(const ap_facet_side *side) { return side->shape != NULL ? AP_MESH_LEAF : 0; }

#endif
