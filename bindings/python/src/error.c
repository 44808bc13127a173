/* Errors: a status of the library becomes an exception with its message. */
#include "apy.h"

#include <string.h>

PyObject *apy_error;

/* What a support function raised last. Queries that call one may run on many threads, so it is kept here, under the
 * GIL, until the query has ended. */
static PyObject *callback_type, *callback_value, *callback_trace;

void apy_keep_callback_error(void)
{
    if (callback_type != NULL) {
        PyErr_Clear();
        return;
    }
    PyErr_Fetch(&callback_type, &callback_value, &callback_trace);
}

bool apy_raise_kept_error(void)
{
    if (callback_type == NULL) {
        return false;
    }
    PyErr_Restore(callback_type, callback_value, callback_trace);
    callback_type = callback_value = callback_trace = NULL;
    return true;
}

static PyObject *raise_text(apart_status status, const char *text, size_t line)
{
    if (status == APART_ERR_MEMORY) {
        return PyErr_NoMemory();
    }
    PyObject *decoded = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = decoded == NULL ? NULL : PyObject_CallFunctionObjArgs(apy_error, decoded, NULL);
    PyObject *name = PyUnicode_FromString(apart_status_name(status));
    PyObject *at = line == 0 ? Py_NewRef(Py_None) : PyLong_FromSize_t(line);
    if (error != NULL && name != NULL && at != NULL && PyObject_SetAttrString(error, "status", name) == 0 &&
        PyObject_SetAttrString(error, "line", at) == 0) {
        PyErr_SetObject(apy_error, error);
    }
    Py_XDECREF(decoded);
    Py_XDECREF(error);
    Py_XDECREF(name);
    Py_XDECREF(at);
    return NULL;
}

PyObject *apy_raise(apart_status status, const char *what)
{
    if (status == APART_ERR_CALLBACK && apy_raise_kept_error()) {
        return NULL;
    }
    char text[640];
    PyOS_snprintf(text, sizeof text, "%s%s%s", what == NULL ? "" : what, what == NULL ? "" : ": ",
                  apart_status_message(status));
    return raise_text(status, text, 0);
}

PyObject *apy_raise_io(apart_status status, const apart_io_error *error)
{
    return error->message[0] == '\0' ? apy_raise(status, NULL) : raise_text(status, error->message, error->line);
}

static bool set_text(PyObject *object, const char *name, const char *text)
{
    PyObject *value = PyUnicode_FromString(text);
    const bool set = value != NULL && PyObject_SetAttrString(object, name, value) == 0;
    Py_XDECREF(value);
    return set;
}

bool apy_add_errors(PyObject *module)
{
    apy_error = PyErr_NewExceptionWithDoc(
        "apart.Error",
        "What the library refused, in its own words.\n\nstatus is the name of the C status (\"APART_ERR_ROTATION\"), "
        "line the line of a file, or None.",
        PyExc_ValueError, NULL);
    if (apy_error == NULL || !set_text(apy_error, "status", "") ||
        PyObject_SetAttrString(apy_error, "line", Py_None) < 0) {
        return false;
    }
    return PyModule_AddObjectRef(module, "Error", apy_error) == 0;
}
