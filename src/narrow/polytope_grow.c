/* The growth of the surface: all triangles that a new point sees are replaced by a fan from it to their outline.
 *
 * Source: the silhouette of van den Bergen 2001. We differ in the proof: the fan is taken only if each of its triangles clearly has the
 * origin inside, four of them tested at a time; vertices inside the outline (which a moved pair has left behind) are dropped. Where the
 * outline is no simple loop or a triangle is in doubt, the careful way of polytope_flip.c is gone. */
#include "polytope_face.h"

#define OUTLINE 64 /* edges; longer ones are left to the flips */

/* What the new point sees. Faces and vertices are numbered times 4 here. */
typedef struct view {
    uint32_t seen_count, edge_count;
    uint32_t seen[OUTLINE + 4];   /* faces */
    uint32_t from[OUTLINE + 8];   /* the outline, counter-clockwise: edge i runs from here to the next one's begin */
    uint32_t beyond[OUTLINE + 4]; /* the half-edge outside an edge */
    double plane[4 * OUTLINE + 16];
    double key[OUTLINE + 4];
} view;

/* Is x above the plane of a face? sure: |n.x - d| relative to d that rounding cannot have made. */
AP_INLINE bool sees(const ap_polytope *p, const double *plane, uint32_t face, apart_vec3 x, double sure)
{
    const double *n = &plane[face];
    const double height = ((n[0] * x.x + n[1] * x.y) + n[2] * x.z) - n[3];
    return fabs(height) > sure * n[3] ? height > 0.0 : ap_polytope_is_above_exactly(p, (int)(face >> 2), x);
}

/* The outline of what x sees, in order: depth first, each face's two further edges from right to left. False: too long, or no loop. */
static bool look(view *v, ap_polytope *p, uint32_t face, apart_vec3 x, double sure)
{
    static const uint8_t after[4] = {1, 2, 0, 0};
    const uint16_t *const corner = p->corner;
    const double *const plane = p->plane;
    uint16_t *const twin = p->twin;
    uint32_t stack[OUTLINE + 8]; /* half-edges to look across */
    uint32_t *top = stack + 3, *const bottom = stack;
    uint32_t seen = 1, edges = 0, torn = 0, to = 0;
    stack[0] = face + 2;
    stack[1] = face + 1;
    stack[2] = face;
    v->seen[0] = face;
    twin[face + 3] |= 1u;
    while (top > bottom && seen < OUTLINE) {
        const uint32_t h = *--top, t = twin[h], next = t & ~3u;
        if ((twin[next + 3] & 1u) != 0) {
            continue;
        }
        if (sees(p, plane, next, x, sure)) {
            const uint32_t i = after[t & 3u];
            twin[next + 3] |= 1u;
            v->seen[seen++] = next;
            top[0] = next + after[i];
            top[1] = next + i;
            top += 2;
        } else {
            const uint32_t from = corner[h];
            v->from[edges] = from;
            v->beyond[edges] = t;
            torn |= edges > 0 ? from ^ to : 0;
            to = corner[h + 1];
            edges++;
        }
    }
    v->seen_count = seen;
    v->edge_count = edges; /* at most two more than faces seen */
    return top == bottom && edges >= 3 && torn == 0 && v->from[0] == to;
}

static void unmark(const view *v, ap_polytope *p)
{
    for (uint32_t i = 0; i < v->seen_count; i++) {
        p->twin[v->seen[i] + 3] &= 0xfffeu;
    }
}

/* The planes of the fan. False: one of them is in doubt. */
static bool set_fan(view *v, const ap_polytope *p, apart_vec3 x)
{
    const ap_lanes3 apex = ap_lanes3_all(x);
    const uint32_t count = v->edge_count, *from = v->from;
    v->from[count] = from[0];
    for (uint32_t i = 1; i < 5; i++) {
        v->from[count + i] = from[i & 1]; /* what is left of the last four repeats the first edge and its reverse */
    }
    for (uint32_t i = 0; i < count; i += 4, from += 4) {
        const ap_lanes3 q = ap_lanes3_gather(p->w, from[0], from[1], from[2], from[3]);
        const ap_lanes3 r = ap_lanes3_gather(p->w, from[1], from[2], from[3], from[4]);
        const ap_planes4 planes = ap_planes4_of(apex, q, r, p->noise_unit);
        if ((planes.unclear & (15u >> (count - i < 4 ? 4 - (count - i) : 0))) != 0) {
            return false;
        }
        ap_planes4_store(&planes, &v->plane[4 * (size_t)i], &v->key[i]);
    }
    return true;
}

/* Vertices that only the seen faces have, largest number first. */
static int find_dropped(const view *v, const ap_polytope *p, uint32_t dropped[OUTLINE])
{
    int count = 0;
    for (uint32_t i = 0; i < 3 * v->seen_count; i++) {
        const uint32_t vertex = p->corner[v->seen[i / 3] + i % 3];
        bool kept = count == OUTLINE;
        for (uint32_t k = 0; k < v->edge_count; k++) {
            kept = kept || v->from[k] == vertex;
        }
        for (int k = 0; k < count; k++) {
            kept = kept || dropped[k] == vertex;
        }
        if (kept) {
            continue;
        }
        int place = count++;
        for (; place > 0 && dropped[place - 1] < vertex; place--) {
            dropped[place] = dropped[place - 1];
        }
        dropped[place] = vertex;
    }
    return count;
}

/* The last vertex takes the place of one that is gone. */
static void remove_vertex(ap_polytope *p, uint32_t vertex)
{
    const uint32_t last = 4 * (uint32_t)--p->vertex_count;
    if (vertex == last) {
        return;
    }
    ap_lanes_store(&p->w[vertex], ap_lanes_load(&p->w[last]));
    p->index[vertex / 2] = p->index[last / 2];
    p->index[vertex / 2 + 1] = p->index[last / 2 + 1];
    if (p->a != NULL) {
        p->a[vertex / 4] = p->a[last / 4];
    }
    for (int h = 0; h < 4 * p->face_count; h++) {
        p->corner[h] = (uint16_t)(p->corner[h] == last ? vertex : p->corner[h]);
    }
}

/* The last face takes the place of one that is gone. */
static void remove_face(ap_polytope *p, uint32_t face)
{
    const uint32_t last = 4 * (uint32_t)(p->face_count - 1);
    if (face != last) {
        memcpy(&p->corner[face], &p->corner[last], 4 * sizeof *p->corner);
        memcpy(&p->twin[face], &p->twin[last], 4 * sizeof *p->twin);
        ap_lanes_store(&p->plane[face], ap_lanes_load(&p->plane[last]));
        p->key[face / 4] = p->key[last / 4];
        for (uint32_t i = 0; i < 3; i++) {
            p->twin[p->twin[face + i]] = (uint16_t)(face + i);
        }
    }
    ap_polytope_set_face_count(p, p->face_count - 1);
}

/* Puts the fan in the place of the seen faces; further ones at the end. */
static void put_fan(ap_polytope *p, view *v, uint32_t new)
{
    const uint32_t count = v->edge_count;
    uint32_t end = 4 * (uint32_t)p->face_count;
    for (uint32_t i = v->seen_count; i < count; i++, end += 4) {
        v->seen[i] = end;
    }
    ap_polytope_set_face_count(p, (int)(end / 4));
    uint16_t *const twin = p->twin;
    double *const key = p->key, *const plane = p->plane;
    uint32_t f = v->seen[0], previous = v->seen[count - 1];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = v->beyond[i], next = i + 1 < count ? v->seen[i + 1] : v->seen[0];
        uint16_t *const corner = &p->corner[f], *const across = &twin[f];
        corner[0] = (uint16_t)new;
        corner[1] = (uint16_t)v->from[i];
        corner[2] = (uint16_t)v->from[i + 1];
        corner[3] = (uint16_t)new;
        across[0] = (uint16_t)(previous + 2);
        across[1] = (uint16_t)t;
        across[2] = (uint16_t)next;
        across[3] = 0;
        twin[t] = (uint16_t)(f + 1);
        ap_lanes_store(&plane[f], ap_lanes_load(&v->plane[4 * (size_t)i]));
        key[f / 4] = v->key[i];
        previous = f;
        f = next;
    }
}

/* Faces and vertices that are gone, when the outline held vertices inside. dropped: largest first; one number is the new vertex'. */
static void close_ranks(ap_polytope *p, view *v, const uint32_t *dropped, int dropped_count)
{
    for (uint32_t end = v->seen_count; end > v->edge_count; end--) {
        uint32_t most = end - 1;
        for (uint32_t k = v->edge_count; k < end - 1; k++) {
            most = v->seen[k] > v->seen[most] ? k : most;
        }
        const uint32_t face = v->seen[most];
        v->seen[most] = v->seen[end - 1];
        remove_face(p, face);
    }
    for (int i = 0; i < dropped_count; i++) {
        remove_vertex(p, dropped[i]);
    }
}

bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point, double least)
{
    view v;
    uint32_t dropped[OUTLINE];
    int dropped_count = 0;
    /* No face is nearer than `least`: |n| <= d / least for all of them. */
    const double sure = AP_FACE_NOISE_OF_NORMAL * p->noise_unit / least;
    if (!look(&v, p, 4 * (uint32_t)face, point->w, sure) || !set_fan(&v, p, point->w)) {
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
    const uint32_t new = dropped_count > 0 ? dropped[--dropped_count] : 4 * (uint32_t)p->vertex_count++;
    p->changed = true;
    ap_polytope_put_vertex(p, (int)(new / 4), point);
    put_fan(p, &v, new);
    if (v.seen_count > v.edge_count || dropped_count > 0) {
        close_ranks(p, &v, dropped, dropped_count);
    }
    return true;
}
