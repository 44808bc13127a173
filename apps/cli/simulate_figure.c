/* The figure of apart simulate: energies, momenta, and the deepest penetration over time. */
#include <math.h>
#include <stdlib.h>

#include "figure.h"
#include "simulate.h"

static double size_of(apart_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

static double kinetic(const sim_measures *m) { return m->kinetic; }
static double potential(const sim_measures *m) { return m->potential; }
static double total(const sim_measures *m) { return m->kinetic + m->potential; }
static double momentum(const sim_measures *m) { return size_of(m->momentum); }
static double angular_momentum(const sim_measures *m) { return size_of(m->angular_momentum); }
static double depth(const sim_measures *m) { return 100.0 * m->deepest_share; }
static double contacts(const sim_measures *m) { return (double)m->contacts; }

typedef struct line {
    int panel;
    const char *legend, *color;
    double (*value)(const sim_measures *m);
} line;

static const line lines[] = {
    {0, "kinetic", "#0072b2", kinetic},         {0, "potential", "#e69f00", potential},
    {0, "sum", "#000000", total},               {1, "momentum", "#009e73", momentum},
    {1, "angular momentum", "#cc79a7", angular_momentum}, {2, "deepest penetration, % of a body's size", "#d55e00", depth},
    {3, "pairs in contact", "#56b4e9", contacts},
};

int simulate_draw(const char *path, const char *title, const sim_measures *rows, size_t count)
{
    static const char *const titles[] = {"", "", "", ""}, *const axes[] = {"energy", "momentum", "%", "contacts"};
    lab_plot plot;
    int panel = -1;
    lab_plot_begin(&plot, "simulation", title, 1, 4, 900, 900);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i].panel != panel) {
            panel = lines[i].panel;
            char *heading = panel == 0 ? figure_text(title) : NULL;
            lab_plot_panel(&plot, heading != NULL ? heading : titles[panel], panel == 3 ? "time" : "", axes[panel],
                           "set key outside right top; set lmargin at screen 0.1; set rmargin at screen 0.68; set yrange [*:*]; set "
                           "offsets 0,0,graph 0.1,graph 0.1");
            free(heading);
        }
        char *style = lab_format("using 1:2 with lines lw 1.6 lc rgb '%s'", lines[i].color);
        lab_plot_series(&plot, style, lines[i].legend);
        free(style);
        for (size_t k = 0; k < count; k++) {
            lab_plot_point(&plot, rows[k].time, lines[i].value(&rows[k]));
        }
    }
    return figure_write(&plot, path);
}
