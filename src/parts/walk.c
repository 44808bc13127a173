/* Branch and bound over pairs of parts with queries (Lindemann 2009 section 3.3, item L6), nearer pairs first.
 *
 * We differ in the bound, which is the largest of the gap along the normal of the best pair so far, the direction that
 * matters; the gap of the bounding spheres; and that of the boxes, which are parallel to their own body, along the axes
 * of both bodies (three axes each, after Gottschalk, Lin and Manocha 1996). For moving solids (item L7) that is less by
 * what both can move; and a second bound follows the centres of their spheres along the path: between two steps a point
 * is near the straight segment from one place to the other. The rounding is in docs/numerics.md. */
#include "walk.h"

#include "traverse.h"

/* ---- boxes of shapes ---- */

static void set_half(apart_vec3 *center, apart_vec3 *half, const apart_vec3 *points, int count)
{
    apart_vec3 min = points[0], max = points[0];
    for (int i = 1; i < count; i++) {
        min = ap_vec(ap_min(min.x, points[i].x), ap_min(min.y, points[i].y), ap_min(min.z, points[i].z));
        max = ap_vec(ap_max(max.x, points[i].x), ap_max(max.y, points[i].y), ap_max(max.z, points[i].z));
    }
    *center = ap_add(ap_scale(0.5, min), ap_scale(0.5, max));
    *half = ap_sub(ap_scale(0.5, max), ap_scale(0.5, min));
}

/* The support values of an interval along an axis, in all lanes. */
static void set_interval(ap_part_node *own, int up, int down, double center, double half)
{
    ap_lanes_store(own->support[up], ap_lanes_all(half + center));
    ap_lanes_store(own->support[down], ap_lanes_all(half - center));
}

/* The box of a bounded shape in its own frame, from its parameters where they give it, else around its sphere. Rounding
 * is part of the frame's slack. */
static void set_shape_box(ap_part_node *own, const apart_shape *shape)
{
    apart_vec3 center = {0.0, 0.0, 0.0}, half = center;
    double more = shape->radius + shape->error;
    switch (shape->kind) {
    case APART_SHAPE_POINT: set_half(&center, &half, shape->u.point, 1); break;
    case APART_SHAPE_SEGMENT: set_half(&center, &half, shape->u.point, 2); break;
    case APART_SHAPE_TRIANGLE: set_half(&center, &half, shape->u.point, 3); break;
    case APART_SHAPE_BOX: half = shape->u.half_extents; break;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
        half = ap_vec(shape->u.round.radius, shape->u.round.radius, shape->u.round.half_height);
        break;
    case APART_SHAPE_ELLIPSOID: half = shape->u.semi_axes; break;
    default:
        center = shape->center;
        more += shape->bound;
        break;
    }
    set_interval(own, AP_DIRECTION(1, 0, 0), AP_DIRECTION(-1, 0, 0), center.x, half.x + more);
    set_interval(own, AP_DIRECTION(0, 1, 0), AP_DIRECTION(0, -1, 0), center.y, half.y + more);
    set_interval(own, AP_DIRECTION(0, 0, 1), AP_DIRECTION(0, 0, -1), center.z, half.z + more);
}

/* ---- bounds of a tile ---- */

/* A lower bound of the distance of each pair: row i is lane i of A's node. */
typedef struct tile_rows {
    ap_lanes row[4];
} tile_rows;

/* Without the pairs whose bound is above the threshold. */
AP_INLINE unsigned drop_far(const tile_rows *value, double threshold, unsigned near)
{
    const ap_lanes limit = ap_lanes_all(threshold);
    return near & ~(ap_lanes_above(value->row[0], limit) | ap_lanes_above(value->row[1], limit) << 4 |
                    ap_lanes_above(value->row[2], limit) << 8 | ap_lanes_above(value->row[3], limit) << 12);
}

/* How far the children of a node can get from where they are. */
static ap_lanes displacements(const ap_part_walk *w, int side, const ap_part_node *node)
{
    const ap_part_motion *m = w->motion;
    if (m == NULL) {
        return ap_lanes_all(0.0);
    }
    if (side == w->frame->plane) {
        return ap_lanes_all(m->displacement[side]);
    }
    const ap_lanes3 d = ap_lanes3_sub(ap_sphere_centers(&node->spheres), ap_lanes3_all(m->pivot[side]));
    const ap_lanes square = ap_lanes_max(ap_lanes3_dot(d, d), ap_lanes_all(AP_SQUARE_MIN));
    const ap_lanes arm = ap_lanes_add(ap_lanes_sqrt(square), ap_lanes_load(node->spheres.radius));
    return ap_lanes_scale(1.0 + 16.0 * DBL_EPSILON,
                          ap_lanes_add(ap_lanes_all(m->displacement[side]), ap_lanes_scale(m->chord[side], arm)));
}

/* The gaps along the direction, less what is taken off all bounds. */
AP_INLINE void bound_along(const ap_part_walk *w, const ap_tile *t, const tile_rows *less, tile_rows *value)
{
    const ap_lanes a = ap_node_support_values(t->a, &w->along.towards[0]);
    const ap_lanes rest =
        ap_lanes_sub(ap_lanes_all(w->along.offset), ap_node_support_values(t->b, &w->along.towards[1]));
    for (int i = 0; i < 4; i++) {
        value->row[i] = ap_lanes_sub(ap_lanes_sub(rest, ap_lanes_all(ap_lanes_at(a, (unsigned)i))), less->row[i]);
    }
}

AP_INLINE void bound_by_spheres(const ap_part_walk *w, const ap_tile *t, unsigned near, const tile_rows *less,
                                tile_rows *value)
{
    double gap[16];
    ap_near_by_spheres(&w->tile, t, near, INFINITY, gap);
    for (int i = 0; near >> 4 * i != 0; i++) {
        value->row[i] = ap_lanes_max(ap_lanes_sub(ap_lanes_load(gap + 4 * i), less->row[i]), value->row[i]);
    }
}

typedef struct child_boxes {
    ap_lanes3 center, half;
} child_boxes;

/* (up + sign * down) / 2 of two opposite support values of each child: the half extents of the boxes for sign 1, the
 * coordinates of their centres for sign -1. */
AP_INLINE ap_lanes half_sum(const ap_part_node *node, int up, int down, double sign)
{
    return ap_lanes_add(ap_lanes_scale(0.5, ap_lanes_load(node->support[up])),
                        ap_lanes_scale(0.5 * sign, ap_lanes_load(node->support[down])));
}

AP_INLINE child_boxes boxes_of(const ap_part_node *node)
{
    enum { X = AP_DIRECTION(1, 0, 0), Y = AP_DIRECTION(0, 1, 0), Z = AP_DIRECTION(0, 0, 1), OPPOSITE = 26 };
    return (child_boxes){{half_sum(node, X, OPPOSITE - X, -1.0), half_sum(node, Y, OPPOSITE - Y, -1.0),
                          half_sum(node, Z, OPPOSITE - Z, -1.0)},
                         {half_sum(node, X, OPPOSITE - X, 1.0), half_sum(node, Y, OPPOSITE - Y, 1.0),
                          half_sum(node, Z, OPPOSITE - Z, 1.0)}};
}

AP_INLINE ap_lanes3 in_lane(ap_lanes3 v, unsigned i)
{
    return (ap_lanes3){ap_lanes_all(ap_lanes_at(v.x, i)), ap_lanes_all(ap_lanes_at(v.y, i)),
                       ap_lanes_all(ap_lanes_at(v.z, i))};
}

/* Of boxes by their gaps along three axes, or two in the plane: the distance, or below zero the least that they overlap
 * by. Where squares overflow, the largest gap alone is a bound, too. */
AP_INLINE ap_lanes box_gaps(const ap_part_walk *w, ap_lanes3 d, ap_lanes3 extents)
{
    const ap_lanes none = ap_lanes_all(0.0), flat = ap_lanes_all(-INFINITY);
    const ap_lanes x = ap_lanes_sub(ap_lanes_abs(d.x), extents.x), y = ap_lanes_sub(ap_lanes_abs(d.y), extents.y);
    const ap_lanes z = w->flat ? flat : ap_lanes_sub(ap_lanes_abs(d.z), extents.z);
    const ap_lanes3 outside = {ap_lanes_max(x, none), ap_lanes_max(y, none), ap_lanes_max(z, none)};
    const ap_lanes square = ap_lanes3_dot(outside, outside), most = ap_lanes_max(ap_lanes_max(x, y), z);
    const ap_lanes down = ap_lanes_all(1.0 - 8.0 * DBL_EPSILON); /* squares, sums and root are off by less than 4 eps */
    const ap_lanes distance = ap_lanes_mul(ap_lanes_max(ap_certain_root(square), most), down);
    return ap_lanes_select(most, distance, ap_lanes_greater(most, none));
}

/* The gaps of the boxes along the axes of A, and along those of B. */
static void bound_by_boxes(const ap_part_walk *w, const ap_tile *t, unsigned near, const tile_rows *less,
                           tile_rows *value)
{
    const ap_lanes3 *axis = w->tile.b_in_a, *size = w->abs_b_in_a;
    const child_boxes a = boxes_of(t->a), b = boxes_of(t->b);
    const ap_lanes3 center_b = ap_tile_points(&w->tile, b.center);
    const ap_lanes3 b_along_a =
        ap_lanes3_add(ap_lanes3_add(ap_lanes3_scale(b.half.x, size[0]), ap_lanes3_scale(b.half.y, size[1])),
                      ap_lanes3_scale(b.half.z, size[2]));
    const ap_lanes3 a_along_b = {ap_lanes3_dot(size[0], a.half), ap_lanes3_dot(size[1], a.half),
                                 ap_lanes3_dot(size[2], a.half)};
    for (unsigned i = 0; near >> 4 * i != 0; i++) {
        const ap_lanes3 d = ap_lanes3_sub(center_b, in_lane(a.center, i));
        const ap_lanes3 d_in_b = {ap_lanes3_dot(axis[0], d), ap_lanes3_dot(axis[1], d), ap_lanes3_dot(axis[2], d)};
        const ap_lanes along_a = box_gaps(w, d, ap_lanes3_add(in_lane(a.half, i), b_along_a));
        const ap_lanes along_b = box_gaps(w, d_in_b, ap_lanes3_add(in_lane(a_along_b, i), b.half));
        value->row[i] = ap_lanes_max(ap_lanes_sub(ap_lanes_max(along_a, along_b), less->row[i]), value->row[i]);
    }
}

/* The pairs that may be nearer than the threshold at some time, as far as the start and the displacements show. */
static unsigned bound_tile(const ap_part_walk *w, const ap_tile *t, tile_rows *value)
{
    const ap_lanes by_a = displacements(w, 0, t->a);
    const ap_lanes by_b = ap_lanes_add(displacements(w, 1, t->b), ap_lanes_all(2.0 * w->frame->slack));
    tile_rows less;
    for (int i = 0; i < 4; i++) {
        less.row[i] = ap_lanes_add(by_b, ap_lanes_all(ap_lanes_at(by_a, (unsigned)i)));
    }
    bound_along(w, t, &less, value);
    unsigned near = drop_far(value, w->threshold, t->pairs);
    if (near != 0 && w->frame->plane < 0) {
        bound_by_spheres(w, t, near, &less, value);
        near = drop_far(value, w->threshold, near);
        if (near != 0) {
            bound_by_boxes(w, t, near, &less, value);
            near = drop_far(value, w->threshold, near);
        }
    }
    return near;
}

/* ---- bounds on a path ---- */

/* What the segment over several steps may leave the path by, of the spheres' radii. */
#define LITTLE_OF_RADII 0.1

/* Of a step: far more than what rounding does to a time. */
#define EARLIER_BY 1e-9

/* A bounding sphere in its side's own frame. */
typedef struct own_sphere {
    apart_vec3 center;
    double radius;
    bool is_part;
} own_sphere;

static own_sphere sphere_of(const ap_part_walk *w, int side, uint32_t slot)
{
    const ap_part_node *node = &w->nodes[side][slot / 4];
    const ap_part_spheres *s = &node->spheres;
    const uint32_t i = slot % 4;
    return side == w->frame->plane ? (own_sphere){.is_part = true}
                                   : (own_sphere){{s->center[0][i], s->center[1][i], s->center[2][i]},
                                                  s->radius[i],
                                                  node->child[i] >= AP_PART_LEAF};
}

/* How far a point gets from the straight segment between two steps, at the same time: with an acceleration a by
 * a time^2/8; and no farther than it gets by turning, there and back. */
static double bulge_of(const ap_part_motion *m, int side, double arm, double time)
{
    const double turning = m->drift[side] + m->rate[side] * arm;
    const double bulge = 0.125 * (m->rate[side] * time) * (turning * time);
    return ap_min(bulge, m->drift[side] > 0.0 ? turning * time : 2.0 * arm);
}

/* Several steps at a time, as long as that makes little of a difference to spheres of this size; two parts are followed
 * step by step. */
typedef struct path_pace {
    uint32_t stride;
    double bulge; /* of both sides */
} path_pace;

static path_pace pace_of(const ap_part_motion *m, const own_sphere *a, const own_sphere *b)
{
    const double arm_a = ap_norm(ap_sub(a->center, m->pivot[0])) * AP_ROTATION_STRETCH;
    const double arm_b = ap_norm(ap_sub(b->center, m->pivot[1])) * AP_ROTATION_STRETCH;
    const double little = a->is_part && b->is_part ? 0.0 : LITTLE_OF_RADII * (a->radius + b->radius);
    path_pace pace = {m->steps > 1 ? 2 * AP_MOTION_STRIDE : 2, 0.0};
    do {
        pace.stride /= 2;
        const double time = pace.stride * m->step;
        pace.bulge = bulge_of(m, 0, arm_a, time) + bulge_of(m, 1, arm_b, time);
    } while (pace.stride > 1 && pace.bulge > little);
    return pace;
}

/* The distance of the origin from the first share of a segment, or less where squares underflow or overflow. */
static double segment_distance(apart_vec3 from, apart_vec3 to, double share)
{
    const apart_vec3 along = ap_sub(to, from);
    const double square = ap_dot(along, along), product = -ap_dot(from, along);
    if (!(square > AP_SQUARE_MIN && square < AP_SQUARE_MAX && fabs(product) < AP_SQUARE_MAX)) {
        return ap_norm(from) - ap_norm(along);
    }
    return ap_norm(ap_add(from, ap_scale(ap_min(ap_max(product / square, 0.0), share), along)));
}

/* Where on a segment a point first is as near to the origin as `distance`, a little before; INFINITY: nowhere. */
static double segment_entry(apart_vec3 from, apart_vec3 to, double distance)
{
    const apart_vec3 along = ap_sub(to, from);
    const double a = ap_dot(along, along), b = -ap_dot(from, along), c = ap_dot(from, from) - distance * distance;
    const double square = b * b - a * c;
    if (!(c > 0.0)) {
        return 0.0;
    }
    return b > 0.0 && square >= 0.0 ? ap_max(c / (b + sqrt(square)) - EARLIER_BY, 0.0) : INFINITY;
}

/* The distance of a segment from a half-space that does not turn: n . p is smallest at one of its ends. */
static double step_distance(const ap_part_frame *f, apart_vec3 from, apart_vec3 to, double share)
{
    if (f->plane < 0) {
        return segment_distance(from, to, share);
    }
    const apart_vec3 n = f->plane == 0 ? ap_frame_plane_normal(f) : ap_neg(ap_frame_plane_normal(f));
    const double first = ap_dot(n, from), last = first + share * ap_dot(n, ap_sub(to, from));
    const apart_shape *plane = f->side[f->plane].shape;
    return ap_min(first, last) - (plane->u.plane.offset + plane->radius);
}

/* From the centre of A's sphere to that of B's, at a step. */
static apart_vec3 between_centers(const ap_part_motion *m, uint32_t step, const own_sphere *a, const own_sphere *b)
{
    const apart_pose *pose = m->pose[step];
    const apart_vec3 from = ap_add(ap_apply(&pose[0].rotation, a->center), pose[0].translation);
    return ap_sub(ap_add(ap_apply(&pose[1].rotation, b->center), pose[1].translation), from);
}

/* A lower bound of the gap of two spheres at all times, and when they may meet first; INFINITY: never. Where they may
 * meet, no later times are tested: the gap then is not above zero. */
static ap_pair_bound bound_on_path(const ap_part_walk *w, const uint32_t slot[2])
{
    const ap_part_motion *m = w->motion;
    const int plane = w->frame->plane;
    const own_sphere a = sphere_of(w, 0, slot[0]), b = sphere_of(w, 1, slot[1]);
    const path_pace pace = pace_of(m, &a, &b);
    const double off = a.radius + b.radius + pace.bulge + m->slack, time = pace.stride * m->step;
    ap_pair_bound bound = {INFINITY, INFINITY};
    if (plane >= 0 && m->rate[plane] > 0.0) {
        return (ap_pair_bound){-INFINITY, 0.0};
    }
    apart_vec3 from = between_centers(m, 0, &a, &b);
    for (uint32_t i = 0; i < m->steps && i * m->step < m->until && bound.when == INFINITY; i += pace.stride) {
        const apart_vec3 to = between_centers(m, i + pace.stride, &a, &b);
        const double share = ap_min((m->until - i * m->step) / time, 1.0);
        bound.gap = ap_min(bound.gap, step_distance(w->frame, from, to, share) - off);
        if (bound.gap <= 0.0) {
            bound.when = i * m->step + ap_min(plane < 0 ? segment_entry(from, to, off) : 0.0, 1.0) * time;
        }
        from = to;
    }
    return bound;
}

/* The larger of the bound by displacements and the bound on the path. */
static ap_pair_bound bound_moving(const ap_part_walk *w, const uint32_t slot[2], double gap)
{
    const ap_pair_bound on_path = bound_on_path(w, slot);
    return (ap_pair_bound){ap_max(gap, on_path.gap), gap > 0.0 ? INFINITY : on_path.when};
}

/* ---- the search ---- */

static bool is_far(ap_part_walk *w, double gap)
{
    const bool far = gap > w->threshold;
    w->passed = far ? ap_min(w->passed, gap) : w->passed;
    return far;
}

/* The pairs that are near by the displacements, by their paths; and the bounds of those that are passed over. */
static unsigned follow_paths(ap_part_walk *w, const ap_tile *t, unsigned near, ap_tile_bounds *bounds)
{
    for (unsigned rest = t->pairs; rest != 0; rest &= rest - 1) {
        const unsigned bit = ap_lowest_bit(rest);
        const uint32_t slot[2] = {t->first_slot[0] + bit / 4, t->first_slot[1] + bit % 4};
        if (near >> bit & 1u) {
            const ap_pair_bound bound = bound_moving(w, slot, bounds->gap[bit]);
            bounds->gap[bit] = bound.gap;
            bounds->when[bit] = bound.when;
        }
        near &= is_far(w, bounds->gap[bit]) ? ~(1u << bit) : ~0u;
    }
    return near;
}

static unsigned bound_for_walk(void *search, const ap_tile *tile, ap_tile_bounds *bounds)
{
    ap_part_walk *w = search;
    tile_rows value;
    const unsigned near = bound_tile(w, tile, &value);
    w->boxes += ap_count_bits(tile->pairs);
    memcpy(bounds->gap, &value, sizeof bounds->gap);
    memset(bounds->when, 0, sizeof bounds->when);
    return w->motion != NULL ? follow_paths(w, tile, near, bounds) : near;
}

/* A pair that meets after a contact that was found in the meantime is measured again, until then. */
static bool is_near_in_walk(void *search, ap_waiting_pair *pair)
{
    ap_part_walk *w = search;
    if (w->motion != NULL && pair->bound.when >= w->motion->until) {
        pair->bound = bound_moving(w, pair->slot, pair->bound.gap);
    }
    return !is_far(w, pair->bound.gap);
}

static bool query_pair(void *search, const ap_waiting_pair *pair, const uint32_t part[2])
{
    ap_part_walk *w = search;
    (void)pair;
    if (!ap_was_queried(w->queried, part)) {
        w->status = w->query(w, part);
    }
    return w->status == APART_OK && !w->decided;
}

void ap_walk_set(ap_part_walk *w, const ap_part_frame *f)
{
    w->frame = f;
    w->motion = NULL;
    w->threshold = w->passed = INFINITY;
    w->decided = false;
    w->boxes = 0;
    w->status = APART_OK;
    w->flat = ap_solid_dim((apart_solid){.shape = f->side[0].shape, .compound = f->side[0].compound}) == 2;
    ap_tile_frame_set(&w->tile, f->side);
    for (int i = 0; i < 3; i++) {
        const ap_lanes3 *axis = &w->tile.b_in_a[i];
        w->abs_b_in_a[i] = (ap_lanes3){ap_lanes_abs(axis->x), ap_lanes_abs(axis->y), ap_lanes_abs(axis->z)};
    }
    for (int i = 0; i < 2; i++) {
        w->nodes[i] = ap_side_nodes(&f->side[i], &w->own[i]);
        if (f->side[i].shape != NULL && !ap_side_is_half_space(&f->side[i])) {
            set_shape_box(&w->own[i], f->side[i].shape);
        }
    }
    ap_walk_set_normal(w, NULL);
}

void ap_walk_set_normal(ap_part_walk *w, const apart_vec3 *normal)
{
    ap_tile_direction_set(&w->along, w->frame, normal, w->own);
}

apart_status ap_walk_run(ap_part_walk *w)
{
    static const ap_pair_search functions = {AP_EARLIEST_FIRST, bound_for_walk, is_near_in_walk, query_pair};
    ap_traverse(w->nodes, &functions, w);
    return w->status;
}
