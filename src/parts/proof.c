/* The proof that no pair of parts is nearer than the best, along its normal.
 *
 * Let n be the normal of the best pair, from A to B. Parts of A that do not reach beyond the nearest point of A along n, and parts of B
 * that do not reach beyond B's against it, are far enough from each other. The few others, the front, lie off to the side, as a rule: each
 * is asked the same along its own direction to the other body's nearest point. */
#include "frame.h"
#include "group.h"

/* Parts that are dealt with one by one, at most; where more reach towards the other solid, a walk is better. */
enum { MOST_BEYOND = 16 };

/* ---- who is in front ---- */

/* A question to one side: which of its parts reach beyond a level towards the other? */
typedef struct front {
    const ap_search_side *side;
    apart_vec3 direction; /* |direction| <= 1, in the side's own frame */
    double level;         /* in that frame, too */
    uint32_t except;      /* a part that is left out; UINT32_MAX: none */
    uint32_t count;       /* of the list, or MOST_BEYOND + 1: too many */
    uint32_t list[MOST_BEYOND];
} front;

/* What a walk down a tree of groups still has to see. */
typedef struct group_stack {
    uint32_t group[AP_GROUP_STACK];
    uint32_t count;
} group_stack;

/* Lanes of a group that reach beyond the level: parts go to the list if they do, too, and groups on the stack. */
static void take_lanes(front *f, const ap_part_group *g, unsigned lanes, group_stack *stack)
{
    for (unsigned lane = 0; lanes != 0; lanes >>= 1, lane++) {
        const uint32_t child = g->child[lane], part = child - AP_PART_LEAF;
        if (!(lanes & 1u)) {
            continue;
        }
        if (child < AP_PART_LEAF) {
            stack->group[stack->count++] = child;
        } else if (ap_part_reach(&f->side->parts[part], f->direction) > f->level && f->count++ < MOST_BEYOND) {
            f->list[f->count - 1] = part;
        }
    }
}

AP_INLINE unsigned lanes_beyond(const ap_part_group *g, const ap_group_direction *d, double level)
{
    return ap_lanes_above(ap_group_reaches(g, d), ap_lanes_all(level)) & g->used;
}

/* Lists the parts that reach beyond the level: up from the part that is left out, so that every group knows which lane holds it, and down
 * into what else is in front. */
static void find_front(front *f)
{
    const apart_compound *compound = f->side->compound;
    const ap_group_direction d = ap_group_direction_of(f->direction);
    group_stack stack;
    f->count = 0;
    stack.count = f->except == UINT32_MAX;
    stack.group[0] = 0;
    for (uint32_t place = stack.count ? AP_NO_PLACE : compound->places[f->except]; place != AP_NO_PLACE;) {
        const ap_part_group *g = &compound->groups[place / 4];
        take_lanes(f, g, lanes_beyond(g, &d, f->level) & ~(1u << place % 4), &stack);
        place = g->place;
    }
    while (stack.count > 0 && f->count <= MOST_BEYOND) {
        const ap_part_group *g = &compound->groups[stack.group[--stack.count]];
        take_lanes(f, g, lanes_beyond(g, &d, f->level), &stack);
    }
}

static void set_front(front *f, const ap_search_side *side, apart_vec3 direction, double level, uint32_t except)
{
    f->side = side;
    f->direction = ap_search_own_direction(side, direction);
    f->level = level - ap_dot(direction, side->origin);
    f->except = except;
}

/* ---- the proof ---- */

/* A half-space knows its distance from a part by its own normal. */
static bool plane_proves(const ap_part_search *s, uint32_t part[2])
{
    const int other = 1 - s->plane;
    const ap_search_side *plane = &s->side[s->plane];
    const apart_vec3 into = ap_neg(ap_search_plane_normal(s));
    const double level = ap_dot(into, plane->origin) - (plane->shape->u.plane.offset + plane->shape->radius);
    front f;
    set_front(&f, &s->side[other], into, level - ap_search_wanted(s), part[other]);
    find_front(&f);
    part[other] = f.count > 0 ? f.list[0] : part[other];
    return f.count == 0;
}

/* How far a part reaches along a direction of the query's frame. */
static double part_reach(const ap_search_side *side, uint32_t part, apart_vec3 direction)
{
    const apart_vec3 own = ap_search_own_direction(side, direction);
    const double reach = side->compound != NULL ? ap_part_reach(&side->parts[part], own) : ap_shape_reach(side->shape, own);
    return reach + ap_dot(direction, side->origin);
}

static double part_bound(const ap_search_side *side, uint32_t part)
{
    const apart_shape *shape = side->compound != NULL ? &side->parts[part].shape : side->shape;
    return (shape->bound + shape->radius) * AP_STRETCH + shape->error;
}

/* The parts' balls are asked first, since that is nothing beside what the parts reach. */
bool ap_search_is_clear_pair(const ap_part_search *s, const uint32_t part[2])
{
    const ap_search_side *a = &s->side[0], *b = &s->side[1];
    const apart_vec3 way = ap_sub(ap_search_middle_of_part(b, part[1]), ap_search_middle_of_part(a, part[0]));
    const double length = ap_norm(way), wanted = ap_search_wanted(s);
    if (length >= wanted + part_bound(a, part[0]) + part_bound(b, part[1])) {
        return true;
    }
    if (!(length > 0.0)) {
        return false;
    }
    const apart_vec3 to = ap_scale(1.0 / length, way);
    return part_reach(a, part[0], to) + part_reach(b, part[1], ap_neg(to)) <= -wanted;
}

/* Part `own` of one side against all of the other side, by the direction from its middle to a point of the other: is none nearer than the
 * threshold? Pairs that were looked at do not count. Else part[] gets a pair to look at. */
static bool is_clear(const ap_part_search *s, int side, uint32_t own, apart_vec3 point, uint32_t part[2])
{
    const ap_search_side *this = &s->side[side], *other = &s->side[1 - side];
    const apart_vec3 to = ap_unit(ap_sub(point, ap_search_middle_of_part(this, own)));
    const double beyond = -(part_reach(this, own, to) + ap_search_wanted(s));
    front f;
    f.count = 1;
    f.list[0] = 0;
    if (ap_solid_has_others(other->compound)) {
        set_front(&f, other, ap_neg(to), beyond, UINT32_MAX);
        find_front(&f);
    }
    if (f.count > MOST_BEYOND) {
        part[side] = part[1 - side] = UINT32_MAX;
        return false;
    }
    for (uint32_t i = 0; i < f.count; i++) {
        part[side] = own;
        part[1 - side] = f.list[i];
        if (!ap_search_was_looked_at(s, part) && !ap_search_is_clear_pair(s, part)) {
            return false;
        }
    }
    return true;
}

/* Both fronts. False: there are too many parts to deal with. */
static bool find_fronts(const ap_part_search *s, front f[2])
{
    const apart_result *r = &s->best->result;
    const apart_vec3 n = r->normal, back = ap_neg(n);
    const ap_rise up = ap_search_rise(s);
    /* Whoever stays behind the nearest points, on both sides, by as much as the rest may be uncertain, is far enough. */
    const double wanted = ap_search_wanted(s) - ap_dot(n, ap_sub(r->b, r->a));
    f[0].count = f[1].count = 0;
    if (ap_solid_has_others(s->side[0].compound)) {
        set_front(&f[0], &s->side[0], n, ap_dot(n, r->a) - (ap_rise_by(up, s->side[1].size) + wanted), s->best->part_a);
        find_front(&f[0]);
    }
    if (ap_solid_has_others(s->side[1].compound)) {
        set_front(&f[1], &s->side[1], back, ap_dot(back, r->b) - (ap_rise_by(up, s->side[0].size) + wanted), s->best->part_b);
        find_front(&f[1]);
    }
    return f[0].count <= MOST_BEYOND && f[1].count <= MOST_BEYOND;
}

bool ap_search_proves(const ap_part_search *s, uint32_t part[2])
{
    part[0] = s->best->part_a;
    part[1] = s->best->part_b;
    if (s->plane >= 0) {
        return plane_proves(s, part);
    }
    front f[2];
    if (!ap_search_normal_joins(s) || !find_fronts(s, f)) {
        return false;
    }
    /* Those in front are looked at one by one. */
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < f[side].count; i++) {
            if (!is_clear(s, side, f[side].list[i], side == 0 ? s->best->result.b : s->best->result.a, part)) {
                return false;
            }
        }
    }
    return true;
}
