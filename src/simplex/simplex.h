/* A simplex of the Minkowski difference {b - a} and the solvers that find its point closest to the origin.
 *
 * Legend: w = b - a a point of the Minkowski difference; v the closest point of the simplex to the origin; lambda the
 * weights, v = sum lambda w. */
#ifndef AP_SIMPLEX_SIMPLEX_H
#define AP_SIMPLEX_SIMPLEX_H

#include <apart/distance.h>

#include "../simd/lanes.h"

/* One vertex: its position in the Minkowski difference and on both bodies, and the bodies' vertices it comes from. */
typedef struct ap_simplex_vertex {
    _Alignas(32) apart_vec3 w;
    double behind_w; /* padding: each point is a slot of four lanes, written and read as a whole */
    apart_vec3 a;
    double behind_a;
    apart_vec3 b;
    double behind_b;
    uint32_t index_a, index_b;
    double lambda;
} ap_simplex_vertex; /* 128 bytes */

/* Coordinates are of the order of 1 (the pair is scaled by a power of two). In a query the newest vertex is the last
 * one. */
typedef struct ap_simplex {
    ap_simplex_vertex vertex[4];
    int count; /* 1..4 */
} ap_simplex;

/* Reduces the simplex to the smallest face that holds its point closest to the origin (keeping the vertices' order),
 * sets the lambdas (>= 0, sum 1) and *v. Returns true when the simplex has dim + 1 vertices and the origin is inside:
 * it then keeps all vertices, with the origin's barycentric coordinates as lambdas and v = 0. dim is 2 (all z are 0) or
 * 3. The results are never NaN; flat, repeated and coincident points are legal. */
typedef bool ap_solver_fn(ap_simplex *simplex, int dim, apart_vec3 *v);

ap_solver_fn ap_solve_default;

/* Copies slot by slot, so that a later load of a slot is forwarded from one store. */
AP_INLINE void ap_simplex_copy(ap_simplex_vertex *to, const ap_simplex_vertex *from)
{
    const ap_lanes w = ap_lanes_load(&from->w), a = ap_lanes_load(&from->a), b = ap_lanes_load(&from->b);
    ap_lanes_store(&to->w, w);
    ap_lanes_store(&to->a, a);
    ap_lanes_store(&to->b, b);
    to->index_a = from->index_a;
    to->index_b = from->index_b;
    to->lambda = from->lambda;
}

/* Keeps only the vertices whose bit is set in `keep` (bit i: vertex i), in order. */
AP_INLINE void ap_simplex_keep(ap_simplex *s, unsigned keep)
{
    int n = 0;
    for (; keep != 0; keep &= keep - 1) {
        const int i = (int)ap_lowest_bit(keep);
        if (n != i) {
            ap_simplex_copy(&s->vertex[n], &s->vertex[i]);
        }
        n++;
    }
    s->count = n;
}

/* The witness points: sum lambda a and sum lambda b. */
typedef struct ap_blend {
    ap_lanes a, b;
} ap_blend;

AP_INLINE ap_blend ap_simplex_points(const ap_simplex *s)
{
    const ap_simplex_vertex *p = s->vertex;
    ap_lanes lambda = ap_lanes_all(p->lambda);
    ap_blend sum = {ap_lanes_mul(lambda, ap_lanes_load(&p->a)), ap_lanes_mul(lambda, ap_lanes_load(&p->b))};
    ap_count_mul(6u * (unsigned)s->count);
    for (int i = 1; i < s->count; i++) {
        p++;
        lambda = ap_lanes_all(p->lambda);
        sum.a = ap_lanes_add(sum.a, ap_lanes_mul(lambda, ap_lanes_load(&p->a)));
        sum.b = ap_lanes_add(sum.b, ap_lanes_mul(lambda, ap_lanes_load(&p->b)));
    }
    return sum;
}

/* Their difference: sum lambda w. */
static inline apart_vec3 ap_simplex_point(const ap_simplex *s)
{
    const ap_blend points = ap_simplex_points(s);
    return ap_lanes_vec(ap_lanes_sub(points.b, points.a));
}

#endif
