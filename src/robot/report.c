/* Messages with file and line. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

apart_status ap_robot_fail(apart_io_error *error, apart_status status, const char *file, size_t line,
                           const char *format, ...)
{
    va_list arguments;
    if (error == NULL) {
        return status;
    }
    *error = (apart_io_error){.line = line};
    int used = 0;
    if (file != NULL) {
        used = line > 0 ? snprintf(error->message, sizeof error->message, "%.200s:%zu: ", file, line)
                        : snprintf(error->message, sizeof error->message, "%.200s: ", file);
    }
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

apart_status ap_robot_fail_memory(apart_io_error *error)
{
    return ap_robot_fail(error, APART_ERR_MEMORY, NULL, 0, "out of memory");
}
