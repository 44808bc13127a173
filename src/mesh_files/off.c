/* OFF (Geomview): "OFF", counts, one vertex per line, one face per line with a colour that is skipped.
 *
 * Also accepted, because it occurs: counts on the line of the word or attached to it ("OFF8 6 12"), no word at all,
 * no edge count, and the prefixes ST, C and N, whose texture coordinates, colours and normals are skipped. */
#include <string.h>

#include "builder.h"
#include "../text/text.h"

typedef struct off_header {
    uint64_t vertex_count, face_count;
    int more; /* vertices carry more than their coordinates */
} off_header;

static int is_number_start(char c) { return c >= '0' && c <= '9'; }

/* Removes a word from the front of the token, if it is there. */
static int take_prefix(ap_token *token, const char *word)
{
    const size_t n = strlen(word);
    if (token->length < n || memcmp(token->start, word, n) != 0) {
        return 0;
    }
    token->start += n;
    token->length -= n;
    token->column += n;
    return 1;
}

/* Reads the word OFF with its prefixes. The text is then at the counts. */
static apart_status read_off_keyword(ap_text *text, off_header *header)
{
    const ap_text before = *text;
    ap_token word;
    ap_text_token(text, &word);
    const ap_token whole = word;
    if (word.length > 0 && is_number_start(*word.start) && word.start[word.length - 1] != 'F') {
        *text = before;
        return APART_OK;
    }
    header->more = take_prefix(&word, "ST");
    header->more |= take_prefix(&word, "C");
    header->more |= take_prefix(&word, "N");
    if (!take_prefix(&word, "OFF") || (word.length > 0 && !is_number_start(*word.start))) {
        return ap_text_expected(text, &whole, "OFF, COFF, NOFF or STOFF (three coordinates, text)");
    }
    text->position -= word.length;
    const ap_text after = *text;
    if (ap_text_token(text, &word) && ap_token_is(&word, "BINARY")) {
        return ap_text_expected(text, &word, "a text OFF file");
    }
    *text = after;
    return APART_OK;
}

static apart_status read_off_header(ap_text *text, off_header *header)
{
    ap_text_content_line(text);
    apart_status status = read_off_keyword(text, header);
    ap_text_content_line(text);
    if (status == APART_OK) {
        status = ap_text_count(text, "the number of vertices", 0, &header->vertex_count);
    }
    if (status == APART_OK) {
        status = ap_text_count(text, "the number of faces", 0, &header->face_count);
    }
    ap_text_skip_line(text);
    return status;
}

static apart_status read_off_vertex(ap_mesh_builder *b, ap_text *text, const off_header *header)
{
    double xyz[3];
    apart_status status = APART_OK;
    for (int k = 0; k < 3 && status == APART_OK; k++) {
        status = ap_text_number(text, "three numbers for a vertex", &xyz[k]);
    }
    if (status == APART_OK && !header->more) {
        status = ap_text_line_end(text, "a vertex 'x y z'");
    }
    return status == APART_OK ? ap_mesh_add_vertex(b, xyz) : status;
}

static apart_status read_off_face(ap_mesh_builder *b, ap_text *text)
{
    uint64_t size = 0, index = 0;
    apart_status status = ap_text_count(text, "a face of at least three vertices", 3, &size);
    if (status != APART_OK) {
        return status;
    }
    for (uint64_t k = 0; k < size && status == APART_OK; k++) {
        status = ap_text_count(text, "a vertex number", 0, &index);
        if (status == APART_OK) {
            status = ap_mesh_add_index(b, index, text->last.line, text->last.column);
        }
    }
    return status == APART_OK ? ap_mesh_end_face(b, (size_t)size) : status;
}

apart_status ap_mesh_read_off(ap_mesh_builder *b, const void *data, size_t size)
{
    ap_text text;
    off_header header = {0};
    ap_text_open(&text, data, size, '#', b->name, b->error);
    apart_status status = read_off_header(&text, &header);
    for (uint64_t i = 0; i < header.vertex_count && status == APART_OK; i++, ap_text_skip_line(&text)) {
        status = ap_text_record(&text, "vertex", i + 1, header.vertex_count);
        if (status == APART_OK) {
            status = read_off_vertex(b, &text, &header);
        }
    }
    for (uint64_t i = 0; i < header.face_count && status == APART_OK; i++, ap_text_skip_line(&text)) {
        status = ap_text_record(&text, "face", i + 1, header.face_count);
        if (status == APART_OK) {
            status = read_off_face(b, &text);
        }
    }
    return status;
}
