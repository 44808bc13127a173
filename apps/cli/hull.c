/* apart hull FILE: the convex hull of a mesh's vertices or of a point list. */
#include <string.h>

#include "cli.h"

/* A mesh file and its hull. */
typedef struct hull_job {
    cli_mesh file;
    apart_hull *hull;
    double deviation; /* of the mesh from its hull */
} hull_job;

static int output_format(const char *path)
{
    static const char *const extensions[] = {NULL, ".obj", ".stl", ".ply", ".off"};
    const char *dot = strrchr(path, '.');
    for (int format = APART_MESH_OBJ; dot != NULL && format <= APART_MESH_OFF; format++) {
        if (strcmp(dot, extensions[format]) == 0) {
            return format;
        }
    }
    return APART_MESH_AUTO;
}

static void print_adjacency(const apart_hull *hull)
{
    const uint32_t *list;
    printf("\nvertex  input  neighbours\n");
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull); v++) {
        const uint32_t count = apart_hull_neighbours(hull, v, &list);
        printf("%6u %6u ", (unsigned)v, (unsigned)apart_hull_input_index(hull, v));
        for (uint32_t i = 0; i < count; i++) {
            printf(" %u", (unsigned)list[i]);
        }
        putchar('\n');
    }
    if (apart_hull_face_count(hull) > 0) {
        printf("\n  face  vertices, counter-clockwise from outside\n");
    }
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t count = apart_hull_face(hull, f, &list);
        printf("%6u ", (unsigned)f);
        for (uint32_t i = 0; i < count; i++) {
            printf(" %u", (unsigned)list[i]);
        }
        putchar('\n');
    }
}

static void print_text(const char *path, const hull_job *job, bool adjacency)
{
    static const char *const dimensions[] = {"a single point", "a segment", "flat", "a solid"};
    const apart_mesh_data *mesh = &job->file.mesh;
    const apart_hull *hull = job->hull;
    char number[CLI_NUMBER_SIZE];
    fputs("file        ", stdout);
    cli_print_safely(stdout, path);
    printf(", %s, %zu point%s", cli_mesh_format_name(mesh->format), mesh->vertex_count,
           mesh->vertex_count == 1 ? "" : "s");
    if (mesh->face_count > 0) {
        printf(", %zu face%s", mesh->face_count, mesh->face_count == 1 ? "" : "s");
        printf("\nconvex      %s", job->deviation > 1e-6 ? "no" : "yes");
        printf(", it lies up to %.3g of its size below its hull", job->deviation);
    }
    if (job->file.scale != 1) {
        char scale[CLI_TEXT_SIZE];
        printf("\nscale       %s", cli_scale_text(job->file.scale, scale));
    }
    printf("\ndimension   %d: %s\n", apart_hull_dimension(hull), dimensions[apart_hull_dimension(hull)]);
    printf("vertices    %u\n", (unsigned)apart_hull_vertex_count(hull));
    printf("edges       %u\n", (unsigned)apart_hull_edge_count(hull));
    printf("faces       %u\n", (unsigned)apart_hull_face_count(hull));
    printf("area        %s\n", cli_number(apart_hull_area(hull), number));
    printf("volume      %s\n", cli_number(apart_hull_volume(hull), number));
    if (adjacency) {
        print_adjacency(hull);
    }
}

static json_t *list_json(const uint32_t *list, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(array, json_integer(list[i]));
    }
    return array;
}

static void add_adjacency(json_t *root, const apart_hull *hull)
{
    json_t *vertices = json_array(), *edges = json_array(), *faces = json_array();
    const uint32_t *list;
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull); v++) {
        const uint32_t count = apart_hull_neighbours(hull, v, &list);
        json_array_append_new(vertices,
                              json_pack("{s:I, s:o, s:o}", "input", (json_int_t)apart_hull_input_index(hull, v),
                                        "point", cli_json_vec(apart_hull_vertex(hull, v), 3), "neighbours",
                                        list_json(list, count)));
    }
    for (uint32_t e = 0; e < apart_hull_edge_count(hull); e++) {
        uint32_t ends[2];
        apart_hull_edge(hull, e, ends);
        json_array_append_new(edges, list_json(ends, 2));
    }
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t count = apart_hull_face(hull, f, &list);
        json_array_append_new(faces, json_pack("{s:o, s:o}", "vertices", list_json(list, count), "normal",
                                               cli_json_vec(apart_hull_face_normal(hull, f), 3)));
    }
    json_object_set_new(root, "vertices", vertices);
    json_object_set_new(root, "edges", edges);
    json_object_set_new(root, "faces", faces);
}

static int print_json(const char *path, const hull_job *job, bool adjacency)
{
    const apart_hull *hull = job->hull;
    json_t *root =
        json_pack("{s:s, s:o, s:s, s:I, s:I, s:f, s:f, s:i, s:I, s:I, s:I, s:f, s:f}", "apart", apart_version(), "file",
                  cli_json_text(path), "format", cli_mesh_format_name(job->file.mesh.format), "input_points",
                  (json_int_t)job->file.mesh.vertex_count, "input_faces", (json_int_t)job->file.mesh.face_count,
                  "deviation", job->deviation, "scale", job->file.scale, "dimension", apart_hull_dimension(hull),
                  "vertex_count", (json_int_t)apart_hull_vertex_count(hull), "edge_count",
                  (json_int_t)apart_hull_edge_count(hull), "face_count", (json_int_t)apart_hull_face_count(hull),
                  "area", apart_hull_area(hull), "volume", apart_hull_volume(hull));
    if (root != NULL && adjacency) {
        add_adjacency(root, hull);
    }
    return cli_json_print(root, stdout, false);
}

static int report(const cli_settings *settings, const char *path, const hull_job *job, int format)
{
    apart_io_error error;
    if (settings->output != NULL && apart_hull_write(job->hull, settings->output, format, &error) != APART_OK) {
        return cli_error("%s", error.message);
    }
    if (settings->given[CLI_JSON]) {
        return print_json(path, job, settings->given[CLI_ADJACENCY]);
    }
    print_text(path, job, settings->given[CLI_ADJACENCY]);
    return CLI_YES;
}

static int run(const cli_settings *settings)
{
    const char *path = settings->operands[0];
    const int format = settings->output != NULL ? output_format(settings->output) : APART_MESH_AUTO;
    hull_job job = {.hull = NULL};
    if (settings->output != NULL && format == APART_MESH_AUTO) {
        return cli_error("hull: -o %s: expected a name that ends in .obj, .off, .stl or .ply", settings->output);
    }
    if (cli_mesh_load(path, (cli_lengths){settings->scale, settings->units}, &job.file) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_mesh_data *mesh = &job.file.mesh;
    const apart_status built = apart_hull_build(mesh->xyz, mesh->vertex_count, NULL, &job.hull);
    char reason[CLI_TEXT_SIZE];
    job.deviation = built == APART_OK ? apart_mesh_deviation(mesh, job.hull) : 0;
    const int status = built == APART_OK ? report(settings, cli_input_name(path), &job, format)
                                         : cli_error("%s: %s", path, cli_reason(built, reason));
    apart_hull_free(job.hull);
    apart_mesh_data_free(&job.file.mesh);
    return status;
}

static const cli_option_id options[] = {CLI_OUTPUT, CLI_ADJACENCY, CLI_UNITS, CLI_SCALE, CLI_JSON, CLI_HELP};

const cli_command cli_hull_command = {
    .name = "hull",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "the convex hull of a mesh or point file: counts, volume, adjacency",
    .description = "FILE is OBJ, STL, PLY, OFF, Collada, glTF, or text with one 'x y z' on each line; - is standard\n"
                   "input. FILE*0.001 and FILE*mm scale it.\n"
                   "Vertices are the strictly extreme points; 'input' is a vertex's number in the file, from 0.\n"
                   "Flat, straight and single-point input is legal.\n",
    .examples = "  apart hull rock.obj\n"
                "  apart hull points.txt --adjacency -o hull.off\n",
    .options = options,
    .run = run,
};
