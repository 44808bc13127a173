/* Bullet in double precision, margins 0: btSubsimplexConvexCast for rays, btContinuousConvexCollision for times of
 * impact, and its collision algorithms with a manifold for each pair. */
#include "scenes.hpp"

#ifdef BENCH_SCENES_BULLET
#include <btBulletCollisionCommon.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btSubSimplexConvexCast.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <map>

#include "bench.h"

namespace
{

btTransform make_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    return btTransform(btMatrix3x3(r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z),
                       btVector3(p.translation.x, p.translation.y, p.translation.z));
}

btVector3 make_vector(apart_vec3 v) { return btVector3(v.x, v.y, v.z); }

std::unique_ptr<btConvexShape> make_shape(const apart_shape &s)
{
    std::unique_ptr<btConvexShape> shape;
    if (s.kind == APART_SHAPE_BOX) {
        shape = std::make_unique<btBoxShape>(make_vector(s.u.half_extents));
    } else {
        auto hull = std::make_unique<btConvexHullShape>();
        for (uint32_t i = 0; i < apart_hull_vertex_count(s.u.hull); i++) {
            hull->addPoint(make_vector(apart_hull_vertex(s.u.hull, i)), false);
        }
        hull->recalcLocalAabb();
        shape = std::move(hull);
    }
    shape->setMargin(0.0);
    return shape;
}

/* Bullet's shapes by apart's, made once. */
struct shape_table {
    std::map<const apart_shape *, std::unique_ptr<btConvexShape>> shapes;

    btConvexShape *of(const apart_shape *s)
    {
        auto &shape = shapes[s];
        if (shape == nullptr) {
            shape = make_shape(*s);
        }
        return shape.get();
    }
};

struct rays : peer {
    struct question {
        btConvexShape *shape;
        btTransform pose, from, to;
        double length;
    };
    shape_table table;
    btSphereShape point{0.0};
    std::vector<question> questions;

    explicit rays(const std::vector<ray_question> &list)
    {
        name = "bullet";
        point.setMargin(0.0);
        for (const ray_question &q : list) {
            const btVector3 from = make_vector(q.ray.origin);
            const btTransform at(btMatrix3x3::getIdentity(), from),
                there(btMatrix3x3::getIdentity(), from + q.ray.length * make_vector(q.ray.direction));
            questions.push_back({table.of(q.shape), make_pose(q.pose), at, there, q.ray.length});
        }
    }

    void run() override
    {
        double sum = 0.0;
        for (size_t i = 0; i < questions.size(); i++) {
            const question &q = questions[i];
            btVoronoiSimplexSolver simplex;
            btSubsimplexConvexCast cast(&point, q.shape, &simplex);
            btConvexCast::CastResult result;
            const bool hit = cast.calcTimeOfImpact(q.from, q.to, q.pose, q.pose, result);
            answers[i] = hit ? result.m_fraction * q.length : static_cast<double>(NAN);
            sum += hit ? result.m_normal.x() : 0.0;
        }
        bench_sink = bench_sink + sum;
    }
};

struct impacts : peer {
    struct question {
        btConvexShape *a, *b;
        btTransform pose_a, from, to;
    };
    shape_table table;
    std::vector<question> questions;

    explicit impacts(const std::vector<impact_question> &list)
    {
        name = "bullet";
        for (const impact_question &q : list) {
            questions.push_back(
                {table.of(q.a), table.of(q.b), make_pose(q.pose_a), make_pose(q.from), make_pose(q.to)});
        }
    }

    void run() override
    {
        double sum = 0.0;
        for (size_t i = 0; i < questions.size(); i++) {
            const question &q = questions[i];
            btVoronoiSimplexSolver simplex;
            btGjkEpaPenetrationDepthSolver depth;
            btContinuousConvexCollision cast(q.a, q.b, &simplex, &depth);
            btConvexCast::CastResult result;
            const bool hit = cast.calcTimeOfImpact(q.pose_a, q.pose_a, q.from, q.to, result);
            answers[i] = hit ? result.m_fraction : static_cast<double>(NAN);
            sum += hit ? result.m_normal.x() : 0.0;
        }
        bench_sink = bench_sink + sum;
    }
};

struct manifolds : peer {
    struct pair {
        std::unique_ptr<btCollisionObject> a, b;
        btCollisionAlgorithm *algorithm = nullptr;
        btPersistentManifold *manifold = nullptr;
        std::vector<btTransform> poses_a, poses_b;
    };
    shape_table table;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDispatcherInfo info;
    std::vector<pair> pairs;
    bool warm;

    manifolds(const std::vector<manifold_question> &list, bool w) : warm(w)
    {
        name = "bullet";
        for (const manifold_question &q : list) {
            pair p;
            p.a = std::make_unique<btCollisionObject>();
            p.b = std::make_unique<btCollisionObject>();
            p.a->setCollisionShape(table.of(q.a));
            p.b->setCollisionShape(table.of(q.b));
            for (size_t step = 0; step < q.poses_a.size(); step++) {
                p.poses_a.push_back(make_pose(q.poses_a[step]));
                p.poses_b.push_back(make_pose(q.poses_b[step]));
            }
            const btCollisionObjectWrapper a(nullptr, p.a->getCollisionShape(), p.a.get(), p.poses_a[0], -1, -1),
                b(nullptr, p.b->getCollisionShape(), p.b.get(), p.poses_b[0], -1, -1);
            p.manifold = dispatcher.getNewManifold(p.a.get(), p.b.get());
            p.algorithm = dispatcher.findAlgorithm(&a, &b, p.manifold, BT_CONTACT_POINT_ALGORITHMS);
            pairs.push_back(std::move(p));
        }
    }
    manifolds(const manifolds &) = delete;
    manifolds &operator=(const manifolds &) = delete;
    ~manifolds() override
    {
        for (pair &p : pairs) {
            p.algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(p.algorithm);
            dispatcher.releaseManifold(p.manifold);
        }
    }

    void forget() override
    {
        for (pair &p : pairs) {
            p.manifold->clearManifold();
        }
        ask(0, 1);
    }

    void run() override { ask(1, pairs[0].poses_a.size()); }

    void ask(size_t first, size_t end)
    {
        double sum = 0.0;
        for (size_t step = first; step < end; step++) {
            for (size_t i = 0; i < pairs.size(); i++) {
                pair &p = pairs[i];
                if (!warm) {
                    p.manifold->clearManifold();
                }
                p.a->setWorldTransform(p.poses_a[step]);
                p.b->setWorldTransform(p.poses_b[step]);
                const btCollisionObjectWrapper a(nullptr, p.a->getCollisionShape(), p.a.get(), p.poses_a[step], -1, -1),
                    b(nullptr, p.b->getCollisionShape(), p.b.get(), p.poses_b[step], -1, -1);
                btManifoldResult result(&a, &b);
                result.setPersistentManifold(p.manifold);
                p.algorithm->processCollision(&a, &b, info, &result);
                double deepest = INFINITY;
                for (int k = 0; k < p.manifold->getNumContacts(); k++) {
                    deepest = std::min<double>(deepest, p.manifold->getContactPoint(k).getDistance());
                }
                answers[step * pairs.size() + i] = deepest < INFINITY ? deepest : static_cast<double>(NAN);
                sum += deepest;
            }
        }
        bench_sink = bench_sink + sum;
    }
};

} // namespace

std::unique_ptr<peer> bullet_rays(const std::vector<ray_question> &questions)
{
    return std::make_unique<rays>(questions);
}

std::unique_ptr<peer> bullet_impacts(const std::vector<impact_question> &questions)
{
    return std::make_unique<impacts>(questions);
}

std::unique_ptr<peer> bullet_manifolds(const std::vector<manifold_question> &questions, bool warm)
{
    return std::make_unique<manifolds>(questions, warm);
}

#else

std::unique_ptr<peer> bullet_rays(const std::vector<ray_question> &) { return nullptr; }
std::unique_ptr<peer> bullet_impacts(const std::vector<impact_question> &) { return nullptr; }
std::unique_ptr<peer> bullet_manifolds(const std::vector<manifold_question> &, bool) { return nullptr; }

#endif
