/* --nearest N and --below D: several pairs at every waypoint, without the ways between them. */
#include <stdlib.h>

#include "clearance.h"

static void print_text(const clearance *c, size_t waypoint, const apart_robot_near *near)
{
    char moment[CLI_NUMBER_SIZE], distance[CLI_NUMBER_SIZE];
    printf("%8s  %-12s  %s  %s\n", cli_number(c->way.t[waypoint], moment),
           cli_brief(near->at.result.distance, 0, distance), cli_pair_name(&c->cell, near->pair, 0),
           cli_pair_name(&c->cell, near->pair, 1));
}

static void print_csv(const clearance *c, size_t waypoint, const apart_robot_near *near, const double *gradient,
                      int unique)
{
    const double numbers[] = {near->at.result.distance, near->at.result.lower, near->at.result.upper};
    char number[CLI_NUMBER_SIZE];
    printf("%zu,%s,", waypoint, cli_number(c->way.t[waypoint], number));
    cli_print_field(stdout, cli_pair_name(&c->cell, near->pair, 0));
    putchar(',');
    cli_print_field(stdout, cli_pair_name(&c->cell, near->pair, 1));
    for (int i = 0; i < 3; i++) {
        printf(",%s", cli_number(numbers[i], number));
    }
    printf(",%d", unique);
    for (size_t v = 0; v < c->way.width; v++) {
        printf(",%s", cli_number(gradient[v], number));
    }
    putchar('\n');
}

static int print_json(const clearance *c, size_t waypoint, const apart_robot_near *near, const double *gradient,
                      int unique)
{
    json_t *line = clearance_pair_json(c, near);
    json_object_set_new(line, "waypoint", json_integer((json_int_t)waypoint));
    json_object_set_new(line, "t", cli_json_number(c->way.t[waypoint]));
    json_object_set_new(line, "gradient", clearance_gradient_json(c, gradient));
    json_object_set_new(line, "unique", json_boolean(unique));
    return cli_json_print(line, stdout, true);
}

static void print_heading(const clearance *c)
{
    if (c->settings->given[CLI_JSON]) {
        return;
    }
    if (!c->settings->given[CLI_CSV]) {
        printf("%8s  %-12s  pair\n", c->way.timed ? "time" : "waypoint", "distance");
        return;
    }
    printf("waypoint,t,a,b,distance,lower,upper,unique");
    for (size_t v = 0; v < c->way.width; v++) {
        putchar(',');
        cli_print_field(stdout, apart_robot_variable(c->cell.robot, v)->name);
    }
    putchar('\n');
}

/* The pairs of one waypoint. */
static apart_status print_waypoint(clearance *c, size_t i, apart_robot_near *list, double *gradient)
{
    const cli_settings *s = c->settings;
    const size_t pairs = apart_robot_pair_count(c->cell.cell), wanted = s->given[CLI_NEAREST] ? s->nearest : pairs;
    size_t count = 0;
    apart_status status = apart_robot_set(c->cell.work, trajectory_at(&c->way, i));
    if (status == APART_OK) {
        status = s->given[CLI_BELOW]
                     ? apart_robot_below(c->cell.work, s->below, list, pairs, &count)
                     : apart_robot_k_nearest(c->cell.work, wanted < pairs ? wanted : pairs, list, &count);
    }
    for (size_t k = 0; k < count && k < wanted && status == APART_OK; k++) {
        int unique = 0;
        status = apart_robot_gradient(c->cell.work, &list[k], gradient, &unique);
        if (s->given[CLI_JSON]) {
            (void)print_json(c, i, &list[k], gradient, unique);
        } else if (s->given[CLI_CSV]) {
            print_csv(c, i, &list[k], gradient, unique);
        } else {
            print_text(c, i, &list[k]);
        }
    }
    return status;
}

int clearance_print_pairs(clearance *c)
{
    apart_robot_near *list = calloc(apart_robot_pair_count(c->cell.cell) + 1, sizeof *list);
    double *gradient = calloc(c->way.width + 1, sizeof *gradient);
    apart_status status = list != NULL && gradient != NULL ? APART_OK : APART_ERR_MEMORY;
    print_heading(c);
    for (size_t i = 0; i < c->way.count && status == APART_OK; i++) {
        status = print_waypoint(c, i, list, gradient);
    }
    free(list);
    free(gradient);
    char reason[CLI_TEXT_SIZE];
    if (status != APART_OK) {
        return cli_error("%s: %s", apart_robot_file(c->cell.robot), cli_reason(status, reason));
    }
    return c->way.beyond == 0 || c->settings->given[CLI_ALLOW_LIMITS] ? CLI_YES : CLI_NO;
}
