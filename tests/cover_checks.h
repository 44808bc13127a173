/* Covers for tests, and checks of them that share nothing with the builder: points in hulls in long double, by their planes;
 * the inside of a mesh by a ray. Each ends the test where it fails. */
#ifndef TESTS_COVER_CHECKS_H
#define TESTS_COVER_CHECKS_H

#include <apart/cover.h>

#include "mesh_bodies.h"

apart_status cover_build(const triangle_list *m, const apart_cover_options *options, apart_cover **out);
/* With at most so many hulls. */
apart_cover *cover_of(const triangle_list *m, uint32_t hulls, int solid);
apart_cover_proof cover_proof_of(const triangle_list *m, const apart_cover_claim *claim);

/* How far the point lies above the hull's highest plane; below zero inside. */
long double height_above(const apart_hull *hull, apart_vec3 p);

/* Whether it lies in one of the hulls, or above it by no more than the slack. */
bool some_hull_holds(const apart_cover *cover, apart_vec3 p, double slack);

/* Corners and points of every `step`-th triangle lie in the hulls, to the rounding of the points and of the hulls'
 * normals. */
void cover_check_triangles(const triangle_list *m, const apart_cover *cover, uint32_t step);
/* Points inside the mesh lie in the hulls. */
void cover_check_inside(const triangle_list *m, const apart_cover *cover, int points);
/* No point of a hull is farther from the mesh than the excess says. Returns the largest distance that was found. */
double cover_check_excess(const triangle_list *m, const apart_cover *cover, bool solid, int points);

/* The hull of the vertices of a hull that are moved towards its middle by a share of the way; NULL: none was built. */
apart_hull *hull_shrunk(const apart_hull *hull, double share);

#endif
