/* EPA: expands the polytope around the origin at its nearest face until the bounds of the depth meet.
 *
 * Source: Cameron 1997 section 5 (item C9 of docs/papers.md) for the bounds: the nearest face of the polytope from
 * below, any support value from above; van den Bergen 2001 for expanding it at that face. We differ in the polytope
 * (polytope.h): it need not be convex for its bound to hold, and where both bounds meet the depth is the global minimum
 * although the problem is not convex. */
#include "depth_search.h"

/* Of M: a guessed point this far beyond a face is good enough to expand there. */
#define GUESSED_RISE 0x1p-20

/* Finds the point that direction tables give for the normal of a face, or else the support point. Returns true for a
 * point of the tables, which is far enough beyond the face but need not be the farthest. */
AP_INLINE bool guess_or_search(const ap_polytope *p, const ap_nearest_face *face, ap_pair *pair, bool guess,
                               ap_simplex_vertex *found)
{
    const int newest = ap_polytope_corner(p, face->index, 0);
    const bool tables = pair->guesses && pair->context.search == APART_SUPPORT_AUTO;
    found->index_a = tables ? APART_NO_INDEX : p->index[2 * newest];
    found->index_b = tables ? APART_NO_INDEX : p->index[2 * newest + 1];
    if (tables && guess) {
        found->index_a = AP_GUESS;
        found->index_b = AP_GUESS;
        ap_pair_support(pair, ap_neg(face->n), found);
        if (ap_dot(face->unit, found->w) - face->distance > GUESSED_RISE * pair->magnitude) {
            return true;
        }
    }
    ap_pair_support(pair, ap_neg(face->n), found);
    return false;
}

/* Finds a point beyond a face to expand at. Returns the upper bound of the depth: the support value along the normal of
 * the face, or infinity after a guess. */
AP_INLINE double find_beyond(ap_enclosure *e, const ap_polytope *p, const ap_nearest_face *face,
                             const ap_depth_search *s, bool guess, ap_simplex_vertex *found)
{
    if (s->vertices != NULL) {
        found->index_a = ap_vertices_scan(&s->vertices->a, ap_neg(face->n));
        found->index_b = ap_vertices_scan(&s->vertices->b, face->n);
        ap_lanes_store(&found->w, ap_vertices_difference(s->vertices, found->index_a, found->index_b));
        s->pair->context.count.visited += s->pair->count_a + s->pair->count_b;
        s->pair->support_calls += 2;
    } else if (guess_or_search(p, face, s->pair, guess, found)) {
        return INFINITY;
    }
    const double value = ap_dot(face->unit, found->w);
    if (value < e->least_value) {
        e->least_value = value;
        e->least_direction = face->unit;
    }
    return ap_max(value, face->distance);
}

/* The witness point: where the ray along the normal of the face leaves the polytope. */
static void set_face_witness(ap_depth *d, const ap_polytope *p, const ap_depth_search *s, int face)
{
    double weight[3];
    const int f = ap_polytope_locate(p, face, ap_neg(d->normal), weight);
    d->simplex.count = 0;
    for (int i = 0; i < 3; i++) {
        if (!(weight[i] > 0.0)) {
            continue;
        }
        const int vertex = p->corner[4 * f + i] >> 2;
        ap_simplex_vertex *out = &d->simplex.vertex[d->simplex.count++];
        if (s->vertices == NULL) {
            ap_polytope_vertex(p, s->pair, vertex, weight[i], out);
            continue;
        }
        out->index_a = p->index[2 * vertex];
        out->index_b = p->index[2 * vertex + 1];
        const ap_lanes a = ap_vertices_get(&s->vertices->a, out->index_a);
        const ap_lanes b = ap_vertices_get(&s->vertices->b, out->index_b);
        ap_lanes_store(&out->a, a);
        ap_lanes_store(&out->b, b);
        ap_lanes_store(&out->w, ap_lanes_sub(b, a));
        out->lambda = weight[i];
    }
}

bool ap_depth_take_least(ap_depth *d, const ap_enclosure *e)
{
    if (!(e->least_value < d->most)) {
        return false;
    }
    d->most = ap_max(e->least_value, d->least);
    d->normal = ap_neg(e->least_direction);
    return true;
}

void ap_depth_measure(ap_depth *d)
{
    double length = 0.0;
    for (int i = 0; i < d->simplex.count; i++) {
        length -= d->simplex.vertex[i].lambda * ap_dot(d->normal, d->simplex.vertex[i].w);
    }
    d->depth = ap_min(ap_max(length, d->least), d->most);
}

/* A face at which rounding forbids the expansion is set aside: growth beside it may flip it away; if not, it is the
 * lower bound of the answer in the end. */
void ap_depth_expand(ap_depth *d, ap_enclosure *e, ap_polytope *p, const ap_depth_search *s)
{
    ap_nearest_face face;
    ap_simplex_vertex found;
    double most = INFINITY;
    bool done = false;
    for (;;) {
        ap_polytope_nearest(p, &face);
        if (face.index < 0 || p->vertex_count == p->capacity) {
            break;
        }
        most = find_beyond(e, p, &face, s, s->guess, &found);
        if (s->trace != NULL) {
            ap_depth_trace_face(s, p, &face, most);
        }
        done = most - face.distance <= s->close || face.distance > s->deep;
        if (done) {
            break;
        }
        if (!(most > face.distance) || !ap_polytope_insert(p, face.index, &found, face.distance)) {
            ap_polytope_set_aside(p, face.index);
        }
    }
    if (p->aside || !done) { /* the answer is the nearest face of all, with its support value */
        const int last = face.index;
        ap_polytope_take_back(p);
        ap_polytope_nearest(p, &face);
        if (!done || face.index != last) {
            most = find_beyond(e, p, &face, s, false, &found);
            done = most - face.distance <= s->close || face.distance > s->deep;
        }
    }
    d->least = face.distance;
    d->most = most;
    d->depth = face.distance;
    d->normal = ap_neg(face.unit);
    d->stop = done ? APART_STOP_CONVERGED : p->vertex_count == p->capacity ? APART_STOP_WORKSPACE : APART_STOP_ROUNDING;
    if (!done) {
        ap_depth_take_least(d, e);
    }
    set_face_witness(d, p, s, face.index);
    if (!done) {
        ap_depth_measure(d);
    }
}
