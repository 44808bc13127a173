/* glTF 2.0: the bytes of its buffers. They lie in the binary chunk of a .glb, in a data: URI in base64, or in a file in
 * the folder of the glTF or below it. Other places are refused: a mesh from elsewhere must not make the reader open
 * files that its author does not own. */
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "gltf.h"
#include "../text/report.h"

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes text that may end with '='; the number of bytes, SIZE_MAX when it is not base64. `out` has room for three
 * bytes per four characters. */
static size_t decode_base64(const char *text, size_t length, unsigned char *out)
{
    size_t used = 0;
    unsigned bits = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        const int value = base64_value(text[i]);
        if (value < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (unsigned)value;
        if (i % 4 > 0) {
            out[used++] = (unsigned char)(bits >> (6 - 2 * (i % 4)) & 0xff);
        }
    }
    return length % 4 == 1 ? SIZE_MAX : used;
}

static apart_status open_data_uri(gltf_reader *r, const char *uri, gltf_buffer *out)
{
    const char *comma = strchr(uri, ',');
    if (!comma || comma - uri < 7 || strncmp(comma - 7, ";base64", 7) != 0) {
        return ap_gltf_fail(r, "expected base64 in a data: URI");
    }
    const size_t length = strlen(comma + 1);
    unsigned char *bytes = malloc(length / 4 * 3 + 3);
    if (!bytes) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    const size_t size = decode_base64(comma + 1, length, bytes);
    if (size == SIZE_MAX) {
        free(bytes);
        return ap_gltf_fail(r, "expected base64 in a data: URI");
    }
    *out = (gltf_buffer){bytes, size, bytes};
    return APART_OK;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Replaces %20 and its like in place. */
static void decode_percents(char *text)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        const int high = *in == '%' ? hex_value(in[1]) : -1;
        const int low = high >= 0 ? hex_value(in[2]) : -1;
        *out++ = low >= 0 ? (char)(16 * high + low) : *in;
        in += low >= 0 ? 2 : 0;
    }
    *out = '\0';
}

/* Is it a file in the folder of the glTF, or below? */
static int stays_in_folder(const char *path)
{
    if (*path == '\0' || *path == '/' || strchr(path, '\\') || strchr(path, ':')) {
        return 0;
    }
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return 0;
        }
    }
    return 1;
}

static apart_status open_file_uri(gltf_reader *r, const char *uri, gltf_buffer *out)
{
    const char *slash = r->b->path ? strrchr(r->b->path, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash - r->b->path) + 1 : 0;
    char *path = malloc(folder + strlen(uri) + 1);
    if (!path) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    if (folder > 0) {
        memcpy(path, r->b->path, folder);
    }
    strcpy(path + folder, uri);
    decode_percents(path + folder);
    char shown[80];
    ap_printable(path + folder, strlen(path + folder), shown, sizeof shown);
    apart_status status;
    char *data;
    size_t size;
    if (!stays_in_folder(path + folder)) {
        status = ap_gltf_fail(r, "expected a file in the folder of the glTF, found '%s': it is not opened", shown);
    } else if (!r->b->path) {
        status = ap_gltf_fail(r, "the file '%s' is not opened for a glTF that is read from memory: use a .glb", shown);
    } else {
        status = ap_file_read(path, AP_FILE_LIMIT, &data, &size, r->b->error);
    }
    free(path);
    if (status == APART_OK) {
        *out = (gltf_buffer){(unsigned char *)data, size, data};
    }
    return status;
}

/* The bytes of a buffer; they may be fewer than it says only by an error. */
static apart_status open_buffer(gltf_reader *r, size_t index, gltf_buffer *out)
{
    json_t *buffer;
    uint64_t length = 0;
    apart_status status = ap_gltf_item(r, "buffers", index, &buffer);
    status = status == APART_OK ? ap_gltf_whole(r, buffer, "byteLength", UINT64_MAX, &length) : status;
    if (status != APART_OK) {
        return status;
    }
    const json_t *uri = json_object_get(buffer, "uri");
    if (json_is_string(uri)) {
        const char *text = json_string_value(uri);
        status = strncmp(text, "data:", 5) == 0 ? open_data_uri(r, text, out) : open_file_uri(r, text, out);
    } else if (uri) {
        status = ap_gltf_fail(r, "expected a string as uri");
    } else if (index == 0 && r->binary) {
        *out = (gltf_buffer){r->binary, r->binary_size, NULL};
    }
    if (status == APART_OK && out->data && length > out->size) {
        return ap_gltf_fail(r, "expected %llu bytes, found %zu", (unsigned long long)length, out->size);
    }
    out->size = out->data ? (size_t)length : 0;
    return status;
}

apart_status ap_gltf_open_buffers(gltf_reader *r)
{
    const size_t count = json_array_size(json_object_get(r->root, "buffers"));
    r->buffers = calloc(count + 1, sizeof *r->buffers);
    if (!r->buffers) {
        return ap_report_memory(r->b->error, r->b->name);
    }
    apart_status status = APART_OK;
    while (r->buffer_count < count && status == APART_OK) {
        gltf_buffer *buffer = &r->buffers[r->buffer_count];
        status = open_buffer(r, r->buffer_count++, buffer);
        r->bytes += buffer->owned ? buffer->size : 0;
        if (status == APART_OK && r->bytes > AP_FILE_LIMIT) {
            status = ap_gltf_fail(r, "the buffers are larger than %zu bytes, the limit for a file", AP_FILE_LIMIT);
        }
    }
    return status;
}
