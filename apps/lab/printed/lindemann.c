/* Source: P. Lindemann, The Gilbert-Johnson-Keerthi Distance Algorithm, 2009 (docs/papers.md, L4, L5): section 4.1, the
 * main algorithm in seven steps; section 5, Ericson's sub-algorithm by Voronoi regions (Fig. 6).
 *
 * Legend: C = A - B; W_k the simplex, v_k its point nearest to the origin, w_k = s_C(-v_k). X the origin; V_A, E_AB the
 * Voronoi regions of a vertex and of an edge.
 *
 * `printed` is step 3 to the letter: w_k is no more extreme than v_k, by the doubles. Else the gap may be a rounding, or
 * w_k in the simplex already. We differ in: of a tetrahedron the nearest of the faces that the origin is outside of is
 * taken, which section 5 leaves to the reader. */
#include <math.h>

#include "frame.h"

#define CLOSED 1e-14
enum { MOST_LOOPS = 200 };

static double dot(apart_vec3 a, apart_vec3 b) { return apart_vec3_dot(a, b); }

/* Weights of some points of the simplex; the others get none. */
static void weigh(lab_tips *s, int i, double x, int k, double y)
{
    for (int n = 0; n < s->count; n++) {
        s->lambda[n] = n == i ? x : n == k ? y : 0.0;
    }
}

static void on_segment(lab_tips *s)
{
    const apart_vec3 ax = apart_vec3_neg(s->tip[0].w), ab = apart_vec3_sub(s->tip[1].w, s->tip[0].w);
    const double t = dot(ax, ab) / dot(ab, ab);
    if (!(t > 0.0)) {
        weigh(s, 0, 1.0, -1, 0.0);
    } else if (t >= 1.0) {
        weigh(s, 1, 1.0, -1, 0.0);
    } else {
        weigh(s, 0, 1.0 - t, 1, t);
    }
}

/* Is the origin in the region E_PQ of a triangle with the third point r, and where on the edge? */
static bool in_edge_region(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *t)
{
    const apart_vec3 qr = apart_vec3_sub(r, q), qp = apart_vec3_sub(p, q), qx = apart_vec3_neg(q),
                     px = apart_vec3_neg(p), pq = apart_vec3_neg(qp);
    *t = dot(px, pq) / dot(pq, pq);
    return dot(apart_vec3_cross(apart_vec3_cross(qr, qp), qp), qx) >= 0.0 && dot(px, pq) >= 0.0 && dot(qx, qp) >= 0.0;
}

static void on_triangle(lab_tips *s)
{
    const apart_vec3 p[3] = {s->tip[0].w, s->tip[1].w, s->tip[2].w};
    for (int i = 0; i < 3; i++) {
        const apart_vec3 ax = apart_vec3_neg(p[i]);
        if (dot(ax, apart_vec3_sub(p[(i + 1) % 3], p[i])) <= 0.0 &&
            dot(ax, apart_vec3_sub(p[(i + 2) % 3], p[i])) <= 0.0) {
            weigh(s, i, 1.0, -1, 0.0); /* V_A */
            return;
        }
    }
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3;
        double t;
        if (in_edge_region(p[i], p[k], p[(i + 2) % 3], &t)) {
            weigh(s, i, 1.0 - t, k, t); /* E_AB */
            return;
        }
    }
    const apart_vec3 n = apart_vec3_cross(apart_vec3_sub(p[1], p[0]), apart_vec3_sub(p[2], p[0]));
    const double u = dot(n, apart_vec3_cross(p[1], p[2])), v = dot(n, apart_vec3_cross(p[2], p[0])),
                 w = dot(n, apart_vec3_cross(p[0], p[1])), sum = u + v + w;
    s->lambda[0] = u / sum;
    s->lambda[1] = v / sum;
    s->lambda[2] = w / sum;
}

/* Is the origin on the other side of the face than the fourth point? */
static bool is_outside(const lab_tips *face, apart_vec3 fourth)
{
    const apart_vec3 p = face->tip[0].w,
                     n = apart_vec3_cross(apart_vec3_sub(face->tip[1].w, p), apart_vec3_sub(face->tip[2].w, p));
    return dot(apart_vec3_neg(p), n) * dot(apart_vec3_sub(fourth, p), n) < 0.0;
}

static void on_tetrahedron(lab_tips *s, lab_work *work)
{
    lab_tips best = {.count = 0};
    double least = INFINITY;
    for (int rest = 0; rest < 4; rest++) {
        lab_tips face = {.count = 0};
        for (int i = 0; i < 4; i++) {
            if (i != rest) {
                face.tip[face.count++] = s->tip[i];
            }
        }
        if (!is_outside(&face, s->tip[rest].w)) {
            continue;
        }
        const apart_vec3 v = lab_ericson(&face, work);
        if (dot(v, v) < least) {
            least = dot(v, v);
            best = face;
        }
    }
    if (best.count > 0) {
        *s = best;
    } else {
        s->lambda[0] = s->lambda[1] = s->lambda[2] = s->lambda[3] = 0.25;
    }
}

apart_vec3 lab_ericson(lab_tips *s, lab_work *work)
{
    work->visits[s->count]++;
    switch (s->count) {
    case 1: s->lambda[0] = 1.0; break;
    case 2: on_segment(s); break;
    case 3: on_triangle(s); break;
    default:
        on_tetrahedron(s, work);
        if (s->count == 4) {
            return (apart_vec3){0, 0, 0};
        }
        break;
    }
    lab_tips_reduce(s);
    return lab_tips_point(s);
}

/* Step 3: is w no more extreme than v in the direction -v? */
static bool is_no_more_extreme(const lab_tips *s, apart_vec3 v, const lab_tip *w, bool printed)
{
    const double gap = dot(v, v) - dot(v, w->w);
    return printed ? gap <= 0.0 : gap <= CLOSED * dot(v, v) || lab_tips_have(s, w);
}

static lab_end search(const lab_solid *a, const lab_solid *b, bool printed, lab_tips *s, lab_work *work)
{
    const lab_tip arbitrary = lab_tip_of(a, b, 0, 0);
    apart_vec3 v = arbitrary.w;
    s->count = 0;
    while (work->loops++ < MOST_LOOPS) {
        const lab_tip w = lab_support(a, b, apart_vec3_neg(v), work);
        if (is_no_more_extreme(s, v, &w, printed)) {
            if (s->count == 0) { /* v_0 was the nearest point */
                *s = (lab_tips){.tip = {arbitrary}, .lambda = {1.0}, .count = 1};
            }
            return LAB_END_FOUND;
        }
        s->tip[s->count++] = w;
        v = lab_ericson(s, work);
        if (s->count == 4) {
            return LAB_END_INSIDE;
        }
    }
    return LAB_END_LOOPS;
}

void lab_lindemann(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    lab_tips s;
    *answer = (lab_printed_answer){.end = LAB_END_LOOPS};
    answer->end = search(a, b, o->printed, &s, &answer->work);
    lab_answer_from(a, b, &s, answer);
}

bool lab_enclose(const lab_solid *a, const lab_solid *b, lab_tips *s, lab_work *work)
{
    return search(a, b, false, s, work) == LAB_END_INSIDE;
}
