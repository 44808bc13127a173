/* A study from its file (docs/scaling.md has the keys). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* Items of a piece where the study does not say: so many that a piece takes about a second, which is what a killed run
 * loses. Multiples of the blocks of 64 that batches of robots are made of. */
static const size_t pieces[JOB_KIND_COUNT] =
    {[JOB_CLEARANCE] = 4096, [JOB_ROADMAP] = 64, [JOB_TOLERANCE] = 1024, [JOB_PAIRS] = 4096};
enum { PIECE_STEP = 64, MOST_NEIGHBOURS = 1000 };
/* Whole numbers of a study are doubles in its file. */
static const double MOST_ITEMS = 0x1p40;

static const char *const kind_names[] = {"clearance", "roadmap", "tolerance", "pairs"};

const char *job_kind_name(int kind) { return kind_names[kind]; }

/* ---- values ---- */

static int read_whole(const scene_place *object, const char *key, double least, double most, size_t *out)
{
    const scene_place place = scene_member(object, key);
    double value;
    if (place.value == NULL) {
        return CLI_YES;
    }
    if (scene_read_number(&place, &value) != CLI_YES) {
        return CLI_BAD;
    }
    if (!(value >= least && value <= most) || value != floor(value)) {
        return scene_error(&place, "expected a whole number from %.15g to %.15g", least, most);
    }
    *out = (size_t)value;
    return CLI_YES;
}

/* A file named by the study lies beside it. NULL: there is none, or (status) it is wrong. To be freed. */
static char *file_beside(const scene_place *object, const char *key, int *status)
{
    const scene_place place = scene_member(object, key);
    if (place.value == NULL || (*status = scene_read_text(&place, "a file")) != CLI_YES) {
        return NULL;
    }
    const char *study = place.text->name, *name = json_string_value(place.value), *slash = strrchr(study, '/');
    const int folder = slash != NULL && name[0] != '/' ? (int)(slash + 1 - study) : 0;
    char *path = malloc((size_t)folder + strlen(name) + 1);
    if (path == NULL) {
        *status = cli_error("out of memory");
        return NULL;
    }
    sprintf(path, "%.*s%s", folder, study, name);
    return path;
}

static int digest_file(sha256 *digest, const char *path)
{
    size_t size;
    char *text = path != NULL ? cli_read_text(path, &size) : NULL;
    if (path != NULL && text == NULL) {
        return CLI_BAD;
    }
    sha256_add(digest, text != NULL ? text : "", text != NULL ? size + 1 : 1);
    free(text);
    return CLI_YES;
}

/* ---- what is varied ---- */

static size_t find_variable(const apart_robot *r, const char *name)
{
    size_t i = 0;
    while (i < apart_robot_variable_count(r) && strcmp(apart_robot_variable(r, i)->name, name) != 0) {
        i++;
    }
    return i;
}

static int read_axis(job_study *s, const scene_place *grid, const char *name)
{
    const scene_place place = scene_member(grid, name);
    job_axis *axis = &s->axes[s->axis_count];
    double v[3];
    axis->variable = find_variable(s->cell.robot, name);
    if (axis->variable == apart_robot_variable_count(s->cell.robot)) {
        scene_place key = place;
        key.at_key = true;
        return scene_error(&key, "%s has no joint '%s' that moves by itself", apart_robot_file(s->cell.robot), name);
    }
    if (scene_read_numbers(&place, 3, v) != CLI_YES) {
        return CLI_BAD;
    }
    if (!(v[2] >= 1 && v[2] <= MOST_ITEMS && v[2] == floor(v[2]))) {
        return scene_error(&place, "expected [FROM, TO, COUNT] with a whole COUNT of at least 1");
    }
    axis->from = v[0];
    axis->to = v[1];
    axis->count = (size_t)v[2];
    if ((double)s->count * v[2] > MOST_ITEMS) {
        return scene_error(&place, "the grid has more than 2^40 positions");
    }
    s->count *= axis->count;
    s->axis_count++;
    return CLI_YES;
}

static int read_grid(job_study *s, const scene_place *grid)
{
    const char *name;
    json_t *value;
    if (!json_is_object(grid->value) || json_object_size(grid->value) == 0) {
        return scene_error(grid, "expected joints and their [FROM, TO, COUNT]");
    }
    s->axes = calloc(json_object_size(grid->value), sizeof *s->axes);
    s->count = 1;
    if (s->axes == NULL) {
        return cli_error("out of memory");
    }
    json_object_foreach(grid->value, name, value)
    {
        if (read_axis(s, grid, name) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

static int read_rows(job_study *s, const scene_place *vary, sha256 *digest)
{
    int status = CLI_YES;
    char *path = file_beside(vary, "rows", &status);
    const cli_settings settings = {.given = {[CLI_TRAJ] = true}, .traj = path};
    if (path != NULL) {
        status = digest_file(digest, path);
        status = status == CLI_YES ? trajectory_read(&settings, "job", s->cell.robot, &s->rows) : status;
        s->count = s->rows.count;
    }
    free(path);
    return status;
}

/* "vary": a grid or rows of a file for robots' positions, or so many random ones. */
static int read_vary(job_study *s, const scene_place *root, sha256 *digest)
{
    static const char *const known[] = {"grid", "random", "rows", "seed", NULL};
    const scene_place vary = scene_member(root, "vary");
    if (vary.value == NULL) {
        return scene_error(root, "a %s study needs \"vary\"", job_kind_name((int)s->kind));
    }
    if (scene_check_keys(&vary, known, "what is varied") != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place grid = scene_member(&vary, "grid"), rows = scene_member(&vary, "rows"),
                      random = scene_member(&vary, "random");
    size_t seed = 1;
    if ((grid.value != NULL) + (rows.value != NULL) + (random.value != NULL) != 1) {
        return scene_error(&vary, "expected one of \"grid\", \"random\", \"rows\"");
    }
    if (s->kind != JOB_CLEARANCE && random.value == NULL) {
        return scene_error(&vary, "a %s study takes \"random\" alone", job_kind_name((int)s->kind));
    }
    if (read_whole(&vary, "random", 1, MOST_ITEMS, &s->count) != CLI_YES ||
        read_whole(&vary, "seed", 0, 0x1p53, &seed) != CLI_YES) {
        return CLI_BAD;
    }
    s->seed = seed;
    if (rows.value != NULL) {
        return read_rows(s, &vary, digest);
    }
    return grid.value != NULL ? read_grid(s, &grid) : CLI_YES;
}

/* ---- robots ---- */

static int read_robot(job_study *s, const scene_place *root, sha256 *digest)
{
    int status = CLI_YES;
    char *robot = file_beside(root, "robot", &status), *srdf = NULL, *around = NULL;
    if (robot == NULL) {
        return status == CLI_YES ? scene_error(root, "a %s study needs a \"robot\"", job_kind_name((int)s->kind))
                                 : status;
    }
    srdf = file_beside(root, "srdf", &status);
    around = status == CLI_YES ? file_beside(root, "scene", &status) : NULL;
    const cli_settings settings = {.given = {[CLI_SRDF] = srdf != NULL, [CLI_SCENE] = around != NULL},
                                   .srdf = srdf,
                                   .scene = around};
    status = status == CLI_YES ? digest_file(digest, robot) : status;
    status = status == CLI_YES ? digest_file(digest, srdf) : status;
    status = status == CLI_YES ? digest_file(digest, around) : status;
    status = status == CLI_YES ? cli_cell_load(&settings, robot, &s->cell) : status;
    s->has_cell = status == CLI_YES;
    free(robot);
    free(srdf);
    free(around);
    return status;
}

static int make_nodes(job_study *s)
{
    const size_t width = apart_robot_variable_count(s->cell.robot);
    s->nodes =
        s->count < SIZE_MAX / sizeof(double) / (width + 1) ? calloc(s->count * width + 1, sizeof *s->nodes) : NULL;
    for (size_t i = 0; s->nodes != NULL && i < s->count; i++) {
        job_positions(s, i, s->nodes + i * width);
    }
    return s->nodes != NULL ? CLI_YES : cli_error("out of memory for %zu nodes", s->count);
}

/* Columns: joint positions, then what is found. */
static int read_robot_study(job_study *s, const scene_place *root, sha256 *digest)
{
    static const char *const keys[2][10] = {{"study", "robot", "srdf", "scene", "vary", "piece", NULL},
                                            {"study", "robot", "srdf", "scene", "vary", "piece", "neighbours", "limit",
                                             NULL}};
    const scene_place limit = scene_member(root, "limit");
    if (scene_check_keys(root, keys[s->kind == JOB_ROADMAP], "the study") != CLI_YES ||
        read_robot(s, root, digest) != CLI_YES || read_vary(s, root, digest) != CLI_YES) {
        return CLI_BAD;
    }
    const size_t width = apart_robot_variable_count(s->cell.robot);
    if (s->kind == JOB_CLEARANCE) {
        const job_column columns[] = {{"positions", true, width},
                                      {"distance", true, 1},
                                      {"lower", true, 1},
                                      {"upper", true, 1},
                                      {"pair", false, 1}};
        memcpy(s->columns, columns, sizeof columns);
        s->column_count = sizeof columns / sizeof *columns;
        return CLI_YES;
    }
    s->neighbours = 8;
    if (read_whole(root, "neighbours", 1, MOST_NEIGHBOURS, &s->neighbours) != CLI_YES ||
        (limit.value != NULL && scene_read_number(&limit, &s->limit) != CLI_YES)) {
        return CLI_BAD;
    }
    const job_column columns[] = {{"positions", true, width},
                                  {"to", false, s->neighbours},
                                  {"lower", true, s->neighbours},
                                  {"upper", true, s->neighbours}};
    memcpy(s->columns, columns, sizeof columns);
    s->column_count = sizeof columns / sizeof *columns;
    return make_nodes(s);
}

/* ---- assemblies ---- */

static bool is_disabled(const scene *a, size_t i, size_t k)
{
    for (size_t d = 0; d < a->disabled_count; d++) {
        if ((a->disabled[d][0] == i && a->disabled[d][1] == k) || (a->disabled[d][0] == k && a->disabled[d][1] == i)) {
            return true;
        }
    }
    const scene_body *x = &a->bodies[i], *y = &a->bodies[k];
    return (x->ignores & y->groups) != 0 || (y->ignores & x->groups) != 0;
}

static int list_pairs(job_study *s, const scene_place *root)
{
    const size_t n = s->assembly.body_count;
    s->pairs = calloc(n * (n - 1) / 2 + 1, sizeof *s->pairs);
    for (size_t i = 0; s->pairs != NULL && i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (!is_disabled(&s->assembly, i, k)) {
                s->pairs[s->pair_count][0] = i;
                s->pairs[s->pair_count++][1] = k;
            }
        }
    }
    if (s->pairs == NULL) {
        return cli_error("out of memory for the pairs of %zu bodies", n);
    }
    return s->pair_count > 0 ? CLI_YES : scene_error(root, "the scene has no pair of bodies that is looked at");
}

static int read_tolerance(job_study *s, const scene_place *all, const char *name)
{
    static const char *const known[] = {"xyz", "rpy", NULL};
    const scene_place place = scene_member(all, name);
    job_tolerance *t = &s->tolerances[s->tolerance_count++];
    const json_t *body = json_object_get(s->assembly.body_of, name);
    apart_vec3 xyz = {0, 0, 0}, rpy = {0, 0, 0};
    if (body == NULL) {
        scene_place key = place;
        key.at_key = true;
        return scene_error(&key, "the scene has no body '%s'", name);
    }
    if (scene_check_keys(&place, known, "a tolerance") != CLI_YES || scene_read_vec(&place, "xyz", &xyz) != CLI_YES ||
        scene_read_vec(&place, "rpy", &rpy) != CLI_YES) {
        return CLI_BAD;
    }
    *t = (job_tolerance){(size_t)json_integer_value(body), {xyz.x, xyz.y, xyz.z}, {rpy.x, rpy.y, rpy.z}};
    return CLI_YES;
}

static int read_tolerances(job_study *s, const scene_place *root)
{
    const scene_place all = scene_member(root, "tolerances");
    const char *name;
    json_t *value;
    if (!json_is_object(all.value) || json_object_size(all.value) == 0) {
        return scene_error(all.value != NULL ? &all : root,
                           "expected \"tolerances\": bodies and how far they may be from their places");
    }
    s->tolerances = calloc(json_object_size(all.value), sizeof *s->tolerances);
    if (s->tolerances == NULL) {
        return cli_error("out of memory");
    }
    json_object_foreach(all.value, name, value)
    {
        if (read_tolerance(s, &all, name) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

static int read_assembly(job_study *s, const scene_place *root, sha256 *digest)
{
    int status = CLI_YES;
    char *path = file_beside(root, "scene", &status);
    if (path == NULL) {
        return status == CLI_YES ? scene_error(root, "a %s study needs a \"scene\"", job_kind_name((int)s->kind))
                                 : status;
    }
    status = digest_file(digest, path);
    status = status == CLI_YES ? scene_read(path, SCENE_SOLIDS, &s->assembly) : status;
    s->has_assembly = status == CLI_YES;
    free(path);
    return status == CLI_YES ? list_pairs(s, root) : status;
}

static int read_assembly_study(job_study *s, const scene_place *root, sha256 *digest)
{
    static const char *const keys[2][8] = {{"study", "scene", "piece", NULL},
                                           {"study", "scene", "piece", "vary", "tolerances", NULL}};
    static const job_column columns[2][5] =
        {{{"a", false, 1}, {"b", false, 1}, {"distance", true, 1}, {"lower", true, 1}, {"upper", true, 1}},
         {{"distance", true, 1}, {"lower", true, 1}, {"upper", true, 1}, {"pair", false, 1}}};
    const bool varies = s->kind == JOB_TOLERANCE;
    if (scene_check_keys(root, keys[varies], "the study") != CLI_YES || read_assembly(s, root, digest) != CLI_YES) {
        return CLI_BAD;
    }
    memcpy(s->columns, columns[varies], sizeof columns[varies]);
    s->column_count = varies ? 4 : 5;
    s->count = s->pair_count;
    if (varies && (read_vary(s, root, digest) != CLI_YES || read_tolerances(s, root) != CLI_YES)) {
        return CLI_BAD;
    }
    return CLI_YES;
}

/* ---- all of it ---- */

static int read_kind(job_study *s, const scene_place *root)
{
    const scene_place place = scene_member(root, "study");
    if (place.value == NULL || !json_is_string(place.value)) {
        return scene_error(place.value != NULL ? &place : root,
                           "expected \"study\": \"clearance\", \"roadmap\", \"tolerance\" or \"pairs\"");
    }
    for (int kind = 0; kind < JOB_KIND_COUNT; kind++) {
        if (strcmp(json_string_value(place.value), kind_names[kind]) == 0) {
            s->kind = (job_kind)kind;
            return CLI_YES;
        }
    }
    return scene_error(&place, "expected \"clearance\", \"roadmap\", \"tolerance\" or \"pairs\"");
}

static int read_study(job_study *s)
{
    const scene_place root = {.text = &s->file.text, .value = s->file.root};
    sha256 digest;
    if (!json_is_object(root.value)) {
        return scene_error(&root, "expected a study as an object {...}");
    }
    sha256_begin(&digest);
    sha256_add(&digest, s->file.text.data, s->file.text.size);
    if (read_kind(s, &root) != CLI_YES) {
        return CLI_BAD;
    }
    s->piece = pieces[s->kind];
    const bool robot = s->kind == JOB_CLEARANCE || s->kind == JOB_ROADMAP;
    if ((robot ? read_robot_study(s, &root, &digest) : read_assembly_study(s, &root, &digest)) != CLI_YES ||
        read_whole(&root, "piece", PIECE_STEP, 0x1p24, &s->piece) != CLI_YES) {
        return CLI_BAD;
    }
    if (s->piece % PIECE_STEP != 0) {
        const scene_place place = scene_member(&root, "piece");
        return scene_error(&place, "expected a multiple of %d", PIECE_STEP);
    }
    for (size_t i = 0; i < s->column_count; i++) {
        s->width += s->columns[i].width;
    }
    sha256_end(&digest, s->digest);
    return CLI_YES;
}

int job_study_open(const char *path, unsigned threads, job_study *out)
{
    *out = (job_study){.threads = threads};
    if (scene_open(path, SCENE_SOLIDS, &out->file) != CLI_YES) {
        return CLI_BAD;
    }
    if (read_study(out) != CLI_YES) {
        job_study_free(out);
        return CLI_BAD;
    }
    return CLI_YES;
}

void job_study_free(job_study *s)
{
    if (s->has_cell) {
        cli_cell_free(&s->cell);
    }
    if (s->has_assembly) {
        scene_free(&s->assembly);
    }
    trajectory_free(&s->rows);
    free(s->axes);
    free(s->nodes);
    free(s->pairs);
    free(s->tolerances);
    scene_free(&s->file);
}

size_t job_piece_count(const job_study *s) { return (s->count + s->piece - 1) / s->piece; }

size_t job_piece_first(const job_study *s, size_t piece) { return piece * s->piece; }

size_t job_piece_items(const job_study *s, size_t piece)
{
    const size_t rest = s->count - piece * s->piece;
    return rest < s->piece ? rest : s->piece;
}
