/* Distances at the present positions: of one pair, the nearest, the k nearest, all below a distance.
 *
 * The bodies of a pair are a few convex parts each: all pairs of parts are looked at, each with a cache of its own,
 * which a tree of parts has not. The pair that was nearest last time comes first, and the others are asked only whether
 * they are nearer. Bodies of many parts go to the trees. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../math/vec.h"
#include "robot.h"

apart_solid ap_robot_solid(const ap_robot_body *body)
{
    return body->compound != NULL ? apart_solid_compound(body->compound) : apart_solid_shape(&body->shape);
}

apart_compound_cache *ap_robot_cache_of(apart_robot_work *w, uint64_t number)
{
    ap_robot_cache *slot = &w->caches[number & (w->cell->table_size - 1)];
    if (slot->owner != number + 1 || w->cold) {
        slot->owner = number + 1;
        memset(&slot->cache, 0, sizeof slot->cache);
    }
    return &slot->cache;
}

/* A body's part where it is; the solid of a single part is the part itself. */
const apart_shape *ap_robot_part(const ap_robot_body *body, const apart_pose *pose, size_t part, apart_pose *out)
{
    *out = body->placed ? apart_pose_compose(pose, &body->public.parts[part].pose) : *pose;
    return &body->public.parts[part].shape;
}

static bool is_bundled(const ap_robot_body *body) { return body->public.part_count > AP_ROBOT_MOST_PIECES; }

size_t ap_robot_piece_count(const ap_robot_body *body)
{
    return (is_bundled(body) ? 1 : body->public.part_count) + body->public.mesh_count;
}

static void take_mesh(const ap_robot_body *body, const apart_pose *pose, size_t number, int side, ap_robot_parts *out)
{
    const apart_robot_mesh *mesh = &body->public.meshes[number];
    out->solids[side] = mesh->surface ? apart_solid_surface(mesh->mesh) : apart_solid_mesh(mesh->mesh);
    out->balls[side] = &body->balls[number];
    out->poses[side] = apart_pose_compose(pose, &mesh->pose);
    out->numbers[side] = body->public.part_count;
    for (size_t i = 0; i < number; i++) {
        out->numbers[side] += apart_mesh_inspect(body->public.meshes[i].mesh)->triangles;
    }
}

void ap_robot_take_piece(const ap_robot_body *body, const apart_pose *pose, size_t piece, int side, ap_robot_parts *out)
{
    const size_t parts = is_bundled(body) ? 1 : body->public.part_count;
    out->shapes[side] = NULL;
    out->numbers[side] = piece;
    if (piece >= parts) {
        take_mesh(body, pose, piece - parts, side, out);
    } else if (is_bundled(body)) {
        out->solids[side] = apart_solid_compound(body->compound);
        out->balls[side] = &body->parts_ball;
        out->poses[side] = *pose;
    } else {
        out->shapes[side] = ap_robot_part(body, pose, piece, &out->poses[side]);
    }
}

apart_status ap_robot_piece_distance(const ap_robot_parts *parts, const apart_options *options,
                                     apart_compound_cache *cache, apart_compound_result *out)
{
    apart_solid solids[2];
    if (parts->shapes[0] != NULL && parts->shapes[1] != NULL) {
        out->part_a = (uint32_t)parts->numbers[0];
        out->part_b = (uint32_t)parts->numbers[1];
        out->queries = 1;
        out->boxes = 0;
        return apart_distance(parts->shapes[0], &parts->poses[0], parts->shapes[1], &parts->poses[1], options,
                              &cache->cache, &out->result);
    }
    for (int i = 0; i < 2; i++) {
        solids[i] = parts->shapes[i] != NULL ? apart_solid_shape(parts->shapes[i]) : parts->solids[i];
    }
    const apart_status status =
        apart_compound_distance(solids[0], &parts->poses[0], solids[1], &parts->poses[1], options, cache, out);
    out->part_a += (uint32_t)parts->numbers[0];
    out->part_b += (uint32_t)parts->numbers[1];
    return status;
}

void ap_robot_to_front(apart_robot_work *w, size_t pair)
{
    uint32_t *order = w->order;
    size_t place = 0;
    while (order[place] != pair) {
        place++;
    }
    memmove(order + 1, order, place * sizeof *order);
    order[0] = (uint32_t)pair;
}

/* ---- parts against parts ---- */

/* At least this far apart, by bounding spheres of the parts. */
double ap_robot_part_gap(const ap_robot_parts *parts)
{
    const apart_shape *const *shapes = parts->shapes;
    apart_vec3 centers[2];
    double radii = 0.0;
    for (int i = 0; i < 2; i++) {
        if (shapes[i] == NULL) {
            centers[i] = apart_pose_apply(&parts->poses[i], parts->balls[i]->center);
            radii += parts->balls[i]->radius;
            continue;
        }
        if (shapes[i]->kind == APART_SHAPE_HALF_SPACE) {
            return -INFINITY;
        }
        centers[i] = apart_pose_apply(&parts->poses[i], shapes[i]->center);
        radii += shapes[i]->bound + shapes[i]->radius + shapes[i]->error;
    }
    return ap_norm(ap_sub(centers[1], centers[0])) * (1.0 - 1e-12) - radii * (1.0 + 1e-12);
}

/* Only what is nearer than the best matters; overlap beats any gap. */
static double cutoff_of(const apart_options *options, double best)
{
    const double own = options->cutoff > 0.0 ? options->cutoff : INFINITY;
    const double least = ap_min(own, ap_max(best, DBL_MIN));
    return isfinite(least) ? least : 0.0;
}

static apart_status distance_of_parts(apart_robot_work *w, ap_robot_moment *m, size_t number,
                                      const apart_options *options, apart_compound_result *out)
{
    const ap_robot_pair *pair = &w->cell->pairs[number];
    const size_t *bodies = pair->public.bodies;
    const ap_robot_body *a = &w->cell->bodies[bodies[0]], *b = &w->cell->bodies[bodies[1]];
    const size_t many = ap_robot_piece_count(b), count = ap_robot_piece_count(a) * many;
    const size_t first = w->cold ? 0 : w->nearest[number];
    apart_options own = *options;
    double lower = INFINITY, best = INFINITY; /* lower: of all that were asked */
    uint32_t queries = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = k == 0 ? first : (k <= first ? k - 1 : k);
        ap_robot_parts parts;
        apart_compound_result r;
        ap_robot_take_piece(a, &m->poses[bodies[0]], i / many, 0, &parts);
        ap_robot_take_piece(b, &m->poses[bodies[1]], i % many, 1, &parts);
        if (best < INFINITY && ap_robot_part_gap(&parts) > best) {
            continue;
        }
        own.cutoff = cutoff_of(options, best);
        const apart_status status = ap_robot_piece_distance(&parts, &own, ap_robot_cache_of(w, pair->cache + i), &r);
        if (status != APART_OK) {
            return status;
        }
        queries += r.queries;
        lower = ap_min(lower, r.result.lower);
        if (best == INFINITY || r.result.distance < best) {
            *out = r;
            w->nearest[number] = (uint32_t)i;
            best = r.result.distance;
        }
    }
    out->queries = queries;
    out->result.lower = lower;
    return APART_OK;
}

/* ---- spheres against spheres: the two nearest, then their distance ---- */

static apart_status distance_of_spheres(apart_robot_work *w, ap_robot_moment *m, size_t number,
                                        const apart_options *options, apart_compound_result *out)
{
    const size_t *bodies = w->cell->pairs[number].public.bodies;
    const ap_robot_body *a = &w->cell->bodies[bodies[0]], *b = &w->cell->bodies[bodies[1]];
    const apart_vec3 *p = ap_robot_place_spheres(w->cell, m, bodies[0]),
                     *q = ap_robot_place_spheres(w->cell, m, bodies[1]);
    double best = INFINITY;
    size_t at[2] = {0, 0};
    for (size_t i = 0; i < a->public.part_count; i++) {
        for (size_t k = 0; k < b->public.part_count; k++) {
            const apart_vec3 way = ap_sub(q[k], p[i]);
            const double radii = a->public.parts[i].shape.radius + b->public.parts[k].shape.radius;
            const double square = ap_dot(way, way), most = best + radii;
            if (best == INFINITY || (most > 0.0 && square < most * most)) {
                const double d = ap_norm(way) - radii;
                at[0] = d < best ? i : at[0];
                at[1] = d < best ? k : at[1];
                best = ap_min(best, d);
            }
        }
    }
    const apart_shape *shapes[2];
    apart_pose poses[2];
    apart_result r;
    shapes[0] = ap_robot_part(a, &m->poses[bodies[0]], at[0], &poses[0]);
    shapes[1] = ap_robot_part(b, &m->poses[bodies[1]], at[1], &poses[1]);
    const apart_status status = apart_distance(shapes[0], &poses[0], shapes[1], &poses[1], options, NULL, &r);
    if (status != APART_OK) {
        return status;
    }
    /* Others that are equal to rounding may be nearer by rounding. */
    const double size = a->radius + b->radius + fabs(best) + ap_max_abs(p[at[0]]) + ap_max_abs(q[at[1]]);
    r.lower = ap_min(r.lower, r.relation == APART_BEYOND ? r.lower : best) - 64.0 * DBL_EPSILON * size;
    *out = (apart_compound_result){r, (uint32_t)at[0], (uint32_t)at[1], 1, 0};
    return APART_OK;
}

/* ---- any pair ---- */

apart_status ap_robot_pair_distance(apart_robot_work *w, ap_robot_moment *m, size_t number,
                                    const apart_options *options, apart_compound_result *out)
{
    const ap_robot_pair *pair = &w->cell->pairs[number];
    const size_t *bodies = pair->public.bodies;
    const ap_robot_body *a = &w->cell->bodies[bodies[0]], *b = &w->cell->bodies[bodies[1]];
    ap_robot_place_body(w->cell, m, bodies[0]);
    ap_robot_place_body(w->cell, m, bodies[1]);
    if (pair->way == AP_ROBOT_SPHERES) {
        return distance_of_spheres(w, m, number, options, out);
    }
    if (pair->way == AP_ROBOT_PIECES) {
        return distance_of_parts(w, m, number, options, out);
    }
    return apart_compound_distance(ap_robot_solid(a), &m->poses[bodies[0]], ap_robot_solid(b), &m->poses[bodies[1]],
                                   options, ap_robot_cache_of(w, pair->cache), out);
}

apart_status ap_robot_sound_distance(apart_robot_work *w, ap_robot_moment *m, size_t pair, const apart_options *options,
                                     apart_compound_result *out)
{
    const apart_status status = ap_robot_pair_distance(w, m, pair, options, out);
    if (status == APART_OK) {
        const double rounding = ap_robot_rounding(w->cell, m, &w->cell->pairs[pair]);
        out->result.lower -= rounding;
        out->result.upper += rounding;
    }
    return status;
}

apart_status apart_robot_distance(apart_robot_work *w, size_t pair, apart_compound_result *out)
{
    if (w == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    if (pair >= w->cell->pair_count) {
        return APART_ERR_ID;
    }
    apart_options options = w->options;
    options.cutoff = 0.0;
    return ap_robot_sound_distance(w, &w->moments[AP_MOMENT_USER], pair, &options, out);
}

/* ---- the nearest ---- */

static double rank(const apart_robot_work *w, const apart_robot_near *n)
{
    return n->at.result.distance - w->cell->pairs[n->pair].public.margin;
}

static bool comes_before(const apart_robot_work *w, const apart_robot_near *a, const apart_robot_near *b)
{
    return rank(w, a) < rank(w, b) || (rank(w, a) == rank(w, b) && a->pair < b->pair);
}

/* Puts a pair into a sorted list of at most `room`. */
static void insert(const apart_robot_work *w, apart_robot_near *list, size_t room, size_t *count,
                   const apart_robot_near *added)
{
    size_t place = *count < room ? (*count)++ : room - 1;
    for (; place > 0 && comes_before(w, added, &list[place - 1]); place--) {
        list[place] = list[place - 1];
    }
    list[place] = *added;
}

apart_status apart_robot_k_nearest(apart_robot_work *w, size_t k, apart_robot_near *out, size_t *count)
{
    if (w == NULL || (out == NULL && k > 0) || count == NULL) {
        return APART_ERR_NULL;
    }
    ap_robot_moment *m = &w->moments[AP_MOMENT_USER];
    *count = 0;
    for (size_t i = 0; i < w->cell->pair_count && k > 0; i++) {
        apart_robot_near near = {.pair = w->order[i]};
        const ap_robot_pair *pair = &w->cell->pairs[near.pair];
        if (*count == k && ap_robot_ball_gap(w->cell, m, pair) - pair->public.margin > rank(w, &out[k - 1])) {
            continue;
        }
        const apart_status status = apart_robot_distance(w, near.pair, &near.at);
        if (status != APART_OK) {
            return status;
        }
        if (*count < k || comes_before(w, &near, &out[k - 1])) {
            insert(w, out, k, count, &near);
        }
    }
    if (*count > 0) {
        ap_robot_to_front(w, out[0].pair);
    }
    return APART_OK;
}

apart_status apart_robot_nearest(apart_robot_work *w, apart_robot_near *out)
{
    size_t count;
    return apart_robot_k_nearest(w, 1, out, &count);
}

apart_status apart_robot_below(apart_robot_work *w, double distance, apart_robot_near *out, size_t room, size_t *count)
{
    if (w == NULL || (out == NULL && room > 0) || count == NULL) {
        return APART_ERR_NULL;
    }
    ap_robot_moment *m = &w->moments[AP_MOMENT_USER];
    size_t kept = 0;
    *count = 0;
    for (size_t p = 0; p < w->cell->pair_count; p++) {
        apart_robot_near near = {.pair = p};
        const ap_robot_pair *pair = &w->cell->pairs[p];
        if (ap_robot_ball_gap(w->cell, m, pair) - pair->public.margin >= distance) {
            continue;
        }
        const apart_status status = apart_robot_distance(w, p, &near.at);
        if (status != APART_OK) {
            return status;
        }
        if (rank(w, &near) < distance) {
            if (kept < room) {
                insert(w, out, room, &kept, &near);
            }
            ++*count;
        }
    }
    return APART_OK;
}
