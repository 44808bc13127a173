/* What the files of `apart clearance` share: the answers along a trajectory. */
#ifndef CLEARANCE_H
#define CLEARANCE_H

#include "robot_load.h"

/* A waypoint, and the motion to the next one. */
typedef struct clearance_row {
    apart_robot_near at;
    apart_robot_gap next; /* lower = upper = infinity at the last waypoint */
} clearance_row;

typedef struct clearance {
    const cli_settings *settings;
    cli_cell cell;
    trajectory way;
    clearance_row *rows;
    double tolerance;
    double lower, upper; /* of the smallest distance of the whole motion */
    size_t worst;        /* the waypoint before the worst moment */
    double worst_s;      /* the share of the motion to the next waypoint, 0..1 */
    double worst_t;
    apart_robot_near worst_at;
    double *gradient; /* of the worst pair's distance by the joints */
    int unique;
    uint64_t queries;
} clearance;

/* Is the whole motion certified to stay at or above the limit? */
bool clearance_is_kept(const clearance *c);

/* --nearest and --below: pairs at every waypoint, as text or CSV. */
int clearance_print_pairs(clearance *c);
/* --pairs: every pair along the whole motion. */
int clearance_print_ways(clearance *c);
/* The distance at a waypoint, less the pair's margin. */
double clearance_margin(const clearance *c, size_t pair);
/* --propose: an SRDF. */
int clearance_propose(const cli_settings *settings, const cli_cell *cell);

/* A pair and its distance; a gradient by the joints' names. */
json_t *clearance_pair_json(const clearance *c, const apart_robot_near *near);
json_t *clearance_gradient_json(const clearance *c, const double *gradient);
void clearance_print_text(const clearance *c);
void clearance_print_csv(const clearance *c);
int clearance_print_json(const clearance *c);
int clearance_write_figure(const clearance *c, const char *path);
/* Moves the cell. */
int clearance_write_recording(clearance *c, const char *path);

#endif
