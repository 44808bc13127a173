/* What the subcommands of the apart program share.
 *
 * A call passes through these files: main.c finds the command, options.c fills a cli_settings, the command's file runs.
 * A command reads its bodies with body.c and pose.c, queries the library, and prints with print.c or json.c. Every
 * problem goes through cli_error, which returns CLI_BAD, so that `return cli_error(...)` ends a function. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <apart/apart.h>
#include <apart/io.h>
#include <apart/mesh_body.h>
#include <jansson.h>

/* Exit statuses. */
enum { CLI_YES = 0, CLI_NO = 1, CLI_BAD = 2, CLI_UNDECIDED = 3 };

/* ---- options (options.c) ---- */

/* Every option of the program has one meaning in all commands that take it. */
typedef enum cli_option_id {
    CLI_POSE_A,
    CLI_POSE_B,
    CLI_TO_A,
    CLI_TO_B,
    CLI_VELOCITY_A,
    CLI_VELOCITY_B,
    CLI_CENTER_A,
    CLI_CENTER_B,
    CLI_SCREW,
    CLI_UNTIL,
    CLI_ROUND_A,
    CLI_ROUND_B,
    CLI_AS,
    CLI_AS_A,
    CLI_AS_B,
    CLI_HULL,
    CLI_UNITS,
    CLI_SCALE,
    CLI_SOLVER,
    CLI_SUPPORT,
    CLI_DEPTH,
    CLI_CUTOFF,
    CLI_TOLERANCE,
    CLI_MAX_ITERATIONS,
    CLI_NO_FALLBACK,
    CLI_LIMIT,
    CLI_FRAME,
    CLI_EXPLAIN,
    CLI_STATS,
    CLI_TRACE,
    CLI_SVG,
    CLI_RECORD,
    CLI_RESULT,
    CLI_CACHE,
    CLI_SUMMARY,
    CLI_ADJACENCY,
    CLI_OUTPUT,
    CLI_DRAWING,
    CLI_HULLS,
    CLI_EXCESS,
    CLI_SURFACE,
    CLI_COVER_OUTPUT,
    CLI_PAGE,
    CLI_OPEN,
    CLI_SERVE,
    CLI_PORT,
    CLI_QUICK,
    CLI_SEED,
    CLI_DIRECTORY,
    CLI_BELOW,
    CLI_NEAREST,
    CLI_STEPS,
    CLI_MAX_PAIRS,
    CLI_THREADS,
    CLI_SRDF,
    CLI_SCENE,
    CLI_TRAJ,
    CLI_JOINTS,
    CLI_PACKAGES,
    CLI_FIGURE,
    CLI_PROPOSE,
    CLI_NOTES,
    CLI_ALLOW_LIMITS,
    CLI_STATE,
    CLI_FIX,
    CLI_PAIRS,
    CLI_WAYPOINTS_ONLY,
    CLI_LIMITS,
    CLI_CELL,
    CLI_BASE,
    CLI_POINTS,
    CLI_CLOUD_SIZE,
    CLI_VOXELS,
    CLI_GRADIENTS,
    CLI_PATH,
    CLI_TOOL,
    CLI_POINT,
    CLI_SPEED,
    CLI_REACH,
    CLI_GAIN,
    CLI_STEP,
    CLI_ERROR,
    CLI_TO,
    CLI_PROBLEMS,
    CLI_ONLY,
    CLI_GROUP,
    CLI_SECONDS,
    CLI_KEEP,
    CLI_FOLLOW,
    CLI_PROFILE,
    CLI_PLAN_DIRECTORY,
    CLI_RESULTS,
    CLI_SHARD,
    CLI_SHARDS,
    CLI_SAMPLE,
    CLI_PRINT,
    CLI_CSV,
    CLI_JSON,
    CLI_HELP,
    CLI_OPTION_COUNT
} cli_option_id;

/* What --frame names. */
enum { CLI_FRAME_WORLD, CLI_FRAME_A, CLI_FRAME_B, CLI_FRAME_COUNT };

typedef struct cli_settings {
    bool given[CLI_OPTION_COUNT];
    const char *pose_a, *pose_b;
    const char *to_a, *to_b, *velocity_a, *velocity_b, *center_a, *center_b; /* of toi */
    double until;
    double round_a, round_b;
    int as, as_a, as_b; /* of mesh files */
    double scale;       /* of mesh files; 0: not given */
    int units;
    int solver, support, depth, frame, cache;
    double cutoff, tolerance, limit;
    uint32_t max_iterations, seed;
    double below;
    uint32_t nearest, steps, max_pairs, threads;
    const char *trace, *svg, *record, *result, *output, *page, *directory;
    const char *srdf, *scene, *traj, *joints, *packages, *figure, *state, *fix; /* of robots */
    const char *limits, *cell, *base, *points;
    double point_size;
    uint32_t port;
    uint32_t propose;
    uint32_t hulls; /* of covers */
    double excess;
    const char *path, *tool, *point; /* of plans */
    double speed, reach, gain, step, error;
    const char *to, *problems, *only, *group;
    const char *shard; /* of jobs */
    uint32_t shards;
    double sample;
    double seconds;
    const char **operands; /* the arguments that are not options */
    size_t operand_count;
} cli_settings;

typedef struct cli_command {
    const char *name;
    const char *operands; /* "A B", as shown in the usage line */
    size_t min_operands, max_operands;
    const char *summary;     /* one line for the list of commands */
    const char *description; /* paragraphs for `apart help NAME` */
    const char *examples;
    const cli_option_id *options; /* ends with CLI_HELP */
    int (*run)(const cli_settings *settings);
} cli_command;

extern const cli_command cli_distance_command, cli_overlap_command, cli_verify_command, cli_toi_command,
    cli_cases_command, cli_hull_command, cli_cover_command, cli_scene_command, cli_robot_command, cli_clearance_command,
    cli_plan_command, cli_verify_plan_command, cli_simulate_command, cli_view_command, cli_lab_command,
    cli_figure_command, cli_job_command;

/* Reads argv (without program and command name) into the settings. Returns CLI_YES or, after a message, CLI_BAD. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_settings *settings);

/* The part of a command's help that lists its options. */
void cli_print_options(const cli_command *command);

/* Solver, support, depth and so on as the library's options; trace and stats may be NULL. */
apart_options cli_query_options(const cli_settings *settings, apart_trace *trace, apart_stats *stats);

const char *cli_frame_name(int frame);

/* ---- messages and numbers (text.c) ---- */

/* "apart: MESSAGE" on stderr. Returns CLI_BAD. */
int cli_error(const char *format, ...);
/* "apart: note: MESSAGE" on stderr. */
void cli_note(const char *format, ...);

/* Are there no control characters in a text? */
bool cli_is_printable(const char *text);
/* A text as it may be shown on a terminal: control characters, and bytes that are not UTF-8, as \xNN. */
void cli_print_safely(FILE *stream, const char *text);

/* Room for a message that is put together before it is printed. */
enum { CLI_TEXT_SIZE = 256 };

/* The candidate most like `word`, or NULL if none is close; the list ends with NULL. */
const char *cli_closest(const char *word, const char *const *candidates);

/* " (did you mean 'X'?)", or an empty text. */
const char *cli_suggestion(const char *word, const char *const *candidates, char text[CLI_TEXT_SIZE]);

/* A status as part of a sentence: no capital letter, no full stop. */
const char *cli_reason(apart_status status, char text[CLI_TEXT_SIZE]);

/* Reads one finite number at `text`, sets *end behind it. Returns NULL, or what is wrong: "is not a number". */
const char *cli_read_number(const char *text, const char **end, double *out);

/* Reads numbers separated by commas until something else comes. `what` names the place in the message. */
int cli_read_numbers(const char *what, const char *text, const char **end, double *out, size_t max, size_t *count);

/* The shortest decimal that reads back to the same double. */
enum { CLI_NUMBER_SIZE = 32, CLI_POINT_SIZE = 128 };
const char *cli_number(double value, char text[CLI_NUMBER_SIZE]);

/* Six digits for readers: rounded to nearest (direction 0), down (-1) or up (1), so that a bound stays one. */
const char *cli_brief(double value, int direction, char text[CLI_NUMBER_SIZE]);
const char *cli_brief_point(apart_vec3 p, char text[CLI_POINT_SIZE]);

/* "(1, 0.5, 0)"; two coordinates for dim 2. */
const char *cli_point(apart_vec3 p, int dim, char text[CLI_POINT_SIZE]);

/* Units of length that --units names. */
enum { CLI_UNIT_COUNT = 5 };

/* What the numbers of mesh files stand for: a factor (0: 1), and a unit for files that do not say theirs (0: metres). */
typedef struct cli_lengths {
    double scale;
    int units;
} cli_lengths;

/* ---- bodies and poses (body.c, mesh_body.c, pose.c) ---- */

/* How mesh files are taken. */
typedef struct cli_meshes {
    cli_lengths lengths;
    apart_mesh_body_options body;
    const char *as_option; /* what asks for another kind of body, for messages; NULL: --as */
} cli_meshes;

typedef struct cli_body {
    const char *name;  /* "A" or "B" */
    const char *text;  /* as the user gave it */
    apart_shape shape; /* of a convex body; of others only `dim` is set */
    apart_pose pose;
    apart_mesh_body *mesh; /* owned; of a file, else NULL */
    double *coordinates;   /* owned; of a polygon */
    double scale;          /* what the file's coordinates were multiplied by */
} cli_body;

/* A mesh file. `-` is standard input. */
typedef struct cli_mesh {
    apart_mesh_data mesh;
    double scale; /* what the coordinates were multiplied by */
} cli_mesh;

/* Reads "part.stl", or "part.stl*0.001" and "part.stl*mm", which count before `lengths`. On CLI_BAD nothing needs to
 * be freed. */
int cli_mesh_load(const char *text, cli_lengths lengths, cli_mesh *out);
const char *cli_mesh_format_name(int format);
/* "coordinates times 0.001 (mm to m)" */
const char *cli_scale_text(double scale, char text[CLI_TEXT_SIZE]);
const char *cli_unit_name(int unit);
bool cli_file_exists(const char *path);

/* The body that body->text names, by parameters or as a mesh file; body->name goes in front of messages. Freed with
 * cli_body_free, also after CLI_BAD. */
int cli_body_load(cli_body *body, const cli_meshes *meshes, double round);
void cli_body_free(cli_body *body);

/* The part of cli_body_load that is about files (mesh_body.c). */
int cli_mesh_body_load(cli_body *body, const cli_meshes *meshes);

/* How --as, --as-a, --hull and the like want body `which` (0 or 1). */
int cli_meshes_of(const cli_settings *settings, int which, cli_meshes *out);

/* Has the body parts, triangles of a mesh or hulls of a cover, so that only solids can be asked about it? */
bool cli_body_has_parts(const cli_body *body);
bool cli_has_parts(const cli_body bodies[2]); /* one of them */
apart_solid cli_body_solid(const cli_body *body);
/* A part of the body, where it is in the world: part 0 of a convex body is all of it. */
apart_part cli_body_part(const cli_body *body, uint32_t part);
/* The features of the deciding parts that the points lie on; vertices of triangles are numbered as in the file. False:
 * they are not known. */
bool cli_features(const cli_body bodies[2], const apart_compound_result *result, apart_feature out[2]);
/* Prints a message and returns CLI_BAD if a body has parts and `option`, which is about convex bodies, is not NULL. */
int cli_need_convex(const char *option, const cli_body bodies[2]);
/* "convex hull of 8 vertices", "solid of 2808 triangles". */
const char *cli_body_kind(const cli_body *body, char text[CLI_TEXT_SIZE]);

/* Bodies A and B from the settings' two operands and pose options. On CLI_BAD nothing needs to be freed. */
int cli_bodies_load(const cli_settings *settings, cli_body bodies[2]);
void cli_bodies_free(cli_body bodies[2]);

/* "xyz=1,2,3 rpy=0,0,1.57" as a pose; `option` names it in messages, NULL text is the identity. */
int cli_pose_read(const char *option, const char *text, apart_pose *out);

/* The motion of a body from its options; the body's pose is the start. `which` is 0 for A, 1 for B. */
int cli_motion_read(const cli_settings *settings, int which, const cli_body *body, apart_motion *out);

/* Reports why a query on these bodies was refused. Returns CLI_BAD. */
int cli_query_error(const cli_body bodies[2], apart_status status);

/* Everything of a stream into memory (to be freed), or NULL after a message. `name` is used in it. */
char *cli_read_all(FILE *stream, const char *name, size_t *size);
/* The same for a file of text, "-" being standard input: without the mark of UTF-8 at its start, and with a zero behind
 * its end. */
char *cli_read_text(const char *path, size_t *size);
/* The name of an input in messages: "standard input" for "-". */
const char *cli_input_name(const char *path);

/* ---- output files (output_file.c) ---- */

/* A file that appears under its name only when it is complete. "-" is standard output; anything that is not a regular
 * file is written directly. */
typedef struct cli_file {
    FILE *stream;
    const char *path;
    char *target;    /* owned: the path with its links followed; NULL when written directly */
    char *temporary; /* owned: the name of the file until it is complete; NULL: it has none */
} cli_file;

int cli_file_open(const char *path, cli_file *file);
/* The same for a file that another program writes: under cli_file_name. */
int cli_file_open_named(const char *path, cli_file *file);
const char *cli_file_name(const cli_file *file);
/* With CLI_YES the file takes its name, with another status it is dropped. Returns the status, or CLI_BAD if it could
 * not be written. */
int cli_file_close(cli_file *file, int status);

/* Do both names lead to one file, which need not exist yet? Never so for what is not a regular file. */
bool cli_same_file(const char *a, const char *b);
bool cli_is_where_stdout_goes(const char *path);

/* ---- output (output.c, place.c, print.c, json.c) ---- */

/* A counter on the terminal while the answers go elsewhere: after a second, at most ten times a second. */
typedef struct cli_progress {
    bool shown;
    const char *name; /* of the file */
    long started, last;
} cli_progress;

cli_progress cli_progress_begin(const char *name);
/* "NAME: step 3 of 9"; beyond `count` the line is cleared. */
void cli_progress_show(cli_progress *progress, const char *what, size_t step, size_t count);

/* Is this the name of standard output? NULL is not. */
bool cli_is_stdout(const char *path);

/* Is a pair below --limit? An overlap is, even if its depth was not computed and its distance is given as 0. */
bool cli_is_below(double distance, uint32_t relation, double limit);
/* A --limit below zero is a depth: prints a message and returns CLI_BAD where depths are not computed. */
int cli_check_limit_depth(const char *command, const cli_settings *settings);

/* A file that lies beside the program in a build, places[0], or in places[1] when it is installed; both relative to the
 * program. False: in neither place; `path` is then the second. */
enum { CLI_PATH_SIZE = 4096 };
bool cli_find_part(const char *const places[2], char path[CLI_PATH_SIZE]);

/* At the start: no standard stream may be closed. */
int cli_check_streams(void);
/* At the end: CLI_BAD if something could not be written, else `status`. */
int cli_flush_stdout(int status);

void cli_print_body(const cli_body *body);
void cli_print_result(const cli_body bodies[2], const apart_compound_result *result, int frame);
/* A text as a field of comma-separated values. */
void cli_print_field(FILE *stream, const char *text);
void cli_print_stats(const apart_stats *stats);
void cli_print_explanation(const cli_body bodies[2], const apart_trace *trace, const apart_result *result);

/* A string; bytes that are not UTF-8 become '?'. */
json_t *cli_json_text(const char *text);
json_t *cli_json_vec(apart_vec3 v, int dim);
json_t *cli_json_numbers(const double *values, size_t count);
json_t *cli_json_result(const cli_body bodies[2], const apart_compound_result *result, int frame);
json_t *cli_json_stats(const apart_stats *stats);
/* One iteration; points as in the trace. */
json_t *cli_json_step(const apart_trace_step *step, int dim);
json_t *cli_json_trace(const cli_body bodies[2], const apart_trace *trace, const apart_compound_result *result);
/* A real, or null for a value that JSON cannot hold. */
json_t *cli_json_number(double value);
/* Reads what cli_json_result wrote. `name` is the file's, for messages. */
int cli_json_read_result(const char *path, apart_compound_result *out);
/* Writes with 17 digits and a newline, and releases the value. `compact`: on one line. */
int cli_json_print(json_t *value, FILE *stream, bool compact);

/* ---- recordings of a pair (record.c) ---- */

int cli_record_query(const char *path, const cli_body bodies[2], const apart_trace *trace,
                     const apart_compound_result *found);
/* The bodies where they are, as a recording in memory, to be freed. */
int cli_record_pair(char **text, size_t *size, const cli_body bodies[2], const apart_compound_result *found);
int cli_record_toi(const char *path, const cli_body bodies[2], const apart_motion motions[2],
                   const apart_impact *impact, double until);

/* ---- the picture (picture.c, outline.c, svg.c) ---- */

int cli_picture_write(FILE *stream, const cli_body bodies[2], const apart_result *result);

/* The moving bodies, and the gap over time (toi_picture.c). The bodies' poses are those at the impact's time. */
int cli_toi_picture_write(FILE *stream, const cli_body bodies[2], const apart_motion motions[2],
                          const apart_impact *impact, double until);

#endif
