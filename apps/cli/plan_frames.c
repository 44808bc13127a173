/* The frames of a planned motion in one picture (Fig. 14): the arm at eight moments, and as a dashed outline its
 * position by the pseudo-inverse alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "outline.h"
#include "plan.h"

enum { COLUMNS = 4, ROWS = 2, FRAMES = COLUMNS * ROWS, PANEL = 270, GAP = 12, TOP = 64 };

typedef struct picture {
    plan_run *run;
    FILE *out;
    cli_view view;
    flat low, high; /* of all frames, in world lengths */
    double scale;
} picture;

/* A part where it is. */
typedef struct placed {
    cli_body body;
    double depth; /* towards the viewer */
    bool obstacle;
} placed;

/* From the side and a little above; z is up. */
static cli_view make_view(void)
{
    const double turn = 0.35, rise = 0.25;
    return (cli_view){.right = {-sin(turn), cos(turn), 0},
                      .up = {-sin(rise) * cos(turn), -sin(rise) * sin(turn), cos(rise)},
                      .toward = {cos(rise) * cos(turn), cos(rise) * sin(turn), sin(rise)}};
}

/* ---- positions ---- */

static int by_depth(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    return a->depth < b->depth ? -1 : a->depth > b->depth;
}

/* All bounded parts at joint positions, the farthest first; to be freed. */
static placed *place_parts(const picture *p, const double *q, size_t *count)
{
    const apart_robot_cell *cell = p->run->cell.cell;
    size_t room = 0;
    (void)apart_robot_set(p->run->cell.work, q);
    for (size_t i = 0; i < apart_robot_body_count(cell); i++) {
        room += apart_robot_body_at(cell, i)->part_count;
    }
    placed *parts = calloc(room + 1, sizeof *parts);
    *count = 0;
    for (size_t i = 0; parts != NULL && i < apart_robot_body_count(cell); i++) {
        const apart_robot_body *body = apart_robot_body_at(cell, i);
        const apart_pose pose = apart_robot_body_pose(p->run->cell.work, i);
        for (size_t k = 0; k < body->part_count; k++) {
            if (body->parts[k].shape.kind == APART_SHAPE_HALF_SPACE) {
                continue;
            }
            placed *part = &parts[(*count)++];
            part->body.shape = body->parts[k].shape;
            part->body.pose = apart_pose_compose(&pose, &body->parts[k].pose);
            part->depth = apart_vec3_dot(p->view.toward, apart_pose_apply(&part->body.pose, part->body.shape.center));
            part->obstacle = body->link == APART_ROBOT_NONE;
        }
    }
    if (parts != NULL) {
        qsort(parts, *count, sizeof *parts, by_depth);
    }
    return parts;
}

/* The step nearest to a time. */
static size_t step_at(const robot_plan *plan, double t)
{
    size_t best = 0;
    for (size_t i = 0; i < plan->count; i++) {
        best = fabs(plan->t[i] - t) < fabs(plan->t[best] - t) ? i : best;
    }
    return best;
}

static const double *positions_at(const robot_plan *plan, double t) { return plan->q + step_at(plan, t) * plan->width; }

static double frame_time(const picture *p, int frame)
{
    const robot_plan *plan = &p->run->pushed.plan;
    return plan->t[plan->count - 1] * frame / (FRAMES - 1);
}

/* ---- layout ---- */

static void measure(picture *p)
{
    p->low = (flat){DBL_MAX, DBL_MAX};
    p->high = (flat){-DBL_MAX, -DBL_MAX};
    for (int frame = 0; frame < 2 * FRAMES; frame++) {
        const robot_plan *plan = frame < FRAMES ? &p->run->pushed.plan : &p->run->plain.plan;
        size_t count;
        placed *parts = place_parts(p, positions_at(plan, frame_time(p, frame % FRAMES)), &count);
        for (size_t i = 0; parts != NULL && i < count; i++) {
            cli_region region;
            cli_outline_body(&parts[i].body, &p->view, &region);
            for (size_t k = 0; k < region.count; k++) {
                p->low = (flat){fmin(p->low.x, region.points[k].x), fmin(p->low.y, region.points[k].y)};
                p->high = (flat){fmax(p->high.x, region.points[k].x), fmax(p->high.y, region.points[k].y)};
            }
        }
        free(parts);
    }
    p->scale = (PANEL - 28) / fmax(p->high.x - p->low.x, p->high.y - p->low.y);
}

static flat corner_of(int frame)
{
    return (flat){GAP + (frame % COLUMNS) * (PANEL + GAP), TOP + (frame / COLUMNS) * (PANEL + GAP)};
}

static flat place(const picture *p, int frame, flat point)
{
    const flat corner = corner_of(frame);
    return (flat){corner.x + PANEL / 2.0 + (point.x - (p->low.x + p->high.x) / 2) * p->scale,
                  corner.y + PANEL / 2.0 - (point.y - (p->low.y + p->high.y) / 2) * p->scale};
}

/* ---- drawing ---- */

static void draw_outline(const picture *p, int frame, const placed *part, const char *class_name)
{
    cli_region region;
    flat points[CLI_OUTLINE_SIZE];
    cli_outline_body(&part->body, &p->view, &region);
    for (size_t i = 0; i < region.count; i++) {
        points[i] = place(p, frame, region.points[i]);
    }
    svg_polygon(p->out, points, region.count, class_name);
}

static void draw_edges(const picture *p, int frame, const placed *part, const char *class_name)
{
    size_t count = 0;
    cli_edge *edges = cli_body_edges(&part->body, &p->view, &count);
    for (size_t i = 0; i < count; i++) {
        if (!edges[i].hidden) {
            svg_line(p->out, place(p, frame, edges[i].from), place(p, frame, edges[i].to), class_name);
        }
    }
    free(edges);
}

static void draw_path(const picture *p, int frame)
{
    const robot_task *task = &p->run->task;
    for (size_t i = 0; i + 1 < task->path_count; i++) {
        svg_line(p->out, place(p, frame, cli_project(&p->view, task->path[i])),
                 place(p, frame, cli_project(&p->view, task->path[i + 1])), "path");
    }
}

/* Does the distance of a pair change along the way? */
static bool is_moving(const robot_plan *plan, size_t pair)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < plan->count; i++) {
        low = fmin(low, plan->distances[i * plan->pair_count + pair]);
        high = fmax(high, plan->distances[i * plan->pair_count + pair]);
    }
    return high - low > 1e-6;
}

/* The nearest of the pairs that move at this moment, as a line between its points. */
static void draw_nearest(const picture *p, int frame)
{
    const robot_plan *plan = &p->run->pushed.plan;
    const double *distances = plan->distances + step_at(plan, frame_time(p, frame)) * plan->pair_count;
    char text[CLI_TEXT_SIZE];
    const flat corner = corner_of(frame);
    apart_compound_result at;
    size_t nearest = plan->pair_count;
    for (size_t i = 0; i < plan->pair_count; i++) {
        if (is_moving(plan, i) && (nearest == plan->pair_count || distances[i] < distances[nearest])) {
            nearest = i;
        }
    }
    if (nearest == plan->pair_count || apart_robot_distance(p->run->cell.work, nearest, &at) != APART_OK) {
        return;
    }
    svg_line(p->out, place(p, frame, cli_project(&p->view, at.result.a)),
             place(p, frame, cli_project(&p->view, at.result.b)), "witness");
    snprintf(text, sizeof text, "t = %.1f", frame_time(p, frame));
    svg_text(p->out, (flat){corner.x + 10, corner.y + 20}, "start", "head", text);
    snprintf(text, sizeof text, "d = %.3f", at.result.distance);
    svg_text(p->out, (flat){corner.x + PANEL - 10, corner.y + 20}, "end", "note", text);
}

static int draw_frame(const picture *p, int frame)
{
    const flat corner = corner_of(frame);
    const double t = frame_time(p, frame);
    size_t count, plain_count;
    placed *plain = place_parts(p, positions_at(&p->run->plain.plan, t), &plain_count);
    placed *parts = place_parts(p, positions_at(&p->run->pushed.plan, t), &count);
    if (parts == NULL || plain == NULL) {
        free(parts);
        free(plain);
        return cli_error("out of memory");
    }
    svg_rectangle(p->out, corner, PANEL, PANEL, "frame");
    for (size_t i = 0; i < count; i++) {
        draw_outline(p, frame, &parts[i], parts[i].obstacle ? "obstacle" : "link");
        draw_edges(p, frame, &parts[i], parts[i].obstacle ? "obstacle-edge" : "link-edge");
    }
    for (size_t i = 0; i < plain_count; i++) {
        if (!plain[i].obstacle) {
            draw_outline(p, frame, &plain[i], "phantom");
        }
    }
    draw_path(p, frame);
    draw_nearest(p, frame);
    free(parts);
    free(plain);
    return CLI_YES;
}

int plan_write_frames(plan_run *run, FILE *stream)
{
    picture p = {.run = run, .out = stream, .view = make_view()};
    const int width = GAP + COLUMNS * (PANEL + GAP), height = TOP + ROWS * (PANEL + GAP);
    char note[CLI_TEXT_SIZE];
    measure(&p);
    svg_begin(stream, width, height, "The frames of the motion");
    svg_text(stream, (flat){GAP, 28}, "start", "title", apart_robot_name(run->cell.robot));
    snprintf(
        note, sizeof note,
        "the arm with the push (k = %g); dashed: the plain pseudo-inverse (k = 0); green: the path of the tool; black: the nearest of the "
        "pairs that move, d its distance",
        run->task.gain);
    svg_text(stream, (flat){GAP, 50}, "start", "note", note);
    int status = CLI_YES;
    for (int frame = 0; frame < FRAMES && status == CLI_YES; frame++) {
        status = draw_frame(&p, frame);
    }
    svg_end(stream);
    return status;
}
