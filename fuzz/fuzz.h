/* What the fuzz targets share: a check that stops the run, and numbers taken from the fuzzer's bytes. */
#ifndef AP_FUZZ_H
#define AP_FUZZ_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apart/apart.h>
#include <apart/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* The fuzzer's bytes, read from the front; zeros after their end. */
typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static inline uint8_t take_byte(bytes *in)
{
    if (in->size == 0)
        return 0;
    in->size--;
    return *in->data++;
}

/* Any double at all. */
static inline double take_raw(bytes *in)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++)
        bits |= (uint64_t)take_byte(in) << (8 * i);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A number of the kind that meets in degenerate configurations: often a small multiple of 1/4, at times with its last
 * bits changed or scaled, seldom any double at all. */
static inline double take_number(bytes *in)
{
    const uint8_t kind = take_byte(in);
    const double small = (int8_t)take_byte(in) / 4.0;
    if (kind < 160)
        return small;
    if (kind < 200)
        return small * (1.0 + ldexp((int8_t)take_byte(in), -52));
    if (kind < 224)
        return small + ldexp((int8_t)take_byte(in), -20);
    if (kind < 240)
        return small * ldexp(1.0, 2 * (int8_t)take_byte(in));
    return take_raw(in);
}

static inline apart_vec3 take_point(bytes *in)
{
    apart_vec3 p;
    p.x = take_number(in);
    p.y = take_number(in);
    p.z = take_number(in);
    return p;
}

/* After a reader's error: a message that may be printed, naming the file. */
static inline void check_error(const apart_io_error *error)
{
    check(strncmp(error->message, "fuzz", 4) == 0, "the message names the file");
    check(strlen(error->message) > 8, "the message says something");
    for (const char *p = error->message; *p; p++)
        check((unsigned char)*p >= 0x20 && *p != 0x7f, "the message is printable");
}

/* Reads the bytes as a mesh and checks what every reader promises. */
static inline void check_mesh_reader(const uint8_t *data, size_t size, int format)
{
    apart_mesh_data mesh;
    apart_io_error error;
    if (apart_mesh_read_memory(data, size, "fuzz", format, &mesh, &error) != APART_OK) {
        check(!mesh.xyz && !mesh.face_sizes && !mesh.face_indices && !mesh.object_names,
              "the mesh is empty after an error");
        check_error(&error);
        return;
    }
    const size_t repeated = format == APART_MESH_COLLADA || format == APART_MESH_GLTF ? (1 << 20) + 15 * size : 0;
    check(mesh.vertex_count > 0 && mesh.vertex_count <= size + repeated, "vertices come from bytes");
    for (size_t i = 0; i < 3 * mesh.vertex_count; i++)
        check(isfinite(mesh.xyz[i]), "coordinates are finite");
    size_t used = 0;
    for (size_t f = 0; f < mesh.face_count; f++) {
        check(mesh.face_sizes[f] >= 3, "a face has three vertices");
        used += mesh.face_sizes[f];
    }
    check(used == mesh.face_index_count, "face sizes add up");
    for (size_t i = 0; i < mesh.face_index_count; i++)
        check(mesh.face_indices[i] < mesh.vertex_count, "indices are in range");
    for (size_t i = 0; i < mesh.object_count; i++)
        check(mesh.object_names[i] != NULL, "object names are there");
    for (size_t f = 0; f < mesh.face_count && mesh.object_count > 0; f++)
        check(mesh.face_objects[f] < mesh.object_count, "every face has an object");
    apart_mesh_data_free(&mesh);
}

#endif
