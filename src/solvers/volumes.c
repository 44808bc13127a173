/* Signed volumes: Montanari, Petrinic, Barbieri, "Improving the GJK algorithm for faster and more reliable distance
 * queries between convex objects", ACM Transactions on Graphics 36(3), 2017: their S3D, S2D and S1D.
 *
 * Weights are ratios of signed volumes, areas or lengths; a weight is accepted when its numerator has the sign of the
 * whole. Areas and lengths are those of the largest projection onto a coordinate plane or axis. A face whose vertex has
 * the wrong sign is searched.
 *
 * We differ in: S1D returns either end (the source only the newest vertex); the weights are divided by the sum of the
 * numerators, which equals the whole in exact arithmetic, so that they always add up to 1; a triangle without area
 * takes the best of its edges, a segment without length its nearer end. v = sum lambda w, as in the source. */
#include "shared.h"

static bool same_sign(double x, double y) { return (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0); }

static double coordinate_along(apart_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The axis of the largest component; the first on ties. */
static int largest_axis(apart_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* The closest point of a segment. */
static ap_candidate s1d(const ap_simplex *s, int i, int j)
{
    const apart_vec3 si = s->vertex[i].w, sj = s->vertex[j].w, t = ap_sub(sj, si);
    const double tt = ap_dot(t, t);
    if (!(tt > 0.0)) {
        return ap_candidate_nearer_vertex(s, i, j);
    }
    ap_count_div(1);
    const apart_vec3 projected = ap_sub(sj, ap_scale(ap_dot(sj, t) / tt, t));
    const int axis = largest_axis(t);
    const double p = coordinate_along(projected, axis), pi = coordinate_along(si, axis),
                 pj = coordinate_along(sj, axis);
    const double length = pi - pj, c[2] = {p - pj, pi - p};
    const int id[2] = {i, j};
    if (same_sign(length, c[0]) && same_sign(length, c[1])) {
        return ap_candidate_weights(s, 2, id, c);
    }
    return ap_candidate_vertex(s, same_sign(length, c[0]) ? i : j);
}

/* Twice the signed area of the triangle a, b, c projected along a coordinate axis. */
static double projected_area(apart_vec3 a, apart_vec3 b, apart_vec3 c, int axis)
{
    const int x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
    const double bx = coordinate_along(b, x) - coordinate_along(a, x),
                 by = coordinate_along(b, y) - coordinate_along(a, y);
    const double cx = coordinate_along(c, x) - coordinate_along(a, x),
                 cy = coordinate_along(c, y) - coordinate_along(a, y);
    ap_count_mul(2);
    return bx * cy - by * cx;
}

/* The closest point of those edges of a triangle that are to be searched; edge i is opposite vertex i. */
static ap_candidate nearest_searched_edge(const ap_simplex *s, const int id[3], const bool searched[3])
{
    ap_candidate best = AP_NO_CANDIDATE;
    for (int i = 0; i < 3; i++) {
        if (searched[i]) {
            best = ap_candidate_better(best, s1d(s, id[i == 0 ? 1 : 0], id[i == 2 ? 1 : 2]));
        }
    }
    return best;
}

/* The closest point of a triangle. */
static ap_candidate s2d(const ap_simplex *s, int i, int j, int k)
{
    const apart_vec3 si = s->vertex[i].w, sj = s->vertex[j].w, sk = s->vertex[k].w;
    const apart_vec3 n = ap_cross(ap_sub(sj, si), ap_sub(sk, si));
    const double nn = ap_dot(n, n);
    const int id[3] = {i, j, k};
    bool searched[3] = {true, true, true};
    if (!(nn > 0.0)) {
        return nearest_searched_edge(s, id, searched);
    }
    ap_count_div(1);
    const apart_vec3 p = ap_scale(ap_dot(si, n) / nn, n);
    const int axis = largest_axis(n);
    const double whole = projected_area(si, sj, sk, axis);
    const double c[3] = {projected_area(p, sj, sk, axis), projected_area(si, p, sk, axis),
                         projected_area(si, sj, p, axis)};
    for (int l = 0; l < 3; l++) {
        searched[l] = !same_sign(whole, c[l]);
    }
    if (!searched[0] && !searched[1] && !searched[2]) {
        return ap_candidate_weights(s, 3, id, c);
    }
    return nearest_searched_edge(s, id, searched);
}

/* Six times the signed volume of the tetrahedron of the origin and three points. */
static double origin_volume(apart_vec3 a, apart_vec3 b, apart_vec3 c) { return ap_dot(a, ap_cross(b, c)); }

/* The closest point of a tetrahedron. */
static ap_candidate s3d(const ap_simplex *s)
{
    double c[4], whole = 0.0;
    for (int i = 0; i < 4; i++) {
        const int *face = ap_tetrahedron_face(i);
        const double cofactor = origin_volume(s->vertex[face[0]].w, s->vertex[face[1]].w, s->vertex[face[2]].w);
        c[i] = i % 2 == 0 ? cofactor : -cofactor;
        whole += c[i];
    }
    unsigned outside = 0u;
    for (int i = 0; i < 4; i++) {
        outside |= same_sign(whole, c[i]) ? 0u : 1u << i;
    }
    return ap_candidate_tetrahedron(s, outside, c, s2d);
}

bool ap_solve_volumes(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    static const ap_face_solver signed_volumes = {s1d, s2d, s3d};
    return ap_solve_faces(&signed_volumes, simplex, dim, v);
}
