/* Source: the blog post on a divide-and-conquer implementation of GJK (docs/papers.md, D1, D2), its six steps and its
 * program in Scheme.
 *
 * Legend: M the Minkowski difference {a - b}; w_k the simplex; d its nearest point; s(M, -d) the support point; H the
 * differences w_ki - w_k0; t the coefficients with w_k0 + Ht the nearest point of the plane through the simplex.
 *
 * `printed` is the text: it stops if d.s(w, -d) >= d.s(M, -d), which always holds, and minimises |Ht - w_0|. Else it is
 * the program below the text, which has both right; it begins at the centres of gravity and stops within 1e-12. We
 * differ in: the normal equations are solved by Cramer's rule, as there, and a flat simplex is taken apart. */
#include <math.h>

#include "frame.h"

#define CLOSED 1e-12
enum { MOST_LOOPS = 200 };

static double determinant(int n, double m[3][3])
{
    if (n == 1) {
        return m[0][0];
    }
    if (n == 2) {
        return m[0][0] * m[1][1] - m[0][1] * m[1][0];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* argmin |Ht - b| = (H'H)^-1 H'b. False: H'H is singular. */
static bool least_squares(int n, const apart_vec3 *h, apart_vec3 b, double *t)
{
    double m[3][3];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            m[i][k] = apart_vec3_dot(h[i], h[k]);
        }
    }
    const double whole = n > 0 ? determinant(n, m) : 1.0;
    for (int i = 0; i < n; i++) {
        double replaced[3][3];
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                replaced[k][j] = j == i ? apart_vec3_dot(h[k], b) : m[k][j];
            }
        }
        t[i] = determinant(n, replaced) / whole;
    }
    return whole > 0.0;
}

/* The nearest point of a simplex: by least squares if it is inside, else the nearest of those of its faces, which are
 * all taken anew on every way down. */
static lab_tips closest(const lab_tips *simplex, bool printed, lab_work *work)
{
    lab_tips best = *simplex;
    apart_vec3 h[3];
    double t[3], sum = 0.0;
    const int n = simplex->count - 1;
    work->visits[n + 1]++;
    for (int i = 0; i < n; i++) {
        h[i] = apart_vec3_sub(simplex->tip[i + 1].w, simplex->tip[0].w);
    }
    bool inside = least_squares(n, h, apart_vec3_scale(printed ? 1.0 : -1.0, simplex->tip[0].w), t);
    for (int i = 0; i < n; i++) {
        best.lambda[i + 1] = t[i];
        sum += t[i];
        inside = inside && t[i] > 0.0;
    }
    best.lambda[0] = 1.0 - sum;
    if (n == 0 || (inside && sum < 1.0)) {
        return best;
    }
    double shortest = INFINITY;
    for (int left_out = 0; left_out <= n; left_out++) {
        lab_tips face = {.count = 0};
        for (int i = 0; i <= n; i++) {
            if (i != left_out) {
                face.tip[face.count++] = simplex->tip[i];
            }
        }
        const lab_tips found = closest(&face, printed, work);
        const double length = apart_vec3_norm(lab_tips_point(&found));
        if (length < shortest) {
            shortest = length;
            best = found;
        }
    }
    return best;
}

static apart_vec3 center_of_gravity(const lab_points *p)
{
    apart_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        sum = apart_vec3_add(sum, p->point[i]);
    }
    return apart_vec3_scale(1.0 / p->count, sum);
}

/* Step 4. Of the simplex, s(w_k, -d) is the point with the least product with d. */
static bool is_closest(const lab_tips *w, apart_vec3 d, const lab_tip *next, bool printed)
{
    if (!printed) {
        return apart_vec3_dot(d, next->w) >= apart_vec3_dot(d, d) - CLOSED;
    }
    double least = INFINITY;
    for (int i = 0; i < w->count; i++) {
        least = fmin(least, apart_vec3_dot(d, w->tip[i].w));
    }
    return least >= apart_vec3_dot(d, next->w);
}

void lab_divide(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    lab_tips w = {.count = 0};
    *answer = (lab_printed_answer){.end = LAB_END_LOOPS};
    apart_vec3 d = apart_vec3_sub(center_of_gravity(&a->points), center_of_gravity(&b->points));
    if (o->printed) { /* "choose any point m" */
        w = (lab_tips){.tip = {lab_tip_of(a, b, 0, 0)}, .lambda = {1.0}, .count = 1};
        d = w.tip[0].w;
    }
    while (answer->work.loops++ < MOST_LOOPS) {
        const lab_tip next = lab_support(a, b, apart_vec3_neg(d), &answer->work);
        if (is_closest(&w, d, &next, o->printed)) {
            answer->end = w.count == 4 ? LAB_END_INSIDE : LAB_END_FOUND;
            break;
        }
        w.tip[w.count++] = next;
        w = closest(&w, o->printed, &answer->work);
        d = lab_tips_point(&w);
        if (w.count == 4) { /* d = 0 to rounding: the program ends by its tolerance */
            answer->end = LAB_END_INSIDE;
            break;
        }
    }
    lab_answer_from(a, b, &w, answer);
}
