/* What was measured, as CSV for programs, Markdown for people, and one plot per workload. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { PATH_SIZE = 4096 };

static FILE *open_in(const char *directory, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", path);
    }
    return f;
}

static bool close_well(FILE *f, const char *name)
{
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed) {
        fprintf(stderr, "bench: writing %s failed\n", name);
        return false;
    }
    return true;
}

static bool same_row(const bench_record *r, const bench_record *s)
{
    return strcmp(r->workload, s->workload) == 0 && strcmp(r->variant, s->variant) == 0 && r->n == s->n;
}

/* The first record after `i` that belongs to another row. */
static size_t row_end(const bench_record *records, size_t count, size_t i)
{
    size_t end = i;
    while (end < count && same_row(&records[i], &records[end])) {
        end++;
    }
    return end;
}

static const bench_record *find_library(const bench_record *row, size_t count, const char *library)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(row[i].library, library) == 0) {
            return &row[i];
        }
    }
    return NULL;
}

static bool write_csv(const char *directory, const bench_record *records, size_t count)
{
    FILE *f = open_in(directory, "results.csv");
    if (f == NULL) {
        return false;
    }
    fprintf(f, "workload,variant,n,library,ns,ratio_to_apart,wrong\n");
    for (size_t i = 0; i < count; i++) {
        const bench_record *r = &records[i];
        fprintf(f, "%s,%s,%u,%s,%.2f,%.3f,%.6g\n", r->workload, r->variant, r->n, r->library, r->ns, r->ratio,
                r->wrong);
    }
    return close_well(f, "results.csv");
}

/* --- Markdown --- */

static const struct {
    const char *workload, *title;
} titles[] = {
    {"W1", "cold distance, hulls of n points on the unit sphere, centres 3 apart"},
    {"W2", "tracked distance, 0.05 (slow: 0.01) and up to 0, 1, 6, 12 degrees per step"},
    {"W3", "boxes as box shapes and as hulls, distance"},
    {"W4", "overlapping bodies, depth"},
    {"W5", "curved shapes, cold distance"},
    {"W6", "overlap, yes or no; half of the pairs overlap"},
    {"W7", "many distinct pairs, one step per frame, tracked distance"},
};

static const char *title_of(const char *workload)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(titles[i].workload, workload) == 0) {
            return titles[i].title;
        }
    }
    return "";
}

static void write_head(FILE *f, const char *workload, const bench_library *const *libraries, size_t library_count)
{
    fprintf(f, "\n## %s: %s\n\n| variant | n |", workload, title_of(workload));
    for (size_t i = 0; i < library_count; i++) {
        fprintf(f, " %s |", libraries[i]->name);
    }
    fprintf(f, "\n|---|---:|");
    for (size_t i = 0; i < library_count; i++) {
        fprintf(f, "---:|");
    }
    fprintf(f, "\n");
}

static void write_cell(FILE *f, const bench_record *r)
{
    if (r == NULL) {
        fprintf(f, " – |");
        return;
    }
    fprintf(f, " %.0f", r->ns);
    if (strcmp(r->library, "apart") != 0) {
        fprintf(f, " (%.*f×)", r->ratio < 9.95 ? 1 : 0, r->ratio);
    }
    if (r->wrong > 0.0) {
        fprintf(f, " **%.*f %% wrong**", r->wrong < 0.0995 ? 2 : 0, 100.0 * r->wrong);
    }
    fprintf(f, " |");
}

static void write_tables(FILE *f, const bench_record *records, size_t count, const bench_library *const *libraries,
                         size_t library_count)
{
    const char *workload = "";
    for (size_t i = 0, end; i < count; i = end) {
        end = row_end(records, count, i);
        if (strcmp(records[i].workload, workload) != 0) {
            workload = records[i].workload;
            write_head(f, workload, libraries, library_count);
        }
        fprintf(f, "| %s | ", records[i].variant);
        if (records[i].n == 0) {
            fprintf(f, "– |");
        } else {
            fprintf(f, "%u |", records[i].n);
        }
        for (size_t k = 0; k < library_count; k++) {
            write_cell(f, find_library(&records[i], end - i, libraries[k]->name));
        }
        fprintf(f, "\n");
    }
}

/* apart's time at 2000 vertices over its time at 10, in the slow rows of W2. */
static void write_flatness(FILE *f, const bench_record *records, size_t count)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const bench_record *small = &records[i];
        if (strcmp(small->workload, "W2") != 0 || strcmp(small->library, "apart") != 0 || small->n != 10) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            const bench_record *large = &records[k];
            if (large->n == 2000 && strcmp(large->library, "apart") == 0 &&
                strcmp(large->variant, small->variant) == 0) {
                fprintf(
                    f, "%s- %s: %.0f ns at 10 vertices, %.0f ns at 2000: ratio %.2f\n",
                    first
                        ? "\n## Flatness of apart's tracked queries (W2 slow: less than a facet per step, no turning; asked: at most 1.5)\n\n"
                        : "",
                    small->variant, small->ns, large->ns, large->ns / small->ns);
                first = false;
            }
        }
    }
}

static void write_loops(FILE *f, const bench_record *records, size_t count)
{
    fprintf(
        f,
        "\n## apart's own counts\n\nLoops: average iterations per query. Proved: share of the answers that `apart_verify` proved; "
        "the bounds of all were checked.\n\n| workload | variant | n | loops | proved | wrong |\n|---|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < count; i++) {
        const bench_record *r = &records[i];
        if (strcmp(r->library, "apart") == 0) {
            fprintf(f, "| %s | %s | %u | %.2f | %.4g %% | %.4g %% |\n", r->workload, r->variant, r->n, r->loops,
                    100.0 * r->proved, 100.0 * r->wrong);
        }
    }
}

/* The processor's name, where the system tells it. */
static void write_machine(FILE *f)
{
    char line[256];
    FILE *cpu = fopen("/proc/cpuinfo", "r");
    while (cpu != NULL && fgets(line, sizeof line, cpu) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            fprintf(f, "Machine: %s. ", strchr(line, ':') + 2);
            break;
        }
    }
    if (cpu != NULL) {
        fclose(cpu);
    }
#ifdef __VERSION__
    fprintf(f, "Compiler: %s.\n", __VERSION__);
#endif
}

static bool write_markdown(const char *directory, const bench_record *records, size_t count,
                           const bench_library *const *libraries, size_t library_count, const bench_effort *effort)
{
    FILE *f = open_in(directory, "results.md");
    if (f == NULL) {
        return false;
    }
    fprintf(f, "# apart %s beside its peers\n\n%sSeed %llu, best of %u to %u interleaved repeats. ", apart_version(),
            effort->quick ? "A quick run: fewer repeats, and fewer pairs of large hulls. " : "",
            (unsigned long long)effort->seed, effort->min_repeats, effort->max_repeats);
    write_machine(f);
    fprintf(
        f,
        "Cells: ns per query (times apart's), share of wrong answers where there are any. n = –: native shapes. bench/README.md "
        "explains the workloads.\n");
    write_tables(f, records, count, libraries, library_count);
    write_flatness(f, records, count);
    write_loops(f, records, count);
    return close_well(f, "results.md");
}

/* --- plots --- */

/* Does every variant of a workload have at least three sizes? Then lines over n show it best, else bars. */
static bool has_sizes(const bench_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t others = 0;
        for (size_t k = 0; k < count; k++) {
            others += strcmp(records[i].variant, records[k].variant) == 0 &&
                      strcmp(records[i].library, records[k].library) == 0;
        }
        if (others < 3) {
            return false;
        }
    }
    return true;
}

/* The first record with the same variant. */
static size_t first_of_variant(const bench_record *records, size_t i)
{
    size_t first = 0;
    while (strcmp(records[first].variant, records[i].variant) != 0) {
        first++;
    }
    return first;
}

static size_t count_variants(const bench_record *records, size_t count)
{
    size_t variants = 0;
    for (size_t i = 0; i < count; i++) {
        variants += first_of_variant(records, i) == i;
    }
    return variants;
}

static bool answers_any(const bench_record *records, size_t count, const char *library)
{
    return find_library(records, count, library) != NULL;
}

/* One panel of lines per variant. */
static void write_lines(FILE *f, const bench_record *records, size_t count, const bench_library *const *libraries,
                        size_t library_count)
{
    const size_t variants = count_variants(records, count);
    const size_t columns = variants < 4 ? variants : 4;
    for (size_t i = 0; i < count; i++) {
        if (first_of_variant(records, i) != i) {
            continue;
        }
        for (size_t k = 0; k < library_count; k++) {
            fprintf(f, "$d%zu_%zu << EOD\n", i, k);
            for (size_t j = 0; j < count; j++) {
                if (strcmp(records[j].variant, records[i].variant) == 0 &&
                    strcmp(records[j].library, libraries[k]->name) == 0) {
                    fprintf(f, "%u %g\n", records[j].n, records[j].ns);
                }
            }
            fprintf(f, "EOD\n");
        }
    }
    fprintf(
        f,
        "set logscale xy\nset xrange [6:2600]\nset xtics (10, 100, 1000)\nset xlabel 'points of a hull'\nset key left top\n"
        "set multiplot layout %zu,%zu title '%s: %s'\n",
        (variants + columns - 1) / columns, columns, records[0].workload, title_of(records[0].workload));
    for (size_t i = 0; i < count; i++) {
        if (first_of_variant(records, i) != i) {
            continue;
        }
        fprintf(f, "set title '%s'\nplot", records[i].variant);
        const char *separator = " ";
        for (size_t k = 0; k < library_count; k++) {
            if (answers_any(records, count, libraries[k]->name)) {
                fprintf(f, "%s$d%zu_%zu using 1:2 with linespoints lw %d title '%s'", separator, i, k, k == 0 ? 3 : 1,
                        libraries[k]->name);
                separator = ", ";
            }
        }
        fprintf(f, "\n");
    }
    fprintf(f, "unset multiplot\n");
}

/* One cluster of bars per row. */
static void write_bars(FILE *f, const bench_record *records, size_t count, const bench_library *const *libraries,
                       size_t library_count)
{
    fprintf(f, "$data << EOD\n");
    for (size_t i = 0, end; i < count; i = end) {
        end = row_end(records, count, i);
        fprintf(f, records[i].n == 0 ? "\"%s\"" : "\"%s %u\"", records[i].variant, records[i].n);
        for (size_t k = 0; k < library_count; k++) {
            const bench_record *r = find_library(&records[i], end - i, libraries[k]->name);
            if (r != NULL) {
                fprintf(f, " %g", r->ns);
            } else {
                fprintf(f, " NaN");
            }
        }
        fprintf(f, "\n");
    }
    fprintf(
        f,
        "EOD\nset style data histogram\nset style histogram clustered gap 2\nset style fill solid 0.8\nset boxwidth 1\n"
        "set logscale y\nset xtics rotate by -35 nomirror\nset grid ytics\nset rmargin 14\nset key outside top center horizontal\n"
        "set title '%s: %s'\nplot",
        records[0].workload, title_of(records[0].workload));
    const char *separator = " ";
    for (size_t k = 0; k < library_count; k++) {
        if (answers_any(records, count, libraries[k]->name)) {
            fprintf(f, "%s$data using %zu:xtic(1) title '%s'", separator, k + 2, libraries[k]->name);
            separator = ", ";
        }
    }
    fprintf(f, "\n");
}

static bool write_plot(const char *directory, const bench_record *records, size_t count,
                       const bench_library *const *libraries, size_t library_count, bool png)
{
    char name[32], path[PATH_SIZE], command[PATH_SIZE + 32];
    snprintf(name, sizeof name, "%s.%s.gnuplot", records[0].workload, png ? "png" : "svg");
    FILE *f = open_in(directory, name);
    if (f == NULL) {
        return false;
    }
    const bool lines = has_sizes(records, count);
    const size_t shown = lines ? count_variants(records, count) : count;
    const int width = shown > 40 || (lines && shown > 1) ? 1600 : 1000, height = lines && shown > 1 ? 800 : 560;
    fprintf(f, "set terminal %s size %d,%d\nset output '%s/%s.%s'\n", png ? "pngcairo" : "svg", width, height,
            directory, records[0].workload, png ? "png" : "svg");
    fprintf(f, "set format xy '%%g'\nset ylabel 'ns per query'\n");
    if (lines) {
        write_lines(f, records, count, libraries, library_count);
    } else {
        write_bars(f, records, count, libraries, library_count);
    }
    if (!close_well(f, name)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", directory, name);
    snprintf(command, sizeof command, "gnuplot '%s'", path);
    if (system(command) != 0) {
        fprintf(stderr, "bench: gnuplot failed on %s\n", path);
        return false;
    }
    return true;
}

static bool write_plots(const char *directory, const bench_record *records, size_t count,
                        const bench_library *const *libraries, size_t library_count)
{
    if (strchr(directory, '\'') != NULL) {
        fprintf(stderr, "bench: no plots: a quote in the directory's name\n");
        return true;
    }
    if (system("gnuplot --version > /dev/null 2>&1") != 0) {
        fprintf(stderr, "bench: no plots: gnuplot is not installed (tools/deps bench)\n");
        return true;
    }
    bool fine = true;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && strcmp(records[end].workload, records[i].workload) == 0;) {
            end++;
        }
        fine = write_plot(directory, &records[i], end - i, libraries, library_count, true) && fine;
        fine = write_plot(directory, &records[i], end - i, libraries, library_count, false) && fine;
    }
    return fine;
}

bool bench_report(const char *directory, const bench_record *records, size_t count,
                  const bench_library *const *libraries, size_t library_count, const bench_effort *effort)
{
    return write_csv(directory, records, count) &&
           write_markdown(directory, records, count, libraries, library_count, effort) &&
           write_plots(directory, records, count, libraries, library_count);
}
