/* Which vertices are joined by an edge? Neighbours are listed by counting, in a time that grows with the number of edges
 * alone. */
#include <string.h>

#include "surface.h"

/* Sets the start of each vertex' ring from its number of directed edges; a segment has one edge and no polygon. */
static void count_edges(const ap_surface *s, const ap_polygons *p, uint32_t *start)
{
    memset(start, 0, (s->vertex_count + 1u) * sizeof *start);
    for (uint32_t i = 0; i < p->start[p->count]; i++) {
        start[p->vertex[i] + 1]++;
    }
    if (s->dimension == 1) {
        start[1] = start[2] = 1;
    }
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        start[v + 1] += start[v];
    }
}

/* Fills the rings: first the heads of the directed edges by their tails, then the tails by their heads, which come in
 * ascending order. As each edge occurs in both directions, that is the same relation, sorted. */
static void fill_edge_rings(const ap_surface *s, const ap_polygons *p, ap_rings *r, uint32_t *unsorted, uint32_t *fill)
{
    memcpy(fill, r->start, s->vertex_count * sizeof *fill);
    for (uint32_t f = 0; f < p->count; f++) {
        for (uint32_t i = p->start[f]; i < p->start[f + 1]; i++) {
            const uint32_t next = i + 1 < p->start[f + 1] ? i + 1 : p->start[f];
            unsorted[fill[p->vertex[i]]++] = p->vertex[next];
        }
    }
    if (s->dimension == 1) {
        unsorted[0] = 1;
        unsorted[1] = 0;
    }
    memcpy(fill, r->start, s->vertex_count * sizeof *fill);
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        for (uint32_t i = r->start[v]; i < r->start[v + 1]; i++) {
            r->ring[fill[unsorted[i]]++] = v;
        }
    }
}

apart_status ap_edge_rings(const ap_surface *s, const ap_polygons *p, ap_rings *r)
{
    const apart_allocator *a = s->cloud->allocator;
    const uint32_t edges = s->dimension == 1 ? 2 : p->start[p->count];
    r->start = ap_allocate(a, s->vertex_count + 1u, sizeof(uint32_t));
    r->ring = ap_allocate(a, edges, sizeof(uint32_t));
    uint32_t *unsorted = ap_allocate(a, edges, sizeof(uint32_t));
    uint32_t *fill = ap_allocate(a, s->vertex_count, sizeof(uint32_t));
    const bool ready = r->start != NULL && r->ring != NULL && unsorted != NULL && fill != NULL;
    if (ready) {
        count_edges(s, p, r->start);
        fill_edge_rings(s, p, r, unsorted, fill);
    }
    ap_release(a, unsorted);
    ap_release(a, fill);
    return ready ? APART_OK : APART_ERR_MEMORY;
}
