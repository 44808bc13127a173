/* parts_below: all pairs of parts, or triangles, of two bodies that are near each other. */
#include "apy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member, kind, text, doc)                                    \
    {                                                                     \
#member, kind, offsetof(apart_part_pair, member), doc, text, NULL \
    }
static const apy_field pair_fields[] = {
    FIELD(part_a, APY_U32, NULL, "A part of A: of a mesh the number of a triangle; 0 for a shape."),
    FIELD(part_b, APY_U32, NULL, "A part of B."),
    FIELD(distance, APY_F64, NULL, "Signed distance of the two parts."),
    FIELD(lower, APY_F64, NULL, "Certified: lower <= true value."),
    FIELD(upper, APY_F64, NULL, "Certified: true value <= upper."),
    FIELD(point_a, APY_VEC3, NULL, "Witness point on A."),
    FIELD(point_b, APY_VEC3, NULL, "Witness point on B."),
    FIELD(normal, APY_VEC3, NULL, "Unit, from A to B."),
    FIELD(relation, APY_NAME32, apart_relation_name, "A number of apart.RELATIONS."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
static apy_layout pair_layout = {.name = "apart.PartPair",
                                 .doc = "Two parts and their distance.",
                                 .size = sizeof(apart_part_pair),
                                 .fields = pair_fields};

static const char *depth_name(int depth)
{
    static const char *const names[] = {"exact", "bounds", "none"};
    return names[depth];
}

static PyObject *array_of(const apart_part_list *list)
{
    const Py_ssize_t count = (Py_ssize_t)list->count;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(pair_layout.dtype, &count, 1, &data);
    if (array != NULL && count > 0) {
        memcpy(data, list->pairs, list->count * sizeof *list->pairs);
    }
    return array;
}

/* Asks with a room that grows until all pairs fit. */
static PyObject *find(const apy_pair *pair, double distance, apart_part_list list)
{
    PyObject *array = NULL;
    list.capacity = 1024;
    for (bool again = true; again;) {
        list.pairs = malloc(list.capacity * sizeof *list.pairs);
        if (list.pairs == NULL) {
            return PyErr_NoMemory();
        }
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status =
            apart_compound_below(pair->a.solid, &pair->pose_a, pair->b.solid, &pair->pose_b, distance, &list);
        apy_take_gil(gil);
        again = status == APART_OK && list.total > list.capacity;
        list.capacity = again ? list.total : list.capacity;
        if (status != APART_OK) {
            apy_raise(status, "parts_below");
        } else if (!again) {
            array = array_of(&list);
        }
        free(list.pairs);
    }
    return array;
}

static apy_signature words = {"parts_below",
                              3,
                              5,
                              {"a", "b", "distance", "pose_a", "pose_b", "tolerance", "depth"},
                              {NULL}};

static PyObject *parts_below(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_pair pair;
    apart_part_list list = {.tolerance = 0.0};
    double distance = 0.0;
    uint8_t depth = 0;
    if (!apy_bind(&words, args, count, names, v) || !apy_double(v[2], "distance", &distance) ||
        !apy_double(v[5], "tolerance", &list.tolerance) || !apy_choice(v[6], "depth", depth_name, 3, &depth)) {
        return NULL;
    }
    list.depth = depth;
    PyObject *const bodies[4] = {v[0], v[1], v[3], v[4]};
    if (!apy_pair_get(bodies, &pair)) {
        return NULL;
    }
    PyObject *array = find(&pair, distance, list);
    apy_pair_release(&pair);
    return array;
}

static PyMethodDef functions[] =
    {{"parts_below", APY_CALL(parts_below), APY_FAST,
      "parts_below(a, b, distance, pose_a=None, pose_b=None, *, tolerance=0, depth='exact')\n--\n\nAll pairs of parts "
      "(of a mesh: "
      "triangles) nearer than the distance: a structured array."},
     {NULL, NULL, 0, NULL}};

bool apy_add_near_parts(PyObject *module)
{
    return apy_layout_add(module, &pair_layout) && PyModule_AddFunctions(module, functions) == 0;
}
