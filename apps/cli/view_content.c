/* What a page of `apart view` shows. A recording is taken as it is; for a robot or a scene the command that records it
 * is run, with its recording going to standard output, which is a file for as long. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording.h"
#include "scene.h"
#include "simulate.h"
#include "view.h"

/* The parts that every recording has; the page checks the rest, and says what is wrong in it. */
static int check_recording(const scene_place *root)
{
    static const char *const lists[] = {"shapes", "bodies", "frames"};
    const scene_place version = scene_member(root, "apart_recording");
    if (!json_is_object(root->value) || version.value == NULL) {
        return scene_error(root, "this is not a recording; expected what --record writes (docs/recording.md)");
    }
    if (!json_is_integer(version.value) || json_integer_value(version.value) != 1) {
        return scene_error(&version, "expected 1, the only version of recordings that this program reads");
    }
    const scene_place kind = scene_member(root, "kind");
    if (!json_is_string(kind.value)) {
        return scene_error(kind.value != NULL ? &kind : root, "expected \"kind\" as a text, such as \"scene\"");
    }
    for (int i = 0; i < 3; i++) {
        const scene_place list = scene_member(root, lists[i]);
        if (!json_is_array(list.value) || json_array_size(list.value) == 0) {
            return scene_error(list.value != NULL ? &list : root, "expected \"%s\" as an array with something in it",
                               lists[i]);
        }
    }
    return CLI_YES;
}

/* ---- a command's recording ---- */

/* The bytes of standard output while the command runs. */
static int capture(const cli_command *command, const cli_settings *settings, view_content *out)
{
    cli_settings own = *settings;
    own.record = "-";
    own.given[CLI_JSON] = own.given[CLI_CSV] = false;
    fflush(stdout);
    FILE *file = tmpfile();
    const int real = file != NULL ? dup(STDOUT_FILENO) : -1;
    if (real < 0 || dup2(fileno(file), STDOUT_FILENO) < 0) {
        return cli_error("view: no temporary file can be made");
    }
    const int status = command->run(&own);
    fflush(stdout);
    (void)dup2(real, STDOUT_FILENO);
    close(real);
    rewind(file);
    out->text = status != CLI_BAD ? cli_read_all(file, "the recording", &out->size) : NULL;
    fclose(file);
    return out->text != NULL ? CLI_YES : CLI_BAD;
}

/* ---- what an operand is ---- */

static bool ends_with(const char *text, const char *const *endings)
{
    const char *dot = strrchr(text, '.');
    for (size_t i = 0; dot != NULL && endings[i] != NULL; i++) {
        size_t k = 0;
        while (dot[k] != '\0' && tolower((unsigned char)dot[k]) == endings[i][k]) {
            k++;
        }
        if (dot[k] == '\0' && endings[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

/* A shape by parameters, or a mesh by its name. */
static bool names_body(const char *operand)
{
    static const char *const endings[] = {".obj", ".stl", ".ply", ".off", ".dae", ".glb", ".gltf", ".xyz", NULL};
    return strchr(operand, ':') != NULL || ends_with(operand, endings);
}

static bool names_robot(const char *operand)
{
    static const char *const endings[] = {".urdf", ".xacro", ".mjcf", ".xml", NULL};
    return ends_with(operand, endings);
}

static bool names_scene(const char *operand)
{
    for (size_t i = 0; simulate_scene_names[i] != NULL; i++) {
        if (strcmp(simulate_scene_names[i], operand) == 0) {
            return !cli_file_exists(operand);
        }
    }
    return false;
}

/* Has a scene what only a simulation needs? */
static bool has_dynamics(const json_t *root)
{
    static const char *const of_scene[] = {"gravity", "duration", "friction", "restitution", "substeps"};
    static const char *const of_body[] = {"mass", "density", "velocity", "angular_velocity", "fixed"};
    for (size_t i = 0; i < sizeof of_scene / sizeof of_scene[0]; i++) {
        if (json_object_get(root, of_scene[i]) != NULL) {
            return true;
        }
    }
    size_t index;
    json_t *body;
    json_array_foreach(json_object_get(root, "bodies"), index, body)
    {
        for (size_t i = 0; i < sizeof of_body / sizeof of_body[0]; i++) {
            if (json_object_get(body, of_body[i]) != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* ---- loading ---- */

/* A robot in the hand, or with --traj its motion. */
static int load_robot(const cli_settings *settings, view_content *out)
{
    snprintf(out->title, sizeof out->title, "%.200s", settings->operands[0]);
    return capture(&cli_clearance_command, settings, out);
}

static int load_json(const cli_settings *settings, view_content *out)
{
    scene_text text;
    json_t *root = scene_load(settings->operands[0], &text);
    if (root == NULL) {
        return CLI_BAD;
    }
    const scene_place whole = {.text = &text, .value = root};
    const char *title = json_string_value(json_object_get(root, "title"));
    snprintf(out->title, sizeof out->title, "%.200s", title != NULL ? title : text.name);
    const bool recorded = json_object_get(root, "apart_recording") != NULL;
    const bool robot =
        !recorded && (json_object_get(root, "links") || json_object_get(root, "joints") || json_object_get(root, "dh"));
    const bool is_scene = !recorded && !robot && json_object_get(root, "bodies") != NULL;
    const bool moves = is_scene && has_dynamics(root);
    int status = recorded || !(robot || is_scene) ? check_recording(&whole) : CLI_YES;
    json_decref(root);
    if (recorded && status == CLI_YES) {
        out->text = (char *)text.data;
        out->size = text.size;
        return CLI_YES;
    }
    free((char *)text.data);
    if (status != CLI_YES) {
        return status;
    }
    return robot ? load_robot(settings, out)
                 : capture(moves ? &cli_simulate_command : &cli_scene_command, settings, out);
}

/* A mesh, or another body, by itself. */
static int load_body(const cli_settings *settings, view_content *out)
{
    cli_meshes meshes;
    cli_body body = {.name = "A", .text = settings->operands[0], .pose = apart_pose_identity()};
    if (cli_meshes_of(settings, 0, &meshes) != CLI_YES) {
        return CLI_BAD;
    }
    int status = cli_body_load(&body, &meshes, settings->round_a);
    recording r = {.frames = 0};
    snprintf(out->title, sizeof out->title, "%.200s", body.text);
    if (status == CLI_YES) {
        status = recording_open_memory(&out->text, &out->size,
                                       &(recording_head){.kind = "scene", .title = out->title, .exact = true}, &r);
        status = status == CLI_YES ? recording_add_own(&r, "moving", &body) : status;
        status = status == CLI_YES ? recording_write(&r, &(recording_frame){.poses = &body.pose}) : status;
        status = recording_close(&r, status);
    }
    cli_body_free(&body);
    return status;
}

static json_t *body_json(const cli_body *body)
{
    const apart_mat3 *r = &body->pose.rotation;
    const apart_vec3 t = body->pose.translation;
    const double rows[12] = {r->x.x, r->y.x, r->z.x, t.x, r->x.y, r->y.y, r->z.y, t.y, r->x.z, r->y.z, r->z.z, t.z};
    json_t *value = recording_shape(&body->shape);
    if (value != NULL) {
        json_object_set_new(value, "pose", cli_json_numbers(rows, 12));
        json_object_set_new(value, "name", cli_json_text(body->text));
    }
    return value;
}

static int load_pair(const cli_settings *settings, view_content *out)
{
    cli_body bodies[2];
    if (cli_bodies_load(settings, bodies) != CLI_YES) {
        return CLI_BAD;
    }
    apart_compound_result found;
    const apart_status asked = apart_compound_distance(cli_body_solid(&bodies[0]), &bodies[0].pose,
                                                       cli_body_solid(&bodies[1]), &bodies[1].pose, NULL, NULL, &found);
    int status = asked == APART_OK ? CLI_YES : cli_query_error(bodies, asked);
    snprintf(out->title, sizeof out->title, "%.100s and %.100s", bodies[0].text, bodies[1].text);
    if (status == CLI_YES && cli_has_parts(bodies)) {
        status = cli_record_pair(&out->text, &out->size, bodies, &found);
    } else if (status == CLI_YES) {
        json_t *value =
            json_pack("{s:i, s:o, s:o}", "apart_view", 1, "a", body_json(&bodies[0]), "b", body_json(&bodies[1]));
        out->text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        out->size = out->text != NULL ? strlen(out->text) : 0;
        status = out->text != NULL ? CLI_YES : cli_error("out of memory");
        json_decref(value);
    }
    cli_bodies_free(bodies);
    return status;
}

int view_load(const cli_settings *settings, view_content *out)
{
    const char *what = settings->operands[0];
    *out = (view_content){.text = NULL};
    if (settings->operand_count == 2) {
        return load_pair(settings, out);
    }
    if (settings->given[CLI_POSE_A] || settings->given[CLI_POSE_B]) {
        return cli_error("view: --pose-a and --pose-b are for two bodies");
    }
    if (names_scene(what)) {
        snprintf(out->title, sizeof out->title, "%.200s", what);
        return capture(&cli_simulate_command, settings, out);
    }
    if (names_robot(what)) {
        return load_robot(settings, out);
    }
    return names_body(what) ? load_body(settings, out) : load_json(settings, out);
}
