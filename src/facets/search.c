/* A query's frame, and the search: a depth-first traversal of both trees at once, which opens the larger of two nodes and
 * puts its children on a stack, the most promising on top. */
#include "search.h"

#include "../pair/pair.h"

/* Children are visited in the order of their bounds plus this share of the gap along the line between the centres, which
 * is below zero where boxes overlap, and of a part of the centres' distance: bounds alone say nothing there. */
static const float order_share = 0.2f, length_share = 0.5f;

/* Bodies farther apart than so many times their radii are compared along the line between their centres: a float that
 * holds the distance would have too few bits for the bodies. */
static const double far_radii = 64.0;

/* Every level of either tree leaves at most seven pairs behind. */
enum { most_waiting = 7 * (AP_MESH_LEVELS + AP_TREE_LEVELS + 2 + AP_MESH_LEVELS) + 8 };

typedef struct waiting_pair {
    uint32_t item[2];
    float lower;
} waiting_pair;

/* ---- the frame ---- */

/* Three floats of a double vector in query units. */
static ap_float4 floats_of(apart_vec3 v) { return ap_float4_of((float)v.x, (float)v.y, (float)v.z); }

static void write_floats(float out[3], apart_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/* The other side's frame in a side's own; `between` leads to the other side's centre. */
static void set_view(ap_facet_view *view, const apart_mat3 *own, const apart_mat3 *other, apart_vec3 between,
                     double inverse_unit)
{
    view->axis[0] = floats_of(ap_apply_transposed(own, other->x));
    view->axis[1] = floats_of(ap_apply_transposed(own, other->y));
    view->axis[2] = floats_of(ap_apply_transposed(own, other->z));
    view->offset = floats_of(ap_scale(inverse_unit, ap_apply_transposed(own, between)));
}

/* Bounds are along a direction of the world, from the first side to the second, and `base` larger. */
static void set_direction(ap_facet_frame *f, apart_vec3 direction, double base)
{
    f->along = true;
    f->base = base;
    write_floats(f->direction[0], ap_apply_transposed(&f->side[0].pose->rotation, direction));
    write_floats(f->direction[1], ap_apply_transposed(&f->side[1].pose->rotation, ap_neg(direction)));
}

/* Side `plane` is a half-space. */
static void set_plane(ap_facet_frame *f, int plane)
{
    const apart_shape *shape = f->side[plane].shape;
    const apart_vec3 normal = ap_apply(&f->side[plane].pose->rotation, shape->u.plane.normal);
    const apart_vec3 to_body = plane == 1 ? ap_neg(f->between) : f->between;
    set_direction(f, plane == 1 ? ap_neg(normal) : normal,
                  ap_dot(normal, to_body) - (shape->u.plane.offset + shape->radius));
    memset(f->direction[plane], 0, sizeof f->direction[plane]);
}

static bool is_plane(const ap_facet_side *side)
{
    return side->shape != NULL && side->shape->kind == APART_SHAPE_HALF_SPACE;
}

/* A common offset of the bodies' coordinates must cost nothing: beyond this share of all lengths the centres' difference
 * is computed with one rounding. */
static const double large_offset = 8.0;

/* What rounding in doubles is measured by, and the vector between the centres. */
static void set_centers(ap_facet_frame *f, const apart_pose *pose_a, const apart_pose *pose_b)
{
    const ap_facet_side *sa = &f->side[0], *sb = &f->side[1];
    const double own =
        (isfinite(sa->radius) ? sa->radius : sa->extent) + (isfinite(sb->radius) ? sb->radius : sb->extent);
    f->between = ap_add(ap_sub(pose_b->translation, pose_a->translation),
                        ap_sub(ap_apply(&pose_b->rotation, sb->center), ap_apply(&pose_a->rotation, sa->center)));
    f->scope = f->reach;
    if (f->reach > large_offset * (own + ap_norm(f->between))) {
        f->between = ap_pair_between(pose_a, sa->center, pose_b, sb->center);
        f->scope = own + ap_norm(f->between);
    }
}

/* Errors: of floats by AP_FACET_UNIT; of the centres in doubles by 32 u of all lengths; a defect d of a rotation moves
 * bounds by less than 8 d of them. */
static void set_slack(ap_facet_frame *f, double defect)
{
    const double radii = (isfinite(f->side[0].radius) ? f->side[0].radius : 0.0) +
                         (isfinite(f->side[1].radius) ? f->side[1].radius : 0.0);
    const double size = f->along ? radii : radii + ap_norm(f->between);
    const double rest = (16.0 * DBL_EPSILON + 8.0 * defect) * f->reach * f->inverse_unit;
    f->node_slack = AP_FACET_NODE_ERROR * AP_FACET_UNIT * (size * f->inverse_unit + 1.0) + rest;
    f->leaf_slack = AP_FACET_LEAF_ERROR * AP_FACET_UNIT * (size * f->inverse_unit + 1.0) + rest;
}

/* The poses, as apart_pose_check, and the solids. defect: of the worse rotation. */
static apart_status check(const ap_facet_frame *f, const apart_pose *pose_a, const apart_pose *pose_b, double *defect)
{
    apart_status status = APART_OK;
    const double defect_a = ap_rotation_defect(&pose_a->rotation), defect_b = ap_rotation_defect(&pose_b->rotation);
    *defect = ap_max(defect_a, defect_b);
    if (!(defect_a <= AP_ROTATION_LIMIT) || !(defect_b <= AP_ROTATION_LIMIT) || !ap_finite(pose_a->translation) ||
        !ap_finite(pose_b->translation)) {
        status = apart_pose_check(pose_a);
        status = status == APART_OK ? apart_pose_check(pose_b) : status;
        status = status == APART_OK ? APART_ERR_ROTATION : status;
    }
    for (int i = 0; i < 2 && status == APART_OK; i++) {
        const apart_shape *shape = f->side[i].shape;
        const int dim = shape != NULL ? shape->dim : f->side[i].compound != NULL ? f->side[i].compound->dim : 3;
        status = shape != NULL && shape->status != APART_OK ? (apart_status)shape->status
                 : dim == 2                                 ? APART_ERR_DIMENSION
                                                            : APART_OK;
    }
    return status == APART_OK && is_plane(&f->side[0]) && is_plane(&f->side[1]) ? APART_ERR_HALF_SPACE : status;
}

apart_status ap_facet_frame_set(ap_facet_frame *f, apart_solid a, const apart_pose *pose_a, apart_solid b,
                                const apart_pose *pose_b)
{
    ap_facet_side *sa = &f->side[0], *sb = &f->side[1];
    const apart_vec3 offset = ap_sub(pose_b->translation, pose_a->translation);
    ap_facet_side_set(sa, a, pose_a);
    ap_facet_side_set(sb, b, pose_b);
    double defect;
    const apart_status status = check(f, pose_a, pose_b, &defect);
    f->reach = sa->extent + sb->extent + ap_norm(offset);
    if (status != APART_OK || !(f->reach <= 0x1p1010)) {
        return status != APART_OK ? status : APART_ERR_OVERFLOW;
    }
    ap_part_side_of(sa, a, ap_vec(0.0, 0.0, 0.0));
    ap_part_side_of(sb, b, offset);
    const double scale_a = is_plane(sa) ? sb->local_scale : sa->local_scale;
    const double scale_b = is_plane(sb) ? scale_a : sb->local_scale;
    f->inverse_unit = ap_min(scale_a, scale_b);
    sa->scale = (float)(f->inverse_unit / scale_a);
    sb->scale = (float)(f->inverse_unit / scale_b);
    set_centers(f, pose_a, pose_b);
    f->along = false;
    f->base = 0.0;
    const double length = ap_norm(f->between);
    if (is_plane(sa) || is_plane(sb)) {
        set_plane(f, is_plane(sb) ? 1 : 0);
    } else if (length > far_radii * (sa->radius + sb->radius)) {
        set_direction(f, ap_unit(f->between), length);
    } else {
        set_view(&f->view[0], &pose_a->rotation, &pose_b->rotation, f->between, f->inverse_unit);
        set_view(&f->view[1], &pose_b->rotation, &pose_a->rotation, ap_neg(f->between), f->inverse_unit);
    }
    set_slack(f, defect);
    return APART_OK;
}

/* ---- thresholds ---- */

/* Not below x. */
static float float_above(double x)
{
    const float f = (float)x;
    return f + fabsf(f) * 0x1p-22f + 0x1p-126f;
}

void ap_facet_set_threshold(ap_facet_search *s, double threshold)
{
    const ap_facet_frame *f = s->frame;
    const double in_units = (threshold - f->base) * f->inverse_unit;
    s->threshold = threshold;
    s->node_threshold = float_above(in_units + f->node_slack);
    s->leaf_threshold = float_above(in_units + f->leaf_slack);
}

/* ---- the traversal ---- */

static float node_limit(const ap_facet_search *s) { return s->any ? s->node_threshold : INFINITY; }

/* Which children are not known to be farther away than the limit; out, if any, gets their bounds. The line between the
 * centres excludes most of the children, so it comes first; what is compared needs no division. A function of its own:
 * inlined, the compiler loads the node early and spills it. */
static AP_NOINLINE unsigned near_children(const ap_facet_step *s, const ap_mesh_node *node, float scale, float limit,
                                          ap_facet_bounds *out)
{
    ap_float8 t[3], size[3], half[3], back[3], cut[4], gap[3], other_gap[3];
    for (int i = 0; i < 3; i++) {
        half[i] = ap_float8_scale(scale, ap_float8_load(node->half[i]));
        t[i] = ap_float8_sub(ap_float8_all(s->offset[i]), ap_float8_scale(scale, ap_float8_load(node->center[i])));
        size[i] = ap_float8_abs(t[i]);
    }
    for (int i = 0; i < 4; i++) {
        cut[i] = ap_float8_scale(scale, ap_float8_load(node->cut[i]));
    }
    ap_facet_back(s, t, back);
    const ap_float8 square = ap_facet_dot(t, t), length = ap_float8_sqrt(square);
    const ap_float8 support = ap_float8_sub(ap_facet_dot(size, half), ap_facet_cut_off(t[0], t[1], cut));
    const ap_float8 along = ap_float8_sub(square, ap_float8_add(support, ap_facet_other_support(s, back)));
    /* Where the centres coincide both sides are 0 or NaN, and nothing is excluded. */
    const ap_bits8 far_along = ap_float8_greater(along, ap_float8_scale(limit, length));
    if (ap_bits8_mask(far_along) == 0xffu) {
        return 0;
    }
    for (int j = 0; j < 3; j++) {
        const ap_float8 sizes[3] = {ap_float8_all(s->abs_m[j][0]), ap_float8_all(s->abs_m[j][1]),
                                    ap_float8_all(s->abs_m[j][2])};
        gap[j] = ap_facet_positive(ap_float8_sub(ap_float8_sub(size[j], half[j]), ap_float8_all(s->reach[j])));
        other_gap[j] = ap_facet_positive(
            ap_float8_sub(ap_float8_sub(ap_float8_abs(back[j]), ap_float8_all(s->half[j])), ap_facet_dot(sizes, half)));
    }
    const ap_float8 boxes = ap_float8_sqrt(ap_float8_max(ap_facet_dot(gap, gap), ap_facet_dot(other_gap, other_gap)));
    out->lower = ap_float8_max(ap_float8_div(along, length), boxes); /* a NaN of the first gives the second */
    out->order = ap_float8_add(ap_float8_scale(length_share, length), ap_float8_div(along, length));
    return ap_bits8_mask(ap_bits8_or(far_along, ap_float8_greater(boxes, ap_float8_all(limit)))) ^ 0xffu;
}

/* Puts the children that may be near on the stack, above `base`, each with the other side's item, the one to visit first
 * on top. Numbers are sorted and pairs written once, field by field: a copy of a pair would wait for its stores. */
AP_INLINE unsigned push_children(waiting_pair *stack, unsigned base, uint32_t kept, int opened,
                                 const ap_mesh_node *node, const ap_facet_bounds *bounds, unsigned near)
{
    float keys[AP_MESH_WIDTH], lower[AP_MESH_WIDTH];
    unsigned lanes[AP_MESH_WIDTH], count = 0;
    ap_float8_store(lower, bounds->lower);
    ap_float8_store(keys, ap_float8_add(bounds->lower, ap_float8_scale(order_share, bounds->order)));
    for (; near != 0; near &= near - 1) {
        const unsigned lane = ap_lowest_bit(near);
        const float key = keys[lane];
        unsigned at = count++;
        for (; at > 0 && keys[lanes[at - 1]] < key; at--) {
            lanes[at] = lanes[at - 1];
        }
        lanes[at] = lane;
    }
    for (unsigned i = 0; i < count; i++) {
        waiting_pair *to = &stack[base + i];
        to->item[opened] = node->child[lanes[i]];
        to->item[1 - opened] = kept;
        to->lower = lower[lanes[i]];
    }
    return base + count;
}

/* Which of the two to open: the larger node. */
static int side_to_open(const ap_facet_search *s, const waiting_pair *pair, const ap_mesh_volume *const volume[2])
{
    const ap_facet_side *side = s->frame->side;
    if (pair->item[0] >= AP_MESH_LEAF || pair->item[1] >= AP_MESH_LEAF) {
        return pair->item[0] >= AP_MESH_LEAF ? 1 : 0;
    }
    return side[1].scale * volume[1]->reach > side[0].scale * volume[0]->reach ? 1 : 0;
}

static unsigned open_pair(ap_facet_search *s, waiting_pair *stack, unsigned count, const waiting_pair *pair)
{
    const ap_facet_frame *f = s->frame;
    ap_mesh_volume memory[2];
    ap_mesh_node own;
    ap_facet_bounds bounds;
    unsigned near;
    const float limit = node_limit(s);
    const ap_mesh_volume *const volume[2] = {ap_facet_volume(&f->side[0], pair->item[0], &memory[0]),
                                             ap_facet_volume(&f->side[1], pair->item[1], &memory[1])};
    const int opened = side_to_open(s, pair, volume);
    const ap_mesh_node *node = ap_facet_node(&f->side[opened], pair->item[opened], &own);
    if (f->along) {
        near = ap_facet_near_along(f, opened, node, volume[1 - opened], limit, &bounds);
    } else {
        ap_facet_step step;
        ap_facet_step_set(&step, &f->view[opened], f->side[1 - opened].scale, &node->volume, volume[1 - opened]);
        near = near_children(&step, node, f->side[opened].scale, limit, &bounds);
    }
    s->boxes += node->count;
    near &= (1u << node->count) - 1u;
    return near != 0 ? push_children(stack, count, pair->item[1 - opened], opened, node, &bounds, near) : count;
}

/* ---- pairs of leaves ---- */

/* The part in a lane of a leaf. */
static uint32_t part_of(const ap_facet_side *side, uint32_t item, unsigned lane)
{
    if (side->mesh == NULL) {
        return item - AP_MESH_LEAF;
    }
    return ap_mesh_order(side->mesh)[ap_mesh_leaves(side->mesh)[item - AP_MESH_LEAF].first + lane];
}

/* Visits candidates, the nearest first, while they may be nearer than the threshold. */
static bool visit_candidates(ap_facet_search *s, const waiting_pair *pair, ap_facet_candidates *c)
{
    while (c->count > 0) {
        unsigned best = 0, kept = 0;
        float nearest = INFINITY;
        for (unsigned k = 0; k < c->count; k++) {
            if (!(c->lower[k] <= s->leaf_threshold)) {
                continue;
            }
            c->lane[kept][0] = c->lane[k][0];
            c->lane[kept][1] = c->lane[k][1];
            c->lower[kept] = c->lower[k];
            c->nearest[kept] = c->nearest[k];
            best = c->nearest[k] < nearest ? kept : best;
            nearest = c->nearest[k] < nearest ? c->nearest[k] : nearest;
            kept++;
        }
        if (kept == 0) {
            break;
        }
        const uint32_t part[2] = {part_of(&s->frame->side[0], pair->item[0], c->lane[best][0]),
                                  part_of(&s->frame->side[1], pair->item[1], c->lane[best][1])};
        c->count = kept - 1; /* the last takes the place of the one that is visited */
        c->lane[best][0] = c->lane[kept - 1][0];
        c->lane[best][1] = c->lane[kept - 1][1];
        c->lower[best] = c->lower[kept - 1];
        c->nearest[best] = c->nearest[kept - 1];
        if (!s->visit(s, part)) {
            return false;
        }
    }
    return true;
}

static const ap_mesh_leaf *leaf_of(const ap_facet_side *side, uint32_t item)
{
    return &ap_mesh_leaves(side->mesh)[item - AP_MESH_LEAF];
}

static bool visit_leaves(ap_facet_search *s, const waiting_pair *pair)
{
    const ap_facet_frame *f = s->frame;
    const ap_facet_side *a = &f->side[0], *b = &f->side[1];
    ap_facet_candidates c;
    ap_mesh_volume memory;
    if (!s->any) { /* any pair will do to begin with: without a threshold, all pairs would be compared */
        const uint32_t part[2] = {part_of(a, pair->item[0], 0), part_of(b, pair->item[1], 0)};
        if (!s->visit(s, part)) {
            return false;
        }
        s->any = true;
    }
    if (s->pierce && a->mesh != NULL && b->mesh != NULL) {
        s->certain =
            ap_facet_leaf_pierce(f, leaf_of(a, pair->item[0]), leaf_of(b, pair->item[1]), s->leaf_threshold, &c);
        c.lower[0] = c.nearest[0] = s->certain ? 0.0f : c.lower[0];
    } else if (a->mesh != NULL && b->mesh != NULL) {
        ap_facet_leaf_pair(f, leaf_of(a, pair->item[0]), leaf_of(b, pair->item[1]), s->has_normal ? s->normal : NULL,
                           s->leaf_threshold, &c);
    } else if (a->mesh != NULL) {
        ap_facet_leaf_part(f, 0, leaf_of(a, pair->item[0]), ap_facet_volume(b, pair->item[1], &memory),
                           s->node_threshold, &c);
    } else if (b->mesh != NULL) {
        ap_facet_leaf_part(f, 1, leaf_of(b, pair->item[1]), ap_facet_volume(a, pair->item[0], &memory),
                           s->node_threshold, &c);
    } else {
        c = (ap_facet_candidates){.count = 1, .lower = {-INFINITY}, .nearest = {-INFINITY}}; /* the node's bound did */
    }
    return visit_candidates(s, pair, &c);
}

bool ap_facet_search_run(ap_facet_search *s)
{
    waiting_pair stack[most_waiting];
    unsigned count = 1;
    stack[0] = (waiting_pair){{ap_facet_root(&s->frame->side[0]), ap_facet_root(&s->frame->side[1])}, -INFINITY};
    while (count > 0) {
        const waiting_pair *top = &stack[--count], pair = {{top->item[0], top->item[1]}, top->lower};
        if (!(pair.lower <= node_limit(s))) {
            continue;
        }
        if ((pair.item[0] & pair.item[1]) >= AP_MESH_LEAF) {
            if (!visit_leaves(s, &pair)) {
                return false;
            }
        } else {
            count = open_pair(s, stack, count, &pair);
        }
    }
    return true;
}
