/* Pairs of parts in doubles: a triangle, a compound's part or a shape with its pose, and the query of two of them. */
#ifndef AP_FACETS_PAIRS_H
#define AP_FACETS_PAIRS_H

#include "search.h"

/* Where parts are posed: in the world, or, where a compound's poses are joined, in the world's axes with the first body's
 * origin. */
typedef struct ap_facet_poses {
    bool joined;       /* a side is a compound */
    apart_pose own[2]; /* of the sides, if so */
    double widening;   /* what joining can do to a distance */
} ap_facet_poses;

/* A part and its pose; a triangle is written to *memory. */
typedef struct ap_facet_part {
    const apart_shape *shape;
    const apart_pose *pose;
    apart_shape memory;
    apart_pose pose_memory;
} ap_facet_part;

void ap_facet_poses_set(ap_facet_poses *poses, const ap_facet_frame *f);

void ap_facet_part_get(const ap_facet_frame *f, const ap_facet_poses *poses, int side, uint32_t number,
                       ap_facet_part *out);

/* How many parts a solid has. */
uint32_t ap_facet_part_count(apart_solid solid);

#endif
