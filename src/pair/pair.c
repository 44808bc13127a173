/* Prepares two bodies for a query: checks, common frame, scale, error constants. */
#include "pair.h"

#include <float.h>

/* The |RtR - I| of a matrix by its rows, lane by lane: the squares and the products of its columns. */
AP_INLINE ap_lanes rotation_defect(const ap_lanes3 *t)
{
    const ap_lanes mixed = (t->x * AP_SHUFFLE(t->x, 1, 2, 0, 3) + t->y * AP_SHUFFLE(t->y, 1, 2, 0, 3)) + t->z * AP_SHUFFLE(t->z, 1, 2, 0, 3);
    return ap_lanes_max(ap_lanes_abs(ap_lanes3_dot(*t, *t) - ap_lanes_all(1.0)), ap_lanes_abs(mixed));
}

/* The rows of a rotation, and its |RtR - I| in lanes. False: it is none (or not finite); which, check_pose() says. Proper: of an orthogonal matrix the cross product of
 * the first columns is the third or its opposite, and half is far from either. */
AP_INLINE bool take_rotation(const apart_pose *pose, ap_lanes3 *rows, ap_lanes *defect)
{
    const apart_mat3 *m = &pose->rotation;
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z); /* the pose goes on behind z */
    const ap_lanes3 t = ap_lanes_transpose(x, y, z, z);
    *defect = rotation_defect(&t);
    const ap_lanes twist = ap_lanes_abs(ap_lanes_cross(x, y) - z);
    *rows = t;
    return (ap_mask_bits((*defect <= ap_lanes_all(AP_ROTATION_LIMIT)) & (twist < ap_lanes_all(0.5))) & 7u) == 7u;
}

/* A 2D body stays in its plane: rotation about z, no z translation. */
static bool is_planar(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return r->x.z == 0.0 && r->y.z == 0.0 && r->z.x == 0.0 && r->z.y == 0.0 && r->z.z == 1.0 && pose->translation.z == 0.0;
}

AP_INLINE apart_status check_shapes(const apart_shape *a, const apart_shape *b)
{
    if (a->kind == APART_SHAPE_NONE || a->kind > APART_SHAPE_CALLBACK || b->kind == APART_SHAPE_NONE || b->kind > APART_SHAPE_CALLBACK) {
        return APART_ERR_SHAPE;
    }
    if (a->status != APART_OK) {
        return (apart_status)a->status;
    }
    if (b->status != APART_OK) {
        return (apart_status)b->status;
    }
    return a->dim == b->dim ? APART_OK : APART_ERR_DIMENSION;
}

/* All bits but the signs. */
AP_INLINE bool all_zero(const apart_vec3 *v)
{
    uint64_t bits[3];
    memcpy(bits, v, sizeof bits);
    return (bits[0] | bits[1] | bits[2]) << 1 == 0;
}

/* sign * (row of R) . c added to a double-double. */
static ap_dd add_rotated(ap_dd sum, double sign, double rx, double ry, double rz, apart_vec3 c)
{
    sum = ap_dd_add(sum, ap_two_product(sign * rx, c.x));
    sum = ap_dd_add(sum, ap_two_product(sign * ry, c.y));
    return ap_dd_add(sum, ap_two_product(sign * rz, c.z));
}

/* (R_B c_B + t_B) - (R_A c_A + t_A) with one rounding, so that a common offset of both bodies costs nothing. */
static AP_RARE apart_vec3 center_difference(const apart_shape *a, const apart_pose *pa, const apart_shape *b, const apart_pose *pb)
{
    const apart_vec3 ca = a->center, cb = b->center;
    const apart_vec3 ta = pa->translation, tb = pb->translation;
    const apart_mat3 *ra = &pa->rotation, *rb = &pb->rotation;
    const apart_vec3 difference = ap_sub(tb, ta);
    const double scale = ap_power_of_two_scale(ap_max(ap_max_abs(difference), ap_max(ap_max_abs(ca), ap_max_abs(cb))));
    const apart_vec3 sa = ap_scale(scale, ca), sb = ap_scale(scale, cb);
    ap_dd x = ap_two_sum(tb.x, -ta.x), y = ap_two_sum(tb.y, -ta.y), z = ap_two_sum(tb.z, -ta.z);
    x = (ap_dd){scale * x.hi, scale * x.lo};
    y = (ap_dd){scale * y.hi, scale * y.lo};
    z = (ap_dd){scale * z.hi, scale * z.lo};
    x = add_rotated(add_rotated(x, 1.0, rb->x.x, rb->y.x, rb->z.x, sb), -1.0, ra->x.x, ra->y.x, ra->z.x, sa);
    y = add_rotated(add_rotated(y, 1.0, rb->x.y, rb->y.y, rb->z.y, sb), -1.0, ra->x.y, ra->y.y, ra->z.y, sa);
    z = add_rotated(add_rotated(z, 1.0, rb->x.z, rb->y.z, rb->z.z, sb), -1.0, ra->x.z, ra->y.z, ra->z.z, sa);
    return ap_vec(ap_dd_value(x) / scale, ap_dd_value(y) / scale, ap_dd_value(z) / scale);
}

/* From A's centre to B's. */
AP_INLINE apart_vec3 center_of_b(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const bool centred = all_zero(&a->center) && all_zero(&b->center);
    return centred ? ap_sub(pose_b->translation, pose_a->translation) : center_difference(a, pose_a, b, pose_b);
}

/* In the world. */
AP_INLINE apart_vec3 center_of_a(const apart_shape *a, const apart_pose *pose)
{
    return all_zero(&a->center) ? pose->translation : ap_add(ap_apply(&pose->rotation, a->center), pose->translation);
}

/* What a climb on this body can miss, scaled; asks for confirmation where that is too much. */
AP_INLINE double climb_error(ap_pair *pair, ap_known known, const apart_shape *shape)
{
    const int search = known.plain ? APART_SUPPORT_AUTO : pair->context.search;
    if (shape->kind != APART_SHAPE_HULL || search == APART_SUPPORT_SCAN ||
        (search == APART_SUPPORT_AUTO && shape->u.hull->vertex_count <= AP_ALWAYS_SCANNED)) {
        return 0.0;
    }
    const double loss = shape->u.hull->climb_loss;
    if (!(loss <= AP_CLIMB_LOSS_MAX)) {
        pair->confirm = true;
        return 0.0;
    }
    return loss * (2.0 * AP_UNIT_ROUNDOFF) * (ap_known_scale(known, pair->scale) * shape->bound);
}

AP_INLINE bool has_table(const apart_shape *shape) { return shape->kind == APART_SHAPE_HULL && shape->u.hull->table_resolution > 0; }

AP_INLINE void set_errors(ap_pair *pair, ap_known known)
{
    const apart_shape *a = pair->a, *b = pair->b;
    const bool polytopes = ap_known_polytopes(known);
    const double curved_bodies = polytopes ? 0.0 : (pair->count_a == 0 ? 1.0 : 0.0) + (pair->count_b == 0 ? 1.0 : 0.0);
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    const double supports = ap_known_scale(known, pair->scale) * (a->error + b->error);
    const double curved = AP_CURVED_ERROR * unit * curved_bodies;
    pair->support_error = AP_LOWER_ERROR * unit + curved + supports;
    pair->upper_error = AP_UPPER_ERROR * unit + curved + supports;
    if (!polytopes) {
        pair->vertices = curved_bodies == 0.0;
        pair->broken = false;
    }
    if (!ap_known_scanned(known)) {
        pair->confirm = false;
        pair->guesses = has_table(a) || has_table(b);
        pair->climb_error = climb_error(pair, known, a) + climb_error(pair, known, b);
    }
}

AP_INLINE double largest_of_three(ap_lanes v) { return ap_max(ap_max(v[0], v[1]), v[2]); }

/* What the rotations' defect can do to rounded parts: a ball of radius r under a matrix with |RtR - I| <= d per entry is an ellipsoid
 * within 3/2 d r of it. */
AP_INLINE double widen(const apart_shape *a, ap_lanes defect_a, const apart_shape *b, ap_lanes defect_b)
{
    return 2.0 * (largest_of_three(defect_a) * a->radius + largest_of_three(defect_b) * b->radius);
}

/* What is wrong with a pose, if anything. */
static AP_RARE apart_status check_pose(const apart_pose *pose, bool rotates)
{
    const apart_mat3 *r = &pose->rotation;
    const bool finite = ap_finite(r->x) && ap_finite(r->y) && ap_finite(r->z) && ap_finite(pose->translation);
    return !finite ? APART_ERR_NONFINITE : rotates ? APART_OK : APART_ERR_ROTATION;
}

AP_INLINE uint32_t count_vertices(const apart_shape *shape, int kind)
{
    switch (kind != APART_SHAPE_NONE ? kind : shape->kind) {
    case APART_SHAPE_BOX:
        return kind != APART_SHAPE_NONE || shape->dim == 3 ? 8u : 4u;
    case APART_SHAPE_HULL:
        return shape->u.hull->vertex_count;
    case APART_SHAPE_SEGMENT:
        return 2u;
    default:
        return ap_vertex_count(shape);
    }
}

AP_INLINE uint32_t tag_of(const apart_shape *a, const apart_shape *b, ap_known known)
{
    const int kind_a = known.kind_a != APART_SHAPE_NONE ? known.kind_a : a->kind, kind_b = known.kind_b != APART_SHAPE_NONE ? known.kind_b : b->kind;
    return ap_tag_of(kind_a, kind_b, ap_known_dim(known, a->dim), count_vertices(a, known.kind_a), count_vertices(b, known.kind_b));
}

apart_status ap_pair_prepare(ap_pair *pair, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, int search)
{
    apart_status status = check_shapes(a, b);
    if (status != APART_OK) {
        return status;
    }
    ap_lanes defect_a, defect_b;
    const bool rotates_a = take_rotation(pose_a, &pair->rows_a, &defect_a);
    const bool rotates_b = take_rotation(pose_b, &pair->rows_b, &defect_b);
    const apart_vec3 offset = center_of_b(a, pose_a, b, pose_b);
    const double size = (a->bound + b->bound) + ((fabs(offset.x) + fabs(offset.y)) + fabs(offset.z));
    pair->radius = a->radius + b->radius;
    if (!rotates_a || !rotates_b || !(size <= DBL_MAX / 4.0) || !(pair->radius <= DBL_MAX / 4.0)) {
        status = check_pose(pose_a, rotates_a);
        status = status == APART_OK ? check_pose(pose_b, rotates_b) : status;
        return status == APART_OK ? APART_ERR_OVERFLOW : status;
    }
    if (a->dim == 2 && !(is_planar(pose_a) && is_planar(pose_b))) {
        return APART_ERR_DIMENSION;
    }
    pair->a = a;
    pair->b = b;
    pair->rotation_a = &pose_a->rotation;
    pair->rotation_b = &pose_b->rotation;
    pair->scale = ap_power_of_two_scale(size);
    pair->inverse_scale = 1.0 / pair->scale;
    pair->magnitude = pair->scale * size;
    ap_lanes_store(&pair->offset, ap_lanes_all(pair->scale) * ap_lanes_from(offset));
    pair->origin = center_of_a(a, pose_a);
    pair->dim = a->dim;
    pair->count_a = count_vertices(a, APART_SHAPE_NONE);
    pair->count_b = count_vertices(b, APART_SHAPE_NONE);
    pair->tag = tag_of(a, b, AP_NOTHING_KNOWN);
    pair->context = (ap_support_context){.scale = pair->scale, .search = search};
    pair->transformed = 0;
    pair->support_calls = 0;
    set_errors(pair, AP_NOTHING_KNOWN);
    pair->widening = pair->radius > 0.0 ? widen(a, defect_a, b, defect_b) : 0.0;
    return APART_OK;
}

void ap_pair_support(ap_pair *pair, apart_vec3 v, ap_simplex_vertex *out)
{
    ap_pair_support_lanes(pair, AP_NOTHING_KNOWN, ap_lanes_from(v), out->index_a, out->index_b, out);
}

void ap_pair_vertex(ap_pair *pair, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out)
{
    ap_pair_vertex_lanes(pair, AP_NOTHING_KNOWN, index_a, index_b, out);
}

apart_status ap_pair_status(const ap_pair *pair)
{
    if (!pair->broken) {
        return APART_OK;
    }
    return pair->vertices ? APART_ERR_OVERFLOW : APART_ERR_CALLBACK;
}
