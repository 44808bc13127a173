/* Faces and edges of a convex body from its bare vertices by enumeration (item G6, section 4.2 and the appendix). */
#ifndef LAB_GEOMETRIC_ENUMERATE_H
#define LAB_GEOMETRIC_ENUMERATE_H

#include <apart/math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lab_face {
    uint32_t count, *vertex; /* ascending, until ordered */
} lab_face;

typedef struct lab_enumeration {
    lab_face *faces; /* vertices in angular order about the face's centre, the lowest first */
    uint32_t face_count;
    uint32_t (*edges)[2]; /* ascending, each once: the vicinity matrix as a list */
    uint32_t edge_count;
    uint64_t planes_tested; /* triples */
    uint64_t points_tested; /* vertices held against a plane */
} lab_enumeration;

/* Vertices of a solid body of about unit size; planes that differ by less than `tolerance` are one. early_end: the test
 * of a triple ends with the first vertex on the wrong side; false: as printed, every vertex is held against it. */
void lab_enumerate(const apart_vec3 *vertex, uint32_t count, double tolerance, bool early_end, lab_enumeration *out);
void lab_enumeration_free(lab_enumeration *enumeration);

#endif
