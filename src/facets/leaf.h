/* The pairs of triangles of two leaves that may be nearer than a threshold, by bounds in floats. */
#ifndef AP_FACETS_LEAF_H
#define AP_FACETS_LEAF_H

#include "bound.h"

/* Pairs of triangles, by their lanes in the leaves. */
typedef struct ap_facet_candidates {
    unsigned count;
    uint8_t lane[AP_MESH_WIDTH * AP_MESH_WIDTH][2];
    float lower[AP_MESH_WIDTH * AP_MESH_WIDTH];   /* bound, to be compared with thresholds */
    float nearest[AP_MESH_WIDTH * AP_MESH_WIDTH]; /* the distance, roughly */
} ap_facet_candidates;

/* Two leaves of meshes. normal: of the nearest pair so far, in the first side's local frame, towards the second; NULL:
 * none is known. */
void ap_facet_leaf_pair(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, const float *normal,
                        float threshold, ap_facet_candidates *out);

/* The same for overlaps, where the threshold is what floats err by: pairs of triangles that are not known to be apart.
 * True: the only one listed pierces for certain. */
bool ap_facet_leaf_pierce(const ap_facet_frame *f, const ap_mesh_leaf *a, const ap_mesh_leaf *b, float threshold,
                          ap_facet_candidates *out);

/* A leaf and the volume of a part of the other side, which is lane 0 of the leaf that is not there. leaf_side: whose
 * leaf it is. */
void ap_facet_leaf_part(const ap_facet_frame *f, int leaf_side, const ap_mesh_leaf *leaf, const ap_mesh_volume *part,
                        float threshold, ap_facet_candidates *out);

#endif
