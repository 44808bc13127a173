/* From triangles to a block, in stages: distinct positions (distinct.c), which triangles are below which node (split.c),
 * the volumes (volume.c), the block (build.c). */
#ifndef AP_MESH_BUILD_H
#define AP_MESH_BUILD_H

#include "../base/array.h"
#include "block.h"

/* ---- distinct positions ---- */

typedef struct ap_mesh_points {
    apart_vec3 *vertices;     /* each position that a triangle uses once, in the caller's order */
    uint32_t (*triangles)[3]; /* of these vertices */
    uint32_t vertex_count, triangle_count;
} ap_mesh_points;

/* Checks the caller's arrays and merges equal positions. Free both arrays also after an error. */
apart_status ap_mesh_points_make(const apart_vertices *vertices, const uint32_t *triangles, uint32_t triangle_count,
                                 const apart_allocator *allocator, ap_mesh_points *points);

/* The lowest vertex of each island, in ascending order, in an array of vertex_count numbers; how many there are. */
uint32_t ap_mesh_islands(const ap_mesh_points *points, uint32_t *vertices);

/* ---- triangles in one place ---- */

/* Do two triangles have the same vertices, in any order? */
bool ap_mesh_same_corners(const uint32_t a[3], const uint32_t b[3]);

/* twin[i]: the first triangle with the vertices of triangle i; mostly i itself. */
apart_status ap_mesh_twins(const ap_mesh_points *points, const apart_allocator *allocator, uint32_t *twin);

/* ---- foreign blocks ---- */

/* Are magic, version, offsets and lengths those of a mesh of at most `size` bytes? */
bool ap_mesh_check_layout(const apart_mesh *m, size_t size);

/* Turns every number of a block round; false if it is a mesh in neither order. The block is in the other order than it
 * was. */
bool ap_mesh_turn_bytes(void *memory, size_t size);

/* ---- the tree ---- */

/* A triangle's box in local coordinates. The fourth lanes hold no coordinate; the lower one holds the number. */
typedef struct ap_mesh_item {
    float low[4], high[4];
} ap_mesh_item;

/* A number as a float of ordinary size, which may be added and compared without harm. */
#define AP_MESH_ITEM_TAG 0x40000000u

static inline uint32_t ap_mesh_item_number(const ap_mesh_item *item)
{
    uint32_t bits;
    memcpy(&bits, &item->low[3], sizeof bits);
    return bits - AP_MESH_ITEM_TAG;
}

/* The items below the children of a node: item[i] .. item[i + 1] - 1. */
typedef struct ap_mesh_draft {
    uint32_t item[AP_MESH_WIDTH + 1], count;
    uint32_t child[AP_MESH_WIDTH]; /* nodes' numbers, and AP_MESH_LEAF for a leaf */
} ap_mesh_draft;

/* Sorts the items, and fills the array of drafts, whose items have the size of ap_mesh_draft. */
apart_status ap_mesh_split(ap_mesh_item *items, uint32_t count, unsigned threads, const apart_allocator *allocator,
                           ap_array *drafts);

/* ---- volumes ---- */

/* Sums over triangles, weighted by area: 1, position, products of positions. */
typedef struct ap_mesh_moments {
    double weight, first[3], second[6]; /* xx, yy, zz, xy, xz, yz */
} ap_mesh_moments;

/* The moments of a leaf's triangles. */
void ap_mesh_leaf_moments(const ap_mesh_leaf *leaf, ap_mesh_moments *moments);

/* The frame along the principal axes, the largest variance first. */
void ap_mesh_frame(const ap_mesh_moments *moments, float axis[3][3]);

/* The volumes of a leaf and of a node whose frames are set: the node's children hold the leaves first[i] .. first[i +
 * 1] - 1. Whoever checks a block computes them again: they have the same bits everywhere. */
void ap_mesh_leaf_volume(ap_mesh_leaf *leaf);
void ap_mesh_node_volume(ap_mesh_node *node, const ap_mesh_leaf *leaves, const uint32_t first[AP_MESH_WIDTH + 1]);

/* The corners of a leaf's triangles in local coordinates; first and count are set. */
void ap_mesh_leaf_corners(const apart_mesh *mesh, ap_mesh_leaf *leaf);

/* A vertex in local coordinates. */
static inline float ap_mesh_local(double coordinate, double center, double scale)
{
    return (float)((coordinate - center) * scale);
}

/* ---- memory ---- */

/* Zeroed memory for a block, to be freed by apart_mesh_free; NULL: none. */
apart_mesh *ap_mesh_allocate(const apart_allocator *allocator, size_t size);

#endif
