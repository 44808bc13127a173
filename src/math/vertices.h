/* Reading the caller's arrays of vertices: doubles or floats, at any stride and alignment. */
#ifndef AP_MATH_VERTICES_H
#define AP_MATH_VERTICES_H

#include "vec.h"

/* Vertex number i of an array; its number type must be known (apart_number). */
static inline apart_vec3 ap_vertices_read(const apart_vertices *vertices, size_t i)
{
    const bool is_float = vertices->number == APART_FLOAT;
    const size_t packed = 3 * (is_float ? sizeof(float) : sizeof(double));
    const char *at = (const char *)vertices->data + i * (vertices->stride != 0 ? vertices->stride : packed);
    if (is_float) {
        float xyz[3];
        memcpy(xyz, at, sizeof xyz);
        return ap_vec((double)xyz[0], (double)xyz[1], (double)xyz[2]);
    }
    double xyz[3];
    memcpy(xyz, at, sizeof xyz);
    return ap_vec(xyz[0], xyz[1], xyz[2]);
}

#endif
