/* Point sets without adjacency: every support point is found by a scan. The centre is subtracted from coordinates
 * before they are multiplied, so that a small set far from its origin (an offset of 1e8, say) keeps its accuracy. The
 * lowest index wins ties.
 *
 * Accuracy: the coordinates are right to half an eps, each dot product to 4 eps/2 more times |x||d|; so if a scan
 * returns the wrong one of two points, their values differ by less than 4 eps * bound * |d|. */
#include "family.h"

static inline apart_vec3 given_point(const double *coordinates, size_t dim, size_t i)
{
    const double *x = coordinates + i * dim;
    return ap_vec(x[0], x[1], dim == 3 ? x[2] : 0.0);
}

static inline apart_vec3 relative_point(const apart_shape *shape, size_t dim, double scale, size_t i)
{
    return ap_scale(scale, ap_sub(given_point(shape->u.points.coordinates, dim, i), shape->center));
}

/* The index of the support point. Called with a constant dim, so that the compiler makes a loop for 2D and one for
 * 3D. */
static inline size_t scan_points(const apart_shape *shape, size_t dim, double scale, apart_vec3 d)
{
    size_t best = 0;
    double best_value = ap_dot(relative_point(shape, dim, scale, 0), d);
    for (size_t i = 1; i < shape->u.points.count; i++) {
        const double value = ap_dot(relative_point(shape, dim, scale, i), d);
        if (value > best_value) {
            best = i;
            best_value = value;
        }
    }
    return best;
}

/* The bounding box of the points; false if a coordinate is not finite. */
static bool bounding_box(const double *coordinates, size_t dim, size_t n, apart_aabb *out)
{
    apart_aabb box = {given_point(coordinates, dim, 0), given_point(coordinates, dim, 0)};
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = given_point(coordinates, dim, i);
        if (!ap_finite(p)) {
            return false;
        }
        box.min = ap_vec(ap_min(box.min.x, p.x), ap_min(box.min.y, p.y), ap_min(box.min.z, p.z));
        box.max = ap_vec(ap_max(box.max.x, p.x), ap_max(box.max.y, p.y), ap_max(box.max.z, p.z));
    }
    *out = box;
    return true;
}

/* The largest distance from c; the largest coordinate difference is at most `size`. */
static double largest_distance(const double *coordinates, size_t dim, size_t n, apart_vec3 c, double size)
{
    const double s = ap_power_of_two_scale(size);
    double square = 0.0;
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 x = ap_scale(s, ap_sub(given_point(coordinates, dim, i), c));
        square = ap_max(square, ap_dot(x, x));
    }
    return sqrt(square) / s;
}

static apart_shape point_set(const double *coordinates, int dim, size_t n)
{
    if (n == 0) {
        return ap_shape_invalid(APART_SHAPE_POINTS, dim, APART_ERR_EMPTY);
    }
    if (coordinates == NULL) {
        return ap_shape_invalid(APART_SHAPE_POINTS, dim, APART_ERR_NULL);
    }
    const size_t stride = (size_t)dim;
    apart_aabb box;
    if (!bounding_box(coordinates, stride, n, &box)) {
        return ap_shape_invalid(APART_SHAPE_POINTS, dim, APART_ERR_NONFINITE);
    }
    apart_shape shape = ap_shape_new(APART_SHAPE_POINTS, dim);
    shape.u.points.coordinates = coordinates;
    shape.u.points.count = n;
    const apart_vec3 own = ap_add(ap_scale(0.5, box.min), ap_scale(0.5, box.max));
    const double size = ap_max_abs(ap_sub(box.max, own)),
                 from_origin = ap_max(ap_max_abs(box.min), ap_max_abs(box.max));
    const double own_bound = largest_distance(coordinates, stride, n, own, size);
    const double origin_bound = largest_distance(coordinates, stride, n, ap_vec(0.0, 0.0, 0.0), from_origin);
    ap_shape_place(&shape, own, own_bound, origin_bound);
    return ap_shape_finish(&shape);
}

apart_vec3 ap_support_points(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    const size_t count = shape->u.points.count;
    const size_t best =
        shape->dim == 3 ? scan_points(shape, 3, context->scale, d) : scan_points(shape, 2, context->scale, d);
    context->count.visited += (uint32_t)count;
    *vertex = count < APART_NO_INDEX ? (uint32_t)best : APART_NO_INDEX;
    return ap_vertex_points(shape, context->scale, best);
}

apart_vec3 ap_vertex_points(const apart_shape *shape, double scale, size_t i)
{
    return relative_point(shape, shape->dim, scale, i);
}

apart_shape apart_points(const double *xyz, size_t n) { return point_set(xyz, 3, n); }

apart_shape apart_polygon(const double *xy, size_t n) { return point_set(xy, 2, n); }
