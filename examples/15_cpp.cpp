// apart from C++17: owners that free themselves, vectors instead of lists with room, lambdas as callbacks, exceptions, or
// statuses where exceptions are not wanted.
// Build: c++ -std=c++17 15_cpp.cpp $(pkg-config --cflags --libs apart)
#include <apart/apart.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main()
try {
    // A hull owns its memory; a shape borrows it, and so does not take temporaries: hull::build(...).shape() would not
    // compile.
    const std::vector<apart_vec3> corners = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 1}};
    const apart::hull rock = apart::hull::build(corners);
    const apart_shape stone = rock.shape(), ball = apart_sphere(0.5);
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(4, 0, 0);
    const apart_result gap = apart::distance(stone, here, ball, there);
    std::printf("gap %.6f\n", gap.distance);

    // A world with names as user data.
    const std::vector<std::string> names = {"rock", "left ball", "right ball", "far ball"};
    apart::world world;
    world.add(apart::body(apart::solid(stone), here, 0));
    world.add(apart::body(apart::solid(ball), apart_pose_translation(-0.6, 0, 0), 1));
    world.add(apart::body(apart::solid(ball), apart_pose_translation(2.4, 0, 0), 2));
    const apart_body_id far_away = world.add(apart::body(apart::solid(ball), apart_pose_translation(9, 0, 0), 3));
    for (const apart_world_pair &pair : world.below(0.2)) {
        std::printf("%s and %s: %.6f\n", names[pair.user_a].c_str(), names[pair.user_b].c_str(), pair.distance);
    }

    // Everything in the way of a ball that rolls along x, by a lambda.
    std::vector<std::string> met;
    world.cast(apart::probe(apart::solid(ball), apart_pose_translation(-5, 0, 0)), {20, 0, 0},
               [&](const apart_world_cast_hit &hit) {
                   met.push_back(names[hit.user]);
                   return 1.0;
               });
    std::printf("in the way: %zu bodies\n", met.size());

    // An exception has the status, and its sentence; a status as the last argument keeps quiet.
    world.remove(far_away);
    bool thrown = false;
    try {
        world.move(far_away, here);
    } catch (const apart::error &e) {
        thrown = e.status() == APART_ERR_ID;
        std::printf("%s\n", e.what());
    }
    apart_status status;
    (void)apart::hull::build(std::vector<apart_vec3>{}, status);
    std::printf("%s\n", apart_status_name(status));
    return gap.distance > 1.0 && met.size() == 4 && thrown && status == APART_ERR_EMPTY ? 0 : 1;
} catch (const apart::error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
