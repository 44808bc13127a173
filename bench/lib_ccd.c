/* libccd: yes/no and depth by GJK with EPA, and by MPR. It has no distance query and no cache; supports are the user's,
 * here written as a user would: closed forms for primitives, a scan over the vertices of hulls. Its loops start from
 * the difference of the centres. */
#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

typedef struct body {
    const apart_shape *shape;
    double *xyz; /* of a hull, else NULL */
    uint32_t count;
} body;

/* What libccd hands to the callbacks: a body under a pose. */
typedef struct placed {
    const body *body;
    const apart_pose *pose;
} placed;

typedef struct state {
    const bench_case *c;
    body *bodies;
    placed *placed; /* two per query */
    ccd_t ccd;
} state;

static apart_vec3 farthest_vertex(const body *b, apart_vec3 d)
{
    uint32_t best = 0;
    double best_value = -INFINITY;
    for (uint32_t i = 0; i < b->count; i++) {
        const double *p = &b->xyz[3 * i];
        const double value = p[0] * d.x + p[1] * d.y + p[2] * d.z;
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return (apart_vec3){b->xyz[3 * best], b->xyz[3 * best + 1], b->xyz[3 * best + 2]};
}

static apart_vec3 farthest_corner(const apart_shape *box, apart_vec3 d)
{
    const apart_vec3 h = box->u.half_extents;
    return (apart_vec3){d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z};
}

static void support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    const placed *p = object;
    const apart_mat3 *r = &p->pose->rotation;
    const double x = dir->v[0], y = dir->v[1], z = dir->v[2];
    const apart_vec3 d = {r->x.x * x + r->x.y * y + r->x.z * z, r->y.x * x + r->y.y * y + r->y.z * z,
                          r->z.x * x + r->z.y * y + r->z.z * z};
    const apart_vec3 s = p->body->xyz != NULL ? farthest_vertex(p->body, d) : farthest_corner(p->body->shape, d);
    ccdVec3Set(out, r->x.x * s.x + r->y.x * s.y + r->z.x * s.z + p->pose->translation.x,
               r->x.y * s.x + r->y.y * s.y + r->z.y * s.z + p->pose->translation.y,
               r->x.z * s.x + r->y.z * s.y + r->z.z * s.z + p->pose->translation.z);
}

static void center(const void *object, ccd_vec3_t *out)
{
    const apart_vec3 t = ((const placed *)object)->pose->translation;
    ccdVec3Set(out, t.x, t.y, t.z);
}

static void first_direction(const void *a, const void *b, ccd_vec3_t *out)
{
    ccd_vec3_t center_a, center_b;
    center(a, &center_a);
    center(b, &center_b);
    ccdVec3Sub2(out, &center_b, &center_a);
}

static void copy_body(const apart_shape *shape, body *out)
{
    *out = (body){shape, NULL, 0};
    if (shape->kind == APART_SHAPE_HULL) {
        const apart_hull *hull = shape->u.hull;
        out->count = apart_hull_vertex_count(hull);
        out->xyz = bench_allocate(3 * (size_t)out->count, sizeof *out->xyz);
        for (uint32_t i = 0; i < out->count; i++) {
            const apart_vec3 p = apart_hull_vertex(hull, i);
            out->xyz[3 * i] = p.x;
            out->xyz[3 * i + 1] = p.y;
            out->xyz[3 * i + 2] = p.z;
        }
    }
}

static void *prepare(const bench_case *c)
{
    state *s = bench_allocate(1, sizeof *s);
    s->c = c;
    s->bodies = bench_allocate(c->body_count, sizeof *s->bodies);
    for (size_t i = 0; i < c->body_count; i++) {
        copy_body(&c->bodies[i], &s->bodies[i]);
    }
    s->placed = bench_allocate(2 * c->steps * c->pair_count, sizeof *s->placed);
    for (size_t query = 0; query < c->steps * c->pair_count; query++) {
        const bench_pair pair = c->pairs[query % c->pair_count];
        s->placed[2 * query] = (placed){&s->bodies[pair.a], &c->poses_a[query]};
        s->placed[2 * query + 1] = (placed){&s->bodies[pair.b], &c->poses_b[query]};
    }
    CCD_INIT(&s->ccd);
    s->ccd.first_dir = first_direction;
    s->ccd.support1 = s->ccd.support2 = support;
    s->ccd.center1 = s->ccd.center2 = center;
    s->ccd.max_iterations = 1000;
    s->ccd.epa_tolerance = s->ccd.mpr_tolerance = 1e-6;
    return s;
}

static void forget(void *opaque) { (void)opaque; }

typedef int depth_query(const void *, const void *, const ccd_t *, ccd_real_t *, ccd_vec3_t *, ccd_vec3_t *);
typedef int overlap_query(const void *, const void *, const ccd_t *);

static double ask_depth(const state *s, depth_query *ask, size_t first, size_t end, double *answers)
{
    double sum = 0.0;
    for (size_t query = first; query < end; query++) {
        ccd_real_t depth = 0.0;
        ccd_vec3_t dir = {{0, 0, 0}}, pos = {{0, 0, 0}};
        const int status = ask(&s->placed[2 * query], &s->placed[2 * query + 1], &s->ccd, &depth, &dir, &pos);
        answers[query] = status == 0 ? -depth : (double)NAN;
        sum += dir.v[0] + pos.v[0];
    }
    return sum;
}

static double ask_overlap(const state *s, overlap_query *ask, size_t first, size_t end, double *answers)
{
    double sum = 0.0;
    for (size_t query = first; query < end; query++) {
        const int yes = ask(&s->placed[2 * query], &s->placed[2 * query + 1], &s->ccd);
        answers[query] = yes != 0;
        sum += yes;
    }
    return sum;
}

static void run_with(const state *s, depth_query *depth, overlap_query *overlap, size_t first_step, size_t end_step,
                     double *answers)
{
    const size_t first = first_step * s->c->pair_count, end = end_step * s->c->pair_count;
    bench_sink += s->c->question == BENCH_OVERLAP ? ask_overlap(s, overlap, first, end, answers)
                                                  : ask_depth(s, depth, first, end, answers);
}

static void run_gjk(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    run_with(opaque, ccdGJKPenetration, ccdGJKIntersect, first_step, end_step, answers);
}

static void run_mpr(void *opaque, size_t first_step, size_t end_step, double *answers)
{
    run_with(opaque, ccdMPRPenetration, ccdMPRIntersect, first_step, end_step, answers);
}

static void release(void *opaque)
{
    state *s = opaque;
    for (size_t i = 0; i < s->c->body_count; i++) {
        free(s->bodies[i].xyz);
    }
    free(s->bodies);
    free(s->placed);
    free(s);
}

const bench_library bench_ccd_gjk = {"libccd-gjk", BENCH_DEPTH | BENCH_OVERLAP, prepare, forget, run_gjk, release};
const bench_library bench_ccd_mpr = {"libccd-mpr", BENCH_DEPTH | BENCH_OVERLAP, prepare, forget, run_mpr, release};
