/* Reading a mesh: the growing mesh, the call of its format's reader, the check of its indices. */
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

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

/* Reads the bytes of a file; `path` is NULL when they come from memory. */
static apart_status read_mesh_data(const void *data, size_t size, const char *name, const char *path, int format,
                                   apart_mesh_data *mesh, apart_io_error *error)
{
    if (size > AP_FILE_LIMIT) {
        return ap_report(error, APART_ERR_FILE, name, 0, 0, "larger than %zu bytes, the limit for a file",
                         AP_FILE_LIMIT);
    }
    ap_mesh_reader *reader;
    apart_status status = format == APART_MESH_AUTO ? ap_mesh_find_format(data, size, name, &format, error) : APART_OK;
    status = status == APART_OK ? ap_mesh_find_reader(format, name, &reader, error) : status;
    if (status != APART_OK) {
        return status;
    }
    ap_mesh_builder b = {.name = name, .path = path, .error = error};
    b.mesh.format = format;
    status = reader(&b, data ? data : "", size);
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
    return read_mesh_data(data, size, name, NULL, format, mesh, error);
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
    status = read_mesh_data(data, size, path, path, APART_MESH_AUTO, mesh, error);
    free(data);
    return status;
}

void apart_mesh_data_turn_z_up(apart_mesh_data *mesh)
{
    for (size_t i = 0; mesh && i < mesh->vertex_count && (mesh->up_axis == 'X' || mesh->up_axis == 'Y'); i++) {
        double *p = mesh->xyz + 3 * i;
        const double x = p[0], y = p[1], z = p[2];
        p[0] = mesh->up_axis == 'Y' ? x : -y;
        p[1] = -z;
        p[2] = mesh->up_axis == 'Y' ? y : x;
    }
    if (mesh && mesh->up_axis) {
        mesh->up_axis = 'Z';
    }
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
