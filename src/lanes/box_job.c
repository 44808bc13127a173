/* The feature that the first step of a pair of boxes evaluates: from the cache, or from the centres. */
#include "box_feature.h"
#include "box_lanes.h"

/* Numbers that are not a legal pair of free axes have an empty mask, so that they never count as a feature. */
#define MASK(first, second)                                                                                  \
    ((first) == 7u || (second) == 7u || ((first) == (second) && (first) != AP_NO_AXIS) || (first) > (second) \
         ? 0u                                                                                                \
         : AP_BOX_HAS_FEATURE | ((1u << (first) | 1u << (second)) & 63u))
#define MASKS(second)                                                                                           \
    MASK(0u, second), MASK(1u, second), MASK(2u, second), MASK(3u, second), MASK(4u, second), MASK(5u, second), \
        MASK(6u, second), MASK(7u, second)

const uint16_t ap_box_flags_mask[64] = {MASKS(0u), MASKS(1u), MASKS(2u), MASKS(3u),
                                        MASKS(4u), MASKS(5u), MASKS(6u), MASKS(7u)};

/* The feature that contains the cached simplex, or a part of it. Returns false if the cache has no valid simplex. */
static bool read_feature(const apart_cache *cache, ap_box_feature *feature)
{
    const uint32_t *a = cache->index_a, *b = cache->index_b;
    const unsigned count = cache->count;
    uint32_t changing = 0;
    if (count < 1 || count > 3) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (a[i] > 7u || b[i] > 7u) {
            return false;
        }
        changing |= (a[0] ^ a[i]) | (b[0] ^ b[i]) << 3;
    }
    const uint32_t first = ap_lowest_bit(changing | 1u << AP_NO_AXIS);
    const uint32_t second = ap_lowest_bit((changing & (changing - 1u)) | 1u << AP_NO_AXIS);
    *feature = ap_box_feature_of((a[0] ^ 7u) | b[0] << 3, first, second);
    return true;
}

/* The support vertex of the Minkowski difference against the vector between the centres. Returns false if that
 * direction does not separate the boxes: most likely they overlap. */
static bool first_vertex(const ap_lane_job *job, ap_box_feature *feature)
{
    const apart_vec3 offset = ap_sub(job->pose_b->translation, job->pose_a->translation);
    const apart_vec3 a = ap_apply_transposed(&job->pose_a->rotation, offset),
                     b = ap_apply_transposed(&job->pose_b->rotation, offset);
    const apart_vec3 half_a = *job->half_a, half_b = *job->half_b;
    const double slope[AP_BOX_AXES] = {a.x, a.y, a.z, b.x, b.y, b.z};
    const double half[AP_BOX_AXES] = {half_a.x, half_a.y, half_a.z, half_b.x, half_b.y, half_b.z};
    double separation = ap_dot(offset, offset);
    uint32_t away = 0;
    for (uint32_t k = 0; k < AP_BOX_AXES; k++) {
        away |= slope[k] < 0.0 ? 1u << k : 0u;
        separation -= half[k] * fabs(slope[k]);
    }
    *feature = ap_box_feature_of(away, AP_NO_AXIS, AP_NO_AXIS);
    return separation > 0.0;
}

bool ap_box_job_start(ap_lane_job *job)
{
    const apart_cache *cache = job->cache;
    const bool known = cache != NULL && cache->tag == ap_box_tag();
    ap_box_feature feature;
    if (known && (cache->count == 0 || cache->count == 4)) {
        return false;
    }
    if ((!known || !read_feature(cache, &feature)) && !first_vertex(job, &feature)) {
        return false;
    }
    job->state = (int64_t)(feature | 1u << AP_BOX_UNSAVED_BIT) | AP_BOX_FIRST_STEP;
    return true;
}
