/* Vectors and poses in short, for tests that write many of them. */
#ifndef APART_TESTS_POSES_H
#define APART_TESTS_POSES_H

#include <apart/math.h>
#include <check.h>
#include <math.h>
#include <stdbool.h>

static inline apart_vec3 vec(double x, double y, double z) { return (apart_vec3){x, y, z}; }
static inline double dot(apart_vec3 a, apart_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline apart_vec3 plus(apart_vec3 a, apart_vec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline apart_vec3 minus(apart_vec3 a, apart_vec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline apart_vec3 times(double s, apart_vec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline double length(apart_vec3 a) { return sqrt(dot(a, a)); }
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
