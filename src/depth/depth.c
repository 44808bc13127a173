/* The penetration depth of two overlapping cores: start.c encloses the origin, expand.c (or planar.c) closes the
 * bounds; smooth bodies are left to directions.c. Here are the order of these steps, the retries where rounding leaves
 * the bounds apart, and the answer for bodies in contact. */
#include "depth_search.h"

/* In units of u * M: bounds this close have met. */
#define DEPTH_GAP 4.0
/* In units of u * M: bounds farther apart are worth another start, and how many of those. */
#define LOOSE_GAP 4096.0
#define FURTHER_STARTS 3
/* A depth below this, of M, is worth a search for the tetrahedron that shows it best: deeper, one that the next query
 * must grow anyway is as good. */
#define SHALLOW 0x1p-4
/* Axes tilted by no more than this are tried as parallel ones where the bounds stay apart. */
#define MOST_TILT 0x1p-12
/* Hulls up to this size are transformed as a whole even where a search or two will do. */
#define ALWAYS_TRANSFORMED 16u

static ap_depth_search begin_search(ap_pair *pair, int kind, apart_trace *trace)
{
    if (pair->confirm) { /* a support value is a proof only if the search for it cannot have missed a vertex */
        ap_pair_scan(pair);
    }
    const bool exact = kind == APART_DEPTH_EXACT;
    return (ap_depth_search){.pair = pair,
                             .trace = trace,
                             .kind = kind,
                             .guess = exact, /* the first face gives the bounds else, and a guess bounds nothing */
                             .tilt = AP_PARALLEL,
                             .close = exact ? DEPTH_GAP * AP_UNIT_ROUNDOFF * pair->magnitude : -INFINITY,
                             .deep = exact ? INFINITY : pair->upper_error};
}

/* No solid around the origin can be certified: contact. The simplex of GJK holds the common point. */
static void set_contact(ap_depth *d, const ap_enclosure *e, const ap_gjk *g)
{
    d->simplex = g->simplex;
    d->normal = ap_neg(e->least_direction);
    d->depth = 0.0;
    d->least = 0.0;
    d->most = ap_max(e->least_value, 0.0);
    d->enclosed = false;
    d->stop = APART_STOP_CONVERGED;
}

/* The expansion with all vertices of small hulls transformed first: a frame of its own, that only they pay for. */
static AP_NOINLINE void expand_transformed(ap_depth *d, ap_enclosure *e, ap_polytope *p, ap_depth_search *s)
{
    ap_vertex_sets memory;
    s->vertices = ap_pair_transform(s->pair, &memory);
    ap_depth_expand(d, e, p, s);
}

/* The depth from a new solid on the simplex of GJK, expanded; or contact. known: an earlier answer, or NULL. */
static void find_from_simplex(ap_depth *d, ap_polytope *p, ap_depth_search *s, ap_gjk *g, const ap_depth *known)
{
    ap_pair *const pair = s->pair;
    ap_enclosure e;
    ap_plane plane = {.f = {1.0, 0.0, 0.0}, .g = {0.0, 1.0, 0.0}};
    const bool revolved = pair->dim == 3 && !pair->vertices && ap_revolution_plane(pair, s->tilt, &plane);
    if (!ap_depth_start(&e, p, pair, revolved ? &plane : NULL, g)) {
        set_contact(d, &e, g);
        return;
    }
    if (known != NULL && known->most < e.least_value) { /* no upper bound is lost */
        e.least_value = known->most;
        e.least_direction = ap_neg(known->normal);
    }
    if (revolved || pair->dim == 2) {
        ap_depth_expand_ring(d, &e, p, &plane, s);
    } else {
        if (pair->sets == NULL && s->kind == APART_DEPTH_EXACT && ap_pair_is_small(pair, AP_MOST_TRANSFORMED)) {
            expand_transformed(d, &e, p, s);
        } else {
            s->vertices = pair->sets;
            ap_depth_expand(d, &e, p, s);
        }
        s->vertices = NULL;
        if (g->warm && pair->vertices && p->vertex_count > 4 && d->least < SHALLOW) { /* the pair is tracked */
            ap_depth_keep_face(p, g);
        }
    }
    if (revolved) {
        ap_revolution_flatten(d, pair, &plane);
    }
    d->enclosed = d->least > pair->upper_error;
    if (!d->enclosed && d->stop != APART_STOP_CONVERGED) {
        ap_depth_find_contact_plane(&e, pair);
        set_contact(d, &e, g);
    }
}

/* How far the bounds of the answer will be apart: by as much as its points miss the depth along the normal, at least. */
static double width_of(const ap_depth *d)
{
    apart_vec3 missing = ap_scale(d->depth, d->normal);
    for (int i = 0; i < d->simplex.count && d->enclosed; i++) {
        missing = ap_add(missing, ap_scale(d->simplex.vertex[i].lambda, d->simplex.vertex[i].w));
    }
    return ap_max(d->most - d->least, d->enclosed ? ap_norm(missing) : 0.0);
}

/* Have the bounds stayed apart, and may another start change that? A polytope from another start need not have the same
 * dent. A workspace that guesses have filled may be large enough for support points. */
static bool is_loose(const ap_depth *d, const ap_pair *pair, bool guessed)
{
    const bool room = d->stop != APART_STOP_WORKSPACE || guessed;
    const double width = pair->vertices ? d->most - d->least : width_of(d);
    return room && width > LOOSE_GAP * AP_UNIT_ROUNDOFF * pair->magnitude;
}

static void keep_narrower(ap_depth *d, const ap_depth *again)
{
    if (width_of(again) < width_of(d)) {
        *d = *again;
    }
}

/* Bodies of revolution about nearly parallel axes have nearly as short ways out all around: the plane of parallel axes
 * may answer better, for all that the tilt takes off its lower bound. again: room for its answer. */
static AP_RARE void find_without_tilt(ap_depth *d, ap_depth *again, ap_polytope *p, ap_depth_search *s, ap_gjk *g)
{
    ap_plane plane;
    if (s->pair->dim != 3 || s->pair->vertices || !ap_revolution_plane(s->pair, MOST_TILT, &plane)) {
        return;
    }
    s->tilt = MOST_TILT;
    find_from_simplex(again, p, s, g, d);
    if (again->enclosed) {
        keep_narrower(d, again);
    }
}

/* The depth of smooth bodies in space by the search over directions. again: room for its answer. */
static AP_RARE void find_smooth(ap_depth *d, ap_depth *again, const ap_polytope *p, const ap_depth_search *s)
{
    ap_pair *const pair = s->pair;
    ap_plane plane;
    if (pair->dim != 3 || pair->vertices) {
        return;
    }
    const bool revolved = ap_revolution_plane(pair, s->tilt, &plane);
    if (!ap_depth_search_directions(again, pair, revolved ? &plane : NULL, p)) {
        return;
    }
    if (revolved) {
        ap_revolution_flatten(again, pair, &plane);
    }
    again->enclosed = again->least > pair->upper_error;
    if (again->enclosed && again->stop == APART_STOP_CONVERGED && !is_loose(again, pair, true)) {
        *d = *again;
    } else if (again->enclosed) {
        keep_narrower(d, again);
    }
}

/* The best of several starts; nearly always the first one closes the bounds. The others insert support points alone:
 * guesses need not be extreme, and such points dent the surface. Before them, smooth bodies are searched over
 * directions: that takes ten times as long as a polytope that closes, but closes where many ways out are as short. */
static void find_afresh(ap_depth *d, ap_polytope *p, ap_depth_search *s, ap_gjk *g)
{
    ap_pair *const pair = s->pair;
    ap_depth again;
    find_from_simplex(d, p, s, g, NULL);
    const bool full = d->stop == APART_STOP_WORKSPACE;
    if (s->kind == APART_DEPTH_EXACT && d->enclosed && (full || is_loose(d, pair, true))) {
        find_smooth(d, &again, p, s);
    }
    const int starts = s->kind == APART_DEPTH_EXACT ? FURTHER_STARTS : 0;
    for (int i = 0; i < starts && is_loose(d, pair, i == 0 && pair->guesses); i++) {
        const apart_vec3 across = ap_perpendicular(d->normal);
        ap_depth_restart_gjk(g, pair, i == 0 ? ap_neg(d->normal) : i == 1 ? across : ap_cross(across, d->normal));
        if (g->outcome == AP_SEPARATED) {
            return;
        }
        s->guess = false;
        find_from_simplex(&again, p, s, g, d);
        keep_narrower(d, &again);
    }
    if (s->kind == APART_DEPTH_EXACT && d->enclosed && is_loose(d, pair, true)) {
        find_without_tilt(d, &again, p, s, g);
    }
}

bool ap_depth_track(ap_depth *d, ap_pair *pair, apart_depth_cache *cache, int kind, apart_trace *trace)
{
    ap_depth_search s = begin_search(pair, kind, trace);
    s.guess = false;
    if (pair->dim != 3 || !pair->vertices || kind != APART_DEPTH_EXACT || !ap_depth_cache_fits(cache, pair)) {
        return false;
    }
    ap_vertex_sets memory;
    if (ap_pair_is_small(pair, ALWAYS_TRANSFORMED)) {
        s.vertices = ap_pair_transform(pair, &memory);
    }
    ap_polytope p;
    if (!ap_depth_cache_load(cache, pair, s.vertices, &p)) {
        return false;
    }
    ap_enclosure e = {.least_value = INFINITY};
    ap_depth_expand(d, &e, &p, &s);
    d->enclosed = d->least > pair->upper_error;
    if (d->stop != APART_STOP_CONVERGED || !d->enclosed) {
        return false; /* vertices that are not extreme any more dent the surface: it is built anew */
    }
    ap_depth_cache_store(cache, pair, &p, false);
    return true;
}

/* Without memory of the caller: in a frame of its own, so that depths in a cache have nothing of it. */
static AP_NOINLINE void find_on_stack(ap_depth *d, ap_depth_search *s, ap_gjk *g)
{
    ap_polytope_storage storage;
    ap_polytope p;
    ap_polytope_init(&p, &storage, AP_POLYTOPE_VERTICES, s->pair);
    find_afresh(d, &p, s, g);
}

void ap_depth_find(ap_depth *d, ap_pair *pair, ap_gjk *g, apart_depth_cache *cache, int kind, apart_trace *trace)
{
    if (kind != APART_DEPTH_EXACT && trace == NULL && ap_depth_is_certain(d, pair, g, kind)) {
        return;
    }
    ap_depth_search s = begin_search(pair, kind, trace);
    ap_polytope p;
    if (cache == NULL || !ap_depth_cache_open(cache, pair, &p)) {
        find_on_stack(d, &s, g);
        return;
    }
    find_afresh(d, &p, &s, g);
    ap_depth_cache_store(cache, pair, &p, true);
}
