/* The memory layout of a mesh: one block, fixed-width fields, offsets from its start.
 *
 *   header | nodes[n] | leaves[l] | vertices[v] (x, y, z) | triangles[t] (three vertices) | order[t] | islands[i] | twins[r]
 *
 * Vertices are the caller's doubles, each distinct position once. Triangles stand in the caller's order; `order` has
 * their numbers in the order of the leaves, `islands` a vertex of each set of triangles that are connected by vertices.
 * Of triangles with the same three vertices only the first is in the tree. The others, r of them, stand at the end of
 * `order`, and `twins` has the number of the first for each, in ascending order.
 *
 * The tree has *local* coordinates, floats: (vertex - centre) * scale, where the scale is a power of two and no
 * coordinate is larger than one. A node has up to eight children, a leaf up to eight triangles, in the lanes of
 * vectors; further lanes repeat the last one that is used. Nodes and leaves have a volume each: a box in a frame of its
 * own, whose edges along the third axis are cut off. A node has the same of all its children in the node's frame.
 *
 * What a volume promises: for every vertex p below, in local coordinates and in exact arithmetic, with the axes as the
 * floats are, |axis[i] . p - center[i]| <= half[i], and (s0, s1) . (axis[0] . p - center[0], axis[1] . p - center[1])
 * <= half[0] + half[1] - cut[s] for the signs s of ap_mesh_cut_number. Axes are of length one and perpendicular but for
 * AP_MESH_AXIS_ERROR. */
#ifndef AP_MESH_BLOCK_H
#define AP_MESH_BLOCK_H

#include <apart/mesh.h>

#include <stdint.h>

#include "../base/block.h"
#include "../math/vec.h"

#define AP_MESH_MAGIC 0x4d415041u /* "APAM" */
#define AP_MESH_VERSION 3u

/* Children of a node, and triangles of a leaf. */
#define AP_MESH_WIDTH 8u

/* child: a node's number, or this plus a leaf's. */
#define AP_MESH_LEAF 0x80000000u

/* Nodes on a way down from the root, at most: splits by area for the first AP_MESH_SAH_LEVELS, then halves, which bring
 * 2^28 triangles down to leaves within nine more. */
#define AP_MESH_SAH_LEVELS 12
#define AP_MESH_LEVELS 22

/* Entries of a frame times its transpose differ from the identity by at most this. */
#define AP_MESH_AXIS_ERROR 0x1p-20f

/* A local float coordinate differs from (vertex - centre) * scale by at most this. */
#define AP_MESH_FLOAT_ERROR 0x1p-24

typedef struct ap_mesh_volume {
    float axis[3][3]; /* the rows of the rotation from local coordinates to the volume's frame */
    float center[3];  /* in that frame */
    float half[3];
    float cut[4]; /* by ap_mesh_cut_number */
    float reach;  /* the box's half diagonal, rounded up */
} ap_mesh_volume; /* 80 bytes */

/* The corner of the first two axes with these signs: 0 both positive, 1 the first negative, 2 the second, 3 both. */
AP_INLINE unsigned ap_mesh_cut_number(float first, float second)
{
    return (first < 0.0f ? 1u : 0u) + (second < 0.0f ? 2u : 0u);
}

typedef struct ap_mesh_node {
    ap_mesh_volume volume;
    float center[3][AP_MESH_WIDTH], half[3][AP_MESH_WIDTH], cut[4][AP_MESH_WIDTH]; /* of the children, in this frame */
    uint32_t child[AP_MESH_WIDTH];
    uint32_t count; /* children: 2 to 8, or 1 in a root above the only leaf */
    uint32_t reserved[3];
} ap_mesh_node; /* 448 bytes */

typedef struct ap_mesh_leaf {
    ap_mesh_volume volume;
    float corner[3][3][AP_MESH_WIDTH]; /* local: corner, coordinate, lane */
    uint32_t first;                    /* its triangles are order[first] .. order[first + count - 1] */
    uint32_t count;
    uint32_t reserved[2];
} ap_mesh_leaf; /* 384 bytes */

struct apart_mesh {
    uint32_t magic, version;
    uint64_t size; /* bytes of the whole block */
    uint64_t
        owner; /* nonzero: made by the builder, whose allocator record precedes the block; 0 in views is fine too */
    uint32_t vertex_count, triangle_count, node_count, leaf_count;
    uint32_t tree_count; /* triangles in the tree */
    uint32_t reserved;
    uint64_t nodes;     /* ap_mesh_node[node_count], the root first, parents before children */
    uint64_t leaves;    /* ap_mesh_leaf[leaf_count] */
    uint64_t vertices;  /* double[vertex_count][3] */
    uint64_t triangles; /* uint32_t[triangle_count][3] */
    uint64_t order;     /* uint32_t[triangle_count] */
    uint64_t islands;   /* uint32_t[island_count] */
    uint64_t island_count;
    uint64_t twins;   /* uint32_t[triangle_count - tree_count] */
    double center[3]; /* of local coordinates */
    double scale;     /* a power of two: of local coordinates */
    double radius;    /* no vertex is farther from the centre (rounded up) */
    double extent;    /* no vertex is farther from the origin (rounded up) */
    apart_mesh_report report;
};

/* A vertex, exactly as given. */
static inline apart_vec3 ap_mesh_vertex(const apart_mesh *m, uint32_t vertex)
{
    const double *p = (const double *)ap_at(m, m->vertices) + 3 * (size_t)vertex;
    return (apart_vec3){p[0], p[1], p[2]};
}

/* The vertices of a triangle, by the caller's number. */
static inline const uint32_t *ap_mesh_corners(const apart_mesh *m, uint32_t triangle)
{
    return (const uint32_t *)ap_at(m, m->triangles) + 3 * (size_t)triangle;
}

/* The triangles' numbers in the order of the leaves. */
static inline const uint32_t *ap_mesh_order(const apart_mesh *m) { return ap_at(m, m->order); }

/* Of the repeated triangles order[tree_count ..]. */
static inline const uint32_t *ap_mesh_twin_numbers(const apart_mesh *m) { return ap_at(m, m->twins); }

static inline const uint32_t *ap_mesh_island_vertices(const apart_mesh *m) { return ap_at(m, m->islands); }

static inline const ap_mesh_node *ap_mesh_nodes(const apart_mesh *m) { return ap_at(m, m->nodes); }

static inline const ap_mesh_leaf *ap_mesh_leaves(const apart_mesh *m) { return ap_at(m, m->leaves); }

static inline apart_vec3 ap_mesh_center(const apart_mesh *m)
{
    return (apart_vec3){m->center[0], m->center[1], m->center[2]};
}

#endif
