/* The growth of the surface: all triangles that a new point sees are replaced by a fan from it to their outline.
 *
 * Source: the silhouette of van den Bergen 2001. We differ in the proof: the fan is taken only if each of its triangles clearly has the
 * origin inside, four of them tested at a time; vertices inside the outline (which a moved pair has left behind) are dropped. Where the
 * outline is no simple loop or a triangle is in doubt, the careful way of polytope_flip.c is gone. */
#include "polytope_face.h"

#define OUTLINE 64 /* edges; longer ones are left to the flips */

/* What the new point sees. */
typedef struct view {
    uint32_t seen_count, edge_count;
    uint32_t seen[OUTLINE + 2];  /* faces */
    uint32_t from[OUTLINE + 6];  /* the outline, counter-clockwise: edge i runs from here to the next one's begin */
    uint32_t beyond[OUTLINE + 1]; /* the half-edge outside an edge */
    double plane[4 * OUTLINE + 16];
    double key[OUTLINE + 4];
} view;

/* Is x above the plane of a face? sure: |n.x - d| relative to d that rounding cannot have made. */
AP_LANE_INLINE bool sees(const ap_polytope *p, const double *plane, uint32_t face, apart_vec3 x, double sure)
{
    const double *n = &plane[4 * (size_t)face];
    const double height = ((n[0] * x.x + n[1] * x.y) + n[2] * x.z) - n[3];
    return fabs(height) > sure * n[3] ? height > 0.0 : ap_polytope_is_above_exactly(p, (int)face, x);
}

/* The outline of what x sees, in order: depth first, each face's two further edges from right to left. False: too long, or no loop. */
static bool look(view *v, ap_polytope *p, uint32_t face, apart_vec3 x, double sure)
{
    static const uint8_t after[4] = {1, 2, 0, 0};
    ap_polytope_link *const link = p->link;
    const double *const plane = p->plane;
    uint32_t stack[2 * OUTLINE]; /* half-edges to look across */
    uint32_t top = 3, seen = 1, edges = 0, torn = 0, to = link[face].vertex[0];
    stack[0] = 4 * face + 2;
    stack[1] = 4 * face + 1;
    stack[2] = 4 * face;
    v->seen[0] = face;
    link[face].mark = 1;
    while (top > 0 && seen <= OUTLINE && edges < OUTLINE) {
        const uint32_t h = stack[--top], t = link[h >> 2].twin[h & 3u], next = t >> 2;
        if (link[next].mark != 0) {
            continue;
        }
        if (sees(p, plane, next, x, sure)) {
            link[next].mark = 1;
            v->seen[seen++] = next;
            const uint32_t i = after[t & 3u];
            stack[top] = 4 * next + after[i];
            stack[top + 1] = 4 * next + i;
            top += 2;
        } else {
            const uint16_t *ends = &link[h >> 2].vertex[h & 3u];
            v->from[edges] = ends[0];
            v->beyond[edges] = t;
            torn |= edges > 0 ? ends[0] ^ to : 0;
            to = ends[1];
            edges++;
        }
    }
    v->seen_count = seen;
    v->edge_count = edges;
    return top == 0 && seen <= OUTLINE && edges >= 3 && torn == 0 && v->from[0] == to;
}

static void unmark(const view *v, ap_polytope *p)
{
    for (uint32_t i = 0; i < v->seen_count; i++) {
        p->link[v->seen[i]].mark = 0;
    }
}

/* The planes of the fan. False: one of them is in doubt. */
static bool set_fan(view *v, const ap_polytope *p, apart_vec3 x)
{
    const ap_points4 apex = ap_points4_all(x);
    const uint32_t count = v->edge_count;
    v->from[count] = v->from[0];
    for (int i = 1; i < 5; i++) {
        v->from[count + (uint32_t)i] = v->from[i & 1]; /* what is left of the last four repeats the first edge */
    }
    for (uint32_t i = 0; i < count; i += 4) {
        const ap_planes4 planes = ap_planes4_of(apex, ap_points4_gather(p->w, &v->from[i]), ap_points4_gather(p->w, &v->from[i + 1]), p->noise_unit);
        const uint32_t left = count - i;
        if ((planes.unclear & (left >= 4 ? 15u : (1u << left) - 1u)) != 0) {
            return false;
        }
        ap_planes4_store(&planes, &v->plane[4 * (size_t)i], &v->key[i]);
    }
    return true;
}

/* Vertices that only the seen faces have, largest number first. */
static int find_dropped(const view *v, const ap_polytope *p, int dropped[OUTLINE])
{
    int count = 0;
    for (uint32_t i = 0; i < 3 * v->seen_count; i++) {
        const uint32_t vertex = p->link[v->seen[i / 3]].vertex[i % 3];
        bool kept = count == OUTLINE;
        for (uint32_t k = 0; k < v->edge_count; k++) {
            kept = kept || v->from[k] == vertex;
        }
        for (int k = 0; k < count; k++) {
            kept = kept || dropped[k] == (int)vertex;
        }
        if (kept) {
            continue;
        }
        int place = count++;
        for (; place > 0 && dropped[place - 1] < (int)vertex; place--) {
            dropped[place] = dropped[place - 1];
        }
        dropped[place] = (int)vertex;
    }
    return count;
}

/* The last vertex takes the place of one that is gone. */
static void remove_vertex(ap_polytope *p, int vertex)
{
    const int last = --p->vertex_count;
    if (vertex == last) {
        return;
    }
    ap_v4_store(&p->w[4 * vertex], ap_v4_load(&p->w[4 * last]));
    p->index[2 * vertex] = p->index[2 * last];
    p->index[2 * vertex + 1] = p->index[2 * last + 1];
    if (p->a != NULL) {
        p->a[vertex] = p->a[last];
    }
    for (int f = 0; f < p->face_count; f++) {
        for (int i = 0; i < 4; i++) {
            if (p->link[f].vertex[i] == last) {
                p->link[f].vertex[i] = (uint16_t)vertex;
            }
        }
    }
}

/* The last face takes the place of one that is gone. */
static void remove_face(ap_polytope *p, int face)
{
    const int last = p->face_count - 1;
    if (face != last) {
        p->link[face] = p->link[last];
        ap_v4_store(&p->plane[4 * face], ap_v4_load(&p->plane[4 * last]));
        p->key[face] = p->key[last];
        for (int i = 0; i < 3; i++) {
            ap_polytope_join(p, 4 * face + i, ap_polytope_twin(p, 4 * face + i));
        }
    }
    ap_polytope_set_face_count(p, last);
}

/* Puts the fan in the place of the seen faces; further ones at the end. */
static void put_fan(ap_polytope *p, view *v, uint32_t new)
{
    const uint32_t count = v->edge_count, first_free = (uint32_t)p->face_count, seen = v->seen_count;
    ap_polytope_link *const link = p->link;
    uint32_t surplus = 0;
    for (uint32_t i = seen; i < count; i++) {
        v->seen[i] = first_free + surplus++;
    }
    ap_polytope_set_face_count(p, (int)(first_free + surplus));
    uint32_t f = v->seen[0], previous = v->seen[count - 1];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = v->beyond[i], next = i + 1 < count ? v->seen[i + 1] : v->seen[0];
        link[f] = (ap_polytope_link){{(uint16_t)new, (uint16_t)v->from[i], (uint16_t)v->from[i + 1], (uint16_t)new},
                                     {(uint16_t)(4 * previous + 2), (uint16_t)t, (uint16_t)(4 * next)}, 0};
        link[t >> 2].twin[t & 3u] = (uint16_t)(4 * f + 1);
        ap_v4_store(&p->plane[4 * (size_t)f], ap_v4_load(&v->plane[4 * (size_t)i]));
        p->key[f] = v->key[i];
        previous = f;
        f = next;
    }
}

/* Faces and vertices that are gone, when the outline held vertices inside. dropped: largest first; one number is the new vertex'. */
static void close_ranks(ap_polytope *p, view *v, const int *dropped, int dropped_count)
{
    for (uint32_t end = v->seen_count; end > v->edge_count; end--) {
        uint32_t most = end - 1;
        for (uint32_t k = v->edge_count; k < end - 1; k++) {
            most = v->seen[k] > v->seen[most] ? k : most;
        }
        const uint32_t face = v->seen[most];
        v->seen[most] = v->seen[end - 1];
        remove_face(p, (int)face);
    }
    for (int i = 0; i < dropped_count; i++) {
        remove_vertex(p, dropped[i]);
    }
}

bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point, double least)
{
    view v;
    int dropped[OUTLINE], dropped_count = 0;
    /* No face is nearer than `least`: |n| <= d / least for all of them. */
    const double sure = AP_FACE_NOISE_OF_NORMAL * p->noise_unit / least;
    if (!look(&v, p, (uint32_t)face, point->w, sure) || !set_fan(&v, p, point->w)) {
        unmark(&v, p);
        return ap_polytope_insert_by_flips(p, face, point);
    }
    if (v.edge_count != v.seen_count + 2) {
        dropped_count = find_dropped(&v, p, dropped);
    }
    if ((dropped_count == 0 && p->vertex_count == p->capacity) ||
        p->face_count + (int)v.edge_count - (int)v.seen_count > AP_POLYTOPE_FACES(p->capacity)) {
        unmark(&v, p);
        return false;
    }
    const int new = dropped_count > 0 ? dropped[--dropped_count] : p->vertex_count++;
    ap_polytope_put_vertex(p, new, point);
    put_fan(p, &v, (uint32_t)new);
    if (v.seen_count > v.edge_count || dropped_count > 0) {
        close_ranks(p, &v, dropped, dropped_count);
    }
    return true;
}
