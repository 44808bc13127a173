/* Contact manifolds: the two features in contact, intersected as seen along the contact normal.
 *
 * The usual construction (Baraff 1990; Ericson 2005 section 9) clips one face by the side planes of the other. We
 * differ in that neither body is the reference: both features are projected along the normal of the distance query.
 * The corners of their intersection are the corners of one inside the other and the crossings of their sides, and
 * the distance at each is the difference of the features' heights there. So faces, edges and vertices need no cases
 * of their own, and A and B have the same role. */
#include "intersect.h"

/* Depths and distances that differ by less are equal when points are selected, so that rounding does not change
 * their order. */
#define EQUAL_DEPTH 1e-9

/* The default margin in units of the sum of both bounding radii. */
#define DEFAULT_MARGIN 1e-6

/* The two features in contact and the frame they are seen in. */
typedef struct contact_features {
    ap_contact_frame frame;
    ap_contact_feature a, b;
} contact_features;

/* ---- names ---- */

/* The features that a candidate is on. The witness points are on both as a whole; sub 31 tells them from a corner. */
static ap_feature_name name_on_a(const contact_features *f, const ap_candidate *c)
{
    ap_feature_name whole = f->a.whole;
    whole.sub = c->kind == AP_WITNESS_POINTS && f->a.count != 1 ? 31u : whole.sub;
    return c->kind == AP_CROSSING      ? ap_feature_side(&f->a, c->on_a)
           : c->kind == AP_CORNER_OF_A ? f->a.name[c->on_a]
                                       : whole;
}

static ap_feature_name name_on_b(const contact_features *f, const ap_candidate *c)
{
    ap_feature_name whole = f->b.whole;
    whole.sub = c->kind == AP_WITNESS_POINTS && f->b.count != 1 ? 31u : whole.sub;
    return c->kind == AP_CROSSING      ? ap_feature_side(&f->b, c->on_b)
           : c->kind == AP_CORNER_OF_B ? f->b.name[c->on_b]
                                       : whole;
}

/* ---- selecting ---- */

static double candidate_gap(const ap_candidate *c) { return c->height_b - c->height_a; }

/* Raises a candidate that is deeper than the bodies: a corner that counts as inside may be AP_SAME_POINT beyond the
 * other feature, whose plane goes on there although the body does not. */
static void limit_depth(ap_candidate *c, double least_gap)
{
    const double beyond = ap_max(least_gap - candidate_gap(c), 0.0);
    c->height_a -= 0.5 * beyond;
    c->height_b += 0.5 * beyond;
}

static bool is_same_name(ap_feature_name a, ap_feature_name b)
{
    return a.kind == b.kind && a.sub == b.sub && a.number == b.number;
}

/* Adds the witness points, in place of a candidate on the same features. */
static AP_RARE void add_witness(ap_candidate_list *list, const contact_features *f, const ap_candidate *witness)
{
    const ap_feature_name on_a = name_on_a(f, witness), on_b = name_on_b(f, witness);
    uint32_t at = 0;
    while (at < list->count && (list->at[at].kind == AP_CROSSING || !is_same_name(name_on_a(f, &list->at[at]), on_a) ||
                                !is_same_name(name_on_b(f, &list->at[at]), on_b))) {
        at++;
    }
    at = at < AP_MOST_CANDIDATES ? at : AP_MOST_CANDIDATES - 1;
    list->at[at] = *witness;
    list->count = at < list->count ? list->count : at + 1;
}

/* Keeps the candidates within the margin. If the deepest of them is not as deep as the witness points, these are
 * added. */
static void keep_within_margin(ap_candidate_list *list, const contact_features *f, double margin,
                               const ap_candidate *witness)
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
        add_witness(list, f, witness);
    }
}

static void swap_candidates(ap_candidate_list *list, uint32_t i, uint32_t k)
{
    const ap_candidate c = list->at[i];
    list->at[i] = list->at[k];
    list->at[k] = c;
}

static uint32_t find_deepest(const ap_candidate_list *list)
{
    uint32_t deepest = 0;
    for (uint32_t i = 1; i < list->count; i++) {
        deepest = candidate_gap(&list->at[i]) < candidate_gap(&list->at[deepest]) - EQUAL_DEPTH ? i : deepest;
    }
    return deepest;
}

/* Selects up to `most` candidates: the deepest first, then always the one farthest from all before it, and of equal
 * ones the farthest from the last. */
static void select_spread(ap_candidate_list *list, uint32_t most)
{
    double to_chosen[AP_MOST_CANDIDATES];
    uint32_t next = find_deepest(list);
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

static void write_contact_point(const contact_features *f, const ap_candidate *c, double radius_a, double radius_b,
                                apart_contact_point *out)
{
    const ap_contact_frame *t = &f->frame;
    const double back = 1.0 / t->scale; /* a power of two */
    const ap_feature_name name_a = name_on_a(f, c), name_b = name_on_b(f, c);
    const apart_vec3 over = ap_add(t->origin, ap_add(ap_scale(c->x * back, t->x), ap_scale(c->y * back, t->y)));
    out->a = ap_add(over, ap_scale((c->height_a + radius_a) * back, t->normal));
    out->b = ap_add(over, ap_scale((c->height_b - radius_b) * back, t->normal));
    out->distance = (candidate_gap(c) - (radius_a + radius_b)) * back;
    out->id = (uint64_t)name_code(&name_a) << 32 | name_code(&name_b);
    out->number_a = name_a.number;
    out->number_b = name_b.number;
    out->kind_a = name_a.kind;
    out->kind_b = name_b.kind;
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

static void fill_manifold(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                          const apart_pose *pose_b, double margin, uint32_t most, apart_manifold *m)
{
    const apart_result *r = &m->result;
    contact_features f;
    ap_candidate_list list;
    f.frame = make_contact_frame(a, b, r);
    const double radius_a = a->radius * f.frame.scale, radius_b = b->radius * f.frame.scale,
                 radii = radius_a + radius_b;
    ap_feature_find(a, pose_a, r->normal, ap_sub(r->a, ap_scale(a->radius, r->normal)), &f.frame, &f.a);
    ap_feature_find(b, pose_b, ap_neg(r->normal), ap_add(r->b, ap_scale(b->radius, r->normal)), &f.frame, &f.b);
    ap_features_intersect(&f.a, &f.b, &list);
    /* The witness points are on the height axis. The frame's origin is halfway between the surfaces; the point halfway
     * between the cores is this much higher. */
    const double middle = 0.5 * (radius_b - radius_a), half = 0.5 * (r->distance * f.frame.scale + radii);
    const ap_candidate witness = {0.0, 0.0, middle - half, middle + half, AP_WITNESS_POINTS, 0, 0};
    keep_within_margin(&list, &f, margin * f.frame.scale + radii, &witness);
    select_spread(&list, most);
    m->count = list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        write_contact_point(&f, &list.at[i], radius_a, radius_b, &m->points[i]);
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
