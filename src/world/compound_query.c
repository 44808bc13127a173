/* Queries of compounds by branch and bound (Lindemann 2009 section 3.3, item L6): pairs of boxes of the two trees, the nearer ones first; a pair
 * of boxes that is known to be as far apart as the best pair of parts so far is left alone with all that is in it.
 *
 * We differ in the bound. Boxes of either tree are parallel to their own body, so the gap is measured along the axes of both bodies (three
 * axes each, after Gottschalk, Lin and Manocha 1996) and along the normal of the best pair so far, which is the direction that matters.
 *
 * All is computed in a frame with the world's axes and A's origin, so that a common offset of both bodies costs no accuracy. */
#include "solid.h"

/* One side of the query: the tree of a compound, or a shape as a tree of one leaf. */
typedef struct side {
    const ap_part_node *nodes;
    const apart_part *parts;   /* NULL: a shape */
    const apart_shape *shape;
    apart_pose pose;           /* of the body, in the query's frame */
    ap_part_node only;         /* of a shape */
    double size;               /* measure of rounding */
} side;

typedef struct search {
    side side[2];
    apart_mat3 b_in_a, abs_b_in_a; /* B's axes in A's frame */
    apart_vec3 offset;             /* B's origin in A's frame */
    double slack;                  /* what rounding can do to a bound */
    double widening;               /* and the joining of poses to a distance */
    int plane;                     /* which side is a half-space: 0, 1, or -1 */
    apart_vec3 normal;             /* of the best pair, in A's frame; or of the half-space, pointing out of it */
    bool has_normal;
    apart_options options;
    double cutoff;                 /* INFINITY: none */
    double least;                  /* smallest lower bound of the pairs looked at */
    double most;                   /* smallest upper bound */
    bool pruned, any;
    bool open;                     /* a first result is still needed, however far */
    apart_compound_result best;
    apart_cache best_cache;        /* of the best pair */
    uint32_t first[2];             /* the cache's pair, which is looked at first */
} search;

/* Two nodes and a lower bound of their distance. */
typedef struct task {
    uint32_t node[2];
    double bound;
} task;

/* ---- boxes of shapes ---- */

static void include(ap_part_node *node, const apart_vec3 *points, int count)
{
    apart_vec3 min = points[0], max = points[0];
    for (int i = 1; i < count; i++) {
        min = ap_vec(ap_min(min.x, points[i].x), ap_min(min.y, points[i].y), ap_min(min.z, points[i].z));
        max = ap_vec(ap_max(max.x, points[i].x), ap_max(max.y, points[i].y), ap_max(max.z, points[i].z));
    }
    node->center = ap_add(ap_scale(0.5, min), ap_scale(0.5, max));
    node->half = ap_sub(ap_scale(0.5, max), ap_scale(0.5, min));
}

/* The box of a shape in its own frame, from its parameters where they tell it, else around its ball. Rounding is part of the search's slack. */
static void set_only_node(ap_part_node *node, const apart_shape *shape)
{
    *node = (ap_part_node){.center = {0.0, 0.0, 0.0}};
    double more = shape->radius + shape->error;
    switch (shape->kind) {
    case APART_SHAPE_POINT: include(node, shape->u.point, 1); break;
    case APART_SHAPE_SEGMENT: include(node, shape->u.point, 2); break;
    case APART_SHAPE_TRIANGLE: include(node, shape->u.point, 3); break;
    case APART_SHAPE_BOX: node->half = shape->u.half_extents; break;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE: node->half = ap_vec(shape->u.round.radius, shape->u.round.radius, shape->u.round.half_height); break;
    case APART_SHAPE_ELLIPSOID: node->half = shape->u.semi_axes; break;
    default:
        node->center = shape->center;
        more += shape->bound;
        break;
    }
    node->half = ap_add(node->half, ap_vec(more, more, more));
}

static void set_side(side *s, apart_solid solid)
{
    if (solid.compound != NULL) {
        s->nodes = solid.compound->nodes;
        s->parts = solid.compound->parts;
        s->shape = NULL;
        s->size = solid.compound->reach;
        return;
    }
    s->parts = NULL;
    s->shape = solid.shape;
    s->nodes = &s->only;
    if (ap_solid_is_half_space(solid)) {
        s->only = (ap_part_node){.part = 0};
        s->size = fabs(solid.shape->u.plane.offset);
    } else {
        set_only_node(&s->only, solid.shape);
        s->size = ap_norm(solid.shape->center) + solid.shape->bound + solid.shape->radius;
    }
}

/* ---- bounds ---- */

static double dot_abs(apart_vec3 a, apart_vec3 b) { return fabs(a.x) * b.x + fabs(a.y) * b.y + fabs(a.z) * b.z; }

/* The gap of a box on one side of a half-space; it may be negative inside. */
static double plane_gap(const search *s, const ap_part_node *box)
{
    const int other = 1 - s->plane;
    const apart_pose *plane_pose = &s->side[s->plane].pose, *pose = &s->side[other].pose;
    const apart_vec3 n = ap_apply(&plane_pose->rotation, s->side[s->plane].shape->u.plane.normal);
    const apart_vec3 middle = ap_sub(ap_add(ap_apply(&pose->rotation, box->center), pose->translation), plane_pose->translation);
    const double offset = s->side[s->plane].shape->u.plane.offset + s->side[s->plane].shape->radius;
    return ap_dot(n, middle) - dot_abs(ap_apply_transposed(&pose->rotation, n), box->half) - offset;
}

/* The largest of the gaps along the axes of A, the axes of B and the best pair's normal, as a lower bound >= 0. */
static double node_bound(const search *s, const ap_part_node *a, const ap_part_node *b)
{
    if (s->plane >= 0) {
        return ap_max(plane_gap(s, s->plane == 0 ? b : a) - s->slack, 0.0);
    }
    const apart_vec3 c = ap_sub(ap_add(ap_apply(&s->b_in_a, b->center), s->offset), a->center);
    const apart_vec3 ea = ap_add(a->half, ap_apply(&s->abs_b_in_a, b->half));
    const double in_a = ap_gap_norm(fabs(c.x) - ea.x, fabs(c.y) - ea.y, fabs(c.z) - ea.z);
    const apart_vec3 d = ap_apply_transposed(&s->b_in_a, c);
    const apart_vec3 eb = ap_add(b->half, ap_apply_transposed(&s->abs_b_in_a, a->half));
    const double in_b = ap_gap_norm(fabs(d.x) - eb.x, fabs(d.y) - eb.y, fabs(d.z) - eb.z);
    double bound = ap_max(in_a, in_b);
    if (s->has_normal) {
        const apart_vec3 n = s->normal;
        bound = ap_max(bound, ap_dot(n, c) - dot_abs(n, a->half) - dot_abs(ap_apply_transposed(&s->b_in_a, n), b->half));
    }
    return ap_max(bound - s->slack, 0.0);
}

/* Pairs of boxes at least this far apart need no look. */
static double threshold(const search *s) { return ap_min(s->most, s->cutoff); }

static bool is_far(const search *s, double bound) { return bound > 0.0 && bound >= threshold(s); }

/* ---- setting up ---- */

/* Joined poses: an entry of a product of rotations is off by 3 u, so a point by 9 u of its distance from the part's origin; a translation by 7 u of
 * what is added, of which u is the difference of the bodies' origins. 16 u of all covers it, on either side. */
static const double joining = 16.0 * 0.5 * DBL_EPSILON;

/* Of a gap of boxes: products of three terms, twice, and a few sums. Where |RtR - I| <= d, three axes are d from square and unit: 3 d of either
 * extent and 3/2 d of the distance. */
static const double bound_rounding = 32.0 * DBL_EPSILON;
static const double defect_share = 8.0;

static apart_status set_frame(search *s, const apart_pose *pose_a, const apart_pose *pose_b)
{
    const apart_vec3 between = ap_sub(pose_b->translation, pose_a->translation);
    apart_status status = apart_pose_check(pose_a);
    if (status == APART_OK) {
        status = apart_pose_check(pose_b);
    }
    if (status != APART_OK) {
        return status;
    }
    if (!ap_finite(between)) {
        return APART_ERR_OVERFLOW;
    }
    s->side[0].pose = (apart_pose){pose_a->rotation, {0.0, 0.0, 0.0}};
    s->side[1].pose = (apart_pose){pose_b->rotation, between};
    const apart_mat3 *a = &pose_a->rotation, *b = &pose_b->rotation;
    s->b_in_a = (apart_mat3){ap_apply_transposed(a, b->x), ap_apply_transposed(a, b->y), ap_apply_transposed(a, b->z)};
    const apart_mat3 *m = &s->b_in_a;
    s->abs_b_in_a = (apart_mat3){{fabs(m->x.x), fabs(m->x.y), fabs(m->x.z)}, {fabs(m->y.x), fabs(m->y.y), fabs(m->y.z)},
                                 {fabs(m->z.x), fabs(m->z.y), fabs(m->z.z)}};
    s->offset = ap_apply_transposed(a, between);
    bool proper;
    const double defect = ap_max(ap_rotation_defect(a, &proper), ap_rotation_defect(b, &proper));
    const double size = s->side[0].size + s->side[1].size + ap_norm(between);
    s->slack = (bound_rounding + defect_share * defect) * size;
    s->widening = joining * size;
    return isfinite(size) ? APART_OK : APART_ERR_OVERFLOW;
}

static apart_status prepare(search *s, apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                            const apart_options *options)
{
    static const apart_options defaults;
    set_side(&s->side[0], a);
    set_side(&s->side[1], b);
    s->plane = ap_solid_is_half_space(a) ? 0 : ap_solid_is_half_space(b) ? 1 : -1;
    s->has_normal = s->pruned = s->any = false;
    s->open = true;
    s->first[0] = s->first[1] = UINT32_MAX;
    s->options = options != NULL ? *options : defaults;
    s->options.trace = NULL;
    s->cutoff = s->options.cutoff > 0.0 ? s->options.cutoff : INFINITY;
    s->least = s->most = INFINITY;
    s->best.queries = s->best.boxes = 0;
    if (!(s->options.cutoff >= 0.0)) {
        return APART_ERR_OPTION;
    }
    return set_frame(s, pose_a, pose_b);
}

/* ---- looking at parts ---- */

static const apart_shape *part_of(const side *s, uint32_t part, apart_pose *pose)
{
    if (s->parts == NULL) {
        *pose = s->pose;
        return s->shape;
    }
    *pose = apart_pose_compose(&s->pose, &s->parts[part].pose);
    return &s->parts[part].shape;
}

/* Keeps the better of the best and this pair; both count for the bounds. */
static void note(search *s, const apart_result *r, const uint32_t part[2], const apart_cache *cache)
{
    s->least = ap_min(s->least, r->lower - s->widening);
    s->most = ap_min(s->most, r->upper + s->widening);
    if (s->any && !(r->distance < s->best.result.distance)) {
        return;
    }
    s->any = true;
    s->open = false;
    s->best.result = *r;
    s->best.part_a = part[0];
    s->best.part_b = part[1];
    s->best_cache = *cache;
    if (s->plane < 0 && r->lower > 0.0) {
        s->has_normal = true;
        s->normal = ap_apply_transposed(&s->side[0].pose.rotation, r->normal);
    }
}

static apart_status look_at_distance(search *s, const uint32_t part[2], apart_cache cache)
{
    apart_pose pose_a, pose_b;
    apart_result r;
    const apart_shape *a = part_of(&s->side[0], part[0], &pose_a), *b = part_of(&s->side[1], part[1], &pose_b);
    /* Nearer than the best or not is all that is asked; below zero, apart or not. */
    const double limit = threshold(s);
    s->options.cutoff = limit == INFINITY ? 0.0 : ap_max(limit, DBL_MIN);
    const apart_status status = apart_distance(a, &pose_a, b, &pose_b, &s->options, &cache, &r);
    if (status == APART_OK) {
        s->best.queries++;
        note(s, &r, part, &cache);
    }
    return status;
}

/* Without a depth, the first overlap is the answer. */
static bool is_settled(const search *s) { return s->any && s->best.result.lower == -INFINITY; }

static apart_status look_at_overlap(search *s, const uint32_t part[2], apart_cache cache)
{
    apart_pose pose_a, pose_b;
    const apart_shape *a = part_of(&s->side[0], part[0], &pose_a), *b = part_of(&s->side[1], part[1], &pose_b);
    int overlap;
    const apart_status status = apart_overlap(a, &pose_a, b, &pose_b, &s->options, &cache, &overlap);
    if (status != APART_OK) {
        return status;
    }
    s->best.queries++;
    if (overlap || !s->any) {
        s->any = true;
        s->best.result.lower = overlap ? -INFINITY : 0.0;
        s->best.part_a = part[0];
        s->best.part_b = part[1];
        s->best_cache = cache;
    }
    return APART_OK;
}

/* ---- the walk ---- */

typedef apart_status look_fn(search *s, const uint32_t part[2], apart_cache cache);

/* The larger box is taken apart. */
static int side_to_split(const ap_part_node *a, const ap_part_node *b)
{
    if (a->first_child == 0 || b->first_child == 0) {
        return a->first_child == 0 ? 1 : 0;
    }
    return a->half.x + a->half.y + a->half.z >= b->half.x + b->half.y + b->half.z ? 0 : 1;
}

static task make_task(search *s, uint32_t node_a, uint32_t node_b)
{
    s->best.boxes++;
    return (task){{node_a, node_b}, node_bound(s, &s->side[0].nodes[node_a], &s->side[1].nodes[node_b])};
}

/* Both children of one side against the other side's node; the nearer one is put on top. */
static size_t split(search *s, const task *t, task *stack, size_t count)
{
    const int which = side_to_split(&s->side[0].nodes[t->node[0]], &s->side[1].nodes[t->node[1]]);
    const uint32_t child = s->side[which].nodes[t->node[which]].first_child;
    const task first = which == 0 ? make_task(s, child, t->node[1]) : make_task(s, t->node[0], child);
    const task second = which == 0 ? make_task(s, child + 1, t->node[1]) : make_task(s, t->node[0], child + 1);
    const bool swap = second.bound < first.bound;
    stack[count] = swap ? first : second;
    stack[count + 1] = swap ? second : first;
    return count + 2;
}

/* A split takes one task away and puts two there, each a level deeper. */
enum { STACK_SIZE = 2 * AP_PART_LEVELS + 2 };

static bool is_leaf_pair(const search *s, const task *t)
{
    return s->side[0].nodes[t->node[0]].first_child == 0 && s->side[1].nodes[t->node[1]].first_child == 0;
}

/* The pair of leaves whose boxes are nearest: a good first guess, and no query is spent on finding it. */
static void guess_first(search *s, uint32_t part[2])
{
    task stack[STACK_SIZE];
    size_t count = 1;
    double nearest = INFINITY;
    stack[0] = make_task(s, 0, 0);
    while (count > 0) {
        const task t = stack[--count];
        if (t.bound >= nearest) {
            continue;
        }
        if (!is_leaf_pair(s, &t)) {
            count = split(s, &t, stack, count);
            continue;
        }
        nearest = t.bound;
        part[0] = s->side[0].nodes[t.node[0]].part;
        part[1] = s->side[1].nodes[t.node[1]].part;
    }
}

static apart_status walk(search *s, look_fn *look)
{
    task stack[STACK_SIZE];
    size_t count = 1;
    stack[0] = make_task(s, 0, 0);
    while (count > 0 && !is_settled(s)) {
        const task t = stack[--count];
        if (!s->open && is_far(s, t.bound)) {
            s->pruned = true;
            continue;
        }
        if (!is_leaf_pair(s, &t)) {
            count = split(s, &t, stack, count);
            continue;
        }
        const uint32_t part[2] = {s->side[0].nodes[t.node[0]].part, s->side[1].nodes[t.node[1]].part};
        if (part[0] != s->first[0] || part[1] != s->first[1]) {
            const apart_status status = look(s, part, (apart_cache){.count = 0});
            if (status != APART_OK) {
                return status;
            }
        }
    }
    return APART_OK;
}

static uint32_t part_count(apart_solid solid) { return solid.compound != NULL ? solid.compound->count : 1u; }

static bool fits(const apart_compound_cache *cache, apart_solid a, apart_solid b)
{
    return cache != NULL && cache->cache.tag != 0 && cache->part_a < part_count(a) && cache->part_b < part_count(b);
}

/* The cache's pair first, or the one with the nearest boxes: mostly it decides, and then all else is far. */
static apart_status run(search *s, apart_solid a, apart_solid b, look_fn *look, apart_compound_cache *cache)
{
    const bool known = fits(cache, a, b);
    s->first[0] = known ? cache->part_a : 0;
    s->first[1] = known ? cache->part_b : 0;
    if (!known) {
        guess_first(s, s->first);
    }
    apart_status status = look(s, s->first, known ? cache->cache : (apart_cache){.count = 0});
    if (status == APART_OK) {
        status = walk(s, look);
    }
    if (status == APART_OK && cache != NULL) {
        *cache = (apart_compound_cache){s->best_cache, s->best.part_a, s->best.part_b};
    }
    return status;
}

/* From the query's frame to the world; the bounds are those of all pairs. */
static void finish(search *s, const apart_pose *pose_a, apart_compound_result *result)
{
    apart_result *r = &s->best.result;
    r->a = ap_add(r->a, pose_a->translation);
    r->b = ap_add(r->b, pose_a->translation);
    r->lower = s->pruned ? ap_min(s->least, threshold(s)) : s->least;
    r->upper = s->most;
    if (r->lower != -INFINITY) {
        r->distance = ap_min(ap_max(r->distance, r->lower), r->upper);
        r->relation = r->lower >= s->cutoff ? APART_BEYOND
                      : r->lower > 0.0      ? APART_DISJOINT
                      : r->upper < 0.0      ? APART_OVERLAPPING
                                            : APART_TOUCHING;
    }
    *result = s->best;
}

apart_status apart_compound_distance(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                     const apart_options *options, apart_compound_cache *cache, apart_compound_result *result)
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || result == NULL) {
        return APART_ERR_NULL;
    }
    if (a.shape != NULL && b.shape != NULL) {
        const apart_status status =
            apart_distance(a.shape, pose_a, b.shape, pose_b, options, cache != NULL ? &cache->cache : NULL, &result->result);
        if (status == APART_OK) {
            result->part_a = result->part_b = result->boxes = 0;
            result->queries = 1;
        }
        return status;
    }
    search s;
    apart_status status = prepare(&s, a, pose_a, b, pose_b, options);
    if (status == APART_OK) {
        status = run(&s, a, b, look_at_distance, cache);
    }
    if (status == APART_OK) {
        finish(&s, pose_a, result);
    }
    return status;
}

apart_status apart_compound_overlap(apart_solid a, const apart_pose *pose_a, apart_solid b, const apart_pose *pose_b,
                                    const apart_options *options, apart_compound_cache *cache, int *overlap, uint32_t parts[2])
{
    if (!ap_solid_is_valid(a) || !ap_solid_is_valid(b) || pose_a == NULL || pose_b == NULL || overlap == NULL) {
        return APART_ERR_NULL;
    }
    if (a.shape != NULL && b.shape != NULL) {
        if (parts != NULL) {
            parts[0] = parts[1] = 0;
        }
        return apart_overlap(a.shape, pose_a, b.shape, pose_b, options, cache != NULL ? &cache->cache : NULL, overlap);
    }
    search s;
    apart_status status = prepare(&s, a, pose_a, b, pose_b, options);
    if (status == APART_OK) {
        s.most = DBL_MIN; /* boxes with any gap are far */
        s.open = false;
        s.best_cache = (apart_cache){.count = 0};
        s.best.part_a = s.best.part_b = 0;
        status = run(&s, a, b, look_at_overlap, cache);
        *overlap = status == APART_OK ? is_settled(&s) : *overlap;
    }
    if (status == APART_OK && parts != NULL && *overlap) {
        parts[0] = s.best.part_a;
        parts[1] = s.best.part_b;
    }
    return status;
}
