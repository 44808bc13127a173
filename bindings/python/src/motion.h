/* Motions, between motion.c and impact.c. */
#ifndef APART_PYTHON_MOTION_H
#define APART_PYTHON_MOTION_H

#include "apy.h"

extern apy_layout apy_motion_layout;
/* A Motion; or a pose, which is a body at rest. */
bool apy_motion_get(PyObject *value, const char *what, apart_motion *out);

#endif
