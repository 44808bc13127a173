/* Reads a scene file: bodies, disabled pairs, steps (solids: scene_solid.c; schema: docs/scene.md). Every message names
 * file, line, column and key. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { MOST_GROUPS = 32 };
/* Poses of that many steps are far within what a motion can hold. */
static const double MOST_STEPS = 1e6;

/* ---- bodies ---- */

static int read_groups(scene *s, const scene_place *body, const char *key, uint32_t *bits)
{
    const scene_place array = scene_member(body, key);
    *bits = 0;
    if (array.value == NULL) {
        return CLI_YES;
    }
    if (!json_is_array(array.value)) {
        return scene_error(&array, "expected an array of names of groups");
    }
    for (size_t i = 0; i < json_array_size(array.value); i++) {
        const scene_place element = scene_element(&array, i);
        if (scene_read_text(&element, "the name of a group") != CLI_YES) {
            return CLI_BAD;
        }
        const char *name = json_string_value(element.value);
        const json_t *known = json_object_get(s->group_of, name);
        const size_t bit = known != NULL ? (size_t)json_integer_value(known) : json_object_size(s->group_of);
        if (bit >= MOST_GROUPS) {
            return scene_error(&element, "more than %d groups", MOST_GROUPS);
        }
        json_object_set_new(s->group_of, name, json_integer((json_int_t)bit));
        *bits |= 1u << bit;
    }
    return CLI_YES;
}

static int read_motion(const scene_place *place, const apart_pose *start, scene_body *body)
{
    static const char *const known[] = {"linear", "angular", "center", "path", NULL};
    apart_vec3 linear = {0, 0, 0}, angular = {0, 0, 0}, center = {0, 0, 0};
    body->motion = apart_motion_rest(start);
    if (place->value == NULL) {
        return CLI_YES;
    }
    if (scene_check_keys(place, known, "a motion") != CLI_YES || scene_read_vec(place, "linear", &linear) != CLI_YES ||
        scene_read_vec(place, "angular", &angular) != CLI_YES || scene_read_vec(place, "center", &center) != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place path = scene_member(place, "path");
    const char *name = json_is_string(path.value) ? json_string_value(path.value) : "";
    if (path.value != NULL && strcmp(name, "straight") != 0 && strcmp(name, "screw") != 0) {
        return scene_error(&path, "expected \"straight\" or \"screw\"");
    }
    body->moves = true;
    body->motion = apart_motion_velocity(start, linear, angular, center);
    body->motion.path = strcmp(name, "screw") == 0 ? APART_PATH_SCREW : APART_PATH_STRAIGHT;
    return CLI_YES;
}

static int read_name(scene *s, const scene_place *body, size_t index)
{
    scene_body *out = &s->bodies[index];
    const scene_place name = scene_member(body, "name");
    if (name.value == NULL) {
        snprintf(out->own_name, sizeof out->own_name, "#%zu", index);
        out->name = out->own_name;
    } else if (scene_read_text(&name, "a name") != CLI_YES) {
        return CLI_BAD;
    } else {
        out->name = json_string_value(name.value);
    }
    const json_t *other = json_object_get(s->body_of, out->name);
    if (other != NULL) {
        return scene_error(name.value != NULL ? &name : body, "the name \"%s\" is taken by bodies[%d]", out->name,
                           (int)json_integer_value(other));
    }
    json_object_set_new(s->body_of, out->name, json_integer((json_int_t)index));
    return CLI_YES;
}

/* Keys of one list or of the other. */
static int check_both(const scene_place *object, const char *const *own, const char *const *more, const char *what)
{
    const char *known[32] = {NULL};
    size_t count = 0;
    for (const char *const *lists[] = {own, more, NULL}, *const **list = lists; *list != NULL; list++) {
        for (const char *const *key = *list; *key != NULL; key++) {
            known[count++] = *key;
        }
    }
    return scene_check_keys(object, known, what);
}

static int read_body(scene *s, const scene_place *place, size_t index)
{
    static const char *const own[] = {"name", "shape", "pose", "motion", "groups", "ignores", NULL};
    scene_body *body = &s->bodies[index];
    apart_pose pose;
    char reason[CLI_TEXT_SIZE];
    if (check_both(place, own, scene_dynamics_keys, "a body") != CLI_YES || read_name(s, place, index) != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place shape = scene_member(place, "shape"), at = scene_member(place, "pose"),
                      motion = scene_member(place, "motion");
    if (shape.value == NULL) {
        return scene_error(place, "the key \"shape\" is missing");
    }
    if (scene_read_solid(s, &shape, &body->solid) != CLI_YES || scene_read_pose(&at, &pose) != CLI_YES ||
        read_motion(&motion, &pose, body) != CLI_YES ||
        scene_read_dynamics(place, &s->forces.defaults, &body->dynamics) != CLI_YES ||
        read_groups(s, place, "groups", &body->groups) != CLI_YES ||
        read_groups(s, place, "ignores", &body->ignores) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_status status = apart_motion_check(&body->motion);
    return status == APART_OK ? CLI_YES
                              : scene_error(motion.value != NULL ? &motion : place, "%s", cli_reason(status, reason));
}

static int read_bodies(scene *s, const scene_place *root)
{
    const scene_place bodies = scene_member(root, "bodies");
    if (bodies.value == NULL) {
        return scene_error(root, "the key \"bodies\" is missing");
    }
    if (!json_is_array(bodies.value)) {
        return scene_error(&bodies, "expected an array of bodies");
    }
    s->body_count = json_array_size(bodies.value);
    s->bodies = calloc(s->body_count + 1, sizeof *s->bodies);
    if (s->bodies == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < s->body_count; i++) {
        const scene_place body = scene_element(&bodies, i);
        if (read_body(s, &body, i) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* ---- the file ---- */

static int read_disabled_pair(scene *s, const scene_place *pair, size_t out[2])
{
    if (!json_is_array(pair->value) || json_array_size(pair->value) != 2) {
        return scene_error(pair, "expected the names of two bodies");
    }
    for (size_t i = 0; i < 2; i++) {
        const scene_place element = scene_element(pair, i);
        if (scene_read_text(&element, "the name of a body") != CLI_YES) {
            return CLI_BAD;
        }
        const json_t *body = json_object_get(s->body_of, json_string_value(element.value));
        if (body == NULL) {
            return scene_error(&element, "there is no body \"%s\"", json_string_value(element.value));
        }
        out[i] = (size_t)json_integer_value(body);
    }
    return out[0] != out[1] ? CLI_YES : scene_error(pair, "a body cannot be paired with itself");
}

static int read_disabled(scene *s, const scene_place *root)
{
    const scene_place pairs = scene_member(root, "disabled_pairs");
    if (pairs.value == NULL) {
        return CLI_YES;
    }
    if (!json_is_array(pairs.value)) {
        return scene_error(&pairs, "expected an array of pairs of names");
    }
    s->disabled_count = json_array_size(pairs.value);
    s->disabled = calloc(s->disabled_count + 1, sizeof *s->disabled);
    if (s->disabled == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < s->disabled_count; i++) {
        const scene_place pair = scene_element(&pairs, i);
        if (read_disabled_pair(s, &pair, s->disabled[i]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

static int read_steps(scene *s, const scene_place *root)
{
    const scene_place steps = scene_member(root, "steps"), version = scene_member(root, "version");
    if (version.value != NULL && (!json_is_integer(version.value) || json_integer_value(version.value) != 1)) {
        return scene_error(&version, "expected 1, the version this program reads");
    }
    if (steps.value == NULL) {
        return CLI_YES;
    }
    const double count = json_is_integer(steps.value) ? (double)json_integer_value(steps.value) : -1.0;
    if (count < 0.0 || count > MOST_STEPS) {
        return scene_error(&steps, "expected a whole number from 0 to %.0f", MOST_STEPS);
    }
    s->steps = (size_t)count;
    return CLI_YES;
}

static int read_root(scene *s)
{
    static const char *const own[] = {"version", "title", "shapes", "bodies", "disabled_pairs", "steps", NULL};
    const scene_place root = {NULL, &s->text, 0, NULL, s->root, false};
    if (check_both(&root, own, scene_forces_keys, "a scene") != CLI_YES || read_steps(s, &root) != CLI_YES ||
        scene_read_forces(&root, &s->forces) != CLI_YES || scene_read_shapes(s, &root) != CLI_YES ||
        read_bodies(s, &root) != CLI_YES) {
        return CLI_BAD;
    }
    return read_disabled(s, &root);
}

static void make_maps(scene *s)
{
    s->solid_of = json_object();
    s->body_of = json_object();
    s->group_of = json_object();
}

static int read_all_of(scene *s)
{
    const int status = read_root(s);
    if (status != CLI_YES) {
        scene_free(s);
    }
    return status;
}

int scene_read(const char *path, scene_use use, scene *out)
{
    return scene_open(path, use, out) == CLI_YES ? read_all_of(out) : CLI_BAD;
}

int scene_read_memory(const char *name, char *data, size_t size, scene_use use, scene *out)
{
    *out = (scene){.use = use, .text = {.name = name, .data = data, .size = size}};
    out->root = scene_parse(&out->text);
    if (out->root == NULL) {
        return CLI_BAD;
    }
    make_maps(out);
    return read_all_of(out);
}

int scene_open(const char *path, scene_use use, scene *out)
{
    *out = (scene){.use = use};
    out->root = scene_load(path, &out->text);
    if (out->root == NULL) {
        return CLI_BAD;
    }
    make_maps(out);
    return CLI_YES;
}

void scene_free(scene *s)
{
    for (size_t i = 0; i < s->solid_count; i++) {
        scene_free_solid(s->solids[i]);
    }
    free(s->solids);
    free(s->bodies);
    free(s->disabled);
    json_decref(s->solid_of);
    json_decref(s->body_of);
    json_decref(s->group_of);
    json_decref(s->root);
    free((char *)s->text.data);
    *s = (scene){.root = NULL};
}
