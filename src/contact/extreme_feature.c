/* Which face, edge or vertex of a shape is extreme in a direction, and which are its corners, in the shape's own
 * frame?
 *
 * Of all faces at the extreme vertex, the one whose normal is nearest to the direction is taken, however much it is
 * tilted: corners that rise away from the contact are dropped later because of their height. A face that is seen
 * nearly edge-on has no useful plane, so an edge takes its place; a vertex takes the place of an edge
 * that is seen nearly end-on. */
#include "../hull/search.h"
#include "../shape/family.h"
#include "extreme_feature.h"

/* A face is seen edge-on, and an edge end-on, when the sine of its angle with the direction is below this: the
 * error of a height over it would be more than ten times that of its corners. */
#define EDGE_ON 0.1

/* Sides of a polygon whose slopes differ by less are one side: a caller's polygon may have collinear points. */
#define SAME_SLOPE 1e-9

static ap_feature_name feature_name(int kind, uint32_t number) { return (ap_feature_name){(uint8_t)kind, 0, number}; }

static void push_corner(ap_extreme_feature *c, apart_vec3 point, ap_feature_name name)
{
    c->point[c->count] = point;
    c->name[c->count++] = name;
}

static void take_single_vertex(ap_extreme_feature *c, apart_vec3 point, ap_feature_name name)
{
    c->count = 0;
    push_corner(c, point, name);
    c->whole = name;
}

/* How steeply an edge runs along d: 0 if perpendicular, 1 if end-on. */
static double steepness(apart_vec3 p, apart_vec3 q, apart_vec3 d) { return fabs(ap_dot(ap_unit(ap_sub(q, p)), d)); }

/* sqrt(1 - EDGE_ON^2) */
#define END_ON 0.99498743710661997

/* Takes an edge, or its extreme end if it is seen end-on. */
static void take_edge(ap_extreme_feature *c, apart_vec3 p, ap_feature_name name_p, apart_vec3 q, ap_feature_name name_q,
                      ap_feature_name whole, apart_vec3 d)
{
    if (ap_max_abs(ap_sub(q, p)) == 0.0 || steepness(p, q, d) > END_ON) {
        const bool second = ap_dot(q, d) > ap_dot(p, d);
        take_single_vertex(c, second ? q : p, second ? name_q : name_p);
        return;
    }
    push_corner(c, p, name_p);
    push_corner(c, q, name_q);
    c->whole = whole;
}

static void take_triangle(ap_extreme_feature *c, const apart_vec3 *p, apart_vec3 d)
{
    const apart_vec3 m = ap_unit(ap_cross(ap_unit(ap_sub(p[1], p[0])), ap_unit(ap_sub(p[2], p[0]))));
    if (fabs(ap_dot(m, d)) >= EDGE_ON) {
        for (uint32_t i = 0; i < 3; i++) {
            push_corner(c, p[i], feature_name(APART_FEATURE_VERTEX, i));
        }
        c->face_normal = m;
        c->whole = feature_name(APART_FEATURE_FACE, 0);
        return;
    }
    uint32_t top = 0;
    for (uint32_t i = 1; i < 3; i++) {
        top = ap_dot(p[i], d) > ap_dot(p[top], d) ? i : top;
    }
    const uint32_t u = (top + 1) % 3, v = (top + 2) % 3,
                   other = steepness(p[top], p[v], d) < steepness(p[top], p[u], d) ? v : u;
    const ap_feature_name edge = {APART_FEATURE_EDGE, (uint8_t)(1u + 3u - top - other), 0};
    take_edge(c, p[top], feature_name(APART_FEATURE_VERTEX, top), p[other], feature_name(APART_FEATURE_VERTEX, other),
              edge, d);
}

/* ---- box and rectangle ---- */

static double component(apart_vec3 v, uint32_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static apart_vec3 box_corner(apart_vec3 half, uint32_t corner)
{
    return ap_vec((corner & 1u) != 0 ? half.x : -half.x, (corner & 2u) != 0 ? half.y : -half.y,
                  (corner & 4u) != 0 ? half.z : -half.z);
}

static void push_box_corner(ap_extreme_feature *c, apart_vec3 half, uint32_t corner)
{
    push_corner(c, box_corner(half, corner), feature_name(APART_FEATURE_VERTEX, corner));
}

static void take_box(ap_extreme_feature *c, const apart_shape *s, apart_vec3 d)
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
        c->whole = feature_name(APART_FEATURE_EDGE, 4u * (1u - axis) + (side != 0 ? 1u : 0u));
        return;
    }
    const uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
    const uint32_t corner[] = {side, side | u, side | u | v, side | v};
    for (uint32_t i = 0; i < 4; i++) {
        push_box_corner(c, s->u.half_extents, corner[i]);
    }
    c->face_normal = ap_vec(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
    c->whole = feature_name(APART_FEATURE_FACE, 2u * axis + (side != 0 ? 1u : 0u));
}

/* ---- cylinder and cone ---- */

/* Takes four points of a rim, fixed to the body so that their names persist. */
static void take_disc(ap_extreme_feature *c, double radius, double z, uint32_t rim, uint32_t cap)
{
    static const double cosine[] = {1.0, 0.0, -1.0, 0.0}, sine[] = {0.0, 1.0, 0.0, -1.0};
    for (uint32_t i = 0; i < 4; i++) {
        push_corner(c, ap_vec(radius * cosine[i], radius * sine[i], z),
                    (ap_feature_name){APART_FEATURE_EDGE, (uint8_t)(1u + i), rim});
    }
    c->face_normal = ap_vec(0.0, 0.0, 1.0);
    c->whole = feature_name(APART_FEATURE_FACE, cap);
}

static void take_cylinder(ap_extreme_feature *c, const apart_shape *s, apart_vec3 d)
{
    const double r = s->u.round.radius, h = s->u.round.half_height, across = sqrt(d.x * d.x + d.y * d.y);
    if (across >= fabs(d.z)) {
        const double x = r * (d.x / across), y = r * (d.y / across);
        take_edge(c, ap_vec(x, y, -h), feature_name(APART_FEATURE_EDGE, 3), ap_vec(x, y, h),
                  feature_name(APART_FEATURE_EDGE, 4), feature_name(APART_FEATURE_CURVED, 0), d);
    } else {
        take_disc(c, r, d.z > 0.0 ? h : -h, d.z > 0.0 ? 4 : 3, d.z > 0.0 ? 2 : 1);
    }
}

static void take_cone(ap_extreme_feature *c, const apart_shape *s, apart_vec3 d)
{
    const double r = s->u.round.radius, h = s->u.round.half_height, across = sqrt(d.x * d.x + d.y * d.y);
    const apart_vec3 apex = ap_vec(0.0, 0.0, h);
    const ap_feature_name apex_name = feature_name(APART_FEATURE_VERTEX, 3);
    /* The normal of the side has slope r : 2h. */
    if (-d.z * ap_norm(ap_vec(2.0 * h, r, 0.0)) >= across * (2.0 * h) + d.z * r && d.z < 0.0) {
        take_disc(c, r, -h, 2, 1);
    } else if (across == 0.0) {
        take_single_vertex(c, apex, apex_name);
    } else {
        const apart_vec3 rim = ap_vec(r * (d.x / across), r * (d.y / across), -h);
        take_edge(c, rim, feature_name(APART_FEATURE_EDGE, 2), apex, apex_name, feature_name(APART_FEATURE_CURVED, 0),
                  d);
    }
}

/* ---- hull ---- */

/* Where a vertex is in a face, or the last place. */
static uint32_t place_of(const uint32_t *vertices, uint32_t count, uint32_t vertex)
{
    uint32_t i = 0;
    while (i + 1 < count && vertices[i] != vertex) {
        i++;
    }
    return i;
}

/* The face at the vertex whose normal is nearest to direction d: once around the vertex, from each face over the side
 * that begins there. */
static uint32_t facing_face(const apart_hull *h, uint32_t vertex, apart_vec3 d, double *cosine)
{
    const uint32_t *all = ap_at(h, h->face_vertices), *across = ap_at(h, h->face_across);
    const uint32_t first = ((const uint32_t *)ap_at(h, h->vertex_face))[vertex];
    uint32_t best = APART_NO_INDEX, f = first;
    *cosine = -2.0;
    for (uint32_t step = 0; step < h->face_count && (step == 0 || f != first); step++) {
        const uint32_t *vertices;
        const uint32_t count = apart_hull_face(h, f, &vertices);
        const double c = ap_dot(apart_hull_face_normal(h, f), d);
        if (c > *cosine || (c == *cosine && f < best)) { /* the lowest number wins ties */
            *cosine = c;
            best = f;
        }
        f = across[(size_t)(vertices - all) + place_of(vertices, count, vertex)];
    }
    return best;
}

static void take_hull_face(ap_extreme_feature *c, const apart_hull *h, uint32_t face)
{
    const uint32_t *vertices;
    const uint32_t count = apart_hull_face(h, face, &vertices), most = AP_FEATURE_POINTS;
    const uint32_t kept = count < most ? count : most;
    for (uint32_t i = 0; i < kept; i++) {
        const uint32_t v = vertices[(uint64_t)i * count / kept];
        push_corner(c, apart_hull_vertex(h, v), feature_name(APART_FEATURE_VERTEX, v));
    }
    c->face_normal = apart_hull_face_normal(h, face);
    c->whole = feature_name(APART_FEATURE_FACE, face);
}

static void take_hull(ap_extreme_feature *c, const apart_hull *h, apart_vec3 d)
{
    const uint32_t top = ap_hull_search(h, APART_SUPPORT_AUTO, APART_NO_INDEX, d, NULL);
    const apart_vec3 p = apart_hull_vertex(h, top);
    double cosine = 0.0, least = 2.0;
    const uint32_t face = h->dimension >= 2 ? facing_face(h, top, d, &cosine) : APART_NO_INDEX;
    if (face != APART_NO_INDEX && cosine >= EDGE_ON) {
        take_hull_face(c, h, face);
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
    take_edge(c, p, feature_name(APART_FEATURE_VERTEX, top), apart_hull_vertex(h, other),
              feature_name(APART_FEATURE_VERTEX, other), feature_name(APART_FEATURE_EDGE, APART_NO_INDEX), d);
}

/* ---- polygons in the plane ---- */

static apart_vec3 polygon_point(const apart_shape *s, size_t i)
{
    return ap_vec(s->u.points.coordinates[2 * i], s->u.points.coordinates[2 * i + 1], 0.0);
}

/* Takes the extreme point and the point to which the boundary falls least steeply, on either side. */
static void take_polygon(ap_extreme_feature *c, const apart_shape *s, apart_vec3 d)
{
    const size_t count = s->u.points.count;
    size_t top = 0, other = 0;
    for (size_t i = 1; i < count; i++) {
        top = ap_dot(ap_sub(polygon_point(s, i), polygon_point(s, top)), d) > 0.0 ? i : top;
    }
    const apart_vec3 p = polygon_point(s, top);
    double least = INFINITY, width = 0.0;
    other = top;
    for (size_t i = 0; i < count; i++) {
        const apart_vec3 e = ap_sub(polygon_point(s, i), p);
        const double across = fabs(d.x * e.y - d.y * e.x), slope = across > 0.0 ? -ap_dot(e, d) / across : INFINITY;
        const bool same = fabs(slope - least) <= SAME_SLOPE;
        if (same ? across > width : slope < least) {
            least = slope;
            width = across;
            other = i;
        }
    }
    take_edge(c, p, feature_name(APART_FEATURE_VERTEX, (uint32_t)top), polygon_point(s, other),
              feature_name(APART_FEATURE_VERTEX, (uint32_t)other), feature_name(APART_FEATURE_EDGE, APART_NO_INDEX), d);
}

/* ---- affine images ---- */

/* The normal of a mapped polygon, which is plane again, from the largest triangle at corner 0. */
static apart_vec3 mapped_normal(const ap_extreme_feature *c)
{
    apart_vec3 best = {0.0, 0.0, 0.0};
    const double scale = ap_power_of_two_scale(ap_max_abs(ap_sub(c->point[1], c->point[0])));
    for (uint32_t i = 2; i < c->count; i++) {
        const apart_vec3 m = ap_cross(ap_scale(scale, ap_sub(c->point[i - 1], c->point[0])),
                                      ap_scale(scale, ap_sub(c->point[i], c->point[0])));
        best = ap_max_abs(m) > ap_max_abs(best) ? m : best;
    }
    return ap_unit(best);
}

static void take_affine(ap_extreme_feature *c, const apart_shape *s, apart_vec3 d)
{
    const apart_vec3 inner = ap_unit(ap_apply_transposed(&s->u.affine.linear, d));
    if (ap_max_abs(inner) == 0.0 || (s->flags & AP_CHILD_RADII) != 0) {
        return;
    }
    ap_extreme_feature_find(s->u.affine.child, inner, c);
    for (uint32_t i = 0; i < c->count; i++) {
        c->point[i] = ap_add(ap_apply(&s->u.affine.linear, c->point[i]), s->u.affine.offset);
    }
    if (c->count == 2) {
        const ap_extreme_feature image = *c;
        c->count = 0;
        take_edge(c, image.point[0], image.name[0], image.point[1], image.name[1], image.whole, d);
    } else if (c->count > 2) {
        c->face_normal = mapped_normal(c);
        c->count = fabs(ap_dot(c->face_normal, d)) >= EDGE_ON ? c->count : 0;
    }
}

void ap_extreme_feature_find(const apart_shape *shape, apart_vec3 d, ap_extreme_feature *out)
{
    out->shape = shape;
    out->count = 0;
    out->unbounded = false;
    switch ((apart_shape_kind)shape->kind) {
    case APART_SHAPE_POINT: take_single_vertex(out, shape->u.point[0], feature_name(APART_FEATURE_VERTEX, 0)); break;
    case APART_SHAPE_SEGMENT:
        take_edge(out, shape->u.point[0], feature_name(APART_FEATURE_VERTEX, 0), shape->u.point[1],
                  feature_name(APART_FEATURE_VERTEX, 1), feature_name(APART_FEATURE_EDGE, 0), d);
        break;
    case APART_SHAPE_TRIANGLE: take_triangle(out, shape->u.point, d); break;
    case APART_SHAPE_BOX: take_box(out, shape, d); break;
    case APART_SHAPE_CYLINDER: take_cylinder(out, shape, d); break;
    case APART_SHAPE_CONE: take_cone(out, shape, d); break;
    case APART_SHAPE_HALF_SPACE:
        take_single_vertex(out, ap_scale(shape->u.plane.offset, shape->u.plane.normal),
                           feature_name(APART_FEATURE_FACE, 0));
        out->face_normal = shape->u.plane.normal;
        out->unbounded = true;
        break;
    case APART_SHAPE_HULL: take_hull(out, shape->u.hull, d); break;
    case APART_SHAPE_POINTS:
        if (shape->dim == 2) {
            take_polygon(out, shape, d);
        }
        break;
    case APART_SHAPE_AFFINE: take_affine(out, shape, d); break;
    default: /* no known features */ break;
    }
}
