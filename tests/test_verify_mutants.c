/* Is a false claim ever proved? Answers of the library, whose true value is known to lie between the bounds of the
 * check, are changed so that they are false by little: by a hundredth of the width that the claim itself admits, by two
 * roundings of the pair's size, by witness points that leave their bodies. No such claim may be proved. The answers
 * themselves must be: how many are, is printed for every family of shapes. An argument multiplies the work. */
#include "run_suite.h"
#include "verify_zoo.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>

#define PAIRS 5000
#define ND_POINTS 12
#define FALSE_KINDS 8

static int times = 1;

typedef struct tally {
    long answers, proved, mutants, refuted;
} tally;

static double pair_size(const pair *p)
{
    const double bound_a = p->a->kind == APART_SHAPE_HALF_SPACE ? 0.0 : p->a->bound;
    const double bound_b = p->b->kind == APART_SHAPE_HALF_SPACE ? 0.0 : p->b->bound;
    return ((bound_a + bound_b) + (p->a->radius + p->b->radius)) +
           apart_vec3_norm(apart_vec3_sub(p->pose_b.translation, p->pose_a.translation));
}

/* Makes one bound false, given true bounds [low, high] of the distance; the other is loose by `loose`. */
static void falsify_bound(double *lower, double *upper, int kind, double low, double high, double loose, double size)
{
    const double by = kind < 2 ? 0.01 * loose : 2.0 * DBL_EPSILON * size;
    const double wide = kind < 4 ? loose : 40.0 * DBL_EPSILON * size;
    if (kind % 2 == 0) {
        *upper = low - by;
        *lower = *upper - wide;
    } else {
        *lower = high + by;
        *upper = *lower + wide;
    }
}

static uint8_t fitting_relation(double lower, double upper)
{
    return lower > 0.0 ? APART_DISJOINT : upper < 0.0 ? APART_OVERLAPPING : APART_TOUCHING;
}

/* A false claim: kinds 0 to 5 change bounds, 6 and 7 push a point out of its body, by 0.9 of the loose width. */
static apart_result falsify(const pair *p, const apart_proof *proof, int kind, random_source *r)
{
    apart_result lie = p->result;
    const double size = pair_size(p), loose = size * random_magnitude(r, -10, -2);
    if (kind < 6) {
        falsify_bound(&lie.lower, &lie.upper, kind, proof->lower, proof->upper, loose, size);
        lie.distance = random_below(r, 2) == 0 ? lie.upper : lie.lower + 0.5 * (lie.upper - lie.lower);
        lie.relation = fitting_relation(lie.lower, lie.upper);
        if (kind % 2 == 0) { /* a point that fits the false distance */
            lie.b = apart_vec3_add_scaled(lie.a, lie.distance, lie.normal);
        }
        return lie;
    }
    lie.lower -= loose;
    lie.upper += loose;
    if (kind == 6) {
        lie.a = apart_vec3_add_scaled(lie.a, 0.9 * loose + 1e-9 * size, lie.normal);
    } else {
        lie.b = apart_vec3_add_scaled(lie.b, -(0.9 * loose + 1e-9 * size), lie.normal);
    }
    lie.relation = fitting_relation(lie.lower, lie.upper);
    return lie;
}

static void try_pair(const pair *p, tally *t, random_source *r)
{
    const apart_proof proof = verify(p, &p->result);
    t->answers++;
    ck_assert_msg(proof.verdict != APART_REFUTED, "%s, %s: %s", apart_shape_name(p->a), apart_shape_name(p->b),
                  proof.reason);
    if (proof.verdict != APART_PROVED || p->result.lower == -INFINITY) {
        return;
    }
    t->proved++;
    for (int kind = 0; kind < FALSE_KINDS; kind++) {
        const apart_result lie = falsify(p, &proof, kind, r);
        const apart_proof found = verify(p, &lie);
        ck_assert_msg(found.verdict != APART_PROVED,
                      "%s, %s: false claim %d is proved: [%.17g, %.17g], shown [%.17g, %.17g], true [%.17g, %.17g]",
                      apart_shape_name(p->a), apart_shape_name(p->b), kind, lie.lower, lie.upper, found.lower,
                      found.upper, proof.lower, proof.upper);
        t->mutants++;
        t->refuted += found.verdict == APART_REFUTED;
    }
}

static void print_tally(const char *family, const tally *t)
{
    printf("%-28s %6ld answers, %6.2f %% proved; %7ld false claims, %6.2f %% refuted, none proved\n", family,
           t->answers, 100.0 * (double)t->proved / (double)t->answers, t->mutants,
           100.0 * (double)t->refuted / (double)(t->mutants > 0 ? t->mutants : 1));
}

/* At least this share of the answers must be proved. */
static void expect_share(const char *family, const tally *t, double least)
{
    print_tally(family, t);
    ck_assert_msg((double)t->proved >= least * (double)t->answers, "%s: %ld of %ld proved", family, t->proved,
                  t->answers);
}

static pair random_pair_at(const zoo *z, int i, int j, int relation, random_source *r)
{
    pair p = place(&z->shape[i], &z->shape[j], r);
    if (relation == 2) {
        p.pose_b.translation = apart_vec3_add_scaled(p.pose_a.translation, 0.25, unit(r));
        query(&p, NULL);
    } else if (relation == 1) {
        approach(&p, 0.0);
    } else {
        query(&p, NULL);
    }
    return p;
}

START_TEST(disjoint_and_touching)
{
    zoo z;
    random_source r = random_seed("verify_mutants");
    tally t[2] = {{0}};
    zoo_init(&z, &r);
    for (int i = 0; i < PAIRS * times; i++) {
        const pair p = random_pair_at(&z, (int)random_below(&r, SHAPES), (int)random_below(&r, SHAPES), i % 2, &r);
        try_pair(&p, &t[i % 2], &r);
    }
    expect_share("disjoint", &t[0], 1.0);
    expect_share("touching", &t[1], 0.98);
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(overlapping)
{
    zoo z;
    random_source r = random_seed("verify_mutants");
    tally t[2] = {{0}};
    zoo_init(&z, &r);
    for (int i = 0; i < 3 * SHAPES * SHAPES * times; i++) {
        const int first = i / SHAPES % SHAPES, second = i % SHAPES;
        const bool polytopes = is_polytope(first) && is_polytope(second);
        if (!polytopes && i >= SHAPES * SHAPES * times) {
            continue; /* the search over all directions takes its time */
        }
        const pair p = random_pair_at(&z, first, second, 2, &r);
        if (p.result.relation == APART_OVERLAPPING) {
            try_pair(&p, &t[polytopes], &r);
        }
    }
    expect_share("overlapping, curved", &t[0], 0.98);
    expect_share("overlapping, polytopes", &t[1], 1.0);
    apart_hull_free(z.hull);
}
END_TEST

/* Bodies of one orientation, or turned about their common axis: all around the axis directions are equally good. */
START_TEST(aligned)
{
    random_source r = random_seed("verify_mutants: aligned");
    tally t = {0};
    for (int i = 0; i < 600 * times; i++) {
        const double x = random_between(&r, 0.3, 1.0), y = i % 2 == 0 ? x : random_between(&r, 0.3, 1.0);
        const apart_shape child[2] = {apart_ellipsoid(vec(x, x, 0.5)), apart_cylinder(0.2, y)};
        const apart_shape shapes[7] = {apart_cylinder(x, y),
                                       apart_cone(y, x),
                                       apart_capsule(x, y),
                                       apart_rounded(apart_cylinder(y, x), 0.1),
                                       apart_ellipsoid(vec(x, x, y)),
                                       apart_segment(vec(0, 0, -x), vec(0, 0, y)),
                                       apart_sum(&child[0], &child[1])};
        pair p = {.a = &shapes[random_below(&r, 7)], .b = &shapes[random_below(&r, 7)]};
        const double height = random_below(&r, 2) == 0 ? 0.0 : random_between(&r, -0.3, 0.3), turn = random_signed(&r);
        apart_pose about_axis;
        ck_assert_int_eq(apart_pose_from_rpy(0.0, 0.0, turn, vec(0, 0, height), &about_axis), APART_OK);
        p.pose_a = random_pose(&r, 0.5);
        p.pose_b = apart_pose_compose(&p.pose_a, &about_axis);
        query(&p, NULL);
        if (p.result.relation == APART_OVERLAPPING) {
            try_pair(&p, &t, &r);
        }
    }
    expect_share("aligned", &t, 0.98);
}
END_TEST

START_TEST(half_spaces)
{
    zoo z;
    random_source r = random_seed("verify_mutants");
    tally t = {0};
    zoo_init(&z, &r);
    for (int i = 0; i < 80 * SHAPES * times; i++) {
        const apart_shape ground = apart_half_space(unit(&r), random_between(&r, -1, 1));
        pair p = place(&ground, &z.shape[i % SHAPES], &r);
        query(&p, NULL);
        try_pair(&p, &t, &r);
    }
    expect_share("half-spaces", &t, 1.0);
    apart_hull_free(z.hull);
}
END_TEST

START_TEST(plane)
{
    random_source r = random_seed("verify_mutants");
    double xy[16];
    for (int i = 0; i < 16; i++) {
        xy[i] = random_between(&r, -0.5, 0.5);
    }
    const apart_shape child[2] = {apart_rectangle(0.25, 0.5), apart_circle(0.25)};
    const apart_mat3 skew = {{1, 0.25, 0}, {0.125, 0.5, 0}, {0, 0, 1}};
    const apart_shape shapes[7] = {apart_circle(0.5),
                                   apart_rectangle(0.5, 0.25),
                                   apart_polygon(xy, 8),
                                   apart_segment_2d(-0.5, 0, 0.25, 0.5),
                                   apart_rounded(apart_polygon(xy, 5), 0.125),
                                   apart_hull_of_two(&child[0], &child[1]),
                                   apart_affine(&child[1], skew, vec(0.25, 0, 0))};
    tally t = {0};
    for (int i = 0; i < 3000 * times; i++) {
        pair p = {.a = &shapes[random_below(&r, 7)], .b = &shapes[random_below(&r, 7)]};
        const double reach = i % 2 == 0 ? 2.5 : 0.5;
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), 0.25, 0, &p.pose_a), APART_OK);
        ck_assert_int_eq(apart_pose_from_angle_2d(random_between(&r, -3, 3), random_between(&r, -reach, reach),
                                                  random_between(&r, -reach, reach), &p.pose_b),
                         APART_OK);
        query(&p, NULL);
        try_pair(&p, &t, &r);
    }
    expect_share("in the plane", &t, 0.99);
}
END_TEST

/* Coincident points have no size: nothing may be invented for it. */
START_TEST(coincident_points)
{
    static const double at[] = {0.0, 1.0, 1e-5, 1e-20, 1e-100, 1e-300, 1e100};
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const apart_shape point = apart_point(vec(at[i], at[i], 0.0));
        pair p = {.a = &point, .b = &point, .pose_a = apart_pose_identity(), .pose_b = apart_pose_identity()};
        query(&p, NULL);
        ck_assert_int_ne(verify(&p, &p.result).verdict, APART_REFUTED);
        for (int k = -600; k < 20; k++) {
            const double e = pow(10.0, 0.5 * k);
            apart_result lie = p.result;
            lie.lower = e, lie.distance = 2.0 * e, lie.upper = 3.0 * e, lie.relation = APART_DISJOINT;
            ck_assert_msg(verify(&p, &lie).verdict != APART_PROVED, "at %g: a gap of %g is proved", at[i], e);
        }
    }
}
END_TEST

typedef struct nd_claim {
    size_t dim;
    double a[8 * (ND_POINTS + 8)], b[8 * (ND_POINTS + 8)];
    double point_a[8], point_b[8], normal[8], lambda[9];
    uint32_t index_a[9], index_b[9];
    apart_points_nd set_a, set_b;
    apart_result_nd result;
} nd_claim;

static void random_nd_claim(nd_claim *c, size_t dim, random_source *r)
{
    const size_t deep = random_below(r, 2);
    c->dim = dim;
    c->set_a = (apart_points_nd){c->a, 1 + random_below(r, ND_POINTS) + deep * (dim - 1)};
    c->set_b = (apart_points_nd){c->b, 1 + random_below(r, ND_POINTS) + deep * (dim - 1)};
    const double shift = deep == 1 ? 0.2 : random_between(r, 1.0, 4.0);
    for (size_t i = 0; i < 8 * (ND_POINTS + 8); i++) {
        c->a[i] = random_signed(r);
        c->b[i] = random_signed(r) + (i % dim == 0 ? shift : 0.0);
    }
    c->result = (apart_result_nd){.a = c->point_a, .b = c->point_b, .normal = c->normal};
    if (random_below(r, 2) == 0) {
        c->result.index_a = c->index_a, c->result.index_b = c->index_b, c->result.lambda = c->lambda;
    }
    ck_assert_int_eq(apart_distance_nd(dim, &c->set_a, &c->set_b, NULL, NULL, 0, &c->result), APART_OK);
}

static apart_proof verify_nd(const nd_claim *c, const apart_result_nd *r)
{
    apart_proof proof;
    ck_assert_int_eq(apart_verify_nd(c->dim, &c->set_a, &c->set_b, r, &proof), APART_OK);
    ck_assert(!isnan(proof.lower) && !isnan(proof.upper));
    return proof;
}

/* The largest first coordinate of a set. */
static double farthest_first(const apart_points_nd *set, size_t dim)
{
    double most = set->coordinates[0];
    for (size_t i = 1; i < set->count; i++) {
        most = fmax(most, set->coordinates[i * dim]);
    }
    return most;
}

static void try_nd_lies(nd_claim *c, const apart_proof *proof, tally *t, random_source *r)
{
    const double size = 4.0 * sqrt((double)c->dim);
    for (int kind = 0; kind < 7; kind++) {
        const double loose = random_magnitude(r, -10, -2), first = c->point_a[0];
        apart_result_nd lie = c->result;
        if (kind < 6) {
            falsify_bound(&lie.lower, &lie.upper, kind, proof->lower, proof->upper, loose, size);
            lie.distance = 0.5 * (lie.lower + lie.upper);
        } else {
            lie.lower -= loose, lie.upper += loose;
            c->point_a[0] = farthest_first(&c->set_a, c->dim) + 0.9 * loose + 1e-9;
        }
        lie.relation = fitting_relation(lie.lower, lie.upper);
        const apart_proof found = verify_nd(c, &lie);
        c->point_a[0] = first;
        ck_assert_msg(found.verdict != APART_PROVED, "%zu dimensions: false claim %d is proved: [%.17g, %.17g]", c->dim,
                      kind, lie.lower, lie.upper);
        t->mutants++;
        t->refuted += found.verdict == APART_REFUTED;
    }
}

/* What must be proved at least in each dimension, and how many pairs are tried. In six dimensions the search for a depth
 * ends before it is sure in half of the cases; above, an overlap has no depth. */
START_TEST(any_dimension)
{
    static const struct {
        size_t dim;
        int pairs;
        double share;
    } row[] = {{1, 400, 1.0}, {2, 400, 1.0}, {3, 400, 1.0}, {4, 60, 1.0}, {5, 12, 0.8}, {6, 6, 0.3}, {8, 100, 1.0}};
    random_source r = random_seed("verify_mutants");
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        nd_claim c;
        tally t = {0};
        char name[32];
        for (int i = 0; i < row[k].pairs * times; i++) {
            random_nd_claim(&c, row[k].dim, &r);
            const apart_proof proof = verify_nd(&c, &c.result);
            ck_assert_msg(proof.verdict != APART_REFUTED, "%zu dimensions: %s", c.dim, proof.reason);
            t.answers++;
            if (proof.verdict == APART_PROVED) {
                t.proved++;
                try_nd_lies(&c, &proof, &t, &r);
            }
        }
        (void)snprintf(name, sizeof name, "%zu dimensions", row[k].dim);
        expect_share(name, &t, row[k].share);
    }
}
END_TEST

START_TEST(nd_without_a_depth_and_garbage)
{
    random_source r = random_seed("verify_mutants");
    nd_claim c;
    random_nd_claim(&c, 3, &r);
    const apart_points_nd empty = {c.a, 0}, none = {NULL, 3};
    apart_proof proof;
    ck_assert_int_eq(apart_verify_nd(3, NULL, &c.set_b, &c.result, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_nd(3, &none, &c.set_b, &c.result, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_nd(3, &c.set_a, &c.set_b, NULL, &proof), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_nd(3, &c.set_a, &c.set_b, &c.result, NULL), APART_ERR_NULL);
    ck_assert_int_eq(apart_verify_nd(0, &c.set_a, &c.set_b, &c.result, &proof), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_verify_nd(APART_ND_MAX_DIM + 1, &c.set_a, &c.set_b, &c.result, &proof), APART_ERR_DIMENSION);
    ck_assert_int_eq(apart_verify_nd(3, &empty, &c.set_b, &c.result, &proof), APART_ERR_EMPTY);
    const double far_apart[2] = {-1e308, 1e308}, lost[1] = {NAN};
    const apart_points_nd ends = {far_apart, 2}, nowhere = {lost, 1};
    ck_assert_int_eq(apart_verify_nd(1, &ends, &ends, &c.result, &proof), APART_ERR_OVERFLOW);
    ck_assert_int_eq(apart_verify_nd(1, &nowhere, &ends, &c.result, &proof), APART_ERR_NONFINITE);
    /* A cube around a smaller one: certain to overlap. The same claim of sets that are apart is false. */
    for (size_t dim = 1; dim <= 8; dim++) {
        double in[8 * 16], out[8 * 16], apart[8 * 16];
        for (size_t i = 0; i < 16 * dim; i++) {
            out[i] = (i / dim == 2 * (i % dim) ? 1.0 : i / dim == 2 * (i % dim) + 1 ? -1.0 : 0.0);
            in[i] = 0.25 * out[i] + 0.03125;
            apart[i] = out[i] + 3.0;
        }
        const apart_points_nd a = {out, 2 * dim}, b = {in, 2 * dim}, away = {apart, 2 * dim};
        const apart_options options = {.depth = APART_DEPTH_NONE};
        apart_result_nd overlap = {.a = c.point_a, .b = c.point_b, .normal = c.normal};
        ck_assert_int_eq(apart_distance_nd(dim, &a, &b, &options, NULL, 0, &overlap), APART_OK);
        ck_assert_int_eq(overlap.relation, APART_OVERLAPPING);
        ck_assert_int_eq(apart_verify_nd(dim, &a, &b, &overlap, &proof), APART_OK);
        ck_assert_msg(proof.verdict == APART_PROVED, "%zu: %s", dim, proof.reason);
        ck_assert_int_eq(apart_verify_nd(dim, &a, &away, &overlap, &proof), APART_OK);
        ck_assert_int_eq(proof.verdict, APART_REFUTED);
    }
}
END_TEST

int main(int argc, char **argv)
{
    times = argc > 1 ? atoi(argv[1]) : 1;
    Suite *suite = suite_create("verify_mutants");
    TCase *t = tcase_create("verify_mutants");
    tcase_set_timeout(t, 800);
    tcase_add_test(t, disjoint_and_touching);
    tcase_add_test(t, overlapping);
    tcase_add_test(t, aligned);
    tcase_add_test(t, half_spaces);
    tcase_add_test(t, plane);
    tcase_add_test(t, coincident_points);
    tcase_add_test(t, any_dimension);
    tcase_add_test(t, nd_without_a_depth_and_garbage);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
