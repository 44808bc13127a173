/* The surface of the depth search: split the triangle that a new point lies over, then flip edges until it is convex there.
 *
 * Seen from the origin the surface is a triangulated sphere and its convex hull a regular triangulation (Edelsbrunner and Shah
 * 1996): inserting a point by one split and local flips needs no search for a horizon and cannot tear the surface. We differ in
 * leaving an edge alone whose flip would make a triangle without clear orientation: the bound stays true, only less tight. */
#include "polytope.h"

/* Errors of a determinant with a plain cross product, and with an accurate one, relative to the sizes multiplied:
 * three products and two sums of vectors whose components err by 3u, or by 4u of the cross product itself. */
#define DET_NOISE (24.0 * AP_UNIT_ROUNDOFF)
#define FLIP_STACK 256

static const apart_vec3 *point_of(const ap_polytope *p, int vertex) { return &p->vertex[vertex].w; }

/* det(p, q, r) and how far rounding can have moved it: plain first, with error-free products where that cannot tell the sign. */
static double determinant(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *noise)
{
    const double size = DET_NOISE * ap_max_abs(p);
    const double plain = ap_dot(p, ap_cross(q, r));
    *noise = size * (ap_max_abs(q) * ap_max_abs(r));
    if (fabs(plain) > *noise) {
        return plain;
    }
    const apart_vec3 c = ap_cross_accurate(q, r);
    *noise = size * ap_max_abs(c);
    return ap_dot(p, c);
}

static bool clearly_positive(apart_vec3 p, apart_vec3 q, apart_vec3 r)
{
    double noise;
    return determinant(p, q, r, &noise) > noise;
}

/* n = (q - p) x (r - p), with exact differences where the triangle is so thin that rounded ones would turn it. *thin: |n| against the edges. */
static apart_vec3 triangle_normal(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *thin)
{
    const apart_vec3 e = ap_sub(q, p), f = ap_sub(r, p);
    const double edges = ap_max_abs(e) * ap_max_abs(f);
    apart_vec3 n = ap_cross(e, f);
    if (!(ap_max_abs(n) > 0x1p-6 * edges)) {
        n = ap_dd3_value(ap_dd3_cross(ap_dd3_difference(q, p), ap_dd3_difference(r, p)));
    }
    *thin = ap_max_abs(n) / edges;
    return n;
}

/* Any unit normal gives a true bound: x in the triangle has |x| >= n.x >= the least n.p_k. */
static void set_plane(const ap_polytope *p, ap_polytope_face *face)
{
    const apart_vec3 a = *point_of(p, face->vertex[0]), b = *point_of(p, face->vertex[1]), c = *point_of(p, face->vertex[2]);
    double thin;
    const apart_vec3 n = triangle_normal(a, b, c, &thin);
    face->normal = ap_scale(1.0 / sqrt(ap_dot(n, n)), n);
    const double at_a = ap_dot(face->normal, a), at_b = ap_dot(face->normal, b), at_c = ap_dot(face->normal, c);
    face->distance = ap_min(at_a, ap_min(at_b, at_c));
    face->noise = (float)(DET_NOISE / (thin > 0.0 ? thin : 1.0));
}

static void set_face(ap_polytope *p, int f, int a, int b, int c, int across_a, int across_b, int across_c)
{
    ap_polytope_face *face = &p->face[f];
    face->vertex[0] = (uint16_t)a;
    face->vertex[1] = (uint16_t)b;
    face->vertex[2] = (uint16_t)c;
    face->neighbour[0] = (uint16_t)across_a;
    face->neighbour[1] = (uint16_t)across_b;
    face->neighbour[2] = (uint16_t)across_c;
    set_plane(p, face);
}

static void replace_neighbour(ap_polytope *p, int f, int old, int new)
{
    for (int i = 0; i < 3; i++) {
        if (p->face[f].neighbour[i] == old) {
            p->face[f].neighbour[i] = (uint16_t)new;
            return;
        }
    }
}

static int corner_of(const ap_polytope_face *face, int vertex) { return face->vertex[0] == vertex ? 0 : face->vertex[1] == vertex ? 1 : 2; }

static void put_vertex(ap_polytope *p, int i, const ap_simplex_vertex *s)
{
    p->vertex[i] = (ap_polytope_vertex){.w = s->w, .a = s->a, .index_a = s->index_a, .index_b = s->index_b};
}

bool ap_polytope_refresh(ap_polytope *p)
{
    for (int f = 0; f < p->face_count; f++) {
        ap_polytope_face *face = &p->face[f];
        if (!clearly_positive(*point_of(p, face->vertex[0]), *point_of(p, face->vertex[1]), *point_of(p, face->vertex[2]))) {
            return false;
        }
        set_plane(p, face);
    }
    return true;
}

/* The corner of g whose opposite edge is that of f opposite corner i, reversed; -1 if there is none. */
static int matching_corner(const ap_polytope_face *f, int i, const ap_polytope_face *g)
{
    for (int k = 0; k < 3; k++) {
        if (g->vertex[(k + 1) % 3] == f->vertex[(i + 2) % 3] && g->vertex[(k + 2) % 3] == f->vertex[(i + 1) % 3]) {
            return k;
        }
    }
    return -1;
}

bool ap_polytope_is_closed(const ap_polytope *p)
{
    if (p->vertex_count < 4 || p->vertex_count > p->capacity || p->face_count < 4 || p->face_count > AP_POLYTOPE_FACES(p->capacity)) {
        return false;
    }
    for (int f = 0; f < p->face_count; f++) {
        const ap_polytope_face *face = &p->face[f];
        for (int i = 0; i < 3; i++) {
            if (face->vertex[i] >= p->vertex_count || face->neighbour[i] >= p->face_count) {
                return false;
            }
            const ap_polytope_face *other = &p->face[face->neighbour[i]];
            const int k = matching_corner(face, i, other);
            if (k < 0 || other->neighbour[k] != f) {
                return false;
            }
        }
    }
    return true;
}

int ap_polytope_nearest(const ap_polytope *p, bool growing)
{
    int nearest = -1;
    double least = INFINITY;
    for (int f = 0; f < p->face_count; f++) {
        if (p->face[f].distance < least && !(growing && p->face[f].noise < 0.0f)) {
            least = p->face[f].distance;
            nearest = f;
        }
    }
    return nearest;
}

void ap_polytope_set_aside(ap_polytope *p, int face) { p->face[face].noise = -p->face[face].noise; }

/* det(d, q, r) for the three edges of a face: all >= 0 when the ray along d passes through it. */
static int worst_edge(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    int worst = 0;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 q = *point_of(p, p->face[f].vertex[(i + 1) % 3]), r = *point_of(p, p->face[f].vertex[(i + 2) % 3]);
        side[i] = determinant(d, q, r, &noise[i]);
        worst = side[i] < side[worst] ? i : worst;
    }
    return worst;
}

/* Walks from face to face towards d. */
static int walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    for (int step = 0; step < p->face_count; step++) {
        const int worst = worst_edge(p, f, d, side, noise);
        if (side[worst] >= -noise[worst]) {
            return f;
        }
        f = p->face[f].neighbour[worst];
    }
    /* Only a surface that rounding left dented can make a walk go round: look at all faces then. */
    int best = f;
    double least = -INFINITY;
    for (f = 0; f < p->face_count; f++) {
        const int worst = worst_edge(p, f, d, side, noise);
        if (side[worst] > least) {
            least = side[worst];
            best = f;
        }
    }
    worst_edge(p, best, d, side, noise);
    return best;
}

/* Barycentric weights of the ray along d in a face, in double-double: a needle's weights are the witness points. */
static void set_weights(const ap_polytope *p, int f, apart_vec3 d, double weight[3])
{
    ap_dd part[3], sum = ap_dd_from(0.0);
    for (int i = 0; i < 3; i++) {
        const ap_dd3 q = ap_dd3_from(*point_of(p, p->face[f].vertex[(i + 1) % 3])), r = ap_dd3_from(*point_of(p, p->face[f].vertex[(i + 2) % 3]));
        part[i] = ap_dd3_dot(ap_dd3_from(d), ap_dd3_cross(q, r));
        part[i] = ap_dd_positive(part[i]) ? part[i] : ap_dd_from(0.0);
        sum = ap_dd_add(sum, part[i]);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = ap_dd_positive(sum) ? ap_dd_value(ap_dd_div(part[i], sum)) : 1.0 / 3.0;
    }
}

int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3])
{
    double side[3], noise[3];
    const int f = walk(p, face, d, side, noise);
    set_weights(p, f, d, weight);
    return f;
}

/* Is vertex x clearly above the plane of the face? Decided in double-double where the stored plane cannot tell. */
static bool is_above(const ap_polytope *p, const ap_polytope_face *face, apart_vec3 x)
{
    const apart_vec3 a = *point_of(p, face->vertex[0]), b = *point_of(p, face->vertex[1]), c = *point_of(p, face->vertex[2]);
    const apart_vec3 e = ap_sub(x, a);
    const double height = ap_dot(face->normal, e);
    if (fabs(height) > fabs((double)face->noise)) {
        return height > 0.0;
    }
    const ap_dd3 n = ap_dd3_cross(ap_dd3_difference(b, a), ap_dd3_difference(c, a));
    const double noise = 0x1p-96 * ap_max_abs(ap_sub(b, a)) * ap_max_abs(ap_sub(c, a)) * ap_max_abs(e);
    return ap_dd3_dot(n, ap_dd3_difference(x, a)).hi > noise;
}

/* Flips the edge of f opposite its corner 0 (the new point) if the vertex across it lies above f. */
static bool flip(ap_polytope *p, int f)
{
    const ap_polytope_face face = p->face[f];
    const int g = face.neighbour[0];
    const ap_polytope_face other = p->face[g];
    const int new = face.vertex[0], b = face.vertex[1], c = face.vertex[2];
    /* In `other` the shared edge runs c -> b; x is opposite. */
    const int at_b = corner_of(&other, b), at_c = corner_of(&other, c);
    const int corner = 3 - at_b - at_c;
    const int x = other.vertex[corner];
    const apart_vec3 pn = *point_of(p, new), pb = *point_of(p, b), pc = *point_of(p, c), px = *point_of(p, x);
    if (!is_above(p, &face, px) || !clearly_positive(pn, pb, px) || !clearly_positive(pn, px, pc)) {
        return false;
    }
    const int across_bx = other.neighbour[at_c], across_xc = other.neighbour[at_b];
    set_face(p, f, new, b, x, across_bx, g, face.neighbour[2]);
    set_face(p, g, new, x, c, across_xc, face.neighbour[1], f);
    replace_neighbour(p, across_bx, g, f);
    replace_neighbour(p, face.neighbour[1], f, g);
    return true;
}

/* Lawson's loop: each face here has the new point as corner 0. A full stack leaves edges unflipped: the bound stays true. */
static void make_convex(ap_polytope *p, const int *start, int count)
{
    int stack[FLIP_STACK];
    int top = 0;
    for (int i = 0; i < count; i++) {
        stack[top++] = start[i];
    }
    for (int work = 0; top > 0 && work < 4 * AP_POLYTOPE_FACES(p->capacity); work++) {
        const int f = stack[--top];
        const int g = p->face[f].neighbour[0];
        if (flip(p, f) && top + 2 <= FLIP_STACK) {
            stack[top++] = f;
            stack[top++] = g;
        }
    }
}

bool ap_polytope_bipyramid(ap_polytope *p, const ap_simplex_vertex pole[2], const ap_simplex_vertex *ring, int n)
{
    for (int i = 0; i < n; i++) {
        const apart_vec3 r = ring[i].w, s = ring[(i + 1) % n].w;
        if (!clearly_positive(pole[0].w, r, s) || !clearly_positive(pole[1].w, s, r)) {
            return false;
        }
    }
    p->vertex_count = n + 2;
    p->face_count = 2 * n;
    put_vertex(p, 0, &pole[0]);
    put_vertex(p, 1, &pole[1]);
    for (int i = 0; i < n; i++) {
        put_vertex(p, 2 + i, &ring[i]);
    }
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n, previous = (i + n - 1) % n;
        set_face(p, i, 0, 2 + i, 2 + next, n + i, next, previous);
        set_face(p, n + i, 1, 2 + next, 2 + i, i, n + previous, n + next);
    }
    static const int upper[4] = {0, 1, 2, 3};
    make_convex(p, upper, n); /* a pole may lie above a face of the other half: its ring edge is flipped */
    return true;
}

bool ap_polytope_tetrahedron(ap_polytope *p, const ap_simplex_vertex vertex[4])
{
    static const int face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double noise;
    const bool turned = determinant(vertex[1].w, vertex[2].w, vertex[3].w, &noise) < 0.0;
    for (int f = 0; f < 4; f++) {
        const int *c = face[f];
        if (!clearly_positive(vertex[c[0]].w, vertex[c[turned ? 2 : 1]].w, vertex[c[turned ? 1 : 2]].w)) {
            return false;
        }
    }
    p->vertex_count = 4;
    p->face_count = 4;
    for (int i = 0; i < 4; i++) {
        put_vertex(p, i, &vertex[i]);
    }
    for (int f = 0; f < 4; f++) {
        /* The neighbour across the edge opposite a vertex is the face opposite that vertex. */
        const int a = face[f][0], b = face[f][turned ? 2 : 1], c = face[f][turned ? 1 : 2];
        set_face(p, f, a, b, c, a, b, c);
    }
    return true;
}

/* The new point lies over the inside of f. */
static void split_face(ap_polytope *p, int f, int new)
{
    const ap_polytope_face old = p->face[f];
    const int a = old.vertex[0], b = old.vertex[1], c = old.vertex[2];
    const int g = p->face_count, h = p->face_count + 1;
    p->face_count += 2;
    set_face(p, f, new, a, b, old.neighbour[2], g, h);
    set_face(p, g, new, b, c, old.neighbour[0], h, f);
    set_face(p, h, new, c, a, old.neighbour[1], f, g);
    replace_neighbour(p, old.neighbour[0], f, g);
    replace_neighbour(p, old.neighbour[1], f, h);
    const int start[3] = {f, g, h};
    make_convex(p, start, 3);
}

/* The new point lies over the edge of f opposite its corner i: both triangles at that edge are halved. */
static bool split_edge(ap_polytope *p, int f, int i, int new)
{
    const ap_polytope_face old = p->face[f];
    const int g = old.neighbour[i];
    const ap_polytope_face other = p->face[g];
    const int a = old.vertex[i], b = old.vertex[(i + 1) % 3], c = old.vertex[(i + 2) % 3];
    const int at_b = corner_of(&other, b), at_c = corner_of(&other, c);
    const int x = other.vertex[3 - at_b - at_c];
    const apart_vec3 n = *point_of(p, new), pa = *point_of(p, a), pb = *point_of(p, b), pc = *point_of(p, c), px = *point_of(p, x);
    if (!clearly_positive(n, pa, pb) || !clearly_positive(n, pc, pa) || !clearly_positive(n, pb, px) || !clearly_positive(n, px, pc)) {
        return false;
    }
    const int across_ab = old.neighbour[(i + 2) % 3], across_ca = old.neighbour[(i + 1) % 3];
    const int across_bx = other.neighbour[at_c], across_xc = other.neighbour[at_b];
    const int h = p->face_count, k = p->face_count + 1;
    p->face_count += 2;
    set_face(p, f, new, a, b, across_ab, g, h);
    set_face(p, g, new, b, x, across_bx, k, f);
    set_face(p, k, new, x, c, across_xc, h, g);
    set_face(p, h, new, c, a, across_ca, f, k);
    replace_neighbour(p, across_ca, f, h);
    replace_neighbour(p, across_xc, g, k);
    const int start[4] = {f, g, h, k};
    make_convex(p, start, 4);
    return true;
}

bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point)
{
    double side[3], noise[3];
    if (p->vertex_count == p->capacity) {
        return false;
    }
    const int f = walk(p, face, point->w, side, noise);
    const int new = p->vertex_count;
    put_vertex(p, new, point);
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
