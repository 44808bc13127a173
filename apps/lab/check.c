/* Answers that are believed only when checked: by apart_verify, which shares no search or solver with the query, and on
 * a sample in whole numbers (exact.c), which shares nothing at all. */
#include <math.h>

#include "exact.h"
#include "kit.h"

/* One of this many answers is also checked in whole numbers. */
#define SAMPLE 50u
/* ... if its bodies have at most so many vertices: the exact search evaluates all of them. */
#define MOST_EXACT 1000u

bool lab_check_result(lab_section *s, const apart_hull *a, const apart_shape *shape_a, const apart_pose *pose_a,
                      const apart_hull *b, const apart_shape *shape_b, const apart_pose *pose_b,
                      const apart_result *result, bool exactly)
{
    apart_proof proof;
    lab_answers *n = &s->answers;
    bool good =
        apart_verify(shape_a, pose_a, shape_b, pose_b, result, &proof) == APART_OK && proof.verdict != APART_REFUTED;
    n->refuted += !good;
    n->proved += good && proof.verdict == APART_PROVED;
    n->undecided += good && proof.verdict == APART_UNDECIDED;
    if (exactly) {
        lab_exact_answer exact;
        const lab_exact_outcome outcome = lab_exact_check(a, pose_a, b, pose_b, result, &exact);
        n->exact += outcome == LAB_EXACT_HOLDS;
        n->exact_wrong += outcome == LAB_EXACT_FAILS;
        n->exact_beyond += outcome == LAB_EXACT_BEYOND;
        good = good && outcome != LAB_EXACT_FAILS;
    }
    return good;
}

/* Does an answer agree with the proved one? Certified ones by their bounds, the routine's by their value. */
static bool agrees(const apart_result *proved, const apart_result *other, bool certified, double size)
{
    if (certified) {
        return other->lower <= proved->upper && proved->lower <= other->upper;
    }
    const double expected = fmax(proved->distance, 0.0);
    return fabs(other->distance - expected) <= LAB_WRONG * size;
}

void lab_check_world(lab_section *s, const lab_world *w, const lab_algorithm_id *ids, size_t count, bool tracked,
                     uint32_t most, uint64_t *wrong)
{
    const lab_scene *scene = &w->scene;
    const uint32_t queries = scene->pairs * scene->steps,
                   pairs = queries <= most ? scene->pairs : (most + scene->steps - 1) / scene->steps;
    for (uint32_t pair = 0; pair < pairs; pair++) {
        const uint32_t body = pair % w->bodies;
        lab_memory memory[LAB_ALGORITHM_COUNT] = {0}, ours = {0};
        for (uint32_t step = 0; step < scene->steps; step++) {
            const apart_pose *pose_b = lab_pose_b(w, pair, step);
            apart_result proved, other;
            const bool exactly =
                (pair * scene->steps + step) % SAMPLE == 0 && scene->n_a <= MOST_EXACT && scene->n_b <= MOST_EXACT;
            lab_query(w, LAB_OURS, pair, step, NULL, tracked ? &ours : NULL, &proved);
            lab_check_result(s, w->hull_a[body], &w->shape_a[body], &w->pose_a[pair], w->hull_b[body],
                             &w->shape_b[body], pose_b, &proved, exactly);
            const double size = 4.0 + apart_vec3_distance(pose_b->translation, w->pose_a[pair].translation);
            for (size_t i = 0; i < count; i++) {
                const bool certified = !lab_algorithms[ids[i]].printed;
                lab_query(w, ids[i], pair, step, NULL, tracked ? &memory[i] : NULL, &other);
                const bool good = agrees(&proved, &other, certified, size);
                s->answers.compared++;
                s->answers.differing += !good && certified;
                wrong[i] += !good;
            }
        }
    }
}

void lab_check_scene(lab_section *s, const lab_scene *scene, const lab_algorithm_id *ids, size_t count, bool tracked,
                     uint32_t most, uint64_t *wrong)
{
    lab_world world;
    lab_world_build(&world, scene);
    lab_check_world(s, &world, ids, count, tracked, most, wrong);
    lab_world_free(&world);
}

void lab_conclude_answers(lab_section *s)
{
    const lab_answers *n = &s->answers;
    lab_words(s,
              "<b>Answers.</b> Checked by <code>apart_verify</code>, which shares no search or solver code with the "
              "query: %llu proved, %llu undecided, %llu refuted. Checked in exact whole-number arithmetic (a sample): "
              "%llu within the claimed bounds, %llu outside, %llu beyond that check's range. Answers of other "
              "algorithms compared with a proved one: %llu, of which %llu certified ones differ.",
              (unsigned long long)n->proved, (unsigned long long)n->undecided, (unsigned long long)n->refuted,
              (unsigned long long)n->exact, (unsigned long long)n->exact_wrong, (unsigned long long)n->exact_beyond,
              (unsigned long long)n->compared, (unsigned long long)n->differing);
    lab_must(s, n->refuted == 0 && n->proved > 0,
             "apart_verify refutes none of the answers: %llu proved, %llu undecided, %llu refuted",
             (unsigned long long)n->proved, (unsigned long long)n->undecided, (unsigned long long)n->refuted);
    if (!s->no_sample) {
        lab_must(s, n->exact_wrong == 0 && n->exact > 0,
                 "exact arithmetic finds every sampled answer within its bounds: %llu inside, %llu outside",
                 (unsigned long long)n->exact, (unsigned long long)n->exact_wrong);
    }
    if (n->compared == 0) {
        return;
    }
    lab_must(s, n->differing == 0, "all certified algorithms agree with the proved answers: %llu of %llu differ",
             (unsigned long long)n->differing, (unsigned long long)n->compared);
}
