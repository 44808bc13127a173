/* Two bodies made ready for a query: one frame, unit size, and what rounding can do to the answer.
 *
 * The frame has the world's axes and A's centre as origin; all lengths are multiplied by a power of two that brings
 * M = bound A + bound B + distance of the centres to [1, 2). A point of the TCSO is w = b - a (Cameron 1997, item C2).
 * Vertices are transformed on demand only (item C11). */
#ifndef AP_NARROW_PAIR_H
#define AP_NARROW_PAIR_H

#include "../shape/support_lanes.h"
#include "simplex.h"

#define AP_UNIT_ROUNDOFF 1.1102230246251565e-16 /* u = 2^-53 */

/* Errors of the certificate in units of u * M, derived in docs/numerics.md. */
#define AP_LOWER_ERROR 34.0  /* of n.w at the support pair as a bound of n.w over the whole TCSO */
#define AP_UPPER_ERROR 20.0  /* of |sum lambda w| as the length between two points of the bodies */
#define AP_CURVED_ERROR 16.0 /* further, for each body whose supports come from a closed form with a square root */

/* Above this loss (in eps * bound) the answer of a climb is confirmed by a scan before it is believed. */
#define AP_CLIMB_LOSS_MAX 1024.0

typedef struct ap_pair {
    ap_lanes3 rows_a, rows_b; /* the transposed rotations: from query to body axes */
    const apart_shape *a, *b;
    const apart_mat3 *rotation_a, *rotation_b;
    apart_vec3 offset;    /* B's centre in the query frame, scaled */
    double behind_offset; /* a slot of four lanes, written and read as a whole */
    apart_vec3 origin;    /* A's centre in the world */
    double scale, inverse_scale;
    double magnitude;     /* M, scaled */
    double support_error, upper_error; /* scaled lengths: of a lower bound from a full search, and of an upper bound */
    double climb_error;   /* further, while supports are found by climbing */
    double widening;      /* unscaled: what the rotations' defect can do to rounded parts */
    double radius;        /* unscaled: sum of the rounding radii */
    int dim;
    uint32_t count_a, count_b; /* vertices of the cores; 0: none are numbered */
    uint32_t tag;         /* identifies the pair of shapes that a cache belongs to (FNV-1a); never 0: a zeroed cache belongs to nobody */
    bool vertices;        /* both cores have numbered vertices */
    bool confirm;         /* a climb may have missed: scan before believing */
    bool guesses;         /* a core is a hull with a direction table: supports on the way need not be exact */
    bool broken;          /* a support is not finite: a user's callback, or an affine image beyond the range of doubles */
    ap_support_context context;
    uint32_t transformed; /* vertices taken to the query frame */
    uint32_t support_calls;
} ap_pair;

/* Checks shapes, poses and their dimensions and fills the pair. */
apart_status ap_pair_prepare(ap_pair *pair, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, int search);

/* The error of a lower bound by the supports as they are searched now. */
AP_INLINE double ap_pair_lower_error(const ap_pair *pair)
{
    return pair->context.search == APART_SUPPORT_SCAN ? pair->support_error : pair->support_error + pair->climb_error;
}

AP_INLINE uint32_t ap_pair_tag(const ap_pair *pair) { return pair->tag; }

/* What such a tag is made of. */
AP_INLINE uint32_t ap_tag_of(int kind_a, int kind_b, int dim, uint32_t count_a, uint32_t count_b)
{
    const uint32_t kinds = (uint32_t)kind_a << 16 | (uint32_t)kind_b << 8 | (uint32_t)dim;
    uint32_t hash = (2166136261u ^ kinds) * 16777619u;
    hash = (hash ^ count_a) * 16777619u;
    hash = (hash ^ count_b) * 16777619u;
    return hash | 1u;
}

/* What a query of a broken pair returns. */
apart_status ap_pair_status(const ap_pair *pair);

/* The support pair for direction v: farthest in A along v, in B against it. index_a/index_b of `out` are the start hints and the answer. */
void ap_pair_support(ap_pair *pair, apart_vec3 v, ap_simplex_vertex *out);

/* The TCSO vertex of given vertex numbers (both cores have vertices). */
void ap_pair_vertex(ap_pair *pair, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out);

/* From the query frame to the world. */
AP_INLINE apart_vec3 ap_pair_world(const ap_pair *pair, apart_vec3 p)
{
    return ap_add(pair->origin, ap_scale(pair->inverse_scale, p));
}

/* ---- the same in lanes, for the loop ---- */

/* Writes a, b and w = b - a of two local points. The lanes behind each are written too: set indices and weight afterwards. */
AP_INLINE ap_lanes ap_pair_place(ap_pair *pair, ap_known known, ap_lanes local_a, ap_lanes local_b, ap_simplex_vertex *out)
{
    pair->transformed += known.plain ? 0 : 2;
    const ap_lanes a = ap_lanes_turn(pair->rotation_a, local_a);
    const ap_lanes b = ap_lanes_turn(pair->rotation_b, local_b) + ap_lanes_load(&pair->offset);
    ap_lanes w = b - a;
    ap_lanes_store(&out->a, a);
    ap_lanes_store(&out->b, b);
    if (known.kind_a == APART_SHAPE_NONE && (ap_mask_bits(w - w == ap_lanes_all(0.0)) & 7u) != 7u) {
        pair->broken = true; /* the query goes on with a harmless point and ends with a status */
        w = ap_lanes_all(0.0);
        ap_lanes_store(&out->a, w);
        ap_lanes_store(&out->b, w);
    }
    ap_lanes_store(&out->w, w);
    return w;
}

AP_INLINE ap_lanes ap_pair_support_lanes(ap_pair *pair, ap_known known, ap_lanes v, uint32_t hint_a, uint32_t hint_b, ap_simplex_vertex *out)
{
    const ap_lanes toward_b = ap_lanes_apply(&pair->rows_a, v);
    const ap_lanes toward_a = -ap_lanes_apply(&pair->rows_b, v);
    const ap_lanes local_a = ap_support_lanes(pair->a, known.kind_a, known, &pair->context, toward_b, &hint_a);
    const ap_lanes local_b = ap_support_lanes(pair->b, known.kind_b, known, &pair->context, toward_a, &hint_b);
    pair->support_calls += known.plain ? 0 : 2;
    const ap_lanes w = ap_pair_place(pair, known, local_a, local_b, out);
    out->index_a = hint_a;
    out->index_b = hint_b;
    return w;
}

AP_INLINE ap_lanes ap_pair_vertex_lanes(ap_pair *pair, ap_known known, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out)
{
    const ap_lanes local_a = ap_vertex_lanes(pair->a, known.kind_a, pair->scale, index_a);
    const ap_lanes local_b = ap_vertex_lanes(pair->b, known.kind_b, pair->scale, index_b);
    const ap_lanes w = ap_pair_place(pair, known, local_a, local_b, out);
    out->index_a = index_a;
    out->index_b = index_b;
    return w;
}

#endif
