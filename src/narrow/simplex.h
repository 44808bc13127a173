/* A simplex of the TCSO {b - a} and the solvers that find its point closest to the origin.
 *
 * Legend: w = b - a a point of the TCSO; v the closest point of the simplex to the origin; lambda the weights, v = sum lambda w. */
#ifndef AP_NARROW_SIMPLEX_H
#define AP_NARROW_SIMPLEX_H

#include <apart/distance.h>

#include "../math/eft.h"
#include "level.h"

/* One vertex: where it is in the TCSO and on both bodies, and which vertices of theirs it comes from. */
typedef struct ap_simplex_vertex {
    apart_vec3 w;
    double unused; /* each point has a slot of four lanes */
    apart_vec3 a;
    uint32_t index_a, index_b;
    apart_vec3 b;
    double lambda;
} ap_simplex_vertex; /* 96 bytes */

/* Coordinates have the size of 1 (the pair is scaled by a power of two). In a query the newest vertex is the last one. */
typedef struct ap_simplex {
    int count; /* 1..4 */
    ap_simplex_vertex vertex[4];
} ap_simplex;

/* Reduces the simplex to the smallest face that holds its point closest to the origin (keeping the vertices' order), sets the
 * lambdas (>= 0, sum 1) and *v. Returns true when the simplex has dim + 1 vertices and the origin is inside: it is then left whole,
 * with the origin's barycentric lambdas and v = 0. dim is 2 (all z are 0) or 3. Never NaN; flat, repeated and coincident points are legal. */
typedef bool ap_solver_fn(ap_simplex *simplex, int dim, apart_vec3 *v);

ap_solver_fn ap_solve_default;
ap_solver_fn ap_solve_johnson;
ap_solver_fn ap_solve_voronoi;
ap_solver_fn ap_solve_geometric;
ap_solver_fn ap_solve_least_squares;
ap_solver_fn ap_solve_volumes;

/* The fallback: the same in double-double arithmetic, slow and hard to fool. */
ap_solver_fn ap_solve_double_double;

/* Keeps only the vertices whose bit is set in `keep` (bit i: vertex i), in order. */
static inline void ap_simplex_keep(ap_simplex *s, unsigned keep)
{
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        if (keep >> i & 1u) {
            if (n != i) {
                s->vertex[n] = s->vertex[i];
            }
            n++;
        }
    }
    s->count = n;
}

/* sum lambda w */
static inline apart_vec3 ap_simplex_point(const ap_simplex *s)
{
    apart_vec3 v = ap_scale(s->vertex[0].lambda, s->vertex[0].w);
    for (int i = 1; i < s->count; i++) {
        v = ap_add(v, ap_scale(s->vertex[i].lambda, s->vertex[i].w));
    }
    return v;
}

#endif
