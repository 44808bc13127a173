/* distance, overlap, point_distance, with their options, caches, statistics and traces. */
#include "apy.h"

#include <stddef.h>
#include <string.h>

/* ---- caches ---- */

typedef struct cache_object {
    PyObject_HEAD apart_compound_cache cache;
} cache_object;

static PyTypeObject *cache_type;

bool apy_cache_get(PyObject *object, apart_compound_cache *out, apart_compound_cache **used)
{
    *used = NULL;
    if (object == NULL) {
        return true;
    }
    if (!Py_IS_TYPE(object, cache_type)) {
        PyErr_Format(PyExc_TypeError, "cache: expected a Cache, got %R", (PyObject *)Py_TYPE(object));
        return false;
    }
    *out = ((cache_object *)object)->cache;
    *used = out;
    return true;
}

void apy_cache_put(PyObject *object, const apart_compound_cache *used)
{
    if (used != NULL) {
        ((cache_object *)object)->cache = *used;
    }
}

static PyObject *cache_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    if (PyTuple_Size(args) != 0 || (named != NULL && PyDict_Size(named) != 0)) {
        PyErr_SetString(PyExc_TypeError, "Cache() takes no arguments");
        return NULL;
    }
    return PyType_GenericAlloc(type, 0);
}

static PyObject *cache_clear(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    memset(&((cache_object *)self)->cache, 0, sizeof(apart_compound_cache));
    Py_RETURN_NONE;
}

static PyMethodDef cache_methods[] = {{"clear", cache_clear, METH_NOARGS,
                                       "clear($self)\n--\n\nForgets: the next query is cold."},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot cache_slots[] =
    {{Py_tp_doc,
      "Cache()\n--\n\nThe warm start of the next query of the same two bodies. Never changes an answer beyond its "
      "bounds."},
     {Py_tp_new, (void *)cache_new},
     {Py_tp_methods, cache_methods},
     {Py_tp_dealloc, (void *)apy_free},
     {0, NULL}};
static PyType_Spec cache_spec = {.name = "apart.Cache",
                                 .basicsize = sizeof(cache_object),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = cache_slots};

/* ---- statistics ---- */

#define FIELD(member, doc)                                               \
    {                                                                    \
#member, APY_U64, offsetof(apart_stats, member), doc, NULL, NULL \
    }
static const apy_field stats_fields[] = {
    FIELD(queries, "Calls."),
    FIELD(iterations, "Iterations of the GJK loop."),
    FIELD(support_calls, "Support searches, counted for each body."),
    FIELD(vertices_visited, "Vertices whose dot product was computed."),
    FIELD(edges_climbed, "Steps of hill climbing."),
    FIELD(vertices_transformed, "Vertices transformed to the world frame."),
    FIELD(solver_calls, "Simplices solved."),
    FIELD(fallbacks, "Queries that needed the double-double fallback."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
apy_layout apy_stats_layout = {.name = "apart.Stats",
                               .doc = "Counters; queries add to them.",
                               .size = sizeof(apart_stats),
                               .fields = stats_fields};

static PyObject *make_stats(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    const apart_stats zero = {.queries = 0};
    return apy_record_new(&apy_stats_layout, &zero, NULL);
}

static void add_stats(PyObject *object, const apart_stats *more)
{
    uint64_t *sum = (uint64_t *)(void *)((apy_record *)object)->data;
    const uint64_t *added = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *more / sizeof *sum; i++) {
        sum[i] += added[i];
    }
}

/* ---- traces ---- */

typedef struct trace_object {
    PyObject_HEAD apart_trace trace;
} trace_object;

static PyTypeObject *trace_type;

#define FIELD(member, kind, doc)                                           \
    {                                                                      \
#member, kind, offsetof(apart_trace_step, member), doc, NULL, NULL \
    }
static const apy_field step_fields[] = {
    FIELD(count, APY_U32, "Points of the simplex."),
    FIELD(index_a, APY_U32X4, "Vertices of A."),
    FIELD(index_b, APY_U32X4, "Vertices of B."),
    {"weights", APY_F64X4, offsetof(apart_trace_step, lambda), "Weights of the simplex points.", NULL, NULL},
    FIELD(v, APY_VEC3, "The point of the simplex closest to the origin."),
    FIELD(support_index_a, APY_U32, "The new support vertex of A."),
    FIELD(support_index_b, APY_U32, "The new support vertex of B."),
    FIELD(support_a, APY_VEC3, "That vertex as a point of A."),
    FIELD(support_b, APY_VEC3, "That vertex as a point of B."),
    FIELD(lower, APY_F64, "Lower bound of the distance of the cores."),
    FIELD(upper, APY_F64, "Upper bound of the same."),
    FIELD(fallback, APY_U32, "1: the double-double solver made this step."),
    FIELD(surface, APY_U32, "Depth search: the first of this step's points in trace.surface."),
    FIELD(surface_count, APY_U32, "Depth search: how many."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
static apy_layout step_layout = {.name = "apart.TraceStep",
                                 .doc = "An iteration.",
                                 .size = sizeof(apart_trace_step),
                                 .fields = step_fields};

static apy_signature trace_words = {"Trace", 0, 2, {"capacity", "surface"}, {NULL}};

static PyObject *trace_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t capacity = 256, surface = 0;
    if (!apy_bind_tuple(&trace_words, args, named, v) || !apy_count(v[0], "capacity", 1u << 20, &capacity) ||
        !apy_count(v[1], "surface", 1u << 24, &surface)) {
        return NULL;
    }
    trace_object *self = (trace_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->trace.steps = PyMem_Calloc((size_t)capacity + 1, sizeof(apart_trace_step));
    self->trace.surface = surface == 0 ? NULL : PyMem_Calloc((size_t)surface, sizeof(apart_vec3));
    self->trace.capacity = (uint32_t)capacity;
    self->trace.surface_capacity = (uint32_t)surface;
    if (self->trace.steps == NULL || (surface > 0 && self->trace.surface == NULL)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void trace_free(PyObject *self)
{
    PyMem_Free(((trace_object *)self)->trace.steps);
    PyMem_Free(((trace_object *)self)->trace.surface);
    apy_free(self);
}

static PyObject *trace_steps(PyObject *self, void *closure)
{
    (void)closure;
    const apart_trace *t = &((trace_object *)self)->trace;
    const Py_ssize_t stored = t->count < t->capacity ? t->count : t->capacity;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(step_layout.dtype, &stored, 1, &data);
    if (array != NULL) {
        memcpy(data, t->steps, (size_t)stored * sizeof *t->steps);
    }
    return array;
}

static PyObject *trace_surface(PyObject *self, void *closure)
{
    (void)closure;
    const apart_trace *t = &((trace_object *)self)->trace;
    const uint32_t stored = t->surface_count < t->surface_capacity ? t->surface_count : t->surface_capacity;
    return apy_numpy_doubles(stored == 0 ? NULL : &t->surface->x, stored, 3);
}

static PyObject *trace_origin(PyObject *self, void *closure)
{
    (void)closure;
    return apy_numpy_vec3(((trace_object *)self)->trace.origin);
}

static PyObject *trace_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(((trace_object *)self)->trace.count);
}

static PyGetSetDef trace_getset[] =
    {{"steps", trace_steps, NULL, "The iterations as a structured array.", NULL},
     {"surface", trace_surface, NULL, "Points of the surfaces that a depth search expands.", NULL},
     {"origin", trace_origin, NULL, "World coordinates of the origin of the trace's frame.", NULL},
     {"count", trace_count, NULL, "Iterations of the query; more than stored if the capacity was too small.", NULL},
     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot trace_slots[] =
    {{Py_tp_doc,
      "Trace(capacity=256, surface=0)\n--\n\nRoom for the iterations of a query: distance(..., trace=trace)."},
     {Py_tp_new, (void *)trace_new},
     {Py_tp_getset, trace_getset},
     {Py_tp_dealloc, (void *)trace_free},
     {0, NULL}};
static PyType_Spec trace_spec = {.name = "apart.Trace",
                                 .basicsize = sizeof(trace_object),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = trace_slots};

/* ---- options ---- */

static const char *depth_name(int depth)
{
    static const char *const names[] = {"exact", "bounds", "none"};
    return names[depth];
}

static bool get_objects(PyObject *const *v, apy_options *out)
{
    if (v[7] != NULL) {
        if (!apy_layout_is(&apy_stats_layout, v[7])) {
            PyErr_SetString(PyExc_TypeError, "stats: expected what apart.stats() makes");
            return false;
        }
        out->options.stats = &out->stats;
        out->stats_object = v[7];
    }
    if (v[8] != NULL) {
        if (!Py_IS_TYPE(v[8], trace_type)) {
            PyErr_SetString(PyExc_TypeError, "trace: expected a Trace");
            return false;
        }
        out->options.trace = &((trace_object *)v[8])->trace;
        out->guarded = true;
    }
    if (v[9] != NULL) {
        if (!apy_depth_cache_take(v[9], &out->options.depth_cache)) {
            return false;
        }
        out->depth_cache = v[9];
    }
    return true;
}

bool apy_options_get(PyObject *const *v, apy_options *out)
{
    out->given = out->guarded = false;
    out->stats_object = out->depth_cache = NULL;
    for (int i = 0; i < APY_OPTION_COUNT; i++) {
        out->given = out->given || v[i] != NULL;
    }
    if (!out->given) {
        return true;
    }
    uint64_t iterations = 0;
    out->options = (apart_options){.solver = 0};
    out->stats = (apart_stats){.queries = 0};
    apart_options *o = &out->options;
    if (!apy_choice(v[0], "solver", apart_solver_name, APART_SOLVER_COUNT, &o->solver) ||
        !apy_choice(v[1], "support", apart_support_name, APART_SUPPORT_COUNT, &o->support) ||
        !apy_choice(v[2], "depth", depth_name, 3, &o->depth) || !apy_flag(v[3], "no_fallback", &o->no_fallback) ||
        !apy_count(v[4], "max_iterations", UINT32_MAX, &iterations) || !apy_double(v[5], "cutoff", &o->cutoff) ||
        !apy_double(v[6], "tolerance", &o->tolerance)) {
        return false;
    }
    o->max_iterations = (uint32_t)iterations;
    return get_objects(v, out);
}

const apart_options *apy_options_pointer(apy_options *options) { return options->given ? &options->options : NULL; }

void apy_options_release(apy_options *options)
{
    if (options->stats_object != NULL) {
        add_stats(options->stats_object, &options->stats);
    }
    if (options->depth_cache != NULL) {
        apy_depth_cache_give(options->depth_cache);
    }
}

/* ---- distance ---- */

static apart_status query(const apy_pair *p, const apart_options *options, apart_compound_cache *cache,
                          apart_compound_result *out)
{
    if (!p->shapes) {
        return apart_compound_distance(p->a.solid, &p->pose_a, p->b.solid, &p->pose_b, options, cache, out);
    }
    out->part_a = out->part_b = out->boxes = 0;
    out->queries = 1;
    return apart_distance(p->a.solid.shape, &p->pose_a, p->b.solid.shape, &p->pose_b, options,
                          cache == NULL ? NULL : &cache->cache, &out->result);
}

static apy_signature distance_words = {"distance",
                                       2,
                                       4,
                                       {"a", "b", "pose_a", "pose_b", "cache", APY_OPTION_WORDS},
                                       {NULL}};

static PyObject *distance(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *result = NULL;
    apy_pair pair;
    apy_options options;
    apart_compound_cache room, *cache;
    apart_compound_result found;
    if (!apy_bind(&distance_words, args, count, names, v) || !apy_cache_get(v[4], &room, &cache) ||
        !apy_pair_get(v, &pair)) {
        return NULL;
    }
    if (apy_options_get(v + 5, &options)) {
        PyThreadState *gil = apy_release_gil(!pair.quick && !options.guarded);
        const apart_status status = query(&pair, apy_options_pointer(&options), cache, &found);
        apy_take_gil(gil);
        apy_options_release(&options);
        apy_cache_put(v[4], cache);
        result = status != APART_OK ? apy_raise(status, NULL)
                                    : apy_result_new(&found, pair.a.object, &pair.pose_a, pair.b.object, &pair.pose_b);
    }
    apy_pair_release(&pair);
    return result;
}

static apy_signature overlap_words = {"overlap",
                                      2,
                                      4,
                                      {"a", "b", "pose_a", "pose_b", "cache", APY_OPTION_WORDS},
                                      {NULL}};

static PyObject *overlap(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *answer = NULL;
    apy_pair pair;
    apy_options options;
    apart_compound_cache room, *cache;
    int yes = 0;
    if (!apy_bind(&overlap_words, args, count, names, v) || !apy_cache_get(v[4], &room, &cache) ||
        !apy_pair_get(v, &pair)) {
        return NULL;
    }
    if (apy_options_get(v + 5, &options)) {
        const apart_options *o = apy_options_pointer(&options);
        PyThreadState *gil = apy_release_gil(!pair.quick && !options.guarded);
        const apart_status status =
            pair.shapes
                ? apart_overlap(pair.a.solid.shape, &pair.pose_a, pair.b.solid.shape, &pair.pose_b, o,
                                cache == NULL ? NULL : &cache->cache, &yes)
                : apart_compound_overlap(pair.a.solid, &pair.pose_a, pair.b.solid, &pair.pose_b, o, cache, &yes, NULL);
        apy_take_gil(gil);
        apy_options_release(&options);
        apy_cache_put(v[4], cache);
        answer = status == APART_OK ? PyBool_FromLong(yes) : apy_raise(status, NULL);
    }
    apy_pair_release(&pair);
    return answer;
}

static apy_signature point_words = {"point_distance",
                                    2,
                                    3,
                                    {"point", "b", "pose_b", "cache", APY_OPTION_WORDS},
                                    {NULL}};

static PyObject *point_distance(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *result = NULL;
    apy_body b;
    apart_pose pose_b, identity = apart_pose_identity();
    apy_options options;
    apart_vec3 point;
    apart_compound_cache room, *cache;
    apart_compound_result found = {.queries = 1};
    if (!apy_bind(&point_words, args, count, names, v) || !apy_vec3(v[0], "point", &point) ||
        !apy_cache_get(v[3], &room, &cache) || !apy_pose_get(v[2], "pose_b", &pose_b) ||
        !apy_body_shape(v[1], "b", &b)) {
        return NULL;
    }
    if (apy_options_get(v + 4, &options)) {
        PyThreadState *gil = apy_release_gil(!b.quick && !options.guarded);
        const apart_status status = apart_point_distance(point, b.solid.shape, &pose_b, apy_options_pointer(&options),
                                                         cache == NULL ? NULL : &cache->cache, &found.result);
        apy_take_gil(gil);
        apy_options_release(&options);
        apy_cache_put(v[3], cache);
        const apart_shape as_shape = apart_point(point);
        PyObject *a = status == APART_OK ? apy_shape_new(&as_shape, NULL) : apy_raise(status, NULL);
        result = a == NULL ? NULL : apy_result_new(&found, a, &identity, b.object, &pose_b);
        Py_XDECREF(a);
    }
    apy_body_release(&b);
    return result;
}

#define OPTIONS_TEXT                                                                                              \
    "solver, support, depth ('exact', 'bounds', 'none'), no_fallback, max_iterations, cutoff, tolerance, stats, " \
    "trace, depth_cache are those of apart_options."
static PyMethodDef functions[] =
    {{"distance", APY_CALL(distance), APY_FAST,
      "distance(a, b, pose_a=None, pose_b=None, *, cache=None, **options)\n--\n\n"
      "The signed distance of two bodies, with bounds, witness points and normal. " OPTIONS_TEXT},
     {"overlap", APY_CALL(overlap), APY_FAST,
      "overlap(a, b, pose_a=None, pose_b=None, *, cache=None, **options)\n--\n\n"
      "Whether two bodies touch or overlap. " OPTIONS_TEXT},
     {"point_distance", APY_CALL(point_distance), APY_FAST,
      "point_distance(point, b, pose_b=None, *, cache=None, **options)\n--\n\n"
      "The signed distance of a world point to a shape. " OPTIONS_TEXT},
     {"stats", make_stats, METH_NOARGS, "stats()\n--\n\nCounters for distance(..., stats=...)."},
     {NULL, NULL, 0, NULL}};

bool apy_add_distances(PyObject *module)
{
    return apy_layout_add(module, &apy_stats_layout) && apy_layout_add(module, &step_layout) &&
           apy_add_type(module, &cache_spec, NULL, &cache_type) &&
           apy_add_type(module, &trace_spec, NULL, &trace_type) && PyModule_AddFunctions(module, functions) == 0;
}
