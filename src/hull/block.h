/* The memory layout of a hull: one block, fixed-width fields, offsets from its start, 64-byte aligned parts.
 *
 *   header | x[p] y[p] z[p] (vertices, structure of arrays, relative to the centre) | corners[n] | vertex records |
 *   ring_start[n+1] | ring[] | direction table | edges[2e] | face_start[f+1] | face_vertices[] | face_across[] |
 *   vertex_face[n] | face_planes[]
 *
 * p is n rounded up to a multiple of AP_LANES; padding repeats vertex 0, which a scan with "the lowest index wins"
 * never picks. A scan wants the first two parts only; a corner is a vertex in one vector of four, with the caller's
 * number behind it. A vertex record is all that a climb wants of a vertex, in four cache lines that arrive together:
 * where it is, the caller's number, and eight edges that leave it, as differences neighbour - vertex with the
 * coordinates in lanes, and the neighbours' ids. Padding is a zero edge to the vertex itself, which never improves. The
 * few vertices with more edges go on in a record behind the others. The ring is the hull's edges; the records hold
 * these and, for the sake of climb_loss, some chords: across faces flat to rounding only, and beyond obtuse corners.
 *
 * Rays clip against planes four at a time, or climb from face to face: the planes of four faces are together, their
 * coordinates in lanes, and each side of a face names the face beyond it. The last group repeats face 0. */
#ifndef AP_HULL_BLOCK_H
#define AP_HULL_BLOCK_H

#include <apart/hull.h>

#include <stdint.h>

#include "../base/block.h"
#include "../math/vec.h"

#define AP_LANES 4u

#define AP_HULL_MAGIC 0x50415041u /* "APAP" */
#define AP_HULL_VERSION 7u

#define AP_RECORD_EDGES 8u

/* The direction table names this many vertices for each cell: the middle's, and those that are farthest for most
 * directions in it. It is a help, not a proof: a cell may have more of them. Eight found the farthest more often and
 * took longer, for all the corners read in vain. */
#define AP_CELL_VERTICES AP_LANES

typedef struct ap_hull_corner {
    double point[3]; /* relative to the hull's centre */
    double
        input; /* the caller's number, as a double: the lane is multiplied with the point, and small integers would be subnormal */
} ap_hull_corner; /* 32 bytes */

typedef struct ap_hull_vertex {
    double point[3];              /* relative to the hull's centre */
    uint32_t more;                /* the record with further edges, or 0 */
    uint32_t input;               /* the caller's number */
    uint32_t id[AP_RECORD_EDGES]; /* neighbours, ascending */
    double dx[AP_RECORD_EDGES], dy[AP_RECORD_EDGES], dz[AP_RECORD_EDGES];
} ap_hull_vertex; /* 256 bytes */

/* The planes n.x <= offset of four faces, relative to the hull's centre. The offset is the largest computed n.v of all
 * vertices v: the true one is within (2 + climb_loss) eps * bound of it, if that is finite; in a hull that is too large
 * to be scanned and whose climb_loss is infinite it is that of the face's own vertices. */
typedef struct ap_face_planes {
    double x[AP_LANES], y[AP_LANES], z[AP_LANES], offset[AP_LANES];
} ap_face_planes; /* 128 bytes */

/* A box along the axes, relative to the hull's centre: middle - half and middle + half are its corners, exactly. */
typedef struct ap_hull_box {
    double middle[3], half[3];
} ap_hull_box;

struct apart_hull {
    /* What every query wants, in one cache line. */
    uint32_t magic, version;
    uint32_t vertex_count, padded_count;
    double
        climb_loss; /* what hill climbing with rounded dot products can miss: value <= climb_loss * eps * bound * |direction| */
    uint64_t vertices;         /* double[3 * padded_count]: all x, all y, all z */
    uint64_t corners;          /* ap_hull_corner[vertex_count] */
    uint64_t records;          /* ap_hull_vertex[record_count]: the vertices, then what does not fit there */
    uint64_t table;            /* uint32_t[r * r][AP_CELL_VERTICES]: vertices by direction */
    uint32_t table_resolution; /* r: the octahedron of directions, unfolded to a square, has r * r cells; 0: no table */
    uint32_t dimension;        /* affine dimension 0..3 */
    /* The rest. */
    uint64_t size; /* bytes of the whole block */
    uint64_t
        owner; /* nonzero: made by a builder whose allocator record precedes the block; 0 in views and copies is fine too */
    uint32_t edge_count, face_count;
    uint32_t face_vertex_count, record_count;
    double center[3]; /* subtracted from all stored vertices; exactly 0 unless the hull is far from its origin */
    double bound;     /* every stored vertex is within this distance of the centre (rounded up) */
    double inner;     /* a ball of this radius about the centre is in the hull; 0 if none is known */
    double dropped;   /* every input point is within this distance of the kept hull */
    double volume, area;
    uint64_t ring_start;    /* uint32_t[vertex_count + 1], into ring */
    uint64_t ring;          /* uint32_t[2 * edge_count], neighbours ascending */
    uint64_t edges;         /* uint32_t[2 * edge_count], lexicographic */
    uint64_t face_start;    /* uint32_t[face_count + 1], into face_vertices */
    uint64_t face_vertices; /* uint32_t[face_vertex_count] */
    uint64_t face_across;   /* uint32_t[face_vertex_count]: the face beyond the side that begins at the same place */
    uint64_t vertex_face;   /* uint32_t[vertex_count]: a face of each vertex; 0 in a hull without faces */
    uint64_t face_planes;   /* ap_face_planes[face_count / 4, rounded up] */
    uint64_t is_box;        /* 1: the hull is this box, to the last bit; 0: it is none, and `box` is all zero */
    ap_hull_box box;
};

/* The box that a hull is, or NULL. What `dropped` says of the hull holds for the box. */
static inline const ap_hull_box *ap_hull_as_box(const apart_hull *h) { return h->is_box != 0 ? &h->box : NULL; }

static inline const double *ap_hull_x(const apart_hull *h) { return ap_at(h, h->vertices); }

static inline const ap_hull_corner *ap_hull_corners(const apart_hull *h) { return ap_at(h, h->corners); }

static inline const ap_hull_vertex *ap_hull_records(const apart_hull *h) { return ap_at(h, h->records); }

static inline const ap_face_planes *ap_hull_planes(const apart_hull *h) { return ap_at(h, h->face_planes); }

/* How many groups of four planes there are. */
static inline uint32_t ap_hull_plane_groups(const apart_hull *h) { return (h->face_count + AP_LANES - 1) / AP_LANES; }

/* A vertex relative to the hull's centre. */
static inline apart_vec3 ap_hull_local(const apart_hull *h, uint32_t i)
{
    const double *p = ap_hull_corners(h)[i].point;
    return (apart_vec3){p[0], p[1], p[2]};
}

/* A direction (|x| + |y| + |z| = 1) by its place in the table, counted in cells: 0 .. resolution. The middle of cell
 * i, j is at i + 1/2, j + 1/2. */
static inline apart_vec3 ap_hull_table_direction(uint32_t resolution, double row, double column)
{
    const double u = 2.0 * row / (double)resolution - 1.0, v = 2.0 * column / (double)resolution - 1.0;
    const double z = (1.0 - fabs(u)) - fabs(v);
    return z < 0.0 ? ap_vec(copysign(1.0 - fabs(v), u), copysign(1.0 - fabs(u), v), z) : ap_vec(u, v, z);
}

#endif
