/* Do the hulls contain the mesh? Space is the union of the leaves' boxes. A triangle is covered if each part of it in a
 * leaf lies in the leaf's hull, and a part does if the corners of a polygon around it do. A solid is covered if,
 * besides, the corners of the leaves that are inside it lie in the leaves' hulls: no other point of a solid in a box is
 * extreme but those of its surface. docs/decisions/0011-covers.md has the proof. */
#include "cover.h"

typedef struct proof_state {
    const ap_cover_mesh *mesh;
    const ap_cover_tree *tree; /* NULL unless the claim is about a solid */
    const apart_cover_claim *claim;
    ap_cover_planes *planes; /* of the hulls, made when they are needed */
    apart_aabb *box;         /* of the nodes */
    uint8_t *reached;        /* the node is a part of an earlier one */
    uint32_t *stamp;         /* for each vertex the last leaf + 1 whose hull holds it */
    uint8_t *failed;
    apart_cover_proof *proof;
} proof_state;

static const apart_cover_node single_leaf = {.axis = APART_COVER_LEAF};

static double *box_side(apart_vec3 *p, uint32_t axis) { return axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z; }

/* The boxes of all nodes that are reached from the root; each is the part of one node only. */
static apart_status place_nodes(proof_state *s)
{
    const apart_vec3 far = {INFINITY, INFINITY, INFINITY};
    s->box[0] = (apart_aabb){ap_neg(far), far};
    s->reached[0] = 1;
    for (uint32_t i = 0; i < s->claim->node_count; i++) {
        const apart_cover_node *node = &s->claim->nodes[i];
        if (s->reached[i] == 0) {
            return APART_ERR_ID;
        }
        if (node->axis == APART_COVER_LEAF) {
            if (node->below >= s->claim->hull_count && node->below != APART_COVER_NOTHING) {
                return APART_ERR_ID;
            }
            continue;
        }
        if (!isfinite(node->at)) {
            return APART_ERR_NONFINITE;
        }
        if (node->axis > 2 || node->below <= i || node->above <= i || node->below == node->above ||
            node->below >= s->claim->node_count || node->above >= s->claim->node_count ||
            s->reached[node->below] != 0 || s->reached[node->above] != 0) {
            return APART_ERR_ID;
        }
        s->reached[node->below] = s->reached[node->above] = 1;
        s->box[node->below] = s->box[node->above] = s->box[i];
        *box_side(&s->box[node->below].max, node->axis) = node->at;
        *box_side(&s->box[node->above].min, node->axis) = node->at;
    }
    return APART_OK;
}

/* Takes down that a place is not covered; true: the check goes on to look for other hulls that fail. */
static bool fail(proof_state *s, uint32_t hull, uint32_t triangle, apart_vec3 point)
{
    if (s->proof->covered) {
        *s->proof = (apart_cover_proof){0, hull, triangle, point};
    }
    if (s->failed == NULL || hull == APART_COVER_NOTHING) {
        return false;
    }
    s->failed[hull] = 1;
    return true;
}

/* Is the part of a triangle in a leaf covered? *corner gets a corner that is not. */
static bool triangle_is_covered(proof_state *s, uint32_t leaf, uint32_t triangle, apart_vec3 *corner)
{
    const uint32_t hull = s->claim->nodes[leaf].below, *vertex = s->mesh->triangle[triangle];
    ap_cover_polygon part;
    ap_cover_clip(s->mesh, triangle, &s->box[leaf], &part);
    for (int k = 0; k < part.count; k++) {
        const bool known = part.error == 0 && s->stamp[vertex[k]] == leaf + 1;
        *corner = part.point[k];
        if (!known && (hull == APART_COVER_NOTHING || !ap_cover_planes_hold(&s->planes[hull], *corner, part.error))) {
            return false;
        }
        if (part.error == 0) {
            s->stamp[vertex[k]] = leaf + 1;
        }
    }
    return true;
}

/* The first corner of a leaf that may be inside the solid and is not in the hull. */
static bool corners_are_covered(const proof_state *s, uint32_t leaf, apart_vec3 *corner)
{
    const apart_aabb *box = &s->box[leaf];
    const uint32_t hull = s->claim->nodes[leaf].below;
    for (int i = 0; i < 8; i++) {
        *corner =
            ap_vec(i & 1 ? box->max.x : box->min.x, i & 2 ? box->max.y : box->min.y, i & 4 ? box->max.z : box->min.z);
        if (ap_finite(*corner) && ap_cover_side(s->tree, *corner) >= 0 &&
            (hull == APART_COVER_NOTHING || !ap_cover_planes_hold(&s->planes[hull], *corner, 0.0))) {
            return false;
        }
    }
    return true;
}

/* False: the check is over. */
static bool check_leaf(proof_state *s, uint32_t leaf)
{
    const uint32_t hull = s->claim->nodes[leaf].below;
    apart_vec3 corner;
    if (hull != APART_COVER_NOTHING && s->failed != NULL && s->failed[hull] != 0) {
        return true;
    }
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        if (ap_cover_meets(s->mesh, t, &s->box[leaf]) && !triangle_is_covered(s, leaf, t, &corner)) {
            return fail(s, hull, t, corner);
        }
    }
    return s->tree == NULL || corners_are_covered(s, leaf, &corner) || fail(s, hull, UINT32_MAX, corner);
}

/* The planes of one hull, for all leaves that it covers. */
static apart_status check_hull(proof_state *s, uint32_t hull, bool *over)
{
    const apart_allocator *allocator = s->mesh->allocator;
    if (hull != APART_COVER_NOTHING) {
        const apart_status status = ap_cover_planes_open(s->claim->hulls[hull], allocator, &s->planes[hull]);
        if (status != APART_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < s->claim->node_count && !*over; i++) {
        const apart_cover_node *node = &s->claim->nodes[i];
        *over = node->axis == APART_COVER_LEAF && node->below == hull && !check_leaf(s, i);
    }
    if (hull != APART_COVER_NOTHING) {
        ap_cover_planes_close(&s->planes[hull], allocator);
    }
    return APART_OK;
}

static apart_status check_hulls(proof_state *s)
{
    bool over = false;
    apart_status status = place_nodes(s);
    *s->proof = (apart_cover_proof){.covered = 1, .hull = APART_COVER_NOTHING, .triangle = UINT32_MAX};
    for (uint32_t h = 0; h < s->claim->hull_count && status == APART_OK && !over; h++) {
        status = s->claim->hulls[h] != NULL ? check_hull(s, h, &over) : APART_ERR_NULL;
    }
    return status == APART_OK && !over ? check_hull(s, APART_COVER_NOTHING, &over) : status;
}

apart_status ap_cover_prove(const ap_cover_mesh *mesh, const ap_cover_tree *tree, const apart_cover_claim *claim,
                            uint8_t *failed, apart_cover_proof *proof)
{
    const apart_allocator *allocator = mesh->allocator;
    apart_cover_claim complete = *claim;
    if (claim->nodes == NULL) {
        complete.nodes = &single_leaf;
        complete.node_count = 1;
    }
    if (complete.node_count == 0 || (claim->hulls == NULL && claim->hull_count > 0)) {
        return claim->hulls == NULL && claim->hull_count > 0 ? APART_ERR_NULL : APART_ERR_EMPTY;
    }
    proof_state s = {.mesh = mesh, .tree = tree, .claim = &complete, .failed = failed, .proof = proof};
    s.planes = ap_allocate(allocator, complete.hull_count, sizeof *s.planes);
    s.box = ap_allocate(allocator, complete.node_count, sizeof *s.box);
    s.reached = ap_allocate(allocator, complete.node_count, 1);
    s.stamp = ap_allocate(allocator, mesh->point_count, sizeof *s.stamp);
    apart_status status = APART_ERR_MEMORY;
    if (s.planes != NULL && s.box != NULL && s.reached != NULL && s.stamp != NULL) {
        memset(s.reached, 0, complete.node_count);
        memset(s.stamp, 0, mesh->point_count * sizeof *s.stamp);
        status = check_hulls(&s);
    }
    ap_release(allocator, s.planes);
    ap_release(allocator, s.box);
    ap_release(allocator, s.reached);
    ap_release(allocator, s.stamp);
    return status;
}

apart_status apart_cover_check(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                               const apart_cover_claim *claim, const apart_allocator *allocator,
                               apart_cover_proof *proof)
{
    static const apart_allocator standard = {NULL, NULL, NULL};
    ap_cover_mesh mesh;
    ap_cover_tree tree = {.mesh = NULL};
    int closed = AP_COVER_OPEN;
    if (claim == NULL || proof == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status =
        ap_cover_mesh_open(vertices, triangles, triangle_count, allocator != NULL ? allocator : &standard, &mesh);
    if (status != APART_OK) {
        return status;
    }
    if (claim->solid != 0) {
        status = ap_cover_mesh_closed(&mesh, &closed);
        status = status == APART_OK && closed == AP_COVER_OPEN ? APART_ERR_NOT_WATERTIGHT : status;
        status = status == APART_OK ? ap_cover_tree_open(&mesh, closed, &tree) : status;
    }
    if (status == APART_OK) {
        status = ap_cover_prove(&mesh, claim->solid != 0 ? &tree : NULL, claim, NULL, proof);
    }
    ap_cover_tree_close(&tree);
    ap_cover_mesh_close(&mesh);
    return status;
}
