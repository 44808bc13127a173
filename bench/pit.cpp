#include "pit.hpp"

extern "C" {
#include <cmath>
#include <simulation/simulation.h>
}

#ifdef BENCH_PIT_BULLET
#include <btBulletDynamicsCommon.h>
#endif

namespace
{

const double friction = 0.5, density = 1000.0, gravity = 9.81;

/* The side of the pit's floor, so that the heap is about as high as wide. */
double side_of(size_t count) { return 0.55 * std::cbrt(static_cast<double>(count)); }

struct by_apart : simulator {
    sim *s = nullptr;
    size_t count;

    explicit by_apart(const std::vector<pit_box> &boxes) : count(boxes.size())
    {
        name = "apart";
        const sim_options options = {{0, 0, -gravity}, 0.0, 0, 1};
        s = sim_create(&options);
        for (const pit_box &b : boxes) {
            const apart_part part = {apart_box(b.half_extents), apart_pose_identity()};
            sim_body_def def = {};
            def.parts = &part;
            def.part_count = 1;
            def.pose = b.pose;
            def.density = density;
            def.fixed = b.fixed;
            def.friction = friction;
            const char *wrong = sim_add(s, &def, nullptr);
            if (wrong != nullptr) {
                std::fprintf(stderr, "bench: %s\n", wrong);
                std::exit(1);
            }
        }
    }
    by_apart(const by_apart &) = delete;
    by_apart &operator=(const by_apart &) = delete;
    ~by_apart() override { sim_free(s); }

    void step() override
    {
        const char *wrong = sim_step(s);
        if (wrong != nullptr) {
            std::fprintf(stderr, "bench: %s\n", wrong);
            std::exit(1);
        }
    }

    void read(std::vector<apart_pose> *poses) const override
    {
        poses->resize(count);
        for (size_t i = 0; i < count; i++) {
            sim_pose(s, static_cast<uint32_t>(i), &(*poses)[i]);
        }
    }
};

#ifdef BENCH_PIT_BULLET
btTransform make_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    return btTransform(btMatrix3x3(r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z),
                       btVector3(p.translation.x, p.translation.y, p.translation.z));
}

apart_vec3 column(const btMatrix3x3 &m, int i)
{
    const btVector3 c = m.getColumn(i);
    return {c.x(), c.y(), c.z()};
}

/* With Bullet's defaults: ten iterations, bodies fall asleep. */
struct by_bullet : simulator {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btBoxShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;

    explicit by_bullet(const std::vector<pit_box> &boxes)
    {
        name = "bullet";
        world.setGravity(btVector3(0, 0, -gravity));
        for (const pit_box &b : boxes) {
            const apart_vec3 h = b.half_extents;
            shapes.push_back(std::make_unique<btBoxShape>(btVector3(h.x, h.y, h.z)));
            const double mass = b.fixed ? 0.0 : 8.0 * density * h.x * h.y * h.z;
            btVector3 inertia(0, 0, 0);
            if (!b.fixed) {
                shapes.back()->calculateLocalInertia(mass, inertia);
            }
            btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes.back().get(), inertia);
            info.m_startWorldTransform = make_pose(b.pose);
            info.m_friction = friction;
            bodies.push_back(std::make_unique<btRigidBody>(info));
            world.addRigidBody(bodies.back().get());
        }
    }
    by_bullet(const by_bullet &) = delete;
    by_bullet &operator=(const by_bullet &) = delete;
    ~by_bullet() override
    {
        for (auto &b : bodies) {
            world.removeRigidBody(b.get());
        }
    }

    void step() override { world.stepSimulation(1.0 / 60.0, 0); }

    void read(std::vector<apart_pose> *poses) const override
    {
        poses->clear();
        for (const auto &b : bodies) {
            const btTransform &t = b->getWorldTransform();
            poses->push_back({{column(t.getBasis(), 0), column(t.getBasis(), 1), column(t.getBasis(), 2)},
                              {t.getOrigin().x(), t.getOrigin().y(), t.getOrigin().z()}});
        }
    }
};
#endif

pit_result run(const std::vector<pit_box> &boxes, simulator &who, double duration)
{
    const int steps = static_cast<int>(std::lround(60.0 * duration));
    pit_result result = {who.name, 0.0, 0.0, 0.0, 0.0, {}};
    std::vector<apart_pose> poses;
    int judged = 0;
    for (int i = 1; i <= steps; i++) {
        const double start = kit::thread_seconds();
        who.step();
        const double took = kit::thread_seconds() - start;
        result.seconds += took / duration;
        result.slowest = std::max(result.slowest, took);
        if (i % 15 == 0) {
            who.read(&poses);
            result.end = judge(boxes, poses);
            result.deepest = std::max(result.deepest, result.end.deepest);
            result.deepest_mean += result.end.deepest;
            judged++;
        }
    }
    result.deepest_mean /= judged;
    return result;
}

} // namespace

std::vector<pit_box> make_pit(size_t count)
{
    lab_random r = {count};
    const double side = side_of(count), wall = 0.5, high = 4.0 * side;
    std::vector<pit_box> boxes;
    boxes.push_back({{side, side, wall}, apart_pose_translation(0, 0, -wall), true});
    for (int i = 0; i < 4; i++) {
        const double away = (i % 2 == 0 ? 1.0 : -1.0) * (0.5 * side + wall);
        const apart_vec3 half = i < 2 ? apart_vec3{wall, side, high} : apart_vec3{side, wall, high};
        boxes.push_back({half, apart_pose_translation(i < 2 ? away : 0.0, i < 2 ? 0.0 : away, high), true});
    }
    const size_t row = static_cast<size_t>(side / 0.55);
    for (size_t i = 0; i < count; i++) {
        const double x = 0.1 + lab_random_between(&r, 0, 0.1), y = 0.1 + lab_random_between(&r, 0, 0.1),
                     z = 0.1 + lab_random_between(&r, 0, 0.05), first = -0.275 * static_cast<double>(row - 1);
        const apart_vec3 at = {first + 0.55 * static_cast<double>(i % row),
                               first + 0.55 * static_cast<double>(i / row % row),
                               0.4 + 0.55 * static_cast<double>(i / (row * row))};
        boxes.push_back({{x, y, z}, lab_random_pose(&r, at), false});
    }
    return boxes;
}

std::unique_ptr<simulator> simulate_with_apart(const std::vector<pit_box> &boxes)
{
    return std::make_unique<by_apart>(boxes);
}

std::unique_ptr<simulator> simulate_with_bullet(const std::vector<pit_box> &boxes)
{
#ifdef BENCH_PIT_BULLET
    return std::make_unique<by_bullet>(boxes);
#else
    (void)boxes;
    return nullptr;
#endif
}

heap judge(const std::vector<pit_box> &boxes, const std::vector<apart_pose> &poses)
{
    heap h = {0.0, 0.0, 0.0, 0};
    std::vector<apart_shape> shapes;
    std::vector<double> radii;
    size_t moving = 0, overlaps = 0;
    const double side = side_of(boxes.size() - 5);
    for (const pit_box &b : boxes) {
        shapes.push_back(apart_box(b.half_extents));
        radii.push_back(apart_vec3_norm(b.half_extents));
    }
    for (size_t i = 0; i < boxes.size(); i++) {
        const apart_vec3 at = poses[i].translation;
        h.height += boxes[i].fixed ? 0.0 : at.z;
        moving += boxes[i].fixed ? 0u : 1u;
        h.outside += !boxes[i].fixed && (std::fabs(at.x) > 0.5 * side || std::fabs(at.y) > 0.5 * side || at.z < 0.0);
        for (size_t k = 0; k < i && !boxes[i].fixed; k++) {
            apart_result r;
            if (!boxes[k].fixed && apart_vec3_distance(at, poses[k].translation) > radii[i] + radii[k]) {
                continue;
            }
            kit::require(apart_distance(&shapes[i], &poses[i], &shapes[k], &poses[k], nullptr, nullptr, &r), "a heap");
            const double share = -r.distance / (2.0 * std::min(radii[i], radii[k]));
            h.deepest = std::max(h.deepest, share);
            h.overlapping += std::max(share, 0.0);
            overlaps += share > 0.0;
        }
    }
    h.height /= static_cast<double>(moving);
    h.overlapping /= static_cast<double>(std::max<size_t>(overlaps, 1));
    return h;
}

std::vector<pit_result> run_pit(size_t count, double duration)
{
    const std::vector<pit_box> boxes = make_pit(count);
    std::vector<pit_result> results;
    for (const auto &make : {simulate_with_apart, simulate_with_bullet}) {
        const std::unique_ptr<simulator> who = make(boxes);
        if (who != nullptr) {
            results.push_back(run(boxes, *who, duration));
        }
    }
    return results;
}
