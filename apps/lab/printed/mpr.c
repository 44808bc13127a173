/* Source: G. Snethen, XenoCollide: Complex Collision Made Simple, Game Programming Gems 7, 2008 (Minkowski portal
 * refinement).
 *
 * Legend: v0 an inner point of A - B, the difference of the centres; the portal v1 v2 v3 a triangle on its surface that
 * the ray from v0 through the origin passes; it is refined until the support point beyond it is no farther. The depth
 * returned is the distance of the origin to the last portal's plane: that of a translation that ends the overlap, but
 * not of the shortest. */
#include <math.h>

#include "frame.h"

#define CLOSED 1e-12
enum { MOST_LOOPS = 200 };

static double dot(apart_vec3 a, apart_vec3 b) { return apart_vec3_dot(a, b); }

static apart_vec3 center(const lab_points *p)
{
    apart_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        sum = apart_vec3_add(sum, p->point[i]);
    }
    return apart_vec3_scale(1.0 / p->count, sum);
}

static apart_vec3 normal_of(const lab_tip *v, int i, int j, apart_vec3 from)
{
    return apart_vec3_cross(apart_vec3_sub(v[i].w, from), apart_vec3_sub(v[j].w, from));
}

/* A portal in v[0..2], whose normal points away from v0. False: the bodies are apart. */
static bool find_portal(const lab_solid *a, const lab_solid *b, apart_vec3 v0, lab_tip v[3], lab_work *work)
{
    v[0] = lab_support(a, b, apart_vec3_neg(v0), work);
    if (dot(v[0].w, v0) >= 0.0) {
        return false;
    }
    apart_vec3 n = apart_vec3_cross(v[0].w, v0);
    v[1] = lab_support(a, b, n, work);
    if (dot(v[1].w, n) <= 0.0) {
        return false;
    }
    n = normal_of(v, 0, 1, v0);
    if (dot(n, v0) > 0.0) {
        const lab_tip other = v[0];
        v[0] = v[1];
        v[1] = other;
        n = apart_vec3_neg(n);
    }
    while (work->loops++ < MOST_LOOPS) {
        v[2] = lab_support(a, b, n, work);
        if (dot(v[2].w, n) <= 0.0) {
            return false;
        }
        if (dot(apart_vec3_cross(v[0].w, v[2].w), v0) < 0.0) { /* the origin is outside (v0, v1, v3) */
            v[1] = v[2];
        } else if (dot(apart_vec3_cross(v[2].w, v[1].w), v0) < 0.0) {
            v[0] = v[2];
        } else {
            return true;
        }
        n = normal_of(v, 0, 1, v0);
    }
    return false;
}

/* The triangle of the tetrahedron over the portal that the ray passes. */
static void expand(lab_tip v[3], const lab_tip *v4, apart_vec3 v0)
{
    const apart_vec3 n = apart_vec3_cross(v4->w, v0);
    int out;
    if (dot(v[0].w, n) > 0.0) {
        out = dot(v[1].w, n) > 0.0 ? 0 : 2;
    } else {
        out = dot(v[2].w, n) > 0.0 ? 1 : 0;
    }
    v[out] = *v4;
}

void lab_mpr(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    (void)o;
    lab_tip v[3];
    const apart_vec3 v0 = apart_vec3_sub(center(&a->points), center(&b->points));
    *answer = (lab_printed_answer){.end = LAB_END_FOUND, .distance = INFINITY};
    if (!find_portal(a, b, v0, v, &answer->work)) {
        return;
    }
    answer->end = LAB_END_LOOPS;
    bool inside = false;
    while (answer->work.loops++ < MOST_LOOPS) {
        apart_vec3 n = normal_of(v, 1, 2, v[0].w);
        n = apart_vec3_scale(1.0 / apart_vec3_norm(n), n);
        n = dot(n, apart_vec3_sub(v[0].w, v0)) < 0.0 ? apart_vec3_neg(n) : n;
        const double plane = dot(n, v[0].w);
        inside = inside || plane >= 0.0;
        const lab_tip v4 = lab_support(a, b, n, &answer->work);
        if (!inside && dot(v4.w, n) < 0.0) {
            answer->end = LAB_END_FOUND;
            return;
        }
        if (dot(v4.w, n) - plane <= CLOSED || lab_tips_have(&(lab_tips){.tip = {v[0], v[1], v[2]}, .count = 3}, &v4)) {
            answer->end = inside ? LAB_END_INSIDE : LAB_END_FOUND;
            answer->distance = inside ? -plane : INFINITY;
            return;
        }
        expand(v, &v4, v0);
    }
}
