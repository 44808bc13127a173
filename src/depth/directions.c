/* The depth of smooth bodies: a search over all directions with bounds of second order.
 *
 * The depth is the least support value h(m) of the Minkowski difference over unit directions m. A surface of triangles
 * closes its bounds slowly where nearly as short ways out lie side by side (ellipsoids about one centre), because a
 * triangle knows nothing of the curvature. Here the sphere of directions is covered by caps instead. Along an arc that
 * leaves the middle m of a cap in the unit direction s, by the angle t, an ellipsoid with the support value
 * f = |F^T m| has the radius of curvature
 *     f + f'' = |F^T m x F^T s|^2 / f^3,
 * whose numerator is the same all along the arc. A bound of f over the cap makes this a least radius of curvature, and
 * then h is nowhere below that of a sphere of this radius that touches in the direction m. Caps that this does not
 * decide are divided. Close to the shortest way out, where the radius exceeds the depth, one cap of a finite size ends
 * the search, and bodies near spheres have bounds as near. Newton's method gives the shortest way itself.
 *
 * Source: this project's own; that a body with radii of curvature of at least r contains the sphere of radius r that
 * touches it from inside is Blaschke's rolling theorem, of which the arc needs the version in a plane. docs/numerics.md
 * has the derivation.
 *
 * Legend: an ellipsoid is the set of the points F x, |x| <= 1, with the columns f[0..2] of F; m, u, v are perpendicular
 * unit vectors; w is the support point along m; `reach` is the largest length |m - n| to a direction n of a cap. */
#include "depth_search.h"

/* In units of u * M: what the proof leaves open. A search that runs out of caps is followed by one that leaves more by
 * this factor, and then by others between, whose factors are the roots of the last one. */
#define MARGIN 32.0
#define MOST_CAPS 2048
#define WIDER 0x1p24
#define LEAST_STEP 0x1p3
/* In units of u * M: bodies whose centres are closer have one centre, and opposite directions the same value. */
#define CONCENTRIC 4.0
/* In units of u * M: rounding of the bound of a cap, and twice the distance of concentric bodies. */
#define CAP_ERROR 40.0
/* In units of u: of the radii of curvature, relative to what is subtracted in them. */
#define CURVATURE_ERROR 64.0
/* Of the reach: the average of sin t along an arc with the weights of its second derivatives, for arcs up to pi/2. */
#define MEAN_SINE 0.36
/* How often a triangle of directions is divided at most. */
#define DIVISIONS 28
#define MOST_WAITING (8 + 3 * DIVISIONS)
/* Caps below this size whose middle is a slope look for its foot. */
#define SMALL_CAP 0x1p-4
#define NEWTON_STEPS 64
/* In units of u * M: support values this close may be the same. */
#define VALUE_NOISE 16.0
/* The longest step of Newton's method, in radians, and the least part of it. */
#define LONGEST_STEP 0.5
#define SHORTEST_STEP 0x1p-6

#define MOST_ELLIPSOIDS 4

typedef struct ellipsoid {
    apart_vec3 f[3];
} ellipsoid;

/* A triangle of directions, or an arc of two. */
typedef struct direction_cell {
    apart_vec3 corner[3];
} direction_cell;

/* The search: the Minkowski difference as a sum, and the shortest way out that is known. */
typedef struct direction_search {
    ap_pair *pair;
    direction_cell *waiting; /* in the memory of the polytope, which this search has no use for */
    const ap_plane *plane;   /* of bodies of revolution about parallel axes, which decides their depth; else NULL */
    int count;
    ellipsoid part[MOST_ELLIPSOIDS];
    apart_vec3 center;
    apart_vec3 best;
    double value;
    double margin;
    int caps; /* evaluated */
} direction_search;

_Static_assert((MOST_WAITING + 1) * sizeof(direction_cell) <= sizeof(ap_polytope_storage),
               "what waits fits the memory of a polytope");

/* What one direction shows. */
typedef struct direction_view {
    apart_vec3 m, u, v, w;
    apart_vec3 p[MOST_ELLIPSOIDS]; /* F^T m of each ellipsoid */
    double value;                  /* m.w */
    double gu, gv;                 /* u.w, v.w */
    double uu, uv, vv;             /* the least radii of curvature less the value, as a matrix */
    double low, high;              /* its eigenvalues, */
    double g_low, g_high;          /* the part of w along their directions, */
    double c, s;                   /* and the direction of `high` in u and v */
} direction_view;

/* ---- the bodies ---- */

static bool add_ellipsoid(direction_search *s, const apart_mat3 *map, apart_vec3 axes)
{
    if (s->count == MOST_ELLIPSOIDS) {
        return false;
    }
    s->part[s->count++] = (ellipsoid){{ap_scale(axes.x, map->x), ap_scale(axes.y, map->y), ap_scale(axes.z, map->z)}};
    return true;
}

/* Adds the ellipsoids whose sum the image of a core is. False: it is something else. */
static bool add_core(direction_search *s, const apart_shape *shape, const apart_mat3 *map)
{
    switch ((apart_shape_kind)shape->kind) {
    case APART_SHAPE_POINT: return true;
    case APART_SHAPE_ELLIPSOID: return add_ellipsoid(s, map, shape->u.semi_axes);
    case APART_SHAPE_SUM: return add_core(s, shape->u.pair.first, map) && add_core(s, shape->u.pair.second, map);
    case APART_SHAPE_AFFINE: {
        const apart_shape *child = shape->u.affine.child;
        const apart_mat3 *l = &shape->u.affine.linear;
        const apart_mat3 both = {ap_apply(map, l->x), ap_apply(map, l->y), ap_apply(map, l->z)};
        const double r = child->radius; /* an image has no radius of its own: the child's belongs to its core */
        return (!(r > 0.0) || add_ellipsoid(s, &both, ap_vec(r, r, r))) && add_core(s, child, &both);
    }
    default: return false;
    }
}

static apart_mat3 scaled_matrix(const apart_mat3 *m, double scale)
{
    return (apart_mat3){ap_scale(scale, m->x), ap_scale(scale, m->y), ap_scale(scale, m->z)};
}

/* ---- one direction ---- */

static apart_vec3 apply_transposed(const ellipsoid *e, apart_vec3 d)
{
    return ap_vec(ap_dot(e->f[0], d), ap_dot(e->f[1], d), ap_dot(e->f[2], d));
}

/* The support point along the unit vector m. */
static AP_RARE void look_toward(const direction_search *s, apart_vec3 m, direction_view *d)
{
    d->m = m;
    d->w = s->center;
    d->value = ap_dot(m, s->center);
    for (int i = 0; i < s->count; i++) {
        const ellipsoid *e = &s->part[i];
        const apart_vec3 p = apply_transposed(e, m);
        const double f = sqrt(ap_dot(p, p)), inverse = f > 0.0 ? 1.0 / f : 0.0;
        d->p[i] = p;
        d->value += f;
        d->w = ap_add(d->w, ap_scale(inverse, ap_add(ap_add(ap_scale(p.x, e->f[0]), ap_scale(p.y, e->f[1])),
                                                     ap_scale(p.z, e->f[2]))));
    }
}

/* Two unit vectors across m: with a = 1/(1 + |z|) both need no root (Duff et al. 2017). In a plane the first is in
 * it. */
static void set_frame(direction_view *d, const ap_plane *plane)
{
    const apart_vec3 m = d->m;
    if (plane != NULL) {
        const double x = ap_dot(plane->f, m), y = ap_dot(plane->g, m);
        d->u = ap_sub(ap_scale(x, plane->g), ap_scale(y, plane->f));
        d->v = ap_cross(m, d->u);
        d->gu = ap_dot(d->u, d->w);
        d->gv = 0.0;
        return;
    }
    const double sign = m.z < 0.0 ? -1.0 : 1.0, a = -1.0 / (sign + m.z), b = m.x * m.y * a;
    d->u = ap_vec(1.0 + sign * (m.x * m.x) * a, sign * b, -sign * m.x);
    d->v = ap_vec(b, sign + (m.y * m.y) * a, -m.y);
    d->gu = ap_dot(d->u, d->w);
    d->gv = ap_dot(d->v, d->w);
}

/* Adds the least radii of curvature of an ellipsoid on the cap. */
static void add_curvature(direction_view *d, const ellipsoid *e, apart_vec3 p, double reach)
{
    const apart_vec3 a = apply_transposed(e, d->u), b = apply_transposed(e, d->v);
    const double pp = ap_dot(p, p), aa = ap_dot(a, a), bb = ap_dot(b, b), ab = ap_dot(a, b);
    const double pa = ap_dot(p, a), pb = ap_dot(p, b), half = 0.5 * (aa - bb);
    const double across = 0.5 * (aa + bb) + sqrt(half * half + ab * ab); /* the largest |F^T s|^2 */
    const double rise = 2.0 * sqrt(pa * pa + pb * pb) + reach * ap_max(across - pp, 0.0);
    const double most = pp + MEAN_SINE * reach * rise; /* f^2, as it counts on average */
    if (!(most > 0.0)) {
        return;
    }
    const double factor = 1.0 / (most * sqrt(most));
    const apart_vec3 x = ap_cross(p, a), y = ap_cross(p, b);
    const double noise = CURVATURE_ERROR * AP_UNIT_ROUNDOFF * (factor * pp * across);
    d->uu += factor * ap_dot(x, x) - noise;
    d->uv += factor * ap_dot(x, y);
    d->vv += factor * ap_dot(y, y) - noise;
}

/* Eigenvalues and directions of the matrix. */
static void find_axes(direction_view *d)
{
    const double mean = 0.5 * (d->uu + d->vv), half = 0.5 * (d->uu - d->vv);
    const double root = sqrt(half * half + d->uv * d->uv);
    double c = 1.0, s = 0.0;
    if (root > 0.0) {
        c = half >= 0.0 ? half + root : d->uv;
        s = half >= 0.0 ? d->uv : root - half;
        const double inverse = 1.0 / sqrt(c * c + s * s);
        c *= inverse;
        s *= inverse;
    }
    d->c = c;
    d->s = s;
    d->low = mean - root;
    d->high = mean + root;
    d->g_high = c * d->gu + s * d->gv;
    d->g_low = c * d->gv - s * d->gu;
}

/* The rest of the view: how the support value changes around m, at least. */
static AP_RARE void look_around(const direction_search *s, direction_view *d, double reach)
{
    set_frame(d, s->plane);
    d->uu = d->vv = -d->value;
    d->uv = 0.0;
    for (int i = 0; i < s->count; i++) {
        add_curvature(d, &s->part[i], d->p[i], reach);
    }
    if (s->plane != NULL) { /* only the arcs in it count */
        d->c = 1.0;
        d->s = d->low = d->g_low = 0.0;
        d->high = d->uu;
        d->g_high = d->gu;
    } else {
        find_axes(d);
    }
}

/* The least of k y^2 / 2 - |g| y for 0 <= y <= reach. */
static double least_change(double k, double g, double reach)
{
    const double size = fabs(g);
    return k > 0.0 && size < k * reach ? -0.5 * (size / k) * size : reach * (0.5 * k * reach - size);
}

/* ---- the shortest way out ---- */

/* The step of Newton's method: towards a minimum even where the matrix is not positive; or to the next stationary
 * point. */
static apart_vec3 newton_step(const direction_search *s, const direction_view *d, double factor, bool stationary)
{
    const double least = 0x1p-40 * s->pair->magnitude, sign = stationary && d->low < 0.0 ? 1.0 : -1.0;
    double low = sign * d->g_low / ap_max(fabs(d->low), least), high = -d->g_high / ap_max(fabs(d->high), least);
    const double length = sqrt(low * low + high * high);
    const double shorten = length > LONGEST_STEP ? factor * (LONGEST_STEP / length) : factor;
    low *= shorten;
    high *= shorten;
    const double along_u = d->c * high - d->s * low, along_v = d->s * high + d->c * low;
    return ap_unit(ap_add(d->m, ap_add(ap_scale(along_u, d->u), ap_scale(along_v, d->v))));
}

/* Is a view better: shorter, or as short to rounding and nearer to a local minimum? */
static bool is_better(const direction_view *next, const direction_view *d, double unit)
{
    const double g = d->gu * d->gu + d->gv * d->gv, next_g = next->gu * next->gu + next->gv * next->gv;
    return next->value < d->value - VALUE_NOISE * unit || (next->value < d->value + VALUE_NOISE * unit && next_g < g);
}

/* A better view after a step, or a part of it. */
static bool find_better(const direction_search *s, const direction_view *d, direction_view *next, bool stationary)
{
    for (double factor = 1.0; factor > SHORTEST_STEP; factor *= 0.25) {
        look_toward(s, newton_step(s, d, factor, stationary), next);
        look_around(s, next, 0.0);
        if (is_better(next, d, AP_UNIT_ROUNDOFF * s->pair->magnitude)) {
            return true;
        }
    }
    return false;
}

/* Descends from a direction, and keeps where that ends if it is the shortest way out so far. */
static void descend(direction_search *s, apart_vec3 from)
{
    const double unit = AP_UNIT_ROUNDOFF * s->pair->magnitude;
    direction_view d, next;
    look_toward(s, from, &d);
    look_around(s, &d, 0.0);
    for (int step = 0; step < NEWTON_STEPS && fabs(d.gu) + fabs(d.gv) > unit; step++) {
        if (!find_better(s, &d, &next, false) && !find_better(s, &d, &next, true)) {
            break;
        }
        d = next;
    }
    if (d.value < s->value) {
        s->value = d.value;
        s->best = d.m;
    }
}

/* ---- the proof that no way out is shorter ---- */

/* The middle of a cell, and the length to its farthest corner. */
static double look_at_cell(const direction_search *s, const direction_cell *cell, direction_view *d)
{
    const apart_vec3 *p = cell->corner;
    const apart_vec3 sum = ap_add(p[0], p[1]);
    double square = 0.0;
    look_toward(s, ap_unit(s->plane != NULL ? sum : ap_add(sum, p[2])), d);
    for (int i = 0; i < (s->plane != NULL ? 2 : 3); i++) {
        const apart_vec3 e = ap_sub(p[i], d->m);
        square = ap_max(square, ap_dot(e, e));
    }
    return sqrt(square) * (1.0 + 16.0 * AP_UNIT_ROUNDOFF) + 8.0 * AP_UNIT_ROUNDOFF;
}

/* Do all support values in the cell reach up to the shortest one, less the margin? */
static bool is_covered(direction_search *s, const direction_cell *cell)
{
    direction_view d;
    const double reach = look_at_cell(s, cell, &d);
    s->caps++;
    if (d.value < s->value) {
        descend(s, d.m);
    }
    const double needed = (s->value - s->margin) - d.value;
    if (needed > 0.0) {
        return false;
    }
    const apart_vec3 g = ap_sub(d.w, ap_scale(d.value, d.m));
    if (-reach * (0.5 * d.value * reach + sqrt(ap_dot(g, g))) >= needed) {
        return true; /* flat as a triangle it would be high enough */
    }
    look_around(s, &d, reach);
    if (least_change(d.low, d.g_low, reach) + least_change(d.high, d.g_high, reach) >= needed) {
        return true;
    }
    if (reach < SMALL_CAP && fabs(d.g_low) + fabs(d.g_high) > 4.0 * reach * fabs(d.high)) {
        descend(s, d.m); /* a slope: there may be a shorter way out at its foot */
    }
    return false;
}

/* Divides a cell into four, an arc into two, on the stack. */
static int push_divided(const direction_search *s, direction_cell *stack, int top, const direction_cell *cell)
{
    const apart_vec3 *p = cell->corner;
    if (s->plane != NULL) {
        const apart_vec3 middle = ap_unit(ap_add(p[0], p[1]));
        stack[top++] = (direction_cell){{p[0], middle}};
        stack[top++] = (direction_cell){{middle, p[1]}};
        return top;
    }
    const apart_vec3 a = ap_unit(ap_add(p[1], p[2])), b = ap_unit(ap_add(p[2], p[0])), c = ap_unit(ap_add(p[0], p[1]));
    stack[top++] = (direction_cell){{p[0], c, b}};
    stack[top++] = (direction_cell){{c, p[1], a}};
    stack[top++] = (direction_cell){{b, a, p[2]}};
    stack[top++] = (direction_cell){{a, b, c}};
    return top;
}

/* The eight octants, those of half the sphere, or the four quadrants of the circle in a plane. */
static int push_all(const direction_search *s, direction_cell *stack)
{
    const bool concentric = ap_norm(s->center) <= CONCENTRIC * AP_UNIT_ROUNDOFF * s->pair->magnitude;
    const int count = s->plane != NULL || concentric ? 4 : 8;
    for (int i = 0; i < count; i++) {
        const double x = i & 1 ? 1.0 : -1.0, y = i & 2 ? 1.0 : -1.0, z = i & 4 ? 1.0 : -1.0;
        stack[i] = s->plane != NULL ? (direction_cell){{ap_scale(x, s->plane->f), ap_scale(y, s->plane->g)}}
                                    : (direction_cell){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
    }
    return count;
}

/* Covers the sphere with caps. False: some direction stays open. */
static AP_RARE bool cover_sphere(direction_search *s)
{
    direction_cell *const stack = s->waiting;
    int top = push_all(s, stack);
    s->caps = 0;
    while (top > 0) {
        const direction_cell cell = stack[--top];
        if (is_covered(s, &cell)) {
            continue;
        }
        if (s->caps >= MOST_CAPS || top + 4 > MOST_WAITING) {
            return false;
        }
        top = push_divided(s, stack, top, &cell);
    }
    return true;
}

/* ---- the search ---- */

/* Writes the Minkowski difference as a sum of ellipsoids about a centre. False: it is none. */
static bool begin_directions(direction_search *s, ap_pair *pair, const ap_plane *plane, ap_simplex_vertex *x)
{
    const apart_mat3 a = scaled_matrix(pair->rotation_a, pair->scale), b = scaled_matrix(pair->rotation_b, pair->scale);
    direction_view d;
    s->pair = pair;
    s->plane = plane;
    s->count = 0;
    s->value = INFINITY;
    s->margin = MARGIN * AP_UNIT_ROUNDOFF * pair->magnitude;
    s->center = ap_vec(0.0, 0.0, 0.0);
    if (!add_core(s, pair->a, &a) || !add_core(s, pair->b, &b) || s->count == 0) {
        return false;
    }
    const apart_vec3 m = plane != NULL ? plane->f : ap_vec(1.0, 0.0, 0.0);
    x->index_a = x->index_b = APART_NO_INDEX;
    ap_pair_support(pair, ap_neg(m), x);
    look_toward(s, m, &d);
    s->center = ap_sub(x->w, d.w);
    return true;
}

/* Descends from the shortest of a few directions: along the axes of the sphere or the plane, and away from the
 * centre. */
static void find_first_way(direction_search *s)
{
    const ap_plane world = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}}, *plane = s->plane != NULL ? s->plane : &world;
    const apart_vec3 c = ap_neg(s->center), z = ap_vec(0.0, 0.0, s->plane != NULL ? 0.0 : 1.0);
    const apart_vec3 out =
        ap_add(ap_add(ap_scale(ap_dot(c, plane->f), plane->f), ap_scale(ap_dot(c, plane->g), plane->g)),
               ap_scale(ap_dot(c, z), z));
    const apart_vec3 start[7] = {plane->f, ap_neg(plane->f), plane->g, ap_neg(plane->g), ap_unit(out), z, ap_neg(z)};
    direction_view d;
    apart_vec3 from = plane->f;
    double least = INFINITY;
    for (int i = 0; i < 7; i++) {
        look_toward(s, start[i], &d);
        if (d.value < least && ap_max_abs(start[i]) > 0.0) {
            least = d.value;
            from = d.m;
        }
    }
    descend(s, from);
}

/* Proves as small a margin as the work allows: nearly always the first one. False: none. */
static bool prove_margin(direction_search *s)
{
    double proved = INFINITY;
    if (cover_sphere(s)) {
        return true;
    }
    s->margin *= WIDER;
    for (double step = WIDER; step > LEAST_STEP;) {
        const bool covered = cover_sphere(s);
        proved = covered ? s->margin : proved;
        step = sqrt(step);
        s->margin *= covered ? 1.0 / step : step;
    }
    s->margin = proved;
    return proved < INFINITY;
}

AP_RARE bool ap_depth_search_directions(ap_depth *d, ap_pair *pair, const ap_plane *plane, const ap_polytope *p)
{
    direction_search s = {.waiting = (direction_cell *)(void *)p->w};
    ap_simplex_vertex x;
    const double unit = AP_UNIT_ROUNDOFF * pair->magnitude;
    if (!begin_directions(&s, pair, plane, &x)) {
        return false;
    }
    find_first_way(&s);
    if (!(s.value > pair->upper_error)) {
        return false; /* contact */
    }
    const double first = s.margin;
    if (!prove_margin(&s) || pair->broken) {
        return false;
    }
    ap_pair_support(pair, ap_neg(s.best), &x);
    d->least = s.value - (s.margin + CAP_ERROR * unit);
    d->most = d->depth = ap_max(ap_dot(s.best, x.w), d->least);
    d->normal = ap_neg(s.best);
    d->simplex.count = 1;
    d->simplex.vertex[0] = x;
    d->simplex.vertex[0].lambda = 1.0;
    d->enclosed = d->least > pair->upper_error;
    d->stop = s.margin <= first ? APART_STOP_CONVERGED : APART_STOP_WORKSPACE;
    return d->enclosed;
}
