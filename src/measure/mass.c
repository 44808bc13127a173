/* The mass of every kind of solid: closed forms, polytopes, what lies between two polytopes, meshes, compounds. */
#include "../base/memory.h"
#include "../parts/tree.h"
#include "integrals.h"
#include "polytope.h"

#define PI 3.14159265358979323846

/* Where the true volume of a smooth body lies between the polytopes, for directions in a triangular lattice: the inner one
 * misses 1/8 of the spacing squared over the radius of curvature, and the outer one adds 5/72. Only the estimate depends on it. */
#define SMOOTH_SHARE 0.36

/* ---- closed forms ---- */

/* A ball about p. */
static apart_mass mass_of_ball(apart_vec3 p, double r)
{
    const double v = 4.0 / 3.0 * PI * r * r * r, s = v * r * r / 5.0;
    return ap_mass_of_moments(v, p, s, s, s, r + ap_norm(p));
}

/* A segment with a radius along any direction: a cylinder and two halves of a ball. Second moments are those across,
 * and the rest along the axis. */
static apart_mass mass_of_capsule(apart_vec3 p, apart_vec3 q, double r)
{
    const apart_vec3 axis = ap_sub(q, p), center = ap_add(ap_scale(0.5, p), ap_scale(0.5, q));
    const double h = 0.5 * ap_norm(axis), cylinder = 2.0 * PI * r * r * h, ball = 4.0 / 3.0 * PI * r * r * r;
    const double across = cylinder * r * r / 4.0 + ball * r * r / 5.0;
    const double along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + h * h + 0.75 * h * r);
    if (!(h > 0.0)) {
        return mass_of_ball(p, r);
    }
    apart_mass m = ap_mass_of_moments(cylinder + ball, center, across, across, across, h + r + ap_norm(center));
    const apart_vec3 d = ap_scale(0.5 / h, axis);
    const double more = along - across; /* of second moment along d: inertia gains more (I - d dT) */
    const double *x = &d.x;
    double *columns[3] = {&m.inertia.x.x, &m.inertia.y.x, &m.inertia.z.x};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            columns[k][i] += more * ((i == k ? 1.0 : 0.0) - x[i] * x[k]);
        }
    }
    return m;
}

/* A box with rounded corners: a box, six slabs, twelve quarters of cylinders and eight eighths of a ball. Along x the
 * second moment of a piece that is centred there, from a to a + r, is that of its profile. */
static double rounded_second(double a, double b, double c, double r)
{
    const double middle = 8.0 * a * b * c * a * a / 3.0;
    /* slabs across y and z, and over x */
    const double slabs =
        8.0 * a * r * (b + c) * a * a / 3.0 + 8.0 * b * c * ((a + r) * (a + r) * (a + r) - a * a * a) / 3.0;
    /* cylinders along x; along y and z: a quarter of a disc beyond a, whose moments are r^3/3 and pi r^4/16 */
    const double along = 2.0 * PI * r * r * a * a * a / 3.0;
    const double disc = a * a * PI * r * r / 4.0 + 2.0 * a * r * r * r / 3.0 + PI * r * r * r * r / 16.0;
    /* an eighth of a ball beyond a: volume pi r^3/6, moment pi r^4/16, second moment pi r^5/30 */
    const double corner =
        a * a * PI * r * r * r / 6.0 + 2.0 * a * PI * r * r * r * r / 16.0 + PI * r * r * r * r * r / 30.0;
    return middle + slabs + along + 8.0 * (b + c) * disc + 8.0 * corner;
}

static apart_mass mass_of_box(apart_vec3 e, double r)
{
    const double a = e.x, b = e.y, c = e.z;
    const double v = 8.0 * a * b * c + 8.0 * r * (a * b + b * c + c * a) + 2.0 * PI * r * r * (a + b + c) +
                     4.0 / 3.0 * PI * r * r * r;
    return ap_mass_of_moments(v, ap_vec(0.0, 0.0, 0.0), rounded_second(a, b, c, r), rounded_second(b, c, a, r),
                              rounded_second(c, a, b, r), ap_norm(e) + r);
}

static bool has_closed_form(const apart_shape *s, apart_mass *m)
{
    const double r = s->u.round.radius, h = s->u.round.half_height;
    const apart_vec3 e = s->u.semi_axes, origin = {0.0, 0.0, 0.0};
    double v;
    if (s->dim == 2) {
        return false;
    }
    switch (s->kind) {
    case APART_SHAPE_POINT: *m = mass_of_ball(s->u.point[0], s->radius); return true;
    case APART_SHAPE_SEGMENT: *m = mass_of_capsule(s->u.point[0], s->u.point[1], s->radius); return true;
    case APART_SHAPE_BOX: *m = mass_of_box(s->u.half_extents, s->radius); return true;
    default: break;
    }
    if (s->radius > 0.0) {
        return false;
    }
    switch (s->kind) {
    case APART_SHAPE_ELLIPSOID:
        v = 4.0 / 3.0 * PI * e.x * e.y * e.z;
        *m = ap_mass_of_moments(v, origin, v * e.x * e.x / 5.0, v * e.y * e.y / 5.0, v * e.z * e.z / 5.0, ap_norm(e));
        return true;
    case APART_SHAPE_CYLINDER:
        v = 2.0 * PI * r * r * h;
        *m = ap_mass_of_moments(v, origin, v * r * r / 4.0, v * r * r / 4.0, v * h * h / 3.0, r + h);
        return true;
    case APART_SHAPE_CONE:
        v = 2.0 / 3.0 * PI * r * r * h;
        *m = ap_mass_of_moments(v, ap_vec(0.0, 0.0, -0.5 * h), v * 0.15 * r * r, v * 0.15 * r * r, v * 0.15 * h * h,
                                r + h);
        return true;
    default: return false;
    }
}

/* ---- polytopes ---- */

static ap_integrals integrate_hull(const apart_hull *hull, apart_vec3 origin)
{
    ap_integrals i = {.origin = origin};
    for (uint32_t f = 0; f < apart_hull_face_count(hull) && apart_hull_dimension(hull) == 3; f++) {
        const uint32_t *corner;
        const uint32_t corners = apart_hull_face(hull, f, &corner);
        for (uint32_t k = 2; k < corners; k++) {
            ap_add_tetrahedron(&i, apart_hull_vertex(hull, corner[0]), apart_hull_vertex(hull, corner[k - 1]),
                               apart_hull_vertex(hull, corner[k]));
        }
    }
    return i;
}

static apart_vec3 middle_of(const apart_hull *hull)
{
    const uint32_t count = apart_hull_vertex_count(hull);
    const apart_vec3 first = apart_hull_vertex(hull, 0);
    apart_vec3 sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < count; i++) {
        sum = ap_add(sum, ap_sub(apart_hull_vertex(hull, i), first));
    }
    return ap_add(first, ap_scale(1.0 / count, sum));
}

/* Listed vertices are rounded, and each moves the surface by that much: nesting operations of an eps. */
static double vertex_error(const apart_shape *shape, const apart_hull *hull, double reach, apart_vec3 middle)
{
    return apart_hull_area(hull) * (4.0 * (1.0 + shape->nesting)) * DBL_EPSILON * (reach + ap_norm(middle));
}

static void measure_hull(const apart_hull *hull, apart_mass *out)
{
    const ap_integrals i = integrate_hull(hull, middle_of(hull));
    ap_mass_from_integrals(&i, apart_hull_area(hull) * 4.0 * DBL_EPSILON * (i.reach + ap_norm(i.origin)), 3, out);
}

static apart_status measure_space(const apart_shape *shape, const ap_measure *with, apart_mass *out)
{
    apart_hull *inner = NULL, *outer = NULL;
    apart_status status = ap_inner_hull(shape, with->grid, &with->allocator, &inner);
    if (status != APART_OK) {
        return status;
    }
    const apart_vec3 middle = middle_of(inner);
    ap_integrals i = integrate_hull(inner, middle);
    double error = vertex_error(shape, inner, i.reach, middle);
    if (ap_listed_count(shape) == 0 && apart_hull_dimension(inner) == 3) {
        status = ap_outer_hull(shape, with->grid, middle, &with->allocator, &outer);
        if (status == APART_OK) {
            const ap_integrals around = integrate_hull(outer, middle);
            error += (1.0 - SMOOTH_SHARE) * (around.volume - i.volume) + 1e-8 * around.volume;
            i = ap_blend(&i, &around, SMOOTH_SHARE);
        }
    }
    if (status == APART_OK) {
        ap_mass_from_integrals(&i, error, 3, out);
    }
    apart_hull_free(inner);
    apart_hull_free(outer);
    return status;
}

/* ---- in the plane ---- */

/* What the supporting lines of two neighbouring directions enclose beyond the segment between their support points. */
static double corner_area(const apart_shape *shape, uint32_t grid, size_t i)
{
    const size_t count = ap_direction_count(2, grid);
    const apart_vec3 u = ap_direction_at(2, grid, i), v = ap_direction_at(2, grid, (i + 1) % count);
    apart_vec3 p, q;
    if (apart_support(shape, u, &p) != APART_OK || apart_support(shape, v, &q) != APART_OK) {
        return INFINITY;
    }
    const double det = u.x * v.y - u.y * v.x, s = ap_dot(v, ap_sub(q, p)) / det; /* p + s * (-u.y, u.x) is on both */
    const apart_vec3 x = ap_add(p, ap_scale(s, ap_vec(-u.y, u.x, 0.0)));
    return 0.5 * fabs(ap_turn_of_corner(p, q, x));
}

static apart_status measure_plane(const apart_shape *shape, const ap_measure *with, apart_mass *out)
{
    apart_vec3 *corner;
    size_t count;
    const apart_status status = ap_polygon(shape, with->grid, &with->allocator, &corner, &count);
    if (status != APART_OK) {
        return status;
    }
    ap_integrals i = {.origin = corner[0]};
    for (size_t k = 1; k + 1 < count; k++) {
        ap_add_triangle(&i, corner[k], corner[k + 1]);
    }
    double error = 16.0 * DBL_EPSILON * i.reach * (i.reach + ap_norm(i.origin)) * (1.0 + shape->nesting);
    for (size_t k = 0; ap_listed_count(shape) == 0 && k < ap_direction_count(2, with->grid); k++) {
        error += corner_area(shape, with->grid, k) * (1.0 + 1e-9);
    }
    ap_mass_from_integrals(&i, error, 2, out);
    ap_release(&with->allocator, corner);
    return APART_OK;
}

/* ---- solids ---- */

static apart_status measure_shape(const apart_shape *shape, const ap_measure *with, apart_mass *out)
{
    const apart_status status = apart_shape_check(shape);
    if (status != APART_OK) {
        return status;
    }
    if (shape->kind == APART_SHAPE_HALF_SPACE) {
        return APART_ERR_HALF_SPACE;
    }
    if (has_closed_form(shape, out)) {
        return APART_OK;
    }
    if (shape->kind == APART_SHAPE_HULL && shape->radius == 0.0) {
        measure_hull(shape->u.hull, out);
        return APART_OK;
    }
    return shape->dim == 2 ? measure_plane(shape, with, out) : measure_space(shape, with, out);
}

static apart_status measure_mesh(const apart_mesh *mesh, apart_mass *out)
{
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    if (!report->watertight || report->turned_edges > 0 || !(report->volume > 0.0)) {
        return APART_ERR_NOT_WATERTIGHT;
    }
    apart_vec3 center;
    double radius;
    const apart_solid solid = {.mesh = mesh};
    const apart_status status = apart_solid_ball(solid, &center, &radius);
    ap_integrals i = {.origin = center};
    for (uint32_t t = 0; t < report->triangles && status == APART_OK; t++) {
        uint32_t corner[3];
        apart_mesh_triangle(mesh, t, corner);
        ap_add_tetrahedron(&i, apart_mesh_vertex(mesh, corner[0]), apart_mesh_vertex(mesh, corner[1]),
                           apart_mesh_vertex(mesh, corner[2]));
    }
    const double moved = 4.0 * DBL_EPSILON * (i.reach + ap_norm(center)); /* by taking the centre away */
    ap_mass_from_integrals(&i, report->area * moved, 3, out);
    return status;
}

static apart_status measure_compound(const apart_compound *compound, const ap_measure *with, apart_mass *out)
{
    ap_integrals all = {.origin = compound->center, .reach = compound->radius};
    double error = 0.0;
    for (uint32_t i = 0; i < compound->count; i++) {
        apart_mass part;
        const apart_status status = measure_shape(&compound->parts[i].shape, with, &part);
        if (status != APART_OK) {
            return status;
        }
        ap_add_mass(&all, &error, &part, &compound->parts[i].pose, compound->dim);
    }
    ap_mass_from_integrals(&all, error, compound->dim, out);
    return APART_OK;
}

static bool is_finite_mass(const apart_mass *m)
{
    return isfinite(m->volume) && ap_finite(m->center) && ap_finite(m->inertia.x) && ap_finite(m->inertia.y) &&
           ap_finite(m->inertia.z) && isfinite(m->inertia_error);
}

apart_status apart_solid_mass(apart_solid solid, const apart_measure_options *options, apart_mass *mass)
{
    ap_measure with;
    apart_mass m;
    if (mass == NULL || !ap_solid_is_valid(solid)) {
        return APART_ERR_NULL;
    }
    apart_status status = ap_take_measure(options, &with);
    if (status == APART_OK) {
        status = solid.mesh != NULL       ? (solid.surface ? APART_ERR_NOT_WATERTIGHT : measure_mesh(solid.mesh, &m))
                 : solid.compound != NULL ? measure_compound(solid.compound, &with, &m)
                                          : measure_shape(solid.shape, &with, &m);
    }
    if (status == APART_OK && !is_finite_mass(&m)) {
        return APART_ERR_OVERFLOW;
    }
    if (status == APART_OK) {
        *mass = m;
    }
    return status;
}
