/* The polytope of EPA: its memory, its planes, the solids it begins with, its nearest face, and where a ray leaves it.
 *
 * Source: van den Bergen 2001 for the expanding polytope. We differ in what is kept of a face: its plane is not
 * normalised (faces are compared by the squares of their distances), so that four new planes cost one division and no
 * root. polytope_grow.c has the growth, polytope_flip.c what is done where rounding leaves a decision of the growth
 * open. */
#include "polytope.h"

/* The error of a determinant relative to the sizes multiplied: three products and two sums of vectors whose components
 * err by 3u of the factors of a rounded cross product, or by 4u of an accurate cross product itself. */
#define DET_NOISE (24.0 * AP_UNIT_ROUNDOFF)

void ap_polytope_init(ap_polytope *p, void *memory, int capacity, const ap_pair *pair)
{
    const size_t n = (size_t)capacity;
    p->capacity = capacity;
    p->vertex_count = 0;
    p->face_count = 0;
    p->changed = true;
    p->aside = false;
    p->noise_unit = AP_FACE_NOISE * AP_UNIT_ROUNDOFF * pair->magnitude;
    p->w = memory;
    p->plane = p->w + 4 * n;
    p->key = p->plane + 8 * n;
    p->index = (uint32_t *)(void *)(p->key + 2 * n);
    p->corner = (uint16_t *)(void *)(p->index + 2 * n);
    p->twin = p->corner + 8 * n;
    p->a = pair->vertices ? NULL : (apart_vec3 *)(void *)((char *)memory + AP_POLYTOPE_BYTES * n);
}

double ap_determinant(apart_vec3 p, apart_vec3 q, apart_vec3 r, double *noise)
{
    const double size = DET_NOISE * ap_max_abs(p);
    const double rounded = ap_dot(p, ap_cross(q, r));
    *noise = size * (ap_max_abs(q) * ap_max_abs(r));
    if (fabs(rounded) > *noise) {
        return rounded;
    }
    const apart_vec3 c = ap_cross_accurate(q, r);
    *noise = size * ap_max_abs(c);
    return ap_dot(p, c);
}

/* n = (q - p) x (r - p), with exact differences where the triangle is so thin that rounded ones would turn it. */
static apart_vec3 triangle_normal(apart_vec3 p, apart_vec3 q, apart_vec3 r)
{
    const apart_vec3 e = ap_sub(q, p), f = ap_sub(r, p);
    const double edges = ap_max_abs(e) * ap_max_abs(f);
    apart_vec3 n = ap_cross(e, f);
    if (!(ap_dot(n, n) > AP_FACE_THIN * (edges * edges))) {
        n = ap_dd3_value(ap_dd3_cross(ap_dd3_difference(q, p), ap_dd3_difference(r, p)));
    }
    return n;
}

/* The plane of one triangle of any shape. Any unit normal n gives a valid bound: x in the triangle has |x| >= n.x >=
 * the least n.p_k. */
static void set_face_plane(ap_polytope *p, int f)
{
    const apart_vec3 a = ap_polytope_corner_point(p, 4 * f);
    const apart_vec3 b = ap_polytope_corner_point(p, 4 * f + 1), c = ap_polytope_corner_point(p, 4 * f + 2);
    apart_vec3 n = triangle_normal(a, b, c);
    const double most = ap_max_abs(n);
    if (most < 0x1p-400 && most > 0.0) {
        n = ap_scale(ap_power_of_two_scale(most), n);
    }
    const double d = ap_min(ap_dot(n, a), ap_min(ap_dot(n, b), ap_dot(n, c)));
    double *plane = &p->plane[4 * f];
    plane[0] = n.x;
    plane[1] = n.y;
    plane[2] = n.z;
    plane[3] = d;
    p->key[f] = d > 0.0 ? d * d / ap_dot(n, n) : 0.0;
}

void ap_polytope_set_face(ap_polytope *p, int f, int a, int b, int c)
{
    uint16_t *corner = &p->corner[4 * f];
    corner[0] = (uint16_t)(4 * a);
    corner[1] = (uint16_t)(4 * b);
    corner[2] = (uint16_t)(4 * c);
    corner[3] = (uint16_t)(4 * a);
    p->twin[4 * f + 3] = 0;
    set_face_plane(p, f);
}

void ap_polytope_vertex(const ap_polytope *p, ap_pair *pair, int i, double lambda, ap_simplex_vertex *out)
{
    if (p->a == NULL) {
        ap_pair_vertex(pair, p->index[2 * i], p->index[2 * i + 1], out);
    } else {
        out->w = ap_polytope_point(p, i);
        out->a = p->a[i];
        out->b = ap_add(p->a[i], out->w);
        out->index_a = p->index[2 * i];
        out->index_b = p->index[2 * i + 1];
    }
    out->lambda = lambda;
}

/* Computes a plane that four lanes left open. False: the triangle does not have the origin clearly inside. */
static AP_RARE bool refresh_one(ap_polytope *p, int f)
{
    const apart_vec3 a = ap_polytope_corner_point(p, 4 * f);
    if (!ap_clearly_positive(a, ap_polytope_corner_point(p, 4 * f + 1), ap_polytope_corner_point(p, 4 * f + 2))) {
        return false;
    }
    set_face_plane(p, f);
    return true;
}

bool ap_polytope_refresh(ap_polytope *p)
{
    const int last = p->face_count - 1;
    const uint16_t *end = &p->corner[4 * last];
    for (int f = 0; f <= last; f += 4) {
        const uint16_t *a = &p->corner[4 * f];
        const uint16_t *b = f + 1 < last ? a + 4 : end;
        const uint16_t *c = f + 2 < last ? a + 8 : end, *d = f + 3 < last ? a + 12 : end;
        const ap_lanes3 u = ap_polytope_gather(p, a[0], b[0], c[0], d[0]);
        const ap_lanes3 v = ap_polytope_gather(p, a[1], b[1], c[1], d[1]);
        const ap_lanes3 w = ap_polytope_gather(p, a[2], b[2], c[2], d[2]);
        const unsigned open = ap_planes4_set(u, v, w, p->noise_unit, &p->plane[4 * f], &p->key[f]);
        for (int lane = 0; open != 0 && lane < 4; lane++) {
            if ((open >> lane & 1u) != 0 && f + lane <= last && !refresh_one(p, f + lane)) {
                return false;
            }
        }
    }
    p->aside = false;
    ap_polytope_set_face_count(p, p->face_count);
    return true;
}

/* The number of the face with the least key, or -1. */
AP_INLINE int find_least_key(const ap_polytope *p)
{
    const int count = p->face_count;
    ap_lanes least = ap_lanes_load(p->key);
    for (int f = 4; f < count; f += 4) {
        least = ap_lanes_min(least, ap_lanes_load(&p->key[f]));
    }
    least = ap_lanes_min(least, AP_SHUFFLE(least, 2, 3, 0, 1));
    least = ap_lanes_min(least, AP_SHUFFLE(least, 1, 0, 3, 2));
    if (!(ap_lanes_at(least, 0) < INFINITY)) {
        return -1;
    }
    for (int f = 0; f < count; f += 4) {
        const unsigned bits = ap_mask_bits(ap_lanes_equal(ap_lanes_load(&p->key[f]), least));
        if (bits != 0) {
            return f + (int)ap_lowest_bit(bits);
        }
    }
    return -1;
}

void ap_polytope_nearest(const ap_polytope *p, ap_nearest_face *out)
{
    out->index = find_least_key(p);
    if (out->index < 0) {
        return;
    }
    const double *plane = &p->plane[4 * out->index];
    out->n = ap_vec(plane[0], plane[1], plane[2]);
    const double square = ap_dot(out->n, out->n);
    if (!(square > 0.0)) { /* a triangle without area, which no test lets pass */
        out->unit = ap_vec(1.0, 0.0, 0.0);
        out->distance = 0.0;
        return;
    }
    const double inverse = 1.0 / sqrt(square);
    out->unit = ap_scale(inverse, out->n);
    out->distance = ap_max(plane[3], 0.0) * inverse;
}

void ap_polytope_set_aside(ap_polytope *p, int face)
{
    p->key[face] = INFINITY;
    p->aside = true;
}

void ap_polytope_take_back(ap_polytope *p)
{
    for (int f = 0; p->aside && f < p->face_count; f++) {
        if (!(p->key[f] < INFINITY)) {
            set_face_plane(p, f);
        }
    }
    p->aside = false;
}

bool ap_polytope_bipyramid(ap_polytope *p, const ap_simplex_vertex pole[2], const ap_simplex_vertex *ring, int n)
{
    for (int i = 0; i < n; i++) {
        const apart_vec3 r = ring[i].w, s = ring[(i + 1) % n].w;
        if (!ap_clearly_positive(pole[0].w, r, s) || !ap_clearly_positive(pole[1].w, s, r)) {
            return false;
        }
    }
    p->vertex_count = n + 2;
    ap_polytope_put_vertex(p, 0, &pole[0]);
    ap_polytope_put_vertex(p, 1, &pole[1]);
    for (int i = 0; i < n; i++) {
        ap_polytope_put_vertex(p, 2 + i, &ring[i]);
    }
    ap_polytope_set_face_count(p, 2 * n);
    for (int i = 0; i < n; i++) {
        const int next = (i + 1) % n;
        ap_polytope_set_face(p, i, 0, 2 + i, 2 + next);
        ap_polytope_set_face(p, n + i, 1, 2 + next, 2 + i);
        ap_polytope_join(p, 4 * i + 1, 4 * (n + i) + 1);
        ap_polytope_join(p, 4 * i + 2, 4 * next);
        ap_polytope_join(p, 4 * (n + i), 4 * (n + next) + 2);
    }
    static const int upper[4] = {0, 1, 2, 3};
    ap_polytope_make_convex(p, upper, n); /* a pole may lie above a face of the other half: its ring edge is flipped */
    return true;
}

bool ap_polytope_tetrahedron(ap_polytope *p, const ap_simplex_vertex vertex[4])
{
    /* Face i lies opposite vertex i. */
    static const uint16_t corner[16] = {4, 8, 12, 4, 0, 12, 8, 0, 0, 4, 12, 0, 0, 8, 4, 0};
    static const uint16_t twin[16] = {13, 5, 9, 0, 10, 1, 12, 0, 14, 2, 4, 0, 6, 0, 8, 0};
    double noise;
    const int turned = ap_determinant(vertex[1].w, vertex[2].w, vertex[3].w, &noise) < 0.0 ? 1 : 0;
    ap_polytope_put_vertex(p, 0, &vertex[0]);
    ap_polytope_put_vertex(p, 1, &vertex[1]);
    ap_polytope_put_vertex(p, 2 + turned, &vertex[2]);
    ap_polytope_put_vertex(p, 3 - turned, &vertex[3]);
    memcpy(p->corner, corner, sizeof corner);
    memcpy(p->twin, twin, sizeof twin);
    p->vertex_count = 4;
    p->face_count = 4;
    if (ap_polytope_refresh(p)) {
        return true;
    }
    p->face_count = 0;
    return false;
}

/* ---- where a ray from the origin leaves the polytope: which triangle, and where in it ----
 *
 * Neighbouring triangles are tried with weights in doubles first. Where a triangle is too thin for these, the walk goes
 * by determinants with error bounds, and the weights are computed in double-double. */

/* In units of u over the sine of the triangle: weights in doubles this far below 0 are 0. */
#define WEIGHT_NOISE 8.0
/* How many triangles are tried with weights in doubles. */
#define ROUNDED_STEPS 32

/* det(d, q, r) for the three half-edges q r of a face: all are >= 0 when the ray along d passes through it. Returns the
 * least. */
static int worst_edge(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    int worst = 0;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 q = ap_polytope_corner_point(p, 4 * f + i), r = ap_polytope_corner_point(p, 4 * f + i + 1);
        side[i] = ap_determinant(d, q, r, &noise[i]);
        worst = side[i] < side[worst] ? i : worst;
    }
    return worst;
}

int ap_polytope_walk(const ap_polytope *p, int f, apart_vec3 d, double side[3], double noise[3])
{
    for (int step = 0; step < p->face_count; step++) {
        const int worst = worst_edge(p, f, d, side, noise);
        if (side[worst] >= -noise[worst]) {
            return f;
        }
        f = p->twin[4 * f + worst] >> 2;
    }
    /* Only a surface that rounding left dented can make a walk go round: all faces are tested then. */
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

/* Barycentric weights of the ray along d in a face, in double-double: a thin triangle needs them for its witness
 * points. */
static void weights_in_double_double(const ap_polytope *p, int f, apart_vec3 d, double weight[3])
{
    ap_dd part[3], sum = ap_dd_from(0.0);
    for (int i = 0; i < 3; i++) {
        const int h = ap_polytope_next(4 * f + i); /* opposite corner i */
        const ap_dd3 q = ap_dd3_from(ap_polytope_corner_point(p, h));
        const ap_dd3 r = ap_dd3_from(ap_polytope_corner_point(p, h + 1));
        part[i] = ap_dd3_dot(ap_dd3_from(d), ap_dd3_cross(q, r));
        part[i] = ap_dd_positive(part[i]) ? part[i] : ap_dd_from(0.0);
        sum = ap_dd_add(sum, part[i]);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = ap_dd_positive(sum) ? ap_dd_value(ap_dd_div(part[i], sum)) : 1.0 / 3.0;
    }
}

/* m (m.p) - p up to a multiple of m: from p to where the ray passes, without the rounding of the products. */
static apart_vec3 to_ray(apart_vec3 m, apart_vec3 p)
{
    const double h = ap_dot(m, p);
    const ap_dd x = ap_two_product(m.x, h), y = ap_two_product(m.y, h), z = ap_two_product(m.z, h);
    return ap_vec((x.hi - p.x) + x.lo, (y.hi - p.y) + y.lo, (z.hi - p.z) + z.lo);
}

/* Barycentric weights in doubles, by cross products relative to the first corner, and their noise. False: the triangle,
 * seen along m, is too thin. */
static bool weights_in_doubles(const ap_polytope *p, int f, apart_vec3 m, double weight[3], double *noise)
{
    const apart_vec3 first = ap_polytope_corner_point(p, 4 * f);
    const apart_vec3 e = ap_sub(ap_polytope_corner_point(p, 4 * f + 1), first);
    const apart_vec3 g = ap_sub(ap_polytope_corner_point(p, 4 * f + 2), first);
    const apart_vec3 x = to_ray(m, first);
    const double area = ap_dot(m, ap_cross(e, g)), edges = ap_max_abs(e) * ap_max_abs(g);
    if (!(area > 0.0 && area * area > AP_FACE_THIN * (edges * edges))) {
        return false;
    }
    const double inverse = 1.0 / area;
    *noise = WEIGHT_NOISE * AP_UNIT_ROUNDOFF * (edges * inverse);
    weight[1] = ap_dot(m, ap_cross(x, g)) * inverse;
    weight[2] = ap_dot(m, ap_cross(e, x)) * inverse;
    weight[0] = (1.0 - weight[1]) - weight[2];
    return true;
}

/* Makes negative weights 0 and their sum 1. */
static void normalize_weights(double weight[3])
{
    for (int i = 0; i < 3; i++) {
        weight[i] = weight[i] > 0.0 ? weight[i] : 0.0;
    }
    const double sum = (weight[0] + weight[1]) + weight[2];
    for (int i = 0; sum != 1.0 && i < 3; i++) {
        weight[i] /= sum;
    }
}

int ap_polytope_locate(const ap_polytope *p, int face, apart_vec3 d, double weight[3])
{
    int f = face;
    double noise_of_weight;
    for (int step = 0; step < ROUNDED_STEPS && weights_in_doubles(p, f, d, weight, &noise_of_weight); step++) {
        const int least = weight[0] < weight[1] ? (weight[0] < weight[2] ? 0 : 2) : weight[1] < weight[2] ? 1 : 2;
        if (weight[least] >= -noise_of_weight) {
            normalize_weights(weight);
            return f;
        }
        f = p->twin[ap_polytope_next(4 * f + least)] >> 2; /* across the edge opposite that corner */
    }
    double side[3], noise[3];
    f = ap_polytope_walk(p, face, d, side, noise);
    weights_in_double_double(p, f, d, weight);
    return f;
}
