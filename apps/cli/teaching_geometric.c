/* The geometric improvement, Figs. 6, 8 and 10. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "teaching.h"

/* ---- Fig. 6: which vertex is discarded ---- */

static double side_of(flat p, flat q, flat x) { return (q.x - p.x) * (x.y - p.y) - (q.y - p.y) * (x.x - p.x); }

static void draw_discard(FILE *out)
{
    static const flat corner[3] = {{0.3, 2.6}, {-1.5, 1.1}, {1.3, 0.8}}, o = {0, 0};
    for (int away = 0; away < 3; away++) {
        const flat p = corner[(away + 1) % 3], q = corner[(away + 2) % 3], x = corner[away], along = flat_sub(q, p);
        const bool separates = side_of(p, q, o) * side_of(p, q, x) < 0.0;
        char heading[64], name[8];
        snprintf(heading, sizeof heading, "discard P%d: %s", away + 1, separates ? "correct" : "incorrect");
        const canvas c = canvas_begin(out, away, 3, 320, (flat){-2.3, -0.7}, (flat){2.3, 3.1}, heading);
        canvas_polygon(&c, corner, 3, "difference");
        canvas_line(&c, flat_sub(p, flat_scale(3, along)), flat_add(q, flat_scale(3, along)),
                    separates ? "witness" : "separator");
        canvas_origin(&c);
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "P%d", i + 1);
            canvas_dot(&c, corner[i], i == away ? "dot-b" : "dot-d");
            canvas_text(&c, corner[i], i == 1 ? -16 : 16, i == 0 ? -6 : 16, "point", name);
        }
        canvas_end(&c);
    }
}

const teaching_figure teaching_geometric_6 = {
    .name = "geometric-6",
    .source = "the geometric improvement, Fig. 6 (G1, G2)",
    .title = "Which vertex of the triangle is discarded",
    .caption =
        {"The line through the two vertices that stay must separate the third (red) from the origin o. Only one of the three",
         "lines does here. Where more than one does, the text says to discard the farthest point: that rule makes the loop",
         "run for ever on about a tenth of near pairs (apart lab literal)."},
    .height = 320,
    .draw = draw_discard};

/* ---- Fig. 8: regions of the projected origin ---- */

/* The part of the plane on the other side of the line pq than x, or on the same. */
static outline cut(const outline *from, flat p, flat q, flat x, bool other)
{
    flat n = {q.y - p.y, p.x - q.x};
    if ((flat_dot(n, x) > flat_dot(n, p)) == other) {
        n = flat_scale(-1, n);
    }
    /* n points to the side that goes. */
    return outline_clipped(from, flat_scale(-1, n), -flat_dot(n, p));
}

/* Beyond p against the direction of q, or not. */
static outline beyond(const outline *from, flat p, flat q, bool is_beyond)
{
    const flat e = flat_sub(q, p);
    return is_beyond ? outline_clipped(from, e, flat_dot(e, p))
                     : outline_clipped(from, flat_scale(-1, e), -flat_dot(e, p));
}

static void show_region(const canvas *c, const outline *region, const char *class_name, const char *name)
{
    if (region->count < 3) {
        return;
    }
    /* The name stands in the middle of what can be seen. */
    outline seen = outline_clipped(region, (flat){1, 0}, c->low.x + c->width / c->scale - 0.2);
    seen = outline_clipped(&seen, (flat){-1, 0}, -c->low.x - 0.2);
    seen = outline_clipped(&seen, (flat){0, 1}, c->low.y + c->height / c->scale - 0.2);
    seen = outline_clipped(&seen, (flat){0, -1}, -c->low.y - 0.2);
    canvas_polygon(c, region->points, region->count, class_name);
    if (seen.count >= 3) {
        canvas_text(c, outline_middle(&seen), 0, 5, "head", name);
    }
}

static void name_corners(const canvas *c, const flat corner[3], bool above)
{
    char name[8];
    canvas_polygon(c, corner, 3, "difference");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "P%d", i + 1);
        canvas_dot(c, corner[i], "dot-d");
        canvas_text(c, corner[i],
                    i == 2   ? 0
                    : i == 0 ? 18
                             : -18,
                    i == 2  ? (above ? 24 : -14)
                    : above ? -10
                            : 20,
                    "point", name);
    }
}

static void draw_cases(FILE *out)
{
    static const outline page = {4, {{-9, -9}, {9, -9}, {9, 9}, {-9, 9}}};
    static const flat sharp[3] = {{-1.0, 0.0}, {1.2, 0.0}, {0.3, 1.8}},
                      blunt[3] = {{-1.9, 0.5}, {2.0, 0.4}, {0.1, -0.2}};
    static const char *const names[5] = {"(i)", "(ii)", "(iii)", "(iv)", "(v)"};
    /* Situation (B): only the third weight is negative. */
    canvas c = canvas_begin(out, 0, 2, 400, (flat){-3.0, -2.2}, (flat){3.2, 2.2}, "(B) one weight negative: λ3 < 0");
    outline wedge = cut(&page, sharp[0], sharp[1], sharp[2], true);
    wedge = cut(&wedge, sharp[1], sharp[2], sharp[0], false);
    wedge = cut(&wedge, sharp[0], sharp[2], sharp[1], false);
    const outline first = beyond(&wedge, sharp[0], sharp[1], true), second = beyond(&wedge, sharp[1], sharp[0], true);
    outline between = beyond(&wedge, sharp[0], sharp[1], false);
    between = beyond(&between, sharp[1], sharp[0], false);
    show_region(&c, &first, "body-b", names[0]);
    show_region(&c, &second, "body-b", names[1]);
    show_region(&c, &between, "body-a", names[2]);
    name_corners(&c, sharp, true);
    canvas_end(&c);
    /* Situation (C): only the third is positive; the angle at P3 is blunt, or all is region (iii). */
    c = canvas_begin(out, 1, 2, 400, (flat){-3.7, -3.4}, (flat){3.8, 1.2}, "(C) two weights negative: λ1, λ2 < 0");
    const flat p = blunt[0], q = blunt[1], r = blunt[2];
    wedge = cut(&page, q, r, p, true);
    wedge = cut(&wedge, p, r, q, true);
    const outline one = beyond(&wedge, p, r, true), five = beyond(&wedge, q, r, true);
    outline two = beyond(&wedge, p, r, false), three = beyond(&wedge, r, p, true), four = beyond(&wedge, q, r, false);
    two = beyond(&two, r, p, false);
    three = beyond(&three, r, q, true);
    four = beyond(&four, r, q, false);
    show_region(&c, &one, "body-b", names[0]);
    show_region(&c, &two, "body-a", names[1]);
    show_region(&c, &three, "body-b", names[2]);
    show_region(&c, &four, "body-a", names[3]);
    show_region(&c, &five, "body-b", names[4]);
    name_corners(&c, blunt, false);
    canvas_end(&c);
}

const teaching_figure teaching_geometric_8 = {
    .name = "geometric-8",
    .source = "the geometric improvement, Fig. 8 and Table 1 (G2)",
    .title = "Where the projected origin lies, by the signs of the weights",
    .caption =
        {"Red: the nearest point of the triangle is a vertex. Blue: it lies on an edge, by the weights of that edge alone.",
         "(C) has the regions (ii) and (iv) only if the angle at P3 is blunt; (i) and (v) only if the triangle is flatter still."},
    .height = 400,
    .draw = draw_cases};

/* ---- Fig. 10: the climb over the edges ---- */

enum { POINTS = 70, CLIMB_MOST = 64 };

/* Points on the unit sphere, evenly in a spiral, and shaken. */
static void make_points(double *xyz)
{
    for (int i = 0; i < POINTS; i++) {
        const double z = 1.0 - (2.0 * i + 1.0) / POINTS, angle = 2.399963 * i + 0.5 * sin(7.0 * i),
                     r = sqrt(1.0 - z * z);
        xyz[3 * i] = r * cos(angle);
        xyz[3 * i + 1] = r * sin(angle);
        xyz[3 * i + 2] = z;
    }
}

/* Steepest neighbour after steepest neighbour; how many vertices are on the way. */
static int climb(const apart_hull *h, uint32_t from, apart_vec3 d, uint32_t path[CLIMB_MOST])
{
    int count = 0;
    for (uint32_t next = from; count < CLIMB_MOST;) {
        const uint32_t *neighbour, here = next, degree = apart_hull_neighbours(h, here, &neighbour);
        path[count++] = here;
        for (uint32_t i = 0; i < degree; i++) {
            if (apart_vec3_dot(apart_hull_vertex(h, neighbour[i]), d) > apart_vec3_dot(apart_hull_vertex(h, next), d)) {
                next = neighbour[i];
            }
        }
        if (next == here) {
            break;
        }
    }
    return count;
}

static flat seen(apart_vec3 p) { return (flat){p.y, p.z * 0.94 - p.x * 0.34}; }
static bool is_in_front(apart_vec3 p) { return p.x * 0.94 + p.z * 0.34 > -0.02; }

/* Low on the left of what one sees. */
static uint32_t first_vertex(const apart_hull *h)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < apart_hull_vertex_count(h); i++) {
        const apart_vec3 p = apart_hull_vertex(h, i), q = apart_hull_vertex(h, start);
        start = is_in_front(p) && seen(p).x + seen(p).y < seen(q).x + seen(q).y ? i : start;
    }
    return start;
}

static uint32_t climbed_from(const apart_hull *h, uint32_t start, apart_vec3 d)
{
    uint32_t path[CLIMB_MOST];
    return path[climb(h, start, d, path) - 1];
}

static void draw_path(FILE *out, const apart_hull *h, int number, const char *heading, uint32_t start, apart_vec3 d)
{
    uint32_t path[CLIMB_MOST], ends[2];
    const int count = climb(h, start, d, path);
    const canvas c = canvas_begin(out, number, 2, 420, (flat){-1.45, -1.35}, (flat){1.85, 1.3}, heading);
    for (uint32_t i = 0; i < apart_hull_edge_count(h); i++) {
        apart_hull_edge(h, i, ends);
        const apart_vec3 p = apart_hull_vertex(h, ends[0]), q = apart_hull_vertex(h, ends[1]);
        canvas_line(&c, seen(p), seen(q), is_in_front(p) && is_in_front(q) ? "edge-a" : "hidden-a");
    }
    for (int i = 0; i + 1 < count; i++) {
        canvas_arrow(&c, seen(apart_hull_vertex(h, path[i])), seen(apart_hull_vertex(h, path[i + 1])), "witness");
    }
    const apart_vec3 first = apart_hull_vertex(h, path[0]), last = apart_hull_vertex(h, path[count - 1]);
    canvas_arrow(&c, seen(last), seen(apart_vec3_add(last, apart_vec3_scale(0.7, d))), "axis");
    canvas_text(&c, seen(apart_vec3_add(last, apart_vec3_scale(0.75, d))), 14, 4, "point", "−ν");
    canvas_dot(&c, seen(first), "dot-b");
    canvas_dot(&c, seen(last), "dot-d");
    canvas_text(&c, seen(first), count > 1 && number == 0 ? 4 : -20, 24, "head",
                number == 0 ? "initial vertex" : "last support vertex");
    if (number == 0 || count > 1) {
        canvas_text(&c, seen(last), 0, -12, "head", "support vertex");
    }
    char words[96];
    snprintf(words, sizeof words, "%d of %u edges walked", count - 1, apart_hull_edge_count(h));
    canvas_text(&c, (flat){0, -1.27}, 0, 0, "head", words);
    canvas_end(&c);
}

static void draw_climb(FILE *out)
{
    double xyz[3 * POINTS];
    apart_hull *h = NULL;
    const apart_vec3 d = {0.72, 0.62, 0.31}, turned = {0.79, 0.46, 0.40};
    make_points(xyz);
    if (apart_hull_build(xyz, POINTS, NULL, &h) != APART_OK) {
        return;
    }
    draw_path(out, h, 0, "From scratch", first_vertex(h), d);
    draw_path(out, h, 1, "Tracked: the direction has turned by 11°", climbed_from(h, first_vertex(h), d), turned);
    apart_hull_free(h);
}

const teaching_figure teaching_geometric_10 = {
    .name = "geometric-10",
    .source = "the geometric improvement, Fig. 10; Cameron 1997, section 3.2 (C5)",
    .title = "The path of hill climbing over the edges of a hull",
    .caption =
        {"From the initial vertex the search goes to the neighbour that is farthest in the direction −ν, as long as one is",
         "farther; on a convex body the end is the support vertex. A tracked search begins at the last one, and is there",
         "after 0 or 1 edges most times."},
    .height = 420,
    .draw = draw_climb};
