/* A glTF 2.0 document in memory: its JSON, its buffers, and access to what they hold. mesh_gltf_buffer.c finds the
 * bytes, mesh_gltf_access.c reads numbers from them, mesh_gltf.c makes a mesh of the scene. */
#ifndef AP_SCENE_FILES_GLTF_H
#define AP_SCENE_FILES_GLTF_H

#include <jansson.h>

#include "scene.h"

typedef struct gltf_buffer {
    const unsigned char *data;
    size_t size;
    void *owned; /* what has to be freed, or NULL */
} gltf_buffer;

typedef struct gltf_reader {
    ap_mesh_builder *b;
    json_t *root;
    const unsigned char *binary; /* the chunk of a .glb, or NULL */
    size_t binary_size;
    gltf_buffer *buffers;
    size_t buffer_count;
    size_t bytes; /* of the file and its buffers */
    ap_scene scene;
    char where[160]; /* the place in the JSON that messages name */
} gltf_reader;

/* Sets the place that messages name. */
void ap_gltf_at(gltf_reader *r, const char *format, ...);

/* APART_ERR_SYNTAX with "FILE: PLACE: ...". */
apart_status ap_gltf_fail(gltf_reader *r, const char *format, ...);

/* Element `index` of the root's array `name`, which must be an object; r->where names it afterwards. */
apart_status ap_gltf_item(gltf_reader *r, const char *name, uint64_t index, json_t **out);

/* A whole number from 0 of an object; `missing` where it has none, and UINT64_MAX there: it must have one. */
apart_status ap_gltf_whole(gltf_reader *r, const json_t *object, const char *name, uint64_t missing, uint64_t *out);

/* `count` finite numbers of an array of an object. A missing array leaves `out` as it is. */
apart_status ap_gltf_numbers(gltf_reader *r, const json_t *object, const char *name, size_t count, double *out);

/* Finds the bytes of all buffers: the binary chunk, data: URIs, files beside the glTF. */
apart_status ap_gltf_open_buffers(gltf_reader *r);

/* Reads an accessor of `components` numbers an element into *out (to be freed). Takes its elements off the scene's
 * budget. */
apart_status ap_gltf_read_accessor(gltf_reader *r, uint64_t index, size_t components, double **out, size_t *count);

#endif
