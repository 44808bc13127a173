/* Branch and bound over pairs of parts (Lindemann 2009 section 3.3, item L6): pairs of boxes of the two trees, the nearer ones first; a
 * pair of boxes that is known to be as far apart as the best pair of parts so far is left alone with all that is in it.
 *
 * We differ in the bound. Boxes of either tree are parallel to their own body, so the gap is measured along the axes of both bodies
 * (three axes each, after Gottschalk, Lin and Manocha 1996) and along the normal of the best pair so far, which is the direction that
 * matters. And before any walk that normal is asked alone: when all other parts of either body lie behind the nearest pair along it, the
 * pair is proved to decide, at the cost of the farthest part along a direction on either side (compound_reach.c).
 *
 * All is computed in a frame with the world's axes and A's origin, so that a common offset of both bodies costs no accuracy. */
#include "compound_search.h"

/* Two nodes and a lower bound of their distance. */
typedef struct task {
    uint32_t node[2];
    double bound;
} task;

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

static void set_side(ap_search_side *s, apart_solid solid)
{
    s->compound = solid.compound;
    if (solid.compound != NULL) {
        s->nodes = solid.compound->nodes;
        s->parts = solid.compound->parts;
        s->shape = NULL;
        s->size = solid.compound->reach;
        return;
    }
    s->parts = NULL;
    s->shape = solid.shape;
    s->nodes = &s->only;
    if (ap_solid_is_half_space(solid)) {
        s->only = (ap_part_node){.part = 0};
        s->size = fabs(solid.shape->u.plane.offset);
    } else {
        set_only_node(&s->only, solid.shape);
        s->size = ap_norm(solid.shape->center) + solid.shape->bound + solid.shape->radius;
    }
}

/* ---- bounds ---- */

static double dot_abs(apart_vec3 a, apart_vec3 b) { return fabs(a.x) * b.x + fabs(a.y) * b.y + fabs(a.z) * b.z; }

/* The gap of a box on one side of a half-space; it may be negative inside. */
static double plane_gap(const ap_part_search *s, const ap_part_node *box)
{
    const int other = 1 - s->plane;
    const apart_pose *plane_pose = &s->side[s->plane].pose, *pose = &s->side[other].pose;
    const apart_vec3 n = ap_apply(&plane_pose->rotation, s->side[s->plane].shape->u.plane.normal);
    const apart_vec3 middle = ap_sub(ap_add(ap_apply(&pose->rotation, box->center), pose->translation), plane_pose->translation);
    const double offset = s->side[s->plane].shape->u.plane.offset + s->side[s->plane].shape->radius;
    return ap_dot(n, middle) - ap_min(dot_abs(ap_apply_transposed(&pose->rotation, n), box->half), box->radius) - offset;
}

/* The gap along the best pair's normal. */
static double gap_along_normal(const ap_part_search *s, const ap_part_node *a, const ap_part_node *b, apart_vec3 c)
{
    return ap_dot(s->normal, c) - ap_min(dot_abs(s->normal, a->half), a->radius) - ap_min(dot_abs(s->normal_in_b, b->half), b->radius);
}

/* A lower bound >= 0 of the distance of two boxes: the gap along the best pair's normal, of their balls, along the axes of A, or along
 * those of B; the first that is `enough`, else the largest. */
static double node_bound(const ap_part_search *s, const ap_part_node *a, const ap_part_node *b, double enough)
{
    if (s->plane >= 0) {
        return ap_max(plane_gap(s, s->plane == 0 ? b : a) - s->slack, 0.0);
    }
    const apart_vec3 c = ap_sub(ap_add(ap_apply(&s->b_in_a, b->center), s->offset), a->center);
    double bound = s->has_normal ? gap_along_normal(s, a, b, c) : 0.0;
    if (bound < enough) {
        bound = ap_max(bound, ap_norm(c) * (1.0 - 8.0 * DBL_EPSILON) - (a->radius + b->radius));
    }
    if (bound < enough) {
        const apart_vec3 e = ap_add(a->half, ap_apply(&s->abs_b_in_a, b->half));
        bound = ap_max(bound, ap_gap_norm(fabs(c.x) - e.x, fabs(c.y) - e.y, fabs(c.z) - e.z));
    }
    if (bound < enough) {
        const apart_vec3 d = ap_apply_transposed(&s->b_in_a, c), e = ap_add(b->half, ap_apply_transposed(&s->abs_b_in_a, a->half));
        bound = ap_max(bound, ap_gap_norm(fabs(d.x) - e.x, fabs(d.y) - e.y, fabs(d.z) - e.z));
    }
    return ap_max(bound - s->slack, 0.0);
}

/* Pairs of boxes at least this far apart need no look. */
double ap_search_threshold(const ap_part_search *s) { return ap_min(s->most, s->cutoff); }

static bool is_far(const ap_part_search *s, double bound) { return bound > 0.0 && bound >= ap_search_threshold(s); }

/* ---- setting up ---- */

/* Joined poses: an entry of a product of rotations is off by 3 u, so a point by 9 u of its distance from the part's origin; a
 * translation by 7 u of what is added, of which u is the difference of the bodies' origins. 16 u of all covers it, on either side. */
static const double joining = 16.0 * 0.5 * DBL_EPSILON;

/* Of a gap of boxes: products of three terms, twice, and a few sums. Where |RtR - I| <= d, three axes are d from square and unit: 3 d of
 * either extent and 3/2 d of the distance. */
static const double bound_rounding = 32.0 * DBL_EPSILON;
static const double defect_share = 8.0;

/* apart_pose_check, with the defect that it would throw away. */
static apart_status check_pose(const apart_pose *pose, double *defect)
{
    bool proper;
    *defect = ap_rotation_defect(&pose->rotation, &proper);
    return proper && *defect <= AP_ROTATION_LIMIT && ap_finite(pose->translation) ? APART_OK : apart_pose_check(pose);
}

static apart_status set_frame(ap_part_search *s, const apart_pose *pose_a, const apart_pose *pose_b)
{
    const apart_vec3 between = ap_sub(pose_b->translation, pose_a->translation);
    double defect_a, defect_b;
    apart_status status = check_pose(pose_a, &defect_a);
    if (status == APART_OK) {
        status = check_pose(pose_b, &defect_b);
    }
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(between)) {
        return APART_ERR_OVERFLOW;
    }
    s->side[0].pose = (apart_pose){pose_a->rotation, {0.0, 0.0, 0.0}};
    s->side[1].pose = (apart_pose){pose_b->rotation, between};
    const double defect = ap_max(defect_a, defect_b);
    const double size = s->side[0].size + s->side[1].size + ap_norm(between);
    s->slack = (bound_rounding + defect_share * defect) * size;
    s->widening = joining * size;
    return isfinite(size) ? APART_OK : APART_ERR_OVERFLOW;
}

apart_status ap_search_prepare(ap_part_search *s, apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                               const apart_options *options)
{
    static const apart_options defaults;
    set_side(&s->side[0], a);
    set_side(&s->side[1], b);
    s->plane = ap_solid_is_half_space(a) ? 0 : ap_solid_is_half_space(b) ? 1 : -1;
    s->has_normal = s->pruned = s->any = s->settled = false;
    s->context = NULL;
    s->linear[0] = s->linear[1] = s->turn[0] = s->turn[1] = 0.0;
    s->open = true;
    s->looked_count = 0;
    s->options = options != NULL ? *options : defaults;
    s->options.trace = NULL;
    s->cutoff = s->options.cutoff > 0.0 ? s->options.cutoff : INFINITY;
    s->least = s->most = s->passed = INFINITY;
    s->best.queries = s->best.boxes = 0;
    if (!(s->options.cutoff >= 0.0)) {
        return APART_ERR_OPTION;
    }
    return set_frame(s, pose_a, pose_b);
}

/* ---- parts ---- */

const apart_shape *ap_search_part(const ap_search_side *s, uint32_t part, apart_pose *pose)
{
    if (s->parts == NULL) {
        *pose = s->pose;
        return s->shape;
    }
    *pose = apart_pose_compose(&s->pose, &s->parts[part].pose);
    return &s->parts[part].shape;
}

/* ---- before the walk ---- */

static bool was_looked_at(const ap_part_search *s, const uint32_t part[2])
{
    for (uint32_t i = 0; i < s->looked_count; i++) {
        if (s->looked[i][0] == part[0] && s->looked[i][1] == part[1]) {
            return true;
        }
    }
    return false;
}

bool ap_search_note_first(ap_part_search *s, const uint32_t part[2])
{
    if (s->looked_count == AP_SEARCH_FIRST || was_looked_at(s, part)) {
        return false;
    }
    s->looked[s->looked_count][0] = part[0];
    s->looked[s->looked_count++][1] = part[1];
    return true;
}

static apart_vec3 plane_normal(const ap_part_search *s)
{
    return ap_apply(&s->side[s->plane].pose.rotation, s->side[s->plane].shape->u.plane.normal);
}

static apart_vec3 middle_of(const ap_search_side *side)
{
    const apart_vec3 local = side->compound != NULL ? side->compound->center : side->shape->center;
    return ap_add(ap_apply(&side->pose.rotation, local), side->pose.translation);
}

static apart_vec3 middle_of_part(const ap_search_side *side, uint32_t part)
{
    if (side->compound == NULL) {
        return middle_of(side);
    }
    const apart_part *p = &side->parts[part];
    const apart_vec3 local = ap_add(ap_apply(&p->pose.rotation, p->shape.center), p->pose.translation);
    return ap_add(ap_apply(&side->pose.rotation, local), side->pose.translation);
}

/* Parts that are dealt with one by one, at most; where more reach towards the other solid, a walk is better. */
enum { MOST_BEYOND = 16 };

/* Rounds of looking for the first pair; mostly two or three are enough. */
enum { FACING_ROUNDS = 6 };

static uint32_t near_part(const ap_search_side *side, apart_vec3 point)
{
    const apart_vec3 local = ap_apply_transposed(&side->pose.rotation, ap_sub(point, side->pose.translation));
    return side->compound != NULL ? ap_compound_near_part(side->compound, local) : 0;
}

/* Whose box is nearest to the other side's last choice, in turn until nothing changes. */
void ap_search_facing(const ap_part_search *s, uint32_t part[2])
{
    part[0] = part[1] = 0;
    if (s->plane >= 0) {
        const ap_search_side *other = &s->side[1 - s->plane];
        const apart_vec3 into = ap_apply_transposed(&other->pose.rotation, ap_neg(plane_normal(s)));
        part[1 - s->plane] = ap_compound_far_part(other->compound, into);
        return;
    }
    apart_vec3 point = middle_of(&s->side[0]);
    for (int round = 0, side = 1; round < FACING_ROUNDS; round++, side = 1 - side) {
        const uint32_t next = near_part(&s->side[side], point);
        if (round > 1 && next == part[side]) {
            return;
        }
        part[side] = next;
        point = middle_of_part(&s->side[side], next);
    }
}

/* Parts of a side other than `except` that reach farther than `beyond` along a direction, both in the query's frame. */
static uint32_t list_beyond(const ap_search_side *side, apart_vec3 direction, double beyond, uint32_t except, uint32_t list[MOST_BEYOND])
{
    if (side->compound == NULL) {
        return 0;
    }
    const apart_vec3 local = ap_apply_transposed(&side->pose.rotation, direction);
    return ap_compound_beyond(side->compound, local, beyond - ap_dot(direction, side->pose.translation), except, list, MOST_BEYOND);
}

/* A half-space knows its distance from a part by its own normal. */
static bool plane_proves(const ap_part_search *s, uint32_t part[2])
{
    const int other = 1 - s->plane;
    const ap_search_side *plane = &s->side[s->plane];
    const apart_vec3 into = ap_neg(plane_normal(s));
    const double level = ap_dot(into, plane->pose.translation) - (plane->shape->u.plane.offset + plane->shape->radius);
    uint32_t list[MOST_BEYOND];
    if (list_beyond(&s->side[other], into, level - ap_search_threshold(s) - 2.0 * s->slack, part[other], list) == 0) {
        return true;
    }
    part[other] = list[0];
    return false;
}

/* How far a part of the best pair can reach beyond its witness point along the normal: with |b - a| <= u and a distance >= l, a point a + c
 * of the convex part is l or more from b all the way from a, so that n.c <= |c| sqrt(u^2 - l^2)/u or n.c <= (u^2 - l^2)/u, where
 * u^2 - l^2 <= 2 u (u - l); and |c| is at most twice the size. */
static double rise(double u, double l, double size) { return 3.0 * sqrt((u - l) / l) * size + 2.0 * (u - l); }

/* How far a part of a compound reaches along a direction of the query's frame. */
static double part_reach(const ap_search_side *side, uint32_t part, apart_vec3 direction)
{
    const apart_vec3 local = ap_apply_transposed(&side->pose.rotation, direction);
    return ap_part_reach(&side->parts[part], local) + ap_dot(direction, side->pose.translation);
}

/* Are two parts at least as far apart as the threshold along the line through their middles? */
static bool is_clear_pair(const ap_part_search *s, const uint32_t part[2])
{
    const ap_search_side *a = &s->side[0], *b = &s->side[1];
    if (a->compound == NULL || b->compound == NULL) {
        return false;
    }
    const apart_vec3 to = ap_unit(ap_sub(middle_of_part(b, part[1]), middle_of_part(a, part[0])));
    return part_reach(a, part[0], to) + part_reach(b, part[1], ap_neg(to)) <= -(ap_search_threshold(s) + 2.0 * s->slack);
}

/* Part `own` of one side against all of the other side, by the direction from its middle to a point of the other: is none nearer than the
 * threshold? Pairs that were looked at do not count. Else part[] gets a pair to look at. */
static bool is_clear(const ap_part_search *s, int side, uint32_t own, apart_vec3 point, uint32_t part[2])
{
    const ap_search_side *this = &s->side[side], *other = &s->side[1 - side];
    const apart_vec3 to = ap_unit(ap_sub(point, middle_of_part(this, own)));
    const double beyond = -(part_reach(this, own, to) + ap_search_threshold(s) + 2.0 * s->slack);
    uint32_t list[MOST_BEYOND] = {0};
    uint32_t count = other->compound != NULL ? list_beyond(other, ap_neg(to), beyond, UINT32_MAX, list) : 1;
    if (count > MOST_BEYOND) {
        part[side] = part[1 - side] = UINT32_MAX;
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        part[side] = own;
        part[1 - side] = list[i];
        if (!was_looked_at(s, part) && !is_clear_pair(s, part)) {
            return false;
        }
    }
    return true;
}

bool ap_search_proves(const ap_part_search *s, uint32_t part[2])
{
    const apart_result *r = &s->best.result;
    const double lower = r->lower - s->slack, upper = r->upper + s->slack;
    part[0] = s->best.part_a;
    part[1] = s->best.part_b;
    if (s->plane >= 0) {
        return plane_proves(s, part);
    }
    if (!(lower > 0.0)) {
        return false;
    }
    /* Whoever stays behind the nearest points, on both sides, by as much as the rest may be uncertain, is far enough. */
    const double wanted = ap_search_threshold(s) - ap_dot(r->normal, ap_sub(r->b, r->a)) + 2.0 * s->slack;
    const double behind_a = ap_dot(r->normal, r->a) - (rise(upper, lower, s->side[1].size) + wanted);
    const double behind_b = -ap_dot(r->normal, r->b) - (rise(upper, lower, s->side[0].size) + wanted);
    uint32_t list[2][MOST_BEYOND];
    const uint32_t count[2] = {list_beyond(&s->side[0], r->normal, behind_a, part[0], list[0]),
                               list_beyond(&s->side[1], ap_neg(r->normal), behind_b, part[1], list[1])};
    if (count[0] > MOST_BEYOND || count[1] > MOST_BEYOND) {
        return false;
    }
    /* The others are looked at one by one. */
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < count[side]; i++) {
            if (!is_clear(s, side, list[side][i], side == 0 ? r->b : r->a, part)) {
                return false;
            }
        }
    }
    return true;
}

void ap_search_open(ap_part_search *s)
{
    const apart_mat3 *a = &s->side[0].pose.rotation, *b = &s->side[1].pose.rotation, *m = &s->b_in_a;
    s->b_in_a = (apart_mat3){ap_apply_transposed(a, b->x), ap_apply_transposed(a, b->y), ap_apply_transposed(a, b->z)};
    s->abs_b_in_a = (apart_mat3){{fabs(m->x.x), fabs(m->x.y), fabs(m->x.z)}, {fabs(m->y.x), fabs(m->y.y), fabs(m->y.z)},
                                 {fabs(m->z.x), fabs(m->z.y), fabs(m->z.z)}};
    s->offset = ap_apply_transposed(a, s->side[1].pose.translation);
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
    s->best.boxes++;
    return (task){{node_a, node_b}, ap_max(node_bound(s, a, b, enough) - travel, 0.0)};
}

/* Both children of one side against the other side's node; the nearer one is put on top. */
static size_t split(ap_part_search *s, const task *t, task *stack, size_t count)
{
    const int which = side_to_split(&s->side[0].nodes[t->node[0]], &s->side[1].nodes[t->node[1]]);
    const uint32_t child = s->side[which].nodes[t->node[which]].first_child;
    const task first = which == 0 ? make_task(s, child, t->node[1]) : make_task(s, t->node[0], child);
    const task second = which == 0 ? make_task(s, child + 1, t->node[1]) : make_task(s, t->node[0], child + 1);
    const bool swap = second.bound < first.bound;
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

/* The pair of leaves whose boxes are nearest: a good first guess, and no query is spent on finding it. */
void ap_search_guess(ap_part_search *s, uint32_t part[2])
{
    task stack[STACK_SIZE];
    size_t count = 1;
    double nearest = INFINITY;
    stack[0] = make_task(s, 0, 0);
    while (count > 0) {
        const task t = stack[--count];
        if (t.bound >= nearest) {
            continue;
        }
        if (!is_leaf_pair(s, &t)) {
            count = split(s, &t, stack, count);
            continue;
        }
        nearest = t.bound;
        part[0] = s->side[0].nodes[t.node[0]].part;
        part[1] = s->side[1].nodes[t.node[1]].part;
    }
}

apart_status ap_search_walk(ap_part_search *s, ap_look_fn *look)
{
    task stack[STACK_SIZE];
    size_t count = 1;
    stack[0] = make_task(s, 0, 0);
    while (count > 0 && !s->settled) {
        const task t = stack[--count];
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
        if (!was_looked_at(s, part)) {
            const apart_status status = look(s, part, (apart_cache){.count = 0});
            if (status != APART_OK) {
                return status;
            }
        }
    }
    return APART_OK;
}

