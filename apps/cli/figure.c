/* Figures of the program by gnuplot, which appear under their names when they are complete. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot : "";
}

int figure_check(const char *path)
{
    const char *ending = ending_of(path);
    if (strcmp(ending, ".svg") != 0 && strcmp(ending, ".png") != 0) {
        return cli_error("%s: expected a name that ends in .svg or .png", path);
    }
    return lab_has_gnuplot() ? CLI_YES : cli_error("%s: figures are drawn by gnuplot, which is not installed", path);
}

int figure_write(lab_plot *plot, const char *path)
{
    lab_text script = lab_plot_script(plot);
    cli_file file;
    int status = cli_file_open_named(path, &file);
    if (status == CLI_YES) {
        const bool png = strcmp(ending_of(path), ".png") == 0;
        if (!lab_plot_draw(plot, &script, png, cli_file_name(&file))) {
            status = cli_error("cannot write %s: gnuplot did not draw it", path);
        }
        status = cli_file_close(&file, status);
    }
    lab_text_free(&script);
    free(plot->caption);
    lab_plot_free(plot);
    return status;
}

char *figure_text(const char *text)
{
    lab_text out = {NULL, 0, 0};
    lab_text_add(&out, "%s", "");
    for (; *text != '\0'; text++) {
        if (strchr("_^@&~{}", *text) != NULL) {
            lab_text_add(&out, "\\\\%c", *text);
        } else if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20) {
            lab_text_add(&out, " ");
        } else {
            lab_text_append(&out, text, 1);
        }
    }
    return out.data;
}
