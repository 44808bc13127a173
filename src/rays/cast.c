/* Rays that a closed form answers: into the body's frame, the answer there, and back. */
#include "../math/center.h"
#include "../simd/rotation.h"
#include "ray_frame.h"

/* Sizes whose squares, and the errors of whose products, are normal numbers. */
#define LEAST_SIZE 0x1p-900
#define LARGEST_SIZE 0x1p+480
/* Of a matrix that is a rotation to this, the transpose is the inverse to 6 eps: it need not be corrected. */
#define NEARLY_EXACT (2.0 * DBL_EPSILON)
/* Corrections otherwise: each multiplies the error by three times the defect, which is at most AP_ROTATION_LIMIT. */
#define CORRECTIONS 2

/* One correction of x, which should be the inverse image of v. */
AP_INLINE ap_lanes correct(const apart_mat3 *m, const ap_lanes3 *rows, ap_lanes v, ap_lanes x)
{
    return ap_lanes_add(x, ap_lanes_apply(rows, ap_lanes_sub(v, ap_lanes_turn(m, x))));
}

/* The ray's origin less the centre of a body that is far from its own origin, in the world's axes. */
static AP_NOINLINE ap_lanes from_far_center(const apart_ray *ray, const apart_shape *body, const apart_pose *pose)
{
    const ap_dd3 center = ap_place_turned(&pose->rotation, body->center);
    return ap_lanes_from(ap_dd3_value(ap_place_between(center, ap_dd3_difference(ray->origin, pose->translation))));
}

AP_INLINE bool is_zero(apart_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Lane 3 of what is loaded here is not part of the vector. */
AP_INLINE bool is_finite(ap_lanes a)
{
    return (ap_mask_bits(ap_lanes_equal(ap_lanes_sub(a, a), ap_lanes_all(0.0))) & 7u) == 7u;
}

/* Corrects what the transpose of a matrix that is not quite a rotation misses. */
static AP_NOINLINE void correct_frame(const apart_mat3 *m, const ap_lanes3 *rows, const ap_lanes v[2],
                                      ap_ray_frame *out)
{
    for (int i = 0; i < CORRECTIONS; i++) {
        out->origin = correct(m, rows, v[0], out->origin);
        out->direction = correct(m, rows, v[1], out->direction);
    }
}

/* False: the ray or the pose is not legal, or the sizes are extreme. */
AP_INLINE bool make_frame(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, ap_lanes direction,
                          ap_ray_frame *out)
{
    ap_lanes3 rows;
    const apart_mat3 *m = &pose->rotation;
    ap_lanes defect;
    ap_lanes o = ap_lanes_sub(ap_lanes_load(&ray->origin), ap_lanes_from(pose->translation));
    if (!ap_rotation_read(m, &rows, &defect) || !is_finite(o)) {
        return false;
    }
    if (!is_zero(body->center)) {
        o = from_far_center(ray, body, pose);
    }
    const double square = ap_lanes_dot(direction, direction);
    out->size = body->bound + body->radius;
    out->magnitude = ap_lanes_norm(o) + out->size;
    if (!(out->magnitude > LEAST_SIZE && out->magnitude < LARGEST_SIZE && square >= 1.0 && square < 16.0)) {
        return false;
    }
    out->speed = sqrt(square);
    out->error = AP_RAY_ERROR * DBL_EPSILON * out->magnitude + body->error;
    out->rate_error = AP_RAY_ERROR * DBL_EPSILON * out->speed;
    out->end = ap_min(out->magnitude * AP_ROTATION_STRETCH, ray->length) / out->speed * (1.0 + 8.0 * DBL_EPSILON);
    out->defect = ap_rotation_largest(defect);
    out->origin = ap_lanes_apply(&rows, o);
    out->direction = ap_lanes_apply(&rows, direction);
    if (out->defect > NEARLY_EXACT) {
        const ap_lanes v[2] = {o, direction};
        correct_frame(m, &rows, v, out);
    }
    return true;
}

static ap_ray_verdict enter_body(const ap_ray_frame *r, const apart_shape *body, ap_ray_entry *entry)
{
    switch (body->kind) {
    case APART_SHAPE_BOX: return body->radius > 0.0 ? AP_RAY_OPEN : ap_ray_enter_box(r, body, entry);
    case APART_SHAPE_HULL: return body->radius > 0.0 ? AP_RAY_OPEN : ap_ray_enter_hull(r, body->u.hull, entry);
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
    case APART_SHAPE_ELLIPSOID: return ap_ray_enter_round(r, body, entry);
    default: return AP_RAY_OPEN;
    }
}

/* A normal of the body's frame in the world, by the inverse transpose of the matrix. */
static AP_NOINLINE apart_vec3 turn_by_cofactors(const apart_mat3 *m, apart_vec3 n)
{
    const apart_mat3 cofactors = {ap_cross(m->y, m->z), ap_cross(m->z, m->x), ap_cross(m->x, m->y)};
    return ap_unit(ap_apply(&cofactors, n));
}

/* The same by the matrix itself, which of a rotation is its own inverse transpose. */
AP_INLINE apart_vec3 turn_normal(const apart_mat3 *m, apart_vec3 n)
{
    /* A Newton step on 1/sqrt is exact to rounding where the length is 1 to half the digits. */
    const ap_lanes w = ap_lanes_turn(m, ap_lanes_from(n));
    return ap_lanes_vec(ap_lanes_scale(1.5 - 0.5 * ap_lanes_dot(w, w), w));
}

static void write_miss(double length, apart_ray_hit *hit)
{
    memset(hit, 0, sizeof *hit);
    hit->lower = length;
}

bool ap_ray_cast(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, apart_ray_hit *hit)
{
    ap_ray_frame r;
    apart_feature feature;
    ap_ray_entry entry = {.feature = &feature};
    const ap_lanes loaded = ap_lanes_load(&ray->direction); /* and the length */
    const double largest = ap_max_abs(ray->direction);
    const ap_lanes direction = ap_lanes_scale(ap_power_of_two_scale(largest), loaded);
    if (body->status != APART_OK || body->dim != 3 || !is_finite(loaded) || !(ray->length >= 0.0) ||
        !make_frame(ray, body, pose, direction, &r)) {
        return false;
    }
    const ap_ray_verdict verdict = enter_body(&r, body, &entry);
    if (verdict == AP_RAY_MISSES) {
        write_miss(ray->length, hit);
        return true;
    }
    const double distance = entry.at * r.speed;
    if (verdict == AP_RAY_OPEN || !(distance * AP_RAY_DOWN <= ray->length)) {
        return false;
    }
    memset(hit, 0, sizeof *hit);
    hit->hit = 1;
    hit->inside = verdict == AP_RAY_STARTS_INSIDE;
    hit->distance = ap_min(distance, ray->length);
    hit->lower = ap_min(entry.lower * r.speed * AP_RAY_DOWN, hit->distance);
    hit->point = ap_lanes_vec(ap_lanes_add(ap_lanes_load(&ray->origin), ap_lanes_scale(entry.at, direction)));
    hit->normal = r.defect <= AP_RAY_DEFECT ? turn_normal(&pose->rotation, entry.normal)
                                            : turn_by_cofactors(&pose->rotation, entry.normal);
    hit->feature = feature;
    return true;
}
