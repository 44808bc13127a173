/* Prepares two bodies for a query: checks, common frame, scale, error constants. */
#include "pair.h"

#include <float.h>

/* A rotation this far from orthogonal is refused (design, rules of the numbers). */
#define ROTATION_LIMIT 1e-6

static apart_status check_rotation(const apart_pose *pose, double *defect)
{
    bool proper;
    *defect = ap_rotation_defect(&pose->rotation, &proper);
    if (*defect <= ROTATION_LIMIT && proper && ap_finite(pose->translation)) {
        return APART_OK;
    }
    const apart_mat3 *r = &pose->rotation;
    const bool finite = ap_finite(r->x) && ap_finite(r->y) && ap_finite(r->z) && ap_finite(pose->translation);
    return finite ? APART_ERR_ROTATION : APART_ERR_NONFINITE;
}

/* A 2D body stays in its plane: rotation about z, no z translation. */
static bool is_planar(const apart_pose *pose)
{
    const apart_mat3 *r = &pose->rotation;
    return r->x.z == 0.0 && r->y.z == 0.0 && r->z.x == 0.0 && r->z.y == 0.0 && r->z.z == 1.0 && pose->translation.z == 0.0;
}

static apart_status check_shapes(const apart_shape *a, const apart_shape *b)
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

/* sign * (row of R) . c added to a double-double. */
static ap_dd add_rotated(ap_dd sum, double sign, double rx, double ry, double rz, apart_vec3 c)
{
    sum = ap_dd_add(sum, ap_two_product(sign * rx, c.x));
    sum = ap_dd_add(sum, ap_two_product(sign * ry, c.y));
    return ap_dd_add(sum, ap_two_product(sign * rz, c.z));
}

/* (R_B c_B + t_B) - (R_A c_A + t_A) with one rounding, so that a common offset of both bodies costs nothing. */
static apart_vec3 center_difference(const apart_shape *a, const apart_pose *pa, const apart_shape *b, const apart_pose *pb)
{
    const apart_vec3 ca = a->center, cb = b->center;
    if (ap_max(ap_max_abs(ca), ap_max_abs(cb)) == 0.0) {
        return ap_sub(pb->translation, pa->translation);
    }
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

/* What a climb on this body can miss, scaled; asks for confirmation where that is too much. */
static double climb_error(ap_pair *pair, const apart_shape *shape)
{
    if (shape->kind != APART_SHAPE_HULL || pair->context.search == APART_SUPPORT_SCAN) {
        return 0.0;
    }
    const double loss = shape->u.hull->climb_loss;
    if (!(loss <= AP_CLIMB_LOSS_MAX)) {
        pair->confirm = true;
        return 0.0;
    }
    return loss * (2.0 * AP_UNIT_ROUNDOFF) * (pair->scale * shape->bound);
}

static void set_errors(ap_pair *pair, double defect_a, double defect_b)
{
    const apart_shape *a = pair->a, *b = pair->b;
    const bool curved_a = pair->count_a == 0, curved_b = pair->count_b == 0;
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    const double supports = pair->scale * a->error + pair->scale * b->error;
    const double curved = AP_CURVED_ERROR * unit * ((curved_a ? 1.0 : 0.0) + (curved_b ? 1.0 : 0.0));
    pair->vertices = !curved_a && !curved_b;
    pair->confirm = false;
    pair->broken = false;
    pair->support_error = AP_LOWER_ERROR * unit + curved + supports;
    pair->climb_error = climb_error(pair, a) + climb_error(pair, b);
    pair->upper_error = AP_UPPER_ERROR * unit + curved + supports;
    /* A ball of radius r under a matrix with |RtR - I| <= d per entry is an ellipsoid within 3/2 d r of it. */
    pair->widening = 2.0 * (defect_a * a->radius + defect_b * b->radius);
}

apart_status ap_pair_prepare(ap_pair *pair, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                             const apart_pose *pose_b, int search)
{
    double defect_a, defect_b;
    apart_status status = check_shapes(a, b);
    if (status == APART_OK) {
        status = check_rotation(pose_a, &defect_a);
    }
    if (status == APART_OK) {
        status = check_rotation(pose_b, &defect_b);
    }
    if (status != APART_OK) {
        return status;
    }
    if (a->dim == 2 && !(is_planar(pose_a) && is_planar(pose_b))) {
        return APART_ERR_DIMENSION;
    }
    const apart_vec3 offset = center_difference(a, pose_a, b, pose_b);
    const double size = (a->bound + b->bound) + ((fabs(offset.x) + fabs(offset.y)) + fabs(offset.z));
    pair->radius = a->radius + b->radius;
    if (!(size <= DBL_MAX / 4.0) || !(pair->radius <= DBL_MAX / 4.0)) {
        return APART_ERR_OVERFLOW;
    }
    pair->a = a;
    pair->b = b;
    pair->rotation_a = &pose_a->rotation;
    pair->rotation_b = &pose_b->rotation;
    pair->scale = ap_power_of_two_scale(size);
    pair->inverse_scale = 1.0 / pair->scale;
    pair->magnitude = pair->scale * size;
    pair->offset = ap_scale(pair->scale, offset);
    pair->origin = ap_add(ap_apply(&pose_a->rotation, a->center), pose_a->translation);
    pair->dim = a->dim;
    pair->count_a = ap_vertex_count(a);
    pair->count_b = ap_vertex_count(b);
    pair->context = (ap_support_context){.scale = pair->scale, .search = search};
    pair->transformed = 0;
    pair->support_calls = 0;
    set_errors(pair, defect_a, defect_b);
    return APART_OK;
}

static void to_query_frame(ap_pair *pair, apart_vec3 local_a, apart_vec3 local_b, ap_simplex_vertex *out)
{
    pair->transformed += 2;
    out->a = ap_apply(pair->rotation_a, local_a);
    out->b = ap_add(ap_apply(pair->rotation_b, local_b), pair->offset);
    out->w = ap_sub(out->b, out->a);
    if (!ap_finite(out->w)) {
        pair->broken = true; /* the query goes on with a harmless point and ends with a status */
        out->a = out->b = out->w = ap_vec(0.0, 0.0, 0.0);
    }
}

void ap_pair_support(ap_pair *pair, apart_vec3 v, ap_simplex_vertex *out)
{
    const apart_vec3 toward_b = ap_apply_transposed(pair->rotation_a, v);
    const apart_vec3 toward_a = ap_neg(ap_apply_transposed(pair->rotation_b, v));
    const apart_vec3 local_a = ap_support(pair->a, &pair->context, toward_b, &out->index_a);
    const apart_vec3 local_b = ap_support(pair->b, &pair->context, toward_a, &out->index_b);
    pair->support_calls += 2;
    to_query_frame(pair, local_a, local_b, out);
}

void ap_pair_vertex(ap_pair *pair, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out)
{
    out->index_a = index_a;
    out->index_b = index_b;
    to_query_frame(pair, ap_vertex(pair->a, pair->scale, index_a), ap_vertex(pair->b, pair->scale, index_b), out);
}

apart_vec3 ap_pair_world(const ap_pair *pair, apart_vec3 p) { return ap_add(pair->origin, ap_scale(pair->inverse_scale, p)); }

uint32_t ap_pair_tag(const ap_pair *pair)
{
    const uint32_t kinds = (uint32_t)pair->a->kind << 16 | (uint32_t)pair->b->kind << 8 | (uint32_t)pair->dim;
    uint32_t hash = (2166136261u ^ kinds) * 16777619u;
    hash = (hash ^ pair->count_a) * 16777619u;
    hash = (hash ^ pair->count_b) * 16777619u;
    return hash | 1u;
}

apart_status ap_pair_status(const ap_pair *pair)
{
    if (!pair->broken) {
        return APART_OK;
    }
    return pair->vertices ? APART_ERR_OVERFLOW : APART_ERR_CALLBACK;
}
