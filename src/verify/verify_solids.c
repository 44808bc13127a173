/* An independent check of a result of two solids: compounds, surfaces of meshes, shapes.
 *
 * The deciding parts are checked as two convex bodies (verify.c): that proves points, normal and upper bound. The lower
 * bound must hold for every pair of parts, and all pairs are looked at: bounding spheres in doubles with their errors
 * counted against the claim, then the separation along the claimed normal and the check's own search, both in
 * double-double arithmetic. No tree is used. That neither solid lies inside the other is shown by a plane, or by rays (winding.c). */
#include <apart/mesh.h>

#include "finding.h"
#include "winding.h"

#include <float.h>

/* A centre of a sphere errs by less than this, relative to all lengths that it is made of: two products of a matrix and
 * a vector, two sums and a difference. */
#define CENTER_ERROR (64.0 * DBL_EPSILON)

/* Spheres of A that are kept at a time. */
#define CHUNK 256

/* Points of one body times triangles of the other that are looked at, to see whether it lies inside: a microsecond each. */
#define MOST_POINTS 20000000

/* One of the two solids. */
typedef struct solid_view {
    apart_solid solid;
    const apart_pose *pose;
    uint32_t count;
} solid_view;

/* A convex part in the world. */
typedef struct placed_part {
    apart_shape shape;
    apart_pose pose;
} placed_part;

/* Holds a part; the centre is seen from A's origin. */
typedef struct part_sphere {
    apart_vec3 center;
    double radius;
} part_sphere;

typedef struct solids_check {
    solid_view a, b;
    const apart_result *claim;
    bool surface; /* a mesh takes part, and all are surfaces: no distance is below 0 */
    bool solid;   /* a mesh stands for what it encloses */
} solids_check;

static apart_status view_solid(apart_solid solid, const apart_pose *pose, solid_view *out)
{
    const int given = (solid.shape != NULL) + (solid.compound != NULL) + (solid.mesh != NULL);
    if (given != 1) {
        return APART_ERR_NULL;
    }
    if (solid.mesh != NULL && solid.surface == 0 && !apart_mesh_inspect(solid.mesh)->watertight) {
        return APART_ERR_NOT_WATERTIGHT;
    }
    *out = (solid_view){solid, pose, 1};
    if (solid.mesh != NULL) {
        out->count = apart_mesh_inspect(solid.mesh)->triangles;
    } else if (solid.compound != NULL) {
        out->count = (uint32_t)apart_compound_count(solid.compound);
    }
    return apart_pose_check(pose);
}

static placed_part part_of(const solid_view *v, uint32_t number)
{
    if (v->solid.shape != NULL) {
        return (placed_part){*v->solid.shape, *v->pose};
    }
    if (v->solid.compound != NULL) {
        const apart_part *part = apart_compound_part(v->solid.compound, number);
        return (placed_part){part->shape, apart_pose_compose(v->pose, &part->pose)};
    }
    uint32_t ids[3];
    apart_mesh_triangle(v->solid.mesh, number, ids);
    const apart_vec3 p = apart_mesh_vertex(v->solid.mesh, ids[0]), q = apart_mesh_vertex(v->solid.mesh, ids[1]),
                     r = apart_mesh_vertex(v->solid.mesh, ids[2]);
    return (placed_part){apart_triangle(p, q, r), *v->pose};
}

static part_sphere sphere_of(const placed_part *part, apart_vec3 origin)
{
    const apart_shape *s = &part->shape;
    const apart_vec3 turned = ap_apply(&part->pose.rotation, s->center);
    const apart_vec3 own = ap_sub(part->pose.translation, origin);
    part_sphere sphere = {ap_add(turned, own), (s->bound + s->radius) * AP_ROTATION_STRETCH};
    const double lengths =
        ap_norm(turned) + ap_norm(s->center) + ap_norm(part->pose.translation) + ap_norm(origin) + sphere.radius;
    sphere.radius += CENTER_ERROR * lengths;
    return sphere;
}

/* Are all points of the two spheres farther apart than `distance`? Never true by rounding. */
static bool are_beyond(const part_sphere *a, const part_sphere *b, double distance)
{
    const apart_vec3 d = ap_sub(b->center, a->center);
    const double reach = (distance + a->radius + b->radius) * (1.0 + 16.0 * DBL_EPSILON);
    return ap_dot(d, d) > reach * reach;
}

/* Does the claimed lower bound hold for two parts? In a frame near the claimed points. */
static finding check_two_parts(const solids_check *c, const placed_part *a, const placed_part *b)
{
    const apart_shape *s = &a->shape, *t = &b->shape;
    const apart_vec3 center_a = apart_pose_apply(&a->pose, s->center), center_b = apart_pose_apply(&b->pose, t->center);
    const double size = (s->bound + s->radius) + (t->bound + t->radius) + ap_norm(ap_sub(center_b, center_a));
    const double scale = ap_power_of_two_scale(size), wanted = scale * c->claim->lower;
    ap_verify_body body_a, body_b;
    ap_verify_body_set(&body_a, s, &a->pose, center_a, scale);
    ap_verify_body_set(&body_b, t, &b->pose, center_a, scale);
    const ap_dd3 normal = ap_dd3_from(c->claim->normal);
    double bodies, cores;
    if (ap_verify_separation(&body_a, &body_b, normal, &bodies, &cores) && bodies >= wanted) {
        return holds;
    }
    const ap_verify_goal goal = {.lower = wanted, .upper = INFINITY, .least = wanted, .most = wanted};
    const ap_verify_bounds found = ap_verify_nearest(&body_a, &body_b, normal, goal);
    if (found.lower >= wanted) {
        return holds;
    }
    return found.upper < wanted ? refuted_because("two other parts are nearer than the lower bound")
                                : undecided_because("the lower bound was not proved for every pair of parts");
}

/* All pairs of a part of B and a chunk of A. */
static finding check_chunk(const solids_check *c, uint32_t first, uint32_t count, const part_sphere *spheres)
{
    finding found = holds;
    for (uint32_t j = 0; j < c->b.count && found.verdict != APART_REFUTED; j++) {
        const placed_part b = part_of(&c->b, j);
        const part_sphere sphere = sphere_of(&b, c->a.pose->translation);
        for (uint32_t i = 0; i < count && found.verdict != APART_REFUTED; i++) {
            if (!are_beyond(&spheres[i], &sphere, c->claim->lower)) {
                const placed_part a = part_of(&c->a, first + i);
                found = worse_finding(found, check_two_parts(c, &a, &b));
            }
        }
    }
    return found;
}

static finding check_all_pairs(const solids_check *c)
{
    part_sphere spheres[CHUNK];
    finding found = holds;
    for (uint32_t first = 0; first < c->a.count && found.verdict != APART_REFUTED; first += CHUNK) {
        const uint32_t count = c->a.count - first < CHUNK ? c->a.count - first : CHUNK;
        for (uint32_t i = 0; i < count; i++) {
            const placed_part a = part_of(&c->a, first + i);
            spheres[i] = sphere_of(&a, c->a.pose->translation);
        }
        found = worse_finding(found, check_chunk(c, first, count, spheres));
    }
    return found;
}

/* How far a part reaches along a unit direction at most, seen from the origin. */
static double reach_of(const placed_part *part, apart_vec3 origin, apart_vec3 n)
{
    const part_sphere sphere = sphere_of(part, origin);
    if (part->shape.kind != APART_SHAPE_TRIANGLE) {
        return ap_dot(n, sphere.center) + sphere.radius;
    }
    const double lengths = ap_norm(part->pose.translation) + ap_norm(origin) + ap_norm(part->shape.center) +
                           sphere.radius + ap_norm(sphere.center);
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 p = ap_apply(&part->pose.rotation, part->shape.u.point[i]);
        most = ap_max(most, ap_dot(n, ap_add(p, ap_sub(part->pose.translation, origin))));
    }
    return most + CENTER_ERROR * lengths;
}

static double reach_of_all(const solid_view *v, apart_vec3 origin, apart_vec3 n)
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < v->count; i++) {
        const placed_part part = part_of(v, i);
        most = ap_max(most, reach_of(&part, origin, n));
    }
    return most;
}

/* Is all of A on one side of a plane and all of B on the other? Then neither lies inside the other. The planes that are
 * tried are perpendicular to the claimed normal and to the axes. */
static bool a_plane_separates(const solids_check *c)
{
    const apart_vec3 directions[7] = {c->claim->normal, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0},       {0, 0, 1}, {0, 0, -1}};
    const apart_vec3 origin = c->a.pose->translation;
    for (int i = 0; i < 7; i++) {
        if (reach_of_all(&c->a, origin, directions[i]) + reach_of_all(&c->b, origin, ap_neg(directions[i])) < 0.0) {
            return true;
        }
    }
    return false;
}

/* A point of a part; false: none could be computed. */
static bool point_of_part(const placed_part *part, apart_vec3 origin, double scale, ap_dd3 *point)
{
    ap_verify_body body;
    ap_verify_body_set(&body, &part->shape, &part->pose, origin, scale);
    return ap_verify_support(&body, ap_dd3_from(ap_vec(1.0, 0.0, 0.0)), point);
}

/* 1: a point of the part lies inside the solid of a mesh; -1: outside; 0: not known. */
static int side_of_part(const solid_view *filled, const placed_part *part)
{
    const apart_vec3 origin = filled->pose->translation;
    const part_sphere sphere = sphere_of(part, origin);
    apart_vec3 center;
    double radius;
    if (apart_solid_ball(filled->solid, &center, &radius) != APART_OK) {
        return 0;
    }
    const double size = sphere.radius + ap_norm(sphere.center) + ap_norm(center) + radius;
    const double scale = ap_power_of_two_scale(size);
    ap_dd3 point;
    return point_of_part(part, origin, scale, &point)
               ? ap_verify_side_of_mesh(filled->solid.mesh, filled->pose, origin, scale, point)
               : 0;
}

/* Is a mesh that is taken as a solid free of the other body, whose parts do not meet its surface? One point of a
 * connected body decides; of others every part is asked. */
static finding check_outside(const solid_view *filled, const solid_view *other)
{
    const apart_mesh *inner = other->solid.mesh;
    const uint32_t count = inner != NULL && apart_mesh_inspect(inner)->components == 1 ? 1 : other->count;
    finding found = holds;
    if ((uint64_t)count * filled->count > MOST_POINTS) {
        return undecided_because("that neither solid lies inside the other was not shown");
    }
    for (uint32_t i = 0; i < count && found.verdict != APART_REFUTED; i++) {
        const placed_part part = part_of(other, i);
        const int side = side_of_part(filled, &part);
        found = worse_finding(found, side > 0   ? refuted_because("one solid lies inside the other")
                                     : side < 0 ? holds
                                                : undecided_because("a point is too near to the surface of a solid"));
    }
    return found;
}

static bool is_filled(const solid_view *v) { return v->solid.mesh != NULL && v->solid.surface == 0; }

/* Of solids whose parts do not meet: neither lies inside the other. */
static finding check_neither_inside(const solids_check *c)
{
    if (a_plane_separates(c)) {
        return holds;
    }
    const finding b_in_a = is_filled(&c->a) ? check_outside(&c->a, &c->b) : holds;
    return worse_finding(b_in_a, is_filled(&c->b) ? check_outside(&c->b, &c->a) : holds);
}

/* A surface that meets the other body: the deciding parts have common points, and the witness points are in both. */
static finding check_meeting(const placed_part *a, const placed_part *b, const apart_result *claim)
{
    const apart_shape *s = &a->shape, *t = &b->shape;
    if (claim->distance != 0.0 || claim->lower != 0.0 || claim->upper != 0.0) {
        return refuted_because("a surface has no depth");
    }
    const apart_vec3 center = apart_pose_apply(&a->pose, s->center);
    const double size = (s->bound + s->radius) + (t->bound + t->radius), scale = ap_power_of_two_scale(size);
    ap_verify_body body_a, body_b;
    ap_verify_body_set(&body_a, s, &a->pose, center, scale);
    ap_verify_body_set(&body_b, t, &b->pose, center, scale);
    const ap_verify_goal goal = {.lower = -INFINITY, .upper = 0.0, .least = 0.0, .most = 0.0};
    const ap_verify_bounds found = ap_verify_nearest(&body_a, &body_b, ap_dd3_from(claim->normal), goal);
    if (found.lower > 0.0) {
        return refuted_because("the deciding parts do not meet");
    }
    return found.upper <= 0.0 ? holds : undecided_because("that they overlap was not shown");
}

/* ---- the depth of solids of triangles ---- */

/* Do the solids stay apart if B is moved by what is claimed? */
static finding check_way_out(const solids_check *c)
{
    const double length = -c->claim->lower * (1.0 - 4.0 * DBL_EPSILON);
    apart_pose place = *c->b.pose;
    place.translation = ap_add(place.translation, ap_scale(length, c->claim->normal));
    const ap_dd3 way = ap_dd3_difference(place.translation, c->b.pose->translation);
    if (!(ap_dd_above(ap_dd3_norm(way)) <= -c->claim->lower)) {
        return undecided_because("rounding makes the translation longer than claimed");
    }
    apart_result claim = *c->claim;
    claim.lower = DBL_MIN;
    solids_check moved = *c;
    moved.claim = &claim;
    moved.b.pose = &place;
    finding found = check_all_pairs(&moved);
    found = found.verdict == APART_PROVED ? check_neither_inside(&moved) : found;
    if (found.verdict == APART_REFUTED) {
        return refuted_because("the translation does not separate the solids");
    }
    return found.verdict == APART_PROVED ? holds : undecided_because("that the translation separates was not shown");
}

/* Is a ball about a corner of one mesh inside the other? Then it must leave it. */
static bool ball_is_inside(const solids_check *c, const solid_view *from, const solid_view *other, apart_vec3 corner,
                           double radius)
{
    const placed_part dot = {apart_point(corner), *from->pose};
    apart_result claim = *c->claim;
    claim.lower = radius;
    const solids_check one = {.claim = &claim};
    const apart_vec3 origin = other->pose->translation;
    const part_sphere here = sphere_of(&dot, origin);
    for (uint32_t i = 0; i < other->count && radius > 0.0; i++) {
        const placed_part part = part_of(other, i);
        const part_sphere sphere = sphere_of(&part, origin);
        if (!are_beyond(&here, &sphere, radius) && check_two_parts(&one, &dot, &part).verdict != APART_PROVED) {
            return false;
        }
    }
    return side_of_part(other, &dot) > 0;
}

/* Some corner of a mesh is deep enough in the other. apart_mesh_contains only says where it is worth while to look. */
static bool is_deep_enough(const solids_check *c, const solid_view *from, const solid_view *other)
{
    const uint32_t corners = apart_mesh_inspect(from->solid.mesh)->vertices;
    for (uint32_t i = 0; i < corners; i++) {
        const apart_vec3 corner = apart_mesh_vertex(from->solid.mesh, i);
        const apart_vec3 there = apart_pose_apply_inverse(other->pose, apart_pose_apply(from->pose, corner));
        int side = -1;
        if (apart_mesh_contains(other->solid.mesh, there, &side) == APART_OK && side > 0 &&
            ball_is_inside(c, from, other, corner, -c->claim->upper)) {
            return true;
        }
    }
    return false;
}

/* Both bounds of the depth of two meshes. */
static finding check_depth(const solids_check *c)
{
    if (c->a.solid.mesh == NULL || c->b.solid.mesh == NULL || !(isfinite(c->claim->lower) && c->claim->upper < 0.0)) {
        return undecided_because("the depth of these solids is not searched");
    }
    const finding relation = check_relation(c->claim->relation, c->claim->lower, c->claim->distance, c->claim->upper);
    if (relation.verdict == APART_REFUTED || c->claim->distance > c->claim->upper ||
        c->claim->distance < c->claim->lower) {
        return refuted_because("distance and bounds do not fit");
    }
    const finding way = check_way_out(c);
    if (way.verdict == APART_REFUTED) {
        return way;
    }
    if (!is_deep_enough(c, &c->b, &c->a) && !is_deep_enough(c, &c->a, &c->b)) {
        return undecided_because("no ball was found that proves the upper bound");
    }
    return way;
}

/* The deciding parts alone. A surface's lower bound of 0 claims nothing of them. */
static apart_status check_deciding(const solids_check *c, const placed_part *a, const placed_part *b,
                                   apart_proof *proof)
{
    apart_result claim = *c->claim;
    if (c->surface && claim.relation == APART_TOUCHING && claim.lower == 0.0) {
        claim.lower = -ap_max(claim.upper, DBL_MIN);
    }
    return apart_verify(&a->shape, &a->pose, &b->shape, &b->pose, &claim, proof);
}

static void set_proof(apart_proof *proof, finding found, double lower, double upper)
{
    *proof = (apart_proof){(uint8_t)found.verdict, lower, upper, found.reason};
}

static apart_status check_solids(const solids_check *c, uint32_t part_a, uint32_t part_b, apart_proof *proof)
{
    const placed_part a = part_of(&c->a, part_a), b = part_of(&c->b, part_b);
    const double least = c->surface ? 0.0 : -INFINITY;
    if (c->surface && c->claim->relation == APART_OVERLAPPING) {
        const finding met = check_meeting(&a, &b, c->claim);
        set_proof(proof, met, 0.0, met.verdict == APART_PROVED ? 0.0 : INFINITY);
        return APART_OK;
    }
    if (c->solid && !(c->claim->lower > 0.0)) {
        const finding depth = check_depth(c);
        const bool proved = depth.verdict == APART_PROVED;
        set_proof(proof, depth, proved ? c->claim->lower : least, proved ? c->claim->upper : INFINITY);
        return APART_OK;
    }
    const apart_status status = check_deciding(c, &a, &b, proof);
    if (status != APART_OK || proof->verdict == APART_REFUTED) {
        proof->lower = least;
        return status;
    }
    const double upper = proof->upper;
    finding found = {(apart_verdict)proof->verdict, proof->reason};
    if (a.shape.kind == APART_SHAPE_HALF_SPACE || b.shape.kind == APART_SHAPE_HALF_SPACE) {
        found = worse_finding(undecided_because("half-spaces are not compared with all parts"), found);
        set_proof(proof, found, least, upper);
        return APART_OK;
    }
    const bool is_claimed = !c->surface || c->claim->lower > 0.0;
    finding pairs = is_claimed ? check_all_pairs(c) : holds;
    if (c->solid && pairs.verdict == APART_PROVED) {
        pairs = check_neither_inside(c);
    }
    const double lower = pairs.verdict == APART_PROVED ? c->claim->lower : least;
    set_proof(proof, worse_finding(pairs, found), ap_max(lower, least), upper);
    return APART_OK;
}

apart_status apart_verify_solids(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                 const apart_compound_result *result, apart_proof *proof)
{
    if (pose_a == NULL || pose_b == NULL || result == NULL || proof == NULL) {
        return APART_ERR_NULL;
    }
    solids_check c = {.claim = &result->result};
    c.solid = (a.mesh != NULL && a.surface == 0) || (b.mesh != NULL && b.surface == 0);
    c.surface = (a.mesh != NULL || b.mesh != NULL) && !c.solid;
    apart_status status = view_solid(a, pose_a, &c.a);
    status = status == APART_OK ? view_solid(b, pose_b, &c.b) : status;
    if (status != APART_OK) {
        return status;
    }
    if (result->part_a >= c.a.count || result->part_b >= c.b.count) {
        set_proof(proof, refuted_because("a number names no part"), c.surface ? 0.0 : -INFINITY, INFINITY);
        return APART_OK;
    }
    return check_solids(&c, result->part_a, result->part_b, proof);
}
