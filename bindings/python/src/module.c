/* The module apart._apart: its types, functions and constants, which the package apart re-exports. */
#include "apy.h"

#include <apart/plan.h>

#include <string.h>

/* ---- helpers of all files ---- */

void apy_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

bool apy_add_type(PyObject *module, PyType_Spec *spec, PyObject *base, PyTypeObject **type)
{
    PyObject *made = PyType_FromModuleAndSpec(module, spec, base);
    if (made == NULL) {
        return false;
    }
    *type = (PyTypeObject *)made;
    return PyModule_AddObjectRef(module, strrchr(spec->name, '.') + 1, made) == 0;
}

/* ---- names of values ---- */

static bool add_names(PyObject *module, const char *name, const char *(*text)(int), int count)
{
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names != NULL && i < count; i++) {
        PyObject *word = PyUnicode_FromString(text(i));
        if (word == NULL || PyTuple_SetItem(names, i, word) < 0) {
            Py_CLEAR(names);
        }
    }
    const bool added = names != NULL && PyModule_AddObjectRef(module, name, names) == 0;
    Py_XDECREF(names);
    return added;
}

static PyObject *statuses(void)
{
    PyObject *all = PyDict_New();
    for (int i = 0; all != NULL && apart_status_name((apart_status)i)[0] == 'A'; i++) {
        PyObject *pair = Py_BuildValue("(is)", i, apart_status_message((apart_status)i));
        if (pair == NULL || PyDict_SetItemString(all, apart_status_name((apart_status)i), pair) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(pair);
    }
    return all;
}

static bool add_constants(PyObject *module)
{
    PyObject *codes = statuses();
    const bool added = codes != NULL && PyModule_AddObjectRef(module, "STATUSES", codes) == 0;
    Py_XDECREF(codes);
    return added && PyModule_AddStringConstant(module, "__version__", apart_version()) == 0 &&
           PyModule_AddObject(module, "NO_INDEX", PyLong_FromUnsignedLong(APART_NO_INDEX)) == 0 &&
           PyModule_AddObject(module, "MAX_ANGLE", PyFloat_FromDouble(APART_MAX_ANGLE)) == 0 &&
           add_names(module, "RELATIONS", apart_relation_name, 4) && add_names(module, "STOPS", apart_stop_name, 5) &&
           add_names(module, "SOLVERS", apart_solver_name, APART_SOLVER_COUNT) &&
           add_names(module, "SUPPORTS", apart_support_name, APART_SUPPORT_COUNT) &&
           add_names(module, "FEATURES", apart_feature_name, 5) &&
           add_names(module, "OUTCOMES", apart_outcome_name, 4) &&
           add_names(module, "VERDICTS", apart_verdict_name, 3) &&
           add_names(module, "PLAN_OUTCOMES", apart_plan_outcome_name, 7) &&
           add_names(module, "MESH_AS", apart_mesh_as_name, APART_AS_COUNT);
}

/* ---- the module ---- */

static PyMethodDef methods[] = {
    {"_load_record", apy_record_load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "apart._apart",
                                        .m_doc = "The C side of apart.", .m_size = -1, .m_methods = methods};

static bool (*const parts[])(PyObject *) = {
    apy_add_errors,    apy_add_poses,      apy_add_shapes,    apy_add_hulls,   apy_add_shape_arrays, apy_add_meshes,
    apy_add_compounds, apy_add_results,    apy_add_distances, apy_add_depths,  apy_add_gradients,    apy_add_measures,
    apy_add_batches,   apy_add_near_parts, apy_add_contacts,  apy_add_motions, apy_add_impacts,      apy_add_rays,
    apy_add_nd,        apy_add_worlds,     apy_add_archives,  apy_add_readers, apy_add_robots,       apy_add_cells,
    apy_add_plans,     add_constants,
};

__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit__apart(void);

PyMODINIT_FUNC PyInit__apart(void)
{
    PyObject *module = apy_numpy_start() ? PyModule_Create(&definition) : NULL;
    for (size_t i = 0; module != NULL && i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i](module)) {
            Py_CLEAR(module);
        }
    }
    return module;
}
