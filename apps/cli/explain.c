/* The iterations of a query in words: what each step knows, asks and decides. Numbers are short here; the trace has all
 * digits. */
#include <math.h>
#include <string.h>

#include "cli.h"

static bool same(apart_vec3 p, apart_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static void print_short(apart_vec3 p, int dim)
{
    if (dim == 2) {
        printf("(%.4g, %.4g)", p.x, p.y);
    } else {
        printf("(%.4g, %.4g, %.4g)", p.x, p.y, p.z);
    }
}

/* "a3", or the point itself where the shape has no vertices. */
static void print_vertex(char body, uint32_t index, apart_vec3 point, int dim)
{
    putchar(body);
    if (index != APART_NO_INDEX) {
        printf("%u", (unsigned)index);
    } else {
        print_short(point, dim);
    }
}

static void print_pair(uint32_t index_a, apart_vec3 a, uint32_t index_b, apart_vec3 b, int dim)
{
    print_vertex('a', index_a, a, dim);
    putchar(' ');
    print_vertex('b', index_b, b, dim);
}

/* A step of the search for the depth: a face of a surface, or an edge of a ring, around the origin. It has bounds, but
 * names no support pair. */
static bool is_depth_step(const apart_trace_step *step)
{
    const apart_vec3 zero = {0, 0, 0};
    return isfinite(step->lower) && step->upper <= 0 && step->support_index_a == APART_NO_INDEX &&
           step->support_index_b == APART_NO_INDEX && same(step->support_a, zero) && same(step->support_b, zero);
}

static bool contains_support(const apart_trace_step *step)
{
    for (uint32_t i = 0; i < step->count; i++) {
        if (same(step->point_a[i], step->support_a) && same(step->point_b[i], step->support_b)) {
            return true;
        }
    }
    return false;
}

/* How many points of this step's simplex the next one still has. */
static unsigned count_kept(const apart_trace_step *step, const apart_trace_step *next)
{
    unsigned kept = 0;
    for (uint32_t i = 0; i < step->count; i++) {
        for (uint32_t k = 0; k < next->count; k++) {
            if (same(step->point_a[i], next->point_a[k]) && same(step->point_b[i], next->point_b[k])) {
                kept++;
                break;
            }
        }
    }
    return kept;
}

static void print_simplex(const apart_trace_step *step, uint32_t number, int dim)
{
    static const char *const names[] = {"", "point", "edge", "triangle", "tetrahedron"};
    printf("step %-3u simplex   %s:", (unsigned)number, names[step->count]);
    for (uint32_t i = 0; i < step->count; i++) {
        printf("%s ", i == 0 ? "" : ",");
        print_pair(step->index_a[i], step->point_a[i], step->index_b[i], step->point_b[i], dim);
    }
    putchar('\n');
}

static void print_last_decision(const apart_result *result)
{
    static const char *const stops[] = {
        "nothing lies farther: the bounds meet, and this is the answer",
        "rounding allows no further progress: the bounds say how good it is",
        "the iteration limit: the bounds say how good it is",
        "enough is known: stop early",
        "the workspace is full: the bounds say how good it is",
    };
    printf("         decision  %s\n", stops[result->stop]);
}

static void print_decision(const apart_trace_step *step, const apart_trace_step *next)
{
    const unsigned kept = count_kept(step, next);
    if (contains_support(step)) {
        printf("         decision  the pair is in the simplex already, but the bounds are apart: search again%s\n",
               next->fallback && !step->fallback ? ", in double-double arithmetic" : "");
    } else if (kept == step->count) {
        printf("         decision  the pair is new and nearer: add it\n");
    } else {
        printf("         decision  the pair is new and nearer: add it, and keep %u of the %u others\n", kept,
               (unsigned)step->count);
    }
}

static void print_depth_step(const apart_trace *trace, uint32_t i, const apart_result *result)
{
    const apart_trace_step *step = &trace->steps[i];
    const double radius = trace->radius_a + trace->radius_b;
    print_simplex(step, i + 1, result->dim);
    printf("         nearest   the %s nearest to the origin, with normal ", step->count == 2 ? "edge" : "face");
    print_short(step->v, result->dim);
    printf(": the depth is at least %.6g\n", radius - step->upper);
    printf("         support   the set ends %.6g away in that direction: the depth is at most that\n",
           radius - step->lower);
    if (i + 1 == trace->count) {
        print_last_decision(result);
    } else {
        printf("         decision  the set extends beyond this %s\n",
               step->count == 2 ? "edge: move the polygon out to it" : "face: move the surface out to it");
    }
}

/* The bounds of a step are those of the cores, so the rounding radii are subtracted. */
static void print_step(const apart_trace *trace, uint32_t i, const apart_result *result)
{
    const apart_trace_step *step = &trace->steps[i];
    const bool last = i + 1 == trace->count;
    const double radius = trace->radius_a + trace->radius_b;
    print_simplex(step, i + 1, result->dim);
    if (!isfinite(step->lower)) {
        printf("         nearest   the origin itself: a point of A and a point of B coincide\n");
        printf("         decision  the %s overlap or touch%s\n", radius > 0 ? "cores of the bodies" : "bodies",
               result->relation == APART_OVERLAPPING ? ": now search for the penetration depth" : "");
        return;
    }
    printf("         nearest   v = ");
    print_short(step->v, result->dim);
    printf(", |v| = %.6g: the distance is at most %.6g\n", apart_vec3_norm(step->v), step->upper - radius);
    printf("         support   ");
    print_pair(step->support_index_a, step->support_a, step->support_index_b, step->support_b, result->dim);
    if (step->lower > 0) {
        printf(" are farthest towards each other along v: it is at least %.6g\n", step->lower - radius);
    } else {
        printf(" are farthest towards each other along v: no plane perpendicular to v separates them\n");
    }
    if (last) {
        print_last_decision(result);
    } else {
        print_decision(step, step + 1);
    }
}

/* Are the bounds of a step equal in print? */
static bool agree(const apart_trace_step *step)
{
    return isfinite(step->lower) && step->upper - step->lower <= 1e-6 * fabs(step->upper);
}

/* The last step before the end of a run of steps whose bounds agree, beginning at `first`. */
static uint32_t last_of_agreeing(const apart_trace *trace, uint32_t first, uint32_t stored)
{
    uint32_t i = first;
    while (i + 1 < stored && agree(&trace->steps[i])) {
        i++;
    }
    return i;
}

void cli_print_explanation(const cli_body bodies[2], const apart_trace *trace, const apart_result *result)
{
    const uint32_t stored = trace->count < trace->capacity ? trace->count : trace->capacity;
    if (stored == 0) {
        printf("%s and %s: a closed form, no iterations.\n\n", apart_shape_name(&bodies[0].shape),
               apart_shape_name(&bodies[1].shape));
        return;
    }
    printf("All differences b - a of a point b of B and a point a of A form a convex set, and its\n"
           "distance from the origin is the answer. Each step holds a simplex of one to %d such\n"
           "differences, its point v nearest to the origin, and finds the difference farthest against v.\n",
           result->dim + 1);
    printf("Points are relative to ");
    print_short(trace->origin, result->dim);
    printf("; a3 is vertex 3 of A.\n");
    if (trace->radius_a + trace->radius_b > 0) {
        printf("The cores are compared, and the radii %.6g and %.6g taken off.\n", trace->radius_a, trace->radius_b);
    }
    putchar('\n');
    for (uint32_t i = 0; i < stored; i++) {
        const uint32_t end = i > 0 && agree(&trace->steps[i - 1]) ? last_of_agreeing(trace, i, stored) : i;
        if (end > i + 1) {
            printf("steps %u to %u: the same again; the bounds agree in six digits and close in on the last ones\n",
                   (unsigned)i + 1, (unsigned)end);
            i = end;
        }
        if (is_depth_step(&trace->steps[i])) {
            print_depth_step(trace, i, result);
        } else {
            print_step(trace, i, result);
        }
    }
    if (trace->count > stored) {
        printf("... and %u more steps\n", (unsigned)(trace->count - stored));
    }
    putchar('\n');
}
