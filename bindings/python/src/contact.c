/* contact: all contact points of two bodies. */
#include "world.h"

#include <stddef.h>
#include <string.h>

#define FIELD(member, kind, text, doc)                                        \
    {                                                                         \
#member, kind, offsetof(apart_contact_point, member), doc, text, NULL \
    }
static const apy_field point_fields[] = {
    FIELD(a, APY_VEC3, NULL, "On A's surface."),
    FIELD(b, APY_VEC3, NULL, "On B's surface."),
    FIELD(distance, APY_F64, NULL, "Signed: negative is the local penetration depth."),
    FIELD(id, APY_U64, NULL, "Identifies the meeting features; the same from step to step."),
    FIELD(number_a, APY_U32, NULL, "A's feature (docs/features.md)."),
    FIELD(number_b, APY_U32, NULL, "B's feature."),
    FIELD(kind_a, APY_NAME8, apart_feature_name, "The kind of A's feature."),
    FIELD(kind_b, APY_NAME8, apart_feature_name, "The kind of B's feature."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
apy_layout apy_contact_point_layout = {.name = "apart.ContactPoint",
                                       .doc = "A contact point: b - a = distance * normal.",
                                       .size = sizeof(apart_contact_point),
                                       .fields = point_fields};

static const apy_field manifold_fields[] = {
    {"normal", APY_VEC3, offsetof(apart_manifold, normal), "Unit, from A to B; common to all points.", NULL, NULL},
    {"count", APY_U32, offsetof(apart_manifold, count), "Number of points; 0: farther apart than the margin.", NULL,
     NULL},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};

static const apart_manifold *manifold_of(PyObject *self)
{
    return (const apart_manifold *)(const void *)((apy_record *)self)->data;
}

static PyObject *manifold_points(PyObject *self, void *closure)
{
    (void)closure;
    const apart_manifold *m = manifold_of(self);
    const Py_ssize_t count = m->count;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(apy_contact_point_layout.dtype, &count, 1, &data);
    if (array != NULL) {
        memcpy(data, m->points, (size_t)count * sizeof *m->points);
    }
    return array;
}

/* The result of the query; `keep` has bodies and poses. */
static PyObject *manifold_result(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *keep = ((apy_record *)self)->keep;
    const apart_compound_result result = {.result = manifold_of(self)->result, .queries = 1};
    apart_pose pose_a, pose_b;
    if (keep == NULL || !apy_pose_get(PyTuple_GetItem(keep, 1), "pose_a", &pose_a) ||
        !apy_pose_get(PyTuple_GetItem(keep, 3), "pose_b", &pose_b)) {
        return PyErr_Occurred() != NULL ? NULL : apy_result_new(&result, NULL, NULL, NULL, NULL);
    }
    return apy_result_new(&result, PyTuple_GetItem(keep, 0), &pose_a, PyTuple_GetItem(keep, 2), &pose_b);
}

static PyGetSetDef manifold_properties[] = {{"points", manifold_points, NULL,
                                             "The contact points as a structured array, deepest first.", NULL},
                                            {"result", manifold_result, NULL, "The result of the distance query.",
                                             NULL},
                                            {NULL, NULL, NULL, NULL, NULL}};
static apy_layout manifold_layout = {.name = "apart.Manifold",
                                     .doc = "All contact points of two bodies.",
                                     .size = sizeof(apart_manifold),
                                     .fields = manifold_fields,
                                     .properties = manifold_properties};

static apy_signature contact_words = {"contact",
                                      2,
                                      4,
                                      {"a", "b", "pose_a", "pose_b", "cache", "margin", "tolerance", "max_points",
                                       "depth_cache", "result"},
                                      {NULL}};

static bool options_from(PyObject *const *v, apart_contact_options *out)
{
    uint64_t most = 0;
    if (!apy_double(v[5], "margin", &out->margin) || !apy_double(v[6], "tolerance", &out->tolerance) ||
        !apy_count(v[7], "max_points", APART_MAX_CONTACTS, &most)) {
        return false;
    }
    out->max_points = (uint32_t)most;
    return v[8] == NULL || apy_depth_cache_take(v[8], &out->depth_cache);
}

static PyObject *find_contacts(PyObject *const *v, const apy_pair *pair)
{
    apart_contact_options options = {.margin = 0.0};
    apart_compound_cache room, *cache;
    apart_manifold manifold;
    const apart_compound_result *known = NULL;
    if ((v[9] != NULL && (known = apy_result_data(v[9], "result")) == NULL) || !apy_cache_get(v[4], &room, &cache) ||
        !options_from(v, &options)) {
        return NULL;
    }
    const apart_result copy = known == NULL ? (apart_result){.distance = 0.0} : known->result;
    const apart_shape *a = pair->a.solid.shape, *b = pair->b.solid.shape;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        known != NULL ? apart_contact_from_result(a, &pair->pose_a, b, &pair->pose_b, &copy, &options, &manifold)
                      : apart_contact(a, &pair->pose_a, b, &pair->pose_b, &options,
                                      cache == NULL ? NULL : &cache->cache, &manifold);
    apy_take_gil(gil);
    apy_cache_put(v[4], cache);
    if (v[8] != NULL) {
        apy_depth_cache_give(v[8]);
    }
    if (status != APART_OK) {
        return apy_raise(status, NULL);
    }
    PyObject *keep = Py_BuildValue("(ONON)", pair->a.object, apy_pose_new(&pair->pose_a), pair->b.object,
                                   apy_pose_new(&pair->pose_b));
    PyObject *found = keep == NULL ? NULL : apy_record_new(&manifold_layout, &manifold, keep);
    Py_XDECREF(keep);
    return found;
}

static PyObject *contact(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *found = NULL;
    apy_pair pair;
    if (!apy_bind(&contact_words, args, count, names, v) || !apy_pair_get(v, &pair)) {
        return NULL;
    }
    if (pair.shapes) {
        found = find_contacts(v, &pair);
    } else {
        PyErr_SetString(PyExc_TypeError, "contact(): expected two convex shapes");
    }
    apy_pair_release(&pair);
    return found;
}

static PyMethodDef functions[] =
    {{"contact", APY_CALL(contact), APY_FAST,
      "contact(a, b, pose_a=None, pose_b=None, *, cache=None, margin=0, tolerance=0, max_points=0, depth_cache=None, "
      "result=None)\n--\n\nAll contact points of two shapes nearer than the margin. With result=, those of a distance "
      "that is known."},
     {NULL, NULL, 0, NULL}};

bool apy_add_contacts(PyObject *module)
{
    return apy_layout_add(module, &apy_contact_point_layout) && apy_layout_add(module, &manifold_layout) &&
           PyModule_AddFunctions(module, functions) == 0;
}
