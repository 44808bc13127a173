/* The distance of curved bodies: Newton's method inside the loop of GJK.
 *
 * On a curved surface GJK converges linearly, because its simplex is made of points and the surface is not. Here a
 * vertex of the simplex is a pair of *features* instead: the rim of a cap, an apex, a whole ellipsoid, a vertex of a
 * polytope. A round feature's support in direction n is s(n), the same for all round features of a body but for a
 * constant point, with the derivative K: for a rim of radius r, K = r/|n across| t t^T with t the rim's tangent; for an
 * ellipsoid x^T Q^-1 x = 1, K = (Q - s s^T)/|Q^1/2 n|. With the features' points w_i = b_i - a_i in the last direction,
 * the shortest vector v, of length l, satisfies to second order
 *     (I + K/l) v = sum lambda_i w_i,  v perpendicular to the differences of the features,
 * and lambda is that of the point nearest to the origin in the simplex of the S w_i, where S^T S = (I + K/l)^-1: the
 * solver's job. With y that nearest point, v = S^T y. So each step is one of GJK and one of Newton: features enter and
 * leave the simplex as vertices do in GJK, and directions converge quadratically. Against a single vertex a disc has a
 * closed form, and a step that makes the lower bound worse is halved.
 *
 * The certificate is the usual one: sum lambda_i w_i is the difference of two points of the bodies and bounds the
 * distance from above, the supporting plane perpendicular to v bounds it from below. Where the two do not meet within a
 * few steps (faces flat against caps, contact), GJK answers.
 *
 * Legend: x = sum lambda_i w_i; the bodies are ordered so that A is curved. */
#include "curved.h"

#include "../gjk/loop.h"

#define CURVED_STEPS 14
#define HALVINGS 3
/* Directions whose component across the axis is smaller count as parallel to the axis. */
#define LEAST_ACROSS 0x1p-400
/* The largest |v| / l that a step uses: the length of the first direction says little about the distance. */
#define LENGTH_RATIO 64.0

/* The support feature of a body in one direction, with its derivative. */
typedef struct round_part {
    ap_lanes feature;       /* the feature's own point */
    ap_lanes offset;        /* s */
    ap_lanes tangent;       /* of a rim */
    ap_lanes3 shape_matrix; /* of an ellipsoid: Q, in the query's axes */
    double bend;            /* the factor of K for the direction as it is, not of unit length */
    uint32_t index;
} round_part;

/* The loop's state. */
typedef struct curved_run {
    ap_pair *pair;
    int kind_a, kind_b;
    round_part a, b;                           /* in direction v */
    ap_lanes v, x, w[5];                       /* the last w is the new support point */
    ap_lanes best;                             /* the unit direction with the largest lower bound */
    double square, product;                    /* v.v, v.w */
    double length, inverse, lower, best_lower; /* |x|; 1/|v|; the lower bound v.w/|v|; the largest one so far */
    double noise, closed, agreed, cutoff;      /* noise: the gap that counts as closed without a tolerance */
    bool over_cap;                             /* v is parallel to A's axis because B's vertex is over a cap */
    ap_curved_start *start;
} curved_run;

AP_INLINE bool is_revolved(int kind) { return kind == APART_SHAPE_CYLINDER || kind == APART_SHAPE_CONE; }

/* 1 if the feature's support point depends on the direction, else 0. A cone's base is feature 0, its apex 1. */
AP_INLINE double roundness(int kind, uint32_t index)
{
    return kind == APART_SHAPE_CYLINDER || kind == APART_SHAPE_ELLIPSOID || (kind == APART_SHAPE_CONE && index == 0)
               ? 1.0
               : 0.0;
}

/* ---- support features ---- */

AP_INLINE void rim_support(round_part *p, const apart_shape *shape, int kind, const apart_mat3 *m, double scale,
                           ap_lanes d)
{
    const double r = scale * shape->u.round.radius, h = scale * shape->u.round.half_height;
    const double x = ap_lanes_at(d, 0), y = ap_lanes_at(d, 1), z = ap_lanes_at(d, 2), across = sqrt(x * x + y * y);
    const double inverse = across > LEAST_ACROSS ? 1.0 / across : 0.0;
    const ap_lanes ux = ap_lanes_all(x * inverse), uy = ap_lanes_all(y * inverse);
    const ap_lanes mx = ap_lanes_load(&m->x), my = ap_lanes_load(&m->y), mz = ap_lanes_load(&m->z);
    const bool top = z >= 0.0 && (kind == APART_SHAPE_CYLINDER || 2.0 * h * z >= r * across);
    p->offset = ap_lanes_scale(r, ap_lanes_add(ap_lanes_mul(mx, ux), ap_lanes_mul(my, uy)));
    p->tangent = ap_lanes_sub(ap_lanes_mul(my, ux), ap_lanes_mul(mx, uy));
    p->bend = r * inverse;
    p->feature = ap_lanes_scale(top ? h : -h, mz);
    p->index = top ? 1u : 0u;
}

AP_INLINE void ellipsoid_support(round_part *p, const apart_shape *shape, const apart_mat3 *m, double scale, ap_lanes d)
{
    const ap_lanes axes = ap_lanes_scale(scale, ap_lanes_load(&shape->u.semi_axes)), e = ap_lanes_mul(axes, d);
    const double size = sqrt(ap_lanes_dot(e, e)), inverse = size > LEAST_ACROSS ? 1.0 / size : 0.0;
    p->offset = ap_lanes_turn(m, ap_lanes_mul(axes, ap_lanes_scale(inverse, e)));
    p->bend = inverse;
    p->feature = ap_lanes_all(0.0);
    p->index = 0;
}

/* The support of any other body. */
static AP_NOINLINE ap_lanes support_of_other(ap_pair *pair, const apart_shape *shape, ap_lanes d, uint32_t *vertex)
{
    return ap_support_lanes(shape, APART_SHAPE_NONE, pair->scale, true, &pair->context, d, vertex);
}

/* The support of a body in direction d of its own frame. p->index: in, where a search starts; out, the feature. */
AP_INLINE void feature_support(round_part *p, ap_pair *pair, const apart_shape *shape, int kind, const apart_mat3 *m,
                               ap_lanes d)
{
    if (is_revolved(kind)) {
        rim_support(p, shape, kind, m, pair->scale, d);
    } else if (kind == APART_SHAPE_ELLIPSOID) {
        ellipsoid_support(p, shape, m, pair->scale, d);
    } else if (kind == APART_SHAPE_BOX) {
        p->feature = ap_lanes_turn(m, ap_support_box_lanes(shape, false, pair->scale, d, &p->index));
    } else {
        p->feature = ap_lanes_turn(m, support_of_other(pair, shape, d, &p->index));
    }
}

AP_INLINE void support_both_bodies(curved_run *c)
{
    ap_pair *pair = c->pair;
    feature_support(&c->a, pair, pair->a, c->kind_a, pair->rotation_a, ap_lanes_apply(&pair->rows_a, c->v));
    feature_support(&c->b, pair, pair->b, c->kind_b, pair->rotation_b,
                    ap_lanes_neg(ap_lanes_apply(&pair->rows_b, c->v)));
    c->b.feature = ap_lanes_add(c->b.feature, ap_lanes_load(&pair->offset));
}

/* The points on A and B of a vertex (a pair of features) in the last direction. */
AP_INLINE ap_lanes point_a(const curved_run *c, const ap_simplex_vertex *f)
{
    const ap_lanes a = ap_lanes_load(&f->a);
    return c->kind_a == APART_SHAPE_CONE
               ? ap_lanes_add(a, ap_lanes_scale(roundness(c->kind_a, f->index_a), c->a.offset))
               : ap_lanes_add(a, c->a.offset);
}

AP_INLINE ap_lanes point_b(const curved_run *c, const ap_simplex_vertex *f)
{
    const ap_lanes b = ap_lanes_load(&f->b);
    return ap_is_curved(c->kind_b) ? ap_lanes_add(b, ap_lanes_scale(roundness(c->kind_b, f->index_b), c->b.offset)) : b;
}

AP_INLINE void store_feature(ap_simplex_vertex *f, const curved_run *c)
{
    ap_lanes_store(&f->a, c->a.feature);
    ap_lanes_store(&f->b, c->b.feature);
    f->index_a = c->a.index;
    f->index_b = c->b.index;
}

/* Evaluates direction v: the support features, x, and the lower bound. */
AP_INLINE void evaluate_direction(curved_run *c, ap_simplex *s)
{
    support_both_bodies(c);
    store_feature(&s->vertex[s->count], c);
    c->w[s->count] = ap_lanes_sub(point_b(c, &s->vertex[s->count]), point_a(c, &s->vertex[s->count]));
    c->x = ap_lanes_all(0.0);
    for (int i = 0; i < s->count; i++) {
        c->w[i] = ap_lanes_sub(point_b(c, &s->vertex[i]), point_a(c, &s->vertex[i]));
        c->x = ap_lanes_add(c->x, ap_lanes_scale(s->vertex[i].lambda, c->w[i]));
    }
    c->square = ap_lanes_dot(c->v, c->v);
    c->product = ap_lanes_dot(c->v, c->w[s->count]);
    c->length = sqrt(ap_lanes_dot(c->x, c->x));
    c->inverse = 1.0 / sqrt(c->square);
    c->lower = c->product * c->inverse;
}

/* ---- the next direction ---- */

/* S and its transpose, by columns. */
typedef struct metric {
    ap_lanes3 matrix, transpose;
} metric;

/* I - beta t t^T: the root of the inverse of I + bend t t^T. */
AP_INLINE void metric_of_rim(metric *s, ap_lanes tangent, double bend)
{
    const ap_lanes t = ap_lanes_scale(1.0 - 1.0 / sqrt(1.0 + bend), tangent);
    s->matrix.x = ap_lanes_sub(ap_lanes_unit(0), ap_lanes_scale(ap_lanes_at(tangent, 0), t));
    s->matrix.y = ap_lanes_sub(ap_lanes_unit(1), ap_lanes_scale(ap_lanes_at(tangent, 1), t));
    s->matrix.z = ap_lanes_sub(ap_lanes_unit(2), ap_lanes_scale(ap_lanes_at(tangent, 2), t));
    s->transpose = s->matrix;
}

/* Adds bend (Q - s s^T) or bend t t^T. */
AP_INLINE void add_bend(ap_lanes3 *k, const round_part *p, int kind, double bend)
{
    const ap_lanes f = ap_lanes_all(bend);
    if (is_revolved(kind)) {
        const ap_lanes t = ap_lanes_mul(f, p->tangent);
        *k = (ap_lanes3){ap_lanes_add(k->x, ap_lanes_scale(ap_lanes_at(p->tangent, 0), t)),
                         ap_lanes_add(k->y, ap_lanes_scale(ap_lanes_at(p->tangent, 1), t)),
                         ap_lanes_add(k->z, ap_lanes_scale(ap_lanes_at(p->tangent, 2), t))};
    } else if (kind == APART_SHAPE_ELLIPSOID) {
        const ap_lanes s = p->offset;
        k->x =
            ap_lanes_add(k->x, ap_lanes_mul(f, ap_lanes_sub(p->shape_matrix.x, ap_lanes_scale(ap_lanes_at(s, 0), s))));
        k->y =
            ap_lanes_add(k->y, ap_lanes_mul(f, ap_lanes_sub(p->shape_matrix.y, ap_lanes_scale(ap_lanes_at(s, 1), s))));
        k->z =
            ap_lanes_add(k->z, ap_lanes_mul(f, ap_lanes_sub(p->shape_matrix.z, ap_lanes_scale(ap_lanes_at(s, 2), s))));
    }
}

/* By Cholesky: I + K = L L^T, S = L^-1. The pivots are at least 1, but for rounding. */
static void metric_of_both(metric *s, const curved_run *c, double bend_a, double bend_b)
{
    ap_lanes3 k = {ap_lanes_unit(0), ap_lanes_unit(1), ap_lanes_unit(2)};
    add_bend(&k, &c->a, c->kind_a, bend_a);
    add_bend(&k, &c->b, c->kind_b, bend_b);
    const double l11 = sqrt(ap_max(ap_lanes_at(k.x, 0), 1.0)), i11 = 1.0 / l11, l21 = ap_lanes_at(k.x, 1) * i11,
                 l31 = ap_lanes_at(k.x, 2) * i11;
    const double l22 = sqrt(ap_max(ap_lanes_at(k.y, 1) - l21 * l21, 1.0)), i22 = 1.0 / l22,
                 l32 = (ap_lanes_at(k.y, 2) - l31 * l21) * i22;
    const double l33 = sqrt(ap_max(ap_lanes_at(k.z, 2) - (l31 * l31 + l32 * l32), 1.0)), i33 = 1.0 / l33;
    const double i21 = -(l21 * i11) * i22, i32 = -(l32 * i22) * i33, i31 = -(l31 * i11 + l32 * i21) * i33;
    s->matrix =
        (ap_lanes3){ap_lanes_of(i11, i21, i31, 0.0), ap_lanes_of(0.0, i22, i32, 0.0), ap_lanes_of(0.0, 0.0, i33, 0.0)};
    s->transpose =
        (ap_lanes3){ap_lanes_of(i11, 0.0, 0.0, 0.0), ap_lanes_of(i21, i22, 0.0, 0.0), ap_lanes_of(i31, i32, i33, 0.0)};
}

/* Sets the metric for direction v. v may be of any length, so l is estimated by the supporting plane. */
AP_INLINE void set_metric(metric *m, const curved_run *c, const ap_simplex *s)
{
    const double per_length = LENGTH_RATIO * c->product > c->square ? c->square / c->product : LENGTH_RATIO;
    double share_a = 0.0, share_b = 0.0; /* the weights of the round features */
    for (int i = 0; i < s->count; i++) {
        share_a += s->vertex[i].lambda * roundness(c->kind_a, s->vertex[i].index_a);
        share_b += s->vertex[i].lambda * roundness(c->kind_b, s->vertex[i].index_b);
    }
    if (is_revolved(c->kind_a) && !ap_is_curved(c->kind_b)) {
        metric_of_rim(m, c->a.tangent, per_length * share_a * c->a.bend);
    } else {
        metric_of_both(m, c, per_length * share_a * c->a.bend,
                       ap_is_curved(c->kind_b) ? per_length * share_b * c->b.bend : 0.0);
    }
}

/* The shortest vector from the disc of a single rim to a single vertex. */
AP_INLINE ap_lanes vector_from_disc(curved_run *c, const ap_simplex_vertex *f)
{
    const ap_pair *pair = c->pair;
    const ap_lanes local = ap_lanes_apply(&pair->rows_a, ap_lanes_sub(ap_lanes_load(&f->b), ap_lanes_load(&f->a)));
    const double r = pair->scale * pair->a->u.round.radius,
                 across = sqrt(ap_lanes_at(local, 0) * ap_lanes_at(local, 0) +
                               ap_lanes_at(local, 1) * ap_lanes_at(local, 1));
    const double beyond = across > r ? (across - r) / across : 0.0;
    c->over_cap = !(across > r);
    return ap_lanes_turn(pair->rotation_a, ap_lanes_mul(local, ap_lanes_of(beyond, beyond, 1.0, 1.0)));
}

/* Finds the next v. Returns false if the origin is inside the Minkowski difference or within rounding of it. */
AP_INLINE bool find_next_direction(curved_run *c, ap_simplex *s)
{
    if (s->count == 1 && is_revolved(c->kind_a) && !ap_is_curved(c->kind_b) &&
        roundness(c->kind_a, s->vertex[0].index_a) > 0.0) {
        s->vertex[0].lambda = 1.0;
        c->v = vector_from_disc(c, &s->vertex[0]);
    } else {
        metric m;
        ap_lanes y;
        c->over_cap = false;
        set_metric(&m, c, s);
        for (int i = 0; i < s->count; i++) {
            ap_lanes_store(&s->vertex[i].w, ap_lanes_apply(&m.matrix, c->w[i]));
        }
        if (ap_solve_lanes_by_call(s, 3, ap_simplex_newest(s), &y)) {
            return false;
        }
        c->v = ap_lanes_apply(&m.transpose, y);
    }
    return ap_lanes_dot(c->v, c->v) > c->noise * c->noise;
}

/* ---- the end ---- */

/* Replaces the features of the simplex by their points on the bodies, and leaves them to the next query of the pair. */
AP_INLINE void finish_simplex(ap_simplex *s, const curved_run *c)
{
    c->start->count = s->count;
    for (int i = 0; i < s->count && i < 3; i++) {
        c->start->index_a[i] = s->vertex[i].index_a;
        c->start->index_b[i] = s->vertex[i].index_b;
    }
    for (int i = 0; i < s->count; i++) {
        ap_simplex_vertex *f = &s->vertex[i];
        const ap_lanes a = point_a(c, f), b = point_b(c, f);
        ap_lanes_store(&f->a, a);
        ap_lanes_store(&f->b, b);
        ap_lanes_store(&f->w, ap_lanes_sub(b, a));
        f->index_a = APART_NO_INDEX;
        f->index_b = ap_is_curved(c->kind_b) ? APART_NO_INDEX : f->index_b;
    }
}

/* Writes the outcome. Returns false if the bounds are not accepted: then the run goes on, so that the features of the
 * simplex must still be there. */
AP_INLINE bool finish_curved(ap_gjk *g, const curved_run *c, ap_lanes v, double lower)
{
    ap_lanes_store(&g->v, v);
    ap_lanes_store(&g->direction, v);
    g->length = c->length;
    g->lower = lower;
    g->outcome = AP_SEPARATED;
    g->stop = APART_STOP_CONVERGED;
    return ap_gjk_is_believed(g, c->pair, AP_ANY_PAIR);
}

/* The lower bound in direction x. */
AP_INLINE double lower_along_x(const curved_run *c)
{
    curved_run along_x = *c;
    ap_simplex_vertex f;
    along_x.v = c->x;
    support_both_bodies(&along_x);
    store_feature(&f, &along_x);
    return ap_lanes_dot(c->x, ap_lanes_sub(point_b(&along_x, &f), point_a(&along_x, &f))) / c->length;
}

/* Finishes if the distance is proved to exceed the cut-off, with points that agree with the normal. */
AP_INLINE bool finish_beyond_cutoff(ap_gjk *g, const curved_run *c)
{
    if (!(c->cutoff < INFINITY) || !ap_gjk_proves(c->pair, c->cutoff, c->square, c->product)) {
        return false;
    }
    const double lower = lower_along_x(c);
    if (!(lower - c->pair->lower_error >= c->cutoff)) {
        return false;
    }
    finish_simplex(&g->simplex, c);
    finish_curved(g, c, c->x, lower);
    g->outcome = AP_DECIDED;
    g->stop = APART_STOP_CUTOFF;
    return true;
}

/* Finishes if the bounds meet. Where v and x do not agree to rounding yet, x itself is tried as the direction, because
 * the gap is second order in their angle. Coincident points define no direction. */
AP_INLINE bool finish_if_converged(ap_gjk *g, curved_run *c)
{
    if (!(c->length - c->lower <= c->closed && c->length > 0.0)) {
        return false;
    }
    const ap_lanes along = ap_lanes_scale(c->length * c->inverse, c->v), apart = ap_lanes_sub(c->x, along);
    const bool agrees = ap_lanes_dot(apart, apart) <= c->agreed * c->agreed;
    const double lower = agrees ? c->lower : lower_along_x(c);
    if (!(c->length - lower <= c->closed) || !finish_curved(g, c, agrees ? along : c->x, lower)) {
        return false;
    }
    finish_simplex(&g->simplex, c);
    return true;
}

/* Finishes if A's nearest point is inside a flat cap: it is the projection of B's point onto the cap. */
static bool finish_on_cap(ap_gjk *g, curved_run *c)
{
    ap_simplex *s = &g->simplex;
    const ap_pair *pair = c->pair;
    const apart_mat3 *m = pair->rotation_a;
    const double r = pair->scale * pair->a->u.round.radius;
    const ap_lanes b = point_b(c, &s->vertex[s->count]),
                   local = ap_lanes_apply(&pair->rows_a, ap_lanes_sub(b, c->a.feature));
    if (roundness(c->kind_a, c->a.index) == 0.0 ||
        !(ap_lanes_at(local, 0) * ap_lanes_at(local, 0) + ap_lanes_at(local, 1) * ap_lanes_at(local, 1) <= r * r)) {
        return false; /* under a cone's apex there is no cap */
    }
    const ap_lanes a =
        ap_lanes_add(c->a.feature, ap_lanes_add(ap_lanes_scale(ap_lanes_at(local, 0), ap_lanes_load(&m->x)),
                                                ap_lanes_scale(ap_lanes_at(local, 1), ap_lanes_load(&m->y))));
    c->x = ap_lanes_sub(b, a);
    c->length = sqrt(ap_lanes_dot(c->x, c->x));
    const ap_lanes v = ap_lanes_scale(c->length * c->inverse, c->v), apart = ap_lanes_sub(c->x, v);
    if (!(c->length - c->lower <= c->closed && c->length > 0.0 &&
          ap_lanes_dot(apart, apart) <= c->agreed * c->agreed) ||
        !finish_curved(g, c, v, c->lower)) {
        return false;
    }
    ap_simplex_vertex *f = &s->vertex[0];
    c->start->count = 1;
    c->start->index_a[0] = c->a.index;
    c->start->index_b[0] = s->vertex[s->count].index_b;
    f->index_b = ap_is_curved(c->kind_b) ? APART_NO_INDEX : s->vertex[s->count].index_b;
    f->index_a = APART_NO_INDEX;
    f->lambda = 1.0;
    ap_lanes_store(&f->a, a);
    ap_lanes_store(&f->b, b);
    ap_lanes_store(&f->w, c->x);
    s->count = 1;
    return true;
}

AP_INLINE bool contains_features(const ap_simplex *s, const curved_run *c)
{
    for (int i = 0; i < s->count; i++) {
        if (s->vertex[i].index_a == c->a.index && s->vertex[i].index_b == c->b.index) {
            return true;
        }
    }
    return false;
}

/* Was the step too long? The lower bound is worse without a new feature that explains it, or much worse. */
AP_INLINE bool overshot(const curved_run *c, const ap_simplex *s)
{
    return c->lower < c->best_lower - c->noise && (c->lower < 0.5 * c->best_lower || contains_features(s, c));
}

AP_INLINE void keep_best_direction(curved_run *c)
{
    if (c->lower > c->best_lower) {
        c->best_lower = c->lower;
        c->best = ap_lanes_scale(c->inverse, c->v);
    }
}

/* Adds the new support features to the simplex. They replace it if the last vertex was over a cap but another vertex is
 * lower. */
AP_INLINE void add_features(ap_simplex *s, const curved_run *c)
{
    if (c->over_cap) {
        store_feature(&s->vertex[0], c);
        s->count = 1;
    } else if (!contains_features(s, c)) {
        s->vertex[s->count++].lambda = 0.0;
    }
}

/* Q of an ellipsoid in the query's axes. */
static ap_lanes3 shape_matrix_of(const apart_shape *shape, const apart_mat3 *m, double scale)
{
    const apart_vec3 e = ap_scale(scale, shape->u.semi_axes);
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes ex = ap_lanes_scale(e.x * e.x, x), ey = ap_lanes_scale(e.y * e.y, y),
                   ez = ap_lanes_scale(e.z * e.z, z);
    return (ap_lanes3){ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(x, 0), ex), ap_lanes_scale(ap_lanes_at(y, 0), ey),
                                     ap_lanes_scale(ap_lanes_at(z, 0), ez)),
                       ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(x, 1), ex), ap_lanes_scale(ap_lanes_at(y, 1), ey),
                                     ap_lanes_scale(ap_lanes_at(z, 1), ez)),
                       ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(x, 2), ex), ap_lanes_scale(ap_lanes_at(y, 2), ey),
                                     ap_lanes_scale(ap_lanes_at(z, 2), ez))};
}

AP_INLINE void begin_curved(curved_run *c, ap_pair *pair, const ap_gjk_options *o, ap_lanes v)
{
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    c->pair = pair;
    c->kind_a = pair->a->kind;
    c->kind_b = pair->b->kind;
    c->a.index = APART_NO_INDEX;
    c->b.index = APART_NO_INDEX;
    c->noise = AP_CURVED_GAP * unit;
    c->closed = ap_max(c->noise, o->tolerance);
    c->cutoff = o->cutoff;
    c->agreed = AP_WITNESS_AGREEMENT * unit;
    c->v = v;
    if (c->kind_a == APART_SHAPE_ELLIPSOID) {
        c->a.shape_matrix = shape_matrix_of(pair->a, pair->rotation_a, pair->scale);
    }
    if (c->kind_b == APART_SHAPE_ELLIPSOID) {
        c->b.shape_matrix = shape_matrix_of(pair->b, pair->rotation_b, pair->scale);
    }
}

/* ---- the start ---- */

/* A feature's own point, from the centre of its body. */
AP_INLINE ap_lanes feature_point(const ap_pair *pair, const apart_shape *shape, int kind, const apart_mat3 *m,
                                 uint32_t index)
{
    if (is_revolved(kind)) {
        const double h = pair->scale * shape->u.round.half_height;
        return ap_lanes_scale(index == 1 ? h : -h, ap_lanes_load(&m->z));
    }
    if (kind == APART_SHAPE_ELLIPSOID) {
        return ap_lanes_all(0.0);
    }
    return ap_lanes_turn(m, ap_vertex_lanes(shape, APART_SHAPE_NONE, pair->scale, index));
}

/* How many features a body has. */
static uint32_t feature_count(int kind, uint32_t vertices)
{
    return is_revolved(kind) ? 2u : kind == APART_SHAPE_ELLIPSOID ? 1u : vertices;
}

void ap_curved_read(ap_curved_start *start, const ap_pair *pair, const apart_cache *cache)
{
    const uint32_t count_a = feature_count(pair->a->kind, pair->count_a),
                   count_b = feature_count(pair->b->kind, pair->count_b);
    start->count = cache->count <= 3 ? cache->count : 0;
    for (int i = 0; i < start->count; i++) {
        start->index_a[i] = cache->index_a[i];
        start->index_b[i] = cache->index_b[i];
        if (cache->index_a[i] >= count_a || cache->index_b[i] >= count_b) {
            start->count = 0;
        }
    }
}

void ap_curved_keep(const ap_curved_start *start, apart_cache *cache)
{
    cache->count = (uint16_t)start->count;
    for (int i = 0; i < start->count; i++) {
        cache->index_a[i] = start->index_a[i];
        cache->index_b[i] = start->index_b[i];
    }
}

/* The simplex of the features that were nearest last time, with the support features of the first direction. */
AP_INLINE void begin_simplex(curved_run *c, ap_simplex *s)
{
    const ap_pair *pair = c->pair;
    const ap_curved_start *start = c->start;
    for (int i = 0; i < start->count; i++) {
        ap_simplex_vertex *f = &s->vertex[i];
        f->index_a = start->index_a[i];
        f->index_b = start->index_b[i];
        f->lambda = start->count == 1 ? 1.0 : start->count == 2 ? 0.5 : 1.0 / 3.0;
        ap_lanes_store(&f->a, feature_point(pair, pair->a, c->kind_a, pair->rotation_a, f->index_a));
        ap_lanes_store(&f->b, ap_lanes_add(feature_point(pair, pair->b, c->kind_b, pair->rotation_b, f->index_b),
                                           ap_lanes_load(&pair->offset)));
    }
    s->count = start->count;
    evaluate_direction(c, s);
    if (!contains_features(s, c)) {
        s->vertex[s->count++].lambda = start->count == 0 ? 1.0 : 0.0;
    }
}

bool ap_curved_run(ap_gjk *g, ap_pair *pair, const ap_gjk_options *o, ap_curved_start *start)
{
    curved_run c;
    ap_simplex *const s = &g->simplex;
    begin_curved(&c, pair, o, ap_lanes_from(start->direction));
    c.start = start;
    ap_gjk_reset(g, false);
    begin_simplex(&c, s);
    c.best_lower = c.lower;
    c.best = ap_lanes_scale(c.inverse, c.v);
    while (g->iterations < CURVED_STEPS && find_next_direction(&c, s)) {
        for (int halvings = 0;; halvings++) {
            evaluate_direction(&c, s);
            g->iterations++;
            if (finish_if_converged(g, &c) || (c.over_cap && finish_on_cap(g, &c)) || finish_beyond_cutoff(g, &c)) {
                return true;
            }
            if (halvings == HALVINGS || c.over_cap || !overshot(&c, s)) {
                break;
            }
            c.v = ap_lanes_add(c.best, ap_lanes_scale(c.inverse, c.v));
        }
        keep_best_direction(&c);
        add_features(s, &c);
    }
    start->direction = ap_lanes_vec(c.best);
    return false;
}
