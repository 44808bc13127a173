/* What all shapes have in common: how they are made, rounded, checked and named, and where their centre is. */
#include "family.h"

static const apart_vec3 origin = {0.0, 0.0, 0.0};

apart_shape ap_shape_new(apart_shape_kind kind, int dim)
{
    return (apart_shape){.kind = (uint8_t)kind, .dim = (uint8_t)dim};
}

apart_shape ap_shape_invalid(apart_shape_kind kind, int dim, apart_status status)
{
    return (apart_shape){.kind = (uint8_t)kind, .dim = (uint8_t)dim, .status = (int32_t)status};
}

double ap_round_up(double x)
{
    /* Eight roundings are at most 4 eps, the product here is a ninth one; among subnormal numbers a rounding is at most
     * half the smallest, 2^-1074. */
    return x > 0.0 ? x * (1.0 + 5.0 * DBL_EPSILON) + 0x1p-1074 : 0.0;
}

void ap_shape_place(apart_shape *shape, apart_vec3 own, double own_bound, double origin_bound)
{
    const bool is_far = ap_norm(own) > AP_FAR * own_bound;
    shape->center = is_far ? own : origin;
    shape->bound = ap_round_up(is_far ? own_bound : origin_bound);
}

apart_shape ap_shape_finish(const apart_shape *shape)
{
    if (!isfinite(shape->radius) || !isfinite(shape->bound) || !isfinite(shape->error)) {
        return ap_shape_invalid((apart_shape_kind)shape->kind, shape->dim, APART_ERR_OVERFLOW);
    }
    return *shape;
}

apart_vec3 ap_along(double length, apart_vec3 d)
{
    const double largest = ap_max_abs(d);
    if (largest == 0.0) {
        return origin;
    }
    ap_count_div(4);
    const apart_vec3 u = ap_scale(ap_power_of_two_scale(largest), d);
    const double norm = sqrt(ap_dot(u, u));
    return ap_scale(length, ap_vec(u.x / norm, u.y / norm, u.z / norm)); /* exact for a direction along an axis */
}

/* A child is nested less deeply than its parent; checking that also ends the recursion on a corrupted shape. */
static apart_status check_nested(const apart_shape *parent, const apart_shape *child)
{
    if (child != NULL && child->status == APART_OK &&
        (child->nesting >= parent->nesting || child->dim != parent->dim)) {
        return APART_ERR_SHAPE;
    }
    return apart_shape_check(child);
}

apart_shape apart_rounded(apart_shape shape, double radius)
{
    const apart_shape_kind kind = (apart_shape_kind)shape.kind;
    const apart_status status = apart_shape_check(&shape);
    if (status != APART_OK) {
        return ap_shape_invalid(kind, shape.dim, status);
    }
    if (!isfinite(radius)) {
        return ap_shape_invalid(kind, shape.dim, APART_ERR_NONFINITE);
    }
    if (radius < 0.0) {
        return ap_shape_invalid(kind, shape.dim, APART_ERR_NEGATIVE_SIZE);
    }
    shape.radius += radius;
    return isfinite(shape.radius) ? shape : ap_shape_invalid(kind, shape.dim, APART_ERR_OVERFLOW);
}

const char *apart_shape_name(const apart_shape *shape)
{
    static const char *const solid[][2] = {
        [APART_SHAPE_NONE] = {"?", "?"},
        [APART_SHAPE_POINT] = {"point", "sphere"},
        [APART_SHAPE_SEGMENT] = {"segment", "capsule"},
        [APART_SHAPE_TRIANGLE] = {"triangle", "rounded triangle"},
        [APART_SHAPE_BOX] = {"box", "rounded box"},
        [APART_SHAPE_CYLINDER] = {"cylinder", "rounded cylinder"},
        [APART_SHAPE_CONE] = {"cone", "rounded cone"},
        [APART_SHAPE_ELLIPSOID] = {"ellipsoid", "rounded ellipsoid"},
        [APART_SHAPE_HALF_SPACE] = {"half-space", "rounded half-space"},
        [APART_SHAPE_HULL] = {"hull", "rounded hull"},
        [APART_SHAPE_POINTS] = {"point set", "rounded point set"},
        [APART_SHAPE_SUM] = {"sum", "rounded sum"},
        [APART_SHAPE_HULL_OF_TWO] = {"hull of two", "rounded hull of two"},
        [APART_SHAPE_AFFINE] = {"affine image", "rounded affine image"},
        [APART_SHAPE_CALLBACK] = {"callback", "rounded callback"},
    };
    if (shape == NULL || shape->kind >= sizeof solid / sizeof solid[0]) {
        return solid[APART_SHAPE_NONE][0];
    }
    const int rounded = shape->radius > 0.0;
    if (shape->dim == 2 && shape->kind == APART_SHAPE_POINT && rounded) {
        return "circle";
    }
    if (shape->dim == 2 && shape->kind == APART_SHAPE_BOX) {
        return rounded ? "rounded rectangle" : "rectangle";
    }
    if (shape->dim == 2 && shape->kind == APART_SHAPE_POINTS) {
        return rounded ? "rounded polygon" : "polygon";
    }
    return solid[shape->kind][rounded];
}

apart_status apart_shape_check(const apart_shape *shape)
{
    if (shape == NULL) {
        return APART_ERR_NULL;
    }
    if (shape->status != APART_OK) {
        return (apart_status)shape->status;
    }
    if (shape->kind == APART_SHAPE_NONE || shape->kind > APART_SHAPE_CALLBACK || (shape->dim != 2 && shape->dim != 3)) {
        return APART_ERR_SHAPE;
    }
    switch (shape->kind) {
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO: {
        const apart_status first = check_nested(shape, shape->u.pair.first);
        return first != APART_OK ? first : check_nested(shape, shape->u.pair.second);
    }
    case APART_SHAPE_AFFINE: return check_nested(shape, shape->u.affine.child);
    default: return APART_OK;
    }
}
