/* Hulls of bare points without Qhull, for platforms that do not have it (WebAssembly). The result is the same as that
 * of build_qhull.c, but thousands of points take longer. A program is linked with one of the two files. */
#include "build.h"

apart_status apart_hull_build(const double *xyz, size_t n, const apart_hull_options *options, apart_hull **out)
{
    static const apart_hull_options defaults = {0};
    if (out == NULL || (xyz == NULL && n > 0)) {
        return APART_ERR_NULL;
    }
    return ap_hull_from_points(xyz, n, NULL, NULL, options != NULL ? &options->allocator : &defaults.allocator, out);
}
