/* Plans of a robot, every piece proved; inverse kinematics; groups of an SRDF. */
#include "robot.h"

#include <apart/plan.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member, kind, doc)                                          \
    {                                                                     \
#member, kind, offsetof(apart_plan_edge, member), doc, NULL, NULL \
    }
static const apy_field edge_fields[] = {FIELD(lower, APY_F64, "No pair comes nearer than this, its margin taken off."),
                                        FIELD(upper, APY_F64, "The distance of `pair` at s is at most this."),
                                        FIELD(s, APY_F64, "Where, from 0 to 1."),
                                        FIELD(pair, APY_U64, "The nearest pair."),
                                        {NULL, APY_F64, 0, NULL, NULL, NULL}};
#undef FIELD
static apy_layout edge_layout = {.name = "apart.PlanEdge",
                                 .doc = "What is proved of the motion between two waypoints.",
                                 .size = sizeof(apart_plan_edge),
                                 .fields = edge_fields};

#define FIELD(member, kind, text, doc)                                     \
    {                                                                      \
#member, kind, offsetof(apart_plan_proof, member), doc, text, NULL \
    }
static const apy_field proof_fields[] = {FIELD(verdict, APY_NAME8, apart_verdict_name, "proved, refuted or undecided."),
                                         FIELD(reason, APY_TEXT, NULL, "What is false or missing."),
                                         FIELD(edge, APY_U64, NULL, "Which edge."),
                                         FIELD(pair, APY_U64, NULL, "Which pair of it."),
                                         FIELD(s, APY_F64, NULL, "Where, from 0 to 1."),
                                         FIELD(distance, APY_F64, NULL, "What the check itself knows of it there."),
                                         FIELD(intervals, APY_U64, NULL, "Pairs times intervals that were looked at."),
                                         {NULL, APY_F64, 0, NULL, NULL, NULL}};
#undef FIELD
static apy_layout proof_layout = {.name = "apart.PlanProof",
                                  .doc = "What an independent check of a path found.",
                                  .size = sizeof(apart_plan_proof),
                                  .fields = proof_fields};

/* ---- plans ---- */

typedef struct plan_object {
    PyObject_HEAD apart_plan plan;
    PyObject *cell;
    double limit;
} plan_object;

static PyTypeObject *plan_type;

static plan_object *of(PyObject *self) { return (plan_object *)self; }

/* Asked now and then by the planner, in the thread that called: an interrupt, or a function that says no, ends it. */
static int go_on(const apart_plan_progress *progress, void *user)
{
    PyObject *function = user;
    const PyGILState_STATE state = PyGILState_Ensure();
    int more = PyErr_CheckSignals() == 0;
    if (more && function != NULL) {
        PyObject *answer = PyObject_CallFunction(function, "KKn", (unsigned long long)progress->samples,
                                                 (unsigned long long)progress->edges, (Py_ssize_t)progress->nodes);
        more = answer != NULL && (answer == Py_None || PyObject_IsTrue(answer) == 1);
        Py_XDECREF(answer);
    }
    if (PyErr_Occurred() != NULL) {
        apy_keep_callback_error();
        more = 0;
    }
    PyGILState_Release(state);
    return more;
}

/* Numbers of variables, from numbers or names. */
static size_t *variables_get(const apart_robot *robot, PyObject *value, size_t *count)
{
    PyObject *items = PySequence_Tuple(value);
    size_t *numbers = items == NULL ? NULL : PyMem_Malloc(((size_t)PyTuple_Size(items) + 1) * sizeof *numbers);
    *count = items == NULL ? 0 : (size_t)PyTuple_Size(items);
    for (size_t i = 0; numbers != NULL && i < *count; i++) {
        PyObject *item = PyTuple_GetItem(items, (Py_ssize_t)i), *bytes = NULL;
        uint64_t number = 0;
        if (PyUnicode_Check(item)) {
            const char *name = apy_path(item, &bytes);
            numbers[i] = name == NULL ? APART_ROBOT_NONE : apart_robot_find_variable(robot, name);
            Py_XDECREF(bytes);
            if (numbers[i] == APART_ROBOT_NONE && PyErr_Occurred() == NULL) {
                PyErr_Format(PyExc_ValueError, "variables: the robot has no joint %R that moves", item);
            }
        } else if (apy_count(item, "variables", UINT32_MAX, &number)) {
            numbers[i] = (size_t)number;
        }
        if (PyErr_Occurred() != NULL) {
            PyMem_Free(numbers);
            numbers = NULL;
        }
    }
    Py_XDECREF(items);
    return numbers;
}

static apy_signature plan_words = {"plan",
                                   2,
                                   2,
                                   {"start", "goals", "limit", "variables", "seed", "threads", "step", "tolerance",
                                    "most_samples", "shortcuts", "keep_path", "progress"},
                                   {NULL}};

static bool options_from(PyObject *const *v, apart_plan_options *out)
{
    uint32_t threads = 1;
    uint8_t keep_path = 0;
    if (!apy_count(v[4], "seed", UINT64_MAX, &out->seed) || !apy_threads(v[5], &threads) ||
        !apy_double(v[6], "step", &out->step) || !apy_double(v[7], "tolerance", &out->tolerance) ||
        !apy_count(v[8], "most_samples", UINT64_MAX, &out->most_samples) ||
        !apy_count(v[9], "shortcuts", UINT64_MAX, &out->shortcuts) || !apy_flag(v[10], "keep_path", &keep_path)) {
        return false;
    }
    out->threads = threads;
    out->keep_path = keep_path;
    out->go_on = go_on;
    out->user = v[11];
    return true;
}

static PyObject *run_plan(PyObject *cell, const apart_plan_task *task, const apart_plan_options *options)
{
    plan_object *self = (plan_object *)PyType_GenericAlloc(plan_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->cell = Py_NewRef(cell);
    self->limit = task->limit;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_plan_make(((cell_object *)cell)->cell, task, options, &self->plan);
    apy_take_gil(gil);
    if (apy_raise_kept_error()) {
        Py_DECREF(self);
        return NULL;
    }
    if (status != APART_OK) {
        memset(&self->plan, 0, sizeof self->plan);
        Py_DECREF(self);
        return apy_raise(status, "plan");
    }
    return (PyObject *)self;
}

static PyObject *make_plan(PyObject *cell, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *plan = NULL;
    const apart_robot *robot = apart_robot_cell_robot(((cell_object *)cell)->cell);
    const Py_ssize_t width = (Py_ssize_t)apart_robot_variable_count(robot);
    double start[APY_MOST_VARIABLES], one[APY_MOST_VARIABLES];
    apart_plan_task task = {.start = start, .goals = one, .goal_count = 1};
    apart_plan_options options = {.seed = 0};
    apy_packed goals = {.copy = NULL};
    bool held = false;
    if (!apy_bind(&plan_words, args, count, names, v) || !apy_positions(robot, v[0], "start", start) ||
        !apy_double(v[2], "limit", &task.limit) || !options_from(v, &options)) {
        return NULL;
    }
    size_t *variables = v[3] == NULL ? NULL : variables_get(robot, v[3], &task.variable_count);
    if (v[3] != NULL && variables == NULL) {
        return NULL;
    }
    task.variables = variables;
    apy_array shape;
    const bool many = !PyDict_Check(v[1]) && apy_reals(v[1], "goals", &shape);
    if (many) {
        held = shape.dimensions == 2 && apy_packed_get(v[1], "goals", width, &goals);
        const bool rows = shape.dimensions == 2;
        apy_array_release(&shape);
        if (held) {
            task.goals = goals.numbers;
            task.goal_count = (size_t)goals.rows;
        } else if (!rows) {
            (void)apy_positions(robot, v[1], "goals", one);
        }
    } else if (PyErr_Occurred() == NULL) {
        (void)apy_positions(robot, v[1], "goals", one);
    }
    if (PyErr_Occurred() == NULL) {
        plan = run_plan(cell, &task, &options);
    }
    if (held) {
        apy_packed_release(&goals);
    }
    PyMem_Free(variables);
    return plan;
}

static PyObject *plan_outcome(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(apart_plan_outcome_name(of(self)->plan.outcome));
}

static PyObject *plan_path(PyObject *self, void *closure)
{
    (void)closure;
    const apart_plan *p = &of(self)->plan;
    return apy_numpy_doubles(p->q, (Py_ssize_t)p->count, (Py_ssize_t)p->width);
}

static PyObject *plan_edges(PyObject *self, void *closure)
{
    (void)closure;
    const apart_plan *p = &of(self)->plan;
    const Py_ssize_t count = p->count == 0 ? 0 : (Py_ssize_t)p->count - 1;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(edge_layout.dtype, &count, 1, &data);
    if (array != NULL && count > 0) {
        memcpy(data, p->edges, (size_t)count * sizeof *p->edges);
    }
    return array;
}

static PyObject *plan_number(PyObject *self, void *which)
{
    return PyFloat_FromDouble(*(const double *)((const char *)&of(self)->plan + (size_t)(uintptr_t)which));
}

static PyObject *plan_index(PyObject *self, void *which)
{
    return PyLong_FromSize_t(*(const size_t *)((const char *)&of(self)->plan + (size_t)(uintptr_t)which));
}

static apy_signature verify_words = {"verify", 0, 1, {"most_intervals"}, {NULL}};

static PyObject *plan_verify(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t most = 0;
    apart_plan_proof proof;
    if (!apy_bind(&verify_words, args, count, names, v) || !apy_count(v[0], "most_intervals", UINT64_MAX, &most)) {
        return NULL;
    }
    const plan_object *p = of(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_plan_verify(((cell_object *)p->cell)->cell, p->plan.q, p->plan.count,
                                                  p->plan.edges, p->limit, most, &proof);
    apy_take_gil(gil);
    return status == APART_OK ? apy_record_new(&proof_layout, &proof, NULL) : apy_raise(status, "verify");
}

static PyObject *plan_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<apart plan: %s, %zu waypoints>", apart_plan_outcome_name(of(self)->plan.outcome),
                                of(self)->plan.count);
}

static void plan_free(PyObject *self)
{
    apart_plan_free(&of(self)->plan);
    Py_XDECREF(of(self)->cell);
    apy_free(self);
}

#define AT(member) ((void *)offsetof(apart_plan, member))
static PyGetSetDef plan_getset[] =
    {{"outcome", plan_outcome, NULL, "found, gave up, stopped, or what is wrong with start or goal.", NULL},
     {"q", plan_path, NULL, "The waypoints, a row each; between them all joints move evenly.", NULL},
     {"edges", plan_edges, NULL, "What is proved of each edge: a structured array.", NULL},
     {"goal", plan_index, NULL, "Which goal was reached, or refused.", AT(goal)},
     {"variable", plan_index, NULL, "The variable of an end outside the limits.", AT(variable)},
     {"pair", plan_index, NULL, "The pair of an end that is too near.", AT(pair)},
     {"distance", plan_number, NULL, "That pair's distance there, at most.", AT(distance)},
     {"length", plan_number, NULL, "Of the path.", AT(length)},
     {"found_length", plan_number, NULL, "The same before shortening.", AT(found_length)},
     {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef plan_methods[] =
    {{"verify", APY_CALL(plan_verify), APY_FAST,
      "verify($self, most_intervals=0)\n--\n\nChecks the path by independent code; takes seconds."},
     {NULL, NULL, 0, NULL}};
static PyType_Slot plan_slots[] = {{Py_tp_doc, "A path whose every piece is proved, or why there is none."},
                                   {Py_tp_getset, plan_getset},
                                   {Py_tp_methods, plan_methods},
                                   {Py_tp_repr, (void *)plan_repr},
                                   {Py_tp_dealloc, (void *)plan_free},
                                   {0, NULL}};
static PyType_Spec plan_spec = {.name = "apart.Plan",
                                .basicsize = sizeof(plan_object),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = plan_slots};

PyMethodDef apy_cell_plans[] =
    {{"plan", APY_CALL(make_plan), APY_FAST,
      "plan($self, start, goals, *, limit=0, variables=None, seed=0, threads=1, step=0, tolerance=0, most_samples=0, "
      "shortcuts=0, "
      "keep_path=False, progress=None)\n--\n\nA path from start to one of the goals (a row, rows, or a dict) on which "
      "every "
      "pair keeps the limit, proved between the waypoints, too. progress(samples, edges, nodes) ends it by returning "
      "False."},
     {NULL, NULL, 0, NULL}};

/* ---- inverse kinematics and groups: methods of Robot ---- */

static apy_signature inverse_words = {"inverse",
                                      2,
                                      3,
                                      {"link", "pose", "start", "point", "position_only", "variables", "seed", "tries",
                                       "room"},
                                      {NULL}};

static PyObject *inverse(PyObject *robot, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *rows = NULL;
    const apart_robot *r = ((robot_object *)robot)->robot;
    apart_plan_pose wanted = {.link = 0};
    apart_plan_inverse_options options = {.seed = 0};
    apart_plan_inverse_result found;
    double start[APY_MOST_VARIABLES];
    uint64_t room = 8;
    uint8_t position_only = 0;
    if (!((robot_object *)robot)->finished) {
        PyErr_SetString(PyExc_RuntimeError, "this robot has not been finished: robot.finish()");
        return NULL;
    }
    if (!apy_bind(&inverse_words, args, count, names, v) || !apy_link_get(r, v[0], &wanted.link) ||
        !apy_pose_get(v[1], "pose", &wanted.pose) || !apy_positions(r, v[2], "start", start) ||
        !apy_vec3(v[3], "point", &wanted.point) || !apy_flag(v[4], "position_only", &position_only) ||
        !apy_count(v[6], "seed", UINT64_MAX, &options.seed) || !apy_count(v[7], "tries", UINT64_MAX, &options.tries) ||
        !apy_count(v[8], "room", 1u << 20, &room)) {
        return NULL;
    }
    wanted.position_only = position_only;
    size_t *variables = v[5] == NULL ? NULL : variables_get(r, v[5], &options.variable_count);
    const size_t width = apart_robot_variable_count(r);
    double *solutions = malloc((size_t)(room + 1) * (width + 1) * sizeof *solutions);
    if (solutions != NULL && (v[5] == NULL || variables != NULL)) {
        options.variables = variables;
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_plan_inverse(r, &wanted, start, &options, solutions, (size_t)room, &found);
        apy_take_gil(gil);
        rows = status == APART_OK ? apy_numpy_doubles(solutions, (Py_ssize_t)found.count, (Py_ssize_t)width)
                                  : apy_raise(status, "inverse");
    } else if (PyErr_Occurred() == NULL) {
        PyErr_NoMemory();
    }
    free(solutions);
    PyMem_Free(variables);
    return rows;
}

static apy_signature group_words = {"group", 2, 2, {"srdf", "name"}, {NULL}};

static PyObject *group(PyObject *robot, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *path = NULL, *name = NULL, *list = NULL;
    const apart_robot *r = ((robot_object *)robot)->robot;
    size_t variables[APY_MOST_VARIABLES], found = 0;
    apart_io_error error = {.message = ""};
    if (!apy_bind(&group_words, args, count, names, v)) {
        return NULL;
    }
    const char *file = apy_path(v[0], &path), *text = file == NULL ? NULL : apy_path(v[1], &name);
    if (text != NULL && (!((robot_object *)robot)->finished || apart_robot_variable_count(r) > APY_MOST_VARIABLES)) {
        PyErr_SetString(PyExc_RuntimeError, "group(): expected a finished robot of at most 1024 variables");
    } else if (text != NULL) {
        const apart_status status = apart_robot_read_group(file, text, r, variables, &found, &error);
        list = status == APART_OK ? PyList_New((Py_ssize_t)found) : apy_raise_io(status, &error);
        for (size_t i = 0; list != NULL && i < found; i++) {
            PyObject *word = PyUnicode_FromString(apart_robot_variable(r, variables[i])->name);
            if (word == NULL || PyList_SetItem(list, (Py_ssize_t)i, word) < 0) {
                Py_CLEAR(list);
            }
        }
    }
    Py_XDECREF(path);
    Py_XDECREF(name);
    return list;
}

PyMethodDef apy_robot_plans[] = {
    {"inverse", APY_CALL(inverse), APY_FAST,
     "inverse($self, link, pose, start=None, *, point=(0, 0, 0), position_only=False, variables=None, seed=0, "
     "tries=0, room=8)"
     "\n--\n\nJoint positions that bring a point of a link to a pose (in the root link's frame): at most `room` rows."},
    {"group", APY_CALL(group), APY_FAST,
     "group($self, srdf, name)\n--\n\nThe variables of a group of an SRDF, by "
     "name."},
    {NULL, NULL, 0, NULL}};

bool apy_add_plans(PyObject *module)
{
    return apy_layout_add(module, &edge_layout) && apy_layout_add(module, &proof_layout) &&
           apy_add_type(module, &plan_spec, NULL, &plan_type);
}
