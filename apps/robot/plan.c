/* The motion of a redundant arm among obstacles (items G9, eqs. 6 and 7):
 *     q' = J+ x' + k (I - J+ J) grad H,      H = sum over the pairs of U(d),      U = (1/d - 1/d0)^2 / 2 for d < d0, else 0,
 * x' the velocity of the tool along its path, J+ the pseudo-inverse of its Jacobian, d the distances of the pairs and
 * grad H from their witness points. We differ in three things: J+ is damped near singularities (Nakamura and Hanafusa
 * 1986); after a step the tool is put back on the path by Newton's method, so that errors do not add up; and a push
 * that would overshoot the valley of H, which is steep near contact, is halved until H falls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arm.h"

/* The smallest singular value of J, as a share of the largest, below which it is damped, and the damping at zero, as
 * the same share. */
static const double SINGULAR_SHARE = 0.01;
/* The push moves no joint by more than this in one step: what the linear picture of a step is good for. */
static const double MOST_PUSH = 0.05;
/* Nearer than this share of d0 the potential is continued as its tangent: contact has no infinite force, and overlap
 * still a way out. */
static const double NEAREST_SHARE = 0.02;
enum { MOST_HALVINGS = 8, MOST_CORRECTIONS = 6, MOST_STEPS = 1000000 };

typedef struct planner {
    apart_robot_work *work;
    size_t pair_count;
    const apart_robot *robot;
    const robot_task *task;
    robot_plan *plan;
    size_t n;
    apart_pose *links;
    apart_vec3 *jacobian;                      /* a column a variable */
    double *q, *trial, *push, *gradient, *one; /* n each */
    double *distances;                         /* pair_count */
    double distance_seconds;
} planner;

/* ---- small algebra ---- */

/* Row by row, symmetric. */
typedef struct sym3 {
    double m[3][3];
} sym3;

static sym3 gram(const planner *p)
{
    sym3 a = {.m = {{0}}};
    for (size_t v = 0; v < p->n; v++) {
        const double c[3] = {p->jacobian[v].x, p->jacobian[v].y, p->jacobian[v].z};
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++) {
                a.m[i][k] += c[i] * c[k];
            }
        }
    }
    return a;
}

/* The eigenvalues by Jacobi's rotations. */
static void eigenvalues(sym3 a, double *least, double *most)
{
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int i = 0; i < 2; i++) {
            for (int k = i + 1; k < 3; k++) {
                if (a.m[i][k] == 0.0) {
                    continue;
                }
                const double half = (a.m[k][k] - a.m[i][i]) / (2.0 * a.m[i][k]);
                const double t = (half >= 0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0)),
                             c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int r = 0; r < 3; r++) {
                    const double x = a.m[r][i], y = a.m[r][k];
                    a.m[r][i] = c * x - s * y;
                    a.m[r][k] = s * x + c * y;
                }
                for (int r = 0; r < 3; r++) {
                    const double x = a.m[i][r], y = a.m[k][r];
                    a.m[i][r] = c * x - s * y;
                    a.m[k][r] = s * x + c * y;
                }
            }
        }
    }
    *least = fmin(a.m[0][0], fmin(a.m[1][1], a.m[2][2]));
    *most = fmax(a.m[0][0], fmax(a.m[1][1], a.m[2][2]));
}

/* A x = b by Cramer's rule; zero where A is singular. */
static apart_vec3 solve(const sym3 *a, apart_vec3 b)
{
    const apart_vec3 r0 = {a->m[0][0], a->m[0][1], a->m[0][2]}, r1 = {a->m[1][0], a->m[1][1], a->m[1][2]},
                     r2 = {a->m[2][0], a->m[2][1], a->m[2][2]};
    const apart_vec3 c0 = apart_vec3_cross(r1, r2), c1 = apart_vec3_cross(r2, r0), c2 = apart_vec3_cross(r0, r1);
    const double det = apart_vec3_dot(r0, c0);
    if (det == 0.0) {
        return (apart_vec3){0, 0, 0};
    }
    return apart_vec3_scale(1.0 / det, apart_vec3_add(apart_vec3_scale(b.x, c0),
                                                      apart_vec3_add_scaled(apart_vec3_scale(b.y, c1), b.z, c2)));
}

/* J J^T, damped where its smallest singular value is small. */
static sym3 damped_gram(const planner *p, double *damping)
{
    sym3 a = gram(p);
    double least, most;
    eigenvalues(a, &least, &most);
    const double singular = sqrt(fmax(least, 0.0)), threshold = SINGULAR_SHARE * sqrt(fmax(most, 0.0));
    *damping = 0.0;
    if (singular < threshold || most == 0.0) {
        const double share = threshold > 0.0 ? singular / threshold : 0.0;
        *damping = most > 0.0 ? threshold * sqrt(1.0 - share * share) : SINGULAR_SHARE;
        for (int i = 0; i < 3; i++) {
            a.m[i][i] += *damping * *damping;
        }
    }
    return a;
}

/* ---- the tool ---- */

static apart_vec3 tool_at(const planner *p)
{
    const apart_pose pose = apart_robot_link_pose(p->work, p->task->link);
    return apart_pose_apply(&pose, p->task->point);
}

static void set_positions(planner *p, const double *q)
{
    apart_robot_forward(p->robot, q, p->links);
    (void)apart_robot_set(p->work, q);
    apart_robot_jacobian(p->robot, p->links, p->task->link, apart_pose_apply(&p->links[p->task->link], p->task->point),
                         p->jacobian, NULL);
}

/* The point of the path at this length. */
static apart_vec3 along_path(const robot_task *task, double length_along)
{
    for (size_t i = 0; i + 1 < task->path_count; i++) {
        const apart_vec3 leg = apart_vec3_sub(task->path[i + 1], task->path[i]);
        const double length = apart_vec3_norm(leg);
        if (length_along <= length && length > 0.0) {
            return apart_vec3_add_scaled(task->path[i], length_along / length, leg);
        }
        length_along -= length;
    }
    return task->path[task->path_count - 1];
}

static double path_length(const robot_task *task)
{
    double sum = 0.0;
    for (size_t i = 0; i + 1 < task->path_count; i++) {
        sum += apart_vec3_distance(task->path[i + 1], task->path[i]);
    }
    return sum;
}

/* q += J+ move. */
static void follow(planner *p, double *q, apart_vec3 move, double *damping)
{
    const sym3 a = damped_gram(p, damping);
    const apart_vec3 y = solve(&a, move);
    for (size_t v = 0; v < p->n; v++) {
        q[v] += apart_vec3_dot(p->jacobian[v], y);
    }
}

/* Newton's method: the tool onto the point. Returns how far it stays away. */
static double put_on_path(planner *p, double *q, apart_vec3 wanted, double *damping)
{
    double error = INFINITY;
    for (int i = 0;; i++) {
        set_positions(p, q);
        const apart_vec3 missing = apart_vec3_sub(wanted, tool_at(p));
        const double now = apart_vec3_norm(missing);
        if (i == MOST_CORRECTIONS || now < 1e-12 * (1.0 + apart_vec3_norm(wanted)) || (i > 1 && now > 0.5 * error)) {
            return now;
        }
        double used;
        error = now;
        follow(p, q, missing, &used);
        *damping = used > *damping ? used : *damping;
    }
}

/* ---- the potential ---- */

static double now(const planner *p) { return p->task->now != NULL ? p->task->now() : 0.0; }

/* U and dU/dd. */
static double potential(const robot_task *task, double d, double *slope)
{
    const double nearest = NEAREST_SHARE * task->reach, at = d > nearest ? d : nearest,
                 x = 1.0 / at - 1.0 / task->reach;
    *slope = 0.0;
    if (d >= task->reach) {
        return 0.0;
    }
    *slope = -x / (at * at);
    return 0.5 * x * x + *slope * (d - at);
}

/* H at the present positions; its gradient if `gradient` is not NULL. */
static apart_status sum_potentials(planner *p, double *gradient, double *sum)
{
    const double started = now(p);
    apart_status status = APART_OK;
    *sum = 0.0;
    for (size_t v = 0; gradient != NULL && v < p->n; v++) {
        gradient[v] = 0.0;
    }
    for (size_t i = 0; i < p->pair_count && status == APART_OK; i++) {
        apart_robot_near r = {.pair = i};
        double slope;
        status = apart_robot_distance(p->work, i, &r.at);
        p->plan->queries++;
        p->distances[i] = r.at.result.distance;
        *sum += potential(p->task, r.at.result.distance, &slope);
        if (gradient != NULL && slope != 0.0) {
            (void)apart_robot_gradient(p->work, &r, p->one, NULL);
            for (size_t v = 0; v < p->n; v++) {
                gradient[v] += slope * p->one[v];
            }
        }
    }
    p->distance_seconds += now(p) - started;
    return status;
}

/* push = step * k * (I - J+ J) grad H, no joint by more than MOST_PUSH. */
static void make_push(planner *p, double step)
{
    double damping, largest = 0.0;
    const sym3 a = damped_gram(p, &damping);
    apart_vec3 moved = {0, 0, 0};
    for (size_t v = 0; v < p->n; v++) {
        moved = apart_vec3_add_scaled(moved, p->gradient[v], p->jacobian[v]);
    }
    const apart_vec3 y = solve(&a, moved);
    for (size_t v = 0; v < p->n; v++) {
        p->push[v] = step * p->task->gain * (p->gradient[v] - apart_vec3_dot(p->jacobian[v], y));
        largest = fmax(largest, fabs(p->push[v]));
    }
    for (size_t v = 0; v < p->n && largest > MOST_PUSH; v++) {
        p->push[v] *= MOST_PUSH / largest;
    }
}

/* Adds the push to q, halved until H falls (k < 0). */
static apart_status apply_push(planner *p)
{
    double before, after;
    (void)apart_robot_set(p->work, p->q);
    apart_status status = sum_potentials(p, NULL, &before);
    for (int i = 0; i < MOST_HALVINGS && status == APART_OK; i++) {
        for (size_t v = 0; v < p->n; v++) {
            p->trial[v] = p->q[v] + ldexp(p->push[v], -i);
        }
        (void)apart_robot_set(p->work, p->trial);
        status = sum_potentials(p, NULL, &after);
        if (after <= before || p->task->gain > 0.0) {
            memcpy(p->q, p->trial, p->n * sizeof *p->q);
            p->plan->shortened += i > 0;
            return status;
        }
    }
    p->plan->shortened++;
    return status;
}

/* ---- the plan ---- */

static void keep_step(planner *p, double t, apart_vec3 wanted, double error, double damping)
{
    robot_plan *plan = p->plan;
    const size_t i = plan->count++;
    plan->t[i] = t;
    plan->error[i] = error;
    plan->damping[i] = damping;
    plan->tool[i] = tool_at(p);
    plan->wanted[i] = wanted;
    memcpy(plan->q + i * p->n, p->q, p->n * sizeof *p->q);
    memcpy(plan->push + i * p->n, p->push, p->n * sizeof *p->push);
    memcpy(plan->distances + i * plan->pair_count, p->distances, plan->pair_count * sizeof *p->distances);
    plan->worst_error = fmax(plan->worst_error, error);
    plan->most_damping = fmax(plan->most_damping, damping);
}

/* One step of time from where the robot is; H's gradient is that of the last step's end. */
static apart_status make_step(planner *p, double from, double to, bool *followed)
{
    const robot_task *task = p->task;
    const apart_vec3 here = along_path(task, task->speed * from), wanted = along_path(task, task->speed * to);
    double damping = 0.0, sum;
    apart_status status = APART_OK;
    bool pushed = false;
    for (size_t v = 0; v < p->n; v++) {
        pushed = pushed || (task->gain != 0.0 && p->gradient[v] != 0.0);
    }
    memset(p->push, 0, p->n * sizeof *p->push);
    if (pushed) {
        make_push(p, to - from);
    }
    follow(p, p->q, apart_vec3_sub(wanted, here), &damping);
    if (pushed) {
        status = apply_push(p);
    }
    const double error = put_on_path(p, p->q, wanted, &damping);
    if (status == APART_OK) {
        status = sum_potentials(p, p->gradient, &sum);
    }
    keep_step(p, to, wanted, error, damping);
    *followed = error <= task->most_error;
    return status;
}

static apart_status run(planner *p)
{
    const robot_task *task = p->task;
    const double end = path_length(task) / task->speed;
    const size_t steps = (size_t)ceil(end / task->step - 1e-9);
    double sum;
    memcpy(p->q, task->start, p->n * sizeof *p->q);
    set_positions(p, p->q);
    apart_status status = sum_potentials(p, p->gradient, &sum);
    const double start_error = apart_vec3_distance(task->path[0], tool_at(p));
    keep_step(p, 0.0, task->path[0], start_error, 0.0);
    bool followed = start_error <= task->most_error;
    for (size_t i = 0; i < steps && status == APART_OK && followed; i++) {
        status = make_step(p, fmin(end, (double)i * task->step), fmin(end, (double)(i + 1) * task->step), &followed);
    }
    p->plan->followed = followed;
    return status;
}

static apart_status allocate(planner *p, size_t steps)
{
    robot_plan *plan = p->plan;
    const size_t pairs = p->pair_count, n = p->n + 1;
    *plan = (robot_plan){.width = p->n,
                         .pair_count = pairs,
                         .t = calloc(steps, sizeof(double)),
                         .error = calloc(steps, sizeof(double)),
                         .damping = calloc(steps, sizeof(double)),
                         .q = calloc(steps * n, sizeof(double)),
                         .push = calloc(steps * n, sizeof(double)),
                         .distances = calloc(steps * pairs, sizeof(double)),
                         .tool = calloc(steps, sizeof(apart_vec3)),
                         .wanted = calloc(steps, sizeof(apart_vec3))};
    p->links = calloc(apart_robot_link_count(p->robot), sizeof *p->links);
    p->jacobian = calloc(n, sizeof *p->jacobian);
    p->q = calloc(5 * n, sizeof *p->q);
    p->distances = calloc(pairs, sizeof *p->distances);
    if (plan->t == NULL || plan->error == NULL || plan->damping == NULL || plan->q == NULL || plan->push == NULL ||
        plan->distances == NULL || plan->tool == NULL || plan->wanted == NULL || p->links == NULL ||
        p->jacobian == NULL || p->q == NULL || p->distances == NULL) {
        return APART_ERR_MEMORY;
    }
    p->trial = p->q + n;
    p->push = p->q + 2 * n;
    p->gradient = p->q + 3 * n;
    p->one = p->q + 4 * n;
    return APART_OK;
}

apart_status robot_plan_make(apart_robot_work *work, const robot_task *task, robot_plan *out)
{
    const apart_robot_cell *cell = apart_robot_work_cell(work);
    const apart_robot *r = apart_robot_cell_robot(cell);
    planner p = {.work = work,
                 .robot = r,
                 .pair_count = apart_robot_pair_count(cell),
                 .task = task,
                 .plan = out,
                 .n = apart_robot_variable_count(r)};
    *out = (robot_plan){.count = 0};
    const double steps = task->path_count > 0 ? path_length(task) / task->speed / task->step + 3.0 : 0.0;
    if (!(task->speed > 0.0) || !(task->step > 0.0) || !(task->reach > 0.0) || !isfinite(task->gain) ||
        task->path_count == 0 || !(steps < MOST_STEPS)) {
        return APART_ERR_OPTION;
    }
    const double started = now(&p);
    apart_status status = allocate(&p, (size_t)steps);
    if (status == APART_OK) {
        status = run(&p);
    }
    out->seconds = now(&p) - started;
    out->distance_seconds = p.distance_seconds;
    free(p.links);
    free(p.jacobian);
    free(p.q);
    free(p.distances);
    if (status != APART_OK) {
        robot_plan_free(out);
    }
    return status;
}

void robot_plan_free(robot_plan *plan)
{
    free(plan->t);
    free(plan->error);
    free(plan->damping);
    free(plan->q);
    free(plan->push);
    free(plan->distances);
    free(plan->tool);
    free(plan->wanted);
    *plan = (robot_plan){.count = 0};
}
