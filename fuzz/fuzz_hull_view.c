/* Any bytes as a hull block: refused, or safe to use. */
#include "fuzz.h"

/* Touches everything a hull gives out. */
static void walk(const apart_hull *hull)
{
    const uint32_t *list;
    uint32_t ends[2], ring_total = 0;
    const uint32_t n = apart_hull_vertex_count(hull);
    check(n > 0 && apart_hull_dimension(hull) >= 0 && apart_hull_dimension(hull) <= 3, "a hull has vertices and a dimension");
    for (uint32_t i = 0; i < n; i++) {
        const apart_vec3 v = apart_hull_vertex(hull, i);
        check(isfinite(v.x) && isfinite(v.y) && isfinite(v.z), "vertices are finite");
        (void)apart_hull_input_index(hull, i);
        const uint32_t count = apart_hull_neighbours(hull, i, &list);
        for (uint32_t k = 0; k < count; k++)
            check(list[k] < n, "neighbours are in range");
        ring_total += count;
    }
    check(ring_total == 2 * apart_hull_edge_count(hull), "every edge has two ends");
    for (uint32_t e = 0; e < apart_hull_edge_count(hull); e++) {
        apart_hull_edge(hull, e, ends);
        check(ends[0] < ends[1] && ends[1] < n, "edges are in range");
    }
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        const uint32_t count = apart_hull_face(hull, f, &list);
        check(count >= 3, "a face has three vertices");
        for (uint32_t k = 0; k < count; k++)
            check(list[k] < n, "face vertices are in range");
        (void)apart_hull_face_normal(hull, f);
    }
    (void)apart_hull_volume(hull);
    (void)apart_hull_area(hull);
}

/* A block with foreign geometry may give a foreign answer, but a number, and soon. */
static void query(const apart_hull *hull)
{
    const apart_shape a = apart_hull_shape(hull), b = apart_box((apart_vec3){0.5, 0.25, 1.0});
    const apart_pose pose_a = apart_pose_identity();
    for (int support = 0; support < APART_SUPPORT_COUNT; support++) {
        for (int step = 0; step < 3; step++) {
            const apart_options options = {.support = (uint8_t)support};
            const apart_pose pose_b = apart_pose_translation(1.5 * step, 0.25, -0.125 * step);
            apart_result r;
            if (apart_distance(&a, &pose_a, &b, &pose_b, &options, NULL, &r) == APART_OK)
                check(!isnan(r.distance) && !isnan(r.lower) && !isnan(r.upper), "the answer is a number");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const apart_hull *hull = NULL;
    void *memory = malloc(size > 0 ? size : 1);
    check(memory != NULL, "there is memory");
    if (size > 0)
        memcpy(memory, data, size);
    if (apart_hull_view(memory, size, &hull) == APART_OK) {
        check(apart_hull_size(hull) <= size, "the hull lies in its memory");
        walk(hull);
        query(hull);
    }
    free(memory);
    return 0;
}
