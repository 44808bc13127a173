/* Compounds and worlds as bytes: what borrows from many objects, in one archive. */
#include "world.h"

#include <apart/archive.h>

/* Writes what `object` is: a compound or a world. */
typedef apart_status (*write_call)(const void *object, void *memory, size_t size, size_t *needed);

static apart_status write_compound(const void *object, void *memory, size_t size, size_t *needed)
{
    return apart_compound_write(object, memory, size, needed);
}

static apart_status write_world(const void *object, void *memory, size_t size, size_t *needed)
{
    return apart_world_write(object, memory, size, needed);
}

static PyObject *bytes_of(write_call write, const void *object, const char *what)
{
    size_t size = 0;
    apart_status status = write(object, NULL, 0, &size);
    if (status != APART_OK) {
        return apy_raise(status, what);
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes != NULL) {
        status = write(object, PyBytes_AsString(bytes), size, &size);
    }
    if (bytes != NULL && status != APART_OK) {
        Py_DECREF(bytes);
        return apy_raise(status, what);
    }
    return bytes;
}

PyObject *apy_compound_to_bytes(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return bytes_of(write_compound, ((apy_compound *)self)->compound, "compound");
}

PyObject *apy_world_to_bytes(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    world_object *world = (world_object *)self;
    apy_world_enter(world);
    PyObject *bytes = bytes_of(write_world, world->world, "World");
    apy_world_leave(world);
    return bytes;
}

PyObject *apy_world_reduce(PyObject *self, PyObject *ignored)
{
    PyObject *bytes = apy_world_to_bytes(self, ignored);
    PyObject *module = bytes == NULL ? NULL : PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "world_from_bytes");
    Py_XDECREF(module);
    if (load == NULL) {
        Py_XDECREF(bytes);
        return NULL;
    }
    return Py_BuildValue("N(N)", load, bytes);
}

static PyObject *compound_from_bytes(PyObject *module, PyObject *bytes)
{
    (void)module;
    Py_buffer view;
    apart_compound *compound = NULL;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    const apart_status status = apart_compound_read(view.buf, (size_t)view.len, NULL, &compound);
    PyBuffer_Release(&view);
    return status == APART_OK ? apy_compound_adopt(compound, NULL) : apy_raise(status, "compound");
}

static apy_signature world_words = {"world_from_bytes",
                                    1,
                                    1,
                                    {"archive", "threads", "max_bodies", "max_pairs"},
                                    {NULL}};

static PyObject *world_from_bytes(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    Py_buffer view;
    apart_world_options options;
    apart_world *world = NULL;
    if (!apy_bind(&world_words, args, count, names, v) || !apy_world_options(v + 1, &options) ||
        PyObject_GetBuffer(v[0], &view, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    const apart_status status = apart_world_read(view.buf, (size_t)view.len, &options, &world);
    PyBuffer_Release(&view);
    return status == APART_OK ? apy_world_adopt(world) : apy_raise(status, "World");
}

static PyMethodDef functions[] = {
    {"compound_from_bytes", compound_from_bytes, METH_O,
     "compound_from_bytes(archive, /)\n--\n\nA compound that to_bytes() wrote; everything in it is checked."},
    {"world_from_bytes", APY_CALL(world_from_bytes), APY_FAST,
     "world_from_bytes(archive, *, threads=1, max_bodies=0, max_pairs=0)\n--\n\nA world that to_bytes() wrote, with the "
     "same numbers of bodies; it owns their geometry, and get() has no objects for them."},
    {NULL, NULL, 0, NULL}};

bool apy_add_archives(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }
