/* The position of a value in a JSON text. jansson reports line and column of syntax errors, but does not keep the
 * positions of values. So a message scans the text once more, to the member or element given by its number at each
 * level; jansson has parsed the text, so it is well formed. In a text with a syntax error, the part before the error is
 * well formed and gives the key at which the error is. */
#include <stdarg.h>
#include <string.h>

#include "scene.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) != NULL) {
        c->at++;
    }
}

static void skip_string(cursor *c)
{
    for (c->at++; c->at < c->end && *c->at != '"'; c->at++) {
        c->at += *c->at == '\\' ? 1 : 0;
    }
    c->at++;
}

/* Any value: brackets are counted outside of strings. */
static void skip_value(cursor *c)
{
    size_t depth = 0;
    do {
        skip_space(c);
        if (c->at >= c->end) {
            return;
        }
        if (*c->at == '"') {
            skip_string(c);
        } else if (*c->at == '{' || *c->at == '[') {
            depth++;
            c->at++;
        } else if (*c->at == '}' || *c->at == ']') {
            depth--;
            c->at++;
        } else if (*c->at == ',' || *c->at == ':') {
            c->at++;
        } else {
            while (c->at < c->end && strchr(" \t\r\n,:]}", *c->at) == NULL) {
                c->at++;
            }
        }
    } while (depth > 0);
}

/* From the start of an object or array to the start of its value number `ordinal`, or of that value's key. */
static void enter(cursor *c, size_t ordinal, bool object, bool at_key)
{
    skip_space(c);
    c->at++;
    for (size_t i = 0;; i++) {
        skip_space(c);
        if (i == ordinal && at_key) {
            return;
        }
        if (object) {
            skip_string(c);
            skip_space(c);
            c->at++; /* the colon */
            skip_space(c);
        }
        if (i == ordinal || c->at >= c->end) {
            return;
        }
        skip_value(c);
        skip_space(c);
        c->at++; /* the comma */
    }
}

/* Which member of its parent a place is; jansson keeps their order, and no key comes twice. */
static size_t ordinal_of(const scene_place *member)
{
    const char *name;
    json_t *value;
    size_t ordinal = 0;
    json_object_foreach(member->parent->value, name, value)
    {
        if (strcmp(name, member->key) == 0) {
            break;
        }
        ordinal++;
    }
    return ordinal;
}

/* From one offset of a text to a later one: the number of the line and where it starts. */
static void count_lines(const char *data, size_t from, size_t to, size_t *line, size_t *line_start)
{
    for (size_t i = from; i < to; i++) {
        if (data[i] == '\n') {
            ++*line;
            *line_start = i + 1;
        }
    }
}

static void find(const scene_place *place, cursor *c);

/* An element of a member's array: elements are mostly requested in order, so the search from the last one is short. */
static void find_element(const scene_place *place, cursor *c)
{
    scene_text *t = place->text;
    if (t->mark.array != place->parent->value || t->mark.index > place->index) {
        find(place->parent, c);
        enter(c, 0, false, false);
        t->mark.array = place->parent->value;
        t->mark.index = t->mark.start = t->mark.line_start = 0;
        t->mark.line = 1;
    } else {
        c->at = t->data + t->mark.start;
    }
    for (; t->mark.index < place->index; t->mark.index++) {
        skip_value(c);
        skip_space(c);
        c->at++; /* the comma */
        skip_space(c);
    }
    const size_t start = (size_t)(c->at - t->data);
    count_lines(t->data, t->mark.start, start, &t->mark.line, &t->mark.line_start);
    t->mark.start = start;
}

static void find(const scene_place *place, cursor *c)
{
    if (place->parent == NULL) {
        skip_space(c);
        return;
    }
    if (place->key == NULL && place->parent->parent != NULL && place->parent->parent->parent == NULL) {
        find_element(place, c);
        return;
    }
    find(place->parent, c);
    enter(c, place->key != NULL ? ordinal_of(place) : place->index, place->key != NULL, place->at_key);
}

scene_place scene_member(const scene_place *object, const char *key)
{
    return (scene_place){object, object->text, 0, key, json_object_get(object->value, key), false};
}

scene_place scene_element(const scene_place *array, size_t index)
{
    return (scene_place){array, array->text, index, NULL, json_array_get(array->value, index), false};
}

/* "bodies[3].pose.xyz"; returns the length. */
static size_t write_path(const scene_place *place, char *text, size_t size)
{
    if (place->parent == NULL) {
        return 0;
    }
    size_t used = write_path(place->parent, text, size);
    if (used >= size) {
        return used;
    }
    if (place->key == NULL) {
        return used + (size_t)snprintf(text + used, size - used, "[%zu]", place->index);
    }
    return used + (size_t)snprintf(text + used, size - used, "%s%.60s", used > 0 ? "." : "", place->key);
}

const char *scene_where(const scene_place *place, char text[SCENE_PATH_SIZE])
{
    const scene_text *source = place->text;
    cursor c = {source->data, source->data + source->size};
    size_t from = 0, line = 1, line_start = 0;
    find(place, &c);
    const size_t at = c.at < c.end ? (size_t)(c.at - source->data) : source->size;
    if (source->mark.array != NULL && source->mark.start <= at) {
        from = source->mark.start;
        line = source->mark.line;
        line_start = source->mark.line_start;
    }
    count_lines(source->data, from, at, &line, &line_start);
    const int used = snprintf(text, SCENE_PATH_SIZE, "%.200s:%zu:%zu%s", source->name, line, at - line_start + 1,
                              place->parent != NULL ? ": " : "");
    char *path = text + used;
    if (place->parent != NULL) {
        write_path(place, path, SCENE_PATH_SIZE - (size_t)used);
    }
    return text;
}

/* ---- texts with a syntax error ---- */

/* An object or array that is still open: the key that was read last, or the number of commas. */
typedef struct level {
    bool object, wants_key;
    const char *key;
    size_t key_size, index;
} level;

/* Deeper levels are counted, but not named. */
enum { NAMED_LEVELS = 32 };

typedef struct open_levels {
    level level[NAMED_LEVELS];
    size_t depth;
} open_levels;

static level *innermost(open_levels *open)
{
    return open->depth > 0 && open->depth <= NAMED_LEVELS ? &open->level[open->depth - 1] : NULL;
}

/* A bracket, comma or colon. */
static void take_mark(open_levels *open, char mark)
{
    level *inner = innermost(open);
    if (mark == '{' || mark == '[') {
        if (open->depth < NAMED_LEVELS) {
            open->level[open->depth] = (level){.object = mark == '{', .wants_key = mark == '{'};
        }
        open->depth++;
    } else if (mark == '}' || mark == ']') {
        open->depth -= open->depth > 0 ? 1 : 0;
    } else if (mark == ',' && inner != NULL) {
        inner->wants_key = inner->object;
        inner->key = NULL;
        inner->index++;
    }
}

/* A text: the key of a member, if it is complete and one is due. */
static void take_string(open_levels *open, cursor *c, const char *end)
{
    level *inner = innermost(open);
    const char *start = c->at + 1;
    skip_string(c);
    if (inner != NULL && inner->wants_key && c->at <= end) {
        inner->key = start;
        inner->key_size = (size_t)(c->at - start) - 1;
        inner->wants_key = false;
    }
}

/* Reads up to `end`. A mark that ends there is what is wrong, and is not taken, unless the text only ends too early. */
static void find_open_levels(open_levels *open, const scene_text *text, size_t end, bool ends_early)
{
    cursor c = {text->data, text->data + text->size};
    const char *stop = text->data + end;
    open->depth = 0;
    for (skip_space(&c); c.at < stop; skip_space(&c)) {
        if (*c.at == '"') {
            take_string(open, &c, stop);
        } else if (strchr("{}[],:", *c.at) == NULL || *c.at == '\0') {
            c.at++;
        } else if (c.at + 1 < stop || ends_early) {
            take_mark(open, *c.at++);
        } else {
            return;
        }
    }
}

const char *scene_path_at(const scene_text *text, size_t end, bool ends_early, char path[SCENE_PATH_SIZE])
{
    open_levels open;
    size_t used = 0;
    find_open_levels(&open, text, end < text->size ? end : text->size, ends_early);
    path[0] = '\0';
    for (size_t i = 0; i < open.depth && i < NAMED_LEVELS && used < SCENE_PATH_SIZE; i++) {
        const level *l = &open.level[i];
        const size_t room = SCENE_PATH_SIZE - used;
        if (!l->object) {
            used += (size_t)snprintf(path + used, room, "[%zu]", l->index);
        } else if (l->key != NULL) {
            used += (size_t)snprintf(path + used, room, "%s%.*s", used > 0 ? "." : "",
                                     l->key_size < 60 ? (int)l->key_size : 60, l->key);
        }
    }
    return path;
}

int scene_error(const scene_place *place, const char *format, ...)
{
    char where[SCENE_PATH_SIZE], message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return cli_error("%s: %s", scene_where(place, where), message);
}
