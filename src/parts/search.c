/* Branch and bound over pairs of parts (Lindemann 2009 section 3.3, item L6): pairs of boxes of the two trees, the nearer ones first; a
 * pair of boxes that is known to be as far apart as the best pair of parts so far is left alone with all that is in it.
 *
 * We differ in the bound. Boxes of either tree are parallel to their own body, so the gap is measured along the axes of both bodies
 * (three axes each, after Gottschalk, Lin and Manocha 1996) and along the normal of the best pair so far, which is the direction that
 * matters. Mostly there is no walk, since that normal alone proves the pair to decide (proof.c). */
#include "track.h"

/* Two nodes, a lower bound of their distance, and when they may meet first: 0 if they do not move, INFINITY if never. */
typedef struct task {
    uint32_t node[2];
    double bound, when;
} task;

/* Which of two to look at first. */
static bool comes_before(const task *a, const task *b) { return a->when < b->when || (a->when == b->when && a->bound < b->bound); }

/* ---- boxes of shapes ---- */

static void include(ap_part_node *node, const apart_vec3 *points, int count)
{
    apart_vec3 min = points[0], max = points[0];
    for (int i = 1; i < count; i++) {
        min = ap_vec(ap_min(min.x, points[i].x), ap_min(min.y, points[i].y), ap_min(min.z, points[i].z));
        max = ap_vec(ap_max(max.x, points[i].x), ap_max(max.y, points[i].y), ap_max(max.z, points[i].z));
    }
    node->center = ap_add(ap_scale(0.5, min), ap_scale(0.5, max));
    node->half = ap_sub(ap_scale(0.5, max), ap_scale(0.5, min));
}

/* The box of a shape in its own frame, from its parameters where they tell it, else around its ball. Rounding is part of the search's
 * slack. */
static void set_only_node(ap_part_node *node, const apart_shape *shape)
{
    *node = (ap_part_node){.center = {0.0, 0.0, 0.0}};
    double more = shape->radius + shape->error;
    switch (shape->kind) {
    case APART_SHAPE_POINT: include(node, shape->u.point, 1); break;
    case APART_SHAPE_SEGMENT: include(node, shape->u.point, 2); break;
    case APART_SHAPE_TRIANGLE: include(node, shape->u.point, 3); break;
    case APART_SHAPE_BOX: node->half = shape->u.half_extents; break;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE: node->half = ap_vec(shape->u.round.radius, shape->u.round.radius, shape->u.round.half_height); break;
    case APART_SHAPE_ELLIPSOID: node->half = shape->u.semi_axes; break;
    default:
        node->center = shape->center;
        more += shape->bound;
        break;
    }
    node->half = ap_add(node->half, ap_vec(more, more, more));
    node->radius = ap_norm(ap_sub(shape->center, node->center)) + shape->bound + shape->radius + shape->error;
}

static void set_nodes(ap_search_side *s)
{
    s->nodes = s->compound != NULL ? s->compound->nodes : &s->only;
    if (s->compound == NULL && s->shape->kind == APART_SHAPE_HALF_SPACE) {
        s->only = (ap_part_node){.part = 0};
    } else if (s->compound == NULL) {
        set_only_node(&s->only, s->shape);
    }
}

/* ---- bounds ---- */

static double dot_abs(apart_vec3 a, apart_vec3 b) { return fabs(a.x) * b.x + fabs(a.y) * b.y + fabs(a.z) * b.z; }

/* The gap of a box on one side of a half-space; it may be negative inside. */
static double plane_gap(const ap_part_search *s, const ap_part_node *box)
{
    const int other = 1 - s->plane;
    const apart_mat3 *rotation = &s->side[other].pose->rotation;
    const apart_vec3 n = ap_apply(&s->side[s->plane].pose->rotation, s->side[s->plane].shape->u.plane.normal);
    const apart_vec3 middle = ap_sub(ap_add(ap_apply(rotation, box->center), s->side[other].origin), s->side[s->plane].origin);
    const double offset = s->side[s->plane].shape->u.plane.offset + s->side[s->plane].shape->radius;
    return ap_dot(n, middle) - ap_min(dot_abs(ap_apply_transposed(rotation, n), box->half), box->radius) - offset;
}

/* The gap along the best pair's normal. */
static double gap_along_normal(const ap_part_search *s, const ap_part_node *a, const ap_part_node *b, apart_vec3 c)
{
    return ap_dot(s->normal, c) - ap_min(dot_abs(s->normal, a->half), a->radius) - ap_min(dot_abs(s->normal_in_b, b->half), b->radius);
}

/* Of boxes by their gaps along three axes, or two in the plane: the distance, or below zero the least that they overlap by. */
static double axes_gap(const ap_part_search *s, apart_vec3 c, apart_vec3 extents)
{
    const double x = fabs(c.x) - extents.x, y = fabs(c.y) - extents.y, z = s->flat ? -INFINITY : fabs(c.z) - extents.z;
    const double most = ap_max(ap_max(x, y), z);
    return most > 0.0 ? ap_gap_norm(x, y, z) : most;
}

/* A lower bound of the signed distance of what is in two boxes: the gap along the best pair's normal, of their balls, along the axes of A,
 * or along those of B; the first that is `enough`, else the largest. */
static double node_bound(const ap_part_search *s, const ap_part_node *a, const ap_part_node *b, double enough)
{
    if (s->plane >= 0) {
        return plane_gap(s, s->plane == 0 ? b : a) - s->slack;
    }
    const apart_vec3 c = ap_sub(ap_add(ap_apply(&s->b_in_a, b->center), s->offset), a->center);
    double bound = s->has_normal ? gap_along_normal(s, a, b, c) : -INFINITY;
    if (bound < enough) {
        bound = ap_max(bound, ap_norm(c) * (1.0 - 8.0 * DBL_EPSILON) - (a->radius + b->radius));
    }
    if (bound < enough) {
        const apart_vec3 e = ap_add(a->half, ap_apply(&s->abs_b_in_a, b->half));
        bound = ap_max(bound, axes_gap(s, c, e));
    }
    if (bound < enough) {
        const apart_vec3 d = ap_apply_transposed(&s->b_in_a, c), e = ap_add(b->half, ap_apply_transposed(&s->abs_b_in_a, a->half));
        bound = ap_max(bound, axes_gap(s, d, e));
    }
    return bound - s->slack;
}

static bool is_far(const ap_part_search *s, double bound) { return bound >= ap_search_threshold(s); }

void ap_search_use_normal(ap_part_search *s)
{
    s->has_normal = ap_search_has_normal(s);
    if (s->has_normal) {
        s->normal = ap_apply_transposed(&s->side[0].pose->rotation, s->best->result.normal);
        s->normal_in_b = ap_apply_transposed(&s->side[1].pose->rotation, s->best->result.normal);
    }
}

void ap_search_open(ap_part_search *s)
{
    const apart_mat3 *a = &s->side[0].pose->rotation, *b = &s->side[1].pose->rotation, *m = &s->b_in_a;
    s->b_in_a = (apart_mat3){ap_apply_transposed(a, b->x), ap_apply_transposed(a, b->y), ap_apply_transposed(a, b->z)};
    s->abs_b_in_a = (apart_mat3){{fabs(m->x.x), fabs(m->x.y), fabs(m->x.z)}, {fabs(m->y.x), fabs(m->y.y), fabs(m->y.z)},
                                 {fabs(m->z.x), fabs(m->z.y), fabs(m->z.z)}};
    s->offset = ap_apply_transposed(a, s->side[1].origin);
    s->flat = ap_solid_dim((apart_solid){s->side[0].shape, s->side[0].compound}) == 2;
    s->has_normal = false;
    s->passed = INFINITY;
    set_nodes(&s->side[0]);
    set_nodes(&s->side[1]);
}

/* ---- the walk ---- */

/* The larger box is taken apart. */
static int side_to_split(const ap_part_node *a, const ap_part_node *b)
{
    if (a->first_child == 0 || b->first_child == 0) {
        return a->first_child == 0 ? 1 : 0;
    }
    return a->half.x + a->half.y + a->half.z >= b->half.x + b->half.y + b->half.z ? 0 : 1;
}

/* How far anything in a box can get from where it is. */
static double node_travel(const ap_part_search *s, int side, const ap_part_node *node)
{
    if (s->linear[side] == 0.0 && s->turn[side] == 0.0) {
        return 0.0;
    }
    const double arm = ap_norm(ap_sub(node->center, s->pivot[side])) + ap_norm(node->half);
    return (s->linear[side] + s->turn[side] * arm) * (1.0 + 16.0 * DBL_EPSILON);
}

static task make_task(ap_part_search *s, uint32_t node_a, uint32_t node_b)
{
    const ap_part_node *a = &s->side[0].nodes[node_a], *b = &s->side[1].nodes[node_b];
    const double travel = node_travel(s, 0, a) + node_travel(s, 1, b);
    const double enough = s->open ? INFINITY : ap_search_threshold(s) + s->slack + travel;
    s->boxes++;
    const double bound = node_bound(s, a, b, enough) - travel;
    if (s->track == NULL || (!s->open && is_far(s, bound))) {
        return (task){{node_a, node_b}, bound, bound > 0.0 ? INFINITY : 0.0};
    }
    const ap_track_gap gap = ap_track_measure(s, a, b);
    return (task){{node_a, node_b}, ap_max(bound, gap.least), bound > 0.0 ? INFINITY : gap.when};
}

/* Both children of one side against the other side's node; the nearer one is put on top. */
static size_t split(ap_part_search *s, const task *t, task *stack, size_t count)
{
    const int which = side_to_split(&s->side[0].nodes[t->node[0]], &s->side[1].nodes[t->node[1]]);
    const uint32_t child = s->side[which].nodes[t->node[which]].first_child;
    const task first = which == 0 ? make_task(s, child, t->node[1]) : make_task(s, t->node[0], child);
    const task second = which == 0 ? make_task(s, child + 1, t->node[1]) : make_task(s, t->node[0], child + 1);
    const bool swap = comes_before(&second, &first);
    stack[count] = swap ? first : second;
    stack[count + 1] = swap ? second : first;
    return count + 2;
}

/* A split takes one task away and puts two there, each a level deeper. */
enum { STACK_SIZE = 2 * AP_PART_LEVELS + 2 };

static bool is_leaf_pair(const ap_part_search *s, const task *t)
{
    return s->side[0].nodes[t->node[0]].first_child == 0 && s->side[1].nodes[t->node[1]].first_child == 0;
}

/* The pair of leaves whose boxes are nearest, or the first that overlap or may meet: a good first guess, and no query is spent on finding
 * it. */
void ap_search_guess(ap_part_search *s, uint32_t part[2])
{
    task stack[STACK_SIZE];
    size_t count = 1;
    task nearest = {.bound = INFINITY, .when = INFINITY};
    stack[0] = make_task(s, 0, 0);
    while (count > 0 && nearest.when > 0.0) {
        const task t = stack[--count];
        if (!comes_before(&t, &nearest)) {
            continue;
        }
        if (!is_leaf_pair(s, &t)) {
            count = split(s, &t, stack, count);
            continue;
        }
        nearest = t;
        part[0] = s->side[0].nodes[t.node[0]].part;
        part[1] = s->side[1].nodes[t.node[1]].part;
    }
}

/* The same task by what is known now: nodes that meet after a contact that was found are apart until then. */
static task later(ap_part_search *s, task t)
{
    return s->track != NULL && t.when >= s->track->until ? make_task(s, t.node[0], t.node[1]) : t;
}

apart_status ap_search_walk(ap_part_search *s, ap_look_fn *look)
{
    task stack[STACK_SIZE];
    size_t count = 1;
    stack[0] = make_task(s, 0, 0);
    while (count > 0 && !s->settled) {
        const task t = later(s, stack[--count]);
        if (!s->open && is_far(s, t.bound)) {
            s->pruned = true;
            s->passed = ap_min(s->passed, t.bound);
            continue;
        }
        if (!is_leaf_pair(s, &t)) {
            count = split(s, &t, stack, count);
            continue;
        }
        const uint32_t part[2] = {s->side[0].nodes[t.node[0]].part, s->side[1].nodes[t.node[1]].part};
        if (!ap_search_was_looked_at(s, part)) {
            const apart_status status = look(s, part);
            if (status != APART_OK) {
                return status;
            }
        }
    }
    return APART_OK;
}

