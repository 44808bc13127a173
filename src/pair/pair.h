/* Two bodies made ready for a query: one frame, and what rounding can do to the answer.
 *
 * The query frame has the world's axes and A's centre as origin. Lengths are multiplied by `scale`, a power of two that
 * brings M = bound A + bound B + distance of the centres to [1, 2); bodies with vertices whose size is far from the
 * ends of the doubles' range are computed with as they are (scale 1), since a multiplication would stand at the head of
 * every chain of dependent operations. A point of the Minkowski difference is w = b - a. Vertices are transformed on
 * demand, or all at once where they are few (vertices.h).
 *
 * Two preparations fill the same structure, always completely: ap_pair_prepare any pair, ap_pair_prepare_unscaled,
 * inlined into the templates of a query, the usual one. */
#ifndef AP_PAIR_PAIR_H
#define AP_PAIR_PAIR_H

#include "../shape/support_lanes.h"
#include "../simd/rotation.h"
#include "../simplex/simplex.h"
#include "query.h"
#include "tolerance.h"
#include "traits.h"
#include "vertices.h"

typedef struct ap_pair {
    ap_lanes3 rows_a, rows_b; /* the transposed rotations: from query to body axes */
    const apart_shape *a, *b;
    const apart_mat3 *rotation_a, *rotation_b;
    apart_vec3 offset;    /* B's centre in the query frame, scaled */
    double behind_offset; /* a slot of four lanes, written and read as a whole */
    apart_vec3 origin;    /* A's centre in the world */
    double behind_origin; /* such a slot, too */
    double scale, inverse_scale;
    double magnitude;                  /* M, scaled */
    double lower_error, upper_error;   /* scaled lengths: of bounds by the supports as they are searched now */
    double support_error, climb_error; /* the parts of the first: of a scan, and what climbing may miss */
    double widening;                   /* unscaled: what the rotations' defect can do to rounded parts */
    double radius;                     /* unscaled: sum of the rounding radii */
    int dim;
    uint32_t count_a, count_b; /* vertices of the cores; 0: none are numbered */
    bool vertices;             /* both cores have numbered vertices */
    bool confirm;              /* a climb may have missed: scan before believing */
    bool guesses;              /* a core is a hull with a direction table: supports on the way need not be exact */
    bool broken; /* a support is not finite: a user's callback, or an affine image beyond the range of doubles */
    ap_support_context context;
    uint32_t transformed; /* vertices taken to the query frame */
    uint32_t support_calls;
    ap_vertex_sets *sets; /* all vertices in the query frame; NULL: they were not transformed */
} ap_pair;

/* Checks shapes, poses and their dimensions and fills the pair. search: apart_support_search. */
apart_status ap_pair_prepare(ap_pair *pair, const ap_query *q, int search);

/* Brings a pair and a simplex of it to unit size. Returns the factor, a power of two: nothing is rounded. */
double ap_pair_rescale(ap_pair *pair, ap_simplex *simplex);

/* What a query of a broken pair returns. */
apart_status ap_pair_status(const ap_pair *pair);

/* The support pair for direction v: farthest in A along v, in B against it. index_a/index_b of `out` are the start
 * hints and the answer. */
void ap_pair_support(ap_pair *pair, apart_vec3 v, ap_simplex_vertex *out);

/* The vertex of the Minkowski difference with given vertex numbers (both cores have vertices). */
void ap_pair_vertex(ap_pair *pair, uint32_t index_a, uint32_t index_b, ap_simplex_vertex *out);

/* Are both bodies hulls of at most so many vertices, and may they be scanned? */
AP_INLINE bool ap_pair_is_small(const ap_pair *pair, uint32_t most)
{
    return pair->a->kind == APART_SHAPE_HULL && pair->b->kind == APART_SHAPE_HULL && pair->count_a <= most &&
           pair->count_b <= most &&
           (pair->context.search == APART_SUPPORT_AUTO || pair->context.search == APART_SUPPORT_SCAN);
}

/* All vertices of small hulls: those that a template has transformed, or in `memory`. */
const ap_vertex_sets *ap_pair_transform(ap_pair *pair, ap_vertex_sets *memory);

/* From the query frame to the world. */
AP_INLINE apart_vec3 ap_pair_world(const ap_pair *pair, apart_vec3 p)
{
    return ap_add(pair->origin, ap_scale(pair->inverse_scale, p));
}

/* From now on supports are found by scanning all vertices. */
AP_INLINE void ap_pair_scan(ap_pair *pair)
{
    pair->context.search = APART_SUPPORT_SCAN;
    pair->confirm = false;
    pair->climb_error = 0.0;
    pair->lower_error = pair->support_error;
}

/* ---- the tag of a cache ---- */

/* Identifies the pair of shapes that a cache belongs to (FNV-1a); never 0: a zeroed cache belongs to nobody. */
AP_INLINE uint32_t ap_cache_tag(int kind_a, int kind_b, int dim, uint32_t count_a, uint32_t count_b)
{
    const uint32_t kinds = (uint32_t)kind_a << 16 | (uint32_t)kind_b << 8 | (uint32_t)dim;
    uint32_t hash = (2166136261u ^ kinds) * 16777619u;
    hash = (hash ^ count_a) * 16777619u;
    hash = (hash ^ count_b) * 16777619u;
    return hash | 1u;
}

AP_INLINE uint32_t ap_pair_tag(const ap_pair *pair)
{
    return ap_cache_tag(pair->a->kind, pair->b->kind, pair->dim, pair->count_a, pair->count_b);
}

/* The same in a template. */
AP_INLINE uint32_t ap_pair_tag_of(const ap_pair *pair, ap_traits t)
{
    const int kind_a = t.kind_a != APART_SHAPE_NONE ? t.kind_a : pair->a->kind,
              kind_b = t.kind_b != APART_SHAPE_NONE ? t.kind_b : pair->b->kind;
    return ap_cache_tag(kind_a, kind_b, t.vertices ? 3 : pair->dim, pair->count_a, pair->count_b);
}

/* ---- the usual preparation ---- */

/* What a climb on this body can miss, scaled; asks for confirmation where that is too much. */
AP_INLINE double ap_climb_error(ap_pair *pair, const apart_shape *shape, int search, double scale)
{
    if (shape->kind != APART_SHAPE_HULL) {
        return 0.0;
    }
    pair->guesses = pair->guesses || shape->u.hull->table_resolution > 0;
    if (search == APART_SUPPORT_SCAN ||
        (search == APART_SUPPORT_AUTO && shape->u.hull->vertex_count <= AP_ALWAYS_SCANNED)) {
        return 0.0;
    }
    const double loss = shape->u.hull->climb_loss;
    if (!(loss <= AP_CLIMB_LOSS_MAX)) {
        pair->confirm = true;
        return 0.0;
    }
    return loss * (2.0 * AP_UNIT_ROUNDOFF) * (scale * shape->bound);
}

/* What the defect of rotations can do to rounded parts: a sphere of radius r under a matrix with |RtR - I| <= d per
 * entry is an ellipsoid within 3/2 d r of it. */
AP_INLINE double ap_pair_widening(const ap_query *q, ap_lanes defect_a, ap_lanes defect_b)
{
    return 2.0 * (ap_rotation_largest(defect_a) * q->a->radius + ap_rotation_largest(defect_b) * q->b->radius);
}

/* Where the centres are, and the size of the pair. */
typedef struct ap_centers {
    ap_lanes offset, origin; /* from A's to B's; A's in the world */
    double size;
} ap_centers;

/* From a point of A to a point of B, which are given in the bodies' own frames: (R_B b + t_B) - (R_A a + t_A) with one
 * rounding, so that a common offset of both bodies costs nothing. */
apart_vec3 ap_pair_between(const apart_pose *pose_a, apart_vec3 a, const apart_pose *pose_b, apart_vec3 b);

/* For bodies far from their own origins, and matrices that are rotations but not exact ones, those in single precision
 * for example. False: a matrix is not a rotation. */
bool ap_pair_find_centers(ap_centers *centers, const ap_query *q);

/* Fills what a support search reads: vertex counts, the way of the search, and what a climb adds to the errors. */
AP_INLINE void ap_pair_fill_search(ap_pair *pair, ap_traits t, const apart_shape *a, const apart_shape *b)
{
    pair->dim = 3;
    pair->count_a = t.kind_a == APART_SHAPE_BOX    ? 8u
                    : t.kind_a == APART_SHAPE_HULL ? a->u.hull->vertex_count
                                                   : ap_vertex_count(a);
    pair->count_b = t.kind_b == APART_SHAPE_BOX    ? 8u
                    : t.kind_b == APART_SHAPE_HULL ? b->u.hull->vertex_count
                                                   : ap_vertex_count(b);
    pair->vertices = true;
    pair->confirm = pair->guesses = pair->broken = false;
    pair->context =
        (ap_support_context){.scale = 1.0, .search = t.transformed > 0 ? APART_SUPPORT_SCAN : APART_SUPPORT_AUTO};
    pair->transformed = pair->support_calls = 0;
    pair->climb_error = t.value_first ? 0.0
                                      : ap_climb_error(pair, a, APART_SUPPORT_AUTO, 1.0) +
                                            ap_climb_error(pair, b, APART_SUPPORT_AUTO, 1.0);
    pair->lower_error = t.value_first ? pair->support_error : pair->support_error + pair->climb_error;
}

/* Checks rotations, shapes and sizes, and fills the pair for bodies with numbered vertices in space whose size needs no
 * scale; A's dimension is known to be 3. The numbers are those of ap_pair_prepare but for the scale. False: the caller
 * must use that function. */
AP_INLINE bool ap_pair_prepare_unscaled(ap_pair *pair, ap_traits t, const ap_query *q, ap_vertex_sets *sets)
{
    const apart_shape *a = q->a, *b = q->b;
    const apart_mat3 *m_a = &q->pose_a->rotation, *m_b = &q->pose_b->rotation;
    const ap_lanes error = ap_lanes_add(ap_rotation_error(m_a, &pair->rows_a), ap_rotation_error(m_b, &pair->rows_b));
    const ap_mask centred = ap_mask_and(ap_lanes_equal(ap_lanes_load(&a->center), ap_lanes_all(0.0)),
                                        ap_lanes_equal(ap_lanes_load(&b->center), ap_lanes_all(0.0)));
    /* The translation in the lanes 1 to 3, so that nothing behind the pose is read. */
    const ap_lanes at_a = ap_lanes_load(&m_a->z.z), between = ap_lanes_sub(ap_lanes_load(&m_b->z.z), at_a),
                   distance = ap_lanes_abs(between);
    ap_centers c = {AP_SHUFFLE(between, 1, 2, 3, 3), AP_SHUFFLE(at_a, 1, 2, 3, 3),
                    (a->bound + b->bound) +
                        ((ap_lanes_at(distance, 1) + ap_lanes_at(distance, 2)) + ap_lanes_at(distance, 3))};
    const double radius = a->radius + b->radius;
    if (AP_UNLIKELY((ap_mask_bits(ap_mask_and(ap_lanes_at_most(error, ap_lanes_all(AP_EXACT_ROTATION)), centred)) &
                     7u) != 7u)) {
        ap_centers found; /* apart, so that only this goes through memory */
        if (!ap_pair_find_centers(&found, q)) {
            return false;
        }
        c = found;
    }
    if (!(c.size > AP_LEAST_UNSCALED && c.size < AP_MOST_UNSCALED && radius < AP_MOST_UNSCALED &&
          (a->status | b->status) == APART_OK && b->dim == 3)) {
        return false;
    }
    const double unit = AP_UNIT_ROUNDOFF * c.size, supports = a->error + b->error;
    pair->a = a;
    pair->b = b;
    pair->rotation_a = m_a;
    pair->rotation_b = m_b;
    ap_lanes_store(&pair->offset, c.offset);
    ap_lanes_store(&pair->origin, c.origin);
    pair->scale = pair->inverse_scale = 1.0;
    pair->magnitude = c.size;
    pair->support_error = AP_LOWER_ERROR * unit + supports;
    pair->upper_error = AP_UPPER_ERROR * unit + supports;
    pair->radius = radius;
    pair->widening = 0.0;
    if (AP_UNLIKELY(radius > 0.0)) {
        pair->widening =
            ap_pair_widening(q, ap_rotation_defect_lanes(&pair->rows_a), ap_rotation_defect_lanes(&pair->rows_b));
    }
    ap_pair_fill_search(pair, t, a, b);
    pair->sets = NULL;
    if (t.transformed > 0) {
        ap_vertices_transform(&sets->a, t.transformed, a->u.hull, m_a, 1.0, false, c.offset);
        ap_vertices_transform(&sets->b, t.transformed, b->u.hull, m_b, 1.0, true, c.offset);
        pair->sets = sets;
    }
    return true;
}

/* ---- vertices and supports of the Minkowski difference, for the templates ---- */

/* Writes two points of the query frame and their difference. */
AP_INLINE ap_lanes ap_pair_put(ap_simplex_vertex *out, ap_lanes a, ap_lanes b, uint32_t index_a, uint32_t index_b)
{
    const ap_lanes w = ap_lanes_sub(b, a);
    ap_lanes_store(&out->a, a);
    ap_lanes_store(&out->b, b);
    ap_lanes_store(&out->w, w);
    out->index_a = index_a;
    out->index_b = index_b;
    return w;
}

/* The same from points in the bodies' own frames. */
AP_INLINE ap_lanes ap_pair_place(ap_pair *pair, ap_traits t, ap_lanes local_a, ap_lanes local_b, uint32_t index_a,
                                 uint32_t index_b, ap_simplex_vertex *out)
{
    pair->transformed += t.default_search ? 0 : 2;
    ap_lanes a = ap_lanes_turn(pair->rotation_a, local_a);
    ap_lanes b = ap_lanes_add(ap_lanes_turn(pair->rotation_b, local_b), ap_lanes_load(&pair->offset));
    const ap_lanes w = ap_lanes_sub(b, a);
    if (!t.vertices && (ap_mask_bits(ap_lanes_equal(ap_lanes_sub(w, w), ap_lanes_all(0.0))) & 7u) != 7u) {
        pair->broken = true; /* the query goes on with a harmless point and ends with a status */
        a = b = ap_lanes_all(0.0);
    }
    return ap_pair_put(out, a, b, index_a, index_b);
}

AP_INLINE ap_lanes ap_pair_vertex_lanes(ap_pair *pair, ap_traits t, uint32_t index_a, uint32_t index_b,
                                        ap_simplex_vertex *out)
{
    if (t.transformed > 0) {
        return ap_pair_put(out, ap_vertices_get(&pair->sets->a, index_a), ap_vertices_get(&pair->sets->b, index_b),
                           index_a, index_b);
    }
    const double scale = t.vertices ? 1.0 : pair->scale;
    return ap_pair_place(pair, t, ap_vertex_lanes(pair->a, t.kind_a, scale, index_a),
                         ap_vertex_lanes(pair->b, t.kind_b, scale, index_b), index_a, index_b, out);
}

/* The support pair against v; a search starts from the hints. Shapes of any kinds take a call: inlined, it would be
 * half of the code. */
ap_lanes ap_pair_support_any(ap_pair *pair, bool default_search, ap_lanes v, uint32_t hint_a, uint32_t hint_b,
                             ap_simplex_vertex *out);

AP_INLINE ap_lanes ap_pair_support_lanes(ap_pair *pair, ap_traits t, ap_lanes v, uint32_t hint_a, uint32_t hint_b,
                                         ap_simplex_vertex *out)
{
    if (!t.vertices) {
        return ap_pair_support_any(pair, t.default_search, v, hint_a, hint_b, out);
    }
    const ap_lanes toward_b = ap_lanes_apply(&pair->rows_a, v),
                   toward_a = ap_lanes_neg(ap_lanes_apply(&pair->rows_b, v));
    const ap_lanes local_a = ap_support_lanes(pair->a, t.kind_a, 1.0, true, &pair->context, toward_b, &hint_a);
    const ap_lanes local_b = ap_support_lanes(pair->b, t.kind_b, 1.0, true, &pair->context, toward_a, &hint_b);
    return ap_pair_place(pair, t, local_a, local_b, hint_a, hint_b, out);
}

/* v.w as v.b - v.a: bit for bit what the products of all vertices give, whose smallest and largest are known before the
 * pair. */
AP_INLINE double ap_pair_product(ap_lanes v, const ap_simplex_vertex *p)
{
    return ap_lanes_dot(v, ap_lanes_load(&p->b)) - ap_lanes_dot(v, ap_lanes_load(&p->a));
}

/* ---- supports in two steps: first the support value, which is all that the last step of a query needs, then the pair ---- */

typedef struct ap_support_value {
    double product;              /* v.w at the support pair */
    ap_vertex_values vertices;   /* of small hulls */
    ap_lanes toward_a, toward_b; /* of boxes: the directions in the bodies' frames */
} ap_support_value;

/* The support value against v. Shapes that have no value first write the pair to `next`; from: a vertex pair to search
 * from, NULL: a guess of the direction table is good enough. */
AP_INLINE void ap_pair_find_value(ap_pair *pair, ap_traits t, ap_lanes v, const ap_simplex_vertex *from,
                                  ap_simplex_vertex *next, ap_support_value *value)
{
    if (t.transformed > 0) {
        value->product = ap_vertices_value(pair->sets, t.transformed, v, &value->vertices);
    } else if (t.boxes) {
        value->toward_b = ap_lanes_apply(&pair->rows_a, v);
        value->toward_a = ap_lanes_apply(&pair->rows_b, v);
        const ap_lanes extent_a = ap_lanes_mul(ap_lanes_load(&pair->a->u.half_extents), ap_lanes_abs(value->toward_b));
        const ap_lanes extent_b = ap_lanes_mul(ap_lanes_load(&pair->b->u.half_extents), ap_lanes_abs(value->toward_a));
        const ap_lanes terms =
            ap_lanes_sub(ap_lanes_mul(v, ap_lanes_load(&pair->offset)), ap_lanes_add(extent_a, extent_b));
        value->product = (ap_lanes_at(terms, 0) + ap_lanes_at(terms, 1)) + ap_lanes_at(terms, 2);
    } else {
        ap_pair_support_lanes(pair, t, v, from != NULL ? from->index_a : AP_GUESS,
                              from != NULL ? from->index_b : AP_GUESS, next);
        value->product = ap_pair_product(v, next);
    }
}

/* The pair of that value. */
AP_INLINE ap_lanes ap_pair_take(ap_pair *pair, ap_traits t, const ap_support_value *value, ap_simplex_vertex *next)
{
    if (t.transformed > 0) {
        const uint32_t a =
            ap_vertices_number(&pair->sets->a, t.transformed, value->vertices.dots_a, value->vertices.most_a);
        const uint32_t b =
            ap_vertices_number(&pair->sets->b, t.transformed, value->vertices.dots_b, value->vertices.least_b);
        return ap_pair_vertex_lanes(pair, t, a, b, next);
    }
    if (t.boxes) {
        uint32_t a, b;
        const ap_lanes local_a = ap_support_box_lanes(pair->a, false, 1.0, value->toward_b, &a);
        const ap_lanes local_b = ap_support_box_lanes(pair->b, false, 1.0, ap_lanes_neg(value->toward_a), &b);
        return ap_pair_place(pair, t, local_a, local_b, a, b, next);
    }
    return ap_lanes_load(&next->w);
}

#endif
