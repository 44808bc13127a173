/* What is known about a query at compile time. The GJK loop and the stages around it are templates: inline functions
 * that take these traits as a constant, so that the compiler drops every branch that they decide. */
#ifndef AP_PAIR_TRAITS_H
#define AP_PAIR_TRAITS_H

#include <apart/shape.h>

typedef struct ap_traits {
    int kind_a, kind_b; /* of the shapes; APART_SHAPE_NONE: known at run time only */
    bool vertices;      /* bodies in space with numbered vertices, of sizes that need no scaling (AP_LEAST_UNSCALED) */
    unsigned
        transformed; /* both are hulls of at most so many vertices, which are transformed beforehand; 0: supports are searched for */
    bool boxes; /* both are boxes */
    bool
        value_first; /* supports come in two steps: the support value, and the vertices when they are needed (pair.h) */
    bool default_search; /* supports are searched for as by default and not counted */
    bool yes_no;         /* only yes or no is asked */
} ap_traits;

/* Nothing is known: any shapes, options and sizes. */
#define AP_ANY_PAIR ((ap_traits){.kind_a = APART_SHAPE_NONE, .kind_b = APART_SHAPE_NONE})
/* Any shapes and sizes, default options. */
#define AP_ANY_SHAPES ((ap_traits){.kind_a = APART_SHAPE_NONE, .kind_b = APART_SHAPE_NONE, .default_search = true})
/* Any points, segments, triangles, boxes and hulls in space, default options. */
#define AP_VERTEX_PAIR \
    ((ap_traits){.kind_a = APART_SHAPE_NONE, .kind_b = APART_SHAPE_NONE, .vertices = true, .default_search = true})
#define AP_TWO_BOXES                        \
    ((ap_traits){.kind_a = APART_SHAPE_BOX, \
                 .kind_b = APART_SHAPE_BOX, \
                 .vertices = true,          \
                 .boxes = true,             \
                 .value_first = true,       \
                 .default_search = true})
#define AP_TWO_HULLS \
    ((ap_traits){.kind_a = APART_SHAPE_HULL, .kind_b = APART_SHAPE_HULL, .vertices = true, .default_search = true})
/* Two hulls of at most n vertices. */
#define AP_TWO_SMALL_HULLS(n)                \
    ((ap_traits){.kind_a = APART_SHAPE_HULL, \
                 .kind_b = APART_SHAPE_HULL, \
                 .vertices = true,           \
                 .transformed = (n),         \
                 .value_first = true,        \
                 .default_search = true})

#endif
