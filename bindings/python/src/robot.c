/* Robot: links, joints and geometry; from files, or built by calls. */
#include "robot.h"

#include <stddef.h>
#include <string.h>

PyTypeObject *apy_robot_type;

static robot_object *self_of(PyObject *self) { return (robot_object *)self; }
static apart_robot *of(PyObject *self) { return self_of(self)->robot; }

static bool is_finished(PyObject *self)
{
    if (!self_of(self)->finished) {
        PyErr_SetString(PyExc_RuntimeError, "this robot has not been finished: robot.finish()");
    }
    return self_of(self)->finished;
}

/* May links or pairs be added? Cells borrow what is there. */
static bool may_change(PyObject *self)
{
    if (self_of(self)->cells > 0) {
        PyErr_SetString(PyExc_RuntimeError, "this robot has cells, which borrow it: change it before the first Cell");
    }
    return self_of(self)->cells == 0;
}

static PyObject *done(apart_status status, const apart_io_error *error)
{
    return status == APART_OK ? Py_NewRef(Py_None)
           : error == NULL    ? apy_raise(status, "robot")
                              : apy_raise_io(status, error);
}

/* ---- making ---- */

static apy_signature new_words = {"Robot", 0, 1, {"path", "srdf", "packages", "data", "name"}, {NULL}};

static apart_status read_robot(PyObject *const *v, const char *path, const char *packages, apart_robot **robot,
                               apart_io_error *error)
{
    const apart_robot_read_options options = {.packages = packages};
    Py_buffer view;
    if (v[3] != NULL) {
        if (PyObject_GetBuffer(v[3], &view, PyBUF_SIMPLE) < 0) {
            return APART_ERR_NULL;
        }
        const apart_status status = apart_robot_read_memory(view.buf, (size_t)view.len, path, &options, robot, error);
        PyBuffer_Release(&view);
        return status;
    }
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_robot_read(path, &options, robot, error);
    apy_take_gil(gil);
    return status;
}

static bool load(robot_object *self, PyObject *const *v)
{
    PyObject *path = NULL, *srdf = NULL, *packages = NULL;
    apart_io_error error = {.message = ""};
    const char *file = apy_path(v[0], &path), *folders = v[2] == NULL ? NULL : apy_path(v[2], &packages);
    apart_status status = APART_OK;
    if (file != NULL && (v[2] == NULL || folders != NULL)) {
        status = read_robot(v, file, folders, &self->robot, &error);
    }
    if (status == APART_OK && PyErr_Occurred() == NULL && v[1] != NULL) {
        const char *name = apy_path(v[1], &srdf);
        status = name == NULL ? APART_OK : apart_robot_read_srdf(name, NULL, self->robot, &error);
    }
    Py_XDECREF(path);
    Py_XDECREF(srdf);
    Py_XDECREF(packages);
    if (status != APART_OK && PyErr_Occurred() == NULL) {
        apy_raise_io(status, &error);
    }
    self->finished = true;
    return PyErr_Occurred() == NULL;
}

static PyObject *robot_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *v[APY_MOST_WORDS], *bytes = NULL;
    if (!apy_bind_tuple(&new_words, args, named, v)) {
        return NULL;
    }
    robot_object *self = (robot_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->kept = PyList_New(0);
    bool good = self->kept != NULL;
    if (good && v[0] != NULL) {
        good = load(self, v);
    } else if (good) {
        self->robot = apart_robot_new("robot");
        good = self->robot != NULL || PyErr_NoMemory() != NULL;
        const char *name = !good || v[4] == NULL ? NULL : apy_path(v[4], &bytes);
        good = good && (v[4] == NULL || (name != NULL && apart_robot_set_name(self->robot, name) == APART_OK));
        Py_XDECREF(bytes);
    }
    if (!good) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void robot_free(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    apart_robot_free(of(self));
    Py_CLEAR(self_of(self)->kept);
    apy_free(self);
}

static int robot_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(self_of(self)->kept);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* ---- building ---- */

static apy_signature link_words = {"add_link", 1, 1, {"name"}, {NULL}};

static PyObject *add_link(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *bytes;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&link_words, args, count, names, v) || !may_change(self)) {
        return NULL;
    }
    const char *name = apy_path(v[0], &bytes);
    if (name == NULL) {
        return NULL;
    }
    const apart_status status = apart_robot_add_link(of(self), name, 0, &error);
    Py_DECREF(bytes);
    return done(status, &error);
}

static apy_signature part_words = {"add_part", 2, 3, {"link", "shape", "pose"}, {NULL}};

static PyObject *add_part(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t link = 0;
    apart_part part;
    if (!apy_bind(&part_words, args, count, names, v) || !may_change(self) ||
        !apy_count(v[0], "link", UINT32_MAX, &link) || !apy_pose_get(v[2], "pose", &part.pose)) {
        return NULL;
    }
    apy_body body;
    if (!apy_body_get(v[1], "shape", &body)) {
        return NULL;
    }
    PyObject *answer = NULL;
    if (body.solid.compound != NULL) {
        PyErr_SetString(PyExc_TypeError, "shape: expected a Shape or a Mesh; add the parts of a Compound one by one");
    } else if (PyList_Append(self_of(self)->kept, body.object) == 0 && body.solid.mesh != NULL) {
        const apart_robot_mesh mesh = {.mesh = body.solid.mesh, .pose = part.pose, .surface = body.solid.surface};
        answer = done(apart_robot_add_mesh_part(of(self), (size_t)link, &mesh, NULL), NULL);
    } else if (PyErr_Occurred() == NULL) {
        part.shape = *body.solid.shape;
        answer = done(apart_robot_add_part(of(self), (size_t)link, &part, NULL), NULL);
    }
    apy_body_release(&body);
    return answer;
}

static const char *kind_name(int kind) { return apart_joint_kind_name(kind); }

static apy_signature joint_words = {"add_joint",
                                    3,
                                    3,
                                    {"name", "parent", "child", "kind", "origin", "axis", "lower", "upper", "mimics",
                                     "factor", "offset"},
                                    {NULL}};

static bool joint_numbers(PyObject *const *v, apart_robot_joint *joint)
{
    uint8_t kind = APART_JOINT_ROTARY;
    *joint = (apart_robot_joint){.axis = {0, 0, 1}, .lower = -Py_HUGE_VAL, .upper = Py_HUGE_VAL, .factor = 1.0};
    if (!apy_choice(v[3], "kind", kind_name, 4, &kind) || !apy_pose_get(v[4], "origin", &joint->origin) ||
        !apy_vec3(v[5], "axis", &joint->axis) || !apy_double(v[6], "lower", &joint->lower) ||
        !apy_double(v[7], "upper", &joint->upper) || !apy_double(v[9], "factor", &joint->factor) ||
        !apy_double(v[10], "offset", &joint->offset)) {
        return false;
    }
    joint->kind = kind;
    return true;
}

static PyObject *add_joint(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *bytes[4] = {NULL};
    const char *text[4] = {NULL};
    static const int places[4] = {0, 1, 2, 8};
    apart_robot_joint joint;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&joint_words, args, count, names, v) || !may_change(self) || !joint_numbers(v, &joint)) {
        return NULL;
    }
    for (int i = 0; i < 4 && PyErr_Occurred() == NULL; i++) {
        text[i] = v[places[i]] == NULL ? NULL : apy_path(v[places[i]], &bytes[i]);
    }
    PyObject *answer = NULL;
    if (PyErr_Occurred() == NULL) {
        answer = done(apart_robot_add_joint(of(self), text[0], text[1], text[2], text[3], &joint, &error), &error);
    }
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(bytes[i]);
    }
    return answer;
}

static PyObject *finish(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_io_error error = {.message = ""};
    if (!may_change(self) || self_of(self)->finished) {
        return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
    }
    const apart_status status = apart_robot_finish(of(self), &error);
    self_of(self)->finished = status == APART_OK;
    return done(status, &error);
}

typedef apart_status pair_call(apart_robot *robot, const char *first, const char *second);

static apy_signature pair_words = {"disable_pair", 1, 2, {"first", "second"}, {NULL}};

/* With one name: disable_link. */
static PyObject *change_pair(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names, pair_call *call)
{
    PyObject *v[APY_MOST_WORDS], *first, *second = NULL;
    if (!apy_bind(&pair_words, args, count, names, v) || !may_change(self)) {
        return NULL;
    }
    const char *a = apy_path(v[0], &first);
    const char *b = a == NULL || v[1] == NULL ? NULL : apy_path(v[1], &second);
    PyObject *answer = NULL;
    if (PyErr_Occurred() == NULL) {
        answer = done(b == NULL ? apart_robot_disable_link(of(self), a) : call(of(self), a, b), NULL);
    }
    Py_XDECREF(first);
    Py_XDECREF(second);
    return answer;
}

static PyObject *disable_pair(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return change_pair(self, args, count, names, apart_robot_disable_pair);
}

static PyObject *enable_pair(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return change_pair(self, args, count, names, apart_robot_enable_pair);
}

static apy_signature state_words = {"add_state", 4, 4, {"group", "state", "joint", "position"}, {NULL}};

static PyObject *add_state(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *bytes[3] = {NULL};
    const char *text[3] = {NULL};
    apart_robot_state_value value = {.position = 0.0};
    if (!apy_bind(&state_words, args, count, names, v) || !may_change(self) ||
        !apy_double(v[3], "position", &value.position)) {
        return NULL;
    }
    for (int i = 0; i < 3 && PyErr_Occurred() == NULL; i++) {
        text[i] = apy_path(v[i], &bytes[i]);
    }
    value.group = text[0];
    value.state = text[1];
    value.joint = text[2];
    PyObject *answer = PyErr_Occurred() == NULL ? done(apart_robot_add_state(of(self), &value), NULL) : NULL;
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(bytes[i]);
    }
    return answer;
}

static PyObject *add_note(PyObject *self, PyObject *text)
{
    PyObject *bytes;
    const char *words = apy_path(text, &bytes);
    if (words == NULL) {
        return NULL;
    }
    const apart_robot_note note = {.kind = APART_ROBOT_NOTE_WARNING, .text = words, .link = ""};
    const apart_status status = apart_robot_add_note(of(self), &note);
    Py_DECREF(bytes);
    return done(status, NULL);
}

static apy_signature mesh_words = {"add_mesh", 2, 3, {"link", "path", "pose", "scale", "as_"}, {NULL}};

static PyObject *add_mesh(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *bytes;
    size_t link;
    apart_pose pose;
    apart_vec3 scale = {1, 1, 1};
    uint8_t as = 0;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&mesh_words, args, count, names, v) || !may_change(self) || !is_finished(self) ||
        !apy_link_get(of(self), v[0], &link) || !apy_pose_get(v[2], "pose", &pose) ||
        !apy_vec3(v[3], "scale", &scale) || !apy_choice(v[4], "as_", apart_mesh_as_name, APART_AS_COUNT, &as)) {
        return NULL;
    }
    const char *path = apy_path(v[1], &bytes);
    if (path == NULL) {
        return NULL;
    }
    const apart_status status = v[4] == NULL
                                    ? apart_robot_add_mesh(of(self), link, path, scale, &pose, 0, &error)
                                    : apart_robot_add_mesh_as(of(self), link, path, as, scale, &pose, 0, &error);
    Py_DECREF(bytes);
    return done(status, &error);
}

static PyObject *begin_group(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return may_change(self) ? done(apart_robot_begin_group(of(self)), NULL) : NULL;
}

static apy_signature robot_words = {"add_robot", 3, 4, {"added", "prefix", "parent", "origin"}, {NULL}};

/* The added robot's links move into this one; its object is left with an empty robot. */
static PyObject *add_robot(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *prefix = NULL, *parent = NULL;
    apart_pose origin;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&robot_words, args, count, names, v) || !may_change(self) || !apy_pose_get(v[3], "origin", &origin)) {
        return NULL;
    }
    if (!Py_IS_TYPE(v[0], apy_robot_type) || v[0] == self) {
        PyErr_SetString(PyExc_TypeError, "added: expected another Robot");
        return NULL;
    }
    if (!is_finished(v[0]) || !may_change(v[0])) {
        return NULL;
    }
    const char *front = apy_path(v[1], &prefix), *link = front == NULL ? NULL : apy_path(v[2], &parent);
    apart_robot *empty = link == NULL ? NULL : apart_robot_new("robot");
    PyObject *answer = NULL;
    if (empty != NULL && PyList_Append(self_of(self)->kept, self_of(v[0])->kept) == 0) {
        apart_robot *added = of(v[0]);
        self_of(v[0])->robot = empty;
        self_of(v[0])->finished = false;
        answer = done(apart_robot_add_robot(of(self), added, front, link, &origin, &error), &error);
    } else if (PyErr_Occurred() == NULL) {
        PyErr_NoMemory();
    }
    Py_XDECREF(prefix);
    Py_XDECREF(parent);
    return answer;
}

/* ---- what it is ---- */

static PyObject *text_of(const char *text) { return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"); }

static PyObject *get_name(PyObject *self, void *closure)
{
    (void)closure;
    return text_of(apart_robot_name(of(self)));
}

static PyObject *get_file(PyObject *self, void *closure)
{
    (void)closure;
    return text_of(apart_robot_file(of(self)));
}

/* A list with an element for each number below `count`. */
static PyObject *list_of(PyObject *self, size_t count, PyObject *(*element)(const apart_robot *, size_t))
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = element(of(self), i);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)i, item) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *link_name(const apart_robot *robot, size_t i) { return text_of(apart_robot_link_at(robot, i)->name); }

static PyObject *get_links(PyObject *self, void *closure)
{
    (void)closure;
    return is_finished(self) ? list_of(self, apart_robot_link_count(of(self)), link_name) : NULL;
}

static PyObject *joint_dict(const apart_robot *robot, size_t i)
{
    const apart_robot_joint *j = apart_robot_joint_at(robot, i);
    PyObject *variable = j->variable == APART_ROBOT_NONE ? Py_NewRef(Py_None) : PyLong_FromSize_t(j->variable);
    return Py_BuildValue("{s:N,s:s,s:N,s:N,s:N,s:N,s:d,s:d,s:N,s:d,s:d}", "name", text_of(j->name), "kind",
                         apart_joint_kind_name(j->kind), "parent", link_name(robot, j->parent), "child",
                         link_name(robot, i + 1), "origin", apy_pose_new(&j->origin), "axis", apy_numpy_vec3(j->axis),
                         "lower", j->lower, "upper", j->upper, "variable", variable, "factor", j->factor, "offset",
                         j->offset);
}

static PyObject *get_joints(PyObject *self, void *closure)
{
    (void)closure;
    return is_finished(self) ? list_of(self, apart_robot_joint_count(of(self)), joint_dict) : NULL;
}

static PyObject *variable_name(const apart_robot *robot, size_t i)
{
    return text_of(apart_robot_variable(robot, i)->name);
}

static PyObject *get_variables(PyObject *self, void *closure)
{
    (void)closure;
    return is_finished(self) ? list_of(self, apart_robot_variable_count(of(self)), variable_name) : NULL;
}

static PyObject *get_limits(PyObject *self, void *closure)
{
    (void)closure;
    if (!is_finished(self)) {
        return NULL;
    }
    const Py_ssize_t shape[2] = {(Py_ssize_t)apart_robot_variable_count(of(self)), 2};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; array != NULL && i < shape[0]; i++) {
        const apart_robot_joint *j = apart_robot_variable(of(self), (size_t)i);
        ((double *)data)[2 * i] = j->lower;
        ((double *)data)[2 * i + 1] = j->upper;
    }
    return array;
}

static PyObject *note_text(const apart_robot *robot, size_t i) { return text_of(apart_robot_note_at(robot, i)->text); }

static PyObject *get_notes(PyObject *self, void *closure)
{
    (void)closure;
    return list_of(self, apart_robot_note_count(of(self)), note_text);
}

static PyObject *state_tuple(const apart_robot *robot, size_t i)
{
    const apart_robot_state_value *s = apart_robot_state_at(robot, i);
    return Py_BuildValue("(NNNd)", text_of(s->group), text_of(s->state), text_of(s->joint), s->position);
}

static PyObject *get_states(PyObject *self, void *closure)
{
    (void)closure;
    return list_of(self, apart_robot_state_count(of(self)), state_tuple);
}

static PyObject *get_reach(PyObject *self, void *closure)
{
    (void)closure;
    return is_finished(self) ? PyFloat_FromDouble(apart_robot_reach(of(self))) : NULL;
}

static PyObject *parts(PyObject *self, PyObject *link)
{
    size_t number;
    if (!is_finished(self) || !apy_link_get(of(self), link, &number)) {
        return NULL;
    }
    const apart_robot_link *l = apart_robot_link_at(of(self), number);
    PyObject *list = PyList_New((Py_ssize_t)l->part_count);
    for (size_t i = 0; list != NULL && i < l->part_count; i++) {
        PyObject *shape = apy_shape_new(&l->parts[i].shape, self);
        PyObject *part = shape == NULL ? NULL : Py_BuildValue("(NN)", shape, apy_pose_new(&l->parts[i].pose));
        if (part == NULL || PyList_SetItem(list, (Py_ssize_t)i, part) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

bool apy_link_get(const apart_robot *robot, PyObject *value, size_t *out)
{
    uint64_t number = 0;
    if (!PyUnicode_Check(value)) {
        if (!apy_count(value, "link", UINT32_MAX, &number)) {
            return false;
        }
        *out = (size_t)number;
    } else {
        PyObject *bytes;
        const char *name = apy_path(value, &bytes);
        *out = name == NULL ? APART_ROBOT_NONE : apart_robot_find_link(robot, name);
        Py_XDECREF(bytes);
    }
    if (*out >= apart_robot_link_count(robot)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_Format(PyExc_ValueError, "link: the robot has no link %R", value);
        }
        return false;
    }
    return true;
}

/* ---- positions ---- */

static bool positions_by_name(const apart_robot *robot, PyObject *dict, const char *what, double *out)
{
    PyObject *key, *value;
    apart_robot_rest(robot, out);
    for (Py_ssize_t place = 0; PyDict_Next(dict, &place, &key, &value);) {
        PyObject *bytes;
        const char *name = apy_path(key, &bytes);
        const size_t variable = name == NULL ? APART_ROBOT_NONE : apart_robot_find_variable(robot, name);
        Py_XDECREF(bytes);
        if (variable == APART_ROBOT_NONE) {
            if (PyErr_Occurred() == NULL) {
                PyErr_Format(PyExc_ValueError, "%s: the robot has no joint %R that moves", what, key);
            }
            return false;
        }
        if (!apy_double(value, what, &out[variable])) {
            return false;
        }
    }
    return true;
}

bool apy_positions(const apart_robot *robot, PyObject *value, const char *what, double *out)
{
    const size_t count = apart_robot_variable_count(robot);
    if (count > APY_MOST_VARIABLES) {
        return apy_length_error(what, "a robot of at most 1024 variables");
    }
    if (value == NULL) {
        apart_robot_rest(robot, out);
        return true;
    }
    return PyDict_Check(value) ? positions_by_name(robot, value, what, out)
                               : apy_doubles(value, what, (Py_ssize_t)count, out);
}

static PyObject *row_of(const apart_robot *robot, const double *q)
{
    return apy_numpy_doubles(q, (Py_ssize_t)apart_robot_variable_count(robot), 0);
}

static PyObject *rest(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    double q[APY_MOST_VARIABLES];
    return is_finished(self) && apy_positions(of(self), NULL, "q", q) ? row_of(of(self), q) : NULL;
}

static apy_signature random_words = {"random", 0, 2, {"seed", "count"}, {NULL}};

static PyObject *random_positions(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t seed = 1, rows = 1;
    if (!apy_bind(&random_words, args, count, names, v) || !is_finished(self) ||
        !apy_count(v[0], "seed", UINT64_MAX, &seed) || !apy_count(v[1], "count", 1u << 30, &rows)) {
        return NULL;
    }
    const Py_ssize_t columns = (Py_ssize_t)apart_robot_variable_count(of(self));
    const Py_ssize_t shape[2] = {v[1] == NULL ? columns : (Py_ssize_t)rows, columns};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, v[1] == NULL ? 1 : 2, &data);
    Py_XDECREF(type);
    for (uint64_t i = 0; array != NULL && i < rows; i++) {
        apart_robot_random(of(self), &seed, (double *)data + (Py_ssize_t)i * columns);
    }
    return array;
}

static PyObject *forward(PyObject *self, PyObject *positions)
{
    double q[APY_MOST_VARIABLES];
    if (!is_finished(self) || !apy_positions(of(self), positions == Py_None ? NULL : positions, "q", q)) {
        return NULL;
    }
    const size_t links = apart_robot_link_count(of(self));
    apart_pose *poses = PyMem_Malloc((links + 1) * sizeof *poses);
    if (poses == NULL) {
        return PyErr_NoMemory();
    }
    apart_robot_forward(of(self), q, poses);
    PyObject *made = apy_pose_array(poses, (Py_ssize_t)links);
    PyMem_Free(poses);
    return made;
}

static apy_signature jacobian_words = {"jacobian", 3, 3, {"q", "link", "point"}, {NULL}};

static PyObject *jacobian(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    double q[APY_MOST_VARIABLES];
    size_t link;
    apart_vec3 point;
    if (!apy_bind(&jacobian_words, args, count, names, v) || !is_finished(self) ||
        !apy_positions(of(self), v[0], "q", q) || !apy_link_get(of(self), v[1], &link) ||
        !apy_vec3(v[2], "point", &point)) {
        return NULL;
    }
    const size_t links = apart_robot_link_count(of(self)), variables = apart_robot_variable_count(of(self));
    apart_pose *poses = PyMem_Malloc((links + 1) * sizeof *poses);
    apart_vec3 *rows = PyMem_Calloc(2 * variables + 1, sizeof *rows);
    PyObject *both = NULL;
    if (poses != NULL && rows != NULL) {
        apart_robot_forward(of(self), q, poses);
        apart_robot_jacobian(of(self), poses, link, point, rows, rows + variables);
        both = Py_BuildValue("(NN)", apy_numpy_doubles(&rows->x, (Py_ssize_t)variables, 3),
                             apy_numpy_doubles(&rows[variables].x, (Py_ssize_t)variables, 3));
    } else {
        PyErr_NoMemory();
    }
    PyMem_Free(poses);
    PyMem_Free(rows);
    return both;
}

static apy_signature position_words = {"joint_position", 2, 2, {"joint", "q"}, {NULL}};

static PyObject *joint_position(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t joint = 0;
    double q[APY_MOST_VARIABLES];
    if (!apy_bind(&position_words, args, count, names, v) || !is_finished(self) ||
        !apy_count(v[0], "joint", UINT32_MAX, &joint) || !apy_positions(of(self), v[1], "q", q)) {
        return NULL;
    }
    if (joint >= apart_robot_joint_count(of(self))) {
        PyErr_SetString(PyExc_IndexError, "the robot has not so many joints");
        return NULL;
    }
    return PyFloat_FromDouble(apart_robot_joint_position(apart_robot_joint_at(of(self), (size_t)joint), q));
}

static PyObject *robot_repr(PyObject *self)
{
    return self_of(self)->finished
               ? PyUnicode_FromFormat("<apart robot '%s' of %zu links, %zu variables>", apart_robot_name(of(self)),
                                      apart_robot_link_count(of(self)), apart_robot_variable_count(of(self)))
               : PyUnicode_FromString("<apart robot, not finished>");
}

static PyMethodDef robot_methods[] =
    {{"add_link", APY_CALL(add_link), APY_FAST, "add_link($self, name)\n--\n\nAdds a link."},
     {"add_part", APY_CALL(add_part), APY_FAST,
      "add_part($self, link, shape, pose=None)\n--\n\nAdds a convex shape to a link, by its number in the order of "
      "adding."},
     {"add_joint", APY_CALL(add_joint), APY_FAST,
      "add_joint($self, name, parent, child, *, kind='rotary', origin=None, axis=(0, 0, 1), lower=-inf, upper=inf, "
      "mimics=None, "
      "factor=1, offset=0)\n--\n\nAdds a joint between two links: fixed, rotary, continuous or sliding."},
     {"begin_group", begin_group, METH_NOARGS,
      "begin_group($self)\n--\n\nLinks that are added from here on are never adjacent to those before: bodies that "
      "move by "
      "themselves."},
     {"add_robot", APY_CALL(add_robot), APY_FAST,
      "add_robot($self, added, prefix, parent, origin=None)\n--\n\nAdds all links of a finished robot, fixed to the "
      "link "
      "`parent`: "
      "a tool, a second arm. The added Robot is empty afterwards."},
     {"finish", finish, METH_NOARGS, "finish($self)\n--\n\nSorts links and joints into a tree."},
     {"disable_pair", APY_CALL(disable_pair), APY_FAST,
      "disable_pair($self, first, second=None)\n--\n\nLeaves a pair of links out of all cells made later; with one "
      "name, all "
      "pairs of a link."},
     {"enable_pair", APY_CALL(enable_pair), APY_FAST,
      "enable_pair($self, first, second)\n--\n\nTakes a pair back in that disable_pair(link) left out."},
     {"add_state", APY_CALL(add_state), APY_FAST,
      "add_state($self, group, state, joint, position)\n--\n\nAdds a joint to a named state."},
     {"add_note", add_note, METH_O, "add_note($self, text, /)\n--\n\nAdds a note."},
     {"add_mesh", APY_CALL(add_mesh), APY_FAST,
      "add_mesh($self, link, path, pose=None, *, scale=(1, 1, 1), as_=None)\n--\n\nAdds a mesh file to a link."},
     {"parts", parts, METH_O,
      "parts($self, link, /)\n--\n\nThe convex parts of a link: (shape, pose) in the link's "
      "frame."},
     {"rest", rest, METH_NOARGS,
      "rest($self)\n--\n\nPositions without a better choice: 0, or the limit nearest to "
      "it."},
     {"random", APY_CALL(random_positions), APY_FAST,
      "random($self, seed=1, count=None)\n--\n\nRandom positions within the limits: a row, or `count` rows."},
     {"forward", forward, METH_O,
      "forward($self, q, /)\n--\n\nThe poses of all links in the root link's frame: "
      "Poses."},
     {"jacobian", APY_CALL(jacobian), APY_FAST,
      "jacobian($self, q, link, point)\n--\n\nThe geometric Jacobian of a point that a link carries: (linear, "
      "angular), a "
      "row for each variable."},
     {"joint_position", APY_CALL(joint_position), APY_FAST,
      "joint_position($self, joint, q)\n--\n\nThe position of a joint, by its number."},
     {NULL, NULL, 0, NULL}};
static PyMethodDef all_methods[40]; /* those of plan.c, too */
static PyGetSetDef robot_getset[] =
    {{"name", get_name, NULL, "The robot's name.", NULL},
     {"file", get_file, NULL, "The file it was read from.", NULL},
     {"links", get_links, NULL, "Names of the links; the first is the root.", NULL},
     {"joints", get_joints, NULL, "The joints as dicts; joint i leads to link i + 1.", NULL},
     {"variables", get_variables, NULL, "Names of the joints that joint positions are of.", NULL},
     {"limits", get_limits, NULL, "Lower and upper limit of each variable.", NULL},
     {"notes", get_notes, NULL, "What the reader found unusual.", NULL},
     {"states", get_states, NULL, "Named states: (group, state, joint, position).", NULL},
     {"reach", get_reach, NULL, "The length of the longest chain of joints.", NULL},
     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot robot_slots[] =
    {{Py_tp_doc,
      "Robot(path=None, *, srdf=None, packages=None, data=None, name=None)\n--\n\nA robot from a URDF or MJCF file "
      "(or from "
      "the bytes data, which path names); without a path an empty one, to build by calls."},
     {Py_tp_new, (void *)robot_new},
     {Py_tp_methods, all_methods},
     {Py_tp_getset, robot_getset},
     {Py_tp_repr, (void *)robot_repr},
     {Py_tp_traverse, (void *)robot_traverse},
     {Py_tp_dealloc, (void *)robot_free},
     {0, NULL}};
static PyType_Spec robot_spec = {.name = "apart.Robot",
                                 .basicsize = sizeof(robot_object),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .slots = robot_slots};

bool apy_add_robots(PyObject *module)
{
    int count = 0;
    for (const PyMethodDef *m = robot_methods; m->ml_name != NULL; m++) {
        all_methods[count++] = *m;
    }
    for (const PyMethodDef *m = apy_robot_plans; m->ml_name != NULL; m++) {
        all_methods[count++] = *m;
    }
    return apy_add_type(module, &robot_spec, NULL, &apy_robot_type);
}
