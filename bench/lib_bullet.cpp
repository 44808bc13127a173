/* Bullet in double precision: btGjkEpaSolver2. No margins; spheres and capsules are Bullet's own cores with their
 * radius as margin, as Bullet solves them, and the radii are subtracted from its answer. The guess is in A's frame: the
 * difference of the centres, in tracked runs the last normal. */
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

#include "bench.h"

namespace
{

struct body {
    std::unique_ptr<btConvexShape> shape;
    double radius = 0.0; /* of a sphere or a capsule, which btGjkEpaSolver2::Distance leaves out */
};

struct state {
    const bench_case *c;
    std::vector<body> bodies;
    std::vector<btTransform> poses; /* two per query */
    std::vector<btVector3> centers; /* from B's centre to A's in A's frame, by query */
    std::vector<btVector3> guesses; /* the last normal, by pair, in a tracked case */
};

btConvexShape *make_hull(const apart_hull *hull)
{
    auto *shape = new btConvexHullShape();
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 p = apart_hull_vertex(hull, i);
        shape->addPoint(btVector3(p.x, p.y, p.z), false);
    }
    shape->recalcLocalAabb();
    return shape;
}

body make_body(const apart_shape &s)
{
    body b;
    const apart_vec3 h = s.u.half_extents;
    const double radius = s.u.round.radius, half_height = s.u.round.half_height;
    switch (s.kind) {
    case APART_SHAPE_POINT:
        b.shape.reset(new btSphereShape(s.radius));
        b.radius = s.radius;
        return b;
    case APART_SHAPE_SEGMENT:
        b.shape.reset(new btCapsuleShapeZ(s.radius, s.u.point[1].z - s.u.point[0].z));
        b.radius = s.radius;
        return b;
    case APART_SHAPE_BOX: b.shape.reset(new btBoxShape(btVector3(h.x, h.y, h.z))); break;
    case APART_SHAPE_CYLINDER: b.shape.reset(new btCylinderShapeZ(btVector3(radius, radius, half_height))); break;
    case APART_SHAPE_CONE: b.shape.reset(new btConeShapeZ(radius, 2.0 * half_height)); break;
    default: b.shape.reset(make_hull(s.u.hull)); break;
    }
    b.shape->setMargin(0.0);
    return b;
}

btTransform make_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    return btTransform(btMatrix3x3(r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z),
                       btVector3(p.translation.x, p.translation.y, p.translation.z));
}

void forget(void *opaque)
{
    auto *s = static_cast<state *>(opaque);
    std::copy(s->centers.begin(), s->centers.begin() + static_cast<std::ptrdiff_t>(s->guesses.size()),
              s->guesses.begin());
}

void *prepare(const bench_case *c)
{
    auto *s = new state{c, {}, {}, {}, {}};
    for (size_t i = 0; i < c->body_count; i++) {
        s->bodies.push_back(make_body(c->bodies[i]));
    }
    for (size_t query = 0; query < c->steps * c->pair_count; query++) {
        const btTransform a = make_pose(c->poses_a[query]), b = make_pose(c->poses_b[query]);
        s->poses.push_back(a);
        s->poses.push_back(b);
        s->centers.push_back((a.getOrigin() - b.getOrigin()) * a.getBasis());
    }
    s->guesses.resize(c->tracked ? c->pair_count : 0);
    forget(s);
    return s;
}

const double failed = std::numeric_limits<double>::quiet_NaN();

double ask_distance(state *s, size_t pair, size_t query, double *answer)
{
    const body &a = s->bodies[s->c->pairs[pair].a], &b = s->bodies[s->c->pairs[pair].b];
    const btVector3 &guess = s->guesses.empty() ? s->centers[query] : s->guesses[pair];
    btGjkEpaSolver2::sResults r;
    if (!btGjkEpaSolver2::Distance(a.shape.get(), s->poses[2 * query], b.shape.get(), s->poses[2 * query + 1], guess,
                                   r)) {
        *answer = failed;
        return 0.0;
    }
    if (!s->guesses.empty()) {
        s->guesses[pair] = r.normal;
    }
    *answer = r.distance - (a.radius + b.radius);
    return r.witnesses[0].x() + r.witnesses[1].x() + r.normal.x();
}

/* Penetration takes its guess with the other sign than Distance. */
double ask_depth(state *s, size_t pair, size_t query, double *answer)
{
    const body &a = s->bodies[s->c->pairs[pair].a], &b = s->bodies[s->c->pairs[pair].b];
    const btVector3 guess = s->guesses.empty() ? -s->centers[query] : -s->guesses[pair];
    btGjkEpaSolver2::sResults r;
    if (!btGjkEpaSolver2::Penetration(a.shape.get(), s->poses[2 * query], b.shape.get(), s->poses[2 * query + 1], guess,
                                      r, false)) {
        *answer = failed;
        return 0.0;
    }
    if (!s->guesses.empty()) {
        s->guesses[pair] = r.normal;
    }
    *answer = r.distance;
    return r.witnesses[0].x() + r.witnesses[1].x() + r.normal.x();
}

/* The cheapest yes/no of the solver: its GJK says whether the origin is inside (or that it cannot tell, which means
 * contact). */
double ask_overlap(state *s, size_t pair, size_t query, double *answer)
{
    const body &a = s->bodies[s->c->pairs[pair].a], &b = s->bodies[s->c->pairs[pair].b];
    btGjkEpaSolver2::sResults r;
    const bool apart = btGjkEpaSolver2::Distance(a.shape.get(), s->poses[2 * query], b.shape.get(),
                                                 s->poses[2 * query + 1], s->centers[query], r);
    *answer = apart && r.distance > 0.0 ? 0.0 : 1.0;
    return *answer;
}

template <double (*ask)(state *, size_t, size_t, double *)>
double run_all(state *s, size_t first_step, size_t end_step, double *answers)
{
    double sum = 0.0;
    for (size_t step = first_step; step < end_step; step++) {
        for (size_t i = 0; i < s->c->pair_count; i++) {
            const size_t query = step * s->c->pair_count + i;
            sum += ask(s, i, query, &answers[query]);
        }
    }
    return sum;
}

void run(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    auto *s = static_cast<state *>(opaque);
    switch (s->c->question) {
    case BENCH_DISTANCE: bench_sink = bench_sink + run_all<ask_distance>(s, first_step, end_step, answers); break;
    case BENCH_DEPTH: bench_sink = bench_sink + run_all<ask_depth>(s, first_step, end_step, answers); break;
    case BENCH_OVERLAP: bench_sink = bench_sink + run_all<ask_overlap>(s, first_step, end_step, answers); break;
    }
}

void release(void *opaque) { delete static_cast<state *>(opaque); }

} // namespace

extern "C" const bench_library bench_bullet = {"bullet", BENCH_DISTANCE | BENCH_DEPTH | BENCH_OVERLAP,
                                               prepare,  forget,
                                               run,      release};
