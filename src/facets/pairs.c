#include "pairs.h"

void ap_facet_poses_set(ap_facet_poses *poses, const ap_facet_frame *f)
{
    poses->joined = f->side[0].compound != NULL || f->side[1].compound != NULL;
    poses->widening = poses->joined ? AP_JOINING_ERROR * f->reach : 0.0;
    const apart_vec3 at_a = f->side[0].pose->translation, at_b = f->side[1].pose->translation;
    poses->own[0] = (apart_pose){f->side[0].pose->rotation, ap_vec(0.0, 0.0, 0.0)};
    poses->own[1] = (apart_pose){f->side[1].pose->rotation, ap_sub(at_b, at_a)};
}

void ap_facet_part_get(const ap_facet_frame *f, const ap_facet_poses *poses, int side, uint32_t number,
                       ap_facet_part *out)
{
    const ap_facet_side *s = &f->side[side];
    out->pose = poses->joined ? &poses->own[side] : s->pose;
    if (s->mesh != NULL) {
        const uint32_t *corners = ap_mesh_corners(s->mesh, number);
        out->memory = apart_triangle(ap_mesh_vertex(s->mesh, corners[0]), ap_mesh_vertex(s->mesh, corners[1]),
                                     ap_mesh_vertex(s->mesh, corners[2]));
        out->shape = &out->memory;
    } else if (s->compound != NULL) {
        out->shape = ap_side_part(&s->part, number, &out->pose_memory);
        out->pose = &out->pose_memory;
    } else {
        out->shape = s->shape;
    }
}

uint32_t ap_facet_part_count(apart_solid solid)
{
    return solid.mesh != NULL ? solid.mesh->triangle_count : solid.compound != NULL ? solid.compound->count : 1u;
}
