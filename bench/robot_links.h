/* The links of a robot for the benchmark W10, seen from C++: their hulls, the pairs to ask about, poses along a motion,
 * and apart's answers. */
#ifndef BENCH_ROBOT_LINKS_H
#define BENCH_ROBOT_LINKS_H

#include <apart/apart.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_links bench_links;

/* NULL when the URDF is not there; `reason` says why. */
bench_links *bench_links_open(const char *urdf, const char **reason);
void bench_links_close(bench_links *l);
size_t bench_links_bodies(const bench_links *l);
size_t bench_links_pairs(const bench_links *l);
void bench_links_pair(const bench_links *l, size_t pair, size_t bodies[2]);
const apart_hull *bench_links_hull(const bench_links *l, size_t body);
/* Poses of all bodies: at random joint positions, or a small step on from the last ones. */
void bench_links_move(bench_links *l, int small_step, apart_pose *out);
/* All pairs at the poses: tracked caches, no depths. */
void bench_links_distances(bench_links *l, const apart_pose *poses, double *out);

#ifdef __cplusplus
}
#endif
#endif
