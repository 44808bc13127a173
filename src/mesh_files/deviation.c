/* How deep a mesh lies below the surface of its hull. The depth of a point is the least distance to the planes of the
 * hull's faces, a minimum of linear functions (normal, offset) of the point: a k-d tree over these four numbers bounds
 * it for whole groups of faces, so that only few faces are looked at for each point. */
#include <math.h>
#include <stdlib.h>

#include <apart/io.h>

enum { LEAF_PLANES = 4, STACK_SIZE = 64 };

/* A face's plane: points x of the hull have normal . (x - center) <= offset. The last of `c` is the offset. */
typedef struct plane {
    double c[4];
} plane;

/* A node of the tree: planes first, ..., first + count - 1, in the box low to high. The children of node i are
 * 2i + 1 and 2i + 2. */
typedef struct plane_node {
    double low[4], high[4];
    size_t first, count;
} plane_node;

typedef struct plane_tree {
    plane *planes;
    plane_node *nodes;
    size_t plane_count, node_count;
    apart_vec3 center;
    unsigned char *seen; /* vertices of the mesh that were looked at */
} plane_tree;

/* ---- building ---- */

/* Puts the plane with the k-th least number of the axis at place k of [first, last), lesser ones before it. */
static void select_plane(plane *planes, size_t first, size_t last, size_t k, int axis)
{
    while (last - first > 1) {
        const double pivot = planes[first + (last - first - 1) / 2].c[axis];
        size_t i = first, j = last - 1;
        for (;;) {
            while (planes[i].c[axis] < pivot) {
                i++;
            }
            while (planes[j].c[axis] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            const plane kept = planes[i];
            planes[i++] = planes[j];
            planes[j--] = kept;
        }
        const size_t split = j + 1;
        if (k < split) {
            last = split;
        } else {
            first = split;
        }
    }
}

/* The box of the node's planes; returns its longest axis. */
static int measure_node(const plane_tree *t, plane_node *node)
{
    int longest = 0;
    for (int k = 0; k < 4; k++) {
        node->low[k] = node->high[k] = t->planes[node->first].c[k];
        for (size_t i = 1; i < node->count; i++) {
            const double c = t->planes[node->first + i].c[k];
            node->low[k] = c < node->low[k] ? c : node->low[k];
            node->high[k] = c > node->high[k] ? c : node->high[k];
        }
        longest = node->high[k] - node->low[k] > node->high[longest] - node->low[longest] ? k : longest;
    }
    return longest;
}

/* Parents come before their children, and every inner node halves its planes. */
static void build_nodes(plane_tree *t)
{
    t->nodes[0].first = 0;
    t->nodes[0].count = t->plane_count;
    for (size_t i = 0; i < t->node_count; i++) {
        plane_node *node = &t->nodes[i];
        const int axis = measure_node(t, node);
        if (2 * i + 2 < t->node_count) {
            const size_t half = node->count / 2;
            select_plane(t->planes, node->first, node->first + node->count, node->first + half, axis);
            t->nodes[2 * i + 1].first = node->first;
            t->nodes[2 * i + 1].count = half;
            t->nodes[2 * i + 2].first = node->first + half;
            t->nodes[2 * i + 2].count = node->count - half;
        }
    }
}

static void close_tree(plane_tree *t)
{
    free(t->nodes);
    free(t->planes);
    free(t->seen);
}

/* A complete tree whose leaves hold a few planes each; false where the memory is short. */
static int open_tree(plane_tree *t, const apart_hull *hull, apart_vec3 center, size_t vertex_count)
{
    const uint32_t count = apart_hull_face_count(hull);
    size_t leaves = 1;
    while (leaves * LEAF_PLANES < count) {
        leaves *= 2;
    }
    *t = (plane_tree){.plane_count = count, .node_count = 2 * leaves - 1, .center = center};
    t->planes = malloc(count * sizeof *t->planes);
    t->nodes = malloc(t->node_count * sizeof *t->nodes);
    t->seen = calloc(vertex_count + 1, 1);
    if (!t->planes || !t->nodes || !t->seen) {
        close_tree(t);
        return 0;
    }
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *vertices;
        apart_hull_face(hull, f, &vertices);
        const apart_vec3 n = apart_hull_face_normal(hull, f);
        const apart_vec3 v = apart_vec3_sub(apart_hull_vertex(hull, vertices[0]), center);
        t->planes[f] = (plane){{n.x, n.y, n.z, apart_vec3_dot(n, v)}};
    }
    build_nodes(t);
    return 1;
}

/* ---- depths ---- */

/* The least distance to the planes of a node is not less than this. */
static double bound_node(const plane_node *node, const double p[3])
{
    double bound = node->low[3];
    for (int k = 0; k < 3; k++) {
        bound -= p[k] * (p[k] > 0 ? node->high[k] : node->low[k]);
    }
    return bound;
}

static double nearest_of_leaf(const plane_tree *t, const plane_node *node, const double p[3], double least)
{
    for (size_t i = 0; i < node->count; i++) {
        const double *c = t->planes[node->first + i].c;
        const double below = c[3] - (c[0] * p[0] + c[1] * p[1] + c[2] * p[2]);
        least = below < least ? below : least;
    }
    return least;
}

/* How deep the point is below the hull's surface, or some value <= `known` if it is not deeper than that. The child
 * with the lesser bound is visited first. */
static double depth_below(const plane_tree *t, apart_vec3 point, double known)
{
    const apart_vec3 q = apart_vec3_sub(point, t->center);
    const double p[3] = {q.x, q.y, q.z};
    size_t stack[STACK_SIZE] = {0}, waiting = 1;
    double bounds[STACK_SIZE] = {-INFINITY}, depth = INFINITY;
    while (waiting > 0 && depth > known) {
        const size_t i = stack[--waiting];
        if (bounds[waiting] >= depth) {
            continue;
        }
        if (2 * i + 2 >= t->node_count) {
            depth = nearest_of_leaf(t, &t->nodes[i], p, depth);
            continue;
        }
        const double left = bound_node(&t->nodes[2 * i + 1], p), right = bound_node(&t->nodes[2 * i + 2], p);
        const size_t later = left <= right;
        stack[waiting] = 2 * i + 1 + later;
        bounds[waiting++] = later ? right : left;
        stack[waiting] = 2 * i + 2 - later;
        bounds[waiting++] = later ? left : right;
    }
    return depth;
}

static apart_vec3 mesh_vertex(const apart_mesh_data *mesh, uint32_t i)
{
    return (apart_vec3){mesh->xyz[3 * (size_t)i], mesh->xyz[3 * (size_t)i + 1], mesh->xyz[3 * (size_t)i + 2]};
}

/* The centroids come first: they are deep where the mesh is not convex, and a deep point shortens the search of the
 * others. */
static double deepest_point(const apart_mesh_data *mesh, plane_tree *t)
{
    double deepest = 0;
    const uint32_t *indices = mesh->face_indices;
    for (size_t f = 0; f < mesh->face_count; indices += mesh->face_sizes[f++]) {
        const double share = 1.0 / mesh->face_sizes[f];
        apart_vec3 centroid = {0, 0, 0};
        for (uint32_t k = 0; k < mesh->face_sizes[f]; k++) {
            const apart_vec3 p = mesh_vertex(mesh, indices[k]);
            centroid = (apart_vec3){centroid.x + share * p.x, centroid.y + share * p.y, centroid.z + share * p.z};
        }
        const double depth = depth_below(t, centroid, deepest);
        deepest = depth > deepest ? depth : deepest;
    }
    for (size_t i = 0; i < mesh->face_index_count; i++) {
        const uint32_t v = mesh->face_indices[i];
        const double depth = t->seen[v] ? 0 : depth_below(t, mesh_vertex(mesh, v), deepest);
        deepest = depth > deepest ? depth : deepest;
        t->seen[v] = 1;
    }
    return deepest;
}

double apart_mesh_deviation(const apart_mesh_data *mesh, const apart_hull *hull)
{
    apart_vec3 center;
    double radius;
    plane_tree tree;
    if (!mesh || !hull || mesh->face_count == 0 || apart_hull_face_count(hull) == 0) {
        return 0;
    }
    const apart_shape shape = apart_hull_shape(hull);
    if (apart_shape_ball(&shape, &center, &radius) != APART_OK || !(radius > 0)) {
        return 0;
    }
    if (!open_tree(&tree, hull, center, mesh->vertex_count)) {
        return INFINITY;
    }
    const double deepest = deepest_point(mesh, &tree);
    close_tree(&tree);
    return deepest / radius;
}
