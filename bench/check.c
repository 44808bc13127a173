/* Which answers are wrong? apart is asked again, query by query with its caches, its results go to apart_verify, and
 * the certified bounds become the reference for every library. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

static double size_of(const apart_shape *shape)
{
    apart_vec3 center;
    double radius = 0.0;
    apart_shape_ball(shape, &center, &radius);
    return radius;
}

/* Does the answer that was timed lie within the certified bounds of the repeated one (which has no surface from the
 * last step), and do its own statements hold together? */
static bool sound(const bench_case *c, const apart_result *r, double answer, double allowed)
{
    if (c->question == BENCH_OVERLAP) {
        return answer == 1.0 ? r->lower <= 0.0 : answer == 0.0 && r->upper >= 0.0;
    }
    return r->lower <= answer && answer <= r->upper && r->lower <= r->distance && r->distance <= r->upper &&
           r->upper - r->lower <= allowed;
}

bench_reference *bench_check_apart(const bench_case *c, const double *answers, const bench_effort *effort)
{
    const size_t count = c->steps * c->pair_count;
    bench_reference *ref = bench_allocate(1, sizeof *ref);
    ref->lower = bench_allocate(count, sizeof *ref->lower);
    ref->upper = bench_allocate(count, sizeof *ref->upper);
    ref->allowed = bench_allocate(count, sizeof *ref->allowed);
    ref->first = c->tracked ? c->pair_count : 0;
    ref->end = count;
    apart_cache *caches = bench_allocate(c->pair_count, sizeof *caches);
    const double deadline = bench_seconds() + effort->proof_seconds;
    size_t wrong = 0, loops = 0;
    for (size_t query = 0; query < count; query++) {
        const size_t pair = query % c->pair_count;
        const apart_shape *a = &c->bodies[c->pairs[pair].a], *b = &c->bodies[c->pairs[pair].b];
        const apart_pose *pose_a = &c->poses_a[query], *pose_b = &c->poses_b[query];
        apart_result r = {0};
        const apart_status status = apart_distance(a, pose_a, b, pose_b, NULL, c->tracked ? &caches[pair] : NULL, &r);
        ref->lower[query] = r.lower;
        ref->upper[query] = r.upper;
        ref->allowed[query] = 1e-6 * (size_of(a) + size_of(b));
        if (query < ref->first) {
            continue;
        }
        apart_proof proof = {.verdict = APART_UNDECIDED};
        if (status == APART_OK && bench_seconds() < deadline) {
            apart_verify(a, pose_a, b, pose_b, &r, &proof);
        }
        ref->proved += proof.verdict == APART_PROVED;
        loops += r.iterations;
        wrong +=
            status != APART_OK || proof.verdict == APART_REFUTED || !sound(c, &r, answers[query], ref->allowed[query]);
    }
    free(caches);
    ref->wrong = (double)wrong / (double)(ref->end - ref->first);
    ref->loops = (double)loops / (double)(ref->end - ref->first);
    return ref;
}

static bool is_wrong(const bench_case *c, const bench_reference *ref, size_t query, double answer)
{
    if (c->question == BENCH_OVERLAP) {
        /* Bodies that touch within the allowed error may be called either way. */
        return answer == 1.0 ? ref->lower[query] > ref->allowed[query] : ref->upper[query] < -ref->allowed[query];
    }
    const bool false_contact = answer <= 0.0 && ref->lower[query] > 0.0;
    const bool close =
        answer >= ref->lower[query] - ref->allowed[query] && answer <= ref->upper[query] + ref->allowed[query];
    return false_contact || !close; /* a NaN is not close */
}

double bench_wrong_share(const bench_case *c, const bench_reference *ref, const double *answers)
{
    size_t wrong = 0;
    for (size_t query = ref->first; query < ref->end; query++) {
        wrong += is_wrong(c, ref, query, answers[query]);
    }
    return (double)wrong / (double)(ref->end - ref->first);
}

void bench_free_reference(bench_reference *ref)
{
    free(ref->lower);
    free(ref->upper);
    free(ref->allowed);
    free(ref);
}
