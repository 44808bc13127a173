/* Rodrigues' formula E = c I + s [u]x + (1 - c) u ut, with an angle in double-double and sin and cos of our own. */
#include "turn.h"

/* A rotation by less than this moves no point of a body by anything near its rounding. */
static const double least_angle = 0x1p-900;

ap_turn ap_turn_of(apart_vec3 angular)
{
    ap_turn turn = {.angle = {0.0, 0.0}, .axis = {0.0, 0.0, 1.0}, .turns = false};
    const double largest = ap_max_abs(angular);
    if (!(largest > least_angle)) {
        return turn;
    }
    const double scale = ap_power_of_two_scale(largest);
    const apart_vec3 w = ap_scale(scale, angular);
    const ap_dd square =
        ap_dd_add(ap_dd_add(ap_two_product(w.x, w.x), ap_two_product(w.y, w.y)), ap_two_product(w.z, w.z));
    /* One Newton step on the square root gives its second half. */
    const double length = sqrt(square.hi);
    const double rest = ap_dd_value(ap_dd_sub(square, ap_two_product(length, length))) / (2.0 * length);
    const ap_dd root = ap_quick_two_sum(length, rest);
    turn.angle = (ap_dd){root.hi / scale, root.lo / scale};
    turn.axis = ap_vec(w.x / length, w.y / length, w.z / length);
    turn.turns = true;
    return turn;
}

static ap_dd angle_at(const ap_turn *turn, double t) { return ap_dd_mul(turn->angle, ap_dd_from(t)); }

apart_mat3 ap_turn_matrix(const ap_turn *turn, double t)
{
    double s = 0.0, c = 1.0;
    if (turn->turns) {
        ap_sincos(angle_at(turn, t), &s, &c);
    }
    const apart_vec3 u = turn->axis;
    if (u.x == 0.0 && u.y == 0.0) {
        const double up = u.z < 0.0 ? -s : s;
        return (apart_mat3){{c, up, 0.0}, {-up, c, 0.0}, {0.0, 0.0, 1.0}};
    }
    /* The even and the odd part share their products: gcc 12 would fuse separate ones into a multiply-add,
     * contraction or not. */
    const apart_vec3 k = ap_scale(1.0 - c, u), odd = ap_scale(s, u);
    const double xy = k.x * u.y, yz = k.y * u.z, zx = k.z * u.x;
    return (apart_mat3){
        {c + k.x * u.x, xy + odd.z, zx - odd.y},
        {xy - odd.z, c + k.y * u.y, yz + odd.x},
        {zx + odd.y, yz - odd.x, c + k.z * u.z},
    };
}

/* sin(angle t)/angle and (1 - cos(angle t))/angle, the second by the half angle, so that slow rotations lose no
 * accuracy. */
static void sincos_integrals(const ap_turn *turn, double t, double *of_cosine, double *of_sine)
{
    double s, c, half, unused;
    const ap_dd angle = angle_at(turn, t);
    ap_sincos(angle, &s, &c);
    ap_sincos((ap_dd){0.5 * angle.hi, 0.5 * angle.lo}, &half, &unused);
    *of_cosine = s / turn->angle.hi;
    *of_sine = (2.0 * half) * (half / turn->angle.hi);
}

apart_vec3 ap_turn_displacement(const ap_turn *turn, apart_vec3 velocity, double t)
{
    if (!turn->turns) {
        return ap_scale(t, velocity);
    }
    double forward, aside;
    sincos_integrals(turn, t, &forward, &aside);
    const apart_vec3 along = ap_scale(ap_dot(velocity, turn->axis), turn->axis);
    const apart_vec3 across = ap_sub(velocity, along);
    const apart_vec3 bent = ap_add(ap_scale(forward, across), ap_scale(aside, ap_cross(turn->axis, velocity)));
    return ap_add(ap_scale(t, along), bent);
}

apart_vec3 ap_turn_velocity(const ap_turn *turn, apart_vec3 displacement)
{
    if (!turn->turns) {
        return displacement;
    }
    /* Perpendicular to the axis, the displacement is the velocity after a plane rotation and scaling: undo both. */
    double forward, aside;
    sincos_integrals(turn, 1.0, &forward, &aside);
    const double square = forward * forward + aside * aside;
    const apart_vec3 along = ap_scale(ap_dot(displacement, turn->axis), turn->axis);
    const apart_vec3 across = ap_sub(displacement, along);
    const apart_vec3 back =
        ap_sub(ap_scale(forward / square, across), ap_scale(aside / square, ap_cross(turn->axis, displacement)));
    return ap_add(along, back);
}
