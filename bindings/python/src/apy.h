/* The Python module apart._apart: what its files share.
 *
 * The module uses the limited API of Python 3.11 and the public headers of apart, and nothing else. NumPy is called as
 * any Python library is (numpy.c); arrays come in by the buffer protocol (array.c) and go out as NumPy arrays that C
 * fills.
 * docs/decisions/0016-python.md says how objects map to C, who owns what, and when the GIL is released. */
#ifndef APART_PYTHON_APY_H
#define APART_PYTHON_APY_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

#include <apart/apart.h>
#include <apart/io.h>
#include <apart/mesh_body.h>
#include <apart/robot_io.h>

/* A function that takes its arguments as an array, cast as PyMethodDef wants it. */
#define APY_CALL(function) ((PyCFunction)(void (*)(void))(function))
#define APY_FAST (METH_FASTCALL | METH_KEYWORDS)

/* ---- arguments: bind.c ---- */

enum { APY_MOST_WORDS = 20 };

/* The words of a call: the first `positional` may be given by place, the first `required` must be given. */
typedef struct apy_signature {
    const char *function;
    int required, positional;
    const char *words[APY_MOST_WORDS + 1]; /* ends with NULL */
    PyObject *known[APY_MOST_WORDS];       /* the same, interned at the first call */
} apy_signature;

/* Puts the arguments in the order of the words. What is not given, or None, is NULL. False with an exception set. */
bool apy_bind(apy_signature *signature, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **out);
bool apy_bind_tuple(apy_signature *signature, PyObject *args, PyObject *named, PyObject **out);

bool apy_double(PyObject *value, const char *what, double *out); /* NULL: out keeps its value, as in all of these */
bool apy_flag(PyObject *value, const char *what, uint8_t *out);  /* a truth value */
bool apy_count(PyObject *value, const char *what, uint64_t most, uint64_t *out); /* a whole number from 0 to `most` */
bool apy_threads(PyObject *value, uint32_t *out);                                /* 1 to 256 */
bool apy_choice(PyObject *value, const char *what, const char *(*name)(int), int count, uint8_t *out);
bool apy_vec3(PyObject *value, const char *what, apart_vec3 *out); /* three numbers; two in the plane */
bool apy_doubles(PyObject *value, const char *what, Py_ssize_t count, double *out);
const char *apy_path(PyObject *value, PyObject **bytes); /* a str or path; release *bytes afterwards */

/* ---- errors: error.c ---- */

extern PyObject *apy_error; /* apart.Error */

/* Raises apart.Error with the library's message, after "what: " if that is given; returns NULL. */
PyObject *apy_raise(apart_status status, const char *what);
/* The same for errors in files. */
PyObject *apy_raise_io(apart_status status, const apart_io_error *error);
/* Keeps the exception that a support function raised until the query that called it has ended. */
void apy_keep_callback_error(void);
/* Raises what was kept, if anything was. */
bool apy_raise_kept_error(void);
bool apy_add_errors(PyObject *module);

/* ---- NumPy: numpy.c ---- */

bool apy_numpy_start(void);
PyObject *apy_numpy_array(PyObject *value, const char *type); /* a new array of a type such as "f8", safely converted */
/* A new array that C fills: `data` is valid as long as the array lives. dtype: a str or a dtype. */
PyObject *apy_numpy_empty(PyObject *dtype, const Py_ssize_t *shape, int dimensions, void **data);
PyObject *apy_numpy_doubles(const double *values, Py_ssize_t rows, Py_ssize_t columns); /* columns 0: one dimension */
PyObject *apy_numpy_words(const uint32_t *values, Py_ssize_t rows, Py_ssize_t columns);
PyObject *apy_numpy_vec3(apart_vec3 v);
/* A view into the memory that `owner` exports as a buffer. */
PyObject *apy_numpy_view(PyObject *owner, size_t offset, const char *type, const Py_ssize_t *shape,
                         const Py_ssize_t *strides, int dimensions);
PyObject *apy_numpy_dtype(PyObject *description);

/* ---- arrays by the buffer protocol: array.c ---- */

/* A caller's array of numbers. `type`: 'd' or 'f'; for indices 'I', 'i', 'Q' or 'q' (4 and 8 bytes). */
typedef struct apy_array {
    Py_buffer view;
    const char *data;
    Py_ssize_t shape[3], strides[3];
    int dimensions;
    char type;
} apy_array;

bool apy_reals(PyObject *value, const char *what, apy_array *out);
bool apy_indices(PyObject *value, const char *what, apy_array *out);
void apy_array_release(apy_array *array);
/* Element (i, j, k); of fewer dimensions with zeros. */
double apy_real_at(const apy_array *array, Py_ssize_t i, Py_ssize_t j, Py_ssize_t k);
/* An index below 2^32 - 1; anything else is UINT32_MAX, which the library refuses. */
uint32_t apy_index_at(const apy_array *array, Py_ssize_t i, Py_ssize_t j);
/* Packed numbers of a rows x columns array: the caller's own where they lie so, else a copy. */
typedef struct apy_packed {
    apy_array array;
    const double *numbers;
    double *copy;
    Py_ssize_t rows, columns;
} apy_packed;
bool apy_packed_get(PyObject *value, const char *what, Py_ssize_t columns, apy_packed *out);
void apy_packed_release(apy_packed *packed);
/* A copy of an array of points, floats or doubles. */
typedef struct apy_vertices {
    apart_vertices vertices;
    void *copy;
} apy_vertices;
bool apy_vertices_get(PyObject *value, const char *what, apy_vertices *out);
void apy_vertices_release(apy_vertices *vertices);
/* The same for indices; columns 0: one dimension. `numbers` is a copy that the caller frees with PyMem_Free. */
uint32_t *apy_index_copy(PyObject *value, const char *what, Py_ssize_t columns, Py_ssize_t *rows);
/* A writable, packed array of `count` elements of a dtype, that the caller gave for results. */
bool apy_out(PyObject *value, const char *what, PyObject *dtype, size_t size, Py_ssize_t count, Py_buffer *view);
bool apy_length_error(const char *what, const char *expected);

/* ---- records: record.c ---- */

/* What a member of a C struct is. */
typedef enum apy_kind {
    APY_F64,
    APY_U8,
    APY_U16,
    APY_U32,
    APY_U64,
    APY_INT,
    APY_FLAG8,   /* uint8_t as a bool */
    APY_FLAGINT, /* int as a bool */
    APY_NAME8,   /* uint8_t as the name of the value */
    APY_NAME32,
    APY_NAMEINT,
    APY_VEC3,
    APY_F64X4,
    APY_U32X4,
    APY_POSE,
    APY_TEXT,  /* const char *, of static storage */
    APY_LAYOUT /* a struct with a layout of its own */
} apy_kind;

struct apy_layout;

typedef struct apy_field {
    const char *name;
    apy_kind kind;
    size_t offset;
    const char *doc;
    const char *(*text)(int);        /* names of the values */
    const struct apy_layout *layout; /* of APY_LAYOUT */
} apy_field;

enum { APY_MOST_FIELDS = 32 };

/* A C struct as a Python type with attributes, and as a NumPy type with columns: both are made from this table. */
typedef struct apy_layout {
    const char *name; /* "apart.Impact" */
    const char *doc;
    size_t size;             /* of the C struct */
    const apy_field *fields; /* ends with a NULL name */
    PyMethodDef *methods;    /* beyond those of every record; NULL: none */
    PyGetSetDef *properties; /* likewise */
    PyTypeObject *type;      /* set by apy_layout_add */
    PyObject *dtype;         /* likewise */
    PyGetSetDef getset[2 * APY_MOST_FIELDS];
    PyMethodDef method[APY_MOST_FIELDS];
} apy_layout;

/* A record: the struct follows the head. `keep` is what it refers to. */
typedef struct apy_record {
    PyObject_HEAD PyObject *keep;
    double data[]; /* aligned for any struct */
} apy_record;

bool apy_layout_add(PyObject *module, apy_layout *layout);
PyObject *apy_record_new(const apy_layout *layout, const void *data, PyObject *keep);
PyObject *apy_field_get(PyObject *owner, const void *data, const apy_field *field, size_t offset_in_buffer);
bool apy_layout_is(const apy_layout *layout, PyObject *value);
PyObject *apy_record_load(PyObject *module, PyObject *args); /* for pickle */

/* ---- poses: pose.c ---- */

typedef struct apy_pose {
    PyObject_HEAD apart_pose pose;
} apy_pose;

extern PyTypeObject *apy_pose_type, *apy_poses_type;
PyObject *apy_pose_new(const apart_pose *pose);
bool apy_pose_get(PyObject *value, const char *what, apart_pose *out); /* NULL: the identity */
PyObject *apy_pose_array(const apart_pose *poses, Py_ssize_t count);   /* Poses with a copy of these */
bool apy_add_poses(PyObject *module);

/* Many poses: an object's own, one for all (stride 0), or converted from an array. */
typedef struct apy_pose_list {
    const apart_pose *poses;
    size_t stride;
    Py_ssize_t count; /* -1: one for all */
    apart_pose one, *made;
    PyObject *owner;
} apy_pose_list;
bool apy_pose_list_get(PyObject *value, const char *what, apy_pose_list *out);
void apy_pose_list_release(apy_pose_list *list);

/* ---- shapes: shape.c, shapes.c, hull.c, mesh.c, compound.c ---- */

typedef struct apy_shape {
    PyObject_HEAD apart_shape shape;
    PyObject *owner; /* what the shape borrows: an object or a tuple; NULL: nothing */
    bool quick;      /* queries of two such shapes take less than a microsecond, and keep the GIL */
} apy_shape;

typedef struct apy_hull {
    apy_shape base;
    const apart_hull *block;
    void *memory; /* of a copied block, or NULL */
    bool built;   /* freed by apart_hull_free */
} apy_hull;

typedef struct apy_mesh {
    PyObject_HEAD const apart_mesh *block;
    void *memory;
    bool built, surface;
    PyObject *owner; /* the mesh whose block this is */
} apy_mesh;

typedef struct apy_compound {
    PyObject_HEAD apart_compound *compound;
    PyObject *owner; /* the shapes of its parts, or the cover */
} apy_compound;

typedef struct apy_shapes {
    PyObject_HEAD apart_shape *shapes;
    Py_ssize_t count;
    apart_hull **hulls;
    Py_ssize_t hull_count;
    PyObject *owner;
} apy_shapes;

extern PyTypeObject *apy_shape_type, *apy_hull_type, *apy_mesh_type, *apy_compound_type, *apy_shapes_type;

PyObject *apy_shape_new(const apart_shape *shape, PyObject *owner); /* steals no reference */
bool apy_is_shape(PyObject *value);
PyObject *apy_hull_adopt(apart_hull *hull, const char *what); /* takes the hull, also when it fails */
/* Objects that own what C made; it is freed if they cannot be made. */
PyObject *apy_mesh_adopt(apart_mesh *mesh, bool surface);
PyObject *apy_cover_adopt(apart_cover *cover);
PyObject *apy_compound_adopt(apart_compound *compound, PyObject *owner);
PyObject *apy_compound_to_bytes(PyObject *self, PyObject *ignored); /* archive.c */
PyObject *apy_hull_of(const apart_hull *hull, PyObject *owner);     /* a hull that lives in another object */
bool apy_add_shapes(PyObject *module);
bool apy_add_shape_arrays(PyObject *module);
bool apy_add_hulls(PyObject *module);
bool apy_add_meshes(PyObject *module);
bool apy_add_compounds(PyObject *module);

/* A body of a query: a shape, compound or mesh, or what has vertices and faces. */
typedef struct apy_body {
    PyObject *object; /* a reference of our own */
    apart_solid solid;
    bool quick;
} apy_body;
bool apy_body_get(PyObject *value, const char *what, apy_body *out);
bool apy_body_shape(PyObject *value, const char *what, apy_body *out); /* a convex shape only */
void apy_body_release(apy_body *body);

typedef struct apy_pair {
    apy_body a, b;
    apart_pose pose_a, pose_b;
    bool shapes, quick;
} apy_pair;
bool apy_pair_get(PyObject *const *values, apy_pair *out); /* a, b, pose_a, pose_b */
void apy_pair_release(apy_pair *pair);

/* Many shapes: an object's own, one for all, or a sequence of shapes. */
typedef struct apy_shape_list {
    const apart_shape *shapes;
    size_t stride;
    Py_ssize_t count; /* -1: one for all */
    PyObject *owner;
} apy_shape_list;
bool apy_shape_list_get(PyObject *value, const char *what, apy_shape_list *out);
void apy_shape_list_release(apy_shape_list *list);
PyObject *apy_shapes_from_sequence(PyObject *sequence, const char *what);

/* ---- queries ---- */

/* The words of apart_options, in the order of apy_options_get. */
#define APY_OPTION_WORDS                                                                                    \
    "solver", "support", "depth", "no_fallback", "max_iterations", "cutoff", "tolerance", "stats", "trace", \
        "depth_cache"
enum { APY_OPTION_COUNT = 10 };

typedef struct apy_options {
    apart_options options;
    apart_stats stats;
    PyObject *stats_object, *depth_cache;
    bool given;   /* any option differs from the defaults */
    bool guarded; /* a trace is filled: the GIL is kept */
} apy_options;
bool apy_options_get(PyObject *const *values, apy_options *out);
void apy_options_release(apy_options *options); /* hands over the statistics */
bool apy_depth_cache_take(PyObject *object, apart_depth_cache **out);
void apy_depth_cache_give(PyObject *object);
const apart_options *apy_options_pointer(apy_options *options);
extern apy_layout apy_stats_layout, apy_feature_layout;

/* A cache object's contents, copied for the time of a query, so that threads may share the object. */
bool apy_cache_get(PyObject *object, apart_compound_cache *out, apart_compound_cache **used);
void apy_cache_put(PyObject *object, const apart_compound_cache *used);

/* The result of a pair; it keeps both bodies and poses for verify() and features. */
extern apy_layout apy_result_layout;
PyObject *apy_result_new(const apart_compound_result *result, PyObject *a, const apart_pose *pose_a, PyObject *b,
                         const apart_pose *pose_b);
const apart_compound_result *apy_result_data(PyObject *value, const char *what); /* NULL with an exception */
PyObject *apy_proof_new(const apart_proof *proof);

bool apy_add_results(PyObject *module);
bool apy_add_distances(PyObject *module);
bool apy_add_gradients(PyObject *module);
bool apy_add_measures(PyObject *module);
bool apy_add_depths(PyObject *module);
bool apy_add_near_parts(PyObject *module);
bool apy_add_batches(PyObject *module);
bool apy_add_contacts(PyObject *module);
bool apy_add_motions(PyObject *module);
bool apy_add_impacts(PyObject *module);
bool apy_add_rays(PyObject *module);
bool apy_add_nd(PyObject *module);
bool apy_add_worlds(PyObject *module);
bool apy_add_archives(PyObject *module);
bool apy_add_readers(PyObject *module);
bool apy_add_robots(PyObject *module);
bool apy_add_plans(PyObject *module);
bool apy_add_cells(PyObject *module);

/* ---- module.c ---- */

/* Adds a type made from a spec; `type` gets a reference of the module's. */
bool apy_add_type(PyObject *module, PyType_Spec *spec, PyObject *base, PyTypeObject **type);
/* Room for `count` elements and one more, for free(). */
void *apy_allocate(size_t count, size_t size);
/* Frees an object of a heap type. */
void apy_free(PyObject *self);

/* Queries that may take longer than a microsecond release the GIL: between these two nothing of Python is touched. */
static inline PyThreadState *apy_release_gil(bool release) { return release ? PyEval_SaveThread() : NULL; }
static inline void apy_take_gil(PyThreadState *state)
{
    if (state != NULL) {
        PyEval_RestoreThread(state);
    }
}

#endif
