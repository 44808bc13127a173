/* Branch and bound over the trees of two solids, for the compound queries. */
#ifndef AP_WORLD_COMPOUND_SEARCH_H
#define AP_WORLD_COMPOUND_SEARCH_H

#include "solid.h"

/* One side of the query: the tree of a compound, or a shape as a tree of one leaf. */
typedef struct ap_search_side {
    const ap_part_node *nodes;
    const apart_part *parts;   /* NULL: a shape */
    const apart_shape *shape;
    apart_pose pose;           /* of the body, in the query's frame */
    ap_part_node only;         /* of a shape */
    double size;               /* measure of rounding */
} ap_search_side;

typedef struct ap_part_search {
    ap_search_side side[2];
    apart_mat3 b_in_a, abs_b_in_a; /* B's axes in A's frame */
    apart_vec3 offset;             /* B's origin in A's frame */
    double slack;                  /* what rounding can do to a bound */
    double widening;               /* and the joining of poses to a distance */
    int plane;                     /* which side is a half-space: 0, 1, or -1 */
    apart_vec3 normal;             /* of the best pair, in A's frame; or of the half-space, pointing out of it */
    apart_vec3 normal_in_b;
    bool has_normal;
    apart_options options;
    double cutoff;                 /* INFINITY: none */
    double least;                  /* smallest lower bound of the pairs looked at */
    double most;                   /* smallest upper bound */
    bool pruned, any;
    double passed;                 /* smallest bound of the boxes that were passed over */
    bool settled;                  /* nothing can change the answer any more */
    void *context;                 /* of the look function */
    double linear[2], turn[2];     /* how far the sides' pivots move at most, and the largest chord of a turn at distance one */
    apart_vec3 pivot[2];           /* in the sides' frames */
    bool open;                     /* a first result is still needed, however far */
    apart_compound_result best;
    apart_cache best_cache;        /* of the best pair */
    uint32_t first[2];             /* the cache's pair, which is looked at first */
} ap_part_search;

/* Looks at two parts and notes what it finds; the cache is where to start from. */
typedef apart_status ap_look_fn(ap_part_search *s, const uint32_t part[2], apart_cache cache);

/* Both solids in the query's frame: the world's axes, A's origin. Checks the poses. */
apart_status ap_search_prepare(ap_part_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options);

/* Pairs of boxes at least this far apart need no look. */
double ap_search_threshold(const ap_part_search *s);

/* A part's shape, and its pose in the query's frame. */
const apart_shape *ap_search_part(const ap_search_side *s, uint32_t part, apart_pose *pose);

/* The pair of leaves whose boxes are nearest: a good first guess, and no query is spent on finding it. */
void ap_search_guess(ap_part_search *s, uint32_t part[2]);

/* Looks at all pairs of parts but s->first whose boxes are not too far apart. */
apart_status ap_search_walk(ap_part_search *s, ap_look_fn *look);

#endif
