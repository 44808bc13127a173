/* Messages with file and line, and memory. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

apart_status robot_fail(apart_io_error *error, apart_status status, const char *file, size_t line, const char *format,
                        ...)
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

apart_status robot_fail_memory(apart_io_error *error)
{
    return robot_fail(error, APART_ERR_MEMORY, NULL, 0, "out of memory");
}

const char *robot_reason(apart_status status, char text[ROBOT_REASON_SIZE])
{
    const char *message = apart_status_message(status);
    const size_t length = strlen(message);
    snprintf(text, ROBOT_REASON_SIZE, "%.*s", (int)(length > 0 && message[length - 1] == '.' ? length - 1 : length),
             message);
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

char *robot_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void *robot_grow(void *array, size_t count, size_t size)
{
    const bool full = count == 0 || (count & (count - 1)) == 0;
    return full ? realloc(array, (count == 0 ? 1 : 2 * count) * size) : array;
}
