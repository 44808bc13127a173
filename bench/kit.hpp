/* What the C++ programs of the benchmark share: a race in which contestants take turns, and bodies from seeds. */
#ifndef BENCH_KIT_HPP
#define BENCH_KIT_HPP

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <apart/apart.h>

#include "../apps/lab/random.h"

namespace kit
{

inline double thread_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline void require(apart_status status, const char *what)
{
    if (status != APART_OK) {
        std::fprintf(stderr, "bench: %s: %s\n", what, apart_status_message(status));
        std::exit(1);
    }
}

/* Somebody who answers `queries` queries in a run; `prepare` is not timed. The best run counts. */
struct contestant {
    std::string name;
    double queries;
    std::function<void()> run;
    std::function<void()> prepare = [] {};
    double best = INFINITY; /* seconds a query */
};

/* In turn, again and again, for so many seconds, three turns at least; a turn is a run that is not counted and others
 * that are, for 2 ms at least. So what else the machine does hits all alike, and nobody pays for the caches that the
 * one before left. */
inline void race(std::vector<contestant> &all, double seconds)
{
    const double end = thread_seconds() + seconds;
    for (int turn = 0; turn < 3 || thread_seconds() < end; turn++) {
        for (contestant &c : all) {
            c.prepare();
            c.run();
            const double turn_end = thread_seconds() + 2e-3;
            do {
                c.prepare();
                const double start = thread_seconds();
                c.run();
                c.best = std::min(c.best, (thread_seconds() - start) / c.queries);
            } while (thread_seconds() < turn_end);
        }
    }
}

inline apart_hull *sphere_hull(lab_random *r, unsigned n)
{
    std::vector<apart_vec3> points;
    for (unsigned i = 0; i < n; i++) {
        points.push_back(lab_random_direction(r));
    }
    apart_hull *hull = nullptr;
    require(apart_hull_build(&points[0].x, n, nullptr, &hull), "building a hull");
    return hull;
}

inline apart_vec3 random_extents(lab_random *r)
{
    const double x = lab_random_between(r, 0.3, 1.0), y = lab_random_between(r, 0.3, 1.0);
    return {x, y, lab_random_between(r, 0.3, 1.0)};
}

inline double radius_of(const apart_shape &shape)
{
    apart_vec3 center;
    double radius = 0.0;
    require(apart_shape_ball(&shape, &center, &radius), "the size of a shape");
    return radius;
}

/* Bodies that are freed with the scene: boxes for n = 0, hulls of n points on the unit sphere. */
struct bodies {
    std::vector<apart_hull *> hulls;
    std::vector<apart_shape> shapes;

    bodies(lab_random *r, unsigned n, size_t count)
    {
        for (size_t i = 0; i < count; i++) {
            if (n > 0) {
                hulls.push_back(sphere_hull(r, n));
            }
            shapes.push_back(n > 0 ? apart_hull_shape(hulls.back()) : apart_box(random_extents(r)));
        }
    }
    bodies(const bodies &) = delete;
    bodies &operator=(const bodies &) = delete;
    ~bodies()
    {
        for (apart_hull *hull : hulls) {
            apart_hull_free(hull);
        }
    }
};

} // namespace kit

#endif
