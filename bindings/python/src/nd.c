/* distance_nd: point sets in any dimension. */
#include "apy.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What a result in n dimensions consists of: the C struct, whose pointers lead into `memory`, and the point sets. */
typedef struct nd_object {
    PyObject_HEAD apart_result_nd result;
    size_t dim;
    double *memory; /* a, b, normal, weights */
    uint32_t *indices;
    PyObject *a, *b; /* the point sets: packed arrays of our own */
} nd_object;

static PyTypeObject *nd_type;

static nd_object *new_result(size_t dim)
{
    nd_object *self = (nd_object *)PyType_GenericAlloc(nd_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->dim = dim;
    self->memory = PyMem_Calloc(4 * dim + 1, sizeof *self->memory);
    self->indices = PyMem_Calloc(2 * (dim + 1), sizeof *self->indices);
    if (self->memory == NULL || self->indices == NULL) {
        Py_DECREF(self);
        return (nd_object *)PyErr_NoMemory();
    }
    double *m = self->memory;
    self->result = (apart_result_nd){.a = m,
                                     .b = m + dim,
                                     .normal = m + 2 * dim,
                                     .lambda = m + 3 * dim,
                                     .index_a = self->indices,
                                     .index_b = self->indices + dim + 1};
    return self;
}

/* A set of points as a packed array that nobody else can change. */
static PyObject *own_points(PyObject *value, const char *what, size_t *dim, apart_points_nd *out)
{
    apy_packed p;
    if (!apy_packed_get(value, what, 0, &p)) {
        return NULL;
    }
    PyObject *bytes =
        PyBytes_FromStringAndSize((const char *)p.numbers, p.rows * p.columns * (Py_ssize_t)sizeof(double));
    *dim = (size_t)p.columns;
    out->count = (size_t)p.rows;
    apy_packed_release(&p);
    out->coordinates = bytes == NULL ? NULL : (const double *)(const void *)PyBytes_AsString(bytes);
    return bytes;
}

static PyObject *finish(nd_object *self, const apart_points_nd *a, const apart_points_nd *b, apart_options *options,
                        size_t facets)
{
    const size_t least = apart_nd_workspace_size(self->dim), depth = APART_ND_DEPTH_BYTES(facets);
    const size_t size = least > depth ? least : depth;
    void *workspace = size == 0 ? NULL : malloc(size);
    if (size > 0 && workspace == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_distance_nd(self->dim, a, b, options, workspace, size, &self->result);
    apy_take_gil(gil);
    free(workspace);
    if (status != APART_OK) {
        Py_DECREF(self);
        return apy_raise(status, "distance_nd");
    }
    return (PyObject *)self;
}

static apy_signature nd_words = {"distance_nd",
                                 2,
                                 2,
                                 {"a", "b", "solver", "depth", "no_fallback", "max_iterations", "cutoff", "tolerance",
                                  "facets"},
                                 {NULL}};

static PyObject *distance_nd(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_points_nd a, b;
    size_t dim_a = 0, dim_b = 0;
    uint64_t facets = 0;
    apy_options options;
    if (!apy_bind(&nd_words, args, count, names, v) || !apy_count(v[8], "facets", 1u << 24, &facets)) {
        return NULL;
    }
    PyObject *const words[APY_OPTION_COUNT] = {v[2], NULL, v[3], v[4], v[5], v[6], v[7], NULL, NULL, NULL};
    PyObject *points_a = apy_options_get(words, &options) ? own_points(v[0], "a", &dim_a, &a) : NULL;
    PyObject *points_b = points_a == NULL ? NULL : own_points(v[1], "b", &dim_b, &b);
    nd_object *self = NULL;
    if (points_b != NULL && dim_a != dim_b) {
        PyErr_Format(PyExc_ValueError, "distance_nd(): a has %zu dimensions, b %zu", dim_a, dim_b);
    } else if (points_b != NULL && dim_a > APART_ND_MAX_DIM) {
        apy_raise(APART_ERR_DIMENSION, "distance_nd");
    } else if (points_b != NULL) {
        self = new_result(dim_a);
    }
    if (self == NULL) {
        Py_XDECREF(points_a);
        Py_XDECREF(points_b);
        return NULL;
    }
    self->a = points_a;
    self->b = points_b;
    return finish(self, &a, &b, options.given ? &options.options : NULL, (size_t)facets);
}

/* ---- the result ---- */

static const nd_object *of(PyObject *self) { return (const nd_object *)self; }

static PyObject *nd_verify(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const nd_object *r = of(self);
    const size_t row = r->dim * sizeof(double);
    const apart_points_nd a = {(const double *)(const void *)PyBytes_AsString(r->a), (size_t)PyBytes_Size(r->a) / row};
    const apart_points_nd b = {(const double *)(const void *)PyBytes_AsString(r->b), (size_t)PyBytes_Size(r->b) / row};
    apart_proof proof;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_verify_nd(r->dim, &a, &b, &r->result, &proof);
    apy_take_gil(gil);
    return status == APART_OK ? apy_proof_new(&proof) : apy_raise(status, "verify");
}

static PyObject *nd_number(PyObject *self, void *which)
{
    return PyFloat_FromDouble(*(const double *)((const char *)&of(self)->result + (size_t)(uintptr_t)which));
}

static PyObject *nd_vector(PyObject *self, void *which)
{
    const double *const *vector = (const double *const *)((const char *)&of(self)->result + (size_t)(uintptr_t)which);
    return apy_numpy_doubles(*vector, (Py_ssize_t)of(self)->dim, 0);
}

static PyObject *nd_indices(PyObject *self, void *which)
{
    const uint32_t *const *indices =
        (const uint32_t *const *)((const char *)&of(self)->result + (size_t)(uintptr_t)which);
    return apy_numpy_words(*indices, of(self)->result.count, 0);
}

static PyObject *nd_weights(PyObject *self, void *closure)
{
    (void)closure;
    return apy_numpy_doubles(of(self)->result.lambda, of(self)->result.count, 0);
}

static PyObject *nd_relation(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(apart_relation_name(of(self)->result.relation));
}

static PyObject *nd_stop(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(apart_stop_name(of(self)->result.stop));
}

static PyObject *nd_iterations(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(of(self)->result.iterations);
}

/* ---- pickling ---- */

static PyObject *nd_reduce(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    const nd_object *self = of(object);
    PyObject *module = PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_nd");
    Py_XDECREF(module);
    return load == NULL
               ? NULL
               : Py_BuildValue("N(ny#y#y#OO)", load, (Py_ssize_t)self->dim, (const char *)&self->result,
                               (Py_ssize_t)sizeof self->result, (const char *)self->memory,
                               (Py_ssize_t)((4 * self->dim + 1) * sizeof *self->memory), (const char *)self->indices,
                               (Py_ssize_t)(2 * (self->dim + 1) * sizeof *self->indices), self->a, self->b);
}

/* Point sets of whole rows, and the numbers of a simplex within them. */
static bool nd_fits(const nd_object *self, Py_ssize_t size, Py_ssize_t memory_size, Py_ssize_t indices_size)
{
    const size_t row = self->dim * sizeof(double);
    const size_t bytes_a = (size_t)PyBytes_Size(self->a), bytes_b = (size_t)PyBytes_Size(self->b);
    bool fits = size == (Py_ssize_t)sizeof self->result && bytes_a % row == 0 && bytes_b % row == 0 &&
                memory_size == (Py_ssize_t)((4 * self->dim + 1) * sizeof *self->memory) &&
                indices_size == (Py_ssize_t)(2 * (self->dim + 1) * sizeof *self->indices) &&
                self->result.count <= self->dim + 1;
    for (uint32_t i = 0; fits && i < self->result.count; i++) {
        fits = self->result.index_a[i] < bytes_a / row && self->result.index_b[i] < bytes_b / row;
    }
    return fits;
}

static PyObject *nd_load(PyObject *module, PyObject *args)
{
    (void)module;
    Py_ssize_t dim, size, memory_size, indices_size;
    const char *data, *memory, *indices;
    PyObject *a, *b;
    if (!PyArg_ParseTuple(args, "ny#y#y#SS", &dim, &data, &size, &memory, &memory_size, &indices, &indices_size, &a,
                          &b)) {
        return NULL;
    }
    nd_object *self = dim < 1 || dim > (Py_ssize_t)APART_ND_MAX_DIM ? NULL : new_result((size_t)dim);
    if (self == NULL) {
        return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ValueError, "a pickle of no apart.ResultNd");
    }
    self->a = Py_NewRef(a);
    self->b = Py_NewRef(b);
    /* The numbers after the pointers. */
    const size_t first = offsetof(apart_result_nd, distance);
    if (size == (Py_ssize_t)sizeof self->result) {
        memcpy((char *)&self->result + first, data + first, sizeof self->result - first);
    }
    memcpy(self->indices, indices,
           (size_t)indices_size < 2 * ((size_t)dim + 1) * sizeof *self->indices
               ? (size_t)indices_size
               : 2 * ((size_t)dim + 1) * sizeof *self->indices);
    if (!nd_fits(self, size, memory_size, indices_size)) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "a pickle of another version of apart (ResultNd)");
        return NULL;
    }
    memcpy(self->memory, memory, (size_t)memory_size);
    return (PyObject *)self;
}

static void nd_free(PyObject *self)
{
    PyMem_Free(of(self)->memory);
    PyMem_Free(of(self)->indices);
    Py_XDECREF(of(self)->a);
    Py_XDECREF(of(self)->b);
    apy_free(self);
}

#define AT(member) ((void *)offsetof(apart_result_nd, member))
static PyGetSetDef nd_getset[] = {{"distance", nd_number, NULL, "Signed.", AT(distance)},
                                  {"lower", nd_number, NULL, "Certified: lower <= true value.", AT(lower)},
                                  {"upper", nd_number, NULL, "Certified: true value <= upper.", AT(upper)},
                                  {"a", nd_vector, NULL, "Witness point on A.", AT(a)},
                                  {"b", nd_vector, NULL, "Witness point on B.", AT(b)},
                                  {"normal", nd_vector, NULL, "Unit, from A to B.", AT(normal)},
                                  {"index_a", nd_indices, NULL, "The simplex: points of A.", AT(index_a)},
                                  {"index_b", nd_indices, NULL, "The simplex: points of B.", AT(index_b)},
                                  {"weights", nd_weights, NULL, "Weights of the simplex points.", NULL},
                                  {"relation", nd_relation, NULL, "disjoint, touching, overlapping or beyond.", NULL},
                                  {"stop", nd_stop, NULL, "Why the query ended.", NULL},
                                  {"iterations", nd_iterations, NULL, "Iterations of the loop.", NULL},
                                  {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef nd_methods[] = {{"verify", nd_verify, METH_NOARGS,
                                    "verify($self)\n--\n\nChecks the result by independent code."},
                                   {"__reduce__", nd_reduce, METH_NOARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
static PyType_Slot nd_slots[] = {{Py_tp_doc, "The signed distance of two point sets in n dimensions."},
                                 {Py_tp_getset, nd_getset},
                                 {Py_tp_methods, nd_methods},
                                 {Py_tp_dealloc, (void *)nd_free},
                                 {0, NULL}};
static PyType_Spec nd_spec = {.name = "apart.ResultNd",
                              .basicsize = sizeof(nd_object),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              .slots = nd_slots};

static PyMethodDef functions[] =
    {{"distance_nd", APY_CALL(distance_nd), APY_FAST,
      "distance_nd(a, b, *, solver=None, depth=None, no_fallback=False, max_iterations=0, cutoff=0, tolerance=0, "
      "facets=0)"
      "\n--\n\nThe signed distance of the convex hulls of two point sets, shape (n, dim). facets: room for the "
      "surface of a "
      "depth search, beyond the built-in one."},
     {"_load_nd", nd_load, METH_VARARGS, NULL},
     {NULL, NULL, 0, NULL}};

bool apy_add_nd(PyObject *module)
{
    return apy_add_type(module, &nd_spec, NULL, &nd_type) && PyModule_AddFunctions(module, functions) == 0;
}
