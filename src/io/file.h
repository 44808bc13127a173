/* Whole files in memory, growing arrays, and files that are replaced as a whole. */
#ifndef AP_IO_FILE_H
#define AP_IO_FILE_H

#include <apart/io.h>

/* No file this library reads may be larger. */
#define AP_FILE_LIMIT ((size_t)1 << 30)

/* Reads a file of at most `limit` bytes; the caller frees *data. Works for pipes too. APART_ERR_FILE, APART_ERR_MEMORY. */
apart_status ap_file_read(const char *path, size_t limit, char **data, size_t *size, apart_io_error *error);

/* The array with room for `needed` elements, moved if need be; NULL when there is no memory (the old array stays). */
void *ap_grow(void *array, size_t *capacity, size_t needed, size_t element_size);

/* A file being written beside its target. */
typedef struct ap_replacement {
    FILE *stream;
    char *target;    /* the file itself, symbolic links followed */
    char *temporary; /* NULL when the target is a device or pipe and is written directly */
    const char *name;
    apart_io_error *error;
} ap_replacement;

/* Opens r->stream for writing. APART_ERR_FILE, APART_ERR_MEMORY. */
apart_status ap_replace_begin(ap_replacement *r, const char *path, apart_io_error *error);

/* Puts the new content in place if everything was written; else removes it and reports why. The old content stays until then. */
apart_status ap_replace_end(ap_replacement *r);

#endif
