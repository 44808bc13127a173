/* Algorithms as they are printed, in one small frame: two bodies as points of the world, a simplex of the Minkowski
 * difference, an answer, and what the algorithm did for it. Plain doubles, every support by looking at all points,
 * nothing proved: what each text says, and no more.
 *
 * Each file has the algorithm of one text with a legend of its symbols. `printed` in the options: the text to the
 * letter, its errata (docs/errata.md) included; else the errata are repaired. */
#ifndef LAB_PRINTED_FRAME_H
#define LAB_PRINTED_FRAME_H

#include <apart/apart.h>
#include <stdbool.h>

#include "mesh.h"

/* The points of a body in the world. In the plane all z are 0. */
typedef struct lab_points {
    const apart_vec3 *point;
    uint32_t count;
} lab_points;

/* A body whose faces and edges are known too: vertex i of the mesh is point i. */
typedef struct lab_solid {
    lab_points points;
    const lab_mesh *mesh; /* in its own frame; NULL: V-Clip cannot run */
    apart_pose pose;
} lab_solid;

/* A point of A - B, and the points it comes from. */
typedef struct lab_tip {
    apart_vec3 w;
    uint32_t a, b;
} lab_tip;

/* Up to four of them; one more while a new one has been added. */
enum { LAB_MOST_TIPS = 5 };
typedef struct lab_tips {
    lab_tip tip[LAB_MOST_TIPS];
    double lambda[LAB_MOST_TIPS];
    int count;
} lab_tips;

typedef enum lab_end {
    LAB_END_FOUND,  /* nothing is nearer, by the text's own test */
    LAB_END_INSIDE, /* the bodies interfere */
    LAB_END_LOOPS   /* the limit of loops, or the same sets again: it would never end */
} lab_end;

typedef struct lab_work {
    uint32_t loops, supports; /* supports: searches of a body's points */
    uint64_t visits[5];       /* simplices of so many points that a sub-algorithm looked at */
} lab_work;

typedef struct lab_printed_answer {
    double distance; /* < 0: minus a depth, by the algorithms that have one */
    apart_vec3 a, b;
    lab_end end;
    lab_work work;
} lab_printed_answer;

/* What an algorithm that tracks keeps; zeroed is a cold start. */
typedef struct lab_printed_memory {
    bool filled;
    uint32_t kind[2], feature[2]; /* V-Clip: apart_feature_kind and its number */
} lab_printed_memory;

typedef struct lab_printed_options {
    bool printed;
    lab_printed_memory *memory; /* NULL: cold */
} lab_printed_options;

typedef void lab_printed_run(const lab_solid *a, const lab_solid *b, const lab_printed_options *options,
                             lab_printed_answer *answer);

typedef struct lab_printed_algorithm {
    const char *name, *source;
    const char *erratum; /* what `printed` switches; NULL: nothing */
    lab_printed_run *run;
    bool depth;  /* it answers with a depth where bodies overlap */
    bool tracks; /* it has a memory */
} lab_printed_algorithm;

extern const lab_printed_algorithm lab_printed_algorithms[];
extern const int lab_printed_count;

/* The texts' distances, */
lab_printed_run lab_divide, lab_lindemann, lab_original, lab_geometric_3d;
/* and rivals that they name or that came later. */
lab_printed_run lab_nesterov, lab_vclip, lab_epa, lab_mpr;

/* ---- what they share ---- */

/* s_{A-B}(d) = s_A(d) - s_B(-d), by looking at all points. */
lab_tip lab_support(const lab_solid *a, const lab_solid *b, apart_vec3 d, lab_work *work);
lab_tip lab_tip_of(const lab_solid *a, const lab_solid *b, uint32_t i, uint32_t k);
bool lab_tips_have(const lab_tips *s, const lab_tip *tip);
/* sum of lambda w. */
apart_vec3 lab_tips_point(const lab_tips *s);
/* Keeps the points of positive weight. */
void lab_tips_reduce(lab_tips *s);
/* The witness points and the distance. */
void lab_answer_from(const lab_solid *a, const lab_solid *b, const lab_tips *s, lab_printed_answer *answer);
/* Ericson's sub-algorithm (lindemann.c): the simplex is reduced to what carries its nearest point, which is returned;
 * all four points: the origin is inside. */
apart_vec3 lab_ericson(lab_tips *s, lab_work *work);
/* GJK without safeguards, for the algorithms that begin where it ends (lindemann.c). True: the origin is inside the
 * tetrahedron. */
bool lab_enclose(const lab_solid *a, const lab_solid *b, lab_tips *s, lab_work *work);

#endif
