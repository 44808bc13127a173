/* Cell: a robot among obstacles; distances at single positions. */
#include "robot.h"

#include <stddef.h>
#include <string.h>

PyTypeObject *apy_cell_type;

static cell_object *self_of(PyObject *self) { return (cell_object *)self; }
static const apart_robot *robot_of(PyObject *self) { return apart_robot_cell_robot(self_of(self)->cell); }

void apy_cell_enter(cell_object *self)
{
    if (!PyThread_acquire_lock(self->lock, 0)) {
        PyThreadState *gil = PyEval_SaveThread();
        PyThread_acquire_lock(self->lock, 1);
        PyEval_RestoreThread(gil);
    }
}

void apy_cell_leave(cell_object *self) { PyThread_release_lock(self->lock); }

/* ---- making: obstacles from a dict of names ---- */

typedef struct scene {
    apart_robot_obstacle *obstacles;
    Py_ssize_t count;
    PyObject *names; /* bytes, as long as the obstacles are read */
    apart_part **parts;
} scene;

static void scene_free(scene *s)
{
    for (Py_ssize_t i = 0; i < s->count; i++) {
        PyMem_Free(s->parts[i]);
    }
    PyMem_Free(s->parts);
    PyMem_Free(s->obstacles);
    Py_XDECREF(s->names);
}

/* Shapes and compounds are parts, meshes are meshes. */
static bool fill_obstacle(const apart_solid *solid, scene *s, apart_robot_obstacle *o)
{
    const size_t count = solid->shape != NULL ? 1 : solid->compound != NULL ? apart_compound_count(solid->compound) : 0;
    const size_t size = count * sizeof(apart_part) + sizeof(apart_robot_mesh);
    apart_part *parts = PyMem_Malloc(size);
    if (parts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        parts[i] = solid->shape != NULL ? (apart_part){*solid->shape, apart_pose_identity()}
                                        : *apart_compound_part(solid->compound, i);
    }
    if (solid->mesh != NULL) {
        apart_robot_mesh *mesh = (apart_robot_mesh *)(void *)parts;
        *mesh = (apart_robot_mesh){.mesh = solid->mesh, .pose = apart_pose_identity(), .surface = solid->surface};
        o->meshes = mesh;
        o->mesh_count = 1;
    } else {
        o->parts = parts;
        o->count = count;
    }
    s->parts[s->count++] = parts;
    return true;
}

/* An obstacle's body, or (body, pose). */
static bool read_obstacle(PyObject *name, PyObject *value, PyObject *kept, scene *s)
{
    PyObject *body = value, *pose = NULL, *bytes;
    apart_robot_obstacle *o = &s->obstacles[s->count];
    if (PyTuple_Check(value) && PyTuple_Size(value) == 2) {
        body = PyTuple_GetItem(value, 0);
        pose = PyTuple_GetItem(value, 1);
    }
    const char *text = apy_path(name, &bytes);
    if (text == NULL) {
        return false;
    }
    o->name = text;
    const int listed = PyList_Append(s->names, bytes);
    Py_DECREF(bytes);
    apy_body solid;
    if (listed < 0 || !apy_pose_get(pose == Py_None ? NULL : pose, text, &o->pose) ||
        !apy_body_get(body, text, &solid)) {
        return false;
    }
    const bool good = PyList_Append(kept, solid.object) == 0 && fill_obstacle(&solid.solid, s, o);
    apy_body_release(&solid); /* `kept` has it */
    return good;
}

static bool read_scene(PyObject *obstacles, PyObject *kept, scene *s)
{
    *s = (scene){.names = PyList_New(0)};
    if (s->names == NULL || obstacles == NULL) {
        return s->names != NULL;
    }
    if (!PyDict_Check(obstacles)) {
        PyErr_SetString(PyExc_TypeError, "obstacles: expected a dict from names to bodies, or to (body, pose)");
        return false;
    }
    const size_t count = (size_t)PyDict_Size(obstacles);
    s->obstacles = PyMem_Calloc(count + 1, sizeof *s->obstacles);
    s->parts = PyMem_Calloc(count + 1, sizeof *s->parts);
    if (s->obstacles == NULL || s->parts == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyObject *items = PyDict_Items(obstacles);
    bool good = items != NULL;
    for (size_t i = 0; good && i < count; i++) {
        PyObject *item = PyList_GetItem(items, (Py_ssize_t)i);
        good = item != NULL && read_obstacle(PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1), kept, s);
    }
    Py_XDECREF(items);
    return good;
}

/* Margins: (first, second or None, margin). */
static apart_robot_margin *read_margins(PyObject *margins, Py_ssize_t *count, PyObject **texts)
{
    PyObject *rows = margins == NULL ? PyTuple_New(0) : PySequence_Tuple(margins);
    *texts = PyList_New(0);
    *count = rows == NULL ? 0 : PyTuple_Size(rows);
    apart_robot_margin *out = rows == NULL || *texts == NULL ? NULL : PyMem_Calloc((size_t)*count + 1, sizeof *out);
    for (Py_ssize_t i = 0; out != NULL && i < *count; i++) {
        PyObject *row = PyTuple_GetItem(rows, i);
        const bool three = PyTuple_Check(row) && PyTuple_Size(row) == 3;
        for (int k = 0; three && k < 2 && PyErr_Occurred() == NULL; k++) {
            PyObject *bytes = NULL, *name = PyTuple_GetItem(row, k);
            const char *text = name == Py_None ? NULL : apy_path(name, &bytes);
            if (bytes != NULL) {
                PyList_Append(*texts, bytes);
                Py_DECREF(bytes);
            }
            if (k == 0) {
                out[i].first = text;
            } else {
                out[i].second = text;
            }
        }
        if (!three) {
            PyErr_SetString(PyExc_TypeError, "margins: expected rows of (first, second or None, margin)");
        }
        if (PyErr_Occurred() != NULL || !apy_double(PyTuple_GetItem(row, 2), "margin", &out[i].margin)) {
            PyMem_Free(out);
            out = NULL;
        }
    }
    Py_XDECREF(rows);
    return out;
}

static apy_signature new_words = {"Cell", 1, 2, {"robot", "obstacles", "base", "margins"}, {NULL}};

static bool create(cell_object *self, PyObject *const *v)
{
    apart_pose base;
    scene s;
    PyObject *texts = NULL;
    Py_ssize_t margin_count = 0;
    robot_object *robot = (robot_object *)self->robot;
    if (!apy_pose_get(v[2], "base", &base)) {
        return false;
    }
    apart_robot_margin *margins = read_margins(v[3], &margin_count, &texts);
    bool good = read_scene(v[1], self->kept, &s) && margins != NULL;
    if (good) {
        const apart_robot_cell_options options = {.obstacles = s.obstacles,
                                                  .obstacle_count = (size_t)s.count,
                                                  .base = &base,
                                                  .margins = margins,
                                                  .margin_count = (size_t)margin_count};
        apart_status status = apart_robot_cell_create(robot->robot, &options, &self->cell);
        if (status == APART_OK) {
            robot->cells++;
            status = apart_robot_work_create(self->cell, &self->work);
        }
        good = status == APART_OK || apy_raise(status, "Cell") != NULL;
    }
    scene_free(&s);
    PyMem_Free(margins);
    Py_XDECREF(texts);
    return good;
}

static PyObject *cell_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *v[APY_MOST_WORDS];
    if (!apy_bind_tuple(&new_words, args, named, v)) {
        return NULL;
    }
    if (!Py_IS_TYPE(v[0], apy_robot_type) || !((robot_object *)v[0])->finished) {
        PyErr_SetString(PyExc_TypeError, "Cell: expected a finished Robot");
        return NULL;
    }
    cell_object *self = (cell_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->robot = Py_NewRef(v[0]);
    self->kept = PyList_New(0);
    self->lock = PyThread_allocate_lock();
    if (self->kept == NULL || self->lock == NULL || !create(self, v)) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void cell_free(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    cell_object *self = self_of(object);
    apart_robot_work_free(self->work);
    if (self->cell != NULL) {
        ((robot_object *)self->robot)->cells--;
    }
    apart_robot_cell_free(self->cell);
    if (self->lock != NULL) {
        PyThread_free_lock(self->lock);
    }
    Py_CLEAR(self->robot);
    Py_CLEAR(self->kept);
    apy_free(object);
}

static int cell_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self_of(self)->robot);
    Py_VISIT(self_of(self)->kept);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* ---- what it is ---- */

static PyObject *body_name(const apart_robot_cell *cell, size_t body)
{
    const char *name = apart_robot_body_at(cell, body)->name;
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

static PyObject *get_bodies(PyObject *self, void *closure)
{
    (void)closure;
    const apart_robot_cell *cell = self_of(self)->cell;
    const size_t count = apart_robot_body_count(cell);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *name = body_name(cell, i);
        if (name == NULL || PyList_SetItem(list, (Py_ssize_t)i, name) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *get_pairs(PyObject *self, void *closure)
{
    (void)closure;
    const apart_robot_cell *cell = self_of(self)->cell;
    const size_t count = apart_robot_pair_count(cell);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        const apart_robot_pair *p = apart_robot_pair_at(cell, i);
        PyObject *pair = Py_BuildValue("(NN)", body_name(cell, p->bodies[0]), body_name(cell, p->bodies[1]));
        if (pair == NULL || PyList_SetItem(list, (Py_ssize_t)i, pair) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *get_margins(PyObject *self, void *closure)
{
    (void)closure;
    const apart_robot_cell *cell = self_of(self)->cell;
    const Py_ssize_t count = (Py_ssize_t)apart_robot_pair_count(cell);
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, &count, 1, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; array != NULL && i < count; i++) {
        ((double *)data)[i] = apart_robot_pair_at(cell, (size_t)i)->margin;
    }
    return array;
}

static PyObject *get_robot(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(self_of(self)->robot);
}

static PyObject *cell_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<apart cell of '%s': %zu bodies, %zu pairs>", apart_robot_name(robot_of(self)),
                                apart_robot_body_count(self_of(self)->cell),
                                apart_robot_pair_count(self_of(self)->cell));
}

static PyMethodDef cell_methods[64]; /* those of robot_query.c and robot_motion.c */
static PyGetSetDef cell_getset[] = {{"robot", get_robot, NULL, "The robot.", NULL},
                                    {"bodies", get_bodies, NULL,
                                     "Names of the links with parts, then of the obstacles.", NULL},
                                    {"pairs", get_pairs, NULL, "The pairs of bodies that are looked at, by names.",
                                     NULL},
                                    {"margins", get_margins, NULL, "The margin of each pair.", NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot cell_slots[] =
    {{Py_tp_doc,
      "Cell(robot, obstacles=None, *, base=None, margins=None)\n--\n\nA robot among obstacles: a dict from names to "
      "bodies or (body, pose). margins: rows of (first, second or None, margin)."},
     {Py_tp_new, (void *)cell_new},
     {Py_tp_methods, cell_methods},
     {Py_tp_getset, cell_getset},
     {Py_tp_repr, (void *)cell_repr},
     {Py_tp_traverse, (void *)cell_traverse},
     {Py_tp_dealloc, (void *)cell_free},
     {0, NULL}};
static PyType_Spec cell_spec = {.name = "apart.Cell",
                                .basicsize = sizeof(cell_object),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                .slots = cell_slots};

bool apy_add_cells(PyObject *module)
{
    int count = 0;
    for (const PyMethodDef *m = apy_cell_queries; m->ml_name != NULL; m++) {
        cell_methods[count++] = *m;
    }
    for (const PyMethodDef *m = apy_cell_motions; m->ml_name != NULL; m++) {
        cell_methods[count++] = *m;
    }
    for (const PyMethodDef *m = apy_cell_plans; m->ml_name != NULL; m++) {
        cell_methods[count++] = *m;
    }
    return apy_add_cell_layouts(module) && apy_add_type(module, &cell_spec, NULL, &apy_cell_type);
}
