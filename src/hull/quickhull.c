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

/* The distance of p from the point, line or plane that the first `dim` + 1 basis points span. */
static double distance_from_span(const ap_cloud *cloud, const uint32_t basis[4], int dim, apart_vec3 p)
{
    const apart_vec3 a = cloud->point[basis[0]];
    if (dim == 0) {
        return ap_norm(ap_sub(p, a));
    }
    const apart_vec3 b = cloud->point[basis[1]];
    if (dim == 1) {
        const ap_dd3 e = ap_dd3_difference(b, a);
        return ap_norm(ap_dd3_value(ap_dd3_cross(e, ap_dd3_difference(p, a)))) / ap_norm(ap_dd3_value(e));
    }
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(cloud->point[basis[2]], a));
    return fabs(ap_dd_value(ap_dd3_dot(n, ap_dd3_difference(p, a)))) / ap_norm(ap_dd3_value(n));
}

static uint32_t farthest_from_span(const ap_cloud *cloud, const uint8_t *use, const uint32_t basis[4], int dim,
                                   double *distance)
{
    uint32_t best = basis[0];
    *distance = 0.0;
    for (uint32_t i = 0; i < cloud->count; i++) {
        if (use[i] != AP_POINT_SKIP) {
            const double d = distance_from_span(cloud, basis, dim, cloud->point[i]);
            if (d > *distance) {
                *distance = d;
                best = i;
            }
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

static uint32_t add_facet(ap_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const apart_vec3 *p = mesh->cloud->point;
    mesh->facet[mesh->facet_count] = (ap_facet){.vertex = {a, b, c},
                                                .across = {AP_NONE, AP_NONE, AP_NONE},
                                                .outside = AP_NONE,
                                                .normal = ap_triangle_normal(p[a], p[b], p[c])};
    return mesh->facet_count++;
}

static bool sees(const ap_mesh *mesh, uint32_t f, apart_vec3 p)
{
    const uint32_t *v = mesh->facet[f].vertex;
    const apart_vec3 *point = mesh->cloud->point;
    return ap_orient3d(point[v[0]], point[v[1]], point[v[2]], p) > 0;
}

/* The height of p above the plane of a facet. */
static double height(const ap_mesh *mesh, const ap_facet *f, apart_vec3 p)
{
    return ap_dot(f->normal, ap_sub(p, mesh->cloud->point[f->vertex[0]]));
}

static double facet_distance(const ap_mesh *mesh, const ap_facet *f, apart_vec3 p)
{
    const apart_vec3 *point = mesh->cloud->point;
    return ap_point_triangle(p, point[f->vertex[0]], point[f->vertex[1]], point[f->vertex[2]]);
}

/* Adds a point to the list of the first facet from number `from` on that it sees; a point that sees none is inside and
 * dropped. */
static void assign_point(ap_mesh *mesh, uint32_t from, uint32_t i)
{
    for (uint32_t f = from; f < mesh->facet_count; f++) {
        if (sees(mesh, f, mesh->cloud->point[i])) {
            mesh->next[i] = mesh->facet[f].outside;
            mesh->facet[f].outside = i;
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
            if (sees(mesh, g, p)) {
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

/* The point above a facet that is farthest from its plane; the lowest index wins ties. */
static uint32_t highest_point(const ap_mesh *mesh, const ap_facet *f)
{
    uint32_t best = f->outside;
    double best_height = -INFINITY;
    for (uint32_t q = f->outside; q != AP_NONE; q = mesh->next[q]) {
        const double h = height(mesh, f, mesh->cloud->point[q]);
        if (h > best_height || (h == best_height && q < best)) {
            best = q;
            best_height = h;
        }
    }
    return best;
}

/* Drops the points above a facet that are within the tolerance of it, and keeps track of their largest distance. */
static void drop_near_points(ap_mesh *mesh, ap_facet *f, double tolerance)
{
    uint32_t *link = &f->outside;
    while (*link != AP_NONE) {
        const apart_vec3 p = mesh->cloud->point[*link];
        const double d = height(mesh, f, p) <= 4.0 * tolerance ? facet_distance(mesh, f, p) : INFINITY;
        if (d <= tolerance) {
            mesh->near = ap_max(mesh->near, d);
            *link = mesh->next[*link];
        } else {
            link = &mesh->next[*link];
        }
    }
}

/* Removes a point from the list of a facet. */
static void remove_point(ap_mesh *mesh, ap_facet *f, uint32_t i)
{
    uint32_t *link = &f->outside;
    while (*link != i) {
        link = &mesh->next[*link];
    }
    *link = mesh->next[i];
}

/* Processes the points above one facet until one is inserted, which removes the facet, or none is left. False: there is
 * no memory. */
static bool process_facet(ap_mesh *mesh, uint32_t f, double tolerance)
{
    drop_near_points(mesh, &mesh->facet[f], tolerance);
    while (mesh->facet[f].outside != AP_NONE) {
        const uint32_t i = highest_point(mesh, &mesh->facet[f]);
        const apart_vec3 p = mesh->cloud->point[i];
        const uint32_t outline = find_visible(mesh, f, p);
        const double d = height(mesh, &mesh->facet[f], p) <= 4.0 * tolerance ? visible_distance(mesh, p) : INFINITY;
        if (d > tolerance) {
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
    *mesh = (ap_mesh){.cloud = cloud};
    mesh->next = ap_allocate(cloud->allocator, cloud->count, sizeof *mesh->next);
    mesh->fan = ap_allocate(cloud->allocator, cloud->count, sizeof *mesh->fan);
    if (mesh->next == NULL || mesh->fan == NULL) {
        return APART_ERR_MEMORY;
    }
    const apart_status status = make_tetrahedron(mesh, use);
    if (status != APART_OK) {
        return status;
    }
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (mesh->facet[f].stamp != AP_NONE && !process_facet(mesh, f, tolerance)) {
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
    ap_release(allocator, mesh->fan);
    mesh->facet = NULL;
    mesh->visible = mesh->next = mesh->fan = NULL;
}

double ap_mesh_distance(const ap_mesh *mesh, apart_vec3 p)
{
    double nearest = INFINITY;
    bool outside = false;
    for (uint32_t f = 0; f < mesh->facet_count; f++) {
        if (sees(mesh, f, p)) {
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
