/* W8: many bodies of mixed shapes, small motions: time per step of an apart_world beside FCL's
 * DynamicAABBTreeCollisionManager and Bullet's btDbvtBroadphase with its GJK. Two questions: all pairs nearer than d,
 * with their distances; and which pairs overlap.
 *
 * Every library gets the same poses. Its own shapes and transforms are made outside the timed part; taking the new
 * poses, keeping the broad phase up to date and asking about the pairs is timed. The pairs found are compared with
 * apart's. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <apart/apart.h>

#ifdef BENCH_WORLD_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#endif
#ifdef BENCH_WORLD_BULLET
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btDispatcher.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#endif

#include "../apps/lab/random.h"

namespace
{

const double near_distance = 0.1;

/* The side of a body's share of space; bodies are about 0.7 across. Crowded: every other body overlaps another. */
struct density {
    const char *name;
    double spacing;
};
const density densities[] = {{"crowded", 1.1}, {"loose", 1.8}};

enum question { BELOW, OVERLAPS };
const char *const question_names[] = {"below", "overlaps"};

using pair_set = std::vector<std::pair<uint32_t, uint32_t>>;

/* The bodies and where they are in every step. */
struct scene {
    std::vector<apart_hull *> hulls;
    std::vector<apart_shape> shapes;            /* by body */
    std::vector<std::vector<apart_pose>> poses; /* by step, by body */

    scene(size_t count, size_t steps, double spacing, uint64_t seed);
    ~scene();
    scene(const scene &) = delete;
    scene &operator=(const scene &) = delete;
};

apart_hull *make_hull(lab_random *r, unsigned points)
{
    std::vector<double> xyz;
    apart_hull *hull = nullptr;
    for (unsigned i = 0; i < points; i++) {
        const apart_vec3 p = lab_random_direction(r);
        xyz.insert(xyz.end(), {0.5 * p.x, 0.5 * p.y, 0.5 * p.z});
    }
    if (apart_hull_build(xyz.data(), points, nullptr, &hull) != APART_OK) {
        std::fprintf(stderr, "bench_world: cannot build a hull\n");
        std::exit(1);
    }
    return hull;
}

apart_shape make_shape(lab_random *r, const std::vector<apart_hull *> &hulls)
{
    switch (lab_random_below(r, 7)) {
    case 0: return apart_sphere(lab_random_between(r, 0.2, 0.5));
    case 1:
        return apart_box(
            {lab_random_between(r, 0.15, 0.45), lab_random_between(r, 0.15, 0.45), lab_random_between(r, 0.15, 0.45)});
    case 2: return apart_capsule(lab_random_between(r, 0.1, 0.25), lab_random_between(r, 0.15, 0.35));
    case 3: return apart_cylinder(lab_random_between(r, 0.15, 0.35), lab_random_between(r, 0.15, 0.35));
    case 4: return apart_cone(lab_random_between(r, 0.15, 0.4), lab_random_between(r, 0.2, 0.4));
    default: return apart_hull_shape(hulls[lab_random_below(r, static_cast<uint32_t>(hulls.size()))]);
    }
}

/* Each body keeps to a velocity and a spin of its own: 0.2 % to 2 % of its size and up to 2 degrees per step. */
scene::scene(size_t count, size_t steps, double spacing, uint64_t seed)
{
    lab_random r = {seed};
    const double side = spacing * std::cbrt(static_cast<double>(count));
    for (unsigned i = 0; i < 40; i++) {
        hulls.push_back(make_hull(&r, 8 + i));
    }
    std::vector<apart_vec3> ways, axes;
    std::vector<apart_pose> now;
    for (size_t i = 0; i < count; i++) {
        shapes.push_back(make_shape(&r, hulls));
        now.push_back(lab_random_pose(&r, {lab_random_between(&r, 0, side), lab_random_between(&r, 0, side),
                                           lab_random_between(&r, 0, side)}));
        const apart_vec3 d = lab_random_direction(&r), a = lab_random_direction(&r);
        const double speed = lab_random_between(&r, 0.002, 0.02), spin = lab_random_between(&r, 0.0, 0.035);
        ways.push_back({speed * d.x, speed * d.y, speed * d.z});
        axes.push_back({spin * a.x, spin * a.y, spin * a.z});
    }
    for (size_t step = 0; step < steps; step++) {
        poses.push_back(now);
        for (size_t i = 0; i < count; i++) {
            apart_pose turn, next;
            apart_pose_from_quat_wxyz(1.0, 0.5 * axes[i].x, 0.5 * axes[i].y, 0.5 * axes[i].z, {0, 0, 0}, &turn);
            next = apart_pose_compose(&turn, &now[i]);
            /* Products of rotations stay rotations only if they are made so. */
            const apart_mat3 &m = next.rotation;
            const double w = 0.5 * std::sqrt(std::max(0.0, 1.0 + m.x.x + m.y.y + m.z.z));
            if (w > 0.05) {
                apart_pose_from_quat_wxyz(w, (m.y.z - m.z.y) / (4 * w), (m.z.x - m.x.z) / (4 * w),
                                          (m.x.y - m.y.x) / (4 * w), {0, 0, 0}, &next);
            }
            next.translation = {now[i].translation.x + ways[i].x, now[i].translation.y + ways[i].y,
                                now[i].translation.z + ways[i].z};
            now[i] = next;
        }
    }
}

scene::~scene()
{
    for (apart_hull *hull : hulls) {
        apart_hull_free(hull);
    }
}

/* A library in the benchmark: run() takes the poses of a step and answers; the pairs are sorted by the caller. */
struct contender {
    virtual ~contender() = default;
    virtual void run(const scene &s, size_t step, question q) = 0;
    pair_set found;
    std::string note;
};

/* ---- apart ---- */

struct apart_contender : contender {
    apart_world *world = nullptr;
    std::vector<apart_body_id> ids;
    std::vector<apart_world_pair> room;
    apart_world_stats before{};

    apart_contender(const scene &s, uint32_t threads)
    {
        apart_world_options options{};
        options.threads = threads;
        apart_world_create(&options, &world);
        for (size_t i = 0; i < s.shapes.size(); i++) {
            apart_body_def def{};
            apart_body_id id;
            def.solid = apart_solid_shape(&s.shapes[i]);
            def.pose = s.poses[0][i];
            apart_world_add(world, &def, &id);
            ids.push_back(id);
        }
        room.resize(64 * s.shapes.size());
    }
    ~apart_contender() override { apart_world_free(world); }
    apart_contender(const apart_contender &) = delete;
    apart_contender &operator=(const apart_contender &) = delete;

    void run(const scene &s, size_t step, question q) override
    {
        apart_world_list list{};
        list.pairs = room.data();
        list.capacity = room.size();
        list.depth = APART_DEPTH_NONE; /* the others find none either, */
        list.tolerance = 1e-6;         /* and FCL's tolerance is this */
        apart_world_move_many(world, ids.data(), s.poses[step].data(), ids.size());
        const apart_status status =
            q == BELOW ? apart_world_below(world, near_distance, &list) : apart_world_overlaps(world, &list);
        if (status != APART_OK || list.count != list.total) {
            std::fprintf(stderr, "bench_world: %s\n", apart_status_message(status));
            std::exit(1);
        }
        found.clear();
        for (size_t i = 0; i < list.count; i++) {
            found.emplace_back(list.pairs[i].a.slot, list.pairs[i].b.slot);
        }
    }
};

/* ---- FCL ---- */

#ifdef BENCH_WORLD_FCL
std::shared_ptr<fcl::CollisionGeometryd> fcl_geometry(const apart_shape &s)
{
    const apart_vec3 h = s.u.half_extents;
    const double radius = s.u.round.radius, height = 2.0 * s.u.round.half_height;
    switch (s.kind) {
    case APART_SHAPE_POINT: return std::make_shared<fcl::Sphered>(s.radius);
    case APART_SHAPE_SEGMENT: return std::make_shared<fcl::Capsuled>(s.radius, s.u.point[1].z - s.u.point[0].z);
    case APART_SHAPE_BOX: return std::make_shared<fcl::Boxd>(2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
    case APART_SHAPE_CYLINDER: return std::make_shared<fcl::Cylinderd>(radius, height);
    case APART_SHAPE_CONE: return std::make_shared<fcl::Coned>(radius, height);
    default: break;
    }
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (uint32_t i = 0; i < apart_hull_vertex_count(s.u.hull); i++) {
        const apart_vec3 p = apart_hull_vertex(s.u.hull, i);
        vertices->emplace_back(p.x, p.y, p.z);
    }
    const uint32_t count = apart_hull_face_count(s.u.hull);
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *ids = nullptr;
        const uint32_t size = apart_hull_face(s.u.hull, f, &ids);
        faces->push_back(static_cast<int>(size));
        faces->insert(faces->end(), ids, ids + size);
    }
    return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(count), faces);
}

fcl::Transform3d fcl_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
    t.translation() << p.translation.x, p.translation.y, p.translation.z;
    return t;
}

struct fcl_contender : contender {
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<std::vector<fcl::Transform3d>> poses;
    fcl::DynamicAABBTreeCollisionManagerd manager;

    explicit fcl_contender(const scene &s)
    {
        for (size_t i = 0; i < s.shapes.size(); i++) {
            objects.push_back(
                std::make_unique<fcl::CollisionObjectd>(fcl_geometry(s.shapes[i]), fcl_pose(s.poses[0][i])));
            objects.back()->setUserData(reinterpret_cast<void *>(i));
            objects.back()->computeAABB();
            manager.registerObject(objects.back().get());
        }
        for (const auto &step : s.poses) {
            poses.emplace_back();
            for (const apart_pose &p : step) {
                poses.back().push_back(fcl_pose(p));
            }
        }
        manager.setup();
    }

    static void keep(fcl_contender *self, const fcl::CollisionObjectd *a, const fcl::CollisionObjectd *b)
    {
        const auto i = static_cast<uint32_t>(reinterpret_cast<size_t>(a->getUserData()));
        const auto k = static_cast<uint32_t>(reinterpret_cast<size_t>(b->getUserData()));
        self->found.emplace_back(std::min(i, k), std::max(i, k));
    }

    /* The manager passes over boxes that are farther apart than `distance` says. */
    static bool ask_distance(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data, double &distance)
    {
        fcl::DistanceRequestd request(true);
        fcl::DistanceResultd result;
        fcl::distance(a, b, request, result);
        if (result.min_distance < near_distance) {
            keep(static_cast<fcl_contender *>(data), a, b);
        }
        distance = near_distance;
        return false;
    }

    static bool ask_overlap(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
    {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        if (fcl::collide(a, b, request, result) > 0) {
            keep(static_cast<fcl_contender *>(data), a, b);
        }
        return false;
    }

    void run(const scene &, size_t step, question q) override
    {
        for (size_t i = 0; i < objects.size(); i++) {
            objects[i]->setTransform(poses[step][i]);
            objects[i]->computeAABB();
        }
        manager.update();
        found.clear();
        if (q == BELOW) {
            manager.distance(this, ask_distance);
        } else {
            manager.collide(this, ask_overlap);
        }
    }
};
#endif

/* ---- Bullet ---- */

#ifdef BENCH_WORLD_BULLET
struct bullet_body {
    std::unique_ptr<btConvexShape> shape;
    double radius = 0.0; /* of a sphere or a capsule, which btGjkEpaSolver2::Distance leaves out */
};

bullet_body bullet_shape(const apart_shape &s)
{
    bullet_body b;
    const apart_vec3 h = s.u.half_extents;
    const double radius = s.u.round.radius, half_height = s.u.round.half_height;
    if (s.kind == APART_SHAPE_POINT || s.kind == APART_SHAPE_SEGMENT) {
        b.radius = s.radius;
        if (s.kind == APART_SHAPE_POINT) {
            b.shape.reset(new btSphereShape(s.radius));
        } else {
            b.shape.reset(new btCapsuleShapeZ(s.radius, s.u.point[1].z - s.u.point[0].z));
        }
        return b;
    }
    if (s.kind == APART_SHAPE_BOX) {
        b.shape.reset(new btBoxShape(btVector3(h.x, h.y, h.z)));
    } else if (s.kind == APART_SHAPE_CYLINDER) {
        b.shape.reset(new btCylinderShapeZ(btVector3(radius, radius, half_height)));
    } else if (s.kind == APART_SHAPE_CONE) {
        b.shape.reset(new btConeShapeZ(radius, 2.0 * half_height));
    } else {
        auto *hull = new btConvexHullShape();
        for (uint32_t i = 0; i < apart_hull_vertex_count(s.u.hull); i++) {
            const apart_vec3 p = apart_hull_vertex(s.u.hull, i);
            hull->addPoint(btVector3(p.x, p.y, p.z), false);
        }
        hull->recalcLocalAabb();
        b.shape.reset(hull);
    }
    b.shape->setMargin(0.0);
    return b;
}

/* The broad phase wants somebody to tell about pairs that come and go; nobody listens. */
struct quiet_dispatcher : btDispatcher {
    btCollisionAlgorithm *findAlgorithm(const btCollisionObjectWrapper *, const btCollisionObjectWrapper *,
                                        btPersistentManifold *, ebtDispatcherQueryType) override
    {
        return nullptr;
    }
    btPersistentManifold *getNewManifold(const btCollisionObject *, const btCollisionObject *) override
    {
        return nullptr;
    }
    void releaseManifold(btPersistentManifold *) override {}
    void clearManifold(btPersistentManifold *) override {}
    bool needsCollision(const btCollisionObject *, const btCollisionObject *) override { return true; }
    bool needsResponse(const btCollisionObject *, const btCollisionObject *) override { return false; }
    void dispatchAllCollisionPairs(btOverlappingPairCache *, const btDispatcherInfo &, btDispatcher *) override {}
    int getNumManifolds() const override { return 0; }
    btPersistentManifold *getManifoldByIndexInternal(int) override { return nullptr; }
    btPersistentManifold **getInternalManifoldPointer() override { return nullptr; }
    btPoolAllocator *getInternalManifoldPool() override { return nullptr; }
    const btPoolAllocator *getInternalManifoldPool() const override { return nullptr; }
    void *allocateCollisionAlgorithm(int) override { return nullptr; }
    void freeCollisionAlgorithm(void *) override {}
};

struct bullet_contender : contender {
    std::vector<bullet_body> bodies;
    std::vector<std::vector<btTransform>> poses;
    std::vector<btTransform> now;
    std::vector<btBroadphaseProxy *> proxies;
    quiet_dispatcher dispatcher;
    btDbvtBroadphase broadphase;

    explicit bullet_contender(const scene &s)
    {
        for (const apart_shape &shape : s.shapes) {
            bodies.push_back(bullet_shape(shape));
        }
        for (const auto &step : s.poses) {
            poses.emplace_back();
            for (const apart_pose &p : step) {
                const apart_mat3 &r = p.rotation;
                poses.back().emplace_back(btMatrix3x3(r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z),
                                          btVector3(p.translation.x, p.translation.y, p.translation.z));
            }
        }
        for (size_t i = 0; i < bodies.size(); i++) {
            btVector3 low, high;
            bodies[i].shape->getAabb(poses[0][i], low, high);
            proxies.push_back(broadphase.createProxy(low, high, bodies[i].shape->getShapeType(),
                                                     reinterpret_cast<void *>(i), 1, 1, &dispatcher));
        }
    }

    void run(const scene &, size_t step, question q) override
    {
        /* Boxes grown by half the distance on all sides meet when bodies are that near. */
        const double grow = q == BELOW ? 0.5 * near_distance : 0.0;
        for (size_t i = 0; i < bodies.size(); i++) {
            btVector3 low, high;
            bodies[i].shape->getAabb(poses[step][i], low, high);
            broadphase.setAabb(proxies[i], low - btVector3(grow, grow, grow), high + btVector3(grow, grow, grow),
                               &dispatcher);
        }
        broadphase.calculateOverlappingPairs(&dispatcher);
        btBroadphasePairArray &pairs = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
        found.clear();
        for (int k = 0; k < pairs.size(); k++) {
            const size_t i = reinterpret_cast<size_t>(pairs[k].m_pProxy0->m_clientObject),
                         j = reinterpret_cast<size_t>(pairs[k].m_pProxy1->m_clientObject);
            const btTransform &a = poses[step][i], &b = poses[step][j];
            btGjkEpaSolver2::sResults r;
            const bool apart = btGjkEpaSolver2::Distance(bodies[i].shape.get(), a, bodies[j].shape.get(), b,
                                                         (a.getOrigin() - b.getOrigin()) * a.getBasis(), r);
            const double gap = apart ? r.distance - (bodies[i].radius + bodies[j].radius) : -1.0;
            if (gap < (q == BELOW ? near_distance : 0.0)) {
                found.emplace_back(static_cast<uint32_t>(std::min(i, j)), static_cast<uint32_t>(std::max(i, j)));
            }
        }
    }
};
#endif

/* ---- measuring ---- */

double cpu_seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct row {
    const char *library;
    double milliseconds; /* per step */
    double pairs;        /* found per step */
    double differing;    /* pairs per step that apart does not find, or finds alone */
    double queries, saved, kept;
};

size_t count_differences(pair_set a, pair_set b)
{
    pair_set difference;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
    return difference.size();
}

/* All steps but the first, which fills trees and caches; the best of the repeats. */
row measure(const scene &s, question q, const char *library, const std::vector<pair_set> *reference,
            std::vector<pair_set> *answers, unsigned repeats, const std::function<std::unique_ptr<contender>()> &make)
{
    row best{library, INFINITY, 0, 0, 0, 0, 0};
    for (unsigned repeat = 0; repeat < repeats; repeat++) {
        const std::unique_ptr<contender> c = make();
        auto *own = dynamic_cast<apart_contender *>(c.get());
        double seconds = 0.0;
        size_t found = 0, differing = 0;
        apart_world_stats stats{};
        for (size_t step = 0; step < s.poses.size(); step++) {
            const double start = cpu_seconds();
            c->run(s, step, q);
            seconds += step > 0 ? cpu_seconds() - start : 0.0;
            if (step == 0 && own != nullptr) {
                apart_world_reset_stats(own->world);
            }
            if (repeat == 0) {
                found += step > 0 ? c->found.size() : 0;
                differing += step > 0 && reference != nullptr ? count_differences(c->found, (*reference)[step]) : 0;
                if (answers != nullptr) {
                    answers->push_back(c->found);
                }
            }
        }
        const double steps = static_cast<double>(s.poses.size() - 1);
        if (repeat == 0) {
            best.pairs = static_cast<double>(found) / steps;
            best.differing = static_cast<double>(differing) / steps;
        }
        if (own != nullptr) {
            apart_world_get_stats(own->world, &stats);
            best.queries = static_cast<double>(stats.queries) / steps;
            best.saved = static_cast<double>(stats.saved) / steps;
            best.kept = static_cast<double>(stats.pairs);
        }
        best.milliseconds = std::min(best.milliseconds, 1000.0 * seconds / steps);
    }
    return best;
}

void print(FILE *csv, size_t bodies, const char *density, question q, const row &r, double apart_time)
{
    std::printf("| %6zu | %-7s | %-8s | %-6s | %9.3f | %6.2f | %8.0f | %6.1f |", bodies, density, question_names[q],
                r.library, r.milliseconds, r.milliseconds / apart_time, r.pairs, r.differing);
    if (r.kept > 0) {
        std::printf(" %8.0f | %8.0f | %8.0f |\n", r.kept, r.queries, r.saved);
    } else {
        std::printf("          |          |          |\n");
    }
    std::fprintf(csv, "W8,%s,%s,%zu,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", density, question_names[q], bodies,
                 r.library, r.milliseconds, r.milliseconds / apart_time, r.pairs, r.differing, r.kept, r.queries,
                 r.saved);
    std::fflush(stdout);
}

void run_question(FILE *csv, const scene &s, const char *density, question q, unsigned repeats, uint32_t threads,
                  bool alone)
{
    std::vector<pair_set> answers;
    const row own = measure(s, q, "apart", nullptr, &answers, repeats,
                            [&] { return std::make_unique<apart_contender>(s, threads); });
    print(csv, s.shapes.size(), density, q, own, own.milliseconds);
    if (alone) {
        return;
    }
#ifdef BENCH_WORLD_FCL
    print(csv, s.shapes.size(), density, q,
          measure(s, q, "fcl", &answers, nullptr, 1, [&] { return std::make_unique<fcl_contender>(s); }),
          own.milliseconds);
#endif
#ifdef BENCH_WORLD_BULLET
    print(csv, s.shapes.size(), density, q,
          measure(s, q, "bullet", &answers, nullptr, repeats, [&] { return std::make_unique<bullet_contender>(s); }),
          own.milliseconds);
#endif
}

} // namespace

int main(int argc, char **argv)
{
    bool quick = false, alone = false;
    uint32_t threads = 0;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else if (std::strcmp(argv[i], "--alone") == 0) {
            alone = true;
        } else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        } else {
            std::fprintf(stderr, "usage: bench_world [--quick] [--alone] [--threads N]\n");
            return 2;
        }
    }
    FILE *csv = std::fopen(BENCH_DIRECTORY "/world.csv", "w");
    if (csv == nullptr) {
        std::fprintf(stderr, "bench_world: cannot write " BENCH_DIRECTORY "/world.csv\n");
        return 2;
    }
    std::fprintf(
        csv,
        "workload,density,question,bodies,library,ms_per_step,ratio_to_apart,pairs,differing,kept,queries,saved\n");
    std::printf(
        "W8: a world of mixed shapes, small motions; milliseconds of processor time per step\n\n"
        "| bodies | density | question | of     |   ms/step |  ratio |    pairs | differ |     kept |  queries |    saved |\n"
        "|-------:|---------|----------|--------|----------:|-------:|---------:|-------:|---------:|---------:|---------:|\n");
    for (const density &d : densities) {
        for (const size_t bodies : {1000, 10000}) {
            const scene s(bodies, quick ? 6 : 31, d.spacing, 1);
            for (const question q : {BELOW, OVERLAPS}) {
                run_question(csv, s, d.name, q, quick ? 1 : 3, threads, alone);
            }
        }
    }
    std::fclose(csv);
    std::printf(
        "\nratio: time beside apart's. differ: pairs per step that this library finds and apart does not, or the other way round. kept: pairs with a\n"
        "cache. queries, saved: pairs looked at per step, and those that bounds and motion decided. Written to " BENCH_DIRECTORY
        "/world.csv.\n");
    return 0;
}
