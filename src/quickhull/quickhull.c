/* Quickhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996) in three
 * dimensions.
 *
 * We differ in two points. Whether a point is above a facet is decided exactly: so the surface is closed and convex at
 * every step, whatever the input, coplanar points included, and never needs to be merged or repaired. A point exactly
 * in the plane of a facet does not see it, so a new facet is never flat. And points within a tolerance of the body are
 * left out; the tolerance is compared with the distance from the body, not with the height above a plane, which says
 * little at a sharp edge. As the body only grows, that distance stays an upper bound. */
#include "quickhull.h"

#include <string.h>

/* ---- affine basis ---- */

/* The point, line or plane through the basis points that are known. */
typedef struct span {
    int dimension;
    apart_vec3 origin;
    ap_dd3 along;    /* the line's direction, or the plane's normal */
    double length;   /* of it */
    apart_vec3 unit; /* along / length */
    double unsure;   /* rough distances of points of the set are off by less */
} span;

static span make_span(const ap_cloud *cloud, const uint32_t basis[4], int dimension)
{
    const apart_vec3 *p = cloud->point;
    span s = {.dimension = dimension, .origin = p[basis[0]]};
    if (dimension > 0) {
        const ap_dd3 e = ap_dd3_difference(p[basis[1]], s.origin);
        s.along = dimension == 1 ? e : ap_dd3_cross(e, ap_dd3_difference(p[basis[2]], s.origin));
        s.length = ap_norm(ap_dd3_value(s.along));
        s.unit = ap_scale(1.0 / s.length, ap_dd3_value(s.along));
    }
    /* Points are at most 2 * size apart. The unit vector is off by 3u, the product with a difference by 8u of its
     * length: 22u * size, with what the other distance is off less than 32u. */
    s.unsure = 16.0 * AP_EPS * cloud->size;
    return s;
}

/* The distance of p in plain doubles. */
static double rough_distance(const span *s, apart_vec3 p)
{
    const apart_vec3 d = ap_sub(p, s->origin);
    return s->dimension == 1 ? ap_norm(ap_cross(s->unit, d)) : fabs(ap_dot(s->unit, d));
}

static double span_distance(const span *s, apart_vec3 p)
{
    if (s->dimension == 0) {
        return ap_norm(ap_sub(p, s->origin));
    }
    const ap_dd3 d = ap_dd3_difference(p, s->origin);
    return (s->dimension == 1 ? ap_norm(ap_dd3_value(ap_dd3_cross(s->along, d)))
                              : fabs(ap_dd_value(ap_dd3_dot(s->along, d)))) /
           s->length;
}

/* The first of the points farthest from the span of the basis points 0 .. dimension. */
static uint32_t farthest_from_span(const ap_cloud *cloud, const uint8_t *use, const uint32_t basis[4], int dimension,
                                   double *distance)
{
    const span s = make_span(cloud, basis, dimension);
    uint32_t best = basis[0];
    *distance = 0.0;
    for (uint32_t i = 0; i < cloud->count; i++) {
        if (use[i] == AP_POINT_SKIP || (dimension > 0 && rough_distance(&s, cloud->point[i]) + s.unsure < *distance)) {
            continue;
        }
        const double d = span_distance(&s, cloud->point[i]);
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

int ap_affine_basis(const ap_cloud *cloud, const uint8_t *use, double tolerance, uint32_t basis[4])
{
    uint32_t first = 0;
    while (first < cloud->count && use[first] == AP_POINT_SKIP) {
        first++;
    }
    for (uint32_t i = first + 1; i < cloud->count; i++) {
        if (use[i] != AP_POINT_SKIP && cloud->point[i].x < cloud->point[first].x) {
            first = i;
        }
    }
    for (int k = 0; k < 4; k++) {
        basis[k] = first;
    }
    int dimension = 0;
    for (int k = 0; k < 3; k++) {
        double distance;
        basis[k + 1] = farthest_from_span(cloud, use, basis, k, &distance);
        if (distance == 0.0) {
            break;
        }
        if (k == 0 || (dimension == k && distance > tolerance)) {
            dimension = k + 1;
        }
    }
    return dimension;
}

/* ---- facets ---- */

static bool reserve_facets(ap_mesh *mesh, uint32_t more)
{
    const uint64_t wanted = (uint64_t)mesh->facet_count + more;
    if (wanted <= mesh->capacity) {
        return true;
    }
    const apart_allocator *allocator = mesh->cloud->allocator;
    const uint64_t capacity = 2 * wanted < 64 ? 64 : 2 * wanted;
    ap_facet *facet = capacity < AP_NONE ? ap_allocate(allocator, (size_t)capacity, sizeof *facet) : NULL;
    uint32_t *visible = facet != NULL ? ap_allocate(allocator, (size_t)capacity, sizeof *visible) : NULL;
    if (visible == NULL) {
        ap_release(allocator, facet);
        return false;
    }
    if (mesh->facet_count > 0) {
        memcpy(facet, mesh->facet, mesh->facet_count * sizeof *facet);
        memcpy(visible, mesh->visible, mesh->facet_count * sizeof *visible);
    }
    ap_release(allocator, mesh->facet);
    ap_release(allocator, mesh->visible);
    mesh->facet = facet;
    mesh->visible = visible;
    mesh->capacity = (uint32_t)capacity;
    return true;
}

/* A facet whose edges' product is longer than its normal by more than this has no plane in plain doubles. */
static const double slender = 0x1p20;

apart_vec3 ap_facet_normal(const ap_mesh *mesh, const ap_facet *facet)
{
    const apart_vec3 *p = mesh->cloud->point;
    return ap_triangle_normal(p[facet->vertex[0]], p[facet->vertex[1]], p[facet->vertex[2]]);
}

/* Sets the normal and its margin. With the edges e and f from a corner, n = e x f, w = p - corner and u = 2^-53, the
 * computed n is off by at most 7.1 u |e| |f| (4u for each of its products, which are at most sqrt(2) |e| |f| together),
 * and n.w by 5u |n| |w| more. So the height n.w / |n| is off by at most 17 u |w| |e| |f| / |n|, where |w| <= 2 * size;
 * what is left of the margin is more than the error of a height by ap_facet_normal. */
static void set_plane(const ap_mesh *mesh, ap_facet *facet)
{
    const apart_vec3 *p = mesh->cloud->point, corner = p[facet->vertex[2]];
    const apart_vec3 e = ap_sub(p[facet->vertex[0]], corner), f = ap_sub(p[facet->vertex[1]], corner);
    const apart_vec3 n = ap_cross(e, f);
    const double square = ap_dot(n, n), lengths = 0.5 * (ap_dot(e, e) + ap_dot(f, f)); /* >= |e| |f| */
    if (lengths * lengths < slender * slender * square) {
        const double scale = 1.0 / sqrt(square);
        facet->normal = ap_scale(scale, n);
        facet->margin = 64.0 * 0x1p-53 * mesh->cloud->size * (lengths * scale);
    } else {
        facet->normal = ap_facet_normal(mesh, facet);
        facet->margin = INFINITY;
    }
}

static uint32_t add_facet(ap_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    ap_facet *f = &mesh->facet[mesh->facet_count];
    f->vertex[0] = a;
    f->vertex[1] = b;
    f->vertex[2] = c;
    f->across[0] = f->across[1] = f->across[2] = f->outside = f->highest = AP_NONE;
    f->stamp = f->has_near = 0;
    f->top = -INFINITY;
    set_plane(mesh, f);
    return mesh->facet_count++;
}

/* Is p above the plane of a facet, given its height? */
static bool is_above(const ap_mesh *mesh, const ap_facet *f, apart_vec3 p, double height)
{
    if (fabs(height) > f->margin) {
        return height > 0.0;
    }
    const apart_vec3 *point = mesh->cloud->point;
    return ap_orient3d(point[f->vertex[0]], point[f->vertex[1]], point[f->vertex[2]], p) > 0;
}

static bool sees(const ap_mesh *mesh, const ap_facet *f, apart_vec3 p)
{
    return is_above(mesh, f, p, ap_facet_height(mesh, f, p));
}

static double facet_distance(const ap_mesh *mesh, const ap_facet *f, apart_vec3 p)
{
    const apart_vec3 *point = mesh->cloud->point;
    return ap_point_triangle(p, point[f->vertex[0]], point[f->vertex[1]], point[f->vertex[2]]);
}

/* Points above a facet by more than this many tolerances are certainly farther than one from the body: the body lies
 * below the facet's plane but for the rounding of its heights. */
static const double CERTAINLY_FAR = 4.0;

/* The quick test by a height whose error is at most the facet's margin. */
static bool may_be_near(const ap_mesh *mesh, const ap_facet *f, double height)
{
    return height <= CERTAINLY_FAR * mesh->tolerance + f->margin;
}

/* Must the distance from the body of a point in the facet's list be measured? The same test with the accurate normal. */
static bool is_low(const ap_mesh *mesh, const ap_facet *f, uint32_t i)
{
    const apart_vec3 *p = mesh->cloud->point;
    return may_be_near(mesh, f, mesh->height[i]) &&
           ap_dot(ap_facet_normal(mesh, f), ap_sub(p[i], p[f->vertex[0]])) <= CERTAINLY_FAR * mesh->tolerance;
}

static void note_height(ap_facet *f, uint32_t i, double height)
{
    if (height > f->top || (height == f->top && i < f->highest)) {
        f->top = height;
        f->highest = i;
    }
}

/* Adds a point to the list of the first facet from number `from` on that it sees; a point that sees none is inside and
 * dropped. */
static void assign_point(ap_mesh *mesh, uint32_t from, uint32_t i)
{
    const apart_vec3 p = mesh->cloud->point[i];
    for (uint32_t k = from; k < mesh->facet_count; k++) {
        ap_facet *f = &mesh->facet[k];
        const double height = ap_facet_height(mesh, f, p);
        if (is_above(mesh, f, p, height)) {
            mesh->next[i] = f->outside;
            mesh->height[i] = height;
            f->outside = i;
            f->has_near |= may_be_near(mesh, f, height);
            note_height(f, i, height);
            return;
        }
    }
}

/* Finds the corners of a tetrahedron, b[3] exactly below the plane of the others; false if all points lie in one
 * plane. */
static bool find_tetrahedron(const ap_cloud *cloud, const uint8_t *use, uint32_t b[4])
{
    const apart_vec3 *p = cloud->point;
    ap_affine_basis(cloud, use, 0.0, b);
    int side = ap_orient3d(p[b[0]], p[b[1]], p[b[2]], p[b[3]]);
    for (uint32_t i = 0; side == 0 && i < cloud->count; i++) {
        b[3] = use[i] != AP_POINT_SKIP ? i : b[3];
        side = ap_orient3d(p[b[0]], p[b[1]], p[b[2]], p[b[3]]);
    }
    if (side > 0) {
        const uint32_t swap = b[1];
        b[1] = b[2];
        b[2] = swap;
    }
    return side != 0;
}

/* Makes the surface a tetrahedron and assigns all other points to its facets. */
static apart_status make_tetrahedron(ap_mesh *mesh, const uint8_t *use)
{
    static const uint32_t across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    uint32_t b[4];
    if (!find_tetrahedron(mesh->cloud, use, b)) {
        return APART_ERR_HULL_BUILDER;
    }
    const uint32_t corner[4][3] = {{b[0], b[1], b[2]}, {b[0], b[3], b[1]}, {b[1], b[3], b[2]}, {b[2], b[3], b[0]}};
    if (!reserve_facets(mesh, 4)) {
        return APART_ERR_MEMORY;
    }
    for (int f = 0; f < 4; f++) {
        const uint32_t made = add_facet(mesh, corner[f][0], corner[f][1], corner[f][2]);
        memcpy(mesh->facet[made].across, across[f], sizeof across[f]);
    }
    for (uint32_t i = mesh->cloud->count; i-- > 0;) {
        if (use[i] != AP_POINT_SKIP && i != b[0] && i != b[1] && i != b[2] && i != b[3]) {
            assign_point(mesh, 0, i);
        }
    }
    return APART_OK;
}

/* ---- growth ---- */

/* Collects the facets that p sees, beginning with one of them; they are connected. Returns the number of edges of their
 * outline. */
static uint32_t find_visible(ap_mesh *mesh, uint32_t first, apart_vec3 p)
{
    const uint32_t stamp = ++mesh->stamp;
    uint32_t outline = 0;
    mesh->visible_count = 0;
    mesh->visible[mesh->visible_count++] = first;
    mesh->facet[first].stamp = stamp;
    for (uint32_t i = 0; i < mesh->visible_count; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t g = mesh->facet[mesh->visible[i]].across[k];
            if (mesh->facet[g].stamp == stamp) {
                continue;
            }
            if (sees(mesh, &mesh->facet[g], p)) {
                mesh->facet[g].stamp = stamp;
                mesh->visible[mesh->visible_count++] = g;
            } else {
                outline++;
            }
        }
    }
    return outline;
}

/* The distance of p from the body: that of the nearest facet it sees. */
static double visible_distance(const ap_mesh *mesh, apart_vec3 p)
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < mesh->visible_count; i++) {
        nearest = ap_min(nearest, facet_distance(mesh, &mesh->facet[mesh->visible[i]], p));
    }
    return nearest;
}

/* Adds a facet from each edge of the outline to the apex, and links it with the old facet on the other side of that
 * edge. */
static void add_cone(ap_mesh *mesh, uint32_t apex)
{
    for (uint32_t i = 0; i < mesh->visible_count; i++) {
        const uint32_t f = mesh->visible[i];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t g = mesh->facet[f].across[k];
            if (mesh->facet[g].stamp == mesh->stamp) {
                continue;
            }
            const uint32_t a = mesh->facet[f].vertex[k], b = mesh->facet[f].vertex[(k + 1) % 3];
            const uint32_t made = add_facet(mesh, a, b, apex);
            mesh->facet[made].across[0] = g;
            for (int j = 0; j < 3; j++) {
                if (mesh->facet[g].vertex[j] == b && mesh->facet[g].across[j] == f) {
                    mesh->facet[g].across[j] = made;
                }
            }
            mesh->fan[a] = made;
        }
    }
}

/* Links the facets of the cone with each other. */
static void link_cone(ap_mesh *mesh, uint32_t first)
{
    for (uint32_t f = first; f < mesh->facet_count; f++) {
        const uint32_t g = mesh->fan[mesh->facet[f].vertex[1]];
        mesh->facet[f].across[1] = g;
        mesh->facet[g].across[2] = f;
    }
}

/* Inserts a point: replaces the visible facets by a cone over their outline, and assigns the points above them to the
 * new facets. False: there is no memory. */
static bool insert_point(ap_mesh *mesh, uint32_t apex, uint32_t outline)
{
    if (!reserve_facets(mesh, outline)) {
        return false;
    }
    const uint32_t first = mesh->facet_count;
    add_cone(mesh, apex);
    link_cone(mesh, first);
    for (uint32_t i = 0; i < mesh->visible_count; i++) {
        ap_facet *gone = &mesh->facet[mesh->visible[i]];
        uint32_t q = gone->outside;
        gone->outside = AP_NONE;
        gone->stamp = AP_NONE;
        while (q != AP_NONE) {
            const uint32_t after = mesh->next[q];
            if (q != apex) {
                assign_point(mesh, first, q);
            }
            q = after;
        }
    }
    return true;
}

/* Finds the highest point above a facet anew. */
static void find_highest(const ap_mesh *mesh, ap_facet *f)
{
    f->highest = AP_NONE;
    f->top = -INFINITY;
    for (uint32_t i = f->outside; i != AP_NONE; i = mesh->next[i]) {
        note_height(f, i, mesh->height[i]);
    }
}

/* Drops the points above a facet that are within the tolerance of it, and keeps track of their largest distance. */
static void drop_near_points(ap_mesh *mesh, ap_facet *f)
{
    uint32_t *link = &f->outside;
    while (*link != AP_NONE) {
        const double d = is_low(mesh, f, *link) ? facet_distance(mesh, f, mesh->cloud->point[*link]) : INFINITY;
        if (d <= mesh->tolerance) {
            mesh->near = ap_max(mesh->near, d);
            *link = mesh->next[*link];
        } else {
            link = &mesh->next[*link];
        }
    }
    find_highest(mesh, f);
}

/* Removes a point from the list of a facet. */
static void remove_point(ap_mesh *mesh, ap_facet *f, uint32_t i)
{
    uint32_t *link = &f->outside;
    while (*link != i) {
        link = &mesh->next[*link];
    }
    *link = mesh->next[i];
    find_highest(mesh, f);
}

/* Processes the points above one facet until one is inserted, which removes the facet, or none is left. False: there is
 * no memory. */
static bool process_facet(ap_mesh *mesh, uint32_t f)
{
    if (mesh->facet[f].has_near) {
        drop_near_points(mesh, &mesh->facet[f]);
    }
    while (mesh->facet[f].outside != AP_NONE) {
        const uint32_t i = mesh->facet[f].highest;
        const apart_vec3 p = mesh->cloud->point[i];
        const uint32_t outline = find_visible(mesh, f, p);
        const double d = is_low(mesh, &mesh->facet[f], i) ? visible_distance(mesh, p) : INFINITY;
        if (d > mesh->tolerance) {
            return insert_point(mesh, i, outline);
        }
        mesh->near = ap_max(mesh->near, d);
        remove_point(mesh, &mesh->facet[f], i);
    }
    return true;
}

/* Removes the facets marked as removed from the array and renumbers the others. */
static void compact_facets(ap_mesh *mesh)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        mesh->visible[f] = mesh->facet[f].stamp != AP_NONE ? n++ : AP_NONE;
    }
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (mesh->visible[f] != AP_NONE) {
            ap_facet facet = mesh->facet[f];
            for (int k = 0; k < 3; k++) {
                facet.across[k] = mesh->visible[facet.across[k]];
            }
            facet.stamp = 0;
            mesh->facet[mesh->visible[f]] = facet;
        }
    }
    mesh->facet_count = n;
    mesh->stamp = 0;
}

apart_status ap_mesh_build(ap_mesh *mesh, const ap_cloud *cloud, const uint8_t *use, double tolerance)
{
    *mesh = (ap_mesh){.cloud = cloud, .tolerance = tolerance};
    mesh->next = ap_allocate(cloud->allocator, cloud->count, sizeof *mesh->next);
    mesh->height = ap_allocate(cloud->allocator, cloud->count, sizeof *mesh->height);
    mesh->fan = ap_allocate(cloud->allocator, cloud->count, sizeof *mesh->fan);
    if (mesh->next == NULL || mesh->height == NULL || mesh->fan == NULL) {
        return APART_ERR_MEMORY;
    }
    const apart_status status = make_tetrahedron(mesh, use);
    if (status != APART_OK) {
        return status;
    }
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (mesh->facet[f].stamp != AP_NONE && !process_facet(mesh, f)) {
            return APART_ERR_MEMORY;
        }
    }
    compact_facets(mesh);
    return APART_OK;
}

void ap_mesh_free(ap_mesh *mesh)
{
    const apart_allocator *allocator = mesh->cloud->allocator;
    ap_release(allocator, mesh->facet);
    ap_release(allocator, mesh->visible);
    ap_release(allocator, mesh->next);
    ap_release(allocator, mesh->height);
    ap_release(allocator, mesh->fan);
    mesh->facet = NULL;
    mesh->height = NULL;
    mesh->visible = mesh->next = mesh->fan = NULL;
}

double ap_mesh_distance(const ap_mesh *mesh, apart_vec3 p)
{
    double nearest = INFINITY;
    bool outside = false;
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (sees(mesh, &mesh->facet[f], p)) {
            outside = true;
            nearest = ap_min(nearest, facet_distance(mesh, &mesh->facet[f], p));
        }
    }
    return outside ? nearest : 0.0;
}

ap_corner ap_mesh_turn(const ap_mesh *mesh, ap_corner at)
{
    const uint32_t v = mesh->facet[at.facet].vertex[at.k], g = mesh->facet[at.facet].across[at.k];
    uint32_t k = 0;
    while (k < 2 && mesh->facet[g].vertex[k] != v) {
        k++;
    }
    return (ap_corner){g, k};
}
