/* Messages with file and line, and memory of models. */
#ifndef AP_ROBOT_REPORT_H
#define AP_ROBOT_REPORT_H

#include <stdlib.h>
#include <string.h>

#include "robot.h"

/* "FILE:LINE: ..." into the error (line 0: without; error may be NULL); returns the status. */
apart_status ap_robot_fail(apart_io_error *error, apart_status status, const char *file, size_t line,
                           const char *format, ...);
apart_status ap_robot_fail_memory(apart_io_error *error);

/* A copy of a text, or NULL. */
static inline char *ap_robot_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* Room for one more element of `size` bytes behind `count`: doubles at powers of two. NULL: no memory, the old
 * stays. */
static inline void *ap_robot_grow(const void *array, size_t count, size_t size)
{
    const bool full = count == 0 || (count & (count - 1)) == 0;
    return full ? realloc((void *)array, (count == 0 ? 1 : 2 * count) * size) : (void *)array;
}

#endif
