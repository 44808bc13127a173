/* Where two convex features overlap, seen along the normal of their contact.
 *
 * Everything is read from signed distances of one feature's corners from the lines of the other's sides: a corner is
 * inside if all of them are positive, two sides cross if both change their sign, and where they cross is the ratio of
 * the distances. */
#include "intersect.h"

/* Sides and gaps above this leave no candidate in two places at once: twice the tolerance, on either side. */
#define CLEARLY_APART (4.0 * AP_SAME_POINT)

/* The lines of a feature's sides: n.p + offset is the distance of p to the left of the side. */
typedef struct side_lines {
    uint32_t count; /* a polygon has as many sides as corners, an edge has one */
    double x[AP_FEATURE_POINTS], y[AP_FEATURE_POINTS], offset[AP_FEATURE_POINTS], length[AP_FEATURE_POINTS];
    double shortest;
} side_lines;

/* What is known while the candidates are collected. */
typedef struct intersection {
    const ap_contact_feature *a, *b;
    side_lines sides_a, sides_b;
    bool crowded; /* some candidates may be the same point */
    ap_candidate_list *list;
} intersection;

static void find_lines(const ap_contact_feature *f, side_lines *s)
{
    s->count = f->count > 2 ? f->count : f->count / 2;
    s->shortest = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        const ap_frame_point *p = &f->at[i], *q = &f->at[i + 1 < f->count ? i + 1 : 0];
        const double ux = q->x - p->x, uy = q->y - p->y, length = sqrt(ux * ux + uy * uy),
                     inverse = length > 0.0 ? 1.0 / length : 0.0;
        s->x[i] = -uy * inverse;
        s->y[i] = ux * inverse;
        s->offset[i] = (uy * p->x - ux * p->y) * inverse;
        s->length[i] = length;
        s->shortest = ap_min(s->shortest, length);
    }
}

static double distance_to_line(const side_lines *s, uint32_t i, const ap_frame_point *p)
{
    return (s->x[i] * p->x + s->y[i] * p->y) + s->offset[i];
}

/* Is the point on an edge or a vertex? */
static bool is_near_segment(const ap_contact_feature *f, const ap_frame_point *at)
{
    const ap_frame_point *p = &f->at[0], *q = &f->at[f->count - 1];
    const double ux = q->x - p->x, uy = q->y - p->y, length2 = ux * ux + uy * uy;
    double t = length2 > 0.0 ? ((at->x - p->x) * ux + (at->y - p->y) * uy) / length2 : 0.0;
    t = ap_max(0.0, ap_min(1.0, t));
    const double dx = at->x - (p->x + t * ux), dy = at->y - (p->y + t * uy);
    return dx * dx + dy * dy <= AP_SAME_POINT * AP_SAME_POINT;
}

/* Is the corner inside the other feature? Half-spaces have no sides and contain everything. */
static bool is_inside(intersection *x, const ap_contact_feature *f, const side_lines *s, const ap_frame_point *p)
{
    if (f->count == 1 || f->count == 2) {
        return is_near_segment(f, p);
    }
    double least = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        least = ap_min(least, distance_to_line(s, i, p));
    }
    x->crowded = x->crowded || fabs(least) <= CLEARLY_APART;
    return least >= -AP_SAME_POINT;
}

static bool is_listed(const ap_candidate_list *list, const ap_candidate *c)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (fabs(list->at[i].x - c->x) <= AP_SAME_POINT && fabs(list->at[i].y - c->y) <= AP_SAME_POINT) {
            return true;
        }
    }
    return false;
}

static void add_candidate(const intersection *x, const ap_candidate *c)
{
    ap_candidate_list *list = x->list;
    if (list->count < AP_MOST_CANDIDATES && !(x->crowded && is_listed(list, c))) {
        list->at[list->count++] = *c;
    }
}

static void add_corners_of_a(intersection *x)
{
    for (uint32_t i = 0; i < x->a->count; i++) {
        const ap_frame_point *p = &x->a->at[i];
        if (is_inside(x, x->b, &x->sides_b, p)) {
            const ap_candidate c = {p->x,           p->y,       p->height, ap_feature_height(x->b, p->x, p->y),
                                    AP_CORNER_OF_A, (uint8_t)i, 0};
            add_candidate(x, &c);
        }
    }
}

static void add_corners_of_b(intersection *x)
{
    for (uint32_t i = 0; i < x->b->count; i++) {
        const ap_frame_point *p = &x->b->at[i];
        if (is_inside(x, x->a, &x->sides_a, p)) {
            const ap_candidate c = {p->x, p->y,      ap_feature_height(x->a, p->x, p->y), p->height, AP_CORNER_OF_B,
                                    0,    (uint8_t)i};
            add_candidate(x, &c);
        }
    }
}

/* Adds the crossing of side i of A, whose ends are d0 and d1 from the line of side k of B, with that side. Parallel
 * sides have none: their ends are corners inside the other feature. */
static void add_crossing(intersection *x, uint32_t i, uint32_t k, double d0, double d1)
{
    const ap_contact_feature *a = x->a, *b = x->b;
    const ap_frame_point *p0 = &a->at[i], *p1 = &a->at[i + 1 < a->count ? i + 1 : 0], *q0 = &b->at[k],
                         *q1 = &b->at[k + 1 < b->count ? k + 1 : 0];
    const double e0 = distance_to_line(&x->sides_a, i, q0), e1 = distance_to_line(&x->sides_a, i, q1);
    if (e0 * e1 > 0.0 || fabs(d0 - d1) <= AP_SAME_POINT * x->sides_a.length[i] ||
        fabs(e0 - e1) <= AP_SAME_POINT * x->sides_b.length[k]) {
        return;
    }
    const double s = d0 / (d0 - d1), t = e0 / (e0 - e1);
    const ap_candidate c = {p0->x + s * (p1->x - p0->x),
                            p0->y + s * (p1->y - p0->y),
                            p0->height + s * (p1->height - p0->height),
                            q0->height + t * (q1->height - q0->height),
                            AP_CROSSING,
                            (uint8_t)i,
                            (uint8_t)k};
    x->crowded = x->crowded || ap_min(ap_min(fabs(d0), fabs(d1)), ap_min(fabs(e0), fabs(e1))) <= CLEARLY_APART;
    add_candidate(x, &c);
}

static void add_crossings(intersection *x)
{
    const ap_contact_feature *a = x->a;
    for (uint32_t k = 0; k < x->sides_b.count; k++) {
        double distance[AP_FEATURE_POINTS];
        for (uint32_t i = 0; i < a->count; i++) {
            distance[i] = distance_to_line(&x->sides_b, k, &a->at[i]);
        }
        for (uint32_t i = 0; i < x->sides_a.count; i++) {
            const double d0 = distance[i], d1 = distance[i + 1 < a->count ? i + 1 : 0];
            if (d0 * d1 <= 0.0) {
                add_crossing(x, i, k, d0, d1);
            }
        }
    }
}

void ap_features_intersect(const ap_contact_feature *a, const ap_contact_feature *b, ap_candidate_list *list)
{
    intersection x;
    x.a = a;
    x.b = b;
    x.list = list;
    list->count = 0;
    find_lines(a, &x.sides_a);
    find_lines(b, &x.sides_b);
    x.crowded = ap_min(x.sides_a.shortest, x.sides_b.shortest) <= CLEARLY_APART || a->count == 1 || b->count == 1;
    add_corners_of_a(&x);
    add_corners_of_b(&x);
    add_crossings(&x);
}
