/* Convex polygons for the teaching figures: differences, half-planes, distances by the library. */
#include <math.h>

#include "teaching.h"

outline outline_moved(const outline *p, flat by)
{
    outline out = *p;
    for (size_t i = 0; i < out.count; i++) {
        out.points[i] = flat_add(out.points[i], by);
    }
    return out;
}

flat outline_support(const outline *p, flat direction)
{
    flat best = p->points[0];
    for (size_t i = 1; i < p->count; i++) {
        best = flat_dot(p->points[i], direction) > flat_dot(best, direction) ? p->points[i] : best;
    }
    return best;
}

flat outline_middle(const outline *p)
{
    flat sum = {0, 0};
    for (size_t i = 0; i < p->count; i++) {
        sum = flat_add(sum, p->points[i]);
    }
    return flat_scale(1.0 / (double)p->count, sum);
}

/* The support points of many directions, each once. */
outline outline_difference(const outline *a, const outline *b)
{
    enum { DIRECTIONS = 7200 };
    outline out = {.count = 0};
    for (int i = 0; i < DIRECTIONS; i++) {
        const double angle = 2.0 * 3.14159265358979323846 * (i + 0.5) / DIRECTIONS;
        const flat d = {cos(angle), sin(angle)};
        const flat w = flat_sub(outline_support(b, d), outline_support(a, flat_scale(-1, d)));
        const flat last = out.points[out.count > 0 ? out.count - 1 : 0], first = out.points[0];
        const bool is_new = out.count == 0 ||
                            (hypot(w.x - last.x, w.y - last.y) > 1e-9 && (hypot(w.x - first.x, w.y - first.y) > 1e-9));
        if (is_new && out.count < PLANE_MOST) {
            out.points[out.count++] = w;
        }
    }
    return out;
}

outline outline_clipped(const outline *p, flat n, double offset)
{
    outline out = {.count = 0};
    for (size_t i = 0; i < p->count; i++) {
        const flat from = p->points[i], to = p->points[(i + 1) % p->count];
        const double a = flat_dot(n, from) - offset, b = flat_dot(n, to) - offset;
        if (a <= 0.0 && out.count < PLANE_MOST) {
            out.points[out.count++] = from;
        }
        if ((a < 0.0) != (b < 0.0) && a != b && out.count < PLANE_MOST) {
            out.points[out.count++] = flat_add(from, flat_scale(a / (a - b), flat_sub(to, from)));
        }
    }
    return out;
}

apart_result outline_distance(const outline *a, const outline *b)
{
    const apart_shape shape[2] = {apart_polygon(&a->points[0].x, a->count), apart_polygon(&b->points[0].x, b->count)};
    const apart_pose here = apart_pose_identity();
    apart_result r = {.distance = NAN};
    apart_distance(&shape[0], &here, &shape[1], &here, NULL, NULL, &r);
    return r;
}

apart_result outline_from_point(const outline *a, flat point)
{
    const outline b = {.count = 1, .points = {point}};
    return outline_distance(a, &b);
}
