/* Builds a robot: links and joints come by name in any order, robot_finish sorts them into a tree, root first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* A joint as it was given. */
typedef struct draft_joint {
    robot_joint joint;
    char *parent, *child, *mimics;
} draft_joint;

struct robot_draft {
    draft_joint *joints;
    size_t count;
};

/* ---- building ---- */

robot *robot_new(const char *file)
{
    robot *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->file = robot_copy(file);
    r->name = robot_copy("robot");
    r->draft = calloc(1, sizeof *r->draft);
    if (r->file == NULL || r->name == NULL || r->draft == NULL) {
        robot_free(r);
        return NULL;
    }
    return r;
}

static void free_draft(robot *r)
{
    for (size_t i = 0; r->draft != NULL && i < r->draft->count; i++) {
        free(r->draft->joints[i].joint.name);
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

void robot_free(robot *r)
{
    if (r == NULL) {
        return;
    }
    free_draft(r);
    for (size_t i = 0; i < r->link_count; i++) {
        free(r->links[i].name);
        free(r->links[i].parts);
    }
    for (size_t i = 0; i < r->joint_count; i++) {
        free(r->joints[i].name);
    }
    for (size_t i = 0; i < r->disabled_count; i++) {
        free(r->disabled[i][0]);
        free(r->disabled[i][1]);
    }
    for (size_t i = 0; i < r->note_count; i++) {
        free(r->notes[i].text);
        free(r->notes[i].link);
    }
    for (size_t i = 0; i < r->hull_count; i++) {
        apart_hull_free(r->hulls[i]);
    }
    free(r->links);
    free(r->joints);
    free(r->variables);
    free(r->disabled);
    free(r->notes);
    free(r->hulls);
    free(r->name);
    free(r->file);
    free(r);
}

/* " (line 7)", or nothing where no line is known. */
typedef struct line_text {
    char text[40];
} line_text;

static line_text in_line(size_t line)
{
    line_text out = {.text = ""};
    if (line > 0) {
        snprintf(out.text, sizeof out.text, " (line %zu)", line);
    }
    return out;
}

apart_status robot_add_link(robot *r, const char *name, size_t line, apart_io_error *error)
{
    const size_t known = robot_find_link(r, name);
    if (known != ROBOT_NONE) {
        return robot_fail(error, APART_ERR_SYNTAX, r->file, line, "a second link '%s'%s", name,
                          in_line(r->links[known].line).text);
    }
    robot_link *larger = robot_grow(r->links, r->link_count, sizeof *larger);
    char *copy = robot_copy(name);
    if (larger != NULL) {
        r->links = larger;
    }
    if (larger == NULL || copy == NULL) {
        free(copy);
        return robot_fail_memory(error);
    }
    r->links[r->link_count++] = (robot_link){.name = copy, .line = line};
    return APART_OK;
}

apart_status robot_add_part(robot *r, size_t number, const apart_part *part, apart_hull *hull)
{
    robot_link *link = &r->links[number];
    if (hull != NULL) {
        apart_hull **larger = robot_grow(r->hulls, r->hull_count, sizeof *larger);
        if (larger == NULL) {
            apart_hull_free(hull);
            return APART_ERR_MEMORY;
        }
        r->hulls = larger;
        r->hulls[r->hull_count++] = hull;
    }
    const apart_status status = apart_shape_check(&part->shape);
    if (status != APART_OK) {
        return status;
    }
    apart_part *larger = robot_grow(link->parts, link->part_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    link->parts = larger;
    link->parts[link->part_count++] = *part;
    return APART_OK;
}

static apart_status check_axis(const robot *r, const char *name, robot_joint *joint, apart_io_error *error)
{
    const double length = apart_vec3_norm(joint->axis);
    if (joint->kind == ROBOT_FIXED) {
        return APART_OK;
    }
    if (!(length > 0.0) || !isfinite(length)) {
        return robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "joint '%s': the axis has length zero", name);
    }
    joint->axis = apart_vec3_scale(1.0 / length, joint->axis);
    if (!(joint->lower <= joint->upper)) {
        return robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line,
                          "joint '%s': the lower limit %g is above the upper limit %g", name, joint->lower,
                          joint->upper);
    }
    return APART_OK;
}

apart_status robot_add_joint(robot *r, const char *name, const char *parent, const char *child, const char *mimics,
                             const robot_joint *joint, apart_io_error *error)
{
    struct robot_draft *draft = r->draft;
    draft_joint added = {.joint = *joint};
    for (size_t i = 0; i < draft->count; i++) {
        if (strcmp(draft->joints[i].joint.name, name) == 0) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "a second joint '%s'%s", name,
                              in_line(draft->joints[i].joint.line).text);
        }
    }
    const apart_status status = check_axis(r, name, &added.joint, error);
    if (status != APART_OK) {
        return status;
    }
    draft_joint *larger = robot_grow(draft->joints, draft->count, sizeof *larger);
    if (larger == NULL) {
        return robot_fail_memory(error);
    }
    draft->joints = larger;
    added.joint.name = robot_copy(name);
    added.parent = robot_copy(parent);
    added.child = robot_copy(child);
    added.mimics = mimics != NULL ? robot_copy(mimics) : NULL;
    draft->joints[draft->count++] = added;
    const bool whole = added.joint.name != NULL && added.parent != NULL && added.child != NULL &&
                       (mimics == NULL || added.mimics != NULL);
    return whole ? APART_OK : robot_fail_memory(error);
}

apart_status robot_disable_pair(robot *r, const char *first, const char *second)
{
    char *(*larger)[2] = robot_grow(r->disabled, r->disabled_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    r->disabled = larger;
    char **names = r->disabled[r->disabled_count];
    names[0] = robot_copy(first);
    names[1] = robot_copy(second);
    if (names[0] == NULL || names[1] == NULL) {
        free(names[0]);
        free(names[1]);
        return APART_ERR_MEMORY;
    }
    r->disabled_count++;
    return APART_OK;
}

apart_status robot_add_note(robot *r, const robot_note *note)
{
    robot_note *larger = robot_grow(r->notes, r->note_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    r->notes = larger;
    robot_note *added = &r->notes[r->note_count];
    *added = *note;
    added->text = robot_copy(note->text);
    added->link = robot_copy(note->link != NULL ? note->link : "");
    if (added->text == NULL || added->link == NULL) {
        free(added->text);
        free(added->link);
        return APART_ERR_MEMORY;
    }
    r->note_count++;
    return APART_OK;
}

/* ---- the tree ---- */

/* For each link the draft joint that leads to it; for each joint its parent link. Both by number, ROBOT_NONE for
 * none. */
typedef struct tree {
    size_t *joint_to, *parent_of, *order, *place;
} tree;

static apart_status resolve(robot *r, tree *t, apart_io_error *error)
{
    for (size_t i = 0; i < r->link_count; i++) {
        t->joint_to[i] = ROBOT_NONE;
    }
    for (size_t i = 0; i < r->draft->count; i++) {
        const draft_joint *d = &r->draft->joints[i];
        const size_t parent = robot_find_link(r, d->parent), child = robot_find_link(r, d->child), line = d->joint.line;
        if (parent == ROBOT_NONE || child == ROBOT_NONE) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, line, "joint '%s': the %s link '%s' does not exist",
                              d->joint.name, parent == ROBOT_NONE ? "parent" : "child",
                              parent == ROBOT_NONE ? d->parent : d->child);
        }
        if (t->joint_to[child] != ROBOT_NONE) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, line,
                              "joint '%s': the link '%s' is already the child of joint '%s'%s", d->joint.name, d->child,
                              r->draft->joints[t->joint_to[child]].joint.name,
                              in_line(r->draft->joints[t->joint_to[child]].joint.line).text);
        }
        t->joint_to[child] = i;
        t->parent_of[i] = parent;
    }
    return APART_OK;
}

/* The links that hang on nothing: there must be one. */
static apart_status find_root(const robot *r, const tree *t, size_t *root, apart_io_error *error)
{
    *root = ROBOT_NONE;
    for (size_t i = 0; i < r->link_count; i++) {
        if (t->joint_to[i] != ROBOT_NONE) {
            continue;
        }
        if (*root != ROBOT_NONE) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, r->links[i].line,
                              "the links '%s'%s and '%s' both hang on no joint: a robot has one root",
                              r->links[*root].name, in_line(r->links[*root].line).text, r->links[i].name);
        }
        *root = i;
    }
    if (r->link_count == 0) {
        return robot_fail(error, APART_ERR_SYNTAX, r->file, 0, "no link");
    }
    return APART_OK;
}

/* "a, b, c" of a ring of joints that starts at a link. */
static apart_status report_cycle(const robot *r, const tree *t, size_t link, apart_io_error *error)
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
    return robot_fail(error, APART_ERR_SYNTAX, r->file, r->draft->joints[t->joint_to[start]].joint.line,
                      "the joints %s form a cycle", text);
}

/* Parents before children, in the order of the file otherwise; what is never reached is a cycle. */
static apart_status sort_links(const robot *r, tree *t, apart_io_error *error)
{
    size_t root, count = 0;
    const apart_status status = find_root(r, t, &root, error);
    if (status != APART_OK) {
        return status;
    }
    for (size_t i = 0; i < r->link_count; i++) {
        t->place[i] = ROBOT_NONE;
    }
    if (root != ROBOT_NONE) {
        t->place[root] = 0;
        t->order[count++] = root;
    }
    for (size_t done = 0; done < count; done++) {
        for (size_t i = 0; i < r->draft->count; i++) {
            if (t->parent_of[i] == t->order[done]) {
                const size_t child = robot_find_link(r, r->draft->joints[i].child);
                t->place[child] = count;
                t->order[count++] = child;
            }
        }
    }
    for (size_t i = 0; i < r->link_count; i++) {
        if (t->place[i] == ROBOT_NONE) {
            return report_cycle(r, t, i, error);
        }
    }
    return APART_OK;
}

static apart_status move_links(robot *r, const tree *t)
{
    robot_link *links = calloc(r->link_count, sizeof *links);
    robot_joint *joints = calloc(r->link_count, sizeof *joints);
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

static size_t find_joint(const robot *r, const char *name)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        if (strcmp(r->joints[i].name, name) == 0) {
            return i;
        }
    }
    return ROBOT_NONE;
}

/* Follows mimics from joint to joint; a ring of mimics never ends. */
static apart_status follow_mimic(robot *r, const char **mimics, size_t i, apart_io_error *error)
{
    robot_joint *joint = &r->joints[i];
    double factor = joint->factor, offset = joint->offset;
    size_t at = i;
    for (size_t steps = 0; mimics[at] != NULL; steps++) {
        const size_t next = find_joint(r, mimics[at]);
        if (next == ROBOT_NONE || r->joints[next].kind == ROBOT_FIXED) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line,
                              "joint '%s' mimics '%s', which is no joint that moves", joint->name, mimics[at]);
        }
        if (steps > r->joint_count) {
            return robot_fail(error, APART_ERR_SYNTAX, r->file, joint->line, "joint '%s' mimics itself", joint->name);
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

static apart_status number_variables(robot *r, const char **mimics, apart_io_error *error)
{
    size_t *variable_of = calloc(r->joint_count + 1, sizeof *variable_of);
    robot_joint *given = calloc(r->joint_count + 1, sizeof *given);
    r->variables = calloc(r->joint_count + 1, sizeof *r->variables);
    apart_status status =
        variable_of != NULL && given != NULL && r->variables != NULL ? APART_OK : robot_fail_memory(error);
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        variable_of[i] = r->variable_count;
        if (r->joints[i].kind != ROBOT_FIXED && mimics[i] == NULL) {
            r->variables[r->variable_count++] = i;
        }
    }
    /* Each joint is followed with the factors as given, so that the results go elsewhere first. */
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        const robot_joint before = r->joints[i];
        r->joints[i].variable = ROBOT_NONE;
        status = r->joints[i].kind != ROBOT_FIXED ? follow_mimic(r, mimics, i, error) : APART_OK;
        given[i] = r->joints[i];
        r->joints[i] = before;
    }
    for (size_t i = 0; i < r->joint_count && status == APART_OK; i++) {
        r->joints[i] = given[i];
        r->joints[i].variable = given[i].variable == ROBOT_NONE ? ROBOT_NONE : variable_of[given[i].variable];
    }
    free(variable_of);
    free(given);
    return status;
}

static apart_status finish_tree(robot *r, tree *t, apart_io_error *error)
{
    const char **mimics = calloc(r->draft->count + 1, sizeof *mimics);
    apart_status status = mimics != NULL ? resolve(r, t, error) : robot_fail_memory(error);
    if (status == APART_OK) {
        status = sort_links(r, t, error);
    }
    for (size_t i = 1; i < r->link_count && status == APART_OK; i++) {
        mimics[i - 1] = r->draft->joints[t->joint_to[t->order[i]]].mimics;
    }
    if (status == APART_OK && move_links(r, t) != APART_OK) {
        status = robot_fail_memory(error);
    }
    if (status == APART_OK) {
        status = number_variables(r, mimics, error);
    }
    free(mimics);
    return status;
}

apart_status robot_finish(robot *r, apart_io_error *error)
{
    tree t = {.joint_to = calloc(r->link_count + 1, sizeof(size_t)),
              .parent_of = calloc(r->draft->count + 1, sizeof(size_t)),
              .order = calloc(r->link_count + 1, sizeof(size_t)),
              .place = calloc(r->link_count + 1, sizeof(size_t))};
    const bool memory = t.joint_to != NULL && t.parent_of != NULL && t.order != NULL && t.place != NULL;
    const apart_status status = memory ? finish_tree(r, &t, error) : robot_fail_memory(error);
    free(t.joint_to);
    free(t.parent_of);
    free(t.order);
    free(t.place);
    free_draft(r);
    return status;
}

/* ---- names ---- */

const char *robot_variable_name(const robot *r, size_t variable) { return r->joints[r->variables[variable]].name; }

size_t robot_find_link(const robot *r, const char *name)
{
    for (size_t i = 0; i < r->link_count; i++) {
        if (strcmp(r->links[i].name, name) == 0) {
            return i;
        }
    }
    return ROBOT_NONE;
}

size_t robot_find_variable(const robot *r, const char *name)
{
    for (size_t i = 0; i < r->variable_count; i++) {
        if (strcmp(robot_variable_name(r, i), name) == 0) {
            return i;
        }
    }
    return ROBOT_NONE;
}

const char *robot_joint_kind_name(int kind)
{
    static const char *const names[] = {"fixed", "rotary", "continuous", "sliding"};
    return names[kind];
}
