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
        if (link->part_count + link->mesh_count == 0) {
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
        for (size_t k = 0; k < link->mesh_count; k++) {
            printf("%s %s of %u triangles", k + link->part_count > 0 ? "," : "",
                   link->meshes[k].surface ? "surface" : "solid",
                   (unsigned)apart_mesh_inspect(link->meshes[k].mesh)->triangles);
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

/* ---- forward kinematics ---- */

static void print_poses(const apart_robot *r, const apart_pose *poses, int width)
{
    printf("\n%-*s  position of its origin; roll, pitch, yaw\n", width, "link");
    for (size_t i = 0; i < apart_robot_link_count(r); i++) {
        const apart_mat3 *m = &poses[i].rotation; /* columns */
        const double flat = sqrt(m->x.x * m->x.x + m->x.y * m->x.y);
        const apart_vec3 rpy = {atan2(m->y.z, m->z.z), atan2(-m->x.z, flat), atan2(m->x.y, m->x.x)};
        char at[CLI_POINT_SIZE], turned[CLI_POINT_SIZE];
        printf("%-*s  %s; %s\n", width, apart_robot_link_at(r, i)->name, cli_brief_point(poses[i].translation, at),
               cli_brief_point(rpy, turned));
    }
}

static json_t *pose_json(const apart_pose *pose)
{
    const apart_mat3 *m = &pose->rotation;
    json_t *rows = json_array();
    const apart_vec3 columns[3] = {m->x, m->y, m->z};
    for (int i = 0; i < 3; i++) {
        json_t *row = json_array();
        for (int k = 0; k < 3; k++) {
            const double entries[3] = {columns[k].x, columns[k].y, columns[k].z};
            json_array_append_new(row, cli_json_number(entries[i]));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:o, s:o}", "xyz", cli_json_vec(pose->translation, 3), "matrix", rows);
}

/* By variable: how fast the tool's point moves and the link turns. */
static int add_jacobian(const cli_settings *settings, const apart_robot *r, const apart_pose *poses, json_t *out)
{
    const size_t link = apart_robot_find_link(r, settings->tool), n = apart_robot_variable_count(r);
    double p[3] = {0, 0, 0};
    size_t count = 0;
    const char *end = "";
    if (link == APART_ROBOT_NONE) {
        return cli_error("--tool: %s has no link '%s'", apart_robot_file(r), settings->tool);
    }
    if (settings->point != NULL &&
        (cli_read_numbers("--point", settings->point, &end, p, 3, &count) != CLI_YES || count != 3 || *end != '\0')) {
        return count == 3 ? CLI_BAD : cli_error("--point: expected X,Y,Z");
    }
    apart_vec3 *columns = calloc(2 * n + 1, sizeof *columns);
    if (columns == NULL) {
        return cli_error("out of memory");
    }
    const apart_vec3 point = apart_pose_apply(&poses[link], (apart_vec3){p[0], p[1], p[2]});
    apart_robot_jacobian(r, poses, link, point, columns, columns + n);
    json_t *jacobian = json_object();
    for (size_t v = 0; v < n; v++) {
        json_object_set_new(jacobian, apart_robot_variable(r, v)->name,
                            json_pack("{s:o, s:o}", "linear", cli_json_vec(columns[v], 3), "angular",
                                      cli_json_vec(columns[n + v], 3)));
    }
    json_object_set_new(out, "point", cli_json_vec(point, 3));
    json_object_set_new(out, "jacobian", jacobian);
    free(columns);
    return CLI_YES;
}

static json_t *joint_json(const apart_robot *r, size_t i, const double *q)
{
    const apart_robot_joint *joint = apart_robot_joint_at(r, i);
    json_t *out =
        json_pack("{s:o, s:s, s:o, s:o, s:f}", "name", cli_json_text(joint->name), "kind",
                  apart_joint_kind_name(joint->kind), "parent",
                  cli_json_text(apart_robot_link_at(r, joint->parent)->name), "child",
                  cli_json_text(apart_robot_link_at(r, i + 1)->name), "position", apart_robot_joint_position(joint, q));
    if (joint->variable != APART_ROBOT_NONE) {
        const apart_robot_joint *own = apart_robot_variable(r, joint->variable);
        json_object_set_new(out, "limits",
                            json_pack("[o, o]", isfinite(joint->lower) ? json_real(joint->lower) : json_null(),
                                      isfinite(joint->upper) ? json_real(joint->upper) : json_null()));
        if (own != joint) {
            json_object_set_new(out, "mimics",
                                json_pack("{s:o, s:f, s:f}", "joint", cli_json_text(own->name), "factor", joint->factor,
                                          "offset", joint->offset));
        }
    }
    return out;
}

static int print_json(const cli_settings *settings, const apart_robot *r, const apart_pose *poses, const double *q)
{
    json_t *links = json_array(), *joints = json_array();
    for (size_t i = 0; i < apart_robot_link_count(r); i++) {
        const apart_robot_link *link = apart_robot_link_at(r, i);
        json_array_append_new(links, json_pack("{s:o, s:I, s:I, s:o}", "name", cli_json_text(link->name), "parts",
                                               (json_int_t)link->part_count, "meshes", (json_int_t)link->mesh_count,
                                               "pose", pose_json(&poses[i])));
    }
    for (size_t i = 0; i < apart_robot_joint_count(r); i++) {
        json_array_append_new(joints, joint_json(r, i, q));
    }
    json_t *out = json_pack("{s:o, s:f, s:o, s:o}", "robot", cli_json_text(apart_robot_name(r)), "reach",
                            apart_robot_reach(r), "links", links, "joints", joints);
    if (settings->tool != NULL && add_jacobian(settings, r, poses, out) != CLI_YES) {
        json_decref(out);
        return CLI_BAD;
    }
    return cli_json_print(out, stdout, false);
}

/* ---- the command ---- */

static int print_text(const cli_settings *settings, const apart_robot *r, const apart_pose *poses)
{
    const int width = width_of_names(r);
    char reach[CLI_NUMBER_SIZE];
    printf("robot   %s: %zu links, %zu joints, %zu of them to be given\n", apart_robot_name(r),
           apart_robot_link_count(r), apart_robot_joint_count(r), apart_robot_variable_count(r));
    printf("reach   %s, the longest chain\n", cli_brief(apart_robot_reach(r), 0, reach));
    print_links(r, width);
    print_joints(r, width);
    print_states(r);
    if (settings->joints != NULL || settings->state != NULL || settings->fix != NULL) {
        print_poses(r, poses, width);
    }
    return CLI_YES;
}

static int run(const cli_settings *settings)
{
    cli_cell cell;
    trajectory q;
    if (settings->tool != NULL && !settings->given[CLI_JSON]) {
        return cli_error("robot: --tool goes with --json");
    }
    if (cli_robot_load(settings, settings->operands[0], &cell) != CLI_YES) {
        return CLI_BAD;
    }
    int status = trajectory_read(settings, "robot", cell.robot, &q);
    if (status == CLI_YES) {
        apart_pose *poses = calloc(apart_robot_link_count(cell.robot), sizeof *poses);
        if (poses != NULL) {
            apart_robot_forward(cell.robot, trajectory_at(&q, 0), poses);
            status = settings->given[CLI_JSON] ? print_json(settings, cell.robot, poses, trajectory_at(&q, 0))
                                               : print_text(settings, cell.robot, poses);
        } else {
            status = cli_error("out of memory");
        }
        free(poses);
        trajectory_free(&q);
    }
    cli_cell_free(&cell);
    return status;
}

static const cli_option_id options[] = {CLI_SRDF, CLI_PACKAGES, CLI_AS,    CLI_JOINTS, CLI_STATE, CLI_FIX,
                                        CLI_TOOL, CLI_POINT,    CLI_NOTES, CLI_JSON,   CLI_HELP};

const cli_command cli_robot_command = {
    .name = "robot",
    .operands = "ROBOT",
    .min_operands = 1,
    .max_operands = 1,
    .summary = "what is in a robot's file: links, joints, limits, states",
    .description =
        "ROBOT is a URDF, MJCF or xacro file, or JSON (docs/robots.md). The list has the links with their\n"
        "collision geometry, the joints with kind, ends, limits and mimics, and the named states of an SRDF\n"
        "or the keyframes of MJCF, which --state of 'apart clearance' takes. With --joints, --state or --fix the\n"
        "poses of all links are listed, too (in the frame of the root link); --json has them always, and with\n"
        "--tool LINK the Jacobian of --point.\n",
    .examples = "  apart robot arm.urdf --srdf arm.srdf\n"
                "  apart robot arm.urdf --joints \"lift=0.6\" --json --tool hand\n",
    .options = options,
    .run = run,
};
