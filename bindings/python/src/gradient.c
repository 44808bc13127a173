/* distance_gradient: how the signed distance changes when the bodies move. */
#include "apy.h"

#include <apart/gradient.h>

#include <stddef.h>

#define FIELD(member, kind, doc)                                         \
    {                                                                    \
#member, kind, offsetof(apart_gradient, member), doc, NULL, NULL \
    }
static const apy_field gradient_fields[] = {
    FIELD(translation_a, APY_VEC3, "By the translation of A: minus the normal."),
    FIELD(rotation_a, APY_VEC3, "By a small turn of A about its pose's translation, radians about each world axis."),
    FIELD(translation_b, APY_VEC3, "By the translation of B: the normal."),
    FIELD(rotation_b, APY_VEC3, "By a small turn of B."),
    FIELD(unique, APY_FLAG8, "Whether the distance is differentiable here; else it has a kink."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD

/* The result of the query; `keep` has bodies and poses. */
static PyObject *gradient_result(PyObject *self, void *closure)
{
    (void)closure;
    const apart_gradient *g = (const apart_gradient *)(const void *)((apy_record *)self)->data;
    const apart_compound_result result = {.result = g->result, .queries = 1};
    PyObject *keep = ((apy_record *)self)->keep;
    apart_pose pose_a, pose_b;
    if (!apy_pose_get(PyTuple_GetItem(keep, 1), "pose_a", &pose_a) ||
        !apy_pose_get(PyTuple_GetItem(keep, 3), "pose_b", &pose_b)) {
        return NULL;
    }
    return apy_result_new(&result, PyTuple_GetItem(keep, 0), &pose_a, PyTuple_GetItem(keep, 2), &pose_b);
}

static PyObject *gradient_distance(PyObject *self, void *closure)
{
    (void)closure;
    const apart_gradient *g = (const apart_gradient *)(const void *)((apy_record *)self)->data;
    return PyFloat_FromDouble(g->result.distance);
}

static PyGetSetDef gradient_properties[] = {{"result", gradient_result, NULL,
                                             "The distance, with bounds and points: a Result.", NULL},
                                            {"distance", gradient_distance, NULL, "The signed distance.", NULL},
                                            {NULL, NULL, NULL, NULL, NULL}};
static apy_layout gradient_layout = {.name = "apart.Gradient",
                                     .doc = "The derivative of the signed distance by both poses.",
                                     .size = sizeof(apart_gradient),
                                     .fields = gradient_fields,
                                     .properties = gradient_properties};

static apy_signature words = {"distance_gradient",
                              2,
                              4,
                              {"a", "b", "pose_a", "pose_b", "cache", APY_OPTION_WORDS},
                              {NULL}};

static PyObject *record_of(const apart_gradient *found, const apy_pair *pair)
{
    PyObject *keep = Py_BuildValue("(ONON)", pair->a.object, apy_pose_new(&pair->pose_a), pair->b.object,
                                   apy_pose_new(&pair->pose_b));
    PyObject *record = keep == NULL ? NULL : apy_record_new(&gradient_layout, found, keep);
    Py_XDECREF(keep);
    return record;
}

static PyObject *distance_gradient(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *answer = NULL;
    apy_pair pair;
    apy_options options;
    apart_compound_cache room, *cache;
    apart_gradient found;
    if (!apy_bind(&words, args, count, names, v) || !apy_cache_get(v[4], &room, &cache) || !apy_pair_get(v, &pair)) {
        return NULL;
    }
    if (!pair.shapes) {
        PyErr_SetString(PyExc_TypeError, "distance_gradient(): expected two convex shapes");
    } else if (apy_options_get(v + 5, &options)) {
        PyThreadState *gil = apy_release_gil(!options.guarded);
        const apart_status status =
            apart_distance_gradient(pair.a.solid.shape, &pair.pose_a, pair.b.solid.shape, &pair.pose_b,
                                    apy_options_pointer(&options), cache == NULL ? NULL : &cache->cache, &found);
        apy_take_gil(gil);
        apy_options_release(&options);
        apy_cache_put(v[4], cache);
        answer = status == APART_OK ? record_of(&found, &pair) : apy_raise(status, NULL);
    }
    apy_pair_release(&pair);
    return answer;
}

static PyMethodDef functions[] = {{"distance_gradient", APY_CALL(distance_gradient), APY_FAST,
                                   "distance_gradient(a, b, pose_a=None, pose_b=None, *, cache=None, **options)\n--\n\n"
                                   "The signed distance of two shapes and its derivative by both poses."},
                                  {NULL, NULL, 0, NULL}};

bool apy_add_gradients(PyObject *module)
{
    return apy_layout_add(module, &gradient_layout) && PyModule_AddFunctions(module, functions) == 0;
}
