/* Hulls that are boxes along their axes: the same question about boxes, and the answer by the hulls' vertices. */
#ifndef AP_KERNELS_BOX_HULL_H
#define AP_KERNELS_BOX_HULL_H

#include <stdbool.h>

#include "../pair/pair.h"
#include "../shape/family.h"

_Static_assert(offsetof(apart_shape, center) == offsetof(apart_shape, radius) + 3 * sizeof(double),
               "radius, bound, error and centre are copied in two rows of three");

AP_INLINE bool ap_is_box_hull(const apart_shape *shape) { return (shape->flags & AP_BOX_HULL) != 0; }

/* The box that a hull is, or the box itself. The hull's bound is about its own centre, and not less than the box needs.
 * What is not written is not read of a box, but for the four bytes that a row of its half extents reads behind them. */
AP_INLINE const apart_shape *ap_as_box(const apart_shape *shape, apart_shape *memory)
{
    if (!ap_is_box_hull(shape)) {
        return shape;
    }
    const apart_shape model = {.kind = APART_SHAPE_BOX, .dim = 3, .status = APART_OK};
    memcpy(memory, &model, sizeof(uint64_t));
    memory->radius = shape->radius;
    memory->bound = shape->bound;
    memory->error = shape->error;
    ap_lanes_store(&memory->center, ap_lanes_load(&shape->u.box_hull.middle));
    ap_lanes_store(&memory->u.half_extents, ap_lanes_load(&shape->u.box_hull.half_extents));
    return memory;
}

/* The caller's numbers for the corners that a result names; unused places hold APART_NO_INDEX. No branch depends on how
 * many there are. */
AP_INLINE void ap_box_hull_rename(const apart_shape *shape, uint32_t index[4])
{
    if (ap_is_box_hull(shape)) {
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t number = shape->u.box_hull.corners[index[i] & 7u];
            index[i] = index[i] < 8u ? number : index[i];
        }
    }
}

#endif
