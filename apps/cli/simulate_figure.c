/* The figure of apart simulate: energies, momenta, the deepest penetration and the contacts over time. */
#include <stdlib.h>

#include "figure.h"
#include "simulate.h"

static double kinetic(const sim_measures *m) { return m->kinetic; }
static double potential(const sim_measures *m) { return m->potential; }
static double total(const sim_measures *m) { return m->kinetic + m->potential; }
static double momentum(const sim_measures *m) { return apart_vec3_norm(m->momentum); }
static double angular_momentum(const sim_measures *m) { return apart_vec3_norm(m->angular_momentum); }
static double depth(const sim_measures *m) { return 100.0 * m->deepest_share; }
static double contacts(const sim_measures *m) { return (double)m->contacts; }

typedef struct line {
    int panel;
    const char *legend; /* NULL: the panel's title says it */
    const char *color;
    double width;
    double (*value)(const sim_measures *m);
} line;

/* The sum is broad, so that a part that is all of it shows on top. */
static const line lines[] = {
    {0, "sum", "#999999", 4.0, total},
    {0, "kinetic", "#0072b2", 1.6, kinetic},
    {0, "potential", "#e69f00", 1.6, potential},
    {1, "momentum", "#009e73", 1.6, momentum},
    {1, "angular", "#cc79a7", 1.6, angular_momentum},
    {2, NULL, "#d55e00", 1.6, depth},
    {3, NULL, "#0072b2", 1.6, contacts},
};

static void begin_panel(lab_plot *plot, int panel, const char *title)
{
    static const char *const titles[] = {"energy", "momentum and angular momentum",
                                         "deepest penetration, % of a body's size", "pairs in contact"};
    char *heading = figure_text(title);
    char *settings = lab_format(
        "set tmargin %g; set bmargin 3.8; set title offset 0,%g\n"
        "set key at graph 0.5,1.1 center center horizontal width 1\n"
        "set yrange [%s:*]; set offsets 0,0,graph 0.1,0\nset label \"%s\" at screen 0.5,0.965 center font ',18'",
        panel < 2 ? 6.2 : 3.0, panel < 2 ? 1.0 : 0.0, panel == 0 ? "*" : "0", panel == 0 ? heading : "");
    lab_plot_panel(plot, titles[panel], "time", "", settings);
    free(settings);
    free(heading);
}

int simulate_draw(const char *path, const char *title, const sim_measures *rows, size_t count)
{
    lab_plot plot;
    int panel = -1;
    lab_plot_begin(&plot, "simulation", title, 2, 2, 1000, 720);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i].panel != panel) {
            panel = lines[i].panel;
            begin_panel(&plot, panel, title);
        }
        char *style = lab_format("using 1:2 with lines lw %g lc rgb '%s'", lines[i].width, lines[i].color);
        lab_plot_series(&plot, style, lines[i].legend);
        free(style);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&plot, rows[k].time, lines[i].value(&rows[k]));
        }
    }
    return figure_write(&plot, path);
}
