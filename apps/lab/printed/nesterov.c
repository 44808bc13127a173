/* Source: L. Montaut, Q. Le Lidec, V. Petrik, J. Sivic, J. Carpentier, Collision Detection Accelerated: An Optimization
 * Perspective, 2022: GJK as a Frank-Wolfe method with Nesterov's momentum.
 *
 * Legend: x_k the nearest point of the simplex W_k; s_k the support point; d_k the direction of the support with
 * momentum; delta_k = (k + 1) / (k + 3); g = <x, x - s> the duality gap. Where the gap of d is closed and d is not x,
 * the momentum is dropped: only a support along x itself can end the loop. */
#include <math.h>

#include "frame.h"

#define CLOSED 1e-14
enum { MOST_LOOPS = 200 };

void lab_nesterov(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    (void)o;
    lab_tips w = {.count = 0};
    lab_tip s = lab_tip_of(a, b, 0, 0);
    apart_vec3 x = s.w, d = x;
    bool momentum = true;
    *answer = (lab_printed_answer){.end = LAB_END_LOOPS};
    for (int k = 0; answer->work.loops++ < MOST_LOOPS; k++) {
        const double delta = (k + 1.0) / (k + 3.0);
        const apart_vec3 y = apart_vec3_add_scaled(apart_vec3_scale(delta, x), 1.0 - delta, s.w);
        d = momentum ? apart_vec3_add_scaled(apart_vec3_scale(delta, d), 1.0 - delta, y) : x;
        s = lab_support(a, b, apart_vec3_neg(d), &answer->work);
        const double square = apart_vec3_dot(x, x), gap = square - apart_vec3_dot(x, s.w);
        if (gap <= CLOSED * square || lab_tips_have(&w, &s)) {
            if (!momentum) {
                answer->end = LAB_END_FOUND;
                break;
            }
            momentum = false;
            continue;
        }
        w.tip[w.count++] = s;
        x = lab_ericson(&w, &answer->work);
        if (w.count == 4) {
            answer->end = LAB_END_INSIDE;
            break;
        }
    }
    if (w.count == 0) {
        w = (lab_tips){.tip = {lab_tip_of(a, b, 0, 0)}, .lambda = {1.0}, .count = 1};
    }
    lab_answer_from(a, b, &w, answer);
}
