/* Branch and bound over the trees of two solids, for the compound queries. */
#ifndef AP_PARTS_SEARCH_H
#define AP_PARTS_SEARCH_H

#include "solid.h"

/* One side of the query: the tree of a compound, or a shape as a tree of one leaf. */
typedef struct ap_search_side {
    const apart_compound *compound; /* NULL: a shape */
    const apart_part *parts;        /* NULL: a shape */
    const apart_shape *shape;
    const apart_pose *pose;         /* the caller's; its translation is not that of the query's frame */
    apart_vec3 origin;              /* of the body, in the query's frame */
    double size;                    /* measure of rounding */
    const ap_part_node *nodes;      /* from here on: for walks, by ap_search_open */
    ap_part_node only;              /* of a shape */
} ap_search_side;

/* Pairs that are looked at before a walk, at most: mostly one of them decides. */
enum { AP_SEARCH_FIRST = 8 };

/* Pairs of parts that may be the nearest; where there are more, they are not worth a list. */
enum { AP_NEAR_PAIRS = 16 };

typedef struct ap_near_pair {
    uint32_t part[2];
    double square, reach; /* of their balls: squared distance of the middles, sum of the radii */
} ap_near_pair;

typedef struct ap_near_pairs {
    double beyond; /* the balls of all other pairs are this far apart, or farther */
    double least;  /* gap of the first pair's balls */
    uint32_t count;
    uint32_t first; /* the pair whose balls are nearest */
    bool complete;  /* else there are more, and nothing is known of them */
    ap_near_pair pair[AP_NEAR_PAIRS];
} ap_near_pairs;

/* Two solids on their way (track.h): their poses at equal steps of time, one, or several times AP_TRACK_STRIDE. */
enum { AP_TRACK_STEPS = 32, AP_TRACK_STRIDE = 8 };

typedef struct ap_track {
    uint32_t count;          /* steps */
    double step, until;      /* times after `until` do not matter */
    double rate[2];          /* angular speed */
    double drift[2];         /* speed of a pivot that does not go straight, else 0 */
    apart_vec3 pivot[2];     /* in the sides' frames */
    double scope, slack;     /* as those of the search, for the whole way */
    apart_pose pose[AP_TRACK_STEPS + 1][2];
} ap_track;

typedef struct ap_part_search {
    ap_search_side side[2];
    double scope;                  /* no length of the query is beyond it: the measure of rounding */
    double widening;               /* what the joining of poses can do to a distance */
    double defects[4];             /* entries of |RRt - I|, the larger of both sides; the fourth is none */
    double slack;                  /* what rounding can do to a bound */
    int plane;                     /* which side is a half-space: 0, 1, or -1 */
    double cutoff;                 /* INFINITY: none */
    double least;                  /* smallest lower bound of the pairs looked at */
    double most;                   /* smallest upper bound */
    bool pruned, any;
    bool settled;                  /* nothing can change the answer any more */
    bool open;                     /* a first result is still needed, however far */
    const apart_options *asked;    /* without a trace; NULL: the defaults */
    apart_options options;         /* the same with the cut-off of the moment */
    apart_compound_cache *cache;   /* NULL: none; else what it holds is the best pair's */
    apart_compound_result *best;   /* in the query's frame */
    uint32_t boxes;                /* pairs of boxes that were compared */
    uint32_t looked[AP_SEARCH_FIRST][2]; /* pairs of parts that were looked at before the walk */
    uint32_t looked_count;
    const ap_near_pairs *near;     /* what a survey found; NULL: there was none */
    double linear[2], turn[2];     /* how far the sides' pivots move at most, and the largest chord of a turn at distance one */
    apart_vec3 pivot[2];           /* in the sides' frames */
    void *context;                 /* of the look function */
    ap_track *track;               /* of moving solids; NULL: they do not move */
    /* From here on: for walks, by ap_search_open. */
    apart_mat3 b_in_a, abs_b_in_a; /* B's axes in A's frame */
    apart_vec3 offset;             /* B's origin in A's frame */
    apart_vec3 normal;             /* of the best pair, in A's frame */
    apart_vec3 normal_in_b;
    bool has_normal;
    bool flat;                     /* both solids are in the plane */
    double passed;                 /* smallest bound of the boxes that were passed over */
} ap_part_search;

/* Looks at two parts and notes what it finds. */
typedef apart_status ap_look_fn(ap_part_search *s, const uint32_t part[2]);

/* The first pair to look at when nothing is known. What is found on the way goes to *near, and s->near leads there. */
void ap_search_first(ap_part_search *s, ap_near_pairs *near, uint32_t part[2]);

/* The pair whose balls are nearest, of few parts; and of many, with the others that may be. */
void ap_search_few_nearest(const ap_part_search *s, uint32_t part[2]);
void ap_search_survey(const ap_part_search *s, ap_near_pairs *near);

/* True: the best pair's normal proves that all other pairs of parts are at least as far apart as ap_search_threshold. Else part may be a
 * pair that is nearer, or is UINT32_MAX. */
bool ap_search_proves(const ap_part_search *s, uint32_t part[2]);

/* The same by the balls of nodes and parts, for solids that are no half-spaces, and without any nodes for few parts on both sides. */
bool ap_search_many_prove(const ap_part_search *s, uint32_t part[2]);
bool ap_search_few_prove(const ap_part_search *s, uint32_t part[2]);

/* The same by what a survey found, where the threshold and twice the slack are not beyond it. */
bool ap_search_near_prove(const ap_part_search *s, uint32_t part[2]);

/* Are two parts at least as far apart as the threshold along the line through their middles? */
bool ap_search_is_clear_pair(const ap_part_search *s, const uint32_t part[2]);

/* What guess and walk need beyond ap_search_prepare. */
void ap_search_open(ap_part_search *s);

/* After ap_search_open: the normal of the best pair helps a walk. */
void ap_search_use_normal(ap_part_search *s);

/* The pair of leaves whose boxes are nearest: a good first guess, and no query is spent on finding it. */
void ap_search_guess(ap_part_search *s, uint32_t part[2]);

/* Looks at all pairs of parts but s->looked whose boxes are not too far apart. */
apart_status ap_search_walk(ap_part_search *s, ap_look_fn *look);

/* apart_compound_distance and apart_compound_overlap, for one level of the query code. */
typedef apart_status ap_solids_distance_fn(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                           const apart_options *options, apart_compound_cache *cache, apart_compound_result *result);
typedef apart_status ap_solids_overlap_fn(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                          const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2]);
ap_solids_distance_fn ap_solids_distance;
ap_solids_overlap_fn ap_solids_overlap;

#endif
