/* Signed volumes: Montanari, Petrinic, Barbieri, "Improving the GJK algorithm for faster and more reliable distance queries between
 * convex objects", ACM Transactions on Graphics 36(3), 2017: their S3D, S2D and S1D.
 *
 * Weights are ratios of signed volumes, areas or lengths; a weight is accepted when its numerator has the sign of the whole. Areas and
 * lengths are those of the largest projection onto a coordinate plane or axis. A face whose vertex has the wrong sign is searched.
 *
 * We differ in: S1D returns either end (the source only the newest vertex); the weights are divided by the sum of the numerators, which
 * equals the whole in exact arithmetic, so that they always add up to 1; a triangle without area takes the best of its edges, a segment
 * without length its nearer end. v = sum lambda w, as in the source. */
#include "solve_shared.h"

static bool same_sign(double x, double y) { return (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0); }

static double coordinate(apart_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The axis of the largest component; the first on ties. */
static int largest_axis(apart_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

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
    const double p = coordinate(projected, axis), pi = coordinate(si, axis), pj = coordinate(sj, axis);
    const double length = pi - pj, c[2] = {p - pj, pi - p};
    const int id[2] = {i, j};
    if (same_sign(length, c[0]) && same_sign(length, c[1])) {
        return ap_candidate_weights(s, 2, id, c);
    }
    return ap_candidate_vertex(s, same_sign(length, c[0]) ? i : j);
}

/* Twice the signed area of a, b, c seen along an axis. */
static double area(apart_vec3 a, apart_vec3 b, apart_vec3 c, int axis)
{
    const int x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
    const double bx = coordinate(b, x) - coordinate(a, x), by = coordinate(b, y) - coordinate(a, y);
    const double cx = coordinate(c, x) - coordinate(a, x), cy = coordinate(c, y) - coordinate(a, y);
    ap_count_mul(2);
    return bx * cy - by * cx;
}

static ap_candidate nearest_edge(const ap_simplex *s, const int id[3], const bool searched[3])
{
    ap_candidate best = {0u, {0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; i++) {
        if (searched[i]) {
            const ap_candidate c = s1d(s, id[i == 0 ? 1 : 0], id[i == 2 ? 1 : 2]);
            best = best.keep == 0u ? c : ap_candidate_nearer(best, c);
        }
    }
    return best;
}

static ap_candidate s2d(const ap_simplex *s, int i, int j, int k)
{
    const apart_vec3 si = s->vertex[i].w, sj = s->vertex[j].w, sk = s->vertex[k].w;
    const apart_vec3 n = ap_cross(ap_sub(sj, si), ap_sub(sk, si));
    const double nn = ap_dot(n, n);
    const int id[3] = {i, j, k};
    bool searched[3] = {true, true, true};
    if (!(nn > 0.0)) {
        return nearest_edge(s, id, searched);
    }
    ap_count_div(1);
    const apart_vec3 p = ap_scale(ap_dot(si, n) / nn, n);
    const int axis = largest_axis(n);
    const double whole = area(si, sj, sk, axis);
    const double c[3] = {area(p, sj, sk, axis), area(si, p, sk, axis), area(si, sj, p, axis)};
    for (int l = 0; l < 3; l++) {
        searched[l] = !same_sign(whole, c[l]);
    }
    if (!searched[0] && !searched[1] && !searched[2]) {
        return ap_candidate_weights(s, 3, id, c);
    }
    return nearest_edge(s, id, searched);
}

static double volume(apart_vec3 a, apart_vec3 b, apart_vec3 c) { return ap_dot(a, ap_cross(b, c)); }

static ap_candidate s3d(const ap_simplex *s)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    static const int all[4] = {0, 1, 2, 3};
    double c[4], whole = 0.0;
    for (int i = 0; i < 4; i++) {
        const double cofactor = volume(s->vertex[face[i][0]].w, s->vertex[face[i][1]].w, s->vertex[face[i][2]].w);
        c[i] = i % 2 == 0 ? cofactor : -cofactor;
        whole += c[i];
    }
    ap_candidate best = {0u, {0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 4; i++) {
        if (!same_sign(whole, c[i])) {
            const ap_candidate found = s2d(s, face[i][0], face[i][1], face[i][2]);
            best = best.keep == 0u ? found : ap_candidate_nearer(best, found);
        }
    }
    return best.keep == 0u ? ap_candidate_weights(s, 4, all, c) : best;
}

bool ap_solve_volumes(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    ap_candidate c;
    switch (simplex->count) {
    case 1:
        c = ap_candidate_vertex(simplex, 0);
        break;
    case 2:
        c = s1d(simplex, 0, 1);
        break;
    case 3:
        c = s2d(simplex, 0, 1, 2);
        break;
    default:
        c = s3d(simplex);
        break;
    }
    return ap_candidate_finish(&c, dim, simplex, v);
}
