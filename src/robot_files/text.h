/* Messages of the readers of robots, and copies of texts. */
#ifndef AP_ROBOT_FILES_TEXT_H
#define AP_ROBOT_FILES_TEXT_H

#include <apart/robot_io.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../text/report.h"

/* "FILE:LINE: ..." into the error; returns the status. */
#define ap_robot_report(error, status, file, line, ...) ap_report(error, status, file, line, 0, __VA_ARGS__)

static inline apart_status ap_robot_no_memory(apart_io_error *error)
{
    return ap_report(error, APART_ERR_MEMORY, "robot", 0, 0, "out of memory");
}

/* A status as part of a sentence: no capital letter, no full stop. */
enum { AP_REASON_SIZE = 160 };

static inline const char *ap_robot_reason(apart_status status, char text[AP_REASON_SIZE])
{
    const char *message = apart_status_message(status);
    const size_t length = strlen(message);
    snprintf(text, AP_REASON_SIZE, "%.*s", (int)(length > 0 && message[length - 1] == '.' ? length - 1 : length),
             message);
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

static inline char *ap_robot_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/* Room for one more element of `size` bytes behind `count`: doubles at powers of two. NULL: no memory, the old
 * stays. */
static inline void *ap_robot_grow(void *array, size_t count, size_t size)
{
    const bool full = count == 0 || (count & (count - 1)) == 0;
    return full ? realloc(array, (count == 0 ? 1 : 2 * count) * size) : array;
}

#endif
