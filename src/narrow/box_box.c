/* The depth of two boxes by their fifteen axes.
 *
 * Source: the separating axes of Gottschalk, Lin and Manocha 1996, read as the exhaustive search over the faces of the TCSO
 * (Cameron and Culley 1986, item C9): the TCSO of two boxes is a zonotope with six generators, and its faces' normals are their
 * cross products. We differ in taking the matrices as given: a face normal is the cross product of two edges, not the third, so that
 * nothing depends on how orthogonal the matrix is. All fifteen values are found three at a time from the nine cosines between the axes,
 * as if the matrices were orthogonal: good enough to rank the axes. The few that may be the least are then evaluated with a unit normal.
 * The witness points come from the deciding face: where it is a parallelogram by one linear equation, else by a planar search.
 *
 * Legend: g[0..2] half edges of A, g[3..5] of B; m a direction, h(m) = m.T + sum |m.g| the TCSO's support value;
 * lanes k: the three axes of A, lanes l: those of B; the fourth lane repeats the third and is not looked at. */
#include <float.h>

#include "box_box.h"
#include "../simd/lanes.h"

/* In units of u * M: generators whose extent along m is below this lie in the face. */
#define TIE 8.0
#define FACE_STEPS 16
/* The least |m|^2 of a cross product of two axes that the ranking can be believed for. */
#define RANKED 0x1p-6
/* What the ranking can miss, scaled. A rotation errs by AP_ROTATION_LIMIT = 1e-6 per entry of RtR - I: a triple product of axes by 5e-6, |m|^2
 * by 2e-6, which is 1.3e-4 of it. So the value of m by 8e-5 h + 5e-6 M / |m| <= 1.3e-4 M, M < 2; twice, for the two values compared. */
#define RANK_ERROR 0x1p-10
/* (h + e)^2 <= (1 + 1/64) h^2 + 65 e^2 */
#define RANK_FACTOR (1.0 + 0x1p-6)
#define RANK_SLACK (65.0 * RANK_ERROR * RANK_ERROR)
/* The error-free cross product is taken of axes nearer to each other than this sine, squared. */
#define NEARLY_PARALLEL 0x1p-12
/* The least sine of the angle between the generators of a face whose witness the linear equation gives. */
#define FACE_SINE 0x1p-3

typedef struct box_pair {
    ap_lanes column[6];     /* axes: columns of both rotations; the fourth lane is anything */
    ap_lanes3 a, b;     /* the same in lanes */
    ap_lanes extent_a, extent_b; /* half extents, scaled */
    apart_vec3 between;  /* T: from A's centre to B's */
} box_pair;

/* A direction and what belongs to it. */
typedef struct box_axis {
    apart_vec3 m;           /* unit, turned towards the smaller of its two values */
    double value;           /* h(m) */
    double area;            /* m.(axis i x axis j), the sine between them with m's sign */
    int i, j;               /* the generators that m is perpendicular to, i < j */
    ap_lanes along_a, along_b; /* m.axis */
} box_axis;

static inline apart_vec3 vec_of(ap_lanes v) { return ap_vec(v[0], v[1], v[2]); }

AP_INLINE void read_axes(const apart_mat3 *r, ap_lanes column[3], ap_lanes3 *lanes)
{
    const ap_lanes last = ap_lanes_load(&r->y.z); /* y.z, z */
    column[0] = ap_lanes_load(&r->x.x);
    column[1] = ap_lanes_load(&r->y.x);
    column[2] = __builtin_shufflevector(last, last, 1, 2, 3, 3);
    ap_lanes x = column[0], y = column[1], z = column[2], again = column[2];
    ap_lanes_transpose4(&x, &y, &z, &again);
    *lanes = (ap_lanes3){x, y, z};
}

static void read_boxes(box_pair *boxes, const ap_pair *pair)
{
    const apart_vec3 a = ap_scale(pair->scale, pair->a->u.half_extents), b = ap_scale(pair->scale, pair->b->u.half_extents);
    read_axes(pair->rotation_a, boxes->column, &boxes->a);
    read_axes(pair->rotation_b, boxes->column + 3, &boxes->b);
    boxes->extent_a = (ap_lanes){a.x, a.y, a.z, a.z};
    boxes->extent_b = (ap_lanes){b.x, b.y, b.z, b.z};
    boxes->between = pair->offset;
}

/* Lane i of the next, and of the one after: lanes run in a circle of three. */
AP_INLINE ap_lanes next(ap_lanes v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }

AP_INLINE ap_lanes after_next(ap_lanes v) { return __builtin_shufflevector(v, v, 2, 0, 1, 3); }

AP_INLINE ap_lanes signed_square(ap_lanes v) { return v * ap_lanes_abs(v); }

/* Squares of h(m) with their signs, of A's three faces, of B's, and of A's edges with B's edge l = 0..2; infinite for edges that are too
 * nearly parallel. Legend: c[l] the cosines between A's axes, lanes k, and B's axis l. */
AP_INLINE void rank_axes(const box_pair *boxes, ap_lanes ranks[5])
{
    const ap_lanes3 t = ap_lanes3_all(boxes->between);
    const ap_lanes ea = boxes->extent_a, eb = boxes->extent_b, ta = ap_lanes3_dot(boxes->a, t), tb = ap_lanes3_dot(boxes->b, t);
    ap_lanes c[3], absolute[3];
    for (int l = 0; l < 3; l++) {
        c[l] = ap_lanes3_dot(boxes->a, ap_lanes3_all(vec_of(boxes->column[3 + l])));
        absolute[l] = ap_lanes_abs(c[l]);
    }
    const ap_lanes e[5] = {ap_lanes_all(eb[0]), ap_lanes_all(eb[1]), ap_lanes_all(eb[2]), ap_lanes_all(eb[0]), ap_lanes_all(eb[1])};
    ap_lanes q0 = ea * absolute[0], q1 = ea * absolute[1], q2 = ea * absolute[2], q3 = q2;
    ap_lanes_transpose4(&q0, &q1, &q2, &q3);
    ranks[0] = signed_square((ea + ((e[0] * absolute[0] + e[1] * absolute[1]) + e[2] * absolute[2])) - ap_lanes_abs(ta));
    ranks[1] = signed_square((eb + ((q0 + q1) + q2)) - ap_lanes_abs(tb));
    const ap_lanes ea1 = next(ea), ea2 = after_next(ea), ta1 = next(ta), ta2 = after_next(ta);
    for (int l = 0; l < 3; l++) {
        const ap_lanes c1 = next(c[l]), c2 = after_next(c[l]), square = ap_lanes_all(1.0) - c[l] * c[l];
        const ap_lanes reach = (ea1 * ap_lanes_abs(c2) + ea2 * ap_lanes_abs(c1)) + (e[l + 1] * absolute[(l + 2) % 3] + e[l + 2] * absolute[(l + 1) % 3]);
        const ap_lanes rank = signed_square(reach - ap_lanes_abs(ta2 * c1 - ta1 * c2)) / square;
        ranks[2 + l] = ap_lanes_select(ap_lanes_all(INFINITY), rank, square > ap_lanes_all(RANKED));
    }
}

/* A unit vector perpendicular to two axes, and the sine between these; false if they are parallel. */
static inline bool face_direction(apart_vec3 p, apart_vec3 q, apart_vec3 *m, double *sine)
{
    apart_vec3 c = ap_cross(p, q);
    double square = ap_dot(c, c);
    if (square < NEARLY_PARALLEL) {
        c = ap_cross_accurate(p, q);
        square = ap_dot(c, c);
    }
    if (!(square > 0.0)) {
        return false;
    }
    *sine = sqrt(square);
    *m = ap_scale(1.0 / *sine, c);
    return true;
}

/* h(m) for the normal of generators i and j, if it is less than the best so far. */
static void try_axis(const box_pair *boxes, int i, int j, box_axis *best)
{
    apart_vec3 m;
    double sine;
    if (!face_direction(vec_of(boxes->column[i]), vec_of(boxes->column[j]), &m, &sine)) {
        return;
    }
    const ap_lanes3 lanes = ap_lanes3_all(m);
    const ap_lanes along_a = ap_lanes3_dot(lanes, boxes->a), along_b = ap_lanes3_dot(lanes, boxes->b);
    const ap_lanes part = boxes->extent_a * ap_lanes_abs(along_a) + boxes->extent_b * ap_lanes_abs(along_b);
    const double along = ap_dot(m, boxes->between), value = ((part[0] + part[1]) + part[2]) - fabs(along);
    if (!(value < best->value)) {
        return;
    }
    const double sign = along > 0.0 ? -1.0 : 1.0;
    best->m = ap_scale(sign, m);
    best->value = value;
    best->area = sign * sine;
    best->i = i;
    best->j = j;
    best->along_a = ap_lanes_all(sign) * along_a;
    best->along_b = ap_lanes_all(sign) * along_b;
}

/* The least support value over the fifteen directions; those of nearly parallel edges are not ranked and always tried. */
static void find_least(const box_pair *boxes, box_axis *best)
{
    static const uint8_t generators[20][2] = {{1, 2}, {0, 2}, {0, 1}, {0, 0}, {4, 5}, {3, 5}, {3, 4}, {0, 0}, {0, 3}, {1, 3},
                                              {2, 3}, {0, 0}, {0, 4}, {1, 4}, {2, 4}, {0, 0}, {0, 5}, {1, 5}, {2, 5}, {0, 0}};
    ap_lanes ranks[5];
    rank_axes(boxes, ranks);
    const ap_lanes lanes = ap_lanes_min(ap_lanes_min(ap_lanes_min(ranks[0], ranks[1]), ap_lanes_min(ranks[2], ranks[3])), ranks[4]);
    const double least = ap_min(ap_min(lanes[0], lanes[1]), lanes[2]);
    const ap_lanes limit = ap_lanes_all(RANK_FACTOR * ap_max(least, 0.0) + RANK_SLACK), most = ap_lanes_all(DBL_MAX);
    unsigned open = 0;
    for (int group = 0; group < 5; group++) {
        open |= (ap_mask_bits((ranks[group] <= limit) | (ranks[group] > most)) & 7u) << (4 * group);
    }
    *best = (box_axis){.value = INFINITY};
    for (; open != 0; open &= open - 1) {
        const uint8_t *pair = generators[__builtin_ctz(open)];
        try_axis(boxes, pair[0], pair[1], best);
    }
}

/* A generator of the deciding face: its part in A's or in B's corners, and its bit in their numbers. */
typedef struct face_side {
    ap_lanes a, b; /* one of them is 0 */
    double extent;
    unsigned in_a, in_b;
} face_side;

AP_INLINE face_side side_of(const box_pair *boxes, int k)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    if (k < 3) {
        return (face_side){boxes->column[k] * ap_lanes_all(boxes->extent_a[k]), zero, boxes->extent_a[k], 1u << k, 0};
    }
    return (face_side){zero, boxes->column[k] * ap_lanes_all(boxes->extent_b[k - 3]), boxes->extent_b[k - 3], 0, 1u << (k - 3)};
}

AP_INLINE void put_corner(ap_simplex *s, ap_lanes a, ap_lanes b, unsigned index_a, unsigned index_b, double lambda)
{
    if (lambda > 0.0) {
        ap_simplex_vertex *corner = &s->vertex[s->count++];
        ap_lanes_store(&corner->w, b - a);
        ap_lanes_store(&corner->a, a);
        ap_lanes_store(&corner->b, b);
        corner->index_a = index_a;
        corner->index_b = index_b;
        corner->lambda = lambda;
    }
}

/* The middle of the deciding face on either box, from the generators that are not in it, and their bits in the corners' numbers. */
AP_INLINE void find_center(const box_pair *boxes, const box_axis *axis, unsigned in_a, unsigned in_b, ap_lanes center[2], unsigned bits[2])
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes ea = ap_lanes_select(-boxes->extent_a, boxes->extent_a, axis->along_a > zero);
    const ap_lanes eb = ap_lanes_select(-boxes->extent_b, boxes->extent_b, axis->along_b > zero);
    center[0] = zero;
    center[1] = (ap_lanes){boxes->between.x, boxes->between.y, boxes->between.z, boxes->between.z};
    for (int k = 0; k < 3; k++) {
        center[0] -= (in_a >> k & 1u) != 0 ? zero : ap_lanes_all(ea[k]) * boxes->column[k];
        center[1] += (in_b >> k & 1u) != 0 ? zero : ap_lanes_all(eb[k]) * boxes->column[k + 3];
    }
    bits[0] = ap_mask_bits(axis->along_a < zero) & 7u & ~in_a;
    bits[1] = ap_mask_bits(axis->along_b > zero) & 7u & ~in_b;
}

/* The deciding face is a parallelogram with the origin's foot in it: the weights of three of its corners. False: it is not so clear. */
static bool solve_face(ap_simplex *s, const box_pair *boxes, const box_axis *axis, double unit)
{
    const face_side p = side_of(boxes, axis->i), q = side_of(boxes, axis->j);
    const unsigned in_a = p.in_a | q.in_a, in_b = p.in_b | q.in_b;
    const ap_lanes tie = ap_lanes_all(TIE * unit);
    const unsigned flat_a = ap_mask_bits(boxes->extent_a * ap_lanes_abs(axis->along_a) <= tie) & 7u;
    const unsigned flat_b = ap_mask_bits(boxes->extent_b * ap_lanes_abs(axis->along_b) <= tie) & 7u;
    if (((flat_a & ~in_a) | (flat_b & ~in_b)) != 0 || !(fabs(axis->area) > FACE_SINE)) {
        return false; /* a third generator lies in the face, or it is thin */
    }
    ap_lanes center[2];
    unsigned bits[2];
    find_center(boxes, axis, in_a, in_b, center, bits);
    const apart_vec3 c = vec_of(center[1] - center[0]), g = vec_of(p.a + p.b), h = vec_of(q.a + q.b);
    /* c + alpha g + beta h is a multiple of m */
    const double inverse = -1.0 / ((p.extent * q.extent) * axis->area);
    const double alpha = ap_dot(axis->m, ap_cross(c, h)) * inverse, beta = ap_dot(axis->m, ap_cross(g, c)) * inverse;
    if (!(fabs(alpha) <= 1.0 && fabs(beta) <= 1.0)) {
        return false;
    }
    const double right = 0.5 * (1.0 + alpha), up = 0.5 * (1.0 + beta);
    const bool lower = right + up <= 1.0; /* which half of the parallelogram; w = b - a: A's corners count the other way */
    const ap_lanes near = ap_lanes_all(lower ? -1.0 : 1.0), da = p.a - q.a, db = p.b - q.b, sa = near * (p.a + q.a), sb = near * (p.b + q.b);
    s->count = 0;
    put_corner(s, center[0] - sa, center[1] + sb, bits[0] | (lower ? in_a : 0), bits[1] | (lower ? 0 : in_b), lower ? (1.0 - right) - up : (right + up) - 1.0);
    put_corner(s, center[0] - da, center[1] + db, bits[0] | q.in_a, bits[1] | p.in_b, lower ? right : 1.0 - up);
    put_corner(s, center[0] + da, center[1] - db, bits[0] | p.in_a, bits[1] | q.in_b, lower ? up : 1.0 - right);
    return true;
}

/* The vertex pair of the face with normal m that lies farthest along d: generators across the face follow d, the others m. */
static void face_vertex(ap_pair *pair, const box_pair *boxes, apart_vec3 m, apart_vec3 d, ap_simplex_vertex *out)
{
    const double tie = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    uint32_t corner[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        const apart_vec3 axis = vec_of(boxes->column[k]);
        const double across = ap_dot(m, axis), extent = k < 3 ? boxes->extent_a[k] : boxes->extent_b[k - 3];
        const bool in_face = extent * fabs(across) <= tie;
        const double side = in_face ? ap_dot(d, axis) : across;
        const bool plus = k < 3 ? side < 0.0 : side > 0.0; /* w = b - a: A's corners count the other way */
        corner[k / 3] |= plus ? 1u << (k % 3) : 0u;
    }
    ap_pair_vertex(pair, corner[0], corner[1], out);
}

/* The point of the deciding face at the origin's foot: the distance loop in the face's plane. False: the foot is beside the face, on a
 * neighbour that rounding cannot tell from it. */
static bool find_witness(ap_depth *depth, ap_pair *pair, const box_pair *boxes, apart_vec3 m)
{
    const apart_vec3 f = ap_perpendicular(m), g = ap_cross(m, f);
    const double noise = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    ap_simplex *s = &depth->simplex;
    apart_vec3 v = ap_vec(0.0, 0.0, 0.0), d = f;
    s->count = 0;
    for (int step = 0; step < FACE_STEPS; step++) {
        ap_simplex_vertex *next = &s->vertex[s->count];
        face_vertex(pair, boxes, m, d, next);
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

bool ap_box_box_depth(ap_depth *depth, ap_pair *pair, apart_vec3 *separating)
{
    box_pair boxes;
    box_axis best;
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    read_boxes(&boxes, pair);
    find_least(&boxes, &best);
    const double least = best.value;
    *separating = ap_neg(best.m);
    if (!(least > ap_pair_lower_error(pair)) || least == INFINITY ||
        !(solve_face(&depth->simplex, &boxes, &best, unit) || find_witness(depth, pair, &boxes, best.m))) {
        return false; /* apart, or so near to contact that the distance must say it */
    }
    depth->normal = *separating;
    depth->depth = least;
    depth->least = least;
    depth->most = least;
    depth->enclosed = true;
    depth->stop = APART_STOP_CONVERGED;
    return true;
}
