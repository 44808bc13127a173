/* Result: the answer about a pair, which knows its bodies and poses; Proof and Feature. */
#include "apy.h"

#include <stddef.h>
#include <string.h>

/* A result begins like any record; what verify() and features() need follows. */
typedef struct result_object {
    PyObject_HEAD PyObject *keep; /* NULL */
    apart_compound_result data;
    PyObject *a, *b; /* NULL in a result without bodies */
    apart_pose pose_a, pose_b;
} result_object;

#define FIELD(name, member, kind, text, doc)                                 \
    {                                                                        \
        name, kind, offsetof(apart_compound_result, member), doc, text, NULL \
    }
static const apy_field result_fields[] = {
    FIELD("distance", result.distance, APY_F64, NULL, "Signed: above 0 the gap, below 0 minus the penetration depth."),
    FIELD("lower", result.lower, APY_F64, NULL, "Certified: lower <= true value."),
    FIELD("upper", result.upper, APY_F64, NULL, "Certified: true value <= upper."),
    FIELD("a", result.a, APY_VEC3, NULL, "Witness point on A, world frame."),
    FIELD("b", result.b, APY_VEC3, NULL, "Witness point on B: b - a = distance * normal."),
    FIELD("normal", result.normal, APY_VEC3, NULL, "Unit, from A to B."),
    FIELD("index_a", result.index_a, APY_U32X4, NULL, "The caller's vertex numbers of the simplex on A."),
    FIELD("index_b", result.index_b, APY_U32X4, NULL, "The same on B."),
    FIELD("weights", result.lambda, APY_F64X4, NULL, "Weights of the simplex points."),
    FIELD("iterations", result.iterations, APY_U16, NULL, "Iterations of the loop."),
    FIELD("count", result.count, APY_U8, NULL, "Simplex points, 1 to 4."),
    FIELD("relation", result.relation, APY_NAME8, apart_relation_name, "disjoint, touching, overlapping or beyond."),
    FIELD("stop", result.stop, APY_NAME8, apart_stop_name, "Why the query ended."),
    FIELD("solver", result.solver, APY_NAME8, apart_solver_name, "The solver that ran."),
    FIELD("fallback", result.fallback, APY_FLAG8, NULL, "The double-double fallback finished the query."),
    FIELD("dim", result.dim, APY_U8, NULL, "2 or 3."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
static const apy_field part_fields[] = {
    FIELD("part_a", part_a, APY_U32, NULL, "The part or triangle of A that decides; 0 for a shape."),
    FIELD("part_b", part_b, APY_U32, NULL, "The part or triangle of B."),
    FIELD("queries", queries, APY_U32, NULL, "Pairs of parts that were queried."),
    FIELD("boxes", boxes, APY_U32, NULL, "Pairs of boxes that were compared."),
};
#undef FIELD

#define FIELD(member, kind, text, doc)                                  \
    {                                                                   \
#member, kind, offsetof(apart_feature, member), doc, text, NULL \
    }
static const apy_field feature_fields[] = {
    FIELD(kind, APY_NAME8, apart_feature_name, "vertex, edge, face, curved or interior."),
    FIELD(count, APY_U8, NULL, "Vertices given in index."),
    FIELD(index, APY_U32X4, NULL, "The caller's vertex numbers that span it."),
    FIELD(number, APY_U32, NULL, "Edge or face number, or the primitive's feature number; NO_INDEX if none."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
apy_layout apy_feature_layout = {.name = "apart.Feature",
                                 .doc = "A closest feature with the caller's numbers (docs/features.md).",
                                 .size = sizeof(apart_feature),
                                 .fields = feature_fields};

#define FIELD(member, kind, text, doc)                                \
    {                                                                 \
#member, kind, offsetof(apart_proof, member), doc, text, NULL \
    }
static const apy_field proof_fields[] = {
    FIELD(verdict, APY_NAME8, apart_verdict_name, "proved, refuted or undecided."),
    FIELD(lower, APY_F64, NULL, "The lower bound that the check itself proved."),
    FIELD(upper, APY_F64, NULL, "The upper bound."),
    FIELD(reason, APY_TEXT, NULL, "What is false, or what is missing."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD

static PyObject *proof_is_proved(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((const apart_proof *)(const void *)((apy_record *)self)->data)->verdict == APART_PROVED);
}

/* A proof's reason is a pointer, so it travels as its words. */
static PyObject *proof_reduce(PyObject *self, PyObject *ignored)
{
    (void)self;
    (void)ignored;
    PyErr_SetString(PyExc_TypeError, "a proof is not pickled: verify the result where it is needed");
    return NULL;
}

static PyGetSetDef proof_properties[] = {{"proved", proof_is_proved, NULL, "Whether the verdict is \"proved\".", NULL},
                                         {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef proof_methods[] = {{"__reduce__", proof_reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static apy_layout proof_layout = {.name = "apart.Proof",
                                  .doc = "What an independent check of a result found.",
                                  .size = sizeof(apart_proof),
                                  .fields = proof_fields,
                                  .methods = proof_methods,
                                  .properties = proof_properties};

PyObject *apy_proof_new(const apart_proof *proof) { return apy_record_new(&proof_layout, proof, NULL); }

/* ---- the type ---- */

static PyTypeObject *result_type;
apy_layout apy_result_layout; /* of arrays: made below from the same members */

PyObject *apy_result_new(const apart_compound_result *result, PyObject *a, const apart_pose *pose_a, PyObject *b,
                         const apart_pose *pose_b)
{
    result_object *self = (result_object *)PyType_GenericAlloc(result_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->data = *result;
    self->a = Py_XNewRef(a);
    self->b = Py_XNewRef(b);
    if (pose_a != NULL && pose_b != NULL) {
        self->pose_a = *pose_a;
        self->pose_b = *pose_b;
    }
    return (PyObject *)self;
}

const apart_compound_result *apy_result_data(PyObject *value, const char *what)
{
    if (value == NULL || !Py_IS_TYPE(value, result_type)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a Result", what);
        return NULL;
    }
    return &((result_object *)value)->data;
}

static PyObject *get_member(PyObject *self, void *closure)
{
    return apy_field_get(self, &((result_object *)self)->data, closure, 0);
}

static int result_buffer(PyObject *self, Py_buffer *view, int flags)
{
    result_object *r = (result_object *)self;
    return PyBuffer_FillInfo(view, self, &r->data, (Py_ssize_t)sizeof r->data, 1, flags);
}

/* Both bodies as solids; false with an exception where the result has none. */
static bool bodies_of(result_object *self, apy_body *a, apy_body *b)
{
    if (self->a == NULL || self->b == NULL) {
        PyErr_SetString(PyExc_ValueError, "this result does not know its bodies");
        return false;
    }
    if (!apy_body_get(self->a, "a", a)) {
        return false;
    }
    if (!apy_body_get(self->b, "b", b)) {
        apy_body_release(a);
        return false;
    }
    return true;
}

static PyObject *result_verify(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    result_object *self = (result_object *)object;
    apy_body a, b;
    apart_proof proof;
    if (!bodies_of(self, &a, &b)) {
        return NULL;
    }
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        a.solid.shape != NULL && b.solid.shape != NULL
            ? apart_verify(a.solid.shape, &self->pose_a, b.solid.shape, &self->pose_b, &self->data.result, &proof)
            : apart_verify_solids(a.solid, &self->pose_a, b.solid, &self->pose_b, &self->data, &proof);
    apy_take_gil(gil);
    apy_body_release(&a);
    apy_body_release(&b);
    return status == APART_OK ? apy_proof_new(&proof) : apy_raise(status, "verify");
}

/* The convex shape that decides, and its world pose: the body's own, or a part's. Of a mesh there is none. */
static const apart_shape *deciding_shape(const apart_solid *solid, uint32_t part, const apart_pose *pose,
                                         apart_pose *out)
{
    *out = *pose;
    if (solid->compound == NULL) {
        return solid->shape;
    }
    const apart_part *p = apart_compound_part(solid->compound, part);
    if (p == NULL) {
        return NULL;
    }
    *out = apart_pose_compose(pose, &p->pose);
    return &p->shape;
}

static PyObject *result_features(PyObject *object, void *closure)
{
    (void)closure;
    result_object *self = (result_object *)object;
    apy_body a, b;
    apart_pose pose_a, pose_b;
    apart_feature on_a, on_b;
    if (!bodies_of(self, &a, &b)) {
        return NULL;
    }
    const apart_shape *shape_a = deciding_shape(&a.solid, self->data.part_a, &self->pose_a, &pose_a);
    const apart_shape *shape_b = deciding_shape(&b.solid, self->data.part_b, &self->pose_b, &pose_b);
    PyObject *both = NULL;
    if (shape_a == NULL || shape_b == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "features are those of shapes and of parts; of a mesh, part_a or part_b is the triangle");
    } else {
        const apart_status status =
            apart_features(shape_a, &pose_a, shape_b, &pose_b, &self->data.result, &on_a, &on_b);
        both = status != APART_OK ? apy_raise(status, "features")
                                  : Py_BuildValue("(NN)", apy_record_new(&apy_feature_layout, &on_a, NULL),
                                                  apy_record_new(&apy_feature_layout, &on_b, NULL));
    }
    apy_body_release(&a);
    apy_body_release(&b);
    return both;
}

static PyObject *result_in_frame(PyObject *object, PyObject *pose)
{
    const result_object *self = (const result_object *)object;
    apart_pose frame;
    apart_compound_result moved = self->data;
    if (!apy_pose_get(pose, "pose", &frame)) {
        return NULL;
    }
    apart_result_in_frame(&self->data.result, &frame, &moved.result);
    const apart_pose inverse = apart_pose_inverse(&frame);
    const apart_pose a = apart_pose_compose(&inverse, &self->pose_a), b = apart_pose_compose(&inverse, &self->pose_b);
    return apy_result_new(&moved, self->a, &a, self->b, &b);
}

static PyObject *get_body(PyObject *self, void *which)
{
    PyObject *body = which == NULL ? ((result_object *)self)->a : ((result_object *)self)->b;
    return Py_NewRef(body == NULL ? Py_None : body);
}

static PyObject *get_pose(PyObject *self, void *which)
{
    return apy_pose_new(which == NULL ? &((result_object *)self)->pose_a : &((result_object *)self)->pose_b);
}

static PyObject *result_repr(PyObject *self)
{
    const apart_result *r = &((result_object *)self)->data.result;
    char numbers[160];
    PyOS_snprintf(numbers, sizeof numbers, "distance=%.17g, lower=%.17g, upper=%.17g", r->distance, r->lower, r->upper);
    return PyUnicode_FromFormat("<apart result: %s, %s>", numbers, apart_relation_name(r->relation));
}

/* ---- pickling ---- */

static PyObject *result_reduce(PyObject *object, PyObject *ignored)
{
    (void)ignored;
    const result_object *self = (const result_object *)object;
    PyObject *module = PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_result");
    Py_XDECREF(module);
    return load == NULL ? NULL
                        : Py_BuildValue("N(y#OOy#)", load, (const char *)&self->data, (Py_ssize_t)sizeof self->data,
                                        self->a == NULL ? Py_None : self->a, self->b == NULL ? Py_None : self->b,
                                        (const char *)&self->pose_a, (Py_ssize_t)(2 * sizeof self->pose_a));
}

static PyObject *result_load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *data, *poses;
    Py_ssize_t size, pose_size;
    PyObject *a, *b;
    apart_compound_result result;
    apart_pose pose[2];
    if (!PyArg_ParseTuple(args, "y#OOy#", &data, &size, &a, &b, &poses, &pose_size)) {
        return NULL;
    }
    if (size != (Py_ssize_t)sizeof result || pose_size != (Py_ssize_t)sizeof pose) {
        PyErr_SetString(PyExc_ValueError, "a pickle of another version of apart (result)");
        return NULL;
    }
    memcpy(&result, data, sizeof result);
    memcpy(pose, poses, sizeof pose);
    return apy_result_new(&result, a == Py_None ? NULL : a, &pose[0], b == Py_None ? NULL : b, &pose[1]);
}

static void result_free(PyObject *self)
{
    Py_XDECREF(((result_object *)self)->a);
    Py_XDECREF(((result_object *)self)->b);
    apy_free(self);
}

static PyMethodDef result_methods[] =
    {{"verify", result_verify, METH_NOARGS, "verify($self)\n--\n\nChecks the result by independent code: a Proof."},
     {"in_frame", result_in_frame, METH_O,
      "in_frame($self, pose, /)\n--\n\nThe result with points and normal in a body's frame."},
     {"__reduce__", result_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};

enum {
    RESULT_FIELDS = sizeof result_fields / sizeof *result_fields - 1,
    PART_FIELDS = sizeof part_fields / sizeof *part_fields
};
static PyGetSetDef result_getset[RESULT_FIELDS + PART_FIELDS + 6];

static void collect_members(void)
{
    static char second;
    int count = 0;
    for (int i = 0; i < RESULT_FIELDS + PART_FIELDS; i++) {
        const apy_field *f = i < RESULT_FIELDS ? &result_fields[i] : &part_fields[i - RESULT_FIELDS];
        result_getset[count++] =
            (PyGetSetDef){.name = f->name, .get = get_member, .doc = f->doc, .closure = (void *)(uintptr_t)f};
    }
    result_getset[count++] = (PyGetSetDef){"features", result_features, NULL, "The closest features of A and B.", NULL};
    result_getset[count++] = (PyGetSetDef){"body_a", get_body, NULL, "Body A.", NULL};
    result_getset[count++] = (PyGetSetDef){"body_b", get_body, NULL, "Body B.", &second};
    result_getset[count++] = (PyGetSetDef){"pose_a", get_pose, NULL, "The pose of A.", NULL};
    result_getset[count++] = (PyGetSetDef){"pose_b", get_pose, NULL, "The pose of B.", &second};
}

static PyType_Slot result_slots[] = {{Py_tp_doc, "The signed distance of two bodies with bounds and witness points."},
                                     {Py_tp_methods, result_methods},
                                     {Py_tp_getset, result_getset},
                                     {Py_tp_repr, (void *)result_repr},
                                     {Py_bf_getbuffer, (void *)result_buffer},
                                     {Py_tp_dealloc, (void *)result_free},
                                     {0, NULL}};
static PyType_Spec result_spec = {.name = "apart.Result",
                                  .basicsize = sizeof(result_object),
                                  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  .slots = result_slots};

static PyMethodDef functions[] = {{"_load_result", result_load, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

bool apy_add_results(PyObject *module)
{
    collect_members();
    /* A row of a batch is the C struct apart_result, with which the members of a pair's result begin. */
    apy_result_layout = (apy_layout){.name = "apart.BatchResult",
                                     .doc = "A row of a batch.",
                                     .size = sizeof(apart_result),
                                     .fields = result_fields};
    return apy_layout_add(module, &apy_feature_layout) && apy_layout_add(module, &proof_layout) &&
           apy_layout_add(module, &apy_result_layout) && apy_add_type(module, &result_spec, NULL, &result_type) &&
           PyObject_SetAttrString((PyObject *)result_type, "dtype", apy_result_layout.dtype) == 0 &&
           PyModule_AddFunctions(module, functions) == 0;
}
