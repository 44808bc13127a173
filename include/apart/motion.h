/** @file
 * apart/motion.h: bodies that move: when do they meet, how near do they come, what does a ray hit?
 *
 *     apart_vec3 linear = {0, 0, -5}, angular = {0, 3, 0}, center = {0, 0, 0};
 *     apart_motion fall = apart_motion_velocity(&pose_a, linear, angular, center);
 *     apart_motion rest = apart_motion_rest(&pose_b);
 *     apart_impact hit;
 *     apart_status st = apart_time_of_impact(&a, &fall, &b, &rest, NULL, NULL, &hit);
 *     // hit.outcome; hit.t in [0,1]; the gap is certified positive at every time before hit.t;
 *     // hit.at: points and normal at that time
 *
 * A motion lasts from t = 0 to t = 1. The body turns about an axis of fixed direction at constant speed, any number of
 * times, while it moves on a straight line or on a helix (apart_path). sin and cos are the library's own and give the
 * same bits everywhere. Nothing here allocates, locks or loops forever; a cache belongs to one thread at a time.
 * Read next: docs/motion.md (what is guaranteed and why).
 */
#ifndef APART_MOTION_H
#define APART_MOTION_H

#include "distance.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What the pivot does while the body turns about it. */
typedef enum apart_path {
    APART_PATH_STRAIGHT = 0, /**< the pivot moves on a straight line at constant speed (a free body: pivot = centre of
                              *   mass) */
    APART_PATH_SCREW = 1     /**< the velocity turns with the body: every point moves on a helix about one fixed line
                              *   (a joint) */
} apart_path;

/** How a body moves from t = 0 to t = 1. The fields may be read and written freely. Let E(t) be the rotation by the
 *  angle t*|angular| about `angular`, x a point of the shape, and s(t) the displacement of the pivot: t*linear if
 *  straight, the integral of E(t)*linear if a screw. Then
 *      world(x, t) = pivot + s(t) + E(t) * (start.rotation * x + start.translation - pivot). */
typedef struct apart_motion {
    apart_pose start;   /**< the exact pose at t = 0 */
    apart_vec3 pivot;   /**< a point that moves with the body: its world position at t = 0 */
    apart_vec3 linear;  /**< straight: displacement of the pivot until t = 1; screw: its velocity at t = 0 */
    apart_vec3 angular; /**< angular velocity in world axes: |angular| radians until t = 1, at most APART_MAX_ANGLE */
    uint8_t path;       /**< apart_path */
} apart_motion;

/** The largest |angular|, in radians: 2^30, about 170 million turns. */
#define APART_MAX_ANGLE 1073741824.0

/** A body at rest. */
APART_API apart_motion apart_motion_rest(const apart_pose *pose);

/** A body that moves by `displacement` without turning. */
APART_API apart_motion apart_motion_translation(const apart_pose *start, apart_vec3 displacement);

/** A body whose point `center` (in the shape's frame, e.g. its centre of mass) moves straight with velocity `linear`
 *  while the body turns with angular velocity `angular` (world axes, radians), both from t = 0 to t = 1. */
APART_API apart_motion apart_motion_velocity(const apart_pose *start, apart_vec3 linear, apart_vec3 angular,
                                             apart_vec3 center);

/** From one pose to another: the point `center` (in the shape's frame) moves straight, and the body turns by the
 *  smallest angle (at most pi) about a fixed direction. The motion ends at `end` up to rounding and to the defects of
 *  the two rotation matrices. APART_ERR_NULL, APART_ERR_NONFINITE, APART_ERR_ROTATION. */
APART_API apart_status apart_motion_between(const apart_pose *start, const apart_pose *end, apart_vec3 center,
                                            apart_motion *out);

/** From one pose to another as a screw (Chasles' theorem): a rotation by the smallest angle about one fixed line and
 *  a translation along it.
 *  Statuses as apart_motion_between. */
APART_API apart_status apart_motion_screw(const apart_pose *start, const apart_pose *end, apart_motion *out);

/** The motion of a part that is fixed to the moving body by the pose `local` (part -> body frame). */
APART_API apart_motion apart_motion_of_part(const apart_motion *motion, const apart_pose *local);

/** Checks a motion: APART_OK, APART_ERR_NULL, APART_ERR_NONFINITE, APART_ERR_ROTATION, APART_ERR_OPTION (path) or
 *  APART_ERR_OVERFLOW (|angular| > APART_MAX_ANGLE). */
APART_API apart_status apart_motion_check(const apart_motion *motion);

/** The pose at time t (0 gives `start` itself; times outside [0,1] are legal while the angle is below
 *  APART_MAX_ANGLE). Each entry of the rotation is within 32 eps of that of the exact path. Statuses as
 *  apart_motion_check; APART_ERR_NONFINITE for a t that is not finite. */
APART_API apart_status apart_motion_pose(const apart_motion *motion, double t, apart_pose *out);

/** sin and cos of an angle, |angle| <= APART_MAX_ANGLE: within eps/2 of the true values, the same bits everywhere, no
 *  libm. Larger and non-finite angles give 0 and 1. */
APART_API void apart_sincos(double angle, double *sine, double *cosine);

/** How accurately the smallest gap is computed when the bodies never meet. */
typedef enum apart_gap {
    APART_GAP_NONE = 0,     /**< only the positive lower bound that the search for a contact proves */
    APART_GAP_TOLERANCE = 1 /**< until its bounds differ by at most the tolerance: 4 to 20 times as long */
} apart_gap;

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_motion_options {
    double tolerance;        /**< a length: a gap of at most this is a contact; 0: 1e-6 of both radii. Raised to what
                              *   rounding allows */
    double until;            /**< examine [0, until] only, 0 < until <= 1; 0: 1 */
    double cutoff;           /**< > 0: with APART_GAP_TOLERANCE, a smallest gap known to be at least this is not
                              *   computed more accurately; 0: none */
    uint32_t max_iterations; /**< largest number of distance queries; 0: the default, 2^20 */
    uint8_t gap;             /**< apart_gap */
    apart_stats *stats;      /**< NULL: none; of all distance queries */
} apart_motion_options;

/** The outcome of a motion query. */
typedef enum apart_outcome {
    APART_OUTCOME_CLEAR = 0, /**< no contact from 0 to `until` */
    APART_OUTCOME_HIT = 1,   /**< contact at t: the gap is at most the tolerance there, and positive before */
    APART_OUTCOME_START = 2, /**< touching or overlapping already at t = 0; at.relation says which */
    APART_OUTCOME_LIMIT = 3  /**< the iteration limit was reached: no contact before t, later times were not examined */
} apart_outcome;

/** The answer. All bounds refer to the exact path of apart_motion, not to its rounded poses. */
typedef struct apart_impact {
    double t;             /**< hit: time of impact; clear: time of the smallest gap seen; limit: no contact before
                           *   it */
    double lower;         /**< certified: the gap is at least this before t (clear: from 0 to `until`); > 0 unless hit
                           *   at the start */
    double upper;         /**< certified: the gap at t is at most this. Hit: <= tolerance. Clear: the smallest gap is
                           *   at most this */
    double tolerance;     /**< the one that was used */
    uint32_t iterations;  /**< distance queries */
    uint32_t separations; /**< evaluations of the separation along a direction at a time */
    uint8_t outcome;      /**< apart_outcome */
    uint8_t stop;         /**< apart_stop: converged, iterations, or cut-off (clear, and the smallest gap is at least
                           *   that) */
    apart_pose pose_a;    /**< A at t, for apart_features and apart_verify */
    apart_pose pose_b;    /**< B at t */
    apart_result at;      /**< the bodies at t: points, normal, simplex, signed distance with bounds */
} apart_impact;

/** The time of impact of two moving bodies, certified: there is no contact before t, however fast the bodies move or
 *  spin and however thin they are. options and cache may be NULL. One of the two may be a half-space. A 2D body turns
 *  about z and stays in its plane.
 *  Statuses: those of apart_distance and of apart_motion_check; APART_ERR_OPTION; the impact is then untouched. */
APART_API apart_status apart_time_of_impact(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b,
                                            const apart_motion *motion_b, const apart_motion_options *options,
                                            apart_cache *cache, apart_impact *impact);

/** The same for bodies that only translate; it usually takes three to twelve distance queries. Only the relative
 *  motion displacement_b - displacement_a counts. */
APART_API apart_status apart_sweep(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a,
                                   const apart_shape *b, const apart_pose *pose_b, apart_vec3 displacement_b,
                                   const apart_motion_options *options, apart_cache *cache, apart_impact *impact);

/** Whether two translating bodies meet at all: one overlap query of A swept along the relative motion (the Minkowski
 *  sum of A and a segment) against B at rest. 0 is certain; contact within rounding counts as 1. APART_ERR_NESTING
 *  where a sum with a segment would be nested too deep; other statuses as apart_overlap. */
APART_API apart_status apart_swept_overlap(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a,
                                           const apart_shape *b, const apart_pose *pose_b, apart_vec3 displacement_b,
                                           const apart_options *options, apart_cache *cache, int *overlap);

/** "clear", "hit", "start", "limit"; static storage, "?" for an unknown value. */
APART_API const char *apart_outcome_name(int outcome);

/** A ray or a segment of one: origin + s * direction/|direction| for 0 <= s <= length. */
typedef struct apart_ray {
    apart_vec3 origin;    /**< world frame */
    apart_vec3 direction; /**< any length > 0 */
    double length;        /**< >= 0; may be INFINITY */
} apart_ray;

/** Where a ray enters a body. World frame. */
typedef struct apart_ray_hit {
    uint8_t hit;           /**< 1: hit; 0: miss, then only `lower` and `iterations` are meaningful */
    uint8_t inside;        /**< 1: the origin lies in the body or within rounding of it: distance 0, point = origin */
    uint16_t iterations;   /**< distance queries; 0 where a closed form knew the answer */
    double distance;       /**< along the ray, from 0 to length */
    double lower;          /**< certified: no point of the body on the ray before this (a miss: length) */
    apart_vec3 point;      /**< within 64 eps * M of the body and 2 eps of its own largest coordinate; M = the body's
                            *   radius + the distances of point and origin from its centre (of a half-space: from the
                            *   shape's origin, and its offset for the radius) */
    apart_vec3 normal;     /**< outward unit normal; inside: direction of the shortest translation out of the body. On
                            *   curved composites and callbacks accurate to 1e-8 */
    apart_feature feature; /**< of the body at the point; numbers: docs/features.md */
} apart_ray_hit;

/** Where a ray enters a body of any shape, half-spaces included; in 2D the ray lies in the plane. A ray that comes
 *  within rounding of the body may count as hit or not. The cache serves bodies that have no closed form.
 *  Statuses: those of apart_distance; APART_ERR_NORMAL for a direction of length zero; APART_ERR_OPTION for a length
 *  that is negative or NaN. */
APART_API apart_status apart_raycast(const apart_ray *ray, const apart_shape *body, const apart_pose *pose,
                                     apart_cache *cache, apart_ray_hit *hit);

#ifdef __cplusplus
}
#endif
#endif
