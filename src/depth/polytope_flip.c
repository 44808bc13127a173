/* The growth of the polytope where rounding leaves its horizon open: a new point splits the triangle that it lies over,
 * then edges are flipped until the surface is convex there.
 *
 * Source: Edelsbrunner and Shah 1996. Seen from the origin, the surface is a triangulated sphere and its convex hull a
 * regular triangulation: inserting a point by one split and local flips needs no search for a horizon and cannot tear
 * the surface. We differ in leaving an edge alone if its flip would make a triangle without clear orientation: the
 * bound stays valid, only less tight. */
#include "polytope.h"

#define FLIP_STACK 256

AP_RARE bool ap_polytope_is_above_exactly(const ap_polytope *p, int face, apart_vec3 x)
{
    const apart_vec3 a = ap_polytope_corner_point(p, 4 * face);
    const apart_vec3 b = ap_polytope_corner_point(p, 4 * face + 1), c = ap_polytope_corner_point(p, 4 * face + 2);
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a));
    const double noise = 0x1p-96 * ap_max_abs(ap_sub(b, a)) * ap_max_abs(ap_sub(c, a)) * ap_max_abs(ap_sub(x, a));
    return ap_dd3_dot(n, ap_dd3_difference(x, a)).hi > noise;
}

/* Is x clearly above the plane of the face? Decided in double-double where the stored plane leaves it open. */
static bool is_clearly_above(const ap_polytope *p, int face, apart_vec3 x)
{
    const double *plane = &p->plane[4 * face];
    const double height = ap_dot(ap_vec(plane[0], plane[1], plane[2]), x) - plane[3];
    const double size = (fabs(plane[0]) + fabs(plane[1])) + fabs(plane[2]);
    const bool decided = fabs(height) > AP_FACE_NOISE_OF_NORMAL * p->noise_unit * size;
    return decided ? height > 0.0 : ap_polytope_is_above_exactly(p, face, x);
}

/* Flips the edge of f opposite its corner 0 (the new point) if the vertex across it lies above f. */
static bool flip(ap_polytope *p, int f)
{
    const int across = p->twin[4 * f + 1]; /* c -> b of the other face; then b -> x, x -> c */
    const int g = across >> 2, to_x = ap_polytope_next(across), from_x = ap_polytope_next(to_x);
    const int new = ap_polytope_corner(p, f, 0), b = ap_polytope_corner(p, f, 1), c = ap_polytope_corner(p, f, 2);
    const int x = p->corner[from_x] >> 2;
    const apart_vec3 pn = ap_polytope_point(p, new), px = ap_polytope_point(p, x);
    const apart_vec3 pb = ap_polytope_point(p, b), pc = ap_polytope_point(p, c);
    if (!is_clearly_above(p, f, px) || !ap_clearly_positive(pn, pb, px) || !ap_clearly_positive(pn, px, pc)) {
        return false;
    }
    const int across_bx = p->twin[to_x], across_xc = p->twin[from_x], across_cn = p->twin[4 * f + 2];
    ap_polytope_set_face(p, f, new, b, x);
    ap_polytope_set_face(p, g, new, x, c);
    ap_polytope_join(p, 4 * f + 1, across_bx);
    ap_polytope_join(p, 4 * g + 1, across_xc);
    ap_polytope_join(p, 4 * g + 2, across_cn);
    ap_polytope_join(p, 4 * f + 2, 4 * g);
    return true;
}

/* A full stack leaves edges unflipped: the bound stays valid. */
void ap_polytope_make_convex(ap_polytope *p, const int *start, int count)
{
    int stack[FLIP_STACK];
    int top = 0;
    for (int i = 0; i < count; i++) {
        stack[top++] = start[i];
    }
    for (int work = 0; top > 0 && work < 4 * AP_POLYTOPE_FACES(p->capacity); work++) {
        const int f = stack[--top];
        const int g = p->twin[4 * f + 1] >> 2;
        if (flip(p, f) && top + 2 <= FLIP_STACK) {
            stack[top++] = f;
            stack[top++] = g;
        }
    }
}

/* Joins the faces of a ring around the new point, which is corner 0 of each, to one another; across[i]: the half-edge
 * beyond face i. */
static void join_ring(ap_polytope *p, const int *face, const int *across, int count)
{
    for (int i = 0; i < count; i++) {
        ap_polytope_join(p, 4 * face[i] + 1, across[i]);
        ap_polytope_join(p, 4 * face[i] + 2, 4 * face[i + 1 < count ? i + 1 : 0]);
    }
    ap_polytope_make_convex(p, face, count);
}

/* The new point lies over the inside of f. */
static void split_face(ap_polytope *p, int f, int new)
{
    const int face[3] = {f, p->face_count, p->face_count + 1};
    const int across[3] = {p->twin[4 * f], p->twin[4 * f + 1], p->twin[4 * f + 2]};
    const int first = ap_polytope_corner(p, f, 0);
    const int corner[4] = {first, ap_polytope_corner(p, f, 1), ap_polytope_corner(p, f, 2), first};
    ap_polytope_set_face_count(p, p->face_count + 2);
    for (int i = 0; i < 3; i++) {
        ap_polytope_set_face(p, face[i], new, corner[i], corner[i + 1]);
    }
    join_ring(p, face, across, 3);
}

/* The new point lies over the edge h: both triangles at it are halved. */
static bool split_edge(ap_polytope *p, int h, int new)
{
    const int t = p->twin[h], f = h >> 2, g = t >> 2;
    const int to_a = ap_polytope_next(h), from_a = ap_polytope_next(to_a);
    const int to_x = ap_polytope_next(t), from_x = ap_polytope_next(to_x);
    const int a = p->corner[from_a] >> 2, b = p->corner[h] >> 2, c = p->corner[t] >> 2, x = p->corner[from_x] >> 2;
    const int corner[5] = {a, b, x, c, a};
    for (int i = 0; i < 4; i++) {
        const apart_vec3 q = ap_polytope_point(p, corner[i]), r = ap_polytope_point(p, corner[i + 1]);
        if (!ap_clearly_positive(ap_polytope_point(p, new), q, r)) {
            return false;
        }
    }
    const int face[4] = {f, g, p->face_count, p->face_count + 1};
    const int across[4] = {p->twin[from_a], p->twin[to_x], p->twin[from_x], p->twin[to_a]};
    ap_polytope_set_face_count(p, p->face_count + 2);
    for (int i = 0; i < 4; i++) {
        ap_polytope_set_face(p, face[i], new, corner[i], corner[i + 1]);
    }
    join_ring(p, face, across, 4);
    return true;
}

AP_RARE bool ap_polytope_insert_by_flips(ap_polytope *p, int face, const ap_simplex_vertex *point)
{
    double side[3], noise[3];
    if (p->vertex_count == p->capacity) {
        return false;
    }
    const int f = ap_polytope_walk(p, face, point->w, side, noise);
    const int new = p->vertex_count;
    p->changed = true;
    ap_polytope_put_vertex(p, new, point);
    int open = 0, edge = 0; /* edges of f that the point may lie over */
    for (int i = 0; i < 3; i++) {
        if (!(side[i] > noise[i])) {
            open++;
            edge = i;
        }
    }
    if (open == 0) {
        p->vertex_count++;
        split_face(p, f, new);
        return true;
    }
    if (open == 1 && split_edge(p, 4 * f + edge, new)) {
        p->vertex_count++;
        return true;
    }
    return false;
}
