/* Johnson's distance sub-algorithm: Gilbert, Johnson, Keerthi 1988, in the form of Cameron 1997, section 3.3 (item C6
 * of docs/papers.md), in which the bits of a number are a set.
 *
 * Legend: x_i the points; a set Y of them is a number whose bit i says whether x_i is in it; z_Y is its lowest-numbered
 * element.
 *     Delta_x({x}) = 1        Delta_x(Y + x) = sum over y in Y of Delta_y(Y) (y.z_Y - y.x)
 * The closest point lies in the set S with: x in S if and only if Delta_x(S + x) > 0; lambda_x = Delta_x(S) / sum of
 * Delta(S). The table has n 2^(n-1) values and costs n(n+1)/2 dot products and n(n-1)(2^(n-2) - 1) multiplications
 * (Delta of a single point is 1).
 *
 * We differ in: the origin is inside if all Delta_x of the full set are positive (the paper's text has the opposite
 * sign); when rounding lets no set satisfy the condition, the backup rule takes the set with the smallest |v| among
 * those whose own Deltas are all positive. Known weakness, kept: the Deltas of flat simplices are rounding errors, and
 * v = sum lambda w has an error relative to |w|, not |v|. */
#include "by_subsets.h"
#include "shared.h"

/* Where Delta_x(Y + x) is stored, for x not in Y: Y without the bit of x, with the bits above it moved down. */
static size_t delta_place(unsigned n, unsigned x, unsigned set)
{
    const unsigned below = set & ((1u << x) - 1u), above = set >> (x + 1u) << x;
    return ((size_t)x << (n - 1u)) + (above | below);
}

static double delta_in(unsigned n, const double *delta, unsigned x, unsigned set)
{
    return delta[delta_place(n, x, set & ~(1u << x))];
}

static unsigned lowest_bit(unsigned set)
{
    unsigned i = 0;
    while (!(set >> i & 1u)) {
        i++;
    }
    return i;
}

static bool is_single(unsigned set) { return (set & (set - 1u)) == 0u; }

/* Are the Deltas of all points of the set positive? */
static bool has_positive_deltas(unsigned n, const double *delta, unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if ((set >> x & 1u) && !(delta_in(n, delta, x, set) > 0.0)) {
            return false;
        }
    }
    return true;
}

/* Johnson's condition, for every x: x in S if and only if Delta_x(S + x) > 0. */
static bool satisfies_johnson_condition(unsigned n, const double *delta, unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if (!(set >> x & 1u) && delta_in(n, delta, x, set) > 0.0) {
            return false;
        }
    }
    return has_positive_deltas(n, delta, set);
}

static void weigh_set(unsigned n, const double *delta, unsigned set, double *lambda)
{
    double sum = 0.0;
    for (unsigned x = 0; x < n; x++) {
        sum += set >> x & 1u ? delta_in(n, delta, x, set) : 0.0;
    }
    for (unsigned x = 0; x < n; x++) {
        lambda[x] = 0.0;
        if (set >> x & 1u) {
            ap_count_div(1);
            lambda[x] = delta_in(n, delta, x, set) / sum;
        }
    }
}

/* |sum lambda x|^2 from the dot products. */
static double squared_norm(unsigned n, const double *dots, const double *lambda)
{
    double sum = 0.0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            ap_count_mul(2);
            sum += lambda[i] * lambda[j] * dots[i * n + j];
        }
    }
    return sum;
}

/* The backup rule, when rounding lets no set satisfy the condition. A single point is always legal, so there is an
 * answer. */
static unsigned select_by_backup_rule(unsigned n, const double *dots, const double *delta, double *lambda)
{
    unsigned best = 0;
    double best_norm = 0.0;
    for (unsigned set = 1; set < 1u << n; set++) {
        if (!has_positive_deltas(n, delta, set)) {
            continue;
        }
        weigh_set(n, delta, set, lambda);
        const double norm = squared_norm(n, dots, lambda);
        if (best == 0 || norm < best_norm) {
            best = set;
            best_norm = norm;
        }
    }
    weigh_set(n, delta, best, lambda);
    return best;
}

void ap_johnson_dots(unsigned n, size_t dim, const double *points, double *dots)
{
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = i; j < n; j++) {
            dots[i * n + j] = dots[j * n + i] = ap_nd_dot(dim, points + i * dim, points + j * dim);
        }
    }
}

void ap_johnson_table(unsigned n, const double *dots, double *delta)
{
    for (unsigned x = 0; x < n; x++) {
        delta[delta_place(n, x, 0u)] = 1.0;
    }
    for (unsigned set = 1; set < 1u << n; set++) {
        const unsigned z = lowest_bit(set);
        for (unsigned x = 0; x < n; x++) {
            if (set >> x & 1u) {
                continue;
            }
            double sum = 0.0;
            for (unsigned y = z; y < n; y++) {
                if (!(set >> y & 1u)) {
                    continue;
                }
                const double factor = dots[y * n + z] - dots[y * n + x];
                if (is_single(set)) {
                    sum = factor;
                } else {
                    ap_count_mul(1);
                    sum += delta_in(n, delta, y, set) * factor;
                }
            }
            delta[delta_place(n, x, set)] = sum;
        }
    }
}

unsigned ap_johnson_select(unsigned n, const double *dots, const double *delta, double *lambda)
{
    for (unsigned set = 1; set < 1u << n; set++) {
        if (satisfies_johnson_condition(n, delta, set)) {
            weigh_set(n, delta, set, lambda);
            return set;
        }
    }
    return select_by_backup_rule(n, dots, delta, lambda);
}

/* sum lambda w */
static apart_vec3 weighted_point(const ap_simplex *s)
{
    apart_vec3 sum = ap_scale(s->vertex[0].lambda, s->vertex[0].w);
    for (int i = 1; i < s->count; i++) {
        sum = ap_add(sum, ap_scale(s->vertex[i].lambda, s->vertex[i].w));
    }
    return sum;
}

bool ap_solve_johnson(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    double points[4 * 3] = {0.0}, dots[4 * 4] = {0.0}, delta[4 * 8], lambda[4];
    const unsigned n = (unsigned)simplex->count;
    ap_simplex_coordinates(simplex, points);
    ap_johnson_dots(n, 3, points, dots);
    ap_johnson_table(n, dots, delta);
    const unsigned keep = ap_johnson_select(n, dots, delta, lambda);
    const bool inside = ap_simplex_take(simplex, dim, keep, lambda);
    *v = inside ? ap_vec(0.0, 0.0, 0.0) : weighted_point(simplex);
    return inside;
}
