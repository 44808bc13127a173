/* Reading a whole file into memory, replacing a file atomically, and arrays that grow. */
#ifndef AP_TEXT_FILE_H
#define AP_TEXT_FILE_H

#include <apart/io.h>
#include <stdbool.h>
#include <stdlib.h>

/* No file this library reads may be larger. */
#define AP_FILE_LIMIT ((size_t)1 << 30)

/* Reads a file or pipe of at most `limit` bytes; the caller frees *data. Fails with APART_ERR_FILE or
 * APART_ERR_MEMORY. */
apart_status ap_file_read(const char *path, size_t limit, char **data, size_t *size, apart_io_error *error);

/* Is it a file that can be read? */
bool ap_file_exists(const char *path);

/* Returns the array with room for `needed` elements, reallocated if necessary; NULL: no memory, and the old array
 * stays. */
static inline void *ap_grow(void *array, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity) {
        return array;
    }
    size_t larger = *capacity + *capacity / 2;
    larger = larger < needed ? needed : larger;
    larger = larger < 16 ? 16 : larger;
    if (larger > SIZE_MAX / element_size) {
        return NULL;
    }
    void *moved = realloc(array, larger * element_size);
    if (moved) {
        *capacity = larger;
    }
    return moved;
}

/* A file being written beside its target. */
typedef struct ap_replacement {
    FILE *stream;
    char *target;    /* the file itself, symbolic links followed */
    char *temporary; /* NULL: the file has no name yet, or */
    int direct;      /* the target is a device or pipe and is written directly */
    const char *name;
    apart_io_error *error;
} ap_replacement;

/* Opens r->stream for writing. Fails with APART_ERR_FILE or APART_ERR_MEMORY. */
apart_status ap_replace_begin(ap_replacement *r, const char *path, apart_io_error *error);

/* Puts the new content in place if everything was written; otherwise removes it and reports why. Until then the old
 * content stays. */
apart_status ap_replace_end(ap_replacement *r);

#endif
