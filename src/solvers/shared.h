/* What the solvers that test faces one by one share (voronoi.c, volumes.c, geometric.c): the closest point of one face
 * of a simplex as a candidate among others, and the loop over the faces of a tetrahedron. */
#ifndef AP_SOLVERS_SHARED_H
#define AP_SOLVERS_SHARED_H

#include "solvers.h"

/* The point of a face closest to the origin. keep = 0: no candidate yet. */
typedef struct ap_candidate {
    unsigned keep;    /* bit i: vertex i belongs to the face */
    double lambda[4]; /* the weight of each vertex; 0 where the bit is not set */
    apart_vec3 v;     /* sum lambda w */
} ap_candidate;

#define AP_NO_CANDIDATE ((ap_candidate){0u, {0.0}, {0.0, 0.0, 0.0}})

static inline ap_candidate ap_candidate_vertex(const ap_simplex *s, int i)
{
    ap_candidate c = {1u << i, {0.0}, s->vertex[i].w};
    c.lambda[i] = 1.0;
    return c;
}

/* The candidate closer to the origin; the first on a tie. */
static inline ap_candidate ap_candidate_nearer(ap_candidate a, ap_candidate b)
{
    return ap_dot(b.v, b.v) < ap_dot(a.v, a.v) ? b : a;
}

/* The nearer one of the best candidate so far, if there is one, and c. */
static inline ap_candidate ap_candidate_better(ap_candidate best, ap_candidate c)
{
    return best.keep == 0u ? c : ap_candidate_nearer(best, c);
}

/* The nearer end of a segment. */
static inline ap_candidate ap_candidate_nearer_vertex(const ap_simplex *s, int i, int j)
{
    return ap_candidate_nearer(ap_candidate_vertex(s, i), ap_candidate_vertex(s, j));
}

/* The candidate with weights proportional to the positive numbers c_i, for the first n of the vertices in `id`. */
static inline ap_candidate ap_candidate_weights(const ap_simplex *s, int n, const int *id, const double *c)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += c[i];
    }
    ap_candidate r = AP_NO_CANDIDATE;
    for (int i = 0; i < n; i++) {
        ap_count_div(1);
        r.keep |= 1u << id[i];
        r.lambda[id[i]] = c[i] / sum;
        r.v = ap_add(r.v, ap_scale(r.lambda[id[i]], s->vertex[id[i]].w));
    }
    return r;
}

/* The three vertices of a tetrahedron's face, ascending; face k is the one opposite vertex k. */
static inline const int *ap_tetrahedron_face(int k)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    return face[k];
}

typedef ap_candidate ap_triangle_solver(const ap_simplex *s, int i, int j, int k);

/* The closest point of a tetrahedron from those of its faces, which `solve_triangle` finds. Bit k of `outside`: the
 * origin is not strictly on the inner side of the face opposite vertex k, so that face is solved. If no bit is set, the
 * origin is inside, with weights proportional to `weight`. */
static inline ap_candidate ap_candidate_tetrahedron(const ap_simplex *s, unsigned outside, const double weight[4],
                                                    ap_triangle_solver *solve_triangle)
{
    static const int all[4] = {0, 1, 2, 3};
    ap_candidate best = AP_NO_CANDIDATE;
    for (int i = 0; i < 4; i++) {
        if (outside >> i & 1u) {
            const int *face = ap_tetrahedron_face(i);
            best = ap_candidate_better(best, solve_triangle(s, face[0], face[1], face[2]));
        }
    }
    return outside == 0u ? ap_candidate_weights(s, 4, all, weight) : best;
}

/* ---- writing the answer into the simplex; also for Johnson's and the least-squares solver ---- */

/* Writes the points w, three doubles each. */
static inline void ap_simplex_coordinates(const ap_simplex *s, double *points)
{
    for (int i = 0; i < s->count; i++) {
        points[3 * i] = s->vertex[i].w.x;
        points[3 * i + 1] = s->vertex[i].w.y;
        points[3 * i + 2] = s->vertex[i].w.z;
    }
}

/* Sets the weights and keeps the vertices whose bit is set in `keep`. True when all of dim + 1 vertices are kept: the
 * origin is inside. */
static inline bool ap_simplex_take(ap_simplex *s, int dim, unsigned keep, const double *lambda)
{
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].lambda = lambda[i];
    }
    ap_simplex_keep(s, keep);
    return s->count == dim + 1;
}

/* Reduces the simplex to the candidate. True when that has all of dim + 1 vertices: the origin is inside, v = 0. */
static inline bool ap_candidate_finish(const ap_candidate *c, int dim, ap_simplex *s, apart_vec3 *v)
{
    const bool inside = ap_simplex_take(s, dim, c->keep, c->lambda);
    *v = inside ? ap_vec(0.0, 0.0, 0.0) : c->v;
    return inside;
}

/* How a solver finds the closest point of a segment, a triangle and a tetrahedron with the given vertices. */
typedef struct ap_face_solver {
    ap_candidate (*segment)(const ap_simplex *s, int i, int j);
    ap_triangle_solver *triangle;
    ap_candidate (*tetrahedron)(const ap_simplex *s);
} ap_face_solver;

/* The solver (ap_solver_fn) made of these. */
static inline bool ap_solve_faces(const ap_face_solver *solver, ap_simplex *s, int dim, apart_vec3 *v)
{
    ap_candidate c;
    switch (s->count) {
    case 1: c = ap_candidate_vertex(s, 0); break;
    case 2: c = solver->segment(s, 0, 1); break;
    case 3: c = solver->triangle(s, 0, 1, 2); break;
    default: c = solver->tetrahedron(s); break;
    }
    return ap_candidate_finish(&c, dim, s, v);
}

#endif
