/* A mesh from a file as a body: surface, solid, hull or cover. */
#include <apart/mesh_body.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A mesh is convex when it deviates from its hull by no more than this share of its size, which allows for files in
 * single precision, and fills nearly all of the hull: a thin body that is not convex also lies near its hull. */
static const double CONVEX_DEVIATION = 1e-6, CONVEX_FILL = 0.999;

const char *apart_mesh_as_name(int as)
{
    static const char *const names[APART_AS_COUNT] = {"auto", "surface", "solid", "hull", "cover"};
    return as >= 0 && as < APART_AS_COUNT ? names[as] : "unknown";
}

/* ---- triangles ---- */

/* Faces become fans. */
static apart_status list_triangles(const apart_mesh_data *data, apart_mesh_body *body)
{
    const uint32_t *corner = data->face_indices;
    bool is_same = true;
    body->triangles = malloc((3 * data->face_index_count + 1) * sizeof *body->triangles);
    body->faces = malloc((data->face_index_count + 1) * sizeof *body->faces);
    if (body->triangles == NULL || body->faces == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t f = 0; f < data->face_count; corner += data->face_sizes[f++]) {
        is_same = is_same && data->face_sizes[f] == 3;
        for (uint32_t k = 2; k < data->face_sizes[f]; k++) {
            const uint32_t triangle[3] = {corner[0], corner[k - 1], corner[k]};
            body->faces[body->triangle_count] = (uint32_t)f;
            memcpy(body->triangles + 3 * body->triangle_count++, triangle, sizeof triangle);
        }
    }
    if (is_same) {
        free(body->faces);
        body->faces = NULL;
    }
    return APART_OK;
}

static apart_vertices vertices_of(const apart_mesh_data *data)
{
    return (apart_vertices){.data = data->xyz, .count = data->vertex_count};
}

/* ---- the four bodies ---- */

static apart_status make_hull(const apart_mesh_data *data, apart_mesh_body *body)
{
    const apart_status status = apart_hull_build(data->xyz, data->vertex_count, NULL, &body->hull);
    if (status == APART_OK) {
        body->deviation = apart_mesh_deviation(data, body->hull);
        body->shape = apart_hull_shape(body->hull);
        body->solid = apart_solid_shape(&body->shape);
        body->as = APART_AS_HULL;
    }
    return status;
}

static apart_status make_mesh(const apart_mesh_data *data, const apart_mesh_body_options *options,
                              apart_mesh_body *body)
{
    const apart_vertices vertices = vertices_of(data);
    const apart_mesh_options own = {.threads = options->threads};
    return apart_mesh_build(&vertices, body->triangles, body->triangle_count, &own, &body->mesh);
}

static apart_status name_mesh(apart_mesh_body *body, uint8_t as)
{
    if (as == APART_AS_SOLID && !apart_mesh_inspect(body->mesh)->watertight) {
        return APART_ERR_NOT_WATERTIGHT;
    }
    body->solid = as == APART_AS_SOLID ? apart_solid_mesh(body->mesh) : apart_solid_surface(body->mesh);
    body->as = as;
    return APART_OK;
}

static apart_status make_cover(const apart_mesh_data *data, const apart_mesh_body_options *options,
                               apart_mesh_body *body)
{
    const apart_vertices vertices = vertices_of(data);
    apart_cover_options own = options->cover;
    own.allocator = (apart_allocator){.user = NULL};
    own.solid = !options->surface_cover;
    apart_status status = apart_cover_build(&vertices, body->triangles, body->triangle_count, &own, &body->cover);
    if (status == APART_ERR_NOT_WATERTIGHT && own.solid) {
        own.solid = 0;
        status = apart_cover_build(&vertices, body->triangles, body->triangle_count, &own, &body->cover);
    }
    status = status == APART_OK ? apart_cover_compound(body->cover, NULL, &body->compound) : status;
    if (status == APART_OK) {
        body->solid = apart_solid_compound(body->compound);
        body->as = APART_AS_COVER;
    }
    return status;
}

/* ---- the choice ---- */

/* All of the mesh lies near the hull's surface, so it winds about the middle of the hull as often as about all points
 * that are not near the surface: the volume tells whether it does. */
static bool is_convex(const apart_mesh_body *body)
{
    const double volume = apart_mesh_inspect(body->mesh)->volume, hull = apart_hull_volume(body->hull);
    return apart_hull_dimension(body->hull) == 3 && body->deviation <= CONVEX_DEVIATION &&
           (volume < 0.0 ? -volume : volume) >= CONVEX_FILL * hull;
}

/* A watertight mesh is compared with its hull; others are surfaces at once. */
static apart_status choose(const apart_mesh_data *data, const apart_mesh_body_options *options, apart_mesh_body *body)
{
    if (body->triangle_count == 0) {
        return make_hull(data, body);
    }
    apart_status status = make_mesh(data, options, body);
    if (status != APART_OK || !apart_mesh_inspect(body->mesh)->watertight) {
        return status == APART_OK ? name_mesh(body, APART_AS_SURFACE) : status;
    }
    status = make_hull(data, body);
    if (status != APART_OK) {
        return status;
    }
    if (is_convex(body)) {
        body->convex = 1;
        apart_mesh_free(body->mesh);
        body->mesh = NULL;
        return APART_OK;
    }
    apart_hull_free(body->hull);
    body->hull = NULL;
    body->deviation = 0.0;
    return name_mesh(body, APART_AS_SOLID);
}

static apart_status make(const apart_mesh_data *data, const apart_mesh_body_options *options, apart_mesh_body *body)
{
    apart_status status = list_triangles(data, body);
    if (status == APART_OK && body->triangle_count == 0 && options->as != APART_AS_AUTO &&
        options->as != APART_AS_HULL) {
        status = APART_ERR_EMPTY;
    }
    if (status != APART_OK) {
        return status;
    }
    switch (options->as) {
    case APART_AS_AUTO: return choose(data, options, body);
    case APART_AS_HULL: return make_hull(data, body);
    case APART_AS_COVER: return make_cover(data, options, body);
    default: status = make_mesh(data, options, body); return status == APART_OK ? name_mesh(body, options->as) : status;
    }
}

apart_status apart_mesh_body_build(const apart_mesh_data *data, const apart_mesh_body_options *options,
                                   apart_mesh_body **out)
{
    static const apart_mesh_body_options defaults = {.as = APART_AS_AUTO};
    if (data == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    options = options != NULL ? options : &defaults;
    if (options->as >= APART_AS_COUNT) {
        return APART_ERR_OPTION;
    }
    apart_mesh_body *body = calloc(1, sizeof *body);
    const apart_status status = body != NULL ? make(data, options, body) : APART_ERR_MEMORY;
    if (status != APART_OK) {
        apart_mesh_body_free(body);
        return status;
    }
    *out = body;
    return APART_OK;
}

void apart_mesh_body_free(apart_mesh_body *body)
{
    if (body != NULL) {
        apart_compound_free(body->compound); /* borrows the cover's hulls */
        apart_cover_free(body->cover);
        apart_mesh_free(body->mesh);
        apart_hull_free(body->hull);
        free(body->triangles);
        free(body->faces);
        free(body);
    }
}

apart_status apart_mesh_body_part(const apart_mesh_body *body, uint32_t part, apart_part *out)
{
    if (body == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (body->hull != NULL) {
        *out = (apart_part){body->shape, apart_pose_identity()};
        return part == 0 ? APART_OK : APART_ERR_ID;
    }
    if (body->compound != NULL) {
        const apart_part *found = apart_compound_part(body->compound, part);
        if (found != NULL) {
            *out = *found;
        }
        return found != NULL ? APART_OK : APART_ERR_ID;
    }
    if (part >= body->triangle_count) {
        return APART_ERR_ID;
    }
    uint32_t corner[3];
    apart_mesh_triangle(body->mesh, part, corner);
    *out =
        (apart_part){apart_triangle(apart_mesh_vertex(body->mesh, corner[0]), apart_mesh_vertex(body->mesh, corner[1]),
                                    apart_mesh_vertex(body->mesh, corner[2])),
                     apart_pose_identity()};
    return APART_OK;
}
