/* Mesh files as parts of a link: a surface, a solid, a convex cover, one hull, or the hulls of several objects where
 * each of them is convex. */
#include <math.h>

#include "text.h"

/* A mesh is convex when it deviates from its hull by no more than this share of its size: single-precision files still
 * are. */
static const double CONVEX_DEVIATION = 1e-6;
/* Larger than any robot in metres: most likely a file in millimetres. */
static const double LARGEST_SIZE = 100.0;

typedef struct piece {
    apart_hull *hull;
    double volume, deviation; /* of the faces it was made of */
    double depth;             /* of the deepest of them below the hull */
} piece;

/* ---- measuring ---- */

static apart_vec3 corner(const apart_mesh_data *m, uint32_t index)
{
    const double *p = m->xyz + 3 * (size_t)index;
    return (apart_vec3){p[0], p[1], p[2]};
}

/* The volume that the faces enclose: tetrahedra from one of the mesh's own points, so that a far origin costs no
 * digits. */
static double enclosed_volume(const apart_mesh_data *m)
{
    double sum = 0.0;
    size_t start = 0;
    const apart_vec3 base = corner(m, 0);
    for (size_t f = 0; f < m->face_count; f++) {
        const apart_vec3 a = apart_vec3_sub(corner(m, m->face_indices[start]), base);
        for (uint32_t k = 2; k < m->face_sizes[f]; k++) {
            const apart_vec3 b = apart_vec3_sub(corner(m, m->face_indices[start + k - 1]), base);
            const apart_vec3 c = apart_vec3_sub(corner(m, m->face_indices[start + k]), base);
            sum += apart_vec3_dot(a, apart_vec3_cross(b, c));
        }
        start += m->face_sizes[f];
    }
    return fabs(sum) / 6.0;
}

static double largest_extent(const apart_mesh_data *m)
{
    apart_vec3 low = corner(m, 0), high = low;
    for (size_t i = 1; i < m->vertex_count; i++) {
        const apart_vec3 p = corner(m, (uint32_t)i);
        low = (apart_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (apart_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

/* ---- pieces ---- */

static apart_status make_piece(const apart_mesh_data *m, piece *out)
{
    const apart_status status = apart_hull_build(m->xyz, m->vertex_count, NULL, &out->hull);
    if (status == APART_OK) {
        /* Faces that overlap enclose a place twice; the mesh still lies in its hull. */
        out->volume = fmin(enclosed_volume(m), apart_hull_volume(out->hull));
        out->deviation = apart_mesh_deviation(m, out->hull);
        const apart_shape shape = apart_hull_shape(out->hull);
        apart_vec3 center;
        double radius = 0;
        (void)apart_shape_ball(&shape, &center, &radius);
        out->depth = out->deviation * radius;
    }
    return status;
}

/* The faces of one object, with their own vertices: what no face of it uses is left out. */
static apart_status take_object(const apart_mesh_data *m, uint32_t object, apart_mesh_data *out)
{
    uint32_t *number = malloc((m->vertex_count + 1) * sizeof *number);
    *out = (apart_mesh_data){.xyz = malloc((3 * m->vertex_count + 1) * sizeof(double)),
                             .face_sizes = malloc((m->face_count + 1) * sizeof(uint32_t)),
                             .face_indices = malloc((m->face_index_count + 1) * sizeof(uint32_t))};
    if (number == NULL || out->xyz == NULL || out->face_sizes == NULL || out->face_indices == NULL) {
        free(number);
        apart_mesh_data_free(out);
        return APART_ERR_MEMORY;
    }
    memset(number, 0xff, m->vertex_count * sizeof *number);
    size_t start = 0;
    for (size_t f = 0; f < m->face_count; start += m->face_sizes[f], f++) {
        for (uint32_t k = 0; m->face_objects[f] == object && k < m->face_sizes[f]; k++) {
            const uint32_t v = m->face_indices[start + k];
            if (number[v] == UINT32_MAX) {
                number[v] = (uint32_t)out->vertex_count;
                memcpy(out->xyz + 3 * out->vertex_count++, m->xyz + 3 * (size_t)v, 3 * sizeof(double));
            }
            out->face_indices[out->face_index_count++] = number[v];
        }
        if (m->face_objects[f] == object) {
            out->face_sizes[out->face_count++] = m->face_sizes[f];
        }
    }
    free(number);
    return APART_OK;
}

static void free_pieces(piece *pieces, size_t count)
{
    for (size_t i = 0; pieces != NULL && i < count; i++) {
        apart_hull_free(pieces[i].hull);
    }
    free(pieces);
}

/* One piece an object, or NULL where an object is not convex (or the memory is short: the hull of all does then). */
static piece *split(const apart_mesh_data *m)
{
    piece *pieces = calloc(m->object_count, sizeof *pieces);
    for (size_t i = 0; pieces != NULL && i < m->object_count; i++) {
        apart_mesh_data object;
        apart_status status = take_object(m, (uint32_t)i, &object);
        if (status == APART_OK) {
            status = make_piece(&object, &pieces[i]);
            apart_mesh_data_free(&object);
        }
        if (status != APART_OK || pieces[i].deviation > CONVEX_DEVIATION) {
            free_pieces(pieces, m->object_count);
            return NULL;
        }
    }
    return pieces;
}

/* ---- notes ---- */

/* A mesh whose faces overlap may enclose more than its hull holds: then its volume says nothing. */
static apart_status note_hull(apart_robot *r, size_t number, const char *path, size_t line, const piece *whole)
{
    char text[900], growth[100] = "its faces overlap or are not closed";
    const double hull = apart_hull_volume(whole->hull);
    const char *link = apart_robot_link_at(r, number)->name;
    if (whole->volume > 0 && whole->volume < hull) {
        snprintf(growth, sizeof growth, "volume %.4g instead of %.4g (+%.3g %%)", hull, whole->volume,
                 100.0 * (hull / whole->volume - 1.0));
    }
    snprintf(text, sizeof text,
             "%.250s:%zu: link '%.80s': %.300s is not convex and is taken by its hull, up to %.2g above it: %s",
             apart_robot_file(r), line, link, path, whole->depth, growth);
    return apart_robot_add_note(r, &(apart_robot_note){.kind = APART_ROBOT_NOTE_HULL,
                                                       .text = text,
                                                       .cause = "meshes are taken by their hulls",
                                                       .link = link,
                                                       .hull_volume = hull,
                                                       .mesh_volume = whole->volume});
}

static apart_status note_size(apart_robot *r, const char *path, size_t line, double size)
{
    char text[900];
    snprintf(text, sizeof text,
             "%.250s:%zu: %.300s is %.4g m large; are its units millimetres? (scale=\"0.001 0.001 0.001\")",
             apart_robot_file(r), line, path, size);
    return apart_robot_add_note(
        r,
        &(apart_robot_note){.text = text, .cause = "meshes are more than 100 m large; are their units millimetres?"});
}

/* ---- the mesh ---- */

static apart_status add_hull(apart_robot *r, size_t link, apart_hull *hull, const apart_pose *pose)
{
    const apart_part part = {apart_hull_shape(hull), *pose};
    return apart_robot_add_part(r, link, &part, hull);
}

static apart_status add_pieces(apart_robot *r, size_t link, const apart_mesh_data *m, bool may_split, const char *path,
                               const apart_pose *pose, size_t line)
{
    piece whole = {.hull = NULL};
    apart_status status = make_piece(m, &whole);
    if (status != APART_OK) {
        return status;
    }
    piece *pieces = may_split && whole.deviation > CONVEX_DEVIATION && m->object_count > 1 ? split(m) : NULL;
    if (pieces == NULL) {
        status = whole.deviation > CONVEX_DEVIATION ? note_hull(r, link, path, line, &whole) : APART_OK;
        const apart_status added = add_hull(r, link, whole.hull, pose);
        return status == APART_OK ? added : status;
    }
    apart_hull_free(whole.hull);
    for (size_t i = 0; i < m->object_count && status == APART_OK; i++) {
        apart_hull *hull = pieces[i].hull;
        pieces[i].hull = NULL; /* the robot's now */
        status = add_hull(r, link, hull, pose);
    }
    free_pieces(pieces, m->object_count);
    return status;
}

/* ---- as surface, solid, hull or cover ---- */

static apart_status note_open(apart_robot *r, size_t number, const char *path, size_t line)
{
    char text[900];
    snprintf(text, sizeof text, "%.250s:%zu: link '%.80s': %.300s is not watertight: its surface is taken",
             apart_robot_file(r), line, apart_robot_link_at(r, number)->name, path);
    return apart_robot_add_note(r, &(apart_robot_note){.text = text,
                                                       .cause = "meshes are not watertight: their surfaces are taken"});
}

/* Adds a cover's hulls to a link as copies made of their corners, because the cover is freed before the robot. What the
 * builder leaves out of a copy is in its declared error, as of any hull. */
static apart_status add_cover(apart_robot *r, size_t link, const apart_cover *cover, const apart_pose *pose)
{
    apart_status status = APART_OK;
    for (uint32_t i = 0; i < apart_cover_count(cover) && status == APART_OK; i++) {
        const apart_hull *hull = apart_cover_hull(cover, i);
        const uint32_t count = apart_hull_vertex_count(hull);
        double *xyz = malloc((3 * (size_t)count + 1) * sizeof *xyz);
        apart_hull *copy = NULL;
        for (uint32_t k = 0; k < count && xyz != NULL; k++) {
            const apart_vec3 v = apart_hull_vertex(hull, k);
            memcpy(xyz + 3 * (size_t)k, (double[]){v.x, v.y, v.z}, 3 * sizeof(double));
        }
        status = xyz != NULL ? apart_hull_build(xyz, count, NULL, &copy) : APART_ERR_MEMORY;
        free(xyz);
        status = status == APART_OK ? add_hull(r, link, copy, pose) : status;
    }
    return status;
}

static apart_status add_body(apart_robot *r, size_t link, const apart_mesh_data *m, int as, const char *path,
                             const apart_pose *pose, size_t line)
{
    const apart_mesh_body_options options = {.as = (uint8_t)as};
    apart_mesh_body *body = NULL;
    apart_status status = apart_mesh_body_build(m, &options, &body);
    if (status == APART_ERR_NOT_WATERTIGHT && as == APART_AS_SOLID) {
        status = note_open(r, link, path, line);
        return status == APART_OK ? add_body(r, link, m, APART_AS_SURFACE, path, pose, line) : status;
    }
    if (status != APART_OK) {
        return status;
    }
    if (body->mesh != NULL) {
        const apart_robot_mesh mesh = {body->mesh, *pose, as == APART_AS_SURFACE};
        body->mesh = NULL; /* the robot's now */
        status = apart_robot_add_mesh_part(r, link, &mesh, (apart_mesh *)mesh.mesh);
    } else {
        status = add_cover(r, link, body->cover, pose);
    }
    apart_mesh_body_free(body);
    return status;
}

/* ---- the interface ---- */

/* z points up in URDF and y in glTF, so that Drake turns it; Collada stays as it is, as RViz and MoveIt take it. */
static void place(apart_mesh_data *mesh, apart_vec3 scale)
{
    if (mesh->format == APART_MESH_GLTF) {
        apart_mesh_data_turn_z_up(mesh);
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        mesh->xyz[3 * i] *= scale.x;
        mesh->xyz[3 * i + 1] *= scale.y;
        mesh->xyz[3 * i + 2] *= scale.z;
    }
}

apart_status apart_robot_add_mesh_as(apart_robot *r, size_t link, const char *path, int as, apart_vec3 scale,
                                     const apart_pose *pose, size_t line, apart_io_error *error)
{
    apart_mesh_data mesh;
    apart_io_error inner;
    if (as < 0 || as >= APART_AS_COUNT) {
        return APART_ERR_OPTION;
    }
    apart_status status = apart_mesh_read(path, &mesh, &inner);
    if (status != APART_OK) {
        return ap_robot_report(error, status, apart_robot_file(r), line, "mesh %s", inner.message);
    }
    place(&mesh, scale);
    const double size = largest_extent(&mesh);
    status = size > LARGEST_SIZE ? note_size(r, path, line, size) : APART_OK;
    if (status == APART_OK) {
        const bool as_it_is =
            (as == APART_AS_SURFACE || as == APART_AS_SOLID || as == APART_AS_COVER) && mesh.face_count > 0;
        status = as_it_is ? add_body(r, link, &mesh, as, path, pose, line)
                          : add_pieces(r, link, &mesh, as != APART_AS_HULL, path, pose, line);
    }
    apart_mesh_data_free(&mesh);
    char reason[AP_REASON_SIZE];
    return status == APART_OK ? APART_OK
                              : ap_robot_report(error, status, apart_robot_file(r), line, "mesh %s: %s", path,
                                                ap_robot_reason(status, reason));
}

apart_status apart_robot_add_mesh(apart_robot *r, size_t link, const char *path, apart_vec3 scale,
                                  const apart_pose *pose, size_t line, apart_io_error *error)
{
    return apart_robot_add_mesh_as(r, link, path, APART_AS_AUTO, scale, pose, line, error);
}
