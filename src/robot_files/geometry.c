/* Geometry that waits for the tree: a robot that is no tree is told before a mesh that is missing. */
#include "geometry.h"

apart_status ap_geometry_add(ap_robot_geometries *all, const ap_robot_geometry *added, apart_io_error *error)
{
    ap_robot_geometry *larger = ap_robot_grow(all->list, all->count, sizeof *larger);
    if (larger == NULL) {
        return ap_report_memory(error, "robot");
    }
    all->list = larger;
    larger[all->count++] = *added;
    return APART_OK;
}

static apart_status add_one(const ap_robot_geometries *all, const ap_robot_geometry *g, apart_robot *r,
                            apart_io_error *error)
{
    const size_t link = apart_robot_find_link(r, g->link);
    if (g->file == NULL) {
        const apart_part part = {g->shape, g->pose};
        const apart_status status = apart_robot_add_part(r, link, &part, NULL);
        char reason[AP_REASON_SIZE];
        return status == APART_OK ? APART_OK
                                  : ap_report(error, status, g->node->file, g->node->line, 0, "<%.60s>: %s",
                                              g->node->name, ap_robot_reason(status, reason));
    }
    char *path = NULL;
    apart_status status = ap_robot_find_file(r, all->packages, g->file, g->node, &path, error);
    if (status == APART_OK) {
        status = apart_robot_add_mesh_as(r, link, path, all->as, g->scale, &g->pose, g->node->line, error);
    }
    free(path);
    return status;
}

apart_status ap_geometry_finish(const ap_robot_geometries *all, apart_robot *r, apart_io_error *error)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < all->count && status == APART_OK; i++) {
        status = add_one(all, &all->list[i], r, error);
    }
    return status;
}
