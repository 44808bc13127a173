/* The few vector operations that the experiments need. */
#ifndef LAB_VECTOR_H
#define LAB_VECTOR_H

#include <math.h>

#include <apart/math.h>

static inline apart_vec3 lab_add(apart_vec3 a, apart_vec3 b) { return (apart_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline apart_vec3 lab_sub(apart_vec3 a, apart_vec3 b) { return (apart_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline apart_vec3 lab_scale(double s, apart_vec3 a) { return (apart_vec3){s * a.x, s * a.y, s * a.z}; }
static inline double lab_dot(apart_vec3 a, apart_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double lab_norm(apart_vec3 a) { return sqrt(lab_dot(a, a)); }
static inline apart_vec3 lab_cross(apart_vec3 a, apart_vec3 b)
{
    return (apart_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
