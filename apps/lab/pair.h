/* Single pairs of polytopes in given kinds of trouble, for the experiments on accuracy. */
#ifndef LAB_PAIR_H
#define LAB_PAIR_H

#include <apart/apart.h>

#include "cameron/routine.h"
#include "random.h"

typedef struct lab_pair {
    apart_hull *a, *b;
    lab_polytope polytope_a, polytope_b;
    apart_shape shape_a, shape_b;
    apart_pose pose_a, pose_b;
} lab_pair;

typedef enum lab_trouble {
    LAB_TROUBLE_NONE,    /* two hulls of 20 points, centres 3 apart, any orientation */
    LAB_TROUBLE_TILT,    /* two boxes face to face, tilted by `amount` radians */
    LAB_TROUBLE_NEEDLE,  /* bodies of length 2 and width `amount` */
    LAB_TROUBLE_OFFSET,  /* hulls far from the world's origin, by `amount` */
    LAB_TROUBLE_NEAR,    /* hulls with a gap of about `amount` */
    LAB_TROUBLE_PLATE,   /* bodies of thickness `amount` */
    LAB_TROUBLE_LATTICE, /* boxes with whole-numbered sizes and positions, axes parallel; `amount` is not used */
    LAB_TROUBLE_SCALE    /* B's size is `amount`, A's 1 */
} lab_trouble;

lab_pair lab_pair_draw(lab_random *r, lab_trouble trouble, double amount);
/* Two hulls of n points random on the unit sphere at the origin, any orientation. */
lab_pair lab_pair_hulls(lab_random *r, uint32_t n);
void lab_pair_free(lab_pair *pair);
/* The sum of the bodies' radii and the distance of their centres: what rounding is relative to. */
double lab_pair_size(const lab_pair *pair);

#endif
