/* Penetration: cheap bounds, and the tracking of exact depths. */
#include "apy.h"

#include <stddef.h>

/* ---- the depth cache: used by one query at a time ---- */

typedef struct depth_cache_object {
    PyObject_HEAD apart_depth_cache *cache;
    void *memory;
    bool busy;
} depth_cache_object;

static PyTypeObject *depth_cache_type;

bool apy_depth_cache_take(PyObject *object, apart_depth_cache **out)
{
    if (!Py_IS_TYPE(object, depth_cache_type)) {
        PyErr_SetString(PyExc_TypeError, "depth_cache: expected a DepthCache");
        return false;
    }
    depth_cache_object *self = (depth_cache_object *)object;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this DepthCache is in use by another thread");
        return false;
    }
    self->busy = true;
    *out = self->cache;
    return true;
}

void apy_depth_cache_give(PyObject *object) { ((depth_cache_object *)object)->busy = false; }

static apy_signature cache_words = {"DepthCache", 0, 1, {"vertices"}, {NULL}};

static PyObject *depth_cache_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t vertices = 256;
    if (!apy_bind_tuple(&cache_words, args, named, v) || !apy_count(v[0], "vertices", 8192, &vertices)) {
        return NULL;
    }
    depth_cache_object *self = (depth_cache_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    const size_t size = APART_DEPTH_CACHE_BYTES((size_t)vertices);
    self->memory = PyMem_Malloc(size);
    const apart_status status =
        self->memory == NULL ? APART_ERR_MEMORY : apart_depth_cache_init(self->memory, size, &self->cache);
    if (status != APART_OK) {
        Py_DECREF(self);
        return apy_raise(status, "DepthCache");
    }
    return (PyObject *)self;
}

static PyObject *depth_cache_clear(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    apart_depth_cache *cache;
    if (!apy_depth_cache_take(object, &cache)) {
        return NULL;
    }
    apart_depth_cache_clear(cache);
    apy_depth_cache_give(object);
    Py_RETURN_NONE;
}

static void depth_cache_free(PyObject *self)
{
    PyMem_Free(((depth_cache_object *)self)->memory);
    apy_free(self);
}

static PyMethodDef cache_methods[] = {{"clear", depth_cache_clear, METH_NOARGS,
                                       "clear($self)\n--\n\nDiscards the surface."},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot cache_slots[] =
    {{Py_tp_doc,
      "DepthCache(vertices=256)\n--\n\nTracks the exact depth of an overlapping pair: distance(..., depth_cache=...)."},
     {Py_tp_new, (void *)depth_cache_new},
     {Py_tp_methods, cache_methods},
     {Py_tp_dealloc, (void *)depth_cache_free},
     {0, NULL}};
static PyType_Spec cache_spec = {.name = "apart.DepthCache",
                                 .basicsize = sizeof(depth_cache_object),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = cache_slots};

/* ---- bounds ---- */

#define FIELD(member, kind, text, doc)                                      \
    {                                                                       \
#member, kind, offsetof(apart_penetration, member), doc, text, NULL \
    }
static const apy_field bounds_fields[] = {
    FIELD(least, APY_F64, NULL, "depth >= least."),
    FIELD(most, APY_F64, NULL, "depth <= most."),
    FIELD(depth, APY_F64, NULL, "The exact depth if `exact`, else `least`."),
    FIELD(normal, APY_VEC3, NULL, "Unit, from A to B."),
    FIELD(exact, APY_FLAG8, NULL, "Whether `least` is the depth itself."),
    FIELD(relation, APY_NAME8, apart_relation_name, "The numbers are 0 unless the bodies overlap."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
static apy_layout bounds_layout = {.name = "apart.Penetration",
                                   .doc = "Bounds of the penetration depth.",
                                   .size = sizeof(apart_penetration),
                                   .fields = bounds_fields};

static apy_signature bounds_words = {"penetration_bounds",
                                     2,
                                     4,
                                     {"a", "b", "pose_a", "pose_b", "cache", APY_OPTION_WORDS},
                                     {NULL}};

static PyObject *penetration_bounds(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *result = NULL;
    apy_pair pair;
    apy_options options;
    apart_compound_cache room, *cache;
    apart_penetration found;
    if (!apy_bind(&bounds_words, args, count, names, v) || !apy_cache_get(v[4], &room, &cache) ||
        !apy_pair_get(v, &pair)) {
        return NULL;
    }
    if (!pair.shapes) {
        PyErr_SetString(PyExc_TypeError, "penetration_bounds(): expected two convex shapes");
    } else if (apy_options_get(v + 5, &options)) {
        PyThreadState *gil = apy_release_gil(!pair.quick && !options.guarded);
        const apart_status status =
            apart_penetration_bounds(pair.a.solid.shape, &pair.pose_a, pair.b.solid.shape, &pair.pose_b,
                                     apy_options_pointer(&options), cache == NULL ? NULL : &cache->cache, &found);
        apy_take_gil(gil);
        apy_options_release(&options);
        apy_cache_put(v[4], cache);
        result = status == APART_OK ? apy_record_new(&bounds_layout, &found, NULL) : apy_raise(status, NULL);
    }
    apy_pair_release(&pair);
    return result;
}

static PyMethodDef functions[] =
    {{"penetration_bounds", APY_CALL(penetration_bounds), APY_FAST,
      "penetration_bounds(a, b, pose_a=None, pose_b=None, *, cache=None, **options)\n--\n\nCheap bounds of the "
      "penetration depth of two shapes."},
     {NULL, NULL, 0, NULL}};

bool apy_add_depths(PyObject *module)
{
    return apy_layout_add(module, &bounds_layout) && apy_add_type(module, &cache_spec, NULL, &depth_cache_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
