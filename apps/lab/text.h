/* Memory that is there or ends the program, texts that grow, and tables of cells. */
#ifndef LAB_TEXT_H
#define LAB_TEXT_H

#include <stddef.h>
#include <stdio.h>

#if defined(__GNUC__)
#define LAB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LAB_PRINTF(text, first)
#endif

/* Zeroed. Ends the program with status 2 when there is none. */
void *lab_allocate(size_t count, size_t size);
void *lab_grow(void *memory, size_t count, size_t size);
char *lab_copy(const char *text);

typedef struct lab_text {
    char *data; /* NULL while empty */
    size_t length, capacity;
} lab_text;

void lab_text_add(lab_text *text, const char *format, ...) LAB_PRINTF(2, 3);
void lab_text_append(lab_text *text, const char *data, size_t length);
void lab_text_free(lab_text *text);
/* A formatted text of its own, to be freed. */
char *lab_format(const char *format, ...) LAB_PRINTF(1, 2);

typedef struct lab_table {
    char *title;
    size_t columns, rows;
    char **cells; /* the first row holds the headings */
} lab_table;

/* Headings and cells are separated by '|'. */
void lab_table_init(lab_table *table, const char *title, const char *headings);
void lab_table_row(lab_table *table, const char *format, ...) LAB_PRINTF(2, 3);
void lab_table_free(lab_table *table);
void lab_table_print(const lab_table *table, FILE *stream);
void lab_table_html(const lab_table *table, lab_text *html);
/* & < > as entities. */
void lab_html_escape(lab_text *html, const char *text);

#endif
