/* Bodies as flat drawings: a view direction, silhouettes from the support mapping, and edges with what hides them. */
#ifndef CLI_OUTLINE_H
#define CLI_OUTLINE_H

#include "cli.h"
#include "svg.h"

/* Orthographic: the picture's axes and the direction towards the viewer, orthonormal. */
typedef struct cli_view {
    apart_vec3 right, up, toward;
} cli_view;

enum { CLI_OUTLINE_SIZE = 720 };

/* A convex region of the picture: a polygon, or the half-plane normal . x <= offset (no polygon then). */
typedef struct cli_region {
    bool half_plane;
    flat normal;
    double offset;
    size_t count;
    flat points[CLI_OUTLINE_SIZE];
} cli_region;

typedef struct cli_edge {
    flat from, to;
    bool hidden;
    bool joined; /* goes on where the edge before it ended, and belongs to the same curve */
} cli_edge;

/* No curve has more edges than this. */
enum { CLI_RIM_SEGMENTS = 72 };

/* A view in which the witness segment has its true length and z points up as well as it can; in 2D, the plane
 * itself. */
cli_view cli_view_choose(const apart_result *result);

flat cli_project(const cli_view *view, apart_vec3 p);

/* The silhouette of a body. */
void cli_outline_body(const cli_body *body, const cli_view *view, cli_region *out);

/* The silhouette of {b - a}; a and b must not both be half-spaces. */
void cli_outline_difference(const cli_body bodies[2], const cli_view *view, cli_region *out);

/* The point of a polygon farthest in a direction. */
flat cli_region_support(const cli_region *region, flat direction);

/* The middle of a polygon. */
flat cli_region_center(const cli_region *region);

/* Edges and rims of a 3D body, to be freed; NULL when there are none. */
cli_edge *cli_body_edges(const cli_body *body, const cli_view *view, size_t *count);

#endif
