/* Results as text for people: one labelled line per fact, aligned. */
#include <math.h>
#include <string.h>

#include "cli.h"

/* "on face 3, vertices 1 5 7"; "on its curved surface". */
static const char *describe_feature(const apart_feature *feature, char text[CLI_TEXT_SIZE])
{
    size_t used;
    if (feature->kind == APART_FEATURE_CURVED) {
        return "on its curved surface";
    }
    if (feature->kind == APART_FEATURE_INTERIOR) {
        return "inside it";
    }
    used = (size_t)snprintf(text, CLI_TEXT_SIZE, "on %s", apart_feature_name(feature->kind));
    if (feature->kind == APART_FEATURE_VERTEX) {
        const uint32_t vertex = feature->count > 0 ? feature->index[0] : feature->number;
        if (vertex != APART_NO_INDEX) {
            snprintf(text + used, CLI_TEXT_SIZE - used, " %u", (unsigned)vertex);
        }
        return text;
    }
    if (feature->number != APART_NO_INDEX) {
        used += (size_t)snprintf(text + used, CLI_TEXT_SIZE - used, " %u", (unsigned)feature->number);
    }
    for (int i = 0; i < feature->count && feature->index[i] != APART_NO_INDEX; i++) {
        used += (size_t)snprintf(text + used, CLI_TEXT_SIZE - used, "%s%u", i == 0 ? ", vertices " : " ",
                                 (unsigned)feature->index[i]);
    }
    return text;
}

static void print_relation(const apart_result *result)
{
    static const char *const meaning[] = {"there is a gap between them", "in contact, within the bounds",
                                          "they share space", "at least the cut-off apart"};
    printf("relation    %s: %s\n", apart_relation_name(result->relation), meaning[result->relation]);
}

/* " +- 0.004 (the search stopped: rounding)" where the bounds are farther apart than anyone would expect. */
static void print_width(const apart_result *result)
{
    const double half = 0.5 * (result->upper - result->lower);
    if (half > 5e-10 * fmax(fabs(result->lower), fabs(result->upper)) && isfinite(half) &&
        (result->stop == APART_STOP_ROUNDING || result->stop == APART_STOP_WORKSPACE)) {
        printf(" +- %.2g (the search stopped: %s)", half, apart_stop_name(result->stop));
    }
}

static void print_distance(const apart_result *result)
{
    char distance[CLI_NUMBER_SIZE], lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE];
    cli_number(result->distance, distance);
    cli_number(result->lower, lower);
    cli_number(result->upper, upper);
    if (isinf(result->lower)) {
        printf("distance    below zero, not computed\n");
    } else if (result->relation == APART_OVERLAPPING) {
        const bool told = -result->lower <= -result->distance * (1.0 + 1e-12); /* the bound looks the same in print */
        const char *by = told ? distance : lower;
        printf("distance    %s", distance);
        print_width(result);
        printf(" (they overlap: moving B by %s%s along the normal ends it)\n", told ? "" : "at most ",
               by[0] == '-' ? by + 1 : by);
        printf("bounds      %s to %s\n", lower, upper);
    } else {
        printf("distance    %s", distance);
        print_width(result);
        printf("\nbounds      %s to %s\n", lower, upper);
    }
}

static void print_solver(const apart_result *result)
{
    printf("solver      %s, %u iteration%s, stopped: %s%s\n", apart_solver_name(result->solver),
           (unsigned)result->iterations, result->iterations == 1 ? "" : "s", apart_stop_name(result->stop),
           result->fallback ? ", finished by the double-double fallback" : "");
}

void cli_print_body(const cli_body *body)
{
    char at[CLI_POINT_SIZE];
    const apart_mat3 *r = &body->pose.rotation;
    const bool turned = r->x.x != 1 || r->y.y != 1 || r->z.z != 1;
    printf("%-11s ", body->name);
    cli_print_safely(stdout, body->text);
    printf(", %s", apart_shape_name(&body->shape));
    if (body->hull != NULL) {
        printf(" of %u vertices", (unsigned)apart_hull_vertex_count(body->hull));
    }
    if (body->from_file && body->scale != 1) {
        char scale[CLI_TEXT_SIZE];
        printf(", %s", cli_scale_text(body->scale, scale));
    }
    if (body->deviation > 1e-6) {
        printf(" (the mesh is not convex: it lies up to %.3g of its size below)", body->deviation);
    }
    printf(", %sat %s\n", turned ? "turned, " : "", cli_point(body->pose.translation, body->shape.dim, at));
}

void cli_print_result(const cli_body bodies[2], const apart_result *result, int frame)
{
    static const char *const frames[] = {"", ", in the frame of A", ", in the frame of B"};
    apart_result shown = *result;
    apart_feature feature[2];
    char point[2][CLI_POINT_SIZE], normal[CLI_POINT_SIZE], text[CLI_TEXT_SIZE];
    if (frame != CLI_FRAME_WORLD) {
        apart_result_in_frame(result, &bodies[frame == CLI_FRAME_A ? 0 : 1].pose, &shown);
    }
    const bool known = apart_features(&bodies[0].shape, &bodies[0].pose, &bodies[1].shape, &bodies[1].pose, result,
                                      &feature[0], &feature[1]) == APART_OK;
    cli_point(shown.a, shown.dim, point[0]);
    cli_point(shown.b, shown.dim, point[1]);
    cli_point(shown.normal, shown.dim, normal);
    const size_t la = strlen(point[0]), lb = strlen(point[1]), ln = strlen(normal);
    const int width = (int)(la > lb ? (la > ln ? la : ln) : (lb > ln ? lb : ln));
    print_distance(result);
    print_relation(result);
    for (int i = 0; i < 2; i++) {
        printf("point on %s  %-*s  %s\n", bodies[i].name, width, point[i],
               known ? describe_feature(&feature[i], text) : "");
    }
    printf("normal      %-*s  from A to B%s\n", width, normal, frames[frame]);
    print_solver(result);
}

void cli_print_stats(const apart_stats *stats)
{
    printf("\nsupport calls         %llu\n", (unsigned long long)stats->support_calls);
    printf("vertices visited      %llu\n", (unsigned long long)stats->vertices_visited);
    printf("edges climbed         %llu\n", (unsigned long long)stats->edges_climbed);
    printf("vertices transformed  %llu\n", (unsigned long long)stats->vertices_transformed);
    printf("simplices solved      %llu\n", (unsigned long long)stats->solver_calls);
    printf("fallbacks             %llu\n", (unsigned long long)stats->fallbacks);
    if (stats->multiplications + stats->divisions > 0) {
        printf("multiplications       %llu\n", (unsigned long long)stats->multiplications);
        printf("divisions             %llu\n", (unsigned long long)stats->divisions);
    }
}

void cli_print_field(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', stream);
        }
        fputc(*text, stream);
    }
    fputc('"', stream);
}
