/* The sum of the crossings of a ray with a closed mesh, each counted by its sense, is how often the mesh winds about the
 * ray's start. A triangle is crossed if the ray's line passes its three edges on the same side, which three determinants
 * say; where one of them is too small for its sign to be certain, another ray is taken. */
#include "winding.h"

/* Determinants of three vectors of lengths up to about two err by less. */
static const double sign_error = 0x1p-90;

static int sign_of(ap_dd3 a, ap_dd3 b, ap_dd3 c)
{
    const double value = ap_dd_value(ap_dd3_dot(a, ap_dd3_cross(b, c)));
    return value > sign_error ? 1 : value < -sign_error ? -1 : 0;
}

/* How a ray crosses a triangle, whose corners are seen from the start: 1 or -1, or 0. *known is cleared where a sign is
 * not certain. */
static int crossing(ap_dd3 direction, const ap_dd3 corner[3], bool *known)
{
    int least = 1, most = -1;
    for (int i = 0; i < 3; i++) {
        const int sign = sign_of(direction, corner[(i + 1) % 3], corner[(i + 2) % 3]);
        least = sign < least ? sign : least;
        most = sign > most ? sign : most;
    }
    if (least == -1 && most == 1) {
        return 0; /* the line passes edges on both sides */
    }
    const int side = sign_of(corner[0], corner[1], corner[2]);
    const int sense = least == -1 ? -1 : most;
    if (side != 0 && sense != 0 && side != sense) {
        return 0; /* behind the start */
    }
    if (least == 0 || most == 0 || side == 0) {
        *known = false;
        return 0;
    }
    return sense;
}

int ap_verify_side_of_mesh(const apart_mesh *mesh, const apart_pose *pose, apart_vec3 origin, double scale,
                           ap_dd3 point)
{
    static const apart_vec3 directions[] = {{0.5377, 0.8339, -0.2588},  {-0.8622, 0.3188, 0.3934},
                                            {0.3426, -0.4336, 0.8335},  {-0.1022, -0.7915, -0.6026},
                                            {0.7147, -0.2050, -0.6687}, {-0.4884, 0.1409, -0.8612}};
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    for (size_t d = 0; d < sizeof directions / sizeof *directions; d++) {
        const ap_dd3 direction = ap_dd3_from(directions[d]);
        bool known = true;
        int64_t winds = 0, crossings = 0;
        for (uint32_t t = 0; t < report->triangles && known; t++) {
            uint32_t ids[3];
            ap_dd3 corner[3];
            apart_mesh_triangle(mesh, t, ids);
            if (ids[0] == ids[1] || ids[1] == ids[2] || ids[2] == ids[0]) {
                continue; /* no area, and no sign */
            }
            for (int k = 0; k < 3; k++) {
                const apart_vec3 v = apart_mesh_vertex(mesh, ids[k]);
                const ap_dd3 own = ap_dd3_scale(ap_dd_from(scale), ap_dd3_from(v));
                const ap_dd3 offset = ap_verify_to_frame(pose->translation, origin, scale);
                corner[k] = ap_dd3_sub(ap_dd3_add(ap_dd3_apply(&pose->rotation, own), offset), point);
            }
            const int sense = crossing(direction, corner, &known);
            winds += sense;
            crossings += sense != 0;
        }
        if (known) {
            return (report->turned_edges > 0 ? crossings % 2 != 0 : winds != 0) ? 1 : -1;
        }
    }
    return 0;
}
