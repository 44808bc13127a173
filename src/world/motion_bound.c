/* How far can a body have moved? Let x be a point of the body, in a bounding sphere with center c and radius r. Its
 * displacement from pose (R, t) to (R', t') is
 *     (R' - R) x + (t' - t) = [(R' - R) c + (t' - t)] + (R' - R)(x - c),
 * at most |(R' - R) c + (t' - t)| + |R' - R| r with the spectral norm, which for two rotations is the Frobenius norm
 * over sqrt 2. (This is the bound of conservative advancement, Mirtich 1996, section 2.3; ours is for a finite step
 * and not for a speed.) */
#include "world.h"

/* 1/sqrt 2, rounded up. */
static const double half_root = 0.70710678118654757;

/* A matrix with |RtR - I| <= d per entry is within 3 d of a rotation (spectral norm; 3 sqrt 3 d in the Frobenius
 * norm). So two such matrices differ by at most the Frobenius norm of their difference / sqrt 2 + (3 sqrt 3 / sqrt 2
 * + 3)(d + d'). */
static const double defect_share = 7.0;

/* Differences, nine squares and a root, and the sums that follow: each is off by half an eps of itself, and nothing
 * cancels. */
static const double rounding = 1.0 + 16.0 * DBL_EPSILON;

/* A step this much smaller than the sum so far is lost in the rounding of the sum. */
static const double sum_limit = 1073741824.0;

static double squared_length(apart_vec3 v) { return (v.x * v.x + v.y * v.y) + v.z * v.z; }

double ap_motion_bound(const ap_body *body, const apart_pose *to, double defect)
{
    const apart_mat3 *from = &body->pose.rotation, *r = &to->rotation;
    const apart_mat3 d = {ap_sub(r->x, from->x), ap_sub(r->y, from->y), ap_sub(r->z, from->z)};
    const double frobenius = sqrt((squared_length(d.x) + squared_length(d.y)) + squared_length(d.z));
    const apart_vec3 shift = ap_sub(to->translation, body->pose.translation);
    if (frobenius == 0.0) {
        return ap_norm(shift) * rounding;
    }
    const double turn = ap_min(frobenius, half_root * frobenius + defect_share * (defect + body->defect));
    const double off_center = ap_max_abs(body->center);
    double center_step;
    if (off_center == 0.0) {
        center_step = ap_norm(shift);
    } else {
        /* Rotation and translation may cancel here: the rounding error is relative to what cancels. */
        center_step = ap_norm(ap_add(ap_apply(&d, body->center), shift));
        center_step += 16.0 * DBL_EPSILON * (2.0 * frobenius * off_center + ap_norm(shift));
    }
    return (center_step + turn * body->radius) * rounding;
}

void ap_world_queue(apart_world *world, uint32_t slot)
{
    ap_body *body = ap_world_slot(world, slot);
    if (!body->queued) {
        body->queued = 1;
        ((uint32_t *)world->queue.items)[world->queue.count++] = slot; /* reserved when the body was added */
    }
}

void ap_motion_add(apart_world *world, uint32_t slot, double step)
{
    ap_body *body = ap_world_slot(world, slot);
    double *motion = ap_world_motion(world, slot);
    body->last_step = step;
    if (step == 0.0) {
        return;
    }
    *motion = ap_up(*motion + step);
    if (!(*motion <= sum_limit * step) || !isfinite(*motion)) {
        world->rebase = 1;
    }
    if (!(*motion - body->mark <= body->margin)) {
        ap_world_queue(world, slot);
    }
}

void ap_motion_rebase(apart_world *world)
{
    for (size_t i = 0; i < world->pairs.bounds.count; i++) {
        ap_pair_bounds *pair = ap_pair_at(&world->pairs, i);
        const double moved = ap_pair_motion(world, pair);
        const bool unknown = !(moved < INFINITY);
        pair->lower = unknown ? -INFINITY : ap_pair_lower_now(pair, moved);
        pair->upper = unknown ? INFINITY : ap_pair_upper_now(pair, moved);
        pair->mark_a = pair->mark_b = 0.0;
        if (moved != 0.0) {
            ap_pair_answer_at(&world->pairs, i)->known = AP_ANSWER_NONE;
        }
    }
    for (size_t slot = 0; slot < world->bodies.count; slot++) {
        ap_body *body = ap_world_slot(world, slot);
        const double moved = *ap_world_motion(world, slot) - body->mark;
        /* A body that has used up its margin is in the queue already. */
        body->margin = moved <= body->margin ? (body->margin - moved) * (1.0 - 2.0 * DBL_EPSILON) : -1.0;
        body->mark = 0.0;
        *ap_world_motion(world, slot) = 0.0;
    }
    world->rebase = 0;
}
