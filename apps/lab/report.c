/* The page: machine, summary, and for every experiment what the paper did, what was run here, figures and tables, and
 * what agrees. Figures are inline, so that the file can be sent around alone. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;color:#222;max-width:62rem;margin:2rem auto;padding:0 "
    "1rem;background:#fff}h1{font-size:1.8rem;margin-bottom:.2rem}h2{font-size:1.35rem;margin-top:3rem;border-top:2px "
    "solid #222;padding-top:.6rem}h2 "
    "small{font-weight:normal;color:#666;font-size:.95rem;display:block}img{width:100%;height:auto;display:block}"
    "figure{margin:1.2rem "
    "0}figcaption{color:#444;font-size:.92rem;margin-top:.4rem}.scroll{overflow-x:auto;background:linear-gradient(to left,#0003,#0000) right/14px 100% no-repeat scroll}"
    "table{border-collapse:collapse;"
    "font-size:.88rem;margin:1rem "
    "0;font-variant-numeric:tabular-nums}caption{text-align:left;font-weight:600;padding-bottom:.3rem}th,td{padding:."
    "18rem .6rem;text-align:right;border-bottom:1px solid "
    "#ddd;white-space:nowrap}th:first-child{text-align:left}tr:first-child th{border-bottom:2px solid "
    "#222;white-space:normal;vertical-align:bottom}th{font-weight:600}ul.checks{list-style:none;padding:0}ul.checks "
    "li{padding:.15rem 0;display:grid;grid-template-columns:5rem "
    "auto}.tag{font-size:.85rem;font-weight:600;line-height:1.75}.good{color:#00664a}.differs{color:#a04000}.failed{"
    "color:#b00020}code{background:#f3f3f3;padding:0 .2rem}dl{display:grid;grid-template-columns:max-content "
    "auto;gap:.1rem 1rem;font-size:.92rem}dt{color:#666}dd{margin:0}.lead{font-weight:600}.summary "
    "td:nth-child(2),.summary th:nth-child(2){text-align:left}a{color:#005a8c}";

/* ---- the machine ---- */

void lab_processor_name(char name[128])
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(name, 128, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(name, 128, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void add_machine(lab_text *html, const lab_settings *settings, double seconds)
{
    struct utsname system = {0};
    char processor[128], date[64] = "";
    const time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    uname(&system);
    lab_processor_name(processor);
    if (utc != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", utc);
    }
    lab_text_add(html, "<dl><dt>command</dt><dd><code>%s</code></dd><dt>date</dt><dd>%s</dd>", settings->command, date);
    lab_text_add(html, "<dt>processor</dt><dd>%s, %ld cores</dd><dt>system</dt><dd>%s %s, %s</dd>", processor,
                 sysconf(_SC_NPROCESSORS_ONLN), system.sysname, system.release, system.machine);
#if defined(__clang__)
    const char *compiler = "clang";
#else
    const char *compiler = "gcc";
#endif
    lab_text_add(html,
                 "<dt>library</dt><dd>apart %s, %s %s</dd><dt>seed</dt><dd>%" PRIu64
                 "%s</dd><dt>took</dt><dd>%.0f s</dd></dl>\n",
                 apart_version(), compiler, __VERSION__, settings->seed,
                 settings->quick ? ", quick: fewer pairs, sizes and repeats" : "", seconds);
}

/* ---- items ---- */

static void add_base64(lab_text *html, const unsigned char *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const unsigned bits = (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                              (left > 2 ? (unsigned)data[i + 2] : 0);
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                              left > 2 ? digits[bits & 63] : '='};
        lab_text_append(html, four, 4);
    }
}

static void add_figure(lab_text *html, const lab_settings *settings, const lab_item *item)
{
    lab_text data = {NULL, 0, 0};
    char buffer[65536];
    size_t got;
    char *path = item->file != NULL ? lab_format("%s/%s.svg", settings->directory, item->file) : NULL;
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    lab_text_add(html, "<figure>");
    while (file != NULL && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        lab_text_append(&data, buffer, got);
    }
    if (data.length > 0) {
        lab_text_add(html, "<img alt=\"%s\" src=\"data:image/svg+xml;base64,", item->file);
        add_base64(html, (const unsigned char *)data.data, data.length);
        lab_text_add(html, "\">");
    } else {
        lab_text_add(html, "<p><i>No figure: gnuplot is not installed. Its data are in the CSV files.</i></p>");
    }
    lab_text_add(html, "<figcaption>");
    lab_html_escape(html, item->text);
    lab_text_add(html, "</figcaption></figure>\n");
    if (file != NULL) {
        fclose(file);
    }
    free(path);
    lab_text_free(&data);
}

static void add_item(lab_text *html, const lab_settings *settings, const lab_item *item)
{
    switch (item->kind) {
    case LAB_ITEM_PAPER: lab_text_add(html, "<p><span class=\"lead\">The paper.</span> %s</p>\n", item->text); break;
    case LAB_ITEM_HERE: lab_text_add(html, "<p><span class=\"lead\">Here.</span> %s</p>\n", item->text); break;
    case LAB_ITEM_TEXT: lab_text_add(html, "<p>%s</p>\n", item->text); break;
    case LAB_ITEM_TABLE: lab_table_html(&item->table, html); break;
    case LAB_ITEM_FIGURE: add_figure(html, settings, item); break;
    }
}

/* ---- checks ---- */

static void add_checks(lab_text *html, const lab_section *s)
{
    lab_text_add(html,
                 "<h3>What agrees and what does not</h3>\n<p>“Holds” and “FAILED” are statements that the experiment "
                 "must meet; “agrees”, “in part” and “differs” compare with the "
                 "paper, by limits that were written down before.</p>\n<ul class=\"checks\">\n");
    for (size_t i = 0; i < s->check_count; i++) {
        const lab_check *c = &s->checks[i];
        const char *name = c->holds ? "good" : c->must ? "failed" : "differs";
        lab_text_add(html, "<li><span class=\"tag %s\">%s</span><span>", name, lab_check_word(c));
        if (c->claim != NULL) {
            lab_text_add(html, "<i>%s: ", c->claim->where);
            lab_html_escape(html, c->claim->text);
            lab_text_add(html, "</i> (%s; agrees from %g to %g). ", c->claim->paper, c->claim->agrees[0],
                         c->claim->agrees[1]);
        }
        lab_html_escape(html, c->text);
        lab_text_add(html, "</span></li>\n");
    }
    lab_text_add(html, "</ul>\n");
}

static void add_summary(lab_text *html, const lab_section *sections, size_t count)
{
    lab_text_add(html,
                 "<div class=\"scroll\"><table class=\"summary\">\n<tr><th>experiment</th><th>source</th><th>must "
                 "hold</th><th>claims that agree</th><th>seconds</th></tr>\n");
    for (size_t i = 0; i < count; i++) {
        const lab_section *s = &sections[i];
        unsigned tally[2][2] = {{0, 0}, {0, 0}};
        for (size_t k = 0; k < s->check_count; k++) {
            tally[s->checks[k].must][s->checks[k].holds]++;
        }
        lab_text_add(html, "<tr><th><a href=\"#%s\">%s</a></th><td>%s</td><td>%s%u of %u</td><td>", s->experiment->name,
                     s->experiment->name, s->experiment->source, tally[1][0] > 0 ? "FAILED: " : "", tally[1][1],
                     tally[1][0] + tally[1][1]);
        if (tally[0][0] + tally[0][1] > 0) {
            lab_text_add(html, "%u of %u", tally[0][1], tally[0][0] + tally[0][1]);
        }
        lab_text_add(html, "</td><td>%.1f</td></tr>\n", s->seconds);
    }
    lab_text_add(html, "</table></div>\n");
}

static void add_section(lab_text *html, const lab_settings *settings, const lab_section *s)
{
    lab_text_add(html, "<section id=\"%s\">\n<h2>", s->experiment->name);
    lab_html_escape(html, s->experiment->title);
    lab_text_add(html, "<small>%s · <code>apart lab %s</code></small></h2>\n", s->experiment->source,
                 s->experiment->name);
    for (size_t i = 0; i < s->item_count; i++) {
        add_item(html, settings, &s->items[i]);
    }
    add_checks(html, s);
    lab_text_add(html, "</section>\n");
}

bool lab_report_write(const lab_settings *settings, const lab_section *sections, size_t count, double seconds,
                      char *error, size_t size)
{
    lab_text html = {NULL, 0, 0};
    lab_text_add(&html,
                 "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                 "content=\"width=device-width\"><title>apart lab</title>\n<style>%s</style></head><body>\n<h1>apart "
                 "lab</h1>\n<p>The experiments of the papers behind apart, run anew. Raw data and figures lie beside "
                 "this file.</p>\n",
                 style);
    add_machine(&html, settings, seconds);
    add_summary(&html, sections, count);
    for (size_t i = 0; i < count; i++) {
        add_section(&html, settings, &sections[i]);
    }
    lab_text_add(&html, "</body></html>\n");
    char *path = lab_format("%s/report.html", settings->directory);
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fwrite(html.data, 1, html.length, file) == html.length;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        snprintf(error, size, "cannot write %s: %s", path, strerror(errno));
    }
    free(path);
    lab_text_free(&html);
    return good;
}
