/* MJCF: classes of defaults, poses, and included files. */
#include <math.h>

#include "mjcf.h"
#include "../text/text.h"

enum { MOST_INCLUDES = 8 };

/* ---- defaults ---- */

/* The <default> of that class below a node. */
static const ap_xml_node *find_class(const ap_xml_node *node, const char *class)
{
    for (const ap_xml_node *n = ap_xml_child(node, "default"); n != NULL; n = ap_xml_next(n, "default")) {
        const char *own = ap_xml_find(n, "class");
        if (own != NULL ? strcmp(own, class) == 0 : strcmp(class, "main") == 0) {
            return n;
        }
        const ap_xml_node *inner = find_class(n, class);
        if (inner != NULL) {
            return inner;
        }
    }
    return NULL;
}

const char *ap_mjcf_find(const ap_mjcf *m, const ap_xml_node *node, const char *class, const char *name)
{
    const char *value = ap_xml_find(node, name), *own = ap_xml_find(node, "class");
    if (value != NULL) {
        return value;
    }
    own = own != NULL ? own : (class != NULL ? class : "main");
    const ap_xml_node *defaults = find_class(m->root, own);
    defaults = defaults != NULL ? defaults : ap_xml_child(m->root, "default");
    for (; defaults != NULL && ap_xml_is(defaults, "default"); defaults = defaults->parent) {
        const ap_xml_node *of_kind = ap_xml_child(defaults, node->name);
        value = of_kind != NULL ? ap_xml_find(of_kind, name) : NULL;
        if (value != NULL) {
            return value;
        }
    }
    return NULL;
}

apart_status ap_mjcf_numbers(const ap_mjcf *m, const ap_xml_node *node, const char *class, const char *name,
                             size_t least, size_t most, double *out, size_t *count)
{
    const char *value = ap_mjcf_find(m, node, class, name);
    const char *attributes[] = {name, value, NULL};
    ap_xml_node shown = *node; /* the value may be that of a class */
    if (count != NULL) {
        *count = 0;
    }
    if (value == NULL) {
        return APART_OK;
    }
    shown.attributes = attributes;
    return ap_xml_numbers(&shown, name, least, most, out, count, m->error);
}

/* ---- poses ---- */

static apart_pose turn_about(apart_vec3 axis, double angle)
{
    apart_pose pose = apart_pose_identity();
    (void)apart_pose_from_axis_angle(axis, angle, (apart_vec3){0, 0, 0}, &pose);
    return pose;
}

/* Small letters turn about the axes as they have become, capital ones about those of the start. */
static apart_pose turn_by_euler(const ap_mjcf *m, const double angles[3])
{
    apart_pose pose = apart_pose_identity();
    for (int i = 0; i < 3; i++) {
        const char letter = m->sequence[i];
        const int axis = (letter | 0x20) - 'x';
        const apart_pose turn = turn_about((apart_vec3){axis == 0, axis == 1, axis == 2},
                                           m->radians ? angles[i] : angles[i] * (acos(-1.0) / 180.0));
        pose = letter >= 'a' ? apart_pose_compose(&pose, &turn) : apart_pose_compose(&turn, &pose);
    }
    return pose;
}

static apart_status turn_by_axes(const ap_mjcf *m, const ap_xml_node *node, const double v[6], apart_pose *out)
{
    const apart_vec3 x = {v[0], v[1], v[2]}, other = {v[3], v[4], v[5]};
    const apart_vec3 z = apart_vec3_cross(x, other), y = apart_vec3_cross(z, x);
    const double lx = apart_vec3_norm(x), ly = apart_vec3_norm(y), lz = apart_vec3_norm(z);
    if (!(lx > 0 && ly > 0 && lz > 0)) {
        return ap_xml_fail(node, m->error, "<%.60s xyaxes>: the axes have no plane", node->name);
    }
    out->rotation = (apart_mat3){apart_vec3_scale(1 / lx, x), apart_vec3_scale(1 / ly, y), apart_vec3_scale(1 / lz, z)};
    return APART_OK;
}

/* The smallest turn that brings z to the direction. */
static apart_pose turn_z_to(apart_vec3 d)
{
    const double length = apart_vec3_norm(d), angle = length > 0 ? acos(fmax(-1.0, fmin(1.0, d.z / length))) : 0.0;
    const apart_vec3 axis = {-d.y, d.x, 0};
    return turn_about(apart_vec3_norm(axis) > 1e-12 * length ? axis : (apart_vec3){1, 0, 0}, angle);
}

apart_status ap_mjcf_pose(const ap_mjcf *m, const ap_xml_node *node, const char *class, apart_pose *out)
{
    double pos[3] = {0}, v[6] = {0};
    size_t count;
    const apart_vec3 zero = {0, 0, 0};
    *out = apart_pose_identity();
    apart_status status = ap_mjcf_numbers(m, node, class, "pos", 3, 3, pos, NULL);
    if (status == APART_OK && (status = ap_mjcf_numbers(m, node, class, "quat", 4, 4, v, &count)) == APART_OK &&
        count > 0) {
        if (apart_pose_from_quat_wxyz(v[0], v[1], v[2], v[3], zero, out) != APART_OK) {
            status = ap_xml_fail(node, m->error, "<%.60s quat>: a quaternion of length zero", node->name);
        }
    } else if (status == APART_OK &&
               (status = ap_mjcf_numbers(m, node, class, "axisangle", 4, 4, v, &count)) == APART_OK && count > 0) {
        *out = turn_about((apart_vec3){v[0], v[1], v[2]}, m->radians ? v[3] : v[3] * (acos(-1.0) / 180.0));
    } else if (status == APART_OK && (status = ap_mjcf_numbers(m, node, class, "euler", 3, 3, v, &count)) == APART_OK &&
               count > 0) {
        *out = turn_by_euler(m, v);
    } else if (status == APART_OK &&
               (status = ap_mjcf_numbers(m, node, class, "xyaxes", 6, 6, v, &count)) == APART_OK && count > 0) {
        status = turn_by_axes(m, node, v, out);
    } else if (status == APART_OK && (status = ap_mjcf_numbers(m, node, class, "zaxis", 3, 3, v, &count)) == APART_OK &&
               count > 0) {
        *out = turn_z_to((apart_vec3){v[0], v[1], v[2]});
    }
    out->translation = (apart_vec3){pos[0], pos[1], pos[2]};
    return status;
}

/* ---- included files ---- */

/* Beside the file that everything started with, as MuJoCo does it. */
static apart_status path_beside(ap_mjcf *m, const ap_xml_node *node, const char *name, char **out)
{
    const char *slash = strrchr(m->root->file, '/');
    const size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - m->root->file) + 1,
                 size = folder + strlen(name) + 1;
    *out = ap_xml_allocate(m->tree, size);
    if (*out == NULL) {
        return ap_report_memory(m->error, node->file);
    }
    snprintf(*out, size, "%.*s%s", (int)folder, m->root->file, name);
    return APART_OK;
}

static apart_status include_one(ap_mjcf *m, ap_xml_node *node, int depth)
{
    const char *name;
    char *path = NULL;
    ap_xml_node *root = NULL;
    apart_status status = ap_xml_need(node, "file", &name, m->error);
    if (status == APART_OK && depth == MOST_INCLUDES) {
        status = ap_xml_fail(node, m->error, "files that include each other more than %d deep", MOST_INCLUDES);
    }
    status = status == APART_OK ? path_beside(m, node, name, &path) : status;
    status = status == APART_OK ? ap_xml_read(m->tree, path, &root, m->error) : status;
    if (status != APART_OK) {
        return status;
    }
    if (!ap_xml_is(root, "mujoco") && !ap_xml_is(root, "mujocoinclude")) {
        return ap_xml_fail(root, m->error,
                           "expected <mujoco> or <mujocoinclude> as the outermost element, found <%.60s>", root->name);
    }
    /* The children take the place of the element, which becomes an empty one that nobody reads. */
    for (ap_xml_node *child = root->first; child != NULL; child = child->next) {
        child->parent = node->parent;
    }
    if (root->last != NULL) {
        root->last->next = node->next;
        node->next = root->first;
        node->parent->last = node->parent->last == node ? root->last : node->parent->last;
    }
    node->name = "included";
    for (ap_xml_node *child = root->first; child != NULL && status == APART_OK; child = child->next) {
        status = ap_xml_is(child, "include") ? include_one(m, child, depth + 1) : ap_mjcf_include(m, child, depth + 1);
        if (child == root->last) {
            break;
        }
    }
    return status;
}

apart_status ap_mjcf_include(ap_mjcf *m, ap_xml_node *node, int depth)
{
    apart_status status = APART_OK;
    for (ap_xml_node *child = node->first; child != NULL && status == APART_OK; child = child->next) {
        status = ap_xml_is(child, "include") ? include_one(m, child, depth) : ap_mjcf_include(m, child, depth);
    }
    return status;
}
