/* apart scene FILE: the nearest pairs of a scene of many bodies, step by step, or all pairs below a distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"
#include "scene.h"

enum { DEFAULT_MAX_PAIRS = 100000, MOST_THREADS = 256 };
/* The search for the nearest pairs ends after this many queries: only crowds of overlapping bodies need more. */
static const uint64_t MOST_LOOKS = 2000000;

typedef struct scene_run {
    const cli_settings *settings;
    scene s;
    apart_world *world;
    apart_body_id *ids; /* of the bodies */
    uint32_t *body_of_slot;
    apart_body_id *moving; /* the bodies with motions, and their poses */
    apart_pose *poses;
    apart_world_list list;
    size_t room;        /* of list.pairs */
    size_t below_limit; /* pairs or steps found below --limit */
    double least;       /* the smallest distance of all steps */
    int name_width;
    int dim;
    recording film;        /* of --record */
    apart_pose *now;       /* of all bodies, for it */
    recording_pair *shown; /* room for as many as `room` */
    cli_progress progress;
} scene_run;

/* ---- making the world ---- */

static int add_bodies(scene_run *run)
{
    for (size_t i = 0; i < run->s.body_count; i++) {
        const scene_body *body = &run->s.bodies[i];
        const scene_solid *solid = run->s.solids[body->solid];
        const apart_body_def def = {.solid = scene_solid_of(solid),
                                    .pose = body->motion.start,
                                    .groups = body->groups,
                                    .ignores = body->ignores};
        const apart_status status = apart_world_add(run->world, &def, &run->ids[i]);
        if (status != APART_OK) {
            char reason[CLI_TEXT_SIZE];
            const scene_place root = {NULL, &run->s.text, 0, NULL, run->s.root, false},
                              bodies = scene_member(&root, "bodies"), place = scene_element(&bodies, i);
            return scene_error(&place, "%s", cli_reason(status, reason));
        }
        run->body_of_slot[run->ids[i].slot] = (uint32_t)i;
        run->dim = scene_solid_dim(solid);
    }
    for (size_t i = 0; i < run->s.disabled_count; i++) {
        if (apart_world_disable_pair(run->world, run->ids[run->s.disabled[i][0]], run->ids[run->s.disabled[i][1]], 1) !=
            APART_OK) {
            return cli_error("out of memory");
        }
    }
    return CLI_YES;
}

/* Are the parts of a solid worth a number? */
static bool has_parts(const scene_solid *solid) { return solid->compound != NULL || solid->count != 1; }

/* The width of the column of names, up to a limit. */
static int measure_names(const scene *s)
{
    size_t width = 1;
    for (size_t i = 0; i < s->body_count; i++) {
        const scene_solid *solid = s->solids[s->bodies[i].solid];
        const size_t parts = solid->count > 0 ? solid->count : solid->loaded.mesh->triangle_count;
        const size_t digits = (size_t)snprintf(NULL, 0, "%zu", parts - 1);
        const size_t length = strlen(s->bodies[i].name) + (has_parts(solid) ? 1 + digits : 0);
        width = length > width ? length : width;
    }
    return width < 40 ? (int)width : 40;
}

static int make_world(scene_run *run)
{
    const apart_world_options options = {.threads = run->settings->threads};
    const size_t count = run->s.body_count + 1;
    if (run->settings->threads > MOST_THREADS) {
        return cli_error("scene: --threads N: at most %d", MOST_THREADS);
    }
    run->ids = calloc(count, sizeof *run->ids);
    run->body_of_slot = calloc(count, sizeof *run->body_of_slot);
    run->moving = calloc(count, sizeof *run->moving);
    run->poses = calloc(count, sizeof *run->poses);
    if (run->ids == NULL || run->body_of_slot == NULL || run->moving == NULL || run->poses == NULL ||
        apart_world_create(&options, &run->world) != APART_OK) {
        return cli_error("out of memory");
    }
    run->name_width = measure_names(&run->s);
    return add_bodies(run);
}

static int move_bodies(scene_run *run, size_t step)
{
    size_t count = 0;
    apart_status status = APART_OK;
    for (size_t i = 0; i < run->s.body_count && status == APART_OK; i++) {
        if (run->s.bodies[i].moves) {
            run->moving[count] = run->ids[i];
            status = apart_motion_pose(&run->s.bodies[i].motion, (double)step, &run->poses[count++]);
            if (status != APART_OK) {
                char reason[CLI_TEXT_SIZE];
                return cli_error("%s: body \"%s\", step %zu: %s", run->s.text.name, run->s.bodies[i].name, step,
                                 cli_reason(status, reason));
            }
        }
    }
    status = apart_world_move_many(run->world, run->moving, run->poses, count);
    char reason[CLI_TEXT_SIZE];
    return status == APART_OK ? CLI_YES
                              : cli_error("%s: step %zu: %s", run->s.text.name, step, cli_reason(status, reason));
}

/* ---- queries ---- */

static int by_distance(const void *x, const void *y)
{
    const apart_world_pair *a = x, *b = y;
    if (a->distance != b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    if (a->a.slot != b->a.slot) {
        return a->a.slot < b->a.slot ? -1 : 1;
    }
    return a->b.slot < b->b.slot ? -1 : 1;
}

static bool make_room(scene_run *run, size_t pairs)
{
    if (pairs > run->room) {
        apart_world_pair *larger = realloc(run->list.pairs, pairs * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        run->list.pairs = larger;
        run->room = pairs;
    }
    run->list.capacity = run->room < pairs ? run->room : pairs;
    return true;
}

/* All pairs below --below: queried with a small list first, and again with one that is large enough, up to
 * --max-pairs. */
static apart_status ask_below(scene_run *run, size_t most)
{
    const size_t first = run->room > 0 ? run->room : (most < 1024 ? most : 1024);
    if (!make_room(run, first)) {
        return APART_ERR_MEMORY;
    }
    apart_status status = apart_world_below(run->world, run->settings->below, &run->list);
    const bool cut = status == APART_OK && (run->list.total > run->list.count || !run->list.complete);
    if (cut && run->list.capacity < most) {
        const size_t wanted = run->list.complete && run->list.total < most ? run->list.total : most;
        status =
            make_room(run, wanted) ? apart_world_below(run->world, run->settings->below, &run->list) : APART_ERR_MEMORY;
    }
    if (status == APART_OK) {
        qsort(run->list.pairs, run->list.count, sizeof *run->list.pairs, by_distance);
    }
    return status;
}

static apart_status ask(scene_run *run)
{
    const cli_settings *o = run->settings;
    const size_t most = o->given[CLI_MAX_PAIRS] ? o->max_pairs : DEFAULT_MAX_PAIRS;
    run->list.depth = o->depth;
    if (o->given[CLI_BELOW]) {
        return ask_below(run, most);
    }
    const size_t wanted = o->given[CLI_NEAREST] ? o->nearest : 1;
    return make_room(run, wanted < most ? wanted : most) ? apart_world_nearest(run->world, MOST_LOOKS, &run->list)
                                                         : APART_ERR_MEMORY;
}

/* Does the list decide which pair is the nearest, as far as --limit needs it? A list that is cut at --max-pairs or ends
 * before the limit does not; nor does one without depths, which does not distinguish overlap from contact. */
static bool has_nearest(const scene_run *run)
{
    const cli_settings *o = run->settings;
    if (o->depth == APART_DEPTH_NONE) {
        return false;
    }
    const bool cut = run->list.total > run->list.count || !run->list.complete;
    return !o->given[CLI_BELOW] || (!cut && (run->list.count > 0 || o->below >= o->limit));
}

/* Is a pair below --limit? Where the list does not decide, the nearest pair is queried. */
static apart_status check_limit(scene_run *run)
{
    const cli_settings *o = run->settings;
    if (!o->given[CLI_LIMIT]) {
        return APART_OK;
    }
    apart_world_pair nearest;
    apart_world_list list = {.pairs = &nearest,
                             .capacity = 1,
                             .depth = o->depth == APART_DEPTH_NONE ? APART_DEPTH_BOUNDS : o->depth};
    const apart_world_pair *first = run->list.count > 0 ? &run->list.pairs[0] : NULL;
    if (!has_nearest(run)) {
        const apart_status status = apart_world_nearest(run->world, MOST_LOOKS, &list);
        if (status != APART_OK) {
            return status;
        }
        first = list.count > 0 ? &nearest : NULL;
    }
    if (first != NULL) {
        const double shown = o->depth == APART_DEPTH_NONE && first->relation == APART_OVERLAPPING ? 0 : first->distance;
        run->least = shown < run->least ? shown : run->least;
        run->below_limit += cli_is_below(first->distance, first->relation, o->limit);
    }
    return APART_OK;
}

/* ---- printing ---- */

/* "table:2": part 2 of the compound "table", "bunny:17": a triangle of a mesh. */
static const char *body_name(const scene_run *run, apart_body_id id, uint32_t part, char *text, size_t size)
{
    const scene_body *body = &run->s.bodies[run->body_of_slot[id.slot]];
    if (has_parts(run->s.solids[body->solid])) {
        snprintf(text, size, "%.200s:%u", body->name, (unsigned)part);
    } else {
        snprintf(text, size, "%.200s", body->name);
    }
    return text;
}

static void print_text(const scene_run *run, size_t step)
{
    char a[CLI_TEXT_SIZE], b[CLI_TEXT_SIZE], number[CLI_NUMBER_SIZE];
    if (run->list.count == 0) {
        printf("%6zu  %s\n", step, run->settings->given[CLI_BELOW] ? "none" : "no pair");
    }
    for (size_t i = 0; i < run->list.count; i++) {
        const apart_world_pair *p = &run->list.pairs[i];
        printf("%6zu  %-24s  %-*s  %-*s  %s\n", step, cli_number(p->distance, number), run->name_width,
               body_name(run, p->a, p->part_a, a, sizeof a), run->name_width,
               body_name(run, p->b, p->part_b, b, sizeof b), apart_relation_name((int)p->relation));
    }
}

static void print_csv(const scene_run *run, size_t step)
{
    for (size_t i = 0; i < run->list.count; i++) {
        const apart_world_pair *p = &run->list.pairs[i];
        const double numbers[] = {p->distance,  p->lower,     p->upper,     p->point_a.x, p->point_a.y, p->point_a.z,
                                  p->point_b.x, p->point_b.y, p->point_b.z, p->normal.x,  p->normal.y,  p->normal.z};
        printf("%zu,", step);
        cli_print_field(stdout, run->s.bodies[run->body_of_slot[p->a.slot]].name);
        printf(",%u,", (unsigned)p->part_a);
        cli_print_field(stdout, run->s.bodies[run->body_of_slot[p->b.slot]].name);
        printf(",%u,%s", (unsigned)p->part_b, apart_relation_name((int)p->relation));
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            char text[CLI_NUMBER_SIZE];
            printf(",%s", cli_number(numbers[k], text));
        }
        putchar('\n');
    }
}

static int print_json(const scene_run *run, size_t step)
{
    for (size_t i = 0; i < run->list.count; i++) {
        const apart_world_pair *p = &run->list.pairs[i];
        json_t *line =
            json_pack("{s:I, s:s, s:i, s:s, s:i, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "step", (json_int_t)step, "a",
                      run->s.bodies[run->body_of_slot[p->a.slot]].name, "part_a", (int)p->part_a, "b",
                      run->s.bodies[run->body_of_slot[p->b.slot]].name, "part_b", (int)p->part_b, "distance",
                      cli_json_number(p->distance), "lower", cli_json_number(p->lower), "upper",
                      cli_json_number(p->upper), "relation", apart_relation_name((int)p->relation), "point_a",
                      cli_json_vec(p->point_a, run->dim), "point_b", cli_json_vec(p->point_b, run->dim), "normal",
                      cli_json_vec(p->normal, run->dim));
        if (cli_json_print(line, stdout, true) != CLI_YES) {
            return CLI_BAD;
        }
    }
    return CLI_YES;
}

static void print_heading(const scene_run *run)
{
    if (cli_is_stdout(run->settings->record)) {
        return;
    }
    if (run->settings->given[CLI_CSV]) {
        puts("step,a,part_a,b,part_b,relation,distance,lower,upper,ax,ay,az,bx,by,bz,nx,ny,nz");
    } else if (!run->settings->given[CLI_JSON]) {
        printf("%6s  %-24s  %-*s  %-*s  %s\n", "step", "distance", run->name_width, "A", run->name_width, "B",
               "relation");
    }
}

/* Reports on standard error what the output leaves out. */
static void print_limits(const scene_run *run, size_t step)
{
    const apart_world_list *list = &run->list;
    if (run->settings->given[CLI_BELOW] && (list->total > list->count || !list->complete)) {
        cli_error("%s: step %zu: %s pairs below %g; %zu are shown (--max-pairs)", run->s.text.name, step,
                  list->complete ? "there are more" : "there may be more", run->settings->below, list->count);
    } else if (!run->settings->given[CLI_BELOW] && !list->complete) {
        cli_error("%s: step %zu: too many overlapping bodies; these are the nearest of the first %llu pairs queried",
                  run->s.text.name, step, (unsigned long long)MOST_LOOKS);
    }
}

static void print_stats(const scene_run *run)
{
    apart_world_stats stats;
    if (!run->settings->given[CLI_STATS] || apart_world_get_stats(run->world, &stats) != APART_OK) {
        return;
    }
    fprintf(stderr, "bodies %llu, pairs kept %llu, tree height %llu, memory %llu bytes\n",
            (unsigned long long)stats.bodies, (unsigned long long)stats.pairs, (unsigned long long)stats.height,
            (unsigned long long)stats.memory);
    fprintf(stderr,
            "pairs queried %llu (parts %llu), saved by motion bounds %llu, reused %llu, boxes recomputed %llu\n",
            (unsigned long long)stats.queries, (unsigned long long)stats.part_queries, (unsigned long long)stats.saved,
            (unsigned long long)stats.reused, (unsigned long long)stats.refits);
}

/* ---- recording ---- */

static int open_recording(scene_run *run)
{
    const cli_settings *o = run->settings;
    const char *title = json_string_value(json_object_get(run->s.root, "title"));
    const recording_head head = {.kind = "scene",
                                 .title = title != NULL ? title : run->s.text.name,
                                 .limit = o->given[CLI_LIMIT] ? &o->limit : NULL};
    if (o->record == NULL) {
        return CLI_YES;
    }
    run->now = calloc(run->s.body_count + 1, sizeof *run->now);
    if (run->now == NULL || recording_open(o->record, &head, &run->film) != CLI_YES) {
        return run->now == NULL ? cli_error("out of memory") : CLI_BAD;
    }
    int status = CLI_YES;
    for (size_t i = 0; i < run->s.body_count && status == CLI_YES; i++) {
        const scene_body *body = &run->s.bodies[i];
        const scene_solid *solid = run->s.solids[body->solid];
        const char *role = body->moves ? "moving" : "fixed";
        status = solid->count > 0 ? recording_add_body(&run->film, body->name, role, NULL, solid->parts, solid->count)
                                  : recording_add_mesh(&run->film, body->name, role, solid->loaded.mesh);
    }
    return status;
}

static int record_step(scene_run *run, size_t step)
{
    const size_t count = run->list.count;
    if (run->settings->record == NULL) {
        return CLI_YES;
    }
    recording_pair *larger = realloc(run->shown, (count + 1) * sizeof *larger);
    if (larger == NULL) {
        return cli_error("out of memory");
    }
    run->shown = larger;
    for (size_t i = 0; i < run->s.body_count; i++) {
        apart_body_def def;
        const apart_status status = apart_world_get(run->world, run->ids[i], &def);
        if (status != APART_OK) {
            char reason[CLI_TEXT_SIZE];
            return cli_error("%s: step %zu: %s", run->s.text.name, step, cli_reason(status, reason));
        }
        run->now[i] = def.pose;
    }
    for (size_t i = 0; i < count; i++) {
        const apart_world_pair *p = &run->list.pairs[i];
        run->shown[i] = (recording_pair){run->body_of_slot[p->a.slot],
                                         run->body_of_slot[p->b.slot],
                                         p->part_a,
                                         p->part_b,
                                         p->distance,
                                         p->lower,
                                         p->upper,
                                         p->point_a,
                                         p->point_b,
                                         p->normal};
    }
    return recording_write(&run->film, &(recording_frame){.t = (double)step,
                                                          .poses = run->now,
                                                          .pairs = run->shown,
                                                          .pair_count = count});
}

/* ---- the command ---- */

static int run_step(scene_run *run, size_t step)
{
    char reason[CLI_TEXT_SIZE];
    if (step > 0 && move_bodies(run, step) != CLI_YES) {
        return CLI_BAD;
    }
    apart_status status = ask(run);
    if (status == APART_OK) {
        status = check_limit(run);
    }
    if (status != APART_OK) {
        return cli_error("%s: step %zu: %s", run->s.text.name, step, cli_reason(status, reason));
    }
    print_limits(run, step);
    if (record_step(run, step) != CLI_YES) {
        return CLI_BAD;
    }
    if (cli_is_stdout(run->settings->record)) {
        return CLI_YES;
    }
    if (run->settings->given[CLI_JSON]) {
        return print_json(run, step);
    }
    if (run->settings->given[CLI_CSV]) {
        print_csv(run, step);
    } else {
        print_text(run, step);
    }
    return CLI_YES;
}

static int run_steps(scene_run *run)
{
    const size_t steps = run->settings->given[CLI_STEPS] ? run->settings->steps : run->s.steps;
    int status = CLI_YES;
    print_heading(run);
    for (size_t step = 0; step <= steps && status == CLI_YES; step++) {
        status = run_step(run, step);
        cli_progress_show(&run->progress, "step", step, steps);
    }
    cli_progress_show(&run->progress, "step", steps + 1, steps);
    if (status != CLI_YES) {
        return status;
    }
    print_stats(run);
    if (run->below_limit > 0 && !run->settings->given[CLI_JSON] && !run->settings->given[CLI_CSV] &&
        !cli_is_stdout(run->settings->record)) {
        char least[CLI_NUMBER_SIZE], limit[CLI_NUMBER_SIZE];
        printf("below the limit %s in %zu of %zu steps; the least is %s\n", cli_number(run->settings->limit, limit),
               run->below_limit, steps + 1, cli_number(run->least, least));
    }
    return run->below_limit > 0 ? CLI_NO : CLI_YES;
}

static int run(const cli_settings *settings)
{
    scene_run state = {.settings = settings, .least = INFINITY, .progress = cli_progress_begin(settings->operands[0])};
    if (settings->given[CLI_JSON] + settings->given[CLI_CSV] + cli_is_stdout(settings->record) > 1) {
        return cli_error("scene: --json, --csv and --record - exclude each other");
    }
    if (settings->given[CLI_BELOW] && settings->given[CLI_NEAREST]) {
        return cli_error("scene: --below and --nearest exclude each other");
    }
    if (cli_check_limit_depth("scene", settings) != CLI_YES) {
        return CLI_BAD;
    }
    if (scene_read(settings->operands[0], SCENE_SOLIDS, &state.s) != CLI_YES) {
        return CLI_BAD;
    }
    int status = make_world(&state);
    if (status == CLI_YES) {
        status = open_recording(&state);
    }
    if (status == CLI_YES) {
        status = run_steps(&state);
    }
    status = recording_close(&state.film, status);
    free(state.now);
    free(state.shown);
    apart_world_free(state.world);
    free(state.ids);
    free(state.body_of_slot);
    free(state.moving);
    free(state.poses);
    free(state.list.pairs);
    scene_free(&state.s);
    return status;
}

static const cli_option_id options[] = {
    CLI_BELOW,   CLI_NEAREST, CLI_LIMIT,  CLI_STEPS, CLI_DEPTH, CLI_MAX_PAIRS,
    CLI_THREADS, CLI_STATS,   CLI_RECORD, CLI_CSV,   CLI_JSON,  CLI_HELP,
};

const cli_command cli_scene_command = {
    .name = "scene",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "the nearest pairs of many bodies, step by step",
    .description = "FILE is a JSON scene: shapes, bodies with poses and motions, compounds, disabled pairs, a\n"
                   "number of steps; docs/scene.md has the schema, - is standard input. Prints one line for\n"
                   "each pair, nearest first: step, distance, the two bodies (NAME:PART for a compound),\n"
                   "relation; with --json one object on each line. Exit 1 if any pair is below --limit.\n",
    .examples = "  apart scene cell.json\n"
                "  apart scene cell.json --below 0.05 --csv > near.csv\n"
                "  apart scene cell.json --limit 0.02 --steps 100 --threads 4\n",
    .options = options,
    .run = run,
};
