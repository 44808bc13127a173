/* The convex parts of a compound in a bounding-volume tree, and one view of shapes, compounds and meshes: solids.
 *
 * The tree is a BVH4: a node holds the bounding volumes of up to four children side by side, one in each SIMD lane, so
 * that one operation tests four of them. A child is another node or a part. A *slot*, 4 * node + lane, names a child.
 * Two nodes, one of each tree, make a *tile*: the 16 pairs of their children, which are tested together (bound.h) and
 * visited pair by pair (traverse.h).
 *
 * A child has two bounding volumes: a sphere, and a 26-DOP (discrete oriented polytope; Klosowski et al. 1998): its
 * support values along the 26 directions with components 0 and +-1. Six of these are its box. Any direction is a sum of
 * three of the 26 with factors >= 0, and the support value along it is at most the same sum of theirs
 * (docs/numerics.md). */
#ifndef AP_PARTS_TREE_H
#define AP_PARTS_TREE_H

#include <apart/compound.h>

#include "../mesh/block.h"
#include "../base/owned.h"
#include "../simd/lanes.h"
#include "box.h"

/* A median split halves the parts, and two splits make a level of nodes: 2^30 parts give at most this many levels. */
#define AP_TREE_LEVELS 16

/* Four bounding spheres, lane by lane. */
typedef struct ap_part_spheres {
    double center[3][4]; /* x, y and z */
    double radius[4];
} ap_part_spheres;

/* The direction (x, y, z) with components -1, 0 and 1 has this number; 13 is none. */
#define AP_DIRECTION(x, y, z) (13 + 9 * (x) + 3 * (y) + (z))

typedef struct ap_part_node {
    ap_part_spheres spheres;
    uint32_t child[4];     /* another node, or AP_PART_LEAF + a part */
    uint32_t used;         /* bit i: lane i holds a child; other lanes repeat the first */
    uint32_t used_rows;    /* bit 4 i: the same */
    uint32_t parent;       /* the slot of this node in the one above; AP_NO_SLOT: it is the root */
    double support[27][4]; /* support values by AP_DIRECTION, rounded up */
} ap_part_node;

#define AP_NO_SLOT UINT32_MAX

/* Parts are below 2^30. */
#define AP_PART_LEAF 0x80000000u

/* A compound of so many parts or fewer is small: it has the spheres of its parts as a list, too, four parts to an entry
 * (small.c). */
#define AP_SMALL_PARTS 16

struct apart_compound {
    /* What every query reads comes first, on one line of the data cache. */
    apart_part *parts;
    uint32_t *slots;     /* of the parts */
    ap_part_node *nodes; /* at most count, the root first */
    const apart_shape
        *only_shape; /* the shape that the compound is equal to: of its one part, with an identity pose; else NULL */
    double extent;   /* no part's pose and points have larger numbers: the measure of rounding */
    uint32_t count;
    bool identity_poses; /* of all parts */
    bool sparse;         /* the parts are small beside the gaps between them */
    int dim;
    uint64_t *users;        /* of the parts */
    ap_part_spheres *small; /* of the parts of a small compound; else NULL */
    apart_vec3 center;      /* of the sphere and of the box that hold all parts */
    double radius;
    apart_vec3 half; /* the box's half extents */
    apart_allocator allocator;
    ap_owned *owned; /* what an archive gave it */
};

/* ---- support values ---- */

/* The support value of a part along a direction of the compound's frame, |direction| <= 1 but for rounding, which is 32
 * eps of the compound's extent. */
double ap_part_support_value(const apart_part *part, apart_vec3 direction);

/* The same of a bounded shape in its own frame. */
double ap_shape_support_value(const apart_shape *shape, apart_vec3 direction);

/* A direction as a sum of three that nodes know: with x >= y >= z >= 0 it is (x - y) (1, 0, 0) + (y - z) (1, 1, 0) + z
 * (1, 1, 1), and so for other signs and orders. */
typedef struct ap_node_direction {
    unsigned number[3];
    ap_lanes factor[3];
} ap_node_direction;

/* step, or -step for a negative x. */
AP_INLINE int ap_signed_step(double x, int step)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int sign = (int)(bits >> 63);
    return (step ^ sign) - sign;
}

/* There are no branches, since half of them would be mispredicted for a new direction. Of equal components any may be
 * the larger. */
AP_INLINE ap_node_direction ap_node_direction_of(apart_vec3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int step[3] = {ap_signed_step(d.x, 9), ap_signed_step(d.y, 3), ap_signed_step(d.z, 1)};
    const double larger = ap_max(x, y), smaller = ap_min(x, y);
    const int at_larger = y > x, at_smaller = 1 - at_larger;
    const double most = ap_max(larger, z), least = ap_min(smaller, z), middle = ap_max(smaller, ap_min(larger, z));
    const int first = 13 + step[z > larger ? 2 : at_larger], third = 13 + step[0] + step[1] + step[2];
    const int second = third - step[z < smaller ? 2 : at_smaller];
    return (ap_node_direction){{(unsigned)first, (unsigned)second, (unsigned)third},
                               {ap_lanes_all(most - middle), ap_lanes_all(middle - least), ap_lanes_all(least)}};
}

/* Upper bounds of the children's support values along a direction. */
AP_INLINE ap_lanes ap_node_support_values(const ap_part_node *node, const ap_node_direction *d)
{
    return ap_lanes_sum3(ap_lanes_mul(d->factor[0], ap_lanes_load(node->support[d->number[0]])),
                         ap_lanes_mul(d->factor[1], ap_lanes_load(node->support[d->number[1]])),
                         ap_lanes_mul(d->factor[2], ap_lanes_load(node->support[d->number[2]])));
}

/* ---- searches in one tree ---- */

/* Nodes that wait in a depth-first search of one tree, at most: a level leaves at most three behind. */
enum { AP_NODE_STACK = 3 * AP_TREE_LEVELS + 4 };

/* The part whose box is nearest to a point of the compound's frame; some part where squares overflow. */
uint32_t ap_compound_nearest_part(const apart_compound *compound, apart_vec3 point);

/* A part with a large support value along a direction, |direction| <= 1: the descent takes the child with the largest
 * one. */
uint32_t ap_compound_farthest_part(const apart_compound *compound, apart_vec3 direction);

/* ---- solids ---- */

/* Exactly one of the three is there. */
static inline bool ap_solid_is_valid(apart_solid solid)
{
    return (solid.compound != NULL) + (solid.shape != NULL) + (solid.mesh != NULL) == 1;
}

/* APART_ERR_NULL, or APART_ERR_NOT_WATERTIGHT. */
static inline apart_status ap_solid_check(apart_solid solid)
{
    if (!ap_solid_is_valid(solid)) {
        return APART_ERR_NULL;
    }
    return solid.mesh != NULL && !solid.surface && !solid.mesh->report.watertight ? APART_ERR_NOT_WATERTIGHT : APART_OK;
}

/* Are there parts beside the first? NULL: a shape. */
static inline bool ap_has_more_parts(const apart_compound *compound) { return compound != NULL && compound->count > 1; }

static inline int ap_solid_dim(apart_solid solid)
{
    return solid.compound != NULL ? solid.compound->dim : solid.shape != NULL ? solid.shape->dim : 3;
}

static inline bool ap_solid_is_half_space(apart_solid solid)
{
    return solid.shape != NULL && solid.shape->kind == APART_SHAPE_HALF_SPACE;
}

#endif
