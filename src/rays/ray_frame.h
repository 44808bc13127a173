/* A ray in the frame of a body, and what the closed forms have in common: where it meets a plane, at the earliest and
 * at the latest.
 *
 * Points of the ray are origin + t * direction for a parameter t >= 0. The frame is that of the body's own numbers, so
 * the defect of a matrix that is not quite a rotation does not matter. */
#ifndef AP_RAYS_RAY_FRAME_H
#define AP_RAYS_RAY_FRAME_H

#include <apart/motion.h>

#include <float.h>

#include "../simd/lanes.h"

/* Rounding of a plane's value at the ray's origin, in units of eps times (|origin| + the body's size): the transpose
 * instead of the inverse 6, the origin in the body's frame 2, the dot product 1, the difference 0.5 (docs/numerics.md).
 * And of its rate along the ray, times the speed. */
#define AP_RAY_ERROR 10.0
/* A point that is this near a plane or surface, in units of eps * (magnitude + what it is along the ray), lies on it:
 * with the error of the frame that is 26 of them, and 52 of those of apart_ray_hit, which promises 64. */
#define AP_RAY_ON 16.0
/* Rounds a length down past four roundings. */
#define AP_RAY_DOWN (1.0 - 4.0 * DBL_EPSILON)
/* A matrix that is farther from a rotation makes balls ellipsoids measurably, and normals must be moved by its inverse
 * transpose. */
#define AP_RAY_DEFECT (8.0 * DBL_EPSILON)

typedef struct ap_ray_frame {
    ap_lanes origin, direction; /* relative to the body's centre */
    double speed;               /* length of the direction in the world, from 1 to 4 */
    double size;                /* the body is within this distance of its centre, rounding radius included */
    double magnitude;           /* size + |origin| */
    double error, rate_error;   /* of a plane's value at the origin, and of its rate */
    double end;                 /* no point of the body on the ray is at a later parameter */
    double defect;              /* how far the matrix may be from a rotation */
} ap_ray_frame;

typedef enum ap_ray_verdict {
    AP_RAY_OPEN, /* not decided here: the general search must answer */
    AP_RAY_MISSES,
    AP_RAY_ENTERS,
    AP_RAY_STARTS_INSIDE
} ap_ray_verdict;

/* Where a ray enters. */
typedef struct ap_ray_entry {
    double lower;           /* parameter: certified, the ray is outside before */
    double at;              /* parameter */
    apart_vec3 normal;      /* outward, in the body's frame, of length 1 */
    apart_feature *feature; /* written */
} ap_ray_entry;

/* A plane n.x <= offset that has the body behind it, seen from the ray: n.x - offset at its origin, and the rate. */
typedef struct ap_ray_plane {
    double above, rate;
} ap_ray_plane;

AP_INLINE ap_ray_plane ap_ray_see(const ap_ray_frame *r, apart_vec3 n, double offset)
{
    const ap_lanes normal = ap_lanes_from(n);
    return (ap_ray_plane){ap_lanes_dot(normal, r->origin) - offset, ap_lanes_dot(normal, r->direction)};
}

/* Before this parameter the ray is certainly above the plane; negative if the origin may be behind it. */
AP_INLINE double ap_ray_earliest(const ap_ray_frame *r, ap_ray_plane p)
{
    return (p.above - r->error) / (ap_max(-p.rate, 0.0) + r->rate_error);
}

/* After this parameter the ray is certainly above the plane; infinite if it need not rise. */
AP_INLINE double ap_ray_latest(const ap_ray_frame *r, ap_ray_plane p)
{
    return p.rate > r->rate_error ? (r->error - p.above) / (p.rate - r->rate_error) : INFINITY;
}

AP_INLINE ap_lanes ap_ray_point(const ap_ray_frame *r, double t)
{
    return ap_lanes_add(r->origin, ap_lanes_scale(t, r->direction));
}

AP_INLINE apart_vec3 ap_ray_at(const ap_ray_frame *r, double t) { return ap_lanes_vec(ap_ray_point(r, t)); }

/* How far from a surface a point at parameter t may be, and lies on it. */
AP_INLINE double ap_ray_on(const ap_ray_frame *r, double t)
{
    return AP_RAY_ON * DBL_EPSILON * (r->magnitude + t * r->speed);
}

/* Each answers for one family of shapes; the entry is written where the verdict is ENTERS or STARTS_INSIDE. */
ap_ray_verdict ap_ray_enter_box(const ap_ray_frame *ray, const apart_shape *box, ap_ray_entry *entry);
ap_ray_verdict ap_ray_enter_hull(const ap_ray_frame *ray, const apart_hull *hull, ap_ray_entry *entry);
ap_ray_verdict ap_ray_enter_round(const ap_ray_frame *ray, const apart_shape *body, ap_ray_entry *entry);

/* Answers apart_raycast if a closed form knows the answer, else false and *hit is not touched; the caller then checks
 * its input. Of pointers none may be NULL. */
typedef bool ap_ray_cast_fn(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, apart_ray_hit *hit);
ap_ray_cast_fn ap_ray_cast;

#endif
