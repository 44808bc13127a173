/* The signs of crossing.h: those of p, and where they are zero those of the displacement. */
#include "crossing.h"

static int sign_of(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

/* Where p is (in y and z) of the edge from a to b: 1 left, -1 right, 0 on its line. */
static int side_of_edge(apart_vec3 p, apart_vec3 a, apart_vec3 b) { return ap_exact_orient_without(0, a, b, p); }

/* The same of p' for a p on the line. The determinant (b.y - a.y) (p.z - a.z) - (b.z - a.z) (p.y - a.y) grows by
 * -e (b.z - a.z) + e^2 (b.y - a.y). */
static int side_beside_edge(apart_vec3 a, apart_vec3 b) { return a.z != b.z ? sign_of(a.z - b.z) : sign_of(b.y - a.y); }

/* Of which side of the edges is p' (all the same: inside, the triangle's orientation in y and z; else 0), and may p be
 * on the triangle? */
static int common_side(apart_vec3 p, const apart_vec3 t[3], bool *may_be_on)
{
    int sum = 0;
    bool left = false, right = false;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 a = t[i], b = t[i < 2 ? i + 1 : 0];
        const int side = side_of_edge(p, a, b);
        left = left || side > 0;
        right = right || side < 0;
        sum += side != 0 ? side : side_beside_edge(a, b);
    }
    *may_be_on = !(left && right);
    return sum == 3 ? 1 : sum == -3 ? -1 : 0;
}

ap_crossing ap_ray_crossing(apart_vec3 p, const apart_vec3 t[3])
{
    bool may_be_on;
    const int side = common_side(p, t, &may_be_on);
    if (side == 0) {
        return may_be_on && ap_point_in_triangle(p, t) ? AP_CROSSING_ON : AP_CROSSING_NONE;
    }
    /* p is in the projection, so it is on the triangle if it is in its plane. The plane is ahead of a p below it where
     * the normal has a positive x, as the orientation in y and z has. */
    const int above = ap_exact_orient3d(t[0], t[1], t[2], p);
    if (above == 0) {
        return AP_CROSSING_ON;
    }
    return above * side > 0 ? AP_CROSSING_NONE : (ap_crossing)side;
}

ap_crossing ap_ray_crossing_beside(apart_vec3 p, const apart_vec3 t[3])
{
    bool may_be_on;
    const int side = common_side(p, t, &may_be_on);
    if (side == 0) {
        return AP_CROSSING_NONE;
    }
    int above = ap_exact_orient3d(t[0], t[1], t[2], p);
    for (int axis = 1; axis < 3 && above == 0; axis++) { /* the normal's y, then its z */
        above = ap_exact_orient_without(axis, t[0], t[1], t[2]);
    }
    above = above != 0 ? above : -side;
    return above * side > 0 ? AP_CROSSING_NONE : (ap_crossing)side;
}
