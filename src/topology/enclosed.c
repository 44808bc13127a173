/* Volumes by the divergence theorem: the sum of the tetrahedra between a point and the triangles. Their signs are exact:
 * where the sum is within its error of zero, it is added up in integers. */
#include "enclosed.h"

#include "../base/memory.h"
#include "crossing.h"

/* The sum of tetrahedra of a component. Coordinates relative to the middle of the box err by 2^-53 of themselves, and a
 * determinant of them by 8 * 2^-53 of its permanent (Shewchuk), together less than 16 * 2^-53; the compensated sum adds
 * less than one of these. Scaled coordinates are at most 1, so what underflow takes is far below the other term. */
#define VOLUME_ERROR (24.0 * 0x1p-53)
#define VOLUME_UNDERFLOW 0x1p-900

/* A cavity, if it is one: a component of negative volume, and its vertex of least x. */
typedef struct cavity {
    apart_vec3 vertex;
    uint32_t component;
    int32_t winding; /* of the other components around the vertex */
} cavity;

static void corners_of(const ap_mesh_components *m, uint32_t triangle, apart_vec3 t[3])
{
    for (int i = 0; i < 3; i++) {
        t[i] = m->vertices[m->triangles[triangle][i]];
    }
}

static apart_vec3 middle_of(const apart_aabb *box) { return ap_add(ap_scale(0.5, box->min), ap_scale(0.5, box->max)); }

/* Six times the volume times scale^3, within *error of its true value. */
static double volume_of(const ap_mesh_components *m, uint32_t component, double scale, double *error)
{
    const apart_vec3 middle = middle_of(&m->box);
    ap_dd sum = {0.0, 0.0};
    double permanents = 0.0;
    for (uint32_t i = m->start[component]; i < m->start[component + 1]; i++) {
        apart_vec3 t[3];
        corners_of(m, m->order[i], t);
        const apart_vec3 a = ap_scale(scale, ap_sub(t[0], middle)), b = ap_scale(scale, ap_sub(t[1], middle)),
                         c = ap_scale(scale, ap_sub(t[2], middle));
        const double yz = b.y * c.z, zy = b.z * c.y, zx = b.z * c.x, xz = b.x * c.z, xy = b.x * c.y, yx = b.y * c.x;
        const ap_dd next = ap_two_sum(sum.hi, (a.x * (yz - zy) + a.y * (zx - xz)) + a.z * (xy - yx));
        sum = (ap_dd){next.hi, sum.lo + next.lo};
        permanents +=
            (fabs(a.x) * (fabs(yz) + fabs(zy)) + fabs(a.y) * (fabs(zx) + fabs(xz))) + fabs(a.z) * (fabs(xy) + fabs(yx));
    }
    *error = VOLUME_ERROR * permanents + VOLUME_UNDERFLOW;
    return sum.hi + sum.lo;
}

/* The sign of the volume, in integers. */
static int sign_of_volume(const ap_mesh_components *m, uint32_t component)
{
    const uint32_t first = m->start[component], end = m->start[component + 1];
    const apart_vec3 origin = m->vertices[m->triangles[m->order[first]][0]];
    int32_t exponent = INT32_MAX;
    for (uint32_t i = 3 * first; i < 3 * end; i++) {
        const apart_vec3 p = m->vertices[m->triangles[m->order[i / 3]][i % 3]];
        const double coordinates[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            const int32_t lowest = ap_lowest_exponent(coordinates[k]);
            exponent = lowest < exponent ? lowest : exponent;
        }
    }
    ap_integer sum = {.sign = 0, .count = 0}, term;
    for (uint32_t i = first; i < end; i++) {
        apart_vec3 t[3];
        corners_of(m, m->order[i], t);
        ap_exact_volume(&term, origin, t[0], t[1], t[2], exponent);
        ap_integer_add(&sum, &sum, &term);
    }
    return sum.sign;
}

static cavity cavity_of(const ap_mesh_components *m, uint32_t component)
{
    cavity found = {m->vertices[m->triangles[m->order[m->start[component]]][0]], component, 0};
    for (uint32_t i = 3 * m->start[component]; i < 3 * m->start[component + 1]; i++) {
        const apart_vec3 p = m->vertices[m->triangles[m->order[i / 3]][i % 3]];
        found.vertex = p.x < found.vertex.x ? p : found.vertex;
    }
    return found;
}

static int by_height(const void *a, const void *b)
{
    const double za = ((const cavity *)a)->vertex.z, zb = ((const cavity *)b)->vertex.z;
    return za < zb ? -1 : za > zb;
}

/* The first of the cavities, which are sorted by height, that is not lower than z. */
static uint32_t first_from(const cavity *cavities, uint32_t count, double z)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (cavities[middle].vertex.z < z) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts a triangle of a component for all cavities that it may lie in front of. */
static void count_crossings(const apart_vec3 t[3], uint32_t component, cavity *cavities, uint32_t count)
{
    const double low = ap_min(ap_min(t[0].z, t[1].z), t[2].z), high = ap_max(ap_max(t[0].z, t[1].z), t[2].z);
    const double left = ap_min(ap_min(t[0].y, t[1].y), t[2].y), right = ap_max(ap_max(t[0].y, t[1].y), t[2].y);
    for (uint32_t i = first_from(cavities, count, low); i < count && cavities[i].vertex.z <= high; i++) {
        const apart_vec3 p = cavities[i].vertex;
        if (left <= p.y && p.y <= right && cavities[i].component != component) {
            cavities[i].winding += (int32_t)ap_ray_crossing_beside(p, t);
        }
    }
}

/* Do all these components lie inside others? */
static bool are_cavities(const ap_mesh_components *m, cavity *cavities, uint32_t count)
{
    qsort(cavities, count, sizeof *cavities, by_height);
    for (uint32_t c = 0; c < m->count; c++) {
        for (uint32_t i = m->start[c]; i < m->start[c + 1]; i++) {
            apart_vec3 t[3];
            corners_of(m, m->order[i], t);
            count_crossings(t, c, cavities, count);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (cavities[i].winding < 1) {
            return false;
        }
    }
    return true;
}

/* The same for many, a few first: one that is none decides, and a mesh that is inside out is seen soon. */
static bool are_all_cavities(const ap_mesh_components *m, cavity *cavities, uint32_t count)
{
    bool sound = true;
    for (uint32_t first = 0, part = 1; first < count && sound; first += part, part *= 8) {
        part = part < count - first ? part : count - first;
        sound = are_cavities(m, cavities + first, part);
    }
    return sound;
}

apart_status ap_mesh_enclosed(const ap_mesh_components *m, const apart_allocator *allocator, double *volume,
                              uint8_t *oriented)
{
    cavity *cavities = ap_allocate(allocator, m->count, sizeof *cavities);
    if (cavities == NULL) {
        return APART_ERR_MEMORY;
    }
    const double scale = ap_power_of_two_scale(ap_max_abs(ap_sub(m->box.max, middle_of(&m->box))));
    const double unit = 0.5 * scale; /* coordinates are at most 1 */
    ap_dd sum = {0.0, 0.0};
    uint32_t negative = 0;
    bool sound = true;
    for (uint32_t c = 0; c < m->count; c++) {
        double error;
        const double own = volume_of(m, c, unit, &error);
        const ap_dd next = ap_two_sum(sum.hi, own);
        sum = (ap_dd){next.hi, sum.lo + next.lo};
        const bool is_sure = fabs(own) > error;
        const int sign = is_sure ? (own > 0.0 ? 1 : -1) : sound ? sign_of_volume(m, c) : 0;
        sound = sound && sign != 0;
        if (sign < 0) {
            cavities[negative++] = cavity_of(m, c);
        }
    }
    *volume = (sum.hi + sum.lo) / 6.0 / unit / unit / unit;
    *oriented = sound && are_all_cavities(m, cavities, negative) ? 1 : 0;
    ap_release(allocator, cavities);
    return APART_OK;
}
