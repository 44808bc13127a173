/* Geometry of links that is added when the tree of a robot is known, and the files of meshes. */
#ifndef AP_ROBOT_FILES_GEOMETRY_H
#define AP_ROBOT_FILES_GEOMETRY_H

#include "xml.h"

/* A shape, or a mesh in a file. */
typedef struct ap_robot_geometry {
    const char *link; /* these texts live as long as the XML tree */
    const char *file; /* NULL: the shape */
    apart_shape shape;
    apart_vec3 scale;
    apart_pose pose; /* in the link's frame */
    const ap_xml_node *node;
} ap_robot_geometry;

typedef struct ap_robot_geometries {
    ap_robot_geometry *list;
    size_t count;
    const char *packages;
    int as;              /* apart_mesh_as of all meshes */
    bool in_file_folder; /* files are looked for beside the robot's file first, without packages */
} ap_robot_geometries;

apart_status ap_geometry_add(ap_robot_geometries *all, const ap_robot_geometry *added, apart_io_error *error);
/* Adds everything to the finished robot. */
apart_status ap_geometry_finish(const ap_robot_geometries *all, apart_robot *r, apart_io_error *error);

/* Into *path (to be freed): package://, file://, absolute, or beside the robot's file. APART_ERR_FILE with the places
 * that were looked in, APART_ERR_MEMORY. */
apart_status ap_robot_find_file(apart_robot *r, const char *packages, const char *name, const ap_xml_node *node,
                                char **path, apart_io_error *error);

/* The readers of each format: from the outermost element into a new robot, which they finish. */
apart_status ap_robot_read_urdf(ap_xml_tree *tree, const ap_xml_node *root, const apart_robot_read_options *options,
                                apart_robot *r, apart_io_error *error);
apart_status ap_robot_read_mjcf(ap_xml_tree *tree, ap_xml_node *root, const apart_robot_read_options *options,
                                apart_robot *r, apart_io_error *error);

#endif
