/* Triangles pierce each other where an edge of one has its ends on both sides of the other's plane and passes it
 * between the three edges: the signs of six heights above planes and nine volumes of pairs of edges (Guigue and Devillers
 * 2003 decide by the same signs, one after the other).
 *
 * Signs count only beyond the error. With no two of the six corners farther apart than l, and each off by at most e, a
 * triple product of three differences is off by 3 (2 e) l^2 and by 16 f l^3 for its own rounding, f = 2^-24; both are
 * taken twice. */
#include "pierce.h"

typedef struct signs {
    ap_bits8 above, below;
} signs;

AP_INLINE signs signs_of(ap_float8 x, ap_float8 error)
{
    return (signs){ap_float8_greater(x, error), ap_float8_less(x, ap_float8_neg(error))};
}

AP_INLINE ap_bits8 opposite(signs a, signs b)
{
    return ap_bits8_or(ap_bits8_and(a.above, b.below), ap_bits8_and(a.below, b.above));
}

AP_INLINE ap_bits8 all_same(const signs s[3])
{
    return ap_bits8_or(ap_bits8_and(s[0].above, ap_bits8_and(s[1].above, s[2].above)),
                       ap_bits8_and(s[0].below, ap_bits8_and(s[1].below, s[2].below)));
}

/* What a triple product of differences can be wrong by. */
static ap_float8 triple_error(const ap_facet_corners *a, const ap_facet_corners *b, float error)
{
    ap_float8 square = ap_float8_all(0.0f);
    for (int i = 0; i < 3; i++) {
        const ap_floats3 to_a = ap_floats3_sub(a->p[i], a->p[0]), to_b = ap_floats3_sub(b->p[i], a->p[0]);
        square = ap_float8_max(square, ap_float8_max(ap_floats3_dot(to_a, to_a), ap_floats3_dot(to_b, to_b)));
    }
    /* l is at most twice that. */
    const ap_float8 wide = ap_float8_scale(4.01f, square), length = ap_float8_sqrt(wide);
    const ap_float8 share = ap_float8_add(ap_float8_all(12.0f * error), ap_float8_scale(0x1p-19f, length));
    return ap_float8_add(ap_float8_mul(wide, share), ap_float8_all(0x1p-120f));
}

static void set_edges(const ap_facet_corners *c, ap_floats3 edge[3])
{
    for (int i = 0; i < 3; i++) {
        edge[i] = ap_floats3_sub(c->p[i < 2 ? i + 1 : 0], c->p[i]);
    }
}

/* The heights of a triangle's corners above the plane of another, times twice that one's area. */
static void set_heights(const ap_facet_corners *face, const ap_floats3 edge[3], const ap_facet_corners *of,
                        ap_float8 error, signs out[3])
{
    const ap_floats3 n = ap_floats3_cross(edge[0], edge[1]);
    for (int i = 0; i < 3; i++) {
        out[i] = signs_of(ap_floats3_dot(n, ap_floats3_sub(of->p[i], face->p[0])), error);
    }
}

ap_facet_pierced ap_facet_pierce(const ap_facet_corners *a, const ap_facet_corners *b, float error)
{
    ap_floats3 edge_a[3], edge_b[3];
    signs height_a[3], height_b[3], volume[3][3], turned[3][3];
    const ap_float8 wrong = triple_error(a, b, error);
    set_edges(a, edge_a);
    set_edges(b, edge_b);
    set_heights(b, edge_b, a, wrong, height_a);
    set_heights(a, edge_a, b, wrong, height_b);
    const ap_bits8 separated = ap_bits8_or(all_same(height_a), all_same(height_b));
    ap_facet_pierced out = {.separated = ap_bits8_mask(separated)};
    if (out.separated == 0xffu) {
        return out;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const ap_floats3 between = ap_floats3_sub(b->p[j], a->p[i]);
            const ap_float8 v = ap_floats3_dot(ap_floats3_cross(edge_a[i], edge_b[j]), between);
            volume[i][j] = turned[j][i] = signs_of(v, wrong);
        }
    }
    ap_bits8 certain = ap_bits8_all(0);
    for (int i = 0; i < 3; i++) {
        const int next = i < 2 ? i + 1 : 0;
        const ap_bits8 a_pierces = ap_bits8_and(opposite(height_a[i], height_a[next]), all_same(volume[i]));
        const ap_bits8 b_pierces = ap_bits8_and(opposite(height_b[i], height_b[next]), all_same(turned[i]));
        certain = ap_bits8_or(certain, ap_bits8_or(a_pierces, b_pierces));
    }
    out.certain = ap_bits8_mask(certain);
    return out;
}
