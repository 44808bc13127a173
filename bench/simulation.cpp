/* W15: a heap of boxes, simulated: processor time for a second, and how well the boxes keep out of each other. */
#include <cstring>

#include "pit.hpp"

/* usage: bench_simulation [--quick]
 *        bench_simulation COUNT SECONDS      apart alone, for profilers */
int main(int argc, char **argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    if (argc == 3) {
        const std::vector<pit_box> boxes = make_pit(std::strtoul(argv[1], nullptr, 10));
        const std::unique_ptr<simulator> who = simulate_with_apart(boxes);
        for (int i = 0; i < static_cast<int>(60.0 * std::atof(argv[2])); i++) {
            who->step();
        }
        return 0;
    }
    std::printf("W15: boxes fall into a pit: processor time for a second, and the deepest overlap as a share of the "
                "smaller body's diameter\n%-16s %10s %8s %12s %9s %9s %7s %8s\n",
                "boxes", "ms/s", "x", "worst step", "deepest", "mean", "height", "outside");
    for (const size_t count : {size_t{200}, size_t{2000}}) {
        const std::vector<pit_result> results = run_pit(count, quick ? 1.0 : count == 200 ? 4.0 : 2.0);
        for (const pit_result &r : results) {
            std::printf("%6zu  %-8s %10.1f %8.2f %9.1f ms %7.2f %% %7.2f %% %7.3f %8zu\n", count, r.name.c_str(),
                        1e3 * r.seconds, r.seconds / results[0].seconds, 1e3 * r.slowest, 100.0 * r.deepest,
                        100.0 * r.deepest_mean, r.end.height, r.end.outside);
        }
        std::fflush(stdout);
    }
    return 0;
}
