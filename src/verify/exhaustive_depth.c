/* The depth of overlapping polytopes by exhaustive search (Cameron and Culley 1986: the minimum translational
 * distance is the distance of the origin from the nearest facet of the Minkowski difference, the set of differences
 * b - a, which they call TCSO).
 *
 * Every facet of the Minkowski difference is a face of one body plus a vertex of the other, or an edge plus an
 * edge: its normal is among the face normals of both and the cross products of an edge of one with an edge of the
 * other. The separation along any direction bounds the signed distance from below; if it is negative along all of
 * these normals, the bodies overlap and the largest of them is the signed distance.
 *
 * We differ in that the normals and separations are computed in double-double arithmetic, after a filter in
 * doubles, and in a bound of what can be missed. A normal that is off by an angle x changes a separation by at most
 * x times the size of the pair. A facet too narrow for its normal to be known is left out: the directions between
 * the normals of its two neighbours along it all have the same support point to within its width, and along such an
 * arc the separation is largest at an end, to within that width.
 *
 * Shapes without topology (point sets, hulls of two) have an edge between any two and a face through any three of
 * their points: more directions than facets do no harm. In the plane the facets are the edges. */
#include "body.h"

/* The limit of work in units of dot products in doubles; one in double-double arithmetic costs DOUBLED. */
#define WORK_LIMIT 2e7
#define DOUBLED 20.0
/* The cost of a candidate before any dot product. */
#define CANDIDATE_WORK 40.0

/* Relative error of several operations in double-double arithmetic. */
#define ROUNDING 0x1p-100
/* The ratio of the error of a separation in doubles to that in double-double arithmetic (2^-96, body.h): 128 units
 * of 2^-53. */
#define COARSER 0x1p+50
/* No two points of the bodies are farther apart, in the frame in which the pair has unit size. */
#define SIZE 2.0
/* Affine maps with larger entries, or with only smaller ones, are not evaluated. */
#define LARGEST_MAP 0x1p+200
#define SMALLEST_MAP 0x1p-200
/* How far a hull's vertices may be above its faces in units of its bound: the resolution of a test in doubles. */
#define FACE_TOLERANCE 0x1p-48

/* apart_shape.flags of composites, as in body.c. */
#define CHILD_RADII 1u

/* A vector, and a bound of its error. */
typedef struct {
    ap_dd3 v;
    double error;
} vector;

/* The numbers of vertices, edges and faces, as doubles because products may be large. `work`: dot products of one
 * extent. */
typedef struct {
    double vertices, edges, faces, work;
} census;

typedef struct {
    const ap_verify_body *a, *b;
    double margin;  /* of separations in doubles */
    double work;    /* that is left */
    double best;    /* the largest separation so far */
    double highest; /* no facet has a larger one, except those in `narrow` */
    double narrow;  /* widths of the facets left out */
    bool any;       /* a normal was found */
} facet_search;

static census add_census(census p, census q)
{
    return (census){p.vertices + q.vertices, p.edges + q.edges, p.faces + q.faces, p.work + q.work};
}

/* A point set: an edge for all pairs, a face for all triples. */
static census point_set_census(double n, double work)
{
    return (census){n, n * (n - 1.0) / 2.0, n * (n - 1.0) * (n - 2.0) / 6.0, work};
}

static census sum_census(census p, census q)
{
    census s = add_census(p, q);
    s.vertices = p.vertices * q.vertices;
    s.faces += p.edges * q.edges;
    return s;
}

static census hull_census(const apart_hull *hull)
{
    const double n = apart_hull_vertex_count(hull);
    return (census){n, apart_hull_edge_count(hull), apart_hull_face_count(hull), n};
}

static bool is_evaluated(const apart_mat3 *m)
{
    const double most = ap_max(ap_max_abs(m->x), ap_max(ap_max_abs(m->y), ap_max_abs(m->z)));
    return most == 0.0 || (most >= SMALLEST_MAP && most <= LARGEST_MAP);
}

/* Counts the vertices, edges and faces; false: the core is not a polytope. */
static bool count_features(const apart_shape *shape, census *out)
{
    census p, q;
    switch (shape->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE: *out = point_set_census(shape->kind, shape->kind); return true;
    case APART_SHAPE_BOX: *out = (census){8.0, 3.0, 3.0, 1.0}; return true;
    case APART_SHAPE_HULL: *out = hull_census(shape->u.hull); return true;
    case APART_SHAPE_POINTS:
        *out = point_set_census((double)shape->u.points.count, (double)shape->u.points.count);
        return true;
    case APART_SHAPE_AFFINE: {
        const apart_shape *child = shape->u.affine.child;
        const bool sharp = !(shape->flags & CHILD_RADII) || child->radius == 0.0;
        return sharp && is_evaluated(&shape->u.affine.linear) && count_features(child, out);
    }
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO: {
        const apart_shape *first = shape->u.pair.first, *second = shape->u.pair.second;
        const bool sharp = !(shape->flags & CHILD_RADII) || (first->radius == 0.0 && second->radius == 0.0);
        if (!sharp || !count_features(first, &p) || !count_features(second, &q)) {
            return false;
        }
        *out = shape->kind == APART_SHAPE_SUM ? sum_census(p, q)
                                              : point_set_census(p.vertices + q.vertices, p.work + q.work);
        return true;
    }
    default: return false;
    }
}

static census census_of(const apart_shape *shape)
{
    census c = {0.0, 0.0, 0.0, 0.0};
    (void)count_features(shape, &c);
    return c;
}

static double vector_length(ap_dd3 v) { return ap_norm(ap_dd3_value(v)); }

static vector exact_vector(double scale, apart_vec3 p) { return (vector){ap_dd3_from(ap_scale(scale, p)), 0.0}; }

static vector vector_between(vector p, vector q)
{
    const ap_dd3 v = ap_dd3_sub(q.v, p.v);
    return (vector){v, p.error + q.error + ROUNDING * vector_length(v)};
}

static vector mapped_vector(const apart_mat3 *m, vector p)
{
    const double norm = (ap_norm(m->x) + ap_norm(m->y)) + ap_norm(m->z);
    return (vector){ap_dd3_apply(m, p.v), norm * (p.error + ROUNDING * vector_length(p.v))};
}

static apart_vec3 point_of_set(const apart_shape *shape, uint32_t i)
{
    const double *p = shape->u.points.coordinates + (size_t)shape->dim * i;
    return ap_vec(p[0], p[1], shape->dim == 3 ? p[2] : 0.0);
}

/* The i-th vertex in the shape's own frame. */
static vector vertex_of(const apart_shape *shape, double scale, uint32_t i)
{
    switch (shape->kind) {
    case APART_SHAPE_BOX: {
        const apart_vec3 h = shape->u.half_extents;
        return exact_vector(scale, ap_vec(i & 1u ? h.x : -h.x, i & 2u ? h.y : -h.y, i & 4u ? h.z : -h.z));
    }
    case APART_SHAPE_HULL: return exact_vector(scale, apart_hull_vertex(shape->u.hull, i));
    case APART_SHAPE_POINTS: return exact_vector(scale, point_of_set(shape, i));
    case APART_SHAPE_AFFINE: {
        const vector p = mapped_vector(&shape->u.affine.linear, vertex_of(shape->u.affine.child, scale, i));
        const ap_dd3 offset = ap_dd3_from(ap_scale(scale, shape->u.affine.offset));
        return (vector){ap_dd3_add(p.v, offset), p.error + ROUNDING * (vector_length(p.v) + vector_length(offset))};
    }
    case APART_SHAPE_SUM: {
        const uint32_t n = (uint32_t)census_of(shape->u.pair.first).vertices;
        const vector p = vertex_of(shape->u.pair.first, scale, i % n),
                     q = vertex_of(shape->u.pair.second, scale, i / n);
        return (vector){ap_dd3_add(p.v, q.v), p.error + q.error + ROUNDING * (vector_length(p.v) + vector_length(q.v))};
    }
    case APART_SHAPE_HULL_OF_TWO: {
        const uint32_t n = (uint32_t)census_of(shape->u.pair.first).vertices;
        return i < n ? vertex_of(shape->u.pair.first, scale, i) : vertex_of(shape->u.pair.second, scale, i - n);
    }
    default: return exact_vector(scale, shape->u.point[i]);
    }
}

/* The k-th pair i < j of n things. */
static void unrank_pair(uint32_t n, uint32_t k, uint32_t *i, uint32_t *j)
{
    *i = 0;
    for (; k >= n - 1 - *i; (*i)++) {
        k -= n - 1 - *i;
    }
    *j = *i + 1 + k;
}

/* The k-th triple. */
static void unrank_triple(uint32_t n, uint32_t k, uint32_t out[3])
{
    uint32_t i = 0;
    for (uint32_t rest = n - 1; k >= rest * (rest - 1) / 2; rest--) {
        k -= rest * (rest - 1) / 2;
        i++;
    }
    unrank_pair(n - 1 - i, k, &out[1], &out[2]);
    out[0] = i;
    out[1] += i + 1;
    out[2] += i + 1;
}

static vector edge_vector(const apart_shape *shape, double scale, uint32_t i, uint32_t j)
{
    return vector_between(vertex_of(shape, scale, i), vertex_of(shape, scale, j));
}

static vector box_axis(const apart_shape *shape, double scale, uint32_t i)
{
    const apart_vec3 h = ap_scale(2.0 * scale, shape->u.half_extents);
    return exact_vector(1.0, ap_vec(i == 0 ? h.x : 0.0, i == 1 ? h.y : 0.0, i == 2 ? h.z : 0.0));
}

/* The k-th edge in the shape's own frame. */
static vector edge_of(const apart_shape *shape, double scale, uint32_t k)
{
    uint32_t ends[2];
    switch (shape->kind) {
    case APART_SHAPE_BOX: return box_axis(shape, scale, k);
    case APART_SHAPE_HULL: apart_hull_edge(shape->u.hull, k, ends); return edge_vector(shape, scale, ends[0], ends[1]);
    case APART_SHAPE_AFFINE: return mapped_vector(&shape->u.affine.linear, edge_of(shape->u.affine.child, scale, k));
    case APART_SHAPE_SUM: {
        const uint32_t n = (uint32_t)census_of(shape->u.pair.first).edges;
        return k < n ? edge_of(shape->u.pair.first, scale, k) : edge_of(shape->u.pair.second, scale, k - n);
    }
    default:
        unrank_pair((uint32_t)census_of(shape).vertices, k, &ends[0], &ends[1]);
        return edge_vector(shape, scale, ends[0], ends[1]);
    }
}

/* A large triangle of a hull's face: its first vertex, the farthest from it, and the one farthest from their line. */
static void face_triangle(const apart_hull *hull, double scale, uint32_t face, uint32_t out[3])
{
    const uint32_t *v;
    const uint32_t n = apart_hull_face(hull, face, &v);
    const apart_vec3 first = ap_scale(scale, apart_hull_vertex(hull, v[0]));
    double most = -1.0;
    out[0] = v[0];
    out[1] = v[1];
    for (uint32_t i = 1; i < n; i++) {
        const double length = ap_norm(ap_sub(ap_scale(scale, apart_hull_vertex(hull, v[i])), first));
        if (length > most) {
            most = length;
            out[1] = v[i];
        }
    }
    const double s = ap_power_of_two_scale(most);
    const apart_vec3 longest = ap_scale(s, ap_sub(ap_scale(scale, apart_hull_vertex(hull, out[1])), first));
    most = -1.0;
    out[2] = v[n - 1];
    for (uint32_t i = 1; i < n; i++) {
        const double area =
            ap_norm(ap_cross(longest, ap_scale(s, ap_sub(ap_scale(scale, apart_hull_vertex(hull, v[i])), first))));
        if (v[i] != out[1] && area > most) {
            most = area;
            out[2] = v[i];
        }
    }
}

/* Two vectors that span the k-th face, in the shape's own frame. */
static void face_of(const apart_shape *shape, double scale, uint32_t k, vector out[2])
{
    uint32_t v[3];
    switch (shape->kind) {
    case APART_SHAPE_BOX:
        out[0] = box_axis(shape, scale, (k + 1) % 3);
        out[1] = box_axis(shape, scale, (k + 2) % 3);
        return;
    case APART_SHAPE_AFFINE:
        face_of(shape->u.affine.child, scale, k, out);
        out[0] = mapped_vector(&shape->u.affine.linear, out[0]);
        out[1] = mapped_vector(&shape->u.affine.linear, out[1]);
        return;
    case APART_SHAPE_SUM: {
        const apart_shape *first = shape->u.pair.first, *second = shape->u.pair.second;
        const uint32_t faces = (uint32_t)census_of(first).faces, more = (uint32_t)census_of(second).faces;
        const uint32_t edges = (uint32_t)census_of(first).edges;
        if (k < faces) {
            face_of(first, scale, k, out);
        } else if (k - faces < more) {
            face_of(second, scale, k - faces, out);
        } else {
            out[0] = edge_of(first, scale, (k - faces - more) % edges);
            out[1] = edge_of(second, scale, (k - faces - more) / edges);
        }
        return;
    }
    case APART_SHAPE_HULL: face_triangle(shape->u.hull, scale, k, v); break;
    default: unrank_triple((uint32_t)census_of(shape).vertices, k, v);
    }
    out[0] = edge_vector(shape, scale, v[0], v[1]);
    out[1] = edge_vector(shape, scale, v[0], v[2]);
}

typedef struct {
    double least, most;
} interval;

static interval join_intervals(interval p, interval q)
{
    return (interval){ap_min(p.least, q.least), ap_max(p.most, q.most)};
}

static interval point_interval(double value) { return (interval){value, value}; }

static interval sum_intervals(interval p, interval q) { return (interval){p.least + q.least, p.most + q.most}; }

static interval hull_interval(const apart_hull *hull, double scale, apart_vec3 d)
{
    const uint32_t n = apart_hull_vertex_count(hull);
    interval e = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < n; i++) {
        e = join_intervals(e, point_interval(ap_dot(d, ap_scale(scale, apart_hull_vertex(hull, i)))));
    }
    return e;
}

/* The interval that the core covers along d, in doubles. */
static interval core_interval(const apart_shape *shape, double scale, apart_vec3 d)
{
    interval e = {INFINITY, -INFINITY};
    switch (shape->kind) {
    case APART_SHAPE_BOX: {
        const apart_vec3 h = ap_scale(scale, shape->u.half_extents);
        const double half = (fabs(d.x) * h.x + fabs(d.y) * h.y) + fabs(d.z) * h.z;
        return (interval){-half, half};
    }
    case APART_SHAPE_HULL: return hull_interval(shape->u.hull, scale, d);
    case APART_SHAPE_POINTS:
        for (uint32_t i = 0; i < shape->u.points.count; i++) {
            e = join_intervals(e, point_interval(ap_dot(d, ap_scale(scale, point_of_set(shape, i)))));
        }
        return e;
    case APART_SHAPE_AFFINE: {
        const apart_vec3 inner = ap_apply_transposed(&shape->u.affine.linear, d);
        return sum_intervals(core_interval(shape->u.affine.child, scale, inner),
                             point_interval(ap_dot(d, ap_scale(scale, shape->u.affine.offset))));
    }
    case APART_SHAPE_SUM:
        return sum_intervals(core_interval(shape->u.pair.first, scale, d),
                             core_interval(shape->u.pair.second, scale, d));
    case APART_SHAPE_HULL_OF_TWO:
        return join_intervals(core_interval(shape->u.pair.first, scale, d),
                              core_interval(shape->u.pair.second, scale, d));
    default: /* point, segment, triangle */
        for (int i = 0; i < shape->kind; i++) {
            e = join_intervals(e, point_interval(ap_dot(d, ap_scale(scale, shape->u.point[i]))));
        }
        return e;
    }
}

static interval body_interval(const ap_verify_body *body, apart_vec3 d)
{
    const interval core = core_interval(body->shape, body->scale, ap_apply_transposed(&body->rotation, d));
    return sum_intervals(core, point_interval(ap_dot(d, ap_dd3_value(body->offset))));
}

/* Computes the separation along d in double-double arithmetic, if the one in doubles shows that it may matter.
 * `loss`: what it may miss because d is not quite the facet's normal. */
static bool try_direction(facet_search *s, ap_dd3 d, double coarse, double loss)
{
    double separation, bodies;
    if (coarse + loss <= s->best - s->margin) {
        return true;
    }
    if (!ap_verify_separation(s->a, s->b, d, &bodies, &separation)) {
        return false;
    }
    s->work -= DOUBLED * (census_of(s->a->shape).work + census_of(s->b->shape).work);
    s->best = ap_max(s->best, separation);
    s->highest = ap_max(s->highest, separation + loss);
    return s->work > 0.0;
}

/* Tries both directions of a normal. */
static bool try_normal(facet_search *s, ap_dd3 normal, double loss)
{
    const apart_vec3 d = ap_unit(ap_dd3_value(normal));
    const interval a = body_interval(s->a, d), b = body_interval(s->b, d);
    s->any = true;
    return try_direction(s, normal, b.least - a.most, loss) &&
           try_direction(s, ap_dd3_neg(normal), a.least - b.most, loss);
}

/* Tries the normal of the facet that u and v span, unless it is too narrow for that. */
static bool try_facet(facet_search *s, vector u, vector v)
{
    const double length_u = vector_length(u.v), length_v = vector_length(v.v);
    if (!(length_u > 0.0 && length_v > 0.0)) {
        s->narrow += ap_min(length_u + u.error, length_v + v.error);
        return true;
    }
    const ap_dd3 unit_u = ap_dd3_to_unit_size(u.v), unit_v = ap_dd3_to_unit_size(v.v);
    const ap_dd3 normal = ap_dd3_cross(unit_u, unit_v);
    const double sine = vector_length(normal) / (vector_length(unit_u) * vector_length(unit_v));
    const double uncertain = ROUNDING + u.error / length_u + v.error / length_v;
    const double width = ap_min(length_u, length_v) * (sine + uncertain);
    const double loss = SIZE * 2.0 * uncertain / sine;
    if (!(loss < width)) {
        s->narrow += width;
        return true;
    }
    return try_normal(s, ap_dd3_to_unit_size(normal), loss);
}

static bool try_faces(facet_search *s, const ap_verify_body *body, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        vector f[2];
        face_of(body->shape, body->scale, k, f);
        if (!try_facet(s, mapped_vector(&body->rotation, f[0]), mapped_vector(&body->rotation, f[1]))) {
            return false;
        }
    }
    return true;
}

static bool try_edges(facet_search *s, uint32_t count_a, uint32_t count_b)
{
    for (uint32_t i = 0; i < count_a; i++) {
        const vector u = mapped_vector(&s->a->rotation, edge_of(s->a->shape, s->a->scale, i));
        for (uint32_t j = 0; j < count_b; j++) {
            if (!try_facet(s, u, mapped_vector(&s->b->rotation, edge_of(s->b->shape, s->b->scale, j)))) {
                return false;
            }
        }
    }
    return true;
}

/* In the plane: the normals of all edges. */
static bool try_sides(facet_search *s, const ap_verify_body *body, uint32_t count)
{
    const vector up = exact_vector(1.0, ap_vec(0.0, 0.0, 1.0));
    for (uint32_t k = 0; k < count; k++) {
        if (!try_facet(s, mapped_vector(&body->rotation, edge_of(body->shape, body->scale, k)), up)) {
            return false;
        }
    }
    return true;
}

/* The interval that a hull covers along d, relative to one of its vertices. */
static interval interval_from_vertex(const apart_hull *hull, double scale, apart_vec3 d, uint32_t vertex)
{
    const uint32_t n = apart_hull_vertex_count(hull);
    const apart_vec3 origin = ap_scale(scale, apart_hull_vertex(hull, vertex));
    interval e = {0.0, 0.0};
    for (uint32_t i = 0; i < n; i++) {
        e = join_intervals(e, point_interval(ap_dot(d, ap_sub(ap_scale(scale, apart_hull_vertex(hull, i)), origin))));
    }
    return e;
}

/* Finds how far a face's vertices are from its plane, and whether the hull is on one side of it. */
static bool check_hull_face(const apart_shape *shape, double scale, uint32_t face, double *warp)
{
    const double tolerance = FACE_TOLERANCE * scale * shape->bound;
    vector f[2];
    const uint32_t *v;
    const uint32_t n = apart_hull_face(shape->u.hull, face, &v);
    face_of(shape, scale, face, f);
    const ap_dd3 normal = ap_dd3_to_unit_size(ap_dd3_cross(ap_dd3_to_unit_size(f[0].v), ap_dd3_to_unit_size(f[1].v)));
    const double length = vector_length(normal);
    for (uint32_t i = 1; i < n && length > 0.0; i++) {
        const ap_dd height = ap_dd3_dot(normal, edge_vector(shape, scale, v[0], v[i]).v);
        *warp = ap_max(*warp, fabs(ap_dd_value(height)) / length);
    }
    const interval all = interval_from_vertex(shape->u.hull, scale, ap_unit(ap_dd3_value(normal)), v[0]);
    return *warp <= tolerance && (all.most <= tolerance || all.least >= -tolerance);
}

/* Checks the topology of the hulls inside a shape: the faces are faces, their number fits Euler's formula; finds
 * their largest warp. */
static bool check_topology(const apart_shape *shape, double scale, double *warp)
{
    double first = 0.0, second = 0.0;
    switch (shape->kind) {
    case APART_SHAPE_HULL: {
        const census c = census_of(shape);
        bool fine = apart_hull_dimension(shape->u.hull) < 3 || c.vertices - c.edges + c.faces == 2.0;
        for (uint32_t k = 0; k < (uint32_t)c.faces && fine; k++) {
            fine = check_hull_face(shape, scale, k, warp);
        }
        return fine;
    }
    case APART_SHAPE_AFFINE: {
        const apart_mat3 *m = &shape->u.affine.linear;
        const bool fine = check_topology(shape->u.affine.child, scale, &first);
        *warp = ((ap_norm(m->x) + ap_norm(m->y)) + ap_norm(m->z)) * first;
        return fine;
    }
    case APART_SHAPE_SUM: {
        const bool fine =
            check_topology(shape->u.pair.first, scale, &first) && check_topology(shape->u.pair.second, scale, &second);
        *warp = first + second;
        return fine;
    }
    default: return true;
    }
}

static bool try_all_facets(facet_search *s, const census *a, const census *b)
{
    const uint32_t edges_a = (uint32_t)a->edges, edges_b = (uint32_t)b->edges;
    if (s->a->shape->dim == 2) {
        return try_sides(s, s->a, edges_a) && try_sides(s, s->b, edges_b);
    }
    return try_faces(s, s->a, (uint32_t)a->faces) && try_faces(s, s->b, (uint32_t)b->faces) &&
           try_edges(s, edges_a, edges_b);
}

ap_verify_bounds ap_verify_depth(const ap_verify_body *a, const ap_verify_body *b, double known)
{
    const ap_verify_bounds nothing = {.lower = known, .upper = INFINITY, .failed = true};
    census of_a, of_b;
    double warp_a = 0.0, warp_b = 0.0;
    if (!count_features(a->shape, &of_a) || !count_features(b->shape, &of_b)) {
        return nothing;
    }
    const double normals =
        a->shape->dim == 2 ? of_a.edges + of_b.edges : of_a.faces + of_b.faces + of_a.edges * of_b.edges;
    const double work = normals * (CANDIDATE_WORK + of_a.work + of_b.work);
    if (!(work < WORK_LIMIT) || !check_topology(a->shape, a->scale, &warp_a) ||
        !check_topology(b->shape, b->scale, &warp_b)) {
        return nothing;
    }
    const double slack = a->slack + b->slack;
    facet_search s =
        {.a = a, .b = b, .margin = COARSER * slack, .work = 2.0 * WORK_LIMIT, .best = known, .highest = -INFINITY};
    if (!try_all_facets(&s, &of_a, &of_b)) {
        return (ap_verify_bounds){.lower = s.best, .upper = INFINITY, .failed = true};
    }
    const double missed = 2.0 * slack + s.narrow + (warp_a + warp_b);
    if (!s.any) {
        /* No two edges span a plane: the Minkowski difference is at most a segment, and across it the bodies at
         * most touch. */
        return (ap_verify_bounds){.lower = ap_max(s.best, -4.0 * missed), .upper = INFINITY};
    }
    /* Separations were rounded down, by two units in the last place at most. */
    const double highest = ap_max(s.highest, s.best), upper = highest + (missed + 0x1p-50 * fabs(highest));
    return (ap_verify_bounds){.lower = s.best, .upper = upper < 0.0 ? upper : INFINITY};
}
