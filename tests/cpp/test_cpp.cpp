// apart.hpp: owners free and move, statuses throw or not as asked, callbacks are called and may throw.
#include <apart/apart.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace
{

int failures = 0;

void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        std::fprintf(stderr, "test_cpp.cpp:%d: %s\n", line, what);
        failures++;
    }
}
#define EXPECT(x) expect((x), #x, __LINE__)

template <class F> apart_status thrown(F &&f)
{
    try {
        f();
    } catch (const apart::error &e) {
        return std::string(e.what()) == apart_status_message(e.status()) ? e.status() : APART_OK;
    }
    return APART_OK;
}

const std::vector<apart_vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::array<std::uint32_t, 12> sides = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

void views()
{
    const double array[] = {1, 2, 3};
    std::vector<double> several = {4, 5};
    const apart::view<const double> of_array(array), of_vector = several, none;
    EXPECT(of_array.size() == 3 && of_array[2] == 3 && of_vector.size() == 2 && none.empty());
    double sum = 0;
    for (const double x : of_array) {
        sum += x;
    }
    EXPECT(sum == 6);
}

void owners()
{
    apart::hull first = apart::hull::build(corners);
    EXPECT(first.vertex_count() == 4);
    apart::hull second = std::move(first);
    // What was moved from is empty, and says so.
    EXPECT(!first && second && first.vertex_count() == 0); // NOLINT(bugprone-use-after-move)
    apart_status status;
    const std::vector<apart_vec3> nothing;
    EXPECT(!apart::hull::build(nothing, status) && status != APART_OK);
    EXPECT(thrown([&] { apart::hull::build(nothing); }) == status);

    const apart::mesh mesh = apart::mesh::build(corners, sides);
    EXPECT(mesh.report().watertight && std::fabs(mesh.report().volume - 1.0 / 6) < 1e-12);
    EXPECT(thrown([] { apart::mesh::build(corners, apart::view<const std::uint32_t>(sides.data(), 4)); }) ==
           APART_ERR_SIZE);
    const std::array<std::uint32_t, 3> wrong = {0, 1, 9};
    EXPECT(thrown([&] { apart::mesh::build(corners, wrong); }) == APART_ERR_ID);

    const apart_shape ball = apart_sphere(0.5), box = apart_box({1, 1, 1});
    const std::vector<apart_part> parts = {{ball, apart_pose_translation(3, 0, 0)}, {box, apart_pose_identity()}};
    apart::compound both = apart::compound::build(parts);
    both.set_user(1, 7);
    EXPECT(both.size() == 2 && apart_compound_user(both.get(), 1) == 7);
    EXPECT(thrown([&] { both.set_user(2, 7); }) == APART_ERR_ID);
    const apart_pose there = apart_pose_translation(5, 0, 0), here = apart_pose_identity();
    EXPECT(std::fabs(apart::distance(apart::solid(both), here, apart::solid(ball), there).result.distance - 1) < 1e-12);
    EXPECT(std::fabs(apart::distance(apart::solid(mesh), here, apart::surface(mesh), there).result.distance - 4) <
           1e-12);
    EXPECT(apart::below(apart::solid(both), here, apart::solid(ball), there, 1.5).size() == 1);
}

void statuses()
{
    const apart_shape ball = apart_sphere(0.5), bad = apart_sphere(-1);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(2, 0, 0);
    apart_status status = APART_ERR_FILE;
    EXPECT(apart::distance(ball, here, ball, there, status).distance == 1 && status == APART_OK);
    EXPECT(apart::distance(ball, here, ball, there).distance == 1);
    (void)apart::distance(bad, here, ball, there, status);
    EXPECT(status == APART_ERR_NEGATIVE_SIZE);
    EXPECT(thrown([&] { apart::distance(bad, here, ball, there); }) == APART_ERR_NEGATIVE_SIZE);
    EXPECT(apart::contact(ball, here, ball, there, 2.0).count == 1);
    const apart_shape long_ball = apart::sum(ball, ball);
    EXPECT(std::fabs(apart::distance(long_ball, here, ball, there).distance - 0.5) < 1e-12);
}

void worlds()
{
    apart::world world;
    const apart_shape ball = apart_sphere(0.5);
    std::vector<apart_body_id> ids;
    for (unsigned i = 0; i < 100; i++) {
        ids.push_back(world.add(apart::body(apart::solid(ball), apart_pose_translation(1.5 * i, 0, 0), i)));
    }
    EXPECT(world.size() == 100 && world[ids[7]].user == 7);
    EXPECT(world.below(0.6).size() == 99 && world.contacts(0.6).size() == 99);
    const apart_probe probe = apart::probe(apart::solid(ball), apart_pose_translation(-3, 0, 0));
    const apart_vec3 way = {10, 0, 0};
    const apart_world_cast_hit hit = world.cast(probe, way);
    EXPECT(hit.user == 0 && hit.impact.impact.outcome == APART_OUTCOME_HIT);
    unsigned hits = 0;
    world.cast(probe, way, [&](const apart_world_cast_hit &) { return ++hits, 1.0; });
    EXPECT(hits == 6); // -3 + 10 + radius reaches the balls at 0 to 7.5
    const apart_ray ray = {{-3, 0, 0}, {1, 0, 0}, INFINITY};
    EXPECT(world.raycast(ray).user == 0);
    hits = 0;
    world.raycast(ray, [&](const apart_world_ray_hit &found) { return ++hits, found.hit.distance; });
    EXPECT(hits >= 1 && hits < 100);
    hits = 0;
    bool caught = false;
    try {
        world.overlap(apart::probe(apart::solid(ball), apart_pose_translation(6, 0.1, 0)),
                      [&](apart_body_id id, std::uint64_t user, std::uint32_t) -> bool {
                          hits++;
                          EXPECT(user == 4 && world.size() == 100);
                          apart_status status;
                          world.remove(id, status);
                          EXPECT(status == APART_ERR_BUSY);
                          world.remove(id); // throws, and that arrives
                          return true;
                      });
    } catch (const apart::error &e) {
        caught = e.status() == APART_ERR_BUSY;
    }
    EXPECT(hits == 1 && caught);
    world.remove(ids[4]);
    EXPECT(thrown([&] { world.move(ids[4], apart_pose_identity()); }) == APART_ERR_ID);
    apart::world other = std::move(world);
    EXPECT(other.size() == 99);
}

} // namespace

int main()
try {
    views();
    owners();
    statuses();
    worlds();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception &e) {
    std::fprintf(stderr, "test_cpp: %s\n", e.what());
    return EXIT_FAILURE;
}
