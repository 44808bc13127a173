/* Distances of a robot's pairs at joint positions. */
#include "robot.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "records read a size_t as 64 bits");

static cell_object *self_of(PyObject *self) { return (cell_object *)self; }

#define FIELD(name, member, kind, text, doc)                            \
    {                                                                   \
        name, kind, offsetof(apart_robot_near, member), doc, text, NULL \
    }
static const apy_field near_fields[] = {
    FIELD("pair", pair, APY_U64, NULL, "Number of the pair: cell.pairs[pair]."),
    FIELD("distance", at.result.distance, APY_F64, NULL, "Signed, without the margin."),
    FIELD("lower", at.result.lower, APY_F64, NULL, "Certified: lower <= true value."),
    FIELD("upper", at.result.upper, APY_F64, NULL, "Certified: true value <= upper."),
    FIELD("a", at.result.a, APY_VEC3, NULL, "Witness point on A."),
    FIELD("b", at.result.b, APY_VEC3, NULL, "Witness point on B."),
    FIELD("normal", at.result.normal, APY_VEC3, NULL, "Unit, from A to B."),
    FIELD("relation", at.result.relation, APY_NAME8, apart_relation_name, "disjoint, touching, overlapping or beyond."),
    FIELD("part_a", at.part_a, APY_U32, NULL, "The part of A that decides."),
    FIELD("part_b", at.part_b, APY_U32, NULL, "The part of B."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
apy_layout apy_near_layout = {.name = "apart.RobotNear",
                              .doc = "A pair of a cell and its distance.",
                              .size = sizeof(apart_robot_near),
                              .fields = near_fields};

#define FIELD(member, kind, doc)                                               \
    {                                                                          \
#member, kind, offsetof(apart_robot_proposal, member), doc, NULL, NULL \
    }
static const apy_field proposal_fields[] = {FIELD(samples, APY_U64, "Random positions."),
                                            FIELD(overlaps, APY_U64, "How many of them with overlap."),
                                            FIELD(least, APY_F64, "Smallest distance seen."),
                                            FIELD(most, APY_F64, "Largest distance seen."),
                                            FIELD(at_rest, APY_F64, "Distance at the resting positions."),
                                            FIELD(proved, APY_FLAGINT, "The pair stays farther apart than `far`."),
                                            {NULL, APY_F64, 0, NULL, NULL, NULL}};
#undef FIELD
static apy_layout proposal_layout = {.name = "apart.RobotProposal",
                                     .doc = "What random positions say about a pair.",
                                     .size = sizeof(apart_robot_proposal),
                                     .fields = proposal_fields};

static PyObject *rows_of(const apart_robot_near *found, size_t count)
{
    const Py_ssize_t shape = (Py_ssize_t)count;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(apy_near_layout.dtype, &shape, 1, &data);
    if (array != NULL && count > 0) {
        memcpy(data, found, count * sizeof *found);
    }
    return array;
}

/* Moves the robot of the work space. With false an exception is set and the cell is left. */
static bool set(cell_object *self, PyObject *positions)
{
    double q[APY_MOST_VARIABLES];
    if (!apy_positions(apart_robot_cell_robot(self->cell), positions == Py_None ? NULL : positions, "q", q)) {
        return false;
    }
    apy_cell_enter(self);
    const apart_status status = apart_robot_set(self->work, q);
    if (status != APART_OK) {
        apy_cell_leave(self);
        return apy_raise(status, "q") != NULL;
    }
    return true;
}

static apy_signature nearest_words = {"nearest", 1, 2, {"q", "count"}, {NULL}};

static PyObject *nearest(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint64_t wanted = 1;
    if (!apy_bind(&nearest_words, args, count, names, v) || !apy_count(v[1], "count", 1u << 24, &wanted) ||
        !set(self, v[0])) {
        return NULL;
    }
    apart_robot_near one;
    size_t found = 1;
    apart_robot_near *all = v[1] == NULL ? &one : malloc(((size_t)wanted + 1) * sizeof *all);
    apart_status status = APART_ERR_MEMORY;
    if (all != NULL) {
        PyThreadState *gil = apy_release_gil(true);
        status = v[1] == NULL ? apart_robot_nearest(self->work, all)
                              : apart_robot_k_nearest(self->work, (size_t)wanted, all, &found);
        apy_take_gil(gil);
    }
    apy_cell_leave(self);
    PyObject *answer = status != APART_OK ? apy_raise(status, "nearest")
                       : v[1] == NULL     ? apy_record_new(&apy_near_layout, all, NULL)
                                          : rows_of(all, found);
    if (all != &one) {
        free(all);
    }
    return answer;
}

static apy_signature below_words = {"below", 2, 2, {"q", "distance"}, {NULL}};

static PyObject *below(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    double distance = 0.0;
    if (!apy_bind(&below_words, args, count, names, v) || !apy_double(v[1], "distance", &distance)) {
        return NULL;
    }
    const size_t room = apart_robot_pair_count(self->cell);
    apart_robot_near *all = malloc((room + 1) * sizeof *all);
    if (all == NULL || !set(self, v[0])) {
        free(all);
        return PyErr_Occurred() != NULL ? NULL : PyErr_NoMemory();
    }
    size_t found = 0;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_robot_below(self->work, distance, all, room, &found);
    apy_take_gil(gil);
    apy_cell_leave(self);
    PyObject *answer = status == APART_OK ? rows_of(all, found) : apy_raise(status, "below");
    free(all);
    return answer;
}

static apy_signature distance_words = {"distance", 2, 2, {"q", "pair"}, {NULL}};

static PyObject *distance(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint64_t pair = 0;
    apart_robot_near found;
    if (!apy_bind(&distance_words, args, count, names, v) || !apy_count(v[1], "pair", UINT32_MAX, &pair) ||
        !set(self, v[0])) {
        return NULL;
    }
    found.pair = (size_t)pair;
    const apart_status status = apart_robot_distance(self->work, (size_t)pair, &found.at);
    apy_cell_leave(self);
    return status == APART_OK ? apy_record_new(&apy_near_layout, &found, NULL) : apy_raise(status, "distance");
}

/* Pair, distance and its derivatives in one call, as optimisers want them. */
static PyObject *gradient(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint64_t pair = 0;
    apart_robot_near found;
    double slopes[APY_MOST_VARIABLES];
    int unique = 1;
    if (!apy_bind(&distance_words, args, count, names, v) || !apy_count(v[1], "pair", UINT32_MAX, &pair) ||
        !set(self, v[0])) {
        return NULL;
    }
    found.pair = (size_t)pair;
    apart_status status = apart_robot_distance(self->work, (size_t)pair, &found.at);
    if (status == APART_OK) {
        status = apart_robot_gradient(self->work, &found, slopes, &unique);
    }
    apy_cell_leave(self);
    if (status != APART_OK) {
        return apy_raise(status, "gradient");
    }
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(apart_robot_cell_robot(self->cell));
    return Py_BuildValue("(NNN)", apy_record_new(&apy_near_layout, &found, NULL),
                         apy_numpy_doubles(slopes, variables, 0), PyBool_FromLong(unique));
}

static PyObject *poses_at(PyObject *object, PyObject *q, bool bodies)
{
    cell_object *self = self_of(object);
    if (!set(self, q)) {
        return NULL;
    }
    const size_t count =
        bodies ? apart_robot_body_count(self->cell) : apart_robot_link_count(apart_robot_cell_robot(self->cell));
    apart_pose *poses = PyMem_Malloc((count + 1) * sizeof *poses);
    for (size_t i = 0; poses != NULL && i < count; i++) {
        poses[i] = bodies ? apart_robot_body_pose(self->work, i) : apart_robot_link_pose(self->work, i);
    }
    apy_cell_leave(self);
    PyObject *made = poses == NULL ? PyErr_NoMemory() : apy_pose_array(poses, (Py_ssize_t)count);
    PyMem_Free(poses);
    return made;
}

static PyObject *link_poses(PyObject *self, PyObject *q) { return poses_at(self, q, false); }
static PyObject *body_poses(PyObject *self, PyObject *q) { return poses_at(self, q, true); }

static PyObject *reset(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    apy_cell_enter(self_of(object));
    apart_robot_work_reset(self_of(object)->work);
    apy_cell_leave(self_of(object));
    Py_RETURN_NONE;
}

static apy_signature option_words = {"set_options", 0, 0, {"cold", "solver", "support", "depth", "tolerance"}, {NULL}};

static PyObject *set_options(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint8_t cold = 0;
    apy_options options;
    if (!apy_bind(&option_words, args, count, names, v) || !apy_flag(v[0], "cold", &cold)) {
        return NULL;
    }
    PyObject *const words[APY_OPTION_COUNT] = {v[1], v[2], v[3], NULL, NULL, NULL, v[4], NULL, NULL, NULL};
    if (!apy_options_get(words, &options)) {
        return NULL;
    }
    apy_cell_enter(self_of(object));
    apart_robot_work_options(self_of(object)->work, apy_options_pointer(&options), cold);
    apy_cell_leave(self_of(object));
    Py_RETURN_NONE;
}

static apy_signature propose_words = {"propose", 0, 1, {"samples", "seed", "far"}, {NULL}};

static PyObject *propose(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint64_t samples = 1000, seed = 1;
    double far = 0.0;
    if (!apy_bind(&propose_words, args, count, names, v) || !apy_count(v[0], "samples", UINT64_MAX, &samples) ||
        !apy_count(v[1], "seed", UINT64_MAX, &seed) || !apy_double(v[2], "far", &far)) {
        return NULL;
    }
    const Py_ssize_t pairs = (Py_ssize_t)apart_robot_pair_count(self->cell);
    void *data = NULL;
    PyObject *array = apy_numpy_empty(proposal_layout.dtype, &pairs, 1, &data);
    if (array == NULL) {
        return NULL;
    }
    apy_cell_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_robot_propose(self->work, samples, seed, far, data);
    apy_take_gil(gil);
    apy_cell_leave(self);
    if (status != APART_OK) {
        Py_DECREF(array);
        return apy_raise(status, "propose");
    }
    return array;
}

PyMethodDef apy_cell_queries[] = {
    {"nearest", APY_CALL(nearest), APY_FAST,
     "nearest($self, q, count=None)\n--\n\nThe nearest pair at joint positions; with count, so many as a structured "
     "array. "
     "q: a "
     "row, or a dict from joint names."},
    {"below", APY_CALL(below), APY_FAST,
     "below($self, q, distance)\n--\n\nAll pairs nearer than the distance plus their margin."},
    {"distance", APY_CALL(distance), APY_FAST, "distance($self, q, pair)\n--\n\nThe signed distance of a pair."},
    {"gradient", APY_CALL(gradient), APY_FAST,
     "gradient($self, q, pair)\n--\n\n(near, gradient, unique): a pair's distance and its derivative by each variable; "
     "unique is False "
     "where the closest points are not, and the gradient is one of many."},
    {"link_poses", link_poses, METH_O, "link_poses($self, q, /)\n--\n\nThe world poses of all links."},
    {"body_poses", body_poses, METH_O,
     "body_poses($self, q, /)\n--\n\nThe world poses of all bodies: links with parts, obstacles."},
    {"reset", reset, METH_NOARGS, "reset($self)\n--\n\nForgets all caches: what follows has the bits of a new cell."},
    {"set_options", APY_CALL(set_options), APY_FAST,
     "set_options($self, *, cold=False, solver=None, support=None, depth=None, tolerance=None)\n--\n\nOptions of all "
     "later "
     "calls for single "
     "positions."},
    {"propose", APY_CALL(propose), APY_FAST,
     "propose($self, samples=1000, *, seed=1, far=0)\n--\n\nWhat random positions say about every pair: a structured "
     "array. "
     "far > 0: "
     "proves which pairs stay farther apart."},
    {NULL, NULL, 0, NULL}};

bool apy_add_cell_layouts(PyObject *module)
{
    return apy_layout_add(module, &apy_near_layout) && apy_layout_add(module, &proposal_layout) &&
           apy_layout_add(module, &apy_gap_layout);
}
