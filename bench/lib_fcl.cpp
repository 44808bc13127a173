/* FCL in double precision, twice. "fcl": fcl::distance and fcl::collide with its default solver (on libccd), which has
 * no cache. "fcl-indep": its own GJK and EPA, called directly, because its cached guess is not reachable through
 * fcl::distance; the guess is in A's frame: the difference of the centres, in tracked runs what the solver left.
 * Failures come as exceptions and count as NaN. */
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/gjk_solver_indep.h>
#include <fcl/narrowphase/distance.h>

#include "bench.h"

namespace
{

using geometry = fcl::CollisionGeometryd;
using solver = fcl::detail::GJKSolver_indep<double>;
using contacts = std::vector<fcl::ContactPointd>;

const double failed = std::numeric_limits<double>::quiet_NaN();

/* What fcl-indep asks of one pair of shapes. */
struct indep_calls {
    bool (*distance)(const solver &, const geometry *, const fcl::Transform3d &, const geometry *,
                     const fcl::Transform3d &, double *, fcl::Vector3d *, fcl::Vector3d *);
    bool (*overlap)(const solver &, const geometry *, const fcl::Transform3d &, const geometry *,
                    const fcl::Transform3d &, contacts *);
};

struct state {
    const bench_case *c;
    std::vector<std::unique_ptr<geometry>> bodies;
    std::vector<fcl::Transform3d> poses; /* two per query */
    std::vector<fcl::Vector3d> centers;  /* from A's centre to B's in A's frame, by query */
    std::vector<fcl::Vector3d> guesses;  /* by pair, in a tracked case */
    fcl::DistanceRequestd distance_request{true};
    fcl::CollisionRequestd collision_request;
    fcl::CollisionResultd collision_result;
    contacts touching;
    solver indep;
    indep_calls calls{};
};

std::unique_ptr<geometry> make_hull(const apart_hull *hull)
{
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        const apart_vec3 p = apart_hull_vertex(hull, i);
        vertices->emplace_back(p.x, p.y, p.z);
    }
    auto faces = std::make_shared<std::vector<int>>();
    const uint32_t face_count = apart_hull_face_count(hull);
    for (uint32_t f = 0; f < face_count; f++) {
        const uint32_t *ids = nullptr;
        const uint32_t size = apart_hull_face(hull, f, &ids);
        faces->push_back(static_cast<int>(size));
        faces->insert(faces->end(), ids, ids + size);
    }
    return std::make_unique<fcl::Convexd>(vertices, static_cast<int>(face_count), faces);
}

std::unique_ptr<geometry> make_body(const apart_shape &s)
{
    const apart_vec3 h = s.u.half_extents;
    const double radius = s.u.round.radius, height = 2.0 * s.u.round.half_height;
    switch (s.kind) {
    case APART_SHAPE_POINT: return std::make_unique<fcl::Sphered>(s.radius);
    case APART_SHAPE_SEGMENT: return std::make_unique<fcl::Capsuled>(s.radius, s.u.point[1].z - s.u.point[0].z);
    case APART_SHAPE_BOX: return std::make_unique<fcl::Boxd>(2.0 * h.x, 2.0 * h.y, 2.0 * h.z);
    case APART_SHAPE_CYLINDER: return std::make_unique<fcl::Cylinderd>(radius, height);
    case APART_SHAPE_CONE: return std::make_unique<fcl::Coned>(radius, height);
    default: return make_hull(s.u.hull);
    }
}

fcl::Transform3d make_pose(const apart_pose &p)
{
    const apart_mat3 &r = p.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.x.x, r.y.x, r.z.x, r.x.y, r.y.y, r.z.y, r.x.z, r.y.z, r.z.z;
    t.translation() << p.translation.x, p.translation.y, p.translation.z;
    return t;
}

template <class A, class B> struct indep_pair {
    static bool distance(const solver &s, const geometry *a, const fcl::Transform3d &pose_a, const geometry *b,
                         const fcl::Transform3d &pose_b, double *d, fcl::Vector3d *p, fcl::Vector3d *q)
    {
        return s.shapeDistance(static_cast<const A &>(*a), pose_a, static_cast<const B &>(*b), pose_b, d, p, q);
    }
    static bool overlap(const solver &s, const geometry *a, const fcl::Transform3d &pose_a, const geometry *b,
                        const fcl::Transform3d &pose_b, contacts *touching)
    {
        return s.shapeIntersect(static_cast<const A &>(*a), pose_a, static_cast<const B &>(*b), pose_b, touching);
    }
    static constexpr indep_calls calls{distance, overlap};
};

/* The pairs of the workloads; all pairs of a case are of the same kind. */
indep_calls choose_calls(const geometry &a, const geometry &b)
{
    using namespace fcl;
    switch (a.getNodeType()) {
    case GEOM_BOX: return indep_pair<Boxd, Boxd>::calls;
    case GEOM_SPHERE: return indep_pair<Sphered, Boxd>::calls;
    case GEOM_CYLINDER: return indep_pair<Cylinderd, Boxd>::calls;
    case GEOM_CONE: return indep_pair<Coned, Boxd>::calls;
    case GEOM_CAPSULE:
        return b.getNodeType() == GEOM_CAPSULE ? indep_pair<Capsuled, Capsuled>::calls
                                               : indep_pair<Capsuled, Convexd>::calls;
    default: return indep_pair<Convexd, Convexd>::calls;
    }
}

void forget(void *opaque)
{
    auto *s = static_cast<state *>(opaque);
    std::copy(s->centers.begin(), s->centers.begin() + static_cast<std::ptrdiff_t>(s->guesses.size()),
              s->guesses.begin());
}

void *prepare(const bench_case *c)
{
    auto *s = new state;
    s->c = c;
    for (size_t i = 0; i < c->body_count; i++) {
        s->bodies.push_back(make_body(c->bodies[i]));
    }
    for (size_t query = 0; query < c->steps * c->pair_count; query++) {
        const fcl::Transform3d a = make_pose(c->poses_a[query]), b = make_pose(c->poses_b[query]);
        s->poses.push_back(a);
        s->poses.push_back(b);
        s->centers.emplace_back(a.linear().transpose() * (b.translation() - a.translation()));
    }
    s->guesses.resize(c->tracked ? c->pair_count : 0);
    s->collision_request.enable_contact = c->question == BENCH_DEPTH;
    s->indep.enableCachedGuess(true);
    s->calls = choose_calls(*s->bodies[c->pairs[0].a], *s->bodies[c->pairs[0].b]);
    forget(s);
    return s;
}

double ask_distance(state *s, size_t pair, size_t query, double *answer)
{
    const bench_pair ids = s->c->pairs[pair];
    fcl::DistanceResultd r;
    *answer = fcl::distance<double>(s->bodies[ids.a].get(), s->poses[2 * query], s->bodies[ids.b].get(),
                                    s->poses[2 * query + 1], s->distance_request, r);
    return r.nearest_points[0][0] + r.nearest_points[1][0];
}

/* Depth with a contact, yes/no without. */
double ask_collide(state *s, size_t pair, size_t query, double *answer)
{
    const bench_pair ids = s->c->pairs[pair];
    s->collision_result.clear();
    const bool yes = fcl::collide<double>(s->bodies[ids.a].get(), s->poses[2 * query], s->bodies[ids.b].get(),
                                          s->poses[2 * query + 1], s->collision_request, s->collision_result) > 0;
    if (s->c->question == BENCH_OVERLAP) {
        *answer = yes;
        return *answer;
    }
    if (!yes) {
        *answer = failed;
        return 0.0;
    }
    const fcl::Contactd &contact = s->collision_result.getContact(0);
    *answer = -contact.penetration_depth;
    return contact.normal[0] + contact.pos[0];
}

void load_guess(state *s, size_t pair, size_t query)
{
    s->indep.setCachedGuess(s->guesses.empty() ? s->centers[query] : s->guesses[pair]);
}

/* After a distance the solver leaves its guess with the sign that it does not want back: turned, the next query is the
 * faster. */
void store_guess(state *s, size_t pair, double sign)
{
    if (!s->guesses.empty()) {
        s->guesses[pair] = sign * s->indep.getCachedGuess();
    }
}

double ask_indep_distance(state *s, size_t pair, size_t query, double *answer)
{
    const bench_pair ids = s->c->pairs[pair];
    fcl::Vector3d p, q;
    load_guess(s, pair, query);
    if (!s->calls.distance(s->indep, s->bodies[ids.a].get(), s->poses[2 * query], s->bodies[ids.b].get(),
                           s->poses[2 * query + 1], answer, &p, &q)) {
        *answer = failed;
        return 0.0;
    }
    store_guess(s, pair, -1.0);
    return p[0] + q[0];
}

double ask_indep_collide(state *s, size_t pair, size_t query, double *answer)
{
    const bench_pair ids = s->c->pairs[pair];
    contacts *wanted = s->c->question == BENCH_DEPTH ? &s->touching : nullptr;
    s->touching.clear();
    load_guess(s, pair, query);
    const bool yes = s->calls.overlap(s->indep, s->bodies[ids.a].get(), s->poses[2 * query], s->bodies[ids.b].get(),
                                      s->poses[2 * query + 1], wanted);
    store_guess(s, pair, 1.0);
    if (wanted == nullptr) {
        *answer = yes;
        return *answer;
    }
    /* The depth comes with either sign, depending on the shapes. */
    double depth = 0.0, sum = 0.0;
    for (const fcl::ContactPointd &contact : s->touching) {
        depth = std::fmax(depth, std::fabs(contact.penetration_depth));
        sum += contact.normal[0] + contact.pos[0];
    }
    *answer = yes && !s->touching.empty() ? -depth : failed;
    return sum;
}

template <double (*ask)(state *, size_t, size_t, double *)>
double run_all(state *s, size_t first_step, size_t end_step, double *answers)
{
    double sum = 0.0;
    for (size_t step = first_step; step < end_step; step++) {
        for (size_t i = 0; i < s->c->pair_count; i++) {
            const size_t query = step * s->c->pair_count + i;
            try {
                sum += ask(s, i, query, &answers[query]);
            } catch (const std::exception &) {
                answers[query] = failed;
            }
        }
    }
    return sum;
}

void run(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    auto *s = static_cast<state *>(opaque);
    bench_sink =
        bench_sink + (s->c->question == BENCH_DISTANCE ? run_all<ask_distance>(s, first_step, end_step, answers)
                                                       : run_all<ask_collide>(s, first_step, end_step, answers));
}

void run_indep(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    auto *s = static_cast<state *>(opaque);
    bench_sink =
        bench_sink + (s->c->question == BENCH_DISTANCE ? run_all<ask_indep_distance>(s, first_step, end_step, answers)
                                                       : run_all<ask_indep_collide>(s, first_step, end_step, answers));
}

void release(void *opaque) { delete static_cast<state *>(opaque); }

const unsigned everything = BENCH_DISTANCE | BENCH_DEPTH | BENCH_OVERLAP;

} // namespace

extern "C" const bench_library bench_fcl = {"fcl", everything, prepare, forget, run, release};
extern "C" const bench_library bench_fcl_indep = {"fcl-indep", everything, prepare, forget, run_indep, release};
