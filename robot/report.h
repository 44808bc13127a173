/* Messages with file and line, and memory. */
#ifndef ROBOT_REPORT_H
#define ROBOT_REPORT_H

#include "robot.h"

/* "FILE:LINE: ..." into the error (line 0: without); returns the status. */
apart_status robot_fail(apart_io_error *error, apart_status status, const char *file, size_t line, const char *format, ...);
apart_status robot_fail_memory(apart_io_error *error);

/* A status as part of a sentence: no capital letter, no full stop. */
enum { ROBOT_REASON_SIZE = 160 };
const char *robot_reason(apart_status status, char text[ROBOT_REASON_SIZE]);

char *robot_copy(const char *text);
/* Room for one more element of `size` bytes behind `count`: doubles at powers of two. NULL: no memory, the old stays. */
void *robot_grow(void *array, size_t count, size_t size);

static inline double robot_dot(apart_vec3 a, apart_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline apart_vec3 robot_sub(apart_vec3 a, apart_vec3 b) { return (apart_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline apart_vec3 robot_add(apart_vec3 a, apart_vec3 b) { return (apart_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline apart_vec3 robot_scale(double s, apart_vec3 a) { return (apart_vec3){s * a.x, s * a.y, s * a.z}; }
static inline apart_vec3 robot_cross(apart_vec3 a, apart_vec3 b)
{
    return (apart_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
double robot_length(apart_vec3 v);

#endif
