/* The surface of the depth search in n dimensions (depth_surface.h has its invariant). Planes are computed in
 * double-double arithmetic.
 *
 * Source: the expanding polytope (van den Bergen 2001); a point replaces the facets it sees, as in the beneath-beyond
 * construction of convex hulls (Gruenbaum 1961). We differ in that neither convexity nor adjacency is relied on, and in
 * the start: an infinitely small simplex around the origin, whose corners are replaced by points of the Minkowski
 * difference one after the other, as artificial variables leave the basis in linear programming. A facet that still has
 * such a corner is called provisional. */
#include <string.h>

#include "depth_surface.h"

/* How many facets are tried as the one that a ray meets alone. */
#define PROOF_ATTEMPTS 8

/* The equations w_j.y = rhs_j for the vertices w_j of a facet, factored with row exchanges. */
typedef struct equations {
    size_t dim;
    ap_dd lu[AP_ND_DEPTH_DIM][AP_ND_DEPTH_DIM];
    size_t row[AP_ND_DEPTH_DIM];
} equations;

/* The number of the i-th vertex of a facet. */
static uint32_t facet_vertex(size_t dim, uint64_t vertices, size_t i)
{
    return (uint32_t)(vertices >> (AP_ND_SLOT_BITS * (dim - 1 - i))) & (AP_ND_SURFACE_VERTICES - 1);
}

/* Has the facet a corner of the start simplex? Those have the lowest numbers, and the vertices are sorted. */
static bool is_provisional(size_t dim, uint64_t vertices) { return facet_vertex(dim, vertices, 0) <= dim; }

/* A coordinate of a vertex. The corners of the start simplex are the unit vectors of the axes and their negative
 * sum. */
static ap_dd vertex_coordinate(const ap_nd_surface *s, uint32_t vertex, size_t k)
{
    const size_t dim = s->pair->dim;
    if (vertex <= dim) {
        return ap_dd_from(vertex == dim ? -1.0 : vertex == k ? 1.0 : 0.0);
    }
    return ap_nd_w_exact(s->pair, s->index_a[vertex], s->index_b[vertex], k);
}

static void load_vertex(const ap_nd_surface *s, uint32_t vertex, double *w)
{
    for (size_t k = 0; k < s->pair->dim; k++) {
        w[k] = vertex_coordinate(s, vertex, k).hi;
    }
}

static void exchange_rows(equations *e, size_t i, size_t j)
{
    ap_dd kept[AP_ND_DEPTH_DIM];
    const size_t row = e->row[i];
    memcpy(kept, e->lu[i], sizeof kept);
    memcpy(e->lu[i], e->lu[j], sizeof kept);
    memcpy(e->lu[j], kept, sizeof kept);
    e->row[i] = e->row[j];
    e->row[j] = row;
}

/* Gaussian elimination with row exchanges. A pivot that vanishes is replaced by a tiny number, which moves a vertex by
 * far less than rounding. */
static void factor_rows(equations *e)
{
    for (size_t c = 0; c < e->dim; c++) {
        size_t pivot = c;
        for (size_t i = c + 1; i < e->dim; i++) {
            pivot = fabs(e->lu[i][c].hi) > fabs(e->lu[pivot][c].hi) ? i : pivot;
        }
        if (pivot != c) {
            exchange_rows(e, c, pivot);
        }
        if (!(fabs(e->lu[c][c].hi) > 0x1p-100)) {
            e->lu[c][c] = ap_dd_from(0x1p-100);
        }
        for (size_t i = c + 1; i < e->dim; i++) {
            const ap_dd ratio = ap_dd_div(e->lu[i][c], e->lu[c][c]);
            e->lu[i][c] = ratio;
            for (size_t k = c + 1; k < e->dim; k++) {
                e->lu[i][k] = ap_dd_sub(e->lu[i][k], ap_dd_mul(ratio, e->lu[c][k]));
            }
        }
    }
}

static void load_equations(const ap_nd_surface *s, uint64_t vertices, equations *e)
{
    e->dim = s->pair->dim;
    for (size_t j = 0; j < e->dim; j++) {
        e->row[j] = j;
        for (size_t k = 0; k < e->dim; k++) {
            e->lu[j][k] = vertex_coordinate(s, facet_vertex(e->dim, vertices, j), k);
        }
    }
    factor_rows(e);
}

/* Finds y with w_j.y = rhs_j. */
static void solve_equations(const equations *e, const double *rhs, ap_dd *y)
{
    for (size_t i = 0; i < e->dim; i++) {
        y[i] = ap_dd_from(rhs[e->row[i]]);
        for (size_t k = 0; k < i; k++) {
            y[i] = ap_dd_sub(y[i], ap_dd_mul(e->lu[i][k], y[k]));
        }
    }
    for (size_t i = e->dim; i-- > 0;) {
        for (size_t k = i + 1; k < e->dim; k++) {
            y[i] = ap_dd_sub(y[i], ap_dd_mul(e->lu[i][k], y[k]));
        }
        y[i] = ap_dd_div(y[i], e->lu[i][i]);
    }
}

/* Finds y with w_i.y = 1 and w_j.y = 0 for the other vertices: the normal, towards vertex i, of the plane through the
 * origin and the other vertices. */
static void solve_side(const equations *e, size_t i, ap_dd *y)
{
    double rhs[AP_ND_DEPTH_DIM] = {0.0};
    rhs[i] = 1.0;
    solve_equations(e, rhs, y);
}

/* Writes y / |y|, rounded to doubles. */
static void write_unit(size_t dim, const ap_dd *y, double *out)
{
    for (size_t k = 0; k < dim; k++) {
        out[k] = ap_dd_value(y[k]);
    }
    ap_nd_normalise(dim, out, NULL);
}

/* Finds y with w.y = at_corners for those vertices w that are corners of the start simplex, and w.y = at_points for the
 * others. */
static void solve_facet_plane(const ap_nd_surface *s, uint64_t vertices, double at_corners, double at_points, ap_dd *y)
{
    const size_t dim = s->pair->dim;
    double rhs[AP_ND_DEPTH_DIM] = {0.0};
    equations e;
    for (size_t j = 0; j < dim; j++) {
        rhs[j] = facet_vertex(dim, vertices, j) <= dim ? at_corners : at_points;
    }
    load_equations(s, vertices, &e);
    solve_equations(&e, rhs, y);
}

/* Sets the normal and the distance of a facet. If some of its corners are infinitely small, its plane w.y = 1 has y = M
 * y1 + y2 with an infinite M: y1.w is 1 at those corners and 0 at the other vertices, y2.w is 0 and 1. So y1 is the
 * normal, and the distance is 0. */
static void set_plane(const ap_nd_surface *s, ap_nd_facet *facet)
{
    const size_t dim = s->pair->dim;
    const bool provisional = is_provisional(dim, facet->vertices);
    double w[AP_ND_DEPTH_DIM];
    ap_dd y[AP_ND_DEPTH_DIM];
    solve_facet_plane(s, facet->vertices, 1.0, provisional ? 0.0 : 1.0, y);
    write_unit(dim, y, facet->normal);
    facet->distance = provisional ? 0.0 : INFINITY;
    for (size_t j = 0; j < dim && !provisional; j++) {
        load_vertex(s, facet_vertex(dim, facet->vertices, j), w);
        facet->distance = ap_min(facet->distance, ap_nd_dot(dim, facet->normal, w));
    }
}

void ap_nd_surface_start(ap_nd_surface *s)
{
    const size_t dim = s->pair->dim;
    s->count = 0;
    s->vertex_count = (uint32_t)dim + 1;
    s->proved = false;
    for (uint32_t without = 0; without <= dim; without++) {
        ap_nd_facet *facet = &s->facet[s->count++];
        facet->vertices = 0;
        for (uint32_t v = 0; v <= dim; v++) {
            facet->vertices = v == without ? facet->vertices : facet->vertices << AP_ND_SLOT_BITS | v;
        }
        set_plane(s, facet);
    }
}

const ap_nd_facet *ap_nd_surface_nearest(const ap_nd_surface *s)
{
    const ap_nd_facet *nearest = s->facet;
    for (size_t i = 1; i < s->count; i++) {
        nearest = s->facet[i].distance < nearest->distance ? &s->facet[i] : nearest;
    }
    return nearest;
}

/* Is p above the facet by more than rounding? If p is in the plane of y1 (see set_plane), y2 decides. */
static bool is_above(const ap_nd_surface *s, const ap_nd_facet *facet, const double *p)
{
    const size_t dim = s->pair->dim;
    const double margin = 0.5 * ap_nd_noise(s->pair), height = ap_nd_dot(dim, facet->normal, p) - facet->distance;
    if (height > margin || height < -margin || !is_provisional(dim, facet->vertices)) {
        return height > margin;
    }
    ap_dd y[AP_ND_DEPTH_DIM];
    double unit[AP_ND_DEPTH_DIM], plane = 0.0, w[AP_ND_DEPTH_DIM];
    solve_facet_plane(s, facet->vertices, 0.0, 1.0, y);
    write_unit(dim, y, unit);
    for (size_t j = 0; j < dim; j++) {
        load_vertex(s, facet_vertex(dim, facet->vertices, j), w);
        plane = ap_max(plane, ap_nd_dot(dim, unit, w));
    }
    return ap_nd_dot(dim, unit, p) - plane > margin;
}

/* Reorders the facets so that those p is above come last; returns how many stay. */
static size_t move_visible_last(ap_nd_surface *s, const double *p)
{
    size_t stay = 0, end = s->count;
    while (stay < end) {
        const ap_nd_facet facet = s->facet[stay];
        if (!is_above(s, &facet, p)) {
            stay++;
        } else {
            s->facet[stay] = s->facet[--end];
            s->facet[end] = facet;
        }
    }
    return stay;
}

/* The vertices of a facet without the k-th from the last: a ridge. */
static uint64_t without_vertex(uint64_t vertices, size_t k)
{
    const unsigned place = AP_ND_SLOT_BITS * (unsigned)k;
    const uint64_t below = vertices & (((uint64_t)1 << place) - 1);
    return vertices >> place >> AP_ND_SLOT_BITS << place | below;
}

/* Shell's sort: in place, without recursion. */
static void sort_keys(uint64_t *key, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t i = gap; i < count; i++) {
            const uint64_t x = key[i];
            size_t j = i;
            for (; j >= gap && key[j - gap] > x; j -= gap) {
                key[j] = key[j - gap];
            }
            key[j] = x;
        }
    }
}

/* Keeps one of each key that occurs an odd number of times; returns how many. */
static size_t keep_odd(uint64_t *key, size_t count)
{
    size_t kept = 0;
    sort_keys(key, count);
    for (size_t i = 0; i < count;) {
        size_t j = i;
        while (j < count && key[j] == key[i]) {
            j++;
        }
        key[kept] = key[i];
        kept += (j - i) % 2;
        i = j;
    }
    return kept;
}

/* Collects the ridges that belong to an odd number of the facets from `first` on. False: there is no memory for as many
 * new facets. */
static bool collect_horizon(ap_nd_surface *s, size_t first, size_t *count)
{
    const size_t dim = s->pair->dim;
    *count = 0;
    if (s->count - first > s->capacity / dim) {
        return false;
    }
    for (size_t i = first; i < s->count; i++) {
        for (size_t k = 0; k < dim; k++) {
            s->ridge[(*count)++] = without_vertex(s->facet[i].vertices, k);
        }
    }
    *count = keep_odd(s->ridge, *count);
    return first + *count <= s->capacity;
}

bool ap_nd_surface_insert(ap_nd_surface *s, uint32_t index_a, uint32_t index_b)
{
    const uint32_t vertex = s->vertex_count;
    const double noise = ap_nd_noise(s->pair);
    double p[AP_ND_DEPTH_DIM];
    size_t horizon;
    if (vertex == AP_ND_SURFACE_VERTICES) {
        return false;
    }
    s->index_a[vertex] = index_a;
    s->index_b[vertex] = index_b;
    load_vertex(s, vertex, p);
    const size_t stay = move_visible_last(s, p);
    if (!collect_horizon(s, stay, &horizon)) {
        return false;
    }
    /* If a removed facet is not farther from the origin than rounding, the simplex (facet, p) may contain the
     * origin. */
    for (size_t i = stay; i < s->count; i++) {
        s->proved = s->proved && s->facet[i].distance > noise;
    }
    s->vertex_count++;
    s->count = stay;
    for (size_t i = 0; i < horizon; i++) {
        ap_nd_facet *facet = &s->facet[s->count++];
        facet->vertices = s->ridge[i] << AP_ND_SLOT_BITS | vertex;
        set_plane(s, facet);
    }
    return true;
}

/* Does the ray along x miss the facet in spite of rounding? If x = sum x_j w_j with x_j >= 0, then normal.x >= distance
 * sum x_j. So if z.w_j >= -rest for all vertices, z.x >= -rest normal.x / distance: any z that violates this proves a
 * miss. Tried are the normals of the planes through the origin and all vertices but one. */
static bool ray_misses(const ap_nd_surface *s, const ap_nd_facet *facet, const double *x)
{
    const size_t dim = s->pair->dim;
    const double noise = ap_nd_noise(s->pair);
    const double sum = (ap_nd_dot(dim, facet->normal, x) + noise) / (facet->distance - noise);
    equations e;
    ap_count_div(1);
    if (sum < 0.0) {
        return true;
    }
    load_equations(s, facet->vertices, &e);
    for (size_t i = 0; i < dim; i++) {
        ap_dd y[AP_ND_DEPTH_DIM];
        double z[AP_ND_DEPTH_DIM], w[AP_ND_DEPTH_DIM];
        double rest = 0.0;
        solve_side(&e, i, y);
        write_unit(dim, y, z);
        for (size_t j = 0; j < dim; j++) {
            load_vertex(s, facet_vertex(dim, facet->vertices, j), w);
            rest = ap_max(rest, -ap_nd_dot(dim, z, w));
        }
        ap_count_mul(1);
        if (ap_nd_dot(dim, z, x) + noise < -(rest + noise) * sum) {
            return true;
        }
    }
    return false;
}

/* The centroid of a facet. False: the facet is so thin that rounding could turn it over. */
static bool find_middle(const ap_nd_surface *s, const ap_nd_facet *facet, double *x)
{
    const size_t dim = s->pair->dim;
    equations e;
    memset(x, 0, dim * sizeof *x);
    load_equations(s, facet->vertices, &e);
    for (size_t i = 0; i < dim; i++) {
        ap_dd y[AP_ND_DEPTH_DIM];
        double z[AP_ND_DEPTH_DIM], w[AP_ND_DEPTH_DIM];
        solve_side(&e, i, y);
        write_unit(dim, y, z);
        load_vertex(s, facet_vertex(dim, facet->vertices, i), w);
        if (ap_nd_dot(dim, z, w) <= 4.0 * ap_nd_noise(s->pair)) {
            return false;
        }
        for (size_t k = 0; k < dim; k++) {
            ap_count_div(1);
            x[k] += w[k] / (double)dim;
        }
    }
    return true;
}

/* Does the ray through the centroid of this facet meet no other? */
static bool ray_meets_only(const ap_nd_surface *s, size_t chosen)
{
    double x[AP_ND_DEPTH_DIM];
    if (!find_middle(s, &s->facet[chosen], x)) {
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (i != chosen && !ray_misses(s, &s->facet[i], x)) {
            return false;
        }
    }
    return true;
}

void ap_nd_surface_prove(ap_nd_surface *s)
{
    for (size_t i = 0; i < s->count && i < PROOF_ATTEMPTS && !s->proved; i++) {
        s->proved = ray_meets_only(s, i);
    }
}

/* The weights x_j of d = sum x_j w_j over the vertices of a facet. Returns the smallest height of d above a plane
 * through the origin and all vertices but one; it is negative if the ray along d misses the facet. */
static double find_ray_weights(const ap_nd_surface *s, uint64_t vertices, const double *d, double *weight)
{
    const size_t dim = s->pair->dim;
    double least = INFINITY;
    equations e;
    load_equations(s, vertices, &e);
    for (size_t i = 0; i < dim; i++) {
        ap_dd y[AP_ND_DEPTH_DIM], sum = ap_dd_from(0.0);
        double square = 0.0;
        solve_side(&e, i, y);
        for (size_t k = 0; k < dim; k++) {
            sum = ap_dd_add(sum, ap_dd_mul(y[k], ap_dd_from(d[k])));
            square += y[k].hi * y[k].hi;
        }
        weight[i] = ap_dd_value(sum);
        ap_count_div(2);
        least = ap_min(least, weight[i] / sqrt(square));
    }
    return least;
}

/* Writes the vertices whose weights are not negligible, with weights of sum 1. Returns the distance of the point. */
static double write_weights(const ap_nd_surface *s, uint64_t vertices, const double *weight, ap_nd_simplex *out)
{
    const size_t dim = s->pair->dim;
    double sum = 0.0, kept = 0.0;
    for (size_t i = 0; i < dim; i++) {
        sum += ap_max(weight[i], 0.0);
    }
    out->count = 0;
    for (size_t i = 0; i < dim; i++) {
        ap_count_mul(1);
        if (weight[i] > AP_ND_U * sum) {
            const uint32_t vertex = facet_vertex(dim, vertices, i);
            ap_nd_append(out, s->index_a[vertex], s->index_b[vertex], weight[i]);
            kept += weight[i];
        }
    }
    for (size_t i = 0; i < out->count; i++) {
        ap_count_div(1);
        out->lambda[i] /= kept;
    }
    ap_count_div(1);
    return out->count > 0 ? 1.0 / kept : 0.0;
}

double ap_nd_surface_locate(const ap_nd_surface *s, const double *d, double most, ap_nd_simplex *out)
{
    const size_t dim = s->pair->dim;
    const double noise = ap_nd_noise(s->pair);
    double best = -INFINITY, weight[AP_ND_DEPTH_DIM], chosen[AP_ND_DEPTH_DIM];
    uint64_t vertices = 0;
    for (size_t i = 0; i < s->count; i++) {
        const ap_nd_facet *facet = &s->facet[i];
        const double along = ap_nd_dot(dim, facet->normal, d);
        ap_count_mul(1);
        /* The ray meets the plane at distance / along. */
        if (is_provisional(dim, facet->vertices) || most * along < facet->distance - noise) {
            continue;
        }
        const double least = find_ray_weights(s, facet->vertices, d, weight);
        if (least > best) {
            best = least;
            vertices = facet->vertices;
            memcpy(chosen, weight, sizeof chosen);
        }
    }
    out->count = 0;
    return best > -INFINITY ? write_weights(s, vertices, chosen, out) : 0.0;
}
