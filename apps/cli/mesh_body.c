/* Mesh files as bodies: surface, solid, hull or cover (--as), and their parts. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- loading ---- */

int cli_meshes_of(const cli_settings *settings, int which, cli_meshes *out)
{
    const cli_option_id own = which == 0 ? CLI_AS_A : CLI_AS_B;
    const int as = settings->given[own] ? (which == 0 ? settings->as_a : settings->as_b) : settings->as;
    const bool named = settings->given[CLI_AS] || settings->given[own];
    *out = (cli_meshes){.lengths = {settings->scale, settings->units},
                        .body = {.as = (uint8_t)as, .threads = settings->threads}};
    out->body.cover.hulls = settings->hulls;
    out->body.cover.excess = settings->excess;
    if (settings->given[CLI_HULL] && named && as != APART_AS_HULL) {
        return cli_error("--hull and --as %s exclude each other", apart_mesh_as_name(as));
    }
    if (settings->given[CLI_HULL]) {
        out->body.as = APART_AS_HULL;
    }
    return CLI_YES;
}

/* "; it holds several objects: 'wheel', 'axle'" for a file that names several. */
static void describe_objects(const apart_mesh_data *mesh, char text[CLI_TEXT_SIZE])
{
    enum { SHOWN = 6 };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; mesh->object_count > 1 && i < mesh->object_count && i < SHOWN; i++) {
        used += (size_t)snprintf(text + used, CLI_TEXT_SIZE - used, "%s'%.24s'",
                                 i == 0 ? "; it holds several objects: " : ", ", mesh->object_names[i]);
    }
    if (mesh->object_count > SHOWN) {
        snprintf(text + used, CLI_TEXT_SIZE - used, " and %zu more", mesh->object_count - SHOWN);
    }
}

/* Why a mesh is no solid: "12 edges belong to one triangle only". */
static void describe_openness(const apart_mesh_data *data, char text[CLI_TEXT_SIZE])
{
    const apart_mesh_body_options options = {.as = APART_AS_SURFACE};
    apart_mesh_body *surface = NULL;
    snprintf(text, CLI_TEXT_SIZE, "it is not watertight");
    if (apart_mesh_body_build(data, &options, &surface) == APART_OK) {
        const apart_mesh_report *report = apart_mesh_inspect(surface->mesh);
        if (report->open_edges > 0) {
            snprintf(text, CLI_TEXT_SIZE, "%u of its edges belong%s to one triangle only", (unsigned)report->open_edges,
                     report->open_edges == 1 ? "s" : "");
        } else if (report->crowded_edges > 0) {
            snprintf(text, CLI_TEXT_SIZE, "%u of its edges have more than two triangles, not the same number each way",
                     (unsigned)report->crowded_edges);
        }
    }
    apart_mesh_body_free(surface);
}

static int refuse(const cli_body *body, const cli_meshes *meshes, const apart_mesh_data *data, apart_status status)
{
    char reason[CLI_TEXT_SIZE], objects[CLI_TEXT_SIZE];
    const char *option = meshes->as_option != NULL ? meshes->as_option : "--as";
    if (status == APART_ERR_EMPTY && data->face_count == 0) {
        return cli_error("%s: %s has points but no faces: only its hull can be taken", body->name, body->text);
    }
    if (status == APART_ERR_NOT_WATERTIGHT) {
        describe_openness(data, reason);
        describe_objects(data, objects);
        return cli_error("%s: %s encloses no solid: %s%s; use %s surface, hull or cover", body->name, body->text,
                         reason, objects, option);
    }
    return cli_error("%s: %s: %s", body->name, body->text, cli_reason(status, reason));
}

static int show_progress(double share, void *user)
{
    cli_progress_show(user, "percent of the cover", (size_t)(100 * share), 100);
    return 0;
}

int cli_mesh_body_load(cli_body *body, const cli_meshes *meshes)
{
    cli_mesh loaded;
    if (cli_mesh_load(body->text, meshes->lengths, &loaded) != CLI_YES) {
        return CLI_BAD;
    }
    cli_progress progress = cli_progress_begin(body->text);
    apart_mesh_body_options options = meshes->body;
    options.cover.progress = show_progress;
    options.cover.user = &progress;
    const apart_status status = apart_mesh_body_build(&loaded.mesh, &options, &body->mesh);
    cli_progress_show(&progress, "", 101, 100);
    body->scale = loaded.scale;
    const int result = status == APART_OK ? CLI_YES : refuse(body, meshes, &loaded.mesh, status);
    apart_mesh_data_free(&loaded.mesh);
    if (result == CLI_YES) {
        body->shape = body->mesh->as == APART_AS_HULL ? body->mesh->shape : (apart_shape){.dim = 3};
    }
    return result;
}

/* ---- parts ---- */

bool cli_body_has_parts(const cli_body *body) { return body->mesh != NULL && body->mesh->as != APART_AS_HULL; }

bool cli_has_parts(const cli_body bodies[2])
{
    return cli_body_has_parts(&bodies[0]) || cli_body_has_parts(&bodies[1]);
}

apart_solid cli_body_solid(const cli_body *body)
{
    return cli_body_has_parts(body) ? body->mesh->solid : apart_solid_shape(&body->shape);
}

apart_part cli_body_part(const cli_body *body, uint32_t part)
{
    apart_part found = {body->shape, apart_pose_identity()};
    if (cli_body_has_parts(body)) {
        (void)apart_mesh_body_part(body->mesh, part, &found);
    }
    found.pose = apart_pose_compose(&body->pose, &found.pose);
    return found;
}

/* Triangles have the file's vertices. */
static void name_vertices(const cli_body *body, uint32_t part, apart_feature *feature)
{
    const bool has_triangles = cli_body_has_parts(body) && body->mesh->mesh != NULL;
    for (int i = 0; has_triangles && i < feature->count; i++) {
        if (feature->index[i] < 3) {
            feature->index[i] = body->mesh->triangles[3 * (size_t)part + feature->index[i]];
        }
    }
}

bool cli_features(const cli_body bodies[2], const apart_compound_result *result, apart_feature out[2])
{
    const apart_part a = cli_body_part(&bodies[0], result->part_a), b = cli_body_part(&bodies[1], result->part_b);
    const bool has_parts = cli_has_parts(bodies);
    int meet = 1;
    if (has_parts && result->result.relation == APART_OVERLAPPING) { /* else the points lie deep in both bodies */
        (void)apart_overlap(&a.shape, &a.pose, &b.shape, &b.pose, NULL, NULL, &meet);
    }
    if (!meet || apart_features(&a.shape, &a.pose, &b.shape, &b.pose, &result->result, &out[0], &out[1]) != APART_OK) {
        return false;
    }
    name_vertices(&bodies[0], result->part_a, &out[0]);
    name_vertices(&bodies[1], result->part_b, &out[1]);
    return true;
}

int cli_need_convex(const char *option, const cli_body bodies[2])
{
    for (int i = 0; option != NULL && i < 2; i++) {
        if (cli_body_has_parts(&bodies[i])) {
            return cli_error("%s is about two convex bodies, and %s is taken as a %s; use --as hull", option,
                             bodies[i].text, apart_mesh_as_name(bodies[i].mesh->as));
        }
    }
    return CLI_YES;
}

const char *cli_body_kind(const cli_body *body, char text[CLI_TEXT_SIZE])
{
    const apart_mesh_body *mesh = body->mesh;
    char number[CLI_NUMBER_SIZE];
    if (mesh == NULL) {
        return apart_shape_name(&body->shape);
    }
    if (mesh->as == APART_AS_COVER) {
        snprintf(text, CLI_TEXT_SIZE, "cover of %u hull%s, at most %s beyond the mesh",
                 (unsigned)apart_cover_count(mesh->cover), apart_cover_count(mesh->cover) == 1 ? "" : "s",
                 cli_brief(apart_cover_excess(mesh->cover), 1, number));
    } else if (mesh->as == APART_AS_HULL) {
        const size_t used = (size_t)snprintf(text, CLI_TEXT_SIZE, "%s of %u vertices", apart_shape_name(&body->shape),
                                             (unsigned)apart_hull_vertex_count(mesh->hull));
        if (mesh->deviation > 1e-6) {
            snprintf(text + used, CLI_TEXT_SIZE - used,
                     " (the mesh is not convex: it lies up to %.3g of its size below)", mesh->deviation);
        }
    } else {
        const uint32_t open = apart_mesh_inspect(mesh->mesh)->open_edges;
        const size_t used = (size_t)snprintf(text, CLI_TEXT_SIZE, "%s of %zu triangle%s", apart_mesh_as_name(mesh->as),
                                             mesh->triangle_count, mesh->triangle_count == 1 ? "" : "s");
        if (open > 0) {
            snprintf(text + used, CLI_TEXT_SIZE - used, " with %u open edge%s", (unsigned)open, open == 1 ? "" : "s");
        }
    }
    return text;
}
