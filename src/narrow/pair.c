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

/* Columns of length one whose third is the cross product of the others, to this much, are a rotation far within AP_ROTATION_LIMIT: the
 * square of the first two's product is |x|^2 |y|^2 - |x x y|^2 < 8 * 1e-14. Matrices in single precision are not, and take the long way. */
#define CLEAR_ROTATION 1e-14

/* How far the columns are from that, lane by lane, and the transposed matrix. A number that is not finite makes a lane so: it stands in
 * the twist, and ap_lanes_max keeps a NaN of its second argument. */
AP_INLINE ap_lanes rotation_error(const apart_mat3 *m, ap_lanes3 *rows)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes3 t = ap_lanes_transpose(x, y, z, z);
    *rows = t;
    return ap_lanes_max(ap_lanes_abs(ap_lanes3_dot(t, t) - ap_lanes_all(1.0)), ap_lanes_abs(ap_lanes_cross(x, y) - z));
}

/* Sizes between these are computed with as they are: the products of six of them are far from the ends of the doubles' range. */
#define LEAST_ORDINARY 0x1p-64
#define MOST_ORDINARY 0x1p+64

/* What queries meet most: bodies in space of ordinary size. */
typedef struct ordinary_pair {
    ap_lanes3 rows_a, rows_b; /* the transposed rotations */
    ap_lanes offset;          /* from A's centre to B's */
    ap_lanes origin;          /* A's centre in the world */
    double size, radius;      /* M and the sum of the radii */
    bool clear;               /* the bodies are about their own origins, and their matrices rotations at a glance */
} ordinary_pair;

/* False: something is different, and nothing can be said. A->dim is known to be 3. If not `clear`, look_closer() must have its say. */
AP_INLINE bool is_ordinary(ordinary_pair *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const ap_lanes error = rotation_error(&pose_a->rotation, &p->rows_a) + rotation_error(&pose_b->rotation, &p->rows_b);
    const ap_mask centred = (ap_lanes_load(&a->center) == ap_lanes_all(0.0)) & (ap_lanes_load(&b->center) == ap_lanes_all(0.0));
    /* The translation in the lanes 1 to 3, so that nothing behind the pose is read. */
    const ap_lanes origin = ap_lanes_load(&pose_a->rotation.z.z), offset = ap_lanes_load(&pose_b->rotation.z.z) - origin;
    const ap_lanes reach = ap_lanes_abs(offset);
    p->offset = AP_SHUFFLE(offset, 1, 2, 3, 3);
    p->origin = AP_SHUFFLE(origin, 1, 2, 3, 3);
    p->size = (a->bound + b->bound) + ((reach[1] + reach[2]) + reach[3]);
    p->radius = a->radius + b->radius;
    p->clear = (ap_mask_bits((error <= ap_lanes_all(CLEAR_ROTATION)) & centred) & 7u) == 7u;
    return p->size > LEAST_ORDINARY && p->size < MOST_ORDINARY && p->radius < MOST_ORDINARY && (a->status | b->status) == APART_OK &&
           b->dim == 3;
}

/* Where the centres are; apart from the rest, so that only this goes through memory. */
typedef struct closer_look {
    ap_lanes offset, origin;
    double size;
} closer_look;

/* For matrices that are rotations on a second look only, those in single precision for example, and bodies far from their own origins. */
static AP_RARE bool look_closer(closer_look *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    ap_lanes3 rows;
    ap_lanes defect;
    if (!take_rotation(pose_a, &rows, &defect) || !take_rotation(pose_b, &rows, &defect)) {
        return false;
    }
    const apart_vec3 offset = center_of_b(a, pose_a, b, pose_b);
    p->offset = ap_lanes_from(offset);
    p->origin = ap_lanes_from(center_of_a(a, pose_a));
    p->size = (a->bound + b->bound) + ((fabs(offset.x) + fabs(offset.y)) + fabs(offset.z));
    return p->size > LEAST_ORDINARY && p->size < MOST_ORDINARY;
}

/* One coordinate of two blocks of vertices from a row of the matrix; moved: and by so much in that direction. */
AP_INLINE void lay_row(ap_lanes *laid, const ap_lanes3 local[2], double mx, double my, double mz, bool moved, double by)
{
    const ap_lanes x = ap_lanes_all(mx), y = ap_lanes_all(my), z = ap_lanes_all(mz);
    for (int i = 0; i < 2; i++) {
        const ap_lanes turned = (x * local[i].x + y * local[i].y) + z * local[i].z;
        laid[i] = moved ? turned + ap_lanes_all(by) : turned;
    }
}

AP_INLINE void lay_hull(ap_laid *laid, ap_known known, const apart_hull *hull, const apart_mat3 *m, bool moved, ap_lanes offset)
{
    const double *x = ap_hull_x(hull);
    const size_t padded = hull->padded_count;
    laid->last = hull->padded_count - AP_LANES;
    const uint32_t rounds = ap_laid_rounds(laid, known);
    for (uint32_t i = 0; i < 2 * rounds; i += 2) {
        const double *first = x + AP_LANES * i, *second = x + ap_laid_second(laid, known, i);
        const ap_lanes3 local[2] = {{ap_lanes_load(first), ap_lanes_load(first + padded), ap_lanes_load(first + 2 * padded)},
                                    {ap_lanes_load(second), ap_lanes_load(second + padded), ap_lanes_load(second + 2 * padded)}};
        lay_row(laid->x + i, local, m->x.x, m->y.x, m->z.x, moved, offset[0]);
        lay_row(laid->y + i, local, m->x.y, m->y.y, m->z.y, moved, offset[1]);
        lay_row(laid->z + i, local, m->x.z, m->y.z, m->z.z, moved, offset[2]);
    }
}

/* Ordinary bodies of known kinds with numbered vertices, without anything that wants care unless that is known: as much of the pair as the plain loop wants, the rest is ap_pair_complete()'s. The same numbers as by ap_pair_prepare, but for the scale; false: it must do it. */
AP_INLINE bool prepare_quickly(ap_pair *pair, ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                               const apart_pose *pose_b)
{
    ordinary_pair p;
    if (!is_ordinary(&p, a, pose_a, b, pose_b) || (!known.careful && !(p.clear && p.radius == 0.0))) {
        return false;
    }
    if (known.careful && !p.clear) {
        closer_look closer;
        if (!look_closer(&closer, a, pose_a, b, pose_b)) {
            return false;
        }
        p.offset = closer.offset;
        p.origin = closer.origin;
        p.size = closer.size;
    }
    pair->a = a;
    pair->b = b;
    pair->rotation_a = &pose_a->rotation;
    pair->rotation_b = &pose_b->rotation;
    ap_lanes_store(&pair->offset, p.offset);
    pair->magnitude = p.size;
    pair->radius = p.radius;
    pair->widening = known.careful ? widen(a, rotation_defect(&p.rows_a), b, rotation_defect(&p.rows_b)) : 0.0;
    ap_lanes_store(&pair->origin, p.origin);
    set_errors(pair, known);
    if (known.laid > 0) {
        lay_hull(&pair->laid_a, known, a->u.hull, &pose_a->rotation, false, p.offset);
        lay_hull(&pair->laid_b, known, b->u.hull, &pose_b->rotation, true, p.offset);
    } else {
        pair->rows_a = p.rows_a;
        pair->rows_b = p.rows_b;
    }
    return true;
}

AP_RARE void ap_pair_complete(ap_pair *pair, int search)
{
    const apart_mat3 *a = pair->rotation_a, *b = pair->rotation_b;
    pair->rows_a = ap_lanes_transpose(ap_lanes_load(&a->x), ap_lanes_load(&a->y), ap_lanes_load(&a->z), ap_lanes_load(&a->z));
    pair->rows_b = ap_lanes_transpose(ap_lanes_load(&b->x), ap_lanes_load(&b->y), ap_lanes_load(&b->z), ap_lanes_load(&b->z));
    pair->scale = 1.0;
    pair->inverse_scale = 1.0;
    pair->dim = 3;
    pair->count_a = count_vertices(pair->a, APART_SHAPE_NONE);
    pair->count_b = count_vertices(pair->b, APART_SHAPE_NONE);
    pair->tag = tag_of(pair->a, pair->b, AP_NOTHING_KNOWN);
    pair->context = (ap_support_context){.scale = 1.0, .search = search};
    pair->transformed = 0;
    pair->support_calls = 0;
    set_errors(pair, AP_NOTHING_KNOWN);
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
