/* Robots, between robot.c and the files of cells. */
#ifndef APART_PYTHON_ROBOT_H
#define APART_PYTHON_ROBOT_H

#include "apy.h"

typedef struct robot_object {
    PyObject_HEAD apart_robot *robot;
    PyObject *kept; /* shapes that its parts borrow */
    bool finished;
    Py_ssize_t cells; /* cells that borrow it: from then on it does not change */
} robot_object;

typedef struct cell_object {
    PyObject_HEAD apart_robot_cell *cell;
    PyObject *robot, *kept;
    apart_robot_work *work; /* of the calls for a single position, which take turns */
    PyThread_type_lock lock;
} cell_object;

extern PyTypeObject *apy_robot_type, *apy_cell_type;
extern apy_layout apy_near_layout, apy_gap_layout;
extern PyMethodDef apy_cell_queries[], apy_cell_motions[], apy_cell_plans[], apy_robot_plans[];

/* The positions of all variables, from a row or a dict of joint names; what is not named is at rest. */
bool apy_positions(const apart_robot *robot, PyObject *value, const char *what, double *out);
enum { APY_MOST_VARIABLES = 1024 };

/* The number of a link, from its number or name. */
bool apy_link_get(const apart_robot *robot, PyObject *value, size_t *out);

/* The work space to ourselves. */
void apy_cell_enter(cell_object *self);
void apy_cell_leave(cell_object *self);
bool apy_add_cell_layouts(PyObject *module);

#endif
