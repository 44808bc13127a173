/* Lines become a tree by their indentation; what is in brackets is read character by character. */
#include "yaml.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_DEPTH = 64 };

typedef struct yaml_line {
    char *start;
    size_t indent, number;
} yaml_line;

typedef struct yaml_reader {
    const char *name;
    yaml_line *lines;
    size_t count, at;
    char *end; /* of the text */
} yaml_reader;

/* ---- nodes ---- */

void yaml_free(yaml_node *node)
{
    while (node != NULL) {
        yaml_node *next = node->next;
        yaml_free(node->first);
        free(node->key);
        free(node->text);
        free(node);
        node = next;
    }
}

const yaml_node *yaml_member(const yaml_node *node, const char *key)
{
    for (const yaml_node *n = node != NULL && node->kind == YAML_MAP ? node->first : NULL; n != NULL; n = n->next) {
        if (strcmp(n->key, key) == 0) {
            return n;
        }
    }
    return NULL;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static yaml_node *new_node(yaml_kind kind, size_t line)
{
    yaml_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        cli_error("out of memory");
        return NULL;
    }
    node->kind = kind;
    node->line = line;
    return node;
}

/* Takes the key; frees both on an error. */
static int append(const yaml_reader *r, yaml_node *parent, char *key, yaml_node *child)
{
    if (child == NULL || (parent->kind == YAML_MAP && (key == NULL || yaml_member(parent, key) != NULL))) {
        const int status = child == NULL ? CLI_BAD
                           : key == NULL ? cli_error("out of memory")
                                         : cli_error("%s:%zu: a second '%s'", r->name, child->line, key);
        yaml_free(child);
        free(key);
        return status;
    }
    child->key = key;
    if (parent->last != NULL) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
    parent->count++;
    return CLI_YES;
}

static yaml_node *new_scalar(const char *text, size_t length, size_t line)
{
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
        length--;
    }
    const bool quoted = length >= 2 && (*text == '"' || *text == '\'') && text[length - 1] == *text;
    yaml_node *node = new_node(YAML_SCALAR, line);
    if (node != NULL && (node->text = copy_text(text + quoted, length - 2 * quoted)) == NULL) {
        cli_error("out of memory");
        yaml_free(node);
        return NULL;
    }
    return node;
}

/* ---- brackets ---- */

typedef struct flow {
    const yaml_reader *r;
    char *at;
    size_t line;
    int depth;
} flow;

static void skip_space(flow *f)
{
    for (; f->at < f->r->end; f->at++) {
        if (*f->at == '#') {
            f->at += strcspn(f->at, "\n");
        }
        if (f->at == f->r->end || strchr(" \t\r\n", *f->at) == NULL) {
            return;
        }
        f->line += *f->at == '\n';
    }
}

/* The end of a scalar in brackets: quotes, or up to one of ",:[]{}". */
static size_t scalar_length(const flow *f)
{
    const char quote = *f->at;
    if (quote == '"' || quote == '\'') {
        const char *end = strchr(f->at + 1, quote);
        return end != NULL ? (size_t)(end - f->at) + 1 : strlen(f->at);
    }
    size_t length = strcspn(f->at, ",[]{}\n#");
    for (size_t i = 0; i < length; i++) {
        if (f->at[i] == ':' && strchr(" \t\r\n", f->at[i + 1]) != NULL) {
            return i;
        }
    }
    return length;
}

static yaml_node *parse_flow(flow *f);

/* "key:" in a map. */
static char *parse_key(flow *f)
{
    const size_t length = scalar_length(f);
    yaml_node *key = new_scalar(f->at, length, f->line);
    char *text = key != NULL ? key->text : NULL;
    if (key != NULL) {
        key->text = NULL;
    }
    yaml_free(key);
    f->at += length;
    skip_space(f);
    if (*f->at != ':') {
        cli_error("%s:%zu: expected ':' after '%s'", f->r->name, f->line, text != NULL ? text : "");
        free(text);
        return NULL;
    }
    f->at++;
    skip_space(f);
    return text;
}

static yaml_node *fail_flow(const flow *f, yaml_node *node, const char *expected)
{
    cli_error("%s:%zu: expected %s%s", f->r->name, f->line, expected,
              f->at == f->r->end ? ", found the end of the file" : "");
    yaml_free(node);
    return NULL;
}

static yaml_node *parse_brackets(flow *f)
{
    const bool is_map = *f->at == '{';
    const char close = is_map ? '}' : ']';
    yaml_node *node = new_node(is_map ? YAML_MAP : YAML_LIST, f->line);
    f->at++;
    for (bool first = true; node != NULL; first = false) {
        skip_space(f);
        if (*f->at == close) {
            f->at++;
            return node;
        }
        if (!first && *f->at != ',') {
            return fail_flow(f, node, is_map ? "',' or '}'" : "',' or ']'");
        }
        f->at += !first;
        skip_space(f);
        if (*f->at == close) { /* a comma at the end */
            continue;
        }
        char *key = is_map ? parse_key(f) : NULL;
        if ((is_map && key == NULL) || append(f->r, node, key, parse_flow(f)) != CLI_YES) {
            yaml_free(node);
            return NULL;
        }
    }
    return NULL;
}

static yaml_node *parse_flow(flow *f)
{
    skip_space(f);
    if (f->at >= f->r->end) {
        return fail_flow(f, NULL, "a value");
    }
    if (*f->at == '[' || *f->at == '{') {
        if (++f->depth > MOST_DEPTH) {
            return fail_flow(f, NULL, "fewer brackets in each other");
        }
        yaml_node *node = parse_brackets(f);
        f->depth--;
        return node;
    }
    const size_t length = scalar_length(f);
    yaml_node *node = length > 0 ? new_scalar(f->at, length, f->line) : fail_flow(f, NULL, "a value");
    f->at += length;
    return node;
}

/* ---- lines ---- */

static yaml_node *parse_block(yaml_reader *r, int depth);

/* The value that begins here in the present line; the reader goes behind it. */
static yaml_node *parse_inline(yaml_reader *r, char *start)
{
    const size_t number = r->lines[r->at].number;
    if (*start == '[' || *start == '{') {
        flow f = {.r = r, .at = start, .line = number};
        yaml_node *node = parse_flow(&f);
        while (r->at < r->count && r->lines[r->at].start < f.at) {
            r->at++;
        }
        f.at += strspn(f.at, " \t\r");
        if (node != NULL && f.at < r->end && *f.at != '\n' && *f.at != '#') {
            cli_error("%s:%zu: nothing is expected behind the bracket", r->name, f.line);
            yaml_free(node);
            return NULL;
        }
        return node;
    }
    if (strchr("&*!|>", *start) != NULL && *start != '\0') {
        cli_error("%s:%zu: '%c' of YAML is not read here", r->name, number, *start);
        return NULL;
    }
    size_t length = strcspn(start, "\n");
    for (size_t i = 1; i < length && *start != '"' && *start != '\''; i++) {
        length = start[i] == '#' && strchr(" \t", start[i - 1]) != NULL ? i : length;
    }
    r->at++;
    return new_scalar(start, length, number);
}

/* Where the ':' of "key: ..." is, or NULL. */
static char *find_colon(const yaml_line *line)
{
    const char quote = *line->start;
    const size_t length = strcspn(line->start, "\n");
    char *at = line->start;
    if (quote == '"' || quote == '\'') {
        char *end = memchr(at + 1, quote, length - 1);
        at = end != NULL ? end + 1 : at;
    }
    for (; at < line->start + length; at++) {
        if (*at == ':' && (at + 1 == line->start + length || strchr(" \t\r", at[1]) != NULL)) {
            return at;
        }
    }
    return NULL;
}

static bool is_item(const yaml_line *line)
{
    return *line->start == '-' && (line->start[1] == '\0' || strchr(" \t\r\n", line->start[1]) != NULL);
}

static bool is_empty(const char *text)
{
    text += strspn(text, " \t\r");
    return *text == '\0' || *text == '\n' || *text == '#';
}

/* The value of a key or item: behind it, or in the lines below that are indented more (items of a list in a map need
 * not be). */
static yaml_node *parse_value(yaml_reader *r, char *rest, size_t indent, bool of_key, int depth)
{
    const size_t number = r->lines[r->at].number;
    if (!is_empty(rest)) {
        return parse_inline(r, rest + strspn(rest, " \t"));
    }
    r->at++;
    if (r->at < r->count) {
        const yaml_line *next = &r->lines[r->at];
        if (next->indent > indent || (of_key && next->indent == indent && is_item(next))) {
            return parse_block(r, depth + 1);
        }
    }
    return new_scalar("", 0, number);
}

static int parse_member(yaml_reader *r, yaml_node *map, size_t indent, int depth)
{
    yaml_line *line = &r->lines[r->at];
    char *colon = find_colon(line);
    if (colon == NULL) {
        return cli_error("%s:%zu: expected 'KEY: VALUE'", r->name, line->number);
    }
    yaml_node *name = new_scalar(line->start, (size_t)(colon - line->start), line->number);
    char *key = name != NULL ? name->text : NULL;
    if (name != NULL) {
        name->text = NULL;
    }
    yaml_free(name);
    return append(r, map, key, parse_value(r, colon + 1, indent, true, depth));
}

/* "- value", or "- key: value" and more keys below: the line is read again without its dash. */
static int parse_item(yaml_reader *r, yaml_node *list, size_t indent, int depth)
{
    yaml_line *line = &r->lines[r->at];
    char *rest = line->start + 1;
    if (is_empty(rest)) {
        return append(r, list, NULL, parse_value(r, rest, indent, false, depth));
    }
    const size_t skipped = 1 + strspn(rest, " \t");
    line->start += skipped;
    line->indent += skipped;
    const bool nested = is_item(line) || (strchr("[{", *line->start) == NULL && find_colon(line) != NULL);
    return append(r, list, NULL, nested ? parse_block(r, depth + 1) : parse_inline(r, line->start));
}

static yaml_node *parse_block(yaml_reader *r, int depth)
{
    const yaml_line *line = &r->lines[r->at];
    const size_t indent = line->indent;
    const bool is_list = is_item(line);
    if (!is_list && (strchr("[{", *line->start) != NULL || find_colon(line) == NULL)) {
        return parse_inline(r, line->start);
    }
    yaml_node *node = depth < MOST_DEPTH ? new_node(is_list ? YAML_LIST : YAML_MAP, line->number) : NULL;
    if (depth >= MOST_DEPTH) {
        cli_error("%s:%zu: nested too deep", r->name, line->number);
    }
    while (node != NULL && r->at < r->count && r->lines[r->at].indent >= indent) {
        const bool deeper = r->lines[r->at].indent > indent, item = is_item(&r->lines[r->at]);
        if (is_list && !item && !deeper) {
            break; /* the map that the list is in goes on */
        }
        if (deeper || item != is_list) {
            cli_error("%s:%zu: %s", r->name, r->lines[r->at].number,
                      deeper ? "the indentation fits no line above" : "an item of a list is not expected here");
            yaml_free(node);
            return NULL;
        }
        if ((item ? parse_item(r, node, indent, depth) : parse_member(r, node, indent, depth)) != CLI_YES) {
            yaml_free(node);
            return NULL;
        }
    }
    return node;
}

/* ---- the text ---- */

/* Lines that say something; a second document ends the text. */
static int split_lines(yaml_reader *r, char *text)
{
    size_t number = 0;
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        const size_t indent = strspn(line, " ");
        number++;
        const bool mark = strncmp(line, "---", 3) == 0 || strncmp(line, "...", 3) == 0;
        if (mark && r->count > 0) {
            break;
        }
        if (line[indent] == '\t') {
            return cli_error("%s:%zu: YAML is indented by blanks, not by tabs", r->name, number);
        }
        if (!is_empty(line) && !mark) {
            yaml_line *larger = realloc(r->lines, (r->count + 1) * sizeof *larger);
            if (larger == NULL) {
                return cli_error("out of memory");
            }
            r->lines = larger;
            r->lines[r->count++] = (yaml_line){line + indent, indent, number};
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return r->count > 0 ? CLI_YES : cli_error("%s: the file is empty", r->name);
}

yaml_node *yaml_parse(const char *name, char *text)
{
    yaml_reader r = {.name = name, .end = text + strlen(text)};
    yaml_node *node = NULL;
    const bool is_json = text[strspn(text, " \t\r\n")] == '{' || text[strspn(text, " \t\r\n")] == '[';
    if (is_json) {
        flow f = {.r = &r, .at = text, .line = 1};
        node = parse_flow(&f);
    } else if (split_lines(&r, text) == CLI_YES) {
        node = parse_block(&r, 0);
        if (node != NULL && r.at < r.count) {
            cli_error("%s:%zu: the indentation fits no line above", name, r.lines[r.at].number);
            yaml_free(node);
            node = NULL;
        }
    }
    free(r.lines);
    return node;
}
