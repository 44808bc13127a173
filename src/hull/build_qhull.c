/* Hulls of bare points, with the help of Qhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, 1996; libqhull_r, input never
 * joggled).
 *
 * We use Qhull's vertices, not its facets: it works with rounded heights above planes, so its facets are "wide", its
 * vertices may lie inside merged facets, and it fails for thin or flat sets. Its vertices are candidates that the exact
 * builder (quickhull.c) inserts first, which saves inserting points that a later one makes interior. If Qhull fails
 * there are no candidates, and the result is the same. Qhull is told not to merge facets (Q0): candidates need no
 * facets, merging many nearly coplanar ones takes quadratic time (half a minute for a prism of 10000 sides), and for
 * some shallow caps Qhull 2020.2 never ends merging. */
#include "build.h"

#include <libqhull_r/qhull_ra.h>

/* For fewer points than this, candidates cost more than they save. */
static const uint32_t least_points = 32;

static void mark_vertices(qhT *qh, uint8_t *candidate, uint32_t count)
{
    vertexT *vertex;
    FORALLvertices
    {
        const int id = qh_pointid(qh, vertex->point);
        if (id >= 0 && (uint32_t)id < count) {
            candidate[id] = 1;
        }
    }
}

/* Qhull writes its messages to a file; this one is not read. */
static void run_qhull(coordT *xyz, uint32_t count, FILE *messages, uint8_t *candidate)
{
    char command[] = "qhull Q0 Pp";
    qhT context = {0};
    int long_count, long_total;
    qh_zero(&context, messages);
    if (qh_new_qhull(&context, 3, (int)count, xyz, False, command, NULL, messages) == 0) {
        mark_vertices(&context, candidate, count);
    }
    qh_freeqhull(&context, !qh_ALL);
    qh_memfreeshort(&context, &long_count, &long_total);
}

/* ap_hull_propose */
static void propose_by_qhull(const apart_vec3 *points, uint32_t count, uint8_t *candidate)
{
    if (count < least_points || count > INT32_MAX / 4) {
        return;
    }
    FILE *messages = tmpfile();
    coordT *xyz = malloc(3 * (size_t)count * sizeof *xyz);
    if (messages != NULL && xyz != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            xyz[3 * (size_t)i] = points[i].x;
            xyz[3 * (size_t)i + 1] = points[i].y;
            xyz[3 * (size_t)i + 2] = points[i].z;
        }
        run_qhull(xyz, count, messages, candidate);
    }
    free(xyz);
    if (messages != NULL) {
        fclose(messages);
    }
}

apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || (xyz == NULL && n > 0)) {
        return APART_ERR_NULL;
    }
    const apart_allocator *allocator = options != NULL ? &options->allocator : &defaults.allocator;
    return ap_hull_from_points(xyz, n, NULL, propose_by_qhull, allocator, out);
}
