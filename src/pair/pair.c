/* Prepares any two bodies for a query: checks, common frame, scale, error constants. */
#include "pair.h"

#include <float.h>

const apart_options ap_default_options;

static apart_status check_shapes(const apart_shape *a, const apart_shape *b)
{
    if (a->kind == APART_SHAPE_NONE || a->kind > APART_SHAPE_CALLBACK || b->kind == APART_SHAPE_NONE ||
        b->kind > APART_SHAPE_CALLBACK) {
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

/* What is wrong with a pose, if anything. */
static AP_RARE apart_status check_pose(const apart_pose *pose, bool rotates)
{
    const apart_mat3 *r = &pose->rotation;
    const bool finite = ap_finite(r->x) && ap_finite(r->y) && ap_finite(r->z) && ap_finite(pose->translation);
    return !finite ? APART_ERR_NONFINITE : rotates ? APART_OK : APART_ERR_ROTATION;
}

/* ---- the frame ---- */

/* All bits but the signs. */
static bool is_zero(const apart_vec3 *v)
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

AP_RARE apart_vec3 ap_pair_between(const apart_pose *pose_a, apart_vec3 ca, const apart_pose *pose_b, apart_vec3 cb)
{
    const apart_vec3 ta = pose_a->translation, tb = pose_b->translation;
    const apart_mat3 *ra = &pose_a->rotation, *rb = &pose_b->rotation;
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

static void set_centers(ap_centers *c, const ap_query *q)
{
    const apart_shape *a = q->a;
    const bool centred = is_zero(&a->center) && is_zero(&q->b->center);
    const apart_vec3 offset = centred ? ap_sub(q->pose_b->translation, q->pose_a->translation)
                                      : ap_pair_between(q->pose_a, a->center, q->pose_b, q->b->center);
    const apart_vec3 own = ap_add(ap_apply(&q->pose_a->rotation, a->center), q->pose_a->translation);
    c->offset = ap_lanes_from(offset);
    c->origin = ap_lanes_from(is_zero(&a->center) ? q->pose_a->translation : own);
    c->size = (a->bound + q->b->bound) + ((fabs(offset.x) + fabs(offset.y)) + fabs(offset.z));
}

AP_RARE bool ap_pair_find_centers(ap_centers *centers, const ap_query *q)
{
    ap_lanes3 rows;
    ap_lanes defect;
    if (!ap_rotation_read(&q->pose_a->rotation, &rows, &defect) ||
        !ap_rotation_read(&q->pose_b->rotation, &rows, &defect)) {
        return false;
    }
    set_centers(centers, q);
    return true;
}

static void rescale_vertices(ap_vertices *v, double s)
{
    for (uint32_t i = 0; i < v->blocks; i++) {
        v->x[i] = ap_lanes_mul(v->x[i], ap_lanes_all(s));
        v->y[i] = ap_lanes_mul(v->y[i], ap_lanes_all(s));
        v->z[i] = ap_lanes_mul(v->z[i], ap_lanes_all(s));
    }
}

double ap_pair_rescale(ap_pair *pair, ap_simplex *simplex)
{
    const double s = ap_power_of_two_scale(pair->magnitude);
    pair->scale *= s;
    pair->inverse_scale = 1.0 / pair->scale;
    pair->context.scale = pair->scale;
    pair->magnitude *= s;
    pair->lower_error *= s;
    pair->support_error *= s;
    pair->climb_error *= s;
    pair->upper_error *= s;
    ap_lanes_store(&pair->offset, ap_lanes_scale(s, ap_lanes_load(&pair->offset)));
    if (pair->sets != NULL && s != 1.0) {
        rescale_vertices(&pair->sets->a, s);
        rescale_vertices(&pair->sets->b, s);
    }
    for (int i = 0; i < 4; i++) {
        ap_simplex_vertex *p = &simplex->vertex[i];
        ap_lanes_store(&p->w, ap_lanes_scale(s, ap_lanes_load(&p->w)));
        ap_lanes_store(&p->a, ap_lanes_scale(s, ap_lanes_load(&p->a)));
        ap_lanes_store(&p->b, ap_lanes_scale(s, ap_lanes_load(&p->b)));
    }
    return s;
}

/* ---- errors ---- */

static void set_errors(ap_pair *pair)
{
    const double curved_bodies = (pair->count_a == 0 ? 1.0 : 0.0) + (pair->count_b == 0 ? 1.0 : 0.0);
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    const double supports = pair->scale * (pair->a->error + pair->b->error);
    const double curved = AP_CURVED_ERROR * unit * curved_bodies;
    const int search = pair->context.search;
    pair->support_error = AP_LOWER_ERROR * unit + curved + supports;
    pair->upper_error = AP_UPPER_ERROR * unit + curved + supports;
    pair->vertices = curved_bodies == 0.0;
    pair->broken = pair->confirm = pair->guesses = false;
    pair->climb_error =
        ap_climb_error(pair, pair->a, search, pair->scale) + ap_climb_error(pair, pair->b, search, pair->scale);
    pair->lower_error = pair->support_error + pair->climb_error;
}

apart_status ap_pair_prepare(ap_pair *pair, const ap_query *q, int search)
{
    apart_status status = check_shapes(q->a, q->b);
    if (status != APART_OK) {
        return status;
    }
    ap_lanes defect_a, defect_b;
    ap_centers c;
    const bool rotates_a = ap_rotation_read(&q->pose_a->rotation, &pair->rows_a, &defect_a);
    const bool rotates_b = ap_rotation_read(&q->pose_b->rotation, &pair->rows_b, &defect_b);
    set_centers(&c, q);
    pair->radius = q->a->radius + q->b->radius;
    if (!rotates_a || !rotates_b || !(c.size <= DBL_MAX / 4.0) || !(pair->radius <= DBL_MAX / 4.0)) {
        status = check_pose(q->pose_a, rotates_a);
        status = status == APART_OK ? check_pose(q->pose_b, rotates_b) : status;
        return status == APART_OK ? APART_ERR_OVERFLOW : status;
    }
    if (q->a->dim == 2 && !(ap_pose_is_planar(q->pose_a) && ap_pose_is_planar(q->pose_b))) {
        return APART_ERR_DIMENSION;
    }
    pair->a = q->a;
    pair->b = q->b;
    pair->rotation_a = &q->pose_a->rotation;
    pair->rotation_b = &q->pose_b->rotation;
    pair->scale = ap_power_of_two_scale(c.size);
    pair->inverse_scale = 1.0 / pair->scale;
    pair->magnitude = pair->scale * c.size;
    ap_lanes_store(&pair->offset, ap_lanes_scale(pair->scale, c.offset));
    ap_lanes_store(&pair->origin, c.origin);
    pair->dim = q->a->dim;
    pair->count_a = ap_vertex_count(q->a);
    pair->count_b = ap_vertex_count(q->b);
    pair->context = (ap_support_context){.scale = pair->scale, .search = search};
    pair->transformed = 0;
    pair->support_calls = 0;
    pair->sets = NULL;
    set_errors(pair);
    pair->widening = pair->radius > 0.0 ? ap_pair_widening(q, defect_a, defect_b) : 0.0;
    return APART_OK;
}

apart_status ap_pair_status(const ap_pair *pair)
{
    if (!pair->broken) {
        return APART_OK;
    }
    return pair->vertices ? APART_ERR_OVERFLOW : APART_ERR_CALLBACK;
}

/* ---- supports for the code that is not a template ---- */

AP_INLINE ap_lanes support_of(ap_pair *pair, const apart_shape *shape, bool default_search, ap_lanes d,
                              uint32_t *vertex)
{
    return ap_support_lanes(shape, APART_SHAPE_NONE, pair->scale, default_search, &pair->context, d, vertex);
}

ap_lanes ap_pair_support_any(ap_pair *pair, bool default_search, ap_lanes v, uint32_t hint_a, uint32_t hint_b,
                             ap_simplex_vertex *out)
{
    const ap_lanes toward_b = ap_lanes_apply(&pair->rows_a, v),
                   toward_a = ap_lanes_neg(ap_lanes_apply(&pair->rows_b, v));
    const ap_lanes local_a = support_of(pair, pair->a, default_search, toward_b, &hint_a);
    const ap_lanes local_b = support_of(pair, pair->b, default_search, toward_a, &hint_b);
    pair->support_calls += default_search ? 0 : 2;
    return ap_pair_place(pair, default_search ? AP_ANY_SHAPES : AP_ANY_PAIR, local_a, local_b, hint_a, hint_b, out);
}

void ap_pair_support(ap_pair *pair, apart_vec3 v, ap_simplex_vertex *out)
{
    ap_pair_support_any(pair, false, ap_lanes_from(v), out->index_a, out->index_b, out);
}

void ap_pair_vertex(ap_pair *pair, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out)
{
    ap_pair_vertex_lanes(pair, AP_ANY_PAIR, index_a, index_b, out);
}

const ap_vertex_sets *ap_pair_transform(ap_pair *pair, ap_vertex_sets *memory)
{
    if (pair->sets != NULL) {
        return pair->sets;
    }
    const ap_lanes offset = ap_lanes_load(&pair->offset);
    ap_vertices_transform(&memory->a, AP_MOST_TRANSFORMED, pair->a->u.hull, pair->rotation_a, pair->scale, false,
                          offset);
    ap_vertices_transform(&memory->b, AP_MOST_TRANSFORMED, pair->b->u.hull, pair->rotation_b, pair->scale, true,
                          offset);
    pair->transformed += pair->count_a + pair->count_b;
    return memory;
}
