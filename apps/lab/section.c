/* A section of the report while its experiment runs. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <apart/apart.h>

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

static lab_check *add_check(lab_section *s, char *text)
{
    s->checks = lab_grow(s->checks, s->check_count + 1, sizeof *s->checks);
    s->checks[s->check_count] = (lab_check){.text = text};
    return &s->checks[s->check_count++];
}

void lab_must(lab_section *s, bool holds, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lab_check *check = add_check(s, format_list(format, list));
    check->must = true;
    check->holds = holds;
    va_end(list);
}

static bool is_within(const double range[2], const double limits[2])
{
    return limits[0] <= range[0] && range[1] <= limits[1];
}

void lab_judge(lab_section *s, const lab_claim *claim, double low, double high, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lab_check *check = add_check(s, format_list(format, list));
    va_end(list);
    check->claim = claim;
    check->range[0] = low;
    check->range[1] = high;
    check->verdict = is_within(check->range, claim->agrees) ? LAB_AGREES
                     : is_within(check->range, claim->part) ? LAB_IN_PART
                                                            : LAB_DIFFERS;
    check->holds = check->verdict == LAB_AGREES;
}

const char *lab_verdict_name(lab_verdict verdict)
{
    return verdict == LAB_AGREES ? "agrees" : verdict == LAB_IN_PART ? "in part" : "differs";
}

const char *lab_check_word(const lab_check *c)
{
    return !c->must ? lab_verdict_name(c->verdict) : c->holds ? "holds" : "FAILED";
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
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%  %-14s", filled, "########################################", WIDTH - filled,
            "", 100.0 * whole, s->experiment->name);
    fflush(stderr);
}

const uint32_t *lab_list(const lab_section *s, const uint32_t *full, const uint32_t *quick, size_t *count)
{
    const uint32_t *list = s->settings->quick ? quick : full;
    *count = 0;
    while (list[*count] != LAB_END) {
        (*count)++;
    }
    return list;
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

/* Draws the figure as NAME.ENDING in the run's directory. */
static bool draw(lab_section *s, const lab_plot *p, const lab_text *script, const char *ending)
{
    char *path = lab_format("%s/%s.%s", s->settings->directory, p->name, ending);
    const bool drawn = lab_plot_draw(p, script, strcmp(ending, "png") == 0, path);
    if (drawn) {
        add_file(s, lab_format("%s.%s", p->name, ending));
    }
    free(path);
    return drawn;
}

/* What stands on the sheet beside the panels. */
static void complete(const lab_section *s, lab_plot *p)
{
    p->sheet = true;
    if (p->title == NULL) {
        p->title = lab_copy(s->experiment->title);
    }
    p->source =
        lab_format("%s. Drawn by apart %s: apart lab %s%s --seed %llu", s->experiment->source, apart_version(),
                   s->experiment->name, s->settings->quick ? " --quick" : "", (unsigned long long)s->settings->seed);
}

void lab_plot_end(lab_section *s, lab_plot *p)
{
    complete(s, p);
    lab_text script = lab_plot_script(p);
    lab_item *item = add_item(s, LAB_ITEM_FIGURE);
    save_script(s, p, &script);
    item->text = p->caption;
    if (s->gnuplot) {
        if (draw(s, p, &script, "svg")) {
            item->file = lab_copy(p->name);
        }
        draw(s, p, &script, "png");
        lab_must(s, item->file != NULL, "gnuplot draws %s", p->name);
    }
    lab_text_free(&script);
    lab_plot_free(p);
}
