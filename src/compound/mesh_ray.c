/* Rays against meshes. The tree is searched nearer children first; floats exclude subtrees and triangles. What is left
 * is met or missed for sure in doubles, with error bounds, or else it is a query of a ray and a triangle as a convex
 * body (motion/raycast.c), whose answers are certified. So a ray does not slip through between two triangles: one that
 * meets their common edge is not missed for sure by both. docs/numerics.md derives the bounds. */
#include "mesh_ray.h"

#include "../mesh/contains.h"
#include "../simd/floats.h"

/* What floats of a node can be wrong by, in local units: as in mesh/contains.c, for an origin with coordinates up to 5/2
 * and a direction that is rounded too. */
#define NODE_ERROR 0x1p-17f

/* A direction's component in a frame errs by 2^-22. Below this it is taken for zero: along the ray, which is not longer
 * than 8 local units where it can meet the mesh, that moves a point by at most FLAT_ERROR. */
#define FLAT 0x1p-20f
#define FLAT_ERROR 0x1p-16f

/* Two coordinates across the ray are sums of three products of differences below 4, and err by less than 2^-19; so a
 * cross product of two such points does by this times the sum of their coordinates, which are at most 5, and the square;
 * its own rounding is below 2^-20 times that sum. */
#define ACROSS_ERROR 0x1p-18f

/* ---- the ray in the mesh ---- */

typedef struct mesh_ray {
    const apart_mesh *mesh;
    const apart_ray *ray;
    const apart_pose *pose;
    apart_pose turned;          /* the pose without its translation */
    apart_vec3 origin, towards; /* seen from the mesh's origin with the world's axes; the direction is unit */
    double unit;                /* what coordinates of corners seen from the ray's origin err by */
    float from[3], d[3];        /* local: where the search begins, and the direction */
    float across[2][3];         /* two directions across it */
    float slack, limit;         /* in local units; the end of the search, seen from its beginning */
    double begin, scale;        /* world: where on the ray the search begins; local units in a world unit */
    apart_ray_hit best;
    uint32_t part;
} mesh_ray;

/* A child that the ray may enter, and where at the earliest. */
typedef struct waiting {
    uint32_t item;
    float entry;
} waiting;

/* Where the search must end: behind the mesh, at the end of the ray, or at the best hit; rounded up. */
static void set_limit(mesh_ray *r)
{
    const double end = r->best.hit ? r->best.distance : r->ray->length;
    const double local = (end - r->begin) * r->scale;
    r->limit = (local < 8.0 ? (float)local + 0x1p-20f : 8.0f) + 4.0f * r->slack;
}

/* Puts the ray into local coordinates, and its beginning near the mesh. False: it cannot meet the mesh. */
static bool place_ray(mesh_ray *r, double defect)
{
    const apart_mesh *m = r->mesh;
    const apart_mat3 *turn = &r->pose->rotation;
    const apart_vec3 center = ap_apply(turn, ap_mesh_center(m)), between = ap_sub(r->origin, center);
    const double away = ap_norm(between);
    const double wrong = (64.0 * DBL_EPSILON + 8.0 * defect) * (away + ap_norm(r->origin) + 2.0 * m->extent);
    const double reach = (m->radius + wrong) * AP_ROTATION_STRETCH, past = ap_dot(between, r->towards);
    const apart_vec3 across = ap_sub(between, ap_scale(past, r->towards));
    r->scale = m->scale;
    r->begin = ap_max(0.0, -past - reach);
    if (past > reach || r->begin > r->ray->length || ap_norm(across) > reach) {
        return false;
    }
    /* Within the sphere's reach along the ray and across it, so at most 3/2 times that from the centre. */
    const apart_vec3 from = ap_add(between, ap_scale(r->begin, r->towards));
    const apart_vec3 own = ap_scale(m->scale, ap_apply_transposed(turn, from));
    const apart_vec3 d = ap_unit(ap_apply_transposed(turn, r->towards)), u = ap_perpendicular(d), v = ap_cross(d, u);
    const apart_vec3 vectors[4] = {own, d, u, v};
    float(*const out[4])[3] = {&r->from, &r->d, &r->across[0], &r->across[1]};
    for (int i = 0; i < 4; i++) {
        (*out[i])[0] = (float)vectors[i].x;
        (*out[i])[1] = (float)vectors[i].y;
        (*out[i])[2] = (float)vectors[i].z;
    }
    r->slack = (float)(wrong * m->scale * 1.01); /* and what floats of this size are rounded */
    return true;
}

/* ---- nodes ---- */

static ap_float4 magnitude(ap_float4 a) { return ap_float4_max(a, ap_float4_neg(a)); }

/* The ray in a node's frame: where it begins, 1 / d, and whether it is flat along an axis. */
typedef struct framed_ray {
    float at[3], inverse[3], slack;
    bool flat[3];
} framed_ray;

static framed_ray frame_of(const mesh_ray *r, const ap_mesh_node *node)
{
    framed_ray f = {.slack = r->slack + NODE_ERROR};
    for (int i = 0; i < 3; i++) {
        const float *axis = node->volume.axis[i];
        const float d = (axis[0] * r->d[0] + axis[1] * r->d[1]) + axis[2] * r->d[2];
        f.at[i] = (axis[0] * r->from[0] + axis[1] * r->from[1]) + axis[2] * r->from[2];
        f.flat[i] = fabsf(d) < FLAT;
        f.inverse[i] = f.flat[i] ? 0.0f : 1.0f / d;
    }
    return f;
}

/* Which of four children the ray may meet before the limit, and where it enters their boxes at the earliest. */
static unsigned four_entered(const framed_ray *f, const ap_mesh_node *node, unsigned first, float limit, float *entries)
{
    ap_float4 enter = ap_float4_all(0.0f), leave = ap_float4_all(limit);
    ap_bits4 missed = ap_float4_greater(enter, leave);
    for (int i = 0; i < 3; i++) {
        const ap_float4 to = ap_float4_sub(ap_float4_load(&node->center[i][first]), ap_float4_all(f->at[i]));
        const ap_float4 half = ap_float4_add(ap_float4_load(&node->half[i][first]), ap_float4_all(f->slack));
        if (f->flat[i]) {
            missed =
                ap_bits4_or(missed, ap_float4_greater(magnitude(to), ap_float4_add(half, ap_float4_all(FLAT_ERROR))));
            continue;
        }
        const ap_float4 middle = ap_float4_scale(f->inverse[i], to),
                        width = ap_float4_scale(fabsf(f->inverse[i]), half);
        /* Both quotients err by 3 * 2^-24 of themselves, and the direction by 2^-22 of 1 beside d. */
        const ap_float4 error =
            ap_float4_scale(0x1p-21f + 0x1p-21f * fabsf(f->inverse[i]), ap_float4_add(magnitude(middle), width));
        enter = ap_float4_max(enter, ap_float4_sub(ap_float4_sub(middle, width), error));
        leave = ap_float4_min(leave, ap_float4_add(ap_float4_add(middle, width), error));
    }
    ap_float4_store(entries, enter);
    return ap_bits4_mask(ap_bits4_or(missed, ap_float4_greater(enter, leave))) ^ 0xfu;
}

/* Puts the children of a node that the ray may enter on the stack, so that the nearest comes last. */
static uint32_t push_children(const mesh_ray *r, const ap_mesh_node *node, waiting *stack, uint32_t base)
{
    float entry[AP_MESH_WIDTH];
    const framed_ray f = frame_of(r, node);
    unsigned met = four_entered(&f, node, 0, r->limit, entry);
    met |= node->count > 4 ? four_entered(&f, node, 4, r->limit, entry + 4) << 4 : 0;
    uint32_t count = base;
    for (met &= (1u << node->count) - 1u; met != 0; met &= met - 1) {
        const uint32_t lane = ap_lowest_bit(met);
        uint32_t at = count++;
        for (; at > base && stack[at - 1].entry < entry[lane]; at--) {
            stack[at] = stack[at - 1];
        }
        stack[at] = (waiting){node->child[lane], entry[lane]};
    }
    return count;
}

/* ---- triangles ---- */

static ap_float4 dot_with(const float d[3], ap_float4 x, ap_float4 y, ap_float4 z)
{
    return ap_float4_sum3(ap_float4_scale(d[0], x), ap_float4_scale(d[1], y), ap_float4_scale(d[2], z));
}

/* Four triangles that the ray's line may meet: seen along the ray, the origin is not on opposite sides of two edges. */
static unsigned four_triangles(const mesh_ray *r, const ap_mesh_leaf *leaf, unsigned first)
{
    const float error = ACROSS_ERROR + r->slack;
    ap_float4 u[3], v[3];
    for (int i = 0; i < 3; i++) {
        const ap_float4 x = ap_float4_sub(ap_float4_load(&leaf->corner[i][0][first]), ap_float4_all(r->from[0]));
        const ap_float4 y = ap_float4_sub(ap_float4_load(&leaf->corner[i][1][first]), ap_float4_all(r->from[1]));
        const ap_float4 z = ap_float4_sub(ap_float4_load(&leaf->corner[i][2][first]), ap_float4_all(r->from[2]));
        u[i] = dot_with(r->across[0], x, y, z);
        v[i] = dot_with(r->across[1], x, y, z);
    }
    ap_bits4 left = ap_float4_greater(ap_float4_all(0.0f), ap_float4_all(0.0f)), right = left;
    for (int i = 0; i < 3; i++) {
        const int j = i < 2 ? i + 1 : 0;
        const ap_float4 side = ap_float4_sub(ap_float4_mul(u[i], v[j]), ap_float4_mul(v[i], u[j]));
        const ap_float4 sizes = ap_float4_add(ap_float4_add(magnitude(u[i]), magnitude(u[j])),
                                              ap_float4_add(magnitude(v[i]), magnitude(v[j])));
        const ap_float4 wrong = ap_float4_scale(error, ap_float4_add(sizes, ap_float4_all(4.0f * error)));
        left = ap_bits4_or(left, ap_float4_greater(side, wrong));
        right = ap_bits4_or(right, ap_float4_less(side, ap_float4_neg(wrong)));
    }
    return ap_bits4_mask(ap_bits4_and(left, right)) ^ 0xfu;
}

typedef enum ray_verdict { MEETS, MISSES, UNSURE } ray_verdict;

/* A triangle seen from a point of the ray near it. */
typedef struct seen_triangle {
    apart_vec3 corner[3], normal;
    double base;  /* of that point, on the ray */
    double size;  /* no corner is farther from it */
    double error; /* of the corners, as vectors */
} seen_triangle;

static seen_triangle see_triangle(const mesh_ray *r, uint32_t number)
{
    const uint32_t *ids = ap_mesh_corners(r->mesh, number);
    seen_triangle t = {.size = 0.0};
    for (int i = 0; i < 3; i++) {
        t.corner[i] = ap_sub(ap_apply(&r->pose->rotation, ap_mesh_vertex(r->mesh, ids[i])), r->origin);
    }
    t.base = ap_dot(t.corner[0], r->towards);
    const apart_vec3 base = ap_scale(t.base, r->towards);
    for (int i = 0; i < 3; i++) {
        t.corner[i] = ap_sub(t.corner[i], base);
        t.size = ap_max(t.size, ap_norm(t.corner[i]));
    }
    /* The direction errs by 2 eps, the base point by 2 eps of its distance; both as vectors. */
    t.error = 2.0 * (r->unit + 4.0 * DBL_EPSILON * fabs(t.base));
    t.normal = ap_cross(ap_sub(t.corner[1], t.corner[0]), ap_sub(t.corner[2], t.corner[0]));
    return t;
}

/* Is the ray's line between the edges? Each determinant errs by the corners' errors and its own rounding. */
static ray_verdict line_verdict(const mesh_ray *r, const seen_triangle *t)
{
    const double wrong = 4.0 * t->size * t->error + 32.0 * DBL_EPSILON * t->size * t->size;
    bool left = true, right = true, not_left = false, not_right = false;
    for (int i = 0; i < 3; i++) {
        const double side = ap_dot(r->towards, ap_cross(t->corner[i], t->corner[i < 2 ? i + 1 : 0]));
        left = left && side > wrong;
        right = right && side < -wrong;
        not_left = not_left || side < -wrong;
        not_right = not_right || side > wrong;
    }
    if (!(t->size > 0x1p-200 && t->size < 0x1p+200)) { /* products may over- or underflow */
        return UNSURE;
    }
    return left || right ? MEETS : not_left && not_right ? MISSES : UNSURE;
}

/* Where the line meets the plane, as a distance on the ray within *error; UNSURE where the plane is too steep. */
static ray_verdict meet_plane(const mesh_ray *r, const seen_triangle *t, double *at, double *error)
{
    const double size = t->size, length = ap_norm(t->normal), slope = ap_dot(t->normal, r->towards);
    const double turned = 16.0 * size * t->error + 32.0 * DBL_EPSILON * size * size; /* error of the normal */
    const double slope_error = turned + 8.0 * DBL_EPSILON * length;
    if (!(fabs(slope) > 4.0 * slope_error)) {
        return UNSURE;
    }
    const double offset = ap_dot(t->normal, t->corner[0]) / slope;
    const double offset_error = turned * size + length * (t->error + 8.0 * DBL_EPSILON * size);
    *at = t->base + offset;
    *error = (offset_error + fabs(offset) * slope_error) / (fabs(slope) - slope_error) +
             4.0 * DBL_EPSILON * (fabs(t->base) + fabs(offset)) + t->error;
    *error *= 1.0 + 0x1p-20;
    return MEETS;
}

/* Keeps a hit if it is the nearest; among equal ones that of the lowest number. */
static void offer_hit(mesh_ray *r, const apart_ray_hit *found, uint32_t number)
{
    const double lower = ap_min(r->best.lower, found->lower);
    const bool tie = r->best.hit && found->distance == r->best.distance && number < r->part;
    if (found->hit && (!r->best.hit || found->distance < r->best.distance || tie)) {
        const uint16_t iterations = r->best.iterations;
        r->best = *found;
        r->best.iterations = iterations;
        r->part = number;
        set_limit(r);
    }
    r->best.lower = lower;
}

static apart_shape body_of(const apart_mesh *m, uint32_t number)
{
    const uint32_t *ids = ap_mesh_corners(m, number);
    return apart_triangle(ap_mesh_vertex(m, ids[0]), ap_mesh_vertex(m, ids[1]), ap_mesh_vertex(m, ids[2]));
}

/* The triangle as a convex body. */
static apart_status cast_at_body(mesh_ray *r, uint32_t number)
{
    const apart_shape body = body_of(r->mesh, number);
    const apart_ray ray = {r->origin, r->ray->direction, r->best.hit ? r->best.distance : r->ray->length};
    apart_ray_hit found;
    const apart_status status = apart_raycast(&ray, &body, &r->turned, NULL, &found);
    if (status == APART_OK) {
        const unsigned iterations = r->best.iterations + (unsigned)found.iterations;
        found.lower = ap_max(0.0, found.lower - 2.0 * r->unit); /* the origin is rounded */
        r->best.iterations = (uint16_t)(iterations < UINT16_MAX ? iterations : UINT16_MAX);
        offer_hit(r, &found, number);
    }
    return status;
}

static apart_status cast_at_triangle(mesh_ray *r, uint32_t number)
{
    const seen_triangle t = see_triangle(r, number);
    const ray_verdict line = line_verdict(r, &t);
    double at, error;
    if (line == MISSES) {
        return APART_OK;
    }
    if (line == UNSURE || meet_plane(r, &t, &at, &error) == UNSURE) {
        return cast_at_body(r, number);
    }
    if (at < -error || at - error > r->ray->length) {
        return APART_OK;
    }
    if (at <= error || at + error > r->ray->length) { /* at an end of the ray */
        return cast_at_body(r, number);
    }
    const apart_vec3 normal = ap_unit(t.normal);
    const apart_ray_hit found = {
        .hit = 1,
        .distance = at,
        .lower = ap_max(0.0, at - error),
        .point = ap_add(r->origin, ap_scale(at, r->towards)),
        .normal = ap_dot(normal, r->towards) > 0.0 ? ap_neg(normal) : normal,
        .feature = {.kind = APART_FEATURE_FACE, .count = 3, .index = {0, 1, 2}, .number = 0},
    };
    offer_hit(r, &found, number);
    return APART_OK;
}

static apart_status cast_at_leaf(mesh_ray *r, const ap_mesh_leaf *leaf)
{
    apart_status status = APART_OK;
    unsigned met = four_triangles(r, leaf, 0);
    met |= leaf->count > 4 ? four_triangles(r, leaf, 4) << 4 : 0;
    for (met &= (1u << leaf->count) - 1u; met != 0 && status == APART_OK; met &= met - 1) {
        status = cast_at_triangle(r, ap_mesh_order(r->mesh)[leaf->first + ap_lowest_bit(met)]);
    }
    return status;
}

/* ---- the search ---- */

static apart_status cast_at_mesh(mesh_ray *r)
{
    waiting stack[AP_MESH_LEVELS * AP_MESH_WIDTH];
    uint32_t count = push_children(r, &ap_mesh_nodes(r->mesh)[0], stack, 0);
    apart_status status = APART_OK;
    while (count > 0 && status == APART_OK) {
        const waiting next = stack[--count];
        if (next.entry > r->limit) {
            continue;
        }
        if (next.item >= AP_MESH_LEAF) {
            status = cast_at_leaf(r, &ap_mesh_leaves(r->mesh)[next.item - AP_MESH_LEAF]);
        } else {
            count = push_children(r, &ap_mesh_nodes(r->mesh)[next.item], stack, count);
        }
    }
    return status;
}

/* Is the ray's origin in the solid, or within rounding of it? Then *out is that hit. */
static apart_status look_inside(const mesh_ray *r, double defect, apart_ray_hit *out, uint32_t *part)
{
    const apart_vec3 zero = {0.0, 0.0, 0.0};
    const apart_shape point = apart_point(zero);
    const apart_pose at = apart_pose_translation(r->origin.x, r->origin.y, r->origin.z);
    const apart_vec3 own = ap_apply_transposed(&r->pose->rotation, r->origin);
    const double wrong = (32.0 * DBL_EPSILON + 8.0 * defect) * (ap_norm(r->origin) + r->mesh->extent);
    *out = (apart_ray_hit){.hit = 0};
    if (ap_norm(ap_sub(own, ap_mesh_center(r->mesh))) > r->mesh->radius + wrong) {
        return APART_OK;
    }
    apart_compound_result nearest;
    const apart_status status = apart_compound_distance(apart_solid_shape(&point), &at, apart_solid_surface(r->mesh),
                                                        &r->turned, NULL, NULL, &nearest);
    if (status != APART_OK || (nearest.result.lower > wrong && ap_mesh_side(r->mesh, own) < 0)) {
        return status;
    }
    out->hit = out->inside = 1;
    out->point = r->origin;
    out->normal = nearest.result.normal;
    *part = nearest.part_b;
    const apart_shape triangle = body_of(r->mesh, nearest.part_b);
    return apart_features(&point, &at, &triangle, &r->turned, &nearest.result, NULL, &out->feature);
}

apart_status ap_mesh_raycast(const apart_ray *ray, const apart_mesh *mesh, bool surface, const apart_pose *pose,
                             apart_ray_hit *hit, uint32_t *part)
{
    const double defect = ap_rotation_defect(&pose->rotation);
    const double scale = ap_power_of_two_scale(ap_max_abs(ray->direction));
    mesh_ray r = {.mesh = mesh, .ray = ray, .pose = pose, .turned = {pose->rotation, {0.0, 0.0, 0.0}}};
    r.origin = ap_sub(ray->origin, pose->translation);
    r.towards = ap_unit(ap_scale(scale, ray->direction));
    /* Three products and sums, and the two differences that give the corner seen from the origin. */
    r.unit = 8.0 * DBL_EPSILON * (mesh->extent + ap_norm(r.origin));
    r.best = (apart_ray_hit){.lower = ray->length};
    apart_status status = APART_OK;
    if (!surface) {
        apart_ray_hit inside;
        status = look_inside(&r, defect, &inside, &r.part);
        if (inside.hit) {
            r.best = inside;
        }
    }
    if (status == APART_OK && !r.best.hit && place_ray(&r, defect)) {
        set_limit(&r);
        status = cast_at_mesh(&r);
    }
    if (status != APART_OK) {
        return status;
    }
    r.best.point = r.best.inside ? ray->origin : ap_add(r.best.point, pose->translation);
    *hit = r.best;
    *part = r.part;
    return APART_OK;
}
