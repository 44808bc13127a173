/* What the files of `apart scene` share: a scene as it was read, and places in its file for messages. */
#ifndef SCENE_H
#define SCENE_H

#include "cli.h"

/* ---- places (scene_place.c) ---- */

/* A JSON text, kept so that places in it can be found again. */
typedef struct scene_text {
    const char *name; /* of the file */
    const char *data;
    size_t size;
    /* The last element of a member's array, such as "bodies[3]", in which a place was found: the search for the next
     * one starts there. */
    struct {
        const json_t *array;                   /* NULL: there was none */
        size_t index, start, line, line_start; /* offsets of the element and of its line */
    } mark;
} scene_text;

/* A value of the text and its path of keys and indices. It lives on its reader's stack; parents outlive children. */
typedef struct scene_place {
    const struct scene_place *parent; /* NULL: the whole text */
    scene_text *text;
    size_t index;    /* of an element */
    const char *key; /* of a member, else NULL */
    json_t *value;
    bool at_key; /* messages point to the key, not to the value */
} scene_place;

/* The member or element of a place; value NULL if there is none. */
scene_place scene_member(const scene_place *object, const char *key);
scene_place scene_element(const scene_place *array, size_t index);

/* "FILE:LINE:COLUMN: bodies[3].pose.xyz" for the start of a value. */
enum { SCENE_PATH_SIZE = 512 };
const char *scene_where(const scene_place *place, char text[SCENE_PATH_SIZE]);

/* "bodies[3].pose" for a text that is JSON only up to the offset `end`, or ends too early; empty outside of all members
 * and elements. */
const char *scene_path_at(const scene_text *text, size_t end, bool ends_early, char path[SCENE_PATH_SIZE]);

/* A message with the place in front. Returns CLI_BAD. */
int scene_error(const scene_place *place, const char *format, ...);

/* ---- values (scene_value.c) ---- */

/* Parses a JSON file ("-": standard input) and keeps its text; NULL after a message. */
json_t *scene_load(const char *path, scene_text *text);
/* Parses the text itself, and frees it if it is not JSON. */
json_t *scene_parse(scene_text *text);

/* Every key of an object must be one of `known`, which ends with NULL. `what` names the object in messages. */
int scene_check_keys(const scene_place *object, const char *const *known, const char *what);
int scene_read_number(const scene_place *place, double *out);
int scene_read_numbers(const scene_place *array, size_t count, double *out);
/* A member of three numbers; `out` stays as it is when there is none. */
int scene_read_vec(const scene_place *object, const char *key, apart_vec3 *out);
/* Checks that the place holds a text that is not empty. */
int scene_read_text(const scene_place *place, const char *what);
/* No value: the identity. */
int scene_read_pose(const scene_place *place, apart_pose *out);

/* ---- reading (scene_file.c) ---- */

/* What a scene is read for: queries take solids of any kind, simulations and robots need convex parts. */
typedef enum scene_use { SCENE_SOLIDS, SCENE_PARTS } scene_use;

typedef struct scene_solid {
    apart_part *parts; /* owned; one for a shape; NULL for a mesh that is taken as a surface or solid */
    size_t count;
    apart_compound *compound; /* owned; NULL for a shape or a mesh */
    apart_hull *hull;         /* owned; of points, else NULL */
    cli_body loaded;          /* owner of a file's mesh, and of coordinates */
    int state;                /* of a named one: not read, being read, read */
} scene_solid;

/* The properties of a body that apart simulate needs (docs/simulation.md), and the scene's defaults for them. */
typedef struct scene_dynamics {
    bool fixed;
    double mass; /* 0: from the density */
    double density, friction, restitution;
    apart_vec3 velocity, angular_velocity;
} scene_dynamics;

/* The properties of the scene that apart simulate needs. */
typedef struct scene_forces {
    apart_vec3 gravity;
    double duration, step;
    uint32_t substeps;
    scene_dynamics defaults;
} scene_forces;

typedef struct scene_body {
    const char *name; /* in the JSON value, or in `own_name` */
    char own_name[24];
    size_t solid;        /* in scene.solids */
    apart_motion motion; /* one step per unit of time; start is the pose */
    bool moves;
    uint32_t groups, ignores;
    scene_dynamics dynamics;
} scene_body;

typedef struct scene {
    scene_use use;
    scene_text text;
    json_t *root; /* owner of the names */
    scene_solid **solids;
    size_t solid_count, solid_room;
    json_t *solid_of; /* from a name or a text to a number of `solids` */
    scene_body *bodies;
    size_t body_count;
    json_t *body_of; /* from a name to a number of `bodies` */
    size_t (*disabled)[2];
    size_t disabled_count;
    json_t *group_of; /* from a name to a bit */
    size_t steps;
    scene_forces forces;
} scene;

/* Reads a scene file; "-" is standard input. On CLI_BAD nothing needs to be freed. Meshes that are not convex become
 * covers where parts are needed, with a note. */
int scene_read(const char *path, scene_use use, scene *out);
/* The same for a text in memory (malloc), which the scene takes over; `name` is for messages. */
int scene_read_memory(const char *name, char *data, size_t size, scene_use use, scene *out);
void scene_free(scene *s);

/* ---- solids (scene_solid.c) ---- */

void scene_free_solid(scene_solid *solid);

/* The solid as queries take it, and its dimension. */
apart_solid scene_solid_of(const scene_solid *solid);
int scene_solid_dim(const scene_solid *solid);

/* The keys of these (scene_dynamics.c); a list that ends with NULL. */
extern const char *const scene_forces_keys[], *const scene_dynamics_keys[];
int scene_read_forces(const scene_place *root, scene_forces *out);
int scene_read_dynamics(const scene_place *body, const scene_dynamics *defaults, scene_dynamics *out);

/* For other files with shapes: the JSON alone, then its named "shapes", then shapes where they are used; the numbers
 * are those of solids. */
int scene_open(const char *path, scene_use use, scene *out);
int scene_read_shapes(scene *s, const scene_place *root);
int scene_read_solid(scene *s, const scene_place *place, size_t *out);

#endif
