/* Distance and overlap of two solids, shapes or compounds: apart_compound_distance and apart_compound_overlap for one
 * level of the CPU. */
#ifndef AP_PARTS_SOLIDS_H
#define AP_PARTS_SOLIDS_H

#include <apart/compound.h>

typedef apart_status ap_solids_distance_fn(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                           const apart_pose *pose_b, const apart_options *options,
                                           apart_compound_cache *cache, apart_compound_result *result);
typedef apart_status ap_solids_overlap_fn(apart_solid a, const apart_pose *pose_a, apart_solid b,
                                          const apart_pose *pose_b, const apart_options *options,
                                          apart_compound_cache *cache, int *overlap, uint32_t parts[2]);
ap_solids_distance_fn ap_solids_distance;
ap_solids_overlap_fn ap_solids_overlap;

#endif
