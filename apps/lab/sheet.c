/* A figure that can be shown alone: its title above, the legends below the title and outside the panels, the caption
 * and the source at the foot; axes that end where the data do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"

/* Pixels of the SVG. */
enum {
    MARGIN = 20,
    TITLE = 34,
    PANEL_TITLE = 34,
    LEFT = 88,
    RIGHT = 22,
    BELOW = 66,
    LEGEND_LINE = 21,
    CAPTION_LINE = 18,
    CAPTION_GAP = 10
};
/* Pixels of a character on average; gnuplot does not say before it draws. */
static const double caption_character = 6.9, legend_character = 6.6;
enum { LEGEND_SAMPLE = 62, MOST_LEGENDS = 24 };

/* ---- words ---- */

static size_t length_of(const char *text, size_t bytes)
{
    size_t characters = 0;
    for (size_t i = 0; i < bytes; i++) {
        characters += ((unsigned char)text[i] & 0xC0u) != 0x80u;
    }
    return characters;
}

/* Appends the text in lines of at most `most` characters, for a label between double quotes; how many lines. */
static int wrap(lab_text *out, const char *text, size_t most)
{
    int lines = 1;
    size_t used = 0;
    while (*text != '\0') {
        const size_t bytes = strcspn(text, " "), word = length_of(text, bytes);
        if (used > 0) {
            const bool next = used + 1 + word > most;
            lab_text_add(out, "%s", next ? "\\n" : " ");
            lines += next;
            used = next ? 0 : used + 1;
        }
        for (size_t i = 0; i < bytes; i++) {
            lab_text_add(out, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
        }
        used += word;
        text += bytes;
        text += *text == ' ';
    }
    return lines;
}

static int caption_lines(const lab_plot *p)
{
    lab_text ignored = {NULL, 0, 0};
    const int lines = wrap(&ignored, p->caption, (size_t)((p->width - 2 * MARGIN) / caption_character));
    lab_text_free(&ignored);
    return lines;
}

/* ---- legends ---- */

typedef struct legends {
    const lab_legend *list[MOST_LEGENDS];
    int count, columns, lines;
    double column; /* its width */
} legends;

static bool is_listed(const legends *l, const char *text)
{
    for (int i = 0; i < l->count; i++) {
        if (strcmp(l->list[i]->text, text) == 0) {
            return true;
        }
    }
    return false;
}

/* The legends of the panels from `first` on, each once, and how many fit beside each other. */
static legends gather(const lab_plot *p, size_t first, size_t count, double width)
{
    legends l = {.count = 0};
    size_t longest = 0;
    for (size_t i = first; i < first + count && i < p->panel_count; i++) {
        for (size_t k = 0; k < p->panels[i].legend_count && l.count < MOST_LEGENDS; k++) {
            const lab_legend *legend = &p->panels[i].legends[k];
            if (!is_listed(&l, legend->text)) {
                l.list[l.count++] = legend;
                const size_t length = length_of(legend->text, strlen(legend->text));
                longest = length > longest ? length : longest;
            }
        }
    }
    l.column = LEGEND_SAMPLE + legend_character * (double)longest;
    const int fit = (int)(width / l.column);
    l.columns = fit < 1 ? 1 : fit > l.count ? l.count : fit;
    l.lines = l.count > 0 ? (l.count + l.columns - 1) / l.columns : 0;
    return l;
}

static double panel_width(const lab_plot *p) { return (double)p->width / p->columns - LEFT - RIGHT; }

/* Lines that the legends above a row of panels take. */
static int lines_of_row(const lab_plot *p, int row)
{
    int most = 0;
    for (int i = 0; p->legends_by_panel && i < p->columns; i++) {
        const int lines = gather(p, (size_t)(row * p->columns + i), 1, panel_width(p)).lines;
        most = lines > most ? lines : most;
    }
    return most;
}

static legends shared(const lab_plot *p)
{
    legends none = {.count = 0};
    return p->legends_by_panel ? none : gather(p, 0, p->panel_count, p->width - 2 * MARGIN);
}

int lab_sheet_height(const lab_plot *p)
{
    int height = p->height + TITLE + LEGEND_LINE * shared(p).lines + CAPTION_GAP + MARGIN;
    for (int row = 0; row < p->rows; row++) {
        height += LEGEND_LINE * lines_of_row(p, row);
    }
    return height + CAPTION_LINE * (caption_lines(p) + 1);
}

/* One legend after the other, each as the key of a plot of nothing: gnuplot's own arrangement depends on the panel. */
static void add_legends(lab_text *script, const legends *l, double left, double top, double page_width,
                        double page_height)
{
    for (int i = 0; i < l->count; i++) {
        const double x = left + i % l->columns * l->column, y = top + LEGEND_LINE * (i / l->columns);
        lab_text_add(script,
                     "set key on at screen %.5f,%.5f left top Left reverse samplen 2.5 width 0 font ',12'\nplot [0:1] "
                     "[0:1] NaN %s title \"%s\"\n",
                     x / page_width, 1.0 - y / page_height, l->list[i]->style, l->list[i]->text);
    }
}

/* ---- axes ---- */

static bool is_logarithmic(const lab_panel *panel, int axis)
{
    return strstr(panel->settings, "logscale xy") != NULL ||
           strstr(panel->settings, axis == 0 ? "logscale x" : "logscale y") != NULL;
}

/* Marks at 1, 2, 5 where there are few powers of ten. */
static void add_marks(lab_text *script, char axis, double low, double high)
{
    static const double steps[3] = {1, 2, 5};
    const char *between = "";
    lab_text_add(script, "set format %c '%%g'\nset m%ctics 1\nset %ctics (", axis, axis, axis);
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (int k = 0; k < 3; k++) {
            const double mark = steps[k] * pow(10.0, power);
            if (mark >= low && mark <= high) {
                lab_text_add(script, "%s%.9g", between, mark);
                between = ", ";
            }
        }
    }
    lab_text_add(script, ")\n");
}

/* A logarithmic axis ends a little beyond the data, not at the next power of ten. */
static void add_range(lab_text *script, const lab_panel *panel, int axis, double low, double high)
{
    const char letter = axis == 0 ? 'x' : 'y';
    const char *range = axis == 0 ? "set xrange" : "set yrange", *tics = axis == 0 ? "set xtics" : "set ytics";
    if (!is_logarithmic(panel, axis) || strstr(panel->settings, range) != NULL || !(high >= low)) {
        return;
    }
    const double room = fmax(0.07 * log10(high / low), 0.06);
    low *= pow(10.0, -room);
    high *= pow(10.0, room);
    lab_text_add(script, "set %crange [%.9g:%.9g]\n", letter, low, high);
    if (log10(high / low) < 2.6 && strstr(panel->settings, tics) == NULL) {
        add_marks(script, letter, low, high);
    }
}

static void add_ranges(const lab_plot *p, lab_text *script, size_t index)
{
    const lab_panel *panel = &p->panels[index];
    double low = panel->low[1], high = panel->high[1];
    const size_t columns = (size_t)p->columns, row = index / columns;
    for (size_t i = row * columns; p->same_y && i < (row + 1) * columns && i < p->panel_count; i++) {
        if (is_logarithmic(&p->panels[i], 1)) {
            low = fmin(low, p->panels[i].low[1]);
            high = fmax(high, p->panels[i].high[1]);
        }
    }
    add_range(script, panel, 0, panel->low[0], panel->high[0]);
    add_range(script, panel, 1, low, high);
}

/* ---- the sheet ---- */

static void add_frame(const lab_plot *p, lab_text *script, double width, double height)
{
    lab_text caption = {NULL, 0, 0}, title = {NULL, 0, 0};
    const int lines = wrap(&caption, p->caption, (size_t)((p->width - 2 * MARGIN) / caption_character));
    wrap(&title, p->title != NULL ? p->title : "", 1000);
    const double top = CAPTION_LINE * (lines + 1) + MARGIN - 4;
    lab_text_add(
        script,
        "set multiplot\nset lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin "
        "at screen 1\nunset border\nunset tics\nunset grid\nset label 1 \"%s\" at screen %.5f,%.5f left "
        "noenhanced font ',18' front\nset label 2 \"%s\" at screen %.5f,%.5f left noenhanced font "
        "',12.5' tc rgb '#333333'\nset label 3 \"%s\" at screen %.5f,%.5f left noenhanced font ',11' tc rgb "
        "'#777777'\nset key off\nplot [0:1] [0:1] NaN notitle\nunset label\n",
        title.data, MARGIN / width, 1.0 - 24.0 / height, caption.data, MARGIN / width, top / height,
        p->source != NULL ? p->source : "", MARGIN / width, 14.0 / height);
    lab_text_free(&caption);
    lab_text_free(&title);
}

static void add_panel(const lab_plot *p, lab_text *script, size_t index, double top, double panel_height, double width,
                      double height)
{
    const lab_panel *panel = &p->panels[index];
    const double cell = width / p->columns, left = cell * (double)(index % (size_t)p->columns);
    lab_text_add(script,
                 "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset tmargin at screen %.5f\nset bmargin at "
                 "screen %.5f\n",
                 (left + LEFT) / width, (left + cell - RIGHT) / width, 1.0 - top / height,
                 1.0 - (top + panel_height) / height);
    lab_text_add(
        script,
        "set border 3 lw 1\nset tics nomirror out scale 0.6\nset grid lt 1 lc rgb '#e8e8e8' lw 0.7\nunset logscale\nunset "
        "label\nunset arrow\nset autoscale\nset xrange [*:*] noreverse\nset yrange [*:*]\nset mxtics default\nset "
        "mytics default\nset format '%%g'\nset xtics nomirror norotate autofreq font ',13' offset 0,0.3\nset ytics nomirror "
        "autofreq font ',13'\nset xlabel \"%s\" font ',13' offset 0,0.6\nset ylabel \"%s\" font ',13' offset 0.8,0\nset label 99 \"%s\" at graph 0.5, "
        "screen %.5f center font ',14'\n%s\n",
        panel->x, panel->y, panel->title,
        1.0 - (top - 14.0 - LEGEND_LINE * lines_of_row(p, (int)index / p->columns)) / height, panel->settings);
    add_ranges(p, script, index);
    lab_text_add(script, "set key off\n%s\n", panel->commands.data);
}

/* Where the panels of a row begin. */
static double top_of_row(const lab_plot *p, int row)
{
    double top = TITLE + LEGEND_LINE * shared(p).lines;
    for (int i = 0; i <= row; i++) {
        top +=
            PANEL_TITLE + LEGEND_LINE * lines_of_row(p, i) + (i < row ? (double)p->height / p->rows - PANEL_TITLE : 0);
    }
    return top;
}

void lab_sheet_add(const lab_plot *p, lab_text *script)
{
    const double width = p->width, height = lab_sheet_height(p), cell = (double)p->height / p->rows;
    const legends all = shared(p);
    add_frame(p, script, width, height);
    add_legends(script, &all, MARGIN, TITLE, width, height);
    for (size_t i = 0; i < p->panel_count && p->legends_by_panel; i++) {
        const int row = (int)i / p->columns, column = (int)i % p->columns;
        const legends own = gather(p, i, 1, panel_width(p));
        add_legends(script, &own, width / p->columns * column + LEFT,
                    top_of_row(p, row) - LEGEND_LINE * lines_of_row(p, row) - 4, width, height);
    }
    for (size_t i = 0; i < p->panel_count; i++) {
        add_panel(p, script, i, top_of_row(p, (int)i / p->columns), cell - PANEL_TITLE - BELOW - p->foot, width,
                  height);
    }
    lab_text_add(script, "unset multiplot\n");
}
