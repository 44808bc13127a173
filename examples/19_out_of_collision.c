/* Out of a collision by the gradient: a robot that has been put into a wall moves its joints so that all pairs that are
 * too near part, until everything is 2 cm apart. Overlap has a depth, so the gradient points the way from inside too.
 *
 * Build: cc 19_out_of_collision.c $(pkg-config --cflags --libs apart) */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

enum { JOINTS = 2, PAIRS = 4, MOST_STEPS = 100 };
static const double KEEP = 0.02, LONGEST_STEP = 0.1; /* metres; radians */

/* Two bars on a base, turning about z. */
static apart_robot *make_arm(void)
{
    static const char *const links[] = {"base", "upper", "fore"}, *const joints[] = {"shoulder", "elbow"};
    apart_robot *r = apart_robot_new("arm");
    apart_io_error error;
    for (size_t i = 0; r != NULL && i <= JOINTS; i++) {
        const apart_part part = {apart_box((apart_vec3){i == 0 ? 0.05 : 0.2, 0.03, 0.03}),
                                 apart_pose_translation(i == 0 ? 0 : 0.2, 0, i == 0 ? -0.1 : 0)};
        const apart_robot_joint joint = {.kind = APART_JOINT_ROTARY,
                                         .axis = {0, 0, 1},
                                         .origin = apart_pose_translation(i > 1 ? 0.42 : 0, 0, 0),
                                         .lower = -2.5,
                                         .upper = 2.5,
                                         .factor = 1};
        if (apart_robot_add_link(r, links[i], 0, &error) != APART_OK ||
            apart_robot_add_part(r, i, &part, NULL) != APART_OK ||
            (i > 0 &&
             apart_robot_add_joint(r, joints[i - 1], links[i - 1], links[i], NULL, &joint, &error) != APART_OK)) {
            return NULL;
        }
    }
    return r != NULL && apart_robot_finish(r, &error) == APART_OK ? r : NULL;
}

/* Adds the step that would bring a pair to KEEP if the gradient stayed as it is. */
static int add_step(const apart_robot_work *work, const apart_robot_near *near, double *move)
{
    double gradient[JOINTS], square = 0.0;
    if (apart_robot_gradient(work, near, gradient, NULL) != APART_OK) {
        return 0;
    }
    for (size_t v = 0; v < JOINTS; v++) {
        square += gradient[v] * gradient[v];
    }
    for (size_t v = 0; v < JOINTS && square > 0.0; v++) { /* zero: no joint moves this pair */
        move[v] += (1.01 * KEEP - near->at.result.distance) / square * gradient[v];
    }
    return square > 0.0;
}

static void take_step(const apart_robot *arm, const double *move, double *q)
{
    double longest = LONGEST_STEP;
    for (size_t v = 0; v < JOINTS; v++) {
        longest = fmax(longest, fabs(move[v]));
    }
    for (size_t v = 0; v < JOINTS; v++) {
        const apart_robot_joint *joint = apart_robot_variable(arm, v);
        q[v] = fmin(joint->upper, fmax(joint->lower, q[v] + LONGEST_STEP / longest * move[v]));
    }
}

int main(void)
{
    apart_robot *arm = make_arm();
    apart_robot_cell *cell = NULL;
    apart_robot_work *work = NULL;
    const apart_part wall = {apart_box((apart_vec3){0.5, 0.05, 0.5}), apart_pose_identity()};
    const apart_robot_obstacle obstacle = {.name = "wall",
                                           .parts = &wall,
                                           .count = 1,
                                           .pose = apart_pose_translation(0.5, 0.4, 0)};
    const apart_robot_cell_options options = {.obstacles = &obstacle, .obstacle_count = 1};
    if (arm == NULL || apart_robot_cell_create(arm, &options, &cell) != APART_OK ||
        apart_robot_work_create(cell, &work) != APART_OK) {
        return 1;
    }
    double q[JOINTS] = {0.3, 0.5};
    apart_robot_near near[PAIRS];
    size_t count = 1;
    int steps = 0, good = 1;
    for (; steps < MOST_STEPS && count > 0 && good; steps++) {
        double move[JOINTS] = {0, 0};
        good = apart_robot_set(work, q) == APART_OK && apart_robot_below(work, KEEP, near, PAIRS, &count) == APART_OK;
        printf("%2d  shoulder %6.3f  elbow %6.3f ", steps, q[0], q[1]);
        for (size_t i = 0; good && i < count && i < PAIRS; i++) {
            const apart_robot_pair *pair = apart_robot_pair_at(cell, near[i].pair);
            printf(" %s and %s: %+.4f ", apart_robot_body_at(cell, pair->bodies[0])->name,
                   apart_robot_body_at(cell, pair->bodies[1])->name, near[i].at.result.distance);
            good = add_step(work, &near[i], move);
        }
        printf("\n");
        take_step(arm, move, q);
    }
    const int free = good && count == 0;
    printf(free ? "out of the wall\n" : "stuck\n");
    apart_robot_work_free(work);
    apart_robot_cell_free(cell);
    apart_robot_free(arm);
    return free && steps > 1 ? 0 : 1;
}
