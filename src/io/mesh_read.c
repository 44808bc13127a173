/* Reading a mesh: the format by name or content, the growing mesh, the check of its indices; and how far a mesh is
 * from its hull. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "mesh_builder.h"
#include "report.h"
#include "text.h"

apart_status ap_mesh_add_vertex(ap_mesh_builder *b, const double xyz[3])
{
    apart_mesh_data *m = &b->mesh;
    double *moved = ap_grow(m->xyz, &b->xyz_capacity, m->vertex_count + 1, 3 * sizeof(double));
    if (!moved) {
        return ap_report_memory(b->error, b->name);
    }
    m->xyz = moved;
    memcpy(m->xyz + 3 * m->vertex_count, xyz, 3 * sizeof(double));
    m->vertex_count++;
    return APART_OK;
}

apart_status ap_mesh_add_index(ap_mesh_builder *b, uint64_t index, size_t line, size_t column)
{
    apart_mesh_data *m = &b->mesh;
    uint32_t *moved = ap_grow(m->face_indices, &b->index_capacity, m->face_index_count + 1, sizeof(uint32_t));
    if (!moved) {
        return ap_report_memory(b->error, b->name);
    }
    m->face_indices = moved;
    if (m->face_index_count == 0 || index > b->largest_index) {
        b->largest_index = index;
        b->largest_line = line;
        b->largest_column = column;
    }
    m->face_indices[m->face_index_count++] = (uint32_t)index;
    return APART_OK;
}

apart_status ap_mesh_end_face(ap_mesh_builder *b, size_t size)
{
    apart_mesh_data *m = &b->mesh;
    uint32_t *moved = ap_grow(m->face_sizes, &b->size_capacity, m->face_count + 1, sizeof(uint32_t));
    if (!moved) {
        return ap_report_memory(b->error, b->name);
    }
    m->face_sizes = moved;
    m->face_sizes[m->face_count++] = (uint32_t)size;
    return APART_OK;
}

typedef struct format_row {
    int format;
    ap_mesh_reader *read;
    const char *extensions[5];
} format_row;

static const format_row formats[] = {
    {APART_MESH_OBJ, ap_mesh_read_obj, {"obj"}},
    {APART_MESH_STL, ap_mesh_read_stl, {"stl", "stla", "stlb"}},
    {APART_MESH_PLY, ap_mesh_read_ply, {"ply"}},
    {APART_MESH_OFF, ap_mesh_read_off, {"off", "coff", "noff"}},
    {APART_MESH_POINTS, ap_mesh_read_points, {"xyz", "txt", "pts", "csv", "points"}},
};
enum { FORMATS = sizeof formats / sizeof formats[0], EXTENSIONS = 5 };

int ap_mesh_format_of_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot) {
        return APART_MESH_AUTO;
    }
    const ap_token extension = {.start = dot + 1, .length = strlen(dot + 1)};
    for (size_t f = 0; f < FORMATS; f++) {
        for (size_t e = 0; e < EXTENSIONS && formats[f].extensions[e]; e++) {
            if (ap_token_is_nocase(&extension, formats[f].extensions[e])) {
                return formats[f].format;
            }
        }
    }
    return APART_MESH_AUTO;
}

static int ends_with(const ap_token *token, const char *word)
{
    const size_t n = strlen(word);
    return token->length >= n && memcmp(token->start + token->length - n, word, n) == 0;
}

/* Recognises the format by the first word of the content. */
static int format_of_content(const void *data, size_t size)
{
    static const char *const obj_words[] = {"v", "vn", "vt", "o", "g", "mtllib", "usemtl", "f", "s"};
    if (ap_stl_is_binary(data, size)) {
        return APART_MESH_STL;
    }
    ap_text text;
    ap_token word;
    ap_text_open(&text, data, size, '#', "", NULL);
    if (!ap_text_token_across(&text, &word)) {
        return APART_MESH_POINTS;
    }
    if (ap_token_is(&word, "ply")) {
        return APART_MESH_PLY;
    }
    if (ends_with(&word, "OFF")) {
        return APART_MESH_OFF;
    }
    if (ap_token_is_nocase(&word, "solid")) {
        return APART_MESH_STL;
    }
    for (size_t i = 0; i < sizeof obj_words / sizeof obj_words[0]; i++) {
        if (ap_token_is(&word, obj_words[i])) {
            return APART_MESH_OBJ;
        }
    }
    return APART_MESH_POINTS;
}

/* Checks what only the complete mesh shows: all indices are in range, and there is at least one vertex. */
static apart_status check_mesh(const ap_mesh_builder *b)
{
    const apart_mesh_data *m = &b->mesh;
    if (m->vertex_count == 0) {
        return ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0, "expected at least one vertex, found none");
    }
    if (m->face_index_count > 0 && b->largest_index >= m->vertex_count) {
        const unsigned long long base = (unsigned long long)b->index_base;
        return ap_report(b->error, APART_ERR_SYNTAX, b->name, b->largest_line, b->largest_column,
                         "expected a vertex number from %llu to %llu, found %llu", base, m->vertex_count - 1 + base,
                         b->largest_index + base);
    }
    return APART_OK;
}

apart_status apart_mesh_read_memory(const void *data, size_t size, const char *name, int format, apart_mesh_data *mesh,
                                    apart_io_error *error)
{
    if (mesh) {
        *mesh = (apart_mesh_data){0};
    }
    name = name ? name : "memory";
    if (!mesh || (!data && size > 0)) {
        return ap_report(error, APART_ERR_NULL, name, 0, 0, "no data or no mesh given");
    }
    if (size > AP_FILE_LIMIT) {
        return ap_report(error, APART_ERR_FILE, name, 0, 0, "larger than %zu bytes, the limit for a file",
                         AP_FILE_LIMIT);
    }
    if (format == APART_MESH_AUTO) {
        format = ap_mesh_format_of_name(name);
    }
    if (format == APART_MESH_AUTO) {
        format = format_of_content(data, size);
    }
    size_t row = 0;
    while (row < FORMATS && formats[row].format != format) {
        row++;
    }
    if (row == FORMATS) {
        return ap_report(error, APART_ERR_OPTION, name, 0, 0, "unknown mesh format number %d", format);
    }

    ap_mesh_builder b = {.name = name, .error = error};
    b.mesh.format = format;
    apart_status status = formats[row].read(&b, data ? data : "", size);
    if (status == APART_OK) {
        status = check_mesh(&b);
    }
    if (status == APART_OK) {
        *mesh = b.mesh;
    } else {
        apart_mesh_data_free(&b.mesh);
    }
    return status;
}

apart_status apart_mesh_read(const char *path, apart_mesh_data *mesh, apart_io_error *error)
{
    if (mesh) {
        *mesh = (apart_mesh_data){0};
    }
    if (!path || !mesh) {
        return ap_report(error, APART_ERR_NULL, path ? path : "mesh", 0, 0, "no path or no mesh given");
    }
    char *data;
    size_t size;
    apart_status status = ap_file_read(path, AP_FILE_LIMIT, &data, &size, error);
    if (status != APART_OK) {
        return status;
    }
    status = apart_mesh_read_memory(data, size, path, APART_MESH_AUTO, mesh, error);
    free(data);
    return status;
}

void apart_mesh_data_free(apart_mesh_data *mesh)
{
    if (!mesh) {
        return;
    }
    for (size_t i = 0; i < mesh->object_count; i++) {
        free(mesh->object_names[i]);
    }
    free(mesh->object_names);
    free(mesh->xyz);
    free(mesh->face_sizes);
    free(mesh->face_indices);
    free(mesh->face_objects);
    *mesh = (apart_mesh_data){0};
}

static double height_over_plane(apart_vec3 p, apart_vec3 origin, apart_vec3 normal)
{
    return (p.x - origin.x) * normal.x + (p.y - origin.y) * normal.y + (p.z - origin.z) * normal.z;
}

/* How deep the point is below the hull's surface, or some value <= `known` if it is not deeper than that. */
static double depth_below(const apart_hull *hull, apart_vec3 p, double known)
{
    double depth = INFINITY;
    for (uint32_t f = 0; f < apart_hull_face_count(hull) && depth > known; f++) {
        const uint32_t *vertices;
        apart_hull_face(hull, f, &vertices);
        const double below =
            -height_over_plane(p, apart_hull_vertex(hull, vertices[0]), apart_hull_face_normal(hull, f));
        depth = below < depth ? below : depth;
    }
    return depth;
}

static apart_vec3 mesh_vertex(const apart_mesh_data *mesh, uint32_t i)
{
    return (apart_vec3){mesh->xyz[3 * (size_t)i], mesh->xyz[3 * (size_t)i + 1], mesh->xyz[3 * (size_t)i + 2]};
}

double apart_mesh_deviation(const apart_mesh_data *mesh, const apart_hull *hull)
{
    apart_vec3 center;
    double radius;
    if (!mesh || !hull || apart_hull_face_count(hull) == 0) {
        return 0;
    }
    const apart_shape shape = apart_hull_shape(hull);
    if (apart_shape_ball(&shape, &center, &radius) != APART_OK || !(radius > 0)) {
        return 0;
    }
    double deepest = 0;
    const uint32_t *indices = mesh->face_indices;
    for (size_t f = 0; f < mesh->face_count; indices += mesh->face_sizes[f++]) {
        const double share = 1.0 / mesh->face_sizes[f];
        apart_vec3 centroid = {0, 0, 0};
        for (uint32_t k = 0; k < mesh->face_sizes[f]; k++) {
            const apart_vec3 p = mesh_vertex(mesh, indices[k]);
            centroid = (apart_vec3){centroid.x + share * p.x, centroid.y + share * p.y, centroid.z + share * p.z};
            const double depth = depth_below(hull, p, deepest);
            deepest = depth > deepest ? depth : deepest;
        }
        const double depth = depth_below(hull, centroid, deepest);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest / radius;
}
