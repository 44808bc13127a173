/** @file
 * apart/archive.h: compounds and worlds as bytes, for files and for other processes.
 *
 *     size_t size = 0;
 *     apart_world_write(world, NULL, 0, &size);                  // how many bytes?
 *     apart_world_write(world, memory, size, &size);
 *     ...
 *     apart_world *copy = NULL;
 *     apart_world_read(memory, size, NULL, &copy);               // anywhere, later: it owns all it needs
 *
 * An archive holds everything that the shapes borrow: hulls, meshes, point sets, children, each hull, mesh and compound
 * once. It has no pointers and is little-endian on every machine. Reading trusts nothing: a length, an index, a shape or
 * a pose that is wrong gives APART_ERR_BLOCK, and shapes are made by their constructors again, with the same bits.
 * What is code cannot be written: callback shapes, filters, executors.
 * Read next: apart/world.h (apart_world_snapshot: faster, with all caches, for one process).
 */
#ifndef APART_ARCHIVE_H
#define APART_ARCHIVE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes a compound with all that its parts borrow, and their user data. *needed (may be NULL) gets the size of the
 *  archive; memory NULL with size 0 asks for it. APART_ERR_NULL, APART_ERR_SIZE (`size` is too small; nothing is
 *  written), APART_ERR_CALLBACK (a callback shape), APART_ERR_MEMORY. */
APART_API apart_status apart_compound_write(const apart_compound *compound, void *memory, size_t size, size_t *needed);

/** Makes a compound from an archive, which is not needed afterwards. What its parts borrow belongs to the compound and
 *  is freed with it. allocator NULL: malloc. APART_ERR_NULL, APART_ERR_BLOCK, APART_ERR_MEMORY. */
APART_API apart_status apart_compound_read(const void *memory, size_t size, const apart_allocator *allocator,
                                           apart_compound **out);

/** Writes all bodies of a world with their ids, poses, filters and user data, its disabled pairs, and what its events
 *  remember; caches and counters are not written. Statuses as apart_compound_write. */
APART_API apart_status apart_world_write(const apart_world *world, void *memory, size_t size, size_t *needed);

/** Makes a world from an archive: bodies have the same ids. Compounds, meshes and what shapes borrow belong to the world
 *  and are freed with it. options as for apart_world_create. APART_ERR_NULL, APART_ERR_OPTION, APART_ERR_BLOCK,
 *  APART_ERR_SIZE (more bodies than options->max_bodies), APART_ERR_MEMORY. */
APART_API apart_status apart_world_read(const void *memory, size_t size, const apart_world_options *options,
                                        apart_world **out);

#ifdef __cplusplus
}
#endif
#endif
