/* Small compounds, without their trees: the proof that no pair of parts is nearer than the threshold, and the first
 * pair to query.
 *
 * The proof: with very few parts, the spheres of all pairs at once. Else it first finds which parts of A are left: of
 * solids near each other those that come near the sphere around B; of solids farther apart than they are large those
 * whose spheres extend far along the best pair's normal. These are tested against the spheres of B's parts, four at a
 * time, and the pairs that remain along the line through their centres. The rounding is in docs/numerics.md.
 *
 * The trees would do, too. Measured in W9 of bench/, they take 9 to 28 % more instructions for a query of 2 or 10
 * parts (but 5 % less for a cold one of 2 sparse parts). In time, the test of all pairs at once saves 8 % of a
 * tracked query of 2 sparse parts, and the one along the normal 9 % of a tracked query of 2 or 10 dense parts. */
#include "bound.h"
#include "search.h"

/* The parts of a side, in its own frame. */
typedef struct small_side {
    const ap_part_spheres *spheres;
    uint32_t count;
    unsigned all; /* bit i: there is a part i */
} small_side;

AP_INLINE small_side small_side_of(const ap_part_side *side, ap_part_spheres *own)
{
    if (side->compound != NULL) {
        return (small_side){side->compound->small, side->compound->count, (1u << side->compound->count) - 1u};
    }
    ap_set_shape_spheres(own, side->shape);
    return (small_side){own, 1, 1u};
}

/* What the proofs have in common. */
typedef struct small_proof {
    const ap_part_frame *frame;
    const ap_part_best *best;
    const ap_queried_pairs *queried;
    small_side a, b;
    ap_lanes3 to_a, to_b; /* the transposed rotations */
    ap_lanes origin;      /* of B */
    double wanted;
} small_proof;

/* ---- all spheres at once ---- */

/* The spheres of B's parts in A's frame; in lanes behind the last one infinitely far away. */
typedef struct sphere_columns {
    ap_lanes3 center[AP_SMALL_PARTS / 4];
    ap_lanes radius[AP_SMALL_PARTS / 4]; /* with a margin */
    uint32_t count;
} sphere_columns;

AP_INLINE void set_columns(sphere_columns *c, const ap_part_frame *f, const small_side *b, double margin)
{
    const ap_mask numbers = AP_FOUR(0, 1, 2, 3);
    ap_tile_frame frame;
    ap_tile_frame_set(&frame, f->side);
    c->count = (b->count + 3) / 4;
    for (uint32_t k = 0; k < c->count; k++) {
        c->center[k] = ap_tile_points(&frame, ap_sphere_centers(&b->spheres[k]));
        c->radius[k] = ap_lanes_add(ap_lanes_load(b->spheres[k].radius), ap_lanes_all(margin));
    }
    const ap_mask is_part = ap_mask_less(numbers, ap_mask_all((int64_t)(b->count - 4 * (c->count - 1))));
    ap_lanes *last = &c->center[c->count - 1].x;
    *last = ap_lanes_select(ap_lanes_all(INFINITY), *last, is_part);
}

AP_INLINE ap_lanes radius_of(const small_side *s, uint32_t i) { return ap_lanes_all(s->spheres[i / 4].radius[i % 4]); }

/* Fours of pairs that are measured all at once, at most: with more it is better to see first which rows are near. */
enum { MOST_AT_ONCE = 8 };

/* Are the spheres of all pairs but one farther apart than the threshold? That one then is the pair whose upper bound
 * the threshold is: no spheres are farther apart than what they hold. There are no branches, which for rows one by one
 * would often be mispredicted. False, too, where there are too many pairs, and for a threshold that is the cut-off,
 * which may not be the bound of any pair. */
static bool only_one_pair_is_near(const small_proof *p)
{
    const uint32_t fours = (p->b.count + 3) / 4 * p->a.count;
    sphere_columns columns;
    ap_mask far = ap_mask_all(0); /* minus the number of pairs, lane by lane */
    if (fours > MOST_AT_ONCE || p->best->cutoff < p->best->upper) {
        return false;
    }
    set_columns(&columns, p->frame, &p->b, p->wanted);
    for (uint32_t i = 0; i < p->a.count; i++) {
        const ap_lanes3 center = ap_sphere_center(&p->a.spheres[i / 4], i % 4);
        const ap_lanes radius = radius_of(&p->a, i);
        for (uint32_t k = 0; k < columns.count; k++) {
            const ap_lanes3 d = ap_lanes3_sub(center, columns.center[k]);
            const ap_lanes least = ap_compared(ap_lanes_add(radius, columns.radius[k]));
            far = ap_mask_add(far, ap_lanes_greater(ap_lanes3_dot(d, d), ap_lanes_mul(least, least)));
        }
    }
    return -((ap_mask_at(far, 0) + ap_mask_at(far, 1)) + (ap_mask_at(far, 2) + ap_mask_at(far, 3))) ==
           (int64_t)(4 * fours) - 1;
}

/* ---- by spheres ---- */

/* The parts whose spheres may have a point within `distance` of a point of their frame. Numbers that overflow prove
 * nothing. */
AP_INLINE unsigned parts_near(const small_side *s, ap_lanes point, double distance)
{
    const ap_lanes3 at = ap_lanes3_spread(point);
    const ap_part_spheres *four = s->spheres;
    unsigned far = 0;
    uint32_t i = 0;
    do {
        const ap_lanes3 d = ap_lanes3_sub(ap_sphere_centers(four), at);
        const ap_lanes least = ap_compared(ap_lanes_add(ap_lanes_load(four->radius), ap_lanes_all(distance)));
        far |= ap_lanes_above(ap_lanes3_dot(d, d), ap_lanes_mul(least, least)) << i;
        four++;
        i += 4;
    } while (i < s->count);
    return ~far & s->all;
}

/* The parts of A that may be near some part of B. */
AP_INLINE unsigned parts_near_solid(const small_proof *p)
{
    const ap_part_side *b = &p->frame->side[1];
    const apart_vec3 center = b->compound != NULL ? b->compound->center : b->shape->center;
    const double radius = b->compound != NULL ? b->compound->radius : p->b.spheres->radius[0];
    const ap_lanes in_frame = ap_lanes_add(ap_lanes_turn(&b->pose->rotation, ap_lanes_from(center)), p->origin);
    return parts_near(&p->a, ap_lanes_apply(&p->to_a, in_frame), radius + p->wanted);
}

/* The parts of B that may be near the i-th of A. */
AP_INLINE unsigned parts_near_part(const small_proof *p, unsigned i)
{
    const ap_part_spheres *four = &p->a.spheres[i / 4];
    const unsigned lane = i % 4;
    const apart_vec3 center = ap_vec(four->center[0][lane], four->center[1][lane], four->center[2][lane]);
    const ap_lanes from_b =
        ap_lanes_sub(ap_lanes_turn(&p->frame->side[0].pose->rotation, ap_lanes_from(center)), p->origin);
    return parts_near(&p->b, ap_lanes_apply(&p->to_b, from_b), four->radius[lane] + p->wanted);
}

/* Is no pair of the i-th part of A with `others` of B nearer than the threshold? Else part[] is one that may be. */
AP_INLINE bool prove_of_row(const small_proof *p, unsigned i, unsigned others, uint32_t part[2])
{
    const apart_compound_result *best = p->best->pair;
    others &= ~((i == best->part_a ? 1u : 0u) << best->part_b);
    others = others != 0 ? others & parts_near_part(p, i) : 0;
    for (; others != 0; others &= others - 1) {
        part[0] = i;
        part[1] = ap_lowest_bit(others);
        if (!ap_pair_is_settled(p->frame, p->queried, part, p->wanted)) {
            return false;
        }
    }
    return true;
}

static bool prove_by_spheres(const small_proof *p, uint32_t part[2])
{
    for (unsigned rest = parts_near_solid(p); rest != 0; rest &= rest - 1) {
        if (!prove_of_row(p, ap_lowest_bit(rest), p->b.all, part)) {
            return false;
        }
    }
    return true;
}

/* ---- along the normal ---- */

/* Support values of the spheres of a side's parts along a direction, from the side's origin. */
typedef struct sphere_values {
    ap_lanes of[AP_SMALL_PARTS / 4];
    double most;
} sphere_values;

AP_INLINE ap_mask only_lane(uint32_t lane)
{
    const ap_mask numbers = AP_FOUR(0, 1, 2, 3);
    return ap_mask_equal(numbers, ap_mask_all((int64_t)lane));
}

/* direction: in the side's own frame. That of the best part is known to be no larger than best_value. */
AP_INLINE void set_values(sphere_values *v, const small_side *s, ap_lanes direction, uint32_t best, double best_value)
{
    const ap_lanes3 d = ap_lanes3_spread(direction);
    ap_lanes most = ap_lanes_all(-INFINITY);
    for (uint32_t i = 0; 4 * i < s->count; i++) {
        const ap_part_spheres *four = &s->spheres[i];
        ap_lanes value = ap_lanes_add(ap_lanes3_dot(d, ap_sphere_centers(four)), ap_lanes_load(four->radius));
        if (i == best / 4) {
            value = ap_lanes_select(value, ap_lanes_min(ap_lanes_all(best_value), value), only_lane(best % 4));
        }
        v->of[i] = value;
        most = ap_lanes_max(value, most);
    }
    v->most =
        ap_max(ap_max(ap_lanes_at(most, 0), ap_lanes_at(most, 1)), ap_max(ap_lanes_at(most, 2), ap_lanes_at(most, 3)));
}

AP_INLINE unsigned parts_above(const small_side *s, const sphere_values *v, double level)
{
    unsigned above = 0;
    for (uint32_t i = 0; i < s->count; i += 4) {
        above |= ap_lanes_above(v->of[i / 4], ap_lanes_all(level)) << i;
    }
    return above & s->all;
}

static bool prove_along_normal(const small_proof *p, uint32_t part[2])
{
    const ap_part_side *side = p->frame->side;
    const apart_compound_result *best = p->best->pair;
    const apart_vec3 n = best->result.normal, o = side[1].origin;
    const ap_rise rise = ap_best_rise(p->frame, p->best);
    const double value_a = ap_dot(n, best->result.a) + ap_rise_by(rise, side[0].size);
    const double value_b = ap_dot(n, ap_sub(o, best->result.b)) + ap_rise_by(rise, side[1].size);
    const double level = ap_dot(n, o) - p->wanted; /* parts whose values sum up to no more are far apart */
    sphere_values a, b;
    set_values(&a, &p->a, ap_lanes_apply(&p->to_a, ap_lanes_from(n)), best->part_a, value_a);
    set_values(&b, &p->b, ap_lanes_neg(ap_lanes_apply(&p->to_b, ap_lanes_from(n))), best->part_b, value_b);
    for (unsigned rest = parts_above(&p->a, &a, level - b.most); rest != 0; rest &= rest - 1) {
        const unsigned i = ap_lowest_bit(rest);
        if (!prove_of_row(p, i, parts_above(&p->b, &b, level - ((const double *)a.of)[i]), part)) {
            return false;
        }
    }
    return true;
}

bool ap_small_prove(const ap_part_frame *f, const ap_part_best *best, const ap_queried_pairs *queried, uint32_t part[2])
{
    const ap_part_side *side = f->side;
    ap_part_spheres own[2];
    const small_proof p = {.frame = f,
                           .best = best,
                           .queried = queried,
                           .a = small_side_of(&side[0], &own[0]),
                           .b = small_side_of(&side[1], &own[1]),
                           .to_a = ap_transposed_rotation(&side[0].pose->rotation),
                           .to_b = ap_transposed_rotation(&side[1].pose->rotation),
                           .origin = ap_lanes_from(side[1].origin),
                           .wanted = ap_best_wanted(f, best)};
    if (only_one_pair_is_near(&p)) {
        return true;
    }
    return ap_best_is_far(f, best) ? prove_along_normal(&p, part) : prove_by_spheres(&p, part);
}

/* ---- the first pair ---- */

/* The lane with the smallest number. */
AP_INLINE unsigned least_lane(ap_lanes v)
{
    const unsigned low = ap_lanes_at(v, 1) < ap_lanes_at(v, 0) ? 1u : 0u,
                   high = ap_lanes_at(v, 3) < ap_lanes_at(v, 2) ? 3u : 2u;
    return ap_lanes_at(v, high) < ap_lanes_at(v, low) ? high : low;
}

/* About how far the centres of the nearest parts are from each other: halfway from the centres of the solids to where
 * their bounding spheres end. */
static double expected_distance(const ap_part_side side[2])
{
    const double distance = ap_norm(ap_sub(ap_side_center(&side[1]), ap_side_center(&side[0])));
    return ap_max(distance - 0.5 * (ap_side_spread(&side[0]) + ap_side_spread(&side[1])), 0.0);
}

/* The nearest spheres, by their squared distances less 2 D (r + r'): for distances about D that is the order of the
 * gaps, and no root is taken. */
void ap_small_nearest(const ap_part_frame *f, uint32_t part[2])
{
    ap_part_spheres own[2];
    const small_side a = small_side_of(&f->side[0], &own[0]), b = small_side_of(&f->side[1], &own[1]);
    const ap_lanes weight = ap_lanes_all(2.0 * expected_distance(f->side));
    sphere_columns columns;
    ap_lanes least = ap_lanes_all(INFINITY), at = ap_lanes_all(0.0), here = at;
    set_columns(&columns, f, &b, 0.0);
    for (uint32_t i = 0; i < a.count; i++) {
        const ap_lanes3 center = ap_sphere_center(&a.spheres[i / 4], i % 4);
        const ap_lanes radius = radius_of(&a, i);
        for (uint32_t k = 0; k < columns.count; k++) {
            const ap_lanes3 d = ap_lanes3_sub(columns.center[k], center);
            const ap_lanes gap =
                ap_lanes_sub(ap_lanes3_dot(d, d), ap_lanes_mul(weight, ap_lanes_add(columns.radius[k], radius)));
            at = ap_lanes_select(at, here, ap_lanes_less(gap, least));
            least = ap_lanes_min(gap, least);
            here = ap_lanes_add(here, ap_lanes_all(1.0));
        }
    }
    const unsigned lane = least_lane(least);
    const uint32_t number = (uint32_t)ap_lanes_at(at, lane);
    part[0] = number / columns.count;
    part[1] = number % columns.count * 4 + lane;
}
