/* Any vertices and triangles as a mesh: a status, or a mesh whose report and answers agree with each other. */
#include <apart/mesh.h>

#include "fuzz.h"

enum { MOST_VERTICES = 40, MOST_TRIANGLES = 60 };

static void check_report(const apart_mesh *mesh, size_t vertices, size_t triangles)
{
    const apart_mesh_report *r = apart_mesh_inspect(mesh);
    check(r->triangles == triangles, "all triangles are there");
    check(r->vertices >= 1 && r->vertices <= vertices, "vertices come from vertices");
    check(r->degenerate <= triangles && r->components <= triangles - r->degenerate, "components have triangles");
    check(!isnan(r->volume) && !isnan(r->area) && r->area >= 0.0, "volume and area are numbers");
    check(!r->watertight || (r->open_edges == 0 && r->components > 0), "a watertight mesh has no open edge");
    check(!r->oriented || (r->watertight && r->turned_edges == 0), "an oriented mesh is watertight");
    check(r->watertight || r->volume == 0.0, "an open mesh has no volume");
}

static void check_vertices(const apart_mesh *mesh, const double *xyz, const uint32_t *triangles, size_t count)
{
    for (uint32_t t = 0; t < count; t++) {
        uint32_t corners[3];
        apart_mesh_triangle(mesh, t, corners);
        for (int k = 0; k < 3; k++) {
            const apart_vec3 v = apart_mesh_vertex(mesh, corners[k]);
            const double *p = xyz + 3 * (size_t)triangles[3 * t + (uint32_t)k];
            check(v.x == p[0] && v.y == p[1] && v.z == p[2], "a corner is where it was given");
            int side = 0;
            const apart_status status = apart_mesh_contains(mesh, v, &side);
            check(status == APART_ERR_NOT_WATERTIGHT || (status == APART_OK && side == 0), "a corner is on the surface");
        }
    }
}

/* A point beyond all vertices is outside. */
static void check_outside(const apart_mesh *mesh, const double *xyz, size_t vertices)
{
    double far = 1.0;
    for (size_t i = 0; i < 3 * vertices; i++)
        far = fabs(xyz[i]) > far ? fabs(xyz[i]) : far;
    int side = -1;
    const apart_status status = apart_mesh_contains(mesh, (apart_vec3){-2.0 * far, 0.0, 0.0}, &side);
    check(status == APART_ERR_NOT_WATERTIGHT || (status == APART_OK && side == -1), "far away is outside");
}

static void check_copy(const apart_mesh *mesh)
{
    const size_t size = apart_mesh_size(mesh);
    const apart_mesh *view;
    int first = 0, second = 0;
    void *copy = malloc(size);
    check(copy != NULL, "there is memory");
    memcpy(copy, mesh, size);
    check(apart_mesh_view(copy, size, &view) == APART_OK, "a copy of a mesh is a mesh");
    check(apart_mesh_self_intersection(mesh, &first, NULL) == APART_OK, "a mesh meets itself or not");
    check(apart_mesh_self_intersection(view, &second, NULL) == APART_OK, "so does its copy");
    check(first == second, "a copy answers the same");
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    double xyz[3 * MOST_VERTICES] = {0};
    uint32_t triangles[3 * MOST_TRIANGLES];
    const size_t vertices = take_byte(&in) % (MOST_VERTICES + 1), count = take_byte(&in) % (MOST_TRIANGLES + 1);
    for (size_t i = 0; i < 3 * vertices; i++)
        xyz[i] = take_number(&in);
    for (size_t i = 0; i < 3 * count; i++)
        triangles[i] = take_byte(&in);
    const apart_vertices list = {.data = xyz, .count = vertices};
    apart_mesh *mesh = NULL;
    const apart_status status = apart_mesh_build(&list, triangles, count, NULL, &mesh);
    if (status != APART_OK) {
        check(mesh == NULL, "no mesh after an error");
        return 0;
    }
    check_report(mesh, vertices, count);
    check_vertices(mesh, xyz, triangles, count);
    check_outside(mesh, xyz, vertices);
    check_copy(mesh);
    apart_mesh_free(mesh);
    return 0;
}
