/* Source: the appendix of the geometric improvement (item G6). Every triple of vertices that has all others and the
 * centroid on one side spans a support plane; triples in one plane are united to a face; a face's vertices are sorted
 * by their angle about its centre, and neighbours in that order are the ends of an edge.
 * We differ in: with early_end the test of a triple ends with the first vertex on the wrong side. */
#include "enumerate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text.h"

typedef struct plane {
    apart_vec3 point, normal; /* unit, away from the centroid */
} plane;

/* A triple as a plane; false when it is flat or holds the centroid. */
static int plane_of(const apart_vec3 *v, uint32_t i, uint32_t j, uint32_t k, apart_vec3 centroid, double tolerance,
                    plane *out)
{
    const apart_vec3 normal = apart_vec3_cross(apart_vec3_sub(v[j], v[i]), apart_vec3_sub(v[k], v[i]));
    const double length = apart_vec3_norm(normal), side = apart_vec3_dot(normal, apart_vec3_sub(centroid, v[i]));
    if (!(length > 0.0) || fabs(side) <= tolerance * length) {
        return 0;
    }
    *out = (plane){v[i], apart_vec3_scale((side > 0.0 ? -1.0 : 1.0) / length, normal)};
    return 1;
}

static bool supports(const apart_vec3 *v, uint32_t count, const plane *p, double tolerance, bool early_end,
                     uint64_t *tested)
{
    bool supporting = true;
    for (uint32_t i = 0; i < count && (supporting || !early_end); i++) {
        ++*tested;
        supporting = apart_vec3_dot(p->normal, apart_vec3_sub(v[i], p->point)) <= tolerance && supporting;
    }
    return supporting;
}

static void add_triple(lab_enumeration *e, plane **planes, const plane *p, uint32_t i, uint32_t j, uint32_t k)
{
    if ((e->face_count & (e->face_count - 1)) == 0) {
        const size_t room = e->face_count > 0 ? 2 * (size_t)e->face_count : 1;
        e->faces = lab_grow(e->faces, room, sizeof *e->faces);
        *planes = lab_grow(*planes, room, sizeof **planes);
    }
    lab_face *f = &e->faces[e->face_count];
    f->count = 3;
    f->vertex = lab_allocate(3, sizeof *f->vertex);
    f->vertex[0] = i;
    f->vertex[1] = j;
    f->vertex[2] = k;
    (*planes)[e->face_count++] = *p;
}

/* Adds the vertices of `from` that `to` does not have. */
static void unite(lab_face *to, const lab_face *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t k = 0;
        while (k < to->count && to->vertex[k] != from->vertex[i]) {
            k++;
        }
        if (k == to->count) {
            to->vertex = lab_grow(to->vertex, to->count + 1, sizeof *to->vertex);
            to->vertex[to->count++] = from->vertex[i];
        }
    }
}

/* Triples in one plane become one face. */
static void merge(const apart_vec3 *v, lab_enumeration *e, plane *planes, double tolerance)
{
    for (uint32_t f = 0; f < e->face_count; f++) {
        for (uint32_t g = f + 1; g < e->face_count;) {
            const lab_face *other = &e->faces[g];
            uint32_t i = 0;
            while (i < other->count &&
                   fabs(apart_vec3_dot(planes[f].normal, apart_vec3_sub(v[other->vertex[i]], planes[f].point))) <=
                       tolerance) {
                i++;
            }
            if (i < other->count) {
                g++;
                continue;
            }
            unite(&e->faces[f], other);
            free(e->faces[g].vertex);
            e->face_count--;
            e->faces[g] = e->faces[e->face_count];
            planes[g] = planes[e->face_count];
        }
    }
}

/* A vertex of a face and its angle about the centre. */
typedef struct spoke {
    double angle;
    uint32_t vertex;
} spoke;

static int compare_spokes(const void *a, const void *b)
{
    const double x = ((const spoke *)a)->angle, y = ((const spoke *)b)->angle;
    return x < y ? -1 : x > y;
}

static int compare_edges(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : 0;
}

static void order(const apart_vec3 *v, lab_face *f, apart_vec3 normal)
{
    spoke *spokes = lab_allocate(f->count, sizeof *spokes);
    apart_vec3 center = {0, 0, 0};
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        center = apart_vec3_add_scaled(center, 1.0 / f->count, v[f->vertex[i]]);
        lowest = f->vertex[i] < f->vertex[lowest] ? i : lowest;
    }
    const apart_vec3 reference = apart_vec3_sub(v[f->vertex[lowest]], center),
                     across = apart_vec3_cross(normal, reference);
    for (uint32_t i = 0; i < f->count; i++) {
        const apart_vec3 d = apart_vec3_sub(v[f->vertex[i]], center);
        const double angle = i == lowest ? 0.0 : atan2(apart_vec3_dot(d, across), apart_vec3_dot(d, reference));
        spokes[i] = (spoke){angle < 0.0 ? angle + 8.0 : angle, f->vertex[i]};
    }
    qsort(spokes, f->count, sizeof *spokes, compare_spokes);
    for (uint32_t i = 0; i < f->count; i++) {
        f->vertex[i] = spokes[i].vertex;
    }
    free(spokes);
}

static void collect_edges(lab_enumeration *e)
{
    size_t count = 0, kept = 0;
    for (uint32_t f = 0; f < e->face_count; f++) {
        count += e->faces[f].count;
    }
    e->edges = lab_allocate(count, sizeof *e->edges);
    count = 0;
    for (uint32_t f = 0; f < e->face_count; f++) {
        const lab_face *face = &e->faces[f];
        for (uint32_t i = 0; i < face->count; i++) {
            const uint32_t p = face->vertex[i], q = face->vertex[(i + 1) % face->count];
            e->edges[count][0] = p < q ? p : q;
            e->edges[count++][1] = p < q ? q : p;
        }
    }
    qsort(e->edges, count, sizeof *e->edges, compare_edges);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_edges(e->edges[i], e->edges[kept - 1]) != 0) {
            memmove(e->edges[kept++], e->edges[i], sizeof *e->edges);
        }
    }
    e->edge_count = (uint32_t)kept;
}

void lab_enumerate(const apart_vec3 *v, uint32_t count, double tolerance, bool early_end, lab_enumeration *out)
{
    plane *planes = NULL;
    apart_vec3 centroid = {0, 0, 0};
    *out = (lab_enumeration){.faces = NULL};
    for (uint32_t i = 0; i < count; i++) {
        centroid = apart_vec3_add_scaled(centroid, 1.0 / count, v[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            for (uint32_t k = j + 1; k < count; k++) {
                plane p;
                out->planes_tested++;
                if (plane_of(v, i, j, k, centroid, tolerance, &p) &&
                    supports(v, count, &p, tolerance, early_end, &out->points_tested)) {
                    add_triple(out, &planes, &p, i, j, k);
                }
            }
        }
    }
    merge(v, out, planes, tolerance);
    for (uint32_t f = 0; f < out->face_count; f++) {
        order(v, &out->faces[f], planes[f].normal);
    }
    collect_edges(out);
    free(planes);
}

void lab_enumeration_free(lab_enumeration *e)
{
    for (uint32_t f = 0; f < e->face_count; f++) {
        free(e->faces[f].vertex);
    }
    free(e->faces);
    free(e->edges);
    *e = (lab_enumeration){.faces = NULL};
}
