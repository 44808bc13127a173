/* The YAML that programs write: block and flow maps and lists of scalars, JSON included. No anchors, tags or texts of
 * several lines. */
#ifndef YAML_H
#define YAML_H

#include <stdbool.h>
#include <stddef.h>

typedef enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_LIST } yaml_kind;

typedef struct yaml_node {
    yaml_kind kind;
    char *key;  /* in a map, else NULL */
    char *text; /* of a scalar; "" where nothing is said */
    size_t line, count;
    struct yaml_node *first, *last, *next; /* children and the next child of the parent */
} yaml_node;

/* NULL after a message. The text may be changed. Free the node. */
yaml_node *yaml_parse(const char *name, char *text);
void yaml_free(yaml_node *node);
/* A member of a map, or NULL. */
const yaml_node *yaml_member(const yaml_node *node, const char *key);

#endif
