/* The robot of a recording: what its reader needs to place the links at any joint positions, and to ask for the same
 * pairs as the program (docs/recording.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording.h"

/* ---- bodies ---- */

static json_t *rows_json(const apart_pose *pose)
{
    double rows[12];
    recording_pose_rows(pose, rows);
    return cli_json_numbers(rows, 12);
}

/* What stands still has its pose here, too, with all digits. */
static int add_body(recording *r, const apart_robot_work *work, size_t number)
{
    const apart_robot_body *body = apart_robot_body_at(apart_robot_work_cell(work), number);
    const bool stands = body->link == APART_ROBOT_NONE;
    json_t *parts = json_array();
    for (size_t i = 0; i < body->part_count + body->mesh_count; i++) {
        json_t *part = i < body->part_count ? recording_part_json(r, &body->parts[i])
                                            : recording_mesh_json(r, &body->meshes[i - body->part_count]);
        if (part == NULL) {
            json_decref(parts);
            return CLI_BAD;
        }
        json_array_append_new(parts, part);
    }
    const int status = recording_append_body(r, body->name, stands ? "obstacle" : "link", NULL, parts);
    if (status == CLI_YES && stands) {
        const apart_pose pose = apart_robot_body_pose(work, number);
        json_object_set_new(json_array_get(r->bodies, number), "pose", rows_json(&pose));
    }
    return status;
}

/* ---- the model ---- */

static bool is_identity(const apart_pose *pose)
{
    const apart_pose here = apart_pose_identity();
    return memcmp(pose, &here, sizeof here) == 0;
}

static json_t *links_json(const apart_robot *robot, const apart_robot_cell *cell)
{
    json_t *links = json_array();
    for (size_t i = 0; i < apart_robot_link_count(robot); i++) {
        const apart_robot_link *link = apart_robot_link_at(robot, i);
        json_t *value = json_pack("{s:o}", "name", cli_json_text(link->name));
        if (link->group > 0) {
            json_object_set_new(value, "group", json_integer((json_int_t)link->group));
        }
        json_array_append_new(links, value);
    }
    for (size_t b = 0; b < apart_robot_body_count(cell); b++) {
        const size_t link = apart_robot_body_at(cell, b)->link;
        if (link != APART_ROBOT_NONE) {
            json_object_set_new(json_array_get(links, link), "body", json_integer((json_int_t)b));
        }
    }
    return links;
}

static json_t *joint_json(const apart_robot_joint *joint)
{
    json_t *value = json_pack("{s:o, s:s, s:I, s:o}", "name", cli_json_text(joint->name), "kind",
                              apart_joint_kind_name(joint->kind), "parent", (json_int_t)joint->parent, "origin",
                              rows_json(&joint->origin));
    if (joint->variable != APART_ROBOT_NONE) {
        json_object_set_new(value, "axis", cli_json_vec(joint->axis, 3));
        json_object_set_new(value, "limits", cli_json_numbers((const double[]){joint->lower, joint->upper}, 2));
        json_object_set_new(value, "variable", json_integer((json_int_t)joint->variable));
    }
    if (joint->factor != 1 || joint->offset != 0) {
        json_object_set_new(value, "factor", json_real(joint->factor));
        json_object_set_new(value, "offset", json_real(joint->offset));
    }
    return value;
}

static json_t *joints_json(const apart_robot *robot)
{
    json_t *joints = json_array();
    for (size_t i = 0; i < apart_robot_joint_count(robot); i++) {
        json_array_append_new(joints, joint_json(apart_robot_joint_at(robot, i)));
    }
    return joints;
}

/* The pairs that are looked at: [a, b], or [a, b, margin]. */
static json_t *pairs_json(const apart_robot_cell *cell)
{
    json_t *pairs = json_array();
    for (size_t i = 0; i < apart_robot_pair_count(cell); i++) {
        const apart_robot_pair *pair = apart_robot_pair_at(cell, i);
        json_t *value = json_pack("[II]", (json_int_t)pair->bodies[0], (json_int_t)pair->bodies[1]);
        if (pair->margin != 0) {
            json_array_append_new(value, json_real(pair->margin));
        }
        json_array_append_new(pairs, value);
    }
    return pairs;
}

/* The joint of each variable. */
static json_t *variables_json(const apart_robot *robot)
{
    json_t *variables = json_array();
    for (size_t v = 0; v < apart_robot_variable_count(robot); v++) {
        const apart_robot_joint *joint = apart_robot_variable(robot, v);
        json_array_append_new(variables, json_integer((json_int_t)(joint - apart_robot_joint_at(robot, 0))));
    }
    return variables;
}

/* {"home": {"lift": 0.3, ...}, ...} */
static json_t *states_json(const apart_robot *robot)
{
    json_t *states = json_object();
    for (size_t i = 0; i < apart_robot_state_count(robot); i++) {
        const apart_robot_state_value *value = apart_robot_state_at(robot, i);
        json_t *state = json_object_get(states, value->state);
        if (state == NULL) {
            state = json_object();
            json_object_set_new(states, value->state, state);
        }
        json_object_set_new(state, value->joint, json_real(value->position));
    }
    return states;
}

/* A work space at rest; NULL after a message. */
static apart_robot_work *work_at_rest(const apart_robot_cell *cell)
{
    const apart_robot *robot = apart_robot_cell_robot(cell);
    apart_robot_work *work = NULL;
    double *q = calloc(apart_robot_variable_count(robot) + 1, sizeof *q);
    apart_status status = q != NULL ? apart_robot_work_create(cell, &work) : APART_ERR_MEMORY;
    if (status == APART_OK) {
        apart_robot_rest(robot, q);
        status = apart_robot_set(work, q);
    }
    free(q);
    if (status != APART_OK) {
        (void)cli_error("%s", apart_status_message(status));
        apart_robot_work_free(work);
        return NULL;
    }
    return work;
}

int recording_add_cell(recording *r, const apart_robot_cell *cell, const char *command)
{
    const apart_robot *robot = apart_robot_cell_robot(cell);
    apart_robot_work *work = work_at_rest(cell);
    int status = work != NULL ? CLI_YES : CLI_BAD;
    for (size_t i = 0; i < apart_robot_body_count(cell) && status == CLI_YES; i++) {
        status = add_body(r, work, i);
    }
    if (status != CLI_YES) {
        apart_robot_work_free(work);
        return status;
    }
    const apart_pose base = apart_robot_link_pose(work, 0);
    apart_robot_work_free(work);
    r->robot = json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", cli_json_text(apart_robot_name(robot)), "links",
                         links_json(robot, cell), "joints", joints_json(robot), "variables", variables_json(robot),
                         "pairs", pairs_json(cell));
    if (!is_identity(&base)) {
        json_object_set_new(r->robot, "base", rows_json(&base));
    }
    if (apart_robot_state_count(robot) > 0) {
        json_object_set_new(r->robot, "states", states_json(robot));
    }
    if (command != NULL) {
        json_object_set_new(r->robot, "command", cli_json_text(command));
    }
    return CLI_YES;
}

/* ---- the motion ---- */

static void append(recording *r, const char *key, json_t *value)
{
    json_t *list = json_object_get(r->motion, key);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(r->motion, key, list);
    }
    json_array_append_new(list, value);
}

int recording_add_waypoint(recording *r, const recording_waypoint *w, size_t variables)
{
    r->motion = r->motion != NULL ? r->motion : json_object();
    append(r, "t", json_real(w->t));
    append(r, "q", cli_json_numbers(w->q, variables));
    append(r, "v", w->v != NULL ? cli_json_numbers(w->v, variables) : json_null());
    append(r, "a", w->v != NULL && w->a != NULL ? cli_json_numbers(w->a, variables) : json_null());
    append(r, "lower", isfinite(w->lower) ? json_real(w->lower) : json_null());
    return r->motion != NULL ? CLI_YES : cli_error("out of memory");
}
