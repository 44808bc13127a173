/* Finds the files that a URDF names: package://, file://, absolute, or beside the URDF. */
#ifndef ROBOT_PACKAGE_H
#define ROBOT_PACKAGE_H

#include "report.h"

/* Into *path (to be freed). `packages` as for robot_read_urdf. APART_ERR_FILE with the places that were looked in,
 * APART_ERR_MEMORY. */
apart_status robot_find_file(robot *r, const char *packages, const char *name, size_t line, char **path,
                             apart_io_error *error);

#endif
