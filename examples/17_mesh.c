/* A part that is not convex, as it is: the distance to its triangles, whether a point is inside, and what its convex
 * hull would have said. The part is an angle of two arms; a ball hangs in its notch.
 *
 * Build: cc 17_mesh.c $(pkg-config --cflags --libs apart) */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

/* The outline of the angle, counter-clockwise, below and above. */
static const float corners[12][3] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
static const uint32_t triangles[20][3] = {{0, 3, 1},  {1, 3, 2},  {0, 5, 3},   {3, 5, 4}, {6, 7, 9},
                                          {7, 8, 9},  {6, 9, 11}, {9, 10, 11}, {0, 1, 7}, {0, 7, 6},
                                          {1, 2, 8},  {1, 8, 7},  {2, 3, 9},   {2, 9, 8}, {3, 4, 10},
                                          {3, 10, 9}, {4, 5, 11}, {4, 11, 10}, {5, 0, 6}, {5, 6, 11}};

int main(void)
{
    const apart_vertices vertices = {.data = corners, .count = 12, .number = APART_FLOAT};
    apart_mesh *angle = NULL;
    apart_status status = apart_mesh_build(&vertices, triangles[0], 20, NULL, &angle);
    if (status != APART_OK) {
        fprintf(stderr, "%s\n", apart_status_message(status));
        return 1;
    }
    const apart_mesh_report *report = apart_mesh_inspect(angle);
    printf("%u triangles, %s, volume %g\n", report->triangles, report->watertight ? "watertight" : "open",
           report->volume);

    const apart_shape ball = apart_sphere(0.25);
    const apart_pose here = apart_pose_identity(), notch = apart_pose_translation(1.5, 1.5, 0.5);
    apart_compound_result r;
    status = apart_compound_distance(apart_solid_mesh(angle), &here, apart_solid_shape(&ball), &notch, NULL, NULL, &r);
    if (status != APART_OK) {
        fprintf(stderr, "%s\n", apart_status_message(status));
        return 1;
    }
    printf("the ball is %.17g from triangle %u, between %.17g and %.17g\n", r.result.distance, r.part_a, r.result.lower,
           r.result.upper);

    apart_hull *hull = NULL;
    apart_result of_hull;
    if (apart_hull_build_vertices(&vertices, NULL, &hull) != APART_OK) {
        return 1;
    }
    const apart_shape around = apart_hull_shape(hull);
    if (apart_distance(&around, &here, &ball, &notch, NULL, NULL, &of_hull) != APART_OK) {
        return 1;
    }
    printf("its convex hull would overlap the ball by %g\n", -of_hull.distance);

    int side = 0, side_of_notch = 0;
    if (apart_mesh_contains(angle, (apart_vec3){0.5, 1.5, 0.5}, &side) != APART_OK ||
        apart_mesh_contains(angle, (apart_vec3){1.5, 1.5, 0.5}, &side_of_notch) != APART_OK) {
        return 1;
    }
    printf("a point of an arm is %s, the middle of the notch %s\n", side > 0 ? "inside" : "outside",
           side_of_notch > 0 ? "inside" : "outside");

    const int right = report->watertight && report->volume == 3.0 && fabs(r.result.distance - 0.25) < 1e-14 &&
                      r.result.lower <= 0.25 && r.result.upper >= 0.25 && fabs(of_hull.distance + 0.25) < 1e-14 &&
                      side == 1 && side_of_notch == -1;
    apart_hull_free(hull);
    apart_mesh_free(angle);
    return right ? 0 : 1;
}
