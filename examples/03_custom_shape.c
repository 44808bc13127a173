/* A body that apart does not know: all it needs is the support mapping, the body's point farthest in a direction.
 *
 * Ours is the "squircle" in space, |x|^4 + |y|^4 + |z|^4 <= 1: a cube with soft edges.
 * Build: cc 03_custom_shape.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

/* The gradient of x^4 + y^4 + z^4 must point along d: each coordinate is the cube root of d's, scaled onto the
 * surface. */
static apart_vec3 squircle_support(const void *user, apart_vec3 d)
{
    const double size = *(const double *)user;
    const double x = cbrt(d.x), y = cbrt(d.y), z = cbrt(d.z);
    const double length = sqrt(sqrt(x * x * x * x + y * y * y * y + z * z * z * z));
    const double scale = length > 0.0 ? size / length : 0.0;
    return (apart_vec3){scale * x, scale * y, scale * z};
}

int main(void)
{
    const double size = 1.0;
    const apart_shape squircle = apart_callback_shape((apart_callback){
        .support = squircle_support,
        .user = &size,
        .center = {0.0, 0.0, 0.0},
        .radius = 1.32, /* a bounding sphere: the corner (t, t, t) with 3 t^4 = 1 is 1.3161 away */
        .error = 1e-15, /* how far off cbrt and sqrt may leave a point, as a length */
    });
    const apart_pose at_origin = apart_pose_identity();

    /* Straight ahead the surface is 1 from the middle; towards a corner it is sqrt(3) * 3^(-1/4). */
    const double corner = sqrt(3.0) * pow(3.0, -0.25);
    apart_result ahead, diagonal;
    if (apart_point_distance((apart_vec3){3.0, 0.0, 0.0}, &squircle, &at_origin, NULL, NULL, &ahead) != APART_OK ||
        apart_point_distance((apart_vec3){2.0, 2.0, 2.0}, &squircle, &at_origin, NULL, NULL, &diagonal) != APART_OK) {
        return 1;
    }
    printf("from (3, 0, 0): %.15g, expected 2\n", ahead.distance);
    printf("from (2, 2, 2): %.15g, expected %.15g\n", diagonal.distance, 2.0 * sqrt(3.0) - corner);
    if (fabs(ahead.distance - 2.0) > 1e-9 || fabs(diagonal.distance - (2.0 * sqrt(3.0) - corner)) > 1e-9) {
        return 1;
    }

    /* Custom shapes go with all the others, and into the shape algebra: here rounded by 0.25, against a cylinder. */
    const apart_shape soft = apart_rounded(squircle, 0.25), can = apart_cylinder(0.5, 1.0);
    const apart_pose above = apart_pose_translation(0.0, 0.0, 4.0);
    apart_result r;
    if (apart_distance(&soft, &at_origin, &can, &above, NULL, NULL, &r) != APART_OK) {
        return 1;
    }
    printf("rounded, to a can above: %.15g, expected 1.75\n", r.distance);
    return fabs(r.distance - 1.75) < 1e-9 ? 0 : 1;
}
