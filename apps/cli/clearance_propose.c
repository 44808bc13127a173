/* --propose: an SRDF of the pairs that do not matter, by the rules of MoveIt's setup assistant; pairs that never come
 * near are proved where that is possible. */
#include <stdlib.h>

#include "clearance.h"

static const uint64_t PROPOSAL_SEED = 1;
/* Pairs that stay this far apart, as a share of the robot's reach, count as never near. */
static const double FAR_SHARE = 0.05;
/* Pairs that overlap in this share of all positions always do. */
static const double ALWAYS_SHARE = 0.95;

static void print_xml_text(const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': fputs("&amp;", stdout); break;
        case '<': fputs("&lt;", stdout); break;
        case '"': fputs("&quot;", stdout); break;
        default: putchar(*text);
        }
    }
}

/* Why the pair does not matter, or NULL; *remark: what is known of it besides. */
static const char *reason_of(const apart_robot_proposal *p, double far, const char **remark)
{
    *remark = "";
    if ((double)p->overlaps >= ALWAYS_SHARE * (double)p->samples) {
        *remark = p->overlaps < p->samples ? ", not in all" : "";
        return "Always";
    }
    if (p->at_rest < 0) {
        return "Default";
    }
    if (p->least >= far) {
        *remark = p->proved ? ", proved" : ", sampled";
        return "Never";
    }
    return NULL;
}

static void print_pairs(const cli_cell *cell, const apart_robot_proposal *rows, double far)
{
    for (size_t p = 0; p < apart_robot_pair_count(cell->cell); p++) {
        const char *remark, *reason = reason_of(&rows[p], far, &remark);
        if (reason != NULL) {
            fputs("  <disable_collisions link1=\"", stdout);
            print_xml_text(cli_pair_name(cell, p, 0));
            fputs("\" link2=\"", stdout);
            print_xml_text(cli_pair_name(cell, p, 1));
            printf("\" reason=\"%s\"/> <!-- distance from %.4g to %.4g%s -->\n", reason, rows[p].least, rows[p].most,
                   remark);
        }
    }
}

int clearance_propose(const cli_settings *settings, const cli_cell *cell)
{
    const double far = FAR_SHARE * apart_robot_reach(cell->robot);
    apart_robot_proposal *rows = calloc(apart_robot_pair_count(cell->cell), sizeof *rows);
    char reason[CLI_TEXT_SIZE];
    const apart_status status =
        rows != NULL ? apart_robot_propose(cell->work, settings->propose, PROPOSAL_SEED, far, rows) : APART_ERR_MEMORY;
    if (status != APART_OK) {
        free(rows);
        return cli_error("%s: %s", apart_robot_file(cell->robot), cli_reason(status, reason));
    }
    printf(
        "<?xml version=\"1.0\"?>\n<!-- A proposal from %u random positions within the joint limits: to be read before "
        "it is used.\n"
        "     Always: the links overlap in 95 %% of them or more. Default: at rest. Never: they stay at least %.3g apart,"
        "\n     proved for all positions within the limits, or in all that were sampled. -->\n<robot name=\"",
        (unsigned)settings->propose, far);
    print_xml_text(apart_robot_name(cell->robot));
    printf("\">\n");
    print_pairs(cell, rows, far);
    printf("</robot>\n");
    free(rows);
    return CLI_YES;
}
