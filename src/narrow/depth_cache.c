/* The surface of a depth search in the caller's memory: a larger workspace, and the start of the next search.
 *
 * Source: the warm start with a certificate of this project's design: if every triangle of the cached closed surface still has the
 * origin strictly inside, rays from the origin still meet it all around, so its nearest face bounds the depth from below again.
 * Only the combinatorics are kept, and they are believed only under the seal that they were stored with: coordinates are evaluated
 * anew from vertex numbers. */
#include "depth_lanes.h"
#include "depth_surface.h"

/* A surface that has outgrown its fresh size by this factor is rebuilt: old vertices cost time and dent it. */
#define GROWTH 2

struct apart_depth_cache {
    uint32_t tag;          /* of the pair; 0: empty */
    uint32_t capacity;     /* vertices */
    int32_t vertex_count, face_count;
    int32_t fresh_count;   /* vertices after the last fresh build */
    uint32_t reserved[9];
    uint64_t seal;         /* of the combinatorics as they were stored */
}; /* 64 bytes, then the surface's arrays */

apart_status apart_depth_cache_init(void *memory, size_t size, apart_depth_cache **out)
{
    if (memory == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (size < APART_DEPTH_CACHE_BYTES(8) || (uintptr_t)memory % sizeof(double) != 0) {
        return APART_ERR_SIZE;
    }
    const size_t vertices = (size - sizeof(apart_depth_cache)) / (APART_DEPTH_CACHE_BYTES(1) - sizeof(apart_depth_cache));
    apart_depth_cache *cache = memory;
    *cache = (apart_depth_cache){.capacity = (uint32_t)(vertices < AP_POLYTOPE_MOST_VERTICES ? vertices : AP_POLYTOPE_MOST_VERTICES)};
    *out = cache;
    return APART_OK;
}

void apart_depth_cache_clear(apart_depth_cache *cache)
{
    if (cache != NULL) {
        cache->tag = 0;
    }
}

int ap_depth_cache_room(const apart_depth_cache *cache, const ap_pair *pair)
{
    const int room = (int)cache->capacity;
    return pair->vertices ? room : room * AP_POLYTOPE_BYTES / AP_POLYTOPE_BYTES_WITH_POINTS;
}

void ap_depth_cache_open(apart_depth_cache *cache, const ap_pair *pair, ap_polytope *p)
{
    cache->tag = 0;
    ap_polytope_init(p, (char *)cache + sizeof(apart_depth_cache), ap_depth_cache_room(cache, pair), pair);
}

/* A number that changes with every part of the combinatorics: two polynomials in an odd base, modulo 2^64. */
static uint64_t seal_of(const ap_polytope *p)
{
    const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t vertices = (uint64_t)p->vertex_count, corners = (uint64_t)p->face_count, others = 1;
    for (int i = 0; i < p->vertex_count; i++) {
        vertices = vertices * base + (p->index[2 * i] | (uint64_t)p->index[2 * i + 1] << 32);
    }
    for (int f = 0; f < p->face_count; f++) {
        uint64_t word[2];
        memcpy(&word[0], &p->corner[4 * f], sizeof word[0]);
        memcpy(&word[1], &p->twin[4 * f], sizeof word[1]);
        corners = corners * base + word[0];
        others = others * base + word[1];
    }
    return (vertices * base + corners) * base + others;
}

static bool in_range(const ap_polytope *p, const ap_pair *pair)
{
    bool fine = true;
    for (int i = 0; i < p->vertex_count; i++) {
        fine &= p->index[2 * i] < pair->count_a && p->index[2 * i + 1] < pair->count_b;
    }
    return fine;
}

/* A matrix column in lanes. */
static inline ap_v4 column(apart_vec3 c) { return (ap_v4){c.x, c.y, c.z, 0.0}; }

/* The vertices of two hulls at the new poses: ap_pair_vertex with the coordinates in lanes, bit for bit. */
static void evaluate_hulls(ap_polytope *p, ap_pair *pair)
{
    const apart_mat3 *ma = pair->rotation_a, *mb = pair->rotation_b;
    const ap_v4 ax = column(ma->x), ay = column(ma->y), az = column(ma->z);
    const ap_v4 bx = column(mb->x), by = column(mb->y), bz = column(mb->z), offset = column(pair->offset);
    const double s = pair->scale;
    for (int i = 0; i < p->vertex_count; i++) {
        const apart_vec3 a = ap_hull_local(pair->a->u.hull, p->index[2 * i]), b = ap_hull_local(pair->b->u.hull, p->index[2 * i + 1]);
        const ap_v4 at_a = (ax * ap_v4_all(s * a.x) + ay * ap_v4_all(s * a.y)) + az * ap_v4_all(s * a.z);
        const ap_v4 at_b = (bx * ap_v4_all(s * b.x) + by * ap_v4_all(s * b.y)) + bz * ap_v4_all(s * b.z);
        ap_v4_store(&p->w[4 * i], (at_b + offset) - at_a);
    }
    pair->transformed += 2 * (uint32_t)p->vertex_count;
}

/* The vertices at the new poses. */
static void evaluate(ap_polytope *p, ap_pair *pair)
{
    if (pair->a->kind == APART_SHAPE_HULL && pair->b->kind == APART_SHAPE_HULL) {
        evaluate_hulls(p, pair);
        return;
    }
    for (int i = 0; i < p->vertex_count; i++) {
        ap_simplex_vertex now;
        ap_pair_vertex(pair, p->index[2 * i], p->index[2 * i + 1], &now);
        ap_v4_store(&p->w[4 * i], column(now.w));
    }
}

bool ap_depth_cache_load(apart_depth_cache *cache, ap_pair *pair, ap_polytope *p)
{
    if (cache->tag != ap_pair_tag(pair) || !pair->vertices || cache->vertex_count > GROWTH * cache->fresh_count ||
        cache->vertex_count < 4 || cache->vertex_count > (int32_t)cache->capacity || cache->face_count < 4 ||
        cache->face_count > AP_POLYTOPE_FACES(cache->vertex_count)) {
        return false;
    }
    ap_polytope_init(p, (char *)cache + sizeof(apart_depth_cache), (int)cache->capacity, pair);
    p->vertex_count = cache->vertex_count;
    p->face_count = cache->face_count;
    if (cache->seal != seal_of(p) || !in_range(p, pair)) {
        return false;
    }
    evaluate(p, pair);
    return ap_polytope_refresh(p);
}

void ap_depth_cache_store(apart_depth_cache *cache, const ap_pair *pair, const ap_polytope *p, bool fresh)
{
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
