/* Arguments of calls: from Python's arrays of objects to C values. */
#include "apy.h"

#include <string.h>

/* ---- words ---- */

static bool intern(apy_signature *s)
{
    for (int i = 0; s->words[i] != NULL && s->known[i] == NULL; i++) {
        s->known[i] = PyUnicode_InternFromString(s->words[i]);
        if (s->known[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* The place of a word, -1 if there is none. Names that Python's compiler wrote are interned: pointers decide. */
static int find_word(const apy_signature *s, PyObject *name)
{
    for (int i = 0; s->words[i] != NULL; i++) {
        if (s->known[i] == name) {
            return i;
        }
    }
    for (int i = 0; s->words[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(name, s->words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool start(apy_signature *s, Py_ssize_t given, PyObject **out)
{
    for (int i = 0; i < APY_MOST_WORDS && s->words[i] != NULL; i++) {
        out[i] = NULL;
    }
    if (given > s->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments, got %zd", s->function, s->positional,
                     given);
        return false;
    }
    return s->known[0] != NULL || s->words[0] == NULL || intern(s);
}

static bool put_named(apy_signature *s, PyObject *name, PyObject *value, PyObject **out)
{
    const int place = find_word(s, name);
    if (place < 0) {
        PyErr_Format(PyExc_TypeError, "%s() has no argument %R", s->function, name);
        return false;
    }
    if (out[place] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got '%s' twice", s->function, s->words[place]);
        return false;
    }
    out[place] = value;
    return true;
}

/* Missing arguments are an error; None is as good as nothing. */
static bool finish(const apy_signature *s, PyObject **out)
{
    for (int i = 0; s->words[i] != NULL; i++) {
        if (out[i] == Py_None) {
            out[i] = NULL;
        }
        if (out[i] == NULL && i < s->required) {
            PyErr_Format(PyExc_TypeError, "%s() needs '%s'", s->function, s->words[i]);
            return false;
        }
    }
    return true;
}

bool apy_bind(apy_signature *s, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **out)
{
    if (!start(s, count, out)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        out[i] = args[i];
    }
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        if (!put_named(s, PyTuple_GetItem(names, i), args[count + i], out)) {
            return false;
        }
    }
    return finish(s, out);
}

bool apy_bind_tuple(apy_signature *s, PyObject *args, PyObject *named, PyObject **out)
{
    const Py_ssize_t count = PyTuple_Size(args);
    if (!start(s, count, out)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        out[i] = PyTuple_GetItem(args, i);
    }
    PyObject *name, *value;
    for (Py_ssize_t place = 0; named != NULL && PyDict_Next(named, &place, &name, &value);) {
        if (!put_named(s, name, value, out)) {
            return false;
        }
    }
    return finish(s, out);
}

/* ---- values ---- */

bool apy_double(PyObject *value, const char *what, double *out)
{
    if (value == NULL) {
        return true;
    }
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred() != NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Format(PyExc_TypeError, "%s: expected a number, got %R", what, (PyObject *)Py_TYPE(value));
        }
        return false;
    }
    *out = number;
    return true;
}

bool apy_flag(PyObject *value, const char *what, uint8_t *out)
{
    (void)what;
    if (value == NULL) {
        return true;
    }
    const int truth = PyObject_IsTrue(value);
    if (truth < 0) {
        return false;
    }
    *out = (uint8_t)truth;
    return true;
}

bool apy_count(PyObject *value, const char *what, uint64_t most, uint64_t *out)
{
    if (value == NULL) {
        return true;
    }
    PyObject *whole = PyNumber_Index(value);
    if (whole == NULL) {
        PyErr_Format(PyExc_TypeError, "%s: expected a whole number, got %R", what, (PyObject *)Py_TYPE(value));
        return false;
    }
    const unsigned long long number = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if ((number == (unsigned long long)-1 && PyErr_Occurred() != NULL) || number > most) {
        PyErr_Format(PyExc_ValueError, "%s: expected a whole number from 0 to %llu, got %S", what,
                     (unsigned long long)most, value);
        return false;
    }
    *out = number;
    return true;
}

bool apy_threads(PyObject *value, uint32_t *out)
{
    uint64_t threads = 1;
    if (!apy_count(value, "threads", 256, &threads)) {
        return false;
    }
    *out = threads == 0 ? 1 : (uint32_t)threads;
    return true;
}

bool apy_choice(PyObject *value, const char *what, const char *(*name)(int), int count, uint8_t *out)
{
    if (value == NULL) {
        return true;
    }
    char words[256] = "";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const char *word = name(i);
        if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, word) == 0) {
            *out = (uint8_t)i;
            return true;
        }
        if (used < sizeof words) {
            used += (size_t)PyOS_snprintf(words + used, sizeof words - used, "%s%s", i == 0 ? "" : ", ", word);
        }
    }
    PyErr_Format(PyExc_ValueError, "%s: expected one of %s; got %R", what, words, value);
    return false;
}

/* Numbers of a short tuple or list, without NumPy. */
static bool read_sequence(PyObject *value, const char *what, Py_ssize_t count, double *out)
{
    const bool tuple = PyTuple_Check(value);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = tuple ? PyTuple_GetItem(value, i) : PyList_GetItem(value, i);
        if (item == NULL) { /* shortened meanwhile */
            return false;
        }
        Py_INCREF(item);
        const bool good = apy_double(item, what, &out[i]);
        Py_DECREF(item);
        if (!good) {
            return false;
        }
    }
    return true;
}

bool apy_doubles(PyObject *value, const char *what, Py_ssize_t count, double *out)
{
    if ((PyTuple_Check(value) && PyTuple_Size(value) == count) ||
        (PyList_Check(value) && PyList_Size(value) == count)) {
        return read_sequence(value, what, count, out);
    }
    apy_array array;
    if (!apy_reals(value, what, &array)) {
        return false;
    }
    const bool fits = array.dimensions == 1 && array.shape[0] == count;
    for (Py_ssize_t i = 0; fits && i < count; i++) {
        out[i] = apy_real_at(&array, i, 0, 0);
    }
    apy_array_release(&array);
    if (!fits) {
        PyErr_Format(PyExc_ValueError, "%s: expected %zd numbers", what, count);
    }
    return fits;
}

bool apy_vec3(PyObject *value, const char *what, apart_vec3 *out)
{
    double numbers[3];
    if (value == NULL) {
        return true;
    }
    if (!apy_doubles(value, what, 3, numbers)) {
        return false;
    }
    *out = (apart_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

const char *apy_path(PyObject *value, PyObject **bytes)
{
    *bytes = NULL;
    if (!PyUnicode_FSConverter(value, bytes)) {
        return NULL;
    }
    return PyBytes_AsString(*bytes);
}
