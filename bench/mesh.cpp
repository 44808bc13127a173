/* W12: triangle meshes as they are, beside FCL's BVHModel<OBBRSS>: distance at random poses and along small motions, yes
 * or no, rays, building and memory. Meshes have a bounding radius of one about the middle of their box; A rests, and B is
 * turned and put somewhere at random. Every time is the best of several repeats of the same query; a ratio is FCL's time
 * by apart's. The answers of both are compared. FCL has no call that tracks, and no rays; those are compared with Embree.
 * What was asked, and apart's times and answers, go to mesh-queries.json for the peers under node (bench/node). */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <apart/apart.h>
#include <apart/io.h>

#ifdef BENCH_MESH_FCL
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#endif

#ifdef BENCH_MESH_EMBREE
#include <embree3/rtcore.h>
#endif

namespace
{

const double same_within = 1e-9;

/* ---- random numbers: SplitMix64 ---- */

struct random_source {
    uint64_t state;

    double unit()
    {
        uint64_t x = state += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return static_cast<double>((x ^ x >> 31) >> 11) * 0x1p-53;
    }
    double between(double low, double high) { return low + (high - low) * unit(); }
    apart_vec3 direction()
    {
        for (;;) {
            const apart_vec3 v = {between(-1, 1), between(-1, 1), between(-1, 1)};
            const double length = apart_vec3_norm(v);
            if (length > 0.1 && length <= 1.0) {
                return apart_vec3_scale(1.0 / length, v);
            }
        }
    }
    apart_pose turned(apart_vec3 where)
    {
        apart_pose pose;
        apart_pose_from_axis_angle(direction(), between(0.0, 6.28), where, &pose);
        return pose;
    }
};

/* ---- meshes ---- */

struct model {
    std::string name;
    std::vector<double> vertices;
    std::vector<uint32_t> triangles;
    apart_mesh *mesh = nullptr;
#ifdef BENCH_MESH_FCL
    std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> fcl_model;
#endif
    ~model() { apart_mesh_free(mesh); }
};

void center_and_scale(std::vector<double> &v)
{
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, radius = 0.0;
    for (size_t i = 0; i < v.size(); i++) {
        low[i % 3] = std::min(low[i % 3], v[i]);
        high[i % 3] = std::max(high[i % 3], v[i]);
    }
    for (size_t i = 0; i < v.size(); i += 3) {
        double square = 0.0;
        for (size_t k = 0; k < 3; k++) {
            v[i + k] -= 0.5 * (low[k] + high[k]);
            square += v[i + k] * v[i + k];
        }
        radius = std::max(radius, std::sqrt(square));
    }
    for (double &x : v) {
        x /= radius;
    }
}

apart_mesh *build_apart(const model &m)
{
    apart_mesh *mesh = nullptr;
    apart_vertices vertices = {};
    vertices.data = m.vertices.data();
    vertices.count = m.vertices.size() / 3;
    if (apart_mesh_build(&vertices, m.triangles.data(), m.triangles.size() / 3, nullptr, &mesh) != APART_OK) {
        std::fprintf(stderr, "bench_mesh: %s cannot be built\n", m.name.c_str());
        std::exit(1);
    }
    return mesh;
}

#ifdef BENCH_MESH_FCL
std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> build_fcl(const model &m)
{
    auto built = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    for (size_t i = 0; i < m.vertices.size(); i += 3) {
        vertices.emplace_back(m.vertices[i], m.vertices[i + 1], m.vertices[i + 2]);
    }
    for (size_t i = 0; i < m.triangles.size(); i += 3) {
        triangles.emplace_back(m.triangles[i], m.triangles[i + 1], m.triangles[i + 2]);
    }
    built->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    built->addSubModel(vertices, triangles);
    built->endModel();
    return built;
}
#endif

std::unique_ptr<model> load(const std::string &folder, const char *name)
{
    auto m = std::make_unique<model>();
    apart_mesh_data data;
    apart_io_error error;
    m->name = name;
    const std::string path = folder + "/" + name + ".obj";
    if (apart_mesh_read(path.c_str(), &data, &error) != APART_OK) {
        return nullptr;
    }
    m->vertices.assign(data.xyz, data.xyz + 3 * data.vertex_count);
    for (size_t f = 0, at = 0; f < data.face_count; at += data.face_sizes[f], f++) {
        for (uint32_t k = 2; k < data.face_sizes[f]; k++) {
            m->triangles.insert(m->triangles.end(),
                                {data.face_indices[at], data.face_indices[at + k - 1], data.face_indices[at + k]});
        }
    }
    apart_mesh_data_free(&data);
    center_and_scale(m->vertices);
    m->mesh = build_apart(*m);
#ifdef BENCH_MESH_FCL
    m->fcl_model = build_fcl(*m);
#endif
    return m;
}

/* ---- time ---- */

double microseconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/* The least time of a call, of `repeats` times as many calls as take about 50 us. */
double best_time(const std::function<void()> &call, int repeats)
{
    double best = std::numeric_limits<double>::infinity();
    double start = microseconds();
    call();
    const int calls = static_cast<int>(std::min(64.0, 1.0 + 50.0 / std::max(0.5, microseconds() - start)));
    for (int i = 0; i < repeats; i++) {
        start = microseconds();
        for (int k = 0; k < calls; k++) {
            call();
        }
        best = std::min(best, (microseconds() - start) / calls);
    }
    return best;
}

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? NAN : v[v.size() / 2];
}

/* ---- rows ---- */

struct row {
    std::vector<double> own, peer;
    std::vector<apart_pose> poses;
    std::vector<double> answers;
    size_t differing = 0;

    void add(double mine, double theirs)
    {
        own.push_back(mine);
        peer.push_back(theirs);
    }
    void asked(const apart_pose &pose, double answer)
    {
        poses.push_back(pose);
        answers.push_back(answer);
    }
};

struct settings {
    int repeats = 5;
    bool each = false;
    FILE *csv = nullptr;
};

void print(const settings &s, const char *what, const std::string &name, const row &r)
{
    double worst = std::numeric_limits<double>::infinity();
    std::vector<double> ratios;
    for (size_t i = 0; i < r.own.size(); i++) {
        ratios.push_back(r.peer[i] / r.own[i]);
        worst = std::min(worst, ratios[i]);
        if (s.each) {
            std::printf("%s %s pose %zu: %.2f us, ratio %.2f\n", what, name.c_str(), i, r.own[i], ratios[i]);
        }
    }
    const double mine = median(r.own), theirs = median(r.peer);
    std::printf("| %-8s | %-21s | %9.2f | %9.2f | %6.1f | %6.1f | %6zu |\n", what, name.c_str(), mine, theirs,
                theirs / mine, worst, r.differing);
    std::fprintf(s.csv, "W12,%s,%s,%.6g,%.6g,%.6g,%.6g,%zu\n", what, name.c_str(), mine, theirs, theirs / mine, worst,
                 r.differing);
    std::fflush(stdout);
}

#ifdef BENCH_MESH_FCL
fcl::Transform3d transform(const apart_pose &pose)
{
    const apart_mat3 &r = pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
    t.translation() << pose.translation.x, pose.translation.y, pose.translation.z;
    return t;
}
#endif

double fcl_distance(const settings &s, const model &a, const model &b, const apart_pose &pose, double *distance)
{
#ifdef BENCH_MESH_FCL
    const fcl::Transform3d at = transform(pose), identity = fcl::Transform3d::Identity();
    return best_time(
        [&] {
            fcl::DistanceRequestd request;
            fcl::DistanceResultd result;
            *distance = fcl::distance(a.fcl_model.get(), identity, b.fcl_model.get(), at, request, result);
        },
        std::max(1, s.repeats / 2));
#else
    (void)s, (void)a, (void)b, (void)pose, (void)distance;
    return NAN;
#endif
}

double fcl_overlap(const settings &s, const model &a, const model &b, const apart_pose &pose, int *overlap)
{
#ifdef BENCH_MESH_FCL
    const fcl::Transform3d at = transform(pose), identity = fcl::Transform3d::Identity();
    return best_time(
        [&] {
            fcl::CollisionRequestd request;
            fcl::CollisionResultd result;
            *overlap = fcl::collide(a.fcl_model.get(), identity, b.fcl_model.get(), at, request, result) > 0;
        },
        s.repeats);
#else
    (void)s, (void)a, (void)b, (void)pose, (void)overlap;
    return NAN;
#endif
}

const apart_pose origin = apart_pose_identity();

/* Random poses, each asked without a cache; `near`: moved in along the line of the centres to a gap of 1e-3. */
void cold(const settings &s, const model &a, const model &b, size_t poses, bool near, row *r)
{
    random_source random = {near ? 77u : 4242u};
    const apart_solid sa = apart_solid_surface(a.mesh), sb = apart_solid_surface(b.mesh);
    for (size_t i = 0; i < poses; i++) {
        const apart_vec3 towards = random.direction();
        apart_pose pose = random.turned(apart_vec3_scale(random.between(1.6, 2.6), towards));
        apart_compound_result result;
        double peer = NAN;
        for (int k = 0; near && k < 60; k++) {
            apart_compound_distance(sa, &origin, sb, &pose, nullptr, nullptr, &result);
            if (result.result.distance <= 1.0001e-3) {
                break;
            }
            pose.translation =
                apart_vec3_sub(pose.translation, apart_vec3_scale(result.result.distance - 1e-3, towards));
        }
        const double own =
            best_time([&] { apart_compound_distance(sa, &origin, sb, &pose, nullptr, nullptr, &result); }, s.repeats);
        r->add(own, fcl_distance(s, a, b, pose, &peer));
        r->asked(pose, result.result.distance);
        /* FCL says -1 where meshes meet. */
        r->differing += std::fabs(std::max(0.0, peer) - result.result.distance) > same_within;
    }
}

/* Steps of 0.01 and one degree from random poses. */
void tracked(const settings &s, const model &a, const model &b, size_t starts, row *r)
{
    random_source random = {99};
    const apart_solid sa = apart_solid_surface(a.mesh), sb = apart_solid_surface(b.mesh);
    for (size_t i = 0; i < starts; i++) {
        apart_pose pose = random.turned(apart_vec3_scale(random.between(1.6, 2.6), random.direction()));
        apart_compound_cache cache = {};
        apart_compound_result result;
        apart_compound_distance(sa, &origin, sb, &pose, nullptr, &cache, &result);
        for (int step = 0; step < 20; step++) {
            apart_pose turn;
            apart_pose_from_axis_angle(random.direction(), 0.0174532925, {0, 0, 0}, &turn);
            const apart_vec3 where = apart_vec3_add(pose.translation, apart_vec3_scale(0.01, random.direction()));
            pose.rotation = apart_pose_compose(&turn, &pose).rotation;
            pose.translation = where;
            double own = std::numeric_limits<double>::infinity(), peer = NAN;
            apart_compound_cache next = cache;
            own = best_time(
                [&] {
                    next = cache;
                    apart_compound_distance(sa, &origin, sb, &pose, nullptr, &next, &result);
                },
                s.repeats);
            cache = next;
            if (result.result.lower > 0.0) {
                r->add(own, fcl_distance(s, a, b, pose, &peer));
                r->differing += std::fabs(peer - result.result.distance) > same_within;
            }
        }
    }
}

/* Yes or no where the centres are 0.4 to 1.4 apart: most bodies overlap. */
void overlap(const settings &s, const model &a, const model &b, size_t poses, row *r)
{
    random_source random = {1234};
    const apart_solid sa = apart_solid_surface(a.mesh), sb = apart_solid_surface(b.mesh);
    for (size_t i = 0; i < poses; i++) {
        const apart_pose pose = random.turned(apart_vec3_scale(random.between(0.4, 1.4), random.direction()));
        int own_answer = 0, peer_answer = 0;
        const double own =
            best_time([&] { apart_compound_overlap(sa, &origin, sb, &pose, nullptr, nullptr, &own_answer, nullptr); },
                      s.repeats);
        const double peer = fcl_overlap(s, a, b, pose, &peer_answer);
        r->add(own, peer);
        r->asked(pose, own_answer);
        r->differing += std::isfinite(peer) && own_answer != peer_answer;
    }
}

/* Rays from a sphere of radius two to points near the middle. */
std::vector<apart_ray> make_rays(size_t count)
{
    random_source random = {31};
    std::vector<apart_ray> all;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 from = apart_vec3_scale(2.0, random.direction()),
                         to = apart_vec3_scale(0.6, random.direction());
        const apart_vec3 along = apart_vec3_sub(to, from);
        all.push_back({from, apart_vec3_scale(1.0 / apart_vec3_norm(along), along), 10.0});
    }
    return all;
}

/* Where Embree's rays hit first; a negative number: nowhere. Single precision. */
double embree_rays(const settings &s, const model &m, const std::vector<apart_ray> &all, std::vector<double> *at)
{
#ifdef BENCH_MESH_EMBREE
    const RTCDevice device = rtcNewDevice("threads=1");
    const RTCScene scene = rtcNewScene(device);
    const RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto *vertices =
        static_cast<float *>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                     3 * sizeof(float), m.vertices.size() / 3));
    auto *triangles =
        static_cast<uint32_t *>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                        3 * sizeof(uint32_t), m.triangles.size() / 3));
    for (size_t i = 0; i < m.vertices.size(); i++) {
        vertices[i] = static_cast<float>(m.vertices[i]);
    }
    std::copy(m.triangles.begin(), m.triangles.end(), triangles);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcCommitScene(scene);
    const double time = best_time(
        [&] {
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            for (size_t i = 0; i < all.size(); i++) {
                RTCRayHit hit = {};
                hit.ray.org_x = static_cast<float>(all[i].origin.x);
                hit.ray.org_y = static_cast<float>(all[i].origin.y);
                hit.ray.org_z = static_cast<float>(all[i].origin.z);
                hit.ray.dir_x = static_cast<float>(all[i].direction.x);
                hit.ray.dir_y = static_cast<float>(all[i].direction.y);
                hit.ray.dir_z = static_cast<float>(all[i].direction.z);
                hit.ray.tfar = static_cast<float>(all[i].length);
                hit.ray.mask = UINT32_MAX;
                hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
                rtcIntersect1(scene, &context, &hit);
                (*at)[i] = hit.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1.0 : static_cast<double>(hit.ray.tfar);
            }
        },
        s.repeats);
    rtcReleaseGeometry(geometry);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return time;
#else
    (void)s, (void)m, (void)all, (void)at;
    return NAN;
#endif
}

void rays(const settings &s, const model &m, size_t count, row *r)
{
    const apart_solid surface = apart_solid_surface(m.mesh);
    const std::vector<apart_ray> all = make_rays(count);
    std::vector<double> own(count), peer(count, NAN);
    const double time = best_time(
        [&] {
            for (size_t i = 0; i < count; i++) {
                apart_ray_hit hit;
                apart_compound_raycast(&all[i], surface, &origin, &hit, nullptr);
                own[i] = hit.hit ? hit.distance : -1.0;
            }
        },
        s.repeats);
    r->add(time / static_cast<double>(count), embree_rays(s, m, all, &peer) / static_cast<double>(count));
    r->answers = own;
    for (size_t i = 0; i < count; i++) { /* in single precision a ray may pass an edge on the other side */
        r->differing += std::fabs(own[i] - peer[i]) > 1e-4;
    }
}

void build(const settings &s, const model &m, row *r)
{
    const double own = best_time([&] { apart_mesh_free(build_apart(m)); }, s.repeats);
#ifdef BENCH_MESH_FCL
    r->add(own, best_time([&] { build_fcl(m); }, std::max(1, s.repeats / 2)));
#else
    r->add(own, NAN);
#endif
}

void memory(const model &m, row *r)
{
    const double triangles = static_cast<double>(m.triangles.size() / 3);
    const double own = static_cast<double>(apart_mesh_size(m.mesh)) / triangles;
#ifdef BENCH_MESH_FCL
    const auto &f = *m.fcl_model;
    const double bytes = static_cast<double>(f.getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBRSSd>) +
                         static_cast<double>(f.num_tris) * sizeof(fcl::Triangle) +
                         static_cast<double>(f.num_vertices) * sizeof(fcl::Vector3d);
    r->add(own, bytes / triangles);
#else
    r->add(own, NAN);
#endif
}

/* ---- what was asked, for the peers under node ---- */

template <class numbers> void write_numbers(FILE *file, const char *name, const numbers &all)
{
    std::fprintf(file, "\"%s\":[", name);
    for (size_t i = 0; i < all.size(); i++) {
        std::fprintf(file, "%s%.17g", i == 0 ? "" : ",", static_cast<double>(all[i]));
    }
    std::fprintf(file, "]");
}

void write_model(FILE *file, const model &m)
{
    std::fprintf(file, "{\"name\":\"%s\",", m.name.c_str());
    write_numbers(file, "vertices", m.vertices);
    std::fprintf(file, ",");
    write_numbers(file, "triangles", m.triangles);
    std::fprintf(file, "}");
}

void write_row(FILE *file, const char *what, const row &r)
{
    std::vector<double> poses;
    for (const apart_pose &p : r.poses) { /* column by column */
        const apart_vec3 column[] = {p.rotation.x, p.rotation.y, p.rotation.z, p.translation};
        for (const apart_vec3 &c : column) {
            poses.insert(poses.end(), {c.x, c.y, c.z});
        }
    }
    if (std::strcmp(what, "rays") == 0) {
        for (const apart_ray &ray : make_rays(r.answers.size())) {
            for (const apart_vec3 &v : {ray.origin, ray.direction}) {
                poses.insert(poses.end(), {v.x, v.y, v.z});
            }
        }
    }
    std::fprintf(file, ",\"%s\":{", what);
    write_numbers(file, "asked", poses);
    std::fprintf(file, ",");
    write_numbers(file, "answers", r.answers);
    std::fprintf(file, ",");
    write_numbers(file, "microseconds", r.own);
    std::fprintf(file, "}");
}

} // namespace

int main(int argc, char **argv)
{
    settings s;
    size_t poses = 100;
    const char *only = nullptr, *folder = BENCH_MESHES;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            poses = 25;
            s.repeats = 3;
        } else if (std::strcmp(argv[i], "--each") == 0) {
            s.each = true;
        } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else if (std::strcmp(argv[i], "--meshes") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else {
            std::fprintf(stderr, "usage: bench_mesh [--quick] [--each] [--only ROW] [--meshes FOLDER]\n"
                                 "  --quick   a quarter of the poses\n"
                                 "  --each    a line for each pose, too\n"
                                 "  --only    cold, near, tracked, overlap, rays, build or memory\n"
                                 "  --meshes  where spot.obj and the others are (default: ../shared/data/meshes)\n");
            return 2;
        }
    }
    static const char *const names[3][2] = {{"spot", "cow"},
                                            {"rocker-arm", "fandisk"},
                                            {"stanford-bunny", "stanford-bunny"}};
    s.csv = std::fopen(BENCH_DIRECTORY "/mesh.csv", "w");
    if (s.csv == nullptr) {
        std::fprintf(stderr, "bench_mesh: cannot write " BENCH_DIRECTORY "/mesh.csv\n");
        return 2;
    }
    FILE *queries = std::fopen(BENCH_DIRECTORY "/mesh-queries.json", "w");
    if (queries == nullptr) {
        std::fprintf(stderr, "bench_mesh: cannot write " BENCH_DIRECTORY "/mesh-queries.json\n");
        return 2;
    }
    const char *separator = "[";
    std::fprintf(s.csv, "workload,row,meshes,apart,peer,ratio_of_medians,smallest_ratio,differing\n");
    std::printf("W12: triangle meshes; microseconds of processor time (memory: bytes a triangle), medians; the peer is "
                "FCL, of rays Embree\n\n"
                "| row      | meshes                |   apart   |   peer    |  ratio | worst  | differ |\n"
                "|----------|-----------------------|----------:|----------:|-------:|-------:|-------:|\n");
    const auto wanted = [&](const char *name) { return only == nullptr || std::strcmp(only, name) == 0; };
    for (const auto &pair : names) {
        const auto a = load(folder, pair[0]), b = load(folder, pair[1]);
        if (a == nullptr || b == nullptr) {
            std::printf("W12 leaves out %s and %s: not in %s\n", pair[0], pair[1], folder);
            continue;
        }
        const std::string both = a->name.substr(0, 10) + " x " + b->name.substr(0, 8);
        const std::pair<const char *, std::function<void(row *)>> rows[] = {
            {"cold", [&](row *r) { cold(s, *a, *b, poses, false, r); }},
            {"near", [&](row *r) { cold(s, *a, *b, poses, true, r); }},
            {"tracked", [&](row *r) { tracked(s, *a, *b, poses / 5, r); }},
            {"overlap", [&](row *r) { overlap(s, *a, *b, poses, r); }},
            {"rays", [&](row *r) { rays(s, *a, 1000, r); }},
            {"build", [&](row *r) { build(s, *a, r); }},
            {"memory", [&](row *r) { memory(*a, r); }},
        };
        std::fprintf(queries, "%s{\"a\":", separator);
        separator = ",";
        write_model(queries, *a);
        std::fprintf(queries, ",\"b\":");
        write_model(queries, *b);
        for (const auto &entry : rows) {
            if (wanted(entry.first)) {
                row r;
                entry.second(&r);
                print(s, entry.first, both, r);
                if (!r.answers.empty()) {
                    write_row(queries, entry.first, r);
                }
            }
        }
        std::fprintf(queries, "}");
    }
    std::fprintf(queries, "%s]\n", *separator == '[' ? "[" : "");
    std::fclose(queries);
    std::fclose(s.csv);
    return 0;
}
