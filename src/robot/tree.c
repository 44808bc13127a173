/* From a draft to a tree: root first, parents before children; then the variables, and the rigid bodies that fixed
 * joints weld. */
#include <math.h>

#include "draft.h"

/* ---- the tree ---- */

/* For each link the draft joint that leads to it; for each joint its parent link. Both by number, APART_ROBOT_NONE for
 * none. */
typedef struct tree {
    size_t *joint_to, *parent_of, *order, *place;
} tree;

static apart_status resolve(apart_robot *r, tree *t, apart_io_error *error)
{
    for (size_t i = 0; i < r->link_count; i++) {
        t->joint_to[i] = APART_ROBOT_NONE;
    }
    for (size_t i = 0; i < r->draft->count; i++) {
        const draft_joint *d = &r->draft->joints[i];
        const size_t parent = apart_robot_find_link(r, d->parent), child = apart_robot_find_link(r, d->child),
                     line = d->joint.line;
        if (parent == APART_ROBOT_NONE || child == APART_ROBOT_NONE) {
            return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, line, "joint '%s': the %s link '%s' does not exist",
                                 d->joint.name, parent == APART_ROBOT_NONE ? "parent" : "child",
                                 parent == APART_ROBOT_NONE ? d->parent : d->child);
        }
        if (t->joint_to[child] != APART_ROBOT_NONE) {
            return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, line,
                                 "joint '%s': the link '%s' is already the child of joint '%s'%s", d->joint.name,
                                 d->child, r->draft->joints[t->joint_to[child]].joint.name,
                                 ap_robot_in_line(r->draft->joints[t->joint_to[child]].joint.line).text);
        }
        t->joint_to[child] = i;
        t->parent_of[i] = parent;
    }
    return APART_OK;
}

/* The links that hang on nothing: there must be one. */
static apart_status find_root(const apart_robot *r, const tree *t, size_t *root, apart_io_error *error)
{
    *root = APART_ROBOT_NONE;
    for (size_t i = 0; i < r->link_count; i++) {
        if (t->joint_to[i] != APART_ROBOT_NONE) {
            continue;
        }
        if (*root != APART_ROBOT_NONE) {
            return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, r->links[i].line,
                                 "the links '%s'%s and '%s' both hang on no joint: a robot has one root",
                                 r->links[*root].name, ap_robot_in_line(r->links[*root].line).text, r->links[i].name);
        }
        *root = i;
    }
    if (r->link_count == 0) {
        return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, 0, "no link");
    }
    return APART_OK;
}

/* "a, b, c" of a ring of joints that starts at a link. */
static apart_status report_cycle(const apart_robot *r, const tree *t, size_t link, apart_io_error *error)
{
    char text[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->link_count; i++) { /* into the ring, if the link only hangs on it */
        link = t->parent_of[t->joint_to[link]];
    }
    const size_t start = link;
    do {
        const int length = snprintf(text + used, sizeof text - used, "%s'%.40s'", used == 0 ? "" : ", ",
                                    r->draft->joints[t->joint_to[link]].joint.name);
        used += used + (size_t)length < sizeof text ? (size_t)length : 0;
        link = t->parent_of[t->joint_to[link]];
    } while (link != start);
    return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, r->draft->joints[t->joint_to[start]].joint.line,
                         "the joints %s form a cycle", text);
}

/* Parents before children, in the order of the file otherwise; what is never reached is a cycle. */
static apart_status sort_links(const apart_robot *r, tree *t, apart_io_error *error)
{
    size_t root, count = 0;
    const apart_status status = find_root(r, t, &root, error);
    if (status != APART_OK) {
        return status;
    }
    for (size_t i = 0; i < r->link_count; i++) {
        t->place[i] = APART_ROBOT_NONE;
    }
    if (root != APART_ROBOT_NONE) {
        t->place[root] = 0;
        t->order[count++] = root;
    }
    for (size_t done = 0; done < count; done++) {
        for (size_t i = 0; i < r->draft->count; i++) {
            if (t->parent_of[i] == t->order[done]) {
                const size_t child = apart_robot_find_link(r, r->draft->joints[i].child);
                t->place[child] = count;
                t->order[count++] = child;
            }
        }
    }
    for (size_t i = 0; i < r->link_count; i++) {
        if (t->place[i] == APART_ROBOT_NONE) {
            return report_cycle(r, t, i, error);
        }
    }
    return APART_OK;
}

static apart_status move_links(apart_robot *r, const tree *t)
{
    apart_robot_link *links = calloc(r->link_count, sizeof *links);
    apart_robot_joint *joints = calloc(r->link_count, sizeof *joints);
    if (links == NULL || joints == NULL) {
        free(links);
        free(joints);
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < r->link_count; i++) {
        links[i] = r->links[t->order[i]];
        if (i > 0) {
            const size_t d = t->joint_to[t->order[i]];
            joints[i - 1] = r->draft->joints[d].joint;
            joints[i - 1].parent = t->place[t->parent_of[d]];
            r->draft->joints[d].joint.name = NULL; /* it has moved */
        }
    }
    free(r->links);
    r->links = links;
    r->joints = joints;
    r->joint_count = r->link_count - 1;
    return APART_OK;
}

/* ---- variables ---- */

static size_t find_joint(const apart_robot *r, const char *name)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        if (strcmp(r->joints[i].name, name) == 0) {
            return i;
        }
    }
    return APART_ROBOT_NONE;
}

/* Mimics of joints that do not exist are dropped: the joint moves by itself. Those of fixed joints fix the joint. */
static apart_status mend_mimics(apart_robot *r, const char **mimics, apart_io_error *error)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < r->joint_count; i++) {
            apart_robot_joint *joint = &r->joints[i];
            const size_t next = mimics[i] != NULL ? find_joint(r, mimics[i]) : i;
            if (next != APART_ROBOT_NONE && (next == i || r->joints[next].kind != APART_JOINT_FIXED)) {
                continue;
            }
            char text[512];
            const bool missing = next == APART_ROBOT_NONE;
            snprintf(text, sizeof text, "%.200s%s: joint '%.80s' mimics '%.80s', which %s", r->file,
                     ap_robot_in_line(joint->line).text, joint->name, mimics[i],
                     missing ? "does not exist: it moves by itself" : "does not move: it stays at its offset");
            if (!missing) {
                const apart_pose turned =
                    ap_robot_joint_pose(joint->kind == APART_JOINT_SLIDING, joint->axis, joint->offset);
                joint->origin = apart_pose_compose(&joint->origin, &turned);
                joint->kind = APART_JOINT_FIXED;
            }
            mimics[i] = NULL;
            changed = true;
            if (apart_robot_add_note(r, &(apart_robot_note){.text = text}) != APART_OK) {
                return ap_robot_fail_memory(error);
            }
        }
    }
    return APART_OK;
}

/* Follows mimics from joint to joint; a ring of mimics never ends. */
static apart_status follow_mimic(apart_robot *r, const char **mimics, size_t i, apart_io_error *error)
{
    apart_robot_joint *joint = &r->joints[i];
    double factor = joint->factor, offset = joint->offset;
    size_t at = i;
    for (size_t steps = 0; mimics[at] != NULL; steps++) {
        const size_t next = find_joint(r, mimics[at]);
        if (steps > r->joint_count || next == i) {
            return ap_robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "joint '%s' mimics itself",
                                 joint->name);
        }
        if (mimics[next] != NULL) {
            offset += factor * r->joints[next].offset;
            factor *= r->joints[next].factor;
        }
        at = next;
    }
    joint->variable = at; /* a joint still: replaced by its variable when all are followed */
    joint->factor = at == i ? 1.0 : factor;
    joint->offset = at == i ? 0.0 : offset;
    return APART_OK;
}

static apart_status number_variables(apart_robot *r, const char **mimics, apart_io_error *error)
{
    size_t *variable_of = calloc(r->joint_count + 1, sizeof *variable_of);
    apart_robot_joint *given = calloc(r->joint_count + 1, sizeof *given);
    r->variables = calloc(r->joint_count + 1, sizeof *r->variables);
    apart_status status =
        variable_of != NULL && given != NULL && r->variables != NULL ? APART_OK : ap_robot_fail_memory(error);
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        variable_of[i] = r->variable_count;
        if (r->joints[i].kind != APART_JOINT_FIXED && mimics[i] == NULL) {
            r->variables[r->variable_count++] = i;
        }
    }
    /* Each joint is followed with the factors as given, so that the results go elsewhere first. */
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        const apart_robot_joint before = r->joints[i];
        r->joints[i].variable = APART_ROBOT_NONE;
        status = r->joints[i].kind != APART_JOINT_FIXED ? follow_mimic(r, mimics, i, error) : APART_OK;
        given[i] = r->joints[i];
        r->joints[i] = before;
    }
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        r->joints[i] = given[i];
        r->joints[i].variable =
            given[i].variable == APART_ROBOT_NONE ? APART_ROBOT_NONE : variable_of[given[i].variable];
    }
    free(variable_of);
    free(given);
    return status;
}

/* ---- rigid bodies ---- */

static double farthest_of(const apart_robot *r, const apart_robot_joint *joint)
{
    if (joint->kind != APART_JOINT_SLIDING) {
        return 0.0;
    }
    const apart_robot_joint *moved = &r->joints[r->variables[joint->variable]];
    const double low = joint->factor * moved->lower + joint->offset,
                 high = joint->factor * moved->upper + joint->offset;
    return fmax(fabs(low), fabs(high));
}

static void weld(apart_robot *r)
{
    r->frames[0] =
        (ap_robot_frame){.joint = APART_ROBOT_NONE, .variable = APART_ROBOT_NONE, .origin = apart_pose_identity()};
    r->frame_count = 1;
    r->frame_of[0] = 0;
    r->local[0] = apart_pose_identity();
    for (size_t i = 1; i < r->link_count; i++) {
        const apart_robot_joint *joint = &r->joints[i - 1];
        const apart_pose origin = apart_pose_compose(&r->local[joint->parent], &joint->origin);
        const size_t parent = r->frame_of[joint->parent];
        r->frame_of[i] = parent;
        r->local[i] = origin;
        if (joint->kind != APART_JOINT_FIXED) {
            r->frame_of[i] = r->frame_count++;
            r->local[i] = apart_pose_identity();
            r->frames[r->frame_of[i]] = (ap_robot_frame){parent,
                                                         i - 1,
                                                         r->frames[parent].depth + 1,
                                                         origin,
                                                         joint->axis,
                                                         joint->variable,
                                                         joint->factor,
                                                         joint->offset,
                                                         joint->kind == APART_JOINT_SLIDING,
                                                         farthest_of(r, joint)};
        }
    }
}

static apart_status make_frames(apart_robot *r, apart_io_error *error)
{
    r->frames = calloc(r->link_count, sizeof *r->frames);
    r->frame_of = calloc(r->link_count, sizeof *r->frame_of);
    r->local = calloc(r->link_count, sizeof *r->local);
    if (r->frames == NULL || r->frame_of == NULL || r->local == NULL) {
        return ap_robot_fail_memory(error);
    }
    weld(r);
    return APART_OK;
}

/* ---- the whole ---- */

static apart_status finish_tree(apart_robot *r, tree *t, apart_io_error *error)
{
    const char **mimics = calloc(r->draft->count + 1, sizeof *mimics);
    apart_status status = mimics != NULL ? resolve(r, t, error) : ap_robot_fail_memory(error);
    if (status == APART_OK) {
        status = sort_links(r, t, error);
    }
    for (size_t i = 1; i < r->link_count && status == APART_OK; i++) {
        mimics[i - 1] = r->draft->joints[t->joint_to[t->order[i]]].mimics;
    }
    if (status == APART_OK && move_links(r, t) != APART_OK) {
        status = ap_robot_fail_memory(error);
    }
    if (status == APART_OK) {
        status = mend_mimics(r, mimics, error);
    }
    if (status == APART_OK) {
        status = number_variables(r, mimics, error);
    }
    if (status == APART_OK) {
        status = make_frames(r, error);
    }
    free(mimics);
    return status;
}

apart_status apart_robot_finish(apart_robot *r, apart_io_error *error)
{
    if (r == NULL || r->draft == NULL) {
        return ap_robot_fail_finished(error);
    }
    tree t = {.joint_to = calloc(r->link_count + 1, sizeof(size_t)),
              .parent_of = calloc(r->draft->count + 1, sizeof(size_t)),
              .order = calloc(r->link_count + 1, sizeof(size_t)),
              .place = calloc(r->link_count + 1, sizeof(size_t))};
    const bool memory = t.joint_to != NULL && t.parent_of != NULL && t.order != NULL && t.place != NULL;
    const apart_status status = memory ? finish_tree(r, &t, error) : ap_robot_fail_memory(error);
    free(t.joint_to);
    free(t.parent_of);
    free(t.order);
    free(t.place);
    ap_robot_free_draft(r);
    return status;
}
