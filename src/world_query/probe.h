/* The subject of a query of a const world (apart_probe), made ready: which bodies it may meet, and how near the boxes of
 * the tree can be to it. */
#ifndef AP_WORLD_QUERY_PROBE_H
#define AP_WORLD_QUERY_PROBE_H

#include "../world/world.h"

typedef struct ap_probe {
    const apart_world *world;
    apart_solid solid;
    apart_pose pose;
    apart_aabb box;     /* of the solid, unless it is a half-space */
    ap_body half_space; /* the solid if it is a half-space */
    bool unbounded;
    uint32_t slot; /* of the probe's body, UINT32_MAX if the solid is not in the world */
    ap_filter_bits bits;
    uint64_t user;
    apart_body_filter *filter; /* NULL: none */
    void *filter_context;
    double within; /* INFINITY: any distance */
} ap_probe;

/* The probe's filters alone, of a query without a solid; NULL: none. APART_ERR_ID. */
apart_status ap_probe_prepare_filter(ap_probe *p, const apart_world *world, const apart_probe *probe);

/* Checks the probe and measures its solid. */
apart_status ap_probe_prepare(ap_probe *p, const apart_world *world, const apart_probe *probe);

/* The probe's body; zeros if it is not in the world. */
apart_body_id ap_probe_id(const ap_probe *p);

/* May it meet the body in the slot? The caller's filters are asked last. */
bool ap_probe_admits(const ap_probe *p, uint32_t slot);

/* A lower bound of the distance between the probe and what is in a box. */
double ap_probe_gap(const ap_probe *p, const apart_aabb *box);

/* Visits the bodies that are not where the tree has them: those that have left their boxes, and half-spaces. */
typedef apart_status ap_slot_visit_fn(void *context, uint32_t slot);
apart_status ap_world_visit_outside_tree(const apart_world *world, ap_slot_visit_fn *visit, void *context);

#endif
