/* URDF: links with their collision geometry, joints with origin, axis, limits and mimic. Visual and inertial parts,
 * materials, transmissions and simulator extensions are passed over. Format: wiki.ros.org/urdf/XML. As it is in the
 * wild: the link `world` need not be declared (Drake), a <geometry> may hold several shapes, elements of other
 * namespaces stand anywhere; planar, floating and spherical joints are chains of joints with one variable each. */
#include <math.h>

#include "geometry.h"

typedef struct urdf_reader {
    apart_robot *r;
    ap_xml_tree *tree;
    ap_robot_geometries geometries;
    apart_io_error *error;
} urdf_reader;

static apart_status read_origin(const ap_xml_node *node, apart_pose *out, apart_io_error *error)
{
    double xyz[3] = {0}, rpy[3] = {0};
    const ap_xml_node *origin = ap_xml_child(node, "origin");
    apart_status status = APART_OK;
    if (origin != NULL) {
        status = ap_xml_numbers(origin, "xyz", 3, 3, xyz, NULL, error);
        status = status == APART_OK ? ap_xml_numbers(origin, "rpy", 3, 3, rpy, NULL, error) : status;
    }
    if (status == APART_OK) {
        apart_pose_from_rpy(rpy[0], rpy[1], rpy[2], (apart_vec3){xyz[0], xyz[1], xyz[2]}, out);
    }
    return status;
}

static apart_status need_numbers(const ap_xml_node *node, const char *name, size_t count, double *out,
                                 apart_io_error *error)
{
    const char *text;
    const apart_status status = ap_xml_need(node, name, &text, error);
    return status == APART_OK ? ap_xml_numbers(node, name, count, count, out, NULL, error) : status;
}

/* ---- geometry ---- */

/* "drake:capsule" is a capsule too. */
static const char *plain_name(const ap_xml_node *node)
{
    return strncmp(node->name, "drake:", 6) == 0 ? node->name + 6 : node->name;
}

static apart_status read_round(const ap_xml_node *node, const char *name, apart_shape *out, apart_io_error *error)
{
    double radius = 0, length = 0;
    apart_status status = need_numbers(node, "radius", 1, &radius, error);
    if (strcmp(name, "sphere") == 0) {
        *out = apart_sphere(radius);
        return status;
    }
    status = status == APART_OK ? need_numbers(node, "length", 1, &length, error) : status;
    *out = strcmp(name, "cylinder") == 0 ? apart_cylinder(radius, length / 2) : apart_capsule(radius, length / 2);
    return status;
}

static apart_status read_ellipsoid(const ap_xml_node *node, apart_shape *out, apart_io_error *error)
{
    double a = 0, b = 0, c = 0;
    apart_status status = need_numbers(node, "a", 1, &a, error);
    status = status == APART_OK ? need_numbers(node, "b", 1, &b, error) : status;
    status = status == APART_OK ? need_numbers(node, "c", 1, &c, error) : status;
    *out = apart_ellipsoid((apart_vec3){a, b, c});
    return status;
}

static apart_status read_mesh(const ap_xml_node *node, ap_robot_geometry *g, apart_io_error *error)
{
    double scale[3] = {1, 1, 1};
    apart_status status = ap_xml_need(node, "filename", &g->file, error);
    status = status == APART_OK ? ap_xml_numbers(node, "scale", 3, 3, scale, NULL, error) : status;
    g->scale = (apart_vec3){scale[0], scale[1], scale[2]};
    return status;
}

/* *known: whether it is a shape at all. */
static apart_status read_shape(const ap_xml_node *node, ap_robot_geometry *g, bool *known, apart_io_error *error)
{
    const char *name = plain_name(node);
    double size[3] = {0};
    *known = true;
    if (strcmp(name, "box") == 0) {
        const apart_status status = need_numbers(node, "size", 3, size, error);
        g->shape = apart_box((apart_vec3){size[0] / 2, size[1] / 2, size[2] / 2});
        return status;
    }
    if (strcmp(name, "cylinder") == 0 || strcmp(name, "sphere") == 0 || strcmp(name, "capsule") == 0) {
        return read_round(node, name, &g->shape, error);
    }
    if (strcmp(name, "ellipsoid") == 0) {
        return read_ellipsoid(node, &g->shape, error);
    }
    if (strcmp(name, "mesh") == 0) {
        return read_mesh(node, g, error);
    }
    *known = false;
    return strchr(node->name, ':') != NULL
               ? APART_OK
               : ap_xml_fail(node, error, "<%.60s> is no geometry; expected box, cylinder, sphere, capsule or mesh",
                             node->name);
}

static apart_status read_collision(urdf_reader *u, const char *link, const ap_xml_node *collision)
{
    const ap_xml_node *geometry = ap_xml_child(collision, "geometry");
    size_t count = 0;
    apart_pose pose;
    apart_status status = read_origin(collision, &pose, u->error);
    for (const ap_xml_node *n = geometry != NULL ? geometry->first : NULL; n != NULL && status == APART_OK;
         n = n->next) {
        ap_robot_geometry g = {.link = link, .pose = pose, .node = n};
        bool known;
        status = read_shape(n, &g, &known, u->error);
        if (status != APART_OK || !known) {
            continue;
        }
        status = ap_geometry_add(&u->geometries, &g, u->error);
        if (++count == 2 && status == APART_OK) {
            status = ap_xml_note(n, u->r, "a <geometry> holds more than one shape; all are taken",
                                 "link '%.80s': the <geometry> holds more than one shape; all are taken", link);
        }
    }
    return status == APART_OK && count == 0
               ? ap_xml_fail(collision, u->error, "<collision> without a shape in its <geometry>")
               : status;
}

static apart_status read_link(urdf_reader *u, const ap_xml_node *node)
{
    const char *name;
    apart_status status = ap_xml_need(node, "name", &name, u->error);
    status = status == APART_OK ? apart_robot_add_link(u->r, name, node->line, u->error) : status;
    const ap_xml_node *collision = ap_xml_child(node, "collision");
    for (; collision != NULL && status == APART_OK; collision = ap_xml_next(collision, "collision")) {
        status = read_collision(u, name, collision);
    }
    return status;
}

/* ---- joints ---- */

enum { PLANAR = 100, FLOATING, SPHERICAL };

static apart_status read_kind(const ap_xml_node *node, int *kind, apart_io_error *error)
{
    static const struct {
        const char *type;
        int kind;
    } kinds[] = {{"revolute", APART_JOINT_ROTARY},
                 {"continuous", APART_JOINT_CONTINUOUS},
                 {"prismatic", APART_JOINT_SLIDING},
                 {"fixed", APART_JOINT_FIXED},
                 {"planar", PLANAR},
                 {"floating", FLOATING},
                 {"spherical", SPHERICAL},
                 {"ball", SPHERICAL}};
    const char *type;
    const apart_status status = ap_xml_need(node, "type", &type, error);
    for (size_t i = 0; status == APART_OK && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].type, type) == 0) {
            *kind = kinds[i].kind;
            return APART_OK;
        }
    }
    return status != APART_OK
               ? status
               : ap_xml_fail(node, error,
                             "joint type '%.60s'; expected revolute, continuous, prismatic, fixed, planar, floating or "
                             "spherical",
                             type);
}

/* One joint of a chain: from `parent` to a link of the joint's own name, or to the child at last. */
typedef struct chain_step {
    const char *suffix;
    int kind;
    apart_vec3 axis;
} chain_step;

static apart_status add_chain(urdf_reader *u, const ap_xml_node *node, const char *name, const char *parent,
                              const char *child, const apart_pose *origin, const chain_step *steps, size_t count)
{
    char before[300];
    apart_status status = APART_OK;
    snprintf(before, sizeof before, "%.250s", parent);
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        char own[300];
        const apart_robot_joint joint = {.kind = steps[i].kind,
                                         .origin = i == 0 ? *origin : apart_pose_identity(),
                                         .axis = steps[i].axis,
                                         .lower = -INFINITY,
                                         .upper = INFINITY,
                                         .factor = 1,
                                         .line = node->line};
        snprintf(own, sizeof own, "%.250s/%s", name, steps[i].suffix);
        const bool last = i + 1 == count;
        status = last ? APART_OK : apart_robot_add_link(u->r, own, node->line, u->error);
        if (status == APART_OK) {
            status = apart_robot_add_joint(u->r, own, before, last ? child : own, NULL, &joint, u->error);
        }
        memcpy(before, own, sizeof before);
    }
    return status;
}

/* In the plane perpendicular to the axis; along x and y where the axis is z. */
static void choose_plane(apart_vec3 axis, apart_vec3 *x, apart_vec3 *y)
{
    const double length = apart_vec3_norm(axis);
    const apart_vec3 z = length > 0 ? apart_vec3_scale(1 / length, axis) : (apart_vec3){0, 0, 1};
    const apart_vec3 other = fabs(z.x) < 0.9 ? (apart_vec3){1, 0, 0} : (apart_vec3){0, 0, -1};
    const apart_vec3 side = apart_vec3_cross(z, other);
    *y = apart_vec3_scale(1 / apart_vec3_norm(side), side);
    *x = apart_vec3_cross(*y, z);
}

static apart_status add_many(urdf_reader *u, const ap_xml_node *node, const char *name, const char *parent,
                             const char *child, const apart_robot_joint *joint)
{
    const apart_vec3 ex = {1, 0, 0}, ey = {0, 1, 0}, ez = {0, 0, 1};
    const int slides = APART_JOINT_SLIDING, turns = APART_JOINT_CONTINUOUS;
    const chain_step floating[] = {{"x", slides, ex},  {"y", slides, ey},    {"z", slides, ez},
                                   {"yaw", turns, ez}, {"pitch", turns, ey}, {"roll", turns, ex}};
    if (joint->kind == PLANAR) {
        chain_step planar[] = {{"x", slides, ex}, {"y", slides, ey}, {"theta", turns, joint->axis}};
        choose_plane(joint->axis, &planar[0].axis, &planar[1].axis);
        return add_chain(u, node, name, parent, child, &joint->origin, planar, 3);
    }
    return joint->kind == FLOATING ? add_chain(u, node, name, parent, child, &joint->origin, floating, 6)
                                   : add_chain(u, node, name, parent, child, &joint->origin, floating + 3, 3);
}

static apart_status read_limit(urdf_reader *u, const ap_xml_node *node, const char *name, apart_robot_joint *joint)
{
    const ap_xml_node *limit = ap_xml_child(node, "limit");
    if (joint->kind != APART_JOINT_ROTARY && joint->kind != APART_JOINT_SLIDING) {
        return APART_OK;
    }
    if (limit == NULL) {
        return ap_xml_note(node, u->r, "joints without <limit> are taken as unlimited",
                           "joint '%.100s' has no <limit>; it is taken as unlimited", name);
    }
    joint->lower = joint->upper = 0;
    const apart_status status = ap_xml_numbers(limit, "lower", 1, 1, &joint->lower, NULL, u->error);
    return status == APART_OK ? ap_xml_numbers(limit, "upper", 1, 1, &joint->upper, NULL, u->error) : status;
}

static apart_status read_mimic(const ap_xml_node *node, const char **mimics, apart_robot_joint *joint,
                               apart_io_error *error)
{
    const ap_xml_node *mimic = ap_xml_child(node, "mimic");
    *mimics = NULL;
    if (mimic == NULL || joint->kind == APART_JOINT_FIXED) {
        return APART_OK;
    }
    apart_status status = ap_xml_need(mimic, "joint", mimics, error);
    status = status == APART_OK ? ap_xml_numbers(mimic, "multiplier", 1, 1, &joint->factor, NULL, error) : status;
    return status == APART_OK ? ap_xml_numbers(mimic, "offset", 1, 1, &joint->offset, NULL, error) : status;
}

static apart_status read_axis(const ap_xml_node *node, apart_vec3 *out, apart_io_error *error)
{
    const ap_xml_node *axis = ap_xml_child(node, "axis");
    double xyz[3] = {1, 0, 0};
    const apart_status status = axis != NULL ? need_numbers(axis, "xyz", 3, xyz, error) : APART_OK;
    *out = (apart_vec3){xyz[0], xyz[1], xyz[2]};
    return status;
}

static apart_status read_ends(const ap_xml_node *node, const char *name, const char **parent, const char **child,
                              apart_io_error *error)
{
    const ap_xml_node *above = ap_xml_child(node, "parent"), *below = ap_xml_child(node, "child");
    if (above == NULL || below == NULL) {
        return ap_xml_fail(node, error, "joint '%.100s' has no <%s link=\"...\"/>", name,
                           above == NULL ? "parent" : "child");
    }
    const apart_status status = ap_xml_need(above, "link", parent, error);
    return status == APART_OK ? ap_xml_need(below, "link", child, error) : status;
}

static apart_status read_joint(urdf_reader *u, const ap_xml_node *node)
{
    const char *name, *parent, *child, *mimics = NULL;
    apart_robot_joint joint = {.lower = -INFINITY, .upper = INFINITY, .factor = 1, .line = node->line};
    apart_status status = ap_xml_need(node, "name", &name, u->error);
    status = status == APART_OK ? read_kind(node, &joint.kind, u->error) : status;
    status = status == APART_OK ? read_ends(node, name, &parent, &child, u->error) : status;
    status = status == APART_OK ? read_origin(node, &joint.origin, u->error) : status;
    status = status == APART_OK ? read_axis(node, &joint.axis, u->error) : status;
    status = status == APART_OK ? read_limit(u, node, name, &joint) : status;
    if (status != APART_OK || joint.kind >= PLANAR) {
        return status == APART_OK ? add_many(u, node, name, parent, child, &joint) : status;
    }
    status = read_mimic(node, &mimics, &joint, u->error);
    return status == APART_OK ? apart_robot_add_joint(u->r, name, parent, child, mimics, &joint, u->error) : status;
}

/* ---- the robot ---- */

/* Drake's convention: joints may hang on `world` although no link has that name. */
static apart_status add_world(urdf_reader *u, const ap_xml_node *root)
{
    for (const ap_xml_node *n = root->first; n != NULL; n = n->next) {
        const ap_xml_node *parent = ap_xml_is(n, "joint") ? ap_xml_child(n, "parent") : NULL;
        const char *link = parent != NULL ? ap_xml_find(parent, "link") : NULL;
        if (link != NULL && strcmp(link, "world") == 0 && apart_robot_find_link(u->r, link) == APART_ROBOT_NONE) {
            return apart_robot_add_link(u->r, "world", n->line, u->error);
        }
    }
    return APART_OK;
}

static apart_status read_elements(urdf_reader *u, const ap_xml_node *root)
{
    apart_status status = APART_OK;
    const char *name = ap_xml_find(root, "name");
    if (name != NULL && apart_robot_set_name(u->r, name) != APART_OK) {
        return ap_report_memory(u->error, root->file);
    }
    for (const ap_xml_node *n = root->first; n != NULL && status == APART_OK; n = n->next) {
        if (strncmp(n->name, "xacro:", 6) == 0) {
            status = ap_xml_fail(n, u->error,
                                 "<%.60s>: this is a xacro file; expand it first (xacro FILE > robot.urdf)", n->name);
        } else if (ap_xml_is(n, "link")) {
            status = read_link(u, n);
        } else if (ap_xml_is(n, "joint") || ap_xml_is(n, "drake:joint")) {
            status = read_joint(u, n);
        }
    }
    return status == APART_OK ? add_world(u, root) : status;
}

apart_status ap_robot_read_urdf(ap_xml_tree *tree, const ap_xml_node *root, const apart_robot_read_options *options,
                                apart_robot *r, apart_io_error *error)
{
    urdf_reader u = {.r = r,
                     .tree = tree,
                     .geometries = {.packages = options->packages, .as = options->as},
                     .error = error};
    apart_status status = read_elements(&u, root);
    status = status == APART_OK ? apart_robot_finish(r, error) : status;
    status = status == APART_OK ? ap_geometry_finish(&u.geometries, r, error) : status;
    free(u.geometries.list);
    return status;
}
