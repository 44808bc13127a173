/* URDF: links with their collision geometry, joints with origin, axis, limits and mimic. Visual and inertial parts,
 * materials, transmissions and simulator extensions are passed over. Meshes are read last: a robot that is no tree is
 * told before a mesh that is missing. Format: wiki.ros.org/urdf/XML. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"
#include "xml.h"

/* The element that is being read. */
typedef enum place { OUTSIDE, IN_ROBOT, IN_LINK, IN_COLLISION, IN_GEOMETRY, IN_JOINT } place;

/* A mesh to be read when the tree is known. */
typedef struct pending_mesh {
    char *link, *file;
    apart_vec3 scale;
    apart_pose pose;
    size_t line;
} pending_mesh;

typedef struct urdf_reader {
    robot *r;
    const char *packages;
    place at;
    apart_pose origin;             /* of the collision: it may stand behind the geometry */
    size_t first_part, first_mesh; /* of the collision */
    pending_mesh *meshes;
    size_t mesh_count;
    bool has_geometry;
    /* the joint */
    robot_joint joint;
    char *name, *parent, *child, *mimics;
    bool has_limit;
} urdf_reader;

static void keep(robot_xml *x, char **text, const char *value)
{
    free(*text);
    *text = robot_copy(value);
    if (*text == NULL && x->status == APART_OK) {
        x->status = robot_fail_memory(x->error);
    }
}

static void read_origin(robot_xml *x, const char *const *attributes, apart_pose *out)
{
    double xyz[3] = {0}, rpy[3] = {0};
    if (robot_xml_numbers(x, "origin", attributes, "xyz", 3, xyz) &&
        robot_xml_numbers(x, "origin", attributes, "rpy", 3, rpy)) {
        apart_pose_from_rpy(rpy[0], rpy[1], rpy[2], (apart_vec3){xyz[0], xyz[1], xyz[2]}, out);
    }
}

/* ---- geometry ---- */

static void add_shape(robot_xml *x, const char *element, apart_shape shape)
{
    urdf_reader *u = x->user;
    const apart_part part = {shape, apart_pose_identity()};
    const apart_status status =
        x->status == APART_OK ? robot_add_part(u->r, u->r->link_count - 1, &part, NULL) : APART_OK;
    if (status != APART_OK) {
        char reason[ROBOT_REASON_SIZE];
        robot_xml_fail(x, "<%s>: %s", element, robot_reason(status, reason));
    }
}

static void need_numbers(robot_xml *x, const char *element, const char *const *attributes, const char *name,
                         size_t count, double *out)
{
    robot_xml_need(x, element, attributes, name);
    robot_xml_numbers(x, element, attributes, name, count, out);
}

static void read_round(robot_xml *x, const char *element, const char *const *attributes)
{
    double radius = 0, length = 0;
    need_numbers(x, element, attributes, "radius", 1, &radius);
    if (strcmp(element, "sphere") == 0) {
        add_shape(x, element, apart_sphere(radius));
        return;
    }
    need_numbers(x, element, attributes, "length", 1, &length);
    add_shape(x, element, element[1] == 'y' ? apart_cylinder(radius, length / 2) : apart_capsule(radius, length / 2));
}

static void read_mesh(robot_xml *x, const char *const *attributes)
{
    urdf_reader *u = x->user;
    const char *name = robot_xml_need(x, "mesh", attributes, "filename");
    double scale[3] = {1, 1, 1};
    if (!robot_xml_numbers(x, "mesh", attributes, "scale", 3, scale) || x->status != APART_OK) {
        return;
    }
    pending_mesh *larger = robot_grow(u->meshes, u->mesh_count, sizeof *larger);
    if (larger == NULL) {
        x->status = robot_fail_memory(x->error);
        return;
    }
    u->meshes = larger;
    pending_mesh *mesh = &u->meshes[u->mesh_count++];
    *mesh = (pending_mesh){.scale = {scale[0], scale[1], scale[2]}, .line = x->line};
    keep(x, &mesh->link, u->r->links[u->r->link_count - 1].name);
    keep(x, &mesh->file, name);
}

static void read_geometry(robot_xml *x, const char *name, const char *const *attributes)
{
    urdf_reader *u = x->user;
    double size[3] = {0};
    if (u->has_geometry) {
        robot_xml_fail(x, "<geometry> holds more than one shape; use one <collision> for each");
    }
    u->has_geometry = true;
    robot_xml_skip(x);
    if (strcmp(name, "box") == 0) {
        need_numbers(x, "box", attributes, "size", 3, size);
        add_shape(x, "box", apart_box((apart_vec3){size[0] / 2, size[1] / 2, size[2] / 2}));
    } else if (strcmp(name, "cylinder") == 0 || strcmp(name, "sphere") == 0 || strcmp(name, "capsule") == 0) {
        read_round(x, name, attributes);
    } else if (strcmp(name, "mesh") == 0) {
        read_mesh(x, attributes);
    } else {
        robot_xml_fail(x, "<%.60s> is no geometry; expected box, cylinder, sphere, capsule or mesh", name);
    }
}

/* ---- joints ---- */

static int kind_of(robot_xml *x, const char *type)
{
    static const struct {
        const char *type;
        int kind;
    } kinds[] = {{"revolute", ROBOT_ROTARY},
                 {"continuous", ROBOT_CONTINUOUS},
                 {"prismatic", ROBOT_SLIDING},
                 {"fixed", ROBOT_FIXED}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].type, type) == 0) {
            return kinds[i].kind;
        }
    }
    robot_xml_fail(x, "joint type '%.60s'; expected revolute, continuous, prismatic or fixed", type);
    return ROBOT_FIXED;
}

static void begin_joint(robot_xml *x, const char *const *attributes)
{
    urdf_reader *u = x->user;
    keep(x, &u->name, robot_xml_need(x, "joint", attributes, "name"));
    u->joint = (robot_joint){.kind = kind_of(x, robot_xml_need(x, "joint", attributes, "type")),
                             .origin = apart_pose_identity(),
                             .axis = {1, 0, 0},
                             .lower = -INFINITY,
                             .upper = INFINITY,
                             .factor = 1,
                             .line = x->line};
    free(u->parent);
    free(u->child);
    free(u->mimics);
    u->parent = u->child = u->mimics = NULL;
    u->has_limit = false;
    u->at = IN_JOINT;
}

static void read_limit(robot_xml *x, const char *const *attributes)
{
    urdf_reader *u = x->user;
    double lower = 0, upper = 0;
    u->has_limit = true;
    if (robot_xml_numbers(x, "limit", attributes, "lower", 1, &lower) &&
        robot_xml_numbers(x, "limit", attributes, "upper", 1, &upper) &&
        (u->joint.kind == ROBOT_ROTARY || u->joint.kind == ROBOT_SLIDING)) {
        u->joint.lower = lower;
        u->joint.upper = upper;
    }
}

static void read_in_joint(robot_xml *x, const char *name, const char *const *attributes)
{
    urdf_reader *u = x->user;
    robot_xml_skip(x);
    if (strcmp(name, "parent") == 0) {
        keep(x, &u->parent, robot_xml_need(x, "parent", attributes, "link"));
    } else if (strcmp(name, "child") == 0) {
        keep(x, &u->child, robot_xml_need(x, "child", attributes, "link"));
    } else if (strcmp(name, "origin") == 0) {
        read_origin(x, attributes, &u->joint.origin);
    } else if (strcmp(name, "axis") == 0) {
        double xyz[3] = {1, 0, 0};
        need_numbers(x, "axis", attributes, "xyz", 3, xyz);
        u->joint.axis = (apart_vec3){xyz[0], xyz[1], xyz[2]};
    } else if (strcmp(name, "limit") == 0) {
        read_limit(x, attributes);
    } else if (strcmp(name, "mimic") == 0) {
        keep(x, &u->mimics, robot_xml_need(x, "mimic", attributes, "joint"));
        robot_xml_numbers(x, "mimic", attributes, "multiplier", 1, &u->joint.factor);
        robot_xml_numbers(x, "mimic", attributes, "offset", 1, &u->joint.offset);
    }
}

static void end_joint(robot_xml *x)
{
    urdf_reader *u = x->user;
    char text[512];
    if (u->parent == NULL || u->child == NULL) {
        x->line = u->joint.line;
        robot_xml_fail(x, "joint '%.100s' has no <%s link=\"...\"/>", u->name, u->parent == NULL ? "parent" : "child");
        return;
    }
    if (!u->has_limit && (u->joint.kind == ROBOT_ROTARY || u->joint.kind == ROBOT_SLIDING)) {
        snprintf(text, sizeof text, "%.200s:%zu: joint '%.100s' has no <limit>; it is taken as unlimited", x->file,
                 u->joint.line, u->name);
        if (robot_add_note(u->r, &(robot_note){.kind = ROBOT_NOTE_WARNING, .text = text}) != APART_OK) {
            x->status = robot_fail_memory(x->error);
            return;
        }
    }
    x->status = robot_add_joint(u->r, u->name, u->parent, u->child, u->mimics, &u->joint, x->error);
}

/* ---- elements ---- */

static void start_in_robot(robot_xml *x, const char *name, const char *const *attributes)
{
    urdf_reader *u = x->user;
    if (strncmp(name, "xacro:", 6) == 0) {
        robot_xml_fail(x, "<%.60s>: this is a xacro file; expand it first (xacro FILE > robot.urdf)", name);
    } else if (strcmp(name, "link") == 0) {
        const char *link = robot_xml_need(x, "link", attributes, "name");
        u->at = IN_LINK;
        if (x->status == APART_OK) {
            x->status = robot_add_link(u->r, link, x->line, x->error);
        }
    } else if (strcmp(name, "joint") == 0) {
        begin_joint(x, attributes);
    } else {
        robot_xml_skip(x);
    }
}

static void start(robot_xml *x, const char *name, const char *const *attributes)
{
    urdf_reader *u = x->user;
    switch (u->at) {
    case OUTSIDE:
        if (strcmp(name, "robot") != 0) {
            robot_xml_fail(x, "expected <robot> as the outermost element, found <%.60s>", name);
        } else if (robot_xml_find(attributes, "name") != NULL) {
            keep(x, &u->r->name, robot_xml_find(attributes, "name"));
        }
        u->at = IN_ROBOT;
        return;
    case IN_ROBOT: start_in_robot(x, name, attributes); return;
    case IN_LINK:
        if (strcmp(name, "collision") != 0) {
            robot_xml_skip(x);
            return;
        }
        u->at = IN_COLLISION;
        u->origin = apart_pose_identity();
        u->first_part = u->r->links[u->r->link_count - 1].part_count;
        u->first_mesh = u->mesh_count;
        u->has_geometry = false;
        return;
    case IN_COLLISION:
        if (strcmp(name, "geometry") == 0) {
            u->at = IN_GEOMETRY;
            return;
        }
        if (strcmp(name, "origin") == 0) {
            read_origin(x, attributes, &u->origin);
        }
        robot_xml_skip(x);
        return;
    case IN_GEOMETRY: read_geometry(x, name, attributes); return;
    case IN_JOINT: read_in_joint(x, name, attributes); return;
    }
}

static void end_collision(robot_xml *x)
{
    urdf_reader *u = x->user;
    const robot_link *link = &u->r->links[u->r->link_count - 1];
    if (!u->has_geometry) {
        robot_xml_fail(x, "<collision> without a shape in its <geometry>");
    }
    for (size_t i = u->first_part; i < link->part_count; i++) {
        link->parts[i].pose = u->origin;
    }
    for (size_t i = u->first_mesh; i < u->mesh_count; i++) {
        u->meshes[i].pose = u->origin;
    }
    u->at = IN_LINK;
}

static void end(robot_xml *x, const char *name)
{
    urdf_reader *u = x->user;
    (void)name;
    switch (u->at) {
    case IN_GEOMETRY: u->at = IN_COLLISION; break;
    case IN_COLLISION: end_collision(x); break;
    case IN_JOINT:
        end_joint(x);
        u->at = IN_ROBOT;
        break;
    case IN_LINK: u->at = IN_ROBOT; break;
    default: u->at = OUTSIDE; break;
    }
}

static apart_status add_meshes(urdf_reader *u, apart_io_error *error)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < u->mesh_count && status == APART_OK; i++) {
        const pending_mesh *mesh = &u->meshes[i];
        char *path = NULL;
        status = robot_find_file(u->r, u->packages, mesh->file, mesh->line, &path, error);
        if (status == APART_OK) {
            status = robot_add_mesh(u->r, robot_find_link(u->r, mesh->link), path, mesh->scale, &mesh->pose, mesh->line,
                                    error);
        }
        free(path);
    }
    return status;
}

static apart_status read_into(robot *r, const char *path, const char *packages, apart_io_error *error)
{
    urdf_reader u = {.r = r, .packages = packages};
    robot_xml x = {.user = &u, .start = start, .end = end, .error = error};
    apart_status status = robot_xml_read(path, &x);
    if (status == APART_OK) {
        status = robot_finish(r, error);
    }
    if (status == APART_OK) {
        status = add_meshes(&u, error);
    }
    for (size_t i = 0; i < u.mesh_count; i++) {
        free(u.meshes[i].link);
        free(u.meshes[i].file);
    }
    free(u.meshes);
    free(u.name);
    free(u.parent);
    free(u.child);
    free(u.mimics);
    return status;
}

apart_status robot_read_urdf(const char *path, const char *packages, robot **out, apart_io_error *error)
{
    *out = NULL;
    robot *r = robot_new(path);
    if (r == NULL) {
        return robot_fail_memory(error);
    }
    const apart_status status = read_into(r, path, packages, error);
    if (status != APART_OK) {
        robot_free(r);
        return status;
    }
    *out = r;
    return APART_OK;
}
