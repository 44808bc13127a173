/* The simplex by its Voronoi regions: Ericson, SIGGRAPH 2004 and Real-Time Collision Detection, section 5.1;
 * Lindemann 2009, section 5 (item L5).
 *
 * A segment, a triangle and a tetrahedron are asked in which of their regions the origin lies: of a vertex, an edge, a face, or inside.
 *
 * We differ in: the tests are for the origin alone; a face whose tetrahedron is flat counts as visible, so that a flat simplex is never
 * "inside"; an edge of length zero has no region, and a triangle that falls through all tests takes the best of its edges.
 * v is the source's a + s ab + t ac. */
#include "solve_shared.h"

/* a + t ab for t in (0, 1), an end otherwise. */
static ap_candidate on_segment(const ap_simplex *s, int i, int j)
{
    const apart_vec3 a = s->vertex[i].w, ab = ap_sub(s->vertex[j].w, a);
    const double t = -ap_dot(a, ab), length2 = ap_dot(ab, ab);
    if (!(t > 0.0)) {
        return ap_candidate_vertex(s, i);
    }
    if (t >= length2) {
        return ap_candidate_vertex(s, j);
    }
    ap_count_div(1);
    const double u = t / length2;
    ap_candidate c = {1u << i | 1u << j, {0.0}, ap_add(a, ap_scale(u, ab))};
    c.lambda[i] = 1.0 - u;
    c.lambda[j] = u;
    return c.lambda[i] > 0.0 && u > 0.0 ? c : ap_candidate_nearer_vertex(s, i, j);
}

static ap_candidate on_best_edge(const ap_simplex *s, int i, int j, int k)
{
    return ap_candidate_nearer(ap_candidate_nearer(on_segment(s, i, j), on_segment(s, i, k)), on_segment(s, j, k));
}

static double product_difference(double a, double b, double c, double d)
{
    ap_count_mul(2);
    return a * b - c * d;
}

/* The face's own region: barycentric coordinates from the areas va, vb, vc > 0. */
static ap_candidate on_face(const ap_simplex *s, const int id[3], double va, double vb, double vc)
{
    const apart_vec3 a = s->vertex[id[0]].w;
    ap_count_div(1);
    ap_count_mul(3);
    const double scale = 1.0 / (va + vb + vc);
    const double v = vb * scale, w = vc * scale;
    ap_candidate c = {1u << id[0] | 1u << id[1] | 1u << id[2], {0.0}, {0.0, 0.0, 0.0}};
    c.lambda[id[0]] = va * scale;
    c.lambda[id[1]] = v;
    c.lambda[id[2]] = w;
    c.v = ap_add(a, ap_add(ap_scale(v, ap_sub(s->vertex[id[1]].w, a)), ap_scale(w, ap_sub(s->vertex[id[2]].w, a))));
    return c;
}

static ap_candidate on_triangle(const ap_simplex *s, int i, int j, int k)
{
    const apart_vec3 a = s->vertex[i].w, b = s->vertex[j].w, c = s->vertex[k].w;
    const apart_vec3 ab = ap_sub(b, a), ac = ap_sub(c, a);
    const double d1 = -ap_dot(ab, a), d2 = -ap_dot(ac, a);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return ap_candidate_vertex(s, i);
    }
    const double d3 = -ap_dot(ab, b), d4 = -ap_dot(ac, b);
    if (d3 >= 0.0 && d4 <= d3) {
        return ap_candidate_vertex(s, j);
    }
    const double vc = product_difference(d1, d4, d3, d2);
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3) {
        return on_segment(s, i, j);
    }
    const double d5 = -ap_dot(ab, c), d6 = -ap_dot(ac, c);
    if (d6 >= 0.0 && d5 <= d6) {
        return ap_candidate_vertex(s, k);
    }
    const double vb = product_difference(d5, d2, d1, d6);
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6) {
        return on_segment(s, i, k);
    }
    const double va = product_difference(d3, d6, d5, d4);
    const double from_b = d4 - d3, from_c = d5 - d6;
    if (va <= 0.0 && from_b >= 0.0 && from_c >= 0.0 && from_b + from_c > 0.0) {
        return on_segment(s, j, k);
    }
    const int id[3] = {i, j, k};
    return va > 0.0 && vb > 0.0 && vc > 0.0 ? on_face(s, id, va, vb, vc) : on_best_edge(s, i, j, k);
}

/* The heights of the origin and of the opposite vertex over the plane of a face, both times the normal's length. */
static bool origin_beyond_face(const ap_simplex *s, const int face[3], int opposite, double *lambda)
{
    const apart_vec3 a = s->vertex[face[0]].w;
    const apart_vec3 normal = ap_cross(ap_sub(s->vertex[face[1]].w, a), ap_sub(s->vertex[face[2]].w, a));
    const double of_origin = -ap_dot(a, normal), of_vertex = ap_dot(ap_sub(s->vertex[opposite].w, a), normal);
    if ((of_origin > 0.0 && of_vertex > 0.0) || (of_origin < 0.0 && of_vertex < 0.0)) {
        ap_count_div(1);
        *lambda = of_origin / of_vertex;
        return false;
    }
    return true;
}

static ap_candidate on_tetrahedron(const ap_simplex *s)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    static const int all[4] = {0, 1, 2, 3};
    double lambda[4];
    ap_candidate best = {0u, {0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 4; i++) {
        if (origin_beyond_face(s, face[i], i, &lambda[i])) {
            const ap_candidate c = on_triangle(s, face[i][0], face[i][1], face[i][2]);
            best = best.keep == 0u ? c : ap_candidate_nearer(best, c);
        }
    }
    return best.keep == 0u ? ap_candidate_weights(s, 4, all, lambda) : best;
}

bool ap_solve_voronoi(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    ap_candidate c;
    switch (simplex->count) {
    case 1:
        c = ap_candidate_vertex(simplex, 0);
        break;
    case 2:
        c = on_segment(simplex, 0, 1);
        break;
    case 3:
        c = on_triangle(simplex, 0, 1, 2);
        break;
    default:
        c = on_tetrahedron(simplex);
        break;
    }
    return ap_candidate_finish(&c, dim, simplex, v);
}
