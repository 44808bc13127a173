/* W10, the edges of a planner: is the straight motion between two joint positions free? apart proves it or refutes it;
 * FCL is asked at states 0.01 rad apart, the middle first, as OMPL's validator does it, with the same hulls and the same
 * kinematics. Random edges of 0.1 and 1 rad (Euclidean) from free states; the median time of an edge. Robots whose files
 * are not there are left out. */
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include <apart/robot_io.h>

#include "fcl_cell.h"

namespace
{

const double resolution = 0.01;

struct robot_file {
    const char *name, *path, *srdf;
};

const robot_file robots[] = {
    {"Panda", BENCH_ROBOTS "/panda_vamp/panda.urdf", BENCH_ROBOTS "/panda_vamp/panda.srdf"},
    {"UR5, gripper", BENCH_ROBOTS "/ur5_robotiq/ur5.urdf", BENCH_ROBOTS "/ur5_robotiq/ur5.srdf"},
    {"iiwa 14", BENCH_ROBOTS "/iiwa14/kuka_lbr_iiwa_support/urdf/lbr_iiwa_14_r820.urdf", nullptr},
    {"Panda, MJCF", BENCH_ROBOTS "/panda_mjcf/panda.xml", nullptr},
};

double microseconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(*seed >> 11) * 0x1p-53;
}

/* A state a given length away, in a random direction, within the limits. */
bool step_from(const apart_robot *r, const double *from, double length, uint64_t *seed, double *to)
{
    const size_t width = apart_robot_variable_count(r);
    double square = 0.0;
    for (size_t v = 0; v < width; v++) {
        to[v] = std::sqrt(-2.0 * std::log(1.0 - uniform(seed))) * std::cos(6.283185307179586 * uniform(seed));
        square += to[v] * to[v];
    }
    for (size_t v = 0; v < width; v++) {
        const apart_robot_joint *joint = apart_robot_variable(r, v);
        to[v] = from[v] + length / std::sqrt(square) * to[v];
        if (!(to[v] >= joint->lower && to[v] <= joint->upper)) {
            return false;
        }
    }
    return true;
}

double median(std::vector<double> &values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

struct edge_times {
    std::vector<double> own, other;
    size_t free = 0, hidden = 0, stricter = 0;
};

/* Both answer an edge in turn. Hidden: refuted by apart, not seen at the samples. */
void measure(apart_robot_work *work, fcl_cell &cell, const double *q0, const double *q1, double length, edge_times &t)
{
    apart_robot_motion_options options = {};
    options.has_limit = 1;
    apart_robot_gap gap;
    const size_t width = apart_robot_variable_count(apart_robot_cell_robot(cell.cell()));
    const double started = microseconds();
    if (apart_robot_motion(work, q0, q1, &options, &gap) != APART_OK) {
        return;
    }
    const double between = microseconds();
    const bool collides = cell.collides_between(q0, q1, width, length, resolution);
    const double ended = microseconds();
    t.own.push_back(between - started);
    t.other.push_back(ended - between);
    const bool is_free = gap.lower >= 0.0;
    t.free += is_free;
    t.hidden += !is_free && !collides;
    t.stricter += is_free && collides;
}

void run(FILE *csv, const robot_file &file, const apart_robot_cell *cell, double length, size_t count)
{
    const apart_robot *r = apart_robot_cell_robot(cell);
    const size_t width = apart_robot_variable_count(r);
    fcl_cell other(cell);
    apart_robot_work *work = nullptr;
    if (!other.is_good() || apart_robot_work_create(cell, &work) != APART_OK) {
        std::printf("| %-12s | has shapes that FCL lacks\n", file.name);
        return;
    }
    std::vector<double> q0(width), q1(width);
    uint64_t seed = 1;
    edge_times t;
    for (size_t tries = 0; t.own.size() < count && tries < 100 * count; tries++) {
        apart_robot_random(r, &seed, q0.data());
        if (!other.collides(q0.data()) && step_from(r, q0.data(), length, &seed, q1.data())) {
            measure(work, other, q0.data(), q1.data(), length, t);
        }
    }
    if (t.own.empty()) {
        std::printf("| %-12s | has no free states\n", file.name);
        apart_robot_work_free(work);
        return;
    }
    const double own = median(t.own), fcl = median(t.other);
    std::printf("| %-12s | %4g | %9.2f | %9.2f | %6.2f | %5zu | %4zu | %6zu | %8zu |\n", file.name, length, own, fcl,
                fcl / own, t.own.size(), t.free, t.hidden, t.stricter);
    std::fprintf(csv, "W10,%s,%g,%.6g,%.6g,%.6g,%zu,%zu,%zu,%zu\n", file.name, length, own, fcl, fcl / own, count,
                 t.free, t.hidden, t.stricter);
    apart_robot_work_free(work);
}

/* NULL after a message. */
apart_robot *load(const robot_file &file)
{
    apart_robot *r = nullptr;
    apart_io_error error;
    FILE *there = std::fopen(file.path, "rb");
    if (there == nullptr) {
        std::printf("| %-12s | is left out: its files are not there\n", file.name);
        return nullptr;
    }
    std::fclose(there);
    if (apart_robot_read(file.path, nullptr, &r, &error) != APART_OK ||
        (file.srdf != nullptr && apart_robot_read_srdf(file.srdf, nullptr, r, &error) != APART_OK)) {
        std::fprintf(stderr, "bench_edges: %s\n", error.message);
        apart_robot_free(r);
        return nullptr;
    }
    return r;
}

} // namespace

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    FILE *csv = std::fopen(BENCH_DIRECTORY "/edges.csv", "w");
    if (argc > 2 || (argc == 2 && !quick) || csv == nullptr) {
        std::fprintf(stderr, "usage: bench_edges [--quick]\n");
        return 2;
    }
    std::fprintf(csv, "workload,robot,length,us_apart,us_fcl,ratio,edges,free,hidden,stricter\n");
    std::printf("W10: is an edge free? Microseconds of processor time, medians; FCL at states %g rad apart\n\n"
                "| robot        |  rad | apart     | FCL       |  ratio | edges | free | hidden | stricter |\n"
                "|--------------|-----:|----------:|----------:|-------:|------:|-----:|-------:|---------:|\n",
                resolution);
    for (const robot_file &file : robots) {
        apart_robot *r = load(file);
        apart_robot_cell *cell = nullptr;
        if (r != nullptr && apart_robot_cell_create(r, nullptr, &cell) == APART_OK) {
            for (const double length : {0.1, 1.0}) {
                run(csv, file, cell, length, quick ? 200 : 1000);
            }
        }
        apart_robot_cell_free(cell);
        apart_robot_free(r);
    }
    std::fclose(csv);
    std::printf(
        "\nratio: FCL's median beside apart's. free: proved. hidden: refuted, and no sample collides. stricter: proved "
        "free, and a sample collides for FCL. Written to " BENCH_DIRECTORY "/edges.csv.\n");
    return 0;
}
