/* Compounds: convex parts in a bounding-volume tree, built once (Lindemann 2009 section 3.3, item L6: a body is taken
 * apart, and the nearest pair of parts decides). Splits are at the median of the box centres along the longest side, so
 * the tree is as shallow as can be; two splits in a row make a node of four children (parts/tree.h). */
#include "../base/memory.h"
#include "../mesh/support.h"
#include "../parts/tree.h"

/* Parts are numbered with 32 bits, less one for AP_PART_LEAF, and slots take four times as many numbers as nodes. */
#define MOST_PARTS ((size_t)1 << 30)

typedef struct part_sphere {
    apart_vec3 center;
    double radius;
} part_sphere;

typedef struct builder {
    apart_compound *compound;
    apart_aabb *boxes;    /* of the parts, in the compound's frame */
    part_sphere *spheres; /* likewise */
    uint32_t *order;      /* the parts, sorted into the tree's order */
    uint32_t *spare;
    uint32_t nodes; /* that are in use */
} builder;

/* The parts order[first .. end), which become a child of a node. */
typedef struct part_range {
    uint32_t first, end;
} part_range;

/* ---- splitting ---- */

static double box_center(const apart_aabb *box, int axis)
{
    /* Halves are added, since the sum of two large coordinates may overflow. */
    const double low = axis == 0 ? box->min.x : axis == 1 ? box->min.y : box->min.z;
    const double high = axis == 0 ? box->max.x : axis == 1 ? box->max.y : box->max.z;
    return 0.5 * low + 0.5 * high;
}

static bool comes_first(const builder *b, uint32_t i, uint32_t j, int axis)
{
    const double x = box_center(&b->boxes[i], axis), y = box_center(&b->boxes[j], axis);
    return x < y || (x == y && i < j);
}

/* Merge sort of order[first .. end) by the box centres on an axis: stable, and without recursion. */
static void sort_parts(builder *b, part_range r, int axis)
{
    const uint32_t count = r.end - r.first;
    uint32_t *from = b->order + r.first, *to = b->spare + r.first;
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

static apart_aabb box_of(const builder *b, part_range r)
{
    apart_aabb box = b->boxes[b->order[r.first]];
    for (uint32_t i = r.first + 1; i < r.end; i++) {
        box = ap_box_union(&box, &b->boxes[b->order[i]]);
    }
    return box;
}

static int longest_axis(const apart_aabb *box)
{
    const apart_vec3 size = ap_sub(ap_scale(0.5, box->max), ap_scale(0.5, box->min));
    if (size.x >= size.y && size.x >= size.z) {
        return 0;
    }
    return size.y >= size.z ? 1 : 2;
}

/* Splits a range of two or more parts at the median; the first half stays, the second is returned. */
static part_range split(builder *b, part_range *r)
{
    const apart_aabb box = box_of(b, *r);
    sort_parts(b, *r, longest_axis(&box));
    const part_range second = {r->first + (r->end - r->first) / 2, r->end};
    r->end = second.first;
    return second;
}

/* Splits a range, and both halves; up to four ranges are left. */
static uint32_t split_twice(builder *b, part_range range, part_range child[4])
{
    uint32_t count = 1;
    child[0] = range;
    for (int level = 0; level < 2; level++) {
        for (uint32_t i = count; i-- > 0;) {
            if (child[i].end - child[i].first > 1) {
                child[count] = split(b, &child[i]);
                count++;
            }
        }
    }
    return count;
}

/* ---- bounding volumes ---- */

/* The middle of a box, and half extents that are rounded up so that nothing is left outside. */
static apart_vec3 center_of(const apart_aabb *box)
{
    return ap_vec(box_center(box, 0), box_center(box, 1), box_center(box, 2));
}

static apart_vec3 half_of(const apart_aabb *box, apart_vec3 center)
{
    return ap_vec(ap_up(ap_max(box->max.x - center.x, center.x - box->min.x)),
                  ap_up(ap_max(box->max.y - center.y, center.y - box->min.y)),
                  ap_up(ap_max(box->max.z - center.z, center.z - box->min.z)));
}

/* The sphere around the middle of the parts' box that holds their spheres, or the box where its corners are nearer. */
static part_sphere sphere_around(const builder *b, part_range r)
{
    const apart_aabb box = box_of(b, r);
    const apart_vec3 center = center_of(&box);
    double radius = 0.0;
    for (uint32_t i = r.first; i < r.end; i++) {
        const part_sphere *sphere = &b->spheres[b->order[i]];
        radius = ap_max(radius, ap_norm(ap_sub(sphere->center, center)) + sphere->radius);
    }
    return (part_sphere){center, ap_min(radius, ap_norm(half_of(&box, center))) * (1.0 + 16.0 * DBL_EPSILON)};
}

/* That, or of one part its own sphere, whichever is smaller. */
static part_sphere smaller_sphere(const builder *b, part_range r)
{
    const part_sphere around = sphere_around(b, r);
    const part_sphere own = b->spheres[b->order[r.first]];
    return r.end - r.first == 1 && own.radius < around.radius ? own : around;
}

static void set_sphere_lane(ap_part_spheres *spheres, uint32_t lane, part_sphere sphere)
{
    spheres->center[0][lane] = sphere.center.x;
    spheres->center[1][lane] = sphere.center.y;
    spheres->center[2][lane] = sphere.center.z;
    spheres->radius[lane] = sphere.radius;
}

/* The part's own support value along a direction that nodes know, or its box's where a callback fails. Half the
 * direction is shorter than one, as ap_part_support_value requires; its rounding is made up for twice. */
static double part_value(const builder *b, uint32_t part, apart_vec3 direction)
{
    const apart_aabb *box = &b->boxes[part];
    const double of_box = ap_max(direction.x * box->min.x, direction.x * box->max.x) +
                          ap_max(direction.y * box->min.y, direction.y * box->max.y) +
                          ap_max(direction.z * box->min.z, direction.z * box->max.z);
    const double own = 2.0 * ap_part_support_value(&b->compound->parts[part], ap_scale(0.5, direction));
    return (own < of_box ? own : of_box) + 128.0 * DBL_EPSILON * b->compound->extent;
}

/* Support values, lane by lane: of a part, or of all that a node holds. */
static void set_part_lane(const builder *b, ap_part_node *node, uint32_t lane, uint32_t part)
{
    for (int n = 0; n < 27; n++) {
        const apart_vec3 direction = {(double)(n / 9 - 1), (double)(n / 3 % 3 - 1), (double)(n % 3 - 1)};
        node->support[n][lane] = part_value(b, part, direction);
    }
}

static void set_node_lane(ap_part_node *node, uint32_t lane, const ap_part_node *below)
{
    for (int n = 0; n < 27; n++) {
        const double *value = below->support[n];
        node->support[n][lane] = ap_max(ap_max(value[0], value[1]), ap_max(value[2], value[3]));
    }
}

/* ---- nodes ---- */

static void repeat_first_lane(ap_part_node *node, uint32_t count)
{
    for (uint32_t lane = count; lane < 4; lane++) {
        node->child[lane] = node->child[0];
        for (int n = 0; n < 27; n++) {
            node->support[n][lane] = node->support[n][0];
        }
    }
}

/* Fills node `at` for the parts of a range. Halving bounds the recursion by AP_TREE_LEVELS. */
static void build_node(builder *b, uint32_t at, part_range range)
{
    apart_compound *c = b->compound;
    ap_part_node *node = &c->nodes[at];
    part_range child[4];
    const uint32_t count = split_twice(b, range, child);
    node->used = (1u << count) - 1u;
    node->used_rows = 0x1111u & ((1u << 4 * count) - 1u);
    for (uint32_t lane = 0; lane < 4; lane++) {
        set_sphere_lane(&node->spheres, lane, smaller_sphere(b, child[lane < count ? lane : 0]));
    }
    for (uint32_t lane = 0; lane < count; lane++) {
        if (child[lane].end - child[lane].first == 1) {
            const uint32_t part = b->order[child[lane].first];
            node->child[lane] = AP_PART_LEAF + part;
            c->slots[part] = 4 * at + lane;
            set_part_lane(b, node, lane, part);
            if (c->small != NULL) {
                set_sphere_lane(&c->small[part / 4], part % 4, smaller_sphere(b, child[lane]));
            }
        } else {
            ap_part_node *below = &c->nodes[b->nodes];
            node->child[lane] = b->nodes++;
            below->parent = 4 * at + lane;
            build_node(b, node->child[lane], child[lane]);
            set_node_lane(node, lane, below);
        }
    }
    repeat_first_lane(node, count);
}

/* In the lanes behind the last part of a small compound, so that their support values are not larger than any. */
static void repeat_first_sphere(ap_part_spheres *small, uint32_t count)
{
    for (uint32_t i = count; i % 4 != 0; i++) {
        const part_sphere first = {{small->center[0][0], small->center[1][0], small->center[2][0]}, small->radius[0]};
        set_sphere_lane(&small[i / 4], i % 4, first);
    }
}

/* ---- the compound ---- */

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

/* A part's bounding sphere, and how large the numbers of its pose and points can be. */
static apart_status set_sphere(builder *b, uint32_t part, double *extent)
{
    const apart_pose *pose = &b->compound->parts[part].pose;
    apart_vec3 own;
    double radius;
    const apart_status status = apart_shape_ball(&b->compound->parts[part].shape, &own, &radius);
    if (status == APART_OK) {
        const double size = ap_norm(pose->translation) + ap_norm(own) + radius;
        b->spheres[part] =
            (part_sphere){apart_pose_apply(pose, own), radius * AP_ROTATION_STRETCH + 16.0 * DBL_EPSILON * size};
        *extent = ap_max(*extent, size);
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

/* Parts whose spheres fill little of the sphere around all of them; parts that a body was taken apart into fill a good
 * part of it. */
#define SPARSE_SHARE (1.0 / 32.0)

static bool is_sparse(const builder *b)
{
    double filled = 0.0;
    for (uint32_t i = 0; i < b->compound->count; i++) {
        const double share = b->spheres[i].radius / b->compound->radius;
        filled += share * share * share;
    }
    return filled < SPARSE_SHARE;
}

/* The volumes that hold all parts. */
static void set_outer_volumes(const builder *b, part_range all)
{
    apart_compound *c = b->compound;
    const apart_aabb box = box_of(b, all);
    c->center = center_of(&box);
    c->half = half_of(&box, c->center);
    c->radius = sphere_around(b, all).radius * AP_ROTATION_STRETCH;
    c->extent = ap_max(c->extent, ap_norm(c->center) + ap_norm(c->half));
    c->sparse = is_sparse(b);
}

static apart_status build(builder *b, const apart_part *parts, size_t count)
{
    apart_compound *c = b->compound;
    const part_range all = {0, (uint32_t)count};
    memcpy(c->parts, parts, count * sizeof *parts);
    c->identity_poses = true;
    for (uint32_t i = 0; i < count; i++) {
        apart_status status = apart_shape_aabb(&parts[i].shape, &parts[i].pose, &b->boxes[i]);
        status = status == APART_OK ? set_sphere(b, i, &c->extent) : status;
        if (status != APART_OK) {
            return status;
        }
        b->order[i] = i;
        c->identity_poses = c->identity_poses && is_identity(&parts[i].pose);
    }
    c->only_shape = count == 1 && c->identity_poses ? &c->parts[0].shape : NULL;
    set_outer_volumes(b, all);
    b->nodes = 1;
    c->nodes[0].parent = AP_NO_SLOT;
    build_node(b, 0, all);
    if (c->small != NULL) {
        repeat_first_sphere(c->small, c->count);
    }
    return isfinite(c->extent) ? APART_OK : APART_ERR_OVERFLOW;
}

/* One block: the header, the nodes, the parts, the spheres of a small compound, the parts' user data,
 * all multiples of eight bytes; the slots. */
static apart_compound *allocate(const apart_allocator *allocator, size_t count)
{
    const size_t nodes = count * sizeof(ap_part_node), parts = count * sizeof(apart_part);
    const size_t spheres = count <= AP_SMALL_PARTS ? (count + 3) / 4 * sizeof(ap_part_spheres) : 0;
    const size_t users = count * sizeof(uint64_t), slots = count * sizeof(uint32_t);
    char *block = ap_allocate(allocator, 1, sizeof(apart_compound) + nodes + parts + spheres + users + slots);
    if (block == NULL) {
        return NULL;
    }
    apart_compound *c = (apart_compound *)block;
    *c = (apart_compound){.allocator = *allocator, .count = (uint32_t)count};
    c->nodes = (ap_part_node *)(block + sizeof *c);
    c->parts = (apart_part *)(block + sizeof *c + nodes);
    c->small = spheres > 0 ? (ap_part_spheres *)(block + sizeof *c + nodes + parts) : NULL;
    c->users = (uint64_t *)(block + sizeof *c + nodes + parts + spheres);
    c->slots = (uint32_t *)(block + sizeof *c + nodes + parts + spheres + users);
    memset(c->users, 0, users);
    return c;
}

apart_solid apart_solid_shape(const apart_shape *shape) { return (apart_solid){.shape = shape}; }

apart_solid apart_solid_compound(const apart_compound *compound) { return (apart_solid){.compound = compound}; }

apart_solid apart_solid_mesh(const apart_mesh *mesh) { return (apart_solid){.mesh = mesh}; }

apart_solid apart_solid_surface(const apart_mesh *mesh) { return (apart_solid){.mesh = mesh, .surface = 1}; }

apart_status apart_compound_build(const apart_part *parts, size_t count, const apart_allocator *allocator,
                                  apart_compound **out)
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
                 .spheres = ap_allocate(used, count, sizeof(part_sphere)),
                 .order = ap_allocate(used, 2 * count, sizeof(uint32_t))};
    if (b.compound == NULL || b.boxes == NULL || b.spheres == NULL || b.order == NULL) {
        status = APART_ERR_MEMORY;
    } else {
        b.spare = b.order + count;
        b.compound->dim = parts[0].shape.dim;
        status = build(&b, parts, count);
    }
    ap_release(used, b.boxes);
    ap_release(used, b.spheres);
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
        ap_owned *owned = compound->owned;
        ap_release(&allocator, compound);
        ap_owned_free(owned, &allocator);
    }
}

size_t apart_compound_count(const apart_compound *compound) { return compound != NULL ? compound->count : 0; }

const apart_part *apart_compound_part(const apart_compound *compound, size_t part)
{
    return compound != NULL && part < compound->count ? &compound->parts[part] : NULL;
}

apart_status apart_compound_set_user(apart_compound *compound, size_t part, uint64_t user)
{
    if (compound == NULL) {
        return APART_ERR_NULL;
    }
    if (part >= compound->count) {
        return APART_ERR_ID;
    }
    compound->users[part] = user;
    return APART_OK;
}

uint64_t apart_compound_user(const apart_compound *compound, size_t part)
{
    return compound != NULL && part < compound->count ? compound->users[part] : 0;
}

/* The world box of the compound's box: its middle, and the half extents under the rotation's absolute values. Two
 * products of three terms and a sum are off by less than 16 eps of all that is in them. */
static apart_status compound_aabb(const apart_compound *c, const apart_pose *pose, apart_aabb *out)
{
    const apart_status status = apart_pose_check(pose);
    if (status != APART_OK) {
        return status;
    }
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 h = c->half, m = ap_add(ap_apply(r, c->center), pose->translation);
    const double slack = 16.0 * DBL_EPSILON * (2.0 * c->extent + ap_max_abs(pose->translation));
    const apart_vec3 e = {fabs(r->x.x) * h.x + fabs(r->y.x) * h.y + fabs(r->z.x) * h.z + slack,
                          fabs(r->x.y) * h.x + fabs(r->y.y) * h.y + fabs(r->z.y) * h.z + slack,
                          c->dim == 2 ? 0.0 : fabs(r->x.z) * h.x + fabs(r->y.z) * h.y + fabs(r->z.z) * h.z + slack};
    *out = (apart_aabb){ap_sub(m, e), ap_add(m, e)};
    return ap_finite(out->min) && ap_finite(out->max) ? APART_OK : APART_ERR_OVERFLOW;
}

/* The box of a mesh's vertices, along each axis of the world and against it; the same errors. */
static apart_status mesh_aabb(const apart_mesh *mesh, const apart_pose *pose, apart_aabb *out)
{
    const apart_status status = apart_pose_check(pose);
    if (status != APART_OK) {
        return status;
    }
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 m = ap_add(ap_apply(r, ap_mesh_center(mesh)), pose->translation);
    const double slack = 16.0 * DBL_EPSILON * (2.0 * mesh->extent + ap_max_abs(pose->translation));
    const apart_vec3 row[3] = {{r->x.x, r->y.x, r->z.x}, {r->x.y, r->y.y, r->z.y}, {r->x.z, r->y.z, r->z.z}};
    double above[3], below[3];
    for (int i = 0; i < 3; i++) {
        above[i] = ap_mesh_support_value(mesh, row[i]) + slack;
        below[i] = ap_mesh_support_value(mesh, ap_neg(row[i])) + slack;
    }
    *out =
        (apart_aabb){ap_sub(m, ap_vec(below[0], below[1], below[2])), ap_add(m, ap_vec(above[0], above[1], above[2]))};
    return ap_finite(out->min) && ap_finite(out->max) ? APART_OK : APART_ERR_OVERFLOW;
}

apart_status apart_solid_aabb(apart_solid solid, const apart_pose *pose, apart_aabb *out)
{
    if (!ap_solid_is_valid(solid) || pose == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (solid.mesh != NULL) {
        return mesh_aabb(solid.mesh, pose, out);
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
    *center = solid.mesh != NULL ? ap_mesh_center(solid.mesh) : solid.compound->center;
    *radius = solid.mesh != NULL ? solid.mesh->radius : solid.compound->radius;
    return APART_OK;
}
