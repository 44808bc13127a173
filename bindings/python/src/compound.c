/* Compound: a body of many convex parts. */
#include "apy.h"

#include <string.h>

PyTypeObject *apy_compound_type;

static apart_compound *of(PyObject *self) { return ((apy_compound *)self)->compound; }

PyObject *apy_compound_adopt(apart_compound *compound, PyObject *owner)
{
    apy_compound *self = (apy_compound *)PyType_GenericAlloc(apy_compound_type, 0);
    if (self == NULL) {
        apart_compound_free(compound);
        return NULL;
    }
    self->compound = compound;
    self->owner = Py_XNewRef(owner);
    return (PyObject *)self;
}

/* ---- making ---- */

static PyObject *build(const apy_shape_list *shapes, const apy_pose_list *poses)
{
    const Py_ssize_t count = shapes->count >= 0 ? shapes->count : poses->count >= 0 ? poses->count : 1;
    if (poses->count >= 0 && poses->count != count) {
        PyErr_Format(PyExc_ValueError, "compound: %zd shapes, but %zd poses", count, poses->count);
        return NULL;
    }
    apart_part *parts = PyMem_Malloc((size_t)(count + 1) * sizeof *parts);
    if (parts == NULL) {
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        parts[i].shape = shapes->stride == 0 ? shapes->shapes[0] : shapes->shapes[i];
        parts[i].pose = poses->stride == 0 ? poses->poses[0] : poses->poses[i];
    }
    apart_compound *compound = NULL;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_compound_build(parts, (size_t)count, NULL, &compound);
    apy_take_gil(gil);
    PyMem_Free(parts);
    return status == APART_OK ? apy_compound_adopt(compound, shapes->owner) : apy_raise(status, "compound");
}

static apy_signature compound_words = {"compound", 1, 2, {"shapes", "poses"}, {NULL}};

static PyObject *make_compound(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS], *made = NULL;
    apy_shape_list shapes;
    apy_pose_list poses;
    if (!apy_bind(&compound_words, args, count, names, v) || !apy_shape_list_get(v[0], "shapes", &shapes)) {
        return NULL;
    }
    PyObject *listed = v[1];
    PyObject *together = NULL;
    if (listed != NULL && PyList_Check(listed) && PyList_Size(listed) > 0 &&
        Py_IS_TYPE(PyList_GetItem(listed, 0), apy_pose_type)) { /* a list of poses */
        PyObject *matrices = PyList_New(0);
        for (Py_ssize_t i = 0; matrices != NULL && i < PyList_Size(listed); i++) {
            PyObject *matrix = PyObject_GetAttrString(PyList_GetItem(listed, i), "matrix");
            if (matrix == NULL || PyList_Append(matrices, matrix) < 0) {
                Py_CLEAR(matrices);
            }
            Py_XDECREF(matrix);
        }
        listed = together = matrices;
    }
    if ((v[1] == NULL || listed != NULL) && apy_pose_list_get(listed, "poses", &poses)) {
        made = build(&shapes, &poses);
        apy_pose_list_release(&poses);
    }
    Py_XDECREF(together);
    apy_shape_list_release(&shapes);
    return made;
}

/* ---- methods ---- */

static Py_ssize_t compound_length(PyObject *self) { return (Py_ssize_t)apart_compound_count(of(self)); }

static PyObject *compound_item(PyObject *self, Py_ssize_t i)
{
    const apart_part *part = i < 0 ? NULL : apart_compound_part(of(self), (size_t)i);
    if (part == NULL) {
        PyErr_SetString(PyExc_IndexError, "there are not so many parts");
        return NULL;
    }
    PyObject *owner = ((apy_compound *)self)->owner;
    PyObject *shape = owner != NULL && Py_IS_TYPE(owner, apy_shapes_type) ? PySequence_GetItem(owner, i)
                                                                          : apy_shape_new(&part->shape, self);
    return shape == NULL ? NULL : Py_BuildValue("(NN)", shape, apy_pose_new(&part->pose));
}

static PyObject *compound_aabb(PyObject *self, PyObject *pose)
{
    apart_pose at;
    apart_aabb box;
    if (!apy_pose_get(pose == Py_None ? NULL : pose, "pose", &at)) {
        return NULL;
    }
    const apart_status status = apart_solid_aabb(apart_solid_compound(of(self)), &at, &box);
    return status == APART_OK ? apy_numpy_doubles(&box.min.x, 2, 3) : apy_raise(status, "compound");
}

static PyObject *compound_ball(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_vec3 center;
    double radius;
    const apart_status status = apart_solid_ball(apart_solid_compound(of(self)), &center, &radius);
    return status == APART_OK ? Py_BuildValue("(Nd)", apy_numpy_vec3(center), radius) : apy_raise(status, "compound");
}

static apy_signature user_words = {"set_user", 2, 2, {"part", "user"}, {NULL}};

static PyObject *compound_set_user(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t part = 0, user = 0;
    if (!apy_bind(&user_words, args, count, names, v) || !apy_count(v[0], "part", UINT32_MAX, &part) ||
        !apy_count(v[1], "user", UINT64_MAX, &user)) {
        return NULL;
    }
    const apart_status status = apart_compound_set_user(of(self), (size_t)part, user);
    return status == APART_OK ? Py_NewRef(Py_None) : apy_raise(status, "compound");
}

static PyObject *compound_user(PyObject *self, PyObject *part)
{
    uint64_t number = 0;
    return apy_count(part, "part", UINT32_MAX, &number)
               ? PyLong_FromUnsignedLongLong(apart_compound_user(of(self), (size_t)number))
               : NULL;
}

static PyObject *compound_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const Py_ssize_t count = compound_length(self);
    PyObject *shapes = PyList_New(0), *poses = PyList_New(0);
    bool good = shapes != NULL && poses != NULL;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        PyObject *part = compound_item(self, i);
        good = part != NULL && PyList_Append(shapes, PyTuple_GetItem(part, 0)) == 0 &&
               PyList_Append(poses, PyTuple_GetItem(part, 1)) == 0;
        Py_XDECREF(part);
    }
    PyObject *module = good ? PyImport_ImportModule("apart._apart") : NULL;
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "compound");
    Py_XDECREF(module);
    PyObject *reduced = load == NULL ? NULL : Py_BuildValue("N(OO)", load, shapes, poses);
    Py_XDECREF(shapes);
    Py_XDECREF(poses);
    return reduced;
}

static PyObject *compound_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<apart compound of %zd parts>", compound_length(self));
}

static int compound_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((apy_compound *)self)->owner);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void compound_free(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    apart_compound_free(of(self));
    Py_CLEAR(((apy_compound *)self)->owner);
    apy_free(self);
}

static PyMethodDef compound_methods[] =
    {{"set_user", APY_CALL(compound_set_user), APY_FAST,
      "set_user($self, part, user)\n--\n\nSets the user data of a part; not while other threads use the compound."},
     {"user", compound_user, METH_O, "user($self, part, /)\n--\n\nThe user data of a part."},
     {"aabb", compound_aabb, METH_O, "aabb($self, pose, /)\n--\n\nA world box around all parts: rows min and max."},
     {"ball", compound_ball, METH_NOARGS,
      "ball($self)\n--\n\nA bounding sphere in the compound's frame: (center, radius)."},
     {"to_bytes", apy_compound_to_bytes, METH_NOARGS,
      "to_bytes($self)\n--\n\nThe compound with all that its parts borrow: apart.compound_from_bytes()."},
     {"__reduce__", compound_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};
static PyType_Slot compound_slots[] =
    {{Py_tp_doc, "A body of many convex parts; immutable. compound[i] is (shape, pose). Made by apart.compound()."},
     {Py_tp_methods, compound_methods},
     {Py_sq_length, (void *)compound_length},
     {Py_sq_item, (void *)compound_item},
     {Py_tp_repr, (void *)compound_repr},
     {Py_tp_traverse, (void *)compound_traverse},
     {Py_tp_dealloc, (void *)compound_free},
     {0, NULL}};
static PyType_Spec compound_spec = {.name = "apart.Compound",
                                    .basicsize = sizeof(apy_compound),
                                    .flags =
                                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    .slots = compound_slots};

/* ---- covers ---- */

typedef struct cover_object {
    PyObject_HEAD apart_cover *cover;
} cover_object;

static PyTypeObject *cover_type;

static const apart_cover *cover_of(PyObject *self) { return ((cover_object *)self)->cover; }

PyObject *apy_cover_adopt(apart_cover *cover)
{
    cover_object *self = (cover_object *)PyType_GenericAlloc(cover_type, 0);
    if (self == NULL) {
        apart_cover_free(cover);
        return NULL;
    }
    self->cover = cover;
    return (PyObject *)self;
}

/* Vertices and faces, or an object that has both. */
static bool mesh_arrays(PyObject *first, PyObject *second, apy_vertices *v, uint32_t **triangles, Py_ssize_t *count)
{
    PyObject *vertices = second != NULL ? Py_NewRef(first) : PyObject_GetAttrString(first, "vertices");
    PyObject *faces = second != NULL     ? Py_NewRef(second)
                      : vertices == NULL ? NULL
                                         : PyObject_GetAttrString(first, "faces");
    bool good = faces != NULL && apy_vertices_get(vertices, "vertices", v);
    if (good) {
        *triangles = apy_index_copy(faces, "faces", 3, count);
        good = *triangles != NULL;
        if (!good) {
            apy_vertices_release(v);
        }
    }
    Py_XDECREF(vertices);
    Py_XDECREF(faces);
    return good;
}

static apy_signature cover_words = {"cover", 1, 2, {"vertices", "faces", "hulls", "excess", "solid"}, {NULL}};

static PyObject *make_cover(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_vertices vertices;
    uint32_t *triangles;
    Py_ssize_t triangle_count = 0;
    uint64_t hulls = 0;
    apart_cover_options options = {.hulls = 0};
    if (!apy_bind(&cover_words, args, count, names, v) || !apy_count(v[2], "hulls", 4096, &hulls) ||
        !apy_double(v[3], "excess", &options.excess) || !apy_flag(v[4], "solid", &options.solid) ||
        !mesh_arrays(v[0], v[1], &vertices, &triangles, &triangle_count)) {
        return NULL;
    }
    options.hulls = (uint32_t)hulls;
    apart_cover *cover = NULL;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        apart_cover_build(&vertices.vertices, triangles, (size_t)triangle_count, &options, &cover);
    apy_take_gil(gil);
    PyMem_Free(triangles);
    apy_vertices_release(&vertices);
    if (status != APART_OK) {
        return apy_raise(status, "cover");
    }
    return apy_cover_adopt(cover);
}

static Py_ssize_t cover_length(PyObject *self) { return (Py_ssize_t)apart_cover_count(cover_of(self)); }

static PyObject *cover_item(PyObject *self, Py_ssize_t i)
{
    const apart_hull *hull = i < 0 || i >= cover_length(self) ? NULL : apart_cover_hull(cover_of(self), (uint32_t)i);
    if (hull == NULL) {
        PyErr_SetString(PyExc_IndexError, "there are not so many hulls");
        return NULL;
    }
    return apy_hull_of(hull, self);
}

static PyObject *cover_compound(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_compound *compound = NULL;
    const apart_status status = apart_cover_compound(cover_of(self), NULL, &compound);
    return status == APART_OK ? apy_compound_adopt(compound, self) : apy_raise(status, "cover");
}

static PyObject *cover_excess(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(apart_cover_excess(cover_of(self)));
}

static apy_signature check_words = {"check", 1, 2, {"vertices", "faces"}, {NULL}};

/* The proof once more, with the claim as the cover states it: None, or where it fails. */
static PyObject *cover_check(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apy_vertices vertices;
    uint32_t *triangles;
    Py_ssize_t triangle_count = 0;
    if (!apy_bind(&check_words, args, count, names, v) ||
        !mesh_arrays(v[0], v[1], &vertices, &triangles, &triangle_count)) {
        return NULL;
    }
    const apart_cover_claim claim = apart_cover_claim_of(cover_of(self));
    apart_cover_proof proof;
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status =
        apart_cover_check(&vertices.vertices, triangles, (size_t)triangle_count, &claim, NULL, &proof);
    apy_take_gil(gil);
    PyMem_Free(triangles);
    apy_vertices_release(&vertices);
    if (status != APART_OK) {
        return apy_raise(status, "cover");
    }
    return PyBool_FromLong(proof.covered);
}

static void cover_free(PyObject *self)
{
    apart_cover_free(((cover_object *)self)->cover);
    apy_free(self);
}

static PyMethodDef cover_methods[] =
    {{"compound", cover_compound, METH_NOARGS, "compound($self)\n--\n\nThe hulls as a body for queries."},
     {"check", APY_CALL(cover_check), APY_FAST,
      "check($self, vertices, faces=None)\n--\n\nProves once more that the hulls contain the mesh."},
     {NULL, NULL, 0, NULL}};
static PyGetSetDef cover_getset[] = {{"excess", cover_excess, NULL,
                                      "No point of the cover is farther than this from the mesh.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot cover_slots[] =
    {{Py_tp_doc, "A few convex hulls that are proved to contain a mesh; cover[i] is a Hull. Made by apart.cover()."},
     {Py_tp_methods, cover_methods},
     {Py_tp_getset, cover_getset},
     {Py_sq_length, (void *)cover_length},
     {Py_sq_item, (void *)cover_item},
     {Py_tp_dealloc, (void *)cover_free},
     {0, NULL}};
static PyType_Spec cover_spec = {.name = "apart.Cover",
                                 .basicsize = sizeof(cover_object),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = cover_slots};

static PyMethodDef functions[] =
    {{"compound", APY_CALL(make_compound), APY_FAST,
      "compound(shapes, poses=None)\n--\n\nA body of convex parts: shapes with their poses in the body's frame."},
     {"cover", APY_CALL(make_cover), APY_FAST,
      "cover(vertices, faces=None, *, hulls=0, excess=0, solid=False)\n--\n\nA few convex hulls that are proved to "
      "contain "
      "a mesh: at most `hulls`, or as many as `excess` needs."},
     {NULL, NULL, 0, NULL}};

bool apy_add_compounds(PyObject *module)
{
    return apy_add_type(module, &compound_spec, NULL, &apy_compound_type) &&
           apy_add_type(module, &cover_spec, NULL, &cover_type) && PyModule_AddFunctions(module, functions) == 0;
}
