/* The first contact of two moving solids of which at least one is a mesh. */
#ifndef AP_COMPOUND_MESH_MOTION_H
#define AP_COMPOUND_MESH_MOTION_H

#include <apart/compound.h>

/* apart_compound_time_of_impact; solids and motions have been checked. */
apart_status ap_mesh_impact(apart_solid a, const apart_motion *motion_a, apart_solid b, const apart_motion *motion_b,
                            const apart_motion_options *options, apart_compound_impact *impact);

#endif
