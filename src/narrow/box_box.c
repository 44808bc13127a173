/* The depth of two boxes by their fifteen axes.
 *
 * Source: the separating axes of Gottschalk, Lin and Manocha 1996, read as the exhaustive search over the faces of the TCSO
 * (Cameron and Culley 1986, item C9): the TCSO of two boxes is a zonotope with six generators, and its faces' normals are their
 * cross products. We differ in taking the matrices as given: a face normal is the cross product of two edges, not the third, so that
 * nothing depends on how orthogonal the matrix is; and in the witness points, which a planar search over the deciding face finds.
 *
 * Legend: g[0..2] half edges of A, g[3..5] of B; m a unit direction, h(m) = m.T + sum |m.g| the TCSO's support value. */
#include "box_box.h"

/* In units of u * M: generators whose extent along m is below this lie in the face. */
#define TIE 8.0
#define FACE_STEPS 16

typedef struct box_pair {
    apart_vec3 axis[6];  /* columns of both rotations */
    double extent[6];    /* half extents, scaled */
    apart_vec3 between;  /* T: from A's centre to B's */
} box_pair;

static box_pair read_boxes(const ap_pair *pair)
{
    const apart_vec3 a = ap_scale(pair->scale, pair->a->u.half_extents), b = ap_scale(pair->scale, pair->b->u.half_extents);
    const apart_mat3 *ra = pair->rotation_a, *rb = pair->rotation_b;
    return (box_pair){.axis = {ra->x, ra->y, ra->z, rb->x, rb->y, rb->z}, .extent = {a.x, a.y, a.z, b.x, b.y, b.z}, .between = pair->offset};
}

/* A unit vector perpendicular to two generators; false if they are parallel. */
static bool face_direction(apart_vec3 p, apart_vec3 q, apart_vec3 *m)
{
    apart_vec3 c = ap_cross(p, q);
    double length = ap_dot(c, c);
    if (length < 0x1p-12) {
        c = ap_cross_accurate(p, q);
        length = ap_dot(c, c);
    }
    if (!(length > 0.0)) {
        return false;
    }
    *m = ap_scale(1.0 / sqrt(length), c);
    return true;
}

/* h(m), with m turned towards the smaller of its two values. */
static double support_value(const box_pair *boxes, apart_vec3 *m)
{
    const double along = ap_dot(*m, boxes->between);
    double reach = 0.0;
    for (int k = 0; k < 6; k++) {
        reach += boxes->extent[k] * fabs(ap_dot(*m, boxes->axis[k]));
    }
    if (along > 0.0) {
        *m = ap_neg(*m);
    }
    return reach - fabs(along);
}

/* The least support value over the fifteen directions; stops early when one separates. */
static double least_support(const box_pair *boxes, apart_vec3 *best)
{
    double least = INFINITY;
    for (int i = 0; i < 6; i++) {
        for (int j = i + 1; j < 6; j++) {
            apart_vec3 m;
            if (!face_direction(boxes->axis[i], boxes->axis[j], &m)) {
                continue;
            }
            const double value = support_value(boxes, &m);
            if (value < least) {
                least = value;
                *best = m;
            }
            if (value < 0.0) {
                return least;
            }
        }
    }
    return least;
}

/* The vertex pair of the face with normal m that lies farthest along d: generators across the face follow d, the others m. */
static void face_vertex(ap_pair *pair, const box_pair *boxes, apart_vec3 m, apart_vec3 d, ap_simplex_vertex *out)
{
    const double tie = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    uint32_t corner[2] = {0, 0};
    for (int k = 0; k < 6; k++) {
        const double across = ap_dot(m, boxes->axis[k]);
        const bool in_face = boxes->extent[k] * fabs(across) <= tie;
        const double side = in_face ? ap_dot(d, boxes->axis[k]) : across;
        const bool plus = k < 3 ? side < 0.0 : side > 0.0; /* w = b - a: A's corners count the other way */
        corner[k / 3] |= plus ? 1u << (k % 3) : 0u;
    }
    ap_pair_vertex(pair, corner[0], corner[1], out);
}

/* The point of the deciding face at the origin's foot: the distance loop in the face's plane. False: the foot is beside the face, on a
 * neighbour that rounding cannot tell from it. */
static bool find_witness(ap_depth *depth, ap_pair *pair, const box_pair *boxes, apart_vec3 m)
{
    const apart_vec3 f = ap_perpendicular(m), g = ap_cross(m, f);
    const double noise = TIE * AP_UNIT_ROUNDOFF * pair->magnitude;
    ap_simplex *s = &depth->simplex;
    apart_vec3 v = ap_vec(0.0, 0.0, 0.0), d = f;
    s->count = 0;
    for (int step = 0; step < FACE_STEPS; step++) {
        ap_simplex_vertex *next = &s->vertex[s->count];
        face_vertex(pair, boxes, m, d, next);
        next->w = ap_vec(ap_dot(f, next->w), ap_dot(g, next->w), 0.0);
        if (s->count > 0 && ap_dot(v, v) - ap_dot(v, next->w) <= noise * ap_norm(v)) {
            break;
        }
        s->count++;
        if (ap_solve_default(s, 2, &v) || ap_norm(v) <= noise) {
            break;
        }
        d = ap_neg(ap_add(ap_scale(v.x, f), ap_scale(v.y, g)));
    }
    for (int i = 0; i < s->count; i++) {
        s->vertex[i].w = ap_sub(s->vertex[i].b, s->vertex[i].a);
    }
    return ap_norm(v) <= noise;
}

bool ap_box_box_depth(ap_depth *depth, ap_pair *pair, apart_vec3 *separating)
{
    const box_pair boxes = read_boxes(pair);
    apart_vec3 m = ap_vec(0.0, 0.0, 0.0);
    const double least = least_support(&boxes, &m);
    *separating = ap_neg(m);
    if (!(least > ap_pair_lower_error(pair)) || least == INFINITY || !find_witness(depth, pair, &boxes, m)) {
        return false; /* apart, or so near to contact that the distance must say it */
    }
    depth->normal = *separating;
    depth->depth = least;
    depth->least = least;
    depth->most = least;
    depth->enclosed = true;
    depth->stop = APART_STOP_CONVERGED;
    return true;
}
