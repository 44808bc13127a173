/* distance_batch: many pairs in one call, from arrays to an array. */
#include "apy.h"

#include <math.h>
#include <string.h>

enum { SHAPES, POSES, PAIRS, SHAPES_B, POSES_B, CACHES, THREADS, OUT, STATUSES, OPTIONS };

static apy_signature batch_words = {"distance_batch",
                                    1,
                                    3,
                                    {"shapes", "poses", "pairs", "shapes_b", "poses_b", "caches", "threads", "out",
                                     "statuses", "solver", "support", "depth", "max_iterations", "cutoff", "tolerance"},
                                    {NULL}};

/* What a batch borrows while it runs. */
typedef struct batch_arrays {
    apy_shape_list shapes, shapes_b;
    apy_pose_list poses, poses_b;
    Py_buffer out, caches, statuses;
    uint32_t *pairs;
    PyObject *result;
    bool has_out, has_caches, has_statuses;
} batch_arrays;

static void release(batch_arrays *r)
{
    apy_shape_list_release(&r->shapes);
    apy_shape_list_release(&r->shapes_b);
    apy_pose_list_release(&r->poses);
    apy_pose_list_release(&r->poses_b);
    PyMem_Free(r->pairs);
    Py_buffer *views[3] = {r->has_out ? &r->out : NULL, r->has_caches ? &r->caches : NULL,
                           r->has_statuses ? &r->statuses : NULL};
    for (int i = 0; i < 3; i++) {
        if (views[i] != NULL) {
            PyBuffer_Release(views[i]);
        }
    }
}

/* The number of bodies on one side: both lists must agree; -1: one body for all, -2: an exception. */
static Py_ssize_t bodies(const apy_shape_list *shapes, const apy_pose_list *poses)
{
    if (shapes->count >= 0 && poses->count >= 0 && shapes->count != poses->count) {
        PyErr_Format(PyExc_ValueError, "distance_batch(): %zd shapes, but %zd poses", shapes->count, poses->count);
        return -2;
    }
    return shapes->count >= 0 ? shapes->count : poses->count;
}

static bool get_bodies(PyObject *const *v, batch_arrays *r)
{
    if (!apy_shape_list_get(v[SHAPES], "shapes", &r->shapes) || !apy_pose_list_get(v[POSES], "poses", &r->poses)) {
        return false;
    }
    if (v[SHAPES_B] == NULL && v[POSES_B] == NULL) {
        return true;
    }
    return apy_shape_list_get(v[SHAPES_B] == NULL ? v[SHAPES] : v[SHAPES_B], "shapes_b", &r->shapes_b) &&
           apy_pose_list_get(v[POSES_B], "poses_b", &r->poses_b);
}

static void set_side(apart_batch_bodies *side, const apy_shape_list *shapes, const apy_pose_list *poses, size_t count)
{
    *side = (apart_batch_bodies){.shapes = shapes->shapes,
                                 .shape_stride = shapes->stride,
                                 .poses = poses->poses,
                                 .pose_stride = poses->stride,
                                 .count = count};
}

/* Both sides and the number of pairs: by numbers, or pair i of body i and body i. */
static bool set_pairs(PyObject *const *v, batch_arrays *r, apart_batch *batch)
{
    const bool two = r->shapes_b.shapes != NULL;
    const apy_shape_list *shapes_b = two ? &r->shapes_b : &r->shapes;
    const apy_pose_list *poses_b = two ? &r->poses_b : &r->poses;
    const Py_ssize_t a = bodies(&r->shapes, &r->poses), b = bodies(shapes_b, poses_b);
    if (a < -1 || b < -1) {
        return false;
    }
    set_side(&batch->a, &r->shapes, &r->poses, a < 0 ? 1 : (size_t)a);
    set_side(&batch->b, shapes_b, poses_b, b < 0 ? 1 : (size_t)b);
    if (v[PAIRS] != NULL) {
        Py_ssize_t count = 0;
        r->pairs = apy_index_copy(v[PAIRS], "pairs", 2, &count);
        batch->count = (size_t)count;
        batch->a.indices = r->pairs;
        batch->b.indices = r->pairs == NULL ? NULL : r->pairs + 1;
        batch->a.index_stride = batch->b.index_stride = 2 * sizeof *r->pairs;
        return r->pairs != NULL;
    }
    if (!two || (a >= 0 && b >= 0 && a != b)) {
        PyErr_SetString(PyExc_ValueError, "distance_batch(): expected pairs=, or as many bodies on the second side");
        return false;
    }
    batch->count = (size_t)(a >= 0 ? a : b >= 0 ? b : 1);
    return true;
}

static bool set_results(PyObject *const *v, batch_arrays *r, apart_batch *batch)
{
    const Py_ssize_t count = (Py_ssize_t)batch->count;
    if (v[OUT] == NULL) {
        void *data = NULL;
        r->result = apy_numpy_empty(apy_result_layout.dtype, &count, 1, &data);
        batch->results = data;
    } else if (apy_out(v[OUT], "out", apy_result_layout.dtype, sizeof(apart_result), count, &r->out)) {
        r->has_out = true;
        r->result = Py_NewRef(v[OUT]);
        batch->results = r->out.buf;
    }
    batch->result_stride = sizeof(apart_result);
    return r->result != NULL;
}

/* A writable array of bytes for the caches, and of int32 for the statuses. */
static bool set_extras(PyObject *const *v, batch_arrays *r, apart_batch *batch)
{
    if (v[CACHES] != NULL) {
        if (PyObject_GetBuffer(v[CACHES], &r->caches, PyBUF_WRITABLE) < 0) {
            return false;
        }
        r->has_caches = true;
        if (r->caches.len != (Py_ssize_t)(batch->count * sizeof(apart_cache)) || (uintptr_t)r->caches.buf % 8 != 0) {
            return apy_length_error("caches", "what apart.caches(n) makes, one for each pair");
        }
        batch->caches = r->caches.buf;
        batch->cache_stride = sizeof(apart_cache);
    }
    if (v[STATUSES] != NULL) {
        if (PyObject_GetBuffer(v[STATUSES], &r->statuses, PyBUF_WRITABLE) < 0) {
            return false;
        }
        r->has_statuses = true;
        if (r->statuses.len != (Py_ssize_t)(batch->count * sizeof(apart_status)) || r->statuses.itemsize != 4) {
            return apy_length_error("statuses", "an array of int32, one for each pair");
        }
        batch->statuses = r->statuses.buf;
        batch->status_stride = sizeof(apart_status);
    }
    return true;
}

static PyObject *raise_first(const apart_batch *batch, apart_status status, size_t failed)
{
    char text[96];
    PyOS_snprintf(text, sizeof text,
                  failed == 0 ? "distance_batch" : "distance_batch, %zu of %zu pairs failed, the first", failed,
                  batch->count);
    return apy_raise(status, text);
}

/* Rows that the library did not touch would hold what was in memory: their distances are NaN instead. */
static void mark_failed(const apart_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->statuses[i] != APART_OK) {
            memset(&batch->results[i], 0, sizeof *batch->results);
            batch->results[i].distance = batch->results[i].lower = batch->results[i].upper = NAN;
        }
    }
}

static PyObject *run(PyObject *const *v, batch_arrays *r)
{
    apart_batch batch = {.count = 0};
    apy_options options;
    PyObject *words[APY_OPTION_COUNT] = {v[OPTIONS],     v[OPTIONS + 1], v[OPTIONS + 2], NULL, v[OPTIONS + 3],
                                         v[OPTIONS + 4], v[OPTIONS + 5], NULL,           NULL, NULL};
    if (!apy_threads(v[THREADS], &batch.threads) || !apy_options_get(words, &options) || !get_bodies(v, r) ||
        !set_pairs(v, r, &batch) || !set_results(v, r, &batch) || !set_extras(v, r, &batch)) {
        return NULL;
    }
    size_t failed = 0;
    apart_status status = APART_OK;
    PyThreadState *gil = apy_release_gil(true);
    status = apart_distance_batch(&batch, apy_options_pointer(&options), &failed);
    apy_take_gil(gil);
    if (status == APART_OK) {
        return r->result;
    }
    if (failed > 0 && batch.statuses != NULL) {
        mark_failed(&batch);
        return r->result;
    }
    return raise_first(&batch, status, failed);
}

static PyObject *distance_batch(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    batch_arrays arrays = {.pairs = NULL};
    if (!apy_bind(&batch_words, args, count, names, v)) {
        return NULL;
    }
    PyObject *result = run(v, &arrays);
    if (result == NULL) {
        Py_XDECREF(arrays.result);
    }
    release(&arrays);
    return result;
}

static PyObject *make_caches(PyObject *module, PyObject *count)
{
    (void)module;
    uint64_t wanted = 0;
    void *data = NULL;
    if (!apy_count(count, "count", UINT32_MAX, &wanted)) {
        return NULL;
    }
    const Py_ssize_t shape[2] = {(Py_ssize_t)wanted, sizeof(apart_cache) / 8};
    PyObject *type = PyUnicode_FromString("u8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    if (array != NULL) {
        memset(data, 0, (size_t)wanted * sizeof(apart_cache));
    }
    return array;
}

static PyMethodDef functions[] = {
    {"distance_batch", APY_CALL(distance_batch), APY_FAST,
     "distance_batch(shapes, poses=None, pairs=None, *, shapes_b=None, poses_b=None, caches=None, threads=1, out=None, "
     "statuses=None, **options)\n--\n\nThe distances of many pairs: a structured array with a row for each (columns "
     "distance, lower, upper, a, b, normal ...; relation is a number of apart.RELATIONS). shapes: Shapes, one Shape, "
     "or a "
     "sequence; poses: Poses, one Pose, or an array of shape (n, 4, 4). pairs: two body numbers a row; without them "
     "pair i is body i of (shapes, poses) and body i of (shapes_b, poses_b). caches: apart.caches(n). statuses: int32 "
     "array that gets the status of each pair; without it, a pair that fails raises apart.Error."},
    {"caches", make_caches, METH_O, "caches(count, /)\n--\n\nZeroed caches for the pairs of distance_batch()."},
    {NULL, NULL, 0, NULL}};

bool apy_add_batches(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }
