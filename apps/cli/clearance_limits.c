/* --limits FILE: how far pairs must be apart at least, and how much their bodies are padded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clearance.h"

typedef struct limits_reader {
    const char *name;
    size_t line;
    cli_cell *cell;
} limits_reader;

/* The next field of a line, without blanks around it. */
static char *next_field(char **line)
{
    char *start = *line;
    if (start == NULL) {
        return NULL;
    }
    char *comma = strchr(start, ',');
    *line = comma != NULL ? comma + 1 : NULL;
    char *end = comma != NULL ? comma : start + strlen(start);
    start += strspn(start, " \t");
    while (end > start && strchr(" \t\r", end[-1]) != NULL) {
        end--;
    }
    *end = '\0';
    return start;
}

static bool is_any(const char *name) { return *name == '\0' || strcmp(name, "*") == 0; }

/* Links with geometry and obstacles have clearances. *counts: it is one of these. */
static int check_name(const limits_reader *l, const char *name, bool *counts)
{
    const apart_robot *r = l->cell->robot;
    const size_t link = apart_robot_find_link(r, name);
    *counts = true;
    if (link != APART_ROBOT_NONE) {
        const apart_robot_link *found = apart_robot_link_at(r, link);
        *counts = found->part_count + found->mesh_count > 0;
        return CLI_YES;
    }
    for (size_t i = 0; i < l->cell->count; i++) {
        if (strcmp(l->cell->list[i].name, name) == 0) {
            return CLI_YES;
        }
    }
    return cli_error("%s:%zu: there is no link or obstacle '%s'", l->name, l->line, name);
}

static int add_margin(const limits_reader *l, const char *first, const char *second, double margin)
{
    apart_robot_margin *larger = realloc(l->cell->margins, (l->cell->margin_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return cli_error("out of memory");
    }
    l->cell->margins = larger;
    larger[l->cell->margin_count++] = (apart_robot_margin){first, second, margin};
    return CLI_YES;
}

/* Of "*,*": every link. Every pair has one. */
static int add_default(const limits_reader *l, double margin)
{
    const apart_robot *r = l->cell->robot;
    int status = CLI_YES;
    for (size_t i = 0; i < apart_robot_link_count(r) && status == CLI_YES; i++) {
        const apart_robot_link *link = apart_robot_link_at(r, i);
        status = link->part_count + link->mesh_count > 0 ? add_margin(l, link->name, NULL, margin) : CLI_YES;
    }
    return status;
}

static int read_line(const limits_reader *l, char *line)
{
    const char *names[2] = {next_field(&line), next_field(&line)};
    double numbers[2] = {0, 0};
    size_t count = 0;
    for (char *field = next_field(&line); field != NULL; field = next_field(&line), count++) {
        const char *end = "";
        const char *wrong = count < 2 ? cli_read_number(field, &end, &numbers[count]) : "is not expected";
        if (wrong != NULL || *end != '\0') {
            return cli_error("%s:%zu: '%s' %s; expected A,B,LIMIT or A,B,LIMIT,PADDING", l->name, l->line, field,
                             wrong != NULL ? wrong : "is not a number");
        }
    }
    if (names[1] == NULL || count == 0) {
        return cli_error("%s:%zu: expected A,B,LIMIT or A,B,LIMIT,PADDING", l->name, l->line);
    }
    const double margin = numbers[0] + numbers[1];
    const char *first = is_any(names[0]) ? names[1] : names[0], *second = is_any(names[0]) ? names[0] : names[1];
    bool counts = true, other_counts = true;
    if (is_any(first)) {
        return add_default(l, margin);
    }
    if (check_name(l, first, &counts) != CLI_YES ||
        (!is_any(second) && check_name(l, second, &other_counts) != CLI_YES)) {
        return CLI_BAD;
    }
    if (!counts || !other_counts) {
        cli_note("%s:%zu: '%s' has no collision geometry", l->name, l->line, counts ? second : first);
        return CLI_YES;
    }
    return add_margin(l, first, is_any(second) ? NULL : second, margin);
}

/* A first line of words is a heading. */
static bool is_heading(const char *line)
{
    const char *last = strrchr(line, ',');
    double value;
    const char *end;
    return last != NULL && cli_read_number(last + 1 + strspn(last + 1, " \t"), &end, &value) != NULL &&
           strstr(line, "limit") != NULL;
}

int cli_cell_read_limits(const cli_settings *settings, cli_cell *cell)
{
    limits_reader l = {.name = settings->limits != NULL ? cli_input_name(settings->limits) : "", .cell = cell};
    size_t size;
    int status = CLI_YES;
    if (settings->limits == NULL) {
        return CLI_YES;
    }
    cell->limits = cli_read_text(settings->limits, &size);
    if (cell->limits == NULL) {
        return CLI_BAD;
    }
    const bool has_mark = size >= 3 && memcmp(cell->limits, "\xEF\xBB\xBF", 3) == 0;
    for (char *line = cell->limits + (has_mark ? 3 : 0); line != NULL && status == CLI_YES;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        l.line++;
        const size_t blank = strspn(line, " \t\r");
        if (line[blank] != '\0' && line[blank] != '#' && !(l.line == 1 && is_heading(line))) {
            status = read_line(&l, line);
        }
        line = end;
    }
    return status;
}

double clearance_margin(const clearance *c, size_t pair) { return apart_robot_pair_at(c->cell.cell, pair)->margin; }
