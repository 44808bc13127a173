/* The solver by Voronoi regions: Ericson, SIGGRAPH 2004 and Real-Time Collision Detection, section 5.1; Lindemann 2009,
 * section 5 (item L5 of docs/papers.md).
 *
 * For a segment, a triangle and a tetrahedron, tests decide in which Voronoi region the origin lies: that of a vertex,
 * an edge, a face, or the interior.
 *
 * We differ in: the query point is always the origin; a face of a flat tetrahedron counts as visible from the origin,
 * so that a flat simplex is never "inside"; an edge of length zero has no region, and a triangle for which no test
 * succeeds takes the best of its edges. v = a + s ab + t ac, as in the source. */
#include "shared.h"

/* The closest point of a segment: a + t ab for t in (0, 1), an end otherwise. */
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

/* The closest point in the interior of a triangle: its barycentric coordinates are proportional to the areas va, vb and
 * vc, which are all positive. */
static ap_candidate in_triangle(const ap_simplex *s, const int id[3], double va, double vb, double vc)
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

/* Is the origin in the region of the edge from p to q? `area`: twice the signed area that its projection spans with the
 * edge, not positive beyond the edge; from_p and from_q: how far it is from p towards q, and (negative) from q, times
 * the edge's length. */
static bool in_edge_region(double area, double from_p, double from_q)
{
    return area <= 0.0 && from_p >= 0.0 && from_q <= 0.0 && from_p > from_q;
}

/* The closest point of a triangle. The dot products d1 to d6 and the areas va, vb, vc have the names of the source. */
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
    if (in_edge_region(vc, d1, d3)) {
        return on_segment(s, i, j);
    }
    const double d5 = -ap_dot(ab, c), d6 = -ap_dot(ac, c);
    if (d6 >= 0.0 && d5 <= d6) {
        return ap_candidate_vertex(s, k);
    }
    const double vb = product_difference(d5, d2, d1, d6);
    if (in_edge_region(vb, d2, d6)) {
        return on_segment(s, i, k);
    }
    const double va = product_difference(d3, d6, d5, d4);
    if (in_edge_region(va, d4 - d3, d6 - d5)) {
        return on_segment(s, j, k);
    }
    const int id[3] = {i, j, k};
    return va > 0.0 && vb > 0.0 && vc > 0.0 ? in_triangle(s, id, va, vb, vc) : on_best_edge(s, i, j, k);
}

/* Is the origin not on the same side of a face as the opposite vertex? If it is, *lambda becomes the weight of that
 * vertex: the ratio of both heights above the plane of the face. */
static bool is_outside_face(const ap_simplex *s, const int *face, int opposite, double *lambda)
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
    double lambda[4] = {0.0};
    unsigned outside = 0u;
    for (int i = 0; i < 4; i++) {
        outside |= is_outside_face(s, ap_tetrahedron_face(i), i, &lambda[i]) ? 1u << i : 0u;
    }
    return ap_candidate_tetrahedron(s, outside, lambda, on_triangle);
}

bool ap_solve_voronoi(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    static const ap_face_solver voronoi_regions = {on_segment, on_triangle, on_tetrahedron};
    return ap_solve_faces(&voronoi_regions, simplex, dim, v);
}
