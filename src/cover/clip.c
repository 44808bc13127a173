/* Which part of a triangle lies in a box? (I. E. Sutherland, G. W. Hodgman, Reentrant Polygon Clipping, 1974.) We differ
 * in cutting a little farther out each time, so that the result is always a polygon around the part. */
#include "cover.h"

static double coordinate(apart_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/* A point of a cut errs by at most this many u of the largest coordinate M: 3.1 for the ratio and 2 for the rounding of
 * difference and product, times differences up to 2M, make 10.2, and 1 for the sum, in two coordinates: 11.2 sqrt(2) <
 * 16. A cut is moved outwards by 2 more, for its own rounding. */
static const double cut_error = 16.0, cut_rounding = 2.0, u = 0x1p-53;

static apart_vec3 cut_edge(apart_vec3 a, apart_vec3 b, int axis, double at)
{
    const double from = coordinate(a, axis), to = coordinate(b, axis);
    const apart_vec3 q = ap_add(a, ap_scale((at - from) / (to - from), ap_sub(b, a)));
    return ap_vec(axis == 0 ? at : q.x, axis == 1 ? at : q.y, axis == 2 ? at : q.z);
}

static bool reaches_beyond(const ap_cover_polygon *polygon, int axis, double sign, double at)
{
    for (int i = 0; i < polygon->count; i++) {
        if (sign * coordinate(polygon->point[i], axis) > sign * at) {
            return true;
        }
    }
    return false;
}

/* Keeps what lies on the side `sign` of the cut. What was to be clipped may lie one error beyond the polygon, and the
 * polygon may be out of its plane, and less convex, by another. False: it has too many corners. */
static bool cut(ap_cover_polygon *polygon, int axis, double sign, double at, double unit)
{
    if (!reaches_beyond(polygon, axis, sign, at)) {
        return true;
    }
    ap_cover_polygon kept = {.error = polygon->error + cut_error * unit};
    const double moved = at + sign * (2.0 * polygon->error + cut_rounding * unit);
    for (int i = 0; i < polygon->count; i++) {
        const apart_vec3 a = polygon->point[i], b = polygon->point[(i + 1) % polygon->count];
        const bool a_in = sign * coordinate(a, axis) <= sign * moved, b_in = sign * coordinate(b, axis) <= sign * moved;
        if (kept.count > AP_CLIP_POINTS - 2) {
            return false;
        }
        if (a_in) {
            kept.point[kept.count++] = a;
        }
        if (a_in != b_in) {
            kept.point[kept.count++] = cut_edge(a, b, axis, moved);
        }
    }
    *polygon = kept;
    return true;
}

/* The parts of a cut share its plane. What only touches it from one side, or lies in it, is not the other part's. */
bool ap_cover_meets(const ap_cover_mesh *mesh, uint32_t triangle, const apart_aabb *box)
{
    for (int axis = 0; axis < 3; axis++) {
        const double a = coordinate(mesh->point[mesh->triangle[triangle][0]], axis);
        const double b = coordinate(mesh->point[mesh->triangle[triangle][1]], axis);
        const double c = coordinate(mesh->point[mesh->triangle[triangle][2]], axis);
        const double least = ap_min(ap_min(a, b), c), most = ap_max(ap_max(a, b), c);
        const double low = coordinate(box->min, axis), high = coordinate(box->max, axis);
        if (most <= low || least > high || (least == high && most > high)) {
            return false;
        }
    }
    return true;
}

static void take_triangle(const ap_cover_mesh *mesh, uint32_t triangle, ap_cover_polygon *out)
{
    out->count = 3;
    out->error = 0;
    for (int k = 0; k < 3; k++) {
        out->point[k] = mesh->point[mesh->triangle[triangle][k]];
    }
}

void ap_cover_clip(const ap_cover_mesh *mesh, uint32_t triangle, const apart_aabb *box, ap_cover_polygon *out)
{
    const double unit = u * mesh->magnitude;
    bool fits = true;
    take_triangle(mesh, triangle, out);
    for (int axis = 0; axis < 3 && fits; axis++) {
        const double low = coordinate(box->min, axis), high = coordinate(box->max, axis);
        fits =
            (!isfinite(low) || cut(out, axis, -1.0, low, unit)) && (!isfinite(high) || cut(out, axis, 1.0, high, unit));
    }
    if (!fits) {
        take_triangle(mesh, triangle, out); /* more than the part, and so around it */
    }
}
