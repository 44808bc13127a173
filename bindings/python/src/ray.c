/* raycast: where a ray enters a body. */
#include "ray.h"

#include <math.h>
#include <stddef.h>

#define FIELD(member, kind, doc)                                        \
    {                                                                   \
#member, kind, offsetof(apart_ray_hit, member), doc, NULL, NULL \
    }
static const apy_field hit_fields[] = {
    FIELD(hit, APY_FLAG8, "Whether the ray hits."),
    FIELD(inside, APY_FLAG8, "The origin lies in the body: distance 0."),
    FIELD(iterations, APY_U16, "Distance queries; 0 where a closed form knew the answer."),
    FIELD(distance, APY_F64, "Along the ray."),
    FIELD(lower, APY_F64, "Certified: no point of the body on the ray before this."),
    FIELD(point, APY_VEC3, "Where the ray enters."),
    FIELD(normal, APY_VEC3, "Outward unit normal there."),
    {"feature", APY_LAYOUT, offsetof(apart_ray_hit, feature), "The feature of the body there.", NULL,
     &apy_feature_layout},
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD

/* A mesh's or compound's part: the `keep` of a hit. */
static PyObject *hit_part(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *keep = ((apy_record *)self)->keep;
    return keep == NULL ? PyLong_FromLong(0) : Py_NewRef(keep);
}

static PyGetSetDef hit_properties[] = {{"part", hit_part, NULL, "The part or triangle that is entered; 0 for a shape.",
                                        NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
apy_layout apy_ray_hit_layout = {.name = "apart.RayHit",
                                 .doc = "Where a ray enters a body.",
                                 .size = sizeof(apart_ray_hit),
                                 .fields = hit_fields,
                                 .properties = hit_properties};

bool apy_ray_get(PyObject *const *v, apart_ray *out)
{
    out->length = INFINITY;
    return apy_vec3(v[0], "origin", &out->origin) && apy_vec3(v[1], "direction", &out->direction) &&
           apy_double(v[2], "length", &out->length);
}

static apy_signature ray_words = {"raycast", 3, 4, {"body", "origin", "direction", "pose", "length", "cache"}, {NULL}};

static PyObject *raycast(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apy_body body;
    apart_pose pose;
    apart_ray ray;
    apart_ray_hit hit;
    apart_compound_cache room, *cache;
    uint32_t part = 0;
    if (!apy_bind(&ray_words, args, count, names, v)) {
        return NULL;
    }
    PyObject *const words[3] = {v[1], v[2], v[4]};
    if (!apy_ray_get(words, &ray) || !apy_pose_get(v[3], "pose", &pose) || !apy_cache_get(v[5], &room, &cache) ||
        !apy_body_get(v[0], "body", &body)) {
        return NULL;
    }
    PyThreadState *gil = apy_release_gil(!body.quick);
    const apart_status status = body.solid.shape != NULL ? apart_raycast(&ray, body.solid.shape, &pose,
                                                                         cache == NULL ? NULL : &cache->cache, &hit)
                                                         : apart_compound_raycast(&ray, body.solid, &pose, &hit, &part);
    apy_take_gil(gil);
    apy_cache_put(v[5], cache);
    apy_body_release(&body);
    if (status != APART_OK) {
        return apy_raise(status, NULL);
    }
    PyObject *number = part == 0 ? NULL : PyLong_FromUnsignedLong(part);
    PyObject *found = apy_record_new(&apy_ray_hit_layout, &hit, number);
    Py_XDECREF(number);
    return found;
}

static PyMethodDef functions[] =
    {{"raycast", APY_CALL(raycast), APY_FAST,
      "raycast(body, origin, direction, pose=None, *, length=inf, cache=None)\n--\n\nWhere a ray first enters a body."},
     {NULL, NULL, 0, NULL}};

bool apy_add_rays(PyObject *module)
{
    return apy_layout_add(module, &apy_ray_hit_layout) && PyModule_AddFunctions(module, functions) == 0;
}
