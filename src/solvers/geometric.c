/* The solver of "the geometric improvement of GJK": discard and add, sections 3.1 and 3.2 (items G1 and G2 of
 * docs/papers.md).
 *
 * refine_set: of a simplex of dim + 1 vertices P_l, the face (line in 2D, plane in 3D) that separates the origin from
 * the remaining vertex is kept and that vertex is discarded; if several faces separate, the remaining vertex farthest
 * from the origin is discarded. nu_compute: the closest point of the face by the signs of its weights lambda_i =
 * Delta_i / Delta (Table 1, Fig. 8).
 *
 * We differ in: vertices with lambda = 0 are discarded as well (the source keeps dim vertices, whatever their weights);
 * the start and the stop by recurrence are left to GJK's loop; with several separating faces the source's choice is not
 * always the nearest one, so the discarded vertex is checked by v.P >= v.v and the next face tried if it fails; a flat
 * simplex separates everywhere and is never "inside"; a flat triangle takes the best of its edges. v = sum lambda w,
 * and the Deltas are differences of dot products, as in the source. */
#include "shared.h"

/* The closest point of an edge. Section 3.1 (c): Delta_1 = X2.X2 - X2.X1, Delta_2 = X1.X1 - X1.X2; a negative one means
 * the other end. */
static ap_candidate nu_of_edge(const ap_simplex *s, int i, int j)
{
    const apart_vec3 x1 = s->vertex[i].w, x2 = s->vertex[j].w;
    const double cross = ap_dot(x1, x2);
    const double delta[2] = {ap_dot(x2, x2) - cross, ap_dot(x1, x1) - cross};
    const int id[2] = {i, j};
    if (delta[0] > 0.0 && delta[1] > 0.0) {
        return ap_candidate_weights(s, 2, id, delta);
    }
    if (delta[0] > 0.0) {
        return ap_candidate_vertex(s, i);
    }
    return delta[1] > 0.0 ? ap_candidate_vertex(s, j) : ap_candidate_nearer_vertex(s, i, j);
}

/* The Delta_i of a triangle, by the recursion over its edges. */
static void triangle_deltas(const ap_simplex *s, const int id[3], double delta[3])
{
    double dot[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            dot[i][j] = dot[j][i] = ap_dot(s->vertex[id[i]].w, s->vertex[id[j]].w);
        }
    }
    for (int i = 0; i < 3; i++) {
        const int j = i == 0 ? 1 : 0, k = i == 2 ? 1 : 2;
        const double of_j = dot[k][k] - dot[k][j], of_k = dot[j][j] - dot[j][k];
        ap_count_mul(2);
        delta[i] = of_j * (dot[j][j] - dot[j][i]) + of_k * (dot[k][j] - dot[k][i]);
    }
}

/* Table 1 (C) with Fig. 8 (b), P3 the vertex of positive weight: regions (i) and (ii) belong to P1P3, (iii) is P3, (iv)
 * and (v) P2P3. */
static ap_candidate nu_at_vertex(const ap_simplex *s, int p1, int p2, int p3)
{
    const ap_candidate c = nu_of_edge(s, p1, p3);
    return c.keep == 1u << p3 ? nu_of_edge(s, p2, p3) : c;
}

/* The closest point of a triangle. Table 1: (A) on the face; (B) one weight is not positive: Fig. 8 (a), on the
 * opposite edge; (C) only one is; (D) must not exist. */
static ap_candidate nu_of_triangle(const ap_simplex *s, const int id[3])
{
    double delta[3];
    triangle_deltas(s, id, delta);
    int positive = 0, which = 0, other = 0;
    for (int i = 0; i < 3; i++) {
        if (delta[i] > 0.0) {
            positive++;
            which = i;
        } else {
            other = i;
        }
    }
    if (positive == 3) {
        return ap_candidate_weights(s, 3, id, delta);
    }
    if (!((delta[0] + delta[1]) + delta[2] > 0.0)) {
        const ap_candidate best = ap_candidate_nearer(nu_of_edge(s, id[0], id[1]), nu_of_edge(s, id[0], id[2]));
        return ap_candidate_nearer(best, nu_of_edge(s, id[1], id[2]));
    }
    const int odd = positive == 2 ? other : which;
    const int p1 = id[odd == 0 ? 1 : 0], p2 = id[odd == 2 ? 1 : 2];
    return positive == 2 ? nu_of_edge(s, p1, p2) : nu_at_vertex(s, p1, p2, id[odd]);
}

/* The normal of the line (2D) or plane (3D) through a face. */
static apart_vec3 face_normal(const ap_simplex *s, const int *face, int dim)
{
    const apart_vec3 e = ap_sub(s->vertex[face[1]].w, s->vertex[face[0]].w);
    if (dim == 2) {
        return ap_vec(-e.y, e.x, 0.0);
    }
    return ap_cross(e, ap_sub(s->vertex[face[2]].w, s->vertex[face[0]].w));
}

/* f(x) = normal.x + K is 0 on the face; K is its value at the origin, N that at the remaining vertex. The face
 * separates them unless K and N have the same sign; then *lambda = K / N is the weight of the vertex. */
static bool face_separates(const ap_simplex *s, const int *face, int rest, int dim, double *lambda)
{
    const apart_vec3 normal = face_normal(s, face, dim);
    const double k = -ap_dot(normal, s->vertex[face[0]].w);
    const double n = ap_dot(normal, s->vertex[rest].w) + k;
    if ((k > 0.0 && n > 0.0) || (k < 0.0 && n < 0.0)) {
        ap_count_div(1);
        *lambda = k / n;
        return false;
    }
    return true;
}

/* The vertex of the set that is farthest from the origin; the lowest on ties. */
static int farthest_vertex(const ap_simplex *s, unsigned set)
{
    int best = -1;
    double best_norm = 0.0;
    for (int i = 0; i < s->count; i++) {
        const double norm = ap_dot(s->vertex[i].w, s->vertex[i].w);
        if ((set >> i & 1u) && (best < 0 || norm > best_norm)) {
            best = i;
            best_norm = norm;
        }
    }
    return best;
}

/* Vertex numbers without `rest`. */
static void face_without(int count, int rest, int *face)
{
    for (int i = 0, n = 0; i < count; i++) {
        if (i != rest) {
            face[n++] = i;
        }
    }
}

/* Discards one vertex of the set `separated` and solves the face that remains. */
static ap_candidate discard_vertex(const ap_simplex *s, unsigned separated, int dim)
{
    const bool unique = (separated & (separated - 1u)) == 0u;
    ap_candidate best = AP_NO_CANDIDATE;
    while (separated != 0u) {
        int face[3];
        const int rest = farthest_vertex(s, separated);
        face_without(s->count, rest, face);
        const ap_candidate c = dim == 2 ? nu_of_edge(s, face[0], face[1]) : nu_of_triangle(s, face);
        if (unique || ap_dot(c.v, s->vertex[rest].w) >= ap_dot(c.v, c.v)) {
            return c;
        }
        best = ap_candidate_better(best, c);
        separated &= ~(1u << rest);
    }
    return best;
}

/* refine_set: the closest point of a simplex of dim + 1 vertices. */
static ap_candidate refine_set(const ap_simplex *s, int dim)
{
    static const int all[4] = {0, 1, 2, 3};
    double lambda[4];
    unsigned separated = 0u;
    for (int i = 0; i <= dim; i++) {
        int face[3];
        face_without(s->count, i, face);
        if (face_separates(s, face, i, dim, &lambda[i])) {
            separated |= 1u << i;
        }
    }
    return separated == 0u ? ap_candidate_weights(s, dim + 1, all, lambda) : discard_vertex(s, separated, dim);
}

bool ap_solve_geometric(ap_simplex *simplex, int dim, apart_vec3 *v)
{
    static const int triangle[3] = {0, 1, 2};
    ap_candidate c;
    if (simplex->count == 1) {
        c = ap_candidate_vertex(simplex, 0);
    } else if (simplex->count == 2) {
        c = nu_of_edge(simplex, 0, 1);
    } else if (simplex->count == dim + 1) {
        c = refine_set(simplex, dim);
    } else {
        c = nu_of_triangle(simplex, triangle);
    }
    return ap_candidate_finish(&c, dim, simplex, v);
}
