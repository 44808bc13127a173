/* Placed geometry of scenes: affine maps, the budget that repeated geometry is charged to, objects and faces. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/file.h"
#include "../text/report.h"

/* What a file may place: so much in any case, and so much for each of its bytes. A corner of a face takes at least one
 * byte of glTF and two of Collada, a file that names nothing twice stays far below. */
static const uint64_t BUDGET_BASE = (uint64_t)1 << 20, BUDGET_PER_BYTE = 16;

enum { OBJECT_NAME_SIZE = 256 };

ap_affine ap_affine_compose(const ap_affine *outer, const ap_affine *inner)
{
    ap_affine out;
    for (int i = 0; i < 3; i++) {
        const double *row = outer->m + 4 * i;
        for (int k = 0; k < 4; k++) {
            const double sum = row[0] * inner->m[k] + row[1] * inner->m[4 + k] + row[2] * inner->m[8 + k];
            out.m[4 * i + k] = k < 3 ? sum : sum + row[3];
        }
    }
    return out;
}

static double affine_determinant(const ap_affine *a)
{
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

void ap_scene_open(ap_scene *s, ap_mesh_builder *b, size_t bytes)
{
    *s = (ap_scene){.b = b, .budget = BUDGET_BASE + BUDGET_PER_BYTE * bytes};
}

apart_status ap_scene_charge(ap_scene *s, uint64_t amount)
{
    if (amount > s->budget) {
        return ap_report(s->b->error, APART_ERR_SYNTAX, s->b->name, 0, 0,
                         "the scene repeats its geometry too often for a file of its size");
    }
    s->budget -= amount;
    return APART_OK;
}

void ap_scene_begin_object(ap_scene *s, const char *name, const ap_affine *to_scene)
{
    s->object = name && *name ? name : "unnamed";
    s->object_pending = 1;
    s->to_scene = *to_scene;
    s->mirrored = affine_determinant(to_scene) < 0;
}

apart_status ap_scene_add_vertex(ap_scene *s, const double xyz[3], size_t line)
{
    double placed[3];
    for (int i = 0; i < 3; i++) {
        const double *row = s->to_scene.m + 4 * i;
        placed[i] = row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2] + row[3];
        if (!isfinite(placed[i])) {
            char shown[80];
            ap_printable(s->object, strlen(s->object), shown, sizeof shown);
            return ap_report(s->b->error, APART_ERR_SYNTAX, s->b->name, line, 0,
                             "expected finite coordinates, found a vertex of '%s' that is placed beyond the range of "
                             "doubles",
                             shown);
        }
    }
    if (s->b->mesh.vertex_count >= UINT32_MAX) {
        return ap_report(s->b->error, APART_ERR_SYNTAX, s->b->name, 0, 0, "expected fewer than 2^32 vertices");
    }
    const apart_status status = ap_scene_charge(s, 1);
    return status == APART_OK ? ap_mesh_add_vertex(s->b, placed) : status;
}

/* The object's name, in printable form, is kept at its first face. */
static apart_status keep_object_name(ap_scene *s)
{
    apart_mesh_data *m = &s->b->mesh;
    char printable[OBJECT_NAME_SIZE];
    char **moved = ap_grow(m->object_names, &s->name_capacity, m->object_count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(s->b->error, s->b->name);
    }
    m->object_names = moved;
    ap_printable(s->object, strlen(s->object), printable, sizeof printable);
    char *copy = malloc(strlen(printable) + 1);
    if (!copy) {
        return ap_report_memory(s->b->error, s->b->name);
    }
    strcpy(copy, printable);
    m->object_names[m->object_count++] = copy;
    s->object_pending = 0;
    return APART_OK;
}

apart_status ap_scene_add_face(ap_scene *s, const uint64_t *indices, size_t size)
{
    apart_mesh_data *m = &s->b->mesh;
    apart_status status = ap_scene_charge(s, size);
    if (status == APART_OK && s->object_pending) {
        status = keep_object_name(s);
    }
    if (status != APART_OK) {
        return status;
    }
    uint32_t *moved = ap_grow(m->face_objects, &s->face_object_capacity, m->face_count + 1, sizeof *moved);
    if (!moved) {
        return ap_report_memory(s->b->error, s->b->name);
    }
    m->face_objects = moved;
    m->face_objects[m->face_count] = (uint32_t)(m->object_count - 1);
    for (size_t k = 0; k < size && status == APART_OK; k++) {
        status = ap_mesh_add_index(s->b, indices[s->mirrored ? size - 1 - k : k], 0, 0);
    }
    return status == APART_OK ? ap_mesh_end_face(s->b, size) : status;
}
