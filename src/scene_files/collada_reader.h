/* The reader of Collada's XML: what mesh_collada.c (text and ends of elements) and mesh_collada_start.c (their
 * beginnings) share. */
#ifndef AP_SCENE_FILES_COLLADA_READER_H
#define AP_SCENE_FILES_COLLADA_READER_H

#include <expat.h>

#include "collada.h"

enum { ELEMENT_DEPTH = 256, TOKEN_SIZE = 900, TRANSFORM_NUMBERS = 16, INPUT_OFFSETS = 256 };

typedef enum element_kind {
    NOTHING, /* around the root */
    COLLADA,
    ASSET,
    UNIT,
    UP_AXIS,
    LIBRARY_GEOMETRIES,
    GEOMETRY,
    MESH,
    SOURCE,
    FLOAT_ARRAY,
    TECHNIQUE,
    ACCESSOR,
    PARAM,
    VERTICES,
    VERTICES_INPUT,
    FACES,
    FACES_INPUT,
    P,
    PH,
    VCOUNT,
    LIBRARY_SCENES,
    LIBRARY_NODES,
    SCENE,
    SCENE_INSTANCE,
    NODE,
    MATRIX,
    TRANSLATE,
    ROTATE,
    SCALE,
    UNREAD_TRANSFORM,
    INSTANCE
} element_kind;

typedef struct element_row {
    const char *name;
    element_kind parent, kind;
    int detail; /* collada_kind of faces, collada_item_kind of instances */
} element_row;

typedef struct collada_reader {
    ap_mesh_builder *b;
    collada_document d;
    XML_Parser parser;
    apart_status status;
    const element_row *stack[ELEMENT_DEPTH]; /* of the elements around */
    size_t depth;
    size_t skipped;              /* depth inside an element that does not matter */
    size_t nodes[ELEMENT_DEPTH]; /* around, the innermost last */
    size_t node_depth;
    char token[TOKEN_SIZE]; /* of character data, which comes in pieces */
    size_t token_length;
    double transform[TRANSFORM_NUMBERS];
    size_t transform_count;
    size_t polygon_start; /* of this <p> among the indices */
} collada_reader;

/* The line that is being read. */
size_t ap_collada_line(const collada_reader *r);

/* Sets status and message; the first error ends the reading. */
void ap_collada_fail(collada_reader *r, const char *format, ...);

/* A new, zeroed element at the end of a growing array, whose pointer stands at `array_pointer`; NULL after an error. */
void *ap_collada_append(collada_reader *r, void *array_pointer, size_t *count, size_t *room, size_t size);

/* Takes the beginning of a known element into the document. */
void ap_collada_start(collada_reader *r, const element_row *row, const XML_Char **attributes);

#endif
