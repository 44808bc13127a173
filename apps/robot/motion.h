/* Shared between the cell and its search along motions. */
#ifndef ROBOT_MOTION_H
#define ROBOT_MOTION_H

#include "report.h"

/* robot_cell_gradient without the question whether it is unique. */
void robot_distance_gradient(const robot_cell *cell, size_t pair, const apart_compound_result *result,
                             double *gradient);

apart_solid robot_body_solid(const robot_body *body);

/* The distance of a pair with its solids at the poses (parts.c). */
apart_status robot_pair_distance(robot_cell *cell, robot_pair *pair, const apart_pose *pose_a, const apart_pose *pose_b,
                                 const apart_options *options, apart_compound_result *out);
/* How many caches a pair of bodies gets: one for each pair of parts, or none where they are many. */
size_t robot_pair_caches(const robot_body *a, const robot_body *b);

apart_status robot_search_create(robot_cell *cell);
void robot_search_free(robot_cell *cell);
/* The pairs in an order that has those first that were nearest lately. */
size_t robot_search_order(const robot_cell *cell, size_t place);
void robot_search_to_front(robot_cell *cell, size_t pair);

#endif
