/* Hulls of bare points without Qhull, for places that have none (WebAssembly): the exact builder raises the points by itself.
 * It gives the hull that build_qhull.c gives, only slower for thousands of points. One of the two files is linked, not both. */
#include "build.h"

apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || (xyz == NULL && n > 0)) {
        return APART_ERR_NULL;
    }
    return ap_hull_assemble_points(xyz, n, NULL, NULL, options != NULL ? &options->allocator : &defaults.allocator, out);
}
