/* How a hull is made, from points to one relocatable block (block.h), and which file answers which question:
 *   build.c             the entry for bare points: the steps below in a row, after duplicates are removed and coordinates
 *                       brought to a size of 1
 *   from_faces.c        the entry for points whose faces are known: do they form a closed convex surface?
 *   quickhull.c         which triangles are the surface of the hull? Exact signs of orientations come from predicate.c
 *   extreme_vertices.c  which vertices lie in the hull of the others, to rounding, and can be removed?
 *   merge_faces.c       which triangles form one flat face?
 *   low_dimension.c     the same for points in one plane, on one line, or in one place
 *   rings.c             which vertices are joined by an edge?
 *   climb_graph.c       which neighbours must hill climbing compare, and how much can it miss?
 *   write_block.c       writing the surface into one block
 *   direction_table.c   which vertices are farthest for the directions of a cell?
 *   box.c               is a hull a box?
 *   check_block.c       is a block from elsewhere safe to query?
 *   byte_order.c        blocks on machines that begin a number with its highest byte
 *   access.c            reading a hull, and freeing it
 *   sort.c              sorting without memory behind the allocator's back
 *   search.c, search.h, search_lanes.h  which vertex is farthest in a direction? */
#ifndef AP_HULL_BUILD_H
#define AP_HULL_BUILD_H

#include "block.h"
#include "../quickhull/surface.h"

/* Builds the hull of those of n points with use[i] != 0 (NULL: all of them); their coordinates are kept unchanged.
 * APART_ERR_EMPTY, APART_ERR_NONFINITE, APART_ERR_SIZE, APART_ERR_OVERFLOW, APART_ERR_MEMORY. */
apart_status ap_hull_from_points(const double *xyz, size_t n, const uint8_t *use, const apart_allocator *allocator,
                                 apart_hull **out);

/* Writes the block of a surface whose points are the caller's. */
apart_status ap_hull_write_block(const ap_surface *surface, const double *xyz, apart_hull **out);

/* Fills the direction table of a hull whose other parts are written; false: there is no memory. */
bool ap_hull_fill_table(const apart_hull *hull, uint32_t *table, const apart_allocator *allocator);

/* Is a hull whose vertices are written exactly a box along the axes? */
bool ap_hull_find_box(const apart_hull *hull, ap_hull_box *box);

/* A part of a block: `count` items of `bytes` bytes. */
typedef struct ap_hull_part {
    uint64_t offset, count, bytes;
    uint32_t word; /* bytes of the numbers that an item consists of: 4 or 8; 0: a vertex record, which has both */
} ap_hull_part;

enum { AP_HULL_PARTS = 12 };

/* Lists the parts in the order of the block. */
void ap_hull_list_parts(const apart_hull *hull, ap_hull_part parts[AP_HULL_PARTS]);

/* Does the header of a block say where its parts are, and do they lie in `size` bytes? */
bool ap_hull_check_layout(const apart_hull *hull, size_t size);

/* Turns the bytes of every number of a block round; false, and nothing has changed, if that is not a hull in either
 * order. */
bool ap_hull_turn_bytes(void *memory, size_t size);

/* Allocates a hull of `size` bytes, 64-byte aligned and all zero, preceded by a record of its allocator; NULL if there
 * is no memory. */
apart_hull *ap_hull_allocate(const apart_allocator *allocator, size_t size);

#endif
