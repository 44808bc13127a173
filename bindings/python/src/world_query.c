/* What is asked of a world: the bodies near a body, rays, casts, overlaps, contacts, events. */
#include "world.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static world_object *of(PyObject *self) { return (world_object *)self; }

static const char *depth_name(int depth)
{
    static const char *const names[] = {"exact", "bounds", "none"};
    return names[depth];
}

static apy_signature near_words = {"near",
                                   1,
                                   2,
                                   {"body", "pose", "count", "within", "groups", "ignores", "tolerance", "depth",
                                    "category", "mask"},
                                   {NULL}};

/* What the probes have in common, and the room for their answers. */
static bool near_options(PyObject *const *v, apart_probe *probe, apart_world_list *list, uint64_t *room)
{
    uint64_t groups = 0, ignores = 0;
    uint8_t depth = 0;
    if (!apy_count(v[8], "category", UINT64_MAX, &probe->category) ||
        !apy_count(v[9], "mask", UINT64_MAX, &probe->mask)) {
        return false;
    }
    if (!apy_count(v[2], "count", 1u << 20, room) || !apy_double(v[3], "within", &probe->within) ||
        !apy_count(v[4], "groups", UINT32_MAX, &groups) || !apy_count(v[5], "ignores", UINT32_MAX, &ignores) ||
        !apy_double(v[6], "tolerance", &list->tolerance) || !apy_choice(v[7], "depth", depth_name, 3, &depth)) {
        return false;
    }
    probe->groups = (uint32_t)groups;
    probe->ignores = (uint32_t)ignores;
    list->depth = depth;
    return true;
}

static PyObject *near_one(world_object *self, const apart_probe *probe, apart_world_list list, size_t room)
{
    list.pairs = malloc((room + 1) * sizeof *list.pairs);
    list.capacity = room;
    if (list.pairs == NULL) {
        return PyErr_NoMemory();
    }
    apy_world_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_near(self->world, probe, &list);
    apy_take_gil(gil);
    apy_world_leave(self);
    PyObject *array = status == APART_OK ? apy_world_pairs(list.pairs, list.count) : apy_raise(status, "near");
    free(list.pairs);
    return array;
}

/* The same solid at many poses: a list of arrays. */
static PyObject *near_many(world_object *self, const apart_probe *probe, const apy_pose_list *poses,
                           apart_world_list list, size_t room)
{
    const size_t count = (size_t)poses->count;
    apart_probe *probes = malloc((count + 1) * sizeof *probes);
    apart_world_list *lists = malloc((count + 1) * sizeof *lists);
    apart_world_pair *pairs = malloc((count * room + 1) * sizeof *pairs);
    PyObject *answers = NULL;
    if (probes != NULL && lists != NULL && pairs != NULL) {
        for (size_t i = 0; i < count; i++) {
            probes[i] = *probe;
            probes[i].pose = poses->poses[i];
            lists[i] = list;
            lists[i].pairs = pairs + i * room;
            lists[i].capacity = room;
        }
        apy_world_enter(self);
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_world_near_many(self->world, probes, count, lists);
        apy_take_gil(gil);
        apy_world_leave(self);
        answers = status == APART_OK ? PyList_New((Py_ssize_t)count) : apy_raise(status, "near");
        for (size_t i = 0; answers != NULL && i < count; i++) {
            PyObject *array = apy_world_pairs(lists[i].pairs, lists[i].count);
            if (array == NULL || PyList_SetItem(answers, (Py_ssize_t)i, array) < 0) {
                Py_CLEAR(answers);
            }
        }
    } else {
        PyErr_NoMemory();
    }
    free(probes);
    free(lists);
    free(pairs);
    return answers;
}

static PyObject *world_near(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *answer;
    apart_probe probe = {.within = 0.0};
    apart_world_list list = {.capacity = 0};
    uint64_t room = 1;
    apy_body body;
    apy_pose_list poses;
    if (!apy_bind(&near_words, args, count, names, v) || !near_options(v, &probe, &list, &room)) {
        return NULL;
    }
    if (room == 0) {
        return apy_raise(APART_ERR_OPTION, "near: count");
    }
    if (PyIndex_Check(v[0])) {
        return apy_body_id_get(v[0], &probe.body) ? near_one(of(self), &probe, list, (size_t)room) : NULL;
    }
    if (!apy_body_get(v[0], "body", &body)) {
        return NULL;
    }
    probe.solid = body.solid;
    const bool many = v[1] != NULL && !Py_IS_TYPE(v[1], apy_pose_type) && PySequence_Check(v[1]) &&
                      (Py_IS_TYPE(v[1], apy_poses_type) || PyObject_HasAttrString(v[1], "ndim"));
    PyObject *dimensions = many && !Py_IS_TYPE(v[1], apy_poses_type) ? PyObject_GetAttrString(v[1], "ndim") : NULL;
    const bool rows = many && (dimensions == NULL || PyLong_AsLong(dimensions) == 3);
    Py_XDECREF(dimensions);
    if (rows) {
        answer = NULL;
        if (apy_pose_list_get(v[1], "pose", &poses)) {
            answer = near_many(of(self), &probe, &poses, list, (size_t)room);
            apy_pose_list_release(&poses);
        }
    } else {
        answer = apy_pose_get(v[1], "pose", &probe.pose) ? near_one(of(self), &probe, list, (size_t)room) : NULL;
    }
    apy_body_release(&body);
    return answer;
}

/* ---- rays ---- */

static const apy_field ray_fields[] = {
    {"hit", APY_FLAG8, offsetof(apart_world_ray_hit, hit.hit), "Whether the ray hits.", NULL, NULL},
    {"inside", APY_FLAG8, offsetof(apart_world_ray_hit, hit.inside), "The origin lies in the body.", NULL, NULL},
    {"distance", APY_F64, offsetof(apart_world_ray_hit, hit.distance), "Along the ray.", NULL, NULL},
    {"lower", APY_F64, offsetof(apart_world_ray_hit, hit.lower), "Certified.", NULL, NULL},
    {"point", APY_VEC3, offsetof(apart_world_ray_hit, hit.point), "Where the ray enters.", NULL, NULL},
    {"normal", APY_VEC3, offsetof(apart_world_ray_hit, hit.normal), "Outward unit normal.", NULL, NULL},
    {"body", APY_U64, offsetof(apart_world_ray_hit, body), "The body; 0 if none.", NULL, NULL},
    {"part", APY_U32, offsetof(apart_world_ray_hit, part), "Its part; 0 for a shape.", NULL, NULL},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
apy_layout apy_world_ray_layout = {.name = "apart.WorldRayHit",
                                   .doc = "The first body that a ray hits.",
                                   .size = sizeof(apart_world_ray_hit),
                                   .fields = ray_fields};

static void body_to_number(apart_world_ray_hit *hit)
{
    const uint64_t number = apy_body_number(hit->body);
    memcpy(&hit->body, &number, sizeof number);
}

static apy_signature ray_words = {"raycast", 2, 2, {"origin", "direction", "length", "ignores", "count"}, {NULL}};

static PyObject *ray_first(world_object *self, const apart_ray *ray, uint32_t ignores)
{
    apart_world_ray_hit hit;
    apy_world_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_raycast(self->world, ray, ignores, &hit);
    apy_take_gil(gil);
    apy_world_leave(self);
    if (status != APART_OK) {
        return apy_raise(status, "raycast");
    }
    body_to_number(&hit);
    return apy_record_new(&apy_world_ray_layout, &hit, NULL);
}

/* The first `count` bodies on a ray, nearest first. */
static PyObject *ray_all(world_object *self, const apart_ray *ray, PyObject *count, uint32_t ignores)
{
    uint64_t room = 0;
    if (!apy_count(count, "count", 1u << 24, &room)) {
        return NULL;
    }
    apart_world_ray_list list = {.hits = malloc(((size_t)room + 1) * sizeof *list.hits), .capacity = (size_t)room};
    const apart_probe filter = {.ignores = ignores};
    if (list.hits == NULL) {
        return PyErr_NoMemory();
    }
    apy_world_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_raycast_all(self->world, ray, &filter, &list);
    apy_take_gil(gil);
    apy_world_leave(self);
    const Py_ssize_t found = (Py_ssize_t)list.count;
    void *data = NULL;
    PyObject *array = status != APART_OK ? apy_raise(status, "raycast")
                                         : apy_numpy_empty(apy_world_ray_layout.dtype, &found, 1, &data);
    for (Py_ssize_t i = 0; array != NULL && i < found; i++) {
        body_to_number(&list.hits[i]);
        ((apart_world_ray_hit *)data)[i] = list.hits[i];
    }
    free(list.hits);
    return array;
}

/* Rows of origins and directions: a structured array. */
static PyObject *rays_many(world_object *self, PyObject *const *v, uint32_t ignores)
{
    apy_packed origins, directions;
    double length = INFINITY;
    if (!apy_double(v[2], "length", &length) || !apy_packed_get(v[0], "origin", 3, &origins)) {
        return NULL;
    }
    if (!apy_packed_get(v[1], "direction", 3, &directions)) {
        apy_packed_release(&origins);
        return NULL;
    }
    const bool fits = origins.rows == directions.rows;
    const Py_ssize_t count = origins.rows;
    apart_ray *rays = fits ? malloc((size_t)(count + 1) * sizeof *rays) : NULL;
    for (Py_ssize_t i = 0; rays != NULL && i < count; i++) {
        memcpy(&rays[i].origin, origins.numbers + 3 * i, sizeof rays->origin);
        memcpy(&rays[i].direction, directions.numbers + 3 * i, sizeof rays->direction);
        rays[i].length = length;
    }
    apy_packed_release(&origins);
    apy_packed_release(&directions);
    if (!fits) {
        apy_length_error("direction", "as many rows as origin has");
        return NULL;
    }
    void *data = NULL;
    PyObject *array = rays == NULL ? PyErr_NoMemory() : apy_numpy_empty(apy_world_ray_layout.dtype, &count, 1, &data);
    if (array != NULL) {
        apy_world_enter(self);
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_world_raycast_many(self->world, rays, (size_t)count, ignores, data);
        apy_take_gil(gil);
        apy_world_leave(self);
        for (Py_ssize_t i = 0; status == APART_OK && i < count; i++) {
            body_to_number((apart_world_ray_hit *)data + i);
        }
        if (status != APART_OK) {
            Py_CLEAR(array);
            apy_raise(status, "raycast");
        }
    }
    free(rays);
    return array;
}

static PyObject *world_raycast(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    uint64_t ignores = 0;
    apart_ray ray;
    if (!apy_bind(&ray_words, args, count, names, v) || !apy_count(v[3], "ignores", UINT32_MAX, &ignores)) {
        return NULL;
    }
    apy_array a;
    if (!apy_reals(v[0], "origin", &a)) {
        return NULL;
    }
    const bool many = a.dimensions == 2;
    apy_array_release(&a);
    if (many) {
        return rays_many(of(self), v, (uint32_t)ignores);
    }
    PyObject *const words[3] = {v[0], v[1], v[2]};
    if (!apy_ray_get(words, &ray)) {
        return NULL;
    }
    return v[4] == NULL ? ray_first(of(self), &ray, (uint32_t)ignores)
                        : ray_all(of(self), &ray, v[4], (uint32_t)ignores);
}

/* ---- casts and overlaps ---- */

/* A probe from the words body, pose, ignores, category, mask. `held` keeps the body until the query has ended. */
static bool probe_get(PyObject *const *v, apart_probe *out, apy_body *held)
{
    uint64_t ignores = 0;
    *out = (apart_probe){.within = 0.0};
    held->object = NULL;
    if (!apy_count(v[2], "ignores", UINT32_MAX, &ignores) || !apy_count(v[3], "category", UINT64_MAX, &out->category) ||
        !apy_count(v[4], "mask", UINT64_MAX, &out->mask) || !apy_pose_get(v[1], "pose", &out->pose)) {
        return false;
    }
    out->ignores = (uint32_t)ignores;
    if (PyIndex_Check(v[0])) {
        return apy_body_id_get(v[0], &out->body);
    }
    if (!apy_body_get(v[0], "body", held)) {
        return false;
    }
    out->solid = held->solid;
    return true;
}

static const apy_field cast_fields[] = {
    {"t", APY_F64, offsetof(apart_world_cast_hit, impact.impact.t), "When it is met, from 0 to 1.", NULL, NULL},
    {"lower", APY_F64, offsetof(apart_world_cast_hit, impact.impact.lower), "Certified: the gap before t.", NULL, NULL},
    {"upper", APY_F64, offsetof(apart_world_cast_hit, impact.impact.upper), "Certified: the gap at t.", NULL, NULL},
    {"outcome", APY_NAME8, offsetof(apart_world_cast_hit, impact.impact.outcome), "clear, hit, start or limit.",
     apart_outcome_name, NULL},
    {"a", APY_VEC3, offsetof(apart_world_cast_hit, impact.impact.at.a), "Point on the probe at t.", NULL, NULL},
    {"b", APY_VEC3, offsetof(apart_world_cast_hit, impact.impact.at.b), "Point on the body at t.", NULL, NULL},
    {"normal", APY_VEC3, offsetof(apart_world_cast_hit, impact.impact.at.normal), "Unit, towards the body.", NULL,
     NULL},
    {"part_b", APY_U32, offsetof(apart_world_cast_hit, impact.part_b), "The part of the body.", NULL, NULL},
    {"body", APY_U64, offsetof(apart_world_cast_hit, body), "The body; 0 if none.", NULL, NULL},
    {"user", APY_U64, offsetof(apart_world_cast_hit, user), "Its user data.", NULL, NULL},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
static apy_layout cast_layout = {.name = "apart.WorldCastHit",
                                 .doc = "A body in the way of a moving solid.",
                                 .size = sizeof(apart_world_cast_hit),
                                 .fields = cast_fields};

static void cast_to_number(apart_world_cast_hit *hit)
{
    const uint64_t number = apy_body_number(hit->body);
    memcpy(&hit->body, &number, sizeof number);
}

static PyObject *cast_first(world_object *self, const apart_probe *probe, apart_vec3 way,
                            const apart_motion_options *options)
{
    apart_world_cast_hit hit;
    memset(&hit, 0, sizeof hit);
    apy_world_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_cast(self->world, probe, way, options, &hit);
    apy_take_gil(gil);
    apy_world_leave(self);
    cast_to_number(&hit);
    return status == APART_OK ? apy_record_new(&cast_layout, &hit, NULL) : apy_raise(status, "cast");
}

static PyObject *cast_all(world_object *self, const apart_probe *probe, apart_vec3 way,
                          const apart_motion_options *options, size_t room)
{
    apart_world_cast_list list = {.hits = malloc((room + 1) * sizeof *list.hits), .capacity = room};
    if (list.hits == NULL) {
        return PyErr_NoMemory();
    }
    apy_world_enter(self);
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_cast_all(self->world, probe, way, options, &list);
    apy_take_gil(gil);
    apy_world_leave(self);
    const Py_ssize_t found = (Py_ssize_t)list.count;
    void *data = NULL;
    PyObject *array =
        status != APART_OK ? apy_raise(status, "cast") : apy_numpy_empty(cast_layout.dtype, &found, 1, &data);
    for (Py_ssize_t i = 0; array != NULL && i < found; i++) {
        cast_to_number(&list.hits[i]);
        ((apart_world_cast_hit *)data)[i] = list.hits[i];
    }
    free(list.hits);
    return array;
}

static apy_signature cast_words = {"cast",
                                   2,
                                   3,
                                   {"body", "displacement", "pose", "count", "ignores", "category", "mask", "tolerance",
                                    "until"},
                                   {NULL}};

static PyObject *world_cast(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_probe probe;
    apy_body held;
    apart_vec3 way;
    uint64_t room = 1;
    apart_motion_options options = {.tolerance = 0.0};
    if (!apy_bind(&cast_words, args, count, names, v) || !apy_vec3(v[1], "displacement", &way) ||
        !apy_count(v[3], "count", 1u << 24, &room) || !apy_double(v[7], "tolerance", &options.tolerance) ||
        !apy_double(v[8], "until", &options.until)) {
        return NULL;
    }
    PyObject *const words[5] = {v[0], v[2], v[4], v[5], v[6]};
    PyObject *answer = NULL;
    if (probe_get(words, &probe, &held)) {
        answer = v[3] == NULL ? cast_first(of(self), &probe, way, &options)
                              : cast_all(of(self), &probe, way, &options, (size_t)room);
    }
    Py_XDECREF(held.object);
    return answer;
}

/* Body numbers that a query visits. */
typedef struct visited {
    uint64_t *numbers;
    size_t count, room;
    bool full;
} visited;

static int keep_body(void *context, apart_body_id body, uint64_t user, uint32_t part)
{
    visited *all = context;
    (void)user;
    (void)part;
    if (all->count == all->room) {
        const size_t room = 2 * all->room + 64;
        uint64_t *grown = realloc(all->numbers, room * sizeof *grown);
        if (grown == NULL) {
            all->full = true;
            return 0;
        }
        all->numbers = grown;
        all->room = room;
    }
    all->numbers[all->count++] = apy_body_number(body);
    return 1;
}

static PyObject *numbers_of(apart_status status, visited *all, const char *what)
{
    const Py_ssize_t found = (Py_ssize_t)all->count;
    void *data = NULL;
    PyObject *type = status != APART_OK ? apy_raise(status, what)
                     : all->full        ? PyErr_NoMemory()
                                        : PyUnicode_FromString("u8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, &found, 1, &data);
    if (array != NULL && found > 0) {
        memcpy(data, all->numbers, all->count * sizeof *all->numbers);
    }
    Py_XDECREF(type);
    free(all->numbers);
    return array;
}

static apy_signature overlap_words = {"overlap",
                                      1,
                                      2,
                                      {"body", "pose", "within", "ignores", "category", "mask"},
                                      {NULL}};

static PyObject *world_overlap(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *answer = NULL;
    apart_probe probe;
    apy_body held;
    visited all = {.numbers = NULL};
    double within = 0.0;
    if (!apy_bind(&overlap_words, args, count, names, v) || !apy_double(v[2], "within", &within)) {
        return NULL;
    }
    PyObject *const words[5] = {v[0], v[1], v[3], v[4], v[5]};
    if (probe_get(words, &probe, &held)) {
        probe.within = within;
        apy_world_enter(of(self));
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_world_overlap(of(self)->world, &probe, keep_body, &all);
        apy_take_gil(gil);
        apy_world_leave(of(self));
        answer = numbers_of(status, &all, "overlap");
    }
    Py_XDECREF(held.object);
    return answer;
}

static apy_signature box_words = {"in_box", 2, 2, {"min", "max", "ignores"}, {NULL}};

static PyObject *world_in_box(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS];
    apart_aabb box;
    uint64_t ignores = 0;
    visited all = {.numbers = NULL};
    if (!apy_bind(&box_words, args, count, names, v) || !apy_vec3(v[0], "min", &box.min) ||
        !apy_vec3(v[1], "max", &box.max) || !apy_count(v[2], "ignores", UINT32_MAX, &ignores)) {
        return NULL;
    }
    const apart_probe filter = {.ignores = (uint32_t)ignores};
    apy_world_enter(of(self));
    PyThreadState *gil = apy_release_gil(true);
    const apart_status status = apart_world_in_box(of(self)->world, &box, &filter, keep_body, &all);
    apy_take_gil(gil);
    apy_world_leave(of(self));
    return numbers_of(status, &all, "in_box");
}

/* ---- contacts and events ---- */

static const apy_field contact_fields[] = {
    {"a", APY_U64, offsetof(apart_world_contact, a), "The body in the lower slot.", NULL, NULL},
    {"b", APY_U64, offsetof(apart_world_contact, b), "The other.", NULL, NULL},
    {"user_a", APY_U64, offsetof(apart_world_contact, user_a), "User data of A.", NULL, NULL},
    {"user_b", APY_U64, offsetof(apart_world_contact, user_b), "User data of B.", NULL, NULL},
    {"part_a", APY_U32, offsetof(apart_world_contact, part_a), "The part of A.", NULL, NULL},
    {"part_b", APY_U32, offsetof(apart_world_contact, part_b), "The part of B.", NULL, NULL},
    {"distance", APY_F64, offsetof(apart_world_contact, manifold.result.distance), "Signed.", NULL, NULL},
    {"normal", APY_VEC3, offsetof(apart_world_contact, manifold.normal), "Unit, from A to B.", NULL, NULL},
    {"count", APY_U32, offsetof(apart_world_contact, manifold.count), "Number of points.", NULL, NULL},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
static apy_layout contact_layout = {.name = "apart.WorldContact",
                                    .doc = "The contact manifold of two bodies, or of two of their parts.",
                                    .size = sizeof(apart_world_contact),
                                    .fields = contact_fields};

/* The contacts, and all their points one after the other: (contacts, points), with contacts["count"] points each. */
static PyObject *contact_arrays(apart_world_contact *found, size_t count)
{
    const Py_ssize_t rows = (Py_ssize_t)count;
    Py_ssize_t total = 0;
    void *contacts = NULL, *points = NULL;
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = apy_body_number(found[i].a), b = apy_body_number(found[i].b);
        memcpy(&found[i].a, &a, sizeof a);
        memcpy(&found[i].b, &b, sizeof b);
        total += found[i].manifold.count;
    }
    PyObject *first = apy_numpy_empty(contact_layout.dtype, &rows, 1, &contacts);
    PyObject *second = first == NULL ? NULL : apy_numpy_empty(apy_contact_point_layout.dtype, &total, 1, &points);
    if (second == NULL) {
        Py_XDECREF(first);
        return NULL;
    }
    if (count > 0) {
        memcpy(contacts, found, count * sizeof *found);
    }
    apart_contact_point *out = points;
    for (size_t i = 0; i < count; i++) {
        memcpy(out, found[i].manifold.points, found[i].manifold.count * sizeof *out);
        out += found[i].manifold.count;
    }
    return Py_BuildValue("(NN)", first, second);
}

static apy_signature contacts_words = {"contacts", 0, 1, {"margin", "tolerance", "max_points"}, {NULL}};

static PyObject *world_contacts(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *v[APY_MOST_WORDS], *answer = NULL;
    apart_contact_options options = {.margin = 0.0};
    uint64_t most = 0;
    if (!apy_bind(&contacts_words, args, count, names, v) || !apy_double(v[0], "margin", &options.margin) ||
        !apy_double(v[1], "tolerance", &options.tolerance) ||
        !apy_count(v[2], "max_points", APART_MAX_CONTACTS, &most)) {
        return NULL;
    }
    options.max_points = (uint32_t)most;
    apart_world_contact_list list = {.capacity = 256};
    for (bool again = true; again;) {
        list.contacts = malloc(list.capacity * sizeof *list.contacts);
        if (list.contacts == NULL) {
            return PyErr_NoMemory();
        }
        apy_world_enter(of(self));
        PyThreadState *gil = apy_release_gil(true);
        const apart_status status = apart_world_contacts(of(self)->world, &options, &list);
        apy_take_gil(gil);
        apy_world_leave(of(self));
        again = status == APART_OK && list.total > list.capacity;
        list.capacity = again ? list.total : list.capacity;
        if (!again) {
            answer = status == APART_OK ? contact_arrays(list.contacts, list.count) : apy_raise(status, "contacts");
        }
        free(list.contacts);
    }
    return answer;
}

static PyObject *touches(const apart_world_touch *pairs, size_t count)
{
    const Py_ssize_t shape[2] = {(Py_ssize_t)count, 2};
    void *data = NULL;
    PyObject *type = PyUnicode_FromString("u8");
    PyObject *array = type == NULL ? NULL : apy_numpy_empty(type, shape, 2, &data);
    for (size_t i = 0; array != NULL && i < count; i++) {
        ((uint64_t *)data)[2 * i] = apy_body_number(pairs[i].a);
        ((uint64_t *)data)[2 * i + 1] = apy_body_number(pairs[i].b);
    }
    Py_XDECREF(type);
    return array;
}

static PyObject *world_events(PyObject *self, PyObject *value)
{
    double margin = 0.0;
    if (!apy_double(value, "margin", &margin)) {
        return NULL;
    }
    apart_world_event_list events = {.begin_capacity = 256, .end_capacity = 256};
    apart_status status = APART_ERR_SIZE;
    while (status == APART_ERR_SIZE) {
        free(events.begin);
        free(events.end);
        events.begin = malloc(events.begin_capacity * sizeof *events.begin);
        events.end = malloc(events.end_capacity * sizeof *events.end);
        if (events.begin == NULL || events.end == NULL) {
            status = APART_ERR_MEMORY;
            break;
        }
        apy_world_enter(of(self));
        PyThreadState *gil = apy_release_gil(true);
        status = apart_world_events(of(self)->world, margin, &events);
        apy_take_gil(gil);
        apy_world_leave(of(self));
        if (status == APART_ERR_SIZE) {
            events.begin_capacity = events.begin_count + 256;
            events.end_capacity = events.end_count + 256;
        }
    }
    PyObject *answer = NULL;
    if (status == APART_OK) {
        answer =
            Py_BuildValue("(NN)", touches(events.begin, events.begin_count), touches(events.end, events.end_count));
    } else {
        apy_raise(status, "events");
    }
    free(events.begin);
    free(events.end);
    return answer;
}

PyMethodDef apy_world_queries[] =
    {{"near", APY_CALL(world_near), APY_FAST,
      "near($self, body, pose=None, *, count=1, within=0, groups=0, ignores=0, tolerance=0, depth='exact', "
      "category=0, mask=0)"
      "\n--\n\nThe bodies nearest to a body of the world (its number), or to a body at a pose; at many poses: a list."},
     {"raycast", APY_CALL(world_raycast), APY_FAST,
      "raycast($self, origin, direction, *, length=inf, ignores=0, count=None)\n--\n\nThe first body on a ray; of "
      "rows of "
      "rays: "
      "a structured array; with count, the first bodies on one ray, nearest first."},
     {"cast", APY_CALL(world_cast), APY_FAST,
      "cast($self, body, displacement, pose=None, *, count=None, ignores=0, category=0, mask=0, tolerance=0, "
      "until=0)\n--\n\n"
      "The first body that a solid meets while it translates; with count, the first ones, in order."},
     {"overlap", APY_CALL(world_overlap), APY_FAST,
      "overlap($self, body, pose=None, *, within=0, ignores=0, category=0, mask=0)\n--\n\nThe numbers of the bodies "
      "that "
      "touch a "
      "body, or are nearer than `within`."},
     {"in_box", APY_CALL(world_in_box), APY_FAST,
      "in_box($self, min, max, *, ignores=0)\n--\n\nThe numbers of the bodies whose boxes along the axes meet a box."},
     {"contacts", APY_CALL(world_contacts), APY_FAST,
      "contacts($self, margin=0, *, tolerance=0, max_points=0)\n--\n\n(contacts, points): a row for each pair of "
      "bodies or "
      "parts "
      "nearer than the margin, and the contact points of all, contacts['count'] each."},
     {"events", world_events, METH_O,
      "events($self, margin, /)\n--\n\n(begin, end): pairs of bodies that have come nearer than the margin, and that "
      "have parted, "
      "since the call before."},
     {NULL, NULL, 0, NULL}};

bool apy_add_world_layouts(PyObject *module)
{
    return apy_layout_add(module, &apy_world_ray_layout) && apy_layout_add(module, &cast_layout) &&
           apy_layout_add(module, &contact_layout);
}
