#include "mesh_bodies.h"

#include <apart/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double turn = 6.283185307179586;

static triangle_list list_of(uint32_t vertices, uint32_t triangles)
{
    return (triangle_list){calloc(vertices, sizeof(apart_vec3)), calloc(triangles, sizeof(uint32_t[3])), vertices,
                           triangles};
}

static void set_triangle(triangle_list *list, uint32_t i, uint32_t a, uint32_t b, uint32_t c)
{
    list->triangles[i][0] = a;
    list->triangles[i][1] = b;
    list->triangles[i][2] = c;
}

triangle_list bumpy_sphere(random_source *r, uint32_t rows, uint32_t columns)
{
    triangle_list list = list_of((rows - 1) * columns + 2, 2 * (rows - 1) * columns);
    const double tall = random_between(r, 1.0, 4.0), wide = random_between(r, 1.0, 5.0), phase = random_unit(r) * turn;
    const uint32_t top = list.vertex_count - 2, bottom = list.vertex_count - 1;
    const double columns_of_bumps = floor(wide);
    for (uint32_t i = 1; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            const double theta = 0.5 * turn * i / rows, phi = turn * j / columns;
            const double radius = 0.75 + 0.25 * sin(tall * theta + phase) * cos(columns_of_bumps * phi);
            list.vertices[(i - 1) * columns + j] =
                (apart_vec3){radius * sin(theta) * cos(phi), radius * sin(theta) * sin(phi), radius * cos(theta)};
        }
    }
    list.vertices[top] = (apart_vec3){0, 0, 0.75};
    list.vertices[bottom] = (apart_vec3){0, 0, -0.75};
    uint32_t t = 0;
    for (uint32_t j = 0; j < columns; j++) {
        const uint32_t k = (j + 1) % columns, last = (rows - 2) * columns;
        set_triangle(&list, t++, top, j, k);
        set_triangle(&list, t++, bottom, last + k, last + j);
        for (uint32_t i = 0; i + 2 < rows; i++) {
            set_triangle(&list, t++, i * columns + j, (i + 1) * columns + j, (i + 1) * columns + k);
            set_triangle(&list, t++, i * columns + j, (i + 1) * columns + k, i * columns + k);
        }
    }
    return list;
}

triangle_list bumpy_ring(random_source *r, uint32_t rows, uint32_t columns)
{
    triangle_list list = list_of(rows * columns, 2 * rows * columns);
    const double bumps = floor(random_between(r, 1.0, 6.0)), depth = random_between(r, 0.0, 0.4);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            const double phi = turn * i / rows, theta = turn * j / columns;
            const double thick = 0.25 * (1.0 + depth * cos(bumps * phi)), from_axis = 0.7 + thick * cos(theta);
            list.vertices[i * columns + j] =
                (apart_vec3){from_axis * cos(phi), from_axis * sin(phi), thick * sin(theta)};
        }
    }
    uint32_t t = 0;
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            const uint32_t k = (i + 1) % rows, l = (j + 1) % columns;
            set_triangle(&list, t++, i * columns + j, k * columns + j, k * columns + l);
            set_triangle(&list, t++, i * columns + j, k * columns + l, i * columns + l);
        }
    }
    return list;
}

triangle_list loose_triangles(random_source *r, uint32_t count, double size)
{
    triangle_list list = list_of(3 * count, count);
    for (uint32_t i = 0; i < count; i++) {
        const apart_vec3 at = random_vector(r, 1.0);
        for (uint32_t k = 0; k < 3; k++) {
            list.vertices[3 * i + k] = apart_vec3_add(at, random_vector(r, size));
        }
        set_triangle(&list, i, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return list;
}

/* The triangles of polygons, as fans. */
static triangle_list fans(const apart_mesh_data *data)
{
    uint32_t count = 0, first = 0, t = 0;
    for (size_t f = 0; f < data->face_count; f++) {
        count += data->face_sizes[f] - 2;
    }
    triangle_list list = list_of((uint32_t)data->vertex_count, count);
    memcpy(list.vertices, data->xyz, data->vertex_count * sizeof(apart_vec3));
    for (size_t f = 0; f < data->face_count; f++) {
        const uint32_t *face = data->face_indices + first;
        for (uint32_t k = 2; k < data->face_sizes[f]; k++) {
            set_triangle(&list, t++, face[0], face[k - 1], face[k]);
        }
        first += data->face_sizes[f];
    }
    return list;
}

bool mesh_file(const char *path, triangle_list *list)
{
    apart_mesh_data data;
    apart_io_error error;
    if (apart_mesh_read(path, &data, &error) != APART_OK) {
        printf("skipped: %s: %s\n", path, error.message);
        return false;
    }
    *list = fans(&data);
    apart_mesh_data_free(&data);
    return list->triangle_count > 0;
}

bool shared_model(const char *name, triangle_list *list)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_MESHES, name);
    if (!mesh_file(path, list)) {
        return false;
    }
    apart_vec3 low = list->vertices[0], high = low;
    for (uint32_t i = 0; i < list->vertex_count; i++) {
        const apart_vec3 v = list->vertices[i];
        low = (apart_vec3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
        high = (apart_vec3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
    }
    const apart_vec3 size = apart_vec3_sub(high, low), middle = apart_vec3_lerp(low, high, 0.5);
    const double factor = 2.0 / fmax(fmax(size.x, size.y), size.z);
    triangle_list_place(list, factor, apart_vec3_scale(-factor, middle));
    return true;
}

void triangle_list_free(triangle_list *list)
{
    free(list->vertices);
    free(list->triangles);
    *list = (triangle_list){.vertex_count = 0};
}

void triangle_list_place(triangle_list *list, double factor, apart_vec3 offset)
{
    for (uint32_t i = 0; i < list->vertex_count; i++) {
        list->vertices[i] = apart_vec3_add(apart_vec3_scale(factor, list->vertices[i]), offset);
    }
}

apart_status triangle_list_build(const triangle_list *list, uint32_t threads, apart_mesh **out)
{
    const apart_vertices vertices = {.data = list->vertices, .count = list->vertex_count};
    const apart_mesh_options options = {.threads = threads};
    return apart_mesh_build(&vertices, &list->triangles[0][0], list->triangle_count, &options, out);
}
