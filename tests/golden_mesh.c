#include "golden_mesh.h"

#include <apart/compound.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { TRIANGLES = 400, MESH_POSES = 150 };

/* The sign of zero does not count. */
static uint64_t add_number(uint64_t hash, double x)
{
    uint64_t bits;
    const double y = x == 0.0 ? 0.0 : x;
    memcpy(&bits, &y, sizeof bits);
    return (hash ^ bits) * UINT64_C(1099511628211);
}

static void must(apart_status status)
{
    if (status != APART_OK) {
        fprintf(stderr, "golden_mesh: %s\n", apart_status_message(status));
        exit(EXIT_FAILURE);
    }
}

/* Loose triangles: no function of libm is needed to make them. */
static apart_mesh *make_mesh(random_source *r, double size)
{
    static apart_vec3 v[3 * TRIANGLES];
    static uint32_t t[3 * TRIANGLES];
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        const apart_vec3 at = random_vector(r, 1.0);
        for (uint32_t k = 3 * i; k < 3 * i + 3; k++) {
            v[k] = apart_vec3_add(at, random_vector(r, size));
            t[k] = k;
        }
    }
    const apart_vertices vertices = {.data = v, .count = sizeof v / sizeof *v};
    apart_mesh *mesh;
    must(apart_mesh_build(&vertices, t, TRIANGLES, NULL, &mesh));
    return mesh;
}

/* The block as a file. */
static uint64_t add_block(uint64_t hash, const apart_mesh *mesh)
{
    const size_t size = apart_mesh_size(mesh);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL) {
        exit(EXIT_FAILURE);
    }
    memcpy(bytes, mesh, size);
    must(apart_mesh_convert(bytes, size));
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    free(bytes);
    return hash;
}

static apart_pose any_pose(random_source *r, double spread)
{
    const apart_vec3 at = random_vector(r, spread);
    const double w = random_signed(r), x = random_signed(r), y = random_signed(r), z = random_signed(r);
    apart_pose pose;
    must(apart_pose_from_quat_wxyz(w, x, y, z, at, &pose));
    return pose;
}

static uint64_t add_query(uint64_t hash, apart_solid a, const apart_pose *pa, apart_solid b, const apart_pose *pb)
{
    apart_compound_result c;
    int overlap;
    must(apart_compound_distance(a, pa, b, pb, NULL, NULL, &c));
    must(apart_compound_overlap(a, pa, b, pb, NULL, NULL, &overlap, NULL));
    const apart_result *q = &c.result;
    const double numbers[] = {q->distance, q->lower, q->upper, q->a.x,  q->a.y,      q->a.z,
                              q->b.x,      q->b.y,   q->b.z,   overlap, q->normal.x, q->normal.y,
                              q->normal.z, c.part_a, c.part_b, c.boxes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        hash = add_number(hash, numbers[i]);
    }
    return hash;
}

uint64_t golden_meshes(uint64_t hash)
{
    random_source r = UINT64_C(20251118);
    apart_mesh *a = make_mesh(&r, 0.1), *b = make_mesh(&r, 0.4);
    const apart_shape box = apart_box((apart_vec3){0.5, 0.25, 1.0}),
                      plane = apart_half_space((apart_vec3){0, 0, 1}, 0.5);
    const apart_solid first = {.mesh = a, .surface = 1};
    const apart_solid others[] = {{.mesh = b, .surface = 1}, {.shape = &box}, {.shape = &plane}};
    hash = add_block(add_block(hash, a), b);
    for (int i = 0; i < MESH_POSES; i++) {
        const double spread = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 3.0 : 300.0;
        const apart_pose pa = any_pose(&r, spread), pb = any_pose(&r, spread);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            hash = add_query(hash, first, &pa, others[k], &pb);
        }
    }
    apart_mesh_free(a);
    apart_mesh_free(b);
    return hash;
}
