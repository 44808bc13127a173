/* Volumes: boxes along the principal axes of the triangles (Gottschalk, Lin, Manocha 1996), with cut edges. The
 * extents are computed in floats and padded by what that can be wrong (docs/numerics.md). */
#include "../simd/floats.h"
#include "build.h"

/* Added to half extents, and subtracted from cuts. */
static const float half_padding = 0x1p-20f, cut_padding = 0x1p-19f;

/* ---- frames ---- */

/* Beside the area of a triangle: so that triangles without area have principal axes, too. */
static const double edge_weight = 0x1p-20;

static void add_triangle(ap_mesh_moments *m, const apart_vec3 p[3])
{
    const apart_vec3 e = ap_sub(p[1], p[0]), f = ap_sub(p[2], p[0]), n = ap_cross(e, f);
    const double weight = sqrt(ap_dot(n, n)) + edge_weight * (ap_dot(e, e) + ap_dot(f, f));
    const apart_vec3 sum = ap_add(ap_add(p[0], p[1]), p[2]);
    const apart_vec3 q[4] = {p[0], p[1], p[2], sum}; /* the integral of x xT is area / 12 times the sum of these */
    m->weight += weight;
    m->first[0] += weight / 3.0 * sum.x;
    m->first[1] += weight / 3.0 * sum.y;
    m->first[2] += weight / 3.0 * sum.z;
    for (int i = 0; i < 4; i++) {
        const apart_vec3 w = ap_scale(weight / 12.0, q[i]);
        m->second[0] += w.x * q[i].x;
        m->second[1] += w.y * q[i].y;
        m->second[2] += w.z * q[i].z;
        m->second[3] += w.x * q[i].y;
        m->second[4] += w.x * q[i].z;
        m->second[5] += w.y * q[i].z;
    }
}

void ap_mesh_leaf_moments(const ap_mesh_leaf *leaf, ap_mesh_moments *moments)
{
    *moments = (ap_mesh_moments){.weight = 0.0};
    for (uint32_t lane = 0; lane < leaf->count; lane++) {
        apart_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = ap_vec(leaf->corner[i][0][lane], leaf->corner[i][1][lane], leaf->corner[i][2][lane]);
        }
        add_triangle(moments, p);
    }
}

/* One rotation of Jacobi's method, which makes a[p][q] zero; v collects the rotations' columns. */
static void rotate_once(double a[3][3], double v[3][3], int p, int q)
{
    if (!(fabs(a[p][q]) > 1e-12 * (fabs(a[p][p]) + fabs(a[q][q])))) {
        return;
    }
    const int r = 3 - p - q;
    const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    const double root = fabs(theta) + sqrt(theta * theta + 1.0), t = theta < 0.0 ? -1.0 / root : 1.0 / root;
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    const double rp = a[r][p], rq = a[r][q];
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; k++) {
        const double vp = v[k][p], vq = v[k][q];
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

void ap_mesh_frame(const ap_mesh_moments *m, float axis[3][3])
{
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = m->weight > 0.0 ? m->second[at[i][j]] - m->first[i] / m->weight * m->first[j] : 0.0;
        }
    }
    for (int sweep = 0; sweep < 8; sweep++) {
        rotate_once(a, v, 0, 1);
        rotate_once(a, v, 0, 2);
        rotate_once(a, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) { /* 0-1, 1-2, 0-1 */
        const int low = i % 2, swapped = order[low];
        if (a[order[low + 1]][order[low + 1]] > a[swapped][swapped]) {
            order[low] = order[low + 1];
            order[low + 1] = swapped;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            axis[i][k] = (float)v[k][order[i]];
        }
    }
}

/* ---- extents ---- */

/* Along the three axes, and along the sum and the difference of the first two: in four lanes. */
typedef struct extents {
    ap_float4 low[5], high[5];
} extents;

static void extents_clear(extents *e)
{
    for (int i = 0; i < 5; i++) {
        e->low[i] = ap_float4_all(INFINITY);
        e->high[i] = ap_float4_all(-INFINITY);
    }
}

/* Further lanes of a leaf repeat its last triangle. */
static void extents_add_leaf(extents *e, const ap_mesh_volume *frame, const ap_mesh_leaf *leaf)
{
    for (int corner = 0; corner < 3; corner++) {
        for (unsigned lane = 0; lane < AP_MESH_WIDTH; lane += 4) {
            const ap_float4 x = ap_float4_load(&leaf->corner[corner][0][lane]);
            const ap_float4 y = ap_float4_load(&leaf->corner[corner][1][lane]);
            const ap_float4 z = ap_float4_load(&leaf->corner[corner][2][lane]);
            ap_float4 p[5];
            for (int i = 0; i < 3; i++) {
                const float *axis = frame->axis[i];
                p[i] = ap_float4_sum3(ap_float4_scale(axis[0], x), ap_float4_scale(axis[1], y),
                                      ap_float4_scale(axis[2], z));
            }
            p[3] = ap_float4_add(p[0], p[1]);
            p[4] = ap_float4_sub(p[0], p[1]);
            for (int i = 0; i < 5; i++) {
                e->low[i] = ap_float4_min(e->low[i], p[i]);
                e->high[i] = ap_float4_max(e->high[i], p[i]);
            }
        }
    }
}

/* A box with cut edges, of one volume or in a lane of a node: arrays with a stride. */
typedef struct box_view {
    float *center, *half, *cut;
    size_t stride;
} box_view;

static void write_box(const extents *e, box_view box)
{
    float center[3], half[3], low[5], high[5];
    for (int i = 0; i < 5; i++) {
        low[i] = ap_float4_smallest(e->low[i]);
        high[i] = ap_float4_largest(e->high[i]);
    }
    for (int i = 0; i < 3; i++) {
        center[i] = 0.5f * (low[i] + high[i]);
        const float above = high[i] - center[i], below = center[i] - low[i];
        half[i] = (above > below ? above : below) + half_padding;
        box.center[(size_t)i * box.stride] = center[i];
        box.half[(size_t)i * box.stride] = half[i];
    }
    const float sum = center[0] + center[1], difference = center[0] - center[1], corner = half[0] + half[1];
    const float support[4] = {high[3] - sum, difference - low[4], high[4] - difference, sum - low[3]};
    for (int i = 0; i < 4; i++) {
        const float cut = (corner - support[i]) - cut_padding;
        box.cut[(size_t)i * box.stride] = cut > 0.0f ? cut : 0.0f;
    }
}

static void extents_unite(extents *all, const extents *e)
{
    for (int i = 0; i < 5; i++) {
        all->low[i] = ap_float4_min(all->low[i], e->low[i]);
        all->high[i] = ap_float4_max(all->high[i], e->high[i]);
    }
}

static void write_volume(const extents *e, ap_mesh_volume *v)
{
    write_box(e, (box_view){v->center, v->half, v->cut, 1});
    const float square = (v->half[0] * v->half[0] + v->half[1] * v->half[1]) + v->half[2] * v->half[2];
    v->reach = sqrtf(square) * (1.0f + 0x1p-20f);
}

void ap_mesh_leaf_volume(ap_mesh_leaf *leaf)
{
    extents e;
    extents_clear(&e);
    extents_add_leaf(&e, &leaf->volume, leaf);
    write_volume(&e, &leaf->volume);
}

static void repeat_last_lane(ap_mesh_node *node)
{
    const uint32_t last = node->count - 1;
    for (uint32_t lane = node->count; lane < AP_MESH_WIDTH; lane++) {
        for (int i = 0; i < 3; i++) {
            node->center[i][lane] = node->center[i][last];
            node->half[i][lane] = node->half[i][last];
        }
        for (int i = 0; i < 4; i++) {
            node->cut[i][lane] = node->cut[i][last];
        }
        node->child[lane] = node->child[last];
    }
}

void ap_mesh_node_volume(ap_mesh_node *node, const ap_mesh_leaf *leaves, const uint32_t first[AP_MESH_WIDTH + 1])
{
    extents all;
    extents_clear(&all);
    for (uint32_t lane = 0; lane < node->count; lane++) {
        extents e;
        extents_clear(&e);
        for (uint32_t leaf = first[lane]; leaf < first[lane + 1]; leaf++) {
            extents_add_leaf(&e, &node->volume, &leaves[leaf]);
        }
        write_box(&e, (box_view){&node->center[0][lane], &node->half[0][lane], &node->cut[0][lane], AP_MESH_WIDTH});
        extents_unite(&all, &e);
    }
    write_volume(&all, &node->volume);
    repeat_last_lane(node);
}

void ap_mesh_leaf_corners(const apart_mesh *mesh, ap_mesh_leaf *leaf)
{
    const uint32_t *order = ap_mesh_order(mesh) + leaf->first;
    for (uint32_t lane = 0; lane < AP_MESH_WIDTH; lane++) {
        const uint32_t *corners = ap_mesh_corners(mesh, order[lane < leaf->count ? lane : leaf->count - 1]);
        for (int i = 0; i < 3; i++) {
            const apart_vec3 p = ap_mesh_vertex(mesh, corners[i]);
            leaf->corner[i][0][lane] = ap_mesh_local(p.x, mesh->center[0], mesh->scale);
            leaf->corner[i][1][lane] = ap_mesh_local(p.y, mesh->center[1], mesh->scale);
            leaf->corner[i][2][lane] = ap_mesh_local(p.z, mesh->center[2], mesh->scale);
        }
    }
}
