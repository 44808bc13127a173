/* Robots in JSON: links and joints by frames, or rows of Denavit and Hartenberg (docs/robots.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"

typedef struct json_robot {
    scene *s;
    apart_robot *r;
} json_robot;

/* ---- joints ---- */

static int read_kind(const scene_place *object, int *kind)
{
    const scene_place place = scene_member(object, "kind");
    *kind = APART_JOINT_ROTARY;
    if (place.value == NULL) {
        return CLI_YES;
    }
    for (int k = APART_JOINT_FIXED; k <= APART_JOINT_SLIDING; k++) {
        if (json_is_string(place.value) && strcmp(json_string_value(place.value), apart_joint_kind_name(k)) == 0) {
            *kind = k;
            return CLI_YES;
        }
    }
    return scene_error(&place, "expected \"rotary\", \"continuous\", \"sliding\" or \"fixed\"");
}

static int read_limits(const scene_place *object, apart_robot_joint *joint)
{
    const scene_place place = scene_member(object, "limits");
    double limits[2] = {-INFINITY, INFINITY};
    if (place.value != NULL && scene_read_numbers(&place, 2, limits) != CLI_YES) {
        return CLI_BAD;
    }
    if (limits[0] > limits[1]) {
        return scene_error(&place, "the lower limit is above the upper one");
    }
    joint->lower = limits[0];
    joint->upper = limits[1];
    return CLI_YES;
}

static int read_mimic(const scene_place *object, apart_robot_joint *joint, const char **mimics)
{
    static const char *const known[] = {"joint", "factor", "offset", NULL};
    const scene_place place = scene_member(object, "mimic");
    *mimics = NULL;
    if (place.value == NULL) {
        return CLI_YES;
    }
    if (scene_check_keys(&place, known, "a mimic") != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place name = scene_member(&place, "joint"), factor = scene_member(&place, "factor"),
                      offset = scene_member(&place, "offset");
    if (scene_read_text(&name, "a joint") != CLI_YES ||
        (factor.value != NULL && scene_read_number(&factor, &joint->factor) != CLI_YES) ||
        (offset.value != NULL && scene_read_number(&offset, &joint->offset) != CLI_YES)) {
        return CLI_BAD;
    }
    *mimics = json_string_value(name.value);
    return CLI_YES;
}

/* The line of a place: the library's own messages name it. */
static size_t line_of(const scene_place *place)
{
    char where[SCENE_PATH_SIZE];
    const size_t name = strlen(place->text->name);
    scene_where(place, where);
    return strlen(where) > name ? strtoul(where + name + 1, NULL, 10) : 0;
}

static int check(apart_status status, const apart_io_error *error)
{
    return status == APART_OK ? CLI_YES : cli_error("%s", error->message);
}

static int read_joint(const json_robot *j, const scene_place *place)
{
    static const char *const known[] = {"name", "kind", "parent", "child", "origin", "axis", "limits", "mimic", NULL};
    static const char *const texts[] = {"name", "parent", "child"};
    apart_robot_joint joint = {.axis = {0, 0, 1}, .factor = 1, .line = line_of(place)};
    const char *mimics, *names[3];
    apart_io_error error;
    if (scene_check_keys(place, known, "a joint") != CLI_YES) {
        return CLI_BAD;
    }
    for (int i = 0; i < 3; i++) {
        const scene_place text = scene_member(place, texts[i]);
        if (text.value == NULL) {
            return scene_error(place, "the key \"%s\" is missing", texts[i]);
        }
        if (scene_read_text(&text, "a name") != CLI_YES) {
            return CLI_BAD;
        }
        names[i] = json_string_value(text.value);
    }
    const scene_place origin = scene_member(place, "origin");
    if (read_kind(place, &joint.kind) != CLI_YES || scene_read_pose(&origin, &joint.origin) != CLI_YES ||
        scene_read_vec(place, "axis", &joint.axis) != CLI_YES || read_limits(place, &joint) != CLI_YES ||
        read_mimic(place, &joint, &mimics) != CLI_YES) {
        return CLI_BAD;
    }
    return check(apart_robot_add_joint(j->r, names[0], names[1], names[2], mimics, &joint, &error), &error);
}

/* ---- links ---- */

/* The parts of "parts" of a place, moved by `frame`. */
static int read_parts(const json_robot *j, const scene_place *object, size_t link, const apart_pose *frame)
{
    static const char *const known[] = {"shape", "pose", NULL};
    const scene_place array = scene_member(object, "parts");
    if (array.value != NULL && !json_is_array(array.value)) {
        return scene_error(&array, "expected an array of parts");
    }
    for (size_t i = 0; i < json_array_size(array.value); i++) {
        const scene_place part = scene_element(&array, i);
        size_t number;
        apart_pose pose;
        if (scene_check_keys(&part, known, "a part") != CLI_YES) {
            return CLI_BAD;
        }
        const scene_place shape = scene_member(&part, "shape"), at = scene_member(&part, "pose");
        if (shape.value == NULL) {
            return scene_error(&part, "the key \"shape\" is missing");
        }
        if (scene_read_solid(j->s, &shape, &number) != CLI_YES || scene_read_pose(&at, &pose) != CLI_YES) {
            return CLI_BAD;
        }
        const scene_solid *solid = j->s->solids[number];
        const apart_pose outer = apart_pose_compose(frame, &pose);
        for (size_t k = 0; k < solid->count; k++) {
            const apart_part placed = {solid->parts[k].shape, apart_pose_compose(&outer, &solid->parts[k].pose)};
            if (placed.shape.dim != 3 || placed.shape.kind == APART_SHAPE_HALF_SPACE) {
                return scene_error(&shape, "a link is made of bounded bodies in space");
            }
            if (apart_robot_add_part(j->r, link, &placed, NULL) != APART_OK) {
                return cli_error("out of memory");
            }
        }
    }
    return CLI_YES;
}

static int read_link(const json_robot *j, const scene_place *place)
{
    static const char *const known[] = {"name", "parts", NULL};
    const apart_pose here = apart_pose_identity();
    apart_io_error error;
    if (scene_check_keys(place, known, "a link") != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place name = scene_member(place, "name");
    if (name.value == NULL) {
        return scene_error(place, "the key \"name\" is missing");
    }
    if (scene_read_text(&name, "a name") != CLI_YES ||
        check(apart_robot_add_link(j->r, json_string_value(name.value), line_of(&name), &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    return read_parts(j, place, apart_robot_link_count(j->r) - 1, &here);
}

/* ---- Denavit and Hartenberg ---- */

static apart_pose turn_about(apart_vec3 axis, double angle)
{
    apart_pose pose;
    apart_pose_from_axis_angle(axis, angle, (apart_vec3){0, 0, 0}, &pose);
    return pose;
}

/* Rz(theta) Tz(d) Tx(a) Rx(alpha), or modified (Craig): Rx(alpha) Tx(a) Rz(theta) Tz(d). */
static apart_pose row_pose(const double p[4], bool modified)
{
    const apart_pose z = turn_about((apart_vec3){0, 0, 1}, p[3]), x = turn_about((apart_vec3){1, 0, 0}, p[1]);
    const apart_pose up = apart_pose_translation(0, 0, p[2]), along = apart_pose_translation(p[0], 0, 0);
    const apart_pose turned = apart_pose_compose(&z, &up),
                     bent = modified ? apart_pose_compose(&x, &along) : apart_pose_compose(&along, &x);
    return modified ? apart_pose_compose(&bent, &turned) : apart_pose_compose(&turned, &bent);
}

typedef struct dh_state {
    bool modified;
    apart_pose before; /* the fixed part between the last joint's motion and the next joint */
    char link[CLI_TEXT_SIZE];
} dh_state;

/* In the standard form the joint turns first and the row's fixed part follows: it goes to the next joint's origin and
 * to the parts. */
static int read_row(const json_robot *j, const scene_place *place, size_t index, dh_state *state)
{
    static const char *const known[] = {"name", "kind", "a", "alpha", "d", "theta", "limits", "parts", NULL};
    static const char *const numbers[] = {"a", "alpha", "d", "theta"};
    apart_robot_joint joint = {.axis = {0, 0, 1}, .factor = 1, .line = line_of(place)};
    double p[4] = {0};
    char own[CLI_TEXT_SIZE], link[CLI_TEXT_SIZE];
    apart_io_error error;
    if (scene_check_keys(place, known, "a row") != CLI_YES) {
        return CLI_BAD;
    }
    for (int i = 0; i < 4; i++) {
        const scene_place number = scene_member(place, numbers[i]);
        if (number.value != NULL && scene_read_number(&number, &p[i]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    const scene_place name = scene_member(place, "name");
    snprintf(own, sizeof own, "joint%zu", index + 1);
    snprintf(link, sizeof link, "link%zu", index + 1);
    if ((name.value != NULL && scene_read_text(&name, "a name") != CLI_YES) ||
        read_kind(place, &joint.kind) != CLI_YES || read_limits(place, &joint) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_pose row = row_pose(p, state->modified), here = apart_pose_identity();
    joint.origin = state->modified ? row : state->before;
    const char *chosen = name.value != NULL ? json_string_value(name.value) : own;
    if (check(apart_robot_add_link(j->r, link, joint.line, &error), &error) != CLI_YES ||
        check(apart_robot_add_joint(j->r, chosen, state->link, link, NULL, &joint, &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    state->before = state->modified ? here : row;
    memcpy(state->link, link, sizeof link);
    return read_parts(j, place, apart_robot_link_count(j->r) - 1, &state->before);
}

/* The last row's fixed part ends in the link "tool". */
static int read_rows(const json_robot *j, const scene_place *root)
{
    const scene_place rows = scene_member(root, "dh"), form = scene_member(root, "convention"),
                      base = scene_member(root, "base");
    static const char *const base_keys[] = {"parts", NULL};
    dh_state state = {.before = apart_pose_identity(), .link = "base"};
    const apart_pose here = apart_pose_identity();
    apart_io_error error;
    const char *name =
        json_is_string(form.value) ? json_string_value(form.value) : (form.value == NULL ? "standard" : "");
    state.modified = strcmp(name, "modified") == 0;
    if (!state.modified && strcmp(name, "standard") != 0) {
        return scene_error(&form, "expected \"standard\" or \"modified\"");
    }
    if (!json_is_array(rows.value) || json_array_size(rows.value) == 0) {
        return scene_error(&rows, "expected an array of at least one row");
    }
    if (check(apart_robot_add_link(j->r, "base", line_of(&rows), &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    if (base.value != NULL &&
        (scene_check_keys(&base, base_keys, "a base") != CLI_YES || read_parts(j, &base, 0, &here) != CLI_YES)) {
        return CLI_BAD;
    }
    for (size_t i = 0; i < json_array_size(rows.value); i++) {
        const scene_place row = scene_element(&rows, i);
        if (read_row(j, &row, i, &state) != CLI_YES) {
            return CLI_BAD;
        }
    }
    const apart_robot_joint last = {.kind = APART_JOINT_FIXED, .origin = state.before, .axis = {0, 0, 1}, .factor = 1};
    return check(apart_robot_add_link(j->r, "tool", line_of(&rows), &error), &error) == CLI_YES
               ? check(apart_robot_add_joint(j->r, "tool", state.link, "tool", NULL, &last, &error), &error)
               : CLI_BAD;
}

/* ---- the file ---- */

static int read_frames(const json_robot *j, const scene_place *root)
{
    static const struct {
        const char *key;
        int (*read)(const json_robot *j, const scene_place *place);
    } lists[] = {{"links", read_link}, {"joints", read_joint}};
    for (int i = 0; i < 2; i++) {
        const scene_place array = scene_member(root, lists[i].key);
        if (!json_is_array(array.value)) {
            return array.value == NULL
                       ? scene_error(root, "the key \"%s\" is missing (or \"dh\" in place of \"links\" and \"joints\")",
                                     lists[i].key)
                       : scene_error(&array, "expected an array");
        }
        for (size_t k = 0; k < json_array_size(array.value); k++) {
            const scene_place element = scene_element(&array, k);
            if (lists[i].read(j, &element) != CLI_YES) {
                return CLI_BAD;
            }
        }
    }
    return CLI_YES;
}

static int read_disabled(const json_robot *j, const scene_place *root)
{
    const scene_place pairs = scene_member(root, "disabled_pairs");
    if (pairs.value != NULL && !json_is_array(pairs.value)) {
        return scene_error(&pairs, "expected an array of pairs of names");
    }
    for (size_t i = 0; i < json_array_size(pairs.value); i++) {
        const scene_place pair = scene_element(&pairs, i);
        const char *names[2] = {NULL, NULL};
        for (size_t k = 0; k < 2 && json_array_size(pair.value) == 2; k++) {
            names[k] = json_string_value(json_array_get(pair.value, k));
        }
        if (names[0] == NULL || names[1] == NULL) {
            return scene_error(&pair, "expected the names of two links");
        }
        for (int k = 0; k < 2; k++) {
            if (apart_robot_find_link(j->r, names[k]) == APART_ROBOT_NONE) {
                return scene_error(&pair, "there is no link \"%s\"", names[k]);
            }
        }
        if (apart_robot_disable_pair(j->r, names[0], names[1]) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return CLI_YES;
}

static int read_robot(const json_robot *j)
{
    static const char *const known[] = {"robot",      "shapes", "links",          "joints", "dh",
                                        "convention", "base",   "disabled_pairs", NULL};
    const scene_place root = {NULL, &j->s->text, 0, NULL, j->s->root, false};
    apart_io_error error;
    if (scene_check_keys(&root, known, "a robot") != CLI_YES || scene_read_shapes(j->s, &root) != CLI_YES) {
        return CLI_BAD;
    }
    const bool rows = json_object_get(root.value, "dh") != NULL;
    const scene_place links = scene_member(&root, "links"), joints = scene_member(&root, "joints");
    if (rows && (links.value != NULL || joints.value != NULL)) {
        return scene_error(links.value != NULL ? &links : &joints,
                           "\"dh\" and \"links\" with \"joints\" exclude each other");
    }
    if ((rows ? read_rows(j, &root) : read_frames(j, &root)) != CLI_YES ||
        check(apart_robot_finish(j->r, &error), &error) != CLI_YES) {
        return CLI_BAD;
    }
    return read_disabled(j, &root);
}

int cli_robot_read_json(const char *path, scene *source, apart_robot **out)
{
    *out = NULL;
    if (scene_open(path, SCENE_PARTS, source) != CLI_YES) {
        return CLI_BAD;
    }
    const json_robot j = {source, apart_robot_new(source->text.name)};
    if (j.r == NULL) {
        return cli_error("out of memory");
    }
    *out = j.r; /* freed with the cell, whatever comes */
    const char *name = json_string_value(json_object_get(source->root, "robot"));
    if (name != NULL) {
        if (apart_robot_set_name(j.r, name) != APART_OK) {
            return cli_error("out of memory");
        }
    }
    return read_robot(&j);
}
