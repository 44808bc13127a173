/* How deep is the overlap of two convex hulls of points in up to AP_ND_DEPTH_DIM dimensions? The expanding polytope
 * algorithm (EPA) with a certificate.
 *
 * Source: Cameron 1997 section 5 (item C9 of docs/papers.md) for the bounds, van den Bergen 2001 for expanding the
 * surface where it is nearest to the origin. As in 3D (../depth/depth.c), the depth is the global minimum when both
 * bounds meet. We differ in the surface (depth_surface.h), which is correct in any dimension and for points in any
 * position: one ray proves that it encloses the origin, and no later step can undo that.
 *
 * Legend: m a facet's outward unit normal; depth <= max m.w over the Minkowski difference for any m; depth >= the
 * smallest distance of a facet once the surface encloses the origin. */
#include <string.h>

#include "../base/compiler.h"
#include "depth.h"
#include "depth_surface.h"

/* A workspace of the caller has room for so many facets at least: the start simplex, and some more. */
#define LEAST_FACETS 16

/* Memory on the stack. */
typedef struct vertex_memory {
    uint32_t index_a[AP_ND_SURFACE_VERTICES], index_b[AP_ND_SURFACE_VERTICES];
} vertex_memory;

typedef struct facet_memory {
    ap_nd_facet facet[APART_ND_DEPTH_FACETS];
    uint64_t ridge[APART_ND_DEPTH_FACETS];
} facet_memory;

_Static_assert(sizeof(facet_memory) == APART_ND_DEPTH_BYTES(APART_ND_DEPTH_FACETS),
               "apart/nd.h says how much memory a facet takes");

/* The upper bound that the facet's normal gives, and the support point it comes from. */
static double evaluate_facet(const ap_nd_pair *pair, const ap_nd_facet *facet, ap_nd_separation *best,
                             uint32_t *index_a, uint32_t *index_b)
{
    double d[AP_ND_DEPTH_DIM];
    for (size_t k = 0; k < pair->dim; k++) {
        d[k] = -facet->normal[k];
    }
    const double value = ap_nd_support(pair, d, index_a, index_b);
    if (value > best->value) {
        best->value = value;
        memcpy(best->normal, d, pair->dim * sizeof *d);
    }
    return -value;
}

static bool bounds_suffice(const ap_nd_pair *pair, const ap_nd_depth_task *task, double least, double most)
{
    const double noise = ap_nd_noise(pair), gap = most - least;
    return gap <= noise || gap + 2.0 * noise <= task->tolerance || (task->kind == APART_DEPTH_BOUNDS && least > noise);
}

/* Expands the surface at its nearest facet until the bounds meet. */
static void expand_surface(ap_nd_surface *surface, const ap_nd_depth_task *task, ap_nd_separation *best,
                           ap_nd_depth *depth)
{
    const ap_nd_pair *pair = surface->pair;
    const double noise = ap_nd_noise(pair);
    for (;;) {
        uint32_t index_a, index_b;
        const ap_nd_facet *nearest = ap_nd_surface_nearest(surface);
        const double distance = nearest->distance;
        const double above = evaluate_facet(pair, nearest, best, &index_a, &index_b) - distance;
        if (!surface->proved && distance > noise) {
            ap_nd_surface_prove(surface);
        }
        if (surface->proved) {
            depth->least = ap_max(depth->least, distance);
        }
        if (bounds_suffice(pair, task, depth->least, -best->value)) {
            depth->stop = APART_STOP_CONVERGED;
            return;
        }
        if (above <= noise) {
            depth->stop = APART_STOP_ROUNDING;
            return;
        }
        if (!ap_nd_surface_insert(surface, index_a, index_b)) {
            depth->stop = APART_STOP_WORKSPACE;
            return;
        }
        depth->inserted++;
    }
}

/* The witness points: those of the point where the ray along the separating direction leaves the surface. */
static void find_witness_points(const ap_nd_surface *surface, const ap_nd_separation *best, ap_nd_simplex *face,
                                ap_nd_depth *depth)
{
    double out[AP_ND_DEPTH_DIM];
    const double most = -best->value;
    for (size_t k = 0; k < surface->pair->dim; k++) {
        out[k] = -best->normal[k];
    }
    const double length = ap_nd_surface_locate(surface, out, most, face);
    depth->depth =
        depth->stop == APART_STOP_CONVERGED && most - depth->least <= ap_nd_noise(surface->pair) ? most : length;
    depth->depth = ap_min(ap_max(depth->depth, depth->least), most);
}

static void find_depth(ap_nd_surface *surface, const ap_nd_depth_task *task, ap_nd_simplex *face,
                       ap_nd_separation *best, ap_nd_depth *depth)
{
    ap_nd_surface_start(surface);
    expand_surface(surface, task, best, depth);
    if (depth->least > 0.0) {
        find_witness_points(surface, best, face, depth);
    }
}

static AP_NOINLINE void find_depth_on_stack(ap_nd_surface *surface, const ap_nd_depth_task *task, ap_nd_simplex *face,
                                            ap_nd_separation *best, ap_nd_depth *depth)
{
    facet_memory memory;
    surface->capacity = APART_ND_DEPTH_FACETS;
    surface->facet = memory.facet;
    surface->ridge = memory.ridge;
    find_depth(surface, task, face, best, depth);
}

void ap_nd_depth_find(const ap_nd_pair *pair, const ap_nd_depth_task *task, ap_nd_simplex *face, ap_nd_separation *best,
                      ap_nd_depth *depth)
{
    vertex_memory vertices;
    ap_nd_surface surface = {.pair = pair, .index_a = vertices.index_a, .index_b = vertices.index_b};
    *depth = (ap_nd_depth){.least = 0.0};
    if (task->workspace == NULL || task->workspace_size < APART_ND_DEPTH_BYTES(LEAST_FACETS)) {
        find_depth_on_stack(&surface, task, face, best, depth);
        return;
    }
    surface.capacity = task->workspace_size / APART_ND_DEPTH_BYTES(1);
    surface.facet = task->workspace;
    surface.ridge = (uint64_t *)(void *)(surface.facet + surface.capacity);
    find_depth(&surface, task, face, best, depth);
}
