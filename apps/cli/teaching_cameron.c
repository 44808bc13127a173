/* Cameron 1997, Figs. 1, 2 and 6(a), in the plane. */
#include <math.h>
#include <stdio.h>

#include "teaching.h"

static const outline hexagon = {6, {{-1.1, -0.5}, {0.1, -1.0}, {1.1, -0.6}, {1.3, 0.3}, {0.3, 1.0}, {-0.9, 0.7}}};
static const outline triangle = {3, {{-0.8, -0.6}, {0.9, -0.4}, {-0.1, 0.9}}};

/* ---- Fig. 1 ---- */

/* How far along d the triangle stands when its distance from the hexagon is `value`. */
static flat place_at(flat d, double value)
{
    double inside = -0.2, outside = 4.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (inside + outside);
        const outline moved = outline_moved(&triangle, flat_scale(middle, d));
        *(outline_distance(&moved, &hexagon).distance < value ? &inside : &outside) = middle;
    }
    return flat_scale(outside, d);
}

static void draw_mtd(FILE *out)
{
    const canvas c = canvas_begin(out, 0, 1, 420, (flat){-3.6, -1.9}, (flat){3.6, 1.9}, "");
    static const char *const names[2] = {"A", "C"};
    static const flat ways[2] = {{-1.0, 0.25}, {1.0, 0.35}};
    canvas_polygon(&c, hexagon.points, hexagon.count, "body-b");
    canvas_text(&c, (flat){0.1, 0}, 0, 8, "name ink-b", "B");
    for (int i = 0; i < 2; i++) {
        const double wanted = i == 0 ? 0.45 : -0.45;
        const flat at = place_at(ways[i], wanted);
        const outline body = outline_moved(&triangle, at);
        const apart_result r = outline_distance(&body, &hexagon);
        const flat t = flat_scale(r.distance, flat_of(r.normal));
        const outline there = outline_moved(&body, t);
        char label[64];
        canvas_polygon(&c, body.points, body.count, "body-a");
        canvas_polygon(&c, there.points, there.count, "ghost-a");
        for (size_t k = 0; k < body.count; k++) {
            canvas_arrow(&c, body.points[k], there.points[k], "separator");
        }
        canvas_dot(&c, flat_of(r.a), "dot-a");
        canvas_dot(&c, flat_of(r.b), "dot-b");
        canvas_text(&c, outline_middle(&body), 0, 8, "name ink-a", names[i]);
        snprintf(label, sizeof label, "MTD(%s, B) = %+.2f", names[i], r.distance);
        canvas_text(&c, (flat){at.x, -1.6}, 0, 0, "head", label);
    }
    canvas_end(&c);
}

const teaching_figure teaching_cameron_1 =
    {.name = "cameron-1",
     .source = "Cameron 1997, Fig. 1 (C1)",
     .title = "One signed number: the minimum translational distance",
     .caption =
         {"A is apart from B, C overlaps it. The dashed arrows are the shortest translations that bring A and C into",
          "mere contact with B (pale). Both have the same length; the sign of MTD tells the cases apart."},
     .height = 420,
     .draw = draw_mtd};

/* ---- Fig. 2 ---- */

enum { MOMENTS = 4 };

static void draw_transitions(FILE *out)
{
    static const outline still = {5, {{-1.3, -0.9}, {0.9, -0.9}, {1.4, -0.2}, {0.7, 0.5}, {-1.1, 0.4}}};
    static const outline moving = {4, {{-0.5, 0.0}, {0.1, -0.6}, {0.8, 0.1}, {0.2, 0.8}}};
    static const flat places[MOMENTS] = {{-0.5, 1.75}, {0.6, 1.8}, {1.45, 1.6}, {1.95, 1.1}};
    static const char *const numbers[MOMENTS] = {"1", "2", "3", "4"};
    const canvas real = canvas_begin(out, 0, 2, 400, (flat){-2.0, -1.4}, (flat){3.4, 3.0}, "Real space");
    canvas_polygon(&real, still.points, still.count, "body-b");
    canvas_text(&real, (flat){0, -0.3}, 0, 8, "name ink-b", "Q");
    for (int i = 0; i < MOMENTS; i++) {
        const outline body = outline_moved(&moving, places[i]);
        const apart_result r = outline_distance(&body, &still);
        canvas_polygon(&real, body.points, body.count, i == MOMENTS - 1 ? "body-a" : "ghost-a");
        canvas_line(&real, flat_of(r.a), flat_of(r.b), "witness");
        canvas_dot(&real, flat_of(r.a), "dot-a");
        canvas_dot(&real, flat_of(r.b), "dot-b");
        canvas_text(&real, outline_middle(&body), 0, 6, "point", numbers[i]);
    }
    canvas_end(&real);
    /* The obstacle of P at rest in its own place; where P moves, the origin moves. */
    const outline tcso = outline_difference(&moving, &still);
    const canvas space =
        canvas_begin(out, 1, 2, 400, (flat){-2.7, -2.3}, (flat){2.8, 2.5}, "TC-space: q − p; the origin moves with P");
    canvas_polygon(&space, tcso.points, tcso.count, "difference");
    canvas_text(&space, outline_middle(&tcso), 0, 8, "name ink-d", "TCSO");
    for (int i = 0; i < MOMENTS; i++) {
        const apart_result r = outline_from_point(&tcso, places[i]);
        canvas_line(&space, places[i], flat_of(r.a), "witness");
        canvas_dot(&space, flat_of(r.a), "dot-d");
        canvas_text(&space, places[i], 0, -8, "point", numbers[i]);
        canvas_dot(&space, places[i], "dot-a");
    }
    canvas_end(&space);
}

const teaching_figure teaching_cameron_2 = {
    .name = "cameron-2",
    .source = "Cameron 1997, Fig. 2 (C2, C3), which is in space",
    .title = "Witness points move from feature to neighbouring feature",
    .caption =
        {"P passes Q. Left: the witness points, vertex against edge, then vertex against vertex, then edge against vertex.",
         "Right: their difference stays on the obstacle {q − p} and walks over its neighbouring edges; that is why the",
         "next query has so little to do."},
    .height = 400,
    .draw = draw_transitions};

/* ---- Fig. 6(a) ---- */

static void mark(const canvas *c, flat from, const apart_result *r, const char *name, double dx, double dy)
{
    canvas_line(c, from, flat_of(r->a), "witness");
    canvas_dot(c, flat_of(r->a), "dot-d");
    canvas_text(c, flat_of(r->a), dx, dy, "point", name);
}

static void draw_penetration(FILE *out)
{
    static const outline tcso =
        {8, {{-2.0, -0.6}, {-1.0, -1.4}, {0.6, -1.5}, {1.8, -0.7}, {2.1, 0.4}, {1.2, 1.4}, {-0.4, 1.6}, {-1.7, 0.8}}};
    static const outline simplex = {3, {{-1.7, 0.8}, {1.8, -0.7}, {1.2, 1.4}}};
    static const outline tracked = {3, {{-1.7, 0.8}, {-2.0, -0.6}, {1.8, -0.7}}};
    static const flat origin = {0.75, 0.35}, before = {-2.25, 0.15}, after = {-1.6, 0.15};
    const canvas left = canvas_begin(out, 0, 2, 400, (flat){-2.7, -1.9}, (flat){2.6, 2.0}, "From scratch: bounds");
    const apart_result a = outline_from_point(&simplex, origin), best = outline_from_point(&tcso, origin);
    flat nearest = simplex.points[0];
    for (size_t i = 1; i < simplex.count; i++) {
        const flat d = flat_sub(simplex.points[i], origin), e = flat_sub(nearest, origin);
        nearest = hypot(d.x, d.y) < hypot(e.x, e.y) ? simplex.points[i] : nearest;
    }
    char words[96];
    canvas_polygon(&left, tcso.points, tcso.count, "ghost-a");
    canvas_polygon(&left, simplex.points, simplex.count, "difference");
    mark(&left, origin, &a, "a", -14, 2);
    mark(&left, origin, &best, "c", 16, 4);
    canvas_line(&left, origin, nearest, "separator");
    canvas_dot(&left, nearest, "dot-d");
    canvas_text(&left, nearest, 14, -4, "point", "b");
    canvas_dot(&left, origin, "dot-b");
    canvas_text(&left, origin, -4, -12, "point", "1");
    const flat to_b = flat_sub(nearest, origin);
    snprintf(words, sizeof words, "|a| = %.2f ≤ |c| = %.2f ≤ |b| = %.2f", -a.distance, -best.distance,
             hypot(to_b.x, to_b.y));
    canvas_text(&left, (flat){-0.05, -1.75}, 0, 0, "head", words);
    canvas_end(&left);
    const canvas right =
        canvas_begin(out, 1, 2, 400, (flat){-2.7, -1.9}, (flat){2.6, 2.0}, "Tracked from outside: exact");
    const apart_result outside = outline_from_point(&tcso, before), d = outline_from_point(&tracked, after),
                       depth = outline_from_point(&tcso, after);
    canvas_polygon(&right, tcso.points, tcso.count, "ghost-a");
    canvas_polygon(&right, tracked.points, tracked.count, "difference");
    canvas_line(&right, before, flat_of(outside.a), "separator");
    mark(&right, after, &d, "d", -12, -10);
    canvas_arrow(&right, before, flat_add(before, flat_scale(0.82, flat_sub(after, before))), "axis");
    canvas_dot(&right, before, "dot-b");
    canvas_dot(&right, after, "dot-b");
    canvas_text(&right, before, 0, -12, "point", "2");
    canvas_text(&right, after, 12, -8, "point", "3");
    snprintf(words, sizeof words, "|d| = %.2f, and MTD⁺ = %.2f", -d.distance, -depth.distance);
    canvas_text(&right, (flat){-0.05, -1.75}, 0, 0, "head", words);
    canvas_end(&right);
}

const teaching_figure teaching_cameron_6a = {
    .name = "cameron-6a",
    .source = "Cameron 1997, Fig. 6(a) (C9)",
    .title = "Bounds of the depth from GJK's last simplex",
    .caption =
        {"Left: the origin is at 1 inside the TCSO (pale); the simplex that encloses it (green) gives the nearest point a of",
         "its edges, a lower bound, and its nearest vertex b, an upper one; the depth is |c|. Right: the origin came in from 2",
         "to 3; the simplex still has the edge that was nearest, which is an edge of the TCSO: d is exact."},
    .height = 400,
    .draw = draw_penetration};
