/* The default simplex solver: region tests on difference vectors, and v from cross products.
 *
 * Source: Ericson's regions (Lindemann 2009 section 5, item L5), written as a search over the faces that the origin lies
 * beyond instead of a tree of cases. We differ in two ways that matter near contact and on needles:
 *   - v is never sum lambda w. On a face v = n (n.p)/(n.n), on an edge v = e x (p x e)/(e.e): perpendicular to the feature
 *     to rounding of |v|, where the weighted sum loses eps * |w|. The duality gap is first order in that angle.
 *   - those cross products are taken with error-free products.
 * A test that rounding could turn is decided towards the lower-dimensional feature; all candidates are solved, the nearest wins.
 */
#include "simplex.h"

#define UNIT_ROUNDOFF 1.1102230246251565e-16 /* 2^-53 */

/* Features whose squared size is below this (the pair has size 1) are taken for their vertices: it could not be divided by. */
#define LEAST_SQUARE 0x1p-960

/* The closest point of one feature: v, its squared length, the vertices that span it and their weights. */
typedef struct closest {
    apart_vec3 v;
    double squared;
    unsigned keep;
    double lambda[4];
} closest;

static closest at_vertex(const ap_simplex *s, int i)
{
    closest c = {.v = s->vertex[i].w, .keep = 1u << i};
    c.squared = ap_dot(c.v, c.v);
    c.lambda[i] = 1.0;
    return c;
}

static closest on_segment(const ap_simplex *s, int i, int j)
{
    const apart_vec3 p = s->vertex[i].w, q = s->vertex[j].w;
    const apart_vec3 e = ap_sub(q, p);
    const double to_q = -ap_dot(p, e), to_p = ap_dot(q, e), length = ap_dot(e, e);
    if (!(to_q > 0.0) || !(length > LEAST_SQUARE)) {
        return at_vertex(s, i);
    }
    if (!(to_p > 0.0)) {
        return at_vertex(s, j);
    }
    const double inverse = 1.0 / (to_p + to_q);
    closest c = {.keep = 1u << i | 1u << j};
    c.v = ap_scale(1.0 / length, ap_cross(e, ap_cross_accurate(p, e)));
    c.squared = ap_dot(c.v, c.v);
    ap_count_div(2);
    ap_count_mul(2);
    c.lambda[i] = to_p * inverse;
    c.lambda[j] = to_q * inverse;
    return c;
}

static closest nearer(closest a, closest b) { return b.squared < a.squared ? b : a; }

/* The projection of the origin on the plane of i, j, k with normal n, and the three signed areas (times |n|) it makes with the edges. */
static apart_vec3 project(const ap_simplex *s, const int id[3], apart_vec3 n, double area[3])
{
    apart_vec3 nearest = s->vertex[id[0]].w;
    double least = ap_dot(nearest, nearest);
    for (int t = 1; t < 3; t++) {
        const double length = ap_dot(s->vertex[id[t]].w, s->vertex[id[t]].w);
        if (length < least) {
            least = length;
            nearest = s->vertex[id[t]].w;
        }
    }
    ap_count_div(1);
    const apart_vec3 v = ap_scale(ap_dot(n, nearest) / ap_dot(n, n), n);
    apart_vec3 q[3];
    for (int t = 0; t < 3; t++) {
        q[t] = ap_sub(s->vertex[id[t]].w, v);
    }
    for (int t = 0; t < 3; t++) {
        area[t] = ap_dot(n, ap_cross(q[(t + 1) % 3], q[(t + 2) % 3]));
    }
    return v;
}

/* The normal of three vertices from the two edges that meet at the widest corner's neighbour: any two edges will do. */
static apart_vec3 face_normal(const ap_simplex *s, const int id[3])
{
    const apart_vec3 p = s->vertex[id[2]].w;
    return ap_cross_accurate(ap_sub(s->vertex[id[0]].w, p), ap_sub(s->vertex[id[1]].w, p));
}

/* The edges of the triangle that the origin's projection is not clearly inside of: the nearest of their closest points. */
static closest on_edges(const ap_simplex *s, const int id[3], const double area[3])
{
    closest best = {.squared = INFINITY};
    for (int t = 0; t < 3; t++) {
        if (!(area[t] > 0.0)) {
            best = nearer(best, on_segment(s, id[(t + 1) % 3], id[(t + 2) % 3]));
        }
    }
    return best;
}

static closest on_triangle(const ap_simplex *s, const int id[3], apart_vec3 n)
{
    double area[3] = {0.0, 0.0, 0.0};
    if (!(ap_dot(n, n) > LEAST_SQUARE)) {
        return on_edges(s, id, area);
    }
    const apart_vec3 v = project(s, id, n, area);
    const double whole = (area[0] + area[1]) + area[2];
    if (!(fabs(whole - ap_dot(n, n)) <= 0x1p-10 * whole)) {
        area[0] = area[1] = area[2] = 0.0; /* n is rounding noise: the points are on a line, and only the edges mean anything */
    }
    if (!(area[0] > 0.0 && area[1] > 0.0 && area[2] > 0.0)) {
        return on_edges(s, id, area);
    }
    closest c = {.v = v, .squared = ap_dot(v, v), .keep = 1u << id[0] | 1u << id[1] | 1u << id[2]};
    const double inverse = 1.0 / whole;
    ap_count_div(1);
    ap_count_mul(3);
    for (int t = 0; t < 3; t++) {
        c.lambda[id[t]] = area[t] * inverse;
    }
    return c;
}

/* 2D: the origin is in the triangle when it is on the same side of the three edges as the triangle, clearly. */
static closest in_plane(const ap_simplex *s, bool *inside)
{
    static const int id[3] = {0, 1, 2};
    double area[3], size = 0.0;
    const double whole = face_normal(s, id).z;
    for (int t = 0; t < 3; t++) {
        const apart_vec3 p = s->vertex[(t + 1) % 3].w, q = s->vertex[(t + 2) % 3].w;
        const double twice = ap_diff_of_products(p.x, q.y, p.y, q.x);
        area[t] = whole > 0.0 ? twice : -twice;
        size = ap_max(size, ap_max_abs(p));
    }
    const double noise = 0x1p-98 * size * size; /* a difference of products carries 106 bits */
    *inside = area[0] > noise && area[1] > noise && area[2] > noise;
    ap_count_mul(2);
    if (!*inside) {
        for (int t = 0; t < 3; t++) {
            area[t] = area[t] > noise ? area[t] : 0.0;
        }
        return on_edges(s, id, area);
    }
    closest c = {.keep = 7u};
    const double inverse = 1.0 / ((area[0] + area[1]) + area[2]);
    for (int t = 0; t < 3; t++) {
        c.lambda[t] = area[t] * inverse;
    }
    return c;
}

/* 3D: every face that does not clearly have the origin on the side of the fourth vertex is solved. */
static closest in_tetrahedron(const ap_simplex *s, bool *inside)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    closest best = {.squared = INFINITY};
    double weight[4];
    double size = 0.0;
    for (int k = 0; k < 4; k++) {
        size = ap_max(size, ap_max_abs(s->vertex[k].w));
    }
    *inside = true;
    for (int k = 0; k < 4; k++) {
        const apart_vec3 n = face_normal(s, face[k]);
        const apart_vec3 p = s->vertex[face[k][2]].w;
        const double vertex_side = ap_dot(n, ap_sub(s->vertex[k].w, p)), origin_side = -ap_dot(n, p);
        /* Each dot product errs by less than 3u * 3 |n|_max * 2 size. */
        const double noise = 18.0 * UNIT_ROUNDOFF * ap_max_abs(n) * size;
        const double toward = vertex_side > 0.0 ? origin_side : -origin_side;
        ap_count_mul(2);
        if (toward > noise && fabs(vertex_side) > noise) {
            weight[k] = toward / fabs(vertex_side);
            ap_count_div(1);
            continue;
        }
        *inside = false;
        best = nearer(best, on_triangle(s, face[k], n));
    }
    if (*inside) {
        const double inverse = 1.0 / ((weight[0] + weight[1]) + (weight[2] + weight[3]));
        best = (closest){.keep = 15u};
        ap_count_div(1);
        for (int k = 0; k < 4; k++) {
            best.lambda[k] = weight[k] * inverse;
        }
    }
    return best;
}

bool ap_solve_default(ap_simplex *s, int dim, apart_vec3 *v)
{
    static const int all[3] = {0, 1, 2};
    bool inside = false;
    closest c;
    if (s->count == 1) {
        c = at_vertex(s, 0);
    } else if (s->count == 2) {
        c = on_segment(s, 0, 1);
    } else if (s->count == 3) {
        c = dim == 2 ? in_plane(s, &inside) : on_triangle(s, all, face_normal(s, all));
    } else {
        c = in_tetrahedron(s, &inside);
    }
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].lambda = c.lambda[i];
    }
    ap_simplex_keep(s, c.keep);
    *v = c.v;
    return inside;
}
