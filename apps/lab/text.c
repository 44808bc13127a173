/* Texts that grow, and tables. */
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *lab_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fputs("apart: lab: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

void *lab_grow(void *memory, size_t count, size_t size)
{
    void *larger = realloc(memory, count * size);
    if (larger == NULL) {
        fputs("apart: lab: out of memory\n", stderr);
        exit(2);
    }
    return larger;
}

char *lab_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(lab_allocate(size, 1), text, size);
}

static void reserve(lab_text *text, size_t more)
{
    if (text->length + more + 1 > text->capacity) {
        text->capacity = 2 * (text->length + more + 1);
        text->data = lab_grow(text->data, text->capacity, 1);
    }
}

static void add_list(lab_text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    va_end(again);
    text->length += (size_t)length;
}

void lab_text_add(lab_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_list(text, format, list);
    va_end(list);
}

void lab_text_append(lab_text *text, const char *data, size_t length)
{
    reserve(text, length);
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void lab_text_free(lab_text *text)
{
    free(text->data);
    *text = (lab_text){NULL, 0, 0};
}

char *lab_format(const char *format, ...)
{
    lab_text text = {NULL, 0, 0};
    va_list list;
    va_start(list, format);
    add_list(&text, format, list);
    va_end(list);
    return text.data;
}

/* ---- tables ---- */

/* Splits at '|' into new cells; missing ones are empty, further ones stay in the last. */
static void add_row(lab_table *table, char *line)
{
    table->cells = lab_grow(table->cells, (table->rows + 1) * table->columns, sizeof *table->cells);
    char **row = table->cells + table->rows++ * table->columns;
    for (size_t i = 0; i < table->columns; i++) {
        char *bar = i + 1 < table->columns ? strchr(line, '|') : NULL;
        if (bar != NULL) {
            *bar = '\0';
        }
        row[i] = lab_copy(line);
        line = bar != NULL ? bar + 1 : line + strlen(line);
    }
}

void lab_table_init(lab_table *table, const char *title, const char *headings)
{
    *table = (lab_table){.title = lab_copy(title), .columns = 1};
    for (const char *c = headings; *c != '\0'; c++) {
        table->columns += *c == '|';
    }
    char *line = lab_copy(headings);
    add_row(table, line);
    free(line);
}

void lab_table_row(lab_table *table, const char *format, ...)
{
    lab_text text = {NULL, 0, 0};
    va_list list;
    va_start(list, format);
    add_list(&text, format, list);
    va_end(list);
    add_row(table, text.data);
    lab_text_free(&text);
}

void lab_table_free(lab_table *table)
{
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        free(table->cells[i]);
    }
    free(table->cells);
    free(table->title);
    *table = (lab_table){.title = NULL};
}

/* Characters, not bytes: cells may hold UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

void lab_table_print(const lab_table *table, FILE *stream)
{
    size_t *width = lab_allocate(table->columns, sizeof *width);
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        const size_t w = width_of(table->cells[i]);
        width[i % table->columns] = w > width[i % table->columns] ? w : width[i % table->columns];
    }
    fprintf(stream, "\n%s\n", table->title);
    for (size_t r = 0; r < table->rows; r++) {
        for (size_t c = 0; c < table->columns; c++) {
            const char *cell = table->cells[r * table->columns + c];
            const int fill = (int)(width[c] - width_of(cell));
            if (c == 0) {
                fprintf(stream, "  %s%*s", cell, fill, "");
            } else {
                fprintf(stream, "  %*s%s", fill, "", cell);
            }
        }
        fputc('\n', stream);
    }
    free(width);
}

void lab_html_escape(lab_text *html, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': lab_text_append(html, "&amp;", 5); break;
        case '<': lab_text_append(html, "&lt;", 4); break;
        case '>': lab_text_append(html, "&gt;", 4); break;
        default: lab_text_append(html, text, 1);
        }
    }
}

void lab_table_html(const lab_table *table, lab_text *html)
{
    lab_text_add(html, "<div class=\"scroll\"><table>\n<caption>");
    lab_html_escape(html, table->title);
    lab_text_add(html, "</caption>\n");
    for (size_t r = 0; r < table->rows; r++) {
        lab_text_add(html, "<tr>");
        for (size_t c = 0; c < table->columns; c++) {
            const char *tag = r == 0 || c == 0 ? "th" : "td";
            lab_text_add(html, "<%s>", tag);
            lab_html_escape(html, table->cells[r * table->columns + c]);
            lab_text_add(html, "</%s>", tag);
        }
        lab_text_add(html, "</tr>\n");
    }
    lab_text_add(html, "</table></div>\n");
}
