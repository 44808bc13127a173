/* The algorithm of the geometric improvement as printed (its Figs. 3 and 7), in the plane and in space, and with one
 * repair. */
#ifndef LAB_GEOMETRIC_ROUTINE_H
#define LAB_GEOMETRIC_ROUTINE_H

#include <apart/apart.h>
#include <stdbool.h>

#include "../printed/frame.h"

typedef struct lab_geometric_options {
    int dim;       /* 2: Fig. 3; 3: Fig. 7 */
    bool nearest;  /* the repair: of several separating faces the one with the nearest point is kept, and tested */
    uint64_t seed; /* of the initial points but the first: "distinct but arbitrary" */
} lab_geometric_options;

typedef enum lab_geometric_end {
    LAB_GEOMETRIC_RECURRED, /* the support vertex is in the set, or nu.nu + H = 0 to rounding */
    LAB_GEOMETRIC_INSIDE,   /* no face separates: the origin is inside */
    LAB_GEOMETRIC_LOOPS     /* the sets repeat: it would never end */
} lab_geometric_end;

typedef struct lab_geometric_answer {
    double distance;
    apart_vec3 a, b; /* witness points */
    uint32_t loops;
    lab_geometric_end end;
} lab_geometric_answer;

void lab_geometric(const lab_points *a, const lab_points *b, const lab_geometric_options *options,
                   lab_geometric_answer *answer);

#endif
