/* Numbers, texts and poses of a JSON file, with messages that name file, line, column and key. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

/* ---- values ---- */

/* Every key of an object is one of these; the list ends with NULL. */
int scene_check_keys(const scene_place *object, const char *const *known, const char *what)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object->value)) {
        return scene_error(object, "expected %s as an object {...}", what);
    }
    json_object_foreach(object->value, key, value)
    {
        bool found = false;
        for (const char *const *k = known; *k != NULL; k++) {
            found = found || strcmp(*k, key) == 0;
        }
        if (!found) {
            char suggestion[CLI_TEXT_SIZE];
            scene_place place = scene_member(object, key);
            place.at_key = true;
            return scene_error(&place, "unknown key%s in %s", cli_suggestion(key, known, suggestion), what);
        }
    }
    return CLI_YES;
}

int scene_read_number(const scene_place *place, double *out)
{
    if (!json_is_number(place->value)) {
        return scene_error(place, "expected a number");
    }
    *out = json_number_value(place->value);
    return isfinite(*out) ? CLI_YES : scene_error(place, "expected a finite number");
}

int scene_read_numbers(const scene_place *array, size_t count, double *out)
{
    if (!json_is_array(array->value) || json_array_size(array->value) != count) {
        return json_is_array(array->value)
                   ? scene_error(array, "expected %zu numbers, got %zu", count, json_array_size(array->value))
                   : scene_error(array, "expected an array of %zu numbers", count);
    }
    for (size_t i = 0; i < count; i++) {
        const scene_place element = scene_element(array, i);
        if (scene_read_number(&element, &out[i]) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

int scene_read_vec(const scene_place *object, const char *key, apart_vec3 *out)
{
    const scene_place place = scene_member(object, key);
    double v[3] = {out->x, out->y, out->z};
    if (place.value != NULL && scene_read_numbers(&place, 3, v) != CLI_YES) {
        return CLI_BAD;
    }
    *out = (apart_vec3){v[0], v[1], v[2]};
    return CLI_YES;
}

int scene_read_text(const scene_place *place, const char *what)
{
    if (!json_is_string(place->value)) {
        return scene_error(place, "expected %s as a text", what);
    }
    if (json_string_length(place->value) == 0) {
        return scene_error(place, "%s is empty", what);
    }
    return cli_is_printable(json_string_value(place->value))
               ? CLI_YES
               : scene_error(place, "%s has a control character in it", what);
}

/* ---- poses ---- */

/* How many numbers a key of a pose has. */
static const struct {
    const char *key;
    size_t count;
} pose_keys[] = {{"xyz", 3},       {"xy", 2},         {"rpy", 3},    {"quat_xyzw", 4},
                 {"quat_wxyz", 4}, {"axis_angle", 4}, {"matrix", 9}, {"angle", 1}};

enum { POSE_KEYS = sizeof pose_keys / sizeof pose_keys[0] };

/* An object with the keys of the command line, or the command line's own text. The object is turned into that text: 17
 * digits lose nothing. */
int scene_read_pose(const scene_place *place, apart_pose *out)
{
    const char *known[POSE_KEYS + 1] = {NULL};
    char text[1024] = "", where[SCENE_PATH_SIZE];
    size_t used = 0;
    *out = apart_pose_identity();
    if (place->value == NULL) {
        return CLI_YES;
    }
    if (json_is_string(place->value)) {
        return cli_pose_read(scene_where(place, where), json_string_value(place->value), out);
    }
    for (size_t i = 0; i < POSE_KEYS; i++) {
        known[i] = pose_keys[i].key;
    }
    if (scene_check_keys(place, known, "a pose") != CLI_YES) {
        return CLI_BAD;
    }
    for (size_t i = 0; i < POSE_KEYS; i++) {
        const scene_place member = scene_member(place, pose_keys[i].key);
        double numbers[9];
        if (member.value == NULL) {
            continue;
        }
        const bool single = pose_keys[i].count == 1 && json_is_number(member.value);
        if ((single ? scene_read_number(&member, numbers) : scene_read_numbers(&member, pose_keys[i].count, numbers)) !=
            CLI_YES) {
            return CLI_BAD;
        }
        for (size_t k = 0; k < pose_keys[i].count; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%.17g", k == 0 ? pose_keys[i].key : "",
                                     k == 0 ? "=" : ",", numbers[k]);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, " ");
    }
    return cli_pose_read(scene_where(place, where), text, out);
}

/* ---- files ---- */

json_t *scene_parse(scene_text *text)
{
    json_error_t error;
    json_t *root = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        char path[SCENE_PATH_SIZE];
        const bool ends_early = json_error_code(&error) == json_error_premature_end_of_input;
        scene_path_at(text, error.position > 0 ? (size_t)error.position : 0, ends_early, path);
        cli_error("%s:%d:%d: %s%s%s", text->name, error.line, error.column, path, path[0] != '\0' ? ": " : "",
                  error.text);
        free((char *)text->data);
        *text = (scene_text){.name = NULL};
    }
    return root;
}

json_t *scene_load(const char *path, scene_text *text)
{
    *text = (scene_text){.name = cli_input_name(path)};
    text->data = cli_read_text(path, &text->size);
    return text->data != NULL ? scene_parse(text) : NULL;
}
