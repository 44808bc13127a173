#include "nd_pair.h"

#include <stddef.h>
#include <string.h>

fixture f;
random_source random_state;

void clear(size_t dim)
{
    memset(&f, 0, offsetof(fixture, a));
    f.dim = dim;
}

static double *add_point(double *points, size_t *count)
{
    double *x = points + f.dim * (*count)++;
    memset(x, 0, f.dim * sizeof *x);
    return x;
}

double *add_a(void) { return add_point(f.a, &f.count_a); }

double *add_b(void) { return add_point(f.b, &f.count_b); }

apart_status query_in(const apart_options *options, void *room, size_t size)
{
    const apart_points_nd a = {f.a, f.count_a}, b = {f.b, f.count_b};
    f.r = (apart_result_nd){.a = f.point_a, .b = f.point_b, .normal = f.normal};
    f.r.index_a = f.index_a;
    f.r.index_b = f.index_b;
    f.r.lambda = f.lambda;
    return apart_distance_nd(f.dim, &a, &b, options, room, size, &f.r);
}

double largest_side(void)
{
    double side = 0.0;
    for (size_t k = 0; k < f.dim; k++) {
        double low = f.a[k], high = f.a[k];
        for (size_t i = 0; i < f.count_a + f.count_b; i++) {
            const double x = i < f.count_a ? f.a[i * f.dim + k] : f.b[(i - f.count_a) * f.dim + k];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        side = high - low > side ? high - low : side;
    }
    return side;
}

void add_random(double *(*add)(void), size_t count, double size, double shift)
{
    for (size_t i = 0; i < count; i++) {
        double *x = add();
        for (size_t k = 0; k < f.dim; k++) {
            x[k] = size * random_signed(&random_state) + (k == 0 ? shift : 0.0);
        }
    }
}
