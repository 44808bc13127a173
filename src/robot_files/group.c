/* Groups of joints as an SRDF names them: joints, links (the joint that each hangs on), chains from a link down to
 * another, and other groups. */
#include "xml.h"

enum { MOST_DEPTH = 16 };

typedef struct group_reader {
    const ap_xml_node *root;
    const apart_robot *r;
    unsigned char *chosen; /* by variable */
    apart_io_error *error;
} group_reader;

static void choose_joint(const group_reader *g, const apart_robot_joint *joint)
{
    if (joint->variable != APART_ROBOT_NONE) {
        g->chosen[joint->variable] = 1;
    }
}

static apart_status take_joint(const group_reader *g, const ap_xml_node *node)
{
    const char *name;
    const apart_status status = ap_xml_need(node, "name", &name, g->error);
    for (size_t i = 0; status == APART_OK && i < apart_robot_joint_count(g->r); i++) {
        if (strcmp(apart_robot_joint_at(g->r, i)->name, name) == 0) {
            choose_joint(g, apart_robot_joint_at(g->r, i));
        }
    }
    return status; /* an unknown joint: the SRDF may be that of a larger robot */
}

/* The link of an attribute. */
static apart_status find_link(const group_reader *g, const ap_xml_node *node, const char *attribute, size_t *out)
{
    const char *name;
    const apart_status status = ap_xml_need(node, attribute, &name, g->error);
    *out = status == APART_OK ? apart_robot_find_link(g->r, name) : APART_ROBOT_NONE;
    return status;
}

static apart_status take_link(const group_reader *g, const ap_xml_node *node)
{
    size_t link;
    const apart_status status = find_link(g, node, "name", &link);
    if (link != APART_ROBOT_NONE && link > 0) {
        choose_joint(g, apart_robot_joint_at(g->r, link - 1));
    }
    return status;
}

static apart_status take_chain(const group_reader *g, const ap_xml_node *node)
{
    size_t base, tip;
    apart_status status = find_link(g, node, "base_link", &base);
    status = status == APART_OK ? find_link(g, node, "tip_link", &tip) : status;
    if (status != APART_OK) {
        return status;
    }
    if (base == APART_ROBOT_NONE || tip == APART_ROBOT_NONE) {
        return ap_xml_fail(node, g->error, "<chain>: a link of it is not one of %.100s", apart_robot_file(g->r));
    }
    for (size_t link = tip; link != base; link = apart_robot_joint_at(g->r, link - 1)->parent) {
        if (link == 0) {
            return ap_xml_fail(node, g->error, "<chain>: the base link is not above the tip link");
        }
        choose_joint(g, apart_robot_joint_at(g->r, link - 1));
    }
    return APART_OK;
}

static const ap_xml_node *find_group(const group_reader *g, const char *name)
{
    const ap_xml_node *node = ap_xml_child(g->root, "group");
    while (node != NULL && (ap_xml_find(node, "name") == NULL || strcmp(ap_xml_find(node, "name"), name) != 0)) {
        node = ap_xml_next(node, "group");
    }
    return node;
}

static apart_status take_group(const group_reader *g, const ap_xml_node *group, int depth)
{
    apart_status status = APART_OK;
    for (const ap_xml_node *n = group->first; n != NULL && status == APART_OK; n = n->next) {
        if (ap_xml_is(n, "joint") || ap_xml_is(n, "passive_joint")) {
            status = ap_xml_is(n, "joint") ? take_joint(g, n) : APART_OK;
        } else if (ap_xml_is(n, "link")) {
            status = take_link(g, n);
        } else if (ap_xml_is(n, "chain")) {
            status = take_chain(g, n);
        } else if (ap_xml_is(n, "group")) {
            const char *name = NULL;
            status = ap_xml_need(n, "name", &name, g->error);
            const ap_xml_node *other = status == APART_OK ? find_group(g, name) : NULL;
            if (status == APART_OK && (other == NULL || depth == MOST_DEPTH)) {
                return ap_xml_fail(n, g->error,
                                   other == NULL ? "there is no group '%.100s'" : "group '%.100s' contains itself",
                                   name);
            }
            status = status == APART_OK ? take_group(g, other, depth + 1) : status;
        }
    }
    return status;
}

apart_status apart_robot_read_group(const char *path, const char *group, const apart_robot *robot, size_t *variables,
                                    size_t *count, apart_io_error *error)
{
    if (path == NULL || group == NULL || robot == NULL || variables == NULL || count == NULL) {
        return APART_ERR_NULL;
    }
    ap_xml_tree tree = {.root = NULL};
    ap_xml_node *root = NULL;
    group_reader g = {.r = robot, .error = error};
    apart_status status = ap_xml_read(&tree, path, &root, error);
    g.root = root;
    g.chosen = calloc(apart_robot_variable_count(robot) + 1, 1);
    if (status == APART_OK && g.chosen == NULL) {
        status = ap_report_memory(error, path);
    }
    const ap_xml_node *node = status == APART_OK ? find_group(&g, group) : NULL;
    if (status == APART_OK && node == NULL) {
        status = ap_xml_fail(root, error, "there is no group '%.100s'", group);
    }
    status = status == APART_OK ? take_group(&g, node, 0) : status;
    *count = 0;
    for (size_t v = 0; status == APART_OK && v < apart_robot_variable_count(robot); v++) {
        if (g.chosen[v]) {
            variables[(*count)++] = v;
        }
    }
    if (status == APART_OK && *count == 0) {
        status = ap_xml_fail(node, error, "group '%.100s' has no joint of %.100s that moves", group,
                             apart_robot_file(robot));
    }
    free(g.chosen);
    ap_xml_free(&tree);
    return status;
}
