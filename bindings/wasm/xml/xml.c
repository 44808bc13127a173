/* A small XML parser behind expat's interface: elements, attributes, text, CDATA, comments, processing instructions and
 * the five entities. A document type is passed over; an entity that it declares is reported, and cannot be used. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expat.h"

enum { MOST_ATTRIBUTES = 256, ENTITY_SIZE = 12 };
static const char SPACE[] = " \t\r\n";

struct XML_ParserStruct {
    void *user;
    XML_StartElementHandler on_start;
    XML_EndElementHandler on_end;
    XML_CharacterDataHandler on_text;
    XML_EntityDeclHandler on_entity;
    char *data; /* ends with 0 */
    size_t size, room;
    char *at; /* where the parser is */
    char *counted;
    size_t line;
    char *line_start;
    char **open; /* names of the elements that are open */
    size_t depth, open_room;
    bool had_root;
    enum XML_Error error;
};

XML_Parser XML_ParserCreate(const XML_Char *encoding)
{
    (void)encoding;
    return calloc(1, sizeof(struct XML_ParserStruct));
}

void XML_ParserFree(XML_Parser p)
{
    if (p != NULL) {
        free(p->data);
        free(p->open);
        free(p);
    }
}

void XML_SetUserData(XML_Parser p, void *user) { p->user = user; }

void XML_SetElementHandler(XML_Parser p, XML_StartElementHandler start, XML_EndElementHandler end)
{
    p->on_start = start;
    p->on_end = end;
}

void XML_SetCharacterDataHandler(XML_Parser p, XML_CharacterDataHandler handler) { p->on_text = handler; }

void XML_SetEntityDeclHandler(XML_Parser p, XML_EntityDeclHandler handler) { p->on_entity = handler; }

enum XML_Error XML_GetErrorCode(XML_Parser p) { return p->error; }

static bool fail(XML_Parser p, enum XML_Error error)
{
    if (p->error == XML_ERROR_NONE) {
        p->error = error;
    }
    return false;
}

void XML_StopParser(XML_Parser p, int resumable)
{
    (void)resumable;
    (void)fail(p, XML_ERROR_ABORTED);
}

const char *XML_ErrorString(enum XML_Error code)
{
    static const char *const texts[XML_ERROR_COUNT] = {"no error",
                                                       "out of memory",
                                                       "not well-formed",
                                                       "no element found",
                                                       "unclosed token",
                                                       "mismatched tag",
                                                       "duplicate attribute",
                                                       "junk after document element",
                                                       "undefined entity",
                                                       "parsing aborted"};
    return code < XML_ERROR_COUNT ? texts[code] : "unknown error";
}

/* ---- places ---- */

static void count_lines(XML_Parser p)
{
    for (; p->counted < p->at; p->counted++) {
        if (*p->counted == '\n') {
            p->line++;
            p->line_start = p->counted + 1;
        }
    }
}

size_t XML_GetCurrentLineNumber(XML_Parser p)
{
    count_lines(p);
    return p->line + 1;
}

size_t XML_GetCurrentColumnNumber(XML_Parser p)
{
    count_lines(p);
    return (size_t)(p->at - p->line_start);
}

/* ---- entities ---- */

/* Writes a character as UTF-8 and returns what is behind it. */
static char *put_character(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

/* The character of "lt" or "#x41"; 0: there is none. */
static uint32_t character_of(const char *name, size_t length)
{
    static const struct {
        const char *name;
        char character;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) {
            return (uint32_t)known[i].character;
        }
    }
    if (length < 2 || name[0] != '#') {
        return 0;
    }
    const bool hexadecimal = name[1] == 'x';
    uint32_t code = 0;
    for (size_t i = hexadecimal ? 2 : 1; i < length; i++) {
        const char *digits = "0123456789abcdefABCDEF", *digit = strchr(digits, name[i]);
        const uint32_t value = digit != NULL && *digit != 0 ? (uint32_t)(digit - digits) : 99;
        const uint32_t digit_value = value >= 16 && value < 22 ? value - 6 : value;
        if (digit_value >= (hexadecimal ? 16u : 10u) || code > 0x10ffff) {
            return 0;
        }
        code = (hexadecimal ? 16 : 10) * code + digit_value;
    }
    return code <= 0x10ffff ? code : 0;
}

/* Replaces entities in place, where the text becomes shorter; in attributes, white space becomes blanks. Returns its
 * end, NULL after an error. */
static char *decode(XML_Parser p, char *text, const char *end, bool attribute)
{
    char *out = text;
    for (char *in = text; in < end;) {
        if (*in != '&') {
            *out++ = attribute && strchr(SPACE, *in) != NULL ? ' ' : *in;
            in++;
            continue;
        }
        const char *close = memchr(in, ';', (size_t)(end - in < ENTITY_SIZE ? end - in : ENTITY_SIZE));
        const uint32_t code = close != NULL ? character_of(in + 1, (size_t)(close - in - 1)) : 0;
        if (code == 0) {
            p->at = in;
            (void)fail(p, XML_ERROR_UNDEFINED_ENTITY);
            return NULL;
        }
        out = put_character(out, code);
        in = (char *)close + 1;
    }
    return out;
}

/* ---- elements ---- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80 ||
           (c != 0 && strchr("_:.-", c) != NULL);
}

static char *skip_name(char *at)
{
    while (is_name(*at)) {
        at++;
    }
    return at;
}

static bool push(XML_Parser p, char *name)
{
    if (p->depth == p->open_room) {
        const size_t room = 2 * p->open_room + 64;
        char **larger = realloc(p->open, room * sizeof *larger);
        if (larger == NULL) {
            return fail(p, XML_ERROR_NO_MEMORY);
        }
        p->open = larger;
        p->open_room = room;
    }
    p->open[p->depth++] = name;
    return true;
}

static void end_element(XML_Parser p)
{
    const char *name = p->open[--p->depth];
    if (p->on_end != NULL) {
        p->on_end(p->user, name);
    }
}

/* NAME="VALUE" at *at; the texts get their final 0 here. */
static bool read_attribute(XML_Parser p, char **at, const char **list, size_t count)
{
    char *name = *at, *name_end = skip_name(name), *value = name_end + strspn(name_end, SPACE);
    if (name_end == name || *value != '=') {
        p->at = value;
        return fail(p, XML_ERROR_SYNTAX);
    }
    value += 1 + strspn(value + 1, SPACE);
    char *close = *value == '"' || *value == '\'' ? strchr(value + 1, *value) : NULL;
    if (close == NULL || memchr(value + 1, '<', (size_t)(close - value - 1)) != NULL) {
        p->at = value;
        return fail(p, close == NULL && *value != 0 ? XML_ERROR_UNCLOSED_TOKEN : XML_ERROR_SYNTAX);
    }
    char *end = decode(p, value + 1, close, true);
    if (end == NULL) {
        return false;
    }
    *name_end = 0;
    *end = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[2 * i], name) == 0) {
            return fail(p, XML_ERROR_DUPLICATE_ATTRIBUTE);
        }
    }
    list[2 * count] = name;
    list[2 * count + 1] = value + 1;
    *at = close + 1;
    return true;
}

/* The lines that a tag goes over; the texts in it are about to be changed. */
static size_t lines_of_tag(const char *at, char **last_line)
{
    size_t lines = 0;
    for (char quote = 0; *at != 0 && (quote != 0 || *at != '>'); at++) {
        if (*at == '\n') {
            lines++;
            *last_line = (char *)at + 1;
        }
        quote = *at == quote ? 0 : (quote == 0 && (*at == '"' || *at == '\'') ? *at : quote);
    }
    return lines;
}

static bool start_element(XML_Parser p)
{
    const char *attributes[2 * MOST_ATTRIBUTES + 2];
    char *name = p->at + 1, *at = skip_name(name), *name_end = at;
    size_t count = 0;
    count_lines(p);
    char *line_start = p->line_start;
    const size_t lines = lines_of_tag(p->at, &line_start);
    for (at += strspn(at, SPACE); *at != '>' && *at != '/'; at += strspn(at, SPACE)) {
        if (*at == 0 || count == MOST_ATTRIBUTES) {
            return fail(p, *at == 0 ? XML_ERROR_UNCLOSED_TOKEN : XML_ERROR_NO_MEMORY);
        }
        if (!read_attribute(p, &at, attributes, count)) {
            return false;
        }
        count++;
    }
    const bool empty = *at == '/';
    if (empty && at[1] != '>') {
        p->at = at;
        return fail(p, XML_ERROR_SYNTAX);
    }
    at += empty ? 2 : 1;
    *name_end = 0;
    attributes[2 * count] = attributes[2 * count + 1] = NULL;
    if ((p->depth == 0 && p->had_root) || !push(p, name)) {
        return fail(p, XML_ERROR_JUNK_AFTER_DOC_ELEMENT);
    }
    p->had_root = true;
    if (p->on_start != NULL) {
        p->on_start(p->user, name, attributes);
    }
    if (empty && p->error == XML_ERROR_NONE) {
        end_element(p);
    }
    p->at = p->counted = at;
    p->line += lines;
    p->line_start = line_start;
    return p->error == XML_ERROR_NONE;
}

static bool close_element(XML_Parser p)
{
    char *name = p->at + 2, *end = skip_name(name), *at = end + strspn(end, SPACE);
    if (*at != '>') {
        return fail(p, XML_ERROR_SYNTAX);
    }
    const size_t length = (size_t)(end - name);
    if (p->depth == 0 || strlen(p->open[p->depth - 1]) != length || memcmp(p->open[p->depth - 1], name, length) != 0) {
        return fail(p, XML_ERROR_TAG_MISMATCH);
    }
    end_element(p);
    p->at = at + 1;
    return p->error == XML_ERROR_NONE;
}

/* ---- the rest ---- */

static bool skip_to(XML_Parser p, const char *mark)
{
    char *end = strstr(p->at, mark);
    if (end == NULL) {
        return fail(p, XML_ERROR_UNCLOSED_TOKEN);
    }
    p->at = end + strlen(mark);
    return true;
}

/* <!DOCTYPE ... [ ... ]>: its entities are told. */
static bool skip_type(XML_Parser p)
{
    int depth = 0;
    for (char *at = p->at; *at != 0; at++) {
        if (strncmp(at, "<!ENTITY", 8) == 0 && p->on_entity != NULL) {
            p->on_entity(p->user, "", 0, "", 0, NULL, NULL, NULL, NULL);
            if (p->error != XML_ERROR_NONE) {
                return false;
            }
        }
        depth += (*at == '[' || *at == '<') - (*at == ']' || *at == '>');
        if (depth == 0) {
            p->at = at + 1;
            return true;
        }
    }
    return fail(p, XML_ERROR_UNCLOSED_TOKEN);
}

static bool read_text(XML_Parser p)
{
    char *end = p->at + strcspn(p->at, "<");
    if (p->depth == 0) {
        char *first = p->at + strspn(p->at, SPACE);
        p->at = first;
        return first >= end || fail(p, p->had_root ? XML_ERROR_JUNK_AFTER_DOC_ELEMENT : XML_ERROR_SYNTAX);
    }
    if (p->on_text != NULL) {
        count_lines(p);
        char *text = p->at;
        for (char *c = text; c < end; c++) { /* a line's end that decoding moves would be counted twice */
            p->line += *c == '\n';
            p->line_start = *c == '\n' ? c + 1 : p->line_start;
        }
        p->counted = end;
        const char *last = decode(p, text, end, false);
        if (last == NULL) {
            return false;
        }
        p->on_text(p->user, text, (int)(last - text));
    }
    p->at = end;
    return p->error == XML_ERROR_NONE;
}

static bool read_cdata(XML_Parser p)
{
    char *text = p->at + 9, *end = strstr(text, "]]>");
    if (end == NULL || p->depth == 0) {
        return fail(p, XML_ERROR_UNCLOSED_TOKEN);
    }
    if (p->on_text != NULL) {
        p->on_text(p->user, text, (int)(end - text));
    }
    p->at = end + 3;
    return p->error == XML_ERROR_NONE;
}

static bool read_one(XML_Parser p)
{
    const char *at = p->at;
    if (*at != '<') {
        return read_text(p);
    }
    if (strncmp(at, "<!--", 4) == 0) {
        return skip_to(p, "-->");
    }
    if (strncmp(at, "<![CDATA[", 9) == 0) {
        return read_cdata(p);
    }
    if (at[1] == '?') {
        return skip_to(p, "?>");
    }
    if (strncmp(at, "<!DOCTYPE", 9) == 0 && !p->had_root) {
        return skip_type(p);
    }
    if (at[1] == '/') {
        return close_element(p);
    }
    return is_name(at[1]) ? start_element(p) : fail(p, XML_ERROR_SYNTAX);
}

static bool append(XML_Parser p, const char *data, size_t size)
{
    if (p->size + size + 1 > p->room) {
        const size_t room = 2 * p->room + size + 1;
        char *larger = realloc(p->data, room);
        if (larger == NULL) {
            return fail(p, XML_ERROR_NO_MEMORY);
        }
        p->data = larger;
        p->room = room;
    }
    memcpy(p->data + p->size, data, size);
    p->size += size;
    p->data[p->size] = 0;
    return true;
}

enum XML_Status XML_Parse(XML_Parser p, const char *data, int size, int is_final)
{
    if (p->error != XML_ERROR_NONE || !append(p, data, (size_t)size)) {
        return XML_STATUS_ERROR;
    }
    if (!is_final) {
        return XML_STATUS_OK;
    }
    const bool has_mark = p->size >= 3 && memcmp(p->data, "\xef\xbb\xbf", 3) == 0;
    p->at = p->counted = p->line_start = p->data + (has_mark ? 3 : 0);
    const char *end = p->data + p->size;
    while (p->at < end && *p->at != 0 && read_one(p)) {
    }
    if (p->error == XML_ERROR_NONE && p->at < end) {
        (void)fail(p, XML_ERROR_SYNTAX); /* a 0 in the text */
    }
    if (p->error == XML_ERROR_NONE && (p->depth > 0 || !p->had_root)) {
        (void)fail(p, XML_ERROR_NO_ELEMENTS);
    }
    return p->error == XML_ERROR_NONE ? XML_STATUS_OK : XML_STATUS_ERROR;
}
