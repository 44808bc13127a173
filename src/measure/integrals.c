/* Over a tetrahedron the integrals of 1, x and x transpose(x) are polynomials of its corners (Mirtich 1996 has the
 * history); signed tetrahedra between a point and the triangles of a surface add up to the body.
 *
 * Errors. If a body's volume is wrong by at most e, and what is wrong lies within a reach R of the origin, its moment is
 * wrong by e R and its second moments by e R^2. So the centre m / V, which is within R, is wrong by 2 e R / (V - e), that
 * is 4 e R / V for e < V / 2; and the inertia about it, two second moments less V c^2, by less than 16 e R^2. A sum of n
 * volumes, each off by less than 32 eps, is off by (64 + n) eps of the sum of their absolute values. */
#include "integrals.h"

static void add_square(double second[6], double w, apart_vec3 p)
{
    second[0] += w * p.x * p.x;
    second[1] += w * p.y * p.y;
    second[2] += w * p.z * p.z;
    second[3] += w * p.x * p.y;
    second[4] += w * p.x * p.z;
    second[5] += w * p.y * p.z;
}

static void add_reach(ap_integrals *i, apart_vec3 p) { i->reach = ap_max(i->reach, ap_norm(p)); }

void ap_add_tetrahedron(ap_integrals *i, apart_vec3 a, apart_vec3 b, apart_vec3 c)
{
    const apart_vec3 p = ap_sub(a, i->origin), q = ap_sub(b, i->origin), r = ap_sub(c, i->origin);
    const double volume = ap_dot(p, ap_cross(q, r)) / 6.0, size = ap_norm(p) * ap_norm(q) * ap_norm(r) / 6.0;
    const apart_vec3 s = ap_add(ap_add(p, q), r);
    i->volume += volume;
    i->sum += fabs(volume) + DBL_EPSILON * size;
    i->count += 1.0;
    i->moment = ap_add(i->moment, ap_scale(volume / 4.0, s));
    add_square(i->second, volume / 20.0, s);
    add_square(i->second, volume / 20.0, p);
    add_square(i->second, volume / 20.0, q);
    add_square(i->second, volume / 20.0, r);
    add_reach(i, p);
    add_reach(i, q);
    add_reach(i, r);
}

void ap_add_triangle(ap_integrals *i, apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 p = ap_sub(a, i->origin), q = ap_sub(b, i->origin), s = ap_add(p, q);
    const double area = 0.5 * (p.x * q.y - p.y * q.x);
    i->volume += area;
    i->sum += fabs(area) + DBL_EPSILON * ap_norm(p) * ap_norm(q);
    i->count += 1.0;
    i->moment = ap_add(i->moment, ap_scale(area / 3.0, s));
    add_square(i->second, area / 12.0, s);
    add_square(i->second, area / 12.0, p);
    add_square(i->second, area / 12.0, q);
    add_reach(i, p);
    add_reach(i, q);
}

ap_integrals ap_blend(const ap_integrals *x, const ap_integrals *y, double w)
{
    ap_integrals i = *x;
    i.volume = w * x->volume + (1.0 - w) * y->volume;
    i.moment = ap_add(ap_scale(w, x->moment), ap_scale(1.0 - w, y->moment));
    for (int k = 0; k < 6; k++) {
        i.second[k] = w * x->second[k] + (1.0 - w) * y->second[k];
    }
    i.sum = ap_max(x->sum, y->sum);
    i.count = ap_max(x->count, y->count);
    i.reach = ap_max(x->reach, y->reach);
    return i;
}

/* Moments of inertia from second moments: trace(S) I - S. In the plane only that about z is one. */
static apart_mat3 inertia_of(const double s[6], int dim)
{
    const double xx = dim == 2 ? 0.0 : s[1] + s[2], yy = dim == 2 ? 0.0 : s[0] + s[2];
    const double xy = dim == 2 ? 0.0 : -s[3];
    return (apart_mat3){{xx, xy, -s[4]}, {xy, yy, -s[5]}, {-s[4], -s[5], s[0] + s[1]}};
}

void ap_mass_from_integrals(const ap_integrals *i, double volume_error, int dim, apart_mass *out)
{
    *out = (apart_mass){.volume = 0.0, .center = i->origin};
    const double error = volume_error + (64.0 + i->count) * DBL_EPSILON * i->sum, reach = i->reach;
    if (i->volume > 0.0) {
        const apart_vec3 c = ap_scale(1.0 / i->volume, i->moment);
        double second[6];
        memcpy(second, i->second, sizeof second);
        add_square(second, -i->volume, c);
        out->volume = i->volume;
        out->center = ap_add(i->origin, c);
        out->inertia = inertia_of(second, dim);
    }
    const double share = i->volume > 0.0 ? error / i->volume : 1.0;
    out->volume_error = error;
    out->center_error = (share < 0.5 ? 4.0 * share * reach : 2.0 * reach) + 4.0 * DBL_EPSILON * ap_norm(out->center);
    out->inertia_error = 16.0 * error * reach * reach;
}

apart_mass ap_mass_of_moments(double volume, apart_vec3 center, double xx, double yy, double zz, double reach)
{
    const double second[6] = {xx, yy, zz, 0.0, 0.0, 0.0};
    const double rounding = 64.0 * DBL_EPSILON;
    return (apart_mass){.volume = volume,
                        .center = center,
                        .inertia = inertia_of(second, 3),
                        .volume_error = rounding * volume,
                        .center_error = rounding * reach,
                        .inertia_error = rounding * volume * reach * reach};
}

/* Second moments from an inertia about the centre: S = trace(I) / 2 - I. In the plane they are lost, and not needed. */
static apart_mat3 second_of(const apart_mat3 *inertia)
{
    const double half = 0.5 * (inertia->x.x + inertia->y.y + inertia->z.z);
    return (apart_mat3){{half - inertia->x.x, -inertia->x.y, -inertia->x.z},
                        {-inertia->y.x, half - inertia->y.y, -inertia->y.z},
                        {-inertia->z.x, -inertia->z.y, half - inertia->z.z}};
}

void ap_add_mass(ap_integrals *all, double *volume_error, const apart_mass *part, const apart_pose *pose, int dim)
{
    const apart_vec3 c = ap_sub(apart_pose_apply(pose, part->center), all->origin);
    all->volume += part->volume;
    all->sum += part->volume;
    all->count += 1.0;
    all->moment = ap_add(all->moment, ap_scale(part->volume, c));
    add_square(all->second, part->volume, c);
    *volume_error += part->volume_error;
    if (dim == 2) { /* any second moments with the right sum */
        all->second[0] += part->inertia.z.z;
        return;
    }
    const apart_mat3 s = second_of(&part->inertia), *r = &pose->rotation;
    const apart_vec3 columns[3] = {ap_apply(r, s.x), ap_apply(r, s.y), ap_apply(r, s.z)};
    /* R S transpose(R): its columns are sums of R S's columns, weighted by the rows of R. */
    const double *rows[3] = {&r->x.x, &r->y.x, &r->z.x};
    double turned[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            turned[i][k] = 0.0;
            for (int m = 0; m < 3; m++) {
                turned[i][k] += (&columns[m].x)[i] * rows[m][k];
            }
        }
    }
    const double parts[6] = {turned[0][0], turned[1][1], turned[2][2], turned[0][1], turned[0][2], turned[1][2]};
    for (int k = 0; k < 6; k++) {
        all->second[k] += parts[k];
    }
}
