/* A body as the check sees it: its shape and pose in a frame in which the pair has about unit size, in
 * double-double arithmetic.
 *
 * The frame has the world's axes and an origin near A; lengths are multiplied by a power of two that brings the
 * pair to the size of 1, so that every quantity below has an error of about 2^-100 of the pair's size. Nothing here
 * is shared with the query code: support points are found by visiting all vertices, or have their own closed forms. */
#ifndef AP_VERIFY_BODY_H
#define AP_VERIFY_BODY_H

#include <apart/hull.h>
#include <apart/verify.h>

#include "../math/eft.h"

typedef struct ap_verify_body {
    const apart_shape *shape;
    apart_mat3 rotation;
    ap_dd3 offset; /* scale * (translation - origin) */
    double scale;
    double radius;  /* scale * rounding radius */
    double slack;   /* error of a computed support point: callbacks, and rounding in double-double arithmetic; scaled */
    double stretch; /* the matrix changes no length by more than this share */
    bool callback;  /* the shape contains a user's support mapping */
} ap_verify_body;

/* Fills a body for the frame of this origin and scale. */
void ap_verify_body_set(ap_verify_body *body, const apart_shape *shape, const apart_pose *pose, apart_vec3 origin,
                        double scale);

/* The same body in its own frame, without the pose. */
ap_verify_body ap_verify_body_unposed(const ap_verify_body *body);

/* A support point of the core in direction d != 0. False: a callback's point is not finite, or a number left the
 * range of doubles. */
bool ap_verify_support(const ap_verify_body *body, ap_dd3 d, ap_dd3 *out);

/* What a support point costs, in dot products. */
double ap_verify_support_cost(const apart_shape *shape);

/* The radius of the image of the body's rounding ball along d: radius * |R^T d| / |d|. */
ap_dd ap_verify_radius_along(const ap_verify_body *body, ap_dd3 d);

/* Maps a point of the frame to the body's own frame (by the inverse of the matrix as it is, not its transpose). */
ap_dd3 ap_verify_to_local(const ap_verify_body *body, ap_dd3 p);

/* Maps a world point to the frame. */
ap_dd3 ap_verify_to_frame(apart_vec3 p, apart_vec3 origin, double scale);

/* dd_vectors.c: vector arithmetic that eft.h does not have. */
ap_dd ap_dd_sqrt(ap_dd a);
ap_dd ap_dd3_norm(ap_dd3 a);
ap_dd3 ap_dd3_add(ap_dd3 a, ap_dd3 b);
ap_dd3 ap_dd3_sub(ap_dd3 a, ap_dd3 b);
ap_dd3 ap_dd3_neg(ap_dd3 a);
bool ap_dd3_finite(ap_dd3 a);
/* M v and transpose(M) v. */
ap_dd3 ap_dd3_apply(const apart_mat3 *m, ap_dd3 v);
ap_dd3 ap_dd3_apply_transposed(const apart_mat3 *m, ap_dd3 v);
/* Multiplies a by a power of two that brings its largest component to [1, 2); zero stays zero. */
ap_dd3 ap_dd3_to_unit_size(ap_dd3 a);
/* a / |a| */
ap_dd3 ap_dd3_unit(ap_dd3 a);

/* A double that is not above, not below a double-double number. */
static inline double ap_dd_below(ap_dd a) { return ap_dd_value(a) - 0x1p-52 * fabs(ap_dd_value(a)); }
static inline double ap_dd_above(ap_dd a) { return ap_dd_value(a) + 0x1p-52 * fabs(ap_dd_value(a)); }

/* Proved bounds of a distance: lower <= value <= upper. */
typedef struct ap_verify_bounds {
    double lower, upper;
    double core_lower; /* of the cores alone, where the bounds are those of the bodies */
    bool failed;       /* a support point could not be computed: the bounds are those known before */
} ap_verify_bounds;

/* A search stops when both bounds have reached their goals, or when the lower one is above `most` or the upper one below
 * `least`: then the claim is refuted. */
typedef struct ap_verify_goal {
    double lower, upper, least, most;
} ap_verify_goal;

static inline bool ap_verify_goal_reached(ap_verify_goal goal, ap_verify_bounds found)
{
    return (found.lower >= goal.lower && found.upper <= goal.upper) || found.lower > goal.most ||
           found.upper < goal.least;
}

/* core_distance.c: bounds of the signed distance of A and B, from the directions tried (start first) and from points of
 * both cores; the upper one is not below minus the sum of the radii. */
ap_verify_bounds ap_verify_nearest(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 start, ap_verify_goal goal);

/* Bounds of the distance from a point to the core of A. */
ap_verify_bounds ap_verify_nearest_point(const ap_verify_body *a, ap_dd3 point, ap_verify_goal goal);

/* The separations of the bodies and of their cores along d, min over B minus max over A of d.x / |d|, not above the
 * true ones. False: a support point could not be computed. */
bool ap_verify_separation(const ap_verify_body *a, const ap_verify_body *b, ap_dd3 d, double *bodies, double *cores);

/* exhaustive_depth.c: bounds of the signed distance of the cores of overlapping polytopes, from the separations
 * along all normals that a facet of the Minkowski difference can have. lower is at least `known`, a separation
 * found before. upper is INFINITY unless the cores are proved to overlap; failed: not both are polytopes, or there
 * are too many normals. */
ap_verify_bounds ap_verify_depth(const ap_verify_body *a, const ap_verify_body *b, double known);

/* A plane of directions: perpendicular unit vectors, and what the largest separation in it may miss. */
typedef struct ap_verify_plane {
    ap_dd3 f, g;
    double slack;
} ap_verify_plane;

/* meridian_plane.c: the plane in which the cores have their largest separation, if both are bodies of revolution about
 * axes that are parallel to rounding. False: not known to be such. */
bool ap_verify_meridian_plane(const ap_verify_body *a, const ap_verify_body *b, ap_verify_plane *plane);

/* cone_search.c: a search over all directions, for the signed distance of the cores of any overlapping bodies. */

/* Finds the point w of a Minkowski difference that is farthest against the direction n (dim numbers each). False: it
 * could not be computed. */
typedef bool ap_cone_support_fn(const void *bodies, const ap_dd *n, ap_dd *w);

#define AP_CONE_MAX_DIM 6
#define AP_CONE_CELLS 96
/* Doubles of memory that a search needs. */
#define AP_CONE_MEMORY(dim) (AP_CONE_CELLS * 3 * (dim) * (dim))

typedef struct ap_cone_problem {
    int dim; /* 1 .. AP_CONE_MAX_DIM */
    ap_cone_support_fn *support;
    const void *bodies;
    double slack;       /* error of w, and of its being the farthest; lengths are about 1 */
    double cost;        /* of a support, in dot products */
    double known;       /* a separation found before */
    double target;      /* the upper bound to reach */
    const double *axis; /* the direction to start with, about the unit length */
    double *memory;     /* AP_CONE_MEMORY(dim) doubles */
} ap_cone_problem;

/* Bounds of the largest separation. upper is INFINITY or below 0; failed: a support could not be computed. */
ap_verify_bounds ap_cone_search(const ap_cone_problem *problem);

/* cone_game.c: weights mu >= 0 with the sum 1 over k <= AP_GAME_MAX columns that make the largest of the `rows` sums
 * over mu_i value[i][j] about as small as possible, and weights alpha of the rows that show it. */
#define AP_GAME_MAX (4 * AP_CONE_MAX_DIM)
void ap_cone_game(int rows, int columns, double value[][AP_CONE_MAX_DIM], double *mu, double *alpha);

/* point_outside.c: bounds of the distance of a point of the frame from the body, radius included (0 inside). The
 * bounds are close enough for a comparison with `tolerance`. */
ap_verify_bounds ap_verify_outside(const ap_verify_body *body, ap_dd3 point, double tolerance);

#endif
