/* The table of targets: ratios that should hold, each measured in one run, beside the value that it must not miss and
 * the one aimed at. A row that misses its must is marked, and with --check the program then fails. */
#include <cstring>
#include <memory>

#include "bench.h"
#include "scenes.hpp"
#ifdef BENCH_TARGETS_PIT
#include "pit.hpp"
#endif

namespace
{

struct settings {
    double seconds = 1.0;
    bench_effort effort{};
    const char *only = nullptr;
} how;

size_t missed = 0;

bool wanted(const char *section) { return how.only == nullptr || std::strcmp(how.only, section) == 0; }

/* A ratio that must be at most (or, `more`, at least) so much. */
void show(const std::string &name, double value, double must, double aim, bool more = false)
{
    const bool good = more ? value >= must : value <= must, best = more ? value >= aim : value <= aim;
    missed += !good;
    std::printf("%-54s %8.2f  %s %-6g %-6g %s\n", name.c_str(), value, more ? ">=" : "<=", must, aim,
                best   ? "aim"
                : good ? "must"
                       : "missed");
    std::fflush(stdout);
}

/* ---- the rows of the benchmark ---- */

struct row {
    bench_case *c;
    row(const char *workload, const char *variant, unsigned n)
    {
        const bench_spec *specs;
        const size_t count = bench_specs(&specs);
        c = bench_make_case(specs, bench_find_spec(specs, count, workload, variant, n), &how.effort);
    }
    row(const row &) = delete;
    row &operator=(const row &) = delete;
    ~row() { bench_free_case(c); }
};

/* A library at a row, as a contestant. */
struct at_row {
    const row &of;
    const bench_library &library;
    void *state;
    std::vector<double> answers;

    at_row(const row &r, const bench_library &l)
        : of(r), library(l), state(l.prepare(r.c)), answers(r.c->steps * r.c->pair_count)
    {
    }
    at_row(const at_row &) = delete;
    at_row &operator=(const at_row &) = delete;
    ~at_row() { library.release(state); }

    kit::contestant contestant()
    {
        const size_t first = of.c->tracked ? 1 : 0, steps = of.c->steps;
        return {library.name, static_cast<double>((steps - first) * of.c->pair_count),
                [this, first, steps] { library.run(state, first, steps, answers.data()); },
                [this, first] {
                    library.forget(state);
                    library.run(state, 0, first, answers.data());
                }};
    }
};

double ratio(std::vector<kit::contestant> all)
{
    kit::race(all, how.seconds);
    return all[0].best / all[1].best;
}

double ratio(at_row &&a, at_row &&b) { return ratio({a.contestant(), b.contestant()}); }

/* ---- sections ---- */

/* Overlapping hulls in sequences of 20 steps, with an apart_cache and without. */
struct overlaps {
    std::vector<manifold_question> questions;
    lab_random random;
    kit::bodies bodies;

    explicit overlaps(unsigned n) : random{4000 + n}, bodies(&random, n, 20)
    {
        while (questions.size() < 40) {
            manifold_question q = {&bodies.shapes[lab_random_below(&random, 10)],
                                   &bodies.shapes[10 + lab_random_below(&random, 10)],
                                   {},
                                   {}};
            if (draw(q)) {
                questions.push_back(q);
            }
        }
    }

    bool draw(manifold_question &q)
    {
        const apart_pose a = lab_random_pose(&random, {0, 0, 0}), start = lab_random_pose(&random, {0, 0, 0});
        const apart_vec3 way = lab_random_direction(&random), axis = lab_random_direction(&random),
                         from = apart_vec3_scale(lab_random_between(&random, 0.3, 1.5), lab_random_direction(&random));
        for (int step = 0; step < 20; step++) {
            apart_pose turned;
            kit::require(apart_pose_from_axis_angle(axis, LAB_PI / 180.0 * step,
                                                    apart_vec3_add_scaled(from, 0.002 * step, way), &turned),
                         "a pose");
            q.poses_a.push_back(a);
            q.poses_b.push_back(apart_pose_compose(&turned, &start));
            apart_result r;
            kit::require(apart_distance(q.a, &a, q.b, &q.poses_b.back(), nullptr, nullptr, &r), "a distance");
            if (r.distance > -0.001) {
                return false;
            }
        }
        return true;
    }

    void ask(size_t first, size_t end, const apart_options &options, std::vector<apart_cache> *caches) const
    {
        double sum = 0.0;
        for (size_t step = first; step < end; step++) {
            for (size_t i = 0; i < questions.size(); i++) {
                const manifold_question &q = questions[i];
                apart_result r;
                kit::require(apart_distance(q.a, &q.poses_a[step], q.b, &q.poses_b[step], &options,
                                            caches != nullptr ? &(*caches)[i] : nullptr, &r),
                             "a distance");
                sum += r.lower + r.upper + r.normal.x;
            }
        }
        bench_sink = bench_sink + sum;
    }
};

void show_overlaps()
{
    static const struct {
        int depth;
        const char *name;
        double must, aim;
    } depths[] = {{APART_DEPTH_NONE, "none", 0.5, 0.15},
                  {APART_DEPTH_BOUNDS, "bounds", 0.6, 0.2},
                  {APART_DEPTH_EXACT, "exact", 1.0, 0.5}};
    for (const auto &d : depths) {
        for (const unsigned n : {20u, 100u, 500u}) {
            const overlaps scene(n);
            apart_options options = {};
            options.depth = static_cast<uint8_t>(d.depth);
            std::vector<apart_cache> caches(scene.questions.size());
            const double queries = 19.0 * static_cast<double>(scene.questions.size());
            show("overlap, depth " + std::string(d.name) + ", n = " + std::to_string(n) + ": tracked / cold",
                 ratio({{"tracked", queries, [&] { scene.ask(1, 20, options, &caches); },
                         [&] {
                             std::fill(caches.begin(), caches.end(), apart_cache{});
                             scene.ask(0, 1, options, &caches);
                         }},
                        {"cold", queries, [&] { scene.ask(1, 20, options, nullptr); }}}),
                 d.must, d.aim);
        }
    }
}

void show_rays()
{
    static const struct {
        unsigned n;
        double must, aim;
    } rows[] = {{0, 1, 0.5}, {8, 1, 0.6}, {40, 4, 3}, {500, 8, 4}, {2000, 8, 4}};
    const row boxes("W3", "box tracked 6 deg", 0);
    for (const auto &r : rows) {
        const std::unique_ptr<scene> s = ray_scene(r.n, 500);
        peer *who = s->peers[0].get();
        at_row base(boxes, bench_apart);
        show(s->name + " / tracked box query", ratio({{"ray", 500, [who] { who->run(); }}, base.contestant()}), r.must,
             r.aim);
    }
}

void show_impacts()
{
    static const struct {
        unsigned n;
        bool hit;
        double must, aim;
    } rows[] = {{0, true, 6, 10}, {0, false, 4, 8}, {100, true, 12, 20}, {100, false, 8, 12}};
    for (const auto &r : rows) {
        const std::unique_ptr<scene> s = impact_scene(r.n, r.hit, 1.0, 200);
        if (s->peers.size() > 1 && s->peers[1]->name == "bullet") {
            s->peers.resize(2);
            const std::vector<double> times = s->race(how.seconds);
            show(s->name + ": Bullet / apart", times[1] / times[0], r.must, r.aim, true);
        }
    }
}

void show_manifolds()
{
    static const struct {
        unsigned n;
        double must, aim;
    } rows[] = {{0, 0.45, 0.3}, {8, 0.35, 0.25}, {20, 0.3, 0.2}};
    for (const auto &r : rows) {
        const std::unique_ptr<scene> warm = manifold_scene(r.n, true, 50), cold = manifold_scene(r.n, false, 50);
        peer *w = warm->peers[0].get(), *c = cold->peers[0].get();
        show(warm->name + " / cold",
             ratio({{"warm", 950, [w] { w->run(); }, [w] { w->forget(); }},
                    {"cold", 950, [c] { c->run(); }, [c] { c->forget(); }}}),
             r.must, r.aim);
    }
}

/* Pairs of a cylinder or cone with a box, in sequences as those of W3, with a cache and without. */
void show_curved()
{
    for (const bool cone : {false, true}) {
        const row r("W5", cone ? "cone-box" : "cylinder-box", 0);
        const size_t pairs = r.c->pair_count, steps = 20;
        std::vector<apart_pose> poses;
        lab_random random = {5000};
        for (size_t i = 0; i < pairs; i++) {
            const apart_vec3 way = lab_random_direction(&random), axis = lab_random_direction(&random);
            const double turn = lab_random_between(&random, 0.0, 6.0) * LAB_PI / 180.0;
            for (size_t step = 0; step < steps; step++) {
                apart_pose moved;
                kit::require(apart_pose_from_axis_angle(axis, turn * static_cast<double>(step), {0, 0, 0}, &moved),
                             "a pose");
                moved = apart_pose_compose(&moved, &r.c->poses_b[i]);
                moved.translation =
                    apart_vec3_add_scaled(r.c->poses_b[i].translation, 0.05 * static_cast<double>(step), way);
                poses.push_back(moved);
            }
        }
        std::vector<apart_cache> caches(pairs);
        const auto ask = [&](size_t first, size_t end, bool tracked) {
            double sum = 0.0;
            for (size_t step = first; step < end; step++) {
                for (size_t i = 0; i < pairs; i++) {
                    apart_result result;
                    kit::require(apart_distance(&r.c->bodies[r.c->pairs[i].a], &r.c->poses_a[i],
                                                &r.c->bodies[r.c->pairs[i].b], &poses[i * steps + step], nullptr,
                                                tracked ? &caches[i] : nullptr, &result),
                                 "a distance");
                    sum += result.lower + result.normal.x;
                }
            }
            bench_sink = bench_sink + sum;
        };
        const double queries = static_cast<double>(pairs * (steps - 1));
        show(std::string(cone ? "cone" : "cylinder") + " and box: tracked / cold",
             ratio({{"tracked", queries, [&] { ask(1, steps, true); },
                     [&] {
                         std::fill(caches.begin(), caches.end(), apart_cache{});
                         ask(0, 1, true);
                     }},
                    {"cold", queries, [&] { ask(1, steps, false); }}}),
             0.5, 0.35);
    }
}

apart_hull *box_hull(apart_vec3 h)
{
    double xyz[24];
    for (int i = 0; i < 8; i++) {
        xyz[3 * i] = (i & 1) != 0 ? h.x : -h.x;
        xyz[3 * i + 1] = (i & 2) != 0 ? h.y : -h.y;
        xyz[3 * i + 2] = (i & 4) != 0 ? h.z : -h.z;
    }
    apart_hull *hull = nullptr;
    kit::require(apart_hull_build(xyz, 8, nullptr, &hull), "a box as a hull");
    return hull;
}

/* The same boxes, as boxes and as hulls. */
void show_boxes_as_hulls()
{
    for (const bool deep : {false, true}) {
        const row r(deep ? "W4" : "W3", "box cold", 0);
        std::vector<apart_hull *> hulls;
        std::vector<apart_shape> shapes;
        for (size_t i = 0; i < r.c->body_count; i++) {
            hulls.push_back(box_hull(r.c->bodies[i].u.half_extents));
            shapes.push_back(apart_hull_shape(hulls.back()));
        }
        const auto ask = [&](const apart_shape *bodies) {
            double sum = 0.0;
            for (size_t i = 0; i < r.c->pair_count; i++) {
                apart_result result;
                kit::require(apart_distance(&bodies[r.c->pairs[i].a], &r.c->poses_a[i], &bodies[r.c->pairs[i].b],
                                            &r.c->poses_b[i], nullptr, nullptr, &result),
                             "a distance");
                sum += result.lower + result.upper + result.a.x + result.normal.x;
            }
            bench_sink = bench_sink + sum;
        };
        const double queries = static_cast<double>(r.c->pair_count);
        show(std::string("boxes as hulls / boxes, ") + (deep ? "depth" : "cold"),
             ratio({{"hulls", queries, [&] { ask(shapes.data()); }}, {"boxes", queries, [&] { ask(r.c->bodies); }}}),
             1.1, 1.02);
        for (apart_hull *hull : hulls) {
            apart_hull_free(hull);
        }
    }
}

/* A row's steps, each a batch or as many single calls: both give all results of a step in an array. */
struct many {
    const bench_case &c;
    std::vector<apart_shape> a, b;
    std::vector<apart_cache> caches;
    std::vector<apart_result> results;

    explicit many(const row &r) : c(*r.c), caches(c.tracked ? c.pair_count : 0), results(c.pair_count)
    {
        for (size_t i = 0; i < c.pair_count; i++) {
            a.push_back(c.bodies[c.pairs[i].a]);
            b.push_back(c.bodies[c.pairs[i].b]);
        }
    }

    void ask(size_t step, bool batch)
    {
        const apart_pose *poses_a = &c.poses_a[step * c.pair_count], *poses_b = &c.poses_b[step * c.pair_count];
        double sum = 0.0;
        if (batch) {
            apart_batch all = {};
            all.count = c.pair_count;
            all.a = {a.data(), sizeof a[0], poses_a, sizeof *poses_a, nullptr, 0, 0};
            all.b = {b.data(), sizeof b[0], poses_b, sizeof *poses_b, nullptr, 0, 0};
            all.caches = caches.empty() ? nullptr : caches.data();
            all.cache_stride = sizeof(apart_cache);
            all.results = results.data();
            all.result_stride = sizeof(apart_result);
            kit::require(apart_distance_batch(&all, nullptr, nullptr), "a batch");
        } else {
            for (size_t i = 0; i < c.pair_count; i++) {
                kit::require(apart_distance(&a[i], &poses_a[i], &b[i], &poses_b[i], nullptr,
                                            caches.empty() ? nullptr : &caches[i], &results[i]),
                             "a distance");
            }
        }
        for (const apart_result &r : results) {
            sum += r.distance + r.lower + r.upper + r.a.x + r.b.x + r.normal.x;
        }
        bench_sink = bench_sink + sum;
    }

    kit::contestant contestant(bool batch)
    {
        const size_t first = c.tracked ? 1 : 0;
        return {"many", static_cast<double>((c.steps - first) * c.pair_count),
                [this, first, batch] {
                    for (size_t step = first; step < c.steps; step++) {
                        ask(step, batch);
                    }
                },
                [this, first, batch] {
                    std::fill(caches.begin(), caches.end(), apart_cache{});
                    if (first > 0) {
                        ask(0, batch);
                    }
                }};
    }
};

void show_batches()
{
    static const struct {
        const char *workload, *variant;
        unsigned n;
    } rows[] = {{"W1", "cold", 8},
                {"W1", "cold", 20},
                {"W1", "cold", 50},
                {"W1", "cold", 500},
                {"W2", "1 diameter 0 deg", 8},
                {"W2", "1 diameter 6 deg", 8},
                {"W2", "1 diameter 12 deg", 8},
                {"W2", "1 diameter 6 deg", 20},
                {"W2", "1 diameter 6 deg", 50},
                {"W2", "1 diameter 6 deg", 500},
                {"W3", "box cold", 0},
                {"W3", "box tracked 6 deg", 0},
                {"W3", "hull cold", 8},
                {"W3", "hull tracked 6 deg", 8},
                {"W4", "cold", 8},
                {"W4", "cold", 50},
                {"W4", "box cold", 0},
                {"W4", "box tracked", 0},
                {"W5", "sphere-box", 0},
                {"W5", "capsule-capsule", 0},
                {"W5", "capsule-hull", 50},
                {"W5", "cylinder-box", 0},
                {"W5", "cone-box", 0}};
    for (const auto &w : rows) {
        const row r(w.workload, w.variant, w.n);
        many many_single(r), many_batch(r);
        show("batch / single calls, " + std::string(w.workload) + " " + w.variant +
                 (w.n > 0 ? " " + std::to_string(w.n) : ""),
             ratio({many_batch.contestant(true), many_single.contestant(false)}), 1.0, 0.7);
    }
}

void show_small_pairs()
{
#ifdef BENCH_TARGETS_BULLET
    static const struct {
        const char *name, *workload, *variant;
        unsigned n;
        double must, aim;
    } rows[] = {{"cold hulls n = 8", "W1", "cold", 8, 3.4, 4},
                {"yes/no n = 8", "W6", "hull", 8, 4.2, 5},
                {"sphere and box", "W5", "sphere-box", 0, 10, 12},
                {"capsules", "W5", "capsule-capsule", 0, 9, 11}};
    for (const auto &w : rows) {
        const row r(w.workload, w.variant, w.n);
        show(std::string(w.name) + ": Bullet / apart", ratio(at_row(r, bench_bullet), at_row(r, bench_apart)), w.must,
             w.aim, true);
    }
#endif
}

void show_growth()
{
    const row large("W2", "1 diameter 0 deg", 2000), small("W2", "1 diameter 0 deg", 8);
    show("tracked 0 degrees: n = 2000 / n = 8", ratio(at_row(large, bench_apart), at_row(small, bench_apart)), 1.6,
         1.2);
}

void show_simulation()
{
#ifdef BENCH_TARGETS_PIT
    for (const size_t count : {size_t{200}, size_t{2000}}) {
        const std::vector<pit_result> r = run_pit(count, count == 200 ? 4.0 : 2.0);
        if (r.size() == 2) {
            show("simulation of " + std::to_string(count) + " boxes in a pit: apart / Bullet",
                 r[0].seconds / r[1].seconds, 4, 1);
        }
    }
#endif
}

const struct {
    const char *name;
    void (*show)();
} sections[] = {{"overlap", show_overlaps},     {"ray", show_rays},          {"impact", show_impacts},
                {"manifold", show_manifolds},   {"curved", show_curved},     {"boxhull", show_boxes_as_hulls},
                {"batch", show_batches},        {"small", show_small_pairs}, {"growth", show_growth},
                {"simulation", show_simulation}};

} // namespace

/* usage: bench_targets [--quick] [--check] [--only SECTION] */
int main(int argc, char **argv)
{
    bool check = false;
    how.effort = {false, 1, 50, 1000, 50, 20, 0, 0, 3, 100, 1.0, 0.1};
    for (int i = 1; i < argc; i++) {
        check = check || std::strcmp(argv[i], "--check") == 0;
        how.seconds = std::strcmp(argv[i], "--quick") == 0 ? 0.3 : how.seconds;
        how.only = std::strcmp(argv[i], "--only") == 0 && i + 1 < argc ? argv[++i] : how.only;
    }
    std::printf("%-54s %8s     %-6s %-6s\n", "ratio", "measured", "must", "aim");
    for (const auto &s : sections) {
        if (wanted(s.name)) {
            s.show();
        }
    }
    bench_free_hulls();
    std::printf("%zu rows miss what they must\n", missed);
    return check && missed > 0 ? 1 : 0;
}
