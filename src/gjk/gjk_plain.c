/* The plain loop: that of gjk.c for the default query, instantiated for shapes of known kinds (ap_known) and inlined.
 *
 * A step wants neither square root nor division, and a step that may be the last no vertex, only how far the TCSO reaches along v. What is
 * out of the ordinary goes over to the general loop.
 *
 * Legend: as in gjk.c. */
#include "gjk.h"

/* The usual end of the default query, with nothing to tell or to decide on the way: the gap is shut and the points agree with v. */
AP_INLINE bool is_finished(ap_gjk *g, const ap_pair *pair, ap_known known, const progress *p)
{
    if (!(g->length - g->reach <= p->closed)) {
        return false;
    }
    g->blend = ap_simplex_points(&g->simplex);
    const ap_lanes apart = (g->blend.b - g->blend.a) - ap_lanes_load(&g->v);
    g->blended = ap_lanes_dot(apart, apart) <= p->agreed * p->agreed && is_believed(g, pair, known);
    return g->blended;
}

/* Solves the simplex by the default solver, without the length of v: that wants a square root, which a step on the way does not.
 * False: contact is near, or the numbers are out of the ordinary. */
AP_INLINE bool solve_plain(ap_gjk *g, const ap_pair *pair, ap_known known, ap_lanes newest, double *square, bool *inside)
{
    const double contact = CONTACT_LENGTH * (AP_UNIT_ROUNDOFF * pair->magnitude);
    ap_lanes v;
    *inside = ap_solve_lanes(&g->simplex, ap_known_dim(known, pair->dim), newest, &v);
    ap_lanes_store(&g->v, v);
    *square = ap_lanes_dot(v, v);
    return !*inside && *square > 2.0 * (contact * contact);
}

/* Do the weights meet in one point, as the general loop would ask? */
AP_INLINE bool is_common_point(const ap_gjk *g, const progress *p)
{
    const ap_blend points = ap_simplex_points(&g->simplex);
    return norm(points.b - points.a) <= p->agreed;
}

/* The usual step of the default query: the gap is open, the support pair is new and v has become shorter. False: look closer.
 * No v is longer than M < 2, so a gap above accepted has |v|^2 - v.w > 2 accepted, or is looked at closer in vain. */
AP_INLINE bool goes_on(ap_gjk *g, ap_pair *pair, ap_known known, progress *p, double square, const ap_look *look,
                       ap_simplex_vertex *next, ap_lanes *newest)
{
    if (!(square - look->product > p->open) || !(square < p->shortest_square) || g->iterations + 1 >= AP_DEFAULT_ITERATIONS) {
        return false;
    }
    *newest = ap_known_valued(known) ? ap_look_take(pair, known, look, next) : ap_lanes_load(&next->w);
    if (!ap_known_polytopes(known) && contains_point(&g->simplex, *newest)) {
        return false; /* where supports err by more than rounding; else a pair that is there already leaves no gap, or v as it is */
    }
    p->shortest_square = square;
    g->simplex.count++; /* refine_simplex: the pair is in its place already */
    return true;
}

/* Does the plane across v prove that the cores are farther apart than this? The squares err by a few u of themselves: hence the factor. */
AP_INLINE bool proves(const ap_pair *pair, ap_known known, double distance, double square, double product)
{
    const double needed = distance + ap_known_lower_error(pair, known);
    return product > 0.0 && product * product > (1.0 + 0x1p-40) * (needed * needed) * square;
}

/* Is the answer known already? For yes or no, the plane separates the bodies, or v is shorter than their radii. */
AP_INLINE bool decides(const ap_pair *pair, ap_known known, double cutoff, double square, double product)
{
    if (known.yes_no) {
        const double radius = ap_known_scale(known, pair->scale) * pair->radius;
        return proves(pair, known, radius, square, product) || (radius > 2.0 * pair->upper_error && square < 0.25 * (radius * radius));
    }
    return cutoff < INFINITY && proves(pair, known, cutoff, square, product);
}

/* How the default loop ends: with an answer about bodies that are apart; with a common point; or not: the general loop goes on. */
typedef enum plain_end { PLAIN_APART, PLAIN_ENCLOSED, PLAIN_UNFINISHED } plain_end;

/* The default loop. It leaves everything out of the ordinary to the general one; *unused is the support pair that did not fit in, if that
 * is why. */
AP_INLINE plain_end loop_plain(ap_gjk *g, ap_pair *pair, ap_known known, double cutoff, progress *p, ap_lanes newest, bool tracked,
                               ap_simplex_vertex **unused)
{
    *unused = NULL;
    for (;; g->iterations++) {
        double square;
        bool inside;
        if (!solve_plain(g, pair, known, newest, &square, &inside)) {
            g->outcome = AP_ENCLOSED;
            return inside && (known.yes_no || is_common_point(g, p)) ? PLAIN_ENCLOSED : PLAIN_UNFINISHED;
        }
        ap_simplex_vertex *next = &g->simplex.vertex[g->simplex.count];
        const ap_lanes v = ap_lanes_load(&g->v);
        const bool guess = !ap_known_scanned(known) && pair->guesses && !(tracked && g->iterations == 0);
        ap_look look;
        look_along(pair, known, v, guess ? NULL : next - 1, next, &look);
        if (guess) {
            if (!decides(pair, known, cutoff, square, look.product) && goes_on(g, pair, known, p, square, &look, next, &newest)) {
                continue;
            }
            look_along(pair, known, v, next, next, &look); /* what ends the loop must be certain */
        }
        const double product = look.product;
        if (decides(pair, known, cutoff, square, product)) {
            g->outcome = AP_DECIDED;
            g->stop = APART_STOP_CUTOFF;
            g->length = sqrt(square);
            g->reach = product / g->length;
            return PLAIN_APART;
        }
        if (goes_on(g, pair, known, p, square, &look, next, &newest)) {
            continue;
        }
        g->outcome = AP_SEPARATED;
        g->length = sqrt(square); /* solve_plain has seen to its range */
        g->reach = product / g->length;
        ap_count_div(2);
        if (is_finished(g, pair, known, p)) {
            return PLAIN_APART;
        }
        ap_lanes_store(&g->direction, v);
        if (ap_known_valued(known)) {
            ap_look_take(pair, known, &look, next);
        }
        *unused = next;
        return PLAIN_UNFINISHED;
    }
}

double ap_gjk_leave_plain(ap_gjk *g, ap_pair *pair, bool scanned)
{
    ap_pair_complete(pair, scanned ? APART_SUPPORT_SCAN : APART_SUPPORT_AUTO);
    const double s = ap_power_of_two_scale(pair->magnitude);
    const ap_lanes all = ap_lanes_all(s);
    pair->scale = s;
    pair->inverse_scale = 1.0 / s;
    pair->context.scale = s;
    pair->magnitude *= s;
    pair->support_error *= s;
    pair->climb_error *= s;
    pair->upper_error *= s;
    ap_lanes_store(&pair->offset, all * ap_lanes_load(&pair->offset));
    for (int i = 0; i < 4; i++) {
        ap_simplex_vertex *p = &g->simplex.vertex[i];
        ap_lanes_store(&p->w, all * ap_lanes_load(&p->w));
        ap_lanes_store(&p->a, all * ap_lanes_load(&p->a));
        ap_lanes_store(&p->b, all * ap_lanes_load(&p->b));
    }
    ap_lanes_store(&g->v, all * ap_lanes_load(&g->v));
    ap_lanes_store(&g->direction, all * ap_lanes_load(&g->direction));
    g->length *= s;
    g->reach *= s;
    return s;
}

/* What remains when a plain loop has met something out of the ordinary. quick: the pair was prepared quickly. */
static AP_RARE void run_on(ap_gjk *g, ap_pair *pair, bool quick, bool scanned, const ap_plain *asked, double shortest_square, ap_simplex_vertex *unused)
{
    progress p;
    g->solver_calls = g->iterations + 1;
    const double s = quick ? ap_gjk_leave_plain(g, pair, scanned) : 1.0;
    const ap_gjk_options o = {.fallback = true, .yes_no = asked->yes_no, .max_iterations = AP_DEFAULT_ITERATIONS, .cutoff = s * asked->cutoff,
                              .tolerance = s * asked->tolerance};
    begin(&p, pair, &o);
    p.shortest = s * sqrt(shortest_square);
    if (unused != NULL) {
        if (advance(g, pair, &o, &p, unused)) {
            return;
        }
        g->iterations++;
    }
    loop_general(g, pair, &o, &p, true);
}

/* The default loop on shapes of known kinds. True: the cores are apart, and nothing out of the ordinary was met. Else the pair is complete,
 * and has the size of 1. */
AP_INLINE bool run_plain(ap_gjk *g, ap_pair *pair, ap_known known, ap_plain asked, ap_lanes newest)
{
    progress p;
    ap_simplex_vertex *unused;
    begin_plain(&p, pair, asked.tolerance);
    g->stop = APART_STOP_CONVERGED;
    const plain_end end = loop_plain(g, pair, known, asked.cutoff, &p, newest, g->simplex.count > 1, &unused);
    if (end == PLAIN_UNFINISHED) {
        run_on(g, pair, ap_known_polytopes(known), known.laid > 0, &asked, p.shortest_square, unused);
    } else if (end == PLAIN_ENCLOSED && !known.yes_no && ap_known_polytopes(known)) {
        ap_gjk_leave_plain(g, pair, known.laid > 0);
    }
    return end == PLAIN_APART && (ap_known_polytopes(known) || !pair->broken);
}
