/* The polytope of a depth search in the memory of the caller: a larger workspace, and the warm start of the next
 * search.
 *
 * Source: a warm start with a certificate, of this project's design: if every triangle of the cached closed surface
 * still has the origin strictly inside, rays from the origin still meet it all around, so its nearest face bounds the
 * depth from below again. Only the combinatorics are kept, and they are used only under the seal that they were stored
 * with: coordinates are evaluated anew from vertex numbers. */
#include "depth_search.h"

/* A polytope that has outgrown its fresh size by this factor is rebuilt: old vertices cost time and dent it. */
#define GROWTH 2

bool ap_depth_cache_open(apart_depth_cache *cache, const ap_pair *pair, ap_polytope *p)
{
    int room = (int)cache->capacity;
    if (!pair->vertices) {
        room = room * AP_POLYTOPE_BYTES / AP_POLYTOPE_BYTES_WITH_POINTS;
    }
    if (pair->dim == 2 || (!pair->vertices && room < AP_POLYTOPE_VERTICES)) {
        return false;
    }
    cache->tag = 0;
    ap_polytope_init(p, (char *)cache + sizeof(apart_depth_cache), room, pair);
    return true;
}

/* Adds numbers to a seal: eight polynomials in an odd base modulo 2^32 side by side, the rest by one modulo 2^64.
 * bytes: a multiple of 8. */
static inline uint64_t add_to_seal(uint64_t seal, const void *data, size_t bytes)
{
    const uint32_t base = 0x9e3779b1u;
    const char *at = data, *end = at + bytes;
    static const uint32_t first[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ap_words lanes;
    memcpy(&lanes, first, sizeof lanes);
    for (; end - at >= 32; at += 32) {
        ap_words words;
        memcpy(&words, at, sizeof words);
        lanes = ap_words_multiply_add(lanes, base, words);
    }
    uint64_t rest[4];
    memcpy(rest, &lanes, sizeof rest);
    for (int i = 0; i < 4; i++) {
        seal = seal * UINT64_C(0x9e3779b97f4a7c15) + rest[i];
    }
    for (; at < end; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        seal = seal * UINT64_C(0x9e3779b97f4a7c15) + word;
    }
    return seal;
}

/* A number that changes with every part of the combinatorics. */
static uint64_t seal_of(const ap_polytope *p)
{
    const size_t vertices = (size_t)p->vertex_count, faces = (size_t)p->face_count;
    uint64_t seal = add_to_seal((uint64_t)vertices << 32 | faces, p->index, 8 * vertices);
    seal = add_to_seal(seal, p->corner, 8 * faces);
    return add_to_seal(seal, p->twin, 8 * faces);
}

/* Are the vertex numbers those of vertices of the bodies? */
static bool has_legal_numbers(const ap_polytope *p, const ap_pair *pair)
{
    uint32_t a = 0, b = 0;
    for (int i = 0; i < p->vertex_count; i++) {
        a = p->index[2 * i] > a ? p->index[2 * i] : a;
        b = p->index[2 * i + 1] > b ? p->index[2 * i + 1] : b;
    }
    return a < pair->count_a && b < pair->count_b;
}

/* The vertices of two hulls at the new poses, bit for bit as ap_pair_vertex has them. The scale is a power of two: it
 * may as well be multiplied into the matrix. */
static void transform_hull_vertices(ap_polytope *p, ap_pair *pair)
{
    const apart_mat3 *ma = pair->rotation_a, *mb = pair->rotation_b;
    const ap_hull_vertex *at_a = ap_hull_records(pair->a->u.hull), *at_b = ap_hull_records(pair->b->u.hull);
    const ap_lanes s = ap_lanes_all(pair->scale), offset = ap_lanes_from(pair->offset);
    const ap_lanes ax = ap_lanes_mul(s, ap_lanes_from(ma->x)), ay = ap_lanes_mul(s, ap_lanes_from(ma->y)),
                   az = ap_lanes_mul(s, ap_lanes_from(ma->z));
    const ap_lanes bx = ap_lanes_mul(s, ap_lanes_from(mb->x)), by = ap_lanes_mul(s, ap_lanes_from(mb->y)),
                   bz = ap_lanes_mul(s, ap_lanes_from(mb->z));
    const uint32_t *index = p->index;
    for (int i = 0; i < p->vertex_count; i++, index += 2) {
        const double *a = at_a[index[0]].point, *b = at_b[index[1]].point;
        const ap_lanes from =
            ap_lanes_sum3(ap_lanes_scale(a[0], ax), ap_lanes_scale(a[1], ay), ap_lanes_scale(a[2], az));
        const ap_lanes to = ap_lanes_sum3(ap_lanes_scale(b[0], bx), ap_lanes_scale(b[1], by), ap_lanes_scale(b[2], bz));
        ap_lanes_store(&p->w[4 * i], ap_lanes_sub(ap_lanes_add(to, offset), from));
    }
    pair->transformed += 2 * (uint32_t)p->vertex_count;
}

/* The vertices of the polytope at the new poses. */
static void transform_vertices(ap_polytope *p, ap_pair *pair, const ap_vertex_sets *vertices)
{
    if (vertices == NULL && pair->a->kind == APART_SHAPE_HULL && pair->b->kind == APART_SHAPE_HULL) {
        transform_hull_vertices(p, pair);
        return;
    }
    for (int i = 0; i < p->vertex_count; i++) {
        const uint32_t a = p->index[2 * i], b = p->index[2 * i + 1];
        ap_simplex_vertex now;
        if (vertices != NULL) {
            ap_lanes_store(&p->w[4 * i], ap_vertices_difference(vertices, a, b));
        } else {
            ap_pair_vertex(pair, a, b, &now);
            ap_lanes_store(&p->w[4 * i], ap_lanes_load(&now.w));
        }
    }
}

bool ap_depth_cache_fits(const apart_depth_cache *cache, const ap_pair *pair)
{
    return cache->tag == ap_pair_tag(pair) && pair->vertices && cache->vertex_count <= GROWTH * cache->fresh_count &&
           cache->vertex_count >= 4 && cache->vertex_count <= (int32_t)cache->capacity && cache->face_count >= 4 &&
           cache->face_count <= AP_POLYTOPE_FACES(cache->vertex_count);
}

bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, const ap_vertex_sets *vertices, ap_polytope *p)
{
    ap_polytope_init(p, (char *)cache + sizeof(apart_depth_cache), (int)cache->capacity, pair);
    p->vertex_count = cache->vertex_count;
    p->face_count = cache->face_count;
    if (cache->seal != seal_of(p) || !has_legal_numbers(p, pair)) {
        return false;
    }
    transform_vertices(p, pair, vertices);
    p->changed = false;
    return ap_polytope_refresh(p);
}

void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh)
{
    if (!fresh && !p->changed) {
        return;
    }
    cache->tag = pair->vertices && p->face_count > 0 ? ap_pair_tag(pair) : 0;
    cache->vertex_count = p->vertex_count;
    cache->face_count = p->face_count;
    if (cache->tag != 0) {
        cache->seal = seal_of(p);
    }
    if (fresh) {
        cache->fresh_count = p->vertex_count + 4;
    }
}

/* ---- without such a cache: what four vertices can keep ---- */

/* How far the three faces between a vertex and the sides of a face are from the origin; negative if it is not between
 * them all. */
static double room_around(apart_vec3 p, apart_vec3 q, apart_vec3 r, apart_vec3 x)
{
    const apart_vec3 corner[4] = {p, q, r, p};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const apart_vec3 n = ap_cross(ap_sub(x, corner[i]), ap_sub(corner[i + 1], corner[i]));
        least = ap_min(least, ap_dot(n, corner[i]) / ap_norm(n));
    }
    return least;
}

void ap_depth_keep_face(const ap_polytope *p, ap_gjk *g)
{
    ap_nearest_face face;
    ap_polytope_nearest(p, &face);
    if (face.index < 0) {
        return;
    }
    int corner[4] = {0, 0, 0, -1};
    apart_vec3 at[3];
    for (int i = 0; i < 3; i++) {
        corner[i] = ap_polytope_corner(p, face.index, i);
        at[i] = ap_polytope_point(p, corner[i]);
    }
    double most = 0.0;
    for (int i = 0; i < p->vertex_count; i++) {
        const double room = room_around(at[0], at[1], at[2], ap_polytope_point(p, i));
        if (room > most) {
            most = room;
            corner[3] = i;
        }
    }
    if (corner[3] < 0) {
        return;
    }
    g->simplex.count = 4;
    for (int i = 0; i < 4; i++) {
        g->simplex.vertex[i].index_a = p->index[2 * corner[i]];
        g->simplex.vertex[i].index_b = p->index[2 * corner[i] + 1];
    }
}
