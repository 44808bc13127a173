// The answers of FCL to the examples of docs/python-coming-from.md: what python-fcl calls.
#include <fcl/fcl.h>

#include <cstdio>

using namespace fcl;

static Transform3d at(double x, double y, double z)
{
    Transform3d t = Transform3d::Identity();
    t.translation() = Vector3d(x, y, z);
    return t;
}

static double distance(std::shared_ptr<CollisionGeometryd> a, std::shared_ptr<CollisionGeometryd> b,
                       const Transform3d &t)
{
    CollisionObjectd first(a), second(b, t);
    DistanceResultd result;
    fcl::distance(&first, &second, DistanceRequestd(true), result);
    return result.min_distance;
}

static std::shared_ptr<CollisionGeometryd> cube()
{
    std::vector<Vector3d> vertices;
    for (double x : {-1.0, 1.0})
        for (double y : {-1.0, 1.0})
            for (double z : {-1.0, 1.0})
                vertices.emplace_back(x, y, z);
    const std::vector<Triangle> faces = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                         {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    auto model = std::make_shared<BVHModel<OBBRSSd>>();
    model->beginModel();
    model->addSubModel(vertices, faces);
    model->endModel();
    return model;
}

int main()
{
    const Transform3d t = at(4.0, 0.5, 0.0);
    std::printf("distance distance %.17g\n",
                distance(std::make_shared<Boxd>(2, 2, 2), std::make_shared<Cylinderd>(0.5, 3.0), t));
    std::printf("mesh distance %.17g\n", distance(cube(), std::make_shared<Sphered>(0.5), t));

    CollisionObjectd a(std::make_shared<Sphered>(1.0)), b(std::make_shared<Sphered>(1.0), at(1.5, 0, 0));
    CollisionResultd contacts;
    std::printf("overlap hit %d\n", collide(&a, &b, CollisionRequestd(1, true), contacts) > 0);
    std::printf("overlap depth %.17g\n", contacts.getContact(0).penetration_depth);

    CollisionObjectd moving(std::make_shared<Sphered>(0.5), at(0, 0, 0)),
        still(std::make_shared<Sphered>(0.5), at(5, 0, 0));
    ContinuousCollisionRequestd request(1000, 1e-6);
    request.ccd_solver_type = CCDC_CONSERVATIVE_ADVANCEMENT;
    ContinuousCollisionResultd result;
    continuousCollide(&moving, at(10, 0, 0), &still, at(5, 0, 0), request, result);
    std::printf("time time %.17g\n", result.time_of_contact);
    return 0;
}
