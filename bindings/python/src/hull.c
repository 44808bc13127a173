/* Hull: a shape that is a convex hull with its vertices, edges and faces, in one block of memory. */
#include "apy.h"

#include <string.h>

PyTypeObject *apy_hull_type;

static const apart_hull *of(PyObject *self) { return ((apy_hull *)self)->block; }

/* ---- making ---- */

static PyObject *new_hull(const apart_hull *block, void *memory, bool built, PyObject *owner)
{
    apy_hull *self = (apy_hull *)PyType_GenericAlloc(apy_hull_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->block = block;
    self->memory = memory;
    self->built = built;
    self->base.shape = apart_hull_shape(block);
    self->base.owner = Py_XNewRef(owner);
    self->base.quick = apart_hull_vertex_count(block) <= 8;
    return (PyObject *)self;
}

PyObject *apy_hull_adopt(apart_hull *hull, const char *what)
{
    (void)what;
    PyObject *self = new_hull(hull, NULL, true, NULL);
    if (self == NULL) {
        apart_hull_free(hull);
    }
    return self;
}

PyObject *apy_hull_of(const apart_hull *hull, PyObject *owner)
{
    if (PyObject_TypeCheck(owner, apy_hull_type) && of(owner) == hull && apy_shape_type != NULL &&
        ((apy_shape *)owner)->shape.radius == 0.0) {
        return Py_NewRef(owner);
    }
    return new_hull(hull, NULL, false, owner);
}

/* From a copy of the points, because other threads may write to the caller's array while the hull is built. */
static apart_status build_from(PyObject *points, apart_hull **hull, bool *raised)
{
    apy_vertices v;
    *raised = !apy_vertices_get(points, "points", &v);
    if (*raised) {
        return APART_ERR_NULL;
    }
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_hull_build_vertices(&v.vertices, NULL, hull);
    apy_take_gil(gil);
    apy_vertices_release(&v);
    return status;
}

/* Faces as an array of shape (n, k), or as rows of different lengths. */
static bool read_faces(PyObject *faces, uint32_t **sizes, Py_ssize_t *count, uint32_t **indices)
{
    Py_ssize_t total = 0;
    *indices = NULL;
    *count = PySequence_Size(faces);
    *sizes = *count < 0 ? NULL : PyMem_Malloc((size_t)(*count + 1) * sizeof **sizes);
    if (*sizes == NULL) {
        return *count >= 0 && PyErr_NoMemory() != NULL;
    }
    for (Py_ssize_t f = 0; f < *count; f++) {
        PyObject *row = PySequence_GetItem(faces, f);
        Py_ssize_t corners = 0;
        uint32_t *face = row == NULL ? NULL : apy_index_copy(row, "faces", 0, &corners);
        Py_XDECREF(row);
        uint32_t *grown = face == NULL ? NULL : PyMem_Realloc(*indices, (size_t)(total + corners + 1) * sizeof *grown);
        if (grown == NULL) {
            PyMem_Free(face);
            PyMem_Free(*sizes);
            PyMem_Free(*indices);
            return PyErr_Occurred() == NULL && PyErr_NoMemory() != NULL;
        }
        memcpy(grown + total, face, (size_t)corners * sizeof *face);
        PyMem_Free(face);
        *indices = grown;
        (*sizes)[f] = (uint32_t)corners;
        total += corners;
    }
    return true;
}

static PyObject *hull_from_faces(PyObject *points, PyObject *faces)
{
    apy_packed vertices;
    uint32_t *sizes, *indices;
    Py_ssize_t count;
    if (!apy_packed_get(points, "points", 3, &vertices)) {
        return NULL;
    }
    if (!read_faces(faces, &sizes, &count, &indices)) {
        apy_packed_release(&vertices);
        return NULL;
    }
    apart_hull *hull = NULL;
    const uint32_t none = 0;
    const apart_status status = apart_hull_from_faces(vertices.numbers, (size_t)vertices.rows, sizes, (size_t)count,
                                                      indices == NULL ? &none : indices, NULL, &hull);
    PyMem_Free(sizes);
    PyMem_Free(indices);
    apy_packed_release(&vertices);
    return status == APART_OK ? apy_hull_adopt(hull, "hull") : apy_raise(status, "hull");
}

static apy_signature hull_words = {"hull", 1, 2, {"points", "faces"}, {NULL}};

static PyObject *make_hull(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_hull *hull = NULL;
    bool raised;
    if (!apy_bind(&hull_words, args, count, names, v)) {
        return NULL;
    }
    if (v[1] != NULL) {
        return hull_from_faces(v[0], v[1]);
    }
    const apart_status status = build_from(v[0], &hull, &raised);
    return status == APART_OK ? apy_hull_adopt(hull, "hull") : raised ? NULL : apy_raise(status, "hull");
}

/* ---- blocks of bytes ---- */

static PyObject *hull_to_bytes(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const size_t size = apart_hull_size(of(self));
    uint64_t *copy = PyMem_Malloc(size);
    if (copy == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(copy, of(self), size);
    const apart_status status = apart_hull_convert(copy, size); /* files are little-endian */
    PyObject *bytes =
        status == APART_OK ? PyBytes_FromStringAndSize((const char *)copy, (Py_ssize_t)size) : apy_raise(status, NULL);
    PyMem_Free(copy);
    return bytes;
}

static PyObject *hull_from_bytes(PyObject *module, PyObject *bytes)
{
    (void)module;
    Py_buffer view;
    if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    const size_t size = (size_t)view.len;
    uint64_t *memory = PyMem_Malloc(size + 8);
    if (memory != NULL) {
        memcpy(memory, view.buf, size);
    }
    PyBuffer_Release(&view);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    const apart_hull *hull = NULL;
    apart_status status = apart_hull_convert(memory, size);
    status = status == APART_OK ? apart_hull_view(memory, size, &hull) : status;
    PyObject *self = status == APART_OK ? new_hull(hull, memory, false, NULL) : apy_raise(status, "hull");
    if (self == NULL) {
        PyMem_Free(memory);
    }
    return self;
}

static PyObject *hull_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *bytes = hull_to_bytes(self, NULL);
    PyObject *module = bytes == NULL ? NULL : PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "hull_from_bytes");
    Py_XDECREF(module);
    if (load == NULL) {
        Py_XDECREF(bytes);
        return NULL;
    }
    return Py_BuildValue("N(N)", load, bytes);
}

/* ---- what it is made of ---- */

static PyObject *hull_vertices(PyObject *self, void *closure)
{
    (void)closure;
    const uint32_t count = apart_hull_vertex_count(of(self));
    const Py_ssize_t shape[2] = {count, 3};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (uint32_t i = 0; array != NULL && i < count; i++) {
        ((apart_vec3 *)data)[i] = apart_hull_vertex(of(self), i);
    }
    return array;
}

static PyObject *hull_input_indices(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t count = apart_hull_vertex_count(of(self));
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("u4");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, &count, 1, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        ((uint32_t *)data)[i] = apart_hull_input_index(of(self), (uint32_t)i);
    }
    return array;
}

static PyObject *hull_edges(PyObject *self, void *closure)
{
    (void)closure;
    const uint32_t count = apart_hull_edge_count(of(self));
    const Py_ssize_t shape[2] = {count, 2};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("u4");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (uint32_t i = 0; array != NULL && i < count; i++) {
        apart_hull_edge(of(self), i, (uint32_t *)data + (size_t)2 * i);
    }
    return array;
}

static PyObject *list_of(PyObject *self, uint32_t count,
                         uint32_t (*get)(const apart_hull *, uint32_t, const uint32_t **))
{
    PyObject *list = PyList_New(count);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        const uint32_t *words = NULL;
        const uint32_t length = get(of(self), i, &words);
        PyObject *row = apy_numpy_words(words, length, 0);
        if (row == NULL || PyList_SetItem(list, i, row) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *hull_faces(PyObject *self, void *closure)
{
    (void)closure;
    return list_of(self, apart_hull_face_count(of(self)), apart_hull_face);
}

static PyObject *hull_neighbours(PyObject *self, void *closure)
{
    (void)closure;
    return list_of(self, apart_hull_vertex_count(of(self)), apart_hull_neighbours);
}

static PyObject *hull_face_normals(PyObject *self, void *closure)
{
    (void)closure;
    const uint32_t count = apart_hull_face_count(of(self));
    const Py_ssize_t shape[2] = {count, 3};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (uint32_t i = 0; array != NULL && i < count; i++) {
        ((apart_vec3 *)data)[i] = apart_hull_face_normal(of(self), i);
    }
    return array;
}

static PyObject *hull_dimension(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(apart_hull_dimension(of(self)));
}

static PyObject *hull_volume(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(apart_hull_volume(of(self)));
}

static PyObject *hull_area(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(apart_hull_area(of(self)));
}

static PyObject *hull_write(PyObject *self, PyObject *path)
{
    PyObject *bytes;
    const char *name = apy_path(path, &bytes);
    apart_io_error error = {.message = ""};
    if (name == NULL) {
        return NULL;
    }
    const apart_status status = apart_hull_write(of(self), name, APART_MESH_AUTO, &error);
    Py_DECREF(bytes);
    return status == APART_OK ? Py_NewRef(Py_None) : apy_raise_io(status, &error);
}

static PyObject *hull_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<apart hull of %u vertices, %u edges, %u faces>", apart_hull_vertex_count(of(self)),
                                apart_hull_edge_count(of(self)), apart_hull_face_count(of(self)));
}

static void hull_free(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    apy_hull *hull = (apy_hull *)self;
    if (hull->built) {
        apart_hull_free((apart_hull *)(uintptr_t)hull->block);
    }
    PyMem_Free(hull->memory);
    Py_CLEAR(hull->base.owner);
    apy_free(self);
}

static int hull_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((apy_shape *)self)->owner);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static PyMethodDef hull_methods[] =
    {{"to_bytes", hull_to_bytes, METH_NOARGS,
      "to_bytes($self)\n--\n\nThe hull as a block that every machine reads again: apart.hull_from_bytes()."},
     {"write", hull_write, METH_O,
      "write($self, path, /)\n--\n\nWrites OBJ, STL, PLY or OFF, by the extension; never half a file."},
     {"__reduce__", hull_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};
static PyGetSetDef hull_getset[] =
    {{"vertices", hull_vertices, NULL, "The strictly extreme vertices, shape (n, 3).", NULL},
     {"input_indices", hull_input_indices, NULL, "For each vertex the row of the points it was built from.", NULL},
     {"edges", hull_edges, NULL, "The two vertices of each edge, shape (e, 2).", NULL},
     {"faces", hull_faces, NULL, "For each face its vertices, counter-clockwise seen from outside.", NULL},
     {"face_normals", hull_face_normals, NULL, "Unit outward normals, shape (f, 3).", NULL},
     {"neighbours", hull_neighbours, NULL, "For each vertex those joined to it by an edge.", NULL},
     {"dimension", hull_dimension, NULL, "Affine dimension, 0 to 3.", NULL},
     {"volume", hull_volume, NULL, "Volume; 0 for flat hulls.", NULL},
     {"area", hull_area, NULL, "Surface area; both sides of a flat hull.", NULL},
     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot hull_slots[] = {{Py_tp_doc,
                                    "A convex hull with its vertices, edges and faces. Made by apart.hull()."},
                                   {Py_tp_methods, hull_methods},
                                   {Py_tp_getset, hull_getset},
                                   {Py_tp_repr, (void *)hull_repr},
                                   {Py_tp_traverse, (void *)hull_traverse},
                                   {Py_tp_dealloc, (void *)hull_free},
                                   {0, NULL}};
static PyType_Spec hull_spec = {.name = "apart.Hull",
                                .basicsize = sizeof(apy_hull),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = hull_slots};

static PyMethodDef functions[] =
    {{"hull", APY_CALL(make_hull), APY_FAST,
      "hull(points, faces=None)\n--\n\nThe convex hull of points, shape (n, 3), floats or doubles. With faces, a body "
      "whose faces are known: an array or rows of vertex numbers, counter-clockwise seen from outside."},
     {"hull_from_bytes", hull_from_bytes, METH_O,
      "hull_from_bytes(block, /)\n--\n\nA hull that to_bytes() wrote; every index is checked."},
     {NULL, NULL, 0, NULL}};

bool apy_add_hulls(PyObject *module)
{
    return apy_add_type(module, &hull_spec, (PyObject *)apy_shape_type, &apy_hull_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
