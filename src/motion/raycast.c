/* Where does a ray enter a convex body? Boxes, hulls and round bodies answer in closed form (rays/). For other bodies,
 * and where these cannot tell, here is Newton's method on the signed distance along the ray, that is conservative
 * advancement of a point (van den Bergen 2004 keeps the simplex of GJK between the steps; our cache does the same).
 *
 * At each point of the ray the closest points give a plane with the body behind it; the ray cannot enter before it
 * meets that plane. For polytopes the plane of the entered face is found after some steps, for smooth bodies
 * convergence is quadratic, for grazing rays each step halves the remaining distance. A point that is farther from
 * the plane than rounding and moves away from it proves a miss.
 *
 * We differ in the normal and the feature: on the surface itself the direction to the closest point is noise, so
 * both are taken from a point lifted off the surface, moved until its closest point is the hit. */
#include <apart/motion.h>

#include <float.h>

#include "../api/level.h"
#include "../math/center.h"
#include "../shape/support.h"
#include "ray.h"

/* The point has arrived when its distance is at most this, in units of eps times the magnitude (size of the body,
 * distance from it, length along the ray). The bounds of a query are 27 apart. */
#define ARRIVED 64.0
/* The error of a plane in the same units: supports 12, the point on the ray 4, dot products 6. */
#define PLANE_ERROR 32.0
#define MAX_STEPS 200
/* How far the point for the normal is lifted, relative to the body's size: far enough for the direction, near
 * enough for curved surfaces. */
#define LIFT 0x1p-12
#define LIFT_STEPS 6
/* The normal has converged when it turns by less than this. */
#define TURNED 0x1p-46
/* The normal of a curved side is computed from the point if it agrees to this with the query's, as 1 - cosine: an
 * angle of 1e-6. */
#define SIDE_AGREES 5e-13

typedef struct ray_cast {
    apart_shape point; /* the ray's point as a shape, for queries and features */
    const apart_shape *body;
    apart_mat3 rotation;          /* of the body: the frame has the world's axes and the body's centre as origin */
    ap_dd3 center;                /* of the body, from its own origin, in the world's axes */
    apart_pose at_point, at_body; /* of the last query, whose frame is moved so that their difference is exact */
    apart_cache *cache;
    apart_vec3 origin, direction; /* in that frame; the direction is unit */
    double size;                  /* of the body about its centre */
    double length;
    uint16_t steps;
    apart_status status;
    apart_result r;
} ray_cast;

static bool is_half_space(const ray_cast *c) { return c->body->kind == APART_SHAPE_HALF_SPACE; }

static apart_vec3 ray_point(const ray_cast *c, double s) { return ap_add(c->origin, ap_scale(s, c->direction)); }

/* What rounding is relative to at a point of the ray. */
static double ray_magnitude(const ray_cast *c, apart_vec3 p) { return c->size + ap_norm(p) + ap_norm(c->origin); }

/* The poses for a query with the ray's point at p. The query needs the body's centre less the point, R c + t_B - t_A, and
 * computes it in double-double. For a centre far from the body's origin t_B - t_A has more bits than a double: the body
 * gets the upper half and the point the lower one. */
static void place_point(ray_cast *c, apart_vec3 p)
{
    const apart_vec3 origin = {0.0, 0.0, 0.0}, far = c->body->center;
    const ap_dd3 zero = ap_dd3_from(origin);
    c->at_point = apart_pose_translation(p.x, p.y, p.z);
    c->at_body = (apart_pose){c->rotation, origin};
    if (far.x != 0.0 || far.y != 0.0 || far.z != 0.0) {
        const ap_dd3 between = ap_place_between(ap_place_sum(ap_dd3_from(p), c->center), zero);
        c->at_body.translation = ap_vec(between.x.hi, between.y.hi, between.z.hi);
        c->at_point.translation = ap_vec(-between.x.lo, -between.y.lo, -between.z.lo);
    }
}

static bool query_point(ray_cast *c, apart_vec3 p, const apart_options *options)
{
    place_point(c, p);
    c->steps++;
    c->status = apart_distance(&c->point, &c->at_point, c->body, &c->at_body, options, c->cache, &c->r);
    return c->status == APART_OK;
}

/* The body's feature in the last query. */
static void find_feature(ray_cast *c, apart_feature *out)
{
    c->status = apart_features(&c->point, &c->at_point, c->body, &c->at_body, &c->r, NULL, out);
}

/* How far the body is beyond p along n, by its support value; n points towards it. */
static double ray_plane_gap(ray_cast *c, apart_vec3 p, apart_vec3 n)
{
    apart_vec3 local;
    if (is_half_space(c)) {
        return c->r.distance;
    }
    c->status = ap_support_from_center(c->body, ap_apply_transposed(&c->rotation, ap_neg(n)), &local);
    return c->status == APART_OK ? ap_dot(n, ap_sub(ap_apply(&c->rotation, local), p)) : 0.0;
}

typedef enum ray_verdict { ENTERS, MISSES, FAILS } ray_verdict;

/* Advances along the ray to the body. *s is where it enters, *lower what the planes prove, *n the last plane that
 * was not noise. */
static ray_verdict advance_along_ray(ray_cast *c, double *s, double *lower, apart_vec3 *n)
{
    const apart_options no_depth = {.depth = APART_DEPTH_NONE};
    *s = *lower = 0.0;
    *n = c->direction;
    while (c->steps < MAX_STEPS) {
        const apart_vec3 p = ray_point(c, *s);
        const double unit = DBL_EPSILON * ray_magnitude(c, p);
        if (!query_point(c, p, &no_depth)) {
            return FAILS;
        }
        if (c->r.upper <= ARRIVED * unit + 2.0 * c->body->error) {
            return ENTERS;
        }
        const double gap = ray_plane_gap(c, p, c->r.normal), rate = ap_dot(c->r.normal, c->direction);
        const double sure = gap - PLANE_ERROR * unit - c->body->error;
        if (c->status != APART_OK) {
            return FAILS;
        }
        if (!(rate > 0.0)) {
            return sure > 0.0 ? MISSES : ENTERS;
        }
        *n = c->r.normal;
        *lower = ap_max(*lower, *s + sure / rate * (1.0 - 4.0 * DBL_EPSILON));
        if (*lower > c->length || *s >= c->length) {
            return MISSES;
        }
        const double next = ap_min(*s + gap / rate, c->length);
        if (!(next > *s)) {
            return ENTERS; /* within the rounding of s */
        }
        *s = next;
    }
    return ENTERS;
}

/* On the curved side of a primitive the point itself gives the normal to rounding; the closest points of curved
 * bodies give it only to the square root of that. */
static bool side_normal(const ray_cast *c, apart_vec3 p, apart_vec3 *out)
{
    const apart_shape *s = c->body;
    const apart_mat3 *r = &c->rotation;
    const apart_vec3 x = ap_apply_transposed(r, p);
    const apart_mat3 cofactors = {ap_cross(r->y, r->z), ap_cross(r->z, r->x), ap_cross(r->x, r->y)};
    const double around = sqrt(x.x * x.x + x.y * x.y);
    apart_vec3 n;
    if (s->radius > 0.0 || !(c->size > 0.0)) {
        return false;
    }
    if (s->kind == APART_SHAPE_CYLINDER) {
        n = ap_vec(x.x, x.y, 0.0);
    } else if (s->kind == APART_SHAPE_CONE) {
        n = ap_vec(2.0 * s->u.round.half_height * (x.x / around), 2.0 * s->u.round.half_height * (x.y / around),
                   s->u.round.radius);
    } else if (s->kind == APART_SHAPE_ELLIPSOID) {
        const apart_vec3 a = s->u.semi_axes;
        const double least = ap_min(ap_min(a.x, a.y), a.z);
        n = ap_vec((x.x / a.x) * (least / a.x), (x.y / a.y) * (least / a.y), (x.z / a.z) * (least / a.z));
    } else {
        return false;
    }
    n = ap_unit(ap_apply(&cofactors, n));
    *out = n;
    return ap_finite(n) && ap_dot(n, n) > 0.5;
}

/* Finds normal and feature: lifts p off the surface along the normal until its closest point is p again. */
static void find_normal(ray_cast *c, apart_vec3 p, apart_vec3 outward, apart_ray_hit *hit)
{
    const double extent = c->body->bound + c->body->radius;
    const double lift = is_half_space(c) ? 0.0 : LIFT * (extent > 0.0 ? extent : ray_magnitude(c, p));
    for (int i = 0; i < LIFT_STEPS; i++) {
        const apart_vec3 from = ap_add(p, ap_scale(lift, outward));
        if (!query_point(c, from, NULL)) {
            return;
        }
        const apart_vec3 next = ap_neg(c->r.normal);
        const double turned = ap_max_abs(ap_sub(next, outward));
        outward = next;
        find_feature(c, &hit->feature);
        if (turned <= TURNED || is_half_space(c) || c->status != APART_OK) {
            break;
        }
    }
    hit->normal = outward;
    apart_vec3 side;
    const bool curved = hit->feature.kind == APART_FEATURE_CURVED && hit->feature.number == 0;
    if (curved && side_normal(c, p, &side) && ap_dot(side, outward) >= 1.0 - SIDE_AGREES) {
        hit->normal = side;
    }
}

/* The origin is inside the body: the normal and feature of the shortest exit. */
static void write_inside(ray_cast *c, apart_ray_hit *hit)
{
    hit->inside = 1;
    hit->distance = hit->lower = 0.0;
    if (!query_point(c, c->origin, NULL)) {
        return;
    }
    hit->normal = ap_neg(c->r.normal);
    find_feature(c, &hit->feature);
}

static apart_status check_query(const apart_ray *ray, const apart_shape *body, const apart_pose *pose)
{
    apart_status status = apart_shape_check(body);
    if (status == APART_OK) {
        status = apart_pose_check(pose);
    }
    if (status == APART_OK) {
        status = ap_ray_check(ray);
    }
    if (status != APART_OK) {
        return status;
    }
    return body->dim == 2 && (ray->origin.z != 0.0 || ray->direction.z != 0.0) ? APART_ERR_DIMENSION : APART_OK;
}

static ray_cast prepare_cast(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, apart_cache *cache)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    const double scale = ap_power_of_two_scale(ap_max_abs(ray->direction));
    const bool plane = body->kind == APART_SHAPE_HALF_SPACE;
    const ap_dd3 center = ap_place_turned(&pose->rotation, body->center);
    return (ray_cast){
        .point = body->dim == 2 ? apart_point_2d(0.0, 0.0) : apart_point(zero),
        .body = body,
        .rotation = pose->rotation,
        .center = center,
        .cache = cache,
        .origin = ap_dd3_value(ap_place_between(center, ap_dd3_difference(ray->origin, pose->translation))),
        .direction = ap_unit(ap_scale(scale, ray->direction)),
        .size = (plane ? fabs(body->u.plane.offset) : body->bound) + body->radius,
        .length = ray->length,
        .status = APART_OK,
    };
}

static AP_NOINLINE apart_status cast_in_general(const apart_ray *ray, const apart_shape *body, const apart_pose *pose,
                                                apart_cache *cache, apart_ray_hit *hit)
{
    const apart_status status = check_query(ray, body, pose);
    if (status != APART_OK) {
        return status;
    }
    apart_ray_hit out = {.hit = 0};
    apart_cache own = {.tag = 0};
    ray_cast c = prepare_cast(ray, body, pose, cache != NULL ? cache : &own);
    apart_vec3 n;
    const ray_verdict v = advance_along_ray(&c, &out.distance, &out.lower, &n);
    out.hit = v == ENTERS;
    out.point = ap_add(ray->origin, ap_scale(out.distance, c.direction));
    if (v == ENTERS && c.steps == 1) {
        write_inside(&c, &out);
    } else if (v == ENTERS) {
        out.lower = ap_min(out.lower, out.distance);
        find_normal(&c, ray_point(&c, out.distance), ap_neg(n), &out);
    } else {
        out.lower = ray->length;
    }
    if (c.status != APART_OK) {
        return c.status;
    }
    out.iterations = c.steps;
    *hit = out;
    return APART_OK;
}

apart_status apart_raycast(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, apart_cache *cache,
                           apart_ray_hit *hit)
{
    if (ray == NULL || body == NULL || pose == NULL || hit == NULL) {
        return APART_ERR_NULL;
    }
    if (ap_level_get()->rays->cast(ray, body, pose, hit)) {
        return APART_OK;
    }
    return cast_in_general(ray, body, pose, cache, hit);
}
