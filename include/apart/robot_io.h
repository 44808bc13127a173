/** @file
 * apart/robot_io.h: robots from files. Part of the library apart-io; needs expat (without it every reader here
 * refuses).
 *
 *     apart_robot *arm = NULL;
 *     apart_io_error error;
 *     if (apart_robot_read("arm.urdf", NULL, &arm, &error) != APART_OK)
 *         fprintf(stderr, "%s\n", error.message);    // arm.urdf:7: joint 'j': the child link 'b' does not exist
 *     apart_robot_read_srdf("arm.srdf", NULL, arm, &error);
 *     ...
 *     apart_robot_free(arm);
 *
 * What a file holds and a robot has no use for (visuals, inertias, actuators) is passed over; what a reader had to
 * guess or leave out is a note of the robot. Read next: apart/robot.h, docs/robots.md.
 */
#ifndef APART_ROBOT_IO_H
#define APART_ROBOT_IO_H

#include "mesh_body.h"
#include "robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the readers. All bytes zero: the defaults. */
typedef struct apart_robot_read_options {
    const char *packages; /**< where package://NAME/... may be: folders separated by ':', each the parent of packages, a
                           *   package itself (by its folder's name or its package.xml), or NAME=FOLDER; NULL: none. The
                           *   folders above the file are looked in anyway. $ROS_PACKAGE_PATH and $AMENT_PREFIX_PATH are
                           *   only looked at when the caller puts their folders in */
    uint8_t as;           /**< apart_mesh_as: what meshes stand for. AUTO: their hulls, piece by piece where all objects
                           *   of a file are convex */
} apart_robot_read_options;

/** Reads a robot: URDF or MJCF, by the outermost element. Lengths are the file's own (URDF: metres), angles radians.
 *  options and error may be NULL. APART_ERR_NULL, APART_ERR_MEMORY, APART_ERR_FILE, APART_ERR_SYNTAX, APART_ERR_OPTION
 *  (built without expat), or the status of a shape. */
APART_API apart_status apart_robot_read(const char *path, const apart_robot_read_options *options, apart_robot **out,
                                        apart_io_error *error);

/** The same from memory; `name` is used in messages, and files that the robot names are looked for beside it. */
APART_API apart_status apart_robot_read_memory(const void *data, size_t size, const char *name,
                                               const apart_robot_read_options *options, apart_robot **out,
                                               apart_io_error *error);

/** Adds the disabled pairs and named states of an SRDF to a finished robot. Names that are neither a link nor in
 *  `others` (obstacles; ends with NULL; may be NULL) are passed over with a note. Statuses as apart_robot_read. */
APART_API apart_status apart_robot_read_srdf(const char *path, const char *const *others, apart_robot *robot,
                                             apart_io_error *error);

/** Adds a mesh file to a link of a finished robot: by its hull, or piece by piece where all its objects are convex;
 *  notes say so. `line` is that of the file that names the mesh. Statuses as apart_robot_read. */
APART_API apart_status apart_robot_add_mesh(apart_robot *robot, size_t link, const char *path, apart_vec3 scale,
                                            const apart_pose *pose, size_t line, apart_io_error *error);
/** The same as a surface, solid, hull or cover (apart_mesh_as). A mesh that is to be a solid and is not watertight
 *  becomes a surface, with a note. */
APART_API apart_status apart_robot_add_mesh_as(apart_robot *robot, size_t link, const char *path, int as,
                                               apart_vec3 scale, const apart_pose *pose, size_t line,
                                               apart_io_error *error);

/** The variables of a group of an SRDF (its joints, links, chains and groups), ascending: at most as many as the robot has.
 *  Joints that the robot lacks are passed over. APART_ERR_SYNTAX with a message where there is no such group or nothing
 *  of it moves; other statuses as apart_robot_read. */
APART_API apart_status apart_robot_read_group(const char *path, const char *group, const apart_robot *robot,
                                              size_t *variables, size_t *count, apart_io_error *error);

#ifdef __cplusplus
}
#endif
#endif
