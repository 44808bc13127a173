/* Reads the solids of a scene file: shapes, parts, points and meshes, by name or in place (schema: docs/scene.md). */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { NOT_READ, BEING_READ, READ };

void scene_free_solid(scene_solid *solid)
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
