/* The simplex solvers of the papers, one file each: kept for study and comparison, and compiled once for all CPU
 * levels. The default solver is simplex/solve_default.h. */
#ifndef AP_SOLVERS_SOLVERS_H
#define AP_SOLVERS_SOLVERS_H

#include "../simplex/simplex.h"

ap_solver_fn ap_solve_johnson;
ap_solver_fn ap_solve_voronoi;
ap_solver_fn ap_solve_geometric;
ap_solver_fn ap_solve_least_squares;
ap_solver_fn ap_solve_volumes;

#endif
