/* FCL in double precision: conservative advancement for times of impact, fcl::collide with up to eight contacts. It
 * has no rays at shapes, and keeps nothing from one step to the next. */
#include "scenes.hpp"

#ifdef BENCH_SCENES_FCL
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/continuous_collision.h>

#include <exception>
#include <map>

#include "bench.h"

namespace
{

using geometry = fcl::CollisionGeometryd;

fcl::Transform3d make_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
    t.translation() << p.translation.x, p.translation.y, p.translation.z;
    return t;
}

std::unique_ptr<geometry> make_shape(const apart_shape &s)
{
    const apart_vec3 h = s.u.half_extents;
    std::unique_ptr<geometry> shape;
    if (s.kind == APART_SHAPE_BOX) {
        shape = std::make_unique<fcl::Boxd>(2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
    } else {
        auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
        for (uint32_t i = 0; i < apart_hull_vertex_count(s.u.hull); i++) {
            const apart_vec3 p = apart_hull_vertex(s.u.hull, i);
            vertices->emplace_back(p.x, p.y, p.z);
        }
        auto faces = std::make_shared<std::vector<int>>();
        const uint32_t count = apart_hull_face_count(s.u.hull);
        for (uint32_t f = 0; f < count; f++) {
            const uint32_t *ids = nullptr;
            const uint32_t size = apart_hull_face(s.u.hull, f, &ids);
            faces->push_back(static_cast<int>(size));
            faces->insert(faces->end(), ids, ids + size);
        }
        shape = std::make_unique<fcl::Convexd>(vertices, static_cast<int>(count), faces);
    }
    shape->computeLocalAABB();
    return shape;
}

struct shape_table {
    std::map<const apart_shape *, std::unique_ptr<geometry>> shapes;

    geometry *of(const apart_shape *s)
    {
        auto &shape = shapes[s];
        if (shape == nullptr) {
            shape = make_shape(*s);
        }
        return shape.get();
    }
};

struct impacts : peer {
    struct question {
        geometry *a, *b;
        fcl::Transform3d pose_a, from, to;
    };
    shape_table table;
    std::vector<question> questions;
    fcl::ContinuousCollisionRequestd request{100, 1e-4, fcl::CCDM_LINEAR, fcl::GST_LIBCCD,
                                             fcl::CCDC_CONSERVATIVE_ADVANCEMENT};

    explicit impacts(const std::vector<impact_question> &list)
    {
        name = "fcl";
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
            fcl::ContinuousCollisionResultd result;
            answers[i] = static_cast<double>(NAN);
            try {
                fcl::InterpMotion<double> rest(q.pose_a, q.pose_a), fly(q.from, q.to);
                fcl::continuousCollide(q.a, &rest, q.b, &fly, request, result);
                answers[i] = result.is_collide ? result.time_of_contact : answers[i];
            } catch (const std::exception &) {
                answers[i] = static_cast<double>(NAN);
            }
            sum += result.time_of_contact;
        }
        bench_sink = bench_sink + sum;
    }
};

struct manifolds : peer {
    struct pair {
        geometry *a, *b;
        std::vector<fcl::Transform3d> poses_a, poses_b;
    };
    shape_table table;
    std::vector<pair> pairs;
    fcl::CollisionRequestd request{APART_MAX_CONTACTS, true};

    explicit manifolds(const std::vector<manifold_question> &list)
    {
        name = "fcl";
        for (const manifold_question &q : list) {
            pair p = {table.of(q.a), table.of(q.b), {}, {}};
            for (size_t step = 0; step < q.poses_a.size(); step++) {
                p.poses_a.push_back(make_pose(q.poses_a[step]));
                p.poses_b.push_back(make_pose(q.poses_b[step]));
            }
            pairs.push_back(std::move(p));
        }
    }

    void run() override
    {
        double sum = 0.0;
        for (size_t step = 1; step < pairs[0].poses_a.size(); step++) {
            for (size_t i = 0; i < pairs.size(); i++) {
                const pair &p = pairs[i];
                fcl::CollisionResultd result;
                double deepest = -INFINITY;
                try {
                    fcl::collide(p.a, p.poses_a[step], p.b, p.poses_b[step], request, result);
                    for (size_t k = 0; k < result.numContacts(); k++) {
                        deepest = std::max(deepest, result.getContact(k).penetration_depth);
                    }
                } catch (const std::exception &) {
                    deepest = -INFINITY;
                }
                answers[step * pairs.size() + i] = deepest > -INFINITY ? -deepest : static_cast<double>(NAN);
                sum += deepest;
            }
        }
        bench_sink = bench_sink + sum;
    }
};

} // namespace

std::unique_ptr<peer> fcl_impacts(const std::vector<impact_question> &questions)
{
    return std::make_unique<impacts>(questions);
}

std::unique_ptr<peer> fcl_manifolds(const std::vector<manifold_question> &questions)
{
    return std::make_unique<manifolds>(questions);
}

#else

std::unique_ptr<peer> fcl_impacts(const std::vector<impact_question> &) { return nullptr; }
std::unique_ptr<peer> fcl_manifolds(const std::vector<manifold_question> &) { return nullptr; }

#endif
