/** @file
 * apart/motion.h: bodies that move: when do they meet, how near do they come, what does a ray hit?
 *
 *     apart_motion fall = apart_motion_velocity(&pose_a, (apart_vec3){0, 0, -5}, (apart_vec3){0, 3, 0}, (apart_vec3){0, 0, 0});
 *     apart_motion rest = apart_motion_rest(&pose_b);
 *     apart_impact hit;
 *     apart_status st = apart_time_of_impact(&a, &fall, &b, &rest, NULL, NULL, &hit);
 *     // hit.outcome; hit.t in [0,1]; the gap is certified positive at every moment before hit.t; hit.at: points and normal there
 *
 * A motion lasts from t = 0 to t = 1 and turns about an axis of fixed direction at constant speed, as often as you like; what moves
 * straight or on a helix meanwhile is said with apart_path. sin and cos are the library's own: the same bits everywhere.
 * Nothing here allocates, locks or loops for ever; a cache belongs to one thread at a time.
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
    APART_PATH_STRAIGHT = 0, /**< the pivot moves on a straight line at constant speed (a free flying body: pivot = centre of mass) */
    APART_PATH_SCREW = 1     /**< the velocity turns with the body: every point on a helix about one fixed line (a robot's joint) */
} apart_path;

/** How a body moves from t = 0 to t = 1. Plain numbers, read and written by anybody. With E(t) the rotation by the angle t*|angular|
 *  about `angular`, x a point of the shape and s(t) the way of the pivot, t*linear if straight, the integral of E(t)*linear if a screw:
 *      world(x, t) = pivot + s(t) + E(t) * (start.rotation * x + start.translation - pivot). */
typedef struct apart_motion {
    apart_pose start;   /**< at t = 0, exactly */
    apart_vec3 pivot;   /**< a point carried by the body: where it is in the world at t = 0 */
    apart_vec3 linear;  /**< straight: how far the pivot moves until t = 1; screw: its velocity at t = 0 */
    apart_vec3 angular; /**< angular velocity, world axes: |angular| radians until t = 1, any number of turns up to APART_MAX_ANGLE */
    uint8_t path;       /**< apart_path */
} apart_motion;

/** The largest |angular|, in radians: 2^30, about 170 million turns. */
#define APART_MAX_ANGLE 1073741824.0

/** A body that stays where it is. */
apart_motion apart_motion_rest(const apart_pose *pose);

/** A body that moves by `displacement` without turning. */
apart_motion apart_motion_translation(const apart_pose *start, apart_vec3 displacement);

/** A body whose point `center` (in the shape's frame, its centre of mass say) moves straight with velocity `linear`, while it turns with
 *  angular velocity `angular` (world axes, radians); both for the time from 0 to 1. */
apart_motion apart_motion_velocity(const apart_pose *start, apart_vec3 linear, apart_vec3 angular, apart_vec3 center);

/** From one pose to another: the point `center` (in the shape's frame) moves straight, and the body turns by the smallest angle (at
 *  most pi) about a fixed direction. Ends at `end` to rounding and to what the two matrices lack of being rotations.
 *  APART_ERR_NULL, APART_ERR_NONFINITE, APART_ERR_ROTATION. */
apart_status apart_motion_between(const apart_pose *start, const apart_pose *end, apart_vec3 center, apart_motion *out);

/** From one pose to another as a screw (Chasles): a turn by the smallest angle about one fixed line, and a shift along it.
 *  Statuses as apart_motion_between. */
apart_status apart_motion_screw(const apart_pose *start, const apart_pose *end, apart_motion *out);

/** The motion of a part fixed to the moving body by the pose `local` (part -> body frame). */
apart_motion apart_motion_of_part(const apart_motion *motion, const apart_pose *local);

/** APART_OK, APART_ERR_NULL, APART_ERR_NONFINITE, APART_ERR_ROTATION, APART_ERR_OPTION (path) or APART_ERR_OVERFLOW (|angular| >
 *  APART_MAX_ANGLE). */
apart_status apart_motion_check(const apart_motion *motion);

/** The pose at time t (0 gives `start` itself; times outside [0,1] are legal while the angle is below APART_MAX_ANGLE). Each entry of the
 *  rotation is within 32 eps of the exact path's. Statuses as apart_motion_check; APART_ERR_NONFINITE for such a t. */
apart_status apart_motion_pose(const apart_motion *motion, double t, apart_pose *out);

/** sin and cos of an angle, |angle| <= APART_MAX_ANGLE: within eps/2 of the true values, the same bits everywhere, no libm.
 *  Larger and non-finite angles give 0 and 1. */
void apart_sincos(double angle, double *sine, double *cosine);

/** How much is wanted of the smallest gap when the bodies never meet. */
typedef enum apart_gap {
    APART_GAP_TOLERANCE = 0, /**< lower and upper bound within the tolerance of each other */
    APART_GAP_NONE = 1       /**< what the search for a contact proves anyway: a positive lower bound; cheapest */
} apart_gap;

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_motion_options {
    double tolerance;        /**< a length: a gap at most this is a contact; 0: 1e-6 of both radii. Raised to what rounding allows */
    double until;            /**< look at [0, until] only, 0 < until <= 1; 0: 1 */
    double cutoff;           /**< > 0: smallest gaps known to be at least this are not narrowed down; 0: none */
    uint32_t max_iterations; /**< distance queries at most; 0: the default, 2^20 */
    uint8_t gap;             /**< apart_gap */
    apart_stats *stats;      /**< NULL: none; of all distance queries */
} apart_motion_options;

/** What became of the motion. */
typedef enum apart_outcome {
    APART_OUTCOME_CLEAR = 0, /**< no contact from 0 to `until` */
    APART_OUTCOME_HIT = 1,   /**< contact at t: the gap is at most the tolerance there, and positive before */
    APART_OUTCOME_START = 2, /**< touching or overlapping already at t = 0; at.relation tells which */
    APART_OUTCOME_LIMIT = 3  /**< the iteration limit: no contact before t, later times were not looked at */
} apart_outcome;

/** The answer. All bounds are about the exact path of apart_motion, not about its rounded poses. */
typedef struct apart_impact {
    double t;             /**< hit: time of impact; clear: time of the smallest gap found; limit: clear up to here */
    double lower;         /**< certified: the gap is at least this before t (clear: from 0 to `until`); > 0 unless hit at the start */
    double upper;         /**< certified: the gap at t is at most this. Hit: <= tolerance. Clear: the smallest gap is at most this */
    double tolerance;     /**< the one that was used */
    uint32_t iterations;  /**< distance queries */
    uint32_t separations; /**< supports along a fixed direction at a further moment, both bodies together counted once */
    uint8_t outcome;      /**< apart_outcome */
    uint8_t stop;         /**< apart_stop: converged, iterations, or cut-off (clear, and the smallest gap is at least that) */
    apart_pose pose_a;    /**< A at t, for apart_features and apart_verify */
    apart_pose pose_b;    /**< B at t */
    apart_result at;      /**< the bodies at t: points, normal, simplex, signed distance with bounds */
} apart_impact;

/** The first contact of two moving bodies, with a guarantee: never a contact before t, whatever the speed, the spin or the thinness.
 *  options, cache may be NULL. A half-space may be one of the two. A 2D body turns about z and stays in its plane.
 *  Statuses: those of apart_distance and of apart_motion_check; APART_ERR_OPTION; the impact is then untouched. */
apart_status apart_time_of_impact(const apart_shape *a, const apart_motion *motion_a, const apart_shape *b, const apart_motion *motion_b,
                                  const apart_motion_options *options, apart_cache *cache, apart_impact *impact);

/** The same for bodies that only translate (item L7): mostly three to twelve queries. Only the relative motion displacement_b -
 *  displacement_a counts. */
apart_status apart_sweep(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a, const apart_shape *b,
                         const apart_pose *pose_b, apart_vec3 displacement_b, const apart_motion_options *options, apart_cache *cache,
                         apart_impact *impact);

/** Do two translating bodies meet at all? One overlap query of the body swept along the relative motion, A + segment, against B at rest
 *  (item L7). 0 is certain; contact within rounding counts as 1.
 *  APART_ERR_NESTING where a sum with a segment would be nested too deep; other statuses as apart_overlap. */
apart_status apart_swept_overlap(const apart_shape *a, const apart_pose *pose_a, apart_vec3 displacement_a, const apart_shape *b,
                                 const apart_pose *pose_b, apart_vec3 displacement_b, const apart_options *options, apart_cache *cache,
                                 int *overlap);

/** "clear", "hit", "start", "limit"; static storage, "?" for an unknown value. */
const char *apart_outcome_name(int outcome);

/** A ray, or a piece of one: origin + s * direction/|direction| for 0 <= s <= length. */
typedef struct apart_ray {
    apart_vec3 origin;    /**< world frame */
    apart_vec3 direction; /**< any length > 0 */
    double length;        /**< how far to look, >= 0; may be INFINITY */
} apart_ray;

/** Where a ray enters a body. World frame. */
typedef struct apart_ray_hit {
    uint8_t hit;           /**< 1: it does; 0: it misses, and of the rest only `lower` and `iterations` mean anything */
    uint8_t inside;        /**< 1: the origin is in the body already (or within rounding of it): distance 0, point = origin */
    uint16_t iterations;   /**< distance queries */
    double distance;       /**< along the ray, from 0 to length */
    double lower;          /**< certified: no point of the body on the ray before this (a miss: length) */
    apart_vec3 point;      /**< within 64 eps * M of the body, M = its size + the distances of point and origin from it */
    apart_vec3 normal;     /**< unit, out of the body; inside: the shortest way out. On curved composites and callbacks to 1e-8 */
    apart_feature feature; /**< of the body, at the point: docs/features.md */
} apart_ray_hit;

/** Where does a ray enter a body? Every shape, half-space included; in 2D the ray lies in the plane. A ray that comes within rounding of
 *  the body may count as hit or not.
 *  Statuses: those of apart_distance; APART_ERR_NORMAL for a direction of length zero; APART_ERR_OPTION for a length that is negative or NaN. */
apart_status apart_raycast(const apart_ray *ray, const apart_shape *body, const apart_pose *pose, apart_cache *cache, apart_ray_hit *hit);

#ifdef __cplusplus
}
#endif
#endif
