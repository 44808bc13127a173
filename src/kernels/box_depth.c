/* The depth of two boxes by their fifteen axes.
 *
 * Source: the separating axes of Gottschalk, Lin and Manocha 1996, read as the exhaustive search over the faces of the
 * Minkowski difference (Cameron and Culley 1986, item C9): the Minkowski difference of two boxes is a zonotope with six
 * generators, and its faces' normals are their cross products. We differ in taking the matrices as given: a face normal
 * is the cross product of two edges, not the third, so that nothing depends on how orthogonal the matrix is. All
 * fifteen values are found three at a time from the nine cosines between the axes, as if the matrices were orthogonal:
 * good enough to rank the axes. The few that may be the least are then evaluated with their normal. The axis that
 * decided last time is evaluated at once, beside the ranking, which then only has to agree. The witness points come
 * from the deciding face: where it is a parallelogram by one linear equation, else by a planar search.
 *
 * Legend: axes 0..2 those of A, 3..5 those of B; p, q two of them that span a face, n = p x q its normal, of any
 * length; T from A's centre to B's; h(m) = m.T + sum |m.g| the Minkowski difference's support value for the generators
 * g, which are half edges; lanes k: the three axes of A, lanes l: those of B; the fourth lane repeats the third and is
 * not looked at. */
#include "box_depth.h"

#include "../pair/result.h"
#include "box_axes.h"
#include "box_cache.h"

/* In units of u * M: generators whose extent along m is below this lie in the face. */
#define TIE 8.0
#define FACE_STEPS 16
/* The least |m|^2 of a cross product of two axes that the ranking can be believed for. */
#define RANKED 0x1p-6
/* What the ranking can miss, in units of M. A rotation errs by AP_ROTATION_LIMIT = 1e-6 per entry of RtR - I: a triple
 * product of axes by 5e-6, |m|^2 by 2e-6, which is 1.3e-4 of it. So the value of m by 8e-5 h + 5e-6 M / |m| <= 1.3e-4
 * M; twice, as two values are compared. */
#define RANK_ERROR 0x1.3p-12
/* (h + e)^2 <= (1 + 1/512) h^2 + 513 e^2 */
#define RANK_FACTOR (1.0 + 0x1p-9)
#define RANK_SLACK (513.0 * RANK_ERROR * RANK_ERROR)
/* The least sine of the angle between the axes of a face whose witness the linear equation gives, squared. */
#define FACE_SINE 0x1p-6
/* In units of u * M: how far b - a may be from -depth * normal for points that need no wider bounds. */
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
                      .extent_a = scale * ap_lanes_load(half_a),
                      .extent_b = scale * ap_lanes_load(half_b)};
}

/* Axis k of A (side 0) or B (1). A side is looked up, not asked for: nobody guesses the answer. The pose goes on behind
 * the matrix. */
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

/* ---- the least of fifteen ---- */

/* The axes that span the faces of each direction, by group and lane: A's faces, B's, and edges of A with B's edge 0, 1,
 * 2. A direction is its place here; places without one, which no ranking finds, are two times the same. */
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

AP_INLINE ap_lanes signed_square(ap_lanes v) { return v * ap_lanes_abs(v); }

/* Squares of h(m) with their signs, of all groups; no numbers for edges that are too nearly parallel.
 * Legend: c[l] the cosines between A's axes, lanes k, and B's axis l. */
AP_INLINE void rank_axes(const box_pair *boxes, ap_lanes ranks[5])
{
    const ap_pair *pair = boxes->pair;
    const ap_lanes t = ap_lanes_load(&pair->offset);
    ap_box_axes x = {.half_a = boxes->extent_a,
                     .half_b = boxes->extent_b,
                     .to_b = ap_lanes_apply(&pair->rows_a, t),
                     .to_b_in_b = ap_lanes_apply(&pair->rows_b, t)};
    ap_box_set_cosines(&x, &pair->rows_a, boxes->matrix[1]);
    ranks[0] = signed_square(-ap_box_gap_a(&x));
    ranks[1] = signed_square(-ap_box_gap_b(&x));
    for (unsigned l = 0; l < 3; l++) {
        const ap_lanes square = ap_lanes_all(1.0) - x.cosine[l] * x.cosine[l];
        const ap_lanes divisor = (ap_lanes)((ap_mask)square | (square <= ap_lanes_all(RANKED)));
        ranks[2 + l] = signed_square(-ap_box_gap_edges(&x, l)) / divisor;
    }
}

/* The places whose rank is not beyond the limit of a value, or is no number. */
AP_INLINE unsigned find_open(const ap_lanes ranks[5], double square, double magnitude)
{
    const ap_lanes limit = ap_lanes_all(RANK_FACTOR * ap_max(square, 0.0) + RANK_SLACK * (magnitude * magnitude));
    unsigned beyond = 0;
    for (unsigned group = 0; group < 5; group++) {
        beyond |= ap_mask_bits(ranks[group] > limit) << (4 * group);
    }
    return ~beyond & DIRECTIONS;
}

AP_INLINE double least_rank(const ap_lanes ranks[5])
{
    /* a rank that is no number must stand first: ap_lanes_min */
    const ap_lanes least =
        ap_lanes_min(ranks[4], ap_lanes_min(ranks[3], ap_lanes_min(ranks[2], ap_lanes_min(ranks[1], ranks[0]))));
    return ap_min(ap_min(least[0], least[1]), least[2]);
}

/* A direction and what belongs to it. */
typedef struct box_axis {
    ap_lanes p, q, n;
    ap_lanes along_a, along_b; /* the products of all axes with n turned from A to B */
    ap_mask turn;              /* the sign bits that turn n so */
    double square;             /* |n|^2 */
    double inverse;            /* 1 / |n| */
    double value;              /* h(m), m = n / |n| turned from B to A: the smaller one; infinite for parallel axes */
    unsigned place;
} box_axis;

AP_INLINE void evaluate(const box_pair *boxes, unsigned place, box_axis *axis)
{
    const ap_pair *pair = boxes->pair;
    const box_span *span = &spans[place];
    const ap_lanes p = axis_of(boxes, span->p_side, span->p), q = axis_of(boxes, span->q_side, span->q),
                   n = ap_lanes_cross_accurate(p, q);
    const ap_lanes along_a = ap_lanes_apply(&pair->rows_a, n), along_b = ap_lanes_apply(&pair->rows_b, n);
    const ap_lanes part = boxes->extent_a * ap_lanes_abs(along_a) + boxes->extent_b * ap_lanes_abs(along_b);
    const double along = ap_lanes_dot(n, ap_lanes_load(&pair->offset)), square = ap_lanes_dot(n, n);
    const ap_mask turn = (ap_mask)ap_lanes_all(along) & ap_mask_all(INT64_MIN);
    const double inverse = 1.0 / sqrt(square), value = (((part[0] + part[1]) + part[2]) - fabs(along)) * inverse;
    *axis = (box_axis){.p = p,
                       .q = q,
                       .n = n,
                       .turn = turn,
                       .square = square,
                       .inverse = inverse,
                       .place = place,
                       .along_a = (ap_lanes)((ap_mask)along_a ^ turn),
                       .along_b = (ap_lanes)((ap_mask)along_b ^ turn),
                       .value = square > 0.0 ? value : (double)INFINITY};
}

/* The direction with the least value; `hint`: it may be this one. The same answer whatever the hint. */
AP_INLINE void find_least(const box_pair *boxes, unsigned hint, box_axis *best)
{
    const double magnitude = boxes->pair->magnitude;
    ap_lanes ranks[5];
    if (hint < AP_BOX_DIRECTIONS) {
        evaluate(boxes, hint, best);
        rank_axes(boxes, ranks);
        if (find_open(ranks, best->value * fabs(best->value), magnitude) == 1u << hint) {
            return;
        }
    } else {
        rank_axes(boxes, ranks);
    }
    unsigned open = find_open(ranks, least_rank(ranks), magnitude);
    evaluate(boxes, (unsigned)__builtin_ctz(open), best);
    while ((open &= open - 1) != 0) {
        box_axis other;
        evaluate(boxes, (unsigned)__builtin_ctz(open), &other);
        if (other.value < best->value) {
            *best = other;
        }
    }
}

/* From A to B. */
AP_INLINE ap_lanes normal_of(const box_axis *axis)
{
    return (ap_lanes)((ap_mask)(ap_lanes_all(axis->inverse) * axis->n) ^ axis->turn);
}

/* ---- the witness points ---- */

/* The point of the deciding face at the origin's foot: three of its corners and their weights, and the points on both
 * boxes. */
typedef struct box_foot {
    ap_lanes a, b;
    uint32_t index_a[3], index_b[3];
    double lambda[3];
} box_foot;

/* By the axes of A, or of B, that span the face: the others. */
static const ap_mask rest[8] = {{-1, -1, -1, 0}, {0, -1, -1, 0}, {-1, 0, -1, 0}, {0, 0, -1, 0},
                                {-1, -1, 0, 0},  {0, -1, 0, 0},  {-1, 0, 0, 0},  {0, 0, 0, 0}};

/* The corners and weights for x, y: where the foot is from the face's middle, within -1..1 of p and q. The middle's
 * numbers have no bits for these axes. w = b - a: A's corners count the other way. */
AP_INLINE void weigh_corners(box_foot *foot, double x, double y, const box_span *span, unsigned middle_a,
                             unsigned middle_b)
{
    const double right = 0.5 * (1.0 + x), up = 0.5 * (1.0 + y);
    const double above =
        (right + up) -
        1.0; /* its sign tells in which half of the parallelogram: not to be guessed, hence no branches */
    const unsigned lower = 0u - (unsigned)(above <= 0.0);
    foot->lambda[0] = fabs(above);
    foot->lambda[1] = ap_min(right, 1.0 - up);
    foot->lambda[2] = ap_min(up, 1.0 - right);
    foot->index_a[0] = middle_a | (span->in_a & lower);
    foot->index_b[0] = middle_b | (span->in_b & ~lower);
    foot->index_a[1] = middle_a | span->q_a;
    foot->index_b[1] = middle_b | span->p_b;
    foot->index_a[2] = middle_a | span->p_a;
    foot->index_b[2] = middle_b | span->q_b;
}

/* Where the face is a parallelogram with the foot clearly in it. False: it is not so clear. */
AP_INLINE bool solve_face(const box_pair *boxes, const box_axis *axis, box_foot *foot)
{
    const ap_pair *pair = boxes->pair;
    const box_span *span = &spans[axis->place];
    const unsigned in_a = span->in_a, in_b = span->in_b;
    const ap_lanes tie = ap_lanes_all(TIE * AP_UNIT_ROUNDOFF * pair->magnitude);
    const unsigned steep_a = ap_mask_bits(boxes->extent_a * ap_lanes_abs(axis->along_a) > tie) | in_a;
    const unsigned steep_b = ap_mask_bits(boxes->extent_b * ap_lanes_abs(axis->along_b) > tie) | in_b;
    const ap_lanes local_a = (ap_lanes)((ap_mask)ap_lanes_with_sign(boxes->extent_a, axis->along_a) & rest[in_a]);
    const ap_lanes local_b = (ap_lanes)((ap_mask)ap_lanes_with_sign(boxes->extent_b, axis->along_b) & rest[in_b]);
    const ap_lanes a = ap_lanes_turn(pair->rotation_a, local_a);
    const ap_lanes b = ap_lanes_load(&pair->offset) - ap_lanes_turn(pair->rotation_b, local_b), c = a - b;
    /* c - x g - y h is a multiple of n, for the generators g, h along p, q */
    const double g = extent_of(boxes, span->p_side, span->p), h = extent_of(boxes, span->q_side, span->q);
    const double inverse = 1.0 / ((g * h) * axis->square);
    const double x = ap_lanes_dot(c, ap_lanes_cross(axis->q, axis->n)) * (h * inverse);
    const double y = ap_lanes_dot(c, ap_lanes_cross(axis->n, axis->p)) * (g * inverse);
    weigh_corners(foot, x, y, span, ~ap_mask_bits((ap_mask)axis->along_a) & ~in_a & 7u,
                  ap_mask_bits((ap_mask)axis->along_b) & ~in_b & 7u);
    const double along_p = x * g, along_q = y * h, p_on_a = span->p_on_a * along_p, q_on_a = span->q_on_a * along_q;
    foot->a = (a - ap_lanes_all(p_on_a) * axis->p) - ap_lanes_all(q_on_a) * axis->q;
    foot->b = (b + ap_lanes_all(along_p - p_on_a) * axis->p) + ap_lanes_all(along_q - q_on_a) * axis->q;
    return (steep_a & steep_b & 7u) == 7u && axis->square > FACE_SINE && foot->lambda[0] > 0.0 &&
           foot->lambda[1] > 0.0 && foot->lambda[2] > 0.0;
}

/* Do the points fit the depth? */
AP_INLINE bool fits(const ap_pair *pair, const box_axis *axis, const box_foot *foot)
{
    const ap_lanes gap = (foot->b - foot->a) + ap_lanes_all(axis->value) * normal_of(axis);
    const double most = MISFIT * AP_UNIT_ROUNDOFF * pair->magnitude;
    return ap_lanes_dot(gap, gap) <= most * most;
}

/* ---- answers ---- */

AP_INLINE void write_overlap(const ap_pair *pair, const box_axis *axis, const box_foot *foot, apart_result *r)
{
    const double inverse = pair->inverse_scale, value = axis->value,
                 slack = AP_RESULT_ROUNDING * AP_UNIT_ROUNDOFF * (inverse * value);
    const ap_lanes origin = ap_lanes_load(&pair->origin), unscale = ap_lanes_all(inverse);
    const uint64_t end =
        ap_result_end_bytes((ap_result_end){.iterations = 1, .count = 3, .relation = APART_OVERLAPPING, .dim = 3});
    ap_result_put(r, -(inverse * value), -(inverse * (value + pair->support_error)) - slack,
                  -(inverse * (value - pair->upper_error)) + slack, origin + unscale * foot->a,
                  origin + unscale * foot->b, normal_of(axis));
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

/* No simplex; the direction that decided and the way out in A's frame. */
AP_INLINE void keep_axis(const box_axis *axis, apart_cache *cache)
{
    const ap_lanes way = ap_lanes_all(axis->inverse) * axis->along_a;
    *cache = (apart_cache){.tag = ap_box_tag(),
                           .flags = (uint16_t)(AP_BOX_OVERLAPPED | axis->place),
                           .direction = {way[0], way[1], way[2]}};
}

static inline ap_box_least least_of(const box_axis *axis)
{
    return (ap_box_least){ap_lanes_vec(normal_of(axis)), axis->value};
}

/* Does the value tell that the boxes overlap? Else they are apart, or so near to contact that the distance must say
 * it. */
AP_INLINE bool is_deep(const ap_pair *pair, double value)
{
    return value > pair->support_error && value < (double)INFINITY;
}

bool ap_box_depth_answer(const ap_pair *pair, apart_cache *cache, apart_result *result, ap_box_least *least)
{
    const box_pair boxes = read_boxes(pair);
    const bool met = cache != NULL && ap_box_overlapped(cache);
    box_axis axis;
    box_foot foot;
    find_least(&boxes, met ? cache->flags & AP_BOX_AXIS_BITS : AP_BOX_DIRECTIONS, &axis);
    if (!is_deep(pair, axis.value) || pair->radius > 0.0 || !solve_face(&boxes, &axis, &foot) ||
        !fits(pair, &axis, &foot)) {
        *least = least_of(&axis);
        return false;
    }
    write_overlap(pair, &axis, &foot, result);
    if (cache != NULL) {
        keep_axis(&axis, cache);
    }
    return true;
}

ap_box_least ap_box_depth_least(const ap_pair *pair)
{
    const box_pair boxes = read_boxes(pair);
    box_axis axis;
    find_least(&boxes, AP_BOX_DIRECTIONS, &axis);
    return least_of(&axis);
}

/* ---- witness points where the face is no clear parallelogram ---- */

/* The vertex pair of the face with normal m that lies farthest along d: generators across the face follow d, the others
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
        const bool plus = k < 3 ? side < 0.0 : side > 0.0; /* w = b - a: A's corners count the other way */
        corner[k / 3] |= plus ? 1u << (k % 3) : 0u;
    }
    ap_pair_vertex(pair, corner[0], corner[1], out);
}

/* The point of the deciding face at the origin's foot: the distance loop in the face's plane. False: the foot is beside
 * the face, on a neighbour that rounding cannot tell from it. */
static bool find_witness(ap_depth *depth, ap_pair *pair, apart_vec3 m)
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
    if (!is_deep(pair, least->value) || !find_witness(depth, pair, ap_neg(least->normal))) {
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
