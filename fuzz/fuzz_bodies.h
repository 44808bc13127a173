/* Shapes, poses and motions taken from the fuzzer's bytes. */
#ifndef AP_FUZZ_BODIES_H
#define AP_FUZZ_BODIES_H

#include "fuzz.h"

/* A bounded leaf, or a half-space. Operands are evaluated in any order: whatever takes bytes stands in a statement of
 * its own. */
static inline apart_shape take_shape(bytes *in, int dim)
{
    const uint8_t kind = take_byte(in) % 10;
    const apart_vec3 p = take_point(in);
    const apart_vec3 q = take_point(in);
    const apart_vec3 sizes = {fabs(p.x), fabs(p.y), fabs(p.z)};
    if (dim == 2)
        return kind < 3   ? apart_circle(sizes.x)
               : kind < 7 ? apart_rectangle(sizes.x, sizes.y)
                          : apart_rounded(apart_segment_2d(p.x, p.y, q.x, q.y), fabs(q.z));
    switch (kind) {
    case 0: return apart_point(p);
    case 1: return apart_segment(p, q);
    case 2: return apart_sphere(sizes.x);
    case 3: return apart_capsule(sizes.x, sizes.y);
    case 4: return apart_cylinder(sizes.x, sizes.y);
    case 5: return apart_cone(sizes.x, sizes.y);
    case 6: return apart_ellipsoid(sizes);
    case 7: return apart_half_space(p, q.x);
    case 8: return apart_rounded(apart_box(sizes), fabs(q.x));
    default: return apart_box(sizes);
    }
}

static inline apart_pose take_pose(bytes *in, int dim)
{
    apart_vec3 at = take_point(in);
    apart_pose pose;
    const double w = take_number(in);
    const apart_vec3 v = take_point(in);
    at.z = dim == 2 ? 0 : at.z;
    if (apart_pose_from_quat_wxyz(w, dim == 2 ? 0 : v.x, dim == 2 ? 0 : v.y, v.z, at, &pose) != APART_OK)
        return apart_pose_translation(at.x, at.y, at.z);
    return pose;
}

static inline apart_motion take_motion(bytes *in, int dim)
{
    const apart_pose start = take_pose(in, dim);
    const uint8_t kind = take_byte(in);
    apart_motion m = apart_motion_rest(&start);
    if (kind < 64) {
        const apart_pose end = take_pose(in, dim);
        const apart_status status = kind < 32 ? apart_motion_screw(&start, &end, &m)
                                              : apart_motion_between(&start, &end, (apart_vec3){0, 0, 0}, &m);
        check(status == APART_OK || apart_motion_check(&m) == APART_OK || apart_pose_check(&start) != APART_OK,
              "a refused motion leaves the other alone");
        return m;
    }
    m.linear = take_point(in);
    if (kind > 100)
        m.angular = take_point(in);
    if (kind > 220)
        m.pivot = take_point(in);
    m.path = kind % 2;
    if (dim == 2) {
        m.linear.z = m.pivot.z = 0;
        m.angular.x = m.angular.y = 0;
    }
    return m;
}

static inline double length_of(apart_vec3 v) { return hypot(hypot(v.x, v.y), v.z); }

#endif
