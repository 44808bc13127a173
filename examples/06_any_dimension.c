/* Distances in any dimension: here two cubes in five dimensions, given by their 32 corners.
 *
 * Build: cc 06_any_dimension.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

enum { DIM = 5, CORNERS = 1 << DIM };

/* The corners of the cube [low_k, low_k + 1]: bit k of the corner's number says which end of axis k. */
static void cube(double corners[CORNERS * DIM], const double low[DIM])
{
    for (int i = 0; i < CORNERS; i++) {
        for (int k = 0; k < DIM; k++) {
            corners[i * DIM + k] = low[k] + ((i >> k) & 1);
        }
    }
}

int main(void)
{
    double corners_a[CORNERS * DIM], corners_b[CORNERS * DIM];
    cube(corners_a, (const double[DIM]){0, 0, 0, 0, 0});
    cube(corners_b, (const double[DIM]){3, 4, 0.5, 0, -0.25});
    const apart_points_nd a = {corners_a, CORNERS}, b = {corners_b, CORNERS};

    /* The caller says where the points and the normal go; up to 16 dimensions no workspace is needed. */
    double on_a[DIM], on_b[DIM], normal[DIM];
    apart_result_nd r = {.a = on_a, .b = on_b, .normal = normal};
    const apart_status status = apart_distance_nd(DIM, &a, &b, NULL, NULL, 0, &r);
    if (status != APART_OK) {
        fprintf(stderr, "%s\n", apart_status_message(status));
        return 1;
    }

    /* The gaps along the axes are 2, 3, 0, 0, 0. */
    const double expected = sqrt(13.0);
    printf("distance  %.17g, expected %.17g\n", r.distance, expected);
    printf("bounds    %.17g to %.17g\n", r.lower, r.upper);
    printf("a        ");
    for (int k = 0; k < DIM; k++) {
        printf(" %g", on_a[k]);
    }
    printf("\nb        ");
    for (int k = 0; k < DIM; k++) {
        printf(" %g", on_b[k]);
    }
    printf("\n%s after %u iterations\n", apart_stop_name(r.stop), (unsigned)r.iterations);
    return fabs(r.distance - expected) < 1e-14 && r.lower <= expected + 1e-15 && r.upper >= expected - 1e-15 ? 0 : 1;
}
