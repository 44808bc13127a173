/* mass and triangles of bodies. */
#include "apy.h"

#include <apart/measure.h>

#include <stddef.h>

static const apy_field mass_fields[] = {
    {"volume", APY_F64, offsetof(apart_mass, volume), "Of flat shapes 0; in 2D the area.", NULL, NULL},
    {"center", APY_VEC3, offsetof(apart_mass, center), "Of mass.", NULL, NULL},
    {"volume_error", APY_F64, offsetof(apart_mass, volume_error), "The true volume differs by at most this.", NULL,
     NULL},
    {"center_error", APY_F64, offsetof(apart_mass, center_error), "The true centre is at most this far away.", NULL,
     NULL},
    {"inertia_error", APY_F64, offsetof(apart_mass, inertia_error), "No entry of the inertia differs by more.", NULL,
     NULL},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};

static PyObject *mass_inertia(PyObject *self, void *closure)
{
    (void)closure;
    const apart_mass *m = (const apart_mass *)(const void *)((apy_record *)self)->data;
    return apy_numpy_doubles(&m->inertia.x.x, 3, 3); /* symmetric */
}

static PyGetSetDef mass_properties[] = {{"inertia", mass_inertia, NULL,
                                         "The 3x3 inertia about the centre, for density 1.", NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};
static apy_layout mass_layout = {.name = "apart.Mass",
                                 .doc = "Volume, centre and inertia for density 1, with bounds of their errors.",
                                 .size = sizeof(apart_mass),
                                 .fields = mass_fields,
                                 .properties = mass_properties};

static apy_signature mass_words = {"mass", 1, 1, {"body", "grid"}, {NULL}};

static PyObject *mass(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_body body;
    uint64_t grid = 0;
    apart_mass found;
    if (!apy_bind(&mass_words, args, count, names, v) || !apy_count(v[1], "grid", 256, &grid) ||
        !apy_body_get(v[0], "body", &body)) {
        return NULL;
    }
    const apart_measure_options options = {.grid = (uint32_t)grid};
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_solid_mass(body.solid, &options, &found);
    apy_take_gil(gil);
    apy_body_release(&body);
    return status == APART_OK ? apy_record_new(&mass_layout, &found, NULL) : apy_raise(status, "mass");
}

static apy_signature triangles_words = {"surface", 1, 1, {"shape", "grid"}, {NULL}};

static PyObject *surface(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *both = NULL;
    apy_body body;
    uint64_t grid = 0;
    apart_triangles t;
    if (!apy_bind(&triangles_words, args, count, names, v) || !apy_count(v[1], "grid", 256, &grid) ||
        !apy_body_shape(v[0], "shape", &body)) {
        return NULL;
    }
    const apart_measure_options options = {.grid = (uint32_t)grid};
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_shape_triangles(body.solid.shape, &options, &t);
    apy_take_gil(gil);
    apy_body_release(&body);
    if (status != APART_OK) {
        return apy_raise(status, "surface");
    }
    PyObject *vertices = apy_numpy_doubles(t.vertices == NULL ? NULL : &t.vertices->x, (Py_ssize_t)t.vertex_count, 3);
    PyObject *triangles = vertices == NULL ? NULL : apy_numpy_words(t.triangles, (Py_ssize_t)t.triangle_count, 3);
    apart_triangles_free(&t);
    if (triangles == NULL) {
        Py_XDECREF(vertices);
    } else {
        both = Py_BuildValue("(NN)", vertices, triangles);
    }
    return both;
}

static PyMethodDef functions[] =
    {{"mass", APY_CALL(mass), APY_FAST,
      "mass(body, *, grid=0)\n--\n\nVolume, centre and inertia of a body for density 1, with bounds of their errors."},
     {"surface", APY_CALL(surface), APY_FAST,
      "surface(shape, *, grid=0)\n--\n\nTriangles to draw a shape with: (vertices, triangles)."},
     {NULL, NULL, 0, NULL}};

bool apy_add_measures(PyObject *module)
{
    return apy_layout_add(module, &mass_layout) && PyModule_AddFunctions(module, functions) == 0;
}
