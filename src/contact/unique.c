/* Are the witness points of a distance the only ones? The points of A farthest along the normal form a face of A (a
 * vertex, an edge, a polygon), and so do those of B along the opposite one. Seen along the normal both hold the common point; the closest pair is unique unless both go on from
 * it in the same direction. */

#include "unique.h"

#include <float.h>

#include "../math/vec.h"

/* The normal is tilted this much to find the corners of the faces: edges within that angle of parallel count as
 * parallel. */
#define TILT 1e-7
/* A face goes on from the witness when a corner is this far from it, as a share of the body's size. Curved surfaces
 * move by TILT only. */
#define EXTENT 1e-3
/* Two directions of the plane are the same within this angle. */
#define SAME_DIRECTION 1e-6

/* A sixteenth of a turn each. */
#define C1 0.92387953251128674
#define C2 0.70710678118654752
#define C3 0.38268343236508977
static const ap_fan_direction tilts[AP_FAN_TILTS] = {{1, 0},  {C1, C3},   {C2, C2},   {C3, C1},
                                                     {0, 1},  {-C3, C1},  {-C2, C2},  {-C1, C3},
                                                     {-1, 0}, {-C1, -C3}, {-C2, -C2}, {-C3, -C1},
                                                     {0, -1}, {C3, -C1},  {C2, -C2},  {C1, -C3}};

/* The face of the shape that is farthest along the witness's direction. */
ap_fan ap_fan_make(const ap_witness *w, apart_vec3 t, apart_vec3 u)
{
    ap_fan f = {.count = 0};
    apart_vec3 center;
    double size;
    if (w->shape->kind == APART_SHAPE_HALF_SPACE) { /* its face goes on everywhere */
        memcpy(f.rays, tilts, sizeof f.rays);
        f.count = AP_FAN_TILTS;
        return f;
    }
    if (apart_shape_ball(w->shape, &center, &size) != APART_OK) {
        return f;
    }
    /* Less than this may be rounding alone. */
    const double least = ap_max(EXTENT * size, 64.0 * DBL_EPSILON * (ap_norm(w->point) + ap_norm(center)));
    for (int k = 0; k < AP_FAN_TILTS; k++) {
        const apart_vec3 tilt = ap_add(ap_scale(TILT * tilts[k].x, t), ap_scale(TILT * tilts[k].y, u));
        apart_vec3 corner;
        if (apart_support(w->shape, apart_pose_rotate_inverse(w->pose, ap_add(w->out, tilt)), &corner) != APART_OK) {
            continue;
        }
        const apart_vec3 way = ap_sub(apart_pose_apply(w->pose, corner), w->point);
        const double x = ap_dot(way, t), y = ap_dot(way, u), length = sqrt(x * x + y * y);
        if (length > least) {
            f.rays[f.count++] = (ap_fan_direction){x / length, y / length};
        }
    }
    return f;
}

static double cross(ap_fan_direction a, ap_fan_direction b) { return a.x * b.y - a.y * b.x; }

/* Is the direction one of the fan's rays or between two of them (less than half a turn apart)? */
bool ap_fan_holds(const ap_fan *f, ap_fan_direction d)
{
    for (size_t i = 0; i < f->count; i++) {
        const ap_fan_direction ray = f->rays[i];
        if (fabs(cross(ray, d)) < SAME_DIRECTION && ray.x * d.x + ray.y * d.y > 0.0) {
            return true;
        }
        for (size_t k = 0; k < f->count; k++) {
            if (cross(ray, f->rays[k]) > SAME_DIRECTION && cross(ray, d) > 0.0 && cross(d, f->rays[k]) > 0.0) {
                return true;
            }
        }
    }
    return false;
}

static bool fans_meet(const ap_fan *a, const ap_fan *b)
{
    bool meet = false;
    for (size_t i = 0; i < a->count && !meet; i++) {
        meet = ap_fan_holds(b, a->rays[i]);
    }
    for (size_t i = 0; i < b->count && !meet; i++) {
        meet = ap_fan_holds(a, b->rays[i]);
    }
    return meet;
}

bool ap_witnesses_are_unique(const ap_witness *a, const ap_witness *b)
{
    const apart_vec3 t = a->shape->dim == 2 ? ap_vec(-a->out.y, a->out.x, 0.0) : ap_perpendicular(a->out);
    const apart_vec3 u = a->shape->dim == 2 ? ap_vec(0.0, 0.0, 1.0) : ap_cross(a->out, t);
    const ap_fan on_a = ap_fan_make(a, t, u), on_b = ap_fan_make(b, t, u);
    return !fans_meet(&on_a, &on_b);
}
