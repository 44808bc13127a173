/* Reading archives. Nothing in them is trusted: not the hash either, which only finds damage. */
#include "archive.h"

/* ---- fields ---- */

void ap_reader_fail(ap_archive_reader *r, apart_status status)
{
    r->status = r->status == APART_OK ? status : r->status;
    r->at = r->end;
}

static const unsigned char *get_bytes(ap_archive_reader *r, uint64_t count)
{
    static const unsigned char zeros[8];
    if (count > (uint64_t)(r->end - r->at)) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return count <= sizeof zeros ? zeros : NULL;
    }
    const unsigned char *bytes = r->at;
    r->at += count;
    return bytes;
}

uint32_t ap_get_u32(ap_archive_reader *r)
{
    const unsigned char *b = get_bytes(r, 4);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

uint64_t ap_get_u64(ap_archive_reader *r)
{
    const uint64_t low = ap_get_u32(r);
    return low | (uint64_t)ap_get_u32(r) << 32;
}

double ap_get_double(ap_archive_reader *r)
{
    const uint64_t bits = ap_get_u64(r);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

apart_vec3 ap_get_vec(ap_archive_reader *r)
{
    const double x = ap_get_double(r), y = ap_get_double(r), z = ap_get_double(r);
    return (apart_vec3){x, y, z};
}

static apart_mat3 get_matrix(ap_archive_reader *r)
{
    const apart_vec3 x = ap_get_vec(r), y = ap_get_vec(r), z = ap_get_vec(r);
    return (apart_mat3){x, y, z};
}

apart_pose ap_get_pose(ap_archive_reader *r)
{
    const apart_mat3 rotation = get_matrix(r);
    return (apart_pose){rotation, ap_get_vec(r)};
}

uint32_t ap_get_count(ap_archive_reader *r, size_t least)
{
    const uint32_t count = ap_get_u32(r);
    if (count > (uint64_t)(r->end - r->at) / least) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return 0;
    }
    return count;
}

/* Memory that lives as long as what is read. */
static void *own(ap_archive_reader *r, size_t count, size_t size)
{
    void *memory = r->status == APART_OK && count <= SIZE_MAX / 2 / size
                       ? ap_owned_add(&r->owned, &r->allocator, count * size)
                       : NULL;
    if (memory == NULL) {
        ap_reader_fail(r, APART_ERR_MEMORY);
    }
    return memory;
}

/* ---- shapes ---- */

static apart_shape get_set(ap_archive_reader *r, int dim)
{
    const uint64_t count = ap_get_u64(r);
    if (count == 0 || count > (uint64_t)(r->end - r->at) / ((unsigned)dim * sizeof(double))) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return (apart_shape){.kind = APART_SHAPE_NONE};
    }
    double *x = own(r, (size_t)count * (unsigned)dim, sizeof *x);
    for (size_t i = 0; x != NULL && i < (size_t)count * (unsigned)dim; i++) {
        x[i] = ap_get_double(r);
    }
    return dim == 2 ? apart_polygon(x, (size_t)count) : apart_points(x, (size_t)count);
}

static const apart_shape *get_child(ap_archive_reader *r, int depth)
{
    apart_shape *child = own(r, 1, sizeof *child);
    const apart_shape shape = ap_get_shape(r, depth + 1);
    if (child != NULL) {
        *child = shape;
    }
    return child;
}

static apart_shape get_simplex(ap_archive_reader *r, int kind, int dim)
{
    apart_vec3 p[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i <= kind - APART_SHAPE_POINT; i++) {
        p[i] = ap_get_vec(r);
    }
    if (dim == 2) {
        const bool flat = p[0].z == 0.0 && p[1].z == 0.0;
        if (kind == APART_SHAPE_TRIANGLE || !flat) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
        return kind == APART_SHAPE_POINT ? apart_point_2d(p[0].x, p[0].y)
                                         : apart_segment_2d(p[0].x, p[0].y, p[1].x, p[1].y);
    }
    return kind == APART_SHAPE_POINT     ? apart_point(p[0])
           : kind == APART_SHAPE_SEGMENT ? apart_segment(p[0], p[1])
                                         : apart_triangle(p[0], p[1], p[2]);
}

/* The constructor normalises; a normal that was normalised before stays as it is. */
static apart_shape get_half_space(ap_archive_reader *r, int dim)
{
    const apart_vec3 n = ap_get_vec(r);
    const double offset = ap_get_double(r), square = apart_vec3_dot(n, n);
    apart_shape shape = dim == 2 ? apart_half_space_2d(n.x, n.y, offset) : apart_half_space(n, offset);
    if (!(fabs(square - 1.0) < 1e-14) || (dim == 2 && n.z != 0.0)) {
        ap_reader_fail(r, APART_ERR_BLOCK);
    }
    shape.u.plane.normal = n;
    shape.u.plane.offset = offset;
    return shape;
}

static apart_shape get_core(ap_archive_reader *r, int kind, int dim, int depth)
{
    const apart_shape none = {.kind = APART_SHAPE_NONE};
    double x, y;
    apart_vec3 v;
    const apart_shape *first, *second;
    switch (kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE: return get_simplex(r, kind, dim);
    case APART_SHAPE_BOX: v = ap_get_vec(r); return dim == 2 ? apart_rectangle(v.x, v.y) : apart_box(v);
    case APART_SHAPE_ELLIPSOID: return apart_ellipsoid(ap_get_vec(r));
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
        x = ap_get_double(r);
        y = ap_get_double(r);
        return kind == APART_SHAPE_CYLINDER ? apart_cylinder(x, y) : apart_cone(x, y);
    case APART_SHAPE_HALF_SPACE: return get_half_space(r, dim);
    case APART_SHAPE_HULL: {
        const uint32_t number = ap_get_u32(r);
        return number < r->hull_count ? apart_hull_shape(r->hulls[number]) : none;
    }
    case APART_SHAPE_POINTS: return get_set(r, dim);
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        first = get_child(r, depth);
        second = get_child(r, depth);
        return r->status != APART_OK     ? none
               : kind == APART_SHAPE_SUM ? apart_sum(first, second)
                                         : apart_hull_of_two(first, second);
    case APART_SHAPE_AFFINE: {
        first = get_child(r, depth);
        const apart_mat3 linear = get_matrix(r);
        v = ap_get_vec(r);
        return r->status != APART_OK ? none : apart_affine(first, linear, v);
    }
    default: return none;
    }
}

apart_shape ap_get_shape(ap_archive_reader *r, int depth)
{
    const uint32_t tag = ap_get_u32(r), kind = tag & 255u, dim = tag >> 8;
    const double radius = ap_get_double(r);
    apart_shape shape = {.kind = APART_SHAPE_NONE};
    if (r->status != APART_OK || (dim != 2 && dim != 3) || depth > APART_MAX_NESTING) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return shape;
    }
    shape = get_core(r, (int)kind, (int)dim, depth);
    /* What was rounded is rounded by the rest of the radius. */
    const bool good = r->status == APART_OK && apart_shape_check(&shape) == APART_OK && shape.kind == kind &&
                      shape.dim == dim && radius >= shape.radius && radius <= 0x1p1000;
    if (!good) {
        ap_reader_fail(r, APART_ERR_BLOCK);
        return shape;
    }
    shape.radius = radius;
    if (apart_shape_check(&shape) != APART_OK) {
        ap_reader_fail(r, APART_ERR_BLOCK);
    }
    return shape;
}

/* ---- the library ---- */

/* A copy of a block in memory of its own, in this machine's byte order. */
static void *get_block(ap_archive_reader *r, size_t *size, apart_status (*convert)(void *memory, size_t size))
{
    const uint64_t count = ap_get_u64(r);
    const unsigned char *bytes = get_bytes(r, count > 8 ? count : 9);
    void *copy = bytes != NULL && r->status == APART_OK ? own(r, (size_t)count, 1) : NULL;
    *size = (size_t)count;
    if (copy != NULL) {
        memcpy(copy, bytes, *size);
        if (convert(copy, *size) != APART_OK) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
    }
    return copy;
}

static void get_hulls(ap_archive_reader *r)
{
    const uint32_t count = ap_get_count(r, 8);
    r->hulls = own(r, count > 0 ? count : 1, sizeof *r->hulls);
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        size_t size;
        const void *block = get_block(r, &size, apart_hull_convert);
        if (r->status == APART_OK && apart_hull_view(block, size, &r->hulls[i]) != APART_OK) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
        r->hull_count = i + 1;
    }
}

static void get_meshes(ap_archive_reader *r)
{
    const uint32_t count = ap_get_count(r, 8);
    r->meshes = own(r, count > 0 ? count : 1, sizeof *r->meshes);
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        size_t size;
        const void *block = get_block(r, &size, apart_mesh_convert);
        if (r->status == APART_OK && apart_mesh_view(block, size, &r->meshes[i]) != APART_OK) {
            ap_reader_fail(r, APART_ERR_BLOCK);
        }
        r->mesh_count = i + 1;
    }
}

static void free_compound(void *compound) { apart_compound_free(compound); }

static apart_compound *get_compound(ap_archive_reader *r)
{
    apart_compound *compound = NULL;
    const uint32_t count = ap_get_count(r, 12 * sizeof(double) + 12 + 8);
    apart_part *parts = r->status == APART_OK ? ap_allocate(&r->allocator, count > 0 ? count : 1, sizeof *parts) : NULL;
    uint64_t *users = r->status == APART_OK ? ap_allocate(&r->allocator, count > 0 ? count : 1, sizeof *users) : NULL;
    if (parts == NULL || users == NULL) {
        ap_reader_fail(r, APART_ERR_MEMORY);
    }
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        parts[i].shape = ap_get_shape(r, 0);
        parts[i].pose = ap_get_pose(r);
        users[i] = ap_get_u64(r);
    }
    if (r->status == APART_OK) {
        const apart_status status = apart_compound_build(parts, count, &r->allocator, &compound);
        if (status != APART_OK) {
            ap_reader_fail(r, status == APART_ERR_MEMORY ? status : APART_ERR_BLOCK);
        }
    }
    for (uint32_t i = 0; i < count && compound != NULL; i++) {
        apart_compound_set_user(compound, i, users[i]);
    }
    ap_release(&r->allocator, parts);
    ap_release(&r->allocator, users);
    return compound;
}

static void get_compounds(ap_archive_reader *r)
{
    const uint32_t count = ap_get_count(r, 4);
    r->compounds = own(r, count > 0 ? count : 1, sizeof *r->compounds);
    for (uint32_t i = 0; i < count && r->status == APART_OK; i++) {
        r->compounds[i] = get_compound(r);
        if (r->compounds[i] != NULL && !ap_owned_take(&r->owned, &r->allocator, r->compounds[i], free_compound)) {
            apart_compound_free(r->compounds[i]);
            ap_reader_fail(r, APART_ERR_MEMORY);
        }
        r->compound_count = i + 1;
    }
}

static uint64_t hash_rest(const ap_archive_reader *r)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const unsigned char *at = r->at; at < r->end; at++) {
        hash = (hash ^ *at) * UINT64_C(1099511628211);
    }
    return hash;
}

void ap_reader_begin(ap_archive_reader *r, const apart_allocator *allocator, const void *memory, size_t size,
                     uint32_t kind)
{
    *r = (ap_archive_reader){.at = memory, .end = (const unsigned char *)memory + size, .allocator = *allocator};
    const uint64_t magic = ap_get_u64(r);
    const uint32_t version = ap_get_u32(r), found = ap_get_u32(r);
    const uint64_t total = ap_get_u64(r), hash = ap_get_u64(r);
    if (r->status != APART_OK || magic != AP_ARCHIVE_MAGIC || version != AP_ARCHIVE_VERSION || found != kind ||
        total != size || hash != hash_rest(r)) {
        ap_reader_fail(r, APART_ERR_BLOCK);
    }
    get_hulls(r);
    get_meshes(r);
    get_compounds(r);
}
