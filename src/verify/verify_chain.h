/* Kinematics of the check of paths: poses of links, their errors, and how far points can move. Shares nothing with
 * src/robot: it reads the model by the public calls. */
#ifndef AP_VERIFY_VERIFY_CHAIN_H
#define AP_VERIFY_VERIFY_CHAIN_H

#include <apart/robot.h>
#include <stdbool.h>

/* A part or mesh of a body. */
typedef struct ap_chain_item {
    apart_solid solid;
    apart_shape shape; /* of a part: what the solid points to */
    size_t link;       /* APART_ROBOT_NONE: an obstacle */
    apart_pose pose;   /* in the link's frame, or in the world */
    apart_vec3 center; /* of a bounding sphere, in the solid's frame */
    double radius;     /* infinite for a half-space */
} ap_chain_item;

typedef struct ap_chain {
    const apart_robot *robot;
    apart_pose base;
    apart_pose *links;     /* in the world, at the present positions */
    double *q;             /* the present positions */
    double *travel;        /* of each joint that slides: how far from its frame it gets on the path */
    double *body_radius;   /* of each body: its farthest point from the link's origin */
    apart_pose *obstacles; /* of each body that is one */
    size_t body_count;
    double largest; /* position on the path, for rounding */
} ap_chain;

apart_status ap_chain_begin(ap_chain *chain, const apart_robot_cell *cell);
void ap_chain_end(ap_chain *chain);
/* Fills the items of a body, which stay where they are. */
void ap_chain_items(const ap_chain *chain, const apart_robot_cell *cell, size_t body, ap_chain_item *items);
/* Bounding spheres of all items, and the radius of each body. */
apart_status ap_chain_measure(ap_chain *chain, const apart_robot_cell *cell, ap_chain_item *items, const size_t *first);
/* How far joints slide along a path of `count` rows. */
void ap_chain_travel(ap_chain *chain, const double *q, size_t count);
/* Moves all links to q0 + s (q1 - q0). */
void ap_chain_move(ap_chain *chain, const double *q0, const double *q1, double s);
apart_pose ap_chain_place(const ap_chain *chain, const ap_chain_item *item);
/* How far points of a body may be from where ap_chain_place puts them, by rounding. */
double ap_chain_error(const ap_chain *chain, const apart_robot_cell *cell, size_t body);
/* No point of the pair's one body moves farther against the other than this, from q0 to q1. */
double ap_chain_speed(const ap_chain *chain, const apart_robot_cell *cell, const apart_robot_pair *pair,
                      const double *q0, const double *q1);

#endif
