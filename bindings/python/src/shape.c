/* Shape: a convex shape as an immutable object that keeps alive what the C value borrows. */
#include "apy.h"

#include <math.h>
#include <string.h>

PyTypeObject *apy_shape_type;

bool apy_is_shape(PyObject *value) { return PyObject_TypeCheck(value, apy_shape_type); }

static apart_shape *of(PyObject *self) { return &((apy_shape *)self)->shape; }

static bool is_quick(const apart_shape *s)
{
    switch (s->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE:
    case APART_SHAPE_BOX:
    case APART_SHAPE_HALF_SPACE: return true;
    case APART_SHAPE_HULL: return apart_hull_vertex_count(s->u.hull) <= 8;
    default: return false;
    }
}

/* Sets what is known of a shape in an object that was just made; an invalid shape is an error. */
static bool set_shape(apy_shape *self, const apart_shape *shape, PyObject *owner)
{
    if (shape->status != APART_OK) {
        return apy_raise((apart_status)shape->status, NULL) != NULL;
    }
    self->shape = *shape;
    self->owner = Py_XNewRef(owner);
    self->quick = is_quick(shape);
    return true;
}

PyObject *apy_shape_new(const apart_shape *shape, PyObject *owner)
{
    apy_shape *self = (apy_shape *)PyType_GenericAlloc(apy_shape_type, 0);
    if (self != NULL && !set_shape(self, shape, owner)) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- constructors ---- */

typedef enum shape_form {
    FORM_POINT,
    FORM_SEGMENT,
    FORM_TRIANGLE,
    FORM_SPHERE,
    FORM_BOX,
    FORM_CAPSULE,
    FORM_CYLINDER,
    FORM_CONE,
    FORM_ELLIPSOID,
    FORM_HALF_SPACE,
    FORM_POINT_2D,
    FORM_SEGMENT_2D,
    FORM_CAPSULE_2D,
    FORM_HALF_SPACE_2D,
    FORM_CIRCLE,
    FORM_RECTANGLE,
    FORM_COUNT
} shape_form;

/* The words of each constructor, and which of them are vectors: the first `vectors`. */
static struct {
    apy_signature words;
    int vectors;
} forms[FORM_COUNT] = {
    [FORM_POINT] = {{"point", 1, 1, {"p"}, {NULL}}, 1},
    [FORM_SEGMENT] = {{"segment", 2, 2, {"p", "q"}, {NULL}}, 2},
    [FORM_TRIANGLE] = {{"triangle", 3, 3, {"p", "q", "r"}, {NULL}}, 3},
    [FORM_SPHERE] = {{"sphere", 1, 1, {"radius"}, {NULL}}, 0},
    [FORM_BOX] = {{"box", 1, 1, {"half_extents"}, {NULL}}, 1},
    [FORM_CAPSULE] = {{"capsule", 2, 2, {"radius", "half_height"}, {NULL}}, 0},
    [FORM_CYLINDER] = {{"cylinder", 2, 2, {"radius", "half_height"}, {NULL}}, 0},
    [FORM_CONE] = {{"cone", 2, 2, {"radius", "half_height"}, {NULL}}, 0},
    [FORM_ELLIPSOID] = {{"ellipsoid", 1, 1, {"semi_axes"}, {NULL}}, 1},
    [FORM_HALF_SPACE] = {{"half_space", 2, 2, {"normal", "offset"}, {NULL}}, 1},
    [FORM_POINT_2D] = {{"point_2d", 2, 2, {"x", "y"}, {NULL}}, 0},
    [FORM_SEGMENT_2D] = {{"segment_2d", 4, 4, {"px", "py", "qx", "qy"}, {NULL}}, 0},
    [FORM_CAPSULE_2D] = {{"capsule_2d", 2, 2, {"radius", "half_height"}, {NULL}}, 0},
    [FORM_HALF_SPACE_2D] = {{"half_space_2d", 3, 3, {"normal_x", "normal_y", "offset"}, {NULL}}, 0},
    [FORM_CIRCLE] = {{"circle", 1, 1, {"radius"}, {NULL}}, 0},
    [FORM_RECTANGLE] = {{"rectangle", 2, 2, {"half_x", "half_y"}, {NULL}}, 0},
};

static apart_shape build(shape_form form, const apart_vec3 *v, const double *n)
{
    switch (form) {
    case FORM_POINT: return apart_point(v[0]);
    case FORM_SEGMENT: return apart_segment(v[0], v[1]);
    case FORM_TRIANGLE: return apart_triangle(v[0], v[1], v[2]);
    case FORM_SPHERE: return apart_sphere(n[0]);
    case FORM_BOX: return apart_box(v[0]);
    case FORM_CAPSULE: return apart_capsule(n[0], n[1]);
    case FORM_CYLINDER: return apart_cylinder(n[0], n[1]);
    case FORM_CONE: return apart_cone(n[0], n[1]);
    case FORM_ELLIPSOID: return apart_ellipsoid(v[0]);
    case FORM_HALF_SPACE: return apart_half_space(v[0], n[1]);
    case FORM_POINT_2D: return apart_point_2d(n[0], n[1]);
    case FORM_SEGMENT_2D: return apart_segment_2d(n[0], n[1], n[2], n[3]);
    case FORM_CAPSULE_2D: return apart_capsule_2d(n[0], n[1]);
    case FORM_HALF_SPACE_2D: return apart_half_space_2d(n[0], n[1], n[2]);
    case FORM_CIRCLE: return apart_circle(n[0]);
    default: return apart_rectangle(n[0], n[1]);
    }
}

static PyObject *construct(shape_form form, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *given[APY_MOST_WORDS];
    apy_signature *s = &forms[form].words;
    apart_vec3 vectors[3];
    double numbers[4];
    if (!apy_bind(s, args, count, names, given)) {
        return NULL;
    }
    for (int i = 0; s->words[i] != NULL; i++) {
        const bool good = i < forms[form].vectors ? apy_vec3(given[i], s->words[i], &vectors[i])
                                                  : apy_double(given[i], s->words[i], &numbers[i]);
        if (!good) {
            return NULL;
        }
    }
    const apart_shape shape = build(form, vectors, numbers);
    return shape.status == APART_OK ? apy_shape_new(&shape, NULL) : apy_raise((apart_status)shape.status, s->function);
}

#define CONSTRUCTOR(name, form)                                                                       \
    static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names) \
    {                                                                                                 \
        (void)module;                                                                                 \
        return construct(form, args, count, names);                                                   \
    }
CONSTRUCTOR(make_point, FORM_POINT)
CONSTRUCTOR(make_segment, FORM_SEGMENT)
CONSTRUCTOR(make_triangle, FORM_TRIANGLE)
CONSTRUCTOR(make_sphere, FORM_SPHERE)
CONSTRUCTOR(make_box, FORM_BOX)
CONSTRUCTOR(make_capsule, FORM_CAPSULE)
CONSTRUCTOR(make_cylinder, FORM_CYLINDER)
CONSTRUCTOR(make_cone, FORM_CONE)
CONSTRUCTOR(make_ellipsoid, FORM_ELLIPSOID)
CONSTRUCTOR(make_half_space, FORM_HALF_SPACE)
CONSTRUCTOR(make_point_2d, FORM_POINT_2D)
CONSTRUCTOR(make_segment_2d, FORM_SEGMENT_2D)
CONSTRUCTOR(make_capsule_2d, FORM_CAPSULE_2D)
CONSTRUCTOR(make_half_space_2d, FORM_HALF_SPACE_2D)
CONSTRUCTOR(make_circle, FORM_CIRCLE)
CONSTRUCTOR(make_rectangle, FORM_RECTANGLE)
#undef CONSTRUCTOR

/* ---- point sets: a copy of the caller's coordinates, kept by a bytes object ---- */

static PyObject *shape_of_points(PyObject *array, const char *what, Py_ssize_t columns)
{
    apy_packed points;
    if (!apy_packed_get(array, what, columns, &points)) {
        return NULL;
    }
    const Py_ssize_t rows = points.rows;
    PyObject *copy =
        PyBytes_FromStringAndSize((const char *)points.numbers, rows * columns * (Py_ssize_t)sizeof(double));
    apy_packed_release(&points);
    if (copy == NULL) {
        return NULL;
    }
    const double *numbers = (const double *)(const void *)PyBytes_AsString(copy);
    const apart_shape shape = columns == 3 ? apart_points(numbers, (size_t)rows) : apart_polygon(numbers, (size_t)rows);
    PyObject *made =
        shape.status == APART_OK ? apy_shape_new(&shape, copy) : apy_raise((apart_status)shape.status, what);
    Py_DECREF(copy);
    return made;
}

static PyObject *make_points(PyObject *module, PyObject *array)
{
    (void)module;
    return shape_of_points(array, "points", 3);
}

static PyObject *make_polygon(PyObject *module, PyObject *array)
{
    (void)module;
    return shape_of_points(array, "polygon", 2);
}

/* ---- own support functions ---- */

static apart_vec3 call_support(const void *user, apart_vec3 direction)
{
    const apart_vec3 nothing = {NAN, NAN, NAN};
    apart_vec3 point = nothing;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *towards = apy_numpy_vec3(direction);
    PyObject *found = towards == NULL ? NULL : PyObject_CallFunctionObjArgs((PyObject *)(uintptr_t)user, towards, NULL);
    if (found == NULL || !apy_vec3(found, "the support function's point", &point)) {
        apy_keep_callback_error();
        point = nothing;
    }
    Py_XDECREF(towards);
    Py_XDECREF(found);
    PyGILState_Release(state);
    return point;
}

static PyObject *shape_of_function(PyObject *function, apart_vec3 center, double radius, double error, int dim)
{
    if (!PyCallable_Check(function)) {
        PyErr_SetString(PyExc_TypeError, "support: expected a function of a direction");
        return NULL;
    }
    const apart_callback callback = {.support = call_support,
                                     .user = function,
                                     .center = center,
                                     .radius = radius,
                                     .error = error};
    const apart_shape shape = dim == 2 ? apart_callback_shape_2d(callback) : apart_callback_shape(callback);
    return apy_shape_new(&shape, function);
}

static apy_signature support_words = {"support_shape", 3, 2, {"support", "center", "radius", "error", "dim"}, {NULL}};

static PyObject *make_support_shape(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_vec3 center;
    double radius = 0.0, error = 0.0;
    uint64_t dim = 3;
    if (!apy_bind(&support_words, args, count, names, v) || !apy_vec3(v[1], "center", &center) ||
        !apy_double(v[2], "radius", &radius) || !apy_double(v[3], "error", &error) ||
        !apy_count(v[4], "dim", 3, &dim)) {
        return NULL;
    }
    return shape_of_function(v[0], center, radius, error, (int)dim);
}

/* ---- the algebra ---- */

static bool take_shape(PyObject *value, const char *what, PyObject **out)
{
    if (value != NULL && apy_is_shape(value)) {
        *out = value;
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s: expected a Shape, got %R", what,
                 value == NULL ? Py_None : (PyObject *)Py_TYPE(value));
    return false;
}

static apy_signature rounded_words = {"rounded", 2, 2, {"shape", "radius"}, {NULL}};

static PyObject *make_rounded(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *shape;
    double radius = 0.0;
    if (!apy_bind(&rounded_words, args, count, names, v) || !take_shape(v[0], "shape", &shape) ||
        !apy_double(v[1], "radius", &radius)) {
        return NULL;
    }
    const apart_shape round = apart_rounded(*of(shape), radius);
    const bool owns_block = PyObject_TypeCheck(shape, apy_hull_type);
    return apy_shape_new(&round, owns_block ? shape : ((apy_shape *)shape)->owner); /* both borrow the same */
}

static apy_signature two_words = {"sum", 2, 2, {"first", "second"}, {NULL}};

static PyObject *of_two(PyObject *const *args, Py_ssize_t count, PyObject *names, bool sum)
{
    PyObject *v[APY_MOST_WORDS], *first, *second;
    if (!apy_bind(&two_words, args, count, names, v) || !take_shape(v[0], "first", &first) ||
        !take_shape(v[1], "second", &second)) {
        return NULL;
    }
    const apart_shape shape = sum ? apart_sum(of(first), of(second)) : apart_hull_of_two(of(first), of(second));
    PyObject *both = Py_BuildValue("(OO)", first, second);
    PyObject *made = both == NULL ? NULL : apy_shape_new(&shape, both);
    Py_XDECREF(both);
    return made;
}

static PyObject *make_sum(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    return of_two(args, count, names, true);
}

static PyObject *make_hull_of_two(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    return of_two(args, count, names, false);
}

static apy_signature affine_words = {"affine", 2, 3, {"shape", "linear", "offset"}, {NULL}};

static PyObject *make_affine(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *child;
    apart_vec3 offset = {0, 0, 0};
    apy_packed m;
    if (!apy_bind(&affine_words, args, count, names, v) || !take_shape(v[0], "shape", &child) ||
        !apy_vec3(v[2], "offset", &offset) || !apy_packed_get(v[1], "linear", 3, &m)) {
        return NULL;
    }
    const double *n = m.numbers;
    const bool square = m.rows == 3;
    const apart_mat3 linear = square ? (apart_mat3){{n[0], n[3], n[6]}, {n[1], n[4], n[7]}, {n[2], n[5], n[8]}}
                                     : (apart_mat3){{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    apy_packed_release(&m);
    if (!square) {
        apy_length_error("linear", "a 3x3 matrix");
        return NULL;
    }
    const apart_shape shape = apart_affine(of(child), linear, offset);
    return apy_shape_new(&shape, child);
}

/* ---- methods ---- */

static PyObject *shape_support(PyObject *self, PyObject *direction)
{
    apart_vec3 d, point;
    if (!apy_vec3(direction, "direction", &d)) {
        return NULL;
    }
    const apart_status status = apart_support(of(self), d, &point);
    return status == APART_OK ? apy_numpy_vec3(point) : apy_raise(status, NULL);
}

static apy_signature aabb_words = {"aabb", 0, 1, {"pose"}, {NULL}};

static PyObject *shape_aabb(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_pose pose;
    apart_aabb box;
    if (!apy_bind(&aabb_words, args, count, names, v) || !apy_pose_get(v[0], "pose", &pose)) {
        return NULL;
    }
    const apart_status status = apart_shape_aabb(of(self), &pose, &box);
    return status == APART_OK ? apy_numpy_doubles(&box.min.x, 2, 3) : apy_raise(status, NULL);
}

static PyObject *shape_ball(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_vec3 center;
    double radius;
    const apart_status status = apart_shape_ball(of(self), &center, &radius);
    return status == APART_OK ? Py_BuildValue("(Nd)", apy_numpy_vec3(center), radius) : apy_raise(status, NULL);
}

static PyObject *shape_check(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const apart_status status = apart_shape_check(of(self));
    return status == APART_OK ? Py_NewRef(Py_None) : apy_raise(status, NULL);
}

static PyObject *shape_name(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(apart_shape_name(of(self)));
}

static PyObject *shape_dim(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(of(self)->dim);
}

static PyObject *shape_radius(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(of(self)->radius);
}

/* The command line's text: the name, the parameters, and what it is rounded by. */
typedef struct shape_text {
    const char *name;
    double numbers[9];
    int count;
    double round;
} shape_text;

static bool describe(const apart_shape *s, shape_text *t)
{
    const apart_vec3 *p = s->u.point, h = s->u.half_extents;
    const bool flat = s->dim == 2, axis = p[0].x == 0.0 && p[0].y == 0.0 && p[1].x == 0.0 && p[1].y == 0.0 &&
                                          p[0].z == -p[1].z && s->radius > 0.0 && s->dim == 3;
    const bool origin = p[0].x == 0.0 && p[0].y == 0.0 && p[0].z == 0.0 && s->radius > 0.0;
    *t = (shape_text){.round = s->radius};
    switch (s->kind) {
    case APART_SHAPE_POINT:
        *t = origin ? (shape_text){flat ? "circle" : "sphere", {s->radius}, 1, 0.0}
                    : (shape_text){flat ? "point2" : "point", {p[0].x, p[0].y, p[0].z}, flat ? 2 : 3, s->radius};
        return true;
    case APART_SHAPE_SEGMENT:
        *t = axis   ? (shape_text){"capsule", {s->radius, fabs(p[1].z)}, 2, 0.0}
             : flat ? (shape_text){"segment2", {p[0].x, p[0].y, p[1].x, p[1].y}, 4, s->radius}
                    : (shape_text){"segment", {p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z}, 6, s->radius};
        return true;
    case APART_SHAPE_TRIANGLE:
        *t = (shape_text){"triangle",
                          {p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z, p[2].x, p[2].y, p[2].z},
                          9,
                          s->radius};
        return true;
    case APART_SHAPE_BOX:
        *t = (shape_text){flat ? "rectangle" : "box", {h.x, h.y, h.z}, flat ? 2 : 3, s->radius};
        return true;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
        *t = (shape_text){s->kind == APART_SHAPE_CONE ? "cone" : "cylinder",
                          {s->u.round.radius, s->u.round.half_height},
                          2,
                          s->radius};
        return true;
    case APART_SHAPE_ELLIPSOID: *t = (shape_text){"ellipsoid", {h.x, h.y, h.z}, 3, s->radius}; return true;
    case APART_SHAPE_HALF_SPACE: {
        const apart_vec3 n = s->u.plane.normal;
        *t = (shape_text){"halfspace", {n.x, n.y, n.z, s->u.plane.offset}, flat ? 0 : 4, s->radius};
        return !flat;
    }
    default: return false;
    }
}

static PyObject *shape_get_text(PyObject *self, void *closure)
{
    (void)closure;
    shape_text t;
    if (!describe(of(self), &t)) {
        Py_RETURN_NONE;
    }
    char text[320];
    int used = PyOS_snprintf(text, sizeof text, "%s", t.name);
    for (int i = 0; i < t.count; i++) {
        used += PyOS_snprintf(text + used, sizeof text - (size_t)used, "%c%.17g", i == 0 ? ':' : ',', t.numbers[i]);
    }
    if (t.round > 0.0) {
        PyOS_snprintf(text + used, sizeof text - (size_t)used, "+%.17g", t.round);
    }
    return PyUnicode_FromString(text);
}

static PyObject *shape_hull(PyObject *self, void *closure)
{
    (void)closure;
    if (of(self)->kind != APART_SHAPE_HULL) {
        Py_RETURN_NONE;
    }
    return apy_hull_of(of(self)->u.hull, self);
}

/* ---- pickling: the C value without its pointers, and what it borrows ---- */

static PyObject *shape_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_shape plain = *of(self);
    PyObject *owner = Py_XNewRef(((apy_shape *)self)->owner);
    switch (plain.kind) {
    case APART_SHAPE_HULL:
        Py_XDECREF(owner);
        owner = apy_hull_of(plain.u.hull, self); /* of one hull, where the owner may have many */
        plain.u.hull = NULL;
        break;
    case APART_SHAPE_POINTS:
        Py_XDECREF(owner);
        owner = PyBytes_FromStringAndSize((const char *)plain.u.points.coordinates,
                                          (Py_ssize_t)(plain.u.points.count * plain.dim * sizeof(double)));
        plain.u.points.coordinates = NULL;
        break;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO: plain.u.pair.first = plain.u.pair.second = NULL; break;
    case APART_SHAPE_AFFINE: plain.u.affine.child = NULL; break;
    case APART_SHAPE_CALLBACK:
        plain.u.callback.support = NULL;
        plain.u.callback.user = NULL;
        break;
    default: Py_CLEAR(owner); break;
    }
    PyObject *module = PyErr_Occurred() != NULL ? NULL : PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_shape");
    Py_XDECREF(module);
    PyObject *reduced = load == NULL ? NULL
                                     : Py_BuildValue("N(y#O)", load, (const char *)&plain, (Py_ssize_t)sizeof plain,
                                                     owner == NULL ? Py_None : owner);
    Py_XDECREF(owner);
    return reduced;
}

/* Puts the pointers of a pickled shape back. */
static bool point_again(apart_shape *s, PyObject *owner)
{
    switch (s->kind) {
    case APART_SHAPE_HULL:
        if (!PyObject_TypeCheck(owner, apy_hull_type)) {
            return false;
        }
        s->u.hull = ((apy_hull *)owner)->block;
        return true;
    case APART_SHAPE_POINTS:
        if (!PyBytes_Check(owner) || (size_t)PyBytes_Size(owner) != s->u.points.count * s->dim * sizeof(double)) {
            return false;
        }
        s->u.points.coordinates = (const double *)(const void *)PyBytes_AsString(owner);
        return true;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        if (!PyTuple_Check(owner) || PyTuple_Size(owner) != 2 || !apy_is_shape(PyTuple_GetItem(owner, 0)) ||
            !apy_is_shape(PyTuple_GetItem(owner, 1))) {
            return false;
        }
        s->u.pair.first = of(PyTuple_GetItem(owner, 0));
        s->u.pair.second = of(PyTuple_GetItem(owner, 1));
        return true;
    case APART_SHAPE_AFFINE: s->u.affine.child = apy_is_shape(owner) ? of(owner) : NULL; return apy_is_shape(owner);
    case APART_SHAPE_CALLBACK:
        s->u.callback.support = call_support;
        s->u.callback.user = owner;
        return PyCallable_Check(owner);
    default: return s->kind > APART_SHAPE_NONE && s->kind < APART_SHAPE_HULL;
    }
}

static PyObject *shape_load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t size;
    PyObject *owner;
    apart_shape shape;
    if (!PyArg_ParseTuple(args, "y#O", &bytes, &size, &owner)) {
        return NULL;
    }
    if (size == (Py_ssize_t)sizeof shape) {
        memcpy(&shape, bytes, sizeof shape);
        if (point_again(&shape, owner)) {
            const apart_status status = apart_shape_check(&shape);
            return status == APART_OK ? apy_shape_new(&shape, owner == Py_None ? NULL : owner)
                                      : apy_raise(status, NULL);
        }
    }
    PyErr_SetString(PyExc_ValueError, "a pickle of another version of apart (shape)");
    return NULL;
}

static PyObject *shape_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<apart %s%s>", apart_shape_name(of(self)), of(self)->dim == 2 ? " in the plane" : "");
}

/* ---- the type: in the garbage collector, because a support function may refer to its own shape ---- */

static int shape_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((apy_shape *)self)->owner);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void shape_free(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((apy_shape *)self)->owner);
    apy_free(self);
}

static PyMethodDef shape_methods[] =
    {{"support", shape_support, METH_O,
      "support($self, direction, /)\n--\n\nA point of the shape that is farthest in the direction, in the shape's "
      "frame."},
     {"aabb", APY_CALL(shape_aabb), APY_FAST,
      "aabb($self, pose=None)\n--\n\nThe smallest world box along the axes: rows min and max."},
     {"ball", shape_ball, METH_NOARGS, "ball($self)\n--\n\nA bounding sphere in the shape's frame: (center, radius)."},
     {"check", shape_check, METH_NOARGS, "check($self)\n--\n\nRaises apart.Error if queries refuse the shape."},
     {"__reduce__", shape_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};
static PyGetSetDef shape_getset[] = {{"name", shape_name, NULL, "\"sphere\", \"rounded box\", \"hull\" ...", NULL},
                                     {"dim", shape_dim, NULL, "2 or 3.", NULL},
                                     {"radius", shape_radius, NULL, "The rounding radius.", NULL},
                                     {"text", shape_get_text, NULL,
                                      "The command line's text of a primitive (\"box:1,2,3+0.1\"), else None.", NULL},
                                     {"hull", shape_hull, NULL, "The Hull of a shape that is one, else None.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot shape_slots[] = {{Py_tp_doc,
                                     "A convex shape in its own frame; immutable. Made by apart.box() and its like."},
                                    {Py_tp_methods, shape_methods},
                                    {Py_tp_getset, shape_getset},
                                    {Py_tp_repr, (void *)shape_repr},
                                    {Py_tp_traverse, (void *)shape_traverse},
                                    {Py_tp_dealloc, (void *)shape_free},
                                    {0, NULL}};
static PyType_Spec shape_spec = {.name = "apart.Shape",
                                 .basicsize = sizeof(apy_shape),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = shape_slots};

static PyMethodDef functions[] = {
    {"point", APY_CALL(make_point), APY_FAST, "point(p)\n--\n\nA single point."},
    {"segment", APY_CALL(make_segment), APY_FAST, "segment(p, q)\n--\n\nThe segment from p to q."},
    {"triangle", APY_CALL(make_triangle), APY_FAST, "triangle(p, q, r)\n--\n\nA triangle; may be flat."},
    {"sphere", APY_CALL(make_sphere), APY_FAST, "sphere(radius)\n--\n\nCentred at the origin."},
    {"box", APY_CALL(make_box), APY_FAST, "box(half_extents)\n--\n\nCentred at the origin, along the axes."},
    {"capsule", APY_CALL(make_capsule), APY_FAST,
     "capsule(radius, half_height)\n--\n\nThe segment from -half_height to +half_height on z, rounded."},
    {"cylinder", APY_CALL(make_cylinder), APY_FAST, "cylinder(radius, half_height)\n--\n\nAxis z, flat caps."},
    {"cone", APY_CALL(make_cone), APY_FAST,
     "cone(radius, half_height)\n--\n\nBase at z = -half_height, apex at z = +half_height."},
    {"ellipsoid", APY_CALL(make_ellipsoid), APY_FAST, "ellipsoid(semi_axes)\n--\n\nCentred at the origin."},
    {"half_space", APY_CALL(make_half_space), APY_FAST,
     "half_space(normal, offset)\n--\n\nAll x with normal . x <= offset * |normal|."},
    {"points", make_points, METH_O,
     "points(xyz, /)\n--\n\nThe convex hull of points, scanned in every query: no preparation. They are copied."},
    {"point_2d", APY_CALL(make_point_2d), APY_FAST, "point_2d(x, y)\n--\n\nA point of the plane."},
    {"segment_2d", APY_CALL(make_segment_2d), APY_FAST, "segment_2d(px, py, qx, qy)\n--\n\nA segment of the plane."},
    {"capsule_2d", APY_CALL(make_capsule_2d), APY_FAST,
     "capsule_2d(radius, half_height)\n--\n\nAlong y, in the plane."},
    {"half_space_2d", APY_CALL(make_half_space_2d), APY_FAST,
     "half_space_2d(normal_x, normal_y, offset)\n--\n\nThe ground of a level: normal (0, 1)."},
    {"circle", APY_CALL(make_circle), APY_FAST, "circle(radius)\n--\n\nIn the plane, centred at the origin."},
    {"rectangle", APY_CALL(make_rectangle), APY_FAST, "rectangle(half_x, half_y)\n--\n\nIn the plane, half extents."},
    {"polygon", make_polygon, METH_O, "polygon(xy, /)\n--\n\nThe convex hull of points of the plane. They are copied."},
    {"rounded", APY_CALL(make_rounded), APY_FAST,
     "rounded(shape, radius)\n--\n\nThe shape, its rounding radius increased."},
    {"sum", APY_CALL(make_sum), APY_FAST, "sum(first, second)\n--\n\nThe Minkowski sum of two shapes."},
    {"hull_of_two", APY_CALL(make_hull_of_two), APY_FAST, "hull_of_two(first, second)\n--\n\nThe common convex hull."},
    {"affine", APY_CALL(make_affine), APY_FAST,
     "affine(shape, linear, offset=None)\n--\n\nThe image linear @ x + offset: scale, mirror, projection."},
    {"support_shape", APY_CALL(make_support_shape), APY_FAST,
     "support_shape(support, center, *, radius, error=0, dim=3)\n--\n\nA body of your own: support(direction) "
     "returns a "
     "point that is farthest in the direction, in the shape's frame; center and radius bound it; error is the largest "
     "distance of a returned point from the true support plane. The function must be pure; it is called with the GIL."},
    {"_load_shape", shape_load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

bool apy_add_shapes(PyObject *module)
{
    return apy_add_type(module, &shape_spec, NULL, &apy_shape_type) && PyModule_AddFunctions(module, functions) == 0;
}
