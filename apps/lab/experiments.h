/* Every experiment, in the order of a run over all. */
#ifndef LAB_EXPERIMENTS_H
#define LAB_EXPERIMENTS_H

#include "lab.h"

extern const lab_experiment lab_cold, lab_tracked, lab_traces, lab_boxes, lab_constancy, lab_footnote,
    lab_penetration;                                                                                    /* cameron/ */
extern const lab_experiment lab_static, lab_path, lab_certificate, lab_faces, lab_literal;              /* geometric/ */
extern const lab_experiment lab_solvers, lab_stops;                                                     /* solvers/ */
extern const lab_experiment lab_printed, lab_rivals;                                                    /* printed/ */
extern const lab_experiment lab_profile, lab_starts, lab_sequence, lab_shapes, lab_arithmetic, lab_arm; /* studies/ */
extern const lab_experiment lab_errata;                                                                 /* errata.c */

#endif
