/* apart inside OMPL: a state is valid where all pairs keep a distance, an edge where they keep it all the way, which is
 * proved and not sampled: no resolution has to be set, and no path collides between its samples.
 *
 * Build: c++ 20_ompl.cpp -I/usr/include/ompl-1.5 -I/usr/include/eigen3 -lompl $(pkg-config --cflags --libs apart) */
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include <apart/apart.h>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

namespace ob = ompl::base;
namespace og = ompl::geometric;

/* ---- the two validators ---- */

using work_space = std::unique_ptr<apart_robot_work, void (*)(apart_robot_work *)>;

/* One for each thread: the cell is shared, work spaces are not. */
static apart_robot_work *work_of(const apart_robot_cell *cell)
{
    thread_local work_space work(nullptr, apart_robot_work_free);
    if (work == nullptr || apart_robot_work_cell(work.get()) != cell) {
        apart_robot_work *made = nullptr;
        work.reset(apart_robot_work_create(cell, &made) == APART_OK ? made : nullptr);
    }
    return work.get();
}

static const double *values_of(const ob::State *state)
{
    return state->as<ob::RealVectorStateSpace::StateType>()->values;
}

/* Is the limit kept all the way? */
static bool keeps(const apart_robot_cell *cell, const double *from, const double *to, double limit)
{
    apart_robot_motion_options options = {};
    apart_robot_gap gap;
    options.has_limit = 1;
    options.limit = limit;
    return apart_robot_motion(work_of(cell), from, to, &options, &gap) == APART_OK && gap.lower >= limit;
}

class state_check : public ob::StateValidityChecker
{
  public:
    state_check(const ob::SpaceInformationPtr &si, const apart_robot_cell *cell, double limit)
        : ob::StateValidityChecker(si), cell_(cell), limit_(limit)
    {
    }
    bool isValid(const ob::State *state) const override
    {
        return si_->satisfiesBounds(state) && keeps(cell_, values_of(state), values_of(state), limit_);
    }
    double clearance(const ob::State *state) const override
    {
        apart_robot_near near;
        apart_robot_work *work = work_of(cell_);
        const bool good =
            apart_robot_set(work, values_of(state)) == APART_OK && apart_robot_nearest(work, &near) == APART_OK;
        return good ? near.at.result.distance - limit_ : -INFINITY;
    }

  private:
    const apart_robot_cell *cell_;
    double limit_;
};

class edge_check : public ob::MotionValidator
{
  public:
    edge_check(const ob::SpaceInformationPtr &si, const apart_robot_cell *cell, double limit)
        : ob::MotionValidator(si), cell_(cell), limit_(limit)
    {
    }
    bool checkMotion(const ob::State *from, const ob::State *to) const override
    {
        return si_->satisfiesBounds(to) && keeps(cell_, values_of(from), values_of(to), limit_);
    }
    /* The last valid state: the longest half, quarter, ... of the edge that is proved. */
    bool checkMotion(const ob::State *from, const ob::State *to, std::pair<ob::State *, double> &last) const override
    {
        if (checkMotion(from, to)) {
            return true;
        }
        ob::State *part = si_->allocState();
        for (last.second = 0.5; last.second > 1e-3; last.second /= 2) {
            si_->getStateSpace()->interpolate(from, to, last.second, part);
            if (checkMotion(from, part)) {
                break;
            }
        }
        last.second = last.second > 1e-3 ? last.second : 0.0;
        if (last.first != nullptr) {
            si_->getStateSpace()->interpolate(from, to, last.second, last.first);
        }
        si_->freeState(part);
        return false;
    }

  private:
    const apart_robot_cell *cell_;
    double limit_;
};

/* ---- an arm of three bars in a plane, among four thin posts ---- */

static apart_robot *make_arm()
{
    const char *const links[] = {"base", "upper", "fore", "hand"}, *const joints[] = {"shoulder", "elbow", "wrist"};
    apart_robot *r = apart_robot_new("arm");
    apart_io_error error;
    for (size_t i = 0; i < 4; i++) {
        const apart_part part = {apart_box({i == 0 ? 0.04 : 0.13, 0.02, 0.02}),
                                 apart_pose_translation(i == 0 ? 0.0 : 0.15, 0, i == 0 ? -0.1 : 0.0)};
        apart_robot_joint joint = {};
        joint.kind = APART_JOINT_ROTARY;
        joint.axis = {0, 0, 1};
        joint.origin = apart_pose_translation(i > 1 ? 0.3 : 0.0, 0, 0);
        joint.lower = -2.8;
        joint.upper = 2.8;
        joint.factor = 1;
        if (apart_robot_add_link(r, links[i], 0, &error) != APART_OK ||
            apart_robot_add_part(r, i, &part, nullptr) != APART_OK ||
            (i > 0 &&
             apart_robot_add_joint(r, joints[i - 1], links[i - 1], links[i], nullptr, &joint, &error) != APART_OK)) {
            return nullptr;
        }
    }
    return apart_robot_finish(r, &error) == APART_OK ? r : nullptr;
}

static apart_robot_cell *make_cell(const apart_robot *arm)
{
    const apart_part post = {apart_cylinder(0.004, 0.5), apart_pose_identity()};
    std::vector<apart_robot_obstacle> posts;
    for (const apart_vec3 at :
         {apart_vec3{0.5, 0.35, 0}, apart_vec3{0.7, -0.1, 0}, apart_vec3{0.1, 0.5, 0}, apart_vec3{0.3, -0.45, 0}}) {
        apart_robot_obstacle obstacle = {};
        obstacle.name = "post";
        obstacle.parts = &post;
        obstacle.count = 1;
        obstacle.pose = apart_pose_translation(at.x, at.y, at.z);
        posts.push_back(obstacle);
    }
    apart_robot_cell_options options = {};
    options.obstacles = posts.data();
    options.obstacle_count = posts.size();
    apart_robot_cell *cell = nullptr;
    return apart_robot_cell_create(arm, &options, &cell) == APART_OK ? cell : nullptr;
}

static int plan(const apart_robot *arm, const apart_robot_cell *cell, double limit)
{
    const auto space = std::make_shared<ob::RealVectorStateSpace>(0);
    for (size_t v = 0; v < apart_robot_variable_count(arm); v++) {
        space->addDimension(apart_robot_variable(arm, v)->lower, apart_robot_variable(arm, v)->upper);
    }
    og::SimpleSetup setup(space);
    const auto &si = setup.getSpaceInformation();
    setup.setStateValidityChecker(std::make_shared<state_check>(si, cell, limit));
    si->setMotionValidator(std::make_shared<edge_check>(si, cell, limit));
    setup.setPlanner(std::make_shared<og::RRTConnect>(si));
    ob::ScopedState<> start(space), goal(space);
    start = std::vector<double>{-1.2, 0.2, 0.2};
    goal = std::vector<double>{1.9, -0.3, 0.2};
    setup.setStartAndGoalStates(start, goal);
    if (setup.solve(20.0) != ob::PlannerStatus::EXACT_SOLUTION) {
        std::printf("no path\n");
        return 1;
    }
    setup.simplifySolution(0.5);
    const std::vector<ob::State *> &states = setup.getSolutionPath().getStates();
    double least = INFINITY;
    for (size_t i = 0; i + 1 < states.size(); i++) {
        apart_robot_gap gap;
        if (apart_robot_motion(work_of(cell), values_of(states[i]), values_of(states[i + 1]), nullptr, &gap) !=
            APART_OK) {
            return 1;
        }
        least = std::min(least, gap.lower);
    }
    std::printf("%zu edges; all pairs keep at least %.4f all the way\n", states.size() - 1, least);
    return least >= limit - 1e-9 ? 0 : 1;
}

int main()
try {
    ompl::RNG::setSeed(1);
    ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
    apart_robot *arm = make_arm();
    apart_robot_cell *cell = arm != nullptr ? make_cell(arm) : nullptr;
    const int code = cell != nullptr ? plan(arm, cell, 0.01) : 1;
    apart_robot_cell_free(cell);
    apart_robot_free(arm);
    return code;
} catch (const std::exception &error) {
    std::fprintf(stderr, "20_ompl: %s\n", error.what());
    return 1;
}
