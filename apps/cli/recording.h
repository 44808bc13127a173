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

#include "cli.h"

/* The head of a recording. Texts may be NULL where the format allows them to be missing. */
typedef struct recording_head {
    const char *kind; /* "plan", "clearance", "simulation", "scene", "toi" or "query" */
    const char *title;
    const char *length_unit, *time_unit;
    const char *up;      /* "x", "y" or "z"; NULL: z */
    const double *limit; /* NULL: none */
    bool exact;          /* poses as twelve numbers with all digits instead of seven with nine */
} recording_head;

typedef struct recording {
    cli_file file;
    bool exact;
    json_t *shapes, *bodies, *paths; /* until the first frame */
    json_t *shape_of;                /* from the identity of a shape to its number */
    apart_pose *last;                /* of the frame before */
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

int recording_write(recording *r, const recording_frame *frame);

/* With CLI_YES or CLI_NO the file takes its name, with CLI_BAD it is dropped. Returns the status, or CLI_BAD if it
 * could not be written. */
int recording_close(recording *r, int status);

/* A shape in the recording's format, or NULL after a message. */
json_t *recording_shape(const apart_shape *shape);

/* The triangles of a mesh in the recording's format. */
json_t *recording_mesh_shape(const apart_mesh *mesh);

/* The pair of a result of apart_distance. */
recording_pair recording_pair_of(size_t a, size_t b, const apart_result *result);

#endif
