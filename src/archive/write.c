/* Writing archives: two passes, one that notes what is borrowed, and one that writes. */
#include "../parts/tree.h"
#include "archive.h"

/* ---- pointers ---- */

static size_t pointer_hash(const void *pointer)
{
    uint64_t x = (uint64_t)(uintptr_t)pointer;
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(x >> 20);
}

/* The place of a pointer in the table, or the empty place where it would be. */
static size_t find_place(const ap_pointer_list *list, const void *pointer)
{
    const uint32_t *table = list->table.items;
    const void *const *items = list->items.items;
    const size_t mask = list->table.count - 1;
    size_t at = pointer_hash(pointer) & mask;
    while (table[at] != 0 && items[table[at] - 1] != pointer) {
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_table(ap_pointer_list *list, const apart_allocator *allocator)
{
    const size_t count = list->table.count > 0 ? 2 * list->table.count : 64;
    list->table.count = 0;
    if (!ap_array_reserve(&list->table, allocator, count)) {
        return false;
    }
    list->table.count = count;
    memset(list->table.items, 0, count * sizeof(uint32_t));
    for (size_t i = 0; i < list->items.count; i++) {
        const size_t at = find_place(list, ((const void *const *)list->items.items)[i]);
        ((uint32_t *)list->table.items)[at] = (uint32_t)i + 1;
    }
    return true;
}

/* Notes a pointer; true: it is new. */
static bool note_pointer(ap_archive_writer *w, ap_pointer_list *list, const void *pointer)
{
    const bool full = 2 * (list->items.count + 1) > list->table.count;
    if (w->status != APART_OK || (full && !grow_table(list, &w->allocator)) ||
        !ap_array_reserve(&list->items, &w->allocator, list->items.count + 1)) {
        w->status = w->status == APART_OK ? APART_ERR_MEMORY : w->status;
        return false;
    }
    uint32_t *place = (uint32_t *)list->table.items + find_place(list, pointer);
    if (*place != 0) {
        return false;
    }
    ((const void **)list->items.items)[list->items.count++] = pointer;
    *place = (uint32_t)list->items.count;
    return true;
}

uint32_t ap_pointer_number(const ap_pointer_list *list, const void *pointer)
{
    return list->table.count > 0 ? ((const uint32_t *)list->table.items)[find_place(list, pointer)] - 1 : 0;
}

void ap_writer_note_shape(ap_archive_writer *w, const apart_shape *shape)
{
    switch (shape->kind) {
    case APART_SHAPE_HULL: note_pointer(w, &w->hulls, shape->u.hull); break;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        ap_writer_note_shape(w, shape->u.pair.first);
        ap_writer_note_shape(w, shape->u.pair.second);
        break;
    case APART_SHAPE_AFFINE: ap_writer_note_shape(w, shape->u.affine.child); break;
    case APART_SHAPE_CALLBACK: w->status = w->status == APART_OK ? APART_ERR_CALLBACK : w->status; break;
    default: break;
    }
}

void ap_writer_note_compound(ap_archive_writer *w, const apart_compound *compound)
{
    if (note_pointer(w, &w->compounds, compound)) {
        for (uint32_t i = 0; i < compound->count; i++) {
            ap_writer_note_shape(w, &compound->parts[i].shape);
        }
    }
}

void ap_writer_note_mesh(ap_archive_writer *w, const apart_mesh *mesh) { note_pointer(w, &w->meshes, mesh); }

/* ---- fields ---- */

static void put_bytes(ap_archive_writer *w, const void *bytes, size_t count)
{
    if (w->used <= w->size && count <= w->size - w->used) {
        memcpy(w->memory + w->used, bytes, count);
    }
    w->used += count;
}

void ap_put_u32(ap_archive_writer *w, uint32_t x)
{
    const unsigned char bytes[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                    (unsigned char)(x >> 24)};
    put_bytes(w, bytes, 4);
}

void ap_put_u64(ap_archive_writer *w, uint64_t x)
{
    ap_put_u32(w, (uint32_t)x);
    ap_put_u32(w, (uint32_t)(x >> 32));
}

void ap_put_double(ap_archive_writer *w, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    ap_put_u64(w, bits);
}

void ap_put_vec(ap_archive_writer *w, apart_vec3 v)
{
    ap_put_double(w, v.x);
    ap_put_double(w, v.y);
    ap_put_double(w, v.z);
}

static void put_matrix(ap_archive_writer *w, const apart_mat3 *m)
{
    ap_put_vec(w, m->x);
    ap_put_vec(w, m->y);
    ap_put_vec(w, m->z);
}

void ap_put_pose(ap_archive_writer *w, const apart_pose *pose)
{
    put_matrix(w, &pose->rotation);
    ap_put_vec(w, pose->translation);
}

static void put_set(ap_archive_writer *w, const apart_shape *shape)
{
    const size_t count = shape->u.points.count;
    ap_put_u64(w, count);
    for (size_t i = 0; i < count * shape->dim; i++) {
        ap_put_double(w, shape->u.points.coordinates[i]);
    }
}

void ap_put_shape(ap_archive_writer *w, const apart_shape *shape)
{
    ap_put_u32(w, (uint32_t)shape->kind | (uint32_t)shape->dim << 8);
    ap_put_double(w, shape->radius);
    switch (shape->kind) {
    case APART_SHAPE_POINT:
    case APART_SHAPE_SEGMENT:
    case APART_SHAPE_TRIANGLE:
        for (int i = 0; i <= shape->kind - APART_SHAPE_POINT; i++) {
            ap_put_vec(w, shape->u.point[i]);
        }
        break;
    case APART_SHAPE_BOX: ap_put_vec(w, shape->u.half_extents); break;
    case APART_SHAPE_ELLIPSOID: ap_put_vec(w, shape->u.semi_axes); break;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
        ap_put_double(w, shape->u.round.radius);
        ap_put_double(w, shape->u.round.half_height);
        break;
    case APART_SHAPE_HALF_SPACE:
        ap_put_vec(w, shape->u.plane.normal);
        ap_put_double(w, shape->u.plane.offset);
        break;
    case APART_SHAPE_HULL: ap_put_u32(w, ap_pointer_number(&w->hulls, shape->u.hull)); break;
    case APART_SHAPE_POINTS: put_set(w, shape); break;
    case APART_SHAPE_SUM:
    case APART_SHAPE_HULL_OF_TWO:
        ap_put_shape(w, shape->u.pair.first);
        ap_put_shape(w, shape->u.pair.second);
        break;
    case APART_SHAPE_AFFINE:
        ap_put_shape(w, shape->u.affine.child);
        put_matrix(w, &shape->u.affine.linear);
        ap_put_vec(w, shape->u.affine.offset);
        break;
    default: break;
    }
}

/* ---- the whole ---- */

void ap_writer_begin(ap_archive_writer *w, const apart_allocator *allocator, void *memory, size_t size)
{
    *w = (ap_archive_writer){.memory = memory, .size = memory != NULL ? size : 0, .allocator = *allocator};
    ap_pointer_list *lists[] = {&w->hulls, &w->meshes, &w->compounds};
    for (int i = 0; i < 3; i++) {
        lists[i]->items.size = sizeof(const void *);
        lists[i]->table.size = sizeof(uint32_t);
    }
}

typedef apart_status convert_fn(void *memory, size_t size);

/* A block of a hull or a mesh, as it is in files. */
static void put_block(ap_archive_writer *w, const void *block, size_t size, convert_fn *convert)
{
    ap_put_u64(w, size);
    if (w->used > w->size || size > w->size - w->used) {
        w->used += size;
        return;
    }
    void *copy = ap_allocate(&w->allocator, size, 1); /* aligned, which the archive is not */
    if (copy == NULL) {
        w->status = APART_ERR_MEMORY;
        return;
    }
    memcpy(copy, block, size);
    w->status = w->status == APART_OK ? convert(copy, size) : w->status;
    put_bytes(w, copy, size);
    ap_release(&w->allocator, copy);
}

static void put_compound(ap_archive_writer *w, const apart_compound *compound)
{
    ap_put_u32(w, compound->count);
    for (uint32_t i = 0; i < compound->count; i++) {
        ap_put_shape(w, &compound->parts[i].shape);
        ap_put_pose(w, &compound->parts[i].pose);
        ap_put_u64(w, compound->users[i]);
    }
}

void ap_writer_put_library(ap_archive_writer *w, uint32_t kind)
{
    ap_put_u64(w, AP_ARCHIVE_MAGIC);
    ap_put_u32(w, AP_ARCHIVE_VERSION);
    ap_put_u32(w, kind);
    ap_put_u64(w, 0);
    ap_put_u64(w, 0);
    const apart_hull *const *hulls = w->hulls.items.items;
    const apart_mesh *const *meshes = w->meshes.items.items;
    const apart_compound *const *compounds = w->compounds.items.items;
    ap_put_u32(w, (uint32_t)w->hulls.items.count);
    for (size_t i = 0; i < w->hulls.items.count; i++) {
        put_block(w, hulls[i], apart_hull_size(hulls[i]), apart_hull_convert);
    }
    ap_put_u32(w, (uint32_t)w->meshes.items.count);
    for (size_t i = 0; i < w->meshes.items.count; i++) {
        put_block(w, meshes[i], apart_mesh_size(meshes[i]), apart_mesh_convert);
    }
    ap_put_u32(w, (uint32_t)w->compounds.items.count);
    for (size_t i = 0; i < w->compounds.items.count; i++) {
        put_compound(w, compounds[i]);
    }
}

/* FNV-1a. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

apart_status ap_writer_end(ap_archive_writer *w, size_t *needed)
{
    ap_pointer_list *lists[] = {&w->hulls, &w->meshes, &w->compounds};
    const size_t total = w->used;
    for (int i = 0; i < 3; i++) {
        ap_array_free(&lists[i]->items, &w->allocator);
        ap_array_free(&lists[i]->table, &w->allocator);
    }
    if (w->status == APART_OK && needed != NULL) {
        *needed = total;
    }
    if (w->status != APART_OK || w->memory == NULL || total > w->size) {
        return w->status != APART_OK || w->memory == NULL ? w->status : APART_ERR_SIZE;
    }
    w->used = 16;
    ap_put_u64(w, total);
    ap_put_u64(w, hash_bytes(w->memory + AP_ARCHIVE_HEADER, total - AP_ARCHIVE_HEADER));
    return APART_OK;
}
