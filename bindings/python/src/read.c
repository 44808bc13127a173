/* Files: meshes and case files. */
#include "apy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes: arrays of what a file holds ---- */

static const char *format_name(int format)
{
    static const char *const names[] = {"auto", "obj", "stl", "ply", "off", "points", "collada", "gltf"};
    return names[format];
}

static PyObject *names_of(const apart_mesh_data *m)
{
    PyObject *names = PyList_New((Py_ssize_t)m->object_count);
    for (size_t i = 0; names != NULL && i < m->object_count; i++) {
        PyObject *name = PyUnicode_DecodeUTF8(m->object_names[i], (Py_ssize_t)strlen(m->object_names[i]), "replace");
        if (name == NULL || PyList_SetItem(names, (Py_ssize_t)i, name) < 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

/* Every polygon as triangles around its first corner. */
static PyObject *triangles_of(const apart_mesh_data *m)
{
    Py_ssize_t count = 0;
    for (size_t f = 0; f < m->face_count; f++) {
        count += m->face_sizes[f] >= 3 ? (Py_ssize_t)m->face_sizes[f] - 2 : 0;
    }
    const Py_ssize_t shape[2] = {count, 3};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("u4");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    uint32_t *out = data;
    const uint32_t *face = m->face_indices;
    for (size_t f = 0; array != NULL && f < m->face_count; face += m->face_sizes[f], f++) {
        for (uint32_t k = 2; k < m->face_sizes[f]; k++) {
            *out++ = face[0];
            *out++ = face[k - 1];
            *out++ = face[k];
        }
    }
    return array;
}

static PyObject *dict_of(const apart_mesh_data *m)
{
    const char axis[2] = {m->up_axis, '\0'};
    PyObject *vertices = apy_numpy_doubles(m->xyz, (Py_ssize_t)m->vertex_count, 3);
    PyObject *faces = vertices == NULL ? NULL : triangles_of(m);
    PyObject *sizes = faces == NULL ? NULL : apy_numpy_words(m->face_sizes, (Py_ssize_t)m->face_count, 0);
    PyObject *indices = sizes == NULL ? NULL : apy_numpy_words(m->face_indices, (Py_ssize_t)m->face_index_count, 0);
    PyObject *objects = indices == NULL || m->face_objects == NULL
                            ? apy_numpy_words(NULL, 0, 0)
                            : apy_numpy_words(m->face_objects, (Py_ssize_t)m->face_count, 0);
    PyObject *names = objects == NULL ? NULL : names_of(m);
    if (vertices == NULL || faces == NULL || sizes == NULL || indices == NULL || objects == NULL || names == NULL) {
        Py_XDECREF(vertices);
        Py_XDECREF(faces);
        Py_XDECREF(sizes);
        Py_XDECREF(indices);
        Py_XDECREF(objects);
        Py_XDECREF(names);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:s,s:d,s:s}", "vertices", vertices, "faces", faces, "face_sizes",
                         sizes, "face_indices", indices, "face_objects", objects, "object_names", names, "format",
                         format_name(m->format), "unit", m->unit, "up_axis", m->up_axis == 0 ? "" : axis);
}

/* How far the mesh is from its hull: 0 means convex. */
static bool add_deviation(PyObject *dict, const apart_mesh_data *m)
{
    apart_hull *hull = NULL;
    double deviation = NAN;
    if (apart_hull_build(m->xyz, m->vertex_count, NULL, &hull) == APART_OK) {
        deviation = apart_mesh_deviation(m, hull);
        apart_hull_free(hull);
    }
    PyObject *number = PyFloat_FromDouble(deviation);
    const bool added = number != NULL && PyDict_SetItemString(dict, "deviation", number) == 0;
    Py_XDECREF(number);
    return added;
}

static apy_signature mesh_words = {"read_mesh", 1, 1, {"path", "format", "z_up", "data", "name"}, {NULL}};

static apart_status read_either(PyObject *const *v, const char *path, int format, apart_mesh_data *mesh,
                                apart_io_error *error)
{
    Py_buffer view;
    if (v[3] == NULL) {
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_mesh_read(path, mesh, error);
        apy_take_gil(gil);
        return status;
    }
    if (PyObject_GetBuffer(v[3], &view, PyBUF_SIMPLE) < 0) {
        return APART_ERR_NULL;
    }
    const apart_status status = apart_mesh_read_memory(view.buf, (size_t)view.len, path, format, mesh, error);
    PyBuffer_Release(&view);
    return status;
}

static PyObject *read_mesh(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *bytes = NULL;
    uint8_t format = 0, z_up = 0;
    apart_mesh_data mesh;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&mesh_words, args, count, names, v) || !apy_choice(v[1], "format", format_name, 8, &format) ||
        !apy_flag(v[2], "z_up", &z_up)) {
        return NULL;
    }
    const char *path = apy_path(v[0], &bytes);
    if (path == NULL) {
        return NULL;
    }
    const apart_status status = read_either(v, path, format, &mesh, &error);
    Py_DECREF(bytes);
    if (status != APART_OK) {
        return PyErr_Occurred() != NULL ? NULL : apy_raise_io(status, &error);
    }
    if (z_up) {
        apart_mesh_data_turn_z_up(&mesh);
    }
    PyObject *dict = dict_of(&mesh);
    if (dict != NULL && !add_deviation(dict, &mesh)) {
        Py_CLEAR(dict);
    }
    apart_mesh_data_free(&mesh);
    return dict;
}

/* ---- bodies from files ---- */

/* What the body owns becomes the object's: the body is freed without it. */
static PyObject *take_body(apart_mesh_body *body)
{
    PyObject *made = NULL;
    if (body->hull != NULL) {
        made = apy_hull_adopt(body->hull, "load");
        body->hull = NULL;
    } else if (body->mesh != NULL) {
        made = apy_mesh_adopt(body->mesh, body->as == APART_AS_SURFACE);
        body->mesh = NULL;
    } else {
        PyObject *cover = apy_cover_adopt(body->cover);
        made = cover == NULL ? NULL : apy_compound_adopt(body->compound, cover);
        body->compound = cover == NULL ? body->compound : NULL;
        body->cover = NULL;
        Py_XDECREF(cover);
    }
    apart_mesh_body_free(body);
    return made;
}

static apy_signature load_words = {"load",
                                   1,
                                   2,
                                   {"path", "as_", "hulls", "excess", "threads", "z_up", "scale"},
                                   {NULL}};

static PyObject *load(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *bytes;
    apart_mesh_body_options options = {.as = APART_AS_AUTO};
    uint64_t hulls = 0;
    uint8_t z_up = 0;
    double scale = 1.0;
    if (!apy_bind(&load_words, args, count, names, v) ||
        !apy_choice(v[1], "as_", apart_mesh_as_name, APART_AS_COUNT, &options.as) ||
        !apy_count(v[2], "hulls", 4096, &hulls) || !apy_double(v[3], "excess", &options.cover.excess) ||
        !apy_threads(v[4], &options.threads) || !apy_flag(v[5], "z_up", &z_up) || !apy_double(v[6], "scale", &scale)) {
        return NULL;
    }
    options.cover.hulls = (uint32_t)hulls;
    const char *path = apy_path(v[0], &bytes);
    apart_mesh_data data;
    apart_mesh_body *body = NULL;
    apart_io_error error = {.message = ""};
    if (path == NULL) {
        return NULL;
    }
    PyThreadState *gil = apy_release_gil(true);
    apart_status status = apart_mesh_read(path, &data, &error);
    if (status == APART_OK) {
        for (size_t i = 0; scale != 1.0 && i < 3 * data.vertex_count; i++) {
            data.xyz[i] *= scale;
        }
        if (z_up) {
            apart_mesh_data_turn_z_up(&data);
        }
        status = apart_mesh_body_build(&data, &options, &body);
        apart_mesh_data_free(&data);
    }
    apy_take_gil(gil);
    PyObject *made = status != APART_OK
                         ? (error.message[0] != '\0' ? apy_raise_io(status, &error) : apy_raise(status, path))
                         : take_body(body);
    Py_DECREF(bytes);
    return made;
}

/* ---- case files: all cases as a list of dicts ---- */

static PyObject *body_of(const apart_case_body *b, size_t dim)
{
    if (b->is_points) {
        return apy_numpy_doubles(b->coordinates, (Py_ssize_t)b->count, (Py_ssize_t)dim);
    }
    PyObject *shape = apy_shape_new(&b->shape, NULL);
    return shape == NULL ? NULL : Py_BuildValue("(NN)", shape, apy_pose_new(&b->pose));
}

static PyObject *case_of(const apart_case *c)
{
    PyObject *a = body_of(&c->a, c->dim), *b = a == NULL ? NULL : body_of(&c->b, c->dim);
    if (b == NULL) {
        Py_XDECREF(a);
        return NULL;
    }
    PyObject *distance = c->has_distance ? PyFloat_FromDouble(c->distance) : Py_NewRef(Py_None);
    PyObject *relation = c->relation >= 0 ? PyUnicode_FromString(apart_relation_name(c->relation)) : Py_NewRef(Py_None);
    return Py_BuildValue("{s:s,s:n,s:N,s:N,s:N,s:N,s:n}", "name", c->name, "dim", (Py_ssize_t)c->dim, "a", a, "b", b,
                         "distance", distance, "relation", relation, "line", (Py_ssize_t)c->line);
}

static PyObject *all_cases(apart_case_file *file)
{
    PyObject *cases = PyList_New(0);
    int found = 1;
    while (cases != NULL && found) {
        apart_case c;
        apart_io_error error = {.message = ""};
        const apart_status status = apart_case_next(file, &c, &found, &error);
        PyObject *one = status != APART_OK ? apy_raise_io(status, &error) : found ? case_of(&c) : NULL;
        const bool good = one == NULL ? status == APART_OK && !found : PyList_Append(cases, one) == 0;
        Py_XDECREF(one);
        if (!good) {
            Py_CLEAR(cases);
        }
    }
    return cases;
}

static apy_signature case_words = {"read_cases", 1, 1, {"path", "data"}, {NULL}};

static PyObject *read_cases(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *bytes = NULL;
    apart_case_file *file = NULL;
    apart_io_error error = {.message = ""};
    apart_status status = APART_ERR_NULL;
    if (!apy_bind(&case_words, args, count, names, v)) {
        return NULL;
    }
    const char *path = apy_path(v[0], &bytes);
    if (path == NULL) {
        return NULL;
    }
    Py_buffer view;
    if (v[1] == NULL) {
        status = apart_case_open(path, &file, &error);
    } else if (PyObject_GetBuffer(v[1], &view, PyBUF_SIMPLE) == 0) {
        status = apart_case_open_memory(view.buf, (size_t)view.len, path, &file, &error);
        PyBuffer_Release(&view);
    }
    Py_DECREF(bytes);
    if (status != APART_OK) {
        return PyErr_Occurred() != NULL ? NULL : apy_raise_io(status, &error);
    }
    PyObject *cases = all_cases(file);
    apart_case_close(file);
    return cases;
}

static PyMethodDef functions[] =
    {{"read_mesh", APY_CALL(read_mesh), APY_FAST,
      "read_mesh(path, *, format='auto', z_up=False, data=None)\n--\n\nWhat a mesh file holds, as a dict of arrays: "
      "vertices, "
      "faces (triangles), face_sizes and face_indices (as in the file), object_names, face_objects, format, unit, "
      "up_axis, "
      "deviation (0: convex). With data=, bytes are read and path is their name; format= then says what they are."},
     {"load", APY_CALL(load), APY_FAST,
      "load(path, as_='auto', *, hulls=0, excess=0, threads=1, z_up=False, scale=1)\n--\n\nA body from a mesh file: a "
      "Hull "
      "if it is convex, else a Mesh taken as a solid if it is watertight, else as a surface. as_: 'hull', 'solid', "
      "'surface' or 'cover' (a Compound of hulls that contain it)."},
     {"read_cases", APY_CALL(read_cases), APY_FAST,
      "read_cases(path, *, data=None)\n--\n\nThe cases of a case file: dicts of name, dim, a, b, distance, relation, "
      "line. "
      "A body is an array of points, or (shape, pose)."},
     {NULL, NULL, 0, NULL}};

bool apy_add_readers(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }
