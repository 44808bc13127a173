/* Branch and bound over the trees of two solids, for the compound queries. */
#ifndef AP_WORLD_COMPOUND_SEARCH_H
#define AP_WORLD_COMPOUND_SEARCH_H

#include "solid.h"

/* One side of the query: the tree of a compound, or a shape as a tree of one leaf. */
typedef struct ap_search_side {
    const apart_compound *compound; /* NULL: a shape */
    const ap_part_node *nodes;
    const apart_part *parts;   /* NULL: a shape */
    const apart_shape *shape;
    apart_pose pose;           /* of the body, in the query's frame */
    ap_part_node only;         /* of a shape */
    double size;               /* measure of rounding */
} ap_search_side;

/* Pairs that are looked at before a walk, at most: mostly one of them decides. */
enum { AP_SEARCH_FIRST = 8 };

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
    uint32_t looked[AP_SEARCH_FIRST][2]; /* pairs of parts that were looked at before the walk */
    uint32_t looked_count;
} ap_part_search;

/* Looks at two parts and notes what it finds; the cache is where to start from. */
typedef apart_status ap_look_fn(ap_part_search *s, const uint32_t part[2], apart_cache cache);

/* Both solids in the query's frame: the world's axes, A's origin. Checks the poses. */
apart_status ap_search_prepare(ap_part_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options);

/* A pair of parts that reach far towards the other solid: the first to look at when nothing is known. */
void ap_search_facing(const ap_part_search *s, uint32_t part[2]);

/* True: the best pair's normal proves that all other pairs of parts are at least as far apart as ap_search_threshold. Else part may be a
 * pair that is nearer, or is UINT32_MAX. */
bool ap_search_proves(const ap_part_search *s, uint32_t part[2]);

/* What guess and walk need beyond ap_search_prepare. */
void ap_search_open(ap_part_search *s);

/* Look at these parts, unless that was done or too many were. */
bool ap_search_note_first(ap_part_search *s, const uint32_t part[2]);

/* Pairs of boxes at least this far apart need no look. */
double ap_search_threshold(const ap_part_search *s);

/* A part's shape, and its pose in the query's frame. */
const apart_shape *ap_search_part(const ap_search_side *s, uint32_t part, apart_pose *pose);

/* The pair of leaves whose boxes are nearest: a good first guess, and no query is spent on finding it. */
void ap_search_guess(ap_part_search *s, uint32_t part[2]);

/* Looks at all pairs of parts but s->looked whose boxes are not too far apart. */
apart_status ap_search_walk(ap_part_search *s, ap_look_fn *look);

#endif
