/* The steps from a mesh to a cover: cut, join, and enlarge until the proof succeeds. And a cover's reading. */
#include "cover.h"

enum { DEFAULT_HULLS = 32, MOST_HULLS = 4096, MOST_ENLARGEMENTS = 8 };

/* Cells without a hull, because nothing is in them. */
enum { SPARE_CELLS = 64 };

/* An excess below this share of the size is not worth a cut. */
static const double least_excess = 0x1p-24;

/* Bounds of the excess are within this share of a distance that was found, where the budget allows it. */
static const double excess_tolerance = 0.05;

/* Cut parts, and corners of boxes, lie within this share of the largest coordinate of the hull that was cut: 2^9 u. */
static const double cut_error = 0x1p-44;

/* Hulls are enlarged by this share of the largest coordinate: 512 u, where the parts of triangles err by up to 108 u,
 * scaled vertices by 6 u, and the hull builder may leave out 16 u. */
static const double enlargement = 0x1p-44;

/* A hull so thin that scaling it would move its vertices by more than this share of their distance gets thicker. */
static const double most_scaling = 0x1p-20;

struct apart_cover {
    apart_allocator allocator;
    apart_hull **hull;
    apart_cover_node *node;
    uint32_t hull_count, node_count;
    double excess;
    bool solid;
};

/* ---- hulls of points ---- */

bool ap_cover_add_point(ap_cover_work *work, apart_vec3 p)
{
    if (work->xyz_count == work->xyz_room) {
        const size_t room = 2 * work->xyz_room + 256;
        double *larger = ap_allocate(work->allocator, 3 * room, sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        if (work->xyz != NULL) {
            memcpy(larger, work->xyz, 3 * work->xyz_count * sizeof *larger);
        }
        ap_release(work->allocator, work->xyz);
        work->xyz = larger;
        work->xyz_room = room;
    }
    double *to = work->xyz + 3 * work->xyz_count++;
    to[0] = p.x;
    to[1] = p.y;
    to[2] = p.z;
    return true;
}

bool ap_cover_add_hull(ap_cover_work *work, const apart_hull *hull)
{
    bool fits = true;
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull) && fits; v++) {
        fits = ap_cover_add_point(work, apart_hull_vertex(hull, v));
    }
    return fits;
}

apart_status ap_cover_build_hull(ap_cover_work *work, apart_hull **out)
{
    const apart_hull_options options = {.allocator = *work->allocator};
    return apart_hull_build(work->xyz, work->xyz_count, &options, out);
}

apart_status ap_cover_bound(ap_cover_work *work, const apart_hull *hull, uint32_t budget, double *excess,
                            apart_vec3 *farthest)
{
    ap_cover_search search = {&work->tree, work->solid, budget, excess_tolerance, work->goal, .farthest = {0, 0, 0}};
    const apart_status status = ap_cover_excess_of(&search, hull, excess);
    *farthest = search.farthest;
    return status;
}

void ap_cover_report(ap_cover_work *work, double share)
{
    const apart_cover_options *options = work->options;
    work->share = ap_max(work->share, ap_min(share, 1.0));
    if (options->progress != NULL && options->progress(work->share, options->user) != 0) {
        work->stopped = true;
    }
}

/* ---- enlarging ---- */

/* The centre, and the least height of a face above it. */
static double least_height(const apart_hull *hull, apart_vec3 *center)
{
    const uint32_t vertices = apart_hull_vertex_count(hull), *face;
    const apart_vec3 base = apart_hull_vertex(hull, 0);
    apart_vec3 sum = {0, 0, 0};
    double least = apart_hull_dimension(hull) == 3 ? INFINITY : 0;
    for (uint32_t v = 0; v < vertices; v++) {
        sum = ap_add(sum, ap_scale(1.0 / vertices, ap_sub(apart_hull_vertex(hull, v), base)));
    }
    *center = ap_add(base, sum);
    for (uint32_t f = 0; f < apart_hull_face_count(hull); f++) {
        apart_hull_face(hull, f, &face);
        least =
            ap_min(least, ap_dot(apart_hull_face_normal(hull, f), ap_sub(apart_hull_vertex(hull, face[0]), *center)));
    }
    return least;
}

static bool add_scaled(ap_cover_work *work, const apart_hull *hull, apart_vec3 center, double scale)
{
    bool fits = true;
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull) && fits; v++) {
        const apart_vec3 p = apart_hull_vertex(hull, v);
        fits = ap_cover_add_point(work, ap_add(p, ap_scale(scale, ap_sub(p, center))));
    }
    return fits;
}

/* A cube of half width `by` around each vertex. */
static bool add_thickened(ap_cover_work *work, const apart_hull *hull, double by)
{
    bool fits = true;
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull) && fits; v++) {
        const apart_vec3 p = apart_hull_vertex(hull, v);
        for (int i = 0; i < 8 && fits; i++) {
            fits = ap_cover_add_point(work, ap_add(p, ap_vec(i & 1 ? by : -by, i & 2 ? by : -by, i & 4 ? by : -by)));
        }
    }
    return fits;
}

static double greatest_distance(const apart_hull *hull, apart_vec3 from)
{
    double greatest = 0.0;
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull); v++) {
        greatest = ap_max(greatest, ap_norm(ap_sub(apart_hull_vertex(hull, v), from)));
    }
    return greatest;
}

/* A hull that contains everything within `by` of the hull; *moved gets at least how far a vertex moves. */
static apart_status enlarge(ap_cover_work *work, apart_hull **hull, double by, double *moved)
{
    apart_vec3 center;
    apart_hull *larger = NULL;
    const double height = least_height(*hull, &center);
    const bool is_scaled = height > 0 && by <= most_scaling * height;
    work->xyz_count = 0;
    const bool fits = is_scaled ? add_scaled(work, *hull, center, by / height) : add_thickened(work, *hull, 2 * by);
    const double way = is_scaled ? by / height * greatest_distance(*hull, center) : 4 * by; /* 2 sqrt(3) */
    *moved = ap_max(*moved, way * (1.0 + 0x1p-10) + cut_error * work->mesh.magnitude);
    const apart_status status = fits ? ap_cover_build_hull(work, &larger) : APART_ERR_MEMORY;
    if (status == APART_OK) {
        apart_hull_free(*hull);
        *hull = larger;
    }
    return status;
}

static apart_cover_claim claim_of(const apart_cover *cover)
{
    return (apart_cover_claim){(const apart_hull *const *)cover->hull, cover->hull_count, cover->node,
                               cover->node_count, cover->solid};
}

/* Enlarges the hulls whose parts were cut, and those without a proof, until there is one for all. */
static apart_status prove(ap_cover_work *work, apart_cover *cover, uint8_t *failed)
{
    const apart_cover_claim claim = claim_of(cover);
    double by = enlargement * work->mesh.magnitude;
    for (int round = 0; round<MOST_ENLARGEMENTS; round++, by *= round> 1 ? 2 : 1) {
        apart_cover_proof proof;
        double moved = 0.0;
        for (uint32_t h = 0; h < cover->hull_count; h++) {
            const apart_status status = failed[h] != 0 ? enlarge(work, &cover->hull[h], by, &moved) : APART_OK;
            if (status != APART_OK) {
                return status;
            }
            failed[h] = 0;
        }
        work->moved += moved;
        const apart_status status =
            ap_cover_prove(&work->mesh, work->solid ? &work->tree : NULL, &claim, failed, &proof);
        if (status != APART_OK || proof.covered) {
            return status;
        }
    }
    return APART_ERR_HULL_BUILDER;
}

/* ---- the steps ---- */

/* Groups become hulls, in the order of their first cells, and leaves name them. failed[h]: the hull has cut parts. */
static void number_hulls(ap_cover_work *work, apart_cover *cover, uint32_t *number, uint8_t *failed)
{
    for (uint32_t g = 0; g < work->group_count; g++) {
        number[g] = APART_COVER_NOTHING;
    }
    for (uint32_t i = 0; i < work->cell_count; i++) {
        const uint32_t group = work->cell[i].group;
        if (group != APART_COVER_NOTHING && number[group] == APART_COVER_NOTHING) {
            number[group] = cover->hull_count;
            failed[cover->hull_count] = work->group[group].cut;
            cover->hull[cover->hull_count++] = work->group[group].hull;
            work->group[group].hull = NULL;
        }
        work->node[work->cell[i].node] =
            (apart_cover_node){0, APART_COVER_LEAF, group != APART_COVER_NOTHING ? number[group] : APART_COVER_NOTHING,
                               0};
    }
    cover->node_count = work->node_count;
    memcpy(cover->node, work->node, work->node_count * sizeof *cover->node);
}

static apart_status take_hulls(ap_cover_work *work, apart_cover *cover)
{
    const apart_allocator *allocator = work->allocator;
    uint32_t *number = ap_allocate(allocator, work->group_count, sizeof *number);
    uint8_t *failed = ap_allocate(allocator, work->group_count, 1);
    cover->hull = ap_allocate(allocator, work->group_count, sizeof *cover->hull);
    cover->node = ap_allocate(allocator, work->node_count, sizeof *cover->node);
    apart_status status = APART_ERR_MEMORY;
    if (number != NULL && failed != NULL && cover->hull != NULL && cover->node != NULL) {
        number_hulls(work, cover, number, failed);
        status = prove(work, cover, failed);
    }
    ap_release(allocator, number);
    ap_release(allocator, failed);
    cover->excess = work->excess + work->moved + cut_error * work->mesh.magnitude;
    return status;
}

static apart_status run(ap_cover_work *work, apart_cover *cover)
{
    const uint32_t cells = work->hulls == 1 ? 1 : 2 * work->hulls + SPARE_CELLS;
    int closed;
    apart_status status = ap_cover_mesh_closed(&work->mesh, &closed);
    if (status == APART_OK && work->solid && closed == AP_COVER_OPEN) {
        return APART_ERR_NOT_WATERTIGHT;
    }
    status = status == APART_OK ? ap_cover_tree_open(&work->mesh, closed, &work->tree) : status;
    work->node = ap_allocate(work->allocator, 2 * (size_t)cells, sizeof *work->node);
    work->cell = ap_allocate(work->allocator, cells, sizeof *work->cell);
    work->group = ap_allocate(work->allocator, cells, sizeof *work->group);
    work->stamp = ap_allocate(work->allocator, work->mesh.point_count, sizeof *work->stamp);
    if (status != APART_OK || work->node == NULL || work->cell == NULL || work->group == NULL || work->stamp == NULL) {
        return status != APART_OK ? status : APART_ERR_MEMORY;
    }
    memset(work->stamp, 0, work->mesh.point_count * sizeof *work->stamp);
    status = ap_cover_split(work, cells);
    status = status == APART_OK ? ap_cover_merge(work) : status;
    return status == APART_OK ? take_hulls(work, cover) : status;
}

static void close_work(ap_cover_work *work)
{
    for (uint32_t i = 0; work->cell != NULL && i < work->cell_count; i++) {
        ap_release(work->allocator, work->cell[i].triangle);
        apart_hull_free(work->cell[i].hull);
    }
    for (uint32_t i = 0; work->group != NULL && i < work->group_count; i++) {
        apart_hull_free(work->group[i].hull);
    }
    ap_release(work->allocator, work->node);
    ap_release(work->allocator, work->cell);
    ap_release(work->allocator, work->group);
    ap_release(work->allocator, work->stamp);
    ap_release(work->allocator, work->xyz);
    ap_cover_tree_close(&work->tree);
    ap_cover_mesh_close(&work->mesh);
}

static apart_status build(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                          const apart_cover_options *options, apart_cover *cover)
{
    ap_cover_work work = {.allocator = &options->allocator, .options = options, .solid = options->solid != 0};
    apart_status status = ap_cover_mesh_open(vertices, triangles, triangle_count, &options->allocator, &work.mesh);
    if (status != APART_OK) {
        return status;
    }
    const bool counted = options->hulls > 0 || options->excess == 0;
    const uint32_t wanted = options->hulls > 0 ? options->hulls : DEFAULT_HULLS;
    work.size = ap_norm(ap_sub(work.mesh.box.max, work.mesh.box.min));
    work.goal = ap_max(options->excess, least_excess * work.size);
    work.hulls = counted ? wanted : MOST_HULLS;
    status = run(&work, cover);
    ap_cover_report(&work, 1.0);
    close_work(&work);
    return status;
}

apart_status apart_cover_build(const apart_vertices *vertices, const uint32_t *triangles, size_t triangle_count,
                               const apart_cover_options *options, apart_cover **out)
{
    static const apart_cover_options defaults = {.hulls = 0};
    const apart_cover_options *given = options != NULL ? options : &defaults;
    if (out == NULL) {
        return APART_ERR_NULL;
    }
    if (given->hulls > MOST_HULLS || !(given->excess >= 0) || !isfinite(given->excess)) {
        return APART_ERR_OPTION;
    }
    apart_cover *cover = ap_allocate(&given->allocator, 1, sizeof *cover);
    if (cover == NULL) {
        return APART_ERR_MEMORY;
    }
    *cover = (apart_cover){.allocator = given->allocator, .solid = given->solid != 0};
    const apart_status status = build(vertices, triangles, triangle_count, given, cover);
    if (status != APART_OK) {
        apart_cover_free(cover);
        return status;
    }
    *out = cover;
    return APART_OK;
}

/* ---- reading ---- */

void apart_cover_free(apart_cover *cover)
{
    if (cover == NULL) {
        return;
    }
    const apart_allocator allocator = cover->allocator;
    for (uint32_t h = 0; h < cover->hull_count; h++) {
        apart_hull_free(cover->hull[h]);
    }
    ap_release(&allocator, cover->hull);
    ap_release(&allocator, cover->node);
    ap_release(&allocator, cover);
}

uint32_t apart_cover_count(const apart_cover *cover) { return cover->hull_count; }

const apart_hull *apart_cover_hull(const apart_cover *cover, uint32_t hull)
{
    return hull < cover->hull_count ? cover->hull[hull] : NULL;
}

double apart_cover_excess(const apart_cover *cover) { return cover->excess; }

apart_cover_claim apart_cover_claim_of(const apart_cover *cover) { return claim_of(cover); }

apart_status apart_cover_compound(const apart_cover *cover, const apart_allocator *allocator, apart_compound **out)
{
    static const apart_allocator standard = {NULL, NULL, NULL};
    allocator = allocator != NULL ? allocator : &standard;
    if (cover == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    apart_part *parts = ap_allocate(allocator, cover->hull_count, sizeof *parts);
    if (parts == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t h = 0; h < cover->hull_count; h++) {
        parts[h] = (apart_part){apart_hull_shape(cover->hull[h]), apart_pose_identity()};
    }
    const apart_status status = apart_compound_build(parts, cover->hull_count, allocator, out);
    ap_release(allocator, parts);
    return status;
}
