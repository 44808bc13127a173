/* W15: boxes that fall into a pit, simulated by apart's simulation, and by Bullet's world in double precision. */
#ifndef BENCH_PIT_HPP
#define BENCH_PIT_HPP

#include <memory>

#include "kit.hpp"

struct pit_box {
    apart_vec3 half_extents;
    apart_pose pose;
    bool fixed;
};

/* A floor, four walls, and `count` boxes above it. */
std::vector<pit_box> make_pit(size_t count);

struct simulator {
    std::string name;
    virtual ~simulator() = default;
    virtual void step() = 0; /* 1/60 s */
    virtual void read(std::vector<apart_pose> *poses) const = 0;
};

std::unique_ptr<simulator> simulate_with_apart(const std::vector<pit_box> &boxes);
std::unique_ptr<simulator> simulate_with_bullet(const std::vector<pit_box> &boxes); /* null: not there */

/* How the heap lies: all by apart_distance. */
struct heap {
    double deepest;     /* the deepest overlap, as a share of the smaller body's diameter */
    double overlapping; /* mean depth of overlapping pairs, likewise */
    double height;      /* mean height of the centres */
    size_t outside;     /* boxes that have left the pit */
};
heap judge(const std::vector<pit_box> &boxes, const std::vector<apart_pose> &poses);

/* What a simulator needed for so many seconds. */
struct pit_result {
    std::string name;
    double seconds;               /* of the processor, for a second of the simulation */
    double slowest;               /* the slowest step, seconds */
    double deepest, deepest_mean; /* share: over all judged moments the largest, and the mean of the deepest */
    heap end;
};
std::vector<pit_result> run_pit(size_t count, double duration);

#endif
