/* Reads a scene file: shapes, bodies, disabled pairs, steps (schema: docs/scene.md). Every message names file, line,
 * column and key. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { NOT_READ, BEING_READ, READ };
enum { MOST_GROUPS = 32 };
/* Poses of that many steps are far within what a motion can hold. */
static const double MOST_STEPS = 1e6;

/* ---- solids ---- */

static void free_solid(scene_solid *solid)
{
    apart_compound_free(solid->compound);
    apart_hull_free(solid->hull);
    cli_body_free(&solid->loaded);
    free(solid->parts);
    free(solid);
}

static scene_solid *add_solid(scene *s, size_t *number)
{
    if (s->solid_count == s->solid_room) {
        const size_t room = 2 * s->solid_room + 16;
        scene_solid **larger = realloc(s->solids, room * sizeof *larger);
        if (larger == NULL) {
            cli_error("out of memory");
            return NULL;
        }
        s->solids = larger;
        s->solid_room = room;
    }
    scene_solid *solid = calloc(1, sizeof *solid);
    if (solid == NULL) {
        cli_error("out of memory");
        return NULL;
    }
    *number = s->solid_count;
    s->solids[s->solid_count++] = solid;
    return solid;
}

static int add_part(scene_solid *solid, const apart_shape *shape, const apart_pose *pose)
{
    apart_part *larger = realloc(solid->parts, (solid->count + 1) * sizeof *larger);
    if (larger == NULL) {
        return cli_error("out of memory");
    }
    solid->parts = larger;
    solid->parts[solid->count++] = (apart_part){*shape, *pose};
    return CLI_YES;
}

/* A file's name is relative to the scene's folder. */
static char *path_beside(const scene *s, const char *file)
{
    const char *slash = strrchr(s->text.name, '/');
    const size_t folder = slash != NULL && file[0] != '/' ? (size_t)(slash - s->text.name) + 1 : 0;
    char *path = malloc(folder + strlen(file) + 1);
    if (path != NULL) {
        memcpy(path, s->text.name, folder);
        strcpy(path + folder, file);
    }
    return path;
}

/* The parts of a cover. */
static int add_cover(scene_solid *solid)
{
    const apart_compound *cover = solid->loaded.mesh->compound;
    for (size_t i = 0; i < apart_compound_count(cover); i++) {
        const apart_part *part = apart_compound_part(cover, i);
        if (add_part(solid, &part->shape, &part->pose) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

/* What was loaded as parts, where it has any. A mesh that needs parts and was not told what to be becomes a cover. */
static int take_loaded(const scene *s, const scene_place *place, const cli_meshes *meshes, scene_solid *solid)
{
    const apart_pose here = apart_pose_identity();
    cli_body *body = &solid->loaded;
    if (!cli_body_has_parts(body)) {
        return add_part(solid, &body->shape, &here);
    }
    if (body->mesh->as == APART_AS_COVER) {
        return add_cover(solid);
    }
    if (s->use == SCENE_SOLIDS) {
        return CLI_YES;
    }
    if (meshes->body.as != APART_AS_AUTO) {
        return scene_error(place, "convex parts are needed here: expected \"as\": \"hull\" or \"cover\"");
    }
    cli_meshes cover = *meshes;
    char text[CLI_TEXT_SIZE];
    cover.body.as = APART_AS_COVER;
    cli_body_free(body);
    if (cli_mesh_body_load(body, &cover) != CLI_YES) {
        return CLI_BAD;
    }
    cli_note("%s: not convex, taken as a %s (\"as\" says otherwise)", body->text, cli_body_kind(body, text));
    return add_cover(solid);
}

/* A shape as on the command line, or a mesh file. */
static int load_shape(scene *s, const scene_place *place, const char *text, const cli_meshes *meshes, double round,
                      scene_solid *solid)
{
    char where[SCENE_PATH_SIZE];
    char *path = strchr(text, ':') == NULL ? path_beside(s, text) : NULL;
    solid->loaded = (cli_body){.name = scene_where(place, where), .text = path != NULL ? path : text};
    int status = cli_body_load(&solid->loaded, meshes, round);
    if (status != CLI_YES && path != NULL && solid->loaded.scale == 0.0) {
        status = scene_error(place, "the file %s cannot be used; it is searched for in the scene's folder", text);
    }
    status = status == CLI_YES ? take_loaded(s, place, meshes, solid) : status;
    free(path);
    solid->loaded.name = solid->loaded.text = NULL;
    return status;
}

/* One part of a compound; a compound in a compound adds all its parts. */
static int read_part(scene *s, const scene_place *place, scene_solid *solid)
{
    static const char *const known[] = {"shape", "pose", NULL};
    size_t number;
    apart_pose pose;
    if (scene_check_keys(place, known, "a part") != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place shape = scene_member(place, "shape"), at = scene_member(place, "pose");
    if (shape.value == NULL) {
        return scene_error(place, "the key \"shape\" is missing");
    }
    if (scene_read_solid(s, &shape, &number) != CLI_YES || scene_read_pose(&at, &pose) != CLI_YES) {
        return CLI_BAD;
    }
    const scene_solid *inner = s->solids[number];
    if (inner->count == 0) {
        return scene_error(&shape, "a part is convex, and this mesh is not: expected \"as\": \"hull\" or \"cover\"");
    }
    for (size_t i = 0; i < inner->count; i++) {
        const apart_pose joined = apart_pose_compose(&pose, &inner->parts[i].pose);
        if (add_part(solid, &inner->parts[i].shape, &joined) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

static int read_parts(scene *s, const scene_place *array, scene_solid *solid)
{
    char reason[CLI_TEXT_SIZE];
    if (!json_is_array(array->value) || json_array_size(array->value) == 0) {
        return scene_error(array, "expected an array of at least one part");
    }
    for (size_t i = 0; i < json_array_size(array->value); i++) {
        const scene_place part = scene_element(array, i);
        if (read_part(s, &part, solid) != CLI_YES) {
            return CLI_BAD;
        }
    }
    const apart_status status = apart_compound_build(solid->parts, solid->count, NULL, &solid->compound);
    return status == APART_OK ? CLI_YES : scene_error(array, "%s", cli_reason(status, reason));
}

/* The hull of points that stand in the scene. */
static int read_points(const scene_place *array, double round, scene_solid *solid)
{
    const size_t count = json_is_array(array->value) ? json_array_size(array->value) : 0;
    const apart_pose here = apart_pose_identity();
    char reason[CLI_TEXT_SIZE];
    if (count == 0) {
        return scene_error(array, "expected an array of at least one point [x, y, z]");
    }
    double *xyz = malloc(3 * count * sizeof *xyz);
    int status = xyz != NULL ? CLI_YES : cli_error("out of memory");
    for (size_t i = 0; i < count && status == CLI_YES; i++) {
        const scene_place point = scene_element(array, i);
        status = scene_read_numbers(&point, 3, xyz + 3 * i);
    }
    const apart_status built = status == CLI_YES ? apart_hull_build(xyz, count, NULL, &solid->hull) : APART_OK;
    free(xyz);
    if (status == CLI_YES && built != APART_OK) {
        status = scene_error(array, "%s", cli_reason(built, reason));
    }
    if (status != CLI_YES) {
        return status;
    }
    const apart_shape shape = apart_rounded(apart_hull_shape(solid->hull), round);
    return add_part(solid, &shape, &here);
}

/* "as", "hull", "hulls" and "excess" of a mesh file. */
static int read_meshes(const scene_place *place, cli_meshes *out)
{
    const scene_place as = scene_member(place, "as"), hull = scene_member(place, "hull"),
                      hulls = scene_member(place, "hulls"), excess = scene_member(place, "excess");
    double count = 0.0;
    *out = (cli_meshes){.as_option = "\"as\":"};
    if (hull.value != NULL && !json_is_boolean(hull.value)) {
        return scene_error(&hull, "expected true or false");
    }
    out->body.as = json_is_true(hull.value) ? APART_AS_HULL : APART_AS_AUTO;
    if (as.value != NULL) {
        const char *word = json_is_string(as.value) ? json_string_value(as.value) : "";
        uint8_t kind = 0;
        while (kind < APART_AS_COUNT && strcmp(word, apart_mesh_as_name(kind)) != 0) {
            kind++;
        }
        if (kind == APART_AS_COUNT || (json_is_true(hull.value) && kind != APART_AS_HULL)) {
            return scene_error(&as, "expected \"auto\", \"surface\", \"solid\", \"hull\" or \"cover\"%s",
                               kind < APART_AS_COUNT ? ", but not beside \"hull\": true" : "");
        }
        out->body.as = kind;
    }
    if (hulls.value != NULL && scene_read_number(&hulls, &count) != CLI_YES) {
        return CLI_BAD;
    }
    if (hulls.value != NULL && !(count >= 1.0 && count <= 4096.0 && count == floor(count))) {
        return scene_error(&hulls, "expected a whole number from 1 to 4096");
    }
    out->body.cover.hulls = (uint32_t)count;
    if (excess.value != NULL && scene_read_number(&excess, &out->body.cover.excess) != CLI_YES) {
        return CLI_BAD;
    }
    return excess.value == NULL || out->body.cover.excess > 0.0 ? CLI_YES
                                                                : scene_error(&excess, "expected a length above zero");
}

/* {"shape": ..., "round": R}, {"file": ..., "as": "cover", "round": R}, {"points": [...], "round": R} or {"parts":
 * [...]}. */
static int read_definition(scene *s, const scene_place *place, scene_solid *solid)
{
    static const char *const known[] = {"shape", "file", "points", "parts",  "round",
                                        "hull",  "as",   "hulls",  "excess", NULL};
    const cli_meshes as_they_are = {.as_option = "\"as\":"};
    cli_meshes meshes;
    double round = 0.0;
    if (json_is_string(place->value)) {
        return scene_read_text(place, "a shape") == CLI_YES
                   ? load_shape(s, place, json_string_value(place->value), &as_they_are, 0.0, solid)
                   : CLI_BAD;
    }
    if (scene_check_keys(place, known, "a shape") != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place shape = scene_member(place, "shape"), file = scene_member(place, "file"),
                      parts = scene_member(place, "parts");
    const scene_place radius = scene_member(place, "round"), points = scene_member(place, "points");
    if ((shape.value != NULL) + (file.value != NULL) + (parts.value != NULL) + (points.value != NULL) != 1) {
        return scene_error(place, "expected exactly one of \"shape\", \"file\", \"points\" and \"parts\"");
    }
    if (parts.value != NULL) {
        return json_object_size(place->value) > 1
                   ? scene_error(place, "no other key belongs beside \"parts\"; what meshes are is said in them")
                   : read_parts(s, &parts, solid);
    }
    const scene_place *source = shape.value != NULL ? &shape : &file;
    if (read_meshes(place, &meshes) != CLI_YES) {
        return CLI_BAD;
    }
    if (radius.value != NULL && scene_read_number(&radius, &round) != CLI_YES) {
        return CLI_BAD;
    }
    if (round < 0.0) {
        return scene_error(&radius, "a radius below zero");
    }
    if (points.value != NULL) {
        return read_points(&points, round, solid);
    }
    return scene_read_text(source, "a shape") == CLI_YES
               ? load_shape(s, source, json_string_value(source->value), &meshes, round, solid)
               : CLI_BAD;
}

/* A name of "shapes": read when it is first needed, so that the order in the file does not matter; a name that is still
 * being read is part of a cycle. */
static int read_named(scene *s, const scene_place *user, const char *name, size_t *out)
{
    const scene_place root = {NULL, &s->text, 0, NULL, s->root, false}, shapes = scene_member(&root, "shapes"),
                      place = scene_member(&shapes, name);
    const json_t *known = json_object_get(s->solid_of, name);
    scene_solid *solid;
    if (known != NULL) {
        *out = (size_t)json_integer_value(known);
        return s->solids[*out]->state == BEING_READ ? scene_error(user, "the shape \"%s\" is made of itself", name)
                                                    : CLI_YES;
    }
    if ((solid = add_solid(s, out)) == NULL) {
        return CLI_BAD;
    }
    json_object_set_new(s->solid_of, name, json_integer((json_int_t)*out));
    solid->state = BEING_READ;
    const int status = read_definition(s, &place, solid);
    solid->state = READ;
    return status;
}

apart_solid scene_solid_of(const scene_solid *solid)
{
    return solid->compound != NULL ? apart_solid_compound(solid->compound)
           : solid->count == 1     ? apart_solid_shape(&solid->parts[0].shape)
                                   : cli_body_solid(&solid->loaded);
}

int scene_solid_dim(const scene_solid *solid)
{
    return solid->count > 0 ? solid->parts[0].shape.dim : solid->loaded.shape.dim;
}

/* A name, a shape as on the command line, a file, or a definition in place. Texts are read once however often they are
 * used. */
int scene_read_solid(scene *s, const scene_place *place, size_t *out)
{
    scene_solid *solid;
    if (!json_is_string(place->value)) {
        solid = add_solid(s, out);
        return solid != NULL ? read_definition(s, place, solid) : CLI_BAD;
    }
    if (scene_read_text(place, "a shape") != CLI_YES) {
        return CLI_BAD;
    }
    const char *text = json_string_value(place->value);
    if (json_object_get(json_object_get(s->root, "shapes"), text) != NULL) {
        return read_named(s, place, text, out);
    }
    const json_t *known = json_object_get(s->solid_of, text);
    if (known != NULL) {
        *out = (size_t)json_integer_value(known);
        return CLI_YES;
    }
    if ((solid = add_solid(s, out)) == NULL) {
        return CLI_BAD;
    }
    json_object_set_new(s->solid_of, text, json_integer((json_int_t)*out));
    const cli_meshes as_they_are = {.as_option = "\"as\":"};
    return load_shape(s, place, text, &as_they_are, 0.0, solid);
}

/* Reads all named shapes, used or not, so that every mistake is reported. */
int scene_read_shapes(scene *s, const scene_place *root)
{
    const scene_place shapes = scene_member(root, "shapes");
    const char *name;
    json_t *value;
    size_t number;
    if (shapes.value == NULL) {
        return CLI_YES;
    }
    if (!json_is_object(shapes.value)) {
        return scene_error(&shapes, "expected an object of named shapes");
    }
    json_object_foreach(shapes.value, name, value)
    {
        const scene_place place = scene_member(&shapes, name);
        if (name[0] == '\0' || strchr(name, ':') != NULL) {
            return scene_error(&place, "a name must not be empty or hold a colon");
        }
        if (read_named(s, &place, name, &number) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

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
        free_solid(s->solids[i]);
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
