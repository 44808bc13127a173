/* Silhouettes and edges. The point of a convex body's silhouette in a direction of the picture is its support point.
 * All directions once around give the outline of any shape; the Minkowski difference {b - a} adds the support points of
 * both bodies (Lindemann 2009, item L3). */
#include "outline.h"

#include <math.h>
#include <stdlib.h>

static const double TAU = 6.283185307179586;

/* How far the view turns about the normal, so that boxes show three sides. */
static const double TILT = 0.38;

/* The edges of hulls with more edges are not drawn: they would fill the picture. */
enum { MOST_EDGES = 1200 };

static apart_vec3 combine(double s, apart_vec3 p, double t, apart_vec3 q)
{
    return (apart_vec3){s * p.x + t * q.x, s * p.y + t * q.y, s * p.z + t * q.z};
}

static apart_vec3 unit(apart_vec3 p) { return apart_vec3_scale(1 / apart_vec3_norm(p), p); }

cli_view cli_view_choose(const apart_result *result)
{
    const apart_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    if (result->dim == 2) {
        return (cli_view){x, y, z};
    }
    const apart_vec3 n = apart_vec3_dot(result->normal, result->normal) > 0.5 ? unit(result->normal) : x;
    const apart_vec3 side = apart_vec3_cross(n, z);
    /* The plane of n and z, seen so that A is on the left; then turned about n to look down a little. */
    const apart_vec3 level =
        apart_vec3_dot(side, side) > 1e-4 ? unit(side) : unit(combine(-1, y, apart_vec3_dot(y, n), n));
    const apart_vec3 toward = unit(combine(cos(TILT), level, -sin(TILT), apart_vec3_cross(n, level)));
    const apart_vec3 up = unit(combine(1, z, -apart_vec3_dot(z, toward), toward));
    return (cli_view){apart_vec3_cross(up, toward), up, toward};
}

flat cli_project(const cli_view *view, apart_vec3 p)
{
    return (flat){apart_vec3_dot(p, view->right), apart_vec3_dot(p, view->up)};
}

/* The body's point farthest in a world direction. */
static apart_vec3 support(const cli_body *body, apart_vec3 direction)
{
    apart_vec3 p = {0, 0, 0};
    apart_support(&body->shape, apart_pose_rotate_inverse(&body->pose, direction), &p);
    return apart_pose_apply(&body->pose, p);
}

static bool is_half_space(const cli_body *body) { return body->shape.kind == APART_SHAPE_HALF_SPACE; }

/* A half-space seen from its side: n . x <= offset in the world, and the same in the picture. */
static void half_space_region(const cli_body *body, const cli_view *view, cli_region *out)
{
    const apart_vec3 n = apart_pose_rotate(&body->pose, body->shape.u.plane.normal);
    const flat seen = cli_project(view, n);
    const double length = sqrt(seen.x * seen.x + seen.y * seen.y);
    out->half_plane = true;
    out->normal = length > 0 ? (flat){seen.x / length, seen.y / length} : (flat){0, 1};
    out->offset = body->shape.u.plane.offset + body->shape.radius + apart_vec3_dot(n, body->pose.translation);
}

static void append(cli_region *region, flat p)
{
    const flat *last = region->count > 0 ? &region->points[region->count - 1] : NULL;
    if (last == NULL || last->x != p.x || last->y != p.y) {
        region->points[region->count++] = p;
    }
}

static apart_vec3 direction(const cli_view *view, int i)
{
    /* Off the axes, so that an aligned box has no ties. */
    const double angle = TAU * (i + 0.25) / CLI_OUTLINE_SIZE;
    return combine(cos(angle), view->right, sin(angle), view->up);
}

void cli_outline_body(const cli_body *body, const cli_view *view, cli_region *out)
{
    *out = (cli_region){0};
    if (is_half_space(body)) {
        half_space_region(body, view, out);
        return;
    }
    for (int i = 0; i < CLI_OUTLINE_SIZE; i++) {
        append(out, cli_project(view, support(body, direction(view, i))));
    }
}

/* Half-space and bounded body: {b - a} is a half-space again, shifted by the body's extent. */
static void half_space_difference(const cli_body bodies[2], const cli_view *view, cli_region *out)
{
    const bool b_is = is_half_space(&bodies[1]);
    const cli_body *bounded = &bodies[b_is ? 0 : 1];
    half_space_region(&bodies[b_is ? 1 : 0], view, out);
    const apart_vec3 n = combine(out->normal.x, view->right, out->normal.y, view->up);
    const double lowest = apart_vec3_dot(n, support(bounded, apart_vec3_neg(n)));
    out->offset -= lowest;
    if (!b_is) {
        out->normal = (flat){-out->normal.x, -out->normal.y};
    }
}

void cli_outline_difference(const cli_body bodies[2], const cli_view *view, cli_region *out)
{
    *out = (cli_region){0};
    if (is_half_space(&bodies[0]) || is_half_space(&bodies[1])) {
        half_space_difference(bodies, view, out);
        return;
    }
    for (int i = 0; i < CLI_OUTLINE_SIZE; i++) {
        const apart_vec3 d = direction(view, i);
        const apart_vec3 a = support(&bodies[0], combine(-1, d, 0, d)), b = support(&bodies[1], d);
        append(out, cli_project(view, combine(1, b, -1, a)));
    }
}

flat cli_region_support(const cli_region *region, flat d)
{
    flat best = region->points[0];
    for (size_t i = 1; i < region->count; i++) {
        const flat p = region->points[i];
        best = p.x * d.x + p.y * d.y > best.x * d.x + best.y * d.y ? p : best;
    }
    return best;
}

flat cli_region_center(const cli_region *region)
{
    const flat left = cli_region_support(region, (flat){-1, 0}), right = cli_region_support(region, (flat){1, 0});
    const flat low = cli_region_support(region, (flat){0, -1}), high = cli_region_support(region, (flat){0, 1});
    return (flat){(left.x + right.x) / 2, (low.y + high.y) / 2};
}

/* ---- edges ---- */

typedef struct edge_list {
    const cli_body *body;
    const cli_view *view;
    cli_edge *edges;
    size_t count;
} edge_list;

static void add_edge(edge_list *list, apart_vec3 from, apart_vec3 to, bool hidden)
{
    list->edges[list->count++] =
        (cli_edge){cli_project(list->view, apart_pose_apply(&list->body->pose, from)),
                   cli_project(list->view, apart_pose_apply(&list->body->pose, to)), hidden, false};
}

static bool faces_viewer(const edge_list *list, apart_vec3 normal)
{
    return apart_vec3_dot(apart_pose_rotate(&list->body->pose, normal), list->view->toward) > 0;
}

/* An edge of a solid is seen when one of its two faces is. */
static void add_hull_edges(edge_list *list, const apart_hull *hull)
{
    const bool solid = apart_hull_dimension(hull) == 3;
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const bool front = !solid || faces_viewer(list, apart_hull_face_normal(hull, f));
        const uint32_t *v;
        const uint32_t n = apart_hull_face(hull, f, &v);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = v[i], to = v[(i + 1) % n];
            /* Two faces list an edge, in opposite directions. A hidden one is drawn once, or its dashes would close
             * up. */
            if (front || from < to) {
                add_edge(list, apart_hull_vertex(hull, from), apart_hull_vertex(hull, to), !front);
            }
        }
    }
}

/* Twelve edges: along each axis, at the four combinations of signs of the other two. */
static void add_box_edges(edge_list *list)
{
    const double h[3] = {list->body->shape.u.half_extents.x, list->body->shape.u.half_extents.y,
                         list->body->shape.u.half_extents.z};
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        for (int corner = 0; corner < 4; corner++) {
            double from[3], side_i[3] = {0}, side_j[3] = {0};
            side_i[i] = corner & 1 ? 1 : -1;
            side_j[j] = corner & 2 ? 1 : -1;
            from[i] = side_i[i] * h[i];
            from[j] = side_j[j] * h[j];
            from[k] = -h[k];
            const apart_vec3 p = {from[0], from[1], from[2]};
            from[k] = h[k];
            const apart_vec3 q = {from[0], from[1], from[2]};
            const bool seen = faces_viewer(list, (apart_vec3){side_i[0], side_i[1], side_i[2]}) ||
                              faces_viewer(list, (apart_vec3){side_j[0], side_j[1], side_j[2]});
            add_edge(list, p, q, !seen);
        }
    }
}

/* An ellipse center + u cos + v sin on a curved surface, whose normal there is nu cos + nv sin + slope, with a flat cap
 * on one side (or none: zero). */
typedef struct rim {
    apart_vec3 center, u, v, nu, nv, slope, cap;
} rim;

static void add_rim(edge_list *list, const rim *r)
{
    apart_vec3 last = combine(1, r->center, 1, r->u);
    for (int i = 1; i <= CLI_RIM_SEGMENTS; i++) {
        const double end = TAU * i / CLI_RIM_SEGMENTS, middle = TAU * (i - 0.5) / CLI_RIM_SEGMENTS;
        const apart_vec3 next = combine(1, r->center, 1, combine(cos(end), r->u, sin(end), r->v));
        const apart_vec3 normal = combine(1, r->slope, 1, combine(cos(middle), r->nu, sin(middle), r->nv));
        add_edge(list, last, next, !faces_viewer(list, normal) && !faces_viewer(list, r->cap));
        list->edges[list->count - 1].joined = i > 1;
        last = next;
    }
}

/* A circle about the axis z at height z. */
static rim circle(double radius, double z, double slope, double cap)
{
    return (rim){{0, 0, z}, {radius, 0, 0}, {0, radius, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, slope}, {0, 0, cap}};
}

static void add_round_rims(edge_list *list)
{
    const apart_shape *shape = &list->body->shape;
    const double radius = shape->u.round.radius, half = shape->u.round.half_height;
    if (shape->kind == APART_SHAPE_CYLINDER) {
        const rim low = circle(radius, -half, 0, -1), high = circle(radius, half, 0, 1);
        add_rim(list, &low);
        add_rim(list, &high);
    } else {
        const rim base = circle(radius, -half, half > 0 ? radius / (2 * half) : 0, -1);
        add_rim(list, &base);
    }
}

/* Great circles that make a sphere look round, the seams of a capsule, two sections of an ellipsoid. */
static void add_smooth_rims(edge_list *list)
{
    const apart_shape *shape = &list->body->shape;
    if (shape->kind == APART_SHAPE_ELLIPSOID) {
        const double a = shape->u.semi_axes.x, b = shape->u.semi_axes.y, c = shape->u.semi_axes.z;
        const rim level = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {b, 0, 0}, {0, a, 0}, {0, 0, 0}, {0, 0, 0}};
        const rim upright = {{0, 0, 0}, {a, 0, 0}, {0, 0, c}, {c, 0, 0}, {0, 0, a}, {0, 0, 0}, {0, 0, 0}};
        add_rim(list, &level);
        add_rim(list, &upright);
        return;
    }
    const apart_vec3 p = shape->u.point[0], q = shape->kind == APART_SHAPE_SEGMENT ? shape->u.point[1] : p;
    const apart_vec3 axis = combine(1, q, -1, p);
    const apart_vec3 along = apart_vec3_dot(axis, axis) > 0 ? unit(axis) : (apart_vec3){0, 0, 1};
    const apart_vec3 u =
        unit(apart_vec3_cross(along, fabs(along.x) < 0.7 ? (apart_vec3){1, 0, 0} : (apart_vec3){0, 1, 0}));
    const apart_vec3 v = apart_vec3_cross(along, u), none = {0, 0, 0};
    const double r = shape->radius;
    const rim first = {p, combine(r, u, 0, u), combine(r, v, 0, v), u, v, none, none};
    const rim second = {q, first.u, first.v, u, v, none, none};
    add_rim(list, &first);
    if (shape->kind == APART_SHAPE_SEGMENT) {
        add_rim(list, &second);
    }
}

cli_edge *cli_body_edges(const cli_body *body, const cli_view *view, size_t *count)
{
    const apart_shape *shape = &body->shape;
    const apart_hull *hull = shape->kind == APART_SHAPE_HULL ? shape->u.hull : NULL;
    const size_t hull_edges = hull != NULL ? 2 * (size_t)apart_hull_edge_count(hull) : 0;
    edge_list list = {.body = body, .view = view};
    *count = 0;
    if (shape->dim == 2 || hull_edges > MOST_EDGES) {
        return NULL;
    }
    list.edges = calloc(hull_edges + 2 * CLI_RIM_SEGMENTS, sizeof *list.edges);
    if (list.edges == NULL) {
        return NULL;
    }
    switch (shape->kind) {
    case APART_SHAPE_HULL: add_hull_edges(&list, hull); break;
    case APART_SHAPE_BOX: add_box_edges(&list); break;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE: add_round_rims(&list); break;
    case APART_SHAPE_ELLIPSOID: add_smooth_rims(&list); break;
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
        if (shape->radius > 0) {
            add_smooth_rims(&list);
        }
        break;
    default: break;
    }
    *count = list.count;
    return list.edges;
}
