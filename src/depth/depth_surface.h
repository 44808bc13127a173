/* What the searches for the depth in space and in the plane share. */
#ifndef AP_DEPTH_DEPTH_SURFACE_H
#define AP_DEPTH_DEPTH_SURFACE_H

#include "depth.h"
#include "depth_probe.h"
#include "enclose.h"

/* In units of u * M: bounds this close have met. */
#define AP_DEPTH_GAP 4.0

/* Are the bounds good enough for what was asked? kind: apart_depth. */
AP_INLINE bool ap_depth_is_enough(double least, double most, const ap_pair *pair, int kind)
{
    return kind == APART_DEPTH_EXACT ? most - least <= AP_DEPTH_GAP * AP_UNIT_ROUNDOFF * pair->magnitude : least > pair->upper_error;
}

/* The enclosure as a surface. False: there is none, or the origin is not clearly inside. */
bool ap_depth_build_surface(ap_polytope *p, const ap_enclosure *e);

/* Expands the ring in the enclosure, within the plane, until the bounds meet. */
void ap_depth_in_plane(ap_depth *d, ap_enclosure *e, ap_pair *pair, const ap_plane *plane, int kind, apart_trace *trace);

/* The next step of a trace, with the bounds of d and room for `count` corners. NULL: no trace, or it is full; the step is counted all the same. */
static inline apart_trace_step *ap_depth_step(const ap_depth *d, const ap_pair *pair, uint32_t count, apart_trace *trace)
{
    if (trace == NULL || trace->count++ >= trace->capacity || trace->steps == NULL) {
        return NULL;
    }
    apart_trace_step *step = &trace->steps[trace->count - 1];
    *step = (apart_trace_step){.count = count,
                               .support_index_a = APART_NO_INDEX,
                               .support_index_b = APART_NO_INDEX,
                               .v = ap_scale(-pair->inverse_scale * d->least, d->normal),
                               .lower = -pair->inverse_scale * d->most,
                               .upper = -pair->inverse_scale * d->least,
                               .surface = trace->surface_count};
    return step;
}

/* A corner of the step's face or edge. */
static inline void ap_depth_step_corner(apart_trace_step *step, int i, const ap_simplex_vertex *v, const ap_pair *pair)
{
    step->index_a[i] = ap_input_index(pair->a, v->index_a);
    step->index_b[i] = ap_input_index(pair->b, v->index_b);
    step->point_a[i] = ap_scale(pair->inverse_scale, v->a);
    step->point_b[i] = ap_scale(pair->inverse_scale, v->b);
}

/* A point of the whole surface of the step. */
static inline void ap_depth_step_surface(apart_trace_step *step, apart_vec3 w, const ap_pair *pair, apart_trace *trace)
{
    if (trace->surface != NULL && trace->surface_count++ < trace->surface_capacity) {
        trace->surface[trace->surface_count - 1] = ap_scale(pair->inverse_scale, w);
        step->surface_count++;
    }
}

/* Are the cores bodies of revolution about parallel axes? Then the depth is decided in the plane through the origin and the axis of
 * their TCSO, which is returned. */
bool ap_revolution_plane(const ap_pair *pair, ap_plane *plane);

/* Points of both bodies in that plane, from those that a search in the plane has found. */
void ap_revolution_flatten(const ap_pair *pair, const ap_plane *plane, ap_simplex *s);

/* What the caller's memory holds. */
struct apart_depth_cache {
    uint32_t tag;          /* of the pair; 0: empty */
    uint32_t capacity;     /* vertices */
    int32_t vertex_count, face_count;
    int32_t fresh_count;   /* vertices after the last fresh build */
    uint32_t reserved[9];
    uint64_t seal;         /* of the combinatorics as they were stored */
}; /* 64 bytes, then the surface's arrays */

/* Does the cache keep a surface of such a pair? */
bool ap_depth_cache_fits(const apart_depth_cache *cache, const ap_pair *pair);

/* That surface at the new poses. placed: the vertices of hulls that have few, else NULL. False: broken, or no longer around the origin. */
bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, const ap_vertex_sets *placed, ap_polytope *p);

/* An empty surface in the cache's memory. */
void ap_depth_cache_open(apart_depth_cache *cache, const ap_pair *pair, ap_polytope *p);

/* How many vertices the cache has room for, with this pair. */
int ap_depth_cache_room(const apart_depth_cache *cache, const ap_pair *pair);

/* Keeps the surface, which is in the cache's memory, for the next query. */
void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh);

#endif
