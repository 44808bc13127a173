/* Distances in closed form, where both cores are so simple: two points or segments (spheres and capsules), a point and a box.
 *
 * Source: Ericson, Real-Time Collision Detection (2005), 5.1.3 and 5.1.9, for the nearest points. We differ in not believing them: the
 * points give the upper bound, the plane across their difference the lower one, evaluated over the bodies as they are, matrices as
 * given. Where the two do not meet to rounding (bodies that touch or overlap, segments so close to parallel that the formula loses
 * its digits) the general query answers. Everything is branchless and in lanes: such a query costs no more than what is computed.
 *
 * Legend: everything is relative to A's origin and not scaled; D B's origin; v from A's point to B's. */
#include <stddef.h>

#include "pair.h"

/* Sizes between these are squared, and their squares multiplied, without a thought. */
#define LEAST_SIZE 0x1p-200
#define LARGEST_SIZE 0x1p+200
/* Stands for a denominator that is zero: the numerator is then, too, or rounding noise. */
#define LEAST_DENOMINATOR 0x1p-960

/* In units of u * M: the gap between the bounds that counts as closed: the errors of one evaluation of either. */
#define GAP_LIMIT 32.0

typedef uint32_t v4_words __attribute__((vector_size(16)));

/* What is asked, made ready. */
typedef struct simple_pair {
    ap_lanes between; /* D */
    double magnitude; /* M */
    double radius, widening;
} simple_pair;

/* The nearest points, the vertices and weights that make them, and v with its length. */
typedef struct simple_answer {
    ap_lanes a, b, v;
    double length, inverse, reach; /* |v|, 1/|v|, the least v.w/|v| over all of the TCSO */
    ap_lanes lambda;
    v4_words index_a, index_b;
    int count;
} simple_answer;

/* The |RRt - I| of a rotation in lanes, and how far the third column is from the cross product of the others (permuted). The defects of
 * R and of its transpose have the same spectral norm, so each entry is at most three times the other's largest. */
AP_INLINE ap_mask check_matrix(const apart_mat3 *m, ap_lanes *defect)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z); /* the pose goes on behind z */
    const ap_lanes xn = AP_SHUFFLE(x, 1, 2, 0, 3), yn = AP_SHUFFLE(y, 1, 2, 0, 3), zn = AP_SHUFFLE(z, 1, 2, 0, 3);
    const ap_lanes squares = (x * x + y * y) + z * z, mixed = (x * xn + y * yn) + z * zn;
    const ap_lanes twist = (x * yn - xn * y) - AP_SHUFFLE(z, 2, 0, 1, 3);
    *defect = ap_lanes_max(ap_lanes_abs(squares - ap_lanes_all(1.0)), ap_lanes_abs(mixed));
    return (*defect <= ap_lanes_all(AP_ROTATION_LIMIT / 3.0)) & (ap_lanes_abs(twist) < ap_lanes_all(0.5));
}

/* The four doubles up to the end of a pose: what is behind it must not be read. */
AP_INLINE ap_lanes end_of_pose(const apart_pose *pose)
{
    return ap_lanes_load((const char *)pose + offsetof(apart_pose, translation) - sizeof(double));
}

AP_INLINE ap_lanes translation_of(const apart_pose *pose)
{
    const ap_lanes end = end_of_pose(pose);
    return AP_SHUFFLE(end, 1, 2, 3, 3);
}

/* False: something is out of the ordinary, or wrong; the general query will say what. `more` must be zero as well. */
AP_INLINE bool take_simple(simple_pair *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                           ap_mask more)
{
    ap_lanes defect_a, defect_b;
    const ap_mask rotate = check_matrix(&pose_a->rotation, &defect_a) & check_matrix(&pose_b->rotation, &defect_b);
    const ap_lanes off_centre = (ap_lanes)((ap_mask)ap_lanes_load(&a->center) | (ap_mask)ap_lanes_load(&b->center) | more);
    const ap_lanes end = end_of_pose(pose_b) - end_of_pose(pose_a);
    const ap_lanes reach = ap_lanes_abs(end);
    p->between = AP_SHUFFLE(end, 1, 2, 3, 3);
    p->magnitude = (a->bound + b->bound) + ((reach[1] + reach[2]) + reach[3]);
    p->radius = a->radius + b->radius;
    p->widening = widen(a, defect_a, b, defect_b);
    const unsigned fine = ap_mask_bits(rotate & (off_centre == ap_lanes_all(0.0))) & 7u;
    return fine == 7u && p->magnitude > LEAST_SIZE && p->magnitude < LARGEST_SIZE && p->radius < LARGEST_SIZE &&
           (a->status | b->status) == APART_OK && (a->dim & b->dim) == 3;
}

/* Do the bounds meet? v must be long enough to have a direction. */
AP_INLINE bool is_proved(const simple_pair *p, const simple_answer *s)
{
    const double limit = GAP_LIMIT * (AP_UNIT_ROUNDOFF * p->magnitude);
    return s->length - s->reach <= limit && s->length > limit;
}

/* Writes the answer; what a vector store writes too much is written over by what follows. */
AP_INLINE void write_simple(const simple_pair *p, const simple_answer *s, ap_lanes origin, double radius_a, double radius_b, apart_result *r)
{
    const double unit = AP_UNIT_ROUNDOFF * p->magnitude;
    const double slack = 4.0 * AP_UNIT_ROUNDOFF * (p->radius + s->length) + p->widening;
    const ap_lanes normal = ap_lanes_all(s->inverse) * s->v;
    const double lower = ((s->reach - AP_LOWER_ERROR * unit) - p->radius) - slack;
    const double upper = ((s->length + AP_UPPER_ERROR * unit) - p->radius) + slack;
    r->distance = ap_min(ap_max(s->length - p->radius, lower), upper);
    r->lower = lower;
    r->upper = upper;
    ap_lanes_store(&r->a, (origin + s->a) + ap_lanes_all(radius_a) * normal);
    ap_lanes_store(&r->b, (origin + s->b) - ap_lanes_all(radius_b) * normal);
    ap_lanes_store(&r->normal, normal);
    memcpy(r->index_a, &s->index_a, sizeof r->index_a);
    memcpy(r->index_b, &s->index_b, sizeof r->index_b);
    ap_lanes_store(r->lambda, s->lambda);
    r->iterations = 1;
    r->count = (uint8_t)s->count;
    r->relation = (uint8_t)(lower > 0.0 ? APART_DISJOINT : upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING);
    r->stop = APART_STOP_CONVERGED;
    r->solver = APART_SOLVER_DEFAULT;
    r->fallback = 0;
    r->dim = 3;
}

/* ---- two points or segments ---- */

/* a.b, c.d, e.f, g.h */
AP_INLINE ap_lanes four_dots(ap_lanes ab, ap_lanes cd, ap_lanes ef, ap_lanes gh)
{
    const ap_lanes3 t = ap_lanes_transpose(ab, cd, ef, gh);
    return (t.x + t.y) + t.z;
}

AP_INLINE double clamp_share(double numerator, double denominator)
{
    return ap_min(ap_max(numerator, 0.0) / ap_max(denominator, LEAST_DENOMINATOR), 1.0);
}

/* Shares s of the way along p, t along q of the nearest points. */
AP_INLINE void nearest_shares(ap_lanes along_p, ap_lanes along_q, ap_lanes from_q, double *s, double *t)
{
    const ap_lanes dots = four_dots(along_p * along_p, along_q * along_q, along_p * along_q, along_p * from_q);
    const double pp = dots[0], qq = dots[1], pq = dots[2], pr = dots[3], qr = ap_lanes_dot(along_q, from_q);
    const double first = clamp_share(pq * qr - pr * qq, pp * qq - pq * pq);
    *t = clamp_share(pq * first + qr, qq);
    *s = clamp_share(pq * *t - pr, pp);
}

/* Three vertex pairs make both points: (0, 0), then the end of A or of B that is farther on its way, then (1, 1). Only those with a weight
 * are kept (bit i of `kept`). A point has the share 0 and so the vertex 0 alone. */
AP_INLINE void weigh_shares(simple_answer *answer, double s, double t)
{
#define NO APART_NO_INDEX
    static const v4_words first[8] = {{NO, NO, NO, NO}, {0, NO, NO, NO}, {0, NO, NO, NO}, {0, 0, NO, NO},
                                      {1, NO, NO, NO}, {0, 1, NO, NO}, {0, 1, NO, NO}, {0, 0, 1, NO}};
    static const v4_words second[8] = {{NO, NO, NO, NO}, {0, NO, NO, NO}, {1, NO, NO, NO}, {0, 1, NO, NO},
                                       {1, NO, NO, NO}, {0, 1, NO, NO}, {1, 1, NO, NO}, {0, 1, 1, NO}};
#undef NO
    static const uint8_t order[8][4] = {{3, 3, 3, 0}, {0, 3, 3, 1}, {1, 3, 3, 1}, {0, 1, 3, 2}, {2, 3, 3, 1}, {0, 2, 3, 2}, {1, 2, 3, 2}, {0, 1, 2, 3}};
    const double most = ap_max(s, t), least = ap_min(s, t);
    const ap_lanes weights = ap_lanes_of(1.0 - most, most - least, least, 0.0);
    const unsigned kept = ap_mask_bits(weights > ap_lanes_all(0.0)) & 7u;
    double weight[4];
    ap_lanes_store(weight, weights);
    answer->lambda = ap_lanes_of(weight[order[kept][0]], weight[order[kept][1]], weight[order[kept][2]], 0.0);
    answer->index_a = s < t ? first[kept] : second[kept];
    answer->index_b = s < t ? second[kept] : first[kept];
    answer->count = order[kept][3];
}

/* The ends of a core in query axes. */
AP_INLINE ap_lanes end_of(const apart_shape *shape, const apart_pose *pose, int i)
{
    return ap_lanes_turn(&pose->rotation, ap_lanes_load(&shape->u.point[i]));
}

/* The second end of a point is the first (shape.h). */
AP_INLINE bool answer_segments(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                                 apart_result *result)
{
    simple_pair p;
    const ap_mask nothing = {0, 0, 0, 0};
    if (!take_simple(&p, a, pose_a, b, pose_b, nothing)) {
        return false;
    }
    simple_answer answer;
    double s, t;
    const ap_lanes a0 = end_of(a, pose_a, 0), a1 = end_of(a, pose_a, 1);
    const ap_lanes b0 = end_of(b, pose_b, 0) + p.between, b1 = end_of(b, pose_b, 1) + p.between;
    const ap_lanes along_a = a1 - a0, along_b = b1 - b0;
    nearest_shares(along_a, along_b, a0 - b0, &s, &t);
    answer.a = a0 + ap_lanes_all(s) * along_a;
    answer.b = b0 + ap_lanes_all(t) * along_b;
    answer.v = answer.b - answer.a;
    const ap_lanes v = answer.v, ends = four_dots(v * b0, v * b1, v * a0, v * a1);
    answer.length = sqrt(ap_lanes_dot(v, v));
    answer.inverse = 1.0 / answer.length;
    answer.reach = (ap_min(ends[0], ends[1]) - ap_max(ends[2], ends[3])) * answer.inverse;
    if (!is_proved(&p, &answer)) {
        return false;
    }
    weigh_shares(&answer, s, t);
    write_simple(&p, &answer, translation_of(pose_a), a->radius, b->radius, result);
    return true;
}

/* ---- a point and a box ---- */

/* The corners and weights that make the point q of the box: along an axis where q is on a face, that face's corners alone. In a face, the
 * triangle of three corners that q lies in. False: a weight is rounded to nothing. */
AP_INLINE bool weigh_corners(simple_answer *answer, ap_lanes h, ap_lanes q)
{
    /* By the set of free axes: which they are (3: none), how many corners that takes, and the set of their weights. */
    static const uint8_t axes[8][4] = {{3, 3, 1, 1}, {0, 3, 2, 3}, {1, 3, 2, 3}, {0, 1, 3, 7}, {2, 3, 2, 3}, {0, 2, 3, 7}, {1, 2, 3, 7}, {3, 3, 1, 0}};
    static const v4_words unused[4] = {{~0u, ~0u, ~0u, ~0u}, {0, ~0u, ~0u, ~0u}, {0, 0, ~0u, ~0u}, {0, 0, 0, ~0u}};
    const ap_mask high = q >= h, low = q <= -h;
    const uint32_t corner = ap_mask_bits(high) & 7u, free_axes = ~ap_mask_bits(high | low) & 7u;
    const uint32_t first = free_axes & (0u - free_axes), second = free_axes ^ first;
    double share[4];
    ap_lanes_store(share, (q + h) / (h + h));
    share[3] = 0.0;
    const double s = share[axes[free_axes][0]], t = share[axes[free_axes][1]], both = s + t;
    const ap_mask beyond = ap_lanes_all(both) > ap_lanes_all(1.0); /* of the diagonal */
    const ap_lanes near_corner = ap_lanes_of((1.0 - s) - t, s, t, 0.0), far_corner = ap_lanes_of(both - 1.0, 1.0 - t, 1.0 - s, 0.0);
    const v4_words corners = {corner | (free_axes & (uint32_t)beyond[0]), corner | first, corner | second, 0};
    answer->lambda = ap_lanes_select(near_corner, far_corner, beyond);
    answer->count = axes[free_axes][2];
    answer->index_a = unused[answer->count];
    answer->index_b = unused[answer->count] | corners;
    return (ap_mask_bits(answer->lambda > ap_lanes_all(0.0)) & 7u) == axes[free_axes][3];
}

/* Seen from the point, whichever body it is. */
AP_INLINE bool answer_point_and_box(const apart_shape *point, const apart_pose *pose, const apart_shape *box, const apart_pose *pose_box,
                                         bool point_first, apart_result *result)
{
    simple_pair p;
    if (!take_simple(&p, point, pose, box, pose_box, (ap_mask)ap_lanes_load(&point->u.point[0]))) {
        return false;
    }
    const apart_mat3 *m = &pose_box->rotation;
    const ap_lanes3 rows = ap_lanes_transpose(ap_lanes_load(&m->x), ap_lanes_load(&m->y), ap_lanes_load(&m->z), ap_lanes_load(&m->z));
    const ap_lanes h = ap_lanes_load(&box->u.half_extents);
    const ap_lanes q = ap_lanes_min(ap_lanes_max(-ap_lanes_apply(&rows, p.between), -h), h);
    const ap_lanes v = ap_lanes_turn(m, q) + p.between;
    const ap_lanes terms = v * p.between - h * ap_lanes_abs(ap_lanes_apply(&rows, v));
    simple_answer answer = {.a = v - v, .b = v, .v = v};
    answer.length = sqrt(ap_lanes_dot(v, v));
    answer.inverse = 1.0 / answer.length;
    answer.reach = ((terms[0] + terms[1]) + terms[2]) * answer.inverse;
    if (!is_proved(&p, &answer) || !weigh_corners(&answer, h, q)) {
        return false;
    }
    const ap_lanes origin = translation_of(pose);
    if (point_first) {
        write_simple(&p, &answer, origin, point->radius, box->radius, result);
    } else {
        answer = (simple_answer){.a = v, .b = v - v, .v = -v, .length = answer.length, .inverse = answer.inverse, .reach = answer.reach,
                                 .lambda = answer.lambda, .index_a = answer.index_b, .index_b = answer.index_a, .count = answer.count};
        write_simple(&p, &answer, origin, box->radius, point->radius, result);
    }
    return true;
}
