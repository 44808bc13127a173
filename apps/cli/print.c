/* Results as text for people: one labelled line per fact, aligned. */
#include <math.h>
#include <string.h>

#include "cli.h"

/* "on face 3, vertices 1 5 7"; "on its curved surface". */
static const char *describe_own_feature(const apart_feature *feature, char text[CLI_TEXT_SIZE])
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

/* The same of a body with parts: "on vertex 4 of triangle 17", "on triangle 17, vertices 4 8 9". */
static const char *describe_feature(const cli_body *body, uint32_t part, apart_feature feature,
                                    char text[CLI_TEXT_SIZE])
{
    if (!cli_body_has_parts(body)) {
        return describe_own_feature(&feature, text);
    }
    const bool covers = body->mesh->as == APART_AS_COVER;
    size_t used;
    if (feature.kind == APART_FEATURE_FACE && !covers) {
        used = (size_t)snprintf(text, CLI_TEXT_SIZE, "on triangle %u, vertices %u %u %u", (unsigned)part,
                                (unsigned)body->mesh->triangles[3 * (size_t)part],
                                (unsigned)body->mesh->triangles[3 * (size_t)part + 1],
                                (unsigned)body->mesh->triangles[3 * (size_t)part + 2]);
    } else {
        feature.number = covers ? feature.number : APART_NO_INDEX; /* of an edge: its vertices say more */
        used = strlen(describe_own_feature(&feature, text));
        used += (size_t)snprintf(text + used, CLI_TEXT_SIZE - used, " of %s %u", covers ? "hull" : "triangle",
                                 (unsigned)part);
    }
    if (body->mesh->faces != NULL && !covers) {
        snprintf(text + used, CLI_TEXT_SIZE - used, " (face %u)", (unsigned)body->mesh->faces[part]);
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

/* `parts`: the distance is one of solids; a surface has no depth. */
static void print_distance(const apart_result *result, bool parts)
{
    char distance[CLI_NUMBER_SIZE], lower[CLI_NUMBER_SIZE], upper[CLI_NUMBER_SIZE];
    cli_number(result->distance, distance);
    cli_number(result->lower, lower);
    cli_number(result->upper, upper);
    if (isinf(result->lower)) {
        printf("distance    below zero, not computed\n");
    } else if (result->relation == APART_OVERLAPPING && parts && result->lower == 0) {
        printf("distance    0 (they meet; a surface has no depth)\n");
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

static void print_solver(const apart_compound_result *found, bool parts)
{
    const apart_result *result = &found->result;
    if (parts) {
        printf("search      %u pair%s of parts queried", (unsigned)found->queries, found->queries == 1 ? "" : "s");
        if (found->boxes > 0) {
            printf(", %u pair%s of boxes compared", (unsigned)found->boxes, found->boxes == 1 ? "" : "s");
        }
        putchar('\n');
        return;
    }
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
    char text[CLI_TEXT_SIZE];
    printf(", %s", cli_body_kind(body, text));
    if (body->mesh != NULL && body->scale != 1) {
        printf(", %s", cli_scale_text(body->scale, text));
    }
    printf(", %sat %s\n", turned ? "turned, " : "", cli_point(body->pose.translation, body->shape.dim, at));
}

void cli_print_result(const cli_body bodies[2], const apart_compound_result *found, int frame)
{
    const apart_result *result = &found->result;
    const uint32_t part[2] = {found->part_a, found->part_b};
    const bool parts = cli_has_parts(bodies);
    static const char *const frames[] = {"", ", in the frame of A", ", in the frame of B"};
    apart_result shown = *result;
    apart_feature feature[2];
    char point[2][CLI_POINT_SIZE], normal[CLI_POINT_SIZE], text[CLI_TEXT_SIZE];
    if (frame != CLI_FRAME_WORLD) {
        apart_result_in_frame(result, &bodies[frame == CLI_FRAME_A ? 0 : 1].pose, &shown);
    }
    const bool known = cli_features(bodies, found, feature);
    cli_point(shown.a, shown.dim, point[0]);
    cli_point(shown.b, shown.dim, point[1]);
    cli_point(shown.normal, shown.dim, normal);
    const size_t la = strlen(point[0]), lb = strlen(point[1]), ln = strlen(normal);
    const int width = (int)(la > lb ? (la > ln ? la : ln) : (lb > ln ? lb : ln));
    print_distance(result, parts);
    print_relation(result);
    for (int i = 0; i < 2; i++) {
        printf("point on %s  %-*s  %s\n", bodies[i].name, width, point[i],
               known   ? describe_feature(&bodies[i], part[i], feature[i], text)
               : parts ? "in both bodies"
                       : "");
    }
    printf("normal      %-*s  from A to B%s\n", width, normal, frames[frame]);
    print_solver(found, parts);
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
