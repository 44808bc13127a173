/* Mesh: triangles as they are, taken as a solid or as a surface. */
#include "apy.h"

#include <stddef.h>
#include <string.h>

PyTypeObject *apy_mesh_type;

static const apart_mesh *of(PyObject *self) { return ((apy_mesh *)self)->block; }

#define FIELD(member, kind, doc)                                            \
    {                                                                       \
#member, kind, offsetof(apart_mesh_report, member), doc, NULL, NULL \
    }
static const apy_field report_fields[] = {
    FIELD(triangles, APY_U32, "As given."),
    FIELD(vertices, APY_U32, "Distinct positions that a triangle uses."),
    FIELD(components, APY_U32, "Sets of triangles that are connected by shared edges."),
    FIELD(degenerate, APY_U32, "Triangles without area."),
    FIELD(open_edges, APY_U32, "Edges of a single triangle."),
    FIELD(crowded_edges, APY_U32, "Edges of more than two triangles."),
    FIELD(turned_edges, APY_U32, "Edges of two triangles that run through it in the same direction."),
    FIELD(watertight, APY_FLAG8, "Whether the mesh encloses a volume."),
    FIELD(oriented, APY_FLAG8, "Watertight, with normals that point outwards."),
    FIELD(volume, APY_F64, "Enclosed; negative if inside out."),
    FIELD(area, APY_F64, "Of all triangles."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
static apy_layout report_layout = {.name = "apart.MeshReport",
                                   .doc = "What a mesh is.",
                                   .size = sizeof(apart_mesh_report),
                                   .fields = report_fields};

static PyObject *new_mesh(const apart_mesh *block, void *memory, bool built, bool surface, PyObject *owner)
{
    apy_mesh *self = (apy_mesh *)PyType_GenericAlloc(apy_mesh_type, 0);
    if (self != NULL) {
        self->block = block;
        self->memory = memory;
        self->built = built;
        self->surface = surface;
        self->owner = Py_XNewRef(owner);
    }
    return (PyObject *)self;
}

PyObject *apy_mesh_adopt(apart_mesh *mesh, bool surface)
{
    PyObject *self = new_mesh(mesh, NULL, true, surface, NULL);
    if (self == NULL) {
        apart_mesh_free(mesh);
    }
    return self;
}

/* Builds from a copy of the caller's arrays, without the GIL. Unless it is said, what encloses a volume is a solid. */
static PyObject *build(PyObject *vertices, PyObject *faces, PyObject *surface, uint32_t threads)
{
    apy_vertices v;
    Py_ssize_t count = 0;
    uint8_t as_surface = 0;
    if (!apy_flag(surface, "surface", &as_surface) || !apy_vertices_get(vertices, "vertices", &v)) {
        return NULL;
    }
    uint32_t *triangles = apy_index_copy(faces, "faces", 3, &count);
    apart_mesh *mesh = NULL;
    apart_status status = APART_ERR_NULL;
    if (triangles != NULL) {
        const apart_mesh_options options = {.threads = threads};
        PyThreadState *gil = apy_release_gil(true);
        status = apart_mesh_build(&v.vertices, triangles, (size_t)count, &options, &mesh);
        apy_take_gil(gil);
    }
    const bool read = triangles != NULL;
    PyMem_Free(triangles);
    apy_vertices_release(&v);
    if (status != APART_OK) {
        return read ? apy_raise(status, "mesh") : NULL;
    }
    if (surface == NULL) {
        as_surface = !apart_mesh_inspect(mesh)->watertight;
    }
    return apy_mesh_adopt(mesh, as_surface);
}

static apy_signature mesh_words = {"mesh", 1, 2, {"vertices", "faces", "surface", "threads"}, {NULL}};

static PyObject *make_mesh(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    uint32_t threads = 1;
    if (!apy_bind(&mesh_words, args, count, names, v) || !apy_threads(v[3], &threads)) {
        return NULL;
    }
    if (v[1] != NULL) {
        return build(v[0], v[1], v[2], threads);
    }
    PyObject *vertices = PyObject_GetAttrString(v[0], "vertices");
    PyObject *faces = vertices == NULL ? NULL : PyObject_GetAttrString(v[0], "faces");
    PyObject *made = NULL;
    if (faces == NULL) {
        PyErr_SetString(PyExc_TypeError, "mesh(): expected vertices and faces, or an object that has both");
    } else {
        made = build(vertices, faces, v[2], threads);
    }
    Py_XDECREF(vertices);
    Py_XDECREF(faces);
    return made;
}

/* ---- bodies of queries: declared in apy.h, because this is where all kinds meet ---- */

static bool body_of_mesh(PyObject *mesh, apy_body *out)
{
    out->object = mesh;
    out->solid = ((apy_mesh *)mesh)->surface ? apart_solid_surface(of(mesh)) : apart_solid_mesh(of(mesh));
    return true;
}

bool apy_body_get(PyObject *value, const char *what, apy_body *out)
{
    *out = (apy_body){.object = NULL};
    if (apy_is_shape(value)) {
        out->object = Py_NewRef(value);
        out->solid = apart_solid_shape(&((apy_shape *)value)->shape);
        out->quick = ((apy_shape *)value)->quick;
        return true;
    }
    if (Py_IS_TYPE(value, apy_compound_type)) {
        out->object = Py_NewRef(value);
        out->solid = apart_solid_compound(((apy_compound *)value)->compound);
        return true;
    }
    if (Py_IS_TYPE(value, apy_mesh_type)) {
        return body_of_mesh(Py_NewRef(value), out);
    }
    if (PyObject_HasAttrString(value, "vertices") && PyObject_HasAttrString(value, "faces")) {
        PyObject *given[1] = {value};
        PyObject *mesh = make_mesh(NULL, given, 1, NULL);
        return mesh != NULL && body_of_mesh(mesh, out);
    }
    PyErr_Format(PyExc_TypeError, "%s: expected a Shape, Compound or Mesh, or a mesh with vertices and faces, got %R",
                 what, (PyObject *)Py_TYPE(value));
    return false;
}

bool apy_body_shape(PyObject *value, const char *what, apy_body *out)
{
    if (!apy_is_shape(value)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a convex Shape, got %R", what, (PyObject *)Py_TYPE(value));
        return false;
    }
    return apy_body_get(value, what, out);
}

void apy_body_release(apy_body *body) { Py_CLEAR(body->object); }

bool apy_pair_get(PyObject *const *values, apy_pair *out)
{
    out->b.object = NULL;
    if (!apy_body_get(values[0], "a", &out->a)) {
        return false;
    }
    if (!apy_body_get(values[1], "b", &out->b) || !apy_pose_get(values[2], "pose_a", &out->pose_a) ||
        !apy_pose_get(values[3], "pose_b", &out->pose_b)) {
        apy_pair_release(out);
        return false;
    }
    out->shapes = out->a.solid.shape != NULL && out->b.solid.shape != NULL;
    out->quick = out->a.quick && out->b.quick;
    return true;
}

void apy_pair_release(apy_pair *pair)
{
    apy_body_release(&pair->a);
    apy_body_release(&pair->b);
}

/* ---- methods ---- */

static PyObject *as_surface(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return new_mesh(of(self), NULL, false, true, self);
}

static PyObject *as_solid(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (!apart_mesh_inspect(of(self))->watertight) {
        return apy_raise(APART_ERR_NOT_WATERTIGHT, "mesh");
    }
    return new_mesh(of(self), NULL, false, false, self);
}

static PyObject *mesh_contains(PyObject *self, PyObject *points)
{
    apy_packed p;
    apart_vec3 one;
    int side = 0;
    const Py_ssize_t size = PySequence_Check(points) ? PySequence_Size(points) : -1;
    PyErr_Clear(); /* an array without dimensions has no size */
    if (size == 3) {
        PyObject *first = PySequence_GetItem(points, 0);
        const bool number = first != NULL && PyNumber_Check(first) && !PySequence_Check(first);
        Py_XDECREF(first);
        PyErr_Clear();
        if (number) {
            if (!apy_vec3(points, "point", &one)) {
                return NULL;
            }
            const apart_status status = apart_mesh_contains(of(self), one, &side);
            return status == APART_OK ? PyLong_FromLong(side) : apy_raise(status, "mesh");
        }
    }
    if (!apy_packed_get(points, "points", 3, &p)) {
        return NULL;
    }
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("i1");
    PyObject *sides = type == NULL ? NULL : apy_numpy_empty(type, &p.rows, 1, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; sides != NULL && i < p.rows; i++) {
        const double *n = p.numbers + 3 * i;
        const apart_status status = apart_mesh_contains(of(self), (apart_vec3){n[0], n[1], n[2]}, &side);
        if (status != APART_OK) {
            Py_CLEAR(sides);
            apy_raise(status, "mesh");
            break;
        }
        ((int8_t *)data)[i] = (int8_t)side;
    }
    apy_packed_release(&p);
    return sides;
}

static PyObject *mesh_self_intersection(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    int found = 0;
    uint32_t pair[2];
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_mesh_self_intersection(of(self), &found, pair);
    apy_take_gil(gil);
    if (status != APART_OK) {
        return apy_raise(status, "mesh");
    }
    return found ? Py_BuildValue("(II)", pair[0], pair[1]) : Py_NewRef(Py_None);
}

static PyObject *mesh_aabb(PyObject *self, PyObject *pose)
{
    apy_body body;
    apart_pose at;
    apart_aabb box;
    if (!apy_pose_get(pose == Py_None ? NULL : pose, "pose", &at) || !apy_body_get(self, "mesh", &body)) {
        return NULL;
    }
    const apart_status status = apart_solid_aabb(body.solid, &at, &box);
    apy_body_release(&body);
    return status == APART_OK ? apy_numpy_doubles(&box.min.x, 2, 3) : apy_raise(status, "mesh");
}

static PyObject *mesh_ball(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apy_body body;
    apart_vec3 center;
    double radius;
    if (!apy_body_get(self, "mesh", &body)) {
        return NULL;
    }
    const apart_status status = apart_solid_ball(body.solid, &center, &radius);
    apy_body_release(&body);
    return status == APART_OK ? Py_BuildValue("(Nd)", apy_numpy_vec3(center), radius) : apy_raise(status, "mesh");
}

static PyObject *mesh_to_bytes(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const size_t size = apart_mesh_size(of(self));
    void *copy = PyMem_Malloc(size);
    if (copy == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(copy, of(self), size);
    const apart_status status = apart_mesh_convert(copy, size); /* files are little-endian */
    PyObject *bytes = status == APART_OK ? PyBytes_FromStringAndSize(copy, (Py_ssize_t)size) : apy_raise(status, NULL);
    PyMem_Free(copy);
    return bytes;
}

static apy_signature load_words = {"mesh_from_bytes", 1, 1, {"block", "surface"}, {NULL}};

static PyObject *mesh_from_bytes(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    Py_buffer view;
    uint8_t surface = 0;
    if (!apy_bind(&load_words, args, count, names, v) || !apy_flag(v[1], "surface", &surface) ||
        PyObject_GetBuffer(v[0], &view, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    const size_t size = (size_t)view.len;
    void *memory = PyMem_Malloc(size + 8);
    if (memory != NULL) {
        memcpy(memory, view.buf, size);
    }
    PyBuffer_Release(&view);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    const apart_mesh *mesh = NULL;
    apart_status status = apart_mesh_convert(memory, size);
    status = status == APART_OK ? apart_mesh_view(memory, size, &mesh) : status;
    if (status == APART_OK && v[1] == NULL) {
        surface = !apart_mesh_inspect(mesh)->watertight;
    }
    PyObject *self = status == APART_OK ? new_mesh(mesh, memory, false, surface, NULL) : apy_raise(status, "mesh");
    if (self == NULL) {
        PyMem_Free(memory);
    }
    return self;
}

static PyObject *mesh_reduce(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    PyObject *bytes = mesh_to_bytes(self, NULL);
    PyObject *module = bytes == NULL ? NULL : PyImport_ImportModule("apart._apart");
    PyObject *load = module == NULL ? NULL : PyObject_GetAttrString(module, "_load_mesh");
    Py_XDECREF(module);
    if (load == NULL) {
        Py_XDECREF(bytes);
        return NULL;
    }
    return Py_BuildValue("N(Ni)", load, bytes, (int)((apy_mesh *)self)->surface);
}

static PyObject *mesh_load(PyObject *module, PyObject *args)
{
    PyObject *given[2] = {NULL, NULL};
    return PyArg_ParseTuple(args, "OO", &given[0], &given[1]) ? mesh_from_bytes(module, given, 1, NULL) : NULL;
}

static PyObject *load_with_surface(PyObject *module, PyObject *args)
{
    PyObject *self = mesh_load(module, args);
    if (self != NULL) {
        ((apy_mesh *)self)->surface = PyObject_IsTrue(PyTuple_GetItem(args, 1)) == 1;
    }
    return self;
}

static PyObject *mesh_report(PyObject *self, void *closure)
{
    (void)closure;
    return apy_record_new(&report_layout, apart_mesh_inspect(of(self)), NULL);
}

static PyObject *mesh_is_solid(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(!((apy_mesh *)self)->surface);
}

static PyObject *mesh_vertices(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t shape[2] = {apart_mesh_inspect(of(self))->vertices, 3};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("f8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; array != NULL && i < shape[0]; i++) {
        ((apart_vec3 *)data)[i] = apart_mesh_vertex(of(self), (uint32_t)i);
    }
    return array;
}

static PyObject *mesh_faces(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t shape[2] = {apart_mesh_inspect(of(self))->triangles, 3};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("u4");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    Py_XDECREF(type);
    for (Py_ssize_t i = 0; array != NULL && i < shape[0]; i++) {
        apart_mesh_triangle(of(self), (uint32_t)i, (uint32_t *)data + 3 * i);
    }
    return array;
}

static PyObject *mesh_repr(PyObject *self)
{
    const apart_mesh_report *r = apart_mesh_inspect(of(self));
    return PyUnicode_FromFormat("<apart mesh of %u triangles, taken as a %s>", r->triangles,
                                ((apy_mesh *)self)->surface ? "surface" : "solid");
}

static void mesh_free(PyObject *self)
{
    apy_mesh *mesh = (apy_mesh *)self;
    if (mesh->built) {
        apart_mesh_free((apart_mesh *)(uintptr_t)mesh->block);
    }
    PyMem_Free(mesh->memory);
    Py_CLEAR(mesh->owner);
    apy_free(self);
}

static PyMethodDef mesh_methods[] =
    {{"as_surface", as_surface, METH_NOARGS, "as_surface($self)\n--\n\nThe same mesh, taken as its triangles alone."},
     {"as_solid", as_solid, METH_NOARGS, "as_solid($self)\n--\n\nThe same mesh, taken as what it encloses."},
     {"contains", mesh_contains, METH_O,
      "contains($self, points, /)\n--\n\nFor a point in the mesh's frame, or each row: 1 inside, 0 on the surface, -1 "
      "outside; "
      "exact."},
     {"self_intersection", mesh_self_intersection, METH_NOARGS,
      "self_intersection($self)\n--\n\nTwo triangles that cross, or None; decided exactly."},
     {"aabb", mesh_aabb, METH_O, "aabb($self, pose, /)\n--\n\nA world box around the mesh: rows min and max."},
     {"ball", mesh_ball, METH_NOARGS, "ball($self)\n--\n\nA bounding sphere in the mesh's frame: (center, radius)."},
     {"to_bytes", mesh_to_bytes, METH_NOARGS,
      "to_bytes($self)\n--\n\nThe mesh and its tree as a block: apart.mesh_from_bytes()."},
     {"__reduce__", mesh_reduce, METH_NOARGS, NULL},
     {NULL, NULL, 0, NULL}};
static PyGetSetDef mesh_getset[] = {{"report", mesh_report, NULL, "What the mesh is: MeshReport.", NULL},
                                    {"is_solid", mesh_is_solid, NULL,
                                     "Whether queries take what it encloses, or its triangles alone.", NULL},
                                    {"vertices", mesh_vertices, NULL, "Distinct positions, shape (n, 3).", NULL},
                                    {"faces", mesh_faces, NULL, "The three vertices of each triangle, shape (m, 3).",
                                     NULL},
                                    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot mesh_slots[] = {{Py_tp_doc, "A triangle mesh; immutable. Made by apart.mesh()."},
                                   {Py_tp_methods, mesh_methods},
                                   {Py_tp_getset, mesh_getset},
                                   {Py_tp_repr, (void *)mesh_repr},
                                   {Py_tp_dealloc, (void *)mesh_free},
                                   {0, NULL}};
static PyType_Spec mesh_spec = {.name = "apart.Mesh",
                                .basicsize = sizeof(apy_mesh),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = mesh_slots};

static PyMethodDef functions[] =
    {{"mesh", APY_CALL(make_mesh), APY_FAST,
      "mesh(vertices, faces=None, *, surface=None, threads=1)\n--\n\nA mesh from vertices (n, 3) and triangles (m, "
      "3), or "
      "from an object that has .vertices and .faces (trimesh). It is taken as a solid if it encloses a volume, else "
      "as a "
      "surface; surface= says which."},
     {"mesh_from_bytes", APY_CALL(mesh_from_bytes), APY_FAST,
      "mesh_from_bytes(block, *, surface=None)\n--\n\nA mesh that to_bytes() wrote; everything in it is checked."},
     {"_load_mesh", load_with_surface, METH_VARARGS, NULL},
     {NULL, NULL, 0, NULL}};

bool apy_add_meshes(PyObject *module)
{
    return apy_layout_add(module, &report_layout) && apy_add_type(module, &mesh_spec, NULL, &apy_mesh_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}
