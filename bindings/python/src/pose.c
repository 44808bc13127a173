/* Pose and Poses: one pose from named conventions, and many from arrays. */
#include "apy.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *apy_pose_type, *apy_poses_type;

PyObject *apy_pose_new(const apart_pose *pose)
{
    apy_pose *self = (apy_pose *)PyType_GenericAlloc(apy_pose_type, 0);
    if (self != NULL) {
        self->pose = *pose;
    }
    return (PyObject *)self;
}

/* ---- from arrays ---- */

/* What a row of an array of poses is. */
typedef enum row_form { ROW_MATRIX, ROW_TRANSLATION, ROW_XYZ_WXYZ, ROW_XYZ_XYZW, ROW_WXYZ_XYZ, ROW_XYZW_XYZ } row_form;

static const char *const orders[] = {[ROW_XYZ_WXYZ] = "xyz_quat_wxyz",
                                     [ROW_XYZ_XYZW] = "xyz_quat_xyzw",
                                     [ROW_WXYZ_XYZ] = "quat_wxyz_xyz",
                                     [ROW_XYZW_XYZ] = "quat_xyzw_xyz"};

/* Row `i` of an array of numbers, as seven (or three) of them. */
static apart_status read_row(const apy_array *a, Py_ssize_t i, row_form form, apart_pose *out)
{
    double n[7];
    for (Py_ssize_t k = 0; k < a->shape[1]; k++) {
        n[k] = apy_real_at(a, i, k, 0);
    }
    const apart_vec3 front = {n[0], n[1], n[2]};
    switch (form) {
    case ROW_XYZ_WXYZ: return apart_pose_from_quat_wxyz(n[3], n[4], n[5], n[6], front, out);
    case ROW_XYZ_XYZW: return apart_pose_from_quat_xyzw(n[3], n[4], n[5], n[6], front, out);
    case ROW_WXYZ_XYZ: return apart_pose_from_quat_wxyz(n[0], n[1], n[2], n[3], (apart_vec3){n[4], n[5], n[6]}, out);
    case ROW_XYZW_XYZ: return apart_pose_from_quat_xyzw(n[0], n[1], n[2], n[3], (apart_vec3){n[4], n[5], n[6]}, out);
    default: *out = apart_pose_translation(n[0], n[1], n[2]); return APART_OK;
    }
}

/* A matrix of doubles, row by row, as it is: queries check it. */
static inline void take_rows(const double *m, apart_pose *out)
{
    out->rotation.x = (apart_vec3){m[0], m[4], m[8]};
    out->rotation.y = (apart_vec3){m[1], m[5], m[9]};
    out->rotation.z = (apart_vec3){m[2], m[6], m[10]};
    out->translation = (apart_vec3){m[3], m[7], m[11]};
}

static bool last_row_is_plain(const double *m) { return m[12] == 0.0 && m[13] == 0.0 && m[14] == 0.0 && m[15] == 1.0; }

/* Matrix `i` of an array of 4x4 or 3x4 ones. Floats get the rotation that is nearest. */
static apart_status read_matrix(const apy_array *a, Py_ssize_t i, bool *plain, apart_pose *out)
{
    const Py_ssize_t rows = a->shape[a->dimensions - 2];
    double m[16] = {[12] = 0, 0, 0, 1};
    for (Py_ssize_t r = 0; r < rows; r++) {
        for (Py_ssize_t c = 0; c < 4; c++) {
            m[4 * r + c] = a->dimensions == 2 ? apy_real_at(a, r, c, 0) : apy_real_at(a, i, r, c);
        }
    }
    *plain = last_row_is_plain(m);
    if (a->type == 'd') {
        take_rows(m, out);
        return APART_OK;
    }
    float rotation[9];
    for (int k = 0; k < 9; k++) {
        rotation[k] = (float)m[4 * (k / 3) + k % 3];
    }
    return apart_pose_from_float_matrix_rows(rotation, (apart_vec3){m[3], m[7], m[11]}, out);
}

static bool is_matrix(const apy_array *a)
{
    const int d = a->dimensions;
    return d >= 2 && a->shape[d - 1] == 4 && (a->shape[d - 2] == 4 || a->shape[d - 2] == 3);
}

static void *raise_last_row(const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s: the last row of a 4x4 matrix must be 0, 0, 0, 1", what);
    return NULL;
}

static bool raise_forms(const char *what)
{
    PyErr_Format(PyExc_ValueError,
                 "%s: expected a Pose, a 4x4 or 3x4 matrix, or three numbers of a translation; quaternions have named "
                 "orders: apart.pose(xyz=..., quat_wxyz=...)",
                 what);
    return false;
}

bool apy_pose_get(PyObject *value, const char *what, apart_pose *out)
{
    if (value == NULL) {
        *out = apart_pose_identity();
        return true;
    }
    if (Py_IS_TYPE(value, apy_pose_type)) {
        *out = ((apy_pose *)value)->pose;
        return true;
    }
    apy_array a;
    if (!apy_reals(value, what, &a)) {
        return false;
    }
    apart_status status = APART_OK;
    bool plain = true, known = true;
    if (a.dimensions == 2 && is_matrix(&a)) {
        status = read_matrix(&a, 0, &plain, out);
    } else if (a.dimensions == 1 && a.shape[0] == 3) {
        *out = apart_pose_translation(apy_real_at(&a, 0, 0, 0), apy_real_at(&a, 1, 0, 0), apy_real_at(&a, 2, 0, 0));
    } else {
        known = false;
    }
    apy_array_release(&a);
    if (!known) {
        return raise_forms(what);
    }
    if (!plain) {
        return raise_last_row(what) != NULL;
    }
    return status == APART_OK || apy_raise(status, what) != NULL;
}

/* ---- many ---- */

typedef struct apy_poses {
    PyObject_HEAD apart_pose *poses;
    Py_ssize_t count;
} apy_poses;

static bool raise_row(apart_status status, const char *what, Py_ssize_t row)
{
    char text[128];
    PyOS_snprintf(text, sizeof text, "%.80s, row %zd", what, row);
    return apy_raise(status, text) != NULL;
}

/* Packed 4x4 matrices of doubles: the usual case, without a call for each number. */
static Py_ssize_t convert_packed(const double *m, Py_ssize_t count, apart_pose *out)
{
    for (Py_ssize_t i = 0; i < count; i++, m += 16) {
        if (!last_row_is_plain(m)) {
            return i;
        }
        take_rows(m, &out[i]);
    }
    return count;
}

static bool is_packed_matrices(const apy_array *a)
{
    return a->dimensions == 3 && a->type == 'd' && a->shape[1] == 4 && a->strides[0] == 128 && a->strides[1] == 32 &&
           a->strides[2] == 8 && (uintptr_t)a->data % 8 == 0;
}

static bool convert(const apy_array *a, row_form form, const char *what, apart_pose *out)
{
    if (form == ROW_MATRIX && is_packed_matrices(a)) {
        const Py_ssize_t good = convert_packed((const double *)(const void *)a->data, a->shape[0], out);
        return good == a->shape[0] || raise_last_row(what) != NULL;
    }
    for (Py_ssize_t i = 0; i < a->shape[0]; i++) {
        bool plain = true;
        const apart_status status =
            form == ROW_MATRIX ? read_matrix(a, i, &plain, &out[i]) : read_row(a, i, form, &out[i]);
        if (!plain) {
            return raise_last_row(what) != NULL;
        }
        if (status != APART_OK) {
            return raise_row(status, what, i);
        }
    }
    return true;
}

/* The form of an array; -1 with an exception. */
static int find_form(const apy_array *a, PyObject *order, const char *what)
{
    if (a->dimensions == 3 && is_matrix(a)) {
        return ROW_MATRIX;
    }
    if (a->dimensions == 2 && a->shape[1] == 3) {
        return ROW_TRANSLATION;
    }
    if (a->dimensions == 1 && a->shape[0] == 0) {
        return ROW_TRANSLATION;
    }
    if (a->dimensions == 2 && a->shape[1] == 7) {
        for (int i = ROW_XYZ_WXYZ; order != NULL && i <= ROW_XYZW_XYZ; i++) {
            if (PyUnicode_Check(order) && PyUnicode_CompareWithASCIIString(order, orders[i]) == 0) {
                return i;
            }
        }
        PyErr_Format(PyExc_ValueError,
                     "%s: seven numbers a row need order='xyz_quat_wxyz', 'xyz_quat_xyzw', 'quat_wxyz_xyz' or "
                     "'quat_xyzw_xyz'",
                     what);
        return -1;
    }
    PyErr_Format(PyExc_ValueError, "%s: expected an array of shape (n, 4, 4), (n, 3, 4), (n, 7) or (n, 3)", what);
    return -1;
}

/* New memory with all poses of an array. */
static apart_pose *convert_all(PyObject *value, PyObject *order, const char *what, Py_ssize_t *count)
{
    apy_array a;
    if (!apy_reals(value, what, &a)) {
        return NULL;
    }
    const int form = find_form(&a, order, what);
    apart_pose *poses = form < 0 ? NULL : apy_allocate((size_t)a.shape[0], sizeof *poses);
    if (poses == NULL && form >= 0) {
        PyErr_NoMemory();
    }
    if (poses != NULL && !convert(&a, (row_form)form, what, poses)) {
        free(poses);
        poses = NULL;
    }
    *count = a.shape[0];
    apy_array_release(&a);
    return poses;
}

static PyObject *adopt_poses(apart_pose *poses, Py_ssize_t count)
{
    apy_poses *self = poses == NULL ? NULL : (apy_poses *)PyType_GenericAlloc(apy_poses_type, 0);
    if (self == NULL) {
        free(poses);
        return NULL;
    }
    self->poses = poses;
    self->count = count;
    return (PyObject *)self;
}

PyObject *apy_pose_array(const apart_pose *poses, Py_ssize_t count)
{
    apart_pose *copy = malloc((size_t)(count + 1) * sizeof *copy);
    if (copy == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(copy, poses, (size_t)count * sizeof *copy);
    return adopt_poses(copy, count);
}

bool apy_pose_list_get(PyObject *value, const char *what, apy_pose_list *out)
{
    *out = (apy_pose_list){.count = -1};
    if (value != NULL && Py_IS_TYPE(value, apy_poses_type)) {
        out->owner = Py_NewRef(value);
        out->poses = ((apy_poses *)value)->poses;
        out->count = ((apy_poses *)value)->count;
        out->stride = sizeof *out->poses;
        return true;
    }
    if (value == NULL || Py_IS_TYPE(value, apy_pose_type)) {
        out->poses = &out->one;
        return apy_pose_get(value, what, &out->one);
    }
    out->made = convert_all(value, NULL, what, &out->count);
    out->poses = out->made;
    out->stride = sizeof *out->poses;
    return out->made != NULL;
}

void apy_pose_list_release(apy_pose_list *list)
{
    free(list->made);
    Py_CLEAR(list->owner);
    list->made = NULL;
}

/* ---- constructors ---- */

/* The translation `xyz`, and the nine numbers, quaternion or angles in `numbers` by their name. */
static apart_status from_words(int word, const double *n, apart_vec3 at, apart_pose *out)
{
    switch (word) {
    case 2: return apart_pose_from_rpy(n[0], n[1], n[2], at, out);
    case 3: return apart_pose_from_quat_xyzw(n[0], n[1], n[2], n[3], at, out);
    case 4: return apart_pose_from_quat_wxyz(n[0], n[1], n[2], n[3], at, out);
    case 5: return apart_pose_from_axis_angle((apart_vec3){n[0], n[1], n[2]}, n[3], at, out);
    case 6: return apart_pose_from_matrix_rows(n, at, out);
    default: return apart_pose_from_angle_2d(n[0], at.x, at.y, out);
    }
}

static apy_signature pose_words = {"pose",
                                   0,
                                   1,
                                   {"matrix4", "xyz", "rpy", "quat_xyzw", "quat_wxyz", "axis_angle", "matrix", "angle"},
                                   {NULL}};

/* The nine numbers of a 3x3 matrix, given as such or in a row. Floats get the nearest rotation. */
static bool read_rotation(PyObject *value, apart_vec3 at, apart_pose *out)
{
    apy_array a;
    if (!apy_reals(value, "matrix", &a)) {
        return false;
    }
    const bool square = a.dimensions == 2 && a.shape[0] == 3 && a.shape[1] == 3;
    if (!square && !(a.dimensions == 1 && a.shape[0] == 9)) {
        apy_array_release(&a);
        return apy_length_error("matrix", "3x3 numbers, or nine row by row");
    }
    double rows[9];
    float floats[9];
    for (int i = 0; i < 9; i++) {
        rows[i] = square ? apy_real_at(&a, i / 3, i % 3, 0) : apy_real_at(&a, i, 0, 0);
        floats[i] = (float)rows[i];
    }
    const bool single = a.type == 'f';
    apy_array_release(&a);
    const apart_status status =
        single ? apart_pose_from_float_matrix_rows(floats, at, out) : apart_pose_from_matrix_rows(rows, at, out);
    return status == APART_OK || apy_raise(status, "matrix") != NULL;
}

static bool pose_from(PyObject **v, apart_pose *out)
{
    static const int counts[] = {[2] = 3, 4, 4, 4, 9, 1};
    apart_vec3 at = {0, 0, 0};
    int word = 0;
    for (int i = 2; i <= 7; i++) {
        if (v[i] != NULL && word != 0) {
            return apy_length_error("pose", "one rotation, not two");
        }
        word = v[i] != NULL ? i : word;
    }
    if (v[0] != NULL) {
        if (v[1] != NULL || word != 0) {
            return apy_length_error("pose", "a 4x4 matrix, or words such as xyz= and rpy=, not both");
        }
        if (!apy_pose_get(v[0], "pose", out)) {
            return false;
        }
        const apart_status status = apart_pose_check(out);
        return status == APART_OK || apy_raise(status, "pose") != NULL;
    }
    if (!apy_vec3(v[1], "xyz", &at)) {
        return false;
    }
    if (word == 0) {
        *out = apart_pose_translation(at.x, at.y, at.z);
        const apart_status status = apart_pose_check(out);
        return status == APART_OK || apy_raise(status, "xyz") != NULL;
    }
    if (word == 6) {
        return read_rotation(v[6], at, out);
    }
    double numbers[9];
    const bool good = word == 7 ? apy_double(v[7], "angle", &numbers[0])
                                : apy_doubles(v[word], pose_words.words[word], counts[word], numbers);
    if (!good) {
        return false;
    }
    const apart_status status = from_words(word, numbers, at, out);
    return status == APART_OK || apy_raise(status, pose_words.words[word]) != NULL;
}

static PyObject *make_pose(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_pose pose;
    return apy_bind(&pose_words, args, count, names, v) && pose_from(v, &pose) ? apy_pose_new(&pose) : NULL;
}

static apy_signature poses_words = {"poses", 1, 2, {"array", "order"}, {NULL}};

static PyObject *make_poses(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    if (!apy_bind(&poses_words, args, count, names, v)) {
        return NULL;
    }
    if (Py_IS_TYPE(v[0], apy_poses_type)) {
        return Py_NewRef(v[0]);
    }
    Py_ssize_t made = 0;
    apart_pose *poses = convert_all(v[0], v[1], "poses", &made);
    return poses == NULL ? NULL : adopt_poses(poses, made);
}

/* ---- methods of a pose ---- */

static apart_pose *of(PyObject *self) { return &((apy_pose *)self)->pose; }

typedef apart_vec3 point_map(const apart_pose *pose, apart_vec3 v);

/* Maps a point, or each row of an array of points. */
static PyObject *map_points(PyObject *self, PyObject *points, point_map *map)
{
    apy_array a;
    if (!apy_reals(points, "points", &a)) {
        return NULL;
    }
    const bool one = a.dimensions == 1;
    if (a.dimensions > 2 || a.shape[a.dimensions == 2] != 3) {
        apy_array_release(&a);
        apy_length_error("points", "three numbers, or an array of shape (n, 3)");
        return NULL;
    }
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    const Py_ssize_t rows = one ? 1 : a.shape[0], shape[2] = {one ? 3 : rows, 3};
    PyObject *mapped = type == NULL ? NULL : apy_numpy_empty(type, shape, one ? 1 : 2, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; mapped != NULL && i < rows; i++) {
        const apart_vec3 p =
            one ? (apart_vec3){apy_real_at(&a, 0, 0, 0), apy_real_at(&a, 1, 0, 0), apy_real_at(&a, 2, 0, 0)}
                : (apart_vec3){apy_real_at(&a, i, 0, 0), apy_real_at(&a, i, 1, 0), apy_real_at(&a, i, 2, 0)};
        ((apart_vec3 *)data)[i] = map(of(self), p);
    }
    apy_array_release(&a);
    return mapped;
}

static PyObject *pose_apply(PyObject *self, PyObject *points) { return map_points(self, points, apart_pose_apply); }
static PyObject *pose_apply_inverse(PyObject *self, PyObject *points)
{
    return map_points(self, points, apart_pose_apply_inverse);
}
static PyObject *pose_rotate(PyObject *self, PyObject *points) { return map_points(self, points, apart_pose_rotate); }
static PyObject *pose_rotate_inverse(PyObject *self, PyObject *points)
{
    return map_points(self, points, apart_pose_rotate_inverse);
}

static PyObject *pose_inverse(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const apart_pose inverse = apart_pose_inverse(of(self));
    return apy_pose_new(&inverse);
}

static PyObject *pose_compose(PyObject *self, PyObject *inner)
{
    apart_pose first, second;
    if (!apy_pose_get(self, "outer pose", &second) || !apy_pose_get(inner, "inner pose", &first)) {
        return NULL;
    }
    const apart_pose both = apart_pose_compose(&second, &first);
    return apy_pose_new(&both);
}

static PyObject *pose_matrix(PyObject *self, void *closure)
{
    (void)closure;
    const apart_pose *p = of(self);
    const apart_mat3 *r = &p->rotation;
    const double m[16] = {r->x.x, r->y.x, r->z.x, p->translation.x, r->x.y, r->y.y, r->z.y, p->translation.y,
                          r->x.z, r->y.z, r->z.z, p->translation.z, 0,      0,      0,      1};
    return apy_numpy_doubles(m, 4, 4);
}

static PyObject *pose_translation(PyObject *self, void *closure)
{
    (void)closure;
    return apy_numpy_vec3(of(self)->translation);
}

static PyObject *pose_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *module = PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_pose");
    Py_XDECREF(module);
    return load == NULL ? NULL : Py_BuildValue("N(y#)", load, (const char *)of(self), (Py_ssize_t)sizeof(apart_pose));
}

static PyObject *pose_load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t size;
    apart_pose pose;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size)) {
        return NULL;
    }
    if (size != (Py_ssize_t)sizeof pose) {
        PyErr_SetString(PyExc_ValueError, "not a pickled pose");
        return NULL;
    }
    memcpy(&pose, bytes, sizeof pose);
    return apy_pose_new(&pose);
}

static PyObject *pose_repr(PyObject *self)
{
    PyObject *matrix = pose_matrix(self, NULL);
    PyObject *text = matrix == NULL ? NULL : PyUnicode_FromFormat("apart.pose(%R)", matrix);
    Py_XDECREF(matrix);
    return text;
}

static PyObject *pose_equal(PyObject *self, PyObject *other, int how)
{
    if (!Py_IS_TYPE(self, apy_pose_type) || !Py_IS_TYPE(other, apy_pose_type) || (how != Py_EQ && how != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const double *a = &of(self)->rotation.x.x, *b = &of(other)->rotation.x.x;
    bool same = true;
    for (int i = 0; i < 12; i++) {
        same = same && a[i] == b[i];
    }
    return PyBool_FromLong(same == (how == Py_EQ));
}

static PyMethodDef pose_methods[] =
    {{"apply", pose_apply, METH_O,
      "apply($self, points, /)\n--\n\nPoints of the body in the world: one, or the rows of an array."},
     {"apply_inverse", pose_apply_inverse, METH_O,
      "apply_inverse($self, points, /)\n--\n\nWorld points in the body's "
      "frame."},
     {"rotate", pose_rotate, METH_O, "rotate($self, directions, /)\n--\n\nDirections of the body in the world."},
     {"rotate_inverse", pose_rotate_inverse, METH_O,
      "rotate_inverse($self, directions, /)\n--\n\nWorld directions in the body's frame."},
     {"compose", pose_compose, METH_O,
      "compose($self, inner, /)\n--\n\nFirst `inner`, then this one; also written "
      "pose @ inner."},
     {"inverse", pose_inverse, METH_NOARGS, "inverse($self)\n--\n\nThe inverse pose."},
     {"__reduce__", pose_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};
static PyGetSetDef pose_getset[] = {{"matrix", pose_matrix, NULL, "The 4x4 matrix, new at each access.", NULL},
                                    {"translation", pose_translation, NULL,
                                     "Where the body's origin lies in the world.", NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot pose_slots[] = {{Py_tp_doc,
                                    "Where a body is: world = rotation * local + translation. Made by apart.pose()."},
                                   {Py_tp_methods, pose_methods},
                                   {Py_tp_getset, pose_getset},
                                   {Py_tp_repr, (void *)pose_repr},
                                   {Py_tp_richcompare, (void *)pose_equal},
                                   {Py_nb_matrix_multiply, (void *)pose_compose},
                                   {Py_tp_dealloc, (void *)apy_free},
                                   {0, NULL}};
static PyType_Spec pose_spec = {.name = "apart.Pose",
                                .basicsize = sizeof(apy_pose),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = pose_slots};

/* ---- methods of many ---- */

static void poses_free(PyObject *self)
{
    free(((apy_poses *)self)->poses);
    apy_free(self);
}

static Py_ssize_t poses_length(PyObject *self) { return ((apy_poses *)self)->count; }

static PyObject *poses_item(PyObject *self, Py_ssize_t i)
{
    const apy_poses *all = (const apy_poses *)self;
    if (i < 0 || i >= all->count) {
        PyErr_SetString(PyExc_IndexError, "there are not so many poses");
        return NULL;
    }
    return apy_pose_new(&all->poses[i]);
}

static int poses_buffer(PyObject *self, Py_buffer *view, int flags)
{
    const apy_poses *all = (const apy_poses *)self;
    return PyBuffer_FillInfo(view, self, all->poses, all->count * (Py_ssize_t)sizeof *all->poses, 1, flags);
}

static PyObject *poses_array(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t shape[3] = {((apy_poses *)self)->count, 3, 4}, strides[3] = {sizeof(apart_pose), 8, 24};
    return apy_numpy_view(self, 0, "f8", shape, strides, 3);
}

static PyObject *poses_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const apy_poses *all = (const apy_poses *)self;
    PyObject *module = PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_poses");
    Py_XDECREF(module);
    return load == NULL
               ? NULL
               : Py_BuildValue("N(y#)", load, (const char *)all->poses, all->count * (Py_ssize_t)sizeof *all->poses);
}

static PyObject *poses_load(PyObject *module, PyObject *args)
{
    (void)module;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &size)) {
        return NULL;
    }
    apart_pose *poses = malloc((size_t)size + sizeof *poses);
    if (poses == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(poses, bytes, (size_t)size);
    return adopt_poses(poses, size / (Py_ssize_t)sizeof *poses);
}

static PyMethodDef poses_methods[] = {{"__reduce__", poses_reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
static PyGetSetDef poses_getset[] = {{"array", poses_array, NULL,
                                      "The 3x4 matrices as a read-only array of shape (n, 3, 4), without a copy.",
                                      NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot poses_slots[] = {{Py_tp_doc, "Many poses, ready for queries. Made by apart.poses()."},
                                    {Py_tp_methods, poses_methods},
                                    {Py_tp_getset, poses_getset},
                                    {Py_sq_length, (void *)poses_length},
                                    {Py_sq_item, (void *)poses_item},
                                    {Py_bf_getbuffer, (void *)poses_buffer},
                                    {Py_tp_dealloc, (void *)poses_free},
                                    {0, NULL}};
static PyType_Spec poses_spec = {.name = "apart.Poses",
                                 .basicsize = sizeof(apy_poses),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = poses_slots};

static PyMethodDef functions[] = {
    {"pose", APY_CALL(make_pose), APY_FAST,
     "pose(matrix4=None, *, xyz=None, rpy=None, quat_xyzw=None, quat_wxyz=None, axis_angle=None, matrix=None, "
     "angle=None)"
     "\n--\n\nA pose from a 4x4 or 3x4 matrix, or from words with the names that the command line has: xyz=(1, 2, 3), "
     "rpy=(roll, pitch, yaw), axis_angle=(x, y, z, angle), matrix=3x3, angle= in the plane. Rotations in float32 are "
     "taken as the nearest rotation."},
    {"poses", APY_CALL(make_poses), APY_FAST,
     "poses(array, order=None)\n--\n\nMany poses from an array of shape (n, 4, 4), (n, 3, 4), (n, 3) (translations) or "
     "(n, 7) with order 'xyz_quat_wxyz', 'xyz_quat_xyzw', 'quat_wxyz_xyz' or 'quat_xyzw_xyz'."},
    {"_load_pose", pose_load, METH_VARARGS, NULL},
    {"_load_poses", poses_load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

bool apy_add_poses(PyObject *module)
{
    return apy_add_type(module, &pose_spec, NULL, &apy_pose_type) &&
           apy_add_type(module, &poses_spec, NULL, &apy_poses_type) && PyModule_AddFunctions(module, functions) == 0;
}
