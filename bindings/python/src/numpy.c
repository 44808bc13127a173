/* NumPy, used as any Python library is: by calling it. The module is compiled and linked without it. */
#include "apy.h"

#include <string.h>

static PyObject *np_asarray, *np_empty, *np_ndarray, *np_dtype, *kept_same_kind, *as_type;

static PyObject *attribute(PyObject *module, const char *name)
{
    return module == NULL ? NULL : PyObject_GetAttrString(module, name);
}

bool apy_numpy_start(void)
{
    if (np_asarray != NULL) {
        return true;
    }
    PyObject *numpy = PyImport_ImportModule("numpy");
    np_empty = attribute(numpy, "empty");
    np_ndarray = attribute(numpy, "ndarray");
    np_dtype = attribute(numpy, "dtype");
    kept_same_kind = Py_BuildValue("{s:s}", "casting", "same_kind");
    as_type = PyUnicode_InternFromString("astype");
    if (np_empty != NULL && np_ndarray != NULL && np_dtype != NULL && kept_same_kind != NULL && as_type != NULL) {
        np_asarray = attribute(numpy, "asarray");
    }
    Py_XDECREF(numpy);
    return np_asarray != NULL;
}

PyObject *apy_numpy_array(PyObject *value, const char *type)
{
    PyObject *array = PyObject_CallFunctionObjArgs(np_asarray, value, NULL);
    PyObject *method = array == NULL ? NULL : PyObject_GetAttr(array, as_type);
    PyObject *args = method == NULL ? NULL : Py_BuildValue("(s)", type);
    PyObject *converted = args == NULL ? NULL : PyObject_Call(method, args, kept_same_kind);
    Py_XDECREF(array);
    Py_XDECREF(method);
    Py_XDECREF(args);
    return converted;
}

static PyObject *shape_tuple(const Py_ssize_t *shape, int dimensions)
{
    PyObject *tuple = PyTuple_New(dimensions);
    for (int i = 0; tuple != NULL && i < dimensions; i++) {
        PyObject *size = PyLong_FromSsize_t(shape[i]);
        if (size == NULL || PyTuple_SetItem(tuple, i, size) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

PyObject *apy_numpy_empty(PyObject *dtype, const Py_ssize_t *shape, int dimensions, void **data)
{
    PyObject *sizes = shape_tuple(shape, dimensions);
    PyObject *array = sizes == NULL ? NULL : PyObject_CallFunctionObjArgs(np_empty, sizes, dtype, NULL);
    Py_XDECREF(sizes);
    Py_buffer view;
    if (array == NULL || PyObject_GetBuffer(array, &view, PyBUF_WRITABLE) < 0) {
        Py_XDECREF(array);
        return NULL;
    }
    *data = view.buf; /* the array's own memory, which moves only if it is resized; nobody else has it yet */
    PyBuffer_Release(&view);
    return array;
}

static PyObject *filled(const char *type, const void *values, size_t size, Py_ssize_t rows, Py_ssize_t columns)
{
    const Py_ssize_t shape[2] = {rows, columns};
    void *data = NULL;
    PyObject *dtype = PyUnicode_FromString(type);
    PyObject *array = dtype == NULL ? NULL : apy_numpy_empty(dtype, shape, columns == 0 ? 1 : 2, &data);
    Py_XDECREF(dtype);
    const size_t count = (size_t)rows * (size_t)(columns == 0 ? 1 : columns);
    if (array != NULL && count > 0) {
        memcpy(data, values, count * size);
    }
    return array;
}

PyObject *apy_numpy_doubles(const double *values, Py_ssize_t rows, Py_ssize_t columns)
{
    return filled("f8", values, sizeof *values, rows, columns);
}

PyObject *apy_numpy_words(const uint32_t *values, Py_ssize_t rows, Py_ssize_t columns)
{
    return filled("u4", values, sizeof *values, rows, columns);
}

PyObject *apy_numpy_vec3(apart_vec3 v)
{
    const double numbers[3] = {v.x, v.y, v.z};
    return apy_numpy_doubles(numbers, 3, 0);
}

PyObject *apy_numpy_view(PyObject *owner, size_t offset, const char *type, const Py_ssize_t *shape,
                         const Py_ssize_t *strides, int dimensions)
{
    PyObject *sizes = shape_tuple(shape, dimensions), *steps = NULL, *view = NULL;
    if (strides == NULL) {
        steps = Py_NewRef(Py_None);
    } else {
        steps = shape_tuple(strides, dimensions);
    }
    if (sizes != NULL && steps != NULL) {
        view = PyObject_CallFunction(np_ndarray, "OsOnO", sizes, type, owner, (Py_ssize_t)offset, steps);
    }
    Py_XDECREF(sizes);
    Py_XDECREF(steps);
    return view;
}

PyObject *apy_numpy_dtype(PyObject *description) { return PyObject_CallFunctionObjArgs(np_dtype, description, NULL); }
