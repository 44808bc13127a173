/* Two features in the frame of a contact, intersected as seen along the normal: the corners of one inside the other,
 * and the crossings of their sides. */
#ifndef AP_CONTACT_INTERSECT_H
#define AP_CONTACT_INTERSECT_H

#include "contact_feature.h"

/* Corners this near in units of the pair's size, perpendicular to the normal, are one contact point, and a corner
 * that is outside by less counts as inside: features that coincide exactly keep their names when rounding moves
 * them. */
#define AP_SAME_POINT 1e-6

/* The corners of two faces; the tolerance may count some twice. */
enum { AP_MOST_CANDIDATES = 4 * AP_FEATURE_POINTS };

/* What a candidate is. */
typedef enum ap_candidate_kind {
    AP_CORNER_OF_A,    /* corner `on_a`, over B's feature as a whole */
    AP_CORNER_OF_B,    /* the other way round */
    AP_CROSSING,       /* of side `on_a` and side `on_b` */
    AP_WITNESS_POINTS, /* of the distance query */
} ap_candidate_kind;

/* A point where the features may touch: its place in the frame and both features' heights there. */
typedef struct ap_candidate {
    double x, y, height_a, height_b;
    uint8_t kind, on_a, on_b; /* ap_candidate_kind */
} ap_candidate;

typedef struct ap_candidate_list {
    uint32_t count;
    ap_candidate at[AP_MOST_CANDIDATES];
} ap_candidate_list;

void ap_features_intersect(const ap_contact_feature *a, const ap_contact_feature *b, ap_candidate_list *list);

#endif
