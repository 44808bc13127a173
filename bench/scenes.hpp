/* The scenes of W14 (motion.cpp), which the table of targets (targets.cpp) uses too: rays, times of impact and contact
 * manifolds, each with who can answer it. answers[i] is what the last run said: the distance along the ray, the time
 * of impact, the distance of the deepest contact; NaN: nothing. */
#ifndef BENCH_SCENES_HPP
#define BENCH_SCENES_HPP

#include <memory>

#include "kit.hpp"

struct peer {
    std::string name;
    std::vector<double> answers;
    virtual ~peer() = default;
    virtual void forget() {}
    virtual void run() = 0;
};

/* What all are asked, and which answers are right: from `lower` to `upper`, give or take `allowed`, or NaN. */
struct scene {
    std::string name;
    std::vector<double> lower, upper, allowed;
    std::vector<std::unique_ptr<peer>> peers; /* apart is the first */

    scene() = default;
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
    virtual ~scene() = default;

    std::vector<double> race(double seconds); /* seconds a query, by peer */
    virtual double wrong_share(const peer &p) const;
};

/* n = 0: a box. Rays from outside at a point near the middle; most hit. */
std::unique_ptr<scene> ray_scene(unsigned n, size_t count);
/* B starts 3.5 away, flies 5 towards A or past it, and turns by so much. */
std::unique_ptr<scene> impact_scene(unsigned n, bool hit, double turn, size_t count);
/* Pairs that overlap a little, in sequences of 20 steps; boxes face to face for n = 0. With the cache of the last step
 * (warm) or without. */
std::unique_ptr<scene> manifold_scene(unsigned n, bool warm, size_t count);

/* By scenes_bullet.cpp and scenes_fcl.cpp, where these libraries are there. */
struct ray_question {
    const apart_shape *shape;
    apart_pose pose;
    apart_ray ray; /* of unit direction and finite length */
};
struct impact_question {
    const apart_shape *a, *b;
    apart_pose pose_a, from, to;
    apart_vec3 linear, angular;
};
struct manifold_question { /* by pair and step */
    const apart_shape *a, *b;
    std::vector<apart_pose> poses_a, poses_b;
};
std::unique_ptr<peer> bullet_rays(const std::vector<ray_question> &questions);
std::unique_ptr<peer> bullet_impacts(const std::vector<impact_question> &questions);
std::unique_ptr<peer> bullet_manifolds(const std::vector<manifold_question> &questions, bool warm);
std::unique_ptr<peer> fcl_impacts(const std::vector<impact_question> &questions);
std::unique_ptr<peer> fcl_manifolds(const std::vector<manifold_question> &questions);

#endif
