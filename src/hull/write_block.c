/* Writes the surface of a hull into one relocatable block (block.h): vertices, adjacency (item G6 of docs/papers.md),
 * faces, and the vertex records for the support search. */
#include "build.h"

#include <string.h>

#include "search.h"
#include "../quickhull/sort.h"

/* The direction table has about two cells for each vertex: r^2 = 2 n. */
static const double table_cells_per_vertex = 2.0;

/* How much a face normal may be off when the radius of the inscribed sphere is computed. */
#define NORMAL_MARGIN 0x1p-12

typedef struct assembly {
    const ap_surface *surface;
    const double *xyz; /* the caller's coordinates */
    ap_rings edges;    /* neighbours along the hull's edges */
    ap_rings climb;    /* the vertices that a climb compares at each vertex */
    double climb_loss;
    uint32_t edge_count, record_count;
} assembly;

/* Is each edge in exactly two faces, and does Euler's formula V - E + F = 2 hold? */
static bool is_closed_surface(const assembly *a)
{
    const ap_surface *s = a->surface;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        for (uint32_t i = a->edges.start[v] + 1; i < a->edges.start[v + 1]; i++) {
            if (a->edges.ring[i] == a->edges.ring[i - 1]) {
                return false;
            }
        }
    }
    return s->dimension < 2 || s->vertex_count + s->faces.count == a->edge_count + 2;
}

/* ---- parts of the block ---- */

static uint32_t table_resolution(const ap_surface *s, double climb_loss)
{
    if (s->vertex_count <= AP_SCAN_LIMIT || isinf(climb_loss)) {
        return 0;
    }
    return (uint32_t)(sqrt(table_cells_per_vertex * (double)s->vertex_count) + 0.5);
}

/* Reserves a part of the block and returns its offset. */
static uint64_t reserve_part(uint64_t *size, uint64_t count, uint64_t bytes)
{
    const uint64_t offset = (*size + 63u) / 64u * 64u;
    *size = offset + count * bytes;
    return offset;
}

static void set_layout(const assembly *a, apart_hull *h)
{
    const ap_surface *s = a->surface;
    h->vertex_count = s->vertex_count;
    h->padded_count = (s->vertex_count + AP_LANES - 1) / AP_LANES * AP_LANES;
    h->edge_count = a->edge_count;
    h->face_count = s->faces.count;
    h->face_vertex_count = s->faces.start[s->faces.count];
    h->record_count = a->record_count;
    const uint64_t n = h->vertex_count, r = h->table_resolution;
    uint64_t size = sizeof *h;
    h->vertices = reserve_part(&size, 3 * (uint64_t)h->padded_count, sizeof(double));
    h->corners = reserve_part(&size, n, sizeof(ap_hull_corner));
    h->records = reserve_part(&size, h->record_count, sizeof(ap_hull_vertex));
    h->ring_start = reserve_part(&size, n + 1, sizeof(uint32_t));
    h->ring = reserve_part(&size, 2 * (uint64_t)h->edge_count, sizeof(uint32_t));
    h->table = reserve_part(&size, r * r, AP_CELL_VERTICES * sizeof(uint32_t));
    h->edges = reserve_part(&size, 2 * (uint64_t)h->edge_count, sizeof(uint32_t));
    h->face_start = reserve_part(&size, (uint64_t)h->face_count + 1, sizeof(uint32_t));
    h->face_vertices = reserve_part(&size, h->face_vertex_count, sizeof(uint32_t));
    h->face_across = reserve_part(&size, h->face_vertex_count, sizeof(uint32_t));
    h->vertex_face = reserve_part(&size, n, sizeof(uint32_t));
    h->face_planes = reserve_part(&size, ap_hull_plane_groups(h), sizeof(ap_face_planes));
    reserve_part(&size, 0, 1);
    h->size = (size + 63u) / 64u * 64u;
}

static void *part(apart_hull *h, uint64_t offset) { return (char *)h + offset; }

/* Writes the caller's coordinates minus the centre; the difference is exact, see far_center() in build.c. */
static void write_vertex_arrays(const assembly *a, apart_hull *h)
{
    const ap_surface *s = a->surface;
    double *x = part(h, h->vertices);
    ap_hull_vertex *record = part(h, h->records);
    ap_hull_corner *corner = part(h, h->corners);
    double bound = 0.0;
    for (uint32_t i = 0; i < h->padded_count; i++) {
        const uint32_t from = s->cloud->input[s->vertex[i < h->vertex_count ? i : 0]];
        for (uint32_t k = 0; k < 3; k++) {
            const double v = a->xyz[3 * (size_t)from + k];
            const double local = h->center[k] != 0.0 ? v - h->center[k] : v;
            x[k * (size_t)h->padded_count + i] = local;
            if (i < h->vertex_count) {
                corner[i].point[k] = record[i].point[k] = local;
            }
        }
        if (i < h->vertex_count) {
            record[i].input = from;
            corner[i].input = (double)from;
            bound = ap_max(bound, ap_norm(ap_hull_local(h, i)));
        }
    }
    h->bound = bound * (1.0 + 4.0 * AP_EPS);
}

static void write_rings(const assembly *a, apart_hull *h)
{
    uint32_t *edge = part(h, h->edges);
    memcpy(part(h, h->ring_start), a->edges.start, (h->vertex_count + 1u) * sizeof(uint32_t));
    memcpy(part(h, h->ring), a->edges.ring, 2 * (size_t)h->edge_count * sizeof(uint32_t));
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        for (uint32_t i = a->edges.start[v]; i < a->edges.start[v + 1]; i++) {
            if (a->edges.ring[i] > v) {
                *edge++ = v;
                *edge++ = a->edges.ring[i];
            }
        }
    }
}

static uint32_t records_for(uint32_t degree)
{
    return degree > AP_RECORD_EDGES ? (degree + AP_RECORD_EDGES - 1) / AP_RECORD_EDGES : 1;
}

/* Writes eight of a vertex' edges, starting with number `from`. */
static void write_edges(const assembly *a, const apart_hull *h, uint32_t v, uint32_t from, ap_hull_vertex *record)
{
    const uint32_t degree = a->climb.start[v + 1] - a->climb.start[v];
    for (uint32_t k = 0; k < AP_RECORD_EDGES; k++) {
        const uint32_t to = from + k < degree ? a->climb.ring[a->climb.start[v] + from + k] : v;
        const apart_vec3 d = ap_sub(ap_hull_local(h, to), ap_hull_local(h, v));
        record->dx[k] = d.x;
        record->dy[k] = d.y;
        record->dz[k] = d.z;
        record->id[k] = to;
    }
}

static void write_records(const assembly *a, apart_hull *h)
{
    ap_hull_vertex *records = part(h, h->records);
    uint32_t free_record = h->vertex_count;
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        const uint32_t count = records_for(a->climb.start[v + 1] - a->climb.start[v]);
        ap_hull_vertex *record = &records[v];
        for (uint32_t i = 0; i < count; i++) {
            write_edges(a, h, v, AP_RECORD_EDGES * i, record);
            record->more = i + 1 < count ? free_record++ : 0;
            if (record->more != 0) {
                memcpy(records[record->more].point, record->point, sizeof record->point);
                records[record->more].input = record->input;
                record = &records[record->more];
            }
        }
    }
}

/* Where the lowest vertex of a polygon stands. */
static uint32_t first_corner(const ap_polygons *p, uint32_t f)
{
    uint32_t from = p->start[f];
    for (uint32_t i = p->start[f] + 1; i < p->start[f + 1]; i++) {
        from = p->vertex[i] < p->vertex[from] ? i : from;
    }
    return from;
}

/* A face is identified by the directed edge it begins with, which belongs to no other face. Lists the faces in the order
 * of these edges. */
static void sort_faces(const ap_polygons *p, ap_keyed *face, ap_keyed *scratch)
{
    for (uint32_t f = 0; f < p->count; f++) {
        const uint32_t from = first_corner(p, f), next = from + 1 < p->start[f + 1] ? from + 1 : p->start[f];
        face[f] = (ap_keyed){(uint64_t)p->vertex[from] << 32 | p->vertex[next], f};
    }
    ap_sort_keyed(face, scratch, p->count);
}

/* Twice the vector area of a polygon. Adds to *volume six times the volume of the cone over it with the apex at vertex
 * 0 of the surface. */
static apart_vec3 vector_area(const ap_surface *s, const uint32_t *polygon, uint32_t corners, ap_dd *volume)
{
    const apart_vec3 origin = ap_surface_point(s, 0), a = ap_surface_point(s, polygon[0]);
    ap_dd3 sum = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    for (uint32_t i = 1; i + 1 < corners; i++) {
        const ap_dd3 b = ap_dd3_difference(ap_surface_point(s, polygon[i]), a);
        const ap_dd3 n = ap_dd3_cross(b, ap_dd3_difference(ap_surface_point(s, polygon[i + 1]), a));
        sum = (ap_dd3){ap_dd_add(sum.x, n.x), ap_dd_add(sum.y, n.y), ap_dd_add(sum.z, n.z)};
    }
    *volume = ap_dd_add(*volume, ap_dd3_dot(sum, ap_dd3_difference(a, origin)));
    return ap_dd3_value(sum);
}

/* Is a face wide enough to have a normal? Its error is about 16 u L^2 / |twice| for corners within L of each other. */
static bool has_normal(const apart_hull *h, apart_vec3 twice, double scale)
{
    const double length = 2.0 * h->bound * scale;
    return 16.0 * 0x1p-53 * (length * length) < NORMAL_MARGIN * ap_norm(twice);
}

/* A lower bound of the distance of a face's plane from the centre: the computed distance minus what the normal may be
 * off; for a face too slender to have a normal the bound is 0. */
static double plane_distance(const apart_hull *h, uint32_t vertex, apart_vec3 twice, apart_vec3 normal, double scale)
{
    if (!has_normal(h, twice, scale)) {
        return 0.0;
    }
    return ap_max(ap_dot(normal, ap_hull_local(h, vertex)) - 2.0 * NORMAL_MARGIN * h->bound, 0.0);
}

/* The largest n.v of a face's own corners. It is that of all vertices, to 2 eps * bound, if the face is exactly flat and
 * has a normal: the surface is exactly convex, and the normal is right to u. -INFINITY if this is not known. */
static double own_offset(const assembly *a, const apart_hull *h, const uint32_t *face, uint32_t corners,
                         apart_vec3 twice, apart_vec3 n)
{
    const ap_surface *s = a->surface;
    double offset = -INFINITY;
    if (has_normal(h, twice, s->cloud->scale) && (corners == 3 || ap_polygon_is_flat(s, face, corners))) {
        for (uint32_t i = 0; i < corners; i++) {
            offset = ap_max(offset, ap_dot(n, ap_hull_local(h, face[i])));
        }
    }
    return offset;
}

static void write_face_arrays(const assembly *a, const ap_keyed *face, apart_hull *h)
{
    const ap_surface *s = a->surface;
    const double unit = 1.0 / s->cloud->scale;
    uint32_t *start = part(h, h->face_start), *vertex = part(h, h->face_vertices), n = 0;
    ap_face_planes *planes = part(h, h->face_planes);
    double area = 0.0;
    ap_dd volume = {0.0, 0.0};
    h->inner = s->dimension == 3 ? h->bound : 0.0;
    for (uint32_t f = 0; f < h->face_count; f++) {
        start[f] = n;
        const uint32_t from = s->faces.start[face[f].value], size = s->faces.start[face[f].value + 1] - from;
        const uint32_t first = first_corner(&s->faces, face[f].value);
        for (uint32_t at = first; at < first + size; at++) {
            vertex[n++] = s->faces.vertex[at < from + size ? at : at - size];
        }
        const apart_vec3 twice = vector_area(s, vertex + start[f], n - start[f], &volume);
        const apart_vec3 unit_normal = ap_normalised(twice);
        area += 0.5 * ap_norm(twice);
        h->inner = ap_min(h->inner, plane_distance(h, vertex[start[f]], twice, unit_normal, s->cloud->scale));
        planes[f / AP_LANES].x[f % AP_LANES] = unit_normal.x;
        planes[f / AP_LANES].y[f % AP_LANES] = unit_normal.y;
        planes[f / AP_LANES].z[f % AP_LANES] = unit_normal.z;
        planes[f / AP_LANES].offset[f % AP_LANES] =
            own_offset(a, h, vertex + start[f], n - start[f], twice, unit_normal);
    }
    start[h->face_count] = n;
    h->area = area * unit * unit;
    h->volume = s->dimension == 3 ? ap_max(ap_dd_value(volume) / 6.0, 0.0) * unit * unit * unit : 0.0;
}

/* The place of w in the ring of v, which ascends. */
static uint32_t place_in_ring(const assembly *a, uint32_t v, uint32_t w)
{
    uint32_t low = a->edges.start[v], high = a->edges.start[v + 1];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        *(a->edges.ring[middle] <= w ? &low : &high) = middle;
    }
    return low;
}

/* Which face is beyond each side, and a face of each vertex. side: scratch for a number for each directed edge. */
static void write_face_neighbours(const assembly *a, uint32_t *side, apart_hull *h)
{
    const uint32_t *start = part(h, h->face_start), *vertex = part(h, h->face_vertices);
    uint32_t *across = part(h, h->face_across), *vertex_face = part(h, h->vertex_face);
    for (uint32_t f = h->face_count; f-- > 0;) {
        for (uint32_t i = start[f]; i < start[f + 1]; i++) {
            const uint32_t next = vertex[i + 1 < start[f + 1] ? i + 1 : start[f]];
            side[place_in_ring(a, vertex[i], next)] = f;
            vertex_face[vertex[i]] = f;
        }
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        for (uint32_t i = start[f]; i < start[f + 1]; i++) {
            const uint32_t next = vertex[i + 1 < start[f + 1] ? i + 1 : start[f]];
            across[i] = side[place_in_ring(a, next, vertex[i])];
        }
    }
}

/* The vertex farthest along a face's normal. Its corners are equally far to rounding, which sends climbs from one to the
 * next in circles: a climb that comes back to where it was is ended by a scan at once (R. P. Brent, 1980). */
static uint32_t farthest_from(const apart_hull *h, uint32_t first, apart_vec3 n)
{
    const ap_lanes3 d = {ap_lanes_all(n.x), ap_lanes_all(n.y), ap_lanes_all(n.z)};
    uint32_t vertex = first, mark = first;
    for (uint32_t step = 1, next_mark = 2;; step++) {
        const uint32_t next = ap_climb(ap_hull_records(h), vertex, &d);
        if (next == vertex) {
            return vertex;
        }
        if (next == mark) {
            return ap_hull_scan_by_call(h, n, NULL);
        }
        vertex = next;
        if (step == next_mark) {
            mark = vertex;
            next_mark *= 2;
        }
    }
}

/* The largest n.v of all vertices; where that takes too long, of the face's first vertex. */
static double plane_offset(const apart_hull *h, uint32_t first, apart_vec3 n)
{
    const double own = ap_dot(n, ap_hull_local(h, first));
    uint32_t farthest = first;
    if (h->vertex_count <= AP_SCAN_LIMIT) {
        farthest = ap_hull_scan_by_call(h, n, NULL);
    } else if (isfinite(h->climb_loss)) {
        farthest = farthest_from(h, first, n);
    }
    return ap_max(own, ap_dot(n, ap_hull_local(h, farthest)));
}

/* The offsets of the planes that are not known yet, and the padding of their last group. */
static void write_plane_offsets(apart_hull *h)
{
    const uint32_t *start = part(h, h->face_start), *vertex = part(h, h->face_vertices);
    ap_face_planes *planes = part(h, h->face_planes);
    for (uint32_t f = 0; f < h->face_count; f++) {
        double *offset = &planes[f / AP_LANES].offset[f % AP_LANES];
        *offset = isfinite(*offset) ? *offset : plane_offset(h, vertex[start[f]], apart_hull_face_normal(h, f));
    }
    for (uint32_t f = h->face_count; f % AP_LANES != 0; f++) {
        ap_face_planes *p = &planes[f / AP_LANES];
        const uint32_t lane = f % AP_LANES;
        p->x[lane] = planes->x[0];
        p->y[lane] = planes->y[0];
        p->z[lane] = planes->z[0];
        p->offset[lane] = planes->offset[0];
    }
}

/* ---- the whole block ---- */

static apart_status write_block(const assembly *a, const ap_keyed *face, uint32_t *side, apart_hull **out)
{
    const ap_surface *s = a->surface;
    const double unit = 1.0 / s->cloud->scale;
    apart_hull head = {.magic = AP_HULL_MAGIC, .version = AP_HULL_VERSION, .owner = 1, .dimension = s->dimension};
    head.climb_loss = a->climb_loss;
    head.table_resolution = table_resolution(s, head.climb_loss);
    head.center[0] = s->cloud->center.x;
    head.center[1] = s->cloud->center.y;
    head.center[2] = s->cloud->center.z;
    head.dropped = s->dropped * (1.0 + 0x1p-40) * unit;
    set_layout(a, &head);
    apart_hull *h = head.size <= SIZE_MAX / 2 ? ap_hull_allocate(s->cloud->allocator, (size_t)head.size) : NULL;
    if (h == NULL) {
        return APART_ERR_MEMORY;
    }
    *h = head;
    write_vertex_arrays(a, h);
    h->is_box = ap_hull_find_box(h, &h->box) ? 1 : 0;
    write_rings(a, h);
    write_records(a, h);
    write_face_arrays(a, face, h);
    write_face_neighbours(a, side, h);
    write_plane_offsets(h);
    if (!ap_hull_fill_table(h, part(h, h->table), s->cloud->allocator)) {
        apart_hull_free(h);
        return APART_ERR_MEMORY;
    }
    *out = h;
    return APART_OK;
}

static apart_status make_parts(assembly *a, apart_hull **out)
{
    const ap_surface *s = a->surface;
    const apart_allocator *allocator = s->cloud->allocator;
    if (ap_edge_rings(s, &s->faces, &a->edges) != APART_OK ||
        ap_climb_graph(s, &a->climb, &a->climb_loss) != APART_OK) {
        return APART_ERR_MEMORY;
    }
    a->edge_count = a->edges.start[s->vertex_count] / 2;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        a->record_count += records_for(a->climb.start[v + 1] - a->climb.start[v]);
    }
    if (!is_closed_surface(a)) {
        return APART_ERR_HULL_BUILDER;
    }
    ap_keyed *face = ap_allocate(allocator, 2 * (size_t)s->faces.count, sizeof *face);
    uint32_t *side = ap_allocate(allocator, a->edges.start[s->vertex_count], sizeof *side);
    apart_status status = APART_ERR_MEMORY;
    if (face != NULL && side != NULL) {
        sort_faces(&s->faces, face, face + s->faces.count);
        status = write_block(a, face, side, out);
    }
    ap_release(allocator, face);
    ap_release(allocator, side);
    return status;
}

apart_status ap_hull_write_block(const ap_surface *surface, const double *xyz, apart_hull **out)
{
    assembly a = {.surface = surface, .xyz = xyz};
    const apart_status status = make_parts(&a, out);
    void *const scratch[] = {a.edges.start, a.edges.ring, a.climb.start, a.climb.ring};
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++) {
        ap_release(surface->cloud->allocator, scratch[i]);
    }
    return status;
}
