/** @file
 * apart/apart.h: how far apart are two convex bodies? The umbrella header.
 *
 *     #include <apart/apart.h>
 *
 *     apart_shape a = apart_sphere(1.0), b = apart_box((apart_vec3){0.5, 1.0, 0.25});
 *     apart_pose pose_a = apart_pose_identity(), pose_b = apart_pose_translation(3, 0, 0);
 *     apart_result r;
 *     if (apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r) == APART_OK)
 *         printf("%.17g\n", r.distance);                 // 1.5
 *
 * Read the headers in the order of a query: base -> math -> shape -> hull -> distance. Then, by need: batch (many pairs
 * in one call), penetration (tracking of depths), contact (contact points), motion (moving bodies, rays), compound
 * (bodies of many convex parts), world (many bodies), robot (links and joints), plan (motions to a goal), verify (checks of results), nd (any dimension).
 */
#ifndef APART_APART_H
#define APART_APART_H

#include "base.h"
#include "math.h"
#include "shape.h"
#include "hull.h"
#include "distance.h"
#include "batch.h"
#include "penetration.h"
#include "contact.h"
#include "gradient.h"
#include "motion.h"
#include "nd.h"
#include "verify.h"
#include "compound.h"
#include "cover.h"
#include "measure.h"
#include "world.h"
#include "world_query.h"
#include "archive.h"
#include "robot.h"
#include "plan.h"

#endif
