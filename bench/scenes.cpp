#include "scenes.hpp"

#include "bench.h"

namespace
{

const double not_a_number = NAN;

/* All scenes allow 2e-6 of the bodies' size. */
const double wrong_bar = 2e-6;

struct apart_rays : peer {
    const std::vector<ray_question> &questions;
    explicit apart_rays(const std::vector<ray_question> &q) : questions(q) { name = "apart"; }

    void run() override
    {
        double sum = 0.0;
        for (size_t i = 0; i < questions.size(); i++) {
            const ray_question &q = questions[i];
            apart_ray_hit hit;
            const apart_status status = apart_raycast(&q.ray, q.shape, &q.pose, nullptr, &hit);
            answers[i] = status == APART_OK && hit.hit ? hit.distance : not_a_number;
            sum += hit.lower + hit.point.x + hit.normal.x + hit.feature.number;
        }
        bench_sink = bench_sink + sum;
    }
};

struct rays : scene {
    std::unique_ptr<kit::bodies> bodies;
    std::vector<ray_question> questions;
};

struct apart_impacts : peer {
    const std::vector<impact_question> &questions;
    explicit apart_impacts(const std::vector<impact_question> &q) : questions(q) { name = "apart"; }

    void run() override
    {
        double sum = 0.0;
        for (size_t i = 0; i < questions.size(); i++) {
            const impact_question &q = questions[i];
            const apart_motion rest = apart_motion_rest(&q.pose_a),
                               fly = apart_motion_velocity(&q.from, q.linear, q.angular, {0, 0, 0});
            apart_impact impact;
            const apart_status status = apart_time_of_impact(q.a, &rest, q.b, &fly, nullptr, nullptr, &impact);
            answers[i] = status == APART_OK && impact.outcome == APART_OUTCOME_HIT ? impact.t : not_a_number;
            sum += impact.lower + impact.upper;
        }
        bench_sink = bench_sink + sum;
    }
};

/* A hit is right if the bodies touch at the time that was given: their gap or depth is below the bar. */
struct impacts : scene {
    std::unique_ptr<kit::bodies> bodies;
    std::vector<impact_question> questions;

    double wrong_share(const peer &p) const override
    {
        size_t wrong = 0;
        for (size_t i = 0; i < questions.size(); i++) {
            const impact_question &q = questions[i];
            const double t = p.answers[i];
            if (std::isnan(upper[i]) || std::isnan(t)) {
                wrong += std::isnan(upper[i]) != std::isnan(t);
                continue;
            }
            const apart_motion fly = apart_motion_velocity(&q.from, q.linear, q.angular, {0, 0, 0});
            apart_pose there;
            apart_result result;
            kit::require(apart_motion_pose(&fly, t, &there), "a motion");
            kit::require(apart_distance(q.a, &q.pose_a, q.b, &there, nullptr, nullptr, &result), "a distance");
            wrong += !(std::fabs(result.distance) <= allowed[i]);
        }
        return static_cast<double>(wrong) / static_cast<double>(questions.size());
    }
};

struct apart_manifolds : peer {
    const std::vector<manifold_question> &questions;
    std::vector<apart_cache> caches;
    bool warm;
    apart_manifolds(const std::vector<manifold_question> &q, bool w) : questions(q), caches(q.size()), warm(w)
    {
        name = "apart";
    }

    void forget() override
    {
        std::fill(caches.begin(), caches.end(), apart_cache{});
        ask(0, 1);
    }

    void run() override { ask(1, questions[0].poses_a.size()); }

    void ask(size_t first, size_t end)
    {
        double sum = 0.0;
        for (size_t step = first; step < end; step++) {
            for (size_t i = 0; i < questions.size(); i++) {
                const manifold_question &q = questions[i];
                apart_manifold m;
                const apart_status status = apart_contact(q.a, &q.poses_a[step], q.b, &q.poses_b[step], nullptr,
                                                          warm ? &caches[i] : nullptr, &m);
                answers[step * questions.size() + i] =
                    status == APART_OK && m.count > 0 ? m.points[0].distance : not_a_number;
                sum += m.normal.x + m.points[0].a.x;
            }
        }
        bench_sink = bench_sink + sum;
    }
};

struct manifolds : scene {
    std::unique_ptr<kit::bodies> bodies;
    std::vector<manifold_question> questions;
};

apart_vec3 across(lab_random *r, apart_vec3 d)
{
    const apart_vec3 t = apart_vec3_cross(d, lab_random_direction(r));
    return apart_vec3_scale(1.0 / apart_vec3_norm(t), t);
}

/* Every contestant's answers, before apart's are asked once more for the bounds. */
void take(scene &s, std::unique_ptr<peer> p, size_t answers)
{
    if (p != nullptr) {
        p->answers.assign(answers, not_a_number);
        s.peers.push_back(std::move(p));
    }
}

/* Face on face: the upper box turns about the vertical axis, and sinks in by up to 0.02. */
void face_to_face(lab_random *r, manifold_question &q)
{
    apart_pose base = lab_random_pose(r, {0, 0, 0});
    const double turn = lab_random_between(r, 0.0, 3.0), depth = lab_random_between(r, 0.005, 0.02),
                 x = lab_random_between(r, -0.2, 0.2), y = lab_random_between(r, -0.2, 0.2);
    for (int step = 0; step < 20; step++) {
        apart_pose up;
        kit::require(apart_pose_from_axis_angle({0, 0, 1}, turn + 0.01 * step,
                                                {x + 0.002 * step, y,
                                                 q.a->u.half_extents.z + q.b->u.half_extents.z - depth},
                                                &up),
                     "a pose");
        q.poses_a.push_back(base);
        q.poses_b.push_back(apart_pose_compose(&base, &up));
    }
}

double distance_of(const manifold_question &q, const apart_pose &a, const apart_pose &b, apart_result *result)
{
    kit::require(apart_distance(q.a, &a, q.b, &b, nullptr, nullptr, result), "placing two bodies");
    return result->distance;
}

/* From 0.005 to 0.1 deep in all steps, which move by 0.002 and turn by a degree. */
void overlap_a_little(lab_random *r, manifold_question &q)
{
    bool good = false;
    while (!good) {
        const apart_pose a = lab_random_pose(r, {0, 0, 0}), start = lab_random_pose(r, {0, 0, 0});
        const apart_vec3 way = lab_random_direction(r), axis = lab_random_direction(r);
        const apart_vec3 from = apart_vec3_scale(lab_random_between(r, 0.6, 2.0), lab_random_direction(r));
        q.poses_a.clear();
        q.poses_b.clear();
        good = true;
        for (int step = 0; step < 20 && good; step++) {
            apart_pose turned;
            kit::require(apart_pose_from_axis_angle(axis, LAB_PI / 180.0 * step,
                                                    apart_vec3_add_scaled(from, 0.002 * step, way), &turned),
                         "a pose");
            q.poses_a.push_back(a);
            q.poses_b.push_back(apart_pose_compose(&turned, &start));
            apart_result result;
            const double d = distance_of(q, a, q.poses_b.back(), &result);
            good = d <= -0.005 && d >= -0.1;
        }
    }
}

} // namespace

std::vector<double> scene::race(double seconds)
{
    std::vector<kit::contestant> all;
    for (const auto &p : peers) {
        peer *who = p.get();
        all.push_back(
            {who->name, static_cast<double>(who->answers.size()), [who] { who->run(); }, [who] { who->forget(); }});
    }
    kit::race(all, seconds);
    std::vector<double> times;
    times.reserve(all.size());
    for (const kit::contestant &c : all) {
        times.push_back(c.best);
    }
    return times;
}

double scene::wrong_share(const peer &p) const
{
    size_t wrong = 0, asked = 0;
    for (size_t i = 0; i < lower.size(); i++) {
        const double answer = p.answers[i];
        if (allowed[i] >= 0.0) {
            const bool none = std::isnan(upper[i]);
            asked++;
            wrong += none ? !std::isnan(answer) : !(answer >= lower[i] - allowed[i] && answer <= upper[i] + allowed[i]);
        }
    }
    return asked > 0 ? static_cast<double>(wrong) / static_cast<double>(asked) : 0.0;
}

std::unique_ptr<scene> ray_scene(unsigned n, size_t count)
{
    auto s = std::make_unique<rays>();
    lab_random r = {1000 + n};
    s->name = n == 0 ? "ray, box" : "ray, hull " + std::to_string(n);
    s->bodies = std::make_unique<kit::bodies>(&r, n, std::min<size_t>(count, 50));
    for (size_t i = 0; i < count; i++) {
        const apart_shape *shape = &s->bodies->shapes[i % s->bodies->shapes.size()];
        const apart_pose pose = lab_random_pose(&r, apart_vec3_scale(5.0, lab_random_direction(&r)));
        const apart_vec3 origin = apart_vec3_add_scaled(pose.translation, 4.0, lab_random_direction(&r)),
                         goal = apart_vec3_add_scaled(pose.translation, 0.7, lab_random_direction(&r)),
                         way = apart_vec3_sub(goal, origin);
        s->questions.push_back({shape, pose, {origin, apart_vec3_scale(1.0 / apart_vec3_norm(way), way), 10.0}});
        apart_ray_hit hit;
        kit::require(apart_raycast(&s->questions[i].ray, shape, &pose, nullptr, &hit), "a ray");
        s->lower.push_back(hit.hit ? hit.distance : not_a_number);
        s->upper.push_back(hit.hit ? hit.distance : not_a_number);
        s->allowed.push_back(wrong_bar * 2.0 * kit::radius_of(*shape));
    }
    take(*s, std::make_unique<apart_rays>(s->questions), count);
    take(*s, bullet_rays(s->questions), count);
    return s;
}

std::unique_ptr<scene> impact_scene(unsigned n, bool hit, double turn, size_t count)
{
    auto s = std::make_unique<impacts>();
    lab_random r = {2000 + 2 * n + (hit ? 1 : 0)};
    s->name = (n == 0 ? "impact, boxes" : "impact, hulls " + std::to_string(n)) + (turn > 0.0 ? ", turning" : "") +
              (hit ? ", hit" : ", miss");
    s->bodies = std::make_unique<kit::bodies>(&r, n, 20);
    while (s->questions.size() < count) {
        const apart_shape *a = &s->bodies->shapes[lab_random_below(&r, 10)],
                          *b = &s->bodies->shapes[10 + lab_random_below(&r, 10)];
        impact_question q = {a, b, lab_random_pose(&r, {0, 0, 0}), {}, {}, {}, {}};
        const apart_vec3 from = apart_vec3_scale(3.5, lab_random_direction(&r)),
                         straight = apart_vec3_scale(-1.0 / 3.5, from), side = across(&r, straight);
        const apart_vec3 aim = apart_vec3_scale(hit ? 0.3 : 2.3, side), way = apart_vec3_sub(aim, from);
        q.from = lab_random_pose(&r, from);
        q.linear = apart_vec3_scale(5.0 / apart_vec3_norm(way), way);
        q.angular = apart_vec3_scale(turn, lab_random_direction(&r));
        const apart_motion rest = apart_motion_rest(&q.pose_a),
                           fly = apart_motion_velocity(&q.from, q.linear, q.angular, {0, 0, 0});
        apart_impact impact;
        kit::require(apart_time_of_impact(a, &rest, b, &fly, nullptr, nullptr, &impact), "an impact");
        kit::require(apart_motion_pose(&fly, 1.0, &q.to), "an impact");
        if (impact.outcome != (hit ? APART_OUTCOME_HIT : APART_OUTCOME_CLEAR)) {
            continue;
        }
        s->questions.push_back(q);
        s->lower.push_back(hit ? impact.t : not_a_number);
        s->upper.push_back(hit ? impact.t : not_a_number);
        s->allowed.push_back(wrong_bar * (kit::radius_of(*a) + kit::radius_of(*b)));
    }
    take(*s, std::make_unique<apart_impacts>(s->questions), count);
    take(*s, bullet_impacts(s->questions), count);
    take(*s, fcl_impacts(s->questions), count);
    return s;
}

std::unique_ptr<scene> manifold_scene(unsigned n, bool warm, size_t count)
{
    auto s = std::make_unique<manifolds>();
    lab_random r = {3000 + n};
    s->name = (n == 0 ? std::string("manifold, boxes face to face") : "manifold, hulls " + std::to_string(n)) +
              (warm ? ", warm" : ", cold");
    s->bodies = std::make_unique<kit::bodies>(&r, n, 20);
    for (size_t i = 0; i < count; i++) {
        manifold_question q = {&s->bodies->shapes[lab_random_below(&r, 10)],
                               &s->bodies->shapes[10 + lab_random_below(&r, 10)],
                               {},
                               {}};
        n == 0 ? face_to_face(&r, q) : overlap_a_little(&r, q);
        s->questions.push_back(q);
    }
    for (size_t step = 0; step < 20; step++) {
        for (const manifold_question &q : s->questions) {
            apart_result result;
            distance_of(q, q.poses_a[step], q.poses_b[step], &result);
            s->lower.push_back(result.lower);
            s->upper.push_back(result.upper);
            s->allowed.push_back(step == 0 ? -1.0 : wrong_bar * (kit::radius_of(*q.a) + kit::radius_of(*q.b)));
        }
    }
    take(*s, std::make_unique<apart_manifolds>(s->questions, warm), 20 * count);
    take(*s, bullet_manifolds(s->questions, warm), 20 * count);
    take(*s, fcl_manifolds(s->questions), 20 * count);
    return s;
}
