/* apart robot FILE: what is in a robot's file: links with geometry, joints with limits, named states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_load.h"

static int width_of_names(const apart_robot *r)
{
    size_t width = 5;
    for (size_t i = 0; i < apart_robot_link_count(r); i++) {
        const size_t length = strlen(apart_robot_link_at(r, i)->name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        const size_t length = strlen(apart_robot_joint_at(r, i)->name);
        width = length > width ? length : width;
    }
    return width < 40 ? (int)width : 40;
}

static void print_links(const apart_robot *r, int width)
{
    printf("\n%-*s  geometry\n", width, "link");
    for (size_t i = 0; i < apart_robot_link_count(r); i++) {
        const apart_robot_link *link = apart_robot_link_at(r, i);
        printf("%-*s ", width, link->name);
        if (link->part_count == 0) {
            printf(" none");
        }
        for (size_t k = 0; k < link->part_count && k < 4; k++) {
            const apart_shape *shape = &link->parts[k].shape;
            printf(" %s", apart_shape_name(shape));
            if (shape->kind == APART_SHAPE_HULL) {
                printf(" of %u vertices", apart_hull_vertex_count(shape->u.hull));
            }
            printf("%s", k + 1 < link->part_count ? "," : "");
        }
        if (link->part_count > 4) {
            printf(" and %zu more", link->part_count - 4);
        }
        putchar('\n');
    }
}

static void print_limit(double value)
{
    char text[CLI_NUMBER_SIZE];
    printf("%s", isfinite(value) ? cli_brief(value, 0, text) : "none");
}

static void print_joints(const apart_robot *r, int width)
{
    printf("\n%-*s  %-10s  from, to, limits\n", width, "joint", "kind");
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        const apart_robot_joint *joint = apart_robot_joint_at(r, i);
        printf("%-*s  %-10s  %s, %s", width, joint->name, apart_joint_kind_name(joint->kind),
               apart_robot_link_at(r, joint->parent)->name, apart_robot_link_at(r, i + 1)->name);
        if (joint->variable != APART_ROBOT_NONE) {
            const apart_robot_joint *own = apart_robot_variable(r, joint->variable);
            printf(", ");
            print_limit(joint->lower);
            printf(" to ");
            print_limit(joint->upper);
            if (own != joint) {
                printf(", mimics %s times %g plus %g", own->name, joint->factor, joint->offset);
            }
        }
        putchar('\n');
    }
}

static void print_states(const apart_robot *r)
{
    for (size_t i = 0; i < apart_robot_state_count(r); i++) {
        const apart_robot_state_value *value = apart_robot_state_at(r, i),
                                      *before = i > 0 ? apart_robot_state_at(r, i - 1) : NULL;
        if (i == 0) {
            printf("\nstates (--state NAME)");
        }
        if (before == NULL || strcmp(before->state, value->state) != 0 || strcmp(before->group, value->group) != 0) {
            printf("\n%s of %s:", value->state, value->group);
        }
        printf(" %s=%g", value->joint, value->position);
    }
    printf("%s", apart_robot_state_count(r) > 0 ? "\n" : "");
}

static int run(const cli_settings *settings)
{
    cli_cell cell;
    if (cli_robot_load(settings, settings->operands[0], &cell) != CLI_YES) {
        return CLI_BAD;
    }
    const apart_robot *r = cell.robot;
    const int width = width_of_names(r);
    char reach[CLI_NUMBER_SIZE];
    printf("robot   %s: %zu links, %zu joints, %zu of them to be given\n", apart_robot_name(r),
           apart_robot_link_count(r), apart_robot_joint_count(r), apart_robot_variable_count(r));
    printf("reach   %s, the longest chain\n", cli_brief(apart_robot_reach(r), 0, reach));
    print_links(r, width);
    print_joints(r, width);
    print_states(r);
    cli_cell_free(&cell);
    return CLI_YES;
}

static const cli_option_id options[] = {CLI_SRDF, CLI_PACKAGES, CLI_NOTES, CLI_HELP};

const cli_command cli_robot_command = {
    .name = "robot",
    .operands = "ROBOT",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "what is in a robot's file: links, joints, limits, states",
    .description =
        "ROBOT is a URDF, MJCF or xacro file, or JSON (docs/robots.md). The list has the links with their\n"
        "collision geometry, the joints with kind, ends, limits and mimics, and the named states of an SRDF\n"
        "or the keyframes of MJCF, which --state of 'apart clearance' takes.\n",
    .examples = "  apart robot arm.urdf --srdf arm.srdf\n",
    .options = options,
    .run = run,
};
