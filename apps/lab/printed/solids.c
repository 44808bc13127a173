/* The bodies of a scene as the algorithms as printed want them. */
#include "solids.h"

#include <stdlib.h>

#include "../text.h"

lab_solids lab_solids_of(const lab_world *w)
{
    lab_solids s = {.world = w};
    for (int side = 0; side < 2; side++) {
        const lab_polytope *p = side == 0 ? w->polytope_a : w->polytope_b;
        uint32_t most = 0;
        s.mesh[side] = lab_allocate(w->bodies, sizeof *s.mesh[side]);
        for (uint32_t i = 0; i < w->bodies; i++) {
            s.mesh[side][i] = lab_mesh_of(side == 0 ? w->hull_a[i] : w->hull_b[i]);
            most = p[i].count > most ? p[i].count : most;
        }
        s.points[side] = lab_allocate(most, sizeof *s.points[side]);
    }
    return s;
}

void lab_solids_free(lab_solids *s)
{
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < s->world->bodies; i++) {
            lab_mesh_free(&s->mesh[side][i]);
        }
        free(s->mesh[side]);
        free(s->points[side]);
    }
}

void lab_solids_place(lab_solids *s, uint32_t pair, uint32_t step, lab_solid *a, lab_solid *b)
{
    const lab_world *w = s->world;
    const uint32_t body = pair % w->bodies;
    const lab_polytope *p[2] = {&w->polytope_a[body], &w->polytope_b[body]};
    const apart_pose *pose[2] = {&w->pose_a[pair], lab_pose_b(w, pair, step)};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < p[side]->count; i++) {
            s->points[side][i] = apart_pose_apply(pose[side], p[side]->vertex[i]);
        }
        *(side == 0 ? a : b) = (lab_solid){{s->points[side], p[side]->count}, &s->mesh[side][body], *pose[side]};
    }
}
