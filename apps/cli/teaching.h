/* The papers' teaching figures, drawn from what the library computes: apart figure NAME. */
#ifndef TEACHING_H
#define TEACHING_H

#include <stdbool.h>

#include <apart/apart.h>

#include "svg.h"

/* A part of the picture that shows a part of the plane, y upwards. */
typedef struct canvas {
    FILE *out;
    flat corner; /* upper left, in points of the picture */
    double width, height;
    flat low; /* lower left corner, in lengths of the plane */
    double scale;
} canvas;

typedef struct teaching_figure {
    const char *name, *source, *title;
    const char *caption[3]; /* lines */
    int height;             /* of the drawing; all are TEACHING_WIDTH wide */
    void (*draw)(FILE *out);
} teaching_figure;

enum { TEACHING_WIDTH = 1080, TEACHING_TOP = 66 };

/* A framed canvas: `number` of `of` beside each other, which shows the rectangle from low to high. */
canvas canvas_begin(FILE *out, int number, int of, int height, flat low, flat high, const char *heading);
void canvas_end(const canvas *c);
flat canvas_at(const canvas *c, flat p);
void canvas_polygon(const canvas *c, const flat *points, size_t count, const char *class_name);
void canvas_line(const canvas *c, flat from, flat to, const char *class_name);
void canvas_arrow(const canvas *c, flat from, flat to, const char *class_name);
void canvas_dot(const canvas *c, flat at, const char *class_name);
/* Beside a point, `dx` and `dy` in points of the picture. */
void canvas_text(const canvas *c, flat at, double dx, double dy, const char *class_name, const char *text);
/* A cross at the origin. */
void canvas_origin(const canvas *c);

/* ---- the plane (teaching_plane.c) ---- */

enum { PLANE_MOST = 64 };

typedef struct outline {
    size_t count;
    flat points[PLANE_MOST];
} outline;

outline outline_moved(const outline *p, flat by);
/* {b - a}, in order around. */
outline outline_difference(const outline *a, const outline *b);
/* The part with n . x <= offset. */
outline outline_clipped(const outline *p, flat n, double offset);
/* The signed distance, by the library. */
apart_result outline_distance(const outline *a, const outline *b);
/* Of a point from an outline: the nearest point of the outline's edge, if it is inside. */
apart_result outline_from_point(const outline *a, flat point);
flat outline_support(const outline *p, flat direction);
flat outline_middle(const outline *p);

static inline flat flat_add(flat a, flat b) { return (flat){a.x + b.x, a.y + b.y}; }
static inline flat flat_sub(flat a, flat b) { return (flat){a.x - b.x, a.y - b.y}; }
static inline flat flat_scale(double s, flat a) { return (flat){s * a.x, s * a.y}; }
static inline double flat_dot(flat a, flat b) { return a.x * b.x + a.y * b.y; }
static inline flat flat_of(apart_vec3 v) { return (flat){v.x, v.y}; }

extern const teaching_figure teaching_cameron_1, teaching_cameron_2, teaching_cameron_6a, teaching_geometric_6,
    teaching_geometric_8, teaching_geometric_10, teaching_lindemann_5, teaching_lindemann_6;

#endif
