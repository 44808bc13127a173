/* The search for the pair of parts that decides, in stages with a type each:
 *
 *   ap_part_frame     both solids in one frame, and its rounding (frame.h)
 *   ap_near_pairs     candidates for the nearest pair, when nothing is known (first_pair.c)
 *   ap_part_best      the nearest pair of parts so far: what has to be proved of all others (prove.c, small.c)
 *   ap_part_walk      a traversal of both trees that queries every pair that may be nearer (walk.h)
 *   ap_part_motion    where moving solids are, for such a walk (walk.h) */
#ifndef AP_PARTS_SEARCH_H
#define AP_PARTS_SEARCH_H

#include "frame.h"

/* ---- what is known of pairs ---- */

/* Pairs of parts that are queried before a walk, at most: mostly one of them decides. */
enum { AP_MOST_QUERIED = 8 };

typedef struct ap_queried_pairs {
    uint32_t part[AP_MOST_QUERIED][2];
    uint32_t count;
} ap_queried_pairs;

AP_INLINE bool ap_was_queried(const ap_queried_pairs *q, const uint32_t part[2])
{
    for (uint32_t i = 0; i < q->count; i++) {
        if (q->part[i][0] == part[0] && q->part[i][1] == part[1]) {
            return true;
        }
    }
    return false;
}

AP_INLINE void ap_note_queried(ap_queried_pairs *q, const uint32_t part[2])
{
    q->part[q->count][0] = part[0];
    q->part[q->count++][1] = part[1];
}

/* The nearest pair so far. Valid as soon as one pair has been queried. */
typedef struct ap_part_best {
    apart_compound_result *pair; /* in the query's frame */
    double lower, upper;         /* the smallest bounds of the pairs that were queried, with the frame's widening */
    double cutoff;               /* INFINITY: none */
    bool decided;                /* nothing can change the answer any more */
    bool pruned;                 /* pairs were left out because they are at least as far apart as the threshold */
} ap_part_best;

/* Pairs at least this far apart do not matter. */
AP_INLINE double ap_best_threshold(const ap_part_best *best) { return ap_min(best->upper, best->cutoff); }

/* How far apart other pairs have to be shown to be along some direction, so that with all rounding none is nearer than
 * the threshold. It is below zero if the best pair overlaps: a pair that overlaps by less along any direction is not as
 * deep. */
AP_INLINE double ap_best_wanted(const ap_part_frame *f, const ap_part_best *best)
{
    return ap_best_threshold(best) + 2.0 * f->slack;
}

/* A direction to measure along; NULL if there is none, as in a query that asks only for overlap. */
AP_INLINE const apart_vec3 *ap_best_normal(const ap_part_best *best)
{
    const apart_vec3 *n = &best->pair->result.normal;
    return ap_dot(*n, *n) > 0.5 ? n : NULL;
}

/* Does the best pair's normal lead from one witness point to the other? Beyond a cut-off it is that of some separating
 * plane. */
AP_INLINE bool ap_best_normal_joins(const ap_part_frame *f, const ap_part_best *best)
{
    return best->pair->result.relation == APART_DISJOINT && best->pair->result.lower > f->slack;
}

/* How far a part of the best pair can extend beyond its witness point along the normal: with |b - a| <= u and a
 * distance >= l, a point a + c of the convex part is l or more from b all the way from a, so that n.c <= |c| sqrt(u^2 -
 * l^2)/u or n.c <= (u^2 - l^2)/u, where u^2 - l^2 <= 2 u (u - l); and |c| is at most twice the size. */
typedef struct ap_rise {
    double share, rest;
} ap_rise;

AP_INLINE ap_rise ap_best_rise(const ap_part_frame *f, const ap_part_best *best)
{
    const double u = best->pair->result.upper + f->slack, l = best->pair->result.lower - f->slack;
    return ap_best_normal_joins(f, best) ? (ap_rise){3.0 * sqrt((u - l) / l), 2.0 * (u - l)}
                                         : (ap_rise){INFINITY, INFINITY};
}

AP_INLINE double ap_rise_by(ap_rise r, double size) { return r.share * size + r.rest; }

/* ---- the first pair (first_pair.c) ---- */

/* Pairs of parts that may be the nearest; where there are more, they are not worth a list. */
enum { AP_NEAR_PAIRS = 16 };

typedef struct ap_near_pair {
    uint32_t part[2];
    double gap; /* of their bounding spheres */
} ap_near_pair;

/* What a traversal of both trees by bounding spheres found. */
typedef struct ap_near_pairs {
    bool complete;  /* every pair is in the list or at least `beyond` apart; else the list is of no use for a proof */
    double beyond;  /* the bounding spheres of all other pairs are this far apart, or farther */
    double least;   /* gap of the first pair's spheres */
    uint32_t first; /* the pair whose spheres are nearest */
    uint32_t count;
    ap_near_pair pair[AP_NEAR_PAIRS];
} ap_near_pairs;

/* The first pair to query when nothing is known. The pairs that may be nearest are listed as well where that is
 * worth while. */
void ap_first_pair(const ap_part_frame *f, ap_near_pairs *near, uint32_t part[2]);

/* ---- proofs ---- */

/* True: all pairs of parts that were not queried are at least as far apart as the threshold. Else part[] is a pair that
 * may be nearer, or UINT32_MAX where too many may be. near: may be incomplete. (prove.c) */
bool ap_prove(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried,
              const ap_near_pairs *near, uint32_t part[2]);

/* Are two parts at least `wanted` apart along the line through their centres, or along the normal of a half-space?
 * (prove.c) */
bool ap_pair_is_far(const ap_part_frame *f, const uint32_t part[2], double wanted);

/* Is a pair of parts known to be no nearer than the threshold? */
AP_INLINE bool ap_pair_is_settled(const ap_part_frame *f, const ap_queried_pairs *queried, const uint32_t part[2],
                                  double wanted)
{
    return ap_was_queried(queried, part) || ap_pair_is_far(f, part, wanted);
}

/* Are the solids, none of which is a half-space, farther from each other than they are large? */
AP_INLINE bool ap_best_is_far(const ap_part_frame *f, const ap_part_best *best)
{
    return ap_best_threshold(best) > ap_side_spread(&f->side[0]) + ap_side_spread(&f->side[1]);
}

/* ---- small compounds (small.c) ---- */

/* Both sides are shapes or small compounds. */
AP_INLINE bool ap_sides_are_small(const ap_part_side side[2])
{
    return (side[0].compound == NULL || side[0].compound->small != NULL) &&
           (side[1].compound == NULL || side[1].compound->small != NULL);
}

/* ap_prove, and the pair whose bounding spheres are nearest, for such sides without their trees. */
bool ap_small_prove(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried,
                    uint32_t part[2]);
void ap_small_nearest(const ap_part_frame *f, uint32_t part[2]);

#endif
