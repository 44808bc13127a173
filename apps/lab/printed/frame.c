/* What the algorithms as printed share, and their list. */
#include "frame.h"

#include <math.h>

const lab_printed_algorithm lab_printed_algorithms[] = {
    {"original", "Gilbert, Johnson, Keerthi 1988; geometric Fig. 1; Cameron §3.3",
     "interference when every Δ ≤ 0; ends at ν·ν + H = 0 alone", lab_original, false, false},
    {"geometric", "Geometric Fig. 7", "of several separating faces, discard the farthest point", lab_geometric_3d,
     false, false},
    {"lindemann", "Lindemann §4.1, Ericson's sub-algorithm", "“no more extreme” without a tolerance", lab_lindemann,
     false, false},
    {"divide", "Divide and conquer", "stop if ≥; minimise ‖Ht − w₀‖", lab_divide, false, false},
    {"nesterov", "Montaut and others 2022", NULL, lab_nesterov, false, false},
    {"v-clip", "Lin, Canny 1991; Mirtich 1998", NULL, lab_vclip, false, true},
    {"epa", "van den Bergen 2001", NULL, lab_epa, true, false},
    {"mpr", "Snethen 2008", NULL, lab_mpr, true, false},
};
const int lab_printed_count = sizeof lab_printed_algorithms / sizeof lab_printed_algorithms[0];

static uint32_t farthest(const lab_points *p, apart_vec3 d, double sign)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        const double value = sign * apart_vec3_dot(p->point[i], d);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

lab_tip lab_tip_of(const lab_solid *a, const lab_solid *b, uint32_t i, uint32_t k)
{
    return (lab_tip){apart_vec3_sub(a->points.point[i], b->points.point[k]), i, k};
}

lab_tip lab_support(const lab_solid *a, const lab_solid *b, apart_vec3 d, lab_work *work)
{
    work->supports += 2;
    return lab_tip_of(a, b, farthest(&a->points, d, 1.0), farthest(&b->points, d, -1.0));
}

bool lab_tips_have(const lab_tips *s, const lab_tip *tip)
{
    for (int i = 0; i < s->count; i++) {
        if (s->tip[i].a == tip->a && s->tip[i].b == tip->b) {
            return true;
        }
    }
    return false;
}

apart_vec3 lab_tips_point(const lab_tips *s)
{
    apart_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        sum = apart_vec3_add_scaled(sum, s->lambda[i], s->tip[i].w);
    }
    return sum;
}

void lab_tips_reduce(lab_tips *s)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->lambda[i] > 0.0) {
            s->tip[kept] = s->tip[i];
            s->lambda[kept++] = s->lambda[i];
        }
    }
    s->count = kept;
}

void lab_answer_from(const lab_solid *a, const lab_solid *b, const lab_tips *s, lab_printed_answer *answer)
{
    answer->a = answer->b = (apart_vec3){0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        answer->a = apart_vec3_add_scaled(answer->a, s->lambda[i], a->points.point[s->tip[i].a]);
        answer->b = apart_vec3_add_scaled(answer->b, s->lambda[i], b->points.point[s->tip[i].b]);
    }
    answer->distance = answer->end == LAB_END_INSIDE ? 0.0 : apart_vec3_distance(answer->a, answer->b);
}
