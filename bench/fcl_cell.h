/* A cell of apart in FCL: the same shapes and pairs; does anything collide? For the benchmarks of edges and plans. */
#ifndef BENCH_FCL_CELL_H
#define BENCH_FCL_CELL_H

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <apart/apart.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

inline fcl::Transform3d fcl_transform(const apart_pose &pose)
{
    const apart_mat3 &r = pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
    t.translation() << pose.translation.x, pose.translation.y, pose.translation.z;
    return t;
}

inline std::shared_ptr<fcl::CollisionGeometryd> fcl_convex(const apart_hull *hull)
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

class fcl_cell
{
  public:
    /* Borrows the cell and makes a work space for its kinematics. */
    explicit fcl_cell(const apart_robot_cell *cell) : cell_(cell), work_(nullptr, apart_robot_work_free)
    {
        apart_robot_work *made = nullptr;
        good_ = apart_robot_work_create(cell, &made) == APART_OK;
        work_.reset(made);
        for (size_t i = 0; i < apart_robot_body_count(cell); i++) {
            const apart_robot_body *body = apart_robot_body_at(cell, i);
            parts_.emplace_back();
            good_ = good_ && body->mesh_count == 0;
            for (size_t k = 0; k < body->part_count; k++) {
                add_part(body->parts[k]);
            }
        }
        if (good_) { /* obstacles do not move */
            for (size_t i = 0; i < parts_.size(); i++) {
                place(i);
            }
        }
    }
    /* All shapes are ones that FCL has. */
    bool is_good() const { return good_; }
    const apart_robot_cell *cell() const { return cell_; }
    bool collides(const double *q)
    {
        if (apart_robot_set(work_.get(), q) != APART_OK) {
            return true;
        }
        for (size_t i = 0; i < parts_.size(); i++) {
            if (apart_robot_body_at(cell_, i)->link != APART_ROBOT_NONE) {
                place(i);
            }
        }
        for (size_t p = 0; p < apart_robot_pair_count(cell_); p++) {
            const apart_robot_pair *pair = apart_robot_pair_at(cell_, p);
            if (meet(parts_[pair->bodies[0]], parts_[pair->bodies[1]])) {
                return true;
            }
        }
        return false;
    }
    /* The states of an edge at most `step` apart, middle first, as OMPL's motion validator takes them. */
    bool collides_between(const double *q0, const double *q1, size_t width, double length, double step)
    {
        std::vector<double> q(width);
        const long count = std::max(1L, static_cast<long>(std::ceil(length / step)));
        std::vector<std::pair<long, long>> open{{1, count - 1}};
        if (collides(q1)) {
            return true;
        }
        for (size_t next = 0; next < open.size(); next++) {
            const auto [first, last] = open[next];
            if (first > last) {
                continue;
            }
            const long middle = (first + last) / 2;
            for (size_t v = 0; v < width; v++) {
                q[v] = q0[v] + static_cast<double>(middle) / static_cast<double>(count) * (q1[v] - q0[v]);
            }
            if (collides(q.data())) {
                return true;
            }
            open.emplace_back(first, middle - 1);
            open.emplace_back(middle + 1, last);
        }
        return false;
    }

  private:
    struct part {
        fcl::CollisionObjectd object;
        apart_pose pose;
    };

    void add_part(const apart_part &p)
    {
        const apart_shape &s = p.shape;
        std::shared_ptr<fcl::CollisionGeometryd> g;
        switch (s.kind) {
        case APART_SHAPE_HULL: g = fcl_convex(s.u.hull); break;
        case APART_SHAPE_BOX:
            g = std::make_shared<fcl::Boxd>(2 * s.u.half_extents.x, 2 * s.u.half_extents.y, 2 * s.u.half_extents.z);
            break;
        case APART_SHAPE_POINT: g = std::make_shared<fcl::Sphered>(s.radius); break;
        case APART_SHAPE_SEGMENT: /* along z about the origin, as apart_capsule makes it */
            g = std::make_shared<fcl::Capsuled>(s.radius, std::fabs(s.u.point[1].z - s.u.point[0].z));
            break;
        case APART_SHAPE_CYLINDER:
            g = std::make_shared<fcl::Cylinderd>(s.u.round.radius, 2 * s.u.round.half_height);
            break;
        default: good_ = false; return;
        }
        parts_.back().push_back({fcl::CollisionObjectd(g), p.pose});
    }
    void place(size_t body)
    {
        const apart_pose at = apart_robot_body_pose(work_.get(), body);
        for (part &p : parts_[body]) {
            p.object.setTransform(fcl_transform(apart_pose_compose(&at, &p.pose)));
            p.object.computeAABB();
        }
    }
    static bool meet(const std::vector<part> &a, const std::vector<part> &b)
    {
        static const fcl::CollisionRequestd request;
        for (const part &p : a) {
            for (const part &q : b) {
                fcl::CollisionResultd result;
                if (p.object.getAABB().overlap(q.object.getAABB()) &&
                    fcl::collide(&p.object, &q.object, request, result) > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    const apart_robot_cell *cell_;
    std::unique_ptr<apart_robot_work, void (*)(apart_robot_work *)> work_;
    std::vector<std::vector<part>> parts_;
    bool good_;
};

#endif
