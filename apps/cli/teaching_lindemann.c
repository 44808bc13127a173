/* Lindemann 2009, Figs. 5 and 6. */
#include <math.h>
#include <stdio.h>

#include "teaching.h"

/* ---- Fig. 5: the main algorithm in the plane ---- */

enum { STEPS = 4, SIDES = 20 };
#define PI 3.14159265358979323846
#define LEAN 2.35

static void draw_step(const canvas *c, const outline *body, const outline *simplex, flat v, flat w, int k)
{
    const double length = hypot(v.x, v.y);
    const flat across = {-v.y / length, v.x / length}, at = flat_scale(flat_dot(v, w) / (length * length), v);
    char name[16];
    canvas_polygon(c, body->points, body->count, "ghost-a");
    canvas_polygon(c, simplex->points, simplex->count, "difference");
    canvas_line(c, flat_add(at, flat_scale(5, across)), flat_sub(at, flat_scale(5, across)), "separator");
    canvas_line(c, (flat){0, 0}, v, "witness");
    canvas_origin(c);
    canvas_dot(c, v, "dot-d");
    snprintf(name, sizeof name, "v%d", k);
    canvas_text(c, v, 16, -6, "point", name);
    canvas_dot(c, w, "dot-b");
    snprintf(name, sizeof name, "w%d", k);
    canvas_text(c, w, -16, 14, "point", name);
}

static void draw_iterations(FILE *out)
{
    outline body = {.count = SIDES}; /* on an ellipse, leaning */
    for (int i = 0; i < SIDES; i++) {
        const double angle = 2.0 * PI * (i + 0.5) / SIDES, along = 2.6 * cos(angle), across = 0.9 * sin(angle);
        body.points[i] =
            (flat){2.2 + along * cos(LEAN) - across * sin(LEAN), 2.0 + along * sin(LEAN) + across * cos(LEAN)};
    }
    static const char *const headings[STEPS] = {"k = 0", "k = 1", "k = 2", "k = 3"};
    outline simplex = {.count = 0};
    flat v = outline_support(&body, (flat){1, -0.3}); /* arbitrary */
    for (int k = 0; k < STEPS; k++) {
        const flat w = outline_support(&body, flat_scale(-1, v));
        const canvas c = canvas_begin(out, k, STEPS, 280, (flat){-0.6, -0.6}, (flat){4.9, 4.3}, headings[k]);
        const outline start = {1, {v}};
        draw_step(&c, &body, k == 0 ? &start : &simplex, v, w, k);
        canvas_end(&c);
        /* The closest point of the simplex with w, and the smallest set of its points that carries it. */
        simplex.points[simplex.count++] = w;
        const apart_result r = outline_from_point(&simplex, (flat){0, 0});
        const outline full = simplex;
        simplex.count = 0;
        for (uint32_t i = 0; i < r.count; i++) {
            simplex.points[simplex.count++] = full.points[r.index_a[i]];
        }
        v = flat_of(r.a);
    }
}

const teaching_figure teaching_lindemann_5 = {
    .name = "lindemann-5",
    .source = "Lindemann 2009, Fig. 5 (L4)",
    .title = "Four iterations of GJK on C = A − B",
    .caption =
        {"v is the point of the simplex (green) nearest to the origin o, w the support point of C (pale) in the direction −v.",
         "All of C lies beyond the dashed line through w, so its distance from o is a lower bound of the distance; the",
         "length of v is an upper one. The loop ends when w is no more extreme than v."},
    .height = 280,
    .draw = draw_iterations};

/* ---- Fig. 6: the regions ---- */

static void draw_regions(FILE *out)
{
    static const flat corner[3] = {{0, 0}, {3.0, 0.4}, {1.1, 2.3}};
    static const char *const names[3] = {"A", "B", "C"}, *const edges[3] = {"AB", "BC", "CA"};
    static const outline page = {4, {{-9, -9}, {12, -9}, {12, 9}, {-9, 9}}};
    const canvas c = canvas_begin(out, 0, 1, 440, (flat){-2.2, -1.6}, (flat){5.2, 3.7}, "");
    for (int i = 0; i < 3; i++) {
        const flat p = corner[i], q = corner[(i + 1) % 3], r = corner[(i + 2) % 3], e = flat_sub(q, p),
                   f = flat_sub(r, p);
        const flat outward = {e.y, -e.x};
        /* X in V: PX . PQ <= 0 and PX . PR <= 0. */
        outline vertex = outline_clipped(&page, e, flat_dot(e, p));
        vertex = outline_clipped(&vertex, f, flat_dot(f, p));
        canvas_polygon(&c, vertex.points, vertex.count, "body-b");
        /* X in E: beyond the edge, between its ends. */
        outline edge = outline_clipped(&page, flat_scale(-1, outward), -flat_dot(outward, p));
        edge = outline_clipped(&edge, flat_scale(-1, e), -flat_dot(e, p));
        edge = outline_clipped(&edge, e, flat_dot(e, q));
        canvas_polygon(&c, edge.points, edge.count, "body-a");
    }
    canvas_polygon(&c, corner, 3, "difference");
    for (int i = 0; i < 3; i++) {
        const flat p = corner[i], q = corner[(i + 1) % 3], middle = flat_scale(0.5, flat_add(p, q));
        const flat from = flat_sub(p, (flat){1.37, 0.9}), e = flat_sub(q, p);
        const double length = hypot(from.x, from.y), edge = hypot(e.x, e.y);
        char name[8];
        snprintf(name, sizeof name, "V_%s", names[i]);
        canvas_text(&c, flat_add(p, flat_scale(0.9 / length, from)), 0, 4, "head", name);
        snprintf(name, sizeof name, "E_%s", edges[i]);
        canvas_text(&c, flat_add(middle, (flat){0.6 * e.y / edge, -0.6 * e.x / edge}), 0, 4, "head", name);
        canvas_dot(&c, p, "dot-d");
        canvas_text(&c, flat_sub(p, flat_scale(0.25 / length, from)), 0, 5, "point", names[i]);
    }
    /* A point in the region of an edge, and where the library says it is nearest. */
    const outline triangle = {3, {corner[0], corner[1], corner[2]}};
    const flat x = {0.5, -0.9};
    const apart_result r = outline_from_point(&triangle, x);
    canvas_line(&c, x, flat_of(r.a), "witness");
    canvas_dot(&c, x, "dot-a");
    canvas_dot(&c, flat_of(r.a), "dot-a");
    canvas_text(&c, x, -12, 4, "point", "X");
    canvas_end(&c);
}

const teaching_figure teaching_lindemann_6 = {
    .name = "lindemann-6",
    .source = "Lindemann 2009, Fig. 6, after Ericson (L5)",
    .title = "Voronoi regions of a triangle",
    .caption =
        {"A point in a red region is nearest to that vertex, in a blue one to a point of that edge. V_A: AX · AB ≤ 0 and",
         "AX · AC ≤ 0; E_AB: beyond the edge, AX · AB ≥ 0 and BX · BA ≥ 0. X is nearest to a point of AB."},
    .height = 440,
    .draw = draw_regions};
