/* The steps of a depth search, written to the trace of the caller. */
#include "depth_search.h"

/* The next step of a trace, with the bounds of d and room for `count` corners. NULL: it is full; the step is counted
 * all the same. */
static apart_trace_step *add_step(const ap_depth *d, const ap_pair *pair, uint32_t count, apart_trace *trace)
{
    if (trace->count++ >= trace->capacity || trace->steps == NULL) {
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

/* A corner of the face or the edge of the step. */
static void set_corner(apart_trace_step *step, int i, const ap_simplex_vertex *v, const ap_pair *pair)
{
    step->index_a[i] = ap_input_index(pair->a, v->index_a);
    step->index_b[i] = ap_input_index(pair->b, v->index_b);
    step->point_a[i] = ap_scale(pair->inverse_scale, v->a);
    step->point_b[i] = ap_scale(pair->inverse_scale, v->b);
}

/* A point of the whole surface of the step. */
static void add_surface_point(apart_trace_step *step, apart_vec3 w, const ap_pair *pair, apart_trace *trace)
{
    if (trace->surface != NULL && trace->surface_count++ < trace->surface_capacity) {
        trace->surface[trace->surface_count - 1] = ap_scale(pair->inverse_scale, w);
        step->surface_count++;
    }
}

/* A guess gave no upper bound: the support value is computed here, for the reader of the trace. */
AP_RARE void ap_depth_trace_face(const ap_depth_search *s, const ap_polytope *p, const ap_nearest_face *face,
                                 double most)
{
    ap_simplex_vertex farthest = {.index_a = APART_NO_INDEX, .index_b = APART_NO_INDEX};
    ap_depth now = {.normal = ap_neg(face->unit), .least = face->distance, .most = most};
    if (now.most == INFINITY) {
        ap_pair_support(s->pair, now.normal, &farthest);
        now.most = ap_max(ap_dot(face->unit, farthest.w), now.least);
    }
    apart_trace_step *step = add_step(&now, s->pair, 3, s->trace);
    if (step == NULL) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        ap_simplex_vertex v;
        ap_polytope_vertex(p, s->pair, ap_polytope_corner(p, face->index, i), 0.0, &v);
        set_corner(step, i, &v, s->pair);
    }
    for (int k = 0; k < 3 * p->face_count; k++) {
        add_surface_point(step, ap_polytope_point(p, ap_polytope_corner(p, k / 3, k % 3)), s->pair, s->trace);
    }
}

AP_RARE void ap_depth_trace_edge(const ap_depth_search *s, const ap_simplex_vertex *ring, int count, int edge,
                                 const ap_depth *d)
{
    apart_trace_step *step = add_step(d, s->pair, 2, s->trace);
    if (step == NULL) {
        return;
    }
    set_corner(step, 0, &ring[edge], s->pair);
    set_corner(step, 1, &ring[(edge + 1) % count], s->pair);
    for (int i = 0; i < count; i++) {
        add_surface_point(step, ring[i].w, s->pair, s->trace);
    }
}
