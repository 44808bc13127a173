/* GJK on a prepared pair, with tracking (Cameron 1997 section 3; docs/papers.md, items C2 to C5 and C7): its state, and
 * the general loop. loop.h has the loop that the templates of a query inline. */
#ifndef AP_GJK_GJK_H
#define AP_GJK_GJK_H

#include "../pair/pair.h"

/* How the loop ended. */
typedef enum ap_outcome {
    AP_SEPARATED, /* v is the shortest vector of the Minkowski difference, to the duality gap */
    AP_ENCLOSED,  /* the origin is inside the simplex */
    AP_CONTACT,   /* |v| is within rounding of 0: touching, or overlapping with the origin on the simplex */
    AP_DECIDED    /* stopped early: the cut-off or the yes/no question is answered */
} ap_outcome;

typedef struct ap_gjk_options {
    ap_solver_fn *solver; /* NULL: the default, inlined */
    bool recurrence;      /* stop only when a support vertex recurs, where vertices are numbered (docs/papers.md, G5) */
    bool fallback;        /* allow the double-double solver */
    bool yes_no;          /* stop as soon as it is known whether the bodies meet */
    int max_iterations;
    double cutoff;      /* scaled distance of the cores, or infinity */
    double tolerance;   /* scaled gap that is good enough, at least the rounding level */
    apart_trace *trace; /* may be NULL */
} ap_gjk_options;

/* Of a default query. */
#define AP_DEFAULT_ITERATIONS 256

typedef struct ap_gjk {
    ap_simplex simplex;
    _Alignas(32) apart_vec3 v;
    double behind_v;      /* slots of four lanes again */
    apart_vec3 direction; /* of the last support pair; 0 when there was none */
    double behind_direction;
    ap_blend blend; /* the witness points, if `blended` */
    double length;  /* |v| */
    double lower;   /* v.w/|v| at the last support pair: without rounding, a lower bound of the distance */
    ap_outcome outcome;
    apart_stop stop;
    int iterations;
    int solver_calls;
    bool blended;
    bool fell_back; /* the double-double solver took over */
    bool warm;      /* the simplex began with cached vertices, which need not be extreme any more */
} ap_gjk;

/* What the loop compares with. */
typedef struct ap_gjk_limits {
    double closed, accepted,
        agreed;             /* the gap that is closed; the gap to accept; how far the witness points may be from v */
    double open;            /* |v|^2 - v.w above it: the gap is not accepted (no |v| is above the magnitude) */
    double shortest_square; /* of all v so far */
} ap_gjk_limits;

/* Fills the simplex with the cached vertices at the new poses. False: the cache holds none for this pair (or is
 * NULL). */
bool ap_gjk_track(ap_gjk *g, ap_pair *pair, const apart_cache *cache);

/* The first direction without cached vertices: the cached direction, or from centre to centre. */
apart_vec3 ap_gjk_first_direction(const ap_pair *pair, const apart_cache *cache);

/* Starts afresh from the support pair of one direction. */
void ap_gjk_start(ap_gjk *g, ap_pair *pair, apart_vec3 v);

/* The state when the overlap was found without the loop. */
void ap_gjk_skip(ap_gjk *g);

/* Runs the loop from the simplex that is there. */
void ap_gjk_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *options);

/* Goes on where an inlined loop has met something that it does not handle: rounding, a recurring support pair, contact.
 * unused: the support pair that it could not use, or NULL. The pair is brought to unit size first if it is unscaled,
 * and the options with it. */
void ap_gjk_continue(ap_gjk *g, ap_pair *pair, ap_gjk_options options, const ap_gjk_limits *limits,
                     ap_simplex_vertex *unused);

#endif
