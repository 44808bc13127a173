/* The first simplex of GJK for two boxes. */
#ifndef AP_KERNELS_BOX_START_H
#define AP_KERNELS_BOX_START_H

#include "../gjk/loop.h"
#include "box_axes.h"

/* Guesses the first simplex of a cold query by alternating projections: from B's centre to the nearest point of A, from
 * there to the nearest point of B, and back. The simplex is made of the corners next to these points and of further
 * corners of the edges or faces they lie on. The guessed features are mostly the nearest ones: the loop takes 1.2 steps
 * instead of 3, and another projection costs more than it saves. Returns false if the boxes seem to overlap. */
AP_INLINE bool ap_box_first_simplex(ap_gjk *g, ap_pair *pair, ap_traits t, ap_lanes *newest)
{
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    const ap_lanes h_a = ap_lanes_load(&pair->a->u.half_extents), h_b = ap_lanes_load(&pair->b->u.half_extents);
    const ap_lanes on_a = ap_lanes_turn(pair->rotation_a, ap_box_clamp(ap_lanes_apply(&pair->rows_a, offset), h_a));
    const ap_lanes in_b = ap_box_clamp(ap_lanes_apply(&pair->rows_b, ap_lanes_sub(on_a, offset)), h_b);
    const ap_lanes on_b = ap_lanes_add(ap_lanes_turn(pair->rotation_b, in_b), offset);
    const ap_lanes in_a = ap_box_clamp(ap_lanes_apply(&pair->rows_a, on_b), h_a);
    const ap_lanes v = ap_lanes_sub(on_b, on_a);
    if (!(ap_lanes_dot(v, v) > 0x1p-60 * (pair->magnitude * pair->magnitude))) {
        return false;
    }
    const uint32_t corner_a = ~ap_mask_bits(ap_mask_of_lanes(in_a)) & 7u,
                   corner_b = ~ap_mask_bits(ap_mask_of_lanes(in_b)) & 7u;
    uint32_t free_a = ap_mask_bits(ap_lanes_less(ap_lanes_abs(in_a), h_a)) & 7u,
             free_b = ap_mask_bits(ap_lanes_less(ap_lanes_abs(in_b), h_b)) & 7u;
    ap_gjk_reset(g, true);
    *newest = ap_pair_vertex_lanes(pair, t, corner_a, corner_b, &g->simplex.vertex[0]);
    int count = 1;
    while (count < 3 && (free_a | free_b) != 0) {
        const uint32_t axis_a = free_a & (0u - free_a), axis_b = free_a != 0 ? 0 : free_b & (0u - free_b);
        *newest = ap_pair_vertex_lanes(pair, t, corner_a ^ axis_a, corner_b ^ axis_b, &g->simplex.vertex[count++]);
        free_a ^= axis_a;
        free_b ^= axis_b;
    }
    g->simplex.count = count;
    return true;
}

#endif
