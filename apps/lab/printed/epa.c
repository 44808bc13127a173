/* Source: G. van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects, 2001 (EPA).
 *
 * Legend: the polytope, triangles of points w of A - B around the origin; its triangle nearest to the origin is split at
 * the support point along its normal until that is no farther; then the triangle's plane is a face of A - B and its
 * distance the depth. */
#include <math.h>
#include <stdlib.h>

#include "../text.h"
#include "frame.h"

#define CLOSED 1e-12
enum { MOST_TRIANGLES = 4096, MOST_EDGES = 1024, MOST_LOOPS = 500 };

typedef struct triangle {
    lab_tip v[3];
    apart_vec3 normal;
    double distance;
} triangle;

typedef struct polytope {
    triangle list[MOST_TRIANGLES];
    int count;
    lab_tip edge[MOST_EDGES][2];
    int edges;
} polytope;

/* False: there is no room, or the triangle has no area. */
static bool add(polytope *p, lab_tip a, lab_tip b, lab_tip c)
{
    const apart_vec3 n = apart_vec3_cross(apart_vec3_sub(b.w, a.w), apart_vec3_sub(c.w, a.w));
    const double length = apart_vec3_norm(n);
    if (p->count == MOST_TRIANGLES || !(length > 0.0)) {
        return false;
    }
    triangle t = {{a, b, c}, apart_vec3_scale(1.0 / length, n), 0.0};
    t.distance = apart_vec3_dot(t.normal, a.w);
    p->list[p->count++] = t;
    return true;
}

static bool same(const lab_tip *x, const lab_tip *y) { return x->a == y->a && x->b == y->b; }

/* An edge of a triangle that goes: it is on the horizon unless its other triangle goes too. */
static bool note_edge(polytope *p, const lab_tip *from, const lab_tip *to)
{
    for (int i = 0; i < p->edges; i++) {
        if (same(&p->edge[i][0], to) && same(&p->edge[i][1], from)) {
            p->edges--;
            p->edge[i][0] = p->edge[p->edges][0];
            p->edge[i][1] = p->edge[p->edges][1];
            return true;
        }
    }
    if (p->edges == MOST_EDGES) {
        return false;
    }
    p->edge[p->edges][0] = *from;
    p->edge[p->edges++][1] = *to;
    return true;
}

/* All triangles that see w are replaced by a fan from it to their horizon. */
static bool expand(polytope *p, const lab_tip *w)
{
    bool good = true;
    p->edges = 0;
    for (int i = 0; i < p->count;) {
        const triangle t = p->list[i];
        if (apart_vec3_dot(t.normal, w->w) > t.distance) {
            for (int k = 0; k < 3; k++) {
                good = note_edge(p, &t.v[k], &t.v[(k + 1) % 3]) && good;
            }
            p->list[i] = p->list[--p->count];
        } else {
            i++;
        }
    }
    for (int i = 0; i < p->edges; i++) {
        good = add(p, p->edge[i][0], p->edge[i][1], *w) && good;
    }
    return good;
}

static bool begin(polytope *p, const lab_tips *s)
{
    const lab_tip *v = s->tip;
    const apart_vec3 n = apart_vec3_cross(apart_vec3_sub(v[1].w, v[0].w), apart_vec3_sub(v[2].w, v[0].w));
    const bool above = apart_vec3_dot(n, apart_vec3_sub(v[3].w, v[0].w)) > 0.0;
    const lab_tip a = v[0], b = above ? v[2] : v[1], c = above ? v[1] : v[2], d = v[3];
    return add(p, a, b, c) && add(p, a, d, b) && add(p, b, d, c) && add(p, c, d, a);
}

void lab_epa(const lab_solid *a, const lab_solid *b, const lab_printed_options *o, lab_printed_answer *answer)
{
    (void)o;
    lab_tips s;
    *answer = (lab_printed_answer){.end = LAB_END_FOUND};
    if (!lab_enclose(a, b, &s, &answer->work)) {
        lab_answer_from(a, b, &s, answer);
        return;
    }
    polytope *p = lab_allocate(1, sizeof *p);
    bool good = begin(p, &s);
    answer->end = LAB_END_LOOPS;
    for (int loop = 0; good && loop < MOST_LOOPS; loop++) {
        const triangle *nearest = &p->list[0];
        for (int i = 1; i < p->count; i++) {
            nearest = p->list[i].distance < nearest->distance ? &p->list[i] : nearest;
        }
        answer->work.loops++;
        answer->distance = -nearest->distance;
        const lab_tip w = lab_support(a, b, nearest->normal, &answer->work);
        if (apart_vec3_dot(nearest->normal, w.w) - nearest->distance <= CLOSED) {
            answer->end = LAB_END_INSIDE;
            break;
        }
        good = expand(p, &w);
    }
    free(p);
}
