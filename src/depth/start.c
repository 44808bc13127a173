/* Where the depth search starts: from the last simplex of GJK, of any dimension, to a solid around the origin.
 *
 * Integer-aligned boxes end GJK with the origin on a segment or a triangle in half of all overlaps. Then the missing
 * dimensions are opened one by one: a triangle gets a pole on either side; a segment gets a ring, found by the planar
 * version of the same search in the projection along it. A direction whose support value is not clearly above 0
 * separates the bodies: contact.
 *
 * Legend: m is a unit direction; the support value of the Minkowski difference along m is max m.w. */
#include "depth_search.h"

/* In units of u * M: a support value above this proves that the Minkowski difference extends beyond the origin. */
#define SUPPORT_NOISE 32.0
/* How many support points are tried for a ring around the origin. */
#define RING_STEPS 64
/* How often GJK is run again when its simplex cannot be built on. */
#define START_ATTEMPTS 4
#define RESTART_ITERATIONS 256
/* How often bodies in contact are moved apart to find the plane between them, and by what share of the last move. */
#define CONTACT_MOVES 12
#define CONTACT_STEP 0x1p-4

static const ap_gjk_options gjk_again = {.fallback = true, .max_iterations = RESTART_ITERATIONS, .cutoff = INFINITY};

static double support_noise(const ap_pair *pair) { return SUPPORT_NOISE * AP_UNIT_ROUNDOFF * pair->magnitude; }

/* Has a direction been met in which the Minkowski difference does not extend clearly beyond the origin? */
static bool is_separated(const ap_enclosure *e, const ap_pair *pair) { return e->least_value <= support_noise(pair); }

static void clear_enclosure(ap_enclosure *e)
{
    e->count = 0;
    e->tetrahedron = false;
    e->least_value = INFINITY;
    e->least_direction = ap_vec(1.0, 0.0, 0.0);
}

double ap_depth_support(ap_enclosure *e, ap_pair *pair, apart_vec3 m, ap_simplex_vertex *found)
{
    found->index_a = APART_NO_INDEX;
    found->index_b = APART_NO_INDEX;
    ap_pair_support(pair, ap_neg(m), found);
    const double value = ap_dot(m, found->w);
    if (value < e->least_value) {
        e->least_value = value;
        e->least_direction = m;
    }
    return value;
}

/* ---- enclosing the origin ---- */

/* The cross product of p and q in the coordinates of the plane: > 0 when q lies counter-clockwise from p. */
static double turn_in_plane(const ap_plane *plane, apart_vec3 p, apart_vec3 q)
{
    return ap_diff_of_products(ap_dot(plane->f, p), ap_dot(plane->g, q), ap_dot(plane->g, p), ap_dot(plane->f, q));
}

static apart_vec3 plane_direction(const ap_plane *plane, double x, double y)
{
    return ap_add(ap_scale(x, plane->f), ap_scale(y, plane->g));
}

/* The unit direction across the projected segment p q, towards the side of the origin. */
static apart_vec3 toward_origin(const ap_plane *plane, apart_vec3 p, apart_vec3 q)
{
    const double x = ap_dot(plane->f, q) - ap_dot(plane->f, p), y = ap_dot(plane->g, q) - ap_dot(plane->g, p);
    const apart_vec3 m = ap_unit(plane_direction(plane, -y, x));
    return ap_dot(m, p) > 0.0 ? ap_neg(m) : m;
}

/* The origin projects onto the segment ring[0] ring[1]: one support point on either side closes the ring. */
static int close_flat_ring(ap_enclosure *e, ap_pair *pair, const ap_plane *plane, ap_simplex_vertex ring[4])
{
    const apart_vec3 m = toward_origin(plane, ring[0].w, ring[1].w);
    const ap_simplex_vertex end = ring[1];
    if (!(ap_depth_support(e, pair, m, &ring[1]) > support_noise(pair)) ||
        !(ap_depth_support(e, pair, ap_neg(m), &ring[3]) > support_noise(pair))) {
        return 0;
    }
    ring[2] = end;
    if (turn_in_plane(plane, ring[0].w, ring[1].w) < 0.0) {
        const ap_simplex_vertex swap = ring[1];
        ring[1] = ring[3];
        ring[3] = swap;
    }
    return 4;
}

/* Surrounds the origin, projected into the plane, with 3 or 4 points, counter-clockwise from f to g. Returns 0 when a
 * direction separates. */
static AP_RARE int find_ring(ap_enclosure *e, ap_pair *pair, const ap_plane *plane, ap_simplex_vertex ring[4])
{
    const double least = support_noise(pair);
    if (!(ap_depth_support(e, pair, plane->f, &ring[0]) > least)) {
        return 0;
    }
    const apart_vec3 back = ap_unit(plane_direction(plane, -ap_dot(plane->f, ring[0].w), -ap_dot(plane->g, ring[0].w)));
    if (!(ap_depth_support(e, pair, back, &ring[1]) > least)) {
        return 0;
    }
    const double noise = least * pair->magnitude;
    for (int step = 0; step < RING_STEPS; step++) {
        const double area = turn_in_plane(plane, ring[0].w, ring[1].w);
        if (fabs(area) <= noise) {
            return close_flat_ring(e, pair, plane, ring);
        }
        if (area < 0.0) {
            const ap_simplex_vertex swap = ring[0];
            ring[0] = ring[1];
            ring[1] = swap;
        }
        if (!(ap_depth_support(e, pair, toward_origin(plane, ring[0].w, ring[1].w), &ring[2]) > least)) {
            return 0;
        }
        const double after = turn_in_plane(plane, ring[1].w, ring[2].w);
        const double before = turn_in_plane(plane, ring[2].w, ring[0].w);
        if (after > noise && before > noise) {
            return 3;
        }
        /* The origin is beyond the edge with the lesser turn: its ends are kept. */
        ring[after < before ? 0 : 1] = ring[2];
    }
    return 0;
}

/* The origin is on a segment, which gets a ring. */
static AP_RARE void enclose_segment(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const apart_vec3 axis = ap_unit(ap_sub(s->vertex[0].w, s->vertex[1].w));
    ap_plane plane = {.f = ap_perpendicular(axis)};
    plane.g = ap_cross(axis, plane.f);
    e->point[0] = s->vertex[0];
    e->point[1] = s->vertex[1];
    const int n = find_ring(e, pair, &plane, &e->point[2]);
    e->count = n > 0 ? n + 2 : 0;
}

/* The origin is on a triangle, which gets two poles. */
static AP_RARE void enclose_triangle(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const apart_vec3 p = s->vertex[0].w;
    const apart_vec3 n = ap_unit(ap_cross_accurate(ap_sub(s->vertex[1].w, p), ap_sub(s->vertex[2].w, p)));
    for (int i = 0; i < 3; i++) {
        e->point[2 + i] = s->vertex[i];
    }
    if (ap_depth_support(e, pair, n, &e->point[0]) > support_noise(pair) &&
        ap_depth_support(e, pair, ap_neg(n), &e->point[1]) > support_noise(pair)) {
        e->count = 5;
    }
}

/* Planar bodies get a ring, unless the simplex is one. */
static void enclose_planar_bodies(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    const ap_plane plane = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}};
    if (s->count == 3) {
        const bool turned = turn_in_plane(&plane, s->vertex[0].w, s->vertex[1].w) < 0.0;
        e->count = 3;
        e->point[0] = s->vertex[0];
        e->point[1] = s->vertex[turned ? 2 : 1];
        e->point[2] = s->vertex[turned ? 1 : 2];
        return;
    }
    e->count = find_ring(e, pair, &plane, e->point);
}

/* Four points are taken if they enclose the origin clearly; else the face nearest to the origin is enclosed as a
 * triangle. */
static void enclose_tetrahedron(ap_enclosure *e, ap_pair *pair, const ap_simplex *s)
{
    static const int face[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    double least = INFINITY;
    int nearest = 0;
    for (int k = 0; k < 4; k++) {
        const apart_vec3 p = s->vertex[face[k][0]].w;
        const apart_vec3 n = ap_cross_accurate(ap_sub(s->vertex[face[k][1]].w, p), ap_sub(s->vertex[face[k][2]].w, p));
        const double away = fabs(ap_dot(n, p)) / ap_norm(n);
        if (away < least) {
            least = away;
            nearest = k;
        }
    }
    if (least > support_noise(pair)) {
        e->count = 4;
        e->tetrahedron = true;
        for (int k = 0; k < 4; k++) {
            e->point[k] = s->vertex[k];
        }
        return;
    }
    ap_simplex flat = {.count = 3};
    for (int k = 0; k < 3; k++) {
        flat.vertex[k] = s->vertex[face[nearest][k]];
    }
    enclose_triangle(e, pair, &flat);
}

/* Surrounds the origin, which the simplex contains or touches. Where that fails, e->count is 0 and a direction that
 * separates was met. */
static void enclose_simplex(ap_enclosure *e, ap_pair *pair, const ap_simplex *s, apart_vec3 direction)
{
    clear_enclosure(e);
    if (s->count == 1) { /* a vertex at the origin: if it is a support point, its direction separates */
        ap_simplex_vertex found;
        const apart_vec3 d = ap_max_abs(direction) > 0.0 ? direction : ap_vec(1.0, 0.0, 0.0);
        ap_depth_support(e, pair, ap_neg(ap_unit(d)), &found);
    } else if (pair->dim == 2) {
        enclose_planar_bodies(e, pair, s);
    } else if (s->count == 4) {
        enclose_tetrahedron(e, pair, s);
    } else if (s->count == 3) {
        enclose_triangle(e, pair, s);
    } else {
        enclose_segment(e, pair, s);
    }
}

bool ap_depth_enclose(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_gjk *g)
{
    enclose_simplex(e, pair, &g->simplex, g->direction);
    if (e->count == 0 || pair->dim == 2) {
        return e->count > 0;
    }
    return e->tetrahedron ? ap_polytope_tetrahedron(p, e->point)
                          : ap_polytope_bipyramid(p, e->point, &e->point[2], e->count - 2);
}

/* ---- GJK once more ---- */

void ap_depth_restart_gjk(ap_gjk *g, ap_pair *pair, apart_vec3 out)
{
    const int iterations = g->iterations, solver_calls = g->solver_calls;
    const bool fell_back = g->fell_back;
    ap_gjk_start(g, pair, ap_neg(out));
    ap_gjk_run(g, pair, &gjk_again);
    g->iterations += iterations;
    g->solver_calls += solver_calls;
    g->fell_back = g->fell_back || fell_back;
}

/* Finds the plane between the bodies once they are moved apart along `away`, and evaluates its support value where they
 * are. */
static void separate_moved(ap_enclosure *e, ap_pair *pair, apart_vec3 away, double step)
{
    ap_gjk g;
    ap_pair moved = *pair;
    moved.offset = ap_add(pair->offset, ap_scale(step, away));
    ap_gjk_start(&g, &moved, away);
    ap_gjk_run(&g, &moved, &gjk_again);
    pair->support_calls = moved.support_calls;
    if (g.outcome == AP_SEPARATED) {
        ap_simplex_vertex found;
        ap_depth_support(e, pair, ap_scale(-1.0 / g.length, g.v), &found);
    }
}

/* A small move away from the centre of the Minkowski difference leaves it, and the nearest plane is then one of those
 * that meet at the origin; further moves along the best direction so far descend from there. */
AP_RARE void ap_depth_find_contact_plane(ap_enclosure *e, ap_pair *pair)
{
    const apart_vec3 from_center = ap_max_abs(pair->offset) > 0.0 ? ap_unit(pair->offset) : ap_neg(e->least_direction);
    double step = pair->magnitude;
    for (int i = 0; i < CONTACT_MOVES && !is_separated(e, pair); i++) {
        step *= CONTACT_STEP;
        separate_moved(e, pair, from_center, step);
    }
    for (int i = 0; i < CONTACT_MOVES && e->least_value < INFINITY && !is_separated(e, pair); i++) {
        separate_moved(e, pair, ap_neg(e->least_direction), 2.0 * e->least_value);
    }
}

/* ---- the start ---- */

/* Builds on the simplex; where that is a triangle and the origin is on its edge, to rounding, on that edge. */
static bool build_on_simplex(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_gjk *g)
{
    if (ap_depth_enclose(e, p, pair, g)) {
        return true;
    }
    if (pair->dim == 2 || g->simplex.count != 3 || is_separated(e, pair)) {
        return false;
    }
    ap_gjk edge = *g;
    int least = 0;
    double share[3];
    for (int i = 0; i < 3; i++) {
        share[i] = g->simplex.vertex[i].lambda * ap_norm(g->simplex.vertex[i].w);
        least = share[i] < share[least] ? i : least;
    }
    ap_simplex_keep(&edge.simplex, 7u & ~(1u << least));
    return ap_depth_enclose(e, p, pair, &edge);
}

/* The usual case: GJK ended with four points that clearly have the origin between them. Cached vertices need not be
 * support points any more: the surface is theirs all the same, and growth makes it convex and leaves them behind. */
static bool build_on_tetrahedron(ap_enclosure *e, ap_polytope *p, const ap_pair *pair, const ap_gjk *g)
{
    if (pair->dim != 3 || g->simplex.count != 4 || !ap_polytope_tetrahedron(p, g->simplex.vertex)) {
        return false;
    }
    clear_enclosure(e);
    const double least = support_noise(pair);
    const ap_lanes key = ap_lanes_load(p->key); /* of its four faces */
    return ap_mask_bits(ap_lanes_greater(key, ap_lanes_all(least * least))) == 15u;
}

/* The bounds of the depth from that face: its distance, and the support value along its normal. The point of the face
 * next to the origin is the witness. */
static void bound_by_face(ap_depth *d, ap_pair *pair, const ap_simplex *s, int opposite, double distance)
{
    ap_simplex_vertex found = s->vertex[(opposite + 1) & 3];
    if (pair->guesses) { /* the table's vertex is nearer than any of the face */
        found.index_a = found.index_b = APART_NO_INDEX;
    }
    ap_pair_support(pair, d->normal, &found);
    d->simplex = *s;
    ap_simplex_keep(&d->simplex, 15u & ~(1u << opposite));
    apart_vec3 v;
    ap_solve_default(&d->simplex, 3, &v);
    d->least = d->depth = distance;
    d->most = ap_max(-ap_dot(d->normal, found.w), distance);
    d->stop = APART_STOP_CONVERGED;
}

bool ap_depth_is_certain(ap_depth *d, ap_pair *pair, const ap_gjk *g, int kind)
{
    if (pair->dim != 3 || g->simplex.count != 4) {
        return false;
    }
    const ap_simplex_vertex *x = g->simplex.vertex;
    const int turned = ap_dot(x[1].w, ap_cross(x[2].w, x[3].w)) < 0.0 ? 1 : 0;
    const ap_lanes w0 = ap_lanes_load(&x[0].w), w1 = ap_lanes_load(&x[1].w), w2 = ap_lanes_load(&x[2 + turned].w),
                   w3 = ap_lanes_load(&x[3 - turned].w);
    _Alignas(32) double plane[16]; /* of the faces opposite w0, w1, w2 and w3 */
    _Alignas(32) double key[4];
    const double noise = AP_FACE_NOISE * AP_UNIT_ROUNDOFF * pair->magnitude,
                 least = ap_max(support_noise(pair), pair->upper_error);
    if (ap_planes4_set(ap_lanes3_transposed(w1, w0, w0, w0), ap_lanes3_transposed(w2, w3, w1, w2),
                       ap_lanes3_transposed(w3, w2, w3, w1), noise, plane, key) != 0 ||
        ap_mask_bits(ap_lanes_greater(ap_lanes_load(key), ap_lanes_all(least * least))) != 15u) {
        return false;
    }
    const int low = key[1] < key[0] ? 1 : 0, high = key[3] < key[2] ? 3 : 2;
    const int nearest = key[high] < key[low] ? high : low;
    const double *n = &plane[4 * nearest];
    const double inverse = 1.0 / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    d->normal = ap_scale(-inverse, ap_vec(n[0], n[1], n[2]));
    d->enclosed = true;
    if (kind == APART_DEPTH_BOUNDS) {
        bound_by_face(d, pair, &g->simplex, nearest < 2 ? nearest : nearest ^ turned, inverse * n[3]);
    }
    return true;
}

/* Builds on the simplex of GJK, or on those that other first directions lead to. False: the bodies touch. */
static bool build_from_gjk(ap_enclosure *e, ap_polytope *p, ap_pair *pair, ap_gjk *g)
{
    if (build_on_tetrahedron(e, p, pair, g)) {
        return true;
    }
    if (g->warm) { /* the vertices of the polytope must be support points: cached ones need not be */
        ap_depth_restart_gjk(g, pair, ap_max_abs(g->direction) > 0.0 ? ap_neg(g->direction) : ap_vec(1.0, 0.0, 0.0));
    }
    for (int attempt = 0; attempt < START_ATTEMPTS; attempt++) {
        if (build_on_simplex(e, p, pair, g)) {
            return true;
        }
        if (is_separated(e, pair)) {
            return false;
        }
        ap_depth_restart_gjk(g, pair, e->least_direction);
        if (g->outcome == AP_SEPARATED) {
            e->least_direction = ap_scale(-1.0 / g->length, g->v);
            e->least_value = -g->lower;
            return false;
        }
    }
    return false;
}

bool ap_depth_start(ap_enclosure *e, ap_polytope *p, ap_pair *pair, const ap_plane *section, ap_gjk *g)
{
    bool started;
    p->face_count = 0;
    p->aside = false;
    if (section != NULL) {
        clear_enclosure(e);
        e->count = find_ring(e, pair, section, e->point);
        started = e->count > 0;
    } else {
        started = build_from_gjk(e, p, pair, g);
    }
    if (started || is_separated(e, pair)) {
        return started;
    }
    ap_depth_find_contact_plane(e, pair);
    if (section != NULL || is_separated(e, pair)) {
        return false;
    }
    const ap_enclosure known = *e;
    ap_depth_restart_gjk(g, pair, e->least_direction);
    started = g->outcome != AP_SEPARATED && build_from_gjk(e, p, pair, g);
    if (!started && !(e->least_value < known.least_value)) {
        *e = known;
    }
    return started;
}
