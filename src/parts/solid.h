/* What the compound queries and the world share about solids: the compound's block, and one view of shape and compound. */
#ifndef AP_PARTS_SOLID_H
#define AP_PARTS_SOLID_H

#include <apart/compound.h>

#include "box.h"

#define AP_STRETCH AP_ROTATION_STRETCH

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

/* Four balls, lane by lane. */
typedef struct ap_part_balls {
    double center[3][4]; /* x, y and z */
    double radius[4];
} ap_part_balls;

/* Of so many parts or fewer the balls are known one by one, too: four parts of the compound's order in a row. */
#define AP_FEW_PARTS 16

/* Up to four nodes of the same tree, lane by lane: by balls, and by how far they reach along 26 directions: the axes of the compound's
 * frame, the diagonals of its planes and those of space, with components 0 and +-1. Number of a direction: 13 + 9 x + 3 y + z. Any
 * direction is a sum of three of them with factors >= 0, and so the reach along it is at most the sum of their reaches
 * (group.h). */
typedef struct ap_part_group {
    ap_part_balls balls;
    uint32_t child[4];   /* another group, or AP_PART_LEAF + a part */
    uint32_t used;       /* bit i: lane i holds a node; other lanes repeat the first */
    uint32_t used_rows;  /* bit 4 i: the same */
    uint32_t place;      /* this group's place in the one above; AP_NO_PLACE: it is the first */
    double reach[27][4]; /* 13 is no direction; rounded up */
} ap_part_group;

/* A lane of a group is a place: 4 times the group's number + the lane. */
#define AP_NO_PLACE UINT32_MAX

/* Parts are below 2^30. */
#define AP_PART_LEAF 0x80000000u

struct apart_compound {
    /* What every query reads comes first, on one line of the data cache. */
    apart_part *parts;
    uint32_t *places;        /* of the parts */
    ap_part_group *groups;   /* at most count, the root first */
    const apart_shape *lone; /* the shape that it comes to: of one part, in place; else NULL */
    double reach;            /* no part's pose and points have numbers beyond this: the measure of rounding */
    uint32_t count;
    bool in_place;           /* all parts are in the compound's own frame: their poses are the identity */
    bool sparse;             /* the parts are small beside the gaps between them */
    int dim;
    ap_part_balls *few;      /* of the parts, where there are few; else NULL */
    ap_part_node *nodes;     /* 2 count - 1, the root first */
    apart_vec3 center;       /* of the ball that holds all parts */
    double radius;
    apart_allocator allocator;
};

/* How far a part reaches along a direction of the compound's frame, |direction| <= 1 but for rounding. Rounding: 32 eps of the compound's
 * reach. */
double ap_part_reach(const apart_part *part, apart_vec3 direction);

/* The same of a bounded shape in its own frame. */
double ap_shape_reach(const apart_shape *shape, apart_vec3 direction);

/* The part whose box is nearest to a point of the compound's frame; some part where squares overflow. */
uint32_t ap_compound_near_part(const apart_compound *compound, apart_vec3 point);

/* A part that reaches far along a direction, |direction| <= 1: down into the farthest box at every level. */
uint32_t ap_compound_far_part(const apart_compound *compound, apart_vec3 direction);

/* Exactly one of the two is there. */
static inline bool ap_solid_is_valid(apart_solid solid)
{
    return (solid.compound != NULL && solid.shape == NULL) || (solid.compound == NULL && solid.shape != NULL);
}

/* Parts beside the one that may decide? NULL: a shape. */
static inline bool ap_solid_has_others(const apart_compound *compound) { return compound != NULL && compound->count > 1; }

static inline int ap_solid_dim(apart_solid solid) { return solid.compound != NULL ? solid.compound->dim : solid.shape->dim; }

static inline bool ap_solid_is_half_space(apart_solid solid) { return solid.shape != NULL && solid.shape->kind == APART_SHAPE_HALF_SPACE; }

#endif
