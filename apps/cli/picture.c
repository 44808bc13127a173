/* The picture of a result: on the left the bodies with their witness points, on the right their Minkowski difference B
 * - A (item C2 of docs/papers.md) with the origin and v. Both panels have the same scale. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outline.h"

enum { WIDTH = 1120, HEIGHT = 640, PANEL_WIDTH = 524, PANEL_HEIGHT = 430, MARGIN = 24, PANEL_TOP = 122, PADDING = 46 };

/* The part of the picture's plane that a panel shows. */
typedef struct panel {
    const char *name;
    double left;
    flat low, high; /* what must be visible, in world lengths */
    flat center;
    double scale;
} panel;

typedef struct picture {
    FILE *out;
    const cli_body *bodies;
    const apart_result *result;
    cli_view view;
    cli_region region[2], difference;
    flat a, b, v; /* witness points and b - a in the plane */
    flat normal;  /* unit, in the plane */
    panel left, right;
} picture;

/* ---- layout ---- */

static void show(panel *p, flat point)
{
    p->low.x = point.x < p->low.x ? point.x : p->low.x;
    p->low.y = point.y < p->low.y ? point.y : p->low.y;
    p->high.x = point.x > p->high.x ? point.x : p->high.x;
    p->high.y = point.y > p->high.y ? point.y : p->high.y;
}

static void show_region(panel *p, const cli_region *region)
{
    for (size_t i = 0; i < region->count; i++) {
        show(p, region->points[i]);
    }
}

/* A panel with a half-plane in it gets room on all sides, so that the half-plane can be seen. */
static void show_around(panel *p, flat at, double reach)
{
    show(p, (flat){at.x - reach, at.y - reach});
    show(p, (flat){at.x + reach, at.y + reach});
}

static double panel_span(const panel *p)
{
    const double width = p->high.x - p->low.x, height = p->high.y - p->low.y;
    return width > height ? width : height;
}

static double fitting_scale(const panel *p)
{
    const double x = (PANEL_WIDTH - 2 * PADDING) / (p->high.x - p->low.x),
                 y = (PANEL_HEIGHT - 2 * PADDING) / (p->high.y - p->low.y);
    return x < y ? x : y;
}

static void lay_out(picture *p)
{
    const flat origin = {0, 0}, nowhere_low = {DBL_MAX, DBL_MAX}, nowhere_high = {-DBL_MAX, -DBL_MAX};
    p->left = (panel){.name = "left", .left = MARGIN, .low = nowhere_low, .high = nowhere_high};
    p->right = (panel){.name = "right", .left = WIDTH - MARGIN - PANEL_WIDTH, .low = nowhere_low, .high = nowhere_high};
    show(&p->left, p->a);
    show(&p->left, p->b);
    show_region(&p->left, &p->region[0]);
    show_region(&p->left, &p->region[1]);
    show(&p->right, origin);
    show(&p->right, p->v);
    show_region(&p->right, &p->difference);
    if (p->difference.half_plane) {
        show_around(&p->left, p->region[0].half_plane ? p->a : p->b, panel_span(&p->left) / 3);
        show_around(&p->right, p->v, panel_span(&p->left) / 2);
    }
    const double left = fitting_scale(&p->left), right = fitting_scale(&p->right), scale = left < right ? left : right;
    p->left.scale = p->right.scale = isfinite(scale) && scale > 0 ? scale : 1;
    p->left.center = (flat){(p->left.low.x + p->left.high.x) / 2, (p->left.low.y + p->left.high.y) / 2};
    p->right.center = (flat){(p->right.low.x + p->right.high.x) / 2, (p->right.low.y + p->right.high.y) / 2};
}

/* From world lengths to the picture. */
static flat place(const panel *p, flat point)
{
    return (flat){p->left + PANEL_WIDTH / 2.0 + (point.x - p->center.x) * p->scale,
                  PANEL_TOP + PANEL_HEIGHT / 2.0 - (point.y - p->center.y) * p->scale};
}

/* `point` moved by (along, across) picture units in the direction of the normal and perpendicular to it. */
static flat shifted(const picture *p, flat point, double along, double across)
{
    return (flat){point.x + along * p->normal.x + across * p->normal.y,
                  point.y - along * p->normal.y + across * p->normal.x};
}

/* ---- drawing ---- */

/* The panel's rectangle cut by a half-plane. */
static size_t cut_panel(const panel *p, const cli_region *region, flat out[8])
{
    const double dx = PANEL_WIDTH / p->scale / 2 + 1 / p->scale, dy = PANEL_HEIGHT / p->scale / 2 + 1 / p->scale;
    const flat corners[4] = {{p->center.x - dx, p->center.y - dy},
                             {p->center.x + dx, p->center.y - dy},
                             {p->center.x + dx, p->center.y + dy},
                             {p->center.x - dx, p->center.y + dy}};
    size_t count = 0;
    for (int i = 0; i < 4; i++) {
        const flat from = corners[i], to = corners[(i + 1) % 4];
        const double s = region->normal.x * from.x + region->normal.y * from.y - region->offset;
        const double t = region->normal.x * to.x + region->normal.y * to.y - region->offset;
        if (s <= 0) {
            out[count++] = from;
        }
        if ((s < 0 && t > 0) || (s > 0 && t < 0)) {
            const double share = s / (s - t);
            out[count++] = (flat){from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
        }
    }
    return count;
}

static void draw_region(const picture *p, const panel *where, const cli_region *region, const char *class_name)
{
    flat points[CLI_OUTLINE_SIZE];
    size_t count = region->count;
    if (region->half_plane) {
        count = cut_panel(where, region, points);
    } else {
        memcpy(points, region->points, count * sizeof *points);
    }
    for (size_t i = 0; i < count; i++) {
        points[i] = place(where, points[i]);
    }
    svg_polygon(p->out, points, count, class_name);
}

/* The edges of one kind, those of a curve as one line, so that dashes run on. */
static void draw_edges_of_kind(const picture *p, const cli_edge *edges, size_t count, bool hidden,
                               const char *class_name)
{
    flat points[CLI_RIM_SEGMENTS + 1];
    for (size_t i = 0; i < count; i++) {
        size_t used = 0;
        if (edges[i].hidden != hidden) {
            continue;
        }
        points[used++] = place(&p->left, edges[i].from);
        points[used++] = place(&p->left, edges[i].to);
        while (i + 1 < count && edges[i + 1].joined && edges[i + 1].hidden == hidden && used <= CLI_RIM_SEGMENTS) {
            points[used++] = place(&p->left, edges[++i].to);
        }
        svg_polyline(p->out, points, used, class_name);
    }
}

static void draw_edges(const picture *p, int which)
{
    static const char *const classes[2][2] = {{"edge-a", "hidden-a"}, {"edge-b", "hidden-b"}};
    size_t count;
    cli_edge *edges = cli_body_edges(&p->bodies[which], &p->view, &count);
    draw_edges_of_kind(p, edges, count, true, classes[which][1]);
    draw_edges_of_kind(p, edges, count, false, classes[which][0]);
    free(edges);
}

/* A line through `at`, perpendicular to the normal, longer than the panel. */
static void draw_separator(const picture *p, flat at)
{
    svg_line(p->out, shifted(p, at, 0, -2000), shifted(p, at, 0, 2000), "separator");
}

/* Where the name of a region goes: away from the action, on the line from its middle to its far end. */
static flat name_place(const panel *where, const cli_region *region, flat away, double wish)
{
    const flat center = place(where, cli_region_center(region)), far = place(where, cli_region_support(region, away));
    const double size = fabs(far.x - center.x) + fabs(far.y - center.y);
    if (size < 40) { /* no room inside */
        return (flat){far.x + 24 * away.x, far.y - 24 * away.y - 16};
    }
    return (flat){center.x + wish * (far.x - center.x), center.y + wish * (far.y - center.y) + 8};
}

/* A half-plane's name stands inside it, off the middle of its border. */
static flat half_plane_name_place(const picture *p, const panel *where, const cli_region *region, flat border)
{
    const flat at = place(where, border);
    const double across = 150 * (region->normal.x * p->normal.x + region->normal.y * p->normal.y > 0 ? 1 : -1);
    const flat beside = shifted(p, at, 0, across);
    return (flat){beside.x - 56 * region->normal.x, beside.y + 40 * region->normal.y + 8};
}

/* A name, kept inside its panel; `half` is about half its width. */
static void write_name(const picture *p, const panel *where, flat at, double half, const char *class_name,
                       const char *name)
{
    const double left = where->left + half, right = where->left + PANEL_WIDTH - half;
    const double top = PANEL_TOP + 26, bottom = PANEL_TOP + PANEL_HEIGHT - 10;
    const flat inside = {at.x < left    ? left
                         : at.x > right ? right
                                        : at.x,
                         at.y < top      ? top
                         : at.y > bottom ? bottom
                                         : at.y};
    svg_text(p->out, inside, "middle", class_name, name);
}

static void name_body(const picture *p, int which)
{
    static const char *const inks[] = {"name ink-a", "name ink-b"};
    const double sign = which == 0 ? -1 : 1;
    const flat away = {sign * p->normal.x, sign * p->normal.y};
    const flat at = p->region[which].half_plane
                        ? half_plane_name_place(p, &p->left, &p->region[which], which == 0 ? p->a : p->b)
                        : name_place(&p->left, &p->region[which], away, p->result->distance < 0 ? 0.75 : 0.5);
    write_name(p, &p->left, at, 14, inks[which], p->bodies[which].name);
}

/* Labels of the segment from a to b: its length above or beside it, so far off that the text stays clear of the
 * slope. */
static void label_length(const picture *p, flat middle, const char *text)
{
    const double above = p->normal.x >= 0 ? -1 : 1; /* the side of the normal that is up in the picture */
    if (fabs(p->normal.y) > 0.6) {
        const flat at = shifted(p, middle, 13, 14 * above); /* off the separating line, too */
        svg_text(p->out, (flat){at.x, at.y + 5}, at.x < middle.x ? "end" : "start", "head", text);
    } else {
        const double slope = fabs(p->normal.y / p->normal.x);
        svg_text(p->out, (flat){middle.x, middle.y - 13 - 38 * slope}, "middle", "head", text);
    }
}

static void draw_witnesses(const picture *p)
{
    const flat a = place(&p->left, p->a), b = place(&p->left, p->b);
    /* The labels stand behind the points, as seen from the segment's middle; when the bodies overlap, a is ahead of
     * b. */
    const double sign = p->result->distance < 0 ? -1 : 1, below = p->normal.x >= 0 ? 15 : -15;
    const flat at_a = shifted(p, a, -15 * sign, below), at_b = shifted(p, b, 15 * sign, below);
    char text[64];
    svg_line(p->out, a, b, "witness");
    svg_dot(p->out, a, 5, "dot-a");
    svg_dot(p->out, b, 5, "dot-b");
    svg_text(p->out, (flat){at_a.x, at_a.y + 5}, "middle", "point ink-a", "a");
    svg_text(p->out, (flat){at_b.x, at_b.y + 5}, "middle", "point ink-b", "b");
    snprintf(text, sizeof text, "%.6g", p->result->distance == 0 ? 0.0 : p->result->distance);
    label_length(p, (flat){(a.x + b.x) / 2, (a.y + b.y) / 2}, text);
}

/* World axes in the corner of the left panel. */
static void draw_axes(const picture *p)
{
    static const char *const names[] = {"x", "y", "z"};
    const apart_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const flat corner = {p->left.left + 44, PANEL_TOP + PANEL_HEIGHT - 40};
    for (int k = 0; k < p->result->dim; k++) {
        const flat d = cli_project(&p->view, axes[k]);
        const double length = sqrt(d.x * d.x + d.y * d.y), label = 30 + 9 / length;
        if (length > 0.2) {
            svg_arrow(p->out, corner, (flat){corner.x + 30 * d.x, corner.y - 30 * d.y}, "axis");
            svg_text(p->out, (flat){corner.x + label * d.x, corner.y - label * d.y + 4}, "middle", "note", names[k]);
        }
    }
}

/* A bar of a round length, about a fifth of the panel. */
static void draw_scale(const picture *p)
{
    const double wish = PANEL_WIDTH / 5.0 / p->left.scale, power = pow(10, floor(log10(wish)));
    const double length = wish / power >= 5 ? 5 * power : wish / power >= 2 ? 2 * power : power;
    const flat to = {p->left.left + PANEL_WIDTH - 20, PANEL_TOP + PANEL_HEIGHT - 18};
    const flat from = {to.x - length * p->left.scale, to.y};
    char text[64];
    snprintf(text, sizeof text, "%g", length);
    svg_line(p->out, from, to, "axis");
    svg_line(p->out, (flat){from.x, from.y - 4}, (flat){from.x, from.y + 4}, "axis");
    svg_line(p->out, (flat){to.x, to.y - 4}, (flat){to.x, to.y + 4}, "axis");
    svg_text(p->out, (flat){(from.x + to.x) / 2, to.y - 8}, "middle", "note", text);
}

static void draw_left(const picture *p)
{
    const flat corner = {p->left.left, PANEL_TOP};
    svg_clip_begin(p->out, "left", corner, PANEL_WIDTH, PANEL_HEIGHT);
    svg_rectangle(p->out, corner, PANEL_WIDTH, PANEL_HEIGHT, "frame");
    draw_region(p, &p->left, &p->region[0], "body-a");
    draw_region(p, &p->left, &p->region[1], "body-b");
    draw_edges(p, 0);
    draw_edges(p, 1);
    if (p->result->relation != APART_OVERLAPPING) {
        draw_separator(p, place(&p->left, (flat){(p->a.x + p->b.x) / 2, (p->a.y + p->b.y) / 2}));
    }
    name_body(p, 0);
    name_body(p, 1);
    draw_witnesses(p);
    draw_axes(p);
    draw_scale(p);
    svg_clip_end(p->out);
}

/* Away from the origin, or from v where the origin is in the middle. */
static flat away_from_origin(const picture *p)
{
    const flat center = cli_region_center(&p->difference);
    const double length = sqrt(center.x * center.x + center.y * center.y);
    const double sign = p->result->distance < 0 ? -1 : 1;
    if (length * p->right.scale < 30) {
        return (flat){-sign * p->v.x, -sign * p->v.y};
    }
    return (flat){center.x / length, center.y / length};
}

static void draw_vector(const picture *p)
{
    const flat origin = place(&p->right, (flat){0, 0}), tip = place(&p->right, p->v);
    const flat middle = {(origin.x + tip.x) / 2, (origin.y + tip.y) / 2};
    const double sign = p->result->distance < 0 ? -1 : 1, above = p->normal.x >= 0 ? -14 : 14;
    const flat label = shifted(p, middle, 0, above), zero = shifted(p, origin, -16 * sign, -above);
    svg_arrow(p->out, origin, tip, "witness");
    svg_line(p->out, (flat){origin.x - 7, origin.y}, (flat){origin.x + 7, origin.y}, "origin");
    svg_line(p->out, (flat){origin.x, origin.y - 7}, (flat){origin.x, origin.y + 7}, "origin");
    svg_dot(p->out, tip, 4, "dot-d");
    svg_text(p->out, (flat){zero.x, zero.y + 5}, "middle", "point", "0");
    svg_text(p->out, (flat){label.x, label.y + (fabs(p->normal.y) > 0.6 ? 5 : 0)}, "middle", "point", "v");
}

static void draw_right(const picture *p)
{
    const flat corner = {p->right.left, PANEL_TOP};
    svg_clip_begin(p->out, "right", corner, PANEL_WIDTH, PANEL_HEIGHT);
    svg_rectangle(p->out, corner, PANEL_WIDTH, PANEL_HEIGHT, "frame");
    draw_region(p, &p->right, &p->difference, "difference");
    draw_separator(p, place(&p->right, p->v));
    const flat name = p->difference.half_plane ? half_plane_name_place(p, &p->right, &p->difference, p->v)
                                               : name_place(&p->right, &p->difference, away_from_origin(p), 0.5);
    write_name(p, &p->right, name, 46, "name ink-d", "B \xe2\x88\x92 A");
    draw_vector(p);
    svg_clip_end(p->out);
}

/* A name, shortened with an ellipsis if it is long. */
static void shorten(const char *text, char out[CLI_TEXT_SIZE])
{
    enum { MOST = 56 };
    const char *slash = strrchr(text, '/');
    const char *from = slash != NULL && slash[1] != '\0' ? slash + 1 : text;
    snprintf(out, CLI_TEXT_SIZE, "%.*s%s", MOST, from, strlen(from) > MOST ? "\xe2\x80\xa6" : "");
}

static void draw_header(const picture *p)
{
    char text[3 * CLI_TEXT_SIZE], name[2][CLI_TEXT_SIZE];
    char lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE];
    const apart_result *r = p->result;
    snprintf(text, sizeof text, "distance %.10g, %s", r->distance == 0 ? 0.0 : r->distance,
             apart_relation_name(r->relation));
    svg_text(p->out, (flat){MARGIN, 42}, "start", "title", text);
    shorten(p->bodies[0].text, name[0]);
    shorten(p->bodies[1].text, name[1]);
    snprintf(text, sizeof text, "A: %s", name[0]);
    svg_text(p->out, (flat){MARGIN, 68}, "start", "ink-a", text);
    snprintf(text, sizeof text, "B: %s", name[1]);
    svg_text(p->out, (flat){MARGIN, 88}, "start", "ink-b", text);
    snprintf(text, sizeof text, "certified between %s and %s", cli_number(r->lower, lower),
             cli_number(r->upper, upper));
    svg_text(p->out, (flat){WIDTH - MARGIN, 42}, "end", "note", text);
    svg_text(p->out, (flat){p->left.left, PANEL_TOP - 10}, "start", "head",
             r->dim == 2 ? "The bodies" : "The bodies, seen so that the segment a b has its true length");
    svg_text(p->out, (flat){p->right.left, PANEL_TOP - 10}, "start", "head",
             "All differences b \xe2\x88\x92 a: the distance of this set from 0");
}

static void draw_footer(const picture *p)
{
    const double y = PANEL_TOP + PANEL_HEIGHT + 30;
    const bool plane = p->result->dim == 3, overlapping = p->result->relation == APART_OVERLAPPING;
    svg_line(p->out, (flat){MARGIN, y - 4}, (flat){MARGIN + 34, y - 4}, "witness");
    svg_dot(p->out, (flat){MARGIN, y - 4}, 5, "dot-a");
    svg_dot(p->out, (flat){MARGIN + 34, y - 4}, 5, "dot-b");
    svg_text(p->out, (flat){MARGIN + 46, y}, "start", "note",
             overlapping ? "the penetration depth: moving B from b to a ends the overlap"
                         : "closest points a on A and b on B");
    if (!overlapping) {
        svg_line(p->out, (flat){MARGIN, y + 20}, (flat){MARGIN + 34, y + 20}, "separator");
        svg_text(p->out, (flat){MARGIN + 46, y + 24}, "start", "note",
                 plane ? "separating plane, seen from its side" : "separating line");
    }
    svg_arrow(p->out, (flat){p->right.left, y - 4}, (flat){p->right.left + 34, y - 4}, "witness");
    svg_text(p->out, (flat){p->right.left + 46, y}, "start", "note",
             "v = b \xe2\x88\x92 a, the point of the set's border nearest to 0");
    svg_line(p->out, (flat){p->right.left, y + 20}, (flat){p->right.left + 34, y + 20}, "separator");
    svg_text(p->out, (flat){p->right.left + 46, y + 24}, "start", "note",
             plane ? "supporting plane at v; both panels have the same scale"
                   : "supporting line at v; both panels have the same scale");
}

static flat picture_normal(const picture *p)
{
    const flat n = cli_project(&p->view, p->result->normal);
    const double length = sqrt(n.x * n.x + n.y * n.y);
    return length > 0 ? (flat){n.x / length, n.y / length} : (flat){1, 0};
}

int cli_picture_write(FILE *stream, const cli_body bodies[2], const apart_result *result)
{
    picture *p = calloc(1, sizeof *p);
    char title[2 * CLI_TEXT_SIZE];
    if (p == NULL) {
        return cli_error("out of memory");
    }
    p->out = stream;
    p->bodies = bodies;
    p->result = result;
    p->view = cli_view_choose(result);
    p->a = cli_project(&p->view, result->a);
    p->b = cli_project(&p->view, result->b);
    p->v = (flat){p->b.x - p->a.x, p->b.y - p->a.y};
    p->normal = picture_normal(p);
    for (int i = 0; i < 2; i++) {
        cli_outline_body(&bodies[i], &p->view, &p->region[i]);
    }
    cli_outline_difference(bodies, &p->view, &p->difference);
    lay_out(p);
    snprintf(title, sizeof title, "apart distance %.200s %.200s", bodies[0].text, bodies[1].text);
    svg_begin(stream, WIDTH, HEIGHT, title);
    draw_left(p);
    draw_right(p);
    draw_header(p);
    draw_footer(p);
    svg_end(stream);
    free(p);
    return CLI_YES;
}
