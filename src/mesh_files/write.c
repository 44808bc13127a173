/* Writing a hull as OBJ, STL, PLY, OFF or a list of points. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../text/file.h"
#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

/* Writes "PREFIX x y z" and the end of the line. Errors are found when the stream is closed. */
static void write_mesh_point(FILE *out, const char *prefix, apart_vec3 p)
{
    char x[40], y[40], z[40];
    ap_format_number(p.x, x);
    ap_format_number(p.y, y);
    ap_format_number(p.z, z);
    fprintf(out, "%s%s %s %s\n", prefix, x, y, z);
}

static void write_mesh_vertices(FILE *out, const char *prefix, const apart_hull *hull)
{
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        write_mesh_point(out, prefix, apart_hull_vertex(hull, i));
    }
}

/* Writes one line per face: the size, if `sized`, and vertex numbers that count from `base`. */
static void write_mesh_faces(FILE *out, const char *prefix, int sized, uint32_t base, const apart_hull *hull)
{
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t *vertices;
        const uint32_t n = apart_hull_face(hull, f, &vertices);
        fputs(prefix, out);
        if (sized) {
            fprintf(out, "%lu", (unsigned long)n);
        }
        for (uint32_t k = 0; k < n; k++) {
            fprintf(out, " %lu", (unsigned long)vertices[k] + base);
        }
        fputc('\n', out);
    }
}

static void write_obj(FILE *out, const apart_hull *hull)
{
    write_mesh_vertices(out, "v ", hull);
    write_mesh_faces(out, "f", 0, 1, hull);
}

static void write_off(FILE *out, const apart_hull *hull)
{
    fprintf(out, "OFF\n%lu %lu %lu\n", (unsigned long)apart_hull_vertex_count(hull),
            (unsigned long)apart_hull_face_count(hull), (unsigned long)apart_hull_edge_count(hull));
    write_mesh_vertices(out, "", hull);
    write_mesh_faces(out, "", 1, 0, hull);
}

static void write_ply(FILE *out, const apart_hull *hull)
{
    fprintf(out, "ply\nformat ascii 1.0\nelement vertex %lu\n", (unsigned long)apart_hull_vertex_count(hull));
    fputs("property double x\nproperty double y\nproperty double z\n", out);
    fprintf(out, "element face %lu\nproperty list uint uint vertex_indices\nend_header\n",
            (unsigned long)apart_hull_face_count(hull));
    write_mesh_vertices(out, "", hull);
    write_mesh_faces(out, "", 1, 0, hull);
}

static void put_u32(FILE *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        fputc((int)(value >> (8 * i) & 0xff), out);
    }
}

static void put_float_point(FILE *out, apart_vec3 p)
{
    const float values[3] = {(float)p.x, (float)p.y, (float)p.z};
    for (int k = 0; k < 3; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        put_u32(out, bits);
    }
}

/* Binary STL; a face of n vertices becomes a fan of n - 2 triangles. */
static void write_stl(FILE *out, const apart_hull *hull)
{
    const uint32_t *vertices;
    const uint32_t face_count = apart_hull_face_count(hull);
    uint32_t triangles = 0;
    for (uint32_t f = 0; f < face_count; f++) {
        triangles += apart_hull_face(hull, f, &vertices) - 2;
    }
    fprintf(out, "%-80s", "binary STL of a convex hull, written by apart");
    put_u32(out, triangles);
    for (uint32_t f = 0; f < face_count; f++) {
        const uint32_t n = apart_hull_face(hull, f, &vertices);
        for (uint32_t k = 2; k < n; k++) {
            put_float_point(out, apart_hull_face_normal(hull, f));
            put_float_point(out, apart_hull_vertex(hull, vertices[0]));
            put_float_point(out, apart_hull_vertex(hull, vertices[k - 1]));
            put_float_point(out, apart_hull_vertex(hull, vertices[k]));
            fputc(0, out);
            fputc(0, out);
        }
    }
}

/* STL holds triangles in single precision: is that enough for this hull? */
static apart_status check_stl(const apart_hull *hull, const char *path, apart_io_error *error)
{
    if (apart_hull_face_count(hull) == 0) {
        return ap_report(error, APART_ERR_OPTION, path, 0, 0,
                         "STL cannot hold a hull without faces: write OBJ, PLY, OFF or points");
    }
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 v = apart_hull_vertex(hull, i);
        if (fabs(v.x) > FLT_MAX || fabs(v.y) > FLT_MAX || fabs(v.z) > FLT_MAX) {
            return ap_report(error, APART_ERR_OVERFLOW, path, 0, 0,
                             "a coordinate exceeds the single precision of STL: write OBJ, PLY, OFF or points");
        }
    }
    return APART_OK;
}

static void write_hull(FILE *out, const apart_hull *hull, int format)
{
    switch (format) {
    case APART_MESH_OBJ: write_obj(out, hull); break;
    case APART_MESH_STL: write_stl(out, hull); break;
    case APART_MESH_PLY: write_ply(out, hull); break;
    case APART_MESH_OFF: write_off(out, hull); break;
    default: write_mesh_vertices(out, "", hull);
    }
}

apart_status apart_hull_write(const apart_hull *hull, const char *path, int format, apart_io_error *error)
{
    if (!hull || !path) {
        return ap_report(error, APART_ERR_NULL, path ? path : "hull", 0, 0, "no hull or no path given");
    }
    if (format == APART_MESH_AUTO) {
        format = ap_mesh_format_of_name(path);
    }
    if (format == APART_MESH_AUTO || format == APART_MESH_COLLADA || format == APART_MESH_GLTF) {
        return ap_report(
            error, APART_ERR_OPTION, path, 0, 0,
            "cannot tell the format to write: expected a name that ends in .obj, .stl, .ply, .off or .xyz");
    }
    if (format < APART_MESH_OBJ || format > APART_MESH_POINTS) {
        return ap_report(error, APART_ERR_OPTION, path, 0, 0, "unknown mesh format number %d", format);
    }
    apart_status status = format == APART_MESH_STL ? check_stl(hull, path, error) : APART_OK;
    if (status != APART_OK) {
        return status;
    }
    ap_replacement file;
    status = ap_replace_begin(&file, path, error);
    if (status != APART_OK) {
        return status;
    }
    write_hull(file.stream, hull, format);
    return ap_replace_end(&file);
}
