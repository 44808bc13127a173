/* Which vertices of a triangulated hull are strictly extreme? Those that lie, to rounding, in the hull of the others
 * are removed.
 *
 * A vertex is compared with its neighbours, because removing it creates facets between them only: Gilbert's iteration
 * (1966) bounds its distance from their hull from both sides. A vertex for which this stays undecided is removed, its
 * distance from the new body is measured, and it is put back if that is too large. */
#include "surface.h"

#include <string.h>

typedef struct pruning {
    ap_mesh *mesh;
    uint8_t *use;       /* per point: AP_POINT_... */
    uint8_t *state;     /* per point: see below */
    uint32_t *facet_of; /* per point: a facet it is a vertex of */
    apart_vec3 *spoke;  /* scratch: neighbours minus vertex */
    double tolerance;
} pruning;

enum { IS_VERTEX = 0, REMOVED = 1, PUT_BACK = 2, NEXT_TO_REMOVED = 3 };

static const int max_rounds = 64, gilbert_steps = 40;

static ap_corner corner_of(const pruning *c, uint32_t v)
{
    const uint32_t f = c->facet_of[v];
    uint32_t k = 0;
    while (k < 2 && c->mesh->facet[f].vertex[k] != v) {
        k++;
    }
    return (ap_corner){f, k};
}

/* Collects the edges that leave a vertex, and a direction into the body; returns how many edges there are. */
static uint32_t gather_spokes(const pruning *c, uint32_t v, apart_vec3 *inwards)
{
    const apart_vec3 *p = c->mesh->cloud->point;
    const ap_corner first = corner_of(c, v);
    ap_corner at = first;
    apart_vec3 sum = {0.0, 0.0, 0.0};
    uint32_t n = 0;
    do {
        const ap_facet *f = &c->mesh->facet[at.facet];
        c->spoke[n++] = ap_sub(p[f->vertex[(at.k + 1) % 3]], p[v]);
        sum = ap_sub(sum, f->normal);
        at = ap_mesh_turn(c->mesh, at);
    } while (at.facet != first.facet && n < c->mesh->facet_count);
    *inwards = ap_normalised(sum);
    return n;
}

static uint32_t lowest_spoke(const apart_vec3 *spoke, uint32_t n, apart_vec3 a)
{
    uint32_t best = 0;
    double value = ap_dot(spoke[0], a);
    for (uint32_t i = 1; i < n; i++) {
        const double v = ap_dot(spoke[i], a);
        if (v < value) {
            value = v;
            best = i;
        }
    }
    return best;
}

/* False if the hull of the spokes is farther from the vertex than the tolerance; true if it is nearer, or if that stays
 * undecided. */
static bool may_be_flat(const apart_vec3 *spoke, uint32_t n, apart_vec3 inwards, double tolerance)
{
    if (ap_dot(spoke[lowest_spoke(spoke, n, inwards)], inwards) > tolerance) {
        return false;
    }
    apart_vec3 x = spoke[0];
    for (int step = 0; step < gilbert_steps; step++) {
        const double length = ap_norm(x);
        if (length <= tolerance) {
            return true;
        }
        const apart_vec3 s = spoke[lowest_spoke(spoke, n, x)];
        if (ap_dot(s, x) / length > tolerance) {
            return false;
        }
        const apart_vec3 e = ap_sub(s, x);
        const double ee = ap_dot(e, e), t = ee > 0.0 ? -ap_dot(x, e) / ee : 0.0;
        x = ap_add(x, ap_scale(ap_min(ap_max(t, 0.0), 1.0), e));
    }
    return true;
}

/* Finds a facet for each vertex of the mesh; points that are not vertices get AP_NONE. */
static void index_vertices(pruning *c)
{
    memset(c->facet_of, 0xff, c->mesh->cloud->count * sizeof *c->facet_of);
    for (uint32_t f = 0; f < c->mesh->facet_count; f++) {
        for (int k = 0; k < 3; k++) {
            c->facet_of[c->mesh->facet[f].vertex[k]] = f;
        }
    }
}

/* Removes flat vertices, no two of them neighbours; returns how many. */
static uint32_t remove_flat(pruning *c)
{
    uint32_t removed = 0;
    for (uint32_t v = 0; v < c->mesh->cloud->count; v++) {
        if (c->use[v] == AP_POINT_SKIP || c->state[v] != IS_VERTEX || c->facet_of[v] == AP_NONE) {
            continue;
        }
        apart_vec3 inwards;
        const uint32_t n = gather_spokes(c, v, &inwards);
        if (!may_be_flat(c->spoke, n, inwards, c->tolerance)) {
            continue;
        }
        c->state[v] = REMOVED;
        c->use[v] = AP_POINT_SKIP;
        removed++;
        ap_corner at = corner_of(c, v);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t w = c->mesh->facet[at.facet].vertex[(at.k + 1) % 3];
            if (c->state[w] == IS_VERTEX) {
                c->state[w] = NEXT_TO_REMOVED;
            }
            at = ap_mesh_turn(c->mesh, at);
        }
    }
    for (uint32_t v = 0; v < c->mesh->cloud->count; v++) {
        if (c->state[v] == NEXT_TO_REMOVED) {
            c->state[v] = IS_VERTEX;
        }
    }
    return removed;
}

/* Puts back the removed points that are farther from the body than `limit`; returns how many. *removed: the largest
 * distance of the others. */
static uint32_t put_back(pruning *c, const ap_mesh *body, double limit, double *removed)
{
    uint32_t back = 0;
    *removed = 0.0;
    for (uint32_t v = 0; v < body->cloud->count; v++) {
        if (c->state[v] == REMOVED) {
            const double d = ap_mesh_distance(body, body->cloud->point[v]);
            if (d > limit) {
                c->state[v] = PUT_BACK;
                c->use[v] = AP_POINT_USE;
                back++;
            } else {
                *removed = ap_max(*removed, d);
            }
        }
    }
    return back;
}

/* Rebuilds the body from the points in use, and puts removed points back until all others are within the tolerance of
 * it. */
static apart_status rebuild(pruning *c, double *removed)
{
    for (;;) {
        ap_mesh body;
        const apart_status status = ap_mesh_build(&body, c->mesh->cloud, c->use, 0.0);
        if (status == APART_ERR_HULL_BUILDER) {
            /* Without the removed points the set is flat. */
            ap_mesh_free(&body);
            if (put_back(c, c->mesh, -1.0, removed) == 0) {
                return status;
            }
            continue;
        }
        if (status != APART_OK) {
            ap_mesh_free(&body);
            return status;
        }
        if (put_back(c, &body, c->tolerance, removed) == 0) {
            ap_mesh_free(c->mesh);
            *c->mesh = body;
            return APART_OK;
        }
        ap_mesh_free(&body);
    }
}

static apart_status remove_in_rounds(pruning *c, double *removed)
{
    const uint32_t n = c->mesh->cloud->count;
    index_vertices(c);
    for (uint32_t v = 0; v < n; v++) {
        c->use[v] = c->facet_of[v] != AP_NONE ? AP_POINT_USE : AP_POINT_SKIP;
        c->state[v] = IS_VERTEX;
    }
    for (int round = 0; round < max_rounds && remove_flat(c) > 0; round++) {
        const apart_status status = rebuild(c, removed);
        if (status != APART_OK) {
            return status;
        }
        index_vertices(c);
    }
    return APART_OK;
}

apart_status ap_mesh_remove_flat_vertices(ap_mesh *mesh, uint8_t *use, double tolerance, double *removed)
{
    const ap_cloud *cloud = mesh->cloud;
    pruning c = {.mesh = mesh, .use = use, .tolerance = tolerance};
    c.state = ap_allocate(cloud->allocator, cloud->count, sizeof *c.state);
    c.facet_of = ap_allocate(cloud->allocator, cloud->count, sizeof *c.facet_of);
    c.spoke = ap_allocate(cloud->allocator, cloud->count, sizeof *c.spoke);
    *removed = 0.0;
    const apart_status status =
        c.state != NULL && c.facet_of != NULL && c.spoke != NULL ? remove_in_rounds(&c, removed) : APART_ERR_MEMORY;
    ap_release(cloud->allocator, c.state);
    ap_release(cloud->allocator, c.facet_of);
    ap_release(cloud->allocator, c.spoke);
    return status;
}
