/* Compounds: convex parts in a tree of boxes, built once (Lindemann 2009 section 3.3, item L6: a body is taken apart, the nearest pair
 * decides). The tree splits at the median of the box centres along the longest side, so it is as shallow as can be. */
#include "../base/memory.h"
#include "../parts/solid.h"

/* Parts are numbered with 32 bits and nodes take twice as many numbers. */
#define MOST_PARTS ((size_t)1 << 30)

typedef struct part_ball {
    apart_vec3 center;
    double radius;
} part_ball;

typedef struct builder {
    apart_compound *compound;
    apart_aabb *boxes;  /* of the parts, in the compound's frame */
    part_ball *balls;   /* likewise */
    uint32_t *order;    /* the parts, sorted into the tree's order */
    uint32_t *spare;
    uint32_t nodes, groups;
} builder;

static double middle(const apart_aabb *box, int axis)
{
    /* Halves are added, since the sum of two large coordinates may overflow. */
    const double low = axis == 0 ? box->min.x : axis == 1 ? box->min.y : box->min.z;
    const double high = axis == 0 ? box->max.x : axis == 1 ? box->max.y : box->max.z;
    return 0.5 * low + 0.5 * high;
}

static bool comes_first(const builder *b, uint32_t i, uint32_t j, int axis)
{
    const double x = middle(&b->boxes[i], axis), y = middle(&b->boxes[j], axis);
    return x < y || (x == y && i < j);
}

/* Merge sort of order[first .. end) by the box centres on an axis: stable, and without recursion. */
static void sort_parts(builder *b, uint32_t first, uint32_t end, int axis)
{
    const uint32_t count = end - first;
    uint32_t *from = b->order + first, *to = b->spare + first;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            const uint32_t split = count - start < width ? count : start + width;
            const uint32_t stop = count - start < 2 * width ? count : start + 2 * width;
            uint32_t i = start, j = split;
            for (uint32_t k = start; k < stop; k++) {
                to[k] = j >= stop || (i < split && comes_first(b, from[i], from[j], axis)) ? from[i++] : from[j++];
            }
        }
        memcpy(from, to, count * sizeof *from);
    }
}

static apart_aabb box_of(const builder *b, uint32_t first, uint32_t end)
{
    apart_aabb box = b->boxes[b->order[first]];
    for (uint32_t i = first + 1; i < end; i++) {
        box = ap_box_union(&box, &b->boxes[b->order[i]]);
    }
    return box;
}

/* The ball around a node's middle that holds the balls of order[first .. end); the box's corners may be nearer. */
static double node_radius(const builder *b, const ap_part_node *node, uint32_t first, uint32_t end)
{
    double radius = 0.0;
    for (uint32_t i = first; i < end; i++) {
        const part_ball *ball = &b->balls[b->order[i]];
        radius = ap_max(radius, ap_norm(ap_sub(ball->center, node->center)) + ball->radius);
    }
    return ap_min(radius, ap_norm(node->half)) * (1.0 + 16.0 * DBL_EPSILON);
}

/* Middle and half extents of a box, rounded up so that nothing is left outside. */
static void place_node(ap_part_node *node, const apart_aabb *box)
{
    node->center = ap_vec(middle(box, 0), middle(box, 1), middle(box, 2));
    node->half = ap_vec(ap_up(ap_max(box->max.x - node->center.x, node->center.x - box->min.x)),
                        ap_up(ap_max(box->max.y - node->center.y, node->center.y - box->min.y)),
                        ap_up(ap_max(box->max.z - node->center.z, node->center.z - box->min.z)));
}

static int longest_axis(apart_vec3 half)
{
    if (half.x >= half.y && half.x >= half.z) {
        return 0;
    }
    return half.y >= half.z ? 1 : 2;
}

/* Fills node `at` for the parts order[first .. end). Halving bounds the recursion by AP_PART_LEVELS. */
static void build_node(builder *b, uint32_t at, uint32_t first, uint32_t end)
{
    ap_part_node *node = &b->compound->nodes[at];
    const apart_aabb box = box_of(b, first, end);
    place_node(node, &box);
    node->radius = node_radius(b, node, first, end);
    if (end - first == 1) {
        node->first_child = 0;
        node->part = b->order[first];
        return;
    }
    sort_parts(b, first, end, longest_axis(node->half));
    node->first_child = b->nodes;
    node->part = 0;
    b->nodes += 2;
    const uint32_t split = first + (end - first) / 2, child = node->first_child;
    build_node(b, child, first, split);
    build_node(b, child + 1, split, end);
}

/* The part's own reach along a direction that groups know, or its box's where a callback fails. Half the direction is shorter than one,
 * as ap_part_reach wants it; its rounding is twice made up for. */
static double part_reach(const builder *b, uint32_t part, apart_vec3 direction)
{
    const apart_aabb *box = &b->boxes[part];
    const double of_box = ap_max(direction.x * box->min.x, direction.x * box->max.x) +
                          ap_max(direction.y * box->min.y, direction.y * box->max.y) +
                          ap_max(direction.z * box->min.z, direction.z * box->max.z);
    const double own = 2.0 * ap_part_reach(&b->compound->parts[part], ap_scale(0.5, direction));
    return (own < of_box ? own : of_box) + 128.0 * DBL_EPSILON * b->compound->reach;
}

/* Lane by lane: of a part, or of all that a group holds. */
static void set_part_lane(const builder *b, ap_part_group *group, uint32_t lane, uint32_t part)
{
    for (int n = 0; n < 27; n++) {
        const apart_vec3 direction = {(double)(n / 9 - 1), (double)(n / 3 % 3 - 1), (double)(n % 3 - 1)};
        group->reach[n][lane] = part_reach(b, part, direction);
    }
}

static void set_group_lane(ap_part_group *group, uint32_t lane, const ap_part_group *below)
{
    for (int n = 0; n < 27; n++) {
        const double *reach = below->reach[n];
        group->reach[n][lane] = ap_max(ap_max(reach[0], reach[1]), ap_max(reach[2], reach[3]));
    }
}

/* The smaller one of two balls around a node: about the middle of its box, or, of a part, its own. */
static part_ball smaller_ball(const builder *b, const ap_part_node *node)
{
    const part_ball own = node->first_child == 0 ? b->balls[node->part] : (part_ball){.radius = INFINITY};
    return own.radius < node->radius ? own : (part_ball){node->center, node->radius};
}

static void set_ball_lane(ap_part_balls *balls, uint32_t lane, part_ball ball)
{
    balls->center[0][lane] = ball.center.x;
    balls->center[1][lane] = ball.center.y;
    balls->center[2][lane] = ball.center.z;
    balls->radius[lane] = ball.radius;
}

static void repeat_first_lane(ap_part_group *group, uint32_t count)
{
    for (uint32_t lane = count; lane < 4; lane++) {
        group->child[lane] = group->child[0];
        for (int n = 0; n < 27; n++) {
            group->reach[n][lane] = group->reach[n][0];
        }
    }
}

/* Up to four nodes below a node, from left to right: its grandchildren, or what there is of them. */
static uint32_t find_grandchildren(const ap_part_node *nodes, uint32_t top, uint32_t found[4])
{
    uint32_t count = 1;
    found[0] = top;
    for (int level = 0; level < 2; level++) {
        for (uint32_t i = count; i-- > 0;) {
            const uint32_t child = nodes[found[i]].first_child;
            if (child != 0) {
                found[i] = child;
                found[count++] = child + 1;
            }
        }
    }
    return count;
}

/* Fills group `at` with the nodes below `top`: two levels of the tree in one. */
static void build_group(builder *b, uint32_t at, uint32_t top)
{
    ap_part_group *group = &b->compound->groups[at];
    uint32_t found[4];
    const uint32_t count = find_grandchildren(b->compound->nodes, top, found);
    group->used = (1u << count) - 1u;
    group->used_rows = 0x1111u & ((1u << 4 * count) - 1u);
    for (uint32_t lane = 0; lane < 4; lane++) {
        set_ball_lane(&group->balls, lane, smaller_ball(b, &b->compound->nodes[found[lane < count ? lane : 0]]));
    }
    for (uint32_t lane = 0; lane < count; lane++) {
        const ap_part_node *node = &b->compound->nodes[found[lane]];
        if (node->first_child == 0) {
            group->child[lane] = AP_PART_LEAF + node->part;
            b->compound->places[node->part] = 4 * at + lane;
            set_part_lane(b, group, lane, node->part);
            if (b->compound->few != NULL) {
                set_ball_lane(&b->compound->few[node->part / 4], node->part % 4, smaller_ball(b, node));
            }
        } else {
            ap_part_group *below = &b->compound->groups[b->groups];
            group->child[lane] = b->groups++;
            below->place = 4 * at + lane;
            build_group(b, group->child[lane], found[lane]);
            set_group_lane(group, lane, below);
        }
    }
    repeat_first_lane(group, count);
}

/* In the lanes behind the last of few parts, so that they reach no farther than any. */
static void repeat_first_ball(ap_part_balls *few, uint32_t count)
{
    for (uint32_t i = count; i % 4 != 0; i++) {
        ap_part_balls *balls = &few[i / 4];
        for (int axis = 0; axis < 3; axis++) {
            balls->center[axis][i % 4] = few->center[axis][0];
        }
        balls->radius[i % 4] = few->radius[0];
    }
}

static apart_status check_parts(const apart_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        apart_aabb box;
        const apart_status status = apart_shape_aabb(&parts[i].shape, &parts[i].pose, &box);
        if (status != APART_OK) {
            return status;
        }
        if (parts[i].shape.dim != parts[0].shape.dim) {
            return APART_ERR_DIMENSION;
        }
    }
    return APART_OK;
}

/* A part's ball, and how large the numbers of its pose and points can be. */
static apart_status set_ball(builder *b, uint32_t part, double *reach)
{
    const apart_pose *pose = &b->compound->parts[part].pose;
    apart_vec3 own;
    double radius;
    const apart_status status = apart_shape_ball(&b->compound->parts[part].shape, &own, &radius);
    if (status == APART_OK) {
        const double size = ap_norm(pose->translation) + ap_norm(own) + radius;
        b->balls[part] = (part_ball){apart_pose_apply(pose, own), radius * AP_STRETCH + 16.0 * DBL_EPSILON * size};
        *reach = ap_max(*reach, size);
    }
    return status;
}

static bool is_identity(const apart_pose *pose)
{
    const apart_pose identity = apart_pose_identity();
    const double *x = &pose->rotation.x.x, *y = &identity.rotation.x.x;
    bool same = true;
    for (size_t i = 0; i < sizeof identity / sizeof *y; i++) {
        same = same && x[i] == y[i];
    }
    return same;
}

/* Parts whose balls fill little of the ball around all of them; parts that a body was taken apart into fill a good part of it. */
#define SPARSE_SHARE (1.0 / 32.0)

static bool is_sparse(const builder *b)
{
    double filled = 0.0;
    for (uint32_t i = 0; i < b->compound->count; i++) {
        const double share = b->balls[i].radius / b->compound->radius;
        filled += share * share * share;
    }
    return filled < SPARSE_SHARE;
}

static apart_status build(builder *b, const apart_part *parts, size_t count)
{
    apart_compound *c = b->compound;
    memcpy(c->parts, parts, count * sizeof *parts);
    c->in_place = true;
    for (uint32_t i = 0; i < count; i++) {
        apart_status status = apart_shape_aabb(&parts[i].shape, &parts[i].pose, &b->boxes[i]);
        status = status == APART_OK ? set_ball(b, i, &c->reach) : status;
        if (status != APART_OK) {
            return status;
        }
        b->order[i] = i;
        c->in_place = c->in_place && is_identity(&parts[i].pose);
    }
    c->lone = count == 1 && c->in_place ? &c->parts[0].shape : NULL;
    b->nodes = 1;
    build_node(b, 0, 0, (uint32_t)count);
    c->center = c->nodes[0].center;
    c->radius = c->nodes[0].radius * AP_STRETCH;
    c->reach = ap_max(c->reach, ap_norm(c->center) + ap_norm(c->nodes[0].half));
    c->sparse = is_sparse(b);
    b->groups = 1;
    c->groups[0].place = AP_NO_PLACE;
    build_group(b, 0, 0);
    if (c->few != NULL) {
        repeat_first_ball(c->few, c->count);
    }
    return isfinite(c->reach) ? APART_OK : APART_ERR_OVERFLOW;
}

/* One block: the header, the groups, the nodes, the parts, the balls of few parts, all multiples of eight bytes; the places. */
static apart_compound *allocate(const apart_allocator *allocator, size_t count)
{
    const size_t groups = count * sizeof(ap_part_group), nodes = (2 * count - 1) * sizeof(ap_part_node), parts = count * sizeof(apart_part);
    const size_t balls = count <= AP_FEW_PARTS ? (count + 3) / 4 * sizeof(ap_part_balls) : 0, places = count * sizeof(uint32_t);
    char *block = ap_allocate(allocator, 1, sizeof(apart_compound) + groups + nodes + parts + balls + places);
    if (block == NULL) {
        return NULL;
    }
    apart_compound *c = (apart_compound *)block;
    *c = (apart_compound){.allocator = *allocator, .count = (uint32_t)count};
    c->groups = (ap_part_group *)(block + sizeof *c);
    c->nodes = (ap_part_node *)(block + sizeof *c + groups);
    c->parts = (apart_part *)(block + sizeof *c + groups + nodes);
    c->few = balls > 0 ? (ap_part_balls *)(block + sizeof *c + groups + nodes + parts) : NULL;
    c->places = (uint32_t *)(block + sizeof *c + groups + nodes + parts + balls);
    return c;
}

apart_solid apart_solid_shape(const apart_shape *shape)
{
    return (apart_solid){shape, NULL};
}

apart_solid apart_solid_compound(const apart_compound *compound)
{
    return (apart_solid){NULL, compound};
}

apart_status apart_compound_build(const apart_part *parts, size_t count, const apart_allocator *allocator, apart_compound **out)
{
    const apart_allocator standard = {NULL, NULL, NULL}, *used = allocator != NULL ? allocator : &standard;
    if (out == NULL || (parts == NULL && count > 0)) {
        return APART_ERR_NULL;
    }
    if (count == 0 || count >= MOST_PARTS) {
        return count == 0 ? APART_ERR_EMPTY : APART_ERR_SIZE;
    }
    apart_status status = check_parts(parts, count);
    if (status != APART_OK) {
        return status;
    }
    builder b = {.compound = allocate(used, count),
                 .boxes = ap_allocate(used, count, sizeof(apart_aabb)),
                 .balls = ap_allocate(used, count, sizeof(part_ball)),
                 .order = ap_allocate(used, 2 * count, sizeof(uint32_t))};
    if (b.compound == NULL || b.boxes == NULL || b.balls == NULL || b.order == NULL) {
        status = APART_ERR_MEMORY;
    } else {
        b.spare = b.order + count;
        b.compound->dim = parts[0].shape.dim;
        status = build(&b, parts, count);
    }
    ap_release(used, b.boxes);
    ap_release(used, b.balls);
    ap_release(used, b.order);
    if (status == APART_OK) {
        *out = b.compound;
    } else {
        ap_release(used, b.compound);
    }
    return status;
}

void apart_compound_free(apart_compound *compound)
{
    if (compound != NULL) {
        const apart_allocator allocator = compound->allocator;
        ap_release(&allocator, compound);
    }
}

size_t apart_compound_count(const apart_compound *compound)
{
    return compound != NULL ? compound->count : 0;
}

const apart_part *apart_compound_part(const apart_compound *compound, size_t part)
{
    return compound != NULL && part < compound->count ? &compound->parts[part] : NULL;
}

/* The world box of the root's box: its middle, and the half extents under the rotation's absolute values. Two products of three terms
 * and a sum are off by less than 16 eps of all that is in them. */
static apart_status compound_aabb(const apart_compound *c, const apart_pose *pose, apart_aabb *out)
{
    const apart_status status = apart_pose_check(pose);
    if (status != APART_OK) {
        return status;
    }
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 h = c->nodes[0].half, m = ap_add(ap_apply(r, c->nodes[0].center), pose->translation);
    const double slack = 16.0 * DBL_EPSILON * (2.0 * c->reach + ap_max_abs(pose->translation));
    const apart_vec3 e = {fabs(r->x.x) * h.x + fabs(r->y.x) * h.y + fabs(r->z.x) * h.z + slack,
                          fabs(r->x.y) * h.x + fabs(r->y.y) * h.y + fabs(r->z.y) * h.z + slack,
                          c->dim == 2 ? 0.0 : fabs(r->x.z) * h.x + fabs(r->y.z) * h.y + fabs(r->z.z) * h.z + slack};
    *out = (apart_aabb){ap_sub(m, e), ap_add(m, e)};
    return ap_finite(out->min) && ap_finite(out->max) ? APART_OK : APART_ERR_OVERFLOW;
}

apart_status apart_solid_aabb(apart_solid solid, const apart_pose *pose, apart_aabb *out)
{
    if (!ap_solid_is_valid(solid) || out == NULL) {
        return APART_ERR_NULL;
    }
    return solid.compound != NULL ? compound_aabb(solid.compound, pose, out) : apart_shape_aabb(solid.shape, pose, out);
}

apart_status apart_solid_ball(apart_solid solid, apart_vec3 *center, double *radius)
{
    if (!ap_solid_is_valid(solid) || center == NULL || radius == NULL) {
        return APART_ERR_NULL;
    }
    if (solid.shape != NULL) {
        return apart_shape_ball(solid.shape, center, radius);
    }
    *center = solid.compound->center;
    *radius = solid.compound->radius;
    return APART_OK;
}
