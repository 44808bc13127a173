/* The growth of the surface: all triangles that a new point sees are replaced by a fan from it to their outline.
 *
 * Source: the silhouette of van den Bergen 2001. We differ in the proof: the fan is taken only if each of its triangles clearly has the
 * origin inside, four of them tested at a time; vertices inside the outline (which a moved pair has left behind) are dropped. Where the
 * outline is no simple loop or a triangle is in doubt, the careful way of polytope_flip.c is gone. */
#include "polytope_face.h"

#define OUTLINE 64 /* edges; longer ones are left to the flips */

/* What the new point sees. */
typedef struct view {
    int seen_count, edge_count;
    int seen[OUTLINE];                   /* faces */
    int from[OUTLINE + 4], to[OUTLINE + 4]; /* the outline, counter-clockwise: edge i ends where edge i+1 begins */
    int beyond[OUTLINE];                 /* the face outside an edge, and the corner of it opposite that edge */
    int corner[OUTLINE];
    double plane[4 * OUTLINE + 16];
    double key[OUTLINE + 4];
    float noise[OUTLINE + 4];
} view;

typedef struct crossing {
    uint16_t face, corner; /* out of `face` over the edge opposite this corner */
} crossing;

static const uint8_t after[5] = {0, 1, 2, 0, 1}; /* i mod 3 */

static bool is_seen(const view *v, int face)
{
    for (int i = 0; i < v->seen_count; i++) {
        if (v->seen[i] == face) {
            return true;
        }
    }
    return false;
}

/* The outline of what x sees, in order: depth first, each face's two further edges from right to left. */
static bool look(view *v, const ap_polytope *p, int face, apart_vec3 x)
{
    crossing stack[2 * OUTLINE];
    int top = 3;
    v->seen[0] = face;
    v->seen_count = 1;
    v->edge_count = 0;
    stack[0] = (crossing){(uint16_t)face, 1};
    stack[1] = (crossing){(uint16_t)face, 0};
    stack[2] = (crossing){(uint16_t)face, 2};
    while (top > 0) {
        const crossing c = stack[--top];
        const ap_polytope_link *here = &p->link[c.face];
        const int next = here->neighbour[c.corner];
        if (is_seen(v, next)) {
            continue;
        }
        const int from = here->vertex[after[c.corner + 1]], to = here->vertex[after[c.corner + 2]];
        const ap_polytope_link *there = &p->link[next];
        const int k = there->vertex[1] == to ? 0 : there->vertex[2] == to ? 1 : 2; /* `to` follows the corner opposite the edge */
        if (ap_polytope_is_above(p, next, x)) {
            if (v->seen_count == OUTLINE) {
                return false;
            }
            v->seen[v->seen_count++] = next;
            stack[top++] = (crossing){(uint16_t)next, after[k + 2]};
            stack[top++] = (crossing){(uint16_t)next, after[k + 1]};
        } else {
            if (v->edge_count == OUTLINE) {
                return false;
            }
            v->from[v->edge_count] = from;
            v->to[v->edge_count] = to;
            v->beyond[v->edge_count] = next;
            v->corner[v->edge_count] = k;
            v->edge_count++;
        }
    }
    return true;
}

/* One loop that passes no vertex twice. */
static bool is_simple(const view *v)
{
    uint64_t met = 0;
    bool twice = false;
    int last = v->to[v->edge_count - 1];
    for (int i = 0; i < v->edge_count; i++) {
        const uint64_t bit = UINT64_C(1) << (v->from[i] & 63);
        if (v->from[i] != last) {
            return false;
        }
        last = v->to[i];
        twice = twice || (met & bit) != 0;
        met |= bit;
    }
    for (int i = 0; twice && i < v->edge_count; i++) {
        for (int k = 0; k < i; k++) {
            if (v->from[k] == v->from[i]) {
                return false;
            }
        }
    }
    return true;
}

/* The planes of the fan. False: one of them is in doubt. */
static bool set_fan(view *v, const ap_polytope *p, apart_vec3 x)
{
    const ap_points4 apex = ap_points4_all(x);
    const int last = v->edge_count - 1;
    for (int lane = 1; lane < 4; lane++) {
        v->from[last + lane] = v->from[last];
        v->to[last + lane] = v->to[last];
    }
    for (int i = 0; i <= last; i += 4) {
        const ap_planes4 planes = ap_planes4_of(apex, ap_points4_gather(p->w, &v->from[i]), ap_points4_gather(p->w, &v->to[i]), p->noise_unit);
        if (planes.unclear != 0) {
            return false;
        }
        ap_planes4_store(&planes, &v->plane[4 * i], &v->key[i], &v->noise[i]);
    }
    return true;
}

/* Vertices that only the seen faces have, largest number first. */
static int find_dropped(const view *v, const ap_polytope *p, int dropped[OUTLINE])
{
    int count = 0;
    for (int i = 0; i < 3 * v->seen_count; i++) {
        const int vertex = p->link[v->seen[i / 3]].vertex[i % 3];
        bool kept = false;
        for (int k = 0; k < v->edge_count; k++) {
            kept = kept || v->from[k] == vertex;
        }
        int place = count;
        for (int k = 0; k < count; k++) {
            kept = kept || dropped[k] == vertex;
        }
        if (kept || count == OUTLINE) {
            continue;
        }
        for (; place > 0 && dropped[place - 1] < vertex; place--) {
            dropped[place] = dropped[place - 1];
        }
        dropped[place] = vertex;
        count++;
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
        for (int i = 0; i < 3; i++) {
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
        p->noise[face] = p->noise[last];
        for (int i = 0; i < 3; i++) {
            ap_polytope_link *other = &p->link[p->link[face].neighbour[i]];
            for (int k = 0; k < 3; k++) {
                other->neighbour[k] = (uint16_t)(other->neighbour[k] == last ? face : other->neighbour[k]);
            }
        }
    }
    ap_polytope_set_face_count(p, last);
}

/* Puts the fan in the place of the seen faces; further ones at the end. */
static void put_fan(ap_polytope *p, view *v, int new)
{
    const int first_free = p->face_count, count = v->edge_count;
    for (int i = v->seen_count; i < count; i++) {
        v->seen[i] = first_free + (i - v->seen_count);
    }
    if (count > v->seen_count) {
        ap_polytope_set_face_count(p, first_free + (count - v->seen_count));
    }
    int previous = v->seen[count - 1];
    for (int i = 0; i < count; i++) {
        const int f = v->seen[i], next = v->seen[i + 1 < count ? i + 1 : 0];
        ap_polytope_set_link(p, f, new, v->from[i], v->to[i], v->beyond[i], next, previous);
        p->link[v->beyond[i]].neighbour[v->corner[i]] = (uint16_t)f;
        ap_v4_store(&p->plane[4 * f], ap_v4_load(&v->plane[4 * i]));
        p->key[f] = v->key[i];
        p->noise[f] = v->noise[i];
        previous = f;
    }
}

/* Faces and vertices that are gone, when the outline held vertices inside. dropped: largest first; one number is the new vertex'. */
static void close_ranks(ap_polytope *p, view *v, const int *dropped, int dropped_count)
{
    for (int i = v->seen_count - 1; i >= v->edge_count; i--) {
        int most = i;
        for (int k = v->edge_count; k < i; k++) {
            most = v->seen[k] > v->seen[most] ? k : most;
        }
        const int face = v->seen[most];
        v->seen[most] = v->seen[i];
        remove_face(p, face);
    }
    for (int i = 0; i < dropped_count; i++) {
        remove_vertex(p, dropped[i]);
    }
}

bool ap_polytope_insert(ap_polytope *p, int face, const ap_simplex_vertex *point)
{
    view v;
    int dropped[OUTLINE], dropped_count = 0;
    if (!look(&v, p, face, point->w) || v.edge_count < 3 || !is_simple(&v) || !set_fan(&v, p, point->w)) {
        return ap_polytope_insert_by_flips(p, face, point);
    }
    if (v.edge_count != v.seen_count + 2) {
        dropped_count = find_dropped(&v, p, dropped);
    }
    if (dropped_count == 0 && p->vertex_count == p->capacity) {
        return false;
    }
    const int new = dropped_count > 0 ? dropped[--dropped_count] : p->vertex_count++;
    ap_polytope_put_vertex(p, new, point);
    put_fan(p, &v, new);
    if (v.seen_count > v.edge_count || dropped_count > 0) {
        close_ranks(p, &v, dropped, dropped_count);
    }
    return true;
}
