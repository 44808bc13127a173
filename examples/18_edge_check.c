/* A planner's question: is this edge free? An arm of three joints, a thin post, and an edge whose ends are free and
 * whose middle is not, between all samples of a coarse check. The answer is a proof either way. Then many edges on two
 * threads.
 *
 * Build: cc 18_edge_check.c $(pkg-config --cflags --libs apart) */
#include <stdio.h>

#include <apart/apart.h>

enum { JOINTS = 3, EDGES = 200 };
static const double KEEP = 0.01; /* metres, between all pairs, all the way */

/* Three bars in a plane, each turning about z at the end of the one before. */
static apart_robot *make_arm(void)
{
    static const char *const links[] = {"base", "upper", "fore", "hand"};
    static const char *const joints[] = {"shoulder", "elbow", "wrist"};
    const apart_part column = {apart_cylinder(0.05, 0.1), apart_pose_translation(0, 0, -0.2)},
                     bar = {apart_capsule(0.02, 0.13), apart_pose_identity()};
    apart_robot *r = apart_robot_new("arm");
    apart_io_error error;
    for (size_t i = 0; r != NULL && i <= JOINTS; i++) {
        apart_part part = i == 0 ? column : bar;
        apart_robot_joint joint = {.kind = APART_JOINT_ROTARY,
                                   .axis = {0, 0, 1},
                                   .lower = -2.8,
                                   .upper = 2.8,
                                   .factor = 1};
        joint.origin = apart_pose_translation(i > 1 ? 0.3 : 0, 0, 0);
        if (i > 0) { /* capsules lie along z: turned to x, and moved to the bar's middle */
            (void)apart_pose_from_rpy(0, 1.5707963267948966, 0, (apart_vec3){0.15, 0, 0}, &part.pose);
        }
        if (apart_robot_add_link(r, links[i], 0, &error) != APART_OK ||
            apart_robot_add_part(r, i, &part, NULL) != APART_OK ||
            (i > 0 &&
             apart_robot_add_joint(r, joints[i - 1], links[i - 1], links[i], NULL, &joint, &error) != APART_OK)) {
            return r;
        }
    }
    return r != NULL && apart_robot_finish(r, &error) == APART_OK ? r : NULL;
}

static int check_edge(apart_robot_work *work, const double *from, const double *to)
{
    const apart_robot_motion_options options = {.has_limit = 1, .limit = KEEP};
    apart_robot_gap gap;
    if (apart_robot_motion(work, from, to, &options, &gap) != APART_OK) {
        return -1;
    }
    if (gap.lower >= KEEP) {
        printf("free: every pair keeps %g all the way, proved with %u distances\n", KEEP, (unsigned)gap.queries);
        return 1;
    }
    printf("not free: at %.3f of it the distance is at most %.4f\n", gap.s, gap.upper);
    return 0;
}

static size_t count_free(const apart_robot_cell *cell, unsigned threads)
{
    static double q[(EDGES + 1) * JOINTS]; /* a walk: edge i goes from row i to row i + 1 */
    static apart_robot_gap gaps[EDGES];
    const apart_robot_motion_options options = {.has_limit = 1, .limit = KEEP};
    uint64_t seed = 1;
    size_t count = 0;
    for (size_t i = 0; i <= EDGES; i++) {
        apart_robot_random(apart_robot_cell_robot(cell), &seed, q + i * JOINTS);
    }
    if (apart_robot_motion_batch(cell, q, q + JOINTS, EDGES, &options, threads, gaps) != APART_OK) {
        return 0;
    }
    for (size_t i = 0; i < EDGES; i++) {
        count += gaps[i].lower >= KEEP;
    }
    return count;
}

int main(void)
{
    apart_robot *arm = make_arm();
    apart_robot_cell *cell = NULL;
    apart_robot_work *work = NULL;
    const apart_part post = {apart_cylinder(0.002, 0.5), apart_pose_identity()};
    const apart_robot_obstacle obstacle = {.name = "post",
                                           .parts = &post,
                                           .count = 1,
                                           .pose = apart_pose_translation(0.6, 0.3, 0)};
    const apart_robot_cell_options options = {.obstacles = &obstacle, .obstacle_count = 1};
    if (arm == NULL || apart_robot_cell_create(arm, &options, &cell) != APART_OK ||
        apart_robot_work_create(cell, &work) != APART_OK) {
        return 1;
    }
    const double low[JOINTS] = {0.2, 0, 0}, high[JOINTS] = {0.8, 0, 0}, aside[JOINTS] = {-0.8, 0.3, 0.2};
    const int swept = check_edge(work, low, high), away = check_edge(work, low, aside);
    const size_t one = count_free(cell, 1), two = count_free(cell, 2);
    printf("%zu of %d random edges are free; two threads say %zu\n", one, EDGES, two);
    apart_robot_work_free(work);
    apart_robot_cell_free(cell);
    apart_robot_free(arm);
    return swept == 0 && away == 1 && one == two && one > 0 && one < EDGES ? 0 : 1;
}
