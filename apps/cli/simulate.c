/* apart simulate [SCENE]: rigid bodies of a scene under gravity, contact and friction (simulation/,
 * docs/simulation.md). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figure.h"
#include "recording.h"
#include "simulate.h"

/* Rows of the table that is printed as text, and pairs of a recorded frame, at most. Only the nearest pairs are
 * recorded, since those of a pile would fill tens of megabytes. */
enum { TEXT_ROWS = 20, RECORDED_PAIRS = 64, MOST_THREADS = 256 };

/* A note is printed if bodies overlap by more than this share of their size at the start. */
static const double DEEP_START = 0.02;

typedef struct simulate_run {
    const cli_settings *settings;
    scene s;
    sim *simulation;
    size_t steps;
    sim_measures *rows; /* of the start and all steps */
    recording film;
    apart_pose *poses;
    recording_pair *pairs;
    cli_progress progress;
} simulate_run;

static const char *title_of(const simulate_run *run)
{
    const char *title = json_string_value(json_object_get(run->s.root, "title"));
    return title != NULL ? title : run->s.text.name;
}

/* ---- making the simulation ---- */

static bool is_half_space(const scene_solid *solid) { return solid->parts[0].shape.kind == APART_SHAPE_HALF_SPACE; }

static bool is_zero(apart_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

static int add_body(simulate_run *run, const scene_place *bodies, size_t i)
{
    const scene_body *body = &run->s.bodies[i];
    const scene_dynamics *d = &body->dynamics;
    const scene_solid *solid = run->s.solids[body->solid];
    const scene_place place = scene_element(bodies, i), motion = scene_member(&place, "motion");
    if (motion.value != NULL) {
        return scene_error(
            &motion,
            "a motion is for 'apart scene'; in a simulation a body has a \"velocity\" and an \"angular_velocity\"");
    }
    if ((d->fixed || is_half_space(solid)) && !(is_zero(d->velocity) && is_zero(d->angular_velocity))) {
        return scene_error(&place, "a fixed body%s has no velocity",
                           is_half_space(solid) ? ", as half-spaces are," : "");
    }
    const sim_body_def def = {.parts = solid->parts,
                              .part_count = solid->count,
                              .pose = body->motion.start,
                              .velocity = d->velocity,
                              .angular_velocity = d->angular_velocity,
                              .density = d->density,
                              .mass = d->mass,
                              .fixed = d->fixed || is_half_space(solid),
                              .friction = d->friction,
                              .restitution = d->restitution,
                              .groups = body->groups,
                              .ignores = body->ignores};
    const char *wrong = sim_add(run->simulation, &def, NULL);
    return wrong == NULL ? CLI_YES : scene_error(&place, "%s", wrong);
}

static int make_simulation(simulate_run *run)
{
    const scene_forces *f = &run->s.forces;
    const sim_options options = {f->gravity, f->step, f->substeps, run->settings->threads};
    const scene_place root = {NULL, &run->s.text, 0, NULL, run->s.root, false}, bodies = scene_member(&root, "bodies");
    if (run->settings->threads > MOST_THREADS) {
        return cli_error("simulate: --threads N: at most %d", MOST_THREADS);
    }
    run->simulation = sim_create(&options);
    run->steps = run->settings->given[CLI_STEPS] ? run->settings->steps : (size_t)floor(f->duration / f->step + 0.5);
    run->rows = calloc(run->steps + 1, sizeof *run->rows);
    run->poses = calloc(run->s.body_count + 1, sizeof *run->poses);
    if (run->simulation == NULL || run->rows == NULL || run->poses == NULL) {
        return cli_error("out of memory");
    }
    for (size_t i = 0; i < run->s.body_count; i++) {
        if (add_body(run, &bodies, i) != CLI_YES) {
            return CLI_BAD;
        }
    }
    for (size_t i = 0; i < run->s.disabled_count; i++) {
        const char *wrong =
            sim_disable_pair(run->simulation, (uint32_t)run->s.disabled[i][0], (uint32_t)run->s.disabled[i][1]);
        if (wrong != NULL) {
            return cli_error("%s: %s", run->s.text.name, wrong);
        }
    }
    return CLI_YES;
}

/* ---- output ---- */

enum { NUMBERS = 15 };
static const char *const columns[NUMBERS] = {"time",    "energy",   "kinetic", "potential", "px",      "py",
                                             "pz",      "lx",       "ly",      "lz",        "deepest", "deepest_share",
                                             "fastest", "contacts", "points"};

static void numbers_of(const sim_measures *m, double out[NUMBERS])
{
    const double values[NUMBERS] = {m->time,
                                    m->kinetic + m->potential,
                                    m->kinetic,
                                    m->potential,
                                    m->momentum.x,
                                    m->momentum.y,
                                    m->momentum.z,
                                    m->angular_momentum.x,
                                    m->angular_momentum.y,
                                    m->angular_momentum.z,
                                    m->deepest,
                                    m->deepest_share,
                                    m->fastest,
                                    (double)m->contacts,
                                    (double)m->points};
    memcpy(out, values, sizeof values);
}

static void print_csv(const simulate_run *run)
{
    for (size_t k = 0; k < NUMBERS; k++) {
        printf("%s%s", k > 0 ? "," : "", columns[k]);
    }
    putchar('\n');
    for (size_t i = 0; i <= run->steps; i++) {
        double values[NUMBERS];
        char text[CLI_NUMBER_SIZE];
        numbers_of(&run->rows[i], values);
        for (size_t k = 0; k < NUMBERS; k++) {
            printf("%s%s", k > 0 ? "," : "", cli_number(values[k], text));
        }
        putchar('\n');
    }
}

static json_t *body_state(const simulate_run *run, size_t i)
{
    apart_pose pose;
    apart_vec3 v, w;
    sim_pose(run->simulation, (uint32_t)i, &pose);
    sim_velocity(run->simulation, (uint32_t)i, &v, &w);
    const apart_mat3 *r = &pose.rotation;
    const double rows[] = {r->x.x, r->y.x, r->z.x, r->x.y, r->y.y, r->z.y, r->x.z, r->y.z, r->z.z};
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_text(run->s.bodies[i].name), "mass",
                     cli_json_number(sim_body_mass(run->simulation, (uint32_t)i)), "xyz",
                     cli_json_vec(pose.translation, 3), "matrix", cli_json_numbers(rows, 9), "velocity",
                     cli_json_vec(v, 3), "angular_velocity", cli_json_vec(w, 3));
}

/* The course of all numbers, and the bodies at the end. */
static int print_json(const simulate_run *run)
{
    json_t *course = json_object(), *bodies = json_array();
    for (size_t k = 0; k < NUMBERS; k++) {
        json_t *list = json_array();
        for (size_t i = 0; i <= run->steps; i++) {
            double values[NUMBERS];
            numbers_of(&run->rows[i], values);
            json_array_append_new(list, cli_json_number(values[k]));
        }
        json_object_set_new(course, columns[k], list);
    }
    for (size_t i = 0; i < run->s.body_count; i++) {
        json_array_append_new(bodies, body_state(run, i));
    }
    return cli_json_print(json_pack("{s:o, s:o, s:o}", "title", cli_json_text(title_of(run)), "course", course,
                                    "bodies", bodies),
                          stdout, false);
}

/* The largest change of a vector or a number over the run, relative to its largest size. */
static double drift(const simulate_run *run, size_t first, size_t count)
{
    double start[NUMBERS], values[NUMBERS], most = 0.0, size = 0.0;
    numbers_of(&run->rows[0], start);
    for (size_t i = 0; i <= run->steps; i++) {
        double change2 = 0.0, size2 = 0.0;
        numbers_of(&run->rows[i], values);
        for (size_t k = first; k < first + count; k++) {
            change2 += (values[k] - start[k]) * (values[k] - start[k]);
            size2 += values[k] * values[k];
        }
        most = sqrt(change2) > most ? sqrt(change2) : most;
        size = sqrt(size2) > size ? sqrt(size2) : size;
    }
    return size > 0.0 ? most / size : 0.0;
}

static void print_text(const simulate_run *run)
{
    const scene_forces *f = &run->s.forces;
    const size_t stride = (run->steps + TEXT_ROWS - 1) / TEXT_ROWS;
    double deepest = 0.0, share = 0.0;
    bool free_flight = is_zero(f->gravity);
    cli_print_safely(stdout, title_of(run));
    printf("\n%zu bodies, %g s in %zu steps of %u sub-steps\n\n", run->s.body_count, (double)run->steps * f->step,
           run->steps, (unsigned)f->substeps);
    printf("%10s  %12s  %12s  %12s  %10s  %10s  %8s\n", "time", "energy", "momentum", "ang. mom.", "deepest", "fastest",
           "contacts");
    for (size_t i = 0; i <= run->steps; i++) {
        const sim_measures *m = &run->rows[i];
        if (i % (stride > 0 ? stride : 1) == 0 || i == run->steps) {
            printf("%10.5g  %12.6g  %12.6g  %12.6g  %10.3g  %10.3g  %8zu\n", m->time, m->kinetic + m->potential,
                   apart_vec3_norm(m->momentum), apart_vec3_norm(m->angular_momentum), m->deepest, m->fastest,
                   m->contacts);
        }
        deepest = m->deepest > deepest ? m->deepest : deepest;
        share = m->deepest_share > share ? m->deepest_share : share;
    }
    for (size_t i = 0; i < run->s.body_count; i++) {
        free_flight = free_flight && !sim_is_fixed(run->simulation, (uint32_t)i);
    }
    const sim_measures *end = &run->rows[run->steps];
    printf("\ndeepest penetration %.3g, %.2g %% of a body's size; %llu time%s of impact\n", deepest, 100.0 * share,
           (unsigned long long)end->events, end->events == 1 ? "" : "s");
    if (end->lost > 0.0) {
        printf("%.3g s stood still: more times of impact than a sub-step may have; shorter steps lose less\n",
               end->lost);
    }
    if (free_flight) {
        printf("kept: momentum to %.1e, angular momentum to %.1e, energy to %.1e\n", drift(run, 4, 3), drift(run, 7, 3),
               drift(run, 1, 1));
    }
}

static int open_recording(simulate_run *run)
{
    const recording_head head = {.kind = "simulation", .title = title_of(run), .length_unit = "m", .time_unit = "s"};
    if (run->settings->record == NULL) {
        return CLI_YES;
    }
    int status = recording_open(run->settings->record, &head, &run->film);
    for (size_t i = 0; i < run->s.body_count && status == CLI_YES; i++) {
        const scene_solid *solid = run->s.solids[run->s.bodies[i].solid];
        status = recording_add_body(&run->film, run->s.bodies[i].name,
                                    sim_is_fixed(run->simulation, (uint32_t)i) ? "fixed" : "moving", NULL, solid->parts,
                                    solid->count);
    }
    return status;
}

static int by_distance(const void *x, const void *y)
{
    const recording_pair *p = x, *q = y;
    if (p->distance != q->distance) {
        return p->distance < q->distance ? -1 : 1;
    }
    return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b != q->b ? (p->b < q->b ? -1 : 1) : 0;
}

static int record_frame(simulate_run *run, const sim_measures *m)
{
    static const char *const names[] = {"energy", "kinetic", "deepest"};
    const double values[] = {m->kinetic + m->potential, m->kinetic, m->deepest};
    if (run->settings->record == NULL) {
        return CLI_YES;
    }
    recording_pair *larger = realloc(run->pairs, (m->contacts + 1) * sizeof *larger);
    if (larger == NULL) {
        return cli_error("out of memory");
    }
    run->pairs = larger;
    for (size_t i = 0; i < run->s.body_count; i++) {
        sim_pose(run->simulation, (uint32_t)i, &run->poses[i]);
    }
    size_t count = 0;
    for (size_t i = 0; i < m->contacts; i++) {
        sim_touch t;
        sim_contact(run->simulation, i, &t);
        if (t.impulse > 0.0) {
            run->pairs[count++] = (recording_pair){t.a,       t.b,      t.part_a,  t.part_b,  t.distance,
                                                   -INFINITY, INFINITY, t.point_a, t.point_b, t.normal};
        }
    }
    qsort(run->pairs, count, sizeof *run->pairs, by_distance);
    count = count < RECORDED_PAIRS ? count : RECORDED_PAIRS;
    return recording_write(&run->film, &(recording_frame){.t = m->time,
                                                          .poses = run->poses,
                                                          .pairs = run->pairs,
                                                          .pair_count = count,
                                                          .value_names = names,
                                                          .values = values,
                                                          .value_count = 3});
}

/* ---- the command ---- */

static int run_steps(simulate_run *run)
{
    sim_measure(run->simulation, &run->rows[0]);
    if (record_frame(run, &run->rows[0]) != CLI_YES) {
        return CLI_BAD;
    }
    for (size_t i = 1; i <= run->steps; i++) {
        const char *wrong = sim_step(run->simulation);
        sim_measure(run->simulation, &run->rows[i]);
        if (wrong != NULL || !isfinite(run->rows[i].kinetic)) {
            return cli_error("%s: step %zu: %s", run->s.text.name, i,
                             wrong != NULL ? wrong : "velocities beyond the range of numbers");
        }
        if (i == 1 && run->rows[1].deepest_share > DEEP_START) {
            cli_note("%s: bodies overlap by %.3g at the start; they are pushed apart gently", run->s.text.name,
                     run->rows[1].deepest);
        }
        if (record_frame(run, &run->rows[i]) != CLI_YES) {
            return CLI_BAD;
        }
        cli_progress_show(&run->progress, "step", i, run->steps);
    }
    cli_progress_show(&run->progress, "step", run->steps + 1, run->steps);
    return CLI_YES;
}

static int finish(simulate_run *run)
{
    const cli_settings *o = run->settings;
    if (o->figure != NULL && simulate_draw(o->figure, title_of(run), run->rows, run->steps + 1) != CLI_YES) {
        return CLI_BAD;
    }
    if (cli_is_stdout(o->record)) {
        return CLI_YES;
    }
    if (o->given[CLI_JSON]) {
        return print_json(run);
    }
    if (o->given[CLI_CSV]) {
        print_csv(run);
    } else {
        print_text(run);
    }
    return CLI_YES;
}

/* A scene by name, or else a file; a name that is neither gets a hint. */
static int read_scene(const char *name, bool print, scene *out)
{
    size_t size = 0;
    char *text = simulate_scene(name, &size);
    if (text == NULL && access(name, F_OK) != 0 && strchr(name, '.') == NULL && strchr(name, '/') == NULL &&
        !cli_is_stdout(name)) {
        char suggestion[CLI_TEXT_SIZE];
        return cli_error("simulate: there is no scene '%s'%s; 'apart help simulate' lists them, or give a scene file",
                         name, cli_suggestion(name, simulate_scene_names, suggestion));
    }
    if (print && text == NULL) {
        return cli_error("simulate: --print is for scenes that are built in");
    }
    if (print) {
        fputs(text, stdout);
        free(text);
        return CLI_NO;
    }
    return text != NULL ? scene_read_memory(name, text, size, SCENE_PARTS, out) : scene_read(name, SCENE_PARTS, out);
}

static int run(const cli_settings *settings)
{
    simulate_run state = {.settings = settings};
    if (settings->given[CLI_JSON] + settings->given[CLI_CSV] + cli_is_stdout(settings->record) > 1) {
        return cli_error("simulate: --json, --csv and --record - exclude each other");
    }
    if (settings->figure != NULL && figure_check(settings->figure) != CLI_YES) {
        return CLI_BAD;
    }
    int status = read_scene(settings->operand_count > 0 ? settings->operands[0] : simulate_scene_names[0],
                            settings->given[CLI_PRINT], &state.s);
    if (status != CLI_YES) {
        return status == CLI_NO ? CLI_YES : status;
    }
    state.progress = cli_progress_begin(state.s.text.name);
    state.progress.shown = isatty(2) != 0; /* the report comes at the end, and does not mix with it */
    status = make_simulation(&state);
    if (status == CLI_YES) {
        status = open_recording(&state);
    }
    if (status == CLI_YES) {
        status = run_steps(&state);
    }
    if (status == CLI_YES) {
        status = finish(&state);
    }
    status = recording_close(&state.film, status);
    sim_free(state.simulation);
    free(state.rows);
    free(state.poses);
    free(state.pairs);
    scene_free(&state.s);
    return status;
}

static const cli_option_id options[] = {CLI_STEPS, CLI_THREADS, CLI_RECORD, CLI_FIGURE,
                                        CLI_PRINT, CLI_CSV,     CLI_JSON,   CLI_HELP};

const cli_command cli_simulate_command = {
    .name = "simulate",
    .operands = "[SCENE]",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "rigid bodies under gravity, contact and friction",
    .description =
        "SCENE is a scene file (docs/scene.md) with masses and velocities (docs/simulation.md), - for standard input, or a name:\n\n"
        "  cuboids   two cuboids collide in free flight (the default)\n"
        "  table     a cuboid falls on a table\n"
        "  stack     ten boxes, for 20 s\n"
        "  dominoes  24 of them, in a row\n"
        "  pile      200 hulls fall and tumble\n"
        "  bullet    1000 m/s, against plates of 1 mm\n\n"
        "A scene may have gravity, duration, step, substeps, density, friction and restitution; a body fixed, mass or density, velocity,\n"
        "angular_velocity, friction and restitution. Without them: gravity [0, 0, -9.81], 5 s in steps of 1/60 s, density 1000,\n"
        "friction 0.5, restitution 0, at rest. Half-spaces are fixed.\n\n"
        "Prints energy, momentum, angular momentum, deepest penetration and contacts over time; --csv and --json have every step,\n"
        "--json the bodies' last poses and velocities too. The numbers are the same for any number of threads.\n",
    .examples = "  apart simulate\n"
                "  apart simulate dominoes --record dominoes.json --figure dominoes.svg\n"
                "  apart simulate stack --print > mine.json; apart simulate mine.json --csv\n",
    .options = options,
    .run = run,
};
