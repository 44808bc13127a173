/* Robots that become a part of another: copied link by link into its draft, under other names. */
#include <stdio.h>

#include "draft.h"

/* The prefix and a name, in a buffer that grows; NULL: no memory. */
typedef struct namer {
    const char *prefix;
    char *texts[3];
} namer;

static const char *full_name(namer *n, int slot, const char *name)
{
    const size_t size = strlen(n->prefix) + strlen(name) + 1;
    char *text = realloc(n->texts[slot], size);
    if (text == NULL) {
        return NULL;
    }
    n->texts[slot] = text;
    snprintf(text, size, "%s%s", n->prefix, name);
    return text;
}

static apart_status keep_robot(apart_robot *r, apart_robot *added)
{
    apart_robot **larger = ap_robot_grow(r->added, r->added_count, sizeof *larger);
    if (larger == NULL) {
        apart_robot_free(added);
        return APART_ERR_MEMORY;
    }
    r->added = larger;
    r->added[r->added_count++] = added;
    return APART_OK;
}

static apart_status copy_link(apart_robot *r, const apart_robot_link *link, namer *names, apart_io_error *error)
{
    const char *name = full_name(names, 0, link->name);
    const size_t number = r->link_count;
    apart_status status = name != NULL ? apart_robot_add_link(r, name, link->line, error) : ap_robot_fail_memory(error);
    if (status != APART_OK) {
        return status;
    }
    for (size_t i = 0; i < link->part_count && status == APART_OK; i++) {
        status = apart_robot_add_part(r, number, &link->parts[i], NULL);
    }
    for (size_t i = 0; i < link->mesh_count && status == APART_OK; i++) {
        status = apart_robot_add_mesh_part(r, number, &link->meshes[i], NULL);
    }
    return status == APART_OK ? status : ap_robot_fail_memory(error);
}

/* A joint that mimics another follows the variable itself: the factors of a chain of mimics are multiplied already. */
static apart_status copy_joint(apart_robot *r, const apart_robot *added, size_t number, namer *names,
                               apart_io_error *error)
{
    const apart_robot_joint *joint = &added->joints[number];
    const bool mimics = joint->variable != APART_ROBOT_NONE && added->variables[joint->variable] != number;
    const char *name = full_name(names, 0, joint->name),
               *parent = full_name(names, 1, added->links[joint->parent].name),
               *child = full_name(names, 2, added->links[number + 1].name);
    namer followed = {.prefix = names->prefix};
    const char *leader = mimics ? full_name(&followed, 0, apart_robot_variable(added, joint->variable)->name) : NULL;
    const bool memory = name != NULL && parent != NULL && child != NULL && (leader != NULL || !mimics);
    const apart_status status =
        memory ? apart_robot_add_joint(r, name, parent, child, leader, joint, error) : ap_robot_fail_memory(error);
    free(followed.texts[0]);
    return status;
}

static apart_status mount(apart_robot *r, const apart_robot *added, const char *parent, const apart_pose *origin,
                          namer *names, apart_io_error *error)
{
    const apart_robot_joint joint = {.kind = APART_JOINT_FIXED,
                                     .origin = origin != NULL ? *origin : apart_pose_identity(),
                                     .axis = {0, 0, 1},
                                     .factor = 1.0};
    char *name = malloc(strlen(names->prefix) + strlen(added->links[0].name) + sizeof "_mount");
    const char *root = full_name(names, 0, added->links[0].name);
    if (name == NULL || root == NULL) {
        free(name);
        return ap_robot_fail_memory(error);
    }
    sprintf(name, "%s_mount", root);
    const apart_status status = apart_robot_add_joint(r, name, parent, root, NULL, &joint, error);
    free(name);
    return status;
}

static apart_status copy_pairs(char *(*pairs)[2], size_t count, namer *names, apart_robot *r,
                               apart_status (*add)(apart_robot *r, const char *first, const char *second))
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        const char *first = full_name(names, 0, pairs[i][0]),
                   *second = pairs[i][1] != NULL ? full_name(names, 1, pairs[i][1]) : NULL;
        if (first == NULL || (second == NULL && pairs[i][1] != NULL)) {
            return APART_ERR_MEMORY;
        }
        status = second != NULL ? add(r, first, second) : apart_robot_disable_link(r, first);
    }
    return status;
}

static apart_status copy_states(apart_robot *r, const apart_robot *added, namer *names)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < added->state_count && status == APART_OK; i++) {
        apart_robot_state_value value = added->states[i];
        value.group = full_name(names, 0, value.group);
        value.joint = full_name(names, 1, value.joint);
        status = value.group != NULL && value.joint != NULL ? apart_robot_add_state(r, &value) : APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < added->note_count && status == APART_OK; i++) {
        status = apart_robot_add_note(r, &added->notes[i]);
    }
    return status;
}

static apart_status copy_robot(apart_robot *r, const apart_robot *added, const char *parent, const apart_pose *origin,
                               namer *names, apart_io_error *error)
{
    apart_status status = apart_robot_begin_group(r);
    for (size_t i = 0; i < added->link_count && status == APART_OK; i++) {
        status = copy_link(r, &added->links[i], names, error);
    }
    for (size_t i = 0; i < added->joint_count && status == APART_OK; i++) {
        status = copy_joint(r, added, i, names, error);
    }
    if (status == APART_OK) {
        status = mount(r, added, parent, origin, names, error);
    }
    if (status != APART_OK) {
        return status;
    }
    status = copy_pairs(added->disabled, added->disabled_count, names, r, apart_robot_disable_pair);
    if (status == APART_OK) {
        status = copy_pairs(added->enabled, added->enabled_count, names, r, apart_robot_enable_pair);
    }
    if (status == APART_OK) {
        status = copy_states(r, added, names);
    }
    return status == APART_OK ? status : ap_robot_fail_memory(error);
}

apart_status apart_robot_add_robot(apart_robot *r, apart_robot *added, const char *prefix, const char *parent,
                                   const apart_pose *origin, apart_io_error *error)
{
    if (r == NULL || added == NULL || parent == NULL || r->draft == NULL || added->draft != NULL) {
        apart_robot_free(added);
        return ap_robot_fail(error, APART_ERR_NULL, NULL, 0, "a robot to be built and a finished one are expected");
    }
    namer names = {.prefix = prefix != NULL ? prefix : ""};
    apart_status status = keep_robot(r, added);
    status = status == APART_OK ? copy_robot(r, added, parent, origin, &names, error) : ap_robot_fail_memory(error);
    for (int i = 0; i < 3; i++) {
        free(names.texts[i]);
    }
    return status;
}
