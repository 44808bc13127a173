/* Shapes as hulls: exactly where the core is a polytope, else by support points; and the polytope around them. */
#ifndef AP_MEASURE_POLYTOPE_H
#define AP_MEASURE_POLYTOPE_H

#include <apart/hull.h>
#include <apart/measure.h>

#include <stdbool.h>

/* What the caller asked for. */
typedef struct ap_measure {
    apart_allocator allocator;
    uint32_t grid;
} ap_measure;

/* APART_ERR_OPTION. */
apart_status ap_take_measure(const apart_measure_options *options, ap_measure *with);

/* Twice the area of a triangle in the plane, above zero if it is counter-clockwise. */
double ap_turn_of_corner(apart_vec3 a, apart_vec3 b, apart_vec3 c);

/* The vertices of a shape that is the hull of finitely many points; 0: it is not, or has too many. */
size_t ap_listed_count(const apart_shape *shape);
apart_vec3 ap_listed_vertex(const apart_shape *shape, size_t i);

/* Directions of any length > 0, on the six faces of a cube or, in the plane, the four sides of a square. */
size_t ap_direction_count(int dim, uint32_t grid);
apart_vec3 ap_direction_at(int dim, uint32_t grid, size_t i);

/* The hull of the vertices, or of support points in so many directions. */
apart_status ap_inner_hull(const apart_shape *shape, uint32_t grid, const apart_allocator *allocator, apart_hull **out);

/* The polytope of the half-spaces that support the shape in these directions, around an inner point, enlarged by more
 * than its rounding. In space only. */
apart_status ap_outer_hull(const apart_shape *shape, uint32_t grid, apart_vec3 inner, const apart_allocator *allocator,
                           apart_hull **out);

/* Of a shape in the plane: the vertices, or support points, counter-clockwise. The caller releases them. */
apart_status ap_polygon(const apart_shape *shape, uint32_t grid, const apart_allocator *allocator, apart_vec3 **out,
                        size_t *count);

#endif
