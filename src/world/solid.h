/* What the compound queries and the world share about solids: the compound's block, and one view of shape and compound. */
#ifndef AP_WORLD_SOLID_H
#define AP_WORLD_SOLID_H

#include <apart/compound.h>

#include "box.h"

/* A pose's rotation may stretch by 1e-6; the rest is rounding. */
#define AP_STRETCH (1.0 + 2e-6)

/* A median split halves the parts, so 2^30 parts give at most this many levels. */
#define AP_PART_LEVELS 32

/* A box of the compound's frame by middle and half extents, and a ball around the same middle; both hold all its parts. A leaf has
 * first_child 0 (the root is nobody's child) and a part. */
typedef struct ap_part_node {
    apart_vec3 center, half;
    double radius;
    uint32_t first_child; /* the second child is the next node */
    uint32_t part;
} ap_part_node;

/* Up to four boxes of the same tree, coordinate by coordinate, so that their reaches along a direction are found at once. Unused lanes
 * repeat the first box. */
typedef struct ap_part_group {
    double center[3][4], half[3][4], radius[4];
    uint32_t child[4]; /* another group, or AP_PART_LEAF + a part */
    uint32_t count, unused;
} ap_part_group;

/* Parts are below 2^30. */
#define AP_PART_LEAF 0x80000000u

struct apart_compound {
    apart_allocator allocator;
    apart_vec3 center; /* of the ball that holds all parts */
    double radius;
    double reach;      /* no part's pose and points have numbers beyond this: the measure of rounding */
    uint32_t count;
    int dim;
    ap_part_node *nodes; /* 2 count - 1, the root first */
    ap_part_group *groups; /* at most count, the root first */
    apart_part *parts;
};

/* How far a part reaches along a direction of the compound's frame, |direction| <= 1 but for rounding. Rounding: 32 eps of the compound's
 * reach. */
double ap_part_reach(const apart_part *part, apart_vec3 direction);

/* Lists the parts, other than `except`, that reach beyond a value. Returns how many, or capacity + 1 if there are more. */
uint32_t ap_compound_beyond(const apart_compound *compound, apart_vec3 direction, double beyond, uint32_t except, uint32_t *list,
                            uint32_t capacity);

/* The part whose box is nearest to a point of the compound's frame; some part where squares overflow. */
uint32_t ap_compound_near_part(const apart_compound *compound, apart_vec3 point);

/* A part that reaches far along a direction, |direction| <= 1: down into the farthest box at every level. */
uint32_t ap_compound_far_part(const apart_compound *compound, apart_vec3 direction);

/* Exactly one of the two is there. */
static inline bool ap_solid_is_valid(apart_solid solid) { return (solid.shape == NULL) != (solid.compound == NULL); }

static inline int ap_solid_dim(apart_solid solid) { return solid.compound != NULL ? solid.compound->dim : solid.shape->dim; }

static inline bool ap_solid_is_half_space(apart_solid solid) { return solid.shape != NULL && solid.shape->kind == APART_SHAPE_HALF_SPACE; }

#endif
