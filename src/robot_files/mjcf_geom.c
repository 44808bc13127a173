/* MJCF: geoms. Those that collide with nothing (contype and conaffinity 0) are visuals and passed over. */
#include <math.h>

#include "mjcf.h"
#include "../text/text.h"

static const ap_xml_node *find_mesh(const ap_mjcf *m, const char *name)
{
    const ap_xml_node *asset = ap_xml_child(m->root, "asset");
    for (; asset != NULL; asset = ap_xml_next(asset, "asset")) {
        for (const ap_xml_node *n = ap_xml_child(asset, "mesh"); n != NULL; n = ap_xml_next(n, "mesh")) {
            const char *own = ap_xml_find(n, "name"), *file = ap_xml_find(n, "file");
            if (own != NULL ? strcmp(own, name) == 0 : file != NULL) {
                /* Without a name it has that of its file, without folder and ending. */
                const char *base = own == NULL && strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
                const size_t length = own == NULL ? strcspn(base, ".") : 0;
                if (own != NULL || (strlen(name) == length && strncmp(base, name, length) == 0)) {
                    return n;
                }
            }
        }
    }
    return NULL;
}

static apart_status read_mesh(ap_mjcf *m, const ap_xml_node *node, const char *class, ap_robot_geometry *g)
{
    const char *name = ap_mjcf_find(m, node, class, "mesh");
    const ap_xml_node *mesh = name != NULL ? find_mesh(m, name) : NULL;
    double scale[3] = {1, 1, 1};
    if (mesh == NULL) {
        return ap_xml_fail(node, m->error, "<geom>: there is no <mesh> '%.100s' in <asset>", name != NULL ? name : "");
    }
    const char *file = ap_xml_find(mesh, "file");
    if (file == NULL) {
        return ap_xml_fail(mesh, m->error, "<mesh>: only meshes in files are read");
    }
    if (ap_xml_find(mesh, "refpos") != NULL || ap_xml_find(mesh, "refquat") != NULL) {
        return ap_xml_fail(mesh, m->error, "<mesh>: refpos and refquat are not read");
    }
    const size_t size = strlen(m->mesh_folder) + strlen(file) + 1;
    char *path = ap_xml_allocate(m->tree, size);
    ap_xml_node *place = ap_xml_allocate(m->tree, sizeof *place);
    if (path == NULL || place == NULL) {
        return ap_report_memory(m->error, node->file);
    }
    snprintf(path, size, "%s%s", file[0] == '/' ? "" : m->mesh_folder, file);
    *place = *mesh;
    place->file = m->root->file; /* files are looked for beside the first one */
    g->file = path;
    g->node = place;
    const apart_status status = ap_mjcf_numbers(m, mesh, NULL, "scale", 3, 3, scale, NULL);
    g->scale = (apart_vec3){scale[0], scale[1], scale[2]};
    return status;
}

/* From `fromto`: the middle, with z along the way, and half its length. */
static void place_between(const double v[6], apart_pose *pose, double *half)
{
    const apart_vec3 from = {v[0], v[1], v[2]}, to = {v[3], v[4], v[5]}, way = apart_vec3_sub(to, from);
    const double length = apart_vec3_norm(way);
    const apart_vec3 z = length > 0 ? apart_vec3_scale(1 / length, way) : (apart_vec3){0, 0, 1};
    const apart_vec3 other = fabs(z.x) < 0.9 ? (apart_vec3){1, 0, 0} : (apart_vec3){0, 1, 0};
    const apart_vec3 side = apart_vec3_cross(z, other), x = apart_vec3_scale(1 / apart_vec3_norm(side), side);
    pose->rotation = (apart_mat3){x, apart_vec3_cross(z, x), z};
    pose->translation = apart_vec3_lerp(from, to, 0.5);
    *half = 0.5 * length;
}

static apart_status read_primitive(ap_mjcf *m, const ap_xml_node *node, const char *class, const char *type,
                                   ap_robot_geometry *g)
{
    double size[3] = {0}, ends[6];
    size_t count, between;
    apart_status status = ap_mjcf_numbers(m, node, class, "size", 1, 3, size, &count);
    status = status == APART_OK ? ap_mjcf_numbers(m, node, class, "fromto", 6, 6, ends, &between) : status;
    if (status != APART_OK) {
        return status;
    }
    const bool round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
    if (between > 0) {
        const size_t last = round ? 1 : 2;
        place_between(ends, &g->pose, &size[last]);
        size[1] = round ? size[1] : size[0];
        count = last + 1;
    }
    const size_t needed = strcmp(type, "sphere") == 0 ? 1 : (round ? 2 : 3);
    if (count < needed) {
        return ap_xml_fail(node, m->error, "<geom type=\"%.20s\">: expected size=\"...\" with %zu numbers", type,
                           needed);
    }
    g->shape = strcmp(type, "sphere") == 0     ? apart_sphere(size[0])
               : strcmp(type, "capsule") == 0  ? apart_capsule(size[0], size[1])
               : strcmp(type, "cylinder") == 0 ? apart_cylinder(size[0], size[1])
               : strcmp(type, "box") == 0      ? apart_box((apart_vec3){size[0], size[1], size[2]})
                                               : apart_ellipsoid((apart_vec3){size[0], size[1], size[2]});
    return APART_OK;
}

static bool is_zero(const ap_mjcf *m, const ap_xml_node *node, const char *class, const char *name)
{
    const char *value = ap_mjcf_find(m, node, class, name);
    double number;
    return value != NULL && ap_parse_number(value, strlen(value), &number) && number == 0.0;
}

apart_status ap_mjcf_geom(ap_mjcf *m, const ap_xml_node *node, const char *class, const char *link,
                          const apart_pose *frame)
{
    static const char *const primitives[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid"};
    ap_robot_geometry g = {.link = link, .node = node, .scale = {1, 1, 1}};
    const char *type = ap_mjcf_find(m, node, class, "type");
    const bool has_mesh = ap_mjcf_find(m, node, class, "mesh") != NULL;
    bool known = false;
    if (is_zero(m, node, class, "contype") && is_zero(m, node, class, "conaffinity")) {
        return APART_OK;
    }
    type = type != NULL ? type : "sphere";
    apart_status status = ap_mjcf_pose(m, node, class, &g.pose);
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++) {
        known = known || strcmp(type, primitives[i]) == 0;
    }
    if (status == APART_OK && (has_mesh || strcmp(type, "mesh") == 0)) {
        if (known) {
            (void)ap_xml_note(node, m->r, "primitives fitted to meshes: the meshes themselves are taken",
                              "<geom type=\"%.20s\" mesh=...>: the mesh itself is taken", type);
        }
        status = read_mesh(m, node, class, &g);
    } else if (status == APART_OK && known) {
        status = read_primitive(m, node, class, type, &g);
    } else if (status == APART_OK) {
        return ap_xml_note(node, m->r, "geoms that are planes, height fields or distance fields are left out",
                           "<geom type=\"%.20s\"> is left out; give it as an obstacle", type);
    }
    g.pose = apart_pose_compose(frame, &g.pose);
    return status == APART_OK ? ap_geometry_add(&m->geometries, &g, m->error) : status;
}
