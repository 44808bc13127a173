/* XML files as trees of elements with file and line (expat). Text between elements is passed over. */
#ifndef AP_ROBOT_FILES_XML_H
#define AP_ROBOT_FILES_XML_H

#include "text.h"

typedef struct ap_xml_node {
    const char *name, *file;
    const char **attributes; /* name, value, ..., NULL */
    size_t line;
    struct ap_xml_node *parent, *first, *last, *next; /* children, and the next of the same parent */
} ap_xml_node;

/* The memory of all nodes and texts. */
typedef struct ap_xml_tree {
    ap_xml_node *root;
    struct ap_xml_chunk *chunks;
    size_t left;         /* in the first chunk */
    size_t total, limit; /* bytes */
} ap_xml_tree;

/* Reads a file into a tree; several files may share one. */
apart_status ap_xml_read(ap_xml_tree *tree, const char *path, ap_xml_node **root, apart_io_error *error);
apart_status ap_xml_parse(ap_xml_tree *tree, const void *data, size_t size, const char *name, ap_xml_node **root,
                          apart_io_error *error);
void ap_xml_free(ap_xml_tree *tree);
/* Memory that lives as long as the tree; NULL: none left. */
void *ap_xml_allocate(ap_xml_tree *tree, size_t size);

/* The first child of that name, or NULL; the next element of that name after it. */
const ap_xml_node *ap_xml_child(const ap_xml_node *node, const char *name);
const ap_xml_node *ap_xml_next(const ap_xml_node *node, const char *name);
bool ap_xml_is(const ap_xml_node *node, const char *name);
/* The value of an attribute, or NULL. */
const char *ap_xml_find(const ap_xml_node *node, const char *name);
/* The same; a missing or empty one is an error. */
apart_status ap_xml_need(const ap_xml_node *node, const char *name, const char **out, apart_io_error *error);
/* "FILE:LINE: ...", with the node's place. */
apart_status ap_xml_fail(const ap_xml_node *node, apart_io_error *error, const char *format, ...);
/* `least` to `most` finite numbers between white space; *count (may be NULL) gets how many. A missing attribute leaves
 * `out` as it is, and *count 0. */
apart_status ap_xml_numbers(const ap_xml_node *node, const char *name, size_t least, size_t most, double *out,
                            size_t *count, apart_io_error *error);
/* A note of the robot with the node's place. */
apart_status ap_xml_note(const ap_xml_node *node, apart_robot *r, const char *cause, const char *format, ...);

#endif
