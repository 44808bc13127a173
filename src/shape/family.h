/* What the files of this folder share: how a shape is made, and the supports of the families that the dispatch does not
 * inline.
 *
 * A computed support of a leaf is within 6 eps * bound of the body and of its support plane (each file says why); a
 * composite adds what it rounds itself to shape->error. */
#ifndef AP_SHAPE_FAMILY_H
#define AP_SHAPE_FAMILY_H

#include <float.h>
#include <stddef.h>
#include <string.h>

#include "../math/eft.h"
#include "support.h"

/* shape.flags: the children's rounding radii belong to this core, which is curved then; otherwise the radii were moved
 * up or are zero. */
#define AP_CHILD_RADII 1u

/* shape.flags of a hull: it has at most AP_ALWAYS_SCANNED vertices. */
#define AP_SMALL_HULL 16u

/* shape.flags of a hull: it is a box along its axes, to the last bit, and u.box_hull says which. */
#define AP_BOX_HULL 32u

/* A centre counts as far from the origin when it is farther than this many bounds. */
#define AP_FAR 4.0

/* Eight bytes of a structure as one number. */
AP_INLINE uint64_t ap_word_at(const void *from, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const char *)from + offset, sizeof word);
    return word;
}

_Static_assert(offsetof(apart_shape, radius) == sizeof(uint64_t),
               "a shape begins with a word: kind, dimension, flags and status");

/* Is it a shape in space of this kind with these flags, and nothing wrong with it? One comparison. */
AP_INLINE bool ap_shape_is(const apart_shape *shape, uint8_t kind, uint8_t flags)
{
    const apart_shape model = {.kind = kind, .dim = 3, .flags = flags, .status = APART_OK};
    return ap_word_at(shape, 0) == ap_word_at(&model, 0);
}

/* A valid shape of the kind with all sizes zero. */
apart_shape ap_shape_new(apart_shape_kind kind, int dim);

/* A shape of the kind that every query refuses with the status. */
apart_shape ap_shape_invalid(apart_shape_kind kind, int dim, apart_status status);

/* x >= 0 with up to eight roundings made up for. */
double ap_round_up(double x);

/* Sets centre and bound by the rule of support.h: `own` is the middle of the core, which lies within own_bound of it
 * and within origin_bound of the origin. */
void ap_shape_place(apart_shape *shape, apart_vec3 own, double own_bound, double origin_bound);

/* The shape, or one with APART_ERR_OVERFLOW when its radius, bound or error is not finite. */
apart_shape ap_shape_finish(const apart_shape *shape);

/* length * d / |d|; zero for d = 0. */
apart_vec3 ap_along(double length, apart_vec3 d);

apart_vec3 ap_support_cylinder(const apart_shape *shape, double scale, apart_vec3 d);
apart_vec3 ap_support_cone(const apart_shape *shape, double scale, apart_vec3 d);
apart_vec3 ap_support_ellipsoid(const apart_shape *shape, double scale, apart_vec3 d);

apart_vec3 ap_support_points(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex);
apart_vec3 ap_vertex_points(const apart_shape *shape, double scale, size_t i);

apart_vec3 ap_support_sum(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex);
apart_vec3 ap_support_hull_of_two(const apart_shape *shape, ap_support_context *context, apart_vec3 d,
                                  uint32_t *vertex);
apart_vec3 ap_support_affine(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex);
apart_vec3 ap_support_callback(const apart_shape *shape, double scale, apart_vec3 d);
apart_vec3 ap_vertex_sum(const apart_shape *shape, double scale, uint32_t vertex);
apart_vec3 ap_vertex_hull_of_two(const apart_shape *shape, double scale, uint32_t vertex);
apart_vec3 ap_vertex_affine(const apart_shape *shape, double scale, uint32_t vertex);

#endif
