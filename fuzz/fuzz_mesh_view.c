/* Any bytes as a mesh block: refused, or safe to use. */
#include <apart/mesh.h>

#include "fuzz.h"

/* Touches everything a mesh gives out. */
static void walk(const apart_mesh *mesh)
{
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    int intersecting = 7, side = 7;
    uint32_t pair[2] = {0, 0};
    (void)report->triangles; /* the report is what the block says: a forged one may lie */
    check(apart_mesh_self_intersection(mesh, &intersecting, pair) == APART_OK, "a mesh meets itself or not");
    check(intersecting == 0 || intersecting == 1, "the answer is yes or no");
    if (intersecting) {
        uint32_t corners[3];
        for (int i = 0; i < 2; i++) {
            apart_mesh_triangle(mesh, pair[i], corners);
            for (int k = 0; k < 3; k++) {
                const apart_vec3 v = apart_mesh_vertex(mesh, corners[k]);
                check(isfinite(v.x) && isfinite(v.y) && isfinite(v.z), "vertices are finite");
            }
        }
        check(pair[0] < pair[1], "the lower number comes first");
    }
    for (int i = 0; i < 27; i++) {
        const apart_vec3 p = {0.5 * (i % 3) - 0.5, 0.5 * (i / 3 % 3) - 0.5, 0.5 * (double)(i / 9) - 0.5};
        const apart_status status = apart_mesh_contains(mesh, p, &side);
        check(status == APART_OK || status == APART_ERR_NOT_WATERTIGHT, "a point is inside or not");
        check(status != APART_OK || (side >= -1 && side <= 1), "the side is -1, 0 or 1");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const apart_mesh *mesh = NULL;
    void *memory = malloc(size > 0 ? size : 1);
    check(memory != NULL, "there is memory");
    if (size > 0)
        memcpy(memory, data, size);
    if (apart_mesh_view(memory, size, &mesh) == APART_OK) {
        check(apart_mesh_size(mesh) <= size, "the mesh lies in its memory");
        walk(mesh);
    }
    free(memory);
    return 0;
}
