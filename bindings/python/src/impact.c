/* When moving bodies meet: time_of_impact, sweep, swept_overlap. */
#include "motion.h"

#include <stddef.h>

#define FIELD(name, member, kind, text, doc)                                 \
    {                                                                        \
        name, kind, offsetof(apart_compound_impact, member), doc, text, NULL \
    }
static const apy_field impact_fields[] = {
    FIELD("t", impact.t, APY_F64, NULL, "Hit: time of impact; clear: time of the smallest gap seen."),
    FIELD("lower", impact.lower, APY_F64, NULL, "Certified: the gap is at least this before t."),
    FIELD("upper", impact.upper, APY_F64, NULL, "Certified: the gap at t is at most this."),
    FIELD("tolerance", impact.tolerance, APY_F64, NULL, "The one that was used."),
    FIELD("iterations", impact.iterations, APY_U32, NULL, "Distance queries."),
    FIELD("separations", impact.separations, APY_U32, NULL, "Evaluations of the separation along a direction."),
    FIELD("outcome", impact.outcome, APY_NAME8, apart_outcome_name, "clear, hit, start or limit."),
    FIELD("stop", impact.stop, APY_NAME8, apart_stop_name, "Why the search ended."),
    FIELD("pose_a", impact.pose_a, APY_POSE, NULL, "A at t."),
    FIELD("pose_b", impact.pose_b, APY_POSE, NULL, "B at t."),
    FIELD("part_a", part_a, APY_U32, NULL, "The part of A that is hit, or comes nearest."),
    FIELD("part_b", part_b, APY_U32, NULL, "The part of B."),
    FIELD("queries", queries, APY_U32, NULL, "Pairs of parts that were queried."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD

static PyObject *impact_at(PyObject *self, void *closure)
{
    (void)closure;
    const apart_compound_impact *found = (const apart_compound_impact *)(const void *)((apy_record *)self)->data;
    PyObject *keep = ((apy_record *)self)->keep;
    const apart_compound_result result = {.result = found->impact.at,
                                          .part_a = found->part_a,
                                          .part_b = found->part_b,
                                          .queries = found->queries};
    return apy_result_new(&result, keep == NULL ? NULL : PyTuple_GetItem(keep, 0), &found->impact.pose_a,
                          keep == NULL ? NULL : PyTuple_GetItem(keep, 1), &found->impact.pose_b);
}

static PyGetSetDef impact_properties[] = {{"at", impact_at, NULL, "The bodies at t: a Result.", NULL},
                                          {NULL, NULL, NULL, NULL, NULL}};
static apy_layout impact_layout = {.name = "apart.Impact",
                                   .doc = "When two moving bodies meet: no contact before t, certified.",
                                   .size = sizeof(apart_compound_impact),
                                   .fields = impact_fields,
                                   .properties = impact_properties};

/* ---- options: the last words of each call ---- */

#define MOTION_WORDS "tolerance", "until", "cutoff", "max_iterations", "gap", "stats"

static const char *gap_name(int gap)
{
    static const char *const names[] = {"none", "tolerance"};
    return names[gap];
}

static bool options_from(PyObject *const *v, apart_motion_options *out)
{
    uint64_t most = 0;
    if (!apy_double(v[0], "tolerance", &out->tolerance) || !apy_double(v[1], "until", &out->until) ||
        !apy_double(v[2], "cutoff", &out->cutoff) || !apy_count(v[3], "max_iterations", UINT32_MAX, &most) ||
        !apy_choice(v[4], "gap", gap_name, 2, &out->gap)) {
        return false;
    }
    out->max_iterations = (uint32_t)most;
    if (v[5] != NULL && !apy_layout_is(&apy_stats_layout, v[5])) {
        PyErr_SetString(PyExc_TypeError, "stats: expected what apart.stats() makes");
        return false;
    }
    return true;
}

static PyObject *finish(apart_status status, apart_compound_impact *impact, const apy_body *a, const apy_body *b,
                        PyObject *stats, const apart_stats *counted)
{
    if (stats != NULL) {
        apy_options sum = {.stats_object = stats, .stats = *counted};
        apy_options_release(&sum);
    }
    if (status != APART_OK) {
        return apy_raise(status, NULL);
    }
    PyObject *keep = Py_BuildValue("(OO)", a->object, b->object);
    PyObject *found = keep == NULL ? NULL : apy_record_new(&impact_layout, impact, keep);
    Py_XDECREF(keep);
    return found;
}

static bool get_bodies(PyObject *first, PyObject *second, apy_body *a, apy_body *b)
{
    if (!apy_body_get(first, "a", a)) {
        return false;
    }
    if (!apy_body_get(second, "b", b)) {
        apy_body_release(a);
        return false;
    }
    return true;
}

/* ---- the calls ---- */

static apy_signature impact_words = {"time_of_impact",
                                     2,
                                     4,
                                     {"a", "b", "motion_a", "motion_b", "cache", MOTION_WORDS},
                                     {NULL}};

static PyObject *time_of_impact(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_body a, b;
    apart_motion motion_a, motion_b;
    apart_motion_options options = {.tolerance = 0.0};
    apart_stats counted = {.queries = 0};
    apart_compound_cache room, *cache;
    apart_compound_impact found = {.queries = 1};
    if (!apy_bind(&impact_words, args, count, names, v) || !apy_motion_get(v[2], "motion_a", &motion_a) ||
        !apy_motion_get(v[3], "motion_b", &motion_b) || !apy_cache_get(v[4], &room, &cache) ||
        !options_from(v + 5, &options) || !get_bodies(v[0], v[1], &a, &b)) {
        return NULL;
    }
    options.stats = v[10] == NULL ? NULL : &counted;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        a.solid.shape != NULL && b.solid.shape != NULL
            ? apart_time_of_impact(a.solid.shape, &motion_a, b.solid.shape, &motion_b, &options,
                                   cache == NULL ? NULL : &cache->cache, &found.impact)
            : apart_compound_time_of_impact(a.solid, &motion_a, b.solid, &motion_b, &options, &found);
    apy_take_gil(gil);
    apy_cache_put(v[4], cache);
    PyObject *result = finish(status, &found, &a, &b, v[10], &counted);
    apy_body_release(&a);
    apy_body_release(&b);
    return result;
}

static apy_signature sweep_words =
    {"sweep", 2, 6, {"a", "b", "pose_a", "pose_b", "displacement_a", "displacement_b", "cache", MOTION_WORDS}, {NULL}};

static PyObject *sweep(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_pair p;
    apart_vec3 da = {0, 0, 0}, db = {0, 0, 0};
    apart_motion_options options = {.tolerance = 0.0};
    apart_stats counted = {.queries = 0};
    apart_compound_cache room, *cache;
    apart_compound_impact found = {.queries = 1};
    if (!apy_bind(&sweep_words, args, count, names, v) || !apy_vec3(v[4], "displacement_a", &da) ||
        !apy_vec3(v[5], "displacement_b", &db) || !apy_cache_get(v[6], &room, &cache) ||
        !options_from(v + 7, &options) || !apy_pair_get(v, &p)) {
        return NULL;
    }
    options.stats = v[12] == NULL ? NULL : &counted;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        p.shapes ? apart_sweep(p.a.solid.shape, &p.pose_a, da, p.b.solid.shape, &p.pose_b, db, &options,
                               cache == NULL ? NULL : &cache->cache, &found.impact)
                 : apart_compound_sweep(p.a.solid, &p.pose_a, da, p.b.solid, &p.pose_b, db, &options, &found);
    apy_take_gil(gil);
    apy_cache_put(v[6], cache);
    PyObject *result = finish(status, &found, &p.a, &p.b, v[12], &counted);
    apy_pair_release(&p);
    return result;
}

static apy_signature swept_words = {"swept_overlap",
                                    2,
                                    6,
                                    {"a", "b", "pose_a", "pose_b", "displacement_a", "displacement_b", "cache"},
                                    {NULL}};

static PyObject *swept_overlap(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *answer = NULL;
    apy_pair p;
    apart_vec3 da = {0, 0, 0}, db = {0, 0, 0};
    apart_compound_cache room, *cache;
    int yes = 0;
    if (!apy_bind(&swept_words, args, count, names, v) || !apy_vec3(v[4], "displacement_a", &da) ||
        !apy_vec3(v[5], "displacement_b", &db) || !apy_cache_get(v[6], &room, &cache) || !apy_pair_get(v, &p)) {
        return NULL;
    }
    if (p.shapes) {
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_swept_overlap(p.a.solid.shape, &p.pose_a, da, p.b.solid.shape, &p.pose_b, db,
                                                        NULL, cache == NULL ? NULL : &cache->cache, &yes);
        apy_take_gil(gil);
        apy_cache_put(v[6], cache);
        answer = status == APART_OK ? PyBool_FromLong(yes) : apy_raise(status, NULL);
    } else {
        PyErr_SetString(PyExc_TypeError, "swept_overlap(): expected two convex shapes");
    }
    apy_pair_release(&p);
    return answer;
}

#define OPTIONS_TEXT \
    "tolerance, until, cutoff, max_iterations, gap ('none', 'tolerance'), stats are those of apart_motion_options."
static PyMethodDef functions[] = {
    {"time_of_impact", APY_CALL(time_of_impact), APY_FAST,
     "time_of_impact(a, b, motion_a=None, motion_b=None, *, cache=None, **options)\n--\n\nWhen two moving bodies "
     "meet. A "
     "motion is a Motion, or a pose for a body at rest. " OPTIONS_TEXT},
    {"sweep", APY_CALL(sweep), APY_FAST,
     "sweep(a, b, pose_a=None, pose_b=None, displacement_a=None, displacement_b=None, *, cache=None, **options)\n--\n\n"
     "The same for bodies that only translate. " OPTIONS_TEXT},
    {"swept_overlap", APY_CALL(swept_overlap), APY_FAST,
     "swept_overlap(a, b, pose_a=None, pose_b=None, displacement_a=None, displacement_b=None, *, cache=None)\n--\n\n"
     "Whether two translating shapes meet at all."},
    {NULL, NULL, 0, NULL}};

bool apy_add_impacts(PyObject *module)
{
    return apy_layout_add(module, &impact_layout) && PyModule_AddFunctions(module, functions) == 0;
}
