/* XML files by expat: elements as they come, messages with file and line. */
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "xml.h"

enum { CHUNK = 1 << 16 };

void robot_xml_skip(robot_xml *x) { x->skipped = x->depth + 1; }

void robot_xml_fail(robot_xml *x, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (x->status != APART_OK) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    x->status = robot_fail(x->error, APART_ERR_SYNTAX, x->file, x->line, "%s", text);
}

const char *robot_xml_find(const char *const *attributes, const char *name)
{
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

const char *robot_xml_need(robot_xml *x, const char *element, const char *const *attributes, const char *name)
{
    const char *value = robot_xml_find(attributes, name);
    if (value == NULL || *value == '\0') {
        robot_xml_fail(x, "<%s> needs %s=\"...\"", element, name);
        return "";
    }
    return value;
}

bool robot_xml_numbers(robot_xml *x, const char *element, const char *const *attributes, const char *name, size_t count,
                       double *out)
{
    const char *text = robot_xml_find(attributes, name);
    const char *at = text;
    size_t found = 0;
    if (text == NULL) {
        return true;
    }
    for (;; found++) {
        at += strspn(at, " \t\r\n");
        char *end;
        const double value = strtod(at, &end);
        if (end == at || !isfinite(value) || found == count) {
            break;
        }
        out[found] = value;
        at = end;
    }
    if (*at != '\0' || found != count) {
        robot_xml_fail(x, "<%s %s=\"%.60s\">: expected %zu finite number%s", element, name, text, count,
                       count == 1 ? "" : "s");
        return false;
    }
    return true;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    robot_xml *x = user;
    x->line = XML_GetCurrentLineNumber(x->parser);
    if (x->status == APART_OK && x->skipped == 0) {
        x->start(x, name, (const char *const *)attributes);
    }
    x->depth++;
    if (x->status != APART_OK) {
        XML_StopParser(x->parser, XML_FALSE);
    }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    robot_xml *x = user;
    x->line = XML_GetCurrentLineNumber(x->parser);
    if (x->skipped == x->depth) {
        x->skipped = 0;
        x->depth--;
        return;
    }
    x->depth--;
    if (x->status == APART_OK && x->skipped == 0) {
        x->end(x, name);
    }
    if (x->status != APART_OK) {
        XML_StopParser(x->parser, XML_FALSE);
    }
}

static void parse(robot_xml *x, FILE *stream)
{
    for (bool last = false; !last && x->status == APART_OK;) {
        void *buffer = XML_GetBuffer(x->parser, CHUNK);
        if (buffer == NULL) {
            x->status = robot_fail_memory(x->error);
            return;
        }
        const size_t size = fread(buffer, 1, CHUNK, stream);
        if (ferror(stream)) {
            x->status = robot_fail(x->error, APART_ERR_FILE, x->file, 0, "cannot read: %s", strerror(errno));
            return;
        }
        last = size < CHUNK;
        if (XML_ParseBuffer(x->parser, (int)size, last) != XML_STATUS_OK && x->status == APART_OK) {
            x->status = robot_fail(x->error, APART_ERR_SYNTAX, x->file, XML_GetCurrentLineNumber(x->parser),
                                   "%s (column %zu)", XML_ErrorString(XML_GetErrorCode(x->parser)),
                                   (size_t)XML_GetCurrentColumnNumber(x->parser) + 1);
        }
    }
}

apart_status robot_xml_read(const char *path, robot_xml *x)
{
    FILE *stream = fopen(path, "rb");
    x->file = path;
    if (stream == NULL) {
        return x->status = robot_fail(x->error, APART_ERR_FILE, path, 0, "cannot open: %s", strerror(errno));
    }
    x->parser = XML_ParserCreate(NULL);
    if (x->parser == NULL) {
        fclose(stream);
        return x->status = robot_fail_memory(x->error);
    }
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_start, on_end);
    parse(x, stream);
    XML_ParserFree(x->parser);
    fclose(stream);
    return x->status;
}
