/* Source: Gilbert, Johnson, Keerthi 1988 as the texts give it: the geometric improvement's Fig. 1 and section 2.2, with
 * Johnson's sub-algorithm in the form of Cameron 1997, section 3.3 (docs/papers.md, C6, C7).
 *
 * Legend: V_i the set of up to four points; nu_i its nearest point; Ys the smallest subset that contains it; S, H the
 * support vertex of -nu and its value; Delta_x(Y) Johnson's determinants, lambda_x = Delta_x / sum.
 *
 * `printed` is to the letter: the bodies interfere if every Delta of the full set is <= 0, and the loop ends at
 * nu.nu + H = 0 alone, by the doubles. Else: if every Delta of the full set is > 0, and the end may be a rounding or a
 * support vertex that recurs. */
#include <math.h>

#include "../cameron/routine.h"
#include "frame.h"

#define CLOSED 1e-14
enum { MOST_LOOPS = 200 };

typedef double johnson_row[LAB_JOHNSON_MAX];

static bool is_legal(unsigned n, johnson_row *delta, unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if ((set >> x & 1u) != 0 && !(delta[set][x] > 0.0)) {
            return false;
        }
    }
    return true;
}

/* (4): Delta_i(Ys) > 0 inside, Delta_j(Ys + y_j) <= 0 outside. */
static bool passes(unsigned n, johnson_row *delta, unsigned set)
{
    for (unsigned x = 0; x < n; x++) {
        if ((set >> x & 1u) == 0 && delta[set | 1u << x][x] > 0.0) {
            return false;
        }
    }
    return is_legal(n, delta, set);
}

static unsigned size_of(unsigned set) { return (set & 1u) + (set >> 1 & 1u) + (set >> 2 & 1u) + (set >> 3 & 1u); }

/* The distance sub-algorithm. True: interference. */
static bool solve(lab_tips *s, bool printed, lab_work *work)
{
    double dots[LAB_JOHNSON_MAX][LAB_JOHNSON_MAX], sum = 0.0;
    johnson_row delta[1u << 4];
    lab_operations ignored = {0};
    apart_vec3 x[4];
    const unsigned n = (unsigned)s->count, full = (1u << n) - 1u;
    for (unsigned i = 0; i < n; i++) {
        x[i] = s->tip[i].w;
    }
    lab_johnson_dots(n, x, dots, &ignored);
    lab_johnson_table(n, dots, delta, &ignored);
    unsigned set = 1;
    while (set < full && !passes(n, delta, set)) {
        work->visits[size_of(set)]++;
        set++;
    }
    bool negative = n == 4;
    for (unsigned i = 0; i < n; i++) {
        negative = negative && delta[full][i] <= 0.0;
        s->lambda[i] = set >> i & 1u ? delta[set][i] : 0.0;
        sum += s->lambda[i];
    }
    const bool inside = printed ? negative : n == 4 && set == full && is_legal(n, delta, full);
    for (unsigned i = 0; i < n; i++) {
        s->lambda[i] /= sum;
    }
    if (!inside) {
        lab_tips_reduce(s);
    }
    return inside;
}

void lab_original(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    lab_tips v = {.tip = {lab_tip_of(a, b, 0, 0)}, .lambda = {1.0}, .count = 1};
    *answer = (lab_printed_answer){.end = LAB_END_LOOPS};
    while (answer->work.loops++ < MOST_LOOPS) {
        if (v.count > 4 || solve(&v, o->printed, &answer->work)) {
            answer->end = v.count > 4 ? LAB_END_LOOPS : LAB_END_INSIDE;
            break;
        }
        const apart_vec3 nu = lab_tips_point(&v);
        const lab_tip next = lab_support(a, b, apart_vec3_neg(nu), &answer->work);
        const double square = apart_vec3_dot(nu, nu), gap = square - apart_vec3_dot(nu, next.w);
        if (o->printed ? gap == 0.0 : gap <= CLOSED * square || lab_tips_have(&v, &next)) {
            answer->end = LAB_END_FOUND;
            break;
        }
        v.tip[v.count++] = next;
    }
    v.count = v.count > 4 ? 4 : v.count;
    lab_answer_from(a, b, &v, answer);
}
