/* Shapes: many shapes side by side, made from arrays without an object for each. */
#include "apy.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *apy_shapes_type;

static apy_shapes *of(PyObject *self) { return (apy_shapes *)self; }

static apy_shapes *new_shapes(Py_ssize_t count)
{
    apy_shapes *self = (apy_shapes *)PyType_GenericAlloc(apy_shapes_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->shapes = apy_allocate((size_t)count, sizeof *self->shapes);
    if (self->shapes == NULL) {
        Py_DECREF(self);
        return (apy_shapes *)PyErr_NoMemory();
    }
    self->count = count;
    return self;
}

/* ---- from arrays of numbers ---- */

typedef apart_shape row_shape(const double *row);

static apart_shape row_sphere(const double *r) { return apart_sphere(r[0]); }
static apart_shape row_box(const double *r) { return apart_box((apart_vec3){r[0], r[1], r[2]}); }
static apart_shape row_capsule(const double *r) { return apart_capsule(r[0], r[1]); }
static apart_shape row_cylinder(const double *r) { return apart_cylinder(r[0], r[1]); }
static apart_shape row_cone(const double *r) { return apart_cone(r[0], r[1]); }
static apart_shape row_ellipsoid(const double *r) { return apart_ellipsoid((apart_vec3){r[0], r[1], r[2]}); }
static apart_shape row_triangle(const double *r)
{
    return apart_triangle((apart_vec3){r[0], r[1], r[2]}, (apart_vec3){r[3], r[4], r[5]},
                          (apart_vec3){r[6], r[7], r[8]});
}
static apart_shape row_segment(const double *r)
{
    return apart_segment((apart_vec3){r[0], r[1], r[2]}, (apart_vec3){r[3], r[4], r[5]});
}

static PyObject *from_rows(const double *numbers, Py_ssize_t rows, Py_ssize_t columns, const char *what,
                           row_shape *make)
{
    apy_shapes *self = new_shapes(rows);
    for (Py_ssize_t i = 0; self != NULL && i < rows; i++) {
        self->shapes[i] = make(numbers + i * columns);
        if (self->shapes[i].status != APART_OK) {
            char text[96];
            PyOS_snprintf(text, sizeof text, "%s, row %zd", what, i);
            apy_raise((apart_status)self->shapes[i].status, text);
            Py_CLEAR(self);
        }
    }
    return (PyObject *)self;
}

static PyObject *from_array(PyObject *array, Py_ssize_t columns, const char *what, row_shape *make)
{
    apy_packed packed;
    if (!apy_packed_get(array, what, columns, &packed)) {
        return NULL;
    }
    PyObject *made = from_rows(packed.numbers, packed.rows, columns, what, make);
    apy_packed_release(&packed);
    return made;
}

static PyObject *make_boxes(PyObject *module, PyObject *array)
{
    (void)module;
    return from_array(array, 3, "boxes", row_box);
}

static PyObject *make_ellipsoids(PyObject *module, PyObject *array)
{
    (void)module;
    return from_array(array, 3, "ellipsoids", row_ellipsoid);
}

/* Rows of points, shape (n, corners, 3), or (n, 3 corners). */
static PyObject *from_corners(PyObject *array, Py_ssize_t corners, const char *what, row_shape *make)
{
    apy_array a;
    if (!apy_reals(array, what, &a)) {
        return NULL;
    }
    const bool deep = a.dimensions == 3 && a.shape[1] == corners && a.shape[2] == 3;
    const Py_ssize_t columns = 3 * corners;
    double *rows = deep ? PyMem_Malloc((size_t)(a.shape[0] * columns + 1) * sizeof *rows) : NULL;
    for (Py_ssize_t i = 0; rows != NULL && i < a.shape[0] * columns; i++) {
        rows[i] = apy_real_at(&a, i / columns, i % columns / 3, i % 3);
    }
    const Py_ssize_t count = a.shape[0];
    apy_array_release(&a);
    if (!deep) {
        PyErr_Format(PyExc_ValueError, "%s: expected an array of shape (n, %zd, 3)", what, corners);
        return NULL;
    }
    PyObject *made = rows == NULL ? PyErr_NoMemory() : from_rows(rows, count, columns, what, make);
    PyMem_Free(rows);
    return made;
}

static PyObject *make_segments(PyObject *module, PyObject *array)
{
    (void)module;
    return from_corners(array, 2, "segments", row_segment);
}

static PyObject *make_triangles(PyObject *module, PyObject *array)
{
    (void)module;
    return from_corners(array, 3, "triangles", row_triangle);
}

/* Radii and, for round shapes, half heights: arrays of one length each, or a number for all. */
static PyObject *round_shapes(PyObject *radius, PyObject *height, const char *what, row_shape *make)
{
    apy_array r, h;
    if (!apy_reals(radius, "radius", &r)) {
        return NULL;
    }
    if (height == NULL) {
        h = r;
    } else if (!apy_reals(height, "half_height", &h)) {
        apy_array_release(&r);
        return NULL;
    }
    const bool rows = r.dimensions <= 1 && h.dimensions <= 1;
    const Py_ssize_t count = h.dimensions == 1 ? h.shape[0] : r.shape[0];
    const bool fits = rows && (r.dimensions == 0 || h.dimensions == 0 || r.shape[0] == h.shape[0]);
    double *numbers = fits ? PyMem_Malloc((size_t)(2 * count + 1) * sizeof *numbers) : NULL;
    for (Py_ssize_t i = 0; numbers != NULL && i < count; i++) {
        numbers[2 * i] = apy_real_at(&r, i, 0, 0); /* of a single number the stride is 0 */
        numbers[2 * i + 1] = apy_real_at(&h, i, 0, 0);
    }
    apy_array_release(&r);
    if (height != NULL) {
        apy_array_release(&h);
    }
    if (!fits) {
        apy_length_error(what, "a row of numbers each, equally long, or one number for all");
        return NULL;
    }
    PyObject *made = numbers == NULL ? PyErr_NoMemory() : from_rows(numbers, count, 2, what, make);
    PyMem_Free(numbers);
    return made;
}

static PyObject *make_spheres(PyObject *module, PyObject *radii)
{
    (void)module;
    return round_shapes(radii, NULL, "spheres", row_sphere);
}

static apy_signature round_words = {"shapes", 2, 2, {"radius", "half_height"}, {NULL}};

#define ROUND(name, plural, make)                                                                             \
    static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)         \
    {                                                                                                         \
        PyObject *v[APY_MOST_WORDS];                                                                          \
        (void)module;                                                                                         \
        return apy_bind(&round_words, args, count, names, v) ? round_shapes(v[0], v[1], plural, make) : NULL; \
    }
ROUND(make_capsules, "capsules", row_capsule)
ROUND(make_cylinders, "cylinders", row_cylinder)
ROUND(make_cones, "cones", row_cone)
#undef ROUND

/* ---- hulls: the points of each one after the other ---- */

/* The first point of each hull, and the end of the last: from shape (n, k, 3), or from `counts`. */
static uint32_t *hull_starts(const apy_array *points, PyObject *counts, Py_ssize_t *hulls)
{
    if (counts == NULL) {
        *hulls = points->dimensions == 3 ? points->shape[0] : 0;
        uint32_t *starts = PyMem_Malloc((size_t)(*hulls + 1) * sizeof *starts);
        for (Py_ssize_t i = 0; starts != NULL && i <= *hulls; i++) {
            starts[i] = (uint32_t)(i * points->shape[1]);
        }
        return starts != NULL ? starts : (uint32_t *)PyErr_NoMemory();
    }
    uint32_t *starts = apy_index_copy(counts, "counts", 0, hulls);
    uint64_t total = 0;
    for (Py_ssize_t i = 0; starts != NULL && i < *hulls; i++) {
        const uint32_t own = starts[i];
        starts[i] = (uint32_t)total;
        total += own;
        if (total > (uint64_t)points->shape[0]) {
            break;
        }
    }
    if (starts != NULL && total != (uint64_t)points->shape[0]) {
        PyMem_Free(starts);
        apy_length_error("counts", "numbers of points whose sum is that of all points");
        return NULL;
    }
    if (starts != NULL) {
        starts[*hulls] = (uint32_t)total;
    }
    return starts;
}

static PyObject *build_hulls(const double *xyz, const uint32_t *starts, Py_ssize_t hulls)
{
    apy_shapes *self = new_shapes(hulls);
    if (self == NULL) {
        return NULL;
    }
    self->hulls = calloc((size_t)hulls + 1, sizeof *self->hulls);
    if (self->hulls == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    apart_status status = APART_OK;
    Py_ssize_t i = 0;
    PyThreadState *gil = apy_release_gil(true);
    for (; i < hulls && status == APART_OK; i++) {
        status = apart_hull_build(xyz + (size_t)3 * starts[i], starts[i + 1] - starts[i], NULL, &self->hulls[i]);
        if (status == APART_OK) {
            self->shapes[i] = apart_hull_shape(self->hulls[i]);
            self->hull_count = i + 1;
        }
    }
    apy_take_gil(gil);
    if (status != APART_OK) {
        char text[64];
        PyOS_snprintf(text, sizeof text, "hulls, hull %zd", i - 1);
        apy_raise(status, text);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static apy_signature hulls_words = {"hulls", 1, 2, {"points", "counts"}, {NULL}};

static PyObject *make_hulls(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_array a;
    if (!apy_bind(&hulls_words, args, count, names, v) || !apy_reals(v[0], "points", &a)) {
        return NULL;
    }
    const bool deep = a.dimensions == 3,
               good = deep ? v[1] == NULL && a.shape[2] == 3 : v[1] != NULL && a.dimensions == 2 && a.shape[1] == 3;
    const Py_ssize_t points = deep ? a.shape[0] * a.shape[1] : a.shape[0];
    Py_ssize_t hulls = 0;
    uint32_t *starts = good && points < UINT32_MAX ? hull_starts(&a, v[1], &hulls) : NULL;
    double *xyz = starts == NULL ? NULL : PyMem_Malloc((size_t)(3 * points + 1) * sizeof *xyz);
    for (Py_ssize_t i = 0; xyz != NULL && i < 3 * points; i++) {
        const Py_ssize_t p = i / 3, k = i % 3;
        xyz[i] = deep ? apy_real_at(&a, p / a.shape[1], p % a.shape[1], k) : apy_real_at(&a, p, k, 0);
    }
    apy_array_release(&a);
    PyObject *made = NULL;
    if (!good) {
        apy_length_error("hulls", "an array of shape (n, k, 3), or (m, 3) with counts=");
    } else if (starts != NULL) {
        made = xyz == NULL ? PyErr_NoMemory() : build_hulls(xyz, starts, hulls);
    }
    PyMem_Free(starts);
    PyMem_Free(xyz);
    return made;
}

/* ---- from shapes ---- */

PyObject *apy_shapes_from_sequence(PyObject *sequence, const char *what)
{
    PyObject *items = PySequence_Tuple(sequence);
    if (items == NULL) {
        PyErr_Format(PyExc_TypeError, "%s: expected Shapes, a Shape, or a sequence of them", what);
        return NULL;
    }
    apy_shapes *self = new_shapes(PyTuple_Size(items));
    for (Py_ssize_t i = 0; self != NULL && i < self->count; i++) {
        PyObject *item = PyTuple_GetItem(items, i);
        if (!apy_is_shape(item)) {
            PyErr_Format(PyExc_TypeError, "%s: element %zd is no Shape but %R", what, i, (PyObject *)Py_TYPE(item));
            Py_CLEAR(self);
            break;
        }
        self->shapes[i] = ((apy_shape *)item)->shape;
    }
    if (self != NULL) {
        self->owner = Py_NewRef(items);
    }
    Py_DECREF(items);
    return (PyObject *)self;
}

static PyObject *make_shapes(PyObject *module, PyObject *sequence)
{
    (void)module;
    return Py_IS_TYPE(sequence, apy_shapes_type) ? Py_NewRef(sequence) : apy_shapes_from_sequence(sequence, "shapes");
}

bool apy_shape_list_get(PyObject *value, const char *what, apy_shape_list *out)
{
    *out = (apy_shape_list){.count = -1};
    if (apy_is_shape(value)) {
        out->owner = Py_NewRef(value);
        out->shapes = &((apy_shape *)value)->shape;
        return true;
    }
    out->owner = Py_IS_TYPE(value, apy_shapes_type) ? Py_NewRef(value) : apy_shapes_from_sequence(value, what);
    if (out->owner == NULL) {
        return false;
    }
    out->shapes = of(out->owner)->shapes;
    out->count = of(out->owner)->count;
    out->stride = sizeof *out->shapes;
    return true;
}

void apy_shape_list_release(apy_shape_list *list) { Py_CLEAR(list->owner); }

/* ---- the type ---- */

static Py_ssize_t shapes_length(PyObject *self) { return of(self)->count; }

static PyObject *shapes_item(PyObject *self, Py_ssize_t i)
{
    if (i < 0 || i >= of(self)->count) {
        PyErr_SetString(PyExc_IndexError, "there are not so many shapes");
        return NULL;
    }
    if (of(self)->owner != NULL) {
        return Py_NewRef(PyTuple_GetItem(of(self)->owner, i));
    }
    return apy_shape_new(&of(self)->shapes[i], of(self)->hulls != NULL ? self : NULL);
}

static PyObject *shapes_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *items = PySequence_Tuple(self);
    PyObject *module = items == NULL ? NULL : PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "shapes");
    Py_XDECREF(module);
    if (load == NULL) {
        Py_XDECREF(items);
        return NULL;
    }
    return Py_BuildValue("N(N)", load, items);
}

static int shapes_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(of(self)->owner);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void shapes_free(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    apy_shapes *all = of(self);
    for (Py_ssize_t i = 0; i < all->hull_count; i++) {
        apart_hull_free(all->hulls[i]);
    }
    free(all->hulls);
    free(all->shapes);
    Py_CLEAR(all->owner);
    apy_free(self);
}

static PyMethodDef shapes_methods[] = {{"__reduce__", shapes_reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot shapes_slots[] = {{Py_tp_doc, "Many shapes, ready for queries. Made by apart.boxes() and its like."},
                                     {Py_tp_methods, shapes_methods},
                                     {Py_sq_length, (void *)shapes_length},
                                     {Py_sq_item, (void *)shapes_item},
                                     {Py_tp_traverse, (void *)shapes_traverse},
                                     {Py_tp_dealloc, (void *)shapes_free},
                                     {0, NULL}};
static PyType_Spec shapes_spec = {.name = "apart.Shapes",
                                  .basicsize = sizeof(apy_shapes),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = shapes_slots};

static PyMethodDef functions[] = {
    {"spheres", make_spheres, METH_O, "spheres(radii, /)\n--\n\nMany spheres."},
    {"boxes", make_boxes, METH_O, "boxes(half_extents, /)\n--\n\nMany boxes from an array of shape (n, 3)."},
    {"capsules", APY_CALL(make_capsules), APY_FAST,
     "capsules(radius, half_height)\n--\n\nMany capsules from two rows."},
    {"cylinders", APY_CALL(make_cylinders), APY_FAST, "cylinders(radius, half_height)\n--\n\nMany cylinders."},
    {"cones", APY_CALL(make_cones), APY_FAST, "cones(radius, half_height)\n--\n\nMany cones."},
    {"ellipsoids", make_ellipsoids, METH_O, "ellipsoids(semi_axes, /)\n--\n\nMany ellipsoids, shape (n, 3)."},
    {"segments", make_segments, METH_O, "segments(points, /)\n--\n\nMany segments, shape (n, 2, 3)."},
    {"triangles", make_triangles, METH_O, "triangles(points, /)\n--\n\nMany triangles, shape (n, 3, 3)."},
    {"hulls", APY_CALL(make_hulls), APY_FAST,
     "hulls(points, counts=None)\n--\n\nMany hulls from points of shape (n, k, 3), or (m, 3) with the number of points "
     "of each."},
    {"shapes", make_shapes, METH_O, "shapes(sequence, /)\n--\n\nShapes of any kind side by side."},
    {NULL, NULL, 0, NULL}};

bool apy_add_shape_arrays(PyObject *module)
{
    return apy_add_type(module, &shapes_spec, NULL, &apy_shapes_type) && PyModule_AddFunctions(module, functions) == 0;
}
