/* Which face, edge or vertex of a body is extreme in a direction, and its corners, in the body's own frame.
 *
 * Of all faces at the extreme vertex the one that looks most nearly in the direction is taken, however much it is tilted: corners that
 * rise away from the contact fall out by their height later. A face that is seen nearly edge-on has no useful plane: an edge takes its
 * place, and the place of an edge seen end-on the vertex. */
#include "../hull/search.h"
#include "../shape/family.h"
#include "corners.h"

/* A face or an edge is seen edge-on or end-on when the sine of its angle with the direction is below this: heights over it would be off
 * by more than ten times what its corners are. */
#define EDGE_ON 0.1

/* Slopes of a polygon's sides that differ by less are the same side: collinear points of a caller's polygon. */
#define SAME_SLOPE 1e-9

static ap_feature_name named(int kind, uint32_t number) { return (ap_feature_name){(uint8_t)kind, 0, number}; }

static void push(ap_corners *c, apart_vec3 point, ap_feature_name name)
{
    c->point[c->count] = point;
    c->name[c->count++] = name;
}

static void gather_vertex(ap_corners *c, apart_vec3 point, ap_feature_name name)
{
    c->count = 0;
    push(c, point, name);
    c->whole = name;
}

/* How steeply an edge runs along d: 0 across, 1 end-on. */
static double steepness(apart_vec3 p, apart_vec3 q, apart_vec3 d) { return fabs(ap_dot(ap_unit(ap_sub(q, p)), d)); }

/* sqrt(1 - EDGE_ON^2) */
#define END_ON 0.99498743710661997

/* An edge, or where it is seen end-on its extreme end. */
static void gather_edge(ap_corners *c, apart_vec3 p, ap_feature_name name_p, apart_vec3 q, ap_feature_name name_q, ap_feature_name whole,
                        apart_vec3 d)
{
    if (ap_max_abs(ap_sub(q, p)) == 0.0 || steepness(p, q, d) > END_ON) {
        const bool second = ap_dot(q, d) > ap_dot(p, d);
        gather_vertex(c, second ? q : p, second ? name_q : name_p);
        return;
    }
    push(c, p, name_p);
    push(c, q, name_q);
    c->whole = whole;
}

static void gather_triangle(ap_corners *c, const apart_vec3 *p, apart_vec3 d)
{
    const apart_vec3 m = ap_unit(ap_cross(ap_unit(ap_sub(p[1], p[0])), ap_unit(ap_sub(p[2], p[0]))));
    if (fabs(ap_dot(m, d)) >= EDGE_ON) {
        for (uint32_t i = 0; i < 3; i++) {
            push(c, p[i], named(APART_FEATURE_VERTEX, i));
        }
        c->face_normal = m;
        c->whole = named(APART_FEATURE_FACE, 0);
        return;
    }
    uint32_t top = 0;
    for (uint32_t i = 1; i < 3; i++) {
        top = ap_dot(p[i], d) > ap_dot(p[top], d) ? i : top;
    }
    const uint32_t u = (top + 1) % 3, v = (top + 2) % 3, other = steepness(p[top], p[v], d) < steepness(p[top], p[u], d) ? v : u;
    const ap_feature_name edge = {APART_FEATURE_EDGE, (uint8_t)(1u + 3u - top - other), 0};
    gather_edge(c, p[top], named(APART_FEATURE_VERTEX, top), p[other], named(APART_FEATURE_VERTEX, other), edge, d);
}

/* ---- box and rectangle ---- */

static double component(apart_vec3 v, uint32_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static apart_vec3 box_corner(apart_vec3 half, uint32_t corner)
{
    return ap_vec((corner & 1u) != 0 ? half.x : -half.x, (corner & 2u) != 0 ? half.y : -half.y, (corner & 4u) != 0 ? half.z : -half.z);
}

static void push_box_corner(ap_corners *c, apart_vec3 half, uint32_t corner)
{
    push(c, box_corner(half, corner), named(APART_FEATURE_VERTEX, corner));
}

static void gather_box(ap_corners *c, const apart_shape *s, apart_vec3 d)
{
    uint32_t axis = 0;
    for (uint32_t i = 1; i < s->dim; i++) {
        axis = fabs(component(d, i)) > fabs(component(d, axis)) ? i : axis;
    }
    const uint32_t side = component(d, axis) > 0.0 ? 1u << axis : 0u;
    if (s->dim == 2) {
        const uint32_t along = 1u << (1u - axis);
        push_box_corner(c, s->u.half_extents, side);
        push_box_corner(c, s->u.half_extents, side | along);
        c->whole = named(APART_FEATURE_EDGE, 4u * (1u - axis) + (side != 0 ? 1u : 0u));
        return;
    }
    const uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
    const uint32_t corner[] = {side, side | u, side | u | v, side | v};
    for (uint32_t i = 0; i < 4; i++) {
        push_box_corner(c, s->u.half_extents, corner[i]);
    }
    c->face_normal = ap_vec(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
    c->whole = named(APART_FEATURE_FACE, 2u * axis + (side != 0 ? 1u : 0u));
}

/* ---- cylinder and cone ---- */

/* Four points of a rim, fixed to the body so that their names last. */
static void gather_disc(ap_corners *c, double radius, double z, uint32_t rim, uint32_t cap)
{
    static const double cosine[] = {1.0, 0.0, -1.0, 0.0}, sine[] = {0.0, 1.0, 0.0, -1.0};
    for (uint32_t i = 0; i < 4; i++) {
        push(c, ap_vec(radius * cosine[i], radius * sine[i], z), (ap_feature_name){APART_FEATURE_EDGE, (uint8_t)(1u + i), rim});
    }
    c->face_normal = ap_vec(0.0, 0.0, 1.0);
    c->whole = named(APART_FEATURE_FACE, cap);
}

static void gather_cylinder(ap_corners *c, const apart_shape *s, apart_vec3 d)
{
    const double r = s->u.round.radius, h = s->u.round.half_height, across = sqrt(d.x * d.x + d.y * d.y);
    if (across >= fabs(d.z)) {
        const double x = r * (d.x / across), y = r * (d.y / across);
        gather_edge(c, ap_vec(x, y, -h), named(APART_FEATURE_EDGE, 3), ap_vec(x, y, h), named(APART_FEATURE_EDGE, 4),
                    named(APART_FEATURE_CURVED, 0), d);
    } else {
        gather_disc(c, r, d.z > 0.0 ? h : -h, d.z > 0.0 ? 4 : 3, d.z > 0.0 ? 2 : 1);
    }
}

static void gather_cone(ap_corners *c, const apart_shape *s, apart_vec3 d)
{
    const double r = s->u.round.radius, h = s->u.round.half_height, across = sqrt(d.x * d.x + d.y * d.y);
    const apart_vec3 apex = ap_vec(0.0, 0.0, h);
    const ap_feature_name apex_name = named(APART_FEATURE_VERTEX, 3);
    /* The side's normal has slope r : 2h. */
    if (-d.z * ap_norm(ap_vec(2.0 * h, r, 0.0)) >= across * (2.0 * h) + d.z * r && d.z < 0.0) {
        gather_disc(c, r, -h, 2, 1);
    } else if (across == 0.0) {
        gather_vertex(c, apex, apex_name);
    } else {
        const apart_vec3 rim = ap_vec(r * (d.x / across), r * (d.y / across), -h);
        gather_edge(c, rim, named(APART_FEATURE_EDGE, 2), apex, apex_name, named(APART_FEATURE_CURVED, 0), d);
    }
}

/* ---- hull ---- */

static bool has(const uint32_t *vertices, uint32_t count, uint32_t vertex)
{
    for (uint32_t i = 0; i < count; i++) {
        if (vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

/* Of the faces at the vertex, the one that looks most nearly in direction d. */
static uint32_t face_at(const apart_hull *h, uint32_t vertex, apart_vec3 d, double *cosine)
{
    uint32_t best = APART_NO_INDEX;
    *cosine = -2.0;
    for (uint32_t f = 0; f < h->face_count; f++) {
        const uint32_t *vertices;
        const uint32_t count = apart_hull_face(h, f, &vertices);
        const double c = ap_dot(apart_hull_face_normal(h, f), d);
        if (c > *cosine && has(vertices, count, vertex)) {
            *cosine = c;
            best = f;
        }
    }
    return best;
}

static void gather_hull_face(ap_corners *c, const apart_hull *h, uint32_t face)
{
    const uint32_t *vertices;
    const uint32_t count = apart_hull_face(h, face, &vertices), most = AP_FEATURE_POINTS;
    const uint32_t kept = count < most ? count : most;
    for (uint32_t i = 0; i < kept; i++) {
        const uint32_t v = vertices[(uint64_t)i * count / kept];
        push(c, apart_hull_vertex(h, v), named(APART_FEATURE_VERTEX, v));
    }
    c->face_normal = apart_hull_face_normal(h, face);
    c->whole = named(APART_FEATURE_FACE, face);
}

static void gather_hull(ap_corners *c, const apart_hull *h, apart_vec3 d)
{
    const uint32_t top = ap_hull_search(h, APART_SUPPORT_AUTO, APART_NO_INDEX, d, NULL);
    const apart_vec3 p = apart_hull_vertex(h, top);
    double cosine = 0.0, least = 2.0;
    const uint32_t face = h->dimension >= 2 ? face_at(h, top, d, &cosine) : APART_NO_INDEX;
    if (face != APART_NO_INDEX && cosine >= EDGE_ON) {
        gather_hull_face(c, h, face);
        return;
    }
    const uint32_t *neighbours;
    const uint32_t count = apart_hull_neighbours(h, top, &neighbours);
    uint32_t other = top;
    for (uint32_t i = 0; i < count; i++) {
        const double steep = steepness(p, apart_hull_vertex(h, neighbours[i]), d);
        if (steep < least) {
            least = steep;
            other = neighbours[i];
        }
    }
    gather_edge(c, p, named(APART_FEATURE_VERTEX, top), apart_hull_vertex(h, other), named(APART_FEATURE_VERTEX, other),
                named(APART_FEATURE_EDGE, APART_NO_INDEX), d);
}

/* ---- polygons in the plane ---- */

static apart_vec3 planar(const apart_shape *s, size_t i)
{
    return ap_vec(s->u.points.coordinates[2 * i], s->u.points.coordinates[2 * i + 1], 0.0);
}

/* The extreme point, and the point to which its surface falls least, on whichever side. */
static void gather_polygon(ap_corners *c, const apart_shape *s, apart_vec3 d)
{
    const size_t count = s->u.points.count;
    size_t top = 0, other = 0;
    for (size_t i = 1; i < count; i++) {
        top = ap_dot(ap_sub(planar(s, i), planar(s, top)), d) > 0.0 ? i : top;
    }
    const apart_vec3 p = planar(s, top);
    double least = INFINITY, width = 0.0;
    other = top;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 e = ap_sub(planar(s, i), p);
        const double across = fabs(d.x * e.y - d.y * e.x), slope = across > 0.0 ? -ap_dot(e, d) / across : INFINITY;
        const bool same = fabs(slope - least) <= SAME_SLOPE;
        if (same ? across > width : slope < least) {
            least = slope;
            width = across;
            other = i;
        }
    }
    gather_edge(c, p, named(APART_FEATURE_VERTEX, (uint32_t)top), planar(s, other), named(APART_FEATURE_VERTEX, (uint32_t)other),
                named(APART_FEATURE_EDGE, APART_NO_INDEX), d);
}

/* ---- affine images ---- */

/* The image of a polygon lies in a plane again; its normal anew, from the largest triangle at corner 0. */
static apart_vec3 plane_of(const ap_corners *c)
{
    apart_vec3 best = {0.0, 0.0, 0.0};
    const double scale = ap_power_of_two_scale(ap_max_abs(ap_sub(c->point[1], c->point[0])));
    for (uint32_t i = 2; i < c->count; i++) {
        const apart_vec3 m =
            ap_cross(ap_scale(scale, ap_sub(c->point[i - 1], c->point[0])), ap_scale(scale, ap_sub(c->point[i], c->point[0])));
        best = ap_max_abs(m) > ap_max_abs(best) ? m : best;
    }
    return ap_unit(best);
}

static void gather_affine(ap_corners *c, const apart_shape *s, apart_vec3 d)
{
    const apart_vec3 inner = ap_unit(ap_apply_transposed(&s->u.affine.linear, d));
    if (ap_max_abs(inner) == 0.0 || (s->flags & AP_CHILD_RADII) != 0) {
        return;
    }
    ap_corners_gather(s->u.affine.child, inner, c);
    for (uint32_t i = 0; i < c->count; i++) {
        c->point[i] = ap_add(ap_apply(&s->u.affine.linear, c->point[i]), s->u.affine.offset);
    }
    if (c->count == 2) {
        const ap_corners image = *c;
        c->count = 0;
        gather_edge(c, image.point[0], image.name[0], image.point[1], image.name[1], image.whole, d);
    } else if (c->count > 2) {
        c->face_normal = plane_of(c);
        c->count = fabs(ap_dot(c->face_normal, d)) >= EDGE_ON ? c->count : 0;
    }
}

void ap_corners_gather(const apart_shape *shape, apart_vec3 d, ap_corners *out)
{
    out->shape = shape;
    out->count = 0;
    out->endless = false;
    switch ((apart_shape_kind)shape->kind) {
    case APART_SHAPE_POINT:
        gather_vertex(out, shape->u.point[0], named(APART_FEATURE_VERTEX, 0));
        break;
    case APART_SHAPE_SEGMENT:
        gather_edge(out, shape->u.point[0], named(APART_FEATURE_VERTEX, 0), shape->u.point[1], named(APART_FEATURE_VERTEX, 1),
                    named(APART_FEATURE_EDGE, 0), d);
        break;
    case APART_SHAPE_TRIANGLE:
        gather_triangle(out, shape->u.point, d);
        break;
    case APART_SHAPE_BOX:
        gather_box(out, shape, d);
        break;
    case APART_SHAPE_CYLINDER:
        gather_cylinder(out, shape, d);
        break;
    case APART_SHAPE_CONE:
        gather_cone(out, shape, d);
        break;
    case APART_SHAPE_HALF_SPACE:
        gather_vertex(out, ap_scale(shape->u.plane.offset, shape->u.plane.normal), named(APART_FEATURE_FACE, 0));
        out->face_normal = shape->u.plane.normal;
        out->endless = true;
        break;
    case APART_SHAPE_HULL:
        gather_hull(out, shape->u.hull, d);
        break;
    case APART_SHAPE_POINTS:
        if (shape->dim == 2) {
            gather_polygon(out, shape, d);
        }
        break;
    case APART_SHAPE_AFFINE:
        gather_affine(out, shape, d);
        break;
    default: /* no known features */
        break;
    }
}
