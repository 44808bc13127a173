/* Motions on the command line: --to-a POSE, or --velocity-a "linear=X,Y,Z angular=X,Y,Z", and the point that moves
 * straight. */
#include <string.h>

#include "cli.h"

/* The words of one body's options, for messages. */
static const struct {
    const char *to, *velocity, *center;
} names[2] = {{"--to-a", "--velocity-a", "--center-a"}, {"--to-b", "--velocity-b", "--center-b"}};

static apart_vec3 vector_of(const double n[3]) { return (apart_vec3){n[0], n[1], n[2]}; }

/* As many numbers as the body has dimensions. */
static int read_vector(const char *what, const char *text, const char **end, int dim, apart_vec3 *out)
{
    double numbers[16] = {0};
    size_t count;
    if (cli_read_numbers(what, text, end, numbers, 16, &count) != CLI_YES) {
        return CLI_BAD;
    }
    if (count != (size_t)dim) {
        return cli_error("%s: expected %d numbers, got %zu", what, dim, count);
    }
    *out = vector_of(numbers);
    return CLI_YES;
}

/* In the plane one number: the rate about z. */
static int read_angular(const char *what, const char *text, const char **end, int dim, apart_vec3 *out)
{
    if (dim == 3) {
        return read_vector(what, text, end, 3, out);
    }
    double numbers[16] = {0};
    size_t count;
    if (cli_read_numbers(what, text, end, numbers, 16, &count) != CLI_YES) {
        return CLI_BAD;
    }
    if (count != 1) {
        return cli_error("%s: expected one number in the plane, the rate about z, got %zu", what, count);
    }
    *out = (apart_vec3){0, 0, numbers[0]};
    return CLI_YES;
}

typedef struct velocity {
    apart_vec3 linear, angular;
    bool has_linear, has_angular;
} velocity;

/* Reads "linear=..." or "angular=..." at *text and moves behind it. */
static int read_part(const char *option, const char **text, int dim, velocity *v)
{
    const bool linear = strncmp(*text, "linear=", 7) == 0, angular = strncmp(*text, "angular=", 8) == 0;
    char what[CLI_TEXT_SIZE];
    if (!linear && !angular) {
        return cli_error(
            "%s: expected linear=NUMBERS and angular=NUMBERS, e.g. \"linear=0,0,-5 angular=0,3,0\", found '%s'", option,
            *text);
    }
    if (linear ? v->has_linear : v->has_angular) {
        return cli_error("%s: more than one %s", option, linear ? "linear" : "angular");
    }
    snprintf(what, sizeof what, "%s: %s", option, linear ? "linear" : "angular");
    const int status = linear ? read_vector(what, *text + 7, text, dim, &v->linear)
                              : read_angular(what, *text + 8, text, dim, &v->angular);
    if (status != CLI_YES) {
        return CLI_BAD;
    }
    v->has_linear = v->has_linear || linear;
    v->has_angular = v->has_angular || angular;
    return strchr("; \t", **text) != NULL ? CLI_YES : cli_error("%s: '%s' is not expected after a number", what, *text);
}

static int read_velocity(const char *option, const char *text, int dim, velocity *v)
{
    *v = (velocity){.has_linear = false};
    for (;;) {
        text += strspn(text, "; \t");
        if (*text == '\0') {
            break;
        }
        if (read_part(option, &text, dim, v) != CLI_YES) {
            return CLI_BAD;
        }
    }
    if (!v->has_linear && !v->has_angular) {
        return cli_error("%s: the velocity is empty; expected e.g. \"linear=0,0,-5 angular=0,3,0\"", option);
    }
    return CLI_YES;
}

static int read_center(const char *option, const char *text, int dim, apart_vec3 *out)
{
    const char *end = text;
    *out = (apart_vec3){0, 0, 0};
    if (text == NULL) {
        return CLI_YES;
    }
    if (read_vector(option, text, &end, dim, out) != CLI_YES) {
        return CLI_BAD;
    }
    return *end == '\0' ? CLI_YES : cli_error("%s: '%s' is not expected after a number", option, end);
}

static int go_to(const char *option, const char *text, bool screw, const apart_pose *start, apart_vec3 center,
                 apart_motion *out)
{
    apart_pose end;
    if (cli_pose_read(option, text, &end) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_status status =
        screw ? apart_motion_screw(start, &end, out) : apart_motion_between(start, &end, center, out);
    char reason[CLI_TEXT_SIZE];
    return status == APART_OK ? CLI_YES : cli_error("%s: %s", option, cli_reason(status, reason));
}

int cli_motion_read(const cli_settings *settings, int which, const cli_body *body, apart_motion *out)
{
    const char *to = which == 0 ? settings->to_a : settings->to_b,
               *speed = which == 0 ? settings->velocity_a : settings->velocity_b;
    const char *center_text = which == 0 ? settings->center_a : settings->center_b;
    const bool screw = settings->given[CLI_SCREW];
    apart_vec3 center;
    velocity v;
    if (to != NULL && speed != NULL) {
        return cli_error("toi: only one of %s and %s can be given", names[which].to, names[which].velocity);
    }
    if (center_text != NULL && to == NULL && speed == NULL) {
        return cli_error("toi: %s needs %s or %s", names[which].center, names[which].to, names[which].velocity);
    }
    if (center_text != NULL && screw && to != NULL) {
        return cli_error("toi: %s has no meaning with --screw: no point moves straight", names[which].center);
    }
    if (read_center(names[which].center, center_text, body->shape.dim, &center) != CLI_YES) {
        return CLI_BAD;
    }
    if (to != NULL) {
        return go_to(names[which].to, to, screw, &body->pose, center, out);
    }
    *out = apart_motion_rest(&body->pose);
    if (speed == NULL) {
        return CLI_YES;
    }
    if (read_velocity(names[which].velocity, speed, body->shape.dim, &v) != CLI_YES) {
        return CLI_BAD;
    }
    *out = apart_motion_velocity(&body->pose, v.linear, v.angular, center);
    out->path = screw ? APART_PATH_SCREW : APART_PATH_STRAIGHT;
    char reason[CLI_TEXT_SIZE];
    const apart_status status = apart_motion_check(out);
    if (status == APART_ERR_OVERFLOW) {
        return cli_error("%s: angular: more than %.0f radians", names[which].velocity, APART_MAX_ANGLE);
    }
    return status == APART_OK ? CLI_YES : cli_error("%s: %s", names[which].velocity, cli_reason(status, reason));
}
