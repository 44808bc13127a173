#include "fuzz.h"

static void check_body(const apart_case_body *body, size_t dim)
{
    if (!body->is_points) {
        check(body->shape.status == APART_OK && dim == 3, "a primitive is a valid 3D shape");
        check(apart_pose_check(&body->pose) == APART_OK, "a primitive's pose is a rotation and a translation");
        return;
    }
    check(body->count > 0, "a body has points");
    for (size_t i = 0; i < body->count * dim; i++)
        check(isfinite(body->coordinates[i]), "coordinates are finite");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apart_case_file *file;
    apart_io_error error;
    apart_status status = apart_case_open_memory(data, size, "fuzz", &file, &error);
    check(status == APART_OK, "bytes in memory can be opened");
    apart_case c;
    int found;
    while ((status = apart_case_next(file, &c, &found, &error)) == APART_OK && found) {
        check(memchr(c.name, 0, sizeof c.name) != NULL && c.name[0], "a case has a name");
        check(c.dim >= 1 && c.dim <= APART_ND_MAX_DIM, "the dimension is in range");
        check(c.relation >= -1 && c.relation <= APART_OVERLAPPING, "the relation is known");
        check(!c.has_distance || isfinite(c.distance), "the expected distance is finite");
        check_body(&c.a, c.dim);
        check_body(&c.b, c.dim);
    }
    if (status != APART_OK) {
        check_error(&error);
        check(apart_case_next(file, &c, &found, &error) == status && !found, "an error ends the file");
    }
    apart_case_close(file);
    return 0;
}
