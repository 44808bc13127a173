/* Motion: how a body moves from t = 0 to t = 1. */
#include "motion.h"

#include <stddef.h>

static const char *path_name(int path)
{
    static const char *const names[] = {"straight", "screw"};
    return path == 0 || path == 1 ? names[path] : "?";
}

#define FIELD(member, kind, text, doc)                                 \
    {                                                                  \
#member, kind, offsetof(apart_motion, member), doc, text, NULL \
    }
static const apy_field motion_fields[] = {
    FIELD(start, APY_POSE, NULL, "The exact pose at t = 0."),
    FIELD(pivot, APY_VEC3, NULL, "A point that moves with the body: its world position at t = 0."),
    FIELD(linear, APY_VEC3, NULL, "Straight: displacement of the pivot; screw: its velocity at t = 0."),
    FIELD(angular, APY_VEC3, NULL, "Angular velocity in world axes, radians until t = 1."),
    FIELD(path, APY_NAME8, path_name, "straight or screw."),
    {NULL, APY_F64, 0, NULL, NULL, NULL},
};
#undef FIELD

static const apart_motion *of(PyObject *self) { return (const apart_motion *)(const void *)((apy_record *)self)->data; }

static PyObject *new_motion(apart_motion motion)
{
    const apart_status status = apart_motion_check(&motion);
    return status == APART_OK ? apy_record_new(&apy_motion_layout, &motion, NULL) : apy_raise(status, "motion");
}

static PyObject *motion_pose(PyObject *self, PyObject *time)
{
    double t;
    apart_pose pose;
    if (!apy_double(time, "t", &t)) {
        return NULL;
    }
    const apart_status status = apart_motion_pose(of(self), t, &pose);
    return status == APART_OK ? apy_pose_new(&pose) : apy_raise(status, "motion");
}

static PyObject *motion_of_part(PyObject *self, PyObject *pose)
{
    apart_pose local;
    return apy_pose_get(pose, "local", &local) ? new_motion(apart_motion_of_part(of(self), &local)) : NULL;
}

static PyMethodDef motion_methods[] = {{"pose", motion_pose, METH_O, "pose($self, t, /)\n--\n\nThe pose at time t."},
                                       {"of_part", motion_of_part, METH_O,
                                        "of_part($self, local, /)\n--\n\nThe motion of a part that is fixed to the "
                                        "body."},
                                       {NULL, NULL, 0, NULL}};
apy_layout apy_motion_layout =
    {.name = "apart.Motion",
     .doc = "How a body moves from t = 0 to t = 1. Made by apart.motion_velocity() and its like.",
     .size = sizeof(apart_motion),
     .fields = motion_fields,
     .methods = motion_methods};

bool apy_motion_get(PyObject *value, const char *what, apart_motion *out)
{
    apart_pose pose;
    if (value != NULL && apy_layout_is(&apy_motion_layout, value)) {
        *out = *of(value);
        return true;
    }
    if (!apy_pose_get(value, what, &pose)) {
        return false;
    }
    *out = apart_motion_rest(&pose);
    return true;
}

/* ---- constructors ---- */

static PyObject *motion_rest(PyObject *module, PyObject *pose)
{
    (void)module;
    apart_pose at;
    return apy_pose_get(pose, "pose", &at) ? new_motion(apart_motion_rest(&at)) : NULL;
}

static apy_signature translation_words = {"motion_translation", 2, 2, {"start", "displacement"}, {NULL}};

static PyObject *motion_translation(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_pose start;
    apart_vec3 displacement;
    if (!apy_bind(&translation_words, args, count, names, v) || !apy_pose_get(v[0], "start", &start) ||
        !apy_vec3(v[1], "displacement", &displacement)) {
        return NULL;
    }
    return new_motion(apart_motion_translation(&start, displacement));
}

static apy_signature velocity_words = {"motion_velocity", 0, 4, {"start", "linear", "angular", "center"}, {NULL}};

static PyObject *motion_velocity(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_pose start;
    apart_vec3 linear = {0, 0, 0}, angular = {0, 0, 0}, center = {0, 0, 0};
    if (!apy_bind(&velocity_words, args, count, names, v) || !apy_pose_get(v[0], "start", &start) ||
        !apy_vec3(v[1], "linear", &linear) || !apy_vec3(v[2], "angular", &angular) ||
        !apy_vec3(v[3], "center", &center)) {
        return NULL;
    }
    return new_motion(apart_motion_velocity(&start, linear, angular, center));
}

static apy_signature between_words = {"motion_between", 2, 3, {"start", "end", "center"}, {NULL}};
static apy_signature screw_words = {"motion_screw", 2, 2, {"start", "end"}, {NULL}};

static PyObject *motion_between(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_pose start, end;
    apart_vec3 center = {0, 0, 0};
    apart_motion motion;
    if (!apy_bind(&between_words, args, count, names, v) || !apy_pose_get(v[0], "start", &start) ||
        !apy_pose_get(v[1], "end", &end) || !apy_vec3(v[2], "center", &center)) {
        return NULL;
    }
    const apart_status status = apart_motion_between(&start, &end, center, &motion);
    return status == APART_OK ? new_motion(motion) : apy_raise(status, "motion_between");
}

static PyObject *motion_screw(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    (void)module;
    PyObject *v[APY_MOST_WORDS];
    apart_pose start, end;
    apart_motion motion;
    if (!apy_bind(&screw_words, args, count, names, v) || !apy_pose_get(v[0], "start", &start) ||
        !apy_pose_get(v[1], "end", &end)) {
        return NULL;
    }
    const apart_status status = apart_motion_screw(&start, &end, &motion);
    return status == APART_OK ? new_motion(motion) : apy_raise(status, "motion_screw");
}

static PyObject *sine_and_cosine(PyObject *module, PyObject *value)
{
    (void)module;
    double angle, sine, cosine;
    if (!apy_double(value, "angle", &angle)) {
        return NULL;
    }
    apart_sincos(angle, &sine, &cosine);
    return Py_BuildValue("(dd)", sine, cosine);
}

static PyMethodDef functions[] =
    {{"motion_rest", motion_rest, METH_O, "motion_rest(pose, /)\n--\n\nA body at rest; a pose says the same."},
     {"motion_translation", APY_CALL(motion_translation), APY_FAST,
      "motion_translation(start, displacement)\n--\n\nA body that moves without turning."},
     {"motion_velocity", APY_CALL(motion_velocity), APY_FAST,
      "motion_velocity(start=None, linear=None, angular=None, center=None)\n--\n\nA body whose point `center` moves "
      "straight with velocity `linear` while it turns with angular velocity `angular` (world axes, radians)."},
     {"motion_between", APY_CALL(motion_between), APY_FAST,
      "motion_between(start, end, center=None)\n--\n\nFrom one pose to another: `center` moves straight."},
     {"motion_screw", APY_CALL(motion_screw), APY_FAST,
      "motion_screw(start, end)\n--\n\nFrom one pose to another as a screw about one fixed line."},
     {"sincos", sine_and_cosine, METH_O, "sincos(angle, /)\n--\n\nsin and cos with the same bits everywhere."},
     {NULL, NULL, 0, NULL}};

bool apy_add_motions(PyObject *module)
{
    return apy_layout_add(module, &apy_motion_layout) && PyModule_AddFunctions(module, functions) == 0;
}
