/* Source: B. Mirtich, V-Clip: Fast and Robust Polyhedral Collision Detection, 1998: the algorithm of Lin and Canny
 * (1991), which Cameron 1997 compares with, in the form that clips edges against Voronoi regions.
 *
 * Legend: V, E, F the kinds of features; a pair (X, Y) of them, one on each body, walks over the polyhedra until the
 * nearest points of X and Y lie in the Voronoi regions of Y and X. N_l, N_h: the features whose planes clip an edge at its
 * lower and its upper end; D the distance of the edge's points from a feature.
 * We differ in: a walk of more than 1000 steps is given up. */
#include <math.h>

#include "frame.h"

enum { MOST_LOOPS = 1000 };

typedef struct feature {
    uint32_t kind, number;
} feature;

enum { V = APART_FEATURE_VERTEX, E = APART_FEATURE_EDGE, F = APART_FEATURE_FACE, NONE = 99 };

/* What a state decides. */
typedef enum outcome {
    MOVED, /* a feature has changed */
    DONE,
    PENETRATION,
    HELD /* this side is content */
} outcome;

static double dot(apart_vec3 a, apart_vec3 b) { return apart_vec3_dot(a, b); }
static apart_vec3 vertex(const lab_solid *s, uint32_t v) { return s->points.point[v]; }
static apart_vec3 tail(const lab_solid *s, uint32_t e) { return vertex(s, s->mesh->edge[e].end[0]); }
static apart_vec3 head(const lab_solid *s, uint32_t e) { return vertex(s, s->mesh->edge[e].end[1]); }
static apart_vec3 along(const lab_solid *s, uint32_t e) { return apart_vec3_sub(head(s, e), tail(s, e)); }
static apart_vec3 normal(const lab_solid *s, uint32_t f) { return apart_pose_rotate(&s->pose, s->mesh->normal[f]); }

/* Away from the face through its edge. */
static apart_vec3 outward(const lab_solid *s, uint32_t e, int side)
{
    const apart_vec3 u = along(s, e), n = normal(s, s->mesh->edge[e].face[side]);
    return side == 0 ? apart_vec3_cross(u, n) : apart_vec3_cross(n, u);
}

/* ---- Voronoi planes: each a half-space of the region, and the feature beyond it ---- */

typedef struct plane {
    apart_vec3 normal, point; /* inside: normal.(x - point) >= 0 */
    feature beyond;
} plane;

static uint32_t plane_count(const lab_solid *s, feature x)
{
    const lab_mesh *m = s->mesh;
    return x.kind == V   ? m->first_of_vertex[x.number + 1] - m->first_of_vertex[x.number]
           : x.kind == E ? 4
                         : m->first_of_face[x.number + 1] - m->first_of_face[x.number];
}

static plane plane_of(const lab_solid *s, feature x, uint32_t i)
{
    const lab_mesh *m = s->mesh;
    if (x.kind == V) {
        const uint32_t e = m->at_vertex[m->first_of_vertex[x.number] + i];
        const apart_vec3 u = along(s, e);
        return (plane){m->edge[e].end[0] == x.number ? apart_vec3_neg(u) : u, vertex(s, x.number), {E, e}};
    }
    if (x.kind == E) {
        const lab_mesh_edge *e = &m->edge[x.number];
        const apart_vec3 u = along(s, x.number);
        if (i < 2) {
            return (plane){i == 0 ? u : apart_vec3_neg(u), vertex(s, e->end[i]), {V, e->end[i]}};
        }
        return (plane){outward(s, x.number, (int)i - 2), tail(s, x.number), {F, e->face[i - 2]}};
    }
    const uint32_t e = m->at_face[m->first_of_face[x.number] + i];
    return (plane){apart_vec3_neg(outward(s, e, m->edge[e].face[0] == x.number ? 0 : 1)), tail(s, e), {E, e}};
}

static double side_of(const plane *p, apart_vec3 x) { return dot(p->normal, apart_vec3_sub(x, p->point)); }

/* Moves x over the plane that a point violates most. False: the point is in the region. */
static bool leave_region(const lab_solid *s, feature *x, apart_vec3 point)
{
    double worst = 0.0;
    feature next = *x;
    const uint32_t count = plane_count(s, *x);
    for (uint32_t i = 0; i < count; i++) {
        const plane p = plane_of(s, *x, i);
        const double value = side_of(&p, point) / apart_vec3_norm(p.normal);
        if (value < worst) {
            worst = value;
            next = p.beyond;
        }
    }
    const bool left = worst < 0.0;
    *x = next;
    return left;
}

/* ---- clipping an edge of `t` against planes of a region of `s` ---- */

typedef struct clip {
    double low, high;
    feature n_low, n_high;
    bool simple; /* one plane excludes the whole edge: n_low */
} clip;

static bool clip_edge(const lab_solid *s, feature x, uint32_t from, uint32_t to, apart_vec3 p, apart_vec3 q, clip *c)
{
    for (uint32_t i = from; i < to; i++) {
        const plane cut = plane_of(s, x, i);
        const double at_p = side_of(&cut, p), at_q = side_of(&cut, q);
        if (at_p < 0.0 && at_q < 0.0) {
            c->n_low = c->n_high = cut.beyond;
            c->simple = true;
            return false;
        }
        const double lambda = at_p / (at_p - at_q);
        if (at_p < 0.0 && lambda > c->low) {
            c->low = lambda;
            c->n_low = cut.beyond;
        } else if (at_q < 0.0 && at_p >= 0.0 && lambda < c->high) {
            c->high = lambda;
            c->n_high = cut.beyond;
        }
        if (c->low > c->high) {
            return false;
        }
    }
    return true;
}

/* The sign of D' at a point of the edge with direction u. */
static double slope(const lab_solid *s, feature n, apart_vec3 point, apart_vec3 u)
{
    if (n.kind == V) {
        return dot(u, apart_vec3_sub(point, vertex(s, n.number)));
    }
    if (n.kind == F) {
        const lab_mesh *m = s->mesh;
        const uint32_t e = m->at_face[m->first_of_face[n.number]];
        const double d = dot(normal(s, n.number), apart_vec3_sub(point, tail(s, e))),
                     rise = dot(normal(s, n.number), u);
        return d >= 0.0 ? rise : -rise;
    }
    const apart_vec3 e = along(s, n.number), way = apart_vec3_sub(point, tail(s, n.number));
    const apart_vec3 off = apart_vec3_add_scaled(way, -dot(way, e) / dot(e, e), e);
    return dot(u, off);
}

/* After clipping: does the edge come nearer beyond an end? Then x moves there. */
static bool check_slopes(const lab_solid *s, feature *x, apart_vec3 p, apart_vec3 u, const clip *c)
{
    if (c->n_low.kind != NONE && slope(s, c->n_low, apart_vec3_add_scaled(p, c->low, u), u) > 0.0) {
        *x = c->n_low;
        return true;
    }
    if (c->n_high.kind != NONE && slope(s, c->n_high, apart_vec3_add_scaled(p, c->high, u), u) < 0.0) {
        *x = c->n_high;
        return true;
    }
    return false;
}

static const clip whole = {0.0, 1.0, {NONE, 0}, {NONE, 0}, false};

/* Does the edge of t stay in the region of x, a vertex or an edge, where it is nearest? */
static outcome clip_against(const lab_solid *s, feature *x, const lab_solid *t, uint32_t edge)
{
    const apart_vec3 p = tail(t, edge), q = head(t, edge), u = apart_vec3_sub(q, p);
    clip c = whole;
    if (x->kind == V) {
        if (!clip_edge(s, *x, 0, plane_count(s, *x), p, q, &c) && c.simple) {
            *x = c.n_low;
            return MOVED;
        }
        return check_slopes(s, x, p, u, &c) ? MOVED : HELD;
    }
    if (!clip_edge(s, *x, 0, 2, p, q, &c) && c.simple) {
        *x = c.n_low;
        return MOVED;
    }
    if (check_slopes(s, x, p, u, &c)) {
        return MOVED;
    }
    c = whole;
    if (!clip_edge(s, *x, 2, 4, p, q, &c) && c.simple) {
        *x = c.n_low;
        return MOVED;
    }
    return check_slopes(s, x, p, u, &c) ? MOVED : HELD;
}

/* ---- the states ---- */

static double height(const lab_solid *s, uint32_t f, apart_vec3 x)
{
    return dot(normal(s, f), apart_vec3_sub(x, tail(s, s->mesh->at_face[s->mesh->first_of_face[f]])));
}

/* A vertex below the face: the face that it is farthest above, or it is inside. */
static outcome leave_minimum(const lab_solid *s, feature *face, apart_vec3 x)
{
    double most = -INFINITY;
    uint32_t best = 0;
    for (uint32_t f = 0; f < s->mesh->faces; f++) {
        const double d = height(s, f, x);
        if (d > most) {
            most = d;
            best = f;
        }
    }
    face->number = best;
    return most <= 0.0 ? PENETRATION : MOVED;
}

static outcome vertex_face(const lab_solid *a, feature *v, const lab_solid *b, feature *f)
{
    const apart_vec3 x = vertex(a, v->number);
    if (leave_region(b, f, x)) {
        return MOVED;
    }
    const double d = height(b, f->number, x);
    const lab_mesh *m = a->mesh;
    for (uint32_t i = m->first_of_vertex[v->number]; i < m->first_of_vertex[v->number + 1]; i++) {
        const lab_mesh_edge *e = &m->edge[m->at_vertex[i]];
        const double other = height(b, f->number, vertex(a, e->end[e->end[0] == v->number ? 1 : 0]));
        if ((d >= 0.0 && other < d) || (d < 0.0 && other > d)) {
            *v = (feature){E, m->at_vertex[i]};
            return MOVED;
        }
    }
    return d >= 0.0 ? DONE : leave_minimum(b, f, x);
}

static outcome edge_face(const lab_solid *a, feature *e, const lab_solid *b, feature *f)
{
    const apart_vec3 p = tail(a, e->number), q = head(a, e->number), u = apart_vec3_sub(q, p);
    clip c = whole;
    if (!clip_edge(b, *f, 0, plane_count(b, *f), p, q, &c)) {
        /* The edge misses the region: the face's edge nearest to it takes its place. */
        const uint32_t from = b->mesh->first_of_face[f->number], to = b->mesh->first_of_face[f->number + 1];
        double least = INFINITY;
        feature best = *f;
        for (uint32_t i = from; i < to; i++) {
            apart_result r;
            const uint32_t g = b->mesh->at_face[i];
            const apart_shape one = apart_segment(p, q), two = apart_segment(tail(b, g), head(b, g));
            const apart_pose here = apart_pose_identity();
            apart_distance(&one, &here, &two, &here, NULL, NULL, &r);
            if (r.distance < least) {
                least = r.distance;
                best = (feature){E, g};
            }
        }
        *f = best;
        return MOVED;
    }
    const double at_low = height(b, f->number, apart_vec3_add_scaled(p, c.low, u)),
                 at_high = height(b, f->number, apart_vec3_add_scaled(p, c.high, u));
    if (at_low * at_high <= 0.0) {
        return PENETRATION;
    }
    const bool rises = (at_low > 0.0 ? 1.0 : -1.0) * dot(normal(b, f->number), u) >= 0.0;
    if (rises) {
        if (c.n_low.kind != NONE) {
            *f = c.n_low;
        } else {
            *e = (feature){V, a->mesh->edge[e->number].end[0]};
        }
    } else if (c.n_high.kind != NONE) {
        *f = c.n_high;
    } else {
        *e = (feature){V, a->mesh->edge[e->number].end[1]};
    }
    return MOVED;
}

static outcome step(const lab_solid *a, feature *x, const lab_solid *b, feature *y)
{
    if (x->kind > y->kind) {
        return step(b, y, a, x);
    }
    if (x->kind == V && y->kind == V) {
        return leave_region(a, x, vertex(b, y->number)) || leave_region(b, y, vertex(a, x->number)) ? MOVED : DONE;
    }
    if (x->kind == V && y->kind == E) {
        if (leave_region(b, y, vertex(a, x->number))) {
            return MOVED;
        }
        return clip_against(a, x, b, y->number) == MOVED ? MOVED : DONE;
    }
    if (x->kind == V) {
        return vertex_face(a, x, b, y);
    }
    if (y->kind == E) {
        const uint32_t on_a = x->number;
        return clip_against(a, x, b, y->number) == MOVED || clip_against(b, y, a, on_a) == MOVED ? MOVED : DONE;
    }
    return edge_face(a, x, b, y);
}

/* ---- the points ---- */

/* The nearest points of the two features, one of which is a vertex, or both are edges. */
static void witness(const lab_solid *a, feature x, const lab_solid *b, feature y, apart_vec3 *on_a, apart_vec3 *on_b)
{
    if (x.kind > y.kind) {
        witness(b, y, a, x, on_b, on_a);
        return;
    }
    if (x.kind == V) {
        const apart_vec3 p = *on_a = vertex(a, x.number);
        *on_b = y.kind == V ? vertex(b, y.number) : p;
        if (y.kind == E) {
            const apart_vec3 u = along(b, y.number), from = tail(b, y.number);
            *on_b = apart_vec3_add_scaled(from, dot(apart_vec3_sub(p, from), u) / dot(u, u), u);
        } else if (y.kind == F) {
            *on_b = apart_vec3_add_scaled(p, -height(b, y.number, p), normal(b, y.number));
        }
        return;
    }
    const apart_shape one = apart_segment(tail(a, x.number), head(a, x.number)),
                      two = apart_segment(tail(b, y.number), head(b, y.number));
    const apart_pose here = apart_pose_identity();
    apart_result r;
    apart_distance(&one, &here, &two, &here, NULL, NULL, &r);
    *on_a = r.a;
    *on_b = r.b;
}

void lab_vclip(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    feature x = {V, 0}, y = {V, 0};
    lab_printed_memory *memory = o->memory;
    *answer = (lab_printed_answer){.end = LAB_END_LOOPS, .distance = NAN};
    if (memory != NULL && memory->filled) {
        x = (feature){memory->kind[0], memory->feature[0]};
        y = (feature){memory->kind[1], memory->feature[1]};
    }
    outcome now = MOVED;
    while (now == MOVED && answer->work.loops < MOST_LOOPS) {
        answer->work.loops++;
        now = step(a, &x, b, &y);
    }
    if (memory != NULL) {
        *memory = (lab_printed_memory){true, {x.kind, y.kind}, {x.number, y.number}};
    }
    if (now == DONE) {
        answer->end = LAB_END_FOUND;
        witness(a, x, b, y, &answer->a, &answer->b);
        answer->distance = apart_vec3_distance(answer->a, answer->b);
    } else if (now == PENETRATION) {
        answer->end = LAB_END_INSIDE;
        answer->distance = 0.0;
    }
}
