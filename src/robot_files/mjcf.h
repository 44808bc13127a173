/* What the files of the MJCF reader share. */
#ifndef AP_ROBOT_FILES_MJCF_H
#define AP_ROBOT_FILES_MJCF_H

#include "geometry.h"

/* A joint in the order of a keyframe's numbers. */
typedef struct ap_mjcf_joint {
    const char *name;
    size_t numbers; /* of the keyframe: 1, 4 (ball) or 7 (free) */
    double ref;
} ap_mjcf_joint;

typedef struct ap_mjcf {
    apart_robot *r;
    ap_xml_tree *tree;
    const ap_xml_node *root;
    ap_robot_geometries geometries;
    ap_mjcf_joint *joints;
    size_t joint_count, unnamed;
    bool radians;
    char sequence[4];        /* of Euler angles */
    const char *mesh_folder; /* "" or ends with a slash */
    apart_io_error *error;
} ap_mjcf;

/* The value of an attribute of an element, or of its class of defaults; `class` is that of the bodies around it, or
 * NULL. (mjcf_defaults.c) */
const char *ap_mjcf_find(const ap_mjcf *m, const ap_xml_node *node, const char *class, const char *name);
apart_status ap_mjcf_numbers(const ap_mjcf *m, const ap_xml_node *node, const char *class, const char *name,
                             size_t least, size_t most, double *out, size_t *count);
/* "pos" with "quat", "axisangle", "euler", "xyaxes" or "zaxis". */
apart_status ap_mjcf_pose(const ap_mjcf *m, const ap_xml_node *node, const char *class, apart_pose *out);
/* Puts the children of included files in the places of <include>. */
apart_status ap_mjcf_include(ap_mjcf *m, ap_xml_node *node, int depth);

/* Adds a <geom> to the geometry of a link that the frame places. (mjcf_geom.c) */
apart_status ap_mjcf_geom(ap_mjcf *m, const ap_xml_node *node, const char *class, const char *link,
                          const apart_pose *frame);

#endif
