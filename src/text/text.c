/* The tokenizer of the text formats, and numbers that do not depend on the locale. */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* A point halfway between two doubles has at most 767 significant digits; of further ones it matters only whether
 * one is not 0. */
enum { DIGITS_KEPT = 800, EXPONENT_LIMIT = 100000, QUOTE_SIZE = 48 };

/* Length of the line end at `position`, 0 if there is none. */
static size_t newline_at(const ap_text *text, size_t position)
{
    if (position >= text->size) {
        return 0;
    }
    if (text->data[position] == '\n') {
        return 1;
    }
    if (text->data[position] != '\r') {
        return 0;
    }
    return position + 1 < text->size && text->data[position + 1] == '\n' ? 2 : 1;
}

static void start_line(ap_text *text, size_t position)
{
    text->position = position;
    text->line_start = position;
    text->line++;
}

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* Is there a backslash that joins the next line? */
static int continues_at(const ap_text *text, size_t position)
{
    return text->continues && text->data[position] == '\\' && newline_at(text, position + 1) > 0;
}

static void skip_blanks(ap_text *text)
{
    while (text->position < text->size) {
        if (is_blank(text->data[text->position])) {
            text->position++;
        } else if (continues_at(text, text->position)) {
            start_line(text, text->position + 1 + newline_at(text, text->position + 1));
        } else {
            break;
        }
    }
}

static int at_comment(const ap_text *text)
{
    return text->comment && text->position < text->size && text->data[text->position] == text->comment;
}

static int ends_token(const ap_text *text, size_t position)
{
    const char c = text->data[position];
    return is_blank(c) || c == '\n' || c == '\r' || (text->separator && c == text->separator) ||
           continues_at(text, position);
}

void ap_text_open(ap_text *text, const void *data, size_t size, char comment, const char *name, apart_io_error *error)
{
    *text = (ap_text){.data = data, .size = size, .line = 1, .comment = comment, .name = name, .error = error};
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        text->position = text->line_start = 3;
    }
}

int ap_text_at_end(const ap_text *text) { return text->position >= text->size; }

int ap_text_token(ap_text *text, ap_token *token)
{
    skip_blanks(text);
    const size_t begin = text->position;
    *token = (ap_token){text->data + begin, 0, text->line, begin - text->line_start + 1};
    size_t end = begin;
    while (!at_comment(text) && end < text->size && !ends_token(text, end)) {
        end++;
    }
    token->length = end - begin;
    text->position = end;
    text->last = *token;
    return end > begin;
}

int ap_text_token_across(ap_text *text, ap_token *token)
{
    for (;;) {
        if (ap_text_token(text, token)) {
            return 1;
        }
        if (ap_text_at_end(text)) {
            return 0;
        }
        ap_text_skip_line(text);
    }
}

int ap_text_take(ap_text *text, char c)
{
    skip_blanks(text);
    if (ap_text_at_end(text) || text->data[text->position] != c) {
        return 0;
    }
    text->position++;
    return 1;
}

void ap_text_skip_line(ap_text *text)
{
    skip_blanks(text);
    const int comment = at_comment(text);
    for (size_t i = text->position; i < text->size;) {
        if (!comment && continues_at(text, i)) {
            start_line(text, i + 1 + newline_at(text, i + 1));
            i = text->position;
            continue;
        }
        const size_t newline = newline_at(text, i);
        if (newline > 0) {
            start_line(text, i + newline);
            return;
        }
        i++;
    }
    text->position = text->size;
}

ap_token ap_text_rest(ap_text *text)
{
    skip_blanks(text);
    const size_t begin = text->position;
    size_t end = begin;
    while (end < text->size && newline_at(text, end) == 0) {
        end++;
    }
    text->position = end;
    while (end > begin && is_blank(text->data[end - 1])) {
        end--;
    }
    return (ap_token){text->data + begin, end - begin, text->line, begin - text->line_start + 1};
}

int ap_text_content_line(ap_text *text)
{
    for (;;) {
        skip_blanks(text);
        if (ap_text_at_end(text)) {
            return 0;
        }
        if (!at_comment(text) && newline_at(text, text->position) == 0) {
            return 1;
        }
        ap_text_skip_line(text);
    }
}

apart_status ap_text_record(ap_text *text, const char *what, uint64_t number, uint64_t count)
{
    ap_token end;
    if (ap_text_content_line(text)) {
        return APART_OK;
    }
    ap_text_token(text, &end);
    return ap_text_expected(text, &end, "%s %" PRIu64 " of %" PRIu64, what, number, count);
}

apart_status ap_text_line_end(ap_text *text, const char *after)
{
    ap_token token;
    if (!ap_text_token(text, &token) &&
        (ap_text_at_end(text) || at_comment(text) || newline_at(text, text->position) > 0)) {
        return APART_OK;
    }
    return ap_text_expected(text, &token, "the end of the line after %s", after);
}

apart_status ap_text_number(ap_text *text, const char *what, double *out)
{
    ap_token token;
    if (!ap_text_token(text, &token) || !ap_parse_number(token.start, token.length, out)) {
        return ap_text_expected(text, &token, "%s", what);
    }
    if (!isfinite(*out)) {
        return ap_text_expected(text, &token, "%s within the range of doubles", what);
    }
    return APART_OK;
}

apart_status ap_text_count(ap_text *text, const char *what, int64_t minimum, uint64_t *out)
{
    ap_token token;
    int64_t value;
    if (!ap_text_token(text, &token) || !ap_parse_integer(token.start, token.length, &value) || value < minimum) {
        return ap_text_expected(text, &token, "%s", what);
    }
    *out = (uint64_t)value;
    return APART_OK;
}

apart_status ap_text_expected(const ap_text *text, const ap_token *found, const char *what, ...)
{
    char wanted[200], quoted[QUOTE_SIZE];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(wanted, sizeof wanted, what, arguments);
    va_end(arguments);
    const int at_end = found->start == text->data + text->size;
    const size_t length =
        found->length == 0 && !at_end && text->separator && *found->start == text->separator ? 1 : found->length;
    if (length > 0) {
        ap_printable(found->start, length, quoted, sizeof quoted);
        return ap_report(text->error, APART_ERR_SYNTAX, text->name, found->line, found->column,
                         "expected %s, found '%s'", wanted, quoted);
    }
    return ap_report(text->error, APART_ERR_SYNTAX, text->name, found->line, found->column,
                     "expected %s, found the end of the %s", wanted, at_end ? "file" : "line");
}

int ap_token_is(const ap_token *token, const char *word)
{
    return token->length == strlen(word) && memcmp(token->start, word, token->length) == 0;
}

/* ASCII only: the program's locale must not matter. */
static char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

int ap_token_is_nocase(const ap_token *token, const char *word)
{
    if (token->length != strlen(word)) {
        return 0;
    }
    for (size_t i = 0; i < token->length; i++) {
        if (ascii_lower(token->start[i]) != ascii_lower(word[i])) {
            return 0;
        }
    }
    return 1;
}

/* A number without its point: digits * base^exponent; for hexadecimal digits the exponent counts powers of two. */
typedef struct scanned_digits {
    char text[DIGITS_KEPT + 1];
    size_t used;
    long long exponent;
    int any;
} scanned_digits;

static int is_digit(char c, int hex)
{
    return (c >= '0' && c <= '9') || (hex && ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
}

/* Reads digits with at most one point from s[i]; returns where they end. */
static size_t scan_digits(const char *s, size_t n, size_t i, int hex, scanned_digits *d)
{
    const int step = hex ? 4 : 1;
    int point = 0, dropped = 0;
    for (; i < n; i++) {
        if (s[i] == '.' && !point) {
            point = 1;
            continue;
        }
        if (!is_digit(s[i], hex)) {
            break;
        }
        d->any = 1;
        if (point) {
            d->exponent -= step;
        }
        if (d->used == 0 && s[i] == '0') {
            continue;
        }
        if (d->used < DIGITS_KEPT) {
            d->text[d->used++] = s[i];
        } else {
            dropped |= s[i] != '0';
            d->exponent += step;
        }
    }
    if (dropped) {
        d->text[d->used++] = '1';
        d->exponent -= step;
    }
    return i;
}

/* Adds the exponent after 'e' or 'p' at s[i] to *exponent; returns where it ends, 0 when it has no digits. */
static size_t scan_exponent(const char *s, size_t n, size_t i, long long *exponent)
{
    const int negative = i < n && s[i] == '-';
    if (i < n && (s[i] == '-' || s[i] == '+')) {
        i++;
    }
    const size_t first = i;
    long long value = 0;
    for (; i < n && is_digit(s[i], 0); i++) {
        if (value < 1000000000000000LL) {
            value = 10 * value + (s[i] - '0');
        }
    }
    *exponent += negative ? -value : value;
    return i > first ? i : 0;
}

/* strtod expects the decimal point of the program's locale. It gets a number without one: 125e2 instead of 12.5e3. */
int ap_parse_number(const char *s, size_t n, double *out)
{
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
    const int negative = n > 0 && s[0] == '-';
    const int hex = n - i > 2 && s[i] == '0' && ascii_lower(s[i + 1]) == 'x';
    scanned_digits d = {.used = 0};
    i = scan_digits(s, n, i + (hex ? 2 : 0), hex, &d);
    if (!d.any) {
        return 0;
    }
    if (i < n && ascii_lower(s[i]) == (hex ? 'p' : 'e')) {
        i = scan_exponent(s, n, i + 1, &d.exponent);
    }
    if (i != n) {
        return 0;
    }
    double value = 0;
    if (d.used > 0) {
        char without_point[DIGITS_KEPT + 32];
        const long long limit = EXPONENT_LIMIT;
        const long long exponent = d.exponent > limit ? limit : d.exponent < -limit ? -limit : d.exponent;
        snprintf(without_point, sizeof without_point, "%s%.*s%c%lld", hex ? "0x" : "", (int)d.used, d.text,
                 hex ? 'p' : 'e', exponent);
        value = strtod(without_point, NULL);
    }
    *out = negative ? -value : value;
    return 1;
}

int ap_parse_integer(const char *s, size_t n, int64_t *out)
{
    const int negative = n > 0 && s[0] == '-';
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
    if (i == n) {
        return 0;
    }
    int64_t value = 0;
    for (; i < n; i++) {
        if (!is_digit(s[i], 0) || value > (INT64_MAX - 9) / 10) {
            return 0;
        }
        value = 10 * value + (s[i] - '0');
    }
    *out = negative ? -value : value;
    return 1;
}

/* printf writes the decimal point of the program's locale, one or several bytes: all that is not a digit, a sign or
 * 'e'. */
void ap_format_number(double value, char out[40])
{
    char local[64];
    snprintf(local, sizeof local, "%.17g", value);
    size_t used = 0;
    for (const char *p = local; *p && used < 39; p++) {
        if (strchr("0123456789+-e", *p)) {
            out[used++] = *p;
        } else if (used == 0 || out[used - 1] != '.') {
            out[used++] = '.';
        }
    }
    out[used] = '\0';
}
