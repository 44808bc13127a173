/* Which triangles of a convex surface form one flat face? (Item G6 of docs/papers.md merges coplanar triples of points;
 * here they are the triangles of a mesh.)
 *
 * Regions grow from the largest triangles over neighbours whose corners lie in the plane of the first triangle to a few
 * eps; the tolerance is 4 eps first, then smaller. A region is accepted if its outline is one simple polygon without a
 * vertex inside. If fewer than three faces would meet at a vertex, the regions around it are split into triangles
 * again. So the result is a polyhedral surface whatever the input is; in the worst case it consists of the
 * triangles. */
#include "sort.h"
#include "surface.h"

#include <string.h>

typedef struct merger {
    const ap_mesh *mesh;
    uint32_t *label;   /* per facet: the first facet of its region, AP_NONE if it has none yet */
    uint32_t *region;  /* scratch: the facets of a region */
    uint32_t *after;   /* per point: the next corner of the outline, AP_NONE between uses */
    uint32_t *number;  /* per point: the vertex number */
    uint8_t *split;    /* per facet: the region that begins with it must be split */
    ap_keyed *seed;    /* the facets in the order in which regions begin with them */
    ap_keyed *scratch; /* for sorting them */
} merger;

/* Hill climbing uses the triangles of faces with a larger warp (ap_polygon_warp, in eps) than this. */
static const double warp_limit = 4.0;

/* How far the corners of a region may be from its first triangle's plane, in eps * size: what is tried, one after the
 * other. */
static const double tolerances[] = {4.0, 1.0, 0.25};

/* Lists the facets by area, the largest first; of equals, the lowest number. */
static void sort_seeds(merger *m)
{
    const apart_vec3 *p = m->mesh->cloud->point;
    for (uint32_t f = 0; f < m->mesh->facet_count; f++) {
        const uint32_t *v = m->mesh->facet[f].vertex;
        const apart_vec3 n = ap_cross_accurate(ap_sub(p[v[1]], p[v[0]]), ap_sub(p[v[2]], p[v[0]]));
        m->seed[f] = (ap_keyed){~ap_key_of_double(ap_norm(n)), f};
    }
    ap_sort_keyed(m->seed, m->scratch, m->mesh->facet_count);
}

/* Do the corners of g lie in the plane of another facet to the tolerance? Heights in plain doubles say so of most that
 * do not. */
static bool lies_in_plane(const ap_mesh *mesh, const ap_facet *plane, const ap_facet *g, double tolerance)
{
    const apart_vec3 *p = mesh->cloud->point;
    for (int k = 0; k < 3; k++) {
        if (fabs(ap_facet_height(mesh, plane, p[g->vertex[k]])) > tolerance + plane->margin) {
            return false;
        }
    }
    const apart_vec3 normal = ap_facet_normal(mesh, plane);
    if (ap_dot(normal, ap_facet_normal(mesh, g)) <= 0.0) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (fabs(ap_dot(normal, ap_sub(p[g->vertex[k]], p[plane->vertex[0]]))) > tolerance) {
            return false;
        }
    }
    return true;
}

/* Grows a region from a facet and labels it; returns its number of facets, which are listed in m->region. */
static uint32_t grow_region(merger *m, uint32_t from, double tolerance)
{
    uint32_t n = 0;
    m->region[n++] = from;
    m->label[from] = from;
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t g = m->mesh->facet[m->region[i]].across[k];
            if (m->label[g] == AP_NONE &&
                lies_in_plane(m->mesh, &m->mesh->facet[from], &m->mesh->facet[g], tolerance)) {
                m->label[g] = from;
                m->region[n++] = g;
            }
        }
    }
    return n;
}

/* Writes the outline of the listed region of n facets and returns its number of corners; 0 if it is not a simple
 * polygon of n + 2 corners. */
static uint32_t outline_of(merger *m, uint32_t n, uint32_t *outline)
{
    uint32_t edges = 0, corners = 0;
    bool simple = true;
    uint32_t lowest = AP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const ap_facet *f = &m->mesh->facet[m->region[i]];
        for (int k = 0; k < 3; k++) {
            if (m->label[f->across[k]] != m->label[m->region[i]]) {
                const uint32_t a = f->vertex[k];
                simple = simple && m->after[a] == AP_NONE;
                m->after[a] = f->vertex[(k + 1) % 3];
                lowest = a < lowest ? a : lowest;
                edges++;
            }
        }
    }
    if (simple && edges == n + 2) {
        uint32_t v = lowest;
        do {
            outline[corners++] = v;
            v = m->after[v];
        } while (v != lowest && corners < edges);
        corners = v == lowest && corners == edges ? corners : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            m->after[m->mesh->facet[m->region[i]].vertex[k]] = AP_NONE;
        }
    }
    return corners;
}

/* Marks the facets in whose plane no neighbour lies to the tolerance; returns how many others there are. */
static uint32_t mark_alone(const merger *m, double tolerance, uint8_t *alone)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < m->mesh->facet_count; i++) {
        const ap_facet *f = &m->mesh->facet[i];
        alone[i] = 1;
        for (int k = 0; k < 3 && alone[i]; k++) {
            alone[i] = !lies_in_plane(m->mesh, f, &m->mesh->facet[f->across[k]], tolerance);
        }
        others += !alone[i];
    }
    return others;
}

/* Labels regions with smaller and smaller tolerances. */
static void label_flat_regions(merger *m, const uint8_t *alone, uint32_t *outline)
{
    sort_seeds(m);
    for (size_t t = 0; t < sizeof tolerances / sizeof tolerances[0]; t++) {
        for (uint32_t i = 0; i < m->mesh->facet_count; i++) {
            const uint32_t from = m->seed[i].value;
            if (m->label[from] != AP_NONE || alone[from]) {
                continue;
            }
            const uint32_t n = grow_region(m, from, tolerances[t] * AP_EPS * m->mesh->cloud->size);
            if (n == 1 || outline_of(m, n, outline) == 0) {
                for (uint32_t k = 0; k < n; k++) {
                    m->label[m->region[k]] = AP_NONE;
                }
            }
        }
    }
}

/* Labels the flat regions; a facet that belongs to none is a face by itself. */
static void label_regions(merger *m, uint32_t *outline)
{
    uint8_t *const alone = m->split;
    if (mark_alone(m, tolerances[0] * AP_EPS * m->mesh->cloud->size, alone) > 0) {
        label_flat_regions(m, alone, outline);
    }
    for (uint32_t f = 0; f < m->mesh->facet_count; f++) {
        m->label[f] = m->label[f] == AP_NONE ? f : m->label[f];
    }
}

/* How many faces meet at a corner's vertex. */
static uint32_t faces_around(const merger *m, ap_corner first)
{
    uint32_t n = 0;
    ap_corner at = first;
    do {
        const ap_corner then = ap_mesh_turn(m->mesh, at);
        n += m->label[at.facet] != m->label[then.facet];
        at = then;
    } while (at.facet != first.facet);
    return n;
}

static void split_around(merger *m, ap_corner first)
{
    ap_corner at = first;
    do {
        m->split[m->label[at.facet]] = 1;
        at = ap_mesh_turn(m->mesh, at);
    } while (at.facet != first.facet);
}

/* Splits regions until three faces or more meet at each vertex. */
static void split_bad_regions(merger *m)
{
    bool again = true;
    while (again) {
        again = false;
        memset(m->split, 0, m->mesh->facet_count);
        memset(m->after, 0xff,
               m->mesh->cloud->count * sizeof *m->after); /* here: any other value means that the vertex was tested */
        for (uint32_t f = 0; f < m->mesh->facet_count; f++) {
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t *seen = &m->after[m->mesh->facet[f].vertex[k]];
                if (*seen == AP_NONE && faces_around(m, (ap_corner){f, k}) < 3) {
                    split_around(m, (ap_corner){f, k});
                    again = true;
                }
                *seen = 0;
            }
        }
        for (uint32_t f = 0; f < m->mesh->facet_count; f++) {
            m->label[f] = m->split[m->label[f]] ? f : m->label[f];
        }
    }
}

static void number_vertices(merger *m, ap_surface *s)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < m->mesh->facet_count; f++) {
        for (int k = 0; k < 3; k++) {
            m->number[m->mesh->facet[f].vertex[k]] = 0;
        }
    }
    for (uint32_t i = 0; i < m->mesh->cloud->count; i++) {
        if (m->number[i] != AP_NONE) {
            m->number[i] = n;
            s->vertex[n++] = i;
        }
    }
    s->vertex_count = n;
}

static void add_polygon(ap_polygons *polygons, const uint32_t *vertex, uint32_t corners)
{
    memcpy(polygons->vertex + polygons->start[polygons->count], vertex, corners * sizeof *vertex);
    polygons->start[polygons->count + 1] = polygons->start[polygons->count] + corners;
    polygons->count++;
}

static void add_region(merger *m, uint32_t n, uint32_t *outline, ap_surface *s)
{
    const uint32_t corners = outline_of(m, n, outline);
    for (uint32_t i = 0; i < corners; i++) {
        outline[i] = m->number[outline[i]];
    }
    add_polygon(&s->faces, outline, corners);
    if (corners == 3 || ap_polygon_warp(s, outline, corners) <= warp_limit * AP_EPS) {
        add_polygon(&s->climb, outline, corners);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *v = m->mesh->facet[m->region[i]].vertex;
        const uint32_t triangle[3] = {m->number[v[0]], m->number[v[1]], m->number[v[2]]};
        add_polygon(&s->climb, triangle, 3);
    }
}

/* Makes the polygons of the surface, region by region. */
static void add_regions(merger *m, uint32_t *outline, ap_surface *s)
{
    const uint32_t count = m->mesh->facet_count;
    s->dimension = 3;
    s->faces.count = s->climb.count = 0;
    s->faces.start[0] = s->climb.start[0] = 0;
    /* Sorting by label brings the facets of a region together. */
    for (uint32_t f = 0; f < count; f++) {
        m->seed[f] = (ap_keyed){m->label[f], f};
    }
    ap_sort_keyed(m->seed, m->scratch, count);
    for (uint32_t i = 0; i < count;) {
        uint32_t n = 0;
        const uint64_t label = m->seed[i].key;
        while (i < count && m->seed[i].key == label) {
            m->region[n++] = m->seed[i++].value;
        }
        add_region(m, n, outline, s);
    }
}

static void merge_faces(merger *m, uint32_t *outline, ap_surface *s)
{
    memset(m->label, 0xff, m->mesh->facet_count * sizeof *m->label);
    memset(m->after, 0xff, m->mesh->cloud->count * sizeof *m->after);
    memset(m->number, 0xff, m->mesh->cloud->count * sizeof *m->number);
    number_vertices(m, s);
    label_regions(m, outline);
    split_bad_regions(m);
    memset(m->after, 0xff, m->mesh->cloud->count * sizeof *m->after);
    add_regions(m, outline, s);
}

apart_status ap_mesh_merge_faces(const ap_mesh *mesh, ap_surface *surface)
{
    const apart_allocator *allocator = mesh->cloud->allocator;
    const uint32_t facets = mesh->facet_count, points = mesh->cloud->count;
    merger m = {.mesh = mesh};
    m.label = ap_allocate(allocator, facets, sizeof *m.label);
    m.region = ap_allocate(allocator, facets, sizeof *m.region);
    m.after = ap_allocate(allocator, points, sizeof *m.after);
    m.number = ap_allocate(allocator, points, sizeof *m.number);
    m.split = ap_allocate(allocator, facets, sizeof *m.split);
    m.seed = ap_allocate(allocator, facets, sizeof *m.seed);
    m.scratch = ap_allocate(allocator, facets, sizeof *m.scratch);
    uint32_t *outline = ap_allocate(allocator, facets + 2u, sizeof *outline);
    const bool room = ap_surface_allocate(surface, mesh->cloud, facets / 2 + 2, facets, 3 * facets);
    const bool ready = room && m.label != NULL && m.region != NULL && m.after != NULL && m.number != NULL &&
                       m.split != NULL && m.seed != NULL && m.scratch != NULL && outline != NULL;
    if (ready) {
        merge_faces(&m, outline, surface);
    }
    void *const scratch[] = {m.label, m.region, m.after, m.number, m.split, m.seed, m.scratch, outline};
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++) {
        ap_release(allocator, scratch[i]);
    }
    return ready ? APART_OK : APART_ERR_MEMORY;
}
