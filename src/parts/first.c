/* Which pair of parts to look at first when nothing is known. Nothing depends on it but time. */
#include "frame.h"

/* Mostly two or three are enough. */
enum { MOST_ROUNDS = 6 };

static uint32_t near_part(const ap_search_side *side, apart_vec3 point)
{
    return ap_solid_has_others(side->compound) ? ap_compound_near_part(side->compound, ap_search_own_point(side, point)) : 0;
}

/* Whose box is nearest to the other side's last choice, in turn until nothing changes. */
static void face_each_other(const ap_part_search *s, uint32_t part[2])
{
    apart_vec3 point = ap_search_middle(&s->side[0]);
    for (int round = 0, side = 1; round < MOST_ROUNDS; round++, side = 1 - side) {
        const uint32_t next = near_part(&s->side[side], point);
        if (round > 1 && next == part[side]) {
            return;
        }
        part[side] = next;
        point = ap_search_middle_of_part(&s->side[side], next);
    }
}

static bool is_sparse(const ap_search_side *side) { return side->compound == NULL || side->compound->sparse; }

/* From farther apart than this, of the radii around both solids, all parts seem equally near. */
#define NEAR_SHARE 1.5

/* Is it worth while to look over both trees? Of parts that are close together balls tell little. */
static bool is_worth_a_survey(const ap_part_search *s)
{
    const double away = ap_norm(ap_sub(ap_search_middle(&s->side[1]), ap_search_middle(&s->side[0])));
    const double near = NEAR_SHARE * (ap_search_spread(&s->side[0]) + ap_search_spread(&s->side[1]));
    return away < near && is_sparse(&s->side[0]) && is_sparse(&s->side[1]);
}

void ap_search_first(ap_part_search *s, ap_near_pairs *near, uint32_t part[2])
{
    part[0] = part[1] = 0;
    if (s->plane >= 0) {
        const ap_search_side *other = &s->side[1 - s->plane];
        part[1 - s->plane] = ap_compound_far_part(other->compound, ap_search_own_direction(other, ap_neg(ap_search_plane_normal(s))));
    } else if (ap_search_has_few(&s->side[0]) && ap_search_has_few(&s->side[1])) {
        ap_search_few_nearest(s, part);
    } else if (is_worth_a_survey(s)) {
        ap_search_survey(s, near);
        s->near = near->complete ? near : NULL;
        memcpy(part, near->pair[near->first].part, sizeof near->pair->part);
    } else {
        face_each_other(s, part);
    }
}
