/* Compounds and shapes as trees of local floats. A compound's nodes have support values along 26 directions
 * (parts/tree.h), of which ten make boxes with cut edges; they are converted when a search comes to them, and padded by
 * what floats can be wrong. */
#include "side.h"

/* Of numbers up to two: the conversion, and sums of three. */
static const float padding = 0x1p-21f;

static void set_identity(ap_mesh_volume *v)
{
    memset(v->axis, 0, sizeof v->axis);
    v->axis[0][0] = v->axis[1][1] = v->axis[2][2] = 1.0f;
}

/* Support values of a lane along the first axes, their sum and difference, in local units. */
typedef struct local_supports {
    double axis[3][2]; /* along, against */
    double corner[4];  /* by ap_mesh_cut_number */
} local_supports;

typedef struct local_box {
    float center[3], half[3], cut[4];
} local_box;

static local_supports supports_of(const ap_facet_side *side, const ap_part_node *node, unsigned lane)
{
    static const int step[3] = {9, 3, 1};
    static const int sign[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    const double c[3] = {side->center.x, side->center.y, side->center.z};
    local_supports s;
    for (int i = 0; i < 3; i++) {
        s.axis[i][0] = (node->support[13 + step[i]][lane] - c[i]) * side->local_scale;
        s.axis[i][1] = (node->support[13 - step[i]][lane] + c[i]) * side->local_scale;
    }
    for (int i = 0; i < 4; i++) {
        const double h = node->support[13 + 9 * sign[i][0] + 3 * sign[i][1]][lane];
        s.corner[i] = (h - (sign[i][0] * c[0] + sign[i][1] * c[1])) * side->local_scale;
    }
    return s;
}

static local_supports larger_supports(local_supports a, const local_supports *b)
{
    for (int i = 0; i < 3; i++) {
        a.axis[i][0] = ap_max(a.axis[i][0], b->axis[i][0]);
        a.axis[i][1] = ap_max(a.axis[i][1], b->axis[i][1]);
    }
    for (int i = 0; i < 4; i++) {
        a.corner[i] = ap_max(a.corner[i], b->corner[i]);
    }
    return a;
}

static local_box box_of(const local_supports *s)
{
    local_box b;
    for (int i = 0; i < 3; i++) {
        b.center[i] = (float)(0.5 * (s->axis[i][0] - s->axis[i][1]));
        b.half[i] = (float)ap_max(s->axis[i][0] - b.center[i], s->axis[i][1] + b.center[i]) + padding;
    }
    for (int i = 0; i < 4; i++) {
        const double x = i % 2 ? -b.center[0] : b.center[0], y = i / 2 ? -b.center[1] : b.center[1];
        const float cut = (float)(((double)b.half[0] + b.half[1]) - (s->corner[i] - (x + y))) - padding;
        b.cut[i] = cut > 0.0f ? cut : 0.0f;
    }
    return b;
}

static void write_volume(const local_box *b, ap_mesh_volume *v)
{
    set_identity(v);
    memcpy(v->center, b->center, sizeof v->center);
    memcpy(v->half, b->half, sizeof v->half);
    memcpy(v->cut, b->cut, sizeof v->cut);
    const float square = (b->half[0] * b->half[0] + b->half[1] * b->half[1]) + b->half[2] * b->half[2];
    v->reach = sqrtf(square) * (1.0f + 0x1p-20f);
}

void ap_facet_part_node(const ap_facet_side *side, uint32_t number, ap_mesh_node *out)
{
    const ap_part_node *node = &side->compound->nodes[number];
    uint32_t count = 0;
    set_identity(&out->volume);
    for (unsigned lane = 0; lane < AP_MESH_WIDTH; lane++) {
        const unsigned from = lane < 4 && node->used >> lane & 1u ? lane : 0;
        const local_supports s = supports_of(side, node, from);
        const local_box b = box_of(&s);
        count = from == lane ? lane + 1 : count;
        for (int i = 0; i < 3; i++) {
            out->center[i][lane] = b.center[i];
            out->half[i][lane] = b.half[i];
        }
        for (int i = 0; i < 4; i++) {
            out->cut[i][lane] = b.cut[i];
        }
        out->child[lane] = node->child[from]; /* AP_PART_LEAF is AP_MESH_LEAF */
    }
    out->count = count;
}

_Static_assert(AP_PART_LEAF == AP_MESH_LEAF, "children of compounds and meshes are told from parts in the same way");

void ap_facet_part_volume(const ap_facet_side *side, uint32_t item, ap_mesh_volume *out)
{
    const apart_compound *c = side->compound;
    const uint32_t slot = item >= AP_MESH_LEAF ? c->slots[item - AP_MESH_LEAF] : 4 * item;
    const ap_part_node *node = &c->nodes[slot / 4];
    local_supports s = supports_of(side, node, slot % 4);
    for (unsigned lane = 1; item < AP_MESH_LEAF && lane < 4; lane++) {
        const local_supports other = supports_of(side, node, lane);
        s = larger_supports(s, &other);
    }
    const local_box b = box_of(&s);
    write_volume(&b, out);
}

/* A shape's box in its own frame. */
static void set_shape(ap_facet_side *side, const apart_shape *shape)
{
    const apart_pose identity = apart_pose_identity();
    apart_aabb box;
    local_supports s;
    side->center = shape->center;
    side->radius = shape->bound + shape->radius + shape->error;
    side->extent = ap_norm(shape->center) + side->radius;
    side->local_scale = side->radius > 0x1p-1000 ? 0.5 * ap_power_of_two_scale(side->radius) : 0x1p999;
    if (shape->kind == APART_SHAPE_HALF_SPACE || apart_shape_aabb(shape, &identity, &box) != APART_OK) {
        side->radius = shape->kind == APART_SHAPE_HALF_SPACE ? INFINITY : side->radius;
        side->extent = fabs(shape->u.plane.offset);
        side->local_scale = 1.0;
        side->center = ap_vec(0.0, 0.0, 0.0);
        box = (apart_aabb){side->center, side->center};
    }
    const double low[3] = {box.min.x, box.min.y, box.min.z}, high[3] = {box.max.x, box.max.y, box.max.z};
    const double c[3] = {side->center.x, side->center.y, side->center.z};
    for (int i = 0; i < 3; i++) {
        s.axis[i][0] = (high[i] - c[i]) * side->local_scale;
        s.axis[i][1] = (c[i] - low[i]) * side->local_scale;
    }
    for (int i = 0; i < 4; i++) {
        s.corner[i] = INFINITY;
    }
    const local_box b = box_of(&s);
    write_volume(&b, &side->own);
}

void ap_facet_side_set(ap_facet_side *side, apart_solid solid, const apart_pose *pose)
{
    side->mesh = solid.mesh;
    side->compound = solid.compound;
    side->shape = solid.shape;
    side->pose = pose;
    if (solid.mesh != NULL) {
        side->center = ap_mesh_center(solid.mesh);
        side->local_scale = solid.mesh->scale;
        side->radius = solid.mesh->radius;
        side->extent = solid.mesh->extent;
    } else if (solid.compound != NULL) {
        side->center = solid.compound->center;
        side->radius = ap_norm(solid.compound->half) * (1.0 + 16.0 * DBL_EPSILON);
        side->extent = solid.compound->extent;
        side->local_scale = side->radius > 0x1p-1000 ? 0.5 * ap_power_of_two_scale(side->radius) : 0x1p999;
    } else {
        set_shape(side, solid.shape);
    }
}
