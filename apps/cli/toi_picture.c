/* The picture of two moving bodies: on the left the bodies along their motion and at the time of impact (or of the
 * smallest gap), on the right their signed distance over time with its certified part. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "outline.h"

enum { WIDTH = 1120, HEIGHT = 640, PANEL_WIDTH = 524, PANEL_HEIGHT = 430, MARGIN = 24, PANEL_TOP = 122, PADDING = 46 };
enum { GHOSTS = 7, SAMPLES = 400 };

typedef struct picture {
    FILE *out;
    const cli_body *bodies;
    const apart_motion *motions;
    const apart_impact *impact;
    double until;
    cli_view view;
    cli_region region[2], ghost[2][GHOSTS];
    flat low, high, center; /* of the left panel, in world lengths */
    double scale;
    double gap[SAMPLES + 1], top, bottom; /* of the right panel */
} picture;

/* ---- layout ---- */

static double ghost_time(const picture *p, int i) { return p->until * i / (GHOSTS - 1); }

/* A body at rest has no ghosts. */
static bool is_moving(const apart_motion *m)
{
    return m->linear.x != 0 || m->linear.y != 0 || m->linear.z != 0 || m->angular.x != 0 || m->angular.y != 0 ||
           m->angular.z != 0;
}

static void show(picture *p, flat point)
{
    p->low = (flat){fmin(p->low.x, point.x), fmin(p->low.y, point.y)};
    p->high = (flat){fmax(p->high.x, point.x), fmax(p->high.y, point.y)};
}

static void show_region(picture *p, const cli_region *region)
{
    for (size_t i = 0; i < region->count; i++) {
        show(p, region->points[i]);
    }
}

static void find_outlines(picture *p)
{
    for (int k = 0; k < 2; k++) {
        cli_outline_body(&p->bodies[k], &p->view, &p->region[k]);
        for (int i = 0; i < GHOSTS && is_moving(&p->motions[k]); i++) {
            cli_body ghost = p->bodies[k];
            if (apart_motion_pose(&p->motions[k], ghost_time(p, i), &ghost.pose) == APART_OK) {
                cli_outline_body(&ghost, &p->view, &p->ghost[k][i]);
            }
        }
    }
}

static void lay_out(picture *p)
{
    p->low = (flat){DBL_MAX, DBL_MAX};
    p->high = (flat){-DBL_MAX, -DBL_MAX};
    show(p, cli_project(&p->view, p->impact->at.a));
    show(p, cli_project(&p->view, p->impact->at.b));
    for (int k = 0; k < 2; k++) {
        show_region(p, &p->region[k]);
        for (int i = 0; i < GHOSTS; i++) {
            show_region(p, &p->ghost[k][i]);
        }
    }
    const double x = (PANEL_WIDTH - 2 * PADDING) / (p->high.x - p->low.x),
                 y = (PANEL_HEIGHT - 2 * PADDING) / (p->high.y - p->low.y);
    const double scale = fmin(x, y);
    p->scale = isfinite(scale) && scale > 0 ? scale : 1;
    p->center = (flat){(p->low.x + p->high.x) / 2, (p->low.y + p->high.y) / 2};
}

static void find_gaps(picture *p)
{
    apart_cache cache = {0};
    p->top = p->bottom = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        apart_pose pose[2] = {p->bodies[0].pose, p->bodies[1].pose};
        apart_result r = {.distance = 0};
        const double t = p->until * i / SAMPLES;
        const bool placed = apart_motion_pose(&p->motions[0], t, &pose[0]) == APART_OK &&
                            apart_motion_pose(&p->motions[1], t, &pose[1]) == APART_OK;
        const bool known = placed && apart_distance(&p->bodies[0].shape, &pose[0], &p->bodies[1].shape, &pose[1], NULL,
                                                    &cache, &r) == APART_OK;
        p->gap[i] = known ? r.distance : 0;
        p->top = fmax(p->top, p->gap[i]);
        p->bottom = fmin(p->bottom, p->gap[i]);
    }
    p->bottom = fmax(p->bottom, -0.25 * p->top); /* larger depths are cut off: the picture shows the gap */
    p->top = p->top > p->bottom ? p->top : p->bottom + 1;
}

/* ---- the left panel ---- */

static flat place(const picture *p, flat point)
{
    return (flat){MARGIN + PANEL_WIDTH / 2.0 + (point.x - p->center.x) * p->scale,
                  PANEL_TOP + PANEL_HEIGHT / 2.0 - (point.y - p->center.y) * p->scale};
}

/* A half-plane as a quadrilateral that is larger than the panel. */
static size_t half_plane_corners(const picture *p, const cli_region *r, flat out[4])
{
    const double far = 4 * PANEL_WIDTH / p->scale;
    const double along = r->normal.x * p->center.y - r->normal.y * p->center.x;
    const flat n = r->normal, d = {-n.y, n.x};
    const flat foot = {r->offset * n.x + along * d.x, r->offset * n.y + along * d.y};
    const double sides[4][2] = {{-1, 0}, {1, 0}, {1, -1}, {-1, -1}};
    for (int i = 0; i < 4; i++) {
        out[i] = (flat){foot.x + far * (sides[i][0] * d.x + sides[i][1] * n.x),
                        foot.y + far * (sides[i][0] * d.y + sides[i][1] * n.y)};
    }
    return 4;
}

static void draw_region(const picture *p, const cli_region *region, const char *class_name)
{
    flat points[CLI_OUTLINE_SIZE];
    size_t count = region->count;
    if (region->half_plane) {
        count = half_plane_corners(p, region, points);
    }
    for (size_t i = 0; i < count; i++) {
        points[i] = place(p, region->half_plane ? points[i] : region->points[i]);
    }
    if (count > 0) {
        svg_polygon(p->out, points, count, class_name);
    }
}

static void draw_edges(const picture *p, int k)
{
    size_t count = 0;
    cli_edge *edges = cli_body_edges(&p->bodies[k], &p->view, &count);
    for (size_t i = 0; i < count; i++) {
        if (!edges[i].hidden) {
            svg_line(p->out, place(p, edges[i].from), place(p, edges[i].to), k == 0 ? "edge-a" : "edge-b");
        }
    }
    free(edges);
}

/* In the middle of the body; a half-plane's name is near its border. */
static void name_body(const picture *p, int k)
{
    const cli_region *r = &p->region[k];
    const flat contact = place(p, cli_project(&p->view, k == 0 ? p->impact->at.a : p->impact->at.b));
    flat at = r->half_plane ? (flat){contact.x - 40 * r->normal.x, contact.y + 40 * r->normal.y}
                            : place(p, cli_region_center(r));
    at.y += 8;
    svg_text(p->out, at, "middle", k == 0 ? "name ink-a" : "name ink-b", p->bodies[k].name);
}

/* The path of the pivot, and the times of the ghosts beside it. */
static void draw_way(const picture *p, int k)
{
    flat way[64];
    const apart_motion *m = &p->motions[k];
    const apart_motion point = {.start = {apart_pose_identity().rotation, m->pivot},
                                .pivot = m->pivot,
                                .linear = m->linear,
                                .angular = m->angular,
                                .path = m->path};
    apart_pose pose;
    for (int i = 0; i < 64; i++) {
        if (apart_motion_pose(&point, p->until * i / 63, &pose) != APART_OK) {
            return;
        }
        way[i] = place(p, cli_project(&p->view, pose.translation));
    }
    if (is_moving(m)) {
        svg_polyline(p->out, way, 64, "separator");
    }
}

static void draw_left(const picture *p)
{
    const flat corner = {MARGIN, PANEL_TOP};
    svg_clip_begin(p->out, "left", corner, PANEL_WIDTH, PANEL_HEIGHT);
    svg_rectangle(p->out, corner, PANEL_WIDTH, PANEL_HEIGHT, "frame");
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < GHOSTS; i++) {
            draw_region(p, &p->ghost[k][i], k == 0 ? "ghost-a" : "ghost-b");
        }
    }
    for (int k = 0; k < 2; k++) {
        draw_region(p, &p->region[k], k == 0 ? "body-a" : "body-b");
        draw_edges(p, k);
        draw_way(p, k);
    }
    const flat a = place(p, cli_project(&p->view, p->impact->at.a)),
               b = place(p, cli_project(&p->view, p->impact->at.b));
    name_body(p, 0);
    name_body(p, 1);
    svg_line(p->out, a, b, "witness");
    svg_dot(p->out, a, 5, "dot-a");
    svg_dot(p->out, b, 5, "dot-b");
    svg_clip_end(p->out);
}

/* ---- the right panel ---- */

static flat chart(const picture *p, double t, double gap)
{
    const double left = WIDTH - MARGIN - PANEL_WIDTH + 58, width = PANEL_WIDTH - 82, height = PANEL_HEIGHT - 74;
    return (flat){left + width * (t / p->until),
                  PANEL_TOP + 26 + height * (1 - (gap - p->bottom) / (p->top - p->bottom))};
}

/* A round step, so that there are about five marks. */
static double mark_step(double range)
{
    const double power = pow(10, floor(log10(range / 5))), share = range / 5 / power;
    return power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
}

static void draw_marks(const picture *p)
{
    char text[32];
    const double step = mark_step(p->top - p->bottom), first = ceil(p->bottom / step) * step;
    for (int i = 0; first + i * step <= p->top; i++) {
        const double gap = fabs(first + i * step) < 1e-9 * step ? 0 : first + i * step;
        const flat at = chart(p, 0, gap);
        snprintf(text, sizeof text, "%g", gap);
        svg_line(p->out, (flat){at.x - 4, at.y}, at, "axis");
        svg_text(p->out, (flat){at.x - 9, at.y + 4}, "end", "note", text);
    }
    for (int i = 0; i <= 5; i++) {
        const flat at = chart(p, p->until * i / 5, p->bottom);
        snprintf(text, sizeof text, "%g", p->until * i / 5);
        svg_line(p->out, at, (flat){at.x, at.y + 4}, "axis");
        svg_text(p->out, (flat){at.x, at.y + 20}, "middle", "note", text);
    }
}

static void draw_curve(const picture *p)
{
    flat points[SAMPLES + 1];
    const double end = p->impact->outcome == APART_OUTCOME_CLEAR ? p->until : p->impact->t;
    size_t before = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        points[i] = chart(p, p->until * i / SAMPLES, p->gap[i]);
        before += p->until * i / SAMPLES <= end;
    }
    const flat corner = chart(p, 0, p->top), foot = chart(p, p->until, p->bottom);
    svg_clip_begin(p->out, "chart", (flat){corner.x - 2, corner.y - 2}, foot.x - corner.x + 4, foot.y - corner.y + 2);
    svg_polyline(p->out, points, before, "curve");
    if (before > 0 && before <= SAMPLES) {
        svg_polyline(p->out, points + before - 1, SAMPLES + 2 - before, "later");
    }
    svg_clip_end(p->out);
}

/* What is certified: nothing of the curve lies below the level, from 0 to the end of the band. */
static void draw_certificate(const picture *p)
{
    const apart_impact *im = p->impact;
    const double end = im->outcome == APART_OUTCOME_CLEAR ? p->until : im->t,
                 level = im->outcome == APART_OUTCOME_CLEAR ? fmax(im->lower, 0) : 0;
    const flat from = chart(p, 0, level), to = chart(p, end, p->bottom);
    if (end > 0) {
        svg_rectangle(p->out, from, to.x - from.x, to.y - from.y, "certified");
        svg_line(p->out, from, (flat){to.x, from.y}, "level");
    }
}

static void draw_right(const picture *p)
{
    const flat corner = {WIDTH - MARGIN - PANEL_WIDTH, PANEL_TOP};
    const apart_impact *im = p->impact;
    char text[64];
    svg_rectangle(p->out, corner, PANEL_WIDTH, PANEL_HEIGHT, "frame");
    draw_certificate(p);
    svg_line(p->out, chart(p, 0, p->bottom), chart(p, 0, p->top), "axis");
    svg_line(p->out, chart(p, 0, p->bottom), chart(p, p->until, p->bottom), "axis");
    svg_line(p->out, chart(p, 0, 0), chart(p, p->until, 0), "axis");
    draw_marks(p);
    draw_curve(p);
    const flat at = chart(p, im->t, fmin(fmax(im->at.distance, p->bottom), p->top));
    svg_dot(p->out, at, 5.5, "dot-d");
    snprintf(text, sizeof text, "t = %.6g", im->t);
    const bool right = im->t > 0.7 * p->until;
    svg_text(p->out, (flat){at.x + (right ? -10 : 10), at.y - 34}, right ? "end" : "start", "head", text);
}

/* ---- labels ---- */

static void draw_words(const picture *p)
{
    const apart_impact *im = p->impact;
    char text[3 * CLI_TEXT_SIZE];
    const char *what =
        im->outcome == APART_OUTCOME_HIT     ? "they meet at t = %.9g; the gap is positive at every moment before"
        : im->outcome == APART_OUTCOME_CLEAR ? "no contact; the gap is never below %.9g"
        : im->outcome == APART_OUTCOME_START ? "in contact from the beginning"
                                             : "no contact before t = %.9g; later times were not examined";
    snprintf(text, sizeof text, "%.120s and %.120s", p->bodies[0].text, p->bodies[1].text);
    svg_text(p->out, (flat){MARGIN, 46}, "start", "title", text);
    snprintf(text, sizeof text, what, im->outcome == APART_OUTCOME_CLEAR ? im->lower : im->t);
    svg_text(p->out, (flat){MARGIN, 74}, "start", "note", text);
    svg_text(p->out, (flat){MARGIN, 110}, "start", "head",
             im->outcome == APART_OUTCOME_CLEAR ? "The motion, and the bodies when they are nearest"
                                                : "The motion, and the bodies at contact");
    svg_text(p->out, (flat){WIDTH - MARGIN - PANEL_WIDTH, 110}, "start", "head", "Their distance over time");
    snprintf(text, sizeof text, "%u distance queries; certified: the curve does not enter the green part",
             (unsigned)im->iterations);
    svg_text(p->out, (flat){WIDTH - MARGIN - PANEL_WIDTH, PANEL_TOP + PANEL_HEIGHT + 26}, "start", "note", text);
    svg_text(p->out, (flat){MARGIN, PANEL_TOP + PANEL_HEIGHT + 26}, "start", "note",
             "pale: at equal steps of time; dashed: the path of the pivot");
}

int cli_toi_picture_write(FILE *stream, const cli_body bodies[2], const apart_motion motions[2],
                          const apart_impact *impact, double until)
{
    picture *p = calloc(1, sizeof *p);
    char title[2 * CLI_TEXT_SIZE];
    if (p == NULL) {
        return cli_error("out of memory");
    }
    p->out = stream;
    p->bodies = bodies;
    p->motions = motions;
    p->impact = impact;
    p->until = until;
    p->view = cli_view_choose(&impact->at);
    find_outlines(p);
    lay_out(p);
    find_gaps(p);
    snprintf(title, sizeof title, "apart toi %.200s %.200s", bodies[0].text, bodies[1].text);
    svg_begin(stream, WIDTH, HEIGHT, title);
    draw_left(p);
    draw_right(p);
    draw_words(p);
    svg_end(stream);
    free(p);
    return CLI_YES;
}
