// What dangles at once must not compile: CASE 0 does, the others may not (tests/test_cpp.sh).
#include <apart/apart.hpp>

#include <vector>

std::vector<apart_vec3> corners();

int main()
{
    const apart_shape ball = apart_sphere(1.0);
    const apart::hull rock;
    const apart::compound parts;
    const apart::mesh skin;
    const std::vector<apart_vec3> some = corners();
    apart_shape s = ball;
    apart_solid t = apart::solid(ball);
#if CASE == 0
    s = apart::sum(ball, s);
    s = apart::hull_of_two(ball, s);
    s = apart::affine(ball, apart_pose_identity().rotation, apart_vec3{1, 2, 3});
    s = rock.shape();
    s = apart::points(some);
    t = apart::solid(parts);
    t = apart::surface(skin);
#elif CASE == 1
    s = apart::sum(apart_sphere(1.0), ball);
#elif CASE == 2
    s = apart::sum(ball, apart_sphere(1.0));
#elif CASE == 3
    s = apart::sum(apart_sphere(1.0), apart_sphere(2.0));
#elif CASE == 4
    s = apart::hull_of_two(ball, apart_sphere(1.0));
#elif CASE == 5
    s = apart::affine(apart_sphere(1.0), apart_pose_identity().rotation, apart_vec3{1, 2, 3});
#elif CASE == 6
    s = apart::hull::build(some).shape();
#elif CASE == 7
    s = apart::points(corners());
#elif CASE == 8
    t = apart::solid(apart_sphere(1.0));
#elif CASE == 9
    t = apart::solid(apart::compound());
#elif CASE == 10
    t = apart::solid(apart::mesh());
#elif CASE == 11
    t = apart::surface(apart::mesh());
#elif CASE == 12
    apart::hull copy = rock; // an owner is moved, not copied
#endif
    return static_cast<int>(s.kind) + (t.shape != nullptr);
}
