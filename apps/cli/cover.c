/* apart cover FILE: convex hulls that are proved to contain a mesh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct cover_job {
    const cli_settings *settings;
    const char *name; /* of the file, for messages */
    cli_mesh mesh;
    apart_mesh_body *body;
    const apart_cover *cover; /* the body's */
    double size;              /* the diagonal of the mesh's box */
    bool solid;
} cover_job;

static double box_diagonal(const apart_mesh_data *mesh)
{
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < mesh->face_index_count; i++) {
            const double x = mesh->xyz[3 * (size_t)mesh->face_indices[i] + k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

static int show_progress(double share, void *user)
{
    cli_progress_show(user, "percent", (size_t)(100 * share), 100);
    return 0;
}

/* A closed mesh is covered as a solid, unless its surface alone is asked for. */
static int build(cover_job *job)
{
    cli_progress progress = cli_progress_begin(job->name);
    const apart_mesh_body_options options = {.as = APART_AS_COVER,
                                             .surface_cover = job->settings->given[CLI_SURFACE],
                                             .cover = {.hulls = job->settings->hulls,
                                                       .excess = job->settings->excess,
                                                       .progress = show_progress,
                                                       .user = &progress}};
    const apart_status status = apart_mesh_body_build(&job->mesh.mesh, &options, &job->body);
    cli_progress_show(&progress, "percent", 101, 100);
    char reason[CLI_TEXT_SIZE];
    if (status != APART_OK) {
        return job->mesh.mesh.face_count == 0 ? cli_error("%s: there are no faces to cover", job->name)
                                              : cli_error("%s: %s", job->name, cli_reason(status, reason));
    }
    job->cover = job->body->cover;
    job->solid = apart_cover_claim_of(job->cover).solid != 0;
    return CLI_YES;
}

/* Every hull is an object; vertices count through the file. */
static void write_objects(const cover_job *job, FILE *stream)
{
    uint32_t base = 1;
    for (uint32_t h = 0; h < apart_cover_count(job->cover); h++) {
        const apart_hull *hull = apart_cover_hull(job->cover, h);
        const uint32_t vertices = apart_hull_vertex_count(hull), *corner;
        fprintf(stream, "o hull_%u\n", (unsigned)h);
        for (uint32_t v = 0; v < vertices; v++) {
            const apart_vec3 p = apart_hull_vertex(hull, v);
            fprintf(stream, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
        }
        for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
            const uint32_t corners = apart_hull_face(hull, f, &corner);
            fputc('f', stream);
            for (uint32_t k = 0; k < corners; k++) {
                fprintf(stream, " %lu", (unsigned long)corner[k] + base);
            }
            fputc('\n', stream);
        }
        base += vertices;
    }
}

static int write_cover(const cover_job *job)
{
    cli_file file;
    if (job->settings->output == NULL) {
        return CLI_YES;
    }
    if (cli_file_open(job->settings->output, &file) != CLI_YES) {
        return CLI_BAD;
    }
    write_objects(job, file.stream);
    return cli_file_close(&file, CLI_YES);
}

static double hull_volumes(const apart_cover *cover)
{
    double sum = 0;
    for (uint32_t h = 0; h < apart_cover_count(cover); h++) {
        sum += apart_hull_volume(apart_cover_hull(cover, h));
    }
    return sum;
}

static int print_json(const cover_job *job)
{
    json_t *hulls = json_array();
    for (uint32_t h = 0; h < apart_cover_count(job->cover); h++) {
        const apart_hull *hull = apart_cover_hull(job->cover, h);
        json_array_append_new(hulls, json_pack("{s:I, s:I, s:f}", "vertices", (json_int_t)apart_hull_vertex_count(hull),
                                               "faces", (json_int_t)apart_hull_face_count(hull), "volume",
                                               apart_hull_volume(hull)));
    }
    return cli_json_print(json_pack("{s:s, s:o, s:I, s:s, s:b, s:f, s:f, s:o}", "apart", apart_version(), "file",
                                    cli_json_text(job->name), "triangles", (json_int_t)job->body->triangle_count,
                                    "covered", job->solid ? "solid" : "surface", "proved", 1, "excess",
                                    apart_cover_excess(job->cover), "size", job->size, "hulls", hulls),
                          stdout, false);
}

static void print_text(const cover_job *job)
{
    const uint32_t count = apart_cover_count(job->cover);
    const double excess = apart_cover_excess(job->cover);
    char number[CLI_NUMBER_SIZE];
    fputs("file        ", stdout);
    cli_print_safely(stdout, job->name);
    printf(", %zu triangle%s\n", job->body->triangle_count, job->body->triangle_count == 1 ? "" : "s");
    printf("covered     %s\n", job->solid                          ? "the solid that they enclose"
                               : job->settings->given[CLI_SURFACE] ? "their surface"
                                                                   : "their surface: they enclose no solid");
    printf("hulls       %u, proved to contain it\n", (unsigned)count);
    printf("excess      at most %s: no point of a hull is farther from it (%.3g %% of its size)\n",
           cli_number(excess, number), job->size > 0 ? 100 * excess / job->size : 0);
    printf("volume      %s of all hulls together\n", cli_number(hull_volumes(job->cover), number));
}

static int report(const cover_job *job)
{
    if (job->settings->given[CLI_JSON]) {
        return print_json(job);
    }
    print_text(job);
    return CLI_YES;
}

static int cover_mesh(cover_job *job)
{
    job->size = box_diagonal(&job->mesh.mesh);
    int status = build(job);
    status = status == CLI_YES ? write_cover(job) : status;
    return status == CLI_YES ? report(job) : status;
}

static int run(const cli_settings *settings)
{
    const char *path = settings->operands[0], *output = settings->output;
    const char *dot = output != NULL ? strrchr(output, '.') : NULL;
    if (output != NULL && (dot == NULL || strcmp(dot, ".obj") != 0)) {
        return cli_error("cover: -o %s: expected a name that ends in .obj", output);
    }
    if (settings->hulls > 4096 || (settings->given[CLI_HULLS] && settings->hulls == 0)) {
        return cli_error("cover: --hulls %u: expected 1 to 4096", (unsigned)settings->hulls);
    }
    cover_job job = {.settings = settings, .name = cli_input_name(path)};
    if (cli_mesh_load(path, (cli_lengths){settings->scale, settings->units}, &job.mesh) != CLI_YES) {
        return CLI_BAD;
    }
    const int status = cover_mesh(&job);
    apart_mesh_body_free(job.body);
    apart_mesh_data_free(&job.mesh.mesh);
    return status;
}

static const cli_option_id options[] = {CLI_COVER_OUTPUT, CLI_HULLS, CLI_EXCESS, CLI_SURFACE,
                                        CLI_UNITS,        CLI_SCALE, CLI_JSON,   CLI_HELP};

const cli_command cli_cover_command = {
    .name = "cover",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "a few convex hulls that are proved to contain a mesh",
    .description =
        "FILE is a mesh as for 'apart hull'. If its triangles enclose a solid, the hulls contain the solid,\n"
        "else the surface. The excess is an upper bound of how far the hulls reach beyond it.\n"
        "What -o writes is a mesh of several convex objects.\n",
    .examples = "  apart cover part.stl*mm --hulls 8 -o part-cover.obj\n"
                "  apart cover part.stl*mm --excess 0.002\n",
    .options = options,
    .run = run,
};
