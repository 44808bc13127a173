/* W10: the distances of all pairs of links of a real arm, configuration by configuration: apart beside FCL's Convex and
 * FCL's triangles in a
 * tree of boxes (BVH). The links are the hulls of the KUKA KR5's meshes; every library gets the same vertices, faces
 * and poses. Timed is what a configuration needs once the poses are known. Two rows: small steps of the joints, and
 * positions drawn at random. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#ifdef BENCH_ROBOT_FCL
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/math/bv/OBBRSS.h>
#include <fcl/narrowphase/distance.h>
#endif

#include "robot_links.h"

namespace
{

const char *const urdf = "/usr/share/doc/dart/data/urdf/KR5/KR5 sixx R650.urdf";
/* Distances are compared where apart's is above this; FCL's default tolerance is 1e-6. */
const double compared_above = 1e-3, same_within = 1e-5;

struct motion {
    const char *name;
    std::vector<std::vector<apart_pose>> poses; /* by configuration, by body */
};

/* One library's way to the distances of all pairs. */
struct contender {
    virtual ~contender() = default;
    virtual void distances(const std::vector<apart_pose> &poses, std::vector<double> &out) = 0;
};

struct apart_contender : contender {
    bench_links *links;
    explicit apart_contender(bench_links *l) : links(l) {}
    void distances(const std::vector<apart_pose> &poses, std::vector<double> &out) override
    {
        bench_links_distances(links, poses.data(), out.data());
    }
};

#ifdef BENCH_ROBOT_FCL
std::shared_ptr<fcl::CollisionGeometryd> make_convex(const apart_hull *hull)
{
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 p = apart_hull_vertex(hull, i);
        vertices->emplace_back(p.x, p.y, p.z);
    }
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t *ids = nullptr;
        const uint32_t size = apart_hull_face(hull, f, &ids);
        faces->push_back(static_cast<int>(size));
        faces->insert(faces->end(), ids, ids + size);
    }
    return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(apart_hull_face_count(hull)), faces);
}

std::shared_ptr<fcl::CollisionGeometryd> make_triangles(const apart_hull *hull)
{
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 p = apart_hull_vertex(hull, i);
        vertices.emplace_back(p.x, p.y, p.z);
    }
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t *ids = nullptr;
        const uint32_t size = apart_hull_face(hull, f, &ids);
        for (uint32_t k = 2; k < size; k++) {
            triangles.emplace_back(ids[0], ids[k - 1], ids[k]);
        }
    }
    model->beginModel();
    model->addSubModel(vertices, triangles);
    model->endModel();
    return model;
}

struct fcl_contender : contender {
    std::vector<std::pair<size_t, size_t>> pairs;
    std::vector<fcl::CollisionObjectd> bodies;
    fcl::DistanceRequestd request{true};

    fcl_contender(const bench_links *l,
                  const std::function<std::shared_ptr<fcl::CollisionGeometryd>(const apart_hull *)> &make)
    {
        for (size_t i = 0; i < bench_links_bodies(l); i++) {
            bodies.emplace_back(make(bench_links_hull(l, i)), fcl::Transform3d::Identity());
        }
        for (size_t p = 0; p < bench_links_pairs(l); p++) {
            size_t ids[2];
            bench_links_pair(l, p, ids);
            pairs.emplace_back(ids[0], ids[1]);
        }
    }
    void distances(const std::vector<apart_pose> &poses, std::vector<double> &out) override
    {
        for (size_t i = 0; i < bodies.size(); i++) {
            const apart_mat3 &r = poses[i].rotation;
            fcl::Transform3d t = fcl::Transform3d::Identity();
            t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
            t.translation() << poses[i].translation.x, poses[i].translation.y, poses[i].translation.z;
            bodies[i].setTransform(t);
        }
        for (size_t p = 0; p < pairs.size(); p++) {
            fcl::DistanceResultd result;
            out[p] = fcl::distance(&bodies[pairs[p].first], &bodies[pairs[p].second], request, result);
        }
    }
};
#endif

struct row {
    double microseconds = 1e300; /* of a configuration */
    size_t compared = 0, differing = 0;
    double worst = 0.0;
};

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

row measure(contender &c, const motion &m, size_t pairs, unsigned repeats, std::vector<double> *reference, bool fill)
{
    row r;
    std::vector<double> out(pairs);
    for (unsigned k = 0; k < repeats; k++) {
        const double started = seconds();
        for (const auto &poses : m.poses) {
            c.distances(poses, out);
        }
        r.microseconds = std::min(r.microseconds, 1e6 * (seconds() - started) / static_cast<double>(m.poses.size()));
    }
    for (size_t i = 0; i < m.poses.size(); i++) {
        c.distances(m.poses[i], out);
        for (size_t p = 0; p < pairs; p++) {
            double &wanted = (*reference)[i * pairs + p];
            if (fill) {
                wanted = out[p];
            } else if (wanted > compared_above) {
                const double error = std::fabs(out[p] - wanted);
                r.compared++;
                r.differing += !(error <= same_within);
                r.worst = std::max(r.worst, error);
            }
        }
    }
    return r;
}

void print(FILE *csv, const motion &m, const char *library, const row &r, double own)
{
    std::printf("| %-11s | %-10s | %9.2f | %6.2f | %9zu | %6zu | %9.1e |\n", m.name, library, r.microseconds,
                r.microseconds / own, r.compared, r.differing, r.worst);
    std::fprintf(csv, "W10,%s,%s,%.6g,%.6g,%zu,%zu,%.6g\n", m.name, library, r.microseconds, r.microseconds / own,
                 r.compared, r.differing, r.worst);
}

void run(FILE *csv, bench_links *links, const motion &m, unsigned repeats)
{
    const size_t pairs = bench_links_pairs(links);
    std::vector<double> reference(m.poses.size() * pairs);
    apart_contender own(links);
    const row mine = measure(own, m, pairs, 3 * repeats, &reference, true);
    print(csv, m, "apart", mine, mine.microseconds);
#ifdef BENCH_ROBOT_FCL
    fcl_contender convex(links, make_convex), triangles(links, make_triangles);
    print(csv, m, "fcl-convex", measure(convex, m, pairs, repeats, &reference, false), mine.microseconds);
    print(csv, m, "fcl-bvh", measure(triangles, m, pairs, repeats, &reference, false), mine.microseconds);
#endif
}

} // namespace

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    if (argc > 2 || (argc == 2 && !quick)) {
        std::fprintf(stderr, "usage: bench_robot [--quick]\n");
        return 2;
    }
    const char *reason = nullptr;
    bench_links *links = bench_links_open(urdf, &reason);
    if (links == nullptr) {
        std::printf("W10 is left out: %s (Debian's dart-doc has the robot)\n", reason);
        return 0;
    }
    FILE *csv = std::fopen(BENCH_DIRECTORY "/robot.csv", "w");
    if (csv == nullptr) {
        std::fprintf(stderr, "bench_robot: cannot write " BENCH_DIRECTORY "/robot.csv\n");
        return 2;
    }
    std::fprintf(csv,
                 "workload,motion,library,us_per_configuration,ratio_to_apart,compared,differing,largest_difference\n");
    std::printf("W10: all %zu pairs of links of the KUKA KR5; microseconds of processor time per configuration\n\n"
                "| motion      | of         |     us    |  ratio | compared  | differ |  largest  |\n"
                "|-------------|------------|----------:|-------:|----------:|-------:|----------:|\n",
                bench_links_pairs(links));
    for (const char *name : {"small steps", "random"}) {
        motion m{name, {}};
        for (size_t i = 0; i < (quick ? 200u : 1000u); i++) {
            m.poses.emplace_back(bench_links_bodies(links));
            bench_links_move(links, i > 0 && name[0] == 's', m.poses.back().data());
        }
        run(csv, links, m, quick ? 1 : 3);
    }
    std::fclose(csv);
    bench_links_close(links);
    std::printf(
        "\nratio: time beside apart's. compared: distances above %g; differ: by more than %g. Written to " BENCH_DIRECTORY
        "/robot.csv.\n",
        compared_above, same_within);
    return 0;
}
