/* A descent of the tree, which looks at the vertices of the leaves that no bound excludes. */
#include "support.h"

/* A volume's bound along a direction of length one, in local units: the frame turns the direction by at most three times
 * AP_MESH_AXIS_ERROR, no local point is farther than sqrt(3) from the centre, and vertices are rounded to floats. */
static const double bound_error = 6.0 * (double)AP_MESH_AXIS_ERROR;

typedef struct support_search {
    const apart_mesh *mesh;
    apart_vec3 direction;
    double error; /* of bounds, in local units */
    double most;  /* in own units */
} support_search;

/* Upper bounds of the support values of a node's children, in local units. */
static void bound_children(const support_search *s, const ap_mesh_node *node, double bound[AP_MESH_WIDTH])
{
    double w[3];
    for (int i = 0; i < 3; i++) {
        const float *axis = node->volume.axis[i];
        w[i] = ap_dot(s->direction, ap_vec(axis[0], axis[1], axis[2]));
    }
    const double least = ap_min(fabs(w[0]), fabs(w[1]));
    const float *cut = node->cut[ap_mesh_cut_number((float)w[0], (float)w[1])];
    for (unsigned lane = 0; lane < AP_MESH_WIDTH; lane++) {
        double value = s->error - least * cut[lane];
        for (int i = 0; i < 3; i++) {
            value += w[i] * node->center[i][lane] + fabs(w[i]) * node->half[i][lane];
        }
        bound[lane] = value;
    }
}

static void look_at_leaf(support_search *s, const ap_mesh_leaf *leaf)
{
    const uint32_t *order = ap_mesh_order(s->mesh) + leaf->first;
    const apart_vec3 center = ap_mesh_center(s->mesh);
    for (uint32_t lane = 0; lane < leaf->count; lane++) {
        const uint32_t *corners = ap_mesh_corners(s->mesh, order[lane]);
        for (int i = 0; i < 3; i++) {
            s->most = ap_max(s->most, ap_dot(s->direction, ap_sub(ap_mesh_vertex(s->mesh, corners[i]), center)));
        }
    }
}

typedef struct waiting_item {
    uint32_t item;
    double bound; /* in own units */
} waiting_item;

/* Puts the children that may reach farther on the stack, above `base`, the farthest last. */
static unsigned push_far_children(const support_search *s, const ap_mesh_node *node, waiting_item *stack, unsigned base)
{
    double bound[AP_MESH_WIDTH];
    unsigned count = base;
    bound_children(s, node, bound);
    for (uint32_t lane = 0; lane < node->count; lane++) {
        const waiting_item next = {node->child[lane], bound[lane] / s->mesh->scale};
        if (!(next.bound > s->most)) {
            continue;
        }
        unsigned at = count++;
        for (; at > base && stack[at - 1].bound > next.bound; at--) {
            stack[at] = stack[at - 1];
        }
        stack[at] = next;
    }
    return count;
}

double ap_mesh_support_value(const apart_mesh *mesh, apart_vec3 direction)
{
    waiting_item stack[AP_MESH_LEVELS * AP_MESH_WIDTH];
    support_search s = {mesh, direction, bound_error * ap_norm(direction), -INFINITY};
    unsigned count = push_far_children(&s, &ap_mesh_nodes(mesh)[0], stack, 0);
    while (count > 0) {
        const waiting_item next = stack[--count];
        if (!(next.bound > s.most)) {
            continue;
        }
        if (next.item >= AP_MESH_LEAF) {
            look_at_leaf(&s, &ap_mesh_leaves(mesh)[next.item - AP_MESH_LEAF]);
        } else {
            count = push_far_children(&s, &ap_mesh_nodes(mesh)[next.item], stack, count);
        }
    }
    return s.most;
}
