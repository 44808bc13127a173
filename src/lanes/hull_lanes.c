/* The distance query for four tracked pairs of tiny hulls: one pair per SIMD lane, four lanes per vector.
 *
 * A lane takes the simplex of the Minkowski difference that was nearest to the origin last time: a vertex, an edge or a
 * triangle. It finds the point v of the simplex's plane, line or vertex that is nearest to the origin now. If v lies
 * within the simplex and the plane perpendicular to v supports the Minkowski difference, v is the shortest vector.
 *
 * All simplices of a step have the same number of vertices, so that no lane computes what only others need.
 *
 * Only bodies that are disjoint beyond rounding, with sizes in range and orthogonal matrices, are decided here; all
 * other pairs fall back to the scalar query. The bounds are derived in docs/numerics.md, "Tiny hulls in lanes". */
#include "hull_lanes.h"

#include "pair_lanes.h"

/* Errors in units of u * M, for both bounds; the hull builder's own error is added. */
#define BOUND_ERROR 22.0
/* The largest duality gap that counts as closed, in the same units. */
#define CLOSED_GAP 16.0
/* The least distance of the supporting plane, in the same units. Whether nearer bodies touch is decided by the scalar
 * query. */
#define LEAST_PLANE_DISTANCE 128.0
/* The least Gram determinant of a triangle's edges, in units of the product of their squares. */
#define LEAST_DETERMINANT 0x1p-20
/* The range of sizes whose fourth powers neither overflow nor underflow. */
#define LEAST_SIZE 0x1p-64
#define MOST_SIZE 0x1p+64
/* Adding it to a small integer leaves the integer in the low bits of the double. */
#define INTEGER_SHIFT 0x1p52

/* Four bodies, one per lane. */
typedef struct four_bodies {
    const apart_hull *hull[AP_VECTOR_LANES];
    ap_lanes3 axis[3];
    ap_lanes3 point[AP_HULL_SIMPLICES]; /* the simplex's vertices, about the body's centre */
    ap_lanes number[AP_HULL_SIMPLICES]; /* their numbers in the caller's input */
    ap_lanes bound, error;
} four_bodies;

/* Four pairs, one per lane. */
typedef struct four_hull_pairs {
    four_bodies a, b;
    ap_lanes3 origin, offset;        /* A's centre, and from there to B's */
    ap_lanes unit;                   /* u * M */
    ap_mask size_in_range, eligible; /* eligible: the size is in range and the matrices are rotations */
    ap_lanes3 edge[2];               /* from the first vertex of the simplex to the others */
    ap_lanes square[2], mixed;       /* their dot products */
    ap_lanes squares, determinant;   /* square[0] square[1] and the Gram determinant, of triangles only */
    ap_lanes inverse_determinant;    /* of an edge: 1 / square[0] */
    ap_lanes lambda[AP_HULL_SIMPLICES];
    ap_lanes3 v;
    ap_lanes distance, inverse, plane_distance; /* |v|, 1/|v|, v.w/|v| of the support point w */
} four_hull_pairs;

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

/* Loads and rotates the i-th vertices of the simplices. */
AP_INLINE void load_simplex_vertices(four_bodies *p, const uint32_t *const index[AP_VECTOR_LANES], unsigned i)
{
    ap_lanes corner[AP_VECTOR_LANES];
    for (unsigned lane = 0; lane < AP_VECTOR_LANES; lane++) {
        corner[lane] = ap_lanes_load(&ap_hull_corners(p->hull[lane])[index[lane][i]]);
    }
    ap_lanes_transpose4(&corner[0], &corner[1], &corner[2], &corner[3]);
    p->point[i] = ap_lanes3_combine(p->axis, corner[0], corner[1], corner[2]);
    p->number[i] = corner[3];
}

AP_INLINE void load_hull_pairs(four_hull_pairs *q, unsigned vertices, const ap_lane_job *job)
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
        load_simplex_vertices(&q->a, index_a, i);
        load_simplex_vertices(&q->b, index_b, i);
    }
    const ap_lanes3 d = ap_lanes3_sub(to, q->origin);
    const ap_lanes size =
        ap_lanes_sum3(q->a.bound, q->b.bound, ap_lanes_sum3(ap_lanes_abs(d.x), ap_lanes_abs(d.y), ap_lanes_abs(d.z)));
    q->offset = d;
    q->unit = ap_lanes_scale(AP_UNIT_ROUNDOFF, size);
    q->size_in_range =
        ap_mask_and(ap_lanes_greater(size, ap_lanes_all(LEAST_SIZE)), ap_lanes_less(size, ap_lanes_all(MOST_SIZE)));
    q->eligible = ap_mask_and(q->size_in_range, ap_rotation4_are_exact(rotation_a, rotation_b));
}

/* ---- the nearest point ---- */

/* v + shift[0] edge[0] + shift[1] edge[1], with the shifts that make it the point nearest to the origin: the normal
 * equations. */
AP_INLINE ap_lanes3 step_in_simplex_plane(const four_hull_pairs *q, unsigned vertices, ap_lanes3 v, ap_lanes shift[2])
{
    const ap_lanes x = ap_lanes3_dot(v, q->edge[0]);
    if (vertices == 2) {
        shift[0] = ap_lanes_mul(ap_lanes_neg(x), q->inverse_determinant);
        return ap_lanes3_add(v, ap_lanes3_scale(shift[0], q->edge[0]));
    }
    const ap_lanes y = ap_lanes3_dot(v, q->edge[1]);
    shift[0] =
        ap_lanes_mul(ap_lanes_sub(ap_lanes_mul(y, q->mixed), ap_lanes_mul(x, q->square[1])), q->inverse_determinant);
    shift[1] =
        ap_lanes_mul(ap_lanes_sub(ap_lanes_mul(x, q->mixed), ap_lanes_mul(y, q->square[0])), q->inverse_determinant);
    return ap_lanes3_add(ap_lanes3_add(v, ap_lanes3_scale(shift[0], q->edge[0])),
                         ap_lanes3_scale(shift[1], q->edge[1]));
}

/* Sets the simplex's edges and their Gram determinant; v is its first vertex. */
AP_INLINE void span_simplex(four_hull_pairs *q, unsigned vertices)
{
    const ap_lanes3 first = ap_lanes3_sub(q->b.point[0], q->a.point[0]);
    q->v = ap_lanes3_add(q->offset, first);
    for (unsigned i = 1; i < vertices; i++) {
        q->edge[i - 1] = ap_lanes3_sub(ap_lanes3_sub(q->b.point[i], q->a.point[i]), first);
        q->square[i - 1] = ap_lanes3_dot(q->edge[i - 1], q->edge[i - 1]);
    }
    if (vertices == 3) {
        q->mixed = ap_lanes3_dot(q->edge[0], q->edge[1]);
        q->squares = ap_lanes_mul(q->square[0], q->square[1]);
        q->determinant = ap_lanes_sub(q->squares, ap_lanes_mul(q->mixed, q->mixed));
        q->inverse_determinant = ap_lanes_div(ap_lanes_all(1.0), q->determinant);
    } else if (vertices == 2) {
        q->inverse_determinant = ap_lanes_div(ap_lanes_all(1.0), q->square[0]);
    }
}

/* Projects twice: then v is perpendicular to the edges to rounding of its own length. */
AP_INLINE void project_origin_on_simplex(four_hull_pairs *q, unsigned vertices)
{
    q->lambda[0] = ap_lanes_all(1.0);
    q->lambda[1] = ap_lanes_all(0.0);
    q->lambda[2] = ap_lanes_all(0.0);
    if (vertices > 1) {
        ap_lanes shift[2], more[2];
        q->v = step_in_simplex_plane(q, vertices, q->v, shift);
        q->v = step_in_simplex_plane(q, vertices, q->v, more);
        for (unsigned i = 1; i < vertices; i++) {
            q->lambda[i] = ap_lanes_add(shift[i - 1], more[i - 1]);
            q->lambda[0] = ap_lanes_sub(q->lambda[0], q->lambda[i]);
        }
    }
}

/* ---- the supporting plane ---- */

/* The larger one of the lanes 0 and 1, and of 2 and 3: a's and b's alternate. */
AP_INLINE ap_lanes larger_in_pairs(ap_lanes a, ap_lanes b)
{
    return ap_lanes_max(AP_SHUFFLE_TWO(a, b, 0, 4, 2, 6), AP_SHUFFLE_TWO(a, b, 1, 5, 3, 7));
}

/* Lane i of the result is the largest lane of value[i]. */
AP_INLINE ap_lanes largest_of_each(const ap_lanes value[AP_VECTOR_LANES])
{
    const ap_lanes low = larger_in_pairs(value[0], value[1]), high = larger_in_pairs(value[2], value[3]);
    return ap_lanes_max(AP_SHUFFLE_TWO(low, high, 0, 1, 4, 5), AP_SHUFFLE_TWO(low, high, 2, 3, 6, 7));
}

/* The directions of four bodies, in memory because a load can broadcast a number to all lanes. */
typedef struct four_directions {
    double x[AP_VECTOR_LANES], y[AP_VECTOR_LANES], z[AP_VECTOR_LANES];
} four_directions;

/* The dot products of a hull's vertices, at most eight, with its body's direction: lane by lane the larger one of the
 * first four and the last four. */
AP_INLINE ap_lanes scan_hull(const apart_hull *hull, const four_directions *toward, unsigned lane)
{
    const ap_lanes3 d = {ap_lanes_all(toward->x[lane]), ap_lanes_all(toward->y[lane]), ap_lanes_all(toward->z[lane])};
    const double *x = ap_hull_x(hull);
    const size_t padded = hull->padded_count, last = padded - AP_LANES;
    return ap_lanes_max(ap_lanes_dots(x, x + padded, x + 2 * padded, &d),
                        ap_lanes_dots(x + last, x + last + padded, x + last + 2 * padded, &d));
}

/* The support values of the bodies along v, times |v|. */
AP_INLINE ap_lanes support_values(const four_bodies *p, ap_lanes3 v)
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

AP_INLINE void evaluate_hull_plane(four_hull_pairs *q)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    const ap_lanes3 back = ap_lanes3_sub((ap_lanes3){zero, zero, zero}, q->v);
    const ap_lanes product = ap_lanes_sub(ap_lanes3_dot(q->offset, q->v),
                                          ap_lanes_add(support_values(&q->a, q->v), support_values(&q->b, back)));
    q->distance = ap_lanes_sqrt(ap_lanes3_dot(q->v, q->v));
    q->inverse = ap_lanes_div(ap_lanes_all(1.0), q->distance);
    q->plane_distance = ap_lanes_mul(product, q->inverse);
}

/* ---- results ---- */

/* Copies of the matrices for the rare check out of line: vectors whose address is passed to a function would be kept in
 * memory throughout. */
typedef struct rotation_copies {
    ap_lanes3 a[3], b[3];
} rotation_copies;

static AP_RARE void check_copied_rotations(const rotation_copies *matrices, ap_mask *rotate)
{
    *rotate = ap_rotation4_are_legal(matrices->a, matrices->b);
}

AP_INLINE ap_mask recheck_hull_rotations(const four_hull_pairs *q)
{
    const rotation_copies matrices = {{q->a.axis[0], q->a.axis[1], q->a.axis[2]},
                                      {q->b.axis[0], q->b.axis[1], q->b.axis[2]}};
    ap_mask rotate;
    check_copied_rotations(&matrices, &rotate);
    return ap_mask_and(q->size_in_range, rotate);
}

/* The lanes with v inside their simplex, whose edges are not nearly parallel. */
AP_INLINE ap_mask is_inside(const four_hull_pairs *q, unsigned vertices)
{
    const ap_lanes zero = ap_lanes_all(0.0);
    ap_mask inside = ap_lanes_greater(q->lambda[0], zero);
    if (vertices == 3) {
        inside = ap_mask_and(inside, ap_lanes_greater(q->determinant, ap_lanes_scale(LEAST_DETERMINANT, q->squares)));
    }
    for (unsigned i = 1; i < vertices; i++) {
        inside = ap_mask_and(inside, ap_lanes_greater(q->lambda[i], zero));
    }
    return inside;
}

/* The lanes whose hulls are proved to be disjoint at the distance found. */
AP_INLINE ap_mask is_hull_distance_certified(const four_hull_pairs *q, unsigned vertices)
{
    const ap_mask closed =
        ap_lanes_at_most(ap_lanes_sub(q->distance, q->plane_distance), ap_lanes_scale(CLOSED_GAP, q->unit));
    const ap_mask separated =
        ap_lanes_greater(q->plane_distance, ap_lanes_add(ap_lanes_scale(LEAST_PLANE_DISTANCE, q->unit),
                                                         ap_lanes_add(q->a.error, q->b.error)));
    return vertices > 1 ? ap_mask_and(ap_mask_and(ap_mask_and(closed, separated), q->eligible), is_inside(q, vertices))
                        : ap_mask_and(ap_mask_and(closed, separated), q->eligible);
}

/* Small integers in the low halves of the lanes; the high halves are not used. */
AP_INLINE ap_mask integers(ap_lanes numbers)
{
    return ap_mask_of_lanes(ap_lanes_add(numbers, ap_lanes_all(INTEGER_SHIFT)));
}

/* The numbers of a body's vertices in the caller's input, two per word; unused places hold APART_NO_INDEX. */
AP_INLINE void hull_vertex_numbers(const four_bodies *p, unsigned vertices, ap_mask words[2])
{
    const ap_mask low = ap_mask_all(UINT32_MAX), none = ap_mask_not(low);
    words[0] = ap_mask_or(ap_mask_and(integers(p->number[0]), low),
                          vertices > 1 ? ap_mask_shift_left(integers(p->number[1]), 32) : none);
    words[1] = vertices > 2 ? ap_mask_or(integers(p->number[2]), none) : ap_mask_all(-1);
}

AP_INLINE void write_hull_results(const four_hull_pairs *q, unsigned vertices, const ap_lane_job *job,
                                  unsigned answered)
{
    const ap_lanes error = ap_lanes_add(ap_lanes_scale(BOUND_ERROR, q->unit), ap_lanes_add(q->a.error, q->b.error)),
                   *lambda = q->lambda;
    ap_lanes3 on_a = vertices > 1 ? ap_lanes3_scale(lambda[0], q->a.point[0]) : q->a.point[0];
    for (unsigned i = 1; i < vertices; i++) {
        on_a = ap_lanes3_add(on_a, ap_lanes3_scale(lambda[i], q->a.point[i]));
    }
    ap_mask numbers_a[2], numbers_b[2];
    hull_vertex_numbers(&q->a, vertices, numbers_a);
    hull_vertex_numbers(&q->b, vertices, numbers_b);
    const ap_lane_answers answers = {.distance = q->distance,
                                     .lower = ap_lanes_min(ap_lanes_sub(q->plane_distance, error), q->distance),
                                     .upper = ap_lanes_add(q->distance, error),
                                     .a = ap_lanes3_add(q->origin, on_a),
                                     .b = ap_lanes3_add(q->origin, ap_lanes3_add(on_a, q->v)),
                                     .normal = ap_lanes3_scale(q->inverse, q->v),
                                     .numbers = ap_integer_rows(numbers_a[0], numbers_a[1], numbers_b[0], numbers_b[1]),
                                     .lambda = {lambda[0], lambda[1], lambda[2]},
                                     .steps = ap_mask_all(1),
                                     .count = ap_mask_all(vertices)};
    ap_write_lanes(&answers, job, answered);
}

/* Returns the bits of the pairs that have their result. */
AP_INLINE unsigned query_four_hulls(const ap_lane_job *jobs, unsigned vertices)
{
    four_hull_pairs q;
    load_hull_pairs(&q, vertices, jobs);
    span_simplex(&q, vertices);
    project_origin_on_simplex(&q, vertices);
    evaluate_hull_plane(&q);
    if (ap_mask_bits(q.eligible) != 15u) {
        q.eligible = recheck_hull_rotations(&q);
    }
    const unsigned answered = ap_mask_bits(is_hull_distance_certified(&q, vertices));
    write_hull_results(&q, vertices, jobs, answered);
    return answered;
}

/* Not inlined, so that registers are allocated for each separately. */
static AP_NOINLINE unsigned query_by_vertices(const ap_lane_job *jobs) { return query_four_hulls(jobs, 1); }
static AP_NOINLINE unsigned query_by_edges(const ap_lane_job *jobs) { return query_four_hulls(jobs, 2); }
static AP_NOINLINE unsigned query_by_triangles(const ap_lane_job *jobs) { return query_four_hulls(jobs, 3); }

unsigned ap_hull_lanes_step(const ap_lane_job *jobs, unsigned vertices)
{
    return vertices == 1 ? query_by_vertices(jobs) : vertices == 2 ? query_by_edges(jobs) : query_by_triangles(jobs);
}
