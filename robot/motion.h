/* Shared between the cell and its search along motions. */
#ifndef ROBOT_MOTION_H
#define ROBOT_MOTION_H

#include "report.h"

apart_solid robot_body_solid(const robot_body *body);

apart_status robot_search_create(robot_cell *cell);
void robot_search_free(robot_cell *cell);
/* The pairs in an order that has those first that were nearest lately. */
size_t robot_search_order(const robot_cell *cell, size_t place);
void robot_search_to_front(robot_cell *cell, size_t pair);

#endif
