/* The quick preparation of what queries meet most: bodies of known kinds with vertices, of ordinary size, taken as they are.
 *
 * Only what the plain loop wants is filled in; ap_pair_complete() does the rest for whatever leaves it. No power of two is taken out: a
 * scale would stand at the head of every chain of dependent operations. */
#include "pair.h"

/* Columns of length one whose third is the cross product of the others, to this much, are a rotation far within AP_ROTATION_LIMIT: the
 * square of the first two's product is |x|^2 |y|^2 - |x x y|^2 < 8 * 1e-14. Matrices in single precision are not, and take the long way. */
#define CLEAR_ROTATION 1e-14

/* How far the columns are from that, lane by lane, and the transposed matrix. A number that is not finite makes a lane so: it stands in
 * the twist, and ap_lanes_max keeps a NaN of its second argument. */
AP_INLINE ap_lanes rotation_error(const apart_mat3 *m, ap_lanes3 *rows)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes3 t = ap_lanes_transpose(x, y, z, z);
    *rows = t;
    return ap_lanes_max(ap_lanes_abs(ap_lanes3_dot(t, t) - ap_lanes_all(1.0)), ap_lanes_abs(ap_lanes_cross(x, y) - z));
}

/* Sizes between these are computed with as they are: the products of six of them are far from the ends of the doubles' range. */
#define LEAST_ORDINARY 0x1p-64
#define MOST_ORDINARY 0x1p+64

/* What queries meet most: bodies in space of ordinary size. */
typedef struct ordinary_pair {
    ap_lanes3 rows_a, rows_b; /* the transposed rotations */
    ap_lanes offset;          /* from A's centre to B's */
    ap_lanes origin;          /* A's centre in the world */
    double size, radius;      /* M and the sum of the radii */
    bool clear;               /* the bodies are about their own origins, and their matrices rotations at a glance */
} ordinary_pair;

/* False: something is different, and nothing can be said. A->dim is known to be 3. If not `clear`, look_closer() must have its say. */
AP_INLINE bool is_ordinary(ordinary_pair *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    const ap_lanes error = rotation_error(&pose_a->rotation, &p->rows_a) + rotation_error(&pose_b->rotation, &p->rows_b);
    const ap_mask centred = (ap_lanes_load(&a->center) == ap_lanes_all(0.0)) & (ap_lanes_load(&b->center) == ap_lanes_all(0.0));
    /* The translation in the lanes 1 to 3, so that nothing behind the pose is read. */
    const ap_lanes origin = ap_lanes_load(&pose_a->rotation.z.z), offset = ap_lanes_load(&pose_b->rotation.z.z) - origin;
    const ap_lanes reach = ap_lanes_abs(offset);
    p->offset = AP_SHUFFLE(offset, 1, 2, 3, 3);
    p->origin = AP_SHUFFLE(origin, 1, 2, 3, 3);
    p->size = (a->bound + b->bound) + ((reach[1] + reach[2]) + reach[3]);
    p->radius = a->radius + b->radius;
    p->clear = (ap_mask_bits((error <= ap_lanes_all(CLEAR_ROTATION)) & centred) & 7u) == 7u;
    return p->size > LEAST_ORDINARY && p->size < MOST_ORDINARY && p->radius < MOST_ORDINARY && (a->status | b->status) == APART_OK &&
           b->dim == 3;
}

/* Where the centres are; apart from the rest, so that only this goes through memory. */
typedef struct closer_look {
    ap_lanes offset, origin;
    double size;
} closer_look;

/* For matrices that are rotations on a second look only, those in single precision for example, and bodies far from their own origins. */
static AP_RARE bool look_closer(closer_look *p, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b)
{
    ap_lanes3 rows;
    ap_lanes defect;
    if (!take_rotation(pose_a, &rows, &defect) || !take_rotation(pose_b, &rows, &defect)) {
        return false;
    }
    const apart_vec3 offset = center_of_b(a, pose_a, b, pose_b);
    p->offset = ap_lanes_from(offset);
    p->origin = ap_lanes_from(center_of_a(a, pose_a));
    p->size = (a->bound + b->bound) + ((fabs(offset.x) + fabs(offset.y)) + fabs(offset.z));
    return p->size > LEAST_ORDINARY && p->size < MOST_ORDINARY;
}

/* One coordinate of two blocks of vertices from a row of the matrix; moved: and by so much in that direction. */
AP_INLINE void lay_row(ap_lanes *laid, const ap_lanes3 local[2], double mx, double my, double mz, bool moved, double by)
{
    const ap_lanes x = ap_lanes_all(mx), y = ap_lanes_all(my), z = ap_lanes_all(mz);
    for (int i = 0; i < 2; i++) {
        const ap_lanes turned = (x * local[i].x + y * local[i].y) + z * local[i].z;
        laid[i] = moved ? turned + ap_lanes_all(by) : turned;
    }
}

AP_INLINE void lay_hull(ap_laid *laid, ap_known known, const apart_hull *hull, const apart_mat3 *m, bool moved, ap_lanes offset)
{
    const double *x = ap_hull_x(hull);
    const size_t padded = hull->padded_count;
    laid->last = hull->padded_count - AP_LANES;
    const uint32_t rounds = ap_laid_rounds(laid, known);
    for (uint32_t i = 0; i < 2 * rounds; i += 2) {
        const double *first = x + AP_LANES * i, *second = x + ap_laid_second(laid, known, i);
        const ap_lanes3 local[2] = {{ap_lanes_load(first), ap_lanes_load(first + padded), ap_lanes_load(first + 2 * padded)},
                                    {ap_lanes_load(second), ap_lanes_load(second + padded), ap_lanes_load(second + 2 * padded)}};
        lay_row(laid->x + i, local, m->x.x, m->y.x, m->z.x, moved, offset[0]);
        lay_row(laid->y + i, local, m->x.y, m->y.y, m->z.y, moved, offset[1]);
        lay_row(laid->z + i, local, m->x.z, m->y.z, m->z.z, moved, offset[2]);
    }
}

/* Ordinary bodies of known kinds with numbered vertices, without anything that wants care unless that is known: as much of the pair as the plain loop wants, the rest is ap_pair_complete()'s. The same numbers as by ap_pair_prepare, but for the scale; false: it must do it. */
AP_INLINE bool prepare_quickly(ap_pair *pair, ap_known known, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b,
                               const apart_pose *pose_b)
{
    ordinary_pair p;
    if (!is_ordinary(&p, a, pose_a, b, pose_b) || (!known.careful && !(p.clear && p.radius == 0.0))) {
        return false;
    }
    if (known.careful && !p.clear) {
        closer_look closer;
        if (!look_closer(&closer, a, pose_a, b, pose_b)) {
            return false;
        }
        p.offset = closer.offset;
        p.origin = closer.origin;
        p.size = closer.size;
    }
    pair->a = a;
    pair->b = b;
    pair->rotation_a = &pose_a->rotation;
    pair->rotation_b = &pose_b->rotation;
    ap_lanes_store(&pair->offset, p.offset);
    pair->magnitude = p.size;
    pair->radius = p.radius;
    pair->widening = known.careful ? widen(a, rotation_defect(&p.rows_a), b, rotation_defect(&p.rows_b)) : 0.0;
    ap_lanes_store(&pair->origin, p.origin);
    set_errors(pair, known);
    if (known.laid > 0) {
        lay_hull(&pair->laid_a, known, a->u.hull, &pose_a->rotation, false, p.offset);
        lay_hull(&pair->laid_b, known, b->u.hull, &pose_b->rotation, true, p.offset);
    } else {
        pair->rows_a = p.rows_a;
        pair->rows_b = p.rows_b;
    }
    return true;
}

AP_RARE void ap_pair_complete(ap_pair *pair, int search)
{
    const apart_mat3 *a = pair->rotation_a, *b = pair->rotation_b;
    pair->rows_a = ap_lanes_transpose(ap_lanes_load(&a->x), ap_lanes_load(&a->y), ap_lanes_load(&a->z), ap_lanes_load(&a->z));
    pair->rows_b = ap_lanes_transpose(ap_lanes_load(&b->x), ap_lanes_load(&b->y), ap_lanes_load(&b->z), ap_lanes_load(&b->z));
    pair->scale = 1.0;
    pair->inverse_scale = 1.0;
    pair->dim = 3;
    pair->count_a = count_vertices(pair->a, APART_SHAPE_NONE);
    pair->count_b = count_vertices(pair->b, APART_SHAPE_NONE);
    pair->tag = tag_of(pair->a, pair->b, AP_NOTHING_KNOWN);
    pair->context = (ap_support_context){.scale = 1.0, .search = search};
    pair->transformed = 0;
    pair->support_calls = 0;
    set_errors(pair, AP_NOTHING_KNOWN);
}
