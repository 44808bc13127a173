/* Integrals of 1, x and x transpose(x) over bodies, and how exact they are. */
#ifndef AP_MEASURE_INTEGRALS_H
#define AP_MEASURE_INTEGRALS_H

#include <apart/measure.h>

#include <float.h>
#include <stdbool.h>

#include "../math/vec.h"

/* About `origin`. second: xx, yy, zz, xy, xz, yz. */
typedef struct ap_integrals {
    apart_vec3 origin;
    double volume;
    apart_vec3 moment;
    double second[6];
    double sum;   /* of the absolute volumes that were added */
    double count; /* of these */
    double reach; /* no point is farther from the origin */
} ap_integrals;

/* The tetrahedron between the origin and a triangle; in the plane the triangle between it and a segment. Points are
 * given in the body's frame. */
void ap_add_tetrahedron(ap_integrals *i, apart_vec3 a, apart_vec3 b, apart_vec3 c);
void ap_add_triangle(ap_integrals *i, apart_vec3 a, apart_vec3 b);

/* w of one and 1 - w of another, about the same origin. */
ap_integrals ap_blend(const ap_integrals *x, const ap_integrals *y, double w);

/* The mass, if the true volume differs by at most `volume_error` (rounding is added) within the reach. */
void ap_mass_from_integrals(const ap_integrals *i, double volume_error, int dim, apart_mass *out);

/* A mass with known volume, centre and second moments about it along the axes, exact but for rounding. */
apart_mass ap_mass_of_moments(double volume, apart_vec3 center, double xx, double yy, double zz, double reach);

/* Adds a part to a mass: turned, moved, about the common centre. */
void ap_add_mass(ap_integrals *all, double *volume_error, const apart_mass *part, const apart_pose *pose, int dim);

#endif
