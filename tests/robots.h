/* Real robots for the tests, from Debian's dart-doc. Systems that leave the files of documentation packages out have
 * none: the tests say so and go on without. */
#ifndef TEST_ROBOTS_H
#define TEST_ROBOTS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <apart/robot_io.h>
#include <stdio.h>

#define DART_DATA "/usr/share/doc/dart/data/"
#define KR5_URDF DART_DATA "urdf/KR5/KR5 sixx R650.urdf"
#define WAM_URDF DART_DATA "urdf/wam/wam.urdf"
#define HUBO_URDF DART_DATA "urdf/drchubo/drchubo.urdf"
#define ATLAS_URDF DART_DATA "sdf/atlas/atlas_v3.urdf"

/* The robot, or NULL after a message when its files are not there. Any other error ends the test. */
static inline apart_robot *load_robot(const char *path)
{
    apart_robot *r = NULL;
    apart_io_error error;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        printf("skipped: %s is missing (Debian's dart-doc; some systems leave such files out)\n", path);
        return NULL;
    }
    fclose(file);
    const apart_robot_read_options options = {.packages = "herb_description=" DART_DATA "urdf/wam"};
    if (apart_robot_read(path, &options, &r, &error) != APART_OK) {
        printf("%s\n", error.message);
        abort();
    }
    return r;
}

/* A robot with every kind of joint: turns, a slide, a fixed joint, a joint without limits, mimics with factor and
 * offset, branches. */
static inline apart_robot *mixed_robot(void)
{
    static const struct {
        const char *name, *parent, *child, *mimics;
        int kind;
        double rpy[3], xyz[3];
        apart_vec3 axis;
        double factor, offset;
    } joints[] = {
        {"yaw", "base", "column", NULL, APART_JOINT_CONTINUOUS, {0.1, 0, 0.2}, {0, 0, 0.3}, {0, 0, 2}, 1, 0},
        {"mount", "column", "bracket", NULL, APART_JOINT_FIXED, {0.3, -0.2, 0.5}, {0.05, 0, 0.1}, {1, 0, 0}, 1, 0},
        {"lift", "bracket", "carriage", NULL, APART_JOINT_SLIDING, {0, 0.4, 0}, {0.1, 0.2, 0}, {0, 1, 1}, 1, 0},
        {"pitch", "carriage", "arm", NULL, APART_JOINT_ROTARY, {0, 0, 0.7}, {0, 0, 0.5}, {0.3, 1, 0}, 1, 0},
        {"left", "arm", "finger_l", NULL, APART_JOINT_SLIDING, {0, 0, 0}, {0.6, 0.1, 0}, {0, 1, 0}, 1, 0},
        {"right", "arm", "finger_r", "left", APART_JOINT_SLIDING, {0, 0, 0}, {0.6, -0.1, 0}, {0, 1, 0}, -1, 0.01},
        {"curl", "finger_r", "tip", "pitch", APART_JOINT_ROTARY, {0, 0.2, 0}, {0.2, 0, 0}, {0, 0, 1}, 0.5, 0.3},
    };
    apart_robot *r = apart_robot_new("mixed");
    apart_io_error error;
    const apart_part block = {apart_box((apart_vec3){0.1, 0.05, 0.07}), apart_pose_translation(0.02, 0, 0.05)};
    const apart_part bar = {apart_capsule(0.03, 0.12), apart_pose_translation(0.1, 0, 0)};
    bool good =
        apart_robot_add_link(r, "base", 1, &error) == APART_OK && apart_robot_add_part(r, 0, &block, NULL) == APART_OK;
    for (size_t i = 0; i < sizeof joints / sizeof joints[0] && good; i++) {
        apart_robot_joint j = {.kind = joints[i].kind,
                               .axis = joints[i].axis,
                               .lower = joints[i].kind == APART_JOINT_SLIDING ? -0.1 : -1.5,
                               .upper = joints[i].kind == APART_JOINT_SLIDING ? 0.2 : 1.5,
                               .factor = joints[i].factor,
                               .offset = joints[i].offset};
        if (joints[i].kind == APART_JOINT_CONTINUOUS) {
            j.lower = -INFINITY;
            j.upper = INFINITY;
        }
        apart_pose_from_rpy(joints[i].rpy[0], joints[i].rpy[1], joints[i].rpy[2],
                            (apart_vec3){joints[i].xyz[0], joints[i].xyz[1], joints[i].xyz[2]}, &j.origin);
        good = apart_robot_add_joint(r, joints[i].name, joints[i].parent, joints[i].child, joints[i].mimics, &j,
                                     &error) == APART_OK &&
               apart_robot_add_link(r, joints[i].child, i + 2, &error) == APART_OK &&
               apart_robot_add_part(r, i + 1, i % 2 ? &bar : &block, NULL) == APART_OK;
    }
    if (!good || apart_robot_finish(r, &error) != APART_OK) {
        printf("%s\n", error.message);
        abort();
    }
    return r;
}

#endif
