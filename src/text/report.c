/* Error messages in a form that is safe to print: bytes of the file that are not printable appear as \xNN. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 200 };

/* Length of the well-formed UTF-8 sequence of one printable character at `bytes`, 0 if there is none (RFC 3629). */
static size_t printable_sequence(const unsigned char *bytes, size_t length)
{
    const unsigned char lead = bytes[0];
    if (lead < 0x80) {
        return lead >= 0x20 && lead != 0x7f;
    }
    const size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || n > length) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, values above U+10FFFF, and the control characters U+0080 to U+009F. */
    const unsigned char next = bytes[1];
    if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f) || (lead == 0xf0 && next < 0x90) ||
        (lead == 0xf4 && next > 0x8f) || (lead == 0xc2 && next < 0xa0)) {
        return 0;
    }
    return n;
}

int ap_is_printable(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        const size_t n = printable_sequence((const unsigned char *)bytes + i, length - i);
        if (n == 0) {
            return 0;
        }
        i += n;
    }
    return 1;
}

void ap_printable(const char *bytes, size_t length, char *out, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        const size_t n = printable_sequence((const unsigned char *)bytes + i, length - i);
        const size_t room = n > 0 ? n : 4;
        const int last = i + (n > 0 ? n : 1) >= length;
        if (used + room + (last ? 1 : 4) > capacity) {
            memcpy(out + used, "...", 3);
            used += 3;
            break;
        }
        if (n > 0) {
            memcpy(out + used, bytes + i, n);
        } else {
            snprintf(out + used, 5, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
        }
        used += room;
        i += n > 0 ? n : 1;
    }
    out[used] = '\0';
}

apart_status ap_report(apart_io_error *error, apart_status status, const char *name, size_t line, size_t column,
                       const char *format, ...)
{
    if (!error) {
        return status;
    }
    char shown[NAME_SIZE];
    ap_printable(name, strlen(name), shown, sizeof shown);
    int used;
    if (line > 0) {
        used = snprintf(error->message, sizeof error->message, "%s:%zu: ", shown, line);
    } else {
        used = snprintf(error->message, sizeof error->message, "%s: ", shown);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, arguments);
    va_end(arguments);
    error->line = line;
    error->column = column;
    return status;
}

apart_status ap_report_memory(apart_io_error *error, const char *name)
{
    return ap_report(error, APART_ERR_MEMORY, name, 0, 0, "out of memory");
}
