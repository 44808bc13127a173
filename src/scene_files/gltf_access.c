/* glTF 2.0: numbers of the JSON and of the buffers. Every offset is checked against the bytes that are there. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gltf.h"
#include "../text/report.h"

/* Bytes between elements: the specification allows 252. */
static const uint64_t STRIDE_LIMIT = 4096;

typedef enum component_type {
    SIGNED_BYTE = 5120,
    UNSIGNED_BYTE = 5121,
    SIGNED_SHORT = 5122,
    UNSIGNED_SHORT = 5123,
    UNSIGNED_INT = 5125,
    SINGLE = 5126
} component_type;

/* Elements in a buffer. */
typedef struct element_view {
    const unsigned char *data; /* NULL: all are zero */
    size_t stride, components, count;
    component_type type;
    int normalized;
} element_view;

void ap_gltf_at(gltf_reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->where, sizeof r->where, format, arguments);
    va_end(arguments);
}

apart_status ap_gltf_fail(gltf_reader *r, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ap_report(r->b->error, APART_ERR_SYNTAX, r->b->name, 0, 0, "%s: %s", r->where, text);
}

apart_status ap_gltf_item(gltf_reader *r, const char *name, uint64_t index, json_t **out)
{
    const json_t *array = json_object_get(r->root, name);
    const size_t count = json_array_size(array);
    if (index >= count) {
        return ap_gltf_fail(r, "expected an index of %s below %zu, found %llu", name, count, (unsigned long long)index);
    }
    ap_gltf_at(r, "%s[%zu]", name, (size_t)index);
    *out = json_array_get(array, (size_t)index);
    return json_is_object(*out) ? APART_OK : ap_gltf_fail(r, "expected an object");
}

apart_status ap_gltf_whole(gltf_reader *r, const json_t *object, const char *name, uint64_t missing, uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    *out = missing;
    if (!value && missing != UINT64_MAX) {
        return APART_OK;
    }
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0) || number > 9007199254740992.0 || floor(number) != number) {
        return ap_gltf_fail(r, "expected a whole number from 0 as %s", name);
    }
    *out = (uint64_t)number;
    return APART_OK;
}

apart_status ap_gltf_numbers(gltf_reader *r, const json_t *object, const char *name, size_t count, double *out)
{
    const json_t *array = json_object_get(object, name);
    if (!array) {
        return APART_OK;
    }
    int right = json_array_size(array) == count;
    for (size_t i = 0; i < count && right; i++) {
        const json_t *value = json_array_get(array, i);
        right = json_is_number(value);
        out[i] = json_number_value(value);
    }
    return right ? APART_OK : ap_gltf_fail(r, "expected %zu numbers as %s", count, name);
}

static size_t component_size(component_type type)
{
    switch (type) {
    case SIGNED_BYTE:
    case UNSIGNED_BYTE: return 1;
    case SIGNED_SHORT:
    case UNSIGNED_SHORT: return 2;
    case UNSIGNED_INT:
    case SINGLE: return 4;
    }
    return 0;
}

/* Buffers are little-endian. */
static double read_component(const unsigned char *p, component_type type, int normalized)
{
    uint32_t bits = 0;
    float single;
    double value;
    for (size_t i = component_size(type); i-- > 0;) {
        bits = bits << 8 | p[i];
    }
    switch (type) {
    case SIGNED_BYTE: value = bits < 128 ? bits : bits - 256.0; break;
    case SIGNED_SHORT: value = bits < 32768 ? bits : bits - 65536.0; break;
    case SINGLE: memcpy(&single, &bits, sizeof single); return single;
    default: value = bits; break;
    }
    if (!normalized) {
        return value;
    }
    const double largest = type == SIGNED_BYTE      ? 127
                           : type == SIGNED_SHORT   ? 32767
                           : type == UNSIGNED_BYTE  ? 255
                           : type == UNSIGNED_SHORT ? 65535
                                                    : 4294967295.0;
    return fmax(value / largest, -1);
}

/* Points `v` at `offset` in a bufferView, after checking that all its elements lie there. */
static apart_status open_view(gltf_reader *r, uint64_t index, uint64_t offset, element_view *v)
{
    json_t *view;
    uint64_t buffer, start, length, stride;
    const size_t element = component_size(v->type) * v->components;
    apart_status status = ap_gltf_item(r, "bufferViews", index, &view);
    if (status == APART_OK && json_object_get(json_object_get(view, "extensions"), "EXT_meshopt_compression")) {
        return ap_gltf_fail(r, "meshopt compression (EXT_meshopt_compression) is not read: export without it");
    }
    if (status != APART_OK || (status = ap_gltf_whole(r, view, "buffer", UINT64_MAX, &buffer)) != APART_OK ||
        (status = ap_gltf_whole(r, view, "byteOffset", 0, &start)) != APART_OK ||
        (status = ap_gltf_whole(r, view, "byteLength", UINT64_MAX, &length)) != APART_OK ||
        (status = ap_gltf_whole(r, view, "byteStride", element, &stride)) != APART_OK) {
        return status;
    }
    if (buffer >= r->buffer_count || !r->buffers[buffer].data) {
        return ap_gltf_fail(r, "expected a buffer with data, found buffer %llu", (unsigned long long)buffer);
    }
    const uint64_t size = r->buffers[buffer].size;
    if (start > size || length > size - start) {
        return ap_gltf_fail(r, "expected %llu bytes from %llu in a buffer of %llu", (unsigned long long)length,
                            (unsigned long long)start, (unsigned long long)size);
    }
    if (stride < element || stride > STRIDE_LIMIT) {
        return ap_gltf_fail(r, "expected a byteStride from %zu, found %llu", element, (unsigned long long)stride);
    }
    if (v->count > 0 &&
        (offset > length || length - offset < element || (v->count - 1) > (length - offset - element) / stride)) {
        return ap_gltf_fail(r, "expected %zu elements of %zu bytes from byte %llu on, found %llu bytes", v->count,
                            element, (unsigned long long)offset, (unsigned long long)length);
    }
    v->data = r->buffers[buffer].data + start + offset;
    v->stride = (size_t)stride;
    return APART_OK;
}

static void copy_element(const element_view *v, size_t index, double *out)
{
    for (size_t k = 0; k < v->components; k++) {
        const unsigned char *p = v->data + index * v->stride + k * component_size(v->type);
        out[k] = read_component(p, v->type, v->normalized);
    }
}

/* Puts the values of a sparse accessor in their places. */
static apart_status overlay_sparse(gltf_reader *r, uint64_t accessor, const json_t *sparse, const element_view *base,
                                   double *out)
{
    const json_t *indices = json_object_get(sparse, "indices"), *values = json_object_get(sparse, "values");
    element_view where = {.components = 1}, what = *base;
    uint64_t count, type, view, offset;
    apart_status status = ap_gltf_whole(r, sparse, "count", UINT64_MAX, &count);
    status = status == APART_OK ? ap_gltf_whole(r, indices, "componentType", UINT64_MAX, &type) : status;
    status = status == APART_OK ? ap_gltf_whole(r, indices, "bufferView", UINT64_MAX, &view) : status;
    status = status == APART_OK ? ap_gltf_whole(r, indices, "byteOffset", 0, &offset) : status;
    if (status != APART_OK) {
        return status;
    }
    where.type = (component_type)(type <= SINGLE ? type : 0);
    if (count > base->count || (type != UNSIGNED_BYTE && type != UNSIGNED_SHORT && type != UNSIGNED_INT)) {
        return ap_gltf_fail(r, "expected at most %zu sparse elements with unsigned indices", base->count);
    }
    where.count = what.count = (size_t)count;
    status = open_view(r, view, offset, &where);
    ap_gltf_at(r, "accessors[%zu].sparse.values", (size_t)accessor);
    status = status == APART_OK ? ap_gltf_whole(r, values, "bufferView", UINT64_MAX, &view) : status;
    status = status == APART_OK ? ap_gltf_whole(r, values, "byteOffset", 0, &offset) : status;
    status = status == APART_OK ? open_view(r, view, offset, &what) : status;
    for (size_t i = 0; i < what.count && status == APART_OK; i++) {
        double index;
        copy_element(&where, i, &index);
        if (index >= (double)base->count) {
            ap_gltf_at(r, "accessors[%zu].sparse.indices", (size_t)accessor);
            return ap_gltf_fail(r, "expected an index below %zu, found %.0f", base->count, index);
        }
        copy_element(&what, i, out + (size_t)index * what.components);
    }
    return status;
}

/* Type and count of an accessor, and its place unless it starts from zeros. */
static apart_status open_accessor(gltf_reader *r, uint64_t index, const json_t *accessor, element_view *v)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3"};
    const char *type = json_string_value(json_object_get(accessor, "type"));
    uint64_t component, count, view, offset;
    apart_status status = ap_gltf_whole(r, accessor, "componentType", UINT64_MAX, &component);
    status = status == APART_OK ? ap_gltf_whole(r, accessor, "count", UINT64_MAX, &count) : status;
    status = status == APART_OK ? ap_gltf_whole(r, accessor, "byteOffset", 0, &offset) : status;
    if (status != APART_OK) {
        return status;
    }
    v->type = (component_type)(component <= SINGLE ? component : 0);
    if (!type || strcmp(type, types[v->components]) != 0 || component_size(v->type) == 0) {
        return ap_gltf_fail(r, "expected %s of bytes, shorts, unsigned ints or floats", types[v->components]);
    }
    v->count = (size_t)count;
    v->normalized = json_is_true(json_object_get(accessor, "normalized"));
    status = ap_scene_charge(&r->scene, count);
    if (status != APART_OK || !json_object_get(accessor, "bufferView")) {
        return status;
    }
    status = ap_gltf_whole(r, accessor, "bufferView", UINT64_MAX, &view);
    status = status == APART_OK ? open_view(r, view, offset, v) : status;
    ap_gltf_at(r, "accessors[%zu]", (size_t)index);
    return status;
}

apart_status ap_gltf_read_accessor(gltf_reader *r, uint64_t index, size_t components, double **out, size_t *count)
{
    json_t *accessor;
    element_view v = {.components = components};
    *out = NULL;
    apart_status status = ap_gltf_item(r, "accessors", index, &accessor);
    status = status == APART_OK ? open_accessor(r, index, accessor, &v) : status;
    if (status != APART_OK) {
        return status;
    }
    double *numbers = calloc(v.count + 1, components * sizeof *numbers);
    if (!numbers) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    for (size_t i = 0; i < v.count && v.data; i++) {
        copy_element(&v, i, numbers + i * components);
    }
    const json_t *sparse = json_object_get(accessor, "sparse");
    status = sparse ? overlay_sparse(r, index, sparse, &v, numbers) : APART_OK;
    if (status != APART_OK) {
        free(numbers);
        return status;
    }
    *out = numbers;
    *count = v.count;
    return APART_OK;
}
