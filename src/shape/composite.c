/* Shapes made of shapes: Minkowski sum, convex hull of two, affine image (Lindemann 2009 section 3.4, item L3 of
 * docs/papers.md); and shapes given by a callback.
 *
 * support(A + B) = support(A) + support(B); support(conv(A, B)) = the better one; support(L A + o)(d) = L support(A)(Lt
 * d) + o. We differ in that support points are relative to each shape's centre: a composite adds a shift, from its
 * children's centres to its own. The shift is rounded once, as if it were computed exactly, so that children far from
 * their origins may cancel.
 *
 * The rounding of a composite is added to its `error`, with u = eps/2, b the children's bounds and B its own bound
 * (which includes the shift). A rounded sum of vectors x + y is within u |x + y| of the exact one.
 *   sum     first + second, + shift, and the shift itself: 3 u B; in all <= 2 eps B
 *   hull    child + shift: 2 u B; the wrong child where values differ by less than their rounding: 8 u B; in all
 *           <= 6 eps B
 *   affine  with N >= |L| and |L|_F <= sqrt(3) N: the direction Lt d is within 3 sqrt(3) u N |d|, which costs twice
 *           that times b; the product L x is within 3 sqrt(3) u N b; together 16 u N b; + shift: 3 u B; in all
 *           <= 8 eps N b + 2 eps B. The double-double shift is within 2^-100 of its largest term, |L| |c| + |o|.
 * What hill climbing on a child that is a hull can miss is added too; a hull where that would be much is scanned
 * instead. */
#include "family.h"

/* Child hulls with a larger climb_loss (in eps * bound) are scanned. The limit is smaller than that of a query for a
 * hull by itself, because there a scan at the end can confirm the climb. */
static const double climb_loss_max = 64.0;

static const apart_vec3 origin = {0.0, 0.0, 0.0};

static bool is_origin(apart_vec3 a) { return a.x == 0.0 && a.y == 0.0 && a.z == 0.0; }

/* The bound of what the parent's core takes from the child: with or without its rounding radius. */
static double core_bound(const apart_shape *parent, const apart_shape *child)
{
    return parent->flags & AP_CHILD_RADII ? child->bound + child->radius : child->bound;
}

static bool is_climbed(const apart_shape *child)
{
    return child->kind == APART_SHAPE_HULL && child->u.hull->climb_loss <= climb_loss_max;
}

/* The largest error of a computed support point of the child's core. */
static double child_error(const apart_shape *child)
{
    return is_climbed(child) ? child->error + child->u.hull->climb_loss * DBL_EPSILON * child->bound : child->error;
}

/* The child's support point, with its rounding radius if that belongs to the parent's core. */
static apart_vec3 support_of_child(const apart_shape *parent, const apart_shape *child, ap_support_context *context,
                                   apart_vec3 d, uint32_t *vertex)
{
    const bool scan = child->kind == APART_SHAPE_HULL && !is_climbed(child);
    ap_support_context inner = {context->scale, scan ? APART_SUPPORT_SCAN : context->search, context->count};
    const apart_vec3 x = ap_support(child, &inner, d, vertex);
    context->count = inner.count;
    if (!(parent->flags & AP_CHILD_RADII)) {
        return x;
    }
    *vertex = APART_NO_INDEX;
    return ap_add(x, ap_along(context->scale * child->radius, d));
}

/* (a + b) - c rounded once. */
static double sum_minus(double a, double b, double c)
{
    return ap_dd_value(ap_dd_add(ap_two_sum(a, b), ap_dd_from(-c)));
}

/* The sum of the children's centres, relative to `center`. */
static apart_vec3 sum_shift(const apart_shape *shape, apart_vec3 center)
{
    const apart_vec3 a = shape->u.pair.first->center, b = shape->u.pair.second->center;
    if (is_origin(a) && is_origin(b)) {
        return origin;
    }
    return ap_vec(sum_minus(a.x, b.x, center.x), sum_minus(a.y, b.y, center.y), sum_minus(a.z, b.z, center.z));
}

/* From points of both children, relative to their centres, to a point of the sum, relative to its centre. Likewise the
 * next ones. */
static apart_vec3 place_in_sum(const apart_shape *shape, double scale, apart_vec3 x, apart_vec3 y)
{
    return ap_add(ap_add(x, y), ap_scale(scale, sum_shift(shape, shape->center)));
}

static apart_vec3 place_in_hull(const apart_shape *shape, const apart_shape *child, double scale, apart_vec3 x)
{
    return ap_add(x, ap_scale(scale, ap_sub(child->center, shape->center)));
}

/* row . c + offset - center rounded once. */
static double row_shift(apart_vec3 row, apart_vec3 c, double offset, double center)
{
    const ap_dd xy = ap_dd_add(ap_two_product(row.x, c.x), ap_two_product(row.y, c.y));
    const ap_dd image = ap_dd_add(xy, ap_two_product(row.z, c.z));
    return ap_dd_value(ap_dd_add(image, ap_two_sum(offset, -center)));
}

/* The image of the child's centre, relative to `center`. */
static apart_vec3 affine_shift(const apart_shape *shape, apart_vec3 center)
{
    const apart_vec3 c = shape->u.affine.child->center, o = shape->u.affine.offset;
    const apart_mat3 *m = &shape->u.affine.linear;
    if (is_origin(c)) {
        return ap_sub(o, center); /* the centre is the offset or the origin: exact */
    }
    return ap_vec(row_shift(ap_vec(m->x.x, m->y.x, m->z.x), c, o.x, center.x),
                  row_shift(ap_vec(m->x.y, m->y.y, m->z.y), c, o.y, center.y),
                  row_shift(ap_vec(m->x.z, m->y.z, m->z.z), c, o.z, center.z));
}

/* The power of two that brings the child to unit size: the child is evaluated at its own scale, whatever the map does
 * to it. */
static double child_scale(const apart_shape *shape)
{
    return ap_power_of_two_scale(core_bound(shape, shape->u.affine.child));
}

/* The map for a child at that scale; its entries have the size of the image. */
static apart_mat3 scaled_map(const apart_shape *shape)
{
    const double f = 1.0 / child_scale(shape);
    const apart_mat3 *m = &shape->u.affine.linear;
    return (apart_mat3){ap_scale(f, m->x), ap_scale(f, m->y), ap_scale(f, m->z)};
}

static apart_vec3 place_in_image(const apart_shape *shape, const apart_mat3 *map, double scale, apart_vec3 x)
{
    return ap_add(ap_scale(scale, ap_apply(map, x)), ap_scale(scale, affine_shift(shape, shape->center)));
}

/* An upper bound of max |L x| / |x|: the largest eigenvalue of LtL is at most its largest absolute row sum (Gershgorin;
 * tight for rotations and diagonal maps) and at most its trace. The third column of a planar map does not matter. */
static double map_norm(const apart_mat3 *linear, int dim)
{
    const apart_vec3 third = dim == 3 ? linear->z : origin;
    const double s =
        ap_power_of_two_scale(ap_max(ap_max(ap_max_abs(linear->x), ap_max_abs(linear->y)), ap_max_abs(third)));
    const apart_vec3 x = ap_scale(s, linear->x), y = ap_scale(s, linear->y), z = ap_scale(s, third);
    const double xx = ap_dot(x, x), yy = ap_dot(y, y), zz = ap_dot(z, z);
    const double xy = fabs(ap_dot(x, y)), yz = fabs(ap_dot(y, z)), zx = fabs(ap_dot(z, x));
    const double rows = ap_max(ap_max(xx + xy + zx, xy + yy + yz), zx + yz + zz);
    return ap_round_up(sqrt(ap_min(rows, xx + yy + zz) * (1.0 + 8.0 * DBL_EPSILON)) / s);
}

static apart_status check_child(const apart_shape *child)
{
    const apart_status status = apart_shape_check(child);
    if (status != APART_OK) {
        return status;
    }
    if (child->kind == APART_SHAPE_HALF_SPACE) {
        return APART_ERR_HALF_SPACE;
    }
    return child->nesting < APART_MAX_NESTING ? APART_OK : APART_ERR_NESTING;
}

/* A composite of two shapes; radius, centre, bound and error remain to be set. */
static apart_shape pair_of(apart_shape_kind kind, const apart_shape *first, const apart_shape *second)
{
    apart_status status = check_child(first);
    if (status == APART_OK) {
        status = check_child(second);
    }
    if (status == APART_OK && first->dim != second->dim) {
        status = APART_ERR_DIMENSION;
    }
    if (status != APART_OK) {
        return ap_shape_invalid(kind, 3, status);
    }
    apart_shape shape = ap_shape_new(kind, first->dim);
    shape.nesting = (uint8_t)((first->nesting > second->nesting ? first->nesting : second->nesting) + 1);
    shape.u.pair.first = first;
    shape.u.pair.second = second;
    return shape;
}

static bool keeps_plane(const apart_mat3 *linear, apart_vec3 offset)
{
    return linear->x.z == 0.0 && linear->y.z == 0.0 && linear->z.x == 0.0 && linear->z.y == 0.0 && offset.z == 0.0;
}

static apart_status check_affine(const apart_shape *child, const apart_mat3 *linear, apart_vec3 offset)
{
    const apart_status status = check_child(child);
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(linear->x) || !ap_finite(linear->y) || !ap_finite(linear->z) || !ap_finite(offset)) {
        return APART_ERR_NONFINITE;
    }
    return child->dim == 2 && !keeps_plane(linear, offset) ? APART_ERR_DIMENSION : APART_OK;
}

static apart_shape callback_shape(apart_callback callback, int dim)
{
    if (callback.support == NULL) {
        return ap_shape_invalid(APART_SHAPE_CALLBACK, dim, APART_ERR_NULL);
    }
    if (!ap_finite(callback.center) || !isfinite(callback.radius) || !isfinite(callback.error)) {
        return ap_shape_invalid(APART_SHAPE_CALLBACK, dim, APART_ERR_NONFINITE);
    }
    if (callback.radius < 0.0 || callback.error < 0.0) {
        return ap_shape_invalid(APART_SHAPE_CALLBACK, dim, APART_ERR_NEGATIVE_SIZE);
    }
    if (dim == 2 && callback.center.z != 0.0) {
        return ap_shape_invalid(APART_SHAPE_CALLBACK, dim, APART_ERR_DIMENSION);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_CALLBACK, dim);
    shape.u.callback = callback;
    ap_shape_place(&shape, callback.center, callback.radius, callback.radius + ap_norm(callback.center));
    shape.error = callback.error;
    return ap_shape_finish(&shape);
}

apart_vec3 ap_support_sum(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    const apart_shape *first = shape->u.pair.first, *second = shape->u.pair.second;
    const uint32_t count = ap_vertex_count(shape), stride = ap_vertex_count(second);
    uint32_t i = APART_NO_INDEX, j = APART_NO_INDEX;
    if (*vertex < count) {
        i = *vertex / stride;
        j = *vertex % stride;
    }
    const apart_vec3 x = support_of_child(shape, first, context, d, &i),
                     y = support_of_child(shape, second, context, d, &j);
    *vertex = count > 0 ? i * stride + j : APART_NO_INDEX;
    return place_in_sum(shape, context->scale, x, y);
}

apart_vec3 ap_support_hull_of_two(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    const apart_shape *first = shape->u.pair.first, *second = shape->u.pair.second;
    const uint32_t count = ap_vertex_count(shape), split = ap_vertex_count(first);
    const uint32_t start = *vertex < count ? *vertex : APART_NO_INDEX;
    uint32_t i = start < split ? start : APART_NO_INDEX;
    uint32_t j = start < count && start >= split ? start - split : APART_NO_INDEX;
    const apart_vec3 x = place_in_hull(shape, first, context->scale, support_of_child(shape, first, context, d, &i));
    const apart_vec3 y = place_in_hull(shape, second, context->scale, support_of_child(shape, second, context, d, &j));
    const bool take_second = ap_dot(y, d) > ap_dot(x, d);
    *vertex = APART_NO_INDEX;
    if (count > 0) {
        *vertex = take_second ? split + j : i;
    }
    return take_second ? y : x;
}

apart_vec3 ap_support_affine(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    const apart_mat3 map = scaled_map(shape);
    const apart_vec3 pulled = ap_apply_transposed(&map, d);
    const apart_vec3 direction = ap_scale(ap_power_of_two_scale(ap_max_abs(pulled)), pulled);
    ap_support_context inner = {child_scale(shape), context->search, context->count};
    const apart_vec3 x = support_of_child(shape, shape->u.affine.child, &inner, direction, vertex);
    context->count = inner.count;
    return place_in_image(shape, &map, context->scale, x);
}

apart_vec3 ap_support_callback(const apart_shape *shape, double scale, apart_vec3 d)
{
    const apart_callback *callback = &shape->u.callback;
    const apart_vec3 direction = is_origin(d) ? ap_vec(1.0, 0.0, 0.0) : d; /* the user is promised a direction */
    return ap_scale(scale, ap_sub(callback->support(callback->user, direction), shape->center));
}

apart_vec3 ap_vertex_sum(const apart_shape *shape, double scale, uint32_t vertex)
{
    const uint32_t stride = ap_vertex_count(shape->u.pair.second);
    const apart_vec3 x = ap_vertex(shape->u.pair.first, scale, vertex / stride);
    return place_in_sum(shape, scale, x, ap_vertex(shape->u.pair.second, scale, vertex % stride));
}

apart_vec3 ap_vertex_hull_of_two(const apart_shape *shape, double scale, uint32_t vertex)
{
    const uint32_t split = ap_vertex_count(shape->u.pair.first);
    const apart_shape *child = vertex < split ? shape->u.pair.first : shape->u.pair.second;
    return place_in_hull(shape, child, scale, ap_vertex(child, scale, vertex < split ? vertex : vertex - split));
}

apart_vec3 ap_vertex_affine(const apart_shape *shape, double scale, uint32_t vertex)
{
    const apart_mat3 map = scaled_map(shape);
    return place_in_image(shape, &map, scale, ap_vertex(shape->u.affine.child, child_scale(shape), vertex));
}

apart_shape apart_sum(const apart_shape *first, const apart_shape *second)
{
    apart_shape shape = pair_of(APART_SHAPE_SUM, first, second);
    if (shape.status != APART_OK) {
        return shape;
    }
    const apart_vec3 own = sum_shift(&shape, origin);
    const double size = first->bound + second->bound;
    ap_shape_place(&shape, own, size + ap_norm(sum_shift(&shape, own)), size + ap_norm(own));
    shape.radius = first->radius + second->radius;
    shape.error = child_error(first) + child_error(second) + 2.0 * DBL_EPSILON * shape.bound;
    return ap_shape_finish(&shape);
}

apart_shape apart_hull_of_two(const apart_shape *first, const apart_shape *second)
{
    apart_shape shape = pair_of(APART_SHAPE_HULL_OF_TWO, first, second);
    if (shape.status != APART_OK) {
        return shape;
    }
    if (first->radius == second->radius) {
        shape.radius = first->radius;
    } else {
        shape.flags = AP_CHILD_RADII;
    }
    const apart_vec3 own = ap_add(ap_scale(0.5, first->center), ap_scale(0.5, second->center));
    const double one = core_bound(&shape, first), two = core_bound(&shape, second);
    const double own_bound =
        ap_max(one + ap_norm(ap_sub(first->center, own)), two + ap_norm(ap_sub(second->center, own)));
    ap_shape_place(&shape, own, own_bound, ap_max(one + ap_norm(first->center), two + ap_norm(second->center)));
    shape.error = ap_max(child_error(first), child_error(second)) + 6.0 * DBL_EPSILON * shape.bound;
    return ap_shape_finish(&shape);
}

apart_shape apart_affine(const apart_shape *child, apart_mat3 linear, apart_vec3 offset)
{
    const apart_status status = check_affine(child, &linear, offset);
    if (status != APART_OK) {
        return ap_shape_invalid(APART_SHAPE_AFFINE, 3, status);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_AFFINE, child->dim);
    shape.nesting = (uint8_t)(child->nesting + 1);
    shape.flags = child->radius > 0.0 ? AP_CHILD_RADII : 0u;
    shape.u.affine.child = child;
    shape.u.affine.linear = linear;
    shape.u.affine.offset = offset;
    const double norm = map_norm(&linear, child->dim), size = norm * core_bound(&shape, child);
    const apart_vec3 own = affine_shift(&shape, origin);
    ap_shape_place(&shape, own, size + ap_norm(affine_shift(&shape, own)), size + ap_norm(own));
    const double shift_terms = norm * ap_norm(child->center) + ap_norm(offset);
    shape.error =
        norm * child_error(child) + 8.0 * DBL_EPSILON * size + 2.0 * DBL_EPSILON * shape.bound + 0x1p-100 * shift_terms;
    return ap_shape_finish(&shape);
}

apart_shape apart_callback_shape(apart_callback callback) { return callback_shape(callback, 3); }

apart_shape apart_callback_shape_2d(apart_callback callback) { return callback_shape(callback, 2); }
