/* Worlds, between world.c and world_query.c. */
#ifndef APART_PYTHON_WORLD_H
#define APART_PYTHON_WORLD_H

#include "ray.h"

#include <apart/world_query.h>

/* Calls of one world take turns: the lock is held while the GIL is not. */
typedef struct world_object {
    PyObject_HEAD apart_world *world;
    PyThread_type_lock lock;
    PyObject *bodies; /* dict: body number -> the object whose solid it is */
} world_object;

/* The world to ourselves. */
void apy_world_enter(world_object *self);
void apy_world_leave(world_object *self);
/* Body numbers: slot and generation in one number. */
uint64_t apy_body_number(apart_body_id id);
bool apy_body_id_get(PyObject *value, apart_body_id *out);
/* Words threads, max_bodies, max_pairs. */
bool apy_world_options(PyObject *const v[3], apart_world_options *out);
/* Takes a world, also on failure. */
PyObject *apy_world_adopt(apart_world *world);
/* Methods of World and of Compound (archive.c). */
PyObject *apy_world_to_bytes(PyObject *self, PyObject *ignored);
PyObject *apy_world_reduce(PyObject *self, PyObject *ignored);
/* An array of pairs, whose ids become numbers. */
PyObject *apy_world_pairs(apart_world_pair *pairs, size_t count);

extern PyMethodDef apy_world_queries[];
extern apy_layout apy_world_ray_layout, apy_contact_point_layout;
bool apy_add_world_layouts(PyObject *module);

#endif
