/* Bytes as an archive of a compound and of a world: a status, or something that is written with the same bytes again,
 * and that can be asked. */
#include <apart/archive.h>

#include "fuzz.h"

enum { MOST_BODIES = 64, HASH_AT = 24, REST_AT = 32 };

/* Changed bytes would be refused for their hash alone: size and hash of the header are made to fit. */
static uint8_t *with_fitting_header(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    uint64_t hash = UINT64_C(14695981039346656037);
    check(copy != NULL, "there is memory");
    memcpy(copy, data, size);
    for (size_t i = REST_AT; i < size; i++)
        hash = (hash ^ copy[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < 8 && size >= REST_AT; i++) {
        copy[HASH_AT - 8 + i] = (uint8_t)((uint64_t)size >> (8 * i));
        copy[HASH_AT + i] = (uint8_t)(hash >> (8 * i));
    }
    return copy;
}

static void check_compound(const uint8_t *data, size_t size)
{
    apart_compound *c = NULL, *again = NULL;
    size_t needed = 0, more = 0;
    const apart_status status = apart_compound_read(data, size, NULL, &c);
    check((status == APART_OK) == (c != NULL), "a compound, or a status");
    if (c == NULL)
        return;
    check(apart_compound_write(c, NULL, 0, &needed) == APART_ERR_SIZE || needed > 0, "its size is known");
    uint8_t *copy = malloc(needed);
    check(copy != NULL && apart_compound_write(c, copy, needed, &more) == APART_OK && more == needed,
          "what was read can be written");
    check(apart_compound_read(copy, needed, NULL, &again) == APART_OK, "what was written can be read");
    check(apart_compound_count(c) == apart_compound_count(again), "it has as many parts");
    const apart_pose here = apart_pose_identity(), there = apart_pose_translation(0.5, 0.25, 1.0);
    apart_compound_result r, s;
    const apart_status asked =
        apart_compound_distance(apart_solid_compound(c), &here, apart_solid_compound(c), &there, NULL, NULL, &r);
    check(asked == apart_compound_distance(apart_solid_compound(again), &here, apart_solid_compound(again), &there,
                                           NULL, NULL, &s),
          "a copy has the same status");
    check(asked != APART_OK || (r.result.lower == s.result.lower && r.result.upper == s.result.upper),
          "a copy has the same bounds");
    free(copy);
    apart_compound_free(again);
    apart_compound_free(c);
}

static void check_world(const uint8_t *data, size_t size)
{
    const apart_world_options options = {.max_bodies = MOST_BODIES};
    apart_world *w = NULL;
    size_t needed = 0, more = 0;
    const apart_status status = apart_world_read(data, size, &options, &w);
    check((status == APART_OK) == (w != NULL), "a world, or a status");
    if (w == NULL)
        return;
    (void)apart_world_write(w, NULL, 0, &needed);
    uint8_t *copy = malloc(needed);
    check(copy != NULL && apart_world_write(w, copy, needed, &more) == APART_OK && more == needed,
          "what was read can be written");
    apart_world *again = NULL;
    check(apart_world_read(copy, needed, &options, &again) == APART_OK, "what was written can be read");
    free(copy);
    apart_world_free(again);
    apart_world_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *fitting = with_fitting_header(data, size);
    check_compound(fitting, size);
    check_world(fitting, size);
    free(fitting);
    return 0;
}
