/* The enumeration of faces against the hull builder (item G6): the same faces and edges, and what both cost. */
#include "enumerate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../experiments.h"
#include "../kit.h"
#include "../pair.h"

/* Planes of unit-sized bodies that differ by less are one: far above rounding, far below the angles of 500 random points. */
#define TOLERANCE 1e-10

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_faces(const void *a, const void *b)
{
    const lab_face *f = a, *g = b;
    for (uint32_t i = 0; i < f->count && i < g->count; i++) {
        if (f->vertex[i] != g->vertex[i]) {
            return f->vertex[i] < g->vertex[i] ? -1 : 1;
        }
    }
    return f->count < g->count ? -1 : f->count > g->count;
}

/* The same sets of vertices as faces? Sorts both. */
static bool same_faces(const apart_hull *hull, lab_enumeration *e)
{
    const uint32_t count = apart_hull_face_count(hull);
    lab_face *list = lab_allocate(count, sizeof *list);
    bool same = count == e->face_count;
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *v;
        list[f].count = apart_hull_face(hull, f, &v);
        list[f].vertex = memcpy(lab_allocate(list[f].count, sizeof *v), v, list[f].count * sizeof *v);
        qsort(list[f].vertex, list[f].count, sizeof *v, compare_numbers);
    }
    for (uint32_t f = 0; f < e->face_count; f++) {
        qsort(e->faces[f].vertex, e->faces[f].count, sizeof(uint32_t), compare_numbers);
    }
    qsort(list, count, sizeof *list, compare_faces);
    qsort(e->faces, e->face_count, sizeof *e->faces, compare_faces);
    for (uint32_t f = 0; f < count; f++) {
        same = same && compare_faces(&list[f], &e->faces[f]) == 0;
        free(list[f].vertex);
    }
    free(list);
    return same;
}

static bool same_edges(const apart_hull *hull, const lab_enumeration *e)
{
    bool same = apart_hull_edge_count(hull) == e->edge_count;
    for (uint32_t i = 0; same && i < e->edge_count; i++) {
        const uint32_t *list, count = apart_hull_neighbours(hull, e->edges[i][0], &list);
        same = bsearch(&e->edges[i][1], list, count, sizeof *list, compare_numbers) != NULL;
    }
    return same;
}

typedef struct row {
    uint32_t n, faces, edges;
    double enumeration, printed, builder; /* seconds; printed: every vertex held against every triple */
    uint64_t planes, points;
    bool same;
} row;

static row compare(const double *xyz, uint32_t n)
{
    row out = {.builder = INFINITY};
    apart_hull *hull = NULL;
    for (int repeat = 0; repeat < 5; repeat++) {
        apart_hull_free(hull);
        const double start = lab_processor_seconds();
        if (apart_hull_build(xyz, n, NULL, &hull) != APART_OK) {
            return out;
        }
        out.builder = fmin(out.builder, lab_processor_seconds() - start);
    }
    out.n = apart_hull_vertex_count(hull);
    apart_vec3 *v = lab_allocate(out.n, sizeof *v);
    for (uint32_t i = 0; i < out.n; i++) {
        v[i] = apart_hull_vertex(hull, i);
    }
    lab_enumeration e;
    const double start = lab_processor_seconds();
    lab_enumerate(v, out.n, TOLERANCE, true, &e);
    out.enumeration = lab_processor_seconds() - start;
    lab_enumeration whole;
    const double again = lab_processor_seconds();
    lab_enumerate(v, out.n, TOLERANCE, false, &whole);
    out.printed = lab_processor_seconds() - again;
    out.same = whole.face_count == e.face_count && whole.edge_count == e.edge_count;
    lab_enumeration_free(&whole);
    out.faces = e.face_count;
    out.edges = e.edge_count;
    out.planes = e.planes_tested;
    out.points = e.points_tested;
    out.same = out.same && same_edges(hull, &e) && same_faces(hull, &e);
    lab_enumeration_free(&e);
    apart_hull_free(hull);
    free(v);
    return out;
}

/* ---- bodies with faces of more than three vertices ---- */

static uint32_t prism(double *xyz, uint32_t sides)
{
    for (uint32_t i = 0; i < 2 * sides; i++) {
        const double angle = 2 * LAB_PI * (i % sides) / sides;
        xyz[3 * i] = cos(angle);
        xyz[3 * i + 1] = sin(angle);
        xyz[3 * i + 2] = i < sides ? -0.5 : 0.5;
    }
    return 2 * sides;
}

static uint32_t dodecahedron(double *xyz)
{
    const double golden = 0.5 * (1 + sqrt(5.0)), inverse = 1 / golden;
    uint32_t n = 0;
    for (int i = 0; i < 8; i++, n++) {
        xyz[3 * n] = i & 1 ? 1 : -1;
        xyz[3 * n + 1] = i & 2 ? 1 : -1;
        xyz[3 * n + 2] = i & 4 ? 1 : -1;
    }
    for (int i = 0; i < 12; i++, n++) {
        const int axis = i / 4;
        xyz[3 * n + (uint32_t)axis] = 0;
        xyz[3 * n + (uint32_t)((axis + 1) % 3)] = i & 1 ? inverse : -inverse;
        xyz[3 * n + (uint32_t)((axis + 2) % 3)] = i & 2 ? golden : -golden;
    }
    return n;
}

/* Points of a cubic lattice in a sphere: many of them in one face, and not extreme. */
static uint32_t lattice_ball(double *xyz, int radius)
{
    uint32_t n = 0;
    for (int x = -radius; x <= radius; x++) {
        for (int y = -radius; y <= radius; y++) {
            for (int z = -radius; z <= radius; z++) {
                if (x * x + y * y + z * z <= radius * radius) {
                    xyz[3 * n] = (double)x / radius;
                    xyz[3 * n + 1] = (double)y / radius;
                    xyz[3 * n++ + 2] = (double)z / radius;
                }
            }
        }
    }
    return n;
}

static void compare_regular(lab_section *s, FILE *csv)
{
    static double xyz[3 * 2000];
    static const char *const names[] = {"cube", "prism with 16 sides", "dodecahedron", "lattice points in a ball of 3",
                                        "lattice points in a ball of 5"};
    lab_table t;
    bool all = true;
    lab_table_init(&t, "Bodies with larger faces", "body|vertices|faces|edges|same faces and edges");
    for (int i = 0; i < 5; i++) {
        const uint32_t n = i == 0   ? prism(xyz, 4)
                           : i == 1 ? prism(xyz, 16)
                           : i == 2 ? dodecahedron(xyz)
                                    : lattice_ball(xyz, i == 3 ? 3 : 5);
        const row r = compare(xyz, n);
        all = all && r.same;
        lab_table_row(&t, "%s|%u|%u|%u|%s", names[i], r.n, r.faces, r.edges, r.same ? "yes" : "NO");
        fprintf(csv, "%s,%u,%u,%u,%.9g,%.9g,%.9g,%llu,%llu,%d\n", names[i], r.n, r.faces, r.edges, r.enumeration,
                r.printed, r.builder, (unsigned long long)r.planes, (unsigned long long)r.points, r.same);
    }
    lab_show_table(s, &t);
    lab_must(s, all,
             "coplanar triples are merged to the same faces as the exact builder's on regular bodies and "
             "lattice points");
}

/* ---- growth ---- */

/* What the paper claims, and which numbers bear it out. */
enum { HOURS, HOURS_PLAIN, POWER };
static const lab_claim claims[] = {
    [HOURS] = {"G6-hours",
               "Geometric §4.2",
               "the enumeration takes a few hours to half a day for hundreds of vertices",
               "hours",
               "seconds at the largest size, with an early end",
               {3600, INFINITY},
               {60, INFINITY}},
    [HOURS_PLAIN] = {"G6-hours-plain",
                     "Geometric §4.2",
                     "the same",
                     "hours",
                     "seconds at the largest size, every vertex held against every triple",
                     {3600, INFINITY},
                     {60, INFINITY}},
    [POWER] = {"G6-power",
               "Geometric appendix",
               "all triples against all vertices",
               "n⁴",
               "power of n of the time, every vertex tested",
               {3.7, 4.3},
               {3.3, 4.7}},
};

typedef enum which_time { OF_ENUMERATION, OF_PRINTED, OF_BUILDER } which_time;

static double time_of(const row *r, which_time which)
{
    return which == OF_BUILDER ? r->builder : which == OF_PRINTED ? r->printed : r->enumeration;
}

/* Exponent of a power law through the last two sizes that are at least a factor of two apart. */
static double exponent(const row *rows, size_t count, which_time which)
{
    const row *last = &rows[count - 1], *before = &rows[count - 2];
    for (size_t k = count - 1; k-- > 0 && 2 * before->n > last->n;) {
        before = &rows[k];
    }
    return log(time_of(last, which) / time_of(before, which)) / log((double)last->n / before->n);
}

static void draw(lab_section *s, const row *rows, size_t count)
{
    lab_plot p;
    lab_plot_begin(&p, "faces",
                   "Faces and edges from bare vertices: the enumeration of all triples against apart_hull_build, for "
                   "points random on the sphere.",
                   1, 1, 760, 480);
    lab_plot_panel(&p, "Time to build the hull data", "vertices", "time [s]",
                   "set logscale xy\nset format y '10^{%L}'");
    static const char *const styles[3] = {"with linespoints lc rgb '#E69F00' dt 1 pt 5 lw 1.8",
                                          "with linespoints lc rgb '#000000' dt 1 pt 9 lw 1.8",
                                          "with linespoints lc rgb '#009E73' dt 1 pt 7 lw 1.8"};
    static const char *const legends[3] = {"enumeration, early end", "enumeration, as printed",
                                           "apart\\\\_hull\\\\_build"};
    for (int k = 0; k < 3; k++) {
        lab_plot_series(&p, styles[k], legends[k]);
        for (size_t i = 0; i < count; i++) {
            lab_plot_point(&p, rows[i].n, time_of(&rows[i], (which_time)k));
        }
    }
    lab_plot_series(&p, "with lines lc rgb '#D55E00' dt 3 lw 1.8", "the paper: a few hours to half a day");
    lab_plot_point(&p, 100, 10800);
    lab_plot_point(&p, 600, 43200);
    lab_plot_end(s, &p);
}

/* Distances on bodies that both builders describe alike: their answers are proved too. */
static void check_answers(lab_section *s)
{
    const lab_scene scene = {.kind = LAB_HULLS,
                             .n_a = 60,
                             .n_b = 60,
                             .pairs = 20,
                             .steps = 5,
                             .wander = 1,
                             .distance = 3,
                             .step = 0.2,
                             .turn = 60,
                             .seed = s->settings->seed};
    const lab_algorithm_id ids[] = {LAB_JOHNSON_SCAN, LAB_JOHNSON_CLIMB};
    uint64_t wrong[2] = {0, 0};
    lab_check_scene(s, &scene, ids, 2, true, 100, wrong);
}

static void run(lab_section *s)
{
    static const uint32_t full[] = {8, 16, 30, 60, 100, 150, 200, 300, 400, 500, LAB_END};
    static const uint32_t quick[] = {8, 16, 30, 60, 100, LAB_END};
    size_t count;
    const uint32_t *sizes = lab_list(s, full, quick, &count);
    row rows[16];
    bool all = true;
    lab_random r = lab_random_stream(s->settings->seed, 66);
    lab_table t;
    lab_paper(s,
              "Hill climbing needs to know which vertices are neighbours. The appendix finds the faces by trying all "
              "triples of vertices for support planes, unites coplanar triples, and reads the edges off the vertices' "
              "angular order. For hundreds of vertices this took a few hours to half a day on a 400 MHz Pentium II.");
    lab_here(
        s,
        "The same enumeration in C, as printed and with an early end of a triple's test, beside <code>apart_hull_build</code>, "
        "for points random on the unit sphere; faces as sets of vertices and edges must agree.");
    FILE *csv = lab_csv_open(
        s, "faces",
        "body,vertices,faces,edges,enumeration_seconds,printed_seconds,build_seconds,planes_tested,points_tested,same");
    lab_table_init(
        &t, "Points on the sphere",
        "vertices|faces|edges|triples|as printed|enumeration, early end|apart_hull_build|ratio|same faces and edges");
    for (size_t k = 0; k < count; k++) {
        double *xyz = lab_allocate(3 * (size_t)sizes[k], sizeof *xyz);
        for (uint32_t i = 0; i < sizes[k]; i++) {
            const apart_vec3 p = lab_random_direction(&r);
            memcpy(xyz + 3 * i, &p, sizeof p);
        }
        rows[k] = compare(xyz, sizes[k]);
        free(xyz);
        all = all && rows[k].same && rows[k].n == sizes[k] && rows[k].faces == 2 * sizes[k] - 4;
        lab_table_row(&t, "%u|%u|%u|%llu|%.3g ms|%.3g ms|%.3g ms|%.3g|%s", rows[k].n, rows[k].faces, rows[k].edges,
                      (unsigned long long)rows[k].planes, 1e3 * rows[k].printed, 1e3 * rows[k].enumeration,
                      1e3 * rows[k].builder, rows[k].enumeration / rows[k].builder, rows[k].same ? "yes" : "NO");
        fprintf(csv, "sphere,%u,%u,%u,%.9g,%.9g,%.9g,%llu,%llu,%d\n", rows[k].n, rows[k].faces, rows[k].edges,
                rows[k].enumeration, rows[k].printed, rows[k].builder, (unsigned long long)rows[k].planes,
                (unsigned long long)rows[k].points, rows[k].same);
        lab_progress(s, (double)(k + 1) / (double)count);
    }
    draw(s, rows, count);
    lab_show_table(s, &t);
    lab_must(s, all, "the enumeration and apart_hull_build find the same 2n − 4 faces and 3n − 6 edges at every size");
    compare_regular(s, csv);
    lab_csv_close(csv);
    const row *last = &rows[count - 1];
    lab_judge(s, &claims[HOURS], last->enumeration, last->enumeration,
              "%.3g s for %u vertices, growing with the "
              "power %.1f; apart_hull_build takes %.3g ms, with the power %.1f",
              last->enumeration, last->n, exponent(rows, count, OF_ENUMERATION), 1e3 * last->builder,
              exponent(rows, count, OF_BUILDER));
    const double power = exponent(rows, count, OF_PRINTED);
    lab_judge(s, &claims[HOURS_PLAIN], last->printed, last->printed, "%.3g s for %u vertices", last->printed, last->n);
    lab_judge(s, &claims[POWER], power, power, "the power %.2f between the last sizes", power);
    check_answers(s);
    lab_conclude_answers(s);
}

const lab_experiment lab_faces = {"faces", NULL, "The geometric improvement, section 4.2 and appendix (G6)",
                                  "Hull data by enumeration and by the builder", run};
