/* Collada and glTF: placed geometry by known boxes and volumes, every kind of face, what is refused and how, and
 * scenes that would never end. Robots' own files are read where they are installed. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apart/apart.h>
#include <apart/io.h>

#include "run_suite.h"

/* ---- what is compared ---- */

typedef struct extent {
    double low[3], high[3], volume;
} extent;

/* The box of the vertices and the volume that the faces enclose, positive when they are seen counter-clockwise from
 * outside. */
static extent measure(const apart_mesh_data *m)
{
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (size_t i = 0; i < 3 * m->vertex_count; i++) {
        e.low[i % 3] = fmin(e.low[i % 3], m->xyz[i]);
        e.high[i % 3] = fmax(e.high[i % 3], m->xyz[i]);
    }
    const uint32_t *face = m->face_indices;
    for (size_t f = 0; f < m->face_count; face += m->face_sizes[f++]) {
        for (uint32_t k = 2; k < m->face_sizes[f]; k++) {
            const double *a = m->xyz + 3 * face[0], *b = m->xyz + 3 * face[k - 1], *c = m->xyz + 3 * face[k];
            e.volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                         a[2] * (b[0] * c[1] - b[1] * c[0])) /
                        6;
        }
    }
    return e;
}

static void check_extent(const apart_mesh_data *m, const double expected[7])
{
    const extent e = measure(m);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(e.low[k], expected[k], 1e-12);
        ck_assert_double_eq_tol(e.high[k], expected[3 + k], 1e-12);
    }
    ck_assert_double_eq_tol(e.volume, expected[6], 1e-12);
}

static apart_mesh_data read_scene(const char *name, const char *text)
{
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_mesh_read_memory(text, strlen(text), name, APART_MESH_AUTO, &mesh, &error);
    ck_assert_msg(status == APART_OK, "%s", error.message);
    return mesh;
}

static void check_refused(const char *name, const char *text, const char *message)
{
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_mesh_read_memory(text, strlen(text), name, APART_MESH_AUTO, &mesh, &error);
    ck_assert_msg(status == APART_ERR_SYNTAX || status == APART_ERR_OPTION, "%s", text);
    ck_assert_str_eq(error.message, message);
    ck_assert(!mesh.xyz && !mesh.face_sizes && !mesh.face_indices && !mesh.object_names && !mesh.face_objects);
}

/* ---- Collada ---- */

/* The tetrahedron of the origin and the axes' unit points. Its source has four numbers a vertex, of which the second
 * has no name; faces have normals too. */
#define SOURCE(numbers)                                                                               \
    "<source id='s'><float_array id='sa' count='999'>" numbers "</float_array><technique_common>"     \
    "<accessor source='#sa' count='4' stride='4'><param name='X' type='float'/><param type='float'/>" \
    "<param name='Y' type='float'/><param name='Z' type='float'/></accessor></technique_common></source>"
#define POINTS "0 9 0 0  1 9 0 0  0 9 1 0\n0 9 0 1"
#define INPUTS "<input semantic='NORMAL' source='#n' offset='0'/><input semantic='VERTEX' source='#v' offset='1'/>"
#define GEOMETRY(faces)                                                \
    "<library_geometries><geometry id='g' name='tetra'><mesh>" SOURCE( \
        POINTS) "<vertices id='v'>"                                    \
                "<input semantic='POSITION' source='#s'/></vertices>" faces "</mesh></geometry></library_geometries>"
#define TRIANGLES "<triangles count='4'>" INPUTS "<p>9 0 9 2 9 1  9 0 9 1 9 3  9 0 9 3 9 2  9 1 9 2 9 3</p></triangles>"
#define DOCUMENT(content) "<?xml version='1.0'?><COLLADA>" content "</COLLADA>"
#define SCENES(nodes) "<library_visual_scenes><visual_scene id='w'>" nodes "</visual_scene></library_visual_scenes>"
#define SHOWN "<scene><instance_visual_scene url='#w'/></scene>"
#define INSTANCE "<instance_geometry url='#g'/>"

/* Every kind of face gives the same tetrahedron; a face of two corners is none. */
static const char *const collada_faces[] = {
    TRIANGLES,
    "<polylist count='5'>" INPUTS
    "<vcount>3 3 2 3 3</vcount><p>9 0 9 2 9 1 9 0 9 1 9 3 9 1 9 2 9 0 9 3 9 2 9 1 9 2 9 3</p>"
    "</polylist>",
    "<polygons count='4'>" INPUTS "<p>9 0 9 2 9 1</p><p>9 0 9 1 9 3</p><p>9 0 9 3 9 2</p><p>9 1 9 2 9 3</p></polygons>",
    "<trifans count='2'>" INPUTS "<p>9 0 9 2 9 1 9 3 9 2</p><p>9 1 9 2 9 3</p></trifans>",
    "<tristrips count='1'>" INPUTS "<p>9 0 9 2 9 1 9 3 9 0 9 2</p></tristrips>",
    "<triangles count='2'>" INPUTS "<p>9 0 9 2 9 1  9 0 9 1 9 3</p></triangles><lines count='1'>" INPUTS
    "<p>0 0 0 1</p>"
    "</lines><triangles count='2'>" INPUTS "<p>9 0 9 3 9 2 9 1 9 2 9 3</p></triangles>",
};

START_TEST(collada_reads_every_kind_of_face)
{
    char text[4096];
    static const double unit[] = {0, 0, 0, 1, 1, 1, 1.0 / 6};
    snprintf(text, sizeof text, DOCUMENT(GEOMETRY("%s")), collada_faces[_i]);
    apart_mesh_data m = read_scene("t.DAE", text);
    check_extent(&m, unit);
    ck_assert_int_eq(m.format, APART_MESH_COLLADA);
    ck_assert_uint_eq(m.vertex_count, 4);
    ck_assert_uint_eq(m.face_count, 4);
    ck_assert(m.object_count == 1 && strcmp(m.object_names[0], "tetra") == 0 && m.face_objects[3] == 0);
    ck_assert(m.unit == 1 && m.up_axis == 'Y');
    apart_mesh_data_free(&m);
}
END_TEST

typedef struct placed {
    const char *text;
    double extent[7];
} placed;

#define SIXTH (1.0 / 6)
static const placed collada_scenes[] = {
    /* Transformations apply from the last to the first; a quarter turn is exact. */
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><translate>10 20 30</translate><rotate>0 0 2 90</rotate>"
                                         "<scale>2 3 4</scale>" INSTANCE "</node>") SHOWN),
     {7, 20, 30, 10, 22, 34, 24 * SIXTH}},
    {DOCUMENT(GEOMETRY(TRIANGLES)
                  SCENES("<node><matrix>0 -3 0 10 2 0 0 20 0 0 4 30 0 0 0 1</matrix>" INSTANCE "</node>") SHOWN),
     {7, 20, 30, 10, 22, 34, 24 * SIXTH}},
    /* A third of a turn about (1, 1, 1) takes x to y to z. */
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><rotate>1 1 1 120</rotate><scale>2 3 4</scale>" INSTANCE "</node>")
                  SHOWN),
     {0, 0, 0, 4, 2, 3, 24 * SIXTH}},
    {DOCUMENT(GEOMETRY(TRIANGLES)
                  SCENES("<node><rotate>0 0 0 50</rotate><rotate>1 0 0 -270</rotate>" INSTANCE "</node>") SHOWN),
     {0, -1, 0, 1, 0, 1, SIXTH}},
    /* A mirror keeps the outside outside. */
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><scale>-1 1 1</scale>" INSTANCE "</node>") SHOWN),
     {-1, 0, 0, 0, 1, 1, SIXTH}},
    /* Nested nodes, a library of nodes before the geometry, units, an empty scene that is not shown. */
    {DOCUMENT("<asset><unit meter='0.01'/><up_axis> Z_UP </up_axis></asset>"
              "<library_nodes><node id='n'><translate>0 0 5</translate>" INSTANCE "</node></library_nodes>"
              "<library_visual_scenes><visual_scene id='other'/><visual_scene id='w'><node><scale>2 2 2</scale>"
              "<node><instance_node url='#n'/></node><node><translate>1 0 0</translate><instance_node url='#n'/>"
              "</node></node><node><lookat>0 0 1 0 0 0 0 1 0</lookat><instance_camera url='#c'/></node>"
              "</visual_scene></library_visual_scenes>" GEOMETRY(TRIANGLES) SHOWN),
     {0, 0, 0.1, 0.04, 0.02, 0.12, 16e-6 * SIXTH}},
    /* Without <scene> the first is taken. */
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><translate>1 1 1</translate>" INSTANCE "</node>")),
     {1, 1, 1, 2, 2, 2, SIXTH}},
};

START_TEST(collada_places_its_nodes)
{
    apart_mesh_data m = read_scene("t.dae", collada_scenes[_i].text);
    check_extent(&m, collada_scenes[_i].extent);
    const int scaled = m.unit != 1;
    ck_assert_uint_eq(m.object_count, scaled ? 2 : 1);
    ck_assert(scaled ? m.unit == 0.01 && m.up_axis == 'Z' && m.face_objects[4] == 1 : m.up_axis == 'Y');
    apart_mesh_data_free(&m);
}
END_TEST

typedef struct refused {
    const char *text, *message;
} refused;

static const refused collada_errors[] = {
    {"<COLLADA><a>\n</b></COLLADA>", "t.dae:2: expected XML, found an error: mismatched tag"},
    {"", "t.dae:1: expected XML, found an error: no element found"},
    {"<robot/>", "t.dae:1: expected <COLLADA> as the root element, found <robot>"},
    {"<COLLADA/>", "t.dae: expected triangles or polygons in the scene, found none"},
    {"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><COLLADA>&b;</COLLADA>",
     "t.dae:1: expected no entity declarations, found 'a'"},
    {DOCUMENT("<asset><unit meter='-1'/></asset>"),
     "t.dae:1: expected the unit's length in metres, meter=\"...\", found '-1'"},
    {DOCUMENT("\n<asset><up_axis>UP</up_axis></asset>"), "t.dae:2: expected X_UP, Y_UP or Z_UP, found 'UP'"},
    {DOCUMENT("<library_geometries><geometry><mesh>" SOURCE("0 0 nan") "</mesh></geometry></library_geometries>"),
     "t.dae:1: expected a finite number in <float_array>, found 'nan'"},
    {DOCUMENT(GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1 0 4</p></triangles>")),
     "t.dae:2: expected a vertex number below 4 in <p>, found 4"},
    {DOCUMENT(GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1</p></triangles>")),
     "t.dae:2: expected three corners for each triangle in <p>, found 2 corners"},
    {DOCUMENT(GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1 0</p></triangles>")),
     "t.dae:2: expected a multiple of 2 numbers in <p>, found 5"},
    {DOCUMENT(GEOMETRY("<triangles>" INPUTS "<p>0 0 0 1 0 -1</p></triangles>")),
     "t.dae:2: expected a whole number from 0 in <p>, found '-1'"},
    {DOCUMENT(GEOMETRY("<polylist>" INPUTS "<vcount>4</vcount><p>0 0 0 1 0 2</p></polylist>")),
     "t.dae:2: expected as many corners in <p> as <vcount> says, found 3"},
    {DOCUMENT(GEOMETRY("<triangles><p>0</p></triangles>")),
     "t.dae:2: expected an <input> with semantic=\"VERTEX\" before <p>"},
    {DOCUMENT(GEOMETRY("<triangles><input semantic='VERTEX' source='#x'/><p>0 1 2</p></triangles>")),
     "t.dae:2: expected the id of a <vertices> as the source of VERTEX, found '#x'"},
    {DOCUMENT(GEOMETRY("<polygons>" INPUTS "<ph><p>0</p></ph></polygons>")),
     "t.dae:2: <ph> (a polygon with holes) is not read: export triangles"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><skew>0 1 0 0 1 0 0</skew><node>" INSTANCE "</node></node>") SHOWN),
     "t.dae:2: <skew> is not read: expected <matrix>, <translate>, <rotate> or <scale>"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><scale>1 1</scale></node>")),
     "t.dae:2: expected 3 numbers in <scale>, found 2"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix></node>")),
     "t.dae:2: expected 0 0 0 1 as the last row of <matrix>, found 0 0 1 1"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><instance_controller url='#c'/></node>")),
     "t.dae:2: <instance_controller> (a skin or a morph) is not read: export the geometry itself"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><instance_geometry url='other.dae#g'/></node>")),
     "t.dae:2: expected url=\"#...\" of an element of this file in <instance_geometry>, found 'other.dae#g'"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><instance_geometry url='#h&#9;h'/></node>")),
     "t.dae:2: expected the id of a <geometry> of this file, found '#h\\x09h'"},
    {DOCUMENT(GEOMETRY(TRIANGLES) SCENES("<node><scale>1e308 1 1</scale><scale>10 1 1</scale>" INSTANCE "</node>")),
     "t.dae:1: expected finite coordinates, found a vertex of 'tetra' that is placed beyond the range of doubles"},
    {DOCUMENT(SCENES("<node id='n'><instance_node url='#n'/></node>")),
     "t.dae: expected nodes at most 64 deep, found a deeper one or a cycle at 'n'"},
};

START_TEST(collada_errors_name_the_place)
{
    check_refused("t.dae", collada_errors[_i].text, collada_errors[_i].message);
}
END_TEST

/* The accessor claims more than there is. */
START_TEST(collada_counts_are_not_believed)
{
    check_refused("t.dae",
                  DOCUMENT("<library_geometries><geometry><mesh>" SOURCE(
                      "0 0 0 0 1 0 0") "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>" TRIANGLES
                                       "</mesh></geometry></library_geometries>"),
                  "t.dae:1: expected numbers for 4 vertices, 4 each, found 7");
}
END_TEST

/* Forty nodes, each of which names the next twice: 2^40 instances. */
START_TEST(collada_repeats_within_limits)
{
    char text[8192] = "<COLLADA>" GEOMETRY(TRIANGLES) "<library_nodes>";
    for (int i = 0; i < 40; i++) {
        char node[200];
        snprintf(node, sizeof node, "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", i,
                 i + 1, i + 1);
        strcat(text, node);
    }
    strcat(text,
           "<node id='n40'>" INSTANCE "</node></library_nodes>" SCENES("<instance_node url='#n0'/>") "</COLLADA>");
    check_refused("t.dae", text, "t.dae: the scene repeats its geometry too often for a file of its size");
}
END_TEST

/* ---- glTF ---- */

/* 48 bytes of positions, 12 of indices: the same tetrahedron in a data: URI. */
#define BUFFER                                                                        \
    "\"buffers\":[{\"byteLength\":60,\"uri\":\"data:application/octet-stream;base64," \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAIBAAEDAAMCAQID\"}]"
#define VIEWS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}]"
#define ACCESSORS                                                                             \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}," \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"}]"
#define MESHES(mode) "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1" mode "}]}]"
#define GLTF(rest) "{\"asset\":{\"version\":\"2.0\"}," BUFFER "," VIEWS "," ACCESSORS "," rest "}"
#define TETRA GLTF(MESHES("") ",%s")
#define WITH(rest) GLTF(MESHES("") "," rest)

static const placed gltf_scenes[] = {
    {WITH("\"scene\":0"), {0, 0, 0, 1, 1, 1, SIXTH}},
    {WITH("\"nodes\":[{\"mesh\":0,\"translation\":[10,20,30],\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],"
          "\"scale\":[2,3,4]}]"),
     {7, 20, 30, 10, 22, 34, 24 * SIXTH}},
    {WITH("\"scenes\":[{},{\"nodes\":[0]}],\"scene\":1,\"nodes\":[{\"mesh\":0,\"name\":\"a\","
          "\"matrix\":[0,2,0,0,-3,0,0,0,0,0,4,0,10,20,30,1]}]"),
     {7, 20, 30, 10, 22, 34, 24 * SIXTH}},
    {WITH("\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"mesh\":0},{\"children\":[0,2],\"scale\":[-2,2,2]},"
          "{\"mesh\":0,\"translation\":[1,0,0]}]"),
     {-4, 0, 0, 0, 2, 2, 16 * SIXTH}},
};

START_TEST(gltf_places_its_nodes)
{
    apart_mesh_data m = read_scene("t.gltf", gltf_scenes[_i].text);
    check_extent(&m, gltf_scenes[_i].extent);
    ck_assert(m.format == APART_MESH_GLTF && m.unit == 1 && m.up_axis == 'Y');
    apart_mesh_data_free(&m);
}
END_TEST

/* A document around the bytes of a buffer. */
static apart_mesh_data read_glb(const char *json, const void *bytes, size_t size)
{
    unsigned char file[4096] = "glTF\2\0\0";
    const size_t json_size = (strlen(json) + 3) / 4 * 4, total = 28 + json_size + size;
    const size_t words[3] = {total, json_size, size}, places[3] = {8, 12, 20 + json_size};
    memset(file + 20, ' ', json_size);
    memcpy(file + 20, json, strlen(json));
    memcpy(file + 16, "JSON", 4);
    memcpy(file + 24 + json_size, "BIN\0", 4);
    memcpy(file + 28 + json_size, bytes, size);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            file[places[i] + (size_t)k] = (unsigned char)(words[i] >> (8 * k));
        }
    }
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_mesh_read_memory(file, total, "nameless", APART_MESH_AUTO, &mesh, &error);
    ck_assert_msg(status == APART_OK, "%s", error.message);
    /* A file that ends too early is refused wherever it ends. */
    for (size_t n = 0; n < total; n++) {
        apart_mesh_data cut;
        unsigned char *copy = malloc(n + 1);
        memcpy(copy, file, n);
        ck_assert_int_ne(apart_mesh_read_memory(copy, n, "t.glb", APART_MESH_AUTO, &cut, NULL), APART_OK);
        free(copy);
    }
    return mesh;
}

/* Positions as normalised signed shorts, eight bytes a vertex; indices as shorts; fans and strips. */
START_TEST(gltf_reads_binary_files)
{
    static const unsigned char bytes[] = {0, 0, 0, 0,    0,    0, 0, 0, 0xff, 0x7f, 0, 0, 0, 0,    0,
                                          0, 0, 0, 0xff, 0x7f, 0, 0, 0, 0,    0,    0, 0, 0, 0xff, 0x7f,
                                          0, 0, 0, 0,    2,    0, 1, 0, 3,    0,    0, 0, 2, 0};
    static const double unit[] = {0, 0, 0, 1, 1, 1, SIXTH};
    apart_mesh_data m = read_glb(
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsRequired\":[\"KHR_mesh_quantization\"],"
        "\"buffers\":[{\"byteLength\":44}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":32,\"byteStride\":8},"
        "{\"buffer\":0,\"byteOffset\":32,\"byteLength\":12}],\"accessors\":[{\"bufferView\":0,\"componentType\":5122,"
        "\"normalized\":true,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":6,"
        "\"type\":\"SCALAR\"}],\"meshes\":[{\"name\":\"strip\",\"primitives\":[{\"mode\":5,\"attributes\":{\"POSITION\":0},"
        "\"indices\":1}]}]}",
        bytes, sizeof bytes);
    check_extent(&m, unit);
    ck_assert(m.face_count == 4 && m.object_count == 1 && strcmp(m.object_names[0], "strip") == 0);
    apart_mesh_data_free(&m);
}
END_TEST

/* A sparse accessor without a base: three of four vertices are set, the other one is 0. Indices are missing: a fan. */
START_TEST(gltf_reads_sparse_accessors)
{
    static const unsigned char bytes[] = {1, 2, 3,    0,    0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,
                                          0, 0, 0x80, 0x3f, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f};
    static const double half[] = {0, 0, 0, 1, 1, 1, 0};
    apart_mesh_data m = read_glb(
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":40}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":3},"
        "{\"buffer\":0,\"byteOffset\":4,\"byteLength\":36}],\"accessors\":[{\"componentType\":5126,\"count\":4,"
        "\"type\":\"VEC3\",\"sparse\":{\"count\":3,\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":"
        "{\"bufferView\":1}}}],\"meshes\":[{\"primitives\":[{\"mode\":6,\"attributes\":{\"POSITION\":0}}]}]}",
        bytes, sizeof bytes);
    ck_assert(m.vertex_count == 4 && m.face_count == 2);
    check_extent(&m, half); /* the origin is a corner of both */
    apart_mesh_data_free(&m);
}
END_TEST

#define BROKEN(rest) "{\"asset\":{\"version\":\"2.0\"}," rest "}"
static const refused gltf_errors[] = {
    {"{\n", "t.gltf:2: expected JSON: string or '}' expected near end of file"},
    {"[]", "t.gltf: asset.version: expected version 2 of glTF, found ''"},
    {"{\"asset\":{\"version\":\"1.0\"}}", "t.gltf: asset.version: expected version 2 of glTF, found '1.0'"},
    {BROKEN("\"nodes\":[]"), "t.gltf: expected triangles in the scene, found none"},
    {BROKEN("\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"),
     "t.gltf: extensionsRequired: compressed geometry (KHR_draco_mesh_compression) is not read: export without "
     "compression"},
    {BROKEN("\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_mesh_gpu_instancing\"]"),
     "t.gltf: extensionsRequired: the file needs the extension 'EXT_mesh_gpu_instancing', which is not read"},
    {BROKEN("\"buffers\":[{\"byteLength\":4,\"uri\":\"a.bin\"}]"),
     "t.gltf: buffers[0]: the file 'a.bin' is not opened for a glTF that is read from memory: use a .glb"},
    {BROKEN("\"buffers\":[{\"byteLength\":4,\"uri\":\"x/%2e%2e/../a.bin\"}]"),
     "t.gltf: buffers[0]: expected a file in the folder of the glTF, found 'x/../../a.bin': it is not opened"},
    {BROKEN("\"buffers\":[{\"byteLength\":4,\"uri\":\"/etc/passwd\"}]"),
     "t.gltf: buffers[0]: expected a file in the folder of the glTF, found '/etc/passwd': it is not opened"},
    {BROKEN("\"buffers\":[{\"byteLength\":4,\"uri\":\"http://x/a.bin\"}]"),
     "t.gltf: buffers[0]: expected a file in the folder of the glTF, found 'http://x/a.bin': it is not opened"},
    {BROKEN("\"buffers\":[{\"byteLength\":9,\"uri\":\"data:;base64,AAAA\"}]"),
     "t.gltf: buffers[0]: expected 9 bytes, found 3"},
    {BROKEN("\"buffers\":[{\"byteLength\":3,\"uri\":\"data:;base64,A*AA\"}]"),
     "t.gltf: buffers[0]: expected base64 in a data: URI"},
    {BROKEN("\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]"),
     "t.gltf: nodes[0]: expected nodes at most 64 deep, found a deeper one or a cycle"},
    {BROKEN("\"scenes\":[{\"nodes\":[7]}],\"nodes\":[{}]"),
     "t.gltf: scenes[0].nodes[0]: expected an index of nodes below 1, found 7"},
    {WITH("\"nodes\":[{\"mesh\":0,\"skin\":0}]"),
     "t.gltf: nodes[0]: a skinned mesh is not read: export the mesh without its skin"},
    {WITH("\"nodes\":[{\"mesh\":0,\"scale\":[1,2]}]"), "t.gltf: nodes[0]: expected 3 numbers as scale"},
    {BROKEN("\"accessors\":[{\"componentType\":5126,\"count\":1e15,\"type\":\"VEC3\"}]," MESHES("")),
     "t.gltf: the scene repeats its geometry too often for a file of its size"},
    {BROKEN("\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}]," MESHES("")),
     "t.gltf: accessors[0]: expected VEC3 of bytes, shorts, unsigned ints or floats"},
    {BROKEN(BUFFER ",\"bufferViews\":[{\"buffer\":0,\"byteOffset\":20,\"byteLength\":41}]," ACCESSORS "," MESHES("")),
     "t.gltf: bufferViews[0]: expected 41 bytes from 20 in a buffer of 60"},
    {BROKEN(BUFFER ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":47}]," ACCESSORS "," MESHES("")),
     "t.gltf: bufferViews[0]: expected 4 elements of 12 bytes from byte 0 on, found 47 bytes"},
    {BROKEN(
         BUFFER
         ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"extensions\":{\"EXT_meshopt_compression\":{}}}]," ACCESSORS
         "," MESHES("")),
     "t.gltf: bufferViews[0]: meshopt compression (EXT_meshopt_compression) is not read: export without it"},
};

START_TEST(gltf_errors_name_the_place) { check_refused("t.gltf", gltf_errors[_i].text, gltf_errors[_i].message); }
END_TEST

/* A .bin beside the file, with a blank in its name, is found from any folder. */
START_TEST(gltf_opens_its_buffers)
{
    char folder[] = "/tmp/apart_gltf_XXXXXX", gltf[64], bin[64];
    static const unsigned char bytes[36] = {[14] = 0x80, [15] = 0x3f, [30] = 0x80, [31] = 0x3f};
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(gltf, sizeof gltf, "%s/t.gltf", folder);
    snprintf(bin, sizeof bin, "%s/a b.bin", folder);
    FILE *stream = fopen(gltf, "wb");
    fputs(
        BROKEN(
            "\"buffers\":[{\"byteLength\":36,\"uri\":\"a%20b.bin\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"),
        stream);
    fclose(stream);
    apart_mesh_data m;
    apart_io_error error;
    ck_assert_int_eq(apart_mesh_read(gltf, &m, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, "a b.bin: cannot open: "), "%s", error.message);
    stream = fopen(bin, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, sizeof bytes, stream), sizeof bytes);
    fclose(stream);
    ck_assert_msg(apart_mesh_read(gltf, &m, &error) == APART_OK, "%s", error.message);
    static const double flat[] = {0, 0, 0, 1, 1, 0, 0};
    check_extent(&m, flat);
    apart_mesh_data_turn_z_up(&m);
    static const double standing[] = {0, 0, 0, 1, 0, 1, 0};
    check_extent(&m, standing);
    ck_assert_int_eq(m.up_axis, 'Z');
    apart_mesh_data_free(&m);
    remove(gltf);
    remove(bin);
    rmdir(folder);
}
END_TEST

/* ---- other files ---- */

static const struct {
    const char *name, *text, *message;
} unknown_files[] = {
    {"a.vtk", "1 2 3", "a.vtk: VTK is not read; expected one of OBJ, STL, PLY, OFF, Collada, glTF, lists of points"},
    {"a.3MF", "PK",
     "a.3MF: 3MF, a compressed archive, is not read; expected one of OBJ, STL, PLY, OFF, Collada, glTF, "
     "lists of points"},
    {"a.foo", "# foo\nbar 1 2 3",
     "a.foo:2: expected a mesh (OBJ, STL, PLY, OFF, Collada, glTF, lists of points): neither the file's name nor its "
     "first word 'bar' tells which"},
    {"../a.x/part", "PK\3\4",
     "../a.x/part:1: expected a mesh (OBJ, STL, PLY, OFF, Collada, glTF, lists of points): neither the file's name nor "
     "its first word 'PK\\x03\\x04' tells which"},
};

START_TEST(unknown_files_are_refused)
{
    check_refused(unknown_files[_i].name, unknown_files[_i].text, unknown_files[_i].message);
}
END_TEST

/* ---- real robots ---- */

/* Boxes of links, from the numbers in the files and the robots' data sheets. */
static const struct {
    const char *path;
    double low[3], high[3];
} links[] = {
    {"hyq/example-robot-data/robots/hyq_description/meshes/leg/upperleg.dae",
     {-0.0229, -0.0537, -0.039},
     {0.373, 0.025, 0.039}},
    {"hyq/example-robot-data/robots/hyq_description/meshes/trunk/trunk.dae",
     {-0.645, -0.298, -0.104},
     {0.645, 0.298, 0.27}},
    {"baxter_collada/example-robot-data/robots/baxter_description/meshes/base/pedestal_link_collision.DAE",
     {-0.502, -0.416, -0.924},
     {0.417, 0.416, -0.0615}},
    {"jaco_gltf/drake_models/jaco_description/meshes/base.gltf", {-0.04125, 0, -0.04125}, {0.04125, 0.15675, 0.04125}},
};

START_TEST(links_have_their_sizes)
{
    const char *given = getenv("APART_TEST_ROBOTS");
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", given ? given : TEST_ROBOTS, links[_i].path);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is missing (APART_TEST_ROBOTS names its folder)\n", path);
        return;
    }
    apart_mesh_data m;
    apart_io_error error;
    ck_assert_msg(apart_mesh_read(path, &m, &error) == APART_OK, "%s", error.message);
    const extent e = measure(&m);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(e.low[k], links[_i].low[k], 6e-4);
        ck_assert_double_eq_tol(e.high[k], links[_i].high[k], 6e-4);
    }
    apart_mesh_data_free(&m);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *scenes_suite(void)
{
    Suite *suite = suite_create("io_scenes");
    TCase *collada = tcase_create("collada");
    tcase_add_loop_test(collada, collada_reads_every_kind_of_face, 0, COUNT(collada_faces));
    tcase_add_loop_test(collada, collada_places_its_nodes, 0, COUNT(collada_scenes));
    tcase_add_loop_test(collada, collada_errors_name_the_place, 0, COUNT(collada_errors));
    tcase_add_test(collada, collada_counts_are_not_believed);
    tcase_add_test(collada, collada_repeats_within_limits);
    suite_add_tcase(suite, collada);
    TCase *gltf = tcase_create("gltf");
    tcase_add_loop_test(gltf, gltf_places_its_nodes, 0, COUNT(gltf_scenes));
    tcase_add_test(gltf, gltf_reads_binary_files);
    tcase_add_test(gltf, gltf_reads_sparse_accessors);
    tcase_add_loop_test(gltf, gltf_errors_name_the_place, 0, COUNT(gltf_errors));
    tcase_add_test(gltf, gltf_opens_its_buffers);
    suite_add_tcase(suite, gltf);
    TCase *files = tcase_create("files");
    tcase_add_loop_test(files, unknown_files_are_refused, 0, COUNT(unknown_files));
    tcase_add_loop_test(files, links_have_their_sizes, 0, COUNT(links));
    suite_add_tcase(suite, files);
    return suite;
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    return run_suite(scenes_suite());
}
