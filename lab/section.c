/* A section of the report while its experiment runs. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

static char *format_list(const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    char *text = lab_allocate((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

static lab_item *add_item(lab_section *s, lab_item_kind kind)
{
    s->items = lab_grow(s->items, s->item_count + 1, sizeof *s->items);
    s->items[s->item_count] = (lab_item){.kind = kind};
    return &s->items[s->item_count++];
}

void lab_paper(lab_section *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_item(s, LAB_ITEM_PAPER)->text = format_list(format, list);
    va_end(list);
}

void lab_here(lab_section *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_item(s, LAB_ITEM_HERE)->text = format_list(format, list);
    va_end(list);
}

void lab_words(lab_section *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_item(s, LAB_ITEM_TEXT)->text = format_list(format, list);
    va_end(list);
}

void lab_show_table(lab_section *s, lab_table *table)
{
    add_item(s, LAB_ITEM_TABLE)->table = *table;
    *table = (lab_table){.title = NULL};
}

static void add_check(lab_section *s, bool must, bool holds, char *text)
{
    s->checks = lab_grow(s->checks, s->check_count + 1, sizeof *s->checks);
    s->checks[s->check_count++] = (lab_check){.text = text, .must = must, .holds = holds};
}

void lab_must(lab_section *s, bool holds, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_check(s, true, holds, format_list(format, list));
    va_end(list);
}

void lab_claim(lab_section *s, bool agrees, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_check(s, false, agrees, format_list(format, list));
    va_end(list);
}

void lab_progress(lab_section *s, double done)
{
    enum { WIDTH = 40 };
    s->done = done;
    if (!s->settings->progress) {
        return;
    }
    const double whole = s->from + s->share * done;
    const int filled = (int)(WIDTH * whole + 0.5);
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %-14s", filled, "########################################", WIDTH - filled, "", 100.0 * whole,
            s->experiment->name);
    fflush(stderr);
}

static void add_file(lab_section *s, char *name)
{
    s->files = lab_grow(s->files, s->file_count + 1, sizeof *s->files);
    s->files[s->file_count++] = name;
}

FILE *lab_csv_open(lab_section *s, const char *name, const char *header)
{
    char *path = lab_format("%s/%s.csv", s->settings->directory, name);
    FILE *csv = fopen(path, "w");
    if (csv == NULL) {
        fprintf(stderr, "apart: cannot write %s: %s\n", path, strerror(errno));
        exit(2);
    }
    free(path);
    add_file(s, lab_format("%s.csv", name));
    fprintf(csv, "%s\n", header);
    return csv;
}

void lab_csv_close(FILE *csv)
{
    if (ferror(csv) || fclose(csv) != 0) {
        fprintf(stderr, "apart: cannot write a CSV file: %s\n", strerror(errno));
        exit(2);
    }
}

/* ---- plots end up here ---- */

/* gnuplot's exit status says little: did it write something? */
static bool is_filled(const lab_section *s, const char *name, const char *ending)
{
    char *path = lab_format("%s/%s.%s", s->settings->directory, name, ending);
    FILE *file = fopen(path, "r");
    const bool filled = file != NULL && fgetc(file) != EOF;
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    return filled;
}

/* A name between single quotes as gnuplot reads it: a quote is doubled. */
static void write_quoted(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'" : "", stream);
        fputc(*text, stream);
    }
}

static bool draw(const lab_section *s, const lab_plot *p, const char *terminal, const char *ending, const lab_text *script)
{
    FILE *gnuplot = popen("gnuplot 2> /dev/null", "w");
    if (gnuplot == NULL) {
        return false;
    }
    fprintf(gnuplot, "set terminal %s\nset output '", terminal);
    write_quoted(gnuplot, s->settings->directory);
    fprintf(gnuplot, "/%s.%s'\n", p->name, ending);
    fwrite(script->data, 1, script->length, gnuplot);
    fputs("unset output\n", gnuplot);
    return pclose(gnuplot) == 0 && is_filled(s, p->name, ending);
}

static void save_script(lab_section *s, const lab_plot *p, const lab_text *script)
{
    char *path = lab_format("%s/%s.gnuplot", s->settings->directory, p->name);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "# gnuplot -p %s.gnuplot\n", p->name);
        fwrite(script->data, 1, script->length, file);
        fclose(file);
        add_file(s, lab_format("%s.gnuplot", p->name));
    }
    free(path);
}

void lab_plot_end(lab_section *s, lab_plot *p)
{
    lab_text script = {NULL, 0, 0};
    lab_item *item = add_item(s, LAB_ITEM_FIGURE);
    lab_text_append(&script, p->data.data, p->data.length);
    lab_text_add(&script, "%s", p->collecting ? "EOD\n" : "");
    lab_text_add(&script,
                 "set encoding utf8\nset border 3 lw 1\nset tics nomirror out\nset grid lt 1 lc rgb '#e8e8e8' lw 0.7\nset key Left reverse "
                 "font ',12' samplen 2.5 spacing 1.15\nset style data linespoints\nset pointsize 0.7\nset multiplot layout "
                 "%d,%d\n%s\nunset multiplot\n",
                 p->rows, p->columns, p->commands.data);
    save_script(s, p, &script);
    item->text = p->caption;
    if (s->gnuplot) {
        char *svg = lab_format("svg size %d,%d enhanced font 'Helvetica,15' background rgb 'white' name '%s'", p->width, p->height,
                               p->name);
        char *png = lab_format("pngcairo size %d,%d enhanced font 'sans,11' fontscale 1.5 linewidth 1.5 pointscale 1.5 background 'white'",
                               p->width * 3 / 2, p->height * 3 / 2);
        if (draw(s, p, svg, "svg", &script)) {
            add_file(s, lab_format("%s.svg", p->name));
            item->file = lab_copy(p->name);
        }
        if (draw(s, p, png, "png", &script)) {
            add_file(s, lab_format("%s.png", p->name));
        }
        lab_must(s, item->file != NULL, "gnuplot draws %s", p->name);
        free(svg);
        free(png);
    }
    free(p->name);
    lab_text_free(&script);
    lab_text_free(&p->data);
    lab_text_free(&p->commands);
}
