/* The features of a hull and how they adjoin. */
#include "mesh.h"

#include <stdlib.h>

#include "../text.h"

/* The number of the edge between two vertices. */
static uint32_t find_edge(const lab_mesh *m, uint32_t p, uint32_t q)
{
    for (uint32_t i = m->first_of_vertex[p]; i < m->first_of_vertex[p + 1]; i++) {
        const lab_mesh_edge *e = &m->edge[m->at_vertex[i]];
        if (e->end[0] == q || e->end[1] == q) {
            return m->at_vertex[i];
        }
    }
    return 0;
}

static void join_vertices(lab_mesh *m)
{
    uint32_t *filled = lab_allocate(m->vertices, sizeof *filled);
    for (uint32_t e = 0; e < m->edges; e++) {
        m->first_of_vertex[m->edge[e].end[0] + 1]++;
        m->first_of_vertex[m->edge[e].end[1] + 1]++;
    }
    for (uint32_t v = 0; v < m->vertices; v++) {
        m->first_of_vertex[v + 1] += m->first_of_vertex[v];
    }
    for (uint32_t e = 0; e < m->edges; e++) {
        for (int k = 0; k < 2; k++) {
            const uint32_t v = m->edge[e].end[k];
            m->at_vertex[m->first_of_vertex[v] + filled[v]++] = e;
        }
    }
    free(filled);
}

/* face[0] is the one that runs along the edge. */
static void join_faces(lab_mesh *m, const apart_hull *hull)
{
    for (uint32_t f = 0; f < m->faces; f++) {
        const uint32_t *v, count = apart_hull_face(hull, f, &v);
        m->normal[f] = apart_hull_face_normal(hull, f);
        m->first_of_face[f + 1] = m->first_of_face[f] + count;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t p = v[i], q = v[(i + 1) % count], e = find_edge(m, p, q);
            m->at_face[m->first_of_face[f] + i] = e;
            m->edge[e].face[m->edge[e].end[0] == p ? 0 : 1] = f;
        }
    }
}

lab_mesh lab_mesh_of(const apart_hull *hull)
{
    lab_mesh m = {.vertices = apart_hull_vertex_count(hull),
                  .edges = apart_hull_edge_count(hull),
                  .faces = apart_hull_face_count(hull)};
    m.edge = lab_allocate(m.edges, sizeof *m.edge);
    m.normal = lab_allocate(m.faces, sizeof *m.normal);
    m.first_of_vertex = lab_allocate(m.vertices + 1, sizeof *m.first_of_vertex);
    m.first_of_face = lab_allocate(m.faces + 1, sizeof *m.first_of_face);
    m.at_vertex = lab_allocate(2 * (size_t)m.edges, sizeof *m.at_vertex);
    m.at_face = lab_allocate(2 * (size_t)m.edges, sizeof *m.at_face);
    for (uint32_t e = 0; e < m.edges; e++) {
        apart_hull_edge(hull, e, m.edge[e].end);
    }
    join_vertices(&m);
    join_faces(&m, hull);
    return m;
}

void lab_mesh_free(lab_mesh *m)
{
    free(m->edge);
    free(m->normal);
    free(m->first_of_vertex);
    free(m->first_of_face);
    free(m->at_vertex);
    free(m->at_face);
}
