/* Two bodies made ready for a query: one frame, unit size, and what rounding can do to the answer.
 *
 * The frame has the world's axes and A's centre as origin; all lengths are multiplied by a power of two that brings
 * M = bound A + bound B + distance of the centres to [1, 2). A point of the TCSO is w = b - a (Cameron 1997, item C2).
 * Vertices are transformed on demand only (item C11). */
#ifndef AP_PAIR_PAIR_H
#define AP_PAIR_PAIR_H

#include "../shape/support_lanes.h"
#include "../simplex/simplex.h"

#define AP_UNIT_ROUNDOFF 1.1102230246251565e-16 /* u = 2^-53 */

/* Errors of the certificate in units of u * M, derived in docs/numerics.md. */
#define AP_LOWER_ERROR 34.0  /* of n.w at the support pair as a bound of n.w over the whole TCSO */
#define AP_UPPER_ERROR 20.0  /* of |sum lambda w| as the length between two points of the bodies */
#define AP_CURVED_ERROR 16.0 /* further, for each body whose supports come from a closed form with a square root */

/* Above this loss (in eps * bound) the answer of a climb is confirmed by a scan before it is believed. */
#define AP_CLIMB_LOSS_MAX 1024.0

/* A hull with so few vertices may have them all laid out in the query frame beforehand. */
#define AP_LAID_MOST 24u
#define AP_LAID_BLOCKS (AP_LAID_MOST / AP_LANES)

/* All vertices of a hull in the query frame, four to a block, two blocks at a time; of an odd number the last comes twice. */
typedef struct ap_laid {
    ap_lanes x[AP_LAID_BLOCKS], y[AP_LAID_BLOCKS], z[AP_LAID_BLOCKS];
    uint32_t last; /* the first vertex of the last block */
} ap_laid;

/* How often two blocks: known where there are no more. */
AP_INLINE uint32_t ap_laid_rounds(const ap_laid *p, ap_known known) { return known.laid <= 2 * (int)AP_LANES ? 1u : p->last / (2 * AP_LANES) + 1; }

/* The first vertex of the block after the i-th, or of the last. */
AP_INLINE uint32_t ap_laid_second(const ap_laid *p, ap_known known, uint32_t i)
{
    return known.laid <= 2 * (int)AP_LANES || p->last < AP_LANES * (i + 1) ? p->last : AP_LANES * (i + 1);
}

typedef struct ap_pair {
    ap_lanes3 rows_a, rows_b; /* the transposed rotations: from query to body axes */
    const apart_shape *a, *b;
    const apart_mat3 *rotation_a, *rotation_b;
    apart_vec3 offset;    /* B's centre in the query frame, scaled */
    double behind_offset; /* a slot of four lanes, written and read as a whole */
    apart_vec3 origin;    /* A's centre in the world */
    double behind_origin; /* such a slot, too */
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
    ap_laid laid_a, laid_b; /* small hulls only */
} ap_pair;

/* Checks shapes, poses and their dimensions and fills the pair. */
apart_status ap_pair_prepare(ap_pair *pair, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, int search);

/* Fills what a quick preparation has left out, for the code that is not the plain loop. */
void ap_pair_complete(ap_pair *pair, int search);

/* The error of a lower bound by the supports as they are searched now. */
AP_INLINE double ap_pair_lower_error(const ap_pair *pair)
{
    return pair->context.search == APART_SUPPORT_SCAN ? pair->support_error : pair->support_error + pair->climb_error;
}

/* The same in a plain loop, which never changes its search. */
AP_INLINE double ap_known_lower_error(const ap_pair *pair, ap_known known)
{
    return ap_known_scanned(known) ? pair->support_error
         : ap_known_polytopes(known) ? pair->support_error + pair->climb_error : ap_pair_lower_error(pair);
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

/* Writes two points of the query frame and their difference. */
AP_INLINE ap_lanes ap_pair_put(ap_simplex_vertex *out, ap_lanes a, ap_lanes b)
{
    const ap_lanes w = b - a;
    ap_lanes_store(&out->a, a);
    ap_lanes_store(&out->b, b);
    ap_lanes_store(&out->w, w);
    return w;
}

/* One of the vertices that were laid out beforehand. */
AP_INLINE ap_lanes ap_laid_vertex(const ap_laid *laid, uint32_t i)
{
    const double *x = (const double *)laid + i;
    return ap_lanes_of(x[0], x[AP_LAID_MOST], x[2 * AP_LAID_MOST], x[2 * AP_LAID_MOST]);
}

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

/* v.w as v.b - v.a: bit for bit what all vertices' products give (look_along), whose least and largest are known before the pair. */
AP_INLINE double ap_pair_product(ap_lanes v, const ap_simplex_vertex *p)
{
    return ap_lanes_dot(v, ap_lanes_load(&p->b)) - ap_lanes_dot(v, ap_lanes_load(&p->a));
}

AP_INLINE ap_lanes ap_pair_vertex_lanes(ap_pair *pair, ap_known known, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out)
{
    const double scale = ap_known_scale(known, pair->scale);
    const ap_lanes w = known.laid > 0 ? ap_pair_put(out, ap_laid_vertex(&pair->laid_a, index_a), ap_laid_vertex(&pair->laid_b, index_b))
                                   : ap_pair_place(pair, known, ap_vertex_lanes(pair->a, known.kind_a, scale, index_a),
                                                   ap_vertex_lanes(pair->b, known.kind_b, scale, index_b), out);
    out->index_a = index_a;
    out->index_b = index_b;
    return w;
}

/* ---- supports in two steps: first how far the TCSO reaches, which is all that the last step of a query wants, then the pair ---- */

/* What a search along v found. */
typedef struct ap_look {
    double product;                 /* v.w at the support pair */
    ap_lanes most_a, least_b;       /* of hulls laid out: the largest and the least of the next, in all lanes */
    ap_lanes dots_a[AP_LAID_BLOCKS], dots_b[AP_LAID_BLOCKS]; /* of hulls laid out: v with all vertices of A, and of B */
    ap_lanes toward_a, toward_b;    /* of boxes: the directions in the bodies' frames */
} ap_look;

/* Shapes whose supports come in two steps. The others' pair is written at once. */
AP_INLINE bool ap_known_valued(ap_known known) { return known.laid > 0 || ap_known_boxes(known); }

AP_INLINE ap_lanes ap_outmost(ap_lanes a, ap_lanes b, bool most) { return most ? ap_lanes_max(a, b) : ap_lanes_min(a, b); }

/* The dot products with all vertices, and the largest or the least of each lane. */
AP_INLINE ap_lanes ap_laid_dots(const ap_laid *p, ap_known known, ap_lanes3 d, bool most, ap_lanes *dots)
{
    const uint32_t rounds = ap_laid_rounds(p, known);
    ap_lanes out;
    uint32_t i = 0;
    do {
        dots[i] = (p->x[i] * d.x + p->y[i] * d.y) + p->z[i] * d.z;
        dots[i + 1] = (p->x[i + 1] * d.x + p->y[i + 1] * d.y) + p->z[i + 1] * d.z;
        const ap_lanes both = ap_outmost(dots[i], dots[i + 1], most);
        out = i == 0 ? both : ap_outmost(out, both, most);
        i += 2;
    } while (i < 2 * rounds);
    return out;
}

AP_INLINE void ap_look_at_laid(const ap_pair *pair, ap_known known, ap_lanes v, ap_look *look)
{
    const ap_lanes3 d = {ap_lanes_all(v[0]), ap_lanes_all(v[1]), ap_lanes_all(v[2])};
    const ap_lanes a = ap_laid_dots(&pair->laid_a, known, d, true, look->dots_a);
    const ap_lanes b = ap_laid_dots(&pair->laid_b, known, d, false, look->dots_b), minus_b = -b;
    const ap_lanes half = ap_lanes_max(__builtin_shufflevector(a, minus_b, 0, 4, 2, 6), __builtin_shufflevector(a, minus_b, 1, 5, 3, 7));
    const ap_lanes both = ap_lanes_max(half, AP_SHUFFLE(half, 2, 3, 0, 1)); /* A's largest and B's, to and fro */
    look->most_a = AP_SHUFFLE(both, 0, 0, 2, 2);
    look->least_b = -AP_SHUFFLE(both, 1, 1, 3, 3);
    look->product = look->least_b[0] - look->most_a[0];
}

AP_INLINE void ap_look_at_boxes(const ap_pair *pair, ap_lanes v, ap_look *look)
{
    look->toward_b = ap_lanes_apply(&pair->rows_a, v);
    look->toward_a = ap_lanes_apply(&pair->rows_b, v);
    const ap_lanes reach_a = ap_lanes_load(&pair->a->u.half_extents) * ap_lanes_abs(look->toward_b);
    const ap_lanes reach_b = ap_lanes_load(&pair->b->u.half_extents) * ap_lanes_abs(look->toward_a);
    const ap_lanes terms = v * ap_lanes_load(&pair->offset) - (reach_a + reach_b);
    look->product = (terms[0] + terms[1]) + terms[2];
}

/* The lowest number of a vertex with this product. */
AP_INLINE uint32_t ap_laid_number(const ap_laid *p, ap_known known, const ap_lanes *dots, ap_lanes wanted)
{
    const uint32_t rounds = ap_laid_rounds(p, known);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 2 * rounds; i += 2) {
        bits |= ap_mask_bits(dots[i] == wanted) << (AP_LANES * i) | ap_mask_bits(dots[i + 1] == wanted) << ap_laid_second(p, known, i);
    }
    return bits != 0 ? (uint32_t)__builtin_ctz(bits) : 0;
}

/* The pair that the look found. */
AP_INLINE ap_lanes ap_look_take(ap_pair *pair, ap_known known, const ap_look *look, ap_simplex_vertex *out)
{
    if (known.laid > 0) {
        const uint32_t a = ap_laid_number(&pair->laid_a, known, look->dots_a, look->most_a);
        const uint32_t b = ap_laid_number(&pair->laid_b, known, look->dots_b, look->least_b);
        return ap_pair_vertex_lanes(pair, known, a, b, out);
    }
    uint32_t a, b;
    const ap_lanes local_a = ap_support_box_lanes(pair->a, false, 1.0, look->toward_b, &a);
    const ap_lanes local_b = ap_support_box_lanes(pair->b, false, 1.0, -look->toward_a, &b);
    const ap_lanes w = ap_pair_place(pair, known, local_a, local_b, out);
    out->index_a = a;
    out->index_b = b;
    return w;
}

#endif
