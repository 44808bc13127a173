/* Space is cut into boxes: always the box whose hull is farthest from the mesh, and where the hulls of the halves have
 * little volume and are near to the mesh. Cuts do not depend on how many are wanted, so that a cover of more hulls lies
 * in that of fewer. */
#include "cover.h"

enum {
    FIRST_BUDGET = 20000,
    CELL_BUDGET = 6000,
    FIRST_NODES = 16,
    SAMPLE_TRIANGLES = 256,
    PLACES = 12,
    MOST_CUTS = 3 * PLACES
};

/* A cut leaves at least this share of the hull's extent on either side. */
static const double least_share = 1.0 / 64;

/* How much the volume of the halves counts beside their distances from the mesh, where the mesh's size is 1 and between 1
 * and 2. Distances alone would open no hole that takes several cuts, volumes alone would leave small ones. */
static const double space_weight = 10.0;

/* A hull of what is beside a round hole of the radius 1 comes nearest to the hole's wall if it is cut off here. */
static const double beside_hole = 0.7;

typedef struct cut_place {
    int axis;
    double at;
} cut_place;

static double coordinate(apart_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static void set_coordinate(apart_vec3 *p, int axis, double value)
{
    *(axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z) = value;
}

/* ---- the points of a cell ---- */

/* Adds what the mesh has of a triangle in a box; returns whether it was cut. */
static bool add_triangle(ap_cover_work *work, uint32_t triangle, const apart_aabb *box, bool *fits)
{
    ap_cover_polygon part;
    ap_cover_clip(&work->mesh, triangle, box, &part);
    for (int k = 0; k < part.count && *fits; k++) {
        uint32_t *stamp = part.error == 0 ? &work->stamp[work->mesh.triangle[triangle][k]] : NULL;
        if (stamp == NULL || *stamp != work->now) {
            *fits = ap_cover_add_point(work, part.point[k]);
        }
        if (stamp != NULL) {
            *stamp = work->now;
        }
    }
    return part.error > 0;
}

/* Corners of the box that may lie inside. */
static bool add_corners(ap_cover_work *work, const apart_aabb *box)
{
    for (int i = 0; i < 8 && work->solid; i++) {
        const apart_vec3 corner =
            ap_vec(i & 1 ? box->max.x : box->min.x, i & 2 ? box->max.y : box->min.y, i & 4 ? box->max.z : box->min.z);
        if (ap_finite(corner) && ap_cover_side(&work->tree, corner) >= 0 && !ap_cover_add_point(work, corner)) {
            return false;
        }
    }
    return true;
}

static apart_status fill_cell(ap_cover_work *work, ap_cover_cell *cell)
{
    bool fits = true;
    work->now++;
    work->xyz_count = 0;
    for (uint32_t i = 0; i < cell->count && fits; i++) {
        cell->cut = add_triangle(work, cell->triangle[i], &cell->box, &fits) || cell->cut;
    }
    if (!fits || !add_corners(work, &cell->box)) {
        return APART_ERR_MEMORY;
    }
    if (work->xyz_count == 0) {
        cell->excess = 0.0;
        return APART_OK;
    }
    const double inherited = cell->excess;
    const uint32_t budget = work->node_count < FIRST_NODES ? FIRST_BUDGET : CELL_BUDGET;
    apart_status status = ap_cover_build_hull(work, &cell->hull);
    status = status == APART_OK ? ap_cover_bound(work, cell->hull, budget, &cell->excess, &cell->farthest) : status;
    cell->excess = ap_min(cell->excess, inherited);
    return status;
}

/* ---- where to cut ---- */

static uint32_t count_hulls(const ap_cover_work *work)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->cell_count; i++) {
        count += work->cell[i].hull != NULL;
    }
    return count;
}

/* How much space the hull of a sample of the triangles on one side takes, and its distance from the mesh as it looks. */
static apart_status measure_side(ap_cover_work *work, const ap_cover_cell *cell, const apart_aabb *box, double *space,
                                 double *distance)
{
    const uint32_t step = 1 + cell->count / SAMPLE_TRIANGLES;
    bool fits = true;
    work->now++;
    work->xyz_count = 0;
    for (uint32_t i = 0; i < cell->count && fits; i += step) {
        if (ap_cover_meets(&work->mesh, cell->triangle[i], box)) {
            add_triangle(work, cell->triangle[i], box, &fits);
        }
    }
    if (!fits) {
        return APART_ERR_MEMORY;
    }
    return work->xyz_count > 0 ? ap_cover_look(work, space, distance) : APART_OK;
}

static apart_status measure_cut(ap_cover_work *work, const ap_cover_cell *cell, cut_place place, double *cost)
{
    apart_aabb below = cell->box, above = cell->box;
    set_coordinate(&below.max, place.axis, place.at);
    set_coordinate(&above.min, place.axis, place.at);
    double space = 0, low = 0, high = 0;
    apart_status status = measure_side(work, cell, &below, &space, &low);
    status = status == APART_OK ? measure_side(work, cell, &above, &space, &high) : status;
    *cost = sqrt(low * low + high * high) / work->size + space_weight * space;
    return status;
}

/* The vertex of the sample that is deepest below the hull: the cut through it opens the notch that it is in. */
static apart_vec3 deepest_vertex(const ap_cover_work *work, const ap_cover_cell *cell)
{
    const uint32_t step = 1 + cell->count / SAMPLE_TRIANGLES, faces = apart_hull_face_count(cell->hull), *face;
    apart_vec3 best = cell->farthest;
    double deepest = -1;
    for (uint32_t i = 0; i < cell->count; i += step) {
        const apart_vec3 p = work->mesh.point[work->mesh.triangle[cell->triangle[i]][0]];
        double depth = INFINITY;
        for (uint32_t f = 0; f < faces && depth > deepest; f++) {
            apart_hull_face(cell->hull, f, &face);
            depth = ap_min(depth, ap_dot(apart_hull_face_normal(cell->hull, f),
                                         ap_sub(apart_hull_vertex(cell->hull, face[0]), p)));
        }
        if (depth > deepest && depth < INFINITY) {
            deepest = depth;
            best = p;
        }
    }
    return best;
}

static bool is_vertex(const apart_hull *hull, apart_vec3 p)
{
    for (uint32_t v = 0; v < apart_hull_vertex_count(hull); v++) {
        if (ap_cover_compare_points(apart_hull_vertex(hull, v), p) == 0) {
            return true;
        }
    }
    return false;
}

/* The vertex of the sample that is nearest to the farthest point, of those that are no vertices of the hull: in a notch,
 * as it may be between flat sides. */
static apart_vec3 notch_vertex(const ap_cover_work *work, const ap_cover_cell *cell)
{
    const uint32_t step = 1 + cell->count / SAMPLE_TRIANGLES;
    apart_vec3 best = cell->farthest;
    double least = INFINITY;
    for (uint32_t i = 0; i < cell->count; i += step) {
        for (int k = 0; k < 3; k++) {
            const apart_vec3 p = work->mesh.point[work->mesh.triangle[cell->triangle[i]][k]];
            const double distance = ap_norm(ap_sub(p, cell->farthest));
            if (distance < least && !is_vertex(cell->hull, p)) {
                least = distance;
                best = p;
            }
        }
    }
    return best;
}

static apart_aabb hull_box(const apart_hull *hull)
{
    apart_aabb box = {apart_hull_vertex(hull, 0), apart_hull_vertex(hull, 0)};
    for (uint32_t v = 1; v < apart_hull_vertex_count(hull); v++) {
        const apart_vec3 p = apart_hull_vertex(hull, v);
        box.min = ap_vec(ap_min(box.min.x, p.x), ap_min(box.min.y, p.y), ap_min(box.min.z, p.z));
        box.max = ap_vec(ap_max(box.max.x, p.x), ap_max(box.max.y, p.y), ap_max(box.max.z, p.z));
    }
    return box;
}

static int list_cuts(const ap_cover_work *work, const ap_cover_cell *cell, cut_place places[MOST_CUTS])
{
    const apart_aabb box = hull_box(cell->hull);
    const apart_vec3 deepest = deepest_vertex(work, cell), notch = notch_vertex(work, cell);
    int count = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double low = coordinate(box.min, axis), extent = coordinate(box.max, axis) - low;
        const double far = coordinate(cell->farthest, axis), hole = beside_hole * cell->excess;
        double at[PLACES] = {coordinate(notch, axis), coordinate(deepest, axis), far, far - hole, far + hole};
        for (int i = 1; i < 8; i++) {
            at[4 + i] = low + 0.125 * i * extent;
        }
        for (int i = 0; i < PLACES; i++) {
            if (at[i] > low + least_share * extent && at[i] < low + (1 - least_share) * extent) {
                places[count++] = (cut_place){axis, at[i]};
            }
        }
    }
    return count;
}

/* The best of some cuts; axis -1: the hull is too small to be cut. */
static apart_status choose_cut(ap_cover_work *work, const ap_cover_cell *cell, cut_place *best)
{
    cut_place places[MOST_CUTS];
    const int count = list_cuts(work, cell, places);
    double least = INFINITY, cost;
    best->axis = -1;
    for (int i = 0; i < count; i++) {
        ap_cover_report(work, 0.9 * (count_hulls(work) + (double)i / count) / work->hulls);
        const apart_status status = measure_cut(work, cell, places[i], &cost);
        if (status != APART_OK) {
            return status;
        }
        if (cost < least) {
            least = cost;
            *best = places[i];
        }
    }
    return APART_OK;
}

/* ---- cutting ---- */

/* The part of a cell with its own list of triangles. */
static apart_status take_part(ap_cover_work *work, const ap_cover_cell *whole, const apart_aabb *box, uint32_t node,
                              ap_cover_cell *part)
{
    ap_cover_polygon polygon;
    *part = (ap_cover_cell){.box = *box, .node = node, .excess = whole->excess};
    part->triangle = ap_allocate(work->allocator, whole->count, sizeof *part->triangle);
    if (part->triangle == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < whole->count; i++) {
        if (ap_cover_meets(&work->mesh, whole->triangle[i], box)) {
            ap_cover_clip(&work->mesh, whole->triangle[i], box, &polygon);
            part->triangle[part->count] = whole->triangle[i];
            part->count += polygon.count > 0 ? 1 : 0;
        }
    }
    return fill_cell(work, part);
}

/* The part above becomes a new cell, the part below takes the cell's place. */
static apart_status cut_cell(ap_cover_work *work, uint32_t number, cut_place place)
{
    ap_cover_cell *whole = &work->cell[number], below = {.count = 0}, above = {.count = 0};
    apart_cover_node *node = &work->node[whole->node];
    apart_aabb low = whole->box, high = whole->box;
    set_coordinate(&low.max, place.axis, place.at);
    set_coordinate(&high.min, place.axis, place.at);
    apart_status status = take_part(work, whole, &low, work->node_count, &below);
    if (status == APART_OK) {
        status = take_part(work, whole, &high, work->node_count + 1, &above);
    }
    if (status != APART_OK) {
        ap_release(work->allocator, below.triangle);
        ap_release(work->allocator, above.triangle);
        apart_hull_free(below.hull);
        apart_hull_free(above.hull);
        return status;
    }
    *node = (apart_cover_node){place.at, (uint32_t)place.axis, work->node_count, work->node_count + 1};
    work->node_count += 2;
    ap_release(work->allocator, whole->triangle);
    apart_hull_free(whole->hull);
    *whole = below;
    work->cell[work->cell_count++] = above;
    return APART_OK;
}

/* The cell with the greatest excess of those that can be cut, or NULL. */
static ap_cover_cell *worst_cell(ap_cover_work *work)
{
    ap_cover_cell *worst = NULL;
    for (uint32_t i = 0; i < work->cell_count; i++) {
        ap_cover_cell *cell = &work->cell[i];
        worst = !cell->uncuttable && (worst == NULL || cell->excess > worst->excess) ? cell : worst;
    }
    return worst;
}

/* Hulls lie in those that they were cut from: a bound of an earlier state holds. */
static void note_excess(ap_cover_work *work)
{
    double greatest = 0.0;
    for (uint32_t i = 0; i < work->cell_count; i++) {
        greatest = ap_max(greatest, work->cell[i].excess);
    }
    work->excess = ap_min(work->excess, greatest);
}

static apart_status make_root(ap_cover_work *work)
{
    ap_cover_cell *root = &work->cell[0];
    const apart_vec3 far = {INFINITY, INFINITY, INFINITY};
    *root = (ap_cover_cell){.box = {ap_neg(far), far}, .count = work->mesh.triangle_count, .excess = INFINITY};
    work->excess = INFINITY;
    work->cell_count = work->node_count = 1;
    root->triangle = ap_allocate(work->allocator, root->count, sizeof *root->triangle);
    if (root->triangle == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < root->count; i++) {
        root->triangle[i] = i;
    }
    return fill_cell(work, root);
}

apart_status ap_cover_split(ap_cover_work *work, uint32_t cells)
{
    apart_status status = make_root(work);
    note_excess(work);
    while (status == APART_OK && count_hulls(work) < work->hulls && work->cell_count < cells && !work->stopped) {
        ap_cover_cell *cell = worst_cell(work);
        cut_place place;
        if (cell == NULL || cell->excess <= work->goal) {
            break;
        }
        status = choose_cut(work, cell, &place);
        if (status == APART_OK && place.axis < 0) {
            cell->uncuttable = true;
        } else if (status == APART_OK) {
            status = cut_cell(work, (uint32_t)(cell - work->cell), place);
            note_excess(work);
        }
        ap_cover_report(work, 0.9 * count_hulls(work) / work->hulls);
    }
    return status;
}
