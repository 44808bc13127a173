/* Is a block of memory a hull that is safe to query? apart_hull_view() accepts blocks from files and other processes,
 * whatever their bytes.
 *
 * It checks everything that the code relies on: the offsets and lengths of the parts, every index, that rings, edges,
 * records and faces describe the same adjacency, and that numbers are finite. It does not check geometry (convexity,
 * whether climb_loss is true): a forged block may give wrong distances, but it cannot make a query read outside the
 * block, loop forever or trap. */
#include "build.h"

#include <string.h>

void ap_hull_list_parts(const apart_hull *h, ap_hull_part parts[AP_HULL_PARTS])
{
    const uint64_t n = h->vertex_count, e2 = 2 * (uint64_t)h->edge_count, r = h->table_resolution;
    const ap_hull_part list[AP_HULL_PARTS] = {
        {h->vertices, 3 * (uint64_t)h->padded_count, sizeof(double), 8},
        {h->corners, n, sizeof(ap_hull_corner), 8},
        {h->records, h->record_count, sizeof(ap_hull_vertex), 0},
        {h->ring_start, n + 1, sizeof(uint32_t), 4},
        {h->ring, e2, sizeof(uint32_t), 4},
        {h->table, r * r, AP_CELL_VERTICES * sizeof(uint32_t), 4},
        {h->edges, e2, sizeof(uint32_t), 4},
        {h->face_start, (uint64_t)h->face_count + 1, sizeof(uint32_t), 4},
        {h->face_vertices, h->face_vertex_count, sizeof(uint32_t), 4},
        {h->face_across, h->face_vertex_count, sizeof(uint32_t), 4},
        {h->vertex_face, n, sizeof(uint32_t), 4},
        {h->face_planes, ((uint64_t)h->face_count + AP_LANES - 1) / AP_LANES, sizeof(ap_face_planes), 8},
    };
    for (int i = 0; i < AP_HULL_PARTS; i++) {
        parts[i] = list[i];
    }
}

bool ap_hull_check_layout(const apart_hull *h, size_t size)
{
    if (h->magic != AP_HULL_MAGIC || h->version != AP_HULL_VERSION || h->size > size || h->dimension > 3) {
        return false;
    }
    if (h->vertex_count == 0 || h->record_count < h->vertex_count || h->vertex_count > 0x7ffffff0u ||
        h->table_resolution > 0xffffu || h->padded_count != (h->vertex_count + AP_LANES - 1) / AP_LANES * AP_LANES) {
        return false;
    }
    ap_hull_part parts[AP_HULL_PARTS];
    ap_hull_list_parts(h, parts);
    uint64_t end = sizeof *h;
    for (int i = 0; i < AP_HULL_PARTS; i++) {
        /* Counts are below 2^36 and sizes below 2^9: no product here overflows. */
        if (parts[i].offset < end || parts[i].offset > h->size || parts[i].offset % 8 != 0 ||
            parts[i].count * parts[i].bytes > h->size - parts[i].offset) {
            return false;
        }
        end = parts[i].offset + parts[i].count * parts[i].bytes;
    }
    return true;
}

static bool counts_fit_dimension(const apart_hull *h)
{
    switch (h->dimension) {
    case 0: return h->vertex_count == 1 && h->edge_count == 0 && h->face_count == 0;
    case 1: return h->vertex_count == 2 && h->edge_count == 1 && h->face_count == 0;
    case 2: return h->vertex_count >= 3 && h->edge_count == h->vertex_count && h->face_count == 2;
    default:
        return h->vertex_count >= 4 && h->face_count >= 4 &&
               (uint64_t)h->vertex_count + h->face_count == (uint64_t)h->edge_count + 2;
    }
}

/* False for NaN, true for infinity. */
static bool not_negative(double x) { return x >= 0.0; }

/* The header's lengths, areas and volumes. climb_loss, volume and area may be infinite. */
static bool check_header_sizes(const apart_hull *h)
{
    const double sizes[] = {h->bound, h->inner, h->dropped, h->climb_loss, h->volume, h->area};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!not_negative(sizes[i])) {
            return false;
        }
    }
    return h->bound <= 0x1p1022 && h->inner <= h->bound && isfinite(h->dropped);
}

/* Is vertex i finite, also in the caller's coordinates, within the bound, and the same as at place i of the arrays?
 * Places after the last vertex are padding and repeat vertex 0. */
static bool check_vertex(const apart_hull *h, apart_vec3 center, uint32_t i)
{
    const double *x = ap_hull_x(h), *y = x + h->padded_count, *z = y + h->padded_count;
    const apart_vec3 v = ap_hull_local(h, i < h->vertex_count ? i : 0);
    const bool is_bounded = ap_finite(v) && ap_finite(ap_add(v, center)) && ap_norm(v) <= h->bound;
    return is_bounded && v.x == x[i] && v.y == y[i] && v.z == z[i];
}

static bool check_coordinates(const apart_hull *h)
{
    const apart_vec3 center = {h->center[0], h->center[1], h->center[2]};
    if (!ap_finite(center) || !check_header_sizes(h)) {
        return false;
    }
    for (uint32_t i = 0; i < h->padded_count; i++) {
        if (!check_vertex(h, center, i)) {
            return false;
        }
    }
    return true;
}

/* Is the hull the box that it says it is? */
static bool check_box(const apart_hull *h)
{
    ap_hull_box box = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const bool is_box = ap_hull_find_box(h, &box);
    return h->is_box == (is_box ? 1u : 0u) && memcmp(&h->box, &box, sizeof box) == 0;
}

/* Does start[0 .. n] ascend from 0 to total? */
static bool is_partition(const uint32_t *start, uint32_t n, uint32_t total)
{
    for (uint32_t i = 0; i < n; i++) {
        if (start[i] > start[i + 1]) {
            return false;
        }
    }
    return start[0] == 0 && start[n] == total;
}

static bool in_ring(const apart_hull *h, uint32_t v, uint32_t w)
{
    const uint32_t *ring;
    uint32_t low = 0, high = apart_hull_neighbours(h, v, &ring);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ring[middle] < w) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < apart_hull_neighbours(h, v, &ring) && ring[low] == w;
}

/* Each ring ascends and has as many neighbours as a vertex of this dimension needs. */
static bool check_ring(const apart_hull *h, uint32_t v)
{
    const uint32_t *ring, n = apart_hull_neighbours(h, v, &ring);
    if (n < (h->dimension < 3 ? h->dimension : 3)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ring[i] >= h->vertex_count || ring[i] == v || (i > 0 && ring[i] <= ring[i - 1])) {
            return false;
        }
    }
    return true;
}

/* Is edge number `edge` there, and does it join v and w? */
static bool is_edge(const apart_hull *h, uint32_t edge, uint32_t v, uint32_t w)
{
    uint32_t ends[2] = {0, 0};
    if (edge >= h->edge_count) {
        return false;
    }
    apart_hull_edge(h, edge, ends);
    return ends[0] == v && ends[1] == w;
}

/* The rings are symmetric, and the edges are the pairs of neighbours in them. */
static bool check_edges(const apart_hull *h)
{
    uint32_t edge = 0;
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        const uint32_t *ring, n = apart_hull_neighbours(h, v, &ring);
        for (uint32_t i = 0; i < n; i++) {
            if ((ring[i] > v && !is_edge(h, edge++, v, ring[i])) || !in_ring(h, ring[i], v)) {
                return false;
            }
        }
    }
    return edge == h->edge_count;
}

static bool check_rings(const apart_hull *h)
{
    if (h->edge_count > UINT32_MAX / 2 || !is_partition(ap_at(h, h->ring_start), h->vertex_count, 2 * h->edge_count)) {
        return false;
    }
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        if (!check_ring(h, v)) {
            return false;
        }
    }
    return check_edges(h);
}

/* The edges of a record are differences to other vertices, ascending, followed by padding: zero edges to the vertex
 * itself. *last: the highest neighbour so far, UINT32_MAX if there was none, v once the padding began. */
static bool check_record(const apart_hull *h, uint32_t v, const ap_hull_vertex *record, uint32_t *last)
{
    for (uint32_t k = 0; k < AP_RECORD_EDGES; k++) {
        const uint32_t w = record->id[k];
        if (w >= h->vertex_count) {
            return false;
        }
        const apart_vec3 d = ap_sub(ap_hull_local(h, w), ap_hull_local(h, v));
        if (record->dx[k] != d.x || record->dy[k] != d.y || record->dz[k] != d.z) {
            return false;
        }
        if (w != v && (*last == v || (*last != UINT32_MAX && w <= *last))) {
            return false;
        }
        *last = w;
    }
    return true;
}

/* The records of each vertex. Those that continue a record have higher numbers than it, so a chain of them ends. */
static bool check_records(const apart_hull *h)
{
    const ap_hull_vertex *records = ap_hull_records(h);
    const ap_hull_corner *corners = ap_hull_corners(h);
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        uint32_t last = UINT32_MAX, i = v;
        if (corners[v].input != (double)records[v].input ||
            memcmp(corners[v].point, records[v].point, sizeof corners[v].point) != 0) {
            return false;
        }
        do {
            if (!check_record(h, v, &records[i], &last)) {
                return false;
            }
            const uint32_t more = records[i].more;
            if (more != 0 && (more < h->vertex_count || more <= i || more >= h->record_count)) {
                return false;
            }
            i = more;
        } while (i != 0);
    }
    return true;
}

static bool check_table(const apart_hull *h)
{
    const uint32_t *table = ap_at(h, h->table);
    const uint64_t entries = (uint64_t)h->table_resolution * h->table_resolution * AP_CELL_VERTICES;
    for (uint64_t i = 0; i < entries; i++) {
        if (table[i] >= h->vertex_count) {
            return false;
        }
    }
    return true;
}

/* Four planes with unit normals, at finite distances from the centre. */
static bool check_planes(const ap_face_planes *p)
{
    for (uint32_t i = 0; i < AP_LANES; i++) {
        const apart_vec3 n = {p->x[i], p->y[i], p->z[i]};
        if (!(fabs(ap_dot(n, n) - 1.0) < 1e-12) || !isfinite(p->offset[i])) {
            return false;
        }
    }
    return true;
}

/* A face begins with its lowest vertex and its sides are edges; beyond each is another face. */
static bool check_block_face(const apart_hull *h, uint32_t f)
{
    const uint32_t *vertex, n = apart_hull_face(h, f, &vertex);
    const uint32_t *across =
        (const uint32_t *)ap_at(h, h->face_across) + (vertex - (const uint32_t *)ap_at(h, h->face_vertices));
    if (n < 3) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t next = vertex[i + 1 < n ? i + 1 : 0];
        if (vertex[i] >= h->vertex_count || next >= h->vertex_count || vertex[i] < vertex[0] ||
            !in_ring(h, vertex[i], next) || across[i] >= h->face_count || across[i] == f) {
            return false;
        }
    }
    return true;
}

static bool check_faces(const apart_hull *h)
{
    if (h->face_vertex_count != (h->dimension < 2 ? 0 : 2 * h->edge_count) ||
        !is_partition(ap_at(h, h->face_start), h->face_count, h->face_vertex_count)) {
        return false;
    }
    for (uint32_t f = 0; f < h->face_count; f++) {
        if (!check_block_face(h, f)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < ap_hull_plane_groups(h); i++) {
        if (!check_planes(ap_hull_planes(h) + i)) {
            return false;
        }
    }
    const uint32_t *vertex_face = ap_at(h, h->vertex_face);
    for (uint32_t v = 0; v < h->vertex_count; v++) {
        if (vertex_face[v] >= (h->face_count > 0 ? h->face_count : 1)) {
            return false;
        }
    }
    return true;
}

apart_status apart_hull_view(const void *memory, size_t size, const apart_hull **out)
{
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if ((uintptr_t)memory % 8 != 0 || size < sizeof(apart_hull)) {
        return APART_ERR_BLOCK;
    }
    const apart_hull *h = memory;
    if (!ap_hull_check_layout(h, size) || !counts_fit_dimension(h) || !check_coordinates(h) || !check_box(h) ||
        !check_rings(h) || !check_records(h) || !check_table(h) || !check_faces(h)) {
        return APART_ERR_BLOCK;
    }
    *out = h;
    return APART_OK;
}
