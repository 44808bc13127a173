/* A robot from its file, among the obstacles of a scene. */
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"

/* ---- notes ---- */

/* A hull that is larger by less than this share is no news. */
static const double LEAST_GROWTH = 0.01;

/* Is it the first note of its cause? *more gets how many follow. */
static bool is_first(const apart_robot *r, size_t note, size_t *more)
{
    const char *cause = apart_robot_note_at(r, note)->cause;
    *more = 0;
    for (size_t i = 0; i < apart_robot_note_count(r); i++) {
        const bool same = strcmp(apart_robot_note_at(r, i)->cause, cause) == 0;
        if (same && i < note) {
            return false;
        }
        *more += same && i > note;
    }
    return true;
}

static void print_hulls(const apart_robot *r)
{
    size_t hulls = 0, most = 0;
    double hull = 0, mesh = 0, worst = -1;
    for (size_t i = 0; i < apart_robot_note_count(r); i++) {
        const apart_robot_note *note = apart_robot_note_at(r, i);
        const double growth = note->mesh_volume > 0 ? note->hull_volume / note->mesh_volume - 1 : 0;
        if (note->kind != APART_ROBOT_NOTE_HULL || (note->mesh_volume > 0 && growth < LEAST_GROWTH)) {
            continue;
        }
        hulls++;
        hull += note->hull_volume;
        mesh += note->mesh_volume;
        if (growth > worst) {
            worst = growth;
            most = i;
        }
    }
    if (hulls > 0) {
        cli_note(
            "%s: %zu mesh%s not convex and taken by the hull: volume %+.3g %% in all, most on link '%s' (%+.3g %%); --notes lists them",
            apart_robot_file(r), hulls, hulls == 1 ? " is" : "es are", mesh > 0 ? 100 * (hull / mesh - 1) : 0.0,
            apart_robot_note_at(r, most)->link, 100 * worst);
    }
}

/* One line a cause, or all with --notes. */
static void print_notes(const cli_settings *settings, const apart_robot *r)
{
    for (size_t i = 0; i < apart_robot_note_count(r); i++) {
        const apart_robot_note *note = apart_robot_note_at(r, i);
        size_t more;
        if (settings->given[CLI_NOTES]) {
            cli_note("%s", note->text);
        } else if (note->kind == APART_ROBOT_NOTE_WARNING && is_first(r, i, &more)) {
            char rest[CLI_TEXT_SIZE] = "";
            if (more > 0) {
                snprintf(rest, sizeof rest, "; and %zu more like it (--notes lists them)", more);
            }
            cli_note("%s%s", note->text, rest);
        }
    }
    if (!settings->given[CLI_NOTES]) {
        print_hulls(r);
    }
}

/* ---- reading ---- */

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

/* Appends ":TEXT" of `length` bytes and an ending. */
static size_t append(char *list, size_t used, const char *text, size_t length, const char *ending)
{
    return used + (size_t)sprintf(list + used, "%s%.*s%s", used > 0 ? ":" : "", (int)length, text, ending);
}

/* --packages, then $ROS_PACKAGE_PATH, then share/ of the folders of $AMENT_PREFIX_PATH; NULL if all are missing. To be
 * freed. */
static char *package_list(const cli_settings *settings)
{
    const char *lists[] = {settings->packages, getenv("ROS_PACKAGE_PATH"), getenv("AMENT_PREFIX_PATH")};
    size_t size = 1, used = 0;
    for (int i = 0; i < 3; i++) {
        size += lists[i] != NULL ? 8 * strlen(lists[i]) + 8 : 0;
    }
    char *list = size > 1 ? calloc(size, 1) : NULL;
    for (int i = 0; i < 3 && list != NULL; i++) {
        for (const char *at = lists[i]; at != NULL && *at != '\0';) {
            const size_t length = strcspn(at, ":");
            used = length > 0 ? append(list, used, at, length, i == 2 ? "/share" : "") : used;
            at += length + (at[length] == ':');
        }
    }
    return list;
}

/* XML lets some control characters through (U+009B steers terminals). */
static int check_names(const apart_robot *r)
{
    for (size_t i = 0; i < apart_robot_link_count(r); i++) {
        if (!cli_is_printable(apart_robot_link_at(r, i)->name)) {
            return cli_error("%s: the name of link '%s' has a control character in it", apart_robot_file(r),
                             apart_robot_link_at(r, i)->name);
        }
    }
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        if (!cli_is_printable(apart_robot_joint_at(r, i)->name)) {
            return cli_error("%s: the name of joint '%s' has a control character in it", apart_robot_file(r),
                             apart_robot_joint_at(r, i)->name);
        }
    }
    return CLI_YES;
}

/* xacro FILE, with the name quoted for the shell. To be freed. */
static char *xacro_command(const char *path)
{
    char *command = malloc(4 * strlen(path) + 20), *at = command;
    if (command == NULL) {
        return NULL;
    }
    at += sprintf(at, "xacro '");
    for (; *path != '\0'; path++) {
        at += sprintf(at, *path == '\'' ? "'\\''" : "%c", *path);
    }
    sprintf(at, "'");
    return command;
}

static int read_xacro(const char *path, const apart_robot_read_options *options, apart_robot **out)
{
    apart_io_error error;
    size_t size;
    char *command = xacro_command(path);
    FILE *stream = command != NULL ? popen(command, "r") : NULL;
    free(command);
    if (stream == NULL) {
        return cli_error("%s: xacro cannot be started", path);
    }
    char *data = cli_read_all(stream, path, &size);
    const int ended = pclose(stream);
    if (data == NULL || ended != 0) {
        free(data);
        return cli_error("%s: xacro failed; it must be installed (ros-*-xacro, or pip install xacro)", path);
    }
    const apart_status status = apart_robot_read_memory(data, size, path, options, out, &error);
    free(data);
    return status == APART_OK ? check_names(*out) : cli_error("%s", error.message);
}

int cli_robot_read(const cli_settings *settings, const char *path, scene *source, apart_robot **out)
{
    apart_io_error error;
    if (ends_with(path, ".json")) {
        return source != NULL ? cli_robot_read_json(path, source, out)
                              : cli_error("%s: other robots of a cell are URDF, MJCF or xacro files", path);
    }
    char *packages = package_list(settings);
    const apart_robot_read_options options = {.packages = packages, .as = (uint8_t)settings->as};
    if (ends_with(path, ".xacro")) {
        const int read = read_xacro(path, &options, out);
        free(packages);
        return read;
    }
    const apart_status status = apart_robot_read(path, &options, out, &error);
    free(packages);
    return status == APART_OK ? check_names(*out) : cli_error("%s", error.message);
}

apart_robot_mesh cli_robot_mesh(const scene_solid *solid, const apart_pose *pose)
{
    const apart_solid mesh = scene_solid_of(solid);
    return (apart_robot_mesh){mesh.mesh, *pose, mesh.surface};
}

static int read_obstacles(const cli_settings *settings, cli_cell *out)
{
    const apart_pose here = apart_pose_identity();
    if (settings->scene != NULL && scene_read(settings->scene, SCENE_SOLIDS, &out->obstacles) != CLI_YES) {
        return CLI_BAD;
    }
    apart_robot_obstacle *list = realloc(out->list, (out->count + out->obstacles.body_count + 1) * sizeof *list);
    if (list == NULL) {
        return cli_error("out of memory");
    }
    out->list = list;
    out->meshes = calloc(out->obstacles.body_count + 1, sizeof *out->meshes);
    if (out->meshes == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < out->obstacles.body_count; i++) {
        const scene_body *body = &out->obstacles.bodies[i];
        const scene_solid *solid = out->obstacles.solids[body->solid];
        if (solid->parts != NULL && solid->parts[0].shape.dim != 3) {
            return cli_error("%s: the body \"%s\" is flat (2D); a robot needs obstacles in space", settings->scene,
                             body->name);
        }
        if (apart_robot_find_link(out->robot, body->name) != APART_ROBOT_NONE) {
            return cli_error("%s: the body \"%s\" has the name of a link of %s", settings->scene, body->name,
                             apart_robot_file(out->robot));
        }
        if (body->moves) {
            continue; /* a part of the robot: cli_cell_combine */
        }
        apart_robot_obstacle *o = &out->list[out->count++];
        *o = (apart_robot_obstacle){.name = body->name, .pose = body->motion.start};
        if (solid->parts != NULL) {
            o->parts = solid->parts;
            o->count = solid->count;
        } else {
            out->meshes[i] = cli_robot_mesh(solid, &here);
            o->meshes = &out->meshes[i];
            o->mesh_count = 1;
        }
    }
    return CLI_YES;
}

static int read_disabled(const cli_settings *settings, cli_cell *out)
{
    apart_io_error error;
    if (settings->srdf == NULL) {
        return CLI_YES;
    }
    const char **names = calloc(out->count + 1, sizeof *names);
    if (names == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < out->count; i++) {
        names[i] = out->list[i].name;
    }
    const apart_status status = apart_robot_read_srdf(settings->srdf, names, out->robot, &error);
    free(names);
    return status == APART_OK ? CLI_YES : cli_error("%s", error.message);
}

static int make_cell(const cli_settings *settings, cli_cell *out)
{
    char reason[CLI_TEXT_SIZE];
    if (read_obstacles(settings, out) != CLI_YES || cli_cell_add_points(settings, out) != CLI_YES ||
        cli_cell_combine(settings, out) != CLI_YES || read_disabled(settings, out) != CLI_YES ||
        cli_cell_read_limits(settings, out) != CLI_YES) {
        return CLI_BAD;
    }
    print_notes(settings, out->robot);
    const apart_robot_cell_options options = {.obstacles = out->list,
                                              .obstacle_count = out->count,
                                              .base = &out->base,
                                              .margins = out->margins,
                                              .margin_count = out->margin_count};
    apart_status status = apart_robot_cell_create(out->robot, &options, &out->cell);
    if (status == APART_ERR_EMPTY) {
        return cli_error(
            "%s: no pair to query: all pairs of links and obstacles are adjacent, disabled, without collision geometry, "
            "or do not move relative to each other",
            apart_robot_file(out->robot));
    }
    status = status == APART_OK ? apart_robot_work_create(out->cell, &out->work) : status;
    return status == APART_OK ? CLI_YES : cli_error("%s: %s", apart_robot_file(out->robot), cli_reason(status, reason));
}

int cli_robot_load(const cli_settings *settings, const char *robot_file, cli_cell *out)
{
    *out = (cli_cell){.robot = NULL};
    if (cli_robot_read(settings, robot_file, &out->source, &out->robot) != CLI_YES ||
        read_disabled(settings, out) != CLI_YES) {
        cli_cell_free(out);
        return CLI_BAD;
    }
    print_notes(settings, out->robot);
    return CLI_YES;
}

int cli_cell_load(const cli_settings *settings, const char *robot_file, cli_cell *out)
{
    *out = (cli_cell){.robot = NULL};
    const int status =
        cli_robot_read(settings, robot_file, &out->source, &out->robot) == CLI_YES ? make_cell(settings, out) : CLI_BAD;
    if (status != CLI_YES) {
        cli_cell_free(out);
    }
    return status;
}

int cli_cell_make(const cli_settings *settings, apart_robot *taken, const apart_robot_obstacle *own, size_t count,
                  cli_cell *out)
{
    *out = (cli_cell){.robot = taken};
    int status = CLI_YES;
    if (settings->scene == NULL && count > 0) {
        out->list = calloc(count, sizeof *out->list);
        out->count = out->list != NULL ? count : 0;
        status = out->list != NULL ? CLI_YES : cli_error("out of memory");
    }
    if (out->count > 0) {
        memcpy(out->list, own, count * sizeof *own);
    }
    status = status == CLI_YES ? make_cell(settings, out) : status;
    if (status != CLI_YES) {
        cli_cell_free(out);
    }
    return status;
}

void cli_cell_free(cli_cell *cell)
{
    apart_robot_work_free(cell->work);
    apart_robot_cell_free(cell->cell);
    apart_robot_free(cell->robot);
    free(cell->list);
    free(cell->points);
    free(cell->meshes);
    free(cell->margins);
    free(cell->limits);
    if (cell->surroundings.root != NULL) {
        scene_free(&cell->surroundings);
    }
    if (cell->source.root != NULL) {
        scene_free(&cell->source);
    }
    if (cell->obstacles.root != NULL) {
        scene_free(&cell->obstacles);
    }
    *cell = (cli_cell){.robot = NULL};
}

const char *cli_pair_name(const cli_cell *cell, size_t pair, int side)
{
    return apart_robot_body_at(cell->cell, apart_robot_pair_at(cell->cell, pair)->bodies[side])->name;
}

/* ---- recordings ---- */

/* Appends " --name value", the value in quotes where a shell would take it apart. */
static void append_option(char *text, size_t size, const char *name, const char *value)
{
    const size_t used = strlen(text);
    const char *quote = value != NULL && strpbrk(value, " ;'\"$&()<>|*?\t") != NULL ? "'" : "";
    if (value != NULL) {
        snprintf(text + used, size - used, "%s%s%s%s%s%s", used > 0 ? " " : "", name, *name != '\0' ? " " : "", quote,
                 value, quote);
    }
}

int cli_cell_record(const cli_settings *settings, const char *robot_file, const cli_cell *cell, recording *r)
{
    char command[4 * CLI_PATH_SIZE] = "";
    append_option(command, sizeof command, "", robot_file);
    append_option(command, sizeof command, "--srdf", settings->srdf);
    append_option(command, sizeof command, "--scene", settings->scene);
    append_option(command, sizeof command, "--cell", settings->cell);
    append_option(command, sizeof command, "--base", settings->base);
    append_option(command, sizeof command, "--limits", settings->limits);
    append_option(command, sizeof command, "--packages", settings->packages);
    append_option(command, sizeof command, "--points", settings->points);
    return recording_add_cell(r, cell->cell, robot_file != NULL ? command : NULL);
}

int cli_cell_record_frame(const cli_cell *cell, recording *r, double t, const apart_robot_near *near, const char *label,
                          const char *const *names, const double *values, size_t value_count)
{
    const size_t count = apart_robot_body_count(cell->cell),
                 *bodies = apart_robot_pair_at(cell->cell, near->pair)->bodies;
    apart_pose *poses = calloc(count, sizeof *poses);
    if (poses == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < count; i++) { /* the parts keep their own poses in the file */
        poses[i] = apart_robot_body_pose(cell->work, i);
    }
    recording_pair shown = recording_pair_of(bodies[0], bodies[1], &near->at.result);
    shown.part_a = near->at.part_a;
    shown.part_b = near->at.part_b;
    const int status = recording_write(r, &(recording_frame){.t = t,
                                                             .poses = poses,
                                                             .pairs = &shown,
                                                             .pair_count = 1,
                                                             .label = label,
                                                             .value_names = names,
                                                             .values = values,
                                                             .value_count = value_count});
    free(poses);
    return status;
}
