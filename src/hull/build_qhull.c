/* Hulls of bare points, with Qhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, 1996; libqhull_r, never joggled).
 *
 * We differ in not taking Qhull's facets: it works with rounded heights above planes, so its facets are "wide", its vertices may lie
 * inside merged facets, and thin or flat sets make it give up. Its vertices are candidates that the exact builder tries first, which
 * keeps that builder from raising points that the next one swallows; when Qhull fails there are none, and the same hull comes out.
 * Qhull is asked not to merge facets (Q0): candidates need no facets, merging many nearly coplanar ones takes a time that grows with the
 * square (half a minute for a prism of 10000 sides), and on some shallow caps Qhull 2020.2 merges for ever. */
#include "build.h"

#include <libqhull_r/qhull_ra.h>

/* Below this number of points a proposal costs more than it saves. */
static const uint32_t worth_asking = 32;

static void mark_vertices(qhT *qh, uint8_t *candidate, uint32_t count)
{
    vertexT *vertex;
    FORALLvertices {
        const int id = qh_pointid(qh, vertex->point);
        if (id >= 0 && (uint32_t)id < count) {
            candidate[id] = 1;
        }
    }
}

/* Qhull writes its complaints to a file: this one nobody reads. */
static void ask_qhull(coordT *xyz, uint32_t count, FILE *complaints, uint8_t *candidate)
{
    char command[] = "qhull Q0 Pp";
    qhT context = {0};
    int long_count, long_total;
    qh_zero(&context, complaints);
    if (qh_new_qhull(&context, 3, (int)count, xyz, False, command, NULL, complaints) == 0) {
        mark_vertices(&context, candidate, count);
    }
    qh_freeqhull(&context, !qh_ALL);
    qh_memfreeshort(&context, &long_count, &long_total);
}

static void propose(const apart_vec3 *points, uint32_t count, uint8_t *candidate)
{
    if (count < worth_asking || count > INT32_MAX / 4) {
        return;
    }
    FILE *complaints = tmpfile();
    coordT *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    if (complaints != NULL && xyz != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            xyz[3 * (size_t)i] = points[i].x;
            xyz[3 * (size_t)i + 1] = points[i].y;
            xyz[3 * (size_t)i + 2] = points[i].z;
        }
        ask_qhull(xyz, count, complaints, candidate);
    }
    free(xyz);
    if (complaints != NULL) {
        fclose(complaints);
    }
}

apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || (xyz == NULL && n > 0)) {
        return APART_ERR_NULL;
    }
    const apart_allocator *allocator = options != NULL ? &options->allocator : &defaults.allocator;
    return ap_hull_assemble_points(xyz, n, NULL, propose, allocator, out);
}
