/* The paper's arm (item G9): the first joint turns it about the vertical, three more bend it; links of 2, 1, 0.6 and
 * 0.4 are cylinders of sixteen sides, and so are the joints between them. Two pyramids stand in its way. */
#include <math.h>
#include <stdlib.h>

#include "arm.h"

enum { SIDES = 16, LINKS = 4 };
static const double lengths[LINKS] = {2.0, 1.0, 0.6, 0.4};
static const double radii[LINKS] = {0.1, 0.07, 0.055, 0.045};
static const double JOINT_SHARE = 1.35; /* a joint's radius against its link's */

/* A cylinder of sixteen sides from `from` to `to` along z. */
static apart_status cylinder(double radius, double from, double to, apart_hull **out)
{
    const double turn = 2.0 * acos(-1.0) / SIDES;
    double xyz[2 * SIDES][3];
    for (int i = 0; i < 2 * SIDES; i++) {
        const double angle = turn * (i % SIDES);
        xyz[i][0] = radius * cos(angle);
        xyz[i][1] = radius * sin(angle);
        xyz[i][2] = i < SIDES ? from : to;
    }
    return apart_hull_build(&xyz[0][0], (size_t)2 * SIDES, NULL, out);
}

/* Base of half side `half` at z = 0, apex at the height. */
static apart_status pyramid(double half, double height, apart_hull **out)
{
    const double xyz[5][3] = {{-half, -half, 0}, {half, -half, 0}, {half, half, 0}, {-half, half, 0}, {0, 0, height}};
    return apart_hull_build(&xyz[0][0], 5, NULL, out);
}

static apart_status add_hull(apart_robot *r, size_t link, apart_hull *hull, const apart_pose *pose)
{
    const apart_part part = {apart_hull_shape(hull), *pose};
    return apart_robot_add_part(r, link, &part, hull);
}

/* A link along z, and at its lower end the joint that carries it, lying along x; the first stands on the ground. */
static apart_status add_parts(apart_robot *r, size_t link, int i)
{
    const apart_pose here = apart_pose_identity();
    apart_pose lying;
    apart_hull *hull;
    apart_status status = cylinder(radii[i], i == 0 ? 0.0 : radii[i], lengths[i], &hull);
    if (status == APART_OK) {
        status = add_hull(r, link, hull, &here);
    }
    if (status != APART_OK || i == 0) {
        return status;
    }
    apart_pose_from_rpy(0.0, acos(-1.0) / 2.0, 0.0, (apart_vec3){0, 0, 0}, &lying);
    status = cylinder(JOINT_SHARE * radii[i], -1.5 * radii[i], 1.5 * radii[i], &hull);
    return status == APART_OK ? add_hull(r, link, hull, &lying) : status;
}

static apart_status add_links(apart_robot *r, apart_io_error *error)
{
    static const char *const links[] = {"base", "column", "upper", "lower", "hand"}, *const joints[] = {"turn",
                                                                                                        "shoulder",
                                                                                                        "elbow",
                                                                                                        "wrist"};
    apart_status status = apart_robot_add_link(r, links[0], 0, error);
    for (int i = 0; i < LINKS && status == APART_OK; i++) {
        const apart_robot_joint joint = {.kind = APART_JOINT_CONTINUOUS,
                                         .origin = apart_pose_translation(0, 0, i == 0 ? 0.0 : lengths[i - 1]),
                                         .axis = i == 0 ? (apart_vec3){0, 0, 1} : (apart_vec3){1, 0, 0},
                                         .lower = -INFINITY,
                                         .upper = INFINITY,
                                         .factor = 1.0};
        status = apart_robot_add_link(r, links[i + 1], 0, error);
        if (status == APART_OK) {
            status = apart_robot_add_joint(r, joints[i], links[i], links[i + 1], NULL, &joint, error);
        }
        if (status == APART_OK) {
            status = add_parts(r, (size_t)i + 1, i);
        }
    }
    return status == APART_OK ? apart_robot_finish(r, error) : status;
}

/* Where the pyramids stand was chosen so that the arm hits one without the push and passes both with it. */
static apart_status add_pyramids(robot_arm *arm)
{
    static const struct {
        const char *name;
        double half, height;
        apart_vec3 at;
    } rows[2] = {{"pyramid 1", 0.25, 1.6, {0.0, -0.65, 0.0}}, {"pyramid 2", 0.45, 2.6, {0.0, -1.65, 0.0}}};
    for (int i = 0; i < 2; i++) {
        apart_hull *hull;
        apart_status status = pyramid(rows[i].half, rows[i].height, &hull);
        if (status == APART_OK) {
            status = apart_robot_keep_hull(arm->robot, hull);
        }
        if (status != APART_OK) {
            return status;
        }
        arm->parts[i] = (apart_part){apart_hull_shape(hull), apart_pose_identity()};
        arm->obstacles[i] =
            (apart_robot_obstacle){.name = rows[i].name,
                                   .parts = &arm->parts[i],
                                   .count = 1,
                                   .pose = apart_pose_translation(rows[i].at.x, rows[i].at.y, rows[i].at.z)};
    }
    return APART_OK;
}

apart_status robot_arm_make(robot_arm *out)
{
    const double degree = acos(-1.0) / 180.0;
    *out = (robot_arm){.robot = apart_robot_new("the built-in arm"),
                       .start = {0.0, 90.0 * degree, -150.0 * degree, -30.0 * degree},
                       .path = {{0, -0.0804, 2.3}, {0, -0.7877, 2.3}, {0, -0.7877, 3.1918}},
                       .link = LINKS,
                       .point = {0, 0, 0.4}};
    apart_io_error error;
    apart_status status =
        out->robot != NULL ? apart_robot_set_name(out->robot, "an arm of four joints") : APART_ERR_MEMORY;
    if (status == APART_OK) {
        status = add_links(out->robot, &error);
    }
    if (status == APART_OK) {
        status = add_pyramids(out);
    }
    if (status != APART_OK) {
        apart_robot_free(out->robot);
        *out = (robot_arm){.robot = NULL};
        return status;
    }
    /* The note's start is rounded; the path begins where the arm is. */
    apart_pose links[LINKS + 1];
    apart_robot_forward(out->robot, out->start, links);
    out->path[0] = apart_pose_apply(&links[out->link], out->point);
    return APART_OK;
}
