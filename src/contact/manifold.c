/* Contact manifolds: the two features in contact, intersected as seen along the contact normal.
 *
 * The usual construction (Baraff 1990; Ericson 2005 section 9) clips one face by the side planes of the other. We
 * differ in that neither body is the reference: both features are projected along the normal of the distance query.
 * The corners of their intersection are the corners of one inside the other and the crossings of their sides, and
 * the distance at each is the difference of the features' heights there. So faces, edges and vertices need no cases
 * of their own, and A and B have the same role. */
#include "contact_feature.h"

/* Corners this near in units of the pair's size, perpendicular to the normal, are one contact point, and a corner
 * that is outside by less counts as inside: features that coincide exactly keep their names when rounding moves
 * them. */
#define SAME_POINT 1e-6

/* Depths and distances that differ by less are equal when points are selected, so that rounding does not change
 * their order. */
#define EQUAL_DEPTH 1e-9

/* The default margin in units of the sum of both bounding radii. */
#define DEFAULT_MARGIN 1e-6

/* The corners of two faces; the tolerance may count some twice. */
enum { MOST_CANDIDATES = 4 * AP_FEATURE_POINTS };

typedef struct candidate {
    double x, y, height_a, height_b;
    ap_feature_name name_a, name_b; /* of a crossing: set when it has been selected */
    bool crossing;                  /* of the two sides below */
    uint32_t side_a, side_b;
} candidate;

typedef struct candidate_list {
    uint32_t count;
    candidate at[MOST_CANDIDATES];
} candidate_list;

/* ---- intersecting ---- */

static void add_candidate(candidate_list *list, const candidate *c)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (fabs(list->at[i].x - c->x) <= SAME_POINT && fabs(list->at[i].y - c->y) <= SAME_POINT) {
            return;
        }
    }
    if (list->count < MOST_CANDIDATES) {
        list->at[list->count++] = *c;
    }
}

static bool near_segment(const ap_frame_point *p, const ap_frame_point *q, double x, double y)
{
    const double ux = q->x - p->x, uy = q->y - p->y, length2 = ux * ux + uy * uy;
    double t = length2 > 0.0 ? ((x - p->x) * ux + (y - p->y) * uy) / length2 : 0.0;
    t = ap_max(0.0, ap_min(1.0, t));
    const double dx = x - (p->x + t * ux), dy = y - (p->y + t * uy);
    return dx * dx + dy * dy <= SAME_POINT * SAME_POINT;
}

static bool is_inside_feature(const ap_contact_feature *f, double x, double y)
{
    if (f->count == 1 || f->count == 2) {
        return near_segment(&f->at[0], &f->at[f->count - 1], x, y);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const ap_frame_point *p = &f->at[i], *q = &f->at[(i + 1) % f->count];
        const double ux = q->x - p->x, uy = q->y - p->y;
        if (ux * (y - p->y) - uy * (x - p->x) < -SAME_POINT * sqrt(ux * ux + uy * uy)) {
            return false;
        }
    }
    return true;
}

static void add_corners_of_a(const ap_contact_feature *a, const ap_contact_feature *b, candidate_list *list)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const ap_frame_point *p = &a->at[i];
        if (is_inside_feature(b, p->x, p->y)) {
            const candidate c = {.x = p->x,
                                 .y = p->y,
                                 .height_a = p->height,
                                 .height_b = ap_feature_height(b, p->x, p->y),
                                 .name_a = a->name[i],
                                 .name_b = b->whole};
            add_candidate(list, &c);
        }
    }
}

static void add_corners_of_b(const ap_contact_feature *a, const ap_contact_feature *b, candidate_list *list)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const ap_frame_point *p = &b->at[i];
        if (is_inside_feature(a, p->x, p->y)) {
            const candidate c = {.x = p->x,
                                 .y = p->y,
                                 .height_a = ap_feature_height(a, p->x, p->y),
                                 .height_b = p->height,
                                 .name_a = a->whole,
                                 .name_b = b->name[i]};
            add_candidate(list, &c);
        }
    }
}

/* Where side p0 p1 of A and side q0 q1 of B cross; false for parallel sides, whose ends are corners inside the
 * other. */
static bool cross_sides(const ap_frame_point *p0, const ap_frame_point *p1, const ap_frame_point *q0,
                        const ap_frame_point *q1, candidate *c)
{
    const double ux = p1->x - p0->x, uy = p1->y - p0->y, vx = q1->x - q0->x, vy = q1->y - q0->y;
    const double det = ux * vy - uy * vx, wx = q0->x - p0->x, wy = q0->y - p0->y;
    if (det * det <= SAME_POINT * SAME_POINT * (ux * ux + uy * uy) * (vx * vx + vy * vy)) {
        return false;
    }
    const double s = (wx * vy - wy * vx) / det, t = (wx * uy - wy * ux) / det;
    if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) {
        return false;
    }
    c->x = p0->x + s * ux;
    c->y = p0->y + s * uy;
    c->height_a = p0->height + s * (p1->height - p0->height);
    c->height_b = q0->height + t * (q1->height - q0->height);
    return true;
}

static void add_crossings(const ap_contact_feature *a, const ap_contact_feature *b, candidate_list *list)
{
    const uint32_t sides_a = a->count > 2 ? a->count : a->count / 2, sides_b = b->count > 2 ? b->count : b->count / 2;
    for (uint32_t i = 0; i < sides_a; i++) {
        for (uint32_t k = 0; k < sides_b; k++) {
            candidate c;
            if (cross_sides(&a->at[i], &a->at[(i + 1) % a->count], &b->at[k], &b->at[(k + 1) % b->count], &c)) {
                c.crossing = true;
                c.side_a = i;
                c.side_b = k;
                add_candidate(list, &c);
            }
        }
    }
}

/* ---- selecting ---- */

static double candidate_gap(const candidate *c) { return c->height_b - c->height_a; }

/* Raises a candidate that is deeper than the bodies: a corner that counts as inside may be SAME_POINT beyond the other
 * feature, whose plane goes on there although the body does not. */
static void limit_depth(candidate *c, double least_gap)
{
    const double beyond = ap_max(least_gap - candidate_gap(c), 0.0);
    c->height_a -= 0.5 * beyond;
    c->height_b += 0.5 * beyond;
}

static bool is_same_name(const ap_feature_name *a, const ap_feature_name *b)
{
    return a->kind == b->kind && a->sub == b->sub && a->number == b->number;
}

/* Adds the witness points, in place of a candidate on the same features. */
static void add_witness(candidate_list *list, const candidate *witness)
{
    uint32_t at = 0;
    while (at < list->count && (list->at[at].crossing || !is_same_name(&list->at[at].name_a, &witness->name_a) ||
                                !is_same_name(&list->at[at].name_b, &witness->name_b))) {
        at++;
    }
    at = at < MOST_CANDIDATES ? at : MOST_CANDIDATES - 1;
    list->at[at] = *witness;
    list->count = at < list->count ? list->count : at + 1;
}

/* Keeps the candidates within the margin. If the deepest of them is not as deep as the witness points, these are
 * added. */
static void keep_within_margin(candidate_list *list, double margin, const candidate *witness)
{
    uint32_t kept = 0;
    double deepest = INFINITY;
    for (uint32_t i = 0; i < list->count; i++) {
        if (candidate_gap(&list->at[i]) <= margin) {
            list->at[kept] = list->at[i];
            limit_depth(&list->at[kept], candidate_gap(witness));
            deepest = ap_min(deepest, candidate_gap(&list->at[kept++]));
        }
    }
    list->count = kept;
    if (deepest > candidate_gap(witness) + EQUAL_DEPTH) {
        add_witness(list, witness);
    }
}

static void swap_candidates(candidate_list *list, uint32_t i, uint32_t k)
{
    const candidate c = list->at[i];
    list->at[i] = list->at[k];
    list->at[k] = c;
}

/* Selects up to `most` candidates: the deepest first, then always the one farthest from all before it, and of equal
 * ones the farthest from the last. */
static void select_spread(candidate_list *list, uint32_t most)
{
    double to_chosen[MOST_CANDIDATES];
    uint32_t next = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        next = candidate_gap(&list->at[i]) < candidate_gap(&list->at[next]) - EQUAL_DEPTH ? i : next;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        to_chosen[i] = INFINITY;
    }
    for (uint32_t chosen = 0; chosen < list->count && chosen < most; chosen++) {
        double to_last = -1.0;
        swap_candidates(list, chosen, next);
        to_chosen[next] = to_chosen[chosen];
        next = chosen + 1;
        for (uint32_t i = chosen + 1; i < list->count; i++) {
            const double dx = list->at[i].x - list->at[chosen].x, dy = list->at[i].y - list->at[chosen].y,
                         squared = dx * dx + dy * dy;
            to_chosen[i] = ap_min(to_chosen[i], squared);
            const double more = to_chosen[i] - to_chosen[next];
            if (more > EQUAL_DEPTH || (more >= -EQUAL_DEPTH && squared > to_last + EQUAL_DEPTH)) {
                next = i;
                to_last = squared;
            }
        }
    }
    list->count = list->count < most ? list->count : most;
}

/* ---- writing ---- */

/* Half of a contact point's id: kind, sub and the low 24 bits of the number of one body's feature. */
static uint32_t name_code(const ap_feature_name *name)
{
    return (uint32_t)name->kind << 29 | (uint32_t)(name->sub & 31u) << 24 | (name->number & 0xffffffu);
}

static apart_vec3 to_world(const ap_contact_frame *f, double x, double y, double height)
{
    const double back = 1.0 / f->scale;
    const apart_vec3 across = ap_add(ap_scale(x * back, f->x), ap_scale(y * back, f->y));
    return ap_add(f->origin, ap_add(across, ap_scale(height * back, f->normal)));
}

static void write_contact_point(const ap_contact_frame *f, const candidate *c, double radius_a, double radius_b,
                                apart_contact_point *out)
{
    out->a = to_world(f, c->x, c->y, c->height_a + radius_a);
    out->b = to_world(f, c->x, c->y, c->height_b - radius_b);
    out->distance = (candidate_gap(c) - (radius_a + radius_b)) / f->scale;
    out->id = (uint64_t)name_code(&c->name_a) << 32 | name_code(&c->name_b);
    out->number_a = c->name_a.number;
    out->number_b = c->name_b.number;
    out->kind_a = c->name_a.kind;
    out->kind_b = c->name_b.kind;
}

static double bounding_radius(const apart_shape *s)
{
    return s->kind == APART_SHAPE_HALF_SPACE ? s->radius : s->bound + s->radius;
}

static double margin_of(const apart_shape *a, const apart_shape *b, const apart_contact_options *options)
{
    return options->margin > 0.0 ? options->margin : DEFAULT_MARGIN * (bounding_radius(a) + bounding_radius(b));
}

static ap_contact_frame make_contact_frame(const apart_shape *a, const apart_shape *b, const apart_result *r)
{
    ap_contact_frame f = {.origin = ap_add(ap_scale(0.5, r->a), ap_scale(0.5, r->b)), .normal = r->normal};
    f.scale = ap_power_of_two_scale(bounding_radius(a) + bounding_radius(b));
    f.x = a->dim == 2 ? ap_vec(-r->normal.y, r->normal.x, 0.0) : ap_perpendicular(r->normal);
    f.y = a->dim == 2 ? ap_vec(0.0, 0.0, 1.0) : ap_cross(r->normal, f.x);
    return f;
}

/* The witness points of the cores in the frame, where they are on the height axis. */
static candidate witness_candidate(const ap_contact_feature *a, const ap_contact_feature *b, double core_distance)
{
    candidate w = {0.0, 0.0, -0.5 * core_distance, 0.5 * core_distance, a->whole, b->whole, false, 0, 0};
    w.name_a.sub = a->count == 1 ? w.name_a.sub : 31u;
    w.name_b.sub = b->count == 1 ? w.name_b.sub : 31u;
    return w;
}

static void fill_manifold(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, double margin, uint32_t most, apart_manifold *m)
{
    const apart_result *r = &m->result;
    const ap_contact_frame frame = make_contact_frame(a, b, r);
    const double radius_a = a->radius * frame.scale, radius_b = b->radius * frame.scale, radii = radius_a + radius_b;
    ap_contact_feature on_a, on_b;
    candidate_list list;
    list.count = 0;
    ap_feature_find(a, pose_a, r->normal, ap_sub(r->a, ap_scale(a->radius, r->normal)), &frame, &on_a);
    ap_feature_find(b, pose_b, ap_neg(r->normal), ap_add(r->b, ap_scale(b->radius, r->normal)), &frame, &on_b);
    add_corners_of_a(&on_a, &on_b, &list);
    add_corners_of_b(&on_a, &on_b, &list);
    add_crossings(&on_a, &on_b, &list);
    /* The frame's origin is halfway between the surfaces; the point halfway between the cores is this much higher. */
    const double middle = 0.5 * (radius_b - radius_a);
    candidate witness = witness_candidate(&on_a, &on_b, r->distance * frame.scale + radii);
    witness.height_a += middle;
    witness.height_b += middle;
    keep_within_margin(&list, margin * frame.scale + radii, &witness);
    select_spread(&list, most);
    m->count = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.at[i].crossing) {
            list.at[i].name_a = ap_feature_side(&on_a, list.at[i].side_a);
            list.at[i].name_b = ap_feature_side(&on_b, list.at[i].side_b);
        }
        write_contact_point(&frame, &list.at[i], radius_a, radius_b, &m->points[i]);
    }
}

static apart_status check_contact_options(const apart_contact_options *o)
{
    const bool good = o->margin >= 0.0 && isfinite(o->margin) && o->tolerance >= 0.0 && isfinite(o->tolerance) &&
                      o->max_points <= APART_MAX_CONTACTS;
    return good ? APART_OK : APART_ERR_OPTION;
}

static void find_points(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                        const apart_contact_options *options, apart_manifold *m)
{
    const double margin = margin_of(a, b, options);
    m->normal = m->result.normal;
    m->count = 0;
    if (m->result.relation != APART_BEYOND && m->result.distance <= margin) {
        fill_manifold(a, pose_a, b, pose_b, margin, options->max_points > 0 ? options->max_points : APART_MAX_CONTACTS,
                      m);
    }
}

apart_status apart_contact(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                           const apart_pose *pose_b, const apart_contact_options *options, apart_cache *cache,
                           apart_manifold *manifold)
{
    static const apart_contact_options defaults;
    const apart_contact_options *o = options != NULL ? options : &defaults;
    if (a == NULL || b == NULL || manifold == NULL) {
        return APART_ERR_NULL;
    }
    if (check_contact_options(o) != APART_OK) {
        return APART_ERR_OPTION;
    }
    const apart_options query = {.cutoff = margin_of(a, b, o),
                                 .tolerance = o->tolerance,
                                 .depth_cache = o->depth_cache};
    apart_result result;
    const apart_status status = apart_distance(a, pose_a, b, pose_b, &query, cache, &result);
    if (status == APART_OK) {
        manifold->result = result;
        find_points(a, pose_a, b, pose_b, o, manifold);
    }
    return status;
}

apart_status apart_contact_from_result(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                       const apart_pose *pose_b, const apart_result *result,
                                       const apart_contact_options *options, apart_manifold *manifold)
{
    static const apart_contact_options defaults;
    const apart_contact_options *o = options != NULL ? options : &defaults;
    if (a == NULL || pose_a == NULL || b == NULL || pose_b == NULL || result == NULL || manifold == NULL) {
        return APART_ERR_NULL;
    }
    apart_status status = apart_shape_check(a) != APART_OK ? apart_shape_check(a) : apart_shape_check(b);
    status = status != APART_OK ? status : a->dim != b->dim ? APART_ERR_DIMENSION : check_contact_options(o);
    if (status != APART_OK) {
        return status;
    }
    if (!(fabs(ap_dot(result->normal, result->normal) - 1.0) <= AP_ROTATION_LIMIT) || !isfinite(result->distance)) {
        return APART_ERR_NORMAL;
    }
    manifold->result = *result;
    find_points(a, pose_a, b, pose_b, o, manifold);
    return APART_OK;
}
