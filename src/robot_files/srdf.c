/* SRDF as MoveIt writes it: pairs of links whose collisions are not looked at (also all pairs of a link, with
 * exceptions), and named states of groups. Groups themselves, end effectors and virtual joints are passed over. */
#include "xml.h"

typedef struct srdf_reader {
    apart_robot *r;
    const char *const *others;
    apart_io_error *error;
} srdf_reader;

static bool is_known(const srdf_reader *s, const char *name)
{
    for (size_t i = 0; s->others != NULL && s->others[i] != NULL; i++) {
        if (strcmp(s->others[i], name) == 0) {
            return true;
        }
    }
    return apart_robot_find_link(s->r, name) != APART_ROBOT_NONE;
}

/* MoveIt warns as well: the SRDF may be that of a larger robot. */
static apart_status note_unknown(const srdf_reader *s, const ap_xml_node *node, const char *name)
{
    return ap_xml_note(node, s->r, "names of the SRDF that are neither links nor obstacles are passed over",
                       "<%.40s>: '%.100s' is neither a link of %.100s nor an obstacle: passed over", node->name, name,
                       apart_robot_file(s->r));
}

static apart_status read_pair(const srdf_reader *s, const ap_xml_node *node, bool disable)
{
    const char *first, *second;
    apart_status status = ap_xml_need(node, "link1", &first, s->error);
    status = status == APART_OK ? ap_xml_need(node, "link2", &second, s->error) : status;
    if (status != APART_OK) {
        return status;
    }
    if (!is_known(s, first) || !is_known(s, second)) {
        return note_unknown(s, node, !is_known(s, first) ? first : second);
    }
    return disable ? apart_robot_disable_pair(s->r, first, second) : apart_robot_enable_pair(s->r, first, second);
}

static apart_status read_link(const srdf_reader *s, const ap_xml_node *node)
{
    const char *link;
    const apart_status status = ap_xml_need(node, "link", &link, s->error);
    if (status != APART_OK) {
        return status;
    }
    return is_known(s, link) ? apart_robot_disable_link(s->r, link) : note_unknown(s, node, link);
}

static apart_status read_state(const srdf_reader *s, const ap_xml_node *node)
{
    const char *state, *group;
    apart_status status = ap_xml_need(node, "name", &state, s->error);
    status = status == APART_OK ? ap_xml_need(node, "group", &group, s->error) : status;
    const ap_xml_node *joint = ap_xml_child(node, "joint");
    for (; joint != NULL && status == APART_OK; joint = ap_xml_next(joint, "joint")) {
        apart_robot_state_value value = {.group = group, .state = state};
        size_t count;
        const char *text;
        double numbers[16] = {0};
        status = ap_xml_need(joint, "name", &value.joint, s->error);
        status = status == APART_OK ? ap_xml_need(joint, "value", &text, s->error) : status;
        status = status == APART_OK ? ap_xml_numbers(joint, "value", 1, 16, numbers, &count, s->error) : status;
        value.position = numbers[0];
        if (status == APART_OK && count == 1) {
            status = apart_robot_add_state(s->r, &value);
        }
    }
    return status;
}

static apart_status read_element(const srdf_reader *s, const ap_xml_node *node)
{
    if (ap_xml_is(node, "disable_collisions") || ap_xml_is(node, "enable_collisions")) {
        return read_pair(s, node, ap_xml_is(node, "disable_collisions"));
    }
    if (ap_xml_is(node, "disable_default_collisions")) {
        return read_link(s, node);
    }
    if (ap_xml_is(node, "link") || (ap_xml_is(node, "joint") && ap_xml_find(node, "type") != NULL)) {
        return ap_xml_fail(node, s->error,
                           "<%.20s>: this is a URDF; expected an SRDF (<disable_collisions>, <group_state>)",
                           node->name);
    }
    return ap_xml_is(node, "group_state") ? read_state(s, node) : APART_OK;
}

static apart_status read_elements(const srdf_reader *s, const ap_xml_node *root)
{
    apart_status status =
        ap_xml_is(root, "robot")
            ? APART_OK
            : ap_xml_fail(root, s->error, "expected <robot> as the outermost element, found <%.60s>", root->name);
    for (const ap_xml_node *n = root->first; n != NULL && status == APART_OK; n = n->next) {
        status = read_element(s, n);
    }
    return status == APART_ERR_MEMORY ? ap_report_memory(s->error, root->file) : status;
}

apart_status apart_robot_read_srdf(const char *path, const char *const *others, apart_robot *r, apart_io_error *error)
{
    if (path == NULL || r == NULL) {
        return APART_ERR_NULL;
    }
    const srdf_reader s = {.r = r, .others = others, .error = error};
    ap_xml_tree tree = {.root = NULL};
    ap_xml_node *root = NULL;
    apart_status status = ap_xml_read(&tree, path, &root, error);
    if (status == APART_OK) {
        status = read_elements(&s, root);
    }
    ap_xml_free(&tree);
    return status;
}
