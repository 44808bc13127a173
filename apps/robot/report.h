/* Messages with file and line, and memory. */
#ifndef ROBOT_REPORT_H
#define ROBOT_REPORT_H

#include "robot.h"

/* "FILE:LINE: ..." into the error (line 0: without); returns the status. */
apart_status robot_fail(apart_io_error *error, apart_status status, const char *file, size_t line, const char *format,
                        ...);
apart_status robot_fail_memory(apart_io_error *error);

/* A status as part of a sentence: no capital letter, no full stop. */
enum { ROBOT_REASON_SIZE = 160 };
const char *robot_reason(apart_status status, char text[ROBOT_REASON_SIZE]);

char *robot_copy(const char *text);
/* Room for one more element of `size` bytes behind `count`: doubles at powers of two. NULL: no memory, the old
 * stays. */
void *robot_grow(void *array, size_t count, size_t size);

#endif
