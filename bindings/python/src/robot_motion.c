/* Certified motions of a robot, and batches. */
#include "robot.h"

#include <stddef.h>
#include <string.h>

static cell_object *self_of(PyObject *self) { return (cell_object *)self; }

#define FIELD(member, kind, doc)                                          \
    {                                                                     \
#member, kind, offsetof(apart_robot_gap, member), doc, NULL, NULL \
    }
static const apy_field gap_fields[] = {FIELD(lower, APY_F64, "Certified: lower <= the smallest distance."),
                                       FIELD(upper, APY_F64, "Certified: the distance at s is at most this."),
                                       FIELD(s, APY_F64, "Where, from 0 to 1."),
                                       FIELD(pair, APY_U64, "Of which pair."),
                                       FIELD(queries, APY_U64, "Distances that were computed."),
                                       FIELD(intervals, APY_U64, "Pairs times intervals that were looked at."),
                                       {NULL, APY_F64, 0, NULL, NULL, NULL}};
#undef FIELD
apy_layout apy_gap_layout = {.name = "apart.RobotGap",
                             .doc = "The smallest distance of all pairs along a motion, less their margins.",
                             .size = sizeof(apart_robot_gap),
                             .fields = gap_fields};

static bool options_from(PyObject *tolerance, PyObject *limit, PyObject *most, apart_robot_motion_options *out)
{
    *out = (apart_robot_motion_options){.has_limit = limit != NULL};
    return apy_double(tolerance, "tolerance", &out->tolerance) && apy_double(limit, "limit", &out->limit) &&
           apy_count(most, "most_intervals", UINT64_MAX, &out->most_intervals);
}

/* ---- one motion ---- */

static apy_signature motion_words =
    {"motion", 2, 2, {"q0", "q1", "limit", "tolerance", "most_intervals", "duration", "v0", "v1", "a0", "a1"}, {NULL}};

/* Positions, velocities and accelerations at both ends. */
typedef struct ends {
    double rows[6][APY_MOST_VARIABLES];
    apart_robot_segment segment;
} ends;

/* Straight, cubic where velocities are given, quintic where accelerations are. */
static bool read_ends(const apart_robot *robot, PyObject *const *q, PyObject *duration, PyObject *const *v, ends *out)
{
    static const char *const words[6] = {"q0", "q1", "v0", "v1", "a0", "a1"};
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(robot);
    out->segment = (apart_robot_segment){.degree = v[2] != NULL || v[3] != NULL   ? 5
                                                   : v[0] != NULL || v[1] != NULL ? 3
                                                                                  : 1,
                                         .duration = 1.0,
                                         .q0 = out->rows[0],
                                         .q1 = out->rows[1],
                                         .v0 = out->rows[2],
                                         .v1 = out->rows[3],
                                         .a0 = out->rows[4],
                                         .a1 = out->rows[5]};
    if (!apy_double(duration, "duration", &out->segment.duration)) {
        return false;
    }
    for (int i = 0; i < 6; i++) {
        if (i < 2) {
            if (!apy_positions(robot, q[i], words[i], out->rows[i])) {
                return false;
            }
        } else if (v[i - 2] == NULL) {
            memset(out->rows[i], 0, sizeof out->rows[i]);
        } else if (!apy_doubles(v[i - 2], words[i], variables, out->rows[i])) {
            return false;
        }
    }
    return true;
}

static PyObject *motion(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    apart_robot_motion_options options;
    apart_robot_gap gap;
    ends e;
    if (!apy_bind(&motion_words, args, count, names, v) || !options_from(v[3], v[2], v[4], &options) ||
        !read_ends(apart_robot_cell_robot(self->cell), v, v[5], v + 6, &e)) {
        return NULL;
    }
    apy_cell_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = e.segment.degree == 1
                                    ? apart_robot_motion(self->work, e.segment.q0, e.segment.q1, &options, &gap)
                                    : apart_robot_segment_motion(self->work, &e.segment, &options, &gap);
    apy_take_gil(gil);
    apy_cell_leave(self);
    return status == APART_OK ? apy_record_new(&apy_gap_layout, &gap, NULL) : apy_raise(status, "motion");
}

static apy_signature at_words = {"at", 3, 3, {"q0", "q1", "s", "duration", "v0", "v1", "a0", "a1"}, {NULL}};

static PyObject *segment_at(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    const apart_robot *robot = apart_robot_cell_robot(self_of(object)->cell);
    double s = 0.0, q[APY_MOST_VARIABLES];
    ends e;
    if (!apy_bind(&at_words, args, count, names, v) || !apy_double(v[2], "s", &s) ||
        !read_ends(robot, v, v[3], v + 4, &e)) {
        return NULL;
    }
    apart_robot_segment_at(robot, &e.segment, s, q);
    return apy_numpy_doubles(q, (Py_ssize_t)apart_robot_variable_count(robot), 0);
}

static apy_signature speed_words = {"speed_bound",
                                    3,
                                    3,
                                    {"q0", "q1", "pair", "middle", "half", "duration", "v0", "v1", "a0", "a1"},
                                    {NULL}};

static PyObject *speed_bound(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint64_t pair = 0;
    double middle = 0.5, half = 0.5;
    ends e;
    if (!apy_bind(&speed_words, args, count, names, v) || !apy_count(v[2], "pair", UINT32_MAX, &pair) ||
        !apy_double(v[3], "middle", &middle) || !apy_double(v[4], "half", &half) ||
        !read_ends(apart_robot_cell_robot(self->cell), v, v[5], v + 6, &e)) {
        return NULL;
    }
    if (pair >= apart_robot_pair_count(self->cell)) {
        return apy_raise(APART_ERR_ID, "speed_bound");
    }
    apy_cell_enter(self);
    const double bound = apart_robot_speed_bound(self->work, (size_t)pair, &e.segment, middle, half);
    apy_cell_leave(self);
    return PyFloat_FromDouble(bound);
}

/* ---- batches ---- */

static apy_signature distances_words = {"distances", 1, 1, {"Q", "threads"}, {NULL}};

static PyObject *distances(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    uint32_t threads = 1;
    apy_packed rows;
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(apart_robot_cell_robot(self->cell));
    if (!apy_bind(&distances_words, args, count, names, v) || !apy_threads(v[1], &threads) ||
        !apy_packed_get(v[0], "Q", variables, &rows)) {
        return NULL;
    }
    void *data = NULL;
    PyObject *array = apy_numpy_empty(apy_near_layout.dtype, &rows.rows, 1, &data);
    if (array != NULL) {
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status =
            apart_robot_nearest_batch(self->cell, rows.numbers, (size_t)rows.rows, threads, data);
        apy_take_gil(gil);
        if (status != APART_OK) {
            Py_CLEAR(array);
            apy_raise(status, "distances");
        }
    }
    apy_packed_release(&rows);
    return array;
}

static apy_signature motions_words = {"motions",
                                      2,
                                      2,
                                      {"Q0", "Q1", "limit", "tolerance", "most_intervals", "threads"},
                                      {NULL}};

static PyObject *run_motions(const cell_object *self, const apy_packed *q0, const apy_packed *q1,
                             const apart_robot_motion_options *options, uint32_t threads)
{
    void *data = NULL;
    if (q0->rows != q1->rows) {
        PyErr_Format(PyExc_ValueError, "motions(): Q0 has %zd rows, Q1 %zd", q0->rows, q1->rows);
        return NULL;
    }
    PyObject *array = apy_numpy_empty(apy_gap_layout.dtype, &q0->rows, 1, &data);
    if (array != NULL) {
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status =
            apart_robot_motion_batch(self->cell, q0->numbers, q1->numbers, (size_t)q0->rows, options, threads, data);
        apy_take_gil(gil);
        if (status != APART_OK) {
            Py_CLEAR(array);
            apy_raise(status, "motions");
        }
    }
    return array;
}

static PyObject *motions(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *array;
    cell_object *self = self_of(object);
    uint32_t threads = 1;
    apy_packed q0, q1;
    apart_robot_motion_options options;
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(apart_robot_cell_robot(self->cell));
    if (!apy_bind(&motions_words, args, count, names, v) || !apy_threads(v[5], &threads) ||
        !options_from(v[3], v[2], v[4], &options) || !apy_packed_get(v[0], "Q0", variables, &q0)) {
        return NULL;
    }
    if (!apy_packed_get(v[1], "Q1", variables, &q1)) {
        apy_packed_release(&q0);
        return NULL;
    }
    array = run_motions(self, &q0, &q1, &options, threads);
    apy_packed_release(&q0);
    apy_packed_release(&q1);
    return array;
}

PyMethodDef apy_cell_motions[] = {
    {"motion", APY_CALL(motion), APY_FAST,
     "motion(q0, q1, *, limit=None, tolerance=0, most_intervals=0, duration=1, v0=None, v1=None, a0=None, a1=None)\n--\n\nThe "
     "smallest distance while all joints move evenly from q0 to q1 (or on cubics with velocities, quintics with "
     "accelerations), certified. limit: only whether it stays at or above that."},
    {"at", APY_CALL(segment_at), APY_FAST,
     "at(q0, q1, s, *, duration=1, v0=None, v1=None, a0=None, a1=None)\n--\n\nThe positions at s of a motion."},
    {"speed_bound", APY_CALL(speed_bound), APY_FAST,
     "speed_bound(q0, q1, pair, *, middle=0.5, half=0.5, duration=1, v0=None, v1=None, a0=None, a1=None)\n--\n\nHow fast points of the "
     "pair's bodies can move against each other within `half` of the middle."},
    {"distances", APY_CALL(distances), APY_FAST,
     "distances(Q, *, threads=1)\n--\n\nThe nearest pair for each row of joint positions: a structured array."},
    {"motions", APY_CALL(motions), APY_FAST,
     "motions(Q0, Q1, *, limit=None, tolerance=0, most_intervals=0, threads=1)\n--\n\nThe motions from each row of Q0 to that of Q1. For "
     "a polyline: motions(Q[:-1], Q[1:])."},
    {NULL, NULL, 0, NULL}};
