/* The depth of two boxes by their fifteen axes.
 *
 * Source: the separating axes of Gottschalk, Lin and Manocha 1996, read as the exhaustive search over the faces of the
 * Minkowski difference (Cameron and Culley 1986, item C9): the Minkowski difference of two boxes is a zonotope with six
 * generators, and its faces' normals are their cross products. We differ in taking the matrices as given: a face normal
 * is the cross product of two edges, not the third, so that nothing depends on how orthogonal the matrix is. All
 * fifteen values are found three at a time from the nine cosines between the axes, as if the matrices were orthogonal:
 * good enough to rank the axes. The few that may be the least are then evaluated with their normal. In a warm start the
 * axis that decided last time is evaluated first, and the ranking only has to confirm it. The witness points come from
 * the deciding face: by one linear equation if it is a parallelogram, else by GJK in its plane.
 *
 * Legend: axes 0..2 those of A, 3..5 those of B; p, q two of them that span a face, n = p x q its normal, of any
 * length; T from A's centre to B's; h(m) = m.T + sum |m.g| the Minkowski difference's support value for the generators
 * g, which are half edges; lanes k: the three axes of A, lanes l: those of B; the fourth lane repeats the third and is
 * not used. */
#include "box_depth.h"

#include "../pair/result.h"
#include "box_axes.h"
#include "box_cache.h"

/* In units of u * M: generators whose extent along m is smaller lie in the face. */
#define TIE 8.0
#define FACE_STEPS 16
/* The least |m|^2 of a cross product of two axes for which the error of the ranking is bounded. */
#define RANKED 0x1p-6
/* The error of the ranking, in units of M. A rotation errs by AP_ROTATION_LIMIT = 1e-6 per entry of RtR - I: a triple
 * product of axes by 5e-6, |m|^2 by 2e-6, which is 1.3e-4 of it. So the value of m by 8e-5 h + 5e-6 M / |m| <= 1.3e-4
 * M; twice, as two values are compared. */
#define RANK_ERROR 0x1.3p-12
/* (h + e)^2 <= (1 + 1/512) h^2 + 513 e^2 */
#define RANK_FACTOR (1.0 + 0x1p-9)
#define RANK_SLACK (513.0 * RANK_ERROR * RANK_ERROR)
/* The least squared sine of the angle between a face's axes for which the linear equation is used. */
#define FACE_SINE 0x1p-6
/* In units of u * M: the largest |b - a + depth * normal| that the bounds already cover. */
#define MISFIT 40.0

typedef struct box_pair {
    const ap_pair *pair;
    const apart_mat3 *matrix[2]; /* whose columns are the axes */
    const apart_vec3 *half[2];   /* unscaled */
    ap_lanes extent_a, extent_b; /* half extents, scaled */
} box_pair;

AP_INLINE box_pair read_boxes(const ap_pair *pair)
{
    const ap_lanes scale = ap_lanes_all(pair->scale);
    const apart_vec3 *half_a = &pair->a->u.half_extents, *half_b = &pair->b->u.half_extents;
    return (box_pair){.pair = pair,
                      .matrix = {pair->rotation_a, pair->rotation_b},
                      .half = {half_a, half_b},
                      .extent_a = ap_lanes_mul(scale, ap_lanes_load(half_a)),
                      .extent_b = ap_lanes_mul(scale, ap_lanes_load(half_b))};
}

/* Axis k of A (side 0) or B (side 1). The side indexes an array because a branch on it would be mispredicted. Reading
 * past the matrix is safe: the pose's translation follows. */
AP_INLINE ap_lanes axis_of(const box_pair *boxes, unsigned side, unsigned k)
{
    return ap_lanes_load((const char *)boxes->matrix[side] + k * sizeof(apart_vec3));
}

AP_INLINE double extent_of(const box_pair *boxes, unsigned side, unsigned k)
{
    double half;
    memcpy(&half, (const char *)boxes->half[side] + k * sizeof half, sizeof half);
    return boxes->pair->scale * half;
}

/* ---- the axis of least depth ---- */

/* The two box axes that span the face of each direction, by group and lane: A's faces, B's faces, and edges of A with
 * B's edge 0, 1, 2. A direction is named by its place in this table. The places of the unused fourth lane, which the
 * ranking never selects, repeat one axis. */
typedef struct box_span {
    uint8_t p_side, p, q_side, q; /* the axes: 0..2 of A (side 0) or of B (1) */
    uint8_t p_a, p_b, q_a, q_b;   /* their bits in the numbers of A's corners, and of B's */
    uint8_t in_a, in_b;           /* both bits */
    double p_on_a, q_on_a;        /* 1: the axis is A's, 0: it is B's */
} box_span;
#define BITS_A(k) (1u << (k)&7u)
#define BITS_B(k) (1u << (k) >> 3)
#define ON_A(k) ((k) < 3 ? 1.0 : 0.0)
#define SPAN(p, q)                                                                                             \
    {                                                                                                          \
        (p) / 3, (p) % 3, (q) / 3, (q) % 3, BITS_A(p), BITS_B(p), BITS_A(q), BITS_B(q), BITS_A(p) | BITS_A(q), \
            BITS_B(p) | BITS_B(q), ON_A(p), ON_A(q)                                                            \
    }
static const box_span spans[AP_BOX_DIRECTIONS] = {SPAN(1, 2), SPAN(0, 2), SPAN(0, 1), SPAN(0, 0), SPAN(4, 5),
                                                  SPAN(3, 5), SPAN(3, 4), SPAN(0, 0), SPAN(0, 3), SPAN(1, 3),
                                                  SPAN(2, 3), SPAN(0, 0), SPAN(0, 4), SPAN(1, 4), SPAN(2, 4),
                                                  SPAN(0, 0), SPAN(0, 5), SPAN(1, 5), SPAN(2, 5), SPAN(0, 0)};
#define DIRECTIONS 0x77777u

AP_INLINE ap_lanes signed_square(ap_lanes v) { return ap_lanes_mul(v, ap_lanes_abs(v)); }

/* Ranks all groups by the squares of h(m) with its sign; the rank of edges that are too nearly parallel is a NaN. */
AP_INLINE void rank_axes(const box_pair *boxes, ap_lanes ranks[5])
{
    const ap_pair *pair = boxes->pair;
    const ap_lanes t = ap_lanes_load(&pair->offset);
    ap_box_axes x = {.half_a = boxes->extent_a,
                     .half_b = boxes->extent_b,
                     .to_b = ap_lanes_apply(&pair->rows_a, t),
                     .to_b_in_b = ap_lanes_apply(&pair->rows_b, t)};
    ap_box_set_cosines(&x, &pair->rows_a, boxes->matrix[1]);
    ranks[0] = signed_square(ap_lanes_neg(ap_box_gap_a(&x)));
    ranks[1] = signed_square(ap_lanes_neg(ap_box_gap_b(&x)));
    for (unsigned l = 0; l < 3; l++) {
        const ap_lanes square = ap_lanes_sub(ap_lanes_all(1.0), ap_lanes_mul(x.cosine[l], x.cosine[l]));
        const ap_lanes divisor =
            ap_lanes_of_mask(ap_mask_or(ap_mask_of_lanes(square), ap_lanes_at_most(square, ap_lanes_all(RANKED))));
        ranks[2 + l] = ap_lanes_div(signed_square(ap_lanes_neg(ap_box_gap_edges(&x, l))), divisor);
    }
}

/* The places that may have the least value: their rank is at most `square` and its error, or is a NaN. */
AP_INLINE unsigned find_possible_axes(const ap_lanes ranks[5], double square, double magnitude)
{
    const ap_lanes limit = ap_lanes_all(RANK_FACTOR * ap_max(square, 0.0) + RANK_SLACK * (magnitude * magnitude));
    unsigned above = 0;
    for (unsigned group = 0; group < 5; group++) {
        above |= ap_mask_bits(ap_lanes_greater(ranks[group], limit)) << (4 * group);
    }
    return ~above & DIRECTIONS;
}

AP_INLINE double least_rank(const ap_lanes ranks[5])
{
    /* ap_lanes_min returns its second argument for a NaN, so the groups that may hold one come first */
    const ap_lanes least =
        ap_lanes_min(ranks[4], ap_lanes_min(ranks[3], ap_lanes_min(ranks[2], ap_lanes_min(ranks[1], ranks[0]))));
    return ap_min(ap_min(ap_lanes_at(least, 0), ap_lanes_at(least, 1)), ap_lanes_at(least, 2));
}

/* A direction and its support value. */
typedef struct box_axis {
    ap_lanes p, q, n;
    ap_lanes along_a, along_b; /* the dot products of all axes with n, directed from A to B */
    ap_mask turn;              /* the sign bits that direct n from A to B */
    double square;             /* |n|^2 */
    double inverse;            /* 1 / |n| */
    double value; /* h(m) for m = n / |n| directed from B to A, the smaller of both; infinite for parallel axes */
    unsigned place;
} box_axis;

AP_INLINE void evaluate_axis(const box_pair *boxes, unsigned place, box_axis *axis)
{
    const ap_pair *pair = boxes->pair;
    const box_span *span = &spans[place];
    const ap_lanes p = axis_of(boxes, span->p_side, span->p), q = axis_of(boxes, span->q_side, span->q),
                   n = ap_lanes_cross_accurate(p, q);
    const ap_lanes along_a = ap_lanes_apply(&pair->rows_a, n), along_b = ap_lanes_apply(&pair->rows_b, n);
    const ap_lanes part = ap_lanes_add(ap_lanes_mul(boxes->extent_a, ap_lanes_abs(along_a)),
                                       ap_lanes_mul(boxes->extent_b, ap_lanes_abs(along_b)));
    const double along = ap_lanes_dot(n, ap_lanes_load(&pair->offset)), square = ap_lanes_dot(n, n);
    const ap_mask turn = ap_mask_and(ap_mask_of_lanes(ap_lanes_all(along)), ap_mask_all(INT64_MIN));
    const double inverse = 1.0 / sqrt(square),
                 value =
                     (((ap_lanes_at(part, 0) + ap_lanes_at(part, 1)) + ap_lanes_at(part, 2)) - fabs(along)) * inverse;
    *axis = (box_axis){.p = p,
                       .q = q,
                       .n = n,
                       .turn = turn,
                       .square = square,
                       .inverse = inverse,
                       .place = place,
                       .along_a = ap_lanes_of_mask(ap_mask_xor(ap_mask_of_lanes(along_a), turn)),
                       .along_b = ap_lanes_of_mask(ap_mask_xor(ap_mask_of_lanes(along_b), turn)),
                       .value = square > 0.0 ? value : (double)INFINITY};
}

/* Finds the direction with the least value. `hint` is tried first and does not change the result. */
AP_INLINE void find_least(const box_pair *boxes, unsigned hint, box_axis *best)
{
    const double magnitude = boxes->pair->magnitude;
    ap_lanes ranks[5];
    if (hint < AP_BOX_DIRECTIONS) {
        evaluate_axis(boxes, hint, best);
        rank_axes(boxes, ranks);
        if (find_possible_axes(ranks, best->value * fabs(best->value), magnitude) == 1u << hint) {
            return;
        }
    } else {
        rank_axes(boxes, ranks);
    }
    unsigned possible = find_possible_axes(ranks, least_rank(ranks), magnitude);
    evaluate_axis(boxes, ap_lowest_bit(possible), best);
    while ((possible &= possible - 1) != 0) {
        box_axis other;
        evaluate_axis(boxes, ap_lowest_bit(possible), &other);
        if (other.value < best->value) {
            *best = other;
        }
    }
}

/* The unit normal from A to B. */
AP_INLINE ap_lanes normal_of(const box_axis *axis)
{
    return ap_lanes_of_mask(ap_mask_xor(ap_mask_of_lanes(ap_lanes_scale(axis->inverse, axis->n)), axis->turn));
}

/* ---- the witness points ---- */

/* The projection of the origin onto the deciding face: three corners of the face, their weights, and the witness points
 * on both boxes. */
typedef struct box_foot {
    ap_lanes a, b;
    uint32_t index_a[3], index_b[3];
    double lambda[3];
} box_foot;

/* The mask of a box's axes that do not span the face, by the set of those that do. */
static const ap_mask other_axes[8] = {AP_FOUR(-1, -1, -1, 0), AP_FOUR(0, -1, -1, 0), AP_FOUR(-1, 0, -1, 0),
                                      AP_FOUR(0, 0, -1, 0),   AP_FOUR(-1, -1, 0, 0), AP_FOUR(0, -1, 0, 0),
                                      AP_FOUR(-1, 0, 0, 0),   AP_FOUR(0, 0, 0, 0)};

/* Sets the corners and weights of the foot at (x, y), its coordinates along p and q from the face's middle, each within
 * -1..1. middle_a and middle_b are corner numbers without the bits of these axes. Since w = b - a, A's corners have the
 * opposite signs. */
AP_INLINE void weigh_face_corners(box_foot *foot, double x, double y, const box_span *span, unsigned middle_a,
                                  unsigned middle_b)
{
    const double right = 0.5 * (1.0 + x), up = 0.5 * (1.0 + y);
    /* Its sign is the half of the parallelogram. A branch on it would be mispredicted, so there is none. */
    const double excess = (right + up) - 1.0;
    const unsigned lower = 0u - (unsigned)(excess <= 0.0);
    foot->lambda[0] = fabs(excess);
    foot->lambda[1] = ap_min(right, 1.0 - up);
    foot->lambda[2] = ap_min(up, 1.0 - right);
    foot->index_a[0] = middle_a | (span->in_a & lower);
    foot->index_b[0] = middle_b | (span->in_b & ~lower);
    foot->index_a[1] = middle_a | span->q_a;
    foot->index_b[1] = middle_b | span->p_b;
    foot->index_a[2] = middle_a | span->p_a;
    foot->index_b[2] = middle_b | span->q_b;
}

/* Solves for the foot. Returns false unless the face is a parallelogram with the foot in its interior. */
AP_INLINE bool find_foot_by_equation(const box_pair *boxes, const box_axis *axis, box_foot *foot)
{
    const ap_pair *pair = boxes->pair;
    const box_span *span = &spans[axis->place];
    const unsigned in_a = span->in_a, in_b = span->in_b;
    const ap_lanes tie = ap_lanes_all(TIE * AP_UNIT_ROUNDOFF * pair->magnitude);
    const unsigned steep_a =
        ap_mask_bits(ap_lanes_greater(ap_lanes_mul(boxes->extent_a, ap_lanes_abs(axis->along_a)), tie)) | in_a;
    const unsigned steep_b =
        ap_mask_bits(ap_lanes_greater(ap_lanes_mul(boxes->extent_b, ap_lanes_abs(axis->along_b)), tie)) | in_b;
    const ap_lanes local_a = ap_lanes_of_mask(
        ap_mask_and(ap_mask_of_lanes(ap_lanes_with_sign(boxes->extent_a, axis->along_a)), other_axes[in_a]));
    const ap_lanes local_b = ap_lanes_of_mask(
        ap_mask_and(ap_mask_of_lanes(ap_lanes_with_sign(boxes->extent_b, axis->along_b)), other_axes[in_b]));
    const ap_lanes a = ap_lanes_turn(pair->rotation_a, local_a);
    const ap_lanes b = ap_lanes_sub(ap_lanes_load(&pair->offset), ap_lanes_turn(pair->rotation_b, local_b)),
                   c = ap_lanes_sub(a, b);
    /* c - x g - y h is a multiple of n, for the generators g, h along p, q */
    const double g = extent_of(boxes, span->p_side, span->p), h = extent_of(boxes, span->q_side, span->q);
    const double inverse = 1.0 / ((g * h) * axis->square);
    const double x = ap_lanes_dot(c, ap_lanes_cross(axis->q, axis->n)) * (h * inverse);
    const double y = ap_lanes_dot(c, ap_lanes_cross(axis->n, axis->p)) * (g * inverse);
    weigh_face_corners(foot, x, y, span, ~ap_mask_bits(ap_mask_of_lanes(axis->along_a)) & ~in_a & 7u,
                       ap_mask_bits(ap_mask_of_lanes(axis->along_b)) & ~in_b & 7u);
    const double along_p = x * g, along_q = y * h, p_on_a = span->p_on_a * along_p, q_on_a = span->q_on_a * along_q;
    foot->a = ap_lanes_sub(ap_lanes_sub(a, ap_lanes_scale(p_on_a, axis->p)), ap_lanes_scale(q_on_a, axis->q));
    foot->b = ap_lanes_sum3(b, ap_lanes_scale(along_p - p_on_a, axis->p), ap_lanes_scale(along_q - q_on_a, axis->q));
    return (steep_a & steep_b & 7u) == 7u && axis->square > FACE_SINE && foot->lambda[0] > 0.0 &&
           foot->lambda[1] > 0.0 && foot->lambda[2] > 0.0;
}

/* Is b - a equal to -depth * normal, to the error that the bounds cover? */
AP_INLINE bool points_fit_depth(const ap_pair *pair, const box_axis *axis, const box_foot *foot)
{
    const ap_lanes gap = ap_lanes_add(ap_lanes_sub(foot->b, foot->a), ap_lanes_scale(axis->value, normal_of(axis)));
    const double most = MISFIT * AP_UNIT_ROUNDOFF * pair->magnitude;
    return ap_lanes_dot(gap, gap) <= most * most;
}

/* ---- results ---- */

AP_INLINE void write_box_overlap(const ap_pair *pair, const box_axis *axis, const box_foot *foot, apart_result *r)
{
    const double inverse = pair->inverse_scale, value = axis->value,
                 slack = AP_RESULT_ROUNDING * AP_UNIT_ROUNDOFF * (inverse * value);
    const ap_lanes origin = ap_lanes_load(&pair->origin), unscale = ap_lanes_all(inverse);
    const uint64_t end =
        ap_result_end_bytes((ap_result_end){.iterations = 1, .count = 3, .relation = APART_OVERLAPPING, .dim = 3});
    ap_result_put(r, -(inverse * value), -(inverse * (value + pair->support_error)) - slack,
                  -(inverse * (value - pair->upper_error)) + slack,
                  ap_lanes_add(origin, ap_lanes_mul(unscale, foot->a)),
                  ap_lanes_add(origin, ap_lanes_mul(unscale, foot->b)), normal_of(axis));
    for (unsigned i = 0; i < 3; i++) {
        r->index_a[i] = foot->index_a[i];
        r->index_b[i] = foot->index_b[i];
        r->lambda[i] = foot->lambda[i];
    }
    r->index_a[3] = APART_NO_INDEX;
    r->index_b[3] = APART_NO_INDEX;
    r->lambda[3] = 0.0;
    memcpy(&r->iterations, &end, sizeof end);
}

/* Saves the deciding axis and the normal in A's frame; the cache has no simplex. */
AP_INLINE void save_axis(const box_axis *axis, apart_cache *cache)
{
    const ap_lanes normal = ap_lanes_scale(axis->inverse, axis->along_a);
    *cache = (apart_cache){.tag = ap_box_tag(),
                           .flags = (uint16_t)(AP_BOX_OVERLAPPED | axis->place),
                           .direction = {ap_lanes_at(normal, 0), ap_lanes_at(normal, 1), ap_lanes_at(normal, 2)}};
}

static inline ap_box_least least_from_axis(const box_axis *axis)
{
    return (ap_box_least){ap_lanes_vec(normal_of(axis)), axis->value};
}

/* Does the value prove that the boxes overlap? If not, they are disjoint or so near to contact that a distance query
 * must decide. */
AP_INLINE bool proves_overlap(const ap_pair *pair, double value)
{
    return value > pair->support_error && value < (double)INFINITY;
}

bool ap_box_depth_answer(const ap_pair *pair, apart_cache *cache, apart_result *result, ap_box_least *least)
{
    const box_pair boxes = read_boxes(pair);
    const bool overlapped_before = cache != NULL && ap_box_overlapped(cache);
    box_axis axis;
    box_foot foot;
    find_least(&boxes, overlapped_before ? cache->flags & AP_BOX_AXIS_BITS : AP_BOX_DIRECTIONS, &axis);
    if (!proves_overlap(pair, axis.value) || pair->radius > 0.0 || !find_foot_by_equation(&boxes, &axis, &foot) ||
        !points_fit_depth(pair, &axis, &foot)) {
        *least = least_from_axis(&axis);
        return false;
    }
    write_box_overlap(pair, &axis, &foot, result);
    if (cache != NULL) {
        save_axis(&axis, cache);
    }
    return true;
}

ap_box_least ap_box_depth_least(const ap_pair *pair)
{
    const box_pair boxes = read_boxes(pair);
    box_axis axis;
    find_least(&boxes, AP_BOX_DIRECTIONS, &axis);
    return least_from_axis(&axis);
}

/* ---- witness points on faces that are not parallelograms ---- */

/* The support point along d of the face with normal m: generators in the face take their sign from d, the others from
 * m. */
static void face_vertex(ap_pair *pair, const box_pair *boxes, apart_vec3 m, apart_vec3 d, ap_simplex_vertex *out)
{
    const double tie = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    uint32_t corner[2] = {0, 0};
    for (unsigned k = 0; k < 6u; k++) {
        const apart_vec3 axis = ap_lanes_vec(axis_of(boxes, k / 3, k % 3));
        const double across = ap_dot(m, axis), extent = extent_of(boxes, k / 3, k % 3);
        const bool in_face = extent * fabs(across) <= tie;
        const double side = in_face ? ap_dot(d, axis) : across;
        const bool plus = k < 3 ? side < 0.0 : side > 0.0; /* w = b - a: A's corners have the opposite signs */

        corner[k / 3] |= plus ? 1u << (k % 3) : 0u;
    }
    ap_pair_vertex(pair, corner[0], corner[1], out);
}

/* A face with more than two generators is a zonogon: with the generators in the order of their angles, each turned into
 * the upper half of the plane, its corners follow each other by adding one after the other twice and taking them away
 * again. */
typedef struct box_zonogon {
    unsigned count;
    double x[6], y[6];
    unsigned bit[6];       /* which corner bit the generator moves: 0..2 A's axes, 3..5 B's */
    unsigned corners;      /* the bits of the corner that all generators are taken away from */
    double from_x, from_y; /* from there to the origin */
} box_zonogon;

/* Inserts a generator; those turned into the lower half are turned round. */
static void add_generator(box_zonogon *z, double x, double y, unsigned bit)
{
    const bool turn = y < 0.0 || (y == 0.0 && x < 0.0);
    const double gx = turn ? -x : x, gy = turn ? -y : y;
    unsigned i = z->count++;
    for (; i > 0 && z->x[i - 1] * gy - z->y[i - 1] * gx < 0.0; i--) {
        z->x[i] = z->x[i - 1];
        z->y[i] = z->y[i - 1];
        z->bit[i] = z->bit[i - 1];
    }
    z->x[i] = gx;
    z->y[i] = gy;
    z->bit[i] = bit;
    z->corners |= (turn ? 1u : 0u) << bit;
    z->from_x += gx;
    z->from_y += gy;
}

/* The face with normal m, along f and g. */
static void find_zonogon(box_zonogon *z, const ap_pair *pair, apart_vec3 m, apart_vec3 f, apart_vec3 g)
{
    const box_pair boxes = read_boxes(pair);
    const double tie = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    z->count = 0;
    z->corners = 0;
    z->from_x = -ap_dot(f, pair->offset);
    z->from_y = -ap_dot(g, pair->offset);
    for (unsigned k = 0; k < 6u; k++) {
        /* w = b - a: A's generators point the other way */
        const double extent = k < 3 ? -extent_of(&boxes, 0, k) : extent_of(&boxes, 1, k - 3);
        const apart_vec3 axis = ap_scale(extent, ap_lanes_vec(axis_of(&boxes, k / 3, k % 3)));
        const double across = ap_dot(m, axis), x = ap_dot(f, axis), y = ap_dot(g, axis);
        if (fabs(across) <= tie) {
            add_generator(z, x, y, k);
        } else {
            z->corners |= (across > 0.0 ? 1u : 0u) << k;
            z->from_x -= across > 0.0 ? x : -x;
            z->from_y -= across > 0.0 ? y : -y;
        }
    }
}

/* Writes corner `bits` of the Minkowski difference as the next vertex of the simplex. */
static void push_corner(ap_depth *depth, ap_pair *pair, unsigned bits, double lambda)
{
    if (lambda > 0.0) {
        ap_simplex_vertex *v = &depth->simplex.vertex[depth->simplex.count++];
        ap_pair_vertex(pair, bits & 7u, bits >> 3, v);
        v->lambda = lambda;
    }
}

/* Finds the foot in the fan of triangles from the zonogon's first corner. Returns false if it is in none of them: then it
 * is next to the boundary or outside, or in a triangle so slender (two generators are nearly parallel) that its weights
 * do not give the foot back to the error that the bounds cover. */
static bool find_foot_in_fan(ap_depth *depth, ap_pair *pair, apart_vec3 m)
{
    box_zonogon z;
    const apart_vec3 f = ap_perpendicular(m);
    find_zonogon(&z, pair, m, f, ap_cross(m, f));
    const double noise = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    double x = 0.0, y = 0.0,
           right = -1.0; /* right: how far the foot is to the left of the diagonal to the last corner */
    unsigned bits = z.corners;
    for (unsigned i = 0; i + 1 < 2 * z.count; i++) {
        const unsigned k = i < z.count ? i : i - z.count, before = bits;
        const double from_x = x, from_y = y, sign = i < z.count ? 2.0 : -2.0;
        x += sign * z.x[k];
        y += sign * z.y[k];
        bits ^= 1u << z.bit[k];
        const double left = right;
        right = x * z.from_y - y * z.from_x;
        if (left >= 0.0 && right <= 0.0 && i > 0) {
            const double area = from_x * y - from_y * x;
            const double second = -right / area, third = left / area, first = (1.0 - second) - third;
            const double miss_x = (second * from_x + third * x) - z.from_x,
                         miss_y = (second * from_y + third * y) - z.from_y;
            if (area > 0.0 && first >= 0.0 && fabs(miss_x) + fabs(miss_y) <= noise) {
                depth->simplex.count = 0;
                push_corner(depth, pair, z.corners, first);
                push_corner(depth, pair, before, second);
                push_corner(depth, pair, bits, third);
                return true;
            }
        }
    }
    return false;
}

/* Projects the origin onto the deciding face by GJK in the face's plane. Returns false if the foot is outside the face,
 * on a neighbour whose normal differs by rounding only. */
static AP_RARE bool find_foot_by_search(ap_depth *depth, ap_pair *pair, apart_vec3 m)
{
    const apart_vec3 f = ap_perpendicular(m), g = ap_cross(m, f);
    const double noise = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    const box_pair boxes = read_boxes(pair);
    ap_simplex *s = &depth->simplex;
    apart_vec3 v = ap_vec(0.0, 0.0, 0.0), d = f;
    s->count = 0;
    for (int step = 0; step < FACE_STEPS; step++) {
        ap_simplex_vertex *next = &s->vertex[s->count];
        face_vertex(pair, &boxes, m, d, next);
        next->w = ap_vec(ap_dot(f, next->w), ap_dot(g, next->w), 0.0);
        if (s->count > 0 && ap_dot(v, v) - ap_dot(v, next->w) <= noise * ap_norm(v)) {
            break;
        }
        s->count++;
        if (ap_solve_default(s, 2, &v) || ap_norm(v) <= noise) {
            break;
        }
        d = ap_neg(ap_add(ap_scale(v.x, f), ap_scale(v.y, g)));
    }
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].w = ap_sub(s->vertex[i].b, s->vertex[i].a);
    }
    return ap_norm(v) <= noise;
}

bool ap_box_depth_witness(ap_depth *depth, ap_pair *pair, const ap_box_least *least)
{
    const apart_vec3 m = ap_neg(least->normal);
    if (!proves_overlap(pair, least->value) ||
        (!find_foot_in_fan(depth, pair, m) && !find_foot_by_search(depth, pair, m))) {
        return false;
    }
    depth->normal = least->normal;
    depth->depth = least->value;
    depth->least = least->value;
    depth->most = least->value;
    depth->enclosed = true;
    depth->stop = APART_STOP_CONVERGED;
    return true;
}
