/* --points: a cloud of spheres or boxes as one obstacle. */
#include <stdlib.h>

#include "robot_load.h"

static const double POINT_SIZE = 0.01;

int cli_cell_add_points(const cli_settings *settings, cli_cell *cell)
{
    apart_mesh_data cloud;
    apart_io_error error;
    const double size = settings->given[CLI_CLOUD_SIZE] ? settings->point_size : POINT_SIZE;
    if (settings->points == NULL) {
        return settings->given[CLI_CLOUD_SIZE] || settings->given[CLI_VOXELS]
                   ? cli_error("clearance: --point-size and --voxels go with --points")
                   : CLI_YES;
    }
    if (apart_mesh_read(settings->points, &cloud, &error) != APART_OK) {
        return cli_error("%s", error.message);
    }
    const size_t count = cloud.vertex_count;
    cell->points = count > 0 ? calloc(count, sizeof *cell->points) : NULL;
    if (cell->points == NULL) {
        apart_mesh_data_free(&cloud);
        return count > 0 ? cli_error("out of memory") : cli_error("%s: no points", settings->points);
    }
    const double half = 0.5 * size;
    const apart_shape shape =
        settings->given[CLI_VOXELS] ? apart_box((apart_vec3){half, half, half}) : apart_sphere(size);
    for (size_t i = 0; i < count; i++) {
        const double *p = cloud.xyz + 3 * i;
        cell->points[i] = (apart_part){shape, apart_pose_translation(p[0], p[1], p[2])};
    }
    apart_mesh_data_free(&cloud);
    cell->list[cell->count++] =
        (apart_robot_obstacle){.name = "points", .parts = cell->points, .count = count, .pose = apart_pose_identity()};
    return CLI_YES;
}
