/* Which vertices must hill climbing (Cameron 1997 section 3.2, item C5 of docs/papers.md) compare at each vertex, and
 * how much can it miss in rounded arithmetic?
 *
 * Legend: x_i a vertex, e_j = x_j - x_i its edges, u_j = e_j / |e_j|, n the unit direction, x* the true support, u =
 * 2^-53.
 *
 * A stored edge has a relative error of u, its computed dot product with n another 3u |e|. So where a climb stops,
 * n.e_j <= tau |e_j| with tau = 4u for every vertex j that is compared at x_i. Cut the body by the plane through x_i,
 * x* and n. The outline of the cut leaves the faces around x_i whose corners were compared at a point z between two of
 * these corners: z - x_i = a u_1 + b u_2, and a + b <= |z - x_i| / cos(theta / 2) for the angle theta between them. So
 * n.(z - x_i) <= s |z - x_i| with s = tau / cos(theta / 2); the outline is concave, hence n.(x* - x_i) <= s |x* - x_i|
 * to first order. With edges alone, obtuse corners make s large (1 / cos is about 60 somewhere on the hull of 1000
 * random points of a cube). So we differ from Cameron here: where theta is above 141 degrees, the vertex beyond the far
 * side of the face is compared as well.
 *
 * There is one exception: a vertex where the body rises between two nearly level directions, so that n itself is a
 * combination of unit edges with coefficients of sum >= 1 / s. If an axis a has a.u_j >= h for all edges, that sum is
 * at most 1 / h, so a vertex with h > 4s cannot be such a trap. A polygon that is flat only to rounding adds its warp
 * to tau: z is then off the plane of u_1 and u_2 by that much. */
#include "../base/array.h"
#include "sort.h"
#include "surface.h"

/* tau above, in eps: the rounding of an edge and of its dot product. */
static const double tau = 2.0;

/* Corners whose half angle has a smaller cosine get further neighbours; the angle is halved at most this many times. */
static const double least_cosine = 1.0 / 3.0;
static const int halvings = 6;

/* If a polygon beyond an edge has more vertices than this, only a sample of them is tried. */
static const uint32_t far_samples = 32;

/* The warp of larger polygons is not measured. */
static const uint32_t warp_corners = 64;

/* Steps of the search for an axis. Heights up to the least one count as 0; it is well above their rounding. */
static const int axis_steps = 256;
static const double least_height = 0x1p-45;

/* For larger slopes s the derivation above, which is of first order, does not hold. */
static const double largest_slope = 0x1p-20;

typedef struct graph {
    const ap_surface *surface;
    ap_rings edges;       /* neighbours along the edges of the climb polygons */
    uint32_t *polygon_of; /* per corner of the climb polygons */
    ap_keyed *edge; /* the directed edges, from << 32 | to, sorted; with the number of the corner where one begins */
    ap_array arcs;  /* of ap_keyed: compared beyond the neighbours, from << 32 | to */
    double cosine;  /* the smallest cosine of a half angle that is left at any corner */
    bool out_of_memory;
} graph;

/* Consecutive corners of a polygon's outline: from, from + 1, .. from + count - 1 (cyclic). */
typedef struct stretch {
    uint32_t polygon, from, count;
} stretch;

/* ---- flatness ---- */

bool ap_polygon_is_flat(const ap_surface *s, const uint32_t *polygon, uint32_t corners)
{
    const apart_vec3 a = ap_surface_point(s, polygon[0]), b = ap_surface_point(s, polygon[corners / 3]),
                     c = ap_surface_point(s, polygon[2 * corners / 3]);
    for (uint32_t i = 0; i < corners; i++) {
        if (ap_orient3d(a, b, c, ap_surface_point(s, polygon[i])) != 0) {
            return false;
        }
    }
    return true;
}

/* The largest ratio of distance from the plane of corner i to distance from the corner. */
static double corner_warp(const ap_surface *s, const uint32_t *polygon, uint32_t corners, uint32_t i)
{
    const apart_vec3 x = ap_surface_point(s, polygon[i]);
    const apart_vec3 before = ap_surface_point(s, polygon[(i + corners - 1) % corners]);
    const apart_vec3 after = ap_surface_point(s, polygon[(i + 1) % corners]);
    double warp = 0.0;
    for (uint32_t k = 2; k + 1 < corners; k++) {
        const apart_vec3 p = ap_surface_point(s, polygon[(i + k) % corners]);
        warp = ap_max(warp, ap_point_plane(p, before, x, after) / ap_norm(ap_sub(p, x)));
    }
    return warp;
}

double ap_polygon_warp(const ap_surface *surface, const uint32_t *polygon, uint32_t corners)
{
    if (corners <= 3 || ap_polygon_is_flat(surface, polygon, corners)) {
        return 0.0;
    }
    if (corners > warp_corners) {
        return INFINITY;
    }
    double warp = 0.0;
    for (uint32_t i = 0; i < corners; i++) {
        warp = ap_max(warp, corner_warp(surface, polygon, corners, i));
    }
    return warp;
}

/* ---- arcs: from a vertex to another one that is compared there ---- */

static uint32_t polygon_size(const graph *g, uint32_t polygon)
{
    return g->surface->climb.start[polygon + 1] - g->surface->climb.start[polygon];
}

static uint32_t corner(const graph *g, uint32_t polygon, uint32_t i)
{
    const uint32_t start = g->surface->climb.start[polygon];
    return g->surface->climb.vertex[start + i % polygon_size(g, polygon)];
}

static void add_arc(graph *g, uint32_t from, uint32_t to)
{
    if (!ap_array_reserve(&g->arcs, g->surface->cloud->allocator, g->arcs.count + 1)) {
        g->out_of_memory = true;
        return;
    }
    ((ap_keyed *)g->arcs.items)[g->arcs.count++] = (ap_keyed){(uint64_t)from << 32 | to, 0};
}

/* Finds the polygon on the other side of an edge: all of its outline from one end of the edge to the other. False:
 * there is none. */
static bool cross_edge(const graph *g, uint32_t a, uint32_t b, stretch *out)
{
    const uint64_t wanted = (uint64_t)b << 32 | a;
    uint32_t low = g->edges.start[b], high = g->edges.start[b + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->edge[middle].key < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == g->edges.start[b + 1] || g->edge[low].key != wanted) {
        return false;
    }
    const uint32_t at = g->edge[low].value, polygon = g->polygon_of[at], n = polygon_size(g, polygon);
    *out = (stretch){polygon, (at - g->surface->climb.start[polygon] + 1) % n, n};
    return true;
}

/* The unit vector from v to w. */
static apart_vec3 unit_towards(const graph *g, uint32_t v, uint32_t w)
{
    return ap_normalised(ap_sub(ap_surface_point(g->surface, w), ap_surface_point(g->surface, v)));
}

/* The corner strictly inside a stretch that best halves the angle between its ends, seen from v. */
static uint32_t find_halving_corner(const graph *g, uint32_t v, stretch s)
{
    const apart_vec3 first = unit_towards(g, v, corner(g, s.polygon, s.from)),
                     last = unit_towards(g, v, corner(g, s.polygon, s.from + s.count - 1));
    const uint32_t step = 1 + (s.count - 2) / far_samples;
    uint32_t best = 1;
    double best_value = -1.0;
    for (uint32_t i = 1; i + 1 < s.count; i += step) {
        const apart_vec3 u = unit_towards(g, v, corner(g, s.polygon, s.from + i));
        const double value = ap_min(ap_norm(ap_add(first, u)), ap_norm(ap_add(last, u)));
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return best;
}

/* Is the angle at v between a and b certainly neither too wide nor the widest, in plain doubles? The squared cosine of its
 * half, (1 + cos) / 2, is off by a few u. */
static bool is_narrow(const graph *g, uint32_t v, uint32_t a, uint32_t b)
{
    const apart_vec3 x = ap_surface_point(g->surface, v);
    const apart_vec3 e = ap_sub(ap_surface_point(g->surface, a), x), f = ap_sub(ap_surface_point(g->surface, b), x);
    const double dot = ap_dot(e, f), widest = ap_max(g->cosine, least_cosine);
    return 0.5 + 0.5 * (dot / sqrt(ap_dot(e, e) * ap_dot(f, f))) > widest * widest + 0x1p-40;
}

/* Adds arcs until the angles at v between compared vertices are narrow enough. The ends of the stretch are compared
 * already; if the angle between them is too wide, a vertex between them, or beyond the edge that they form, is compared
 * too. */
static void narrow_angle(graph *g, uint32_t v, stretch s, int left)
{
    const uint32_t a = corner(g, s.polygon, s.from), b = corner(g, s.polygon, s.from + s.count - 1);
    const double cosine = 0.5 * ap_norm(ap_add(unit_towards(g, v, a), unit_towards(g, v, b)));
    stretch beyond = s;
    if (cosine >= least_cosine || left == 0 || (s.count == 2 && !cross_edge(g, a, b, &beyond)) || beyond.count < 3) {
        g->cosine = ap_min(g->cosine, cosine);
        return;
    }
    const uint32_t middle = find_halving_corner(g, v, beyond);
    const uint32_t m = corner(g, beyond.polygon, beyond.from + middle);
    if (m == v) {
        g->cosine = ap_min(g->cosine, cosine);
        return;
    }
    add_arc(g, v, m);
    narrow_angle(g, v, (stretch){beyond.polygon, beyond.from, middle + 1}, left - 1);
    narrow_angle(g, v, (stretch){beyond.polygon, beyond.from + middle, beyond.count - middle}, left - 1);
}

/* Lists the arcs that narrow the angles of all corners. */
static void list_arcs(graph *g)
{
    g->cosine = 1.0;
    for (uint32_t f = 0; f < g->surface->climb.count; f++) {
        const uint32_t n = polygon_size(g, f), *vertex = g->surface->climb.vertex + g->surface->climb.start[f];
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t next = i + 1 < n ? i + 1 : 0;
            if (!is_narrow(g, vertex[i], vertex[next], vertex[i > 0 ? i - 1 : n - 1])) {
                narrow_angle(g, vertex[i], (stretch){f, next, n - 1}, halvings);
            }
        }
    }
}

static void list_edges(graph *g, ap_keyed *scratch)
{
    const ap_polygons *p = &g->surface->climb;
    for (uint32_t f = 0; f < p->count; f++) {
        for (uint32_t i = p->start[f]; i < p->start[f + 1]; i++) {
            const uint32_t next = i + 1 < p->start[f + 1] ? i + 1 : p->start[f];
            g->edge[i] = (ap_keyed){(uint64_t)p->vertex[i] << 32 | p->vertex[next], i};
            g->polygon_of[i] = f;
        }
    }
    ap_sort_keyed(g->edge, scratch, p->start[p->count]);
}

/* Merges the edges with the sorted arcs, each once, into rings. */
static void merge_rings(const graph *g, ap_rings *rings)
{
    const ap_keyed *const arcs = g->arcs.items;
    uint32_t count = 0, next = 0;
    for (uint32_t v = 0; v < g->surface->vertex_count; v++) {
        rings->start[v] = count;
        for (uint32_t i = g->edges.start[v]; i <= g->edges.start[v + 1]; i++) {
            const uint64_t edge = (uint64_t)v << 32 | (i < g->edges.start[v + 1] ? g->edges.ring[i] : AP_NONE);
            for (; next < g->arcs.count && arcs[next].key <= edge; next++) {
                const uint32_t to = (uint32_t)arcs[next].key;
                if (arcs[next].key < edge && (count == rings->start[v] || rings->ring[count - 1] != to)) {
                    rings->ring[count++] = to;
                }
            }
            if (i < g->edges.start[v + 1]) {
                rings->ring[count++] = g->edges.ring[i];
            }
        }
    }
    rings->start[g->surface->vertex_count] = count;
}

/* ---- loss ---- */

/* The unit vector of the arc at v that rises least along an axis, and how much it rises. */
static apart_vec3 lowest_arc(const graph *g, const ap_rings *rings, uint32_t v, apart_vec3 axis, double *height)
{
    apart_vec3 lowest = axis;
    *height = INFINITY;
    for (uint32_t i = rings->start[v]; i < rings->start[v + 1]; i++) {
        const apart_vec3 u = unit_towards(g, v, rings->ring[i]);
        const double h = ap_dot(axis, u);
        if (h < *height) {
            *height = h;
            lowest = u;
        }
    }
    return lowest;
}

/* Is there an axis along which all arcs of a vertex rise by more than h? Tried are the given one and those that
 * Gilbert's iteration (1966) for the point of the unit arcs' hull nearest to the vertex visits. */
static bool is_pointed(const graph *g, const ap_rings *rings, uint32_t v, apart_vec3 axis, double h)
{
    double height;
    apart_vec3 nearest = lowest_arc(g, rings, v, ap_normalised(axis), &height);
    for (int step = 0; step < axis_steps && height <= h; step++) {
        const apart_vec3 u = lowest_arc(g, rings, v, ap_normalised(nearest), &height);
        const apart_vec3 e = ap_sub(u, nearest);
        const double ee = ap_dot(e, e), t = ee > 0.0 ? -ap_dot(nearest, e) / ee : 0.0;
        nearest = ap_add(nearest, ap_scale(ap_min(ap_max(t, 0.0), 1.0), e));
    }
    return height > h;
}

/* The sum of the inward normals of the corners at each vertex: accurate ones, or in plain doubles. */
static void sum_normals(const graph *g, bool accurate, apart_vec3 *inwards)
{
    for (uint32_t v = 0; v < g->surface->vertex_count; v++) {
        inwards[v] = ap_vec(0.0, 0.0, 0.0);
    }
    for (uint32_t f = 0; f < g->surface->climb.count; f++) {
        const uint32_t n = polygon_size(g, f), *vertex = g->surface->climb.vertex + g->surface->climb.start[f];
        apart_vec3 normal = {0.0, 0.0, 0.0};
        for (uint32_t i = 0; i < n; i++) {
            const apart_vec3 p = ap_surface_point(g->surface, vertex[i > 0 ? i - 1 : n - 1]);
            const apart_vec3 x = ap_surface_point(g->surface, vertex[i]);
            const apart_vec3 q = ap_surface_point(g->surface, vertex[i + 1 < n ? i + 1 : 0]);
            if (accurate) {
                normal = ap_triangle_normal(p, x, q);
            } else if (i == 0) {
                normal = ap_normalised(ap_cross(ap_sub(x, p), ap_sub(q, p)));
            }
            inwards[vertex[i]] = ap_sub(inwards[vertex[i]], normal);
        }
    }
}

/* Do all arcs of a vertex certainly rise by more than h along an axis? In plain doubles, which are off by far less than h
 * is from 2h. */
static bool rises_along(const graph *g, const ap_rings *rings, uint32_t v, apart_vec3 axis, double h)
{
    const apart_vec3 x = ap_surface_point(g->surface, v);
    const double least = 4.0 * h * h * ap_dot(axis, axis);
    for (uint32_t i = rings->start[v]; i < rings->start[v + 1]; i++) {
        const apart_vec3 e = ap_sub(ap_surface_point(g->surface, rings->ring[i]), x);
        const double rise = ap_dot(axis, e);
        if (!(rise > 0.0 && rise * rise > least * ap_dot(e, e))) {
            return false;
        }
    }
    return true;
}

/* Is every vertex pointed? */
static bool are_pointed(const graph *g, const ap_rings *rings, apart_vec3 *inwards, double h)
{
    bool accurate = false;
    sum_normals(g, false, inwards);
    for (uint32_t v = 0; v < g->surface->vertex_count; v++) {
        if (rises_along(g, rings, v, inwards[v], h)) {
            continue;
        }
        if (!accurate) {
            sum_normals(g, true, inwards);
            accurate = true;
        }
        if (!is_pointed(g, rings, v, inwards[v], h)) {
            return false;
        }
    }
    return true;
}

/* What a climb can miss, in units of eps * bound * |direction|: slope times twice the size. INFINITY if a vertex may be
 * a trap. */
static double find_climb_loss(const graph *g, const ap_rings *rings, apart_vec3 *inwards)
{
    const ap_surface *s = g->surface;
    double farthest = 0.0, warp = 0.0;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        farthest = ap_max(farthest, ap_norm(ap_surface_point(s, v)));
    }
    for (uint32_t f = 0; f < s->climb.count; f++) {
        warp = ap_max(warp, ap_polygon_warp(s, s->climb.vertex + s->climb.start[f], polygon_size(g, f)));
    }
    const double slope = (tau + warp / AP_EPS) / ap_max(g->cosine - AP_EPS, AP_EPS);
    if (!(slope * AP_EPS <= largest_slope)) {
        return INFINITY;
    }
    const double needed = ap_max(4.0 * slope * AP_EPS, least_height);
    if (s->dimension == 3 && !are_pointed(g, rings, inwards, needed)) {
        return INFINITY;
    }
    return s->dimension > 0 ? slope * 2.0 * ap_min(s->cloud->size, farthest) / farthest : 0.0;
}

/* ---- the whole graph ---- */

static bool make_graph(graph *g, ap_keyed *scratch, ap_rings *rings)
{
    const apart_allocator *a = g->surface->cloud->allocator;
    list_edges(g, scratch);
    list_arcs(g);
    const size_t arcs = g->arcs.count;
    ap_keyed *more = ap_allocate(a, arcs, sizeof *more);
    rings->start = ap_allocate(a, g->surface->vertex_count + 1u, sizeof *rings->start);
    rings->ring = ap_allocate(a, g->edges.start[g->surface->vertex_count] + arcs, sizeof *rings->ring);
    const bool ready = more != NULL && rings->start != NULL && rings->ring != NULL && !g->out_of_memory;
    if (ready) {
        ap_sort_keyed(g->arcs.items, more, arcs);
        merge_rings(g, rings);
    }
    ap_release(a, more);
    return ready;
}

apart_status ap_climb_graph(const ap_surface *surface, ap_rings *rings, double *loss)
{
    const apart_allocator *a = surface->cloud->allocator;
    const uint32_t corners = surface->climb.start[surface->climb.count];
    graph g = {.surface = surface, .arcs = {.size = sizeof(ap_keyed)}};
    g.polygon_of = ap_allocate(a, corners, sizeof *g.polygon_of);
    g.edge = ap_allocate(a, corners, sizeof *g.edge);
    ap_keyed *scratch = ap_allocate(a, corners, sizeof *scratch);
    apart_vec3 *inwards = ap_allocate(a, surface->vertex_count, sizeof *inwards);
    const bool ready = g.polygon_of != NULL && g.edge != NULL && scratch != NULL && inwards != NULL &&
                       ap_edge_rings(surface, &surface->climb, &g.edges) == APART_OK && make_graph(&g, scratch, rings);
    if (ready) {
        *loss = find_climb_loss(&g, rings, inwards);
    }
    ap_array_free(&g.arcs, a);
    void *const used[] = {g.polygon_of, g.edge, scratch, inwards, g.edges.start, g.edges.ring};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        ap_release(a, used[i]);
    }
    return ready ? APART_OK : APART_ERR_MEMORY;
}
