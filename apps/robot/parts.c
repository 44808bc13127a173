/* The distance of two bodies of a few parts each: all pairs of parts, each with a cache of its own, which a tree of
 * parts has not. The pair that was nearest last time comes first, and the others are asked only whether they are
 * nearer. */
#include <float.h>
#include <math.h>

#include "motion.h"

/* More pairs of parts than this go to the tree. */
enum { MOST_CACHES = 64 };

typedef struct part_pair {
    const apart_shape *shapes[2];
    apart_pose poses[2];
} part_pair;

size_t robot_pair_caches(const robot_body *a, const robot_body *b)
{
    return a->part_count <= MOST_CACHES && b->part_count <= MOST_CACHES / a->part_count ? a->part_count * b->part_count
                                                                                        : 0;
}

/* A body's part where it is; the solid of a single part is the part itself. */
static void place_part(const robot_body *body, const apart_pose *pose, size_t part, int side, part_pair *out)
{
    out->shapes[side] = &body->parts[part].shape;
    out->poses[side] = body->compound != NULL ? apart_pose_compose(pose, &body->parts[part].pose) : *pose;
}

/* At least this far apart, by bounding spheres of the parts. */
static double ball_gap(const part_pair *p)
{
    apart_vec3 centers[2];
    double radii[2];
    for (int i = 0; i < 2; i++) {
        if (p->shapes[i]->kind == APART_SHAPE_HALF_SPACE) {
            return -INFINITY;
        }
        centers[i] = apart_pose_apply(&p->poses[i], p->shapes[i]->center);
        radii[i] = p->shapes[i]->bound + p->shapes[i]->radius + p->shapes[i]->error;
    }
    return apart_vec3_distance(centers[1], centers[0]) * (1.0 - 1e-12) - (radii[0] + radii[1]) * (1.0 + 1e-12);
}

/* Only what is nearer than the best matters; overlap beats any gap. */
static double cutoff_of(const apart_options *options, const apart_compound_result *best, bool found)
{
    const double own = options->cutoff > 0.0 ? options->cutoff : INFINITY;
    const double limit = found ? fmax(best->result.distance, DBL_MIN) : INFINITY;
    const double least = fmin(own, limit);
    return isfinite(least) ? least : 0.0;
}

apart_status robot_pair_distance(robot_cell *cell, robot_pair *pair, const apart_pose *pose_a, const apart_pose *pose_b,
                                 const apart_options *options, apart_compound_result *out)
{
    const robot_body *a = &cell->bodies[pair->bodies[0]], *b = &cell->bodies[pair->bodies[1]];
    if (pair->caches == NULL) {
        return apart_compound_distance(robot_body_solid(a), pose_a, robot_body_solid(b), pose_b, options,
                                       cell->cold ? NULL : &pair->cache, out);
    }
    const size_t count = a->part_count * b->part_count, first = cell->cold ? 0 : pair->nearest;
    apart_options own = *options;
    bool found = false;
    double lower = INFINITY; /* of all that were asked: two that are equal to rounding bound each other */
    *out = (apart_compound_result){.queries = 0};
    for (size_t k = 0; k < count; k++) {
        const size_t i = k == 0 ? first : (k <= first ? k - 1 : k);
        part_pair parts;
        apart_result r;
        place_part(a, pose_a, i / b->part_count, 0, &parts);
        place_part(b, pose_b, i % b->part_count, 1, &parts);
        if (found && ball_gap(&parts) > out->result.distance) {
            continue;
        }
        own.cutoff = cutoff_of(options, out, found);
        out->queries++;
        const apart_status status = apart_distance(parts.shapes[0], &parts.poses[0], parts.shapes[1], &parts.poses[1],
                                                   &own, cell->cold ? NULL : &pair->caches[i], &r);
        if (status != APART_OK) {
            return status;
        }
        lower = fmin(lower, r.lower);
        if (!found || r.distance < out->result.distance) {
            const uint32_t queries = out->queries;
            *out = (apart_compound_result){r, (uint32_t)(i / b->part_count), (uint32_t)(i % b->part_count), queries, 0};
            pair->nearest = i;
            found = true;
        }
    }
    out->result.lower = lower;
    return APART_OK;
}
