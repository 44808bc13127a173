// The answers of Bullet to the examples of docs/python-coming-from.md: what pybullet calls.
#include <btBulletCollisionCommon.h>

#include <cstdio>

struct nearest : btCollisionWorld::ContactResultCallback {
    double distance = 1e30, normal_x = 0;
    nearest() { m_closestDistanceThreshold = 100.0; }
    btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        if (point.getDistance() < distance) {
            distance = point.getDistance();
            normal_x = point.m_normalWorldOnB.x();
        }
        return 0;
    }
};

int main()
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btCollisionWorld world(&dispatcher, &broadphase, &configuration);
    btBoxShape box(btVector3(1, 1, 1));
    btSphereShape ball(0.5);
    btCapsuleShapeZ capsule(0.5, 2.0);
    btCollisionObject a, b, c, d;
    a.setCollisionShape(&box);
    b.setCollisionShape(&ball);
    b.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(4.0, 0.5, 0.0)));
    c.setCollisionShape(&capsule);
    d.setCollisionShape(&box);
    d.setWorldTransform(btTransform(btQuaternion(0, 0, 0.25881904510252, 0.96592582628907), btVector3(4, 2, 0)));
    world.addCollisionObject(&a);

    nearest first, second;
    world.contactPairTest(&a, &b, first);
    std::printf("distance distance %.17g\ndistance normal_x %.17g\n", first.distance, first.normal_x);
    world.contactPairTest(&c, &d, second);
    std::printf("turned distance %.17g\n", second.distance);
    const btVector3 from(-5, 0.1, 0.2), to(5, 0.1, 0.2);
    btCollisionWorld::ClosestRayResultCallback ray(from, to);
    world.rayTest(from, to, ray);
    std::printf("ray x %.17g\n", ray.hasHit() ? ray.m_hitPointWorld.x() : 1e30);
    return 0;
}
