/* Inverse kinematics: damped least squares (Nakamura and Hanafusa 1986, Wampler 1986) from the start and from random
 * positions, the joints clamped to their limits. The error of a rotation is half the sum of the cross products of its
 * axes with the wanted ones (Luh, Walker, Paul 1980): no angle is taken, so no bit depends on a C library. */
#include <math.h>
#include <string.h>

#include "plan.h"

enum { ROWS = 6, MOST_STEPS = 100, DEFAULT_TRIES = 100 };

static const double CLOSE_ENOUGH = 1e-10; /* of the robot's reach; and of a rotation */
static const double DAMPING = 1e-2, LEAST_DAMPING = 1e-12;
static const double MOST_MOVE = 0.5; /* of a joint in one step */
static const double SAME = 1e-4;     /* solutions nearer than this are one */
static const uint64_t STREAM = UINT64_MAX - 1;

typedef struct solver {
    const apart_robot *r;
    const apart_plan_pose *wanted;
    const double *start;
    const size_t *moving;
    size_t count, rows;
    uint64_t seed;
    double reach;
    apart_pose *links;
    apart_vec3 *linear, *angular;
    double *q;
} solver;

static apart_vec3 rotation_error(const apart_mat3 *now, const apart_mat3 *wanted)
{
    const apart_vec3 x = apart_vec3_cross(now->x, wanted->x), y = apart_vec3_cross(now->y, wanted->y),
                     z = apart_vec3_cross(now->z, wanted->z);
    return apart_vec3_scale(0.5, apart_vec3_add(x, apart_vec3_add(y, z)));
}

/* Turned by more than a right angle the cross products fall again: what counts is the length of the difference. */
static double rotation_distance(const apart_mat3 *a, const apart_mat3 *b)
{
    const double x = apart_vec3_distance(a->x, b->x), y = apart_vec3_distance(a->y, b->y),
                 z = apart_vec3_distance(a->z, b->z);
    return sqrt(0.5 * (x * x + y * y + z * z));
}

/* What is missing, and how far that is: position as a share of the reach. */
static double look(solver *s, double error[ROWS])
{
    apart_robot_forward(s->r, s->q, s->links);
    const apart_pose *link = &s->links[s->wanted->link];
    const apart_vec3 at = apart_pose_apply(link, s->wanted->point);
    const apart_vec3 missing = apart_vec3_sub(s->wanted->pose.translation, at);
    const apart_vec3 turn = rotation_error(&link->rotation, &s->wanted->pose.rotation);
    const double length = apart_vec3_norm(missing) / s->reach;
    const double values[ROWS] = {missing.x, missing.y, missing.z, turn.x, turn.y, turn.z};
    memcpy(error, values, sizeof values);
    apart_robot_jacobian(s->r, s->links, s->wanted->link, at, s->linear, s->angular);
    if (s->rows == 3) {
        return length;
    }
    const double turned = rotation_distance(&link->rotation, &s->wanted->pose.rotation);
    return length > turned ? length : turned;
}

/* Lengths are taken as shares of the reach, so that they compare with angles. */
static void column(const solver *s, size_t variable, double out[ROWS])
{
    const double scale = 1.0 / s->reach;
    const apart_vec3 v = s->linear[variable], w = s->angular[variable];
    const double values[ROWS] = {v.x * scale, v.y * scale, v.z * scale, w.x, w.y, w.z};
    memcpy(out, values, sizeof values);
}

/* A y = b for a symmetric positive definite A, by Cholesky's factors in place. */
static void solve(double a[ROWS][ROWS], double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = a[i][k];
            for (size_t j = 0; j < k; j++) {
                sum -= a[i][j] * a[k][j];
            }
            a[i][k] = i == k ? sqrt(sum > 0.0 ? sum : 1e-300) : sum / a[k][k];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
}

static double clamp(double value, double least, double most)
{
    return value < least ? least : (value > most ? most : value);
}

/* q += J^T (J J^T + damping I)^-1 error. */
static void step(solver *s, double error[ROWS])
{
    double a[ROWS][ROWS] = {{0}}, c[ROWS], square = 0.0;
    for (size_t i = 0; i < 3; i++) {
        error[i] /= s->reach;
    }
    for (size_t i = 0; i < s->rows; i++) {
        square += error[i] * error[i];
    }
    for (size_t v = 0; v < s->count; v++) {
        column(s, s->moving[v], c);
        for (size_t i = 0; i < s->rows; i++) {
            for (size_t k = 0; k <= i; k++) {
                a[i][k] += c[i] * c[k];
            }
        }
    }
    for (size_t i = 0; i < s->rows; i++) {
        a[i][i] += DAMPING * square + LEAST_DAMPING;
    }
    solve(a, error, s->rows);
    for (size_t v = 0; v < s->count; v++) {
        const apart_robot_joint *joint = apart_robot_variable(s->r, s->moving[v]);
        double move = 0.0;
        column(s, s->moving[v], c);
        for (size_t i = 0; i < s->rows; i++) {
            move += c[i] * error[i];
        }
        double *q = &s->q[s->moving[v]];
        *q = clamp(*q + clamp(move, -MOST_MOVE, MOST_MOVE), joint->lower, joint->upper);
    }
}

/* From where q is. Returns how far the tool stays away. */
static double descend(solver *s)
{
    double error[ROWS], best = INFINITY;
    for (int i = 0, since = 0; i < MOST_STEPS && since < 12; i++, since++) {
        const double now = look(s, error);
        if (now <= CLOSE_ENOUGH) {
            return now;
        }
        if (now < 0.9 * best) {
            since = 0;
        }
        best = now < best ? now : best;
        step(s, error);
    }
    return look(s, error);
}

static void begin(solver *s, uint64_t number)
{
    for (size_t i = 0; i < s->count; i++) {
        const apart_robot_joint *joint = apart_robot_variable(s->r, s->moving[i]);
        const double beyond = joint->kind == APART_JOINT_SLIDING ? s->reach : acos(-1.0);
        const double start = s->start[s->moving[i]];
        const double least = isfinite(joint->lower) ? joint->lower : start - beyond,
                     most = isfinite(joint->upper) ? joint->upper : start + beyond;
        const double share = ap_plan_random(s->seed, STREAM, number * s->count + i);
        s->q[s->moving[i]] = number == 0 ? clamp(start, least, most) : least + share * (most - least);
    }
}

static bool is_new(const solver *s, const double *solutions, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        double most = 0.0;
        for (size_t k = 0; k < s->count; k++) {
            const double difference = fabs(solutions[i * width + s->moving[k]] - s->q[s->moving[k]]);
            most = difference > most ? difference : most;
        }
        if (most < SAME) {
            return false;
        }
    }
    return true;
}

static bool allocate(solver *s, const apart_allocator *allocator)
{
    const size_t all = apart_robot_variable_count(s->r) + 1;
    s->links = ap_allocate(allocator, apart_robot_link_count(s->r), sizeof *s->links);
    s->linear = ap_allocate(allocator, all, sizeof *s->linear);
    s->angular = ap_allocate(allocator, all, sizeof *s->angular);
    s->q = ap_allocate(allocator, all, sizeof *s->q);
    return s->links != NULL && s->linear != NULL && s->angular != NULL && s->q != NULL;
}

static void search(solver *s, uint64_t tries, double *solutions, size_t room, apart_plan_inverse_result *out)
{
    const size_t width = apart_robot_variable_count(s->r);
    for (uint64_t i = 0; i < tries && out->count < room; i++) {
        begin(s, i);
        const double away = descend(s);
        if (away <= CLOSE_ENOUGH && is_new(s, solutions, out->count, width)) {
            memcpy(solutions + out->count++ * width, s->q, width * sizeof *s->q);
        }
        if (away < out->away) {
            const apart_vec3 at = apart_pose_apply(&s->links[s->wanted->link], s->wanted->point);
            out->away = away;
            out->away_distance = apart_vec3_distance(at, s->wanted->pose.translation);
        }
        out->tries = i + 1;
    }
}

apart_status apart_plan_inverse(const apart_robot *robot, const apart_plan_pose *wanted, const double *start,
                                const apart_plan_inverse_options *options, double *solutions, size_t room,
                                apart_plan_inverse_result *out)
{
    static const apart_plan_inverse_options none = {.seed = 0};
    const apart_plan_inverse_options *o = options != NULL ? options : &none;
    if (robot == NULL || wanted == NULL || start == NULL || solutions == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const size_t all = apart_robot_variable_count(robot);
    if (wanted->link >= apart_robot_link_count(robot)) {
        return APART_ERR_ID;
    }
    const apart_status checked = apart_pose_check(&wanted->pose);
    size_t *every = ap_allocate(&o->allocator, all, sizeof *every);
    for (size_t i = 0; every != NULL && i < all; i++) {
        every[i] = i;
    }
    solver s = {.r = robot,
                .wanted = wanted,
                .start = start,
                .moving = o->variables != NULL ? o->variables : every,
                .count = o->variables != NULL ? o->variable_count : all,
                .rows = wanted->position_only ? 3 : 6,
                .seed = o->seed,
                .reach = apart_robot_reach(robot)};
    const bool allocated = allocate(&s, &o->allocator) && every != NULL;
    if (allocated && checked == APART_OK) {
        *out = (apart_plan_inverse_result){.away = INFINITY, .away_distance = INFINITY};
        memcpy(s.q, start, all * sizeof *s.q);
        search(&s, o->tries > 0 ? o->tries : DEFAULT_TRIES, solutions, room, out);
    }
    void *owned[] = {every, s.links, s.linear, s.angular, s.q};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) {
        ap_release(&o->allocator, owned[i]);
    }
    return checked != APART_OK ? checked : (allocated ? APART_OK : APART_ERR_MEMORY);
}
