/* From a simplex that holds the origin to a surface around it.
 *
 * Integer-aligned boxes end the loop with the origin on a segment or a triangle in half of all overlaps. Then the missing dimensions
 * are opened one by one: a triangle gets a pole on either side; a segment gets a ring, found by the planar version of the same
 * search in the projection along it. A probe that does not reach clearly beyond the origin is a separating direction: contact.
 *
 * Legend: m a unit direction, the support value of the TCSO along m is max m.w. */
#include "enclose.h"

/* A probe below this many u * M does not prove that the TCSO reaches beyond the origin. */
#define REACH_NOISE 32.0
#define RING_STEPS 64

double ap_enclosure_noise(const ap_pair *pair) { return REACH_NOISE * AP_UNIT_ROUNDOFF * pair->magnitude; }

double ap_enclosure_probe(ap_enclosure *e, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found)
{
    found->index_a = APART_NO_INDEX;
    found->index_b = APART_NO_INDEX;
    ap_pair_support(pair, ap_neg(m), found);
    const double value = ap_dot(m, found->w);
    ap_enclosure_remember(e, m, value);
    return value;
}

static double turn(const ap_plane *plane, apart_vec3 p, apart_vec3 q)
{
    return ap_diff_of_products(ap_dot(plane->f, p), ap_dot(plane->g, q), ap_dot(plane->g, p), ap_dot(plane->f, q));
}

static apart_vec3 in_plane(const ap_plane *plane, double x, double y) { return ap_add(ap_scale(x, plane->f), ap_scale(y, plane->g)); }

/* The direction across the projected segment p q, turned so that it points from the segment towards the origin's side. */
static apart_vec3 across(const ap_plane *plane, apart_vec3 p, apart_vec3 q)
{
    const double x = ap_dot(plane->f, q) - ap_dot(plane->f, p), y = ap_dot(plane->g, q) - ap_dot(plane->g, p);
    const apart_vec3 m = ap_unit(in_plane(plane, -y, x));
    return ap_dot(m, p) > 0.0 ? ap_neg(m) : m;
}

/* The origin projects onto the segment ring[0] ring[1]: one probe on either side closes the ring. */
static int close_flat_ring(ap_enclosure *e, ap_pair *pair, const ap_plane *plane, ap_simplex_vertex ring[4])
{
    const apart_vec3 m = across(plane, ring[0].w, ring[1].w);
    const ap_simplex_vertex end = ring[1];
    if (!(ap_enclosure_probe(e, pair, m, &ring[1]) > ap_enclosure_noise(pair)) ||
        !(ap_enclosure_probe(e, pair, ap_neg(m), &ring[3]) > ap_enclosure_noise(pair))) {
        return 0;
    }
    ring[2] = end;
    if (turn(plane, ring[0].w, ring[1].w) < 0.0) {
        const ap_simplex_vertex swap = ring[1];
        ring[1] = ring[3];
        ring[3] = swap;
    }
    return 4;
}

/* Surrounds the axis with 3 or 4 points, counter-clockwise; 0 when a direction separates. `first`: a direction in the plane. */
static int find_ring(ap_enclosure *e, ap_pair *pair, const ap_plane *plane, ap_simplex_vertex ring[4])
{
    const double reach = ap_enclosure_noise(pair);
    if (!(ap_enclosure_probe(e, pair, plane->f, &ring[0]) > reach)) {
        return 0;
    }
    const apart_vec3 back = ap_unit(in_plane(plane, -ap_dot(plane->f, ring[0].w), -ap_dot(plane->g, ring[0].w)));
    if (!(ap_enclosure_probe(e, pair, back, &ring[1]) > reach)) {
        return 0;
    }
    const double noise = reach * pair->magnitude;
    for (int step = 0; step < RING_STEPS; step++) {
        const double area = turn(plane, ring[0].w, ring[1].w);
        if (fabs(area) <= noise) {
            return close_flat_ring(e, pair, plane, ring);
        }
        if (area < 0.0) {
            const ap_simplex_vertex swap = ring[0];
            ring[0] = ring[1];
            ring[1] = swap;
        }
        if (!(ap_enclosure_probe(e, pair, across(plane, ring[0].w, ring[1].w), &ring[2]) > reach)) {
            return 0;
        }
        const double after = turn(plane, ring[1].w, ring[2].w), before = turn(plane, ring[2].w, ring[0].w);
        if (after > noise && before > noise) {
            return 3;
        }
        ring[after < before ? 0 : 1] = ring[2]; /* the origin is beyond the edge with the lesser turn: keep its ends */
    }
    return 0;
}

static bool enclose_segment(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const apart_vec3 axis = ap_unit(ap_sub(s->vertex[0].w, s->vertex[1].w));
    ap_plane plane = {.f = ap_perpendicular(axis)};
    plane.g = ap_cross(axis, plane.f);
    e->point[0] = s->vertex[0];
    e->point[1] = s->vertex[1];
    const int n = find_ring(e, pair, &plane, &e->point[2]);
    e->count = n > 0 ? n + 2 : 0;
    return n > 0;
}

static bool enclose_triangle(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const apart_vec3 p = s->vertex[0].w;
    const apart_vec3 n = ap_unit(ap_cross_accurate(ap_sub(s->vertex[1].w, p), ap_sub(s->vertex[2].w, p)));
    for (int i = 0; i < 3; i++) {
        e->point[2 + i] = s->vertex[i];
    }
    if (!(ap_enclosure_probe(e, pair, n, &e->point[0]) > ap_enclosure_noise(pair)) ||
        !(ap_enclosure_probe(e, pair, ap_neg(n), &e->point[1]) > ap_enclosure_noise(pair))) {
        return false;
    }
    e->count = 5;
    return true;
}

void ap_enclosure_clear(ap_enclosure *e)
{
    e->count = 0;
    e->tetrahedron = false;
    e->support = INFINITY;
    e->out = ap_vec(1.0, 0.0, 0.0);
}

void ap_enclose_in_plane(ap_enclosure *e, ap_pair *pair, const ap_plane *plane)
{
    ap_enclosure_clear(e);
    e->count = find_ring(e, pair, plane, e->point);
}

/* 2D: the whole plane is the ring's. */
static void enclose_planar_bodies(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const ap_plane plane = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}};
    if (s->count == 3) {
        const bool turned = turn(&plane, s->vertex[0].w, s->vertex[1].w) < 0.0;
        e->count = 3;
        e->point[0] = s->vertex[0];
        e->point[1] = s->vertex[turned ? 2 : 1];
        e->point[2] = s->vertex[turned ? 1 : 2];
        return;
    }
    e->count = find_ring(e, pair, &plane, e->point);
}

/* A simplex of a single vertex at the origin: if a support search found it, the TCSO does not reach beyond it that way. */
static void touch_at_vertex(ap_enclosure *e, ap_pair *pair, const ap_gjk *g)
{
    ap_simplex_vertex found;
    const apart_vec3 d = ap_max_abs(g->direction) > 0.0 ? g->direction : ap_vec(1.0, 0.0, 0.0);
    ap_enclosure_probe(e, pair, ap_neg(ap_unit(d)), &found);
}

/* Four points that enclose the origin clearly; thinner ones are taken by the face nearest to it. */
static void enclose_tetrahedron(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    double least = INFINITY;
    int nearest = 0;
    for (int k = 0; k < 4; k++) {
        const apart_vec3 p = s->vertex[face[k][0]].w;
        const apart_vec3 n = ap_cross_accurate(ap_sub(s->vertex[face[k][1]].w, p), ap_sub(s->vertex[face[k][2]].w, p));
        const double away = fabs(ap_dot(n, p)) / ap_norm(n);
        if (away < least) {
            least = away;
            nearest = k;
        }
    }
    if (least > ap_enclosure_noise(pair)) {
        e->count = 4;
        e->tetrahedron = true;
        for (int k = 0; k < 4; k++) {
            e->point[k] = s->vertex[k];
        }
        return;
    }
    ap_simplex flat = {.count = 3};
    for (int k = 0; k < 3; k++) {
        flat.vertex[k] = s->vertex[face[nearest][k]];
    }
    enclose_triangle(e, pair, &flat);
}

void ap_enclose(ap_enclosure *e, ap_pair *pair, const ap_gjk *g)
{
    const ap_simplex *s = &g->simplex;
    ap_enclosure_clear(e);
    if (s->count == 1) {
        touch_at_vertex(e, pair, g);
    } else if (pair->dim == 2) {
        enclose_planar_bodies(e, pair, s);
    } else if (s->count == 4) {
        enclose_tetrahedron(e, pair, s);
    } else if (s->count == 3) {
        enclose_triangle(e, pair, s);
    } else {
        enclose_segment(e, pair, s);
    }
}

bool ap_enclosure_separates(const ap_enclosure *e, const ap_pair *pair) { return e->support <= ap_enclosure_noise(pair); }
