/* What the compound queries and the world share about solids: the compound's block, and one view of shape and compound. */
#ifndef AP_WORLD_SOLID_H
#define AP_WORLD_SOLID_H

#include <apart/compound.h>

#include "box.h"

/* A median split halves the parts, so 2^30 parts give at most this many levels. */
#define AP_PART_LEVELS 32

/* A box of the compound's frame by middle and half extents; a leaf has first_child 0 (the root is nobody's child) and a part. */
typedef struct ap_part_node {
    apart_vec3 center, half;
    uint32_t first_child; /* the second child is the next node */
    uint32_t part;
} ap_part_node;

struct apart_compound {
    apart_allocator allocator;
    apart_vec3 center; /* of the ball that holds all parts */
    double radius;
    double reach;      /* no part's pose and points have numbers beyond this: the measure of rounding */
    uint32_t count;
    int dim;
    ap_part_node *nodes; /* 2 count - 1, the root first */
    apart_part *parts;
};

/* Exactly one of the two is there. */
static inline bool ap_solid_is_valid(apart_solid solid) { return (solid.shape == NULL) != (solid.compound == NULL); }

static inline int ap_solid_dim(apart_solid solid) { return solid.compound != NULL ? solid.compound->dim : solid.shape->dim; }

static inline bool ap_solid_is_half_space(apart_solid solid) { return solid.shape != NULL && solid.shape->kind == APART_SHAPE_HALF_SPACE; }

#endif
