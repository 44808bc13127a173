/* Builds a robot: links and joints come by name in any order, apart_robot_finish sorts them into a tree, root first. */
#include <math.h>

#include <stdio.h>

#include "draft.h"

/* ---- building ---- */

apart_robot *apart_robot_new(const char *file)
{
    apart_robot *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->file = ap_robot_copy(file);
    r->name = ap_robot_copy("robot");
    r->draft = calloc(1, sizeof *r->draft);
    if (r->file == NULL || r->name == NULL || r->draft == NULL) {
        apart_robot_free(r);
        return NULL;
    }
    return r;
}

void ap_robot_free_draft(apart_robot *r)
{
    for (size_t i = 0; r->draft != NULL && i < r->draft->count; i++) {
        free((char *)r->draft->joints[i].joint.name);
        free(r->draft->joints[i].parent);
        free(r->draft->joints[i].child);
        free(r->draft->joints[i].mimics);
    }
    if (r->draft != NULL) {
        free(r->draft->joints);
    }
    free(r->draft);
    r->draft = NULL;
}

static void free_names(char *(*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(pairs[i][0]);
        free(pairs[i][1]);
    }
    free(pairs);
}

static void free_texts(apart_robot *r)
{
    free_names(r->disabled, r->disabled_count);
    free_names(r->enabled, r->enabled_count);
    for (size_t i = 0; i < r->note_count; i++) {
        free((char *)r->notes[i].text);
        free((char *)r->notes[i].cause);
        free((char *)r->notes[i].link);
    }
    for (size_t i = 0; i < r->state_count; i++) {
        free((char *)r->states[i].group);
        free((char *)r->states[i].state);
        free((char *)r->states[i].joint);
    }
    free(r->notes);
    free(r->states);
    free(r->name);
    free(r->file);
}

void apart_robot_free(apart_robot *r)
{
    if (r == NULL) {
        return;
    }
    ap_robot_free_draft(r);
    for (size_t i = 0; i < r->link_count; i++) {
        free((char *)r->links[i].name);
        free((apart_part *)r->links[i].parts);
        free((apart_robot_mesh *)r->links[i].meshes);
    }
    for (size_t i = 0; i < r->joint_count; i++) {
        free((char *)r->joints[i].name);
    }
    for (size_t i = 0; i < r->hull_count; i++) {
        apart_hull_free(r->hulls[i]);
    }
    for (size_t i = 0; i < r->mesh_count; i++) {
        apart_mesh_free(r->meshes[i]);
    }
    for (size_t i = 0; i < r->added_count; i++) {
        apart_robot_free(r->added[i]);
    }
    free(r->meshes);
    free(r->added);
    free(r->links);
    free(r->joints);
    free(r->variables);
    free(r->frames);
    free(r->frame_of);
    free(r->local);
    free(r->hulls);
    free_texts(r);
    free(r);
}

apart_status apart_robot_set_name(apart_robot *r, const char *name)
{
    if (r == NULL || name == NULL) {
        return APART_ERR_NULL;
    }
    char *copy = ap_robot_copy(name);
    if (copy == NULL) {
        return APART_ERR_MEMORY;
    }
    free(r->name);
    r->name = copy;
    return APART_OK;
}

apart_status apart_robot_add_link(apart_robot *r, const char *name, size_t line, apart_io_error *error)
{
    if (r == NULL || name == NULL || r->draft == NULL) {
        return ap_robot_fail_finished(error);
    }
    const size_t known = apart_robot_find_link(r, name);
    if (known != APART_ROBOT_NONE) {
        return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, line, "a second link '%s'%s", name,
                             ap_robot_in_line(r->links[known].line).text);
    }
    apart_robot_link *larger = ap_robot_grow(r->links, r->link_count, sizeof *larger);
    char *copy = ap_robot_copy(name);
    if (larger != NULL) {
        r->links = larger;
    }
    if (larger == NULL || copy == NULL) {
        free(copy);
        return ap_robot_fail_memory(error);
    }
    r->links[r->link_count++] = (apart_robot_link){.name = copy, .group = r->group_count, .line = line};
    return APART_OK;
}

apart_status apart_robot_begin_group(apart_robot *r)
{
    if (r == NULL) {
        return APART_ERR_NULL;
    }
    r->group_count++;
    return APART_OK;
}

apart_status apart_robot_keep_hull(apart_robot *r, apart_hull *hull)
{
    apart_hull **larger = ap_robot_grow(r->hulls, r->hull_count, sizeof *larger);
    if (larger == NULL) {
        apart_hull_free(hull);
        return APART_ERR_MEMORY;
    }
    r->hulls = larger;
    r->hulls[r->hull_count++] = hull;
    return APART_OK;
}

static apart_status keep_mesh(apart_robot *r, apart_mesh *mesh)
{
    apart_mesh **larger = ap_robot_grow(r->meshes, r->mesh_count, sizeof *larger);
    if (larger == NULL) {
        apart_mesh_free(mesh);
        return APART_ERR_MEMORY;
    }
    r->meshes = larger;
    r->meshes[r->mesh_count++] = mesh;
    return APART_OK;
}

apart_status apart_robot_add_mesh_part(apart_robot *r, size_t number, const apart_robot_mesh *mesh, apart_mesh *owned)
{
    apart_robot_link *link = number < r->link_count ? &r->links[number] : NULL;
    apart_status status = owned != NULL ? keep_mesh(r, owned) : APART_OK;
    if (status != APART_OK) {
        return status;
    }
    if (link == NULL || mesh == NULL || mesh->mesh == NULL) {
        return link == NULL ? APART_ERR_ID : APART_ERR_NULL;
    }
    status = apart_pose_check(&mesh->pose);
    if (status != APART_OK || (!mesh->surface && !apart_mesh_inspect(mesh->mesh)->watertight)) {
        return status != APART_OK ? status : APART_ERR_NOT_WATERTIGHT;
    }
    apart_robot_mesh *larger = ap_robot_grow(link->meshes, link->mesh_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    link->meshes = larger;
    larger[link->mesh_count++] = *mesh;
    return APART_OK;
}

apart_status apart_robot_add_part(apart_robot *r, size_t number, const apart_part *part, apart_hull *hull)
{
    apart_robot_link *link = number < r->link_count ? &r->links[number] : NULL;
    apart_status status = hull != NULL ? apart_robot_keep_hull(r, hull) : APART_OK;
    if (status != APART_OK) {
        return status;
    }
    if (link == NULL) {
        return APART_ERR_ID;
    }
    status = apart_shape_check(&part->shape);
    if (status == APART_OK) {
        status = apart_pose_check(&part->pose);
    }
    if (status != APART_OK) {
        return status;
    }
    apart_part *larger = ap_robot_grow(link->parts, link->part_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    link->parts = larger;
    larger[link->part_count++] = *part;
    return APART_OK;
}

static apart_status check_axis(const apart_robot *r, const char *name, apart_robot_joint *joint, apart_io_error *error)
{
    const double length = apart_vec3_norm(joint->axis);
    if (joint->kind == APART_JOINT_FIXED) {
        return APART_OK;
    }
    if (!(length > 0.0) || !isfinite(length)) {
        return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "joint '%s': the axis has length zero",
                             name);
    }
    joint->axis = apart_vec3_scale(1.0 / length, joint->axis);
    if (!(joint->lower <= joint->upper)) {
        return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line,
                             "joint '%s': the lower limit %g is above the upper limit %g", name, joint->lower,
                             joint->upper);
    }
    return APART_OK;
}

apart_status apart_robot_add_joint(apart_robot *r, const char *name, const char *parent, const char *child,
                                   const char *mimics, const apart_robot_joint *joint, apart_io_error *error)
{
    if (r == NULL || r->draft == NULL || name == NULL || parent == NULL || child == NULL || joint == NULL) {
        return ap_robot_fail_finished(error);
    }
    struct ap_robot_draft *draft = r->draft;
    draft_joint added = {.joint = *joint};
    for (size_t i = 0; i < draft->count; i++) {
        if (strcmp(draft->joints[i].joint.name, name) == 0) {
            return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "a second joint '%s'%s", name,
                                 ap_robot_in_line(draft->joints[i].joint.line).text);
        }
    }
    const apart_status status = check_axis(r, name, &added.joint, error);
    if (status != APART_OK) {
        return status;
    }
    draft_joint *larger = ap_robot_grow(draft->joints, draft->count, sizeof *larger);
    if (larger == NULL) {
        return ap_robot_fail_memory(error);
    }
    draft->joints = larger;
    added.joint.name = ap_robot_copy(name);
    added.parent = ap_robot_copy(parent);
    added.child = ap_robot_copy(child);
    added.mimics = mimics != NULL ? ap_robot_copy(mimics) : NULL;
    draft->joints[draft->count++] = added;
    const bool whole = added.joint.name != NULL && added.parent != NULL && added.child != NULL &&
                       (mimics == NULL || added.mimics != NULL);
    return whole ? APART_OK : ap_robot_fail_memory(error);
}

/* Adds a pair of names to a list; the second may be NULL. */
static apart_status add_names(char *(**pairs)[2], size_t *count, const char *first, const char *second)
{
    char *(*larger)[2] = ap_robot_grow(*pairs, *count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    *pairs = larger;
    char **names = larger[*count];
    names[0] = ap_robot_copy(first);
    names[1] = second != NULL ? ap_robot_copy(second) : NULL;
    if (names[0] == NULL || (second != NULL && names[1] == NULL)) {
        free(names[0]);
        free(names[1]);
        return APART_ERR_MEMORY;
    }
    ++*count;
    return APART_OK;
}

apart_status apart_robot_disable_pair(apart_robot *r, const char *first, const char *second)
{
    return add_names(&r->disabled, &r->disabled_count, first, second);
}

apart_status apart_robot_disable_link(apart_robot *r, const char *link)
{
    return add_names(&r->disabled, &r->disabled_count, link, NULL);
}

apart_status apart_robot_enable_pair(apart_robot *r, const char *first, const char *second)
{
    return add_names(&r->enabled, &r->enabled_count, first, second);
}

apart_status apart_robot_add_state(apart_robot *r, const apart_robot_state_value *value)
{
    apart_robot_state_value *larger = ap_robot_grow(r->states, r->state_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    r->states = larger;
    char *group = ap_robot_copy(value->group), *state = ap_robot_copy(value->state),
         *joint = ap_robot_copy(value->joint);
    if (group == NULL || state == NULL || joint == NULL) {
        free(group);
        free(state);
        free(joint);
        return APART_ERR_MEMORY;
    }
    larger[r->state_count++] = (apart_robot_state_value){group, state, joint, value->position};
    return APART_OK;
}

apart_status apart_robot_add_note(apart_robot *r, const apart_robot_note *note)
{
    apart_robot_note *larger = ap_robot_grow(r->notes, r->note_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    r->notes = larger;
    apart_robot_note added = *note;
    char *text = ap_robot_copy(note->text), *cause = ap_robot_copy(note->cause != NULL ? note->cause : note->text),
         *link = ap_robot_copy(note->link != NULL ? note->link : "");
    if (text == NULL || cause == NULL || link == NULL) {
        free(text);
        free(cause);
        free(link);
        return APART_ERR_MEMORY;
    }
    added.text = text;
    added.cause = cause;
    added.link = link;
    larger[r->note_count++] = added;
    return APART_OK;
}
