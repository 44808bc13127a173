/* The growth of the polytope: all triangles that a new point sees are replaced by a fan from it to their horizon.
 *
 * Source: the silhouette of van den Bergen 2001. We differ in the proof: the fan is taken only if each of its triangles
 * clearly has the origin inside, four of them tested at a time; vertices inside the horizon (which a moved pair has
 * left behind) are dropped. Where the horizon is not a simple loop, or rounding leaves a triangle open, the point is
 * inserted by flips (polytope_flip.c). */
#include "polytope.h"

#define HORIZON_EDGES 64 /* longer horizons are left to the flips */

/* What the new point sees, and the fan that replaces it. Faces and vertices are numbered times 4 here. */
typedef struct horizon {
    uint32_t seen_count, edge_count;
    uint32_t seen[HORIZON_EDGES + 4];   /* faces */
    uint32_t from[HORIZON_EDGES + 8];   /* the horizon, counter-clockwise: edge i runs from vertex i to vertex i + 1 */
    uint32_t beyond[HORIZON_EDGES + 4]; /* the half-edge outside an edge */
    double plane[4 * HORIZON_EDGES + 16];
    double key[HORIZON_EDGES + 4];
} horizon;

/* Is the horizon one loop, with its edges in order? It always is, unless vertices lie inside it. */
static AP_RARE bool is_loop(const horizon *v, const ap_polytope *p)
{
    bool loop = v->edge_count >= 3;
    for (uint32_t i = 0; i < v->edge_count; i++) {
        const uint32_t t = v->beyond[i], to = p->corner[t]; /* the half-edge outside begins where the edge ends */
        loop = loop && to == v->from[i + 1 < v->edge_count ? i + 1 : 0];
    }
    return loop;
}

/* Finds the horizon of x, in order: depth first, the two further edges of each face from right to left. False: it is
 * too long, or not a loop. sure: |n.x - d| relative to d that rounding cannot have made. */
AP_INLINE bool find_horizon(horizon *v, ap_polytope *p, uint32_t face, apart_vec3 x, double sure)
{
    static const uint8_t after[4] = {1, 2, 0, 0}, before[4] = {2, 0, 1, 0};
    const uint16_t *const corner = p->corner;
    const double *const plane = p->plane;
    uint16_t *const twin = p->twin;
    uint32_t stack[HORIZON_EDGES + 8]; /* half-edges to cross */
    uint32_t top = 3, seen = 1, edges = 0;
    stack[0] = face + 2;
    stack[1] = face + 1;
    stack[2] = face;
    v->seen[0] = face;
    twin[face + 3] = 1u;
    do {
        const uint32_t h = stack[--top], t = twin[h], next = t & ~3u;
        if (twin[next + 3] != 0) {
            continue;
        }
        const double *const n = &plane[next];
        const double height = ((n[0] * x.x + n[1] * x.y) + n[2] * x.z) - n[3], noise = sure * n[3];
        if (height > noise || (!(height < -noise) && ap_polytope_is_above_exactly(p, (int)(next >> 2), x))) {
            if (seen == HORIZON_EDGES) {
                top++;
                break;
            }
            twin[next + 3] = 1u;
            v->seen[seen++] = next;
            stack[top] = next + before[t & 3u];
            stack[top + 1] = next + after[t & 3u];
            top += 2;
        } else {
            v->from[edges] = corner[h];
            v->beyond[edges] = t;
            edges++;
        }
    } while (top > 0);
    v->seen_count = seen;
    v->edge_count = edges; /* at most two more than faces seen: as many where no edge was met from both sides */
    return top == 0 && (edges == seen + 2 || is_loop(v, p));
}

static AP_RARE void unmark_seen(const horizon *v, ap_polytope *p)
{
    for (uint32_t i = 0; i < v->seen_count; i++) {
        p->twin[v->seen[i] + 3] = 0;
    }
}

/* Computes the planes of the fan. False: rounding leaves one of them open. */
AP_INLINE bool compute_fan(horizon *v, const ap_polytope *p, apart_vec3 x)
{
    const ap_lanes3 apex = ap_lanes3_all(x);
    const uint32_t count = v->edge_count, *from = v->from;
    for (uint32_t i = 0; i < 4; i += 2) { /* the first edge and its reverse fill the last four lanes up */
        memcpy(&v->from[count + i], from, 2 * sizeof *from);
    }
    for (uint32_t i = 0; i < count; i += 4, from += 4) {
        const ap_lanes3 q = ap_polytope_gather(p, from[0], from[1], from[2], from[3]);
        const ap_lanes3 r = ap_polytope_gather(p, from[1], from[2], from[3], from[4]);
        const unsigned open = ap_planes4_set(apex, q, r, p->noise_unit, &v->plane[4 * (size_t)i], &v->key[i]);
        if (open != 0) {
            const uint32_t left = count - i; /* the repeated ones do not count */
            if (left >= 4 || (open & ((1u << left) - 1u)) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Finds the vertices that only the seen faces have, largest number first. */
static AP_RARE int find_dropped(const horizon *v, const ap_polytope *p, uint32_t dropped[HORIZON_EDGES])
{
    int count = 0;
    for (uint32_t i = 0; i < 3 * v->seen_count; i++) {
        const uint32_t vertex = p->corner[v->seen[i / 3] + i % 3];
        bool kept = count == HORIZON_EDGES;
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

/* The last vertex takes the place of a dropped one. */
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

/* The last face takes the place of a dropped one. */
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

/* The place of a number among four of 16 bits that are written at once. */
#if AP_BIG_ENDIAN
#define AT(place, number) ((uint64_t)(number) << (48 - 16 * (place)))
#else
#define AT(place, number) ((uint64_t)(number) << (16 * (place)))
#endif

/* Writes the fan in the place of the seen faces; the further ones are the last faces of the polytope. */
AP_INLINE void write_fan(ap_polytope *p, horizon *v, uint32_t new)
{
    const uint32_t count = v->edge_count;
    uint32_t last = 4 * (uint32_t)p->face_count;
    for (uint32_t i = count; i > v->seen_count; i--) {
        v->seen[i - 1] = last -= 4;
    }
    for (uint32_t i = 0; i < count; i++) { /* keys first: the search for the nearest face reads them next */
        p->key[v->seen[i] / 4] = v->key[i];
    }
    const uint64_t apex = AT(0, new) | AT(3, new);
    uint32_t previous = v->seen[count - 1], f = v->seen[0];
    const uint32_t spare = v->seen[count]; /* a face to drop, if vertices were inside */
    v->seen[count] = f;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = v->beyond[i], next = v->seen[i + 1];
        const uint64_t corners = apex | AT(1, v->from[i]) | AT(2, v->from[i + 1]);
        const uint64_t twins = AT(0, previous + 2) | AT(1, t) | AT(2, next);
        memcpy(&p->corner[f], &corners, sizeof corners);
        memcpy(&p->twin[f], &twins, sizeof twins);
        p->twin[t] = (uint16_t)(f + 1);
        ap_lanes_store(&p->plane[f], ap_lanes_load(&v->plane[4 * (size_t)i]));
        previous = f;
        f = next;
    }
    v->seen[count] = spare;
}

/* Removes the faces and vertices that the fan leaves over when vertices were inside the horizon. dropped: largest
 * first. */
static AP_RARE void remove_dropped(ap_polytope *p, horizon *v, const uint32_t *dropped, int dropped_count)
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
    horizon v;
    uint32_t dropped[HORIZON_EDGES];
    int dropped_count = 0;
    /* No face is nearer than `least`: |n| <= d / least for all of them. */
    const double sure = AP_FACE_NOISE_OF_NORMAL * p->noise_unit / least;
    if (!find_horizon(&v, p, 4 * (uint32_t)face, point->w, sure) || !compute_fan(&v, p, point->w)) {
        unmark_seen(&v, p);
        return ap_polytope_insert_by_flips(p, face, point);
    }
    if (v.edge_count != v.seen_count + 2) {
        dropped_count = find_dropped(&v, p, dropped);
    }
    const int more_faces = (int)v.edge_count - (int)v.seen_count;
    if ((dropped_count == 0 && p->vertex_count == p->capacity) ||
        p->face_count + more_faces > AP_POLYTOPE_FACES(p->capacity)) {
        unmark_seen(&v, p);
        return false;
    }
    const uint32_t new = dropped_count > 0 ? dropped[--dropped_count] : 4 * (uint32_t)p->vertex_count++;
    p->changed = true;
    ap_polytope_put_vertex(p, (int)(new / 4), point);
    ap_polytope_set_face_count(p, p->face_count + (more_faces > 0 ? more_faces : 0)); /* fewer: remove_dropped */
    write_fan(p, &v, new);
    if (v.seen_count > v.edge_count || dropped_count > 0) {
        remove_dropped(p, &v, dropped, dropped_count);
    }
    return true;
}
