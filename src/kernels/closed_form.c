/* Distances in closed form for simple cores: two points or segments (spheres and capsules), a point and a box.
 *
 * Source: Ericson, Real-Time Collision Detection (2005), 5.1.3 and 5.1.9, for the nearest points. We differ in
 * certifying them: the points give the upper bound and the plane perpendicular to their difference gives the lower one,
 * for the bodies and matrices as given. There are two versions of each form. The short one is for exact rotations,
 * capsules along z, and a sphere and a sharp box whose distance exceeds the size of the box. The general one takes any
 * segment, box and legal rotation. Where neither closes the gap between the bounds (cores that touch or overlap,
 * segments so close to parallel that the formula loses its digits), the query continues with GJK.
 *
 * The cost of a short form is the number of vector registers it writes and the length of its dependency chains: the
 * processor runs out of physical vector registers before it can overlap much of the next query. So no branch depends on
 * data, integer instructions are used where possible, and the statements are ordered by latency: the checks stand where
 * the nearest points are still being computed.
 *
 * Legend: everything is relative to A's origin and not scaled; v from A's point to B's; q the nearest points in their
 * bodies' axes, with the opposite sign on B, so that both bodies have the same formulas. */
#include "closed_form.h"

#include "../pair/result.h"

/* Lengths between these can be squared, and their squares multiplied, without overflow or underflow. */
#define LEAST_LENGTH 0x1p-200
#define LARGEST_LENGTH 0x1p+200
/* Replace a denominator that is zero: the numerator is then zero as well, or rounding noise. */
#define LEAST_DENOMINATOR 0x1p-960
#define LEAST_SQUARED_SINE 0x1p-100

/* The factor of the rotations' defect in the error that is proportional to the box's size, where the plane is not
 * evaluated. */
#define SPHERE_BOX_SIZE_DEFECT 6.0
/* The largest defect of rotations for which the plane need not be evaluated. */
#define PLANE_DEFECT (64.0 * AP_UNIT_ROUNDOFF)

AP_INLINE uint64_t bits_of(double x) { return ap_word_at(&x, 0); }

/* Are all coordinates zero, of either sign? */
AP_INLINE bool is_at_origin(const apart_vec3 *p) { return (bits_of(p->x) | bits_of(p->y) | bits_of(p->z)) << 1 == 0; }

/* Three dot products from their componentwise products. */
AP_INLINE ap_lanes three_sums(ap_lanes a, ap_lanes b, ap_lanes c)
{
    const ap_lanes low = AP_SHUFFLE_TWO(a, b, 0, 4, 2, 6), high = AP_SHUFFLE_TWO(a, b, 1, 5, 3, 7);
    const ap_lanes turned = AP_SHUFFLE(c, 1, 0, 3, 2);
    return ap_lanes_sum3(AP_SHUFFLE_TWO(low, c, 0, 1, 4, 5), AP_SHUFFLE_TWO(high, turned, 0, 1, 4, 5),
                         AP_SHUFFLE_TWO(low, c, 2, 3, 6, 7));
}

/* Two dot products, in the lanes 0 and 1. */
AP_INLINE ap_lanes two_sums(ap_lanes a, ap_lanes b)
{
    const ap_lanes low = AP_SHUFFLE_TWO(a, b, 0, 4, 2, 6), high = AP_SHUFFLE_TWO(a, b, 1, 5, 3, 7);
    return ap_lanes_sum3(low, high, AP_SHUFFLE(low, 2, 3, 0, 1));
}

/* ---- the result ---- */

/* The Minkowski difference of the cores is a box or a parallelogram; an axis is free if the nearest point lies strictly
 * between its ends. A row of a table, indexed by the set of free axes, describes the simplex: the nearest corner, and
 * the corner opposite to it along each free axis. */
typedef struct index_rows {
    uint32_t index[8]; /* index_a and index_b */
} index_rows;

typedef struct simplex_row {
    ap_lane_order order;   /* lanes of the shares: the first free axis, the same, the second; lane 3 is not an axis */
    index_rows corners[8]; /* by the signs of q */
    ap_result_end end;
} simplex_row;

#define NO APART_NO_INDEX
#define ENDS(n)                                                                  \
    {                                                                            \
        1, (n), APART_DISJOINT, APART_STOP_CONVERGED, APART_SOLVER_DEFAULT, 0, 3 \
    }

/* The weights of the corners. h: half extents; less: |q| - h; unused lanes are zero. The share of an opposite corner is
 * at most a half. Shares are kept negative until the end, so that the same sum also gives the weight of the nearest
 * corner. */
AP_INLINE ap_lanes corner_weights(ap_lanes h, ap_lanes less, const simplex_row *row)
{
    const ap_lanes shares =
        ap_lanes_div(less, ap_lanes_max(ap_lanes_add(h, h),
                                        ap_lanes_of(LEAST_DENOMINATOR, LEAST_DENOMINATOR, LEAST_DENOMINATOR, 1.0)));
    const ap_lanes across = ap_lanes_reorder(shares, &row->order);
    return ap_lanes_abs(ap_lanes_sum3(ap_lanes_of(1.0, 0.0, 0.0, 0.0), across, AP_SHUFFLE(across, 2, 3, 3, 3)));
}

/* The nearest points before they are written: v, the distance, and the simplex. */
typedef struct closed_form {
    ap_lanes v;
    double length, inverse; /* |v|, 1 / |v| */
    double radius;          /* the sum of the radii */
    double error;           /* of |v| - radius, in both directions */
    ap_lanes weights;
    const index_rows *corners; /* index_a and index_b */
    uint64_t end;              /* an ap_result_end that says disjoint */
} closed_form;

/* Sets the simplex from the set of free axes and the set of negative coordinates of q. */
AP_INLINE void set_closed_form_simplex(closed_form *s, const simplex_row *rows, unsigned free_axes, unsigned negative,
                                       ap_lanes h, ap_lanes less)
{
    const simplex_row *row = &rows[free_axes];
    s->corners = &row->corners[negative];
    s->end = ap_result_end_bytes(row->end);
    s->weights = corner_weights(h, less, row);
}

/* Writes the result. a and b are points of the cores in the world; a rounded body's witness point lies its radius away
 * from them along the normal. Vector stores that write one lane too many are overwritten by the next ones. Returns
 * false if the numbers leave the range of doubles. */
AP_INLINE bool write_closed_form(const closed_form *s, bool swapped, ap_lanes a, bool round_a, double radius_a,
                                 ap_lanes b, bool round_b, double radius_b, apart_result *r)
{
    const double distance = s->length - s->radius;
    uint64_t end = s->end;
    if (AP_UNLIKELY(!(distance > s->error))) {
        if (!(s->error < LARGEST_LENGTH)) {
            return false;
        }
        end += ap_result_end_bytes((ap_result_end){.relation = 1}) *
               (distance + s->error < 0.0 ? APART_OVERLAPPING : APART_TOUCHING);
    }
    const ap_lanes normal = ap_lanes_scale(swapped ? -s->inverse : s->inverse, s->v);
    ap_result_put(r, distance, distance - s->error, distance + s->error,
                  round_a ? ap_lanes_add(a, ap_lanes_scale(radius_a, normal)) : a,
                  round_b ? ap_lanes_sub(b, ap_lanes_scale(radius_b, normal)) : b, normal);
    memcpy(r->index_a, s->corners->index + (swapped ? 4 : 0), sizeof r->index_a);
    memcpy(r->index_b, s->corners->index + (swapped ? 0 : 4), sizeof r->index_b);
    ap_lanes_store(r->lambda, s->weights);
    memcpy(&r->iterations, &end, sizeof end);
    return true;
}

/* ---- a point and a box ---- */

/* A's vertex is 0; B's vertices are corner c and the corners that differ from it in the bits x and y. */
#define VERTEX_OF(c)                       \
    {                                      \
        {                                  \
            0, NO, NO, NO, (c), NO, NO, NO \
        }                                  \
    }
#define EDGE_OF(c, x)                            \
    {                                            \
        {                                        \
            0, 0, NO, NO, (c), (c) ^ (x), NO, NO \
        }                                        \
    }
#define FACE_OF(c, x, y)                               \
    {                                                  \
        {                                              \
            0, 0, 0, NO, (c), (c) ^ (x), (c) ^ (y), NO \
        }                                              \
    }
#define VERTICES                                                                                                       \
    {                                                                                                                  \
        VERTEX_OF(0), VERTEX_OF(1), VERTEX_OF(2), VERTEX_OF(3), VERTEX_OF(4), VERTEX_OF(5), VERTEX_OF(6), VERTEX_OF(7) \
    }
#define EDGES(x)                                                                                                 \
    {                                                                                                            \
        EDGE_OF(0, x), EDGE_OF(1, x), EDGE_OF(2, x), EDGE_OF(3, x), EDGE_OF(4, x), EDGE_OF(5, x), EDGE_OF(6, x), \
            EDGE_OF(7, x)                                                                                        \
    }
#define FACES(x, y)                                                                                                 \
    {                                                                                                               \
        FACE_OF(0, x, y), FACE_OF(1, x, y), FACE_OF(2, x, y), FACE_OF(3, x, y), FACE_OF(4, x, y), FACE_OF(5, x, y), \
            FACE_OF(6, x, y), FACE_OF(7, x, y)                                                                      \
    }
static const simplex_row box_rows[8] = {{AP_LANE_ORDER(3, 3, 3, 3), VERTICES, ENDS(1)},
                                        {AP_LANE_ORDER(0, 0, 3, 3), EDGES(1), ENDS(2)},
                                        {AP_LANE_ORDER(1, 1, 3, 3), EDGES(2), ENDS(2)},
                                        {AP_LANE_ORDER(0, 0, 1, 3), FACES(1, 2), ENDS(3)},
                                        {AP_LANE_ORDER(2, 2, 3, 3), EDGES(4), ENDS(2)},
                                        {AP_LANE_ORDER(0, 0, 2, 3), FACES(1, 4), ENDS(3)},
                                        {AP_LANE_ORDER(1, 1, 2, 3), FACES(2, 4), ENDS(3)},
                                        {AP_LANE_ORDER(3, 3, 3, 3), VERTICES, ENDS(1)} /* inside: never written */};

/* The point of the box that is nearest to another point, negated, in the box's axes. */
typedef struct box_point {
    ap_lanes between, local; /* from the other point to the box's centre, in the world's and in the box's axes */
    ap_lanes h, q, less;     /* half extents; the point; |q| - h */
} box_point;

AP_INLINE box_point nearest_in_box(ap_lanes at_point, const apart_shape *box, const apart_pose *pose_box)
{
    const apart_mat3 *m = &pose_box->rotation;
    box_point p = {.between = ap_lanes_sub(ap_lanes_load_three(&pose_box->translation), at_point),
                   .h = ap_lanes_load_three(&box->u.half_extents)};
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    p.local = three_sums(ap_lanes_mul(x, p.between), ap_lanes_mul(y, p.between), ap_lanes_mul(z, p.between));
    ap_count_mul(9);
    p.q = ap_lanes_min(ap_lanes_max(p.local, ap_lanes_sub(ap_lanes_all(0.0), p.h)), p.h);
    p.less = ap_lanes_sub(ap_lanes_abs(p.q), p.h);
    return p;
}

AP_INLINE void weigh_box_point(closed_form *s, const box_point *p)
{
    set_closed_form_simplex(s, box_rows, ap_mask_bits(ap_mask_of_lanes(p->less)) & 7u,
                            ap_mask_bits(ap_mask_of_lanes(p->q)) & 7u, p->h, p->less);
}

AP_INLINE ap_lanes vector_to_box(const box_point *p, const apart_mat3 *m)
{
    const ap_lanes x = ap_lanes_scale(ap_lanes_at(p->q, 0), ap_lanes_load(&m->x)),
                   y = ap_lanes_scale(ap_lanes_at(p->q, 1), ap_lanes_load(&m->y));
    const ap_lanes z = ap_lanes_scale(ap_lanes_at(p->q, 2), ap_lanes_load(&m->z));
    ap_count_mul(9);
    return ap_lanes_sub(ap_lanes_sub(p->between, x), ap_lanes_add(y, z));
}

/* Sets |v| and 1 / |v| and returns |v|^2. The square root and the quotient do not depend on each other. */
AP_INLINE double set_length(closed_form *s, ap_lanes v)
{
    const double square = ap_lanes_dot(v, v);
    s->length = sqrt(square);
    s->inverse = s->length * (1.0 / square);
    return square;
}

/* |v|^2 can differ by some roundings from the square measured in the box's axes, and the normal's length would then
 * differ from one. A difference of up to this many units in the last place is ignored; a larger one is corrected by one
 * step of Newton's method for 1 / |v|. */
#define IGNORED_ULPS 5u

AP_INLINE void set_vector(closed_form *s, ap_lanes v, double measured)
{
    const double square = ap_lanes_dot(v, v);
    s->v = v;
    if (AP_UNLIKELY(bits_of(square) - bits_of(measured) + IGNORED_ULPS > 2 * IGNORED_ULPS)) {
        s->inverse *= 1.5 - 0.5 * ((square * s->inverse) * s->inverse);
    }
}

/* For a sphere at least as far away from a sharp box as the box is large: then the supporting plane follows from q, and
 * the length may be measured in the box's axes, where it is known sooner. v runs from the sphere to the box, whichever
 * of them is A. */
AP_INLINE bool write_sphere_and_box(const apart_shape *sphere, const apart_pose *pose, const apart_shape *box,
                                    const apart_pose *pose_box, bool swapped, apart_result *r)
{
    if (AP_UNLIKELY(bits_of(box->radius) != 0) || AP_UNLIKELY(!is_at_origin(&sphere->u.point[0]))) {
        return false;
    }
    closed_form s;
    const ap_lanes at_point = ap_lanes_load_three(&pose->translation);
    const box_point p = nearest_in_box(at_point, box, pose_box);
    const double defect = ap_rotation_defect_of_two(&pose->rotation, &pose_box->rotation);
    weigh_box_point(&s, &p);
    const double measured = set_length(&s, ap_lanes_sub(p.local, p.q));
    set_vector(&s, vector_to_box(&p, &pose_box->rotation), measured);
    if (AP_UNLIKELY(!(s.length > box->bound)) || AP_UNLIKELY(!(s.length > LEAST_LENGTH)) ||
        AP_UNLIKELY(!(defect <= PLANE_DEFECT))) {
        return false;
    }
    s.radius = sphere->radius;
    const double size = box->bound + (1.0 / 3.0) * s.radius;
    s.error = ((AP_SPHERE_BOX_ERROR * AP_UNIT_ROUNDOFF) + defect) * s.length +
              ((AP_SPHERE_BOX_SIZE_ERROR * AP_UNIT_ROUNDOFF) + SPHERE_BOX_SIZE_DEFECT * defect) * size;
    return swapped ? write_closed_form(&s, true, ap_lanes_add(at_point, s.v), false, 0.0, at_point, true, s.radius, r)
                   : write_closed_form(&s, false, at_point, true, s.radius, ap_lanes_add(at_point, s.v), false, 0.0, r);
}

/* The duality gap times |v|: by how much the box's support value along v misses that of its nearest point. */
AP_INLINE double gap_of_box(const box_point *p, const apart_mat3 *m, ap_lanes v)
{
    const ap_lanes along = three_sums(ap_lanes_mul(ap_lanes_load(&m->x), v), ap_lanes_mul(ap_lanes_load(&m->y), v),
                                      ap_lanes_mul(ap_lanes_load(&m->z), v));
    const ap_lanes gaps = ap_lanes_sub(ap_lanes_mul(p->h, ap_lanes_abs(along)), ap_lanes_mul(p->q, along));
    ap_count_mul(15);
    return (ap_lanes_at(gaps, 0) + ap_lanes_at(gaps, 1)) + ap_lanes_at(gaps, 2);
}

/* Sets the error of the bounds where the plane was evaluated; `evaluation` is the rounding error of one evaluation.
 * Returns false if the gap is not closed, or v is too short to define a direction. */
AP_INLINE bool close_gap(closed_form *s, double evaluation, double gap, double defect)
{
    s->error = (evaluation + gap) + s->radius * defect;
    return gap <= evaluation && s->length > evaluation && s->length > LEAST_LENGTH;
}

AP_INLINE bool write_point_and_box(const apart_shape *point, const apart_pose *pose, const apart_shape *box,
                                   const apart_pose *pose_box, bool swapped, apart_result *r)
{
    const double defect = ap_rotation_defect_of_two(&pose_box->rotation, &pose->rotation);
    if (!ap_is_leaf(point, APART_SHAPE_POINT) || !ap_is_leaf(box, APART_SHAPE_BOX) ||
        !is_at_origin(&point->u.point[0]) || !(defect <= AP_ROTATION_LIMIT_OF_TWO)) {
        return false;
    }
    closed_form s = {.radius = point->radius + box->radius};
    const ap_lanes at_point = ap_lanes_load_three(&pose->translation);
    const box_point p = nearest_in_box(at_point, box, pose_box);
    weigh_box_point(&s, &p);
    s.v = vector_to_box(&p, &pose_box->rotation);
    set_length(&s, s.v);
    const double gap = gap_of_box(&p, &pose_box->rotation, s.v) * s.inverse;
    if (!close_gap(&s, (AP_POINT_BOX_ERROR * AP_UNIT_ROUNDOFF) * (s.length + (box->bound + s.radius)), gap, defect)) {
        return false;
    }
    return swapped ? write_closed_form(&s, true, ap_lanes_add(at_point, s.v), true, box->radius, at_point, true,
                                       point->radius, r)
                   : write_closed_form(&s, false, at_point, true, point->radius, ap_lanes_add(at_point, s.v), true,
                                       box->radius, r);
}

/* ---- two points or segments ---- */

/* Vertex 1 is the end at which q is positive on A, negative on B. The corners are indexed by the sign of A's q, then of
 * B's. */
#define ENDS_OF(i, k)                        \
    {                                        \
        {                                    \
            (i), NO, NO, NO, (k), NO, NO, NO \
        }                                    \
    }
#define ALONG_A(i, k)                              \
    {                                              \
        {                                          \
            (i), (i) ^ 1, NO, NO, (k), (k), NO, NO \
        }                                          \
    }
#define ALONG_B(i, k)                              \
    {                                              \
        {                                          \
            (i), (i), NO, NO, (k), (k) ^ 1, NO, NO \
        }                                          \
    }
#define ALONG_BOTH(i, k)                                 \
    {                                                    \
        {                                                \
            (i), (i) ^ 1, (i), NO, (k), (k), (k) ^ 1, NO \
        }                                                \
    }
static const simplex_row segment_rows[4] =
    {{AP_LANE_ORDER(3, 3, 3, 3), {ENDS_OF(1, 0), ENDS_OF(0, 0), ENDS_OF(1, 1), ENDS_OF(0, 1)}, ENDS(1)},
     {AP_LANE_ORDER(0, 0, 3, 3), {ALONG_A(1, 0), ALONG_A(0, 0), ALONG_A(1, 1), ALONG_A(0, 1)}, ENDS(2)},
     {AP_LANE_ORDER(1, 1, 3, 3), {ALONG_B(1, 0), ALONG_B(0, 0), ALONG_B(1, 1), ALONG_B(0, 1)}, ENDS(2)},
     {AP_LANE_ORDER(0, 0, 1, 3), {ALONG_BOTH(1, 0), ALONG_BOTH(0, 0), ALONG_BOTH(1, 1), ALONG_BOTH(0, 1)}, ENDS(3)}};

/* h and q of A and B are in the lanes 0 and 1; the other lanes are zero. A point has only vertex 0, whatever the sign
 * of its q. */
AP_INLINE void weigh_segment_points(closed_form *s, ap_lanes h, ap_lanes q, bool point_a, bool point_b)
{
    const ap_lanes less = ap_lanes_sub(ap_lanes_abs(q), h);
    const unsigned negative = ((ap_mask_bits(ap_mask_of_lanes(q)) & 3u) | (point_a ? 1u : 0u)) & (point_b ? 1u : 3u);
    set_closed_form_simplex(s, segment_rows, ap_mask_bits(ap_mask_of_lanes(less)) & 3u, negative, h, less);
}

/* Does the segment run along z from -h to h? A point at the origin does, with h = 0. */
AP_INLINE bool is_upright(const apart_vec3 *ends)
{
    const uint64_t sign = (uint64_t)1 << 63, up = bits_of(ends[1].z), down = bits_of(ends[0].z);
    const uint64_t aside = bits_of(ends[0].x) | bits_of(ends[0].y) | bits_of(ends[1].x) | bits_of(ends[1].y);
    return aside << 1 == 0 && up < sign && (down == up + sign || (down | up) == 0);
}

AP_INLINE double clamp_to_ends(double x, const apart_vec3 *ends) { return ap_min(ap_max(x, ends[0].z), ends[1].z); }

/* The formula for axes of unit length, which needs only one division; an axis of another length widens the gap. */
AP_INLINE bool write_capsules(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                              const apart_pose *pose_b, apart_result *r)
{
    const apart_vec3 *ends_a = a->u.point, *ends_b = b->u.point;
    if (AP_UNLIKELY(!is_upright(ends_a)) || AP_UNLIKELY(!is_upright(ends_b))) {
        return false;
    }
    closed_form s;
    const ap_lanes at_a = ap_lanes_load_three(&pose_a->translation),
                   between = ap_lanes_sub(ap_lanes_load_three(&pose_b->translation), at_a);
    const ap_lanes up_a = ap_lanes_load(&pose_a->rotation.z), up_b = ap_lanes_load(&pose_b->rotation.z);
    const ap_lanes dots =
        three_sums(ap_lanes_mul(up_a, up_b), ap_lanes_mul(up_a, between), ap_lanes_mul(up_b, between));
    const double cosine = ap_lanes_at(dots, 0), to_a = ap_lanes_at(dots, 1), to_b = ap_lanes_at(dots, 2);
    const double first =
        clamp_to_ends((to_a - cosine * to_b) / ap_max(1.0 - cosine * cosine, LEAST_SQUARED_SINE), ends_a);
    const double qb = clamp_to_ends(to_b - cosine * first, ends_b), qa = clamp_to_ends(to_a - cosine * qb, ends_a);
    const ap_lanes on_b = ap_lanes_sub(between, ap_lanes_scale(qb, up_b)), on_a = ap_lanes_scale(qa, up_a);
    ap_count_mul(19);
    s.v = ap_lanes_sub(on_b, on_a);
    set_length(&s, s.v);
    const double defect = ap_rotation_defect_of_two(&pose_a->rotation, &pose_b->rotation);
    const ap_lanes h = ap_lanes_of(ends_a[1].z, ends_b[1].z, 0.0, 0.0), q = ap_lanes_of(qa, qb, 0.0, 0.0);
    weigh_segment_points(&s, h, q, bits_of(ends_a[1].z) == 0, bits_of(ends_b[1].z) == 0);
    const ap_lanes along = two_sums(ap_lanes_mul(up_a, s.v), ap_lanes_mul(up_b, s.v)),
                   gaps = ap_lanes_sub(ap_lanes_mul(h, ap_lanes_abs(along)), ap_lanes_mul(q, along));
    const double gap = (ap_lanes_at(gaps, 0) + ap_lanes_at(gaps, 1)) * s.inverse;
    s.radius = a->radius + b->radius;
    const double evaluation =
        (AP_CAPSULE_ERROR * AP_UNIT_ROUNDOFF) * (s.length + ((ends_a[1].z + ends_b[1].z) + s.radius));
    if (AP_UNLIKELY(!close_gap(&s, evaluation, gap, defect)) || AP_UNLIKELY(!(defect <= AP_ROTATION_LIMIT_OF_TWO))) {
        return false;
    }
    return write_closed_form(&s, false, ap_lanes_add(at_a, on_a), true, a->radius, ap_lanes_add(at_a, on_b), true,
                             b->radius, r);
}

AP_INLINE double clamp_share(double numerator, double denominator)
{
    return ap_min(ap_max(numerator, 0.0) / ap_max(denominator, LEAST_DENOMINATOR), 1.0);
}

/* The nearest points are at share s of segment a and share t of segment b; from_b runs from b's start to a's. */
AP_INLINE void nearest_shares(ap_lanes along_a, ap_lanes along_b, ap_lanes from_b, double *s, double *t)
{
    const ap_lanes squares =
        three_sums(ap_lanes_mul(along_a, along_a), ap_lanes_mul(along_b, along_b), ap_lanes_mul(along_a, along_b));
    const ap_lanes dots = two_sums(ap_lanes_mul(along_a, from_b), ap_lanes_mul(along_b, from_b));
    const double aa = ap_lanes_at(squares, 0), bb = ap_lanes_at(squares, 1), ab = ap_lanes_at(squares, 2),
                 af = ap_lanes_at(dots, 0), bf = ap_lanes_at(dots, 1);
    const double first = clamp_share(ab * bf - af * bb, aa * bb - ab * ab);
    *t = clamp_share(ab * first + bf, bb);
    *s = clamp_share(ab * *t - af, aa);
}

/* End i of a core, in the world's axes; both ends of a point are the same (shape.h). */
AP_INLINE ap_lanes turned_end(const apart_shape *shape, const apart_pose *pose, int i)
{
    return ap_lanes_turn(&pose->rotation, ap_lanes_load(&shape->u.point[i]));
}

/* Segments and points of any direction, centred at their origins. */
AP_INLINE bool write_segments(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                              const apart_pose *pose_b, apart_result *r)
{
    const double defect = ap_rotation_defect_of_two(&pose_a->rotation, &pose_b->rotation);
    if (!ap_is_capsule(a) || !ap_is_capsule(b) || !is_at_origin(&a->center) || !is_at_origin(&b->center) ||
        !(defect <= AP_ROTATION_LIMIT_OF_TWO)) {
        return false;
    }
    closed_form s = {.radius = a->radius + b->radius};
    const ap_lanes at_a = ap_lanes_load_three(&pose_a->translation),
                   between = ap_lanes_sub(ap_lanes_load_three(&pose_b->translation), at_a);
    const ap_lanes a0 = turned_end(a, pose_a, 0), a1 = turned_end(a, pose_a, 1), along_a = ap_lanes_sub(a1, a0);
    const ap_lanes b0 = ap_lanes_add(turned_end(b, pose_b, 0), between),
                   b1 = ap_lanes_add(turned_end(b, pose_b, 1), between), along_b = ap_lanes_sub(b1, b0);
    double share_a, share_b;
    nearest_shares(along_a, along_b, ap_lanes_sub(a0, b0), &share_a, &share_b);
    const ap_lanes on_a = ap_lanes_add(a0, ap_lanes_scale(share_a, along_a)),
                   on_b = ap_lanes_add(b0, ap_lanes_scale(share_b, along_b));
    s.v = ap_lanes_sub(on_b, on_a);
    set_length(&s, s.v);
    weigh_segment_points(&s, ap_lanes_of(0.5, 0.5, 0.0, 0.0), ap_lanes_of(share_a - 0.5, 0.5 - share_b, 0.0, 0.0),
                         false, false);
    const ap_lanes far = ap_lanes_abs(between), ends_a = two_sums(ap_lanes_mul(s.v, a0), ap_lanes_mul(s.v, a1)),
                   ends_b = two_sums(ap_lanes_mul(s.v, b0), ap_lanes_mul(s.v, b1));
    const double plane_distance = (ap_min(ap_lanes_at(ends_b, 0), ap_lanes_at(ends_b, 1)) -
                                   ap_max(ap_lanes_at(ends_a, 0), ap_lanes_at(ends_a, 1))) *
                                  s.inverse;
    const double size =
        (a->bound + b->bound) + ((ap_lanes_at(far, 0) + ap_lanes_at(far, 1)) + ap_lanes_at(far, 2)); /* M */
    if (!close_gap(&s, (AP_SEGMENT_ERROR * AP_UNIT_ROUNDOFF) * (size + s.radius), s.length - plane_distance, defect)) {
        return false;
    }
    return write_closed_form(&s, false, ap_lanes_add(at_a, on_a), true, a->radius, ap_lanes_add(at_a, on_b), true,
                             b->radius, r);
}

/* ---- the queries ---- */

static AP_RARE apart_status query_by_kind(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                          const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const ap_query q = {a, pose_a, b, pose_b, &ap_default_options, cache, result};
    return ap_distance_by_kind(&q);
}

apart_status ap_distance_of_sphere_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                           const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_sphere_and_box(a, pose_a, b, pose_b, false, result);
    return answered ? APART_OK : query_by_kind(a, pose_a, b, pose_b, result, cache);
}

apart_status ap_distance_of_box_and_sphere(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                           const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_sphere_and_box(b, pose_b, a, pose_a, true, result);
    return answered ? APART_OK : query_by_kind(a, pose_a, b, pose_b, result, cache);
}

apart_status ap_distance_of_capsules(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_capsules(a, pose_a, b, pose_b, result);
    return answered ? APART_OK : query_by_kind(a, pose_a, b, pose_b, result, cache);
}

/* The general forms ignore the cut-off and always compute the exact depth, so they serve only such queries. */
static bool asks_for_exact_distance(const apart_options *o)
{
    return o->depth == APART_DEPTH_EXACT && o->cutoff == 0.0;
}

apart_status ap_distance_of_segments(const ap_query *q)
{
    const bool answered =
        asks_for_exact_distance(q->options) && write_segments(q->a, q->pose_a, q->b, q->pose_b, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}

apart_status ap_distance_of_point_and_box(const ap_query *q)
{
    const bool answered =
        asks_for_exact_distance(q->options) && write_point_and_box(q->a, q->pose_a, q->b, q->pose_b, false, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}

apart_status ap_distance_of_box_and_point(const ap_query *q)
{
    const bool answered =
        asks_for_exact_distance(q->options) && write_point_and_box(q->b, q->pose_b, q->a, q->pose_a, true, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}
