/* A user's program: points from a text, their hull, its distance from a sphere. Both libraries, as installed. */
#include <apart/apart.h>
#include <apart/io.h>
#include <stdio.h>

static const char cube[] = "-1 -1 -1\n1 -1 -1\n-1 1 -1\n1 1 -1\n-1 -1 1\n1 -1 1\n-1 1 1\n1 1 1\n";

int main(void)
{
    apart_mesh_data mesh;
    apart_hull *hull = NULL;
    apart_result r;
    if (apart_mesh_read_memory(cube, sizeof cube - 1, "cube", APART_MESH_POINTS, &mesh, NULL) != APART_OK ||
        apart_hull_build(mesh.xyz, mesh.vertex_count, NULL, &hull) != APART_OK) {
        return 1;
    }
    const apart_shape a = apart_hull_shape(hull), b = apart_sphere(0.5);
    const apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_translation(4, 0, 0);
    const apart_status status = apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r);
    printf("apart %s: distance %.17g\n", apart_version(), r.distance);
    apart_hull_free(hull);
    apart_mesh_data_free(&mesh);
    return status == APART_OK ? 0 : 1;
}
