/* Volume, centre of mass and second moments of bodies.
 *
 * A hull is the sum of the tetrahedra between its middle and the triangles of its faces; over each of them the
 * integrals of 1, x and x transpose(x) are polynomials of the corners, so that the sums are exact but for rounding (the
 * divergence theorem in its simplest dress; Mirtich 1996 has the history). Inertia follows from second moments:
 * trace(S) I - S. */
#include <stdlib.h>

#include "internal.h"

#define PI 3.14159265358979323846

/* Support points of a shape without a closed form: so many a side on each face of a cube of directions. */
enum { GRID = 24, SAMPLES = 6 * GRID * GRID };

static apart_mat3 diagonal(double x, double y, double z) { return (apart_mat3){{x, 0, 0}, {0, y, 0}, {0, 0, z}}; }

/* Integrals about the origin: moment is that of x, second that of x transpose(x). */
typedef struct integrals {
    double volume;
    apart_vec3 moment;
    apart_mat3 second;
} integrals;

/* The tetrahedron 0, a, b, c. */
static void add_tetrahedron(integrals *i, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const double volume = apart_vec3_dot(a, apart_vec3_cross(b, c)) / 6.0;
    const apart_vec3 s = apart_vec3_add(apart_vec3_add(a, b), c);
    i->volume += volume;
    i->moment = apart_vec3_add_scaled(i->moment, volume / 4.0, s);
    i->second = plus_square(plus_square(i->second, volume / 20.0, s), volume / 20.0, a);
    i->second = plus_square(plus_square(i->second, volume / 20.0, b), volume / 20.0, c);
}

/* From integrals about `origin` to a mass about its own centre. */
static sim_mass centred(const integrals *i, apart_vec3 origin)
{
    const apart_vec3 c = i->volume > 0.0 ? apart_vec3_scale(1.0 / i->volume, i->moment) : (apart_vec3){0, 0, 0};
    return (sim_mass){i->volume, apart_vec3_add(origin, c), plus_square(i->second, -i->volume, c)};
}

static sim_mass of_hull(const apart_hull *h)
{
    integrals i = {.volume = 0.0};
    if (apart_hull_dimension(h) < 3) {
        return (sim_mass){.volume = 0.0};
    }
    apart_vec3 middle = {0, 0, 0};
    const uint32_t vertices = apart_hull_vertex_count(h);
    for (uint32_t v = 0; v < vertices; v++) {
        middle = apart_vec3_add_scaled(middle, 1.0 / vertices, apart_hull_vertex(h, v));
    }
    for (uint32_t f = 0; f < apart_hull_face_count(h); f++) {
        const uint32_t *corner;
        const uint32_t corners = apart_hull_face(h, f, &corner);
        const apart_vec3 a = apart_vec3_sub(apart_hull_vertex(h, corner[0]), middle);
        for (uint32_t k = 2; k < corners; k++) {
            add_tetrahedron(&i, a, apart_vec3_sub(apart_hull_vertex(h, corner[k - 1]), middle),
                            apart_vec3_sub(apart_hull_vertex(h, corner[k]), middle));
        }
    }
    return centred(&i, middle);
}

/* Any other shape: the hull of its support points. */
static const char *of_samples(const apart_shape *shape, sim_mass *out)
{
    double *xyz = malloc(3 * SAMPLES * sizeof *xyz);
    apart_hull *hull = NULL;
    if (xyz == NULL) {
        return NO_MEMORY;
    }
    for (size_t n = 0; n < SAMPLES; n++) {
        const size_t face = n / (GRID * GRID), u = n / GRID % GRID, v = n % GRID;
        const double s = face % 2 == 0 ? 1.0 : -1.0, p = (2.0 * (double)u + 1.0) / GRID - 1.0,
                     q = (2.0 * (double)v + 1.0) / GRID - 1.0;
        const apart_vec3 d = face / 2 == 0   ? (apart_vec3){s, p, q}
                             : face / 2 == 1 ? (apart_vec3){p, s, q}
                                             : (apart_vec3){p, q, s};
        apart_vec3 extreme = {0, 0, 0};
        apart_support(shape, d, &extreme);
        xyz[3 * n] = extreme.x;
        xyz[3 * n + 1] = extreme.y;
        xyz[3 * n + 2] = extreme.z;
    }
    const apart_status status = apart_hull_build(xyz, SAMPLES, NULL, &hull);
    free(xyz);
    if (status != APART_OK) {
        return apart_status_message(status);
    }
    *out = of_hull(hull);
    apart_hull_free(hull);
    return NULL;
}

/* A segment with a radius: a cylinder and two hemispheres, along any direction. */
static sim_mass of_capsule(apart_vec3 p, apart_vec3 q, double r)
{
    const apart_vec3 axis = apart_vec3_sub(q, p);
    const double h = 0.5 * apart_vec3_norm(axis), cylinder = 2.0 * PI * r * r * h, sphere = 4.0 / 3.0 * PI * r * r * r;
    const double across = cylinder * r * r / 4.0 + sphere * r * r / 5.0;
    const double along = cylinder * h * h / 3.0 + sphere * (r * r / 5.0 + h * h + 0.75 * h * r);
    const apart_mat3 round = diagonal(across, across, across);
    return (sim_mass){cylinder + sphere, apart_vec3_scale(0.5, apart_vec3_add(p, q)),
                      h > 0.0 ? plus_square(round, (along - across) / (4.0 * h * h), axis) : round};
}

static const char *of_shape(const apart_shape *s, sim_mass *out)
{
    const double r = s->u.round.radius, h = s->u.round.half_height;
    const apart_vec3 e = s->u.half_extents;
    double v;
    *out = (sim_mass){.volume = 0.0};
    if (s->kind == APART_SHAPE_POINT) {
        *out = of_capsule(s->u.point[0], s->u.point[0], s->radius);
    } else if (s->kind == APART_SHAPE_SEGMENT) {
        *out = of_capsule(s->u.point[0], s->u.point[1], s->radius);
    } else if (s->radius > 0.0) {
        return of_samples(s, out);
    } else if (s->kind == APART_SHAPE_BOX) {
        v = 8.0 * e.x * e.y * e.z;
        *out = (sim_mass){v, {0, 0, 0}, diagonal(v * e.x * e.x / 3.0, v * e.y * e.y / 3.0, v * e.z * e.z / 3.0)};
    } else if (s->kind == APART_SHAPE_ELLIPSOID) {
        v = 4.0 / 3.0 * PI * e.x * e.y * e.z;
        *out = (sim_mass){v, {0, 0, 0}, diagonal(v * e.x * e.x / 5.0, v * e.y * e.y / 5.0, v * e.z * e.z / 5.0)};
    } else if (s->kind == APART_SHAPE_CYLINDER) {
        v = 2.0 * PI * r * r * h;
        *out = (sim_mass){v, {0, 0, 0}, diagonal(v * r * r / 4.0, v * r * r / 4.0, v * h * h / 3.0)};
    } else if (s->kind == APART_SHAPE_CONE) {
        v = 2.0 / 3.0 * PI * r * r * h;
        *out = (sim_mass){v, {0, 0, -0.5 * h}, diagonal(v * 0.15 * r * r, v * 0.15 * r * r, v * 0.15 * h * h)};
    } else if (s->kind == APART_SHAPE_HULL) {
        *out = of_hull(s->u.hull);
    } else if (s->kind != APART_SHAPE_HALF_SPACE) {
        return of_samples(s, out);
    }
    return NULL;
}

const char *sim_mass_of(const apart_part *parts, size_t count, sim_mass *out)
{
    integrals all = {.volume = 0.0};
    for (size_t i = 0; i < count; i++) {
        sim_mass m;
        const char *wrong = of_shape(&parts[i].shape, &m);
        if (wrong != NULL) {
            return wrong;
        }
        const apart_vec3 c = apart_pose_apply(&parts[i].pose, m.center);
        all.volume += m.volume;
        all.moment = apart_vec3_add_scaled(all.moment, m.volume, c);
        const apart_mat3 part = plus_square(turned(&parts[i].pose.rotation, &m.second), m.volume, c);
        all.second = (apart_mat3){apart_vec3_add(all.second.x, part.x), apart_vec3_add(all.second.y, part.y),
                                  apart_vec3_add(all.second.z, part.z)};
    }
    *out = centred(&all, (apart_vec3){0, 0, 0});
    return NULL;
}

/* Half of the smallest thickness in 13 directions and, of a hull, in those of its faces. */
double sim_width_of(const apart_shape *shape)
{
    static const apart_vec3 fixed[] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
                                       {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    const uint32_t known = sizeof fixed / sizeof fixed[0],
                   faces = shape->kind == APART_SHAPE_HULL ? apart_hull_face_count(shape->u.hull) : 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < known + faces; i++) {
        const apart_vec3 d = i < known ? fixed[i] : apart_hull_face_normal(shape->u.hull, i - known);
        apart_vec3 p, q;
        if (apart_support(shape, d, &p) == APART_OK && apart_support(shape, apart_vec3_neg(d), &q) == APART_OK) {
            least = smaller(least, 0.5 * apart_vec3_dot(apart_vec3_sub(p, q), d) / apart_vec3_norm(d));
        }
    }
    return least;
}
