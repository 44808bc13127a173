/* Two shapes of any kind, poses, options and cache bytes: a status, or an answer that the independent check does not
 * refute. */
#include <stdbool.h>
#include "fuzz.h"

enum { MOST_SHAPES = 40, MOST_NUMBERS = 400, MOST_HULLS = 4, MOST_POINTS = 16 };

/* What the shapes of one input borrow. */
typedef struct arena {
    bytes in;
    apart_shape shapes[MOST_SHAPES];
    size_t shape_count;
    double numbers[MOST_NUMBERS];
    size_t number_count;
    apart_hull *hulls[MOST_HULLS];
    size_t hull_count;
} arena;

/* The support of a box with half extents 1, 2, 0.5 as a user's callback. */
static apart_vec3 callback_support(const void *user, apart_vec3 d)
{
    (void)user;
    return (apart_vec3){d.x < 0 ? -1.0 : 1.0, d.y < 0 ? -2.0 : 2.0, d.z < 0 ? -0.5 : 0.5};
}

static apart_vec3 callback_support_2d(const void *user, apart_vec3 d)
{
    apart_vec3 p = callback_support(user, d);
    p.z = 0;
    return p;
}

static apart_shape take_callback(int dim)
{
    const apart_callback callback = {.support = dim == 2 ? callback_support_2d : callback_support, .radius = 2.5};
    return dim == 2 ? apart_callback_shape_2d(callback) : apart_callback_shape(callback);
}

/* Up to MOST_POINTS points of `dim` numbers. */
static const double *take_points(arena *a, size_t dim, size_t *count)
{
    *count = take_byte(&a->in) % (MOST_POINTS + 1);
    if (a->number_count + *count * dim > MOST_NUMBERS)
        *count = 0;
    double *points = a->numbers + a->number_count;
    for (size_t i = 0; i < *count * dim; i++)
        points[i] = take_number(&a->in);
    a->number_count += *count * dim;
    return points;
}

static apart_shape take_hull(arena *a)
{
    size_t count;
    const double *points = take_points(a, 3, &count);
    apart_hull *hull = NULL;
    if (a->hull_count == MOST_HULLS || apart_hull_build(points, count, NULL, &hull) != APART_OK)
        return apart_points(points, count);
    a->hulls[a->hull_count++] = hull;
    return apart_hull_shape(hull);
}

/* Operands of a C expression are evaluated in any order: whatever takes bytes stands in a statement of its own. */
static apart_shape take_leaf(arena *a, uint8_t kind)
{
    bytes *in = &a->in;
    size_t count;
    const double *points;
    const apart_vec3 p = take_point(in);
    const apart_vec3 sizes = {fabs(p.x), fabs(p.y), take_byte(in) < 250 ? fabs(p.z) : p.z};
    switch (kind) {
    case 0: return apart_point(p);
    case 1: return apart_segment(p, take_point(in));
    case 2: return apart_triangle(p, (apart_vec3){p.y, 1, 0}, take_point(in));
    case 3: return apart_sphere(sizes.z);
    case 4: return apart_capsule(sizes.x, sizes.z);
    case 5: return apart_cylinder(sizes.x, sizes.z);
    case 6: return apart_cone(sizes.x, sizes.z);
    case 7: return apart_ellipsoid(sizes);
    case 8: return apart_half_space(p, take_number(in));
    case 9: return take_hull(a);
    case 10: points = take_points(a, 3, &count); return apart_points(points, count);
    case 11: return take_callback(3);
    default: return apart_box(sizes);
    }
}

static apart_shape take_leaf_2d(arena *a, uint8_t kind)
{
    size_t count;
    const apart_vec3 p = take_point(&a->in);
    const double *points;
    switch (kind % 6) {
    case 0: return apart_point_2d(p.x, p.y);
    case 1: return apart_segment_2d(p.x, p.y, p.z, 1);
    case 2: return apart_circle(fabs(p.x));
    case 3: return apart_rectangle(fabs(p.x), fabs(p.y));
    case 4: return take_callback(2);
    default: points = take_points(a, 2, &count); return apart_polygon(points, count);
    }
}

static apart_mat3 take_matrix(bytes *in)
{
    apart_mat3 m;
    m.x = take_point(in);
    m.y = take_point(in);
    m.z = take_point(in);
    return m;
}

/* A shape of any kind; composites keep their children in the arena. */
static apart_shape take_shape(arena *a, int dim, int depth)
{
    const uint8_t kind = take_byte(&a->in) % 20;
    if (kind < 14 || depth == 0 || a->shape_count + 2 > MOST_SHAPES)
        return dim == 2 ? take_leaf_2d(a, kind) : take_leaf(a, kind);
    if (kind == 14) {
        const double radius = fabs(take_number(&a->in));
        return apart_rounded(take_shape(a, dim, depth - 1), radius);
    }
    apart_shape *first = &a->shapes[a->shape_count++];
    apart_shape *second = &a->shapes[a->shape_count++];
    *first = take_shape(a, dim, depth - 1);
    if (kind == 15) {
        const apart_mat3 linear = take_matrix(&a->in);
        return apart_affine(first, linear, take_point(&a->in));
    }
    *second = take_shape(a, dim, depth - 1);
    return kind < 18 ? apart_sum(first, second) : apart_hull_of_two(first, second);
}

static apart_pose take_pose(bytes *in, int dim)
{
    apart_pose pose = apart_pose_identity();
    const uint8_t kind = take_byte(in);
    apart_vec3 at = take_point(in);
    at.z = dim == 2 ? 0 : at.z;
    pose.translation = at;
    if (kind >= 128 && kind < 250) {
        const double w = take_number(in);
        const apart_vec3 v = take_point(in);
        const apart_status status =
            apart_pose_from_quat_wxyz(w, dim == 2 ? 0 : v.x, dim == 2 ? 0 : v.y, v.z, at, &pose);
        if (status != APART_OK)
            pose = apart_pose_translation(at.x, at.y, at.z);
    } else if (kind >= 250) {
        pose.rotation = take_matrix(in);
    }
    return pose;
}

static apart_options take_options(bytes *in)
{
    apart_options options = {0};
    if (take_byte(in) < 128)
        return options;
    options.solver = take_byte(in) % (APART_SOLVER_COUNT + 1);
    options.support = take_byte(in) % (APART_SUPPORT_COUNT + 1);
    options.depth = take_byte(in) % 4;
    options.no_fallback = take_byte(in) & 1;
    options.max_iterations = take_byte(in) % 32;
    options.cutoff = take_byte(in) < 64 ? take_number(in) : 0;
    options.tolerance = take_byte(in) < 64 ? take_number(in) : 0;
    return options;
}

static void take_cache(bytes *in, apart_cache *cache)
{
    uint8_t raw[sizeof *cache];
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = take_byte(in);
    memcpy(cache, raw, sizeof raw);
}

static void print_vec(const char *name, apart_vec3 v) { fprintf(stderr, " %s %.17g %.17g %.17g", name, v.x, v.y, v.z); }

static void print_pose(const char *name, const apart_pose *pose)
{
    fprintf(stderr, "%s:", name);
    print_vec("columns", pose->rotation.x);
    print_vec("", pose->rotation.y);
    print_vec("", pose->rotation.z);
    print_vec("at", pose->translation);
    fputc('\n', stderr);
}

static void print_points(const apart_shape *shape)
{
    const size_t n = shape->kind == APART_SHAPE_HULL ? apart_hull_vertex_count(shape->u.hull) : shape->u.points.count;
    for (size_t i = 0; i < n; i++) {
        const double *p = shape->u.points.coordinates + i * shape->dim;
        if (shape->kind == APART_SHAPE_HULL)
            print_vec("", apart_hull_vertex(shape->u.hull, (uint32_t)i));
        else
            print_vec("", (apart_vec3){p[0], p[1], shape->dim == 3 ? p[2] : 0});
    }
}

/* The shape in words and numbers, for whoever looks into a crash. */
static void print_shape(const apart_shape *shape, int indent)
{
    fprintf(stderr, "%*s%s, dim %d, radius %.17g:", indent, "", apart_shape_name(shape), shape->dim, shape->radius);
    if (shape->kind == APART_SHAPE_HULL || shape->kind == APART_SHAPE_POINTS)
        print_points(shape);
    else if (shape->kind < APART_SHAPE_HULL)
        for (int i = 0; i < 3; i++) /* the first numbers of the union, whatever their names are */
            print_vec("", shape->u.point[i]);
    else if (shape->kind == APART_SHAPE_AFFINE)
        print_pose("", &(apart_pose){shape->u.affine.linear, shape->u.affine.offset});
    fputc('\n', stderr);
    if (shape->kind == APART_SHAPE_AFFINE)
        print_shape(shape->u.affine.child, indent + 2);
    if (shape->kind == APART_SHAPE_SUM || shape->kind == APART_SHAPE_HULL_OF_TWO) {
        print_shape(shape->u.pair.first, indent + 2);
        print_shape(shape->u.pair.second, indent + 2);
    }
}

static void print_query(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                        const apart_options *options, const apart_result *r, const apart_proof *proof)
{
    print_shape(a, 0);
    print_pose("pose of A", pose_a);
    print_shape(b, 0);
    print_pose("pose of B", pose_b);
    fprintf(stderr, "solver %d support %d depth %d no_fallback %d max_iterations %u cutoff %.17g tolerance %.17g\n",
            options->solver, options->support, options->depth, options->no_fallback, (unsigned)options->max_iterations,
            options->cutoff, options->tolerance);
    fprintf(stderr, "%s, %s, after %d iterations: %.17g in [%.17g, %.17g],", apart_relation_name(r->relation),
            apart_stop_name(r->stop), r->iterations, r->distance, r->lower, r->upper);
    print_vec("normal", r->normal);
    print_vec("a", r->a);
    print_vec("b", r->b);
    fputc('\n', stderr);
    fprintf(stderr, "%s: %s, proved [%.17g, %.17g]\n", apart_verdict_name(proof->verdict), proof->reason, proof->lower,
            proof->upper);
}

/* Where a product of lengths is a multiple of 2^-1074 only, bounds may miss the distance by a few of them. */
static bool is_subnormal(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const apart_vec3 between = apart_vec3_sub(pose_b->translation, pose_a->translation);
    return (a->bound + b->bound) + (a->radius + b->radius) + apart_vec3_norm(a->center) + apart_vec3_norm(b->center) +
               apart_vec3_norm(between) <
           0x1p-1000;
}

/* One query, its promises, and the independent check. Returns the status. */
static apart_status check_query(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                                const apart_pose *pose_b, const apart_options *options, apart_cache *cache)
{
    apart_result r, untouched;
    memset(&r, 0xa5, sizeof r);
    memset(&untouched, 0xa5, sizeof untouched);
    const apart_status status = apart_distance(a, pose_a, b, pose_b, options, cache, &r);
    if (status != APART_OK) {
        check(memcmp(&r, &untouched, sizeof r) == 0, "the result is untouched after an error");
        return status;
    }
    check(isfinite(r.distance), "the distance is finite");
    check(r.lower <= r.distance && r.distance <= r.upper, "the distance lies between its bounds");
    check(r.relation != APART_DISJOINT || r.lower > 0, "disjoint means lower > 0");
    check(r.relation != APART_BEYOND || r.lower >= options->cutoff, "beyond means lower >= cut-off");
    apart_proof proof = {.reason = "no verdict"};
    const apart_status checked = apart_verify(a, pose_a, b, pose_b, &r, &proof);
    /* Beside a callback the check cannot tell whose support left the range of doubles; without the fallback a solver
     * may be wrong. */
    const bool callback = a->kind == APART_SHAPE_CALLBACK || b->kind == APART_SHAPE_CALLBACK;
    const bool fine = checked == APART_OK || (checked == APART_ERR_CALLBACK && callback);
    const bool refuted = checked == APART_OK && proof.verdict == APART_REFUTED && options->no_fallback == 0 &&
                         !is_subnormal(a, pose_a, b, pose_b);
    if (!fine || refuted)
        print_query(a, pose_a, b, pose_b, options, &r, &proof);
    check(fine, apart_status_name(checked));
    check(!refuted, "the result is not refuted");
    return APART_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena m = {.in = {data, size}};
    const uint8_t dims = take_byte(&m.in);
    const int dim_a = dims % 4 == 1 ? 2 : 3, dim_b = dims % 16 == 7 ? 5 - dim_a : dim_a;
    apart_cache cache;
    const apart_options options = take_options(&m.in);
    const apart_pose pose_a = take_pose(&m.in, dim_a);
    const apart_pose pose_b = take_pose(&m.in, dim_b);
    const apart_shape a = take_shape(&m, dim_a, 3);
    const apart_shape b = take_shape(&m, dim_b, 3);
    take_cache(&m.in, &cache);
    /* With foreign bytes in the cache, with what the query left there, and without a cache. */
    const apart_status status = check_query(&a, &pose_a, &b, &pose_b, &options, &cache);
    check(check_query(&a, &pose_a, &b, &pose_b, &options, &cache) == status, "a warm query has the same status");
    check(check_query(&a, &pose_a, &b, &pose_b, &options, NULL) == status, "a cold query has the same status");
    for (size_t i = 0; i < m.hull_count; i++)
        apart_hull_free(m.hulls[i]);
    return 0;
}
