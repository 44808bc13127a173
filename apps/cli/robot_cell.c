/* What becomes a part of the robot: other robots and attached bodies of --cell, and the bodies of a scene that move.
 *
 * A new robot is built, whose root "(cell)" stands still; the given robot hangs on it at the base pose. A body that
 * moves hangs on joints that follow the clock: one slides along its velocity, one turns about its axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"

static const char *const ROOT = "(cell)";

typedef struct combiner {
    const cli_settings *settings;
    cli_cell *cell;
    apart_robot *r; /* the new one */
    scene_place root;
} combiner;

static int check(apart_status status, const apart_io_error *error)
{
    return status == APART_OK ? CLI_YES : cli_error("%s", error->message);
}

static apart_robot_joint joint_of(int kind, apart_vec3 axis, double factor)
{
    return (apart_robot_joint){.kind = kind,
                               .origin = apart_pose_identity(),
                               .axis = axis,
                               .lower = -INFINITY,
                               .upper = INFINITY,
                               .factor = factor};
}

/* ---- bodies that move ---- */

/* A screw turns about one line: it is a turn and a slide along that line. */
static void straighten(apart_motion *m)
{
    const double square = apart_vec3_dot(m->angular, m->angular);
    if (m->path != APART_PATH_SCREW || !(square > 0)) {
        return;
    }
    const apart_vec3 v = m->linear, w = m->angular;
    m->pivot = apart_vec3_add(m->pivot, apart_vec3_scale(1 / square, apart_vec3_cross(w, v)));
    m->linear = apart_vec3_scale(apart_vec3_dot(v, w) / square, w);
    m->path = APART_PATH_STRAIGHT;
}

/* A link with a joint above it that follows the clock, or is fixed where nothing moves. */
static int add_clocked(const combiner *c, const char *parent, const char *name, int kind, apart_vec3 rate,
                       apart_vec3 at)
{
    const double size = apart_vec3_norm(rate);
    apart_robot_joint joint = joint_of(size > 0 ? kind : APART_JOINT_FIXED, rate, size);
    char text[2 * CLI_TEXT_SIZE];
    apart_io_error error;
    joint.origin.translation = at;
    snprintf(text, sizeof text, "%s/motion", name);
    if (check(apart_robot_add_link(c->r, name, 0, &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    return check(apart_robot_add_joint(c->r, text, parent, name, size > 0 ? CLI_CLOCK : NULL, &joint, &error), &error);
}

static int add_mover(const combiner *c, const scene_body *body)
{
    const scene_solid *solid = c->cell->obstacles.solids[body->solid];
    apart_motion m = body->motion;
    char path[2 * CLI_TEXT_SIZE];
    straighten(&m);
    apart_pose from_pivot = m.start;
    from_pivot.translation = apart_vec3_sub(m.start.translation, m.pivot);
    snprintf(path, sizeof path, "%s/path", body->name);
    (void)apart_robot_begin_group(c->r);
    if (add_clocked(c, ROOT, path, APART_JOINT_SLIDING, m.linear, m.pivot) != CLI_YES ||
        add_clocked(c, path, body->name, APART_JOINT_ROTARY, m.angular, (apart_vec3){0, 0, 0}) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_robot_mesh mesh =
        solid->parts == NULL ? cli_robot_mesh(solid, &from_pivot) : (apart_robot_mesh){.mesh = NULL};
    if (mesh.mesh != NULL &&
        apart_robot_add_mesh_part(c->r, apart_robot_link_count(c->r) - 1, &mesh, NULL) != APART_OK) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < solid->count; i++) {
        const apart_part part = {solid->parts[i].shape, apart_pose_compose(&from_pivot, &solid->parts[i].pose)};
        if (part.shape.kind == APART_SHAPE_HALF_SPACE) {
            return cli_error("%s: the half-space \"%s\" cannot move", c->settings->scene, body->name);
        }
        if (apart_robot_add_part(c->r, apart_robot_link_count(c->r) - 1, &part, NULL) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return CLI_YES;
}

/* What happens among obstacles is not the robot's business. */
static int ignore_others(const combiner *c, const scene_body *mover)
{
    const scene *s = &c->cell->obstacles;
    for (size_t i = 0; i < s->body_count; i++) {
        if (&s->bodies[i] != mover && apart_robot_disable_pair(c->r, mover->name, s->bodies[i].name) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return apart_robot_disable_pair(c->r, mover->name, "points") == APART_OK ? CLI_YES : cli_error("out of memory");
}

static int add_movers(const combiner *c)
{
    const scene *s = &c->cell->obstacles;
    bool clock = false;
    for (size_t i = 0; i < s->body_count && c->settings->scene != NULL; i++) {
        if (!s->bodies[i].moves) {
            continue;
        }
        if (!clock) {
            apart_io_error error;
            const apart_robot_joint joint = joint_of(APART_JOINT_SLIDING, (apart_vec3){1, 0, 0}, 1);
            if (check(apart_robot_add_link(c->r, "(clock)", 0, &error), &error) != CLI_YES ||
                check(apart_robot_add_joint(c->r, CLI_CLOCK, ROOT, "(clock)", NULL, &joint, &error), &error) !=
                    CLI_YES) {
                return CLI_BAD;
            }
            clock = true;
        }
        if (add_mover(c, &s->bodies[i]) != CLI_YES || ignore_others(c, &s->bodies[i]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* ---- attached bodies ---- */

static int add_attached_parts(const combiner *c, const scene_place *place)
{
    scene *s = &c->cell->surroundings;
    const scene_place shape = scene_member(place, "shape");
    const size_t link = apart_robot_link_count(c->r) - 1;
    size_t number;
    if (shape.value == NULL) {
        return scene_error(place, "the key \"shape\" is missing");
    }
    if (scene_read_solid(s, &shape, &number) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_pose here = apart_pose_identity();
    if (s->solids[number]->parts == NULL) {
        const apart_robot_mesh mesh = cli_robot_mesh(s->solids[number], &here);
        return apart_robot_add_mesh_part(c->r, link, &mesh, NULL) == APART_OK ? CLI_YES : cli_error("out of memory");
    }
    for (size_t i = 0; i < s->solids[number]->count; i++) {
        const apart_part *part = &s->solids[number]->parts[i];
        if (part->shape.dim != 3 || part->shape.kind == APART_SHAPE_HALF_SPACE) {
            return scene_error(&shape, "an attached body is bounded and in space");
        }
        if (apart_robot_add_part(c->r, link, part, NULL) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return CLI_YES;
}

static int read_touches(const combiner *c, const scene_place *place, const char *name)
{
    const scene_place touches = scene_member(place, "touches");
    if (touches.value != NULL && !json_is_array(touches.value)) {
        return scene_error(&touches, "expected an array of links");
    }
    for (size_t i = 0; i < json_array_size(touches.value); i++) {
        const scene_place link = scene_element(&touches, i);
        if (scene_read_text(&link, "a link") != CLI_YES) {
            return CLI_BAD;
        }
        if (apart_robot_find_link(c->r, json_string_value(link.value)) == APART_ROBOT_NONE) {
            return scene_error(&link, "there is no link \"%s\"", json_string_value(link.value));
        }
        if (apart_robot_disable_pair(c->r, name, json_string_value(link.value)) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return CLI_YES;
}

static int add_attached(const combiner *c, const scene_place *place)
{
    static const char *const known[] = {"name", "link", "pose", "shape", "touches", NULL};
    apart_robot_joint joint = joint_of(APART_JOINT_FIXED, (apart_vec3){0, 0, 1}, 1);
    const scene_place name = scene_member(place, "name"), link = scene_member(place, "link"),
                      pose = scene_member(place, "pose");
    apart_io_error error;
    char mount[2 * CLI_TEXT_SIZE];
    if (scene_check_keys(place, known, "an attached body") != CLI_YES || scene_read_text(&name, "a name") != CLI_YES ||
        scene_read_text(&link, "a link") != CLI_YES || scene_read_pose(&pose, &joint.origin) != CLI_YES) {
        return CLI_BAD;
    }
    const char *own = json_string_value(name.value), *parent = json_string_value(link.value);
    if (apart_robot_find_link(c->r, parent) == APART_ROBOT_NONE) {
        return scene_error(&link, "there is no link \"%s\"", parent);
    }
    snprintf(mount, sizeof mount, "%.200s/mount", own);
    if (check(apart_robot_add_link(c->r, own, 0, &error), &error) != CLI_YES ||
        check(apart_robot_add_joint(c->r, mount, parent, own, NULL, &joint, &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    return add_attached_parts(c, place) == CLI_YES ? read_touches(c, place, own) : CLI_BAD;
}

/* Those whose link is in the robot that was added last: they belong to its group. `before`: links there were. */
static int add_attached_since(const combiner *c, size_t before)
{
    const scene_place list = scene_member(&c->root, "attached");
    const size_t end = apart_robot_link_count(c->r);
    for (size_t i = 0; i < json_array_size(list.value); i++) {
        const scene_place place = scene_element(&list, i);
        const char *link = json_string_value(json_object_get(place.value, "link"));
        const size_t number = link != NULL ? apart_robot_find_link(c->r, link) : APART_ROBOT_NONE;
        if (number >= before && number < end && add_attached(c, &place) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* ---- other robots ---- */

/* A file beside the cell's own, unless it is absolute. To be freed. */
static char *beside(const char *cell, const char *file)
{
    const char *slash = strrchr(cell, '/');
    const size_t folder = slash != NULL && *file != '/' ? (size_t)(slash - cell) + 1 : 0;
    char *path = malloc(folder + strlen(file) + 1);
    if (path != NULL) {
        memcpy(path, cell, folder);
        strcpy(path + folder, file);
    }
    return path;
}

static int read_other(const combiner *c, const scene_place *place, apart_robot **out)
{
    const scene_place file = scene_member(place, "file"), srdf = scene_member(place, "srdf");
    apart_io_error error;
    if (scene_read_text(&file, "a file") != CLI_YES ||
        (srdf.value != NULL && scene_read_text(&srdf, "a file") != CLI_YES)) {
        return CLI_BAD;
    }
    char *path = beside(c->settings->cell, json_string_value(file.value));
    int status = path != NULL ? cli_robot_read(c->settings, path, NULL, out) : cli_error("out of memory");
    free(path);
    if (status == CLI_YES && srdf.value != NULL) {
        path = beside(c->settings->cell, json_string_value(srdf.value));
        status =
            path != NULL ? check(apart_robot_read_srdf(path, NULL, *out, &error), &error) : cli_error("out of memory");
        free(path);
    }
    return status;
}

static int add_other(const combiner *c, const scene_place *place)
{
    static const char *const known[] = {"name", "file", "srdf", "pose", NULL};
    const scene_place name = scene_member(place, "name"), pose = scene_member(place, "pose");
    const size_t before = apart_robot_link_count(c->r);
    apart_pose at;
    apart_robot *other = NULL;
    apart_io_error error;
    char prefix[CLI_TEXT_SIZE];
    if (scene_check_keys(place, known, "a robot of a cell") != CLI_YES || scene_read_text(&name, "a name") != CLI_YES ||
        scene_read_pose(&pose, &at) != CLI_YES || read_other(c, place, &other) != CLI_YES) {
        apart_robot_free(other);
        return CLI_BAD;
    }
    snprintf(prefix, sizeof prefix, "%s/", json_string_value(name.value));
    return check(apart_robot_add_robot(c->r, other, prefix, ROOT, &at, &error), &error) == CLI_YES
               ? add_attached_since(c, before)
               : CLI_BAD;
}

/* ---- the whole ---- */

static int add_others(const combiner *c)
{
    const scene_place robots = scene_member(&c->root, "robots"), attached = scene_member(&c->root, "attached");
    for (size_t i = 0; i < json_array_size(robots.value); i++) {
        const scene_place place = scene_element(&robots, i);
        if (add_other(c, &place) != CLI_YES) {
            return CLI_BAD;
        }
    }
    for (size_t i = 0; i < json_array_size(attached.value); i++) { /* what found no link */
        const scene_place place = scene_element(&attached, i);
        const char *name = json_string_value(json_object_get(place.value, "name"));
        if (name == NULL || apart_robot_find_link(c->r, name) == APART_ROBOT_NONE) {
            return add_attached(c, &place);
        }
    }
    return CLI_YES;
}

static int combine(combiner *c, const apart_pose *base)
{
    apart_robot *own = c->cell->robot;
    apart_io_error error;
    c->cell->robot = NULL; /* the new one's, whatever comes */
    if (check(apart_robot_add_link(c->r, ROOT, 0, &error), &error) != CLI_YES) {
        apart_robot_free(own);
        return CLI_BAD;
    }
    if (check(apart_robot_add_robot(c->r, own, "", ROOT, base, &error), &error) != CLI_YES ||
        apart_robot_set_name(c->r, apart_robot_name(own)) != APART_OK ||
        (c->root.value != NULL && (add_attached_since(c, 0) != CLI_YES || add_others(c) != CLI_YES))) {
        return CLI_BAD;
    }
    return add_movers(c) == CLI_YES ? check(apart_robot_finish(c->r, &error), &error) : CLI_BAD;
}

static int read_cell(const combiner *c, scene_place *root, apart_pose *base)
{
    static const char *const known[] = {"base", "robots", "attached", "shapes", NULL};
    scene *s = &c->cell->surroundings;
    if (scene_open(c->settings->cell, SCENE_SOLIDS, s) != CLI_YES) {
        return CLI_BAD;
    }
    *root = (scene_place){NULL, &s->text, 0, NULL, s->root, false};
    const scene_place at = scene_member(root, "base"), robots = scene_member(root, "robots"),
                      attached = scene_member(root, "attached");
    if (scene_check_keys(root, known, "a cell") != CLI_YES || scene_read_shapes(s, root) != CLI_YES ||
        (at.value != NULL && scene_read_pose(&at, base) != CLI_YES)) {
        return CLI_BAD;
    }
    if ((robots.value != NULL && !json_is_array(robots.value)) ||
        (attached.value != NULL && !json_is_array(attached.value))) {
        return scene_error(robots.value != NULL && !json_is_array(robots.value) ? &robots : &attached,
                           "expected an array");
    }
    return CLI_YES;
}

int cli_cell_combine(const cli_settings *settings, cli_cell *cell)
{
    combiner c = {.settings = settings, .cell = cell};
    bool moves = false;
    cell->base = apart_pose_identity();
    for (size_t i = 0; settings->scene != NULL && i < cell->obstacles.body_count; i++) {
        moves = moves || cell->obstacles.bodies[i].moves;
    }
    if (settings->base != NULL && cli_pose_read("--base", settings->base, &cell->base) != CLI_YES) {
        return CLI_BAD;
    }
    if (settings->cell != NULL && read_cell(&c, &c.root, &cell->base) != CLI_YES) {
        return CLI_BAD;
    }
    if (settings->cell == NULL && !moves) {
        return CLI_YES;
    }
    c.r = apart_robot_new(apart_robot_file(cell->robot));
    const int status = c.r != NULL ? combine(&c, &cell->base) : cli_error("out of memory");
    cell->base = apart_pose_identity();
    if (status != CLI_YES) {
        apart_robot_free(c.r);
        return CLI_BAD;
    }
    cell->robot = c.r;
    return CLI_YES;
}
