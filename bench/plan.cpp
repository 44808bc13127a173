/* W13: planning problems, by apart (every edge proved) and by OMPL's RRT-Connect with FCL (states 0.01 rad apart), which
 * then simplifies its path. One thread each, processor time, 10 s a problem. Every path is judged by the other side too:
 * OMPL's by certified motions, apart's by FCL at 1000 states an edge.
 *     bench_plan [--quick | PROBLEMS]      (of each family; --quick: 2; all without) */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

#include <apart/plan.h>
#include <apart/robot_io.h>
#include <ompl/base/goals/GoalStates.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/RandomNumbers.h>

#include "fcl_cell.h"
#include "plan_problems.h"

namespace ob = ompl::base;
namespace og = ompl::geometric;

namespace
{

const double resolution = 0.01, most_seconds = 10.0;

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct answers {
    size_t solved = 0, colliding = 0;
    std::vector<double> seconds, length;
};

struct totals {
    answers own, other;
    size_t problems = 0, invalid = 0;
};

struct run {
    size_t of_each_family;
    std::map<std::string, size_t> seen;
    totals all;
    FILE *csv;
    const char *robot;
};

double median(std::vector<double> values)
{
    if (values.empty()) {
        return 0.0;
    }
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

int goes_on(const apart_plan_progress *, void *until) { return seconds() < *static_cast<double *>(until); }

/* ---- apart ---- */

void plan_by_apart(const bench_problem &p, fcl_cell &judge, answers &out)
{
    const double started = seconds();
    double until = started + most_seconds;
    apart_plan_task task = {};
    apart_plan_options options = {};
    apart_plan plan;
    task.start = p.start;
    task.goals = p.goals;
    task.goal_count = p.goal_count;
    task.variables = p.variables;
    task.variable_count = p.variable_count;
    options.seed = 1;
    options.go_on = goes_on;
    options.user = &until;
    if (apart_plan_make(p.cell, &task, &options, &plan) != APART_OK) {
        return;
    }
    out.seconds.push_back(seconds() - started);
    if (plan.outcome == APART_PLAN_FOUND) {
        bool collides = false;
        out.solved++;
        out.length.push_back(plan.length);
        for (size_t i = 0; i + 1 < plan.count && !collides; i++) {
            collides =
                judge.collides_between(plan.q + i * plan.width, plan.q + (i + 1) * plan.width, plan.width, 1.0, 1e-3);
        }
        out.colliding += collides;
    }
    apart_plan_free(&plan);
}

/* ---- OMPL ---- */

struct ompl_task {
    const bench_problem &p;
    fcl_cell &cell;
    std::vector<double> q; /* all variables; those that move are overwritten */

    const double *fill(const ob::State *state)
    {
        const double *values = state->as<ob::RealVectorStateSpace::StateType>()->values;
        for (size_t i = 0; i < p.variable_count; i++) {
            q[p.variables[i]] = values[i];
        }
        return q.data();
    }
};

std::shared_ptr<ob::RealVectorStateSpace> make_space(const bench_problem &p)
{
    auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(p.variable_count));
    ob::RealVectorBounds bounds(static_cast<unsigned>(p.variable_count));
    for (size_t i = 0; i < p.variable_count; i++) {
        const apart_robot_joint *joint = apart_robot_variable(apart_robot_cell_robot(p.cell), p.variables[i]);
        bounds.setLow(static_cast<unsigned>(i), std::isfinite(joint->lower) ? joint->lower : -3.141592653589793);
        bounds.setHigh(static_cast<unsigned>(i), std::isfinite(joint->upper) ? joint->upper : 3.141592653589793);
    }
    space->setBounds(bounds);
    return space;
}

/* Does a certified motion refute an edge of the path? */
bool truly_collides(const bench_problem &p, ompl_task &task, const std::vector<ob::State *> &states)
{
    apart_robot_work *work = nullptr;
    bool collides = apart_robot_work_create(p.cell, &work) != APART_OK;
    apart_robot_motion_options options = {};
    options.has_limit = 1;
    for (size_t i = 0; i + 1 < states.size() && !collides; i++) {
        apart_robot_gap gap;
        task.fill(states[i]);
        const std::vector<double> from = task.q;
        collides = apart_robot_motion(work, from.data(), task.fill(states[i + 1]), &options, &gap) == APART_OK &&
                   gap.upper < 0.0;
    }
    apart_robot_work_free(work);
    return collides;
}

void plan_by_ompl(const bench_problem &p, fcl_cell &cell, answers &out)
{
    const size_t width = apart_robot_variable_count(apart_robot_cell_robot(p.cell));
    ompl_task task{p, cell, std::vector<double>(p.start, p.start + width)};
    const double started = seconds();
    const auto space = make_space(p);
    og::SimpleSetup setup(space);
    const auto &si = setup.getSpaceInformation();
    setup.setStateValidityChecker(
        [&](const ob::State *state) { return si->satisfiesBounds(state) && !cell.collides(task.fill(state)); });
    si->setStateValidityCheckingResolution(resolution / space->getMaximumExtent());
    setup.setPlanner(std::make_shared<og::RRTConnect>(si));
    ob::ScopedState<> start(space);
    const auto goals = std::make_shared<ob::GoalStates>(si);
    for (size_t i = 0; i < p.variable_count; i++) {
        start[static_cast<unsigned>(i)] = p.start[p.variables[i]];
    }
    for (size_t g = 0; g < p.goal_count; g++) {
        ob::ScopedState<> goal(space);
        for (size_t i = 0; i < p.variable_count; i++) {
            goal[static_cast<unsigned>(i)] = p.goals[g * width + p.variables[i]];
        }
        goals->addState(goal);
    }
    setup.setStartState(start);
    setup.setGoal(goals);
    const double until = started + most_seconds;
    const ob::PlannerTerminationCondition over([&] { return seconds() > until; });
    const bool solved = setup.solve(over) == ob::PlannerStatus::EXACT_SOLUTION;
    if (solved) {
        setup.simplifySolution(over);
    }
    out.seconds.push_back(seconds() - started);
    if (solved) {
        const std::vector<ob::State *> &states = setup.getSolutionPath().getStates();
        double length = 0.0;
        for (size_t i = 0; i + 1 < states.size(); i++) {
            length += space->distance(states[i], states[i + 1]);
        }
        out.solved++;
        out.length.push_back(length);
        out.colliding += truly_collides(p, task, states);
    }
}

/* ---- all ---- */

/* A start or goal that collides is no problem of planning. */
bool is_valid(const bench_problem &p)
{
    apart_robot_work *work = nullptr;
    apart_robot_near near;
    const size_t width = apart_robot_variable_count(apart_robot_cell_robot(p.cell));
    bool valid = apart_robot_work_create(p.cell, &work) == APART_OK;
    bool reachable = false;
    valid = valid && apart_robot_set(work, p.start) == APART_OK && apart_robot_nearest(work, &near) == APART_OK &&
            near.at.result.distance > 0.0;
    for (size_t g = 0; g < p.goal_count && valid; g++) {
        reachable = reachable || (apart_robot_set(work, p.goals + g * width) == APART_OK &&
                                  apart_robot_nearest(work, &near) == APART_OK && near.at.result.distance > 0.0);
    }
    apart_robot_work_free(work);
    return valid && reachable;
}

void use(const bench_problem *p, void *context)
{
    run *r = static_cast<run *>(context);
    const std::string name(p->name), family = name.substr(0, name.find('/'));
    if (r->seen[family]++ >= r->of_each_family) {
        return;
    }
    fcl_cell cell(p->cell);
    if (!cell.is_good() || !is_valid(*p)) {
        r->all.invalid++;
        return;
    }
    const answers before[2] = {r->all.own, r->all.other};
    r->all.problems++;
    plan_by_apart(*p, cell, r->all.own);
    plan_by_ompl(*p, cell, r->all.other);
    const answers *now[2] = {&r->all.own, &r->all.other};
    for (int i = 0; i < 2; i++) {
        const bool solved = now[i]->solved > before[i].solved;
        std::fprintf(r->csv, "W13,%s,%s,%s,%d,%.6g,%.6g,%d\n", r->robot, p->name, i == 0 ? "apart" : "ompl-fcl", solved,
                     now[i]->seconds.back(), solved ? now[i]->length.back() : 0.0,
                     now[i]->colliding > before[i].colliding);
    }
}

void print(const char *robot, const char *name, size_t problems, const answers &a)
{
    std::printf("| %-6s | %-9s | %8zu | %5.1f %% | %9.3f | %6.2f | %9zu |\n", robot, name, problems,
                100.0 * static_cast<double>(a.solved) / static_cast<double>(problems > 0 ? problems : 1),
                median(a.seconds), median(a.length), a.colliding);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const char *const robots[][3] =
        {{"panda", BENCH_DATA "/robots/panda_vamp/panda.urdf", BENCH_DATA "/robots/panda_vamp/panda.srdf"},
         {"ur5", BENCH_DATA "/robots/ur5_robotiq/ur5.urdf", BENCH_DATA "/robots/ur5_robotiq/ur5.srdf"},
         {"fetch", BENCH_DATA "/robots/fetch/fetch.urdf", BENCH_DATA "/robots/fetch/fetch.srdf"}};
    const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
    const size_t count = quick ? 2 : (argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000000);
    FILE *csv = std::fopen(BENCH_DIRECTORY "/plan.csv", "w");
    if (argc > 2 || count == 0 || csv == nullptr) {
        std::fprintf(stderr, "usage: bench_plan [--quick | PROBLEMS]\n");
        return 2;
    }
    ompl::RNG::setSeed(1);
    ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
    std::fprintf(csv, "workload,robot,problem,planner,solved,seconds,length,collides\n");
    std::printf(
        "W13: planning problems; processor seconds, medians; at most %g s; OMPL's RRT-Connect with FCL at %g rad\n\n"
        "| robot  | planner   | problems | solved  | seconds   | length | colliding |\n"
        "|--------|-----------|---------:|--------:|----------:|-------:|----------:|\n",
        most_seconds, resolution);
    for (const auto &file : robots) {
        apart_robot *r = nullptr;
        apart_io_error error;
        run all = {count, {}, {}, csv, file[0]};
        if (apart_robot_read(file[1], nullptr, &r, &error) != APART_OK ||
            apart_robot_read_srdf(file[2], nullptr, r, &error) != APART_OK ||
            bench_each_problem((std::string(BENCH_DATA "/planning/") + file[0] + ".json").c_str(), r, use, &all) != 0) {
            std::printf("| %-6s | is left out: %s\n", file[0],
                        r == nullptr ? error.message : "its problems cannot be read");
            apart_robot_free(r);
            continue;
        }
        print(file[0], "apart", all.all.problems, all.all.own);
        print(file[0], "OMPL, FCL", all.all.problems, all.all.other);
        apart_robot_free(r);
    }
    std::fclose(csv);
    std::printf(
        "\ncolliding: paths of apart that collide for FCL at 1000 states an edge; paths of OMPL that a certified motion "
        "refutes. Written to " BENCH_DIRECTORY "/plan.csv.\n");
    return 0;
}
