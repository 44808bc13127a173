/* The walk: a traversal of both trees (traverse.h) that queries every pair of parts that may be nearer than the nearest
 * so far. Distance and overlap need it where no proof succeeds (prove.c); moving solids (compound/motion.c) always
 * do. */
#ifndef AP_PARTS_WALK_H
#define AP_PARTS_WALK_H

#include "bound.h"
#include "search.h"

/* Poses on the paths of moving solids are at equal steps of time: one, or a multiple of AP_MOTION_STRIDE. */
enum { AP_MOTION_STEPS = 32, AP_MOTION_STRIDE = 8 };

/* Turns of about this angle between steps: an arc then leaves its chord by an eight hundredth of the arm, which mostly
 * is less than a part. */
#define AP_MOTION_ANGLE 0.1

/* Entries of poses on a path are off by 32 eps (apart_motion_pose), points by less than 256 eps of all lengths in
 * them. */
#define AP_MOTION_ROUNDING (256.0 * DBL_EPSILON)

/* Two moving solids, in the query's frame. */
typedef struct ap_part_motion {
    double displacement[2]; /* no pivot is farther from its start at any time; of a half-space that turns INFINITY */
    double chord[2];        /* the largest chord of a turn at distance one from the pivot */
    apart_vec3 pivot[2];    /* in the sides' own frames */
    double rate[2];         /* angular speed */
    double drift[2];        /* speed of a pivot that does not move along a line, else 0 */
    double slack;           /* what rounding and the rotations' defects can do to a bound of the whole motion */
    uint32_t steps;
    double step, until; /* times after `until` do not matter; it shrinks to the first contact found */
    apart_pose pose[AP_MOTION_STEPS + 1][2];
} ap_part_motion;

typedef struct ap_part_walk ap_part_walk;

/* Queries two parts, and lowers the walk's threshold or sets its `decided` by what it finds. */
typedef apart_status ap_walk_query_fn(ap_part_walk *w, const uint32_t part[2]);

struct ap_part_walk {
    /* What the caller sets, after ap_walk_set. */
    ap_walk_query_fn *query;
    void *context;                   /* of the query */
    const ap_queried_pairs *queried; /* pairs that need no query any more */
    const ap_part_motion *motion;    /* NULL: the solids do not move */
    double threshold;                /* pairs farther apart do not matter */
    /* What the walk finds. */
    bool decided;        /* nothing can change the answer any more */
    double passed;       /* of moving solids: smallest bound of the pairs that were passed over */
    uint32_t boxes;      /* pairs of children that were compared */
    apart_status status; /* of the last query */
    /* What bounds need, by ap_walk_set. */
    const ap_part_frame *frame;
    ap_part_node own[2]; /* of sides that are shapes */
    const ap_part_node *nodes[2];
    ap_tile_frame tile;
    ap_lanes3 abs_b_in_a[3]; /* of the tile frame's axes */
    ap_tile_direction along;
    bool flat; /* both solids are in the plane */
};

/* Everything but what the caller sets; nothing is known of the normal. */
void ap_walk_set(ap_part_walk *w, const ap_part_frame *f);

/* The direction of the nearest pair so far. */
void ap_walk_set_normal(ap_part_walk *w, const apart_vec3 *normal);

/* Queries all pairs of parts but those in w->queried that are not known to be farther apart than the threshold. */
apart_status ap_walk_run(ap_part_walk *w);

#endif
