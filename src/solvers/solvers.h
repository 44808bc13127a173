/* Simplex solvers, one file each, that are compiled once for all CPU levels: those of the papers, kept for study and
 * comparison, and the fallback. The default solver is simplex/solve_default.h. */
#ifndef AP_SOLVERS_SOLVERS_H
#define AP_SOLVERS_SOLVERS_H

#include "../simplex/simplex.h"

ap_solver_fn ap_solve_johnson;
ap_solver_fn ap_solve_voronoi;
ap_solver_fn ap_solve_geometric;
ap_solver_fn ap_solve_least_squares;
ap_solver_fn ap_solve_volumes;

/* The fallback: the same contract in double-double arithmetic, slower and more accurate. */
ap_solver_fn ap_solve_double_double;

#endif
