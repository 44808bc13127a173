/* The default simplex solver: region tests on difference vectors, and v from cross products.
 *
 * Source: Ericson's regions (Lindemann 2009 section 5, item L5), written as a search over the faces that separate the
 * origin from the simplex instead of a tree of cases. We differ in two ways that matter near contact and on needles:
 *   - v is never sum lambda w. On a face v = n (n.p)/(n.n), on an edge v = e x (p x e)/(e.e): perpendicular to the
 *     feature to rounding of |v|, where the weighted sum loses eps * |w|. The duality gap is first order in that angle.
 *   - those cross products are taken with error-free products.
 * A test that rounding could flip is decided towards the lower-dimensional feature; all candidates are solved, and the
 * nearest is taken. SIMD lanes hold the coordinates of a segment, the three corners of a triangle, the four faces of a
 * tetrahedron.
 *
 * The solver is inlined into the loop; solve_default.c provides it as a function. */
#ifndef AP_SIMPLEX_SOLVE_DEFAULT_H
#define AP_SIMPLEX_SOLVE_DEFAULT_H

#include "../simd/lanes.h"
#include "simplex.h"

/* Features whose squared size is smaller (the pair has size 1) count as their vertices: dividing by it could
 * overflow. */
#define AP_LEAST_SQUARE 0x1p-960

/* The closest point of one feature: v, its squared length, the vertices that span it and their weights (lane i: vertex
 * i). */
typedef struct ap_closest {
    ap_lanes v, lambda;
    double squared;
    unsigned keep;
} ap_closest;

/* The position of the newest vertex, the last one. */
AP_INLINE ap_lanes ap_simplex_newest(const ap_simplex *s) { return ap_lanes_load(&s->vertex[s->count - 1].w); }

AP_INLINE ap_closest ap_closest_vertex(ap_lanes w, int i)
{
    return (ap_closest){w, ap_lanes_unit(i), ap_lanes_dot(w, w), 1u << i};
}

/* The closest point of the segment between p and q, the vertices i and j. */
AP_INLINE ap_closest ap_closest_on_segment(ap_lanes p, ap_lanes q, int i, int j)
{
    const ap_lanes e = ap_lanes_sub(q, p);
    const double to_q = -ap_lanes_dot(p, e), to_p = ap_lanes_dot(q, e), length = ap_lanes_dot(e, e);
    if (!(to_q > 0.0) || !(length > AP_LEAST_SQUARE)) {
        return ap_closest_vertex(p, i);
    }
    if (!(to_p > 0.0)) {
        return ap_closest_vertex(q, j);
    }
    const double inverse = 1.0 / (to_p + to_q);
    const ap_lanes v = ap_lanes_scale(1.0 / length, ap_lanes_cross_twice(e, p));
    const ap_lanes lambda = ap_lanes_add(ap_lanes_scale(to_p * inverse, ap_lanes_unit(i)),
                                         ap_lanes_scale(to_q * inverse, ap_lanes_unit(j)));
    ap_count_div(2);
    ap_count_mul(5);
    return (ap_closest){v, lambda, ap_lanes_dot(v, v), 1u << i | 1u << j};
}

/* The closest point of those edges of the triangle that may separate it from the origin's projection. Bit t of
 * `inside`: the projection is proved to be on the inner side of the edge opposite corner t. */
static inline ap_closest ap_closest_on_edges(const ap_simplex *s, const int id[3], unsigned inside)
{
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    ap_closest best = {.squared = INFINITY};
    for (int t = 0; t < 3; t++) {
        if ((inside >> t & 1u) == 0) {
            const int i = id[next[t]], j = id[last[t]];
            const ap_lanes p = ap_lanes_load(&s->vertex[i].w), q = ap_lanes_load(&s->vertex[j].w);
            const ap_closest edge = ap_closest_on_segment(p, q, i, j);
            best = edge.squared < best.squared ? edge : best;
        }
    }
    return best;
}

/* The closest point of a triangle with the normal n; p2: the position of the last corner. */
static inline ap_closest ap_closest_on_triangle(const ap_simplex *s, const int id[3], ap_lanes p2, ap_lanes n)
{
    const double nn = ap_lanes_dot(n, n);
    if (!(nn > AP_LEAST_SQUARE)) {
        return ap_closest_on_edges(s, id, 0u);
    }
    const ap_lanes p0 = ap_lanes_load(&s->vertex[id[0]].w), p1 = ap_lanes_load(&s->vertex[id[1]].w);
    const ap_lanes3 w = ap_lanes_transpose(p0, p1, p2, p2);
    const ap_lanes squares = ap_lanes_sum3(ap_lanes_mul(w.x, w.x), ap_lanes_mul(w.y, w.y), ap_lanes_mul(w.z, w.z));
    /* The nearest corner gives the plane's distance with the least rounding error. */
    const bool first = !(ap_lanes_at(squares, 1) < ap_lanes_at(squares, 0));
    const ap_lanes nearest = ap_lanes_at(squares, 2) < (first ? ap_lanes_at(squares, 0) : ap_lanes_at(squares, 1)) ? p2
                             : first                                                                               ? p0
                                                                                                                   : p1;
    const ap_lanes v = ap_lanes_scale(ap_lanes_dot(n, nearest) / nn, n);
    /* The signed areas (times |n|) that v makes with the edges opposite each corner. */
    const ap_lanes x = ap_lanes_sub(w.x, ap_lanes_all(ap_lanes_at(v, 0))),
                   y = ap_lanes_sub(w.y, ap_lanes_all(ap_lanes_at(v, 1))),
                   z = ap_lanes_sub(w.z, ap_lanes_all(ap_lanes_at(v, 2)));
    const ap_lanes nx = AP_SHUFFLE(x, 1, 2, 0, 3), ny = AP_SHUFFLE(y, 1, 2, 0, 3), nz = AP_SHUFFLE(z, 1, 2, 0, 3);
    const ap_lanes cx = ap_lanes_sub(ap_lanes_mul(y, nz), ap_lanes_mul(z, ny)),
                   cy = ap_lanes_sub(ap_lanes_mul(z, nx), ap_lanes_mul(x, nz)),
                   cz = ap_lanes_sub(ap_lanes_mul(x, ny), ap_lanes_mul(y, nx));
    const ap_lanes turned = ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(n, 0), cx), ap_lanes_scale(ap_lanes_at(n, 1), cy),
                                          ap_lanes_scale(ap_lanes_at(n, 2), cz));
    const ap_lanes area = AP_SHUFFLE(turned, 1, 2, 0, 3);
    const double whole = (ap_lanes_at(area, 0) + ap_lanes_at(area, 1)) + ap_lanes_at(area, 2);
    const unsigned positive = ap_mask_bits(ap_lanes_greater(area, ap_lanes_all(0.0))) & 7u;
    ap_count_div(1);
    ap_count_mul(39);
    if (!(fabs(whole - nn) <= 0x1p-10 * whole)) {
        return ap_closest_on_edges(
            s, id, 0u); /* n is rounding noise: the points are collinear, and only the edges are meaningful */
    }
    if (positive != 7u) {
        return ap_closest_on_edges(s, id, positive);
    }
    const ap_lanes share = ap_lanes_scale(1.0 / whole, area);
    const ap_lanes lambda = ap_lanes_sum3(ap_lanes_scale(ap_lanes_at(share, 0), ap_lanes_unit(id[0])),
                                          ap_lanes_scale(ap_lanes_at(share, 1), ap_lanes_unit(id[1])),
                                          ap_lanes_scale(ap_lanes_at(share, 2), ap_lanes_unit(id[2])));
    ap_count_div(1);
    ap_count_mul(3);
    return (ap_closest){v, lambda, ap_lanes_dot(v, v), 1u << id[0] | 1u << id[1] | 1u << id[2]};
}

/* 2D: the origin is inside the triangle if it is on the inner side of all three edges, by more than rounding. */
void ap_closest_in_plane(const ap_simplex *s, ap_closest *c, bool *inside);

/* The planes of the four faces, one per lane; face k is opposite vertex k. */
typedef struct ap_faces {
    ap_lanes3 normal;
    ap_lanes toward, height,
        noise; /* of the origin and of vertex k above face k, times |normal|, and what rounding can do to them */
} ap_faces;

AP_INLINE ap_faces ap_tetrahedron_faces(const ap_simplex *s, ap_lanes newest)
{
    const ap_lanes3 w = ap_lanes_transpose(ap_lanes_load(&s->vertex[0].w), ap_lanes_load(&s->vertex[1].w),
                                           ap_lanes_load(&s->vertex[2].w), newest);
    /* Faces {1,2,3}, {0,2,3}, {0,1,3}, {0,1,2}: p the last corner, e and f the edges from it to the first and the
     * second. */
    const ap_lanes px = AP_SHUFFLE(w.x, 3, 3, 3, 2), py = AP_SHUFFLE(w.y, 3, 3, 3, 2), pz = AP_SHUFFLE(w.z, 3, 3, 3, 2);
    const ap_lanes ex = ap_lanes_sub(AP_SHUFFLE(w.x, 1, 0, 0, 0), px),
                   ey = ap_lanes_sub(AP_SHUFFLE(w.y, 1, 0, 0, 0), py),
                   ez = ap_lanes_sub(AP_SHUFFLE(w.z, 1, 0, 0, 0), pz);
    const ap_lanes fx = ap_lanes_sub(AP_SHUFFLE(w.x, 2, 2, 1, 1), px),
                   fy = ap_lanes_sub(AP_SHUFFLE(w.y, 2, 2, 1, 1), py),
                   fz = ap_lanes_sub(AP_SHUFFLE(w.z, 2, 2, 1, 1), pz);
    ap_faces faces;
    faces.normal.x = ap_lanes_diff_of_products(ey, fz, ez, fy);
    faces.normal.y = ap_lanes_diff_of_products(ez, fx, ex, fz);
    faces.normal.z = ap_lanes_diff_of_products(ex, fy, ey, fx);
    const ap_lanes3 n = faces.normal;
    const ap_lanes height =
        ap_lanes_sum3(ap_lanes_mul(n.x, ap_lanes_sub(w.x, px)), ap_lanes_mul(n.y, ap_lanes_sub(w.y, py)),
                      ap_lanes_mul(n.z, ap_lanes_sub(w.z, pz)));
    const ap_lanes origin =
        ap_lanes_neg(ap_lanes_sum3(ap_lanes_mul(n.x, px), ap_lanes_mul(n.y, py), ap_lanes_mul(n.z, pz)));
    const ap_lanes extent = ap_lanes_max(ap_lanes_max(ap_lanes_abs(w.x), ap_lanes_abs(w.y)), ap_lanes_abs(w.z));
    const double size = ap_max(ap_max(ap_lanes_at(extent, 0), ap_lanes_at(extent, 1)),
                               ap_max(ap_lanes_at(extent, 2), ap_lanes_at(extent, 3)));
    const ap_lanes largest = ap_lanes_max(ap_lanes_max(ap_lanes_abs(n.x), ap_lanes_abs(n.y)), ap_lanes_abs(n.z));
    faces.toward = ap_lanes_select(ap_lanes_neg(origin), origin, ap_lanes_greater(height, ap_lanes_all(0.0)));
    faces.height = ap_lanes_abs(height);
    /* Each dot product errs by less than 3u * 3 |n|_max * 2 size. */
    faces.noise = ap_lanes_scale(size, ap_lanes_scale(18.0 * 0x1p-53, largest));
    ap_count_mul(56);
    return faces;
}

/* 3D: solves every face unless the origin is on the fourth vertex's side of it by more than rounding. */
static inline ap_closest ap_closest_in_tetrahedron(const ap_simplex *s, ap_lanes newest, bool *inside)
{
    static const int corners[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const ap_faces faces = ap_tetrahedron_faces(s, newest);
    const unsigned inner = ap_mask_bits(
        ap_mask_and(ap_lanes_greater(faces.toward, faces.noise), ap_lanes_greater(faces.height, faces.noise)));
    *inside = inner == 15u;
    if (*inside) {
        const ap_lanes weight = ap_lanes_div(faces.toward, faces.height);
        const double inverse = 1.0 / ((ap_lanes_at(weight, 0) + ap_lanes_at(weight, 1)) +
                                      (ap_lanes_at(weight, 2) + ap_lanes_at(weight, 3)));
        ap_count_div(5);
        ap_count_mul(4);
        return (ap_closest){.lambda = ap_lanes_scale(inverse, weight), .keep = 15u};
    }
    double nx[4], ny[4], nz[4];
    ap_lanes_store(nx, faces.normal.x);
    ap_lanes_store(ny, faces.normal.y);
    ap_lanes_store(nz, faces.normal.z);
    ap_closest best = {.squared = INFINITY};
    for (unsigned open = ~inner & 15u; open != 0; open &= open - 1) {
        const int k = (int)ap_lowest_bit(open);
        const ap_lanes last = ap_lanes_load(&s->vertex[corners[k][2]].w), n = ap_lanes_of(nx[k], ny[k], nz[k], nz[k]);
        const ap_closest face = ap_closest_on_triangle(s, corners[k], last, n);
        best = face.squared < best.squared ? face : best;
    }
    return best;
}

/* Contract of ap_solver_fn (simplex.h), with v in lanes. newest: the position of the last vertex. The support search
 * has just computed it, and passing it in a register saves the latency of a store and a load on the critical path. */
AP_INLINE bool ap_solve_lanes(ap_simplex *s, int dim, ap_lanes newest, ap_lanes *v)
{
    static const int all[3] = {0, 1, 2};
    bool inside = false;
    ap_closest c;
    if (s->count == 1) {
        c = ap_closest_vertex(newest, 0);
    } else if (s->count == 2) {
        c = ap_closest_on_segment(ap_lanes_load(&s->vertex[0].w), newest, 0, 1);
    } else if (s->count == 4) {
        c = ap_closest_in_tetrahedron(s, newest, &inside);
    } else if (dim == 2) {
        ap_closest_in_plane(s, &c, &inside);
    } else {
        const ap_lanes n = ap_lanes_cross_accurate(ap_lanes_sub(ap_lanes_load(&s->vertex[0].w), newest),
                                                   ap_lanes_sub(ap_lanes_load(&s->vertex[1].w), newest));
        c = ap_closest_on_triangle(s, all, newest, n);
    }
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].lambda = ap_lanes_at(c.lambda, (unsigned)i);
    }
    if (c.keep != (1u << s->count) - 1u) {
        ap_simplex_keep(s, c.keep);
    }
    *v = c.v;
    return inside;
}

/* The same, not inlined, for callers where speed does not justify the code size. */
bool ap_solve_lanes_by_call(ap_simplex *s, int dim, ap_lanes newest, ap_lanes *v);

#endif
