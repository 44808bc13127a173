/** @file
 * apart/shape.h: convex shapes as small plain values.
 *
 * A shape is a core (point, segment, box, hull ...) in its own frame, rounded by a radius: a
 * sphere is a rounded point, a capsule a rounded segment. Constructors never fail: bad
 * parameters make an invalid shape whose `status` every query reports. Zero sizes are legal.
 *
 *     apart_shape brick = apart_box((apart_vec3){0.5, 1.0, 0.25});
 *     apart_shape soap  = apart_rounded(brick, 0.05);
 *     apart_shape swept = apart_sum(&brick, &segment);    // borrows its children
 *
 * Lengths are half extents and half heights. Composites borrow (`const apart_shape *`): the caller
 * keeps the children alive and in place; nesting is at most APART_MAX_NESTING. Point sets and
 * hulls are borrowed too.
 * Read next: apart/hull.h, apart/distance.h.
 */
#ifndef APART_SHAPE_H
#define APART_SHAPE_H

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How deep composite shapes may be nested. */
#define APART_MAX_NESTING 8

/** The index of a feature or vertex that has no number. */
#define APART_NO_INDEX UINT32_MAX

/** An immutable convex hull: apart/hull.h. */
typedef struct apart_hull apart_hull;
typedef struct apart_shape apart_shape;

/** The core of a shape. A sphere is APART_SHAPE_POINT with a radius, a capsule APART_SHAPE_SEGMENT with a radius. */
typedef enum apart_shape_kind {
    APART_SHAPE_NONE = 0,
    APART_SHAPE_POINT = 1,
    APART_SHAPE_SEGMENT = 2,
    APART_SHAPE_TRIANGLE = 3,
    APART_SHAPE_BOX = 4,
    APART_SHAPE_CYLINDER = 5,
    APART_SHAPE_CONE = 6,
    APART_SHAPE_ELLIPSOID = 7,
    APART_SHAPE_HALF_SPACE = 8,
    APART_SHAPE_HULL = 9,
    APART_SHAPE_POINTS = 10,
    APART_SHAPE_SUM = 11,
    APART_SHAPE_HULL_OF_TWO = 12,
    APART_SHAPE_AFFINE = 13,
    APART_SHAPE_CALLBACK = 14
} apart_shape_kind;

/** A support function: returns a point of the body that is farthest in `direction` (any length > 0; both in the
 *  shape's frame). It must not fail and must be pure and thread-safe. */
typedef apart_vec3 apart_support_fn(const void *user, apart_vec3 direction);

/** A user's own shape: its support function and a bounding sphere. */
typedef struct apart_callback {
    apart_support_fn *support; /**< the support function */
    const void *user;          /**< passed to it, borrowed */
    apart_vec3 center;         /**< centre of a bounding sphere, in the shape's frame */
    double radius;             /**< radius of that sphere */
    double error; /**< largest distance of a returned point from the true support plane or from the body; 0 if
                        *   exact to rounding */
} apart_callback;

/** A convex body in its own frame. Make it with a constructor; the fields may be read, not written. */
struct apart_shape {
    uint8_t kind;      /**< apart_shape_kind */
    uint8_t dim;       /**< 2 or 3 */
    uint8_t nesting;   /**< 0 for a leaf */
    uint8_t flags;     /**< internal */
    int32_t status;    /**< APART_OK, or why queries refuse this shape */
    double radius;     /**< rounding radius added to the core */
    double bound;      /**< the core lies within this distance of `center` (infinite for a half-space) */
    double error;      /**< largest error of a computed support point of the core, beyond the rounding of its last
                           *   operations */
    apart_vec3 center; /**< in the shape's frame; exactly the origin unless the shape is far from its origin */
    union {
        apart_vec3 point[3];     /**< point, segment, triangle */
        apart_vec3 half_extents; /**< box */
        struct {
            double radius, half_height;
        } round;              /**< cylinder, cone; axis z */
        apart_vec3 semi_axes; /**< ellipsoid */
        struct {
            apart_vec3 normal;
            double offset;
        } plane; /**< half-space: unit normal . x <= offset */
        const apart_hull *hull;
        struct {
            const apart_hull *hull;  /**< internal, as what follows: the hull that is a box along its axes, */
            apart_vec3 half_extents; /**< its half extents, */
            apart_vec3 middle;       /**< its middle in the shape's frame, */
            uint32_t corners[8];     /**< and the caller's numbers of the vertices at its corners */
        } box_hull;
        struct {
            const double *coordinates;
            size_t count;
        } points; /**< `dim` doubles for each point */
        struct {
            const apart_shape *first, *second;
        } pair; /**< sum, hull of two */
        struct {
            const apart_shape *child;
            apart_mat3 linear;
            apart_vec3 offset;
        } affine;
        apart_callback callback;
    } u; /**< the parameters of the core, by kind */
};

/** A single point. */
APART_API apart_shape apart_point(apart_vec3 p);
/** The segment from p to q; p may equal q. */
APART_API apart_shape apart_segment(apart_vec3 p, apart_vec3 q);
/** The triangle p, q, r; may be flat or a point. */
APART_API apart_shape apart_triangle(apart_vec3 p, apart_vec3 q, apart_vec3 r);
/** Centred at the origin. */
APART_API apart_shape apart_sphere(double radius);
/** Centred at the origin, axis-parallel; zero extents make a plate, a segment or a point. */
APART_API apart_shape apart_box(apart_vec3 half_extents);
/** The segment from -half_height to +half_height on z, rounded by the radius. */
APART_API apart_shape apart_capsule(double radius, double half_height);
/** Axis z, from -half_height to +half_height, flat caps. */
APART_API apart_shape apart_cylinder(double radius, double half_height);
/** Base of the radius at z = -half_height, apex at z = +half_height. */
APART_API apart_shape apart_cone(double radius, double half_height);
/** Centred at the origin, axis-parallel. Three equal semi-axes make a sphere, that is a rounded point. */
APART_API apart_shape apart_ellipsoid(apart_vec3 semi_axes);
/** All x with normal . x <= offset * |normal|; the normal is normalised here. Not allowed inside a composite or
 *  against another half-space. */
APART_API apart_shape apart_half_space(apart_vec3 normal, double offset);
/** A hull, borrowed. */
APART_API apart_shape apart_hull_shape(const apart_hull *hull);
/** The convex hull of n points (x y z each), borrowed and scanned in every query: no topology is needed, the order is
 *  free and duplicates are allowed. O(n) here. */
APART_API apart_shape apart_points(const double *xyz, size_t n);

/** 2D: a single point. */
APART_API apart_shape apart_point_2d(double x, double y);
/** 2D: the segment from p to q. */
APART_API apart_shape apart_segment_2d(double px, double py, double qx, double qy);
/** 2D: centred at the origin, along y; half_height is that of the segment, without the caps. */
APART_API apart_shape apart_capsule_2d(double radius, double half_height);
/** 2D: {p : n.p <= offset}, the ground of a level with n = (0, 1); the normal may have any length > 0 and is
 *  normalised, the offset is along the unit normal. Not inside composites, and not against another half-space. */
APART_API apart_shape apart_half_space_2d(double normal_x, double normal_y, double offset);
/** 2D: centred at the origin. */
APART_API apart_shape apart_circle(double radius);
/** 2D: centred at the origin, axis-parallel; half extents. */
APART_API apart_shape apart_rectangle(double half_x, double half_y);
/** 2D: the convex hull of n points (x y each, any order), borrowed, scanned in every query. */
APART_API apart_shape apart_polygon(const double *xy, size_t n);

/** The shape with its rounding radius increased by `radius` >= 0. Borrows what `shape` borrows. */
APART_API apart_shape apart_rounded(apart_shape shape, double radius);
/** Minkowski sum {p + q}. Borrows both. */
APART_API apart_shape apart_sum(const apart_shape *first, const apart_shape *second);
/** Convex hull of the union, each in its own frame. Borrows both. */
APART_API apart_shape apart_hull_of_two(const apart_shape *first, const apart_shape *second);
/** The image linear * x + offset: rotation, mirror, non-uniform scale, projection. Borrows the child. */
APART_API apart_shape apart_affine(const apart_shape *child, apart_mat3 linear, apart_vec3 offset);
/** A user's own body, given by its support function (3D). */
APART_API apart_shape apart_callback_shape(apart_callback callback);
/** The same in the plane: the callback returns points with z = 0. */
APART_API apart_shape apart_callback_shape_2d(apart_callback callback);

/** "sphere", "capsule", "rounded box", "hull" ...; static storage. */
APART_API const char *apart_shape_name(const apart_shape *shape);

/** APART_OK, or why queries refuse the shape (NULL: APART_ERR_NULL). Checks children too. */
APART_API apart_status apart_shape_check(const apart_shape *shape);

/** A support point: a point of the shape, rounding radius included, that is farthest in `direction`, in the shape's
 *  frame. A zero direction gives some point of the shape. APART_ERR_HALF_SPACE for a half-space. */
APART_API apart_status apart_support(const apart_shape *shape, apart_vec3 direction, apart_vec3 *out);

/** The smallest axis-aligned world box of a bounded shape under a pose; rounding may enlarge it, never shrink it. */
APART_API apart_status apart_shape_aabb(const apart_shape *shape, const apart_pose *pose, apart_aabb *out);

/** A bounding sphere of the shape, rounding radius included: centre in the shape's frame, radius. */
APART_API apart_status apart_shape_ball(const apart_shape *shape, apart_vec3 *center, double *radius);

#ifdef __cplusplus
}
#endif
#endif
