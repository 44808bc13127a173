/* Is a matrix a rotation, and if not quite, by how much? The one home of these checks and of their thresholds.
 *
 * Everything rests on the defect, the largest entry of |RtR - I| (or of |RRt - I|: an entry of either is at most three
 * times the largest of the other, since both have the same spectral norm). A matrix is refused above AP_ROTATION_LIMIT
 * (math/vec.h); below AP_EXACT_ROTATION its defect is part of the error constants of a query; in between, where
 * matrices in single precision are, the bounds are widened by it.
 *
 * There are three measures, because each costs a fifth of the shortest query that needs it:
 *   ap_rotation_error         accepts exact rotations: lengths of the columns, and the third against the cross product of the others
 *   ap_rotation_defect_lanes  measures the defect itself
 *   ap_rotation4_...          the same two questions for four matrices at once, a matrix to a lane
 * ap_rotation_defect() in math/vec.h is the definition, which decides in doubt. */
#ifndef AP_SIMD_ROTATION_H
#define AP_SIMD_ROTATION_H

#include "lanes.h"

/* Columns of length one whose third is the cross product of the others, to this much, are a rotation within
 * AP_ROTATION_LIMIT: the square of the first two's product is |x|^2 |y|^2 - |x x y|^2 < 8 * 1e-14. That product itself may
 * be 2.9e-7: the transposed matrix is the inverse to no more than that. */
#define AP_EXACT_ROTATION 1e-14

/* How far the columns are from what AP_EXACT_ROTATION says, lane by lane, and the rows. A number that is not finite
 * makes a lane so: it stands in the twist, and ap_lanes_max keeps a NaN of its second argument. */
AP_INLINE ap_lanes ap_rotation_error(const apart_mat3 *m, ap_lanes3 *rows)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes3 t = ap_lanes_transpose(x, y, z, z);
    *rows = t;
    return ap_lanes_max(ap_lanes_abs(ap_lanes_sub(ap_lanes3_dot(t, t), ap_lanes_all(1.0))),
                        ap_lanes_abs(ap_lanes_sub(ap_lanes_cross(x, y), z)));
}

/* The |RtR - I| of a matrix from its rows, lane by lane: the squares and the products of its columns. */
AP_INLINE ap_lanes ap_rotation_defect_lanes(const ap_lanes3 *t)
{
    const ap_lanes mixed = ap_lanes_sum3(ap_lanes_mul(t->x, AP_SHUFFLE(t->x, 1, 2, 0, 3)),
                                         ap_lanes_mul(t->y, AP_SHUFFLE(t->y, 1, 2, 0, 3)),
                                         ap_lanes_mul(t->z, AP_SHUFFLE(t->z, 1, 2, 0, 3)));
    return ap_lanes_max(ap_lanes_abs(ap_lanes_sub(ap_lanes3_dot(*t, *t), ap_lanes_all(1.0))), ap_lanes_abs(mixed));
}

/* The rows of a rotation, and its |RtR - I| in lanes. False: the matrix is not a rotation, or not finite. The cross
 * product of the first two columns of an orthogonal matrix is the third or its opposite, and one half is far from
 * either. */
AP_INLINE bool ap_rotation_read(const apart_mat3 *m, ap_lanes3 *rows, ap_lanes *defect)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y), z = ap_lanes_load(&m->z);
    const ap_lanes3 t = ap_lanes_transpose(x, y, z, z);
    *defect = ap_rotation_defect_lanes(&t);
    const ap_lanes twist = ap_lanes_abs(ap_lanes_sub(ap_lanes_cross(x, y), z));
    *rows = t;
    return (ap_mask_bits(ap_mask_and(ap_lanes_at_most(*defect, ap_lanes_all(AP_ROTATION_LIMIT)),
                                     ap_lanes_less(twist, ap_lanes_all(0.5)))) &
            7u) == 7u;
}

AP_INLINE double ap_rotation_largest(ap_lanes defect)
{
    return ap_max(ap_max(ap_lanes_at(defect, 0), ap_lanes_at(defect, 1)), ap_lanes_at(defect, 2));
}

/* ---- for the closed forms, whose bounds follow from the defect ---- */

/* |RRt - I| in lanes, without the rows. Of a mirrored matrix the cross product of the first columns is opposite to the
 * third one. What is not finite makes a square so, and ap_lanes_max keeps a NaN of its second argument. */
AP_INLINE ap_lanes ap_rotation_row_defect(const apart_mat3 *m)
{
    const ap_lanes x = ap_lanes_load(&m->x), y = ap_lanes_load(&m->y),
                   z = ap_lanes_load(&m->z); /* the pose goes on behind z */
    const ap_lanes xn = AP_SHUFFLE(x, 1, 2, 0, 3), yn = AP_SHUFFLE(y, 1, 2, 0, 3), zn = AP_SHUFFLE(z, 1, 2, 0, 3);
    const ap_lanes mirrored =
        ap_lanes_mul(ap_lanes_sub(ap_lanes_mul(xn, y), ap_lanes_mul(x, yn)), AP_SHUFFLE(z, 2, 0, 1, 3));
    const ap_lanes mixed = ap_lanes_sum3(ap_lanes_mul(x, xn), ap_lanes_mul(y, yn), ap_lanes_mul(z, zn)),
                   squares = ap_lanes_sum3(ap_lanes_mul(x, x), ap_lanes_mul(y, y), ap_lanes_mul(z, z));
    return ap_lanes_max(ap_lanes_max(mirrored, ap_lanes_abs(mixed)),
                        ap_lanes_abs(ap_lanes_sub(squares, ap_lanes_all(1.0))));
}

/* The defect S of two matrices: |RRt - I| of either, as an operator, is at most 2S. A sum keeps every NaN. */
AP_INLINE double ap_rotation_defect_of_two(const apart_mat3 *a, const apart_mat3 *b)
{
    const ap_lanes errors = ap_lanes_add(ap_rotation_row_defect(a), ap_rotation_row_defect(b));
    return (ap_lanes_at(errors, 0) + ap_lanes_at(errors, 1)) + ap_lanes_at(errors, 2);
}

/* A defect of two matrices below it leaves every entry of |RtR - I| within AP_ROTATION_LIMIT. */
#define AP_ROTATION_LIMIT_OF_TWO (AP_ROTATION_LIMIT / 3.0)

/* ---- four matrices at once: a matrix to a lane ---- */

/* Of rotations, the squares of all entries sum up to 3 and the determinant is 1; of all other matrices with that
 * determinant the sum is larger. So two numbers decide whether matrices are exact rotations: this far above 3, two
 * matrices together, and this far below 1. */
#define AP_EXACT_SQUARES 1e-13
#define AP_EXACT_DETERMINANT 0.5e-13
/* Twice what ap_rotation4_defect sums up bounds every entry of |RtR - I|. */
#define AP_ROTATION4_LIMIT (0.49 * AP_ROTATION_LIMIT)

/* The two numbers of four matrices. */
typedef struct ap_rotation4 {
    ap_lanes squares, determinant;
} ap_rotation4;

AP_INLINE ap_rotation4 ap_rotation4_of(ap_lanes3 x, ap_lanes3 y, ap_lanes3 z)
{
    return (ap_rotation4){ap_lanes_sum3(ap_lanes3_dot(x, x), ap_lanes3_dot(y, y), ap_lanes3_dot(z, z)),
                          ap_lanes3_dot(ap_lanes3_cross(x, y), z)};
}

/* Lanes whose two matrices are exact rotations. A number that is not finite stands in the squares. */
AP_INLINE ap_mask ap_rotation4_are_exact(ap_rotation4 a, ap_rotation4 b)
{
    return ap_mask_and(ap_lanes_at_most(ap_lanes_add(a.squares, b.squares), ap_lanes_all(6.0 + AP_EXACT_SQUARES)),
                       ap_lanes_at_least(ap_lanes_min(a.determinant, b.determinant),
                                         ap_lanes_all(1.0 - AP_EXACT_DETERMINANT)));
}

/* How far a matrix is from a rotation: the lengths of two columns and their product, and the third against their cross
 * product. */
AP_INLINE ap_lanes ap_rotation4_defect(const ap_lanes3 axis[3])
{
    const ap_lanes3 x = axis[0], y = axis[1], twist = ap_lanes3_sub(ap_lanes3_cross(x, y), axis[2]);
    const ap_lanes one = ap_lanes_all(1.0);
    const ap_lanes lengths = ap_lanes_add(ap_lanes_abs(ap_lanes_sub(ap_lanes3_dot(x, x), one)),
                                          ap_lanes_abs(ap_lanes_sub(ap_lanes3_dot(y, y), one)));
    const ap_lanes twists = ap_lanes_sum3(ap_lanes_abs(twist.x), ap_lanes_abs(twist.y), ap_lanes_abs(twist.z));
    return ap_lanes_sum3(lengths, ap_lanes_abs(ap_lanes3_dot(x, y)), twists);
}

/* Lanes whose two matrices are rotations within the limit of all queries. */
AP_INLINE ap_mask ap_rotation4_are_legal(const ap_lanes3 a[3], const ap_lanes3 b[3])
{
    const ap_lanes limit = ap_lanes_all(AP_ROTATION4_LIMIT);
    return ap_mask_and(ap_lanes_at_most(ap_rotation4_defect(a), limit),
                       ap_lanes_at_most(ap_rotation4_defect(b), limit));
}

#endif
