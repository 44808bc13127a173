/* Meshes read and written: every format, every error with its line and words, hostile headers in bounded memory. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apart/apart.h>
#include <apart/io.h>

#include "text/file.h"

/* ---- meshes ---- */

/* Reads a text that must be fine. */
static apart_mesh_data read_text(int format, const char *text)
{
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_mesh_read_memory(text, strlen(text), "t", format, &mesh, &error);
    ck_assert_msg(status == APART_OK, "%s", error.message);
    return mesh;
}

static const char *const cubes[] = {"cube.obj",     "cube.off", "cube.ply",        "cube_little.ply",
                                    "cube_big.ply", "cube.stl", "cube_binary.stl", "cube.xyz"};

START_TEST(every_format_gives_the_cube)
{
    char path[512];
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, cubes[_i]);
    ck_assert_msg(apart_mesh_read(path, &mesh, &error) == APART_OK, "%s", error.message);
    ck_assert_uint_eq(mesh.vertex_count, 8);
    for (size_t i = 0; i < 24; i++) {
        ck_assert(fabs(mesh.xyz[i]) == 0.5);
    }
    const size_t faces = mesh.format == APART_MESH_STL ? 12 : mesh.format == APART_MESH_POINTS ? 0 : 6;
    ck_assert_uint_eq(mesh.face_count, faces);
    ck_assert_uint_eq(mesh.face_index_count, faces == 12 ? 36 : 4 * faces);
    if (mesh.format == APART_MESH_OBJ) {
        ck_assert_uint_eq(mesh.object_count, 1);
        ck_assert_str_eq(mesh.object_names[0], "cube");
    }
    apart_mesh_data_free(&mesh);
    ck_assert_ptr_null(mesh.xyz);
}
END_TEST

/* The content decides, not the name. */
START_TEST(formats_are_recognised)
{
    static const int expected[] = {APART_MESH_OBJ, APART_MESH_OFF, APART_MESH_PLY, APART_MESH_PLY,
                                   APART_MESH_PLY, APART_MESH_STL, APART_MESH_STL, APART_MESH_POINTS};
    char path[512], *data;
    size_t size;
    apart_mesh_data mesh;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, cubes[_i]);
    ck_assert(ap_file_read(path, AP_FILE_LIMIT, &data, &size, NULL) == APART_OK);
    ck_assert(apart_mesh_read_memory(data, size, "nameless", APART_MESH_AUTO, &mesh, NULL) == APART_OK);
    ck_assert_int_eq(mesh.format, expected[_i]);
    apart_mesh_data_free(&mesh);
    free(data);
}
END_TEST

START_TEST(obj_in_all_spellings)
{
    apart_mesh_data m =
        read_text(APART_MESH_OBJ,
                  "\xef\xbb\xbf# BOM, CRLF, tabs, continued lines\r\nv\t0 0 0\r\n"
                  "v 1 0 0 1.0\r\n  v 0 1 0 0.5 0.5 0.5\r\n\r\nvt 0 0\r\nvn 0 0 1\r\n"
                  "f 1/1/1 2//1 \\\r\n 3/1\r\nf -3 -2 -1 # comment\r\ns off\r\nf 4 1 2\r\nv 0 0 0x1p-1");
    ck_assert_uint_eq(m.vertex_count, 4);
    ck_assert_uint_eq(m.face_count, 3);
    ck_assert(m.xyz[11] == 0.5);
    static const uint32_t indices[] = {0, 1, 2, 0, 1, 2, 3, 0, 1};
    ck_assert_mem_eq(m.face_indices, indices, sizeof indices);
    ck_assert_uint_eq(m.object_count, 0);
    ck_assert_ptr_null(m.face_objects);
    apart_mesh_data_free(&m);
}
END_TEST

/* As some programs write them: counts before the first statement, elements that are no faces, empty materials. */
START_TEST(obj_of_other_programs)
{
    apart_mesh_data m =
        read_text(APART_MESH_OBJ, "# made by hand\n 3 99 \nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl\nmtllib a b.mtl\n"
                                  "l 1 2\np 3\nvp 0.1\ng a b  c\nf 1 2 3\ng\n");
    ck_assert_uint_eq(m.vertex_count, 3);
    ck_assert_uint_eq(m.face_count, 1);
    ck_assert_uint_eq(m.object_count, 1);
    apart_mesh_data_free(&m);
}
END_TEST

START_TEST(obj_objects_are_named_once)
{
    apart_mesh_data m = read_text(
        APART_MESH_OBJ,
        "v 0 0 0\nv 1 0 0\nv 0 1 0\no empty\no right arm\ng skin\nf 1 2 3\no b\x01\nf 1 2 3\no right arm\nf 1 2 3\n");
    ck_assert_uint_eq(m.object_count, 2);
    ck_assert_str_eq(m.object_names[0], "right arm");
    ck_assert_str_eq(m.object_names[1], "b\\x01");
    ck_assert_mem_eq(m.face_objects, ((const uint32_t[]){0, 1, 0}), 3 * sizeof(uint32_t));
    apart_mesh_data_free(&m);
    m = read_text(APART_MESH_OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng z\nf 1 2 3\ng a\nf 1 2 3\n");
    ck_assert_uint_eq(m.object_count, 3);
    ck_assert_str_eq(m.object_names[0], "default");
    ck_assert_str_eq(m.object_names[1], "z");
    ck_assert_str_eq(m.object_names[2], "a");
    ck_assert_mem_eq(m.face_objects, ((const uint32_t[]){0, 1, 2}), 3 * sizeof(uint32_t));
    apart_mesh_data_free(&m);
}
END_TEST

START_TEST(off_in_all_spellings)
{
    static const char *const texts[] =
        {"OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "OFF 3 1 0\r\n# c\r\n0 0 0\r\n\r\n1 0 0 # c\r\n0 1 0\r\n3 0 1 2",
         "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0.5 0.5 0.5 1\n",
         "3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "# c\nCOFF\n# c\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n0 1 0 255 0 0 255\n3 0 1 2\n",
         "STCNOFF\r3 1 0\r0 0 0 1\r1 0 0 1\r0 1 0 1\r3 0 1 2\r"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        apart_mesh_data m = read_text(APART_MESH_OFF, texts[i]);
        ck_assert_uint_eq(m.vertex_count, 3);
        ck_assert_uint_eq(m.face_count, 1);
        ck_assert(m.xyz[3] == 1.0 && m.xyz[7] == 1.0 && m.face_indices[2] == 2);
        apart_mesh_data_free(&m);
    }
}
END_TEST

START_TEST(stl_joins_equal_corners)
{
    apart_mesh_data m =
        read_text(APART_MESH_STL,
                  "SOLID two\n FACET NORMAL nan nan -nan(ind)\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 1 0\n"
                  "ENDLOOP\nENDFACET\nendsolid two\nsolid\nfacet normal 0 0 1 outer loop vertex -0 0 0 vertex 1 0 0\n"
                  "vertex 0 1.0000000000000002 0 endloop endfacet\nendsolid");
    ck_assert_uint_eq(m.vertex_count, 4);
    ck_assert_uint_eq(m.face_count, 2);
    static const uint32_t indices[] = {0, 1, 2, 0, 1, 3};
    ck_assert_mem_eq(m.face_indices, indices, sizeof indices);
    apart_mesh_data_free(&m);
}
END_TEST

START_TEST(ply_reads_every_type)
{
    static const char header[] =
        "ply\r\nformat binary_big_endian 1.0\r\nobj_info x\r\nelement vertex 1\r\nproperty char x\r\nproperty list uint8 double q\r\n"
        "property uint16 y\r\nproperty float64 z\r\nelement nothing 99999999999\r\nend_header\r\n";
    static const unsigned char rows[] = {0xff, 1,    0,    0,    0,    0,    0,    0,    0,    0,
                                         0xff, 0xfe, 0xbf, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a};
    char file[512];
    memcpy(file, header, sizeof header - 1);
    memcpy(file + sizeof header - 1, rows, sizeof rows);
    apart_mesh_data m;
    apart_io_error error;
    ck_assert(apart_mesh_read_memory(file, sizeof header - 1 + sizeof rows, "t", APART_MESH_PLY, &m, &error) ==
              APART_OK);
    ck_assert(m.xyz[0] == -1.0 && m.xyz[1] == 65534.0 && m.xyz[2] == -0.1);
    apart_mesh_data_free(&m);
    for (size_t cut = 0; cut < sizeof rows; cut++) {
        ck_assert(apart_mesh_read_memory(file, sizeof header - 1 + cut, "t", APART_MESH_PLY, &m, &error) ==
                  APART_ERR_SYNTAX);
        ck_assert_msg(strstr(error.message, "t: vertex 1 of 1: expected "), "%s", error.message);
    }
}
END_TEST

START_TEST(points_in_all_spellings)
{
    apart_mesh_data m = read_text(APART_MESH_POINTS, "# list\n1 2 3\n\t4,5 ,6\r\n\r\n 7\t8\t9 # last\n-1e-3,+.5,0x1p4");
    static const double expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1e-3, 0.5, 16};
    ck_assert_uint_eq(m.vertex_count, 4);
    ck_assert_mem_eq(m.xyz, expected, sizeof expected);
    apart_mesh_data_free(&m);
}
END_TEST

/* ---- errors ---- */

typedef struct bad_file {
    int format;
    const char *text;
    size_t column;
    const char *message;
} bad_file;

#define TRI "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define PLY "ply\nformat ascii 1.0\n"
#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"

static const bad_file bad_files[] = {
    {APART_MESH_OBJ, "v 1 2\n", 6, "t:1: expected three numbers after 'v', found the end of the line"},
    {APART_MESH_OBJ, "v 1 2", 6, "t:1: expected three numbers after 'v', found the end of the file"},
    {APART_MESH_OBJ, "# c\r\nv 1 x 3\r\n", 5, "t:2: expected three numbers after 'v', found 'x'"},
    {APART_MESH_OBJ, "v 1 2 nan\n", 7, "t:1: expected three numbers after 'v', found 'nan'"},
    {APART_MESH_OBJ, "v 1 1e999 2\n", 5,
     "t:1: expected three numbers after 'v' within the range of doubles, found '1e999'"},
    {APART_MESH_OBJ, "v 1 2 3 red\n", 9,
     "t:1: expected the end of the line or a weight or colour after 'v x y z', found 'red'"},
    {APART_MESH_OBJ, TRI "f 1 2\n", 6,
     "t:4: expected at least three vertex numbers after 'f', found the end of the line"},
    {APART_MESH_OBJ, TRI "f 1 2 0\n", 7, "t:4: expected a vertex number in a face, found '0'"},
    {APART_MESH_OBJ, TRI "f 1 2 /3\n", 7, "t:4: expected a vertex number in a face, found '/3'"},
    {APART_MESH_OBJ, TRI "f 1 2 3\nf 1 4 3\nf 1 2 3\n", 5, "t:5: expected a vertex number from 1 to 3, found 4"},
    {APART_MESH_OBJ, TRI "f 1 2 -4\n", 7, "t:4: expected a vertex number not below -3, found '-4'"},
    {APART_MESH_OBJ, TRI "f 1 2 99999999999\n", 7, "t:4: expected a vertex number from 1 to 3, found 99999999999"},
    {APART_MESH_OBJ, TRI "face 1 2 3\n", 1, "t:4: expected an OBJ statement such as 'v' or 'f', found 'face'"},
    {APART_MESH_OBJ, "\x1b[31m\x9f\n", 1, "t:1: expected an OBJ statement such as 'v' or 'f', found '\\x1b[31m\\x9f'"},
    {APART_MESH_OBJ, "3 1\n7 7\n", 1, "t:2: expected an OBJ statement such as 'v' or 'f', found '7'"},
    {APART_MESH_OBJ, "3 1 4 1\nv 1 2 3\n", 1, "t:1: expected an OBJ statement such as 'v' or 'f', found '3'"},
    {APART_MESH_OBJ, "# nothing\n", 0, "t: expected at least one vertex, found none"},
    {APART_MESH_OBJ,
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1,
     "t:1: expected an OBJ statement such as 'v' or 'f', found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"},
    {APART_MESH_STL, "solid a\nfacet normal 0 0\n", 17,
     "t:2: expected three numbers after 'normal', found the end of the line"},
    {APART_MESH_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 inf\n", 12,
     "t:4: expected three numbers after 'vertex', found 'inf'"},
    {APART_MESH_STL, "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nendloop\n", 1,
     "t:5: expected 'vertex', found 'endloop'"},
    {APART_MESH_STL, "solid a\nfacet normal 0 0 1\n", 1, "t:3: expected 'outer', found the end of the file"},
    {APART_MESH_STL, "solid a\nblah\n", 1, "t:2: expected 'facet' or 'endsolid', found 'blah'"},
    {APART_MESH_STL, "solid a\n", 1, "t:2: expected 'facet' or 'endsolid', found the end of the file"},
    {APART_MESH_STL, "solid a\nendsolid a\nrest\n", 1, "t:3: expected 'solid', found 'rest'"},
    {APART_MESH_STL, "what", 0, "t: expected 'solid' or a binary STL header of 84 bytes, found 4 other bytes"},
    {APART_MESH_PLY, "plx\n", 1, "t:1: expected 'ply', found 'plx'"},
    {APART_MESH_PLY, "ply\nend_header\n", 1, "t:2: expected a line 'format ...' in the header, found 'end_header'"},
    {APART_MESH_PLY, "ply\nformat binary 1.0\n", 8,
     "t:2: expected ascii, binary_little_endian or binary_big_endian, found 'binary'"},
    {APART_MESH_PLY, PLY "element vertex -3\n", 16, "t:3: expected the number of elements, found '-3'"},
    {APART_MESH_PLY, PLY "element vertex 1\nelement vertex 1\n", 9, "t:4: expected each element once, found 'vertex'"},
    {APART_MESH_PLY, PLY "property float x\n", 1,
     "t:3: expected 'element' before the first property, found 'property'"},
    {APART_MESH_PLY, PLY "element vertex 1\nproperty quad x\n", 10,
     "t:4: expected a property type such as float or int, found 'quad'"},
    {APART_MESH_PLY, PLY "element face 1\nproperty list float int vertex_index\n", 15,
     "t:4: expected a whole-number type for the length of a list, found 'float'"},
    {APART_MESH_PLY, PLY "element vertex 1\nproperty float x\nproperty float x\n", 16,
     "t:5: expected each property once, found 'x'"},
    {APART_MESH_PLY, PLY "element vertex 1\n", 1, "t:4: expected 'end_header', found the end of the file"},
    {APART_MESH_PLY, PLY "elements\n", 1, "t:3: expected a PLY header line or 'end_header', found 'elements'"},
    {APART_MESH_PLY, PLY "element vertex 1\nproperty float x\nend_header\n1\n", 1,
     "t:3: expected properties x, y and z of the element 'vertex', found not all"},
    {APART_MESH_PLY, PLY "element vertex 2\n" PLY_XYZ "end_header\n1 2 3\n", 1,
     "t:9: expected vertex 2 of 2, found the end of the file"},
    {APART_MESH_PLY, PLY "element vertex 1\n" PLY_XYZ "end_header\n1 2\n", 4,
     "t:8: expected a finite number, found the end of the line"},
    {APART_MESH_PLY, PLY "element vertex 1\n" PLY_XYZ "end_header\n1 2 3 4\n", 7,
     "t:8: expected the end of the line after the last property, found '4'"},
    {APART_MESH_PLY, PLY "element vertex 1\n" PLY_XYZ "end_header\n1 2 -1e999\n", 5,
     "t:8: expected a finite coordinate, found '-1e999'"},
    {APART_MESH_PLY,
     PLY "element vertex 1\n" PLY_XYZ
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n3 0 0 1\n",
     7, "t:11: expected a vertex number from 0 to 0, found 1"},
    {APART_MESH_PLY,
     PLY "element vertex 1\n" PLY_XYZ
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n3 0 -1 0\n",
     5, "t:11: expected a vertex number, found '-1'"},
    {APART_MESH_PLY,
     PLY "element vertex 1\n" PLY_XYZ
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n2 0 0\n",
     1, "t:11: expected a face of at least three vertices, found '2'"},
    {APART_MESH_OFF, "OFG\n", 1, "t:1: expected OFF, COFF, NOFF or STOFF (three coordinates, text), found 'OFG'"},
    {APART_MESH_OFF, "4OFF\n", 1, "t:1: expected OFF, COFF, NOFF or STOFF (three coordinates, text), found '4OFF'"},
    {APART_MESH_OFF, "OFF BINARY\n", 5, "t:1: expected a text OFF file, found 'BINARY'"},
    {APART_MESH_OFF, "OFF\nx\n", 1, "t:2: expected the number of vertices, found 'x'"},
    {APART_MESH_OFF, "OFF\n3\n", 2, "t:2: expected the number of faces, found the end of the line"},
    {APART_MESH_OFF, "OFF\n2 0 0\n0 0 0\n", 1, "t:4: expected vertex 2 of 2, found the end of the file"},
    {APART_MESH_OFF, "OFF\n1 0 0\n0 0\n", 4, "t:3: expected three numbers for a vertex, found the end of the line"},
    {APART_MESH_OFF, "OFF\n1 0 0\n0 0 0 9\n", 7, "t:3: expected the end of the line after a vertex 'x y z', found '9'"},
    {APART_MESH_OFF, "OFF\n1 1 0\n0 0 0\n", 1, "t:4: expected face 1 of 1, found the end of the file"},
    {APART_MESH_OFF, "OFF\n1 1 0\n0 0 0\n2 0 0\n", 1, "t:4: expected a face of at least three vertices, found '2'"},
    {APART_MESH_OFF, "OFF\n1 1 0\n0 0 0\n3 0 0\n", 6, "t:4: expected a vertex number, found the end of the line"},
    {APART_MESH_OFF, "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", 7, "t:4: expected a vertex number from 0 to 0, found 1"},
    {APART_MESH_POINTS, "1 2 3\n4 5\n", 4, "t:2: expected three numbers 'x y z' a line, found the end of the line"},
    {APART_MESH_POINTS, "1 2 3 4\n", 7, "t:1: expected the end of the line after 'x y z', found '4'"},
    {APART_MESH_POINTS, "1,,2,3\n", 3, "t:1: expected three numbers 'x y z' a line, found ','"},
    {APART_MESH_POINTS, "1,2,3,\n", 6, "t:1: expected the end of the line after 'x y z', found ','"},
    {APART_MESH_POINTS, "", 0, "t: expected at least one vertex, found none"},
    {99, "", 0, "t: unknown mesh format number 99"},
};

START_TEST(errors_name_the_place)
{
    const bad_file *bad = &bad_files[_i];
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    const apart_status status = apart_mesh_read_memory(bad->text, strlen(bad->text), "t", bad->format, &mesh, &error);
    ck_assert_int_eq(status, bad->format == 99 ? APART_ERR_OPTION : APART_ERR_SYNTAX);
    ck_assert_str_eq(error.message, bad->message);
    ck_assert_uint_eq(error.column, bad->column);
    ck_assert_uint_eq(error.line, (size_t)strtol(bad->message + 2, NULL, 10));
    ck_assert(!mesh.xyz && !mesh.face_sizes && !mesh.face_indices && mesh.vertex_count == 0);
    ck_assert_int_eq(apart_mesh_read_memory(bad->text, strlen(bad->text), NULL, bad->format, &mesh, NULL), status);
}
END_TEST

START_TEST(null_arguments_are_refused)
{
    apart_mesh_data mesh;
    apart_io_error error;
    apart_case_file *file;
    ck_assert_int_eq(apart_mesh_read(NULL, &mesh, &error), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_read("x", NULL, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_read_memory(NULL, 1, "t", 0, &mesh, &error), APART_ERR_NULL);
    ck_assert_int_eq(apart_mesh_read_memory(NULL, 0, "t", 0, &mesh, &error), APART_ERR_SYNTAX);
    ck_assert_int_eq(apart_hull_write(NULL, "x", 0, &error), APART_ERR_NULL);
    ck_assert_int_eq(apart_case_open(NULL, &file, &error), APART_ERR_NULL);
    ck_assert_int_eq(apart_case_open_memory(NULL, 5, "t", &file, &error), APART_ERR_NULL);
    ck_assert_int_eq(apart_case_next(NULL, NULL, NULL, &error), APART_ERR_NULL);
    apart_mesh_data_free(NULL);
    apart_case_close(NULL);
}
END_TEST

/* ---- hostile files ---- */

/* A sanitizer reserves address space of its own, so the limit holds without one only. */
static void limit_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return;
#endif
#endif
    const struct rlimit limit = {(rlim_t)256 << 20, (rlim_t)256 << 20};
    ck_assert(setrlimit(RLIMIT_AS, &limit) == 0);
}

START_TEST(headers_are_not_believed)
{
    static const char *const texts[] = {
        "ply\nformat ascii 1.0\nelement vertex 10000000000\n" PLY_XYZ "end_header\n0 0 0\n",
        "ply\nformat binary_little_endian 1.0\nelement vertex 9000000000000000000\n" PLY_XYZ "end_header\n0123456789ab",
        "ply\nformat binary_big_endian 1.0\nelement other 9000000000000000000\nproperty list uint double x\nend_header\n\xff\xff\xff\xff",
        "ply\nformat ascii 1.0\nelement other 4\nproperty list uint double x\nend_header\n4000000000 1 2 3\n",
        "OFF\n10000000000 1 1\n0 0 0\n",
        "OFF\n1 10000000000 1\n0 0 0\n3 0 0 0\n",
        "OFF\n1 1 1\n0 0 0\n4000000000 0 0 0\n"};
    limit_memory();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        apart_mesh_data mesh;
        apart_io_error error;
        ck_assert_int_eq(apart_mesh_read_memory(texts[i], strlen(texts[i]), "t", APART_MESH_AUTO, &mesh, &error),
                         APART_ERR_SYNTAX);
        ck_assert_msg(strstr(error.message, "expected"), "%s", error.message);
    }
    char stl[134] = {0};
    memset(stl + 80, 0xff, 4);
    apart_mesh_data mesh;
    apart_io_error error;
    ck_assert_int_eq(apart_mesh_read_memory(stl, sizeof stl, "t.stl", APART_MESH_AUTO, &mesh, &error),
                     APART_ERR_SYNTAX);
    ck_assert_str_eq(
        error.message,
        "t.stl: expected 84 + 50 * 4294967295 bytes for the 4294967295 triangles of a binary STL file, found 134");
    const char cases[] = "case a\nA 10000000000\n0 0 0\n";
    apart_case_file *file;
    apart_case c;
    int found;
    ck_assert_int_eq(apart_case_open_memory(cases, sizeof cases - 1, "t", &file, &error), APART_OK);
    ck_assert_int_eq(apart_case_next(file, &c, &found, &error), APART_ERR_SYNTAX);
    ck_assert_str_eq(error.message, "t:4: expected point 2 of 10000000000, found the end of the file");
    apart_case_close(file);
}
END_TEST

/* One line of 16 MiB: read once, refused with a short message. */
START_TEST(long_lines_are_harmless)
{
    static const char fill[] = {'1', 'x', ' ', '\\', 0, '\xff'};
    const size_t size = (size_t)16 << 20;
    char *data = malloc(size);
    limit_memory();
    for (size_t i = 0; i < sizeof fill; i++) {
        memset(data, fill[i], size);
        for (int format = APART_MESH_OBJ; format <= APART_MESH_POINTS; format++) {
            apart_mesh_data mesh;
            apart_io_error error;
            ck_assert_int_eq(apart_mesh_read_memory(data, size, "t", format, &mesh, &error), APART_ERR_SYNTAX);
            ck_assert_uint_lt(strlen(error.message), 200);
        }
    }
    free(data);
}
END_TEST

/* Every beginning of every good file is read or refused; a memory checker watches. */
START_TEST(truncated_files_are_harmless)
{
    char path[512], *data;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, cubes[_i]);
    ck_assert(ap_file_read(path, AP_FILE_LIMIT, &data, &size, NULL) == APART_OK);
    for (size_t cut = 0; cut < size; cut++) {
        apart_mesh_data mesh;
        apart_io_error error = {.message = ""};
        char *part = malloc(cut > 0 ? cut : 1);
        memcpy(part, data, cut);
        const apart_status status = apart_mesh_read_memory(part, cut, path, APART_MESH_AUTO, &mesh, &error);
        ck_assert(status == APART_OK || (status == APART_ERR_SYNTAX && strlen(error.message) > strlen(path)));
        apart_mesh_data_free(&mesh);
        free(part);
    }
    free(data);
}
END_TEST

START_TEST(binary_stl_with_a_nan)
{
    unsigned char stl[134] = {0};
    stl[80] = 1;
    memset(stl + 84 + 12 + 8, 0xff, 4);
    apart_mesh_data mesh;
    apart_io_error error;
    ck_assert_int_eq(apart_mesh_read_memory(stl, sizeof stl, "t", APART_MESH_STL, &mesh, &error), APART_ERR_SYNTAX);
    ck_assert_str_eq(error.message, "t: triangle 1 of 1: expected finite coordinates, found a NaN or an infinity");
}
END_TEST

/* ---- files ---- */

/* A new directory for one test. */
static void make_directory(char path[64])
{
    strcpy(path, "apart_test_io_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
}

static size_t entries(const char *path)
{
    DIR *directory = opendir(path);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

START_TEST(files_that_cannot_be_read)
{
    char directory[64], *data;
    size_t size;
    apart_mesh_data mesh;
    apart_io_error error;
    make_directory(directory);
    ck_assert_int_eq(apart_mesh_read("no/such.obj", &mesh, &error), APART_ERR_FILE);
    ck_assert_str_eq(error.message, "no/such.obj: cannot open: No such file or directory");
    ck_assert_int_eq(apart_mesh_read(directory, &mesh, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, ": cannot read: Is a directory"), "%s", error.message);
    ck_assert_int_eq(apart_mesh_read("a\nb\x1b\xc3\xbc\xff", &mesh, &error), APART_ERR_FILE);
    ck_assert_str_eq(error.message, "a\\x0ab\\x1b\xc3\xbc\\xff: cannot open: No such file or directory");
    char path[600];
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, "cube.obj");
    ck_assert_int_eq(ap_file_read(path, 100, &data, &size, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, ": larger than 100 bytes, the limit for a file"), "%s", error.message);
    ck_assert(!data && size == 0);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    ck_assert_int_eq(apart_mesh_read(path, &mesh, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, "xxx...: cannot open: "), "%s", error.message);
    if (geteuid() != 0) {
        snprintf(path, sizeof path, "%s/secret.obj", directory);
        fclose(fopen(path, "w"));
        chmod(path, 0);
        ck_assert_int_eq(apart_mesh_read(path, &mesh, &error), APART_ERR_FILE);
        remove(path);
    }
    rmdir(directory);
}
END_TEST

static apart_hull *make_hull(const double *xyz, size_t n)
{
    apart_hull *hull = NULL;
    ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &hull), APART_OK);
    return hull;
}

static const double rock[] = {0.1,   1e-300, 0,   1.0 / 3, 0,    0,   0,        2.0 / 3, 0.25,
                              -1e-7, 0.5,    1.1, 7e5,     -3.3, 0.7, -123.456, 1e5,     -2e5};

/* Bit for bit in the text formats, to single precision in STL. */
START_TEST(hulls_survive_writing)
{
    static const char *const names[] = {"h.obj", "h.stl", "h.ply", "h.off", "h.xyz"};
    char directory[64], path[128];
    apart_io_error error = {.message = ""};
    apart_mesh_data mesh;
    make_directory(directory);
    apart_hull *hull = make_hull(rock, sizeof rock / sizeof rock[0] / 3);
    snprintf(path, sizeof path, "%s/%s", directory, names[_i]);
    ck_assert_msg(apart_hull_write(hull, path, APART_MESH_AUTO, &error) == APART_OK, "%s", error.message);
    ck_assert_uint_eq(entries(directory), 1);
    ck_assert_msg(apart_mesh_read(path, &mesh, &error) == APART_OK, "%s", error.message);
    ck_assert_int_eq(mesh.format, _i + 1);
    ck_assert_uint_eq(mesh.vertex_count, apart_hull_vertex_count(hull));
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull) && mesh.format != APART_MESH_STL; i++) {
        const apart_vec3 v = apart_hull_vertex(hull, i);
        ck_assert_mem_eq(mesh.xyz + 3 * i, (&(const double[3]){v.x, v.y, v.z}), sizeof(double[3]));
    }
    ck_assert(mesh.format == APART_MESH_STL || mesh.format == APART_MESH_POINTS ||
              mesh.face_count == apart_hull_face_count(hull));
    const uint32_t *face = mesh.face_indices, *expected;
    for (uint32_t f = 0; f < mesh.face_count && mesh.format != APART_MESH_STL; face += mesh.face_sizes[f++]) {
        ck_assert_uint_eq(mesh.face_sizes[f], apart_hull_face(hull, f, &expected));
        ck_assert_mem_eq(face, expected, mesh.face_sizes[f] * sizeof *face);
    }
    apart_mesh_data_free(&mesh);
    apart_hull_free(hull);
    remove(path);
    rmdir(directory);
}
END_TEST

/* Links are followed, permissions kept, devices written directly. */
START_TEST(writing_replaces_as_a_whole)
{
    char directory[64], path[128], link[128];
    apart_io_error error = {.message = ""};
    struct stat status;
    make_directory(directory);
    apart_hull *hull = make_hull(rock, sizeof rock / sizeof rock[0] / 3);
    snprintf(path, sizeof path, "%s/h.obj", directory);
    snprintf(link, sizeof link, "%s/link.obj", directory);
    FILE *old = fopen(path, "w");
    fputs("old", old);
    fclose(old);
    chmod(path, 0640);
    ck_assert(symlink("h.obj", link) == 0);
    ck_assert_int_eq(apart_hull_write(hull, link, APART_MESH_AUTO, &error), APART_OK);
    ck_assert(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    ck_assert(stat(path, &status) == 0 && status.st_size > 100 && (status.st_mode & 0777) == 0640);
    ck_assert_uint_eq(entries(directory), 2);
    /* A device is written, not replaced; one that is full says so. */
    ck_assert_int_eq(apart_hull_write(hull, "/dev/null", APART_MESH_OFF, &error), APART_OK);
    ck_assert(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    if (stat("/dev/full", &status) == 0) {
        ck_assert_int_eq(apart_hull_write(hull, "/dev/full", APART_MESH_OFF, &error), APART_ERR_FILE);
        ck_assert_str_eq(error.message, "/dev/full: cannot write: No space left on device");
    }
    apart_hull_free(hull);
    remove(link);
    remove(path);
    rmdir(directory);
}
END_TEST

START_TEST(writing_that_fails_leaves_nothing)
{
    char directory[64], path[128];
    apart_io_error error = {.message = ""};
    make_directory(directory);
    apart_hull *hull = make_hull(rock, sizeof rock / sizeof rock[0] / 3);
    ck_assert_int_eq(apart_hull_write(hull, "no/such/h.obj", APART_MESH_AUTO, &error), APART_ERR_FILE);
    ck_assert_str_eq(error.message, "no/such/h.obj: cannot create a file beside it: No such file or directory");
    ck_assert_int_eq(apart_hull_write(hull, directory, APART_MESH_OBJ, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, ": cannot write: it is a directory"), "%s", error.message);
    ck_assert_int_eq(apart_hull_write(hull, "h.exe", APART_MESH_AUTO, &error), APART_ERR_OPTION);
    ck_assert_int_eq(apart_hull_write(hull, "h.obj", 77, &error), APART_ERR_OPTION);
    apart_hull_free(hull);
    /* The file system is full: every byte beyond the limit fails. */
    snprintf(path, sizeof path, "%s/h.obj", directory);
    hull = make_hull(rock, sizeof rock / sizeof rock[0] / 3);
    const struct rlimit limit = {64, 64};
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ck_assert_int_eq(apart_hull_write(hull, path, APART_MESH_AUTO, &error), APART_ERR_FILE);
    ck_assert_msg(strstr(error.message, ": cannot write: File too large"), "%s", error.message);
    ck_assert_uint_eq(entries(directory), 0);
    apart_hull_free(hull);
    rmdir(directory);
}
END_TEST

START_TEST(stl_refuses_what_it_cannot_hold)
{
    static const double segment[] = {0, 0, 0, 1, 1, 1}, large[] = {0, 0, 0, 1e39, 0, 0, 0, 1e39, 0, 0, 0, 1e39};
    apart_io_error error;
    apart_hull *hull = make_hull(segment, 2);
    ck_assert_int_eq(apart_hull_write(hull, "h.stl", APART_MESH_AUTO, &error), APART_ERR_OPTION);
    ck_assert_str_eq(error.message, "h.stl: STL cannot hold a hull without faces: write OBJ, PLY, OFF or points");
    apart_hull_free(hull);
    hull = make_hull(large, 4);
    ck_assert_int_eq(apart_hull_write(hull, "h.stl", APART_MESH_AUTO, &error), APART_ERR_OVERFLOW);
    apart_hull_free(hull);
}
END_TEST

/* A cube is convex; with a dent to its centre it deviates by half its width over its bounding radius. */
START_TEST(deviation_from_convex)
{
    char path[512];
    apart_mesh_data cube;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, "cube.obj");
    ck_assert_int_eq(apart_mesh_read(path, &cube, NULL), APART_OK);
    apart_hull *hull = make_hull(cube.xyz, cube.vertex_count);
    ck_assert_double_le(apart_mesh_deviation(&cube, hull), 1e-15);
    apart_mesh_data_free(&cube);
    apart_mesh_data dent =
        read_text(APART_MESH_OFF, "OFF\n4 1 0\n-.5 -.5 -.5\n.5 -.5 -.5\n.5 .5 -.5\n0 0 0\n4 0 1 2 3\n");
    ck_assert_double_eq_tol(apart_mesh_deviation(&dent, hull), 0.5 / sqrt(0.75), 1e-12);
    ck_assert(apart_mesh_deviation(&(apart_mesh_data){0}, hull) == 0);
    apart_mesh_data_free(&dent);
    apart_hull_free(hull);
}
END_TEST

/* The definition: every vertex and centroid against every face of the hull. */
static double slow_deviation(const apart_mesh_data *m, const apart_hull *hull)
{
    apart_vec3 center;
    double radius, deepest = 0;
    const apart_shape shape = apart_hull_shape(hull);
    ck_assert_int_eq(apart_shape_ball(&shape, &center, &radius), APART_OK);
    for (size_t f = 0; f < m->face_count; f++) {
        apart_vec3 points[4] = {{0, 0, 0}};
        for (int k = 0; k < 3; k++) {
            const double *p = m->xyz + 3 * m->face_indices[3 * f + (size_t)k];
            points[k] = (apart_vec3){p[0], p[1], p[2]};
            points[3] = apart_vec3_add(points[3], apart_vec3_scale(1.0 / 3, points[k]));
        }
        for (int k = 0; k < 4; k++) {
            double depth = INFINITY;
            for (uint32_t g = 0; g < apart_hull_face_count(hull); g++) {
                const uint32_t *vertices;
                apart_hull_face(hull, g, &vertices);
                const apart_vec3 below = apart_vec3_sub(apart_hull_vertex(hull, vertices[0]), points[k]);
                depth = fmin(depth, apart_vec3_dot(below, apart_hull_face_normal(hull, g)));
            }
            deepest = fmax(deepest, depth);
        }
    }
    return deepest / radius;
}

/* Triangles of points on a sphere, of which some are drawn inwards; hulls of few and of many faces. */
START_TEST(deviation_is_that_of_all_faces)
{
    enum { POINTS = 400 };
    double xyz[3 * POINTS];
    uint32_t sizes[POINTS], indices[3 * POINTS];
    const int count = 5 + _i * 30;
    uint64_t seed = 1 + (uint64_t)_i;
    for (int i = 0; i < 3 * count; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        xyz[i] = (double)(seed >> 11) * 0x1p-53 - 0.5;
        indices[i] = (uint32_t)(seed >> 33) % (uint32_t)count;
        sizes[i / 3] = 3;
    }
    for (int i = 0; i < count; i++) {
        const double norm =
            sqrt(xyz[3 * i] * xyz[3 * i] + xyz[3 * i + 1] * xyz[3 * i + 1] + xyz[3 * i + 2] * xyz[3 * i + 2]);
        for (int k = 0; k < 3; k++) {
            xyz[3 * i + k] = 100 + xyz[3 * i + k] / norm * (i % 5 == 0 ? 0.9 : 1);
        }
    }
    const apart_mesh_data m = {.xyz = xyz,
                               .vertex_count = (size_t)count,
                               .face_sizes = sizes,
                               .face_count = (size_t)(_i % 2 == 0 ? 1 : count), /* one face alone is seldom deep */
                               .face_indices = indices,
                               .face_index_count = (size_t)(_i % 2 == 0 ? 3 : 3 * count)};
    apart_hull *hull = make_hull(xyz, (size_t)count);
    ck_assert_double_eq_tol(apart_mesh_deviation(&m, hull), slow_deviation(&m, hull), 1e-13);
    apart_hull_free(hull);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *io_suite(void)
{
    Suite *suite = suite_create("io");
    TCase *meshes = tcase_create("meshes");
    tcase_add_loop_test(meshes, every_format_gives_the_cube, 0, COUNT(cubes));
    tcase_add_loop_test(meshes, formats_are_recognised, 0, COUNT(cubes));
    tcase_add_test(meshes, obj_in_all_spellings);
    tcase_add_test(meshes, obj_of_other_programs);
    tcase_add_test(meshes, obj_objects_are_named_once);
    tcase_add_test(meshes, off_in_all_spellings);
    tcase_add_test(meshes, stl_joins_equal_corners);
    tcase_add_test(meshes, ply_reads_every_type);
    tcase_add_test(meshes, points_in_all_spellings);
    suite_add_tcase(suite, meshes);

    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 60);
    tcase_add_loop_test(errors, errors_name_the_place, 0, COUNT(bad_files));
    tcase_add_test(errors, null_arguments_are_refused);
    tcase_add_test(errors, headers_are_not_believed);
    tcase_add_test(errors, long_lines_are_harmless);
    tcase_add_loop_test(errors, truncated_files_are_harmless, 0, COUNT(cubes));
    tcase_add_test(errors, binary_stl_with_a_nan);
    suite_add_tcase(suite, errors);

    TCase *files = tcase_create("files");
    tcase_add_test(files, files_that_cannot_be_read);
    tcase_add_loop_test(files, hulls_survive_writing, 0, 5);
    tcase_add_test(files, writing_replaces_as_a_whole);
    tcase_add_test(files, writing_that_fails_leaves_nothing);
    tcase_add_test(files, stl_refuses_what_it_cannot_hold);
    tcase_add_test(files, deviation_from_convex);
    tcase_add_loop_test(files, deviation_is_that_of_all_faces, 0, 14);
    suite_add_tcase(suite, files);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(io_suite());
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
