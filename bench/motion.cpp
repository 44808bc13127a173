/* W14: rays, times of impact and contact manifolds of apart beside Bullet's and FCL's. Wrong: off by more than 2e-6 of
 * the bodies' size from what apart certifies; a manifold is judged by its deepest point. */
#include <cstring>

#include "scenes.hpp"

namespace
{

void show(const scene &s, const std::vector<double> &times)
{
    std::printf("%-36s", s.name.c_str());
    for (size_t i = 0; i < s.peers.size(); i++) {
        std::printf("  %7s %9.0f ns %6.2fx %5.1f %%", s.peers[i]->name.c_str(), 1e9 * times[i], times[i] / times[0],
                    100.0 * s.wrong_share(*s.peers[i]));
    }
    std::printf("\n");
    std::fflush(stdout);
}

void measure(std::unique_ptr<scene> s, double seconds) { show(*s, s->race(seconds)); }

} // namespace

/* usage: bench_motion [--quick] */
int main(int argc, char **argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const double seconds = quick ? 0.2 : 1.5;
    std::printf(
        "W14: rays, times of impact and manifolds: time of each, as a multiple of apart's, share of wrong answers\n");
    for (const unsigned n : {0u, 8u, 40u, 500u, 2000u}) {
        measure(ray_scene(n, 500), seconds);
    }
    for (const unsigned n : {0u, 20u, 100u}) {
        for (const double turn : {0.0, 1.0}) {
            for (const bool hit : {true, false}) {
                measure(impact_scene(n, hit, turn, 200), seconds);
            }
        }
    }
    for (const unsigned n : {0u, 8u, 20u}) {
        for (const bool warm : {false, true}) {
            measure(manifold_scene(n, warm, 50), seconds);
        }
    }
    return 0;
}
