/* Covers of the meshes in files: proved, every triangle in the hulls by a check of its own, the excess an upper bound that
 * does not rise with the number of hulls, one hull the hull of the vertices, and refused by the proof with a hull that is
 * smaller by a millionth.
 *     test_cover_files FILE...      without files: nothing */
#include <apart/io.h>
#include <apart/mesh.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cover_checks.h"
#include "run_suite.h"

enum { HULLS = 8, SAMPLES = 4000 };

static char **files;
static int file_count;

static bool is_solid(const triangle_list *m)
{
    apart_mesh *mesh = NULL;
    ck_assert_int_eq(triangle_list_build(m, 0, &mesh), APART_OK);
    const bool solid = apart_mesh_inspect(mesh)->watertight != 0;
    apart_mesh_free(mesh);
    return solid;
}

/* Every vertex of the only hull is one of the mesh, or was moved out by next to nothing: a flat hull is scaled by more. */
static void check_single(const triangle_list *m, const apart_cover *one)
{
    const apart_hull *hull = apart_cover_hull(one, 0);
    ck_assert_uint_eq(apart_cover_count(one), 1);
    if (apart_hull_vertex_count(hull) < 3) {
        return;
    }
    uint32_t found = 0;
    double largest = 0.0;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        const apart_vec3 v = m->vertices[i];
        largest = fmax(largest, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
    }
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull); v++) {
        const apart_vec3 p = apart_hull_vertex(hull, v);
        for (uint32_t i = 0; i < m->vertex_count; i++) {
            const apart_vec3 d = apart_vec3_sub(p, m->vertices[i]);
            if (apart_vec3_norm(d) <= 1e-9 * largest) {
                found++;
                break;
            }
        }
    }
    ck_assert_uint_eq(found, apart_hull_vertex_count(hull));
}

static void check_shrunken(const triangle_list *m, const apart_cover *cover)
{
    apart_cover_claim claim = apart_cover_claim_of(cover);
    const uint32_t count = apart_cover_count(cover), h = count / 2;
    const apart_hull *hulls[HULLS];
    ck_assert_uint_le(count, HULLS);
    memcpy(hulls, claim.hulls, count * sizeof *hulls);
    claim.hulls = hulls;
    ck_assert(cover_proof_of(m, &claim).covered);
    apart_hull *smaller = hull_shrunk(hulls[h], 1e-6);
    hulls[h] = smaller;
    const apart_cover_proof proof = cover_proof_of(m, &claim);
    ck_assert(!proof.covered && proof.hull == h);
    apart_hull_free(smaller);
}

START_TEST(cover_of_file)
{
    triangle_list m;
    const char *path = files[_i];
    if (!mesh_file(path, &m)) {
        return;
    }
    const bool solid = is_solid(&m);
    apart_cover *one = cover_of(&m, 1, solid), *few = cover_of(&m, 3, solid), *cover = cover_of(&m, HULLS, solid);
    check_single(&m, one);
    ck_assert_double_le(apart_cover_excess(few), apart_cover_excess(one));
    ck_assert_double_le(apart_cover_excess(cover), apart_cover_excess(few));
    cover_check_triangles(&m, cover, 1 + m.triangle_count / SAMPLES);
    cover_check_excess(&m, cover, solid, (int)(50000 / m.triangle_count) + 1);
    if (solid) {
        cover_check_inside(&m, cover, (int)(500000 / m.triangle_count) + 1);
    }
    check_shrunken(&m, cover);
    printf("%s: %u triangles, %s, %u hulls, excess %.3g (one hull: %.3g)\n", path, m.triangle_count,
           solid ? "solid" : "surface", apart_cover_count(cover), apart_cover_excess(cover), apart_cover_excess(one));
    apart_cover_free(one);
    apart_cover_free(few);
    apart_cover_free(cover);
    triangle_list_free(&m);
}
END_TEST

int main(int argc, char **argv)
{
    files = argv + 1;
    file_count = argc - 1;
    Suite *suite = suite_create("cover_files");
    TCase *all = tcase_create("files");
    tcase_set_timeout(all, 600);
    tcase_add_loop_test(all, cover_of_file, 0, file_count);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
