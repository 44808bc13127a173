/* Mesh files on the command line: reading, and the lengths their numbers stand for ("part.stl*mm"). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct unit_row {
    const char *name;
    double metres;
} unit_row;

static const unit_row units[CLI_UNIT_COUNT] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};

const char *cli_unit_name(int unit) { return units[unit].name; }

bool cli_file_exists(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream != NULL) {
        fclose(stream);
    }
    return stream != NULL;
}

static int read_mesh(const char *path, apart_mesh_data *mesh)
{
    apart_io_error error;
    apart_status status;
    if (strcmp(path, "-") == 0) {
        size_t size;
        char *data = cli_read_all(stdin, "standard input", &size);
        if (data == NULL) {
            return CLI_BAD;
        }
        status = apart_mesh_read_memory(data, size, "standard input", APART_MESH_AUTO, mesh, &error);
        free(data);
    } else {
        status = apart_mesh_read(path, mesh, &error);
    }
    return status == APART_OK ? CLI_YES : cli_error("%s", error.message);
}

/* What follows the last '*' of "part.stl*0.001" or "part.stl*mm"; NULL where all of it is the name of a file. */
static const char *own_scale(const char *text)
{
    const char *star = strrchr(text, '*');
    return star != NULL && !cli_file_exists(text) ? star + 1 : NULL;
}

static int read_own_scale(const char *text, const char *factor, double *out)
{
    const char *end;
    for (int i = 0; i < CLI_UNIT_COUNT; i++) {
        if (strcmp(factor, units[i].name) == 0) {
            *out = units[i].metres;
            return CLI_YES;
        }
    }
    if (cli_read_number(factor, &end, out) != NULL || *end != '\0' || !(*out > 0)) {
        return cli_error("%s: expected a number above zero or one of m, cm, mm, in and ft after '*'", text);
    }
    return CLI_YES;
}

/* --units is about files whose format does not say what its numbers are; --scale is about all. */
static double common_scale(cli_lengths lengths, const apart_mesh_data *mesh)
{
    const double scale = lengths.scale > 0 ? lengths.scale : 1;
    return mesh->unit > 0 ? scale : scale * units[lengths.units].metres;
}

static int scale_mesh(apart_mesh_data *mesh, double scale, const char *path)
{
    for (size_t i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->xyz[i] *= scale;
        if (!isfinite(mesh->xyz[i])) {
            return cli_error("%s: scaled by %g its coordinates are beyond the range of doubles", path, scale);
        }
    }
    return CLI_YES;
}

static int load_scaled(const char *path, cli_lengths lengths, cli_mesh *out)
{
    if (read_mesh(path, &out->mesh) != CLI_YES) {
        return CLI_BAD;
    }
    out->scale = out->scale > 0 ? out->scale : common_scale(lengths, &out->mesh);
    if (out->scale != 1 && scale_mesh(&out->mesh, out->scale, path) != CLI_YES) {
        return CLI_BAD;
    }
    return CLI_YES;
}

int cli_mesh_load(const char *text, cli_lengths lengths, cli_mesh *out)
{
    *out = (cli_mesh){0};
    const char *own = own_scale(text);
    const size_t length = own != NULL ? (size_t)(own - text) - 1 : strlen(text);
    if (own != NULL && read_own_scale(text, own, &out->scale) != CLI_YES) {
        return CLI_BAD;
    }
    char *path = malloc(length + 1);
    if (path == NULL) {
        return cli_error("out of memory");
    }
    memcpy(path, text, length);
    path[length] = '\0';
    const int status = load_scaled(path, lengths, out);
    free(path);
    if (status != CLI_YES) {
        apart_mesh_data_free(&out->mesh);
    }
    return status;
}

const char *cli_mesh_format_name(int format)
{
    static const char *const names[] = {"unknown", "OBJ", "STL", "PLY", "OFF", "points", "Collada", "glTF"};
    return format >= 0 && format <= APART_MESH_GLTF ? names[format] : names[0];
}

const char *cli_scale_text(double scale, char text[CLI_TEXT_SIZE])
{
    const char *unit = NULL;
    for (int i = 1; i < CLI_UNIT_COUNT; i++) {
        unit = units[i].metres == scale ? units[i].name : unit;
    }
    snprintf(text, CLI_TEXT_SIZE, unit != NULL ? "coordinates times %g (%s to m)" : "coordinates times %g", scale,
             unit);
    return text;
}
