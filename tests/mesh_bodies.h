/* Triangle meshes for tests: closed bodies that are not convex, loose triangles, and the models of ../shared/data. */
#ifndef APART_TESTS_MESH_BODIES_H
#define APART_TESTS_MESH_BODIES_H

#include <apart/mesh.h>
#include <stdbool.h>

#include "random.h"

typedef struct triangle_list {
    apart_vec3 *vertices;
    uint32_t (*triangles)[3];
    uint32_t vertex_count, triangle_count;
} triangle_list;

/* Closed, normals outwards, of size about one: a sphere with bumps, and a ring with bumps, in rows x columns cells. */
triangle_list bumpy_sphere(random_source *r, uint32_t rows, uint32_t columns);
triangle_list bumpy_ring(random_source *r, uint32_t rows, uint32_t columns);

/* Triangles with edges up to `size` anywhere in the unit cube; they may intersect. */
triangle_list loose_triangles(random_source *r, uint32_t count, double size);

/* The triangles of a file. False, with a message: it cannot be read, or has none. */
bool mesh_file(const char *path, triangle_list *list);

/* A model of the shared data, scaled to a bounding box of half size one around the origin. False, with a message: it is
 * not there. */
bool shared_model(const char *name, triangle_list *list);

void triangle_list_free(triangle_list *list);

/* Moves and scales the vertices: factor * x + offset. */
void triangle_list_place(triangle_list *list, double factor, apart_vec3 offset);

apart_status triangle_list_build(const triangle_list *list, uint32_t threads, apart_mesh **out);

#endif
