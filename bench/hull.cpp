/* W11: building hulls of points on the sphere and in the ball: time beside Qhull (option "Qt") and Bullet's
 * btConvexHullComputer, and whether the hull is that of the points.
 *
 * Every library gets the same coordinates as it wants them; making a hull and freeing it is timed, the best of several
 * rounds in which the libraries take turns. apart also writes the adjacency, vertex records and direction table that
 * its queries use. A hull is wrong if in one of many directions it falls short of the points by more than 2e-6 of their
 * size. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include <apart/apart.h>

#ifdef BENCH_HULL_QHULL
extern "C" {
#include <libqhull_r/qhull_ra.h>
}
#endif
#ifdef BENCH_HULL_BULLET
#include <LinearMath/btConvexHullComputer.h>
#endif

#include "../apps/lab/random.h"

namespace
{

const double wrong_bar = 2e-6;
const int directions = 1000;

using point_list = std::vector<apart_vec3>;

/* A library in the benchmark. build() is timed; vertices() are those of the last hull. */
struct builder {
    virtual ~builder() = default;
    virtual void build(const point_list &points) = 0;
    virtual point_list vertices(const point_list &points) = 0;
};

struct apart_builder : builder {
    apart_hull *hull = nullptr;
    apart_builder() = default;
    apart_builder(const apart_builder &) = delete;
    apart_builder &operator=(const apart_builder &) = delete;
    ~apart_builder() override { apart_hull_free(hull); }

    void build(const point_list &points) override
    {
        apart_hull_free(hull);
        hull = nullptr;
        const apart_status status = apart_hull_build(&points[0].x, points.size(), nullptr, &hull);
        if (status != APART_OK) {
            std::fprintf(stderr, "bench_hull: %s\n", apart_status_message(status));
            std::exit(1);
        }
    }

    point_list vertices(const point_list &) override
    {
        point_list list;
        for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
            list.push_back(apart_hull_vertex(hull, i));
        }
        return list;
    }
};

#ifdef BENCH_HULL_QHULL
struct qhull_builder : builder {
    qhT context;
    bool made = false;
    qhull_builder() = default;
    qhull_builder(const qhull_builder &) = delete;
    qhull_builder &operator=(const qhull_builder &) = delete;
    ~qhull_builder() override { release(); }

    void release()
    {
        int count = 0, size = 0;
        if (made) {
            qh_freeqhull(&context, !qh_ALL);
            qh_memfreeshort(&context, &count, &size);
        }
        made = false;
    }

    void build(const point_list &points) override
    {
        char command[] = "qhull Qt";
        release();
        qh_zero(&context, stderr);
        made = true;
        auto *xyz = const_cast<coordT *>(&points[0].x);
        if (qh_new_qhull(&context, 3, static_cast<int>(points.size()), xyz, False, command, nullptr, stderr) != 0) {
            std::fprintf(stderr, "bench_hull: Qhull failed\n");
        }
    }

    point_list vertices(const point_list &) override
    {
        point_list list;
        for (const vertexT *v = context.vertex_list; v != nullptr && v->next != nullptr; v = v->next) {
            list.push_back({v->point[0], v->point[1], v->point[2]});
        }
        return list;
    }
};
#endif

#ifdef BENCH_HULL_BULLET
struct bullet_builder : builder {
    std::unique_ptr<btConvexHullComputer> computer;

    void build(const point_list &points) override
    {
        computer = std::make_unique<btConvexHullComputer>();
        computer->compute(&points[0].x, sizeof(apart_vec3), static_cast<int>(points.size()), 0.0, 0.0);
    }

    point_list vertices(const point_list &) override
    {
        point_list list;
        for (int i = 0; i < computer->vertices.size(); i++) {
            const btVector3 &v = computer->vertices[i];
            list.push_back({v.x(), v.y(), v.z()});
        }
        return list;
    }
};
#endif

struct contender {
    const char *name;
    std::unique_ptr<builder> work;
    double best = INFINITY; /* seconds */
    unsigned wrong = 0, vertices = 0;
};

std::vector<contender> all_contenders()
{
    std::vector<contender> list;
    list.push_back({"apart", std::make_unique<apart_builder>()});
#ifdef BENCH_HULL_QHULL
    list.push_back({"Qhull", std::make_unique<qhull_builder>()});
#endif
#ifdef BENCH_HULL_BULLET
    list.push_back({"Bullet", std::make_unique<bullet_builder>()});
#endif
    return list;
}

point_list make_points(lab_random *r, size_t n, bool ball)
{
    point_list points;
    while (points.size() < n) {
        const apart_vec3 d = lab_random_direction(r);
        const double radius = ball ? std::cbrt(lab_random_between(r, 0.0, 1.0)) : 1.0;
        points.push_back(apart_vec3_scale(radius, d));
    }
    return points;
}

double reach(const point_list &points, apart_vec3 d)
{
    double best = -INFINITY;
    for (const apart_vec3 &p : points) {
        best = std::max(best, apart_vec3_dot(p, d));
    }
    return best;
}

/* The points are about 2 across. */
bool is_wrong(const point_list &points, const point_list &kept)
{
    lab_random r = {99};
    for (int i = 0; i < directions; i++) {
        const apart_vec3 d = lab_random_direction(&r);
        if (std::fabs(reach(points, d) - reach(kept, d)) > wrong_bar * 2.0) {
            return true;
        }
    }
    return false;
}

double thread_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/* The libraries take turns, so that what else the machine does hits all of them. Best: the sum over the sets of the best
 * time of each. */
void measure(std::vector<contender> &list, size_t n, bool ball, unsigned sets, unsigned rounds)
{
    lab_random r = {n};
    for (contender &c : list) {
        c.best = 0.0;
        c.wrong = c.vertices = 0;
    }
    for (unsigned s = 0; s < sets; s++) {
        const point_list points = make_points(&r, n, ball);
        std::vector<double> best(list.size(), INFINITY);
        for (unsigned k = 0; k < rounds; k++) {
            for (size_t i = 0; i < list.size(); i++) {
                const double start = thread_seconds();
                list[i].work->build(points);
                best[i] = std::min(best[i], thread_seconds() - start);
            }
        }
        for (size_t i = 0; i < list.size(); i++) {
            const point_list kept = list[i].work->vertices(points);
            list[i].best += best[i] / sets;
            list[i].vertices += static_cast<unsigned>(kept.size());
            list[i].wrong += is_wrong(points, kept);
        }
    }
}

void show(const std::vector<contender> &list, size_t n, bool ball, unsigned sets)
{
    std::printf("%-6s %6zu", ball ? "ball" : "sphere", n);
    for (const contender &c : list) {
        std::printf("   %10.1f %9.1f %6.0f %%", 1e6 * c.best, static_cast<double>(c.vertices) / sets,
                    100.0 * c.wrong / sets);
    }
    for (size_t i = 1; i < list.size(); i++) {
        std::printf("   %14.2f", list[0].best / list[i].best);
    }
    std::printf("\n");
    std::fflush(stdout);
}

void show_head(const std::vector<contender> &list)
{
    std::printf("W11: building hulls\npoints       ");
    for (const contender &c : list) {
        std::printf("   %7s us  vertices    wrong", c.name);
    }
    for (size_t i = 1; i < list.size(); i++) {
        std::printf("   apart / %6s", list[i].name);
    }
    std::printf("\n");
}

} // namespace

/* usage: bench_hull [--quick]
 *        bench_hull sphere|ball POINTS ROUNDS      apart alone, for profilers */
int main(int argc, char **argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    std::vector<contender> list = all_contenders();
    if (argc == 4) {
        list.erase(list.begin() + 1, list.end());
        const bool ball = std::strcmp(argv[1], "ball") == 0;
        const size_t n = std::strtoul(argv[2], nullptr, 10);
        measure(list, n, ball, 1, static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
        show(list, n, ball, 1);
        return 0;
    }
    show_head(list);
    for (const bool ball : {false, true}) {
        for (const size_t n : {size_t{20}, size_t{100}, size_t{1000}, size_t{10000}}) {
            const unsigned sets = quick || n == 10000 ? 1 : 5, rounds = (quick ? 5 : 15) * (n < 1000 ? 4 : 1);
            measure(list, n, ball, sets, rounds);
            show(list, n, ball, sets);
        }
    }
    return 0;
}
