/* Recordings: bodies in motion as one JSON file (docs/recording.md). Shapes and bodies are named first, then frames are
 * written as they come, one per line; the file takes its name when the recording is closed without an error.
 *
 *     recording r;
 *     recording_open(path, &(recording_head){.kind = "scene", .title = "..."}, &r);
 *     recording_add_body(&r, "ball", "moving", NULL, parts, 1);    // its number is the order of the calls
 *     recording_write(&r, &(recording_frame){.t = 0, .poses = poses});
 *     status = recording_close(&r, status);                        // in any case, also after an error */
#ifndef RECORDING_H
#define RECORDING_H

#include <apart/robot.h>

#include "cli.h"

/* The head of a recording. Texts may be NULL where the format allows them to be missing. */
typedef struct recording_head {
    const char *kind; /* "plan", "clearance", "simulation", "scene", "toi" or "query" */
    const char *title;
    const char *length_unit, *time_unit;
    const char *up;      /* "x", "y" or "z"; NULL: z */
    const double *limit; /* NULL: none */
    bool exact;          /* poses as twelve numbers with all digits instead of seven with nine */
    bool exact_parts;    /* the same for the poses of parts alone */
} recording_head;

typedef struct recording {
    cli_file file;
    bool exact, exact_parts;
    json_t *shapes, *bodies, *paths; /* until the first frame */
    json_t *robot, *motion;          /* the same; NULL: none */
    json_t *shape_of;                /* from the identity of a shape to its number */
    double *last;                    /* twelve for each body: the poses of the frame before as they were written */
    size_t body_count, frames;
} recording;

typedef struct recording_pair {
    size_t a, b;                   /* numbers of bodies */
    uint32_t part_a, part_b;       /* APART_NO_INDEX: not recorded */
    double distance, lower, upper; /* bounds that are not finite are left out */
    apart_vec3 point_a, point_b, normal;
} recording_pair;

typedef struct recording_frame {
    double t;
    const apart_pose *poses;     /* one per body */
    const recording_pair *pairs; /* nearest first */
    size_t pair_count;
    const char *label;              /* NULL: none */
    const char *const *value_names; /* the same in every frame */
    const double *values;
    size_t value_count;
    json_t *step; /* of a query, else NULL; borrowed */
} recording_frame;

/* "-" is standard output. After CLI_BAD recording_close needs not be called, but may. */
int recording_open(const char *path, const recording_head *head, recording *out);
/* The same into memory: after recording_close, *text is to be freed. */
int recording_open_memory(char **text, size_t *size, const recording_head *head, recording *out);

/* Parts are shapes with poses in the body's frame; equal shapes are written once. `role` as in the format; colour
 * "#rrggbb" or NULL. */
int recording_add_body(recording *r, const char *name, const char *role, const char *colour, const apart_part *parts,
                       size_t count);

/* A body from a mesh file, whatever it is taken as. */
int recording_add_mesh(recording *r, const char *name, const char *role, const apart_mesh_body *body);

/* A body of the command line. */
int recording_add_own(recording *r, const char *role, const cli_body *body);

/* A curve that does not move. */
int recording_add_path(recording *r, const char *name, const apart_vec3 *points, size_t count);

/* The bodies of a cell in its order, and the robot that moves them (recording_robot.c). `command`: the words of the
 * command line that load the cell, or NULL. */
int recording_add_cell(recording *r, const apart_robot_cell *cell, const char *command);

/* A waypoint of the robot's motion, in the order of time; between two the way is straight, or a cubic or quintic piece
 * where both have velocities, or accelerations too. */
typedef struct recording_waypoint {
    double t, lower;         /* lower: certified, of the clearance until the next; not finite: not known */
    const double *q, *v, *a; /* a number for each variable; v, a may be NULL */
} recording_waypoint;
int recording_add_waypoint(recording *r, const recording_waypoint *waypoint, size_t variables);

int recording_write(recording *r, const recording_frame *frame);

/* With CLI_YES or CLI_NO the file takes its name, with CLI_BAD it is dropped. Returns the status, or CLI_BAD if it
 * could not be written. */
int recording_close(recording *r, int status);

/* A shape in the recording's format, or NULL after a message. */
json_t *recording_shape(const apart_shape *shape);

/* The triangles of a mesh in the recording's format. */
json_t *recording_mesh_shape(const apart_mesh *mesh);

/* For recording_robot.c: a part, a mesh and a body as JSON; NULL and CLI_BAD after a message. */
json_t *recording_part_json(recording *r, const apart_part *part);
json_t *recording_mesh_json(recording *r, const apart_robot_mesh *mesh);
int recording_append_body(recording *r, const char *name, const char *role, const char *colour, json_t *parts);
void recording_pose_rows(const apart_pose *pose, double rows[12]);

/* The pair of a result of apart_distance. */
recording_pair recording_pair_of(size_t a, size_t b, const apart_result *result);

#endif
