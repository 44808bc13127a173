/* The careful growth of the surface: split the triangle that a new point lies over, then flip edges until it is convex there.
 *
 * Seen from the origin the surface is a triangulated sphere and its convex hull a regular triangulation (Edelsbrunner and Shah
 * 1996): inserting a point by one split and local flips needs no search for a horizon and cannot tear the surface. We differ in
 * leaving an edge alone whose flip would make a triangle without clear orientation: the bound stays true, only less tight. */
#include "polytope_face.h"

#define FLIP_STACK 256

static void replace_neighbour(ap_polytope *p, int f, int old, int new)
{
    for (int i = 0; i < 3; i++) {
        if (p->link[f].neighbour[i] == old) {
            p->link[f].neighbour[i] = (uint16_t)new;
            return;
        }
    }
}

static int corner_of(const ap_polytope_link *face, int vertex) { return face->vertex[0] == vertex ? 0 : face->vertex[1] == vertex ? 1 : 2; }

bool ap_polytope_is_above_exactly(const ap_polytope *p, int face, apart_vec3 x)
{
    const uint16_t *v = p->link[face].vertex;
    const apart_vec3 a = ap_polytope_point(p, v[0]), b = ap_polytope_point(p, v[1]), c = ap_polytope_point(p, v[2]);
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a));
    const double noise = 0x1p-96 * ap_max_abs(ap_sub(b, a)) * ap_max_abs(ap_sub(c, a)) * ap_max_abs(ap_sub(x, a));
    return ap_dd3_dot(n, ap_dd3_difference(x, a)).hi > noise;
}

/* Flips the edge of f opposite its corner 0 (the new point) if the vertex across it lies above f. */
static bool flip(ap_polytope *p, int f)
{
    const ap_polytope_link face = p->link[f];
    const int g = face.neighbour[0];
    const ap_polytope_link other = p->link[g];
    const int new = face.vertex[0], b = face.vertex[1], c = face.vertex[2];
    /* In `other` the shared edge runs c -> b; x is opposite. */
    const int at_b = corner_of(&other, b), at_c = corner_of(&other, c);
    const int corner = 3 - at_b - at_c;
    const int x = other.vertex[corner];
    const apart_vec3 pn = ap_polytope_point(p, new), pb = ap_polytope_point(p, b), pc = ap_polytope_point(p, c), px = ap_polytope_point(p, x);
    if (!ap_polytope_is_above(p, f, px) || !ap_clearly_positive(pn, pb, px) || !ap_clearly_positive(pn, px, pc)) {
        return false;
    }
    const int across_bx = other.neighbour[at_c], across_xc = other.neighbour[at_b];
    ap_polytope_set_face(p, f, new, b, x, across_bx, g, face.neighbour[2]);
    ap_polytope_set_face(p, g, new, x, c, across_xc, face.neighbour[1], f);
    replace_neighbour(p, across_bx, g, f);
    replace_neighbour(p, face.neighbour[1], f, g);
    return true;
}

/* Lawson's loop: each face here has the new point as corner 0. A full stack leaves edges unflipped: the bound stays true. */
void ap_polytope_make_convex(ap_polytope *p, const int *start, int count)
{
    int stack[FLIP_STACK];
    int top = 0;
    for (int i = 0; i < count; i++) {
        stack[top++] = start[i];
    }
    for (int work = 0; top > 0 && work < 4 * AP_POLYTOPE_FACES(p->capacity); work++) {
        const int f = stack[--top];
        const int g = p->link[f].neighbour[0];
        if (flip(p, f) && top + 2 <= FLIP_STACK) {
            stack[top++] = f;
            stack[top++] = g;
        }
    }
}

/* The new point lies over the inside of f. */
static void split_face(ap_polytope *p, int f, int new)
{
    const ap_polytope_link old = p->link[f];
    const int a = old.vertex[0], b = old.vertex[1], c = old.vertex[2];
    const int g = p->face_count, h = p->face_count + 1;
    ap_polytope_set_face_count(p, p->face_count + 2);
    ap_polytope_set_face(p, f, new, a, b, old.neighbour[2], g, h);
    ap_polytope_set_face(p, g, new, b, c, old.neighbour[0], h, f);
    ap_polytope_set_face(p, h, new, c, a, old.neighbour[1], f, g);
    replace_neighbour(p, old.neighbour[0], f, g);
    replace_neighbour(p, old.neighbour[1], f, h);
    const int start[3] = {f, g, h};
    ap_polytope_make_convex(p, start, 3);
}

/* The new point lies over the edge of f opposite its corner i: both triangles at that edge are halved. */
static bool split_edge(ap_polytope *p, int f, int i, int new)
{
    const ap_polytope_link old = p->link[f];
    const int g = old.neighbour[i];
    const ap_polytope_link other = p->link[g];
    const int a = old.vertex[i], b = old.vertex[(i + 1) % 3], c = old.vertex[(i + 2) % 3];
    const int at_b = corner_of(&other, b), at_c = corner_of(&other, c);
    const int x = other.vertex[3 - at_b - at_c];
    const apart_vec3 n = ap_polytope_point(p, new), pa = ap_polytope_point(p, a), pb = ap_polytope_point(p, b), pc = ap_polytope_point(p, c), px = ap_polytope_point(p, x);
    if (!ap_clearly_positive(n, pa, pb) || !ap_clearly_positive(n, pc, pa) || !ap_clearly_positive(n, pb, px) || !ap_clearly_positive(n, px, pc)) {
        return false;
    }
    const int across_ab = old.neighbour[(i + 2) % 3], across_ca = old.neighbour[(i + 1) % 3];
    const int across_bx = other.neighbour[at_c], across_xc = other.neighbour[at_b];
    const int h = p->face_count, k = p->face_count + 1;
    ap_polytope_set_face_count(p, p->face_count + 2);
    ap_polytope_set_face(p, f, new, a, b, across_ab, g, h);
    ap_polytope_set_face(p, g, new, b, x, across_bx, k, f);
    ap_polytope_set_face(p, k, new, x, c, across_xc, h, g);
    ap_polytope_set_face(p, h, new, c, a, across_ca, f, k);
    replace_neighbour(p, across_ca, f, h);
    replace_neighbour(p, across_xc, g, k);
    const int start[4] = {f, g, h, k};
    ap_polytope_make_convex(p, start, 4);
    return true;
}

bool ap_polytope_insert_by_flips(ap_polytope *p, int face, const ap_simplex_vertex *point)
{
    double side[3], noise[3];
    if (p->vertex_count == p->capacity) {
        return false;
    }
    const int f = ap_polytope_walk(p, face, point->w, side, noise);
    const int new = p->vertex_count;
    ap_polytope_put_vertex(p, new, point);
    int doubtful = 0, edge = 0;
    for (int i = 0; i < 3; i++) {
        if (!(side[i] > noise[i])) {
            doubtful++;
            edge = i;
        }
    }
    if (doubtful == 0) {
        p->vertex_count++;
        split_face(p, f, new);
        return true;
    }
    if (doubtful == 1 && split_edge(p, f, edge, new)) {
        p->vertex_count++;
        return true;
    }
    return false;
}
