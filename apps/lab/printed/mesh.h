/* The features of a hull and how they adjoin: what V-Clip walks on. */
#ifndef LAB_PRINTED_MESH_H
#define LAB_PRINTED_MESH_H

#include <apart/apart.h>

typedef struct lab_mesh_edge {
    uint32_t end[2], face[2]; /* face[0] has the edge from end[0] to end[1], counter-clockwise seen from outside */
} lab_mesh_edge;

typedef struct lab_mesh {
    uint32_t vertices, edges, faces;
    lab_mesh_edge *edge;
    apart_vec3 *normal;                    /* of faces, in the hull's frame */
    uint32_t *first_of_vertex, *at_vertex; /* edges at vertex v: at_vertex[first_of_vertex[v]] up to the next */
    uint32_t *first_of_face, *at_face;     /* edges of a face, likewise */
} lab_mesh;

lab_mesh lab_mesh_of(const apart_hull *hull);
void lab_mesh_free(lab_mesh *mesh);

#endif
