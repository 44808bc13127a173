/* XML files as trees of elements, by expat, which also guards against entities that multiply. */
#include "xml.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>

#ifdef AP_HAVE_EXPAT
#include <expat.h>
#endif

#include "../text/file.h"
#include "../text/text.h"

enum { CHUNK = 1 << 16, MOST_DEPTH = 1000 };
/* A tree takes at most this many bytes for each byte of its files, and some more. */
static const size_t MOST_GROWTH = 200, MOST_GROWTH_START = 1 << 20;

/* ---- memory ---- */

typedef struct ap_xml_chunk {
    struct ap_xml_chunk *next;
    size_t size;
    max_align_t data[];
} ap_xml_chunk;

void *ap_xml_allocate(ap_xml_tree *t, size_t size)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (size > t->left) {
        const size_t room = size > CHUNK ? size : CHUNK;
        if (t->total + room > t->limit) {
            return NULL;
        }
        ap_xml_chunk *chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL) {
            return NULL;
        }
        *chunk = (ap_xml_chunk){.next = t->chunks, .size = room};
        t->chunks = chunk;
        t->left = room;
        t->total += room;
    }
    char *out = (char *)t->chunks->data + (t->chunks->size - t->left);
    t->left -= size;
    return out;
}

void ap_xml_free(ap_xml_tree *t)
{
    while (t->chunks != NULL) {
        ap_xml_chunk *next = t->chunks->next;
        free(t->chunks);
        t->chunks = next;
    }
    *t = (ap_xml_tree){.root = NULL};
}

/* ---- parsing ---- */

#ifdef AP_HAVE_EXPAT
typedef struct reader {
    ap_xml_tree *tree;
    XML_Parser parser;
    const char *file;
    ap_xml_node *root, *at;
    size_t depth;
    apart_status status;
    apart_io_error *error;
} reader;

static char *keep_text(ap_xml_tree *t, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = ap_xml_allocate(t, size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static const char **keep_attributes(ap_xml_tree *t, const XML_Char **attributes)
{
    size_t count = 0;
    while (attributes[count] != NULL) {
        count++;
    }
    const char **copy = ap_xml_allocate(t, (count + 1) * sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        copy[i] = keep_text(t, attributes[i]);
        if (copy[i] == NULL) {
            return NULL;
        }
    }
    if (copy != NULL) {
        copy[count] = NULL;
    }
    return copy;
}

static ap_xml_node *make_node(reader *x, const char *name, const XML_Char **attributes)
{
    ap_xml_node *node = ap_xml_allocate(x->tree, sizeof *node);
    if (node != NULL) {
        *node = (ap_xml_node){.name = keep_text(x->tree, name),
                              .file = x->file,
                              .attributes = keep_attributes(x->tree, attributes),
                              .line = XML_GetCurrentLineNumber(x->parser),
                              .parent = x->at};
    }
    return node != NULL && node->name != NULL && node->attributes != NULL ? node : NULL;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    reader *x = user;
    const size_t line = XML_GetCurrentLineNumber(x->parser);
    if (x->status != APART_OK) {
        return;
    }
    ap_xml_node *node = x->depth < MOST_DEPTH ? make_node(x, name, attributes) : NULL;
    if (node == NULL) {
        x->status = x->depth < MOST_DEPTH ? ap_report(x->error, APART_ERR_MEMORY, x->file, line, 0, "out of memory")
                                          : ap_report(x->error, APART_ERR_SYNTAX, x->file, line, 0,
                                                      "elements nested %d deep", MOST_DEPTH);
        XML_StopParser(x->parser, XML_FALSE);
        return;
    }
    if (x->at == NULL) {
        x->root = node;
    } else {
        *(x->at->last != NULL ? &x->at->last->next : &x->at->first) = node;
        x->at->last = node;
    }
    x->at = node;
    x->depth++;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    reader *x = user;
    (void)name;
    if (x->status == APART_OK) {
        x->at = x->at->parent;
        x->depth--;
    }
}

static void parse(reader *x, const char *data, size_t size)
{
    for (size_t done = 0, step; x->status == APART_OK; done += step) {
        step = size - done < CHUNK ? size - done : CHUNK;
        const bool last = done + step == size;
        if (XML_Parse(x->parser, data + done, (int)step, last) != XML_STATUS_OK && x->status == APART_OK) {
            const size_t line = XML_GetCurrentLineNumber(x->parser),
                         column = (size_t)XML_GetCurrentColumnNumber(x->parser) + 1;
            x->status = ap_report(x->error, APART_ERR_SYNTAX, x->file, line, column, "%s (column %zu)",
                                  XML_ErrorString(XML_GetErrorCode(x->parser)), column);
        }
        if (last) {
            return;
        }
    }
}

apart_status ap_xml_parse(ap_xml_tree *tree, const void *data, size_t size, const char *name, ap_xml_node **root,
                          apart_io_error *error)
{
    tree->limit += MOST_GROWTH_START + MOST_GROWTH * size;
    reader x = {.tree = tree, .file = keep_text(tree, name), .error = error, .parser = XML_ParserCreate(NULL)};
    if (x.parser == NULL || x.file == NULL) {
        XML_ParserFree(x.parser);
        return ap_report_memory(error, name);
    }
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, on_start, on_end);
    parse(&x, data, size);
    XML_ParserFree(x.parser);
    *root = x.root;
    return x.status;
}
#else
apart_status ap_xml_parse(ap_xml_tree *tree, const void *data, size_t size, const char *name, ap_xml_node **root,
                          apart_io_error *error)
{
    (void)tree;
    (void)data;
    (void)size;
    (void)root;
    return ap_report(error, APART_ERR_OPTION, name, 0, 0, "robots cannot be read: the library was built without expat");
}
#endif

apart_status ap_xml_read(ap_xml_tree *tree, const char *path, ap_xml_node **root, apart_io_error *error)
{
    char *data;
    size_t size;
    apart_status status = ap_file_read(path, AP_FILE_LIMIT, &data, &size, error);
    if (status == APART_OK) {
        status = ap_xml_parse(tree, data, size, path, root, error);
        free(data);
    }
    return status;
}

/* ---- reading a tree ---- */

bool ap_xml_is(const ap_xml_node *node, const char *name) { return strcmp(node->name, name) == 0; }

static const ap_xml_node *search(const ap_xml_node *node, const char *name)
{
    while (node != NULL && !ap_xml_is(node, name)) {
        node = node->next;
    }
    return node;
}

const ap_xml_node *ap_xml_child(const ap_xml_node *node, const char *name) { return search(node->first, name); }

const ap_xml_node *ap_xml_next(const ap_xml_node *node, const char *name) { return search(node->next, name); }

const char *ap_xml_find(const ap_xml_node *node, const char *name)
{
    for (const char **a = node->attributes; *a != NULL; a += 2) {
        if (strcmp(a[0], name) == 0) {
            return a[1];
        }
    }
    return NULL;
}

apart_status ap_xml_fail(const ap_xml_node *node, apart_io_error *error, const char *format, ...)
{
    char text[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ap_report(error, APART_ERR_SYNTAX, node->file, node->line, 0, "%s", text);
}

apart_status ap_xml_need(const ap_xml_node *node, const char *name, const char **out, apart_io_error *error)
{
    const char *value = ap_xml_find(node, name);
    if (value == NULL || *value == '\0') {
        return ap_xml_fail(node, error, "<%.60s> needs %s=\"...\"", node->name, name);
    }
    *out = value;
    return APART_OK;
}

apart_status ap_xml_numbers(const ap_xml_node *node, const char *name, size_t least, size_t most, double *out,
                            size_t *count, apart_io_error *error)
{
    const char *text = ap_xml_find(node, name), *at = text;
    size_t found = 0;
    if (count != NULL) {
        *count = 0;
    }
    if (text == NULL) {
        return APART_OK;
    }
    for (;; found++) {
        at += strspn(at, " \t\r\n");
        const size_t length = strcspn(at, " \t\r\n");
        const size_t digits = length > 0 && *at == '+' ? 1 : 0; /* C accepts a plus */
        double value;
        if (length == 0 || found == most || !ap_parse_number(at + digits, length - digits, &value) ||
            !isfinite(value)) {
            break;
        }
        out[found] = value;
        at += length;
    }
    if (*at != '\0' || found < least) {
        return ap_xml_fail(node, error, "<%.60s %s=\"%.60s\">: expected %zu finite number%s", node->name, name, text,
                           most, most == 1 ? "" : "s");
    }
    if (count != NULL) {
        *count = found;
    }
    return APART_OK;
}

apart_status ap_xml_note(const ap_xml_node *node, apart_robot *r, const char *cause, const char *format, ...)
{
    char text[480], whole[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "%.250s:%zu: %s", node->file, node->line, text);
    return apart_robot_add_note(r, &(apart_robot_note){.text = whole, .cause = cause});
}
