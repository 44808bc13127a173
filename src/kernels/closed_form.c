/* Distances in closed form, where both cores are so simple: two points or segments (spheres and capsules), a point and
 * a box.
 *
 * Source: Ericson, Real-Time Collision Detection (2005), 5.1.3 and 5.1.9, for the nearest points. We differ in not
 * believing them: the points give the upper bound, the plane across their difference the lower one, for the bodies as
 * they are, matrices as given. Each form comes twice. The short one is for exact rotations, capsules along z, and a
 * sphere and a sharp box that are farther apart than the box is large. The other one takes any segment, box and legal
 * rotation. Where neither closes the gap between the bounds (cores that touch or overlap, segments so close to parallel
 * that the formula loses its digits) the query goes on without a closed form.
 *
 * A short form costs what it writes to vector registers, and the chains of operations that wait for each other: the
 * processor runs out of such registers before it gets far into the next query. So no branch depends on data, integers
 * do what they can, and the statements stand in the order of time: the checks come where the nearest points are still
 * being computed.
 *
 * Legend: everything is relative to A's origin and not scaled; v from A's point to B's; q the nearest points in their
 * bodies' axes, opposite on B, so that both bodies have the same formulas. */
#include "closed_form.h"

#include "../pair/result.h"

/* Lengths between these are squared, and their squares multiplied, without a thought. */
#define LEAST_LENGTH 0x1p-200
#define LARGEST_LENGTH 0x1p+200
/* Stand for a denominator that is zero: the numerator is then, too, or rounding noise. */
#define LEAST_DENOMINATOR 0x1p-960
#define LEAST_SQUARED_SINE 0x1p-100

/* What the defect of the rotations adds to the error by the box's size where the plane is not evaluated. */
#define SPHERE_BOX_SIZE_DEFECT 6.0
/* Rotations whose defect is within this are good enough for a plane that is not evaluated. */
#define PLANE_DEFECT (64.0 * AP_UNIT_ROUNDOFF)

AP_INLINE uint64_t bits_of(double x) { return ap_word_at(&x, 0); }

/* All bits but the signs. */
AP_INLINE bool is_zero(const apart_vec3 *p) { return (bits_of(p->x) | bits_of(p->y) | bits_of(p->z)) << 1 == 0; }

/* The three dot products whose products these are. */
AP_INLINE ap_lanes three_sums(ap_lanes a, ap_lanes b, ap_lanes c)
{
    const ap_lanes low = __builtin_shufflevector(a, b, 0, 4, 2, 6), high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const ap_lanes turned = AP_SHUFFLE(c, 1, 0, 3, 2);
    return (__builtin_shufflevector(low, c, 0, 1, 4, 5) + __builtin_shufflevector(high, turned, 0, 1, 4, 5)) +
           __builtin_shufflevector(low, c, 2, 3, 6, 7);
}

/* The same of two, in the lanes 0 and 1. */
AP_INLINE ap_lanes two_sums(ap_lanes a, ap_lanes b)
{
    const ap_lanes low = __builtin_shufflevector(a, b, 0, 4, 2, 6), high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    return (low + high) + AP_SHUFFLE(low, 2, 3, 0, 1);
}

/* ---- the answer ---- */

/* Both cores together are a box with up to three free axes. Its simplex by the set of the free ones: the nearest
 * corner, and those across from it along each. */
typedef struct simplex_row {
    ap_words order;      /* of the shares: of the first free axis, again, of the second; lane 3 is no axis */
    ap_words corners[8]; /* index_a and index_b by the signs of q */
    ap_result_end end;
} simplex_row;

#define NO APART_NO_INDEX
#define ENDS(n)                                                                  \
    {                                                                            \
        1, (n), APART_DISJOINT, APART_STOP_CONVERGED, APART_SOLVER_DEFAULT, 0, 3 \
    }

/* The weights of the corners. h: half extents; less: |q| - h; the lanes behind are zero. Shares across are at most a
 * half. They are negative until the end, so that one sum makes that of the nearest corner, too. */
AP_INLINE ap_lanes weigh_corners(ap_lanes h, ap_lanes less, const simplex_row *row)
{
    const ap_lanes shares =
        less / ap_lanes_max(h + h, ap_lanes_of(LEAST_DENOMINATOR, LEAST_DENOMINATOR, LEAST_DENOMINATOR, 1.0));
    const ap_lanes across = ap_lanes_reorder(shares, row->order);
    return ap_lanes_abs((ap_lanes_of(1.0, 0.0, 0.0, 0.0) + across) + AP_SHUFFLE(across, 2, 3, 3, 3));
}

/* v and the distance; the simplex. */
typedef struct closed_form {
    ap_lanes v;
    double length, inverse; /* |v|, 1 / |v| */
    double radius;          /* the sum of the radii */
    double error;           /* of |v| - radius, both ways */
    ap_lanes weights;
    const ap_words *corners; /* index_a and index_b */
    uint64_t end;            /* an ap_result_end that says disjoint */
} closed_form;

/* The simplex by the sets of free axes and of negative q. */
AP_INLINE void take_simplex(closed_form *s, const simplex_row *rows, unsigned free_axes, unsigned negative, ap_lanes h,
                            ap_lanes less)
{
    const simplex_row *row = &rows[free_axes];
    s->corners = &row->corners[negative];
    s->end = ap_result_end_bytes(row->end);
    s->weights = weigh_corners(h, less, row);
}

/* Writes the answer. From a and b, points of the cores in the world, the normal leads outwards by the radii where the
 * bodies are rounded. What a vector store writes too much is written over by what follows. False: beyond the range of
 * doubles. */
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
    const ap_words corners = *s->corners;
    const ap_words indices = swapped ? __builtin_shufflevector(corners, corners, 4, 5, 6, 7, 0, 1, 2, 3) : corners;
    const ap_lanes normal = ap_lanes_all(swapped ? -s->inverse : s->inverse) * s->v;
    ap_result_put(r, distance, distance - s->error, distance + s->error,
                  round_a ? a + ap_lanes_all(radius_a) * normal : a, round_b ? b - ap_lanes_all(radius_b) * normal : b,
                  normal);
    memcpy(r->index_a, &indices, sizeof indices);
    ap_lanes_store(r->lambda, s->weights);
    memcpy(&r->iterations, &end, sizeof end);
    return true;
}

/* ---- a point and a box ---- */

/* A's vertex is 0, B's the corner and those that differ from it in some bits. */
#define VERTEX_OF(c)                   \
    {                                  \
        0, NO, NO, NO, (c), NO, NO, NO \
    }
#define EDGE_OF(c, x)                        \
    {                                        \
        0, 0, NO, NO, (c), (c) ^ (x), NO, NO \
    }
#define FACE_OF(c, x, y)                           \
    {                                              \
        0, 0, 0, NO, (c), (c) ^ (x), (c) ^ (y), NO \
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

/* The point of the box that is nearest to another point, in the box's axes, all signs changed. */
typedef struct box_point {
    ap_lanes between, local; /* from the other point to the box's centre; the same in the box's axes */
    ap_lanes h, q, less;     /* half extents; the point; |q| - h */
} box_point;

AP_INLINE box_point find_in_box(ap_lanes at_point, const apart_shape *box, const apart_pose *pose_box)
{
    const apart_mat3 *m = &pose_box->rotation;
    box_point p = {.between = ap_lanes_load_three(&pose_box->translation) - at_point,
                   .h = ap_lanes_load_three(&box->u.half_extents)};
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    p.local = three_sums(x * p.between, y * p.between, z * p.between);
    ap_count_mul(9);
    p.q = ap_lanes_min(ap_lanes_max(p.local, ap_lanes_all(0.0) - p.h), p.h);
    p.less = ap_lanes_abs(p.q) - p.h;
    return p;
}

AP_INLINE void weigh_box_point(closed_form *s, const box_point *p)
{
    take_simplex(s, box_rows, ap_mask_bits((ap_mask)p->less) & 7u, ap_mask_bits((ap_mask)p->q) & 7u, p->h, p->less);
}

AP_INLINE ap_lanes way_to_box(const box_point *p, const apart_mat3 *m)
{
    const ap_lanes x = ap_lanes_all(p->q[0]) * ap_lanes_load(&m->x), y = ap_lanes_all(p->q[1]) * ap_lanes_load(&m->y);
    const ap_lanes z = ap_lanes_all(p->q[2]) * ap_lanes_load(&m->z);
    ap_count_mul(9);
    return (p->between - x) - (y + z);
}

/* Returns the square. The root and the quotient are computed side by side. */
AP_INLINE double measure(closed_form *s, ap_lanes v)
{
    const double square = ap_lanes_dot(v, v);
    s->length = sqrt(square);
    s->inverse = s->length * (1.0 / square);
    return square;
}

/* v is as long as was measured to a few roundings, by which the normal would miss the length of one. Up to this many in
 * |v|^2 that is nothing; of more it is cured by a step of Newton's method for 1 / |v|. */
#define FEW_ROUNDINGS 5u

AP_INLINE void follow(closed_form *s, ap_lanes v, double measured)
{
    const double square = ap_lanes_dot(v, v);
    s->v = v;
    if (AP_UNLIKELY(bits_of(square) - bits_of(measured) + FEW_ROUNDINGS > 2 * FEW_ROUNDINGS)) {
        s->inverse *= 1.5 - 0.5 * ((square * s->inverse) * s->inverse);
    }
}

/* The point is at least as far away as the box is large: then the plane follows from q, and the length may be measured
 * in the box's axes, where it is known sooner. Seen from the point, whichever body it is. */
AP_INLINE bool write_sphere_and_box(const apart_shape *sphere, const apart_pose *pose, const apart_shape *box,
                                    const apart_pose *pose_box, bool swapped, apart_result *r)
{
    if (AP_UNLIKELY(bits_of(box->radius) != 0) || AP_UNLIKELY(!is_zero(&sphere->u.point[0]))) {
        return false;
    }
    closed_form s;
    const ap_lanes at_point = ap_lanes_load_three(&pose->translation);
    const box_point p = find_in_box(at_point, box, pose_box);
    const double defect = ap_rotation_defect_of_two(&pose->rotation, &pose_box->rotation);
    weigh_box_point(&s, &p);
    const double measured = measure(&s, p.local - p.q);
    follow(&s, way_to_box(&p, &pose_box->rotation), measured);
    if (AP_UNLIKELY(!(s.length > box->bound)) || AP_UNLIKELY(!(s.length > LEAST_LENGTH)) ||
        AP_UNLIKELY(!(defect <= PLANE_DEFECT))) {
        return false;
    }
    s.radius = sphere->radius;
    const double size = box->bound + (1.0 / 3.0) * s.radius;
    s.error = ((AP_SPHERE_BOX_ERROR * AP_UNIT_ROUNDOFF) + defect) * s.length +
              ((AP_SPHERE_BOX_SIZE_ERROR * AP_UNIT_ROUNDOFF) + SPHERE_BOX_SIZE_DEFECT * defect) * size;
    return swapped ? write_closed_form(&s, true, at_point + s.v, false, 0.0, at_point, true, s.radius, r)
                   : write_closed_form(&s, false, at_point, true, s.radius, at_point + s.v, false, 0.0, r);
}

/* The plane across v, evaluated over the box: how much less than |v| it says, times |v|. */
AP_INLINE double gap_of_box(const box_point *p, const apart_mat3 *m, ap_lanes v)
{
    const ap_lanes along = three_sums(ap_lanes_load(&m->x) * v, ap_lanes_load(&m->y) * v, ap_lanes_load(&m->z) * v);
    const ap_lanes gaps = p->h * ap_lanes_abs(along) - p->q * along;
    ap_count_mul(15);
    return (gaps[0] + gaps[1]) + gaps[2];
}

/* The bounds' error where the plane was evaluated, from that of one evaluation. False: the bounds do not meet, or v is
 * too short for a direction. */
AP_INLINE bool close_gap(closed_form *s, double evaluation, double gap, double defect)
{
    s->error = (evaluation + gap) + s->radius * defect;
    return gap <= evaluation && s->length > evaluation && s->length > LEAST_LENGTH;
}

AP_INLINE bool write_point_and_box(const apart_shape *point, const apart_pose *pose, const apart_shape *box,
                                   const apart_pose *pose_box, bool swapped, apart_result *r)
{
    const double defect = ap_rotation_defect_of_two(&pose_box->rotation, &pose->rotation);
    if (!ap_is_leaf(point, APART_SHAPE_POINT) || !ap_is_leaf(box, APART_SHAPE_BOX) || !is_zero(&point->u.point[0]) ||
        !(defect <= AP_ROTATION_LIMIT_OF_TWO)) {
        return false;
    }
    closed_form s = {.radius = point->radius + box->radius};
    const ap_lanes at_point = ap_lanes_load_three(&pose->translation);
    const box_point p = find_in_box(at_point, box, pose_box);
    weigh_box_point(&s, &p);
    s.v = way_to_box(&p, &pose_box->rotation);
    measure(&s, s.v);
    const double gap = gap_of_box(&p, &pose_box->rotation, s.v) * s.inverse;
    if (!close_gap(&s, (AP_POINT_BOX_ERROR * AP_UNIT_ROUNDOFF) * (s.length + (box->bound + s.radius)), gap, defect)) {
        return false;
    }
    return swapped ? write_closed_form(&s, true, at_point + s.v, true, box->radius, at_point, true, point->radius, r)
                   : write_closed_form(&s, false, at_point, true, point->radius, at_point + s.v, true, box->radius, r);
}

/* ---- two points or segments ---- */

/* Vertex 1 is the end at which q is positive on A, negative on B. By the sign of A's q, then of B's. */
#define ENDS_OF(i, k)                    \
    {                                    \
        (i), NO, NO, NO, (k), NO, NO, NO \
    }
#define ALONG_A(i, k)                          \
    {                                          \
        (i), (i) ^ 1, NO, NO, (k), (k), NO, NO \
    }
#define ALONG_B(i, k)                          \
    {                                          \
        (i), (i), NO, NO, (k), (k) ^ 1, NO, NO \
    }
#define ALONG_BOTH(i, k)                             \
    {                                                \
        (i), (i) ^ 1, (i), NO, (k), (k), (k) ^ 1, NO \
    }
static const simplex_row segment_rows[4] =
    {{AP_LANE_ORDER(3, 3, 3, 3), {ENDS_OF(1, 0), ENDS_OF(0, 0), ENDS_OF(1, 1), ENDS_OF(0, 1)}, ENDS(1)},
     {AP_LANE_ORDER(0, 0, 3, 3), {ALONG_A(1, 0), ALONG_A(0, 0), ALONG_A(1, 1), ALONG_A(0, 1)}, ENDS(2)},
     {AP_LANE_ORDER(1, 1, 3, 3), {ALONG_B(1, 0), ALONG_B(0, 0), ALONG_B(1, 1), ALONG_B(0, 1)}, ENDS(2)},
     {AP_LANE_ORDER(0, 0, 1, 3), {ALONG_BOTH(1, 0), ALONG_BOTH(0, 0), ALONG_BOTH(1, 1), ALONG_BOTH(0, 1)}, ENDS(3)}};

/* h and q of A and B in the lanes 0 and 1, zeros behind. A point has no vertex but 0, whatever the sign of its q. */
AP_INLINE void weigh_segment_points(closed_form *s, ap_lanes h, ap_lanes q, bool point_a, bool point_b)
{
    const ap_lanes less = ap_lanes_abs(q) - h;
    const unsigned negative = ((ap_mask_bits((ap_mask)q) & 3u) | (point_a ? 1u : 0u)) & (point_b ? 1u : 3u);
    take_simplex(s, segment_rows, ap_mask_bits((ap_mask)less) & 3u, negative, h, less);
}

/* Does it run along z from -h to h? Such is a point at the origin, too. */
AP_INLINE bool is_upright(const apart_vec3 *ends)
{
    const uint64_t sign = (uint64_t)1 << 63, up = bits_of(ends[1].z), down = bits_of(ends[0].z);
    const uint64_t aside = bits_of(ends[0].x) | bits_of(ends[0].y) | bits_of(ends[1].x) | bits_of(ends[1].y);
    return aside << 1 == 0 && up < sign && (down == up + sign || (down | up) == 0);
}

AP_INLINE double clamp_to_ends(double x, const apart_vec3 *ends) { return ap_min(ap_max(x, ends[0].z), ends[1].z); }

/* Axes of length one need one division alone, and what they lack in length shows in the gap. */
AP_INLINE bool write_capsules(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                              const apart_pose *pose_b, apart_result *r)
{
    const apart_vec3 *ends_a = a->u.point, *ends_b = b->u.point;
    if (AP_UNLIKELY(!is_upright(ends_a)) || AP_UNLIKELY(!is_upright(ends_b))) {
        return false;
    }
    closed_form s;
    const ap_lanes at_a = ap_lanes_load_three(&pose_a->translation),
                   between = ap_lanes_load_three(&pose_b->translation) - at_a;
    const ap_lanes up_a = ap_lanes_load(&pose_a->rotation.z), up_b = ap_lanes_load(&pose_b->rotation.z);
    const ap_lanes dots = three_sums(up_a * up_b, up_a * between, up_b * between);
    const double cosine = dots[0], to_a = dots[1], to_b = dots[2];
    const double first =
        clamp_to_ends((to_a - cosine * to_b) / ap_max(1.0 - cosine * cosine, LEAST_SQUARED_SINE), ends_a);
    const double qb = clamp_to_ends(to_b - cosine * first, ends_b), qa = clamp_to_ends(to_a - cosine * qb, ends_a);
    const ap_lanes on_b = between - ap_lanes_all(qb) * up_b, on_a = ap_lanes_all(qa) * up_a;
    ap_count_mul(19);
    s.v = on_b - on_a;
    measure(&s, s.v);
    const double defect = ap_rotation_defect_of_two(&pose_a->rotation, &pose_b->rotation);
    const ap_lanes h = ap_lanes_of(ends_a[1].z, ends_b[1].z, 0.0, 0.0), q = ap_lanes_of(qa, qb, 0.0, 0.0);
    weigh_segment_points(&s, h, q, bits_of(ends_a[1].z) == 0, bits_of(ends_b[1].z) == 0);
    const ap_lanes along = two_sums(up_a * s.v, up_b * s.v), gaps = h * ap_lanes_abs(along) - q * along;
    const double gap = (gaps[0] + gaps[1]) * s.inverse;
    s.radius = a->radius + b->radius;
    const double evaluation =
        (AP_CAPSULE_ERROR * AP_UNIT_ROUNDOFF) * (s.length + ((ends_a[1].z + ends_b[1].z) + s.radius));
    if (AP_UNLIKELY(!close_gap(&s, evaluation, gap, defect)) || AP_UNLIKELY(!(defect <= AP_ROTATION_LIMIT_OF_TWO))) {
        return false;
    }
    return write_closed_form(&s, false, at_a + on_a, true, a->radius, at_a + on_b, true, b->radius, r);
}

AP_INLINE double clamp_share(double numerator, double denominator)
{
    return ap_min(ap_max(numerator, 0.0) / ap_max(denominator, LEAST_DENOMINATOR), 1.0);
}

/* Shares s of the way along a, t along b of the nearest points; from_b: from the start of b to that of a. */
AP_INLINE void nearest_shares(ap_lanes along_a, ap_lanes along_b, ap_lanes from_b, double *s, double *t)
{
    const ap_lanes squares = three_sums(along_a * along_a, along_b * along_b, along_a * along_b);
    const ap_lanes ways = two_sums(along_a * from_b, along_b * from_b);
    const double aa = squares[0], bb = squares[1], ab = squares[2], af = ways[0], bf = ways[1];
    const double first = clamp_share(ab * bf - af * bb, aa * bb - ab * ab);
    *t = clamp_share(ab * first + bf, bb);
    *s = clamp_share(ab * *t - af, aa);
}

/* The ends of a core in the world's axes; the second end of a point is the first (shape.h). */
AP_INLINE ap_lanes end_of(const apart_shape *shape, const apart_pose *pose, int i)
{
    return ap_lanes_turn(&pose->rotation, ap_lanes_load(&shape->u.point[i]));
}

/* Any segments and points about their origins. */
AP_INLINE bool write_segments(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                              const apart_pose *pose_b, apart_result *r)
{
    const double defect = ap_rotation_defect_of_two(&pose_a->rotation, &pose_b->rotation);
    if (!ap_is_capsule(a) || !ap_is_capsule(b) || !is_zero(&a->center) || !is_zero(&b->center) ||
        !(defect <= AP_ROTATION_LIMIT_OF_TWO)) {
        return false;
    }
    closed_form s = {.radius = a->radius + b->radius};
    const ap_lanes at_a = ap_lanes_load_three(&pose_a->translation),
                   between = ap_lanes_load_three(&pose_b->translation) - at_a;
    const ap_lanes a0 = end_of(a, pose_a, 0), a1 = end_of(a, pose_a, 1), along_a = a1 - a0;
    const ap_lanes b0 = end_of(b, pose_b, 0) + between, b1 = end_of(b, pose_b, 1) + between, along_b = b1 - b0;
    double share_a, share_b;
    nearest_shares(along_a, along_b, a0 - b0, &share_a, &share_b);
    const ap_lanes on_a = a0 + ap_lanes_all(share_a) * along_a, on_b = b0 + ap_lanes_all(share_b) * along_b;
    s.v = on_b - on_a;
    measure(&s, s.v);
    weigh_segment_points(&s, ap_lanes_of(0.5, 0.5, 0.0, 0.0), ap_lanes_of(share_a - 0.5, 0.5 - share_b, 0.0, 0.0),
                         false, false);
    const ap_lanes far = ap_lanes_abs(between), ends_a = two_sums(s.v * a0, s.v * a1),
                   ends_b = two_sums(s.v * b0, s.v * b1);
    const double reach = (ap_min(ends_b[0], ends_b[1]) - ap_max(ends_a[0], ends_a[1])) * s.inverse;
    const double size = (a->bound + b->bound) + ((far[0] + far[1]) + far[2]); /* M */
    if (!close_gap(&s, (AP_SEGMENT_ERROR * AP_UNIT_ROUNDOFF) * (size + s.radius), s.length - reach, defect)) {
        return false;
    }
    return write_closed_form(&s, false, at_a + on_a, true, a->radius, at_a + on_b, true, b->radius, r);
}

/* ---- the queries ---- */

static AP_RARE apart_status ask_by_kind(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                        const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const ap_query q = {a, pose_a, b, pose_b, &ap_default_options, cache, result};
    return ap_distance_by_kind(&q);
}

apart_status ap_distance_of_sphere_and_box(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                           const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_sphere_and_box(a, pose_a, b, pose_b, false, result);
    return answered ? APART_OK : ask_by_kind(a, pose_a, b, pose_b, result, cache);
}

apart_status ap_distance_of_box_and_sphere(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                           const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_sphere_and_box(b, pose_b, a, pose_a, true, result);
    return answered ? APART_OK : ask_by_kind(a, pose_a, b, pose_b, result, cache);
}

apart_status ap_distance_of_capsules(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, apart_result *result, apart_cache *cache)
{
    const bool answered = write_capsules(a, pose_a, b, pose_b, result);
    return answered ? APART_OK : ask_by_kind(a, pose_a, b, pose_b, result, cache);
}

/* These forms have no cut-off, and their depths are exact. */
static bool wants_all(const apart_options *o) { return o->depth == APART_DEPTH_EXACT && o->cutoff == 0.0; }

apart_status ap_distance_of_segments(const ap_query *q)
{
    const bool answered = wants_all(q->options) && write_segments(q->a, q->pose_a, q->b, q->pose_b, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}

apart_status ap_distance_of_point_and_box(const ap_query *q)
{
    const bool answered =
        wants_all(q->options) && write_point_and_box(q->a, q->pose_a, q->b, q->pose_b, false, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}

apart_status ap_distance_of_box_and_point(const ap_query *q)
{
    const bool answered =
        wants_all(q->options) && write_point_and_box(q->b, q->pose_b, q->a, q->pose_a, true, q->result);
    return answered ? APART_OK : ap_distance_of_vertices(q);
}
