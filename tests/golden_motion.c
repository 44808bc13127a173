#include "golden_motion.h"

#include <stdlib.h>
#include <string.h>

#include "moving_pairs.h"

enum { MOTIONS = 1500 };

/* The sign of zero does not count. */
static uint64_t add(uint64_t hash, double x)
{
    uint64_t bits;
    const double y = x == 0.0 ? 0.0 : x;
    memcpy(&bits, &y, sizeof bits);
    return (hash ^ bits) * UINT64_C(1099511628211);
}

static uint64_t add_pose(uint64_t hash, const apart_pose *pose)
{
    const double *numbers = &pose->rotation.x.x;
    for (int i = 0; i < 12; i++) {
        hash = add(hash, numbers[i]);
    }
    return hash;
}

uint64_t golden_motions(uint64_t hash, const hull_pool *pool)
{
    random_source r = UINT64_C(20250303);
    for (int i = 0; i < MOTIONS; i++) {
        static moving_pair p;
        apart_impact im;
        apart_ray_hit hit;
        moving_generate(&p, &r, pool);
        const apart_motion_options o = {.gap = i % 3 == 0 ? APART_GAP_NONE : APART_GAP_TOLERANCE};
        if (apart_time_of_impact(&p.a, &p.motion_a, &p.b, &p.motion_b, &o, NULL, &im) != APART_OK) {
            abort();
        }
        hash = add(add(add(add(hash, im.t), im.lower), im.upper), im.iterations);
        hash = add_pose(add_pose(hash, &im.pose_a), &im.pose_b);
        const apart_vec3 from = p.motion_a.start.translation, to = p.motion_b.start.translation;
        const apart_ray ray = {from, {to.x - from.x, to.y - from.y, to.z - from.z}, 100.0 * p.scale};
        if (apart_raycast(&ray, &p.b, &p.motion_b.start, NULL, &hit) == APART_OK && hit.hit) {
            hash = add(add(add(add(add(hash, hit.distance), hit.lower), hit.normal.x), hit.normal.y), hit.normal.z);
        }
    }
    return hash;
}
