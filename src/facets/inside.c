/* A body whose surface does not meet another's lies inside it or outside, island by island: one point of each decides,
 * exactly, if the point's rounding is smaller than the gap of the surfaces.
 *
 * The depth of overlapping solids lies between two numbers. At least: a ball in one body about a point of the other must
 * be left by that point, and by the ball about it that belongs to the other. At most: the translation along a direction after which the supports of both bodies no longer
 * overlap, so that a plane separates them, or one after which a query says so (push_out.c). */
#include "inside.h"

#include "../mesh/contains.h"
#include "../mesh/support.h"
#include "../query/query.h"
#include "facets.h"
#include "push_out.h"

/* Points of each body that are tried for the lower bound. */
enum { depth_points = 24 };

/* What rounding and the defects of the poses can do to a point that is taken from one body's frame to the other's. */
static double place_error(const ap_facet_solids *s)
{
    const double defect = ap_max(ap_rotation_defect(&s->pose[0]->rotation), ap_rotation_defect(&s->pose[1]->rotation));
    double error = (16.0 * DBL_EPSILON + 8.0 * defect) * s->frame->scope;
    const bool offset = s->frame->scope < s->frame->reach;
    for (int i = 0; i < 2 && offset;
         i++) { /* large coordinates are rounded there, those of other points than vertices twice */
        error += (s->solid[i].mesh != NULL ? 1.0 : 8.0) * DBL_EPSILON * s->frame->side[i].extent;
    }
    return error;
}

static apart_vec3 to_world(const apart_pose *pose, apart_vec3 own) { return apart_pose_apply(pose, own); }

/* A point of side `from` in the other's frame: by way of both centres, so that no offset of theirs is rounded but the
 * last. */
static apart_vec3 to_other(const ap_facet_solids *s, int from, apart_vec3 own)
{
    const ap_facet_side *here = &s->frame->side[from], *there = &s->frame->side[1 - from];
    const apart_vec3 to_here = from == 1 ? s->frame->between : ap_neg(s->frame->between);
    const apart_vec3 p = ap_add(ap_apply(&s->pose[from]->rotation, ap_sub(own, here->center)), to_here);
    return ap_add(there->center, ap_apply_transposed(&s->pose[1 - from]->rotation, p));
}

/* ---- points of a body ---- */

/* How many points of a body are tried, and the i-th of them in its own frame. */
static uint32_t point_count(const ap_facet_side *side)
{
    const uint64_t count = side->mesh != NULL       ? side->mesh->vertex_count
                           : side->compound != NULL ? side->compound->count
                                                    : 6;
    return count < depth_points ? (uint32_t)count : depth_points;
}

static apart_vec3 axis_support(const apart_shape *shape, uint32_t i)
{
    const double sign = i % 2 ? -1.0 : 1.0;
    const apart_vec3 d = {i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0};
    apart_vec3 p = shape->center;
    apart_support(shape, d, &p);
    return p;
}

/* The same of the shape's core: the ball of the shape's radius about it belongs to the shape. */
static apart_vec3 core_support(const apart_shape *shape, uint32_t i)
{
    apart_vec3 p = axis_support(shape, i);
    const double back = i % 2 ? shape->radius : -shape->radius;
    *(i / 2 == 0 ? &p.x : i / 2 == 1 ? &p.y : &p.z) += back;
    return p;
}

/* around: the radius of a ball about it that belongs to the body. */
static apart_vec3 point_of(const ap_facet_side *side, uint32_t i, double *around)
{
    *around = 0.0;
    if (side->mesh != NULL) {
        return ap_mesh_vertex(side->mesh, (uint32_t)((uint64_t)i * side->mesh->vertex_count / point_count(side)));
    }
    if (side->compound != NULL) {
        const apart_part *part = &side->compound->parts[(uint64_t)i * side->compound->count / point_count(side)];
        *around = part->shape.radius;
        return apart_pose_apply(&part->pose, core_support(&part->shape, i % 6));
    }
    *around = side->shape->radius;
    return core_support(side->shape, i);
}

/* ---- inside ---- */

/* Are points of the other body inside the mesh of side `mesh_side`? */
static ap_facet_inside islands_inside(const ap_facet_solids *s, int mesh_side, bool certain, apart_vec3 *point)
{
    const ap_facet_side *other = &s->frame->side[1 - mesh_side];
    const apart_mesh *mesh = s->solid[mesh_side].mesh;
    const uint64_t count = other->mesh != NULL       ? other->mesh->island_count
                           : other->compound != NULL ? other->compound->count
                                                     : 1;
    for (uint64_t i = 0; i < count; i++) {
        const apart_vec3 own =
            other->mesh != NULL ? ap_mesh_vertex(other->mesh, ap_mesh_island_vertices(other->mesh)[i])
            : other->compound != NULL
                ? apart_pose_apply(&other->compound->parts[i].pose, axis_support(&other->compound->parts[i].shape, 0))
                : axis_support(other->shape, 0);
        const apart_vec3 there = to_other(s, 1 - mesh_side, own);
        if (certain && ap_finite(there) && ap_mesh_side(mesh, there) > 0) {
            *point = to_world(s->pose[1 - mesh_side], own);
            return AP_FACET_INSIDE;
        }
    }
    return certain ? AP_FACET_OUTSIDE : AP_FACET_UNKNOWN;
}

/* Nothing of a half-space lies inside a mesh. */
static bool may_hold(const ap_facet_solids *s, int side)
{
    const apart_shape *other = s->solid[1 - side].shape;
    return ap_facet_is_filled(s->solid[side]) && !(other != NULL && other->kind == APART_SHAPE_HALF_SPACE);
}

ap_facet_inside ap_facet_lies_inside(const ap_facet_solids *s, double gap, apart_vec3 *point)
{
    const bool certain = gap > place_error(s);
    for (int side = 0; side < 2; side++) {
        const ap_facet_inside found = may_hold(s, side) ? islands_inside(s, side, certain, point) : AP_FACET_OUTSIDE;
        if (found != AP_FACET_OUTSIDE) {
            return found;
        }
    }
    return AP_FACET_OUTSIDE;
}

/* ---- depth ---- */

double ap_facet_ball(const ap_facet_solids *s, int from, apart_vec3 own_point, apart_vec3 *push)
{
    const int side = 1 - from;
    const apart_solid solid = s->solid[side];
    const apart_vec3 p = to_other(s, from, own_point);
    const apart_pose identity = apart_pose_identity(), at = apart_pose_translation(p.x, p.y, p.z);
    const apart_shape dot = apart_point(ap_vec(0.0, 0.0, 0.0));
    const apart_solid of_dot = {.shape = &dot};
    apart_compound_result r;
    if (!ap_finite(p) || (solid.mesh != NULL && ap_mesh_side(solid.mesh, p) <= 0)) {
        return 0.0;
    }
    if (solid.mesh != NULL) {
        const apart_solid surface = {.mesh = solid.mesh, .surface = 1};
        if (ap_facets_distance(of_dot, &at, surface, &identity, NULL, NULL, &r) != APART_OK) {
            return 0.0;
        }
        *push = ap_apply(&s->pose[side]->rotation, ap_sub(r.result.b, r.result.a));
        return r.result.lower;
    }
    if (ap_solids_distance(of_dot, &at, solid, &identity, NULL, NULL, &r) != APART_OK) {
        return 0.0;
    }
    *push = ap_apply(&s->pose[side]->rotation, ap_scale(r.result.distance, r.result.normal));
    return -r.result.upper;
}

/* An upper bound of the support value of a side along a direction of its own frame, relative to its centre. */
static double support_above(const ap_facet_side *side, apart_vec3 d)
{
    if (side->mesh != NULL) {
        return ap_mesh_support_value(side->mesh, d);
    }
    if (side->shape != NULL) {
        return ap_shape_support_value(side->shape, d) - ap_dot(d, side->center);
    }
    const ap_node_direction n = ap_node_direction_of(d);
    const ap_lanes value = ap_lanes_largest(ap_node_support_values(&side->compound->nodes[0], &n));
    return ap_lanes_at(value, 0) - ap_dot(d, side->center);
}

/* How far B must move along a unit direction of the world until a plane separates the bodies. */
static double way_out(const ap_facet_solids *s, apart_vec3 d)
{
    const ap_facet_frame *f = s->frame;
    const double a = support_above(&f->side[0], ap_apply_transposed(&s->pose[0]->rotation, d));
    const double b = support_above(&f->side[1], ap_apply_transposed(&s->pose[1]->rotation, ap_neg(d)));
    return (a + b) - ap_dot(d, f->between);
}

/* The i-th direction that is tried: the line of the centres, and the axes of both bodies' volumes. */
enum { way_count = 14 };

static apart_vec3 way(const ap_facet_solids *s, int i)
{
    const ap_facet_frame *f = s->frame;
    ap_mesh_volume memory;
    if (i < 2) {
        const apart_vec3 line = f->between.x != 0.0 || f->between.y != 0.0 || f->between.z != 0.0
                                    ? ap_unit(f->between)
                                    : ap_vec(1.0, 0.0, 0.0);
        return i == 0 ? line : ap_neg(line);
    }
    const int side = (i - 2) / 6, axis = (i - 2) % 6 / 2;
    const float *row = ap_facet_volume(&f->side[side], ap_facet_root(&f->side[side]), &memory)->axis[axis];
    const apart_vec3 own = ap_unit(ap_vec(row[0], row[1], row[2]));
    const apart_vec3 d = ap_unit(ap_apply(&s->pose[side]->rotation, own));
    return i % 2 ? ap_neg(d) : d;
}

static bool is_half_space(apart_solid solid)
{
    return solid.shape != NULL && solid.shape->kind == APART_SHAPE_HALF_SPACE;
}

/* Out of a half-space there is one way, and it is exact. */
static double way_out_of_plane(const ap_facet_solids *s, int plane, apart_vec3 *normal)
{
    const ap_facet_frame *f = s->frame;
    const apart_shape *shape = s->solid[plane].shape;
    const apart_vec3 n = ap_apply(&s->pose[plane]->rotation, shape->u.plane.normal);
    const int body = 1 - plane;
    const double above = support_above(&f->side[body], ap_neg(ap_apply_transposed(&s->pose[body]->rotation, n)));
    const double centre = ap_dot(n, plane == 0 ? f->between : ap_neg(f->between));
    *normal = ap_unit(plane == 0 ? n : ap_neg(n));
    return (above - centre) + (shape->u.plane.offset + shape->radius);
}

/* At least: balls about the corners of the parts that meet, and about other points. */
static double depth_below(const ap_facet_solids *s, const uint32_t part[2])
{
    apart_vec3 push = ap_vec(0.0, 0.0, 0.0);
    double most = 0.0;
    for (int side = 0; side < 2; side++) {
        const apart_mesh *mesh = s->frame->side[side].mesh;
        for (int k = 0; k < 3 && mesh != NULL; k++) {
            const apart_vec3 corner = ap_mesh_vertex(mesh, ap_mesh_corners(mesh, part[side])[k]);
            most = ap_max(most, ap_facet_ball(s, side, corner, &push));
        }
        for (uint32_t i = 0; i < point_count(&s->frame->side[side]); i++) {
            double around;
            const apart_vec3 point = point_of(&s->frame->side[side], i, &around);
            const double ball = ap_facet_ball(s, side, point, &push);
            most = ball > 0.0 ? ap_max(most, ball + around) : most; /* two balls must leave each other */
        }
    }
    return most;
}

void ap_facet_depth_bounds(const ap_facet_solids *s, const uint32_t part[2], bool search, ap_facet_depth *out)
{
    const double error = place_error(s);
    apart_vec3 ways[way_count];
    *out = (ap_facet_depth){.upper = INFINITY};
    if (is_half_space(s->solid[0]) || is_half_space(s->solid[1])) {
        const double depth = way_out_of_plane(s, is_half_space(s->solid[0]) ? 0 : 1, &out->normal);
        out->upper = ap_max(depth + 2.0 * error, 0.0);
        out->lower = ap_max(depth - 2.0 * error, 0.0);
        return;
    }
    for (int i = 0; i < way_count; i++) {
        ways[i] = way(s, i);
        const double depth = way_out(s, ways[i]) + 2.0 * error;
        if (depth < out->upper) {
            out->upper = depth;
            out->normal = ways[i];
        }
    }
    out->lower = ap_max(depth_below(s, part) - error, 0.0);
    if (search && out->upper > out->lower + 8.0 * error) {
        ap_facet_way_out best = {ap_scale(out->upper, out->normal), out->upper};
        ap_facet_push_out(s, part, ways, way_count, &best);
        if (best.length < out->upper) {
            out->upper = best.length;
            out->normal = ap_unit(best.way);
        }
    }
    out->upper = ap_max(out->upper, out->lower);
}
