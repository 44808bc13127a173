/* C structs as Python objects: a table of members makes a type with attributes and a NumPy type with columns. */
#include "apy.h"

#include <stddef.h>
#include <string.h>

/* ---- one member ---- */

static PyObject *name_of(const apy_field *f, int value) { return PyUnicode_InternFromString(f->text(value)); }

static PyObject *numbers_view(PyObject *owner, size_t offset, const char *type, Py_ssize_t count)
{
    return apy_numpy_view(owner, offset, type, &count, NULL, 1);
}

PyObject *apy_field_get(PyObject *owner, const void *data, const apy_field *f, size_t in_buffer)
{
    const void *at = (const char *)data + f->offset;
    in_buffer += f->offset;
    switch (f->kind) {
    case APY_F64: return PyFloat_FromDouble(*(const double *)at);
    case APY_U8: return PyLong_FromLong(*(const uint8_t *)at);
    case APY_U16: return PyLong_FromLong(*(const uint16_t *)at);
    case APY_U32: return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case APY_U64: return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case APY_INT: return PyLong_FromLong(*(const int *)at);
    case APY_FLAG8: return PyBool_FromLong(*(const uint8_t *)at);
    case APY_FLAGINT: return PyBool_FromLong(*(const int *)at);
    case APY_NAME8: return name_of(f, *(const uint8_t *)at);
    case APY_NAME32: return name_of(f, (int)*(const uint32_t *)at);
    case APY_NAMEINT: return name_of(f, *(const int *)at);
    case APY_VEC3: return numbers_view(owner, in_buffer, "f8", 3);
    case APY_F64X4: return numbers_view(owner, in_buffer, "f8", 4);
    case APY_U32X4: return numbers_view(owner, in_buffer, "u4", 4);
    case APY_POSE: return apy_pose_new((const apart_pose *)at);
    case APY_TEXT:
        return *(const char *const *)at == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(*(const char *const *)at);
    case APY_LAYOUT: return apy_record_new(f->layout, at, NULL);
    }
    Py_RETURN_NONE;
}

static const apy_layout *layout_of(PyObject *self);

static PyObject *get_field(PyObject *self, void *closure)
{
    return apy_field_get(self, ((apy_record *)self)->data, closure, 0);
}

/* ---- the layouts that were added ---- */

enum { MOST_LAYOUTS = 48 };
static const apy_layout *layouts[MOST_LAYOUTS];
static int layout_count;

static const apy_layout *layout_of(PyObject *self)
{
    for (int i = 0; i < layout_count; i++) {
        if (Py_IS_TYPE(self, layouts[i]->type)) {
            return layouts[i];
        }
    }
    return NULL;
}

bool apy_layout_is(const apy_layout *layout, PyObject *value) { return Py_IS_TYPE(value, layout->type); }

/* ---- the type ---- */

PyObject *apy_record_new(const apy_layout *layout, const void *data, PyObject *keep)
{
    apy_record *self = (apy_record *)PyType_GenericAlloc(layout->type, 0);
    if (self == NULL) {
        return NULL;
    }
    memcpy(self->data, data, layout->size);
    self->keep = Py_XNewRef(keep);
    return (PyObject *)self;
}

static void record_free(PyObject *self)
{
    Py_XDECREF(((apy_record *)self)->keep);
    apy_free(self);
}

static int record_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const apy_layout *layout = layout_of(self);
    if (layout == NULL) {
        PyErr_SetString(PyExc_BufferError, "no buffer");
        return -1;
    }
    return PyBuffer_FillInfo(view, self, ((apy_record *)self)->data, (Py_ssize_t)layout->size, 1, flags);
}

static PyObject *record_repr(PyObject *self)
{
    const apy_layout *layout = layout_of(self);
    PyObject *text = PyUnicode_FromFormat("%s(", layout->name);
    for (const apy_field *f = layout->fields; text != NULL && f->name != NULL; f++) {
        PyObject *value = get_field(self, (void *)(uintptr_t)f);
        PyObject *next = value == NULL
                             ? NULL
                             : PyUnicode_FromFormat("%U%s%s=%R", text, f == layout->fields ? "" : ", ", f->name, value);
        Py_XDECREF(value);
        Py_DECREF(text);
        text = next;
    }
    PyObject *closed = text == NULL ? NULL : PyUnicode_FromFormat("%U)", text);
    Py_XDECREF(text);
    return closed;
}

static PyObject *record_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const apy_layout *layout = layout_of(self);
    const apy_record *record = (const apy_record *)self;
    PyObject *module = PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_record");
    Py_XDECREF(module);
    if (load == NULL) {
        return NULL;
    }
    return Py_BuildValue("N(sy#O)", load, layout->name, (const char *)record->data, (Py_ssize_t)layout->size,
                         record->keep == NULL ? Py_None : record->keep);
}

PyObject *apy_record_load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name, *data;
    Py_ssize_t size;
    PyObject *keep;
    if (!PyArg_ParseTuple(args, "sy#O", &name, &data, &size, &keep)) {
        return NULL;
    }
    for (int i = 0; i < layout_count; i++) {
        if (strcmp(layouts[i]->name, name) == 0 && layouts[i]->size == (size_t)size) {
            return apy_record_new(layouts[i], data, keep == Py_None ? NULL : keep);
        }
    }
    PyErr_Format(PyExc_ValueError, "a pickle of another version of apart (%s)", name);
    return NULL;
}

/* ---- the NumPy type ---- */

static const char *const formats[] = {
    [APY_F64] = "<f8",       [APY_U8] = "u1",         [APY_U16] = "<u2",       [APY_U32] = "<u4",
    [APY_U64] = "<u8",       [APY_INT] = "<i4",       [APY_FLAG8] = "?",       [APY_FLAGINT] = "<i4",
    [APY_NAME8] = "u1",      [APY_NAME32] = "<u4",    [APY_NAMEINT] = "<i4",   [APY_VEC3] = "(3,)<f8",
    [APY_F64X4] = "(4,)<f8", [APY_U32X4] = "(4,)<u4", [APY_POSE] = "(4,3)<f8",
};

/* Every member but texts, which are pointers. */
static PyObject *make_dtype(const apy_layout *layout)
{
    PyObject *names = PyList_New(0), *types = PyList_New(0), *offsets = PyList_New(0);
    bool good = names != NULL && types != NULL && offsets != NULL;
    for (const apy_field *f = layout->fields; good && f->name != NULL; f++) {
        if (f->kind == APY_TEXT) {
            continue;
        }
        PyObject *name = PyUnicode_FromString(f->name), *offset = PyLong_FromSize_t(f->offset);
        PyObject *type = f->kind == APY_LAYOUT ? Py_XNewRef(f->layout->dtype) : PyUnicode_FromString(formats[f->kind]);
        good = name != NULL && type != NULL && offset != NULL && PyList_Append(names, name) == 0 &&
               PyList_Append(types, type) == 0 && PyList_Append(offsets, offset) == 0;
        Py_XDECREF(name);
        Py_XDECREF(type);
        Py_XDECREF(offset);
    }
    PyObject *description = !good ? NULL
                                  : Py_BuildValue("{s:O,s:O,s:O,s:n}", "names", names, "formats", types, "offsets",
                                                  offsets, "itemsize", (Py_ssize_t)layout->size);
    PyObject *dtype = description == NULL ? NULL : apy_numpy_dtype(description);
    Py_XDECREF(description);
    Py_XDECREF(names);
    Py_XDECREF(types);
    Py_XDECREF(offsets);
    return dtype;
}

/* ---- making both ---- */

static void collect(apy_layout *layout)
{
    int count = 0;
    for (const apy_field *f = layout->fields; f->name != NULL; f++) {
        layout->getset[count++] =
            (PyGetSetDef){.name = f->name, .get = get_field, .doc = f->doc, .closure = (void *)(uintptr_t)f};
    }
    for (const PyGetSetDef *p = layout->properties; p != NULL && p->name != NULL; p++) {
        layout->getset[count++] = *p;
    }
    count = 0;
    bool reduces = false;
    for (const PyMethodDef *m = layout->methods; m != NULL && m->ml_name != NULL; m++) {
        reduces = reduces || strcmp(m->ml_name, "__reduce__") == 0;
        layout->method[count++] = *m;
    }
    if (!reduces) {
        layout->method[count] = (PyMethodDef){"__reduce__", record_reduce, METH_NOARGS, NULL};
    }
}

bool apy_layout_add(PyObject *module, apy_layout *layout)
{
    collect(layout);
    PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)layout->doc},
                           {Py_tp_getset, layout->getset},
                           {Py_tp_methods, layout->method},
                           {Py_tp_dealloc, (void *)record_free},
                           {Py_tp_repr, (void *)record_repr},
                           {Py_bf_getbuffer, (void *)record_buffer},
                           {0, NULL}};
    PyType_Spec spec = {.name = layout->name,
                        .basicsize = (int)(offsetof(apy_record, data) + layout->size),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};
    if (layout_count >= MOST_LAYOUTS || !apy_add_type(module, &spec, NULL, &layout->type)) {
        return false;
    }
    layout->dtype = make_dtype(layout);
    if (layout->dtype == NULL || PyObject_SetAttrString((PyObject *)layout->type, "dtype", layout->dtype) < 0) {
        return false;
    }
    layouts[layout_count++] = layout;
    return true;
}
