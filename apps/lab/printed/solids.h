/* The bodies of a scene as the algorithms as printed want them: points in the world, and adjoining features. */
#ifndef LAB_PRINTED_SOLIDS_H
#define LAB_PRINTED_SOLIDS_H

#include "../scene.h"
#include "frame.h"

typedef struct lab_solids {
    const lab_world *world;
    lab_mesh *mesh[2];     /* of each body */
    apart_vec3 *points[2]; /* of the pair that was placed last */
} lab_solids;

lab_solids lab_solids_of(const lab_world *world);
void lab_solids_free(lab_solids *solids);
/* A pair at a step of its path; valid until the next call. */
void lab_solids_place(lab_solids *solids, uint32_t pair, uint32_t step, lab_solid *a, lab_solid *b);

#endif
