/* Vectors and poses in short, for tests that write many of them. */
#ifndef APART_TESTS_POSES_H
#define APART_TESTS_POSES_H

#include <apart/math.h>
#include <check.h>
#include <math.h>
#include <stdbool.h>

static inline apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }
static inline bool is_finite(apart_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline double largest(apart_vec3 a) { return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z)); }

static inline apart_pose at(double x, double y, double z) { return apart_pose_translation(x, y, z); }

static inline apart_pose turned(apart_vec3 axis, double degrees, apart_vec3 where)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_axis_angle(axis, degrees * 0.017453292519943295, where, &pose), APART_OK);
    return pose;
}

/* Angles in radians. */
static inline apart_pose turned_rpy(double roll, double pitch, double yaw, apart_vec3 where)
{
    apart_pose pose;
    ck_assert_int_eq(apart_pose_from_rpy(roll, pitch, yaw, where, &pose), APART_OK);
    return pose;
}

#endif
