/* Poses on the command line: "xyz=1,2,3 rpy=0,0,1.57". Every rotation carries the name of its convention. */
#include <string.h>

#include "cli.h"

/* The parts of a pose text. */
typedef struct pose_parts {
    bool has_position, has_rotation;
    apart_vec3 position;
    double rotation[16];
    int rotation_key;
} pose_parts;

enum { KEY_XYZ, KEY_XY, KEY_RPY, KEY_QUAT_XYZW, KEY_QUAT_WXYZ, KEY_AXIS_ANGLE, KEY_MATRIX, KEY_ANGLE, KEY_COUNT };

static const struct {
    const char *name;
    size_t count;
    const char *form;
} keys[KEY_COUNT] = {
    [KEY_XYZ] = {"xyz", 3, "xyz=X,Y,Z"},
    [KEY_XY] = {"xy", 2, "xy=X,Y"},
    [KEY_RPY] = {"rpy", 3, "rpy=ROLL,PITCH,YAW in radians"},
    [KEY_QUAT_XYZW] = {"quat_xyzw", 4, "quat_xyzw=X,Y,Z,W"},
    [KEY_QUAT_WXYZ] = {"quat_wxyz", 4, "quat_wxyz=W,X,Y,Z"},
    [KEY_AXIS_ANGLE] = {"axis_angle", 4, "axis_angle=X,Y,Z,ANGLE in radians"},
    [KEY_MATRIX] = {"matrix", 9, "matrix= and 9 numbers, row by row"},
    [KEY_ANGLE] = {"angle", 1, "angle=A in radians, about z"},
};

static int find_key(const char *option, const char *text, size_t length)
{
    const char *names[KEY_COUNT + 1] = {NULL};
    char word[CLI_TEXT_SIZE], suggestion[CLI_TEXT_SIZE];
    for (int i = 0; i < KEY_COUNT; i++) {
        names[i] = keys[i].name;
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
            return i;
        }
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < 64 ? length : 64), text);
    cli_error("%s: unknown '%s'%s; expected xyz, xy, rpy, quat_xyzw, quat_wxyz, axis_angle, matrix or angle", option,
              word, cli_suggestion(word, names, suggestion));
    return KEY_COUNT;
}

static int store_part(const char *option, int key, const double *numbers, pose_parts *parts)
{
    const bool position = key == KEY_XYZ || key == KEY_XY;
    if (position ? parts->has_position : parts->has_rotation) {
        return cli_error("%s: more than one %s", option, position ? "position" : "rotation");
    }
    if (position) {
        parts->has_position = true;
        parts->position = (apart_vec3){numbers[0], numbers[1], key == KEY_XYZ ? numbers[2] : 0};
    } else {
        parts->has_rotation = true;
        parts->rotation_key = key;
        memcpy(parts->rotation, numbers, sizeof parts->rotation);
    }
    return CLI_YES;
}

/* Reads one "key=numbers" at *text and moves behind it. */
static int read_part(const char *option, const char **text, pose_parts *parts)
{
    const size_t length = strcspn(*text, "=; \t");
    double numbers[16] = {0};
    char what[CLI_TEXT_SIZE];
    size_t count;
    if ((*text)[length] != '=') {
        return cli_error("%s: expected KEY=NUMBERS, e.g. \"xyz=1,2,3 rpy=0,0,1.57\", found '%s'", option, *text);
    }
    const int key = find_key(option, *text, length);
    if (key == KEY_COUNT) {
        return CLI_BAD;
    }
    snprintf(what, sizeof what, "%s: %s", option, keys[key].name);
    if (cli_read_numbers(what, *text + length + 1, text, numbers, 16, &count) != CLI_YES) {
        return CLI_BAD;
    }
    if (strchr("; \t", **text) == NULL) {
        return cli_error("%s: '%s' is not expected after a number", what, *text);
    }
    if (count != keys[key].count) {
        return cli_error("%s: expected %s, got %zu number%s", what, keys[key].form, count, count == 1 ? "" : "s");
    }
    return store_part(option, key, numbers, parts);
}

static apart_status build(const pose_parts *parts, apart_pose *out)
{
    const double *n = parts->rotation;
    const apart_vec3 at = parts->position;
    if (!parts->has_rotation) {
        *out = apart_pose_translation(at.x, at.y, at.z);
        return APART_OK;
    }
    switch (parts->rotation_key) {
    case KEY_RPY: return apart_pose_from_rpy(n[0], n[1], n[2], at, out);
    case KEY_QUAT_XYZW: return apart_pose_from_quat_xyzw(n[0], n[1], n[2], n[3], at, out);
    case KEY_QUAT_WXYZ: return apart_pose_from_quat_wxyz(n[0], n[1], n[2], n[3], at, out);
    case KEY_AXIS_ANGLE: return apart_pose_from_axis_angle((apart_vec3){n[0], n[1], n[2]}, n[3], at, out);
    case KEY_MATRIX: return apart_pose_from_matrix_rows(n, at, out);
    default: return apart_pose_from_axis_angle((apart_vec3){0, 0, 1}, n[0], at, out);
    }
}

int cli_pose_read(const char *option, const char *text, apart_pose *out)
{
    pose_parts parts = {0};
    *out = apart_pose_identity();
    if (text == NULL) {
        return CLI_YES;
    }
    for (;;) {
        text += strspn(text, "; \t");
        if (*text == '\0') {
            break;
        }
        if (read_part(option, &text, &parts) != CLI_YES) {
            return CLI_BAD;
        }
    }
    if (!parts.has_position && !parts.has_rotation) {
        return cli_error("%s: the pose is empty; expected e.g. \"xyz=1,2,3 rpy=0,0,1.57\"", option);
    }
    const apart_status status = build(&parts, out);
    if (status != APART_OK) {
        char reason[CLI_TEXT_SIZE];
        return cli_error("%s: %s: %s", option, keys[parts.rotation_key].name, cli_reason(status, reason));
    }
    return CLI_YES;
}
