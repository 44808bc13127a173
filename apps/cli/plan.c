/* apart plan: the command's options, and --follow: the tool of a redundant arm follows a path while its links keep away from each other and from
 * obstacles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plan.h"

/* The paper's numbers (item G9). */
static const double DEFAULT_SPEED = 0.1, DEFAULT_REACH = 0.5, DEFAULT_GAIN = -1, DEFAULT_STEP = 0.02,
                    DEFAULT_ERROR = 1e-3;
/* Clearances between steps are known to this share of d0. */
static const double TOLERANCE_SHARE = 1e-3;
/* Each algorithm is timed this often; the least disturbed run counts. */
enum { TIMED_RUNS = 5 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int failed(const plan_run *run, apart_status status)
{
    char reason[CLI_TEXT_SIZE];
    return cli_error("%s: %s", apart_robot_file(run->cell.robot), cli_reason(status, reason));
}

/* ---- the task ---- */

static double choose(const cli_settings *s, cli_option_id id, double given, double otherwise)
{
    return s->given[id] ? given : otherwise;
}

static int read_vec3(const char *option, const char *text, apart_vec3 *out)
{
    double v[3] = {0};
    size_t count;
    const char *end;
    if (cli_read_numbers(option, text, &end, v, 3, &count) != CLI_YES) {
        return CLI_BAD;
    }
    if (count != 3 || *end != '\0') {
        return cli_error("%s: expected X,Y,Z, found '%s'", option, text);
    }
    *out = (apart_vec3){v[0], v[1], v[2]};
    return CLI_YES;
}

/* One line "x,y,z" of the file. */
static int read_path_line(plan_run *run, const char *name, size_t number, char *line)
{
    char where[CLI_TEXT_SIZE];
    apart_vec3 point;
    line[strcspn(line, "\r")] = '\0';
    char *start = line + strspn(line, " \t");
    if (*start == '\0' || *start == '#' || (run->task.path_count == 1 && strcmp(start, "x,y,z") == 0)) {
        return CLI_YES;
    }
    snprintf(where, sizeof where, "%.200s:%zu", name, number);
    if (read_vec3(where, start, &point) != CLI_YES) {
        return CLI_BAD;
    }
    apart_vec3 *larger = realloc(run->path, (run->task.path_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return cli_error("out of memory");
    }
    run->path = larger;
    run->path[run->task.path_count++] = point;
    return CLI_YES;
}

static int read_path_file(plan_run *run, const char *name)
{
    size_t size, number = 0;
    int status = CLI_YES;
    char *text = cli_read_text(name, &size);
    if (text == NULL) {
        return CLI_BAD;
    }
    for (char *line = text; line != NULL && status == CLI_YES;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        status = read_path_line(run, name, ++number, line);
        line = end;
    }
    free(text);
    const bool empty = status == CLI_YES && run->task.path_count < 2;
    return empty ? cli_error("%s: no point; expected x,y,z on each line", name) : status;
}

static apart_vec3 tool_at_start(const plan_run *run)
{
    (void)apart_robot_set(run->cell.work, run->task.start);
    const apart_pose pose = apart_robot_link_pose(run->cell.work, run->task.link);
    return apart_pose_apply(&pose, run->task.point);
}

/* The path begins where the tool is; if its first point is elsewhere, the tool moves there first. */
static int read_path(plan_run *run)
{
    const apart_vec3 tool = tool_at_start(run);
    run->path = malloc(sizeof *run->path);
    if (run->path == NULL) {
        return cli_error("out of memory");
    }
    run->path[0] = tool;
    run->task.path_count = 1;
    if (read_path_file(run, run->settings->path) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_vec3 first = run->path[1];
    const double away = sqrt((first.x - tool.x) * (first.x - tool.x) + (first.y - tool.y) * (first.y - tool.y) +
                             (first.z - tool.z) * (first.z - tool.z));
    if (away > run->task.most_error) {
        char at[CLI_POINT_SIZE];
        cli_note("the path starts %.4g away from the tool, which is at %s: the way there is added", away,
                 cli_brief_point(tool, at));
    }
    run->task.path = run->path;
    return CLI_YES;
}

static int choose_tool(plan_run *run)
{
    const cli_settings *s = run->settings;
    const apart_robot *r = run->cell.robot;
    if (s->tool != NULL) {
        run->task.link = apart_robot_find_link(r, s->tool);
        run->task.point = (apart_vec3){0, 0, 0};
        if (run->task.link == APART_ROBOT_NONE) {
            return cli_error("--tool: %s has no link '%s'", apart_robot_file(r), s->tool);
        }
    }
    return s->point != NULL ? read_vec3("--point", s->point, &run->task.point) : CLI_YES;
}

static int make_task(plan_run *run)
{
    const cli_settings *s = run->settings;
    const bool own = s->operand_count == 0;
    if (apart_robot_find_variable(run->cell.robot, CLI_CLOCK) != APART_ROBOT_NONE) {
        return cli_error("plan: %s: obstacles must stand still, and some move", s->scene);
    }
    run->task = (robot_task){.link = own ? run->arm.link : apart_robot_link_count(run->cell.robot) - 1,
                             .point = own ? run->arm.point : (apart_vec3){0, 0, 0},
                             .path = run->arm.path,
                             .path_count = 3,
                             .speed = choose(s, CLI_SPEED, s->speed, DEFAULT_SPEED),
                             .reach = choose(s, CLI_REACH, s->reach, DEFAULT_REACH),
                             .gain = choose(s, CLI_GAIN, s->gain, DEFAULT_GAIN),
                             .step = choose(s, CLI_STEP, s->step, DEFAULT_STEP),
                             .most_error = choose(s, CLI_ERROR, s->error, DEFAULT_ERROR),
                             .now = seconds_now};
    if (choose_tool(run) != CLI_YES) {
        return CLI_BAD;
    }
    if (own && s->joints == NULL) {
        run->task.start = run->arm.start;
    } else if (trajectory_begin(s, run->cell.robot, &run->start) != CLI_YES ||
               trajectory_parse("--joints", s->joints != NULL ? s->joints : "", run->cell.robot, &run->start) !=
                   CLI_YES) {
        return CLI_BAD;
    } else if (run->start.count != 1) {
        return cli_error("plan: --joints: expected one set of positions, the start");
    } else {
        run->task.start = run->start.q;
    }
    if (s->path == NULL && (!own || s->joints != NULL || s->tool != NULL || s->point != NULL)) {
        return cli_error(
            "plan: --follow: --path FILE is needed; only the built-in arm at its own start has a path of its own");
    }
    return s->path != NULL ? read_path(run) : CLI_YES;
}

/* ---- plans ---- */

/* Certifies the clearance of the motion from every step to the next. */
static int certify(plan_run *run, plan_motion *motion)
{
    const robot_plan *plan = &motion->plan;
    const apart_robot_motion_options options = {.tolerance = TOLERANCE_SHARE * run->task.reach};
    motion->lower = motion->upper = INFINITY;
    for (size_t i = 0; i < plan->count; i++) {
        const size_t next = i + 1 < plan->count ? i + 1 : i; /* the last step stands still */
        apart_robot_gap gap;
        const apart_status status =
            apart_robot_motion(run->cell.work, plan->q + i * plan->width, plan->q + next * plan->width, &options, &gap);
        if (status != APART_OK) {
            return failed(run, status);
        }
        motion->lower = fmin(motion->lower, gap.lower);
        if (gap.upper < motion->upper) {
            motion->upper = gap.upper;
            motion->t = plan->t[i] + gap.s * (plan->t[next] - plan->t[i]);
            motion->pair = gap.pair;
        }
    }
    return CLI_YES;
}

static int make_motion(plan_run *run, double gain, plan_motion *out)
{
    robot_task task = run->task;
    task.gain = gain;
    const apart_status status = robot_plan_make(run->cell.work, &task, &out->plan);
    if (status == APART_ERR_OPTION) {
        return cli_error("plan: the path takes more than a million steps; give a larger --step or --speed");
    }
    return status == APART_OK ? certify(run, out) : failed(run, status);
}

/* The plan with the original algorithm (Johnson's subalgorithm, every vertex scanned, cold starts) and with the
 * enhanced one, in turns, so that a disturbance of the machine affects both. */
static int make_profile(plan_run *run)
{
    static const apart_options algorithms[PLAN_ALGORITHMS] = {{.solver = APART_SOLVER_JOHNSON,
                                                               .support = APART_SUPPORT_SCAN},
                                                              {.solver = 0}};
    apart_robot_work *work = run->cell.work;
    run->profiles[PLAN_ORIGINAL] =
        (plan_profile){.name = "original", .description = "johnson, scan, cold", .total = INFINITY};
    run->profiles[PLAN_ENHANCED] =
        (plan_profile){.name = "enhanced", .description = "default, tracked", .total = INFINITY};
    for (int i = 0; i < TIMED_RUNS * PLAN_ALGORITHMS; i++) {
        plan_profile *profile = &run->profiles[i % PLAN_ALGORITHMS];
        robot_plan plan;
        apart_robot_work_options(work, &algorithms[i % PLAN_ALGORITHMS], i % PLAN_ALGORITHMS == PLAN_ORIGINAL);
        const apart_status status = robot_plan_make(work, &run->task, &plan);
        if (status != APART_OK) {
            return failed(run, status);
        }
        if (plan.seconds < profile->total) {
            profile->total = plan.seconds;
            profile->distances = plan.distance_seconds;
            profile->queries = plan.queries;
            profile->steps = plan.count;
        }
        for (size_t k = 0; k < plan.count * plan.width && k < run->pushed.plan.count * plan.width; k++) {
            run->difference = fmax(run->difference, fabs(plan.q[k] - run->pushed.plan.q[k]));
        }
        robot_plan_free(&plan);
    }
    apart_robot_work_options(work, NULL, 0);
    return CLI_YES;
}

static void check_limits(plan_run *run)
{
    const apart_robot *r = run->cell.robot;
    const robot_plan *plan = &run->pushed.plan;
    run->beyond = APART_ROBOT_NONE;
    for (size_t i = 0; i < plan->count && run->beyond == APART_ROBOT_NONE; i++) {
        for (size_t v = 0; v < plan->width && run->beyond == APART_ROBOT_NONE; v++) {
            const apart_robot_joint *joint = apart_robot_variable(r, v);
            const double q = plan->q[i * plan->width + v];
            if (q < joint->lower || q > joint->upper) {
                run->beyond = v;
                run->beyond_t = plan->t[i];
            }
        }
    }
}

bool plan_is_good(const plan_run *run)
{
    return run->pushed.plan.followed && run->pushed.lower > 0 && run->beyond == APART_ROBOT_NONE;
}

/* ---- the command ---- */

static int load(plan_run *run)
{
    const cli_settings *s = run->settings;
    if (s->operand_count > 0) {
        return cli_cell_load(s, s->operands[0], &run->cell);
    }
    const apart_status status = robot_arm_make(&run->arm);
    return status == APART_OK ? cli_cell_make(s, run->arm.robot, run->arm.obstacles, 2, &run->cell)
                              : cli_error("the built-in arm: %s", apart_status_message(status));
}

static int report(plan_run *run)
{
    const cli_settings *s = run->settings;
    if ((s->directory != NULL && plan_write_files(run, s->directory) != CLI_YES) ||
        (s->record != NULL && plan_write_recording(run, s->record) != CLI_YES)) {
        return CLI_BAD;
    }
    if (s->given[CLI_JSON]) {
        return plan_print_json(run);
    }
    if (s->given[CLI_CSV]) {
        plan_print_csv(run, stdout);
    } else if (!cli_is_stdout(s->record)) {
        plan_print_text(run);
    }
    return CLI_YES;
}

static int run_plan(plan_run *run)
{
    if (make_task(run) != CLI_YES || make_motion(run, run->task.gain, &run->pushed) != CLI_YES ||
        make_motion(run, 0, &run->plain) != CLI_YES ||
        (run->settings->given[CLI_PROFILE] && make_profile(run) != CLI_YES)) {
        return CLI_BAD;
    }
    check_limits(run);
    if (report(run) != CLI_YES) {
        return CLI_BAD;
    }
    return plan_is_good(run) ? CLI_YES : CLI_NO;
}

static int run(const cli_settings *settings)
{
    plan_run state = {.settings = settings};
    if (settings->to != NULL || settings->problems != NULL) {
        return plan_run_path(settings);
    }
    if (settings->operand_count > 0 && settings->path == NULL && !settings->given[CLI_FOLLOW]) {
        return cli_error("plan: --to GOAL is needed, --problems FILE, or --path FILE to follow");
    }
    if (settings->given[CLI_JSON] + settings->given[CLI_CSV] + cli_is_stdout(settings->record) > 1) {
        return cli_error("plan: --json, --csv and --record - exclude each other");
    }
    if (plan_check_files(settings->directory, settings->record) != CLI_YES || load(&state) != CLI_YES) {
        return CLI_BAD;
    }
    const int status = run_plan(&state);
    robot_plan_free(&state.pushed.plan);
    robot_plan_free(&state.plain.plan);
    trajectory_free(&state.start);
    free(state.path);
    cli_cell_free(&state.cell);
    return status;
}

static const cli_option_id options[] = {
    CLI_TO,     CLI_PROBLEMS, CLI_ONLY,           CLI_GROUP,      CLI_LIMIT,  CLI_SECONDS, CLI_SEED,     CLI_THREADS,
    CLI_KEEP,   CLI_JOINTS,   CLI_STATE,          CLI_FIX,        CLI_SCENE,  CLI_SRDF,    CLI_PACKAGES, CLI_AS,
    CLI_CELL,   CLI_BASE,     CLI_POINTS,         CLI_CLOUD_SIZE, CLI_VOXELS, CLI_LIMITS,  CLI_TOOL,     CLI_POINT,
    CLI_FOLLOW, CLI_PATH,     CLI_SPEED,          CLI_GAIN,       CLI_REACH,  CLI_STEP,    CLI_ERROR,    CLI_PROFILE,
    CLI_NOTES,  CLI_RECORD,   CLI_PLAN_DIRECTORY, CLI_CSV,        CLI_JSON,   CLI_HELP,
};

const cli_command cli_plan_command = {
    .name = "plan",
    .operands = "[ROBOT]",
    .max_operands = 1,
    .summary = "a motion to a goal whose every piece is proved, or a tool that follows a path",
    .description =
        "With --to: from --joints (or --state, --fix) to a goal, among the obstacles of --scene. Every edge is\n"
        "certified: all pairs keep --limit (0) all the way, not only at samples. The path is shortened by\n"
        "shortcuts that are certified, too; -o DIR writes it (path.csv, for 'apart clearance --traj') with its\n"
        "certificate (certificate.json, for 'apart verify-plan'). The same seed gives the same path on every\n"
        "machine and for any number of threads. Exit 1 where there is none: a goal or start that collides or\n"
        "is outside the limits, a pose out of reach, or no path in --time. --problems plans many.\n"
        "\n"
        "With --follow (or --path): the tool follows the path at the given speed. The joints move by the\n"
        "pseudo-inverse of the tool's Jacobian (damped near singular positions), plus K times the projection\n"
        "onto the motions that leave the tool where it is of the gradient of the sum, over all pairs of bodies\n"
        "nearer than d0, of (1/d - 1/d0)^2 / 2. Without ROBOT: the arm of the paper, four rotary joints and two\n"
        "pyramids. The report says how far the tool leaves its path, the certified clearance at every step and\n"
        "between the steps, and that of the same motion without the push (K = 0); --profile adds how the time\n"
        "divides, with the original distance algorithm and with the enhanced one. Exit 1 if the motion\n"
        "collides, leaves the joints' limits, or cannot follow the path.\n",
    .examples = "  apart plan arm.urdf --scene cell.json --to \"shoulder=1,elbow=0.5\" --limit 0.01 -o plan\n"
                "  apart plan panda.urdf --srdf panda.srdf --group panda_arm --to \"xyz=0.5,0,0.4 rpy=3.14159,0,0\"\n"
                "  apart plan panda.urdf --srdf panda.srdf --problems panda.json --only box\n"
                "  apart plan\n"
                "  apart plan --follow arm.urdf --scene cell.json --joints \"a=0.3,b=1\" --tool hand --path line.csv\n",
    .options = options,
    .run = run,
};
