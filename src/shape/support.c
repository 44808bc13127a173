/* The support point of any shape, and how its vertices are numbered (Lindemann 2009 sections 3.3 and 3.4, items L1 and
 * L3 of docs/papers.md).
 *
 * There are two switches: the most frequent shapes (point, segment, box, hull) are inlined into the query code
 * (support_lanes.h); for the others it calls the functions ..._rare here, which call those of the shape's family
 * (family.h). We differ from the paper in that all support points are relative to the shape's centre and scaled
 * (support.h says why). */
#include "family.h"
#include "support_lanes.h"

static apart_vec3 support_triangle(const apart_shape *shape, ap_support_context *context, apart_vec3 d,
                                   uint32_t *vertex)
{
    uint32_t best = 0;
    apart_vec3 point = ap_vertex(shape, context->scale, 0);
    double value = ap_dot(point, d);
    for (uint32_t i = 1; i < 3; i++) {
        const apart_vec3 other = ap_vertex(shape, context->scale, i);
        const double other_value = ap_dot(other, d);
        if (other_value > value) {
            best = i;
            point = other;
            value = other_value;
        }
    }
    context->count.visited += 3;
    *vertex = best;
    return point;
}

/* Are the numbers of all vertices those of the caller? Only hulls renumber their vertices. */
static bool keeps_numbers(const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_HULL: return false;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO: return keeps_numbers(shape->u.pair.first) && keeps_numbers(shape->u.pair.second);
    case APART_SHAPE_AFFINE: return keeps_numbers(shape->u.affine.child);
    default: return true;
    }
}

/* i * count(second) + j with the caller's i. If the second shape is renumbered, the caller's j may be larger than
 * count(second), and the number would be ambiguous. */
static uint32_t sum_input_index(const apart_shape *shape, uint32_t vertex)
{
    const apart_shape *second = shape->u.pair.second;
    const uint32_t count = ap_vertex_count(second);
    if (count == 0 || !keeps_numbers(second)) {
        return vertex;
    }
    const uint64_t number = (uint64_t)ap_input_index(shape->u.pair.first, vertex / count) * count + vertex % count;
    return number < APART_NO_INDEX ? (uint32_t)number : vertex;
}

/* i, or count(first) + j with the caller's j. If the first shape is renumbered, the caller's i may be larger than
 * count(first), and the number would be ambiguous. */
static uint32_t hull_of_two_input_index(const apart_shape *shape, uint32_t vertex)
{
    const uint32_t count = ap_vertex_count(shape->u.pair.first);
    if (vertex < count || !keeps_numbers(shape->u.pair.first)) {
        return vertex;
    }
    const uint64_t number = (uint64_t)count + ap_input_index(shape->u.pair.second, vertex - count);
    return number < APART_NO_INDEX ? (uint32_t)number : vertex;
}

/* A count of vertices, or 0 when there are too many to be numbered. */
static uint32_t checked_count(uint64_t count) { return count < APART_NO_INDEX ? (uint32_t)count : 0; }

static uint32_t pair_vertex_count(const apart_shape *shape)
{
    if (shape->flags & AP_CHILD_RADII) {
        return 0;
    }
    const uint64_t first = ap_vertex_count(shape->u.pair.first), second = ap_vertex_count(shape->u.pair.second);
    if (first == 0 || second == 0) {
        return 0;
    }
    return checked_count(shape->kind == APART_SHAPE_SUM ? first * second : first + second);
}

apart_vec3 ap_support(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    if (shape->kind == APART_SHAPE_HULL) { /* by call: inlined, the search is 20 kB of code */
        *vertex = ap_hull_support(shape->u.hull, context->search, *vertex, d, &context->count);
        return ap_vertex(shape, context->scale, *vertex);
    }
    const ap_lanes toward = ap_lanes_from(d);
    switch (shape->kind) {
    case APART_SHAPE_BOX:
        return ap_lanes_vec(ap_support_box_lanes(shape, shape->dim == 2, context->scale, toward, vertex));
    case APART_SHAPE_SEGMENT:
        return ap_lanes_vec(
            ap_support_lanes(shape, APART_SHAPE_SEGMENT, context->scale, false, context, toward, vertex));
    case APART_SHAPE_POINT:
        return ap_lanes_vec(ap_support_lanes(shape, APART_SHAPE_POINT, context->scale, false, context, toward, vertex));
    default: return ap_support_rare(shape, context, d, vertex);
    }
}

apart_vec3 ap_support_rare(const apart_shape *shape, ap_support_context *context, apart_vec3 d, uint32_t *vertex)
{
    switch (shape->kind) {
    case APART_SHAPE_TRIANGLE: return support_triangle(shape, context, d, vertex);
    case APART_SHAPE_POINTS: return ap_support_points(shape, context, d, vertex);
    case APART_SHAPE_SUM: return ap_support_sum(shape, context, d, vertex);
    case APART_SHAPE_HULL_OF_TWO: return ap_support_hull_of_two(shape, context, d, vertex);
    case APART_SHAPE_AFFINE: return ap_support_affine(shape, context, d, vertex);
    default: break;
    }
    *vertex = APART_NO_INDEX;
    switch (shape->kind) {
    case APART_SHAPE_CYLINDER: return ap_support_cylinder(shape, context->scale, d);
    case APART_SHAPE_CONE: return ap_support_cone(shape, context->scale, d);
    case APART_SHAPE_ELLIPSOID: return ap_support_ellipsoid(shape, context->scale, d);
    case APART_SHAPE_CALLBACK: return ap_support_callback(shape, context->scale, d);
    default: return ap_vec(0.0, 0.0, 0.0);
    }
}

uint32_t ap_vertex_count(const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_POINT: return 1;
    case APART_SHAPE_SEGMENT: return 2;
    case APART_SHAPE_TRIANGLE: return 3;
    case APART_SHAPE_BOX: return shape->dim == 2 ? 4 : 8;
    case APART_SHAPE_HULL: return shape->u.hull->vertex_count;
    case APART_SHAPE_POINTS: return checked_count(shape->u.points.count);
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO: return pair_vertex_count(shape);
    case APART_SHAPE_AFFINE: return shape->flags & AP_CHILD_RADII ? 0 : ap_vertex_count(shape->u.affine.child);
    default: return 0;
    }
}

apart_vec3 ap_vertex(const apart_shape *shape, double scale, uint32_t vertex)
{
    return ap_lanes_vec(ap_vertex_lanes(shape, APART_SHAPE_NONE, scale, vertex));
}

apart_vec3 ap_vertex_rare(const apart_shape *shape, double scale, uint32_t vertex)
{
    switch (shape->kind) {
    case APART_SHAPE_POINTS: return ap_vertex_points(shape, scale, vertex);
    case APART_SHAPE_SUM: return ap_vertex_sum(shape, scale, vertex);
    case APART_SHAPE_HULL_OF_TWO: return ap_vertex_hull_of_two(shape, scale, vertex);
    case APART_SHAPE_AFFINE: return ap_vertex_affine(shape, scale, vertex);
    default: return ap_vec(0.0, 0.0, 0.0);
    }
}

uint32_t ap_input_index(const apart_shape *shape, uint32_t vertex)
{
    if (vertex >= ap_vertex_count(shape)) {
        return APART_NO_INDEX;
    }
    switch (shape->kind) {
    case APART_SHAPE_HULL: return apart_hull_input_index(shape->u.hull, vertex);
    case APART_SHAPE_SUM: return sum_input_index(shape, vertex);
    case APART_SHAPE_HULL_OF_TWO: return hull_of_two_input_index(shape, vertex);
    case APART_SHAPE_AFFINE: return ap_input_index(shape->u.affine.child, vertex);
    default: return vertex;
    }
}
