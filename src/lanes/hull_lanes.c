/* Tracked pairs of tiny hulls in lanes: a pair to a lane, four lanes to a vector.
 *
 * A lane takes the simplex of the TCSO that was nearest to the origin last time: a vertex, an edge or a triangle. It
 * finds the point v of the simplex's plane, line or vertex that is nearest now, and asks whether v lies within the
 * simplex and the plane across v supports the TCSO: then v is the answer.
 *
 * The simplices of a step have equally many vertices, so that no lane computes what only others need.
 *
 * Nothing is decided here but that, for bodies that are disjoint beyond rounding, of ordinary sizes, with orthogonal
 * matrices. The bounds are derived in docs/numerics.md, "Tiny hulls in lanes". */
#include "hull_lanes.h"

#include "pair_lanes.h"

/* Errors in units of u * M, for both bounds; what the builder dropped is added. */
#define BOUND_ERROR 22.0
/* The gap that is small enough, in the same units. */
#define SHUT_GAP 16.0
/* Nearer bodies are left alone: whether they touch, the single query shall say. */
#define LEAST_REACH 128.0
/* Edges that are more parallel are, too: of the Gram determinant, in units of its first product. */
#define LEAST_DETERMINANT 0x1p-20
/* Sizes whose fourth powers are far from the ends of the doubles' range. */
#define LEAST_SIZE 0x1p-64
#define MOST_SIZE 0x1p+64
/* Sums with it have small integers in their low bits. */
#define INTEGER_SHIFT 0x1p52

/* Four bodies: a lane is a body. */
typedef struct four_bodies {
    const apart_hull *hull[AP_VECTOR_LANES];
    ap_lanes3 axis[3];
    ap_lanes3 point[AP_HULL_SIMPLICES]; /* the simplex's vertices, about the body's centre */
    ap_lanes number[AP_HULL_SIMPLICES]; /* the caller's numbers of these */
    ap_lanes bound, error;
} four_bodies;

/* Four pairs. */
typedef struct four_pairs {
    four_bodies a, b;
    ap_lanes3 origin, offset;        /* A's centre, and from there to B's */
    ap_lanes unit;                   /* u * M */
    ap_mask ordinary_size, ordinary; /* sizes, and also matrices, are such that the pair can be answered here */
    ap_lanes3 edge[2];               /* from the first vertex of the simplex in the TCSO to the others */
    ap_lanes square[2], mixed;       /* their products */
    ap_lanes squares, determinant,
        inverse_determinant; /* of these products; of an edge only the last, the inverse of its square */
    ap_lanes lambda[AP_HULL_SIMPLICES];
    ap_lanes3 v;
    ap_lanes distance, inverse, reach; /* |v|, 1/|v|, and the distance of the plane across v that supports the TCSO */
} four_pairs;

/* ---- loading ---- */

AP_INLINE ap_rotation4 load_bodies(four_bodies *p, const apart_shape *const shape[AP_VECTOR_LANES],
                                   const apart_pose *const pose[AP_VECTOR_LANES], ap_lanes3 *translation)
{
    for (unsigned i = 0; i < AP_VECTOR_LANES; i++) {
        p->hull[i] = shape[i]->u.hull;
    }
    p->bound = ap_lanes_of(shape[0]->bound, shape[1]->bound, shape[2]->bound, shape[3]->bound);
    p->error = ap_lanes_of(shape[0]->error, shape[1]->error, shape[2]->error, shape[3]->error);
    return ap_lanes_load_poses(pose, p->axis, translation);
}

/* Places the i-th vertices of the simplices. */
AP_INLINE void load_vertices(four_bodies *p, const uint32_t *const index[AP_VECTOR_LANES], unsigned i)
{
    ap_lanes corner[AP_VECTOR_LANES];
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        corner[lane] = ap_lanes_load(&ap_hull_corners(p->hull[lane])[index[lane][i]]);
    }
    ap_lanes_transpose4(&corner[0], &corner[1], &corner[2], &corner[3]);
    p->point[i] = ap_lanes3_combine(p->axis, corner[0], corner[1], corner[2]);
    p->number[i] = corner[3];
}

AP_INLINE void load_pairs(four_pairs *q, unsigned vertices, const ap_lane_job *job)
{
    const apart_shape *shape_a[AP_VECTOR_LANES] = {job[0].a, job[1].a, job[2].a, job[3].a};
    const apart_shape *shape_b[AP_VECTOR_LANES] = {job[0].b, job[1].b, job[2].b, job[3].b};
    const apart_pose *pose_a[AP_VECTOR_LANES] = {job[0].pose_a, job[1].pose_a, job[2].pose_a, job[3].pose_a};
    const apart_pose *pose_b[AP_VECTOR_LANES] = {job[0].pose_b, job[1].pose_b, job[2].pose_b, job[3].pose_b};
    const uint32_t *index_a[AP_VECTOR_LANES] = {job[0].cache->index_a, job[1].cache->index_a, job[2].cache->index_a,
                                                job[3].cache->index_a};
    const uint32_t *index_b[AP_VECTOR_LANES] = {job[0].cache->index_b, job[1].cache->index_b, job[2].cache->index_b,
                                                job[3].cache->index_b};
    ap_lanes3 to;
    const ap_rotation4 rotation_a = load_bodies(&q->a, shape_a, pose_a, &q->origin);
    const ap_rotation4 rotation_b = load_bodies(&q->b, shape_b, pose_b, &to);
    for (unsigned i = 0; i < vertices; i++) {
        load_vertices(&q->a, index_a, i);
        load_vertices(&q->b, index_b, i);
    }
    const ap_lanes3 d = ap_lanes3_sub(to, q->origin);
    const ap_lanes size =
        (q->a.bound + q->b.bound) + ap_lanes_sum3(ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z));
    q->offset = d;
    q->unit = ap_lanes_all(AP_UNIT_ROUNDOFF) * size;
    q->ordinary_size = (size > ap_lanes_all(LEAST_SIZE)) & (size < ap_lanes_all(MOST_SIZE));
    q->ordinary = q->ordinary_size & ap_rotation4_are_exact(rotation_a, rotation_b);
}

/* ---- the nearest point ---- */

/* v + way[0] edge[0] + way[1] edge[1], where the ways make that the point nearest to the origin: the normal
 * equations. */
AP_INLINE ap_lanes3 move_in_plane(const four_pairs *q, unsigned vertices, ap_lanes3 v, ap_lanes way[2])
{
    const ap_lanes x = ap_lanes3_dot(v, q->edge[0]);
    if (vertices == 2) {
        way[0] = -x * q->inverse_determinant;
        return ap_lanes3_add(v, ap_lanes3_scale(way[0], q->edge[0]));
    }
    const ap_lanes y = ap_lanes3_dot(v, q->edge[1]);
    way[0] = (y * q->mixed - x * q->square[1]) * q->inverse_determinant;
    way[1] = (x * q->mixed - y * q->square[0]) * q->inverse_determinant;
    return ap_lanes3_add(ap_lanes3_add(v, ap_lanes3_scale(way[0], q->edge[0])), ap_lanes3_scale(way[1], q->edge[1]));
}

/* The simplex in the TCSO; v is its first vertex. */
AP_INLINE void span_simplex(four_pairs *q, unsigned vertices)
{
    const ap_lanes3 first = ap_lanes3_sub(q->b.point[0], q->a.point[0]);
    q->v = ap_lanes3_add(q->offset, first);
    for (unsigned i = 1; i < vertices; i++) {
        q->edge[i - 1] = ap_lanes3_sub(ap_lanes3_sub(q->b.point[i], q->a.point[i]), first);
        q->square[i - 1] = ap_lanes3_dot(q->edge[i - 1], q->edge[i - 1]);
    }
    if (vertices == 3) {
        q->mixed = ap_lanes3_dot(q->edge[0], q->edge[1]);
        q->squares = q->square[0] * q->square[1];
        q->determinant = q->squares - q->mixed * q->mixed;
        q->inverse_determinant = ap_lanes_all(1.0) / q->determinant;
    } else if (vertices == 2) {
        q->inverse_determinant = ap_lanes_all(1.0) / q->square[0];
    }
}

/* Twice: then v is perpendicular to the edges to rounding of its own length. */
AP_INLINE void solve(four_pairs *q, unsigned vertices)
{
    q->lambda[0] = ap_lanes_all(1.0);
    q->lambda[1] = ap_lanes_all(0.0);
    q->lambda[2] = ap_lanes_all(0.0);
    if (vertices > 1) {
        ap_lanes way[2], more[2];
        q->v = move_in_plane(q, vertices, q->v, way);
        q->v = move_in_plane(q, vertices, q->v, more);
        for (unsigned i = 1; i < vertices; i++) {
            q->lambda[i] = way[i - 1] + more[i - 1];
            q->lambda[0] = q->lambda[0] - q->lambda[i];
        }
    }
}

/* ---- the supporting plane ---- */

/* Of each pair of lanes the larger: a's and b's in turn. */
AP_INLINE ap_lanes larger_in_pairs(ap_lanes a, ap_lanes b)
{
    return ap_lanes_max(__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7));
}

/* The largest of each vector: lane i is that of value[i]. */
AP_INLINE ap_lanes largest_of_each(const ap_lanes value[AP_VECTOR_LANES])
{
    const ap_lanes low = larger_in_pairs(value[0], value[1]), high = larger_in_pairs(value[2], value[3]);
    return ap_lanes_max(__builtin_shufflevector(low, high, 0, 1, 4, 5), __builtin_shufflevector(low, high, 2, 3, 6, 7));
}

/* Directions of four bodies in memory, from where a number goes to all lanes at once. */
typedef struct four_directions {
    double x[AP_VECTOR_LANES], y[AP_VECTOR_LANES], z[AP_VECTOR_LANES];
} four_directions;

/* The dot product of a hull's at most eight vertices with its body's direction, the larger of the first four and the
 * last four. */
AP_INLINE ap_lanes scan_hull(const apart_hull *hull, const four_directions *toward, unsigned lane)
{
    const ap_lanes3 d = {ap_lanes_all(toward->x[lane]), ap_lanes_all(toward->y[lane]), ap_lanes_all(toward->z[lane])};
    const double *x = ap_hull_x(hull);
    const size_t padded = hull->padded_count, last = padded - AP_LANES;
    return ap_lanes_max(ap_lanes_dots(x, x + padded, x + 2 * padded, &d),
                        ap_lanes_dots(x + last, x + last + padded, x + last + 2 * padded, &d));
}

/* How far the bodies reach along v, times |v|. */
AP_INLINE ap_lanes reach_of(const four_bodies *p, ap_lanes3 v)
{
    four_directions toward;
    ap_lanes most[AP_VECTOR_LANES];
    ap_lanes_store(toward.x, ap_lanes3_dot(p->axis[0], v));
    ap_lanes_store(toward.y, ap_lanes3_dot(p->axis[1], v));
    ap_lanes_store(toward.z, ap_lanes3_dot(p->axis[2], v));
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        most[lane] = scan_hull(p->hull[lane], &toward, lane);
    }
    return largest_of_each(most);
}

AP_INLINE void look_along(four_pairs *q)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes3 back = ap_lanes3_sub((ap_lanes3){zero, zero, zero}, q->v);
    const ap_lanes product = ap_lanes3_dot(q->offset, q->v) - (reach_of(&q->a, q->v) + reach_of(&q->b, back));
    q->distance = ap_lanes_sqrt(ap_lanes3_dot(q->v, q->v));
    q->inverse = ap_lanes_all(1.0) / q->distance;
    q->reach = product * q->inverse;
}

/* ---- answers ---- */

/* A closer look at the matrices. They are copied for it, because a vector whose address leaves a function is kept in
 * memory throughout. */
typedef struct closer_look {
    ap_lanes3 a[3], b[3];
} closer_look;

static AP_RARE void look_closer(const closer_look *matrices, ap_mask *rotate)
{
    *rotate = ap_rotation4_are_legal(matrices->a, matrices->b);
}

AP_INLINE ap_mask judge_matrices(const four_pairs *q)
{
    const closer_look matrices = {{q->a.axis[0], q->a.axis[1], q->a.axis[2]},
                                  {q->b.axis[0], q->b.axis[1], q->b.axis[2]}};
    ap_mask rotate;
    look_closer(&matrices, &rotate);
    return q->ordinary_size & rotate;
}

/* Lanes with v inside their simplices, whose edges are not nearly parallel. */
AP_INLINE ap_mask is_inside(const four_pairs *q, unsigned vertices)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    ap_mask inside = q->lambda[0] > zero;
    if (vertices == 3) {
        inside &= q->determinant > ap_lanes_all(LEAST_DETERMINANT) * q->squares;
    }
    for (unsigned i = 1; i < vertices; i++) {
        inside &= q->lambda[i] > zero;
    }
    return inside;
}

/* Lanes whose hulls are disjoint at the distance found. */
AP_INLINE ap_mask is_answer(const four_pairs *q, unsigned vertices)
{
    const ap_mask shut = q->distance - q->reach <= ap_lanes_all(SHUT_GAP) * q->unit;
    const ap_mask clear = q->reach > ap_lanes_all(LEAST_REACH) * q->unit + (q->a.error + q->b.error);
    return vertices > 1 ? shut & clear & q->ordinary & is_inside(q, vertices) : shut & clear & q->ordinary;
}

/* Small integers, in the low halves of lanes; the high halves are of no interest. */
AP_INLINE ap_mask integers(ap_lanes numbers) { return (ap_mask)(numbers + ap_lanes_all(INTEGER_SHIFT)); }

/* The caller's numbers of a body's vertices: the first two and the others; APART_NO_INDEX where there are fewer. */
AP_INLINE void number_vertices(const four_bodies *p, unsigned vertices, ap_mask words[2])
{
    const ap_mask low = ap_mask_all(UINT32_MAX), none = ~low;
    words[0] = (integers(p->number[0]) & low) | (vertices > 1 ? ap_mask_shift_left(integers(p->number[1]), 32) : none);
    words[1] = vertices > 2 ? integers(p->number[2]) | none : ap_mask_all(-1);
}

AP_INLINE void write_answers(const four_pairs *q, unsigned vertices, const ap_lane_job *job, unsigned answered)
{
    const ap_lanes error = ap_lanes_all(BOUND_ERROR) * q->unit + (q->a.error + q->b.error), *lambda = q->lambda;
    ap_lanes3 on_a = vertices > 1 ? ap_lanes3_scale(lambda[0], q->a.point[0]) : q->a.point[0];
    for (unsigned i = 1; i < vertices; i++) {
        on_a = ap_lanes3_add(on_a, ap_lanes3_scale(lambda[i], q->a.point[i]));
    }
    ap_mask numbers_a[2], numbers_b[2];
    number_vertices(&q->a, vertices, numbers_a);
    number_vertices(&q->b, vertices, numbers_b);
    const ap_lane_answers answers = {.distance = q->distance,
                                     .lower = ap_lanes_min(q->reach - error, q->distance),
                                     .upper = q->distance + error,
                                     .a = ap_lanes3_add(q->origin, on_a),
                                     .b = ap_lanes3_add(q->origin, ap_lanes3_add(on_a, q->v)),
                                     .normal = ap_lanes3_scale(q->inverse, q->v),
                                     .numbers = ap_integer_rows(numbers_a[0], numbers_a[1], numbers_b[0], numbers_b[1]),
                                     .lambda = {lambda[0], lambda[1], lambda[2]},
                                     .steps = ap_mask_all(1),
                                     .count = ap_mask_all(vertices)};
    ap_write_lanes(&answers, job, answered);
}

/* The pairs' bits. */
AP_INLINE unsigned answer_four(const ap_lane_job *jobs, unsigned vertices)
{
    four_pairs q;
    load_pairs(&q, vertices, jobs);
    span_simplex(&q, vertices);
    solve(&q, vertices);
    look_along(&q);
    if (ap_mask_bits(q.ordinary) != 15u) {
        q.ordinary = judge_matrices(&q);
    }
    const unsigned answered = ap_mask_bits(is_answer(&q, vertices));
    write_answers(&q, vertices, jobs, answered);
    return answered;
}

/* Apart, so that each has its registers for itself. */
static __attribute__((noinline)) unsigned answer_vertices(const ap_lane_job *jobs) { return answer_four(jobs, 1); }
static __attribute__((noinline)) unsigned answer_edges(const ap_lane_job *jobs) { return answer_four(jobs, 2); }
static __attribute__((noinline)) unsigned answer_triangles(const ap_lane_job *jobs) { return answer_four(jobs, 3); }

unsigned ap_hull_lanes_step(const ap_lane_job *jobs, unsigned vertices)
{
    return vertices == 1 ? answer_vertices(jobs) : vertices == 2 ? answer_edges(jobs) : answer_triangles(jobs);
}
