/* MJCF, the models of MuJoCo: bodies, joints, geoms, classes of defaults, included files, excluded pairs, couplings of
 * joints, keyframes. Format: mujoco.readthedocs.io, "XML Reference". A body of several joints becomes a chain of links
 * without geometry; the last one has the body's name. Simulation (actuators, sensors, tendons ...) is passed over; what
 * would change the geometry and is not read is named in a note. */
#include <math.h>

#include "mjcf.h"
#include "../text/text.h"

/* A link that joints and geoms are added to. */
typedef struct place {
    const char *link, *class;
    apart_pose frame; /* where the next element stands in the link's frame: <frame>, or a body that is not begun */
} place;

static apart_status read_children(ap_mjcf *m, const ap_xml_node *node, const place *at);

static const char *make_name(ap_mjcf *m, const char *format, const char *text, size_t number)
{
    char *name = ap_xml_allocate(m->tree, 300);
    if (name != NULL) {
        snprintf(name, 300, format, text, number);
    }
    return name;
}

/* ---- joints ---- */

static apart_status keep_joint(ap_mjcf *m, const char *name, size_t numbers, double ref)
{
    ap_mjcf_joint *larger = ap_robot_grow(m->joints, m->joint_count, sizeof *larger);
    if (larger == NULL || name == NULL) {
        return ap_report_memory(m->error, m->root->file);
    }
    m->joints = larger;
    larger[m->joint_count++] = (ap_mjcf_joint){name, numbers, ref};
    return APART_OK;
}

/* The equality that ties a joint to another by a straight line, or NULL. */
static const ap_xml_node *find_coupling(const ap_mjcf *m, const char *name)
{
    const ap_xml_node *e = ap_xml_child(m->root, "equality");
    for (; e != NULL; e = ap_xml_next(e, "equality")) {
        for (const ap_xml_node *n = ap_xml_child(e, "joint"); n != NULL; n = ap_xml_next(n, "joint")) {
            const char *first = ap_xml_find(n, "joint1");
            if (first != NULL && strcmp(first, name) == 0 && ap_xml_find(n, "joint2") != NULL) {
                return n;
            }
        }
    }
    return NULL;
}

static apart_status couple(ap_mjcf *m, const char *name, apart_robot_joint *joint, const char **mimics)
{
    const ap_xml_node *n = find_coupling(m, name);
    double c[5] = {0, 1, 0, 0, 0};
    *mimics = NULL;
    if (n == NULL) {
        return APART_OK;
    }
    const apart_status status = ap_xml_numbers(n, "polycoef", 1, 5, c, NULL, m->error);
    if (status == APART_OK && (c[2] != 0 || c[3] != 0 || c[4] != 0)) {
        return ap_xml_note(n, m->r, "joints coupled by curves move by themselves",
                           "joint '%.80s' is coupled by a curve: it moves by itself", name);
    }
    joint->offset = c[0];
    joint->factor = c[1];
    *mimics = ap_xml_find(n, "joint2");
    return status;
}

static apart_status read_range(const ap_mjcf *m, const ap_xml_node *node, const char *class, double unit,
                               apart_robot_joint *joint)
{
    double range[2];
    size_t count;
    const char *limited = ap_mjcf_find(m, node, class, "limited");
    const apart_status status = ap_mjcf_numbers(m, node, class, "range", 2, 2, range, &count);
    joint->lower = -INFINITY;
    joint->upper = INFINITY;
    if (status == APART_OK && count == 2 && (limited == NULL || strcmp(limited, "false") != 0)) {
        joint->lower = unit * range[0];
        joint->upper = unit * range[1];
    }
    return status;
}

/* A hinge or slide from one link to the next, whose frame is that of the body moved by the joint. */
static apart_status add_simple(ap_mjcf *m, const ap_xml_node *node, const char *class, bool slides, const char *name,
                               const char *parent, const char *child, const apart_pose *frame)
{
    const double unit = slides || m->radians ? 1.0 : acos(-1.0) / 180.0;
    double pos[3] = {0}, axis[3] = {0, 0, 1}, ref = 0;
    const char *mimics, *inner = make_name(m, "%.250s/pivot", name, 0);
    apart_robot_joint joint = {.kind = slides ? APART_JOINT_SLIDING : APART_JOINT_ROTARY,
                               .factor = 1,
                               .line = node->line};
    apart_status status = ap_mjcf_numbers(m, node, class, "pos", 3, 3, pos, NULL);
    status = status == APART_OK ? ap_mjcf_numbers(m, node, class, "axis", 3, 3, axis, NULL) : status;
    status = status == APART_OK ? ap_mjcf_numbers(m, node, class, "ref", 1, 1, &ref, NULL) : status;
    status = status == APART_OK ? read_range(m, node, class, unit, &joint) : status;
    status = status == APART_OK ? couple(m, name, &joint, &mimics) : status;
    status = status == APART_OK ? keep_joint(m, name, 1, unit * ref) : status;
    if (status != APART_OK) {
        return status;
    }
    const apart_pose there = apart_pose_translation(pos[0], pos[1], pos[2]),
                     back = apart_pose_translation(-pos[0], -pos[1], -pos[2]);
    const bool at_pivot = pos[0] != 0 || pos[1] != 0 || pos[2] != 0;
    joint.axis = (apart_vec3){axis[0], axis[1], axis[2]};
    joint.origin = apart_pose_compose(frame, &there);
    if (ref != 0) { /* at this position the body is where the file has it */
        apart_pose turned = apart_pose_identity();
        if (slides) {
            turned.translation = apart_vec3_scale(-ref / fmax(apart_vec3_norm(joint.axis), 1e-300), joint.axis);
        } else {
            (void)apart_pose_from_axis_angle(joint.axis, -unit * ref, (apart_vec3){0, 0, 0}, &turned);
        }
        joint.origin = apart_pose_compose(&joint.origin, &turned);
    }
    const char *behind = make_name(m, "%.240s/pivot back", name, 0);
    if (inner == NULL || behind == NULL) {
        return ap_report_memory(m->error, node->file);
    }
    status = at_pivot ? apart_robot_add_link(m->r, inner, node->line, m->error) : APART_OK;
    if (status == APART_OK) {
        status = apart_robot_add_joint(m->r, name, parent, at_pivot ? inner : child, mimics, &joint, m->error);
    }
    const apart_robot_joint fixed = {.origin = back, .axis = {0, 0, 1}, .factor = 1, .line = node->line};
    return status == APART_OK && at_pivot ? apart_robot_add_joint(m->r, behind, inner, child, NULL, &fixed, m->error)
                                          : status;
}

/* A ball turns about three axes in turn, a free body slides along three before. */
static apart_status add_many(ap_mjcf *m, const ap_xml_node *node, const char *name, bool is_free, const char *parent,
                             const char *child, const apart_pose *frame)
{
    static const char *const suffixes[] = {"x", "y", "z", "yaw", "pitch", "roll"};
    static const apart_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    apart_status status = keep_joint(m, name, is_free ? 7 : 4, 0.0);
    const char *before = parent;
    for (size_t i = is_free ? 0 : 3; i < 6 && status == APART_OK; i++) {
        char text[300];
        snprintf(text, sizeof text, "%.250s/%s", name, suffixes[i]);
        const char *own = make_name(m, "%s", text, 0), *next = i == 5 ? child : own;
        const apart_robot_joint joint = {.kind = i < 3 ? APART_JOINT_SLIDING : APART_JOINT_CONTINUOUS,
                                         .origin = before == parent ? *frame : apart_pose_identity(),
                                         .axis = axes[i],
                                         .lower = -INFINITY,
                                         .upper = INFINITY,
                                         .factor = 1,
                                         .line = node->line};
        status = own == NULL ? ap_report_memory(m->error, node->file)
                             : (i == 5 ? APART_OK : apart_robot_add_link(m->r, own, node->line, m->error));
        status = status == APART_OK ? apart_robot_add_joint(m->r, own, before, next, NULL, &joint, m->error) : status;
        before = next;
    }
    return status;
}

static apart_status add_joint(ap_mjcf *m, const ap_xml_node *node, const place *at, const char *child)
{
    const bool is_free = ap_xml_is(node, "freejoint");
    const char *type = is_free ? "free" : ap_mjcf_find(m, node, at->class, "type"), *name = ap_xml_find(node, "name");
    name = name != NULL ? name : make_name(m, "%.200s/joint%zu", child, ++m->unnamed);
    type = type != NULL ? type : "hinge";
    if (name == NULL) {
        return ap_report_memory(m->error, node->file);
    }
    if (strcmp(type, "hinge") == 0 || strcmp(type, "slide") == 0) {
        return add_simple(m, node, at->class, type[0] == 's', name, at->link, child, &at->frame);
    }
    if (strcmp(type, "ball") == 0 || strcmp(type, "free") == 0) {
        return add_many(m, node, name, type[0] == 'f', at->link, child, &at->frame);
    }
    return ap_xml_fail(node, m->error, "<joint type=\"%.20s\">: expected hinge, slide, ball or free", type);
}

/* ---- bodies ---- */

static bool is_joint(const ap_xml_node *n) { return ap_xml_is(n, "joint") || ap_xml_is(n, "freejoint"); }

/* The joints of the body, one after the other; without any it is fixed. */
static apart_status add_joints(ap_mjcf *m, const ap_xml_node *node, const char *name, place at)
{
    size_t left = 0, number = 0;
    apart_status status = APART_OK;
    for (const ap_xml_node *n = node->first; n != NULL; n = n->next) {
        left += is_joint(n);
    }
    if (left == 0) {
        const apart_robot_joint fixed = {.origin = at.frame, .axis = {0, 0, 1}, .factor = 1, .line = node->line};
        const char *joint = make_name(m, "%.250s/fixed", name, 0);
        return joint == NULL ? ap_report_memory(m->error, node->file)
                             : apart_robot_add_joint(m->r, joint, at.link, name, NULL, &fixed, m->error);
    }
    for (const ap_xml_node *n = node->first; n != NULL && status == APART_OK; n = n->next) {
        if (!is_joint(n)) {
            continue;
        }
        const char *child = --left == 0 ? name : make_name(m, "%.240s/part%zu", name, ++number);
        if (child == NULL) {
            return ap_report_memory(m->error, node->file);
        }
        status = left == 0 ? APART_OK : apart_robot_add_link(m->r, child, n->line, m->error);
        status = status == APART_OK ? add_joint(m, n, &at, child) : status;
        at.link = child;
        at.frame = apart_pose_identity();
    }
    return status;
}

static apart_status read_body(ap_mjcf *m, const ap_xml_node *node, const place *around)
{
    const char *name = ap_xml_find(node, "name"), *class = ap_xml_find(node, "childclass");
    apart_pose pose;
    name = name != NULL ? name : make_name(m, "%sbody%zu", "", ++m->unnamed);
    if (name == NULL) {
        return ap_report_memory(m->error, node->file);
    }
    place at = *around;
    at.class = class != NULL ? class : around->class;
    apart_status status = ap_mjcf_pose(m, node, at.class, &pose);
    at.frame = apart_pose_compose(&around->frame, &pose);
    status = status == APART_OK ? apart_robot_add_link(m->r, name, node->line, m->error) : status;
    status = status == APART_OK ? add_joints(m, node, name, at) : status;
    at.link = name;
    at.frame = apart_pose_identity();
    return status == APART_OK ? read_children(m, node, &at) : status;
}

static apart_status read_frame(ap_mjcf *m, const ap_xml_node *node, const place *around)
{
    const char *class = ap_xml_find(node, "childclass");
    place at = *around;
    apart_pose pose;
    at.class = class != NULL ? class : around->class;
    const apart_status status = ap_mjcf_pose(m, node, at.class, &pose);
    at.frame = apart_pose_compose(&around->frame, &pose);
    return status == APART_OK ? read_children(m, node, &at) : status;
}

/* Elements of a body that do not change its geometry or are read elsewhere; others are named. */
static apart_status note_unread(ap_mjcf *m, const ap_xml_node *n)
{
    static const char *const harmless[] = {"inertial", "joint", "freejoint", "site", "camera", "light", "plugin"};
    char cause[60];
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (ap_xml_is(n, harmless[i])) {
            return APART_OK;
        }
    }
    snprintf(cause, sizeof cause, "<%.20s> is not read", n->name);
    return ap_xml_note(n, m->r, cause, "<%.20s> is not read", n->name);
}

static apart_status read_children(ap_mjcf *m, const ap_xml_node *node, const place *at)
{
    apart_status status = APART_OK;
    for (const ap_xml_node *n = node->first; n != NULL && status == APART_OK; n = n->next) {
        if (ap_xml_is(n, "body")) {
            status = read_body(m, n, at);
        } else if (ap_xml_is(n, "geom")) {
            status = ap_mjcf_geom(m, n, at->class, at->link, &at->frame);
        } else if (ap_xml_is(n, "frame")) {
            status = read_frame(m, n, at);
        } else {
            status = note_unread(m, n);
        }
    }
    return status;
}

/* ---- the rest ---- */

static apart_status read_compiler(ap_mjcf *m)
{
    const ap_xml_node *n = ap_xml_child(m->root, "compiler");
    for (; n != NULL; n = ap_xml_next(n, "compiler")) {
        const char *angle = ap_xml_find(n, "angle"), *sequence = ap_xml_find(n, "eulerseq"),
                   *folder = ap_xml_find(n, "meshdir"), *coordinates = ap_xml_find(n, "coordinate");
        folder = folder != NULL ? folder : ap_xml_find(n, "assetdir");
        m->radians = angle != NULL ? strcmp(angle, "radian") == 0 : m->radians;
        if (coordinates != NULL && strcmp(coordinates, "local") != 0) {
            return ap_xml_fail(n, m->error, "coordinate=\"%.20s\": only local coordinates are read", coordinates);
        }
        if (sequence != NULL) {
            if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3) {
                return ap_xml_fail(n, m->error, "eulerseq=\"%.20s\": expected three of x, y, z, X, Y, Z", sequence);
            }
            memcpy(m->sequence, sequence, 4);
        }
        if (folder != NULL && *folder != '\0') {
            m->mesh_folder = make_name(m, folder[strlen(folder) - 1] == '/' ? "%.250s" : "%.250s/", folder, 0);
        }
    }
    return m->mesh_folder != NULL ? APART_OK : ap_report_memory(m->error, m->root->file);
}

static apart_status read_contacts(ap_mjcf *m)
{
    apart_status status = APART_OK;
    const ap_xml_node *c = ap_xml_child(m->root, "contact");
    for (; c != NULL && status == APART_OK; c = ap_xml_next(c, "contact")) {
        for (const ap_xml_node *n = c->first; n != NULL && status == APART_OK; n = n->next) {
            const char *first = NULL, *second = NULL;
            if (!ap_xml_is(n, "exclude")) {
                continue;
            }
            status = ap_xml_need(n, "body1", &first, m->error);
            status = status == APART_OK ? ap_xml_need(n, "body2", &second, m->error) : status;
            status = status == APART_OK ? apart_robot_disable_pair(m->r, first, second) : status;
        }
    }
    return status;
}

static apart_status read_key(ap_mjcf *m, const ap_xml_node *key)
{
    enum { MOST = 512 };
    double numbers[MOST];
    size_t count, at = 0;
    const char *name = ap_xml_find(key, "name");
    apart_status status = ap_xml_numbers(key, "qpos", 1, MOST, numbers, &count, m->error);
    for (size_t i = 0; i < m->joint_count && status == APART_OK && at < count; at += m->joints[i++].numbers) {
        if (m->joints[i].numbers == 1) {
            status = apart_robot_add_state(m->r, &(apart_robot_state_value){"keyframe", name != NULL ? name : "key",
                                                                            m->joints[i].name, numbers[at]});
        }
    }
    return status;
}

static apart_status read_keyframes(ap_mjcf *m)
{
    apart_status status = APART_OK;
    const ap_xml_node *k = ap_xml_child(m->root, "keyframe");
    for (; k != NULL && status == APART_OK; k = ap_xml_next(k, "keyframe")) {
        for (const ap_xml_node *n = ap_xml_child(k, "key"); n != NULL && status == APART_OK;
             n = ap_xml_next(n, "key")) {
            status = read_key(m, n);
        }
    }
    return status;
}

static apart_status read_model(ap_mjcf *m, ap_xml_node *root)
{
    const char *name = ap_xml_find(root, "model");
    place world = {.link = "world", .frame = apart_pose_identity()};
    apart_status status = ap_mjcf_include(m, root, 0);
    status = status == APART_OK ? read_compiler(m) : status;
    status = status == APART_OK && name != NULL ? apart_robot_set_name(m->r, name) : status;
    status = status == APART_OK ? apart_robot_add_link(m->r, "world", root->line, m->error) : status;
    const ap_xml_node *n = ap_xml_child(root, "worldbody");
    for (; n != NULL && status == APART_OK; n = ap_xml_next(n, "worldbody")) {
        status = read_children(m, n, &world);
    }
    status = status == APART_OK ? read_contacts(m) : status;
    return status == APART_OK ? read_keyframes(m) : status;
}

apart_status ap_robot_read_mjcf(ap_xml_tree *tree, ap_xml_node *root, const apart_robot_read_options *options,
                                apart_robot *r, apart_io_error *error)
{
    ap_mjcf m = {.r = r,
                 .tree = tree,
                 .root = root,
                 .geometries = {.packages = options->packages, .as = options->as},
                 .sequence = "xyz",
                 .mesh_folder = "",
                 .error = error};
    apart_status status = read_model(&m, root);
    status = status == APART_OK ? apart_robot_finish(r, error) : status;
    status = status == APART_OK ? ap_geometry_finish(&m.geometries, r, error) : status;
    free(m.geometries.list);
    free(m.joints);
    return status;
}
