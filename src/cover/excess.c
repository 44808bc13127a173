/* How far is the farthest point of a hull from the mesh? Branch and bound over tetrahedra.
 *
 * The distance from one triangle is a convex function, so that in a tetrahedron it is largest at a corner: the triangle
 * nearest to a corner gives an upper bound for the whole tetrahedron. Where a corner is inside the solid, the part of
 * the tetrahedron around it that no triangle meets is inside, too, and what is left is a layer below a face. */
#include "cover.h"

/* Distances and midpoints err by less than this share of the largest coordinate: some 2^9 u. */
static const double rounding = 0x1p-44;

/* Vertices this near to the hull of the others, as a share of the size, are left out: most slender tetrahedra go with
 * them. */
static const double left_out = 0x1p-27;

/* What is left out of sight at the faces of tetrahedra, as a share of their size. */
static const double unseen = 0x1p-27;

/* A layer thinner than this share of the height is cut off; one thicker than the second is not looked for. */
static const double most_peeled = 0.5, most_layer = 0.9;

/* A layer thinner than this share is left to rounding. */
static const double least_layer = 0x1p-30;

typedef struct node_point {
    apart_vec3 at;
    double distance; /* from the mesh: 0 inside a solid */
    uint32_t triangle;
    bool inside;
} node_point;

typedef struct simplex {
    uint32_t corner[4];
    double upper;
    double layer; /* what is deeper below the face opposite corner 3, as a share of its height, is inside; or 1 */
} simplex;

typedef struct search_state {
    ap_cover_search *search;
    node_point *point;
    simplex *heap; /* the greatest bound first */
    uint32_t points, count;
    double done; /* the greatest bound of simplices that are not in the heap any more */
} search_state;

/* ---- the heap ---- */

static void push(search_state *s, simplex one)
{
    uint32_t i = s->count++;
    for (; i > 0 && s->heap[(i - 1) / 2].upper < one.upper; i = (i - 1) / 2) {
        s->heap[i] = s->heap[(i - 1) / 2];
    }
    s->heap[i] = one;
}

static simplex pop(search_state *s)
{
    const simplex top = s->heap[0], last = s->heap[--s->count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= s->count) {
            break;
        }
        child += child + 1 < s->count && s->heap[child + 1].upper > s->heap[child].upper;
        if (s->heap[child].upper <= last.upper) {
            break;
        }
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* ---- points and bounds ---- */

static uint32_t add_point(search_state *s, apart_vec3 at)
{
    ap_cover_search *search = s->search;
    node_point *p = &s->point[s->points];
    *p = (node_point){.at = at};
    p->distance = ap_cover_nearest(search->tree, at, &p->triangle);
    p->inside = search->solid && ap_cover_side(search->tree, at) > 0;
    p->distance = p->inside ? 0.0 : p->distance;
    if (p->distance > search->least) {
        search->least = p->distance;
        search->farthest = at;
    }
    return s->points++;
}

/* The least bound by a triangle that is the nearest of a corner. */
static double bound(const search_state *s, const uint32_t corners[4])
{
    const ap_cover_mesh *mesh = s->search->tree->mesh;
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        double greatest = 0.0;
        for (int j = 0; j < 4 && greatest < least; j++) {
            greatest =
                ap_max(greatest, ap_cover_distance(mesh, s->point[corners[i]].triangle, s->point[corners[j]].at));
        }
        least = ap_min(least, greatest);
    }
    return least;
}

static double good_enough(const ap_cover_search *search)
{
    return ap_max(search->floor, search->least * (1.0 + search->tolerance));
}

static apart_vec3 blend(apart_vec3 a, apart_vec3 b, double share) { return ap_add(a, ap_scale(share, ap_sub(b, a))); }

/* A bound by what is inside around the corner: whatever is in the layer comes there on the way to the corner. */
static void look_from(const search_state *s, const uint32_t corners[4], int apex, simplex *best)
{
    const ap_cover_tree *tree = s->search->tree;
    apart_vec3 at[4];
    double reach = 0.0;
    simplex one = {.layer = 1.0};
    for (int k = 0; k < 4; k++) {
        one.corner[k] = corners[(apex + 1 + k) % 4];
        at[k] = s->point[one.corner[k]].at;
    }
    for (int k = 0; k < 3; k++) {
        reach = ap_max(reach, ap_norm(ap_sub(at[k], at[3])));
    }
    one.layer = ap_cover_layer(tree, at, ap_min(most_layer, best->upper / reach));
    one.layer = one.layer < least_layer ? 0.0 : one.layer;
    one.upper = (one.layer + unseen) * reach;
    const apart_vec3 middle = ap_scale(1.0 / 3.0, ap_add(ap_add(at[0], at[1]), at[2]));
    if (one.upper < best->upper && ap_cover_side(tree, blend(at[3], middle, 0.5 * (1.0 - one.layer))) > 0) {
        *best = one;
    }
}

/* Is the whole tetrahedron nearer to its middle than the surface is, and the middle inside? Slender triangles spoil
 * distances by their width: the margin is far above. */
static bool is_deep_inside(const search_state *s, const uint32_t corners[4])
{
    const ap_cover_tree *tree = s->search->tree;
    const double size = ap_norm(ap_sub(tree->mesh->box.max, tree->mesh->box.min));
    apart_vec3 middle = {0, 0, 0};
    double radius = 0.0;
    uint32_t triangle;
    for (int i = 0; i < 4; i++) {
        middle = ap_add(middle, ap_scale(0.25, s->point[corners[i]].at));
    }
    for (int i = 0; i < 4; i++) {
        radius = ap_max(radius, ap_norm(ap_sub(s->point[corners[i]].at, middle)));
    }
    const double distance = ap_cover_nearest(tree, middle, &triangle);
    return distance * (1.0 - 0x1p-10) - 0x1p-20 * size > radius && ap_cover_side(tree, middle) > 0;
}

static void add_simplex(search_state *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d, double inherited)
{
    simplex one = {{a, b, c, d}, inherited, 1.0};
    const uint32_t corners[4] = {a, b, c, d};
    one.upper = ap_min(bound(s, corners), inherited);
    for (int i = 0; i < 4 && one.upper > good_enough(s->search); i++) {
        if (s->point[corners[i]].inside) {
            look_from(s, corners, i, &one);
        }
    }
    if (one.upper <= good_enough(s->search)) {
        s->done = ap_max(s->done, one.upper);
    } else if (!s->search->solid || !is_deep_inside(s, corners)) {
        push(s, one);
    }
}

/* ---- branching ---- */

/* Halves the longest edge. */
static void bisect(search_state *s, const simplex *one)
{
    double longest = -1.0;
    int from = 0, to = 1;
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            const double length = ap_norm(ap_sub(s->point[one->corner[i]].at, s->point[one->corner[j]].at));
            if (length > longest) {
                longest = length;
                from = i;
                to = j;
            }
        }
    }
    const uint32_t middle = add_point(s, blend(s->point[one->corner[from]].at, s->point[one->corner[to]].at, 0.5));
    uint32_t first[4], second[4];
    memcpy(first, one->corner, sizeof first);
    memcpy(second, one->corner, sizeof second);
    first[to] = middle;
    second[from] = middle;
    add_simplex(s, first[0], first[1], first[2], first[3], one->upper);
    add_simplex(s, second[0], second[1], second[2], second[3], one->upper);
}

/* Leaves the layer alone. */
static void peel(search_state *s, const simplex *one)
{
    const uint32_t *face = one->corner;
    uint32_t low[3];
    for (int k = 0; k < 3; k++) {
        low[k] = add_point(s, blend(s->point[face[k]].at, s->point[face[3]].at, one->layer));
    }
    add_simplex(s, face[0], face[1], face[2], low[0], one->upper);
    add_simplex(s, face[1], face[2], low[0], low[1], one->upper);
    add_simplex(s, face[2], low[0], low[1], low[2], one->upper);
}

/* The tetrahedra between a hull's surface and its middle. */
static void start(search_state *s, const apart_hull *hull, const ap_cover_surface *surface)
{
    const uint32_t vertices = apart_hull_vertex_count(hull), *face;
    const apart_vec3 base = apart_hull_vertex(hull, 0);
    apart_vec3 sum = {0, 0, 0};
    for (uint32_t v = 0; v < vertices; v++) {
        add_point(s, apart_hull_vertex(hull, v));
        sum = ap_add(sum, ap_scale(1.0 / vertices, ap_sub(apart_hull_vertex(hull, v), base)));
    }
    const uint32_t middle = add_point(s, ap_add(base, sum));
    for (uint32_t t = 0; t < surface->count; t++) {
        add_simplex(s, surface->triangle[t][0], surface->triangle[t][1], surface->triangle[t][2], middle, INFINITY);
    }
    const uint32_t corners =
        surface->count == 0 && apart_hull_dimension(hull) >= 2 ? apart_hull_face(hull, 0, &face) : 0;
    for (uint32_t i = 2; i < corners; i++) {
        add_simplex(s, face[0], face[i - 1], face[i], middle, INFINITY);
    }
    if (surface->count == 0 && corners == 0) {
        add_simplex(s, 0, vertices - 1, middle, middle, INFINITY);
    }
}

static void run(search_state *s)
{
    ap_cover_search *search = s->search;
    for (uint32_t i = 0; i < search->budget && s->count > 0 && s->heap[0].upper > good_enough(search); i++) {
        const simplex one = pop(s);
        if (one.layer <= most_peeled) {
            peel(s, &one);
        } else {
            bisect(s, &one);
        }
    }
}

apart_status ap_cover_excess_of(ap_cover_search *search, const apart_hull *hull, double *upper)
{
    const ap_cover_mesh *mesh = search->tree->mesh;
    const double size = ap_norm(ap_sub(mesh->box.max, mesh->box.min));
    search_state s = {.search = search};
    ap_cover_surface surface = {.triangle = NULL};
    apart_status status = APART_OK;
    if (apart_hull_dimension(hull) == 3) {
        status = ap_cover_surface_open(hull, left_out * size, mesh->allocator, &surface);
    }
    if (status == APART_OK && surface.count == 0 && apart_hull_dimension(hull) == 3) { /* as thin as what is left out */
        ap_release(mesh->allocator, surface.triangle);
        status = ap_cover_surface_open(hull, 0.0, mesh->allocator, &surface);
    }
    if (status != APART_OK || (surface.count == 0 && apart_hull_dimension(hull) == 3)) {
        *upper = INFINITY; /* no surface was found, and so no bound */
        ap_release(mesh->allocator, surface.triangle);
        return status;
    }
    const size_t vertices = apart_hull_vertex_count(hull), triangles = surface.count + vertices;
    s.point = ap_allocate(mesh->allocator, vertices + 1 + 3 * (size_t)search->budget, sizeof *s.point);
    s.heap = ap_allocate(mesh->allocator, triangles + 1 + 2 * (size_t)search->budget, sizeof *s.heap);
    status = s.point == NULL || s.heap == NULL ? APART_ERR_MEMORY : APART_OK;
    if (status == APART_OK) {
        start(&s, hull, &surface);
        run(&s);
        *upper = ap_max(s.done, s.count > 0 ? s.heap[0].upper : 0.0) + rounding * mesh->magnitude + surface.near +
                 (search->solid ? unseen * size : 0.0);
    }
    ap_release(mesh->allocator, surface.triangle);
    ap_release(mesh->allocator, s.point);
    ap_release(mesh->allocator, s.heap);
    return status;
}
