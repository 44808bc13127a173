/* Arrays of callers, by the buffer protocol: NumPy's, array.array, memoryview, and whoever else exports one. What
 * exports none (a list), or numbers of another type, is converted by NumPy first. */
#include "apy.h"

#include <string.h>

/* The type of a buffer's numbers, 0 if it is none of ours: native byte order, and sizes that fit. */
static char number_type(const Py_buffer *view)
{
    const char *format = view->format == NULL ? "B" : view->format;
    if (*format == '@' || *format == '=' || *format == '<') {
        if (*format == '<' && PY_BIG_ENDIAN) {
            return 0;
        }
        format++;
    }
    if (format[0] == '\0' || format[1] != '\0') {
        return 0;
    }
    const Py_ssize_t size = view->itemsize;
    switch (format[0]) {
    case 'd': return size == 8 ? 'd' : 0;
    case 'f': return size == 4 ? 'f' : 0;
    case 'i':
    case 'l':
    case 'q': return size == 4 ? 'i' : size == 8 ? 'q' : 0;
    case 'I':
    case 'L':
    case 'Q': return size == 4 ? 'I' : size == 8 ? 'Q' : 0;
    default: return 0;
    }
}

static bool is_wanted(char type, bool real) { return type != 0 && (real == (type == 'd' || type == 'f')); }

static bool take(PyObject *value, bool real, apy_array *out)
{
    if (PyObject_GetBuffer(value, &out->view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return false;
    }
    out->type = number_type(&out->view);
    if (!is_wanted(out->type, real) || out->view.ndim > 3) {
        PyBuffer_Release(&out->view);
        return false;
    }
    out->data = out->view.buf;
    out->dimensions = out->view.ndim;
    /* An exporter without strides (ctypes) has packed rows. */
    Py_ssize_t packed = out->view.itemsize;
    for (int i = 2; i >= 0; i--) {
        const bool there = i < out->dimensions;
        out->shape[i] = there ? out->view.shape[i] : 1;
        out->strides[i] = !there ? 0 : out->view.strides != NULL ? out->view.strides[i] : packed;
        packed *= out->shape[i];
    }
    return true;
}

static bool get(PyObject *value, const char *what, bool real, apy_array *out)
{
    if (PyObject_CheckBuffer(value) && take(value, real, out)) {
        return true;
    }
    PyObject *converted = apy_numpy_array(value, real ? "f8" : "i8");
    if (converted == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
            PyErr_Format(PyExc_TypeError, "%s: expected an array of %s, got %R", what,
                         real ? "numbers" : "whole numbers", (PyObject *)Py_TYPE(value));
        }
        return false;
    }
    const bool taken = take(converted, real, out); /* the buffer keeps the array */
    Py_DECREF(converted);
    if (!taken) {
        PyErr_Format(PyExc_ValueError, "%s: expected an array of at most 3 dimensions", what);
    }
    return taken;
}

bool apy_reals(PyObject *value, const char *what, apy_array *out) { return get(value, what, true, out); }

bool apy_indices(PyObject *value, const char *what, apy_array *out) { return get(value, what, false, out); }

void apy_array_release(apy_array *array) { PyBuffer_Release(&array->view); }

double apy_real_at(const apy_array *array, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k)
{
    const char *at = array->data + i * array->strides[0] + j * array->strides[1] + k * array->strides[2];
    if (array->type == 'f') {
        float number;
        memcpy(&number, at, sizeof number);
        return (double)number;
    }
    double number;
    memcpy(&number, at, sizeof number);
    return number;
}

uint32_t apy_index_at(const apy_array *array, Py_ssize_t i, Py_ssize_t j)
{
    const char *at = array->data + i * array->strides[0] + j * array->strides[1];
    if (array->type == 'I' || array->type == 'i') {
        uint32_t number;
        memcpy(&number, at, sizeof number);
        return array->type == 'i' && number > INT32_MAX ? UINT32_MAX : number;
    }
    uint64_t number; /* negative ones are large */
    memcpy(&number, at, sizeof number);
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

bool apy_length_error(const char *what, const char *expected)
{
    PyErr_Format(PyExc_ValueError, "%s: expected %s", what, expected);
    return false;
}

bool apy_packed_get(PyObject *value, const char *what, Py_ssize_t columns, apy_packed *out)
{
    apy_array *a = &out->array;
    if (!apy_reals(value, what, a)) {
        return false;
    }
    const bool flat_empty = a->dimensions == 1 && a->shape[0] == 0;
    if (!flat_empty && (a->dimensions != 2 || (columns > 0 && a->shape[1] != columns))) {
        apy_array_release(a);
        PyErr_Format(PyExc_ValueError,
                     columns > 0 ? "%s: expected an array of shape (n, %zd)"
                                 : "%s: expected an array of two dimensions",
                     what, columns);
        return false;
    }
    out->rows = a->shape[0];
    out->columns = flat_empty ? columns : a->shape[1];
    out->copy = NULL;
    const Py_ssize_t row = out->columns * (Py_ssize_t)sizeof(double);
    const bool packed = a->type == 'd' && (uintptr_t)a->data % _Alignof(double) == 0 &&
                        (out->columns <= 1 || a->strides[1] == (Py_ssize_t)sizeof(double)) &&
                        (out->rows <= 1 || a->strides[0] == row);
    if (packed) {
        out->numbers = (const double *)(const void *)a->data;
        return true;
    }
    out->copy = PyMem_Malloc(out->rows > 0 ? (size_t)(out->rows * row) : 1);
    if (out->copy == NULL) {
        apy_array_release(a);
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < out->rows; i++) {
        for (Py_ssize_t j = 0; j < out->columns; j++) {
            out->copy[i * out->columns + j] = apy_real_at(a, i, j, 0);
        }
    }
    out->numbers = out->copy;
    return true;
}

void apy_packed_release(apy_packed *packed)
{
    PyMem_Free(packed->copy);
    apy_array_release(&packed->array);
}

bool apy_vertices_get(PyObject *value, const char *what, apy_vertices *out)
{
    apy_array a;
    if (!apy_reals(value, what, &a)) {
        return false;
    }
    const bool empty = a.dimensions == 1 && a.shape[0] == 0;
    if (!empty && (a.dimensions != 2 || a.shape[1] != 3)) {
        apy_array_release(&a);
        return apy_length_error(what, "an array of shape (n, 3)");
    }
    const bool single = a.type == 'f';
    const size_t count = (size_t)a.shape[0];
    out->copy = PyMem_Malloc((count + 1) * 3 * (single ? sizeof(float) : sizeof(double)));
    for (Py_ssize_t i = 0; out->copy != NULL && i < (empty ? 0 : a.shape[0]); i++) {
        for (Py_ssize_t j = 0; j < 3; j++) {
            if (single) {
                ((float *)out->copy)[3 * i + j] = (float)apy_real_at(&a, i, j, 0);
            } else {
                ((double *)out->copy)[3 * i + j] = apy_real_at(&a, i, j, 0);
            }
        }
    }
    apy_array_release(&a);
    out->vertices = (apart_vertices){.data = out->copy, .count = count, .number = single ? APART_FLOAT : APART_DOUBLE};
    return out->copy != NULL || PyErr_NoMemory() != NULL;
}

void apy_vertices_release(apy_vertices *vertices) { PyMem_Free(vertices->copy); }

uint32_t *apy_index_copy(PyObject *value, const char *what, Py_ssize_t columns, Py_ssize_t *rows)
{
    apy_array a;
    if (PyList_Check(value) && PyList_Size(value) == 0) {
        *rows = 0;
        uint32_t *nothing = PyMem_Malloc(sizeof *nothing);
        return nothing != NULL ? nothing : (uint32_t *)PyErr_NoMemory();
    }
    if (!apy_indices(value, what, &a)) {
        return NULL;
    }
    uint32_t *copy = NULL;
    if (columns == 0 ? a.dimensions != 1 : a.dimensions != 2 || a.shape[1] != columns) {
        PyErr_Format(PyExc_ValueError,
                     columns == 0 ? "%s: expected a row of whole numbers" : "%s: expected an array of shape (n, %zd)",
                     what, columns);
    } else {
        const Py_ssize_t width = columns == 0 ? 1 : columns;
        copy = PyMem_Malloc((size_t)(a.shape[0] * width + 1) * sizeof *copy);
        for (Py_ssize_t i = 0; copy != NULL && i < a.shape[0]; i++) {
            for (Py_ssize_t j = 0; j < width; j++) {
                copy[i * width + j] = apy_index_at(&a, i, j);
            }
        }
        if (copy == NULL) {
            PyErr_NoMemory();
        }
        *rows = a.shape[0];
    }
    apy_array_release(&a);
    return copy;
}

bool apy_out(PyObject *value, const char *what, PyObject *dtype, size_t size, Py_ssize_t count, Py_buffer *view)
{
    PyObject *own = PyObject_GetAttrString(value, "dtype");
    const int same = own == NULL ? 0 : PyObject_RichCompareBool(own, dtype, Py_EQ);
    Py_XDECREF(own);
    if (same <= 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: expected an array of dtype %S", what, dtype);
        return false;
    }
    if (PyObject_GetBuffer(value, view, PyBUF_WRITABLE) < 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: expected a writable, C-contiguous array", what);
        return false;
    }
    if (view->len != count * (Py_ssize_t)size || (uintptr_t)view->buf % _Alignof(double) != 0) {
        PyBuffer_Release(view);
        PyErr_Format(PyExc_ValueError, "%s: expected %zd elements, aligned", what, count);
        return false;
    }
    return true;
}
