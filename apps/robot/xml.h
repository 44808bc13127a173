/* XML files by expat: elements as they come, messages with file and line. */
#ifndef ROBOT_XML_H
#define ROBOT_XML_H

#include "report.h"

typedef struct robot_xml {
    const char *file;
    size_t line;         /* of the element that is being read */
    size_t depth;        /* of elements around it */
    size_t skipped;      /* depth of an element whose inside does not matter, 0: none */
    apart_status status; /* the first error ends the reading */
    apart_io_error *error;
    void *user;
    void (*start)(struct robot_xml *x, const char *name, const char *const *attributes);
    void (*end)(struct robot_xml *x, const char *name);
    struct XML_ParserStruct *parser;
} robot_xml;

/* Reads the file; start and end are called with x->depth being the number of elements around the one named. */
apart_status robot_xml_read(const char *path, robot_xml *x);

/* In start: nothing inside this element is reported. */
void robot_xml_skip(robot_xml *x);
/* Sets the status and the message; the reading ends. */
void robot_xml_fail(robot_xml *x, const char *format, ...);
/* The value of an attribute, or NULL. */
const char *robot_xml_find(const char *const *attributes, const char *name);
/* The same; a missing one is an error, and "" is returned. */
const char *robot_xml_need(robot_xml *x, const char *element, const char *const *attributes, const char *name);
/* `count` finite numbers between white space. A missing attribute leaves `out` as it is. Returns false after an
 * error. */
bool robot_xml_numbers(robot_xml *x, const char *element, const char *const *attributes, const char *name, size_t count,
                       double *out);

#endif
