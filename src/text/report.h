/* Error messages about a file, as one printable line: every message of the readers and writers is made here. */
#ifndef AP_TEXT_REPORT_H
#define AP_TEXT_REPORT_H

#include <apart/io.h>

/* Sets error (may be NULL) to "NAME:LINE: text", or "NAME: text" when line is 0, and returns `status`. */
apart_status ap_report(apart_io_error *error, apart_status status, const char *name, size_t line, size_t column,
                       const char *format, ...);

/* Returns APART_ERR_MEMORY with its message. */
apart_status ap_report_memory(apart_io_error *error, const char *name);

/* 1 when all bytes are printable ASCII or well-formed UTF-8 without control characters. */
int ap_is_printable(const char *bytes, size_t length);

/* Copies foreign bytes in printable form (others as \xNN), cut with "..." to fit `capacity` >= 8 bytes, ending zero
 * included. */
void ap_printable(const char *bytes, size_t length, char *out, size_t capacity);

#endif
