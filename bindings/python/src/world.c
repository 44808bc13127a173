/* World: many moving bodies. */
#include "world.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject *world_type;

static world_object *of(PyObject *self) { return (world_object *)self; }

/* The world to ourselves. The GIL is given up while we wait, because who holds the lock will want it. */
void apy_world_enter(world_object *self)
{
    if (!PyThread_acquire_lock(self->lock, 0)) {
        PyThreadState *gil = PyEval_SaveThread();
        PyThread_acquire_lock(self->lock, 1);
        PyEval_RestoreThread(gil);
    }
}

void apy_world_leave(world_object *self) { PyThread_release_lock(self->lock); }

static PyObject *none_or(apart_status status)
{
    return status == APART_OK ? Py_NewRef(Py_None) : apy_raise(status, "World");
}

/* ---- body numbers: slot and generation in one number ---- */

uint64_t apy_body_number(apart_body_id id) { return (uint64_t)id.generation << 32 | id.slot; }

bool apy_body_id_get(PyObject *value, apart_body_id *out)
{
    uint64_t number = 0;
    if (!apy_count(value, "body", UINT64_MAX, &number)) {
        return false;
    }
    *out = (apart_body_id){.slot = (uint32_t)number, .generation = (uint32_t)(number >> 32)};
    return true;
}

/* ---- pairs ---- */

#define FIELD(member, kind, text, doc)                                     \
    {                                                                      \
#member, kind, offsetof(apart_world_pair, member), doc, text, NULL \
    }
static const apy_field pair_fields[] = {
    FIELD(a, APY_U64, NULL, "The body in the lower slot."),
    FIELD(b, APY_U64, NULL, "The other."),
    FIELD(part_a, APY_U32, NULL, "The part of A that decides."),
    FIELD(part_b, APY_U32, NULL, "The part of B."),
    FIELD(distance, APY_F64, NULL, "Signed."),
    FIELD(lower, APY_F64, NULL, "Certified: lower <= true value."),
    FIELD(upper, APY_F64, NULL, "Certified: true value <= upper."),
    FIELD(point_a, APY_VEC3, NULL, "Witness point on A."),
    FIELD(point_b, APY_VEC3, NULL, "Witness point on B."),
    FIELD(normal, APY_VEC3, NULL, "Unit, from A to B."),
    FIELD(user_a, APY_U64, NULL, "User data of A."),
    FIELD(user_b, APY_U64, NULL, "User data of B."),
    FIELD(relation, APY_NAME32, apart_relation_name, "A number of apart.RELATIONS."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD
static apy_layout pair_layout = {.name = "apart.WorldPair",
                                 .doc = "Two bodies and their distance.",
                                 .size = sizeof(apart_world_pair),
                                 .fields = pair_fields};

#define FIELD(member, doc)                                                     \
    {                                                                          \
#member, APY_U64, offsetof(apart_world_stats, member), doc, NULL, NULL \
    }
static const apy_field stats_fields[] = {FIELD(bodies, "Bodies now."),
                                         FIELD(pairs, "Pairs kept with a cache now."),
                                         FIELD(height, "Height of the tree now."),
                                         FIELD(memory, "Bytes now."),
                                         FIELD(moves, "Poses set."),
                                         FIELD(refits, "Bodies whose box in the tree was computed anew."),
                                         FIELD(queries, "Pairs of bodies queried."),
                                         FIELD(saved, "Pairs not queried: their bounds and motion decide."),
                                         FIELD(reused, "Pairs whose last answer still holds."),
                                         FIELD(part_queries, "Pairs of convex parts queried."),
                                         FIELD(found, "Pairs that entered the list of near pairs."),
                                         FIELD(dropped, "Pairs that left it."),
                                         {NULL, APY_F64, 0, NULL, NULL, NULL}};
#undef FIELD
static apy_layout stats_layout = {.name = "apart.WorldStats",
                                  .doc = "Statistics of a world.",
                                  .size = sizeof(apart_world_stats),
                                  .fields = stats_fields};

/* In memory an id is slot, then generation; in arrays it is the body's number. */
static void ids_to_numbers(apart_world_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = apy_body_number(pairs[i].a), b = apy_body_number(pairs[i].b);
        memcpy(&pairs[i].a, &a, sizeof a);
        memcpy(&pairs[i].b, &b, sizeof b);
    }
}

PyObject *apy_world_pairs(apart_world_pair *pairs, size_t count)
{
    const Py_ssize_t shape = (Py_ssize_t)count;
    void *data = NULL;
    PyObject *array = apy_numpy_empty(pair_layout.dtype, &shape, 1, &data);
    if (array != NULL && count > 0) {
        ids_to_numbers(pairs, count);
        memcpy(data, pairs, count * sizeof *pairs);
    }
    return array;
}

/* ---- making ---- */

static apy_signature new_words = {"World", 0, 0, {"threads", "max_bodies", "max_pairs"}, {NULL}};

bool apy_world_options(PyObject *const v[3], apart_world_options *out)
{
    uint64_t bodies = 0, pairs = 0;
    *out = (apart_world_options){.threads = 1};
    if (!apy_threads(v[0], &out->threads) || !apy_count(v[1], "max_bodies", UINT32_MAX, &bodies) ||
        !apy_count(v[2], "max_pairs", UINT32_MAX, &pairs)) {
        return false;
    }
    out->max_bodies = (uint32_t)bodies;
    out->max_pairs = (uint32_t)pairs;
    return true;
}

static PyObject *adopt_as(PyTypeObject *type, apart_world *world)
{
    world_object *self = (world_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) {
        apart_world_free(world);
        return NULL;
    }
    self->world = world;
    self->bodies = PyDict_New();
    self->lock = PyThread_allocate_lock();
    if (self->bodies == NULL || self->lock == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

PyObject *apy_world_adopt(apart_world *world) { return adopt_as(world_type, world); }

static PyObject *world_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *v[APY_MOST_WORDS];
    apart_world_options options;
    apart_world *world = NULL;
    if (!apy_bind_tuple(&new_words, args, named, v) || !apy_world_options(v, &options)) {
        return NULL;
    }
    const apart_status status = apart_world_create(&options, &world);
    return status == APART_OK ? adopt_as(type, world) : apy_raise(status, "World");
}

static void world_free(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    world_object *self = of(object);
    apart_world_free(self->world);
    if (self->lock != NULL) {
        PyThread_free_lock(self->lock);
    }
    Py_CLEAR(self->bodies);
    apy_free(object);
}

static int world_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(of(self)->bodies);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* ---- bodies ---- */

static apy_signature add_words = {"add",
                                  1,
                                  2,
                                  {"body", "pose", "groups", "ignores", "user", "category", "mask"},
                                  {NULL}};

static PyObject *world_add(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_body_def def = {.groups = 0};
    uint64_t groups = 0, ignores = 0;
    apy_body body;
    apart_body_id id;
    if (!apy_bind(&add_words, args, count, names, v) || !apy_pose_get(v[1], "pose", &def.pose) ||
        !apy_count(v[2], "groups", UINT32_MAX, &groups) || !apy_count(v[3], "ignores", UINT32_MAX, &ignores) ||
        !apy_count(v[4], "user", UINT64_MAX, &def.user) || !apy_count(v[5], "category", UINT64_MAX, &def.category) ||
        !apy_count(v[6], "mask", UINT64_MAX, &def.mask) || !apy_body_get(v[0], "body", &body)) {
        return NULL;
    }
    def.solid = body.solid;
    def.groups = (uint32_t)groups;
    def.ignores = (uint32_t)ignores;
    apy_world_enter(of(self));
    const apart_status status = apart_world_add(of(self)->world, &def, &id);
    apy_world_leave(of(self));
    PyObject *number = status == APART_OK ? PyLong_FromUnsignedLongLong(apy_body_number(id)) : apy_raise(status, "add");
    if (number != NULL && PyDict_SetItem(of(self)->bodies, number, body.object) < 0) {
        Py_CLEAR(number);
    }
    apy_body_release(&body);
    return number;
}

static PyObject *world_remove(PyObject *self, PyObject *body)
{
    apart_body_id id;
    if (!apy_body_id_get(body, &id)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_remove(of(self)->world, id);
    apy_world_leave(of(self));
    if (status == APART_OK && PyDict_DelItem(of(self)->bodies, body) < 0) {
        PyErr_Clear();
    }
    return none_or(status);
}

static apy_signature move_words = {"move", 2, 2, {"body", "pose"}, {NULL}};

static apart_body_id *read_ids(PyObject *value, Py_ssize_t *count)
{
    apy_array a;
    if (!apy_indices(value, "body", &a)) {
        return NULL;
    }
    apart_body_id *ids = a.dimensions == 1 && (a.type == 'q' || a.type == 'Q')
                             ? PyMem_Malloc((size_t)(a.shape[0] + 1) * sizeof *ids)
                             : NULL;
    for (Py_ssize_t i = 0; ids != NULL && i < a.shape[0]; i++) {
        uint64_t number;
        memcpy(&number, a.data + i * a.strides[0], sizeof number);
        ids[i] = (apart_body_id){.slot = (uint32_t)number, .generation = (uint32_t)(number >> 32)};
    }
    *count = a.shape[0];
    apy_array_release(&a);
    if (ids == NULL) {
        apy_length_error("body", "a body's number, or a row of them (64 bits)");
    }
    return ids;
}

static PyObject *move_many(PyObject *self, PyObject *bodies, PyObject *given)
{
    Py_ssize_t count = 0;
    apy_pose_list poses;
    apart_body_id *ids = read_ids(bodies, &count);
    if (ids == NULL || !apy_pose_list_get(given, "poses", &poses)) {
        PyMem_Free(ids);
        return NULL;
    }
    apart_status status = APART_ERR_SIZE;
    if (poses.count == count) {
        apy_world_enter(of(self));
        PyThreadState *gil = apy_release_gil(true);
        status = apart_world_move_many(of(self)->world, ids, poses.poses, (size_t)count);
        apy_take_gil(gil);
        apy_world_leave(of(self));
    } else {
        PyErr_Format(PyExc_ValueError, "move(): %zd bodies, but %zd poses", count, poses.count);
    }
    apy_pose_list_release(&poses);
    PyMem_Free(ids);
    return PyErr_Occurred() != NULL ? NULL : none_or(status);
}

static PyObject *world_move(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_body_id id;
    apart_pose pose;
    if (!apy_bind(&move_words, args, count, names, v)) {
        return NULL;
    }
    if (!PyLong_Check(v[0]) && PySequence_Check(v[0])) {
        return move_many(self, v[0], v[1]);
    }
    if (!apy_body_id_get(v[0], &id) || !apy_pose_get(v[1], "pose", &pose)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_move(of(self)->world, id, &pose);
    apy_world_leave(of(self));
    return none_or(status);
}

static PyObject *world_get(PyObject *self, PyObject *body)
{
    apart_body_id id;
    apart_body_def def;
    if (!apy_body_id_get(body, &id)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_get(of(self)->world, id, &def);
    apy_world_leave(of(self));
    if (status != APART_OK) {
        return apy_raise(status, "World");
    }
    PyObject *object = PyDict_GetItemWithError(of(self)->bodies, body);
    return Py_BuildValue("{s:O,s:N,s:I,s:I,s:K,s:K,s:K}", "body", object == NULL ? Py_None : object, "pose",
                         apy_pose_new(&def.pose), "groups", def.groups, "ignores", def.ignores, "user",
                         (unsigned long long)def.user, "category", (unsigned long long)def.category, "mask",
                         (unsigned long long)def.mask);
}

static apy_signature filter_words = {"set_filter", 1, 1, {"body", "groups", "ignores"}, {NULL}};

static PyObject *world_set_filter(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_body_id id;
    uint64_t groups = 0, ignores = 0;
    if (!apy_bind(&filter_words, args, count, names, v) || !apy_body_id_get(v[0], &id) ||
        !apy_count(v[1], "groups", UINT32_MAX, &groups) || !apy_count(v[2], "ignores", UINT32_MAX, &ignores)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_set_filter(of(self)->world, id, (uint32_t)groups, (uint32_t)ignores);
    apy_world_leave(of(self));
    return none_or(status);
}

static apy_signature mask_words = {"set_mask", 1, 1, {"body", "category", "mask"}, {NULL}};

static PyObject *world_set_mask(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_body_id id;
    uint64_t category = 0, mask = 0;
    if (!apy_bind(&mask_words, args, count, names, v) || !apy_body_id_get(v[0], &id) ||
        !apy_count(v[1], "category", UINT64_MAX, &category) || !apy_count(v[2], "mask", UINT64_MAX, &mask)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_set_mask(of(self)->world, id, category, mask);
    apy_world_leave(of(self));
    return none_or(status);
}

static apy_signature disable_words = {"disable_pair", 2, 3, {"a", "b", "disabled"}, {NULL}};

static PyObject *world_disable_pair(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_body_id a, b;
    uint8_t disabled = 1;
    if (!apy_bind(&disable_words, args, count, names, v) || !apy_body_id_get(v[0], &a) || !apy_body_id_get(v[1], &b) ||
        !apy_flag(v[2], "disabled", &disabled)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_disable_pair(of(self)->world, a, b, disabled);
    apy_world_leave(of(self));
    return none_or(status);
}

static PyObject *world_bodies(PyObject *self, void *closure)
{
    (void)closure;
    apy_world_enter(of(self));
    const size_t slots = apart_world_slots(of(self)->world), count = apart_world_count(of(self)->world);
    uint64_t *numbers = PyMem_Malloc((count + 1) * sizeof *numbers);
    size_t found = 0;
    for (size_t i = 0; numbers != NULL && i < slots; i++) {
        const apart_body_id id = apart_world_body(of(self)->world, i);
        if (id.generation != 0 && found < count) {
            numbers[found++] = apy_body_number(id);
        }
    }
    apy_world_leave(of(self));
    void *data = NULL;
    const Py_ssize_t shape = (Py_ssize_t)found;
    PyObject *type = numbers == NULL ? PyErr_NoMemory() : PyUnicode_FromString("u8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, &shape, 1, &data);
    if (array != NULL) {
        memcpy(data, numbers, found * sizeof *numbers);
    }
    Py_XDECREF(type);
    PyMem_Free(numbers);
    return array;
}

static Py_ssize_t world_length(PyObject *self) { return (Py_ssize_t)apart_world_count(of(self)->world); }

static PyObject *world_set_threads(PyObject *self, PyObject *threads)
{
    uint32_t number = 1;
    if (!apy_threads(threads, &number)) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_set_threads(of(self)->world, number);
    apy_world_leave(of(self));
    return none_or(status);
}

static PyObject *world_update(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apy_world_enter(of(self));
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_update(of(self)->world);
    apy_take_gil(gil);
    apy_world_leave(of(self));
    return none_or(status);
}

/* ---- queries ---- */

static const char *depth_name(int depth)
{
    static const char *const names[] = {"exact", "bounds", "none"};
    return names[depth];
}

typedef enum world_question { BELOW, OVERLAPS, NEAREST } world_question;

static apart_status ask(world_object *self, world_question question, double distance, uint64_t most,
                        apart_world_list *list)
{
    switch (question) {
    case BELOW: return apart_world_below(self->world, distance, list);
    case OVERLAPS: return apart_world_overlaps(self->world, list);
    default: return apart_world_nearest(self->world, most, list);
    }
}

/* Asks with a room that grows until all pairs fit. */
static PyObject *list_pairs(world_object *self, world_question question, double distance, uint64_t most, size_t room,
                            apart_world_list list)
{
    PyObject *array = NULL;
    apy_world_enter(self);
    for (bool again = true; again;) {
        list.pairs = malloc((room + 1) * sizeof *list.pairs);
        list.capacity = room;
        if (list.pairs == NULL) {
            PyErr_NoMemory();
            break;
        }
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = ask(self, question, distance, most, &list);
        apy_take_gil(gil);
        again = status == APART_OK && question != NEAREST && list.total > list.count;
        room = again ? (list.total > 2 * room ? list.total : 2 * room) : room;
        if (status != APART_OK) {
            apy_raise(status, "World");
        } else if (!again) {
            array = apy_world_pairs(list.pairs, list.count);
        }
        free(list.pairs);
    }
    apy_world_leave(self);
    return array;
}

static apy_signature below_words = {"below", 1, 1, {"distance", "tolerance", "depth"}, {NULL}};

static PyObject *world_below(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    double distance = 0.0;
    uint8_t depth = 0;
    apart_world_list list = {.capacity = 0};
    if (!apy_bind(&below_words, args, count, names, v) || !apy_double(v[0], "distance", &distance) ||
        !apy_double(v[1], "tolerance", &list.tolerance) || !apy_choice(v[2], "depth", depth_name, 3, &depth)) {
        return NULL;
    }
    list.depth = depth;
    return list_pairs(of(self), BELOW, distance, 0, 1024, list);
}

static PyObject *world_overlaps(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    const apart_world_list list = {.capacity = 0};
    return list_pairs(of(self), OVERLAPS, 0.0, 0, 1024, list);
}

static apy_signature nearest_words = {"nearest", 0, 1, {"count", "max_queries", "tolerance", "depth"}, {NULL}};

static PyObject *world_nearest(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t wanted = 1, most = 0;
    uint8_t depth = 0;
    apart_world_list list = {.capacity = 0};
    if (!apy_bind(&nearest_words, args, count, names, v) || !apy_count(v[0], "count", 1u << 24, &wanted) ||
        !apy_count(v[1], "max_queries", UINT64_MAX, &most) || !apy_double(v[2], "tolerance", &list.tolerance) ||
        !apy_choice(v[3], "depth", depth_name, 3, &depth)) {
        return NULL;
    }
    list.depth = depth;
    return list_pairs(of(self), NEAREST, 0.0, most, (size_t)wanted, list);
}

/* ---- statistics and snapshots ---- */

static PyObject *world_stats(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apart_world_stats stats;
    apy_world_enter(of(self));
    const apart_status status = apart_world_get_stats(of(self)->world, &stats);
    apy_world_leave(of(self));
    return status == APART_OK ? apy_record_new(&stats_layout, &stats, NULL) : apy_raise(status, "World");
}

static PyObject *world_reset_stats(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    apy_world_enter(of(self));
    apart_world_reset_stats(of(self)->world);
    apy_world_leave(of(self));
    Py_RETURN_NONE;
}

/* A snapshot: the world's bytes, which hold pointers, and the objects they point into. Only Python code of this process
 * can have made one, and it cannot be changed. */
typedef struct snapshot_object {
    PyObject_HEAD void *memory;
    size_t size;
    PyObject *bodies;
} snapshot_object;

static PyTypeObject *snapshot_type;

static void snapshot_free(PyObject *self)
{
    PyMem_Free(((snapshot_object *)self)->memory);
    Py_XDECREF(((snapshot_object *)self)->bodies);
    apy_free(self);
}

static PyType_Slot snapshot_slots[] = {{Py_tp_doc, "The state of a world, for World.restore() in this process."},
                                       {Py_tp_dealloc, (void *)snapshot_free},
                                       {0, NULL}};
static PyType_Spec snapshot_spec = {.name = "apart.Snapshot",
                                    .basicsize = sizeof(snapshot_object),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                    .slots = snapshot_slots};

static PyObject *world_snapshot(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    snapshot_object *taken = (snapshot_object *)PyType_GenericAlloc(snapshot_type, 0);
    if (taken == NULL) {
        return NULL;
    }
    apy_world_enter(of(self));
    taken->size = apart_world_snapshot_size(of(self)->world);
    taken->memory = PyMem_Malloc(taken->size + 1);
    const apart_status status =
        taken->memory == NULL ? APART_ERR_MEMORY : apart_world_snapshot(of(self)->world, taken->memory, taken->size);
    apy_world_leave(of(self));
    taken->bodies = PyDict_Copy(of(self)->bodies);
    if (status != APART_OK || taken->bodies == NULL) {
        Py_DECREF(taken);
        return status != APART_OK ? apy_raise(status, "snapshot") : NULL;
    }
    return (PyObject *)taken;
}

static PyObject *world_restore(PyObject *self, PyObject *value)
{
    if (!Py_IS_TYPE(value, snapshot_type)) {
        PyErr_SetString(PyExc_TypeError, "restore(): expected a Snapshot");
        return NULL;
    }
    const snapshot_object *taken = (const snapshot_object *)value;
    PyObject *bodies = PyDict_Copy(taken->bodies);
    if (bodies == NULL) {
        return NULL;
    }
    apy_world_enter(of(self));
    const apart_status status = apart_world_restore(of(self)->world, taken->memory, taken->size);
    PyObject *before = of(self)->bodies;
    if (status == APART_OK) {
        of(self)->bodies = bodies;
        bodies = before;
    }
    apy_world_leave(of(self));
    Py_DECREF(bodies);
    return none_or(status);
}

static PyMethodDef world_methods[] = {
    {"add", APY_CALL(world_add), APY_FAST,
     "add($self, body, pose=None, *, groups=0, ignores=0, user=0, category=0, mask=0)\n--\n\nAdds a Shape, Compound or "
     "Mesh; returns "
     "its number."},
    {"remove", world_remove, METH_O, "remove($self, body, /)\n--\n\nRemoves a body."},
    {"move", APY_CALL(world_move), APY_FAST,
     "move($self, body, pose)\n--\n\nSets the pose of a body, or of a row of bodies (all or none of them)."},
    {"get", world_get, METH_O, "get($self, body, /)\n--\n\nWhat a body is: body, pose, groups, ignores, user."},
    {"set_filter", APY_CALL(world_set_filter), APY_FAST,
     "set_filter($self, body, *, groups=0, ignores=0)\n--\n\nSets the filter bits."},
    {"disable_pair", APY_CALL(world_disable_pair), APY_FAST,
     "disable_pair($self, a, b, disabled=True)\n--\n\nExcludes a pair from all queries, or includes it again."},
    {"set_threads", world_set_threads, METH_O, "set_threads($self, threads, /)\n--\n\nChanges no answer."},
    {"update", world_update, METH_NOARGS,
     "update($self)\n--\n\nBrings the tree up to date; queries do this themselves."},
    {"below", APY_CALL(world_below), APY_FAST,
     "below($self, distance, *, tolerance=0, depth='exact')\n--\n\nAll pairs nearer than the distance: a structured "
     "array."},
    {"overlaps", world_overlaps, METH_NOARGS,
     "overlaps($self)\n--\n\nAll pairs that touch or overlap, without depths."},
    {"nearest", APY_CALL(world_nearest), APY_FAST,
     "nearest($self, count=1, *, max_queries=0, tolerance=0, depth='exact')\n--\n\nThe nearest pairs, nearest first."},
    {"set_mask", APY_CALL(world_set_mask), APY_FAST,
     "set_mask($self, body, *, category=0, mask=0)\n--\n\nSets what a body is, and what it may be paired with."},
    {"stats", world_stats, METH_NOARGS, "stats($self)\n--\n\nStatistics."},
    {"reset_stats", world_reset_stats, METH_NOARGS, "reset_stats($self)\n--\n\nSets the counters to zero."},
    {"snapshot", world_snapshot, METH_NOARGS, "snapshot($self)\n--\n\nThe whole state, for restore() in this process."},
    {"restore", world_restore, METH_O,
     "restore($self, snapshot, /)\n--\n\nThe state of a snapshot, with the same numbers."},
    {"to_bytes", apy_world_to_bytes, METH_NOARGS,
     "to_bytes($self)\n--\n\nAll bodies with what they are made of, for files and other processes: "
     "apart.world_from_bytes()."},
    {"__reduce__", apy_world_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyMethodDef all_methods[48]; /* those of world_query.c, too */
static PyGetSetDef world_getset[] = {{"bodies", world_bodies, NULL, "The numbers of all bodies.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot world_slots[] =
    {{Py_tp_doc,
      "World(*, threads=1, max_bodies=0, max_pairs=0)\n--\n\nMany moving bodies with a broad phase and motion bounds."},
     {Py_tp_new, (void *)world_new},
     {Py_tp_methods, all_methods},
     {Py_tp_getset, world_getset},
     {Py_sq_length, (void *)world_length},
     {Py_tp_traverse, (void *)world_traverse},
     {Py_tp_dealloc, (void *)world_free},
     {0, NULL}};
static PyType_Spec world_spec = {.name = "apart.World",
                                 .basicsize = sizeof(world_object),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                 .slots = world_slots};

bool apy_add_worlds(PyObject *module)
{
    int count = 0;
    for (const PyMethodDef *m = world_methods; m->ml_name != NULL; m++) {
        all_methods[count++] = *m;
    }
    for (const PyMethodDef *m = apy_world_queries; m->ml_name != NULL; m++) {
        all_methods[count++] = *m;
    }
    return apy_layout_add(module, &pair_layout) && apy_layout_add(module, &stats_layout) &&
           apy_add_world_layouts(module) && apy_add_type(module, &snapshot_spec, NULL, &snapshot_type) &&
           apy_add_type(module, &world_spec, NULL, &world_type);
}
