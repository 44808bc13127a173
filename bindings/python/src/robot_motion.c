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

/* Pairs to look at, in memory that the caller frees; NULL: all. */
static size_t *pairs_from(PyObject *value, apart_robot_motion_options *options)
{
    Py_ssize_t count = 0;
    uint32_t *words = apy_index_copy(value, "pairs", 0, &count);
    size_t *pairs = words == NULL ? NULL : PyMem_Malloc((size_t)(count + 1) * sizeof *pairs);
    for (Py_ssize_t i = 0; pairs != NULL && i < count; i++) {
        pairs[i] = words[i];
    }
    PyMem_Free(words);
    options->pairs = pairs;
    options->pair_count = (size_t)count;
    return pairs;
}

static bool options_from(PyObject *tolerance, PyObject *limit, PyObject *most, apart_robot_motion_options *out)
{
    *out = (apart_robot_motion_options){.has_limit = limit != NULL};
    return apy_double(tolerance, "tolerance", &out->tolerance) && apy_double(limit, "limit", &out->limit) &&
           apy_count(most, "most_intervals", UINT64_MAX, &out->most_intervals);
}

/* ---- one motion ---- */

static apy_signature motion_words = {"motion",
                                     2,
                                     2,
                                     {"q0", "q1", "limit", "tolerance", "most_intervals", "duration", "v0", "v1", "a0",
                                      "a1", "pairs"},
                                     {NULL}};

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
    size_t *pairs = v[10] == NULL ? NULL : pairs_from(v[10], &options);
    if (v[10] != NULL && pairs == NULL) {
        return NULL;
    }
    apy_cell_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = e.segment.degree == 1
                                    ? apart_robot_motion(self->work, e.segment.q0, e.segment.q1, &options, &gap)
                                    : apart_robot_segment_motion(self->work, &e.segment, &options, &gap);
    apy_take_gil(gil);
    apy_cell_leave(self);
    PyMem_Free(pairs);
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

/* Rows of joint positions, velocities or accelerations; what is not given is NULL, and zeros where it is needed. */
typedef struct motion_rows {
    apy_packed at[6];
    bool held[6];
    apart_robot_segment *segments;
    double *zeros;
    Py_ssize_t count;
    int degree;
} motion_rows;

static void rows_release(motion_rows *r)
{
    for (int i = 0; i < 6; i++) {
        if (r->held[i]) {
            apy_packed_release(&r->at[i]);
        }
    }
    PyMem_Free(r->segments);
    PyMem_Free(r->zeros);
}

static bool rows_get(PyObject *const *q, PyObject *const *v, Py_ssize_t variables, motion_rows *r)
{
    static const char *const words[6] = {"Q0", "Q1", "V0", "V1", "A0", "A1"};
    *r = (motion_rows){.degree = v[2] != NULL || v[3] != NULL ? 5 : v[0] != NULL || v[1] != NULL ? 3 : 1};
    for (int i = 0; i < 6; i++) {
        PyObject *given = i < 2 ? q[i] : v[i - 2];
        if (given == NULL) {
            continue;
        }
        if (!apy_packed_get(given, words[i], variables, &r->at[i])) {
            return false;
        }
        r->held[i] = true;
        if (r->at[i].rows != r->at[0].rows) {
            PyErr_Format(PyExc_ValueError, "Q0 has %zd rows, %s has %zd", r->at[0].rows, words[i], r->at[i].rows);
            return false;
        }
    }
    r->count = r->at[0].rows;
    return true;
}

/* A segment for each row. */
static bool make_segments(PyObject *duration, Py_ssize_t variables, motion_rows *r)
{
    double time = 1.0;
    if (!apy_double(duration, "duration", &time)) {
        return false;
    }
    r->segments = PyMem_Calloc((size_t)r->count + 1, sizeof *r->segments);
    r->zeros = PyMem_Calloc((size_t)variables + 1, sizeof *r->zeros);
    if (r->segments == NULL || r->zeros == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < r->count; i++) {
        const double *row[6];
        for (int k = 0; k < 6; k++) {
            row[k] = r->held[k] ? r->at[k].numbers + i * variables : r->zeros;
        }
        r->segments[i] = (apart_robot_segment){.degree = r->degree,
                                               .duration = time,
                                               .q0 = row[0],
                                               .q1 = row[1],
                                               .v0 = row[2],
                                               .v1 = row[3],
                                               .a0 = row[4],
                                               .a1 = row[5]};
    }
    return true;
}

static apy_signature motions_words = {"motions",
                                      2,
                                      2,
                                      {"Q0", "Q1", "limit", "tolerance", "most_intervals", "threads", "duration", "V0",
                                       "V1", "A0", "A1"},
                                      {NULL}};

static PyObject *run_motions(const cell_object *self, const motion_rows *r, const apart_robot_motion_options *options,
                             uint32_t threads)
{
    void *data = NULL;
    PyObject *array = apy_numpy_empty(apy_gap_layout.dtype, &r->count, 1, &data);
    if (array == NULL) {
        return NULL;
    }
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        r->degree == 1 ? apart_robot_motion_batch(self->cell, r->at[0].numbers, r->at[1].numbers, (size_t)r->count,
                                                  options, threads, data)
                       : apart_robot_segment_batch(self->cell, r->segments, (size_t)r->count, options, threads, data);
    apy_take_gil(gil);
    if (status != APART_OK) {
        Py_DECREF(array);
        return apy_raise(status, "motions");
    }
    return array;
}

static PyObject *motions(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *array = NULL;
    cell_object *self = self_of(object);
    uint32_t threads = 1;
    motion_rows rows;
    apart_robot_motion_options options;
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(apart_robot_cell_robot(self->cell));
    if (!apy_bind(&motions_words, args, count, names, v) || !apy_threads(v[5], &threads) ||
        !options_from(v[3], v[2], v[4], &options)) {
        return NULL;
    }
    if (rows_get(v, v + 7, variables, &rows) && (rows.degree == 1 || make_segments(v[6], variables, &rows))) {
        array = run_motions(self, &rows, &options, threads);
    }
    rows_release(&rows);
    return array;
}

static apy_signature path_words = {"path", 1, 1, {"Q", "limit", "tolerance", "most_intervals"}, {NULL}};

/* The straight pieces of a polyline, one after the other. */
static PyObject *path(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    cell_object *self = self_of(object);
    motion_rows rows;
    apart_robot_motion_options options;
    apart_robot_gap gap;
    size_t segment = 0;
    const Py_ssize_t variables = (Py_ssize_t)apart_robot_variable_count(apart_robot_cell_robot(self->cell));
    if (!apy_bind(&path_words, args, count, names, v) || !options_from(v[2], v[1], v[3], &options)) {
        return NULL;
    }
    PyObject *const both[2] = {v[0], v[0]}, *const none[4] = {NULL, NULL, NULL, NULL};
    PyObject *answer = NULL;
    if (rows_get(both, none, variables, &rows) && make_segments(NULL, variables, &rows)) {
        for (Py_ssize_t i = 0; i + 1 < rows.count; i++) {
            rows.segments[i].q1 = rows.segments[i + 1].q0;
        }
        apy_cell_enter(self);
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status =
            apart_robot_path_motion(self->work, rows.segments, rows.count > 0 ? (size_t)rows.count - 1 : 0, &options,
                                    &gap, &segment);
        apy_take_gil(gil);
        apy_cell_leave(self);
        answer = status == APART_OK
                     ? Py_BuildValue("(Nn)", apy_record_new(&apy_gap_layout, &gap, NULL), (Py_ssize_t)segment)
                     : apy_raise(status, "path");
    }
    rows_release(&rows);
    return answer;
}

static apy_signature range_words = {"range", 2, 2, {"q0", "q1", "duration", "v0", "v1", "a0", "a1"}, {NULL}};

static PyObject *segment_range(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    const apart_robot *robot = apart_robot_cell_robot(self_of(object)->cell);
    ends e;
    if (!apy_bind(&range_words, args, count, names, v) || !read_ends(robot, v, v[2], v + 3, &e)) {
        return NULL;
    }
    const Py_ssize_t shape[2] = {(Py_ssize_t)apart_robot_variable_count(robot), 2};
    double least[2 * APY_MOST_VARIABLES];
    for (Py_ssize_t i = 0; i < shape[0]; i++) {
        apart_robot_segment_range(&e.segment, (size_t)i, &least[2 * i], &least[2 * i + 1]);
    }
    return apy_numpy_doubles(least, shape[0], 2);
}

PyMethodDef apy_cell_motions[] =
    {{"motion", APY_CALL(motion), APY_FAST,
      "motion($self, q0, q1, *, limit=None, tolerance=0, most_intervals=0, duration=1, v0=None, v1=None, a0=None, "
      "a1=None, "
      "pairs=None)\n--\n\nThe "
      "smallest distance while all joints move evenly from q0 to q1 (or on cubics with velocities, quintics with "
      "accelerations), certified. limit: only whether it stays at or above that."},
     {"path", APY_CALL(path), APY_FAST,
      "path($self, Q, *, limit=None, tolerance=0, most_intervals=0)\n--\n\n(gap, segment): the smallest distance "
      "along the "
      "straight "
      "pieces between the rows of Q, and the piece that has it."},
     {"range", APY_CALL(segment_range), APY_FAST,
      "range($self, q0, q1, *, duration=1, v0=None, v1=None, a0=None, a1=None)\n--\n\nThe least and largest position "
      "of each "
      "variable along a motion."},
     {"at", APY_CALL(segment_at), APY_FAST,
      "at($self, q0, q1, s, *, duration=1, v0=None, v1=None, a0=None, a1=None)\n--\n\nThe positions at s of a motion."},
     {"speed_bound", APY_CALL(speed_bound), APY_FAST,
      "speed_bound($self, q0, q1, pair, *, middle=0.5, half=0.5, duration=1, v0=None, v1=None, a0=None, "
      "a1=None)\n--\n\nHow "
      "fast points of the "
      "pair's bodies can move against each other within `half` of the middle."},
     {"distances", APY_CALL(distances), APY_FAST,
      "distances($self, Q, *, threads=1)\n--\n\nThe nearest pair for each row of joint positions: a structured array."},
     {"motions", APY_CALL(motions), APY_FAST,
      "motions($self, Q0, Q1, *, limit=None, tolerance=0, most_intervals=0, threads=1, duration=1, V0=None, V1=None, "
      "A0=None, A1=None)\n--\n\nThe motions from each row of Q0 to that of Q1. For "
      "a polyline: motions(Q[:-1], Q[1:])."},
     {NULL, NULL, 0, NULL}};
