/* Ways out of a body that are shorter than those of the hulls. B is pushed as the deepest corner near the meeting
 * triangles says, again and again, until a query proves that the solids are apart; other ways go straight. A way that
 * was found is made shorter by what the gap behind it allows (Newton's method for the length). Nothing is assumed about
 * the way between: only that at its end, for the translation as it is rounded, the solids are apart. */
#include "push_out.h"

#include "facets.h"

enum {
    most_pushes = 12, /* of one search */
    most_steps = 8    /* by which a way is made shorter */
};

/* A push ends so much behind the surface, relative to its length. */
static const double beyond = 0x1p-20;

/* B at its new place. */
typedef struct place {
    apart_pose pose;
    apart_vec3 way; /* from the old place, as it is after rounding */
    double length;
    double gap;      /* certified, less the rounding; > 0: apart */
    double rounding; /* what the rounding of a user's sum could take away */
    apart_vec3 normal;
    uint32_t part[2];
} place;

/* False: the solids are not known to be apart there. */
static bool try_way(const ap_facet_solids *s, apart_vec3 way, place *out)
{
    const apart_options options = {.depth = APART_DEPTH_NONE};
    apart_compound_result r;
    out->pose = *s->pose[1];
    out->pose.translation = ap_add(out->pose.translation, way);
    out->gap = 0.0;
    if (!ap_finite(out->pose.translation) ||
        ap_facets_distance(s->solid[0], s->pose[0], s->solid[1], &out->pose, &options, NULL, &r) != APART_OK) {
        return false;
    }
    out->way = ap_sub(out->pose.translation, s->pose[1]->translation);
    out->length = ap_norm(out->way) * (1.0 + 8.0 * DBL_EPSILON);
    out->rounding = 8.0 * DBL_EPSILON * (ap_norm(out->pose.translation) + out->length);
    out->gap = r.result.lower - out->rounding;
    out->normal = r.result.normal;
    out->part[0] = r.part_a;
    out->part[1] = r.part_b;
    return out->gap > 0.0;
}

static void keep_shorter(const place *found, ap_facet_way_out *best)
{
    if (found->length < best->length) {
        *best = (ap_facet_way_out){found->way, found->length};
    }
}

/* Goes back along the way as far as the gap allows, but for what rounding needs. */
static void shorten(const ap_facet_solids *s, const place *from, ap_facet_way_out *best)
{
    const double room = 256.0 * DBL_EPSILON * s->frame->scope + 2.0 * from->rounding; /* wider than the bounds */
    place here = *from;
    double share = 1.0;
    keep_shorter(&here, best);
    for (int i = 0; i < most_steps && here.length > 0.0; i++) {
        const apart_vec3 direction = ap_scale(1.0 / here.length, here.way);
        const double slope = ap_max(ap_dot(direction, here.normal), 0x1p-10);
        const double step = share * (here.gap - room) / slope;
        place next;
        if (step <= room) {
            return;
        }
        if (step < here.length && try_way(s, ap_scale(here.length - step, direction), &next)) {
            here = next;
            keep_shorter(&here, best);
        } else {
            share *= 0.5;
        }
    }
}

/* The same, and straight along the normal of the gap, which is the shortest way past a flat face. */
static void settle(const ap_facet_solids *s, const place *from, ap_facet_way_out *best)
{
    place straight;
    shorten(s, from, best);
    const double along = ap_dot(from->way, from->normal);
    if (along > 0.0 && along < best->length * (1.0 + beyond) && try_way(s, ap_scale(along, from->normal), &straight)) {
        shorten(s, &straight, best);
    }
}

/* ---- pushes ---- */

static void keep_deeper(const ap_facet_solids *s, int from, apart_vec3 own, double *deepest, apart_vec3 *push)
{
    apart_vec3 v = ap_vec(0.0, 0.0, 0.0);
    const double radius = ap_facet_ball(s, from, own, &v);
    if (radius > *deepest) {
        *deepest = radius;
        *push = from == 1 ? v : ap_neg(v);
    }
}

static void place_corners(const ap_facet_solids *s, int side, uint32_t part, apart_vec3 corner[3])
{
    const ap_facet_side *of = &s->frame->side[side];
    for (int k = 0; k < 3; k++) {
        const apart_vec3 own = ap_sub(ap_mesh_vertex(of->mesh, ap_mesh_corners(of->mesh, part)[k]), of->center);
        const apart_vec3 turned = ap_apply(&s->pose[side]->rotation, own);
        corner[k] = side == 1 ? ap_add(turned, s->frame->between) : turned;
    }
}

/* The push of one triangle out of another along a direction; shorter ones are kept. */
static void part_along(const apart_vec3 a[3], const apart_vec3 b[3], apart_vec3 direction, apart_vec3 *push)
{
    const double length = ap_norm(direction);
    if (!(length > 0.0)) {
        return;
    }
    const apart_vec3 n = ap_scale(1.0 / length, direction);
    double way = -INFINITY;
    for (int i = 0; i < 9; i++) {
        way = ap_max(way, ap_dot(n, ap_sub(a[i / 3], b[i % 3])));
    }
    if (way > 0.0 && way < ap_norm(*push)) {
        *push = ap_scale(way, n);
    }
}

/* The shortest push of one triangle out of another: along a normal, or across two edges. False: not two triangles. */
static bool part_triangles(const ap_facet_solids *s, const uint32_t part[2], apart_vec3 *push)
{
    apart_vec3 a[3], b[3];
    if (s->frame->side[0].mesh == NULL || s->frame->side[1].mesh == NULL) {
        return false;
    }
    place_corners(s, 0, part[0], a);
    place_corners(s, 1, part[1], b);
    *push = ap_vec(INFINITY, 0.0, 0.0);
    for (int i = 0; i < 9; i++) {
        const apart_vec3 edge_a = ap_sub(a[(i / 3 + 1) % 3], a[i / 3]), edge_b = ap_sub(b[(i % 3 + 1) % 3], b[i % 3]);
        const apart_vec3 across = ap_cross(edge_a, edge_b);
        part_along(a, b, across, push);
        part_along(a, b, ap_neg(across), push);
    }
    for (int i = 0; i < 2; i++) {
        const apart_vec3 *t = i == 0 ? a : b;
        const apart_vec3 normal = ap_cross(ap_sub(t[1], t[0]), ap_sub(t[2], t[0]));
        part_along(a, b, normal, push);
        part_along(a, b, ap_neg(normal), push);
    }
    return ap_finite(*push);
}

/* The push of B by the deepest corner of two triangles that meet, or, if none lies in the other body, out of each
 * other. False: there is none. */
static bool find_push(const ap_facet_solids *s, const uint32_t part[2], apart_vec3 *push)
{
    double deepest = 0.0;
    for (int from = 0; from < 2; from++) {
        const apart_mesh *mesh = s->frame->side[from].mesh;
        for (int k = 0; k < 3 && mesh != NULL; k++) {
            keep_deeper(s, from, ap_mesh_vertex(mesh, ap_mesh_corners(mesh, part[from])[k]), &deepest, push);
        }
    }
    if (deepest > 0.0) {
        return true;
    }
    return part_triangles(s, part, push);
}

/* Pushes B until it is apart, or as far as the best way. */
static void push_on(const ap_facet_solids *s, const uint32_t part[2], ap_facet_way_out *best)
{
    ap_facet_frame frame;
    place here = {.pose = *s->pose[1], .part = {part[0], part[1]}};
    const ap_facet_solids moved = {&frame, {s->solid[0], s->solid[1]}, {s->pose[0], &here.pose}};
    apart_vec3 way = ap_vec(0.0, 0.0, 0.0), push = way;
    for (int i = 0; i < most_pushes; i++) {
        if (ap_facet_frame_set(&frame, s->solid[0], s->pose[0], s->solid[1], &here.pose) != APART_OK ||
            !find_push(&moved, here.part, &push)) {
            return;
        }
        way = ap_add(way, ap_scale(1.0 + beyond, push));
        if (!(ap_norm(way) < best->length)) {
            return;
        }
        if (try_way(s, way, &here)) {
            settle(s, &here, best);
            return;
        }
    }
}

void ap_facet_push_out(const ap_facet_solids *s, const uint32_t part[2], const apart_vec3 *directions, int count,
                       ap_facet_way_out *best)
{
    place found;
    if (try_way(s, ap_scale(1.0 + beyond, best->way), &found)) {
        settle(s, &found, best);
    }
    push_on(s, part, best);
    for (int i = 0; i < count; i++) {
        for (int k = 1; k <= 2; k++) {
            const double length = (k == 1 ? 0.25 : 0.875) * best->length;
            if (try_way(s, ap_scale(length, directions[i]), &found)) {
                settle(s, &found, best);
            }
        }
    }
}
