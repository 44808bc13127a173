/* Cheap bounds of the depth of overlapping bodies, without EPA.
 *
 * Source: Cameron 1997 section 5 (item C9 of docs/papers.md). GJK ends with a simplex S around the origin. The distance
 * from the origin to the nearest face of S is at most the depth, and the depth is at most min |x_i| for vertices x_i on
 * the surface of the Minkowski difference. When the nearest face of S is a face of the Minkowski difference, which one
 * support search decides, the first bound is the depth itself: the usual case when a tracked pair has just begun to
 * overlap. We differ in vertices that came from a cache, which need not be on the surface any more: each is replaced
 * for the second bound by the support point of its own direction. */
#include "../depth/depth_search.h"
#include "../kernels/half_space.h"
#include "query.h"

/* In units of u * M: bounds this close have met. */
#define MEET 16.0

/* min |x_i| over points x_i of the surface near the vertices of the simplex. */
static double nearest_vertex(const ap_gjk *g, ap_pair *pair, const ap_polytope *p)
{
    double least = INFINITY;
    for (int i = 0; i < p->vertex_count; i++) {
        ap_simplex_vertex x = {.w = ap_polytope_point(p, i),
                               .index_a = p->index[2 * i],
                               .index_b = p->index[2 * i + 1]};
        if (g->warm) {
            ap_pair_support(pair, ap_scale(-1.0 / ap_norm(x.w), x.w), &x);
        }
        least = ap_min(least, ap_norm(x.w));
    }
    return least;
}

/* The bounds of overlapping cores. False: the simplex is not clearly around the origin. */
static bool bound_cores(apart_penetration *out, ap_pair *pair, const ap_gjk *g)
{
    ap_enclosure e;
    double memory[8 * AP_POLYTOPE_BYTES_WITH_POINTS / sizeof(double)];
    ap_polytope p;
    ap_polytope_init(&p, memory, 8, pair);
    if (!ap_depth_enclose(&e, &p, pair, g)) {
        return false;
    }
    ap_simplex_vertex found;
    ap_nearest_face face;
    ap_polytope_nearest(&p, &face);
    const double least = face.distance, value = ap_depth_support(&e, pair, face.unit, &found);
    out->least = ap_max(pair->inverse_scale * (least - pair->upper_error), 0.0);
    out->most = pair->inverse_scale * (nearest_vertex(g, pair, &p) + pair->lower_error);
    out->exact = value - least <= MEET * AP_UNIT_ROUNDOFF * pair->magnitude;
    out->depth = pair->inverse_scale * least;
    out->normal = ap_neg(face.unit);
    return least > pair->upper_error;
}

/* From the cores to the bodies: the radii, what they round, and what matrices that are not quite rotations do to them. */
static void add_radii(apart_penetration *p, const ap_pair *pair)
{
    const double error = pair->widening + AP_RESULT_ROUNDING * AP_UNIT_ROUNDOFF * (pair->radius + p->most);
    p->least = ap_max((p->least + pair->radius) - error, 0.0);
    p->most = (p->most + pair->radius) + error;
    p->depth = ap_min(ap_max(p->depth + pair->radius, p->least), p->most);
}

/* The bounds from a signed distance, for pairs whose exact depth costs no more: rounded bodies with disjoint cores,
 * half-spaces, planar bodies. */
static apart_penetration from_signed_distance(const apart_result *r)
{
    apart_penetration out = {.normal = r->normal, .relation = r->relation};
    if (r->relation == APART_OVERLAPPING) {
        out.least = ap_max(-r->upper, 0.0);
        out.most = -r->lower;
        out.depth = -r->distance;
        out.exact = 1;
    }
    return out;
}

apart_status ap_query_penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                         const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                         apart_penetration *out)
{
    apart_result r;
    ap_query q = {a, pose_a, b, pose_b, options, cache, &r};
    apart_status status = ap_query_begin(&q, out);
    if (status != APART_OK) {
        return status;
    }
    ap_pair pair;
    ap_gjk g;
    if (!ap_query_has_half_space(&q) && a->dim != 2) {
        status = ap_query_prepare(&q, &pair);
        if (status != APART_OK) {
            return status;
        }
        ap_query_run(&g, &pair, &q, false);
        apart_penetration found = {.relation = APART_OVERLAPPING};
        if (g.outcome == AP_ENCLOSED && bound_cores(&found, &pair, &g)) {
            add_radii(&found, &pair);
            status = ap_query_end(&g, &pair, &q);
            *out = status == APART_OK ? found : *out;
            return status;
        }
    }
    status = ap_query_distance(a, pose_a, b, pose_b, options, cache, &r);
    if (status == APART_OK) {
        *out = from_signed_distance(&r);
    }
    return status;
}
