/* Shapes of a recording: primitives as the command line's text with all digits, hulls and point sets as vertices and
 * faces. */
#include <stdlib.h>
#include <string.h>

#include "recording.h"

static json_t *vec_json(apart_vec3 v) { return json_pack("[fff]", v.x, v.y, v.z); }

/* ---- primitives ---- */

static bool is_zero(apart_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

/* "NAME:1,2,3+r" */
static json_t *text_json(const char *name, const double *numbers, size_t count, double round)
{
    char number[CLI_NUMBER_SIZE];
    const size_t size = 32 + (count + 1) * CLI_NUMBER_SIZE;
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    size_t used = (size_t)snprintf(text, size, "%s", name);
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, size - used, "%c%s", i == 0 ? ':' : ',', cli_number(numbers[i], number));
    }
    if (round != 0) {
        snprintf(text + used, size - used, "+%s", cli_number(round, number));
    }
    json_t *value = json_pack("{s:s}", "shape", text);
    free(text);
    return value;
}

static json_t *sizes_json(const char *name, apart_vec3 sizes, size_t count, double round)
{
    return text_json(name, (const double[]){sizes.x, sizes.y, sizes.z}, count, round);
}

/* Points are x y z or, in the plane, x y each. */
static json_t *points_json(const char *name, const apart_shape *shape, size_t count)
{
    double numbers[9];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 p = shape->u.point[i];
        numbers[used++] = p.x;
        numbers[used++] = p.y;
        if (shape->dim == 3) {
            numbers[used++] = p.z;
        }
    }
    return text_json(name, numbers, used, shape->radius);
}

static json_t *segment_json(const apart_shape *shape)
{
    const apart_vec3 p = shape->u.point[0], q = shape->u.point[1];
    const bool on_z = p.x == 0 && p.y == 0 && q.x == 0 && q.y == 0 && p.z == -q.z;
    if (shape->dim == 3 && on_z && q.z >= 0) {
        return text_json("capsule", (const double[]){shape->radius, q.z}, 2, 0);
    }
    return points_json(shape->dim == 3 ? "segment" : "segment2", shape, 2);
}

static json_t *point_json(const apart_shape *shape)
{
    if (is_zero(shape->u.point[0])) {
        return text_json(shape->dim == 3 ? "sphere" : "circle", &shape->radius, 1, 0);
    }
    return points_json(shape->dim == 3 ? "point" : "point2", shape, 1);
}

/* ---- hulls ---- */

/* A flat hull has two faces, its two sides: one is enough. */
static json_t *faces_json(const apart_hull *hull)
{
    const uint32_t count =
        apart_hull_dimension(hull) == 3 ? apart_hull_face_count(hull) : (apart_hull_dimension(hull) == 2 ? 1 : 0);
    json_t *faces = json_array();
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *vertices;
        const uint32_t corners = apart_hull_face(hull, f, &vertices);
        json_t *face = json_array();
        for (uint32_t k = 0; k < corners; k++) {
            json_array_append_new(face, json_integer(vertices[k]));
        }
        json_array_append_new(faces, face);
    }
    return faces;
}

static json_t *hull_json(const apart_hull *hull, double round)
{
    json_t *vertices = json_array();
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        json_array_append_new(vertices, vec_json(apart_hull_vertex(hull, i)));
    }
    json_t *value = json_pack("{s:o, s:o}", "vertices", vertices, "faces", faces_json(hull));
    if (round != 0) {
        json_object_set_new(value, "round", json_real(round));
    }
    return value;
}

static json_t *point_set_json(const apart_shape *shape)
{
    apart_hull *hull = NULL;
    if (shape->dim == 2) {
        return text_json("polygon", shape->u.points.coordinates, 2 * shape->u.points.count, shape->radius);
    }
    if (apart_hull_build(shape->u.points.coordinates, shape->u.points.count, NULL, &hull) != APART_OK) {
        return NULL;
    }
    json_t *value = hull_json(hull, shape->radius);
    apart_hull_free(hull);
    return value;
}

json_t *recording_mesh_shape(const apart_mesh *mesh)
{
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    json_t *vertices = json_array(), *faces = json_array();
    for (uint32_t i = 0; i < report->vertices; i++) {
        json_array_append_new(vertices, vec_json(apart_mesh_vertex(mesh, i)));
    }
    for (uint32_t i = 0; i < report->triangles; i++) {
        uint32_t corner[3];
        apart_mesh_triangle(mesh, i, corner);
        json_array_append_new(faces,
                              json_pack("[III]", (json_int_t)corner[0], (json_int_t)corner[1], (json_int_t)corner[2]));
    }
    return json_pack("{s:b, s:o, s:o}", "mesh", 1, "vertices", vertices, "faces", faces);
}

json_t *recording_shape(const apart_shape *shape)
{
    const double radius = shape->radius;
    switch (shape->kind) {
    case APART_SHAPE_POINT: return point_json(shape);
    case APART_SHAPE_SEGMENT: return segment_json(shape);
    case APART_SHAPE_TRIANGLE: return points_json("triangle", shape, 3);
    case APART_SHAPE_BOX:
        return sizes_json(shape->dim == 3 ? "box" : "rectangle", shape->u.half_extents, shape->dim, radius);
    case APART_SHAPE_CYLINDER:
        return text_json("cylinder", (const double[]){shape->u.round.radius, shape->u.round.half_height}, 2, radius);
    case APART_SHAPE_CONE:
        return text_json("cone", (const double[]){shape->u.round.radius, shape->u.round.half_height}, 2, radius);
    case APART_SHAPE_ELLIPSOID: return sizes_json("ellipsoid", shape->u.semi_axes, 3, radius);
    case APART_SHAPE_HALF_SPACE: {
        const apart_vec3 n = shape->u.plane.normal;
        return text_json("halfspace", (const double[]){n.x, n.y, n.z, shape->u.plane.offset}, 4, radius);
    }
    case APART_SHAPE_HULL: return hull_json(shape->u.hull, radius);
    case APART_SHAPE_POINTS: return point_set_json(shape);
    default: cli_error("a recording cannot hold a %s", apart_shape_name(shape)); return NULL;
    }
}
