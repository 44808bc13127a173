/* Half a million overlapping pairs a seed, of 4 to 30 vertices: random ones, lattices, boxes aligned and tilted,
 * coplanar faces, plates through solids, needles, extreme scales, large common offsets. Each answer's own proof is
 * checked by scans over all vertices: the normal separates by `lower`, the witness points belong to the bodies, no
 * direction tried here has a smaller depth. Some are compared with the exhaustive search over the faces of the
 * Minkowski difference in exact arithmetic.
 *
 * usage: test_depth_stress [SEED [PAIRS]] */
#include "depth_checks.h"
#include "run_suite.h"
#include "minkowski_depth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PAIRS 500000
#define EXACT_STRIDE 10
/* The exhaustive search costs |A|^2 |B|^2: larger pairs are given to it more rarely. */
#define EXACT_SMALL 150u
#define EXACT_LARGE_STRIDE 80
#define WIDTH_ALLOWED 1e-11 /* of M */
/* In eps * M: rounding of the scans here, and of b - a = distance * normal. */
#define SCAN_ROUNDING 16.0
#define WITNESS_ROUNDING 64.0

#define KINDS 16

static uint64_t seed = 1;
static unsigned long pairs = DEFAULT_PAIRS;

typedef struct stress {
    random_source random;
    hull_pool pool;
    unsigned long number; /* of the pair */
    unsigned long failures, overlapping, touching, disjoint, compared, evaluated;
    unsigned long stops[APART_STOP_WORKSPACE + 1];
    struct {
        const char *what;
        unsigned long count;
    } kinds[KINDS];       /* of failures */
    double widest, worst; /* widest bounds and worst error in eps * M */
} stress;

typedef struct trial {
    test_pair pair;
    apart_result result;
    double magnitude;
    scene scene;
} trial;

static void print_pose(const char *name, const apart_pose *p)
{
    printf("   %s %a %a %a  %a %a %a  %a %a %a  at %a %a %a\n", name, p->rotation.x.x, p->rotation.x.y, p->rotation.x.z,
           p->rotation.y.x, p->rotation.y.y, p->rotation.y.z, p->rotation.z.x, p->rotation.z.y, p->rotation.z.z,
           p->translation.x, p->translation.y, p->translation.z);
}

/* The first few of each kind are printed. */
static bool is_news(stress *s, const char *what)
{
    int k = 0;
    while (k < KINDS - 1 && s->kinds[k].what != NULL && strcmp(s->kinds[k].what, what) != 0) {
        k++;
    }
    s->kinds[k].what = what;
    return ++s->kinds[k].count <= 4;
}

static void complain(stress *s, const trial *t, const char *what, double value)
{
    s->failures++;
    if (!is_news(s, what)) {
        return;
    }
    const apart_result *r = &t->result;
    printf("seed %" PRIu64 " pair %lu (%s, %s %zu/%s %zu): %s %.17g\n", seed, s->number, t->pair.family,
           apart_shape_name(&t->pair.a), t->scene.a.count, apart_shape_name(&t->pair.b), t->scene.b.count, what, value);
    printf("   distance %.17g in [%.17g, %.17g], %s, stop %s, M %.3g\n", r->distance, r->lower, r->upper,
           apart_relation_name(r->relation), apart_stop_name(r->stop), t->magnitude);
    print_pose("pose A", &t->pair.pose_a);
    print_pose("pose B", &t->pair.pose_b);
    fflush(stdout); /* a failing test ends without flushing */
}

/* ------------------------------------------------ pairs that overlap */

static void set_points(double *xyz, size_t i, apart_vec3 p)
{
    xyz[3 * i] = p.x;
    xyz[3 * i + 1] = p.y;
    xyz[3 * i + 2] = p.z;
}

static size_t random_count(random_source *r) { return 4 + random_below(r, 27); }

static size_t fill_ball(random_source *r, double *xyz, apart_vec3 extents)
{
    const size_t n = random_count(r);
    for (size_t i = 0; i < n; i++) {
        const apart_vec3 p = random_in_ball(r);
        set_points(xyz, i, vec(p.x * extents.x, p.y * extents.y, p.z * extents.z));
    }
    return n;
}

/* Between round numbers: vertices repeat, faces have many vertices, everything ties. */
static size_t fill_lattice(random_source *r, double *xyz)
{
    const size_t n = random_count(r);
    const unsigned span = 2 + random_below(r, 4);
    for (size_t i = 0; i < n; i++) {
        const unsigned x = random_below(r, span), y = random_below(r, span), z = random_below(r, span);
        set_points(xyz, i, vec(x, y, z));
    }
    return n;
}

/* Half extents: whole numbers, or one or two that are tiny or zero. */
static apart_vec3 random_extents(random_source *r)
{
    const double x = 1 + random_below(r, 3), y = 1 + random_below(r, 3), z = 1 + random_below(r, 3);
    const double thin = random_magnitude(r, -9, 0), thinner = random_magnitude(r, -13, 0), width = random_unit(r);
    switch (random_below(r, 6)) {
    case 0: /* needle */ return vec(thin, thinner, 1.0);
    case 1: /* thin plate */ return vec(1.0, width, thinner);
    case 2: /* plate without thickness */ return vec(x, 0.0, 1.0);
    case 3: return vec(width, thin, 1.0);
    default: return vec(x, y, z);
    }
}

static apart_shape scaled_points(double *xyz, size_t n, double scale)
{
    for (size_t i = 0; i < 3 * n; i++) {
        xyz[i] *= scale;
    }
    return apart_points(xyz, n);
}

static apart_shape make_body(stress *s, double *xyz, double scale)
{
    random_source *r = &s->random;
    switch (random_below(r, 8)) {
    case 0:
    case 1: return apart_box(apart_vec3_scale(scale, random_extents(r)));
    case 2:
    case 3:
        if (scale == 1.0) {
            return apart_hull_shape(s->pool.hulls[random_below(r, HULL_POOL_SIZE)]);
        }
        return scaled_points(xyz, fill_ball(r, xyz, vec(1, 1, 1)), scale);
    case 4: return scaled_points(xyz, fill_lattice(r, xyz), scale);
    case 5: {
        const size_t n = random_body(r, xyz);
        return scaled_points(xyz, n > 30 ? 30 : n, scale);
    }
    case 6: return scaled_points(xyz, fill_ball(r, xyz, random_extents(r)), scale);
    default: return scaled_points(xyz, fill_ball(r, xyz, vec(1, 1, 1)), scale);
    }
}

/* A point of the body, turned into the world: a weighted mean of some vertices, or of round weights. */
static apart_vec3 inner_point(random_source *r, const apart_shape *shape, const apart_pose *pose, bool round)
{
    vertex_list v;
    apart_vec3 sum = {0, 0, 0};
    double weights = 0.0;
    v.count = shape_vertices(shape, v.xyz);
    for (size_t i = 0; i < 4; i++) {
        const double u = random_unit(r), weight = round ? 0.25 : u * u;
        sum = apart_vec3_add_scaled(sum, weight, vertex_of(&v, random_below(r, (unsigned)v.count)));
        weights += weight;
    }
    return apart_pose_rotate(pose, apart_vec3_scale(1.0 / weights, sum));
}

/* A turn about one axis with a small sine. */
static apart_pose tilt(random_source *r)
{
    const double sine = random_magnitude(r, -17, -1), cosine = sqrt(1.0 - sine * sine);
    apart_pose pose = apart_pose_identity();
    switch (random_below(r, 3)) {
    case 0: pose.rotation = (apart_mat3){{1, 0, 0}, {0, cosine, sine}, {0, -sine, cosine}}; break;
    case 1: pose.rotation = (apart_mat3){{cosine, 0, -sine}, {0, 1, 0}, {sine, 0, cosine}}; break;
    default: pose.rotation = (apart_mat3){{cosine, sine, 0}, {-sine, cosine, 0}, {0, 0, 1}}; break;
    }
    return pose;
}

/* Moves B so that the bodies overlap along n by `depth`, at a vertex of each. */
static void push_in(test_pair *p, apart_vec3 n, double depth)
{
    vertex_list v;
    apart_vec3 on_a = {0, 0, 0}, on_b = {0, 0, 0};
    double most = -INFINITY, least = INFINITY;
    v.count = shape_vertices(&p->a, v.xyz);
    for (size_t i = 0; i < v.count; i++) {
        const apart_vec3 x = apart_pose_rotate(&p->pose_a, vertex_of(&v, i));
        if (apart_vec3_dot(n, x) > most) {
            most = apart_vec3_dot(n, x);
            on_a = x;
        }
    }
    v.count = shape_vertices(&p->b, v.xyz);
    for (size_t i = 0; i < v.count; i++) {
        const apart_vec3 x = apart_pose_rotate(&p->pose_b, vertex_of(&v, i));
        if (apart_vec3_dot(n, x) < least) {
            least = apart_vec3_dot(n, x);
            on_b = x;
        }
    }
    p->pose_b.translation = apart_vec3_add_scaled(apart_vec3_sub(on_a, on_b), -depth, n);
}

static void place(stress *s, test_pair *p, double scale)
{
    random_source *r = &s->random;
    const apart_pose identity = apart_pose_identity();
    const unsigned way = random_below(r, 6);
    p->pose_a = p->pose_b = identity;
    if (way != 0) {
        p->pose_a.rotation = random_rotation(r);
        p->pose_b.rotation = random_rotation(r);
    }
    if (way == 1) {
        const apart_pose small = tilt(r);
        p->pose_b = apart_pose_compose(&p->pose_a, &small);
    } else if (way == 2) {
        p->pose_b.rotation = p->pose_a.rotation;
    }
    if (way == 3) {
        apart_vec3 n;
        do {
            n = random_in_ball(r);
        } while (!(apart_vec3_norm(n) > 0.1));
        n = random_below(r, 2) == 0 ? vec(0, 0, 1) : apart_vec3_scale(1.0 / apart_vec3_norm(n), n);
        push_in(p, n, scale * random_magnitude(r, -16, 0));
        p->family = "pushed in";
        return;
    }
    const bool round = way == 0 || random_below(r, 4) == 0;
    const apart_vec3 in_a = inner_point(r, &p->a, &p->pose_a, round), in_b = inner_point(r, &p->b, &p->pose_b, round);
    p->pose_b.translation = apart_vec3_sub(in_a, in_b);
    static const char *const names[] = {"aligned", "tilted", "parallel", "", "random", "random"};
    p->family = names[way];
}

static double random_scale(random_source *r)
{
    switch (random_below(r, 10)) {
    case 0: return random_magnitude(r, -150, -100);
    case 1: return random_magnitude(r, 80, 120);
    case 2: return random_magnitude(r, -9, 9);
    default: return 1.0;
    }
}

static void generate(stress *s, test_pair *p)
{
    random_source *r = &s->random;
    const double scale = random_scale(r), ratio = random_below(r, 10) == 0 ? random_magnitude(r, -9, 0) : 1.0;
    p->a = make_body(s, p->points_a, scale);
    p->b = make_body(s, p->points_b, scale * ratio);
    place(s, p, scale * ratio);
    if (random_below(r, 10) == 0) {
        const apart_vec3 offset = apart_vec3_scale(scale * random_magnitude(r, 0, 8), random_in_ball(r));
        p->pose_a.translation = apart_vec3_add(p->pose_a.translation, offset);
        p->pose_b.translation = apart_vec3_add(p->pose_b.translation, offset);
    }
}

/* ------------------------------------------------ what every answer must be */

static bool check_form(stress *s, trial *t, apart_status status)
{
    const apart_result *r = &t->result;
    if (status != APART_OK) {
        complain(s, t, "status", status);
        return false;
    }
    if (!isfinite(r->distance) || !isfinite(r->lower) || !isfinite(r->upper) || !is_finite(r->a) || !is_finite(r->b) ||
        !is_finite(r->normal)) {
        complain(s, t, "not finite", r->distance);
        return false;
    }
    const double width = r->upper - r->lower;
    s->widest = fmax(s->widest, width > 0.0 ? width / (EPS * t->magnitude) : 0.0);
    s->stops[r->stop]++;
    s->overlapping += r->relation == APART_OVERLAPPING;
    s->touching += r->relation == APART_TOUCHING;
    s->disjoint += r->relation == APART_DISJOINT;
    if (!(width <= WIDTH_ALLOWED * t->magnitude)) {
        complain(s, t, "bounds too wide, of M:", width / t->magnitude);
    }
    if (!(r->lower <= r->distance && r->distance <= r->upper)) {
        complain(s, t, "not between its bounds", r->distance);
    }
    if (!(fabs(apart_vec3_norm(r->normal) - 1.0) <= 4.0 * EPS)) {
        complain(s, t, "the normal's length is", apart_vec3_norm(r->normal));
    }
    return true;
}

/* The vertex a caller's index names: hulls count the points they were built from. */
static bool find_vertex(const apart_shape *shape, const vertex_list *v, uint32_t index, apart_vec3 *out)
{
    size_t i = index;
    if (shape->kind == APART_SHAPE_HULL) {
        for (i = 0; i < v->count && apart_hull_input_index(shape->u.hull, (uint32_t)i) != index; i++) {}
    }
    if (i >= v->count) {
        return false;
    }
    *out = vertex_of(v, i);
    return true;
}

/* The witness points are weighted means of the vertices named, and differ by distance * normal. */
static void check_witness(stress *s, const trial *t)
{
    const apart_result *r = &t->result;
    const double m = t->scene.unit * t->magnitude;
    apart_vec3 sum = t->scene.between;
    double weights = 0.0;
    for (int i = 0; i < r->count; i++) {
        apart_vec3 a, b;
        if (!(r->lambda[i] >= 0.0) || !find_vertex(&t->pair.a, &t->scene.a, r->index_a[i], &a) ||
            !find_vertex(&t->pair.b, &t->scene.b, r->index_b[i], &b)) {
            complain(s, t, "a witness simplex that is none", i);
            return;
        }
        sum = apart_vec3_add_scaled(sum, r->lambda[i], apart_vec3_sub(b, a));
        weights += r->lambda[i];
    }
    if (!(fabs(weights - 1.0) <= 16.0 * EPS)) {
        complain(s, t, "the weights' sum is", weights);
    }
    const apart_vec3 expected = apart_vec3_scale(t->scene.unit * r->distance, r->normal);
    const double off = apart_vec3_distance(sum, expected);
    const double allowed = WITNESS_ROUNDING * EPS * m + t->scene.unit * (r->upper - r->lower);
    if (!(off <= allowed)) {
        complain(s, t, "the simplex misses distance * normal by (eps M)", off / (EPS * m));
    }
    const double coordinate = t->scene.unit * fmax(largest(r->a), largest(r->b));
    const apart_vec3 rest = apart_vec3_sub(apart_vec3_scale(t->scene.unit, apart_vec3_sub(r->b, r->a)), expected);
    if (!(apart_vec3_norm(rest) <= allowed + 8.0 * EPS * coordinate)) {
        complain(s, t, "b - a misses distance * normal by (eps M)", apart_vec3_norm(rest) / (EPS * m));
    }
}

/* The normal proves `lower`; no other direction may beat `upper`. */
static void check_directions(stress *s, const trial *t)
{
    const apart_result *r = &t->result;
    const double m = t->scene.unit * t->magnitude, rounding = SCAN_ROUNDING * EPS * m;
    const double gap = scene_separation(&t->scene, r->normal);
    if (gap < t->scene.unit * r->lower - rounding) {
        complain(s, t, "the separation along the normal misses the lower bound by (eps M)",
                 (t->scene.unit * r->lower - gap) / (EPS * m));
    }
    static const apart_vec3 direction[8] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0},     {0, -1, 0},
                                            {0, 0, 1}, {0, 0, -1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}};
    for (int i = 0; i < 8; i++) {
        const double along = scene_separation(&t->scene, direction[i]);
        if (along > t->scene.unit * r->upper + rounding) {
            complain(s, t, "a direction beats the upper bound by (eps M)",
                     (along - t->scene.unit * r->upper) / (EPS * m));
        }
    }
}

/* ------------------------------------------------ the reference */

static void compare(stress *s, const trial *t)
{
    const apart_result *r = &t->result;
    const test_pair *p = &t->pair;
    vertex_list a, b;
    minkowski_answer depth;
    a.count = shape_vertices(&p->a, a.xyz);
    b.count = shape_vertices(&p->b, b.xyz);
    const exact_points pa = {.coordinates = a.xyz, .count = a.count, .dim = 3, .pose = &p->pose_a};
    const exact_points pb = {.coordinates = b.xyz, .count = b.count, .dim = 3, .pose = &p->pose_b};
    minkowski_depth(&pa, &pb, &depth);
    s->compared++;
    s->evaluated += depth.evaluated;
    exact_answer apart = {.distance = 0.0};
    if (!depth.inside) {
        exact_distance(&pa, &pb, &apart);
    }
    const double least = depth.inside ? -depth.most : apart.below, most = depth.inside ? -depth.least : apart.above;
    const double error = fmax(fabs(r->distance - least), fabs(r->distance - most));
    s->worst = fmax(s->worst, error > 0.0 ? error / (EPS * t->magnitude) : 0.0);
    if (r->lower > most || r->upper < least) {
        complain(s, t, "bounds miss the exact signed distance", depth.inside ? -depth.least : apart.distance);
    }
}

static void run_pair(stress *s)
{
    trial t;
    memset(&t.result, 0, sizeof t.result);
    do {
        generate(s, &t.pair);
    } while (!(t.pair.a.bound + t.pair.b.bound > 0.0)); /* two points in one place have no size to measure errors by */
    t.magnitude = pair_magnitude(&t.pair);
    scene_make(&t.scene, &t.pair);
    const test_pair *p = &t.pair;
    const apart_status status = apart_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, NULL, NULL, &t.result);
    if (!check_form(s, &t, status)) {
        return;
    }
    check_witness(s, &t);
    check_directions(s, &t);
    const unsigned long stride = t.scene.a.count * t.scene.b.count <= EXACT_SMALL ? EXACT_STRIDE : EXACT_LARGE_STRIDE;
    if (s->number % stride == 0) {
        compare(s, &t);
    }
}

/* ------------------------------------------------ the test */

static void build_hulls(hull_pool *pool, random_source *r)
{
    double xyz[3 * PAIR_POINTS_MAX];
    for (size_t i = 0; i < HULL_POOL_SIZE; i++) {
        const size_t n = i % 4 == 3 ? fill_lattice(r, xyz) : fill_ball(r, xyz, vec(1, 1, 1));
        ck_assert_int_eq(apart_hull_build(xyz, n, NULL, &pool->hulls[i]), APART_OK);
    }
}

START_TEST(overlapping_pairs)
{
    static stress s;
    s.random = seed;
    build_hulls(&s.pool, &s.random);
    for (s.number = 0; s.number < pairs; s.number++) {
        run_pair(&s);
    }
    hull_pool_free(&s.pool);
    printf(
        "seed %" PRIu64
        ": %lu pairs, %lu overlapping, %lu touching, %lu disjoint; %lu compared with the exhaustive search (%.1f directions "
        "a pair in integers)\n",
        seed, pairs, s.overlapping, s.touching, s.disjoint, s.compared,
        (double)s.evaluated / (double)(s.compared > 0 ? s.compared : 1));
    printf(
        "stop: %lu converged, %lu at rounding, %lu iterations, %lu workspace; widest bounds %.3g eps M, worst error %.3g eps M\n",
        s.stops[APART_STOP_CONVERGED], s.stops[APART_STOP_ROUNDING], s.stops[APART_STOP_ITERATIONS],
        s.stops[APART_STOP_WORKSPACE], s.widest, s.worst);
    for (int k = 0; k < KINDS && s.kinds[k].what != NULL; k++) {
        printf("%lu times: %s ...\n", s.kinds[k].count, s.kinds[k].what);
    }
    fflush(stdout);
    ck_assert_uint_eq(s.failures, 0);
    ck_assert_uint_le(1000 * (pairs - s.stops[APART_STOP_CONVERGED]),
                      pairs); /* others have good bounds too, but are rare */
    ck_assert_uint_ge(10 * s.overlapping, 9 * pairs);
}
END_TEST

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
    pairs = argc > 2 ? strtoul(argv[2], NULL, 10) : pairs;
    Suite *suite = suite_create("depth_stress");
    TCase *test_case = tcase_create("pairs");
    tcase_set_timeout(test_case, 900);
    tcase_add_test(test_case, overlapping_pairs);
    suite_add_tcase(suite, test_case);
    return run_suite(suite);
}
