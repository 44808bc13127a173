/* Motions as values: constructors, checks and the pose at a time.
 *
 * The exact motion is the formula of apart/motion.h in real numbers; poses are that, rounded. Chasles' screw is
 * stored by the velocity of the body's origin and not by its axis, which would be far away for small angles. */
#include <apart/motion.h>

#include "impact.h"
#include "turn.h"

apart_motion apart_motion_rest(const apart_pose *pose) { return apart_motion_translation(pose, ap_vec(0.0, 0.0, 0.0)); }

apart_motion apart_motion_translation(const apart_pose *start, apart_vec3 displacement)
{
    const apart_pose no_pose = {0}; /* not a rotation: every query rejects it */
    const apart_pose pose = start != NULL ? *start : no_pose;
    return (
        apart_motion){.start = pose, .pivot = pose.translation, .linear = displacement, .path = APART_PATH_STRAIGHT};
}

apart_motion apart_motion_velocity(const apart_pose *start, apart_vec3 linear, apart_vec3 angular, apart_vec3 center)
{
    apart_motion motion = apart_motion_translation(start, linear);
    motion.pivot = apart_pose_apply(&motion.start, center);
    motion.angular = angular;
    return motion;
}

/* The quaternion of a rotation with its largest component taken first (Shepperd 1978), w >= 0. */
static void quaternion_of(const apart_mat3 *m, double *w, apart_vec3 *v)
{
    const double trace = (m->x.x + m->y.y) + m->z.z;
    const apart_vec3 odd = ap_vec(m->y.z - m->z.y, m->z.x - m->x.z, m->x.y - m->y.x);
    if (trace >= 0.0) {
        *w = 1.0 + trace;
        *v = odd;
    } else if (m->x.x >= m->y.y && m->x.x >= m->z.z) {
        *w = odd.x;
        *v = ap_vec(1.0 + m->x.x - m->y.y - m->z.z, m->x.y + m->y.x, m->z.x + m->x.z);
    } else if (m->y.y >= m->z.z) {
        *w = odd.y;
        *v = ap_vec(m->x.y + m->y.x, 1.0 + m->y.y - m->x.x - m->z.z, m->y.z + m->z.y);
    } else {
        *w = odd.z;
        *v = ap_vec(m->z.x + m->x.z, m->y.z + m->z.y, 1.0 + m->z.z - m->x.x - m->y.y);
    }
    if (*w < 0.0) {
        *w = -*w;
        *v = ap_neg(*v);
    }
}

/* The rotation vector of to * transpose(from), angle at most pi. A rotation that leaves z unchanged is about z
 * exactly. */
static apart_vec3 rotation_vector(const apart_mat3 *from, const apart_mat3 *to)
{
    /* Column j of to * transpose(from) is the sum over k of to_k times entry j of from_k. */
    apart_mat3 m;
    m.x = ap_add(ap_add(ap_scale(from->x.x, to->x), ap_scale(from->y.x, to->y)), ap_scale(from->z.x, to->z));
    m.y = ap_add(ap_add(ap_scale(from->x.y, to->x), ap_scale(from->y.y, to->y)), ap_scale(from->z.y, to->z));
    m.z = ap_add(ap_add(ap_scale(from->x.z, to->x), ap_scale(from->y.z, to->y)), ap_scale(from->z.z, to->z));
    double w;
    apart_vec3 v;
    quaternion_of(&m, &w, &v);
    const double length = ap_norm(v);
    if (!(length > 0.0)) {
        return ap_vec(0.0, 0.0, 0.0);
    }
    const double half = ap_angle_of(length, w);
    return ap_scale(2.0 * half / length, v);
}

static apart_status check_ends(const apart_pose *start, const apart_pose *end, const apart_motion *out)
{
    if (start == NULL || end == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = apart_pose_check(start);
    return status != APART_OK ? status : apart_pose_check(end);
}

apart_status apart_motion_between(const apart_pose *start, const apart_pose *end, apart_vec3 center, apart_motion *out)
{
    const apart_status status = check_ends(start, end, out);
    if (status != APART_OK) {
        return status;
    }
    const apart_vec3 linear = ap_sub(apart_pose_apply(end, center), apart_pose_apply(start, center));
    const apart_motion motion =
        apart_motion_velocity(start, linear, rotation_vector(&start->rotation, &end->rotation), center);
    const apart_status checked = apart_motion_check(&motion);
    if (checked == APART_OK) {
        *out = motion;
    }
    return checked;
}

apart_status apart_motion_screw(const apart_pose *start, const apart_pose *end, apart_motion *out)
{
    const apart_status status = check_ends(start, end, out);
    if (status != APART_OK) {
        return status;
    }
    apart_motion motion = apart_motion_translation(start, ap_sub(end->translation, start->translation));
    motion.angular = rotation_vector(&start->rotation, &end->rotation);
    const ap_turn turn = ap_turn_of(motion.angular);
    motion.linear = ap_turn_velocity(&turn, motion.linear);
    motion.path = APART_PATH_SCREW;
    const apart_status checked = apart_motion_check(&motion);
    if (checked == APART_OK) {
        *out = motion;
    }
    return checked;
}

apart_motion apart_motion_of_part(const apart_motion *motion, const apart_pose *local)
{
    if (motion == NULL || local == NULL) {
        return apart_motion_rest(NULL);
    }
    apart_motion part = *motion;
    part.start = apart_pose_compose(&motion->start, local);
    return part;
}

apart_status apart_motion_check(const apart_motion *motion)
{
    if (motion == NULL) {
        return APART_ERR_NULL;
    }
    const apart_status status = apart_pose_check(&motion->start);
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(motion->pivot) || !ap_finite(motion->linear) || !ap_finite(motion->angular)) {
        return APART_ERR_NONFINITE;
    }
    if (motion->path != APART_PATH_STRAIGHT && motion->path != APART_PATH_SCREW) {
        return APART_ERR_OPTION;
    }
    return ap_norm(motion->angular) <= APART_MAX_ANGLE ? APART_OK : APART_ERR_OVERFLOW;
}

apart_status apart_motion_pose(const apart_motion *motion, double t, apart_pose *out)
{
    const apart_status status = apart_motion_check(motion);
    if (status != APART_OK) {
        return status;
    }
    if (out == NULL) {
        return APART_ERR_NULL;
    }
    if (!isfinite(t)) {
        return APART_ERR_NONFINITE;
    }
    if (t == 0.0) {
        *out = motion->start;
        return APART_OK;
    }
    const ap_turn turn = ap_turn_of(motion->angular);
    apart_pose pose = {motion->start.rotation, ap_add(motion->start.translation, ap_scale(t, motion->linear))};
    if (turn.turns) {
        if (!(turn.angle.hi * fabs(t) <= APART_MAX_ANGLE)) {
            return APART_ERR_OVERFLOW;
        }
        const apart_mat3 e = ap_turn_matrix(&turn, t);
        const apart_mat3 *r = &motion->start.rotation;
        const bool screw = motion->path == APART_PATH_SCREW;
        const apart_vec3 displacement =
            screw ? ap_turn_displacement(&turn, motion->linear, t) : ap_scale(t, motion->linear);
        const apart_vec3 arm = ap_apply(&e, ap_sub(motion->start.translation, motion->pivot));
        pose.rotation = (apart_mat3){ap_apply(&e, r->x), ap_apply(&e, r->y), ap_apply(&e, r->z)};
        pose.translation = ap_add(ap_add(motion->pivot, displacement), arm);
    }
    if (!ap_finite(pose.translation)) {
        return APART_ERR_OVERFLOW;
    }
    *out = pose;
    return APART_OK;
}

apart_status ap_motion_options_check(const apart_motion_options *o)
{
    const bool fine = o->tolerance >= 0.0 && isfinite(o->tolerance) && o->until >= 0.0 && o->until <= 1.0 &&
                      o->cutoff >= 0.0 && o->gap <= APART_GAP_TOLERANCE;
    return fine ? APART_OK : APART_ERR_OPTION;
}

const char *apart_outcome_name(int outcome)
{
    static const char *const names[] = {"clear", "hit", "start", "limit"};
    return outcome >= 0 && outcome < 4 ? names[outcome] : "?";
}
