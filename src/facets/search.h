/* The search of two trees, of which one is usually a mesh's, for pairs of parts that may be nearer than a threshold:
 * depth first, nearest first. Parts are triangles of a mesh, parts of a compound, or 0 for a shape. */
#ifndef AP_FACETS_SEARCH_H
#define AP_FACETS_SEARCH_H

#include "leaf.h"

typedef struct ap_facet_search ap_facet_search;

/* Takes a pair of parts. False ends the search. */
typedef bool ap_facet_visit_fn(ap_facet_search *s, const uint32_t part[2]);

struct ap_facet_search {
    const ap_facet_frame *frame;
    ap_facet_visit_fn *visit;
    void *context;
    double threshold;                     /* pairs farther apart do not matter, in the caller's units */
    float node_threshold, leaf_threshold; /* the same for bounds, by ap_facet_set_threshold */
    float normal[3];                      /* of the nearest pair so far, in the first side's local frame */
    bool has_normal;
    bool any;       /* until the first visit, the threshold excludes nothing */
    bool pierce;    /* by the caller: only whether parts meet is asked */
    bool certain;   /* the pair that is visited meets for certain */
    uint32_t boxes; /* pairs of volumes that were compared */
};

/* Checks the poses and measures both bodies. APART_ERR_ROTATION, APART_ERR_NONFINITE, APART_ERR_OVERFLOW. */
apart_status ap_facet_frame_set(ap_facet_frame *f, apart_solid a, const apart_pose *pose_a, apart_solid b,
                                const apart_pose *pose_b);

/* Lowers or sets the threshold; visits may. */
void ap_facet_set_threshold(ap_facet_search *s, double threshold);

/* Everything but visit and context; nothing is known of a pair. */
AP_INLINE void ap_facet_search_set(ap_facet_search *s, const ap_facet_frame *frame, double threshold)
{
    s->frame = frame;
    s->any = s->has_normal = s->pierce = s->certain = false;
    s->boxes = 0;
    ap_facet_set_threshold(s, threshold);
}

/* Visits the pairs that are not known to be farther apart than the threshold. False: a visit ended it. */
bool ap_facet_search_run(ap_facet_search *s);

#endif
