/* Every simplex solver on every Voronoi region of every simplex size, in every order of its vertices, against an
 * enumeration of all faces in rational arithmetic; then on repeated, collinear, coplanar and needle-shaped points. */
#include <check.h>
#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "solvers/solvers.h"
#include "random.h"
#include "run_suite.h"

typedef struct named_solver {
    const char *name;
    ap_solver_fn *solve;
    int sum; /* 1: v = sum lambda w to rounding even where the weights are ill-conditioned (else v comes from normals) */
    int exact; /* 1: must find the closest point of flat simplices too */
} named_solver;

static const named_solver solvers[] = {
    {"johnson", ap_solve_johnson, 1, 0},
    {"voronoi", ap_solve_voronoi, 1, 0},
    {"geometric", ap_solve_geometric, 1, 0},
    {"least-squares", ap_solve_least_squares, 1, 0},
    {"volumes", ap_solve_volumes, 1, 0},
    {"default", ap_solve_default, 1, 0},
    {"double-double", ap_solve_double_double, 1, 1},
};
enum { solver_count = sizeof solvers / sizeof solvers[0] };

/* ---- random numbers, reproducible ---- */

static random_source random_state;

static double uniform(void) { return random_signed(&random_state); } /* [-1, 1) */

static double positive(void) { return 0.55 + 0.45 * uniform(); }

static apart_vec3 random_vec(int dim) { return ap_vec(uniform(), uniform(), dim == 3 ? uniform() : 0.0); }

/* ---- the reference: all faces, exactly ---- */

typedef struct reference {
    unsigned keep;
    double lambda[4];
    apart_vec3 v;
    double norm;
} reference;

static double component(apart_vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

/* Gaussian elimination on the rational system m t = rhs of the given size; 0 if singular. */
static int solve_rational(int size, mpq_t m[3][3], mpq_t rhs[3])
{
    mpq_t f, p;
    mpq_inits(f, p, NULL);
    int regular = 1;
    for (int c = 0; c < size && regular; c++) {
        int pivot = c;
        while (pivot < size && mpq_sgn(m[pivot][c]) == 0) {
            pivot++;
        }
        if (pivot == size) {
            regular = 0;
            break;
        }
        for (int k = 0; k < size; k++) {
            mpq_swap(m[c][k], m[pivot][k]);
        }
        mpq_swap(rhs[c], rhs[pivot]);
        for (int i = 0; i < size; i++) {
            if (i == c) {
                continue;
            }
            mpq_div(f, m[i][c], m[c][c]);
            for (int k = 0; k < size; k++) {
                mpq_mul(p, f, m[c][k]);
                mpq_sub(m[i][k], m[i][k], p);
            }
            mpq_mul(p, f, rhs[c]);
            mpq_sub(rhs[i], rhs[i], p);
        }
    }
    for (int c = 0; c < size && regular; c++) {
        mpq_div(rhs[c], rhs[c], m[c][c]);
    }
    mpq_clears(f, p, NULL);
    return regular;
}

/* The closest point of the affine hull of a face: 1 and |v|^2 in `norm` if all its weights are positive. */
static int solve_face(const apart_vec3 *w, const int *id, int count, double *lambda, double *v, mpq_t norm)
{
    mpq_t h[3][3], m[3][3], t[3], b[3], x, y;
    mpq_inits(x, y, NULL);
    const int size = count - 1;
    for (int i = 0; i < 3; i++) {
        mpq_inits(t[i], b[i], h[i][0], h[i][1], h[i][2], m[i][0], m[i][1], m[i][2], NULL);
        mpq_set_d(b[i], component(w[id[0]], i));
    }
    for (int i = 0; i < size; i++) {
        for (int k = 0; k < 3; k++) {
            mpq_set_d(h[i][k], component(w[id[i + 1]], k));
            mpq_sub(h[i][k], h[i][k], b[k]);
            mpq_mul(x, h[i][k], b[k]);
            mpq_sub(t[i], t[i], x);
        }
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < 3; k++) {
                mpq_mul(x, h[i][k], h[j][k]);
                mpq_add(m[i][j], m[i][j], x);
            }
            mpq_set(m[j][i], m[i][j]);
        }
    }
    int legal = solve_rational(size, m, t);
    mpq_set_si(y, 1, 1);
    for (int i = 0; i < size && legal; i++) {
        legal = mpq_sgn(t[i]) > 0;
        mpq_sub(y, y, t[i]);
        lambda[i + 1] = mpq_get_d(t[i]);
    }
    legal = legal && mpq_sgn(y) > 0;
    lambda[0] = mpq_get_d(y);
    mpq_set_si(norm, 0, 1);
    for (int k = 0; k < 3 && legal; k++) {
        for (int i = 0; i < size; i++) {
            mpq_mul(x, t[i], h[i][k]);
            mpq_add(b[k], b[k], x);
        }
        v[k] = mpq_get_d(b[k]);
        mpq_mul(x, b[k], b[k]);
        mpq_add(norm, norm, x);
    }
    for (int i = 0; i < 3; i++) {
        mpq_clears(t[i], b[i], h[i][0], h[i][1], h[i][2], m[i][0], m[i][1], m[i][2], NULL);
    }
    mpq_clears(x, y, NULL);
    return legal;
}

/* The root of a rational number, also where its square is outside the range of doubles. */
static double root(const mpq_t q)
{
    long en, ed;
    const double n = mpz_get_d_2exp(&en, mpq_numref(q)), d = mpz_get_d_2exp(&ed, mpq_denref(q));
    if (n == 0.0) {
        return 0.0;
    }
    const long e = en - ed;
    return e % 2 == 0 ? ldexp(sqrt(n / d), (int)(e / 2)) : ldexp(sqrt(2.0 * n / d), (int)((e - 1) / 2));
}

static reference find_reference(const apart_vec3 *w, int count)
{
    reference best = {.keep = 0u};
    mpq_t norm, best_norm;
    mpq_inits(norm, best_norm, NULL);
    for (unsigned set = 1; set < 1u << count; set++) {
        int id[4], n = 0;
        double lambda[4], v[3];
        for (int i = 0; i < count; i++) {
            if (set >> i & 1u) {
                id[n++] = i;
            }
        }
        if (!solve_face(w, id, n, lambda, v, norm) || (best.keep != 0u && mpq_cmp(norm, best_norm) >= 0)) {
            continue;
        }
        best = (reference){.keep = set, .v = ap_vec(v[0], v[1], v[2])};
        for (int i = 0; i < n; i++) {
            best.lambda[id[i]] = lambda[i];
        }
        mpq_set(best_norm, norm);
    }
    best.norm = root(best_norm);
    mpq_clears(norm, best_norm, NULL);
    return best;
}

/* ---- simplices in every order ---- */

static ap_simplex make_simplex(const apart_vec3 *w, int count, const int *order)
{
    ap_simplex s = {.count = count};
    for (int i = 0; i < count; i++) {
        s.vertex[i] = (ap_simplex_vertex){.w = w[order[i]], .index_a = (uint32_t)order[i], .lambda = NAN};
    }
    return s;
}

/* The p-th order of `count` numbers (p < count!). */
static void nth_order(int count, int p, int *order)
{
    int left[4] = {0, 1, 2, 3};
    for (int i = 0; i < count; i++) {
        const int k = p % (count - i);
        p /= count - i;
        order[i] = left[k];
        for (int j = k; j < count - i - 1; j++) {
            left[j] = left[j + 1];
        }
    }
}

static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static double largest_norm(const apart_vec3 *w, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; i++) {
        size = ap_max(size, ap_norm(w[i]));
    }
    return size;
}

/* What every answer must satisfy: legal weights, original vertices in their order, finite v. Returns |v - sum lambda
 * w|. */
static double check_legal(const char *name, const ap_simplex *s, const apart_vec3 *w, int count, const int *order,
                          apart_vec3 v)
{
    ck_assert_msg(s->count >= 1 && s->count <= count, "%s: count %d", name, s->count);
    double sum = 0.0;
    apart_vec3 weighted = {0.0, 0.0, 0.0};
    int place = 0;
    for (int i = 0; i < s->count; i++) {
        const double lambda = s->vertex[i].lambda;
        weighted = ap_add(weighted, ap_scale(lambda, s->vertex[i].w));
        ck_assert_msg(lambda >= 0.0 && lambda <= 1.0 + 8.0 * DBL_EPSILON, "%s: lambda %.17g", name, lambda);
        sum += lambda;
        while (place < count && (uint32_t)order[place] != s->vertex[i].index_a) {
            place++;
        }
        ck_assert_msg(place < count, "%s: the vertices' order changed", name);
        const apart_vec3 d = ap_sub(s->vertex[i].w, w[order[place]]);
        ck_assert(d.x == 0.0 && d.y == 0.0 && d.z == 0.0);
        place++;
    }
    ck_assert_msg(fabs(sum - 1.0) <= 8.0 * DBL_EPSILON, "%s: lambdas add up to %.17g", name, sum);
    ck_assert_msg(ap_finite(v), "%s: v is not finite", name);
    return ap_norm(ap_sub(v, weighted));
}

/* A well-shaped case: the solver must find the reference's face, weights and point. */
static void check_region(const named_solver *solver, const apart_vec3 *w, int count, int dim, const reference *want)
{
    const double size = largest_norm(w, count);
    for (int p = 0; p < factorial(count); p++) {
        int order[4];
        nth_order(count, p, order);
        ap_simplex s = make_simplex(w, count, order);
        apart_vec3 v = ap_vec(NAN, NAN, NAN);
        const bool inside = solver->solve(&s, dim, &v);
        const double sum_error = check_legal(solver->name, &s, w, count, order, v);
        unsigned keep = 0u;
        for (int i = 0; i < s.count; i++) {
            keep |= 1u << s.vertex[i].index_a;
            ck_assert_msg(fabs(s.vertex[i].lambda - want->lambda[s.vertex[i].index_a]) <= 1e-9,
                          "%s: lambda %.17g, not %.17g", solver->name, s.vertex[i].lambda,
                          want->lambda[s.vertex[i].index_a]);
        }
        ck_assert_msg(keep == want->keep, "%s: face %u, not %u (order %d of %d points)", solver->name, keep, want->keep,
                      p, count);
        ck_assert_msg(inside == (count == dim + 1 && want->keep == (1u << count) - 1u), "%s: inside is %d",
                      solver->name, inside);
        ck_assert_msg(ap_norm(ap_sub(v, want->v)) <= 1e-12 * size, "%s: v is off by %g", solver->name,
                      ap_norm(ap_sub(v, want->v)));
        ck_assert_msg(sum_error <= 1e-12 * size, "%s: v differs from sum lambda w by %g", solver->name, sum_error);
    }
}

/* ---- regions ---- */

/* -grad of the barycentric coordinates within the simplex' own affine hull: the outward normals of the facets opposite
 * to each vertex. */
static void outward_normals(const apart_vec3 *p, int count, apart_vec3 *normal)
{
    apart_vec3 e[3] = {{0.0, 0.0, 0.0}};
    normal[0] = ap_vec(0.0, 0.0, 0.0);
    for (int i = 1; i < count; i++) {
        e[i - 1] = ap_sub(p[i], p[0]);
    }
    for (int i = 0; i < count - 1; i++) {
        /* e_i without its parts along the other edges, by Gram-Schmidt on those. */
        apart_vec3 q[2], g = e[i];
        int n = 0;
        for (int j = 0; j < count - 1; j++) {
            if (j != i) {
                q[n] = e[j];
                for (int k = 0; k < n; k++) {
                    q[n] = ap_sub(q[n], ap_scale(ap_dot(q[n], q[k]) / ap_dot(q[k], q[k]), q[k]));
                }
                n++;
            }
        }
        for (int k = 0; k < n; k++) {
            g = ap_sub(g, ap_scale(ap_dot(g, q[k]) / ap_dot(q[k], q[k]), q[k]));
        }
        normal[i + 1] = ap_scale(-1.0 / ap_dot(g, g), g);
        normal[0] = ap_sub(normal[0], normal[i + 1]);
    }
}

/* A direction orthogonal to the simplex' affine hull, of random length; zero if there is none in this dimension. */
static apart_vec3 perpendicular(const apart_vec3 *p, int count, int dim)
{
    apart_vec3 d = random_vec(dim), q[3];
    for (int i = 1; i < count; i++) {
        q[i - 1] = ap_sub(p[i], p[0]);
        for (int k = 0; k < i - 1; k++) {
            q[i - 1] = ap_sub(q[i - 1], ap_scale(ap_dot(q[i - 1], q[k]) / ap_dot(q[k], q[k]), q[k]));
        }
    }
    for (int i = 0; i < count - 1; i++) {
        d = ap_sub(d, ap_scale(ap_dot(d, q[i]) / ap_dot(q[i], q[i]), q[i]));
    }
    return count > dim ? ap_vec(0.0, 0.0, 0.0) : d;
}

/* Vertices of a random affine image of a simplex that is not too flat, in units of about 1. */
static void random_shape(int count, int dim, apart_vec3 *p)
{
    apart_vec3 normal[4];
    double flatness;
    do {
        flatness = 0.0;
        for (int i = 0; i < count; i++) {
            p[i] = random_vec(dim);
        }
        outward_normals(p, count, normal);
        for (int i = 0; i < count && count > 1; i++) {
            flatness = ap_max(flatness, ap_norm(normal[i]));
        }
    } while (flatness > 20.0);
}

/* The simplex moved so that the origin lies in the region of the face `set`. */
static void place_origin(const apart_vec3 *p, int count, int dim, unsigned set, apart_vec3 *w)
{
    apart_vec3 normal[4];
    outward_normals(p, count, normal);
    double weight[4] = {0.0}, sum = 0.0;
    for (int i = 0; i < count; i++) {
        weight[i] = set >> i & 1u ? positive() : 0.0;
        sum += weight[i];
    }
    apart_vec3 origin = perpendicular(p, count, dim);
    for (int i = 0; i < count; i++) {
        origin = ap_add(origin, ap_scale(weight[i] / sum, p[i]));
        if (!(set >> i & 1u)) {
            origin = ap_add(origin, ap_scale(0.5 * positive() / ap_norm(normal[i]), normal[i]));
        }
    }
    for (int i = 0; i < count; i++) {
        w[i] = ap_sub(p[i], origin);
    }
}

static void check_all_regions(const named_solver *solver, int dim)
{
    for (int shape = 0; shape < 12; shape++) {
        for (int count = 1; count <= dim + 1; count++) {
            apart_vec3 p[4], w[4];
            random_shape(count, dim, p);
            for (unsigned set = 1; set < 1u << count; set++) {
                place_origin(p, count, dim, set, w);
                const reference want = find_reference(w, count);
                ck_assert_uint_eq(want.keep, set);
                check_region(solver, w, count, dim, &want);
            }
        }
    }
}

START_TEST(test_regions_3d)
{
    random_state = random_seed_or("test_regions_3d", 20240301u);
    check_all_regions(&solvers[_i], 3);
}
END_TEST

START_TEST(test_regions_2d)
{
    random_state = random_seed_or("test_regions_2d", 20240302u);
    check_all_regions(&solvers[_i], 2);
}
END_TEST

/* ---- degenerate simplices ---- */

/* Any answer must be a point of the simplex, and no closer than the true one; a solver that is exact on needles must
 * also find that. */
static void check_degenerate(const apart_vec3 *w, int count, int dim, const char *what)
{
    const reference want = find_reference(w, count);
    const double size = largest_norm(w, count), rounding = 32.0 * DBL_EPSILON * size;
    for (int p = 0; p < factorial(count); p++) {
        int order[4];
        nth_order(count, p, order);
        for (int k = 0; k < solver_count; k++) {
            char name[96];
            snprintf(name, sizeof name, "%s on %s", solvers[k].name, what);
            ap_simplex s = make_simplex(w, count, order);
            apart_vec3 v = ap_vec(NAN, NAN, NAN);
            const bool inside = solvers[k].solve(&s, dim, &v);
            const double sum_error = check_legal(name, &s, w, count, order, v);
            const double norm = ap_norm(v);
            ck_assert_msg(!inside || (s.count == dim + 1 && norm == 0.0), "%s: inside with %d points, |v| = %g", name,
                          s.count, norm);
            if (!inside) {
                ck_assert_msg(norm >= want.norm - rounding, "%s: |v| = %.17g below the minimum %.17g", name, norm,
                              want.norm);
                ck_assert_msg(!solvers[k].sum || sum_error <= rounding, "%s: v differs from sum lambda w by %g", name,
                              sum_error);
            }
            /* Far below the size of 1 that a query gives its simplices, the errors of products underflow. */
            if (solvers[k].exact && size > 1e-30) {
                ck_assert_msg(norm <= want.norm + rounding, "%s: |v| = %.17g, not %.17g", name, norm, want.norm);
            }
        }
    }
}

static apart_vec3 combine(apart_vec3 a, double s, apart_vec3 d) { return ap_add(a, ap_scale(s, d)); }

START_TEST(test_repeated_points)
{
    random_state = random_seed_or("test_repeated_points", 20240303u);
    for (int dim = 2; dim <= 3; dim++) {
        for (int round = 0; round < 40; round++) {
            const apart_vec3 a = random_vec(dim), b = random_vec(dim), zero = {0.0, 0.0, 0.0};
            const apart_vec3 same[4] = {a, a, a, a}, pairs[4] = {a, b, a, b}, three[4] = {a, a, b, a};
            const apart_vec3 zeros[4] = {zero, zero, zero, zero}, some[4] = {a, zero, b, zero};
            for (int count = 1; count <= dim + 1; count++) {
                check_degenerate(same, count, dim, "equal points");
                check_degenerate(pairs, count, dim, "two points twice");
                check_degenerate(three, count, dim, "a point three times");
                check_degenerate(zeros, count, dim, "the origin repeated");
                check_degenerate(some, count, dim, "the origin among the points");
            }
        }
    }
}
END_TEST

START_TEST(test_collinear_points)
{
    random_state = random_seed_or("test_collinear_points", 20240304u);
    for (int dim = 2; dim <= 3; dim++) {
        for (int round = 0; round < 60; round++) {
            const apart_vec3 a = random_vec(dim), d = random_vec(dim);
            apart_vec3 line[4], through[4], whole[4];
            for (int i = 0; i < 4; i++) {
                line[i] = combine(a, 3.0 * uniform(), d);
                through[i] = ap_scale(uniform(), d);
                whole[i] = ap_vec(floor(4.0 * uniform()), 1.0, 0.0);
            }
            for (int count = 2; count <= dim + 1; count++) {
                check_degenerate(line, count, dim, "collinear points");
                check_degenerate(through, count, dim, "points on a line through the origin");
                check_degenerate(whole, count, dim, "whole-numbered points on a line");
            }
        }
    }
}
END_TEST

START_TEST(test_coplanar_points)
{
    random_state = random_seed_or("test_coplanar_points", 20240305u);
    for (int round = 0; round < 100; round++) {
        const apart_vec3 a = random_vec(3), d = random_vec(3), e = random_vec(3);
        apart_vec3 plane[4], through[4], whole[4];
        for (int i = 0; i < 4; i++) {
            const double s = uniform(), t = uniform();
            plane[i] = combine(combine(a, s, d), t, e);
            through[i] = combine(ap_scale(s, d), t, e);
            whole[i] = ap_vec(floor(3.0 * s), floor(3.0 * t), 1.0);
        }
        check_degenerate(plane, 4, 3, "coplanar points");
        check_degenerate(through, 4, 3, "points of a plane through the origin");
        check_degenerate(whole, 4, 3, "whole-numbered coplanar points");
    }
}
END_TEST

START_TEST(test_needles)
{
    static const double width[] = {1e-6, 1e-9, 1e-12, 1e-15, 1e-16, 1e-20, 1e-100, 1e-170, 1e-300};
    random_state = random_seed_or("test_needles", 20240306u);
    for (int round = 0; round < 10; round++) {
        for (size_t k = 0; k < sizeof width / sizeof width[0]; k++) {
            for (int dim = 2; dim <= 3; dim++) {
                const apart_vec3 a = random_vec(dim), d = random_vec(dim), e = random_vec(dim);
                apart_vec3 needle[4], flat[4], tiny[4];
                for (int i = 0; i < 4; i++) {
                    needle[i] = combine(combine(a, uniform(), d), width[k], random_vec(dim));
                    flat[i] = combine(combine(combine(a, uniform(), d), uniform(), e), width[k], random_vec(dim));
                    tiny[i] = ap_scale(width[k], random_vec(dim));
                }
                for (int count = 2; count <= dim + 1; count++) {
                    check_degenerate(needle, count, dim, "a needle");
                    check_degenerate(flat, count, dim, "a flat simplex");
                    check_degenerate(tiny, count, dim, "a tiny simplex at the origin");
                }
            }
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("solvers");
    TCase *regions = tcase_create("regions"), *degenerate = tcase_create("degenerate");
    tcase_set_timeout(regions, 60.0);
    tcase_set_timeout(degenerate, 120.0);
    tcase_add_loop_test(regions, test_regions_3d, 0, solver_count);
    tcase_add_loop_test(regions, test_regions_2d, 0, solver_count);
    tcase_add_test(degenerate, test_repeated_points);
    tcase_add_test(degenerate, test_collinear_points);
    tcase_add_test(degenerate, test_coplanar_points);
    tcase_add_test(degenerate, test_needles);
    suite_add_tcase(suite, regions);
    suite_add_tcase(suite, degenerate);
    return run_suite(suite);
}
