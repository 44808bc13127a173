/* Counted multiplications and divisions. The library counts them only when it is built for it (APART_INSTRUMENT), which
 * slows it down; so a second program, apart-lab-count, is linked with such a build, runs beside this one, and answers
 * one request a line:
 *     KIND N_A N_B PAIRS STEPS WANDER DISTANCE SPREAD STEP TURN SEED ALGORITHM TRACKED
 * with the counters of the first queries and of the later ones. Both draw the same scene from the same numbers. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"

enum { STATS = sizeof(apart_stats) / sizeof(uint64_t) };

struct lab_counter {
    pid_t process;
    FILE *requests, *answers;
};

/* In the child: standard streams are the pipes. */
static void become(const char *program, const int to_child[2], const int from_child[2])
{
    dup2(to_child[0], 0);
    dup2(from_child[1], 1);
    close(to_child[0]);
    close(to_child[1]);
    close(from_child[0]);
    close(from_child[1]);
    execl(program, program, (char *)NULL);
    _exit(127);
}

lab_counter *lab_counter_start(const char *program, char *error, size_t size)
{
    int to_child[2], from_child[2];
    if (access(program, X_OK) != 0) {
        snprintf(error, size, "the counting program %s: %s", program, strerror(errno));
        return NULL;
    }
    if (pipe(to_child) != 0 || pipe(from_child) != 0) {
        snprintf(error, size, "no pipe to the counting program: %s", strerror(errno));
        return NULL;
    }
    lab_counter *c = lab_allocate(1, sizeof *c);
    fflush(NULL);
    c->process = fork();
    if (c->process == 0) {
        become(program, to_child, from_child);
    }
    close(to_child[0]);
    close(from_child[1]);
    c->requests = fdopen(to_child[1], "w");
    c->answers = fdopen(from_child[0], "r");
    if (c->process < 0 || c->requests == NULL || c->answers == NULL) {
        snprintf(error, size, "the counting program %s cannot be started: %s", program, strerror(errno));
        free(c);
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* its end is seen where it does not answer */
    return c;
}

void lab_counter_stop(lab_counter *c)
{
    if (c != NULL) {
        fclose(c->requests);
        fclose(c->answers);
        waitpid(c->process, NULL, 0);
        free(c);
    }
}

static bool read_stats(FILE *in, apart_stats *stats)
{
    uint64_t *field = (uint64_t *)stats;
    for (int i = 0; i < STATS; i++) {
        if (fscanf(in, "%" SCNu64, &field[i]) != 1) {
            return false;
        }
    }
    return true;
}

static void write_stats(FILE *out, const apart_stats *stats)
{
    const uint64_t *field = (const uint64_t *)stats;
    for (int i = 0; i < STATS; i++) {
        fprintf(out, "%" PRIu64 " ", field[i]);
    }
}

void lab_count(lab_section *s, const lab_world *world, lab_algorithm_id id, bool tracked, lab_tally *first,
               lab_tally *later)
{
    const lab_scene *c = &world->scene;
    if (lab_algorithms[id].printed) {
        lab_count_here(world, id, tracked, first, later);
        return;
    }
    *first = *later = (lab_tally){0};
    fprintf(s->counter->requests, "%u %u %u %u %u %u %a %a %a %a %" PRIu64 " %d %d\n", c->kind, c->n_a, c->n_b,
            c->pairs, c->steps, c->wander, c->distance, c->spread, c->step, c->turn, c->seed, (int)id, tracked);
    fflush(s->counter->requests);
    if (!read_stats(s->counter->answers, &first->stats) || !read_stats(s->counter->answers, &later->stats)) {
        fputs("apart: lab: the counting program gave no answer\n", stderr);
        exit(2);
    }
}

int lab_counter_serve(FILE *in, FILE *out)
{
    lab_scene scene = {0}, last = {0};
    lab_world world = {0};
    int id, tracked;
    while (fscanf(in, "%u %u %u %u %u %u %la %la %la %la %" SCNu64 " %d %d", &scene.kind, &scene.n_a, &scene.n_b,
                  &scene.pairs, &scene.steps, &scene.wander, &scene.distance, &scene.spread, &scene.step, &scene.turn,
                  &scene.seed, &id, &tracked) == 13) {
        if (id < 0 || id >= LAB_ALGORITHM_COUNT) {
            break;
        }
        if (memcmp(&scene, &last, sizeof scene) != 0) {
            lab_world_free(&world);
            lab_world_build(&world, &scene);
            last = scene;
        }
        lab_tally first, later;
        lab_count_here(&world, (lab_algorithm_id)id, tracked != 0, &first, &later);
        write_stats(out, &first.stats);
        write_stats(out, &later.stats);
        fputc('\n', out);
        fflush(out);
    }
    lab_world_free(&world);
    return feof(in) ? 0 : 2;
}
