/* What the searches for the depth in space and in the plane share. */
#ifndef AP_NARROW_DEPTH_SURFACE_H
#define AP_NARROW_DEPTH_SURFACE_H

#include "depth.h"
#include "enclose.h"
#include "polytope.h"

/* Are the bounds good enough for what was asked? kind: apart_depth. */
bool ap_depth_is_enough(const ap_depth *d, const ap_pair *pair, int kind);

/* The enclosure as a surface. False: there is none, or the origin is not clearly inside. */
bool ap_depth_build_surface(ap_polytope *p, const ap_enclosure *e);

/* Expands the ring in the enclosure, within the plane, until the bounds meet. */
void ap_depth_in_plane(ap_depth *d, ap_enclosure *e, ap_pair *pair, const ap_plane *plane, int kind);

/* Are the cores bodies of revolution about parallel axes? Then the depth is decided in the plane through the origin and the axis of
 * their TCSO, which is returned. */
bool ap_revolution_plane(const ap_pair *pair, ap_plane *plane);

/* The surface kept in a depth cache, at the new poses. False: none of this pair, broken, or no longer around the origin. */
bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, ap_polytope *p);

/* An empty surface in the cache's memory. */
void ap_depth_cache_open(apart_depth_cache *cache, const ap_pair *pair, ap_polytope *p);

/* How many vertices the cache has room for, with this pair. */
int ap_depth_cache_room(const apart_depth_cache *cache, const ap_pair *pair);

/* Keeps the surface, which is in the cache's memory, for the next query. */
void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh);

#endif
