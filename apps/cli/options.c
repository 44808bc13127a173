/* The options of all commands in one table: name, argument, help and where the value goes. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef enum value_kind { FLAG, TEXT, NUMBER, NOT_NEGATIVE, POSITIVE, COUNT, CHOICE } value_kind;

typedef struct option_row {
    const char *name; /* with its dashes */
    const char *argument;
    value_kind kind;
    size_t offset; /* into cli_settings */
    const char *(*choice)(int value);
    int choices;
    const char *help;
} option_row;

static const char *depth_name(int depth)
{
    static const char *const names[] = {"exact", "bounds", "none"};
    return names[depth];
}

static const char *cache_name(int cache)
{
    static const char *const names[] = {"none", "shared"};
    return names[cache];
}

#define FIELD(name) offsetof(cli_settings, name)

static const option_row table[CLI_OPTION_COUNT] = {
    [CLI_POSE_A] = {"--pose-a", "POSE", TEXT, FIELD(pose_a), NULL, 0, "where A is, e.g. \"xyz=1,2,3 rpy=0,0,1.57\""},
    [CLI_POSE_B] = {"--pose-b", "POSE", TEXT, FIELD(pose_b), NULL, 0, "where B is"},
    [CLI_TO_A] = {"--to-a", "POSE", TEXT, FIELD(to_a), NULL, 0, "where A is at t = 1; it turns by the smallest angle"},
    [CLI_TO_B] = {"--to-b", "POSE", TEXT, FIELD(to_b), NULL, 0, "where B is at t = 1"},
    [CLI_VELOCITY_A] = {"--velocity-a", "V", TEXT, FIELD(velocity_a), NULL, 0,
                        "how A moves instead, e.g. \"linear=0,0,-5 angular=0,3,0\""},
    [CLI_VELOCITY_B] = {"--velocity-b", "V", TEXT, FIELD(velocity_b), NULL, 0, "how B moves"},
    [CLI_CENTER_A] = {"--center-a", "X,Y,Z", TEXT, FIELD(center_a), NULL, 0,
                      "the point of A, in its own frame, that moves straight"},
    [CLI_CENTER_B] = {"--center-b", "X,Y,Z", TEXT, FIELD(center_b), NULL, 0, "the point of B that moves straight"},
    [CLI_SCREW] = {"--screw", NULL, FLAG, 0, NULL, 0, "turn about one fixed line: the points move on helices"},
    [CLI_UNTIL] = {"--until", "T", POSITIVE, FIELD(until), NULL, 0, "examine only the time from 0 to T, T <= 1"},
    [CLI_ROUND_A] = {"--round-a", "R", NOT_NEGATIVE, FIELD(round_a), NULL, 0, "grow A by a rounding radius"},
    [CLI_ROUND_B] = {"--round-b", "R", NOT_NEGATIVE, FIELD(round_b), NULL, 0, "grow B by a rounding radius"},
    [CLI_AS] = {"--as", "WHAT", CHOICE, FIELD(as), apart_mesh_as_name, APART_AS_COUNT, "what mesh files stand for"},
    [CLI_AS_A] = {"--as-a", "WHAT", CHOICE, FIELD(as_a), apart_mesh_as_name, APART_AS_COUNT, "the same for A alone"},
    [CLI_AS_B] = {"--as-b", "WHAT", CHOICE, FIELD(as_b), apart_mesh_as_name, APART_AS_COUNT, "the same for B alone"},
    [CLI_HULL] = {"--hull", NULL, FLAG, 0, NULL, 0, "the same as --as hull"},
    [CLI_UNITS] = {"--units", "UNIT", CHOICE, FIELD(units), cli_unit_name, CLI_UNIT_COUNT,
                   "what mesh files are in that do not say it; answers are in metres"},
    [CLI_SCALE] = {"--scale", "S", POSITIVE, FIELD(scale), NULL, 0, "multiply the coordinates of mesh files by S"},
    [CLI_SOLVER] = {"--solver", "NAME", CHOICE, FIELD(solver), apart_solver_name, APART_SOLVER_COUNT,
                    "the simplex solver"},
    [CLI_SUPPORT] = {"--support", "NAME", CHOICE, FIELD(support), apart_support_name, APART_SUPPORT_COUNT,
                     "how hulls are searched for support vertices"},
    [CLI_DEPTH] = {"--depth", "WHAT", CHOICE, FIELD(depth), depth_name, 3, "what to compute for overlapping bodies"},
    [CLI_CUTOFF] = {"--cutoff", "D", POSITIVE, FIELD(cutoff), NULL, 0,
                    "stop when the distance is known to be at least D"},
    [CLI_TOLERANCE] = {"--tolerance", "D", NOT_NEGATIVE, FIELD(tolerance), NULL, 0,
                       "stop when the bounds are at most D apart"},
    [CLI_MAX_ITERATIONS] = {"--max-iterations", "N", COUNT, FIELD(max_iterations), NULL, 0, "stop after N iterations"},
    [CLI_NO_FALLBACK] = {"--no-fallback", NULL, FLAG, 0, NULL, 0,
                         "keep the solver's own answer even when its bounds are open"},
    [CLI_LIMIT] = {"--limit", "D", NUMBER, FIELD(limit), NULL, 0, "exit 1 if the distance is below D"},
    [CLI_FRAME] = {"--frame", "FRAME", CHOICE, FIELD(frame), cli_frame_name, CLI_FRAME_COUNT,
                   "frame of the points and the normal"},
    [CLI_EXPLAIN] = {"--explain", NULL, FLAG, 0, NULL, 0, "describe in words what each iteration decides"},
    [CLI_STATS] = {"--stats", NULL, FLAG, 0, NULL, 0, "print the query's counters"},
    [CLI_TRACE] = {"--trace", "FILE", TEXT, FIELD(trace), NULL, 0,
                   "write the iterations as JSON (-: to standard output, instead of the report)"},
    [CLI_SVG] = {"--svg", "FILE", TEXT, FIELD(svg), NULL, 0,
                 "draw the bodies and their difference (-: to standard output, instead of the report)"},
    [CLI_RECORD] = {"--record", "FILE", TEXT, FIELD(record), NULL, 0,
                    "write a recording for the viewer (-: to standard output, instead of the report)"},
    [CLI_RESULT] = {"--result", "FILE", TEXT, FIELD(result), NULL, 0,
                    "check this output of 'apart distance --json' (-: standard input)"},
    [CLI_CACHE] = {"--cache", "WHICH", CHOICE, FIELD(cache), cache_name, 2, "one cache for all cases, or none"},
    [CLI_SUMMARY] = {"--summary", NULL, FLAG, 0, NULL, 0,
                     "compare with the expected values instead; exit 1 if some differ"},
    [CLI_ADJACENCY] = {"--adjacency", NULL, FLAG, 0, NULL, 0, "list vertices with their neighbours, and the faces"},
    [CLI_DRAWING] = {"-o", "FILE", TEXT, FIELD(output), NULL, 0, "write the SVG there (default: -, standard output)"},
    [CLI_OUTPUT] = {"-o", "FILE", TEXT, FIELD(output), NULL, 0, "write the hull as a mesh (.obj, .off, .stl, .ply)"},
    [CLI_HULLS] = {"--hulls", "K", COUNT, FIELD(hulls), NULL, 0,
                   "at most K hulls, up to 4096 (32, or as --excess needs)"},
    [CLI_EXCESS] = {"--excess", "D", POSITIVE, FIELD(excess), NULL, 0,
                    "as many hulls as it takes to have no point farther than D from the mesh"},
    [CLI_SURFACE] = {"--surface", NULL, FLAG, 0, NULL, 0, "cover the surface alone, though the mesh is closed"},
    [CLI_COVER_OUTPUT] = {"-o", "FILE", TEXT, FIELD(output), NULL, 0, "write the hulls as objects of a mesh (.obj)"},
    [CLI_PAGE] = {"-o", "FILE", TEXT, FIELD(page), NULL, 0,
                  "write this page (-: to standard output); else named after the recording"},
    [CLI_OPEN] = {"--open", NULL, FLAG, 0, NULL, 0, "open the page in the browser"},
    [CLI_SERVE] = {"--serve", NULL, FLAG, 0, NULL, 0, "serve the page on 127.0.0.1 instead, anew when a file changes"},
    [CLI_PORT] = {"--port", "N", COUNT, FIELD(port), NULL, 0, "the port of --serve (any that is free)"},
    [CLI_QUICK] = {"--quick", NULL, FLAG, 0, NULL, 0,
                   "fewer pairs, sizes and repeats: a minute instead of a quarter of an hour"},
    [CLI_SEED] = {"--seed", "S", COUNT, FIELD(seed), NULL, 0, "draw other bodies and motions (1)"},
    [CLI_DIRECTORY] = {"-o", "DIR", TEXT, FIELD(directory), NULL, 0,
                       "where report, CSV files and figures go (apart-lab)"},
    [CLI_BELOW] = {"--below", "D", NUMBER, FIELD(below), NULL, 0, "all pairs nearer than D instead of the nearest"},
    [CLI_NEAREST] = {"--nearest", "N", COUNT, FIELD(nearest), NULL, 0, "the N nearest pairs of every step (default 1)"},
    [CLI_STEPS] = {"--steps", "N", COUNT, FIELD(steps), NULL, 0, "make N steps, whatever the file says"},
    [CLI_MAX_PAIRS] = {"--max-pairs", "N", COUNT, FIELD(max_pairs), NULL, 0,
                       "print at most N pairs of a step (default 100000)"},
    [CLI_RESULTS] = {"-o", "DIR", TEXT, FIELD(directory), NULL, 0, "the folder of the results"},
    [CLI_SHARD] = {"--shard", "K/N", TEXT, FIELD(shard), NULL, 0, "the K-th of N shards (1/1)"},
    [CLI_SHARDS] = {"--shards", "N", COUNT, FIELD(shards), NULL, 0, "of studies that were cut into N shards"},
    [CLI_SAMPLE] = {"--sample", "P", POSITIVE, FIELD(sample), NULL, 0, "the share that is computed again (0.01)"},
    [CLI_THREADS] = {"--threads", "N", COUNT, FIELD(threads), NULL, 0, "work on N threads; the answers are the same"},
    [CLI_SRDF] = {"--srdf", "FILE", TEXT, FIELD(srdf), NULL, 0, "leave out the pairs that this SRDF disables"},
    [CLI_SCENE] = {"--scene", "FILE", TEXT, FIELD(scene), NULL, 0, "the bodies of this scene are obstacles"},
    [CLI_TRAJ] =
        {"--traj", "FILE", TEXT, FIELD(traj), NULL, 0,
         "waypoints: CSV with a line of joint names, or a JointTrajectory in YAML or JSON (-: standard input)"},
    [CLI_JOINTS] = {"--joints", "Q", TEXT, FIELD(joints), NULL, 0,
                    "waypoints given here: \"JOINT=POSITION,...; JOINT=...\""},
    [CLI_PACKAGES] = {"--packages", "LIST", TEXT, FIELD(packages), NULL, 0,
                      "where package:// files are: DIR or NAME=DIR, separated by ':'"},
    [CLI_FIGURE] = {"--figure", "FILE", TEXT, FIELD(figure), NULL, 0,
                    "draw what is measured over time (.svg or .png; needs gnuplot)"},
    [CLI_PROPOSE] = {"--propose", "N", COUNT, FIELD(propose), NULL, 0,
                     "print an SRDF: pairs always in contact, or never near, in N random positions"},
    [CLI_NOTES] = {"--notes", NULL, FLAG, 0, NULL, 0, "list all notes, also of meshes that are taken by their hulls"},
    [CLI_ALLOW_LIMITS] = {"--allow-limits", NULL, FLAG, 0, NULL, 0,
                          "positions outside the joints' limits do not make the exit status 1"},
    [CLI_STATE] = {"--state", "NAME", TEXT, FIELD(state), NULL, 0,
                   "where joints that are not given stand: a state of the SRDF, or a keyframe"},
    [CLI_FIX] = {"--fix", "Q", TEXT, FIELD(fix), NULL, 0, "the same by joint: \"JOINT=POSITION,...\""},
    [CLI_PAIRS] = {"--pairs", NULL, FLAG, 0, NULL, 0,
                   "every pair's certified clearance along the whole motion, nearest first"},
    [CLI_WAYPOINTS_ONLY] = {"--waypoints-only", NULL, FLAG, 0, NULL, 0, "leave the ways between waypoints out"},
    [CLI_LIMITS] = {"--limits", "FILE", TEXT, FIELD(limits), NULL, 0,
                    "limits and paddings by link or pair: CSV lines A,B,LIMIT or A,B,LIMIT,PADDING; * is any"},
    [CLI_CELL] = {"--cell", "FILE", TEXT, FIELD(cell), NULL, 0,
                  "base pose, more robots, attached tools and objects: JSON (docs/robots.md)"},
    [CLI_BASE] = {"--base", "POSE", TEXT, FIELD(base), NULL, 0,
                  "where the robot's root stands: \"xyz=1,0,0 rpy=0,0,1.57\""},
    [CLI_POINTS] = {"--points", "FILE", TEXT, FIELD(points), NULL, 0,
                    "a point cloud as an obstacle (.ply, .xyz, ...): spheres, or boxes with --voxels"},
    [CLI_CLOUD_SIZE] = {"--point-size", "D", POSITIVE, FIELD(point_size), NULL, 0,
                        "radius of the spheres, edge of the boxes (0.01)"},
    [CLI_VOXELS] = {"--voxels", NULL, FLAG, 0, NULL, 0, "the points are the middles of boxes"},
    [CLI_GRADIENTS] = {"--gradients", NULL, FLAG, 0, NULL, 0,
                       "the change of each distance by every joint, in --csv and --json"},
    [CLI_PATH] = {"--path", "FILE", TEXT, FIELD(path), NULL, 0, "the path of the tool: CSV with x,y,z on each line"},
    [CLI_TOOL] = {"--tool", "LINK", TEXT, FIELD(tool), NULL, 0, "the link that carries the tool (the last one)"},
    [CLI_POINT] = {"--point", "X,Y,Z", TEXT, FIELD(point), NULL, 0,
                   "the tool's point in the link's frame (its origin)"},
    [CLI_SPEED] = {"--speed", "V", POSITIVE, FIELD(speed), NULL, 0, "of the tool along the path (0.1)"},
    [CLI_REACH] = {"--reach", "D", POSITIVE, FIELD(reach), NULL, 0, "pairs nearer than D push: d0 (0.5)"},
    [CLI_GAIN] = {"--gain", "K", NUMBER, FIELD(gain), NULL, 0, "how strongly: k, below 0 apart, 0 not at all (-1)"},
    [CLI_STEP] = {"--step", "T", POSITIVE, FIELD(step), NULL, 0, "time from step to step (0.02)"},
    [CLI_ERROR] = {"--error", "D", POSITIVE, FIELD(error), NULL, 0, "how far the tool may leave its path (0.001)"},
    [CLI_TO] = {"--to", "GOAL", TEXT, FIELD(to), NULL, 0,
                "plan to \"JOINT=POSITION,...\" (more goals after ';'), a state, or a pose \"xyz=... rpy=...\""},
    [CLI_PROBLEMS] = {"--problems", "FILE", TEXT, FIELD(problems), NULL, 0, "planning problems (docs/planning.md)"},
    [CLI_ONLY] = {"--only", "TEXT", TEXT, FIELD(only), NULL, 0, "only the problems with this in their names"},
    [CLI_GROUP] = {"--group", "NAME", TEXT, FIELD(group), NULL, 0,
                   "the joints that may move: a group of the SRDF, or a,b,c (all)"},
    [CLI_SECONDS] = {"--time", "S", POSITIVE, FIELD(seconds), NULL, 0, "give up after S seconds (10)"},
    [CLI_KEEP] = {"--no-shortcuts", NULL, FLAG, 0, NULL, 0, "keep the path as it was found"},
    [CLI_FOLLOW] = {"--follow", NULL, FLAG, 0, NULL, 0, "follow a path (--path, or that of the built-in arm)"},
    [CLI_PROFILE] = {"--profile", NULL, FLAG, 0, NULL, 0,
                     "also time the following with the original and the enhanced distance algorithm"},
    [CLI_PLAN_DIRECTORY] = {"-o", "DIR", TEXT, FIELD(directory), NULL, 0,
                            "write path and certificate there, or trajectory, clearances, figures and recording"},
    [CLI_PRINT] = {"--print", NULL, FLAG, 0, NULL, 0, "print the scene of this name as a file, and end"},
    [CLI_CSV] = {"--csv", NULL, FLAG, 0, NULL, 0, "print comma-separated values instead of text"},
    [CLI_JSON] = {"--json", NULL, FLAG, 0, NULL, 0, "print JSON instead of text"},
    [CLI_HELP] = {"--help", NULL, FLAG, 0, NULL, 0, "show this help"},
};

/* "a, b or c" */
static const char *list_choices(const option_row *row, char text[CLI_TEXT_SIZE])
{
    size_t used = 0;
    for (int i = 0; i < row->choices; i++) {
        const char *separator = i == 0 ? "" : i == row->choices - 1 ? " or " : ", ";
        used += (size_t)snprintf(text + used, CLI_TEXT_SIZE - used, "%s%s", separator, row->choice(i));
    }
    return text;
}

static int store_number(const cli_command *command, const option_row *row, const char *value, double *out)
{
    const char *end;
    const char *wrong = cli_read_number(value, &end, out);
    if (wrong == NULL && *end != '\0') {
        wrong = "is not a number";
    }
    if (wrong != NULL) {
        return cli_error("%s: %s %s: '%s' %s", command->name, row->name, row->argument, value, wrong);
    }
    if ((row->kind != NUMBER && *out < 0) || (row->kind == POSITIVE && *out == 0)) {
        return cli_error("%s: %s %s: %s is %s zero", command->name, row->name, row->argument, value,
                         row->kind == POSITIVE ? "not above" : "below");
    }
    return CLI_YES;
}

static int store_count(const cli_command *command, const option_row *row, const char *value, uint32_t *out)
{
    const size_t length = strlen(value);
    if (length == 0 || length > 9 || strspn(value, "0123456789") != length || strtoul(value, NULL, 10) == 0) {
        return cli_error("%s: %s %s: '%s' is not a whole number from 1 to 999999999", command->name, row->name,
                         row->argument, value);
    }
    *out = (uint32_t)strtoul(value, NULL, 10);
    return CLI_YES;
}

static int store_choice(const cli_command *command, const option_row *row, const char *value, int *out)
{
    const char *names[16] = {NULL};
    char suggestion[CLI_TEXT_SIZE], expected[CLI_TEXT_SIZE];
    for (int i = 0; i < row->choices; i++) {
        names[i] = row->choice(i);
        if (strcmp(value, names[i]) == 0) {
            *out = i;
            return CLI_YES;
        }
    }
    return cli_error("%s: %s %s: unknown '%s'%s; expected %s", command->name, row->name, row->argument, value,
                     cli_suggestion(value, names, suggestion), list_choices(row, expected));
}

static int store(const cli_command *command, cli_option_id id, const char *value, cli_settings *settings)
{
    const option_row *row = &table[id];
    void *field = (char *)settings + row->offset;
    settings->given[id] = true;
    switch (row->kind) {
    case NUMBER:
    case NOT_NEGATIVE:
    case POSITIVE: return store_number(command, row, value, field);
    case COUNT: return store_count(command, row, value, field);
    case CHOICE: return store_choice(command, row, value, field);
    case TEXT:
        if (*value == '\0') {
            return cli_error("%s: %s: the %s is empty", command->name, row->name, row->argument);
        }
        *(const char **)field = value;
        return CLI_YES;
    case FLAG: break;
    }
    return CLI_YES;
}

static int unknown_option(const cli_command *command, const char *word)
{
    const char *names[CLI_OPTION_COUNT + 1];
    char suggestion[CLI_TEXT_SIZE];
    size_t count = 0;
    for (const cli_option_id *id = command->options;; id++) {
        names[count++] = table[*id].name;
        if (*id == CLI_HELP) {
            break;
        }
    }
    names[count] = NULL;
    return cli_error("%s: unknown option '%s'%s; see 'apart help %s'", command->name, word,
                     cli_suggestion(word, names, suggestion), command->name);
}

/* The command's option with this name (of `length` bytes), or CLI_OPTION_COUNT. */
static cli_option_id find_option(const cli_command *command, const char *word, size_t length)
{
    if (strncmp(word, "-h", length) == 0 && length == 2) {
        return CLI_HELP;
    }
    for (const cli_option_id *id = command->options;; id++) {
        if (strlen(table[*id].name) == length && strncmp(table[*id].name, word, length) == 0) {
            return *id;
        }
        if (*id == CLI_HELP) {
            return CLI_OPTION_COUNT;
        }
    }
}

/* Takes the option at argv[*i], and its value from the same word (--name=value) or from the next. */
static int take_option(const cli_command *command, int argc, char **argv, int *i, cli_settings *settings)
{
    const char *word = argv[*i];
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const cli_option_id id = find_option(command, word, length);
    if (id == CLI_OPTION_COUNT) {
        char name[CLI_TEXT_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
        return unknown_option(command, name);
    }
    if (table[id].kind == FLAG) {
        return equals != NULL ? cli_error("%s: %s takes no value", command->name, table[id].name)
                              : store(command, id, NULL, settings);
    }
    if (equals != NULL) {
        return store(command, id, equals + 1, settings);
    }
    if (*i + 1 == argc) {
        return cli_error("%s: %s needs a value: %s %s", command->name, table[id].name, table[id].name,
                         table[id].argument);
    }
    return store(command, id, argv[++*i], settings);
}

static int check_operands(const cli_command *command, const cli_settings *settings)
{
    const size_t count = settings->operand_count;
    if (settings->given[CLI_HELP] || (count >= command->min_operands && count <= command->max_operands)) {
        return CLI_YES;
    }
    if (count > command->max_operands) {
        return cli_error("%s: unexpected '%s'%s%s; see 'apart help %s'", command->name,
                         settings->operands[command->max_operands], command->max_operands > 0 ? " after " : "",
                         command->operands, command->name);
    }
    return cli_error("%s: expected %s, got %zu operand%s; see 'apart help %s'", command->name, command->operands, count,
                     count == 1 ? "" : "s", command->name);
}

/* The file that an option names for output, or NULL. */
static const char *output_file(const cli_settings *settings, cli_option_id id)
{
    const void *field = (const char *)settings + table[id].offset;
    const char *path = settings->given[id] ? *(const char *const *)field : NULL;
    return cli_is_stdout(path) ? NULL : path;
}

/* One file can hold one output: what is written first would be lost. */
static int check_output_files(const cli_command *command, const cli_settings *settings)
{
    static const cli_option_id outputs[] = {CLI_TRACE,  CLI_SVG,          CLI_RECORD, CLI_FIGURE,
                                            CLI_OUTPUT, CLI_COVER_OUTPUT, CLI_PAGE};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = output_file(settings, outputs[i]);
        if (path != NULL && cli_is_where_stdout_goes(path)) {
            return cli_error("%s: %s %s: standard output goes to that file already", command->name,
                             table[outputs[i]].name, path);
        }
        for (size_t k = 0; k < i && path != NULL; k++) {
            const char *other = output_file(settings, outputs[k]);
            if (other != NULL && cli_same_file(path, other)) {
                return cli_error("%s: %s %s and %s %s are one file", command->name, table[outputs[k]].name, other,
                                 table[outputs[i]].name, path);
            }
        }
    }
    return CLI_YES;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_settings *settings)
{
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            settings->operands[settings->operand_count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (take_option(command, argc, argv, &i, settings) != CLI_YES) {
            return CLI_BAD;
        }
    }
    const int status = check_operands(command, settings);
    return status == CLI_YES ? check_output_files(command, settings) : status;
}

void cli_print_options(const cli_command *command)
{
    printf("Options:\n");
    for (const cli_option_id *id = command->options;; id++) {
        const option_row *row = &table[*id];
        char left[CLI_TEXT_SIZE], choices[CLI_TEXT_SIZE];
        snprintf(left, sizeof left, "%s%s%s%s", *id == CLI_HELP ? "-h, " : "", row->name,
                 row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
        printf("  %-19s %s", left, row->help);
        if (row->kind == CHOICE) {
            printf(": %s", list_choices(row, choices));
        }
        putchar('\n');
        if (*id == CLI_HELP) {
            return;
        }
    }
}

apart_options cli_query_options(const cli_settings *settings, apart_trace *trace, apart_stats *stats)
{
    return (apart_options){.solver = (uint8_t)settings->solver,
                           .support = (uint8_t)settings->support,
                           .depth = (uint8_t)settings->depth,
                           .no_fallback = settings->given[CLI_NO_FALLBACK],
                           .max_iterations = settings->max_iterations,
                           .cutoff = settings->cutoff,
                           .tolerance = settings->tolerance,
                           .trace = trace,
                           .stats = stats};
}

const char *cli_frame_name(int frame)
{
    static const char *const names[] = {"world", "a", "b"};
    return names[frame];
}
