/* Archives: a header, then hulls, meshes, compounds and, of a world, its bodies, in fields of little-endian bytes without
 * padding. A writer counts what it has no room for; a reader remembers that it has failed and then reads zeros. */
#ifndef AP_ARCHIVE_ARCHIVE_H
#define AP_ARCHIVE_ARCHIVE_H

#include <apart/archive.h>
#include <apart/hull.h>

#include <stdbool.h>
#include <string.h>

#include "../base/array.h"
#include "../base/owned.h"

#define AP_ARCHIVE_MAGIC UINT64_C(0x5649484352415041) /* "APARCHIV" */
#define AP_ARCHIVE_VERSION 1u

enum { AP_ARCHIVE_COMPOUND = 1, AP_ARCHIVE_WORLD = 2 };

/* magic, version, kind, size of the whole, hash of what follows the header */
enum { AP_ARCHIVE_HEADER = 8 + 4 + 4 + 8 + 8 };

/* ---- writing ---- */

/* Different pointers in the order in which they were met, found by hashing. */
typedef struct ap_pointer_list {
    ap_array items; /* of const void * */
    ap_array table; /* of uint32_t: the number plus one; count is 0 or a power of two */
} ap_pointer_list;

typedef struct ap_archive_writer {
    unsigned char *memory;
    size_t size, used;
    apart_status status;
    apart_allocator allocator;
    ap_pointer_list hulls, meshes, compounds;
} ap_archive_writer;

void ap_writer_begin(ap_archive_writer *w, const apart_allocator *allocator, void *memory, size_t size);
/* Notes what a shape, or all parts of a compound, borrow; then writes them, without what they contain. */
void ap_writer_note_shape(ap_archive_writer *w, const apart_shape *shape);
void ap_writer_note_compound(ap_archive_writer *w, const apart_compound *compound);
void ap_writer_note_mesh(ap_archive_writer *w, const apart_mesh *mesh);
/* The header and everything that was noted. */
void ap_writer_put_library(ap_archive_writer *w, uint32_t kind);
/* Fills the header, frees the lists. */
apart_status ap_writer_end(ap_archive_writer *w, size_t *needed);

void ap_put_u32(ap_archive_writer *w, uint32_t x);
void ap_put_u64(ap_archive_writer *w, uint64_t x);
void ap_put_double(ap_archive_writer *w, double x);
void ap_put_vec(ap_archive_writer *w, apart_vec3 v);
void ap_put_pose(ap_archive_writer *w, const apart_pose *pose);
void ap_put_shape(ap_archive_writer *w, const apart_shape *shape);
/* The number of something that was noted. */
uint32_t ap_pointer_number(const ap_pointer_list *list, const void *pointer);

/* ---- reading ---- */

typedef struct ap_archive_reader {
    const unsigned char *at, *end;
    apart_status status;
    apart_allocator allocator;
    ap_owned *owned; /* everything that was made */
    const apart_hull **hulls;
    const apart_mesh **meshes;
    apart_compound **compounds;
    uint32_t hull_count, mesh_count, compound_count;
} ap_archive_reader;

/* Checks the header and makes all hulls, meshes and compounds. */
void ap_reader_begin(ap_archive_reader *r, const apart_allocator *allocator, const void *memory, size_t size,
                     uint32_t kind);
uint32_t ap_get_u32(ap_archive_reader *r);
uint64_t ap_get_u64(ap_archive_reader *r);
double ap_get_double(ap_archive_reader *r);
apart_vec3 ap_get_vec(ap_archive_reader *r);
apart_pose ap_get_pose(ap_archive_reader *r);
apart_shape ap_get_shape(ap_archive_reader *r, int depth);
/* A number of things that take at least `least` bytes each; a number that cannot be is a failure. */
uint32_t ap_get_count(ap_archive_reader *r, size_t least);
void ap_reader_fail(ap_archive_reader *r, apart_status status);

#endif
