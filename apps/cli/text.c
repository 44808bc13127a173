/* Messages, suggestions for misspelt words, and numbers: read strictly, printed as short as exactness allows.
 *
 * The program never calls setlocale, so that strtod and printf use the "C" locale whatever the user's is. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Words longer than this are not compared. */
enum { LONGEST_WORD = 40 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other (optimal string
 * alignment). */
static size_t edit_distance(const char *from, const char *to)
{
    const size_t n = strlen(from), m = strlen(to);
    size_t table[LONGEST_WORD + 1][LONGEST_WORD + 1];
    if (n > LONGEST_WORD || m > LONGEST_WORD) {
        return LONGEST_WORD;
    }
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const size_t differs = from[i - 1] == to[j - 1] ? 0 : 1;
            table[i][j] = smallest(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + differs);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] &&
                table[i - 2][j - 2] + 1 < table[i][j]) {
                table[i][j] = table[i - 2][j - 2] + 1;
            }
        }
    }
    return table[n][m];
}

/* Length of the character at `text` if it is UTF-8 and not a control character (C0, DEL, C1), else 0. */
static size_t printable_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] >= 0x20 && c[0] != 0x7f;
    }
    const size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4 || (c[0] == 0xc2 && c[1] < 0xa0)) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) { /* also the end of the text */
            return 0;
        }
    }
    return n;
}

bool cli_is_printable(const char *text)
{
    while (*text != '\0' && printable_length(text) > 0) {
        text += printable_length(text);
    }
    return *text == '\0';
}

void cli_print_safely(FILE *stream, const char *text)
{
    while (*text != '\0') {
        const size_t length = printable_length(text);
        if (length > 0) {
            fwrite(text, 1, length, stream);
        } else {
            fprintf(stream, "\\x%02x", (unsigned)(unsigned char)*text);
        }
        text += length > 0 ? length : 1;
    }
}

/* Names from files and arguments stand in messages: what would steer the terminal is shown instead. */
static void print_message(const char *start, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    char *message = length >= 0 ? malloc((size_t)length + 1) : NULL;
    fflush(stdout);
    fputs(start, stderr);
    if (message != NULL) {
        vsnprintf(message, (size_t)length + 1, format, again);
    }
    cli_print_safely(stderr, message != NULL ? message : "out of memory");
    fputc('\n', stderr);
    free(message);
    va_end(again);
}

int cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("apart: ", format, arguments);
    va_end(arguments);
    return CLI_BAD;
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("apart: note: ", format, arguments);
    va_end(arguments);
}

const char *cli_closest(const char *word, const char *const *candidates)
{
    const char *best = NULL;
    size_t best_distance = 1 + strlen(word) / 3; /* a third of the letters may be wrong */
    for (; *candidates != NULL; candidates++) {
        const size_t distance = edit_distance(word, *candidates);
        if (distance >= strlen(word)) {
            continue; /* nothing in common */
        }
        if (distance < best_distance || (distance == best_distance && best == NULL)) {
            best = *candidates;
            best_distance = distance;
        }
    }
    return best;
}

const char *cli_suggestion(const char *word, const char *const *candidates, char text[CLI_TEXT_SIZE])
{
    const char *closest = cli_closest(word, candidates);
    text[0] = '\0';
    if (closest != NULL) {
        snprintf(text, CLI_TEXT_SIZE, " (did you mean '%s'?)", closest);
    }
    return text;
}

const char *cli_reason(apart_status status, char text[CLI_TEXT_SIZE])
{
    snprintf(text, CLI_TEXT_SIZE, "%s", apart_status_message(status));
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '.') {
        text[length - 1] = '\0';
    }
    text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

const char *cli_read_number(const char *text, const char **end, double *out)
{
    char *after;
    *end = text;
    if (isspace((unsigned char)*text)) {
        return "is not a number";
    }
    errno = 0;
    const double value = strtod(text, &after);
    if (after == text) {
        return "is not a number";
    }
    *end = after;
    if (isnan(value)) {
        return "is NaN; a finite number is needed";
    }
    if (isinf(value)) {
        return errno == ERANGE ? "is too large for a double" : "is infinite; a finite number is needed";
    }
    *out = value;
    return NULL;
}

int cli_read_numbers(const char *what, const char *text, const char **end, double *out, size_t max, size_t *count)
{
    *count = 0;
    for (;;) {
        double value = 0;
        const char *wrong = cli_read_number(text, end, &value);
        if (wrong != NULL) {
            const size_t length = strcspn(text, ",; ");
            return length == 0 ? cli_error("%s: a number is missing", what)
                               : cli_error("%s: '%.*s' %s", what, (int)length, text, wrong);
        }
        if (*count == max) {
            return cli_error("%s: expected at most %zu number%s here", what, max, max == 1 ? "" : "s");
        }
        out[(*count)++] = value;
        if (**end != ',') {
            return CLI_YES;
        }
        text = *end + 1;
    }
}

const char *cli_number(double value, char text[CLI_NUMBER_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, CLI_NUMBER_SIZE, "%.*g", digits, value == 0 ? 0.0 : value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

const char *cli_brief(double value, int direction, char text[CLI_NUMBER_SIZE])
{
    enum { DIGITS = 6 };
    double shown = value;
    snprintf(text, CLI_NUMBER_SIZE, "%.*g", DIGITS, value == 0 ? 0.0 : value);
    for (double step = fabs(value) * pow(10, -DIGITS);
         (direction < 0 && strtod(text, NULL) > value) || (direction > 0 && strtod(text, NULL) < value);) {
        shown += direction * step;
        snprintf(text, CLI_NUMBER_SIZE, "%.*g", DIGITS, shown);
    }
    return text;
}

const char *cli_brief_point(apart_vec3 p, char text[CLI_POINT_SIZE])
{
    char x[CLI_NUMBER_SIZE], y[CLI_NUMBER_SIZE], z[CLI_NUMBER_SIZE];
    const double size = fabs(p.x) + fabs(p.y) + fabs(p.z),
                 none = 1e-12 * size; /* coordinates that are negligible beside the others are shown as 0 */
    snprintf(text, CLI_POINT_SIZE, "(%s, %s, %s)", cli_brief(fabs(p.x) < none ? 0 : p.x, 0, x),
             cli_brief(fabs(p.y) < none ? 0 : p.y, 0, y), cli_brief(fabs(p.z) < none ? 0 : p.z, 0, z));
    return text;
}

const char *cli_point(apart_vec3 p, int dim, char text[CLI_POINT_SIZE])
{
    char x[CLI_NUMBER_SIZE], y[CLI_NUMBER_SIZE], z[CLI_NUMBER_SIZE];
    cli_number(p.x, x);
    cli_number(p.y, y);
    if (dim == 2) {
        snprintf(text, CLI_POINT_SIZE, "(%s, %s)", x, y);
    } else {
        snprintf(text, CLI_POINT_SIZE, "(%s, %s, %s)", x, y, cli_number(p.z, z));
    }
    return text;
}
