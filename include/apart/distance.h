/** @file
 * apart/distance.h: the signed distance of two convex bodies, with certified bounds.
 *
 *     apart_cache cache = {0};                       // one per pair; NULL for a cold start
 *     apart_result r;
 *     apart_status st = apart_distance(&a, &pose_a, &b, &pose_b, NULL, &cache, &r);
 *
 * r.distance > 0 is a gap, < 0 is minus the penetration depth; r.lower <= true value <= r.upper.
 * Points and normal are in the world frame; the normal is a unit vector from A to B, and
 * r.b - r.a = r.distance * r.normal. Queries allocate nothing, lock nothing and are thread-safe;
 * cache, trace and statistics belong to one thread at a time.
 * Read next: apart/verify.h (check a result), apart/nd.h (any dimension), docs/how-it-works.md (the ideas),
 * docs/glossary.md (the words).
 */
#ifndef APART_DISTANCE_H
#define APART_DISTANCE_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The relation of the bodies: separated, touching, overlapping, or farther apart than the cut-off. */
typedef enum apart_relation {
    APART_DISJOINT = 0,    /**< separated: lower > 0 */
    APART_TOUCHING = 1,    /**< the bounds include 0: contact within rounding */
    APART_OVERLAPPING = 2, /**< upper < 0; with depth `none`: the overlap is certain, upper is 0 */
    APART_BEYOND = 3       /**< farther apart than the cut-off: lower >= cut-off */
} apart_relation;

/** Why the query stopped. Reaching a limit is not an error: the best points come back with their bounds. */
typedef enum apart_stop {
    APART_STOP_CONVERGED = 0,  /**< the bounds agree to rounding, or to the requested tolerance */
    APART_STOP_ROUNDING = 1,   /**< no further progress in double precision; the bounds say how accurate it is */
    APART_STOP_ITERATIONS = 2, /**< the iteration limit was reached */
    APART_STOP_CUTOFF = 3,     /**< the distance is known to exceed the cut-off, or the yes/no answer is known */
    APART_STOP_WORKSPACE = 4   /**< the depth workspace is full */
} apart_stop;

/** The simplex solver of the GJK loop. All give the same answer within the bounds. docs/papers.md has the sources. */
typedef enum apart_solver {
    APART_SOLVER_DEFAULT = 0,       /**< robust and fast: region tests on edge vectors with error-free products */
    APART_SOLVER_JOHNSON = 1,       /**< Gilbert, Johnson, Keerthi 1988 in Cameron's bit-numbered form */
    APART_SOLVER_VORONOI = 2,       /**< Ericson's Voronoi regions */
    APART_SOLVER_GEOMETRIC = 3,     /**< separating plane and discard-and-add, with its own start and stop */
    APART_SOLVER_LEAST_SQUARES = 4, /**< divide and conquer by least squares */
    APART_SOLVER_VOLUMES = 5,       /**< signed volumes: Montanari, Petrinic, Barbieri 2017 */
    APART_SOLVER_COUNT = 6
} apart_solver;

/** How the support point of a hull is searched. Other shapes are scanned or have closed forms, whatever is asked. */
typedef enum apart_support_search {
    APART_SUPPORT_AUTO = 0,  /**< the fastest for the hull's size and the cache */
    APART_SUPPORT_SCAN = 1,  /**< evaluates every vertex */
    APART_SUPPORT_CLIMB = 2, /**< hill climbing over the hull's edges from the last vertex */
    APART_SUPPORT_TABLE = 3, /**< start vertex from a direction table, then hill climbing */
    APART_SUPPORT_COUNT = 4
} apart_support_search;

/** What to compute for overlapping bodies. */
typedef enum apart_depth {
    APART_DEPTH_EXACT = 0,  /**< the penetration depth: the length of the shortest translation that separates the
                             *   bodies */
    APART_DEPTH_BOUNDS = 1, /**< cheap bounds of it */
    APART_DEPTH_NONE = 2    /**< only that they overlap: distance 0, upper 0, lower -infinity */
} apart_depth;

/** Counters a caller may ask for. Queries add to them and never reset them. */
typedef struct apart_stats {
    uint64_t queries;              /**< calls */
    uint64_t iterations;           /**< iterations of the GJK loop */
    uint64_t support_calls;        /**< support searches, counted for each body */
    uint64_t vertices_visited;     /**< vertices whose dot product was computed */
    uint64_t edges_climbed;        /**< steps of hill climbing */
    uint64_t vertices_transformed; /**< vertices transformed to the world frame */
    uint64_t solver_calls;         /**< simplices solved */
    uint64_t fallbacks;            /**< queries that needed the double-double fallback */
    uint64_t multiplications;      /**< counted only in an instrumented build (APART_INSTRUMENT), else 0 */
    uint64_t divisions;            /**< likewise; square roots count as divisions */
    uint64_t solver_operations;    /**< the part of these two spent in the chosen solver, unless that is the default */
} apart_stats;

/** One iteration. Points are in a frame with the world's axes and A's centre as its origin; w = b - a is a point of the
 *  Minkowski difference. */
typedef struct apart_trace_step {
    uint32_t count;           /**< points of the simplex that contains v: 1..4 */
    uint32_t index_a[4];      /**< the caller's vertex indices on A, APART_NO_INDEX for curved shapes */
    uint32_t index_b[4];      /**< the same on B */
    apart_vec3 point_a[4];    /**< the simplex on A */
    apart_vec3 point_b[4];    /**< the simplex on B */
    double lambda[4];         /**< weights of the simplex points */
    apart_vec3 v;             /**< the point of the simplex closest to the origin */
    uint32_t support_index_a; /**< the new support pair: vertex of A */
    uint32_t support_index_b; /**< vertex of B */
    apart_vec3 support_a;     /**< that vertex as a point of A */
    apart_vec3 support_b;     /**< that vertex as a point of B */
    double lower;             /**< lower bound of the distance of the cores after this step */
    double upper;             /**< upper bound of the same */
    uint32_t fallback;        /**< 1 when the double-double solver made this step */
    uint32_t surface;         /**< depth search: where this step's points begin in the trace's `surface` */
    uint32_t surface_count;   /**< depth search: how many points. Three for each triangle (count 3), or a closed
                                 *   polygon around the origin in order (count 2); else 0 */
} apart_trace_step;

/** A caller's array for the iterations; `count` may exceed `capacity`, then the rest was not stored. */
typedef struct apart_trace {
    apart_trace_step *steps;   /**< room for `capacity` steps; NULL: they are only counted */
    uint32_t capacity;         /**< set by the caller */
    uint32_t count;            /**< steps of the query */
    apart_vec3 origin;         /**< world coordinates of the trace frame's origin */
    double radius_a;           /**< A's rounding radius: subtract both from core distances */
    double radius_b;           /**< B's */
    apart_vec3 *surface;       /**< room for `surface_capacity` points w = b - a of the surfaces that a depth search
                              *   expands; NULL: none */
    uint32_t surface_capacity; /**< set by the caller; some 10 000 for two hulls of 20 vertices */
    uint32_t surface_count;    /**< points of all steps; may exceed the capacity likewise */
} apart_trace;

/** The surface that certified the last depth of a pair, in the caller's memory: apart/penetration.h. */
typedef struct apart_depth_cache apart_depth_cache;

/** All bytes zero are the defaults; NULL means the same. */
typedef struct apart_options {
    uint8_t solver;                 /**< apart_solver */
    uint8_t support;                /**< apart_support_search */
    uint8_t depth;                  /**< apart_depth */
    uint8_t no_fallback;            /**< 1: return the solver's own answer even if it has not converged (for studies) */
    uint32_t max_iterations;        /**< 0: the default, 256 */
    double cutoff;                  /**< > 0: stop when the distance is known to be at least this; 0: none */
    double tolerance;               /**< >= 0: stop when upper - lower <= this; 0: down to rounding */
    apart_trace *trace;             /**< NULL: none */
    apart_stats *stats;             /**< NULL: none */
    apart_depth_cache *depth_cache; /**< NULL: none; a larger workspace, and tracking of the depth */
} apart_options;

/** The warm start of the next query of the same pair. A zeroed cache is valid; a stale, foreign or corrupted one costs
 *  time, never correctness. */
typedef struct apart_cache {
    uint32_t index_a[4]; /**< A's own vertex numbers of the last simplex */
    uint32_t index_b[4]; /**< B's */
    uint32_t tag;        /**< internal: hash of both shapes' kinds and sizes and of a format number */
    uint16_t count;      /**< pairs of vertices (curved bodies: features) kept, 0..4 */
    uint16_t flags;      /**< internal: what the warm start of boxes and curved bodies knows */
    double direction[3]; /**< last separating direction in A's frame */
} apart_cache;

/** The answer. World frame; normal from A to B; b - a = distance * normal. The points lie in the bodies up to rounding,
 *  also where the bounds are wide; where a depth's points do not fit its distance, the bounds cover the difference. */
typedef struct apart_result {
    double distance;     /**< signed: > 0 the gap, < 0 minus the penetration depth */
    double lower;        /**< certified: lower <= true value */
    double upper;        /**< certified: true value <= upper */
    apart_vec3 a;        /**< witness point on A */
    apart_vec3 b;        /**< witness point on B */
    apart_vec3 normal;   /**< unit, from A to B */
    uint32_t index_a[4]; /**< the caller's vertex numbers of the simplex on A, APART_NO_INDEX for curved shapes */
    uint32_t index_b[4]; /**< the same on B */
    double lambda[4];    /**< weights: a = sum lambda_i a_i, and b likewise, on the cores */
    uint16_t iterations; /**< iterations of the loop */
    uint8_t count;       /**< simplex points, 1..4 */
    uint8_t relation;    /**< apart_relation */
    uint8_t stop;        /**< apart_stop */
    uint8_t solver;      /**< apart_solver that ran */
    uint8_t fallback;    /**< 1: the double-double fallback finished the query */
    uint8_t dim;         /**< 2 or 3 */
} apart_result;

/** Signed distance of two bodies. options and cache may be NULL.
 *  Status: APART_ERR_NULL, APART_ERR_ROTATION, APART_ERR_NONFINITE, APART_ERR_DIMENSION, APART_ERR_HALF_SPACE,
 *  APART_ERR_OPTION, APART_ERR_OVERFLOW, APART_ERR_CALLBACK, or a shape's own status; the result is then
 *  untouched. */
APART_API apart_status apart_distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                      const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                      apart_result *result);

/** Whether the bodies touch or overlap (1) or not (0). Stops as soon as that is known. Contact within rounding counts
 *  as 1. Statuses as apart_distance. */
APART_API apart_status apart_overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                     const apart_pose *pose_b, const apart_options *options, apart_cache *cache,
                                     int *overlap);

/** Signed distance from a world point, which takes the place of A, to a body B: result.a is the point. Statuses as
 *  apart_distance. */
APART_API apart_status apart_point_distance(apart_vec3 point, const apart_shape *b, const apart_pose *pose_b,
                                            const apart_options *options, apart_cache *cache, apart_result *result);

/** The same result with points and normal in the frame of `pose` (a body's, usually). */
APART_API void apart_result_in_frame(const apart_result *result, const apart_pose *pose, apart_result *out);

/** The kind of a closest feature. */
typedef enum apart_feature_kind {
    APART_FEATURE_VERTEX = 0,
    APART_FEATURE_EDGE = 1,
    APART_FEATURE_FACE = 2,
    APART_FEATURE_CURVED = 3,  /**< a point of a curved surface: no further structure */
    APART_FEATURE_INTERIOR = 4 /**< the witness point lies inside the body (overlap without a depth) */
} apart_feature_kind;

/** A closest feature with the caller's indices. Feature numbers of primitives are in docs/features.md. */
typedef struct apart_feature {
    uint8_t kind;      /**< apart_feature_kind */
    uint8_t count;     /**< vertices given in index */
    uint32_t index[4]; /**< the caller's vertex numbers that span it (a face: three or four of its vertices) */
    uint32_t number;   /**< edge or face number of a hull, or the primitive's feature number; APART_NO_INDEX if
                          *   none */
} apart_feature;

/** The features of A and B on which the witness points lie, for the bodies and poses of the query. Either output may
 *  be NULL. Two hull vertices that are not connected by an edge are reported as the face that contains both. Cost:
 *  O(vertices) for hulls. APART_ERR_NULL, or a shape's own status. */
APART_API apart_status apart_features(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                      const apart_pose *pose_b, const apart_result *result, apart_feature *on_a,
                                      apart_feature *on_b);

/** The name of an apart_relation for messages: "disjoint" ... As for all names below, storage is static and an unknown
 *  value gives "?". */
APART_API const char *apart_relation_name(int relation);
/** The name of an apart_stop: "converged" ... */
APART_API const char *apart_stop_name(int stop);
/** The name of an apart_solver: "johnson" ... */
APART_API const char *apart_solver_name(int solver);
/** The name of an apart_support_search: "climb" ... */
APART_API const char *apart_support_name(int support);
/** The name of an apart_feature_kind: "vertex" ... */
APART_API const char *apart_feature_name(int kind);

#ifdef __cplusplus
}
#endif
#endif
