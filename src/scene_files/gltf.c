/* glTF 2.0 (.gltf with its buffers, .glb): the triangles of the scene. Nodes are followed from the scene; materials,
 * animations and morph targets do not matter here. Compressed and skinned meshes are refused. */
#include "gltf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/report.h"
#include "../text/text.h"

enum { GLB_HEADER = 12, GLB_CHUNK = 8, MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* ---- the file ---- */

static uint32_t read_word(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Finds the JSON and the binary chunk of a .glb; all of the file is JSON when it does not begin like one. */
static apart_status find_json(gltf_reader *r, const unsigned char *data, size_t size, const char **json, size_t *length)
{
    *json = (const char *)data;
    *length = size;
    if (size < 4 || memcmp(data, "glTF", 4) != 0) {
        return APART_OK;
    }
    ap_gltf_at(r, "header");
    if (size < GLB_HEADER + GLB_CHUNK || read_word(data + 4) != 2) {
        return ap_gltf_fail(r, "expected a .glb of version 2");
    }
    const size_t json_size = read_word(data + GLB_HEADER);
    if (memcmp(data + GLB_HEADER + 4, "JSON", 4) != 0 || json_size > size - GLB_HEADER - GLB_CHUNK) {
        return ap_gltf_fail(r, "expected a JSON chunk that ends within the file");
    }
    *json = (const char *)data + GLB_HEADER + GLB_CHUNK;
    *length = json_size;
    const size_t at = GLB_HEADER + GLB_CHUNK + json_size;
    if (size - at >= GLB_CHUNK && memcmp(data + at + 4, "BIN\0", 4) == 0) {
        r->binary = data + at + GLB_CHUNK;
        r->binary_size = read_word(data + at);
        if (r->binary_size > size - at - GLB_CHUNK) {
            return ap_gltf_fail(r, "expected %zu bytes in the binary chunk, found %zu", r->binary_size,
                                size - at - GLB_CHUNK);
        }
    }
    return APART_OK;
}

static apart_status parse_json(gltf_reader *r, const char *text, size_t length)
{
    json_error_t error;
    char shown[128];
    r->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!r->root) {
        ap_printable(error.text, strlen(error.text), shown, sizeof shown);
        const size_t line = error.line > 0 ? (size_t)error.line : 0;
        const size_t column = error.column > 0 ? (size_t)error.column : 0;
        return ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, line, column, "expected JSON: %s", shown);
    }
    ap_gltf_at(r, "asset.version");
    const char *version = json_string_value(json_object_get(json_object_get(r->root, "asset"), "version"));
    if (!version || strncmp(version, "2.", 2) != 0) {
        ap_printable(version ? version : "", version ? strlen(version) : 0, shown, sizeof shown);
        return ap_gltf_fail(r, "expected version 2 of glTF, found '%s'", shown);
    }
    return APART_OK;
}

/* Extensions that change no shape, by the beginnings of their names; and quantised positions, which are read. */
static int is_harmless_extension(const char *name)
{
    static const char *const known[] = {"KHR_mesh_quantization", "KHR_materials_", "KHR_texture_",
                                        "EXT_texture_",          "KHR_lights_",    "KHR_xmp",
                                        "KHR_animation_",        "EXT_lights_",    "MSFT_texture_dds"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(name, known[i], strlen(known[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static apart_status check_extensions(gltf_reader *r)
{
    const json_t *required = json_object_get(r->root, "extensionsRequired");
    char shown[80];
    ap_gltf_at(r, "extensionsRequired");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        name = name ? name : "";
        if (is_harmless_extension(name)) {
            continue;
        }
        ap_printable(name, strlen(name), shown, sizeof shown);
        if (strstr(name, "draco") || strstr(name, "meshopt")) {
            return ap_gltf_fail(r, "compressed geometry (%s) is not read: export without compression", shown);
        }
        return ap_gltf_fail(r, "the file needs the extension '%s', which is not read", shown);
    }
    return APART_OK;
}

/* ---- geometry ---- */

/* Adds the faces of `count` corners that follow each other as the mode says. */
static apart_status place_corners(gltf_reader *r, uint64_t mode, const uint64_t *c, size_t count)
{
    apart_status status = APART_OK;
    for (size_t k = 2; k < count && status == APART_OK; k += mode == MODE_TRIANGLES ? 3 : 1) {
        const size_t odd = k % 2;
        const uint64_t fan[3] = {c[0], c[k - 1], c[k]}, strip[3] = {c[k - 2 + odd], c[k - 1 - odd], c[k]};
        const uint64_t *face = mode == MODE_FAN ? fan : mode == MODE_STRIP ? strip : c + k - 2;
        status = ap_scene_add_face(&r->scene, face, 3);
    }
    return status;
}

/* The corners of a primitive: its indices, or all its vertices in order. */
static apart_status read_corners(gltf_reader *r, const json_t *primitive, size_t base, size_t vertices, uint64_t **out,
                                 size_t *count)
{
    double *indices = NULL;
    uint64_t accessor;
    *count = vertices;
    if (json_object_get(primitive, "indices")) {
        apart_status status = ap_gltf_whole(r, primitive, "indices", UINT64_MAX, &accessor);
        status = status == APART_OK ? ap_gltf_read_accessor(r, accessor, 1, &indices, count) : status;
        if (status != APART_OK) {
            return status;
        }
    }
    uint64_t *corners = malloc((*count + 1) * sizeof *corners);
    apart_status status = corners ? APART_OK : ap_report_memory(r->b->error, r->b->name);
    for (size_t i = 0; i < *count && status == APART_OK; i++) {
        const double index = indices ? indices[i] : (double)i;
        if (!(index >= 0) || index >= (double)vertices || floor(index) != index) {
            status = ap_gltf_fail(r, "expected a vertex number below %zu, found %g", vertices, index);
        } else {
            corners[i] = base + (uint64_t)index;
        }
    }
    free(indices);
    if (status != APART_OK) {
        free(corners);
        return status;
    }
    *out = corners;
    return APART_OK;
}

static apart_status place_vertices(gltf_reader *r, const double *xyz, size_t count)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        status = ap_scene_add_vertex(&r->scene, xyz + 3 * i, 0);
    }
    return status;
}

/* Where the positions of a primitive are compressed, the accessor has no bufferView. */
static apart_status check_draco(gltf_reader *r, const json_t *primitive, uint64_t position)
{
    const json_t *accessor = json_array_get(json_object_get(r->root, "accessors"), (size_t)position);
    const int compressed =
        json_object_get(json_object_get(primitive, "extensions"), "KHR_draco_mesh_compression") != NULL;
    return compressed && !json_object_get(accessor, "bufferView")
               ? ap_gltf_fail(r, "Draco compression (KHR_draco_mesh_compression) is not read: export without it")
               : APART_OK;
}

static apart_status place_primitive(gltf_reader *r, const json_t *primitive)
{
    uint64_t mode, position;
    const json_t *attributes = json_object_get(primitive, "attributes");
    apart_status status = ap_gltf_whole(r, primitive, "mode", MODE_TRIANGLES, &mode);
    if (status != APART_OK || mode < MODE_TRIANGLES) {
        return status; /* points and lines have no surface */
    }
    if (mode > MODE_FAN) {
        return ap_gltf_fail(r, "expected a mode from 0 to 6");
    }
    status = ap_gltf_whole(r, attributes, "POSITION", UINT64_MAX, &position);
    status = status == APART_OK ? check_draco(r, primitive, position) : status;
    double *xyz = NULL;
    size_t vertices = 0, count = 0;
    uint64_t *corners = NULL;
    const size_t base = r->b->mesh.vertex_count;
    status = status == APART_OK ? ap_gltf_read_accessor(r, position, 3, &xyz, &vertices) : status;
    status = status == APART_OK ? place_vertices(r, xyz, vertices) : status;
    status = status == APART_OK ? read_corners(r, primitive, base, vertices, &corners, &count) : status;
    if (status == APART_OK && mode == MODE_TRIANGLES && count % 3 != 0) {
        status = ap_gltf_fail(r, "expected three corners for each triangle, found %zu corners", count);
    }
    status = status == APART_OK ? place_corners(r, mode, corners, count) : status;
    free(xyz);
    free(corners);
    return status;
}

static apart_status place_mesh(gltf_reader *r, uint64_t index, const char *name, const ap_affine *to_scene)
{
    json_t *mesh;
    apart_status status = ap_gltf_item(r, "meshes", index, &mesh);
    if (status != APART_OK) {
        return status;
    }
    const char *own = json_string_value(json_object_get(mesh, "name"));
    ap_scene_begin_object(&r->scene, name && *name ? name : own, to_scene);
    const json_t *primitives = json_object_get(mesh, "primitives");
    for (size_t i = 0; i < json_array_size(primitives) && status == APART_OK; i++) {
        ap_gltf_at(r, "meshes[%zu].primitives[%zu]", (size_t)index, i);
        status = place_primitive(r, json_array_get(primitives, i));
    }
    return status;
}

/* ---- nodes ---- */

/* The columns of the rotation of a quaternion x, y, z, w, which need not have length 1. */
static apart_status rotation_columns(gltf_reader *r, const double q[4], apart_vec3 columns[3])
{
    apart_pose pose;
    if (apart_pose_from_quat_xyzw(q[0], q[1], q[2], q[3], (apart_vec3){0, 0, 0}, &pose) != APART_OK) {
        return ap_gltf_fail(r, "expected a quaternion x, y, z, w as rotation");
    }
    columns[0] = pose.rotation.x;
    columns[1] = pose.rotation.y;
    columns[2] = pose.rotation.z;
    return APART_OK;
}

/* The node's own map: its matrix, which is stored by columns, or translation * rotation * scale. */
static apart_status node_transform(gltf_reader *r, const json_t *node, ap_affine *out)
{
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1};
    double s[3] = {1, 1, 1};
    apart_vec3 columns[3];
    apart_status status = ap_gltf_numbers(r, node, "matrix", 16, m);
    status = status == APART_OK ? ap_gltf_numbers(r, node, "translation", 3, t) : status;
    status = status == APART_OK ? ap_gltf_numbers(r, node, "rotation", 4, q) : status;
    status = status == APART_OK ? ap_gltf_numbers(r, node, "scale", 3, s) : status;
    status = status == APART_OK ? rotation_columns(r, q, columns) : status;
    if (status != APART_OK) {
        return status;
    }
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) {
        return ap_gltf_fail(r, "expected 0, 0, 0, 1 as the last row of the matrix");
    }
    const int has_matrix = json_object_get(node, "matrix") != NULL;
    for (int k = 0; k < 4; k++) {
        const double trs[3] = {k < 3 ? columns[k].x * s[k] : t[0], k < 3 ? columns[k].y * s[k] : t[1],
                               k < 3 ? columns[k].z * s[k] : t[2]};
        for (int i = 0; i < 3; i++) {
            out->m[4 * i + k] = has_matrix ? m[4 * k + i] : trs[i];
        }
    }
    return APART_OK;
}

static apart_status place_node(gltf_reader *r, uint64_t index, const ap_affine *parent, int depth);

static apart_status place_children(gltf_reader *r, uint64_t index, const json_t *list, const ap_affine *to_scene,
                                   int depth)
{
    apart_status status = APART_OK;
    for (size_t i = 0; i < json_array_size(list) && status == APART_OK; i++) {
        const json_t *child = json_array_get(list, i);
        ap_gltf_at(r, "nodes[%zu].children[%zu]", (size_t)index, i);
        status = json_is_integer(child) && json_integer_value(child) >= 0
                     ? place_node(r, (uint64_t)json_integer_value(child), to_scene, depth)
                     : ap_gltf_fail(r, "expected the index of a node");
    }
    return status;
}

static apart_status place_node(gltf_reader *r, uint64_t index, const ap_affine *parent, int depth)
{
    json_t *node;
    ap_affine own;
    apart_status status = ap_scene_charge(&r->scene, 1);
    status = status == APART_OK ? ap_gltf_item(r, "nodes", index, &node) : status;
    if (status == APART_OK && depth > AP_SCENE_DEPTH) {
        return ap_gltf_fail(r, "expected nodes at most %d deep, found a deeper one or a cycle", AP_SCENE_DEPTH);
    }
    status = status == APART_OK ? node_transform(r, node, &own) : status;
    if (status != APART_OK) {
        return status;
    }
    const ap_affine to_scene = ap_affine_compose(parent, &own);
    if (json_object_get(node, "mesh")) {
        uint64_t mesh;
        if (json_object_get(node, "skin")) {
            return ap_gltf_fail(r, "a skinned mesh is not read: export the mesh without its skin");
        }
        status = ap_gltf_whole(r, node, "mesh", UINT64_MAX, &mesh);
        const char *name = json_string_value(json_object_get(node, "name"));
        status = status == APART_OK ? place_mesh(r, mesh, name, &to_scene) : status;
    }
    return status == APART_OK ? place_children(r, index, json_object_get(node, "children"), &to_scene, depth + 1)
                              : status;
}

/* Without scenes: the nodes that are no other's child. */
static apart_status place_roots(gltf_reader *r)
{
    const json_t *nodes = json_object_get(r->root, "nodes");
    const size_t count = json_array_size(nodes);
    char *is_child = calloc(count + 1, 1);
    apart_status status = is_child ? APART_OK : ap_report_memory(r->b->error, r->b->name);
    for (size_t i = 0; i < count && is_child; i++) {
        const json_t *children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            const json_int_t child = json_integer_value(json_array_get(children, k));
            if (child >= 0 && (uint64_t)child < count) {
                is_child[child] = 1;
            }
        }
    }
    for (size_t i = 0; i < count && status == APART_OK; i++) {
        status = is_child[i] ? APART_OK : place_node(r, i, &ap_affine_identity, 1);
    }
    free(is_child);
    return status;
}

/* The scene that the file shows, else its first; without scenes all nodes, without nodes all meshes. */
static apart_status place_scene(gltf_reader *r)
{
    uint64_t index;
    json_t *scene;
    ap_gltf_at(r, "scene");
    apart_status status = ap_gltf_whole(r, r->root, "scene", 0, &index);
    if (status != APART_OK) {
        return status;
    }
    if (json_array_size(json_object_get(r->root, "scenes")) == 0) {
        const size_t meshes = json_array_size(json_object_get(r->root, "meshes"));
        if (json_array_size(json_object_get(r->root, "nodes")) > 0) {
            return place_roots(r);
        }
        for (size_t i = 0; i < meshes && status == APART_OK; i++) {
            status = place_mesh(r, i, NULL, &ap_affine_identity);
        }
        return status;
    }
    status = ap_gltf_item(r, "scenes", index, &scene);
    const json_t *nodes = status == APART_OK ? json_object_get(scene, "nodes") : NULL;
    for (size_t i = 0; i < json_array_size(nodes) && status == APART_OK; i++) {
        const json_t *node = json_array_get(nodes, i);
        ap_gltf_at(r, "scenes[%zu].nodes[%zu]", (size_t)index, i);
        status = json_is_integer(node) && json_integer_value(node) >= 0
                     ? place_node(r, (uint64_t)json_integer_value(node), &ap_affine_identity, 1)
                     : ap_gltf_fail(r, "expected the index of a node");
    }
    return status;
}

apart_status ap_mesh_read_gltf(ap_mesh_builder *b, const void *data, size_t size)
{
    gltf_reader r = {.b = b, .bytes = size};
    const char *json;
    size_t length;
    apart_status status = find_json(&r, data, size, &json, &length);
    status = status == APART_OK ? parse_json(&r, json, length) : status;
    status = status == APART_OK ? check_extensions(&r) : status;
    status = status == APART_OK ? ap_gltf_open_buffers(&r) : status;
    if (status == APART_OK) {
        ap_scene_open(&r.scene, b, r.bytes);
        status = place_scene(&r);
    }
    for (size_t i = 0; i < r.buffer_count; i++) {
        free(r.buffers[i].owned);
    }
    free(r.buffers);
    json_decref(r.root);
    if (status == APART_OK && b->mesh.face_count == 0) {
        return ap_report(b->error, APART_ERR_SYNTAX, b->name, 0, 0, "expected triangles in the scene, found none");
    }
    b->mesh.unit = 1;
    b->mesh.up_axis = 'Y';
    return status;
}
